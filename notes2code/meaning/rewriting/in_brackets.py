"""Elements written as in programs: ``M[i, j]`` and ``M[i][j]`` are ``M_{ij}``, ``M[i, :]`` is
``M_{i,:}``, and ``p_i[y_i]`` is ``p_{i,y_i}``."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Accent,
    Big,
    Change,
    Clause,
    Formula,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Relation,
    Script,
    ungrouped,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions
from notes2code.meaning.notation.scripts import is_name


def as_indices(formula: Formula) -> Change | None:
    """``M_{ij}`` for ``M[i, j]``, where a left-hand side or a sum counts with each of the letters
    in the brackets."""
    if all(group.open != "[" for group in formula.of(Group)):
        return None
    bracketed = [name for node in formula.of(Juxt) for name in _before_brackets(node)]
    if not bracketed or any(bracketed.count(name) > 1 for name in map(_defined, formula.clauses)):
        return None
    sizes = _sizes(formula)
    counting = {letter for clause in formula.clauses for letter in defined_at(clause.node, sizes)}
    bigs = formula.of(Big)
    counting |= {x for big in bigs if big.sub for x in binders.bound_letters(big.sub)}
    counting.difference_update(_vectors(formula))
    added = (term for node in formula.of(Infix) if node.op == "+" for term in binders.chain(node))
    embeds = any(map(_is_position, added))

    def indexed(node: Juxt) -> Node:
        factors = list(node.factors[:1])
        for factor in node.factors[1:]:
            places = _places(factor, sizes)
            counted = places and counting.issuperset(p.text for p in places if isinstance(p, Name))
            places = places if counted else _label_of_row(factors[-1], factor)
            table = _table(factors[-1])
            if embeds and (key := _key_of_row(table, factor, counting)):
                factors[-1] = _element(table, key, factor)
            elif embeds and counted and table is not factors[-1]:
                factors[-1] = _element(table, places, factor)
            elif places and _is_array(factors[-1]):
                factors[-1] = _element(factors[-1], places, factor)
            else:
                factors.append(factor)
        return factors[0] if len(factors) == 1 else replace(node, factors=tuple(factors))

    return indexed


def _vectors(nodes: Nodes) -> Iterator[str]:
    """The u and v of ``K[u, v] = u · v / (‖u‖ ‖v‖)``, which have a norm and count nothing."""
    for group in nodes.of(Group):
        match group:
            case Group("‖", (Name(letter),)):
                yield letter


def _before_brackets(node: Juxt) -> Iterator[str]:
    """The names that stand before brackets."""
    for name, behind in pairwise(node.factors):
        match behind:
            case Group("[") | Script(Group("[")):
                yield names.label(name)


def _defined(clause: Clause) -> str:
    """The name of which an element in brackets is defined: one that stands on the right as well
    is changed, step by step."""
    match clause.node:
        case Relation((Juxt((name, Group("["), *_)), *_)):
            return names.label(name)
    return ""


_SIZE = frozenset("d")
"""What is a size by custom, wherever it stands."""


def _sizes(nodes: Nodes) -> Set[str]:
    """The letters in brackets that are sizes: the d of ``x[i, d]``, unless it only ever stands last
    in brackets, as that of ``Y[l, d] = Σ_i P[i, l] X[i, d]``."""
    every = sum(name.text in _SIZE for name in nodes.of(Name))
    lasts = (group.items[-1:] for group in nodes.of(Group) if group.open == "[")
    inside = sum(isinstance(last, Name) and last.text in _SIZE for items in lasts for last in items)
    return frozenset() if inside == every > 1 else _SIZE


def defined_at(node: Node, sizes: Set[str] = _SIZE) -> Iterator[str]:
    """The letters with which a left-hand side counts: those below its name, or in brackets."""
    match node:
        case Relation((Juxt((Name(), Script(Group("(")) as name)), *_)):  # f(x)_i
            yield from names.INDEX_LETTERS.intersection(binders.script_letters(name))
        case Relation((Juxt((name, *behind)), *_)) if _is_array(name):
            places = (place for group in behind for place in _places(group, sizes))
            yield from (place.text for place in places if isinstance(place, Name))
        case Relation((Script() as name, *_)):
            yield from names.INDEX_LETTERS.intersection(binders.script_letters(name))


def _places(behind: Node, sizes: Set[str]) -> tuple[Node, ...]:
    """The index letters and whole axes in brackets; none where anything else stands there too."""
    match behind:
        case Group("[", items) | Script(Group("[", items), None):
            letters = [item for item in items if isinstance(item, Name)]
            known = any(letter.text in names.INDEX_LETTERS for letter in letters)
            known = known and all(
                _counts(letter) and letter.text not in sizes for letter in letters
            )
            rest = [item for item in items if item not in letters]
            return items if letters and known and all(map(positions.is_colon, rest)) else ()
    return ()


def _counts(letter: Name) -> bool:
    """Whether a letter may count beside others, as the c of ``Y[l, c]``."""
    text = letter.text
    return text in names.INDEX_LETTERS or (len(text) == 1 and text.islower())


def _label_of_row(name: Node, behind: Node) -> tuple[Node, ...]:
    """The y_t in the brackets of ``p_t[y_t]``, which is counted as the probabilities are."""
    match name, behind:
        case Script(of, Name(row), None), Group("[", (Script(_, sub) as label,)):
            predicted = isinstance(of, Accent) or binders.bare(of) in names.PROBABILITIES
            if predicted and sub and is_name(label) and row in binders.script_letters(label):
                return (label,)
    return ()


def _key_of_row(name: Node, behind: Node, counting: Set[str]) -> tuple[Node, ...]:
    """The x_t in the brackets of ``E[x_t]``, where t counts."""
    base = name.base if isinstance(name, Script) and name.sub is None else name
    match base, behind:
        case Name("E", _, font), Group("[", (Script(Name(key), place, None, 0) as label,)):
            counts = place is not None and words_in(place) & counting
            if counts and font != "blackboard" and key not in names.INDEX_LETTERS:
                return (label,)
    return ()


def _table(name: Node) -> Node:
    """The ``E^{tok}`` of ``E_{tok}[x_t]``: a word tells tables apart, and is no place."""
    match name:
        case Script(Name("E") as base, sub, None, 0) if sub is not None:
            word = names.label(sub)
            if word.isalpha() and len(word) > 2 and word not in names.GREEK:
                return Script(base, None, sub, 0, name.span)
    return name


def _is_position(node: Node) -> bool:
    """Whether a node is a ``P_t``, a ``P[t]`` or an ``E_{pos}[t]``: the E beside it holds
    embeddings, and is no mean."""
    match node:
        case Juxt((Name("P" | "PE"), Group("["))) | Script(Name("P" | "PE"), Name(), None, 0):
            return True
        case Juxt((Script(Name("E")) as table, Group("[", (Name(place),)))):
            return place in names.INDEX_LETTERS and _table(table) is not table
    return False


def _is_array(node: Node) -> bool:
    """Whether a node is a name with elements: no function, and no E, which may be a mean. What
    stands above a name may turn it, but for a word."""
    above = node.sup if isinstance(node, Script) else None
    plain = above is None or (len(names.label(above)) > 1 and not isinstance(above, Infix | Neg))
    base = binders.bare(node)
    return plain and base != "" and base not in names.FUNCTIONS | {"E", "Var", "Cov"}


def _element(name: Node, places: tuple[Node, ...], behind: Node) -> Script:
    """The element of an array at its places, with what stands above the brackets."""
    span = name.span.to(behind.span)
    below = ungrouped(Group("", places, (",",) * (len(places) - 1), span))
    element = Script(name, below, None, 0, span)
    if isinstance(name, Script) and name.sub is None:
        element = replace(name, sub=below, span=span)
    return replace(behind, base=element, span=span) if isinstance(behind, Script) else element
