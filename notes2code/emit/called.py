"""Formulas that call functions: what their tests pass for the weights of what they call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from notes2code.emit.graph import EmitError
from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Ref

if TYPE_CHECKING:
    from notes2code.emit.view import View


def passed_on(view: View, role: str) -> Mapping[str, str]:
    """What a formula hands to the function in a role besides its arguments: the name of each
    input of the function's own formula, by the name of the input of this one."""
    equation = view.recognised.equation
    function = view.recognised.functions[role]
    pattern = view.recognised.form.equation
    count = next(len(c.arguments) for c in _calls(pattern) if c.function == role)
    call = next(c for c in _calls(equation) if c.function == function)
    inputs = equation.functions[function].inputs
    names: dict[str, str] = {}
    for own, given in zip(inputs[count:], call.arguments[count:], strict=True):
        if not isinstance(given.body, Ref) or given.body.at != tuple(map(Idx, given.indices)):
            raise EmitError(f"{function} is given more than weights")
        names[given.body.array] = own.name
    return names


def weights_of_called(view: View, role: str, module: str) -> Mapping[str, str]:
    """The inputs of a formula that are weights of the function in a role, by name, as text;
    ``module`` is the text of that function's module."""
    used = view.uses[role]
    texts = used.weights(module)
    added = used.biases
    names = {outer: own for outer, own in passed_on(view, role).items() if own not in added}
    for own in names.values():
        if own not in texts:
            raise EmitError(f"{used.name} comes from a formula in other letters: it has no {own}")
    return {outer: texts[own] for outer, own in names.items()}


def _calls(equation: Equation) -> Iterator[Call]:
    bodies: list[Expr] = [equation.value.body, *(d.array.body for d in equation.definitions)]
    for body in bodies:
        yield from (expr for expr in ir.walk(body) if isinstance(expr, Call))
