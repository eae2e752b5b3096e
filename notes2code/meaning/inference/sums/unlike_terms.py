"""What speaks against a sum of terms of different rank."""

from __future__ import annotations

from operator import attrgetter

from notes2code.diagnostics import note
from notes2code.latex.tree import Apply, Infix, Script
from notes2code.meaning import ir, names
from notes2code.meaning.inference.products import gains, scaling
from notes2code.meaning.inference.products.gates import HADAMARD
from notes2code.meaning.inference.ranks import moving
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, free_roots, uses
from notes2code.meaning.ir import Expr
from notes2code.meaning.overview import exponents

_CONSTANTS = frozenset("ackmnst")
"""Small letters of numbers that are added to each entry of an array."""


def weigh(run: Run, node: Infix, left: Value, right: Value) -> None:
    """What speaks against a sum of terms of different rank."""
    small, large = sorted((left, right), key=attrgetter("rank"))
    if small.rank < 2 == large.rank and _is_diagonal(large):
        what = "a vector to each row" if small.rank else "a number to each entry"
        text = f"`{run.quote(node.span)}` would add {what} of a diagonal matrix"
        run.conflict(3, text, node.span)
    elif small.rank == 0:
        if large.rank < 2 or not {*map(find_index, large.axes)} <= free_roots(small.body):
            _weigh_number(run, node, left, right)
    elif _is_mean_of_point(run, left, right):
        return
    elif (small.rank, large.rank) == (1, 2):
        _weigh_row(run, node, left, right)
    elif not _weigh_kinds(run, left, right) and large.rank > 2 and not _is_bias(small):
        text = f"`{run.quote(small.span)}` is added to each part of `{run.quote(large.span)}`"
        run.problems.append(note("N2C039", text, node.span, "declare its shape if it has as many"))


def _weigh_number(run: Run, node: Infix, left: Value, right: Value) -> None:
    """What speaks against adding a number to an array."""
    small, large = sorted((left, right), key=attrgetter("rank"))
    if _sums_up(small):
        if large.rank == 1 and isinstance(large.body, ir.Ref) and large.body.array in run.shapes:
            text = f"`{run.quote(node.span)}` would add a vector to a dot product"
            run.conflict(3 if len(large.body.at) == 1 else 0, text, node.span)
        run.pay(2.2)  # what is added to a dot product is a number wherever it can be one
    elif large.rank == 2 and _has_size(small):
        run.pay(0.8)  # what counts features is not added to a matrix
    elif _is_mean_of_point(run, left, right):
        return
    elif scaling.is_gain(run, large) and free_roots(small.body):
        run.pay(1.2)  # the β of γ \\hat x_i + β is a number, as the element is
    elif large.rank == 1 and _is_of_pair(small):
        # What a pair of positions adds to a vector, k_j + r_ij, is a vector; the w_tj of
        # exp(K_j + w_tj) is a bias in their weights.
        run.pay(0.0 if _is_raised(run, node) else 2.6)
    elif _weigh_kinds(run, left, right):
        return
    elif large.rank == 1 and is_whole(large) and _are_alike(small, large):
        run.pay(1.2)  # the p of p + q is as q is
    elif _is_location(run, node, small):
        run.pay(2.2)  # the μ of μ + σ ⊙ ε is as the noise is
    elif moving.holds_mover(run, small.body):
        run.pay(1.2)  # the g_t of β v_{t-1} + g_t is as the v that it moves is
    elif _is_array_by_name(run, small):
        # The Δ of X + Δ, the PE_pos of x + PE_pos is as what it is added to.
        run.pay(0.0 if small.array in run.scope.ranks else 2.2)
        text = f"`{run.quote(small.span)}` is taken for a number, which every entry is added to"
        run.problems.append(note("N2C039", text, small.span, "declare its shape if it is an array"))
    elif not run.seen.normalises and _is_element(run, large):
        run.pay(1.1)  # the y_i of y_i + ε/K is a number as what is added is


def _weigh_row(run: Run, node: Infix, left: Value, right: Value) -> None:
    """What speaks against adding a vector to each row of a matrix."""
    small, large = sorted((left, right), key=attrgetter("rank"))
    if _is_row_on_outer(small, large):
        text = f"`{run.quote(node.span)}` would add a vector to each row of an outer product"
        run.conflict(3, text, node.span)
    elif _is_row_on_state(run, small, large):
        text = f"`{run.quote(node.span)}` would add a vector to each row of a state"
        run.conflict(3, text, node.span)
    elif not _is_bias(small):
        # Only a bias is added to every row, and no row to the next layer's matrix.
        of_one_kind = _are_of_one_family(left, right) or _is_array_by_name(run, small)
        of_one_kind = of_one_kind or _is_state(run, large.body)
        residual = isinstance(small.body, ir.Ref) and _is_attended(run, large.body)
        run.pay(2.2 if residual else 1.2 if of_one_kind else 0.6)
        if _sums_up(small):
            # What is embedded has a row for each place, as the table W_p that it is added to.
            run.pay(1.6 if isinstance(large.body, ir.Ref) else 0.0)
            text = f"`{run.quote(node.span)}` adds a vector to each row of a matrix"
            run.problems.append(note("N2C039", text, node.span))
    elif _is_across(small, large):
        run.pay(1.2)  # the b of W A + b is as long as the columns of W
    elif not _weigh_kinds(run, left, right) and _is_scaled(large):
        run.pay(1.2)  # the h_ij of W h_ij + b is a vector


