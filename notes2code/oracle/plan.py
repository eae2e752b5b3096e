"""The order of work of a term-by-term computation: which arrays are made, one after another.

Softmaxes, concatenations, calls, and sums that would be computed again and again inside loops
become arrays of their own; what is left of each expression stays element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Call,
    Cases,
    Compare,
    Concat,
    Equation,
    Expr,
    Idx,
    Index,
    Lambda,
    Num,
    Reduce,
    Ref,
    Softmax,
)
from notes2code.oracle.naming import Names, described
from notes2code.oracle.same import form, size_form

MAX_TABLE = 16


@dataclass(frozen=True, slots=True)
class Filled:
    """An array computed element by element."""

    name: str
    indices: tuple[Index, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Softmaxed:
    """The softmax of an array along its last axis."""

    name: str
    scores: str


@dataclass(frozen=True, slots=True)
class Built:
    """An array whose parts, one for each combination of ``indices``, are whole arrays: what a
    function gives or what is joined. Arguments are arrays or parts of them."""

    name: str
    indices: tuple[Index, ...]
    value: Call | Concat


@dataclass(frozen=True, slots=True)
class Repeated:
    """An array computed anew in each step of a loop over an index, from what it was before. The
    last of ``steps`` gives its next value under ``following``."""

    name: str
    index: Index
    steps: tuple[Filled | Softmaxed | Built, ...]
    following: str


Step: TypeAlias = Filled | Softmaxed | Built | Repeated


def plan(equation: Equation, names: Names) -> list[Step]:
    """The steps that compute an equation; the last one gives its value.

    References in the steps are to the names that the source gives.
    """
    planner = _Planner(names)
    for wanted in equation.inputs:
        planner.axes[names.arrays[wanted.name]] = tuple(map(size_form, wanted.shape))
    for definition in equation.definitions:
        planner.array(names.arrays[definition.name], definition.array)
    plain = equation.name.isidentifier() and not equation.parameters
    plain = plain and equation.name not in names.arrays
    planner.array(names.fresh(equation.name if plain else "output"), equation.value)
    return planner.steps


@dataclass(slots=True)
class _Planner:
    """``axes`` are the sizes of each array's axes (None: not known), ``made`` the names of the
    arrays that already hold an expression, by its form over their indices."""

    names: Names
    steps: list[Step] = field(default_factory=list)
    axes: dict[str, tuple[Hashable, ...] | None] = field(default_factory=dict)
    made: dict[Hashable, str] = field(default_factory=dict)

    def array(self, name: str, array: Lambda) -> None:
        """Plan an array under a name."""
        if isinstance(array.body, ir.Iterate):
            self._repeat(name, array.body)
            return
        self._fill(name, array.indices, self._renamed(array.body))

    def _repeat(self, name: str, node: ir.Iterate) -> None:
        """Plan a recursion: the first state, then a loop that makes the next from the last."""
        body = self._renamed(node.initial.body)
        if isinstance(body, Ref) and body.at == tuple(map(Idx, node.initial.indices)):
            self.steps.append(Filled(name, (), Ref(body.array)))
            self.axes[name] = tuple(size_form(index.size) for index in node.initial.indices)
        else:
            self.array(name, node.initial)
        self.names.arrays[node.state] = name
        inner = _Planner(self.names, axes=dict(self.axes), made=dict(self.made))
        following = self.names.fresh(f"next_{name}")
        inner.array(following, node.step)
        steps = tuple(step for step in inner.steps if not isinstance(step, Repeated))
        self.steps.append(Repeated(name, node.index, steps, following))

    def _renamed(self, expr: Expr) -> Expr:
        """The expression with inputs and definitions under their names in the source."""
        if isinstance(expr, Ref):
            return Ref(self.names.arrays[expr.array], tuple(map(self._renamed, expr.at)))
        return ir.rebuild(expr, self._renamed)

    def _fill(self, name: str, axes: tuple[Index, ...], body: Expr) -> None:
        if isinstance(body, Softmax | Concat | Call) and self._is_new(body, axes):
            self._separate(body, axes, name)
        else:
            self.steps.append(Filled(name, axes, self._rest(body, axes, root=True)))
        self.axes[name] = tuple(size_form(index.size) for index in axes)

    def _is_new(self, body: Softmax | Concat | Call, axes: tuple[Index, ...]) -> bool:
        """Whether an array is, as it is, a softmax, a concatenation or what a function gives, and
        no other array holds the same."""
        around = _around(body, axes)
        same = (*map(Idx, around), *_at(body)) == tuple(map(Idx, axes))
        length = _length(body)
        if not axes or not same or length not in (None, size_form(axes[-1].size)):
            return False
        return _key(_with_index_of_place(body), around) not in self.made

    # --- expressions -------------------------------------------------------------------------

    def _rest(
        self,
        expr: Expr,
        inside: tuple[Index, ...],
        *,
        in_sum: bool = False,
        guarded: bool = False,
        root: bool = False,
    ) -> Expr:
        """What is left of an expression when the parts that deserve an array have one.

        ``inside`` are the indices in force. Under a condition (``guarded``) only that is taken
        out which can be computed where the condition does not hold.
        """

        def rest(part: Expr, more: Iterable[Index] = (), **how: bool) -> Expr:
            how = {"in_sum": in_sum, "guarded": guarded, **how}
            return self._rest(part, _with(inside, more), **how)

        may_lift = not guarded or _total(expr)
        match expr:
            case Reduce(kind, index, body, where):
                again = in_sum or not ir.free_indices(expr).issuperset(inside)
                if again and may_lift:
                    return self._lifted(expr)
                double = isinstance(body, Reduce) and body.kind == kind == "sum"
                left = rest(body, (index,), in_sum=not double, guarded=guarded or where is not None)
                return Reduce(kind, index, left, where and rest(where, (index,), in_sum=True))
            case Call(function, arguments, (), site) if not any(a.indices for a in arguments):
                numbers = tuple(Lambda((), rest(a.body)) for a in arguments)
                return Call(function, numbers, (), site)
            case Softmax() | Concat() | Call():
                found = self._separate(expr, inside) if may_lift else None
                return found or ir.rebuild(
                    expr, lambda part: rest(part, ir.bound_indices(expr), guarded=True)
                )
            case Cases():
                if not root and may_lift and table_index(expr) in inside:
                    return self._lifted(expr)
                return _rest_of_cases(expr, rest, guarded, root)
            case ir.Logic(op, (first, *others)):
                return ir.Logic(op, (rest(first), *(rest(o, guarded=True) for o in others)))
            case _:
                return ir.rebuild(expr, rest)

    def _lifted(self, expr: Expr) -> Expr:
        """An element of the array that holds an expression for all its indices, in the order in
        which it names them: the rows of a matrix product before its columns; those of a table
        last."""
        named = dict.fromkeys(e.index for e in ir.walk(expr) if isinstance(e, Idx))
        listed = _table_indices(expr)
        free = ir.free_indices(expr) - set(listed)
        around = (*(index for index in named if index in free), *listed)
        return Ref(self._held(around, expr, described(expr)), tuple(map(Idx, around)))

    def _held(self, axes: tuple[Index, ...], body: Expr, wanted: str) -> str:
        """The name of an array with an expression's values over indices."""
        if isinstance(body, Ref) and body.at == tuple(map(Idx, axes)) and self._fits(body, axes):
            return body.array
        key = form(body, axes)
        if key not in self.made:
            name = self.names.fresh(wanted)
            self._fill(name, axes, body)
            self.made[key] = name
        return self.made[key]

    def _fits(self, element: Ref, axes: Sequence[Index]) -> bool:
        """Whether indices run over the whole of an array's last axes."""
        sizes = self.axes.get(element.array)
        wanted = tuple(size_form(index.size) for index in axes)
        return sizes is None or sizes[len(sizes) - len(wanted) :] == wanted

    # --- whole arrays ------------------------------------------------------------------------

    def _separate(
        self, expr: Softmax | Concat | Call, inside: tuple[Index, ...], wanted: str = ""
    ) -> Expr:
        """The element of an array that holds a softmax, a concatenation or a function's value."""
        expr = _with_index_of_place(expr)
        around = _around(expr, inside)
        key = _key(expr, around)
        if key not in self.made:
            match expr:
                case Softmax(index, body, _, where):
                    scores = body if where is None else Cases(((where, body),), ir.MINUS_INFINITY)
                    held = self._held((*around, index), scores, "scores")
                    name = wanted or self.names.fresh("weights")
                    self.steps.append(Softmaxed(name, held))
                case Concat(parts):
                    views = tuple(self._view(part, around, "part") for part in parts)
                    name = wanted or self.names.fresh(described(expr))
                    self.steps.append(Built(name, around, Concat(views, ir.ZERO)))
                case Call(function, arguments):
                    views = tuple(self._view(a, around, "argument") for a in arguments)
                    name = wanted or self.names.fresh(described(expr))
                    self.steps.append(Built(name, around, Call(function, views, ())))
            length = _length(expr)
            outer = tuple(size_form(i.size) for i in around)
            self.axes[name] = None if length is None else (*outer, length)
            self.made[key] = name
        at = tuple(self._rest(place, inside, guarded=True) for place in _at(expr))
        return Ref(self.made[key], (*map(Idx, around), *at))

    def _view(self, array: Lambda, inside: tuple[Index, ...], wanted: str) -> Lambda:
        """An argument as an array that is there, or a part of one: ``Q`` or ``Q[i]``."""
        own, body = array.indices, array.body
        if not own or is_single(array):
            return Lambda(own, self._rest(body, inside))
        if isinstance(body, Ref) and len(body.at) >= len(own):
            before, behind = body.at[: -len(own)], body.at[-len(own) :]
            whole = behind == tuple(map(Idx, own)) and self._fits(body, own)
            if whole and not any(ir.free_indices(e) & set(own) for e in before):
                return Lambda((), Ref(body.array, before))
        around = tuple(i for i in inside if i in ir.free_indices(body) and i not in own)
        name = described(body)
        held = self._held((*around, *own), body, wanted if name == "value" else name)
        return Lambda((), Ref(held, tuple(map(Idx, around))))


