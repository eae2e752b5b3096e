"""Running the tests of a rendered package, and importing it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from building import Package
from emitted_tests import passes, written
from notes2code.verify.identity import identities

_PASSED: set[str] = set()
"""The keys of tests that passed."""


@pytest.fixture
def run_tests(tmp_path: Path) -> Callable[..., bool]:
    """A function that writes a package and says whether its tests pass, those that have not passed
    as they are for another package, or those that options of pytest choose."""
    number = 0

    def run(files: Package, *options: str) -> bool:
        nonlocal number
        number += 1
        root = written(files, tmp_path / f"package{number}")
        if options:
            return passes(root, options=options)
        keys = identities(files, ())  # none of broken code; the first one is that of all
        left = [test for test, key in keys.items() if key not in _PASSED]
        if (left or not keys) and not passes(root, options=left[1:] or [*keys][1:2]):
            return False
        _PASSED.update(keys.values())
        return True

    return run


@pytest.fixture
def imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Package], ModuleType]]:
    """A function that gives the module of a package; ours of that name steps aside meanwhile."""

    def taken() -> dict[str, ModuleType]:
        names = [name for name in sys.modules if name.split(".")[0] == "transformer"]
        return {name: sys.modules.pop(name) for name in names}

    def load(files: Package) -> ModuleType:
        taken()
        monkeypatch.syspath_prepend(written(files, tmp_path / "made"))
        return importlib.import_module("transformer")

    ours = taken()
    yield load
    taken()
    sys.modules.update(ours)