def _weigh_kinds(run: Run, left: Value, right: Value) -> bool:
    """What speaks against a sum of what is of one kind, and not of one rank; whether it is."""
    small, large = sorted((left, right), key=attrgetter("rank"))
    if _are_mixed(left, right):
        run.pay(1.2)  # the m and g of b m + (1 - b) g are of one kind
        return True
    if (
        _are_of_one_family(left, right)
        or (left.rank == 1 and _is_bias(right))
        or (not run.seen.attends and _adds_sum(large) and _is_plain_letter(small))
    ):
        # The x_i and p_i of a sum, a vector and its bias, are of one kind; so is the V_t beside a
        # V(s_t), which is a number.
        called = isinstance(small.body, ir.Call)
        run.pay((2.2 if called else 1.2) * (large.rank - small.rank))
        return True
    return False


def _is_diagonal(value: Value) -> bool:
    """Whether a matrix is the identity or another with zeros beside its diagonal."""
    match value.body:
        case ir.Cases(((ir.Compare("=", ir.Idx(), ir.Idx()), _),), ir.Num(0)):
            return True
    return False


def _sums_up(value: Value) -> bool:
    """Whether a term, or a factor of one, is a sum or a norm."""
    parts = [factor for term in ir.terms(value.body) for factor in ir.factors(term)]
    return any(is_sum(part) or _is_norm(part) for part in parts)


def _is_mean_of_point(run: Run, left: Value, right: Value) -> bool:
    """The μ_i of x_i - μ_i is the mean of the vector x_i, a number."""
    return _is_mean(right) and left.array in run.seen.points


def _is_mean(value: Value) -> bool:
    return letter(value.body) == "mu"


def _are_of_one_family(left: Value, right: Value) -> bool:
    """Whether two terms are elements of arrays at the same index, or go by one letter."""
    called = isinstance(left.body, ir.Call) and isinstance(right.body, ir.Call)
    mine, theirs = letter(left.body), letter(right.body)
    if mine and mine == theirs and not called:
        return True
    if not isinstance(left.body, ir.Ref) or not isinstance(right.body, ir.Ref):
        return False
    return bool(left.body.at) and bool(right.body.at) and left.body.at[0] == right.body.at[0]


def _is_row_on_state(run: Run, row: Value, matrix: Value) -> bool:
    """Whether a product that is a vector is added to the matrix that the formula makes the next
    one of, scaled or not, to the ``γ S_{t-1}`` of S_t; or is a sum over that one's rows."""
    made_of = [f for factor in ir.factors(row.body) if is_sum(factor) for f in ir.walk(factor)]
    if any(isinstance(part, ir.Ref) and part.array in run.defines for part in made_of):
        return True  # the sum of the rows of a state is no next state
    state = _is_state(run, matrix.body) or any(
        _is_state(run, ir.factors(part.body)[-1])  # the O_{t-1} of diag(a) O_{t-1}
        for part in ir.factors(matrix.body)
        if isinstance(part, ir.Reduce)
    )
    return state and not isinstance(row.body, ir.Ref)


def _is_state(run: Run, value: ir.Expr) -> bool:
    """Whether a value, scaled or not, is that of which the formula makes the next one."""
    refs = (factor for factor in ir.factors(value) if isinstance(factor, ir.Ref))
    return any(ref.array in run.defines for ref in refs)


def _is_attended(run: Run, value: Expr) -> bool:
    """Whether a layer is given queries, keys and values: the x of ``x + MultiHead(Q, K, V)`` has
    the rows of which these are made, and beside an ``MHA(X)`` it may be one row."""
    if not isinstance(value, ir.Call) or value.function not in run.functions:
        return False
    given = [letter(one.body) for one in value.arguments]
    return {"Q", "K", "V"} <= {*given}


def _is_bias(value: Value) -> bool:
    return isinstance(value.body, ir.Ref) and bool(value.body.at) and value.body.array[0] == "b"


def _is_of_pair(value: Value) -> bool:
    """Whether a value is an element of an array at two indices, ``r_{ij}`` or ``r_{j-i}``."""
    return isinstance(value.body, ir.Ref) and len(ir.free_indices(value.body)) == 2


def _is_raised(run: Run, node: Infix) -> bool:
    """Whether a sum is all that e is raised to."""
    return any(exponents.exponent(outer) is node for outer in run.seen.nodes.of(Apply, Script))


def _has_size(value: Value) -> bool:
    return any(isinstance(factor, ir.Size) for factor in ir.factors(value.body))


