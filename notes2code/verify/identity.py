"""What the outcome of each test of a package depends on: the code that it comes by.

A test comes by a definition, of the package or of the tests, when its own code, or code that it
comes by, names it, also in a text, or names its module as a whole. Which of several definitions of
one name is meant is not asked: it comes by all of them.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import PurePosixPath

ALL = "tests"
"""What is told to pytest to run all tests."""

_CONFTEST = "tests/conftest.py"
_TEST_FILE = "tests/test_"
_TESTS = ("test", "Test")
_HOOKS = ("pytest_", "setup_", "teardown_")
_RUN = "__file__"
"""By this name a file comes by what it does when it is run; others come by its own name."""

_DOTTED = re.compile(r"[\w.]+")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)

_ANYTHING = frozenset(
    ("runpy", "importlib", "pkgutil", "__import__", "exec", "eval", "globals", "*")
)
"""Names by which code comes by what it does not name."""


@dataclass(frozen=True, slots=True)
class _Definition:
    """A statement at the top of a file.

    ``name`` is what it defines; it has none where it counts as soon as anything of its file does.
    ``modules`` are the words of the module that an import names, none where it is no import.
    ``takers`` are the words of its decorators: what is named there may keep it and use it.
    """

    path: str
    name: str
    code: str
    words: frozenset[str] = frozenset()
    modules: tuple[str, ...] | None = None
    takers: frozenset[str] = frozenset()

    @property
    def is_test(self) -> bool:
        """Whether pytest runs it."""
        return self.path.startswith(_TEST_FILE) and self.name.startswith(_TESTS)

    @property
    def module(self) -> str:
        """The last word of its module's name."""
        pure = PurePosixPath(self.path)
        return pure.parent.name if pure.stem == "__init__" else pure.stem


def identities(files: Mapping[str, str], packages: Iterable[str]) -> dict[str, str]:
    """A key for the outcome of each test function and class in the files ``tests/test_….py``, by
    its name for pytest: of the code that it comes by, without comments and docstrings, and of the
    versions of Python and of ``packages``; under ``ALL`` one for all code. There is none where a
    file is no Python."""
    try:
        found = [d for path, text in sorted(files.items()) for d in _definitions(path, text)]
    except (SyntaxError, ValueError, RecursionError):
        return {}
    common = _digest(sys.version, *(f"{name} {_version(name)}" for name in packages))
    codes = [_digest(definition.path, definition.code) for definition in found]
    tests = {ALL: _digest(common, *codes)}
    for definition, reached in zip(found, _reached(found), strict=True):
        if definition.is_test:
            behind = (code for i, code in enumerate(codes) if reached >> i & 1)
            test = f"{definition.path}::{definition.name}"
            tests[test] = _digest(common, test, *behind)
    return tests


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _reached(found: Sequence[_Definition]) -> list[int]:
    """What each definition comes by, itself too: a number whose bits are the others' places."""
    named: dict[str, int] = defaultdict(int)
    inside: dict[tuple[str, str], int] = defaultdict(int)
    whole: dict[str, int] = defaultdict(int)
    taken: dict[str, int] = defaultdict(int)
    for i, one in enumerate(found):
        if one.modules is None:
            named[one.module if one.name == _RUN else one.name] |= 1 << i
        for place in {one.path, one.module}:
            inside[place, one.name] |= 1 << i
        whole[one.module] |= 1 << i
        for word in () if one.is_test else one.takers:
            taken[word] |= 1 << i
    reached = []
    for i, one in enumerate(found):
        bits = 1 << i | inside[one.path, ""] | inside[_CONFTEST, ""]
        for word in one.words:
            bits |= named.get(word, 0) | inside.get((one.path, word), 0)
            for module in one.modules or ():
                bits |= inside.get((module, word), 0) | inside.get((module, ""), 0)
        if one.modules is None:
            bits |= taken.get(one.name, 0)
        else:
            bits |= whole.get(one.modules[-1], 0)
        everything = one.words & _ANYTHING
        reached.append((1 << len(found)) - 1 if everything else bits)
    return _closed(reached)


def _closed(reached: list[int]) -> list[int]:
    """The same, with what is come by over several steps."""
    changed = True
    while changed:
        changed = False
        for i, bits in enumerate(reached):
            further = bits
            for j in _places(bits):
                further |= reached[j]
            if further != bits:
                reached[i], changed = further, True
    return reached


def _places(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


@lru_cache(1000)
def _definitions(path: str, text: str) -> tuple[_Definition, ...]:
    """The statements of a module; of another file its blocks of code."""
    if not path.endswith(".py"):
        return tuple(_Definition(path, "", block) for block in _FENCED.findall(text))
    module = ast.parse(text)
    imports = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    others = (statement for statement in module.body if statement not in imports)
    return (
        *(definition for statement in imports for definition in _imports(path, statement)),
        *(_definition(path, statement) for statement in others if not _is_text(statement)),
    )


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _imports(path: str, statement: ast.Import | ast.ImportFrom) -> Iterator[_Definition]:
    """A definition for each name that is imported."""
    origin, level = "", 0
    if isinstance(statement, ast.ImportFrom):
        origin, level = statement.module or "", statement.level
    for alias in statement.names:
        modules = tuple(f"{origin}.{alias.name}".strip(".").split("."))
        words = frozenset(alias.name.split("."))
        code = f"{ast.dump(alias)} from {level} {origin}"
        yield _Definition(path, _bound(alias), code, words, modules)


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0].strip("*")


def _definition(path: str, statement: ast.stmt) -> _Definition:
    _strip(statement)
    takers: frozenset[str] = frozenset()
    match statement:
        case (
            ast.FunctionDef(name=name, decorator_list=all)
            | ast.ClassDef(name=name, decorator_list=all)
        ):
            takers = frozenset(chain.from_iterable(_words(one) for one in all))
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            pass
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            name = _RUN
        case _:
            name = ""
    if path == _CONFTEST or name.startswith(_HOOKS) or "autouse" in takers:
        name = ""
    return _Definition(path, name, ast.dump(statement), frozenset(_words(statement)), None, takers)


def _words(code: ast.AST) -> Iterator[str]:
    """The words in a piece of code that may be names of what it comes by."""
    for node in ast.walk(code):
        match node:
            case ast.Name(id=word) | ast.arg(arg=word):
                yield word
            case ast.Constant(value=str(text)) if _DOTTED.fullmatch(text):
                yield from filter(None, text.split("."))


def _strip(statement: ast.stmt) -> None:
    """Take the docstrings out."""
    for node in ast.walk(statement):
        match node:
            case ast.ClassDef() | ast.FunctionDef() if ast.get_docstring(node, clean=False):
                node.body = node.body[1:] or [ast.Pass()]
