"""Applying functions of arrays: those defined in the notes or by the field, and unknown ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import ProblemError, Span, error, note
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls import (
    known_functions,
    left_out,
    pairs,
    places_given,
    projected,
    unknown_functions,
)
from notes2code.meaning.inference.calls.callees_sizes import instance
from notes2code.meaning.inference.calls.function_calls import FunctionCall
from notes2code.meaning.inference.calls.given_elements import of_elements
from notes2code.meaning.inference.calls.given_rows import open_indices
from notes2code.meaning.inference.calls.known_functions import is_layer, of_field
from notes2code.meaning.inference.run import Run, Symbol
from notes2code.meaning.inference.values import Value, elementwise
from notes2code.meaning.ir import Equation, Expr, Idx, Ref, Size
from notes2code.meaning.notation.scripts import Use


def _given_to_heads(run: Run, equation: Equation, arguments: Sequence[Value]) -> list[Value]:
    """What the heads are given that a layer means by the field's attention, or self-attention, of
    one sequence, or by cross-attention of two."""
    field, count = run.scope.field, len(arguments)
    of_one = any(equation is field.get(name) for name in ("attention", "selfattention"))
    of_two = equation is field.get("crossattention")
    if not is_layer(run) or not ((of_one and count == 1) or (of_two and count == 2)):
        return []
    return [arguments[0], arguments[-1], arguments[-1]]


def apply(
    run: Run, use: Use, equation: Equation, arguments: Sequence[Value], span: Span, named: str
) -> Value:
    """The value of a known function at arguments; ``named`` is its name with the number of its use.

    Where an argument has more axes than the parameter, the function acts on each of its rows.
    """
    heads = run.scope.field.get("multihead")
    if heads and (sequences := _given_to_heads(run, equation, arguments)):
        told = "one sequence" if len(arguments) == 1 else "two sequences"
        known_functions.tell(run, use, heads, " `MultiHead`", f", since a layer gives it {told}")
        return apply(run, replace(use, name="MultiHead"), heads, sequences, span, named)
    equation = pairs.apart(equation, len(arguments))
    if (of_places := pairs.of_places(equation, arguments)) is not None:
        equation, arguments = of_places
    if not equation.unused and not equation.counted:
        equation = left_out.without_weights(run, use, equation, len(arguments))
    equation = places_given.of_any(use, equation, arguments)
    used, usual = len(equation.parameters), of_field(run, use.name)
    if equation is usual and use.name.lower() == "norm":
        _tell_layer_norm(run, use)
    places: list[Value] = []
    if equation.counted and len(arguments) == used + len(equation.counted):
        places = [arguments[at] for at in equation.counted]
        arguments = [a for at, a in enumerate(arguments) if at not in equation.counted]
    if len(arguments) == used + len(equation.unused):
        others = [arguments[at] for at in equation.unused]
        left_out.refuse_others(run, use, others, span)
        if usual is not None and not usual.unused and others and not used:
            left_out.tell_all(run, use, others, span)
        arguments = [a for at, a in enumerate(arguments) if at not in equation.unused]
    elif len(arguments) != used or equation is usual:
        return _other_arity(run, use, equation, arguments, span, named)
    left_out.refuse_other_events(run, use, equation, arguments, span)
    if use.name in run.symbols and run.symbols[use.name].kind == "function":
        raise _two_functions(use, span)
    if equation is usual:
        known_functions.tell(run, use, equation)
    one = of_elements(equation, arguments)
    _refuse_family(use, equation, one, span)
    if _is_of_numbers(one, arguments):
        _pay_for_arrays(run, use, arguments)
        if not one.definitions:
            return _inlined(run, use, one, arguments, span)
    _refuse_arrays(use, one, span)
    if names.is_norm(use.name):
        _tell_columns(run, use, one, arguments, span)
    return FunctionCall(run, use, one, arguments, span, named).value(places)


def _tell_columns(
    run: Run, use: Use, norm: Equation, arguments: Sequence[Value], span: Span
) -> None:
    """Tell that a norm is one of rows, where columns may be the tokens, or are."""
    of_one = [len(given.shape) for given in norm.inputs if given.name in norm.parameters] == [1]
    if of_one and projected.is_declared_of_columns(arguments[0]):
        text = f"each row of `{run.quote(arguments[0].span)}` is taken to be normalised, as a token"
        hint = "write `X^\\top` where columns are tokens"
        run.problems.append(note("N2C039", text, use.span, hint))
    if any(map(projected.is_of_columns, arguments)):
        text = f"`{use.name}` of columns would normalise each feature over the tokens"
        run.conflict(3, text, span)


def _tell_layer_norm(run: Run, use: Use) -> None:
    """Tell which norm one is taken to be that says no more of itself."""
    text = f"`{use.name}` is taken to be layer norm, with a gain and a bias"
    hint = "write which norm it is, as in `\\mathrm{RMSNorm}(x)`"
    run.problems.append(note("N2C039", text, use.span, hint))


def _refuse_family(use: Use, family: Equation, one: Equation, span: Span) -> None:
    """What gives a matrix for each of its indices is no matrix: but the Attention_i of Q_i, K_i and
    V_i is given those of ``one`` i, and then is of that one."""
    fewer = len(family.value.indices) - len(one.value.indices)
    if len(family.value.indices) - 2 >= family.numbered > fewer and not use.indices:
        raise error(
            "N2C041",
            f"`{use.name}` gives a matrix for each of its indices, and has none here",
            span,
            "write the index that is meant, or say how they are put together",
        )


def _is_of_numbers(equation: Equation, arguments: Sequence[Value]) -> bool:
    """Whether a function makes a number of numbers."""
    ranks = {one.name: len(one.shape) for one in equation.inputs}
    of_numbers = bool(arguments) and all(ranks[name] == 0 for name in equation.parameters)
    return of_numbers and not equation.value.indices


def _pay_for_arrays(run: Run, use: Use, arguments: Sequence[Value]) -> None:
    """What it costs that a function of numbers is given arrays."""
    if use.name in names.KERNELS and any(value.rank for value in arguments):
        run.pay(4)  # a kernel of vectors would be a kernel of each of their elements
    if use.name in names.CLIPS and any(value.rank for value in arguments[1:]):
        run.pay(2.2)  # its bounds are numbers


def _refuse_arrays(use: Use, equation: Equation, span: Span) -> None:
    """What is a function in one place is no array in the other."""
    for one in equation.inputs:
        if one.name == use.name:
            raise error(
                "N2C041",
                f"`{use.name}` is a function here, and an array in its own definition",
                span,
                "give one of the two another name",
            )
    for one in equation.inputs:
        if one.kind == "function" and one.name in equation.parameters:
            raise error(
                "N2C033",
                f"`{use.name}` calls its `{one.name}`, and is given an array here",
                span,
                "define it with the array that it is given, under a letter of its own",
            )


def _other_arity(
    run: Run, use: Use, equation: Equation, arguments: Sequence[Value], span: Span, named: str
) -> Value:
    """A function of the field with another number of arguments than usual: attention that is given
    one array takes that as queries, keys and values; otherwise it is one that the field does not
    know, such as the block of ``h_i = \\text{transformer}(h_{i-1})``. One that a note defines is
    refused, but for attention that is given one array."""
    usual = of_field(run, use.name)
    alike = {run.quote(argument.span) for argument in arguments}
    of_one = len(alike) == len(equation.parameters) == 1 and not equation.unused
    # MultiHead(X, X, X) is what a note has as MultiHead(X).
    if of_one and usual is not None and len(arguments) in (1, len(usual.parameters)):
        return apply(run, use, equation, arguments[:1], span, named)
    named_so = [name[0].lower() for name in equation.parameters] == ["q", "k", "v"]
    if equation is not usual and ((usual is None and not named_so) or len(arguments) != 1):
        raise _other_number(use, equation, len(arguments), span)
    if of_one:
        return apply(run, use, equation, arguments[:1], span, named)
    ranks = {one.name: len(one.shape) for one in equation.inputs}
    given = [ranks[name] for name in equation.parameters]
    attends = {name.upper() for name in equation.parameters} <= {*"QKV"} and not equation.unused
    if len(arguments) == 1 and attends and len(set(given)) == 1:
        text = run.quote(arguments[0].span)
        run.problems.append(
            note("N2C039", f"`{use.name}` is taken to get `{text}` in all its places", span)
        )
        arguments = [arguments[0]] * len(equation.parameters)
        return apply(run, use, equation, arguments, span, named)
    place = _own_place(run, use, arguments) if sorted(given) == [0, 1] else None
    if place is not None:
        text = f"`{use.name}` is taken to get each row and its place, counted from 0"
        run.problems.append(note("N2C039", text, span))
        arguments = [place, *arguments] if given[0] == 0 else [*arguments, place]
        return apply(run, use, equation, arguments, span, named)
    if len(arguments) == 1 and attends:
        raise _other_number(use, equation, 1, span)
    if use.name in run.functions:
        raise _two_functions(use, span)
    return undefined(run, use, arguments, span)


def undefined(run: Run, use: Use, arguments: Sequence[Value], span: Span) -> Value:
    """The value of a function that nobody defines with so many arguments: attention, by its name,
    or one that is not known."""
    attention = of_field(run, "attention") if _attends(use.name) else None
    if attention is not None and len(arguments) == len(attention.parameters):
        return apply(run, use, attention, arguments, span, use.name)
    return unknown_functions.applied(run, use, arguments, span)


def _attends(name: str) -> bool:
    """Whether a word calls attention by what attends to what: ``CrossAttn(Q, K, V)``."""
    plain = names.as_word(name)
    return plain.startswith(("cross", "self", "encoderdecoder", "encdec")) and "att" in plain


def _own_place(run: Run, use: Use, arguments: Sequence[Value]) -> Value | None:
    """What is left out of ``\\mathrm{RoPE}(X W)`` beside ``\\mathrm{RoPE}(x, m) = …``: the place
    of each row, if that is what the function depends on by the field's custom."""
    usual = of_field(run, use.name)
    if usual is None or len(arguments) != 1 or not _depends_on_places(usual):
        return None
    rows = arguments[0].axes[: arguments[0].rank - 1]
    opened = rows or open_indices(arguments[0])
    return Value(Idx(opened[0]), rows, arguments[0].span) if len(opened) == 1 else None


