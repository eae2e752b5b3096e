"""Warnings at a formula whose names mean something else nearby: definitions that contradict each
other, or are laid out otherwise, and definitions that were rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from notes2code.diagnostics import Problem, Span, warning
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking import layouts
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker

MAX_COMPARED = 20
"""Definitions of one name that are compared, the nearest first."""

Same = Callable[[Equation, Equation], bool]


def contradictions(
    linker: Linker, entry: Entry, uses: Sequence[Entry], same: Same
) -> Iterator[Problem]:
    """The warnings for a formula and the definitions that were linked to it.

    Definitions contradict each other if they are equally near: of one section, of sections that
    are equally far apart, or of other notes; on the same side of the formula, since it may be
    defined anew behind it. A nearer one is what is meant.
    """
    yield from layouts.turned(linker, entry)
    for name in sorted(linker.formulas.called(entry)):
        defining = linker.formulas.defining(entry, name, "functions", within=2)
        rejected = linker.rejected(entry, defining)
        if rejected is not None:
            yield _rejected(entry, name, rejected)
        else:
            yield from _differing(linker, entry, name, defining, same)
    for user in (entry, *uses):
        for name in sorted(linker.formulas.parsed[user].mentioned):
            defining = linker.formulas.defining(user, name, "arrays", within=1)
            if defining and defining[0] in uses and user is not defining[0]:
                yield from _differing(linker, user, name, defining, same)


def _differing(
    linker: Linker, entry: Entry, name: str, defining: Sequence[Entry], same: Same
) -> Iterator[Problem]:
    """A warning if the definition that is taken has an equally near one that differs."""
    readable = ((other, linker.function(other)) for other in defining)
    # What depends on nothing, as BP = e^{-1/9}, is an example with numbers.
    general = ((other, equation) for other, equation in readable if equation and equation.inputs)
    taken, meant = next(general, (None, None))
    if taken is None or meant is None:
        return
    near = linker.formulas.distance(entry, taken)
    usual = linker.base.field.get(name.replace("_", "").lower())
    if near[0] == 2 and usual is not None and same(meant, usual):
        return  # what everybody knows by the name
    for other, equation in islice(general, MAX_COMPARED):
        if linker.formulas.distance(entry, other)[:2] != near[:2]:
            return
        if not same(meant, equation):
            which = "the one that most notes have is taken, or the shortest"
            if near[0] < 2:
                which = "the first is taken"
                side = "behind" if taken.order > entry.order else "before"
                which += f", the nearest {side} this formula"
            yield warning(
                "N2C035",
                f"`{name}` is defined differently in {_place(taken)} and {_place(other)}; {which}",
                Span(0, len(entry.latex)),
                "define it in the section that uses it, or give the two definitions names of "
                "their own",
            )
            return


def _rejected(entry: Entry, name: str, rejected: Entry) -> Problem:
    return warning(
        "N2C035",
        f"the definition of `{name}` in {_place(rejected)} was rejected, and no other takes its "
        "place",
        Span(0, len(entry.latex)),
        f"mend that definition; until then `{name}` is what the field knows by the name, or else "
        "an input",
    )


def _place(entry: Entry) -> str:
    return f"{entry.note}:{entry.line}" if entry.line else entry.note
