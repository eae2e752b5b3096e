"""Heads that are joined as the note says, and no other way."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of

JOINED = r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)"
HEAD = r"\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)"
INLINE = (
    r"\mathrm{MHA}(X) = [\mathrm{head}_1; \dots; \mathrm{head}_h], \quad \mathrm{head}_i = "
    r"\mathrm{softmax}\left(\frac{X W_i^Q (X W_i^K)^\top}{\sqrt{d_k}}\right) X W_i^V"
)


OUT = r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"
WRITTEN = (
    r"\mathrm{head}_i = "
    r"\mathrm{softmax}\left(\frac{X W_i^Q (X W_i^K)^\top}{\sqrt{d_k}} %s\right) X W_i^V"
)
ORDER = r", \quad M_{rs} = \begin{cases} 0 & s \le r \\ -\infty & s > r \end{cases}"


@pytest.mark.parametrize("joined", [[OUT], []])
@pytest.mark.parametrize(
    ("added", "name", "sizes", "by_hand", "takes_bias"),
    [
        ("", "MultiHeadAttention", {}, lambda b: 0 * b, False),
        ("+ B_i", "MultiHeadAttention", {}, lambda b: b, True),
        (r"- \beta D", "MultiHeadAttention", {"beta": 0.3}, lambda b: -0.3 * b, True),
        ("+ M", "CausalSelfAttention", {}, lambda b: np.triu(b - np.inf, 1), False),
    ],
)
def test_heads_that_are_written_out_in_a_formula_of_their_own(
    added: str,
    name: str,
    sizes: dict[str, float],
    by_hand: Callable[[np.ndarray], np.ndarray],
    takes_bias: bool,
    joined: list[str],
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    """They are no class of their own: what joins them is the note's, or as usual."""
    where = ORDER if "M" in added else ""
    files = package_of([*joined, WRITTEN % added + where])
    assert run_tests(files)
    package = imported(files)
    assert [c for c in package.__all__ if c.endswith("Attention")] == [name]
    rng = np.random.default_rng(0)
    bias = rng.standard_normal((2, 5, 5))
    given = {"bias": torch.tensor(bias)} if takes_bias else {}
    attention = getattr(package, name)(8, 2, **sizes).double()
    linear = {name: w.detach().numpy() for name, w in attention.named_parameters()}
    x = rng.standard_normal((5, 8))
    q, k, v = (x @ linear[f"W_{letter}.weight"].T for letter in "QKV")
    heads = []
    for own, more in zip((slice(0, 4), slice(4, 8)), by_hand(bias), strict=True):
        weights = np.exp(q[:, own] @ k[:, own].T / 2 + more)
        heads.append(weights / weights.sum(axis=1, keepdims=True) @ v[:, own])
    expected = np.concatenate(heads, axis=1) @ linear["W_O.weight"].T
    output = attention(torch.tensor(x)[None], **given).detach()[0]
    np.testing.assert_allclose(output, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("joined", [[r"\mathrm{Cross}(X, Z) = " + OUT.split(" = ")[1]], []])
def test_crossing_heads_that_are_written_out(
    joined: list[str],
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    """They are those of one class, which their keys and values are given to."""
    head = WRITTEN.replace("(X W_i^K)", "(Z W_i^K)").replace("X W_i^V", "Z W_i^V") % ""
    files = package_of([head, *joined])
    assert run_tests(files)
    package = imported(files)
    assert [c for c in package.__all__ if c.endswith("Attention")] == ["CrossAttention"]
    attention = package.CrossAttention(8, 6, 2).double()
    linear = {name: w.detach().numpy() for name, w in attention.named_parameters()}
    rng = np.random.default_rng(0)
    x, z = rng.standard_normal((5, 8)), rng.standard_normal((4, 6))
    q, k, v = (y @ linear[f"W_{n}.weight"].T for n, y in (("Q", x), ("K", z), ("V", z)))
    heads = []
    for own in (slice(0, 4), slice(4, 8)):
        weights = np.exp(q[:, own] @ k[:, own].T / 2)
        heads.append(weights / weights.sum(axis=1, keepdims=True) @ v[:, own])
    expected = np.concatenate(heads, axis=1) @ linear["W_O.weight"].T
    output = attention(torch.tensor(x)[None], torch.tensor(z)[None]).detach()[0]
    np.testing.assert_allclose(output, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("notes", [[JOINED, HEAD], [f"{JOINED}, \\quad {HEAD}"], [INLINE]])
def test_heads_that_no_matrix_joins(
    notes: list[str],
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    files = package_of(notes)
    assert run_tests(files)
    attention = imported(files).MultiHeadAttention(8, 2).double()
    linear = {name: w.detach().numpy() for name, w in attention.named_parameters()}
    assert linear.keys() == {"W_Q.weight", "W_K.weight", "W_V.weight"}
    x = np.random.default_rng(0).standard_normal((5, 8))
    q, k, v = (x @ linear[f"W_{letter}.weight"].T for letter in "QKV")
    heads = []
    for own in (slice(0, 4), slice(4, 8)):
        weights = np.exp(q[:, own] @ k[:, own].T / 2)
        heads.append(weights / weights.sum(axis=1, keepdims=True) @ v[:, own])
    output = attention(torch.tensor(x)[None]).detach()[0]
    np.testing.assert_allclose(output, np.concatenate(heads, axis=1), rtol=1e-10, atol=1e-12)


def test_heads_with_the_bias_of_a_class(run_tests: Callable[[Package], bool]) -> None:
    """That of ALiBi is the argument of the heads, and no part of their formula."""
    slopes = r"B_{h,i,j} = m_h (j - i), \quad m_h = 2^{-8h/H}, \quad h = 1, \dots, H"
    files = package_of([slopes, WRITTEN % "+ B_i", OUT])
    assert "class ALiBi" in files["transformer/positions.py"]
    assert "class MultiHeadAttention" in files["transformer/attention.py"]
    assert "SelfAttention" not in files["transformer/attention.py"]
    assert run_tests(files)


@pytest.mark.parametrize(
    "notes",
    [
        [r"\mathrm{head}_i = \mathrm{Attention}(XW_i^Q, XW_i^K, XW_i^V)", OUT],
        [r"\mathrm{head}_i = \mathrm{Attention}(XW_i^Q, XW_i^K, XW_i^V)"],
    ],
)
def test_heads_of_one_sequence_call_an_attention(
    notes: list[str], run_tests: Callable[[Package], bool]
) -> None:
    files = package_of(notes)
    classes = re.findall(r"^class (\w*Attention)\b", files["transformer/attention.py"], re.M)
    expected = [
        "Attention",
        "DotProductAttention",
        "MultiHeadAttention",
        "ScaledDotProductAttention",
    ]
    assert sorted(classes) == expected
    assert run_tests(files)


LINEAR = (
    r"\mathrm{LinearAttention}(Q, K, V)_i = "
    r"\frac{\sum_{j %s} \phi(q_i)^\top \phi(k_j) v_j}{\sum_{j %s} \phi(q_i)^\top \phi(k_j)}, "
    r"\quad \phi(x) = \mathrm{elu}(x) + 1"
)
OF_LINEAR = OUT + (r", \quad \mathrm{head}_i = \mathrm{LinearAttention}(X W_i^Q, X W_i^K, X W_i^V)")


@pytest.mark.parametrize(
    ("until", "name"), [(r"\le i", "CausalSelfAttention"), ("", "MultiHeadAttention")]
)
def test_heads_of_linear_attention(
    until: str,
    name: str,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    """They see what one such attention sees, and take no bias."""
    files = package_of([LINEAR % (until, until), OF_LINEAR])
    assert run_tests(files)
    made = getattr(imported(files), name)(6, 2).double()
    x = torch.randn(1, 5, 6, dtype=torch.float64)
    features = [torch.nn.functional.elu(linear(x)) + 1 for linear in (made.W_Q, made.W_K)]
    q, k, v = (y.unflatten(-1, (2, 3)) for y in (*features, made.W_V(x)))
    weights = torch.einsum("bihd,bjhd->bhij", q, k)
    weights = weights.tril() if until else weights
    weights = weights / weights.sum(dim=-1, keepdim=True)
    expected = made.W_O(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(-2))
    torch.testing.assert_close(made(x), expected)
    with pytest.raises(ValueError, match="bias"):
        made(x, bias=torch.zeros(5, 5))


def test_heads_whose_weights_add_up_to_anything(
    run_tests: Callable[[Package], bool], imported: Callable[[Package], ModuleType]
) -> None:
    sums = r"\mathrm{LinearAttention}(Q, K, V)_i = \sum_j \phi(q_i)^\top \phi(k_j) v_j, \quad "
    files = package_of([sums + r"\phi(x) = \mathrm{elu}(x) + 1", OF_LINEAR])
    assert run_tests(files)
    made = imported(files).MultiHeadAttention(6, 2).double()
    _, weights = made(torch.randn(1, 5, 6, dtype=torch.float64), need_weights=True)
    assert (weights.sum(dim=-1) - 1).abs().min() > 0.1


SIGMOID = r"\mathrm{SigmoidAttn}(Q, K, V) = \sigma\left(\frac{QK^\top}{\sqrt{d_k}} + b %s\right) V"
OF_SIGMOID = r", \quad \mathrm{head}_i = \mathrm{SigmoidAttn}"


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("MultiHeadAttention", OUT + OF_SIGMOID + r"(X W_i^Q, X W_i^K, X W_i^V)"),
        (
            "CrossAttention",
            r"\mathrm{CrossAttention}(X, Z) = \mathrm{Concat}(\mathrm{head}_1, \dots, "
            r"\mathrm{head}_h) W^O" + OF_SIGMOID + r"(X W_i^Q, Z W_i^K, Z W_i^V)",
        ),
        ("MultiQueryAttention", OUT + OF_SIGMOID + r"(X W_i^Q, X W^K, X W^V)"),
    ],
)
def test_heads_of_sigmoids(
    name: str,
    heads: str,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    files = package_of([SIGMOID % "", heads])
    assert run_tests(files)
    package = imported(files)
    sizes, count = ((6, 6, 2), 2) if name == "CrossAttention" else ((6, 2), 1)
    attention = getattr(package, name)(*sizes, b=-1.5).double()
    x = torch.randn(1, 5, 6, dtype=torch.float64)
    q, k, v = (linear(x) for linear in (attention.W_Q, attention.W_K, attention.W_V))
    k, v = (y.repeat(1, 1, q.size(-1) // y.size(-1)) for y in (k, v))
    q, k, v = (y.unflatten(-1, (2, 3)) for y in (q, k, v))
    weights = torch.sigmoid(torch.einsum("bihd,bjhd->bhij", q, k) / 3**0.5 - 1.5)
    expected = attention.W_O(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(-2))
    torch.testing.assert_close(attention(*[x] * count), expected)


def test_causal_heads_of_sigmoids(run_tests: Callable[[Package], bool]) -> None:
    files = package_of([SIGMOID % "+ M" + ORDER, OUT + OF_SIGMOID + r"(X W_i^Q, X W_i^K, X W_i^V)"])
    assert "class CausalSelfAttention" in files["transformer/attention.py"]
    assert run_tests(files)


ONE_QUERY = r"\mathrm{Attend}(q, K, V) = \sum_j \mathrm{softmax}_j\left(%s\right) v_j"


@pytest.mark.parametrize(
    ("score", "weights"),
    [
        (r"w^\top \tanh(U q + W k_j)", {"w.weight", "U.weight", "W.weight"}),
        (r"q^\top W k_j", {"W.weight"}),
        (r"-\frac{1}{2} \|q - k_j\|^2", set()),
    ],
)
def test_heads_of_a_function_of_one_query(
    score: str,
    weights: set[str],
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    """Each row of the queries is one, and all of them see the same keys."""
    heads = r"\mathrm{head}_i = \mathrm{Attend}(Q W_i^Q, K W_i^K, V W_i^V)"
    files = package_of([ONE_QUERY % score, f"{JOINED} W^O, \\quad {heads}"])
    assert run_tests(files)
    made = imported(files).MultiHeadAttention(6, 2)
    assert {name for name, _ in made.attention.named_parameters()} == weights


def test_heads_have_no_features_to_give() -> None:
    """Of linear attention that takes its feature map as an argument."""
    one = r"\mathrm{LinearAttention}(Q, K, V) = \phi(Q)(\phi(K)^\top V)"
    files = package_of([one, OF_LINEAR])
    assert "feature_map: Callable" in files["transformer/attention.py"]
    assert "class MultiHeadAttention" not in files["transformer/attention.py"]
