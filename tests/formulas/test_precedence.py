"""What binds to what: where a careless reader would compute something else without a word."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    # Parentheses say what a slash reaches over, as a bar does.
    Case(r"Y = X / (c W)", "X[n,d] c W", lambda x, c, w: x / (c * w)),
    Case(r"y = x / (c + a)", "x[d] c a", lambda x, c, a: x / (c + a)),
    Case(r"y = (\log p) / q", "p+ q", lambda p, q: np.log(p) / q),
    Case(
        r"O = \frac{W - K + 2P}{S} + 1",
        "W K P S+",
        lambda w, k, p, s: (w - k + 2 * p) / s + 1,
    ),
    Case(r"r = T_{cur} / T_{max}", "T_cur T_max+", lambda t, m: t / m),
    Case(
        r"L(N, D) = E + \frac{A}{N^\alpha} + \frac{B}{D^\beta}",
        "N+ D+ E A alpha B beta",
        lambda n, d, e, a, alpha, b, beta: e + a / n**alpha + b / d**beta,
    ),
    # An exponent with the index of what it raises is one, and no label.
    Case(
        r"m = \prod_{i=1}^n u_i^{a_i}",
        "u+[n] a[n]",
        lambda u, a: (u**a).prod(),
    ),
    Case(
        r"g = B \prod_n {p_n}^{\lambda_n}",
        "B p+[n] lambda_[n]",
        lambda b, p, e: b * (p**e).prod(),
    ),
    Case(r"z_i = W_i^{q_i} x", "W_q_i[h,a,d] x[d]", lambda w, x: w @ x),
    Case(r"C = 6ND", "N D", lambda n, d: 6 * n * d),
    Case(r"Z = \frac{X - M}{S}", "X[n,d] M[n,d] S+", lambda x, m, s: (x - m) / s),
    Case(r"y = a/bc", "a b c", lambda a, b, c: a / (b * c)),
    Case(r"y = a / b \cdot c", "a b c", lambda a, b, c: a / b * c),
    # A slash ends before a sum, and below a number before a norm and what is transposed.
    Case(r"y = 1/n \sum_{i=1}^n x_i", "x[n]", np.mean),
    Case(
        r"L = -1/mn \sum_{i=1}^m \sum_{j=1}^n (x_{ij} - z_{ij})^2",
        "x[m,n] z[m,n]",
        lambda x, z: -((x - z) ** 2).mean(),
    ),
    Case(r"L = 1/2n \|x - z\|^2", "x[d] z[d] n+", lambda x, z, n: ((x - z) ** 2).sum() / (2 * n)),
    Case(r"L = 1/n e^\top e", "e[n]", lambda e: (e**2).mean()),
    Case(r"L = 1/2 x^\top A x", "x[d] A[d,d]", lambda x, a: x @ a @ x / 2),
    Case(r"E = 1/2 m v", "m v[d]", lambda m, v: m * v / 2),
    Case(r"y = 1/2mv", "m v", lambda m, v: 1 / (2 * m * v)),
    Case(r"r = a + (b \bmod m)", "a b m+", lambda a, b, m: a + b % m),
    Case(r"r = a - b \mod m", "a b m+", lambda a, b, m: (a - b) % m),
    Case(r"r = a b \bmod m", "a b m+", lambda a, b, m: a * b % m),
    Case(r"y = a - b - c", "a b c", lambda a, b, c: a - b - c),
    Case(r"y = a - (b - c)", "a b c", lambda a, b, c: a - b + c),
    Case(r"y = a / b / c", "a b c", lambda a, b, c: a / b / c),
    Case(r"y = -x^2", "x", lambda x: -(x**2)),
    Case(r"y = (-x)^2", "x", lambda x: x**2),
    Case(r"y = -x^2 + 1", "x", lambda x: 1 - x**2),
    Case(r"y = 2^{-n}", "n", lambda n: 2.0**-n),
    Case(r"y = 1/2^n", "n", lambda n: 1 / 2.0**n),
    Case(r"y = a^{b^c}", "a+ b+ c", lambda a, b, c: a ** (b**c)),
    Case(r"y = e^{-x}/2", "x", lambda x: np.exp(-x) / 2),
    Case(r"y = e^{-x^2/2}", "x", lambda x: np.exp(-(x**2) / 2)),
    Case(r"y = e^x y_0", "x y_0", lambda x, y: np.exp(x) * y),
    Case(r"y = \frac12 x", "x", lambda x: x / 2),
    Case(r"y = \frac1{2x}", "x", lambda x: 1 / (2 * x)),
    Case(r"y = x\frac{a}{b}c", "x a b c", lambda x, a, b, c: x * a / b * c),
    Case(r"y = 2\frac{1}{x}", "x", lambda x: 2 / x),
    Case(r"y = a \cdot -b", "a b", lambda a, b: -a * b),
    Case(r"y = a b^2", "a b", lambda a, b: a * b**2),
    Case(r"y = (ab)^2", "a b", lambda a, b: (a * b) ** 2),
    Case(r"y = 3x^2z", "x z", lambda x, z: 3 * x**2 * z),
    Case(r"y = x_0^2", "x_0", lambda x: x**2),
    Case(r"y = 1 - x(1 - x)", "x", lambda x: 1 - x * (1 - x)),
    Case(r"y = (1 - x)(1 + x)", "x", lambda x: 1 - x**2),
    Case(r"y = a(b + c)x", "a b c x", lambda a, b, c, x: a * (b + c) * x),
    Case(r"y = \frac{a}{b}/\frac{c}{d}", "a b c d", lambda a, b, c, d: a / b / (c / d)),
    Case(r"y = \frac{a + b}{c} - d", "a b c d", lambda a, b, c, d: (a + b) / c - d),
    Case(r"y = \sqrt{a} b", "a+ b", lambda a, b: np.sqrt(a) * b),
    Case(r"y = \sqrt{a b}", "a+ b+", lambda a, b: np.sqrt(a * b)),
    Case(r"y = \sqrt a + b", "a+ b", lambda a, b: np.sqrt(a) + b),
    Case(r"y = \sqrt[3]{x}", "x+", lambda x: x ** (1 / 3)),
    Case(r"y = x^{1/2}", "x+", np.sqrt),
    Case(r"y = x^{-1/2}", "x+", lambda x: x**-0.5),
    Case(r"y = x^{-\frac{1}{2}} z", "x+ z", lambda x, z: z / np.sqrt(x)),
    Case(r"y = x^{2/3}", "x+", lambda x: x ** (2 / 3)),
    Case(r"y = 10^{-3}x", "x", lambda x: x / 1000),
    Case(r"y = 2^{62} x", "x", lambda x: 2.0**62 * x),
    Case(r"y = 2^{63} x", "x", lambda x: 2.0**63 * x),
    Case(r"y = x / (-10)^{21} + 1", "x", lambda x: 1 - x / 1e21),
    Case(r"y = 100000000000000000000 x", "x", lambda x: 1e20 * x),
    Case(r"y = 10^{300} - 10^{-300} + x", "x", lambda x: 1e300 + x),
    Case(r"y = |x|", "x", np.abs),
    Case(r"y = |a - b| c", "a b c", lambda a, b, c: abs(a - b) * c),
    Case(r"y = a|b|c|d|", "a b c d", lambda a, b, c, d: a * abs(b) * c * abs(d)),
    Case(r"y = \lfloor x \rfloor + 1", "x", lambda x: np.floor(x) + 1),
    Case(r"y = a \bmod 3", "a", lambda a: np.mod(a, 3)),
    Case(r"y = 1.5 \times 10^{-2} x", "x", lambda x: 0.015 * x),
    # Braces are not seen, and are no parentheses; those below a sum only say what it is.
    Case(r"y = a - {b - c}", "a b c", lambda a, b, c: a - b - c),
    Case(
        r"y = a - \underbrace{b - c + d}_{\text{rest}}", "a b c d", lambda a, b, c, d: a - b - c + d
    ),
    Case(r"y = -{b - c}", "b c", lambda b, c: -b - c),
    Case(r"y = a - (b - c)", "a b c", lambda a, b, c: a - (b - c)),
    Case(
        r"y = \cos (a - b)\theta - \sin (a - b)\theta",
        "a b theta",
        lambda a, b, t: np.cos((a - b) * t) - np.sin((a - b) * t),
    ),
    Case(r"y = \cos(a - b) z", "a b z", lambda a, b, z: np.cos(a - b) * z),
    Case(r"w = 4 (1 - s) \, 2^{1-j} \, r", "s j r", lambda s, j, r: 4 * (1 - s) * 2 ** (1 - j) * r),
)
def test_numbers(case: Case) -> None:
    check(case, declared=True)


@table(
    Case(r"y = \sin^2 x", "x", lambda x: np.sin(x) ** 2),
    Case(r"y = \sin x^2", "x", lambda x: np.sin(x**2)),
    Case(r"y = \sin(x)^2", "x", lambda x: np.sin(x) ** 2),
    Case(r"y = \sin 2x", "x", lambda x: np.sin(2 * x)),
    Case(r"y = \sin x \cos z", "x z", lambda x, z: np.sin(x) * np.cos(z)),
    Case(r"y = \sin(x) z", "x z", lambda x, z: np.sin(x) * z),
    Case(r"y = \sin x + z", "x z", lambda x, z: np.sin(x) + z),
    Case(r"y = \sin(x + z)/2", "x z", lambda x, z: np.sin(x + z) / 2),
    Case(r"y = x \sin z", "x z", lambda x, z: x * np.sin(z)),
    Case(r"y = \log x z", "x+ z+", lambda x, z: np.log(x * z)),
    Case(r"y = \log(x) z", "x+ z", lambda x, z: np.log(x) * z),
    Case(r"y = \log x - \log z", "x+ z+", lambda x, z: np.log(x) - np.log(z)),
    Case(r"y = \log_2 x", "x+", np.log2),
    Case(r"y = \log_{10}(x)", "x+", np.log10),
    Case(r"y = \ln(x)/2", "x+", lambda x: np.log(x) / 2),
    Case(r"y = \log \frac{a}{b}", "a+ b+", lambda a, b: np.log(a / b)),
    Case(r"y = \log\left(1 + e^x\right)", "x", lambda x: np.log1p(np.exp(x))),
    Case(r"y = \exp(-x)^2", "x", lambda x: np.exp(-2 * x)),
    Case(r"y = \exp(x)/2", "x", lambda x: np.exp(x) / 2),
    Case(r"y = \tanh^2(x)", "x", lambda x: np.tanh(x) ** 2),
    Case(r"y = \max(a, b) c", "a b c", lambda a, b, c: max(a, b) * c),
    Case(r"y = \min(a, \max(b, c))", "a b c", lambda a, b, c: min(a, max(b, c))),
    Case(r"y = \frac{1}{1 + e^{-x}}", "x", lambda x: 1 / (1 + np.exp(-x))),
    Case(r"y = \sqrt{1 + \cos x}", "x", lambda x: np.sqrt(1 + np.cos(x))),
)
def test_functions(case: Case) -> None:
    check(case, declared=True)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"E = 1/2 m v", "the number alone"),
        (r"E = 1/2mv", "all that stands behind"),
        (r"y_i = x_i / n \sum_j z_j", "before what is summed"),
        (r"y = 1/n \sum_{i=1}^n x_i", ""),
        (r"y = x / 2n", ""),
    ],
)
def test_where_a_slash_ends_is_told(latex: str, told: str) -> None:
    messages = [one.message for one in compile_formula(latex).diagnostics]
    assert [told in message for message in messages if "slash" in message] == [True] * bool(told)
