"""Tests of a package are left out only where they have passed for the very same code."""

from __future__ import annotations

import pytest

import unchanged
from unchanged import remember, to_run

FILES = {
    "README.md": "A package.",
    "transformer/__init__.py": "from .layers import layer\n",
    "transformer/layers.py": "from . import masks\n",
    "transformer/masks.py": "MASK = 1\n",
    "transformer/losses.py": "LOSS = 1\n",
    "tests/conftest.py": "import sys\n",
    "tests/checks.py": "def check():\n    from transformer.masks import MASK\n",
    "tests/test_layers.py": "from transformer.layers import layer\n",
    "tests/test_losses.py": "import transformer.losses\n",
    "tests/test_masks.py": "import checks\n",
    "tests/test_package.py": "import transformer\n",
    "tests/test_readme.py": "from pathlib import Path\n",
}
LAYERS, LOSSES, MASKS = ("tests/test_layers.py", "tests/test_losses.py", "tests/test_masks.py")
PACKAGE, README = ("tests/test_package.py", "tests/test_readme.py")


@pytest.fixture(autouse=True)
def passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tests of a package have passed, and no others."""
    monkeypatch.setattr(unchanged, "_PASSED", set())
    assert {*to_run(FILES)} == {LAYERS, LOSSES, MASKS, PACKAGE, README}
    remember(to_run(FILES).values())


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("README.md", []),
        ("transformer/__init__.py", [PACKAGE]),
        ("transformer/layers.py", [LAYERS, PACKAGE]),
        ("transformer/masks.py", [LAYERS, MASKS, PACKAGE]),
        ("transformer/losses.py", [LOSSES]),
        ("tests/checks.py", [MASKS]),
        ("tests/test_losses.py", [LOSSES]),
        ("tests/conftest.py", [LAYERS, LOSSES, MASKS, PACKAGE]),
    ],
)
def test_what_uses_a_changed_file_is_run_again(path: str, tests: list[str]) -> None:
    """The tests that import nothing of the package may look at anything of it."""
    changed = {**FILES, path: f"{FILES[path]}# changed\n"}
    assert sorted(to_run(changed)) == sorted([*tests, README])
