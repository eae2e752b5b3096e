"""The gain and the bias of what a norm has made, which its name says."""

from __future__ import annotations

from tables import Case, check, table


@table(
    # It is scaled feature by feature, as an x̂ is, and adds up to no number.
    Case(
        r"\tilde{u}_i = \gamma \cdot u_i^{\text{norm}} + \beta",
        "gamma[d] u_norm[n,d] beta[d]",
        lambda g, u, b: g * u + b,
    ),
    Case(
        r"\tilde{a}^{(i)} = \gamma \cdot a_{\text{normalized}}^{(i)} + \beta",
        "gamma[d] a_normalized[n,d] beta[d]",
        lambda g, a, b: g * a + b,
    ),
    Case(
        r"y = \beta + \gamma \cdot x_{norm}",
        "beta[d] gamma[d] x_norm[d]",
        lambda b, g, x: g * x + b,
    ),
    # So is it by the gain of a layer.
    Case(
        r"\tilde{u}^{(l)} = \gamma^{(l)} \cdot \hat u^{(l)} + \beta^{(l)}",
        "gamma[m] u_hat[m] beta[m]",
        lambda g, u, b: g * u + b,
    ),
    # A near miss: any other label says nothing of a norm.
    Case(
        r"p_i = \gamma \cdot u_i^{\text{last}} + \beta",
        "gamma[d] u_last[n,d] beta",
        lambda g, u, b: u @ g + b,
    ),
)
def test_gains_of_what_is_called_normalised(case: Case) -> None:
    check(case)
