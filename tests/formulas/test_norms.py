"""Norms, means, variances and what is built from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table

MOMENTS = (
    r"\mu = \frac{1}{m} \sum_{i=1}^m z_i, \quad"
    r" \sigma^2 = \frac{1}{m} \sum_{i=1}^m (z_i - \mu)^2"
)
CENTRED = r"\frac{z_i - \mu}{\sqrt{\sigma^2 + \epsilon}}"


def standardised(x: Any, epsilon: float) -> Any:
    return (x - x.mean()) / np.sqrt(x.var() + epsilon)


def _between(x: Any, e: float, g: Any, b: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + e) * g + b


def _lengths_of_another(b: Any, w: Any) -> Any:
    return _scaled_columns(np.linalg.norm(b, axis=0), w)


def _scaled_columns(m: Any, w: Any) -> Any:
    return m * w / np.linalg.norm(w, axis=0)


@table(
    # What is added behind a gain of each feature is one for each feature, too.
    Case(
        r"y = \gamma \odot \tanh(\alpha x) + \beta",
        "x[n] gamma[n] alpha beta[n]",
        lambda x, g, a, b: g * np.tanh(a * x) + b,
    ),
    Case(
        r"Y = (1 + \gamma) \odot X - \beta",
        "gamma[d] X[n,d] beta[d]",
        lambda g, x, b: (1 + g) * x - b,
    ),
    # What is a factor there is a number.
    Case(
        r"y = \gamma \odot (x - \beta m) + \beta z",
        "gamma[n] x[n] beta m[n] z[n]",
        lambda g, x, b, m, z: g * (x - b * m) + b * z,
        shapes={"m": ("n",), "z": ("n",)},
    ),
    Case(
        r"m' = \gamma \odot m + (1 - \beta) g",
        "gamma[n] m[n] beta g[n]",
        lambda c, m, b, g: c * m + (1 - b) * g,
        shapes={"g": ("n",)},
    ),
    # The bias of a norm is learned, whatever number the note has by its name.
    *(
        Case(
            r"\mathrm{LN}(z) = \gamma \odot \frac{z - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta",
            "z[n] gamma[n] epsilon+ beta[n]",
            lambda z, g, e, b: g * standardised(z, e) + b,
            context=[said],
        )
        for said in (r"\beta = (8N)^{-1/4}", r"\beta = 0.87", r"\gamma = 1, \beta = 0")
    ),
    # A γ and a β that do not scale and shift what is normalised are numbers that a note may state.
    Case(
        r"r = \frac{R - \mu}{\sigma}, G = \gamma r + \beta H",
        "R[n,d] mu sigma+ gamma beta H[n,d]",
        lambda r, m, s, g, b, h: g * (r - m) / s + b * h,
        context=[r"\gamma = 0.99, \beta = 0.01"],
    ),
    Case(
        r"x_{l+1} = \gamma x_l + \beta \frac{x_l - \mu}{\sigma}",
        "gamma x[n] beta mu sigma+",
        lambda g, x, b, m, s: g * x + b * (x - m) / s,
        context=[r"\beta = (8N)^{-1/4}, \gamma = (2N)^{1/4}"],
    ),
    # The gain and the bias beside each normalised number are vectors, in a formula alone, too.
    Case(
        r"\mathrm{LN}(z_i) = \gamma \cdot \hat z_i + \beta",
        "z[n] epsilon+ gamma[n] beta[n]",
        lambda z, e, g, b: g * (z - z.mean()) / np.sqrt(z.var() + e) + b,
        context=[r"\hat z_i = \frac{z_i - \mu}{\sqrt{\sigma^2 + \epsilon}}"],
    ),
    # The deviation of a list is that of its numbers.
    Case(
        r"a_i = \frac{b_i - \text{mean}(b_1, \dots, b_n)}{\text{std}(b_1, \dots, b_n)}",
        "b[n]",
        lambda b: (b - b.mean()) / b.std(),
    ),
    Case(r"s = \text{Var}(b_1, b_2, \dots, b_n)", "b[n]", np.var),
    # The mean of squares by the norm, by a bar, or below a root of one; each feature has a gain.
    Case(
        r"y = \frac{x}{\sqrt{\frac{1}{d} \|x\|^2 + \epsilon}} \cdot \gamma",
        "x[d] epsilon+ gamma[d]",
        lambda z, e, g: z / np.sqrt((z**2).mean() + e) * g,
    ),
    Case(
        r"y = \frac{z}{\sqrt{\overline{z^2} + \epsilon}} \odot \gamma",
        "z[d] epsilon+ gamma[d]",
        lambda z, e, g: z / np.sqrt((z**2).mean() + e) * g,
    ),
    Case(
        r"y = z \cdot \text{rsqrt}(\text{Mean}[z^2] + \epsilon) \cdot \gamma",
        "z[d] epsilon+ gamma[d]",
        lambda z, e, g: z / np.sqrt((z**2).mean() + e) * g,
    ),
    Case(r"y = \overline{z}^2 u", "z_bar u[d]", lambda z, u: z**2 * u, shapes={"z_bar": ()}),
    Case(
        r"y = x \cdot \mathrm{rsqrt}(\mathrm{mean}(x^2) + \epsilon)",
        "x[d] epsilon+",
        lambda x, e: x / np.sqrt((x**2).mean() + e),
    ),
    # The norm of each column.
    Case(r"m = \|W\|_c", "W[n,d]", lambda w: np.linalg.norm(w, axis=0)),
    Case(r"U = m \frac{W}{\|W\|_c}", "m[d] W[n,d]", _scaled_columns),
    Case(r"U = m \odot \frac{W}{\|W\|_c}", "m[d] W[n,d]", _scaled_columns),
    Case(
        r"U = m \cdot \frac{W}{\|W\|_c}, \quad m \in \mathbb{R}^{1 \times d}",
        "m[d] W[n,d]",
        _scaled_columns,
    ),
    Case(r"U = \|B\|_c \frac{W}{\|W\|_c}", "B[k,d] W[n,d]", _lengths_of_another),
    Case(
        r"U = \frac{\alpha}{r} \frac{W}{\|W\|_c}",
        "alpha r W[n,d]",
        lambda a, r, w: _scaled_columns(a / r, w),
    ),
    # A weight before a matrix makes columns: no norm runs over the tokens, nor does softmax.
    Case(
        r"Y = \mathrm{LN}(X + W_o X)",
        "X[d] W_o[d,d] gamma[d] epsilon beta[d]",
        lambda x, w, g, e, b: standardised(x + w @ x, e) * g + b,
    ),
    Case(
        r"P = \mathrm{softmax}(W H + b)",
        "W[c,d] H[d,n] b[c]",
        lambda w, h, b: softmax((w @ h + b[:, None]).T).T,
    ),
    Case(
        r"\mu = \frac{1}{m} \sum_{i=1}^m x_i, \sigma^2 = \frac{1}{m} \sum_{i=1}^m (x_i - \mu)^2,"
        r" \hat x_i = \frac{x_i - \mu}{\sqrt{\sigma^2 + \epsilon}}, y_i = \gamma \hat x_i + \beta",
        "x[m] epsilon+ gamma beta",
        lambda x, eps, g, b: g * standardised(x, eps) + b,
    ),
    # The gain of one feature where the text speaks of layers; else it may be that of a batch.
    Case(
        rf"{MOMENTS}, \quad u_i = \gamma {CENTRED} + \beta",
        "z[m] epsilon+ gamma beta",
        lambda z, e, g, b: g * standardised(z, e) + b,
    ),
    Case(
        rf"{MOMENTS}, \quad u_i = \gamma {CENTRED} + \beta",
        "z[m] epsilon+ gamma[m] beta[m]",
        lambda z, e, g, b: g * standardised(z, e) + b,
        context="Layer normalisation of $z$:",
    ),
    Case(
        r"u_i = \gamma \hat z_i + \beta",
        "z[m] epsilon+ gamma[m] beta[m]",
        lambda z, e, g, b: g * standardised(z, e) + b,
        context=rf"By layer norm, $${MOMENTS}$$ and $$\hat z_i = {CENTRED}.$$",
    ),
    Case(
        r"\mathrm{RMS}(x) = \sqrt{\frac{1}{d} \sum_{i=1}^d x_i^2}",
        "x[d]",
        lambda x: np.sqrt((x**2).mean()),
        context=[r"x \in \mathbb{R}^{n \times d}"],
    ),
    Case(
        r"f(x) = \frac{1}{n} \sum_{i=1}^n x_i",
        "x[n,d]",
        lambda x: x.mean(0),
        context=[r"x \in \mathbb{R}^{n \times d}"],
    ),
    # What one unit makes of each example of a batch is a number.
    Case(
        rf"u_i = \gamma {CENTRED} + \beta",
        "gamma z[m] mu sigma epsilon+ beta",
        lambda g, z, m, s, e, b: g * (z - m) / np.sqrt(s**2 + e) + b,
        context="Batch normalisation of $z$:",
    ),
    Case(
        r"u_i = \gamma \hat z_i + \beta",
        "gamma z_hat[m] beta",
        lambda g, z, b: g * z + b,
        context=rf"By batch norm, $$\hat z_i = {CENTRED}.$$",
    ),
    Case(
        rf"u_i = \gamma {CENTRED} + \beta",
        "z[d] epsilon+ gamma[d] beta[d]",
        lambda z, e, g, b: g * standardised(z, e) + b,
    ),
    Case(
        r"\mathrm{RMSNorm}(x) = \gamma \cdot \frac{x_i}{\mathrm{RMS}(x)}",
        "gamma[d] x[d]",
        lambda g, x: g * x / np.sqrt((x**2).mean()),
    ),
    Case(
        r"y_i = \frac{x_i}{\sqrt{\mathrm{RMS}(x)^2 + \epsilon}}",
        "x[d] epsilon+",
        lambda x, e: x / np.sqrt((x**2).mean() + e),
    ),
    # Each of two calls has a mean of its own.
    Case(
        r"y = \mathrm{Unit}(x) + \mathrm{Unit}(z)",
        "x[d] z[d] mu sigma+ mu_2 sigma_2+",
        lambda x, z, m, s, m2, s2: (x - m) / s + (z - m2) / s2,
        context=[r"\mathrm{Unit}(x) = \frac{x - \mu}{\sigma}"],
    ),
    # A layer norm that the note defines has the moments of what it is called with, row by row, and
    # so do those that are told apart by numbers.
    Case(
        r"q = U \mathrm{LN}(x)",
        "U[p,d] x[d] epsilon+ g[d] b[d]",
        lambda u, x, e, g, b: u @ _between(x, e, g, b),
        context=[r"\mathrm{LN}(x) = \frac{x - \mu}{\sigma + \epsilon} \odot g + b"],
    ),
    Case(
        r"Y = Z + \mathrm{LN}(Z W)",
        "Z[n,d] W[d,d] epsilon+ g[d] b[d]",
        lambda z, w, e, g, b: z + _between(z @ w, e, g, b),
        context=[r"\mathrm{LN}(x) = \frac{x - \mu}{\sigma + \epsilon} \odot g + b"],
    ),
    Case(
        r"h = \mathrm{LN}_1(x) + \mathrm{LN}_2(z)",
        "x[d] epsilon+ g[d] b[d] z[d] g_2[d] b_2[d]",
        lambda x, e, g, b, z, g2, b2: _between(x, e, g, b) + _between(z, e, g2, b2),
        context=[r"\mathrm{LN}(x) = \frac{x - \mu}{\sigma + \epsilon} \odot g + b"],
    ),
    # Another norm, and one with moments of the note's own, is what the note says.
    Case(
        r"q = W \mathrm{Norm}(x)",
        "W[p,d] x[d] mu sigma+ g[d]",
        lambda w, x, m, s, g: w @ ((x - m) / s * g),
        context="Batch normalisation: $\\mathrm{Norm}(x) = \\frac{x - \\mu}{\\sigma} \\odot g$.",
    ),
    Case(
        r"q = W \mathrm{Norm}(x)",
        "W[p,d] x[d] sigma+ g[d] b[d]",
        lambda w, x, s, g, b: w @ ((x - x.max()) / s * g + b),
        context=[
            r"\mu = \max_i x_i",
            r"\mathrm{Norm}(x) = \frac{x - \mu}{\sigma} \odot g + b",
        ],
    ),
    Case(
        r"f(x) = \gamma \frac{x_i - m}{\sigma} + \beta",
        "gamma[d] x[d] m sigma beta[d]",
        lambda g, x, m, s, b: g * (x - m) / s + b,
        context=[r"m \in \mathbb{R}, \sigma \in \mathbb{R}"],
    ),
    Case(
        r"\mathrm{LN}(x)_i = \frac{x_i - \mu}{\sqrt{\sigma^2 + \epsilon}} \gamma + \beta",
        "x[d] epsilon+ gamma[d] beta[d]",
        lambda x, e, g, b: g * standardised(x, e) + b,
    ),
    Case(
        r"\mathrm{Swish}(x) = x \cdot \sigma(x)",
        "x",
        lambda x: x / (1 + np.exp(-x)),
        context=[r"\sigma^2 = \frac{1}{d} \sum_i (x_i - \mu)^2"],
    ),
    Case(
        r"y = \sigma(W x + b)",
        "W[n,d] x[d] b[n]",
        lambda w, x, b: 1 / (1 + np.exp(-(w @ x + b))),
        context=[r"\sigma \in \mathbb{R}"],
    ),
    Case(r"y = x \sigma", "x[d] sigma", np.multiply, context=[r"\sigma^2 = \mathrm{Var}(u)"]),
    Case(r"s = |x|_2", "x[d]", np.linalg.norm),
    Case(r"u = x / |x|_1", "x[d]", lambda x: x / np.abs(x).sum()),
    Case(
        r"f(x) = \frac{x - \text{mean}(x)}{\text{std}(x)}",
        "x[d]",
        lambda x: (x - x.mean()) / x.std(),
    ),
    Case(
        r"f(x) = \gamma \frac{x - \mathrm{mean}(x)}{\mathrm{std}(x) + \epsilon} + \beta",
        "x[d] gamma[d] epsilon+ beta[d]",
        lambda x, g, e, b: g * (x - x.mean()) / (x.std() + e) + b,
    ),
    Case(
        r"y_i = \gamma \cdot x_i / (RMS(x) + \epsilon)",
        "gamma[d] x[d] epsilon+",
        lambda g, x, e: g * x / (np.sqrt(np.mean(x**2)) + e),
    ),
    # The gain of one feature, beside squares that are added up over all.
    *(
        Case(
            latex,
            "gamma[d] x[d] epsilon+",
            lambda g, x, e: g * x / np.sqrt(np.mean(x**2) + e),
        )
        for latex in (
            r"y_i = \gamma \cdot \frac{x_i}{\sqrt{\frac{1}{d} \sum_{j=1}^d x_j^2 + \epsilon}}",
            r"y_i = \gamma \odot \frac{x_i}{\sqrt{\frac{1}{d} \sum_{j=1}^d x_j^2 + \epsilon}}",
        )
    ),
    Case(
        r"u \cdot w = |u||w| \cos\theta",
        "u[d] w[d] theta",
        lambda u, w, t: np.linalg.norm(u) * np.linalg.norm(w) * np.cos(t),
    ),
    Case(
        r"y = \|u\| \|w\| \cos\theta",
        "u[n] w[m] theta",
        lambda u, w, t: np.linalg.norm(u) * np.linalg.norm(w) * np.cos(t),
    ),
    Case(
        r"y = \|u\|^2 \|w\| a",
        "u[n] w[m] a",
        lambda u, w, a: (u @ u) * np.linalg.norm(w) * a,
    ),
    Case(r"s = \|x\|", "x[d]", np.linalg.norm),
    Case(r"s = \|x\|_2", "x[d]", np.linalg.norm),
    Case(r"s = \|x\|_2^2", "x[d]", lambda x: x @ x),
    Case(r"s = \|x\|^2", "x[d]", lambda x: x @ x),
    Case(r"s = \|x\|_1", "x[d]", lambda x: np.abs(x).sum()),
    Case(r"s = \|x\|_3", "x[d]", lambda x: (np.abs(x) ** 3).sum() ** (1 / 3)),
    Case(
        r"s = -\|h + r - t\|_p",
        "h[d] r[d] t[d] p+",
        lambda h, r, t, p: -((np.abs(h + r - t) ** p).sum() ** (1 / p)),
    ),
    Case(r"s = \lVert x - y \rVert_2^2", "x[d] y[d]", lambda x, y: ((x - y) ** 2).sum()),
    Case(r"s = \Vert x \Vert_2 / 2", "x[d]", lambda x: np.linalg.norm(x) / 2),
    Case(
        r"s = \frac{a \cdot b}{\|a\| \|b\|}",
        "a[d] b[d]",
        lambda a, b: a @ b / (np.linalg.norm(a) * np.linalg.norm(b)),
    ),
    Case(
        r"\cos\theta = \frac{a \cdot b}{|a| |b|}",
        "a[d] b[d]",
        lambda a, b: a @ b / (np.linalg.norm(a) * np.linalg.norm(b)),
    ),
    Case(
        r"s = \frac{a \cdot b}{\|a\|_2 \|b\|_2}",
        "a[d] b[d]",
        lambda a, b: a @ b / (np.linalg.norm(a) * np.linalg.norm(b)),
    ),
    Case(r"u = \frac{x}{\|x\|}", "x[d]", lambda x: x / np.linalg.norm(x)),
    Case(
        r"u = \frac{x}{\|x\|_2 + \epsilon}",
        "x[d] epsilon+",
        lambda x, e: x / (np.linalg.norm(x) + e),
    ),
    Case(r"\mu = \frac{1}{d}\sum_{i=1}^{d} x_i", "x[d]", np.mean),
    Case(
        r"\sigma^2 = \frac{1}{d}\sum_{i=1}^{d} (x_i - \mu)^2",
        "x[d] mu",
        lambda x, m: ((x - m) ** 2).mean(),
    ),
    Case(
        r"\sigma^2 = \frac{1}{d}\sum_{i=1}^{d} (x_i - \mu)^2, \quad \mu = "
        r"\frac{1}{d}\sum_{i=1}^{d} x_i",
        "x[d]",
        np.var,
    ),
    Case(
        r"\sigma = \sqrt{\frac{1}{d}\sum_{i=1}^{d} (x_i - \mu)^2}, \quad \mu = "
        r"\frac{1}{d}\sum_{i=1}^{d} x_i",
        "x[d]",
        np.std,
    ),
    Case(
        r"\sigma^2 = \frac{1}{d-1}\sum_{i=1}^{d} (x_i - \mu)^2, \quad \mu = "
        r"\frac{1}{d}\sum_{i=1}^{d} x_i",
        "x[d]",
        lambda x: x.var(ddof=1),
    ),
    Case(
        r"y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}}",
        "x[d] epsilon+",
        standardised,
    ),
    Case(
        r"y = \frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{var}(x) + \epsilon}} \gamma "
        r"+ \beta",
        "x[d] epsilon+ gamma[d] beta[d]",
        lambda x, e, g, b: standardised(x, e) * g + b,
    ),
    Case(
        r"y_i = \frac{x_i}{\sqrt{\frac{1}{d}\sum_{j=1}^{d} x_j^2 + \epsilon}} g_i",
        "x[d] epsilon+ g[d]",
        lambda x, e, g: x / np.sqrt((x**2).mean() + e) * g,
    ),
    Case(
        r"y_i = \frac{x_i}{\mathrm{RMS}(x)} g_i, \quad \mathrm{RMS}(x) = "
        r"\sqrt{\frac{1}{d}\sum_{j=1}^{d} x_j^2}",
        "x[d] g[d]",
        lambda x, g: x / np.sqrt((x**2).mean()) * g,
    ),
    Case(
        r"\mathrm{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta",
        "x[d] gamma[d] beta[d] epsilon+",
        lambda x, g, b, e: standardised(x, e) * g + b,
    ),
    Case(
        r"\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac{1}{d}\sum_{i=1}^d x_i^2 + \epsilon}} "
        r"\odot \gamma",
        "x[d] epsilon+ gamma[d]",
        lambda x, e, g: x / np.sqrt((x**2).mean() + e) * g,
    ),
    Case(
        r"g = \left(\prod_{i=1}^{n} a_i\right)^{1/n}", "a+[n]", lambda a: np.exp(np.log(a).mean())
    ),
    Case(r"h = \frac{n}{\sum_{i=1}^{n} \frac{1}{a_i}}", "a+[n]", lambda a: len(a) / (1 / a).sum()),
    # A mean and a variance go over the axis that stands below them.
    *(
        Case(
            rf"y = \gamma \frac{{X - {mean}[X]}}{{\sqrt{{{variance}[X] + \epsilon}}}} + \beta",
            "gamma[c] X[b,c] epsilon+ beta[c]",
            lambda g, x, e, b: g * (x - x.mean(0)) / np.sqrt(x.var(0) + e) + b,
            context=r"$X \in \mathbb{R}^{B \times C}$ has a row for each example.",
        )
        for mean, variance in [
            (r"\underset{B}{\mathbb{E}}", r"\underset{B}{Var}"),
            (r"\mathbb{E}_B", r"\mathrm{Var}_B"),
        ]
    ),
    # Determinants and moduli are made of what stands on the right; a norm of one is not.
    Case(r"|I + p q^\top| = 1 + q^\top p", "p[d] q[d]", lambda p, q: 1 + q @ p),
    Case(r"|u + i v| = \sqrt{u^2 + v^2}", "u v", np.hypot),
)
def test_value(case: Case) -> None:
    check(case)


OF_BATCH = r"\hat x_i = \frac{x_i - \mu_B}{\sqrt{\sigma_B^2 + \epsilon}}"


def _of_batch(x: np.ndarray, mu: np.ndarray, sigma: np.ndarray, epsilon: float) -> np.ndarray:
    return (x - mu) / np.sqrt(sigma**2 + epsilon)


@table(
    # A batch of vectors has a mean and a deviation of each feature, said by shape or by definition.
    Case(
        OF_BATCH,
        "x[n,d] mu_B[d] sigma_B[d] epsilon+",
        _of_batch,
        context=[r"x_i \in \mathbb{R}^d"],
    ),
    Case(
        r"\hat x_i = \frac{x_i - m}{\sqrt{\sigma^2 + \epsilon}}",
        "x[n,d] m[d] sigma[d] epsilon+",
        _of_batch,
        context=[r"m, \sigma^2 \in \mathbb{R}^d"],
    ),
    Case(
        OF_BATCH,
        "x[n,d] mu_B[d] sigma_B[d] epsilon+",
        _of_batch,
        context=[
            r"x_i \in \mathbb{R}^d, \quad \mu_B = \frac{1}{m} \sum_{i=1}^m x_i",
            r"\sigma_B^2 = \frac{1}{m} \sum_{i=1}^m (x_i - \mu_B)^2",
        ],
    ),
    Case(
        r"y_i = \gamma \frac{x_i - \mu_B}{\sqrt{\sigma_B^2 + \epsilon}} + \beta",
        "gamma[d] x[n,d] mu_B[d] sigma_B[d] epsilon+ beta[d]",
        lambda g, x, mu, sigma, e, b: g * _of_batch(x, mu, sigma, e) + b,
        context=[r"x_i \in \mathbb{R}^d"],
    ),
    # So has each a gain and a bias.
    Case(
        r"y_i = \gamma \hat x_i + \beta",
        "gamma[d] x_hat[n,d] beta[d]",
        lambda g, x, b: g * x + b,
    ),
)
def test_batches_of_vectors(case: Case) -> None:
    check(case)


def test_moments_that_count_more_than_the_array_are_given() -> None:
    """They are not those that a norm always has: no input would tell how far the i runs."""
    f = compile_formula(r"y = \frac{b_{ij} - \mu_i}{\sqrt{\sigma_i^2 + \epsilon}} \cdot \gamma")
    assert f.component is None
    assert {"mu", "sigma"} <= {given.name for given in f.inputs}
    assert f.source


@pytest.mark.parametrize(
    "latex",
    [
        r"s = \|W\|_p",
        r"s = \|A - B\|_3",
        r"s = \|x\|_\Sigma",
        r"s = \|q - k\|_q",
        r"s = \|x - p\|_p",
    ],
)
def test_a_norm_of_a_matrix_by_its_singular_values_or_of_no_known_order_is_refused(
    latex: str,
) -> None:
    with pytest.raises(FormulaError, match=r"singular values|is not understood"):
        compile_formula(latex)


def test_a_mean_over_several_axes_is_refused() -> None:
    latex = (
        r"y = \frac{X - \underset{H, W}{\mathbb{E}}[X]}{\sqrt{\underset{H, W}{Var}[X] + \epsilon}}"
    )
    with pytest.raises(FormulaError, match="a mean over several axes"):
        compile_formula(latex)


def test_the_norm_of_a_batch_is_no_layer_norm() -> None:
    latex = r"y = \frac{x - \mathrm{E}_B[x]}{\sqrt{\mathrm{Var}_B[x] + \epsilon}}"
    assert compile_formula(latex, shapes={"x": ("B", "d")}).component is None
    of_features = latex.replace("_B", "")
    assert compile_formula(of_features, shapes={"x": ("B", "d")}).component == "layer_norm"
