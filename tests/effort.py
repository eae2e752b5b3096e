"""Whether work ends soon, on a slow machine as on a quick one."""

from __future__ import annotations

import time
from collections.abc import Callable


def ends_soon(work: Callable[[], object], *, within: float = 100) -> bool:
    """Whether work takes less than ``within`` times as long as counting to a million at that time:
    100 times are some two seconds. What else the machine does may disturb two tries of three."""
    for _ in range(3):
        before = _seconds(_count)
        spent = _seconds(work)
        if spent < within * max(before, _seconds(_count)):
            return True
    return False


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _count() -> None:
    for _ in range(1_000_000):
        pass
