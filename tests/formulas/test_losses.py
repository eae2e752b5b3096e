"""Losses and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, softmax, table


def at(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The element of each row at its label."""
    return np.array([row[label] for row, label in zip(rows, labels, strict=True)])


@table(
    # The positive part of a sum, by a sign above it.
    Case(r"L = \sum_i (m - d_i)^+", "d[n] m", lambda d, m: np.maximum(m - d, 0).sum()),
    Case(r"H = (X W + b)^{+}", "X[n,d] W[d,p] b[p]", lambda x, w, b: np.maximum(x @ w + b, 0)),
    # What counts nothing tells a place: one of the numbers of a softmax.
    Case(r"p = \frac{e^{z_y}}{\sum_j e^{z_j}}", "z[n] y<n", lambda z, y: softmax(z)[y]),
    Case(
        r"\mathrm{loss}(x, class) = -x[class] + \log\left(\sum_j \exp(x[j])\right)",
        "x[n] class_<n",
        lambda x, at: -np.log(softmax(x)[at]),
    ),
    Case(r"L = \log \sum_j e^{z_j} - z_y", "z[n] y<n", lambda z, y: -np.log(softmax(z)[y])),
    Case(r"p_c = \frac{e^{z_c}}{\sum_j e^{z_j}}", "z[n]", softmax),
    # A list with dots is of all places, and the letter of two arrays tells one from the other.
    Case(
        r"p = \left[\frac{e^{z_1}}{\sum_j e^{z_j}}, \dots, \frac{e^{z_C}}{\sum_j e^{z_j}}\right]",
        "z[C]",
        softmax,
    ),
    Case(
        r"g = \log \sum_j e^{z_j} - z_{max}", "z[n] z_max", lambda z, a: np.log(np.exp(z).sum()) - a
    ),
    Case(
        r"o = \frac{e^{s_c}}{\sum_j e^{s_j}} v_c",
        "s_c s[n] v_c[m]",
        lambda a, s, v: np.exp(a) / np.exp(s).sum() * v,
    ),
    Case(r"p(y) = \frac{e^{z_y}}{\sum_j e^{z_j}}", "z[n]", softmax),
    # What is held against a margin is a distance, and no count of features.
    Case(
        r"L = y d^2 + (1 - y) \max(0, m - d)^2",
        "y d m",
        lambda y, d, m: y * d**2 + (1 - y) * max(0, m - d) ** 2,
    ),
    Case(
        r"\ell = [D_p - D_q + c]_+",
        "D_p D_q c",
        lambda p, q, c: max(0, p - q + c),
    ),
    # The features of a student have a letter, and are no metric as an F_1 is.
    Case(
        r"L = \|F_s P - F_t\|_F^2",
        "F_s[n,d] P[d,e] F_t[n,e]",
        lambda s, p, t: np.sum((s @ p - t) ** 2),
    ),
    # What parameters make is given.
    Case(r"L = \sum_{i=1}^{n} b_i(\theta) c_i", "b[n] c[n]", np.dot),
    # The pixels of an image are no products with the I of an indicator or of an identity.
    Case(
        r"e = \frac{1}{mn} \sum_{i=0}^{m-1} \sum_{j=0}^{n-1} [I(i,j) - K(i,j)]^2",
        "I[m,n] K[m,n]",
        lambda i, k: ((i - k) ** 2).mean(),
    ),
    # What is predicted is one thing, and its own function says nothing of the model.
    Case(
        r"L_\delta(t, g(u)) = \begin{cases} \frac{1}{2} (t - g(u))^2 & |t - g(u)| \le \delta \\ "
        r"\delta |t - g(u)| - \frac{1}{2} \delta^2 & \text{otherwise} \end{cases}",
        "t g_u delta+",
        lambda t, g, d: (t - g) ** 2 / 2 if abs(t - g) <= d else d * abs(t - g) - d**2 / 2,
    ),
    Case(
        r"\ell(g(u), t) = \max(0, 1 - t g(u))",
        "g_u t",
        lambda g, t: max(0, 1 - t * g),
    ),
    # The words of a text in a row, without commas.
    *(
        Case(latex, "P+ N", lambda p, n: p ** (-1 / n))
        for latex in (
            r"\mathrm{PP}(W) = P(w_1 w_2 \ldots w_N)^{-\frac{1}{N}}",
            r"\mathrm{PP}(W) = \sqrt[N]{\frac{1}{P(w_1w_2...w_N)}}",
        )
    ),
    Case(
        r"\mathrm{PP}(W) = P(w_1 w_2 \dots w_N)^{-\frac{1}{N}}"
        r" = \sqrt[N]{\prod_{i=1}^N \frac{1}{P(w_i | w_1 \dots w_{i-1})}}",
        "P+[n]",
        lambda p: np.exp(-np.log(p).mean()),
    ),
    # The sum says what the expectation in front of it is of.
    Case(
        r"H(r, s) = \mathbb{E}_r[-\ln s(Y)] = -\sum_y r(y) \ln s(y)",
        "r[n] s+[n]",
        lambda r, s: -(r * np.log(s)).sum(),
    ),
    # The weight of a class is a number where ℓ is a loss, of all examples or of one.
    Case(
        r"\ell_v = -\frac{1}{m} \sum_i [v_1\, y_i \log \hat q_i + v_0 \log \hat r_i]",
        "v_1 y[m] q_hat+[m] v_0 r_hat+[m]",
        lambda a, y, q, b, r: -(a * y * np.log(q) + b * np.log(r)).mean(),
    ),
    Case(
        r"L_i = -v_1 y_i \log p_i - v_0 (1 - y_i) \log(p_i + 1)",
        "v_1 y[n] p+[n] v_0",
        lambda a, y, p, b: -a * y * np.log(p) - b * (1 - y) * np.log(p + 1),
    ),
    # But ℓ is an array where the font says so, or elements stand beside what it is made of.
    Case(r"\ell = \mathbf{r} + \log \mathbf{q}", "r[d] q+[d]", lambda r, q: r + np.log(q)),
    Case(r"\ell = u - \log \sum_k e^{u_k}", "u[d]", lambda u: u - np.log(np.exp(u).sum())),
    # Two letters that are one measure are no square.
    Case(r"PP = 2^H", "H", lambda h: 2**h),
    Case(r"PP = P^2", "P[n,n]", lambda p: p @ p),  # a projection
    Case(
        r"P(w_1 w_2 \dots w_n) = \prod_{k=1}^n P(w_k | w_1 w_2 \dots w_{k-1})",
        "P+[n]",
        np.prod,
    ),
    # The share of each class is added to all, and α is a number, whatever the sign of the product.
    *(
        Case(
            rf"y_{{ls}} = (1 - \alpha) {sign} y_{{hot}} + \alpha / K",
            "alpha y_hot[c] K",
            lambda a, y, k: (1 - a) * y + a / k,
        )
        for sign in ("", "*", r"\cdot")
    ),
    Case(
        r"y = (1 - g) * u + g * v",
        "g[d] u[d] v[d]",
        lambda g, u, v: (1 - g) * u + g * v,
        context=r"g \in \mathbb{R}^d",
    ),
    # The probability of a whole text is a number, however much of it is listed.
    # A probability under a condition has a row for each, where the condition is counted, too.
    # A mean is over as many as it is divided by.
    Case(
        r"e = \frac{1}{N} \sum (x_i - \mu)^3", "x[N] mu", lambda x, mean: ((x - mean) ** 3).mean()
    ),
    Case(
        r"L = -\frac{1}{N} \sum_i \sum_k y_{ik} \log p_{ik}",
        "y[N,K] p+[N,K]",
        lambda y, p: -(y * np.log(p)).sum() / len(y),
    ),
    Case(
        r"L = -\frac{1}{N} \sum_{i=1}^N \sum_{k=1}^K y_{ik} \log p(k \mid x_i)",
        "y[N,K] p+[N,K]",
        lambda y, p: -(y * np.log(p)).sum() / len(y),
    ),
    Case(
        r"m_i = \sum_k \pi_k p(x_i \mid \mu_k)",
        "pi[K] p[K,n]",
        lambda weights, p: weights @ p,
    ),
    Case(
        r"L = -\sum_{i \in M} \log P(x_i \mid x_{\setminus M})",
        "M[n] P+[n]",
        lambda m, p: -np.log(p)[m != 0].sum(),
    ),
    Case(
        r"Y(w) = P(w_1, w_2, \dots, w_N)^{-\frac{1}{N}} = \sqrt[N]{\frac{1}{P(w_1, \dots, w_N)}}",
        "P+ N",
        lambda p, n: p ** (-1 / n),
    ),
    # The letter below what is divided counts what the sum below counts by another.
    Case(
        r"\hat y_c = \frac{e^{z_c}}{\sum_{j=1}^{C} e^{z_j}}",
        "z[n]",
        lambda z: np.exp(z) / np.exp(z).sum(),
    ),
    # A sum without an index runs over what all in it have.
    Case(r"L = -\sum y \log p", "y[n] p+[n]", lambda y, p: -np.sum(y * np.log(p))),
    Case("L = -Σ y log(p)", "y[n] p+[n]", lambda y, p: -np.sum(y * np.log(p))),
    Case(
        r"e = \frac{1}{n} \sum (y - \hat y)^2", "y[n] y_hat[n]", lambda y, z: np.mean((y - z) ** 2)
    ),
    Case(r"c = \sum A_{ij}", "A[n,m]", np.sum),
    Case(r"L = -\sum_i y_i \log \hat{y}_i", "y[n] y_hat+[n]", lambda y, p: -y @ np.log(p)),
    Case(
        r"D_{KL}(P \| Q) = -\sum_i P_i \log \frac{Q_i}{P_i}",
        "P+[n] Q+[n]",
        lambda p, q: p @ np.log(p / q),
    ),
    Case(r"L = \sum_i P_i (\log P_i - \log Q_i)", "P+[n] Q+[n]", lambda p, q: p @ np.log(p / q)),
    Case(r"L = -\log p_y", "p_y+", lambda p: -np.log(p)),
    # A label tells the place in its row.
    Case(r"-\log \hat y_{t, y_t}", "y_hat+[n,m] y<m[n]", lambda p, y: -np.log(at(p, y))),
    Case(
        r"L = -\frac{1}{N} \sum_{i=1}^{N} \log p_{i, c_i}",
        "p+[N,m] c<m[N]",
        lambda p, c: -np.log(at(p, c)).mean(),
    ),
    Case(r"L = -\sum_t \log P_t[w_t]", "P+[n,m] w<m[n]", lambda p, w: -np.log(at(p, w)).sum()),
    Case(
        r"l_t = -\log \hat{\mathbf y}_t[x_{t+1}]",
        "y_hat+[n,m] x<m[n]",
        lambda p, x: -np.log(at(p, x)),
    ),
    Case(
        r"-\log \operatorname{softmax}(z_i)_{y_i}",
        "z[n,m] y<m[n]",
        lambda z, y: -np.log(at(softmax(z), y)),
    ),
    Case(
        r"p_t = \mathrm{softmax}(W h_t)_{w_t}",
        "W[m,d] h[n,d] w<m[n]",
        lambda a, h, w: at(softmax(h @ a.T), w),
    ),
    Case(
        r"L = -\sum_i \log \frac{e^{s_{i,y_i}}}{\sum_{j} e^{s_{ij}}}",
        "s[n,m] y<m[n]",
        lambda s, y: -np.log(at(softmax(s), y)).sum(),
    ),
    Case(r"a_i = \max_{j} s_{ij} - s_{i, y_i}", "s[n,m] y<m[n]", lambda s, y: s.max(1) - at(s, y)),
    Case(
        r"L = -\sum_i \sum_j \mathbf{1}[y_i = j] \log p_{ij}",
        "p+[n,m] y<m[n]",
        lambda p, y: -np.log(at(p, y)).sum(),
    ),
    Case(
        r"\mathcal{L}(p) = -\sum_{k=1}^{K} q_k \log p_k", "p+[n] q[n]", lambda p, q: -q @ np.log(p)
    ),
    Case(
        r"\mathcal{L} = (1 - a) \mathcal{L}_{one} + a \mathcal{L}_{all}",
        "a L_one L_all",
        lambda a, one, every: (1 - a) * one + a * every,
        shapes={"a": ()},
    ),
    Case(r"p_w = \frac{e^{z_w}}{\sum_{w'} e^{z_{w'}}}", "z[n]", softmax),
    Case(r"a = 25\% b", "b", lambda b: b / 4, shapes={"b": ()}),
    Case(
        r"L = -\frac{1}{N}\sum_{n=1}^{N}\sum_{c=1}^{C} y_{nc} \log p_{nc}",
        "y[N,C] p+[N,C]",
        lambda y, p: -(y * np.log(p)).sum(1).mean(),
    ),
    Case(
        r"L = -y \log \sigma(z) - (1 - y) \log(1 - \sigma(z))",
        "y z",
        lambda y, z: -y * np.log(sigmoid(z)) - (1 - y) * np.log(1 - sigmoid(z)),
        shapes={"y": (), "z": ()},
    ),
    Case(
        r"\mathrm{MSE} = \frac{1}{n}\sum_{i=1}^{n} (y_i - \hat{y}_i)^2",
        "y[n] y_hat[n]",
        lambda y, p: ((y - p) ** 2).mean(),
    ),
    # What is missed of each number is a number, and of a share of it.
    Case(
        r"\mathrm{MAE} = \frac{1}{n} \sum_{i=1}^{n} |t_i - \hat t_i|",
        "t[n] t_hat[n]",
        lambda t, p: np.abs(t - p).mean(),
    ),
    Case(
        r"E = \frac{100}{n} \sum_{i=1}^{n} \left| \frac{y_i - \hat y_i}{y_i} \right|",
        "y+[n] y_hat[n]",
        lambda y, p: 100 * np.abs((y - p) / y).mean(),
    ),
    # Near miss: those that are bold.
    Case(
        r"E = \frac{1}{n} \sum_{i=1}^{n} |\mathbf{y}_i - \hat{\mathbf{y}}_i|",
        "y[n,d] y_hat[n,d]",
        lambda y, p: np.linalg.norm(y - p, axis=-1).mean(),
    ),
    Case(r"\mathcal{L} = \|y - \hat y\|_2^2", "y[d] y_hat[d]", lambda y, p: ((y - p) ** 2).sum()),
    Case(
        r"\mathrm{PPL} = \exp\left(-\frac{1}{T}\sum_{t=1}^{T} \log p_t\right)",
        "p+[T]",
        lambda p: np.exp(-np.log(p).mean()),
    ),
    Case(
        r"\mathrm{PPL} = 2^{-\frac{1}{N}\sum_{i=1}^N \log_2 p_i}",
        "p+[N]",
        lambda p: np.exp(-np.log(p).mean()),
    ),
    Case(r"H = -\sum_i p_i \log_2 p_i", "p+[n]", lambda p: -(p * np.log2(p)).sum()),
    Case(
        r"D = \sum_i p_i \log \frac{p_i}{q_i}",
        "p+[n] q+[n]",
        lambda p, q: (p * np.log(p / q)).sum(),
    ),
    Case(
        r"C(p, q) = -\sum_x p(x) \log q(x)",
        "p+[n] q+[n]",
        lambda p, q: -(p * np.log(q)).sum(),
    ),
    Case(
        r"D(P \| Q) = \sum_{i=1}^{n} P(i) \log \frac{P(i)}{Q(i)}",
        "P+[n] Q+[n]",
        lambda p, q: (p * np.log(p / q)).sum(),
    ),
    Case(
        r"D = \sum_k p(u_k) \log \frac{p(u_k)}{q(u_k)}",
        "p+[n] q+[n]",
        lambda p, q: (p * np.log(p / q)).sum(),
    ),
    Case(
        r"L = -[y \log \hat{y} + (1 - y) \log(1 - \hat{y})]",
        "y y_hat+",
        lambda y, p: -(y * np.log(p) + (1 - y) * np.log(1 - p)),
    ),
    Case(
        r"L_i = -\log \frac{\exp(s_{ii})}{\sum_k \mathbb{1}_{[k \ne i]} \exp(s_{ik})}",
        "s[n,n]",
        lambda s: -np.log(np.exp(np.diag(s)) / (np.exp(s) * (1 - np.eye(len(s)))).sum(1)),
    ),
    Case(r"L = \max(0, 1 - y \hat{y})", "y y_hat", lambda y, p: max(0, 1 - y * p)),
    Case(
        r"L = \begin{cases} \frac12 (y - \hat y)^2 & |y - \hat y| \le \delta \\ "
        r"\delta (|y - \hat y| - \frac12 \delta) & \text{otherwise} \end{cases}",
        "y y_hat delta+",
        lambda y, p, d: (y - p) ** 2 / 2 if abs(y - p) <= d else d * (abs(y - p) - d / 2),
    ),
    Case(
        r"L = (y - Xw)^\top (y - Xw)",
        "y[n] X[n,d] w[d]",
        lambda y, x, w: (y - x @ w) @ (y - x @ w),
    ),
    Case(r"p_i = \frac{e^{z_i}}{\sum e^{z_j}}", "z[n]", softmax),
    Case(
        r"\mathrm{BLEU} = \exp\left(\min\left(0, 1 - \frac{r}{c}\right)\right)\prod_{n=1}^{k} "
        r"p_n^{1/2^n}",
        "r+ c+ p+[k]",
        lambda r, c, p: np.exp(min(0, 1 - r / c)) * np.prod(p ** (0.5 ** np.arange(1, len(p) + 1))),
    ),
    Case(
        r"\mathrm{BLEU} = \mathrm{BP} \cdot \exp\left(\sum_{n=1}^{N} w_n \log p_n\right)",
        "BP w[N] p+[N]",
        lambda b, w, p: b * np.exp(w @ np.log(p)),
    ),
    Case(
        r"F_1 = 2 \cdot \frac{P \cdot R}{P + R}",
        "P R",
        lambda p, r: 2 * p * r / (p + r),
        shapes={"P": (), "R": ()},
    ),
    Case(
        r"L = -\log \frac{\exp(z_y)}{\sum_j \exp(z_j)}",
        "z[n] y<n",
        lambda z, y: -z[y] + np.log(np.exp(z).sum()),
    ),
    Case(
        r"L = -\log \sigma\left(\beta \log \frac{\pi_\theta(y_w | x)}{\pi_0(y_w | x)}"
        r" - \beta \log \frac{\pi_\theta(y_l | x)}{\pi_0(y_l | x)}\right)",
        "beta pi_theta_y_w+ pi_0_y_w+ pi_theta_y_l+ pi_0_y_l+",
        lambda b, w, u, s, v: np.log1p(np.exp(b * np.log(s / v) - b * np.log(w / u))),
    ),
    Case(
        r"\mathrm{BLEU} = BP \cdot \exp(w_1 \cdot \log(p_1) + w_2 \cdot \log(p_2))",
        "BP w_1 p_1+ w_2 p_2+",
        lambda brevity, w, p, v, q: brevity * p**w * q**v,
    ),
    Case(
        r"L = T^2 \, \mathrm{KL}(p \,\|\, r)",
        "T+ a[n] b[n]",
        lambda t, a, b: t**2 * np.sum(softmax(a / t) * np.log(softmax(a / t) / softmax(b / t))),
        context=(r"p = \mathrm{softmax}(a / T)", r"r = \mathrm{softmax}(b / T)"),
    ),
    Case(
        r"L = D_{KL}(\mathrm{softmax}(a) \| \mathrm{softmax}(b))",
        "a[n] b[n]",
        lambda a, b: np.sum(softmax(a) * np.log(softmax(a) / softmax(b))),
    ),
    Case(
        r"L = \frac12 \mathrm{KL}(p \| m) + \frac12 \mathrm{KL}(q \| m), \quad m = \frac{p + q}{2}",
        "p+[n] q+[n]",
        lambda p, q: (p @ np.log(2 * p / (p + q)) + q @ np.log(2 * q / (p + q))) / 2,
        context=r"\mathrm{KL}(p \,\|\, q) = \sum_i p_i \log \frac{p_i}{q_i}",
    ),
    Case(r"s = p(a \mid x) - p(b \mid x)", "p_a p_b", lambda a, b: a - b),
    Case(
        r"p(y_1 \succ y_2 \mid x) = \sigma(r_1 - r_2)",
        "r_1 r_2",
        lambda a, b: 1 / (1 + np.exp(b - a)),
    ),
    Case(r"s = \log\sum_j \exp(a_j)", "a[n]", lambda z: np.log(np.exp(z).sum())),
    Case(
        r"\tilde{y}_i = (1 - \epsilon) y_i + \frac{\epsilon}{K}",
        "epsilon y[n] K",
        lambda e, y, k: (1 - e) * y + e / k,
        shapes={"K": ()},
    ),
    Case(
        r"\eta = \eta_0 \cdot \frac{1}{2}\left(1 + \cos\left(\frac{\pi t}{T}\right)\right)",
        "eta_0 t T",
        lambda e, t, n: e / 2 * (1 + np.cos(np.pi * t / n)),
        shapes={"t": ()},
    ),
    Case(
        r"P = \mathrm{softmax}(HW^\top + b)",
        "H[n,d] W[v,d] b[v]",
        lambda h, w, b: softmax(h @ w.T + b),
    ),
    # A sum without an index runs over what its probabilities are of.
    Case(r"H(X) = -\sum P(x) \log P(x)", "P+[n]", lambda p: -(p * np.log(p)).sum()),
    Case(
        r"D(P \| Q) = \sum P(x) \log \frac{P(x)}{Q(x)}",
        "P+[n] Q+[n]",
        lambda p, q: (p * np.log(p / q)).sum(),
    ),
    # What a sum without an end is divided by says how many terms it has.
    Case(r"L = -\frac{1}{N} \sum_i \log p_i", "p+[N]", lambda p: -np.log(p).mean()),
    Case(r"L = \frac{1}{T} \sum_i z_i", "T z[n]", lambda t, z: z.sum() / t),
    # The word w_O has a vector of its own, also where a sum runs over all words w.
    Case(
        r"P(w_O | w_I) = \frac{\exp(u_{w_O}^\top v_{w_I})}{\sum_{w=1}^V \exp(u_w^\top v_{w_I})}",
        "u_w_O[d] v_w_I[d] u[V,d]",
        lambda o, i, u: np.exp(o @ i) / np.exp(u @ i).sum(),
    ),
    Case(
        r"L = -\frac{1}{N} \sum_k y_k \log p_k",
        "N y[k] p+[k]",
        lambda n, y, p: -(y * np.log(p)).sum() / n,
    ),
    # The k of a share of all is an index, as the m is that the sum counts with.
    Case(
        r"p = \frac{\exp(z_k)}{\sum_{m=1}^K \exp(z_m)}",
        "z[n]",
        softmax,
    ),
    Case(
        r"\log \text{Softmax}(\mathbf{z})[k] = \log(\frac{\exp(z_k)}{\sum_{m=1}^K \exp(z_m)})"
        r" \quad (k = 1, \dots, K)",
        "z[n]",
        lambda z: z - np.log(np.exp(z).sum()),
    ),
)
def test_value(case: Case) -> None:
    check(case)


