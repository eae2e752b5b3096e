"""Layers: formulas whose functions are passed to them, as a layer is built from its sublayers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from notes2code.emit.called import other_letters
from notes2code.emit.graph import EmitError
from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Definition, Equation, Expr, Idx, Input, Lambda, Ref, Size

if TYPE_CHECKING:
    from notes2code.emit.view import View


def calls(equation: Equation) -> list[Call]:
    """The calls of functions, in the order in which they are computed."""
    bodies = (*(d.array.body for d in equation.definitions), equation.value.body)
    found = {(c.function, c.site): c for body in bodies for c in _inside_out(body)}
    return list(found.values())


def _inside_out(expr: Expr) -> Iterator[Call]:
    for child in ir.children(expr):
        yield from _inside_out(child)
    if isinstance(expr, Call):
        yield expr


def opened(equation: Equation, among: Collection[str] | None = None) -> Equation:
    """The equation with an input, a function, for each call: ``LayerNorm``, ``LayerNorm_2``; with
    ``among``, for each call of these functions."""
    names: dict[tuple[str, int], str] = {}
    taken = {i.name for i in equation.inputs if i.kind != "function"}
    taken |= {d.name for d in equation.definitions}
    for call in calls(equation):
        if among is not None and call.function not in among:
            continue
        name, number = call.function, 1
        while name in taken:
            number += 1
            name = f"{call.function}_{number}"
        names[call.function, call.site] = name
        taken.add(name)

    def array(old: Lambda) -> Lambda:
        return Lambda(old.indices, expr(old.body))

    def expr(old: Expr) -> Expr:
        new = ir.rebuild(old, expr)
        if not isinstance(new, Call) or (new.function, new.site) not in names:
            return new
        callee = equation.functions.get(new.function)
        count = len(callee.parameters) if callee else len(new.arguments)
        return Call(names[new.function, new.site], new.arguments[:count], new.at, new.site)

    definitions = tuple(Definition(d.name, array(d.array), d.written) for d in equation.definitions)
    value = array(equation.value)
    used = {
        e.array if isinstance(e, Ref) else e.name
        for body in (*(d.array.body for d in definitions), value.body)
        for e in ir.walk(body)
        if isinstance(e, Ref | Size)
    }
    closed = {call.function for call in calls(equation)} - {function for function, _ in names}
    kept = [i for i in equation.inputs if i.name in (closed if i.kind == "function" else used)]
    inputs = (*kept, *(Input(name, (), name, "function") for name in names.values()))
    functions = {name: equation.functions[name] for name in equation.functions if name in closed}
    return replace(
        equation, inputs=inputs, definitions=definitions, value=value, functions=functions
    )


def functions_of(view: View, role: str) -> list[str]:
    """The names of the inputs that stand for the calls of a role in the opened equation."""
    function = view.recognised.functions[role]
    pairs = zip(calls(view.recognised.equation), calls(view.equation), strict=True)
    return [new.function for old, new in pairs if old.function == function]


def formula_of(view: View, role: str, module: str) -> str:
    """What a layer's formula calls in a role, as text: the formula of that part at the weights of
    ``module``. Where it is called with one sequence, that is its queries, keys and values."""
    used = view.uses[role]
    formula, sequences = f"{used.snake}_by_formula", _sequences(used)
    function = view.recognised.functions[role]
    passed = len(view.recognised.equation.functions[function].parameters)
    if passed == sequences:
        return f"partial({formula}, {module})"
    if passed == 1 and sequences == 3:
        return f"lambda x: {formula}({module}, x, x, x)"
    if passed == 3 and sequences == 2 and _memory_twice(view, function):
        return f"lambda x, memory, _: {formula}({module}, x, memory)"
    of = "one sequence" if sequences == 1 else f"{sequences} sequences"
    raise EmitError(f"{used.name} has a formula of {of}, and is given {passed}")


def _memory_twice(view: View, function: str) -> bool:
    """Whether each call of a function gets the same keys and values, ``CrossAttn(A, M, M)``."""
    found = [c for c in calls(view.recognised.equation) if c.function == function]
    return all(len({*map(_handed, call.arguments[1:3])} - {""}) == 1 for call in found)


def _sequences(used: View) -> int:
    """How many sequences the formula of a part takes: queries, keys and values, or one."""
    if used.component == "cross_attention":
        return 2
    several = used.component in ("multi_head_attention", "grouped_query_attention")
    apart = several and "X" not in used.recognised.found.roles
    return 3 if apart or used.component == "scaled_dot_product_attention" else 1


def weights_of_sublayers(view: View, role: str, modules: Sequence[str]) -> Mapping[str, str]:
    """The inputs of a layer's formula that are weights of what it calls in a role, by name, as
    text. ``modules`` are the texts of the modules, in the order of the calls."""
    equation, used = view.recognised.equation, view.uses[role]
    function = view.recognised.functions[role]
    callee = equation.functions[function]
    found = [call for call in calls(equation) if call.function == function]
    letters = other_letters(view, role)
    texts: dict[str, str] = {}
    for call, module in zip(found, modules, strict=True):
        own, count = used.weights_for_callers(module), len(callee.parameters)
        for wanted, given in zip(callee.inputs[count:], call.arguments[count:], strict=True):
            name = letters.get(wanted.name, wanted.name)
            outer = _handed(given)
            if name not in own or not outer:
                raise EmitError(f"{used.name} is not given {wanted.name} as its formula is")
            texts[outer] = own[name]
    return texts


def _handed(given: Lambda) -> str:
    """The name of an array or a size that a call is given whole, "" if it is given something
    else."""
    match given.body:
        case Size(name):
            return name
        case Ref(array, at) if at == tuple(map(Idx, given.indices)):
            return array
    return ""
