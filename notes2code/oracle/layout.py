"""Lines of code of at most 100 characters: where an expression may be broken, and breaking it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 100
INDENT = 4


@dataclass(frozen=True, slots=True)
class Row:
    """Parts side by side; one of them may be broken, but not between them."""

    parts: tuple[Doc, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Parts with a space between them; within brackets each may stand on a line of its own."""

    parts: tuple[Doc, ...]


@dataclass(frozen=True, slots=True)
class Bracket:
    """Parts between an opening and a closing text, with ``separator`` and a space between."""

    open: str
    parts: tuple[Doc, ...]
    close: str
    separator: str = ","


Doc: TypeAlias = str | Row | Chain | Bracket


def flat(doc: Doc) -> str:
    """The code on one line."""
    match doc:
        case str():
            return doc
        case Row(parts):
            return "".join(map(flat, parts))
        case Chain(parts):
            return " ".join(map(flat, parts))
        case Bracket(opening, parts, closing, separator):
            return opening + f"{separator} ".join(map(flat, parts)) + closing


def lines(doc: Doc, indent: int = 0, before: str = "", behind: str = "") -> list[str]:
    """The code between two texts, on one line if it fits, else broken as Black and Ruff do, so
    that formatting the file again changes nothing."""
    whole = before + flat(doc) + behind
    if _fits(whole, indent) or isinstance(doc, str):
        return [" " * indent + whole]
    match doc:
        case Row(parts):
            at = max(range(len(parts)), key=lambda k: (not isinstance(parts[k], str), k))
            before += "".join(map(flat, parts[:at]))
            return lines(parts[at], indent, before, "".join(map(flat, parts[at + 1 :])) + behind)
        case Chain(parts):
            head, last = _last_bracket(doc)
            if len(parts) == 2 and last is not None and _fits(before + head + last.open, indent):
                return lines(last, indent, before + head, behind)
            return lines(Bracket("(", (doc,), ")"), indent, before, behind)
        case Bracket(opening, parts, closing, separator):
            inner = _inside(parts, separator, indent + INDENT)
            return [" " * indent + before + opening, *inner, " " * indent + closing + behind]


def _last_bracket(doc: Doc) -> tuple[str, Bracket | None]:
    """The bracket that ends the code, and what stands before it."""
    match doc:
        case Bracket():
            return "", doc
        case Row((*first, end)) | Chain((*first, end)):
            joint = " " if isinstance(doc, Chain) else ""
            head, last = _last_bracket(end)
            return joint.join([*map(flat, first), head]), last
    return "", None


def _inside(parts: tuple[Doc, ...], separator: str, indent: int) -> list[str]:
    """What stands between brackets: on one line if it fits, else a line for each part."""
    together = f"{separator} ".join(map(flat, parts))
    if _fits(together, indent):
        return [" " * indent + together]
    if len(parts) == 1 and isinstance(parts[0], Chain):
        parts, separator = parts[0].parts, ""
    last = separator if len(parts) > 1 else ""
    ends = [separator] * (len(parts) - 1) + [last]
    return [
        line for part, end in zip(parts, ends, strict=True) for line in lines(part, indent, "", end)
    ]


def _fits(text: str, indent: int) -> bool:
    return indent + len(text) <= WIDTH
