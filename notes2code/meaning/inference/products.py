"""Multiplication in all its spellings: side by side, ``·``, ``×``, ``*``, ``@``, ``⊙``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from notes2code.diagnostics import Span, error, note, warning
from notes2code.latex.tree import Group, Juxt, Name, Node, Num, Script, ungrouped
from notes2code.latex.words import RATES
from notes2code.meaning import ir, names
from notes2code.meaning.inference import applying, calls, given, powers, projected, sizes, turns
from notes2code.meaning.inference.array_products import (
    has_query_or_key,
    is_made_a_row,
    matrix_product,
    two_vectors,
)
from notes2code.meaning.inference.declared import is_of_said_kind
from notes2code.meaning.inference.gates import (
    GATES,
    are_of_gated_unit,
    gated_by,
    is_gate,
    projected_on,
)
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.values import (
    Value,
    dot,
    elementwise,
    free_roots,
    outer,
    shape_text,
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
            powers.refuse_of_gram(run, node.factors[at], values[-1])
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
    values[first:-1] = sorted(values[first:-1], key=lambda value: not _is_bare_greek(run, value))
    first = next((at for at, value in enumerate(values) if value.rank), 0)
    if len(values) > first + 2 and is_gate(run, values[first]):
        # The g of g W x acts on all that is behind it.
        behind = _in_turn(run, values[first + 1 :])
        values = [*values[:first], _in_turn(run, [values[first], behind])]
    result = _in_turn(run, _with_rows(run, _with_gates(run, values)))
    made = Value(result.body, result.axes, node.span, result.row, result.along)
    return replace(made, column=result.column)


def _with_gates(run: Run, values: Sequence[Value]) -> list[Value]:
    """The factors of a product with the halves of a gated unit as one: those of ``W_2 f(W_1 x) (W_3
    x)``, also without parentheses around the second."""
    out = [*values]
    for at in range(len(out) - 2, -1, -1):
        gate, rest = out[at], out[at + 1 :]
        own = gated_by(gate)
        if own and len(rest) > 1 and own in [_array(factor) for factor in rest[:2]]:
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
        if is_made_a_row(mapped.body, axis) and projected_on(mapped.body, axis) == _array(row):
            span = row.span.to(weight.span)
            out[at : at + 2] = [product(run, row, weight, span)]
    return out


def _array(value: Value) -> str:
    """The name of an array, "" of what is computed."""
    return value.body.array if isinstance(value.body, ir.Ref) else ""


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
        if isinstance(factor, Script) and factor.sup and powers.is_negative(ungrouped(factor.sup))
    ]
    for first, second in combinations(raised, 2):
        use = run.seen.understood(first)
        if use is not None and use.name in run.seen.degrees:
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
    use, given = run.seen.use(name), run.seen.understood(argument)
    known = applying.known(run, use.name)
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


def product(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The product of two neighbours: scaling, or a matrix product."""
    powers.refuse_of_matrix(run, left, right, where)
    if left.rank == 1 and powers.has_unit_columns(right):
        return elementwise(run, left, right, ir.mul, where)
    number, array = (left, right) if left.rank <= right.rank else (right, left)
    ranks = (number.rank, array.rank)
    if ranks == (0, 0) and _is_score(left, right):
        text = f"`{run.quote(where)}` is a product of numbers, not of a query and a key"
        run.conflict(3, text, where)
    if ranks in ((0, 1), (1, 2)):
        _refuse_two_vectors(run, left, right, where)
    if number.rank == 0:
        if left.implied or right.implied:
            run.conflict(2, "a softmax of one number scales an array", where)
        _refuse_lone_weight(run, left, right, where)
        if left.row and isinstance(right.body, ir.Ref) and right.body.at:
            run.pay(1.5)  # the x_i of w^⊤ x_i is a vector
        if right.row and number is left and right.body == ir.ONE:
            run.pay(1.2)  # what repeats the a of a 1^⊤ is a column
        if right.row and number is left and _is_vector_by_letter(number, right):
            run.pay(2.2)  # so is the b_i of b_i a_i^⊤: nobody transposes what a number scales
        if array.rank > 1 and _is_query_or_key(run, number):
            text = (
                f"`{run.quote(number.span)}` is a number here, and beside a matrix it is a vector"
            )
            run.conflict(3, text, where)
        if _scales_a_projection(left, right) or _scales_a_projection(right, left):
            run.pay(2.2)  # the a of a W^Q is what is projected
        if _maps_a_number(run, left, right):
            # A matrix stands before what it maps, W a, and behind a number, \\alpha A.
            run.pay(3.4 if is_weight(left) else 1.2)
        if number is left and array.rank == 2 and _is_unknown_capital(run, number, array):
            run.pay(1.2)  # the U of U E is a matrix, as E is
        if number is left and isinstance(left.body, ir.Ref) and _is_small_and_transposed(array):
            run.pay(1.2)  # the x of r x^⊤ is a vector
        if number is right and array.rank == 2 and _is_written_out(array) and _is_latin(number):
            run.pay(2.2)  # the x_m^{(i)} behind a matrix of sines and cosines is a vector
        if number is right and _is_bare_greek(run, number) and isinstance(array.body, ir.Ref):
            run.numbers[run.quote(number.span)] = number.span  # numbers stand before arrays
        if number is left and array.rank == 2 and _is_of_turn(number):
            run.pay(2.2)  # the R_m of R_m Q turns it
        if is_gain(run, array) and isinstance(number.body, ir.Ref) and number.body.at:
            run.pay(2.2)  # the γ of γ \\hat x_i is a number, as the element is
        if array.rank and any(isinstance(side.body, ir.Size) for side in (left, right)):
            run.pay(0.4)  # the D of D u_t maps it rather than scales it
        given.weigh_unlike(run, left, right)
        if isinstance(number.body, ir.Reduce) and _is_rate_of_many(run, array):
            text = f"`{run.quote(array.span)}` is a vector here, and the rate of a number is one"
            run.conflict(3, text, where)  # the β of β x^⊤ q
        if _is_gate_of_number(run, left, right):
            text = f"`{run.quote(number.span)}` is taken to be a number, and no vector of gates"
            run.problems.append(note("N2C039", text, number.span, "write `\\odot` behind a vector"))
        if weighs_all(run, number, array):
            text = f"`{run.quote(number.span)}` is taken to be a number, which scales all of "
            text += f"`{run.quote(array.span)}`"
            hint = "write a dot between them, or `^\\top` behind the first"
            run.problems.append(note("N2C039", text, where, hint))
        _note_scale(run, left, right)
        return _scaled(left, right)
    alike = ranks == (1, 1) and left.row == right.row
    if alike and is_scale(left, right):
        return shifted(run, left, right, where)
    if alike and _is_exponential(left.body):
        text = f"`{run.quote(left.span)}` is multiplied element by element, as it is made"
        run.problems.append(note("N2C039", text, where, "write `\\odot` to make it plain"))
        return elementwise(run, left, right, ir.mul, where)
    if ranks == (2, 2) and (left.shifted or right.shifted):
        return shifted(run, left, right, where)
    if is_gain(run, left) or is_gain(run, right) or scales(left, right):
        return elementwise(run, left, right, ir.mul, where)
    if right.rank == 1 and _is_normalised(right) and _is_small(left):
        run.pay(2.2)  # the e_s of e_s · GroupNorm(h) + e_b is no matrix
    if left.rank == 1 and right.rank == 2 and is_weight(left):
        run.pay(2.2)  # the W of W X is a matrix
    if (left.rank, right.rank) == (2, 2) and is_weight(left):
        _tell_of_mixed_rows(run, left, right)
    of_rate = left.rank == 1 and not left.row and (right.row or right.rank == 2)
    if of_rate and _is_rate_of_many(run, left):
        text = f"`{run.quote(left.span)}` is a vector here, and a rate is a number"
        run.conflict(3, text, where)  # the β of β X^⊤ q
    projection = projected.behind(run, left, right, where)
    if projection is not None:
        return projection
    return matrix_product(run, left, right, where)


