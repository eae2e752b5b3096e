"""Index arithmetic: ``s_{i-1}``, ``b_{i-j}``, ``x_{2i+1}``, ``K_{≤i}`` as places in an array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from notes2code.diagnostics import error, note
from notes2code.latex.tree import (
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Relation,
    Script,
    alike,
    walk,
)
from notes2code.meaning import ir, names
from notes2code.meaning.inference import grouped
from notes2code.meaning.inference.run import Reach, Run, find, find_index
from notes2code.meaning.inference.values import fresh
from notes2code.meaning.ir import Equation, Expr, Idx, Index, Lambda, Size
from notes2code.meaning.notation import positions, scripts, slices
from notes2code.meaning.notation.scripts import At, Use, is_name


def own_letter(run: Run, node: Node) -> str:
    """The index that stands in a part of the value in work and nowhere else, as in ``mean(x_i)``;
    "" if there is none."""
    assert run.whole is not None
    for letter in run.seen.loose(node):
        if letter not in run.on_left and letter not in run.summed:
            inside, everywhere = (
                sum(isinstance(part, Name) and part.text == letter for part in walk(among))
                for among in (node, run.whole)
            )
            return letter if inside == everywhere else ""
    return ""


def position(run: Run, at: At, size: Size, use: Use) -> Expr | Index:
    """The place, from 0, along an axis; a range such as ``≤ i`` gives an open index instead."""
    if at.relation == "=":
        return Idx(fresh(size))
    if at.relation == "∀":
        return fresh(size)
    if at.relation:
        return _range(run, at, size, use)
    if isinstance(at.node, Num):
        return _numbered(run, at.node, use)
    if (group := grouped.place(run, at.node, size, use.name)) is not None:
        return group
    if (back := _reversed(run, at.node, size, use)) is not None:
        return back
    expr = arithmetic(run, at.node, use)
    if (half := _half(run, at, use)) is not None:
        run.unify(find_index(half[0]).size, half[1], use.span)
        run.unify(half[2], size, use.span)
        return expr
    if (inside := _inside(run, at, size, use)) is not None:
        return inside
    if (shifted := _shifted(run, at, size, use)) is not None:
        return shifted
    if isinstance(expr, Idx):
        run.unify(find_index(expr.index).size, size, use.span)
        run.begun.add(find_index(expr.index))
        return expr
    letters = sorted(ir.free_indices(expr), key=lambda index: index.name)
    if len(letters) == 1:
        _refuse_second_place(run, at, letters[0], use)
        return _offset_or_stride(run, expr, letters[0], size, use)
    if len(letters) == 2:
        return _difference(run, expr, letters, size, use)
    if not letters:
        return expr
    raise _not_understood(run, at.node)


def _refuse_second_place(run: Run, at: At, letter: Index, use: Use) -> None:
    """The ``i + 1`` of ``E_{i,i+1}`` is another place than the i: the element is none of the
    diagonal."""
    for other in use.indices:
        if other is at or other.relation or isinstance(other.node, Num):
            continue
        if Idx(letter) == arithmetic(run, other.node, use):
            raise error(
                "N2C032",
                f"`{run.quote(use.span)}` lies beside the diagonal, which is not computed",
                use.span,
                "write it with a letter for each place, and a condition: `j = i + 1`",
            )


def at_label(run: Run, body: Expr, axis: Index, label: Node) -> Expr:
    """What a row holds at the place that its label tells: ``p_{i,y_i}`` is the one p_{ij} of which
    the j is the y_i."""
    told = run.lower(label)
    rows = {find_index(index) for index in ir.free_indices(body)}
    if told.rank or not rows.issuperset(map(find_index, ir.free_indices(told.body))):
        raise scripts.looked_up(label)
    text = f"`{run.quote(label.span)}` is taken to be a place, counted from 0"
    run.problems.append(note("N2C039", text, label.span))
    return ir.Reduce("sum", axis, body, ir.Compare("=", Idx(axis), told.body))


def _reversed(run: Run, node: Node, size: Size, use: Use) -> Expr | None:
    """``x_{n-i+1}``: all elements from the last to the first, where there are n of them."""
    found = positions.reversal(node)
    if found is None or found[0] in run.indices or found[1] not in run.indices:
        return None
    index, last = find_index(run.indices[found[1]]), run.size(found[0])
    if found[2] != (1 if index.start == 1 else -1):
        raise error(
            "N2C032",
            f"`{run.quote(use.span)}` is no element of `{use.name}` for all `{index.name}`, which "
            f"counts from {index.start}",
            node.span,
            f"write `{found[0]} - {index.name} + 1` where it counts from 1, and "
            f"`{found[0]} - {index.name} - 1` where it counts from 0",
        )
    run.unify(index.size, last, use.span)
    run.unify(last, size, use.span)
    return ir.add(find(size), ir.MINUS_ONE, ir.negative(Idx(index)))


def _numbered(run: Run, node: Num, use: Use) -> Expr:
    """The place of the 1 in ``x_{i1}``."""
    first = run.seen.numbered.get(names.base_letter(use.name), 1)
    if int(node.text) < first:
        raise error(
            "N2C032",
            f"there is no element `{node.text}` where they are counted from {first}",
            node.span,
            "count all places of the formula from 1, or all from 0",
        )
    text = (
        f"`{run.quote(use.span)}` is taken to be an element of `{use.name}`, counted from {first}"
    )
    run.problems.append(note("N2C039", text, use.span))
    return ir.Num(int(node.text) - first)


def _inside(run: Run, at: At, size: Size, use: Use) -> Expr | None:
    """The ``x_i`` of ``Σ_{i=2}^n``, or of ``Σ_{i=1}^{n-1}``, where x is known to have n elements:
    those of them that the index counts."""
    shift = positions.shift(at.node)
    if shift is None or shift[0] not in run.indices:
        return None
    index = find_index(run.indices[shift[0]])
    counted, least = _length(index.size)
    if (earlier := _first_elsewhere(run, use, index)) is not None:
        missing = ir.Num(index.start - earlier)
        run.unify(as_size(ir.add(index.size.value or index.size, missing)), size, use.span)
    whole, length = _length(size)
    offsets = _offsets(run, at, use, shift[0])
    together = max(offsets) - min(offsets) if offsets else 0
    if whole is not counted or length <= least or length == least + together:
        return None
    first = index.start + shift[1] - min(index.start, 1)
    if not 0 <= first <= length - least:
        raise error(
            "N2C032",
            f"`{use.name}` has no element `{run.quote(use.span)}` for each `{index.name}`",
            use.span,
            "let the index begin later, or end earlier",
        )
    return ir.add(Idx(index), ir.Num(first))


def _first_elsewhere(run: Run, use: Use, index: Index) -> int | None:
    """From which smaller number another sum counts elements of the same array up to the same end:
    1 for the x_i of ``Σ_{i=2}^n x_i + Σ_{i=1}^n x_i^2``."""
    mine = [
        big for big, letter, first in _ranged(run) if (letter, first) == (index.name, index.start)
    ]
    firsts = [
        first
        for big, letter, first in _ranged(run)
        if first < index.start and any(alike(big.sup, own.sup) for own in mine)
        if _counts_elements(run, big, letter, use.name)
    ]
    return min(firsts, default=None)


def _ranged(run: Run) -> Iterator[tuple[Big, str, int]]:
    """The sums with a range that begins with a number, the letters they count with, and that."""
    for big in run.seen.nodes.of(Big):
        match big.sub:
            case Relation((Name(letter), Num(first)), ("=",)) if big.sup and first.isdigit():
                yield big, letter, int(first)


def _counts_elements(run: Run, big: Big, letter: str, name: str) -> bool:
    """Whether the elements of an array are added up at a letter itself."""
    scripts_in = (node for node in walk(big.body) if isinstance(node, Script))
    uses = (run.seen.understood(node) for node in scripts_in if is_name(node))
    return any(
        use is not None
        and use.name == name
        and any(names.label(at.node) == letter for at in use.indices)
        for use in uses
    )


def _length(size: Size) -> tuple[Size | None, int]:
    """A length as a size and a whole number that is added to it."""
    root = find(size)
    match root.value:
        case ir.Num(int(number)):
            return None, number
        case ir.Add((Size() as part, ir.Num(int(number)))):
            return find(part), number
        case ir.Add((ir.Num(int(number)), Size() as part)):
            return find(part), number
    return root, 0


def _shifted(run: Run, at: At, size: Size, use: Use) -> Expr | None:
    """``x_t`` beside ``x_{t-1}``: two places of one array, which begins with the earlier one."""
    shift = positions.shift(at.node)
    if shift is None or shift[0] not in run.indices:
        return None
    letter, offset = shift
    offsets = _offsets(run, at, use, letter)
    if len(offsets) < 2:
        return None
    index = find_index(run.indices[letter])
    first, last = min(offsets), max(offsets)
    if offset == first < 0 and use.name in run.defined:
        place = next(n for n, other in enumerate(use.indices) if other is at)
        _refuse_before_first(run, use, index, first, run.defined[use.name].array, place)
    own = find(index.size)
    length = ir.add(own.value or own, ir.Num(last - first))
    run.unify(as_size(length), size, use.span)
    return ir.add(Idx(index), ir.Num(offset - first))


def _offsets(run: Run, at: At, use: Use, letter: str) -> set[int]:
    """What is added to a letter along an axis of an array, in all places of the formula."""
    places = [n for n, other in enumerate(use.indices) if other is at]
    return {o for n in places for o in run.seen.shifts.get((use.name, n, letter), ())}


def _refuse_before_first(
    run: Run, use: Use, index: Index, offset: int, array: Lambda, place: int
) -> None:
    """The ``s_{t-1}`` of the first t, where ``s_t = Σ_{i=1}^{t} x_i`` begins with t = 1: it would
    be taken for s_1."""
    axis = find_index(array.indices[place])
    if index.start + offset < axis.start and _computes_with(array.body, axis):
        raise error(
            "N2C032",
            f"there is no `{run.quote(use.span)}` for the first `{index.name}`: the definition of "
            f"`{use.name}` counts from {axis.start}",
            use.span,
            "let its definition begin one earlier, or name what it is before",
        )


def _computes_with(expr: Expr, index: Index) -> bool:
    """Whether an expression computes with the number of an index, besides taking elements there."""
    if isinstance(expr, Idx):
        return find_index(expr.index) is index
    inside = (e for e in ir.children(expr) if not (isinstance(expr, ir.Ref) and isinstance(e, Idx)))
    return any(_computes_with(one, index) for one in inside)


def _half(run: Run, at: At, use: Use) -> tuple[Index, Size, Size] | None:
    """For ``x_i`` and ``x_{i+d/2}``: the index, the half that it counts, and the whole."""
    if not run.seen.halves:
        return None
    beyond, plain = positions.beyond_half(at.node), positions.shift(at.node)
    letter = beyond[0] if beyond else plain[0] if plain and not plain[1] else ""
    places = [n for n, other in enumerate(use.indices) if other is at]
    node = next((run.seen.halves.get((use.name, n, letter)) for n in places), None)
    if node is None or letter not in run.indices:
        return None
    return (find_index(run.indices[letter]), *half_of(run, node))


def half_of(run: Run, node: Node) -> tuple[Size, Size]:
    """The sizes of a half, ``d/2``, and of its whole."""
    use = Use("the half", node.span)
    half = arithmetic(run, node, use)
    whole = ir.mul(half, ir.Num(2))
    return as_size(half), as_size(whole)


def as_size(expr: Expr) -> Size:
    """A size as long as an expression says."""
    return expr if isinstance(expr, Size) else Size("", value=expr)


def place(run: Run, at: At, size: Size, use: Use) -> Expr:
    """A single place along an axis, from 0."""
    found = position(run, at, size, use)
    if isinstance(found, Index):
        raise _not_understood(run, at.node)
    return found


def arithmetic(run: Run, node: Node, use: Use) -> Expr:
    """An index expression in counts from 0: a plain index is itself."""
    match node:
        case Name(text) if text in run.indices:
            return Idx(find_index(run.indices[text]))
        case Script() if names.label(node) in run.indices:
            return Idx(find_index(run.indices[names.label(node)]))
        case Name() | Script():
            return run.size(names.label(node))
        case Num(text):
            return ir.Num(int(text)) if text.isdigit() else ir.Num(float(text))
        case Neg(body):
            return ir.negative(arithmetic(run, body, use))
        case Infix("+", left, right):
            return ir.add(arithmetic(run, left, use), arithmetic(run, right, use))
        case Infix("-", left, right):
            return ir.add(arithmetic(run, left, use), ir.negative(arithmetic(run, right, use)))
        case Infix("·" | "×" | "*", left, right):
            return ir.mul(arithmetic(run, left, use), arithmetic(run, right, use))
        case Frac(left, right):
            return ir.mul(arithmetic(run, left, use), ir.inverse(arithmetic(run, right, use)))
        case Juxt((Name("clip" | "clamp" as name), Group(_, items))) if len(items) in (2, 3):
            arguments = [arithmetic(run, item, use) for item in items]
            own = run.functions.get(name) or run.scope.functions.get(name)
            return clipped(*arguments) if own is None else _clipped_by(own, arguments, node)
        case Juxt((Name("min"), Group(_, (left, right)))):
            return ir.Fn("min", (arithmetic(run, left, use), arithmetic(run, right, use)))
        case Juxt(factors):
            return ir.mul(*(arithmetic(run, factor, use) for factor in factors))
        case Group("⌊", (item,)):
            return ir.Fn("floor", (arithmetic(run, item, use),))
        case Group("⌈", (item,)):
            return ir.Fn("ceil", (arithmetic(run, item, use),))
        case Group("|", (Name() | Script() as item,)) if names.label(item) not in run.indices:
            return arithmetic(run, item, use)  # how many there are
        case Group("|", (item,)):
            return ir.Fn("abs", (arithmetic(run, item, use),))
        case Group(_, (item,)):
            return arithmetic(run, item, use)
    raise _not_understood(run, node)


def clipped(value: Expr, *bounds: Expr) -> Expr:
    """A number between two bounds; of one, ``clip(x, k)``, the other is minus that."""
    low, high = bounds if len(bounds) == 2 else (ir.negative(bounds[0]), bounds[0])
    return ir.Fn("clip", (value, low, high))


def _clipped_by(own: Equation, arguments: Sequence[Expr], node: Node) -> Expr:
    """A place by the note's own ``clip``, which must be one too: ``max(low, min(x, high))``."""
    named = own.parameters
    if len(named) == len(arguments) and (bounds := _bounds(own.value.body, named[0])) is not None:
        given = dict(zip(named, arguments, strict=True))
        low, high = (_put(bound, given) for bound in bounds)
        return ir.Fn("clip", (arguments[0], low, high))
    raise error(
        "N2C032",
        "this index is not understood: the note says itself what it is, and not that it is a "
        "number between two bounds",
        node.span,
        "define it as `\\max(low, \\min(x, high))`, with as many arguments as here",
    )


