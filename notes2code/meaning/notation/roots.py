"""The root of −1: ``e^{i m θ}`` is a turn by m θ, and ``x + iy`` a number with two parts."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import (
    PARENTHESES,
    Apply,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Script,
    alike,
    walk,
)


def angle_of(node: Node) -> Node | None:
    """The φ of ``e^{iφ}``, which is a product of angles and of places or their difference; an angle
    to which others are added belongs to a number that is written by its length and its angle."""
    match node:
        case Script(Name("e"), None, sup) if sup is not None:
            found = _without_root(sup)
            return None if found is None or any(map(_adds, walk(found))) else found
    return None


def _adds(node: Node) -> bool:
    """Whether a node is a sum of other things than two places."""
    if not isinstance(node, Infix) or node.op not in "+-":
        return False
    sides = (node.left, node.right)
    return not all(isinstance(s, Name) and len(s.text) == 1 for s in sides)


def _without_root(exponent: Node) -> Node | None:
    match exponent:
        case Group(opened, (inner,)) if opened in PARENTHESES:
            return _without_root(inner)
        case Neg(body):
            inner_angle = _without_root(body)
            return None if inner_angle is None else Neg(inner_angle, exponent.span)
        case Juxt(factors):
            rest = tuple(factor for factor in factors if not _is_root(factor))
            if len(rest) == len(factors) - 1:
                return rest[0] if len(rest) == 1 else Juxt(rest, exponent.span)
    return None


def _is_root(node: Node) -> bool:
    return isinstance(node, Name) and node.text == "i"


def parts(nodes: Nodes) -> Iterator[str]:
    """The x and the y of ``x + iy``, which are numbers where i counts nothing."""
    for node in nodes.of(Infix):
        match node:
            case Infix("+" | "-", Name(real), Juxt((Name("i"), Name(other)))) | Infix(
                "+" | "-", Name(real), Juxt((Name(other), Name("i")))
            ):
                yield from (real, other)


_ANGLES = frozenset("theta vartheta Theta phi varphi psi omega pi".split())
"""Letters of angles."""


def beside_angle(exponent: Node) -> Node | None:
    """The i that is a factor of an exponent beside an angle, as in ``i m θ_i`` or ``2πi k/n``."""
    factors = list(_factors(exponent))
    angles = (name for factor in factors for name in walk(factor) if isinstance(name, Name))
    if not any(name.text in _ANGLES for name in angles):
        return None
    return next(filter(_is_root, factors), None)


def of_euler(real: Node, imaginary: Node) -> Name | None:
    """The i or the j of ``\\cos φ + i \\sin φ``, of one angle."""
    rest = tuple(_multiplied(imaginary))
    for at, unit in enumerate(rest):
        if isinstance(unit, Name) and unit.text in ("i", "j"):
            angle = _angle("cos", tuple(_multiplied(real)))
            same = _angle("sin", rest[:at] + rest[at + 1 :])
            return unit if angle is not None and alike(angle, same) else None
    return None


def _multiplied(node: Node) -> Iterator[Node]:
    """The factors of a product, with each function next to its argument."""
    match node:
        case Juxt(factors):
            yield from factors
        case Infix("·" | "×" | "*", left, right):
            yield from (*_multiplied(left), *_multiplied(right))
        case _:
            yield node


def _angle(function: str, nodes: tuple[Node, ...]) -> Node | None:
    """What some factors take the cosine or the sine of, where they do nothing else."""
    match nodes:
        case (Apply(Name(name), argument),) | (Name(name), argument) if name == function:
            return argument
    return None


def _factors(node: Node) -> Iterator[Node]:
    """What is multiplied and divided in a node."""
    match node:
        case Neg(inner):
            yield from _factors(inner)
        case Group(opened, (inner,)) if opened in PARENTHESES:
            yield from _factors(inner)
        case Juxt(factors):
            yield from (inner for factor in factors for inner in _factors(factor))
        case Frac(left, right) | Infix("·" | "×" | "*", left, right):
            yield from (*_factors(left), *_factors(right))
        case _:
            yield node
