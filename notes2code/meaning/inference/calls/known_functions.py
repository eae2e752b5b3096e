"""The functions that a formula, the notes or the field define, by their names."""

from __future__ import annotations

from notes2code.diagnostics import warning
from notes2code.meaning import names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation.scripts import Use


def known(run: Run, name: str) -> Equation | None:
    """The equation of a function that this formula, the notes or the field define."""
    return run.functions.get(name) or run.scope.functions.get(name) or of_field(run, name)


def without_number(run: Run, name: str) -> str:
    """The name of a function of the field, of which a note numbers the uses: ``RMSNorm_2``."""
    base = names.plainly(name)
    counts = base and known(run, name) is None and of_field(run, base) is not None
    return base if counts else name


def of_field(run: Run, name: str) -> Equation | None:
    """The function that the field calls by a name, where it is given something."""
    word = names.as_word(name)
    found = run.scope.field.get("ffn" if word == "mlp" and is_layer(run) else word)
    return found if found is not None and found.parameters else None


def is_layer(run: Run) -> bool:
    """Whether a formula is that of a layer, which has a norm."""
    return any(map(names.is_norm, run.seen.called))


def tell(run: Run, use: Use, equation: Equation, which: str = "", why: str = "") -> None:
    """Warn once where a function is called that the textbook's is taken, with its weights: which
    one, if that has another name, and why. Of norms and plain attention there is one."""
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
