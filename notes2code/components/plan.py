"""Which classes and functions a vault becomes: parts, what each is built from, and their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.draft_names import names_of
from notes2code.components.drafts import Draft, Drafts
from notes2code.components.gathering import gather
from notes2code.components.library import plain
from notes2code.components.mentions import Mention
from notes2code.components.naming import telling
from notes2code.components.own_sizes import textbook
from notes2code.components.parts import ADDED, Part, Plan, Source, below
from notes2code.components.recognise import HEADS, Recognised
from notes2code.components.reread import reread


def plan(
    formulas: Sequence[tuple[Compiled, Source]],
    mentioned: Sequence[tuple[Mention, Source]],
    compiler: Compiler,
) -> Plan:
    """The package that formulas and mentions make."""
    drafts = Drafts(compiler)
    gather(drafts, formulas, mentioned)
    _complete(drafts)
    names = names_of(drafts)
    parts: dict[int, Part] = {}
    for draft in drafts:
        _build(drafts, draft, names, parts)
    owners = {member: parts[id(draft)] for draft in drafts for member in draft.members}
    return Plan(tuple(parts.values()), owners)


def _complete(drafts: Drafts) -> None:
    """Add what the drafts are built from and no note gives, before anything gets a name."""
    for draft in drafts:  # it grows
        for function in draft.recognised.functions.values():
            drafts.used(draft, function)
        for name in draft.component.builds_on:
            component = drafts.library.components[name]
            if not drafts.of(component):
                drafts.new(component)


def _build(drafts: Drafts, draft: Draft, names: Mapping[int, str], parts: dict[int, Part]) -> Part:
    """The part of a draft, after those that it uses."""
    if id(draft) in parts:
        return parts[id(draft)]
    uses: dict[str, Part] = {}
    for role, function in draft.recognised.functions.items():
        used = drafts.used(draft, function)
        if used is not None:
            uses[role] = _build(drafts, used, names, parts)
    for role in draft.component.roles:
        used = drafts.defining(draft, role)
        if used is not None:
            uses[role] = _build(drafts, used, names, parts)
    if (added := drafts.added(draft)) is not None:
        uses[ADDED] = _build(drafts, added, names, parts)
    if (heads := drafts.own_heads(draft.compiled)) is not None:
        uses[HEADS] = _build(drafts, heads, names, parts)
    for name in draft.component.builds_on:
        if not any(part.component.name == name for part in uses.values()):
            other = drafts.of(drafts.library.components[name])[0]
            uses[name] = _build(drafts, other, names, parts)
    _reread(drafts, draft, uses)
    part = Part(
        draft.component,
        names[id(draft)],
        draft.recognised,
        tuple(dict.fromkeys(draft.sources)),
        tuple(draft.pieces),
        uses,
        _spelt(drafts, draft),
        _stated(drafts, draft),
        _refused(drafts, draft),
        _doubt(drafts, draft, uses, names),
    )
    parts[id(draft)] = part
    return part


def _reread(drafts: Drafts, draft: Draft, uses: Mapping[str, Part]) -> None:
    """Let a draft's formula call what its class is built from, where that is not what the
    formula calls: a variant in the place of the textbook's, or what was read again itself."""
    functions = draft.recognised.functions
    others: dict[str, Recognised] = {}
    for role in sorted(uses.keys() & functions.keys()):
        used = drafts.used(draft, functions[role])
        if used is None:
            continue
        own = draft.compiled is not None and not isinstance(
            drafts.callee(draft.compiled, functions[role]), str
        )
        kind = drafts.library.kinds.get(plain(functions[role]))
        other = kind is not None and kind != used.component.name
        if used.is_reread or (not own and (other or _varies(drafts, used))):
            others[role] = used.recognised
    found = others and reread(draft.recognised, draft.compiled, others, drafts.compiler)
    if found:
        draft.recognised, draft.is_reread = found, True


def _varies(drafts: Drafts, draft: Draft) -> bool:
    """Whether a draft, or what it is built from, is not what the textbook's formula says."""
    functions = draft.recognised.functions.values()
    used = filter(None, (drafts.used(draft, function) for function in functions))
    usual = textbook(draft.component, drafts.library)
    others = telling(draft.recognised) != telling(usual) or not drafts.is_textbook(draft)
    return others or _is_spelt_otherwise(draft, usual) or any(_varies(drafts, one) for one in used)


