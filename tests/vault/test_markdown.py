"""Sections, tags, paragraphs, links, code and comments of Markdown notes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notes2code.vault import Note

Read = Callable[..., Note]


def test_sections(read: Read) -> None:
    note = read("$a$\n# One\n$b$\n### Deep *er*\n$c$\n## Two\n$d$\n\nSetext\n---\n$e$\n# End\n$f$")
    assert {formula.latex: formula.section for formula in note.formulas} == {
        "a": (),
        "b": ("One",),
        "c": ("One", "Deep er"),
        "d": ("One", "Two"),
        "e": ("One", "Setext"),
        "f": ("End",),
    }


def test_headings_in_quotes_open_no_section(read: Read) -> None:
    note = read("# One\n> # Quoted\n\n$x$")
    assert note.formulas[0].section == ("One",)
    assert [p.heading for p in note.paragraphs] == [1, 1, 0]


def test_outline_headings_of_handwritten_notes(read: Read) -> None:
    note = read("#1 Encoder\n\n$x$\n\n#2. Feed forward .\n\n$y$\n\nblock\n#3\n\nsee\n#4 there")
    assert [f.section for f in note.formulas] == [("1 Encoder",), ("2. Feed forward .",)]
    assert [(p.text, p.heading) for p in note.paragraphs if "$" not in p.text] == [
        ("1 Encoder", 1),
        ("2. Feed forward .", 1),
        ("block\n#3", 0),
        ("see", 0),
        ("4 there", 0),
    ]
    assert note.tags == ()


def test_a_tag_before_words_starts_a_paragraph(read: Read) -> None:
    note = read("text\n#gpt causal self-attention\nmore")
    assert [p.text for p in note.paragraphs] == ["text", "gpt causal self-attention", "more"]
    assert note.paragraphs[1].tags == ("gpt",)


def test_tags_of_notes_sections_and_lines(read: Read) -> None:
    note = read(
        "---\ntags: ['#Deep/Learning', 2024, nlp]\ntag: extra, more\n---\n"
        "about #Math here\n$a$ #line\n\n# One #one\n\n$b$\n## Sub\n#sub and more\n\n$c$\n"
        "later #prose\n\n$d$\n# Two\n#only $e$\n\n$f$\n"
    )
    everywhere = ("deep/learning", "nlp", "extra", "more", "math")
    assert note.tags == everywhere
    assert {formula.latex: formula.tags for formula in note.formulas} == {
        "a": (*everywhere, "line"),
        "b": (*everywhere, "one"),
        "c": (*everywhere, "one", "sub"),
        "d": (*everywhere, "one", "sub"),
        "e": (*everywhere, "only"),
        "f": everywhere,
    }
    assert note.formulas[1].section == ("One",)


@pytest.mark.parametrize(
    "text",
    ["#1984", "a#b", "# heading", "##no", "`#a`", "$#a$", "[x](#a)", "[[Note#a]]", "```\n#a\n```",
     "    #include", "https://a.b/#c", "&#39;", "%% #a %%", r"\#a"],
)  # fmt: skip
def test_what_is_no_tag(read: Read, text: str) -> None:
    assert read("x\n\n" + text).tags == ()


def test_paragraph_text(read: Read) -> None:
    note = read(
        "**Bold**, *it*, snake_case, ~~gone~~, ==mark==, a * b, 2*3 and `code`[^1] &amp; more\n"
        "[label](note.md) ![](image.png) [[Note#Head|alias]] [[Note]] ![[embed]] <b>tag</b>\\*\n"
        "d<sub>k</sub> x<sup>i+1</sup>  \n%% hidden %% end ^block-1"
    )
    assert note.paragraphs[0].text == (
        "Bold, it, snake_case, gone, mark, a * b, 2*3 and code & more\n"
        "label  alias Note  tag*\n"
        "d_k x^{i+1}\n"
        "end"
    )


def test_each_item_cell_and_callout_is_a_paragraph(read: Read) -> None:
    text = (
        "- one\n  - [x] two\n\n| a | b\\|c |\n|---|---|\n|  | d |\n\n"
        "> [!note]- Title $x$\n> body\n> more\n"
    )
    note = read(text)
    assert [p.text for p in note.paragraphs] == [
        "one", "two", "a", "b|c", "d", "Title $x$", "body\nmore",
    ]  # fmt: skip
    written = [text[p.start : p.end] for p in note.paragraphs]
    assert written == [
        "one", "[x] two", "a", "b\\|c", "d", "Title $x$", "body\n> more",
    ]  # fmt: skip


def test_links(read: Read) -> None:
    text = "[[Note#Head#Sub|x]] ![[Drawing.excalidraw]] [t](dir/My%20Note.md#Part) [w](https://a.b)"
    note = read(text)
    assert [(k.target, k.anchor, k.embed, text[k.start : k.end]) for k in note.links] == [
        ("Note", "Head#Sub", False, "[[Note#Head#Sub|x]]"),
        ("Drawing.excalidraw", "", True, "![[Drawing.excalidraw]]"),
        ("dir/My Note.md", "Part", False, "[t](dir/My%20Note.md#Part)"),
    ]
    assert note.diagnostics == ()


def test_a_shortcode_is_a_target(read: Read) -> None:
    (paragraph,) = read('the [soft map]({{< ref "a b" >}}) of x').paragraphs
    assert paragraph.text == "the soft map of x"


def test_embedded_images_are_named_once(read: Read) -> None:
    images = "".join(f"![[scan {i}.png]]\n" for i in range(7))
    (told,) = read(f"text\n\n{images}![](https://a.b/plot)\n![[Note]]").diagnostics
    assert (told.code, told.severity, told.line, told.column) == ("N2C009", "note", 3, 1)
    assert told.message == (
        "8 embedded images are not read: scan 0.png, scan 1.png, scan 2.png, scan 3.png, "
        "scan 4.png and 3 more"
    )


def test_code_blocks(read: Read) -> None:
    text = (
        "# S\n\n```python\ndef f():\n    return 1\n```\n\n> ```\n> a\n>\n>   b\n> ```\n\n\tx = 1\n"
    )
    note = read(text)
    assert [(c.language, c.text, c.section) for c in note.code] == [
        ("python", "def f():\n    return 1", ("S",)),
        ("", "a\n\n  b", ("S",)),
        ("", "x = 1", ("S",)),
    ]
    for block in note.code:
        for index, character in enumerate(block.text):
            assert text[block.places.offset(index)] == character


def test_formulas_typed_as_code(read: Read) -> None:
    note = read(
        "`softmax(QK^T/√d_k)V` but `pip install x`, `my_file.py`, `a -> b` and `d_model = 512`\n\n"
        "```\nscores = Q @ K.T / sqrt(d_k)\nprint(scores)\n```\n\n```python\nx = y\n```\n"
    )
    assert [(f.latex, f.display) for f in note.formulas] == [
        ("softmax(QK^T/√d_k)V", False),
        ("d_model = 512", False),
        ("scores = Q @ K.T / sqrt(d_k)", True),
    ]
    assert all(formula.code for formula in note.formulas)


def test_what_is_said_behind_a_formula_in_code_is_no_part_of_it(read: Read) -> None:
    text = (
        "```\nu_i = W x_i   # the keys\nr = a + b  (the sum)\nL = -log(p)  // loss\n"
        "z = f(a)  (a + b)\ntar -xzf a=b\n```\n"
    )
    found = ["u_i = W x_i", "r = a + b", "L = -log(p)", "z = f(a)  (a + b)"]
    assert [f.latex for f in read(text).formulas] == found


def test_formulas_shown_in_code_with_their_dollars(read: Read) -> None:
    text = "see `$ a_i = b $`, ``$$c_i$$``\n\n```\n\\(d_i = e\\)\n```\n\nand `$HOME`\n"
    note = read(text)
    assert [f.latex for f in note.formulas] == ["a_i = b", "c_i", "d_i = e"]
    for formula in note.formulas:
        assert text[formula.places.offset(0)] == formula.latex[0]


def test_mermaid(read: Read) -> None:
    text = "```mermaid\ngraph TD\nA --> B\n```\n"
    note = read(text)
    (scene,) = note.scenes
    assert (scene.id, scene.kind, scene.data) == ("mermaid-1", "mermaid", "graph TD\nA --> B")
    assert text[scene.start : scene.end] == scene.data
    assert note.code == ()


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("$a$ %% n2c: name=s %% and $b$", "a"),
        ("%% n2c: name=s %% $a$ and $b$", "a"),
        ("%% n2c: name=s %%\n$$\na\n$$\n\n$b$", "a"),
        ("$b$\n\n$$a$$\n%% n2c: name=s %%", "a"),
        ("$$\na\n$$ %% n2c: name=s %%\n$$b$$", "a"),
        ("> $$\n> a\n> $$\n> %% n2c:\n> name=s %%\n\n$b$", "a"),
        ("```math\na\n```\n%% n2c: name=s %%", "a"),
    ],
)
def test_comments_for_one_formula(read: Read, text: str, owner: str) -> None:
    note = read(text)
    owned = {formula.latex: formula.directives for formula in note.formulas if formula.directives}
    assert {latex: " ".join(d).lstrip("> ") for latex, d in owned.items()} == {owner: "name=s"}
    assert note.diagnostics == ()


def test_comments_without_a_clear_formula(read: Read) -> None:
    note = read("$$a$$\n%% n2c: x %%\n$$b$$\n\n%% n2c: y %%\n\ntext\n")
    assert [f.directives for f in note.formulas] == [("x",), ()]
    assert [(d.code, d.line) for d in note.diagnostics] == [("N2C008", 2), ("N2C008", 5)]


def test_titles(read: Read) -> None:
    assert read("text", "a/My note.md").title == "My note"
    assert read("---\ntitle: Other\n---\ntext", "a/b.md").title == "Other"


def test_deep_nesting_loses_no_formula(read: Read) -> None:
    note = read("- " * 400 + "$x$\n\n" + "> " * 2000 + "$y$\n")
    assert [formula.latex for formula in note.formulas] == ["x", "y"]
