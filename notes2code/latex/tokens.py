"""From the text of a formula to its tokens: commands, fonts and environments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import zip_longest

from notes2code.diagnostics import Span, error, warning
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
from notes2code.latex.joining import AND, JOINS, OR
from notes2code.latex.macros import Macro, expand
from notes2code.latex.mistyped import meant
from notes2code.latex.numbers import Numbers
from notes2code.latex.signs import (
    ABROAD,
    ACCENTS,
    CHARACTERS,
    COMMANDS,
    FONTS,
    FONTS_OF_WORDS,
    FONTS_OTHER,
    SUBSCRIPTS,
    SUPERSCRIPTS,
)

MAX_LENGTH = 20_000
"""Characters in one formula; longer ones are refused, whatever they hold."""

MAX_TOKENS = 2_000
"""Letters, numbers, signs and commands in one formula; the longest in real notes have 300."""


_LOWERABLE = frozenset(["name", "word", "}", "close", "big"])
"""What an escaped underscore behind lowers something below: ``x\\_i``, ``\\sum\\_i``."""

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
_MAGNITUDE = re.compile("^[kKMBGT] ")
"""How many thousands are counted, as in ``16.8 \\text{M params}``."""

_OF_WORD = re.compile(r"([a-z]{3,})\(([A-Za-z]\w+)\)")
"""One amount by what it is of, as in ``N \\times \\text{sizeof(float)}``."""

_SIMPLE_WORD = re.compile(r"[^\W_](?:[\w\s&/.:+*\-]|\\[_ &]|['’])*")
_MEASURE = re.compile(
    rf"\s*([A-Za-z][A-Za-z0-9]*)\s*@\s*(\}}\s*)?(?P<cut>{words.CUT_OFF.pattern})(?(2)|\s*\}})"
)
"""The ``Recall@}k`` and the ``Recall@5}`` of a text, where no sign multiplies."""
_HYPHEN = re.compile(r"\\(?:text|textrm|mbox|mathrm)\{-\}")
_HYPHENATED = re.compile(rf"\s*\{{([A-Za-z]+(?:{_HYPHEN.pattern}[A-Za-z]+)+)\}}")
_NESTED = re.compile(r"\s*\{\s*\\([A-Za-z]+\*?)(?=\s*\{[^{}]*\}\s*\})")
_DOUBLED = re.compile(r"\s*\{(?=\{[^{}]*\}\s*\})")
_REFERENCES = frozenset(["ref", "eqref", "autoref", "cref", "Cref", "cite"])
"""Commands that name another formula, or a text."""

_ARGUMENT = re.compile(r"\s*\{([^{}]*)\}")
_SIGN = re.compile(r"\s*\{\s*((?:\\[bB]igg?[lrm]?\s*)?\\(?:[A-Za-z]+|\|))\s*\}")
_BLANK = re.compile(r"(?:\s|~|\\[ ,;:]|\\q?quad\s*)$")
_ENDS_SIDE = re.compile(r"(?:\s|\\[ ,;:!]|\\q?quad\b)*(?:$|[=&.,;)}]|\\\\|\\(?:approx|end|quad)\b)")
_NO_OPERAND = re.compile(
    r"(?:\s|\\[ ,;:!]|\\q?quad\b)*(?:$|[&=<>,.;)}\]|]|\\(?:\\|[a-z]*text|mbox|right|end|[lg]eq?\b))"
)
_BARE_UNDERSCORE = re.compile(r"(?<!\\)_([A-Za-z0-9]*)")
_PRODUCT = re.compile(r"[A-Za-z] +[A-Za-z](?: +[A-Za-z])?")
"""The letters of ``\\mathbf{Q K}``; more of them are a word that was set apart."""

_SET_APART = re.compile(r"[+]|\s[-*]\s")
"""A sign that joins no parts of one word."""

_EMPTY = re.compile(r"\s*\{\s*\}(?!\s*[_^])")
"""Braces around nothing, which have no script."""

_ENDS = re.compile(r"\\\\|\\end(?![A-Za-z])")
"""What ends a row."""

_BETWEEN = re.compile(r"\\text(?:rm)?\{\s+(?P<said>[^{}$]*[^\W\d_][^{}$]*?)\s+\}")
"""Words between two formulas."""

_SET_BETWEEN = re.compile(r"\s+\w+\s+")
"""A word with blanks on both sides of it, which no name needs."""

_RELATION = re.compile(r"[=<>]|\\(?:leq?|geq?|lt|gt|neq?|in|approx|sim|equiv|text)(?![A-Za-z])")
"""What makes a formula, or a case, of what stands behind such a word."""

_OPERATOR = re.compile(
    r"\s*(?:[-+=^_(\[*/,;.·×&]|$|\\(?:times|cdot|odot|otimes|circ|in|q?quad|left)\b)"
)
"""What stands behind a name, and hardly behind a word of a sentence."""

_LINKS = JOINS | frozenset("where with since because over under versus vs vs. i.e. e.g.".split())
"""Words between formulas that do not go on with a sentence."""

_SIGN_OF_UPDATE = re.compile(r"\{\s*([-+])\s*\}(?==)")
r"""The plus of ``x \mathrel{+}= y``, which is set close to what follows."""

_SET_SPACES = re.compile(r"[A-Za-z]{2,}(?:(?:\\[,;:])+\s*[A-Za-z]{2,})+")
r"""Words of one name whose blanks are set: ``\mathrm{tokens\,per\,batch}``."""
_LETTERS = re.compile(r"[A-Za-z]+")
_SPACED_LETTERS = re.compile(r"[A-Za-z](?: +[A-Za-z])+")


def _without_spacers(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the empty braces of ``={} &``, which make room behind a sign."""
    kept: list[Token] = []
    for token, behind in zip_longest(tokens, tokens[1:]):
        kept.append(token)
        spaces = [one.kind for one in kept[-3:]] in (["rel", "{", "}"], ["op", "{", "}"])
        if spaces and (behind is None or behind.kind not in ("_", "^")):
            del kept[-2:]
    return kept


