"""Where Markdown holds math, by Obsidian's rule."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notes2code.vault import Note, read_note_text

Read = Callable[..., Note]
Math = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("a $x$ b", ["x"]),
        ("$x$", ["x"]),
        ("$a$ and $b$, $c$.", ["a", "b", "c"]),
        ("$a$$b$", ["a", "b"]),
        ("($x_1$)", ["x_1"]),
        ("**$x$**, *$y$*, ==$z$==, ~~$w$~~", ["x", "y", "z", "w"]),
        ("$W_q * x$ and $c * d$", ["W_q * x", "c * d"]),
        ("# On $QK^T$\n\nSetext $x$\n===", ["QK^T", "x"]),
        ("- $x$\n\t- $y$\n1. $z$", ["x", "y", "z"]),
        ("> $x$\n> > $y$", ["x", "y"]),
        ("$a +\nb$", ["a +\nb"]),
        ("> $a +\n> b$", ["a +\nb"]),
        (r"$5\$ + x$", [r"5\$ + x"]),
        ("[see $x$](https://a.b/$c$)", ["x"]),
        ("a[^1]\n\n[^1]: with $x$", ["x"]),
        ("- [ ] task $x$", ["x"]),
        ("<div align=center>\n$x$\n</div>", ["x"]),
        ("GitHub's $`a_b`$", ["a_b"]),
        ("over lines $`\na_b\n`$", ["a_b"]),
        (r"\(x\) and \(a_b\)", ["x", "a_b"]),
        ("\\[\na = b\n\\]", ["a = b"]),
        # With the backslash escaped for Markdown; within, rows may end as in any other formula.
        (r"\\(x\\) and \\(a_b = \frac{c}{d}\\)", ["x", r"a_b = \frac{c}{d}"]),
        ("\\\\[\na = b \\\\\\\\ c = d\n\\\\]", [r"a = b \\\\ c = d"]),
    ],
)
def test_inline_math(math: Math, text: str, formulas: list[str]) -> None:
    assert math(text) == formulas


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $6",
        "from 5$ to 6$ more",
        "$ x$ and $y $",
        "$x$5",
        r"\$x\$",
        r"\\\$x$",
        "`$x$` and ``a `$x$` b``",
        "```\n$x$\n```",
        "~~~python\n$x$\n~~~",
        "> ```\n> $x$\n> ```",
        "- ```\n  $$\n  x\n  $$\n  ```",
        "text\n\n    echo $HOME $PATH$",
        "- a $5\n- b 6$ c",
        "a $5\n\n6$ b",
        "# a $5\n6$ b",
        "| a $5 | b$ c |\n|---|---|\n| 1 | 2 |",
        "<!-- $x$ -->",
        "<code>$x$</code>",
        "%% $x$ %%",
        "a %%\n$x$\n\n$$y$$\n%% b",
        "$$$$",
        "$$ $$",
        r"\[1\] and \[edit\] and \(see above\)",
        "[[Prices in $|$x$]]",
    ],
)
def test_what_is_no_math(math: Math, text: str) -> None:
    assert math(text) == []


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("$$x$$", ["x"]),
        ("$$\nx\n$$", ["x"]),
        ("$$x\ny$$", ["x\ny"]),
        ("so $$x$$ holds", ["x"]),
        ("so $$\nx\n$$", ["x"]),
        ("so $$\nx\n\ny\n$$ holds", ["x\n\ny"]),
        ("$$a$$$$b$$\n$$c$$", ["a", "b", "c"]),
        ("$$a$$ $$b$$", ["a", "b"]),
        ("- $$x$$\n\t- $$y$$", ["x", "y"]),
        ("- $$\n  x\n  y\n  $$", ["x\ny"]),
        ("- text\n  $$\n  x\n\n  y\n  $$\n- next $z$", ["x\n\ny"]),
        ("    $$x$$", ["x"]),
        ("text\n\n\t$$\n\tx\n\t$$", ["x"]),
        ("> $$\n> x\n> y\n> $$", ["x\ny"]),
        ("> [!info] title\n>$$\nx\n>$$", ["x"]),
        ("> > $$\n> > a\n> > > b\n> > $$", ["a\n> b"]),
        ("> - $$\n>   x\n>   $$", ["x"]),
        ("$$\na\n= b\n- c\n> d\n$$", ["a\n= b\n- c\n> d"]),
        ("| f |\n|---|\n| $$x$$ |", ["x"]),
        ("$$x$$\n---\ntext", ["x"]),
        ("$$\na % b\n$$", ["a % b"]),
        ("$$ a \\$ b $$", [r"a \$ b"]),
        ("\\begin{align}\na &= b\\\\\n\nc &= d\n\\end{align}", None),
        ("text\n\\begin{cases} a \\\\ b \\end{cases}\nmore", None),
        ("```math\n\\frac{a}{b}\n```", [r"\frac{a}{b}"]),
        ("> ```math\n> a\n> b\n> ```", ["a\nb"]),
    ],
)
def test_display_math(read: Read, text: str, formulas: list[str] | None) -> None:
    found = read(text).formulas
    if formulas is None:
        formulas = [text[text.index("\\begin") : text.rindex("}") + 1]]
    assert [formula.latex for formula in found if formula.display] == formulas
    assert not [formula for formula in found if formula.code]


def test_a_setext_heading_is_not_made_of_math(read: Read) -> None:
    note = read("$$x$$\n---\ntext")
    assert [paragraph.heading for paragraph in note.paragraphs] == [0, 0]


def test_tables_escape_bars(read: Read) -> None:
    note = read("| a | b |\n|---|---|\n| $P(A\\|B)$ | $|x|$ and $y$ |")
    assert [formula.latex for formula in note.formulas] == ["P(A|B)", "|x|", "y"]
    cells = [paragraph.text for paragraph in note.paragraphs]
    assert cells == ["a", "b", "$P(A|B)$", "$|x|$ and $y$"]


def test_text_environments_are_no_math(read: Read) -> None:
    assert read("\\begin{itemize}\n\\item a\n\\end{itemize}").formulas == ()


def test_places_of_a_quoted_formula(read: Read) -> None:
    note = read("> text\n> $$\n> a +\n> b\n> $$\n")
    (formula,) = note.formulas
    assert [note.source.position(formula.places.offset(i)) for i in (0, 2, 4)] == [
        (3, 3), (3, 5), (4, 3),
    ]  # fmt: skip


def test_carriage_returns_are_no_part_of_a_formula(read: Read) -> None:
    note = read("# H\r\n\r\n> $$\r\n> a\r\n> b\r\n> $$\r\n\r\n- $x$\r\n")
    assert [formula.latex for formula in note.formulas] == ["a\nb", "x"]
    assert note.formulas[0].section == ("H",)


def test_private_characters_and_nul_are_plain_text(read: Read) -> None:
    note = read("icon \uf8ff\ue000 \0 $x$ $\ue001$\n")
    assert [formula.latex for formula in note.formulas] == ["x", "\ue001"]


# A generator of notes that knows which formulas it wrote.

ATOMS = [
    "x", "W_q", r"\frac{a}{b}", "+", r"\cdot", "{", "}", r"\%", "^2", "=", "<", "*", "_", "`",
    r"\text{if }", "#", "[", "]", "(", ")", r"\\", "&", "~", "%", "é", "⊤", "!", ">", "-", "5",
]  # fmt: skip
INLINE = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5).map(" ".join).filter(
    lambda latex: latex[0] != "`" and not latex.endswith("\\")
)  # fmt: skip
WORDS = st.sampled_from(
    ["so", "costs 5 dollars", "**bold**", "`code $y$`", r"\$", "[[Note|name]]", "and *then*",
     "%% hidden $y$ %%", "<b>so</b>", "[a](b_c)", "“quoted”", "$ 5 ", "é", "#tag"]
)  # fmt: skip


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    """One line of text with inline math, and the formulas in it."""
    parts, formulas = ["text"], []
    for _ in range(draw(st.integers(0, 3))):
        parts.append(draw(WORDS))
        latex = draw(INLINE)
        formulas.append(latex)
        parts.append(f"${latex}$")
    return " ".join([*parts, "end"]), formulas


# A line that Markdown takes for a heading, or for one in a quote or list, ends what stands before
# it, in Obsidian too; such a line can be no part of a formula.
A_HEADING = re.compile(r"^[>+* -]*#", re.M)


@st.composite
def displays(draw: st.DrawFn) -> tuple[str, list[str]]:
    """One display formula of one or several lines."""
    latex = "\n".join(draw(st.lists(INLINE, min_size=1, max_size=3)))
    if A_HEADING.search(latex):
        latex = latex.replace("#", "x")
    shape = draw(st.sampled_from(["$$\n{}\n$$", "$${}$$", "so $${}$$ holds", "$${}$$."]))
    return shape.format(latex), [latex]


@st.composite
def blocks(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A paragraph, heading, list, quote, table or code block."""
    kind = draw(st.sampled_from(["text", "heading", "list", "quote", "nested", "code", "table"]))
    if kind == "code":
        return "```python\ncost = '$x$ $$y$$'\n```", []
    if kind == "table":
        cells = [draw(INLINE.filter(lambda latex: "|" not in latex)) for _ in range(2)]
        return f"| a | b |\n|---|---|\n| ${cells[0]}$ | ${cells[1]}$ |", cells
    if kind == "heading":
        line, formulas = draw(lines())
        return f"## {line}", formulas
    body, formulas = draw(st.one_of(lines(), displays()))
    first, rest = {
        "text": ("", ""), "list": ("- ", "  "), "quote": ("> ", "> "), "nested": ("> 1. ", ">    "),
    }[kind]  # fmt: skip
    return first + body.replace("\n", "\n" + rest), formulas


@settings(max_examples=300, deadline=None)
@given(st.lists(blocks(), max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_every_formula_of_a_note_is_found(
    written: list[tuple[str, list[str]]], line_end: str
) -> None:
    text = "\n\n".join(block for block, _ in written).replace("\n", line_end)
    note = read_note_text("note.md", text)
    found = [formula for formula in note.formulas if not formula.code]
    assert [formula.latex for formula in found] == [f for _, fs in written for f in fs]
    for formula in found:
        places = [formula.places.offset(i) for i in range(len(formula.latex))]
        assert "".join(text[place] for place in places) == formula.latex


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="$`\\%\n #|>-[]()x5<!{}~*=^a", max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    for path in ("note.md", "page.html"):
        note = read_note_text(path, text)
        for formula in note.formulas:
            assert formula.latex
