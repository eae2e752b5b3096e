"""Closed formulas of the field with one slip: computed as written, with a warning of the slip."""

from __future__ import annotations

import pytest

from notes2code import compile_formula
from notes2code.diagnostics import Severity

WRONG = {
    r"\mathcal{L} = \sum_c y_c \log \hat y_c": "minus",
    r"\mathrm{CE}(p, q) = \sum_k p_k \log q_k": "minus",
    r"\mathrm{PPL} = \exp(\frac{1}{N}\sum_{t=1}^N \log p_t)": "sign of an exponent",
    r"\mathrm{Perplexity} = \exp(-\sum_{t=1}^N \log p_t)": "number of its terms",
    r"\mathrm{PPL} = -\frac{1}{T}\sum_{t=1}^T \log p_t": "not what is called",
    r"\mathrm{BLEU} = BP \cdot \exp(\sum_{n=1}^N w_n p_n)": "logarithm",
    r"\mathrm{BLEU} = BP \cdot \sum_{n=1}^N w_n \log p_n": "`exp`",
    r"BP = \begin{cases} 1 & c > r \\ e^{1 - c/r} & c \le r \end{cases}": "upside down",
    r"BP = \begin{cases} 1 & c \le r \\ e^{1 - r/c} & c > r \end{cases}": "cases",
    r"BP = \begin{cases} 1 & c > r \\ e^{r/c - 1} & c \le r \end{cases}": "sign of an exponent",
    r"lr = d_{model}^{-0.5} \max(t^{-0.5}, t \cdot w^{-1.5})": "`max`",
    r"lr = d_{model}^{-0.5} \min(t^{-0.5}, t \cdot w^{1.5})": "sign of an exponent",
    r"lr = d_{model}^{-0.5} \min(t^{0.5}, t \cdot w^{-1.5})": "sign of an exponent",
    r"PE_{(p,2i)} = \sin(p \cdot 10000^{2i/d}), PE_{(p,2i+1)} = \cos(p \cdot 10000^{2i/d})": "sign",
    r"PE_{(p,2i)} = \sin(p/10000^{i/d}), PE_{(p,2i+1)} = \cos(p/10000^{i/d})": "factor 2",
    r"PE_{(p,2i)} = \sin(p/10000^{2i/d}), PE_{(p,2i+1)} = \cos(p/10000^{(2i+1)/d})": "number",
    r"\mathrm{LN}(x) = \gamma \frac{x - \mu}{\sigma^2} + \beta": "root",
    r"\mathrm{LN}(x) = \frac{x - \mu}{\sqrt{\sigma + \epsilon}} \gamma + \beta": "square",
    r"\mathrm{LN}(x) = \frac{x + \mu}{\sqrt{\sigma^2 + \epsilon}} \gamma + \beta": "sign",
    r"\mathrm{LN}(x) = \frac{x - \mu}{\sqrt{\sigma^2 - \epsilon}} \gamma + \beta": "-epsilon",
    r"\mathrm{SwiGLU}(x) = \mathrm{Swish}(xA) + (xB)": "factors",
    r"\mathrm{GLU}(x) = \sigma(xA + a) + (xB + b)": "factors",
    r"\mathrm{RMSNorm}(x) = \frac{x}{\frac{1}{n}\sum_i x_i^2} \gamma": "root",
    r"\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\sum_i x_i^2}} \odot g": "number of its terms",
    r"y_i = \frac{x_i}{\mathrm{RMS}(x)} g_i, \mathrm{RMS}(x) = \frac{1}{n}\sum_i x_i^2": "root",
    r"\mathrm{RMS}(x) = \sqrt{\sum_i x_i^2 + \epsilon}": "number of its terms",
    r"\mathrm{RMS}(x) = \frac{1}{n}\sum_i x_i^2": "not the function",
    r"B_{h,i,j} = 2^{-8h/H} |i - j|, \quad h = 1, \dots, H": "minus",
    r"E_{p,2i} = \sin(p \cdot c), E_{p,2i+1} = \cos(p \cdot c), c = 10000^{2i/d}": "sign",
    r"D_{KL}(p \| q) = -\sum_i p_i \log \frac{p_i}{q_i}": "not the function",
    r"\mathrm{KL}(p, q) = \sum_i p_i \log \frac{q_i}{p_i}": "not the function",
    r"KL(P \| Q) = \sum_x Q(x) \log \frac{P(x)}{Q(x)}": "not the function",
    r"H(p) = \sum_i p_i \log p_i": "not the function",
    r"a_{ij} = \mathrm{softmax}_j(q_i^\top k_j + m |i - j|)": "far from the query",
    r"o_i = \sum_{j \le i} \mathrm{softmax}_j(q_i^\top k_j + m (i - j)) v_j": "far from the query",
    r"a_{ij} = \mathrm{softmax}_j(q_i^\top k_j + b_{ij}), b_{ij} = \log(1 + |i - j|)": "far",
    r"\mathrm{ALiBi}_{ij} = m |i - j|": "far from the query",
    r"L = -\sum_i \hat y_i \log y_i": "`y_hat`",
    r"L = -\frac{1}{N} \sum_n [\hat y_n \log y_n + (1 - \hat y_n) \log(1 - y_n)]": "`y_hat`",
    r"a = x \cos\theta + y \sin\theta, b = x \sin\theta + y \cos\theta": "does not turn",
    r"R = \begin{pmatrix} \cos m\theta & \sin m\theta \\ \sin m\theta & \cos m\theta "
    r"\end{pmatrix}": "does not turn",
}

