"""``%% n2c: … %%`` comments, and the formulas they belong to."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from notes2code.diagnostics import Problem, Span, warning


@dataclass(frozen=True, slots=True)
class Directive:
    """What stands behind ``n2c:`` in a comment, and where the comment stands."""

    text: str
    start: int
    end: int
    line: int


def assign_directives(
    directives: Sequence[Directive], formulas: Sequence[tuple[int, int, int]]
) -> tuple[dict[int, tuple[str, ...]], list[Problem]]:
    """Give each comment to the formula that it stands behind, before, below or above.

    ``formulas`` are triples of offset, first and last line, in the order of the text.
    Returns the texts of the comments by the formula's index, and what is unclear.
    """
    owned: dict[int, tuple[str, ...]] = {}
    problems: list[Problem] = []
    starting, ending = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for index, (_, first, last) in enumerate(formulas):
        starting[first].append(index)
        ending[last].append(index)
    for directive in directives:
        line = directive.line
        same = starting.get(line) or ending.get(line)
        above, below = ending.get(line - 1), starting.get(line + 1)
        if same:
            before = bisect_left(same, directive.start, key=lambda index: formulas[index][0])
            owner = same[max(before - 1, 0)]
        elif above:
            owner = above[-1]
        elif below:
            owner = below[0]
        else:
            problems.append(_homeless(directive))
            continue
        if above and below and not same:
            problems.append(_between(directive))
        owned[owner] = (*owned.get(owner, ()), directive.text)
    return owned, problems


def _homeless(directive: Directive) -> Problem:
    return warning(
        "N2C008",
        "this n2c comment belongs to no formula",
        Span(directive.start, directive.end),
        "write it on the line of a formula, or on the line directly above or below it",
    )


def _between(directive: Directive) -> Problem:
    return warning(
        "N2C008",
        "this n2c comment stands between two formulas; it was taken for the one above",
        Span(directive.start, directive.end),
        "write it on the line of the formula that it is about",
    )
