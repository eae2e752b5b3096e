"""Tries mistakes on the tests of a package, one at a time.

The tests are collected and run once, to see which functions each of them calls. Then, for each
mistake, a child process puts the function that has it in the place of the right one, and runs the
tests that call it until one fails: first those that are quick and have noticed many mistakes there.
"""

from __future__ import annotations

import gc
import inspect
import math
import os
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import pytest
import torch

from mutants import Mutant

MEMORY = 2 * 2**30  # of a child


def replaced(modules: Mapping[str, str], module: str, mistake: Mapping[str, str]) -> Mutant:
    """A module (of texts by file name) with a mistake that is listed."""
    find, put = mistake["find"], mistake["put"]
    text = modules[f"{module}.py"]
    if find not in text:
        raise ValueError(f"`{find}` is not in {module}.py")
    return Mutant(f"{module}.py", "", find, put, text.replace(find, put))


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
        self.looking: set[pytest.Item] = set()
        # Which test each child is at, and how often each was the last for mistakes of a function.
        self.at = RawArray("l", len(tried))
        self.noticed: Counter[tuple[str, str, pytest.Item]] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        torch.set_num_threads(1)  # those of a parent are not in a child, which would wait for them
        for item in session.items:
            start, before = time.process_time(), _seconds_of_children()
            with Calls(self.package) as calls:
                self._passes(item)
            self.seconds[item] = time.process_time() - start
            if _seconds_of_children() > before:
                continue  # other processes have the package as it is on disk
            if not calls:  # but may look at a signature
                self.looking.add(item)
            for module, name in calls:
                self.calling[module, ""].add(item)
                while name:  # what calls a method tests its class too
                    self.calling[module, name].add(item)
                    name = name.rpartition(".")[0]
        if self.failed:
            raise pytest.UsageError("the tests must pass before anything is broken")
        gc.freeze()  # what the children share with this process need not be looked at in each
        self._replace_nothing()
        self.items = session.items
        running: dict[int, int] = {}
        for number in range(len(self.tried)):
            if len(running) == len(os.sched_getaffinity(0)):
                self._wait(running)
            running[self._fork(self.tried[number], number)] = number
        while running:
            self._wait(running)
        return True

    def _replace_nothing(self) -> None:
        """Modules that are put in their own place still pass."""
        for module in dict.fromkeys(mutant.module for mutant in self.tried):
            right = Mutant(module, "", "", "", (self.package / module).read_text("utf-8"))
            if os.waitpid(self._fork(right), 0)[1]:
                raise pytest.UsageError(f"{module} fails when it is put in its own place")

    def _passes(self, item: pytest.Item) -> bool:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed

    def _fork(self, mutant: Mutant, number: int | None = None) -> int:
        """A child process; its exit code is 0 if the mutant survives."""
        child = os.fork()
        if child:
            return child
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        code = 1
        try:
            code = 0 if self._survives(mutant, number) else 1
        finally:
            os._exit(code)

    def _survives(self, mutant: Mutant, number: int | None) -> bool:
        if mutant.decorator:
            return True  # is tried in a copy
        install(sys.modules[f"transformer.{mutant.module.removesuffix('.py')}"], mutant.source)
        place = mutant.module, mutant.where
        own = f"test_{mutant.module}"

        def cost(test: pytest.Item) -> float:
            """Its time, for each mistake that it is likely to notice."""
            likely = self.noticed[*place, test] + (0.1 if test.path.name == own else 0.01)
            return (0.01 + self.seconds[test]) / likely

        # What nothing calls, such as the defaults of a dataclass, shows in any test of the module.
        tests = self.calling[place] or self.calling[mutant.module, ""]
        tests = tests | {test for test in self.looking if test.path.name == own}
        for test in sorted(tests, key=cost):
            if number is not None:
                self.at[number] = self.items.index(test)
            most = math.ceil(time.process_time() + 5 + 10 * self.seconds[test])
            resource.setrlimit(resource.RLIMIT_CPU, (most, -1))  # it may be an endless loop
            if not self._passes(test):
                return False
        return True

    def _wait(self, running: dict[int, int]) -> None:
        child, status = os.wait()
        number = running.pop(child)
        mutant = self.tried[number]
        if status == 0:
            self.survivors.append(mutant)
        else:
            self.noticed[mutant.module, mutant.where, self.items[self.at[number]]] += 1


def _seconds_of_children() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


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
