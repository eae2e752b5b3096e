"""Classes that differ in their formulas alone, or in an attribute, say the rest once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import ModuleType

import pytest

from building import Package, package_of, without_training

SCALED = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V"
HIDDEN = r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
CAUSAL = rf"\mathrm{{softmax}}\left(\frac{{QK^\top}}{{\sqrt{{d_k}}}} + M\right) V, \quad {HIDDEN}"
BIASED = r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + B\right) V"
UNSCALED = r"\mathrm{softmax}(QK^\top) V"

OF_SCALED = "class CausalScaledDotProductAttention(ScaledDotProductAttention):"
OF_BASE = "class UnscaledDotProductAttention(DotProductAttention):"
CASES: Sequence[tuple[Sequence[str], str]] = [
    ([SCALED, CAUSAL], OF_SCALED),
    ([CAUSAL, SCALED, UNSCALED], OF_BASE),
    ([SCALED, BIASED], "class MaskedScaledDotProductAttention(ScaledDotProductAttention):"),
    ([CAUSAL, UNSCALED], OF_BASE),
]


@pytest.mark.parametrize(("formulas", "head"), CASES)
def test_what_has_all_of_another_class_is_derived_from_it(
    formulas: Sequence[str],
    head: str,
    run_tests: Callable[[Package], bool],
) -> None:
    files = package_of(formulas)
    assert head in files["transformer/attention.py"]
    assert run_tests(without_training(files))


def test_only_what_is_its_own_is_said_again() -> None:
    code = package_of([SCALED, CAUSAL])["transformer/attention.py"]
    assert code.count("def scores(self, query: Tensor, key: Tensor)") == 2  # with the base's
    (body,) = re.findall(rf'{re.escape(OF_SCALED)}\n    r"""[\s\S]*?"""\n([\s\S]*)', code)
    assert body == "\n    causal = True\n"


def test_no_class_gets_what_it_has_not(imported: Callable[[Package], ModuleType]) -> None:
    """What hides later keys is no base of what does not."""
    package = imported(package_of([CAUSAL, BIASED, SCALED]))
    assert package.CausalScaledDotProductAttention.causal
    for name in ("ScaledDotProductAttention", "MaskedScaledDotProductAttention"):
        assert not getattr(package, name).causal


HEADS = r"\mathrm{%s}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) %s"
PLAIN = (
    HEADS % ("MultiHead", "W^O")
    + r", \quad \mathrm{head}_i = \mathrm{Attention}(X W_i^Q, X W_i^K, X W_i^V)"
)
WITH_BIASES = (
    HEADS % ("BiasedHeads", "W^O + b^O") + r", \quad \mathrm{head}_i = \mathrm{Attention}"
    r"(X W_i^Q + b_i^Q, X W_i^K + b_i^K, X W_i^V + b_i^V)"
)


def test_a_class_with_other_weights_makes_these_alone(
    run_tests: Callable[[Package], bool], imported: Callable[[Package], ModuleType]
) -> None:
    files = package_of([SCALED, PLAIN, WITH_BIASES])
    code = files["transformer/attention.py"]
    (body,) = re.findall(
        r"class Biased\w+\(MultiHeadAttention\):\n    r.*?\n    \"{3}\n(.*)", code, re.S
    )
    assert re.findall(r"self\.(\w+) = ", body) == ["W_Q", "W_K", "W_V", "W_O"]
    assert body.count("def ") == 1
    assert run_tests(files)
    package = imported(files)
    biased = package.BiasedMultiHeadAttention(6, 2, dropout=0.5)
    assert sorted(package.MultiHeadAttention(6, 2).state_dict()) == [
        f"W_{x}.weight" for x in "KOQV"
    ]
    assert len(biased.state_dict()) == 8
    assert (biased.num_heads, biased.attention.dropout) == (2, 0.5)
