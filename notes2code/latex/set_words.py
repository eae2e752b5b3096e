"""Words and letters in a font: names, words of a sentence, or a font around math."""

from __future__ import annotations

import re

from notes2code.diagnostics import Span, error, warning
from notes2code.latex import spaced, words
from notes2code.latex.joining import AND, OR
from notes2code.latex.remarks import Remarks
from notes2code.latex.signs import ABROAD, CHARACTERS, FONTS, FONTS_OF_WORDS

_OF_WORD = re.compile(r"([a-z]{3,})\(([A-Za-z]\w+)\)")
"""One amount by what it is of, as in ``N \\times \\text{sizeof(float)}``."""

_OF_LETTERS = re.compile(r"([A-Za-z][A-Za-z-]*)\((?!(?:e?s)\))[A-Za-z](?:\s*,\s*[A-Za-z])*\)")
"""A function with what it is given, ``\text{FFN(x)}``; the ``head(s)`` of a text are no call."""

_KNOWN = words.CALLED - frozenset("head Linear Dropout mod sum mean avg max min".split())
"""Functions that are called behind a value, too, and are no remark: ``W \\text{softmax(x)}``."""

_DEFINES = re.compile(
    r"\s*(?:[_^](?:\{[^{}]*\}|\w)\s*)*&?\s*(?::?=|\\(?:coloneqq|equiv|triangleq)\b)"
)
"""What stands behind a left side."""

_SIMPLE_WORD = re.compile(r"[^\W_](?:[\w\s&/.:+*\-]|\\[_ &]|['’])*")
_MEASURE = re.compile(
    rf"\s*([A-Za-z][A-Za-z0-9]*)\s*@\s*(\}}\s*)?(?P<cut>{words.CUT_OFF.pattern})(?(2)|\s*\}})"
)
"""The ``Recall@}k`` and the ``Recall@5}`` of a text, where no sign multiplies."""
_HYPHEN = re.compile(r"\\(?:text|textrm|mbox|mathrm)\{-\}")
_HYPHENATED = re.compile(rf"\s*\{{([A-Za-z]+(?:{_HYPHEN.pattern}[A-Za-z]+)+)\}}")
_NESTED = re.compile(r"\s*\{\s*\\([A-Za-z]+\*?)(?=\s*\{[^{}]*\}\s*\})")
_DOUBLED = re.compile(r"\s*\{(?=\{[^{}]*\}\s*\})")

ARGUMENT = re.compile(r"\s*\{([^{}]*)\}")
"""What a command is given, without braces inside."""

_SIGN = re.compile(r"\s*\{\s*((?:\\[bB]igg?[lrm]?\s*)?\\(?:[A-Za-z]+|\|))\s*\}")
_BARE_UNDERSCORE = re.compile(r"(?<!\\)_([A-Za-z0-9]*)")
_PRODUCT = re.compile(r"[A-Za-z] +[A-Za-z](?: +[A-Za-z])?")
"""The letters of ``\\mathbf{Q K}``; more of them are a word that was set apart."""

_SET_APART = re.compile(r"[+]|\s[-*]\s")
"""A sign that joins no parts of one word."""

_SET_BETWEEN = re.compile(r"\s+\w+\s+")
"""A word with blanks on both sides of it, which no name needs."""

_RELATION = re.compile(r"[=<>]|\\(?:leq?|geq?|lt|gt|neq?|in|approx|sim|equiv|text)(?![A-Za-z])")
"""What makes a formula, or a case, of what stands behind such a word."""

_SET_SPACES = re.compile(r"[A-Za-z]{2,}(?:(?:\\[,;:])+\s*[A-Za-z]{2,})+")
r"""Words of one name whose blanks are set: ``\mathrm{tokens\,per\,batch}``."""
_LETTERS = re.compile(r"[A-Za-z]+")
_SPACED_LETTERS = re.compile(r"[A-Za-z](?: +[A-Za-z])+")


_FONTS_OF_TEXT = frozenset(
    "text textrm textit textbf textsf texttt textnormal mbox hbox textsc".split()
)


