"""Whole packages are typed and formatted, whatever stands in them."""

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


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_packages_are_typed_and_formatted(tmp_path: Path) -> None:
    packages: Sequence[Sequence[str]] = [[], TEXTBOOK, [*TWO_NORMS, GROUPS]]
    for number, formulas in enumerate(packages):
        for path, text in package_of(formulas).items():
            file = tmp_path / path.replace("transformer", f"package_{number}", 1)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    folders = [str(tmp_path / f"package_{number}") for number in range(len(packages))]
    cache = ["--cache-dir", str(tmp_path / "cache")]
    for command in (["mypy", "--strict", *cache], ["ruff", "format", "--check", "--no-cache"]):
        line = [sys.executable, "-m", *command, *folders]
        done = subprocess.run(line, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
