"""States of which a chain says both what a step makes and what comes out: ``S_t = Σ_{i≤t} k_i
v_i^⊤ = S_{t-1} + k_t v_t^⊤``. The sum is what is defined; it steps in nothing."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Big, Node, walk, words_in
from notes2code.meaning.notation import binders, recursions
from notes2code.meaning.stated import Define, Statement


def without_step(statement: Statement) -> Statement:
    """The statement without the sides that make a state of another, if a side is a sum that does
    not."""
    if not isinstance(statement, Define) or len(statement.values) < 2:
        return statement
    if recursions.step_letter(statement) is None or statement.target is None:
        return statement
    state = binders.bare(statement.target)
    closed = tuple(value for value in statement.values if state not in words_in(value))
    return replace(statement, values=closed) if any(map(_adds_up, closed)) else statement


def _adds_up(value: Node) -> bool:
    return any(isinstance(node, Big) for node in walk(value))
