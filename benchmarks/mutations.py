"""How many mistakes in the generated package its own tests notice: a mutation score.

    PYTHONPATH=. python benchmarks/mutations.py [--package DIR] [--module NAME] [--every N]

The mistakes are three kinds of edits of the package's modules, one at a time: those that every
Transformer's tests must catch (``must_kill.toml``), those that the components list as typical of
them (``mistakes.toml``, where they fit), and what the operators of ``mutants.py``
make of each function. A mistake is caught when one of the package's own tests fails. One that
changes nothing that can be told is listed in ``equivalent_mutants.toml``, with the reason. The
exit code is 1 if any other survives, or if one that is listed is caught.

The tests are collected and run once, to see which functions each of them calls. Then, for each
mistake, a child process puts the function that has it in the place of the right one, and runs the
tests that call it, the quickest first, until one fails. What survives is tried again as a user
would: with all tests, in a copy of the package.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import inspect
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import pytest
from mutants import Mutant, mutants

HERE = Path(__file__).parent
CPU_SECONDS, MEMORY = 60, 16 * 2**30  # of a child; a mistake can be an endless loop


def named(modules: Mapping[str, str]) -> Iterator[Mutant]:
    """The mistakes that are listed by what they are: replacements in a whole module."""
    for mistake in _mistakes(HERE / "must_kill.toml"):
        if mistake["find"] not in modules[f"{mistake['module']}.py"]:
            raise ValueError(f"`{mistake['find']}` is not in {mistake['module']}.py")
        yield _replaced(modules, mistake["module"], mistake)
    for path in sorted(HERE.parent.glob("notes2code/components/library/*/mistakes.toml")):
        family = tomllib.loads((path.parent / "component.toml").read_text("utf-8"))["family"]
        for mistake in _mistakes(path):
            module = mistake.get("module", family)
            if mistake["find"] in modules.get(f"{module}.py", ""):
                yield _replaced(modules, module, mistake)


def _mistakes(path: Path) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = tomllib.loads(path.read_text(encoding="utf-8"))["mistakes"]
    return listed


def _replaced(modules: Mapping[str, str], module: str, mistake: Mapping[str, str]) -> Mutant:
    find, put = mistake["find"], mistake["put"]
    source = modules[f"{module}.py"].replace(find, put)
    return Mutant(f"{module}.py", "", find, put, source)


class Calls:
    """Which functions of a package a test calls: their modules and names."""

    def __init__(self, package: Path) -> None:
        self.package = f"{package}{os.sep}"
        self.made: set[tuple[str, str]] = set()

    def __enter__(self) -> set[tuple[str, str]]:
        self.made = set()
        sys.settrace(self._call)
        return self.made

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.package):
            name = code.co_qualname.replace(".<locals>", "")
            self.made.add((code.co_filename.removeprefix(self.package), name))


class Trial:
    """A pytest plugin that, once the tests are collected, tries all mutants on them."""

    def __init__(self, package: Path, tried: Sequence[Mutant]) -> None:
        self.package, self.tried = package, tried
        self.failed = False
        self.survivors: list[Mutant] = []
        self.seconds: dict[pytest.Item, float] = {}
        self.calling: dict[tuple[str, str], set[pytest.Item]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            start = time.process_time()
            with Calls(self.package) as calls:
                self._passes(item)
            self.seconds[item] = time.process_time() - start
            for module, name in calls:
                self.calling[module, ""].add(item)
                while name:  # what calls a method tests its class too
                    self.calling[module, name].add(item)
                    name = name.rpartition(".")[0]
        if self.failed:
            raise pytest.UsageError("the tests must pass before anything is broken")
        gc.freeze()  # what the children share with this process need not be looked at in each
        running: dict[int, Mutant] = {}
        for mutant in self.tried:
            if len(running) == len(os.sched_getaffinity(0)):
                self._wait(running)
            running[self._fork(mutant)] = mutant
        while running:
            self._wait(running)
        return True

    def _passes(self, item: pytest.Item) -> bool:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed

    def _fork(self, mutant: Mutant) -> int:
        """A child process; its exit code is 0 if the mutant survives."""
        child = os.fork()
        if child:
            return child
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        code = 1
        try:
            code = 0 if self._survives(mutant) else 1
        finally:
            os._exit(code)

    def _survives(self, mutant: Mutant) -> bool:
        if mutant.decorator:
            return True  # is tried in a copy
        install(sys.modules[f"transformer.{mutant.module.removesuffix('.py')}"], mutant.source)
        tests = self.calling[mutant.module, mutant.where]
        own = f"test_{mutant.module}"
        quickest = sorted(tests, key=lambda t: (t.path.name != own, self.seconds[t]))
        return all(self._passes(test) for test in quickest)

    def _wait(self, running: dict[int, Mutant]) -> None:
        child, status = os.wait()
        mutant = running.pop(child)
        if status == 0:
            self.survivors.append(mutant)


def install(module: ModuleType, source: str) -> None:
    """Put what a source says into the functions and classes of a module that is in use."""
    made = ModuleType(module.__name__)
    made.__dict__.update(__package__=module.__package__, __file__=module.__file__)
    exec(compile(source, str(module.__file__), "exec", dont_inherit=True), made.__dict__)
    _install(module, made)


def _install(old: Any, new: Any) -> None:
    if isinstance(new, type):
        for name in vars(old).keys() - vars(new).keys():
            delattr(old, name)
    for name, value in list(vars(new).items()):
        before = vars(old).get(name)
        if isinstance(value, type) and value.__module__ == new.__name__:
            _install(before, value)
            continue
        was, now = _function(before), _function(value)
        if was is not None and now is not None:
            if now.__code__.co_freevars == was.__code__.co_freevars:
                was.__code__ = now.__code__
            else:  # without super(), a method does not hold its class
                was = FunctionType(now.__code__, was.__globals__, name)
                setattr(old, name, was)
            was.__defaults__, was.__kwdefaults__ = now.__defaults__, now.__kwdefaults__
        elif isinstance(value, bool | int | float | str) and before != value:
            setattr(old, name, value)


def _function(value: object) -> FunctionType | None:
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, FunctionType) else None


def in_a_copy(folder: Path, package: str, mutant: Mutant) -> bool:
    """Whether a mutant survives all tests, in a copy of the package."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "copy"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / package / mutant.module).write_text(mutant.source, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "tests"]
        return subprocess.run(command, cwd=copy, capture_output=True, check=False).returncode == 0


