"""What the pieces of one letter are made of: those of ``[Q_1, …, Q_h] = Q`` beside ``Q = X W`` are
pieces of ``X W``. Formulas name both by one letter, so each is defined by what the other is."""

from __future__ import annotations

from collections.abc import Mapping

from notes2code.latex.quoting import quoted
from notes2code.latex.tree import Group, Node, Relation, alike
from notes2code.meaning import names
from notes2code.meaning.linking.entries import Entry, Parsed, Supplied
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import is_name
from notes2code.meaning.reading import pieces
from notes2code.meaning.stated import Define, Statement

_TOLD = "the `%s` of each head is taken to be a part of the `%s` that the note defines"


def pieces_made(parsed: Mapping[Entry, Parsed]) -> dict[Entry, Supplied]:
    """Definitions of pieces by what their notes say that the whole is, where one formula does."""
    found: dict[Entry, Supplied] = {}
    for entry, one in parsed.items():
        for statement in one.stated:
            listed, whole = _listed(entry, statement)
            values = [] if whole is None else _values(parsed, entry.note, whole, statement)
            if whole is not None and len(values) == 1:
                made = Entry(f"{listed} = {values[0]}", entry.note, entry.section, entry.order)
                found[made] = Supplied(_name(whole), _TOLD % (_name(whole), _name(whole)))
    return found


def cut_of_themselves(one: Parsed) -> frozenset[str]:
    """What a formula cuts into pieces of one letter with it."""
    return frozenset(_name(whole) for whole in map(_whole, one.stated) if whole is not None)


def _listed(entry: Entry, statement: Statement) -> tuple[str, Node | None]:
    """The list of pieces that a statement has, as its formula writes it, and the whole that it cuts
    into them: the Q of ``[Q_1, …, Q_h] = Q`` and of ``Q = [Q_1, …, Q_h]``."""
    match statement:
        case Define(target, (Group(span=span) as group,)) if target is not None:
            turned = pieces.listed(Relation((group, target), ("=",), (span,), span))
            return quoted(entry.latex, span), _whole(turned[0]) if turned else None
    whole = _whole(statement)
    if whole is None:
        return "", None
    return entry.latex[statement.span.start : whole.span.start].rpartition("=")[0], whole


def _whole(statement: Statement) -> Node | None:
    """The Q of ``Q_i = split_i(Q)``, of one letter with its pieces."""
    match pieces.cut(statement):
        case piece, whole if is_name(whole) and _name(piece) == _name(whole):
            return whole
    return None


def are_pieces(one: Parsed, name: str) -> bool:
    """Whether what a formula defines by a name are pieces of something."""
    return any(
        found is not None and _name(found[0]) == name for found in map(pieces.cut, one.stated)
    )


def _name(node: Node) -> str:
    return names.code_name(binders.bare(node))


def _values(parsed: Mapping[Entry, Parsed], note: str, whole: Node, cut: Statement) -> list[str]:
    """What the formulas of a note say that something is, as they write it, but for the one that
    cuts it."""
    return [
        quoted(entry.latex, statement.values[0].span)
        for entry, one in parsed.items()
        if entry.note == note
        for statement in one.stated
        if isinstance(statement, Define) and statement is not cut and not statement.conditions
        if statement.target is not None and alike(statement.target, whole)
    ]
