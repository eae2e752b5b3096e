"""Expressions, indices and sizes: what a formula computes, element by element."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from notes2code.records import dataclass


@dataclass(frozen=True, slots=True)
class Num:
    """A number; exact where it was written exactly."""

    value: int | float | Fraction


@dataclass(slots=True, eq=False)
class Size:
    """The extent of an axis. ``value`` is set when it follows from other sizes (h·d_v)."""

    name: str
    rank: int = 0
    """How sure the name is: 0 made up, 1 the field's convention, 2 the note's own."""
    kind: str = ""
    """``sequence`` or ``feature`` where the field's convention says so."""
    value: Expr | None = None
    link: Size | None = None


@dataclass(slots=True, eq=False)
class Index:
    """An index, from 0 to ``size`` − 1; ``start`` is the number the note counts from, ``letter``
    what the note calls it, which may be the name of a size, too."""

    name: str
    size: Size
    start: int = 0
    link: Index | None = None
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Idx:
    """The value of an index, counted from 0."""

    index: Index


@dataclass(frozen=True, slots=True)
class Ref:
    """An element of an input, or of a definition; a scalar has no ``at``."""

    array: str
    at: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Add:
    """A sum of two or more terms."""

    terms: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Mul:
    """A product of two or more factors; a quotient has a factor to the power −1."""

    factors: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Pow:
    """A power; square roots are to the power ½."""

    base: Expr
    exponent: Expr


@dataclass(frozen=True, slots=True)
class Fn:
    """A function of numbers: ``exp log sin cos tan arcsin arccos arctan sinh cosh tanh sigmoid relu
    gelu gelu_tanh erf elu silu softplus sign abs floor ceil min max clip mod floordiv
    normal_cdf``."""

    name: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Reduce:
    """``sum``, ``prod``, ``max``, ``min`` or ``mean`` of ``body`` over an index, where ``where``
    holds (None: everywhere)."""

    kind: str
    index: Index
    body: Expr
    where: Expr | None = None


@dataclass(frozen=True, slots=True)
class Softmax:
    """The softmax of ``body`` over ``index`` (where ``where`` holds), taken at ``at``."""

    index: Index
    body: Expr
    at: Expr
    where: Expr | None = None


@dataclass(frozen=True, slots=True)
class Cases:
    """The value of the first branch whose condition holds, else ``otherwise``."""

    branches: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr | None


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of numbers: ``< ≤ > ≥ = ≠``."""

    op: str
    left: Expr
    right: Expr


INVERSE, DETERMINANT = OF_MATRICES = ("linalg.inv", "linalg.det")
"""Functions of square matrices that everybody knows: what NumPy and torch call them, as no note
can call a function of its own."""


PYTHON_SIGNS = {"<": "<", "≤": "<=", ">": ">", "≥": ">=", "=": "==", "≠": "!="}
"""The signs of comparisons, as Python writes them."""


@dataclass(frozen=True, slots=True)
class Logic:
    """``and``, ``or`` or ``not`` of conditions."""

    op: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    """An array: the element at ``indices`` is ``body``."""

    indices: tuple[Index, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """The element at ``at`` of what a function of arrays gives.

    ``function`` names a function of the equation: one defined in the notes, or an input that
    stands for a function; or one of ``OF_MATRICES``. ``site`` tells several calls of one function
    apart.
    """

    function: str
    arguments: tuple[Lambda, ...]
    at: tuple[Expr, ...]
    site: int = 0


@dataclass(frozen=True, slots=True)
class Concat:
    """The element ``at`` of several vectors joined end to end."""

    parts: tuple[Lambda, ...]
    at: Expr


@dataclass(frozen=True, slots=True)
class Iterate:
    """The element ``at`` of what repeating a step gives: ``state`` is ``initial`` before the
    first step, and ``step``, in which ``Ref(state)`` is the state before it, after each. ``index``
    counts the steps; an input with one of its axes indexed by it has values for each step."""

    index: Index
    state: str
    initial: Lambda
    step: Lambda
    at: tuple[Expr, ...]


Expr: TypeAlias = (
    Num
    | Size
    | Idx
    | Ref
    | Add
    | Mul
    | Pow
    | Fn
    | Reduce
    | Softmax
    | Cases
    | Compare
    | Logic
    | Call
    | Concat
    | Iterate
)


ONE = Num(1)


ZERO = Num(0)


MINUS_ONE = Num(-1)


HALF = Num(Fraction(1, 2))


MINUS_INFINITY = Num(float("-inf"))
"""What hides a score from a softmax."""
