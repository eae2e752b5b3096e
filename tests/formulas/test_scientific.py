"""Numbers such as ``1e^{-5}``, which are written as programs show them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from notes2code import build, compile_formula
from tables import Case, check, table

NORM = r"\mathrm{LayerNorm}(u) = \frac{u - \mu}{\sqrt{\sigma^2 + \delta}}"


@table(
    Case(r"y = r x, \quad r = 3e^{-4}", "x[d]", lambda x: 3e-4 * x),
    Case(r"y = x + 1e^{-5}", "x[d]", lambda x: x + 1e-5),
    Case(r"y = \frac{x}{\|x\| + 1e^{-2}}", "x[d]", lambda x: x / (np.linalg.norm(x) + 1e-2)),
    Case(r"y = 1e^{-2} W x", "W[n,d] x[d]", lambda w, x: 1e-2 * w @ x),
    Case(
        r"w = w - 3e^{-4} g",
        "w[d] g[d]",
        lambda w, g: w - 3e-4 * g,
        context=[r"g \in \mathbb{R}^d"],
    ),
    Case(r"y = 1e^{5} x", "x[d]", lambda x: 1e5 * x),
    # With braces, so that the minus sign is short, and an upright e.
    Case(r"y = r x, \quad r = 3e{-4}", "x[d]", lambda x: 3e-4 * x),
    Case(r"y = x + 1\mathrm{e}{-5}", "x[d]", lambda x: x + 1e-5),
    Case(r"y = x + 2.5\text{e-}3", "x[d]", lambda x: x + 2.5e-3),
    Case(r"y = x + 1\text{e-5}", "x[d]", lambda x: x + 1e-5),
    Case(r"y = x + \mathrm{1e{-}5}", "x[d]", lambda x: x + 1e-5),
    Case(r"y = 2\mathrm{e}{3} x", "x[d]", lambda x: 2e3 * x),
    # Near misses: what may be Euler's number is that.
    Case(r"y = 2\mathrm{e}^{-5} x", "x[d]", lambda x: 2 * np.exp(-5) * x),
    Case(r"y = 2e{-\beta} x", "e beta x[d]", lambda e, b, x: -2 * e * b * x),
    Case(r"y = r x, \quad r = 3 e^{-4}", "x[d]", lambda x: 3 * np.exp(-4) * x),
    Case(r"y = r x, \quad r = 3e^{-\beta}", "beta x[d]", lambda b, x: 3 * np.exp(-b) * x),
    Case(r"y = r x, \quad r = 1 - 2e^{-4}", "x[d]", lambda x: (1 - 2 * np.exp(-4)) * x),
)
def test_value(case: Case) -> None:
    check(case)


def test_it_is_told() -> None:
    told = compile_formula(r"\delta = 1e^{-6}, \quad y = x / \delta").diagnostics
    assert any("read as 1e-6" in one.message for one in told)
    for number, digits in (("2e^{-4}", "2e-4"), ("2e^{3}", "2e3")):
        (told,) = compile_formula(rf"y = (1 - {number}) x").diagnostics
        assert told.message == f"the e of this number is Euler's, and it is not {digits}"
    assert not compile_formula(r"y = (1 - 2 e^{-4}) x").diagnostics


@pytest.mark.parametrize(("number", "value"), [("1e^{-5}", "1e-05"), ("e^{-5}", str(np.exp(-5)))])
def test_a_class_has_it_for_its_default(tmp_path: Path, number: str, value: str) -> None:
    note = f"# Layer norm\n$${NORM}$$\nwith $\\delta = {number}$, the mean $\\mu$ of $u$ and its "
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Norm.md").write_text(note + "variance $\\sigma^2$.\n", encoding="utf-8")
    build(tmp_path / "vault", tmp_path / "out")
    assert f"eps: float = {value}" in (tmp_path / "out/transformer/layers.py").read_text()
