"""Relative positions as notes write them: the packages compute what the formulas say."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of, without_training

Z = r"z_i = \sum_j \mathrm{softmax}_j\left(%s\right) %s"
CLIP = r"{\mathrm{clip}(j-i, -2, 2)}"
SCORES = r"e_{ij} = \frac{x_i W^Q (x_j W^K + a_{ij}^K)^T}{\sqrt{d_z}}"


@pytest.mark.parametrize(
    "notes",
    [
        [Z % (r"\frac{q_i^\top (k_j + r_{j-i})}{\sqrt{d_k}}", "v_j")],
        [Z % (r"\frac{q_i^\top k_j + q_i^\top r_{j-i}}{\sqrt{d_k}} + b_{ij}", "v_j")],
        [Z % (f"q_i^\\top (k_j + r_{CLIP})", f"(v_j + w_{CLIP})")],
        [Z % (r"5\tanh\left(\frac{q_i^\top (k_j + p_{i-j})}{5\tau}\right)", "(v_j + u_{i-j})")],
        [r"e_{ij} = \frac{q_i (k_j + a_{ij}^K)^T}{\sqrt{d_k}}"],
        [SCORES],
        [SCORES.replace("a_{ij}^K", "r_{j-i}"), r"\alpha_{ij} = \mathrm{softmax}_j(e_{ij})"],
        [
            SCORES + r" + M_{ij}",
            r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
            r"z_i = \sum_j \mathrm{softmax}_j(e_{ij}) x_j W^V",
        ],
    ],
)  # fmt: skip
def test_emitted_tests_pass(notes: list[str], run_tests: Callable[[Package], bool]) -> None:
    package = package_of(notes)
    assert "Relative" in package["transformer/attention.py"]
    assert run_tests(package)


def test_shaw(imported: Callable[[Package], ModuleType]) -> None:
    """Equations 3 and 4 of the paper, worked out here pair by pair."""
    note = [
        r"a_{ij}^K = w^K_{\mathrm{clip}(j-i, k)}",
        r"a_{ij}^V = w^V_{\mathrm{clip}(j-i, k)}",
        SCORES,
        r"z_i = \sum_j \mathrm{softmax}_j(e_{ij}) (x_j W^V + a_{ij}^V)",
    ]
    attention = imported(package_of(note)).RelativeSelfAttention(8, 4, 3, max_distance=2)
    x = torch.randn(6, 8)
    keys, values = attention.w_K.detach().numpy(), attention.w_V.detach().numpy()
    q, k, v = (
        linear(x).detach().numpy() for linear in (attention.W_Q, attention.W_K, attention.W_V)
    )
    expected = np.zeros((6, 3))
    for i in range(6):
        row = [min(max(j - i, -2), 2) + 2 for j in range(6)]
        scores = np.array([q[i] @ (k[j] + keys[row[j]]) / 2 for j in range(6)])
        weights = np.exp(scores) / np.exp(scores).sum()
        expected[i] = sum(weights[j] * (v[j] + values[row[j]]) for j in range(6))
    np.testing.assert_allclose(
        attention(x[None])[0].detach().numpy(), expected, rtol=1e-4, atol=1e-6
    )


def test_a_bound_in_figures_is_the_default(imported: Callable[[Package], ModuleType]) -> None:
    note = Z % (r"q_i^\top (k_j + r_{\mathrm{clip}(j-i, -3, 3)})", "v_j")
    assert len(imported(package_of([note])).RelativePositionAttention(4).r) == 7


@pytest.mark.parametrize(
    "note",
    [
        Z % (r"q_i^\top (k_j + r_{j-i})", "(v_j + r_{j-i})"),
        Z % (r"q_i^\top (k_j + r_{j-i})", "(v_j + w_{i-j})"),
        Z % (r"q_i^\top (k_j + r_{j-i}) - \lambda |i - j|", "v_j"),
        Z % (r"q_i^\top (k_j + r_{j-i}) + q_j^\top r_{j-i}", "v_j"),
    ],
)
def test_what_no_class_can_be(note: str) -> None:
    assert "class" not in package_of([note]).get("transformer/attention.py", "")


BIASES = [
    (r"B_{ij} = b_{j-i}", np.arange(5) - np.arange(5)[:, None] + 6),
    (r"B_{ij} = b_{i-j}", np.arange(5)[:, None] - np.arange(5) + 6),
    (r"B_{h,i,j} = b_{h, j-i}, \quad h = 1, \dots, H", np.arange(5) - np.arange(5)[:, None] + 6),
    (r"B_{ij}^h = b^h_{j-i}", np.arange(5) - np.arange(5)[:, None] + 6),
    (r"\beta_{ij} = b_{\mathrm{clip}(j-i, c)}", np.arange(5) - np.arange(5)[:, None] + 6),
]


@pytest.mark.parametrize("latex, rows", BIASES)
def test_bias(
    latex: str,
    rows: np.ndarray,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    package = package_of([latex])
    assert run_tests(package)
    bias = imported(package).RelativePositionBias(2, max_distance=6)
    (table,) = (parameter.detach().numpy() for parameter in bias.parameters())
    np.testing.assert_array_equal(bias(5).detach().numpy(), table[:, rows])


def test_far_distances_are_clipped(imported: Callable[[Package], ModuleType]) -> None:
    package = package_of([r"B_{ij} = b_{\mathrm{clip}(j-i, -2, 2)}"])
    bias = imported(package).RelativePositionBias(1)
    first = bias.b[0, [2, 3, 4, 4, 4]]
    assert torch.equal(bias(5)[0, 0], first)


def test_an_attention_takes_the_bias_of_its_note(run_tests: Callable[[Package], bool]) -> None:
    attention = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(\frac{QK^T}{\sqrt{d_k}} + B) V"
    package = package_of([attention, r"B_{ij} = b_{i-j}"])
    assert "class ScaledDotProductAttention" in package["transformer/attention.py"]
    assert "class RelativePositionBias" in package["transformer/positions.py"]
    assert run_tests(package)


@pytest.mark.parametrize(
    "other",
    [
        r"B_{ij} = b_{ij}",
        r"B_{ij} = b_{ji}",
        r"B_{ij} = 2 b_{j-i}",
        r"B_{ij} = b_{i+j}",
        r"T_{ij} = b_{j-i}",  # a Toeplitz matrix, which nobody calls a bias
        r"a_{ij}^K = w^K_{\mathrm{clip}(j-i, k)}",  # vectors, in the paper
        r"B_{ij} = b_{\mathrm{clip}(j-i, -2, 3)}",
    ],
)
def test_other_tables_are_no_bias(other: str) -> None:
    assert "RelativePositionBias" not in package_of([other]).get("transformer/positions.py", "")


ADDED = r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + B\right) V, \quad B_{ij} = "


@pytest.mark.parametrize(
    "note",
    [
        ADDED + "b_{i-j}",
        ADDED + r"b_{\mathrm{clip}(j-i, -3, 3)}",
        r"\alpha_{ij} = \mathrm{softmax}_j(q_i^\top k_j + b_{\mathrm{clip}(j-i, c)} + M_{ij})",
        r"o_i = \sum_j \mathrm{softmax}_j(2\tanh(q_i^\top k_j) + b_{j-i}) v_j",
    ],
)
def test_a_table_in_the_formula_is_learned(note: str, run_tests: Callable[[Package], bool]) -> None:
    package = package_of([note])
    assert "self.b = nn.Parameter" in package["transformer/attention.py"]
    assert run_tests(package)


def test_a_table_is_added_to_the_scores(imported: Callable[[Package], ModuleType]) -> None:
    module = imported(package_of([ADDED + r"b_{\mathrm{clip}(i-j, c)}"]))
    attention = module.ScaledDotProductAttention(max_distance=2)
    query, key = torch.randn(5, 4), torch.randn(5, 4)
    table, place = attention.b.detach().numpy(), np.arange(5)
    rows = np.clip(place[:, None] - place, -2, 2) + 2
    powers = np.exp(query.numpy() @ key.numpy().T / 2 + table[rows])
    expected = powers / powers.sum(axis=1, keepdims=True)
    output = attention(query, key, torch.eye(5)).detach().numpy()
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)


def test_heads_cannot_share_a_table_that_has_no_name() -> None:
    heads = r"\mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)"
    joined = r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"
    attention = r"\mathrm{Attention}(Q, K, V) = " + ADDED + "b_{j-i}"
    package = package_of([attention, joined + r", \quad " + heads])
    assert "class ScaledDotProductAttention" in package["transformer/attention.py"]
    assert "class MultiHeadAttention" not in package["transformer/attention.py"]


ENCODER = [
    r"B_{h,i,j} = b_{h,TABLE}, \quad h = 1, \dots, H",
    r"\mathrm{head}_h = \mathrm{softmax}(X W_h^Q (X W_h^K)^\top + B_h) X W_h^V",
    r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H) W^O",
    r"\mathrm{FFN}(x) = \max(0, x W_1) W_2",
    r"\mathrm{EncoderLayer}(X) = Z + \mathrm{FFN}(\mathrm{LayerNorm}(Z)),"
    r" \quad Z = X + \mathrm{MultiHead}(\mathrm{LayerNorm}(X))",
    r"\mathrm{Encoder}(X) = H_N, \quad H_l = \mathrm{EncoderLayer}(H_{l-1}),"
    r" \quad l = 1, \dots, N, \quad H_0 = X",
]


@pytest.mark.parametrize(
    ("table", "furthest"),
    [(r"\mathrm{clip}(j - i, c)", 2), (r"\mathrm{clip}(j - i, -3, 3)", 3), ("j - i", 9)],
)
def test_the_heads_of_an_encoder_learn_a_number_for_each_distance(
    table: str,
    furthest: int,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    package = package_of([ENCODER[0].replace("TABLE", table), *ENCODER[1:]])
    assert run_tests(without_training(package))
    made = imported(package)
    encoder = made.Encoder(d_model=8, num_heads=2, d_ff=6, num_layers=2, max_distance=furthest)
    attention = encoder.layers[1].attention
    table_of_heads = torch.nn.init.normal_(attention.position_bias.b).detach().numpy()
    x = torch.randn(1, 7, 8)
    q, k = (
        linear(x)[0].detach().numpy().reshape(7, 2, 4).transpose(1, 0, 2)
        for linear in (attention.W_Q, attention.W_K)
    )
    far = np.clip(np.subtract.outer(range(7), range(7)).T, -furthest, furthest) + furthest
    powers = np.exp(q @ k.transpose(0, 2, 1) + table_of_heads[:, far])
    _, weights = attention(x, need_weights=True)
    expected = powers / powers.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(weights[0].detach(), expected, rtol=1e-4, atol=1e-6)
