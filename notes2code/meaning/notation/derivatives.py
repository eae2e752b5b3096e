"""Derivatives, gradients and limits: what an equation may say of them, and nobody computes."""

from __future__ import annotations

from notes2code.latex.tree import Big, Frac, Juxt, Name, Node, Script, unscripted


def is_operator(node: Node) -> bool:
    """Whether one side of an equation is a derivative, a gradient, a limit or an integral."""
    head = node.factors[0] if isinstance(node, Juxt) else node
    if isinstance(head, Frac):
        return is_derivative(head)
    if isinstance(head, Big):
        return head.op in ("lim", "int")
    base = unscripted(head)
    return isinstance(base, Name) and base.text in ("nabla", "partial")


def is_derivative(node: Frac) -> bool:
    """``dx/dt`` and ``∂L/∂w``: a fraction of differentials."""
    return _differential(node.bottom) and (_differential(node.top) or _is_letter(node.top, "d"))


def _differential(node: Node) -> bool:
    if isinstance(node, Juxt):
        return (_is_letter(node.factors[0], "d") and len(node.factors) == 2) or any(
            _is_letter(f, "partial") for f in node.factors[:1]
        )
    return _is_letter(node, "partial")


def _is_letter(node: Node, text: str) -> bool:
    return (isinstance(node, Name) and node.text == text) or (
        isinstance(node, Script) and _is_letter(node.base, text) and text == "partial"
    )