def _bounds(body: Expr, name: str) -> tuple[Expr, Expr] | None:
    """The low and the high of ``max(low, min(x, high))``, or of the same the other way round, and
    of ``clip(x, low, high)``."""
    match body:
        case ir.Fn("clip", (ir.Ref(mine), low, high)) if mine == name:
            return low, high
    outer, sides = _extreme(body)
    for bound, inside in (sides, sides[::-1]) if len(sides) == 2 else ():
        inner, others = _extreme(inside)
        if len(others) == 2 and inner != outer and ir.Ref(name) in others:
            other = others[1 - others.index(ir.Ref(name))]
            return (bound, other) if outer == "max" else (other, bound)
    return None


def _extreme(expr: Expr) -> tuple[str, tuple[Expr, ...]]:
    """What the larger or the smaller is taken of."""
    match expr:
        case ir.Fn("relu", (inner,)):
            return "max", (ir.ZERO, inner)
        case ir.Fn("max" | "min" as kind, sides):
            return kind, sides
    return "", ()


def _put(expr: Expr, given: Mapping[str, Expr]) -> Expr:
    """The expression with arguments in place of parameters."""
    if isinstance(expr, ir.Ref) and expr.array in given:
        return given[expr.array]
    return ir.rebuild(expr, lambda inner: _put(inner, given))


