"""Index arithmetic: ``s_{i-1}``, ``b_{i-j}``, ``x_{2i+1}``, ``K_{≤i}`` as places in an array."""

from __future__ import annotations

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Name, Node, Num, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.indices import grouped
from notes2code.meaning.inference.indices.index_arithmetic import (
    arithmetic,
    half_of,
    not_understood,
)
from notes2code.meaning.inference.indices.index_ranges import open_range
from notes2code.meaning.inference.indices.relative_places import place_of_difference
from notes2code.meaning.inference.indices.shifted_places import counted_place, shifted_place
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.values import fresh
from notes2code.meaning.ir import Expr, Idx, Index, Size
from notes2code.meaning.notation import positions, scripts
from notes2code.meaning.notation.scripts import At, Use


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
        return open_range(run, at, size, use)
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
    if (inside := counted_place(run, at, size, use)) is not None:
        return inside
    if (shifted := shifted_place(run, at, size, use)) is not None:
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
        return place_of_difference(run, expr, letters, size, use)
    if not letters:
        return expr
    raise not_understood(run, at.node)


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


def place(run: Run, at: At, size: Size, use: Use) -> Expr:
    """A single place along an axis, from 0."""
    found = position(run, at, size, use)
    if isinstance(found, Index):
        raise not_understood(run, at.node)
    return found


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
        run.unify(ir.as_size(length), size, use.span)
        return ir.add(ir.mul(ir.Num(scale), Idx(index)), ir.Num(first))
    raise error(
        "N2C032",
        f"the range of `{use.name}` cannot be told from the index `{run.quote(use.span)}`",
        use.span,
    )


def _affine(expr: Expr) -> tuple[int | None, int]:
    """The a and b of a·i + b, if the expression is so."""
    scale, offset = 0, 0
    for term in ir.terms(expr):
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
