"""Formulas as the note that holds them has their arrays: as others use, name and define these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from notes2code.components.compiled import Compiled
from notes2code.components.normal import normal_form
from notes2code.components.remarks import doubts_of, problems_of, unique
from notes2code.components.renewed import TooLong
from notes2code.components.unusual import unusual
from notes2code.diagnostics import Span, note
from notes2code.meaning import Typed
from notes2code.meaning.ir import Softmax
from notes2code.meaning.linking.defined_ranks import as_defined
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.used_ranks import (
    as_averaged,
    as_named,
    as_scores,
    as_used,
    takes_softmax,
)

if TYPE_CHECKING:
    from notes2code.components.compiling import Compiler


def in_context(compiler: Compiler, compiled: Compiled) -> Compiled:
    """A formula with its inputs as the note defines them, and what is to be said of that."""
    if compiled.status == "component":
        compiled = _of_all_scores(compiler, _of_defined_numbers(compiler, compiled))
    for read in (_as_used, _as_named, _as_averaged, _as_defined):
        if compiled.status == "formula":
            compiled = read(compiler, compiled)
    return compiled


def _as_used(compiler: Compiler, compiled: Compiled) -> Compiled:
    """A formula as those behind it use what it makes."""
    entry, own = compiled.entry, compiler.alone[compiled.entry]
    behind = _using(compiler, entry, compiler.linker.formulas.behind(entry))
    return _kept(compiler, compiled, as_used(compiler.linker, entry, own, behind))


def _as_named(compiler: Compiler, compiled: Compiled) -> Compiled:
    """A formula as those beside it name the same."""
    entry, own = compiled.entry, compiler.alone[compiled.entry]
    beside = _using(compiler, entry, compiler.linker.formulas.beside(entry))
    return _kept(compiler, compiled, as_named(compiler.linker, entry, own, beside))


def _as_averaged(compiler: Compiler, compiled: Compiled) -> Compiled:
    """A formula with vectors for what the weights of the note average."""
    entry, own = compiled.entry, compiler.alone[compiled.entry]

    def is_softmax(made: Entry, values: str) -> bool:
        """Whether a definition is a softmax, which may be written out, and of other numbers than
        these values."""
        equation = compiler.equation(made)
        if equation is None or any(given.name == values for given in equation.inputs):
            return False
        try:
            return isinstance(normal_form(equation).body, Softmax)
        except (TooLong, RecursionError):
            return False

    return _kept(compiler, compiled, as_averaged(compiler.linker, entry, own, is_softmax))


def _kept(compiler: Compiler, compiled: Compiled, typed: Typed) -> Compiled:
    """A formula read so, which is what others meet of it from then on."""
    if typed is compiler.alone[compiled.entry]:
        return compiled
    compiler.alone[compiled.entry] = typed
    return _retyped(compiler, compiled, typed)


def _of_defined_numbers(compiler: Compiler, compiled: Compiled) -> Compiled:
    """A component, unless what would be an array in it is a number, as the note defines it: the
    ``s q`` of ``s = \\max |x| / 127`` is no product of keys and a query."""
    own = compiler.alone[compiled.entry]
    typed = as_defined(compiler.linker, compiled.entry, own, compiler.equation)
    if typed.equation is None or own.equation is None:
        return compiled
    numbers = {given.name for given in typed.equation.inputs if not given.shape}
    defined = compiler.linker.formulas.nearest(compiled.entry, sorted(numbers), "arrays", within=1)
    numbers.intersection_update(defined)  # the γ of γ x̂_i + β is as it is beside all of x̂
    if all(given.name not in numbers for given in own.equation.inputs if given.shape):
        return compiled
    return _retyped(compiler, replace(compiled, status="formula", recognised=None), typed)


def _of_all_scores(compiler: Compiler, compiled: Compiled) -> Compiled:
    """The score of one row q and one row k, ``w = q k^\\top / \\sqrt{d}``, as those of all of
    them, where a formula behind it takes their softmax."""
    entry, equation = compiled.entry, compiled.equation
    if compiled.recognised is None or equation is None or equation.value.indices:
        return compiled
    behind = map(compiler.by_itself, compiler.linker.formulas.behind(entry))
    if not any(takes_softmax(other.equation, equation.name) for other in behind):
        return compiled
    typed = as_scores(compiler.linker, entry, compiler.alone[entry])
    if typed.equation is None:
        return compiled
    found = compiler.recognised(entry, typed.equation, {}, frozenset())
    if found is None or found.component is not compiled.recognised.component:
        return compiled
    compiler.alone[entry] = typed
    text = f"`{equation.name}` is taken for the scores of all rows, since their softmax is taken"
    told = note("N2C039", text, Span(0, len(entry.latex)), "write `Q` and `K` for all rows")
    problems = unique([*compiled.problems, told])
    return replace(compiled, equation=found.equation, recognised=found, problems=problems)


def _retyped(compiler: Compiler, compiled: Compiled, typed: Typed) -> Compiled:
    """A plain formula read another way, and what is to be said of that; joined heads that are
    vectors only so are a component."""
    entry = compiled.entry
    if typed.equation is None:
        return Compiled(entry, "rejected", None, None, typed.problems)
    problems = problems_of(compiler, entry, typed, ())
    found = compiler.recognised(entry, typed.equation, {}, frozenset())
    if found is not None and found.form.of_heads:
        problems.extend(unusual(found, entry, compiler.library))
        return Compiled(entry, "component", found.equation, found, unique(problems))
    problems += doubts_of(compiler, entry, typed, typed.equation)
    return replace(compiled, equation=typed.equation, problems=unique(problems))


def _using(
    compiler: Compiler, entry: Entry, others: Iterable[Entry]
) -> Iterator[tuple[Entry, Typed]]:
    """Those of other formulas that name what a formula defines."""
    parsed = compiler.linker.formulas.parsed
    for other in others:
        mentioned = parsed[other].mentioned - parsed[other].arrays
        if mentioned & parsed[entry].arrays:
            compiler.by_itself(other)
            if other in compiler.alone and compiler.alone[other].equation is not None:
                yield other, compiler.alone[other]


def _as_defined(compiler: Compiler, compiled: Compiled) -> Compiled:
    """A formula with its inputs as others define them."""
    entry = compiled.entry
    own = compiler.alone[entry]
    typed = as_defined(compiler.linker, entry, own, compiler.equation)
    return compiled if typed is own else _retyped(compiler, compiled, typed)
