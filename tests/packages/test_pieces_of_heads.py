"""Heads whose queries, keys and values are pieces of what a note projects, by one letter."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of
from notes2code import compile_formula
from notes2code.components.compiling import Compiled, Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker

MATRICES = [
    r"Q = X W^Q + b^Q, \quad K = X W^K + b^K, \quad V = X W^V + b^V",
    r"[Q_1, \dots, Q_h] = Q, \quad [K_1, \dots, K_h] = K, \quad [V_1, \dots, V_h] = V",
    r"\mathrm{head}_i = \mathrm{softmax}\left(\frac{Q_i K_i^\top}{\sqrt{d_k}}\right) V_i",
    r"\mathrm{MHA}(X) = [\mathrm{head}_1, \dots, \mathrm{head}_h] W^O",
]
OTHER_WAY = [
    MATRICES[0],
    r"Q = [Q_1, \dots, Q_h], \quad K = [K_1, \dots, K_h], \quad V = [V_1, \dots, V_h]",
    *MATRICES[2:],
]
TOKENS = [
    r"\mathbf{q}_t = W^Q \mathbf{h}_t + \mathbf{b}^Q, \quad \mathbf{k}_t = W^K \mathbf{h}_t + "
    r"\mathbf{b}^K, \quad \mathbf{v}_t = W^V \mathbf{h}_t + \mathbf{b}^V",
    *(
        rf"[\mathbf{{{x}}}_{{t,1}}; \mathbf{{{x}}}_{{t,2}}; \dots; \mathbf{{{x}}}_{{t,n_h}}] "
        rf"= \mathbf{{{x}}}_t"
        for x in "qkv"
    ),
    r"\mathbf{o}_{t,i} = \sum_j \mathrm{softmax}_j\left(\frac{\mathbf{q}_{t,i}^\top "
    r"\mathbf{k}_{j,i}}{\sqrt{d_h}}\right) \mathbf{v}_{j,i}",
    r"\mathbf{u}_t = W^O [\mathbf{o}_{t,1}; \mathbf{o}_{t,2}; \dots; \mathbf{o}_{t,n_h}]",
]


def compiled(formulas: list[str]) -> list[Compiled]:
    """What becomes of the formulas of one section."""
    entries = [Entry(latex, "Heads.md", ("Heads",), at) for at, latex in enumerate(formulas)]
    compiler = Compiler(Linker(entries, library().scope), library())
    return [compiler.compiled(entry) for entry in entries]


@pytest.mark.parametrize("formulas", [MATRICES, OTHER_WAY, TOKENS])
def test_the_class_projects_as_the_note_does(
    formulas: list[str],
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    """With its biases, which the textbook has not."""
    files = package_of(formulas)
    assert run_tests(files)
    attention = imported(files).MultiHeadAttention(8, 2).double()
    given = {name: w.detach().numpy() for name, w in attention.named_parameters()}
    x = np.random.default_rng(0).standard_normal((5, 8))
    q, k, v = (x @ given[f"W_{n}.weight"].T + given[f"W_{n}.bias"] for n in "QKV")
    heads = []
    for own in (slice(0, 4), slice(4, 8)):
        weights = np.exp(q[:, own] @ k[:, own].T / 2)
        heads.append(weights / weights.sum(axis=1, keepdims=True) @ v[:, own])
    output = attention(torch.tensor(x)[None]).detach()[0]
    expected = np.concatenate(heads, axis=1) @ given["W_O.weight"].T
    np.testing.assert_allclose(output, expected, rtol=1e-10, atol=1e-12)


def test_pieces_contradict_no_definition_of_the_whole() -> None:
    told = {problem.code for one in compiled(TOKENS) for problem in one.problems}
    assert told == {"N2C039"}


def test_pieces_of_what_nothing_projects_are_told_of() -> None:
    """The class of heads projects what it is given."""
    latex = [*MATRICES[1:3], MATRICES[3].replace("(X)", "(Q, K, V)")]
    told = [problem.message for problem in compiled(latex)[1].problems]
    assert any("taken to be projections of what `MHA` is given" in message for message in told)


@pytest.mark.parametrize(
    "made",
    [
        r"\mathbf{q}_{t,i} = W_i^Q \mathbf{h}_t + b_i^Q, \quad \mathbf{k}_{t,i} = W_i^K "
        r"\mathbf{h}_t, \quad \mathbf{v}_{t,i} = W_i^V \mathbf{h}_t",
        r"\mathbf{q}_{t,i} = W_i^Q \mathbf{h}_t, \quad \mathbf{k}_{t,i} = W_i^{UK} W^{DKV} "
        r"\mathbf{h}_t, \quad \mathbf{v}_{t,i} = W_i^{UV} W^{DKV} \mathbf{h}_t",
        r"\mathbf{q}_{t,i} = [\mathbf{q}^C_{t,i}; \mathbf{q}^R_{t,i}], \quad "
        r"\mathbf{k}_{t,i} = [\mathbf{k}^C_{t,i}; \mathbf{k}^R_t]",
    ],
)
def test_heads_that_the_note_makes_otherwise_are_not_the_textbook_s(made: str) -> None:
    """A bias of the queries alone, keys and values of a latent vector, and parts that are turned:
    the textbook's projections were taken in silence."""
    _, attention, joined = compiled([made, *TOKENS[-2:]])
    assert attention.recognised is not None
    assert (joined.status, [one.code for one in joined.problems][-1]) == ("formula", "N2C056")


