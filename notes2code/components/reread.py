"""A formula read with the functions that its class is built from.

A textbook's formula calls the textbook's functions, and so does a note's that calls what no note
gives that name. Where the class is built from a variant that the notes define, such as a layer
with another activation, its formula has to call that too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.library import Library, plain
from notes2code.components.own_sizes import textbook
from notes2code.components.recognise import Recognised, kind, recognise
from notes2code.meaning import type_formula
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.linker import JOIN


def reread(
    recognised: Recognised,
    compiled: Compiled | None,
    used: Mapping[str, Recognised],
    compiler: Compiler,
) -> Recognised | None:
    """A formula that calls other formulas in some of its roles; None where it cannot be read so.
    ``compiled`` is the note's formula, None for the textbook's."""
    names = {role: recognised.functions[role] for role in used}
    functions: dict[str, Equation] = {}
    for role, other in used.items():
        function = _as_function(names[role], other, compiler.library)
        if function is None:
            return None
        functions[names[role]] = function
    scope = compiler.library.scope
    text = recognised.component.textbook_of(recognised.textbook).latex
    named: dict[str, str] = {}
    if compiled is not None:
        named = compiler.named(compiled.entry)
        scope = compiler.linker.scope(compiled.entry, compiled.uses)
        text = "".join(f"{other.latex}{JOIN}" for other in compiled.uses) + compiled.entry.latex
    equation = type_formula(
        text, replace(scope, functions={**scope.functions, **functions})
    ).equation
    if equation is None or any(equation.functions.get(n) != f for n, f in functions.items()):
        return None
    named |= {plain(names[role]): kind(other) for role, other in used.items()}
    found = recognise(equation, compiler.library, named, {recognised.component.name})
    if found is None or found.form is not recognised.form:
        return None
    if found.functions != recognised.functions:
        return None
    return replace(found, textbook=recognised.textbook)


def _as_function(name: str, recognised: Recognised, library: Library) -> Equation | None:
    """A formula as that of a function of what its component's textbook formula is a function of,
    which a note need not write as one; a piece of it, such as its heads, is no such function."""
    equation = recognised.equation
    usual = textbook(recognised.component, library)
    if equation.parameters:
        return equation
    if recognised.form.partial or not usual.equation.parameters:
        return None
    roles = {bound.array: role for role, bound in usual.found.roles.items()}
    wanted = [roles.get(parameter) for parameter in usual.equation.parameters]
    bound = [recognised.found.roles.get(role) for role in wanted if role is not None]
    parameters = tuple(one.array for one in bound if one is not None)
    given = {one.name: one for one in equation.inputs}
    if len(parameters) < len(wanted) or not given.keys() >= {*parameters}:
        return None
    others = (one for one in equation.inputs if one.name not in parameters)
    inputs = (*(given[parameter] for parameter in parameters), *others)
    return replace(equation, name=name, inputs=inputs, parameters=parameters)
