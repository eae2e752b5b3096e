"""Drafts of what the formulas of notes compute, of the pieces they state, and of what they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.components.compiled import Compiled
from notes2code.components.drafts import Draft, Drafts
from notes2code.components.library import Component, plain
from notes2code.components.mentions import Mention
from notes2code.components.naming import agrees, biases, telling
from notes2code.components.own_sizes import has_usual_settings, textbook
from notes2code.components.parts import Source
from notes2code.components.recognise import Recognised, kind


def gather(
    drafts: Drafts,
    formulas: Sequence[tuple[Compiled, Source]],
    mentioned: Sequence[tuple[Mention, Source]],
) -> None:
    """Draft what formulas and mentions make."""
    whole = [(c, s) for c, s in formulas if c.recognised and not c.recognised.form.partial]
    pieces = [(c, s) for c, s in formulas if c.recognised and c.recognised.form.partial]
    for compiled, source in whole:
        _add_whole(drafts, compiled, source)
    for compiled, source in pieces:
        _add_piece(drafts, compiled, source)
    for mention, source in mentioned:
        _add_mention(drafts, mention, source)
    _add_stacks(drafts)


def _add_whole(drafts: Drafts, compiled: Compiled, source: Source) -> None:
    """A formula of a whole component joins the draft with the same settings, if there is one, and
    takes its place if it says more."""
    recognised = compiled.recognised
    assert recognised is not None
    for draft in drafts.of(recognised.component):
        if _same(drafts, draft, compiled):
            if _says(recognised) > _says(draft.recognised):
                draft.recognised, draft.compiled = recognised, compiled
                draft.sources.insert(0, source)
            else:
                draft.sources.append(source)
            draft.members.append(compiled)
            return
    drafts.add(Draft(recognised.component, recognised, compiled, [source], members=[compiled]))


def _same(drafts: Drafts, draft: Draft, compiled: Compiled) -> bool:
    assert compiled.recognised is not None
    mine, theirs = draft.recognised, compiled.recognised
    if mine.form.part != theirs.form.part or draft.compiled is None:
        return False
    if telling(mine) != telling(theirs) or biases(mine) != biases(theirs):
        return False
    # A model with positions or a way out of its own is another one than one without.
    if mine.component.family == "models" and mine.found.roles.keys() != theirs.found.roles.keys():
        return False
    return _built_from(drafts, draft.compiled, mine) == _built_from(drafts, compiled, theirs)


def _built_from(drafts: Drafts, compiled: Compiled, recognised: Recognised) -> set[Compiled | str]:
    """The parts that a class is built from; what its caller gives it is none of them."""
    roles = recognised.component.roles
    given = (name for role, name in recognised.functions.items() if roles.get(role))
    return {drafts.callee(compiled, name) for name in given}


def _add_piece(drafts: Drafts, compiled: Compiled, source: Source) -> None:
    """A formula of a piece belongs to a draft of its component that agrees with it: to one of
    its note, to the usual one, or to the first."""
    recognised = compiled.recognised
    assert recognised is not None
    if _is_of_each_head(recognised):
        for draft in drafts:
            if draft.compiled is not None and compiled.entry in draft.compiled.uses:
                draft.members.append(compiled)  # all heads together say it, too
                return
    agreeing = [d for d in drafts.of(recognised.component) if agrees(recognised, d.recognised)]
    heads = drafts.own_heads(compiled)
    if agreeing := [d for d in agreeing if drafts.own_heads(d.compiled) is heads]:
        draft = drafts.meant(agreeing, source)
        draft.sources.append(source)
        draft.pieces.append(recognised)
        draft.members.append(compiled)
        return
    if _is_named_only(drafts, compiled):
        written = textbook(recognised.component, drafts.library, recognised.form.part)
        drafts.add(Draft(recognised.component, written, None, [replace(source, latex="")]))
        return
    drafts.add(Draft(recognised.component, recognised, compiled, [source], members=[compiled]))


def _is_named_only(drafts: Drafts, compiled: Compiled) -> bool:
    """Whether a piece says no more than the name of its component would: there is a textbook's
    formula of such, ``Attention(Q_i, K_{g(i)}, V_{g(i)})``, whose attention it has."""
    recognised = compiled.recognised
    assert recognised is not None
    component = recognised.component
    if recognised.form.part not in component.textbooks:
        return False
    called = [drafts.callee(compiled, name) for name in recognised.functions.values()]
    if called:
        return all(isinstance(one, str) or _is_usual(drafts, one) for one in called)
    return has_usual_settings(recognised)


def _is_usual(drafts: Drafts, compiled: Compiled) -> bool:
    """Whether a formula is the textbook's of its component."""
    found = compiled.recognised
    usual = None if found is None else textbook(found.component, drafts.library)
    return found is not None and usual is not None and telling(found) == telling(usual)


def _add_mention(drafts: Drafts, mention: Mention, source: Source) -> None:
    """A mention speaks of the variant that its note defines, else of the usual one. A name that
    formulas of other kinds have, too, is theirs where there is no other, and so is one that the
    note gives such a formula."""
    component = mention.component
    if known := drafts.of(component):
        drafts.meant(known, source).sources.append(source)
    elif not any(
        kind(draft.recognised) in mention.others or _is_called_so(draft, component, source)
        for draft in drafts
    ):
        said = {"final_norm": source.normed, "own_head": source.untied}
        part = mention.part or " ".join(kind for kind, line in said.items() if line)
        written = textbook(component, drafts.library, part if part in component.textbooks else "")
        drafts.add(Draft(component, written, None, [source]))


def _add_stacks(drafts: Drafts) -> None:
    """A layer that is written from one state to the next, ``z_l = … z_{l-1} …``, stands for a
    stack of it, where no note says what that is."""
    for draft in list(drafts):
        stack = drafts.library.components.get(draft.component.stack)
        if stack is None or draft.compiled is None or drafts.of(stack):
            continue
        read = (draft.compiled.entry, *draft.compiled.uses)
        if any(drafts.compiler.linker.formulas.parsed[entry].states for entry in read):
            named = [replace(source, latex="") for source in draft.sources]
            drafts.add(Draft(stack, textbook(stack, drafts.library), None, named))


def _is_called_so(draft: Draft, component: Component, source: Source) -> bool:
    """Whether a formula of a note has the name of a component, whatever it is: the heads that are
    joined in ``SelfAttention(x) = …``."""
    here = any(one.note == source.note and one.latex for one in draft.sources)
    return here and plain(draft.recognised.equation.name) in map(plain, component.calls)


def _is_of_each_head(recognised: Recognised) -> bool:
    """Whether a formula has an axis for heads that its component has not: ``A_h = softmax(Q_h
    K_h^⊤)``. A query that is one of several has a place for each, and is in no matrix."""
    form, roles = recognised.form.equation, recognised.found.roles
    if len(recognised.equation.value.indices) != len(form.value.indices) + 1:
        return False
    ranks = {given.name: len(given.shape) for given in form.inputs if len(given.shape) > 1}
    return any(len(role.axes) > ranks[name] for name, role in roles.items() if name in ranks)


def _says(recognised: Recognised) -> tuple[int, int]:
    """How much a formula says of its component: one with the same weights for all says more than
    one for each head i, and one with more inputs, such as queries and keys apart, than one with
    fewer."""
    roles = recognised.found.roles
    weights = (roles[role] for role in recognised.component.names if role in roles)
    return -sum(len(weight.outer) for weight in weights), len(roles)
