"""Formulas of stacks of layers: what their tests pass for the weights of the layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Idx, Ref

if TYPE_CHECKING:
    from notes2code.emit.view import View


def weights_of_layers(view: View, role: str, layers: str) -> Mapping[str, str]:
    """The inputs of a stack's formula that are weights of its layers, by name, as text: one array
    with the weights of all layers, or what all layers share. ``role`` is that of the layer,
    ``layers`` the text of the list of modules."""
    equation, used = view.recognised.equation, view.uses[role]
    function = view.recognised.functions[role]
    bodies = [equation.value.body, *(d.array.body for d in equation.definitions)]
    calls = (e for body in bodies for e in ir.walk(body) if isinstance(e, Call))
    call = next(e for e in calls if e.function == function)
    inputs = equation.functions[function].inputs
    own, shared = used.weights("layer"), used.weights(f"{layers}[0]")
    texts: dict[str, str] = {}
    for given, passed in zip(inputs, call.arguments, strict=True):
        body, places = passed.body, tuple(map(Idx, passed.indices))
        if given.name in own and isinstance(body, Ref) and body.at == places:
            texts[body.array] = shared[given.name]
        elif given.name in own and isinstance(body, Ref) and body.at[1:] == places:
            texts[body.array] = f"np.stack([{own[given.name]} for layer in {layers}])"
    return texts
