"""Finds what Markdown must leave alone in a note: math, code, comments and links.

Markdown parsers know neither columns nor Obsidian's math, so it is found first, in the
text itself; Markdown then reads a copy in which each piece is one unbroken word.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from notes2code.diagnostics import Problem, Severity, Span
from notes2code.vault.links import MARKDOWN_TARGET, WIKILINK, markdown_link, wikilink
from notes2code.vault.looks import holds_blocks, looks_like_math
from notes2code.vault.pieces import LINE_PREFIX, SHORTEST, Kind, Piece, Pieces


def find_pieces(text: str, start: int, end: int) -> Pieces:
    """Find the math, code, comments, links and tags of ``text[start:end]``."""
    scanner = _Scanner(text, start, end)
    scanner.run()
    return scanner.found


# Every alternative starts with a plain sign, which keeps the search fast.
_TOKEN = re.compile(
    r"\\.?|``*|~~~+|%%|\$\$?|<(?:!--|(?:pre|code|script|style|svg)\b)|!\[\[|\[\[|\]\(|#",
    re.DOTALL,
)
# Where a paragraph ends: a blank line, or the start of another block.
_BREAK = r"\n[ \t>]*(?:\r?$|[-+*][ \t]|\d{1,9}[.)][ \t]|\#{1,6}[ \t]|`{3}|~{3}|\|)"
_PARAGRAPH_END = re.compile(r"\n(?=[ \t>]*(?:\r?$|\#{1,6}[ \t]))", re.MULTILINE)
_INLINE_END = re.compile(rf"\\.|\$\$?|{_BREAK}", re.MULTILINE | re.DOTALL)
_TICKS_END = re.compile(rf"`+|{_BREAK}", re.MULTILINE)
_GITHUB_END = re.compile(rf"`\$|{_BREAK}", re.MULTILINE)
_DISPLAY_END = re.compile(r"\\.|\$\$", re.DOTALL)
_PAREN_END = re.compile(rf"\\\)|\\[^)]|{_BREAK}", re.MULTILINE)
_BRACKET_END = re.compile(r"\\\]|\\[^\]]|\n[ \t>]*\r?$", re.MULTILINE)
# The backslash of ``\\(`` and ``\\[`` is escaped for Markdown, which would take it away.
_ESCAPED_PAREN_END = re.compile(rf"\\\\\)|{_BREAK}", re.MULTILINE)
_ESCAPED_BRACKET_END = re.compile(r"\\\\\]|\n[ \t>]*\r?$", re.MULTILINE)
_LOOSE_BAR = re.compile(r"(?<!\\)\|(?=\s)|(?<=\s)\|")
_ROW_OR_HEADING = re.compile(r"[ \t>]*(\||#{1,6}[ \t])")
_ENVIRONMENT = re.compile(
    r"\\begin\{((?:align|alignat|aligned|alignedat|array|cases|dcases|rcases|drcases|eqnarray"
    r"|equation|flalign|gather|gathered|multline|multlined|split|subarray|smallmatrix"
    r"|[bBpvV]?matrix)\*?)\}"
)
_LINE_REST = re.compile(r"[ \t.,;]*(?:\r?$)", re.MULTILINE)
_TAG = re.compile(r"[^\u2000-\u206F\u2E00-\u2E7F'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]+")
_BEFORE_TAG = "(*_"


class _Scanner:
    """Runs through a text once, from one sign that can open a piece to the next."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.found = Pieces()
        # Up to where a closing sign was already sought in vain: keeps the scan linear.
        self.sought: dict[str, int] = {}
        self.line = self.line_known = start

    def run(self) -> None:
        readers: dict[str, Callable[[re.Match[str]], int]] = {
            "\\": self.backslash, "`": self.ticks, "~": self.tildes, "%": self.comment,
            "$": self.dollar, "<": self.html, "!": self.wikilink, "[": self.wikilink,
            "]": self.target, "#": self.tag,
        }  # fmt: skip
        position = self.start
        while token := _TOKEN.search(self.text, position, self.end):
            position = readers[token[0][0]](token)

    def add(self, kind: Kind, start: int, end: int, opening: int = 0, closing: int = 0) -> int:
        """Note a piece whose delimiters have these lengths; returns where it ends."""
        if end - start >= SHORTEST:
            self.found.pieces.append(Piece(kind, start, end, start + opening, end - closing))
        return end

    def report(self, code: str, severity: Severity, message: str, span: Span, help: str) -> None:
        self.found.problems.append(Problem(code, severity, message, span, help))

    def closing(self, ends: re.Pattern[str], sign: str, position: int) -> re.Match[str] | None:
        """The next ``sign`` among the ``ends`` before the paragraph ends."""
        if position < self.sought.get(sign, -1):
            return None
        for match in ends.finditer(self.text, position, self.end):
            if match[0] == sign:
                return match
            if match[0][0] == "\n":
                self.sought[sign] = match.start()
                return None
        self.sought[sign] = self.end
        return None

    def line_start(self, position: int) -> int:
        """Where the line of ``position`` starts; positions are asked for in ascending order."""
        newline = self.text.rfind("\n", self.line_known, position)
        if newline >= 0:
            self.line = newline + 1
        self.line_known = max(self.line_known, position)
        return self.line

    def prefix(self, position: int) -> str | None:
        """What stands before ``position`` on its line, when a block can start there."""
        match = LINE_PREFIX.fullmatch(self.text, self.line_start(position), position)
        return match[0] if match else None

    # Math

    def dollar(self, token: re.Match[str]) -> int:
        position = token.start()
        if token[0] == "$$":
            return self.display(position)
        if self.text.startswith("`", position + 1):
            close = self.closing(_GITHUB_END, "`$", position + 2)
            if close:
                return self.add(Kind.INLINE, position, close.end(), 2, 2)
        end = self.inline_end(position)
        if end is None:
            return position + 1
        return self.add(Kind.INLINE, position, end, 1, 1)

    def inline_end(self, position: int) -> int | None:
        """The end of ``$…$``: no space inside the signs, no digit behind them."""
        text = self.text
        if text[position + 1 : position + 2].strip() == "" or position < self.sought.get("$", -1):
            return None
        for match in _INLINE_END.finditer(text, position + 1, self.end):
            at, sign = match.span()[0], match[0]
            if sign[0] == "\\":
                continue
            spaced = text[at - 1].isspace()
            if sign[0] == "\n" or (sign == "$$" and spaced):
                self.sought["$"] = at
                return None
            if not spaced and not (sign == "$" and text[at + 1 : at + 2].isdigit()):
                return None if self.leaves_line(position, at) else at + 1
        self.sought["$"] = self.end
        return None

    def leaves_line(self, start: int, end: int) -> bool:
        """Whether ``$…$`` would run out of a heading, or of the cell of a table."""
        newline = self.text.find("\n", start, end) >= 0
        if not newline and not _LOOSE_BAR.search(self.text, start, end):
            return False
        row_or_heading = _ROW_OR_HEADING.match(self.text, self.line_start(start))
        return row_or_heading is not None and (newline or row_or_heading[1] == "|")

    def display(self, position: int) -> int:
        if self.text.startswith("$$", position + 2):
            return position + 4
        for match in _DISPLAY_END.finditer(self.text, position + 2, self.end):
            if match[0] == "$$":
                if self.runs_away(position, position + 2, match.start()):
                    break
                return self.add(Kind.DISPLAY, position, match.end(), 2, 2)
        return self.unclosed(position, "$$", "$$")

    def runs_away(self, opening: int, start: int, end: int) -> bool:
        """Whether math that seems to be ``start:end`` was never closed."""
        quoted = ">" in (self.prefix(opening) or "")
        return self.text.find("\n", start, end) > 0 and holds_blocks(self.text, start, end, quoted)

    def unclosed(self, position: int, sign: str, closing: str) -> int:
        """Report math that is not closed and take the rest of its paragraph for it."""
        found = _PARAGRAPH_END.search(self.text, position, self.end)
        stop = found.start() if found else self.end
        math = looks_like_math(self.text[position + len(sign) : stop])
        self.report(
            "N2C006",
            Severity.ERROR if math else Severity.WARNING,
            f"the formula that starts with {sign} is not closed",
            Span(position, position + len(sign)),
            f"write {closing} behind the formula"
            + ("" if math or sign != "$$" else r", or \$\$ when no formula is meant"),
        )
        return self.add(Kind.BROKEN, position, stop)

    def backslash(self, token: re.Match[str]) -> int:
        position = token.start()
        escaped = token[0] == r"\\"
        opening = self.text[position : token.end() + escaped]
        if opening.endswith("("):
            ends = _ESCAPED_PAREN_END if escaped else _PAREN_END
            close = self.closing(ends, opening.replace("(", ")"), position + len(opening))
            body = self.text[position + len(opening) : close.start()] if close else ""
            if close and (looks_like_math(body) or 0 < len(body.strip()) < 4):
                return self.add(Kind.INLINE, position, close.end(), len(opening), len(opening))
        elif opening.endswith("["):
            ends = _ESCAPED_BRACKET_END if escaped else _BRACKET_END
            close = self.closing(ends, opening.replace("[", "]"), position + len(opening))
            if close and looks_like_math(self.text[position + len(opening) : close.start()]):
                return self.add(Kind.DISPLAY, position, close.end(), len(opening), len(opening))
        elif token[0] == r"\b":
            environment = _ENVIRONMENT.match(self.text, position, self.end)
            if environment and self.prefix(position) is not None:
                return self.environment(environment)
        return token.end()

    def environment(self, begin: re.Match[str]) -> int:
        """A bare ``\\begin{…}…\\end{…}`` that stands on lines of its own."""
        depth = 0
        for match in _environment_ends(begin[1]).finditer(self.text, begin.start(), self.end):
            depth += 1 if match[1] == "begin" else -1
            if depth == 0:
                if self.runs_away(begin.start(), begin.start(), match.start()):
                    break
                alone = _LINE_REST.match(self.text, match.end(), self.end)
                return self.add(Kind.DISPLAY, begin.start(), match.end()) if alone else match.end()
        return self.unclosed(begin.start(), begin[0], rf"\end{{{begin[1]}}}")

    # Code and comments

    def ticks(self, token: re.Match[str]) -> int:
        run = token[0]
        prefix = self.prefix(token.start()) if len(run) >= 3 else None
        if prefix is not None and "`" not in self.line_rest(token.end()):
            return self.fence(token, prefix)
        if token.start() < self.sought.get(run, -1):
            return token.end()
        close = self.closing(_TICKS_END, run, token.end())
        if close is None:
            return token.end()
        return self.add(Kind.CODE, token.start(), close.end(), len(run), len(run))

    def tildes(self, token: re.Match[str]) -> int:
        prefix = self.prefix(token.start())
        return token.end() if prefix is None else self.fence(token, prefix)

    def line_rest(self, position: int) -> str:
        end = self.text.find("\n", position, self.end)
        return self.text[position : self.end if end < 0 else end]

    def fence(self, token: re.Match[str], prefix: str) -> int:
        """The end of a fenced block: its closing fence, or the end of its quote."""
        line_end = self.text.find("\n", token.end(), self.end)
        if line_end < 0:
            return self.end
        ends = _fence_ends(token[0][0], len(token[0]), ">" in prefix)
        close = ends.search(self.text, line_end + 1, self.end)
        return close.end() if close else self.end

    def comment(self, token: re.Match[str]) -> int:
        start = token.start()
        close = self.text.find("%%", start + 2, self.end)
        if close >= 0:
            return self.add(Kind.COMMENT, start, close + 2, 2, 2)
        if self.prefix(start) is None or self.line_rest(start + 2).strip():
            return token.end()
        self.report(
            "N2C007", Severity.WARNING, "the comment that starts with %% is not closed",
            Span(start, start + 2), "write %% behind the comment; all below it is left out",
        )  # fmt: skip
        return self.add(Kind.COMMENT, start, self.end, 2)

    def html(self, token: re.Match[str]) -> int:
        name = token[0][1:]
        ends = re.compile("-->") if name == "!--" else _element_ends(name)
        if token.start() < self.sought.get(name, -1):
            return token.end()
        close = ends.search(self.text, token.end(), self.end)
        if close is None:
            self.sought[name] = self.end
            return token.end()
        if name not in ("pre", "code"):
            return self.add(Kind.COMMENT, token.start(), close.end())
        opening = self.text.find(">", token.start(), close.start()) + 1 - token.start()
        return self.add(Kind.CODE, token.start(), close.end(), max(opening, 0), len(close[0]))

    # Links and tags

    def wikilink(self, token: re.Match[str]) -> int:
        match = WIKILINK.match(self.text, token.start(), self.end)
        if match is None:
            return token.start() + 1
        self.found.links.append(wikilink(match))
        return self.add(Kind.LINK, match.start(), match.end(), 0, 0)

    def target(self, token: re.Match[str]) -> int:
        match = MARKDOWN_TARGET.match(self.text, token.start(), self.end)
        if match is None:
            return token.end()
        link = markdown_link(self.text, match)
        if link:
            self.found.links.append(link)
        return match.end()

    def tag(self, token: re.Match[str]) -> int:
        before = self.text[token.start() - 1 : token.start()] if token.start() else ""
        match = _TAG.match(self.text, token.end(), self.end)
        if match is None:
            return token.end()
        tag = match[0].strip("/").lower()
        if (not before.strip() or before in _BEFORE_TAG) and not tag.replace("/", "").isdigit():
            self.found.tags.append((token.start(), tag))
        return match.end()


@lru_cache(maxsize=64)
def _environment_ends(name: str) -> re.Pattern[str]:
    return re.compile(rf"\\(begin|end)\{{{re.escape(name)}\}}")


@lru_cache(maxsize=64)
def _fence_ends(sign: str, length: int, quoted: bool) -> re.Pattern[str]:
    close = rf"^[ \t>]*{sign}{{{length},}}[ \t]*\r?$"
    return re.compile(rf"{close}|^(?![ \t]*>)" if quoted else close, re.MULTILINE)


@lru_cache(maxsize=8)
def _element_ends(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}\s*>", re.IGNORECASE)