def _matching_brace(text: str, open_at: int) -> int:
    """The offset of the brace that closes the one at ``open_at``."""
    depth = 0
    for at in range(open_at, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    raise error(
        "N2C022", "this brace is never closed", Span(open_at, open_at + 1), "add the missing `}`"
    )


def _without_set_spaces(text: str) -> str:
    """The words of one name with plain blanks in place of set ones, or joined, ``arg\\,max``."""
    if not _SET_SPACES.fullmatch(text):
        return text
    parts = _LETTERS.findall(text)
    if "".join(parts) in words.FIELD:
        return "".join(parts)
    return " ".join(parts) if words.CALLED.isdisjoint(parts) else text


class SetWords(Remarks):
    """The tokens of one formula, with what its font commands set."""

    def _font_of_word(self, name: str, start: int, end: int) -> int:
        """``\\text{…}``, ``\\mathrm{…}`` and their like: a word, prose, or a font around math."""
        if doubled := _DOUBLED.match(self.latex, end):  # what programs escape a brace by
            return self.latex.index("}", self._font_of_word(name, start, doubled.end())) + 1
        nested = None if name in _FONTS_OF_TEXT else _NESTED.match(self.latex, end)
        if nested and nested[1] in FONTS_OF_WORDS:  # \mathop{\operatorname{argmax}}
            within = self._font_of_word(nested[1], start, nested.end())
            return self.latex.index("}", within) + 1
        if hyphenated := _HYPHENATED.match(self.latex, end):
            self._add("word", _HYPHEN.sub("-", hyphenated[1]), start, hyphenated.end())
            return hyphenated.end()
        found = ARGUMENT.match(self.latex, end)
        if found is None:
            return self._font_around(name, start, end)
        return self._argument_of_font(name, start, found)

    def _argument_of_font(self, name: str, start: int, found: re.Match[str]) -> int:
        """What a font command sets, ``found`` behind its name; where it and that end."""
        content, at, end = found.group(1).replace("~", " "), found.start(1), found.end()
        stripped = _without_set_spaces(content.strip())
        if _SPACED_LETTERS.fullmatch(stripped) and len(stripped) > 3:
            joined = re.sub(r"\s+", "", stripped)
            self.problems.append(spaced.remark(joined, at, at + len(content)))
            self._add("word", joined, start, end)
        elif (
            (given := _OF_WORD.fullmatch(stripped)) and self.tokens and self.tokens[-1].kind == "op"
        ):
            self._add("word", f"{given[1]}_{given[2]}", start, end)
        elif self._is_text(name, content, stripped, end):
            self._add("text", stripped, at, at + len(content))
        elif len(stripped) == 1 and (stripped.isascii() or stripped in CHARACTERS):
            lead = len(content) - len(content.lstrip())
            self._run_or_character(stripped, at + lead)
        elif not self._in_script() and (
            self._sets_prose(name, content, stripped, end)
            or self._is_unit(stripped, start, at, end)
        ):
            self._prose(content, at, end)
        elif (
            words.MATRICES.fullmatch(stripped)
            and not self._in_script()
            and (stripped.endswith("W") or not self._has_index(end))
        ):
            self._add_letters(stripped, at + len(content) - len(content.lstrip()))
        elif measure := _MEASURE.match(self.latex, at):
            self._add("word", measure[1], start, measure.end(1))
            self._add_cut_off(measure["cut"], measure.start("cut"))
            return measure.end()
        elif (
            not self._in_script()
            and _SET_APART.search(stripped)
            and words.is_sum(stripped, self.known)
        ):
            self._terms(at, at + len(content), "")
        elif _SIMPLE_WORD.fullmatch(stripped):
            self._refuse_remark(content, at, end)
            self._simple_word(name, content, stripped, found, start)
        elif (called := _OF_LETTERS.fullmatch(content)) and self._is_call(called[1], end):
            self._add("word", called[1], start, at + called.end(1))
            self._read(at + called.end(1), at + called.end())
        elif name in _FONTS_OF_TEXT:
            self._words_and_math(content, at)
        else:
            return self._font_around(name, start, found.start())
        return end

    def _sets_prose(self, name: str, content: str, stripped: str, end: int) -> bool:
        """Whether a font sets words that are no name."""
        if stripped.lower() in words.BARE_PROSE:
            return True
        if name not in _FONTS_OF_TEXT:
            return False
        return words.is_prose(stripped.replace("\\ ", "  ")) or self._opens_clause(content, end)

    def _is_text(self, font: str, content: str, stripped: str, end: int) -> bool:
        """Whether it is the end of a remark with math inside, or a word between two formulas, such
        as the Spanish ``\\text{ y }``."""
        if stripped == ")" and not self._is_open():
            return True
        between = stripped in AND | OR and _SET_BETWEEN.fullmatch(content)
        return bool(font in _FONTS_OF_TEXT and between and _RELATION.search(self.latex, end))

    def _simple_word(
        self, font: str, content: str, stripped: str, found: re.Match[str], start: int
    ) -> None:
        """A name of letters, digits and blanks, or of one letter below another."""
        text = re.sub(r"\\ ", " ", stripped).replace("\\_", "_")
        base, _, below = text.partition("_")
        if len(below) == 1 and "\\_" not in content:
            self._with_subscript(base, below, start, found.end())
        else:
            self._add("word", ABROAD.get(text, text), start, found.end())
        if bare := _BARE_UNDERSCORE.search(content):
            self._bare_underscore(font, bare, found.start(1))

    def _with_subscript(self, base: str, below: str, start: int, end: int) -> None:
        """``\\mathrm{head_1}``: one item of many, as ``\\mathrm{head}_1`` is."""
        self._add("word", base, start, end)
        self._add("_", "_", end, end)
        self._add("num" if below.isdigit() else "name", below, end, end)

    def _bare_underscore(self, font: str, found: re.Match[str], at: int) -> None:
        """``\\text{step_num}``: MathJax shows the sign, TeX and KaTeX stop at it; in
        ``\\mathrm{step_num}`` it lowers one letter."""
        if font in _FONTS_OF_TEXT:
            place = Span(at + found.start(), at + found.start() + 1)
            text = f"TeX stops at the `_` inside `\\{font}`"
            self.problems.append(warning("N2C026", text, place, "write `\\_`; it is read so"))
        elif len(found.group(1)) > 1:
            self._warn_short_script(found.group(1), at + found.start(1))

    def _is_call(self, word: str, end: int) -> bool:
        """Whether a word with letters in parentheses is called: the ``\\text{hidden(h)}`` behind a
        complete value is a remark. A call stands behind a sign, at the beginning of what is
        defined, or has a name that every note knows."""
        if self._in_script():
            return False
        kinds = ["", "", *(token.kind for token in self.tokens if token.kind != "amp")]
        before = self.tokens[-1].text if self.tokens else ""
        match kinds[-2:]:
            case [_, "op" | "rel" | "fn"]:
                return True
            case ["op" | "rel" | "open" | "word" | "fn", "open"]:
                return True
            case ["name", "open"]:
                return len(self.tokens[-2].text) > 1  # \sigma, but no W_Q
            case ["op" | "rel", "name"] if len(before) > 1:
                return True  # + \lambda \text{KL(p)} is a term that is weighed
            case ["}", "{"]:
                return True
            case ["cmd", "{"]:
                return self.tokens[-2].text in ("frac", "dfrac", "tfrac", "sqrt")
            case [_, "sep"] if before == "," and self._is_open():
                return True
            case [_, "" | "sep" | "quad" | "row" | "text" | "stop"]:
                return _DEFINES.match(self.latex, end) is not None
        return word in _KNOWN

    def _in_script(self) -> bool:
        """Whether the next token stands alone below or above a name: it is a part of the name."""
        kinds = [token.kind for token in self.tokens[-2:]]
        if kinds[-1:] == ["{"]:
            kinds.pop()
        return kinds[-1:] in (["_"], ["^"])

    def _has_index(self, end: int) -> bool:
        """Whether something stands below what ends here: the i of ``\\text{KV}_i`` counts what one
        word names, and no V. A weight has labels, ``XW_Q``."""
        return self.latex[end:].lstrip().startswith("_")

    def _font_around(self, name: str, start: int, end: int) -> int:
        """A font command around something that is no plain word: only its look is dropped."""
        if name in _FONTS_OF_TEXT and self.latex[end:].lstrip()[:1] == "{":
            close = _matching_brace(self.latex, self.latex.index("{", end))
            inner = self.latex.index("{", end) + 1
            self._words_and_math(self.latex[inner:close], inner)
            return close + 1
        if name == "mathop" and (sign := _SIGN.match(self.latex, end)):
            self._read(*sign.span(1))
            return sign.end()
        self._add("font", name, start, end)
        return end

    def _font(self, name: str, start: int, end: int) -> int:
        """Bold, blackboard and other fonts of single letters or words."""
        found = ARGUMENT.match(self.latex, end) or re.compile(r"\s*([A-Za-z0-9])").match(
            self.latex, end
        )
        if found is None:
            self._add("font", FONTS.get(name, ""), start, end)
            return end
        content = found.group(1).strip()
        at = found.start(1) + len(found.group(1)) - len(found.group(1).lstrip())
        if name in ("mathbb", "mathds", "Bbb") and len(content) == 1:
            self._add("blackboard", content, start, found.end())
            return found.end()
        font = FONTS.get(name, "")
        if content == "1":
            self._add("name", "ones", start, found.end(), font)
        elif content.isascii() and content.isalpha():
            self._add_pieces(content, at, font)
        elif _PRODUCT.fullmatch(content):
            for letter in re.finditer("[A-Za-z]", content):
                self._add("name", letter[0], at + letter.start(), at + letter.end(), font)
        elif _SPACED_LETTERS.fullmatch(content):
            joined = re.sub(r"\s+", "", content)
            self.problems.append(spaced.remark(joined, at, at + len(content)))
            self._add("word", joined, start, found.end(), font)
        elif _SIMPLE_WORD.fullmatch(content) and len(content) > 1 and "_" not in content:
            if words.is_sum(content, self.known):
                self._terms(at, at + len(content), font)
            else:
                self._add("word", content, start, found.end(), font)
        else:
            self._add("font", font, start, end)
            return end
        return found.end()

    def _terms(self, start: int, end: int, font: str) -> None:
        """The terms of ``\\mathbf{Wx + b}``, each letter in the font."""
        first = len(self.tokens)
        self._read(start, end)
        for at, token in enumerate(self.tokens[first:], first):
            if token.kind in ("name", "word"):
                self.tokens[at] = token._replace(font=font)
