"""Layers and examples above one letter, ``a^{[l](i)}``: neither of them is a power."""

from __future__ import annotations

from tables import Case, check, relu, sigmoid, table


@table(
    Case(
        r"z^{[1](i)} = W^{[1]} x^{(i)} + b^{[1]}",
        "W_1[p,d] x[n,d] b_1[p]",
        lambda w, x, b: x @ w.T + b,
    ),
    Case(
        r"z^{[l](i)} = W^{[l]} a^{[l-1](i)} + b^{[l]}",
        "W[p,d] a[n,d] b[p]",
        lambda w, a, b: a @ w.T + b,
    ),
    Case(r"a^{(i)[2]} = \mathrm{ReLU}(z^{(i)[2]})", "z_2[n,d]", relu),
    Case(r"a_j^{[1](i)} = \sigma(z_j^{[1](i)})", "z_1[n,d]", sigmoid),
    Case(r"\mu = \frac{1}{m} \sum_i z^{[1](i)}", "z_1[m]", lambda z: z.mean()),
    Case(
        r"G = \frac{1}{m} \sum_{i=1}^{m} u^{[2](i)} a^{[1](i)T}",
        "u_2[m,d] a_1[m,p]",
        lambda u, a: u.T @ a / len(u),
    ),
    Case(
        r"c^{(i)} = \gamma \odot z_{norm}^{[3](i)} + \beta",
        "gamma[d] z_norm_3[n,d] beta[d]",
        lambda g, z, b: g * z + b,
    ),
    # Near misses: a number has a power, and so has what stands between two parentheses.
    Case(r"y = 2^{[a](c)}", "a c", lambda a, c: 2 ** (a * c)),
    Case(r"y = (\rho)^{[a](c)}", "rho+ a c", lambda rho, a, c: rho ** (a * c)),
)
def test_examples_of_layers(case: Case) -> None:
    check(case)
