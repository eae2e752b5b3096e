"""Letters of arrays that are taken to be numbers: the author is told, once a formula."""

from __future__ import annotations

from math import erf

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table

MANY = " are taken to be numbers"
ONE = " is taken to be a number"


def _told(latex: str, context: str = "") -> list[str]:
    found = compile_formula(latex, context=context).diagnostics
    return [one.message for one in found if one.message.endswith((MANY, ONE))]


# Statistics are made of means, spreads and counts; a density is one of a number.
@table(
    Case(
        r"z = \frac{\bar u_1 - \bar u_2}{\sqrt{\frac{v_1^2}{n_1} + \frac{v_2^2}{n_2}}}",
        "u_1_bar u_2_bar v_1 n_1+ v_2 n_2+",
        lambda u, w, v, n, s, m: (u - w) / np.sqrt(v**2 / n + s**2 / m),
    ),
    Case(
        r"z = \frac{\bar u - \mu_0}{s / \sqrt{n}}",
        "u_bar mu_0 s n+",
        lambda u, mu, s, n: (u - mu) / (s / np.sqrt(n)),
    ),
    Case(
        r"g = a \Phi(Z) + \sigma \phi(Z)",
        "a Z sigma phi()",
        lambda a, z, s, phi: a * (1 + erf(z / np.sqrt(2))) / 2 + s * phi(z),
    ),
    Case(
        r"u = 1 - \frac{\text{SU}_{\text{in}}}{\text{SU}_{\text{all}}}",
        "SU_in SU_all+",
        lambda a, b: 1 - a / b,
    ),
    Case(r"u = \frac{\text{seen}}{2 \, \text{kept}}", "seen kept+", lambda a, b: a / (2 * b)),
    Case(r"u = \frac{\text{logits}}{\text{scale}}", "logits[n,m] scale+", lambda a, b: a / b),
    Case(
        r"u = \mathrm{round}(X \cdot \text{scale} + \text{zero\_point})",
        "X[n,d] scale zero_point",
        lambda x, s, z: np.round(x * s + z),
    ),
    Case(r"z_{\text{big}} = s \cdot z", "s z[d]", lambda c, z: c * z),
    Case(
        r"T_{\text{all}} = T_{\text{load}} + T_{\text{wait}}", "T_load T_wait", lambda a, b: a + b
    ),
    Case(
        r"\text{Mark} = \max(0, (\text{Style Mark} + \text{Fact Mark}) - \text{Length Penalty})",
        "Style_Mark Fact_Mark Length_Penalty",
        lambda a, b, c: max(0, a + b - c),
    ),
    Case(
        r"u = \text{logits} - \text{mask penalty}",
        "logits[n,m] mask_penalty",
        lambda a, b: a - b,
    ),
    Case(
        r"u = \frac{\text{Parts Seen}}{\max(\text{Known Parts}, 1)}",
        "Parts_Seen Known_Parts",
        lambda a, b: a / max(b, 1),
    ),
    Case(r"u = T_a / T_p", "T_a T_p+", lambda a, b: a / b),
    Case(r"u_i = w_i - \log k", "w[n] k+", lambda w, k: w - np.log(k)),
    Case(r"u = A + \frac{B}{D^\beta}", "A B D+ beta", lambda a, b, d, k: a + b / d**k),
    Case(r"u = \left(\frac{D_0}{D}\right)^\beta", "D_0+ D+ beta", lambda e, d, k: (e / d) ** k),
)
def test_numbers_of_statistics(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "names"),
    [
        (r"U = B T H \times 8", "`B`, `T` and `H`"),
        (r"N = H W", "`H` and `W`"),
        (r"G = 5 N D", "`N` and `D`"),
        (r"T_{total} = T_{in} + 3 N T_{out}", "`T_{in}`, `N` and `T_{out}`"),
        (r"MR = AC \cdot BC", "`AC` and `BC`"),
        (r"u = \frac{\text{SUB}}{\text{ALL}}", "`\\text{SUB}`"),
        (r"z_{\text{big}} = s \cdot z", "`s`"),
        (r"y(t) = y_0 e^{-t / \tau}", "`y_0`"),
        (r"z = s \cdot (q - o)", "`s`"),
        (r"u = \prod_{k=1}^{n} E_k", "`E_k`"),
        (r"y = x \gamma + b", "`\\gamma`"),  # a number would stand before the vector
        (r"g(h) = h + U \tanh(D h)", "`D`"),
        (r"U = e^{S - m} V", "`m`"),  # each row of S may have one
        (r"u = \log_B x", "`B`"),
        (r"L = \log p(x|z) - \beta D_{KL}", "`D_{KL}`"),  # a divergence counts no features
    ],
)
def test_what_only_its_letter_makes_a_number_is_told(latex: str, names: str) -> None:
    assert _told(latex) == [names + (MANY if "and" in names else ONE)]


