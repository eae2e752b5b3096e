"""Formulas that are no component become functions where their section or note is tagged for it."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from building import Package
from notes2code.compilation import Compilation, compile_vault
from notes2code.components.library import library
from notes2code.inspection import facts
from notes2code.rendering import Rendered, render
from notes2code.vault import read_vault

ROOT = Path(__file__).parents[2]
NOTE = r"""# Training

## Choosing a word
#n2c/emit

Scores $z \in \mathbb{R}^{V}$ become probabilities; $p$ is one, and $u = 1/N$ the mean of all.

$$
p_i = \frac{\exp(z_i / \tau)}{\sum_{j=1}^{V} \exp(z_j / \tau)}
$$

$$
-\sum_{i=1}^{n} q_i \log q_i
$$

$$
f(X) = \mathrm{mix}(X, X) + \mathrm{mix}(2 X, X), \quad \mathrm{mix}(A, B) = (A - B) B^\top
$$

$$
\mathrm{sum}(a, b) = a^2 + b
$$

$$
c = h(x^2) + 1
$$

$$
s = \log(-x^2 - 1)
$$

## Not asked for

$$
r = a^2 + b^3
$$
"""
OTHER = "# Other\n#n2c/emit\n\n$$\np_i = z_i^2 + \\mathrm{ReLU}(z_i)\n$$\n"


@pytest.fixture
def compilation(tmp_path: Path) -> Compilation:
    (tmp_path / "Training.md").write_text(NOTE, encoding="utf-8")
    (tmp_path / "Other.md").write_text(OTHER, encoding="utf-8")
    return compile_vault(read_vault(tmp_path), library())


@pytest.fixture
def rendered(compilation: Compilation) -> Rendered:
    return render(compilation, "transformer")


def _functions(rendered: Rendered) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(rendered.files["transformer/formulas.py"])
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_each_is_a_function_with_a_name_of_its_own(rendered: Rendered) -> None:
    functions = _functions(rendered)
    public = [name for name in functions if not name.startswith("_")]
    assert [name for name in functions if name not in public] == ["_mix"]
    assert public == ["p", "u", "p_of_training", "choosing_a_word", "f", "sum_"]
    assert [a.arg for a in functions["p_of_training"].args.args] == ["z", "tau"]
    exported = rendered.files["transformer/__init__.py"]
    assert "from .formulas import choosing_a_word, f, p, p_of_training, sum_, u" in exported


def test_its_docstring_names_formula_shapes_and_place(rendered: Rendered) -> None:
    docstring = ast.get_docstring(_functions(rendered)["p_of_training"])
    assert docstring is not None
    for part in (
        "Choosing a word.",
        r"p_i = \frac{\exp(z_i / \tau)}{\sum_{j=1}^{V} \exp(z_j / \tau)}",
        "z: (..., V)",
        "tau: a number",
        "Training.md:9.",
    ):
        assert part in docstring
    assert r"\mathrm{mix}(A, B) = (A - B) B^\top" in (
        ast.get_docstring(_functions(rendered)["f"]) or ""
    )


def test_inspect_says_what_each_became(compilation: Compilation, rendered: Rendered) -> None:
    found = facts(compilation, rendered.emitted, rendered.remarks)["formulas"]
    became = {formula["line"]: formula["emitted_as"] for formula in found}
    assert became[9] == "transformer.formulas.p_of_training"
    assert became[35] is None


def test_what_has_no_test_is_left_out(compilation: Compilation, rendered: Rendered) -> None:
    reasons = {id: remark.message for id, (remark,) in rendered.remarks.items()}
    by_line = {int(id.split(":")[1]): message for id, message in reasons.items()}
    assert by_line.keys() == {25, 29}
    assert "h is a function that the notes do not define" in by_line[25]
    assert "it has no value" in by_line[29]


def test_the_tests_pass_and_fail_on_a_mistake(
    rendered: Rendered, run_tests: Callable[[Package], bool]
) -> None:
    assert run_tests(rendered.files)
    path = "transformer/formulas.py"
    for right, wrong in (("z / tau", "z * tau"), ("dim=-1", "dim=0"), ("A - B", "A + B")):
        broken = rendered.files[path].replace(right, wrong)
        assert broken != rendered.files[path]
        assert not run_tests({**rendered.files, path: broken})


def test_it_is_the_same_every_time(compilation: Compilation, rendered: Rendered) -> None:
    assert render(compilation, "transformer").files == rendered.files


def test_sizes_that_divide_by_zero_are_not_tried(
    tmp_path: Path, run_tests: Callable[[Package], bool]
) -> None:
    note = "#n2c/emit\n\n$$b' = b s^{d/(d-2)}$$\n\n$$c = a^{n/(n-3)} + n$$\n"
    note += "\n$$y = \\exp(-d/(d-2)) x, \\quad x \\in \\mathbb{R}^d$$\n"
    (tmp_path / "Note.md").write_text(note, encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert not rendered.remarks
    assert run_tests(rendered.files)


def test_what_no_class_can_be_made_of_is_a_function(
    tmp_path: Path, run_tests: Callable[[Package], bool]
) -> None:
    score = r"\frac{q^\top k_j}{\|k_j\|}"
    latex = (
        rf"\mathrm{{KeyAttn}}(q, K, V) = \sum_{{j}} \mathrm{{softmax}}_j\left({score}\right) v_j"
    )
    note = tmp_path / "Note.md"
    note.write_text(f"$${latex}$$\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert not rendered.classes
    note.write_text(f"#n2c/emit\n\n$${latex}$$\n", encoding="utf-8")
    compilation = compile_vault(read_vault(tmp_path), library())
    rendered = render(compilation, "transformer")
    assert list(rendered.emitted.values()) == ["transformer.formulas.key_attn"]
    (remark,) = rendered.diagnostics
    assert remark.code == "N2C053" and "function `key_attn`" in remark.help
    assert not any(" for " in told.message for told in compilation.formulas[0].diagnostics[:1])
    assert run_tests(rendered.files)


def _checked(rendered: Rendered, folder: Path, *command: str) -> None:
    for path in ("transformer/formulas.py", "tests/test_formulas.py"):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rendered.files[path], encoding="utf-8")
    line = [sys.executable, "-m", *command, str(folder / "transformer")]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(importlib.util.find_spec("ruff") is None, reason="ruff is not installed")
@pytest.mark.parametrize("command", [["check", "--no-cache"], ["format", "--check", "--no-cache"]])
def test_ruff(rendered: Rendered, tmp_path: Path, command: list[str]) -> None:
    config = str(ROOT / "pyproject.toml")
    _checked(rendered, tmp_path, "ruff", *command, "--config", config, str(tmp_path / "tests"))


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy(rendered: Rendered, tmp_path: Path) -> None:
    _checked(rendered, tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"))
