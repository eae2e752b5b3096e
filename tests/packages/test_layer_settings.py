"""Settings of layers, positions and heads are real: what a note writes is what the class computes.

Each case is a formula that is not quite the textbook's. Its package must pass its own tests, and
the class must give what the formula says, which stands here once more, by hand, in NumPy.
"""

from __future__ import annotations

from math import erf, sqrt
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from building import package_of
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker

MOMENTS = (
    r", \quad \mu = \frac{1}{d}\sum_{i=1}^{d} x_i,"
    r" \quad \sigma^2 = \frac{1}{d}\sum_{i=1}^{d} (x_i - \mu)^2"
)
SAMPLE = MOMENTS.replace(r"\sigma^2 = \frac{1}{d}", r"\sigma^2 = \frac{1}{d-1}")
ROOTS = MOMENTS.replace(r"\sigma^2 = ", r"\sigma = \sqrt{") + "}"
SAMPLE_ROOTS = SAMPLE.replace(r"\sigma^2 = ", r"\sigma = \sqrt{") + "}"


def _warned(latex: str, *declared: str) -> list[str]:
    """What is said to be unusual about a formula, among others that declare its shapes."""
    known = library()
    entries = [Entry(text, "Note.md", (), at) for at, text in enumerate([*declared, latex])]
    compiled = Compiler(Linker(entries, known.scope), known).compiled(entries[-1])
    return [problem.message for problem in compiled.problems if problem.code == "N2C050"]


def _random(module: Any) -> Any:
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
    return module.double().eval()


def _weights(module: nn.Module) -> dict[str, Any]:
    """The parameters by name, ``.weight`` left out and matrices of linear maps as (in, out)."""
    arrays = {}
    for name, parameter in module.named_parameters():
        array = parameter.detach().numpy()
        arrays[name.removesuffix(".weight")] = array.T if name.endswith(".weight") else array
    return arrays


# --- by hand --------------------------------------------------------------------------------------


def _gelu(x: np.ndarray) -> Any:
    return x * np.vectorize(lambda value: (1 + erf(value / sqrt(2))) / 2)(x)


def _relu(x: np.ndarray) -> Any:
    return np.maximum(x, 0)


def _silu(x: np.ndarray) -> Any:
    return x / (1 + np.exp(-x))


def _normed(x: np.ndarray, eps: float = 1e-5, outside: float = 0.0, less: int = 0) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred**2).sum(-1, keepdims=True) / (x.shape[-1] - less)
    return centred / (np.sqrt(variance + eps) + outside)


