"""Likely repairs of rejected formulas: what a slip of OCR or of the keyboard probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from notes2code.components.compiled import Compiled
from notes2code.components.library import Component, Library
from notes2code.components.misnamed import misnamed
from notes2code.components.recognise import recognise
from notes2code.components.transposed import transposed
from notes2code.diagnostics import Severity
from notes2code.latex.words import EATEN
from notes2code.meaning import type_formula

_SLIPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\\frac\s*\{1\}\s*\{\\sum_\{?(\w+)\}?\s+([^{}]+)\}"), r"\\frac{1}{\\sqrt{\1}} \2"),
    (re.compile(r"\\sum_\{?(\w+)\}?(?=\s*\})"), r"\\sqrt{\1}"),
    (re.compile(r"(?<=[A-Za-z])\s*T\b"), "^T"),
    (re.compile(r"\\sqrt\s*\(([^()]*)\)"), r"\\sqrt{\1}"),
    (re.compile(r"(?<![\\A-Za-z_])([dn])([a-z])\b"), r"\1_\2"),
    (re.compile(r"(?:\\[ ,;]|\s)\s*\d+\s*$"), ""),
    (re.compile(r"\s*[-–]\s*\w+\s*\\times\s*\w+\s*$"), ""),
    *((re.compile(rf"(?<![\\A-Za-z]){eaten}\b"), rf"\\{whole}") for eaten, whole in EATEN.items()),
)
_OF_ROWS = re.compile(r" is \w+×(d\w*) and .+ is \w+×\1;")
"""What is told of two arrays of rows that are declared, of which one has to be turned; the columns
of another note would be other attention."""

_ARROW = re.compile(r"\\(?:right|long)?(?:right)?arrow\b|\\to\b")
_BRACKETS = (("(", ")"), ("{", "}"), ("[", "]"))


def repaired(compiled: Compiled, known: Sequence[Compiled], library: Library) -> Compiled:
    """A rejected formula with the likely repair added to the help of its error.

    A repair is offered only where the repaired formula is recognised.
    """
    if compiled.status != "rejected":
        return compiled
    lines = (" ".join(line.split()) for line in compiled.entry.latex.splitlines())
    turned = (
        candidate
        for problem in compiled.problems
        if problem.code in ("N2C040", "N2C042") and problem.severity is Severity.ERROR
        if "as declared" not in problem.message or _OF_ROWS.search(problem.message)
        for candidate in transposed(compiled.entry.latex, problem.span)
    )
    for candidate in (*_candidates("\n".join(filter(None, lines))), *turned):
        found = _component_of(candidate, library)
        if found is None:
            continue
        meant = f"`{' '.join(candidate.split())}` would be {found.summary[0].lower()}"
        meant += found.summary[1:].rstrip(".")
        others = sum(c.recognised is not None and c.recognised.component is found for c in known)
        if others:
            meant += f", as {others} other formula{'s' * (others > 1)} of the vault"
        problems = tuple(
            replace(p, help="; ".join(filter(None, [p.help, meant])))
            if p.severity is Severity.ERROR
            else p
            for p in compiled.problems
        )
        return replace(compiled, problems=problems)
    return compiled


def _component_of(candidate: str, library: Library) -> Component | None:
    """The component that a candidate would be, if nothing in it is strange; no note has written it,
    so that where we fail at it nobody need know."""
    with suppress(Exception):
        equation = type_formula(candidate, library.scope).equation
        recognised = None if equation is None else recognise(equation, library)
        if recognised is not None and not any(misnamed(recognised, library)):
            return recognised.component
    return None


def _candidates(latex: str) -> Iterator[str]:
    """The formula with each usual slip undone, and with brackets balanced; of a chain of arrows
    also what stands behind the last."""
    *before, last = _ARROW.split(latex)
    if before:
        yield from _candidates(last)
    whole = latex
    for pattern, meant in _SLIPS:
        changed = pattern.sub(meant, latex)
        if changed != latex:
            yield changed
        whole = pattern.sub(meant, whole)
    if whole != latex:
        yield whole
    for opening, closing in _BRACKETS:
        missing = latex.count(opening) - latex.count(closing)
        if 0 < missing <= 2:
            yield latex + closing * missing
        elif -2 <= missing < 0:
            yield latex[::-1].replace(closing, "", -missing)[::-1]
