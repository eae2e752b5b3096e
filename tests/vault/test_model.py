"""Places, and diagnostics in notes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from notes2code.diagnostics import Span, warning
from notes2code.vault import SourceMap, SourceText
from notes2code.vault.placed import PlacedText

CUTS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 10)), min_size=1, max_size=6)


def taken(text: str, cuts: list[tuple[int, int]]) -> tuple[str, SourceMap]:
    """Pieces of a text, and their map."""
    placed = PlacedText()
    for start, length in cuts:
        placed.add(text[start : start + length], start)
    return placed.whole()


@given(CUTS, CUTS, st.integers(0, 20), st.integers(1, 20))
def test_maps_compose(
    outer: list[tuple[int, int]], inner: list[tuple[int, int]], start: int, length: int
) -> None:
    file = "".join(map(chr, range(0x100, 0x140)))
    text, places = taken(file, outer)
    short, inner_places = taken(text, inner)
    if not short:
        return
    through = inner_places.through(places, len(short))
    assert "".join(file[through.offset(i)] for i in range(len(short))) == short
    part = short[start : start + length]
    part_places = through.part(start, length)
    assert "".join(file[part_places.offset(i)] for i in range(len(part))) == part
    assert all(0 <= own < max(len(part), 1) for own, _ in part_places.points)


def test_positions_and_excerpts() -> None:
    source = SourceText("a.md", "one\r\ntwo $x$\nlast")
    found = source.diagnostic(warning("N2C006", "m", Span(9, 12)))
    assert (found.line, found.column, found.end_line, found.end_column) == (2, 5, 2, 8)
    assert (found.excerpt, found.caret) == ("two $x$", Span(4, 7))
    assert source.line(1) == "one"


def test_the_excerpt_of_a_long_line_is_short() -> None:
    source = SourceText("a.html", "a" * 5000 + "HERE" + "b" * 5000)
    found = source.diagnostic(warning("N2C006", "m", Span(5000, 5004)))
    assert found.column == 5001
    assert len(found.excerpt) < 300
    assert found.excerpt[found.caret.start : found.caret.end] == "HERE"


def test_a_problem_in_an_extracted_text() -> None:
    source = SourceText("a.md", "> a +\n> bad\n")
    places = SourceMap(((0, 2), (4, 8)))
    found = source.diagnostic(warning("N2C006", "m", Span(4, 7)), "a +\nbad", places)
    assert (found.line, found.column, found.end_column) == (2, 3, 6)
    assert (found.excerpt, found.caret) == ("bad", Span(0, 3))
