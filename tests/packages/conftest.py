"""Packages made from a few formulas, and their tests run in this process."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.components.plan import Source, plan
from notes2code.emit.package import render
from notes2code.meaning.linking import Entry, Linker

Package = Mapping[str, str]


def package_of(formulas: Sequence[str]) -> Package:
    """The files of the package that a note with these formulas becomes."""
    known = library()
    entries = [Entry(latex, "Note.md", (), order) for order, latex in enumerate(formulas)]
    compiler = Compiler(Linker(entries, known.scope), known)
    compiled = [
        (compiler.compiled(entry), Source("Note.md", entry.order + 1, entry.latex))
        for entry in entries
    ]
    return render(plan(compiled, [], compiler), "transformer", "vault").files


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
        for name in [m for m in sys.modules if m.split(".")[0] in ("transformer", "checks")]:
            del sys.modules[name]
        path_before = list(sys.path)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = pytest.main(
                ["-q", "-x", "-p", "no:cacheprovider", "--rootdir", str(root),
                 "--import-mode=importlib", "-c", "/dev/null", str(root / "tests")]
            )  # fmt: skip
        sys.path[:] = path_before
        for name in [m for m in sys.modules if m not in kept]:
            if name.split(".")[0] in ("transformer", "checks", "tests"):
                del sys.modules[name]
        return code == pytest.ExitCode.OK

    yield run
