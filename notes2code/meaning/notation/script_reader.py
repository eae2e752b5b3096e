"""Reading the scripts of a name: which of them are indices, labels, a power or a transpose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from notes2code.latex.tree import Accent, Name, Node, Script
from notes2code.meaning import names
from notes2code.meaning.notation import positions
from notes2code.meaning.notation.scripts import ARROWS, Use
from notes2code.meaning.notation.scripts_above import Above

NO_STEPS: Mapping[str, Set[str]] = {}


def read(
    node: Node,
    bound: Set[str],
    as_target: bool = False,
    steps: Mapping[str, Set[str]] = NO_STEPS,
    numbered: Set[str] = frozenset(),
    raised: Set[str] = frozenset(),
    listed: Set[str] = frozenset(),
    times: Set[str] = frozenset(),
) -> Use:
    """Resolve the scripts of a name. ``bound`` are the letters that are indices here, ``steps``
    those that only count the steps of a recursion, by the letter of the name they stand on
    ("" for all names); ``numbered`` are the names of which a number beside an index tells an
    element, too; ``raised`` those that an index above them raises, ``listed`` those of which all
    have something above that tells them apart; ``times`` are letters that count above names."""
    if isinstance(node, Name):
        return Use(bare_name(node), node.span, bold=node.font == "bold")
    written = _written(node)
    base = written.base
    counting = steps.get(base.text, frozenset()) | steps.get("", frozenset())
    reader = Above(base, bound, as_target, counting, base.text in numbered)
    reader.raised = base.text in raised
    reader.listed = base.text in listed
    reader.times = times
    for sub in written.subs:
        reader.below(sub)
    below = len(reader.indices)
    for sup in written.sups:
        reader.above(sup)
    above = reader.indices[below:]
    if any(positions.stride(at.node) for at in above):  # the columns of p_t^{(2i)} come last
        above = []
    indices = (*above, *(at for at in reader.indices if at not in above))
    labels = [*reader.labels, *written.marks, *(["prime"] * written.primes)]
    worded = any(len(label) > 1 for label in reader.labels)  # which tells \mathcal{L}_{aux} apart
    return Use(
        names.code_name(_plain(base.text), "" if worded else _font(base), *labels),
        node.span,
        indices,
        reader.power,
        reader.transposed,
        base.font == "bold" or not ARROWS.isdisjoint(written.marks),
        reader.dropped,
        len(above),
    )


class _Written(NamedTuple):
    """A letter or a word, and what stands around it, the innermost first."""

    base: Name
    marks: tuple[str, ...]
    subs: tuple[Node, ...]
    sups: tuple[Node, ...]
    primes: int


def _written(node: Node) -> _Written:
    """A name taken apart."""
    marks: list[str] = []
    subs: list[Node] = []
    sups: list[Node] = []
    primes = 0
    while not isinstance(node, Name):
        if isinstance(node, Accent):
            marks.append(node.mark)
        elif isinstance(node, Script):
            primes += node.primes
            subs += [node.sub] if node.sub is not None else []
            sups += [node.sup] if node.sup is not None else []
        else:
            raise TypeError(node)
        node = node.base
    return _Written(node, (*reversed(marks),), (*reversed(subs),), (*reversed(sups),), primes)


def unindexed(node: Node) -> str:
    """A name with all its scripts, of which none is an index."""
    return read(node, frozenset()).name


def bare_name(node: Name) -> str:
    """The name of a letter or a word without scripts."""
    return names.code_name(_plain(node.text), _font(node))


def _font(node: Name) -> str:
    """What the font of a letter adds to its name."""
    return "cal" if node.font == "script" else ""


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    # The W of ``W-MSA`` is a part of the word and no letter with a label; that of ``W1`` has one.
    word = _NUMBERED.sub(r"\1_\2", _LIBRARY.sub("", text))
    word = _LETTER_OF_WORD.sub(r"\1", word)
    return "_".join(word.replace("-", " ").split())


_LIBRARY = re.compile(r"^(?:(?:torch|numpy|np|tf|jnp|nn|functional|F)\.)+(?=[A-Za-z])")
"""Where code has a function from, ``torch.sigmoid``."""


_NUMBERED = re.compile(r"^([A-Za-z])(\d)$")


_LETTER_OF_WORD = re.compile(r"^([A-Za-z])-(?=[A-Za-z]{2})")