def _refuse_two_vectors(run: Run, left: Value, right: Value, where: Span) -> None:
    """The x of ``w x``, where w is said to be a vector, is one too: that the product of two vectors
    is not understood makes it no matrix and no number."""
    for said, other in ((left, right), (right, left)):
        match said.body, other.body:
            case ir.Ref(name, at), ir.Ref(array, places) if said.rank == len(at) == 1:
                known = array in run.scope.ranks.keys() | run.defined.keys()
                known = known or is_of_said_kind(run, array)
                custom = names.element_ranks(array, len(places) - other.rank, False, False)[0]
                small = names.base_letter(array).islower()
                if name in run.shapes and not known and small and custom == 1:
                    raise two_vectors(run, left, right, where)


def _refuse_lone_weight(run: Run, left: Value, right: Value, where: Span) -> None:
    """The W of ``W h_t`` is a matrix, and the h_t a vector: neither is a number beside the other,
    as a call of a function of matrices, or a declared array of many axes, would have it."""
    for weight, other in ((left, right), (right, left)):
        if not isinstance(weight.body, ir.Ref) or names.base_letter(weight.body.array) != "W":
            continue
        body = other.body
        element = isinstance(body, ir.Ref) and body.array[0] in ("hx", _STATES)[len(body.at) == 1]
        size = weight is left and isinstance(body, ir.Size) and body.name == "D"
        lone = size or (weight.rank == 0 and not weight.body.at and other.rank > 1)
        whole = len(weight.body.at) == weight.rank == 1  # no row of a weight, but all of it
        told = weight.body.array in run.shapes
        lone = not told and (lone or (whole and element and not other.rank))
        number = isinstance(body, ir.Ref) and is_of_said_kind(run, body.array)
        if lone or (weight.rank == 2 and element and not (other.rank or number)):
            raise error(
                "N2C041",
                f"`{run.quote(weight.span)}` is {shape_text(weight)} here, and "
                f"`{run.quote(other.span)}` {shape_text(other)}: no weight is multiplied so",
                where,
                "declare the shapes of both",
            )


