"""The emitted text of typical formulas, as a reader of the generated tests sees it.

The texts were read and found good by hand; they lie in ``emitted/``, one for each formula.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.meaning import type_formula
from notes2code.meaning.scope import Scope
from notes2code.oracle import numpy_source

ATTENTION = r"\mathrm{Attention}(Q,K,V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"
FORMULAS = {
    "attention": ATTENTION,
    "additive": r"e_{ij} = v^\top \tanh(W q_i + U k_j)",
    "layer_norm": r"y = \gamma \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}} + \beta",
    "positions": r"p_{k,2i} = \sin(k / 10000^{2i/d}) \quad p_{k,2i+1} = \cos(k / 10000^{2i/d})",
    "multi_head": (
        r"\mathrm{MultiHead}(Q,K,V) = \mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)W^O"
        r"\quad \mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)"
    ),
    "gate": r"f_t = \sigma(W [h_t; x_t] + b)",
    "cross_entropy": r"L = -\sum_{i=1}^{V} y_i \log p_i",
}


@pytest.mark.parametrize("name", FORMULAS)
def test_emitted_text(name: str) -> None:
    attention = type_formula(ATTENTION).equation
    assert attention is not None
    scope = Scope(functions={"Attention": attention})
    equation = type_formula(FORMULAS[name], scope if name == "multi_head" else Scope()).equation
    assert equation is not None
    wanted = (Path(__file__).parent / "emitted" / f"{name}.txt").read_text(encoding="utf-8")
    assert numpy_source(equation, name) == wanted
