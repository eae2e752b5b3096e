"""Times above names: ``h^{t-1}`` is the state before, wherever a time stands above names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from notes2code import compile_formula
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.vault import read_vault
from tables import Case, check, table


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@table(
    Case(
        r"g^t = \sigma(U_g h^{t-1} + V_g x^t + b_g)",
        "U_g[e,d] h[n,d] V_g[e,k] x[n,k] b_g[e]",
        lambda u, h, v, x, b: sigmoid(h @ u.T + x @ v.T + b),
    ),
    Case(
        r"\hat s^t = \tanh(W s^{t-1} + b)",
        "W[e,d] s[d] b[e]",
        lambda w, s, b: np.tanh(w @ s + b),
    ),
    Case(
        r"v^k = A x^{k-1}",
        "A[e,d] x[n,d]",
        lambda a, x: x @ a.T,
    ),
    # A formula that names no time on the left is one step.
    Case(
        r"z = \tanh(W [x^t; h^{t-1}])",
        "W[e,d+k] x[d] h[k]",
        lambda w, x, h: np.tanh(w @ np.concatenate([x, h])),
    ),
    Case(r"h^{t-1'} = h^{t-1} \odot r", "h[d] r[d]", lambda h, r: h * r),
    # What is 1 less a power below a line corrects a bias.
    Case(
        r"\hat s_k = \frac{s_k}{1 - \delta^k}",
        "s[n,d] delta",
        lambda s, d: s / (1 - d ** np.arange(1, len(s) + 1))[:, None],
    ),
    Case(
        r"h^t = (1 - z^t) \odot h^{t-1}",
        "z[d] h[d]",
        lambda z, h: (1 - z) * h,
    ),
    # Near misses: powers of rates and of numbers.
    Case(
        r"m^t = \beta^{t-1} m_1",
        "beta m_1 n#",
        lambda beta, m, n: beta ** np.arange(n) * m,
    ),
    Case(
        r"f(x) = \sum_{k=1}^n a_k x^{k-1}",
        "x a[n]",
        lambda x, a: sum(number * x**k for k, number in enumerate(a)),
    ),
    Case(
        r"P_t = p (1 - p)^{t-1}",
        "p+ n#",
        lambda p, n: p * (1 - p) ** np.arange(n),
    ),
)
def test_value(case: Case) -> None:
    check(case)


@table(
    # A time between 0 and 1 is a number, and what stands at it is one thing.
    Case(r"\alpha_t = 1 - t", "t", lambda t: 1 - t, context=r"for $t \in [0, 1]$"),
    Case(
        r"x_t = (1 - t) x_0 + t x_1, \quad t \in [0, 1]",
        "t x_0[d] x_1[d]",
        lambda t, x, y: (1 - t) * x + t * y,
    ),
    Case(
        r"x_t = \alpha_t x_0 + \beta_t x_1",
        "alpha_t x_0[d] beta_t x_1[d]",
        lambda a, x, b, y: a * x + b * y,
        context=r"for all times $t \in [0, 1]$",
    ),
    # Elsewhere it counts.
    Case(r"\alpha_t = 1 - \beta_t", "beta[n]", lambda b: 1 - b),
)
def test_times_that_are_real_numbers(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex", [r"\tilde q^r = \gamma^r q^r", r"f_t^i = \beta^i + (1 - \beta^i) \odot g_t^i"]
)
def test_a_power_by_what_counts_above_other_names_is_told(latex: str) -> None:
    told = [d for d in compile_formula(latex).diagnostics if d.code == "N2C050"]
    assert told and all("is taken for a power, though" in d.message for d in told)
    assert latex[told[0].span.start :].startswith(("\\gamma^r", "\\beta^i"))


def test_a_power_beside_what_counts_below_is_not() -> None:
    assert not compile_formula(r"G = \sum_{t=0} \gamma^t r_t").diagnostics


@table(
    # The greatest of all scores is a number; states are pooled.
    Case(r"m = \max_j s_j", "s[n]", np.max),
    Case(r"m_{new} = \max(m_{old}, \max(s_j))", "m_old s[n]", lambda m, s: np.maximum(m, s.max())),
    Case(r"h = \max_j x_j", "x[n,d]", lambda x: x.max(0)),
    Case(r"m = \max_t h_t", "h[n,d]", lambda h: h.max(0)),
)
def test_the_greatest(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(("below", "inputs"), [("", ["t"]), ("$$ s = \\sum_{t=1}^n b_t $$", ["n"])])
def test_times_that_another_section_says_to_be_real(
    below: str, inputs: list[str], tmp_path: Path
) -> None:
    """They are, unless a sum of the formula's own section runs over them."""
    note = f"# Times\n\nFor $t \\in [0, 1]$.\n\n# Schedule\n\n$$ a_t = \\cos(t) $$\n\n{below}\n"
    (tmp_path / "Note.md").write_text(note, encoding="utf-8")
    formulas = compile_vault(read_vault(tmp_path), library()).formulas
    (found,) = (f.compiled.equation for f in formulas if "cos" in f.formula.latex)
    assert found is not None
    assert [given.name for given in found.inputs] == inputs


def test_what_is_given_for_all_steps_is_told() -> None:
    (told,) = compile_formula(r"\hat s_k = \frac{s_k}{1 - \delta^k}").diagnostics
    assert "hold all steps `k`" in told.message
    assert not compile_formula(r"\hat s = \frac{s}{1 - \delta^k}").diagnostics
