"""Typed equations: what a formula computes, element by element.

Everything is a scalar expression over indices. A matrix product is a sum over the index that
its operands share, so the matrix form and the per-element form of a formula come out alike.
An array is a ``Lambda``: indices, and the expression of the element at them.

Indices and sizes have identity: two are the same only if they are the same object. While an
equation is being typed they are unified by links; in a finished equation every index runs from
0 to its size − 1, has a name of its own, and no link is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from operator import attrgetter
from typing import Any, TypeAlias, TypeGuard

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


# --- walking --------------------------------------------------------------------------------


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside one; bodies of arrays included."""
    inside = _INSIDE.get(type(expr))
    return () if inside is None else inside(expr)


def _present(*parts: Expr | None) -> tuple[Expr, ...]:
    return tuple(filter(None, parts))


def _bodies(arrays: tuple[Lambda, ...]) -> tuple[Expr, ...]:
    return tuple([array.body for array in arrays])


# By type, since every pass over a formula asks this of every expression. The others hold nothing.
_INSIDE: dict[type[Expr], Callable[[Any], tuple[Expr, ...]]] = {
    Ref: attrgetter("at"),
    Add: attrgetter("terms"),
    Mul: attrgetter("factors"),
    Pow: attrgetter("base", "exponent"),
    Fn: attrgetter("arguments"),
    Logic: attrgetter("arguments"),
    Compare: attrgetter("left", "right"),
    Reduce: lambda e: _present(e.body, e.where),
    Softmax: lambda e: _present(e.body, e.at, e.where),
    Cases: lambda e: _present(*(part for branch in e.branches for part in branch), e.otherwise),
    Call: lambda e: (*_bodies(e.arguments), *e.at),
    Concat: lambda e: (*_bodies(e.parts), e.at),
    Iterate: lambda e: (e.initial.body, e.step.body, *e.at),
}


Change: TypeAlias = Callable[[Expr], Expr]
Rename: TypeAlias = Callable[[Index], Index]


def _same(index: Index) -> Index:
    return index


def rebuild(expr: Expr, change: Change, rename: Rename = _same) -> Expr:
    """The same expression with ``change`` applied to each direct child, and ``rename`` to the
    indices that it names or binds itself."""
    return _REBUILT[type(expr)](expr, change, rename)


def _unchanged(expr: Expr, _: Change, __: Rename) -> Expr:
    return expr


def _all(exprs: tuple[Expr, ...], change: Change) -> tuple[Expr, ...]:
    return tuple(map(change, exprs))


def _maybe(expr: Expr | None, change: Change) -> Expr | None:
    return None if expr is None else change(expr)


def _array(array: Lambda, change: Change, rename: Rename) -> Lambda:
    return Lambda(tuple(map(rename, array.indices)), change(array.body))


def _arrays(arrays: tuple[Lambda, ...], change: Change, rename: Rename) -> tuple[Lambda, ...]:
    return tuple([_array(array, change, rename) for array in arrays])


_REBUILT: dict[type[Expr], Callable[[Any, Change, Rename], Expr]] = {
    Num: _unchanged,
    Size: _unchanged,
    Idx: lambda e, _, rename: e if (own := rename(e.index)) is e.index else Idx(own),
    Ref: lambda e, change, _: Ref(e.array, _all(e.at, change)) if e.at else e,
    Add: lambda e, change, _: Add(_all(e.terms, change)),
    Mul: lambda e, change, _: Mul(_all(e.factors, change)),
    Pow: lambda e, change, _: Pow(change(e.base), change(e.exponent)),
    Fn: lambda e, change, _: Fn(e.name, _all(e.arguments, change)),
    Logic: lambda e, change, _: Logic(e.op, _all(e.arguments, change)),
    Compare: lambda e, change, _: Compare(e.op, change(e.left), change(e.right)),
    Reduce: lambda e, change, rename: Reduce(
        e.kind, rename(e.index), change(e.body), _maybe(e.where, change)
    ),
    Softmax: lambda e, change, rename: Softmax(
        rename(e.index), change(e.body), change(e.at), _maybe(e.where, change)
    ),
    Cases: lambda e, change, _: Cases(
        tuple([(change(condition), change(value)) for condition, value in e.branches]),
        _maybe(e.otherwise, change),
    ),
    Call: lambda e, change, rename: Call(
        e.function, _arrays(e.arguments, change, rename), _all(e.at, change), e.site
    ),
    Concat: lambda e, change, rename: Concat(_arrays(e.parts, change, rename), change(e.at)),
    Iterate: lambda e, change, rename: Iterate(
        rename(e.index),
        e.state,
        _array(e.initial, change, rename),
        _array(e.step, change, rename),
        _all(e.at, change),
    ),
}


def walk(expr: Expr) -> list[Expr]:
    """The expression and all inside it, outermost first."""
    found = [expr]
    for behind, current in enumerate(found, 1):  # and over all that is put in on the way
        if inside := _INSIDE.get(type(current)):
            found[behind:behind] = inside(current)
    return found


def bound_indices(expr: Expr) -> tuple[Index, ...]:
    """The indices that a node itself binds."""
    binds = _BINDS.get(type(expr))
    return () if binds is None else binds(expr)


def _indices(arrays: tuple[Lambda, ...]) -> tuple[Index, ...]:
    return tuple([index for array in arrays for index in array.indices])


_BINDS: dict[type[Expr], Callable[[Any], tuple[Index, ...]]] = {
    Reduce: lambda e: (e.index,),
    Softmax: lambda e: (e.index,),
    Call: lambda e: _indices(e.arguments),
    Concat: lambda e: _indices(e.parts),
    Iterate: lambda e: (e.index, *e.initial.indices, *e.step.indices),
}


