"""A number beside an array: what speaks against it, and what is told of it."""

from __future__ import annotations

import re

from notes2code.diagnostics import Span, error, note
from notes2code.latex.words import RATES
from notes2code.meaning import ir, names
from notes2code.meaning.inference import sizes
from notes2code.meaning.inference.calls import given
from notes2code.meaning.inference.products import gains
from notes2code.meaning.inference.products.gates import (
    GATES,
)
from notes2code.meaning.inference.ranks.declared import is_of_said_kind
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.values import (
    Value,
    free_roots,
    shape_text,
)


def weigh(run: Run, left: Value, right: Value, where: Span) -> None:
    """What speaks against a number on one side of an array, or of another number."""
    number, array = (left, right) if left.rank <= right.rank else (right, left)
    if left.implied or right.implied:
        run.conflict(3, "a softmax of one number scales an array", where)
    _refuse_lone_weight(run, left, right, where)
    if left.row and isinstance(right.body, ir.Ref) and right.body.at:
        run.pay(1.5)  # the x_i of w^⊤ x_i is a vector
    if right.row and number is left and right.body == ir.ONE:
        run.pay(1.2)  # what repeats the a of a 1^⊤ is a column
    if right.row and number is left and _is_vector_by_letter(number, right):
        run.pay(2.2)  # so is the b_i of b_i a_i^⊤: nobody transposes what a number scales
    if array.rank > 1 and _is_query_or_key(run, number):
        text = f"`{run.quote(number.span)}` is a number here, and beside a matrix it is a vector"
        run.conflict(3, text, where)
    known = isinstance(number.body, ir.Ref) and number.body.array in run.seen.quantities
    if not known and (_scales_a_projection(left, right) or _scales_a_projection(right, left)):
        run.pay(2.2)  # the a of a W^Q is what is projected
    if not (known and is_weight(left)) and _maps_a_number(run, left, right):
        # A matrix stands before what it maps, W a, and behind a number, \\alpha A.
        run.pay(3.4 if is_weight(left) else 1.2)
    if number is left and array.rank == 2 and _is_unknown_capital(run, number, array):
        run.pay(1.2)  # the U of U E is a matrix, as E is
    if number is left and isinstance(left.body, ir.Ref) and _is_small_and_transposed(array):
        run.pay(1.2)  # the x of r x^⊤ is a vector
    if number is right and array.rank == 2 and _is_written_out(array) and _is_latin(number):
        run.pay(2.2)  # the x_m^{(i)} behind a matrix of sines and cosines is a vector
    if number is right and is_bare_greek(run, number) and isinstance(array.body, ir.Ref):
        run.numbers[run.quote(number.span)] = number.span  # numbers stand before arrays
    if number is left and array.rank == 2 and _is_of_turn(number):
        run.pay(2.2)  # the R_m of R_m Q turns it
    if is_gain(run, array) and isinstance(number.body, ir.Ref) and number.body.at:
        run.pay(2.2)  # the γ of γ \\hat x_i is a number, as the element is
    if array.rank and any(isinstance(side.body, ir.Size) for side in (left, right)):
        run.pay(0.4)  # the D of D u_t maps it rather than scales it
    given.weigh_unlike(run, left, right)
    if isinstance(number.body, ir.Reduce) and is_rate_of_many(run, array):
        text = f"`{run.quote(array.span)}` is a vector here, and the rate of a number is one"
        run.conflict(3, text, where)  # the β of β x^⊤ q


