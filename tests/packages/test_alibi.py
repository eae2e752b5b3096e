"""ALiBi as notes write it: slopes and distances are those of the note."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of, without_training

RANGE = r"\quad h = 1, \dots, H"


@pytest.mark.parametrize(
    "notes, symmetric",
    [
        ([rf"B_{{h,i,j}} = m_h (j - i), \quad m_h = 2^{{-8h/H}}, {RANGE}"], False),
        ([r"B_{h,i,j} = -m_h (i - j)", rf"m_h = \frac{{1}}{{2^{{8h/H}}}}, {RANGE}"], False),
        ([r"B_{h,i,j} = -m_h |i-j|, \quad m_h = 2^{-8h/H}, h \in \{1, \dots, H\}"], True),
        ([rf"B_{{h,i,j}} = -m_h (i - j), \quad m_h = 2^{{-8h/H}}, {RANGE}"], False),
        ([r"m_k = 2^{-\frac{8}{n} k}, k = 1, 2, \dots, n"], False),
        ([rf"B_{{ij}}^{{(h)}} = m_h (j - i), \quad m_h = 2^{{-8h/H}}, {RANGE}"], False),
        ([rf"m_h = \left(2^{{-8/H}}\right)^h, {RANGE}"], False),
    ],
)
def test_bias(
    notes: list[str],
    symmetric: bool,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    package = package_of(notes)
    assert run_tests(package)
    distance = np.subtract.outer(np.arange(5), np.arange(5)).T
    slopes = np.array([2 ** (-8 / 3), 2 ** (-16 / 3), 2**-8])
    expected = slopes[:, None, None] * (-abs(distance) if symmetric else distance)
    np.testing.assert_allclose(imported(package).ALiBi(3)(5).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "other",
    [
        r"m_h = 2^{-8h/H}",  # counts from 0, since it does not say from where
        rf"m_h = 2^{{-4h/H}}, {RANGE}",
        rf"m_h = 3^{{-8h/H}}, {RANGE}",
        rf"m_h = 2^{{8h/H}}, {RANGE}",
        rf"B_{{h,i,j}} = -2^{{-8h/H}} (j - i), {RANGE}",
        rf"B_{{h,i,j}} = 2^{{-8h/H}} (i - j), {RANGE}",
    ],
)
def test_other_slopes_are_not_these(other: str) -> None:
    assert "ALiBi" not in package_of([other]).get("transformer/positions.py", "")


MASK = r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
GPT = [
    rf"m_h = 2^{{-8h/H}}, {RANGE}",
    r"B_{h,i,j} = -m_h (i - j)",
    MASK,
    r"\mathrm{head}_h = \mathrm{softmax}"
    r"\left(\frac{X W_h^Q (X W_h^K)^\top}{\sqrt{d_k}} + B_h + M\right) X W_h^V",
    r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H) W^O",
    r"\mathrm{FFN}(x) = \max(0, x W_1) W_2",
    r"\mathrm{Block}(X) = Z + \mathrm{FFN}(\mathrm{LayerNorm}(Z)),"
    r" \quad Z = X + \mathrm{MultiHead}(\mathrm{LayerNorm}(X))",
    r"h_0 = U W_e",
    r"h_l = \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, L",
    r"P = \mathrm{softmax}(\mathrm{LayerNorm}(h_L) W_e^\top)",
]


def test_the_heads_of_a_gpt_have_it(
    run_tests: Callable[[Package], bool], imported: Callable[[Package], ModuleType]
) -> None:
    """Its weights, worked out by hand; it goes on from a cache as it reads at once."""
    package = package_of(GPT)
    assert run_tests(without_training(package))
    made = imported(package)
    sizes = {"vocab_size": 11, "max_len": 8, "d_model": 12, "num_heads": 3, "d_ff": 10}
    model = made.GPT(made.GPTConfig(num_layers=2, **sizes)).eval()
    attention = model.layers[0].attention
    x = torch.randn(1, 5, 12)
    q, k = (
        linear(x)[0].detach().numpy().reshape(5, 3, 4).transpose(1, 0, 2)
        for linear in (attention.W_Q, attention.W_K)
    )
    slopes = np.array([2 ** (-8 / 3), 2 ** (-16 / 3), 2**-8])[:, None, None]
    powers = np.exp(q @ k.transpose(0, 2, 1) / 2 - slopes * np.subtract.outer(range(5), range(5)))
    expected = np.tril(powers) / np.tril(powers).sum(axis=-1, keepdims=True)
    _, weights = attention(x, need_weights=True)
    np.testing.assert_allclose(weights[0].detach(), expected, rtol=1e-4, atol=1e-6)
    tokens, caches = torch.randint(11, (2, 7)), model.empty_caches()
    read = [model(piece, caches=caches) for piece in tokens.split([3, 1, 3], dim=1)]
    torch.testing.assert_close(torch.cat(read, dim=1), model(tokens))


def test_what_stands_beside_it_in_one_formula_is_still_seen() -> None:
    """The causal mask that a formula defines after ALiBi: heads with both have no class."""
    together = [GPT[0], rf"{GPT[1]}, \quad {MASK}", *GPT[3:5]]
    assert "MultiHeadAttention" not in package_of(together).get("transformer/attention.py", "")
