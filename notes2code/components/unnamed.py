"""What a function that no note defines computes, where one formula of its note can only be that:
the ``O = [A_1 V_1, …, A_H V_H] W`` for ``MHA(X)``, and the layer ``x'' = x' + …`` for
``Block(h_{l-1})``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from notes2code.components.library import Component, plain
from notes2code.components.recognise import kind
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.entries import Entry

if TYPE_CHECKING:
    from notes2code.components.compiling import Compiler


def unnamed(compiler: Compiler, entry: Entry, name: str) -> tuple[Entry, Equation] | None:
    """The one formula of the note that computes what a function of no note does, and its value as
    one of the sequences; None where there is none or several."""
    library = compiler.library
    wanted = library.components.get(library.kinds.get(plain(name), ""))
    if wanted is None or not _part(wanted) or compiler.linker.nearest_functions(entry, [name]):
        return None
    found = [
        (other, function)
        for other in compiler.linker.formulas.in_note(entry)
        if (function := _as_function(compiler, other, name, wanted)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _as_function(compiler: Compiler, entry: Entry, name: str, wanted: Component) -> Equation | None:
    """What a formula without a name computes, as a function of its sequences, if that is such a
    part of a model as a component is, and hides what comes later where that does."""
    parsed = compiler.linker.formulas.parsed[entry]
    if parsed.functions or not parsed.arrays or parsed.states:
        return None
    if entry in compiler.reading or not (parsed.called or parsed.listed):
        return None
    compiled = compiler.by_itself(entry)
    found, equation = compiled.recognised, compiled.equation
    if found is None or equation is None or found.form.partial:
        return None
    if _part(found.component) != _part(wanted):
        return None
    if _is_causal(wanted) and not (found.calls_causal or kind(found).endswith(":causal")):
        return None
    roles = found.found.roles
    given = [roles[role].array for role in ("X", "Q", "K", "V") if role in roles]
    inputs = {one.name: one for one in equation.inputs}
    if not given or not inputs.keys() >= {*given}:
        return None
    first = [inputs.pop(one) for one in given]
    in_order = (*first, *inputs.values())
    return replace(equation, name=name, parameters=tuple(given), inputs=in_order)


def _part(component: Component) -> str:
    """What a part of a model is, whatever it hides: an attention with heads, one without, a layer
    of one sequence; "" for anything else."""
    if component.family == "attention" and {"A", "C"} <= component.names.keys():
        return "heads" if "O" in component.names else "attention"
    layer = {"Mix", "FFN"} <= component.roles.keys() and "Cross" not in component.roles
    return "layer" if component.family == "layers" and layer else ""


def _is_causal(component: Component) -> bool:
    """Whether a position sees none that come later, in a component as the field has it."""
    return bool(component.causal) or any(one.requires == "causal" for one in component.forms)
