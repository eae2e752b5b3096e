"""Sums, products and quotients of plain letters and numbers, and the names that stand in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.latex.tree import (
    Accent,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Num,
    Script,
    once,
    ungrouped,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, script_reader

_DATA = frozenset("XYZ")


def terms(node: Node) -> tuple[Node, ...]:
    """What is added and subtracted in a node."""
    match node:
        case Infix("+" | "-", left, right):
            return (*terms(left), right)
    return (node,)


@once
def sums(nodes: Nodes) -> Sequence[Infix]:
    """The sums and differences that are no terms of others."""
    found = [node for node in nodes.of(Infix) if node.op in "+-"]
    within = {id(node.left) for node in found}
    return [node for node in found if id(node) not in within]


@once
def chains(nodes: Nodes) -> Sequence[Infix]:
    """The products with signs that are no factors of others."""
    found = [node for node in nodes.of(Infix) if node.op in "×·"]
    inner = {id(node.left) for node in found}
    return [node for node in found if id(node) not in inner]


@once
def products(nodes: Nodes) -> Sequence[Sequence[Node]]:
    """The factors of each product."""
    return [*(product.factors for product in nodes.of(Juxt)), *map(binders.chain, chains(nodes))]


@once
def quotients(nodes: Nodes) -> Sequence[tuple[Node, Node]]:
    """What is divided, and by what, wherever something is."""
    return [*filter(None, map(quotient, nodes.of(Frac, Infix)))]


def is_difference(node: Node) -> bool:
    """Whether a node takes something off another, ``x - μ``, perhaps in brackets."""
    inner = ungrouped(node)
    return isinstance(inner, Infix) and inner.op == "-"


def quotient(node: Node) -> tuple[Node, Node] | None:
    """What is divided in a node, and by what."""
    match node:
        case Frac(top, bottom):
            return top, bottom
    return None


def plain(node: Node) -> str:
    """The name of a letter or a word, alone or with a label below it, or its power; "" for anything
    else."""
    match node:
        case Name(text, _, font) if font != "bold" and text not in _DATA:
            return script_reader.bare_name(node)
        case Script(base, None, Num(), 0):
            return plain(base)
        case Script(Name(font=font) as base, sub, None, 0) if font != "bold" and plain(base):
            counts = base.text in ("d", "n", *names.COUNTS) and not isinstance(sub, Infix)
            counts = counts or is_plain(sub, None)
            return script_reader.unindexed(node) if counts else ""
        case Accent(_, base) | Script(Accent(_, base), None | Juxt(), None, 0):
            counts = plain(base).isupper()
            return script_reader.unindexed(node) if counts else ""
    return ""


def capitals(node: Node) -> Iterator[str]:
    """The names of the plain capitals in a node; those of data, ``X``, are none."""
    match node:
        case Neg(body) | Group(_, (body,)):
            yield from capitals(body)
        case Infix(_, left, right) | Frac(left, right):
            yield from (*capitals(left), *capitals(right))
        case Juxt(factors):
            yield from (name for factor in factors for name in capitals(factor))
        case Name(text, _, font) if len(text) == 1 and text.isupper() and text not in _DATA:
            if not font:
                yield text
        case Script(Name() as base, sub, sup, 0) if is_plain(sub, sup):
            if list(capitals(base)):
                yield script_reader.unindexed(Script(base, sub, None, 0, node.span))


def is_plain(sub: Node | None, sup: Node | None) -> bool:
    """Whether scripts are a label below and a power above, and no transpose and no index."""
    match sub:
        case None | Num():
            label = True
        case Name(text):
            label = text not in names.INDEX_LETTERS
        case _:
            label = binders.is_label(sub)
    exponents = quotient(sup) or (sup,) if sup is not None else ()
    power = all(isinstance(n, Num) or binders.bare(n) in names.GREEK for n in exponents)
    return label and power


def is_arithmetic(node: Node) -> bool:
    """Whether a node holds nothing but plain capitals, Greek letters and numbers."""
    match node:
        case Num():
            return True
        case Neg(body) | Group("(" | "[" | "⌊" | "⌈", (body,)):
            return is_arithmetic(body)
        case Infix("+" | "-" | "·" | "×", left, right) | Frac(left, right):
            return is_arithmetic(left) and is_arithmetic(right)
        case Juxt(factors):
            return all(map(is_arithmetic, factors))
        case Group():
            return False
        case Accent("bar", Name("n" | "m")):  # the mean of a count
            return True
    return binders.bare(node) in names.GREEK or bool(list(capitals(node)))


def is_count(node: Node) -> bool:
    """Whether a node is a sum or a product of plain names and numbers."""
    match node:
        case Num():
            return True
        case Group("(", (body,)) | Neg(body):
            return is_count(body)
        case Infix("+" | "-" | "·" | "×", left, right):
            return is_count(left) and is_count(right)
        case Juxt(factors):
            return all(map(is_count, factors))
        case Name(text, _, font):
            return font != "bold" and text not in _DATA
        case Script(Name() as base, sub, None | Num(), 0):
            return is_count(base) and (base.text in ("d", "r") or is_plain(sub, None))
    return False


def is_alone(node: Node) -> bool:
    """Whether a node is nothing but a capital that counts."""
    return isinstance(node, Name) and node.text in names.COUNTS
