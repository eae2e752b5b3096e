"""Multi-head attention with biases behind its projections."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch
from torch import nn

from building import Package, package_of

JOINED = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"
)
HEADS = r"\mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)"
LAYER = (
    r"Z = \mathrm{LN}(X + \mathrm{MultiHead}(X, X, X)), \quad Y = \mathrm{LN}(Z + \mathrm{FFN}(Z))"
)


@pytest.mark.parametrize(
    "notes",
    [
        [JOINED + " + b^O", HEADS],
        [JOINED + " + b^O"],
        [JOINED + r" + b^O, \quad " + HEADS, LAYER],
    ],
)
def test_emitted_tests_pass(notes: list[str], run_tests: Callable[[Package], bool]) -> None:
    package = package_of(notes)
    assert "self.W_O = Linear(d_model, d_model)\n" in package["transformer/attention.py"]
    assert run_tests(package)


def test_causal_self_attention(run_tests: Callable[[Package], bool]) -> None:
    joined = r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O + b^O"
    scores = r"\frac{XW_i^Q (XW_i^K)^\top}{\sqrt{d_k}} + M"
    package = package_of(
        [
            rf"{joined}, \quad \mathrm{{head}}_i = \mathrm{{softmax}}\left({scores}\right) XW_i^V",
            r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
        ]
    )
    assert "class CausalSelfAttention" in package["transformer/attention.py"]
    assert "self.W_O = Linear(d_model, d_model)\n" in package["transformer/attention.py"]
    assert run_tests(package)


def test_value(imported: Callable[[Package], ModuleType]) -> None:
    """It is that of torch, whose output projection always has a bias where others have."""
    attention = imported(package_of([JOINED + " + b^O", HEADS])).MultiHeadAttention(12, 3)
    theirs = nn.MultiheadAttention(12, 3, batch_first=True)
    with torch.no_grad():
        linears = (attention.W_Q, attention.W_K, attention.W_V)
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in linears]))
        theirs.in_proj_bias.zero_()
        theirs.out_proj.weight.copy_(attention.W_O.weight)
        theirs.out_proj.bias.copy_(attention.W_O.bias)
    x = torch.randn(2, 5, 12)
    torch.testing.assert_close(attention(x), theirs(x, x, x)[0])


@pytest.mark.parametrize("added", [" - b^O", " + 2 b^O", " + Q", r" + b_i"])
def test_other_terms_are_no_bias(added: str) -> None:
    package = package_of([JOINED + added + r", \quad " + HEADS])
    assert "class MultiHeadAttention" not in package.get("transformer/attention.py", "")


IN_CALL = r"\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q + b_i^Q, K W_i^K + b_i^K, V W_i^V + b_i^V)"
WRITTEN = (
    r"\mathrm{head}_i = \mathrm{softmax}\left(\frac{(Q W_i^Q + b_i^Q)(K W_i^K + b_i^K)^\top}"
    r"{\sqrt{d_k}} MASK\right) (V W_i^V + b_i^V)"
)
CAUSAL = r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("of_keys", [True, False])
@pytest.mark.parametrize("heads", [IN_CALL, WRITTEN])
def test_biases_before_the_heads(
    heads: str,
    of_keys: bool,
    causal: bool,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    """That of the keys may have none, as in Whisper; it moves all scores of a query alike."""
    if not of_keys:
        heads = heads.replace(" + b_i^K", "")
    notes = [JOINED + " + b^O", heads.replace("MASK", "+ M" if causal else "")]
    if causal:
        call = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(Q K^\top / \sqrt{d_k} + M) V"
        notes = [*notes, CAUSAL, *([call] if heads.count("Attention") else [])]
        notes = [
            one.replace("(Q, K, V) = \\mathrm{Concat}", "(X) = \\mathrm{Concat}") for one in notes
        ]
        for letter in "QKV":
            notes[1] = notes[1].replace(f"{letter} W_i", "X W_i")
    files = package_of(notes)
    package = imported(files)
    attention = (package.CausalSelfAttention if causal else package.MultiHeadAttention)(12, 3)
    biases = [name for name, _ in attention.named_parameters() if name.endswith("bias")]
    assert len(biases) == 3 + of_keys and ("W_K.bias" in biases) == of_keys
    theirs = nn.MultiheadAttention(12, 3, batch_first=True)
    for weight in attention.parameters():
        nn.init.normal_(weight)
    linears = (attention.W_Q, attention.W_K, attention.W_V)
    bias = torch.zeros(12) if attention.W_K.bias is None else attention.W_K.bias
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in linears]))
        theirs.in_proj_bias.copy_(torch.cat([linears[0].bias, bias, linears[2].bias]))
        theirs.out_proj.load_state_dict(attention.W_O.state_dict())
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    later = torch.ones(5, 5, dtype=torch.bool).triu(1) if causal else None
    expected, _ = theirs.double()(x, x, x, attn_mask=later)
    torch.testing.assert_close(attention.double()(x), expected)
    assert run_tests(files)


ONE_HEAD = r"\mathrm{A}(X) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d}}MASK\right) V"
MADE = r"Q = X W_Q + b_Q, \quad K = SOURCE W_K BIAS, \quad V = SOURCE W_V + b_V"
HIDDEN = r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"


@pytest.mark.parametrize("bias", ["+ b_K", ""])
@pytest.mark.parametrize(
    ("class_name", "source", "mask"),
    [
        ("SelfAttention", "X", ""),
        ("CausalSelfAttention", "X", " + M"),
        ("CrossAttention", "Z", ""),
    ],
)
def test_one_head_has_them_too(
    class_name: str,
    source: str,
    mask: str,
    bias: str,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    attention = ONE_HEAD.replace("(X)", "(X, Z)" if source == "Z" else "(X)")
    made = MADE.replace("SOURCE", source).replace("BIAS", bias)
    files = package_of([attention.replace("MASK", mask), made, HIDDEN])
    head = getattr(imported(files), class_name)(*[6, 8][: 1 + (source == "Z")], 3, 5)
    assert head.W_Q.bias is not None and head.W_V.bias is not None
    assert (head.W_K.bias is not None) == bool(bias)
    assert run_tests(files)
