"""Models that are linear in features: ``f(x) = w^\\top \\phi(x) + b`` is a number."""

from __future__ import annotations

from notes2code.diagnostics import Span
from notes2code.latex.tree import Infix, Juxt, Name, Script
from notes2code.meaning.inference.run import Run


def are_weighed(run: Run, where: Span | None = None) -> bool:
    """Whether such a model is all that is defined, and the product of its weights stands there: a
    named function of vectors, by their letters, with a bias that is a plain small letter."""
    match run.whole:
        case Infix("+", Juxt((Script(Name(weights)), *_), span), Name() | Script(Name()) as bias):
            letter = bias if isinstance(bias, Name) else bias.base
            assert isinstance(letter, Name)
            known = letter.text in {*run.parameters, *run.shapes, *run.defined}
            named = bool(run.parameters) and len(run.defines) == 1 and where in (None, span)
            small = all(map(_is_small, (weights, letter.text, *run.parameters)))
            return named and small and letter.font != "bold" and not known
    return False


def _is_small(name: str) -> bool:
    return len(name) == 1 and name.islower()
