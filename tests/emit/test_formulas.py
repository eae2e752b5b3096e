"""Formulas in all notations: the emitted function has the oracle's value, also in batches."""

from __future__ import annotations

from typing import Any

import pytest

import notes2code

GELUS = {
    r"y_i = x_i \left(\frac{1}{2} + \frac{1}{2} \mathrm{erf}(2^{-1/2} x_i)\right)": "F.gelu(x)",
    r"y_i = \frac{1 + \mathrm{erf}(x_i \sqrt{0.5})}{2} w_i x_i": "w * F.gelu(x)",
    r"y_i = x_i (1 + \mathrm{erf}(3 x_i / \sqrt{2}))": "2 / 3 * F.gelu(3 * x)",
    r"y_i = -x_i \Phi(-x_i)": "F.gelu(-x)",
    r"y_i = \frac{a_i x_i}{2} (1 + \mathrm{erf}(a_i x_i / \sqrt{2}))": "F.gelu(a * x)",
    r"y_i = \frac{1}{2} x_i (1 + \mathrm{erf}(x_i / \sqrt{3}))": "torch.erf",
    r"y_i = x_i (\frac{1}{2} + \mathrm{erf}(x_i / \sqrt{2}))": "torch.erf",
    r"y_i = a_i x_i (1 + \mathrm{erf}((a_i + x_i) / \sqrt{2}))": "torch.erf",
    r"y_i = x_i \Phi(x_i) \Phi(x_i)": "F.gelu(x) * (0.5 * torch.erfc(-x / math.sqrt(2)))",
    r"y_i = \frac{1}{2} \sum_j w_{ij} x_j (1 + \mathrm{erf}(x_j / \sqrt{2}))": "= F.gelu(x)",
}
"""What is a GELU, and what is nearly one, with what is to be read in its code."""

