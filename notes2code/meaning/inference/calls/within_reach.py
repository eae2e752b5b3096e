"""Functions of arrays of which a part may be reached: ``\\mathrm{Attention}(q_t, K_{≤t}, V_{≤t})``
is the function written out, whose sums and softmaxes go as far as the part does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from notes2code.meaning import ir
from notes2code.meaning.inference.calls.callees_sizes import instance
from notes2code.meaning.inference.indices import reach
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, settled
from notes2code.meaning.ir import Equation, Expr, Index, Lambda, Reduce, Ref, Size, Softmax


def is_limited(run: Run, equation: Equation, arguments: Sequence[Value]) -> bool:
    """Whether a part of an argument may be reached, and the function computes with nothing but what
    it is given, by one expression: it has no weights, whose names would be the formula's."""
    limited = any(reach.limit(run, axis, axis) for value in arguments for axis in value.axes)
    alone = {one.name for one in equation.inputs if one.kind == "array"} == {*equation.parameters}
    return limited and alone and not (equation.definitions or equation.functions)


def written_out(
    run: Run, equation: Equation, given: Mapping[str, Lambda], sizes: dict[Size, Size]
) -> Lambda:
    """What a function gives for arrays, within their reach; ``sizes`` are the caller's for its
    own."""
    limits = {
        size: axis
        for one in equation.inputs
        for size, axis in zip(one.shape, given[one.name].indices, strict=True)
        if isinstance(size, Size) and reach.limit(run, axis, axis)
    }
    own: dict[Index, Index] = {}

    def index(old: Index) -> Index:
        if old not in own:
            own[old] = Index(old.name, instance(old.size, sizes), old.start)
        return own[old]

    def within(old: Index, where: Expr | None) -> Expr | None:
        """How far an index goes that runs along an axis of which a part may be reached."""
        axis = limits.get(old.size)
        limit = None if axis is None else reach.limit(run, axis, index(old))
        said = [part for part in (where, limit) if part is not None]
        return said[0] if len(said) == 1 else ir.Logic("and", tuple(said)) if said else None

    def written(expr: Expr) -> Expr:
        if isinstance(expr, Size):
            return instance(expr, sizes)
        made = ir.rebuild(expr, written, index)
        match made:
            case Ref(array, at):
                axes = map(find_index, given[array].indices)
                places = dict(zip(axes, at, strict=True))
                return ir.substitute(settled(given[array].body), places)
            case Reduce() | Softmax():
                assert isinstance(expr, Reduce | Softmax)
                return replace(made, where=within(expr.index, made.where))
        return made

    return Lambda(tuple(map(index, equation.value.indices)), written(equation.value.body))
