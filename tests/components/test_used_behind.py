"""What a formula defines is of the kind that the next one needs it to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.oracle import evaluate
from notes2code.vault import read_vault


def test_mean_of_vectors(tmp_path: Path) -> None:
    """By custom e_i is a number; the mean that a matrix maps is a vector, and so are they."""
    note = "$$ z = \\frac{1}{n} \\sum_{i=1}^{n} e_i $$\n\n$$ y = W z + b $$\n"
    (tmp_path / "a.md").write_text(note, encoding="utf-8")
    mean, _ = compile_vault(read_vault(tmp_path), library()).formulas
    equation = mean.compiled.equation
    assert equation is not None
    e = np.arange(12.0).reshape(4, 3)
    np.testing.assert_allclose(evaluate(equation, {"e": e}), e.mean(0))


def test_mean_of_numbers(tmp_path: Path) -> None:
    """Where the next one needs a number, or none follows, it stays one."""
    note = "$$ m = \\frac{1}{n} \\sum_{i=1}^{n} e_i $$\n\n$$ s = \\exp(-m) $$\n"
    (tmp_path / "a.md").write_text(note, encoding="utf-8")
    mean, _ = compile_vault(read_vault(tmp_path), library()).formulas
    assert mean.compiled.equation is not None
    assert mean.compiled.equation.value.indices == ()


def test_what_is_made_of_a_formula_is_no_part_of_it(tmp_path: Path) -> None:
    """A policy made of its reward, and the reward said by the policy: neither is put into the
    other."""
    policy = "\\pi^*(y | x) = \\frac{1}{Z(x)} \\pi_0(y | x) \\exp(r(x, y) / \\beta)"
    reward = "r(x, y) = \\beta \\log \\frac{\\pi^*(y | x)}{\\pi_0(y | x)} + \\beta \\log Z(x)"
    (tmp_path / "a.md").write_text(f"$$ {policy} $$\n\n$$ {reward} $$\n", encoding="utf-8")
    for formula in compile_vault(read_vault(tmp_path), library()).formulas:
        equation = formula.compiled.equation
        assert equation is not None
        assert not equation.functions


def test_a_parameter_that_another_formula_needs_is_none_that_does_not_occur(tmp_path: Path) -> None:
    weights = "\\alpha = \\mathrm{softmax}(Q K^\\top / \\sqrt{d_k})"
    note = f"$$ {weights} $$\n\n$$ \\mathrm{{Attention}}(Q, K, V) = \\alpha V $$\n"
    (tmp_path / "a.md").write_text(note, encoding="utf-8")
    _, whole = compile_vault(read_vault(tmp_path), library()).formulas
    assert whole.compiled.status == "component"
    assert not whole.compiled.problems


def test_what_scores_are_made_of_may_be_defined_before(tmp_path: Path) -> None:
    note = "\n\n".join(
        f"$$ {latex} $$"
        for latex in (
            "h_i = [\\overrightarrow{h}_i; \\overleftarrow{h}_i]",
            "e_{ti} = v^\\top \\tanh(W s_{t-1} + U h_i)",
            "\\alpha_{ti} = \\frac{\\exp(e_{ti})}{\\sum_j \\exp(e_{tj})}",
            "c_t = \\sum_i \\alpha_{ti} h_i",
        )
    )
    (tmp_path / "a.md").write_text(note, encoding="utf-8")
    _, *found = (
        one.compiled.recognised for one in compile_vault(read_vault(tmp_path), library()).formulas
    )
    assert [one.component.name for one in found if one is not None] == [
        "additive_attention",
        "additive_attention",
        "seq2seq_attention",
    ]
