"""Reads the short texts of drawings, which are no Markdown but can hold math and links."""

from __future__ import annotations

from notes2code.vault.content import Content
from notes2code.vault.links import wikilink_text
from notes2code.vault.masked import body
from notes2code.vault.model import Formula, Paragraph, SourceMap
from notes2code.vault.pieces import Kind
from notes2code.vault.verbatim import find_pieces


def read_label(text: str, places: SourceMap, tags: tuple[str, ...] = ()) -> Content:
    """The paragraph, formulas and links of a label, with offsets in the file."""
    found = find_pieces(text, 0, len(text))
    formulas: list[Formula] = []
    shown: list[str] = []
    position = 0
    for piece in found.pieces:
        shown.append(text[position : piece.start])
        written = text[piece.start : piece.end]
        position = piece.end
        if piece.kind in (Kind.INLINE, Kind.DISPLAY):
            latex, latex_places = body(text, piece, in_table=False)
            if latex:
                display = piece.kind is Kind.DISPLAY
                formulas.append(Formula(latex, latex_places, display, tags=tags))
                shown.append(f"${latex}$")
        elif piece.kind is not Kind.COMMENT:
            shown.append(wikilink_text(written) if piece.kind is Kind.LINK else written)
    shown.append(text[position:])
    label = "".join(shown).strip()
    paragraphs = (Paragraph(label, 0, len(text), tags=tags),) if label else ()
    return Content(
        tuple(formulas), paragraphs=paragraphs, links=tuple(found.links),
        problems=tuple(found.problems),
    ).through(places)  # fmt: skip