@table(
    # A teacher and a student: letters above one name that stand nowhere else raise it to nothing.
    Case(
        r"L = -\sum_i p_i^t \log p_i^s",
        "p_t+[d] p_s+[d]",
        lambda t, s: -(t * np.log(s)).sum(),
    ),
    Case(
        r"y = x^2 - 2 b p^s + s",
        "x b p+ s",
        lambda x, b, p, s: x**2 - 2 * b * p**s + s,
        shapes=dict.fromkeys("xbps", ()),
    ),
    # A sum without an index goes over what the logarithm is taken of, and over its weight.
    Case(r"L = -\sum y \log p_i", "y[d] p+[d]", lambda y, p: -(y * np.log(p)).sum()),
    Case(r"L = -\sum t_i \log q", "t[d] q+[d]", lambda t, q: -(t * np.log(q)).sum()),
    Case(
        r"w_{t,d} = tf_{t,d} \log \frac{N}{df_t}",
        "tf[n,m] N+ df+[n]",
        lambda tf, n, df: tf * np.log(n / df)[:, None],
        shapes={"N": ()},
    ),
    # A π that the formula takes the logarithm of, or lays down, is no number of a circle.
    Case(r"H = -\pi^\top \log \pi", "pi+[d]", lambda pi: -(pi * np.log(pi)).sum()),
    Case(r"H = -\sum_a \pi_a \log \pi_a", "pi+[d]", lambda pi: -(pi * np.log(pi)).sum()),
)
def test_of_distributions(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "inputs"),
    [
        (r"v = \frac{1}{n} \pi Q", ["pi", "Q"]),
        (r"v = \pi Q + \log x", ["pi", "Q", "x"]),
        (r"v = \frac{\pi}{\mu} r", ["pi", "mu", "r"]),
        (r"a = \frac{4}{3} \pi r^3", ["r"]),
        (r"a = \frac{\pi}{2} - b", ["b"]),
        (r"y = \sqrt{2 / \pi} x", ["x"]),
    ],
)
def test_a_note_has_a_pi_of_its_own(latex: str, inputs: list[str]) -> None:
    formula = compile_formula(latex, context=[r"\pi = \mathrm{softmax}(z)"])
    assert [one.name for one in formula.inputs if one.kind == "array"] == inputs


