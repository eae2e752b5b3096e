"""Recursions: a state that a step is applied to again and again, as layers are stacked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from notes2code.diagnostics import error
from notes2code.latex.tree import Num
from notes2code.meaning import ir, names
from notes2code.meaning.inference.indices import strides
from notes2code.meaning.inference.indices.index_arithmetic import count
from notes2code.meaning.inference.run import Defined, Run, find_index
from notes2code.meaning.inference.values import Value, fresh, shape_text
from notes2code.meaning.ir import Idx, Index, Iterate, Lambda, Size
from notes2code.meaning.notation import recursions
from notes2code.meaning.stated import Range

if TYPE_CHECKING:
    from notes2code.meaning.inference.equations import Attempt


def first_state(attempt: Attempt, at: int) -> int | None:
    """The statement that defines the state before the first step of a recursion, if it is one."""
    name = f"{attempt.targets[at].name}_0"
    first = next((o for o, target in enumerate(attempt.targets) if target.name == name), None)
    return None if first is None or recursions.step_letter(attempt.defines[at]) is None else first


def last_states(attempt: Attempt, at: int, mentioned: set[str]) -> dict[str, int]:
    """The recursions whose last state a statement mentions, as ``h_n`` or ``h_L``, by that name."""
    found: dict[str, int] = {}
    for other, target in enumerate(attempt.targets):
        if other == at or first_state(attempt, other) is None:
            continue
        for name in mentioned:
            if name.startswith(f"{target.name}_") and name != f"{target.name}_0":
                found[name] = other
                attempt.lasts[other] = name.removeprefix(f"{target.name}_")
    return found


def repeated(attempt: Attempt, at: int, first: int) -> Value:
    """The last state of a recursion."""
    run = attempt.run
    attempt.define(first)
    attempt.used.add(first)
    run.indices = {}
    run.statement = at
    state = attempt.targets[at].name
    if attempt.done[first].array == Lambda((), ir.ZERO):
        attempt.done[first] = replace(attempt.done[first], array=_zeros(run, state))
    initial = attempt.done[first].array
    letter = recursions.step_letter(attempt.defines[at])
    assert letter is not None
    counter = Index(
        letter, _steps(attempt, at, letter), 1 - recursions.steps_ahead(attempt.defines[at])
    )
    run.step = run.indices[letter] = counter
    before = f"{state}_before"
    run.defined[state] = Defined(before, initial, 0)
    value = strides.typed(attempt, at)
    run.step = None
    if initial.indices and not any(symbol.axes for symbol in run.symbols.values()):
        run.pay(2.2)  # the c of c_0 = 0, c_t = c_{t-1} + 1 is a number, as all that is added is
    if value.rank != len(initial.indices):
        raise error(
            "N2C041",
            f"a step of `{state}` gives {shape_text(value)}, which its first state is not",
            value.span,
        )
    for mine, theirs in zip(value.axes, initial.indices, strict=True):
        run.unify(find_index(mine).size, find_index(theirs).size, value.span)
    axes = tuple(fresh(find_index(axis).size) for axis in value.axes)
    begin = Lambda(
        initial.indices, ir.Ref(attempt.done[first].name, tuple(map(Idx, initial.indices)))
    )
    begin = _renamed(begin)
    step = Lambda(value.axes, value.body)
    return Value(Iterate(counter, before, begin, step, tuple(map(Idx, axes))), axes, value.span)


def _zeros(run: Run, state: str) -> Lambda:
    """The 0 of ``h_0 = 0``, which has as many axes as the state."""
    ranks = names.element_ranks(state, 1, run.seen.is_bold(state), transposed=False)
    rank = run.choose(f"zeros {state}", [(rank, float(at)) for at, rank in enumerate(ranks)])
    return Lambda(tuple(fresh(Size("")) for _ in range(rank)), ir.ZERO)


def _renamed(array: Lambda) -> Lambda:
    """The array over indices of its own."""
    own = tuple(fresh(find_index(index).size) for index in array.indices)
    places = {old: Idx(new) for old, new in zip(array.indices, own, strict=True)}
    return Lambda(own, ir.substitute(array.body, dict(places)))


def _steps(attempt: Attempt, at: int, letter: str) -> Size:
    """The number of steps: that of the last state by the letter's range, else the number of the
    state that another statement asks for, else a size of its own."""
    run, last = attempt.run, attempt.lasts.get(at, "")
    known = run.seen.ranges.get(letter)
    if known is not None and known.last is not None:
        ahead = recursions.steps_ahead(attempt.defines[at])
        _refuse_late_start(attempt.targets[at].name, known, ahead)
        steps = count(run, known.last, 1 - ahead)
        end = steps.value.value if isinstance(steps.value, ir.Num) else None
        if last.isdigit() and str(end) != last:
            raise error(
                "N2C032",
                f"`{attempt.targets[at].name}_{last}` is not the last state",
                attempt.targets[at].span,
                "only the state after the last step can be used elsewhere",
            )
        return steps
    if last.isdigit():
        return Size("", value=ir.Num(int(last)))
    return run.size(last or ("N" if letter != "N" else "L"))


def _refuse_late_start(state: str, known: Range, ahead: int) -> None:
    """The x_1 of ``x_{l+1} = …, l = 1, …, L`` behind an ``x_0`` is made by no step, and ``l = 0``
    would make the x_0 of ``x_l = …`` once more."""
    match known.first:
        case Num(first) if first.isdigit() and int(first) + ahead != 1:
            raise error(
                "N2C032",
                f"the first step makes `{state}_{int(first) + ahead}`, and `{state}_0` stands "
                f"before `{state}_1`",
                known.span,
                "mend the first number that is counted",
            )
