"""Classes that say the same: what has all of another class, and perhaps attributes of its own, is
derived from it and says the rest alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_CLASS = re.compile(
    r'class (?P<name>\w+)\((?P<base>[\w.]+)\):\n(?P<doc>    r?"""[\s\S]*?"""\n)(?P<body>[\s\S]*)'
)
_MEMBERS = re.compile(r"\n\n(?=    \S)")


class _Class(NamedTuple):
    name: str
    base: str
    doc: str
    members: list[str]

    @property
    def methods(self) -> list[str]:
        return [member for member in self.members if "def " in member]


def inherited(classes: Sequence[str]) -> list[str]:
    """The texts of a module's classes in order; one that has the base and all members of an
    earlier one is derived from that."""
    texts: list[str] = []
    earlier: list[_Class] = []
    for text in classes:
        own = _read(text)
        same = None if own is None else next((e for e in earlier if _has_all(own, e)), None)
        if own is not None:
            earlier.append(own)
        texts.append(text if own is None or same is None else _derived(own, same))
    return texts


def _read(text: str) -> _Class | None:
    """A class with a docstring; nothing else is to be derived."""
    found = _CLASS.fullmatch(f"{text.rstrip()}\n")
    if found is None:
        return None
    members = (member.strip("\n") for member in _MEMBERS.split(found["body"]))
    return _Class(found["name"], found["base"], found["doc"], [m for m in members if m])


def _has_all(own: _Class, other: _Class) -> bool:
    """Whether a class has all of another one, and no methods besides."""
    same = own.base == other.base and own.methods == other.methods
    return bool(own.methods) and same and {*other.members} <= {*own.members}


def _derived(own: _Class, other: _Class) -> str:
    rest = [member for member in own.members if member not in other.members]
    head = f"class {own.name}({other.name}):\n{own.doc}"
    return "\n".join([head, "\n\n".join(rest)]) if rest else head.rstrip()
