"""Matrices of rows that a formula defines one by one: the Q and the K of ``softmax(Q K^⊤)`` beside
``q_i = W_Q x_i`` and ``k_j = W_K x_j``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Accent, Name, Node, Script, rebuilt
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define, Restated, Statement, rewritten


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with ``q k^⊤`` for ``Q K^⊤``, where the keys are turned and nothing else is:
    they are rows."""
    defines = [one for one in stated if isinstance(one, Define)]
    rows = {row: one for one in defines if (row := _row(one.target))}
    others = [one for one in defines if one not in rows.values()]
    used = {id(one): [n for v in one.values for n in scripts.whole_names(v)] for one in defines}
    wanted = {_row_of(node): node for one in others for node in used[id(one)]}
    wanted = {row: node for row, node in wanted.items() if row in rows}
    capitals = {names.label(_matrix(node)) for node in wanted.values()}
    known = {names.label(one.target) for one in defines if one.target is not None}
    known |= {names.label(n) for one in rows.values() for n in used[id(one)]}
    whole = [node for one in others for node in used[id(one)] if _row_of(node) in wanted]
    if not wanted or known & capitals or not _are_rows(whole):
        return tuple(stated), ()

    def written(node: Node) -> Node:
        if not scripts.is_name(node):
            return rebuilt(node, written)
        return _in_small(node) if _row_of(node) in wanted else node

    changed = rewritten(stated, lambda one: written if one in others else lambda node: node)
    return changed, [_told(row, node) for row, node in wanted.items()]


def _are_rows(whole: Sequence[Node]) -> bool:
    """Whether all keys are turned, and stand behind the queries, as in ``Q K^⊤``; in ``K^⊤ Q`` each
    is a column."""
    turned = all(_turned(node) == (binders.bare(node) == "K") for node in whole)
    first = {binders.bare(node): node.span.start for node in reversed(whole)}
    return turned and first.get("Q", 0) < first.get("K", 1 + first.get("Q", 0))


def _row(target: Node | None) -> str:
    """The q of a target ``q_i``, with its accent; "" for any other."""
    match target:
        case Script(Name() | Accent() as base, Name(letter), None, 0):
            if letter in names.INDEX_LETTERS and binders.bare(base) in ("q", "k", "v"):
                return names.label(base)
    return ""


def _row_of(node: Node) -> str:
    """The q whose values are the rows of Q, or of Q^⊤, with its accent; "" for any other name."""
    if binders.bare(node) not in ("Q", "K", "V"):
        return ""
    label = names.label(_matrix(node))
    return label[0].lower() + label[1:]


def _matrix(node: Node) -> Node:
    return replace(node, sup=None) if _turned(node) and isinstance(node, Script) else node


def _turned(node: Node) -> bool:
    return scripts.is_transposed(node)


def _in_small(node: Node) -> Node:
    """A name with a small letter."""
    match node:
        case Name(text):
            return replace(node, text=text.lower())
        case Script(base) | Accent(_, base):
            return replace(node, base=_in_small(base))
    return node


def _told(row: str, node: Node) -> Problem:
    text = f"`{names.label(_matrix(node))}` is taken to have the values of `{row}` as its rows"
    return note("N2C039", text, node.span)
