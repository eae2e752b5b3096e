"""A typed equation: its inputs, the arrays defined on the way, and its value."""

from __future__ import annotations

from dataclasses import field

from notes2code.meaning.ir.expressions import Expr, Lambda
from notes2code.records import dataclass


@dataclass(frozen=True, slots=True)
class Input:
    """An input of an equation: its name in code, its shape (an empty one: a number), and the
    name as the note writes it. ``kind`` is ``array``, ``size`` (a whole number) or ``function``."""

    name: str
    shape: tuple[Expr, ...]
    written: str
    kind: str = "array"


@dataclass(frozen=True, slots=True)
class Definition:
    """A named array that the value of an equation, or a later definition, refers to."""

    name: str
    array: Lambda
    written: str


@dataclass(frozen=True, slots=True)
class Equation:
    """A typed equation: ``name`` is what it defines ("" for a bare expression), ``parameters``
    the inputs that stand in parentheses on its left-hand side.

    ``functions`` are the equations of the functions that it calls. ``unused`` are the places in the
    parentheses, from 0, of what the right-hand side does not need, ``counted`` those of indices,
    which the first axes of the value belong to: the ``m`` of ``f(q, m) = R_m q``. ``numbered``
    counts the first axes that the name's own indices belong to: the i of ``E_i(x) = W_i x``;
    ``elements`` the elements of one parameter that stand in the parentheses, as in
    ``score(x_i, x_j) = …``, where there is no other parameter.
    """

    name: str
    inputs: tuple[Input, ...]
    definitions: tuple[Definition, ...]
    value: Lambda
    parameters: tuple[str, ...] = ()
    functions: dict[str, Equation] = field(default_factory=dict)
    unused: tuple[int, ...] = ()
    counted: tuple[int, ...] = ()
    numbered: int = field(default=0, repr=False)
    elements: int = field(default=0, repr=False)
