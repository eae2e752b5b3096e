"""The import lines of emitted modules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from notes2code.emit.blocks import NAME, public_names, without_docstrings


def ordered(names: Iterable[str]) -> list[str]:
    """Names as ruff sorts them: constants, classes, functions."""
    return sorted(names, key=lambda n: (not n.isupper(), not n[0].isupper(), n))


def joined(names: Sequence[str], room: int = 70) -> str:
    """Names for an import line, in parentheses where one line would be too long."""
    sequence = ordered(names)
    line = ", ".join(sequence)
    if len(line) < room:
        return line
    return "(\n" + "".join(f"    {name},\n" for name in sequence) + ")"


_KNOWN = (
    (r"\bmath\.", "import math"),
    (r"\bre\.", "import re"),
    (r"\bCallable\b", "from collections.abc import Callable"),
    (r"\bIterator\b", "from collections.abc import Iterator"),
    (r"\bMapping\[", "from collections.abc import Mapping"),
    (r"\bSequence\[", "from collections.abc import Sequence"),
    (r"@contextmanager\b", "from contextlib import contextmanager"),
    (r"\bpartial\(", "from functools import partial"),
    (r"(?<![\w.])reduce\(", "from functools import reduce"),
    (r"\bCounter\b", "from collections import Counter"),
    (r"\basdict\(", "from dataclasses import asdict"),
    (r"@dataclass\b", "from dataclasses import dataclass"),
    (r"\bfields\(", "from dataclasses import fields"),
    (r"(?<![\w.])replace\(", "from dataclasses import replace"),
    (r"\bsignature\(", "from inspect import signature"),
    (r"\bpairwise\(", "from itertools import pairwise"),
    (r"\bproduct\(", "from itertools import product"),
    (r"(?<![\w.])repeat\(", "from itertools import repeat"),
    (r"\bPathLike\b", "from os import PathLike"),
    (r"\bPath\b", "from pathlib import Path"),
    (r"\bSimpleNamespace\b", "from types import SimpleNamespace"),
    (r"[:,] Any\b", "from typing import Any"),
    (r"\bNamedTuple\b", "from typing import NamedTuple"),
    (r"-> Self\b", "from typing import Self"),
    (r"\bnp\.", "import numpy as np"),
    (r"\bpytest\.", "import pytest"),
    (r"\btorch\.(?!nn)", "import torch"),
    (r"\bF\.\w", "import torch.nn.functional as F"),
    (r"(?<![\w.])Tensor\b", "from torch import Tensor"),
    (r"(?<![\w.])nn\.", "from torch import nn"),
)
_OTHERS = ("numpy", "pytest", "torch")
"""The packages that are none of Python's own."""


def imports_of(body: str) -> str:
    """The imports that a body needs, grouped and sorted as ruff does."""
    code = without_docstrings(body)
    whole: dict[str, list[str]] = {}
    for pattern, line in _KNOWN:
        if re.search(pattern, code):
            module, _, name = line.partition(" import ")
            whole.setdefault(module, []).extend([name] if name else [])
    needed = [f"{m} import {joined(names)}" if names else m for m, names in whole.items()]
    standard = [n for n in needed if re.split(r"[ .]", n)[1] not in _OTHERS]
    other = [n for n in needed if n not in standard]
    groups = ["\n".join(sorted(group, key=_order)) for group in (standard, other) if group]
    return "\n\n".join(groups) + ("\n" if groups else "")


def _order(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line.lower()


def imports_of_siblings(family: str, body: str, bodies: Mapping[str, str]) -> str:
    """Imports of other modules' classes."""
    lines: list[str] = []
    code = without_docstrings(body)
    used = set(NAME.findall(code))
    for other, text in bodies.items():
        names = [n for n in public_names(text) if n in used and re.search(_used(n), code)]
        if other != family and names:
            lines.append(f"from .{other} import {joined(names)}")
    return "\n" + "\n".join(sorted(lines)) + "\n" if lines else ""


def _used(name: str) -> str:
    """A pattern for the use of a class, or for a call of a function."""
    return rf"(?<![\w.]){name}" + (r"\(" if name[0].islower() else r"\b")
