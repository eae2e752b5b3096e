"""What whole pages write of layers: functions called without their weights, numbered norms, the
embedding that a layer gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from notes2code.components.library import library
from tables import Case, check, relu, softmax, table


def _normed(x: Any, e: float, g: Any, b: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return g * centred / np.sqrt(x.var(-1, keepdims=True) + e) + b


def _gated(h: Any, a: Any, b: Any, c: Any) -> Any:
    hidden = h @ a
    return h + (hidden / (1 + np.exp(-hidden)) * (h @ b)) @ c


def _attended(h: Any) -> Any:
    return softmax(h @ h.T / np.sqrt(h.shape[-1])) @ h


@table(
    # What is left out of a call are the weights.
    Case(
        r"y = h + \mathrm{FFN}(h)",
        "h[d] W_1[d,p] W_2[p,d]",
        lambda h, a, b: h + relu(h @ a) @ b,
        context=[r"\mathrm{FFN}(x, W_1, W_2) = \mathrm{ReLU}(x W_1) W_2"],
    ),
    Case(
        r"y = h + \mathrm{FFN}(h)",
        "h[d] W[d,p] V[d,p] W_2[p,d]",
        _gated,
        context=[
            r"\mathrm{FFN}_{\mathrm{SwiGLU}}(x, W, V, W_2) = (\mathrm{Swish}_1(x W) \odot x V) W_2"
        ],
    ),
    Case(
        r"y = \mathrm{Mix}(h) + h",
        "h[d] W[d,d] b[d]",
        lambda h, w, b: np.tanh(h @ w + b) + h,
        context=[r"\mathrm{Mix}(x, W, b) = \tanh(x W + b)"],
    ),
    # A logarithm with something below it is a norm; norms are numbered and labelled.
    Case(
        r"y = x + \mathrm{ln}_f(x)",
        "x[d] epsilon+ gamma[d] beta[d]",
        lambda x, *w: x + _normed(x, *w),
    ),
    Case(
        r"y = x + \mathrm{ln1}(x)",
        "x[d] epsilon+ gamma[d] beta[d]",
        lambda x, *w: x + _normed(x, *w),
    ),
    Case(
        r"y = \mathrm{LN}_{\text{final}}(x) U",
        "x[d] epsilon+ gamma[d] beta[d] U[d,v]",
        lambda x, e, g, b, u: _normed(x, e, g, b) @ u,
    ),
    # What is embedded is of one kind with the places that are added to it.
    Case(r"h_0 = x W_e + W_p", "x[v] W_e[v,d] W_p[d]", lambda x, e, p: x @ e + p),
    Case(
        r"y = \mathrm{Attention}(h_0, h_0, h_0), \quad h_0 = x W_e + W_p",
        "x[n,v] W_e[v,d] W_p[n,d]",
        lambda x, e, p: _attended(x @ e + p),
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_what_is_left_out_is_told() -> None:
    formula = compile_formula(r"y = h + f(h, a)", context=[r"f(x, a, W, b) = \tanh(a x W + b)"])
    told = [one.message for one in formula.diagnostics]
    assert "`f` is given no `W, b` here: they are taken to be its weights" in told


@pytest.mark.parametrize(
    "definition",
    [
        r"\mathrm{Mix}(x, y) = x + 2 y",
        r"\mathrm{Mix}(x, b) = x + b",
        r"\mathrm{Mix}(x, Q, W) = x + Q W",
    ],
)
def test_what_may_be_no_weight_is_not_left_out(definition: str) -> None:
    with pytest.raises(FormulaError, match="arguments, not 1"):
        compile_formula(r"y = h + \mathrm{Mix}(h)", context=[definition])


def test_a_logarithm_has_no_base_below_it() -> None:
    with pytest.raises(FormulaError, match="a subscript on `ln`"):
        compile_formula(r"y = \ln_2 x")


def test_a_norm_that_its_label_may_tell_is_no_layer_norm() -> None:
    formula = compile_formula(r"y = x + \mathrm{Norm}_{\text{batch}}(x)")
    assert "Norm_batch" in {given.name for given in formula.inputs}


LAYER = [
    r"A^l = \mathrm{LayerNorm}(H^{l-1} + \mathrm{MultiHead}(H^{l-1}, H^{l-1}, H^{l-1}))",
    r"X' = \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X))",
]


@pytest.mark.parametrize(
    ("latex", "context"),
    [
        (r"H^l = \mathrm{LayerNorm}(A^l + \mathrm{FFN}(A^l))", LAYER[:1]),
        (r"X'' = \mathrm{LayerNorm}(X' + \mathrm{FFN}(X'))", ["X = E + P", *LAYER[1:]]),
        (r"X'' = \mathrm{LayerNorm}(X' + \mathrm{FFN}(X'))", [*LAYER[1:], "X = E + P"]),
    ],
)
def test_it_is_a_layer_whatever_its_input_is_made_of(latex: str, context: list[str]) -> None:
    formula = compile_formula(latex, context=context)
    assert formula.component == library().components["encoder_layer"].name
    assert next(given.name for given in formula.inputs) in ("H", "X")


def test_the_power_of_a_matrix_is_refused_where_no_layer_is_counted() -> None:
    with pytest.raises(FormulaError, match="may be a power here"):
        compile_formula(r"K_k = C A^k B, \quad k = 0, \dots, n")
