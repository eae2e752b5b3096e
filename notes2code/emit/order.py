"""The order of the classes in a module: what others are made of stands before them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from notes2code.components.plan import Part
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
    """The parts of a module: what is made of fewer parts comes first, then what more of the
    package is made of, with its variants, and else as in the notes; but whole models stay with
    what they are made of."""
    users = Counter(part for used in made_of.values() for part in used)
    of_variants = Counter(p.component.name for used in made_of.values() for p in used)
    order = [part.component.name for part in parts]

    def place(part: Part) -> tuple[int, ...]:
        name = part.component.name
        return len(made_of[part]), -of_variants[name], order.index(name), -users[part]

    ordered = sorted(parts, key=place)
    if "models" not in {part.component.family for part in parts}:
        return ordered
    whole = [part for part in parts if not any(part in made_of[other] for other in parts)]
    with_pieces = ([p for p in ordered if p in made_of[part] or p is part] for part in whole)
    return list(dict.fromkeys(part for pieces in with_pieces for part in pieces))