@pytest.mark.parametrize(
    ("latex", "context"),
    [
        (r"N = H W", r"H, W \in \mathbb{R}"),
        (r"G = 5 N D", r"N, D \in \mathbb{R}"),
        (
            r"G = 5 N D",
            "Here $N$ is the number of weights and $D$ the length of the text, a number.",
        ),
        (r"G = 5 N D", "where $N$ and $D$ are scalars"),
        (r"u = \prod_{k=1}^{n} E_k", r"E_k \in \mathbb{R}"),
        (r"z = s \cdot (q - o)", "with a scalar $s$"),
    ],
)
def test_what_the_note_says_is_not_told(latex: str, context: str) -> None:
    assert not _told(latex, context)


@pytest.mark.parametrize(
    "latex",
    [
        # A word on the left, or of what is counted, says it.
        r"\text{FLOPs} = 3 M N + K",
        r"\text{cost} = B \cdot S / T",
        r"y = \mathrm{TopK}(x, k)",
        # There is no other reading.
        r"F_2 = \frac{5 P R}{4 P + R}",
        r"y = \beta^{L-1} W x",
        # The usual letters.
        r"p = \mathrm{softmax}(z / T)",
        r"y = \frac{x}{\sqrt{D}}",
        r"p = \prod_{i=1}^{n} P_i",
        r"m = \frac{1}{N} \sum_{i=1}^{N} x_i",
        r"Y = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}}) V",
    ],
)
def test_what_cannot_be_an_array_is_not_told(latex: str) -> None:
    assert not _told(latex)


@table(
    Case(r"N = H W", "H W", lambda h, w: h * w),
    Case(r"N = H W", "H[n,d] W[d,m]", np.matmul, context=r"H \in \mathbb{R}^{n \times d}"),
    Case(
        r"g(h) = h + U \tanh(D h)",
        "h[d] U[d,r] D[r,d]",
        lambda h, u, d: h + u @ np.tanh(d @ h),
        context=r"D \in \mathbb{R}^{r \times d}",
    ),
)
def test_a_declared_shape_decides(case: Case) -> None:
    check(case)


def test_a_document_that_functions_are_given_counts_nothing() -> None:
    formula = compile_formula(r"u(t, d) = f(t, d) \, g(t)")
    assert {one.name: one.kind for one in formula.inputs}["d"] == "array"
    found = formula.reference(t=2.0, d=0.5, f=lambda t, d: t - d, g=lambda t: 3 * t)
    np.testing.assert_allclose(found, 1.5 * 6)


@table(
    Case(r"r_j = z_j \cos(k \omega_j)", "z[n,d] k omega[n]", lambda z, k, w: turned(z, k, w)),
    Case(r"r_j = \cos(\omega_j k)", "omega[n] k", lambda w, k: np.cos(w * k)),
    Case(
        r"r_j = z_j \cos k \omega_j + \sin k \omega_j",
        "z[n] k omega[n]",
        lambda z, k, w: z * np.cos(k * w) + np.sin(k * w),
    ),
)
def test_what_multiplies_each_angle_is_a_number(case: Case) -> None:
    check(case)
    assert _told(case.latex) == [f"`k`{ONE}"]


def turned(z: np.ndarray, k: float, angles: np.ndarray) -> np.ndarray:
    return z * np.cos(k * angles)[:, None]


def test_a_key_beside_an_angle_is_a_vector() -> None:
    f = compile_formula(r"r_j = q^\top k \cos(k \omega_j)")
    assert {one.name: len(one.shape) for one in f.inputs} == {"q": 1, "k": 1, "omega": 1}


