"""Whether the notes define the arrays of a component as what they must be: scores as those of an
attention, heads as attention with queries, keys and values of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from notes2code.components.naming import telling
from notes2code.components.own_sizes import textbook
from notes2code.components.recognise import HEADS, Recognised
from notes2code.meaning.ir import Add, Call, Concat, Equation, Fn, Idx, Reduce, Ref, walk
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.names import base_letter

if TYPE_CHECKING:
    from notes2code.components.compiling import Compiler


def are_defined(compiler: Compiler, recognised: Recognised, entry: Entry) -> bool:
    """Whether the notes define the arrays of a component that must be, as what they must be."""
    roles, formulas = recognised.found.roles, compiler.linker.formulas
    for role in recognised.form.defined:
        array = roles[role].array
        near = formulas.nearest(entry, [array], "arrays", within=2).get(array, [])
        if not near or compiler.piece_of(near[0]) not in recognised.component.roles[role]:
            return False
    return all(
        _is_of_heads(compiler, recognised, head, other)
        for head, other in _heads(compiler, recognised, entry).items()
    )


def heads_of(compiler: Compiler, recognised: Recognised, entry: Entry) -> Entry | None:
    """The formula of the attention that a formula joins the heads of, if a note gives it and no
    projections with it."""
    for other in _heads(compiler, recognised, entry).values():
        found = compiler.known(other)
        if found is not None and _attends(recognised, found):
            return other
    return None


def are_made(
    compiler: Compiler, recognised: Recognised, entry: Entry, uses: Iterable[Entry]
) -> bool:
    """Whether some formulas make the queries, the keys or the values of the heads that a formula
    joins otherwise than a class does: by more than a product with a weight, or of latent vectors,
    which are made of what the others are made of."""
    heads, linker = heads_of(compiler, recognised, entry), compiler.linker
    attention = None if heads is None else compiler.known(heads)
    if attention is None:
        return False
    given = {role.array for role in attention.found.roles.values()}
    factors: dict[str, set[str]] = {}
    for equation in (one for use in uses if use is not heads for one in linker.equations(use)):
        parts = walk(equation.value.body)
        plain = not any(isinstance(part, Add | Call | Concat | Fn) for part in parts)
        if equation.name in given and not (plain and len(equation.inputs) <= 2):
            return True
        if isinstance(equation.value.body, Reduce):
            factors[equation.name] = {one.name for one in equation.inputs}
    made = [factors[name] for name in given & factors.keys()]
    latent = [factors[part] for parts in made for part in sorted(parts) if part in factors]
    shared = Counter(part for parts in {*map(frozenset, [*made, *latent])} for part in parts)
    return any(shared[part] > 1 for parts in latent for part in parts)


def _heads(compiler: Compiler, recognised: Recognised, entry: Entry) -> dict[str, Entry]:
    """The formulas that define the arrays of heads in a formula that joins them, by name."""
    roles = recognised.found.roles
    heads = (roles[role].array for role in recognised.form.of_heads if role in roles)
    found = compiler.linker.formulas.nearest(entry, sorted(heads), "arrays", within=1)
    return {head: others[0] for head, others in found.items()}


def _is_of_heads(compiler: Compiler, recognised: Recognised, name: str, entry: Entry) -> bool:
    """Whether a formula of joined heads is attention whose queries, keys and values, or what makes
    them, are those of each head; of one that is being read it is taken for granted."""
    if compiler.is_being_read(entry):
        return True
    found = compiler.known(entry)
    if found is None or found.component.family != "attention":
        return False
    if not (_is_usual(compiler, found) or _attends(recognised, found)):
        return False
    arrays = {role.array for role in found.found.roles.values()}
    weights = {array for array in arrays if base_letter(array) == "W"}
    inputs = (one for one in found.equation.inputs if one.name in (weights or arrays))
    head = found.equation.value.indices[_joined_axis(recognised.equation, name)]
    return all(head.size in one.shape[:-1] for one in inputs)


def _is_usual(compiler: Compiler, found: Recognised) -> bool:
    """Whether attention is on projections, or the textbook's: what joins others' heads has to call
    what they are."""
    usual = textbook(found.component, compiler.library)
    return "A" in found.component.names or telling(found) == telling(usual)


def _attends(recognised: Recognised, found: Recognised) -> bool:
    """Whether the heads that a formula joins can be an attention of given queries, keys and values:
    its mask and its score are made of nothing that is given besides."""
    values = found.settings.values()
    given = any(isinstance(e, Ref) and e.at for value in values for e in walk(value.body))
    return found.component.name in recognised.component.roles[HEADS] and not given


def _joined_axis(equation: Equation, heads: str) -> int:
    """The axis along which heads are joined: the first one of ``[head_1; …; head_h]``, the second
    one of ``[o_{t,1}; …; o_{t,h}]``."""
    for inner in walk(equation.value.body):
        if isinstance(inner, Ref) and inner.array == heads:
            joined = (place for place, at in enumerate(inner.at) if not isinstance(at, Idx))
            return next(joined, 0)
    return 0
