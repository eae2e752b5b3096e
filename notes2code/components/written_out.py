"""The ways in which a formula is written out with the note's definitions, of which one may make it
a component: all of them, those that no class of its own is made of, only the pieces of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from notes2code.components.recognise import Recognised
from notes2code.meaning import Typed
from notes2code.meaning.ir import Ref, walk
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import MAX_CHAIN, Linked

if TYPE_CHECKING:
    from notes2code.components.compiling import Compiler

Way = tuple[Typed, tuple[Entry, ...]]
"""A formula with definitions written out, and whose they are."""


def written_out(
    compiler: Compiler, entry: Entry, found: Linked, alone: Recognised | None
) -> Iterator[Way]:
    """A formula with definitions of the note, the likeliest first; ``alone`` is what it is without
    them."""
    ways = (
        _updated(compiler, entry, found),
        found.together,
        _apart(compiler, entry, found, alone),
        () if alone is not None and not is_layer(alone) else _peeled(compiler, entry, found),
    )
    for typed, uses in chain.from_iterable(ways):
        if not _biases(compiler, uses, alone):
            yield typed, uses


def is_layer(recognised: Recognised | None) -> bool:
    """Whether a component is a layer, or a part of one."""
    return recognised is not None and recognised.component.family == "layers"


def _updated(compiler: Compiler, entry: Entry, found: Linked) -> Iterator[Way]:
    """The formula behind those that make the same array anew, step by step."""
    before = compiler.linker.updates_before(entry)
    typed = compiler.linker.together(entry, found.own, before) if before else None
    if typed is not None and typed.equation is not None:
        yield typed, before


def _apart(
    compiler: Compiler, entry: Entry, found: Linked, alone: Recognised | None
) -> Iterator[Way]:
    """The formula with its definitions, but for those that classes of their own are made of, which
    other components are built from, or which give what is added to the scores."""
    for uses in compiler.linker.linked(entry):
        apart = [use for use in uses if compiler.piece_of(use) in compiler.library.defined]
        apart += _biases(compiler, uses, alone)
        rest = _without(compiler, entry, uses, apart)
        for names in (frozenset[str](), compiler.arrays(apart)) if apart else ():
            typed = compiler.linker.together(entry, found.own, rest, names)
            if typed is not None and (names or rest):
                yield typed, rest


def _peeled(compiler: Compiler, entry: Entry, found: Linked) -> Iterator[Way]:
    """The formula with the definitions that are pieces of a component, such as its scores, and
    without those of what these are made of: the ``h_i = [f_i; g_i]`` of ``e_{ti} = v^\\top
    \\tanh(W s_t + U h_i)`` is given, and so is the ``X = E + P`` that a layer gets."""
    for _, uses in found.together:
        while any(compiler.piece_of(use) or is_layer(compiler.known(use)) for use in uses):
            inner = tuple(use for use in uses if _refers(compiler, use, uses))
            if inner in ((), uses):
                break
            uses = inner
            typed = compiler.linker.together(entry, found.own, uses)
            if typed is not None:
                yield typed, uses


def _refers(compiler: Compiler, entry: Entry, others: Iterable[Entry]) -> bool:
    """Whether a formula names what one of some others defines."""
    parsed = compiler.linker.formulas.parsed
    named = parsed[entry].mentioned - parsed[entry].arrays
    return any(parsed[other].arrays & named for other in others)


def _without(
    compiler: Compiler, entry: Entry, uses: Sequence[Entry], apart: Sequence[Entry]
) -> tuple[Entry, ...]:
    """A formula's definitions without some of them, and without what only these refer to."""
    parsed, left_out, rest = compiler.linker.formulas.parsed, [*apart], [*uses]
    while left_out:
        rest = [use for use in rest if use not in left_out]
        named = {name for other in left_out for name in parsed[other].mentioned}
        left_out = [
            use
            for use in rest
            if parsed[use].arrays & named
            and not any(
                parsed[use].arrays & parsed[other].mentioned
                for other in (entry, *rest)
                if other is not use
            )
        ]
    return tuple(rest)


def _biases(compiler: Compiler, uses: Sequence[Entry], alone: Recognised | None) -> list[Entry]:
    """Those of a formula's definitions that become classes of their own which give an attention
    what it, or another definition, such as that of its heads, adds to the scores."""
    if len(compiler.reading) > MAX_CHAIN:
        return []
    known = [found for other in uses if (found := compiler.known(other)) is not None]
    masks = [one.settings.get("mask") for one in (alone, *known) if one is not None]
    bodies = [mask.body for mask in masks if mask is not None]
    added = {part.array for body in bodies for part in walk(body) if isinstance(part, Ref)}
    parsed = compiler.linker.formulas.parsed
    return [
        other
        for other in (uses if added else ())
        if (found := compiler.known(other)) is not None
        and found.component.family == "positions"
        and found.equation.name in added
        and parsed[other].arrays & added == {found.equation.name}
    ]
