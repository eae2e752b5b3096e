"""What functions are given and their definitions compute nothing with, and what these name and
calls leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Span, error, note, warning
from notes2code.meaning import ir, names
from notes2code.meaning.inference.probabilities import is_conditional
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value
from notes2code.meaning.ir import Equation, Idx, Ref
from notes2code.meaning.notation.scripts import Use

_WEIGHTS = frozenset(["W", "V", "U", "w", "b", "g", "gamma", "beta", "theta"])
_SURELY = frozenset(["W", "gamma", "theta"])
"""The letters of weights; a V, a b or a g alone may be something else."""


def without_weights(run: Run, use: Use, equation: Equation, given: int) -> Equation:
    """A function that is given fewer arguments than it is defined with, where the others are its
    weights: the ``FFN(x)`` of ``FFN(x, W_1, W_2) = …``."""
    rest = equation.parameters[given:]
    letters = {names.base_letter(name) for name in rest}
    if not given or not letters & _SURELY or not letters <= _WEIGHTS:
        return equation
    text = f"`{use.name}` is given no `{', '.join(rest)}` here: they are taken to be its weights"
    run.problems.append(note("N2C039", text, use.span))
    return replace(equation, parameters=equation.parameters[:given])


def refuse_others(run: Run, use: Use, unused: Sequence[Value], span: Span) -> None:
    """Two calls that differ in nothing but what the definition does not compute with would be one:
    the ``r(x, y) = \\log p(y | x)`` of two y, as a probability is an input. What is computed for
    the call, as in ``MultiHead(LN(x))``, would be lost."""
    texts = tuple(run.quote(one.span) for one in unused)
    if any(not isinstance(one.body, Ref | Idx | ir.Num) for one in unused):
        raise error(
            "N2C033",
            f"the definition of `{use.name}` does not say what becomes of `{', '.join(texts)}`",
            span,
            "define what it is made of, such as its heads, by the name that stands in parentheses",
        )
    _refuse_unlike(run, use, use.name, texts, span)


def refuse_other_events(
    run: Run, use: Use, equation: Equation, arguments: Sequence[Value], span: Span
) -> None:
    """The π(y | x) in a definition of p(y | x) is an input, and so one number for all y."""
    events = [one.written for one in equation.inputs if is_conditional(one.written)]
    written = {one.name: re.escape(one.written) for one in equation.inputs}
    texts = tuple(
        run.quote(value.span)
        for name, value in zip(equation.parameters, arguments, strict=False)
        if any(re.search(rf"(?<![\\\w]){written[name]}(?!\w)", event) for event in events)
    )
    _refuse_unlike(run, use, f"{use.name} in events", texts, span)


def _refuse_unlike(run: Run, use: Use, called: str, texts: tuple[str, ...], span: Span) -> None:
    if run.left_out.setdefault(called, texts) != texts:
        raise error(
            "N2C033",
            f"the definition of `{use.name}` does not compute with `{', '.join(texts)}`, in which "
            "its calls differ",
            span,
            "write each call out, with a name of its own for each probability",
        )


def tell_all(run: Run, use: Use, unused: Sequence[Value], span: Span) -> None:
    """``MultiHead(X)`` where the note has not said what its heads make of X."""
    texts = ", ".join(run.quote(one.span) for one in unused)
    text = f"the definition of `{use.name}` makes nothing of `{texts}`"
    help = "define what it is made of, such as its heads, by the names that stand in parentheses"
    run.problems.append(warning("N2C033", text, span, help))
