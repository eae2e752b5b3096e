"""The dot for all, as statisticians write a row ``α_{i\\cdot}`` and a column ``α_{\\cdot j}``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.latex.characters import Token
from notes2code.latex.tree import Group, Name, Node, Stroke


def place_of_all(tokens: Sequence[Token]) -> Node | None:
    """The braces of ``{i\\cdot}`` and ``{\\cdot j}``, as those of ``{i,\\cdot}``; None for any
    others."""
    match tokens:
        case [Token("{"), Token("name") as letter, Token("op", "·") as dot, Token("}") as end]:
            items: tuple[Node, Node] = (_name(letter), Stroke(dot.text, dot.span))
        case [Token("{"), Token("op", "·") as dot, Token("name") as letter, Token("}") as end]:
            items = (Stroke(dot.text, dot.span), _name(letter))
        case _:
            return None
    return Group("", items, (",",), tokens[0].span.to(end.span))


def _name(token: Token) -> Name:
    return Name(token.text, token.span)
