"""Models as notes write them: what the formula says shows in the code, and its tests pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from building import Package, package_of, warnings_of

LAYERS = r"h_l = \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, N"
POSITIONS = r"PE_{(p, 2i)} = \sin(p / 500^{2i/d}), \quad PE_{(p, 2i+1)} = \cos(p / 500^{2i/d})"
TIED = r"P = \mathrm{softmax}(h_N W_e^\top)"
NORMED = r"P = \mathrm{softmax}(\mathrm{LayerNorm}(h_N) W_e^\top)"
POST_NORM = r"""\mathrm{Block}(X) = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z)), \quad
Z = \mathrm{LayerNorm}(X + \mathrm{CausalSelfAttention}(X))"""
GELU = r"\mathrm{FFN}(x) = \mathrm{GELU}(x A + a) B + b"
OUT = r"\mathrm{softmax}(\mathrm{Decoder}(Y, \mathrm{Encoder}(X)) "
BOTH = OUT + "W"
CASES = {
    "no last norm": (
        [rf"h_0 = U W_e + W_p, \quad {LAYERS}, \quad {TIED}"],
        ["self.W_p = nn.Embedding(", "return linear_map(h, self.W_e.weight)"],
        ["self.norm ="],
    ),
    "a last norm": (
        [rf"h_0 = U W_e + W_p, \quad {LAYERS}, \quad {NORMED}"],
        ["self.norm = LayerNorm(", "h = self.norm(h)"],
        [],
    ),
    "an own matrix for the way out": (
        [
            rf"h_0 = U W_e + W_p, \quad {LAYERS}, \quad "
            r"P = \mathrm{softmax}(\mathrm{LayerNorm}(h_N) W_u)"
        ],
        [
            "self.W_u = Linear(config.d_model, config.vocab_size, bias=False)",
            "logits: Tensor = self.W_u(h)",
        ],
        ["linear_map"],
    ),
    "logits, of larger tokens": (
        [rf"x_0 = \sqrt{{d}} U E, \quad {LAYERS.replace('h_', 'x_')}, \quad y = x_N W_u + c"],
        [
            "self.W_u = Linear(config.d_model, config.vocab_size)",
            "math.sqrt(self.config.d_model) *",
        ],
        ["self.norm =", "W_p"],
    ),
    "the table of tokens and a bias": (
        [rf"h_0 = U W_e + W_p, \quad {LAYERS}, \quad y = \mathrm{{LayerNorm}}(h_N) W_e^\top + c"],
        ["linear_map(h, self.W_e.weight, self.c)", "self.c = nn.Parameter(torch.zeros("],
        ["Linear(config"],
    ),
    "smaller logits": (
        [
            rf"h_0 = U W_e + W_p, \quad {LAYERS}, \quad "
            r"P = \mathrm{softmax}(\frac{1}{\sqrt{d}} \mathrm{LayerNorm}(h_N) W_e^\top)",
            r"W_e \in \mathbb{R}^{V \times d}",
        ],
        ["logits = linear_map(h, self.W_e.weight)", "return logits / math.sqrt("],
        [],
    ),
    "logits that are capped": (
        [rf"h_0 = U W_e + W_p, \quad {LAYERS}, \quad z = 30 \tanh(h_N W_e^\top / 30)"],
        ["logits = linear_map(h, self.W_e.weight)", "return 30 * torch.tanh(logits / 30)"],
        [],
    ),
    "sinusoidal positions": (
        [POSITIONS, rf"h_0 = U T + PE, \quad {LAYERS}, \quad {TIED.replace('W_e', 'T')}"],
        ["self.PE = SinusoidalPositionalEncoding(", "self.PE.encodings[positions])"],
        ["self.PE = nn.Embedding("],
    ),
    "other layers": (
        [GELU, POST_NORM, rf"h_0 = U W_e + W_p, \quad {LAYERS}, \quad {TIED}"],
        ["TransformerBlock("],
        [],
    ),
    "a step of an encoder": (
        [r"Z_k = \mathrm{EncoderLayer}(Z_{k-1})"],
        ["class Encoder(", "EncoderLayer("],
        [],
    ),
    "a step of a decoder": (
        [r"S_l = \mathrm{DecoderLayer}(S_{l-1}, M)"],
        ["class Decoder(", "DecoderLayer("],
        [],
    ),
    "an encoder with a last norm": (
        [
            r"\mathrm{Encoder}(X) = \mathrm{RMSNorm}(H_N), \quad H_0 = X, \quad"
            r" H_l = \mathrm{EncoderLayer}(H_{l-1}), \quad l = 1, \dots, N"
        ],
        ["self.norm = RMSNorm(d_model)", "self.norm(x)"],
        [],
    ),
    "a decoder with a last norm": (
        [
            r"S_0 = Y, \quad S_l = \mathrm{DecoderLayer}(S_{l-1}, M), \quad l = 1, \dots, N, \quad"
            r" \mathrm{Decoder}(Y, M) = \mathrm{LayerNorm}(S_N)"
        ],
        ["self.norm = LayerNorm(d_model)", "self.norm(x)"],
        [],
    ),
    "an encoder of tokens": (
        [r"H = \mathrm{Encoder}(U T + P)"],
        ["self.P = nn.Embedding(", "x = self.T(tokens) + self.P(positions)"],
        [],
    ),
    "an encoder of larger tokens": (
        [
            POSITIONS,
            r"E \in \mathbb{R}^{V \times d}, \quad H = \mathrm{Encoder}(\sqrt{d} U E + PE)",
        ],
        ["self.PE = SinusoidalPositionalEncoding(", "math.sqrt(self.config.d_model) * self.E("],
        ["self.PE = nn.Embedding("],
    ),
    "an output with a bias": ([BOTH + " + b)"], ["config.vocab_size)\n"], ["bias=False"]),
    "an output without": ([BOTH + ")"], ["config.vocab_size, bias=False)"], []),
    "an output by the table of tokens": (
        [r"X = \sqrt{d} U E", OUT + r"E^\top)"],
        ["self.embedding = ", "return linear_map(x, self.embedding.E.weight)"],
        ["self.E =", "target_embedding"],
    ),
    "an output by that table, with a bias": (
        [r"X = U E", OUT + r"E^\top + b)"],
        ["linear_map(x, self.embedding.E.weight, self.b)", "self.b = nn.Parameter("],
        ["target_embedding"],
    ),
    "an output by that table, the other way round": (
        [r"x = E u", OUT + "E)"],
        ["linear_map(x, self.embedding.E.weight)"],
        ["target_embedding"],
    ),
    "an output by another matrix of that letter": (
        [r"X = U E", OUT + "E)"],
        ["self.E = Linear(", "self.target_embedding = "],
        ["self.embedding = "],
    ),
    "an output by a table that is of no tokens": (
        [OUT + r"E^\top)"],
        ["self.E = Linear(", "self.target_embedding = "],
        ["self.embedding = "],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_model_is_as_it_is_written(case: str, run_tests: Callable[[Package], bool]) -> None:
    formulas, there, not_there = CASES[case]
    files = package_of(formulas)
    code = files["transformer/models.py"]
    assert all(text in code for text in there)
    assert not any(text in code for text in not_there)
    others = {p for p in files if p.startswith("tests/test_")} - {"tests/test_models.py"}
    assert run_tests({path: text for path, text in files.items() if path not in others})


ATTEND = r"\mathrm{CausalSelfAttention}"
NORM = r"\mathrm{LayerNorm}"
BLOCKS = {
    "pre-norm": (
        rf"\mathrm{{Block}}(x) = y + \mathrm{{FFN}}({NORM}(y)), \quad y = x + {ATTEND}({NORM}(x))",
        lambda x, b: (
            (y := x + b.attention(b.attention_norm(x))) + b.feed_forward(b.feed_forward_norm(y))
        ),
    ),
    "norms of what is given": (
        rf"\mathrm{{Block}}(x) = y + {NORM}(\mathrm{{FFN}}(y)), \quad y = x + {NORM}({ATTEND}(x))",
        lambda x, b: (
            (y := x + b.attention_norm(b.attention(x))) + b.feed_forward_norm(b.feed_forward(y))
        ),
    ),
    "sandwich": (
        rf"\mathrm{{Block}}(x) = y + {NORM}(\mathrm{{FFN}}({NORM}(y))), \quad "
        rf"y = x + {NORM}({ATTEND}({NORM}(x)))",
        lambda x, b: (
            (y := x + b.attention_output_norm(b.attention(b.attention_norm(x))))
            + b.feed_forward_output_norm(b.feed_forward(b.feed_forward_norm(y)))
        ),
    ),
    "parallel": (
        rf"n = {NORM}(x), \quad \mathrm{{Block}}(x) = x + {ATTEND}(n) + \mathrm{{FFN}}(n)",
        lambda x, b: x + b.attention(b.norm(x)) + b.feed_forward(b.norm(x)),
    ),
    "parallel, with two norms": (
        rf"\mathrm{{Block}}(x) = x + {ATTEND}({NORM}_1(x)) + \mathrm{{FFN}}({NORM}_2(x))",
        lambda x, b: x + b.attention(b.attention_norm(x)) + b.feed_forward(b.feed_forward_norm(x)),
    ),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_has_its_norms_where_they_are_written(
    block: str, imported: Any, run_tests: Callable[[Package], bool]
) -> None:
    latex, by_hand = BLOCKS[block]
    files = package_of([latex])
    layer = imported(files).TransformerBlock(6, 2, 8).eval()
    for weight in layer.parameters():
        nn.init.normal_(weight)
    x = torch.randn(2, 4, 6)
    torch.testing.assert_close(layer(x), by_hand(x, layer))
    assert run_tests(files)


STEPS = [
    rf"x \leftarrow x + {ATTEND}({NORM}_1(x))",
    rf"x \leftarrow x + \mathrm{{FFN}}({NORM}_2(x))",
]


def test_a_block_may_be_written_step_by_step(
    imported: Any, run_tests: Callable[[Package], bool]
) -> None:
    files = package_of(STEPS)
    text = files["transformer/layers.py"].partition("class TransformerBlock")[2]
    assert 0 < text.index(STEPS[0]) < text.index(STEPS[1])
    layer = imported(files).TransformerBlock(6, 2, 8).eval()
    for weight in layer.parameters():
        nn.init.normal_(weight)
    x = torch.randn(2, 4, 6)
    torch.testing.assert_close(layer(x), BLOCKS["pre-norm"][1](x, layer))
    assert run_tests(files)


@pytest.mark.parametrize(
    "steps",
    [
        STEPS[::-1],
        [STEPS[1], STEPS[1]],
        [STEPS[0].replace("x", "y"), STEPS[1]],
        [STEPS[0], rf"x \leftarrow {NORM}(x)", STEPS[1]],
    ],
)
def test_steps_that_make_no_block_are_none(steps: list[str]) -> None:
    assert "class TransformerBlock" not in package_of(steps)["transformer/layers.py"]


def test_a_norm_with_one_added_to_its_gain_begins_with_a_gain_of_one(
    imported: Any, run_tests: Callable[[Package], bool]
) -> None:
    root = r"\sqrt{\frac1d \sum_i x_i^2 + \epsilon}"
    files = package_of([rf"\mathrm{{RMSNorm}}(x) = \frac{{x}}{{{root}}} \odot (1 + g)"])
    norm = imported(files).RMSNorm(5)
    x = torch.randn(3, 5)
    expected = x / (x.square().mean(dim=-1, keepdim=True) + norm.eps).sqrt()
    torch.testing.assert_close(norm(x), expected)
    nn.init.constant_(norm.g, 0.5)
    torch.testing.assert_close(norm(x), 1.5 * expected)
    assert run_tests(files)


@pytest.mark.parametrize("head", [r"\sigma(h_N W)", r"c \tanh(h_N W / c)"])
def test_logits_that_would_be_a_guess_make_no_gpt(head: str) -> None:
    formulas = [rf"h_0 = U W_e + W_p, \quad {LAYERS}, \quad y = {head}"]
    assert "class GPT" not in package_of(formulas).get("transformer/models.py", "")


STACK = rf"h_0 = U W_e, \quad {LAYERS}"
MODELS = {
    rf"{STACK}, \quad y = \mathrm{{softmax}}(\mathrm{{GELU}}(h_N W_1) W_2)": 1,
    r"P = \mathrm{softmax}(\mathrm{Decoder}(T E, \mathrm{Encoder}(U E)) E^\top)": 1,
    STACK: 0,
    r"H_0 = X, \quad H_l = \mathrm{EncoderLayer}(H_{l-1}), \quad l = 1, \dots, N": 0,
    r"h_t = \tanh(W h_{t-1} + U x_t), \quad y = \mathrm{softmax}(V h_n)": 0,
}


@pytest.mark.parametrize(("latex", "told"), MODELS.items())
def test_a_model_that_is_like_none_is_told(latex: str, told: int) -> None:
    assert warnings_of([latex]).count("N2C056") == told


def test_a_gpt_cannot_be_made_of_decoder_layers() -> None:
    layers = r"h_l = \mathrm{DecoderLayer}(h_{l-1}, H), \quad l = 1, \dots, N"
    files = package_of([rf"h_0 = U W_e + W_p, \quad {layers}, \quad {TIED}"])
    assert "class GPT" not in files.get("transformer/models.py", "")
