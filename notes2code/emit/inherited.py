"""Classes that say the same: what has all of another class, or all but a small part, and perhaps
attributes or weights of its own, is derived from it and says the rest alone. Of two that differ in
biases alone, an attribute of the class says which has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from notes2code.oracle.layout import WIDTH, Bracket, lines

_CLASS = re.compile(
    r'class (?P<name>\w+)\((?P<base>[\w.]+)\):\n(?P<doc>    r?"""[\s\S]*?"""\n)(?P<body>[\s\S]*)'
)
_MEMBERS = re.compile(r"\n\n(?=    \S)")
_CONSTRUCTOR = re.compile(
    r"(?P<head>    def __init__\(\s*self,\s+(?P<given>[^*]*?),?\s*\) -> None:\n)"
    r"        super\(\).__init__\(\)\n(?P<made>[\s\S]*)"
)
_MADE = re.compile(
    r"        (?P<what>self\.\w+) = (?P<how>(?P<of>(?:nn\.)?[A-Z]\w*(?=\())?.*[^(\[{])"
)
_LINEAR = re.compile(r"(?P<made>        self\.\w+ = Linear\([^()]*?)(?P<bare>, bias=False)?\)")


@dataclass
class _Class:
    """A class of a module, as its component says it: ``text`` is what is written of it."""

    name: str
    base: str
    doc: str
    members: list[str]
    text: str

    @property
    def methods(self) -> list[str]:
        return [member for member in self.members if "def " in member]


def inherited(classes: Sequence[str]) -> list[str]:
    """The texts of a module's classes in order; one that has the base and all members of an
    earlier one is derived from that, also where it makes some attributes in another way."""
    written = [_read(text) for text in classes]
    for at, own in enumerate(written):
        for other in written[:at] if own.members else ():
            rest = _rest(own, other)
            if rest is not None:
                head = f"class {own.name}({other.name}):\n{own.doc}"
                own.text = "\n".join([head, "\n\n".join(rest)]) if rest else head.rstrip()
                break
    return [own.text for own in written]


def _read(text: str) -> _Class:
    """A class with a docstring; anything else has no members, and is not to be derived."""
    found = _CLASS.fullmatch(f"{text.rstrip()}\n")
    if found is None:
        return _Class("", "", "", [], text)
    members = (member.strip("\n") for member in _MEMBERS.split(found["body"]))
    return _Class(found["name"], found["base"], found["doc"], [m for m in members if m], text)


def _rest(own: _Class, other: _Class) -> list[str] | None:
    """The members that a class has besides those of another one; None if it is not to be derived
    from that. The text of the other one may get an attribute in which the two differ."""
    if own.base != other.base or len(own.methods) != len(other.methods) or not own.methods:
        return None
    rest = [member for member in own.members if member not in other.members]
    anew = {_attribute(member) for member in rest} - {""}
    lacks = [
        member
        for member in other.members
        if member not in own.members and _attribute(member) not in anew
    ]
    if not lacks:
        return None if any("def " in member for member in rest) else rest
    if _overrides(rest, lacks, sum(map(_lines, other.members))):
        return rest
    if len(rest) != 1 or len(lacks) != 1:
        return None
    made = _biased(rest[0], lacks[0], other) or _made_anew(rest[0], lacks[0], other)
    return None if made is None else [made]


def _overrides(rest: Sequence[str], lacks: Sequence[str], whole: int) -> bool:
    """Whether a class is another one but for a small part of its methods, which it has in another
    way; ``whole`` counts the lines of the other one. What it makes, and what it asks its base for,
    would not be the same below another base."""
    methods = [member for member in rest if "def " in member]
    if any("super()" in member for member in methods):
        return False
    alike = [_signature(m) for m in methods] == [_signature(m) for m in lacks]
    return alike and _SMALL * sum(map(_lines, methods)) <= whole


_SMALL = 5
"""How many times as long as what is its own the class has to be from which one is derived."""


def _attribute(member: str) -> str:
    """The name of an attribute of a class; "" for a method."""
    return "" if "def " in member else member.partition(" = ")[0].strip()


def _signature(member: str) -> str:
    """What stands before the body of a method; an attribute as it is."""
    return member.partition(":\n")[0]


def _lines(member: str) -> int:
    return member.count("\n") + 1


# --- biases -------------------------------------------------------------------------------------


def _biased(own: str, other: str, base: _Class) -> str | None:
    """The attribute that says whether a class has the biases in which alone its constructor
    differs from that of its base, which is written with such an attribute; None where the two
    differ otherwise, or the base has an attribute for other biases."""
    pairs = list(zip_longest(own.split("\n"), other.split("\n"), fillvalue=""))
    found = [(_LINEAR.fullmatch(a), _LINEAR.fullmatch(b)) for a, b in pairs if a != b]
    if not all(a and b and a["made"] == b["made"] for a, b in found):
        return None
    has = {a["bare"] is None for a, _ in found if a}
    shared = "\n".join(_shared(*pair) for pair in pairs)
    if len(has) > 1 or any(len(line) > WIDTH for line in shared.split("\n")):
        return None
    (biased,) = has
    if shared not in base.text:
        attribute = f"    biased = {not biased}  # whether its linear maps have biases"
        base.text = base.text.replace(other, f"{attribute}\n\n{shared}")
    return f"    biased = {biased}" if shared in base.text else None


def _shared(own: str, other: str) -> str:
    """A line of both constructors: where they differ, an attribute says whether there is a bias."""
    found = _LINEAR.fullmatch(own)
    return own if own == other or found is None else f"{found['made']}, bias=self.biased)"


# --- weights ------------------------------------------------------------------------------------


def _made_anew(own: str, other: str, base: _Class) -> str | None:
    """A constructor that calls another one, perhaps with other defaults, and makes some attributes
    anew, which that makes for nothing else; None where the two differ by more."""
    mine, theirs = _CONSTRUCTOR.fullmatch(own), _CONSTRUCTOR.fullmatch(other)
    if mine is None or theirs is None or _asked(mine["given"]) != _asked(theirs["given"]):
        return None
    pairs = list(zip_longest(mine["made"].split("\n"), theirs["made"].split("\n"), fillvalue=""))
    anew = [pair for pair in pairs if pair[0] != pair[1]]
    text: str | None = base.text
    for line, replaced in anew:
        made = _MADE.fullmatch(replaced)
        if made is None or text is None or theirs["made"].count(made["what"]) > 1:
            return None
        text = _allowing(line, made, text)
    if len(anew) == len(pairs) or text is None:
        return None
    base.text = text
    given = re.findall(r"(\w+): ", mine["given"])
    call = lines(Bracket("super().__init__(", tuple(given), ")"), 8)
    return "\n".join([mine["head"].rstrip("\n"), *call, *(line for line, _ in anew)])


def _allowing(line: str, made: re.Match[str], text: str) -> str | None:
    """The text of a class in which a line may stand for that where an attribute is made: one that
    makes a module of another class is allowed to. None where it makes something else."""
    own = _MADE.fullmatch(line)
    if own is None or own["what"] != made["what"]:
        return None
    if own["of"] == made["of"]:
        return text
    of_any = f"        {made['what']}: nn.Module = {made['how']}"
    modules = all(found["of"] not in (None, "nn.Parameter") for found in (own, made))
    if not modules or len(of_any) > WIDTH:
        return None
    allowing = text.replace(f"{made[0]}\n", f"{of_any}\n")
    return allowing if of_any in allowing else None


def _asked(given: str) -> list[str]:
    """The parameters of a constructor with their types, without their defaults."""
    return re.findall(r"\w+: [^=,]*[^=, ]", given)