_STATES = "hxzsuqkvc"
"""Letters of vectors that weights are applied to, one at each position."""


def weighs_all(run: Run, weight: Value, other: Value) -> bool:
    """Whether a w_i is a number that scales a whole vector, which has no index i."""
    of_neuron = isinstance(weight.body, ir.Ref) and names.base_letter(weight.body.array) == "w"
    whole = other.rank == 1 and free_roots(other.body) == {find_index(other.axes[0])}
    placed = free_roots(weight.body) - ({run.step} if run.step is not None else set())
    return of_neuron and whole and not weight.rank and bool(placed)


def _is_score(left: Value, right: Value) -> bool:
    """Whether two numbers are the elements q_i and k_j of different places."""
    match left.body, right.body:
        case ir.Ref("q", (mine,)), ir.Ref("k", (theirs,)):
            return mine != theirs
    return False


def _is_query_or_key(run: Run, value: Value) -> bool:
    """Whether a number is by its letter a query or a key, or the q_i or k_j of a place."""
    name = value.body.array if isinstance(value.body, ir.Ref) else ""
    return names.base_letter(name) in ("q", "k") and not is_of_said_kind(run, name)


_RATES = RATES - {"gamma"} | {"eta", "tau"}
"""Letters of numbers that scale; a γ is that, or a gain."""


def _is_rate_of_many(run: Run, value: Value) -> bool:
    """Whether a vector is a rate by its letter, and nothing says that it is one."""
    match value.body:
        case ir.Ref(name, (_,)) if value.rank == 1 and name in _RATES:
            return name not in run.shapes.keys() | run.defined.keys()
    return False


def _scales_a_projection(number: Value, array: Value) -> bool:
    """Whether a letter that is no rate stands beside the weights of queries, keys or values, or of
    what they are compressed to, ``W^{UV}``."""
    match number.body, array.body:
        case ir.Ref(name), ir.Ref(weight) if array.rank:
            letter, label = names.base_letter(name), weight.partition("_")[2]
            made = names.label_of_projection(weight) or _COMPRESSES.fullmatch(label)
            weighs = names.base_letter(weight) == "W" and made
            return bool(weighs) and len(letter) == 1 and letter.islower()
    return False


_COMPRESSES = re.compile("[DU](?:Q|K|V|KV)")
"""The labels of the weights that compress queries, keys and values, and undo that (DeepSeek-V2)."""


def _is_unknown_capital(run: Run, number: Value, array: Value) -> bool:
    """Whether a number is a capital of which nothing is said, beside an array that is declared."""
    match number.body, array.body:
        case ir.Ref(name, ()), ir.Ref(declared):
            known = run.shapes.keys() | run.scope.ranks.keys() | run.defined.keys()
            return name.isupper() and name not in known and declared in run.shapes
    return False


