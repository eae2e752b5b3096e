"""What a note says of an attention on projections is what its class computes, and tests expect.

Each setting is put into the formula of each component. What the class must give is written out
here by hand: for one head after another, the scores as the setting has them, softmax, values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import pytest
import torch
from torch import nn

from building import Package, package_of
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker

Array = np.ndarray


@dataclass(frozen=True)
class Setting:
    """Scores in LaTeX, with ``%s`` for the products of queries and keys; the same by hand, from the
    products and d_k; and whether it is unusual."""

    latex: str
    by_hand: Callable[[Array, int], Array]
    unusual: bool
    where: str = ""


def distances(products: Array) -> Array:
    """|i − j| for each query i and key j; the last query stands where the last key does."""
    queries, keys = products.shape[-2:]
    return np.abs(np.arange(keys - queries, keys)[:, None] - np.arange(keys))


SETTINGS = {
    "usual": Setting(r"\frac{%s}{\sqrt{d_k}}", lambda s, d_k: s / np.sqrt(d_k), False),
    "unscaled": Setting("%s", lambda s, d_k: s, False),
    "divided by d_k": Setting(r"\frac{%s}{d_k}", lambda s, d_k: s / d_k, True),
    "multiplied": Setting(r"\sqrt{d_k} \cdot %s", lambda s, d_k: s * np.sqrt(d_k), True),
    "bent": Setting(
        r"\tanh\left(\frac{%s}{\sqrt{d_k}}\right)", lambda s, d_k: np.tanh(s / np.sqrt(d_k)), True
    ),
    "less for far keys": Setting(
        r"\frac{%s}{\sqrt{d_k}} + D",
        lambda s, d_k: s / np.sqrt(d_k) - distances(s) / 2,
        False,
        r", \quad D_{ij} = -\frac{|i - j|}{2}",
    ),
    "near keys only": Setting(
        r"\frac{%s}{\sqrt{d_k}} + D",
        lambda s, d_k: s / np.sqrt(d_k) + np.where(distances(s) <= 1, 0, -np.inf),
        False,
        r", \quad D_{ij} = \begin{cases} 0 & |i - j| \le 1 \\ -\infty & |i - j| > 1 \end{cases}",
    ),
}

CAUSAL = r", \quad C_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
JOINED = r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad \mathrm{head}_i = "
ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left({}\right) V"


@dataclass(frozen=True)
class Note:
    """Formulas of a component, with ``{}`` for the scores, and ``products`` for what they have."""

    formulas: tuple[str, ...]
    products: str
    name: str
    sizes: dict[str, int]
    causal: bool = False

    def says(self, setting: Setting) -> list[str]:
        scores = setting.latex.replace("%s", self.products)
        return [
            formula.replace("{}", scores, 1) + (setting.where if "{}" in formula else "")
            for formula in self.formulas
        ]


ONE_HEAD = {"d_model": 6, "d_k": 3, "d_v": 5}
HEADS = {"d_model": 6, "num_heads": 3}
NOTES = {
    "self": Note(
        (r"\mathrm{SelfAttention}(X) = \mathrm{softmax}\left({}\right) X W^V",),
        r"X W^Q (X W^K)^\top",
        "SelfAttention",
        ONE_HEAD,
    ),
    "self, defined apart": Note(
        (r"Q = X W^Q, \quad K = X W^K, \quad V = X W^V", r"Y = \mathrm{softmax}\left({}\right) V"),
        r"Q K^\top",
        "SelfAttention",
        ONE_HEAD,
    ),
    "causal, one head": Note(
        (r"Y = \mathrm{softmax}\left({} + C\right) X W^V" + CAUSAL,),
        r"X W^Q (X W^K)^\top",
        "CausalSelfAttention",
        ONE_HEAD,
        causal=True,
    ),
    "causal, heads": Note(
        (f"Y = {JOINED}" + r"\mathrm{softmax}\left({} + C\right) X W_i^V" + CAUSAL,),
        r"X W_i^Q (X W_i^K)^\top",
        "CausalSelfAttention",
        HEADS,
        causal=True,
    ),
    "causal, of another formula": Note(
        (
            ATTENTION.replace("Attention", "CausalAttention").replace("{}", "{} + C") + CAUSAL,
            f"Y = {JOINED}" + r"\mathrm{CausalAttention}(X W_i^Q, X W_i^K, X W_i^V)",
        ),
        r"Q K^\top",
        "CausalSelfAttention",
        HEADS,
        causal=True,
    ),
    "cross": Note(
        (r"\mathrm{CrossAttention}(X, Z) = \mathrm{softmax}\left({}\right) Z W^V",),
        r"X W^Q (Z W^K)^\top",
        "CrossAttention",
        {**ONE_HEAD, "d_memory": 4},
    ),
    "cross, heads": Note(
        (
            ATTENTION,
            r"\mathrm{CrossAttention}(X, Z) = "
            + JOINED
            + r"\mathrm{Attention}(X W_i^Q, Z W_i^K, Z W_i^V)",
        ),
        r"Q K^\top",
        "CrossAttention",
        {**HEADS, "d_memory": 4},
    ),
    "heads": Note(
        (f"Y = {JOINED}" + r"\mathrm{softmax}\left({}\right) X W_i^V",),
        r"X W_i^Q (X W_i^K)^\top",
        "MultiHeadAttention",
        HEADS,
    ),
    "heads, added up": Note(
        (r"Y = \sum_{i=1}^h \mathrm{softmax}\left({}\right) X W_i^V W_i^O",),
        r"X W_i^Q (X W_i^K)^\top",
        "MultiHeadAttention",
        HEADS,
    ),
    "causal, heads added up": Note(
        (
            r"Y = \sum_i \mathrm{head}_i W_i^O,"
            r" \quad \mathrm{head}_i = \mathrm{softmax}\left({} + C\right) X W_i^V" + CAUSAL,
        ),
        r"X W_i^Q (X W_i^K)^\top",
        "CausalSelfAttention",
        HEADS,
        causal=True,
    ),
    "heads, of another formula": Note(
        (
            ATTENTION,
            r"\mathrm{MultiHead}(Q, K, V) = "
            + JOINED
            + r"\mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)",
        ),
        r"Q K^\top",
        "MultiHeadAttention",
        HEADS,
    ),
}


def by_hand(
    attention: nn.Module, x: Array, source: Array, scores: Callable[[Array, int], Array]
) -> Array:
    """The output for one sequence, one head after another."""
    heads = getattr(attention, "num_heads", 1)
    weights = {name: value.numpy() for name, value in attention.state_dict().items()}
    outputs = []
    for head in range(heads):
        query, key, value = (
            given @ np.split(weights[f"{name}.weight"], heads)[head].T
            for given, name in ((x, "W_Q"), (source, "W_K"), (source, "W_V"))
        )
        powers = np.exp(scores(query @ key.T, query.shape[-1]))
        outputs.append(powers / powers.sum(axis=-1, keepdims=True) @ value)
    joined = np.concatenate(outputs, axis=-1)
    return joined @ weights["W_O.weight"].T if "W_O.weight" in weights else joined


def warnings_of(formulas: list[str]) -> list[str]:
    """The codes of what is said about formulas of one note."""
    known = library()
    entries = [Entry(latex, "Note.md", (), order) for order, latex in enumerate(formulas)]
    compiler = Compiler(Linker(entries, known.scope), known)
    return [problem.code for entry in entries for problem in compiler.compiled(entry).problems]


CASES = [
    pytest.param(note, setting, id=f"{name}: {what}")
    for name, note in NOTES.items()
    for what, setting in SETTINGS.items()
    if not (note.causal and setting.where)
]


@pytest.mark.parametrize(("note", "setting"), CASES)
def test_the_class_computes_what_the_note_says(
    note: Note, setting: Setting, imported: Callable[[Package], ModuleType]
) -> None:
    formulas = note.says(setting)
    package = imported(package_of(formulas))
    attention = getattr(package, note.name)(**note.sizes).double()
    x = torch.randn(2, 4, 6, dtype=torch.float64)
    source = torch.randn(2, 5, 4, dtype=torch.float64) if "d_memory" in note.sizes else x
    inputs = (x,) if source is x else (x, source)

    def scores(products: Array, d_k: int) -> Array:
        later = np.triu(np.full(products.shape, -np.inf), 1)
        return setting.by_hand(products, d_k) + (later if note.causal else 0)

    sequences = zip(x.numpy(), source.numpy(), strict=True)
    expected = np.stack([by_hand(attention, *sequence, scores) for sequence in sequences])
    for output in (attention(*inputs), attention(*inputs, need_weights=True)[0]):
        np.testing.assert_allclose(output.detach().numpy(), expected, rtol=1e-10, atol=1e-12)
    assert ("N2C050" in warnings_of(formulas)) == setting.unusual


@pytest.mark.parametrize(("note", "setting"), CASES[::7])
def test_the_emitted_tests_expect_what_the_note_says(
    note: Note, setting: Setting, run_tests: Callable[[Package], bool]
) -> None:
    assert run_tests(package_of(note.says(setting)))


@pytest.mark.parametrize(("note", "setting"), CASES[::7])
def test_the_emitted_tests_expect_nothing_else(
    note: Note, setting: Setting, run_tests: Callable[[Package], bool]
) -> None:
    """The class of another setting fails them."""
    other = next(s for s in SETTINGS.values() if s.by_hand is not setting.by_hand)
    files, others = package_of(note.says(setting)), package_of(note.says(other))
    path = "transformer/attention.py"
    assert not run_tests({**files, path: others[path]})


# --- the attention of each head -----------------------------------------------------------------

HEADS_OF = r"\mathrm{MultiHead}(Q, K, V) = " + JOINED + r"\mathrm{%s}(Q W_i^Q, K W_i^K, V W_i^V)"
INNER = {
    "BilinearAttention": (
        r"\mathrm{BilinearAttention}(Q, K, V) = \mathrm{softmax}\left(Q W K^\top\right) V",
        lambda q, k, inner: np.exp(q @ inner["W"].T @ k.T),
    ),
    "AdditiveAttention": (
        r"\mathrm{AdditiveAttention}(Q, K, V)_i = \sum_j \alpha_{ij} v_j, \quad"
        r" \alpha_{ij} = \mathrm{softmax}_j(w_v^\top \tanh(W_q q_i + W_k k_j))",
        lambda q, k, inner: np.exp(
            np.tanh((q @ inner["W_q"].T)[:, None] + k @ inner["W_k"].T) @ inner["w_v"].ravel()
        ),
    ),
    "KernelAttention": (
        r"\mathrm{KernelAttention}(Q, K, V)_i = \sum_j"
        r" \frac{\exp(-\|q_i - k_j\|^2)}{\sum_l \exp(-\|q_i - k_l\|^2)} v_j",
        lambda q, k, inner: np.exp(-((q[:, None] - k) ** 2).sum(axis=-1)),
    ),
}


@pytest.mark.parametrize("name", INNER)
def test_heads_may_have_any_attention(
    name: str,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    formula, powers_of = INNER[name]
    files = package_of([formula, HEADS_OF % name])
    module = imported(files).MultiHeadAttention(d_model=6, num_heads=3).double()
    weights = {name: value.numpy() for name, value in module.state_dict().items()}
    inner = {
        key.removeprefix("attention.").removesuffix(".weight"): value
        for key, value in weights.items()
        if key.startswith("attention.")
    }
    given = torch.randn(3, 4, 6, dtype=torch.float64)
    heads = []
    for head in range(3):
        query, key, value = (
            x @ np.split(weights[f"{linear}.weight"], 3)[head].T
            for x, linear in zip(given.numpy(), ("W_Q", "W_K", "W_V"), strict=True)
        )
        powers = powers_of(query, key, inner)
        heads.append(powers / powers.sum(axis=-1, keepdims=True) @ value)
    expected = np.concatenate(heads, axis=-1) @ weights["W_O.weight"].T
    output = module(*given.unsqueeze(1))[0].detach().numpy()
    np.testing.assert_allclose(output, expected, rtol=1e-10, atol=1e-12)
    assert run_tests(files)


# --- keys and values that heads share -----------------------------------------------------------

SHARED = JOINED + r"\mathrm{Attention}(Q W_i^Q, K W^K, V W^V)"


WRITTEN_OUT = JOINED + (
    r"\mathrm{softmax}\left(\frac{Q W_i^Q (K W^K)^\top}{\sqrt{d_k}}\right) V W^V"
)


@pytest.mark.parametrize("formula", [SHARED, WRITTEN_OUT])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_heads_of_a_group_share_keys_and_values(
    formula: str, groups: int, imported: Callable[[Package], ModuleType]
) -> None:
    """Head i of four is one of group i // (4 / groups)."""
    package = imported(package_of([formula]))
    module = package.MultiQueryAttention(d_model=12, num_heads=4, num_groups=groups).double()
    weights = {name: value.numpy() for name, value in module.state_dict().items()}
    given = torch.randn(3, 5, 12, dtype=torch.float64)
    query, key, value = given.numpy()
    heads = []
    for head in range(4):
        group = head // (4 // groups)
        queries = query @ weights["W_Q.weight"][3 * head : 3 * head + 3].T
        keys = key @ weights["W_K.weight"][3 * group : 3 * group + 3].T
        values = value @ weights["W_V.weight"][3 * group : 3 * group + 3].T
        powers = np.exp(queries @ keys.T / 3**0.5)
        heads.append(powers / powers.sum(axis=-1, keepdims=True) @ values)
    expected = np.concatenate(heads, axis=-1) @ weights["W_O.weight"].T
    output = module(*given.unsqueeze(1))[0].detach().numpy()
    np.testing.assert_allclose(output, expected, rtol=1e-10, atol=1e-12)


