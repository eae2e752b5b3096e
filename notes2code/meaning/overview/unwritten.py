"""Indices that are not written: μ in ``μ = \\frac{1}{d} Σ_j x_{ij}`` is the number of row i, and
``x_{ij} - μ`` takes it off the elements of that row."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from notes2code.diagnostics import Span
from notes2code.latex.tree import Accent, Big, Juxt, Name, Node, Script, children, rebuilt, walk
from notes2code.meaning import names
from notes2code.meaning.notation import binders, left_hand_sides, positions, script_reader, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement

Unwritten = Mapping[str, tuple[str, ...]]
"""The letters that names have as indices, without writing them, wherever these are at hand."""


def found(
    stated: Sequence[Statement], seen: Survey, known: Unwritten
) -> dict[str, tuple[str, ...]]:
    """The names that statements define without the indices that their values leave loose, as they
    do that of ``μ = \\frac{1}{d} Σ_j x_{ij}``. So do numbers made of these: ``σ = \\sqrt{σ^2}``."""
    made: dict[str, tuple[str, ...]] = {}
    for define in (s for s in stated if isinstance(s, Define)):
        name = _plain(define.target)
        if not name or name in seen.steps or seen.counted.get(name, {0}) != {0}:
            continue
        letters = _loose(define, seen)
        if not letters:
            both = {**known, **made}
            if not both:
                continue
            inside = {own for value in define.values for own in _all_plain(value)}
            others = {own: key(own, both) for own in sorted(inside) if key(own, both)}
            letters = dict.fromkeys(x for own in others.values() for x in both[own])
            if not _are_numbers(seen, define.values, others.keys()):
                continue
        bigs = [n for value in define.values for n in walk(value) if isinstance(n, Big)]
        if any(big.sub is None for big in bigs):
            continue  # Σ α_i g_i adds up over i
        summed = {x for value in define.values for x in binders.counting_letters(value)}
        if letters and letters.keys().isdisjoint(summed | seen.steps.get("", set())):
            made[name] = tuple(letters)
    return made


def key(name: str, known: Unwritten) -> str:
    """What a name is known as: σ² is for σ, too, and y for y²; "" for what is not known."""
    other = name.removesuffix(_SQUARED) if name.endswith(_SQUARED) else name + _SQUARED
    return next((one for one in (name, other) if one in known), "")


def used(
    stated: Sequence[Statement], seen: Survey, known: Unwritten, defined: Set[str]
) -> set[str]:
    """The names that have indices here without writing them, as they are known; ``defined`` are
    those that get theirs where they are defined, too."""
    uses: set[str] = set()
    for define in (s for s in stated if isinstance(s, Define)):
        given, at_hand = _here(define, seen, known, defined)
        nodes = (node for value in define.values for node in _places(value, given, at_hand))
        uses |= {key(_plain(node), given) for node in nodes}
    return uses


def indexed(
    stated: Sequence[Statement], seen: Survey, known: Unwritten, declared: Container[str] = ()
) -> tuple[Statement, ...]:
    """The statements with the indices that names have without writing them. What they define gets
    its own where it is known to, or another of them uses it so; what is declared has what is
    said."""
    made = {n: x for n, x in found(stated, seen, known).items() if n not in declared}
    defined = made.keys() & known.keys()
    while (rest := made.keys() - defined) and (
        more := rest & used(stated, seen, {**known, **made}, defined)
    ):
        defined |= more
    both = {**known, **{name: made[name] for name in defined}}
    if not both:
        return tuple(stated)
    return tuple(_with(s, seen, both, defined) if isinstance(s, Define) else s for s in stated)


def _loose(define: Define, seen: Survey) -> dict[str, None]:
    return dict.fromkeys(x for value in define.values for x in seen.loose(value))


def _are_numbers(seen: Survey, values: Sequence[Node], but: Set[str]) -> bool:
    """Whether all names in values but some are numbers by custom."""
    inside = {name for value in values for name in seen.names_in(value)}
    inside -= but | names.FUNCTIONS
    return all(names.element_ranks(name, 0, False, False)[0] == 0 for name in inside)


def _here(
    define: Define, seen: Survey, known: Unwritten, defined: Set[str]
) -> tuple[Unwritten, Set[str]]:
    """The names of which a definition may have elements, and the letters that it has at hand: those
    on its left-hand side, or loose on the right, which tell no two elements of an array apart."""
    target, at_hand = define.target, {*_loose(define, seen)}
    if _plain(target) in defined:
        at_hand |= {*known[_plain(target)]}
    elif target is not None:
        at_hand |= {x for node in left_hand_sides.target_scripts(target) for x in _below(node)}
        given = {one for node in left_hand_sides.arguments(target) for one in _all_plain(node)}
        known = {one: letters for one, letters in known.items() if one not in given}
    places: dict[tuple[str, int], set[str]] = {}
    for name, place, letter in seen.shifts:
        places.setdefault((name, place), set()).add(letter)
    return known, at_hand.difference(*(x for x in places.values() if len(x) > 1))


def _with(define: Define, seen: Survey, known: Unwritten, defined: Set[str]) -> Define:
    given, at_hand = _here(define, seen, known, defined)
    target, name = define.target, _plain(define.target)
    places = {id(n) for value in define.values for n in _places(value, given, at_hand)}

    def written(node: Node) -> Node:
        if id(node) in places:
            return _indexed(node, given[key(_plain(node), given)])
        return rebuilt(node, written)

    if target is not None and name in defined:
        target = _indexed(target, known[name])
    return replace(define, target=target, values=tuple(map(written, define.values)))


def _places(node: Node, known: Unwritten, at_hand: Set[str]) -> Iterator[Node]:
    """The names in a node whose indices are at hand and not written."""
    if name := _plain(node):
        if (own := key(name, known)) and {*known[own]} <= at_hand:
            yield node
    elif not scripts.is_name(node):
        if isinstance(node, Big) and node.sub is not None:
            at_hand = at_hand | {*binders.bound_letters(node.sub)}
        for part in children(node):
            yield from _places(part, known, at_hand)


def _indexed(node: Node, letters: Sequence[str]) -> Node:
    """A name at some indices; a square stays above it."""
    end = Span(node.span.end, node.span.end)
    below = tuple(Name(letter, end) for letter in letters)
    sub = below[0] if len(below) == 1 else Juxt(below, end)
    if isinstance(node, Script):
        return replace(node, sub=sub)
    return Script(node, sub, None, 0, node.span)


_SQUARED = "_squared"


def _plain(node: Node | None) -> str:
    """The name of a letter without scripts, but for an accent, a square and the sign of a
    transpose; "" of all else."""
    match node:
        case Script(base, None, sup, 0) if scripts.is_two(sup):
            return f"{name}{_SQUARED}" if (name := _plain(base)) else ""
        case Script(base, None, _, 0) if scripts.is_transposed(node):
            return _plain(base)
        case Name() | Accent(_, Name()):
            return script_reader.unindexed(node)
    return ""


def _all_plain(node: Node) -> Iterator[str]:
    if name := _plain(node):
        yield name
    elif not scripts.is_name(node):
        for part in children(node):
            yield from _all_plain(part)


def _below(node: Node) -> Iterator[str]:
    """The letters below a name."""
    while isinstance(node, scripts.SCRIPTED):
        if isinstance(node, Script) and node.sub is not None:
            yield from (at.text for at in positions.counted(node.sub) if isinstance(at, Name))
        node = node.base
