"""The emitted source computes what ``evaluate`` computes, and reads and formats well."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from notes2code.meaning import type_formula
from notes2code.meaning.ir import Definition, Equation, Idx, Index, Input, Lambda, Ref, Size
from notes2code.meaning.scope import Scope, Shape
from notes2code.oracle import OracleError, evaluate, helpers_source, numpy_source, sample

FORMULAS = r"""
Attention(Q, K, V) = softmax(\frac{QK^T}{\sqrt{d_k}})V
\mathrm{Attention}(\mathbf{Q}, \mathbf{K}, \mathbf{V}) = \mathrm{softmax}(\mathbf{Q}\mathbf{K}^\top / \sqrt{d}) \mathbf{V}
\operatorname{softmax}\!\left(\frac{Q K^{\intercal}}{\sqrt{d_k}} + M\right) V
\text{softmax}\left(\frac{QK^T}{d_k}\right)V
A = \mathrm{softmax}(QK^\top) \in \mathbb{R}^{n \times m}
Q = XW_Q, \quad K = XW_K, \quad V = XW_V, \quad O = \mathrm{softmax}(QK^\top / \sqrt{d_k})V
\mathrm{SelfAttention}(X) = \mathrm{softmax}\left(\frac{XW_Q(XW_K)^T}{\sqrt{d_k}}\right)XW_V
e_{ij} = \frac{q_i^\top k_j}{\sqrt{d_k}}
e_{ij} = q_i k_j^T - m \cdot |i - j|
e_{ij} = q_i^T W_a k_j
e_{ij} = v_a^\top \tanh(W_a s_{i-1} + U_a h_j)
e_{ij} = v_a^\top \tanh(W_a [s_{i-1}; h_j])
e_i = s^T W h_i
\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{k=1}^{T_x} \exp(e_{ik})}
\alpha_{ij} = \mathrm{softmax}_j(e_{ij})
c_i = \sum_{j=1}^{T_x} \alpha_{ij} h_j
e_{ij} = q_i^\top k_j \quad \alpha_{ij} = \mathrm{softmax}_j(e_{ij}) \quad c_i = \sum_j \alpha_{ij} v_j
A(q, K, V) = \sum_{i} \frac{e^{q \cdot k_{i}}}{\sum_{j} e^{q \cdot k_{j}}} v_{i}
o_i = \frac{\sum_{j \le i} \phi(q_i)^\top \phi(k_j) v_j}{\sum_{j \le i} \phi(q_i)^\top \phi(k_j)}
y_i = \mathrm{Softmax}\left(\frac{Q_i K_{\leq i}^T}{\sqrt{D}}\right) V_{\leq i}
f(x) = \sum_{i=1}^{n} \frac{K(x - x_i)}{\sum_{j=1}^{n} K(x - x_j)} y_i
S_{ij} = \begin{cases} q_i^\top k_j & j \le i \\ -\infty & \text{otherwise} \end{cases}
M_{ij} = \begin{cases} 1 & (i - j) \mod c = 0 \\ 0 & \text{otherwise} \end{cases}
\mathrm{MultiHead}(Q,K,V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)W^O
\mathrm{head}_i = \mathrm{softmax}\left(\frac{QW_i^Q (KW_i^K)^\top}{\sqrt{d_k}}\right) VW_i^V
\mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)
PE_{(pos, 2i)} = \sin\left(\frac{pos}{10000^{2i/d_{model}}}\right) \quad PE_{(pos, 2i+1)} = \cos\left(\frac{pos}{10000^{2i/d_{model}}}\right)
PE_{(pos, 2i)} = \sin(pos / 10000^{2i/d})
\omega_i = 1/10000^{2i/d_{model}}
\theta_i = 10000^{-2(i-1)/d}, i \in [1, 2, \ldots, d/2]
\begin{pmatrix} \cos m\theta & -\sin m\theta \\ \sin m\theta & \cos m\theta \end{pmatrix} \begin{pmatrix} x_1 \\ x_2 \end{pmatrix}
R_m = \begin{bmatrix} \cos m\theta & -\sin m\theta \\ \sin m\theta & \cos m\theta \end{bmatrix}
W = \begin{bmatrix} 1 & 0 \\ 0 & 1 \\ 1 & 1 \end{bmatrix}
a_{ij}^K = w_{\text{clip}(j-i, -k, k)}
e_{ij} = \frac{x_i W^Q (x_j W^K + a_{ij}^K)^T}{\sqrt{d_z}}
x_i W_Q W_K^\top x_j^\top + \beta_{i,j}
\mathrm{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta
y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}} \cdot \gamma + \beta
\mu = \frac{1}{n} \sum_{i=1}^{n} a_i, \quad \sigma = \sqrt{\frac{1}{n} \sum_{i=1}^{n} (a_i - \mu)^2}
\hat{x}_i = \frac{x_i - \mu}{\sigma}, \quad y_i = \gamma \hat{x}_i + \beta
\mathrm{RMS}(a) = \sqrt{\frac{1}{k} \sum_{i=1}^{k} a_i^2 + \epsilon}
\mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2
\mathrm{FFN}(x) = \mathrm{GELU}(xW_1 + b_1)W_2 + b_2
\mathrm{SwiGLU}(x) = \mathrm{Swish}(xW_1) \otimes (xW_2)
\mathrm{GLU}(x) = \sigma(xW + b) \otimes (xV + c)
\mathrm{GELU}(x) = \frac{x}{2} \left[1 + \mathrm{erf}\left(\frac{x}{\sqrt{2}}\right)\right]
\mathrm{ELU}(x) = \begin{cases} x & x > 0 \\ \alpha \cdot (e^x - 1) & x \le 0 \end{cases}
\sigma(x) = \frac{1}{1 + e^{-x}}
h_t = \tanh(W_h h_{t-1} + W_x x_t + b_h)
f_t = \sigma(W_f \cdot [h_{t-1}, x_t] + b_f)
x_{l+1} = \mathrm{LayerNorm}(x_l + \mathrm{Sublayer}(x_l))
L = -\sum_{i=1}^{V} y_i \log(p_i)
\mathcal{L} = -\frac{1}{N} \sum_{t=1}^{N} \log p_t
\mathrm{PPL} = \exp\left(-\frac{1}{N} \sum_{t=1}^{N} \log p_t\right)
\mathrm{BLEU} = BP \cdot \exp\left(\sum_{n=1}^{N} w_n \log p_n\right)
\mathrm{BP} = \begin{cases} 1 & c > r \\ e^{1 - r/c} & c \le r \end{cases}
lrate = d_{model}^{-0.5} \cdot \min(s^{-0.5}, s \cdot w^{-1.5})
\mathrm{score}(s_t, h_i) = \mathrm{cosine}(s_t, h_i)
p_i = \frac{e^{z_i / T}}{\sum_{j=1}^{V} e^{z_j / T}}
p = \mathrm{softmax}(z / \tau)
c_t = \sum_i \max_j (s_{tij})
\prod_{i=1}^{n} p_i
y_i = \sum_{k=1}^{i} x_k
O = \mathrm{softmax}(\tanh(W[H^T Q ; H^T K]))
y = W [z_1; z_3; \dots; z_n]
""".strip().splitlines()  # noqa: E501


def source_of(equation: Equation, name: str = "reference") -> str:
    helpers = helpers_source([equation])
    parts = ["import math\n\nimport numpy as np\n", helpers, numpy_source(equation, name)]
    return "\n\n".join(part for part in parts if part)


def agree(equation: Equation, seed: int, sizes: dict[str, int] | None = None) -> None:
    """Run the source and hold it against ``evaluate``."""
    scope: dict[str, Any] = {}
    exec(source_of(equation), scope)
    given = sample(equation, seed, sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = np.asarray(scope["reference"](*(given[i.name] for i in equation.inputs)))
    value = evaluate(equation, given)
    assert found.shape == value.shape
    np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("latex", FORMULAS)
def test_source_agrees(latex: str) -> None:
    typed = type_formula(latex)
    assert typed.equation is not None, typed.problems
    for seed in range(3):
        agree(typed.equation, seed)


def test_pi_is_named() -> None:
    equation = type_formula(r"y = \sin(\pi x) + e^{-\pi}").equation
    assert equation is not None
    source = numpy_source(equation, "wave")
    assert "np.sin(np.pi * x[" in source
    assert "np.exp(-np.pi)" in source


def test_source_is_formatted() -> None:
    equations = [type_formula(latex).equation for latex in FORMULAS]
    known = [equation for equation in equations if equation is not None]
    sources = [numpy_source(equation, f"reference_{at}") for at, equation in enumerate(known)]
    text = "\n\n".join(["import math\n\nimport numpy as np\n", helpers_source(known), *sources])
    assert max(map(len, text.splitlines())) <= 100
    command = [sys.executable, "-m", "ruff", "format", "--check", "--line-length=100", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if "No module named ruff" in done.stderr:
        pytest.skip("ruff is not installed")
    assert done.returncode == 0, done.stdout + done.stderr


def test_sources_use_nothing_vectorised() -> None:
    for latex in FORMULAS:
        equation = type_formula(latex).equation
        assert equation is not None
        source = numpy_source(equation, "reference")
        for word in ("einsum", "matmul", "@", "np.dot", "** -1", "notes2code"):
            assert word not in source


def test_helpers_come_once_each_after_what_they_need() -> None:
    gelu = type_formula(r"y = \mathrm{GELU}(x) + \mathrm{ReLU}(x)").equation
    weights = type_formula(r"p = \mathrm{softmax}(z)").equation
    assert gelu is not None and weights is not None
    text = helpers_source([gelu, weights, gelu])
    names = [line[4 : line.index("(")] for line in text.splitlines() if line.startswith("def ")]
    assert names == ["softmax", "relu", "erf", "normal_cdf", "gelu"]
    assert "Any" not in text
    assert helpers_source([]) == ""


def test_a_called_function_stands_before_its_caller() -> None:
    inner = type_formula(r"\mathrm{Norm}(x) = x / \sqrt{\sum_i x_i^2}").equation
    assert inner is not None
    scope = Scope(functions={"Norm": inner}, shapes={"x": Shape(("d",)), "y": Shape(("d",))})
    outer = type_formula(r"z = \mathrm{Norm}(x) + \mathrm{Norm}(y)", scope).equation
    assert outer is not None
    source = numpy_source(outer, "reference")
    assert source.index("def norm_formula(") < source.index("def reference(")
    assert source.count("def ") == 2
    agree(outer, 0)


def test_names_do_not_meet() -> None:
    n, d = Size("range"), Size("sum")
    at = Index("np", n)
    inputs = (Input("len", (n, d), "len"), Input("softmax", (), "softmax"), Input("i", (d,), "i"))
    other = Index("i", d)
    product = Definition("scores", Lambda((at, other), Ref("len", (Idx(at), Idx(other)))), "s")
    equation = Equation("def", inputs, (product,), Lambda((at,), Ref("scores", (Idx(at), Idx(at)))))
    source = numpy_source(equation, "reference")
    assert source.startswith("def reference(len_, softmax_, i):\n")
    given = {"len": np.arange(9.0).reshape(3, 3), "softmax": 1.0, "i": np.ones(3)}
    scope: dict[str, Any] = {}
    exec("import numpy as np\n" + source, scope)
    np.testing.assert_array_equal(scope["reference"](*given.values()), [0, 4, 8])
    np.testing.assert_array_equal(evaluate(equation, given), [0, 4, 8])


@pytest.mark.parametrize("name", ["softmax", "not a name", ""])
def test_a_name_must_be_free(name: str) -> None:
    equation = type_formula("Q = XW_Q").equation
    assert equation is not None
    with pytest.raises(ValueError, match="cannot be the name"):
        numpy_source(equation, name)


def test_a_product_that_is_nested_too_deeply_has_no_source() -> None:
    equation = type_formula("A " * 120).equation
    assert equation is not None
    with pytest.raises(OracleError, match="nested too deeply"):
        numpy_source(equation, "product")


def test_a_formula_of_numbers_takes_arrays() -> None:
    latex = next(latex for latex in FORMULAS if latex.startswith(r"\mathrm{ELU}"))
    equation = type_formula(latex).equation
    assert equation is not None
    scope: dict[str, Any] = {}
    exec(source_of(equation), scope)
    x = np.array([[-1.0, 0.0, 2.0]])
    given = {i.name: x if i.name == "x" else 0.5 for i in equation.inputs}
    found = scope["reference"](**given)
    np.testing.assert_allclose(found, np.where(x > 0, x, 0.5 * (np.exp(x) - 1)))
    np.testing.assert_allclose(found, evaluate(equation, given))
