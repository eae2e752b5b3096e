"""Makes a note of a file's text, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from notes2code.diagnostics import Problem
from notes2code.vault.canvas import read_canvas
from notes2code.vault.content import Content
from notes2code.vault.excalidraw import is_excalidraw, read_excalidraw
from notes2code.vault.excalidraw_file import read_excalidraw_file
from notes2code.vault.frontmatter import read_front_matter
from notes2code.vault.html import read_html
from notes2code.vault.links import unread_embeds
from notes2code.vault.markdown import read_markdown
from notes2code.vault.model import Note, NoteKind, SourceText

NOTE_SUFFIXES = frozenset({".md", ".markdown", ".excalidraw", ".canvas", ".html", ".htm"})


def read_note_text(path: str, text: str, problems: Sequence[Problem] = ()) -> Note:
    """Read one note.

    ``path`` is relative to the vault, with forward slashes; its suffix tells the format
    and is one of ``NOTE_SUFFIXES``. ``problems`` were met when the file was decoded.
    """
    name = PurePosixPath(path)
    title = name.stem.removesuffix(".excalidraw")
    match name.suffix.lower():
        case ".excalidraw":
            note = _note(path, text, "excalidraw", title, read_excalidraw_file(text), problems)
        case ".canvas":
            note = _note(path, text, "canvas", title, read_canvas(text), problems)
        case ".html" | ".htm":
            written, content = read_html(text)
            note = _note(path, text, "html", written or title, content, problems)
        case _:
            note = _markdown(path, text, title, problems)
    return note


def _markdown(path: str, text: str, title: str, problems: Sequence[Problem]) -> Note:
    front = read_front_matter(text)
    drawing = is_excalidraw(front, text)
    content = read_excalidraw(text, front) if drawing else read_markdown(text, front)
    if front.problem:
        problems = [*problems, front.problem]
    written = front.properties.get("title")
    note = _note(
        path,
        text,
        "excalidraw" if drawing else "markdown",
        written if isinstance(written, str) and written else title,
        content,
        problems,
    )
    return replace(note, properties=front.properties)


def _note(
    path: str, text: str, kind: NoteKind, title: str, content: Content, problems: Sequence[Problem]
) -> Note:
    source = SourceText(path, text)
    unread = unread_embeds(content.links)
    found = [*problems, *content.problems, *([unread] if unread else [])]
    found.sort(key=lambda problem: problem.span)
    return Note(
        source=source,
        kind=kind,
        title=title,
        tags=content.tags,
        formulas=content.formulas,
        code=content.code,
        paragraphs=content.paragraphs,
        links=content.links,
        scenes=content.scenes,
        diagnostics=tuple(source.diagnostic(problem) for problem in found),
    )
