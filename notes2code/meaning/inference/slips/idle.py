"""What an author must be told of statements with several results, or of one for several names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from notes2code.diagnostics import Problem, warning
from notes2code.latex.tree import Group
from notes2code.meaning import ir
from notes2code.meaning.inference.values import settled

if TYPE_CHECKING:
    from notes2code.meaning.inference.equations import Attempt


_ONE_BY_ONE = "write an equation for each, as `Q = X W_Q`"


def warnings(attempt: Attempt, results: Sequence[int]) -> Iterator[Problem]:
    """What the author must be told of several results, of which one is the value."""
    yield from _weights(attempt, results)
    yield from _lists(attempt, results)


def undivided(attempt: Attempt, result: int) -> Iterator[Problem]:
    """``(h_t, c_t) = \\mathrm{LSTM}(x_t)``: nobody says what of that is h_t."""
    define, body = attempt.defines[result], attempt.done[result].array.body
    left = define.values[0] if define.target is None and len(define.values) > 1 else None
    listed = isinstance(left, Group) and left.open in "([" and len(left.items) > 1
    if listed and isinstance(body, ir.Call):
        text = "the value is all that the function gives: how it is shared out is not said"
        yield warning("N2C032", text, define.span, _ONE_BY_ONE)


def _weights(attempt: Attempt, results: Sequence[int]) -> Iterator[Problem]:
    """``P = softmax(S), O = S V``: the weights are made, and what they are made of is used."""
    for at in results:
        body = settled(attempt.done[at].array.body)
        made_of = {e.array for e in ir.walk(body) if isinstance(e, ir.Ref)}
        others = (attempt.done[o].array.body for o in results if o != at)
        used = {e.array for o in others for e in ir.walk(o) if isinstance(e, ir.Ref)}
        mine = {defined.name for defined in attempt.done.values()} & made_of & used
        if isinstance(body, ir.Softmax) and mine:
            text = f"`{attempt.targets[at].name}` is not used, and `{min(mine)}` is"
            yield warning("N2C080", text, attempt.targets[at].span)


def _lists(attempt: Attempt, results: Sequence[int]) -> Iterator[Problem]:
    """``[Q, K] = X W, S = Q K^⊤``: nobody says how X W is shared out."""
    for define in (attempt.defines[at] for at in results):
        left = define.values[0] if define.target is None else None
        items = left.items if isinstance(left, Group) and len(define.values) > 1 else ()
        named = map(attempt.run.seen.name_of, items)
        shared = [name for name in named if name in attempt.run.symbols]
        if shared:
            text = f"how this is shared out is not said: `{'`, `'.join(shared)}` are inputs"
            yield warning("N2C032", text, define.span, _ONE_BY_ONE)
