"""Heads with a mask or a score of their own that a note joins and does not project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from building import Package, package_of, without_training
from notes2code.compilation import Compilation, compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault
from tables import softmax

HEADS = (
    r"o_{t,i} = \sum_{j=%s}^{%s} \mathrm{softmax}_j"
    r"\left(\frac{q_{t,i}^\top k_{j,i}}{\sqrt{d_h}}\right) v_{j,i}"
)
EVERY, CAUSAL, WINDOW = HEADS % ("1", "n"), HEADS % ("1", "t"), HEADS % ("t-w", "t")
JOINED = r"u_t = W^O [o_{t,1}; o_{t,2}; \dots; o_{t,h}]"
WIDE = r"W^O \in \mathbb{R}^{d \times d_h h}"
MHA = r"\mathrm{%s}(x)_t = W^O [o_{t,1}; \dots; o_{t,h}]"
PROJECTED = "the `q`, `k` and `v` of each head are taken to be projections of what `%s` is given"
Vault = Callable[[str], Compilation]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Compile one note."""

    def compiled(text: str) -> Compilation:
        (tmp_path / "Note.md").write_text(text, encoding="utf-8")
        return compile_vault(read_vault(tmp_path), library())

    return compiled


def by_hand(attention: Any, x: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Two heads that see some keys."""
    linear = (attention.W_Q, attention.W_K, attention.W_V)
    made = [np.split(x @ one.weight.detach().numpy().T, 2, axis=-1) for one in linear]
    hidden = np.where(seen, 0, -np.inf)
    heads = [
        softmax(q @ k.T / np.sqrt(q.shape[-1]) + hidden) @ v for q, k, v in zip(*made, strict=True)
    ]
    return np.concatenate(heads, axis=-1) @ attention.W_O.weight.detach().numpy().T


@pytest.mark.parametrize(
    ("formulas", "sizes", "seen"),
    [
        ([CAUSAL], {}, np.tri(6)),
        ([CAUSAL, WIDE], {}, np.tri(6)),
        ([WINDOW], {"w": 2}, np.tri(6) - np.tri(6, k=-3)),
    ],
)
def test_the_class_has_the_mask_of_its_heads(
    formulas: list[str],
    sizes: dict[str, int],
    seen: np.ndarray,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    files = package_of([*formulas, JOINED])
    assert run_tests(files)
    attention = imported(files).MultiHeadAttention(8, 2, **sizes).double()
    x = torch.randn(6, 8, dtype=torch.float64)
    expected = by_hand(attention, x.numpy(), seen)
    np.testing.assert_allclose(attention(x[None])[0].detach().numpy(), expected)


def test_the_class_has_the_score_of_its_heads(run_tests: Callable[[Package], bool]) -> None:
    score = r"\frac{q_{t,i}^\top k_{j,i}}{\sqrt{d_h}}"
    capped = EVERY.replace(score, rf"20 \tanh\left({score} / 20\right)")
    files = package_of([capped, JOINED])
    assert "20" in files["transformer/attention.py"]
    assert "class MultiHeadAttention" in files["transformer/attention.py"]
    assert run_tests(files)


def test_heads_with_a_mask_stand_beside_those_without(
    vault: Vault,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    page = [f"## {name}\n\n$${heads}$$\n\n$${JOINED}$$\n" for name, heads in BOTH.items()]
    files = render(vault("\n".join(page)), "transformer").files
    assert run_tests(files)
    package = imported(files)
    x, other = torch.randn(2, 1, 4, 8)
    changed = torch.cat([x[:, :3], other[:, 3:]], dim=1)
    for name, hides in (("MultiHeadAttention", False), ("CausalMultiHeadAttention", True)):
        attention = getattr(package, name)(8, 2)
        assert torch.allclose(attention(x)[:, :3], attention(changed)[:, :3]) == hides


BOTH = {"All": EVERY, "Earlier": CAUSAL}
LAYERS = r"""
$$ \mathrm{FFN}(x) = \mathrm{GELU}(x W_1 + b_1) W_2 + b_2 $$
$$ z = x + \mathrm{MHA}(\mathrm{LayerNorm}(x)) $$
$$ \mathrm{Block}(x) = z + \mathrm{FFN}(\mathrm{LayerNorm}(z)) $$
$$ h_0 = U W_e + W_p, \quad h_l = \mathrm{Block}(h_{l-1}), \quad
P = \mathrm{softmax}(h_N W_e^\top) $$
"""


@pytest.mark.parametrize(
    ("heads", "joined"),
    [
        (CAUSAL, MHA % "MHA"),
        (
            CAUSAL.replace("t,i", "i,t").replace("j,i", "i,j"),
            r"\mathrm{MHA}(x)_t = W^O [o_{1,t}; \dots; o_{h,t}]",
        ),
    ],
)
def test_heads_of_each_token_are_those_of_a_model(
    heads: str,
    joined: str,
    vault: Vault,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    """Their queries, keys and values are projections of what the function is given."""
    compiled = vault(f"$${heads}$$\n\n$${joined}$$\n{LAYERS}")
    assert [p.message for p in compiled.diagnostics()].count(PROJECTED % "MHA") == 1
    files = without_training(render(compiled, "transformer").files)
    assert run_tests(files)
    package = imported(files)
    assert "MultiHeadAttention" not in package.__all__
    sizes = {"vocab_size": 9, "max_len": 6, "d_model": 8, "num_heads": 2, "d_ff": 8}
    model = package.GPT(package.GPTConfig(**sizes, num_layers=2)).eval()
    tokens = torch.arange(6)[None]
    changed = torch.cat([tokens[:, :5], tokens[:, :1]], dim=1)
    assert torch.allclose(model(tokens)[:, :5], model(changed)[:, :5], atol=1e-6)


def test_each_section_projects_its_own_heads(vault: Vault) -> None:
    names = dict(zip(BOTH, ("MHA", "MaskedMHA"), strict=True))
    page = [f"## {s}\n\n$${h}$$\n\n$${MHA % names[s]}$$\n" for s, h in BOTH.items()]
    compiled = vault("\n".join(page))
    found = [f.compiled.recognised for f in compiled.formulas]
    kinds = [one.component.name for one in found if one is not None and "O" in one.component.names]
    assert kinds == ["multi_head_attention", "causal_self_attention"]
    said = [problem.message for problem in compiled.diagnostics()]
    assert [said.count(PROJECTED % name) for name in names.values()] == [1, 1]


@pytest.mark.parametrize(
    ("written", "other", "joined"),
    [
        ("k_{j,i}", "k_{j,t}", False),
        ("q_{t,i}", "q_t", False),
        ("v_{j,i}", "v_{i,j}", True),
        ("", "", False),
    ],
)
def test_what_is_not_of_a_head_and_a_token_is_not_projected(
    written: str, other: str, joined: bool, vault: Vault
) -> None:
    heads, together = CAUSAL.replace(written, other), MHA % "MHA"
    if not written:  # along the tokens nothing is joined that heads are
        together = together.replace("o_{t,1}", "o_{1,i}").replace("o_{t,h}", "o_{n,i}")
        together = together.replace("_t =", "_i =")
    compiled = vault(f"$${heads}$$\n\n$${together}$$\n")
    assert PROJECTED % "MHA" not in [problem.message for problem in compiled.diagnostics()]
    assert (compiled.formulas[-1].compiled.recognised is not None) == joined


LAYER = r"""
$$ x \leftarrow \mathrm{LayerNorm}(x + \mathrm{MultiHead}(x, x, x)) $$
$$ x \leftarrow \mathrm{LayerNorm}(x + \mathrm{FFN}(x)) $$
$$ \mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2 $$
"""


def test_a_layer_that_calls_multi_head_attention_has_no_causal_heads_without_a_name(
    vault: Vault,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    """The encoder layer of a page is the textbook's beside causal heads, and sees what comes."""
    page = f"# Causal\n\n$$ {CAUSAL} $$\n$$ {JOINED} $$\n\n# Layer\n{LAYER}"
    rendered = render(vault(page), "transformer")
    assert run_tests(rendered.files)
    package = imported(rendered.files)
    layer = package.EncoderLayer(6, 2, 8).eval()
    assert type(layer.attention) is package.MultiHeadAttention
    x = torch.randn(1, 4, 6)
    changed = torch.cat([x[:, :3], torch.randn(1, 1, 6)], dim=1)
    assert not torch.allclose(layer(x)[:, 0], layer(changed)[:, 0])
    causal = package.CausalMultiHeadAttention(6, 2).eval()
    torch.testing.assert_close(causal(x)[:, 0], causal(changed)[:, 0])
