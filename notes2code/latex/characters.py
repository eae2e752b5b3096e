"""From the characters of a formula to tokens: one canonical spelling for each sign."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Set
from itertools import takewhile
from typing import NamedTuple

from notes2code.diagnostics import Problem, Span, error, note, warning
from notes2code.latex import eaten, words
from notes2code.latex.signs import CHARACTERS, COMBINING_ACCENTS

_FACTOR = re.compile(r"\s*[^\s_^=,;)\]}]")
_WORD = re.compile(r"[A-Za-z]+\d?")
_SHARE = re.compile(r"\(\s*1\s*/\s*\w+\s*\)\s*$|(?<![\w.])1\s*/\s*[A-Za-z]\s*$")
_OPENS = re.compile(r"\s*(?:\\!\s*)?(?:\\(?:left|[bB]igg?l?)\s*)?\(")


class Token(NamedTuple):
    """A token: its kind, its canonical text, its place, and its font where that matters.

    Kinds: ``name word num text op rel sep stop open close bar dbar { } _ ^ prime amp row quad
    dots big fn cmd env blackboard quantifier null junk end``.
    """

    kind: str
    text: str
    start: int
    end: int
    font: str = ""

    @property
    def span(self) -> Span:
        """The token's place in the formula."""
        return Span(self.start, self.end)


def _word(tokens: Iterable[Token]) -> str:
    """The letters and digits of tokens."""
    return "".join(token.text for token in tokens if token.text.isalnum())


def row(latex: str, at: int) -> str:
    """The row that holds a place: a formula in text without TeX may stand beside one in TeX."""
    return latex[:at].rpartition("\\\\")[2] + latex[at:].partition("\\\\")[0]


