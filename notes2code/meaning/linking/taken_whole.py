"""Formulas that take an array otherwise than another formula of the section defines it: all of
what is defined at some places only, or one number of several.

Where both are read as one, the range of the first follows from the second. By itself, as a function
that is given the array, it takes what is not a number with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from notes2code.diagnostics import Problem, Span, warning
from notes2code.meaning import ir
from notes2code.meaning.inference.indices.partial import condition_of
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker


def taken_whole(
    linker: Linker,
    entry: Entry,
    equation: ir.Equation,
    equation_of: Callable[[Entry], ir.Equation | None],
) -> Iterator[Problem]:
    """A warning for each input of which a formula takes more than its section defines.
    ``equation_of`` gives what a formula computes, if that is known."""
    given = sorted(one.name for one in equation.inputs if one.shape)
    for name, others in linker.formulas.nearest(entry, given, "arrays", within=0).items():
        made = equation_of(others[0])
        if made is None or condition_of(made.value.body) is None:
            continue
        if any(_goes_over(body, name) for body in _bodies(equation)):
            yield warning(
                "N2C036",
                f"the note says of some places only what `{name}` is, and this takes all of it",
                Span(0, len(entry.latex)),
                "write the range here too, such as `\\sum_{j \\le i}`, or define it everywhere "
                "with `\\begin{cases}`",
            )


def one_of_several(linker: Linker, entry: Entry, equation: ir.Equation) -> Iterator[Problem]:
    """A warning for each number of which the section says what several are, by an index that this
    formula does not have: the θ of ``x \\cos θ`` beside ``θ_i = b^{-2i/d}``."""
    seen = linker.formulas.parsed[entry].seen
    numbers = [one.name for one in equation.inputs if one.kind == "array" and not one.shape]
    given = sorted(set(numbers) - {*equation.parameters})
    for name, others in linker.formulas.nearest(entry, given, "arrays", within=0).items():
        indexed = linker.formulas.indexed(entry, others[0], name)
        alone = seen is not None and seen.written.get(name) == {0}
        if alone and indexed is not None and indexed.letters and others[0] is not entry:
            letter = min(indexed.letters)
            yield warning(
                "N2C035",
                f"`{name}` is one number here, and the note defines it for each `{letter}`",
                Span(0, len(entry.latex)),
                f"write its index here too, or say that `{name}` is the vector of them",
            )


def _bodies(equation: ir.Equation) -> list[ir.Expr]:
    return [equation.value.body, *(one.array.body for one in equation.definitions)]


def _goes_over(body: ir.Expr, name: str) -> bool:
    """Whether something goes over all of an axis of an array."""
    for part in ir.walk(body):
        bound = {*ir.bound_indices(part)}
        if bound and getattr(part, "where", None) is None:
            refs = (r for r in ir.walk(part) if isinstance(r, ir.Ref) and r.array == name)
            if any(not bound.isdisjoint(ir.free_indices(ref)) for ref in refs):
                return True
    return False
