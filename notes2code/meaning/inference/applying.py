"""Applying functions of arrays: those defined in the notes or by the field, and unknown ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import ProblemError, Span, error, note
from notes2code.meaning import ir, names
from notes2code.meaning.inference import (
    left_out,
    pairs,
    places_given,
    projected,
    textbook,
    unknown_functions,
    within_reach,
)
from notes2code.meaning.inference.callees_sizes import instance
from notes2code.meaning.inference.given_elements import at_its_letters, gives_elements, of_elements
from notes2code.meaning.inference.given_rows import all_rows, open_indices
from notes2code.meaning.inference.indexing import place
from notes2code.meaning.inference.known_functions import is_layer, of_field
from notes2code.meaning.inference.own_inputs import number_of_call, own_input, places_of, weights_of
from notes2code.meaning.inference.reach import refuse_limited
from notes2code.meaning.inference.run import Run, Symbol
from notes2code.meaning.inference.values import Value, elementwise, fresh, link, shape_text
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Index, Lambda, Ref, Size
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
        textbook.tell(run, use, heads, " `MultiHead`", f", since a layer gives it {told}")
        return apply(run, replace(use, name="MultiHead"), heads, sequences, span, named)
    equation = pairs.apart(equation, len(arguments))
    if not equation.unused and not equation.counted:
        equation = left_out.without_weights(run, use, equation, len(arguments))
    equation = places_given.of_any(run, use, equation, arguments)
    used, usual = len(equation.parameters), of_field(run, use.name)
    if equation is usual and use.name.lower() == "norm":
        text = f"`{use.name}` is taken to be layer norm, with a gain and a bias"
        hint = "write which norm it is, as in `\\mathrm{RMSNorm}(x)`"
        run.problems.append(note("N2C039", text, use.span, hint))
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
        attends = [name[0].lower() for name in equation.parameters] == ["q", "k", "v"]
        if equation is usual or ((usual is not None or attends) and len(arguments) == 1):
            return _other_arity(run, use, equation, arguments, span, named)
        raise _other_number(use, equation, len(arguments), span)
    left_out.refuse_other_events(run, use, equation, arguments, span)
    if use.name in run.symbols and run.symbols[use.name].kind == "function":
        raise _two_functions(use, span)
    if equation is usual:
        textbook.tell(run, use, equation)
    each = equation
    equation = of_elements(equation, arguments)
    # The Attention_i of Q_i, K_i and V_i is given those of one i, and then is of that one.
    fewer = len(each.value.indices) - len(equation.value.indices)
    if len(each.value.indices) - 2 >= each.numbered > fewer and not use.indices:
        raise error(
            "N2C041",
            f"`{use.name}` gives a matrix for each of its indices, and has none here",
            span,
            "write the index that is meant, or say how they are put together",
        )
    ranks = {i.name: len(i.shape) for i in equation.inputs}
    of_numbers = bool(arguments) and all(ranks[p] == 0 for p in equation.parameters)
    if of_numbers and not equation.value.indices:
        if use.name in names.KERNELS and any(value.rank for value in arguments):
            run.pay(4)  # a kernel of vectors would be a kernel of each of their elements
        if use.name in names.CLIPS and any(value.rank for value in arguments[1:]):
            run.pay(2.2)  # its bounds are numbers
    if of_numbers and not equation.value.indices and not equation.definitions:
        return _inlined(run, use, equation, arguments, span)
    if use.name in ranks:
        raise error(
            "N2C041",
            f"`{use.name}` is a function here, and an array in its own definition",
            span,
            "give one of the two another name",
        )
    for parameter in equation.inputs:
        if parameter.kind == "function" and parameter.name in equation.parameters:
            raise error(
                "N2C033",
                f"`{use.name}` calls its `{parameter.name}`, and is given an array here",
                span,
                "define it with the array that it is given, under a letter of its own",
            )
    if names.is_norm(use.name) and any(map(projected.is_of_columns, arguments)):
        text = f"`{use.name}` of columns would normalise each feature over the tokens"
        run.conflict(3, text, span)
    site = number_of_call(run, use.name, named, arguments)
    weights = weights_of(run, use, equation, site, arguments)
    sizes: dict[Size, Size] = {}
    # The A_{ij}(x) of a function that gives a matrix are its elements.
    elements = gives_elements(run, use, equation, span)
    own = [] if elements else places_of(run, use)
    numbered = len(use.indices) if elements else 0
    arguments, row = all_rows(run, equation, arguments, [place for _, place in own], numbered)
    given = dict(zip(equation.parameters, arguments, strict=True))
    written_out = within_reach.is_limited(run, equation, arguments)
    lambdas: list[Lambda] = []
    extra: tuple[Index, ...] = ()
    for parameter in equation.inputs:
        axes = tuple(instance(axis, sizes) for axis in parameter.shape)
        if parameter.name in given:
            value = given[parameter.name]
            spare = value.rank - len(axes)
            if spare < 0:
                raise error(
                    "N2C041",
                    f"`{run.quote(value.span)}` is {shape_text(value)}, but `{use.name}` "
                    f"takes an array of {len(axes)} axes there",
                    value.span,
                )
            extra = _mapped_over(run, extra, value.axes[:spare], span)
            if not written_out:
                refuse_limited(run, value.axes[spare:])
            for mine, wanted in zip(value.axes[spare:], axes, strict=True):
                run.unify(mine.size, wanted, value.span)
            lambdas.append(Lambda(value.axes[spare:], value.body))
        elif (length := places_given.length_of(equation, parameter)) is not None:
            lambdas.append(Lambda((), instance(length, sizes)))
        else:
            lambdas.append(own_input(run, use, parameter, axes, weights, own, span))
    if written_out and not (own or elements or row or equation.counted):
        arrays = dict(zip((one.name for one in equation.inputs), lambdas, strict=True))
        made = within_reach.written_out(run, equation, arrays, sizes)
        return Value(made.body, (*extra, *made.indices), span)
    name = use.name
    run.functions[name] = equation
    result = tuple(fresh(instance(i.size, sizes)) for i in equation.value.indices)
    if row is not None or elements:
        own_places = zip(use.indices if elements else (), result, strict=False)
        at = tuple(place(run, at, axis.size, use) for at, axis in own_places)
        rest = result[len(at) :]
        if row is not None and Idx(row) not in at:  # the t of m_t(x_t) says it already
            run.unify(row.size, rest[0].size, span)
            at, rest = (*at, Idx(row)), rest[1:]
        whole = (*at, *map(Idx, rest))
        return Value(Call(name, tuple(lambdas), whole, site), (*extra, *rest), span)
    count = len(equation.counted)
    if not count:
        placed = tuple(at_its_letters(run, use, equation, result, arguments))
        rest = tuple(axis for axis, place in zip(result, placed, strict=True) if axis is place)
        return Value(Call(name, tuple(lambdas), (*map(Idx, placed),), site), (*extra, *rest), span)
    counted = places_given.counted(run, result[:count], places, extra)
    at = (*counted, *map(Idx, result[len(counted) :]))
    return Value(Call(name, tuple(lambdas), at, site), (*extra, *result[len(counted) :]), span)


def _other_arity(
    run: Run, use: Use, equation: Equation, arguments: Sequence[Value], span: Span, named: str
) -> Value:
    """A function of the field with another number of arguments than usual: attention that is given
    one array takes that as queries, keys and values; otherwise it is one that the field does not
    know, such as the block of ``h_i = \\text{transformer}(h_{i-1})``."""
    alike = {run.quote(argument.span) for argument in arguments}
    if len(alike) == 1 and len(equation.parameters) == 1 and not equation.unused:
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


def _mapped_over(
    run: Run, before: tuple[Index, ...], more: tuple[Index, ...], span: Span
) -> tuple[Index, ...]:
    if not before or not more:
        return before or more
    if len(before) != len(more):
        raise error(
            "N2C041",
            "the arguments have different numbers of rows to map the function over",
            span,
            "write with indices which elements go together",
        )
    for mine, theirs in zip(before, more, strict=True):
        link(run, mine, theirs, span)
    return before


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
