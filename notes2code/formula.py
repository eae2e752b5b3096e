"""One formula, compiled by itself: what ``notes2code.compile_formula`` gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.components.own_sizes import shown_settings
from notes2code.components.repair import repaired
from notes2code.diagnostics import Problem, Severity, Span, note
from notes2code.emit.graph import EmitError
from notes2code.emit.torch_function import torch_source
from notes2code.latex.bare import bare
from notes2code.meaning import shapes as sizes
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.prose.kinds import Passage
from notes2code.meaning.scope import Shape
from notes2code.names import of_function
from notes2code.oracle import evaluate
from notes2code.passages import passages
from notes2code.sentences import joined
from notes2code.vault import SourceText, read_note_text
from notes2code.vault.model import SourceMap
from notes2code.ways import ways, within


class FormulaError(ValueError):
    """There is nothing sound to compute in a formula; the message says what and where.

    ``status`` is ``rejected``, ``text`` or ``definition``; ``diagnostics`` are all problems.
    """

    def __init__(self, message: str, status: str, diagnostics: tuple[Problem, ...]) -> None:
        super().__init__(message)
        self.status = status
        self.diagnostics = diagnostics


@dataclass(frozen=True, slots=True)
class Input:
    """An input: its name in code and its shape, an empty one for a number.

    ``kind`` is ``array``, ``size`` (a whole number) or ``function``.
    """

    name: str
    shape: tuple[str, ...]
    kind: str = "array"


@dataclass(frozen=True)
class CompiledFormula:
    """A formula that computes something.

    ``status`` is ``component`` or ``formula``; ``component`` and ``settings`` are None and empty
    for a formula that is no component. ``shape`` is that of the value.
    """

    latex: str
    status: str
    component: str | None
    settings: Mapping[str, str | None]
    name: str
    inputs: tuple[Input, ...]
    shape: tuple[str, ...]
    diagnostics: tuple[Problem, ...]
    equation: Equation = field(repr=False)

    def reference(self, **inputs: Any) -> np.ndarray:
        """The value term by term, in NumPy's float64. Arrays have exactly the inputs' shapes."""
        return evaluate(self.equation, inputs)

    @cached_property
    def source(self) -> str:
        """The source of the PyTorch function: a module without imports but torch's. Raises
        ``FormulaError`` where there is none, though the reference can be computed."""
        try:
            return torch_source(self.equation, self._function_name, self.latex)
        except EmitError as problem:
            message = f"no PyTorch function is written for this formula: {problem}"
            raise FormulaError(message, self.status, self.diagnostics) from problem

    @property
    def _function_name(self) -> str:
        return of_function(self.name) if self.name else "formula"

    def function(self) -> Callable[..., Any]:
        """The PyTorch function, ready to call; array inputs may have leading batch dimensions."""
        namespace: dict[str, Any] = {"__name__": f"notes2code.compiled.{self._function_name}"}
        exec(compile(self.source, f"<{self._function_name}>", "exec"), namespace)
        made: Callable[..., Any] = namespace[self._function_name]
        return made


def compile_formula(
    latex: str,
    *,
    shapes: Mapping[str, Sequence[str | int]] | None = None,
    context: str | Sequence[str] = (),
) -> CompiledFormula:
    """Compile one formula as it stands in a note.

    ``shapes`` declares shapes of inputs by name, as a note would with ``\\in \\mathbb{R}^{…}``.
    ``context`` is what stands before the formula in its note: formulas, or the text of a note
    with formulas in ``$``. Raises ``FormulaError`` when there is nothing sound to compute.
    """
    compiled = _compiled(latex, shapes or {}, context)
    if compiled.equation is None or compiled.status not in ("component", "formula"):
        raise _refusal(latex, repaired(compiled, (), library()))
    equation, found = compiled.equation, compiled.recognised
    return CompiledFormula(
        latex,
        compiled.status,
        None if found is None else found.component.name,
        {} if found is None else shown_settings(found),
        equation.name,
        tuple(Input(i.name, tuple(map(sizes.text, i.shape)), i.kind) for i in equation.inputs),
        tuple(sizes.text(index.size) for index in equation.value.indices),
        compiled.problems,
        equation,
    )


def _compiled(
    latex: str, shapes: Mapping[str, Sequence[str | int]], context: str | Sequence[str]
) -> Compiled:
    known = library()
    if several := ways(latex, known):
        first = several[0]
        compiled = _compiled(first.latex, shapes, context)
        told = note(
            "N2C039", f"of several formulas `{first.label}` is the value", Span(0, len(latex))
        )
        return replace(compiled, problems=(told, *_moved(compiled.problems, within(first))))
    declared = {name: Shape(tuple(axes)) for name, axes in shapes.items()}
    before, prose = _read(context)
    entries = [Entry(bare(text), "note", (), order) for order, text in enumerate([*before, latex])]
    compiler = Compiler(Linker(entries, known.scope, declared, prose), known)
    return compiler.compiled(entries[-1])


def _moved(problems: Iterable[Problem], places: SourceMap) -> Iterator[Problem]:
    """The problems of a formula where they stand in the one that holds it."""
    for problem in problems:
        start, end = map(places.offset, (problem.span.start, problem.span.end))
        yield replace(problem, span=Span(start, end))


def _read(context: str | Sequence[str]) -> tuple[list[str], list[Passage]]:
    """The formulas of a context, and its prose."""
    if not isinstance(context, str):
        return list(context), []
    if "$" not in context:
        return [context] if context.strip() else [], []
    page = read_note_text("context.md", context)
    prose = [replace(passage, note="note", section=()) for passage in passages(page)]
    return [formula.latex for formula in joined(page)], prose


def _refusal(latex: str, compiled: Compiled) -> FormulaError:
    """The error of a formula without a value, with its place."""
    problem = next((p for p in compiled.problems if p.severity is Severity.ERROR), None)
    if problem is None:
        what = {"definition": "only declares something", "text": "holds nothing to compute"}
        message = f"this formula {what.get(compiled.status, 'has no value')}"
        return FormulaError(message, compiled.status, compiled.problems)
    source = SourceText("formula", latex)
    line, column = source.position(problem.span.start)
    message = f"{line}:{column}: {problem.code}: {problem.message}"
    return FormulaError(
        f"{message} ({problem.help})" if problem.help else message,
        compiled.status,
        compiled.problems,
    )
