"""What a formula states: definitions, values, shapes and ranges, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeGuard

from notes2code.diagnostics import Span, error
from notes2code.latex.tree import (
    Big,
    Clause,
    Dots,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Neg,
    Node,
    Nodes,
    Num,
    Prose,
    Relation,
    Script,
    Stroke,
    Tree,
    children,
    ungrouped,
    walk,
)
from notes2code.latex.words import CALLED, IF
from notes2code.meaning import (
    braces,
    in_brackets,
    in_parentheses,
    names,
    planes,
    primed,
    roles,
    windows,
)
from notes2code.meaning.definable import definable, spread, steps_above
from notes2code.meaning.one_line import tabled
from notes2code.meaning.scripts import is_name
from notes2code.records import dataclass

EXAMPLE = "example"
"""The sign of a fact that shows what comes out of something on numbers."""

ASSIGNS = frozenset(["=", ":=", "≡", "←", "=:"])


@dataclass(frozen=True, slots=True)
class Define:
    """``target = value``; ``values`` are the alternatives of a chain, which must agree.

    ``target`` is None where the left-hand side is an expression that cannot be defined; then it
    is the first of the values. ``condition`` holds where the definition does. ``near`` says that
    the value only comes close: ``GELU(x) ≈ …``.
    """

    target: Node | None
    values: tuple[Node, ...]
    span: Span
    condition: Node | None = None
    near: bool = False


@dataclass(frozen=True, slots=True)
class Declare:
    """Names and the shape they are said to have: the axes, an empty tuple for a number."""

    names: tuple[Node, ...]
    axes: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Range:
    """An index and the first and last number it counts."""

    index: str
    first: Node | None
    last: Node | None
    span: Span


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds, or is only remarked: it defines nothing. ``sign`` is its relation, ""
    or ``EXAMPLE``."""

    sign: str
    span: Span


MAX_SIDES = 200
"""Statements, and sides of equations, in one formula."""

Statement: TypeAlias = Define | Declare | Range | Fact


def statements(tree: Tree) -> tuple[Statement, ...]:
    """The statements of a formula, in order."""
    out: list[Statement] = []
    waiting: list[Node] = []
    read = tabled(tree)
    nodes = Nodes(node for clause in read for node in walk(clause.node))
    rewritten = (
        in_parentheses.as_indices,
        windows.with_letters,
        in_brackets.as_indices,
        primed.renamed,
        planes.plain,
        roles.labelled,
    )
    for written in rewritten:
        read = written(read, nodes)
    clauses = [inner for clause in read for inner in _expand(clause)]
    at = 0
    while at < len(clauses):
        clause = clauses[at]
        node = clause.node
        skipped = _enumerated_range(clauses, at)
        if skipped is not None:
            found, at = skipped
            out.append(found)
            continue
        if (pairs := _paired(clauses, at)) is not None:
            defined, at = pairs
            out.extend(defined)
            continue
        if _is_label(clauses, at):
            out.append(Fact("", node.span))
        elif _is_condition(clause, out) or _limits_indices(node, out):
            last = out[-1]
            assert isinstance(last, Define)
            out[-1] = replace(last, condition=ungrouped(node))
        elif _is_listed(node, waiting) and _followed_by_declaration(clauses, at):
            waiting.append(node)
        elif isinstance(node, Relation) and any(isinstance(n, Dots) for n in waiting):
            out.extend(_relation(_of_each(node), ()))
            waiting = []
        elif isinstance(node, Relation):
            _refuse_lost_operand(clauses, at, out)
            _refuse_two_for_all(node, clauses[at + 1 : at + 2])
            out.extend(_relation(node, tuple(waiting)))
            waiting = []
        elif isinstance(node, Num) and clause.before == "quad" and not clause.words:
            raise error(
                "N2C025",
                f"the number {node.text} stands behind the formula with no sign between",
                node.span,
                "remove it, write the sign that is meant, or `\\tag{…}` for the formula's number",
            )
        elif braces.family(node) is not None:
            out.extend((*_members(node), Fact("", node.span)))
        elif _is_remark(clause, out):
            _refuse_lost_factor(clauses, at, out)
            out.append(Fact("", node.span))
        else:
            out.append(Define(None, (node,), node.span))
        at += 1
    _refuse_many(out)
    return tuple(_number(statement, clauses) for statement in out)


