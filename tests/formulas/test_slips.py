"""Slips that leave a formula computable: it is computed as written, with a warning at the place.

The place stands between « and », which are taken out before the formula is compiled.
"""

from __future__ import annotations

import pytest

from notes2code import compile_formula
from notes2code.diagnostics import Severity

NAMES = [
    r"y = x W_1 + «b_2»",
    r"y = W_2 x + «b_1»",
    r"y = W_2 \cdot h + «b_1»",
    r"y = \mathrm{ReLU}(W^{(1)} x + «b^{(2)}»)",
    r"F(x) = \max(0, x W_1 + b_1) W_1 + «b_2»",
    r"F(x) = W_2 \max(0, W_1 x + b_1) + «b_1»",
    r"k_i = W_k x_i + «b_q»",
    r"s_{mn} = («X_m» W_q)^\top x_n W_k",
    r"s_{ij} = «H_i^\top» h_j",
    r"«F(x)» = \max(0, X W_1) W_2",
    r"«f(h)» = \tanh(H W)",
    r"«f(z)» = (z - \bar z) / s",
    r"«A(Q, K, V)» = \mathrm{softmax}(Q K^\top)",
    r"Q = X W^Q, K = X W^K, V = X «W^K»",
    r"k_i = «W_q» x_i",
    r"c_i = \sum_j \alpha_{ij} «h_i»",
    r"h_i = \mathrm{Attention}(Q W_i^Q, K «W_i^Q», V W_i^V)",
    r"f(x) = \frac{x - \mu}{«\sigma^2 + \epsilon»}",
    r"\sigma^2 = \frac{1}{d} \sum_{i=1}^d «(x_i - \mu)»",
    r"\mu = «\sum_{i=1}^d x_i»",
    r"\sigma^2 = «\sum_{i=1}^d (x_i - \mu)^2»",
    r"\sigma^2 = \frac{1}{d} \sum_{i=1}^d (x_i - «\mu_i»)^2",
    r"h = \mathrm{LayerNorm}(\mathrm{Sub}(x) + «\mathrm{Sub}(x)»)",
    r"y = «x» + \mathrm{MLP}(\mathrm{Norm}(x + \mathrm{Attn}(\mathrm{Norm}(x))))",
    r"z_i = \sum_{j=1}^n \alpha_{ij} «(x_i W)»",
    r"y_i = x_i + \sum_«i» a_i x_i",
    r"\sigma^2 = \frac{1}{d} \sum_{i=1}^d («x_i + \mu»)^2",
    r"H^{(l)} = \mathrm{LN}(«H^{(l)}» + \mathrm{FFN}(H^{(l)}))",
    r"S = QK^\top, «P» = \mathrm{softmax}(S), O = SV",
    r"z = x + \mathrm{MHA}(x), y = «x» + \mathrm{FFN}(\mathrm{LN}(z))",
    r"Z = \mathrm{LN}(X + \mathrm{MHA}(X, X, X)), Y = \mathrm{LN}(«X» + \mathrm{FFN}(Z))",
    r"Z = \mathrm{LN}(X + \mathrm{MHA}(X, X, X)), Y = \mathrm{LN}(«Z» + \mathrm{FFN}(X))",
    r"h = x + \mathrm{Attn}(\mathrm{LN}(x)), y = «\mathrm{FFN}(\mathrm{LN}(h))»",
    r"a_{ij} = \frac{\exp(e_{ij})}{\sum_«k» \exp(e_{kj})}, e_{ij} = v^\top \tanh(s_{i-1} + h_j)",
    r"«\mathrm{MultiHead}(Q, K, V)» = \mathrm{Attention}(Q W^Q, K W^K, W^V)",
    r"c_t = \tanh(W [\sum_{«t=1»}^T \alpha_t h_t; s_t])",
    r"«A(Q, K, V)» = \mathrm{softmax}(\frac{Q V^\top}{\sqrt{d_k}}) V",
    r"«A(Q, K, V)» = \mathrm{softmax}(\frac{Q Q^\top}{\sqrt{d_k}}) V",
]

