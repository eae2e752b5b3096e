"""Applying functions of arrays: those defined in the notes or by the field, and unknown ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from notes2code.diagnostics import ProblemError, Span, error, note
from notes2code.meaning import ir, names
from notes2code.meaning.inference import (
    left_out,
    letters,
    pairs,
    places_given,
    projected,
    textbook,
    unknown_functions,
    within_reach,
)
from notes2code.meaning.inference.callees_sizes import instance
from notes2code.meaning.inference.indexing import place
from notes2code.meaning.inference.reach import refuse_limited
from notes2code.meaning.inference.run import Run, Symbol, find_index
from notes2code.meaning.inference.values import (
    Value,
    elementwise,
    free_roots,
    fresh,
    link,
    settled,
    shape_text,
)
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Index, Lambda, Ref, Size
from notes2code.meaning.notation.scripts import Use


def known(run: Run, name: str) -> Equation | None:
    """The equation of a function that this formula, the notes or the field define."""
    return run.functions.get(name) or run.scope.functions.get(name) or _of_field(run, name)


def without_number(run: Run, name: str) -> str:
    """The name of a function of the field, of which a note numbers the uses: ``RMSNorm_2``."""
    base = names.plainly(name)
    counts = base and known(run, name) is None and _of_field(run, base) is not None
    return base if counts else name


def _of_field(run: Run, name: str) -> Equation | None:
    word = names.as_word(name)
    found = run.scope.field.get("ffn" if word == "mlp" and _is_layer(run) else word)
    return found if found is not None and found.parameters else None


def _given_to_heads(run: Run, equation: Equation, arguments: Sequence[Value]) -> list[Value]:
    """What the heads are given that a layer means by the field's attention, or self-attention, of
    one sequence, or by cross-attention of two."""
    field, count = run.scope.field, len(arguments)
    of_one = any(equation is field.get(name) for name in ("attention", "selfattention"))
    of_two = equation is field.get("crossattention")
    if not _is_layer(run) or not ((of_one and count == 1) or (of_two and count == 2)):
        return []
    return [arguments[0], arguments[-1], arguments[-1]]


def _is_layer(run: Run) -> bool:
    """Whether a formula is that of a layer, which has a norm."""
    return any(map(names.is_norm, run.seen.called))


def apply(
    run: Run, use: Use, equation: Equation, arguments: Sequence[Value], span: Span, named: str
) -> Value:
    """The value of a known function at arguments; ``named`` is its name with the number of its use.

    Where an argument has more axes than the parameter, the function acts on each of its rows.
    """
    heads = run.scope.field.get("multihead")
    if heads and (sequences := _given_to_heads(run, equation, arguments)):
        told = "one sequence" if len(arguments) == 1 else "two sequences"
        text = f"`{use.name}` is taken to be `MultiHead`, since a layer gives it {told}"
        run.problems.append(note("N2C039", text, use.span))
        return apply(run, replace(use, name="MultiHead"), heads, sequences, span, named)
    equation = pairs.apart(equation, len(arguments))
    if not equation.unused and not equation.counted:
        equation = left_out.without_weights(run, use, equation, len(arguments))
    equation = places_given.of_any(run, use, equation, arguments)
    used, usual = len(equation.parameters), _of_field(run, use.name)
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
    equation = _of_elements(equation, arguments)
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
    site = _site(run, use.name, named, arguments)
    weights = _weights_of(run, use, equation, site, arguments)
    sizes: dict[Size, Size] = {}
    # The A_{ij}(x) of a function that gives a matrix are its elements.
    elements = _gives_elements(run, use, equation, span)
    own = [] if elements else _own_places(run, use)
    numbered = len(use.indices) if elements else 0
    arguments, row = _all_rows(run, equation, arguments, [place for _, place in own], numbered)
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
            lambdas.append(_own_input(run, use, parameter, axes, weights, own, span))
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
        placed = tuple(_at_its_letters(run, use, equation, result, arguments))
        rest = tuple(axis for axis, place in zip(result, placed, strict=True) if axis is place)
        return Value(Call(name, tuple(lambdas), (*map(Idx, placed),), site), (*extra, *rest), span)
    counted = places_given.counted(run, result[:count], places, extra)
    at = (*counted, *map(Idx, result[len(counted) :]))
    return Value(Call(name, tuple(lambdas), at, site), (*extra, *result[len(counted) :]), span)


def _at_its_letters(
    run: Run, use: Use, equation: Equation, result: Sequence[Index], arguments: Sequence[Value]
) -> Iterator[Index]:
    """The axes of what a function gives, the t of ``F(x) = A_t x`` as the t of ``y_t = F(x_t)``."""
    shapes = {one.name: one.shape for one in equation.inputs}
    of_all = {size for name in equation.parameters for size in shapes[name]}
    wanted = [len(shapes[name]) for name in equation.parameters]
    whole = all(value.rank >= rank for value, rank in zip(arguments, wanted, strict=False))
    for index, axis in zip(equation.value.indices, result, strict=True):
        here = run.indices.get(index.letter) if index.letter in run.target_letters else None
        given = here is not None and any(
            find_index(here) in free_roots(value.body) for value in arguments
        )
        if here is None or not given or (whole and index.size in of_all):
            yield axis  # the i of a row of Q is not the i of head_i = F(X W_i)
            continue
        if index.size in of_all:
            text = f"`{use.name}` makes one for each `{index.letter}` of all that it is given"
            raise error("N2C032", text, use.span, "give it all of them, or write it out here")
        run.unify(here.size, axis.size, use.span)
        text = f"`{use.name}` is taken at the same `{index.letter}` as what it is given"
        run.problems.append(note("N2C039", text, use.span))
        yield find_index(here)


def _all_rows(
    run: Run, equation: Equation, arguments: Sequence[Value], own: Sequence[Expr], numbered: int
) -> tuple[Sequence[Value], Index | None]:
    """For vectors given to a function of rows, as the q_t of ``\\mathrm{RoPE}(q_t)``, the k_i of
    ``\\alpha(q, k_i)``, both of ``R(x_t, y_t, t)`` and the x_t of ``p_i(x_t)``, whose first indices
    are ``numbered``: all rows, and the index of the one that is meant. The l of ``F_l(X_l)``, one
    of the ``own`` places of the function, tells no row."""
    shapes = {one.name: one.shape for one in equation.inputs}
    given = [shapes[name] for name in equation.parameters]
    pairs = zip(given, arguments, strict=True)
    short = [at for at, (shape, value) in enumerate(pairs) if len(shape) > value.rank]
    if not short or any(arguments[at].rank != 1 or len(given[at]) != 2 for at in short):
        return arguments, None
    opened = _opened(arguments[short[0]])
    alike = all(
        _opened(arguments[at]) == opened and given[at][0] == given[short[0]][0] for at in short
    )
    if not alike or len(opened) != 1:
        return arguments, None
    of_own = _is_of_own_rows(equation, [equation.parameters[at] for at in short])
    first = of_own and numbered > 0 and equation.value.indices[0].size == given[short[0]][0]
    if not first and not _keeps(equation, given[short[0]][0], len(given), numbered):
        return arguments, None
    others = [value.body for at, value in enumerate(arguments) if at not in short]
    apart = (*own, *(() if of_own else others))
    if any(opened[0] in free_roots(body) for body in apart):
        return arguments, None
    rows = {at: _rows_of(arguments[at], opened[0]) for at in short}
    return [rows.get(at, value) for at, value in enumerate(arguments)], opened[0]


def _is_of_own_rows(equation: Equation, names: Sequence[str]) -> bool:
    """Whether a function makes each row of one row of its parameters, as the ``m_t(x_t, x_0) =
    α_t x_0 + β_t x_t`` does: what else it is given may differ from row to row."""
    first = tuple(map(Idx, equation.value.indices[:1]))
    arrays = [part for one in equation.definitions for part in ir.walk(one.array.body)]
    refs = [part for part in ir.walk(equation.value.body) if isinstance(part, Ref)]
    within = any(isinstance(part, Ref) and part.array in names for part in arrays)
    return not within and all(ref.at[:1] == first for ref in refs if ref.array in names)


def _rows_of(vector: Value, row: Index) -> Value:
    """All vectors of which one has an index."""
    every = fresh(row.size)
    body = ir.substitute(settled(vector.body), {row: Idx(every)})
    return Value(body, (every, *vector.axes), vector.span)


def _opened(value: Value) -> list[Index]:
    """The indices of a value that are none of its axes."""
    return list(free_roots(value.body) - {find_index(axis) for axis in value.axes})


def _keeps(equation: Equation, rows: Expr, parameters: int, numbered: int) -> bool:
    """Whether a function gives a row for each that it gets, or a number for each beside others or
    as one of several functions."""
    indices = equation.value.indices[numbered:]
    numbers = parameters > 1 or numbered > 0
    return bool(indices) and indices[0].size == rows and (len(indices) == 2 or numbers)


def _gives_elements(run: Run, use: Use, equation: Equation, span: Span) -> bool:
    """Whether an indexed function is an element of what the function gives: ``E_i(x)`` beside
    ``E_i(x) = W_i x``, ``A_{ij}(x)``, the ``g_i(x)`` of a softmax. A letter that gives a vector may
    also be another function for each index, as ``FFN_i`` is."""
    count, axes = len(use.indices), len(equation.value.indices)
    if count and (count == equation.numbered or 1 < count == axes):
        return True
    letter = len(names.base_letter(use.name)) == 1
    if not letter or count != 1 or not axes or _own_places(run, use) == []:
        return False
    if axes == 1 and _weighs(equation.value.body):
        return True
    if not use.name[0].islower():
        return False
    raise error(
        "N2C033",
        f"`{run.quote(span)}` may be an element of `{use.name}`, or another function each time",
        span,
        "define it with its index, or give the vector a name",
    )


def _weighs(body: Expr) -> bool:
    """Whether a function gives the weights of a softmax, or what another picks of them, as in
    ``TopK(softmax(x W), k)``."""
    if isinstance(body, Call) and not any(number.indices for number in body.arguments[1:]):
        body = body.arguments[0].body
    return isinstance(body, ir.Softmax)


def _of_elements(equation: Equation, arguments: Sequence[Value]) -> Equation:
    """A function that is defined on elements, ``score(q_i, k_j) = …`` or ``f(X_{ij}) = …``, as one
    of a single query and a single key, or of a number, where it is given these; else the function
    itself. The j of ``C(Q_i, K_j, V_j)`` is that of both or of none."""
    shapes = {one.name: one.shape for one in equation.inputs}
    pairs = zip(equation.parameters, arguments, strict=True)
    more = {name: len(shapes[name]) - value.rank for name, value in pairs}
    short = {name: count for name, count in more.items() if count > 0}
    together = _at_one_place(equation, short)
    if together is not equation:
        return together
    for name in short:
        equation = _at_one_place(equation, {name: short[name]})
    return equation


def _at_one_place(equation: Equation, more: Mapping[str, int]) -> Equation:
    """A function of elements of some of its inputs, which have so many axes less; the function
    itself where it needs others of their elements, or was made so already."""
    arrays = (part for one in equation.definitions for part in ir.walk(one.array.body))
    if any(isinstance(part, Ref) and part.array in more for part in arrays):
        return equation
    refs = [e for e in ir.walk(equation.value.body) if isinstance(e, Ref) and e.array in more]
    if any(len(ref.at) < more[ref.array] for ref in refs):
        return equation
    places = {
        ref.array: {one.at[: more[one.array]] for one in refs if one.array == ref.array}
        for ref in refs
    }
    counted = [at for found in places.values() for place in found for at in place]
    rows = [index for index in equation.value.indices if Idx(index) in counted]
    if any(len(found) > 1 for found in places.values()) or {*map(Idx, rows)} != {*counted}:
        return equation
    body = _single(equation.value.body, more)
    if any(part == Idx(row) for row in rows for part in ir.walk(body)):
        return equation
    kept = tuple(index for index in equation.value.indices if index not in rows)
    inputs = tuple(
        replace(one, shape=one.shape[more.get(one.name, 0) :]) for one in equation.inputs
    )
    return replace(equation, inputs=inputs, value=Lambda(kept, body))


def _single(expr: Expr, more: Mapping[str, int]) -> Expr:
    """An expression with one element, which has so many axes less, in place of each array."""
    if isinstance(expr, Ref) and expr.array in more:
        places = expr.at[more[expr.array] :]
        return Ref(expr.array, tuple(_single(place, more) for place in places))
    return ir.rebuild(expr, lambda child: _single(child, more))


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
    attention = _of_field(run, "attention") if _attends(use.name) else None
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
    usual = _of_field(run, use.name)
    if usual is None or len(arguments) != 1 or not _depends_on_places(usual):
        return None
    rows = arguments[0].axes[: arguments[0].rank - 1]
    opened = rows or _opened(arguments[0])
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


def _site(run: Run, function: str, named: str, arguments: Sequence[Value]) -> int:
    """The number of a call. The same call twice in one statement is one, with one set of weights,
    and so is one at other elements, as ``score(q_i, k_l)`` beside ``score(q_i, k_j)``; other calls
    have weights of their own."""
    arrays = [v.body.array if isinstance(v.body, Ref) else run.quote(v.span) for v in arguments]
    text = "; ".join(arrays)
    key = f"{named}({text})@{run.statement}"
    if key not in run.sites:
        run.sites[key] = run.sites[function] = run.sites.get(function, -1) + 1
    return run.sites[key]


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


def _own_input(
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


def _weights_of(
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
    layer = names.is_norm(use.name) or _of_field(run, use.name) is not None
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
    mine = use.name in run.scope.functions and _of_field(run, use.name) is None
    return mine and run.seen.counted.get(name) == {0} and len(name.rpartition("_")[2]) > 2


def _is_statistic(name: str) -> bool:
    """Whether a number is the mean or the deviation of what a function is given."""
    return names.base_letter(name) in ("mu", "sigma")


def _own_places(run: Run, use: Use) -> list[tuple[Size, Expr]]:
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
        return name in run.defines or here
    return known.owner != owner or (not owner and bool(known.axes))


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