def _maps_a_number(run: Run, left: Value, right: Value) -> bool:
    """Whether a capital stands before the small letter of a number: ``A a`` maps a vector, as it
    does in ``c A a``, unless a is declared as a number, which the one column of A is scaled by."""
    last, of_product = left.body, False
    while isinstance(last, ir.Mul | ir.Reduce):
        of_product = of_product or isinstance(last, ir.Reduce)
        last = last.factors[-1] if isinstance(last, ir.Mul) else last.body
    match last, right.body:
        case ir.Ref(matrix, at), ir.Ref(given) if left.rank == 2 or len(at) == 1 + of_product:
            numbers = (name for name, shape in run.shapes.items() if not shape.axes)
            if left.rank == 1 and any(x == given or x.startswith(f"{given}_") for x in numbers):
                return False
            letter = names.base_letter(matrix)
            small = not names.base_letter(given).isupper()
            return left.rank > 0 and letter.isupper() and (letter == "W" or small)
    return False


def _is_small_and_transposed(array: Value) -> bool:
    """Whether a small letter is a matrix, its axes exchanged."""
    match array.body:
        case ir.Ref(name, (ir.Idx(row), ir.Idx(column))) if array.rank == 2:
            return name[0].islower() and (column, row) == array.axes
    return False


def _is_written_out(array: Value) -> bool:
    """Whether the cells of an array stand in the formula: it has so many rows and columns."""
    lengths = [find(find_index(axis).size).value for axis in array.axes]
    return all(isinstance(size, ir.Num) for size in lengths)


def _is_bare_greek(run: Run, number: Value) -> bool:
    """Whether a number is a Greek letter without an index, of which nothing is said."""
    match number.body:
        case ir.Ref(name, ()):
            return name.rstrip("_") in names.GREEK and name not in run.shapes
    return False


def _is_of_turn(number: Value) -> bool:
    """Whether a number is the R_m that turns what stands at m."""
    match number.body:
        case ir.Ref(name, (_, *_)):
            return names.base_letter(name) == "R"
    return False


def _is_vector_by_letter(number: Value, row: Value) -> bool:
    """Whether a number is one of several, and has a small letter that may be a vector's; what
    stands before values and states, ``a_i v_i^⊤``, weighs them."""
    if not isinstance(number.body, ir.Ref) or len(number.body.at) != 1:
        return False
    letter = names.base_letter(number.body.array)
    arrays = {
        names.base_letter(e.array).lower() for e in ir.walk(row.body) if isinstance(e, ir.Ref)
    }
    weighs = letter in names.PROBABILITIES | {"w"} or not arrays.isdisjoint("hvxz")
    return len(letter) == 1 and letter.islower() and not weighs


def _is_latin(number: Value) -> bool:
    """Whether a number has a letter that is not Greek, or an index."""
    match number.body:
        case ir.Ref(name, at):
            return bool(at) or names.base_letter(name) not in names.GREEK
    return False


def _scaled(left: Value, right: Value) -> Value:
    """A number times an array; a softmax along an open axis stays adjustable."""
    big, small = (left, right) if left.rank else (right, left)
    along = big.along
    scaled = None if along is None else (lambda k: ir.mul(small.body, along(k)))
    body = ir.mul(left.body, right.body)
    return Value(body, big.axes, left.span.to(right.span), big.row, scaled)


def _is_exponential(body: ir.Expr) -> bool:
    """Whether a vector is the ``e^{u + k}`` of another; the kernel of a square is of numbers."""
    if not isinstance(body, ir.Fn) or body.name != "exp":
        return False
    parts = ir.walk(body)
    return not any(isinstance(part, ir.Pow) and part.exponent == ir.Num(2) for part in parts)


def is_scale(left: Value, right: Value) -> bool:
    """Whether one of two vectors is a ``1 + w``, and the other is made of something else."""
    if left.shifted == right.shifted:
        return False
    used = [
        {part.array for part in ir.walk(value.body) if isinstance(part, ir.Ref)}
        for value in (left, right)
    ]
    return used[0].isdisjoint(used[1])


def shifted(run: Run, left: Value, right: Value, where: Span) -> Value:
    """``S (1 + B)``: a number added to an array is no matrix algebra, so the factors are taken
    element by element."""
    text = run.quote((left if left.shifted else right).span)
    run.problems.append(
        note(
            "N2C039",
            f"`{text}` is multiplied element by element, since a number is added to a "
            f"{'matrix' if left.rank == 2 else 'vector'}",
            where,
            "write `\\odot` to make it plain",
        )
    )
    return elementwise(run, left, right, ir.mul, where)


