"""Remembers which packages passed their tests; to lose it costs time only."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_KEPT = 200


def key(files: Mapping[str, str], packages: Iterable[str]) -> str:
    """What the outcome of tests depends on: the code, without its comments and docstrings, and
    the versions of Python and of ``packages``."""
    digest = hashlib.sha256(sys.version.encode())
    for name in packages:
        digest.update(f"\0{name}\0{_version(name)}".encode())
    for path, text in sorted(files.items()):
        if path.endswith(".py"):
            digest.update(f"\0{path}\0{_code(text)}".encode())
    return digest.hexdigest()


def recall(key: str) -> int | None:
    """How many tests passed, for a key that was remembered."""
    for known, passed in _entries():
        if known == key:
            return passed
    return None


def remember(key: str, passed: int) -> None:
    """Keep a key; the oldest ones are dropped. Does nothing where that is not possible."""
    kept = [entry for entry in _entries() if entry[0] != key][-(_KEPT - 1) :]
    text = "".join(f"{known} {count}\n" for known, count in [*kept, (key, passed)])
    with suppress(OSError, RuntimeError):
        place = _place()
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=place.parent, prefix="verified-", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
        Path(file.name).replace(place)


def _place() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(root) if root else Path.home() / ".cache") / "notes2code" / "verified"


def _entries() -> list[tuple[str, int]]:
    """The keys and counts in the cache, oldest first; none where it cannot be read."""
    try:
        lines = _place().read_text(encoding="utf-8").splitlines()
        return [(known, int(count)) for known, count in (line.split() for line in lines)]
    except (OSError, RuntimeError, ValueError):
        return []


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _code(text: str) -> str:
    """A module's code without comments and docstrings; the text itself if it is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)
