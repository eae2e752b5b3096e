"""What becomes of a formula."""

from __future__ import annotations

from dataclasses import dataclass

from notes2code.components.recognise import Recognised
from notes2code.diagnostics import Problem
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.entries import Entry


@dataclass(frozen=True, eq=False)
class Compiled:
    """What became of a formula.

    ``status`` is ``component``, ``formula``, ``definition``, ``text`` or ``rejected``.
    ``equation`` is what it computes; for a component, completed and linked as far as the
    component needs it. ``uses`` are the formulas that were linked to it.
    """

    entry: Entry
    status: str
    equation: Equation | None = None
    recognised: Recognised | None = None
    problems: tuple[Problem, ...] = ()
    uses: tuple[Entry, ...] = ()
