"""Letters with a prime: the ``t'`` of ``α_{t,t'} = …`` is an index of its own, and the ``K'`` of
``Q K'`` may be a transpose, as the ``K^t`` is."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import TypeGuard

from notes2code.diagnostics import note
from notes2code.latex.tree import (
    Big,
    Change,
    Formula,
    Group,
    Juxt,
    Matrix,
    Name,
    Node,
    Relation,
    Script,
    Tree,
    alike,
    changed,
    children,
    rewritten,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import positions

_FRESH = "jikrstpumn"
"""Letters for what has no letter of its own, in the order in which they are taken."""


def renamed(formula: Formula) -> Change | None:
    """A letter that stands nowhere for each index with a prime: for what a sum counts with, for
    what stands below the name on a left-hand side, and for what counts every second place in the
    conditions of cases."""
    if not any(map(_primed, formula.of(Script))):
        return None
    primed = dict.fromkeys(x for c in formula.clauses for x in _on_left(c.node))
    primed |= dict.fromkeys(x for n in formula.of(Big) for x in _counted(n))
    primed |= dict.fromkeys(x for c in formula.clauses for x in _halved(c.node))
    fresh = (x for x in _FRESH if x not in formula.words)
    letters = dict(zip(primed, fresh, strict=False))

    def plain(node: Script) -> Node | None:
        own = letters.get(_primed(node))
        return None if own is None else Name(own, node.span)

    return plain


def _on_left(node: Node) -> Iterator[str]:
    """The letters with a prime below the name that a clause defines."""
    left = node.operands[0] if isinstance(node, Relation) and "=" in node.signs else None
    if isinstance(left, Script) and left.sub is not None:
        yield from filter(None, map(letter, walk(left.sub)))


def _counted(node: Big) -> Iterator[str]:
    """The letters with a prime that a big sign counts with."""
    first = node.sub.operands[0] if isinstance(node.sub, Relation) else node.sub
    if first is not None and (own := letter(first)):
        yield own


def _halved(node: Node) -> Iterator[str]:
    """The δ of ``p_{i,δ} = …`` where ``δ = 2δ'`` or ``δ = 2δ' + 1`` is the condition of a case; as
    a statement of its own, ``h = 2h'``, it says what h is."""
    if not isinstance(node, Relation) or node.operands[0] is None:
        return
    places = {text for below in [*children(node.operands[0])][1:] for text in words_in(below)}
    cases = (part for part in walk(node) if isinstance(part, Matrix))
    for condition in (inner for matrix in cases for inner in walk(matrix)):
        match condition:
            case Relation((Name(place), last), ("=",)) if place in places and last is not None:
                if _is_every_second(last, place):
                    yield place


def _is_every_second(node: Node, place: str) -> bool:
    """Whether a place with a prime is counted by twos, as the δ of ``2δ' + 1`` is."""

    def unprimed(part: Script) -> Node | None:
        return Name(place, part.span) if _primed(part) == place else None

    plain = changed(node, Script, unprimed)
    return not alike(plain, node) and positions.stride(plain) is not None


def letter(node: Node) -> str:
    """The t of ``t'``; "" of anything else."""
    own = _primed(node)
    return own if own in names.INDEX_LETTERS else ""


def _primed(node: Node) -> str:
    """The δ of ``δ'``, whatever letter it is."""
    match node:
        case Script(Name(text), None, None, 1):
            return text
    return ""


def small_signs(formula: Formula) -> Change | None:
    """The t of all that stands in a formula with a ``K^t`` or a ``(A x)^t``, as the sign of a
    transpose: those who write it so there write all of them so, unless t is anything else."""
    above = [node for node in formula.of(Script) if _has_small_sign(node)]
    letters = sum(name.text == "t" for name in formula.of(Name))
    if letters != len(above) or not any(map(_is_of_product, above)):
        return None

    def signed(node: Script) -> Node | None:
        return replace(node, sup=Name("top", node.span)) if _has_small_sign(node) else None

    return signed


def _has_small_sign(node: Script) -> bool:
    return isinstance(node.sup, Name) and node.sup.text == "t"


def _is_of_product(node: Script) -> bool:
    """Whether a script is that of keys, or of a product with a matrix, which no number is."""
    match node.base:
        case Name("K"):
            return True
        case Group("(", (Juxt(factors),)):
            return any(names.base_letter(names.label(one)).isupper() for one in factors)
    return False


def as_transposes(tree: Tree, named: Set[str]) -> Tree | None:
    """A formula with ``K^\\top`` for each ``K'``, and a note of that; None where it has none, or
    defines or declares one, as the ``K_prime`` of ``named`` is."""
    nodes = [node for clause in tree.clauses for node in walk(clause.node)]
    primed = [node for node in nodes if _is_of_matrix(node)]
    left = [node.operands[0] for node in nodes if isinstance(node, Relation)]
    own = {*named, *(names.label(node) for node in left if node is not None)}
    if not primed or not own.isdisjoint(map(names.label, primed)):
        return None

    def transposed(node: Script) -> Node | None:
        if not _is_of_matrix(node):
            return None
        return replace(node, sup=Name("top", node.span), primes=0)

    text = f"`{names.label(primed[0])}` is taken to be a transpose"
    told = note("N2C039", text, primed[0].span, "write `^\\top` for it")
    formula = Formula(rewritten(tree.clauses, Script, transposed))
    return replace(tree, formula=formula, problems=(*tree.problems, told))


def _is_of_matrix(node: Node) -> TypeGuard[Script]:
    """Whether a node is a capital with one prime, or another mark of transposes, and nothing
    else."""
    match node:
        case Script(Name(letter), None, None, 1) | Script(
            Name(letter), None, Name("prime" | "tr"), 0
        ):
            return len(letter) == 1 and letter.isupper()
    return False