def _rest_of_cases(cases: Cases, rest: Callable[..., Expr], guarded: bool, root: bool) -> Expr:
    """What is left of cases: all but the first condition stands under a condition itself. The
    entries of a table that is a whole array may be tables too."""
    deep = root and table_index(cases) is not None
    branches = tuple(
        (rest(when, guarded=guarded or k > 0), rest(what, guarded=True, root=deep))
        for k, (when, what) in enumerate(cases.branches)
    )
    otherwise = cases.otherwise and rest(cases.otherwise, guarded=True, root=deep)
    return Cases(branches, otherwise)


def _around(expr: Softmax | Concat | Call, inside: Sequence[Index]) -> tuple[Index, ...]:
    """The indices in force that the whole array depends on, but for the place in it."""
    free = ir.free_indices(_without_place(expr))
    return tuple(index for index in inside if index in free)


def _at(expr: Softmax | Concat | Call) -> tuple[Expr, ...]:
    return expr.at if isinstance(expr, Call) else (expr.at,)


def _length(expr: Softmax | Concat | Call) -> Hashable | None:
    """The size of the last axis of a whole array; None for what a function gives."""
    match expr:
        case Softmax(index):
            return size_form(index.size)
        case Concat(parts):
            sizes = (index.size for part in parts for index in part.indices)
            return size_form(ir.add(*(s.value if s.value is not None else s for s in sizes)))
        case Call():
            return None


