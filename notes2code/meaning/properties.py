"""Formulas that state a property instead of defining something."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Big, Frac, Group, Juxt, Name, Node, Script
from notes2code.meaning import powers, scripts
from notes2code.meaning.statements import Define
from notes2code.meaning.survey import Survey, walk


def remark(latex: str, defines: Sequence[Define], seen: Survey) -> Problem | None:
    """Why the only statement of a formula computes nothing, or None."""
    if len(defines) != 1:
        return None
    define = defines[0]
    if _is_complexity(define):
        return note("N2C038", "an order of growth is not computed", define.span)
    first = define.values[0]
    if define.target is None and len(define.values) > 1 and _is_operator(first):
        return note(
            "N2C038", "this says what a derivative or limit is; it defines nothing", define.span
        )
    names = [_called(node, seen) for node in (define.target or first, *define.values)]
    shared = names[0] & set().union(*names[1:]) if len(names) > 1 else set()
    if (define.target is not None and shared) or (
        define.target is None and len(names) > 2 and (names[0] & set().union(*names[2:]))
    ):
        return note(
            "N2C038",
            f"this states a property of `{sorted(shared or names[0])[0]}` and does not define it",
            define.span,
        )
    return None


def _is_complexity(define: Define) -> bool:
    """``O(n^2 d)``."""
    last = define.values[-1]
    return (
        isinstance(last, Juxt)
        and isinstance(last.factors[0], Name)
        and last.factors[0].text in ("O", "Theta", "Omega")
        and isinstance(last.factors[1], Group)
        and last.factors[1].open == "("
        and len(last.factors) == 2
    )


def _is_operator(node: Node) -> bool:
    """Whether a left-hand side is a derivative, a gradient or a limit."""
    head = node.factors[0] if isinstance(node, Juxt) else node
    if isinstance(head, Frac):
        return powers.is_derivative(head)
    if isinstance(head, Big):
        return head.op in ("lim", "int", "max", "min", "argmax", "argmin")
    base = head.base if isinstance(head, Script) else head
    return isinstance(base, Name) and base.text in ("nabla", "partial")


def _called(node: Node, seen: Survey) -> set[str]:
    """The names that are called in a node."""
    found: set[str] = set()
    for inner in walk(node):
        if isinstance(inner, Juxt):
            for at, factor in enumerate(inner.factors[:-1]):
                behind = inner.factors[at + 1]
                group = behind.base if isinstance(behind, Script) else behind
                if scripts.is_name(factor) and isinstance(group, Group) and group.open == "(":
                    found.add(seen.use(factor).name)
    return found