def _depends_on_places(equation: Equation) -> bool:
    """Whether a function computes with the numbers of the rows that it is given."""
    rows = set(map(Idx, equation.value.indices[:1]))
    parts = ir.walk(equation.value.body)
    return any(isinstance(part, ir.Mul) and not rows.isdisjoint(part.factors) for part in parts)


def _other_number(use: Use, equation: Equation, given: int, span: Span) -> ProblemError:
    return error(
        "N2C041",
        f"`{use.name}` takes {len(equation.parameters) + len(equation.unused)} arguments, "
        f"not {given}",
        span,
        "give it as many as its definition has"
        if equation.unused
        else f"it is defined with ({', '.join(equation.parameters)})",
    )


def _two_functions(use: Use, span: Span) -> ProblemError:
    return error(
        "N2C041",
        f"`{use.name}` is called with different numbers of arguments",
        span,
        "give one of the two functions another name",
    )


def _inlined(
    run: Run, use: Use, equation: Equation, arguments: Sequence[Value], span: Span
) -> Value:
    """A function of numbers, written out at its arguments, element by element. The d of two of the
    note's functions, and of the formula itself, is one size."""
    values = dict(zip(equation.parameters, arguments, strict=True))
    base = max(arguments, key=lambda value: value.rank)
    for value in arguments:
        if value is not base:
            elementwise(run, base, value, ir.add, span)
    of_note = use.name in run.scope.functions
    counts = {other.name for other in equation.inputs if other.kind == "size" and of_note}
    for other in equation.inputs:
        if other.name not in values and other.name in run.defines:
            text = f"the `{other.name}` of `{run.quote(span)}` is defined here as something else"
            raise error("N2C035", text, span, "give one of the two another name")
        if other.name not in {*values, *counts, *run.symbols}:
            sizes: dict[Size, Size] = {}
            axes = tuple(instance(axis, sizes) for axis in other.shape)
            run.symbols[other.name] = Symbol(other.name, axes, other.written, span, other.kind)

    def fill(expr: Expr) -> Expr:
        if isinstance(expr, Ref) and expr.array in values:
            return values[expr.array].body
        if isinstance(expr, Size) and expr.name in counts:
            return run.size(expr.name)
        return ir.rebuild(expr, fill)

    return Value(fill(equation.value.body), base.axes, span)
