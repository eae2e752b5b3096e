"""The documentation of a part: its docstring, its formula, and where that comes from."""

from __future__ import annotations

import re
import textwrap

from notes2code.components.plan import Part, Source
from notes2code.emit.docstring import docstring_lines

WIDTH = 99
_PLACES = 4


def docstring(part: Part, vault: str, shapes: dict[str, str], indent: int) -> str:
    """A docstring, quotes included, to stand at an indentation."""
    summary = wrapped(part.component.summary, WIDTH - indent - 4)
    shown = [f"{name}: {shape}" for name, shape in shapes.items() if shape]
    blocks = [
        summary,
        *(textwrap.indent(rows(latex, WIDTH - indent - 4), "    ") for latex in formulas(part)),
        "\n".join(wrapped(line, WIDTH - indent) for line in shown),
        wrapped(_sentence(origin(part, vault)), WIDTH - indent),
    ]
    lines = docstring_lines("\n\n".join(block for block in blocks if block))
    return textwrap.indent("\n".join(lines), " " * indent)


def formulas(part: Part) -> tuple[str, ...]:
    """The formula of a part, the note's or else the textbook's, and those it is read with."""
    main = next((s.latex for s in part.sources if s.latex), part.component.textbook)
    return main, *(latex for latex in part.stated if latex != main)


def origin(part: Part, vault: str) -> str:
    """Where a part comes from: ``from vault/Attention.md:12``."""
    source = part.component.source
    places = [place(vault, s) for s in part.sources if s.latex]
    if places:
        return f"from {_listed(places)}"
    named = [place(vault, s) for s in part.sources]
    if named:
        return f"named in {_listed(named)}; the formula is from {source}"
    return f"after {source}" if source else ""


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _listed(places: list[str]) -> str:
    more = f" and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    return ", ".join(places[:_PLACES]) + more


def place(vault: str, source: Source) -> str:
    """A place in a note, as ``vault/Attention.md:12``."""
    return f"{vault}/{source.note}:{source.line}"


def rows(latex: str, width: int) -> str:
    """A formula on the lines on which its author wrote it; those too long are broken at wide
    spaces if they have any, else at other ones."""
    written = (" ".join(line.split()) for line in latex.splitlines())
    return "\n".join(_at_wide_spaces(line, width) for line in written if line)


def _at_wide_spaces(line: str, width: int) -> str:
    out: list[str] = []
    for piece in re.split(r" (?=\\q?quad\b)", line):
        joined = f"{out[-1]} {piece}" if out else piece
        out[-1:] = [joined] if len(joined) <= width else [*out[-1:], piece]
    return "\n".join(wrapped(part, width) for part in out)


def wrapped(text: str, width: int) -> str:
    """The text on one line if it fits, else broken at spaces."""
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))
