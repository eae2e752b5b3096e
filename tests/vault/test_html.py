"""Web pages that note-taking programs export."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notes2code.vault import Note

Read = Callable[..., Note]


def page(body: str) -> str:
    return f"<!doctype html><html><head><title>T</title></head><body>{body}</body></html>"


KATEX = (
    '<span class="katex{}"><span class="katex-mathml"><math><semantics><mrow><mi>drawn</mi></mrow>'
    '<annotation encoding="application/x-tex">a &lt; b &amp; c</annotation></semantics></math>'
    '</span><span class="katex-html" aria-hidden="true"><span>drawn</span></span></span>'
)


@pytest.mark.parametrize(
    ("body", "latex", "display"),
    [
        ('<script type="math/tex">a < b</script>', "a < b", False),
        ('<script type="math/tex; mode=display">\n a \n</script>', "a", True),
        ('<script type="math/tex">% <![CDATA[\na < b %]]></script>', "a < b", False),
        (KATEX.format(""), "a < b & c", False),
        (f'<span class="katex-display">{KATEX.format("")}</span>', "a < b & c", True),
        ('<math alttext="x^{2}&gt;0" display="block"><mi>drawn</mi></math>', "x^{2}>0", True),
        (
            '<math alttext="no"><semantics><mi>drawn</mi>'
            '<annotation encoding="application/x-tex">x</annotation></semantics></math>',
            "x", False,
        ),
        (
            '<mjx-container class="MathJax" display="true"><mjx-math><mjx-c/>drawn</mjx-math>'
            '<mjx-assistive-mml><math display="block"><mi>drawn</mi><annotation '
            'encoding="application/x-tex">x</annotation></math></mjx-assistive-mml></mjx-container>',
            "x", True,
        ),
        ('<mjx-container><mjx-math data-latex="x_1">drawn</mjx-math></mjx-container>',
         "x_1", False),
        (
            '<span class="MathJax_Preview">drawn</span><span class="MathJax_SVG"><svg><path/>'
            '<text>drawn</text></svg></span><script type="math/tex">x</script>',
            "x", False,
        ),
        (
            '<div class="MathJax_Display"><span class="MathJax"><nobr>drawn</nobr><math><mi>drawn'
            '</mi></math></span></div><script type="math/tex; mode=display">x</script>',
            "x", True,
        ),
        ('<mjx-container>drawn</mjx-container><script type="math/tex">x</script>', "x", False),
        ('<span class="math inline">\\(a &lt; b\\)</span>', "a < b", False),
        ('<span class="math display">\\[a\n= b\\]</span>', "a\n= b", True),
        ("$$a &amp; b\\\\ c$$", "a & b\\\\ c", True),
    ],
)  # fmt: skip
def test_where_the_latex_is(read: Read, body: str, latex: str, display: bool) -> None:
    note = read(page(f"<p>so {body} holds</p>"), "a.html")
    assert [(f.latex, f.display) for f in note.formulas] == [(latex, display)]
    assert [p.text for p in note.paragraphs] == [f"so ${' '.join(latex.split())}$ holds"]
    assert note.diagnostics == ()


def test_formulas_side_by_side(read: Read) -> None:
    body = '<script type="math/tex">a</script><script type="math/tex">b</script>\\(c_1\\)'
    note = read(page(f"<p>{body}{KATEX.format('')}</p>"), "a.html")
    assert [f.latex for f in note.formulas] == ["a", "b", "c_1", "a < b & c"]
    assert note.paragraphs[0].text == "$a$$b$$c_1$$a < b & c$"


def test_formulas_without_latex_are_told(read: Read) -> None:
    drawn = "<mjx-container><mjx-math>x</mjx-math><math><mi>x</mi></math></mjx-container>"
    svg = '<span class="MathJax_SVG"><svg></svg></span>'
    text = page(f"<p>one {drawn} and {svg}</p><p><span class='katex'>x</span> {KATEX}</p>")
    note = read(text, "a.html")
    (told,) = note.diagnostics
    assert (told.code, told.column) == ("N2C010", text.index("<mjx") + 1)
    assert told.message.startswith("3 formulas are only drawn")
    assert len(note.formulas) == 1
    assert [p.text for p in note.paragraphs] == ["one and", "$a < b & c$"]


def test_sections_paragraphs_and_title(read: Read) -> None:
    text = "junk\n1\n2\n" + page(
        "<h1>Top</h1><div>loose <b>text</b><ul><li>one<li>two <p>three</p></ul>"
        "<table><tr><th>a</th><td>b</td></tr></table></div>"
        "<h3>Deep &amp; low</h3>x<sub>1</sub>, d<sup>k+1</sup><br>next &nbsp; line"
        "<h2>Two</h2><blockquote>q \\(x_2\\)</blockquote>"
    )
    note = read(text + "<p>footer</p>", "a.html")
    assert note.title == "T"
    assert [(p.text, p.heading, p.section) for p in note.paragraphs] == [
        ("Top", 1, ("Top",)),
        ("loose text", 0, ("Top",)),
        ("one", 0, ("Top",)),
        ("two", 0, ("Top",)),
        ("three", 0, ("Top",)),
        ("a", 0, ("Top",)),
        ("b", 0, ("Top",)),
        ("Deep & low", 3, ("Top", "Deep & low")),
        ("x_1, d^{k+1}\nnext \xa0 line", 0, ("Top", "Deep & low")),
        ("Two", 2, ("Top", "Two")),
        ("q $x_2$", 0, ("Top", "Two")),
    ]
    assert note.formulas[0].section == ("Top", "Two")
    assert [text[p.start : p.end] for p in note.paragraphs[:3]] == ["Top", "loose <b>text", "one"]


@pytest.mark.parametrize(
    ("text", "title"),
    [("<p>x</p>", "a"), ("<h1>One</h1><h1>Two</h1>", "One"), ("<title> A&amp;B\n</title>x", "A&B")],
)
def test_titles(read: Read, text: str, title: str) -> None:
    assert read(text, "a.html").title == title


def test_code(read: Read) -> None:
    note = read(
        page(
            '<h2>S</h2><pre><code class="language-python">'
            "def f():\n    return a &lt; b\n</code></pre>"
            "<p>with <code>d_k = 64</code> and <code>pip</code></p>"
            "<pre>softmax(QK^T)V\n</pre>"
        ),
        "a.html",
    )
    assert [(c.language, c.text, c.section) for c in note.code] == [
        ("python", "def f():\n    return a < b", ("S",)),
        ("", "softmax(QK^T)V", ("S",)),
    ]
    assert [(f.latex, f.display, f.code, f.section) for f in note.formulas] == [
        ("d_k = 64", False, True, ("S",)),
        ("softmax(QK^T)V", True, True, ("S",)),
    ]
    assert [p.text for p in note.paragraphs] == ["S", "with d_k = 64 and pip"]


def test_code_in_an_editor_is_one_block(read: Read) -> None:
    def line(number: int, code: str) -> str:
        return (
            '<div><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber">'
            f'{number}</div></div><pre class=" CodeMirror-line "><span>{code}</span></pre></div>'
        )

    body = (
        '<p>before</p><pre class="md-fences" lang="Python"><div class="CodeMirror">'
        "<div><textarea>typed</textarea></div><div class='CodeMirror-measure'><pre><span>xxxxxxxxxx"
        "</span></pre></div><div class='CodeMirror-code'>"
        + line(1, "<span>def</span> f(x):")
        + line(2, "\u200b")
        + line(3, "    <span>return</span> x &gt; 0")
        + "</div></div></pre><p>after</p>"
    )
    note = read(page(body), "a.html")
    assert [(c.language, c.text.split("\n")) for c in note.code] == [
        ("python", ["def f(x):", " ", "    return x > 0"])
    ]
    assert [p.text for p in note.paragraphs] == ["before", "after"]


def test_mermaid(read: Read) -> None:
    note = read(
        page('<pre><code class="language-mermaid">graph TD\nA --&gt; B</code></pre>'), "a.html"
    )
    assert [(s.kind, s.data) for s in note.scenes] == [("mermaid", "graph TD\nA --> B")]


def test_links_and_images(read: Read) -> None:
    text = page(
        '<a href="My%20Note.html#Part">x</a><a href="https://a.b">y</a><a href="#z">z</a>'
        '<img src="https://a.b/fig%201.svg?raw=true"><img src="data:image/png;base64,AAAA">'
    )
    note = read(text, "a.html")
    assert [(k.target, k.anchor, k.embed) for k in note.links] == [
        ("My Note.html", "Part", False),
        ("https://a.b/fig 1.svg?raw=true", "", True),
        ("data:", "", True),
    ]
    assert [d.message for d in note.diagnostics] == [
        "2 embedded images are not read: fig 1.svg, an image in the note itself"
    ]


@pytest.mark.parametrize(
    "text",
    ["", "<", "<p", "<p class='x", "</p></p></div>", "<script>", "<!--",
     "a &# b &; &#0; &#99999999;",
     "<pre><code>x", "<math><annotation encoding='application/x-tex'>x", "<p>\ue000\ue001</p>"],
)  # fmt: skip
def test_broken_pages_do_no_harm(read: Read, text: str) -> None:
    read(text, "a.html")
    read(page(text), "a.html")