@pytest.mark.parametrize("letter", ["p", r"\pi"])
def test_a_vector_beside_its_logarithm_is_no_product_of_matrices(letter: str) -> None:
    with pytest.raises(FormulaError) as refused:
        compile_formula(
            rf"H = -{letter} \log {letter}", context=[rf"{letter} = \mathrm{{softmax}}(z)"]
        )
    assert refused.value.diagnostics[0].code == "N2C033"


@table(
    # An expectation that a loss is has the value of one sample; over an index it is the mean.
    Case(
        r"\mathcal{L} = -\mathbb{E}_{(x, y) \sim D}[\log \sigma(w^\top x - w^\top y)]",
        "w[d] x[d] y[d]",
        lambda w, x, y: -np.log(sigmoid(w @ x - w @ y)),
    ),
    Case(
        r"L = -\frac{1}{\binom{K}{2}} E_{(x, y) \sim D}[\log \sigma(w^\top x - w^\top y)]",
        "K+ w[d] x[d] y[d]",
        lambda k, w, x, y: -2 / (k * (k - 1)) * np.log(sigmoid(w @ x - w @ y)),
    ),
    Case(
        r"L = \mathbb{E}_x[\|x - a\|^2] + \lambda \mathbb{E}_z \|z\|^2",
        "x[d] a[d] lambda_ z[n]",
        lambda x, a, weight, z: np.square(x - a).sum() + weight * np.square(z).sum(),
    ),
    # Two bounds may be written as one.
    Case(
        r"u = \mathrm{clip}(r, 1 \pm c) a",
        "r c+ a",
        lambda r, c, a: np.clip(r, 1 - c, 1 + c) * a,
    ),
    Case(
        r"L = \hat{\mathbb{E}}_t[\min(r_t A_t, \mathrm{clip}(r_t, 1 - c, 1 + c) A_t)]",
        "r[n] A[n] c",
        lambda r, a, c: np.minimum(r * a, np.clip(r, 1 - c, 1 + c) * a).mean(),
    ),
    # A mean beside a softmax.
    Case(
        r"L = \mathbb{E}_t[r_t A_t] \\ p = \mathrm{softmax}(u)",
        "r[n] A[n]",
        lambda r, a: (r * a).mean(),
    ),
    Case(
        r"J = \frac{1}{2} \mathbb{E}_{i,j}[(y_i - w_j)^2]",
        "y[n] w[m]",
        lambda y, w: np.square(y[:, None] - w).mean() / 2,
    ),
)
def test_expectations(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("over", [r"_{x \sim p}", "_i"])
def test_what_becomes_of_an_expectation_is_told(over: str) -> None:
    formula = compile_formula(rf"L = \mathbb{{E}}{over}[x_i^2]")
    assert any("expectation" in one.message for one in formula.diagnostics)


def test_an_element_under_another_letter_is_told() -> None:
    formula = compile_formula(r"L = \log \sum_j e^{z_j} - 2 z_y")
    assert any("no element of `z`" in one.message for one in formula.diagnostics)
    formula = compile_formula(r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}")
    assert not formula.diagnostics


@table(
    Case(
        r"p_i = \frac{e^{z_{i y_i}}}{\sum_c e^{z_{ic}}}",
        "z[n,d] y<d[n]",
        lambda z, y: softmax(z)[np.arange(len(z)), y],
    ),
)
def test_the_label_of_a_row_without_a_comma(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "value"),
    [
        (
            r"L = \frac{1}{G} \sum_{i=1}^{G} \frac{1}{|y_i|} \sum_{t=1}^{|y_i|} \rho_{i,t}",
            lambda n, r: np.mean([r[i, :k].mean() for i, k in enumerate(n)]),
        ),
        (
            r"L = \frac{\sum_{i=1}^{G} \sum_{t=1}^{|y_i|} \rho_{i,t}}{\sum_{i=1}^{G} |y_i|}",
            lambda n, r: sum(r[i, :k].sum() for i, k in enumerate(n)) / n.sum(),
        ),
    ],
)
def test_the_tokens_of_each_answer_are_counted(latex: str, value: Callable[..., float]) -> None:
    """They are as many wherever that is said, and up to them it is added up."""
    formula = compile_formula(latex)
    lengths = np.array([2, 5, 1])
    ratios = np.random.default_rng(0).standard_normal((3, 5))
    given = {"len_y": lengths, "rho": ratios}
    assert {one.name for one in formula.inputs} == given.keys()
    np.testing.assert_allclose(formula.reference(**given), value(lengths, ratios))
    emitted = formula.function()(len_y=torch.tensor([2.0, 5.0, 1.0]), rho=torch.tensor(ratios))
    np.testing.assert_allclose(emitted, value(lengths, ratios), rtol=1e-6)