def test_what_a_function_is_given_is_not_what_it_names_beside() -> None:
    """The class of Attention(q, k, v) was given the norms of q and k as its query and key."""
    normed = r"\hat{q} = \mathrm{RMSNorm}(q), \quad \hat{k} = \mathrm{RMSNorm}(k)"
    attention = (
        r"\mathrm{Attention}(q, k, v) = \mathrm{softmax}"
        r"\left(\frac{\hat{q} \hat{k}^\top}{\sqrt{d_k}}\right) v"
    )
    assert compiled([normed, attention])[1].status == "formula"
    assert compiled([normed, attention.split(" = ", 1)[1]])[1].status == "component"


@pytest.mark.parametrize(
    "projections",
    [
        [r"Q = X W^Q, \quad K = X W^K, \quad V = X W^V"],
        ["Q, K, V = X W^Q, X W^K, X W^V"],
        ["Q = X W^Q, \\quad K = Y W^K, \\quad V = Y W^V"],
    ],
)
def test_heads_of_what_one_product_makes_are_those_of_the_class(projections: list[str]) -> None:
    head = r"\text{head}_i = \text{softmax}(Q_i K_i^\top / \sqrt{d_k}) V_i"
    heads = r"A = \text{Concat}(\text{head}_1, \dots, \text{head}_h) W^O"
    found = compile_formula(heads, context=[*projections, head])
    assert found.component == "multi_head_attention" and not found.diagnostics


def test_latent_vectors_are_made_of_what_queries_are_made_of() -> None:
    head = r"o_{t,i} = \sum_{j=1}^t \text{softmax}_j(q_{t,i}^\top k_{j,i} / \sqrt{d}) v_{j,i}"
    latent = ["c_t = W^D h_t", "k_{t,i} = W_i^K c_t", "v_{t,i} = W_i^V c_t", "q_{t,i} = W_i^Q h_t"]
    embedded = ["x_t = E w_t", "q_t = W^Q x_t", "k_t = W^K x_t", "v_t = W^V x_t"]
    joined = r"u_t = W^O [o_{t,1}; \dots; o_{t,n}]"
    assert compile_formula(joined, context=[*latent, head]).component is None
    assert compile_formula(joined, context=[*embedded, head]).component == "multi_head_attention"


@pytest.mark.parametrize(
    ("formula", "context", "component"),
    [
        (r"L(z) = -\sum_k y_k \log p_k", ["z = W h + b", r"p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}"],
            "cross_entropy"),
        (r"p(x) = \text{softmax}(W h + b)", [r"h = \text{BERT}(x)"], "output_head"),
        (r"\text{SA}(Z) = \text{softmax}(Q K^\top / \sqrt{D}) V", ["[Q, K, V] = Z U"],
            "self_attention"),
        (r"A(q, k, v) = \text{softmax}(\hat q \hat k^\top / \sqrt{d}) v",
            [r"\hat q = \text{RMSNorm}(q)", r"\hat k = \text{RMSNorm}(k)"], None),
    ],
)  # fmt: skip
def test_a_formula_is_none_of_what_it_is_given_where_that_is_normed_first(
    formula: str, context: list[str], component: str | None
) -> None:
    assert compile_formula(formula, context=context).component == component
