"""What is to be said of a formula: doubts about it, alone and beside others of its note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from notes2code.components.directions import wrong_way
from notes2code.components.doubts import AS_WRITTEN, doubts, not_recognised, unequal_sides
from notes2code.components.library import plain
from notes2code.components.own_sizes import has_usual_settings
from notes2code.components.packed import by_heads
from notes2code.components.proofs import same_value
from notes2code.components.recognise import Recognised
from notes2code.components.weighing import beyond_range, strange_weights
from notes2code.diagnostics import Problem, Span, note, warning
from notes2code.meaning import Typed
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.contradictions import contradictions, made_twice
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linked
from notes2code.meaning.linking.ranks import row_or_entry, unlike_said

if TYPE_CHECKING:
    from notes2code.components.compiling import Compiler


def problems_of(
    compiler: Compiler, entry: Entry, own: Typed, used: tuple[Entry, ...]
) -> list[Problem]:
    """What is to be said of a formula, whatever it is."""
    assert own.equation is not None
    told = (wrong_way(own.equation), strange_weights(own.equation))
    taken, whole = beyond_range(own.equation), Span(0, len(entry.latex))
    return [
        *own.problems,
        *contradictions(compiler.linker, entry, used, same_value),
        *made_twice(entry, own.equation),
        *unlike_said(compiler.linker, entry, own.equation),
        *row_or_entry(compiler.linker, entry, own.equation),
        *unequal_sides(own),
        *(warning("N2C050", doubt, whole, AS_WRITTEN) for doubt in told if doubt),
        *([note("N2C039", taken[0], whole, taken[1])] if taken else ()),
    ]


def weighed(compiler: Compiler, entry: Entry, found: Linked) -> Iterator[Problem]:
    """What is strange about weights that another formula of the note makes, where the formula
    that weighs with them is this one, and none that it uses."""
    for typed, used in found.together[:1]:
        doubt = "" if typed.equation is None else strange_weights(typed.equation)
        if doubt and not any(_weighs_strangely(compiler, one) for one in used):
            yield warning("N2C050", doubt, Span(0, len(entry.latex)), AS_WRITTEN)


def _weighs_strangely(compiler: Compiler, entry: Entry) -> bool:
    found = compiler.linker.typed(entry)
    ways = (found.own, *(typed for typed, _ in found.together[:1]))
    return any(typed.equation and strange_weights(typed.equation) for typed in ways)


def doubts_of(
    compiler: Compiler, entry: Entry, own: Typed, meant: Equation | None
) -> list[Problem]:
    """What is to be said of a formula that is no component, though it is like one."""
    assert own.equation is not None
    if not own.equation.name and own.sides:  # not (QKᵀ)V = Q(KᵀV), which holds for any
        return []
    if by_heads(own.equation) is not None:  # it is given what another formula projects
        return []
    tree, whole = compiler.linker.formulas.parsed[entry].tree, Span(0, len(entry.latex))
    assert tree is not None and meant is not None
    found = compiler.first(meant, {}, frozenset())
    if found is not None and found.form.of_heads:
        why = "for the note defines its heads otherwise"
        return [not_recognised(found.component, whole, why)]
    about = meant, tree, compiler.library
    return compiler.linker.memory.once(
        ("doubts", whole), about, lambda: [*doubts(meant, tree, whole, compiler.library)]
    )


def of_component(problems: Iterable[Problem], recognised: Recognised, read: Typed) -> list[Problem]:
    """What is to be said of a formula that is a component, as which it was ``read``."""
    return [
        _of_whole(problem, recognised)
        for problem in problems
        if not (_is_met(problem, recognised) or _is_settled(problem, read))
        if not _is_any_function(problem, recognised)
    ]


def textbook_beside(recognised: Recognised, entry: Entry) -> Iterator[Problem]:
    """The remark on a piece that makes a class of the textbook's whole where no formula says the
    rest: what each head of grouped-query attention does with its queries, keys and values."""
    if not recognised.functions and not has_usual_settings(recognised):
        return  # there is no such class
    if recognised.form.partial and recognised.form.part in recognised.component.textbooks:
        text = "a class that is made of this alone has the rest from the textbook"
        yield note("N2C039", text, Span(0, len(entry.latex)), "write all of it to have another")


def _is_met(problem: Problem, recognised: Recognised) -> bool:
    """Whether a parameter that does not occur does in what the formula is made of: the Q of
    ``Attention(Q, K, V) = αV`` in the α of another formula; or the component is made of its parts,
    the Q_1 and Q_2 of ``DiffAttn(Q, K, V)``."""
    inputs = (f"the parameter `{one.name}` does not occur" for one in recognised.equation.inputs)
    of_parts = problem.message.endswith("are inputs of their own") and not recognised.form.partial
    said = problem.message.partition(";")[0]
    return problem.code == "N2C080" and (said in inputs or of_parts)


def _is_any_function(problem: Problem, recognised: Recognised) -> bool:
    """Whether a function that nobody defines is what the component takes as one, by the name that
    the textbook has for it: the ``Sublayer`` of a residual connection."""
    given = recognised.component.textbook.equation.inputs
    names = {plain(one.name) for one in given if one.kind == "function"}
    open_one = problem.message.partition("`")[2].partition("`")[0]
    return problem.code == "N2C030" and problem.severity == "note" and plain(open_one) in names


def _is_settled(problem: Problem, read: Typed) -> bool:
    """Whether what is told of a formula alone is not so where it is ``read`` with others: a letter
    that it has for an index, the n of ``P = \\mathrm{softmax}(h_n W)``, is the last of the layers
    ``h_l = …``, and the columns that it leaves out another formula defines."""
    told = {one.message for one in read.problems}
    of_alone = (" one for each ", " columns are defined here")
    return any(text in problem.message for text in of_alone) and problem.message not in told


def _of_whole(problem: Problem, recognised: Recognised) -> Problem:
    """The doubt about an input that a piece of a component leaves out: its class has it."""
    if problem.code != "N2C080" or not recognised.form.partial:
        return problem
    name = recognised.component.class_name
    text = f"the formula is a piece of `{name}`, and the class computes the whole; write all of it"
    return replace(problem, help=text)


def unique(problems: list[Problem]) -> tuple[Problem, ...]:
    """Problems in order, each of them once."""
    return tuple(dict.fromkeys(problems))
