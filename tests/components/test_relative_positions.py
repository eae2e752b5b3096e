"""Relative positions as people write them: a row for each distance, and what is near."""

from __future__ import annotations

import pytest

from notes2code.components.compiling import Compiler
from notes2code.components.distances import Relative, relative
from notes2code.components.library import library
from notes2code.components.own_sizes import shown_settings
from notes2code.components.recognise import Recognised
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker

SCALE = {"scale": "d_k**-0.5"}
Z = r"z_i = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top (k_j + %s)}{\sqrt{d_k}}\right) %s"


def recognised(*formulas: str) -> Recognised | None:
    """What the last of the formulas of a note is."""
    entries = [Entry(latex, "Note.md", (), at) for at, latex in enumerate(formulas)]
    return Compiler(Linker(entries, library().scope), library()).compiled(entries[-1]).recognised


def said(*formulas: str) -> tuple[str, str, dict[str, str]] | None:
    """The component, form and settings of the last of the formulas of a note."""
    found = recognised(*formulas)
    if found is None:
        return None
    shown = {name: value for name, value in shown_settings(found).items() if value is not None}
    return found.component.name, found.form.part, shown


def rows(*formulas: str) -> Relative | None:
    """The rows that keys have."""
    found = recognised(*formulas)
    return None if found is None else relative(found.settings["keys"])


@pytest.mark.parametrize(
    "written, kind, backwards",
    [
        ("r_{j-i}", "distance", False),
        ("p_{i-j}", "distance", True),
        (r"\mathbf{r}_{j-i}", "distance", False),
        (r"r_{\mathrm{clip}(j-i, c)}", "clipped", False),
        (r"w_{\text{clip}(j-i, -c, c)}", "clipped", False),
        (r"a_{\mathrm{clip}(i-j, c)}", "clipped", True),
        ("a_{ij}", "pair", False),
        ("R_{i,j}^K", "pair", False),
    ],
)
def test_rows(written: str, kind: str, backwards: bool) -> None:
    found = rows(Z % (written, "v_j"))
    assert found is not None
    assert (found.kind, found.backwards) == (kind, backwards)


FORMS = [
    ([Z % ("r_{j-i}", "(v_j + w_{j-i})")], "output", {"keys": "r", "values": "w", **SCALE}),
    ([r"e_{ij} = \frac{q_i^\top (k_j + r_{j-i})}{\sqrt{d_k}}"], "scores", {"keys": "r", **SCALE}),
    (
        [r"e_{ij} = \frac{q_i^\top k_j + q_i^\top r_{j-i}}{\sqrt{d_k}}"],
        "scores",
        {"keys": "r", **SCALE},
    ),
    ([r"e_{ij} = q_i \cdot (k_j + p_{i-j})"], "scores", {"keys": "p"}),
    (
        [
            r"a_{ij} = w_{\mathrm{clip}(j-i, k)}",
            r"\alpha_{ij} = \mathrm{softmax}_j(q_i (k_j + a_{ij})^T + b_{ij})",
        ],
        "weights",
        {"keys": "w", "mask": "b"},
    ),
]


@pytest.mark.parametrize("notes, form, settings", FORMS)
def test_attention(notes: list[str], form: str, settings: dict[str, str]) -> None:
    assert said(*notes) == ("relative_position_attention", form, settings)


SCORES = r"e_{ij} = \frac{x_i W^Q (x_j W^K + a_{ij}^K)^T}{\sqrt{d_z}}"
WEIGHTS = r"\alpha_{ij} = \frac{\exp e_{ij}}{\sum_{k=1}^n \exp e_{ik}}"
VALUES = r"z_i = \sum_{j=1}^n \alpha_{ij} (x_j W^V + a_{ij}^V)"
TABLES = [r"a_{ij}^K = w^K_{\mathrm{clip}(j-i, k)}", r"a_{ij}^V = w^V_{\mathrm{clip}(j-i, k)}"]


@pytest.mark.parametrize(
    "notes, form, settings",
    [
        ([SCORES], "scores", {"keys": "a_K"}),
        ([SCORES, WEIGHTS], "weights", {"keys": "a_K"}),
        ([SCORES, WEIGHTS, VALUES], "output", {"keys": "a_K", "values": "a_V"}),
        ([*TABLES, SCORES, WEIGHTS, VALUES], "output", {"keys": "w_K", "values": "w_V"}),
        ([r" \\ ".join([SCORES, WEIGHTS, VALUES])], "output", {"keys": "a_K", "values": "a_V"}),
        (
            [SCORES, WEIGHTS, r"z_i = \sum_{j=1}^n \alpha_{ij} x_j W^V"],
            "output",
            {"keys": "a_K"},
        ),
    ],
)
def test_self_attention(notes: list[str], form: str, settings: dict[str, str]) -> None:
    assert said(*notes) == ("relative_self_attention", form, {**settings, **SCALE})


@pytest.mark.parametrize(
    "latex",
    [
        Z % ("p_j", "v_j"),  # where a key stands, not how far from the query
        Z % ("p_i", "v_j"),
        Z % ("r_{ji}", "v_j"),
        Z % ("r_{i+j}", "v_j"),
        Z % ("2 r_{j-i}", "v_j"),
        Z % (r"r_{\mathrm{clip}(j-i, -c, b)}", "v_j"),
        r"z_i = \sum_j \mathrm{softmax}_j(q_i^\top k_j) (v_j + w_{j-i})",
    ],
)
def test_what_is_near(latex: str) -> None:
    found = said(latex)
    assert found is None or not found[0].startswith("relative")
