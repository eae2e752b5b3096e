"""Runs the tests of a package that is not published yet."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from notes2code.cache import Remembered
from notes2code.verify.identity import identity

TIMEOUT = 600
"""Seconds that the tests of a package may take."""

NEEDED = ("torch", "numpy", "pytest")
"""What the tests of a package import besides it."""

_COMMAND = (sys.executable, "-E", "-B", "-X", "utf8", "-m", "pytest", "-q", "--tb=short")
_OPTIONS = ("-p", "no:cacheprovider", "-o", "junit_family=xunit1", "--import-mode=importlib")
_PASSED = Remembered("verified", 200)
_EXCERPT = 8
_LOOK = 0.2
"""Seconds between two looks whether tests that run are of use still."""

_PLACE = re.compile(r'^(?:E +File "\S*/generated/)?([\w/]+\.py)(?:", line |:)(\d+)', re.MULTILINE)
_COLUMNS = 160


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that failed, or a file of tests that cannot be imported; the lines that say why; and
    the places in the package's files that it came by, as file and line, the last one innermost."""

    test: str
    excerpt: str
    places: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the tests of a package say.

    ``problem`` says why they could not be run, and is empty where they were. ``cached`` is true
    when the same code passed before and nothing was run.
    """

    passed: int = 0
    failures: tuple[Failure, ...] = ()
    problem: str = ""
    cached: bool = False

    @property
    def ok(self) -> bool:
        """Whether the package may be published."""
        return not self.failures and not self.problem


class Superseded(Exception):
    """The tests were stopped: nobody waits for what they say any more."""


Superseding = Callable[[], bool]


def never() -> bool:
    """Whether tests are superseded that nothing can supersede."""
    return False


def verify(
    files: Mapping[str, str], timeout: float = TIMEOUT, superseded: Superseding = never
) -> Verdict:
    """Run the tests among ``files`` (texts by path) in a subprocess, in a folder of their own.

    Code that passed before is not run again. Nothing is left on disk but the cache's entry.
    Raises Superseded as soon as ``superseded`` says so.
    """
    tests = [path for path in files if path.startswith("tests/test_")]
    if not tests:
        return Verdict()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        return Verdict(problem=f"{names} not installed for {sys.executable}")
    key = identity(files, NEEDED)
    passed = _PASSED.recall(key)
    if passed is not None:
        return Verdict(passed, cached=True)
    verdict = _run(files, timeout, superseded)
    if verdict.ok:
        _PASSED.remember(key, verdict.passed)
    return verdict


def _run(files: Mapping[str, str], timeout: float, superseded: Superseding) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="notes2code-", ignore_cleanup_errors=True) as name:
        root = Path(name) / "generated"
        for path, text in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
        # The settings of a project around the staging folder must not count.
        settings, report, log = (Path(name) / n for n in ("pytest.ini", "report.xml", "log"))
        settings.write_text("[pytest]\n", encoding="utf-8")
        places = ("-c", str(settings), f"--rootdir={root}", f"--junitxml={report}", "tests")
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*_COMMAND, *_OPTIONS, *places],
                cwd=root,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            if not _ends(process, timeout, superseded):
                return Verdict(problem=f"its tests took longer than {timeout:g} seconds")
        return _verdict(report, log)


def _ends(process: subprocess.Popen[bytes], timeout: float, superseded: Superseding) -> bool:
    """Wait for the end of the tests; they are stopped, with what they started, when that takes too
    long, or when something comes between."""
    deadline = time.monotonic() + timeout
    try:
        while time.monotonic() < deadline:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)
                return True
            if superseded():
                raise Superseded
        return False
    finally:
        if process.poll() is None:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _environment() -> dict[str, str]:
    """The environment without what would change how the tests run, and with one thread: what they
    compute is small, and threads would wait for each other, above all where others compute too."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("PYTEST_", "PYTHON", "COV_"))}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1"}


def _verdict(report: Path, log: Path) -> Verdict:
    """The verdict in a report of pytest; without one, the end of what it printed."""
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        printed = log.read_text(encoding="utf-8", errors="replace").strip()
        return Verdict(problem=f"its tests could not be run: {printed[-_COLUMNS * _EXCERPT :]}")
    failures: list[Failure] = []
    passed = 0
    for case in cases:
        wrong = [found for found in case if found.tag in ("failure", "error")]
        failures += [Failure(_name(case), _excerpt(found), _places(found)) for found in wrong]
        passed += not wrong and case.find("skipped") is None
    if not cases:
        return Verdict(problem="its test files hold no tests")
    return Verdict(passed, tuple(failures))


def _name(case: ElementTree.Element) -> str:
    """The test as pytest names it; a test that a class inherits is named by that class."""
    name, parts = case.get("name", ""), case.get("classname", "").split(".")
    classes = [part for part in parts if part.startswith("Test")]
    file = "/".join(part for part in parts if part not in classes)
    return "::".join((f"{file}.py", *classes, name)) if file else name


def _places(failure: ElementTree.Element) -> tuple[tuple[str, int], ...]:
    """The places that a failure names: those of a traceback, and that of code which is no
    Python, which pytest names in full."""
    text = (failure.text or "").replace("\\", "/")
    return tuple((file, int(line)) for file, line in _PLACE.findall(text))


def _excerpt(failure: ElementTree.Element) -> str:
    """The lines of a failure that say what went wrong, and where."""
    text = (failure.text or failure.get("message") or "").split("\n")
    said = [line[1:].strip() for line in text if line.startswith("E ")]
    places = [line for line in text if line.startswith(("tests/", "tests\\"))]
    chosen = [*places[-1:], *said] if said else [line for line in text if line.strip()][-3:]
    return "\n".join(line[:_COLUMNS] for line in chosen[:_EXCERPT])
