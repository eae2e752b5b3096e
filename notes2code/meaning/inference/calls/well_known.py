"""What a name that is called stands for, unless the notes define it."""

from __future__ import annotations

from notes2code.meaning import names
from notes2code.meaning.inference.calls import known_functions, of_arrays, softmax
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation import scripts
from notes2code.meaning.notation.functions import GREEK_FUNCTIONS, LEAKY, OF_NUMBERS


def builtin(name: str) -> str | None:
    """What a name stands for that everybody knows, in one spelling."""
    plain = names.as_word(name)
    if plain in OF_NUMBERS:
        return OF_NUMBERS[plain]
    if plain in LEAKY:
        return plain
    if plain in of_arrays.BY_NAME or plain in of_arrays.REDUCTIONS:
        return plain
    if plain.startswith(("swish", "linear")) or softmax.is_softmax(name):
        return plain
    return None


def is_unknown(run: Run, use: scripts.Use) -> bool:
    """Whether neither the notes nor the field say what a function is."""
    named = use.name in run.defined or use.name in GREEK_FUNCTIONS
    return not (named or known_functions.known(run, use.name) is not None or builtin(use.name))
