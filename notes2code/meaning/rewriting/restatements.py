"""What is written otherwise in the statements of a formula before their letters are told, in this
order, and why; a statement shows what a tree does not: what is defined, and where that holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from notes2code.diagnostics import Problem
from notes2code.latex.tree import Big, Group, Infix, Matrix, Name, Nodes, Num, Script
from notes2code.meaning.notation import groups
from notes2code.meaning.overview import bare_sums
from notes2code.meaning.rewriting import (
    aliases,
    bound_apart,
    complex_pairs,
    expectations,
    groups_defined,
    grown_rows,
    largest,
    looked_up,
    next_places,
    pairs_looked_up,
    parities,
    rows_defined,
    scientific,
    sets,
    shared_out,
    temperatures,
)
from notes2code.meaning.stated import Restated, Statement, nodes_in


@dataclass(frozen=True)
class Restatement:
    """What is done to the statements of a formula whose nodes may ask for it."""

    asked: Callable[[Nodes], object]
    written: Callable[[Sequence[Statement]], Restated]


RESTATEMENTS = (
    # What is said of any place is not said again of the next.
    Restatement(lambda nodes: nodes.of(Infix) and nodes.of(Script), next_places.told_once),
    # Who is among the k largest is a set that only a comparison computes;
    Restatement(largest.may_be_meant, largest.written_out),
    # the other sets are named, and have no parentheses behind them.
    Restatement(sets.may_be_meant, sets.written_out),
    # An e between two numbers is Euler's or none, by what is defined.
    Restatement(lambda nodes: "e" in nodes.words and nodes.of(Num), scientific.written_out),
    # The expectation in a loss is of one sample; in what else is defined it is not computed.
    Restatement(lambda nodes: "E" in nodes.words, expectations.of_losses),
    # What only names something, a group or a function, is put where it is named.
    Restatement(lambda nodes: groups.NAMES & nodes.words, groups_defined.written_out),
    Restatement(lambda nodes: nodes.of(Name), aliases.written_out),
    # The rows of a table that is nothing else are an array of their own.
    Restatement(looked_up.may_be_meant, looked_up.as_rows),
    # So are those that a function of two places picks.
    Restatement(pairs_looked_up.are_there, pairs_looked_up.told),
    # A product for several names has a part for each.
    Restatement(lambda nodes: nodes.of(Group), shared_out.written_out),
    # A matrix whose rows are defined is these.
    Restatement(lambda nodes: {"Q", "K", "V"} & nodes.words, rows_defined.written_out),
    # One statement of two things is two: of even and odd elements, and of a complex number's parts.
    Restatement(lambda nodes: nodes.of(Matrix), parities.apart),
    Restatement(lambda nodes: {"e", "cos"} & nodes.words, complex_pairs.apart),
    # A cache that grows says of which rows it is made.
    Restatement(lambda nodes: nodes.of(Group, Infix), grown_rows.written_out),
    # A letter that counts in a sum is none of an array that another statement defines.
    Restatement(lambda nodes: nodes.of(Big), bound_apart.renamed),
    # A T above a name that is a temperature is told, for it could be a transpose.
    Restatement(temperatures.are_read, temperatures.told),
    # A sum without an index has the one that its terms show.
    Restatement(lambda nodes: nodes.of(Big), bare_sums.indexed),
)


def restated(stated: Sequence[Statement]) -> tuple[tuple[Statement, ...], list[Problem]]:
    """The statements of a formula as they are typed, and what is to be told of that."""
    told: list[Problem] = []
    nodes = nodes_in(stated)
    for restatement in RESTATEMENTS:
        if restatement.asked(nodes):
            found, problems = restatement.written(stated)
            told += problems
            if found != stated:
                stated, nodes = found, nodes_in(found)
    return tuple(stated), told
