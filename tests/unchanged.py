"""What the tests of rendered packages have in common.

Packages differ in a few modules and share the rest. A module of tests that passed is not run again
for another package where it and all that it imports are the same, letter by letter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath

from building import Package

Content = frozenset[tuple[str, str]]
"""Modules: their paths and texts."""

_PASSED: set[Content] = set()


def to_run(files: Package) -> dict[str, Content]:
    """The modules of tests that have not passed with what they import, and what that is.

    Those that import nothing of the package look at it in other ways, and are always run.
    """
    tests = {path: _with_imported(files, path) for path in files if _holds_tests(path)}
    return {path: content for path, content in tests.items() if content not in _PASSED}


def remember(passed: Iterable[Content]) -> None:
    """Modules of tests, with what they import, passed."""
    _PASSED.update(content for content in passed if not all(map(_is_of_tests, content)))


def _holds_tests(path: str) -> bool:
    return path.startswith("tests/test_")


def _is_of_tests(module: tuple[str, str]) -> bool:
    return module[0].startswith("tests/")


def _with_imported(files: Package, test: str) -> Content:
    found, waiting = set[str](), {test, "tests/conftest.py"}
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= (_imported(path, files[path]) & files.keys()) - found
    return frozenset((path, files[path]) for path in found)


@cache
def _imported(path: str, text: str) -> frozenset[str]:
    """The paths where a module that this one imports may lie."""
    names = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = node.module or ""
            names |= {start, *(f"{start}.{alias.name}".strip(".") for alias in node.names)}
    folders = ("", f"{PurePosixPath(path).parent}/")
    stems = [f"{folder}{name.replace('.', '/')}" for folder in folders for name in names]
    return frozenset(f"{stem}{end}" for stem in stems for end in (".py", "/__init__.py"))
