"""Rotations of the planes of a vector, each by an angle of its own, as people write them: the
``R_{\\theta_i, m}`` and ``R(m \\theta_i)`` that stand on the diagonal of a rotary embedding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from notes2code.latex.tree import (
    Group,
    Juxt,
    Name,
    Node,
    Relation,
    Script,
    children,
    rebuilt,
    ungrouped,
    walk,
    words_in,
)
from notes2code.meaning import names

ANGLE = "phi"
"""The parameter of a rotation that is defined at an angle."""


def numbered(node: Script) -> Node | None:
    """``R_{\\theta, i, m}`` for ``R_{\\theta_i, m}``, whose angle says only which plane is
    turned."""
    match node:
        case Script(Name(base), sub) if len(base) == 1 and base.isupper() and sub is not None:
            items = sub.items if isinstance(sub, Group) and not sub.open else (sub,)
            pieces = tuple(piece for item in items for piece in _label_and_number(item))
            if len(pieces) > len(items):
                return replace(node, sub=Group("", pieces, (",",) * (len(pieces) - 1), sub.span))
    return None


def _label_and_number(node: Node) -> tuple[Node, ...]:
    """The θ and the i of ``θ_i``, and the θ, m and i of ``m θ_i``."""
    match node:
        case Script(Name(label) as angle, number, None, 0) if label in names.GREEK and number:
            return angle, number
        case Juxt((Name() as place, Script(Name(label) as angle, number, None, 0))):
            if label in names.GREEK and number:
                return angle, place, number
    return (node,)


def of_angle(node: Relation) -> Node | None:
    """``R(φ) = M(φ)`` for ``R(m θ_i) = M(m θ_i)``, if M has the m and the θ_i nowhere else."""
    match node.operands[0] if node.signs[0] == "=" else None:
        case Juxt((function, Group("(", (Juxt() as angle,)) as group), whole) if _has_number(angle):
            phi = Name(ANGLE, angle.span)
            values = tuple(v and _put(v, angle, phi) for v in node.operands[1:])
            inside = {n.text for v in values if v for n in walk(v) if isinstance(n, Name)}
            if inside.isdisjoint(words_in(angle)):
                target = Juxt((function, replace(group, items=(phi,))), whole)
                return replace(node, operands=(target, *values))
    return None


def _has_number(angle: Juxt) -> bool:
    return any(isinstance(factor, Script) and factor.sub is not None for factor in angle.factors)


def _put(node: Node, angle: Node, phi: Name) -> Node:
    if _written(ungrouped(node)) == _written(angle):
        return phi
    return rebuilt(node, lambda inner: _put(inner, angle, phi))


def _written(node: Node) -> tuple[object, ...]:
    """What a node is made of, wherever it stands."""
    return tuple(_parts(node))


def _parts(node: Node) -> Iterator[object]:
    yield type(node)
    yield getattr(node, "text", None)
    for child in children(node):
        yield from _parts(child)
    yield None
