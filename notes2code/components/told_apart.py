"""What keeps a formula from being the component that it looks like: the note defines what would be
a parameter, makes something else of it with its own definitions, or speaks of something else."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import TYPE_CHECKING

from notes2code.components.heads_defined import are_defined
from notes2code.components.recognise import Recognised, recognise
from notes2code.latex.tree import Dots, Group, Juxt, Name, Relation
from notes2code.meaning.ir import Equation, Ref, walk
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linked
from notes2code.meaning.names import GAINS, MOMENTS, base_letter, is_norm, label

if TYPE_CHECKING:
    from notes2code.components.compiling import Compiler


def is_told_apart(compiler: Compiler, found: Recognised, entry: Entry, pinned: Set[str]) -> bool:
    """Whether the note, its headings or the names in a formula say that it is something else.
    What its tags name, ``pinned``, it is whatever the text calls its norms."""
    if not are_defined(compiler, found, entry) or _is_named_apart(found, entry):
        return True
    if found.component.name in pinned:
        return False
    if _predicts_another(compiler, found, entry):
        return True
    other = found.component.of_layers and compiler.linker.scope(entry).norms == "others"
    return other or _has_other_moments(compiler, found, entry)


def _predicts_another(compiler: Compiler, found: Recognised, entry: Entry) -> bool:
    """Whether what looks like a language model tells a class of its sequence by a matrix that has
    its letter, the ``W_y`` of ``P(y | x_1, …, x_m)``: that is no token. The next token may well
    have another letter than those before it."""
    if found.component.name != "gpt" or "W" not in found.found.roles:
        return False
    tree = compiler.linker.formulas.parsed[entry].tree
    for node in () if tree is None else tree.formula:
        match node:
            case Relation((Juxt((Name(), Group("(", items) as given)), *_)) if (
                "|" in given.separators
            ):
                at = given.separators.index("|") + 1
                parts = (items[:at], items[at:])
                events, known = ({label(x) for x in part} - {""} for part in parts)
                listed = any(isinstance(item, Dots) for item in items[at:])
                own = found.found.roles["W"].array.rpartition("_")[2]
                return listed and events == {own} and own not in map(base_letter, known)
    return False


def _has_other_moments(compiler: Compiler, found: Recognised, entry: Entry) -> bool:
    """Whether the moments that a formula takes off and divides by are words, which may be those
    of any data, and neither its name nor the text beside it speaks of layer normalisation."""
    arrays = {role.array for role in found.found.roles.values()}
    called = is_norm(found.equation.name)
    words = found.component.of_layers and not arrays.isdisjoint(MOMENTS)
    return words and not called and compiler.linker.scope(entry).norms != "layers"


def _is_named_apart(found: Recognised, entry: Entry) -> bool:
    """Whether the headings above a formula, or the labels of its inputs, say that it is something
    else: the logits of a router are of experts, and those of ``h_{CLS}`` of classes."""
    texts = (entry.note, *entry.section, *(given.name for given in found.equation.inputs))
    words = {word.lower().removesuffix("s") for text in texts for word in _WORD.findall(text)}
    return not words.isdisjoint(word.removesuffix("s") for word in found.form.unlike)


_BIASES = frozenset(["b", "beta", "bias"])
_WORD = re.compile("[^\\W_]+")


def defines_learned(compiler: Compiler, recognised: Recognised, entry: Entry) -> bool:
    """Whether the note defines, under a large or a small letter, what would be a parameter:
    positions ``P`` whose elements ``p_{ij}`` are sines are not learned, and an ``h = x + a`` that
    is added is no bias."""
    if _computes_bias(compiler, recognised, entry):
        return True
    roles = recognised.found.roles
    arrays = [roles[role].array for role in recognised.component.learned if role in roles]
    names = {name for array in arrays for name in (array, array.lower(), array.upper())}
    near = compiler.linker.formulas.nearest(entry, sorted(names), "arrays", within=1)
    return bool(near) or _is_conditioned(compiler, recognised, entry)


def _computes_bias(compiler: Compiler, recognised: Recognised, entry: Entry) -> bool:
    """Whether a formula of the section makes what would be a bias, of more than numbers; what has
    the letter of one is learned all the same, ``b = b - η g``."""
    settings, found = recognised.component.settings.values(), recognised.found.settings
    values = (found.get(one.symbol) for one in settings if one.kind == "bias")
    biases = {
        part.array
        for value in values
        if value is not None
        for part in walk(value.body)
        if isinstance(part, Ref) and base_letter(part.array) not in _BIASES
    }
    near = compiler.linker.formulas.nearest(entry, sorted(biases), "arrays", within=0)
    made = (compiler.linker.formulas.parsed[others[0]] for others in near.values())
    return any(one.mentioned - one.arrays for one in made)


def _is_conditioned(compiler: Compiler, recognised: Recognised, entry: Entry) -> bool:
    """Whether what scales and shifts in a norm is made of something, ``s = W c``, or is given:
    the c of ``LN(x, c) = … + c``. A γ that is given is what the class holds."""
    roles = recognised.found.roles
    own = {roles[role].array for role in recognised.component.scales if role in roles}
    given = own & {*recognised.equation.parameters}
    if any(base_letter(name) not in GAINS | {"b"} for name in given):
        return True
    used = {other for uses in compiler.linker.linked(entry) for other in uses}
    return any(
        own & compiler.linker.formulas.parsed[other].arrays
        and (made := compiler.linker.typed(other).own.equation) is not None
        and any(one.name not in own for one in made.inputs)
        for other in used
    )


def defined_otherwise(
    compiler: Compiler, entry: Entry, found: Linked, alone: Recognised
) -> Equation | None:
    """What a formula is with the note's own definitions of what its form leaves to custom, such
    as the μ of LayerNorm, where these make something else of the same inputs."""
    if alone.form.completes is None:
        return None
    completed = alone.component.forms[alone.form.completes].equation
    left = {given.name for given in alone.form.equation.inputs}
    left -= {given.name for given in completed.inputs}
    roles = (alone.found.roles[role] for role in left if role in alone.found.roles)
    wanted = [{role.array, f"{role.array}_squared"} for role in roles]
    given = {one.name for one in alone.equation.inputs}
    for uses in compiler.linker.linked(entry):
        said = {use: compiler.linker.formulas.parsed[use].arrays for use in uses}
        mine = tuple(use for use in uses if any(names & said[use] for names in wanted))
        if not all(any(names & said[use] for use in mine) for names in wanted):
            continue
        typed = compiler.linker.together(entry, found.own, mine)
        if typed is not None and typed.equation is not None:
            others = {one.name for one in typed.equation.inputs} - given
            whole = recognise(typed.equation, compiler.library)
            if not others and (whole is None or whole.component is not alone.component):
                return typed.equation
    return None