OWN_PROJECTIONS = r"Q_i = X W_i^Q, \quad K_j = X W_j^K, \quad V_j = X W_j^V"


@pytest.mark.parametrize(
    "formulas",
    [
        (JOINED + r"\mathrm{Attention}(X W_i^Q, X W^K, X W^V)",),
        (WRITTEN_OUT,),
        (JOINED + r"\mathrm{softmax}(X W_i^Q (X W^K)^\top / 7 + C) X W^V" + CAUSAL,),
        (r"\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W^K, V W^V)",),
        (r"\mathrm{head}_i = \mathrm{softmax}(X W_i^Q (X W^K)^\top / 7) X W^V",),
        (r"\mathrm{head}_i = \mathrm{softmax}(Q W_i^Q (K W^K)^\top / 7 + C) V W^V" + CAUSAL,),
        (r"\mathrm{head}_i = \mathrm{softmax}(X W_i^Q (X W_{g(i)}^K)^\top / 7) X W_{g(i)}^V",),
        (INNER["AdditiveAttention"][0], SHARED.replace(r"\mathrm{A", r"\mathrm{AdditiveA")),
        (INNER["BilinearAttention"][0], SHARED.replace(r"\mathrm{A", r"\mathrm{BilinearA")),
        (r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top + C) V" + CAUSAL, SHARED),
        (JOINED + r"\mathrm{Attention}(Q W_i^Q, K W_{g(i)}^K, V W_{g(i)}^V)",),
        (
            r"\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_{\lceil i/r \rceil}^K, "
            r"V W_{\lceil i/r \rceil}^V)",
        ),
        (JOINED + r"\mathrm{softmax}(Q W_i^Q (K W_{g(i)}^K)^\top / 7 + C) V W_{g(i)}^V" + CAUSAL,),
        (JOINED + r"\mathrm{softmax}\left(Q_i K_{g(i)}^\top\right) V_{g(i)}", OWN_PROJECTIONS),
    ],
)
def test_heads_that_share_may_be_written_in_several_ways(
    formulas: Sequence[str],
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    files = package_of(formulas)
    package, names = imported(files), ("MultiQueryAttention", "GroupedQueryAttention")
    assert any(hasattr(package, name) for name in names)
    assert run_tests(files)


@pytest.mark.parametrize("group", ["", r"_{\lceil i/r \rceil}", r"_{\lceil i/4 \rceil}"])
def test_heads_that_share_and_what_joins_them_are_one_class(
    group: str, run_tests: Callable[[Package], bool]
) -> None:
    """A number of heads in a group is one of all that may be."""
    attention = r"\mathrm{A}(Q, K, V) = \mathrm{softmax}(QK^\top + C) V" + CAUSAL
    joined = r"\mathrm{F}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"
    heads = rf"\mathrm{{head}}_i = \mathrm{{A}}(X W_i^Q, X W{group}^K, X W{group}^V)"
    files = package_of([attention, joined, heads])
    assert files["transformer/attention.py"].count("QueryAttention(nn.Module)") == 1
    assert run_tests(files)
