"""Formulas that call functions: what their tests pass for the weights of what they call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from notes2code.emit.graph import EmitError
from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Ref, Size
from notes2code.oracle.layout import Bracket, lines

if TYPE_CHECKING:
    from notes2code.emit.view import View


def passed_on(view: View, role: str) -> Mapping[str, str]:
    """What a formula hands to the function in a role besides its arguments: the name of each
    input of the function's own formula, by the name of the input of this one. In a stack of
    layers, an input of this one may have a first axis for the layers."""
    equation = view.recognised.equation
    function = view.recognised.functions[role]
    called = equation.functions[function]
    call = next(c for c in _calls(equation) if c.function == function)
    count = len(called.parameters)
    names: dict[str, str] = {}
    for own, given in zip(called.inputs[count:], call.arguments[count:], strict=True):
        if isinstance(given.body, Size):
            names[given.body.name] = own.name
            continue
        own_axes = tuple(map(Idx, given.indices))
        if not isinstance(given.body, Ref) or own_axes not in (given.body.at, given.body.at[1:]):
            raise EmitError(f"{function} is given more than weights")
        names[given.body.array] = own.name
    return names


def weights_of_called(view: View, role: str, module: str) -> Mapping[str, str]:
    """The inputs of a formula that are weights of the function in a role, by name, as text;
    ``module`` is the text of that function's module."""
    used = view.uses[role]
    texts = used.weights_for_callers(module)
    added = used.biases
    letters = other_letters(view, role)
    names = {outer: own for outer, own in passed_on(view, role).items() if own not in added}
    for own in names.values():
        if letters.get(own, own) not in texts:
            raise EmitError(f"{used.name} comes from a formula in other letters: it has no {own}")
    return {outer: texts[letters.get(own, own)] for outer, own in names.items()}


def other_letters(view: View, role: str) -> Mapping[str, str]:
    """What the inputs of the formula that is called are named in the formula that its class is
    made from, which may be the same in other letters."""
    called, made = view.spelt.get(role), view.uses[role].recognised
    if called is None or called.form is not made.form:
        return {}
    letters: dict[str, str] = {}
    weights = view.uses[role].weights("")
    for name, bound in called.found.roles.items():
        other = made.found.roles.get(name)
        if other is not None and other.array in weights and other.axes != bound.axes:
            raise EmitError(f"{view.uses[role].name} comes from a formula with turned matrices")
        letters[bound.array] = bound.array if other is None else other.array
    for name, value in called.settings.items():
        mine, theirs = value.body, made.settings[name].body if name in made.settings else None
        if isinstance(mine, Ref) and isinstance(theirs, Ref):
            letters[mine.array] = theirs.array
    return letters


def weights_of_layers(view: View, role: str, layers: str) -> Mapping[str, str]:
    """The same for the layers of a stack, which ``layers`` is the text of: one array with the
    weights of all layers, or what all of them share."""
    called = view.recognised.equation.functions[view.recognised.functions[role]]
    ranks = {given.name: len(given.shape) for given in called.inputs}
    names = passed_on(view, role)
    own = weights_of_called(view, role, "layer")
    shared = weights_of_called(view, role, f"{layers}[0]")
    texts: dict[str, str] = {}
    for name, text in own.items():
        rank = ranks[names[name]]
        if view.form != "step" and view.rank(name) == rank > 0:
            raise EmitError(f"its layers share {name}")
        texts[name] = f"np.stack([{text} for layer in {layers}])" if rank else shared[name]
    return texts


def entries(weights: Mapping[str, str], indent: int) -> str:
    """The entries of a dictionary of weights, on lines that fit."""
    out: list[str] = []
    for name, text in weights.items():
        found = re.fullmatch(r"np\.stack\(\[(.*) (for layer in \S+)\]\)", text)
        stack = (
            Bracket("np.stack(", (Bracket("[", found.groups(), "]", ""),), ")") if found else text
        )
        out += lines(stack, indent, f'"{name}": ', ",")
    return "\n".join(out)


def _calls(equation: Equation) -> Iterator[Call]:
    bodies: list[Expr] = [equation.value.body, *(d.array.body for d in equation.definitions)]
    for body in bodies:
        yield from (expr for expr in ir.walk(body) if isinstance(expr, Call))
