"""Letters of arrays that are taken to be numbers: the author is told, in one remark a formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from notes2code.diagnostics import Problem, ProblemError, Span, note
from notes2code.latex.tree import Name
from notes2code.meaning import ir, names
from notes2code.meaning.inference import letters
from notes2code.meaning.inference.run import Run
from notes2code.meaning.ir import Equation
from notes2code.meaning.overview.survey import Survey


def told(
    run: Run, equation: Equation, read_with: Callable[[Survey], Equation]
) -> Iterator[Problem]:
    """The remark, if there is something to tell. ``read_with`` a survey gives what the formula is
    by that."""
    for written, span in run.vectors.items():
        text = f"`{written}` is taken to be a vector"
        yield note("N2C039", text, span, "declare its shape if it is a matrix")
    taken = {
        **run.numbers,
        **dict(_sizes(run, equation)),
        **dict(_subtracted(run, equation)),
        **dict(_guessed(run, equation, read_with)),
    }
    *others, last = sorted(taken, key=lambda written: taken[written].start) or [""]
    if others:
        text = f"{', '.join(f'`{x}`' for x in others)} and `{last}` are taken to be numbers"
        yield note("N2C039", text, taken[others[0]], "declare the shape of one that is an array")
    elif last:
        text, hint = f"`{last}` is taken to be a number", "declare its shape if it is an array"
        yield note("N2C039", text, taken[last], hint)


def _guessed(
    run: Run, equation: Equation, read_with: Callable[[Survey], Equation]
) -> Iterator[tuple[str, Span]]:
    """What is a number by a rule for letters alone: without it, the formula is one of arrays."""
    ranks = {given.name: len(given.shape) for given in equation.inputs}
    counted = run.seen.counted
    numbers = {name for name in run.seen.guessed if ranks.get(name) in counted.get(name, ())}
    guessed = {name for name in numbers if names.element_ranks(name, 0, False, False)[0]}
    if not guessed:
        return
    without = replace(run.seen.anew(), quantities=run.seen.quantities - guessed)
    with suppress(ProblemError):  # there is no other reading
        others = {given.name: len(given.shape) for given in read_with(without).inputs}
        for symbol in run.symbols.values():
            if symbol.name in guessed and others.get(symbol.name, 0) > ranks[symbol.name]:
                yield symbol.written, symbol.span


def _sizes(run: Run, equation: Equation) -> Iterator[tuple[str, Span]]:
    """The D of ``6 N D``, which counts the features of nothing there; no axis is declared with it,
    and it divides nothing."""
    axes = {axis for shape in run.shapes.values() for axis in shape.axes} | run.seen.sizes
    sizes = {given.name for given in equation.inputs if given.kind == "size"}
    if "D" in sizes - axes and not letters.divides(run, "D"):
        yield from islice(_written(run, "D"), 1)


def _subtracted(run: Run, equation: Equation) -> Iterator[tuple[str, Span]]:
    """The m of ``e^{S - m}`` with a matrix S, whose rows may have an m each."""
    numbers = {given.name for given in equation.inputs if given.kind == "array" and not given.shape}
    if not numbers:
        return
    arrays = [one.array for one in equation.definitions] + [equation.value]
    for part in (part for array in arrays for part in ir.walk(array.body)):
        match part:
            case ir.Fn("exp", (ir.Add(terms),)) if any(map(_is_of_matrix, terms)):
                refs = (inner for term in terms for inner in ir.walk(term))
                taken = {ref.array for ref in refs if isinstance(ref, ir.Ref)} & numbers
                for name in sorted(taken - run.shapes.keys()):
                    yield from islice(_written(run, name), 1)


def _written(run: Run, name: str) -> Iterator[tuple[str, Span]]:
    """How and where an input is written."""
    if name in run.symbols:
        yield run.symbols[name].written, run.symbols[name].span
    yield from ((one.text, one.span) for one in run.seen.nodes.of(Name) if one.text == name)


def _is_of_matrix(term: ir.Expr) -> bool:
    return isinstance(term, ir.Ref) and len(term.at) > 1
