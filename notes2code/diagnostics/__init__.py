"""What can be wrong and where: a problem in a text, and a diagnostic placed in a note."""

from __future__ import annotations

from enum import StrEnum

from notes2code.records import dataclass


class Severity(StrEnum):
    """How much a problem matters; an error rejects what it was found in."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of characters, ``start`` included, ``end`` excluded."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The range from the start of this span to the end of the other."""
        return Span(self.start, max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a text; ``span`` counts characters of that text.

    ``code`` is one of the codes in :mod:`notes2code.diagnostics.codes`, and ``about`` says what a
    remark tells where some of its code need not be told.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    help: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem with its place in a note.

    Lines and columns count from 1, columns in characters. ``excerpt`` is the line
    the problem stands in and ``caret`` the columns of the excerpt it covers, from 0.
    """

    code: str
    severity: Severity
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    help: str = ""
    excerpt: str = ""
    caret: Span = Span(0, 0)


class ProblemError(Exception):
    """Raised inside a stage to stop work on one formula; carries the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def error(code: str, message: str, span: Span, help: str = "") -> ProblemError:
    """An exception that rejects the formula it is raised in."""
    return ProblemError(Problem(code, Severity.ERROR, message, span, help))


def warning(code: str, message: str, span: Span, help: str = "") -> Problem:
    """A problem that does not keep the formula from being computed."""
    return Problem(code, Severity.WARNING, message, span, help)


def note(code: str, message: str, span: Span, help: str = "") -> Problem:
    """A remark on a decision that the author may want to know of."""
    return Problem(code, Severity.NOTE, message, span, help)