SIDES = [
    r"\phi(x) = «x \sigma(x)» = \frac{x}{1 + e^{x}}",
    r"\sigma(x) = «\frac{1}{1 + e^{-x}}» = \frac{1}{2}(1 + \tanh(x))",
    r"«\tanh(x)» = 2\sigma(2x) + 1",
    r"«\log(ab)» = \log a - \log b",
    r"A = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d_k}}) V = «\frac{QK^\top}{\sqrt{d_k}} V»",
    r"s_i = «\sum_j a_{ij}» = \sum_{j} a_{ji} + 0",
    r"«q_i \cdot k_j» = \sum_l k_{il} q_{jl}",
    r"g(z) = «\sum_{j=1}^n e^{-(z - z_j)^2} u_j» = \sum_{j=1}^n e^{(z - z_j)^2} u_j",
]

UNUSUAL = [
    r"«head_i = \mathrm{Attention}(Q W^Q, K W^K, V W^V)»",
    r"«\mathrm{ReLU}(x) = \min(0, x)»",
    r"«\mathrm{sigmoid}(x) = \frac{1}{1 + e^{x}}»",
    r"«\mathrm{softmax}(z)_i = \frac{e^{z_i}}{\sum_j z_j}»",
    r"A = \frac{«\mathrm{softmax}»(Q K^\top)}{\sqrt{d_k}} V",
    r"A = \mathrm{softmax}(«\mathrm{tril}»(S))",
    r"A = «\mathrm{softmax}_{att}»(S)",
    r"z_i = w_i e^{«i» m \theta_i} \quad i = 1, \dots, n",
    r"x_i = \sum_{k=1}^n c_k \exp(\frac{2\pi «i» k}{n})",
    r"z_k = «\exp(i \theta_k)»",
    r"«\mathrm{GELU}(x) = 0.5x(1 + \tanh(\sqrt{2/\pi}(x + 0.44715x^3)))»",
    r"«\mathrm{GELU}(x) = \frac{x}{2}[1 + \mathrm{erf}(x/2)]»",
    r"«\mathrm{Swish}(x) = x + \sigma(x)»",
    r"«\mathrm{FFN}(x) = \max(0, (x W_1 + b_1) W_2 + b_2)»",
    r"«a(Q, K) = w^\top \tanh(W_q Q + W_k K)»",
]

COUNTED = [
    r"M_{ij} = 1[«i» \le 3]",
    r"y_i = \begin{cases} x_i & «i» < 2 \\ 0 & \text{otherwise} \end{cases}",
    r"s = \sum_{«j» > 2} x_j",
    r"s = \sum_j x_j «j»",
    r"s = \sum_k \gamma^«k» x_k",
    r"f(x) = \max_k (c_k + «k» x)",
    r"y_k = -\infty \cdot «k»",
    r"b_{tj} = c_j - «t» c_t",
    r"P_{ij} = 1[«j» \le \ell]",
    r"r_t = -b_t + 1[«t» = T] c_t",
]

SHARED = [
    r"«[Q, K] = X W», \quad S = Q K^\top",
    r"«[a; b] = W x + c», \quad y = \tanh(a) \odot b",
]
"""Lists whose parts others are made of, where nothing says how they are shared out."""

ELEMENTS = [
    r"s = 1/N«-»1 \sum_{i=1}^N (x_i - m)^2",
    r"L = -\log «p_c», \quad p = \mathrm{softmax}(u)",
]
"""What may be an element of what is defined beside it."""

