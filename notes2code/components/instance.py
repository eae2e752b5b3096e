"""Putting a match back together: the component's formula in the note's own terms."""

from __future__ import annotations

from notes2code.components.around import HOLE
from notes2code.components.library import Form, Setting
from notes2code.components.pattern import Match
from notes2code.components.rows import by_row, is_placed, ordered, rows_of, with_place
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Call,
    Concat,
    Equation,
    Expr,
    Idx,
    Index,
    Iterate,
    Lambda,
    Reduce,
    Ref,
    Size,
    Softmax,
)


def instantiated(
    form: Form, found: Match, settings: dict[str, Setting], note: Equation
) -> Equation:
    """The component's formula with the note's inputs in its roles and the settings filled in.

    It has the inputs of the note's equation, so both can be evaluated on the same numbers.
    """
    builder = _Builder(form, found, {s.symbol: s for s in settings.values()}, note)
    array = Lambda(note.value.indices, builder.expr(form.pattern.value.body))
    return Equation(note.name, note.inputs, (), array, (), note.functions)


class _Builder:
    """Rewrites an expression of the component's formula into one of the note's."""

    def __init__(
        self, form: Form, found: Match, settings: dict[str, Setting], note: Equation
    ) -> None:
        self.form = form
        self.found = found
        self.settings = settings
        self.new: dict[Index, Index] = {}
        self.sizes = self._sizes(note)

    def index(self, index: Index) -> Index:
        """The note's index for one of the component's; one that the note does not have runs over
        the note's size."""
        if index not in self.found.indices and index not in self.new:
            size = self.sizes.get(index.size, index.size)
            own = size if isinstance(size, Size) else Size(index.size.name, value=size)
            self.new[index] = Index(index.name, own, index.start)
        return self.found.indices.get(index) or self.new[index]

    def _sizes(self, note: Equation) -> dict[Size, Expr]:
        """The note's sizes for the component's, by the axes of the inputs in its roles."""
        sizes: dict[Size, Expr] = dict(self.found.sizes)
        shapes = {given.name: given.shape for given in note.inputs}
        for given in self.form.equation.inputs:
            role = self.found.roles.get(given.name)
            if role is None:
                continue
            for axis, size in zip(role.axes, shapes[role.array], strict=True):
                if axis >= 0 and isinstance(mine := given.shape[axis], Size):
                    sizes.setdefault(mine, size)
        for mine_index, theirs in self.found.indices.items():
            sizes.setdefault(mine_index.size, theirs.size.value or theirs.size)
        return sizes

    def expr(self, expr: Expr) -> Expr:
        """The note's expression for one of the component's."""
        match expr:
            case Size():
                return self.sizes.get(expr, expr)
            case Idx(index):
                return Idx(self.index(index))
            case Ref(name, at) if name in self.settings:
                return self._setting(name, tuple(map(self.expr, at)))
            case Ref(name, at) if name in self.found.roles:
                return self._role(name, tuple(map(self.expr, at)))
            case Call(function, arguments, at, _) if function in self.settings:
                return self._function(function, arguments[0], at)
            case Call():
                return self._call(expr)
            case Reduce(kind, index, body, where):
                condition = None if where is None else self.expr(where)
                return Reduce(kind, self.index(index), self.expr(body), condition)
            case Softmax():
                return self._softmax(expr)
            case Ref(name, at) if name in self.found.states:
                return Ref(self.found.states[name], tuple(map(self.expr, at)))
            case Iterate(index, state, initial, step, at):
                first, again = self._array(initial), self._array(step)
                name = self.found.states[state]
                places = tuple(map(self.expr, at))
                return Iterate(self.index(index), name, first, again, places)
            case Concat(parts, at_):
                return Concat(tuple(map(self._array, parts)), self.expr(at_))
        return ir.rebuild(expr, self.expr)

    def _call(self, call: Call) -> Expr:
        """The note's function at the component's arguments; what it has besides stays."""
        theirs = self.found.functions[f"{call.function}#{call.site}"]
        call = with_place(call, theirs)
        if is_placed(call, theirs):
            given = (self._array(call.arguments[0]), *theirs.arguments[1:])
            at = (call.arguments[1].body, *call.at)
            return Call(theirs.function, given, tuple(map(self.expr, at)), theirs.site)
        count = self.form.pattern.arity.get(call.function, len(call.arguments))
        mine = Call(theirs.function, call.arguments[:count], call.at, theirs.site)
        if len(call.at) == len(theirs.at) + 1:
            mine = by_row(mine, theirs)
        own = tuple(map(self._array, mine.arguments))
        places = tuple(map(self.expr, mine.at))
        if len(theirs.at) == len(mine.at) + 1:
            row = self._row(mine, theirs)
            own, places = _over_rows(own, theirs, row), (row, *places)
        return Call(theirs.function, (*own, *theirs.arguments[count:]), places, theirs.site)

    def _row(self, mine: Call, theirs: Call) -> Expr:
        """The row of a matrix at which a function is called that mine has for each row: the one
        that it is given. Where the note defines what is called, and the component's formula has it
        twice, their own row is that of one of the two."""
        given = {self.index(i) for one in mine.arguments for i in _free(one)}
        return Idx(given.pop()) if len(given) == 1 else theirs.at[0]

    def _array(self, array: Lambda) -> Lambda:
        return Lambda(tuple(self.index(i) for i in array.indices), self.expr(array.body))

    def _role(self, name: str, at: tuple[Expr, ...]) -> Expr:
        role = self.found.roles[name]
        places = iter(role.outer)
        return Ref(role.array, tuple(next(places) if a < 0 else at[a] for a in role.axes))

    def _setting(self, name: str, at: tuple[Expr, ...]) -> Expr:
        value = self.found.settings.get(name)
        if value is None:
            return ir.ONE if self.settings[name].kind == "factor" else ir.ZERO
        places = at[len(at) - len(value.indices) :]  # one that is the same in all heads has no head
        return ir.substitute(value.body, dict(zip(value.indices, places, strict=True)))

    def _function(self, name: str, argument: Lambda, at: tuple[Expr, ...]) -> Expr:
        mine = ir.substitute(argument.body, dict(zip(argument.indices, at, strict=True)))
        inner = self.expr(mine)
        value = self.found.settings.get(name)
        if value is None:
            return inner
        places = [Idx(self.index(i)) for i in ordered(mine)] if value.indices else []
        body = ir.substitute(value.body, dict(zip(value.indices, places, strict=True)))
        return _filled(body, inner)

    def _softmax(self, expr: Softmax) -> Expr:
        index = self.index(expr.index)
        where: Expr | None = None
        reach = self.found.settings.get(self.form.pattern.reach)
        if reach is not None:
            rows = [self.index(i) for i in rows_of(expr.body, expr.index)]
            places = [*map(Idx, rows), Idx(index)]
            where = ir.substitute(reach.body, dict(zip(reach.indices, places, strict=True)))
        return Softmax(index, self.expr(expr.body), self.expr(expr.at), where)


def _free(array: Lambda) -> frozenset[Index]:
    """The indices that an array depends on, besides its own."""
    return ir.free_indices(array.body).difference(array.indices)


def _over_rows(arrays: tuple[Lambda, ...], theirs: Call, row: Expr) -> tuple[Lambda, ...]:
    """Arguments for a function of matrices from those for each row, of which one is taken."""
    out: list[Lambda] = []
    for mine, other in zip(arrays, theirs.arguments, strict=False):
        if len(other.indices) == len(mine.indices) + 1 and isinstance(row, Idx):
            index = Index(row.index.name, row.index.size)
            body = ir.substitute(mine.body, {row.index: Idx(index)})
            out.append(Lambda((index, *mine.indices), body))
        else:
            out.append(mine)
    return tuple(out)


def _filled(body: Expr, argument: Expr) -> Expr:
    """A function setting at its argument."""
    if body == Ref(HOLE):
        return argument
    return ir.rebuild(body, lambda child: _filled(child, argument))
