"""Products with a sign between the factors: a dot, a cross, a star, a circle."""

from __future__ import annotations

from notes2code.diagnostics import Span, error, note, warning
from notes2code.latex.tree import Apply, Group, Infix, Juxt, Name, Node, Num, ungrouped
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls import given
from notes2code.meaning.inference.lists import concatenations
from notes2code.meaning.inference.products import turns
from notes2code.meaning.inference.products.factors import turned
from notes2code.meaning.inference.products.gates import (
    GATES,
    HADAMARD,
    are_of_gated_unit,
    is_features,
    mixes,
)
from notes2code.meaning.inference.products.products import (
    is_capital,
    is_scale,
    product,
    scales,
    shifted,
)
from notes2code.meaning.inference.products.scaling import is_gain, is_weight, weighs_all
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import (
    Value,
    dot,
    elementwise,
    free_roots,
    mapped,
    outer,
    shape_text,
)
from notes2code.meaning.notation import binders
from notes2code.meaning.overview.arithmetic import terms

_TIMES = HADAMARD | frozenset("·×*")


def explicit(run: Run, node: Infix) -> Value:
    """A product or concatenation written with a sign."""
    if node.op == "‖" or (node.op == "⊕" and run.scope.joins):
        return concatenations.joined(run, node)
    if node.op in _TIMES and turns.factor(run, (node.left, node.right)) is not None:
        turn = turned(run, Juxt((node.left, node.right), node.span))
        if turn is not None:
            return turn
    left, right = _sides(run, node)
    where = left.span.to(right.span)
    if node.op in HADAMARD or node.op == "⊘":
        right = mapped(right, ir.inverse) if node.op == "⊘" else right
        # What is multiplied element by element has elements, or is one.
        each = 2.6 if max(left.rank, right.rank) == 2 else 1.8
        run.pay(each * sum(not side.rank and not _placed(run, side) for side in (left, right)))
        run.pay(1.2 * (_gated_numbers(left, right) or _scales_elements(run, left, right)))
        if {left.rank, right.rank} == {1, 2}:
            _each_row(run, left, right, where)
        return elementwise(run, left, right, ir.mul, where)
    if node.op in ("·", "×", "*", "@"):
        return _dotted(run, left, right, node)
    if node.op == "⊗":
        return _circled(run, left, right, node)
    if node.op == "⊕":
        return _plus_in_circle(run, left, right, node)
    if node.op == "mod":
        run.pay(4.4 * sum(value.rank > 0 for value in (left, right)))  # a rest is one of counts
        return elementwise(run, left, right, lambda a, b: ir.Fn("mod", (a, b)), where)
    raise error("N2C037", f"the sign `{node.op}` is not understood here", node.op_span)


def _sides(run: Run, node: Infix) -> tuple[Value, Value]:
    """What a sign stands between: in ``W_2 · f(W_1 x) · (W_3 x)`` W_2 and the gated unit."""
    match node.left:
        case Infix("·" | "×" | "*", first, Juxt((Name(), Group("("))) as gate) if node.op in "·×*":
            before = run.lower(first)
            values = run.lower(gate), run.lower(node.right)
            if are_of_gated_unit(*values):
                return before, product(run, *values, gate.span.to(node.right.span))
            return _dotted(run, before, values[0], node.left), values[1]
    return run.lower(node.left), run.lower(node.right)


def _each_row(run: Run, left: Value, right: Value, where: Span) -> None:
    """A vector beside a matrix: a gate and its state, and what noise is added to, are of one kind,
    while a gain is that of each row, and a small letter beside a capital may be."""
    row, matrix = sorted((left, right), key=lambda side: side.rank)
    if not is_gain(run, row):
        noise = isinstance(row.body, ir.Ref) and names.base_letter(row.body.array) == "epsilon"
        run.pay(1.2 if is_capital(matrix) and (noise or is_capital(row)) else 0.0)
        text = f"each row of `{run.quote(matrix.span)}` is multiplied by `{run.quote(row.span)}`"
        run.problems.append(note("N2C039", text, where, "declare the shapes to make it plain"))


