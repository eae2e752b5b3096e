"""Matrices, cases, fractions, accents and the other structures of LaTeX."""

from __future__ import annotations

from dataclasses import replace
from math import factorial
from typing import TYPE_CHECKING

from notes2code.diagnostics import Span, error
from notes2code.latex.mistyped import meant
from notes2code.latex.signs import ACCENTS, FRACTIONS
from notes2code.latex.stream import ALIGNMENTS
from notes2code.latex.tree import (
    Accent,
    Big,
    Frac,
    Group,
    Infix,
    Matrix,
    Name,
    Node,
    Num,
    Prose,
    Relation,
    Script,
)

if TYPE_CHECKING:
    from notes2code.latex.characters import Token
    from notes2code.latex.operands import Operands

_KNOWN = ALIGNMENTS | frozenset(
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix psmallmatrix bsmallmatrix array "
    "subarray darray cases dcases rcases drcases numcases".split()
)


def matrix(parser: Operands, start: Token) -> Node:
    """An environment of rows and cells, up to its ``\\end``."""
    which, name = start.text.split(" ", 1)
    if which == "end":
        raise error("N2C022", f"`\\end{{{name}}}` ends nothing", start.span, "remove it")
    if name.rstrip("*") not in _KNOWN:
        near = meant(name, _KNOWN)
        help = f"write `{near}` if that is meant" if near else "write it with one that is known"
        raise error("N2C021", f"the environment `{name}` is not known", start.span, help)
    rows: list[list[Node | None]] = [[]]
    while True:
        rows[-1].append(_cell(parser, start))
        token = parser.take()
        if token.kind == "row":
            rows.append([])
        elif token.kind == "env":
            break
    ended = token.text.split(" ", 1)[1]
    if ended != name:
        raise error(
            "N2C022",
            f"`\\begin{{{name}}}` is ended by `\\end{{{ended}}}`",
            token.span,
            f"write `\\end{{{name}}}`",
        )
    kept = tuple(tuple(row) for row in rows if any(cell is not None for cell in row))
    return Matrix(name, kept, parser.span_from(start))


def in_brackets(group: Group) -> Node:
    """``\\left[ \\begin{array} … \\end{array} \\right]`` is one matrix, as a ``bmatrix`` is, and
    values with conditions behind a brace that nothing closes are ``cases``; equations are none."""
    match group:
        case Group("(" | "[", (Matrix("array" | "matrix", rows),)):
            return Matrix("pmatrix" if group.open == "(" else "bmatrix", rows, group.span)
        case Group("cases", (Matrix(_, rows),)):
            parted = tuple(map(_condition_apart, rows))
            return (
                Matrix("cases", parted, group.span) if all(map(_has_condition, parted)) else group
            )
    return group


def _condition_apart(row: tuple[Node | None, ...]) -> tuple[Node | None, ...]:
    """The value and the condition of a row of ``aligned``, which has no cells."""
    match row:
        case (Group("", (value, Prose() | Relation() as first, *others)) as whole,):
            return value, replace(whole, items=(first, *others))
    return row


def _has_condition(row: tuple[Node | None, ...]) -> bool:
    """Whether more stands in a row than a value, and goes on no equation, as ``& = W x`` does."""
    goes_on = (isinstance(cell, Relation) and cell.operands[0] is None for cell in row)
    return len(row) > 1 and not any(goes_on)


def _cell(parser: Operands, start: Token) -> Node | None:
    """One cell: a node, several with prose and commas between them, or nothing."""
    first = parser.peek()
    items: list[Node] = []
    separators: list[str] = []
    depth, parser.depth = parser.depth, parser.depth + 1
    while (token := parser.peek()).kind not in ("amp", "row"):
        if token.kind == "env" and token.text.startswith("end"):
            break
        if token.kind == "end":
            name = start.text.split(" ", 1)[1]
            raise error(
                "N2C022",
                f"`\\begin{{{name}}}` is never ended",
                start.span,
                f"add `\\end{{{name}}}`",
            )
        if token.kind in ("sep", "quad", "stop"):
            parser.at += 1
            if items and token.kind == "sep":
                separators.append(token.text)
        elif token.kind in ("text", "quantifier"):
            parser.at += 1
            items.append(Prose(token.text, token.span))
        elif token.kind == "rel" or parser.starts_operand():
            items.append(parser.relation())
        else:
            raise parser.unexpected(token)
    parser.depth = depth
    if not items:
        return None
    if len(items) == 1:
        return items[0]
    return Group("", tuple(items), tuple(separators), parser.span_from(first))


