"""The do_i and dP of notes on gradients are names of their own, as the formula shows."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


@table(
    # A difference that the note defines is one name, also where its letter does not stand alone.
    Case(
        r"y = \sin(\Delta s_{ij} \cdot w)",
        "Delta_s[n,m] w[d]",
        lambda s, w: np.sin(s[:, :, None] * w),
        shapes={"w": ("d",)},
        context=r"\Delta s_{ij} = s_i - s_j",
    ),
    # So it is in any font, with a mark, of a Greek letter, and where what it changes stands
    # before it elsewhere.
    Case(
        r"P_t = P_{t-1} + \eta \Delta \mathbf{u}_t \mathbf{k}_t^\top",
        "P[c,d] eta Delta_u[c] k[d]",
        lambda p, eta, u, k: p + eta * np.outer(u, k),
        context=r"\Delta \mathbf{u}_t = \mathbf{u}_t - P_{t-1} \mathbf{k}_t",
    ),
    Case(
        r"\eta \Delta v_t k_t^\top",
        "eta Delta_v[n,d] k[n,c]",
        lambda eta, v, k: eta * np.einsum("nd,nc->ndc", v, k),
        context=r"\Delta v_t = v_t - u_t",
    ),
    Case(
        r"y = 2 \Delta\hat{\mathbf{u}} + b",
        "Delta_u_hat[d] b[d]",
        lambda u, b: 2 * u + b,
        context=r"\Delta\hat{\mathbf{u}} = \hat{\mathbf{u}} - c",
    ),
    Case(
        r"\rho = \frac{1}{2} Δ\boldsymbol{\theta}^\top H Δ\boldsymbol{\theta}",
        "Delta_theta[d] H[d,d]",
        lambda t, h: t @ h @ t / 2,
        context=r"\theta' = \theta + \Delta\theta",
    ),
    Case(
        r"y = \frac{\alpha}{r} \Delta W_q x",
        "alpha r Delta_W_q[c,d] x[d]",
        lambda a, r, w, x: a / r * (w @ x),
        context=r"W_q^{(0)} + \Delta \mathbf{W}_q = W_q^{(0)} + B A",
    ),
    # A step before what it goes with stays a factor, whatever is defined.
    Case(
        r"g = \tanh(\Delta A) + \Delta B",
        "Delta A[n,d] Delta_B[n,d]",
        lambda s, a, b: np.tanh(s * a) + b,
        context=[r"\Delta B = C - F", r"\bar A = A + s \Delta"],
    ),
    Case(
        r"y = \Delta A x",
        "Delta A[n,d] x[d]",
        lambda delta, a, x: delta * (a @ x),
    ),
    Case(r"D_i = do_i^\top o_i", "do[n,d] o[n,d]", lambda do, o: (do * o).sum(1)),
    Case(r"D_i = dO_i^\top O_i", "dO[n,d] O[n,d]", lambda do, o: (do * o).sum(1)),
    Case(r"y = dW x + W x", "dW[n,d] x[d] W[n,d]", lambda dw, x, w: (dw + w) @ x),
    # So is the gradient that the label of its mean names, and that a weight is updated with.
    Case(
        r"v_{dU} = \rho v_{dU} + (1 - \rho) dU",
        "rho v_dU[n] dU[n]",
        lambda r, m, d: r * m + (1 - r) * d,
    ),
    Case(
        r"s_{db} = \rho s_{db} + (1 - \rho) (db)^2",
        "rho s_db[n] db[n]",
        lambda r, s, d: r * s + (1 - r) * d**2,
    ),
    Case(r"v = \rho v + (1 - \rho) dU", "rho v[n] dU[n]", lambda r, v, d: r * v + (1 - r) * d),
    Case(r"w = w - \eta\, dw", "w[n] eta dw[n]", lambda w, e, d: w - e * d),
    # Near misses: a size stands before something else, apart, or elsewhere too.
    Case(r"w = w - \eta d w", "w[n] eta d#", lambda w, e, d: w - e * d * w),
    Case(r"s_i = d o_i^\top o_i", "o[n,d]", lambda o: o.shape[1] * (o**2).sum(1)),
    Case(r"c = 4nd^2 + 2n^2 d", "n d#", lambda n, d: 4 * n * d**2 + 2 * n**2 * d),
    # What one formula of a note defines is one name in the others, and so is a multiple of it.
    Case(
        r"G = \frac{1}{\tau} dK",
        "tau dK[n,d]",
        lambda t, k: k / t,
        context=r"dK_j = \sum_i dS_{ij} Q_i",
    ),
    Case(r"\frac{1}{\tau} dK_j = \sum_i dS_{ij} Q_i", "dS[n,m] Q[n,d]", lambda s, q: s.T @ q),
)
def test_values(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"K_{\le t} = [K_{<t} \parallel K_t]",
        r"h = \text{Concat}(V_{<t}, V_t)",
    ],
)
def test_rows_up_to_a_place_are_not_joined_whole(latex: str) -> None:
    with pytest.raises(FormulaError, match="goes is lost"):
        compile_formula(latex)