@pytest.mark.parametrize("shapes", [None, {"p": ("N", "m")}])
def test_each_position_is_held_against_the_label_behind(shapes: dict[str, Any] | None) -> None:
    formula = compile_formula(r"J = -\sum_{i=1}^{N-1} \log p_{i, c_{i+1}}", shapes=shapes)
    rng = np.random.default_rng(0)
    p, c = rng.uniform(0.1, 1, (5 if shapes else 4, 7)), rng.integers(0, 7, 4)
    expected = -np.log(at(p[:4], c)).sum()
    np.testing.assert_allclose(formula.reference(p=p, c=c), expected)
    np.testing.assert_allclose(formula.function()(p=torch.tensor(p), c=torch.tensor(c)), expected)


@pytest.mark.parametrize(
    ("latex", "share", "outcome"),
    [
        (r"P(c \mid x) = \hat{c}^c \cdot (1 - \hat{c})^{1 - c}", "c_hat", "c"),
        (r"b = \mu^x (1 - \mu)^{1 - x}", "mu", "x"),
    ],
)
def test_the_outcome_of_a_trial_is_an_exponent_and_no_label(
    latex: str, share: str, outcome: str
) -> None:
    found = compile_formula(latex).reference(**{share: 0.3, outcome: 0.25})
    np.testing.assert_allclose(found, 0.3**0.25 * 0.7**0.75)


