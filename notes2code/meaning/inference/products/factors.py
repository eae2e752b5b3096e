"""Factors side by side: calls among them, and in what order the others are multiplied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Group, Juxt, Name, Node, Num, Script, ungrouped
from notes2code.meaning import ir, names
from notes2code.meaning.inference import sizes
from notes2code.meaning.inference.calls import applying, called, calls, known_functions
from notes2code.meaning.inference.products import matrix_powers, turns
from notes2code.meaning.inference.products.array_products import (
    has_query_or_key,
    is_made_a_row,
)
from notes2code.meaning.inference.products.gates import (
    are_of_gated_unit,
    gated_by,
    is_gate,
    projected_on,
)
from notes2code.meaning.inference.products.products import product
from notes2code.meaning.inference.products.scaling import is_bare_greek
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import (
    Value,
    outer,
)
from notes2code.meaning.notation import functions, scripts


def juxtaposed(run: Run, node: Juxt) -> Value:
    """Factors side by side: calls first, then the product from left to right."""
    values: list[Value] = []
    if isinstance(node.factors[0], Num) and float(node.factors[0].text) == 0:
        raise error(
            "N2C033",
            f"`{run.quote(node.span)}` is nothing but zero: the 0 may be meant as a letter",
            node.factors[0].span,
            "mend it, or leave the term out",
        )
    if (turn := turned(run, node)) is not None:
        return turn
    _refuse_inverse_roots(run, node)
    _refuse_labels(run, node)
    at = 0
    while at < len(node.factors):
        call = _acted(run, node.factors, at) or calls.call_at(run, node.factors, at)
        call = call or _called_bare(run, node.factors, at)
        if call is not None:
            value, at = call
            values.append(value)
        else:
            values.append(run.lower(node.factors[at]))
            matrix_powers.refuse_of_gram(run, node.factors[at], values[-1])
            at += 1
    if _is_bilinear(values) and values[0].rank != values[2].rank:
        run.pay(1.2)  # the u_i and v_j on both sides of an A_ij are of one kind
    for at, (matrix, column, other) in enumerate(zip(values, values[1:], values[2:], strict=False)):
        number = any(value.row for value in values[:at])  # the x^⊤ A x of x^⊤ A x B
        if (matrix.rank, column.rank, other.rank) == (2, 1, 2) and not (column.row or number):
            text = f"`{run.quote(column.span)}` is a column before a matrix, and scales no rows"
            run.conflict(3, text, column.span)  # the e^m of diag(a) e^m O
    # A scale in front of a product of arrays scales all of it, whatever stands beside it.
    values.sort(key=lambda value: value.rank == 0 and sizes.is_scale(run, value.body))
    first = next((at for at, value in enumerate(values) if value.rank), 0)
    # So does the γ of W γ x: the last factor is what W maps.
    values[first:-1] = sorted(values[first:-1], key=lambda value: not is_bare_greek(run, value))
    first = next((at for at, value in enumerate(values) if value.rank), 0)
    if len(values) > first + 2 and is_gate(run, values[first]):
        # The g of g W x acts on all that is behind it.
        behind = _in_turn(run, values[first + 1 :])
        values = [*values[:first], _in_turn(run, [values[first], behind])]
    result = _in_turn(run, _with_rows(run, _with_gates(run, values)))
    return Value(
        result.body, result.axes, node.span, result.row, result.along, column=result.column
    )


def _with_gates(run: Run, values: Sequence[Value]) -> list[Value]:
    """The factors of a product with the halves of a gated unit as one: those of ``W_2 f(W_1 x) (W_3
    x)``, also without parentheses around the second."""
    out = [*values]
    for at in range(len(out) - 2, -1, -1):
        gate, rest = out[at], out[at + 1 :]
        own = gated_by(gate)
        if own and len(rest) > 1 and own in [factor.array for factor in rest[:2]]:
            span = rest[0].span.to(rest[1].span)
            rest = [product(run, rest[0], rest[1], span), *rest[2:]]
        if own and rest and are_of_gated_unit(gate, rest[0]):
            span = gate.span.to(rest[0].span)
            out[at:] = [product(run, gate, rest[0], span), *rest[1:]]
    return out


def _with_rows(run: Run, values: Sequence[Value]) -> list[Value]:
    """The factors of a product with the ``x W`` of ``(x U)^⊤ x W`` as one: U shows that x lies."""
    out = [*values]
    for at in range(len(out) - 2, 0, -1):
        mapped, row, weight = out[at - 1 : at + 2]
        if (mapped.rank, row.rank, weight.rank) != (1, 1, 2) or row.row or not mapped.row:
            continue
        axis = mapped.axes[0]
        if is_made_a_row(mapped.body, axis) and projected_on(mapped.body, axis) == row.array:
            span = row.span.to(weight.span)
            out[at : at + 2] = [product(run, row, weight, span)]
    return out


def _in_turn(run: Run, values: Sequence[Value]) -> Value:
    """The product of some factors from left to right. In ``u f(v)^⊤ B`` a column is multiplied by a
    row: the dot product of two rows would be a number before a matrix. The softmax of ``u^⊤
    softmax(A) v``, which is summed over both axes, goes along the last."""
    result = values[0]
    for at, value in enumerate(values[1:], 2):
        where = result.span.to(value.span)
        behind = next((other.rank for other in values[at:] if other.rank), 0)
        if result.rank and behind and value.along is not None and value.rank == 2:
            text = "softmax is taken along the last axis, and both are summed over"
            run.problems.append(note("N2C039", text, value.span))
            value = replace(value, along=None)
        upright = value.row and not result.row and result.rank == value.rank == 1
        if upright and behind == 2:
            result = replace(outer(result, value), span=where)
            continue
        rows = upright and behind == 1 and not has_query_or_key(result.body, value.body)
        result = product(run, result, value, where)
        if rows and not result.rank:
            text = f"`{run.quote(where)}` is taken to be the dot product of two rows"
            hint = "write parentheses around what is multiplied first"
            run.problems.append(note("N2C039", text, where, hint))
    return result


def _refuse_inverse_roots(run: Run, node: Juxt) -> None:
    """``D^{-1/2} A D^{-1/2}``: of a number that would be written once."""
    raised = [
        factor
        for factor in node.factors
        if isinstance(factor, Script)
        and factor.sup
        and matrix_powers.is_negative(ungrouped(factor.sup))
    ]
    for first, second in combinations(raised, 2):
        if run.seen.name_of(first) in run.seen.degrees:
            continue
        if run.quote(first.span) == run.quote(second.span):
            raise error(
                "N2C037",
                f"`{run.quote(first.span)}` may stand for a power of a matrix",
                first.span,
                "that is not computed; give it a name, such as `R`",
            )


def _refuse_labels(run: Run, node: Juxt) -> None:
    """The (a) of ``(a) x + (b) y`` says which term it is, and hardly multiplies it."""
    letter = _label(node)
    following = chr(ord(letter) + 1) if len(letter) == 1 else ""
    if following and any(_label(other) == following for other in run.seen.nodes.of(Juxt)):
        where = node.factors[0].span
        text = f"`{run.quote(where)}` may be the label of a term, or a factor"
        raise error("N2C033", text, where, "leave labels out, and the parentheses of a factor")


def _label(node: Juxt) -> str:
    """The letter that stands in parentheses before all other factors."""
    match node.factors[0]:
        case Group("(", (Name(letter),)):
            return letter
    return ""


def _acted(run: Run, factors: Sequence[Node], at: int) -> tuple[Value, int] | None:
    """What an operator gives that stands before a group, or before names; and where they end."""
    if not run.scope.operators or not isinstance(factors[at], Name):
        return None
    use, end = run.seen.use(factors[at]), at + 1
    if use.name not in run.scope.operators:
        return None
    while end < len(factors) and scripts.is_name(factors[end]):
        end += 1
    if end == at + 1 < len(factors) and isinstance(factors[end], Group):
        end += 1
    if end == at + 1:
        return None
    rest = tuple(factors[at + 1 : end])
    span = rest[0].span.to(rest[-1].span)
    value = run.lower(rest[0] if len(rest) == 1 else Juxt(rest, span))
    return applying.undefined(run, use, [value], factors[at].span.to(span)), end


def _called_bare(run: Run, factors: Sequence[Node], at: int) -> tuple[Value, int] | None:
    """``\\mathrm{LN} x``: a layer, or an activation, of what stands behind it without parentheses,
    and where that ends."""
    name, argument = factors[at], factors[at + 1] if at + 1 < len(factors) else None
    if not isinstance(name, Name) or len(name.text) < 2 or argument is None:
        return None
    if called.is_schedule(run, name.text):
        return None  # the η of η g is the size of a step, though the note has an η(t)
    use, given = run.seen.use(name), run.seen.understood(argument)
    known = known_functions.known(run, use.name)
    single = known is not None and len(known.parameters) == 1
    bends = use.name.lower() in functions.OF_NUMBERS
    if not (single or bends) or given is None or use.name in run.shapes | run.defined:
        return None
    if not bends and names.base_letter(given.name) in names.WEIGHTS:
        return None  # the Encoder of Encoder W is what it gives
    span = name.span.to(argument.span)
    if at + 2 < len(factors):
        text = f"what `{run.quote(name.span)}` is of is not clear"
        raise error("N2C024", text, span, "write its argument in parentheses")
    return calls.call(run, name, Group("(", (argument,), (), argument.span)), at + 2


def turned(run: Run, node: Juxt) -> Value | None:
    """A product of a vector and ``e^{imθ}``."""
    at = turns.factor(run, node.factors)
    if at is None:
        return None
    rest = (*node.factors[:at], *node.factors[at + 1 :])
    if len(rest) > 1 and any(turns.conjugated(factor) is not None for factor in rest):
        raise error(
            "N2C037",
            "the product of a complex number and a conjugate one is not computed",
            node.span,
            "write its real part: `\\mathrm{Re}[q k^* e^{i(m-n)\\theta}]`",
        )
    value = run.lower(rest[0] if len(rest) == 1 else Juxt(rest, node.span))
    angle = turns.angle(run, node.factors[at])
    return None if angle is None else turns.turned(run, value, angle, node.span)


def _is_bilinear(values: Sequence[Value]) -> bool:
    """Whether factors are ``u_i A_{ij} v_j``."""
    if len(values) != 3:
        return False
    at = [value.body.at for value in values if isinstance(value.body, ir.Ref)]
    if len(at) != 3 or values[1].rank or len(at[1]) != 2:
        return False
    return at[0][:1] == at[1][:1] and at[2][:1] == at[1][1:]
