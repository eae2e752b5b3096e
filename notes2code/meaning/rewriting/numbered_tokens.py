"""The second token and the j-th: the ``ω_{2j}`` beside ``q^{(2)}`` is ``ω_{2,j}``, and the items of
``s_{1n}, …, s_{Nn}`` are ``s_{1,n}`` and so on, while the 2i of ``x_{2i}`` beside ``x_{2i+1}``
counts every second entry."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import (
    Big,
    Change,
    Dots,
    Formula,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Nodes,
    Num,
    Relation,
    Script,
    walk,
)
from notes2code.meaning.notation import binders, positions, scripts


def apart(formula: Formula) -> Change | None:
    """A comma between the number and the letter."""
    found = {id(node) for places in (_places, _listed) for node in places(formula)}
    return lambda node: Group("", node.factors, (",",), node.span) if id(node) in found else None


def _places(nodes: Nodes) -> Iterator[Juxt]:
    """What stands below names, ``2j``, where the second one of something and the j-th one have a
    name with ``(2)`` and ``(j)`` above, where the second one is defined or a query beside keys, or
    where ``2m`` is summed in a quotient besides; not where 2i or 2i + 1 stands elsewhere, and tells
    of every second one, as the half of something, ``d / 2``, does."""
    scored = [
        (node, node.sub, *pair)
        for node in nodes.of(Script)
        if isinstance(node.sub, Juxt) and (pair := _pair(node.sub))
    ]
    known = {id(sub) for _, sub, _, _ in scored}
    if not scored or any(positions.stride(n) for n in nodes.of(Juxt, Infix) if id(n) not in known):
        return
    bases = {binders.bare(node) for node, *_ in scored}
    others = [node for node in nodes.of(Script) if binders.bare(node) not in bases]
    above, defined = {_above(node) for node in others}, {*_defined(nodes)}
    below = {(binders.bare(node).lower(), _below(node)) for node in others}
    halved = any(isinstance(n.bottom, Num) and n.bottom.text == "2" for n in nodes.of(Frac))
    weighed = set[str]()
    for quotient in nodes.of(Frac):
        inside = {id(node) for node in walk(quotient)}
        here = {(binders.bare(n), number, x) for n, _, number, x in scored if id(n) in inside}
        weighed |= {a[1] for a in here for b in here if a[:2] == b[:2] and a[2] != b[2]}
    for _, sub, number, letter in scored:
        every_second = positions.stride(sub) is not None and not halved
        named = {("q", number), ("k", letter)} <= below
        named |= number in defined and any(place == letter for _, place in below)
        if number in weighed or {number, letter} <= above or (every_second and named):
            yield sub


def _listed(nodes: Nodes) -> Iterator[Juxt]:
    """What stands below the items of ``s_{1n}, …, s_{Nn}``: the last has two letters."""
    for group in nodes.of(Group) if nodes.of(Dots) else ():
        places = [item.sub for item in group.items if isinstance(item, Script)]
        pairs = [place for place in places if isinstance(place, Juxt) and len(place.factors) == 2]
        if len(pairs) < len(group.items) - 1:
            continue
        match pairs[:1] + pairs[-1:]:
            case [Juxt((Num("1"), Name(letter))), Juxt((Name(), Name(last)))] if letter == last:
                for pair in pairs:
                    if isinstance(pair.factors[1], Name) and pair.factors[1].text == letter:
                        yield pair


def _pair(node: Juxt) -> tuple[str, str] | None:
    """The 2 and the j of ``2j``."""
    match node:
        case Juxt((Num(number), Name(letter))) if len(letter) == 1:
            return number, letter
    return None


def _above(node: Script) -> str:
    """The 2 of ``q^{(2)}``, and the j of ``k^{(j)}``."""
    match node.sup:
        case Group("(", (Num(text) | Name(text),)):
            return text
    return ""


def _below(node: Script) -> str:
    """The 2 of ``q_2``, and the j of ``k_j``."""
    match node.sub:
        case Num(text) | Name(text) if node.sup is None or scripts.is_transposed(node):
            return text
    return ""


def _defined(nodes: Nodes) -> Iterator[str]:
    """The number of the ``z_2`` on a left-hand side, which a sum makes of others, beside a bias or
    within a function, too."""
    for node in nodes.of(Relation):
        match node.operands[:2]:
            case (Script(_, Num(number), None, 0), value) if node.signs[0] == "=" and value:
                if any(isinstance(inner, Big) and inner.op == "sum" for inner in walk(value)):
                    yield number