def _refuse_many(stated: Sequence[Statement]) -> None:
    """Refuse what states more than any formula of a note, such as a = a = a = …"""
    sides = 0
    for statement in stated:
        sides += len(statement.values) if isinstance(statement, Define) else 1
        if sides > MAX_SIDES:
            raise error(
                "N2C020",
                f"this formula states more than {MAX_SIDES} things",
                statement.span,
                "split it into several formulas",
            )


def _number(statement: Statement, clauses: Sequence[Clause]) -> Statement:
    """``i = 3`` says what i is where i stands below or above nothing."""
    if not isinstance(statement, Range) or statement.first is None:
        return statement
    if statement.first is not statement.last:
        return statement
    if any(statement.index in _letters_in_scripts(clause.node) for clause in clauses):
        return statement
    return Define(Name(statement.index, statement.span), (statement.first,), statement.span)


def _letters_in_scripts(node: Node) -> Iterator[str]:
    """The letters in subscripts, below big signs, and alone above a name."""
    for inner in walk(node):
        if isinstance(inner, Script | Big) and inner.sub is not None:
            yield from (n.text for n in walk(inner.sub) if isinstance(n, Name))
        if isinstance(inner, Script) and isinstance(inner.sup, Name | Group):
            yield from (n.text for n in walk(inner.sup) if isinstance(n, Name))


def _paired(clauses: list[Clause], at: int) -> tuple[list[Statement], int] | None:
    """``Q, K, V = XW^Q, XW^K, XW^V``: a definition for each name, and where the next clause is."""
    names: list[Node] = []
    middle = at
    while middle < len(clauses) and is_name(clauses[middle].node):
        names.append(clauses[middle].node)
        middle += 1
    if not names or middle == len(clauses):
        return None
    relation = clauses[middle].node
    if not isinstance(relation, Relation) or relation.signs != ("=",):
        return None
    left, first = relation.operands
    behind = clauses[middle + 1 : middle + 1 + len(names)]
    if left is None or not is_name(left) or not _all_behind_commas(clauses[at + 1 : middle + 1]):
        return None
    targets = [*names, left]
    if first is not None and not (behind and _all_behind_commas(behind[:1])):
        return _shared(targets, first), middle + 1
    plain = [first, *(clause.node for clause in behind)]
    if not _all_behind_commas(behind) or len(plain) != len(targets):
        return None
    values = [node for node in plain if node is not None and not isinstance(node, Relation)]
    if len(values) < len(plain) or any(isinstance(value, Dots) for value in values):
        return None
    pairs = zip(targets, values, strict=True)
    return [Define(t, (v,), t.span.to(v.span)) for t, v in pairs], middle + len(targets)


def _all_behind_commas(clauses: list[Clause]) -> bool:
    return all(clause.before == "," for clause in clauses)


def _shared(targets: list[Node], value: Node) -> list[Statement]:
    """``Q, K, V = X``: all are X. One number for several names says what they are like, anything
    else does not say which of them is what."""
    span = targets[0].span.to(value.span)
    if is_name(value):
        return [Define(target, (value,), span) for target in targets]
    if all(isinstance(node, Num | Infix) for node in walk(value)):
        return [Fact("=", span)]
    raise error(
        "N2C032",
        f"one value stands for {len(targets)} names, and nothing says how it is shared out",
        span,
        "write an equation for each name",
    )


def _refuse_two_for_all(node: Relation, behind: list[Clause]) -> None:
    """Refuse ``K = V = X W_K, W_V``: of several names, which one has what stands behind the
    comma?"""
    targets, value = node.operands[:-1], node.operands[-1]
    if set(node.signs) != {"="} or len(targets) < 2 or not isinstance(value, Juxt | Infix):
        return
    if not all(target is not None and is_name(target) for target in targets):
        return
    for clause in behind:
        if clause.before == "," and not clause.words and _is_value(clause.node):
            raise error(
                "N2C032",
                f"two values stand for {len(targets)} names that are equal",
                value.span.to(clause.node.span),
                "write an equation for each name",
            )


