"""What stands for each command of a formula: signs, fonts, environments, and what is skipped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from notes2code.diagnostics import Span, error, warning
from notes2code.latex import words
from notes2code.latex.macros import Macro
from notes2code.latex.mistyped import meant
from notes2code.latex.set_words import ARGUMENT, SetWords
from notes2code.latex.signs import (
    ACCENTS,
    COMMANDS,
    FONTS,
    FONTS_OF_WORDS,
    FONTS_OTHER,
    FUNCTIONS,
    GREEK,
)

_LOWERABLE = frozenset(["name", "word", "}", "close", "big", "fn"])
"""What an escaped underscore behind lowers something below: ``x\\_i`` and ``\\ln\\_1``."""
_OF_FACTOR = frozenset(["name", "word", "text", "num", "prime", "}", "close"])
"""What a factor ends with."""
_BETWEEN = {"bigotimes": "otimes", "bigodot": "odot", "bigoplus": "oplus"}
"""Big signs that stand for small ones between two factors: ``M \\bigotimes F``."""
_OVER_SOMETHING = re.compile(r"\s*(?:[_^]|\\(?:no)?limits(?![A-Za-z]))")
"""What says that a big sign runs over something."""
_REFERENCES = frozenset(["ref", "eqref", "autoref", "cref", "Cref", "cite"])
"""Commands that name another formula, or a text."""
_NO_OPERAND = re.compile(
    r"(?:\s|\\[ ,;:!]|\\q?quad\b)*(?:$|[&=<>,.;)}\]|]|\\(?:\\|[a-z]*text|mbox|right|end|[lg]eq?\b))"
)

_EMPTY = re.compile(r"\s*\{\s*\}(?!\s*[_^])")
"""Braces around nothing, which have no script."""

_ENDS = re.compile(r"\\\\|\\end(?![A-Za-z])")
"""What ends a row."""

_REST_OF_WORD = re.compile(r"(?:\\_(?:[A-Za-z]{2,}|[A-Za-z](?=\\_)))+(?![A-Za-z])")
"""What makes a name of the command of a function, ``\\cos\\_emb`` and ``\\max\\_seq\\_len``; a
letter at the end is an index, the t of ``\\log\\_prob\\_t``."""

_NO_FACTOR = re.compile(r"\s*(?:$|[)}\],;.=+*/&<>])")
"""What follows a name, and no operator, which is given something: ``s / \\max\\_len``."""

_SIGN_OF_UPDATE = re.compile(r"\{\s*([-+])\s*\}(?==)")
r"""The plus of ``x \mathrel{+}= y``, which is set close to what follows."""
_OF_LOOK = frozenset(
    "tag tag* label require hspace vspace color cline kern hskip phantom hphantom vphantom "
    "mathopen mathclose".split()
)
"""Commands that are skipped with what they are given."""

_STRUCTURE = frozenset(
    "frac dfrac tfrac cfrac sqrt binom underbrace overbrace underset overset stackrel boxed "
    "substack not textcolor mathrel mathbin underline "
    "newcommand renewcommand def DeclareMathOperator providecommand".split()
)
_ESCAPED = frozenset("^=*+-<>") - COMMANDS.keys()
"""Signs that Markdown gives a meaning, and TeX none behind a backslash in a formula."""
_STRIKES = frozenset("cancel bcancel xcancel".split())
_NAMES = frozenset().union(
    COMMANDS, ACCENTS, FONTS, FONTS_OF_WORDS, FONTS_OTHER, _OF_LOOK, _STRUCTURE, _STRIKES
)
"""The commands that are known, whatever the note defines."""


class Commands(SetWords):
    """The tokens of one formula, with its commands."""

    def __init__(self, latex: str, known: Set[str], macros: Mapping[str, Macro]) -> None:
        super().__init__(latex, known)
        self.lefts: list[int] = []
        self.macros = macros

    def _command(self, name: str, start: int, end: int) -> int:
        """One command at ``start``; returns where it and what it swallows end."""
        if name in ("left", "right"):
            return self._sized_delimiter(name, start, end)
        if name in self.macros:
            self._add("macro", name, start, end)
            return end
        if name in FONTS_OF_WORDS:
            return self._font_of_word(name, start, end)
        if name in FONTS or name in FONTS_OTHER:
            return self._font(name, start, end)
        if name in ("begin", "end"):
            return self._environment(name, start, end)
        if name in ("xrightarrow", "xleftarrow"):
            self._add("rel", "→" if name == "xrightarrow" else "←", start, end)
            options = re.compile(r"\s*\[[^\]]*\]").match(self.latex, end)
            return self._swallow(options.end() if options else end)
        if name == "mathrel" and (update := _SIGN_OF_UPDATE.match(self.latex, end)):
            self._add("op", update[1], start, update.end())
            return update.end()
        if name in _OF_LOOK:
            return self._swallow(end)
        if name in _REFERENCES:
            stop = self._swallow(end)
            self._add("text", self.latex[start:stop], start, stop)
            return stop
        if name in ("eqno", "leqno"):  # the number of the equation
            behind = _ENDS.search(self.latex, end)
            return behind.start() if behind else len(self.latex)
        if name in _STRIKES:
            self._add("cmd", "cancel", start, end)
            return end
        if name in ACCENTS or name in _STRUCTURE:
            self._add("cmd", name, start, end)
            return end
        if name == "\\" and (doubled := self._doubled(end)):
            return self._with_doubled_backslash(doubled, start, end)
        rest = _REST_OF_WORD.match(self.latex, end)
        if rest is not None and self._begins_name(name, rest):
            self._add("word", name + rest.group().replace("\\", ""), start, rest.end())
            return rest.end()
        if name == "_" and self.tokens and self.tokens[-1].kind in _LOWERABLE:
            self._lower(start, end)
            return end
        if name in _ESCAPED:
            return self._escaped_sign(name, start)
        if name == "inf" and _NO_OPERAND.match(self.latex, end):
            self._tell_infimum(start, end)
            name = "infty"
        if name in _BETWEEN and self._stands_between(end):
            name = _BETWEEN[name]
        return self._sign(name, start, end)

    def _stands_between(self, end: int) -> bool:
        """Whether a big sign stands behind a factor, and runs over nothing."""
        factor = bool(self.tokens) and self.tokens[-1].kind in _OF_FACTOR
        return factor and not _OVER_SOMETHING.match(self.latex, end)

    def _begins_name(self, name: str, rest: re.Match[str]) -> bool:
        """Whether the command of a function is the first part of a name. The theta of
        ``\\min\\_theta f`` is what runs."""
        if name not in ("max", "min"):
            return name in FUNCTIONS
        given = rest.group()[2:] in GREEK or not _NO_FACTOR.match(self.latex, rest.end())
        return not given

    def _escaped_sign(self, name: str, start: int) -> int:
        """A sign that a converter to Markdown has escaped; returns where the sign itself stands.
        Such a converter escapes all of them, which is told once."""
        text = f"the backslash of `\\{name}` belongs to Markdown, not to the formula"
        if all(problem.message != text for problem in self.problems):
            way = f"write `{name}`; it is read so"
            self.problems.append(warning("N2C026", text, Span(start, start + 2), way))
        return start + 1

    def _tell_infimum(self, start: int, end: int) -> None:
        """Tell that an infimum of nothing is read as infinity."""
        text = "`\\inf` is the infimum, and nothing follows that has one"
        where = Span(start, end)
        self.problems.append(warning("N2C026", text, where, "write `\\infty`; it is read so"))

    def _with_doubled_backslash(self, name: str, start: int, end: int) -> int:
        """A command behind two backslashes, which are read as one."""
        text, end = f"the backslash of `\\{name}` is doubled", end + len(name)
        help_text = f"write `\\{name}` with one; it is read so"
        self.problems.append(warning("N2C028", text, Span(start, end), help_text))
        return self._command(name, start, end)

    def _sign(self, name: str, start: int, end: int) -> int:
        """A command that stands for a sign, a name or a word of the field."""
        bare = name.rstrip("*")
        if name in COMMANDS or bare in COMMANDS:
            sign = COMMANDS[name] if name in COMMANDS else COMMANDS[bare]
            if name == "varphi" and re.search(r"\\phi(?![A-Za-z])", self.latex):
                sign = ("name", name)  # beside the φ of queries one of keys
            if sign is not None and sign[0] in ("bar", "dbar"):
                return self._bar(*sign, start, end)
            if sign is not None:
                self._add(sign[0], sign[1], start, end)
            if name == "\\":
                return self._row_gap(end)
            return end
        if not name.strip():
            return end
        if len(name) > 1 and name in words.FIELD:
            self._add("word", name, start, end)
            return end
        raise error(
            "N2C021",
            f"`\\{name}` is not a command that is known here",
            Span(start, end),
            self._instead(bare),
        )

    def _instead(self, name: str) -> str:
        """What may be written for a command that is not known."""
        near = meant(name, _NAMES.union(self.macros))
        if near:
            return f"write `\\{near}` if that is meant, or define it with \\newcommand"
        return "define it with \\newcommand, or write what it stands for"

    def _bar(self, kind: str, text: str, start: int, end: int) -> int:
        """A bar, and where it and the empty braces behind it end. Two of them are the sign of
        ``p \\mid\\mid q``, unless the first one closes a bar, as in
        ``\\mid a \\mid \\mid b \\mid``."""
        if kind == "bar" and self._is_behind_bar() and self._bar_is_open():
            kind, text, start = "dbar", "‖", self.tokens.pop().start
        braces = _EMPTY.match(self.latex, end)
        end = braces.end() if braces else end
        self._add(kind, text, start, end)
        return end

    def _doubled(self, end: int) -> str:
        """The command behind a doubled backslash, ``\\\\frac``; "" where it is a row break."""
        found = re.compile(r"[A-Za-z]{2,}").match(self.latex, end)
        name = found.group() if found else ""
        known = name in _STRUCTURE or name in FONTS_OF_WORDS or name in COMMANDS
        return name if known and name not in words.FIELD and name.islower() else ""

    def _sized_delimiter(self, name: str, start: int, end: int) -> int:
        """``\\left`` and ``\\right`` only size what follows; their balance is checked."""
        rest = self.latex[end:]
        null = len(rest) - len(rest.lstrip())
        if name == "left":
            self.lefts.append(start)
        elif self.lefts:
            self.lefts.pop()
        else:
            self.problems.append(
                warning(
                    "N2C023",
                    "`\\right` has no `\\left`",
                    Span(start, end),
                    "remove it, or add the `\\left`",
                )
            )
        if rest[null : null + 1] == ".":
            self._add("null", name, start, end + null + 1)
            return end + null + 1
        return end

    def _environment(self, which: str, start: int, end: int) -> int:
        found = ARGUMENT.match(self.latex, end)
        if found is None:
            raise error(
                "N2C022",
                f"`\\{which}` lacks the name of its environment",
                Span(start, end),
                f"write `\\{which}{{aligned}}`, for example",
            )
        name = found.group(1).strip().rstrip("*")
        after = found.end()
        if which == "begin":
            # The [A] of \\begin{equation} [A]_{ij} = … is no option.
            options = re.compile(r"\s*\[[^\]]*\](?!\s*[_^=])").match(self.latex, after)
            after = options.end() if options else after
            if name in ("array", "tabular", "alignat", "alignedat", "subarray"):
                columns = re.compile(r"\s*\{(?:[^{}]|\{[^{}]*\})*\}").match(self.latex, after)
                after = columns.end() if columns else after
        self._add("env", f"{which} {name}", start, after)
        return after

    def _swallow(self, end: int) -> int:
        """A command about the look alone: it and its argument, also the 1 of ``\\tag1``, are
        skipped."""
        argument = r"\s*(?:\{[^{}]*\}|-?[\d.]+\s*[a-z]{2})|(?<=tag)\s*\d(?!\d)"
        found = re.compile(argument).match(self.latex, end)
        return found.end() if found else end

    def _row_gap(self, end: int) -> int:
        found = re.compile(r"\[\s*-?[\d.]+\s*[a-z]{2}\s*\]").match(self.latex, end)
        return found.end() if found else end
