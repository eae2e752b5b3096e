"""The q, k, v and o below what makes queries, keys, values and outputs: labels, whatever counts."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Big, Change, Formula, Group, Name, Node, Relation, Script, walk

_ROLES = frozenset("qkvo")
_FRESH = "jirstpumn"
"""Letters for what a sum counts with, in the order in which they are taken."""


def as_sets(formula: Formula) -> Change | None:
    r"""``W_{\{q,k\}}`` for ``W_{q,k}``, which speaks of each of the two."""
    lists = {_several(node) for node in formula.of(Script) if _is_weight(node.base)} - {""}

    def of_each(node: Script) -> Node | None:
        if not isinstance(node.sub, Group) or _several(node) not in lists:
            return None
        return replace(node, sub=replace(node.sub, open="{"))

    return of_each if lists else None


def apart(formula: Formula) -> Change | None:
    """Another letter for the k of ``Σ_k (W_q x)_k (W_k y)_k``, but for the one below W."""
    scripts = formula.of(Script)
    if not formula.of(Big) or "W" not in formula.words:
        return None
    counted = {_counted(node) for node in formula.of(Big)} & set(map(_inside, scripts))
    fresh = (letter for letter in _FRESH if letter not in formula.words)
    letters = dict(zip(sorted(counted), fresh, strict=False))
    roles = {node.sub.span for node in scripts if node.sub is not None and _role(node)}

    def counting(node: Name) -> Node | None:
        if node.text not in letters or node.span in roles:
            return None
        return Name(letters[node.text], node.span)

    return counting if letters else None


def _role(node: Script) -> str:
    """The q of ``W_q``; "" of anything else."""
    match node:
        case Script(base, Name(letter), None, 0) if _is_weight(base) and letter.lower() in _ROLES:
            return letter
    return ""


def _inside(node: Script) -> str:
    """The k of ``(W_k y)_k``: twice an index it would stand on a diagonal."""
    match node:
        case Script(Group("(") as group, Name(letter), None, 0):
            weights = (inner for inner in walk(group) if isinstance(inner, Script))
            return letter if any(_role(weight) == letter for weight in weights) else ""
    return ""


def _counted(node: Big) -> str:
    """The letter that a big sign counts with."""
    first = node.sub.operands[0] if isinstance(node.sub, Relation) else node.sub
    return first.text if isinstance(first, Name) else ""


def _several(node: Script) -> str:
    """The roles that stand below a name, as a list."""
    match node:
        case Script(Name(), Group("", items)) if len(items) > 1:
            letters = [item.text for item in items if isinstance(item, Name)]
            return "".join(letters) if len(letters) == len(items) and {*letters} <= _ROLES else ""
    return ""


def _is_weight(node: Node) -> bool:
    return isinstance(node, Name) and node.text == "W"
