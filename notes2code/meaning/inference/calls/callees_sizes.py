"""The sizes of a function that is called, as those of the formula that calls it."""

from __future__ import annotations

from notes2code.meaning import ir
from notes2code.meaning.inference.run import find
from notes2code.meaning.ir import Expr, Size


def instance(size: Expr, sizes: dict[Size, Size]) -> Size:
    """A copy of a callee's size, the same for all its occurrences in one call."""
    if isinstance(size, Size):
        if size not in sizes:
            sizes[size] = Size(size.name, 0, size.kind)
            if size.value is not None:
                sizes[size].value = _copied(size.value, sizes)
        return find(sizes[size])
    return Size("", value=_copied(size, sizes))


def _copied(expr: Expr, sizes: dict[Size, Size]) -> Expr:
    if isinstance(expr, Size):
        return instance(expr, sizes)
    return ir.rebuild(expr, lambda child: _copied(child, sizes))