FORMULAS = {
    "dot product attention": r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
    "attention without a scale": r"O = \operatorname{softmax}(QK^T)V",
    "attention scaled by d": r"\mathrm{softmax}(QK^T/d_k)V",
    "attention with a bias": r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + B\right)V",
    "attention in columns": r"A = \mathrm{softmax}(K^\top Q/\sqrt{d_k}),\quad O = VA",
    "weights by element": r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{k=1}^{m} \exp(e_{ik})}",
    "score by element": r"e_{ij} = \frac{q_i^\top k_j}{\sqrt{d}}",
    "bilinear score": r"e_{ij} = q_i^\top W k_j",
    "additive score": r"e_{ij} = v^\top \tanh(W_1 s_i + W_2 h_j)",
    "additive score of vectors": r"e = w^\top \tanh(W_q q + W_k k)",
    "concatenated score": r"e_{ij} = v^\top \tanh(W [s_i; h_j])",
    "context": r"c_i = \sum_{j=1}^{m} \alpha_{ij} h_j",
    "causal by range": r"y_i = \sum_{j \le i} \frac{\exp(q_i^\top k_j)}{\sum_{l \le i} "
    r"\exp(q_i^\top k_l)} v_j",
    "causal weights": r"o_i = \sum_{j \le i} \alpha_{ij} v_j",
    "all but itself": r"o_i = \sum_{j \ne i} \alpha_{ij} v_j",
    "additive mask": r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right)V,\quad "
    r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
    "strided mask": r"M_{ij} = \begin{cases} 1 & (i - j) \bmod 2 = 0 \\ 0 & \text{otherwise} "
    r"\end{cases}",
    "relative bias": r"a_{ij} = \mathrm{softmax}_j(q_i^\top k_j + b_{i-j})",
    "clipped relative position": r"a_{ij} = w_{\mathrm{clip}(j-i, -2, 2)}",
    "linear distance": r"e_{ij} = q_i^\top k_j - \lambda |i - j|",
    "multi-head": r"\mathrm{MultiHead}(Q,K,V)=\mathrm{Concat}(\mathrm{head}_1,\dots,"
    r"\mathrm{head}_h)W^O,\quad \mathrm{head}_i=\mathrm{softmax}\left(\frac{QW_i^Q "
    r"(KW_i^K)^\top}{\sqrt{d_k}}\right)VW_i^V",
    "heads joined": r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O",
    "head projection": r"Q_i = QW_i^Q",
    "projection": r"Q = XW_Q",
    "projection of rows": r"q_i = W_q x_i",
    "outer scores": r"S = XW_Q(XW_K)^\top",
    "feed-forward": r"\mathrm{FFN}(x)=\max(0, xW_1+b_1)W_2+b_2",
    "feed-forward of a matrix": r"H = \mathrm{ReLU}(XW_1 + b_1)W_2 + b_2",
    "gated feed-forward": r"\mathrm{SwiGLU}(x)=(\mathrm{Swish}(xW)\otimes xV)W_2",
    "gelu": r"\mathrm{GELU}(x) = x\,\Phi(x)",
    "gelu by erf": r"g(x) = \frac{x}{2}\left(1 + \mathrm{erf}\left(x/\sqrt{2}\right)\right)",
    **{f"gelu as {latex}": latex for latex in GELUS},
    "layer norm": r"\mathrm{LN}(x)_i=\gamma_i\frac{x_i-\mu}{\sqrt{\sigma^2+\epsilon}}+\beta_i,"
    r"\quad\mu=\frac{1}{d}\sum_{i=1}^d x_i,\quad\sigma^2=\frac{1}{d}\sum_{i=1}^d(x_i-\mu)^2",
    "layer norm by moments": r"y=\frac{x-\mathrm{E}[x]}{\sqrt{\mathrm{Var}[x]+\epsilon}}"
    r"\odot\gamma+\beta",
    "root mean square norm": r"\bar{a}_i = \frac{a_i}{\sqrt{\frac{1}{n}\sum_{i=1}^{n} a_i^2}} g_i",
    "standard deviation": r"\sigma = \sqrt{\frac{1}{N}\sum_{i=1}^{N}(x_i-\mu)^2}",
    "sinusoids": r"PE_{pos,2i}=\sin(pos/10000^{2i/d}),\quad PE_{pos,2i+1}=\cos(pos/10000^{2i/d})",
    "even sinusoids": r"PE_{(pos,2i)}=\sin\left(\frac{pos}{10000^{2i/d}}\right)",
    "frequencies": r"\theta_i = 10000^{-2i/d}",
    "rotation": r"\begin{pmatrix}\cos\theta&-\sin\theta\\\sin\theta&\cos\theta\end{pmatrix}",
    "neighbours added": r"y_i = x_{2i} + x_{2i+1}",
    "shifted state": r"h_t = \tanh(W_h h_{t-1} + W_x x_t + b)",
    "state and input joined": r"f_t = \sigma(W_f [h_{t-1}, x_t] + b_f)",
    "cross-entropy": r"L = -\sum_{i=1}^{V} y_i \log(p_i)",
    "cross-entropy of logits": r"L = -\sum_i y_i \log \mathrm{softmax}(z)_i",
    "log of a sum of exponentials": r"s = \log \sum_{i=1}^{n} \exp(x_i)",
    "perplexity": r"\mathrm{PPL} = \exp\left(-\frac{1}{N}\sum_{i=1}^{N} \log p_i\right)",
    "geometric mean": r"g = \left(\prod_{n=1}^{N} p_n\right)^{1/N}",
    "brevity penalty": r"\mathrm{BP} = \begin{cases} 1 & c > r \\ e^{1-r/c} & c \le r\end{cases}",
    "largest in a row": r"h_i = \max_j x_{ij}",
    "sigmoid": r"\sigma(x) = \frac{1}{1+\exp(-x)}",
    "temperature": r"p_i = \frac{\exp(z_i/T)}{\sum_j \exp(z_j/T)}",
    "soft cap": r"e_{ij} = c \tanh\left(\frac{q_i^\top k_j}{c}\right)",
    "learning rate": r"\eta = d_{model}^{-0.5} \min(t^{-0.5}, t \cdot w^{-1.5})",
    "Gaussian weights": r"f(x) = \sum_{i=1}^{n} \frac{\exp(-\frac{1}{2}(x - x_i)^2)}"
    r"{\sum_{j=1}^{n} \exp(-\frac{1}{2}(x - x_j)^2)} y_i",
    "Gaussian scores": r"e_{ij} = \exp\left(-\frac{\|q_i - k_j\|^2}{2}\right)",
    "linear attention": r"\frac{\phi(Q)(\phi(K)^\top V)}{\phi(Q)\phi(K)^\top \mathbf{1}}",
    "kernel regression": r"y = \sum_{i=1}^{n} \frac{K(x - x_i)}{\sum_{j=1}^{n} K(x - x_j)} y_i",
    "cosine": r"s_{ij} = \frac{q_i^\top k_j}{\|q_i\| \cdot \|k_j\|}",
    "residual": r"y = \mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))",
    "weighted values": r"o = \sum_{i=1}^{N} \alpha_i h_i",
    "hadamard": r"Y = (XW) \odot (XV)",
    "bias of a classifier": r"z = HW^\top + b",
    "trace of a product": r"t = \sum_i \sum_j A_{ij} B_{ij}",
    "triple sum": r"s = \sum_i \sum_j u_i A_{ij} v_j",
    "smoothed labels": r"y = (1 - \epsilon) p + \frac{\epsilon}{V}",
}


@pytest.mark.parametrize("latex", GELUS)
def test_a_gelu_is_told_from_what_is_none(latex: str) -> None:
    assert GELUS[latex] in notes2code.compile_formula(latex).source


@pytest.mark.parametrize("name", FORMULAS)
def test_value(checks: Any, name: str) -> None:
    for seed in (0, 1):
        checks.agrees(checks.typed(FORMULAS[name]), seed)


@pytest.mark.parametrize("name", FORMULAS)
def test_batches(checks: Any, name: str) -> None:
    checks.agrees_in_batches(checks.typed(FORMULAS[name]))


@pytest.mark.parametrize("name", FORMULAS)
def test_device(checks: Any, name: str) -> None:
    checks.stays_on_its_device(checks.typed(FORMULAS[name]))
