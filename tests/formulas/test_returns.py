"""Returns and advantages: sums over what lies ahead, discounted."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from numpy.typing import NDArray

from notes2code import FormulaError, compile_formula
from tables import Case, check, table

Array = NDArray[np.float64]


def ahead(rewards: Array, rate: float, last: float = 0.0) -> Array:
    """Each reward and, discounted, all that come behind it."""
    found = []
    for reward in rewards[::-1]:
        last = reward + rate * last
        found.append(last)
    return np.array(found[::-1])


@table(
    # Rewards are numbers, and a rate is raised to the T that ends their sum.
    Case(
        r"G = \sum_{t=0}^{T-1} \gamma^t r_t",
        "gamma+ r[T]",
        lambda g, r: (g ** np.arange(len(r)) * r).sum(),
    ),
    Case(
        r"R = \sum_{t=0}^{T-1} \gamma^t r_t + \gamma^T v",
        "gamma+ r[T] v",
        lambda g, r, v: (g ** np.arange(len(r)) * r).sum() + g ** len(r) * v,
    ),
    Case(r"\hat m = \frac{m}{1 - \beta^T}", "m beta+ T", lambda m, b, t: m / (1 - b**t)),
    # What no G, R or V is made of, and what stands beside more than a γ, may be no rewards.
    Case(
        r"y = \sum_{m=1}^M \gamma^m R_m q",
        "gamma+ R[M,n,d] q[d]",
        lambda g, r, q: g ** np.arange(1, len(r) + 1) @ (r @ q),
    ),
    Case(
        r"G = \sum_{k=1}^K \gamma^k r_k W",
        "gamma+ r[K,d] W[d,p]",
        lambda g, r, w: g ** np.arange(1, len(r) + 1) @ r @ w,
    ),
    Case(
        r"h = \sum_{k=1}^K \gamma^k r_k",
        "gamma+ r[K,d]",
        lambda g, r: g ** np.arange(1, len(r) + 1) @ r,
    ),
    # Where a range ends at a small letter, that is a place, also if a sum ends there.
    Case(
        r"A_{i:j} = \prod_{k=i}^j a_k",
        "a[d]",
        lambda a: np.array([[a[i : j + 1].prod() for j in range(len(a))] for i in range(len(a))]),
    ),
    Case(r"\gamma_{1:t} = \prod_{s=1}^t \gamma_s", "gamma[d]", np.cumprod),
    Case(
        r"S_{1:t} = \sum_{s=1}^t k_s v_s^\top",
        "k[m,e] v[m,f]",
        lambda k, v: np.cumsum(k[:, :, None] * v[:, None], axis=0),
    ),
    Case(r"p(x_{1:t}) = \prod_{i=1}^t p(x_i \mid x_{<i})", "p[d]", np.cumprod),
    # To the end of what is there, whether the sum says where that is or has no end.
    Case(
        r"A_t = \sum_{l=0}^{\infty} (\gamma \lambda)^l \delta_{t+l}",
        "gamma lambda_ delta[n]",
        lambda g, s, d: ahead(d, g * s),
    ),
    Case(
        r"\hat A_t = \sum_{i=0}^{T-t-1} \gamma^i r_{t+i}",
        "gamma r[n]",
        lambda g, r: ahead(r, g),
    ),
    Case(
        r"G_t = \sum_{l=0}^{T-t} \gamma^l r_{l+t}",
        "gamma r[n]",
        lambda g, r: ahead(r, g),
    ),
    # The first reward of a place may be the next one.
    Case(
        r"G_t = \sum_{k=0}^{\infty} \gamma^k R_{t+k+1}",
        "gamma R[n]",
        lambda g, r: ahead(r, g),
    ),
    Case(
        r"R_t = \sum_{l=1}^{\infty} \gamma^{l-1} r_{t+l}",
        "gamma r[n]",
        lambda g, r: np.append(ahead(r, g)[1:], 0),
    ),
    # Dots for the sum: to the end of what is there, or up to a last item.
    Case(
        r"G_t = R_{t+1} + \gamma R_{t+2} + \gamma^2 R_{t+3} + \dots",
        "gamma R[n]",
        lambda g, r: ahead(r, g),
    ),
    Case(
        r"A_t = \delta_t + (\gamma\rho) \delta_{t+1} + (\gamma\rho)^2 \delta_{t+2} + \cdots",
        "gamma rho delta[n]",
        lambda g, s, d: ahead(d, g * s),
    ),
    Case(
        r"A_t = \delta_t + \gamma\rho \delta_{t+1} + \dots + (\gamma\rho)^{T-t-1} \delta_{T-1}",
        "gamma rho delta[n]",
        lambda g, s, d: ahead(d, g * s),
    ),
    Case(
        r"A_t = r_t + \gamma r_{t+1} + \gamma^2 r_{t+2} + \dots - v_t",
        "gamma r[n] v[m]",
        lambda g, r, v: ahead(r, g)[: len(v)] - v,
    ),
    Case(
        r"y_t = \gamma r_{t+1} + \gamma^2 r_{t+2} + \dots",
        "gamma r[n]",
        lambda g, r: ahead(r, g) - r,
    ),
    # What a step makes of it says the same again.
    Case(
        r"G_t = r_t + \gamma r_{t+1} + \gamma^2 r_{t+2} + \dots = r_t + \gamma G_{t+1}",
        "gamma r[n]",
        lambda g, r: ahead(r, g),
    ),
    # What is added to it is a number, too.
    Case(
        r"A_t = \sum_{l=0}^{T-t-1} \gamma^l r_{t+l} + \gamma^{T-t} v_T - v_t",
        "gamma r[n] v_T v[n]",
        lambda g, r, last, v: ahead(r, g, last) - v,
    ),
    # One step back, of numbers.
    Case(r"G_t = r_t + \gamma G_{t+1}", "r gamma G", lambda r, g, last: r + g * last),
    Case(
        r"\delta_t = r_t + \gamma V_{t+1} - V_t",
        "r[n] gamma V[n+1]",
        lambda r, g, v: r + g * v[1:] - v[:-1],
    ),
    Case(
        r"A_t = \delta_t + \gamma \lambda A_{t+1}",
        "delta gamma lambda_ A",
        lambda d, g, s, last: d + g * s * last,
    ),
    # So many steps, from each place that has as many behind it.
    Case(
        r"A_t = \sum_{l=0}^{k-1} \gamma^l r_{t+l}",
        "gamma r[n+k-1] n# k#",
        lambda g, r, n, k: np.array([r[t : t + k] @ g ** np.arange(k) for t in range(n)]),
    ),
    Case(
        r"y_i = \sum_{j=1}^{k} w_j s_{i+j-1}",
        "w[k] s[n+k-1,d]",
        lambda w, s: np.array([w @ s[i : i + len(w)] for i in range(len(s) - len(w) + 1)]),
    ),
    # Near misses: what decays with the time behind it may be anything, and an l above a weight
    # tells whose it is.
    Case(
        r"S_n = \sum_{m=1}^{n} \gamma^{n-m} k_m v_m^\top",
        "gamma k[n,d] v[n,e]",
        lambda g, k, v: np.array(
            [sum(g ** (n - m) * np.outer(k[m], v[m]) for m in range(n + 1)) for n in range(len(k))]
        ),
    ),
    Case(
        r"P_l = C_l + \gamma P_{l+1}",
        "C[n,d] gamma P[n,d]",
        lambda c, g, p: c + g * p,
    ),
    Case(r"y = \sum_{l=1}^{L} \gamma^l h_l", "gamma[L] h[L,d]", lambda g, h: g @ h),
    # A list has a mean and a deviation by whatever letters: none is a factor, or an activation.
    Case(
        r"\hat{B}_k = \frac{s_k - \mu(\{s_m\}_{m=1}^{K})}{\sigma(\{s_m\}_{m=1}^{K}) + c}",
        "s[K] c+",
        lambda s, c: (s - s.mean()) / (s.std() + c),
    ),
    Case(
        r"z_i = \frac{v_i - \mu(\{v_1, \dots, v_M\})}{\sigma(\{v_1, \dots, v_M\})}",
        "v[M]",
        lambda v: (v - v.mean()) / v.std(),
    ),
)
def test_values(case: Case) -> None:
    check(case)


def test_which_deviation_a_sigma_is_taken_for_is_told() -> None:
    formula = compile_formula(r"g_i = \frac{s_i - \mu(\{s_m\}_{m=1}^K)}{\sigma(\{s_m\}_{m=1}^K)}")
    assert ["1/n" in problem.message for problem in formula.diagnostics] == [True]


@pytest.mark.parametrize(("below", "refused"), [("K - 1", True), ("K", False)])
def test_the_deviation_that_a_note_defines_is_no_other(below: str, refused: bool) -> None:
    made = r"\sigma(\{s_m\}_{m=1}^K) = \sqrt{\frac{1}{BELOW} \sum_{m=1}^K (s_m - \mu)^2}"
    latex = r"g_i = \frac{s_i - \mu(\{s_m\}_{m=1}^K)}{\sigma(\{s_m\}_{m=1}^K)}"
    with pytest.raises(FormulaError, match="another deviation") if refused else nullcontext():
        compile_formula(latex, context=[made.replace("BELOW", below)])


def test_labels_with_arguments() -> None:
    found = compile_formula(r"A_t^{\mathrm{GAE}(\gamma, \lambda)} = \delta_t + \gamma \lambda a_t")
    assert found.equation.name == "A_GAE_gamma_lambda"


@pytest.mark.parametrize(
    "latex",
    [
        r"y_i = \sum_{j=1}^{i} w_j x_{i+j}",  # it ends nowhere near the end of what is there
        r"y_t = \sum_{l=0}^{k-1} w_l x_{t+l} + x_t",  # there are not as many x_t
        r"y_i = \sum_{j=1}^{k} w_j x_{i+j+c}",
        r"G_t = r_t + \gamma r_{t+2} + \gamma^2 r_{t+4} + \dots",
        r"G_t = r_t + \gamma r_{t+1} + \gamma^3 r_{t+2} + \dots",
        r"G_t = r_t + \gamma r_{t+1} + \gamma^2 r_{t+2} + \dots + \gamma^n V_{t+n}",
        r"G_t = r_t + \gamma r_{t+1} + \dots + v_t",
    ],
)
def test_refused(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)


def test_a_last_item_that_is_none_of_these() -> None:
    latex = r"A_t = d_t + (\gamma\rho) d_{t+1} + \cdots + (\gamma\rho)^{T-t+1} d_{T-1}"
    with pytest.raises(FormulaError, match="none of those") as raised:
        compile_formula(latex)
    assert "T - t - 1" in raised.value.diagnostics[-1].help


def test_what_has_no_end_goes_over_all_that_there_is_and_that_is_told() -> None:
    formula = compile_formula(r"G = \sum_{t=0}^\infty \gamma^t r_t", shapes={"r": ("n",)})
    assert [one.code for one in formula.diagnostics] == ["N2C039"]
    np.testing.assert_allclose(formula.reference(gamma=0.5, r=[1.0, 2.0, 4.0]), 3.0)


def test_a_chain_of_densities_is_a_number_and_the_end_of_its_range_how_many_there_are() -> None:
    latex = r"p_\theta(x_{0:T}) = p(x_T) \prod_{t=1}^T p_\theta(x_{t-1} | x_t)"
    formula = compile_formula(latex)
    steps = np.array([0.5, 0.2, 3.0])
    found = formula.reference(p=np.sum, x_T=np.array([1.0, 4.0]), p_theta=steps)
    np.testing.assert_allclose(found, 5 * 0.3)


@pytest.mark.parametrize(
    ("latex", "rank"),
    [
        (r"q = W_q p(x)", 1),
        (r"q_i = W_q p(x_i)", 2),
        (r"p = \sigma(W_2 q(x))", 1),
        (r"p = \mathrm{softmax}(W P(x))", 1),
        (r"p_\theta(x) = W p(x)", 1),
    ],
)
def test_a_function_beside_a_p_that_is_no_chain_keeps_the_shape(latex: str, rank: int) -> None:
    formula = compile_formula(latex)
    (told,) = [one for one in formula.diagnostics if one.code == "N2C030"]
    assert told.message.endswith("taken to keep the shape of its argument")
    assert len(formula.shape) == rank


def test_that_a_capital_is_a_reward_of_an_objective_is_told() -> None:
    formula = compile_formula(r"J = \sum_t \gamma^t R_t")
    told = [one.message for one in formula.diagnostics if one.code == "N2C039"]
    assert told == ["`R_t` is taken to be a number"]
