"""Doubts about formulas that are no component: unequal sides, and what stands in strange places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from notes2code.components import settings
from notes2code.components.known import close, is_other_function
from notes2code.components.library import Component, Library, plain
from notes2code.components.misplaced import (
    lacks_transpose,
    misplaced_softmax,
    place_of_softmax,
)
from notes2code.components.near import near_miss
from notes2code.components.normal import normal_form
from notes2code.components.proofs import TOLERANCE, valued
from notes2code.components.ratios import place_of_ratio, strange_ratio
from notes2code.components.renewed import TooLong
from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.tree import Name, Relation, Script, Tree
from notes2code.meaning import Typed, names
from notes2code.meaning.ir import (
    Call,
    Cases,
    Compare,
    Equation,
    Expr,
    Fn,
    Index,
    Iterate,
    Num,
    Softmax,
    children,
    walk,
)
from notes2code.oracle import OracleError, tried

_LONG = 5
"""The letters from which on a name that has others' letters is one of these misspelt."""

AS_WRITTEN = "the code computes what is written; change the formula if that is not meant"


def doubts(equation: Equation, tree: Tree, place: Span, library: Library) -> Iterator[Problem]:
    """Warnings for a formula that is no component, and looks as if it was meant to be one."""
    found = list(_strange(equation, tree, place, library))
    yield from found
    component = _namesake(equation, library)
    if component is not None and not found:
        yield not_recognised(component, place, "which its name says")
    elif (model := _model(equation, library)) is not None and not found:
        yield warning(
            "N2C056",
            f"no model is made of this, though it is built like one: like {model.class_name}",
            place,
            f"the package has a class for what is written like `{model.textbook.latex}`; the tag "
            "`#n2c/emit` makes a function of this formula",
        )


def not_recognised(component: Component, place: Span, why: str) -> Problem:
    """The warning for a formula that is meant to be a component, and is not."""
    return warning(
        "N2C056",
        f"this is not recognised as {component.name.replace('_', ' ')}, {why}",
        place,
        f"no class is made of it: what the package may have as `{component.class_name}` computes "
        "another formula; the tag `#n2c/emit` makes a function of this one",
    )


def _strange(equation: Equation, tree: Tree, place: Span, library: Library) -> Iterator[Problem]:
    """Warnings for what is strange in a formula."""
    if hides := _strange_mask(equation):
        yield warning("N2C050", f"the mask {hides}", place, AS_WRITTEN)
    if (what := misplaced_softmax(equation, library)) is not None:
        text = f"{what}: attention is softmax of the scores, times the values"
        yield warning("N2C050", text, place_of_softmax(tree) or place, AS_WRITTEN)
    if lacks_transpose(equation):
        text = "the queries are multiplied by the keys without a transpose"
        yield warning("N2C050", text, place, f"scores are usually `Q K^\\top`; {AS_WRITTEN}")
    if _adds_infinity(equation):
        text = "−∞ stands outside the softmax: it hides keys only when added to their scores"
        yield warning("N2C050", text, place, AS_WRITTEN)
    for given, meant in _misspelt(equation, library):
        text = f"`{given}` is not known: perhaps `{meant}` is meant"
        yield warning("N2C050", text, place, "the code takes it for a function that it is given")
    if _has_heads_alike(equation, tree):
        text = "nothing tells one head from the others: the weights have no index"
        yield warning("N2C050", text, place, AS_WRITTEN)
    if _is_closed_late(equation, library):
        text = "the activation stands around both layers: usually it stands between them"
        yield warning("N2C050", text, place, AS_WRITTEN)
    if is_other_function(equation, library):
        text = f"this is not the function that is called `{equation.name}`"
        yield warning("N2C050", text, place, AS_WRITTEN)
    elif ratio := strange_ratio(equation):
        yield warning("N2C050", ratio, place_of_ratio(tree) or place, AS_WRITTEN)
    elif (near := near_miss(equation, library)) is not None:
        what, component = near
        text = f"this is nearly {component.name.replace('_', ' ')}, but {what}"
        yield warning(
            "N2C050", text, place, f"it is usually `{component.textbook.latex}`; {AS_WRITTEN}"
        )


_ANYWHERE = frozenset(["norm", "block", "encoder", "decoder", "transformer"])
"""Names that other networks have too."""


def _namesake(equation: Equation, library: Library) -> Component | None:
    """The component that has the name of an equation, where all that the equation says is known:
    no function of it is left open, and no parameter has its place elsewhere."""
    name = plain(equation.name)
    is_open = equation.unused or any(given.kind == "function" for given in equation.inputs)
    for component in library.components.values():
        if component.family != "losses" and name in map(plain, component.calls):
            return None if is_open or name in _ANYWHERE else component
    return None


def _model(equation: Equation, library: Library) -> Component | None:
    """The model that an equation is built like: it calls an encoder and a decoder, or makes logits
    or probabilities of the last of a stack of layers."""
    arrays = (equation.value, *(definition.array for definition in equation.definitions))
    parts = [part for array in arrays for part in walk(array.body)]
    called = (plain(part.function) for part in parts if isinstance(part, Call))
    kinds = {library.kinds.get(name, "") for name in called}
    if {"encoder", "decoder"} <= kinds:
        return library.components["encoder_decoder"]
    layers = {"transformer_block", "encoder_layer", "decoder_layer"} & kinds
    stacked = any(isinstance(part, Iterate) for part in parts)
    more = not isinstance(equation.value.body, Iterate)
    return library.components["gpt"] if layers and stacked and more else None


