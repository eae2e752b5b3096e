"""Near misses: a formula that one slip of the pen keeps from being a component.

The field's closed formulas (losses, metrics, schedules, encodings of positions, and layers under
their own names) leave an author no choice of signs, roots and means. Where one small change makes
the note's formula such a component, the note probably holds a slip.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from notes2code.components.inline import inlined
from notes2code.components.library import Component, Form, Library, plain
from notes2code.components.recognise import Recognised, is_one_of, recognise
from notes2code.meaning import ir
from notes2code.meaning.ir import Add, Cases, Definition, Equation, Expr, Fn, Mul, Num, Pow, Reduce

MAX_PARTS = 80
"""The parts of a formula up to which changes are tried, since each is tried at every part."""

_OF_LETTERS = frozenset(["metrics", "schedules"])
"""Families whose letters tell a formula from others; the rest must have the component's name."""

_OF_ROLES = frozenset(["attention", "losses"])
"""Families whose inputs have letters of their own."""

_MANY = 3
"""The inputs from which on their letters alone speak of a component."""

_NAMED = frozenset(["attention", "losses", "metrics", "positions", "layers"])
_LOSSES = frozenset(["l", "j", "loss"])


def near_miss(equation: Equation, library: Library) -> tuple[str, Component] | None:
    """The change that would make an equation a component, in words, and the component. One that
    only the note around it keeps from being one needs no change."""
    among = frozenset(c.name for c in library.components.values() if _may_be(equation, c))
    equation = inlined(equation) or equation
    size = sum(1 for part in _bodies(equation) for _ in ir.walk(part))
    if not among or size > MAX_PARTS or recognise(equation, library, among=among) is not None:
        return None
    for what, changed in _changed(equation):
        found = recognise(changed, library, among=among)
        if found is not None and not _is_vague(found):
            called = plain(equation.name) in map(plain, found.component.calls)
            return (what, found.component) if called or not _is_mean(equation) else None
    return None


def _is_mean(equation: Equation) -> bool:
    """Whether an equation is a geometric mean, which has no name but its own."""
    match equation.value.body:
        case Pow(Reduce("prod"), exponent):
            return not isinstance(exponent, Mul) or ir.MINUS_ONE not in exponent.factors
    return False


def _may_be(equation: Equation, component: Component) -> bool:
    """Whether the names in an equation, or its kind, speak of a component."""
    if component.family in _OF_LETTERS and _gives_number(equation):
        return True
    if component.family == "losses" and plain(equation.name) in _LOSSES:
        return True
    if component.family == "positions" and all(i.kind == "size" for i in equation.inputs):
        return True
    if any(_letters_fit(equation, component, form) for form in component.forms):
        return True
    classes = [c for setting in component.settings.values() for c in setting.classes.values()]
    pieces = [name for form in component.forms for name in form.called]
    defined = [definition.name for definition in equation.definitions]
    named = {plain(name) for name in (equation.name, *defined, *equation.functions)}
    called = map(plain, (*component.calls, *classes, *pieces))
    return component.family in _NAMED and not named.isdisjoint(called)


def _letters_fit(equation: Equation, component: Component, form: Form) -> bool:
    """Whether the inputs are as many as a form's, settings apart, with the letters it allows."""
    mine = [given.name for given in equation.inputs]
    if component.family not in _OF_ROLES or not form.names or len(mine) < _MANY:
        return False
    symbols = {setting.symbol for setting in component.settings.values()}
    if len(mine) != sum(given.name not in symbols for given in form.equation.inputs):
        return False
    return all(any(is_one_of(name, letters) for name in mine) for letters in form.names.values())


def _gives_number(equation: Equation) -> bool:
    """Whether it makes a number, perhaps at each step, of numbers and rows of them."""
    return len(equation.value.indices) < 2 and all(len(i.shape) < 2 for i in equation.inputs)


def _is_vague(found: Recognised) -> bool:
    """Whether it is a piece that other formulas share: a sum of logarithms is a log-likelihood; or
    what its definitions must tell, such as the exponential of a loss; or attention with a
    feature map, which the change itself can be."""
    if "feature_map" in found.settings:
        return True
    shared = found.form.partial and not found.form.called
    return found.form.whole or (shared and found.component.family in ("losses", "layers"))


# --- changes -----------------------------------------------------------------------------------


def _bodies(equation: Equation) -> list[Expr]:
    return [*(defined.array.body for defined in equation.definitions), equation.value.body]