def _encodings(base: float, even: Any = np.sin, odd: Any = np.cos) -> np.ndarray:
    out = np.zeros((6, 5))
    for position in range(6):
        for column in range(5):
            angle = position / base ** (column // 2 * 2 / 5)
            out[position, column] = (odd if column % 2 else even)(angle)
    return out


FEED_FORWARD = [
    (r"\max(0, xW_1 + b_1)W_2 + b_2", None,
     lambda x, w: _relu(x @ w["W_1"] + w["W_1.bias"]) @ w["W_2"] + w["W_2.bias"]),
    (r"\mathrm{GELU}(xW_1 + b_1)W_2 + b_2", None,
     lambda x, w: _gelu(x @ w["W_1"] + w["W_1.bias"]) @ w["W_2"] + w["W_2.bias"]),
    (r"\mathrm{SiLU}(xW_1 + b_1)W_2 + b_2", None,
     lambda x, w: _silu(x @ w["W_1"] + w["W_1.bias"]) @ w["W_2"] + w["W_2.bias"]),
    (r"\tanh(xW_1 + b_1)W_2 + b_2", "activation",
     lambda x, w: np.tanh(x @ w["W_1"] + w["W_1.bias"]) @ w["W_2"] + w["W_2.bias"]),
    (r"\mathrm{ReLU}(xW_1 + b_1)^2 W_2 + b_2", "activation",
     lambda x, w: _relu(x @ w["W_1"] + w["W_1.bias"]) ** 2 @ w["W_2"] + w["W_2.bias"]),
    (r"\max(0, xW_2 + b_1)W_1 + b_2", None,
     lambda x, w: _relu(x @ w["W_2"] + w["W_2.bias"]) @ w["W_1"] + w["W_1.bias"]),
    (r"\max(0, xW_1)W_2 + b_2", None,
     lambda x, w: _relu(x @ w["W_1"]) @ w["W_2"] + w["W_2.bias"]),
    (r"\max(0, xW_1 + b_1)W_2", None,
     lambda x, w: _relu(x @ w["W_1"] + w["W_1.bias"]) @ w["W_2"]),
    (r"\max(0, xW_1)W_2", None,
     lambda x, w: _relu(x @ w["W_1"]) @ w["W_2"]),
]  # fmt: skip

LAYER_NORM = [
    (r"\gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta" + MOMENTS, None,
     lambda x, w: w["gamma"] * _normed(x) + w["beta"]),
    (r"\gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + 10^{-6}}} + \beta" + MOMENTS, None,
     lambda x, w: w["gamma"] * _normed(x, 1e-6) + w["beta"]),
    (r"\gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + 0.1}} + \beta" + MOMENTS, "epsilon",
     lambda x, w: w["gamma"] * _normed(x, 0.1) + w["beta"]),
    (r"\gamma \odot \frac{x - \mu}{\sqrt{\sigma^2}} + \beta" + MOMENTS, None,
     lambda x, w: w["gamma"] * _normed(x, 0.0) + w["beta"]),
    (r"\gamma \odot \frac{x - \mu}{\sigma} + \beta", "epsilon",
     lambda x, w: w["gamma"] * _normed(x, 0.0) + w["beta"]),
    (r"\gamma \odot \frac{x - \mu}{\sigma + \epsilon} + \beta", None,
     lambda x, w: w["gamma"] * _normed(x, 0.0, outside=1e-5) + w["beta"]),
    (r"\gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta" + SAMPLE, None,
     lambda x, w: w["gamma"] * _normed(x, less=1) + w["beta"]),
    (r"\gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}" + MOMENTS, None,
     lambda x, w: w["gamma"] * _normed(x)),
    (r"\frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}" + MOMENTS, None,
     lambda x, w: _normed(x)),
    (r"\gamma \odot \frac{x - \mu}{\sigma + \epsilon}", None,
     lambda x, w: w["gamma"] * _normed(x, 0.0, outside=1e-5)),
    (r"\frac{x - \mu}{\sigma + \epsilon}" + ROOTS, None,
     lambda x, w: _normed(x, 0.0, outside=1e-5)),
    (r"\gamma \odot \frac{x - \mu}{\sigma + \epsilon}" + SAMPLE_ROOTS, None,
     lambda x, w: w["gamma"] * _normed(x, 0.0, outside=1e-5, less=1)),
    (r"\gamma \odot \frac{x - \mu}{\sigma}" + SAMPLE_ROOTS, None,
     lambda x, w: w["gamma"] * _normed(x, 0.0, less=1)),
    (r"\frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}" + SAMPLE, None,
     lambda x, w: _normed(x, less=1)),
    (r"\frac{x - \mu}{\sigma + \epsilon}" + SAMPLE_ROOTS, None,
     lambda x, w: _normed(x, 0.0, outside=1e-5, less=1)),
]  # fmt: skip

ADD_NORM = [
    (r"\mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))",
     lambda x, w: w["norm.gamma"] * _normed(x + np.sin(x)) + w["norm.beta"]),
    (r"x + \mathrm{Sublayer}(\mathrm{LayerNorm}(x))",
     lambda x, w: x + np.sin(w["norm.gamma"] * _normed(x) + w["norm.beta"])),
    (r"\mathrm{LayerNorm}(X + \mathrm{CrossAttention}(X, Z))",
     lambda x, w: w["norm.gamma"] * _normed(x + np.sin(x)) + w["norm.beta"]),
]  # fmt: skip


def _positions(even: str, odd: str, base: str) -> str:
    angle = rf"\left(\frac{{pos}}{{{base}^{{2i/d}}}}\right)"
    return rf"PE_{{(pos, 2i)}} = {even}{angle}, \quad PE_{{(pos, 2i+1)}} = {odd}{angle}"


POSITIONS = [
    (_positions(r"\sin", r"\cos", "10000"), [], _encodings(10000)),
    (_positions(r"\sin", r"\cos", "500"), ["base"], _encodings(500)),
    (_positions(r"\cos", r"\sin", "10000"), ["even", "odd"], _encodings(10000, np.cos, np.sin)),
    (_positions(r"\sin", r"\sin", "10000"), ["odd"], _encodings(10000, np.sin, np.sin)),
]

ONE_HOT = (r"U \in \mathbb{R}^{n \times V}", r"E \in \mathbb{R}^{V \times d_{model}}")
EMBEDDINGS = [
    (r"X = U E", None, 1.0),
    (r"X = \sqrt{d_{model}}\, U E", None, sqrt(5)),
    (r"X = 3 U E", "scale", 3.0),
]

HEADS = [
    (r"p = \mathrm{softmax}(h W + b)", True),
    (r"p = \mathrm{softmax}(h W)", False),
    (r"p = \mathrm{softmax}(W h + b)", True),
]


def _says(latex: str, settings: list[str], *declared: str) -> None:
    warned = _warned(latex, *declared)
    assert len(warned) == len(settings)
    for message, setting in zip(warned, settings, strict=True):
        assert message.startswith(f"the {setting} ")


@pytest.mark.parametrize(("formula", "unusual", "by_hand"), FEED_FORWARD)
def test_feed_forward(
    formula: str, unusual: str | None, by_hand: Any, imported: Any, run_tests: Any
) -> None:
    latex = rf"\mathrm{{FFN}}(x) = {formula}"
    files = package_of([latex])
    layer = _random(imported(files).FeedForward(d_model=5, d_ff=7))
    x = torch.randn(3, 5, dtype=torch.float64)
    np.testing.assert_allclose(layer(x).detach(), by_hand(x.numpy(), _weights(layer)), rtol=1e-9)
    _says(latex, [unusual] if unusual else [])
    assert run_tests(files)


@pytest.mark.parametrize(("formula", "unusual", "by_hand"), LAYER_NORM)
def test_layer_norm(
    formula: str, unusual: str | None, by_hand: Any, imported: Any, run_tests: Any
) -> None:
    latex = rf"\mathrm{{LayerNorm}}(x) = {formula}"
    files = package_of([latex])
    layer = _random(imported(files).LayerNorm(d_model=5))
    x = torch.randn(3, 5, dtype=torch.float64)
    np.testing.assert_allclose(layer(x).detach(), by_hand(x.numpy(), _weights(layer)), rtol=1e-9)
    _says(latex, [unusual] if unusual else [])
    assert run_tests(files)


@pytest.mark.parametrize(("formula", "by_hand"), ADD_NORM)
def test_add_norm(formula: str, by_hand: Any, imported: Any, run_tests: Any) -> None:
    files = package_of([rf"\mathrm{{AddNorm}}(x) = {formula}"])
    name = "PreNorm" if formula.startswith("x +") else "AddNorm"
    layer = _random(getattr(imported(files), name)(d_model=5))
    x = torch.randn(3, 5, dtype=torch.float64)
    expected = by_hand(x.numpy(), _weights(layer))
    np.testing.assert_allclose(layer(x, torch.sin).detach(), expected, rtol=1e-9)
    assert run_tests(files)


@pytest.mark.parametrize(("latex", "unusual", "expected"), POSITIONS)
def test_positions(
    latex: str, unusual: list[str], expected: np.ndarray, imported: Any, run_tests: Any
) -> None:
    files = package_of([latex])
    layer = imported(files).SinusoidalPositionalEncoding(5)
    np.testing.assert_allclose(layer(torch.zeros(6, 5)), expected, rtol=0, atol=1e-6)
    _says(latex, unusual)
    assert run_tests(files)


@pytest.mark.parametrize(("latex", "unusual", "scale"), EMBEDDINGS)
def test_token_embedding(
    latex: str, unusual: str | None, scale: float, imported: Any, run_tests: Any
) -> None:
    files = package_of([*ONE_HOT, latex])
    layer = _random(imported(files).TokenEmbedding(vocab_size=7, d_model=5))
    expected = scale * layer.E.weight.detach().numpy()[[2, 0, 6]]
    np.testing.assert_allclose(layer(torch.tensor([2, 0, 6])).detach(), expected, rtol=1e-9)
    _says(latex, [unusual] if unusual else [], *ONE_HOT)
    assert run_tests(files)


@pytest.mark.parametrize(("latex", "bias"), HEADS)
def test_output_head(latex: str, bias: bool, imported: Any, run_tests: Any) -> None:
    files = package_of([latex])
    layer = _random(imported(files).OutputHead(d_model=5, vocab_size=7))
    x = torch.randn(3, 5, dtype=torch.float64)
    expected = x.numpy() @ layer.W.weight.detach().numpy().T
    if bias:
        expected = expected + layer.W.bias.detach().numpy()
    else:
        assert layer.W.bias is None
    np.testing.assert_allclose(layer(x).detach(), expected, rtol=1e-9)
    assert run_tests(files)


NORMS = [
    r"\mathrm{LN}(Z + \mathrm{FFN}(Z)), \quad Z = \mathrm{LN}(X + \mathrm{MultiHead}(X, X, X))",
    r"Z + \mathrm{FFN}(\mathrm{LN}(Z)), \quad Z = X + \mathrm{MultiHead}(\mathrm{LN}(X))",
]


@pytest.mark.parametrize("formula", NORMS)
def test_where_the_norm_of_a_layer_stands(formula: str, imported: Any) -> None:
    package = imported(package_of([rf"\mathrm{{EncoderLayer}}(X) = {formula}"]))
    layer = _random(package.EncoderLayer(6, 2, 8))
    x = torch.randn(2, 4, 6, dtype=torch.float64)
    attend, attend_norm = layer.attention, layer.attention_norm
    feed, feed_norm = layer.feed_forward, layer.feed_forward_norm
    if formula is NORMS[0]:
        middle = attend_norm(x + attend(x))
        expected = feed_norm(middle + feed(middle))
    else:
        middle = x + attend(attend_norm(x))
        expected = middle + feed(feed_norm(middle))
    torch.testing.assert_close(layer(x), expected)
