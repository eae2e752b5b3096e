"""A call of a function that is not written out: what it is given, and the axes of its value."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Span, error
from notes2code.meaning import ir
from notes2code.meaning.inference.calls import places_given, within_reach
from notes2code.meaning.inference.calls.callees_sizes import instance
from notes2code.meaning.inference.calls.given_elements import at_its_letters, gives_elements
from notes2code.meaning.inference.calls.given_rows import all_rows
from notes2code.meaning.inference.calls.own_inputs import (
    number_of_call,
    own_input,
    places_of,
    weights_of,
)
from notes2code.meaning.inference.indices.indexing import place
from notes2code.meaning.inference.indices.reach import refuse_limited
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, fresh, link, shape_text
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Index, Lambda, Size
from notes2code.meaning.notation.scripts import Use


class FunctionCall:
    """The call of a function at arguments, each with as many axes as the parameter or more."""

    def __init__(
        self,
        run: Run,
        use: Use,
        equation: Equation,
        arguments: Sequence[Value],
        span: Span,
        named: str,
    ) -> None:
        self.run, self.use, self.equation, self.span = run, use, equation, span
        self.site = number_of_call(run, use.name, named, arguments)
        self.weights = weights_of(run, use, equation, self.site, arguments)
        self.sizes: dict[Size, Size] = {}
        # The A_{ij}(x) of a function that gives a matrix are its elements.
        self.elements = gives_elements(run, use, equation, span)
        self.own = [] if self.elements else places_of(run, use)
        numbered = len(use.indices) if self.elements else 0
        own = [place for _, place in self.own]
        self.arguments, self.row = all_rows(equation, arguments, own, numbered)
        self.written_out = within_reach.is_limited(run, equation, self.arguments)
        self.extra: tuple[Index, ...] = ()

    def value(self, places: Sequence[Value]) -> Value:
        """What the function gives, mapped over the ``extra`` axes of its arguments, and at the
        ``places`` along those axes that it counts."""
        run, equation = self.run, self.equation
        given = dict(zip(equation.parameters, self.arguments, strict=True))
        arrays = {one.name: self._array(one, given.get(one.name)) for one in equation.inputs}
        if self.written_out and not (self.own or self.elements or self.row or equation.counted):
            made = within_reach.written_out(run, equation, arrays, self.sizes)
            return Value(made.body, (*self.extra, *made.indices), self.span)
        run.functions[self.use.name] = equation
        result = tuple(fresh(instance(i.size, self.sizes)) for i in equation.value.indices)
        at, rest = self._taken(result, places)
        call = Call(self.use.name, tuple(arrays.values()), at, self.site)
        return Value(call, (*self.extra, *rest), self.span)

    def _array(self, parameter: ir.Input, value: Value | None) -> Lambda:
        """What stands for an input of the function: the argument, if there is one."""
        axes = tuple(instance(axis, self.sizes) for axis in parameter.shape)
        if value is not None:
            return self._argument(value, axes)
        if (length := places_given.length_of(self.equation, parameter)) is not None:
            return Lambda((), instance(length, self.sizes))
        return own_input(self.run, self.use, parameter, axes, self.weights, self.own, self.span)

    def _argument(self, value: Value, axes: Sequence[Size]) -> Lambda:
        """An argument with the axes of its parameter; the function is mapped over the others."""
        spare = value.rank - len(axes)
        if spare < 0:
            raise error(
                "N2C041",
                f"`{self.run.quote(value.span)}` is {shape_text(value)}, but `{self.use.name}` "
                f"takes an array of {len(axes)} axes there",
                value.span,
            )
        self.extra = _mapped_over(self.run, self.extra, value.axes[:spare], self.span)
        if not self.written_out:
            refuse_limited(self.run, value.axes[spare:])
        for mine, wanted in zip(value.axes[spare:], axes, strict=True):
            self.run.unify(mine.size, wanted, value.span)
        return Lambda(value.axes[spare:], value.body)

    def _taken(
        self, result: tuple[Index, ...], places: Sequence[Value]
    ) -> tuple[tuple[Expr, ...], tuple[Index, ...]]:
        """The places at which what the function gives is taken, and the axes that are left."""
        if self.row is not None or self.elements:
            return self._at_element(result)
        if count := len(self.equation.counted):
            counted = places_given.counted(self.run, result[:count], places, self.extra)
            rest = result[len(counted) :]
            return (*counted, *map(Idx, rest)), rest
        letters = at_its_letters(self.run, self.use, self.equation, result, self.arguments)
        placed = tuple(letters)
        rest = tuple(axis for axis, place in zip(result, placed, strict=True) if axis is place)
        return tuple(map(Idx, placed)), rest

    def _at_element(self, result: tuple[Index, ...]) -> tuple[tuple[Expr, ...], tuple[Index, ...]]:
        """The same of an element by its own indices, or of the row that is meant."""
        own_places = zip(self.use.indices if self.elements else (), result, strict=False)
        at = tuple(place(self.run, one, axis.size, self.use) for one, axis in own_places)
        rest = result[len(at) :]
        if self.row is not None and Idx(self.row) not in at:  # the t of m_t(x_t) says it already
            self.run.unify(self.row.size, rest[0].size, self.span)
            at, rest = (*at, Idx(self.row)), rest[1:]
        return (*at, *map(Idx, rest)), rest


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