def _gated_numbers(left: Value, right: Value) -> int:
    """How many of a gate by its letter, ``g_t``, and a letter that it acts on would be numbers:
    both are vectors."""
    refs = [side.body.array for side in (left, right) if isinstance(side.body, ir.Ref)]
    gates = len(refs) == 2 and any(names.base_letter(name) in GATES for name in refs)
    return (left.rank, right.rank).count(0) if gates and max(left.rank, right.rank) < 2 else 0


def _scales_elements(run: Run, left: Value, right: Value) -> bool:
    """Whether a number at a place would scale a vector of that place, ``w_t \\odot v_t``: the sign
    says that it has elements, too. A mask, ``m_t``, hides a place or an element of it, and α and β
    weigh all of it."""
    number, vector = sorted((left, right), key=lambda side: side.rank)
    if number.rank or not vector.rank or not _placed(run, number):
        return False
    arrays = [part.array for part in ir.walk(number.body) if isinstance(part, ir.Ref)]
    plain = ("m", "mask", "alpha", "beta")
    return not any(names.base_letter(name).lower() in plain for name in arrays)


def _placed(run: Run, value: Value) -> bool:
    """Whether a number is an element at some place, and not only what it is at a step."""
    return bool(free_roots(value.body) - ({run.step} if run.step is not None else set()))


def _dotted(run: Run, left: Value, right: Value, node: Infix) -> Value:
    """What ``a · b``, ``a * b``, ``a × b`` and ``a @ b`` are: a product, or one by element."""
    where = node.op_span
    _weigh_dotted(run, left, right, node)
    gated = _applied_to(run, node.right, node.left) or _applied_to(run, node.left, node.right)
    gated = gated or _called_with_one(node.left, node.right)
    given.weigh_numbers(run, left, right)
    is_gate = _is_gated(left, right) or given.are_gated(run, left, right)
    is_gate = node.op != "@" and left.rank == right.rank > 0 and is_gate
    if (gated and left.rank == right.rank == 2) or (is_gate and not gated):
        why = "one side is a gate" if is_gate else "both sides are of the same"
        text = f"`{node.op}` is taken to be element by element: {why}"
        run.problems.append(note("N2C039", text, where, "write `\\odot` to make it plain"))
        return elementwise(run, left, right, ir.mul, where)
    if node.op != "@" and left.rank == right.rank == 2 and _masks(run, left, right):
        text = f"`{node.op}` is taken to be element by element: one side is a mask"
        run.problems.append(warning("N2C050", text, where, "write `\\odot` to make it plain"))
        return elementwise(run, left, right, ir.mul, where)
    if left.rank == 1 and right.rank == 1 and left.row == right.row:
        return _of_two_vectors(run, left, right, node, gated)
    vector, matrix = sorted((left, right), key=lambda side: side.rank)
    pair = (vector.rank, matrix.rank) == (1, 2)
    if node.op == "*" and pair and _are_inputs(vector, matrix):
        text = "`*` is taken for the product of a vector and a matrix, and for no convolution"
        hint = "write `\\cdot` if it is one; a convolution is not computed"
        run.problems.append(warning("N2C050", text, where, hint))
    return product(run, left, right, where)


def _weigh_dotted(run: Run, left: Value, right: Value, node: Infix) -> None:
    """Count against a reading what a sign between its sides makes less likely."""
    if node.op == "·" and left.body == ir.Ref("theta") and right.rank == 1:
        run.pay(1.5)  # the θ of θ · x is no angle, but a vector of weights
    if node.op == "@" or (node.op == "*" and run.gives_state):
        # The gates of a state are vectors, as in ``f_t * C_{t-1}``, and @ is a sign of arrays.
        run.pay(1.2 * sum(not side.rank and not free_roots(side.body) for side in (left, right)))
    for weight, other in ((left, right), (right, left)):
        of_neuron = isinstance(weight.body, ir.Ref) and names.base_letter(weight.body.array) == "w"
        if node.op == "·" and of_neuron and weighs_all(run, weight, other):
            run.pay(1.2)  # w_i · x + b_i is what the neuron i makes of x