def _is_value(node: Node) -> bool:
    """Whether a node is a matrix or a product, rather than a letter that is explained."""
    return isinstance(node, Juxt | Infix) or (isinstance(node, Script) and is_name(node))


def _is_label(clauses: list[Clause], at: int) -> bool:
    """Whether a name only says what follows it is called: ``\\text{Pre-norm}: y = …``."""
    following = clauses[at + 1].before if at + 1 < len(clauses) else ""
    return at == 0 and following == ":" and is_name(clauses[at].node)


def _is_remark(clause: Clause, before: list[Statement]) -> bool:
    """Whether a clause is no statement: a lone name in prose, dots, a bare number or sign."""
    if isinstance(clause.node, Dots | Num) or (clause.before and isinstance(clause.node, Stroke)):
        return True  # a stroke is the box at the end of a proof
    lone = is_name(clause.node) or isinstance(clause.node, Group)
    return lone and bool(clause.words or before or clause.before)


def _refuse_lost_factor(clauses: list[Clause], at: int, before: list[Statement]) -> None:
    """Refuse the ``W^O`` behind ``= Concat(…), W^O``: the comma is what a ``\\,`` leaves where
    its stroke is lost. What is only named behind a formula, to be explained, stands in it."""
    clause = clauses[at]
    others = (inner for other in clauses if other is not clause for inner in walk(other.node))
    if (
        at + 1 == len(clauses)
        and clause.before == ","
        and not clause.words
        and before
        and isinstance(before[-1], Define)
        and before[-1].target is not None
        and isinstance(clause.node, Script)
        and isinstance(clause.node.base, Name)
        and clause.node.base.text.isupper()
        and names.label(clause.node) not in {names.label(other) for other in others}
    ):
        raise error(
            "N2C033",
            "this stands behind the formula with only a comma between, and may be a factor",
            clause.node.span,
            "write `\\,` or nothing between factors, and leave out what the formula does not use",
        )


def _refuse_lost_operand(clauses: list[Clause], at: int, before: list[Statement]) -> None:
    """Refuse the ``h_t`` of ``c_t = W, h_t ∈ ℝ^d``, which is one for each t as c is, and W is not:
    a weight alone is no c_t."""
    last, clause = before[-1] if before else None, clauses[at]
    first = clause.node.operands[0] if isinstance(clause.node, Relation) else None
    if not isinstance(last, Define) or first is None or clause.before != "," or clause.words:
        return
    match last.target, last.values, first:
        case Script(_, Name(mine)), (Script(Name("W"), None) | Name("W"),), Script(_, Name(other)):
            if mine == other:
                raise error(
                    "N2C033",
                    "this stands behind a weight with only a comma between, and may be a factor",
                    first.span,
                    "write `\\,` or nothing between factors",
                )


def _expand(clause: Clause) -> list[Clause]:
    """A clause that is a brace with equations below each other, or a set of what an equation
    defines, is those equations."""
    node = clause.node
    if stated := braces.stated(node):
        return [Clause(item, ",", "") for item in stated]
    while isinstance(node, Group) and node.open in ("cases", "", "{") and len(node.items) == 1:
        node = node.items[0]
    if not isinstance(node, Matrix):
        return [clause]
    equations: list[tuple[Node, str]] = []
    for row in map(_row, node.rows):
        inside = row.items if isinstance(row, Group) and not row.open else (row,)
        words = " ".join(item.text for item in inside if isinstance(item, Prose))
        for item in inside:
            if isinstance(item, Relation):
                equations.append((item, words if equations else clause.words))
            elif not isinstance(item, Prose):
                return [clause]
    return [Clause(item, "row", words) for item, words in equations] or [clause]


