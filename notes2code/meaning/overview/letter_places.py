"""Where letters are written below and above names, and what that tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from notes2code.latex.tree import (
    Accent,
    Big,
    Group,
    Juxt,
    Name,
    Node,
    Nodes,
    Script,
    once,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts


def in_list(node: Node) -> set[str]:
    """The letters of the list below a name."""
    return set(listed_below(node))


def listed_below(node: Node) -> tuple[str, ...]:
    """The letters of the list below a name, in order; none that stands there twice."""
    while isinstance(node, Accent):
        node = node.base
    sub = node.sub if isinstance(node, Script) else None
    items = sub.items if isinstance(sub, Group) and {*sub.separators} == {","} else ()
    letters = [item.text for item in items if isinstance(item, Name) and len(item.text) == 1]
    return tuple(letters) if len({*letters}) == len(items) else ()


@once
def counted_elsewhere(nodes: Nodes) -> Mapping[str, Set[str]]:
    """The letters below each name that a sum counts elsewhere: the c of ``z_c`` beside ``Σ_j
    e^{z_j}``; and those above it, beside an index below: the c of ``z_i^c`` beside ``z_i^t``."""
    summed = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    below: dict[str, set[str]] = {}
    for node in nodes.of(Script) if summed else ():
        match node:
            case Script(Name(base), Name(letter), None, 0):
                below.setdefault(base, set()).add(letter)
            case Script(Name(base), Name(letter), Name(above), 0) if above not in names.TRANSPOSES:
                below.setdefault(f"{base}_{letter}", set()).add(above)
    return {base: letters for base, letters in below.items() if letters & summed}


@once
def at_counted_places(nodes: Nodes) -> Mapping[str, Set[str]]:
    """The letters in lists below each name, where a sum counts in the same place elsewhere: the c
    of ``l_{r,c}`` beside ``Σ_j e^{l_{r,j}}``, and that of ``l_{rc}`` beside ``Σ_j e^{l_{rj}}``."""
    summed = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    lists: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for node in nodes.of(Script) if summed else ():
        row = tuple(spelt_below(node)) or listed_below(node)
        if row and isinstance(node.base, Name):
            lists.setdefault((node.base.text, len(row)), []).append(row)
    found: dict[str, set[str]] = {}
    for (base, _), rows in lists.items():
        columns = (set(column) for column in zip(*rows, strict=True))
        found[base] = {x for column in columns if column & summed for x in column}
    return found


def spelling(nodes: Iterable[Node], bound: Set[str]) -> set[str]:
    """The r, u and n of ``μ_{run} = (1 - a) μ_{run} + a x``: three letters that spell a word,
    with a vowel between two others, and of which none is bound or in a script but there. A j
    counts, and so do letters from i to n alone."""
    scripted = [node for node in nodes if isinstance(node, Script)]
    words = {spelt for node in scripted if _is_spelt(spelt := spelt_below(node))}
    if len(words) != 1:
        return set()
    rest = (node for node in scripted if spelt_below(node) not in words)
    places = (at for node in rest for at in (node.sub, node.sup) if at is not None)
    (word,) = words
    return set[str]() if {*word} & (words_in(*places) | bound) else {*word}


def _is_spelt(letters: str) -> bool:
    vowels = [letter in "aeiou" for letter in letters]
    counts = "j" in letters or {*letters} <= {*"ijklmn"} or len({*letters}) < 3
    return vowels == [False, True, False] and not counts


def spelt_below(node: Node) -> str:
    """The letters right beside each other below a name."""
    match node:
        case Script(Name(), Juxt(factors)) if all(isinstance(f, Name) for f in factors):
            letters = [binders.bare(factor) for factor in factors]
            return "".join(letters) if {*map(len, letters)} == {1} else ""
    return ""


def letters_below(nodes: Iterable[Node]) -> set[str]:
    """The letters that stand alone below a name."""
    subs = (node.sub for node in nodes if isinstance(node, Script) and scripts.is_name(node))
    return {sub.text for sub in subs if isinstance(sub, Name) and len(sub.text) == 1}


def is_loss(target: Node) -> bool:
    """Whether what is defined is a loss, an L or J, or a number by its name."""
    base = binders.bare(target)
    return scripts.is_name(target) and (base in ("L", "J") or names.is_number(base))