def _of_two_vectors(run: Run, left: Value, right: Value, node: Infix, gated: bool) -> Value:
    """The dot product of two vectors, or their product by element where these are ``gated``, or
    mixed, or scaled. Refuses what may be either."""
    where = node.op_span
    goes_on = _is_of_elements(node.left, left)
    if node.op == "·" and (goes_on or mixes(run, left, right) or _makes_state(run, node)):
        text = "`·` is taken to be element by element: what comes out is a vector"
        run.problems.append(note("N2C039", text, where, "write `\\odot` to make it plain"))
        return elementwise(run, left, right, ir.mul, where)
    if is_gain(run, left) or is_gain(run, right) or scales(left, right):
        return elementwise(run, left, right, ir.mul, where)
    if is_scale(left, right):
        return shifted(run, left, right, where)
    if gated or _maps_the_other(left, right) or _maps_the_other(right, left):
        raise error(
            "N2C033",
            f"`{run.quote(left.span)}` and `{run.quote(right.span)}` come from one vector: "
            "their product may be meant element by element",
            where,
            "write `\\odot`, or `^\\top` for the dot product",
        )
    if node.op in ("·", "@"):
        return dot(run, left, right, where)
    if node.op == "*":
        if not (run.seen.steps or run.gives_rows):  # the gates of a recurrent network
            text = "`*` between vectors is taken to be element by element, as in programs"
            hint = "write `\\odot` to make it plain, or `\\cdot` for the dot product"
            run.problems.append(warning("N2C050", text, where, hint))
        return elementwise(run, left, right, ir.mul, where)
    raise error(
        "N2C033",
        f"`{run.quote(left.span)}` and `{run.quote(right.span)}` are vectors: "
        f"`{node.op}` may mean their dot product or element by element",
        where,
        "write `\\cdot` for the dot product or `\\odot` for element by element",
    )


def _masks(run: Run, left: Value, right: Value) -> bool:
    """Whether one of two matrices is a mask by its name: it hides scores, and maps nothing. An M is
    one beside queries and keys."""
    arrays = [side.body.array for side in (left, right) if isinstance(side.body, ir.Ref)]
    if run.seen.attends and "M" in map(names.base_letter, arrays):
        return True
    return any(name != "M" and names.is_mask(name) for name in arrays)


def _are_inputs(left: Value, right: Value) -> bool:
    """Whether two values are given, and none of them is a weight."""
    given = isinstance(left.body, ir.Ref) and isinstance(right.body, ir.Ref)
    return given and not is_weight(left) and not is_weight(right)


def _is_of_elements(node: Node, value: Value) -> bool:
    """Whether a dot before another one multiplies vectors element by element, as that does then."""
    if not (isinstance(node, Infix) and node.op == "·" and isinstance(value.body, ir.Mul)):
        return False
    at = find_index(value.axes[0])
    return sum(at in free_roots(factor) for factor in value.body.factors) > 1


def _makes_state(run: Run, node: Infix) -> bool:
    """Whether a product is a term of a state, or the beginning of one, and a gate in it: the ``f_t
    · c_{t-1}`` and ``i_t · g_t`` of c_t, each of which goes with the step, or the ``o_t ·
    \\tanh(c_t)`` of h_t."""
    if not run.gives_state or run.whole is None:
        return False
    factors = binders.chain(node)
    whole = (binders.chain(ungrouped(term)) for term in terms(run.whole))
    term = next((chain for chain in whole if chain[: len(factors)] == factors), ())
    uses = [run.seen.understood(ungrouped(factor)) for factor in term]
    stepped = [use is not None and bool(use.steps) for use in uses]
    squashed = any(isinstance(factor, Apply) for factor in term)
    indexed = any(use is not None and use.indices for use in uses)
    return bool(term) and (all(stepped) or (squashed and indexed))


def _is_gated(left: Value, right: Value) -> bool:
    """Whether one value is a sigmoid, or what it is of times a sigmoid, and the other is made of
    something too, is features by its letter, or what the gate is made of: no layer's weights."""
    for gate, other in ((left, right), (right, left)):
        if isinstance(gate.body, ir.Fn) and gate.body.name in ("sigmoid", "silu"):
            named = {part.array for part in ir.walk(gate.body) if isinstance(part, ir.Ref)}
            made = not isinstance(other.body, ir.Ref) or other.body.array in named
            if made or is_features(other):
                return True
    return False


