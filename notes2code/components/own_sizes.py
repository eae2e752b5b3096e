"""The settings of a recognised component in the component's own names of sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from notes2code.components import settings
from notes2code.components.library import Component, Library
from notes2code.components.recognise import Recognised, recognise
from notes2code.meaning.ir import Expr, Lambda, Size, rebuild


def shown_settings(recognised: Recognised) -> dict[str, str | None]:
    """All settings of a recognised component as text, in the component's own names of sizes;
    None for those left out."""
    out: dict[str, str | None] = {}
    for name in recognised.component.settings:
        value = recognised.settings.get(name)
        out[name] = None if value is None else settings.text(in_own_sizes(recognised, value))
    return out


def has_usual_settings(recognised: Recognised) -> bool:
    """Whether all settings of a recognised component are the usual ones, or left out."""
    shown, usual = shown_settings(recognised), recognised.component.settings
    return all(shown[name] in (setting.usual or (None,)) for name, setting in usual.items())


def in_own_sizes(recognised: Recognised, value: Lambda) -> Lambda:
    """A setting in the component's own sizes instead of the note's."""
    return Lambda(value.indices, _resized(value.body, _own_sizes(recognised)))


def _own_sizes(recognised: Recognised) -> dict[Size, Size]:
    """The component's sizes for the note's, by the axes of the inputs in its roles. One of several,
    the d of ``W_Q ∈ ℝ^{d × d}``, is that of the keys, by which scores are scaled."""
    shapes = {given.name: given.shape for given in recognised.equation.inputs}
    sizes: dict[Size, Size] = {}
    for given in recognised.form.equation.inputs:
        role = recognised.found.roles.get(given.name)
        if role is None or role.array not in shapes:
            continue
        for axis, theirs in zip(role.axes, shapes[role.array], strict=True):
            mine = given.shape[axis] if axis >= 0 else None
            if not isinstance(mine, Size) or not isinstance(theirs, Size):
                continue
            if theirs not in sizes or mine.name == "d_k":
                sizes[theirs] = mine
    return sizes


def _resized(expr: Expr, sizes: Mapping[Size, Size]) -> Expr:
    if isinstance(expr, Size):
        return sizes.get(expr, expr)
    return rebuild(expr, lambda child: _resized(child, sizes))


@cache
def textbook(component: Component, library: Library, part: str = "") -> Recognised:
    """The textbook's formula of a component, the usual one or that of a part of its forms, as if a
    note had written it."""
    equation = component.textbook_of(part).equation
    found = recognise(equation, library, among={component.name})
    assert found is not None, component.name
    return replace(found, textbook=part)
