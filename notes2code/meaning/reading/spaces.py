"""Spaces, and the axes that they tell: ``ℝ^{n×d}``, ``[0, 1]^n``, ``[B, T, d]``."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import pairwise

from notes2code.latex.tree import Frac, Group, Infix, Juxt, Name, Neg, Node, Num, Script, rebuilt
from notes2code.meaning.notation.scripts import is_name


def is_interval(node: Node | None) -> bool:
    """Whether a node is ``[0, 1]``, ``(-1, 1)``, ``\\{1, -1\\}`` or ``[0.6, 0.7]``, which are no
    sizes."""
    match node:
        case Group(_, (Num("0") | Neg(), _) | (_, Neg())):
            return True
        case Group(_, (Num(first), Num(last))):
            return "." in first + last
    return False


def _axes(node: Node) -> tuple[Node, ...]:
    node = _with_crosses(node)
    if isinstance(node, Infix) and node.op in ("×", "*"):
        # The P² × C of ℝ^{(P² × C) × D} is one axis.
        sides = (node.left, node.right)
        return tuple(x for side in sides for x in ((side,) if _is_total(side) else _axes(side)))
    if isinstance(node, Infix) and node.op == "·" and isinstance(node.left, Infix):
        # The × of n × h · d parts axes, and the last of them is h times d.
        axes = _axes(node.left)
        return (*axes[:-1], replace(node, left=axes[-1]))
    if isinstance(node, Script) and isinstance(node.sub, Infix) and node.sub.op == "×":
        # The brace of d_{model × d_k} closes too late.
        first = replace(node, sub=node.sub.left)
        return (*_axes(first), *_axes(node.sub.right))
    if isinstance(node, Frac) and len(axes := _axes(node.top)) > 1:
        # The × of n × d / h parts axes, and / belongs to the last of them.
        return (*axes[:-1], replace(node, top=axes[-1]))
    if isinstance(node, Group) and node.open in ("", "(") and len(node.items) > 1:
        return node.items
    if isinstance(node, Group) and node.open == "(" and len(node.items) == 1:
        return _axes(node.items[0])
    return (node,)


def _with_crosses(node: Node) -> Node:
    """``n × d`` for the ``n x d`` of a shape, where a letter stands between two sizes."""
    node = rebuilt(node, _with_crosses) if isinstance(node, Infix | Group | Juxt) else node
    match node:
        case Infix("+" | "-", _, Infix("×", first) as cross):  # the N of N+1 x D
            return replace(cross, left=_with_crosses(replace(node, right=first)))
        case Juxt(factors):
            places = [at for at, one in enumerate(factors) if _is_cross(one)]
            bounds = list(pairwise([-1, *places, len(factors)]))
            if places and all(end - start > 1 for start, end in bounds):
                runs = (factors[start + 1 : end] for start, end in bounds)
                sizes = (run[0] if len(run) == 1 else replace(node, factors=run) for run in runs)
                return reduce(lambda a, b: Infix("×", a, b, node.span, node.span), sizes)
    return node


def _is_cross(node: Node) -> bool:
    return isinstance(node, Name) and node.text in ("x", "X") and node.font != "bold"


def _is_total(node: Node) -> bool:
    """Whether parentheses hold a product with ``×``."""
    match node:
        case Group("(", (Infix("×" | "*"),)):
            return True
    return False


def shape_axes(node: Node | None) -> tuple[Node, ...] | None:
    """The axes of ``ℝ^{n×d}``, ``R^n``, ``[0, 1]^n``, ``[B, T, d]`` or ``ℝ``; None for anything
    else."""
    if isinstance(node, Name):
        return () if node.text == "R" else None
    if isinstance(node, Script) and isinstance(node.base, Name):
        if node.base.text not in ("R", "C", "Z", "N") or node.sub is not None:
            return None
        if node.base.text != "R" and node.base.font != "blackboard":
            return None
        return () if node.sup is None else _axes(node.sup)
    if isinstance(node, Script) and is_interval(node.base) and node.sup is not None:
        return _axes(node.sup)
    if isinstance(node, Juxt):
        spaces, last = node.factors[:-1], node.factors[-1]
        if isinstance(last, Group) and last.open == "[" and all(is_name(s) for s in spaces):
            return last.items
        return None
    if isinstance(node, Group) and node.open == "[" and not is_interval(node):
        return node.items
    return None


def is_space(node: Node | None) -> bool:
    """Whether a node is ``ℝ^{n×m}``, or a space of other numbers."""
    match node:
        case Script(Name("R" | "C" | "Z" | "N", font="blackboard"), None, above):
            return above is not None
    return False
