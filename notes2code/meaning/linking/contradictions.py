"""Warnings at a formula whose names mean something else nearby: definitions that contradict each
other, or are laid out otherwise, and definitions that were rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from notes2code.diagnostics import Problem, Span, warning
from notes2code.meaning import names
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking import layouts
from notes2code.meaning.linking.entries import Entry, family
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.linking.pieces_made import are_pieces
from notes2code.meaning.linking.whole_definitions import is_shown
from notes2code.meaning.scope import Shape

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
    yield from layouts.channels(linker, entry)
    yield from _declared_twice(linker, entry)
    for name in sorted(linker.formulas.called(entry)):
        defining = linker.functions(entry, name, within=2)
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


def made_twice(entry: Entry, equation: Equation) -> Iterator[Problem]:
    """A warning where something is given that a function makes for itself: the A of ``F(x) + A``
    where ``F(x) = A x, A = W u``."""
    given = {one.name for one in equation.inputs}
    for function, called in equation.functions.items():
        for name in sorted(given & {one.name for one in called.definitions}):
            yield warning(
                "N2C035",
                f"`{name}` is given here, and `{function}` makes its own",
                Span(0, len(entry.latex)),
                f"write here, too, what `{name}` is made of, or give one of the two another name",
            )


def _differing(
    linker: Linker, entry: Entry, name: str, defining: Sequence[Entry], same: Same
) -> Iterator[Problem]:
    """A warning if the definition that is taken has an equally near one that differs."""
    readable = ((other, linker.function(other)) for other in defining)
    # What depends on nothing, as BP = e^{-1/9}, is an example with numbers.
    general = ((other, equation) for other, equation in readable if equation and equation.inputs)
    taken, meant = next(general, (None, None))
    if taken is None or meant is None or name in linker.formulas.parsed[taken].kept:
        return
    near = _nearness(linker, entry, taken)
    usual = linker.base.field.get(names.as_word(name))
    if near[0] == 2 and usual is not None and same(meant, usual):
        return  # what everybody knows by the name
    for other, equation in islice(general, MAX_COMPARED):
        if _nearness(linker, entry, other) != near:
            return
        parsed = linker.formulas.parsed
        if are_pieces(parsed[taken], name) or are_pieces(parsed[other], name):
            continue  # the q_{t,i} of a head and the q_t that has them all
        steps = parsed[taken].updates & parsed[other].updates
        if near[0] == 0 and name in steps:
            continue  # x ← f(x) behind x ← g(x) is the next step
        if is_shown(equation, meant):
            continue
        if not same(meant, equation):
            which = "the one that most notes have is taken, or the shortest"
            if near[0] < 2:
                which = f"the first is taken, {_nearest(entry, taken)}"
            yield warning(
                "N2C035",
                f"`{name}` is defined differently in {_place(taken)} and {_place(other)}; {which}",
                Span(0, len(entry.latex)),
                "define it in the section that uses it, or give the two definitions names of "
                "their own",
            )
            return


def _declared_twice(linker: Linker, entry: Entry) -> Iterator[Problem]:
    """A warning where two declarations of a letter in the section of a formula differ, and nothing
    between them makes one of the other, as ``X = X^\\top`` does."""
    parsed, distance = linker.formulas.parsed, linker.formulas.distance
    mine = parsed[entry]
    for name, others in linker.formulas.declaring(entry).items():
        taken = others[0]
        near = distance(entry, taken)
        if near[0] or name in mine.shapes or not {name, family(name)} & mine.mentioned:
            continue
        shape = parsed[taken].shapes[name]
        for other in others[1:]:
            if distance(entry, other)[:2] != near[:2]:
                break
            first, last = sorted((taken, other), key=lambda one: one.order)
            between = (one for one in linker.formulas.beside(first) if one.order < last.order)
            made = any(name in parsed[one].arrays for one in between if one.order > first.order)
            if not made and _contradict(shape, parsed[other].shapes[name]):
                yield warning(
                    "N2C035",
                    f"`{name}` is declared {_sizes(shape)} in {_place(taken)}, and "
                    f"{_sizes(parsed[other].shapes[name])} in {_place(other)}; the first is taken, "
                    f"{_nearest(entry, taken)}",
                    Span(0, len(entry.latex)),
                    "give one of the two another name, or write how it is made of the other",
                )
                break


def _contradict(one: Shape, other: Shape) -> bool:
    """Whether two shapes of one letter differ, and neither is an example in numbers."""
    alike = len(one.axes) == len(other.axes)
    example = alike and any(isinstance(axis, int) for axis in (*one.axes, *other.axes))
    return one != other and one.is_sized and other.is_sized and not example


def _sizes(shape: Shape) -> str:
    """A shape as text."""
    return " × ".join(map(str, shape.axes)) or "a number"


def _nearness(linker: Linker, entry: Entry, other: Entry) -> tuple[int, int]:
    """How far another formula is from one, by section and side: all sections that neither holds the
    formula's own, nor is it, are as far, whatever they are parts of."""
    far, apart, _ = linker.formulas.distance(entry, other)
    if far == 1 and entry.section[: len(other.section)] != other.section:
        return far, -1 if other.order < entry.order else 1
    return far, apart


def _rejected(entry: Entry, name: str, rejected: Entry) -> Problem:
    return warning(
        "N2C035",
        f"the definition of `{name}` in {_place(rejected)} was rejected, and no other takes its "
        "place",
        Span(0, len(entry.latex)),
        f"mend that definition; until then `{name}` is what the field knows by the name, or else "
        "an input",
    )


def _nearest(entry: Entry, taken: Entry) -> str:
    """Why another formula is taken."""
    return f"the nearest {'behind' if taken.order > entry.order else 'before'} this formula"


def _place(entry: Entry) -> str:
    return f"{entry.note}:{entry.line}" if entry.line else entry.note
