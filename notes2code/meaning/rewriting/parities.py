"""Cases that tell even and odd elements apart: two definitions, written as one."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.latex.joining import EVEN, IF, ODD
from notes2code.latex.tree import (
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Node,
    Num,
    Prose,
    Relation,
    juxtaposed,
    put,
    words_in,
)
from notes2code.meaning.notation import positions
from notes2code.meaning.stated import Define, Restated, Statement

_JOINS = IF | frozenset(["is", "be", "es", ""])


def apart(stated: Sequence[Statement]) -> Restated:
    """The statements with two for each such."""
    return tuple(part for one in stated for part in _apart(one)), ()


def _apart(statement: Statement) -> tuple[Statement, ...]:
    """``p_i = …`` by cases ``i = 2k`` and ``i = 2k + 1``, or ``i`` even and odd: a definition of
    ``p_{2k}`` and one of ``p_{2k+1}``. Any other statement is left alone."""
    if not isinstance(statement, Define) or statement.target is None:
        return (statement,)
    values = [inner for value in statement.values for inner in _parts(value)]
    matrix = next((value for value in values if isinstance(value, Matrix)), None)
    rows = [_read(row) for row in matrix.rows] if matrix is not None else []
    if len(rows) != 2 or None in rows:
        return (statement,)
    told = [row for row in rows if row is not None]
    letter = told[0][1]
    inside = words_in(statement.target)
    if letter != told[1][1] or letter not in inside or {row[3] for row in told} != {0, 1}:
        return (statement,)
    out: list[Statement] = []
    for value, _, counter, offset in told:
        place = _place(counter or _free(statement, letter), offset, statement.target)
        target = put(statement.target, letter, place)
        out.append(Define(target, (put(value, letter, place),), statement.span))
    return tuple(out)


def _read(row: tuple[Node | None, ...]) -> tuple[Node, str, str, int] | None:
    """A row: its value, the letter that it tells of, what counts the elements ("" where it is not
    said), and 0 for the even ones, 1 for the odd."""
    parts = [part for cell in row if cell is not None for part in _parts(cell)]
    if not parts:
        return None
    value, behind = parts[0], parts[1:]
    words = [word for part in behind if isinstance(part, Prose) for word in part.text.split()]
    named = [part for part in behind if not isinstance(part, Prose)]
    factors = [factor for node in named for factor in juxtaposed(node)]
    words += [n.text for n in factors if isinstance(n, Name) and _is_parity(n)]
    said = [n for n in factors if not _is_parity(n)]
    plain = [_bare(word) for word in words]
    parity = [word for word in plain if word in EVEN | ODD]
    if len(said) != 1 or not all(word in _JOINS | {*parity} for word in plain):
        return None
    match said[0]:
        case Relation((Name(letter), last), ("=",)) if not parity and last is not None:
            found = positions.stride(last)
            return (value, letter, *found) if found is not None and found[1] in (0, 1) else None
        case Name(letter) if len(parity) == 1:
            return value, letter, "", int(parity[0] in ODD)
    return None


def _is_parity(node: Node) -> bool:
    return isinstance(node, Name) and _bare(node.text) in EVEN | ODD


def _bare(word: str) -> str:
    return word.strip(",.:").lower().removeprefix("是").removeprefix("为")


def _parts(cell: Node) -> tuple[Node, ...]:
    return cell.items if isinstance(cell, Group) and cell.open in ("", "{", "cases") else (cell,)


def _place(counter: str, offset: int, where: Node) -> Node:
    """``2k`` or ``2k + 1``."""
    even = Juxt((Num("2", where.span), Name(counter, where.span)), where.span)
    if not offset:
        return even
    return Infix("+", even, Num("1", where.span), where.span, where.span)


def _free(statement: Define, letter: str) -> str:
    """An index letter that a statement does not use."""
    used = words_in(*statement.values)
    return next(x for x in ("k", "j", "l", "m", "r", "s", letter) if x not in used or x == letter)