class Characters:
    """The tokens of one formula, as they are made of its letters and signs, and the problems met
    on the way."""

    def __init__(self, latex: str, known: Set[str]) -> None:
        self.latex = latex
        self.known = known
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []

    def _add(self, kind: str, text: str, start: int, end: int, font: str = "") -> None:
        self.tokens.append(Token(kind, text, start, end, font))

    def _is_behind_bar(self) -> bool:
        """Whether the command of a single bar stands right before."""
        before = self.tokens[-1] if self.tokens else None
        return before is not None and before.kind == "bar" and self.latex[before.start] == "\\"

    def _run(self, run: str, start: int) -> None:
        """A run of adjacent letters: words and letters, and prose that lacks its ``\\text``."""
        if len(run) == 1:
            self._add("name", run, start, start + 1)
            return
        whole = eaten.command(run, self.latex, start + len(run), self.known)
        if whole:
            raise error(
                "N2C021",
                f"`{run}` is what is left of `\\{whole}`",
                Span(start, start + len(run)),
                f"write `\\{whole}`",
            )
        if run == "sqrt" and self.latex[start + len(run) : start + len(run) + 1] == "{":
            text, way = "TeX shows `sqrt` as letters", "write `\\sqrt`; it is read so"
            self.problems.append(warning("N2C026", text, Span(start, start + len(run)), way))
        if self._is_prose(run, start):
            self._add("text", run, start, start + len(run))
            return
        if "\\_" in run:
            self._escaped(run, start)
            return
        if self._ends_in_name_of_program(run, start):
            self._add_letters(run[:-2], start)
            self._lower_letter(run[-2:], start + len(run) - 2)
            return
        pieces = words.cut(run, self.known)
        called = self._is_called(run, start) or self._is_given_several(pieces, start + len(run))
        if called or self._is_name_of_program(run, start):
            pieces = [run]
        if self._is_plain_script(run, pieces, start):
            self._warn_short_script(run, start)
            self._add("{", "{", start, start)
            self._add_letters(run, start)
            self._add("}", "}", start + len(run), start + len(run))
            return
        if len(pieces) == 1 and self.tokens and self.tokens[-1].kind == "_":
            self._warn_short_script(run, start)
        self._refuse_unknown_word(run, pieces, start)
        at = start
        for piece in pieces:
            kind = "name" if len(piece) == 1 else "word"
            self._add(kind, piece, at, at + len(piece))
            at += len(piece)

    def _is_name_of_program(self, run: str, start: int) -> bool:
        """Whether small letters are one name, as in ``wei @ v``: where ``@`` multiplies, as in
        programs, what stands side by side does not."""
        here = row(self.latex, start)
        return "@" in here and "\\" not in here and len(run) > 2 and run.islower()

    def _ends_in_name_of_program(self, run: str, start: int) -> bool:
        """Whether a letter and a small letter are one name, the Wq and the bq of ``x @ Wq + bq``,
        the Wq of ``q = x Wq``, which is not made of q, and the Wf beside bf, a weight and its
        bias."""
        here = row(self.latex, start)
        weighs = re.fullmatch("[A-Zb]([a-z])", run)
        if weighs and run not in self.known and _has_weight_and_bias(here, weighs[1]):
            return True
        if "\\" in here or run in self.known or re.fullmatch("[A-Za-z]?[A-Zb][a-z]", run) is None:
            return False
        if len(run) == 2 and "@" in here:
            return run not in words.FIELD
        made, sign, _ = here.partition("=")
        factor = len(run) == 3 or (bool(self.tokens) and self.tokens[-1].kind in ("name", "close"))
        own = bool(sign) and made.strip().lower() == run[-1]
        return run[-2] == "W" and factor and own

    def _lower_letter(self, run: str, start: int) -> None:
        text = f"TeX sets the {run[1]} of `{run}` beside it, not below"
        hint = f"write `{run[0]}_{run[1]}`; it is read so"
        self.problems.append(warning("N2C026", text, Span(start, start + 2), hint))
        self._add("name", run[0], start, start + 1)
        self._add("_", "_", start + 1, start + 1)
        self._add("name", run[1], start + 1, start + 2)

    def _refuse_unknown_word(self, run: str, pieces: list[str], start: int) -> None:
        """The ``vec`` of ``vec(X)`` is no product with Euler's number in it, and the ``tok`` that
        can be spoken none of three letters, nor is the ``IoU``."""
        end = start + len(run)
        in_script = bool(self.tokens) and self.tokens[-1].kind in ("_", "^", "{")
        letters = len(pieces) == len(run) > 2 and not in_script
        letters = letters and (run.islower() or re.fullmatch("[A-Z][aeiou][A-Z]", run) is not None)
        spoken = "e" in run or words.SYLLABLE.fullmatch(run) is not None or not run.islower()
        if letters and spoken and self.latex[end : end + 1] != "^":
            raise error(
                "N2C033",
                f"`{run}` may be a word, or a product of its letters",
                Span(start, end),
                f"write `\\text{{{run}}}` for the word, or set the letters apart",
            )

    def _escaped(self, run: str, start: int) -> None:
        """``d\\_model`` and ``head\\_i``, escaped for Markdown, are a letter with a word and a word
        with a letter below; ``max\\_len`` is a word, and so is ``top\\_k``."""
        pieces = re.split(r"\\_\s?", run)
        if len(pieces) != 2 or 1 not in map(len, pieces) or pieces[0].lower() == "top":
            self._add("word", "_".join(pieces), start, start + len(run))
            return
        base, below = pieces
        end = start + len(run)
        if len(base) > 2 and base.islower():
            self._add("word", base, start, start + len(base))
        else:
            self._run(base, start)
        self._lower(start + len(base), end - len(below))
        self._add("name" if len(below) == 1 else "word", below, end - len(below), end)

    def _lower(self, start: int, end: int) -> None:
        """An escaped underscore as a subscript; that TeX sees it otherwise is told once."""
        text = "TeX shows the underscore of `\\_`, and lowers nothing"
        if all(problem.message != text for problem in self.problems):
            way = "write `_`; it is read so"
            self.problems.append(warning("N2C026", text, Span(start, end), way))
        self._add("_", "_", start, end)

    def _is_prose(self, run: str, start: int) -> bool:
        """Whether a run of letters is a word between formulas, written as words are: not the ``iS``
        nor the ``is`` of ``\\sum_{j=1}^iS_j``, where one letter stands above the sign."""
        if run.lower() not in words.BARE_PROSE or self._is_product(run, start):
            return False
        spelt = run in (run.lower(), run.capitalize(), run.upper())
        return spelt and (not self.tokens or self.tokens[-1].kind not in ("_", "^"))

    def _is_product(self, run: str, start: int) -> bool:
        """Whether a word of two letters is a matrix before something: the ``We`` of ``We(y)``."""
        behind = self.latex[start + len(run) : start + len(run) + 1]
        return len(run) == 2 and run[0].isupper() and behind in ("(", "_", "^", "'")

    def _is_called(self, run: str, start: int) -> bool:
        """Whether capitals right before a parenthesis are the name of a function, as in
        ``MSA(z)``; three of them are no product, unless they are names of matrices."""
        return (
            len(run) > 2
            and run.isupper()
            and _OPENS.match(self.latex, start + len(run)) is not None
            and words.MATRICES.fullmatch(run) is None
        )

    def _is_given_several(self, pieces: list[str], end: int) -> bool:
        """Whether what would be a product of three letters or more stands before several things in
        parentheses, ``att(Q, K, V)``, and so is a word."""
        opens = _OPENS.match(self.latex, end)
        if opens is None or len(pieces) < 3 or any(len(piece) > 1 for piece in pieces):
            return False
        depth = 0
        for sign in self.latex[opens.end() :]:
            if sign == "," and depth == 0:
                return True
            depth += (sign in "({[") - (sign in ")}]")
            if depth < 0:
                return False
        return False

    def _is_plain_script(self, run: str, pieces: list[str], start: int) -> bool:
        """Whether a run of letters is all below a name, ``e_ij``: in text without TeX."""
        return (
            len(pieces) > 1
            and len(run) < 4
            and bool(self.tokens)
            and self.tokens[-1].kind == "_"
            and run.islower()
            and "\\" not in row(self.latex, start)
            and self.latex[start + len(run) : start + len(run) + 1] not in ("_", "^")
            and not self._is_index_and_factor(run, start)
        )

    def _is_index_and_factor(self, run: str, start: int) -> bool:
        """Whether only the first of two letters is below a name, as TeX has it: the m of ``q_m =
        R_mq``, which stands below the left-hand side as well, while the q stands nowhere below and
        has nothing behind that the R_mq of a label would multiply."""
        left, behind = row(self.latex, start).partition("=")[0], self.latex[start + len(run) :]
        counted = re.search(rf"_{run[0]}(?![A-Za-z])", left) is not None
        below = re.search(rf"_[A-Za-z]*{run[1]}", self.latex[:start] + behind)
        return counted and below is None and not behind.lstrip()[:1].isalpha()

    def _add_letters(self, run: str, start: int) -> None:
        for at, letter in enumerate(run, start):
            self._add("name", letter, at, at + 1)

    def _warn_short_script(self, run: str, start: int) -> None:
        self.problems.append(
            warning(
                "N2C026",
                f"TeX lowers only the first letter of `{run}` here",
                Span(start, start + len(run)),
                f"write `_{{{run}}}`; it is read so",
            )
        )

    def _is_sum(self, behind: int) -> bool:
        """Whether a typed Σ stands where a sum begins, or behind a share, ``(1/n)Σ x_i``: no matrix
        is typed so without a script."""
        begins = not self.tokens or self.tokens[-1].kind in ("op", "rel", "open", "row", "{")
        shares = _SHARE.search(self.latex, 0, behind - 1) is not None
        return (begins or shares) and _FACTOR.match(self.latex, behind) is not None

    def _character(self, char: str, at: int) -> int:
        """One character that is neither a letter of ASCII nor a digit; returns where it ends."""
        if char == "Σ" and self._is_sum(at + 1):
            self.problems.append(
                note("N2C039", "`Σ` is taken for the sign of a sum", Span(at, at + 1))
            )
            self._add("big", "sum", at, at + 1)
            return at + 1
        cut_off = words.CUT_OFF.match(self.latex, at + 1) if char == "@" else None
        if cut_off is not None and (measure := self._measure(cut_off[0])):
            self._join(measure)
            self._add_cut_off(cut_off[0], at + 1)
            return cut_off.end()
        if char in CHARACTERS:
            sign = CHARACTERS[char]
            if sign is not None:
                self._add(sign[0], sign[1], at, at + 1)
            return at + 1
        if char in COMBINING_ACCENTS and self.tokens and self.tokens[-1].kind == "name":
            base = self.tokens.pop()
            self._add("cmd", COMBINING_ACCENTS[char], base.start, at + 1)
            self.tokens.append(base)
            return at + 1
        if accented := self._accented(char, at):
            self._add("cmd", COMBINING_ACCENTS[accented[1]], at, at + 1)
            self._add("name", accented[0], at, at + 1)
            return at + 1
        plain = unicodedata.normalize("NFKC", char)
        if plain != char and all(c in CHARACTERS or (c.isascii() and c.isalnum()) for c in plain):
            font = "bold" if "BOLD" in unicodedata.name(char, "") else ""
            for c in plain:
                sign = CHARACTERS.get(c) or (("num" if c.isdigit() else "name"), c)
                self._add(sign[0], sign[1], at, at + 1, font)
            return at + 1
        if char.isalpha() and (word := self._accented_word(at)):
            return word
        if char.isalpha():
            return self._foreign_words(at)
        self._add("junk", char, at, at + 1)
        return at + 1

    def _measure(self, cut_off: str) -> list[Token]:
        """The tokens taken last, where they name a measure, such as ``Recall``, ``DCG`` or ``F_1``;
        P and R do before a number, and in a formula of measures: else they are matrices."""
        at = len(self.tokens)
        while at and self.tokens[at - 1].kind in ("_", "{", "num", "}"):
            at -= 1
        if at and self.tokens[at - 1].kind == "word":
            at -= 1
        while at and self.tokens[at - 1].kind == "name" and self.tokens[at - 1].text.isupper():
            if at < len(self.tokens) and self.tokens[at - 1].end != self.tokens[at].start:
                break
            at -= 1
        word = _word(self.tokens[at:])
        measures = word in ("P", "R") and (cut_off.isdigit() or self._is_of_measures())
        return self.tokens[at:] if measures or word.lower() in words.MEASURES else []

    def _is_of_measures(self) -> bool:
        """Whether what a formula defines is a measure by its name or its cut-off."""
        left = self.latex.partition("=")[0]
        named = (word.lower() in words.MEASURES for word in _WORD.findall(left))
        return "@" in left or any(named)

    def _join(self, tokens: list[Token]) -> None:
        """Make one word of the tokens taken last, where they are several."""
        if len(tokens) > 1:
            del self.tokens[-len(tokens) :]
            self._add("word", _word(tokens), tokens[0].start, tokens[-1].end)

    def _add_cut_off(self, text: str, at: int) -> None:
        """The k of ``Recall@k``."""
        self._add("_", "_", at, at)
        self._add("word" if text.isdigit() else "name", text, at, at + len(text))

    def _accented(self, char: str, at: int) -> str:
        """The letter and the accent of an ``Ā`` that stands alone, and in no word."""
        parts = unicodedata.normalize("NFD", char)
        around = self.latex[max(at - 1, 0) : at] + self.latex[at + 1 : at + 2]
        known = len(parts) == 2 and parts[0].isascii() and parts[1] in COMBINING_ACCENTS
        return parts if known and not any(map(str.isalpha, around)) else ""

    def _accented_word(self, at: int) -> int:
        """Where the word ends that a letter stands in beside others, as the ö of ``größe``; 0 where
        it stands alone, or beside words in a script without capitals."""
        start = end = at
        while start and self.latex[start - 1].isascii() and self.latex[start - 1].isalpha():
            start -= 1
        while end < len(self.latex) and self.latex[end].lower() != self.latex[end].upper():
            if self.latex[end] in CHARACTERS:
                break
            end += 1
        word = self.latex[start:end]
        if self.latex[at].lower() == self.latex[at].upper() or not any(map(str.isascii, word)):
            return 0
        own = [*takewhile(lambda token: token.start >= start, reversed(self.tokens))]
        if "".join(token.text for token in reversed(own)) != self.latex[start:at]:
            return 0  # the end of a command
        del self.tokens[len(self.tokens) - len(own) :]
        self._add("text" if word.lower() in words.BARE_PROSE else "word", word, start, end)
        return end

    def _foreign_words(self, at: int) -> int:
        """A run of words in a script of its own, such as Chinese: prose, or a name in it."""
        end = at
        while end < len(self.latex) and (
            (
                self.latex[end].isalpha()
                and not self.latex[end].isascii()
                and self.latex[end] not in CHARACTERS
            )
            or (
                self.latex[end] == " "
                and end + 1 < len(self.latex)
                and self.latex[end + 1].isalpha()
                and not self.latex[end + 1].isascii()
                and self.latex[end + 1] not in CHARACTERS
            )
        ):
            end += 1
        self._add("text", self.latex[at:end], at, end)
        return end

    def _script(self, sign: str, chars: str, table: Mapping[str, str], start: int) -> None:
        """Unicode's raised or lowered characters, as TeX's ``^{…}`` or ``_{…}``."""
        end = start + len(chars)
        self._add(sign, sign, start, start)
        self._add("{", "{", start, start)
        for at, char in enumerate(chars, start):
            plain = table[char]
            if plain == "T":
                self._add("name", "top", at, at + 1)
            elif plain.isdigit():
                self._add("num", plain, at, at + 1)
            else:
                self._add("op" if plain in "+-" else "name", plain, at, at + 1)
        self._add("}", "}", end, end)

    def _run_or_character(self, char: str, at: int) -> None:
        if char.isalpha() and char.isascii():
            self._add("name", char, at, at + 1)
        elif char.isdigit():
            self._add("num", char, at, at + 1)
        else:
            self._character(char, at)

    def _add_pieces(self, run: str, at: int, font: str) -> None:
        for piece in words.cut(run, self.known):
            self._add("name" if len(piece) == 1 else "word", piece, at, at + len(piece), font)
            at += len(piece)


def _has_weight_and_bias(latex: str, letter: str) -> bool:
    """Whether ``Wf x + bf`` stands in a formula, where no f is multiplied, or ``Wx x``."""
    weight = rf"(?<![A-Za-z\\])W{letter}\s+"
    bias = rf"[A-Za-z\\(\[].*\+\s*b{letter}(?![A-Za-z])"
    return re.search(rf"{weight}(?:{bias}|{letter}(?![A-Za-z]))", latex) is not None
