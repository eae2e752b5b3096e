"""Equations that only say where another one holds, and define nothing."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code.compilation import CompiledFormula, compile_vault
from notes2code.components.library import library
from notes2code.vault import Vault, read_note_text
from tables import Case, check, table


def _annealed(low: float, high: float, now: float, most: float) -> np.ndarray:
    return np.asarray(low + (high - low) / 2 * (1 + np.cos(now / most * np.pi)))


ANNEALED = (
    r"\eta_t &= \eta_{min} + \frac{1}{2} (\eta_{max} - \eta_{min})"
    r" \left(1 + \cos\left(\frac{T_{cur}}{%s} \pi\right)\right)"
)


@table(
    # The second column tells two cases apart, of which one is ≠ and the other =.
    Case(
        rf"\begin{{aligned}} {ANNEALED % 'T_m'}, & T_{{cur}} \neq k T_m; \\"
        r" \eta_{t+1} &= \eta_t + 1, & T_{cur} = k T_m. \end{aligned}",
        "eta_min eta_max T_cur T_m",
        lambda *given: _annealed(*given) + 1,
    ),
    # A second column of equations is one of definitions.
    Case(r"\begin{aligned} y &= a + b, & b &= c^2 \end{aligned}", "c a", lambda c, a: a + c**2),
    # What is divided by another of its letter is a number, with a label of any length.
    Case(ANNEALED.replace("&", "") % "T_i", "eta_min eta_max T_cur T_i", _annealed),
)
def test_value(case: Case) -> None:
    check(case)


def compiled(text: str) -> tuple[CompiledFormula, ...]:
    return compile_vault(Vault("vault", (read_note_text("note.md", text),)), library()).formulas


@pytest.mark.parametrize(
    "sentence",
    [
        "When $T_c = T_m$, we begin anew.",
        "It begins anew if $T_c = T_m$.",
        "当 $T_c = T_m$ 时，重启。",
    ],
)
def test_what_a_sentence_supposes_is_no_definition(sentence: str) -> None:
    said, other = compiled(f"{sentence}\n\n$$ y = x \\cos(\\pi T_c) $$\n")
    assert said.compiled.status == "text"
    assert other.compiled.equation is not None
    assert "T_c" in {given.name for given in other.compiled.equation.inputs}


@pytest.mark.parametrize("sentence", ["Let $q = k$.", "If we write $u = W x$, it is short."])
def test_what_a_sentence_defines_is(sentence: str) -> None:
    assert compiled(sentence)[0].compiled.status == "formula"