@table(
    Case(r"y = a f(x) + b g(x)", "a x[d] f() b g()", lambda a, x, f, b, g: a * f(x) + b * g(x)),
    # Nor is the base that angles are powers of.
    Case(
        r"w_j = r^{-2j/d}, \quad r = b \cdot \lambda^{d/(d-2)}",
        "b+ lambda_+ d# n#",
        lambda b, s, d, n: (b * s ** (d / (d - 2))) ** (-2 * np.arange(n) / d),
    ),
)
def test_what_multiplies_a_function_or_a_power_of_sizes_is_no_bias(case: Case) -> None:
    check(case)
    assert _told(case.latex) == [f"`b`{ONE}"]


@table(
    # A bias, or any vector, may be multiplied by what a function gives and by a power.
    Case(r"h = A x + b g(t)", "A[n,d] x[d] b[n] t g()", lambda a, x, b, t, g: a @ x + b * g(t)),
    Case(r"u = h c^{d/(d-1)}", "h[n] c+ d#", lambda h, c, d: h * c ** (d / (d - 1))),
    # Nor do two logarithms say that they are of one kind.
    Case(r"r = \log p - \log q", "p+ q+[d]", lambda p, q: np.log(p) - np.log(q)),
)
def test_what_stands_beside_a_function_or_a_power_may_be_an_array(case: Case) -> None:
    check(case)


def test_a_factor_close_to_a_function_that_is_given_more_is_no_word() -> None:
    f = compile_formula(r"u = g(x) + tg(x, t)")
    assert {one.name for one in f.inputs} == {"x", "t", "g"}


# A partition function is a number, and so is what multiplies its logarithm.
@table(
    Case(r"G = -c T \ln Z", "c T Z+", lambda c, t, z: -c * t * np.log(z)),
    # Near misses: what has another letter, matrices that are declared, and one that is transposed.
    Case(
        r"G = -T \ln Z",
        "T[n,d] Z+[d,m]",
        lambda t, z: -t @ np.log(z),
        context=(r"T \in \mathbb{R}^{n \times d}", r"Z \in \mathbb{R}^{d \times m}"),
    ),
    Case(
        r"y = A \log(\alpha)",
        "A[n,d] alpha+[d]",
        lambda a, alpha: a @ np.log(alpha),
        context=(r"\alpha = \mathrm{softmax}(x)",),
    ),
    Case(r"G = A^\top \log(B^\top)", "A[n,d] B+[m,n]", lambda a, b: a.T @ np.log(b.T)),
)
def test_numbers_beside_logarithms(case: Case) -> None:
    check(case)


def test_targets_and_outputs_beside_a_logarithm_are_a_cross_entropy() -> None:
    assert compile_formula(r"L = -T \cdot \log(O)").component == "cross_entropy"


def test_that_letters_beside_a_logarithm_are_numbers_is_told() -> None:
    assert _told(r"G = -T \ln Z") == ["`T` and `Z`" + MANY]


@table(
    Case(r"\omega_d = b^{-2d/|D|}", "b+ d# D#", lambda b, d, n: b ** (-2 * d / n)),
    Case(r"f = g^{2/d}", "g+ d#", lambda g, d: g ** (2 / d)),
    # Near miss: a vector by its letter.
    Case(r"u = x^{1/d}", "x+[d]", lambda x: x ** (1 / len(x))),
)
def test_a_base_of_frequencies_is_a_number(case: Case) -> None:
    check(case)


@table(
    Case(r"u = \max(r, g, b)", "r g b", max),
    Case(r"u = \min(b, c)", "b c", min),
    # Near misses: what bounds a vector is a number, and a vector beside its bias.
    Case(r"u = \max(x, c)", "x[d] c", np.maximum),
    Case(r"u = \max(x, b)", "x[d] b[d]", np.maximum),
)
def test_a_bias_is_none_among_numbers(case: Case) -> None:
    check(case)


