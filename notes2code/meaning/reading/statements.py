"""What a formula states: definitions, values, shapes and ranges, clause by clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import error
from notes2code.latex.joining import WHERE
from notes2code.latex.tree import (
    Apply,
    Big,
    Clause,
    Dots,
    Formula,
    Frac,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Node,
    Num,
    Prose,
    Relation,
    Root,
    Script,
    Stroke,
    Tree,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation.scripts import is_name, whole_names
from notes2code.meaning.reading import (
    braces,
    limits,
    lists,
    pieces,
    ranges,
    relations,
    remarks,
    spaces,
    summed_up,
    within_steps,
)
from notes2code.meaning.reading.one_line import tabled
from notes2code.meaning.rewriting.rewrites import rewritten
from notes2code.meaning.rewriting.shared_out import shared
from notes2code.meaning.stated import Define, Fact, Range, Statement

MAX_SIDES = 200
"""Statements, and sides of equations, in one formula."""


def statements(tree: Tree) -> tuple[Statement, ...]:
    """The statements of a formula, in order."""
    read = lists.in_parentheses(tabled(limits.ahead(tree.clauses), tree.behind))
    formula = tree.formula if read == tree.clauses else Formula(read)
    clauses = [inner for clause in rewritten(formula) for inner in _expand(clause)]
    out = [*map(summed_up.without_step, limits.kept(limits.joined(_stated(clauses))))]
    _refuse_many(out)
    if len(out) == 1 and _is_value_at_a_point(out[0]):
        return (Fact("=", out[0].span),)
    return within_steps.inlined(tuple(_number(statement, clauses) for statement in out))


def _stated(clauses: Sequence[Clause]) -> list[Statement]:
    """What clauses state, in order. Names of a list wait until something is said of them."""
    out: list[Statement] = []
    waiting: list[Node] = []
    at = 0
    while at < len(clauses):
        limited = next((one for one in reversed(out) if isinstance(one, Define)), None)
        behind = _state_several(clauses, at, out, limited)
        if behind is None:
            waiting = _state_one(clauses, at, out, limited, waiting)
        at = at + 1 if behind is None else behind
    return out


def _state_several(
    clauses: Sequence[Clause], at: int, out: list[Statement], limited: Define | None
) -> int | None:
    """State what several clauses say together, a range or definitions in pairs; what stands behind
    them is next."""
    skipped = ranges.enumerated(clauses, at)
    if skipped is not None:
        found, behind = skipped
        if limited and (between := limits.of_range(found, limited)):
            _limit(out, limited, (*limited.conditions, between))
        else:
            out.append(found)
        return behind
    if (pairs := _paired(clauses, at)) is not None:
        defined, behind = pairs
        out.extend(defined)
        return behind
    return None


def _state_one(
    clauses: Sequence[Clause],
    at: int,
    out: list[Statement],
    limited: Define | None,
    waiting: Sequence[Node],
) -> list[Node]:
    """State what one clause says; gives the names that wait behind it."""
    clause, node = clauses[at], clauses[at].node
    if _is_label(clauses, at) or _is_supposed(clauses, at, limited):
        out.append(Fact("", node.span))
    elif limited and (said := limits.behind(clause, limited, waiting)):
        if relations.comes_close(clauses[at - 1].node):
            out.append(Fact("≈", node.span))  # A_{ij} = … ≈ 0 for j > i: it is close there
        else:
            _limit(out, limited, limits.together(limited, said, clause.words))
        return []
    elif _is_listed(node, waiting) and _followed_by_declaration(clauses, at):
        return [*waiting, node]
    elif isinstance(node, Relation) and any(isinstance(n, Dots) for n in waiting):
        out.extend(relations.stated_by(_of_each(node), ()))
        return []
    elif isinstance(node, Relation):
        _refuse_lost_operand(clauses, at, out)
        _refuse_two_for_all(node, clauses[at + 1 : at + 2])
        out.extend(pieces.listed(node) or relations.stated_by(node, tuple(waiting)))
        return []
    elif isinstance(node, Num) and clause.before == "quad" and not clause.words:
        raise error(
            "N2C025",
            f"the number {node.text} stands behind the formula with no sign between",
            node.span,
            "remove it, write the sign that is meant, or `\\tag{…}` for the formula's number",
        )
    elif braces.family(node) is not None:
        out.extend((*relations.members(node), Fact("", node.span)))
    elif _is_remark(clause, out):
        _refuse_lost_factor(clauses, at, out)
        out.append(Fact("", node.span))
    else:
        _refuse_lost_factor(clauses, at, out)
        out.append(Define(None, (node,), node.span))
    return [*waiting]


def _limit(out: list[Statement], define: Define, conditions: tuple[Node, ...]) -> None:
    """Let a definition hold where some conditions do."""
    at = out.index(define)
    out[at] = replace(define, conditions=conditions)


def _is_value_at_a_point(statement: Statement) -> bool:
    """Whether all that is said is that a letter, by custom an array, is 0, as where something holds
    "at $x = 0$": that makes no number of it in other formulas. What counts, a size or k, is one."""
    match statement:
        case Define(Name(letter), (Num("0"),), conditions=()):
            custom = names.element_ranks(letter, 0, bold=False, transposed=False)[0]
            return custom > 0 and not (names.is_size_name(letter) or letter == "k")
    return False


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
    if any(statement.index in limits.letters_on(clause.node) for clause in clauses):
        return statement
    return Define(Name(statement.index, statement.span), (statement.first,), statement.span)


def _paired(clauses: Sequence[Clause], at: int) -> tuple[list[Statement], int] | None:
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
    if spaces.is_space(first):
        return None  # a shape is said of all of them
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


def _all_behind_commas(clauses: Sequence[Clause]) -> bool:
    return all(clause.before == "," for clause in clauses)


def _shared(targets: list[Node], value: Node) -> list[Statement]:
    """``Q, K, V = X``: all are X. One number for several names says what they are like, anything
    else does not say which of them is what."""
    span = targets[0].span.to(value.span)
    if is_name(value):
        return [Define(target, (value,), span) for target in targets]
    if all(isinstance(node, Num | Infix | Frac) for node in walk(value)):
        return [Fact("=", span)]
    if shared(targets, value):
        listed = Group("[", tuple(targets), (",",) * (len(targets) - 1), span)
        return [Define(None, (listed, value), span)]
    raise error(
        "N2C032",
        f"one value stands for {len(targets)} names, and nothing says how it is shared out",
        span,
        "write an equation for each name",
    )


def _refuse_two_for_all(node: Relation, behind: Sequence[Clause]) -> None:
    """Refuse ``K = V = X W_K, W_V``: of several names, which one has what stands behind the
    comma?"""
    targets, value = node.operands[:-1], node.operands[-1]
    if set(node.signs) != {"="} or len(targets) < 2 or not isinstance(value, Juxt | Infix | Frac):
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
    return isinstance(node, Juxt | Infix | Frac) or (isinstance(node, Script) and is_name(node))


def _is_supposed(clauses: Sequence[Clause], at: int, limited: Define | None) -> bool:
    """Whether an equation only says where something holds: what stands behind an *if* with nothing
    before it, and a case of which the other one is ``≠``."""
    lone = len(clauses) == 1 and clauses[at].words.lower() in WHERE
    return lone or (limited is not None and limits.is_opposite(clauses[at].node, clauses))


def _is_label(clauses: Sequence[Clause], at: int) -> bool:
    """Whether a name only says what follows it is called: ``\\text{Pre-norm}: y = …``."""
    following = clauses[at + 1].before if at + 1 < len(clauses) else ""
    return at == 0 and following == ":" and is_name(clauses[at].node)


def _is_remark(clause: Clause, before: list[Statement]) -> bool:
    """Whether a clause is no statement: a lone name in prose, dots, a bare number or sign."""
    if isinstance(clause.node, Dots | Num) or (clause.before and isinstance(clause.node, Stroke)):
        return True  # a stroke is the box at the end of a proof
    if isinstance(clause.node, Group) and any(isinstance(one, Prose) for one in clause.node.items):
        return True  # what a letter is, ``(Q: \\text{queries, } n \\times d)``
    lone = is_name(clause.node) or isinstance(clause.node, Group) or _is_described(clause.node)
    return lone and bool(clause.words or before or clause.before)


def _is_described(node: Node) -> bool:
    """Whether words stand behind a name, which say what it is: ``d_k \\text{ die Breite}``."""
    match node:
        case Juxt((name, Name(words))) if is_name(name):
            return " " in words or not words.isascii()
    return False


def _refuse_lost_factor(clauses: Sequence[Clause], at: int, before: list[Statement]) -> None:
    """Refuse the ``W^O`` behind ``= Concat(…), W^O``, and the ``h_j`` behind ``= Σ_j α_j , h_j``:
    the comma is what a ``\\,`` leaves where its stroke is lost. What is only named behind it,
    to be explained, stands in it."""
    clause, last = clauses[at], before[-1] if before else None
    if clause.before != "," or clause.words or not isinstance(last, Define):
        return
    if last.target is None and len(last.values) == 1:  # a list of things that are only named
        return
    if not isinstance(clause.node, Name | Script | Juxt | Infix | Frac | Big | Root | Apply):
        return
    others = (inner for other in clauses if other is not clause for inner in walk(other.node))
    known = {names.label(other) for other in others}
    if {names.label(name) for name in whole_names(clause.node)} <= known:
        return
    raise error(
        "N2C033",
        "this stands behind the formula with only a comma between, and may be a factor",
        clause.node.span,
        "write `\\,` or nothing between factors, and leave out what the formula does not use",
    )


def _refuse_lost_operand(clauses: Sequence[Clause], at: int, before: list[Statement]) -> None:
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
    defines, is those equations; a range in parentheses behind an equation is a clause of its
    own."""
    node = clause.node
    if isinstance(node, Relation) and (cut := ranges.behind(node)):
        return [replace(clause, node=cut[0]), *(Clause(item, ",", "") for item in cut[1])]
    apart = ranges.in_parentheses(node) or remarks.naming(node) if clause.before else ()
    if stated := braces.stated(node) or apart:
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


def _followed_by_declaration(clauses: Sequence[Clause], at: int) -> bool:
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
