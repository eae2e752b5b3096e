"""What pages say of a norm beside its formula: what its gain is at first, how long what it is given
was elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code.compilation import compile_vault
from notes2code.components.compiled import Compiled
from notes2code.components.library import library
from notes2code.vault import Vault, read_note_text
from tables import Case, check, table

ROOT = r"\sqrt{\frac{1}{p} \sum_{j=1}^{p} z_j^2 + \epsilon}"


def _of(text: str) -> dict[str, Compiled]:
    """What becomes of each formula of a note."""
    found = compile_vault(Vault("vault", (read_note_text("norm.md", text),)), library())
    return {one.formula.latex: one.compiled for one in found.formulas}


def _root(z: np.ndarray, e: float) -> np.ndarray:
    return np.sqrt((z**2).mean() + e)


@table(
    Case(
        rf"y = \gamma \odot \frac{{z}}{{{ROOT}}}",
        "gamma[d] z[d] epsilon+",
        lambda g, z, e: g * z / _root(z, e),
        context=[r"\gamma = 1"],
    ),
    Case(
        rf"y = \frac{{z}}{{\mathrm{{RMS}}(z)}} \cdot g, \quad \mathrm{{RMS}}(z) = {ROOT}",
        "z[d] epsilon+ g[d]",
        lambda z, e, g: g * z / _root(z, e),
        context=[r"g = 1"],
    ),
    # What scales a reward is the number that it is said to be.
    Case(
        r"A = \gamma \frac{r - \mu}{\sigma + \epsilon}",
        "gamma r mu sigma epsilon+",
        lambda g, r, m, s, e: g * (r - m) / (s + e),
        context=[r"\gamma = 0.9"],
    ),
)
def test_a_gain_is_no_number(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("said", [r"$\gamma = 1, \beta = 0$", r"$\gamma = 1$, $\beta = 0$"])
def test_first_values_of_vectors_define_nothing(said: str) -> None:
    norm = r"\mathrm{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta"
    declared = r"$\gamma, \beta \in \mathbb{R}^d$"
    found = _of(f"$$ {norm} $$\n\nThe {declared} are learned. At first, {said}.\n")
    first = [one for latex, one in found.items() if r"= 0" in latex or "= 1" in latex]
    assert first and all(one.status == "text" for one in first)
    assert {problem.code for one in first for problem in one.problems} == {"N2C038"}
    assert found[norm].recognised is not None


def test_squares_are_of_the_numbers_of_what_is_given() -> None:
    root, layer = rf"\mathrm{{RMS}}(z) = {ROOT}", r"y = \mathrm{FFN}(z)"
    section = "## Layer\nEach token is $z \\in \\mathbb{R}^{k}$.\n"
    found = _of(f"{section}$$ {layer} $$\n## Norm\n$$ {root} $$\n")
    equation = found[root].equation
    assert equation is not None and equation.value.indices == ()
    assert [problem.code for problem in found[root].problems] == ["N2C035"]
    alone = _of(f"{section}$$ {root} $$\n")[root]
    assert [problem.code for problem in alone.problems] == ["N2C040"]


def test_a_norm_along_the_tokens_ends_nothing() -> None:
    found = _of(
        r"""
$$ \mathrm{RMS}(X) = \sqrt{\frac{1}{n} \sum_{i=1}^{n} X_{i,:}^2 + \epsilon} $$
$$ \mathrm{RMSNorm}(X) = \frac{X}{\mathrm{RMS}(X)} $$
$$ Y = X + \mathrm{MHA}(\mathrm{RMSNorm}(X)) $$
$$ \mathrm{F}(x) = (\mathrm{SiLU}(x U) \odot x V) W $$
$$ Z = Y + \mathrm{F}(\mathrm{RMSNorm}(Y)) $$
"""
    )
    assert all(one.equation is not None for one in found.values())
