"""The functions that a formula, the notes or the field define, by their names."""

from __future__ import annotations

from notes2code.meaning import names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.ir import Equation


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
