"""Layers and models whose self-attention has a causal mask or lacks one: their tests assert what
the notes say, and a decoder without a mask is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from building import Package, package_of, warnings_of, without_training

HEADS = (
    r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O,"
    r" \quad \mathrm{head}_i = \mathrm{Attention}"
)
ONE = r"\mathrm{Heads}(X) = " + HEADS + "(X W_i^Q, X W_i^K, X W_i^V)"
THREE = r"\mathrm{MultiHead}(Q, K, V) = " + HEADS + "(Q W_i^Q, K W_i^K, V W_i^V)"
DECODER_LAYER = (
    r"\mathrm{DecoderLayer}(X, H) = \mathrm{LayerNorm}(B + \mathrm{FFN}(B)),"
    r" \quad B = \mathrm{LayerNorm}(A + \mathrm{MultiHead}(A, H, H)),"
    r" \quad A = \mathrm{LayerNorm}(X + \mathrm{Heads}(X))"
)
BLOCK = (
    r"\mathrm{Block}(X) = Z + \mathrm{FFN}(\mathrm{LayerNorm}(Z)),"
    r" \quad Z = X + \mathrm{Heads}(\mathrm{LayerNorm}(X))"
)
GPT = (
    r"P = \mathrm{softmax}(h_N E^\top), \quad h_l = \mathrm{Block}(h_{l-1}),"
    r" \quad l = 1, \dots, N, \quad h_0 = U E + W_p"
)
CAUSAL = (
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right)V,"
    r" \quad M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
)


@pytest.mark.parametrize("heads", [(ONE, THREE), (THREE, ONE)])
def test_a_decoder_without_a_mask_passes_its_tests(
    heads: tuple[str, str], run_tests: Callable[[Package], bool]
) -> None:
    files = package_of([*heads, DECODER_LAYER])
    assert "class DecoderLayer" in files["transformer/layers.py"]
    assert "decoder_layer_sees_nothing_that_comes_later" not in files["tests/test_layers.py"]
    assert run_tests(without_training(files))


def test_a_gpt_without_a_mask_passes_its_tests(run_tests: Callable[[Package], bool]) -> None:
    files = package_of([ONE, BLOCK, GPT])
    assert "class GPT(" in files["transformer/models.py"]
    assert "gpt_does_not_see_what_is_still_to_come" not in files["tests/test_models.py"]
    assert run_tests(without_training(files))


def test_an_encoder_layer_on_causal_heads_passes_its_tests(
    run_tests: Callable[[Package], bool],
) -> None:
    layer = (
        r"\mathrm{EncoderLayer}(X) = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z)),"
        r" \quad Z = \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X))"
    )
    files = package_of([CAUSAL, THREE, layer])
    assert "encoder_layer_sees_nothing_that_comes_later" in files["tests/test_layers.py"]
    assert run_tests(without_training(files))


WINDOWS = {
    "kept": r"0 & i - w < j \le i \\ -\infty & \text{otherwise}",
    "hidden": r"-\infty & j > i \text{ or } j \le i - w \\ 0 & \text{otherwise}",
}


@pytest.mark.parametrize("cases", WINDOWS)
def test_a_window_up_to_the_position_itself_is_causal(
    cases: str, imported: Any, run_tests: Callable[[Package], bool]
) -> None:
    """A model of it goes on from caches, and hides what lies before the window."""
    masked = CAUSAL.partition(r", \quad")[0]
    window = rf"M_{{ij}} = \begin{{cases}} {WINDOWS[cases]} \end{{cases}}"
    files = package_of([rf"{masked}, \quad {window}", ONE, BLOCK, GPT])
    package = imported(files)
    attention = package.ScaledDotProductAttention(w=3)
    query, key, value = torch.randn(3, 6, 4)
    scores = query @ key.T / 2
    for i in range(6):
        for j in range(6):
            if not i - 3 < j <= i:
                scores[i, j] = -torch.inf
    expected = torch.softmax(scores, dim=-1) @ value
    torch.testing.assert_close(attention(query, key, value), expected)
    torch.testing.assert_close(attention(query[4:], key, value), expected[4:])
    assert package.CausalSelfAttention and hasattr(package.GPT, "empty_caches")
    assert "gpt_does_not_see_what_is_still_to_come" in files["tests/test_models.py"]
    assert run_tests(without_training(files))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("latex", [DECODER_LAYER, GPT])
def test_a_decoder_without_a_mask_is_told(latex: str, masked: bool) -> None:
    attention = "CausalAttention" if masked else "Attention"
    one = ONE.replace("Attention", attention)
    declared = [CAUSAL.replace("Attention", attention)] if masked else []
    assert ("N2C050" in warnings_of([*declared, one, THREE, BLOCK, latex])) != masked
