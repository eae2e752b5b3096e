"""The likely repair of a rejected formula is offered where it is recognised."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code import FormulaError, compile_formula
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.vault import read_vault


def help_of(folder: Path, formula: str) -> str:
    """The help of the error that a note of one formula gets."""
    (folder / "Note.md").write_text(f"$$ {formula} $$\n", encoding="utf-8")
    found = compile_vault(read_vault(folder), library()).diagnostics()
    (error,) = (diagnostic for diagnostic in found if diagnostic.severity == "error")
    return error.help


@pytest.mark.parametrize(
    ("formula", "repair"),
    [
        (
            r"\mathrm{softmax}(\frac{1}{\sum_m} QK^T) V",
            r"\mathrm{softmax}(\frac{1}{\sqrt{m}} QK^T) V",
        ),
        (
            r"y_i = \sum_j \mathrm{softmax}_j(\frac{1}{\sum_m q_i^T k_j}) v_j",
            r"y_i = \sum_j \mathrm{softmax}_j(\frac{1}{\sqrt{m}} q_i^T k_j) v_j",
        ),
        (
            r"x_i \rightarrow \frac{a \rightarrow y_i = \mathrm{softmax}(\frac{1}{\sum_m} QK^T) V",
            r"y_i = \mathrm{softmax}(\frac{1}{\sqrt{m}} QK^T) V",
        ),
        (
            r"\mathrm{softmax}(\frac{QK^T}{\sqrt{d_k}}) V - n \times l",
            r"\mathrm{softmax}(\frac{QK^T}{\sqrt{d_k}}) V",
        ),
        (
            r"\mathrm{softmax}(rac{QK^T}{\sqrt{d_k}}) V",
            r"\mathrm{softmax}(\frac{QK^T}{\sqrt{d_k}}) V",
        ),
        # A transpose that is lost, stands at the other matrix, or is one too many.
        (r"U = \mathrm{softmax}(QK) V", r"U = \mathrm{softmax}(QK^\top) V"),
        (r"\mathrm{softmax}(Q^\top K) V", r"\mathrm{softmax}(Q K^\top) V"),
        (r"\mathrm{softmax}(QK^T) V^T", r"\mathrm{softmax}(QK^T) V"),
        (r"s_{ij} = Q_iK_j", r"s_{ij} = Q_iK_j^\top"),
        (
            r"P = \mathrm{softmax}(\mathbf{Q} \cdot \mathbf{K})",
            r"P = \mathrm{softmax}(\mathbf{Q} \cdot \mathbf{K}^\top)",
        ),
    ],
)
def test_a_slip_is_undone(tmp_path: Path, formula: str, repair: str) -> None:
    assert f"`{repair}` would be attention whose scores are" in help_of(tmp_path, formula)


def test_nothing_is_offered_that_is_not_recognised(tmp_path: Path) -> None:
    assert "would be" not in help_of(tmp_path, r"y = \frac{1}{\sum_m} x")


def test_nothing_is_offered_that_is_strange(tmp_path: Path) -> None:
    """``softmax(K Q^T) V`` would be attention, with queries where keys stand."""
    assert "would be" not in help_of(tmp_path, r"U = \mathrm{softmax}(K^\top Q) V")


def test_a_transpose_is_offered_inside_a_softmax(tmp_path: Path) -> None:
    assert r"(q K^\top) V` would be" in help_of(tmp_path, r"u = \mathrm{softmax}(q K) V")


def test_a_single_formula_is_offered_its_repair() -> None:
    with pytest.raises(FormulaError, match=r"QK\^\\top.* would be attention"):
        compile_formula(r"U = \mathrm{softmax}(QK) V")


def test_nothing_is_offered_that_what_is_declared_speaks_against() -> None:
    """The columns of Q and K are queries and keys here: ``Q^T K`` is meant."""
    with pytest.raises(FormulaError) as raised:
        compile_formula(r"\mathrm{softmax}(QK) V", context=r"Q, K, V \in \mathbb{R}^{d \times n}")
    assert not any("would be" in problem.help for problem in raised.value.diagnostics)
