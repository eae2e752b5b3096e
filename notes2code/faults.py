"""Faults of notes2code itself: one costs the formula that it is met at, never the other notes."""

from __future__ import annotations

import traceback
from pathlib import Path

from notes2code.diagnostics import Problem, Span, error


def described(fault: Exception) -> str:
    """What went wrong, and where in the code of notes2code."""
    place = traceback.extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__} at {Path(place.filename).name}:{place.lineno}"


def met(latex: str, fault: Exception) -> Problem:
    """The error for a formula that notes2code fails at."""
    return error(
        "N2C090",
        f"notes2code fails at this formula: {described(fault)}",
        Span(0, len(latex)),
        "this is a fault of notes2code, not of the note: please report the formula",
    ).problem