def _spelt(drafts: Drafts, draft: Draft) -> dict[str, Recognised]:
    """The formulas that a draft's formula calls, by role."""
    if draft.compiled is None:
        return {}
    callees = {
        role: drafts.callee(draft.compiled, name)
        for role, name in draft.recognised.functions.items()
    }
    return {
        role: callee.recognised
        for role, callee in callees.items()
        if isinstance(callee, Compiled) and callee.recognised is not None
    }


def _stated(drafts: Drafts, draft: Draft) -> tuple[str, ...]:
    """The formulas that say what a draft's formula refers to and leaves open: the arrays that
    it was linked with, and the functions that are pieces of the same component."""
    if draft.compiled is None:
        return ()
    entry, linker = draft.compiled.entry, drafts.compiler.linker
    found = dict.fromkeys(draft.compiled.uses)
    if (heads := drafts.own_heads(draft.compiled)) is not None and heads.compiled is not None:
        found[heads.compiled.entry] = None
    for name in sorted(linker.formulas.called(entry)):
        for other in linker.functions(entry, name, within=1)[:1]:
            if drafts.compiler.compiled(other) in draft.members:
                found[other] = None
    if linker.updates_before(entry):  # the formula has its place behind them
        found[entry] = None
    return tuple(linker.formulas.written_out(other.latex) for other in found)


def _refused(drafts: Drafts, draft: Draft) -> str:
    """Why a draft would not compute what its formula says: it calls a function that the notes
    define in a way which no component has."""
    if draft.compiled is None:
        return ""
    roles = draft.component.roles
    called = (name for role, name in draft.recognised.functions.items() if roles.get(role))
    for name in called:
        entry = draft.compiled.entry
        defining = drafts.compiler.linker.functions(entry, name, within=2)
        if defining and drafts.compiler.compiled(defining[0]).recognised is None:
            return f"it calls `{name}`, and no class computes what the notes define as that"
    return ""


def _doubt(drafts: Drafts, draft: Draft, uses: Mapping[str, Part], names: Mapping[int, str]) -> str:
    """What a draft is built from that no note speaks of, where notes define something else
    that could stand there: another layer, or other heads."""
    others = {
        part: [d for d in drafts.defined_for(draft, role) if not _is_another_norm(draft, role, d)]
        for role, part in uses.items()
        if not part.sources and part.component.family == "layers"
    }
    if draft.compiled is None:  # a formula tells what it calls itself
        heads = [d for d in drafts if d.compiled is not None and "O" in d.component.names]
        mine = [part for part in below(uses) if "O" in part.component.names]
        others |= {part: heads for part in mine if not any(one.sources for one in mine)}
    for part, found in others.items():
        listed = (f"{names[id(d)]} ({d.sources[0].note}:{d.sources[0].line})" for d in found)
        if apart := " or ".join(listed):
            return f"it is built from the textbook's {part.name}, not from {apart}"
    return ""


def _is_another_norm(draft: Draft, role: str, other: Draft) -> bool:
    """Whether a note's formula says which norm it calls in a role, ``LayerNorm(x + y)``, and that
    is not the kind of another draft: RMSNorm."""
    called = plain(draft.recognised.functions.get(role, ""))
    return (
        draft.compiled is not None
        and called.removesuffix("norm") not in ("", called)
        and called not in map(plain, other.component.calls)
    )


def _is_spelt_otherwise(draft: Draft, usual: Recognised) -> bool:
    """Whether a formula has other letters than the textbook's for its weights, or has them turned,
    or calls functions with others: norms that share their ε."""
    mine, theirs = draft.recognised.found.roles, usual.found.roles
    shared = draft.component.names.keys() & mine.keys() & theirs.keys()
    return _handed_on(draft.recognised) != _handed_on(usual) or any(
        (mine[role].array, mine[role].axes) != (theirs[role].array, theirs[role].axes)
        for role in shared
    )


def _handed_on(recognised: Recognised) -> set[str]:
    """The inputs of a formula that only functions it calls are given."""
    own = {bound.array for bound in recognised.found.roles.values()}
    return {given.name for given in recognised.equation.inputs} - own