def test_a_probability_in_a_definition_is_one_number_for_all_outcomes() -> None:
    defined = r"p(y|x) = g(y, x) \, \pi(y|x)"
    with pytest.raises(FormulaError, match="does not compute with `v, x`"):
        compile_formula(r"r = \log p(u|x) - \log p(v|x)", context=defined)
    assert compile_formula(r"r = \log p(u|x)", context=defined).status == "formula"


def test_a_loss_of_each_label_is_told() -> None:
    loss = compile_formula(r"L(z, y) = -z_y + \log \sum_j \exp(z_j)")
    assert len(loss.shape) == 1
    (told,) = loss.diagnostics
    assert told.message.startswith("`L` is taken to have one for each ")
    assert not compile_formula(r"S(i, j) = q_i^\top k_j").diagnostics


@table(
    # A small l with a word below it is a loss, and made of numbers.
    Case(
        r"\ell_{aux} = \frac{1}{E} \sum_{e=1}^{E} \frac{c_e}{S} m_e",
        "c[E] S m[E]",
        lambda c, s, m: (c / s * m).mean(),
    ),
    Case(r"l_{balance} = N \sum_i f_i P_i", "N f[n] P[n]", lambda n, f, p: n * (f * p).sum()),
)
def test_a_small_loss(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"y = (A^\top A + \lambda I)^+ b",
        "y = (A B)^+ b",
        "y = (A - B)^+ b",
        r"y = (K + \sigma^2 \mathrm{Id})^+ b",
        r"y = (\mathbb{1} + A)^+ b",
        "y = (m - d)^+",
    ],
)
def test_what_may_be_a_pseudo_inverse_is_no_positive_part(latex: str) -> None:
    with pytest.raises(FormulaError, match="is not understood"):
        compile_formula(latex)
