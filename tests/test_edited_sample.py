"""The sample vault with other settings: the code follows, its tests follow, the unusual is told.

One copy of the vault gets all the edits and is built once, with all its tests but those of its
training; each test then holds a class of the package against NumPy.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from building import without_training
from notes2code import pipeline
from notes2code.pipeline import Outcome, Result, build
from notes2code.verify import verify

VAULT = Path(__file__).parent.parent / "vault"
EDITS = {
    "Attention.md": [
        (
            r"V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
            r"V) = \mathrm{softmax}\left(\frac{QK^\top}{d_k}\right)V",
        ),
    ],
    "Attention scores.md": [(r"w_v^\top \tanh(W_q q + W_k k)", r"w_v^\top \sigma(W_q q + W_k k)")],
    "Tokens and positions.md": [
        (r"&= \sin\left(\frac{pos}{10000^", r"&= \COS\left(\frac{pos}{500^"),
        (r"&= \cos\left(\frac{pos}{10000^", r"&= \sin\left(\frac{pos}{500^"),
        (r"\COS", r"\cos"),
    ],
    "Layers.md": [
        (r"\max(0, xW_1 + b_1)W_2 + b_2", r"\mathrm{GELU}(xW_1 + b_1)W_2 + b_2"),
        ("W_1", "W_3"), ("W_2", "W_1"), ("W_3", "W_2"),
        (r"\sqrt{\sigma^2 + \epsilon}", r"\sqrt{\sigma^2}"),
    ],
    "Masks.md": [
        (
            r"\mathrm{MaskedAttention}(Q, K, V, C)",
            r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
        ),
    ],
    "Multi-head attention.md": [(r"\mathrm{CausalAttention}(XW", r"\mathrm{Attention}(XW")],
    "Self-attention.md": [(r"\mathrm{ReLU}(XA", r"\tanh(XA")],
}  # fmt: skip


@dataclass
class Edited:
    """What the edited vault became."""

    result: Result
    package: ModuleType

    def part(self, note: str, latex: str) -> Any:
        """The class or function of the formula in a note that holds some LaTeX."""
        assert self.result.rendered is not None
        for formula in self.result.compilation.formulas:
            if formula.note.path == note and latex in formula.formula.latex:
                name = self.result.rendered.emitted[formula.id].rsplit(".", 1)[-1]
                return getattr(self.package, name)
        raise LookupError(latex)

    def warnings(self, note: str) -> list[str]:
        """The messages about unusual settings in a note."""
        found = (d for d in self.result.diagnostics if d.path.endswith(note))
        return [d.message for d in found if d.code == "N2C050"]


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edited]:
    folder = tmp_path_factory.mktemp("edited")
    shutil.copytree(VAULT, folder / "vault")
    for name, edits in EDITS.items():
        path = folder / "vault" / name
        text = path.read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text, (name, old)
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "verify", lambda files, superseded: verify(without_training(files)))
        result = build(folder / "vault", folder / "generated", "edited_sample")
    sys.path.insert(0, str(folder / "generated"))
    yield Edited(result, importlib.import_module("edited_sample"))
    sys.path.remove(str(folder / "generated"))


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    total: np.ndarray = weights / weights.sum(axis=-1, keepdims=True)
    return total


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def numbers(tensor: torch.Tensor) -> np.ndarray:
    array: np.ndarray = tensor.detach().numpy()
    return array


def test_the_package_passes_its_own_tests(edited: Edited) -> None:
    assert edited.result.outcome is Outcome.DONE
    assert edited.result.verdict is not None
    assert edited.result.verdict.ok
    assert edited.result.verdict.passed > 100


def test_the_lost_root(edited: Edited) -> None:
    attention = edited.part("Attention.md", r"\mathrm{Attention}(Q, K, V) =")()
    q, k, v = (torch.randn(n, 5, dtype=torch.float64) for n in (3, 4, 4))
    expected = softmax(numbers(q) @ numbers(k).T / 5) @ numbers(v)
    np.testing.assert_allclose(numbers(attention(q, k, v)), expected)
    assert any("scale" in message for message in edited.warnings("Attention.md"))


def test_another_activation_of_the_score(edited: Edited) -> None:
    attention = edited.part("Attention scores.md", r"w_v^\top \sigma")(5, 6, 7).double()
    q, k, v = torch.randn(3, 5).double(), torch.randn(4, 6).double(), torch.randn(4, 2).double()
    w_q, w_k, w_v = (numbers(getattr(attention, n).weight) for n in ("W_q", "W_k", "w_v"))
    hidden = sigmoid((numbers(q) @ w_q.T)[:, None] + (numbers(k) @ w_k.T)[None])
    expected = softmax(hidden @ w_v[0]) @ numbers(v)
    np.testing.assert_allclose(numbers(attention(q, k, v)), expected)
    assert any("activation" in message for message in edited.warnings("Attention scores.md"))


def test_another_base_and_exchanged_functions(edited: Edited) -> None:
    positions = edited.part("Tokens and positions.md", r"{500^")(6, max_len=8).double()
    place, pair = np.arange(8)[:, None], np.arange(3)[None]
    angles = place / 500.0 ** (2 * pair / 6)
    expected = np.stack((np.cos(angles), np.sin(angles)), axis=-1).reshape(8, 6)
    zeros = torch.zeros(8, 6, dtype=torch.float64)
    np.testing.assert_allclose(numbers(positions(zeros)), expected, atol=1e-6)
    messages = "; ".join(edited.warnings("Tokens and positions.md"))
    assert "base" in messages
    assert "even" in messages


def test_gelu_and_exchanged_weights(edited: Edited) -> None:
    layer = edited.part("Layers.md", r"\mathrm{GELU}(xW_2 + b_1)W_1 + b_2")(4, 9).double()
    maps = (module for module in layer.modules() if isinstance(module, torch.nn.Linear))
    up, down = sorted(maps, key=lambda linear: linear.in_features)
    x = torch.randn(3, 4, dtype=torch.float64)
    inner = numbers(x) @ numbers(up.weight).T + numbers(up.bias)
    erf = np.vectorize(lambda z: float(torch.erf(torch.tensor(z, dtype=torch.float64))))
    hidden = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
    expected = hidden @ numbers(down.weight).T + numbers(down.bias)
    np.testing.assert_allclose(numbers(layer(x)), expected)


def test_a_norm_without_epsilon(edited: Edited) -> None:
    layer = edited.part("Layers.md", r"\sqrt{\sigma^2}")(4).double()
    x = 1e-4 * torch.randn(3, 4, dtype=torch.float64)
    mean, deviation = numbers(x).mean(-1, keepdims=True), numbers(x).std(-1, keepdims=True)
    np.testing.assert_allclose(numbers(layer(x)), (numbers(x) - mean) / deviation, rtol=1e-6)


def test_the_dropped_mask(edited: Edited) -> None:
    attention = edited.part("Masks.md", r"\mathrm{CausalAttention}(Q, K, V) =")()
    q, k, v = (torch.randn(4, 5, dtype=torch.float64) for _ in range(3))
    expected = softmax(numbers(q) @ numbers(k).T / np.sqrt(5)) @ numbers(v)
    np.testing.assert_allclose(numbers(attention(q, k, v)), expected)


def test_heads_without_a_mask(edited: Edited) -> None:
    decoder_layer = edited.part("Encoder and decoder.md", r"\mathrm{DecoderLayer}(Y, H) &=")
    attention = decoder_layer(6, 2, 8).double().attention
    x = torch.randn(1, 4, 6, dtype=torch.float64)
    queries, keys, values = (
        (numbers(x[0]) @ numbers(getattr(attention, name).weight).T).reshape(4, 2, 3).swapaxes(0, 1)
        for name in ("W_Q", "W_K", "W_V")
    )
    heads = softmax(queries @ keys.swapaxes(1, 2) / 3) @ values
    expected = heads.swapaxes(0, 1).reshape(4, 6) @ numbers(attention.W_O.weight).T
    np.testing.assert_allclose(numbers(attention(x))[0], expected)
    for note in ("Encoder and decoder.md", "GPT.md"):
        assert any("causal mask" in message for message in edited.warnings(note))


def test_another_activation_of_the_synthesizer(edited: Edited) -> None:
    assert any("activation" in message for message in edited.warnings("Self-attention.md"))
