"""Classes that say the same: what has all of another class, and perhaps attributes or weights of
its own, is derived from it and says the rest alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from notes2code.oracle.layout import Bracket, lines

_CLASS = re.compile(
    r'class (?P<name>\w+)\((?P<base>[\w.]+)\):\n(?P<doc>    r?"""[\s\S]*?"""\n)(?P<body>[\s\S]*)'
)
_MEMBERS = re.compile(r"\n\n(?=    \S)")
_CONSTRUCTOR = re.compile(
    r"(?P<head>    def __init__\(\s*self, (?P<given>[^*]*?),?\s*\) -> None:\n)"
    r"        super\(\).__init__\(\)\n(?P<made>[\s\S]*)"
)
_MADE = re.compile(r"        (?P<what>self\.\w+) = .*[^(\[{]")


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
    earlier one is derived from that, also where it makes some attributes in another way."""
    texts: list[str] = []
    earlier: list[_Class] = []
    for text in classes:
        own = _read(text)
        rests = () if own is None else ((other, _rest(own, other)) for other in earlier)
        other, rest = next((found for found in rests if found[1] is not None), (None, None))
        if own is None or other is None or rest is None:
            texts.append(text)
        else:
            head = f"class {own.name}({other.name}):\n{own.doc}"
            texts.append("\n".join([head, "\n\n".join(rest)]) if rest else head.rstrip())
        if own is not None:
            earlier.append(own)
    return texts


def _read(text: str) -> _Class | None:
    """A class with a docstring; nothing else is to be derived."""
    found = _CLASS.fullmatch(f"{text.rstrip()}\n")
    if found is None:
        return None
    members = (member.strip("\n") for member in _MEMBERS.split(found["body"]))
    return _Class(found["name"], found["base"], found["doc"], [m for m in members if m])


def _rest(own: _Class, other: _Class) -> list[str] | None:
    """The members that a class has besides those of another one; None if it is not to be derived
    from that."""
    if own.base != other.base or len(own.methods) != len(other.methods) or not own.methods:
        return None
    rest = [member for member in own.members if member not in other.members]
    lacks = [member for member in other.members if member not in own.members]
    if not lacks:
        return None if any("def " in member for member in rest) else rest
    made = _made_anew(rest[0], lacks[0]) if len(rest) == len(lacks) == 1 else None
    return None if made is None else [made]


def _made_anew(own: str, other: str) -> str | None:
    """A constructor that calls another one and makes some attributes anew, which that makes for
    nothing else; None where the two differ by more."""
    mine, theirs = _CONSTRUCTOR.fullmatch(own), _CONSTRUCTOR.fullmatch(other)
    if mine is None or theirs is None or mine["given"] != theirs["given"]:
        return None
    pairs = list(zip_longest(mine["made"].split("\n"), theirs["made"].split("\n"), fillvalue=""))
    anew = [pair for pair in pairs if pair[0] != pair[1]]
    if len(anew) == len(pairs):
        return None
    for pair in anew:
        names = {found and found["what"] for found in map(_MADE.fullmatch, pair)}
        name = names.pop()
        if name is None or names or theirs["made"].count(name) > 1:
            return None
    given = re.findall(r"(\w+): ", mine["given"])
    call = lines(Bracket("super().__init__(", tuple(given), ")"), 8)
    return "\n".join([mine["head"].rstrip("\n"), *call, *(line for line, _ in anew)])
