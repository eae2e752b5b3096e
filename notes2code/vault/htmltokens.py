"""Splits HTML into tags and text with their offsets, in time linear in its length.

The standard library's parser takes quadratic time on damaged tags, and a web page in a
vault may come from a stranger.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from notes2code.vault.placed import PlacedText

_OPENING = re.compile(r"<(?:!--|[!?]|(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*))")
_ATTRIBUTE = re.compile(
    r"[\s/=]*([^\s/>=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]*)))?", re.DOTALL
)
_TAG_END = re.compile(r"[\s/=]*>")
_ENTITY = re.compile(r"&(?:#\d{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});?")
# Elements whose content is no HTML.
_RAW = {"script", "style", "textarea", "title", "xmp", "iframe", "noframes"}
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())


@dataclass(frozen=True, slots=True)
class Tag:
    """A start tag or an end tag at ``start:end`` of the text.

    ``values`` are the attributes, decoded, and ``spans`` the ranges they are written in.
    """

    name: str
    start: int
    end: int
    closing: bool
    values: Mapping[str, str]
    spans: Mapping[str, tuple[int, int]]

    @property
    def classes(self) -> list[str]:
        """The words of the class attribute."""
        return self.values.get("class", "").split()


@dataclass(frozen=True, slots=True)
class Text:
    """The characters ``start:end`` between tags; ``raw`` ones hold no entities."""

    start: int
    end: int
    raw: bool = False


def html_tokens(text: str, start: int) -> Iterator[Tag | Text]:
    """The tags and texts from ``start`` on; comments and declarations are left out."""
    position = start
    while opening := _OPENING.search(text, position):
        if opening.start() > position:
            yield Text(position, opening.start())
        name = opening["name"]
        if name is None:
            sign = "-->" if opening[0] == "<!--" else ">"
            close = text.find(sign, opening.end())
            position = close + len(sign) if close >= 0 else len(text)
            continue
        tag = _tag(text, opening, name.lower())
        yield tag
        position = tag.end
        if tag.name in _RAW and not tag.closing:
            close = _find_end(text, tag.name, position)
            if close > position:
                yield Text(position, close, raw=tag.name != "title")
            position = close
    if position < len(text):
        yield Text(position, len(text))


def _find_end(text: str, name: str, position: int) -> int:
    found = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, position)
    return found.start() if found else len(text)


def _tag(text: str, opening: re.Match[str], name: str) -> Tag:
    """Read the attributes of a tag; one that is never closed takes the rest of the text."""
    values: dict[str, str] = {}
    spans: dict[str, tuple[int, int]] = {}
    position = opening.end()
    while True:
        if end := _TAG_END.match(text, position):
            return Tag(name, opening.start(), end.end(), bool(opening["end"]), values, spans)
        attribute = _ATTRIBUTE.match(text, position)
        if attribute is None:
            return Tag(name, opening.start(), len(text), bool(opening["end"]), values, spans)
        position = attribute.end()
        key = attribute[1].lower()
        if key not in values:
            group = attribute.lastindex or 1
            written = attribute[group] if group > 1 else ""
            values[key] = html.unescape(written) if "&" in written else written
            spans[key] = attribute.span(group)


def add_decoded(placed: PlacedText, text: str, start: int, end: int) -> None:
    """Append ``text[start:end]`` with its entities decoded."""
    position = start
    for entity in _ENTITY.finditer(text, start, end):
        decoded = html.unescape(entity[0])
        if decoded != entity[0]:
            placed.add(text[position : entity.start()], position)
            placed.add(decoded, entity.start())
            position = entity.end()
    placed.add(text[position:end], position)