class Equivalents:
    """The mutants that change nothing that can be told, each with the reason."""

    def __init__(self) -> None:
        text = (HERE / "equivalent_mutants.toml").read_text(encoding="utf-8")
        self.listed = {
            (entry["module"], where, was, now)
            for entry in tomllib.loads(text).get("mutants", [])
            for where in entry["where"]
            for was, nows in entry["edits"].items()
            for now in nows
        }

    def __contains__(self, mutant: Mutant) -> bool:
        return _key(mutant) in self.listed


def _key(mutant: Mutant) -> tuple[str, str, str, str]:
    return mutant.module, mutant.where, mutant.was, mutant.now


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--package", type=Path, default=HERE.parent / "generated")
    parser.add_argument("--module", help="only this module, such as masks")
    parser.add_argument("--every", type=int, default=1, help="only every Nth of the operators'")
    options = parser.parse_args()
    folder: Path = options.package.resolve()
    package = folder / "transformer"
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(package.glob("*.py"))}
    by_name = list(named(texts))
    generic = [
        mutant
        for name, text in texts.items()
        for mutant in mutants(name, text)
        if mutant.source != text
    ]
    chosen = {mutant.source: mutant for mutant in (*generic[:: options.every], *by_name)}
    tried = [
        mutant
        for mutant in chosen.values()
        if options.module in (None, mutant.module.removesuffix(".py"))
    ]
    start = time.perf_counter()
    trial = Trial(package, tried)
    # In the folder of the tests, so that no settings but theirs count.
    os.chdir(folder)
    arguments = ["-s", "-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", "tests"]
    code = pytest.main(arguments, plugins=[trial])
    if code != pytest.ExitCode.OK:
        return int(code)
    return report(trial, folder, len(by_name), time.perf_counter() - start, texts)


def report(
    trial: Trial, folder: Path, by_name: int, seconds: float, texts: Mapping[str, str]
) -> int:
    """Print what became of the mutants; gives the exit code."""
    equivalents = Equivalents()
    equal = [mutant for mutant in trial.survivors if mutant in equivalents]
    unknown = [
        mutant
        for mutant in trial.survivors
        if mutant not in equivalents and in_a_copy(folder, "transformer", mutant)
    ]
    counts = Counter(mutant.module for mutant in trial.tried)
    for module, count in counts.items():
        left = sum(mutant.module == module for mutant in unknown)
        same = sum(mutant.module == module for mutant in equal)
        print(f"{module:20} {count - left - same:5} killed {same:4} equivalent {left:4} survived")
    for mutant in unknown:
        diff = difflib.unified_diff(
            texts[mutant.module].splitlines(),
            mutant.source.splitlines(),
            mutant.where,
            mutant.module,
            n=1,
            lineterm="",
        )
        print("", *diff, sep="\n")
    killed = [mutant for mutant in trial.tried if mutant not in trial.survivors]
    wrong = [mutant for mutant in killed if mutant in equivalents]
    for mutant in wrong:
        print(f"\nlisted as equivalent, but killed: {_key(mutant)}")
    total = len(trial.tried) - len(equal)
    print(
        f"\n{len(trial.tried)} mutants, {by_name} of them by name; {len(equal)} equivalent;"
        f" score {total - len(unknown)}/{total} in {seconds:.0f} s"
    )
    return 1 if unknown or wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