def _called_with_one(left: Node, right: Node) -> bool:
    """Whether two functions get one array: ``f(x; β) · σ(x)``."""
    match left, right:
        case Juxt((Name(f), Group("(", (mine, *_)))), Juxt((Name(g), Group("(", (theirs, *_)))):
            return f != g and binders.bare(mine) == binders.bare(theirs) != ""
    return False


def _applied_to(run: Run, call: Node, other: Node) -> bool:
    """Whether a factor is a function of the other one as it stands, or scaled by a number:
    ``XW · σ(XW)``, ``z · σ(β z)``."""
    match call:
        case Juxt((_, Group() as argument)) | Apply(_, argument):
            texts = [run.quote(_unscaled(node).span) for node in (argument, other)]
            return texts[0].replace(" ", "") == texts[1].replace(" ", "")
    return False


def _unscaled(node: Node) -> Node:
    """A factor without the number or the Greek letter before it, and without parentheses."""
    match ungrouped(node):
        case Juxt((scale, factor)) | Infix("·" | "×" | "*", scale, factor) if (
            isinstance(scale, Num) or binders.bare(scale) in names.GREEK
        ):
            return ungrouped(factor)
        case inner:
            return inner


def _maps_the_other(left: Value, right: Value) -> bool:
    """Whether one vector is a function of the other's elements, as in ``x · σ(x)``, or both are
    functions of one, as in ``tanh(x) · σ(x)``."""
    if isinstance(right.body, ir.Ref):
        return False
    used = [
        {expr.array for expr in ir.walk(value.body) if isinstance(expr, ir.Ref) and expr.at}
        for value in (left, right)
    ]
    parts = (part for value in (left, right) for part in ir.walk(value.body))
    plain = isinstance(left.body, ir.Ref)
    one = used[0] == used[1] and len(used[0]) == 1 and left.body != right.body
    others = ir.Reduce | ir.Call if plain else ir.Reduce
    return one and not any(isinstance(part, others) for part in parts)


def _circled(run: Run, left: Value, right: Value, node: Infix) -> Value:
    """``⊗`` between two arrays of one shape is element by element, as in SwiGLU and the gates of an
    LSTM; the product of two vectors may be a matrix, as what is added to a memory is, unless they
    are made by weights, as gates are."""
    if run.scope.circled == "kronecker":
        text = "`\\otimes` is said to be the Kronecker product, which is not computed"
        raise error("N2C037", text, node.op_span, "write its elements with indices")
    if run.scope.circled == "outer":
        return _outer_as_said(run, left, right, node)
    if left.rank != right.rank:
        raise error(
            "N2C033",
            f"`\\otimes` stands between {shape_text(left)} and {shape_text(right)}",
            node.op_span,
            "write `\\odot` for element by element, or the outer product with `^\\top`",
        )
    if left.rank == 0:
        run.pay(2.5)  # numbers are just multiplied
    parts = (part for value in (left, right) for part in ir.walk(value.body))
    plain = left.rank == 1 and not any(isinstance(part, ir.Reduce) for part in parts)
    ways = (("element by element", 0.0), ("the outer product", 0.5))
    said = run.scope.circled == "elements"
    way = run.choose(f"circled {node.op_span.start}", ways) if plain and not said else ways[0][0]
    run.problems.append(note("N2C039", f"`\\otimes` is taken to be {way}", node.op_span))
    if way == ways[1][0]:
        return outer(left, right)
    return elementwise(run, left, right, ir.mul, node.op_span)


def _outer_as_said(run: Run, left: Value, right: Value, node: Infix) -> Value:
    """The outer product, where the text calls ``⊗`` so: of two vectors."""
    run.pay(2.5 * (left.rank, right.rank).count(0))
    if max(left.rank, right.rank) > 1:
        text = f"`\\otimes` is said to be the outer product, and `{run.quote(left.span)}` is"
        text = f"{text} {shape_text(left)}, `{run.quote(right.span)}` {shape_text(right)}"
        raise error("N2C041", text, node.op_span, "write it with indices")
    told = note("N2C039", "`\\otimes` is the outer product, as the text says", node.op_span)
    run.problems.append(told)
    return outer(left, right)


def _plus_in_circle(run: Run, left: Value, right: Value, node: Infix) -> Value:
    value = elementwise(run, left, right, ir.add, node.op_span)
    run.problems.append(note("N2C039", "`\\oplus` is taken to be addition", node.op_span))
    return value
