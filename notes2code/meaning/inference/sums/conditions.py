"""Conditions: ``j ≤ i``, ``(i − j) mod c = 0``, ``otherwise``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.diagnostics import error
from notes2code.latex.joining import ELSE
from notes2code.latex.tree import Group, Infix, Juxt, Name, Node, Relation, Script, walk
from notes2code.meaning import ir
from notes2code.meaning.inference import symbols
from notes2code.meaning.inference.calls import look_alikes
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.sums import membership
from notes2code.meaning.ir import Expr

SIGNS = frozenset("<>≤≥=≠")
JOINED = {"∧": "and", "∨": "or"}


def condition(run: Run, node: Node) -> Expr:
    """A condition on indices and numbers."""
    if isinstance(node, Group) and len(node.items) == 1:
        return condition(run, node.items[0])
    if isinstance(node, Infix) and node.op in JOINED:
        sides = node.left, node.right
        return ir.Logic(JOINED[node.op], tuple(condition(run, side) for side in sides))
    if (either := with_one_more(node)) is not None:
        return ir.Logic("or", tuple(condition(run, part) for part in either))
    if isinstance(node, Relation) and (held := membership.told(run, node)) is not None:
        return held
    if not isinstance(node, Relation) or not all(sign in SIGNS for sign in node.signs):
        raise error(
            "N2C037",
            f"the condition `{run.quote(node.span)}` is not understood",
            node.span,
            "write a comparison of indices or numbers, such as `j \\le i`",
        )
    _refuse_word(run, node.operands[0])
    values: list[Expr] = []
    of_places = all(isinstance(o, Name) and o.text in run.indices for o in node.operands)
    for operand in node.operands:
        if operand is None:
            raise error("N2C024", "one side of this comparison is missing", node.span)
        if of_places and isinstance(operand, Name):
            values.append(symbols.counted(run.indices[operand.text]))
            continue
        value = run.lower(operand)
        if value.rank:
            raise error("N2C041", "a condition compares numbers, not arrays", operand.span)
        values.append(value.body)
    pairs = list(pairwise(values))
    for left, right in pairs:
        compare(run, left, right)
    parts = tuple(ir.Compare(sign, *pair) for sign, pair in zip(node.signs, pairs, strict=True))
    return parts[0] if len(parts) == 1 else ir.Logic("and", parts)


def _refuse_word(run: Run, node: Node | None) -> None:
    """The ``kiedy`` of ``kiedy x > 0`` is hardly a factor, nor the ``unless`` of ``\\text{unless} x
    > 0`` and the ``gdy`` of ``gdy x > 0``: a word before another name that stands nowhere but
    before conditions."""
    match node:
        case Juxt((Name(word, where), Name() | Script() | Group("|"), *_)) if len(word) > 2:
            everywhere = sum(name.text == word for name in run.seen.nodes.of(Name))
            before = [*map(_first_word, run.seen.nodes.of(Relation))]
            unknown = before.count(word) == everywhere and word not in run.shapes
        case Juxt((Name(first), Name(second), *_) as factors):
            spelt = list(_beside(factors))
            where = spelt[0].span.to(spelt[-1].span)
            word = run.quote(where)
            unknown = (
                1 < len(spelt) == len(word) < len(factors)
                and word.islower()
                and look_alikes.stand_only_together(run, first, second)
            )
        case _:
            return
    if unknown:
        text = f"`{word}` may be a word, or a number that is multiplied"
        hint = "leave the word out, or write `\\cdot` behind the number"
        raise error("N2C037", text, where, hint)


def _first_word(relation: Relation) -> str:
    """The word before what a relation compares, "" where there is none."""
    match relation.operands[0]:
        case Juxt((Name(word), Name() | Script() | Group("|"), *_)):
            return word
    return ""


def _beside(factors: Sequence[Node]) -> Iterator[Node]:
    """The names that a product begins with, as far as no space is between them."""
    for before, factor in zip((None, *factors), factors, strict=False):
        apart = before is not None and before.span.end != factor.span.start
        if apart or not isinstance(factor, Name):
            return
        yield factor


def both(*given: Expr | None) -> Expr | None:
    """All conditions together; None where there are none."""
    told = tuple(condition for condition in given if condition is not None)
    return told[0] if len(told) == 1 else ir.Logic("and", told) if told else None


def with_one_more(node: Node) -> tuple[Relation, Relation] | None:
    """``j ∈ N_i`` and ``j = i`` for ``j ∈ N_i ∪ \\{i\\}`` and ``j ∈ N_i ∪ i``."""
    match node:
        case Relation((member, Infix("∪", members, Group("{", (Name() as one,)))), ("∈",)):
            inside = replace(node, operands=(member, members))
            return inside, replace(node, operands=(member, one), signs=("=",))
        case Relation((member, Infix("∪", members, Name(letter) as one)), ("∈",)):
            if letter.islower():  # a set has a capital
                inside = replace(node, operands=(member, members))
                return inside, replace(node, operands=(member, one), signs=("=",))
    return None


def compare(run: Run, left: Expr, right: Expr) -> None:
    """Remember two indices that are compared with each other, and so run as far; not the i of
    ``j ≥ c i``, of which there are fewer."""
    letters = [e.index for side in (left, right) for e in ir.walk(side) if isinstance(e, ir.Idx)]
    strided = any(map(_is_stride, (*ir.walk(left), *ir.walk(right))))
    if len(letters) == 2 and not strided:
        run.compared += [(letters[0], letters[1]), (letters[1], letters[0])]


def _is_stride(expr: Expr) -> bool:
    """Whether an index is multiplied, other than by −1."""
    factors = expr.factors if isinstance(expr, ir.Mul) else ()
    indexed = any(isinstance(part, ir.Idx) for factor in factors for part in ir.walk(factor))
    return indexed and any(factor != ir.Num(-1) for factor in factors if not _is_place(factor))


def _is_place(factor: Expr) -> bool:
    """Whether a factor is an index, or one moved by a number."""
    return any(isinstance(part, ir.Idx) for part in ir.walk(factor))


def is_otherwise(parts: Sequence[Node]) -> bool:
    """Whether what stands behind a value is the word for all other cases."""
    said = (getattr(node, "text", "") for part in parts for node in walk(part))
    compared = any(isinstance(node, Relation) for part in parts for node in walk(part))
    return not compared and any(word in text.lower() for text in said for word in ELSE)
