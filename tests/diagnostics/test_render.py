"""How diagnostics are printed."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from notes2code.diagnostics import Diagnostic, Severity, Span, error
from notes2code.diagnostics.codes import TITLES
from notes2code.diagnostics.render import SHOWN, WIDTH, excerpt, render, render_one
from notes2code.vault import SourceText

NOWHERE = Span(0, 0)
DOCS = Path(__file__).resolve().parents[2] / "docs" / "diagnostics"


def wrong(
    message: str = "this is wrong",
    *,
    path: str = "Attention.md",
    line: int = 12,
    column: int = 3,
    text: str = "",
    caret: Span = NOWHERE,
    code: str = "N2C031",
    severity: Severity = Severity.ERROR,
    help: str = "",
) -> Diagnostic:
    return Diagnostic(
        code, severity, message, path, line, column, line, column + 1, help, text, caret
    )


def columns(text: str) -> int:
    """The columns of a text without combining signs."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def test_a_diagnostic_shows_place_line_caret_and_help() -> None:
    found = wrong(column=20, text=r"a + \frac{b}", caret=Span(4, 9), help="write `c`")
    assert render_one(found).splitlines() == [
        "Attention.md:12:20: error[N2C031]: this is wrong",
        r"   12 | a + \frac{b}",
        "      |     ^^^^^",
        "      help: write `c`",
    ]


def test_what_concerns_a_whole_file_has_no_line() -> None:
    found = wrong("cannot be read", path="Locked.md", line=1, column=1)
    assert render_one(found) == "Locked.md: error[N2C031]: cannot be read\n"


def test_carets_stand_under_wide_characters() -> None:
    line, marks = excerpt("注意力 = 注意 V", Span(6, 8))
    assert line == "注意力 = 注意 V"
    assert marks == " " * 9 + "^^^^"
    assert columns("注意力 = ") == 9


def test_combining_signs_take_no_column_and_tabs_four() -> None:
    assert excerpt("e\u0301 x", Span(3, 4)) == ("e\u0301 x", "  ^")
    assert excerpt("\tx", Span(1, 2)) == ("    x", "    ^")


def test_a_caret_behind_the_last_character() -> None:
    assert excerpt("ab", Span(2, 3)) == ("ab", "  ^")


def test_signs_that_act_on_a_terminal_are_not_printed() -> None:
    text = render_one(
        wrong("red \x1b[31m\u202e", path="a\x07.md", text="\x1b]0;x\x07 b", caret=Span(7, 8))
    )
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)


def test_a_message_of_several_lines_is_printed_on_one() -> None:
    assert render_one(wrong("a\n  b", help="c\nd")).splitlines() == [
        "Attention.md:12:3: error[N2C031]: a b",
        "      help: c d",
    ]


@given(
    st.text(st.sampled_from("ab\\{注\u0301\t "), min_size=1, max_size=400),
    st.data(),
)
def test_long_lines_are_clipped_around_the_caret(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    line, marks = excerpt(text, Span(start, end))
    assert columns(line.replace("\u0301", "")) <= WIDTH + 2
    assert columns(marks) <= WIDTH + 2 or text[start] == "\u0301"
    # The first caret stands under the first character, wherever the line was clipped.
    indent = len(marks) - len(marks.lstrip())
    shown = line.replace("\u0301", "")
    under = "".join(c * columns(c) for c in shown)[indent : indent + 1]
    if text[start] not in "\u0301":
        assert under == (" " if text[start] == "\t" else text[start])


def test_equal_messages_of_a_note_are_folded() -> None:
    numbers = [5, 14, 15, 17, 18, 19, 20, 21, 22, 22]
    text = render([wrong(path="OCR.md", line=number) for number in numbers])
    assert text.splitlines() == [
        "OCR.md:5:3: error[N2C031]: this is wrong",
        "      … and 9 more like this in OCR.md: lines 14, 15, 17–22",
    ]


def test_one_line_more_is_told_as_one_line() -> None:
    assert render([wrong(line=3), wrong(line=9)]).endswith(
        "1 more like this in Attention.md: line 9\n"
    )


def test_a_note_with_a_hundred_problems_stays_readable() -> None:
    found = [wrong(f"`x{n}` is wrong", line=2 * n) for n in range(1, 101)]
    lines = render(found).splitlines()
    assert sum("error[N2C031]" in line for line in lines) == SHOWN
    assert lines[-1].startswith(
        f"      … and {100 - SHOWN} more like this in Attention.md: lines 12,"
    )
    assert lines[-1].endswith(", …") and len(lines[-1]) < 2 * WIDTH


def test_notes_and_codes_are_not_folded_into_each_other() -> None:
    found = [wrong(), wrong(path="b.md"), wrong(code="N2C032"), wrong(severity=Severity.WARNING)]
    assert "more like this" not in render(found)


def test_colours_only_when_asked() -> None:
    found = wrong(text="abc", caret=Span(1, 2), help="h")
    plain, coloured = render([found]), render([found], colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[N2C031]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_the_caret_of_a_placed_problem() -> None:
    """The caret covers exactly the characters that a note's problem covers."""
    source = SourceText("N.md", "first\nsoft 注 $a +* b$\n")
    problem = error("N2C020", "two signs", Span(17, 18)).problem
    lines = render_one(source.diagnostic(problem)).splitlines()
    assert lines[0].startswith("N.md:2:12: ")
    prefix, under = lines[1], lines[2]
    at = columns(prefix[: prefix.index("*")])
    assert under.index("^") == at and under.count("^") == 1


def test_every_code_of_the_output_has_a_page() -> None:
    codes = {code for code in TITLES if code.startswith("N2C07")}
    pages = {page.stem for page in DOCS.glob("N2C07*.md")}
    assert codes == pages
    for code in codes:
        text = (DOCS / f"{code}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {code}: {TITLES[code]}\n")
        assert re.findall("^## (.*)$", text, re.MULTILINE) == [
            "What it means",
            "Example",
            "How to fix it",
        ]
