"""Definitions that only show what a function comes to are not what other formulas call."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.vault import read_vault
from tables import Case, check, softmax, table

ATTENTION = (
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"
)
CALL = r"H = \mathrm{Attention}(X W_Q, X W_K, X W_V)"
INPUTS = "X[n,d] W_Q[d,k] W_K[d,k] W_V[d,v]"


def attended(x: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Attention of one sequence, scaled."""
    return softmax(x @ q @ (x @ k).T / np.sqrt(k.shape[-1])) @ x @ v


@table(
    Case(
        CALL,
        INPUTS,
        attended,
        context=[ATTENTION, r"\mathrm{Attention}(q_2, K, V) = \alpha_1 v_1 + \alpha_2 v_2"],
    ),
    Case(
        CALL,
        INPUTS,
        attended,
        context=[ATTENTION, r"\mathrm{Attention}(Q, K, V) = \sum_{i=1}^n \alpha_i v_i"],
    ),
    # What leaves an argument out shows nothing of it.
    Case(
        r"r = \mathrm{Blend}(a, z)",
        "a[d] U_1[p,d] c_1[p]",
        lambda a, u, c: u @ a + c,
        context=[
            r"\mathrm{Blend}(x, h) = U_1 x + U_2 h",
            r"\mathrm{Blend}(x, h) = U_1 x + c_1",
        ],
    ),
    # The nearest is meant where the note says what its scores are.
    Case(
        CALL,
        INPUTS,
        lambda x, q, k, v: x @ q @ (x @ k).T @ x @ v,
        context=[ATTENTION, r"S = Q K^\top", r"\mathrm{Attention}(Q, K, V) = S V"],
    ),
)
def test_what_is_called_says_what_becomes_of_all(case: Case) -> None:
    check(case)


def test_a_section_has_its_own_function_whatever_it_leaves_out(tmp_path: Path) -> None:
    note = (
        "# Scores\n\n$$\\mathrm{score}(q, k) = q^\\top k$$\n\n## Of places\n\n"
        "$$\\mathrm{score}(q, k) = u^\\top k$$\n\n$$e_{ij} = \\mathrm{score}(q_i, k_j)$$\n"
    )
    (tmp_path / "Note.md").write_text(note, encoding="utf-8")
    *_, last = compile_vault(read_vault(tmp_path), library()).formulas
    made = last.compiled.equation
    assert made is not None and {"k", "u"} <= {one.name for one in made.inputs}
    assert "q" not in {one.name for one in made.inputs}
