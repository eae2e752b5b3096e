"""What templates see of the NumPy function that the tests hold a part against."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from notes2code.emit.any_size import of_any_size
from notes2code.emit.attention import TURN
from notes2code.emit.called import entries
from notes2code.emit.formula_view import FormulaView
from notes2code.emit.graph import EmitError
from notes2code.emit.reference import arranged, axes_of, over_rows
from notes2code.emit.sublayers import opened
from notes2code.emit.templating import fill
from notes2code.meaning.ir import Equation, Size
from notes2code.oracle import numpy_source


class ReferenceView(FormulaView):
    """The formula of a part, and what stands for it in tests."""

    @cached_property
    def equation(self) -> Equation:
        """The formula that the tests evaluate; that of a layer takes what it calls as inputs, that
        of BLEU has its penalty in it."""
        equation = self.recognised.equation
        if self.has("penalty"):
            return self.penalty.equation
        if self.family == "layers":
            return opened(equation)
        turn = self.recognised.functions.get(TURN)
        return equation if turn is None else opened(equation, {turn})

    @property
    def reference(self) -> str:
        """The name of the NumPy function that the tests hold the part against."""
        return f"{self.snake}_reference"

    def given(self, role: str, text: str) -> str:
        """An array with the axes of a role, in the layout that the reference takes: turned where
        the note has it the other way round, with axes of length one for further indices."""
        return arranged(text, axes_of(self.recognised.found, role))

    def linear(self, role: str, module: str) -> str:
        """The weight of an ``nn.Linear``, which is (out, in), for a role that is (in, out)."""
        axes = axes_of(self.recognised.found, role)
        return arranged(f"array({module}.weight)", [1 - a if a >= 0 else a for a in axes])

    def size(self, name: str) -> str:
        """The reference's parameter for one of the component's sizes, where it is one."""
        found = self.recognised.found
        sizes = {mine.name: theirs for mine, theirs in found.sizes.items()}
        sizes |= {mine.size.name: theirs.size for mine, theirs in found.indices.items()}
        theirs = sizes[name]
        if not isinstance(theirs, Size):
            raise EmitError(f"the size {name} is not one that the formula names")
        return theirs.name

    def result(self, text: str) -> str:
        """What the reference gives, with its axes in the component's order."""
        found, note = self.recognised.found, self.recognised.equation.value.indices
        mine = self.recognised.form.pattern.value.indices
        return arranged(text, [note.index(found.indices[index]) for index in mine])

    def over_rows(self, role: str, rows: str, rest: str) -> str:
        """The reference at all rows of the matrix ``rows``, which stand in a role of vectors;
        ``rest`` are its further arguments."""
        return over_rows(self.recognised, self.reference, role, rows, rest)

    def weights(self, module: str) -> Mapping[str, str]:
        """The reference's inputs that are parameters of a module, by name, as text: the lines
        ``name = text`` of the component's ``weights.j2``."""
        lines = fill(self._part.component.folder, "weights.j2", part=self, module=module)
        pairs = (line.split(" = ", 1) for line in lines.splitlines() if line.strip())
        return {name.strip(): text for name, text in pairs}

    @staticmethod
    def entries(weights: Mapping[str, str], indent: int = 8) -> str:
        """Weights by name as the entries of a dictionary."""
        return entries(weights, indent)

    def reference_source(self) -> str:
        """The formula, term by term, as a NumPy function."""
        return numpy_source(of_any_size(self.equation), self.reference)

    def inputs(self) -> tuple[str, ...]:
        """The names of the reference's parameters, in order."""
        return tuple(i.name for i in self.equation.inputs)

    def rank(self, name: str) -> int:
        """The number of axes of an input of the reference."""
        return next(len(i.shape) for i in self.equation.inputs if i.name == name)