def _without_place(expr: Softmax | Concat | Call) -> Expr:
    match expr:
        case Softmax(index, body, _, where):
            return Softmax(index, body, ir.ZERO, where)
        case Concat(parts):
            return Concat(parts, ir.ZERO)
        case Call(function, arguments):
            return Call(function, arguments, ())


def _key(expr: Softmax | Concat | Call, around: Sequence[Index]) -> Hashable:
    return "whole", form(_without_place(expr), around)


def _with_index_of_place(expr: Softmax | Concat | Call) -> Softmax | Concat | Call:
    """A softmax over k that is taken at j, over j, so that its array is indexed by j too."""
    match expr:
        case Softmax(index, body, Idx(place) as at, where):
            inside = (body,) if where is None else (body, where)
            used = {i for part in inside for e in ir.walk(part) for i in ir.bound_indices(e)}
            used |= {i for part in inside for i in ir.free_indices(part)}
            if place not in used and size_form(place.size) == size_form(index.size):
                new: dict[Index, Expr] = {index: at}
                limit = None if where is None else ir.substitute(where, new)
                return Softmax(place, ir.substitute(body, new), at, limit)
    return expr


def _with(inside: tuple[Index, ...], more: Iterable[Index]) -> tuple[Index, ...]:
    new = tuple(more)
    return (*(index for index in inside if index not in new), *new)


def is_single(part: Lambda) -> bool:
    """Whether an array is one number made a vector."""
    alone = len(part.indices) == 1 and part.indices[0].size.value == ir.ONE
    return alone and not ir.free_indices(part.body) & set(part.indices)


def table_index(expr: Expr) -> Index | None:
    """The index of cases that list a value for each of its numbers, as the rows of a matrix do."""
    match expr:
        case Cases(((Compare("=", Idx(index), Num(0)), _), *_), otherwise) if otherwise is not None:
            listed = [when for when, _ in expr.branches]
            wanted = [Compare("=", Idx(index), Num(number)) for number in range(len(listed))]
            count = len(listed) + 1
            if listed == wanted and index.size.value == Num(count) and count <= MAX_TABLE:
                return index
    return None


def _table_indices(expr: Expr) -> tuple[Index, ...]:
    """The index of a table, and those of the tables that are its entries."""
    index = table_index(expr)
    if index is None or not isinstance(expr, Cases):
        return ()
    return (index, *(i for i in _table_indices(expr.branches[0][1]) if i is not index))


def _total(expr: Expr) -> bool:
    """Whether an expression surely has a value for all values of its indices."""
    for part in ir.walk(expr):
        match part:
            case Ref(_, at) if not all(isinstance(place, Idx) for place in at):
                return False
            case Softmax(_, _, at) | Concat(_, at) if not isinstance(at, Idx):
                return False
            case Call():
                return False
            case ir.Pow() | ir.Fn("mod" | "floordiv") if any(
                isinstance(inner, Idx) for inner in _outside_places(part)
            ):
                return False
    return True


def _outside_places(expr: Expr) -> Iterable[Expr]:
    """The parts of an expression that are not positions in arrays."""
    yield expr
    if not isinstance(expr, Ref):
        for child in ir.children(expr):
            yield from _outside_places(child)