def _row(cells: tuple[Node | None, ...]) -> Node | None:
    """A row of an aligned array as one node: ``q & = x W`` is a relation."""
    filled = [cell for cell in cells if cell is not None]
    if len(filled) == 1:
        return filled[0]
    if len(filled) == 2 and isinstance(filled[1], Relation) and filled[1].operands[0] is None:
        right = filled[1]
        return replace(right, operands=(filled[0], *right.operands[1:]))
    return None


# --- conditions, ranges, declarations ------------------------------------------------------


def _is_condition(clause: Clause, before: list[Statement]) -> bool:
    words = clause.words.lower().split()
    conditional = any(word in IF for word in words)
    return (
        conditional
        and bool(before)
        and isinstance(before[-1], Define)
        and isinstance(clause.node, Relation)
        and all(sign in "<>≤≥≠=" for sign in clause.node.signs)
        and "∈" not in clause.node.signs
        and not (_index_letter(clause.node.operands[0]) and clause.node.signs == ("=",))
    )


def _limits_indices(node: Node, before: list[Statement]) -> bool:
    """Whether a relation between two indices of the left-hand side stands behind an equation:
    ``e_{ij} = q_i^\\top k_j, \\quad j ≤ i``."""
    relation, last = ungrouped(node), before[-1] if before else None
    if not isinstance(relation, Relation) or not isinstance(last, Define) or last.target is None:
        return False
    if len(relation.signs) != 1 or relation.signs[0] not in "<>≤≥":
        return False
    indices = set(_letters_in_scripts(last.target)) - {"l", "ell"}  # which count layers
    letters = {side.text for side in relation.operands if isinstance(side, Name)}
    return len(letters) == 2 and letters <= indices


def _enumerated_range(clauses: list[Clause], at: int) -> tuple[Range, int] | None:
    """``i = 1, …, n`` over several clauses: the range, and where the next clause is."""
    node = clauses[at].node
    if not (isinstance(node, Relation) and node.signs in (("=",), ("∈",))):
        return None
    letter = _letter(node.operands[0])
    if letter is None or node.operands[1] is None:
        return None
    first = node.operands[1]
    listed = node.signs == ("∈",) and isinstance(first, Group)
    counting = listed or isinstance(first, Num) or _dotted(first) is not None
    if _index_letter(node.operands[0]) is None and not counting:
        return None
    if node.signs == ("=",):
        for ahead in range(at + 1, min(at + 4, len(clauses) - 1)):
            if isinstance(clauses[ahead].node, Dots):
                last = clauses[ahead + 1].node
                if isinstance(last, Relation):
                    return None
                return Range(letter, first, last, node.span.to(last.span)), ahead + 2
        ends = _dotted(first)
        if ends:
            return Range(letter, *ends, node.span), at + 1
        counted = _counted(clauses, at, first)
        if counted > at:
            return Range(letter, first, clauses[counted].node, node.span), counted + 1
        index = _index_letter(node.operands[0])
        if clauses[at].before and isinstance(first, Num) and index is not None and index.isascii():
            return Range(letter, first, first, node.span), at + 1
    elif isinstance(first, Group) and first.items:
        items = [item for item in first.items if not isinstance(item, Dots)]
        dotted = len(items) < len(first.items) or any(map(_dotted, items))
        if not dotted and _index_letter(node.operands[0]) is None:
            return None  # without dots only an index letter says that it is a range
        if first.open in ("[", "{", "(") and items:
            inner = _dotted(items[0]) if len(items) == 1 else (items[0], items[-1])
            if inner:
                return Range(letter, *inner, node.span), at + 1
    return None


def _counted(clauses: list[Clause], at: int, first: Node) -> int:
    """The clause with the last of ``i = 1, 2, 3``; the first where no numbers follow in turn."""
    number = int(first.text) if isinstance(first, Num) and first.text.isdigit() else None
    while number is not None and at + 1 < len(clauses):
        following = clauses[at + 1]
        number += 1
        if (
            following.before != ","
            or following.words
            or following.node != Num(str(number), following.node.span)
        ):
            break
        at += 1
    return at


