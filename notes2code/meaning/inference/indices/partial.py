"""Arrays that are defined at some places only, and what is made of them.

``e_{ij} = q_i^⊤ k_j, \\quad j ≤ i`` says nothing of the e with j > i. What is computed from it
element by element is defined where it is; what goes over one of its axes, be it a sum, a softmax,
a norm or a matrix product, goes over the places where it is defined; and what takes the whole of
it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from notes2code.diagnostics import ProblemError, Span, error, note
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.sums.conditions import both
from notes2code.meaning.ir import (
    Cases,
    Compare,
    Definition,
    Equation,
    Expr,
    Lambda,
    Logic,
    Reduce,
    Ref,
    Softmax,
)

Places = dict[Expr, str]
"""Conditions that all hold where something is defined, each with the name that it was said of."""

_MIRRORED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "=", "≠": "≠"}
_WEAKER = {"<": "≤≠", ">": "≥≠", "=": "≤≥"}
"""The signs that hold of two numbers wherever another does."""


def only_where(condition: Expr, value: Expr) -> Expr:
    """A value that is defined where a condition holds. Of a softmax over these places alone nothing
    is left out: it is 0 at the others."""
    match value:
        case Softmax(index, _, at, where) if where is not None:
            if ir.substitute(where, {index: at}) == condition:
                return value
    return Cases(((condition, value),), None)


def completed(body: Expr) -> Cases | None:
    """A mask that is told only where it hides, ``M_{ij} = −∞ for j > i``, with 0 elsewhere."""
    match body:
        case Cases(((_, ir.MINUS_INFINITY),) as branches, None):
            return Cases(branches, ir.ZERO)
    return None


def is_taken_afterwards(body: Expr) -> bool:
    """Whether a value is that of a softmax for some of the elements that this goes over."""
    branches = body.branches if isinstance(body, Cases) else ()
    return any(_goes_beyond(value, holds) for holds, value in branches)


def _goes_beyond(value: Expr, holds: Expr) -> bool:
    """Whether a softmax goes over all places of an index that a condition limits."""
    places = ir.free_indices(holds, find_index)
    return any(
        isinstance(part, Softmax)
        and part.where is None
        and isinstance(part.at, ir.Idx)
        and find_index(part.at.index) in places
        for part in (ir.walk(value) if places else ())
    )


def ranged(run: Run, equation: Equation) -> Equation:
    """The equation with every sum and softmax over those places alone where what stands in it is
    defined. Raises ``ProblemError`` where that cannot be said."""
    bodies = [equation.value.body, *(one.array.body for one in equation.definitions)]
    bodies += [function.value.body for function in equation.functions.values()]
    parts = (part for body in bodies for part in ir.walk(body) if isinstance(part, Cases))
    if not any(map(condition_of, parts)):
        return equation
    ranging = _Ranging(run, equation.functions)
    definitions = tuple(map(ranging.definition, equation.definitions))
    ranging.name = equation.name
    body, places = ranging.expr(equation.value.body)
    if places:
        made = (
            body.branches[0][1]
            if isinstance(body, Cases) and condition_of(equation.value.body)
            else body
        )
        body = Cases(((both(*places) or ir.ONE, made),), None)
        what = f"`{equation.name}`" if equation.name else "it"
        text = f"nothing says what {what} is where this does not hold: it is not a number there"
        run.problems.append(note("N2C039", text, ranging.told(next(iter(places.values())))))
    return replace(equation, definitions=definitions, value=replace(equation.value, body=body))


def condition_of(body: Expr) -> Expr | None:
    """The condition of a value that is defined under it alone; None of any other."""
    match body:
        case Cases(((condition, _),), None):
            return condition
    return None


class _Ranging:
    """The places of one equation's definitions, as far as they are known."""

    def __init__(self, run: Run, functions: Mapping[str, Equation]) -> None:
        self.run, self.functions = run, functions
        self.places: dict[str, tuple[Lambda, Places]] = {}
        self.name = ""

    def told(self, name: str) -> Span:
        """Where the note says of a name where it is defined."""
        limits = self.run.limits
        return limits.get(name) or next(iter(limits.values()), Span(0, len(self.run.latex)))

    def definition(self, definition: Definition) -> Definition:
        """A definition with its ranges."""
        self.name = definition.name
        body, places = self.expr(definition.array.body)
        array = Lambda(definition.array.indices, body)
        if places:
            self.places[definition.name] = array, dict.fromkeys(places, definition.name)
        return replace(definition, array=array)

    def expr(self, expr: Expr) -> tuple[Expr, Places]:
        """An expression with its ranges, and where it is defined."""
        if isinstance(expr, Cases):
            return self._cases(expr)
        places: Places = {}

        def part(inner: Expr) -> Expr:
            made, own = self.expr(inner)
            places.update(own)
            return made

        made = ir.rebuild(expr, part)
        places.update(self._own(made))
        bound = {*ir.bound_indices(expr)}
        inside = {c: n for c, n in places.items() if not bound.isdisjoint(ir.free_indices(c))}
        if inside:
            made = self._within(made, inside)
        return made, {c: n for c, n in places.items() if c not in inside}

    def _own(self, expr: Expr) -> Places:
        """Where a name, or what a function gives, is defined."""
        match expr:
            case Ref(name, at) if name in self.places:
                array, places = self.places[name]
                values = dict(zip(array.indices, at, strict=True))
                found = (ir.substitute(c, values) for c in places)
                return {c: name for c in found if not _is_sure(c)}
            case ir.Call(name, _, at) if name in self.functions:
                array = self.functions[name].value
                if (condition := condition_of(array.body)) is None:
                    return {}
                if any(isinstance(part, Ref | ir.Size) for part in ir.walk(condition)):
                    raise self._lost(name)
                values = dict(zip(array.indices, at, strict=True))
                return dict.fromkeys(ir.conjuncts(ir.substitute(condition, values)), name)
        return {}

    def _within(self, expr: Expr, places: Places) -> Expr:
        """What goes over an axis, over those places alone."""
        name = next(iter(places.values()))
        if not isinstance(expr, Reduce | Softmax):
            raise self._lost(name)
        for one in places.values():
            self._refuse_constant(one)
        said = [] if expr.where is None else [*ir.conjuncts(expr.where)]
        more = [c for c in places if not _follows(c, said)]
        return replace(expr, where=both(*said, *more)) if more else expr

    def _refuse_constant(self, name: str) -> None:
        """What is said to be one number at some places, ``a_{ij} = 0`` for j > i, is something else
        at the others, and is not left out there."""
        array = self.places[name][0] if name in self.places else None
        match array:
            case Lambda(_, Cases(((_, value),), ir.ZERO)) if not ir.free_indices(value):
                raise error(
                    "N2C037",
                    f"`{name}` is told for some places only",
                    self.told(name),
                    "write with `\\begin{cases}` what it is at the others",
                )

    def _lost(self, name: str) -> ProblemError:
        return error(
            "N2C037",
            f"`{name}` is defined where this holds, and something takes the whole of it",
            self.told(name),
            "write with `\\begin{cases}` what it is elsewhere",
        )

    def _cases(self, expr: Cases) -> tuple[Expr, Places]:
        """Cases, each of which is asked for where its condition holds and none before it does. A
        single one is all that is defined: nothing asks for what is elsewhere, which is 0, since
        gradients would not be numbers beside what is none."""
        alone = condition_of(expr)
        places: Places = {} if alone is None else dict.fromkeys(ir.conjuncts(alone), self.name)
        before: list[Expr] = []
        branches: list[tuple[Expr, Expr]] = []
        for condition, value in expr.branches:
            condition, own = self.expr(condition)
            places.update(own)
            made, mine = self.expr(value)
            given = [*ir.conjuncts(condition), *map(ir.opposite, before)]
            escaped = () if alone is not None else (*before, ir.opposite(condition))
            places.update(_except(escaped, given, mine))
            branches.append((condition, made))
            before.append(condition)
        otherwise = ir.ZERO if alone is not None else expr.otherwise
        if otherwise is not None:
            otherwise, mine = self.expr(otherwise)
            places.update(_except(before, [*map(ir.opposite, before)], mine))
        return Cases(tuple(branches), otherwise), places


def _except(
    escaped: Iterable[Expr], given: list[Expr], places: Places
) -> Iterator[tuple[Expr, str]]:
    """Where a case is defined or another is taken; what follows from its condition is no limit."""
    for condition, name in places.items():
        if not _follows(condition, given):
            others = tuple(escaped)
            yield (Logic("or", (*others, condition)) if others else condition), name


def _is_sure(condition: Expr) -> bool:
    """Whether a condition holds of anything: the ``i ≤ i`` of e_ii."""
    match condition:
        case Compare("≤" | "≥" | "=", left, right):
            return left == right
    return False


def _follows(condition: Expr, given: Iterable[Expr]) -> bool:
    """Whether a condition is one of those that are given, or weaker than one."""
    return any(condition in (one, *_weaker(one)) for one in given)


def _weaker(condition: Expr) -> Iterator[Expr]:
    """Comparisons that hold wherever one does, and itself the other way round."""
    if isinstance(condition, Compare):
        left, right = condition.left, condition.right
        for sign in (condition.op, *_WEAKER.get(condition.op, "")):
            yield Compare(sign, left, right)
            yield Compare(_MIRRORED[sign], right, left)
