"""The emitted tests must fail when the code is wrong: typical mistakes of each component.

A component's ``mistakes.toml`` lists them as replacements in its emitted class; ``notes`` are
the formulas that the package is made from, the textbook's by default.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from building import package_of
from notes2code.components.library import Component, library

pytest.importorskip("resource", reason="mistakes are tried in forked processes")

from surviving import survivors
from trial import replaced


def _cases() -> list[Any]:
    return [
        pytest.param(component, id=component.name)
        for component in library().components.values()
        if (component.folder / "mistakes.toml").is_file()
    ]


@pytest.mark.parametrize("component", _cases())
def test_emitted_tests_fail_on_mistakes(component: Component, tmp_path: Path) -> None:
    listed = tomllib.loads((component.folder / "mistakes.toml").read_text(encoding="utf-8"))
    files = package_of(listed.get("notes", [component.textbook.latex]))
    # The tests of the component's own module must do; those of others would only take longer.
    own = f"tests/test_{component.family}.py"
    files = {p: text for p, text in files.items() if not p.startswith("tests/test_") or p == own}
    modules = {Path(p).name: text for p, text in files.items() if p.startswith("transformer/")}
    what = {
        replaced(modules, mistake.get("module", component.family), mistake): mistake["what"]
        for mistake in listed["mistakes"]
    }
    assert len(listed["mistakes"]) >= 5
    assert [what[mutant] for mutant in survivors(files, list(what), tmp_path)] == []
