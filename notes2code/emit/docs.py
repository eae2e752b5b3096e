"""The documentation of a part: its docstring, its formula, and where that comes from."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from notes2code.components.own_sizes import in_own_sizes, shown_settings
from notes2code.components.parts import Part, Source
from notes2code.emit.docstring import docstring_lines
from notes2code.emit.prose import factor, term, words

WIDTH = 99
_PLACES = 6
_SPACE = "\N{NO-BREAK SPACE}"


def docstring(part: Part, vault: str, shapes: dict[str, str], indent: int) -> str:
    """A docstring, quotes included, to stand at an indentation."""
    summary = wrapped(_summary(part), WIDTH - indent - 4)
    shown = [f"{name}: {shape}" for name, shape in shapes.items() if shape]
    blocks = [
        summary,
        *(textwrap.indent(rows(latex, WIDTH - indent - 4), "    ") for latex in formulas(part)),
        "\n".join(_hanging(line, WIDTH - indent) for line in shown),
        wrapped(_sentence(origin(part, vault)), WIDTH - indent).replace(_SPACE, " "),
    ]
    lines = docstring_lines("\n\n".join(block for block in blocks if block))
    return textwrap.indent("\n".join(lines), " " * indent)


def _summary(part: Part) -> str:
    """What a part is, in a sentence that tells variants apart by their settings."""
    said: list[str] = []
    for name, value in shown_settings(part.recognised).items():
        setting = part.component.settings[name]
        told = None if value is None else setting.says.get(value, setting.says.get(""))
        if told:
            own = in_own_sizes(part.recognised, part.recognised.settings[name])
            in_words = {"factor": factor, "term": term}.get(setting.kind, words)
            said.append(told.replace("{}", in_words(own)))
    component = part.component
    summary = component.summaries.get(part.recognised.form.part, component.summary)
    return ", ".join([summary.removesuffix("."), *said]) + "."


def formulas(part: Part) -> tuple[str, ...]:
    """The formula of a part, the note's or else the textbook's, and those it is read with."""
    textbook = part.component.textbook_of(part.recognised.textbook)
    main = next((s.latex for s in part.sources if s.latex), textbook.latex)
    return part.stated if main in part.stated else (main, *part.stated)


def origin(part: Part, vault: str) -> str:
    """Where a part comes from: ``from vault/Attention.md:12``."""
    source = part.component.textbook_of(part.recognised.textbook).source
    places = [s for s in part.sources if s.latex]
    if places:
        return f"from {_listed(places, vault)}"
    if part.sources:
        behind = _said_besides(part, vault)
        return f"named in {_listed(part.sources, vault)}{behind}; the formula is from {source}"
    return f"after {source}" if source else ""


def _said_besides(part: Part, vault: str) -> str:
    """Where the notes say which of the textbook's formulas a part is that they only name."""
    kinds = part.recognised.textbook.split()
    lines = [(s, s.normed, "last norm") for s in part.sources if "final_norm" in kinds]
    lines += [(s, s.untied, "own way out") for s in part.sources if "own_head" in kinds]
    said: dict[str, str] = {}
    for source, line, what in lines:
        if line:
            said.setdefault(what, f", its {what} in {place(vault, replace(source, line=line))}")
    return "".join(said.values())


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _listed(sources: Sequence[Source], vault: str) -> str:
    """Places, those in one note together: ``vault/Masks.md:16, 47; vault/GPT.md:43``."""
    sources = list({place(vault, source): source for source in sources}.values())
    lines: dict[str, list[int]] = {}
    for source in sources[:_PLACES]:
        lines.setdefault(place(vault, source).rpartition(":")[0], []).append(source.line)
    more = f" and {len(sources) - _PLACES} more" if len(sources) > _PLACES else ""
    listed = (f"{note}:{', '.join(map(str, sorted(own)))}" for note, own in lines.items())
    return "; ".join(listed) + more


def place(vault: str, source: Source) -> str:
    """A place in a note, as ``vault/Attention.md:12``, that no line is broken in."""
    return f"{vault}/{source.note}:{source.line}".replace(" ", _SPACE)


def rows(latex: str, width: int) -> str:
    """A formula on the lines on which its author wrote it; those too long are broken at wide
    spaces if they have any, else behind an equals sign, else at other spaces."""
    written = (" ".join(line.split()) for line in latex.splitlines())
    return "\n".join(_at_wide_spaces(line, width) for line in written if line)


def _at_wide_spaces(line: str, width: int) -> str:
    out: list[str] = []
    for piece in re.split(r" (?=\\q?quad\b)", line):
        joined = f"{out[-1]} {piece}" if out else piece
        out[-1:] = [joined] if len(joined) <= width else [*out[-1:], piece]
    return "\n".join(_at_equals_sign(part, width) for part in out)


def _at_equals_sign(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    left, sign, right = _whole(line, "({[", ")}]").partition("= ")
    if sign and len(right) <= width - 4:
        return f"{left}=\n    {right}".replace(_SPACE, " ")
    for opening, closing in (("({[", ")}]"), ("{", "}"), ("", "")):
        text = wrapped(_whole(line, opening, closing), width, hanging=4)
        if max(map(len, text.splitlines())) <= width:
            break
    return text.replace(_SPACE, " ")


def _whole(text: str, opening: str, closing: str) -> str:
    """The text with its spaces between brackets kept from being broken at."""
    out, depth = "", 0
    for character in text:
        depth = max(0, depth + (character in opening) - (character in closing))
        out += _SPACE if character == " " and depth else character
    return out


def _hanging(line: str, width: int) -> str:
    """What a docstring says of an argument: a shape stays on one line, and further lines are
    indented."""
    return wrapped(_whole(line, "(", ")"), width, hanging=4).replace(_SPACE, " ")


def wrapped(text: str, width: int, hanging: int = 0) -> str:
    """The text on one line if it fits, else broken at spaces; further lines are indented."""
    return "\n".join(
        textwrap.wrap(
            text,
            width,
            subsequent_indent=" " * hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )
