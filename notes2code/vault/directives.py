"""``%% n2c: … %%`` comments, and the formulas they belong to."""

from __future__ import annotations

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
    for directive in directives:
        line = directive.line
        same = [i for i, (_, first, last) in enumerate(formulas) if line in (first, last)]
        above = [i for i, (_, _, last) in enumerate(formulas) if last == line - 1]
        below = [i for i, (_, first, _) in enumerate(formulas) if first == line + 1]
        if same:
            before = [i for i in same if formulas[i][0] < directive.start]
            owner = before[-1] if before else same[0]
        elif above or below:
            owner = above[-1] if above else below[0]
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
