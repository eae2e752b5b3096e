"""What the outcome of a package's tests depends on."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version


def identity(files: Mapping[str, str], packages: Iterable[str]) -> str:
    """A key for the outcome of tests: the code, without its comments and docstrings, and the
    versions of Python and of ``packages``."""
    digest = hashlib.sha256(sys.version.encode())
    for name in packages:
        digest.update(f"\0{name}\0{_version(name)}".encode())
    for path, text in sorted(files.items()):
        if path.endswith(".py"):
            digest.update(f"\0{path}\0{_code(text)}".encode())
    return digest.hexdigest()


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
