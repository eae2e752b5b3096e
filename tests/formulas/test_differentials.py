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
    Case(
        r"y = \Delta A x",
        "Delta A[n,d] x[d]",
        lambda delta, a, x: delta * (a @ x),
    ),
    Case(r"D_i = do_i^\top o_i", "do[n,d] o[n,d]", lambda do, o: (do * o).sum(1)),
    Case(r"D_i = dO_i^\top O_i", "dO[n,d] O[n,d]", lambda do, o: (do * o).sum(1)),
    Case(r"y = dW x + W x", "dW[n,d] x[d] W[n,d]", lambda dw, x, w: (dw + w) @ x),
    # Near misses: a size stands before something else, apart, or elsewhere too.
    Case(r"s_i = d o_i^\top o_i", "o[n,d]", lambda o: o.shape[1] * (o**2).sum(1)),
    Case(r"c = 4nd^2 + 2n^2 d", "n d#", lambda n, d: 4 * n * d**2 + 2 * n**2 * d),
)
def test_values(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"K_{\le t} = [K_{<t} \parallel K_t]",
        r"h = \text{Concat}(V_{<t}, V_t)",
        r"y_t = \mathrm{softmax}(q_t [K_{<t}; k_t]^\top) [V_{<t}; v_t]",
    ],
)
def test_rows_up_to_a_place_are_not_joined_whole(latex: str) -> None:
    with pytest.raises(FormulaError, match="goes is lost"):
        compile_formula(latex)
