"""Names that could collide, docstrings that could do more than tell, and limits."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import torch

from notes2code import FormulaError, compile_formula
from notes2code.emit.docstring import docstring_lines
from notes2code.emit.graph import EmitError
from notes2code.emit.torch_function import torch_source
from notes2code.meaning import ir
from notes2code.meaning.ir import Equation, Fn, Idx, Index, Input, Lambda, Ref, Size


def _elementwise(*names: str) -> Equation:
    """relu(√d · the sum of vectors with these names)."""
    size = Size("d")
    index = Index("i", size)
    terms = [Ref(name, (Idx(index),)) for name in names]
    body = Fn("relu", (ir.mul(ir.Pow(size, ir.HALF), ir.add(*terms)),))
    inputs = tuple(Input(name, (size,), name) for name in names)
    return Equation("y", inputs, (), Lambda((index,), body))


def test_inputs_named_like_modules(checks: Any) -> None:
    checks.agrees(_elementwise("F", "torch", "math", "Tensor", "Callable"))


def test_inputs_named_like_locals(checks: Any) -> None:
    formulas = [
        r"\mathrm{softmax}(\frac{Q \cdot weights^\top}{\sqrt{d_k}})scores",
        r"y_{ij} = i_{ij} + j_i",
        r"l_i = \max_j O_{ij} - I_i",
    ]
    for latex in formulas:
        checks.agrees(checks.typed(latex))


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.",
        r"LaTeX: $\frac{a}{b}$",
        'Ends in a quote: "here"',
        "Ends in a backslash \\",
        '"Begins" with one',
        'Three: """ + open("/etc/passwd").read() + """',
        r'Both \" and """ here',
        "Two lines,\n\n    one indented.\n",
        "A bell \a, a null \0 and a carriage return \r.",
    ],
)
def test_docstrings_only_tell(checks: Any, text: str) -> None:
    source = torch_source(_elementwise("x"), "compute", text)
    tree = ast.parse(source)
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    told = ast.get_docstring(function) or ""
    plain = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    assert told.replace("'''", '"""').split() == plain.split()
    assert all(not isinstance(node, ast.Call) for node in ast.walk(function.body[0]))


def test_no_docstring_for_no_text() -> None:
    assert docstring_lines("  \n ") == []


def test_numbers_may_be_floats_or_tensors(checks: Any) -> None:
    function = checks.function(checks.typed(r"\mathrm{GELU}(x) = x\,\Phi(x)"))
    assert function(x=0.5).dtype is torch.float64
    assert function(x=torch.ones(2, 3)).shape == (2, 3)
    assert function(x=torch.ones((), dtype=torch.bfloat16)).dtype is torch.bfloat16


def test_a_formula_without_a_function_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise EmitError("two functions are called f")

    monkeypatch.setattr("notes2code.formula.torch_source", refuse)
    compiled = compile_formula("y = a + b")
    with pytest.raises(FormulaError, match=r"no PyTorch function .* two functions are called f"):
        compiled.function()


def test_a_state_before_a_step_is_not_the_one_after_it(checks: Any) -> None:
    """Whether its letter is by custom a size, as m is, or not."""
    for latex in (
        r"m_t = b m_{t-1} + g_t, \quad u_t = a m_t",
        r"m_t = b m_{t-1} + g_t W, \quad u_t = a m_t",
        r"s_t = b s_{t-1} + g_t, \quad u_t = a s_t",
    ):
        equation = checks.typed(latex)
        (defined,) = equation.definitions
        assert defined.name not in {given.name for given in equation.inputs}
        checks.agrees(equation)


def test_two_functions_of_one_name_are_refused() -> None:
    one, other = _elementwise("x"), _elementwise("y")
    inner = Equation("f", (), (), Lambda((), ir.ONE), functions={"g": one})
    outer = Equation("h", (), (), Lambda((), ir.ONE), functions={"f": inner, "g": other})
    with pytest.raises(EmitError, match="g"):
        torch_source(outer, "compute")
