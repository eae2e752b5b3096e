"""What the README shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import notes2code
from notes2code import read_vault
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.diagnostics.render import render as rendered
from notes2code.rendering import render

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    """The code blocks of one kind, "" being that without a name."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == kind]


def test_the_note_becomes_the_class(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Layers.md").write_text(blocks("markdown")[0])
    files = render(compile_vault(read_vault(vault), library()), "transformer").files
    assert blocks("python")[0] in files["transformer/layers.py"]


def test_a_slip_is_told_as_shown(tmp_path: Path) -> None:
    [shown] = [block for block in blocks("") if "error[" in block]
    formula = shown.splitlines()[1].split("| ")[1]
    (tmp_path / "Attention.md").write_text(f"# A mean\n\nof values:\n\n$$ {formula} $$\n")
    assert rendered(compile_vault(read_vault(tmp_path), library()).diagnostics()) == shown


def test_one_formula_in_python() -> None:
    formula = notes2code.compile_formula(
        re.findall(r'compile_formula\((r".*?")\)', README)[0][2:-1]
    )
    assert formula.component == "scaled_dot_product_attention"
    assert [given.name for given in formula.inputs] == ["Q", "K", "V"]


def test_each_command_is_one_line_for_each_system() -> None:
    lines = [*blocks("sh"), *blocks("powershell")]
    assert len(lines) == 4
    assert all(line.count("\n") == 1 for line in lines)
    for line in lines:
        assert "-c constraints.txt -e " in line and ".venv" in line
    for build in (lines[0], lines[2]):
        assert build.endswith("notes2code build\n")
    for test in (lines[1], lines[3]):
        assert '".[dev]"' in test and test.endswith("python -m pytest -n auto\n")


def test_the_links_lead_somewhere() -> None:
    root = Path(__file__).resolve().parents[1]
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (root / link).exists() and link != "generated"] == []
