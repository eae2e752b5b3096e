"""What the tests of the command line share: a vault, and a small package that needs no torch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import notes2code.pipeline
import notes2code.rendering
from notes2code.cli import main
from notes2code.compilation import Compilation
from notes2code.components.parts import Source
from notes2code.rendering import Rendered

GOOD = r"$$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}}) V$$"
BAD = r"$$y = \frac{a}{$$"
_TESTS = """import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from {package}.attention import SCALES


def test_scales():
    assert "broken" not in SCALES
"""


def small_package(compilation: Compilation, package: str) -> Rendered:
    """A package that says which notes have attention and with which scale, and nothing else."""
    parts = [f for f in compilation.formulas if f.compiled.recognised is not None]
    words = [re.findall(r"\bbroken\b", note.source.text) for note in compilation.vault.notes]
    scales = [f.note.path for f in parts] + [word for found in words for word in found]
    files = {
        f"{package}/__init__.py": "from .attention import SCALES\n",
        f"{package}/attention.py": f"SCALES = {scales!r}\n",
        "tests/test_attention.py": _TESTS.format(package=package),
    }
    name = f"{package}.attention.SCALES"
    sources = [Source(f.note.path, f.position[0], f.formula.latex) for f in parts]
    return Rendered(files, {f.id: name for f in parts}, {name: tuple(sources)} if parts else {})


class Vault:
    """A vault in a folder of its own, and what the command line does with it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.notes, self.out = folder / "vault", folder / "generated"
        self.notes.mkdir()
        self.output = self.errors = ""

    def write(self, name: str, text: str) -> None:
        place = self.notes / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def run(self, *arguments: str) -> int:
        """Run the command line in the folder; keeps what it printed."""
        self.capsys.readouterr()
        code = main(arguments)
        self.output, self.errors = self.capsys.readouterr()
        return code

    def data(self) -> Any:
        """What was printed, as JSON."""
        return json.loads(self.output)

    def disk(self) -> dict[str, bytes]:
        """The files in the output folder."""
        return {
            path.relative_to(self.out).as_posix(): path.read_bytes()
            for path in sorted(self.out.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def vault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Vault:
    """A vault with one good note, in the current folder; packages are small ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(notes2code.pipeline, "render", small_package)
    monkeypatch.setattr(notes2code.rendering, "render", small_package)
    made = Vault(tmp_path, capsys)
    made.write("Attention.md", f"# Attention\n\n{GOOD}\n")
    return made


@pytest.fixture
def tested(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the tests of packages end as wished, without running them."""
    from notes2code.verify import Verdict

    def ending(verdict: Verdict) -> None:
        monkeypatch.setattr(notes2code.pipeline, "verify", lambda files, superseded: verdict)

    ending(Verdict(passed=3))
    return ending