def _not_understood(run: Run, node: Node) -> Exception:
    return error(
        "N2C032",
        f"the index `{run.quote(node.span)}` is not understood",
        node.span,
        "write an index as a letter, a letter ± a number, or the difference of two letters",
    )


def _offset_or_stride(run: Run, expr: Expr, index: Index, size: Size, use: Use) -> Expr:
    """``s_{i-1}``: the array is taken to begin one earlier; ``x_{2i+1}``: every other element."""
    scale, offset = _affine(expr)
    if scale == 1:
        run.unify(index.size, size, use.span)
        run.problems.append(
            note(
                "N2C039",
                f"the elements `{run.quote(use.span)}` are taken to be the rows of "
                f"`{use.name}` in order, the first one for the first `{index.name}`",
                use.span,
            )
        )
        return Idx(index)
    if scale is not None and scale > 1:
        first = scale * index.start - index.start + offset
        if not 0 <= first < scale:
            raise error(
                "N2C032",
                f"`{run.quote(use.span)}` does not begin with the first elements of `{use.name}`",
                use.span,
                f"say where `{index.name}` begins: `2{index.name}` and `2{index.name}+1` count "
                f"from 0, `2{index.name}-1` and `2{index.name}` from 1",
            )
        length = ir.mul(ir.Num(scale), find(index.size))
        run.unify(as_size(length), size, use.span)
        return ir.add(ir.mul(ir.Num(scale), Idx(index)), ir.Num(first))
    raise error(
        "N2C032",
        f"the range of `{use.name}` cannot be told from the index `{run.quote(use.span)}`",
        use.span,
    )


