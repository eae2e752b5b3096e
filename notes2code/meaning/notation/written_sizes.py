"""Sizes as they are written: the names in ``d/h``, what ``d_h = E / h`` is made of, and the
``d_model`` of a declared shape."""

from __future__ import annotations

from notes2code.latex.tree import Frac, Group, Infix, Juxt, Name, Node, Num, Script, walk
from notes2code.meaning import names
from notes2code.meaning.notation import script_reader, scripts
from notes2code.meaning.stated import Define


def size_names(node: Node | None) -> set[str]:
    """The names in an upper bound or an axis, such as ``d`` and ``h`` in ``d/h``."""
    if node is None:
        return set()
    found: set[str] = set()
    for inner in walk(node) if not scripts.is_name(node) else (node,):
        if scripts.is_name(inner):
            found.add(_size_name(inner))
    return found


def _size_name(node: Node) -> str:
    """The name of a size; the ``d_{l-1}`` and the ``d_{l+1}`` beside ``d_l`` are others."""
    match node:
        case Script(Name(base), Infix("+", left, right)):
            return names.code_name(base, names.label(left), "plus", names.label(right))
        case Script(Name(), Infix()):
            return names.code_name(names.label(node))
    return script_reader.unindexed(node)


def parts_of_size(define: Define) -> set[str]:
    """The E and h of ``d_h = E / h``, and the h of ``d_{model} = h d_k``, which count as what they
    give does."""
    match define.target, define.values:
        case Script(Name("d"), Name(label)), (share,) if _is_share(share):
            if len(label) == 1 and label not in names.LABELS:
                return set()
            return size_names(share)
    return set()


def _is_share(node: Node) -> bool:
    """Whether a value is a product or a quotient of two names."""
    match node:
        case Frac(left, right) | Infix("·" | "×" | "*", left, right) | Juxt((left, right)):
            return scripts.is_name(left) and scripts.is_name(right)
    return False


def size_expression(node: Node) -> str:
    """The size that an axis of a declared shape names, such as ``d_model`` or ``d/h``."""
    match node:
        case Num(text):
            return text
        case Infix(op, left, right) if op in "+-·×*":
            sign = {"·": "*", "×": "*"}.get(op, op)
            return f"{size_expression(left)}{sign}{size_expression(right)}"
        case Juxt(factors):
            return "*".join(size_expression(factor) for factor in factors)
        case Frac(top, bottom):
            return f"{size_expression(top)}/{size_expression(bottom)}"
        case Group(_, (item,)):
            return f"({size_expression(item)})"
        case Script(Name() as base, None, Num("2")):
            side = size_expression(base)
            return f"{side}*{side}"
        case _ if scripts.is_name(node):
            return _size_name(node)
        case _:
            return names.code_name(names.label(node))
