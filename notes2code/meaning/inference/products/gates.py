"""Gates: which arrays open, element by element, what they are multiplied by."""

from __future__ import annotations

from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, uses
from notes2code.meaning.ir import Expr, Idx, Index, Num, Ref


def mixes(run: Run, left: Value, right: Value) -> bool:
    """Whether one of two arrays is a gate g beside ``1 - g``, or that, as the notes define it, or
    what they define as a sigmoid beside features; or an activation of a product with a weight
    beside another product of the same."""
    if are_of_gated_unit(left, right) or any(
        is_sigmoid(run, mine) and is_features(other)
        for mine, other in ((left, right), (right, left))
    ):
        return True
    return is_gate(run, left) or is_gate(run, right)


def are_of_gated_unit(gate: Value, other: Value) -> bool:
    """Whether two arrays are the halves of ``\\mathrm{SiLU}(x W) (x V)``: what is transposed, ``f(X
    W) (X V)^⊤``, is none."""
    own = gated_by(gate)
    return bool(own and other.axes) and own == projected_on(other.body, other.axes[-1])


def gated_by(gate: Value) -> str:
    """The x of ``\\mathrm{SiLU}(x W)``, "" of anything else."""
    match gate.body:
        case ir.Fn("sigmoid" | "silu" | "gelu" | "relu", (argument,)) if gate.axes:
            return projected_on(argument, gate.axes[-1])
    return ""


def projected_on(value: Expr, feature: Index) -> str:
    """The array of which a value is the product with a weight, whose outputs ``feature`` counts,
    but for a bias; "" of anything else."""
    terms = ir.terms(value)
    sums = [term for term in terms if isinstance(term, ir.Reduce) and term.kind == "sum"]
    parts = [*ir.walk(sums[0])] if len(sums) == 1 else []
    arrays = [part for part in parts if isinstance(part, Ref)]
    if len(arrays) != 2 or any(isinstance(part, ir.Fn) for part in parts):
        return ""
    own = [one.array for one in arrays if not uses(one, feature)]
    return own[0] if len(own) == 1 else ""


def is_sigmoid(run: Run, value: Value) -> bool:
    """Whether a vector is what the notes define as a sigmoid, and no probabilities."""
    if value.rank != 1 or not isinstance(value.body, Ref):
        return False
    array = value.body.array
    defined = array in run.scope.sigmoids or _is_sigmoid(run, array)
    return defined and names.base_letter(array) not in names.PROBABILITIES


def _is_sigmoid(run: Run, name: str) -> bool:
    """Whether the formula itself defines an array as the sigmoid of each of its elements."""
    made = run.defined[name].array.body if name in run.defined else None
    return isinstance(made, ir.Fn) and made.name == "sigmoid"


def is_features(value: Value) -> bool:
    """Whether an array holds features by its letter; those of weights make numbers of vectors."""
    return isinstance(value.body, Ref) and names.base_letter(value.body.array) in _FEATURES


_FEATURES = frozenset("efhxyzEFHXYZ")
"""Letters of what a network makes and is given."""


def is_gate(run: Run, value: Value) -> bool:
    """Whether a value is a g, or ``1 - g``, that the notes define as an array of its rank. The
    weights of a softmax are no gate."""
    terms = value.body.terms if isinstance(value.body, ir.Add) else (ir.ONE, value.body)
    gate = ir.negative(terms[-1]) if isinstance(terms[-1], ir.Mul) else terms[-1]
    if len(terms) != 2 or terms[0] != ir.ONE or not isinstance(gate, Ref):
        return False
    axes = tuple(Idx(axis) for axis in value.axes)
    if (
        gate.array not in run.seen.mixes | run.scope.opposites
        and not _is_opened_here(run, gate.array)
    ) or gate.at[len(gate.at) - len(axes) :] != axes:
        return False  # nor is G^⊤
    if gate.array in run.defined:
        return not _are_weights(run, gate)
    if gate.array in run.scope.opposites:
        return True
    if value.rank == 2 and names.base_letter(gate.array) in _MATRIX_GATES:
        return True
    declared = value.rank == 1 and gate.array in run.shapes
    return declared or (value.rank > 0 and gate.array in run.scope.ranks)


def _is_opened_here(run: Run, name: str) -> bool:
    """Whether a gate is what the formula itself defines as a sigmoid, by its letter too."""
    return names.base_letter(name) in GATES and _is_sigmoid(run, name)


def _are_weights(run: Run, value: Expr) -> bool:
    """Whether a value is what the formula defines as a softmax, or as 1 less one."""
    match value:
        case Ref(name) if name in run.defined:
            return _are_weights(run, run.defined[name].array.body)
        case ir.Add((Num(1), ir.Mul((Num(-1), rest)))):
            return _are_weights(run, rest)
    return isinstance(value, ir.Softmax)


HADAMARD = frozenset("⊙∘")
"""The signs of a product element by element."""


_MATRIX_GATES = frozenset("FGMTZ")
"""Letters of gates and masks that are matrices, where ``1 - G`` is taken of them."""


GATES = frozenset("fgioruz")
"""Letters of the gates of recurrent networks."""


def is_gated(run: Run, left: Value, right: Value) -> bool:
    """Whether one of two vectors that make a state is a gate by its letter: what the notes define,
    or the formula as a sigmoid."""
    arrays = [side.body.array for side in (left, right) if isinstance(side.body, Ref)]
    gates = [name for name in arrays if run.gives_state and names.base_letter(name) in GATES]
    bodies = (run.defined[name].array.body for name in gates if name in run.defined)
    sigmoids = any(isinstance(body, ir.Fn) and body.name == "sigmoid" for body in bodies)
    return sigmoids or any(name in run.scope.ranks for name in gates)
