"""What notes name without a formula: the subjects of lines, not what occurs in sentences."""

from __future__ import annotations

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.vault import Vault
from notes2code.vault.note import read_note_text
from tables import row

ABOUT = "Here is attention, and here is a Transformer, each in a sentence that is long.\n\n"
"""By this a note is about the field; it names nothing itself."""


def named(text: str) -> set[str]:
    """The components that a note names."""
    note = read_note_text("note.md", text)
    return {m.component.name for m in compile_vault(Vault("", (note,)), library()).mentions}


def test_the_note_is_about_attention_and_names_nothing() -> None:
    assert named(ABOUT) == set()


@pytest.mark.parametrize(
    "line, names",
    [
        ("# Encoder", {"encoder"}),
        ("## 3 The encoder layer", {"encoder_layer"}),
        ("# Encoders and decoders", {"encoder", "decoder"}),
        ("- Encoder #1", {"encoder"}),
        ("# The whole Transformer", {"encoder_decoder"}),
        ("# From Encoder-Decoder to Transformer", {"encoder_decoder"}),
        ("# Transformer architecture", {"encoder_decoder"}),
        ("# Transformer for translation", {"encoder_decoder"}),
        ("# GPT-2 from scratch", {"gpt"}),
        ("# GPT-2 small", {"gpt"}),
        ("# GPT-2 XL", {"gpt"}),
        ("# Transformer模型的整体结构", {"encoder_decoder"}),
        ("# Transformer 详解", {"encoder_decoder"}),
        ("## 3.1 编码器结构", {"encoder"}),
        ("## 解码器层", {"decoder_layer"}),
        ("# Der Aufbau des Transformer", {"encoder_decoder"}),
        ("## Kodierer-Schicht", {"encoder_layer"}),
        ("## Le décodeur", {"decoder"}),
        ("# A minimal GPT", {"gpt"}),
        ("# The encoder of the Transformer", {"encoder"}),
        ("## The Transformer layer", set()),  # a layer of a model is no model
        ("## GPT layer", set()),
        ("## GPT layers", {"gpt"}),  # all of its layers are
        ("# Bidirectional transformer language model", set()),  # which is no GPT
        ("# Layer norm in the decoder", {"layer_norm"}),
        ("# Decoder-only Transformer", {"gpt"}),
        ("# A decoder-only model", {"gpt"}),
        ("# Transformer decoder", {"decoder"}),  # the last of two is meant
        ("# Encoder–decoder attention", {"cross_attention"}),
        ("# Next: Layer norm", {"layer_norm"}),
        ("- Layer norm: why the mean is taken away at all here", set()),  # prose
        ("# Layer norm: why the mean is taken away at all here", {"layer_norm"}),
        ("- Positional encoding + token embedding", {"sinusoidal_positional_encoding",
            "token_embedding"}),
        (r"- Positional encoding \oplus", {"sinusoidal_positional_encoding"}),
        ("# Masked multi-head attention", {"causal_self_attention"}),
        ("# 4 a5 GPT - decoder concept - one direction", {"gpt"}),
        ("# a5 Casual selfattention", {"causal_self_attention"}),  # a slip
        ("# Synthesizer self-attention", {"synthesizer_attention"}),
        ("# Position-wise feed-forward networks", {"feed_forward"}),
        ("# BLEU (a long name of many words) for translation", {"bleu"}),  # its long form
        ("- Linear (logit)", {"output_head"}),  # parentheses inside a name
        ("### Learned positional embeddings (BERT, GPT-2)", {"learned_positional_embedding"}),
        ("# Encoder (BERT/GPT)", {"encoder"}),  # examples of it
        ("#layers/encoder-layer", {"encoder_layer"}),  # the last part of a tag
        ("Bahdanau's attention", {"additive_attention"}),
        ("## 多头注意力（Multi-Head Attention）", {"multi_head_attention"}),  # its name abroad
        ("## 2.1 위치 인코딩 (Positional Encoding)", {"sinusoidal_positional_encoding"}),
    ],
)  # fmt: skip
def test_a_name_that_is_the_subject_counts(line: str, names: set[str]) -> None:
    assert named(f"{ABOUT}{line}\n") == names


@pytest.mark.parametrize(
    "line",
    [
        "We used an entire block of ice.",
        "Entire block",
        "# Vision encoder",
        "# Vision Transformer",
        "# 视觉Transformer模型",
        "使用残差连接和Layer Normalization",
        "- 동일하게 Residual Connection, Layer Normalization을 적용한다.",
        "## 编码器的训练数据",
        "# Transformer-XL",
        "# Transformers for vision",
        "# Variational auto-encoder",
        "General attention to detail",
        "I ignore layer norm.",
        "Since encoder and decoder are perfectly invertible",
        "- numbers inside the feed-forward layer",
        "# Transformer loss",
        "(GPT)",
        "- a sentence (with an encoder)",
        "It is transformed.",
        "# $Encoder$",
        r"$$ \mathrm{FFN} $$",
        "각 서브레이어에 Residual Connection을 적용한다.",
        "## 训练目标（GPT）",
        "## 位置编码（Positional Encoding 的作用）",
        "## 结果 (Multi-Head Attention) 与 RNN",
    ],
)
def test_what_occurs_in_a_line_does_not(line: str) -> None:
    assert named(f"{ABOUT}{line}\n") == set()


@pytest.mark.parametrize("name", ["Encoder", "Decoder", "Transformer", "Encoder-decoder", "FFN"])
def test_other_fields_have_names_of_one_word_too(name: str) -> None:
    assert named(f"# An LSTM reads a sentence\n\n## {name}\n") == set()
    assert named(f"# A look at attention\n\n## {name}\n") != set()


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("注意力机制", "编码器 解码器"),
        ("Ein Modell der Aufmerksamkeit", "Kodierer Dekodierer"),
        ("La atención", "Codificador Decodificador"),
        ("Une attention", "Encodeur Décodeur"),
        ("アテンションとは", "エンコーダ デコーダ"),
        ("어텐션이란", "인코더 디코더"),
    ],
)
def test_so_they_have_in_other_languages(field: str, names: str) -> None:
    """A variational autoencoder has both, and is no Transformer."""
    lines = "\n\n".join(f"## {name}" for name in names.split())
    assert named(f"# VAE 变分自编码器\n\n{lines}\n") == set()
    assert named(f"# {field}\n\n{lines}\n") == {"encoder", "decoder"}


def test_a_formula_may_say_what_a_note_is_about() -> None:
    formula = r"$$ z = \mathrm{MHA}(x, x, x) $$"
    assert named(f"# Encoder\n\n{formula}\n") == {"encoder"}
    assert named("# Encoder\n\n$$ z = \\mathrm{SMHAX}(x) $$\n") == set()


def test_a_transformer_may_belong_to_a_power_station() -> None:
    assert named("# Transformer\n\nIts coils are wound around iron.\n") == set()


FFN = r"$$ \mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2 $$"


@pytest.mark.parametrize(
    "text",
    [
        row(f"{FFN} %% n2c: skip %%", "a formula"),
        row("Feed forward: $y = xW$ %% n2c: skip %%", "a formula and its line"),
        row("# Feed forward\n#n2c/skip\n\n- FFN", "a section"),
    ],
)
def test_what_is_left_out_names_nothing(text: str) -> None:
    assert named(f"{ABOUT}{text}\n") == set()
    assert named(f"{ABOUT}Feed forward\n") == {"feed_forward"}