CLEAN = [
    r"b_{ij} = -c |i - j|",
    r"b_{ij} = c \cdot (2i - 2j)",
    r"s = \sum_i \sum_{j < i} x_i x_j",
    r"s = \sum_{j=0} j x_j",
    r"y_i = i x_i \quad i = 1, \dots, n",
    r"s = \sum_k x_k / k",
    r"x_t = x_0 e^{-\lambda t}",
    r"\omega_i = b^{-2i/d}",
    r"L = -\sum_i \sum_j 1[y_i = j] \log p_{ij}",
    r"s = 1/N - \sum_{i=1}^N x_i",
    r"s = 1/(N - 1) \sum_{i=1}^N (x_i - m)^2",
    r"f(x, \bar x) = x - \bar x",
    r"y = x - \bar x",
    r"h_t = u_t + \sum_{i=1}^{N} \text{FFN}_i^{(s)}(u_t)",
    r"z = x + \mathrm{MHA}(\mathrm{LN}(x)), y = z + \mathrm{FFN}(\mathrm{LN}(z))",
    r"z = \mathrm{LN}(x), y = x + \mathrm{FFN}(z)",
    r"h = x + \mathrm{MHA}(x), y = h + \mathrm{FFN}(x)",
    r"h = x + \mathrm{MHA}(x), y = \mathrm{LN}(h)",
    r"a_{ij} = \frac{\exp(e_{ij})}{\sum_k \exp(e_{ik})}, e_{ij} = v^\top \tanh(W s_{i-1} + U h_j)",
    r"p_i = \frac{e^{x_i}}{\sum_i e^{x_i}}",
    r"p_i = e^{x_i} / \sum_i e^{x_i}",
    r"\mu = \frac{1}{d} \sum_{i=1}^d x_i",
    r"\mu = \sum_i p_i x_i",
    r"y = h + \mathrm{MLP}(\mathrm{Norm}(h)), h = x + \mathrm{Attn}(\mathrm{Norm}(x))",
    r"y = f(x) + f(x)",
    r"A(q, K, V) = \sum_i \frac{e^{q \cdot k_i}}{\sum_j e^{q \cdot k_j}} v_i",
    r"\mathrm{GELU}(x) = 0.5x(1 + \tanh(\sqrt{2/\pi}(x + 0.044715x^3)))",
    r"\mathrm{Swish}(x) = x \sigma(x)",
    r"a(q, k) = w^\top \tanh(W_q q + W_k k)",
    r"head_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)",
    r"K = V = H",
    r"M_{ij} = 1[i \le 3], i = 1, \dots, n",
    r"s = \sum_{j=1}^n x_j 𝟙[j > 2]",
    r"y_i = \begin{cases} x_i & i = 0 \\ 2x_i & i > 0 \end{cases}",
    r"F(x) = \max(0, x W_1 + b_1) W_2 + b_2",
    r"h = \tanh(W_1 x + W_2 s + b_3)",
    r"H = \tanh(X W_{xh} + H_0 W_{hh} + b_h)",
    r"q_i = W_q x_i + b_q",
    r"y_i = \mathrm{softmax}(x_i X^\top) X",
    r"\mathrm{Attention}(Q, K, V) = \sum_j \mathrm{softmax}_j(q_i k_j^\top) v_j",
    r"Q = X W^Q, K = X W^K, V = X W^V",
    r"s_{ij} = (u + x_i) W_Q W_K^\top x_j^\top + v W_Q W_K^\top x_j^\top",
    r"A(Q, K, V) = P V",
    r"c_i = \sum_j \alpha_{ij} h_j",
    r"y_t = \sum_k w_k x_{t-k}",
    r"s_i = \sum_j A_{ij} d_i",
    r"f(x, \theta) = \tanh(x)",
    r"f(x) = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}",
    r"\sigma^2 = \frac{1}{d} \sum_{i=1}^d (x_i - \mu)^2",
    r"\mathrm{SiLU}(x) = x \sigma(x) = \frac{x}{1 + e^{-x}}",
    r"\sigma(x) = \frac{1}{1 + e^{-x}} = \frac{1}{2}(1 + \tanh(x / 2))",
    r"\mathrm{ReLU}(x) = \max(0, x)",
    r"A = \mathrm{softmax}(\mathrm{causal\_mask}(S))",
    r"L = \mathrm{tril}(S)",
    r"w_i = e^{-\lambda i} \quad i = 1, \dots, n",
    r"\theta_i = e^{-2i/d}",
    r"\mathrm{GELU}(x) = x \sigma(1.702 x)",
    r"\mathrm{softmax}(x_i) = \frac{\exp(x_i)}{\sum_{j=1}^n \exp(x_j)}",
    r"\tanh(x) = 2\sigma(2x) - 1",
    r"\log(ab) = \log a + \log b",
    r"(AB)^\top = B^\top A^\top",
    r"q_i \cdot k_j = \sum_l k_{jl} q_{il}",
    r"p_i = \mathrm{softmax}(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}",
    r"[Q, K] = [X W, X U], \quad S = Q K^\top",
    r"[a; b] = W x + c",
    r"z = [z_a; z_b], \quad s = w^\top z",
    r"q = A x, \quad k = B x, \quad s = q^\top k / \sqrt{d_q}",
    # Heads of keys and values of their own are told apart by these.
    r"\mathrm{head}_i = \mathrm{softmax}(Q_i K_i^\top) V_i, \quad Z = [\mathrm{head}_1, \dots, "
    r"\mathrm{head}_h] U",
]