RIGHT = [
    r"\mathrm{CE}(p, q) = -\sum_k p_k \log q_k",
    r"\ell = \sum_t \log p_t",  # a log-likelihood
    r"L(\theta) = \sum_t \log p(x_t)",
    r"\mathrm{PPL} = \exp(-\frac{1}{N}\sum_{t=1}^N \log p_t)",
    r"BP = \begin{cases} 1 & c > r \\ e^{1 - r/c} & c \le r \end{cases}",
    r"f(c, r) = e^{1 - c/r}",
    r"y = \sigma(xA) + (xB)",
    r"y = \gamma \frac{x}{\sqrt{\sum_i x_i^2}}",
    r"z = \max(a^{-0.5}, b \cdot c)",
    r"D_{KL}(p \| q) = \sum_i p_i \log_2 \frac{p_i}{q_i}",
    r"\mathrm{KL}(P, Q) = -\sum_i P_i \log \frac{Q_i}{P_i}",
    r"H(p) = -\sum_i p_i \log_2 p_i",
    r"H(x) = x + F(x)",
    r"\mathrm{RMS}(x) = \sqrt{\frac{1}{n}\sum_i x_i^2}",
    r"a_{ij} = \mathrm{softmax}_j(q_i^\top k_j - m |i - j|)",
    r"o_i = \sum_{j \le i} \mathrm{softmax}_j(q_i^\top k_j + m (j - i)) v_j",
    r"a_{ij} = \mathrm{softmax}_j(q_i^\top k_j - (i - j)^2 / 8)",
    r"L = -\sum_i y_i \log \hat y_i",
    r"a = x \cos\theta - y \sin\theta, b = x \sin\theta + y \cos\theta",
    r"a = x \cos\theta + y \sin\theta, b = -x \sin\theta + y \cos\theta",
    r"R = \begin{pmatrix} \cos t & \sin t \\ -\sin t & \cos t \end{pmatrix}",
    r"R = \begin{pmatrix} \cos t & \sin t \\ \sin t & -\cos t \end{pmatrix}",
]

WEIGHTS = {
    r"o_i = \sum_j \mathrm{softmax}_i(q_i^\top k_j) v_j": "normalised over `i`",
    r"o_i = \frac{\sum_j \exp(q_i^\top k_j) v_j}{\sum_{j \le i} \exp(q_i^\top k_j)}": "below alone",
    r"o_i = \sum_{j \in S} a_{ij} v_j, a_{ij} = \mathrm{softmax}_j(q_i^\top k_j)": "outside the",
    r"o_i = \sum_j \frac{\exp(q_i^\top k_j)}{\sum_i \exp(q_i^\top k_j)} v_j": "over `i`",
    r"o_i = \sum_j \mathrm{softmax}_j(q_i^\top k_j) v_i": "the same for all",
    r"o_i = \sum_{j \le i} \frac{\exp(q_i^\top k_j)}{\sum_j \exp(q_i^\top k_j)} v_j": "outside",
    r"a_{ij} = \frac{\exp(q_i^\top k_j)}{\sum_l \exp(q_l^\top k_j)}": "over the queries",
    r"z_i = \sum_j \mathrm{softmax}_j(x_i W^Q (x_j W^K)^\top) x_j W^K": "made with `W_K`",
    r"R = \begin{pmatrix} \cos m t & -\sin m t \\ \sin m t & \cos n t \end{pmatrix}": "angles",
    r"\theta_i = 10000^{2i/d}": "frequencies rise",
    r"A = \mathrm{sotfmax}(QK^\top) V": "perhaps `softmax`",
    r"A = \mathrm{softax}(QK^\top) V": "perhaps `softmax`",
    r"c_i = \sum_j a_{ij} s_j, a_{ij} = \mathrm{softmax}_j(v^\top \tanh(W s_i + U h_j))": "queries",
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d_k}} - M) V, "
    r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}": "+∞",
    r"\mathrm{CrossAttention}(X, Z) = \mathrm{softmax}(XA(XB)^\top) ZC": "which its name says",
    r"\mathrm{MultiHead}(Q, K, V) = W^O \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h), "
    r"\mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)": "project each row",
    r"y'_i = (1 + \epsilon) y_i + \frac{\epsilon}{K}": "sign is another",
    r"lr = d_{model}^{-0.5} \min(step^{-0.5}, step \cdot w^{-0.5})": "an exponent is another",
    r"e_{ij} = v^\top (W s_{i-1} + U h_j)": "`tanh` is missing",
    r"o = \frac{\phi(q)^\top \sum_j \phi(k_j) v_j^\top}{\phi(q)^\top \sum_j k_j}": "below",
    r"\mathrm{GEGLU}(x) = \mathrm{ReLU}(xA) \odot (xB)": "ReGLU, and not GEGLU",
    r"\mathrm{CausalAttn}(Q, K, V) = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d_k}}) V": "no keys",
    r"O = \mathrm{softmax}(\frac{KQ^\top}{\sqrt{d_k}}) V": "stands where keys do",
    r"\mathrm{DiffAttn}(X) = (\mathrm{softmax}(Q_1 K_1^\top / \sqrt d) + \lambda"
    r"\mathrm{softmax}(Q_2 K_2^\top / \sqrt d)) V": "sign is another",
    r"\mathrm{SwiGLU}(X) = \mathrm{Swish}(XA)^\top (XB)": "which its name says",
    # Weights that are divided by what divides the scores.
    r"P = \frac{\mathrm{softmax}(QK^\top)}{\sqrt{d_k}}": "outside the softmax",
    r"P = \mathrm{softmax}(XU (XW)^\top) / d, U \in \mathbb{R}^{p \times d}": "outside the softmax",
}