def _note_scale(run: Run, left: Value, right: Value) -> None:
    """Remember which sum a size such as √d_k scales."""
    for factor, other in ((left, right), (right, left)):
        features = other.axes[-1] if other.axes else None
        if features is not None and find(find_index(features).size).kind == "sequence":
            features = None
        sizes.note_scale(run, factor.body, other.body, features)


def is_gain(run: Run, value: Value) -> bool:
    """Whether a factor is the gain or bias of a normalisation, or the deviation of another array,
    which act element by element; so does the γ of ``γ x + β``, where both are said to be arrays."""
    if value.rank != 1 or not isinstance(value.body, ir.Ref):
        return False
    base, _, label = value.body.array.partition("_")
    if run.seen.normalises:
        return base in names.GAINS | {"sigma"}
    pair = {f"{letter}_{label}".rstrip("_") for letter in ("gamma", "beta")}
    arrays = {name for name in run.seen.counted if name in run.shapes and run.shapes[name].axes}
    return base == "gamma" and pair <= arrays


def is_capital(value: Value) -> bool:
    """Whether an array has a capital, or is the cosine or the sine of one."""
    match value.body:
        case ir.Ref(array) | ir.Fn("cos" | "sin", (ir.Ref(array),)):
            return array[0].isupper()
    return False


def scales(left: Value, right: Value) -> bool:
    """Whether a vector stands before what a normalisation gives: ``e_s · GroupNorm(h)``. The w of
    ``w · LayerNorm(h)`` maps it to a number."""
    return left.rank == right.rank == 1 and _is_small(left) and _is_normalised(right)


def _is_small(value: Value) -> bool:
    """Whether a value is of a small letter that makes no number of a vector."""
    array = value.body.array if isinstance(value.body, ir.Ref) else ""
    return array[:1].islower() and names.base_letter(array) not in ("w", "v", "u", "a", "q", "k")


def _is_normalised(value: Value) -> bool:
    """Whether a value is what a normalisation gives."""
    called = value.body.function if isinstance(value.body, ir.Call) else ""
    word = called.rstrip("_0123456789").lower()
    return word.endswith("norm") or word == "ln"


def _is_gate_of_number(run: Run, left: Value, right: Value) -> bool:
    """Whether the gate of a recurrent network by its letter, ``f_t`` or ``1 - z_t``, would be a
    number beside a vector, in what makes the next state."""
    number, array = sorted((left, right), key=lambda side: side.rank)
    if not run.gives_state or (number.rank, array.rank) != (0, 1):
        return False
    inner = number.body.terms if isinstance(number.body, ir.Add) else (number.body,)
    gate = ir.negative(inner[-1]) if isinstance(inner[-1], ir.Mul) else inner[-1]
    return isinstance(gate, ir.Ref) and gate.array in GATES - run.scope.ranks.keys()


def is_weight(value: Value) -> bool:
    return isinstance(value.body, ir.Ref) and names.base_letter(value.body.array) == "W"


def _tell_of_mixed_rows(run: Run, left: Value, right: Value) -> None:
    """The W_2 of ``W_2 \\mathrm{ReLU}(X W_1^\\top)``: it mixes rows that other weights, behind
    them, act on one by one."""
    row, parts = find_index(right.axes[0]), [*ir.walk(right.body)]
    if any(isinstance(part, ir.Call) for part in parts):
        return  # with weights of its own
    refs = [part for part in parts if isinstance(part, ir.Ref) and len(part.at) == 2]
    weights = [ref for ref in refs if names.base_letter(ref.array) == "W"]
    if not weights or len(refs) == len(weights) or any(ir.Idx(row) in ref.at for ref in weights):
        return
    text = f"`{run.quote(left.span)}` mixes the rows of `{run.quote(right.span)}`"
    hint = f"`{weights[0].array}` acts on each row: a weight behind would, too"
    run.problems.append(warning("N2C050", text, left.span, hint))


def inner(run: Run, left: Value, right: Value, where: Span) -> Value:
    """``⟨x, y⟩``."""
    if left.rank != 1 or right.rank != 1:
        raise error(
            "N2C041",
            f"an inner product needs two vectors, not {shape_text(left)} and {shape_text(right)}",
            where,
        )
    return dot(run, left, right, where)


# --- quotients ---------------------------------------------------------------------------------