def warnings(latex: str) -> list[tuple[str, str]]:
    """The codes of the warnings, and the formula with the place of each marked; but for those of
    functions that no note defines (N2C030)."""
    told = compile_formula(latex).diagnostics
    found = [p for p in told if p.severity is Severity.WARNING and p.code != "N2C030"]
    return [
        (
            p.code,
            f"{latex[: p.span.start]}«{latex[p.span.start : p.span.end]}»{latex[p.span.end :]}",
        )
        for p in found
    ]


@pytest.mark.parametrize(
    "code, marked",
    [
        *(("N2C080", latex) for latex in NAMES),
        *(("N2C081", latex) for latex in SIDES),
        *(("N2C050", latex) for latex in UNUSUAL),
        *(("N2C036", latex) for latex in COUNTED),
        *(("N2C032", latex) for latex in SHARED),
        *(("N2C080", latex) for latex in ELEMENTS),
    ],
)
def test_warned(code: str, marked: str) -> None:
    assert warnings(marked.replace("«", "").replace("»", "")) == [(code, marked)]


@pytest.mark.parametrize("latex", CLEAN)
def test_not_warned(latex: str) -> None:
    assert not warnings(latex)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (
            r"R = [x_1 W, x_2 W]",
            ["the vectors of `[x_1 W, x_2 W]` are taken to be joined into one"],
        ),
        (r"r = [a_1; a_2]", []),
        (r"y = \mathrm{norm}(x)", ["`norm` is taken to be layer norm, with a gain and a bias"]),
        (r"y = \mathrm{LayerNorm}(x)", []),
    ],
)
def test_what_may_be_another_thing_by_its_name_is_told(latex: str, told: list[str]) -> None:
    assert [problem.message for problem in compile_formula(latex).diagnostics] == told


def test_a_number_that_is_transposed_is_told() -> None:
    formula = compile_formula(
        r"\text{energy} = \tanh(W_1 h_i + W_2 s_t), \quad \text{score} = v^\top \text{energy}"
    )
    assert any("transposed, and taken for a number" in one.message for one in formula.diagnostics)
    told = compile_formula(r"y = m^T X").diagnostics
    assert [one.message for one in told] == ["`m` is transposed, and taken for a number"]
    for latex in (r"e = v^\top u", r"e_{it} = v^\top \tanh(W_1 h_i + W_2 s_t)"):
        assert all(
            "taken for a number" not in x.message for x in compile_formula(latex).diagnostics
        )
