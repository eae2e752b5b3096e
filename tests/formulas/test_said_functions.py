"""Letters that stand for functions which the prose beside a formula names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from notes2code import compile_formula
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.linking.said_functions import said
from notes2code.meaning.prose.kinds import Passage
from tables import Case, check, relu, sigmoid, softmax, table

LAYER = r"y = \sigma(W x + b)"
INPUTS = "W[p,d] x[d] b[p]"


@table(
    Case(LAYER, INPUTS, lambda w, x, b: sigmoid(w @ x + b)),
    Case(
        LAYER,
        INPUTS,
        lambda w, x, b: relu(w @ x + b),
        context=r"В первых моделях $\sigma$ - ReLU, в других берут GELU.",
    ),
    Case(
        r"p = \sigma(W x)",
        "W[p,d] x[d]",
        lambda w, x: softmax(w @ x),
        context=r"ここで $\sigma$ はソフトマックス関数です。",
    ),
    # Any Greek letter that is only called, and has no more said of it.
    *(
        Case(
            r"g = \sigma(A \cdot \delta(B \cdot u))",
            "A[p,d] B[d,r] u[r]",
            lambda a, b, u: sigmoid(a @ relu(b @ u)),
            context=said_so,
        )
        for said_so in (
            r"with $\delta$ the ReLU.",
            r"onde $\delta$ é a função de ativação ReLU.",
            r"여기서 $\delta$는 ReLU 활성화 함수이다",
            r"wobei $\delta$ die Aktivierungsfunktion ReLU ist",
            r"where $\delta$ and $\sigma$ denote the ReLU and the sigmoid",
            r"$\sigma$ 和 $\delta$ 分别是 Sigmoid 和 ReLU 函数",
        )
    ),
    Case(
        r"g = \delta(u + b)",
        "delta u[d] b[d]",
        lambda delta, u, b: delta * (u + b),
        context=r"where $\delta$ is a sigmoid gate of one number",
    ),
    Case(
        r"g = \delta(u + b)",
        "delta u[d] b[d]",
        lambda delta, u, b: delta * (u + b),
        context=r"the error $\delta$ is sigmoid.",
    ),
    Case(
        r"g = \beta(u + b)",
        "beta u[d] b[d]",
        lambda beta, u, b: beta * (u + b),
        context=r"$\beta$ is a sigmoid; it gates the sum.",
    ),
    Case(
        r"g = \gamma(u + b)",
        "gamma u[d] b[d]",
        lambda gamma, u, b: gamma * (u + b),
        context=r"$\gamma$ is a sigmoid.",
    ),
    # Two of three are no pair, whose letters have functions in turn.
    Case(
        r"g = \sigma(u) + \tanh(b)",
        "u[d] b[d]",
        lambda u, b: sigmoid(u) + np.tanh(b),
        context=r"for $\phi$ and $\sigma$: sigmoid, ReLU and GELU were tried",
    ),
    Case(
        r"g = \delta(u + b) - \delta",
        "delta u[d] b[d]",
        lambda delta, u, b: delta * (u + b) - delta,
        context=r"where $\delta$ is the sigmoid.",
    ),
    Case(
        r"p = \sigma(W x)",
        "W[p,d] x[d]",
        lambda w, x: softmax(w @ x),
        context=r"Here $\sigma \colon \mathbb{R}^p \to \mathbb{R}^p$ is the softmax map.",
    ),
    Case(
        r"p = \sigma(W x)",
        "W[p,d] x[d]",
        lambda w, x: sigmoid(w @ x),
        context=r"$\sigma$はソフトマックスではなくシグモイド関数です。",
    ),
    Case(
        r"p = \sigma(W x)",
        "W[p,d] x[d]",
        lambda w, x: sigmoid(w @ x),
        context=r"$\sigma$는 소프트맥스가 아니라 시그모이드 함수이다.",
    ),
    Case(
        r"p = \sigma(W x)",
        "W[p,d] x[d]",
        lambda w, x: sigmoid(w @ x),
        context=r"$\sigma$는 소프트맥스와 다르다.",
    ),
    Case(
        r"p = \sigma(W x)",
        "W[p,d] x[d]",
        lambda w, x: softmax(w @ x),
        context=r"$\sigma$는 소프트맥스 함수이다.",
    ),
    Case(LAYER, INPUTS, lambda w, x, b: relu(w @ x + b), context=r"where $\sigma$ is ReLU."),
    *(
        Case(LAYER, INPUTS, lambda w, x, b: relu(w @ x + b), context=text)
        for text in (
            r"- $\sigma$: aktivasyon fonksiyonu (genellikle ReLU)",
            r"onde $\sigma$ é a função de ativação (geralmente ReLU).",
            r"где $\sigma$ — функция активации (обычно ReLU).",
            r"$\sigma$ adalah fungsi aktivasi, biasanya ReLU.",
        )
    ),
    # What prose speaks of by itself, with something in parentheses, is a function of that.
    Case(
        r"S = (Q K^\top) \odot M(B)",
        "Q[n,d] K[m,d] M() B[n,m]",
        lambda q, k, f, b: q @ k.T * f(b),
        context=r"where $M(B)$ spreads the mask of blocks.",
    ),
    Case(
        r"S = M(B) K^\top",
        "M[n,r] B[r,d] K[m,d]",
        lambda f, b, k: f @ b @ k.T,
        context=r"where $M$ and $B$ are learned.",
    ),
    Case(
        r"y = f(W x + b)",
        INPUTS,
        lambda w, x, b: np.tanh(w @ x + b),
        context=r"$f$ is a nonlinear activation function such as tanh or ReLU.",
    ),
    Case(
        r"p = \sigma(W x + b)",
        INPUTS,
        lambda w, x, b: softmax(w @ x + b),
        context=r"with the softmax function $\sigma$ at the end",
    ),
    # What the formula itself says in words is prose, too.
    Case(
        r"p = \sigma(W x + b), \text{ where } \sigma \text{ denotes the softmax}",
        INPUTS,
        lambda w, x, b: softmax(w @ x + b),
    ),
    Case(
        r"p = \sigma(W x + b) \quad \text{with $\sigma$ being ReLU}",
        INPUTS,
        lambda w, x, b: relu(w @ x + b),
    ),
    Case(
        r"p = \sigma(W x + b) \quad (\sigma: \text{softmax})",
        INPUTS,
        lambda w, x, b: softmax(w @ x + b),
    ),
    Case(
        r"p = \sigma(W x + b), \quad \sigma \text{ 表示 ReLU 函数}",
        INPUTS,
        lambda w, x, b: relu(w @ x + b),
    ),
    Case(
        r"p = \sigma(\text{ReLU}(W x + b)) \quad \text{for all } x",
        INPUTS,
        lambda w, x, b: sigmoid(relu(w @ x + b)),
    ),
    Case(
        r"p = \sigma(W x + b) \quad (\sigma = \tanh)",
        INPUTS,
        lambda w, x, b: np.tanh(w @ x + b),
    ),
    # So does a formula that makes a letter another name of one.
    Case(LAYER, INPUTS, lambda w, x, b: relu(w @ x + b), context=r"with $\sigma = \text{ReLU}$"),
    Case(LAYER, INPUTS, lambda w, x, b: np.tanh(w @ x + b), context=r"$$\sigma = \tanh$$"),
    Case(
        r"z_t = \sigma_z(W x_t + b)",
        "W[p,d] x[n,d] b[p]",
        lambda w, x, b: np.tanh(x @ w.T + b),
        context=r"where $\sigma_z = \tanh$",
    ),
    Case(
        r"y = g(W x + b)",
        INPUTS,
        lambda w, x, b: np.tanh(w @ x + b),
        context=r"The activation is $g = \tanh$.",
    ),
    Case(
        r"y = f(W x + b)",
        INPUTS,
        lambda w, x, b: relu(w @ x + b),
        context=r"where $f = \max(0, \cdot)$",
    ),
    Case(
        r"y = \psi(W x + b), \quad \psi(\cdot) = \min\{\cdot, 3\}",
        INPUTS,
        lambda w, x, b: np.minimum(w @ x + b, 3),
    ),
    Case(
        r"y = \sigma x",
        "sigma x[d]",
        lambda s, x: s * x,
        context=r"where $\sigma = 2$, as $\rho = \tanh$ says nothing of it",
    ),
    # A capital may be said to be one, where nothing is said of what it is of.
    *(
        Case(
            r"O = \text{S}(Q K^\top) V",
            "Q[n,d] K[m,d] V[m,e]",
            lambda q, k, v: softmax(q @ k.T) @ v,
            context=text,
        )
        for text in (r"where $S$ is the softmax.", r"Here $\mathrm{S}$ is the softmax function.")
    ),
    # Near misses: what it is of, and what the note makes of other things.
    Case(
        r"O = S (V + B)",
        "S[n,m] V[m,d] B[m,d]",
        lambda s, v, b: s @ (v + b),
        context=r"where $S$ is the softmax of the scores.",
    ),
    Case(
        r"O = P (V + B)",
        "P[n,m] V[m,d] B[m,d]",
        lambda p, v, b: p @ (v + b),
        context="$$ P = \\mathrm{softmax}(S) $$\n\nHere $P$ is the softmax.",
    ),
    # What a formula defines is more than what the text names.
    Case(
        LAYER,
        INPUTS,
        lambda w, x, b: np.tanh(w @ x + b),
        context="where $\\sigma$ is ReLU, or here\n\n$$\\sigma(u) = \\tanh(u)$$",
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex", [r"J = \sum_a t_a \log R(u_a)", "u_j = R(v_j) + 1", r"Y = R(M, N) C"]
)
def test_a_capital_that_is_called_with_elements_or_with_several_things_is_none(latex: str) -> None:
    formula = compile_formula(latex, context=r"where $R$ is the softmax.")
    assert [one.kind for one in formula.inputs if one.name == "R"] == ["function"]


def test_it_is_told() -> None:
    formula = compile_formula(LAYER, context=r"where $\sigma$ is the rectified linear unit")
    (remark,) = (found for found in formula.diagnostics if found.code == "N2C039")
    assert "rectified linear unit" in remark.message


@pytest.mark.parametrize(
    ("text", "function"),
    [
        (r"其中 $\sigma$ 为激活函数，如 ReLU", "relu"),
        (r"$\sigma$ 是 sigmoid 函数", "sigmoid"),
        (r"où $\sigma$ est la fonction sigmoïde", "sigmoïde"),
        (r"- $\sigma(\cdot)$: logistic function", "logistic"),
        (r"σ ist die Sigmoid-Funktion", "sigmoid"),
        (r"with GELU activation $\sigma$", "gelu"),
        (r"wobei $\sigma$ die Softmax-Funktion bezeichnet", "softmax"),
        (r"wobei $\sigma$ tanh ist", "tanh"),
        (r"with $\sigma$ the ReLU", "relu"),
        (r"In the first model, $\sigma$ was ReLU", "relu"),
    ],
)
def test_is_said(text: str, function: str) -> None:
    assert list(said(text)) == [("sigma", function)]


@pytest.mark.parametrize(
    "text",
    [
        r"$\sigma$ is not ReLU",
        r"$\sigma$ is the standard deviation; tanh is odd",
        r"$\sigma$ is what ReLU replaced",
        r"with $\sigma$ in front of the ReLU",
        r"$x$ is ReLU",
        r"a ReLU layer $f_1$",
        r"ReLU of $\sigma$",
        r"$\sigma$ is tanh or ReLU",
        r"$\sigma$：激活函数 (ReLU, tanh 等)",
    ],
)
def test_is_not_said(text: str) -> None:
    assert list(said(text)) == []


def test_the_nearest_section_counts() -> None:
    prose = [
        Passage(r"$\sigma$ is ReLU", "N.md", ("Top",), 0),
        Passage(r"$\sigma$ is tanh", "N.md", ("Top", "Gates"), 0),
    ]
    sections = [("Top", "Gates"), ("Top", "Layers"), ("Other",)]
    entries = [Entry(LAYER, "N.md", section, at) for at, section in enumerate(sections)]
    assert taken_for(entries, prose) == [["tanh,"], ["relu,"], []]


def test_a_formula_names_sigma_for_its_section() -> None:
    entries = [
        Entry(r"\sigma = \mathrm{ReLU}", "N.md", ("Here",), 0),
        Entry(LAYER, "N.md", ("Here",), 1),
        Entry(LAYER, "N.md", ("There",), 2),
    ]
    assert taken_for(entries, []) == [[], ["ReLU,"], []]


def taken_for(entries: Sequence[Entry], prose: Sequence[Passage]) -> list[list[str]]:
    """What each formula says that it takes a letter for."""
    compiler = Compiler(Linker(entries, library().scope, passages=prose), library())
    problems = [compiler.compiled(entry).problems for entry in entries]
    return [
        [word for one in told for word in one.message.split() if "," in word] for told in problems
    ]


@pytest.mark.parametrize(
    "said",
    [
        r"where $\sigma$ is the activation function.",
        r"这里，$\sigma$ 表示最终的非线性激活函数，如 ReLU 或 ELU。",
        r"где $\sigma$ — нелинейная функция активации.",
        r"- $\sigma$：非線性激活函數",
        r"$W$ 是投影、$\sigma$ 是非线性激活（ReLU / GELU）。",
        r"这里 $\sigma$ 通常是 GELU、ReLU 等激活函数。",
        r"where $\sigma$ denotes some nonlinearity.",
    ],
)
def test_that_a_text_only_calls_sigma_an_activation_is_told(said: str) -> None:
    (told,) = compile_formula(r"y = \sigma(W x)", context=said).diagnostics
    assert told.code == "N2C050" and "only says that it activates" in told.message


@pytest.mark.parametrize(
    "said",
    [
        r"where $\sigma$ is a non-linear activation function, here the logistic one.",
        r"where $f$ is an activation function.",
        r"$\sigma$ is the width.",
    ],
)
def test_that_is_not_told_elsewhere(said: str) -> None:
    found = compile_formula(r"y = \sigma(W x)", context=said).diagnostics
    assert not [d for d in found if d.code == "N2C050"]


def test_what_a_formula_names_as_its_function_does_is_one_input() -> None:
    """The b_{dec} of a reconstruction is that of its code; a W_1 may be another."""
    code = r"f(x) = \mathrm{ReLU}(W_{enc}(x - b_{dec}) + b_{enc})"
    compiled = compile_formula(r"y = W_{dec} f(x) + b_{dec}", context=[code])
    names = sorted(one.name for one in compiled.inputs)
    assert names == ["W_dec", "W_enc", "b_dec", "b_enc", "x"]
    layer = compile_formula(r"y = W_1 g(x)", context=[r"g(x) = \sigma(W_1 x)"])
    assert len(layer.inputs) == 3
