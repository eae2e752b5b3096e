"""From the text of a formula to its tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import zip_longest

from notes2code.diagnostics import ProblemError, Span, error, note
from notes2code.latex import (
    barred_lists,
    lines,
    lost_rows,
    placeholders,
    spaced,
    spaced_lists,
    words,
)
from notes2code.latex.characters import Token
from notes2code.latex.commands import Commands
from notes2code.latex.macros import Macro, expand
from notes2code.latex.signs import CHARACTERS, SUBSCRIPTS, SUPERSCRIPTS

MAX_LENGTH = 20_000
"""Characters in one formula; longer ones are refused, whatever they hold."""

_OF_SENTENCES = frozenset(["text", "name", "word", "num", "_", "{", "}", "sep", "stop"])
"""What a sentence in letters is made of, where it computes nothing."""

MAX_TOKENS = 2_000
"""Letters, numbers, signs and commands in one formula; the longest in real notes have 300."""

_PATTERN = re.compile(
    r"(?P<space>(?:[^\S\xa0]|~)+)"
    r"|(?P<comment>%[^\n]*\n?)"
    r"|(?P<dots>(?:[·⋅]\s*){2}[·⋅]|(?:\\cdot\s+){2}\\cdot(?![A-Za-z])|[.·]{3,}|\.\.)"
    r"|(?P<command>\\(?:[A-Za-z]+\*?|.|\n))"
    r"|(?P<such>s\.\s?t\.)"
    r"|(?P<module>(?<![A-Za-z\\])(?:torch|numpy|np|jnp|tf|nn|math|F)\.(?=[A-Za-z]{2}))"
    r"|(?P<turned>(?<=[A-Za-z0-9)\]}])\.(?:m?T(?![A-Za-z])|transpose\(\s*-[12]\s*,\s*-[12]\s*\)))"
    r"|(?P<power>\*\*)"
    r"|(?P<run>[A-Za-z]+(?:\\_\s?[A-Za-z]+)*)"
    r"|(?P<num>(?!𝟙)\d+(?:[.]\d+)?(?:e[+-]?\d{1,2}(?!\d)|(?:\\,\d{3})+(?!\d)"
    r"|(?:\{,\}\d{3})+(?!\{,\}|\d)|\{,\}\d+)?|[.]\d+)"
    r"|(?P<eaten>(?<=[A-Za-z0-9}])\*(?=\{))"
    r"|(?P<assign>:=|=:|->|=>|<=|>=|!=|\|\|)"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱᵀᴼᵒᴷᵏⱽᵛᵠʰˡ]+)"
    r"|(?P<lowered>[₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓₐₑₕ]+)"
    r"|(?P<other>.|\n)",
    re.DOTALL,
)
_SIGNS = {char: sign for char, sign in CHARACTERS.items() if char not in "Σ@" and sign is not None}
"""Characters that are always the same sign."""

_RAISED = re.compile(
    r"\*\*\s*(\()?\s*(?P<number>-?\s*\d+(?:\.\d+)?(?(1)(?:\s*/\s*\d+)?))\s*(?(1)\))"
)
"""A power as programs write it, of a number: ``**2``, ``**-0.5`` and ``**(-1/2)``."""

_ASSIGN = {":=": "=", "->": "→", "=>": "⇒", "<=": "≤", ">=": "≥", "!=": "≠"}


def _without_spacers(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the empty braces of ``={} &``, which make room behind a sign."""
    kept: list[Token] = []
    for token, behind in zip_longest(tokens, tokens[1:]):
        kept.append(token)
        spaces = [one.kind for one in kept[-3:]] in (["rel", "{", "}"], ["op", "{", "}"])
        if spaces and (behind is None or behind.kind not in ("_", "^")):
            del kept[-2:]
    return kept


