"""Several equations in one formula, of which one that is refused takes none of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.compilation import CompiledFormula, compile_vault
from notes2code.components.library import library
from notes2code.latex.apart import equations
from notes2code.vault import read_vault


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (r"z = W h, \quad P(t \mid x) = z_t", ["z = W h,", r"P(t \mid x) = z_t"]),
        (r"a = b \\ + c \\ d = e", [r"a = b \\ + c", "d = e"]),
        (
            r"a = b, \quad b \in \mathbb{R}, \quad c = d",
            [r"a = b, \quad b \in \mathbb{R},", "c = d"],
        ),
        (
            r"y = \begin{cases} a & b \\ c & d \end{cases} \\ z = x",
            [r"y = \begin{cases} a & b \\ c & d \end{cases}", "z = x"],
        ),
        # A range, the next side of a chain and what words explain are no equations of their own.
        (r"a_i = b_i, \quad i = 1, \dots, n", []),
        (r"a = b \\ = c", []),
        (r"y = z, \quad \text{where } z = 3", []),
        (r"M_{ij} = 0 \text{ if } j \le i, \quad M_{ij} = 1 \text{ otherwise}", []),
        (r"a = b", []),
    ],
)
def test_equations(latex: str, parts: list[str]) -> None:
    assert [one.latex.strip() for one in equations(latex)] == parts


def test_rows_of_an_environment() -> None:
    rows = r"\begin{align*} q &= x W \\ &= y \\ K_{i, j} &= 2 \end{align*}"
    assert [one.latex.split() for one in equations(rows)] == [
        r"\begin{aligned} q &= x W \\ &= y \end{aligned}".split(),
        r"\begin{aligned} K_{i, j} &= 2 \end{aligned}".split(),
    ]


def _compiled(folder: Path, text: str) -> tuple[CompiledFormula, ...]:
    (folder / "a.md").write_text(f"$$\n{text}\n$$\n", encoding="utf-8")
    return compile_vault(read_vault(folder), library()).formulas


def test_the_others_are_computed(tmp_path: Path) -> None:
    """Each stands where its row does, and is linked to the others."""
    rows = ["S &= Q K^\\top", r"E &= \mathbb{E}[S]", r"O &= \mathrm{softmax}(S) V"]
    text = "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"
    found = _compiled(tmp_path, text)
    assert [f.compiled.status for f in found] == ["component", "rejected", "component"]
    assert [f.diagnostics[0].line for f in found if f.compiled.status == "rejected"] == [4]
    equation = found[2].compiled.equation
    assert equation is not None
    assert {given.name for given in equation.inputs} == {"Q", "K", "V"}


def test_a_layer_in_several_steps_is_read_step_by_step(tmp_path: Path) -> None:
    """Its steps are made of one another, and of the layer before, and what goes in is said."""
    rows = [
        r"h_0 &= x W + P",
        r"a_l &= \mathrm{MSA}(\mathrm{LN}(h_{l-1})) + h_{l-1}",
        r"h_l &= \mathrm{FFN}(\mathrm{LN}(a_l)) + a_l",
    ]
    found = _compiled(tmp_path, "\\begin{align}\n" + " \\\\\n".join(rows) + "\n\\end{align}")
    components = [f.compiled.recognised and f.compiled.recognised.component.name for f in found]
    assert components == [None, "add_norm", "encoder_layer"]


def test_what_does_not_go_together_is_refused_whole(tmp_path: Path) -> None:
    """Neither of two definitions that contradict each other is the right one."""
    found = _compiled(tmp_path, r"y = W x \\ y = U x + b \\ z = 2 y")
    assert [f.compiled.status for f in found] == ["rejected"]