def _is_row_on_outer(row: Value, matrix: Value) -> bool:
    """Whether a sum such as the α S of ``α S + k v^⊤`` is a vector, and what it is added to an
    outer product: both are matrices, but for what is read wrong."""
    if not any(isinstance(factor, ir.Reduce) for factor in ir.factors(row.body)):
        return False
    axes = [find_index(axis) for axis in matrix.axes]
    used = [[axis for axis in axes if uses(factor, axis)] for factor in ir.factors(matrix.body)]
    return [axes[0]] in used and [axes[1]] in used and axes not in used


def _is_across(bias: Value, matrix: Value) -> bool:
    """Whether a bias is added along the rows of a product ``W A``."""
    if not _is_bias(bias) or find_index(bias.axes[0]) is not find_index(matrix.axes[1]):
        return False
    rows, columns = (
        {
            names.base_letter(part.array)
            for part in ir.walk(matrix.body)
            if isinstance(part, ir.Ref)
            and any(
                isinstance(at, ir.Idx) and find_index(at.index) is find_index(axis)
                for at in part.at
            )
        }
        for axis in matrix.axes
    )
    return rows == {"W"} and not columns & {"W"}


def _are_mixed(left: Value, right: Value) -> bool:
    """Whether two terms have the factors b and 1 - b. The α/K beside (1 - α) y is a share of 1."""
    factors = [v.body.factors if isinstance(v.body, ir.Mul) else () for v in (left, right)]
    weights = [{f for f in own if isinstance(f, ir.Ref | ir.Num)} for own in factors]
    rests = [{f for f in own if isinstance(f, ir.Add)} for own in factors]
    return any(
        ir.add(ir.ONE, ir.negative(weight)) in rests[1 - at]
        for at in (0, 1)
        for weight in weights[at]
        if not all(f == weight or isinstance(f, ir.Pow | ir.Num) for f in factors[at])
    )


def _is_scaled(value: Value) -> bool:
    """Whether a matrix is a number times a matrix."""
    return isinstance(value.body, ir.Mul) and any(
        isinstance(factor, ir.Ref) and len(factor.at) > 1 for factor in value.body.factors
    )


def _is_plain_letter(value: Value) -> bool:
    """Whether a value is a number and a lower-case Latin letter: added to a linear map, as in
    x V + c, it is a bias, and should be a vector."""
    if value.rank or not isinstance(value.body, ir.Ref):
        return False
    base = names.base_letter(value.body.array)
    return len(base) == 1 and base.islower()


def _are_alike(number: Value, vector: Value) -> bool:
    """Whether a letter is as what it is added to: neither a constant, as the c of x + c, nor the a
    beside a b, which is no bias there."""
    constant = names.base_letter(number.array) in _CONSTANTS
    return _is_plain_letter(number) and (not constant or letter(vector.body) == "b")


def _is_element(run: Run, value: Value) -> bool:
    """Whether a vector is one for each index of the left-hand side."""
    letters = (run.indices[x] for x in run.target_letters if x in run.indices)
    return not free_roots(value.body).isdisjoint(map(find_index, letters))


def _is_array_by_name(run: Run, value: Value) -> bool:
    """Whether a term is an input without an index that nobody declares, and an array by its name, a
    capital or a word: what is added to each entry or row of an array has a small letter."""
    if not isinstance(value.body, ir.Ref) or len(value.body.at) > value.rank:
        return False
    name = value.body.array
    if name in run.shapes or name not in run.symbols:
        return False
    base = names.base_letter(name)
    if gains.is_moment(run, name) or (base == "Z" and name in run.seen.quantities):
        return False
    if base in names.GREEK:
        return base[0].isupper()
    word = len(base) > 1 and names.element_ranks(name, 0, bold=False, transposed=False)[0] > 0
    return word or base.isupper()


def _is_location(run: Run, node: Infix, value: Value) -> bool:
    """Whether a term is the μ of ``μ + σ ⊙ ε``; that of ``x - μ`` is a number."""
    joined = any(sign.op in HADAMARD for sign in run.seen.nodes.of(Infix))
    if run.seen.normalises or not (joined or "epsilon" in run.seen.counted):
        return False
    name = "" if value.rank else value.array
    new = name in run.symbols and name not in run.scope.ranks and name not in run.shapes
    return node.op == "+" and new and names.base_letter(name) == "mu"


def _adds_sum(value: Value) -> bool:
    """Whether linear maps are added up, as in ``A x + B u``."""
    return all(map(is_sum, ir.terms(value.body)))


def _is_norm(body: Expr) -> bool:
    """Whether a value is ``‖w‖``, or its square."""
    match body:
        case ir.Pow(ir.Pow(total, exponent), _) | ir.Pow(total, exponent) if exponent == ir.HALF:
            return is_sum(total)
    return False


def letter(body: Expr) -> str:
    """The letter of an array, or of the function that gives a value: the ε of ``ε_θ(x)``."""
    match body:
        case ir.Ref(array=name) | ir.Call(function=name):
            return names.base_letter(name)
    return ""


def is_whole(value: Value) -> bool:
    """Whether a value is an array without an index."""
    return isinstance(value.body, ir.Ref) and len(value.body.at) == value.rank


def is_sum(body: Expr) -> bool:
    """Whether a value is a sum over an index, such as a dot product or a linear map."""
    return isinstance(body, ir.Reduce) and body.kind == "sum"