def _affine(expr: Expr) -> tuple[int | None, int]:
    """The a and b of a·i + b, if the expression is so."""
    scale, offset = 0, 0
    for term in expr.terms if isinstance(expr, ir.Add) else (expr,):
        match term:
            case Idx():
                scale += 1
            case ir.Num(int(value)):
                offset += value
            case ir.Mul((ir.Num(int(value)), Idx())) | ir.Mul((Idx(), ir.Num(int(value)))):
                scale += value
            case _:
                return None, 0
    return scale, offset


def _difference(run: Run, expr: Expr, letters: list[Index], size: Size, use: Use) -> Expr:
    """``b_{i-j}``: one element for every difference, the most negative first. None is negative
    where j goes up to i, as in ``Σ_{j ≤ i} b_{i-j} x_j``."""
    if isinstance(expr, ir.Fn) and expr.name == "clip":
        low = expr.arguments[1]
        span = ir.add(expr.arguments[2], ir.negative(low), ir.ONE)
        run.unify(Size("", value=span), size, use.span)
        return ir.add(expr, ir.negative(low))
    if isinstance(expr, ir.Fn) and expr.name == "abs":
        return _distance(run, expr, letters, size, use)
    if isinstance(expr, ir.Fn) and expr.name == "min":
        return _nearest(run, expr, letters, size, use)
    if isinstance(expr, ir.Add) and {*map(Idx, letters)} <= {*expr.terms}:
        return _sum(run, expr, letters, size, use)
    plus = _leading(expr, use)
    other = next(index for index in letters if index is not plus.index)
    if _goes_up_to(run, other, plus):
        run.unify(plus.index.size, size, use.span)
        run.unify(other.size, size, use.span)
        text = f"`{use.name}` is taken to hold one element for every difference, from 0 on"
        run.problems.append(note("N2C039", text, use.span))
        return expr
    last = ir.add(other.size, ir.MINUS_ONE)
    run.unify(Size("", value=ir.add(plus.index.size, last)), size, use.span)
    run.problems.append(
        note(
            "N2C039",
            f"`{use.name}` is taken to hold one element for every difference, "
            f"from −({other.name}'s last) to {plus.index.name}'s last",
            use.span,
        )
    )
    return ir.add(expr, last)


