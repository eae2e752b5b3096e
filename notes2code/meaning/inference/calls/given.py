"""The parameters of a function where it multiplies them: the a and b of ``GLU(a, b) = σ(a) · b``
and of ``s(a, b) = a · b``, which are of one kind, whatever their letters are elsewhere. The x of
``f(x, p) = x · p`` is a vector by its letter, and the p may be a number."""

from __future__ import annotations

from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value

_GATES = frozenset(["sigmoid", "silu", "gelu", "relu", "tanh"])
"""The activations of gates."""


def weigh_unlike(run: Run, left: Value, right: Value) -> None:
    """Count it against a reading where one is a number and the other is none."""
    if left.rank != right.rank and _are_two(run, left, right):
        run.pay(1.2)


def weigh_numbers(run: Run, left: Value, right: Value) -> None:
    """Count it against a reading where both are numbers, and a dot stands between: it is that of a
    product of vectors, where none is a gate."""
    if left.rank == right.rank == 0 and _are_two(run, left, right):
        run.pay(1.2 * (isinstance(left.body, ir.Ref) and isinstance(right.body, ir.Ref)))


def are_gated(run: Run, left: Value, right: Value) -> bool:
    """Whether one of them is the gate of the other."""
    gate = isinstance(left.body, ir.Fn) or isinstance(right.body, ir.Fn)
    return gate and _are_two(run, left, right)


def _are_two(run: Run, left: Value, right: Value) -> bool:
    """Whether both sides are parameters of what is defined, or activations of these, and neither
    is a vector by its letter."""
    sides = {*map(_parameter, (left, right))}
    return len(sides) == 2 and sides <= {*run.whole_parameters} - names.VECTORS


def _parameter(side: Value) -> str:
    """The name of an input, or of what a gate is made of; "" for anything else."""
    match side.body:
        case ir.Ref(array) | ir.Fn(_, (ir.Ref(array),)):
            plain = isinstance(side.body, ir.Ref) or side.body.name in _GATES
            return array if plain else ""
    return ""
