"""The index letters of a statement, and those that stand on its right alone: the j of
``softmax_j(…) v_j`` is summed over, and of any other there is one value each."""

from __future__ import annotations

from dataclasses import replace

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Group, Juxt, Name, walk, words_in
from notes2code.meaning import ir, names
from notes2code.meaning.inference import left_sides
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.targets import Target
from notes2code.meaning.inference.values import Value, free_roots, settled, uses
from notes2code.meaning.ir import Index
from notes2code.meaning.notation import binders, left_hand_sides
from notes2code.meaning.overview import index_letters, letter_places
from notes2code.meaning.stated import Define


def of_statement(run: Run, define: Define, target: Target) -> list[str]:
    """The index letters of a statement: the left-hand side's, then those loose on the right."""
    letters = [] if target.name else index_letters.of_an_element(define)
    for at in target.indices:
        for node in walk(at.node):
            letter = getattr(node, "text", "")
            if letter in run.seen.bound and letter not in letters:
                letters.append(letter)
    for value in define.values:
        for letter in run.seen.loose(value):
            if letter not in letters:
                letters.append(letter)
    return letters


def summed_up(run: Run, define: Define, value: Value, target: Target) -> Value:
    """The value summed over the index of a ``softmax_j(…) v_j``; any other index that the
    left-hand side lacks, or that a sum binds elsewhere, is refused: it has no range."""
    mine = {x for at in target.indices for x in words_in(at.node)}
    column = left_sides.is_new_column(define)
    identity = define.target is None and len(define.values) > 1 and not column
    if identity:
        mine = words_in(define.values[0])
    places = {x: at for node in define.values for x, at in run.seen.loose(node).items()}
    if not places and not mine:
        return value
    summed = {x for node in define.values for x in binders.counting_letters(node)}
    free = free_roots(value.body) - set(map(find_index, value.axes)) if places else set()
    for letter, span in places.items():
        index = find_index(run.indices[letter]) if letter in run.indices else None
        if index is None or index not in free or letter in mine:
            continue
        if _is_weighed(value.body, index):
            text = f"the values are taken to be added up over `{letter}`"
            run.problems.append(note("N2C039", text, span))
            value = replace(value, body=ir.Reduce("sum", index, value.body), along=None)
        elif mine or identity or letter in summed:
            raise error(
                "N2C032",
                f"nothing says over what the index `{letter}` runs here",
                span,
                "put it on the left-hand side, or into the sum that it belongs to",
            )
    loose = [x for x in places if run.indices.get(x) and uses(value.body, run.indices[x])]
    loose = [x for x in loose if x not in run.seen.ranges]  # not w_i, i = 1, …, n
    whole = settled(value.body)  # and not α = softmax(k_i)
    loose = [x for x in loose if not _is_over(whole, find_index(run.indices[x]))]
    named = run.quote(define.values[0].span) if column else target.name
    if loose and named and not mine:
        text = f"`{named}` is taken to have one for each `{'` and `'.join(sorted(loose))}`"
        hint = "write the indices on its left-hand side too, and labels as words, `\\text{…}`"
        run.problems.append(note("N2C039", text, target.span, hint))
    _tell_places_given(run, define, value, target)
    for letter in sorted(mine & summed - places.keys()) if not identity else ():
        raise error(
            "N2C032",
            f"the index `{letter}` stands on the left and is summed over on the right",
            target.span,
            "give one of the two another letter",
        )
    return value


def _tell_places_given(run: Run, define: Define, value: Value, target: Target) -> None:
    """Tell that the loss ``L(z, y) = -z_y + \\log Σ_j e^{z_j}`` is computed for all y: a letter
    that counts nothing elsewhere may be one place."""
    match define.target:
        case Juxt((function, Group())) if letter_places.is_loss(function):
            pass
        case _:
            return
    given = {x.text for x in left_hand_sides.arguments(define.target) if isinstance(x, Name)}
    for letter in sorted(given - names.INDEX_LETTERS):
        index = run.indices.get(letter)
        if index is not None and uses(value.body, index):
            text = f"`{target.name}` is taken to have one for each `{letter}`"
            run.problems.append(note("N2C039", text, target.span))


def _is_weighed(body: ir.Expr, index: Index) -> bool:
    """Whether a softmax over an index is a factor of a product, beside others that have it."""
    factors = body.factors if isinstance(body, ir.Mul) else ()
    weights = [factor for factor in factors if _is_over(factor, index)]
    rest = (factor for factor in factors if factor not in weights)
    return bool(weights) and any(index in free_roots(factor) for factor in rest)


def _is_over(body: ir.Expr, index: Index) -> bool:
    """Whether something is a softmax over an index."""
    at = body.at if isinstance(body, ir.Softmax) else None
    return isinstance(at, ir.Idx) and find_index(at.index) is index