class Tokens(Commands):
    """The tokens of one formula and the problems met on the way."""

    def __init__(
        self, latex: str, known: Set[str], macros: Mapping[str, Macro], expanding: bool = True
    ) -> None:
        if len(latex) > MAX_LENGTH:
            raise error(
                "N2C020",
                f"this formula has {len(latex):,} characters; the limit is {MAX_LENGTH:,}",
                Span(0, 1),
                "split it into several formulas",
            )
        super().__init__(latex, known, macros)
        if words.is_compound(latex, known):
            self._add("word", latex.strip(), 0, len(latex))
        else:
            self._read(0, len(latex))
        if expanding:
            self._refuse_sentence()
        if macros and expanding:
            self.tokens = expand(self.tokens, macros, self._body)
        if len(self.tokens) > MAX_TOKENS:
            raise error(
                "N2C020",
                f"this formula has {len(self.tokens):,} signs; the limit is {MAX_TOKENS:,}",
                Span(0, 1),
                "split it into several formulas",
            )
        self.tokens = _without_spacers(self.tokens)
        joined = spaced.letters(spaced.cut(self.tokens), known, self.problems)
        joined = spaced.hyphenated(joined, self.problems)
        self.tokens = placeholders.filled(spaced.words(joined, latex))
        end = len(latex)
        self.tokens.append(Token("end", "", end, end))
        self.tokens = lost_rows.restored(self.tokens, latex, self.problems)
        self.tokens = lines.without_repeated(lines.parted(self.tokens, latex, self.problems))
        self.tokens = spaced_lists.parted(self.tokens, latex, self.problems)
        self.tokens = barred_lists.parted(self.tokens)

    def _refuse_sentence(self) -> None:
        """Words of a language that are set as letters, from the beginning, and no sign that
        computes or relates anything: ``where~w_k~is~the~weight~of~the~word``."""
        depth, bare = 0, []
        for token in self.tokens:
            depth += (token.kind == "{") - (token.kind == "}")
            if token.kind not in _OF_SENTENCES:
                return
            if token.kind == "text" and not depth and token.text.isalpha():
                bare.append(token)
        bare = [one for one in bare if self.latex[one.start : one.end] == one.text]
        if len(bare) > 2 and bare[0] is self.tokens[0]:
            span = Span(bare[0].start, bare[-1].end)
            text = "this is a sentence; it defines nothing"
            raise ProblemError(note("N2C038", text, span, "write it outside the formula"))

    def _body(self, text: str) -> list[Token]:
        """The tokens of a macro's body, without the closing token."""
        return Tokens(text, self.known, self.macros, expanding=False).tokens[:-1]

    def _read(self, at: int, stop: int) -> None:
        """The tokens of a part of the text."""
        latex, match = self.latex, _PATTERN.match
        while at < stop:
            found = match(latex, at, stop)
            assert found is not None
            kind = found.lastgroup
            end = found.end()
            if kind == "space" or kind == "comment":
                pass
            elif kind == "other":
                sign = _SIGNS.get(found.group())
                if sign is not None:
                    self._add(sign[0], sign[1], at, end)
                else:
                    end = self._character(found.group(), at)
            elif kind == "run":
                self._run(found.group(), at)
            elif kind == "command":
                end = self._command(found.group()[1:], at, end)
            elif kind == "num":
                end = self._number(found.group(), at, end)
            elif kind == "raised":
                self._script("^", found.group(), SUPERSCRIPTS, at)
            elif kind == "lowered":
                self._script("_", found.group(), SUBSCRIPTS, at)
            elif kind == "turned":  # K.T, as in programs
                self._add("^", "^", at, at + 1)
                self._add("name", "top", at + 1, end, "code")
            elif kind == "power":  # x**2 and d**-0.5, as in programs
                end = self._power(at)
            elif kind == "such":
                self._add("text", "such that", at, end)
            elif kind == "eaten":
                # To Markdown the part between two ``_`` of a line is emphasis, which programs that
                # format it write with stars. Nobody puts what is multiplied in braces.
                raise error(
                    "N2C021",
                    "`*` before braces is what is left of `_`",
                    Span(at, end),
                    "write `_{…}`, or no braces around what is multiplied",
                )
            elif kind == "dots":
                self._add("dots", "…", at, end)
            elif kind == "assign":
                self._bars_or_sign(found.group(), at, end)
            at = end

    def _bars_or_sign(self, text: str, at: int, end: int) -> None:
        """Two bars, or a sign of several characters, as in programs."""
        if text == "||" and self._bar_is_open():  # |a||b|
            self._add("bar", "|", at, at + 1)
            self._add("bar", "|", at + 1, end)
        elif text == "||":
            self._add("dbar", "‖", at, end)
        else:
            self._add("rel", _ASSIGN.get(text, text), at, end)

    def _power(self, at: int) -> int:
        """``**`` and the number, perhaps in parentheses, to which it raises; where that ends."""
        raised = _RAISED.match(self.latex, at)
        if raised is None:
            raise error("N2C029", "`**` is no sign of LaTeX", Span(at, at + 2), "write `^{…}`")
        start, end = raised.span("number")
        self._add("^", "^", at, at + 2)
        self._add("{", "{", start, start)
        self._read(start, end)
        self._add("}", "}", end, end)
        return raised.end()
