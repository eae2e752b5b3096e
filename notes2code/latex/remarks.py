"""Words of a sentence inside a formula: between its parts, behind them as a unit, or a remark."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from notes2code.diagnostics import Span, error
from notes2code.latex import words
from notes2code.latex.joining import JOINS
from notes2code.latex.numbers import Numbers

_MAGNITUDE = re.compile("^[kKMBGT] ")
"""How many thousands are counted, as in ``16.8 \\text{M params}``."""
_BLANK = re.compile(r"(?:\s|~|\\[ ,;:]|\\q?quad\s*)$")
_ENDS_SIDE = re.compile(r"(?:\s|\\[ ,;:!]|\\q?quad\b)*(?:$|[=&.,;)}]|\\\\|\\(?:approx|end|quad)\b)")

_BETWEEN = re.compile(r"\\text(?:rm)?\{\s+(?P<said>[^{}$]*[^\W\d_][^{}$]*?)\s+\}")
"""Words between two formulas."""

_OPERATOR = re.compile(
    r"\s*(?:[-+=^_(\[*/,;.·×&]|$|\\(?:times|cdot|odot|otimes|circ|in|q?quad|left)\b)"
)
"""What stands behind a name, and hardly behind a word of a sentence."""

_LINKS = JOINS | frozenset("where with since because over under versus vs vs. i.e. e.g.".split())
"""Words between formulas that do not go on with a sentence."""


class Remarks(Numbers, ABC):
    """The tokens of one formula, with the words between its parts."""

    @abstractmethod
    def _read(self, at: int, stop: int) -> None:
        """The tokens of a part of the text."""

    def _is_open(self) -> bool:
        """Whether there is anything that a parenthesis could close."""
        kinds = [token.kind for token in self.tokens]
        return kinds.count("open") > kinds.count("close")

    def _prose(self, content: str, at: int, end: int) -> None:
        """Words between formulas; the last of ``\\text{where head}_i`` is a name."""
        content = content.replace("\\ ", "  ")
        said, _, last = content.rstrip().rpartition(" ")
        if said and last.isalpha() and self.latex[end:].lstrip()[:1] in ("_", "^"):
            self._add("text", said.strip(), at, at + len(said))
            self._add("word", last, at + len(said) + 1, end)
        else:
            self._words_and_math(content, at)

    def _words_and_math(self, content: str, at: int) -> None:
        """Words with math inside them: ``if $j \\le i$``, ``if j <= i``."""
        for number, piece in enumerate(words.apart(content)):
            inner = piece.strip("$")
            if number % 2:
                self._read(at + piece.index(inner), at + piece.index(inner) + len(inner))
            elif piece.strip():
                self._add("text", piece.strip(), at, at + len(piece))
            at += len(piece)

    def _opens_clause(self, content: str, end: int) -> bool:
        """Whether a word of any language stands between two equations, as ``\text{où } u = …``."""
        before = self.tokens[-1].kind if self.tokens else ""
        apart = content != content.rstrip() or self.latex[end : end + 1].isspace()
        following = self.latex[end:].lstrip()[:1]
        padded = content[:1].isspace() and content[-1:].isspace()
        if padded and not content.isascii() and following not in ("_", "^", "(", "=", ""):
            return True
        return before in ("sep", "quad", "row") and apart and following.isalpha()

    def _is_unit(self, said: str, start: int, content: int, end: int) -> bool:
        """Whether words end a side, a blank before them, and say what that counts: the ``bytes`` of
        ``2 N \\text{ bytes}`` and ``2 N \\text{ bytes/token}``. What is not always a unit is one
        behind a product of counts: the ``values`` of ``2 \\times d \\text{ values}``."""
        word = re.split("[ /]", _MAGNITUDE.sub("", said), maxsplit=1)[0]
        if word not in words.AMOUNTS or not _ENDS_SIDE.match(self.latex, end):
            return False
        before = self.tokens[-1].kind if self.tokens else ""
        apart = self.latex[content].isspace() or _BLANK.search(self.latex[:start])
        if before != "num" and not (apart and before in ("name", "close", "}")):
            return False
        relations = [at for at, token in enumerate(self.tokens) if token.kind == "rel"]
        side = [token.text for token in self.tokens[relations[-1] + 1 if relations else 0 :]]
        counts = side[0].isdigit() or "×" in side or side[:2] == ["d", "_"]
        if len(side) == 1:
            return before == "num" and _MAGNITUDE.match(said) is not None
        return word in words.UNITS or (counts and words.CALLED.isdisjoint(side))

    def _refuse_remark(self, content: str, at: int, end: int) -> None:
        """The words of ``W x \\text{ per head}`` end a side, a blank before them: they may speak of
        what stands there, or be a factor of it. In the cells of cases they are a condition."""
        kinds = [token.kind for token in self.tokens]
        if kinds[-1:] == ["rel"] and self._opens_sentence(content, end):
            raise error(
                "N2C033",
                f"`{content.strip()}` may be a word of a sentence, or what is multiplied",
                Span(at, at + len(content.rstrip())),
                "put a sentence outside the formula, and `\\cdot` behind a factor",
            )
        ends_factor = kinds[-1:] in (["name"], ["close"], ["}"]) or kinds[-2:] == ["^", "num"]
        if not content[:1].isspace() or not ends_factor:
            return
        if "text" in kinds or "rel" not in kinds:
            return
        in_cell = "\\begin" in self.latex[:at]
        if " " in (said := content.strip()) and not in_cell and _ENDS_SIDE.match(self.latex, end):
            raise error(
                "N2C033",
                f"`{said}` may be a remark, or what is multiplied",
                Span(at + len(content) - len(content.lstrip()), at + len(content.rstrip())),
                "put a remark outside the formula, and `\\cdot` before a factor",
            )

    def _opens_sentence(self, content: str, end: int) -> bool:
        """Whether a word with a blank behind it begins a sentence that goes on between formulas:
        ``y = \\text{write } A B \\text{ as } C``."""
        if content != content.lstrip() or content == content.rstrip():
            return False
        said = (found["said"].split()[0].lower() for found in _BETWEEN.finditer(self.latex, end))
        return any(word not in _LINKS for word in said) and _OPERATOR.match(self.latex, end) is None
