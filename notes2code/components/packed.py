"""Weights of all heads in one matrix: ``[Q_1, \\dots, Q_h] = X W_Q`` has in W_Q, side by side, what
``Q_i = X W_i^Q`` has head by head. Forms know the latter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from notes2code.meaning import ir, shapes
from notes2code.meaning.ir import Add, Equation, Expr, Fn, Idx, Index, Lambda, Mul, Ref, Size


@dataclass(frozen=True)
class _Cut:
    """The axis of an array that is cut into pieces, how many there are, and how long each is."""

    axis: int
    heads: Size
    width: Size


def by_heads(equation: Equation) -> Equation | None:
    """An equation with an axis for the heads in each array of which it takes only the pieces of
    heads; None if there is no such array."""
    made = list(equation.definitions)
    value, inputs = equation.value, list(equation.inputs)

    def turn(name: str, behind: int) -> _Cut | None:
        """Give an array its axis where the value and later definitions name it."""
        nonlocal value
        found = _cut(name, [*(one.array for one in made[behind:]), value])
        if found is not None:
            made[behind:] = [
                replace(one, array=_with(one.array, name, found)) for one in made[behind:]
            ]
            value = _with(value, name, found)
        return found

    for at in reversed(range(len(made))):
        if (found := turn(made[at].name, at + 1)) is not None:
            made[at] = replace(made[at], array=_by_heads(made[at].array, found))
    for at, given in enumerate(equation.inputs):
        if (found := turn(given.name, 0)) is not None:
            shape = list(given.shape)
            shape[found.axis] = found.width
            inputs[at] = replace(given, shape=(found.heads, *shape))
    if inputs == [*equation.inputs]:
        return None
    arrays = (value, *(one.array for one in made))
    used = {part.name for array in arrays for part in ir.walk(array.body) if isinstance(part, Size)}
    used -= {size.name for size in shapes.solve(inputs)}
    needed = (one for one in inputs if one.kind != "size" or one.name in used)
    return replace(equation, inputs=tuple(needed), definitions=tuple(made), value=value)


def _piece(place: Expr) -> tuple[Expr, Size, Expr] | None:
    """The i, the d and the a of the place ``i d + a`` of the a-th of the d features of head i."""
    match place:
        case Add((Mul((head, Size() as width)), (Idx(Index(size=own)) | Fn("mod", (_, own))) as a)):
            return (head, width, a) if _alike(own, width) else None
    return None


def _count(head: Expr) -> Size | None:
    """How many heads there are, by what counts them: an i, or the c of all their features."""
    match head:
        case Idx(index):
            return index.size
        case Fn("floordiv", (Idx(Index(size=Size(value=Mul((Size() as heads, own))))), width)):
            return heads if _alike(own, width) else None
    return None


def _alike(one: Expr, other: Expr) -> bool:
    """Whether two sizes are one, also that of a function that is written out."""
    return isinstance(one, Size) and isinstance(other, Size) and one.name == other.name


def _cut(name: str, arrays: Sequence[Lambda]) -> _Cut | None:
    """How an array is cut of which some others take pieces wherever they name it."""
    inside = (part for array in arrays for part in ir.walk(array.body))
    used = [part.at for part in inside if isinstance(part, Ref) and part.array == name]
    pairs = [
        (axis, piece) for at in used for axis, place in enumerate(at) if (piece := _piece(place))
    ]
    cuts = {_Cut(axis, heads, width) for axis, (head, width, _) in pairs if (heads := _count(head))}
    return cuts.pop() if len(cuts) == 1 and len(pairs) == len(used) else None


def _with(array: Lambda, name: str, cut: _Cut) -> Lambda:
    """An array that names another with an axis for the heads, before all others."""

    def changed(expr: Expr) -> Expr:
        expr = ir.rebuild(expr, changed)
        if isinstance(expr, Ref) and expr.array == name and (piece := _piece(expr.at[cut.axis])):
            head, _, feature = piece
            at = (head, *expr.at[: cut.axis], feature, *expr.at[cut.axis + 1 :])
            return replace(expr, at=at)
        return expr

    return Lambda(array.indices, changed(array.body))


def _by_heads(array: Lambda, cut: _Cut) -> Lambda:
    """What a definition computes, with an axis for the heads, before all others."""
    head, feature = Index("head", cut.heads), Index("feature", cut.width)
    place = ir.add(ir.mul(Idx(head), cut.width), Idx(feature))
    indices = list(array.indices)
    body = ir.substitute(array.body, {indices[cut.axis]: place})
    indices[cut.axis] = feature
    return Lambda((head, *indices), body)
