"""Runs the tests of a package that is not published yet."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from notes2code.cache import Remembered
from notes2code.verify.identity import ALL, identities
from notes2code.verify.reports import Case, Failure, NoReport, cases_in

TIMEOUT = 600
"""Seconds that the tests of a package may take."""

NEEDED = ("torch", "numpy", "pytest")
"""What the tests of a package import besides it."""

_COMMAND = (sys.executable, "-E", "-B", "-X", "utf8", "-m", "pytest", "-q", "--tb=short")
_OPTIONS = ("-p", "no:cacheprovider", "-o", "junit_family=xunit1", "--import-mode=importlib")
_PASSED = Remembered("verified", 50_000)
_EACH = 40
"""Tests, or classes of them, that are worth a process of their own: to start one takes a second."""
_NOT_FOUND = 4
"""What pytest ends with where there is no such test."""

_LOOK = 0.2
"""Seconds between two looks whether tests that run are of use still."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the tests of a package say.

    ``problem`` says why they could not be run, and is empty where they were. Of those that passed
    ``before`` were not run: they had passed for the same code.
    """

    passed: int = 0
    failures: tuple[Failure, ...] = ()
    problem: str = ""
    before: int = 0

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
    """Run the tests among ``files`` (texts by path) in processes, in a folder of their own.

    A test that passed before is not run again while the code that it comes by is the same. Nothing
    is left on disk but the cache's entries. Raises Superseded as soon as ``superseded`` says so.
    """
    if not any(path.startswith("tests/test_") for path in files):
        return Verdict()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        return Verdict(problem=f"{names} not installed for {sys.executable}")
    keys = identities(files, NEEDED)
    known = {test: n for test, key in keys.items() if (n := _PASSED.recall(key)) is not None}
    if ALL in known:
        return Verdict(known[ALL], before=known[ALL])
    # Also what no test comes by can keep the package from being imported: one test is run.
    left = [test for test in keys if test not in (ALL, *known)] or [*known][:1]
    before = sum(passed for test, passed in known.items() if test not in left)
    try:
        cases = _run(files, left, timeout, superseded) if left else None
        if cases is None:
            before, cases = 0, _run(files, [ALL], timeout, superseded) or []
    except NoReport as problem:
        return Verdict(problem=f"its tests {problem}")
    if not cases and not before:
        return Verdict(problem="its test files hold no tests")
    passed = before + sum(case.passed for case in cases)
    verdict = Verdict(passed, tuple(f for case in cases for f in case.failures), before=before)
    if keys:
        _remember(keys, cases, verdict)
    return verdict


def _remember(keys: Mapping[str, str], cases: Iterable[Case], verdict: Verdict) -> None:
    """Keep how many passed of each test that did not fail, and of all."""
    by_test: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_test[case.of].append(case)
    for test, of_test in by_test.items():
        if test in keys and not any(case.failures for case in of_test):
            _PASSED.remember(keys[test], sum(case.passed for case in of_test))
    if verdict.ok:
        _PASSED.remember(keys[ALL], verdict.passed)


def _run(
    files: Mapping[str, str], tests: Sequence[str], timeout: float, superseded: Superseding
) -> list[Case] | None:
    """The outcome of each test, or None where pytest does not know one of ``tests``. Raises
    NoReport, and Superseded."""
    with tempfile.TemporaryDirectory(prefix="notes2code-", ignore_cleanup_errors=True) as name:
        root = Path(name) / "generated"
        for path, text in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
        # The settings of a project around the staging folder must not count.
        (Path(name) / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        count = min(os.cpu_count() or 1, -(-len(tests) // _EACH))
        parts = [Path(name) / str(i) for i in range(count)]
        started: list[subprocess.Popen[bytes]] = []
        try:
            for i, part in enumerate(parts):
                started.append(_started(root, part, tests[i::count]))
            _wait(started, timeout, superseded)
        finally:
            for process in started:
                _kill(process)
        if any(process.returncode == _NOT_FOUND for process in started):
            return None
        return [case for part in parts for case in cases_in(part / "report.xml", part / "log")]


def _started(root: Path, part: Path, tests: Iterable[str]) -> subprocess.Popen[bytes]:
    """A process that runs some tests and writes its report, and what it prints, to a folder."""
    part.mkdir()
    arguments = part / "tests"
    arguments.write_text("\n".join(tests), encoding="utf-8")
    places = ("-c", str(root.parent / "pytest.ini"), f"--rootdir={root}", f"@{arguments}")
    with (part / "log").open("wb") as output:
        return subprocess.Popen(
            [*_COMMAND, *_OPTIONS, f"--junitxml={part / 'report.xml'}", *places],
            cwd=root,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait(
    started: Iterable[subprocess.Popen[bytes]], timeout: float, superseded: Superseding
) -> None:
    """Wait for the end of the tests. Raises NoReport when that takes too long, and Superseded."""
    deadline = time.monotonic() + timeout
    for process in started:
        while process.poll() is None:
            if superseded():
                raise Superseded
            if time.monotonic() > deadline:
                raise NoReport(f"took longer than {timeout:g} seconds")
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Stop a process that still runs, with what it started."""
    if process.poll() is not None:
        return
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
