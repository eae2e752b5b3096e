"""Whether the notes define the arrays of a component as what they must be: scores as those of an
attention, heads as attention with queries, keys and values of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notes2code.components.naming import telling
from notes2code.components.own_sizes import textbook
from notes2code.components.recognise import Recognised
from notes2code.meaning.ir import Equation, Idx, Ref, walk
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
    heads = (roles[role].array for role in recognised.form.of_heads if role in roles)
    defined = formulas.nearest(entry, sorted(heads), "arrays", within=1)
    return all(
        _is_of_heads(compiler, others[0], _joined_axis(recognised.equation, head))
        for head, others in defined.items()
    )


def _is_of_heads(compiler: Compiler, entry: Entry, place: int) -> bool:
    """Whether a formula is attention whose queries, keys and values, or what makes them, are those
    of each head, which the axis at some place counts; of one that is being read it is taken for
    granted."""
    if compiler.is_being_read(entry):
        return True
    found = compiler.known(entry)
    if found is None or found.component.family != "attention" or not _is_usual(compiler, found):
        return False
    arrays = {role.array for role in found.found.roles.values()}
    weights = {array for array in arrays if base_letter(array) == "W"}
    inputs = (one for one in found.equation.inputs if one.name in (weights or arrays))
    head = found.equation.value.indices[place]
    return all(head.size in one.shape[:-1] for one in inputs)


def _is_usual(compiler: Compiler, found: Recognised) -> bool:
    """Whether attention of given queries, keys and values is the textbook's: a class of what joins
    heads that no formula projects has no mask or score of theirs."""
    usual = textbook(found.component, compiler.library)
    return "A" in found.component.names or telling(found) == telling(usual)


def _joined_axis(equation: Equation, heads: str) -> int:
    """The axis along which heads are joined: the first one of ``[head_1; …; head_h]``, the second
    one of ``[o_{t,1}; …; o_{t,h}]``."""
    for inner in walk(equation.value.body):
        if isinstance(inner, Ref) and inner.array == heads:
            joined = (place for place, at in enumerate(inner.at) if not isinstance(at, Idx))
            return next(joined, 0)
    return 0
