"""Members of what another statement defines for all numbers: the ``h_1`` and ``h_2`` beside
``h_i = W_i x``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import note
from notes2code.latex.tree import Dots, Node
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Defined, Run
from notes2code.meaning.inference.values import Value, fresh
from notes2code.meaning.ir import Expr, Idx, Index, Ref, Size
from notes2code.meaning.notation.scripts import Use


def member(run: Run, use: Use) -> Value | None:
    """One of ``h_1`` and ``h_2``, where there are as many as the formula names, counted from 1;
    None where the formula names one alone, as the h_0 that a recursion begins with."""
    family, number, many = _family(run, use)
    return None if family is None else _element(run, family, ir.Num(number - 1), many, use)


def all_of(run: Run, items: Sequence[Node]) -> tuple[Index, Value] | None:
    """The index and the element of a family, where a list names all its members in order."""
    uses = [use for item in items if (use := run.seen.understood(item)) is not None]
    found = [_family(run, use) for use in uses]
    if not found or len(found) < len(items):
        return None
    family, _, many = found[0]
    if family is None or found != [(family, at, many) for at in range(1, many + 1)]:
        return None
    index = Index("", Size("", value=ir.Num(many)))
    return index, _element(run, family, Idx(index), many, uses[0])


def _family(run: Run, use: Use) -> tuple[Defined | None, int, int]:
    """What a name such as ``h_2`` is a member of, its number, and how many members there are."""
    stem, _, number = use.name.rpartition("_")
    family = run.defined.get(stem)
    if family is None or use.indices or not number.isdigit() or family.indexed != 1:
        return None, 0, 0
    if use.name in run.defined or use.name in run.shapes or run.seen.nodes.of(Dots):
        return None, 0, 0
    labels = (name.removeprefix(f"{stem}_") for name in run.seen.counted)
    named = sorted(int(label) for label in labels if label.isdigit())
    if named != [*range(1, len(named) + 1)] or len(named) < 2:
        if int(number):  # the h_0 is what a recursion begins with
            text = f"`{run.quote(use.span)}` is taken to be none of those that are defined by index"
            run.problems.append(note("N2C039", text, use.span))
        return None, 0, 0
    return family, int(number), len(named)


def _element(run: Run, family: Defined, place: Expr, many: int, use: Use) -> Value:
    first, *rest = family.array.indices
    run.unify(first.size, Size("", value=ir.Num(many)), use.span)
    axes = tuple(fresh(index.size) for index in rest)
    return Value(Ref(family.name, (place, *map(Idx, axes))), axes, use.span)