@table(
    Case(
        r"p_2 = \frac{e^{z_2}}{\sum_i e^{z_i}}",
        "z_2 z[n]",
        lambda a, z: np.exp(a) / np.exp(z).sum(),
    ),
    Case(
        r"a_1 = \frac{\exp(e_1)}{\sum_{j=1}^n \exp(e_j)}",
        "e_1 e[n]",
        lambda a, e: np.exp(a) / np.exp(e).sum(),
    ),
    Case(r"y_3 = x_3 - \frac{1}{n} \sum_i x_i", "x_3[d] x[n,d]", lambda a, x: a - x.mean(0)),
)
def test_what_has_a_number_beside_others_is_of_their_kind_and_told(case: Case) -> None:
    check(case)
    told = [one.message for one in compile_formula(case.latex).diagnostics]
    assert len(told) == 1 and "is an input of its own, and not taken from" in told[0]


def test_of_such_a_one_the_name_is_told_and_not_its_power() -> None:
    (told,) = compile_formula(r"s = r_1^2 + \sum_i r_i^2").diagnostics
    assert told.message.startswith("`r_1` is an input of its own, and not taken from the `r_i`")


@pytest.mark.parametrize(
    "latex",
    [
        r"y = \sum_i w_i x_i + w_0",  # a bias
        r"h_i = W_2 \mathrm{ReLU}(W_1 x_i)",
        r"y = g_1 x + g_2 z",
    ],
)
def test_a_bias_and_labels_are_not_told(latex: str) -> None:
    assert not any("of its own" in one.message for one in compile_formula(latex).diagnostics)


def test_a_set_that_is_named_twice_is_no_member_of_itself() -> None:
    weights = r"\hat{g}_i(z) = \frac{g_i(z)}{\sum_{k \in \mathcal{S}(z)} g_k(z)}"
    mixed = r"\mathrm{Mix}(z_t) = \sum_{i \in \mathcal{S}(z_t)} \hat{g}_i(z_t) \mathrm{FFN}_i(z_t)"
    told = [one.message for one in compile_formula(mixed, context=[weights]).diagnostics]
    assert not any("of its own" in text for text in told)


@pytest.mark.parametrize(
    ("latex", "number", "whole"),
    [
        (r"\Delta w_i = \eta (y - \hat y) x_i", "x_i", r"\eta (y - \hat y)"),
        (r"c = \sum_i s_i v", "s_i", "v"),
        (r"C_t = \alpha_t V", r"\alpha_t", "V"),
        (r"O_i = a_i H", "a_i", "H"),
    ],
)
def test_an_element_that_scales_a_vector_is_told(latex: str, number: str, whole: str) -> None:
    told = [one.message for one in compile_formula(latex).diagnostics]
    assert told == [f"`{number}` is taken to be a number, which scales all of `{whole}`"]


@pytest.mark.parametrize(
    "latex", [r"c = \sum_i s_i v_i", r"z_i = u a_i", r"y_i = W x_i", r"z_i = \alpha_i h"]
)
def test_an_element_beside_another_is_not_told(latex: str) -> None:
    assert not any("scales all of" in one.message for one in compile_formula(latex).diagnostics)


@pytest.mark.parametrize(
    ("latex", "word"),
    [
        (r"s = \log(P(Y|X)) / lp(Y)", "lp"),
        (r"y = x + sa(x)", "sa"),
        (r"u = \tanh(r(x)) + ce(y, x)", "ce"),
        (r"y = a p(x) + b q(x)", ""),
        (r"y = xf(x)", ""),
        (r"y = c x + cg(x)", ""),
    ],
)
def test_two_letters_before_parentheses_are_told(latex: str, word: str) -> None:
    told = [one.message for one in compile_formula(latex).diagnostics]
    taken = [text for text in told if " times a function " in text]
    assert taken == [
        f"`{word}` is taken for `{word[0]}` times a function `{word[1]}`" for _ in word[:1]
    ]


@pytest.mark.parametrize(
    ("latex", "context", "told"),
    [
        (r"F = -\frac{1}{\beta} \ln Z", "", True),
        (r"S = k \log W", "", True),
        (r"F = -\frac{1}{\beta} \ln Z", r"Z \in \mathbb{R}", False),
        (r"Y = \log X", r"X \in \mathbb{R}^{n \times d}", False),
        (r"P = \mathrm{softmax}(X A), \quad U = \log P", "", False),
    ],
)
def test_a_matrix_by_its_capital_alone_is_told_below_a_logarithm(
    latex: str, context: str, told: bool
) -> None:
    found = compile_formula(latex, context=context).diagnostics
    assert any("to be a matrix: each element" in one.message for one in found) == told