WEIGHED = [
    r"\theta_i = 10000^{-2i/d}",
    r"\omega_k = 1 / 10000^{2k/d}",
    r"o_i = \sum_j \mathrm{softmax}_j(q_i^\top k_j) v_j",
    r"y_i = \sum_k g_k \sum_j \mathrm{softmax}_j(q_i^\top k_j) v_{jk}",
    r"y = \sum_i \mathrm{softmax}_i(x^\top w_i) \sum_j A_{ij} x_j",
    r"o_i = \sum_{j \le i} \frac{\exp(q_i^\top k_j)}{\sum_{l \le i} \exp(q_i^\top k_l)} v_j",
    r"z_i = \sum_j \mathrm{softmax}_j(x_i^\top x_j) x_j",
    r"s_i = -\sum_j a_{ij} \log a_{ij}, a_{ij} = \mathrm{softmax}_j(x_i W^Q (x_j W^K)^\top)",
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d_k}} - M) V, "
    r"M_{ij} = \begin{cases} 0 & j \le i \\ \infty & j > i \end{cases}",
]

RATIOS = [
    r"\alpha_{ti} = «\frac{\exp(r_{ti})}{\sum_j \exp(e_{tj})}»",
    r"a_{ij} = «\frac{\exp(q_i^\top k_j / \sqrt{d_k})}{\sum_l \exp(q_i^\top k_l)}»",
    r"p_i = «\frac{e^{z_i / \tau}}{\sum_j e^{z_j}}»",
    r"p_i = «\frac{e^{z_i}}{\sum_j z_j}»",
    r"w_i = «\exp(u_i) / \sum_j \exp(-u_j)»",
    r"a_{ij} = «\frac{\exp e_{ij}}{\sum_k \exp e_{jk}}»",
    r"o = «\frac{\sum_i \exp(q^\top k_i) v_i}{\sum_i \exp(q^\top v_i)}»",
]

SOFTMAXES = [
    r"a_{ij} = \frac{\exp e_{ij}}{\sum_k \exp e_{ik}}",
    r"a_{ij} = \frac{\exp e_{ij}}{\sum_k \exp e_{kj}}",
    r"p_i = \frac{e^{z_i - m}}{\sum_j e^{z_j - m}}",
    r"p_i = \frac{e^{z_i / \tau}}{\sum_j e^{z_j / \tau}}",
    r"p = \frac{\exp(q^\top k_+ / \tau)}{\sum_i \exp(q^\top k_i / \tau)}",
    r"p = \frac{\exp(u_o^\top h)}{\sum_w \exp(u_w^\top h)}",
]