class Tokens(Numbers):
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
        super().__init__(latex, known)
        self.lefts: list[int] = []
        self.macros = macros
        if words.is_compound(latex, known):
            self._add("word", latex.strip(), 0, len(latex))
        else:
            self._read(0, len(latex))
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
        self.tokens = lines.parted(self.tokens, latex, self.problems)
        self.tokens = spaced_lists.parted(self.tokens, latex, self.problems)
        self.tokens = barred_lists.parted(self.tokens)

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
                text = found.group()
                if text == "||" and self._bar_is_open():  # |a||b|
                    self._add("bar", "|", at, at + 1)
                    self._add("bar", "|", at + 1, end)
                elif text == "||":
                    self._add("dbar", "‖", at, end)
                else:
                    self._add("rel", _ASSIGN.get(text, text), at, end)
            at = end

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
            self.problems.append(
                warning(
                    "N2C028",
                    f"the backslash of `\\{doubled}` is doubled",
                    Span(start, end + len(doubled)),
                    f"write `\\{doubled}` with one; it is read so",
                )
            )
            return self._command(doubled, start, end + len(doubled))
        if name == "_" and self.tokens and self.tokens[-1].kind in _LOWERABLE:
            self._lower(start, end)
            return end
        if name == "inf" and _NO_OPERAND.match(self.latex, end):
            text = "`\\inf` is the infimum, and nothing follows that has one"
            self.problems.append(
                warning("N2C026", text, Span(start, end), "write `\\infty`; it is read so")
            )
            name = "infty"
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
        found = _ARGUMENT.match(self.latex, end)
        if found is None:
            return self._font_around(name, start, end)
        content = found.group(1).replace("~", " ")
        at = found.start(1)
        stripped = content.strip()
        if apart := _SET_SPACES.fullmatch(stripped):
            parts = _LETTERS.findall(apart[0])
            if "".join(parts) in words.FIELD:  # arg\,max
                stripped = "".join(parts)
            elif words.CALLED.isdisjoint(parts):
                stripped = " ".join(parts)
        if _SPACED_LETTERS.fullmatch(stripped) and len(stripped) > 3:
            joined = re.sub(r"\s+", "", stripped)
            self.problems.append(spaced.remark(joined, at, at + len(content)))
            self._add("word", joined, start, found.end())
        elif (
            (given := _OF_WORD.fullmatch(stripped)) and self.tokens and self.tokens[-1].kind == "op"
        ):
            self._add("word", f"{given[1]}_{given[2]}", start, found.end())
        elif stripped == ")" and not self._is_open():
            self._add("text", stripped, at, at + len(content))  # of a remark with math inside
        elif (
            name in _FONTS_OF_TEXT
            and stripped in AND | OR
            and _SET_BETWEEN.fullmatch(content)
            and _RELATION.search(self.latex, found.end())
        ):
            self._add("text", stripped, at, at + len(content))  # the y of \text{ y } is a word
        elif len(stripped) == 1 and (stripped.isascii() or stripped in CHARACTERS):
            lead = len(content) - len(content.lstrip())
            self._run_or_character(stripped, at + lead)
        elif not self._in_script() and (
            stripped.lower() in words.BARE_PROSE
            or (name in _FONTS_OF_TEXT and words.is_prose(stripped.replace("\\ ", "  ")))
            or (name in _FONTS_OF_TEXT and self._opens_clause(content, found.end()))
            or self._is_unit(stripped, start, at, found.end())
        ):
            self._prose(content, at, found.end())
        elif (
            words.MATRICES.fullmatch(stripped)
            and not self._in_script()
            and (stripped.endswith("W") or not self._has_index(found.end()))
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
            self._refuse_remark(content, at, found.end())
            text = re.sub(r"\\ ", " ", stripped).replace("\\_", "_")
            base, _, below = text.partition("_")
            if len(below) == 1 and "\\_" not in content:
                self._with_subscript(base, below, start, found.end())
            else:
                self._add("word", ABROAD.get(text, text), start, found.end())
            if bare := _BARE_UNDERSCORE.search(content):
                self._bare_underscore(name, bare, at)
        elif name in _FONTS_OF_TEXT:
            self._words_and_math(content, at)
        else:
            return self._font_around(name, start, end)
        return found.end()

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
        found = _ARGUMENT.match(self.latex, end) or re.compile(r"\s*([A-Za-z0-9])").match(
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

    def _environment(self, which: str, start: int, end: int) -> int:
        found = _ARGUMENT.match(self.latex, end)
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


_FONTS_OF_TEXT = frozenset(
    "text textrm textit textbf textsf texttt textnormal mbox hbox textsc".split()
)
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
_STRIKES = frozenset("cancel bcancel xcancel".split())
_NAMES = frozenset().union(
    COMMANDS, ACCENTS, FONTS, FONTS_OF_WORDS, FONTS_OTHER, _OF_LOOK, _STRUCTURE, _STRIKES
)
"""The commands that are known, whatever the note defines."""


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
