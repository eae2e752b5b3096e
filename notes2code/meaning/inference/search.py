"""The search for the reading of a formula that makes sense.

A formula is typed by custom first. Where that fails, or goes against custom elsewhere, other
readings are tried, the least unusual first; the first that fits is taken. When none fits, the
error of the first reading is the one that the author sees.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from math import inf
from typing import TypeVar

from notes2code.diagnostics import ProblemError, error
from notes2code.meaning.inference.run import Dearer, Run

MAX_ATTEMPTS = 120
SECOND_LOOK = 30
"""As many are enough to see whether a formula that is read already may be read otherwise, too."""

MAX_WORK = 500_000
"""A bound on all attempts together: the time of one grows with the square of a formula's nodes."""

TOO_STRANGE = 3.0
"""The weight of conflicts with custom from which a reading is refused."""

T = TypeVar("T")


def search(
    start: Callable[[dict[str, int]], Run],
    attempt: Callable[[Run], T],
    nodes: int,
    attempts: int = MAX_ATTEMPTS,
) -> tuple[Run, T]:
    """Try plans in the order of their cost until one fits; raises ``ProblemError`` otherwise.

    ``start`` makes a fresh run with a plan, ``attempt`` types the formula, of so many ``nodes``, in
    it; so many ``attempts`` are made at most.
    """
    ties = count()
    waiting: list[tuple[float, int, dict[str, int]]] = [(0.0, next(ties), {})]
    best: tuple[float, int, Run, T] | None = None
    first_error: ProblemError | None = None
    for _ in range(min(attempts, 1 + MAX_WORK // max(1, nodes) ** 2)):
        if not waiting or (best is not None and best[0] <= waiting[0][0]):
            break
        _, _, plan = heapq.heappop(waiting)
        run = start(plan)
        if best is not None:
            run.limit = best[0]
        try:
            result = attempt(run)
            if best is None or run.cost < best[0]:
                best = (run.cost, next(ties), run, result)
        except Dearer:
            pass
        except ProblemError as problem:
            # Its traceback would keep the frames of the attempt, and all that they hold.
            first_error = first_error or problem.with_traceback(None)
        for other, cost in _neighbours(run, plan, inf if best is None else best[0]):
            heapq.heappush(waiting, (cost, next(ties), other))
    if best is None:
        assert first_error is not None
        raise first_error
    run = best[2]
    if _strangeness(run) >= TOO_STRANGE:
        raise _too_strange(run)
    return run, best[3]


def _neighbours(run: Run, plan: dict[str, int], limit: float) -> list[tuple[dict[str, int], float]]:
    """Plans that differ from an attempt in one later decision, with a bound on their cost, which is
    below a limit: what the attempt had cost before that decision, they will have cost too."""
    if limit <= 0:
        return []
    known = [at for at, decision in enumerate(run.decisions) if decision.key in plan]
    later = known[-1] + 1 if known else 0
    return [
        ({**plan, decision.key: option}, cost)
        for decision in run.decisions[later:]
        for option in range(1, len(decision.options))
        if (cost := decision.before + decision.options[option][1]) < limit
    ]


def _strangeness(run: Run) -> float:
    return sum(cost for cost, _, _ in run.conflicts)


def _too_strange(run: Run) -> ProblemError:
    _, message, where = max(run.conflicts, key=lambda conflict: conflict[0])
    return error(
        "N2C042",
        f"the shapes do not fit by the field's custom: {message}",
        where,
        "check transposes and the order of the factors, or declare the shapes (`Q \\in "
        "\\mathbb{R}^{n \\times d_k}`)",
    )
