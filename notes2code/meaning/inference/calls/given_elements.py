"""Functions that are given elements, and what they give by its elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from notes2code.diagnostics import Span, error, note
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls.own_inputs import places_of
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, free_roots
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Index, Lambda, Ref
from notes2code.meaning.notation.scripts import Use


def at_its_letters(
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


def gives_elements(run: Run, use: Use, equation: Equation, span: Span) -> bool:
    """Whether an indexed function is an element of what the function gives: ``E_i(x)`` beside
    ``E_i(x) = W_i x``, ``A_{ij}(x)``, the ``g_i(x)`` of a softmax. A letter that gives a vector may
    also be another function for each index, as ``FFN_i`` is."""
    count, axes = len(use.indices), len(equation.value.indices)
    if count and (count == equation.numbered or 1 < count == axes):
        return True
    letter = len(names.base_letter(use.name)) == 1
    if not letter or count != 1 or not axes or places_of(run, use) == []:
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


def of_elements(equation: Equation, arguments: Sequence[Value]) -> Equation:
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