def tell(run: Run, left: Value, right: Value, where: Span) -> None:
    """What the author is told of a number that scales."""
    number, array = (left, right) if left.rank <= right.rank else (right, left)
    if _is_gate_of_number(run, left, right):
        text = f"`{run.quote(number.span)}` is taken to be a number, and no vector of gates"
        run.problems.append(note("N2C039", text, number.span, "write `\\odot` behind a vector"))
    if weighs_all(run, number, array) or (number is left and _may_weigh_rows(run, left, right)):
        text = f"`{run.quote(number.span)}` is taken to be a number, which scales all of "
        text += f"`{run.quote(array.span)}`"
        hint = "write a dot between them, or `^\\top` behind the first"
        run.problems.append(note("N2C039", text, where, hint))
    _note_scale(run, left, right)


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
    """Whether a w_i, or an x_i of which nothing is said, is a number that scales a whole vector,
    which has no index i."""
    name = weight.body.array if isinstance(weight.body, ir.Ref) else ""
    of_vector = names.base_letter(name) in names.VECTORS and name not in run.shapes
    if not of_vector or weight.rank or other.rank != 1:
        return False
    whole = free_roots(other.body) == {find_index(other.axes[0])}
    placed = free_roots(weight.body) - ({run.step} if run.step is not None else set())
    return whole and bool(placed)


def _may_weigh_rows(run: Run, number: Value, matrix: Value) -> bool:
    """Whether the α_t of ``C_t = α_t V``, of which nothing is said, stands before a whole matrix:
    with a vector for each t, the rows would be averaged."""
    match number.body, matrix.body:
        case ir.Ref(name, (ir.Idx(place),)), ir.Ref() if (
            matrix.rank == 2 and name not in run.shapes
        ):
            whole = free_roots(matrix.body) == set(map(find_index, matrix.axes))
            return number.rank == 0 and whole and place.name in run.target_letters
    return False


def _is_query_or_key(run: Run, value: Value) -> bool:
    """Whether a number is by its letter a query or a key, or the q_i or k_j of a place."""
    name = value.body.array if isinstance(value.body, ir.Ref) else ""
    return names.base_letter(name) in ("q", "k") and not is_of_said_kind(run, name)


_RATES = RATES - {"gamma"} | {"eta", "tau"}
"""Letters of numbers that scale; a γ is that, or a gain."""


def is_rate_of_many(run: Run, value: Value) -> bool:
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


def is_bare_greek(run: Run, number: Value) -> bool:
    """Whether a number is a Greek letter without an index, of which nothing is said."""
    match number.body:
        case ir.Ref(name, ()):
            return name.rstrip("_") in names.GREEK and name not in run.shapes
    return False


def _is_of_turn(number: Value) -> bool:
    """Whether a number is the R_m that turns what stands at m; the R_{hg} of two heads is none."""
    match number.body:
        case ir.Ref(name, (_,)):
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


def scaled(left: Value, right: Value) -> Value:
    """A number times an array; a softmax along an open axis stays adjustable."""
    big, small = (left, right) if left.rank else (right, left)
    along = big.along
    scaled = None if along is None else (lambda k: ir.mul(small.body, along(k)))
    body = ir.mul(left.body, right.body)
    return Value(body, big.axes, left.span.to(right.span), big.row, scaled)


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
        own = value.body.array in run.seen.gains and gains.is_of_layer(run)
        return own or base in names.GAINS | {"sigma"}
    pair = {f"{letter}_{label}".rstrip("_") for letter in ("gamma", "beta")}
    arrays = {name for name in run.seen.counted if name in run.shapes and run.shapes[name].axes}
    return base == "gamma" and pair <= arrays


def _is_gate_of_number(run: Run, left: Value, right: Value) -> bool:
    """Whether the gate of a recurrent network by its letter, ``f_t`` or ``1 - z_t``, would be a
    number beside a vector, in what makes the next state."""
    number, array = sorted((left, right), key=lambda side: side.rank)
    if not run.gives_state or (number.rank, array.rank) != (0, 1):
        return False
    inner = ir.terms(number.body)
    gate = ir.negative(inner[-1]) if isinstance(inner[-1], ir.Mul) else inner[-1]
    return isinstance(gate, ir.Ref) and gate.array in GATES - run.scope.ranks.keys()


def is_weight(value: Value) -> bool:
    """Whether a value is a weight by its letter."""
    return isinstance(value.body, ir.Ref) and names.base_letter(value.body.array) == "W"
