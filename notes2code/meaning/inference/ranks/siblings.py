"""What only a number tells apart is of one kind: the g_1 and the g_2 of ``g_1 x + g_2 y``."""

from __future__ import annotations

import re

from notes2code.diagnostics import note
from notes2code.meaning.inference.run import Run
from notes2code.meaning.overview.counting import LABELLED

_RAISED = re.compile(r"\^(?:\d|T|\\top|\{(?:\d|T|\\top)\})$")
"""The power and the transpose behind a name."""


def weigh(run: Run) -> None:
    """Count against a reading that takes one for a number and the next one for an array, of neither
    of which the note says what it is; tell of the e_1 beside e_j that it is no element of these."""
    ranks: dict[str, set[int]] = {}
    for name, symbol in run.symbols.items():
        stem, _, number = name.rpartition("_")
        if number.isdigit() and symbol.kind == "array" and name not in run.shapes:
            below = max(run.seen.counted.get(name, {0}))
            ranks.setdefault(stem, set()).add(len(symbol.axes) - below)
            family = run.symbols.get(stem) if stem not in LABELLED else None
            counts = run.seen.counted.get(stem, set())
            if family is not None and int(number) and counts in ({1}, {len(number)}):
                mine, theirs = (_RAISED.sub("", one.written) for one in (symbol, family))
                if mine == theirs or not re.search(rf"[_^({{]\s*{number}(?!\d)", mine):
                    continue  # its number is of a name that was taken
                text = f"`{mine}` is an input of its own, and not taken from the `{theirs}`"
                run.problems.append(note("N2C039", text, symbol.span))
    run.pay(1.2 * sum(len(kinds) > 1 for stem, kinds in ranks.items() if stem))