def _dotted(node: Node) -> tuple[Node, Node] | None:
    """The ends of ``0 … 7`` or ``1..n``."""
    if isinstance(node, Juxt) and any(isinstance(f, Dots) for f in node.factors):
        first, last = node.factors[0], node.factors[-1]
        if not isinstance(first, Dots) and not isinstance(last, Dots):
            return first, last
    return None


def _letter(node: Node | None) -> str | None:
    """A letter that dots can say the range of: any, since ``h = 1, …, H`` is said of h."""
    named = isinstance(node, Name) and len(node.text) == 1
    return node.text if named and isinstance(node, Name) else _index_letter(node)


def _index_letter(node: Node | None) -> str | None:
    if isinstance(node, Name) and node.text in names.INDEX_LETTERS:
        return node.text
    return None


def _followed_by_declaration(clauses: list[Clause], at: int) -> bool:
    """Whether ``Q`` is the first of ``Q, K, V ∈ …``, or one of ``x_1, …, x_n ∈ …``."""
    for clause in clauses[at + 1 :]:
        if clause.before != ",":
            return False
        if isinstance(clause.node, Relation):
            return clause.node.signs[0] in ("∈",) and is_name(clause.node.operands[0])
        if not (is_name(clause.node) or isinstance(clause.node, Dots)):
            return False
    return False


def _is_listed(node: Node, waiting: Sequence[Node]) -> bool:
    """Whether a clause belongs to a list of names: a name, or dots behind one."""
    return is_name(node) or (isinstance(node, Dots) and bool(waiting))


def _of_each(node: Relation) -> Relation:
    """``x_i ∈ ℝ^d`` for the end of ``x_1, …, x_n ∈ ℝ^d``."""
    match node.operands[0]:
        case Script(Name(), sub, None, 0) as last if sub is not None:
            each = replace(last, sub=Name("i", sub.span))
            return replace(node, operands=(each, *node.operands[1:]))
    return node


def shape_axes(node: Node | None) -> tuple[Node, ...] | None:
    """The axes of ``ℝ^{n×d}``, ``R^n``, ``[0, 1]^n``, ``[B, T, d]`` or ``ℝ``; None for anything
    else."""
    if isinstance(node, Name):
        return () if node.text == "R" else None
    if isinstance(node, Script) and isinstance(node.base, Name):
        if node.base.text not in ("R", "C", "Z", "N") or node.sub is not None:
            return None
        if node.base.text != "R" and node.base.font != "blackboard":
            return None
        return () if node.sup is None else _axes(node.sup)
    if isinstance(node, Script) and _is_interval(node.base) and node.sup is not None:
        return _axes(node.sup)
    if isinstance(node, Juxt):
        spaces, last = node.factors[:-1], node.factors[-1]
        if isinstance(last, Group) and last.open == "[" and all(is_name(s) for s in spaces):
            return last.items
        return None
    if isinstance(node, Group) and node.open == "[" and not _is_interval(node):
        return node.items
    return None


def _is_small(node: Node | None) -> TypeGuard[Node]:
    """Whether a node is a small letter, which what is in an interval makes a number; a capital may
    be a matrix of such numbers."""
    return node is not None and is_name(node) and names.label(node)[:1].islower()


def _is_interval(node: Node | None) -> bool:
    """Whether a node is ``[0, 1]``, ``(-1, 1)``, ``\\{1, -1\\}`` or ``[0.6, 0.7]``, which are no
    sizes."""
    match node:
        case Group(_, (Num("0") | Neg(), _) | (_, Neg())):
            return True
        case Group(_, (Num(first), Num(last))):
            return "." in first + last
    return False


def _axes(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Infix) and node.op in ("×", "*"):
        return (*_axes(node.left), *_axes(node.right))
    if isinstance(node, Script) and isinstance(node.sub, Infix) and node.sub.op == "×":
        # The brace of d_{model × d_k} closes too late.
        first = replace(node, sub=node.sub.left)
        return (*_axes(first), *_axes(node.sub.right))
    if isinstance(node, Infix) and node.op == "/" and len(axes := _axes(node.left)) > 1:
        # The × of n × d / h parts axes, and / belongs to the last of them.
        return (*axes[:-1], replace(node, left=axes[-1]))
    if isinstance(node, Group) and node.open in ("", "(") and len(node.items) > 1:
        return node.items
    if isinstance(node, Group) and node.open == "(" and len(node.items) == 1:
        return _axes(node.items[0])
    return (node,)


