"""Functions that no note defines and everybody knows: what is taken for them is told, but for norms
and plain attention, of which there is one."""

from __future__ import annotations

from notes2code.diagnostics import warning
from notes2code.meaning import names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation.scripts import Use


def tell(run: Run, use: Use, equation: Equation, which: str = "", why: str = "") -> None:
    """Warn once where a function is called that the textbook's is taken, with its weights: which
    one, if that has another name, and why."""
    if any(problem.code == "N2C030" and problem.span == use.span for problem in run.problems):
        return
    own = [one.name for one in equation.inputs if one.shape and one.name not in equation.parameters]
    if names.is_norm(use.name) or not (own or equation.definitions):
        return
    text = f"`{use.name}` is not defined in the notes: the textbook's{which} is taken{why}"
    if own:
        text += f", and its weights ({', '.join(own)}) are inputs"
    hint = "define it in a note to have another"
    if all(problem.message != text for problem in run.problems):
        run.problems.append(warning("N2C030", text, use.span, hint))
