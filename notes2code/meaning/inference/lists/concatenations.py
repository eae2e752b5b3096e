"""What ``Concat(head_1, …, head_h)`` and ``[a; b]`` join, by features or by positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Infix, Node
from notes2code.meaning import ir, names
from notes2code.meaning.inference.indices.indexing import own_letter
from notes2code.meaning.inference.indices.members import all_of
from notes2code.meaning.inference.lists import caches, ellipsis
from notes2code.meaning.inference.lists.joined_arrays import joined_values, stacked, together
from notes2code.meaning.inference.lists.list_items import (
    are_of_heads,
    doubt_numbers,
    flattened,
    in_parts,
    is_dots,
    refuse_transposed,
)
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value
from notes2code.meaning.ir import Index, Ref, Size
from notes2code.meaning.notation import binders


def joined(run: Run, node: Infix) -> Value:
    """``a ‖ b``."""
    return concatenated(run, binders.chain(node), node.span)


def concatenated(
    run: Run,
    items: Sequence[Node],
    span: Span,
    below: bool = False,
    paired: bool = False,
    named: bool = False,
) -> Value:
    """Arrays joined along their last axis; with dots, or an index that stands nowhere else, as in
    ``Concat(head_i)``, a whole family of them. Matrices are joined ``below`` each other as in
    ``[A; B]``, unless only the other way fits; what is ``paired``, ``(A, b)``, is of one kind. What
    is joined by name, as in ``Z = Concat(Z_1, …, Z_h)``, are no numbers, as those of a list are
    that has their letter."""
    flat = flattened(items)
    refuse_transposed(run, flat)
    if any(map(is_dots, flat)):
        return _with_dots(run, flat, span, named)
    if len(flat) == 1 and (letter := own_letter(run, flat[0])):
        outer, index = run.indices[letter], Index(letter, Size(""))
        run.indices[letter] = index
        value = run.lower(flat[0])
        run.indices[letter] = outer
        return together(run, index, [value], span)
    if (members := all_of(run, flat)) is not None:
        return together(run, members[0], [members[1]], span)
    values = [run.lower(item) for item in flat]
    if len(values) == 1:
        return replace(values[0], span=span)
    ranks = {value.rank for value in values}
    if paired and len(ranks) > 1 and max(ranks) > 1:
        text = f"`{run.quote(span)}` is a pair of unlike things, and no array"
        hint = "write a formula for each, or `[…; …]` to join them"
        run.unranged = error("N2C041", text, span, hint)
        return replace(values[0], span=span)
    if (grown := caches.grown(run, values, span)) is not None:
        return grown
    if any(value.rank != 2 for value in values):
        if len(ranks) > 1 and _are_siblings(values):
            run.pay(3.0)  # h_1 and h_2 are of one kind
        # The q^C and q^R of q are vectors, and so are e_word and e_image.
        run.pay(1.2 * sum(_is_labelled_number(run, value) for value in values))
        return joined_values(run, values, span)
    return _of_matrices(run, values, span, below)


def _with_dots(run: Run, flat: Sequence[Node], span: Span, named: bool) -> Value:
    """The family that a list with dots is; those that are joined by name are no numbers."""
    if len(parts := ellipsis.parts(flat)) > 1:
        return in_parts(run, parts, span)
    index, values = ellipsis.family(run, flat, span)
    doubt_numbers(run, flat[-1], values[0])
    if named and values[0].rank == 0:
        run.pay(4.0)
    if values[0].rank == 0 and are_of_heads(run, flat):
        run.pay(4.0)
    return together(run, index, values, span)


def _of_matrices(run: Run, values: list[Value], span: Span, below: bool) -> Value:
    """Matrices joined side by side, or below each other."""
    ways = [("side by side", 0.0), ("below each other", 3.0)]
    if all(map(_is_of_cache, values)):
        ways = [("below each other", 0.0), ("side by side", 3.0)]
    elif (
        below
        and all(_is_of_matrices(value) or _is_of_keys(value) for value in values)
        and not any(map(is_head, values))
    ):
        ways = [("below each other", 0.0), ("side by side", 0.5)]
    way = run.choose(f"join {span.start}-{span.end}", ways)
    if below or way == "below each other":
        text = f"the matrices of `{run.quote(span)}` are taken to stand {way}"
        run.problems.append(note("N2C039", text, span))
    return (stacked if way == "below each other" else joined_values)(run, values, span)


def _are_siblings(values: Sequence[Value]) -> bool:
    """Whether arrays have one name, and numbers that tell them apart."""
    parts = [v.body.array.rpartition("_") if isinstance(v.body, Ref) else ("",) * 3 for v in values]
    return len({base for base, _, _ in parts}) == 1 and all(at.isdigit() for _, _, at in parts)


def _is_labelled_number(run: Run, value: Value) -> bool:
    """Whether a number has a word for its label, and no index, or the label of a part of the whole,
    whose letter it has."""
    if value.rank or not isinstance(value.body, Ref) or value.body.array in run.shapes:
        return False
    letter, _, label = value.body.array.partition("_")
    if len(letter) == 1 and label.isupper():
        return letter in map(names.base_letter, run.defines)
    number = len(letter) > 1 or letter in names.PROBABILITIES or label in _VALUES
    return len(label) > 1 and label.isalpha() and not (number or value.body.at)


_VALUES = frozenset("min max mean std low high start end true false yes no".split())
"""Words for numbers, whatever they are said of."""

_OF_CACHES = frozenset("old new past prev previous cache cached cur current".split())


def _is_of_cache(value: Value) -> bool:
    """Whether an array holds the keys or values of some positions, as ``K_{past}`` does."""
    if not isinstance(value.body, Ref):
        return False
    letter, _, label = value.body.array.partition("_")
    return letter in ("K", "V", "k", "v") and label.lower() in _OF_CACHES


def is_head(value: Value) -> bool:
    """Whether a matrix is the result of one head, or of one direction of a recurrent network: each
    has features of its own."""
    if not isinstance(value.body, Ref):
        return False
    array = value.body.array
    return names.base_letter(array) == "head" or array.endswith(("_vec", "_back"))


def _is_of_matrices(value: Value) -> bool:
    """Whether an array is made of what capitals name, which no index makes a vector: ``K``, and
    neither ``k_t`` nor ``PE_x``."""
    arrays = [part for part in ir.walk(value.body) if isinstance(part, Ref)]
    bases = [names.base_letter(part.array) for part in arrays]
    return all(len(base) == 1 and base.isupper() for base in bases) and not any(
        len(part.at) > 2 for part in arrays
    )


def _is_of_keys(value: Value) -> bool:
    """Whether an array holds keys or values, perhaps of each head: ``P_k``, ``C W_v``."""
    arrays = [part.array for part in ir.walk(value.body) if isinstance(part, Ref)]
    return any(name.rpartition("_")[2] in tuple("kvKV") for name in arrays)
