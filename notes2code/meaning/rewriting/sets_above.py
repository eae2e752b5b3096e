"""Sets above a sign, where the end of its range would stand: ``Σ_j^{N_i} α_{ij} x_j`` and
``Σ_{j=1}^{|N(i)|} α_{ij} x_j`` go over the neighbours ``j ∈ N_i``; so does ``Σ_{j ∼ i}``.

What is added up tells them from a number of elements: the x_j of all i are the same, and nobody
adds up the first so many of them for each i. The T_i of ``Σ_t^{T_i} x_{it}`` is how many there
are, as is the ``|y_i|`` of ``Σ_{t=1}^{|y_i|} x_{it}``, the tokens of y_i; and the k of
``Σ_i^{d_k} x_i``, which stands nowhere else, is a label.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from notes2code.latex.tree import (
    Big,
    Change,
    Formula,
    Group,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Script,
    walk,
)
from notes2code.meaning.notation import binders, scripts


def as_members(formula: Formula) -> Change | None:
    """Such a set below its sign."""
    if all(node.sub is None or node.sup is None for node in formula.of(Big)):
        return None
    indexed = {
        (binders.bare(node), letter)
        for node in formula.of(Script)
        if scripts.is_name(node)
        for letter in binders.script_letters(node)
    }

    def over_members(node: Big) -> Node | None:
        below = _members(node, indexed)
        return None if below is None else replace(node, sub=below, sup=None)

    return over_members


def as_neighbours(formula: Formula) -> Change | None:
    """The ``j ∈ N_i`` of a sum over ``j ∼ i``, the neighbours of i, which have no name."""
    if any(name.text == _NEIGHBOURS for name in formula.of(Name)):
        return None

    def over_members(node: Big) -> Node | None:
        match node:
            case Big(_, Relation((Name(letter) as one, Name(owner) as other), ("∼",)), None):
                if are_nodes(letter, owner):
                    span = node.sub.span if node.sub is not None else node.span
                    members = Script(Name(_NEIGHBOURS, span), other, None, 0, span)
                    below = Relation((one, members), ("∈",), (span,), span)
                    return replace(node, sub=below)
        return None

    return over_members


_NEIGHBOURS = "N"
_NODES = ("ijkl", "uvw", "mn")
"""Letters that count the nodes of a graph; the p of ``x ∼ p`` is what x is drawn from."""


def are_nodes(one: str, other: str) -> bool:
    """Whether two letters count the nodes of the same graph."""
    return one != other and any({one, other} <= {*own} for own in _NODES)


def as_lengths(formula: Formula) -> Change | None:
    """The ``|y_i|`` up to which a sum counts as a number for each i, wherever it stands."""
    ends = {_letter_in_bars(node.sup) for node in formula.of(Big) if isinstance(node.sub, Relation)}

    def named(node: Group) -> Node | None:
        letter = _letter_in_bars(node)
        if not letter or letter not in ends:
            return None
        (inner,) = node.items
        assert isinstance(inner, Script)
        return replace(inner, base=Name(f"len_{letter}", inner.base.span), span=node.span)

    return named if ends - {""} else None


def _letter_in_bars(node: Node | None) -> str:
    """The y of ``|y_i|``."""
    match node:
        case Group("|", (Script(Name(letter), Name(), None, 0),)):
            return letter
    return ""


def goes_over_first(node: Big) -> bool:
    """Whether a sum adds up the first x_j, as ``Σ_{j=1}^{n_i} x_j`` does, which has another end for
    each i: more often the members of a set are meant."""
    match node.sub:
        case Relation((Name(letter), Num()), ("=",)) if node.sup is not None:
            owner = _owner(node.sup, small=True)
            return bool(owner) and _alone(node.body, letter, owner)
    return False


def _members(node: Big, indexed: Set[tuple[str, str]]) -> Relation | None:
    """The ``j ∈ N_i`` of a sum that goes over what stands above it; None of any other. ``indexed``
    are the names of the formula, each with a letter in its scripts."""
    letter = _counted(node.sub, node.sup)
    members = node.sup
    if isinstance(members, Group) and members.open == "|" and len(members.items) == 1:
        members = members.items[0]
    if letter is None or members is None:
        return None
    owner, own = _owner(members), binders.bare(members)
    counts = any(name != own and other == owner for name, other in indexed)
    if not counts or not _alone(node.body, letter.text, owner):
        return None
    return Relation((letter, members), ("∈",), (members.span,), members.span)


def _counted(sub: Node | None, sup: Node | None) -> Name | None:
    """The j of ``Σ_j^{N_i}``, and of ``Σ_{j=1}^{|N_i|}``: a start counts, and so do bars."""
    match sub:
        case Name() as letter:
            return letter
        case Relation((Name() as letter, Num("1" | "0")), ("=",)) if isinstance(sup, Group):
            return letter
    return None


def _owner(members: Node, small: bool = False) -> str:
    """The i of ``N_i`` and of ``N(i)``; with ``small`` letters that of ``n_i``, too."""
    match members:
        case Script(Name(base), Name(owner), None, 0) | Juxt(
            (Name(base), Group("(", (Name(owner),)))
        ) if small or base.isupper():
            return owner
    return ""


def _alone(body: Node, letter: str, owner: str) -> bool:
    """Whether something in a sum has the letter that counts, and not the one that has the set."""
    return any(letter in own and owner not in own for own in _in_scripts(body))


def _in_scripts(body: Node) -> Iterator[set[str]]:
    """The letters in the scripts of each name."""
    for node in walk(body):
        if isinstance(node, Script) and scripts.is_name(node):
            yield set(binders.script_letters(node))
