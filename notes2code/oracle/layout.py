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
            brackets = _brackets(doc)
            if len(parts) == 2 and brackets and _ends(*brackets[-1]):
                heads = [before + head + bracket.open for head, bracket, _ in brackets]
                at = next((k for k, head in enumerate(heads[1:]) if not _fits(head, indent)), -1)
                head, bracket, tail = brackets[at]
                if _fits(heads[at], indent):
                    return lines(bracket, indent, before + head, tail + behind)
            return lines(Bracket("(", (doc,), ")"), indent, before, behind)
        case Bracket(opening, parts, closing, separator):
            inner = _inside(parts, separator, indent + INDENT)
            return [" " * indent + before + opening, *inner, " " * indent + closing + behind]


def _brackets(doc: Doc) -> list[tuple[str, Bracket, str]]:
    """The outermost brackets of the code, each with what stands before and behind it."""
    match doc:
        case Bracket():
            return [("", doc, "")]
        case Row(parts) | Chain(parts):
            joint = " " if isinstance(doc, Chain) else ""
            texts = [flat(part) for part in parts]
            found: list[tuple[str, Bracket, str]] = []
            for k, part in enumerate(parts):
                left = "".join(text + joint for text in texts[:k])
                right = "".join(joint + text for text in texts[k + 1 :])
                found += [(left + head, b, tail + right) for head, b, tail in _brackets(part)]
            return found
    return []


def _ends(_: str, bracket: Bracket, tail: str) -> bool:
    """Whether code ends with a bracket, and not with a subscript."""
    return not tail and not (bracket.open.endswith("[") and len(bracket.open) > 1)


def _inside(parts: tuple[Doc, ...], separator: str, indent: int) -> list[str]:
    """What stands between brackets: on one line if it fits, else a line for each part."""
    together = f"{separator} ".join(map(flat, parts))
    if _fits(together, indent):
        return [" " * indent + together]
    out: list[str] = []
    for part in parts:
        end = separator if len(parts) > 1 else ""
        broken = not _fits(flat(part) + end, indent)
        pieces = part.parts if broken and isinstance(part, Chain) else (part,)
        for piece in pieces[:-1]:
            out += lines(piece, indent)
        out += lines(pieces[-1], indent, "", end)
    return out


def _fits(text: str, indent: int) -> bool:
    return indent + len(text) <= WIDTH
