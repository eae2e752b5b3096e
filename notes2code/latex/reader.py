"""Reading tokens one after another, and the errors for what cannot stand where it stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Set

from notes2code.diagnostics import Problem, Span, error, warning
from notes2code.latex import stream
from notes2code.latex.characters import Token
from notes2code.latex.tokens import Tokens
from notes2code.latex.tree import Node

OPERANDS = frozenset(
    {"name", "word", "num", "open", "{", "big", "fn", "cmd", "env", "blackboard", "font", "dots"}
)
"""The kinds of tokens that can begin an operand."""


class TokenReader(ABC):
    """The tokens of one formula and the place in them."""

    def __init__(self, source: Tokens, apart: Set[str] = frozenset()) -> None:
        self.latex = source.latex
        self.apart = apart
        self.problems: list[Problem] = source.problems
        self.tokens = stream.prepare(source.tokens, source.known, self.problems)
        self.at = 0
        self.depth = 0
        self.in_script = False
        self.bars: list[str] = []
        if source.lefts:
            place = Span(source.lefts[-1], source.lefts[-1] + 5)
            self.problems.append(
                warning(
                    "N2C023", "`\\left` has no `\\right`", place, "remove it, or add the `\\right`"
                )
            )

    def font(self, letter: str, font: str) -> str:
        """The font of a letter, where it tells that from others."""
        return "" if font == "script" and letter not in self.apart else font

    def peek(self) -> Token:
        """The next token, which stays."""
        return self.tokens[self.at]

    def take(self) -> Token:
        """The next token, consumed."""
        token = self.tokens[self.at]
        if token.kind != "end":
            self.at += 1
        return token

    def split_number(self) -> None:
        """TeX gives a command or script without braces one digit: ``\\frac12`` is ½."""
        token = self.tokens[self.at]
        if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
            middle = token.start + 1
            self.tokens[self.at : self.at + 1] = [
                token._replace(text=token.text[0], end=middle),
                token._replace(text=token.text[1:], start=middle),
            ]

    def span_from(self, first: Token) -> Span:
        """From the start of a token to the end of the last one consumed."""
        return Span(first.start, max(self.tokens[self.at - 1].end, first.end))

    def unexpected(self, token: Token) -> Exception:
        """The error for a token that cannot stand where it stands."""
        if token.kind == "end":
            return error("N2C024", "the formula ends too early", token.span, "complete it")
        return error(
            "N2C029", f"`{token.text or token.kind}` cannot stand here", token.span, "remove it"
        )

    def missing(self, token: Token) -> Exception:
        """The error for an operator that lacks an operand."""
        return error(
            "N2C024",
            f"nothing that `{token.text}` could act on stands behind it",
            token.span,
            "complete the formula, or remove the sign",
        )

    def is_alone(self, tokens: int = 1) -> bool:
        """Whether so many tokens that were taken are the whole formula: prose that says what a sign
        means."""
        return self.at == tokens and self.peek().kind == "end"

    def transparent(self, token: Token) -> bool:
        """Whether a token begins or ends an environment that only aligns equations."""
        return (
            token.kind == "env"
            and self.depth == 0
            and token.text.split(" ", 1)[1] in stream.ALIGNMENTS
        )

    def ends_or_aligns(self, token: Token) -> bool:
        """Whether an environment's token is no operand."""
        return token.kind == "env" and (token.text.startswith("end") or self.transparent(token))

    def starts_operand(self) -> bool:
        """Whether an operand comes next."""
        token = self.peek()
        if token.kind == "op":
            return token.text in "+-¬·*"
        if token.kind in ("bar", "dbar"):
            return token.text not in self.bars
        return token.kind in OPERANDS and not self.ends_or_aligns(token)

    @abstractmethod
    def relation(self) -> Node:
        """``a = b = c``."""

    @abstractmethod
    def sum(self) -> Node:
        """Terms joined by signs."""

    @abstractmethod
    def term(self) -> Node:
        """Factors joined by signs."""

    @abstractmethod
    def starts_factor(self, behind: Node | None = None) -> bool:
        """Whether a factor side by side with the last one comes next."""
