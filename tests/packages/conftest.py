"""Running the tests of a rendered package in this process, and importing it."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

from building import Package

_OWN = ("transformer", "checks", "formulas", "conftest", "tests")
"""Modules of a rendered package and its tests; ours of the same names step aside meanwhile."""


@pytest.fixture
def run_tests(tmp_path: Path) -> Iterator[Callable[[Package], bool]]:
    """A function that writes a package and says whether its tests pass."""
    number = 0

    def run(files: Package) -> bool:
        nonlocal number
        number += 1
        root = tmp_path / f"package{number}"
        for path, text in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        kept = dict(sys.modules)
        for name in [m for m in sys.modules if m.split(".")[0] in _OWN]:
            del sys.modules[name]
        torch.compiler.reset()  # what was compiled is of another package's modules
        path_before = list(sys.path)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = pytest.main(
                ["-q", "-x", "-p", "no:cacheprovider", "--rootdir", str(root),
                 "--import-mode=importlib", "-c", "/dev/null", str(root / "tests")]
            )  # fmt: skip
        sys.path[:] = path_before
        for name in [m for m in sys.modules if m.split(".")[0] in _OWN]:
            del sys.modules[name]
        sys.modules.update({name: m for name, m in kept.items() if name.split(".")[0] in _OWN})
        if code != pytest.ExitCode.OK:
            print(said.getvalue()[-2000:])
        return code == pytest.ExitCode.OK

    yield run


@pytest.fixture
def imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Package], ModuleType]]:
    """A function that gives the module of a package."""

    def forget() -> None:
        for name in [name for name in sys.modules if name.split(".")[0] == "transformer"]:
            del sys.modules[name]

    def load(files: Package) -> ModuleType:
        for path, text in files.items():
            (tmp_path / "made" / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "made" / path).write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path / "made")
        forget()
        return importlib.import_module("transformer")

    yield load
    forget()
