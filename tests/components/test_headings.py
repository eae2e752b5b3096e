"""What the heading above a formula says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.vault import read_vault

NORMALISED = r"y_i = \gamma_i \frac{x_i - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta_i"


def component_under(folder: Path, headings: str) -> str | None:
    (folder / "Note.md").write_text(f"{headings}\n\n$${NORMALISED}$$\n", encoding="utf-8")
    (formula,) = compile_vault(read_vault(folder), library()).formulas
    recognised = formula.compiled.recognised
    return recognised.component.name if recognised else None


@pytest.mark.parametrize(
    ("headings", "component"),
    [
        ("# Norms", "layer_norm"),
        ("## Batch Normalization", None),
        ("# Batch normalisation\n\n## In training", None),
        ("# Batch norm\n\n## Layer norm", "layer_norm"),
        ("# Batch norm against layer norm", "layer_norm"),
        ("# Layer norm\n\n## BatchNorm", None),
    ],
)
def test_a_norm_is_the_one_of_the_nearest_heading(
    headings: str, component: str | None, tmp_path: Path
) -> None:
    assert component_under(tmp_path, headings) == component


@pytest.mark.parametrize(
    ("title", "component"),
    [
        ("BatchNorm", None),
        ("Batch normalization", None),
        ("Layer norm", "layer_norm"),
        ("Batch norm and layer norm", "layer_norm"),
    ],
)
def test_a_norm_is_that_of_the_title(title: str, component: str | None, tmp_path: Path) -> None:
    """Obsidian shows the name of a note as its heading."""
    (tmp_path / f"{title}.md").write_text(f"First:\n\n$${NORMALISED}$$\n", encoding="utf-8")
    (formula,) = compile_vault(read_vault(tmp_path), library()).formulas
    recognised = formula.compiled.recognised
    assert (recognised.component.name if recognised else None) == component


@pytest.mark.parametrize(
    ("text", "component"),
    [
        ("Batch normalisation standardises every activation:", None),
        ("For each mini-batch, activations get mean 0.", None),
        ("推論では移動平均を使う。", None),
        ("Unlike batch norm, this does not look at other examples.", "layer_norm"),
        ("Layer normalisation took the place of batch normalisation.", "layer_norm"),
        ("Batch norm came first.\n\nThen came layer norm:", "layer_norm"),
        ("# Layer norm\n\nThe examples of a mini-batch are normalised one by one:", "layer_norm"),
        ("# Batch norm\n\nWith that, training is quicker.\n\n# Later", "layer_norm"),
    ],
)
def test_a_norm_is_the_one_that_the_text_beside_it_speaks_of(
    text: str, component: str | None, tmp_path: Path
) -> None:
    assert component_under(tmp_path, text) == component


def test_a_mean_that_was_kept_is_given(tmp_path: Path) -> None:
    latex = r"y = \gamma \frac{x - \mu_{moving}}{\sqrt{\sigma_{moving}^2 + \epsilon}} + \beta"
    other = latex.replace("moving", "layer")
    (tmp_path / "Note.md").write_text(f"$${latex}$$\n\n$${other}$$\n", encoding="utf-8")
    first, second = (
        one.compiled for one in compile_vault(read_vault(tmp_path), library()).formulas
    )
    assert first.recognised is None
    assert first.equation is not None
    assert {"mu_moving", "sigma_moving"} <= {given.name for given in first.equation.inputs}
    assert second.recognised is not None
    assert second.recognised.component.name == "layer_norm"


def test_a_schedule_is_of_any_kind(tmp_path: Path) -> None:
    text = "## Learning Rate Schedules\n\n$$\\eta_t = \\eta_0 \\gamma^{\\lfloor t / s \\rfloor}$$\n"
    (tmp_path / "Note.md").write_text(text, encoding="utf-8")
    (formula,) = compile_vault(read_vault(tmp_path), library()).formulas
    assert formula.compiled.status == "formula"
    assert not formula.diagnostics
