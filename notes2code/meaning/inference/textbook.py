"""Functions that no note defines and everybody knows: what is taken for them is told, but for norms
and plain attention, of which there is one."""

from __future__ import annotations

from notes2code.diagnostics import warning
from notes2code.meaning import names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation.scripts import Use


def tell(run: Run, use: Use, equation: Equation) -> None:
    """Warn that the textbook's function is taken, with its weights."""
    own = [one.name for one in equation.inputs if one.shape and one.name not in equation.parameters]
    if names.is_norm(use.name) or not (own or equation.definitions):
        return
    text = f"`{use.name}` is not defined in the notes: the textbook's is taken"
    if own:
        text += f", and its weights ({', '.join(own)}) are inputs"
    hint = "define it in a note to have another"
    if all(problem.message != text for problem in run.problems):
        run.problems.append(warning("N2C030", text, use.span, hint))
