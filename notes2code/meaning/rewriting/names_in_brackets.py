"""Names in brackets or parentheses of their own, with their indices outside: ``[A]_{ij}`` is
``A_{ij}``."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import Change, Formula, Group, Juxt, Name, Node, Script, words_in
from notes2code.meaning import names
from notes2code.meaning.notation.scripts import is_name


def without(formula: Formula) -> Change | None:
    """The name alone; behind another name, ``f(x)_i``, it may be what that is given."""
    if not any(map(_of_element, formula.of(Script))):
        return None
    pairs = (pair for juxt in formula.of(Juxt) for pair in pairwise(juxt.factors))
    given = {behind.span for before, behind in pairs if is_name(before)}
    return lambda node: None if node.span in given else _of_element(node)


def _of_element(node: Script) -> Node | None:
    """``A_{ij}`` for ``[A]_{ij}``, where letters that count stand below and nothing else."""
    match node:
        case Script(Group("(" | "[", (Name() as name,)), below, None, 0) if below is not None:
            letters = words_in(below)
            if letters and letters <= names.INDEX_LETTERS:
                return replace(node, base=name)
    return None
