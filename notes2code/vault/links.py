"""Wikilinks, embeds and Markdown links, and what is embedded but cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from notes2code.diagnostics import Problem, Severity, Span
from notes2code.vault.model import Link

WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n]+)\]\]")
# The part of a Markdown link or image behind its label.
MARKDOWN_TARGET = re.compile(
    r"\]\([ \t]*(<[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_LONGEST_LABEL = 1000
_NAMES_SHOWN = 5
_IMAGES = {
    ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".avif", ".tif", ".tiff", ".heic",
}  # fmt: skip
_OTHER_MEDIA = {
    ".pdf", ".mp3", ".wav", ".m4a", ".ogg", ".flac", ".3gp", ".mp4", ".webm", ".ogv", ".mov",
    ".mkv",
}  # fmt: skip


_MEDIA = _IMAGES | _OTHER_MEDIA


def wikilink(match: re.Match[str]) -> Link:
    """The link that a match of ``WIKILINK`` stands for."""
    path, _, anchor = match[2].partition("|")[0].rstrip("\\").partition("#")
    return Link(path.strip(), anchor.strip(), match[1] == "!", match.start(), match.end())


def wikilink_text(written: str) -> str:
    """What a reader sees of a wikilink, given as it is written: nothing of an embed."""
    if written.startswith("!"):
        return ""
    target, _, alias = written[2:-2].partition("|")
    return alias.strip() or target.rstrip("\\").strip()


def markdown_link(text: str, match: re.Match[str]) -> Link | None:
    """The link of a match of ``MARKDOWN_TARGET``; none when it leads out of the vault."""
    written = match[1].strip("<>")
    label = text.rfind("[", max(0, match.start() - _LONGEST_LABEL), match.start())
    start = match.start() if label < 0 else label
    embed = label > 0 and text[label - 1] == "!"
    if not written or (_SCHEME.match(written) and not embed):
        return None
    path, _, anchor = written.partition("#")
    return Link(unquote(path), unquote(anchor), embed, start - embed, match.end())


def unread_embeds(links: Sequence[Link]) -> Problem | None:
    """One remark on all embedded images and media, at the place of the first."""
    unread = [link for link in links if link.embed and _unreadable(link.target)]
    if not unread:
        return None
    names = list(dict.fromkeys(_file_name(link.target) for link in unread))
    images = all(_suffix(link.target) not in _OTHER_MEDIA for link in unread)
    what = "image" if images else "file"
    shown = ", ".join(names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    number = f"{len(unread)} embedded {what}s are" if len(unread) > 1 else f"an embedded {what} is"
    return Problem(
        "N2C009",
        Severity.NOTE,
        f"{number} not read: {shown}{more}",
        Span(unread[0].start, unread[0].end),
        "write the formulas that they show as LaTeX between $$ and $$",
    )


def _suffix(target: str) -> str:
    stem, dot, suffix = target.partition("?")[0].rpartition(".")
    return f".{suffix.lower()}" if stem and dot else ""


def _unreadable(target: str) -> bool:
    return _suffix(target) in _MEDIA or _SCHEME.match(target) is not None


def _file_name(target: str) -> str:
    if target.startswith("data:"):
        return "an image in the note itself"
    return PurePosixPath(unquote(target.partition("?")[0])).name
