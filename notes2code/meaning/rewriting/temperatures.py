"""Probabilities at a temperature, the ``p_i^T`` and ``q_i^T`` of ``Σ_i p_i^T \\log q_i^T``: this T
says at which one they are, and transposes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import (
    Apply,
    Change,
    Formula,
    Frac,
    Name,
    Node,
    Relation,
    Script,
    ungrouped,
    walk,
)


def below(formula: Formula) -> Change | None:
    """The T below the names, ``{p_T}_i``, where it stands above what a logarithm is taken of and
    above another factor, or above what is defined by a division by T."""
    heated = [node for node in formula.of(Script) if _letter(node)]
    logs = [one for node in formula.of(Apply) for one in _taken(node)]
    weighed = 0 < len(logs) < len(heated)
    if not weighed and not any(map(_is_defined, formula.of(Relation))):
        return None

    def labelled(node: Script) -> Node | None:
        if not _letter(node) or node.sup is None:
            return None
        return Script(Script(node.base, node.sup, None, 0, node.span), node.sub, None, 0, node.span)

    return labelled


def _letter(node: Node | None) -> str:
    """The p of ``p_i^T``; "" of anything else."""
    match node:
        case Script(Name(letter, _, ""), Name(), Name("T"), 0) if letter.islower():
            return letter
    return ""


def _taken(log: Apply) -> Iterator[Node]:
    """The ``q_i^T`` that a logarithm is taken of, and those of a ratio."""
    match log:
        case Apply(Name("log" | "ln"), argument):
            body = ungrouped(argument)
            parts = (body.top, body.bottom) if isinstance(body, Frac) else (body,)
            yield from (part for part in map(ungrouped, parts) if _letter(part))


def _is_defined(node: Relation) -> bool:
    """Whether ``p_i^T = e^{z_i/T} / …`` says itself what T is."""
    left, *values = node.operands
    divided = (part for value in values if value is not None for part in walk(value))
    return bool(_letter(left)) and any(
        isinstance(part, Frac) and _is_temperature(ungrouped(part.bottom)) for part in divided
    )


def _is_temperature(node: Node) -> bool:
    return isinstance(node, Name) and node.text == "T"
