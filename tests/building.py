"""Packages made from a few formulas, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.components.parts import Source
from notes2code.components.plan import plan
from notes2code.emit.package import render
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker

Package = Mapping[str, str]


def package_of(formulas: Sequence[str], name: str = "transformer") -> Package:
    """The files of the package that a note with these formulas becomes."""
    known = library()
    entries = [Entry(latex, "Note.md", (), order) for order, latex in enumerate(formulas)]
    compiler = Compiler(Linker(entries, known.scope), known)
    compiled = [
        (compiler.compiled(entry), Source("Note.md", entry.order + 1, entry.latex))
        for entry in entries
    ]
    return render(plan(compiled, [], compiler), name, "vault").files


def warnings_of(formulas: Sequence[str]) -> list[str]:
    """The codes of what is said about the formulas of one note."""
    known = library()
    entries = [Entry(latex, "Note.md", (), order) for order, latex in enumerate(formulas)]
    compiler = Compiler(Linker(entries, known.scope), known)
    return [problem.code for entry in entries for problem in compiler.compiled(entry).problems]


def without_training(files: Package) -> Package:
    """A package without the tests of its training, which take the longest and are the same for
    other layers."""
    return {path: text for path, text in files.items() if path != "tests/test_train.py"}
