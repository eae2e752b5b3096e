"""Numbers of a formula: with decimal points and commas, in groups of three, and behind names."""

from __future__ import annotations

import re
from itertools import pairwise

from notes2code.diagnostics import Span, error, warning
from notes2code.latex import words
from notes2code.latex.characters import Characters, Token
from notes2code.latex.signs import FRACTIONS, GREEK

MAX_DIGITS = 300
"""Digits of one number; no floating-point number has more before its point."""

_DECIMAL_COMMA = re.compile(r"\d+,\d+(?!\s*,|\d|\.\d)")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,000)+(?![\d,.])")
_MILLIONS = re.compile(r"[1-9]\d{0,2}(?:,\d{3}){2,}(?![\d,.])")
_GROUPED = re.compile(r"\d+(?:\{,\}\d{3})+")
_UPRIGHT = r"\\(?:text|textrm|mathrm|mbox)\{"
_POWER_OF_TEN = re.compile(
    r"(?:e|" + _UPRIGHT + r"e\})\{[+-]?\d{1,2}\}"  # 1e{-5}, 1\mathrm{e}{-5}
    r"|" + _UPRIGHT + r"e(?:[+-]?\d{1,2}\}|[+-]\}\d{1,2}(?!\d))"  # 1\text{e-5}, 1\text{e-}5
    r"|e(?:\{[+-]\}|" + _UPRIGHT + r"[+-]\})\d{1,2}(?!\d)"  # 1e{-}5, 1e\text{-}5
)
"""What stands behind the digits of a number in scientific notation, as it is set with a short
minus sign."""

_FACTOR = re.compile(
    r"(?:\s|\\[,;!: ])*(?:[A-Za-z(*/^·×]|\\(?:cdot|times|left|[dt]?frac|sqrt|sum|mathbf|boldsymbol"
    rf"|mathrm|log|exp|max|min|tanh|sin|cos|{'|'.join(sorted(GREEK))})(?![A-Za-z]))"
)


class Numbers(Characters):
    """The tokens of one formula, as they are made of its letters, signs and numbers."""

    def _number(self, text: str, at: int, end: int) -> int:
        """A number, and where it ends; ``0,5`` and ``0{,}5`` have decimal commas, ``10{,}000``,
        ``10\\,000`` and ``10,000`` are whole: a decimal does not end so. In ``1,234,567`` are two
        commas, and no list. ``1\\mathrm{e}{-5}`` is what programs write as ``1e-5``."""
        if len(text) > MAX_DIGITS:
            raise error(
                "N2C020",
                f"this number has {len(text):,} characters; the limit is {MAX_DIGITS}",
                Span(at, end),
                "write it as a power, such as `10^{300}`",
            )
        power = _POWER_OF_TEN.match(self.latex, end)
        if power and not self._numbers_a_name(text, at):
            text += "e" + "".join(re.findall(r"[+-]|\d", power.group()))
            self._add("num", text.replace("{,}", "."), at, power.end())
            return power.end()
        decimal = _DECIMAL_COMMA.match(self.latex, at)
        groups = _MILLIONS.match(self.latex, at)
        if thousands := _THOUSANDS.match(self.latex, at):
            text, end = thousands.group().replace(",", ""), thousands.end()
        elif groups and self._is_one(text, at, groups.end()):
            text, end = groups.group().replace(",", ""), groups.end()
        elif decimal and self._is_one(text, at, decimal.end()):
            text, end = decimal.group().replace(",", "."), decimal.end()
        elif text.startswith("0{,}") or not _GROUPED.fullmatch(text):
            text = text.replace("{,}", ".")
        if self._numbers_a_name(text, at):
            self._lower_number(self.tokens[-1], text, end)
            return end
        self._add("num", text.replace("{,}", "").replace("\\,", ""), at, end)
        return end

    def _numbers_a_name(self, text: str, at: int) -> bool:
        """Whether digits stand right behind a name, as programs number theirs, ``W1``, and name
        their logarithms, ``log2(x)``."""
        before = self.tokens[-1] if self.tokens else None
        if before is None or before.end != at or not text.isdigit() or before.text[-1:] == "-":
            return False
        if before.text == "log":
            return self.latex.startswith("(", at + len(text))
        if any(token.text in FRACTIONS for token in self.tokens[-2:-1]):
            return False  # the \\frac\\pi2 of those who write no braces
        named = before.kind == "name" or (before.kind == "word" and before.text not in words.CALLED)
        first = [t.kind for t in self.tokens[-2:-1]] in (["_"], ["^"], ["{"])
        return named and (not first or self._is_numbered(before.text))

    def _is_numbered(self, name: str) -> bool:
        """Whether a name has had a number behind it before, as the j has where ``j2`` stands above
        the sum from ``j = j1``."""
        return any(
            token.text == name and below.text == "_" and below.start == below.end
            for token, below in pairwise(self.tokens)
        )

    def _lower_number(self, name: Token, number: str, end: int) -> None:
        self.problems.append(
            warning(
                "N2C026",
                f"TeX sets the {number} of `{name.text}{number}` beside it, not below",
                Span(name.start, end),
                f"write `{name.text}_{number}`; it is read so",
            )
        )
        self._add("_", "_", name.end, name.end)
        self._add("{", "{", name.end, name.end)
        self._add("num", number, name.end, end)
        self._add("}", "}", end, end)

    def _is_one(self, whole: str, at: int, end: int) -> bool:
        """Whether two numbers with a comma between are one: outside parentheses and scripts, where
        no list is, and before a factor or behind a sign. Nobody adds the 0 of ``(a + 0,5)``, braces
        as in ``\\frac{0,5}{a}`` hold no list, and one with spaces has no item without."""
        kinds = ["rel", "rel", *(token.kind for token in self.tokens[-2:])]
        before, last = kinds[-2:]
        if last == "op" and whole == "0":
            return True
        if last == "{" and before != "_" and self.latex.startswith("}", end):
            return before != "^" or (whole == "0" and not self.tokens[-3].text.isupper())
        if last == "sep" and self.latex[at - 1] == " ":
            return bool(_FACTOR.match(self.latex, end))
        depth = 0
        for token in self.tokens:
            depth += {"open": 1, "{": 1, "close": -1, "}": -1}.get(token.kind, 0)
        if depth or last in ("sep", "^", "_"):
            return False
        return last == "op" or bool(_FACTOR.match(self.latex, end))

    def _bar_is_open(self) -> bool:
        """Whether a single bar waits for another in the group that is being read, behind a ‖ if
        there is one."""
        depth = bars = 0
        for token in reversed(self.tokens):
            depth += {"close": 1, "}": 1, "open": -1, "{": -1}.get(token.kind, 0)
            if depth < 0 or (depth == 0 and token.kind in ("sep", "rel", "row", "dbar")):
                break
            bars += depth == 0 and token.kind == "bar"
        return bars % 2 == 1
