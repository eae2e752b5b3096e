"""Common ways to write attention, with all that is built on it, up to whole models.

Each is a note whose attention differs; the layers, stacks and models are the textbook's. Their
classes must exist and pass the tests of their package, and an encoder layer's attention must give
what is written out here by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of, warnings_of, without_training
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault

Array = np.ndarray
SIZES = (
    r"Q \in \mathbb{R}^{n \times d_k}, K \in \mathbb{R}^{m \times d_k},"
    r" V \in \mathbb{R}^{m \times d_v}"
)
ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(%s\right)V"
CAUSAL = r"\mathrm{CausalAttention}(Q, K, V) = \mathrm{softmax}\left(%s\right)V, \quad "
MASK = r"M_{ij} = \begin{cases} 0 & j \le i \\ %s & j > i \end{cases}"
SELF = (
    r"\mathrm{CausalSelfAttention}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)"
    r" W^O, \quad \mathrm{head}_i = \mathrm{CausalAttention}(XW_i^Q, XW_i^K, XW_i^V)"
)
MULTI_HEAD = library().components["multi_head_attention"].textbook.latex
STACK = [
    library().components[name].textbook.latex.replace("MaskedMultiHead", "CausalSelfAttention")
    for name in (
        "encoder_layer", "encoder", "decoder_layer", "decoder", "encoder_decoder",
        "transformer_block", "gpt",
    )
]  # fmt: skip
CLASSES = [
    "MultiHeadAttention", "CausalSelfAttention", "EncoderLayer", "Encoder", "DecoderLayer",
    "Decoder", "EncoderDecoder", "TransformerBlock", "GPT",
]  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """The scores in both attentions, what hides the keys that come later, the scores by hand from
    the products, d_k and d_model, and the numbers that an encoder layer is made with."""

    plain: str
    causal: str
    by_hand: Callable[[Array, int, int], Array]
    hidden: str = r"-\infty"
    numbers: tuple[tuple[str, float], ...] = ()


VARIANTS = {
    "divided by the root of d_model": Variant(
        r"\frac{QK^\top}{\sqrt{d_{model}}}", r"\frac{QK^\top}{\sqrt{d_{model}}} + M",
        lambda s, d_k, d_model: s / np.sqrt(d_model),
    ),
    "mask inside the scale": Variant(
        r"\frac{QK^\top}{\sqrt{d_k}}", r"\frac{QK^\top + M}{\sqrt{d_k}}",
        lambda s, d_k, d_model: s / np.sqrt(d_k), "-10^9",
    ),
    "a temperature, and a large number for infinity": Variant(
        r"\frac{1}{\tau\sqrt{d_k}} QK^\top", r"\frac{1}{\tau\sqrt{d_k}} QK^\top + M",
        lambda s, d_k, d_model: s / np.sqrt(d_k) / 1.7, "-1e9", (("tau", 1.7),),
    ),
}  # fmt: skip


def note(variant: Variant) -> list[str]:
    """The formulas of a note."""
    causal = CAUSAL % variant.causal + MASK % variant.hidden
    return [SIZES, ATTENTION % variant.plain, MULTI_HEAD, causal, SELF, *STACK]


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_all_that_is_built_on_it_works(
    variant: Variant,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    files = package_of(note(variant))
    package = imported(files)
    assert [name for name in CLASSES if not hasattr(package, name)] == []
    layer = package.EncoderLayer(6, 2, 8, **dict(variant.numbers)).double()
    weights = {name: value.numpy() for name, value in layer.attention.state_dict().items()}
    x = torch.randn(1, 4, 6, dtype=torch.float64)
    heads = []
    for head in range(2):
        query, key, value = (
            x[0].numpy() @ np.split(weights[f"W_{letter}.weight"], 2)[head].T for letter in "QKV"
        )
        powers = np.exp(variant.by_hand(query @ key.T, 3, 6))
        heads.append(powers / powers.sum(axis=-1, keepdims=True) @ value)
    expected = np.concatenate(heads, axis=-1) @ weights["W_O.weight"].T
    np.testing.assert_allclose(layer.attention(x)[0].detach().numpy(), expected)
    assert run_tests(without_training(files))


@pytest.mark.parametrize(
    ("kept", "hidden", "told"), [(r"j \le i", "j > i", False), ("j < i", r"j \ge i", True)]
)
def test_masks_that_are_not_causal_are_told(kept: str, hidden: str, told: bool) -> None:
    mask = rf"M_{{ij}} = \begin{{cases}} 0 & {kept} \\ -\infty & {hidden} \end{{cases}}"
    formula = CAUSAL % r"\frac{QK^\top}{\sqrt{d_k}} + M" + mask
    assert ("N2C050" in warnings_of([formula])) == told


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        (
            r"\mathrm{Attention}(Q, K, V) = \sigma\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
            "no class computes",
        ),
        (
            (ATTENTION % r"\frac{QK^\top}{\sqrt{d_k}} + M")
            + r", \quad M_{ij} = \begin{cases} 0 & j < i \\ -10^9 & j \ge i \end{cases}",
            "write −∞",
        ),
    ],
)
def test_what_heads_cannot_call_is_told_and_left_out(
    formula: str, why: str, tmp_path: Path
) -> None:
    """Rather than code that the formula's own tests would fail."""
    (tmp_path / "Note.md").write_text(f"$${formula}$$\n\n$${MULTI_HEAD}$$\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert not any("class MultiHeadAttention" in text for text in rendered.files.values())
    remarks = [remark for found in rendered.remarks.values() for remark in found]
    assert any(remark.code == "N2C053" and why in remark.message for remark in remarks)