MASKS = {
    r"M_{ij} = \begin{cases} 0 & j \le i \\ +\infty & j > i \end{cases}": "+∞",
    r"M_{ij} = \begin{cases} -\infty & j \le i \\ 0 & j > i \end{cases}": "hides each position",
    r"S = \mathrm{softmax}(QK^\top + M)V, M_{ij} = \begin{cases} 0 & j \le i \\ \infty & j > i "
    r"\end{cases}": "+∞",
    r"S = \mathrm{softmax}(QK^\top + M)V, M_{ij} = \begin{cases} 1 & j \le i \\ 0 & j > i "
    r"\end{cases}": "hides nothing",
    r"S = (\mathrm{softmax}(QK^\top) + M)V, M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i "
    r"\end{cases}": "outside the softmax",
}

USUAL_MASKS = [
    r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
    r"M_{ij} = \begin{cases} 1 & j \le i \\ 0 & j > i \end{cases}",
    r"S = \mathrm{softmax}(QK^\top / \sqrt{d_k} + M)V, M_{ij} = \begin{cases} 0 & j \le i \\ "
    r"-\infty & j > i \end{cases}",
]


OF_ANY_FUNCTION = [
    r"U = M_2 \mathrm{ReLU}(M_1 X)",
    r"U = A \mathrm{ReLU}(X W_1)",
    r"O = \phi(Q) (\phi(K)^\top V)",
    r"(Q' K'^\top) V = Q' (K'^\top V)",
    r"(Q K^\top) V = Q (K^\top V)",
    r"O = \frac{Q (K^\top V)}{\sqrt{d}}",
    r"P = \frac{1}{h} \mathrm{softmax}(QK^\top)",
    r"P = \frac{\mathrm{softmax}(QK^\top)}{1 - p}",
    r"p = \mathrm{softmax}(U z) / \sqrt{r}, U \in \mathbb{R}^{c \times r}",
    r"\mathrm{SwiGLU}(x) = \mathrm{Swish}_\beta(x W) \odot x V",
]


def warned(latex: str) -> list[str]:
    """What the warnings say that are for unusual formulas, and for those that are not what their
    name says."""
    found = [p for p in compile_formula(latex).diagnostics if p.severity is Severity.WARNING]
    return [p.message for p in found if p.code in ("N2C042", "N2C050", "N2C056")]


@pytest.mark.parametrize("latex, what", (WRONG | WEIGHTS | MASKS).items())
def test_warned(latex: str, what: str) -> None:
    assert any(what in message for message in warned(latex)), warned(latex)


@pytest.mark.parametrize("latex", [*RIGHT, *WEIGHED, *SOFTMAXES, *USUAL_MASKS])
def test_not_warned(latex: str) -> None:
    text = (
        "nearly",
        "called",
        "no term",
        "without `exp`",
        "∞",
        "hides",
        "far",
        "turn",
        "_hat",
        "up",
        "outside",
        "that name",
    )
    assert not [message for message in warned(latex) if any(part in message for part in text)]


def test_weights_on_both_sides() -> None:
    (message,) = warned(r"U = W_2 \mathrm{ReLU}(X W_1 + b_1)")
    assert "mixes the rows of" in message


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"\mathrm{FFN}(x) = \mathrm{ReLU}(W_1 x + b_1) W_2 + b_2", True),
        (r"\mathrm{SwiGLU}(x) = (\mathrm{SiLU}(W_1 x) \odot W_3 x) W_2", True),
        (r"\mathrm{FFN}(x) = \mathrm{ReLU}(x W_1^\top + b_1) W_2 + b_2", False),
        (r"\mathrm{FFN}(x) = W_2 \mathrm{ReLU}(W_1 x + b_1) + b_2", False),
        (r"s = (W_q x)^\top W_k y", False),
        (r"z = \tanh(U x) W", False),
    ],
)
def test_columns_and_rows_are_told(latex: str, told: bool) -> None:
    assert any("rows before" in message for message in warned(latex)) == told


@pytest.mark.parametrize("latex", OF_ANY_FUNCTION)
def test_no_warning_at_all(latex: str) -> None:
    assert not warned(latex)


@pytest.mark.parametrize("marked", RATIOS)
def test_place_of_ratio(marked: str) -> None:
    latex = marked.replace("«", "").replace("»", "")
    start, end = marked.index("«"), marked.index("»") - 1
    spans = [p.span for p in compile_formula(latex).diagnostics if p.code == "N2C050"]
    assert [(span.start, span.end) for span in spans] == [(start, end)]


def test_place_of_softmax() -> None:
    latex = r"O = \frac{\mathrm{softmax}(QK^\top)}{\sqrt{d_k}} V"
    (problem,) = compile_formula(latex).diagnostics
    assert latex[problem.span.start : problem.span.end] == r"\mathrm{softmax}"


def test_help_gives_the_usual_formula() -> None:
    found = compile_formula(r"lr = d_{model}^{0.5} \min(t^{-0.5}, t \cdot w^{-1.5})").diagnostics
    assert [r"\min(step^{-0.5}, step \cdot warmup^{-1.5})" in p.help for p in found] == [True]