# --- sides of an equation ----------------------------------------------------------------------


def unequal_sides(own: Typed) -> Iterator[Problem]:
    """Warnings for the sides of a chain of equalities that have another value."""
    for span, side in own.sides:
        if own.equation is not None and _differ(own.equation, side):
            yield warning(
                "N2C081",
                "this has another value, on random inputs, than the side that is computed",
                span,
                "check signs, scales and indices of both sides; write `\\approx` where they only "
                "come close",
            )


def _differ(left: Equation, right: Equation) -> bool:
    """Whether two readings of one value surely differ: their inputs are the same, and all axes."""
    axes = [_letters(equation.value.indices) for equation in (left, right)]
    if sorted(axes[0]) != sorted(axes[1]):
        return False
    if axes[0] != axes[1] and len({*axes[0]}) < len(axes[0]):
        return False  # axes that cannot be told apart
    order = [axes[1].index(name) for name in axes[0]] if axes[0] != axes[1] else None
    for mine, found in _on_same_inputs(left, right):
        theirs = found if order is None else np.transpose(found, order)
        if mine.shape != theirs.shape or not close(mine, theirs, TOLERANCE):
            return True
    return False


def _letters(indices: Sequence[Index]) -> list[str]:
    """The letters of the axes of a value; those that a formula does not write are told apart by
    their order."""
    unwritten = count()
    return [index.letter or str(next(unwritten)) for index in indices]


SAMPLES = 3
"""The random inputs that two sides are compared on."""


def _on_same_inputs(left: Equation, right: Equation) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """The values of two equations on random numbers; nothing if their inputs are not the same."""
    if _kinds(left) != _kinds(right) or "i" in _kinds(left):  # i may be the root of −1
        return
    with suppress(OracleError, TypeError):
        for seed in range(SAMPLES):
            inputs, value = valued(left, seed)
            yield value, tried(right, inputs)


def _kinds(equation: Equation) -> dict[str, tuple[str, int]]:
    """The kind and the number of axes of each input."""
    return {given.name: (given.kind, len(given.shape)) for given in equation.inputs}


# --- attention ---------------------------------------------------------------------------------


def _strange_mask(equation: Equation) -> str:
    """What is wrong with a mask that a formula defines, row by row of the queries."""
    if equation.name.lower() not in ("m", "mask") or len(equation.value.indices) != 2:
        return ""
    wrong = settings.misfilled(equation.value)
    filled = isinstance(equation.value.body, Cases) and settings.is_mask(equation.value.body)
    if filled:
        return settings.order_told(equation.value)
    return wrong if "+∞" in wrong else ""


def _has_heads_alike(equation: Equation, tree: Tree) -> bool:
    """Whether each ``head_i`` is made with the same weights, ``Attention(Q W^Q, K W^K, V W^V)``."""
    first = tree.clauses[0].node
    match first.operands[0] if isinstance(first, Relation) else None:
        case Script(Name("head"), Name(letter)) if letter in names.INDEX_LETTERS:
            weights = [one for one in equation.inputs if names.base_letter(one.name) == "W"]
            told_apart = any(len(one.shape) > 2 for one in equation.inputs)
            return bool(weights) and not told_apart
    return False


def _misspelt(equation: Equation, library: Library) -> Iterator[tuple[str, str]]:
    """The functions that are left open and have nearly the name of a known one."""
    known = {*library.kinds, *names.FUNCTIONS}
    for given in equation.inputs:
        if given.kind == "function" and len(given.name) >= _LONG:
            for name in sorted(known):
                if _is_slip(given.name.lower(), name.lower()):
                    yield given.name, name


def _is_slip(given: str, meant: str) -> bool:
    """Whether letters are those of a word in another order, or lack one inside it: `sofmax`.

    One letter more at an end is no slip: the S of an SAttention may say what is special in it.
    """
    if len(given) == len(meant):
        return given != meant and sorted(given) == sorted(meant)
    inside = (meant[:at] + meant[at + 1 :] for at in range(1, len(meant) - 1))
    return len(meant) > _LONG and given in inside


def _adds_infinity(equation: Equation) -> bool:
    """Whether infinite numbers are added to, or multiplied by, what a softmax gives."""
    try:
        body = normal_form(equation).body
    except (TooLong, RecursionError):
        return False
    return any(isinstance(part, Softmax) for part in walk(body)) and _is_infinite(body)


def _is_infinite(expr: Expr) -> bool:
    """Whether an infinite number stands where no function brings it back."""
    match expr:
        case Num(value):
            return abs(value) == float("inf")
        case Softmax() | Fn() | Call() | Compare():
            return False
    return any(map(_is_infinite, children(expr)))


def _is_closed_late(equation: Equation, library: Library) -> bool:
    """Whether ``FFN(x) = max(0, (x W_1 + b_1) W_2 + b_2)`` ends its activation too late."""
    called = map(plain, library.components["feed_forward"].calls)
    weights = [given for given in equation.inputs if given.name.startswith("W")]
    body = equation.value.body
    inside = walk(body) if isinstance(body, Fn) else ()
    calls = [part for part in inside if isinstance(part, Fn | Call | Softmax)]
    return plain(equation.name) in called and len(weights) > 1 and calls == [body]
