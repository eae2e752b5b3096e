"""What a relation states: a definition, a shape, or a fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TypeGuard

from notes2code.diagnostics import Span, error
from notes2code.latex.tree import (
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Neg,
    Node,
    Num,
    Relation,
    Script,
    alike,
    children,
    walk,
    words_in,
)
from notes2code.latex.words import AMOUNTS, CALLED
from notes2code.meaning import names
from notes2code.meaning.notation import binders, derivatives
from notes2code.meaning.notation.scripts import is_name
from notes2code.meaning.reading import braces, predictions
from notes2code.meaning.reading.definable import definable, spread, steps_above
from notes2code.meaning.reading.growth import is_growth
from notes2code.meaning.reading.spaces import is_interval, is_space, shape_axes
from notes2code.meaning.rewriting import close_by
from notes2code.meaning.stated import EXAMPLE, OPERATOR, Declare, Define, Fact, Statement

ASSIGNS = frozenset(["=", "≡", "←", "=:"])


def comes_close(node: Node) -> bool:
    """Whether an equation goes on with what it comes close to: ``A_{ij} = … ≈ 0``."""
    return isinstance(node, Relation) and _come_close(node.signs)


def _come_close(signs: Sequence[str]) -> bool:
    return "≈" in signs[1:] and signs[0] in ASSIGNS


def stated_by(node: Relation, earlier_names: tuple[Node, ...]) -> list[Statement]:
    """What a relation states."""
    signs, operands = list(node.signs), list(node.operands)
    out: list[Statement] = []
    if (remarked := _remarked(node, earlier_names)) is not None:
        return [remarked]
    if signs[-1] == "=" and is_space(operands[-1]):
        signs[-1] = "∈"  # W = ℝ^{n×m} says the same, as nobody computes with spaces
    if signs[-1] in ("∈", "→", "∼") and operands[-1] is not None:
        axes = shape_axes(operands[-1])
        if axes is not None and (signs[-1] != "→" or isinstance(operands[-1], Group)):
            left = [n for n in (*earlier_names, *operands[:-1][:1]) if n is not None]
            declared = tuple(map(_at_any_place, left))
            if len(signs) == 1 and all(map(is_name, declared)):
                return [Declare(declared, axes, node.span)]
            if is_name(operands[0]):
                out.append(Declare(declared[:1], axes, node.span))
            signs, operands = signs[:-1], [*operands[:-2], _without_repeated(operands[:-1])]
    if signs[1:] and signs[-1] == "∈":  # what else it is in is only remarked
        signs, operands = signs[:-1], operands[:-1]
    if not signs:
        assert operands[0] is not None
        if braces.is_set(operands[0]):
            return [*out, *members(operands[0]), Fact("", node.span)]
        return [*out, Define(None, (operands[0],), node.span)]
    if _come_close(signs):  # what it comes close to is only remarked
        known = signs.index("≈")
        signs, operands = signs[:known], operands[: known + 1]
    return _equated(node, earlier_names, signs, operands, out)


def _equated(
    node: Relation,
    earlier_names: tuple[Node, ...],
    signs: list[str],
    operands: list[Node | None],
    declared: list[Statement],
) -> list[Statement]:
    """What a relation states behind what it has ``declared``, without spaces and remarks."""
    if signs[1:] and signs[-1] == "⇒" and is_growth(operands[-1]):  # and so is what that costs
        before = replace(
            node,
            operands=tuple(operands[:-1]),
            signs=tuple(signs[:-1]),
            sign_spans=node.sign_spans[: len(signs) - 1],
        )
        return [*declared, *stated_by(before, earlier_names)]
    near = operands[-1] if signs == ["≈"] and _is_function(operands[0], operands[-1]) else None
    if signs == [close_by.SIGN] and operands[0] is not None and definable(operands[0]):
        near = operands[-1]
    if near is not None and not isinstance(near, Num):
        return [*declared, Define(operands[0], (near,), node.span, near=True)]
    signs = ["≈" if sign == close_by.SIGN else sign for sign in signs]
    if signs == ["∼"] and _has_covariance(operands[1]):
        drawn = tuple(n for n in (*earlier_names, operands[0]) if n is not None and is_name(n))
        return [*declared, Fact("∼", node.span, drawn)]
    if not all(sign in ASSIGNS for sign in signs):
        return [*declared, Fact(next(s for s in signs if s not in ASSIGNS), node.span)]
    _refuse_lost_side(node, signs, operands)
    values = [operand for operand in operands if operand is not None]
    if operands[0] is None:
        return (
            [*declared, Define(None, (values[-1],), node.span)] if values else [Fact("", node.span)]
        )
    if len(values) < 2 or any(map(braces.is_set, values)):
        return [Fact("=", node.span)]
    made = _definition(values, node.span)
    if "←" in signs:
        made = [replace(one, keeps=True) if isinstance(one, Define) else one for one in made]
    return [*declared, *made]


def _remarked(node: Relation, earlier_names: tuple[Node, ...]) -> Statement | None:
    """What a relation remarks that defines nothing: that names are numbers in an interval, what
    shapes multiply to, what something is drawn from."""
    signs, operands = node.signs, node.operands
    if signs == ("∈",) and is_interval(operands[-1]):
        named = (*earlier_names, operands[0])
        numbers = tuple(_at_any_place(n) for n in named if _is_number(n))
        return Declare(numbers, (), node.span) if numbers else Fact("∈", node.span)
    if _is_product_of_shapes(operands[0]) and all(isinstance(o, Group) for o in operands[1:]):
        return Fact(signs[0], node.span)
    if signs == ("∼",) and _is_drawn_from(operands[-1]):
        return Fact("∼", node.span)
    return None


def _refuse_lost_side(
    node: Relation, signs: Sequence[str], operands: Sequence[Node | None]
) -> None:
    """Refuse a chain of equalities of which one has nothing on a side."""
    for at, operand in enumerate(operands[1:-1]):
        if operand is None:
            raise error(
                "N2C024",
                f"nothing stands between two `{signs[at]}`",
                node.sign_spans[at + 1],
                "complete the formula, or remove one sign",
            )
    if operands[-1] is None and len(operands) > 2:
        raise error(
            "N2C024",
            f"nothing stands behind this `{signs[-1]}`",
            node.sign_spans[len(signs) - 1],
            "complete the formula, or remove the sign",
        )


def _is_number(node: Node | None) -> TypeGuard[Node]:
    """Whether a node is a small letter, which what is in an interval makes a number; a capital may
    be a matrix of such numbers, and the gate f_t of a time is a vector of them."""
    match node:
        case Script(Name(letter), Name("t"), None, 0) if letter not in names.GREEK:
            return False
    return node is not None and is_name(node) and names.label(node)[:1].islower()


def _is_drawn_from(node: Node | None) -> bool:
    """Whether a node is a distribution over an interval, ``\\mathrm{Uniform}[a, b]``."""
    match node:
        case Juxt((Name(), Group("[", (_, _)))):
            return True
    return False


def _has_covariance(node: Node | None) -> bool:
    """Whether a node is a normal distribution of vectors: ``N(0, I)``, ``N(μ, σ^2 I)``, ``N(0,
    Σ)``, whose last parameter is a matrix; that of numbers is ``N(0, σ^2)``."""
    match node:
        case Juxt((Name("N"), Group("(", (_, spread)))):
            letters = words_in(spread) - {"T", "N"}
            return any(x == "Sigma" or (x.isupper() and len(x) == 1) for x in letters)
    return False


def _at_any_place(name: Node) -> Node:
    """``H_t`` for the ``H_{t-1}`` whose shape is said, which all of them have."""
    match name:
        case Script(sub=Group("", items) as group):
            return replace(name, sub=replace(group, items=tuple(map(_unmoved, items))))
        case Script(sub=Infix() as place):
            return replace(name, sub=_unmoved(place))
    return name


def _unmoved(place: Node) -> Node:
    """The t of ``t - 1``."""
    match place:
        case Infix("+" | "-", Name() as letter, Num()):
            return letter
    return place


def _without_repeated(sides: Sequence[Node | None]) -> Node | None:
    """The last side of ``A = \\sigma(S) \\; A ∈ ℝ^{n×n}`` without the A that only the shape is
    said of."""
    match sides:
        case [Name() | Script() as first, *_, Juxt((*factors, Name() | Script() as last)) as side]:
            if names.label(first) == names.label(last) and not all(map(is_name, factors)):
                return factors[0] if len(factors) == 1 else replace(side, factors=tuple(factors))
    return sides[-1]


def _definition(values: list[Node], span: Span) -> list[Statement]:
    """A chain of equalities; its left-hand side, or a name at its other end, is defined."""
    _refuse_second_equation(values)
    values = predictions.written_out([spread(values[0]), *values[1:]])
    if all(map(is_name, values)):
        if _is_gloss(values[-1]):
            return [Fact("=", span)]
        return [Define(name, (values[-1],), span) for name in values[:-1]]
    if any(isinstance(value, Num) for value in values) and not definable(values[0]):
        return [Fact("=", span)]
    if _is_of_numbers(values[0]) and not definable(values[-1]):  # 4 × 16 = 64 heads
        return [Fact("=", span)]
    if _is_nothing(values):
        return [Fact("=", span)]
    values = [v for v in values if v is values[0] or not _is_distribution(v, values[0])]
    if len(values) < 2:
        return [Fact("∼", span)]
    values = [v for v in values if v is values[0] or not _is_amount(v)]
    if len(values) < 2 or _is_amount(values[0]) or all(map(_is_of_shapes, values)):
        return [Fact("=", span)]
    if derivatives.is_operator(values[0]):
        return [Fact(OPERATOR, span)]
    if (pairs := list(_item_by_item(values))) and not any(map(_is_example, values)):
        return [Define(name, (value,), name.span.to(value.span)) for name, value in pairs]
    if (same := list(takewhile(is_name, values)))[1:]:  # Q = K = V = X W
        return [Define(name, _general(values[len(same) :]), span) for name in same]
    if definable(values[0]) or steps_above(values[0], values[1:]):
        return [Define(values[0], _general(values[1:]), span)]
    if _tells_parts(values[0], values[-1]):
        return [Fact("=", span)]
    if definable(values[-1]) and not (isinstance(values[-1], Juxt) or _is_element(*values)):
        return [Define(values[-1], _general(values[:-1]), span)]
    if any(map(_is_example, values[1:])):
        return [Fact(EXAMPLE, span)]
    return [Define(None, tuple(values), span)]


def _is_element(value: Node, *others: Node) -> bool:
    """Whether elements of an array are said to be some of the same one: ``(A^T)_{ij} = A_{ji}``."""
    if not (isinstance(value, Script) and isinstance(value.base, Group)):
        return False
    return binders.bare(others[-1]) in {binders.bare(node) for node in walk(value.base)}


def _tells_parts(node: Node, whole: Node) -> bool:
    """Whether ``[q_{t,1}; …; q_{t,n}] = q_t`` names the parts of a vector, which is made elsewhere:
    all have its letter, and one index more."""
    match node, whole:
        case Group("[", items), Script(Name(base, _, font), Name(), None, 0):
            parts = [item for item in items if not isinstance(item, Dots)]
            own = (isinstance(n, Script) and isinstance(n.base, Name) and n.base for n in parts)
            alike = all(name and (name.text, name.font) == (base, font) for name in own)
            return alike and len(items) > len(parts) > 1
    return False


def _refuse_second_equation(values: Sequence[Node]) -> None:
    """The R of ``R = A R = A`` may begin a second equation as well as be a factor."""
    for side in values[1:-1]:
        last = side.factors[-1] if isinstance(side, Juxt) else None
        if last is not None and is_name(values[0]) and alike(last, values[0]):
            raise error(
                "N2C033",
                "this may begin a second equation, or be a factor of what stands before it",
                last.span,
                "write a comma or `\\quad` before it, or write what it is equal to by itself",
            )


def _item_by_item(values: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """The names and values of ``(Q, K) = (X W, X U)``."""
    match values:
        case [Group(_, names, _), Group(_, given, _)] if len(names) == len(given) > 1:
            if all(map(is_name, names)) and not any(isinstance(one, Dots) for one in given):
                yield from zip(names, given, strict=True)


def _is_nothing(values: Sequence[Node]) -> bool:
    """Whether ``B = 0`` says what a matrix is at first: no class holds one that stays so."""
    match values:
        case [Name(letter), *others] if letter.isupper():
            return all(isinstance(other, Num) and other.text == "0" for other in others)
    return False


def _is_distribution(node: Node, of: Node) -> bool:
    """Whether a value only says how something is distributed: ``N(x; μ, σ^2)``, and the ``N(0,
    I)`` that is a probability."""
    match node, of:
        case Juxt((Name("N"), Group("(", (_, _, _), separators))), _ if {";", "|"} & {*separators}:
            return True
        case Juxt((Name("N"), Group("(", (_, _)))), Juxt((name, Group("("))):
            return names.base_letter(names.label(name)) in names.PROBABILITIES
    return False


def _is_amount(node: Node) -> bool:
    """Whether a value is a number of units, ``16 \\text{ GB}``, by which nothing is computed."""
    match node:
        case Juxt((Num(), Name(said))):
            return said.partition(" ")[0] in AMOUNTS
    return False


def _is_of_shapes(node: Node) -> bool:
    """Whether a side is a shape in parentheses, or such multiplied: ``(n × d) × (d × n)``."""
    match node:
        case Infix("×" | "·", Group() as left, Group() as right):
            return _is_of_shapes(left) and _is_of_shapes(right)
        case Juxt(factors):
            return all(isinstance(f, Group) and _is_of_shapes(f) for f in factors)
        case Group("(", (Infix("×", left, right),)):
            return all(isinstance(side, Num) or is_name(side) for side in (left, right))
    return False


def _is_product_of_shapes(node: Node | None) -> bool:
    """Whether a node multiplies two shapes: ``[n, d] × [d, m]``."""
    match node:
        case Infix("×" | "·", Group("[", (_, inner)), Group("[", (again, _))):
            return alike(inner, again)
    return False


def _is_function(node: Node | None, value: Node | None) -> bool:
    """Whether a left-hand side is a function that a word calls: one of a number, as ``GELU(x)``, or
    one of queries, keys and values that its value is made of, as linear attention is."""
    match node:
        case Juxt((Name(word), Group("(", (*given,), separators))) if (
            len(word) > 1 and word not in names.GREEK and {*separators} <= {","}
        ):
            letters = {one.text for one in given if isinstance(one, Name)}
            if len(given) == len(letters) == 1:
                return "".join(letters).islower()
            if value is None or any(isinstance(inner, Infix) for inner in walk(value)):
                return False  # 1 + Q K^⊤ is the begin of a series
            return 1 < len(given) == len(letters) and letters <= names.ROLES & words_in(value)
    return False


def members(node: Node) -> list[Statement]:
    """The shapes that are said of the members of a set, as in ``\\{x_i ∈ ℝ^d\\}_{i=1}^n``."""
    told = [item for item in braces.family(node) or () if isinstance(item, Relation)]
    return [statement for relation in told for statement in stated_by(relation, ())]


def _is_gloss(node: Node) -> bool:
    """Whether a name says in words what another stands for, as in ``V = \\text{values}``."""
    return (
        isinstance(node, Name)
        and len(node.text) > 1
        and not (node.text in names.GREEK or node.text in CALLED)
    )


def _general(values: list[Node]) -> tuple[Node, ...]:
    """The values without those that only show what comes out on numbers."""
    return tuple(value for value in values if not _is_example(value)) or tuple(values)


def _is_example(node: Node) -> bool:
    """Whether a value is a list or matrix of numbers, or a product of such."""
    return _is_of_numbers(node) and any(
        isinstance(n, Matrix) or (isinstance(n, Group) and n.items[1:]) for n in walk(node)
    )


def _is_of_numbers(node: Node) -> bool:
    arithmetic = isinstance(node, Num | Neg | Matrix | Group | Juxt | Infix | Frac)
    return arithmetic and all(map(_is_of_numbers, children(node)))
