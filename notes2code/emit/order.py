"""The order of the classes in a module: what others are made of stands before them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

from notes2code.components.parts import Part
from notes2code.emit.blocks import NAME, without_docstrings


def made_of(modules: Mapping[Part, str]) -> dict[Part, set[Part]]:
    """The parts that each one names in its code, with those that these name, and so on."""
    codes = {part: without_docstrings(text) for part, text in modules.items()}
    names = {part: {*NAME.findall(code)} - {part.name} for part, code in codes.items()}
    found = {part: {p for p in names if p.name in names[part]} for part in names}
    for part, used in found.items():
        for others in found.values():
            if part in others:
                others |= used
    return found


def ordered_parts(parts: list[Part], made_of: Mapping[Part, set[Part]]) -> list[Part]:
    """The parts of a module: what is made in fewer steps comes first, then what more of the
    package is made of, with its variants, then what is made of less, and else as in the notes;
    but whole models stay with what they are made of."""
    users = Counter(part for used in made_of.values() for part in used)
    of_variants = Counter(_kind(p) for used in made_of.values() for p in used)
    order = [_kind(part) for part in parts]
    least = {_kind(p): min(len(made_of[q]) for q in parts if _kind(q) == _kind(p)) for p in parts}

    @cache
    def steps(part: Part) -> int:
        return 1 + max(map(steps, made_of[part]), default=0)

    def place(part: Part) -> tuple[int, ...]:
        kind = _kind(part)
        return steps(part), -of_variants[kind], least[kind], order.index(kind), -users[part]

    ordered = sorted(parts, key=place)
    if "models" not in {part.component.family for part in parts}:
        return ordered
    whole = [part for part in parts if not any(part in made_of[other] for other in parts)]
    with_pieces = ([p for p in ordered if p in made_of[part] or p is part] for part in whole)
    return list(dict.fromkeys(part for pieces in with_pieces for part in pieces))


def _kind(part: Part) -> tuple[str, str]:
    """What variants are of one kind: a component in one form, such as with one head."""
    return part.component.name, part.recognised.form.kind
