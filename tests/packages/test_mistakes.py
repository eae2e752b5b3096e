"""The emitted tests must fail when the code is wrong: typical mistakes of each component.

A component's ``mistakes.toml`` lists them as replacements in its emitted class; ``notes`` are
the formulas that the package is made from, the textbook's by default.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from building import Package, package_of
from notes2code.components.library import Component, library


def _cases() -> list[Any]:
    return [
        pytest.param(component, id=component.name)
        for component in library().components.values()
        if (component.folder / "mistakes.toml").is_file()
    ]


@pytest.mark.parametrize("component", _cases())
def test_emitted_tests_fail_on_mistakes(
    component: Component, run_tests: Callable[[Package], bool]
) -> None:
    listed = tomllib.loads((component.folder / "mistakes.toml").read_text(encoding="utf-8"))
    files = package_of(listed.get("notes", [component.textbook]))
    # The tests of the component's own module must do; those of others would only take longer.
    own = f"tests/test_{component.family}.py"
    files = {p: text for p, text in files.items() if not p.startswith("tests/test_") or p == own}
    assert run_tests(files), "the tests must pass before anything is broken"
    survivors = []
    for mistake in listed["mistakes"]:
        path = f"transformer/{mistake.get('module', component.family)}.py"
        assert mistake["find"] in files[path], f"`{mistake['find']}` is not in {path}"
        broken = files[path].replace(mistake["find"], mistake["put"])
        if run_tests({**files, path: broken}):
            survivors.append(mistake["what"])
    assert len(listed["mistakes"]) >= 5
    assert not survivors