def _goes_up_to(run: Run, index: Index, last: Idx) -> bool:
    """Whether an index counts to another one, and that from the same number."""
    counted, end = (ir.add(idx, ir.Num(idx.index.start)) for idx in (Idx(index), last))
    return run.within.get(index) == ir.Compare("≤", counted, end) and (
        index.start == last.index.start
    )


def _sum(run: Run, expr: ir.Add, letters: list[Index], size: Size, use: Use) -> Expr:
    """``x_{t+l}``: one element for every sum, the first for the first of both."""
    offset = [term for term in expr.terms if not isinstance(term, Idx)]
    if any(letter in run.within for letter in letters) or not all(
        isinstance(term, ir.Num) for term in offset
    ):
        raise error("N2C032", f"the index of `{use.name}` is not understood", use.span)
    first, second = letters
    run.unify(Size("", value=ir.add(first.size, second.size, ir.MINUS_ONE)), size, use.span)
    text = f"`{use.name}` is taken to hold one element for every sum of "
    run.problems.append(
        note("N2C039", f"{text}`{first.name}` and `{second.name}`, from the first on", use.span)
    )
    return ir.add(Idx(first), Idx(second))


def _distance(run: Run, expr: ir.Fn, letters: list[Index], size: Size, use: Use) -> Expr:
    """``b_{|i-j|}``: one element for every distance, the same in both directions."""
    _leading(expr.arguments[0], use)
    first, second = letters
    run.unify(first.size, second.size, use.span)
    run.unify(first.size, size, use.span)
    text = f"`{use.name}` is taken to hold one element for every distance of "
    run.problems.append(
        note("N2C039", f"{text}`{first.name}` and `{second.name}`, from 0 on", use.span)
    )
    return expr