def structure(parser: Operands, token: Token) -> Node:
    """A command that takes arguments: a fraction, an accent, a brace, …"""
    name = token.text
    if name in ACCENTS:
        base = _argument(parser, token)
        return _accented(_MARKS.get(name, name), base, parser.span_from(token))
    if name in FRACTIONS:
        top = _argument(parser, token)
        bottom = _argument(parser, token)
        return Frac(top, bottom, parser.span_from(token))
    if name == "binom":
        return _binomial(_argument(parser, token), _argument(parser, token), parser, token)
    if name in ("underbrace", "overbrace"):
        return _braced(parser, token)
    if name in ("underset", "overset", "stackrel"):
        return _stacked(parser, token)
    if name in ("boxed", "substack", "mathrel", "mathbin"):
        return _argument(parser, token)
    if name == "textcolor":
        _argument(parser, token)
        return _argument(parser, token)
    raise error(
        "N2C021",
        f"`\\{name}` cannot stand here",
        token.span,
        "notes2code does not read it as a part of a formula",
    )


def _binomial(top: Node, bottom: Node, parser: Operands, token: Token) -> Node:
    """How many pairs there are of n things, ``n (n - 1) / 2``, or how many triples."""
    span = parser.span_from(token)
    count = int(bottom.text) if isinstance(bottom, Num) and bottom.text.isdigit() else 0
    if not 0 < count <= _LARGEST_BINOMIAL:
        text = "a binomial coefficient of this number is not computed"
        raise error("N2C037", text, bottom.span, "write it as a quotient")
    product = top
    for less in range(1, count):
        rest = Infix("-", top, Num(str(less), span), span, span)
        product = Infix("·", product, Group("(", (rest,), (), span), span, span)
    return Frac(product, Num(str(factorial(count)), bottom.span), span)


_LARGEST_BINOMIAL = 4


def _accented(mark: str, base: Node, span: Span) -> Node:
    """An accent over a base. ``\\tilde{h_t}`` is the ``\\tilde{h}_t`` of those who set it over the
    scripts too, but the bar over ``x^2`` is a mean."""
    if isinstance(base, Script) and not isinstance(base.sup, Num):
        letter = _accented(mark, base.base, Span(span.start, base.base.span.end))
        return replace(base, base=letter, span=span)
    return Accent(mark, base, span)


_MARKS = {
    "widehat": "hat",
    "widetilde": "tilde",
    "overline": "bar",
    "overrightarrow": "vec",
    "overleftarrow": "back",
}


def _argument(parser: Operands, command: Token) -> Node:
    """One argument, in braces or a single sign."""
    if not parser.starts_operand() or parser.peek().kind == "op":
        raise error(
            "N2C024", f"`\\{command.text}` lacks an argument", command.span, "write it in braces"
        )
    parser.split_number()
    return parser.primary()


def _braced(parser: Operands, token: Token) -> Node:
    """A brace above or below: what it says is a remark."""
    body = _argument(parser, token)
    if parser.peek().kind in ("_", "^"):
        parser.script_argument(parser.take())
    return body


def _stacked(parser: Operands, token: Token) -> Node:
    """``\\underset{j}{\\max}`` has a body, and a mean or a variance has below it what it goes over;
    other things above or below are remarks."""
    remark = _argument(parser, token)
    if parser.peek().kind == "{" and parser.tokens[parser.at + 1].kind == "big":
        parser.at += 1
        sign = parser.take()
        if parser.take().kind != "}":
            raise parser.unexpected(parser.peek())
        return Big(sign.text, remark, None, parser.term(), parser.span_from(token))
    body = _argument(parser, token)
    if token.text == "underset" and isinstance(body, Name) and body.text in _OVER_AXES:
        return Script(body, remark, None, 0, parser.span_from(token))
    return body


_OVER_AXES = frozenset(["E", "Var", "var", "Std", "std"])
