"""The order of classes in a module: what others are made of comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations

import pytest

from building import package_of

DOT = r"\mathrm{softmax}(QK^\top) V"
BILINEAR = r"\mathrm{softmax}(Q W K^\top) V"
SCALED = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V"
ONE_HEAD = r"\mathrm{Attention}(X W^Q, X W^K, X W^V)"
HEADS = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, "
    r"\quad \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)"
)
NORM = r"\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac{1}{d} \sum_{i=1}^{d} x_i^2}} \odot \gamma"
CAUSAL_HEADS = (
    HEADS.replace("MultiHead", "MaskedMultiHead")
    .replace(
        r"\mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)",
        r"\mathrm{softmax}\left(\frac{XW_i^Q (XW_i^K)^\top}{\sqrt{d_k}} + M\right) XW_i^V, "
        r"\quad M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
    )
    .replace("Q, K, V", "X")
)
CAUSAL_HEAD = CAUSAL_HEADS.partition("head}_i = ")[2].replace("_i", "")
DECODER = (
    r"\mathrm{Decoder}(Y, H) = S_N, \quad S_l = \mathrm{DecoderLayer}(S_{l-1}, H), \quad S_0 = Y"
)
ENCODER = r"\mathrm{Encoder}(X) = H_N, \quad H_l = \mathrm{EncoderLayer}(H_{l-1}), \quad H_0 = X"
BLOCK = (
    r"\mathrm{Block}(X) = \mathrm{RMSNorm}(Z + \mathrm{FFN}(Z)), \quad "
    r"Z = \mathrm{RMSNorm}(X + \mathrm{MaskedMultiHead}(X))"
)
DECODER_LAYER = (
    r"\mathrm{DecoderLayer}(Y, H) = \mathrm{RMSNorm}(B + \mathrm{FFN}(B)), \quad "
    r"A = \mathrm{RMSNorm}(Y + \mathrm{MaskedMultiHead}(Y)), \quad "
    r"B = \mathrm{RMSNorm}(A + \mathrm{MultiHead}(A, H, H))"
)
LAYER = (
    r"\mathrm{EncoderLayer}(X) = \mathrm{RMSNorm}(Z + \mathrm{FFN}(Z)), \quad "
    r"Z = \mathrm{RMSNorm}(X + \mathrm{MultiHead}(X, X, X))"
)


def classes(formulas: Sequence[str], module: str) -> list[str]:
    """The classes of a module of these notes, in order, without those that all notes share."""
    code = package_of(formulas)[f"transformer/{module}.py"]
    summary = r"    r?\"\"\"(?:.+\n)+(?=\n    {4})"
    found = re.findall(rf"^class (\w+)\([^)]*\):\n{summary}", code, re.MULTILINE)
    return [str(name) for name in found]


@pytest.mark.parametrize(
    "formulas", list(permutations([DOT, BILINEAR, SCALED, ONE_HEAD, HEADS]))[::9]
)
def test_what_attentions_are_made_of_stands_before_them(formulas: Sequence[str]) -> None:
    """Its variants stand beside it; for the rest the notes have their own order."""
    found = classes(formulas, "attention")
    scaled, unscaled = "ScaledDotProductAttention", "UnscaledDotProductAttention"
    assert found[:3] == [scaled, unscaled, "BilinearAttention"]
    made = {ONE_HEAD: "SelfAttention", HEADS: "MultiHeadAttention"}
    assert found[3:] == [made[formula] for formula in formulas if formula in made]


@pytest.mark.parametrize("formulas", list(permutations([LAYER, HEADS, NORM])))
def test_what_layers_are_made_of_stands_before_them(formulas: Sequence[str]) -> None:
    found = classes(formulas, "layers")
    assert found == ["RMSNorm", "FeedForward", "EncoderLayer"]


def test_layers_of_as_many_steps_stand_together() -> None:
    """Those that more is made of come first, however many parts they are made of themselves."""
    notes = [SCALED, HEADS, CAUSAL_HEADS, NORM, BLOCK, DECODER_LAYER, LAYER, DECODER, ENCODER]
    found = ["EncoderLayer", "DecoderLayer", "TransformerBlock"]
    assert classes(notes, "layers")[-3:] in (found, [found[1], found[0], found[2]])


def test_one_head_is_no_variant_of_several() -> None:
    """It stands with what has one head, too, as in the notes."""
    found = classes([SCALED, ONE_HEAD, CAUSAL_HEAD, HEADS, CAUSAL_HEADS, BLOCK, NORM], "attention")
    assert found[1:] == [
        "CausalSelfAttention",
        "SelfAttention",
        "SingleHeadCausalSelfAttention",
        "MultiHeadAttention",
    ]


def test_a_helper_stands_before_the_first_class_that_calls_it() -> None:
    code = package_of([SCALED, HEADS])["transformer/attention.py"]
    found = re.findall(r"^(?:class|def) (\w+)", code, re.MULTILINE)
    helpers = ["split_heads", "join_heads", "check_given"]
    assert found[-5:] == ["ScaledDotProductAttention", *helpers, "MultiHeadAttention"]


def test_a_whole_model_stands_behind_what_it_is_made_of() -> None:
    """Models follow each other as in the notes, the encoder before the decoder."""
    gpt = (
        r"h_0 = U W_e + W_p, \quad h_l = \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, N, "
        r"\quad P = \mathrm{softmax}(h_N W_e^\top)"
    )
    both = r"\mathrm{softmax}(\mathrm{Decoder}(Y, \mathrm{Encoder}(X)) W + b)"
    found = ["Encoder", "Decoder", "EncoderDecoder"]
    assert classes([gpt, both], "models") == ["GPT", *found]
    assert classes([both, gpt], "models") == [*found, "GPT"]
