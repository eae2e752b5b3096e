"""Definitions of complex numbers as those of their two parts: ``z_j = w_j e^{i m θ_j}``, where
z_j stands for the pair z_{2j} and z_{2j+1}, and the same with the parts written out. What is turned
and written out, ``(x \\cos φ - y \\sin φ) + i (x \\sin φ + y \\cos φ)``, is a column of the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import (
    Apply,
    Big,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Node,
    Num,
    Script,
    walk,
    words_in,
)
from notes2code.meaning.notation import roots, scripts
from notes2code.meaning.stated import Define, Restated, Statement

Pair = tuple[Node, Node]
"""The real and the imaginary part."""


def apart(stated: Sequence[Statement]) -> Restated:
    """The statements with a definition for the real and one for the imaginary part of each number
    that is turned, and remarks on them."""
    out: list[Statement] = []
    remarks: list[Problem] = []
    for statement in stated:
        if isinstance(statement, Define) and (column := _column(statement.values[-1])):
            out.append(replace(statement, values=(*statement.values[:-1], column)))
            text = "this complex number is taken to be its real part and, below, its imaginary part"
            remarks.append(note("N2C039", text, column.span))
            continue
        parts = _parts(statement) if isinstance(statement, Define) else None
        out.extend(parts or [statement])
        if parts:
            text = "each number that is turned is taken to be two neighbours, its two parts"
            remarks.append(note("N2C039", text, statement.span))
    return tuple(out), remarks


def _column(value: Node) -> Matrix | None:
    """The two parts of ``(…) + i (…)`` below each other, where both are made of sines and
    cosines."""
    match value:
        case Infix("+", real, Juxt((Name("i"), imaginary)) | Juxt((imaginary, Name("i")))):
            if _is_turned(real) and _is_turned(imaginary):
                return Matrix("pmatrix", ((real,), (imaginary,)), value.span)
    return None


def _is_turned(node: Node) -> bool:
    return {"cos", "sin"} <= words_in(node)


def _parts(define: Define) -> list[Define] | None:
    target, value = define.target, define.values[-1]
    if len(define.values) != (2 if target is None else 1) or not isinstance(value, Juxt):
        return None
    angle = roots.angle_of(value.factors[1]) if len(value.factors) == 2 else None
    if angle is None or any(map(_counts_with_i, walk(value))):
        return None
    left = _written_out(define.values[0]) if target is None else _numbered(target, angle)
    right = _written_out(value.factors[0]) or _numbered(value.factors[0], angle)
    if left is None or right is None:
        return None
    cos, sin = (_function(name, angle) for name in ("cos", "sin"))
    (real, imaginary), span = right, value.span

    def times(one: Node, other: Node) -> Node:
        return Juxt((one, other), span)

    values = (
        Infix("-", times(real, cos), times(imaginary, sin), span, span),
        Infix("+", times(real, sin), times(imaginary, cos), span, span),
    )
    pairs = zip(left, values, strict=True)
    return [Define(one, (its,), define.span, define.conditions) for one, its in pairs]


def _counts_with_i(node: Node) -> bool:
    """Whether i counts here, and is not the root of −1."""
    sub = node.sub if isinstance(node, Script | Big) else None
    return sub is not None and any(isinstance(n, Name) and n.text == "i" for n in walk(sub))


def _written_out(node: Node) -> Pair | None:
    """The parts of ``x_{2j} + i x_{2j+1}``."""
    match node:
        case Group("(", (inner,)):
            return _written_out(inner)
        case Infix("+", real, Juxt((Name("i"), imaginary)) | Juxt((imaginary, Name("i")))):
            if scripts.is_name(real) and scripts.is_name(imaginary):
                return real, imaginary
    return None


def _numbered(node: Node, angle: Node) -> Pair | None:
    """The elements 2j and 2j+1 for ``z_j``, where the angle has the index j too."""
    if isinstance(node, Juxt) and len(node.factors) == 2 and isinstance(node.factors[1], Group):
        inner = _numbered(node.factors[0], angle)
        behind = node.factors[1]
        return inner and (Juxt((inner[0], behind), node.span), Juxt((inner[1], behind), node.span))
    if not isinstance(node, Script) or not isinstance(node.sub, Name) or not scripts.is_name(node):
        return None
    letter = node.sub
    same = (n.sub for n in walk(angle) if isinstance(n, Script))
    if not any(isinstance(sub, Name) and sub.text == letter.text for sub in same):
        return None
    even: Node = Juxt((Num("2", letter.span), letter), letter.span)
    odd = Infix("+", even, Num("1", letter.span), letter.span, letter.span)
    return replace(node, sub=even), replace(node, sub=odd)


def _function(name: str, angle: Node) -> Node:
    return Apply(Name(name, angle.span), Group("(", (angle,), (), angle.span), angle.span)