def _nearest(run: Run, expr: ir.Fn, letters: list[Index], size: Size, use: Use) -> Expr:
    """``b_{min(|i-j|, c)}``: one element for every distance up to c."""
    distance, furthest = expr.arguments
    if not isinstance(distance, ir.Fn) or distance.name != "abs" or ir.free_indices(furthest):
        raise error("N2C032", f"the index of `{use.name}` is not understood", use.span)
    _leading(distance.arguments[0], use)
    run.unify(letters[0].size, letters[1].size, use.span)
    run.unify(Size("", value=ir.add(furthest, ir.ONE)), size, use.span)
    return expr


def _leading(expr: Expr, use: Use) -> Idx:
    """The i of ``i - j``."""
    if isinstance(expr, ir.Add) and len(expr.terms) == 2:
        for plus, minus in (expr.terms, reversed(expr.terms)):
            if isinstance(plus, Idx) and isinstance(ir.negative(minus), Idx):
                return plus
    raise error("N2C032", f"the index of `{use.name}` is not understood", use.span)


def _range(run: Run, at: At, size: Size, use: Use) -> Index:
    """``K_{≤i}``: an open axis, and which of its elements may be reached."""
    if find(size).kind == "feature":
        run.conflict(3, f"a range of features ({find(size).name}), not of positions", use.span)
    axis = fresh(size)
    if at.relation == ":":
        condition = _between(run, at.node, axis, use)
    else:
        condition = ir.Compare(at.relation, Idx(axis), arithmetic(run, at.node, use))
    run.reach[axis] = Reach(condition, use.span)
    letters = sorted(ir.free_indices(condition) - {axis}, key=lambda index: index.name)
    run.compared += [(letter, axis) for letter in letters]  # the t of ``\\mathrm{mean}(x_{≤t})``
    return axis


def _between(run: Run, node: Node, axis: Index, use: Use) -> Expr:
    """What holds of the places of ``K_{i-w+1:i}``, both ends among them, and of ``x_{i:n}``."""
    first, last = slices.ends(node) or (None, None)
    said: list[Expr] = []
    if first is not None:
        said.append(ir.Compare("≥", Idx(axis), _end_of_part(run, first, use)))
    if last is not None and _counts_all(run, last):
        run.unify(axis.size, run.size(names.label(last)), use.span)
    elif last is not None:
        said.append(ir.Compare("≤", Idx(axis), _end_of_part(run, last, use)))
        text = f"`{run.quote(use.span)}` is taken to hold the last of its places, too"
        run.problems.append(note("N2C039", text, use.span))
    return said[0] if len(said) == 1 else ir.Logic("and", tuple(said))


def _counts_all(run: Run, last: Node) -> bool:
    """Whether a part ends with the n that counts all places."""
    return is_name(last) and names.label(last) not in run.indices


def _end_of_part(run: Run, end: Node, use: Use) -> Expr:
    """An end of a part of an axis: a place, and how far from it."""
    expr = arithmetic(run, end, use)
    terms = expr.terms if isinstance(expr, ir.Add) else (expr,)
    if sum(isinstance(term, Idx) for term in terms) != 1 or len(ir.free_indices(expr)) != 1:
        raise error(
            "N2C032",
            f"the part `{run.quote(use.span)}` of an axis is not understood",
            end.span,
            "write its ends as places, such as `i` and `i - w + 1`",
        )
    return expr


def count(run: Run, end: Node, start: int) -> Size:
    """How many items there are from a start to an end."""
    use = Use("the list", end.span)
    last = arithmetic(run, end, use)
    if any(isinstance(part, Idx) for part in ir.walk(last)):
        text = (
            f"`{run.quote(end.span)}` counts here, and how long an array is cannot change with it"
        )
        raise error("N2C032", text, end.span, "write the whole, and where it is hidden a mask")
    total = ir.add(last, ir.Num(1 - start))
    if isinstance(last, ir.Num) and isinstance(last.value, int):
        return Size("", value=ir.Num(last.value + 1 - start))
    return total if isinstance(total, Size) else Size("", value=total)
