"""Heads that no note defines: those of ``MultiHead(X) = Concat(head_1, …, head_h) W`` beside one
attention are this attention of projections, as the textbook's formula defines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from notes2code.latex.quoting import quoted
from notes2code.latex.tree import Group, Juxt, Script
from notes2code.meaning import names
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.entries import Entry, Parsed, Supplied
from notes2code.meaning.stated import Define

_DEFINITION = r"\mathrm{%s}_i = \mathrm{%s}(%s W_i^Q, %s W_i^K, %s W_i^V)"


def heads_left_out(
    parsed: Mapping[Entry, Parsed], field: Mapping[str, Equation]
) -> dict[Entry, Supplied]:
    """Definitions of heads that formulas join and nothing defines, by the attention that the note
    defines, or else the vault, if that is one; ``field`` are the functions that everybody knows."""
    if any(_is_head(name) for one in parsed.values() for name in one.arrays):
        return {}
    known = {
        name for name, usual in field.items() if len(usual.parameters) == len(usual.inputs) == 3
    }
    attentions = [(entry, name) for entry, one in parsed.items() for name in _called(one, known)]
    found: dict[Entry, Supplied] = {}
    for entry, one in parsed.items():
        heads, given = [*filter(_is_head, one.listed)], given_to(entry, one)
        near = {name for other, name in attentions if other.note == entry.note}
        near = near or {name for _, name in attentions}
        if not given and any(names.as_word(name) in field for name in one.arrays):
            given = _given_to_attention(parsed, entry.note, near, attentions)
        if len(heads) != 1 or len(given) not in (1, 3):
            continue
        if len(near) == 1:
            (attention,) = near
            latex = _DEFINITION % (heads[0], attention, *(given * 3)[:3])
            text = f"`{heads[0]}` is taken to be `{attention}` of projections: none is defined"
            made = Entry(latex, entry.note, entry.section, entry.order)
            found[made] = Supplied(heads[0], text)
    return found


def _given_to_attention(
    parsed: Mapping[Entry, Parsed],
    note: str,
    near: Set[str],
    attentions: Sequence[tuple[Entry, str]],
) -> list[str]:
    """What ``MultiHead = Concat(head_1, …, head_h) W`` is given, which does not say it: what the
    attention is that its heads call, where the note makes none of that itself. Heads that call
    another function than softmax, the φ of linear attention, stay what they are."""
    called = [parsed[other] for other, name in attentions if {name} == near]
    if any({*map(names.as_word, one.called)} != {"softmax"} for one in called):
        return []
    given = next((given_to(o, parsed[o]) for o, name in attentions if {name} == near), [])
    here = {name for entry, one in parsed.items() if entry.note == note for name in one.arrays}
    return [] if here & {*given} else given


def _is_head(name: str) -> bool:
    return name.lower() == "head"


def _called(one: Parsed, known: Set[str]) -> list[str]:
    """The attentions of queries, keys and values that a formula defines."""
    return [
        name
        for name in sorted(one.functions)
        if names.as_word(name) in known and one.arity.get(name) == 3 and name.isalpha()
    ]


def given_to(entry: Entry, one: Parsed) -> list[str]:
    """What the function is given that a formula defines, as it is written there."""
    match [s.target for s in one.stated if isinstance(s, Define)]:
        case [Juxt((_, Group("(", items) | Script(Group("(", items)))), *_]:
            return [quoted(entry.latex, item.span) for item in items]
    return []
