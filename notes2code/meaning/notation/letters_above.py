"""Letters above names that raise nothing: they tell of what kind these are, or count
them."""

from __future__ import annotations

from collections.abc import Iterator, Set

from notes2code.latex.tree import (
    Dots,
    Group,
    Matrix,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    children,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation.binders import bare


def with_labels_above(nodes: Nodes) -> Iterator[str]:
    """The x of ``[x_1^p, x_2^p, …, x_N^p]`` and of ``[x_i^s; x_i^c]``: letters above all of a list,
    and nowhere else, tell of what kind these are, and raise none."""
    if all(node.sub is None or type(node.sup) is not Name for node in nodes.of(Script)):
        return
    for group in nodes.of(Group, Matrix):
        items = children(group)
        found: dict[str, list[Node | None]] = {}
        for node in (inner for item in items for inner in walk(item)) if len(items) > 1 else ():
            match node:
                case Script(Name(), sub, None) if sub and len(names.label(sub)) > 1:
                    pass  # the x_{class} before them
                case Script(Name(base), sub, sup) if sub is not None:
                    found.setdefault(base, []).append(sup)
        for base, above in found.items():
            letters = {sup.text for sup in above if isinstance(sup, Name)}
            uses = sum(node.text in letters for node in nodes.of(Name))
            if len(above) > 1 and uses == len(above):
                yield base


def told_above(nodes: Nodes) -> Iterator[str]:
    """The p of ``p_i^t log p_i^s``, a teacher's and a student's: letters above one name that stand
    nowhere else, and of which one at least counts nothing, tell two things apart and raise none.
    A lone n raises, but beside the ``x^a`` and ``x^p`` of an example and a like one, and beside the
    ``z^f`` of a gate: nobody raises to f. Nor is the b of ``W^r x + b^r`` raised."""
    above: dict[str, list[str]] = {}
    loose: dict[str, set[str]] = {}
    if sum(type(node.sup) is Name for node in nodes.of(Script)) < 2:
        return
    for node in nodes.of(Script):
        match node:
            case Script(Name(base), sub, Name(letter), 0) if letter not in ("T", "top"):
                above.setdefault(base, []).append(letter)
                if sub is None and letter in "ijklmn":
                    loose.setdefault(base, set()).add(letter)
    for base, letters in above.items():
        uses = sum(node.text in letters for node in nodes.of(Name))
        raising = loose.get(base, set())
        counts = (
            bool(raising) and len({*letters} - raising) < 2 and NEVER_POWERS.isdisjoint(letters)
        )
        counts = counts or {*letters} <= {*"ijklmn"}  # x^n + x^m are powers
        if len(set(letters)) > 1 and uses == len(letters) and not counts:
            yield base
    weights = {letter for base in "WU" for letter in above.get(base, ())}
    if "b" in above and weights.issuperset(above["b"]):
        yield "b"


NEVER_POWERS = frozenset("fgo")
"""Letters that tell gates apart above a name, and that nothing is raised to."""


def listed_above(nodes: Nodes, ends: Set[str]) -> set[str]:
    """Names that are counted above, as in ``x_p^1, …, x_p^N`` and ``x_p^1, …, x_p^{196}``: what
    stands below names them."""
    above = ((node, ungrouped(node.sup)) for node in nodes.of(Script))
    found = {bare(node) for node, sup in above if sup is not None and bare(sup) in ends}
    return found.union(*map(_numbered_above, nodes.of(Group)))


def _numbered_above(group: Group) -> set[str]:
    """The names of a list with dots that have one letter below and different numbers above."""
    written: dict[str, list[tuple[str, str]]] = {}
    for node in walk(group) if any(isinstance(item, Dots) for item in group.items) else ():
        match node:
            case Script(Name(base), Name(below), Num(above)):
                written.setdefault(base, []).append((below, above))
    return {
        base
        for base, pairs in written.items()
        if len({below for below, _ in pairs}) == 1 < len({above for _, above in pairs})
    }
