"""What stands around a package: the README with its example, what pip needs, and docstrings."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Mapping
from inspect import isclass, signature
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from building import Package, package_of
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.emit.docs import rows as shown
from notes2code.emit.readme import cell, math
from notes2code.rendering import render
from notes2code.vault import read_vault

FFN = r"\mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2"


@pytest.fixture
def files() -> Package:
    return package_of([FFN])


def _rows(readme: str) -> list[list[str]]:
    lines = [line for line in readme.splitlines() if line.startswith("|")]
    return [[part.strip() for part in line.strip("|").split(" | ")] for line in lines]


def test_the_readme_says_what_became_of_a_formula(files: Package) -> None:
    assert _rows(files["README.md"])[2:] == [
        [
            f"${FFN}$",
            "[`FeedForward`](transformer/layers.py)",
            "vault/Note.md:1",
            "`tests/test_layers.py`",
        ]
    ]


def test_its_example_is_run(files: Package, run_tests: Callable[[Package], bool]) -> None:
    only = {path: text for path, text in files.items() if path != "tests/test_layers.py"}
    assert run_tests(only)
    broken = only["README.md"].replace("d_model=64", "d_model=65")
    assert broken != only["README.md"]
    assert not run_tests({**only, "README.md": broken})


def test_pip_installs_the_package_with_its_types(files: Package) -> None:
    project = tomllib.loads(files["pyproject.toml"])
    assert project["project"]["name"] == "transformer"
    assert [d.split(">")[0] for d in project["project"]["dependencies"]] == ["torch"]
    assert project["tool"]["setuptools"]["packages"] == ["transformer"]
    assert files["transformer/py.typed"] == ""


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"\lVert x \rVert", r"$\lVert x \rVert$"),
        (r"P(a | b)", r"$P(a \vert b)$"),
        (r"\|x\|", r"$\Vert x\Vert $"),
        ("a < b\n  > c", r"$a \lt b \gt c$"),
        (r"x \text{ costs $5}", r"`x \text{ costs $5} `"),
        (r"`rm` | a$", r"`'rm' \| a$ `"),
        ("a \\", "`a \\ `"),
    ],
)
def test_a_formula_stays_in_its_cell(latex: str, shown: str) -> None:
    assert math(latex) == shown


@pytest.mark.parametrize("names", [("gpt",), ("encoder_decoder",), ("gpt", "encoder_decoder")])
def test_what_is_said_of_training_fills_its_lines(names: tuple[str, ...]) -> None:
    readme = package_of([library().components[n].textbook.latex for n in names])["README.md"]
    _, _, text = readme.partition("## Training")
    paragraphs = [p.splitlines() for p in text.split("\n\n") if p and not p.startswith("```")]
    assert len(paragraphs) == len(names) + 1
    for lines in paragraphs:
        for line, after in pairwise(lines):
            assert len(line) <= 100 < len(f"{line} {after.split()[0]}")


def test_a_text_in_a_cell_is_no_markdown() -> None:
    assert cell("a|b\n`c` <img>") == r"a\|b \`c\` \<img\>"


@pytest.fixture
def strange(tmp_path: Path) -> Mapping[str, str]:
    """The package of a note whose names try to be code."""
    note = tmp_path / 'a """ + exit() | `b`.md'
    note.write_text(f'$${FFN} \\quad \\text{{""" + exit()}}$$\n\n$${FFN}$$\n', encoding="utf-8")
    return render(compile_vault(read_vault(tmp_path), library()), "transformer").files


def test_names_of_notes_stay_in_docstrings(strange: Mapping[str, str]) -> None:
    tree = ast.parse(strange["transformer/layers.py"])
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert not any(isinstance(call, ast.Name) and call.id == "exit" for call in calls)
    (layer,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert "exit()" in (ast.get_docstring(layer) or "")
    assert all(len(row) == 4 for row in _rows(strange["README.md"]))


def test_a_docstring_keeps_the_author_s_lines() -> None:
    columns = "PE_{(pos, 2i+1)} &= \\cos\\left(\\frac{pos}{10000^{2i/d}}\\right)"
    rows = ["\\begin{aligned}", "PE &= \\dots \\\\", columns, "\\end{aligned}"]
    assert shown("\n".join(rows) + "\n\n", 90).splitlines() == rows
    long = " + ".join(["W_{long}"] * 20)
    assert max(map(len, shown(long, 60).splitlines())) <= 60
    spaced = "a = b + c, \\quad b = 1, \\quad c = 2"
    assert shown(spaced, 30).splitlines() == ["a = b + c, \\quad b = 1,", "\\quad c = 2"]
    assert shown(spaced, 12).splitlines()[:2] == ["a = b + c,", "\\quad b = 1,"]


def test_docstrings_speak_of_all_arguments(imported: Callable[[Package], ModuleType]) -> None:
    package = imported(package_of([c.textbook.latex for c in library().components.values()]))
    classes = [c for name in package.__all__ if isclass(c := getattr(package, name))]
    missing = [
        (made.__name__, name)
        for made in classes
        for name in signature(made.__dict__.get("forward", isclass)).parameters
        if not re.search(rf"\b{name}\b", f"{made.__doc__} self object")
    ]
    assert not missing


def _of_vault(folder: Path, notes: Mapping[str, str]) -> Package:
    for name, text in notes.items():
        (folder / name).write_text(text, encoding="utf-8")
    return render(compile_vault(read_vault(folder), library()), "transformer").files


def test_a_docstring_says_what_macros_stand_for(tmp_path: Path) -> None:
    notes = {
        "Week 1.md": r"$\newcommand{\scores}[1]{\frac{#1 K^\top}{\sqrt{d_k}}}$",
        "Heads.md": r"$$\newcommand{\vs}{V} O = \mathrm{softmax}(\scores{Q}) \vs$$",
    }
    files = _of_vault(tmp_path, notes)
    said = r"O = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}}) V"
    assert said in files["transformer/attention.py"] and said in files["README.md"]


def test_a_docstring_breaks_no_line_within_a_path(tmp_path: Path) -> None:
    """Not even one with blanks."""
    note = r"$$O = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}}) V$$"
    names = [f"Notes of the {i} th week of my course.md" for i in range(4)]
    files = _of_vault(tmp_path, dict.fromkeys(names, note))
    assert all(f"/{name}:1" in files["transformer/attention.py"] for name in names)
    assert "\N{NO-BREAK SPACE}" not in "".join(files.values())
