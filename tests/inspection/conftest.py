"""What the tests of inspection share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notes2code.compilation import Compilation, compile_vault
from notes2code.components.library import library
from notes2code.inspection import facts
from notes2code.vault import read_vault

Write = Callable[..., Path]

ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}}) V"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write notes (texts by path) to a vault; its folder."""

    def notes(texts: dict[str, str], folder: str = "vault") -> Path:
        for name, text in texts.items():
            place = tmp_path / folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return tmp_path / folder

    return notes


@pytest.fixture
def compiled(write: Write) -> Callable[..., Compilation]:
    """Compile notes that are given as texts by path."""
    return lambda texts: compile_vault(read_vault(write(texts)), library())


@pytest.fixture
def inspected(compiled: Callable[..., Compilation]) -> Callable[..., dict[str, Any]]:
    """The facts of notes that are given as texts by path."""
    return lambda texts, emitted=None: facts(compiled(texts), emitted or {})


@pytest.fixture
def attention() -> str:
    """The formula of attention, as a note writes it."""
    return ATTENTION