def _changed(equation: Equation) -> Iterator[tuple[str, Equation]]:
    """The equation with one change, at each place."""
    value = equation.value
    yield (
        "the minus before it is missing",
        replace(equation, value=replace(value, body=_negative(value.body))),
    )
    for what, body in (*_in_all_powers(value.body), *_rewritten(value.body)):
        yield what, replace(equation, value=replace(value, body=body))
    for at, defined in enumerate(equation.definitions):
        for what, body in _rewritten(defined.array.body):
            new = Definition(defined.name, replace(defined.array, body=body), defined.written)
            others = equation.definitions
            yield what, replace(equation, definitions=(*others[:at], new, *others[at + 1 :]))


def _in_all_powers(expr: Expr) -> Iterator[tuple[str, Expr]]:
    """An expression with one change in all powers of numbers: sines and cosines have the same."""

    def turned(part: Expr, factor: int) -> Expr:
        if isinstance(part, Pow) and isinstance(part.base, Num):
            return Pow(part.base, Mul((Num(factor), part.exponent)))
        return ir.rebuild(part, lambda child: turned(child, factor))

    yield "the sign of the exponents is another", turned(expr, -1)
    yield "a factor 2 is missing in the exponents", turned(expr, 2)


def _rewritten(expr: Expr) -> Iterator[tuple[str, Expr]]:
    """An expression with one change at it or at a part of it."""
    yield from _changes(expr)
    for at, child in enumerate(ir.children(expr)):
        for what, new in _rewritten(child):
            yield what, _with_child(expr, at, new)


def _with_child(expr: Expr, at: int, new: Expr) -> Expr:
    places = iter(range(len(ir.children(expr))))
    return ir.rebuild(expr, lambda child: new if next(places) == at else child)


def _changes(expr: Expr) -> Iterator[tuple[str, Expr]]:
    """What one slip may have made of a part."""
    match expr:
        case Fn("min" | "max" as name, arguments):
            other = "max" if name == "min" else "min"
            yield f"`{name}` stands for `{other}`", Fn(other, arguments)
        case Fn("exp", (body,)):
            yield "the sign of an exponent is another", Fn("exp", (_negative(body),))
        case Pow(base, exponent):
            yield "the sign of an exponent is another", Pow(base, _negative(exponent))
            if exponent == ir.MINUS_ONE:
                yield "a root is missing", Pow(base, Num(Fraction(-1, 2)))
            if isinstance(exponent, Num) and isinstance(exponent.value, Fraction):
                yield "an exponent is another", Pow(base, Num(exponent.value - 1))
        case Mul(factors):
            negative = ir.MINUS_ONE in factors
            if negative:
                yield "a sign is another", _positive(expr)
            over = Pow(_positive(expr), ir.MINUS_ONE)
            yield "a fraction stands upside down", _negative(over) if negative else over
        case Add(terms):
            for at, term in enumerate(terms):
                others = terms[:at] + terms[at + 1 :]
                rest = Add(others) if len(others) > 1 else others[0]
                yield "a sign is another", Add((*others, _negative(term)))
                if isinstance(term, Num):
                    yield "a number is added", rest
                if isinstance(term, Fn | ir.Call):
                    yield "two factors are added", Mul((term, rest))
            yield "`tanh` is missing", Fn("tanh", (expr,))
        case Cases(((one, first), (two, second)), otherwise):
            yield "the cases are exchanged", Cases(((one, second), (two, first)), otherwise)
            yield "the cases are exchanged", Cases(((two, first), (one, second)), otherwise)
        case Cases(((one, first),), ir_other) if ir_other is not None:
            yield "the cases are exchanged", Cases(((one, ir_other),), first)
            if isinstance(one, ir.Compare) and one.op in "<>≤≥":
                yield "the cases are exchanged", Cases(((ir.opposite(one), first),), ir_other)
        case Reduce("sum", index, _, None):
            mean = Mul((Pow(index.size, ir.MINUS_ONE), expr))
            yield "a sum is not divided by the number of its terms", mean
            yield "`exp` is missing", Fn("exp", (expr,))
        case ir.Ref(_, at) if at:
            yield "a logarithm is missing", Fn("log", (expr,))
        case ir.Ref("sigma"):
            yield "a square is missing", Pow(expr, Num(2))


def _negative(expr: Expr) -> Expr:
    match expr:
        case Add(terms):
            return Add(tuple(map(_negative, terms)))
        case Mul(factors) if ir.MINUS_ONE in factors:
            return _positive(expr)
    return Mul((ir.MINUS_ONE, expr))


def _positive(expr: Mul) -> Expr:
    """A product without the factors −1."""
    rest = tuple(factor for factor in expr.factors if factor != ir.MINUS_ONE)
    return Mul(rest) if len(rest) > 1 else rest[0]