# --- relations -------------------------------------------------------------------------------


def _relation(node: Relation, earlier_names: tuple[Node, ...]) -> list[Statement]:
    """What a relation states."""
    signs, operands = list(node.signs), list(node.operands)
    out: list[Statement] = []
    if signs == ["∈"] and _is_interval(operands[-1]):
        named = (*earlier_names, operands[0])
        numbers = tuple(_at_any_place(n) for n in named if _is_small(n))
        return [Declare(numbers, (), node.span)] if numbers else [Fact("∈", node.span)]
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
            return [*out, *_members(operands[0]), Fact("", node.span)]
        return [*out, Define(None, (operands[0],), node.span)]
    if "≈" in signs[1:] and signs[0] in ASSIGNS:  # what it comes close to is only remarked
        known = signs.index("≈")
        signs, operands = signs[:known], operands[: known + 1]
    if signs[1:] and signs[-1] == "⇒" and is_growth(operands[-1]):  # and so is what that costs
        before = replace(
            node,
            operands=tuple(operands[:-1]),
            signs=tuple(signs[:-1]),
            sign_spans=node.sign_spans[: len(signs) - 1],
        )
        return [*out, *_relation(before, earlier_names)]
    near = operands[-1] if signs == ["≈"] and _is_function(operands[0]) else None
    if near is not None and not isinstance(near, Num):
        return [*out, Define(operands[0], (near,), node.span, near=True)]
    if not all(sign in ASSIGNS for sign in signs):
        return [*out, Fact(next(s for s in signs if s not in ASSIGNS), node.span)]
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
    values = [operand for operand in operands if operand is not None]
    if operands[0] is None:
        return [*out, Define(None, (values[-1],), node.span)] if values else [Fact("", node.span)]
    if len(values) < 2 or any(map(braces.is_set, values)):
        return [Fact("=", node.span)]
    return [*out, *_definition(values, node.span)]


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
    values = [spread(values[0]), *values[1:]]
    if all(map(is_name, values)):
        if _is_gloss(values[-1]):
            return [Fact("=", span)]
        return [Define(name, (values[-1],), span) for name in values[:-1]]
    if any(isinstance(value, Num) for value in values) and not definable(values[0]):
        return [Fact("=", span)]
    if definable(values[0]) or steps_above(values[0], values[1:]):
        return [Define(values[0], _general(values[1:]), span)]
    if definable(values[-1]) and not isinstance(values[-1], Juxt):
        return [Define(values[-1], _general(values[:-1]), span)]
    if any(map(_is_example, values[1:])):
        return [Fact(EXAMPLE, span)]
    return [Define(None, tuple(values), span)]


def is_growth(node: Node | None) -> bool:
    """Whether a node is an order of growth, ``O(n^2 d)``."""
    match node:
        case Juxt((Name("O" | "Theta" | "Omega"), Group("("))):
            return True
    return False


def _is_function(node: Node | None) -> bool:
    """Whether a left-hand side is a function of one number that a word calls, as ``GELU(x)``."""
    match node:
        case Juxt((Name(word), Group("(", (Name(letter),)))):
            return len(word) > 1 and word not in names.GREEK and letter.islower()
    return False


def _members(node: Node) -> list[Statement]:
    """The shapes that are said of the members of a set, as in ``\\{x_i ∈ ℝ^d\\}_{i=1}^n``."""
    told = [item for item in braces.family(node) or () if isinstance(item, Relation)]
    return [statement for relation in told for statement in _relation(relation, ())]


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
    arithmetic = isinstance(node, Num | Neg | Matrix | Group | Juxt | Infix)
    return arithmetic and all(map(_is_of_numbers, children(node)))
