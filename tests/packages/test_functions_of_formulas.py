"""The formulas that tests of a package evaluate stand in it once each."""

from __future__ import annotations

import re

from building import package_of
from notes2code.emit.testing import new_functions

ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right) V"
MULTI_HEAD = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(head_1, \dots, head_h) W^O, \quad "
    r"head_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)"
)


def test_a_function_that_is_there_under_another_name_is_called_by_that() -> None:
    source = package_of([ATTENTION, MULTI_HEAD])["tests/formulas.py"]
    functions = re.findall(r"^def (\w+)(\([\s\S]*?)(?=\n\n\n|\Z)", source, re.MULTILINE)
    rests = [rest for _, rest in functions]
    assert len(functions) > 3
    assert len(set(rests)) == len(rests)
    assert "scaled_dot_product_attention_reference(Q_W_Q[i], K_W_K[i], V_W_V[i])" in source


def test_functions_of_one_name_are_told_apart() -> None:
    defined: dict[str, str] = {}
    one = "def f(x):\n    return x\n\n\ndef first_reference(x):\n    return f(x)"
    other = "def f(x):\n    return 2 * x\n\n\ndef second_reference(x):\n    return f(x)"
    assert new_functions(one, defined) == one.split("\n\n\n")
    assert new_functions(other, defined) == [
        "def second_f(x):\n    return 2 * x",
        "def second_reference(x):\n    return second_f(x)",
    ]
    assert new_functions(one, defined) == []
