"""The numbers that notes give for letters of their formulas, such as ``c = 50``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import takewhile

from notes2code.compilation import Compilation, CompiledFormula
from notes2code.meaning.ir import Num

Section = tuple[str, tuple[str, ...]]
"""A note's path and the headings above a place in it."""


def numbers_said(compilation: Compilation) -> Mapping[Section, tuple[tuple[str, float], ...]]:
    """The numbers that formulas say, by their sections; none for a letter that a section gives
    two."""
    said: dict[Section, dict[str, set[float]]] = {}
    for formula in compilation.formulas:
        found = _said(compilation, formula)
        if found is not None:
            name, number = found
            section = said.setdefault((formula.note.path, formula.formula.section), {})
            section.setdefault(name, set()).add(number)
    return {
        section: tuple((name, min(values)) for name, values in found.items() if len(values) == 1)
        for section, found in said.items()
    }


def _said(compilation: Compilation, formula: CompiledFormula) -> tuple[str, float] | None:
    """The letter and the number of a formula that only says what number a letter is; in an example
    it is that of the example."""
    if formula.compiled.status != "definition" or _is_in_example(formula):
        return None
    equation = compilation.compiler.linker.typed(formula.compiled.entry).own.equation
    if equation is None or equation.value.indices or not isinstance(equation.value.body, Num):
        return None
    number = float(equation.value.body.value)
    return (equation.name, number) if math.isfinite(number) else None


def _is_in_example(formula: CompiledFormula) -> bool:
    """Whether a formula stands in a callout, ``> [!example]``."""
    before = formula.note.source.text[: formula.formula.places.offset(0)].splitlines()
    quoted = takewhile(lambda line: line.lstrip().startswith(">"), reversed(before))
    return any(re.match(r"[\s>]*\[!example", line, re.IGNORECASE) for line in quoted)
