"""Formulas that are not what their section or their name says are warned of."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import Rendered, render
from notes2code.vault import read_vault


def told(folder: Path, note: str) -> tuple[list[tuple[str, int, str]], Rendered]:
    """The codes, lines and messages of a vault of one note, remarks apart; and its package."""
    (folder / "Note.md").write_text(note, encoding="utf-8")
    compilation = compile_vault(read_vault(folder), library())
    rendered = render(compilation, "transformer")
    found = [*compilation.diagnostics(), *rendered.diagnostics]
    return [(d.code, d.line, d.message) for d in found if d.severity != "note"], rendered


REFUSED = """# Notes

## RMS norm

$$ \\mathrm{RMS}(u) = \\frac{u}{r \\odot g $$

$$ r = \\sqrt{\\frac1d \\sum_{i=1}^d u_i^2} $$
"""


def test_a_refused_formula_is_what_the_section_is_about_and_not_its_part(tmp_path: Path) -> None:
    found, rendered = told(tmp_path, REFUSED)
    assert [(code, line) for code, line, _ in found] == [("N2C022", 5), ("N2C056", 5)]
    assert "transformer.layers.RMSNorm" in rendered.classes


def test_a_formula_is_rather_not_the_part_than_not_the_model_that_the_section_names(
    tmp_path: Path,
) -> None:
    note = (
        "# The Transformer, an encoder and a decoder\n\n**Layer norm**\n\n$$ y = \\tanh(A x) $$\n"
    )
    found, _ = told(tmp_path, note)
    assert [text for code, _, text in found if code == "N2C056"] == [
        "this is not recognised as layer norm, which the section names"
    ]


NORM = r"$$ \mathrm{LayerNorm}(x) = \gamma \odot \frac{x}{\sqrt{\sigma^2 + \epsilon}} + \beta $$"


@pytest.mark.parametrize(
    ("note", "message"),
    [
        (
            "# Notes\n\n## Perplexity\n\n$$ p = 3^{L} $$\n",
            "this is not recognised as perplexity, which the section names",
        ),
        (
            "# Perplexity\n\nSome words.\n\n$$ p = 3^{L} $$\n",
            "this is not recognised as perplexity, which the section names",
        ),
        (
            "# Scores\n\n## One\n\n#attention/additive\n\n$$ a(q, k) = \\tanh(q^\\top k) $$\n",
            "this is not recognised as additive attention, which the section names",
        ),
        (
            "# Words\n\n## From words to vectors\n#embeddings/token\n\n$$ X = U E W $$\n",
            "this is not recognised as token embedding, which the section names",
        ),
        (
            f"# Notes\n\nSome words.\n\n{NORM}\n",
            "this is not recognised as layer norm, which its name says",
        ),
        (
            "# Notes\n\n## Perplexity\n\n$$ \\mathrm{PPL}(x) = 3^{x} $$\n\n$$ y = 5^{x} $$\n",
            "this is not recognised as perplexity, which its name says",
        ),
    ],
)
def test_a_formula_that_is_not_recognised_is_pointed_at(
    tmp_path: Path, note: str, message: str
) -> None:
    found, _ = told(tmp_path, note)
    line = note[: note.index("$$")].count("\n") + 1
    assert found == [("N2C056", line, message)]


@pytest.mark.parametrize(
    "note",
    [
        "# Notes\n\n## Perplexity\n\n$$ \\mathrm{PPL} = \\exp(L) $$\n\n$$ y = 3^{x} $$\n",
        "# Perplexity\n\n$$ y = 3^{x} $$\n\n## Formula\n\n$$ \\mathrm{PPL} = \\exp(L) $$\n",
        "# Notes\n\n## Perplexity\n\nIt is $p = 3^{L}$, or so.\n",
        "# Notes\n\n## Perplexity\n\nWords.\n\n## Powers\n\n$$ y = 3^{x} $$\n",
        "# Notes\n\n$$ f(x) = 3^{x} $$\n",
        "# Notes\n\n## Self-attention\n\n$$ Q = X W^Q, K = X W^K, V = X W^V $$\n",
        "# Notes\n\n## Perplexity\n\n$$ p = 3^{L} $$ %% n2c: emit %%\n",
        "# Notes\n\n## Self-attention\n\n$$ C = 4 n d^2 + 2 n^2 d $$\n",
        "# Notes\n\n## Multi-head attention\n\n$$ M = 2 \\cdot b \\cdot n \\cdot h \\cdot d_k $$\n",
        "# Notes\n\n## Kernel attention\n\n$$ K(q, k) = \\phi(q)^\\top \\phi(k) $$\n",
        "# Notes\n\n## Grouped query attention\n\n| All | $G = H$ |\n|---|---|\n| One | two |\n",
        "# Notes\n\n## Grouped query attention\n\n$$ G = H $$\n",
        "# Notes\n\n## GPT\n\n$$ \\mathrm{GELU}(x) = x \\Phi(x) $$\n",
        "# Notes\n\n## Cross-Attention\n\n$$ Q = X W, \\quad K = Y U, \\quad V = Y P $$\n\n"
        "$$ \\mathrm{CrossAttention}(Q, K, V) = \\mathrm{softmax}(Q K^\\top) V $$\n",
    ],
)
def test_other_formulas_are_not(tmp_path: Path, note: str) -> None:
    found, _ = told(tmp_path, note)
    assert found == []


@pytest.mark.parametrize(
    "body",
    [
        # The section says what the block is given, and what of its output.
        "## Transformer blocks\n\n$$ h_0 = U W_e + W_p $$\n\n"
        "$$ h_l = \\mathrm{TransformerBlock}(h_{l-1}) $$\n\n$$ p = \\tanh(h_l W) $$\n",
        # What a model is given is none.
        "## GPT\n\n$$ X = E + P $$\n",
    ],
)
def test_what_a_component_is_given_is_no_failed_one(tmp_path: Path, body: str) -> None:
    found, _ = told(tmp_path, f"# Notes\n\n{body}")
    assert "N2C056" not in {code for code, _, _ in found}


def test_a_model_that_is_not_recognised_is_pointed_at_where_it_computes(tmp_path: Path) -> None:
    body = "## GPT\n\n$$ X = E + P $$\n\n$$ Y = \\mathrm{softmax}(\\tanh(X) W) $$\n"
    found, _ = told(tmp_path, f"# Notes\n\n{body}")
    assert [(code, line) for code, line, _ in found] == [("N2C056", 7)]


def test_what_calls_it_is_left_out(tmp_path: Path) -> None:
    layer = r"$$ \mathrm{AddNorm}(x) = \mathrm{LayerNorm}(x + \mathrm{Sublayer}(x)) $$"
    found, rendered = told(tmp_path, f"# Notes\n\n{NORM}\n\n{layer}\n\n## Feed forward\n")
    assert [(code, line) for code, line, _ in found] == [("N2C056", 3), ("N2C053", 5)]
    assert "it calls `LayerNorm`, and no class computes" in found[1][2]
    assert "class FeedForward" in rendered.files["transformer/layers.py"]
    assert "AddNorm" not in rendered.files["transformer/layers.py"]


def test_what_calls_a_rejected_formula_is_left_out(tmp_path: Path) -> None:
    layer = r"$$ \mathrm{AddNorm}(x) = \mathrm{LayerNorm}(x + \mathrm{Sublayer}(x)) $$"
    rejected = NORM.replace(r"\frac{x}", r"\frac{x 3}")
    found, rendered = told(tmp_path, f"# Notes\n\n{rejected}\n\n{layer}\n\n## Feed forward\n")
    assert {("N2C025", 3), ("N2C053", 5)} <= {(code, line) for code, line, _ in found}
    assert "AddNorm" not in rendered.files["transformer/layers.py"]
