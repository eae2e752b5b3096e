"""Whole packages are typed, clean and formatted, whatever stands in them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from building import package_of
from notes2code.components.library import library

TEXTBOOK = [
    textbook.latex
    for component in library().components.values()
    for textbook in component.textbooks.values()
]
GROUPS = (
    r"\mathrm{GQA}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
    r"\mathrm{head}_i = \mathrm{Attention}(X W_i^Q, X W_{\lceil i/r \rceil}^K, "
    r"X W_{\lceil i/r \rceil}^V)"
)
TWO_NORMS = [
    r"y = x + \mathrm{Sublayer}(\mathrm{LayerNorm}(x))",
    r"y = x + \mathrm{Sublayer}(\mathrm{RMSNorm}(x))",
]


TURNED = (
    r"\mathrm{head}_i = "
    r"\mathrm{Attention}(\mathrm{RoPE}(Q W_i^Q), \mathrm{RoPE}(K W_i^K), V W_i^V)"
)
# The functions that formulas are given have the names of classes here.
NAMED_SO = [
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V",
    r"\mathrm{Block}(X) = \mathrm{LN}(X + \mathrm{Attention}(X, X, X))",
]
# A width that is given is a number, where one that is learned is a tensor.
GIVEN_WIDTH = (
    r"f(x) = \sum_i \frac{K(x, x_i)}{\sum_j K(x, x_j)} y_i, \quad "
    r"K(x, x_i) = \exp\left(-\frac{\|x - x_i\|^2}{2 \lambda^2}\right)"
)


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_packages_are_typed_and_clean(tmp_path: Path) -> None:
    mixed = [[*TWO_NORMS, GROUPS], [*NAMED_SO, TURNED, GIVEN_WIDTH]]
    packages: Sequence[Sequence[str]] = [[], TEXTBOOK, *mixed]
    for number, formulas in enumerate(packages):
        for path, text in package_of(formulas, f"package_{number}").items():
            file = tmp_path / str(number) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    folders = [f"{number}/package_{number}" for number in range(len(packages))]
    for command in (
        ["mypy", "--strict", *folders],
        ["ruff", "check", "--no-cache"],
        ["ruff", "format", "--check", "--no-cache"],
    ):
        line = [sys.executable, "-m", *command]
        done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
