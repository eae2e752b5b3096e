"""Cases whose rows have names: several formulas in one."""

from __future__ import annotations

import pytest

from notes2code.latex.labelled import labelled

LUONG = r"""\text{score}(h_t, \bar{h}_s) = \begin{cases}
  h_t^\top \bar{h}_s & \text{dot} \\
  h_t^\top W_a \bar{h}_s & \text{general} \\[4pt]
  v_a^\top \tanh(W_a [h_t; \bar{h}_s]) & \text{concat} \\
\end{cases}"""


def test_each_row_is_a_formula_of_its_name() -> None:
    found = labelled(LUONG)
    assert [(one.label, one.latex) for one in found] == [
        ("dot", r" \text{score}^{\text{dot}}(h_t, \bar{h}_s) = h_t^\top \bar{h}_s"),
        ("general", r" \text{score}^{\text{general}}(h_t, \bar{h}_s) = h_t^\top W_a \bar{h}_s"),
        (
            "concat",
            r" \text{score}^{\text{concat}}(h_t, \bar{h}_s) = v_a^\top \tanh(W_a [h_t; \bar{h}_s])",
        ),
    ]


def test_each_piece_has_its_place() -> None:
    for one in labelled(LUONG):
        row = LUONG[one.pieces[0][1] :]
        assert row.startswith(one.pieces[-1][0])
        (name, at), (label, beside), (rest, behind) = one.pieces[1:4]
        assert LUONG[at:].startswith(name) and LUONG[behind:].startswith(rest)
        assert label == rf"^{{\text{{{one.label}}}}}" and LUONG[beside:].startswith(one.label)


@pytest.mark.parametrize(
    "latex",
    [
        r"e_{ij} = \begin{cases} s_i^T h_j \quad \text{dot} \\ s_i^T W h_j \quad \text{general} "
        r"\end{cases}",
        r"e_{ij} = \left\{ \begin{array}{ll} s_i^T h_j & \textit{(dot)} \\ "
        r"s_i^T W h_j & \mathrm{general} \end{array} \right.",
        r"e_{ij} := \begin{cases} s_i^T h_j, & \text{dot,} \\ "
        r"s_i^T \begin{bmatrix} 1 \\ 2 \end{bmatrix}, & \text{general} \end{cases}.",
        r"e_{ij} = \begin{cases} \begin{aligned} &s_i^T h_j &dot \\ &s_i^T W h_j &general "
        r"\end{aligned} \end{cases}",
    ],
)
def test_ways_of_writing(latex: str) -> None:
    found = labelled(latex.replace(r"\text{dot,}", r"\text{dot},"))
    assert [one.label for one in found] == ["dot", "general"]
    assert all(one.latex.startswith(rf" e^{{\text{{{one.label}}}}}_{{ij}}") for one in found)


def test_names_of_several_words() -> None:
    rows = (
        r"x y & \text{[Luong's multiplicative style]} \\ x + y & \text{[Bahdanau's additive style]}"
    )
    found = labelled(rf"s(x, y) = \begin{{cases}} {rows} \end{{cases}}")
    assert [one.label for one in found] == [
        "Luong's multiplicative style",
        "Bahdanau's additive style",
    ]


@pytest.mark.parametrize(
    "latex",
    [
        r"f(x) = \begin{cases} x & x > 0 \\ 0 & \text{otherwise} \end{cases}",
        r"f(x) = \begin{cases} x & \text{if } x > 0 \\ 0 & \text{else} \end{cases}",
        r"f(x) = \begin{cases} x & \text{dot} \end{cases}",
        r"f(x) = \begin{cases} x & \text{dot} \\ & \text{general} \end{cases}",
        r"f^2 = \begin{cases} x & \text{dot} \\ y & \text{general} \end{cases}",
        r"\begin{cases} x & \text{dot} \\ y & \text{general} \end{cases}",
        r"f(x) = 2 \begin{cases} x & \text{dot} \\ y & \text{general} \end{cases}",
        r"f(x) = \begin{cases} x & \text{dot} \\ y & \text{general} \end{cases} + 1",
        r"f(x) = \begin{cases} x & \text{dot} \\ y & \text{general}",
        r"f(x) = \begin{cases} x & \text{valid} \\ y & \text{mask out} \end{cases}",
        r"f(x) = \begin{cases} x & x > 0 \text{ (kept)} \\ y & x < 0 \text{ (lost)} \end{cases}",
        "",
    ],
)
def test_what_is_no_such_formula(latex: str) -> None:
    assert labelled(latex) == ()