BINDERS = frozenset(_BINDS)
"""The kinds of expressions that bind indices."""


_SCOPES: dict[type[Expr], Callable[[Any], list[tuple[tuple[Index, ...], tuple[Expr, ...]]]]] = {
    Reduce: lambda e: [((e.index,), _present(e.body, e.where))],
    Softmax: lambda e: [((e.index,), _present(e.body, e.where)), ((), (e.at,))],
    Call: lambda e: [*((a.indices, (a.body,)) for a in e.arguments), ((), e.at)],
    Concat: lambda e: [*((p.indices, (p.body,)) for p in e.parts), ((), (e.at,))],
    Iterate: lambda e: [
        (e.initial.indices, (e.initial.body,)),
        ((e.index, *e.step.indices), (e.step.body,)),
        ((), e.at),
    ],
}
"""Which indices hold where in what binds them."""


def free_indices(expr: Expr, rename: Rename = _same) -> frozenset[Index]:
    """The indices that an expression uses, renamed, and does not bind."""
    found: set[Index] = set()
    pending = [expr]
    while pending:
        current = pending.pop()
        if isinstance(current, Idx):
            found.add(rename(current.index))
        elif scopes := _SCOPES.get(type(current)):
            for bound, parts in scopes(current):
                for part in parts:
                    found |= free_indices(part, rename).difference(bound)
        elif inside := _INSIDE.get(type(current)):
            pending.extend(inside(current))
    return frozenset(found)


def substitute(expr: Expr, values: Mapping[Index, Expr]) -> Expr:
    """The expression with some of its free indices replaced, and those that are linked to them."""
    if isinstance(expr, Idx):
        index = expr.index
        while index.link is not None and index not in values:
            index = index.link
        return values.get(index, expr)
    if not values:
        return expr
    return rebuild(expr, lambda child: substitute(child, values))


def replaced(expr: Expr, parts: Mapping[Expr, Expr]) -> Expr:
    """The expression with others for some of its parts."""
    if expr in parts:
        return parts[expr]
    return rebuild(expr, lambda child: replaced(child, parts))


def terms(expr: Expr) -> tuple[Expr, ...]:
    """The terms of a sum; of anything else the one that it is."""
    return expr.terms if isinstance(expr, Add) else (expr,)


def factors(expr: Expr) -> tuple[Expr, ...]:
    """The factors of a product; of anything else the one that it is."""
    return expr.factors if isinstance(expr, Mul) else (expr,)


def is_inverse(expr: Expr) -> TypeGuard[Pow]:
    """Whether an expression is one over another."""
    return isinstance(expr, Pow) and expr.exponent == MINUS_ONE


def is_exponential(expr: Expr) -> bool:
    """Whether an expression is e raised to another."""
    return isinstance(expr, Fn) and expr.name == "exp"


def is_scalar(expr: Expr) -> bool:
    """Whether an expression is a number, written or by its letter."""
    return isinstance(expr, Num) or (isinstance(expr, Ref) and not expr.at)


def as_size(expr: Expr) -> Size:
    """A size as long as an expression says."""
    return expr if isinstance(expr, Size) else Size("", value=expr)


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """The conditions that one is made of, which all hold where it does."""
    match condition:
        case Logic("and", parts):
            return tuple(inner for part in parts for inner in conjuncts(part))
    return (condition,)


_OPPOSITE = {"<": "≥", "≥": "<", ">": "≤", "≤": ">", "=": "≠", "≠": "="}


def opposite(condition: Expr) -> Expr:
    """What holds where a condition does not."""
    match condition:
        case Compare(sign, left, right):
            return Compare(_OPPOSITE[sign], left, right)
    return Logic("not", (condition,))


# --- building -------------------------------------------------------------------------------


def add(*parts: Expr) -> Expr:
    """A sum, flattened; numbers added up."""
    flat: list[Expr] = []
    total: int | Fraction = 0
    place: int | None = None
    for sum_or_term in parts:
        for part in terms(sum_or_term):
            if isinstance(part, Num) and isinstance(part.value, int | Fraction):
                total += part.value
                place = len(flat) if place is None else place
            else:
                flat.append(part)
    if total and place is not None:
        flat.insert(place, Num(total))
    if not flat:
        return ZERO
    return flat[0] if len(flat) == 1 else Add(tuple(flat))


def mul(*parts: Expr) -> Expr:
    """A product, flattened; ones dropped."""
    flat: list[Expr] = []
    for factor in parts:
        # The 64 of a declared shape is an example, which has a name and stays a size.
        if isinstance(factor, Size) and not (factor.name or factor.link):
            factor = factor.value if isinstance(factor.value, Mul | Num) else factor
        flat.extend(factors(factor))
    flat = [f for f in flat if not (isinstance(f, Num) and f.value == 1)]
    for inverse_of in filter(is_inverse, tuple(flat)):
        if isinstance(inverse_of.base, Num) and inverse_of.base in flat:
            flat.remove(inverse_of.base)
            flat.remove(inverse_of)
    if not flat:
        return ONE
    return flat[0] if len(flat) == 1 else Mul(tuple(flat))


def negative(expr: Expr) -> Expr:
    """Minus an expression."""
    if isinstance(expr, Num):
        return Num(-expr.value)
    if isinstance(expr, Mul) and expr.factors[0] == MINUS_ONE:
        return mul(*expr.factors[1:])
    return mul(MINUS_ONE, expr)


def inverse(expr: Expr) -> Expr:
    """One over an expression."""
    return Pow(expr, MINUS_ONE)
