"""What is said of formulas with several results, of which one is the value."""

from __future__ import annotations

from notes2code.diagnostics import Problem, Severity, Span

_WHICH = "which result is the value"


def told(name: str, span: Span) -> Problem:
    """A note that of several results one is the value."""
    text = f"of several results `{name}` is the value"
    return Problem("N2C039", Severity.NOTE, text, span, about=_WHICH)


def is_told(problem: Problem) -> bool:
    """Whether a problem tells which of several results is the value."""
    return problem.about == _WHICH
