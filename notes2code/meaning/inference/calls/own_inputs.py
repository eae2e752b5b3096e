"""What a function computes with beside its parameters, such as weights: inputs of the formula that
calls it."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Span, error, note
from notes2code.meaning import ir, names
from notes2code.meaning.inference import letters
from notes2code.meaning.inference.calls.known_functions import of_field
from notes2code.meaning.inference.indices.indexing import place
from notes2code.meaning.inference.run import Run, Symbol
from notes2code.meaning.inference.values import Value, fresh, settled
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Lambda, Ref, Size
from notes2code.meaning.notation.scripts import Use


def number_of_call(run: Run, function: str, named: str, arguments: Sequence[Value]) -> int:
    """The number of a call. The same call twice in one statement is one, with one set of weights,
    and so is one at other elements, as ``score(q_i, k_l)`` beside ``score(q_i, k_j)``; other calls
    have weights of their own."""
    arrays = [v.body.array if isinstance(v.body, Ref) else run.quote(v.span) for v in arguments]
    text = "; ".join(arrays)
    key = f"{named}({text})@{run.statement}"
    if key not in run.sites:
        run.sites[key] = run.sites[function] = run.sites.get(function, -1) + 1
    return run.sites[key]


def own_input(
    run: Run,
    use: Use,
    parameter: ir.Input,
    axes: tuple[Size, ...],
    weights: str,
    own: Sequence[tuple[Size, Expr]],
    span: Span,
) -> Lambda:
    """An input of the function that is no parameter, such as a weight: an input here too.

    ``weights`` names the set that it belongs to. Each of the ``FFN_i(x)`` has weights of its own. A
    number that the note's own function computes with, such as the s of ``Q(x) = round(x / s)``, is
    the same everywhere.
    """
    if parameter.kind == "function" and parameter.name in run.defines:
        raise error(
            "N2C034",
            f"`{parameter.name}` is defined here by `{use.name}`, which is defined by it",
            span,
            "this follows from that formula, and is no definition of its own",
        )
    axes = (*(size for size, _ in own), *axes) if axes else axes
    name, owner = _name_and_owner(run, use, parameter, axes, weights, bool(own))
    symbol = run.symbols.get(name)
    if symbol is None:
        if run.step is not None and axes:
            axes = (run.step.size, *axes)
        symbol = Symbol(name, axes, parameter.written, use.span, parameter.kind, owner)
        run.symbols[name] = symbol
    else:
        for mine, theirs in zip(symbol.axes, axes, strict=False):
            run.unify(mine, theirs, use.span)
    stepped = run.step is not None and bool(symbol.axes)
    lead: tuple[Expr, ...] = (Idx(run.step),) if stepped and run.step is not None else ()
    lead += tuple(place for _, place in own) if symbol.axes else ()
    indices = tuple(fresh(axis) for axis in symbol.axes[len(lead) :])
    return Lambda(indices, Ref(name, (*lead, *(Idx(i) for i in indices))))


def _name_and_owner(
    run: Run, use: Use, parameter: ir.Input, axes: tuple[Size, ...], weights: str, own: bool
) -> tuple[str, str]:
    """The name of an input of a function here, and the set of weights that it belongs to: "" where
    all functions have one."""
    owner = f"{weights}.{parameter.name}"
    name, number = parameter.name, 1
    if parameter.kind == "function" and use.name in run.scope.functions:
        owner = ""  # what a note's function calls, and no note defines, is one function
    if parameter.kind == "array" and not axes and _is_of_note(run, use, name):
        owner = ""
        if name in run.symbols and run.symbols[name].axes:
            run.pay(2.2)  # the s of s (Q(x) - z) is a number there, too
    shared = parameter.kind == "array" and not own and _is_named_here(run, use, name)
    if shared and name in run.symbols:
        shared = len(run.symbols[name].axes) == len(axes)
    owner = "" if shared else owner
    while not shared and _is_another(run, name, owner, parameter.kind):
        number += 1
        name = f"{parameter.name}_{number}"
    return name, owner


def weights_of(
    run: Run, use: Use, equation: Equation, site: int, arguments: Sequence[Value]
) -> str:
    """The set of weights that a call of a function computes with.

    A second call of a layer, such as an FFN, of what takes off a mean, or of what is applied to its
    own result, as in ``Conv(Conv(x))``, has weights of its own. A function with a letter for a
    name, ``φ(q)`` and ``φ(k)``, and another word that the note defines, ``Enc(x)`` and ``Enc(y)``,
    have one set.
    """
    base, _, label = use.name.partition("_")
    if len(names.base_letter(use.name)) == 1 or base in names.GREEK:
        return use.name
    layer = names.is_norm(use.name) or of_field(run, use.name) is not None
    layer = layer or any(not one.shape and _is_statistic(one.name) for one in equation.inputs)
    if layer and label not in names.GREEK:
        return f"{use.name}#{site}"
    if any(_holds_call(run, value.body, use.name) for value in arguments):
        return f"{use.name}#{site}"
    if site and any(one.shape and one.name not in equation.parameters for one in equation.inputs):
        text = f"all calls of `{use.name}` are taken to have the same weights"
        run.problems.append(
            note("N2C039", text, use.span, "write `_1` and `_2` where they have not")
        )
    return use.name


def _holds_call(run: Run, body: Expr, name: str) -> bool:
    """Whether a function was called for a value, or for what that is made of."""
    for part in ir.walk(settled(body)):
        if isinstance(part, Call) and part.function == name:
            return True
        made = run.defined.get(part.array) if isinstance(part, Ref) else None
        if made is not None and _holds_call(run, made.array.body, name):
            return True
    return False


def _is_of_note(run: Run, use: Use, name: str) -> bool:
    """Whether a number that a function computes with is one number of the note, and neither the
    mean or the deviation of what the function is given nor a size or a family here."""
    alone = run.seen.counted.get(name, {0}) == {0} and name not in run.seen.sizes
    array = name in run.seen.transposed or letters.is_memory(run, name)
    return use.name in run.scope.functions and alone and not (_is_statistic(name) or array)


def _is_named_here(run: Run, use: Use, name: str) -> bool:
    """Whether a formula names what a function of the note computes with, by a word that says whose
    it is: the b_{dec} of ``W_{dec} f(x) + b_{dec}`` is that of f, and a W_1 may be another."""
    mine = use.name in run.scope.functions and of_field(run, use.name) is None
    return mine and run.seen.counted.get(name) == {0} and len(name.rpartition("_")[2]) > 2


def _is_statistic(name: str) -> bool:
    """Whether a number is the mean or the deviation of what a function is given."""
    return names.base_letter(name) in ("mu", "sigma")


def places_of(run: Run, use: Use) -> list[tuple[Size, Expr]]:
    """The sizes and places of the indices of a function that has weights for each: ``FFN_i``."""
    found: list[tuple[Size, Expr]] = []
    for at in use.indices:
        if run.step is None or names.label(at.node) != run.step.name:
            size = Size("")
            found.append((size, place(run, at, size, use)))
    return found


def _is_another(run: Run, name: str, owner: str, kind: str) -> bool:
    """Whether the formula has something else by the name of a function's own input."""
    known = run.symbols.get(name)
    if known is None:
        here = kind == "array" and owner != "" and name in run.seen.counted
        return name in run.defines | run.made or here  # the Q_2 of Q_i = Q W_i is made, too
    return known.owner != owner or (not owner and bool(known.axes))
