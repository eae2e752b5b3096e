"""What functions are given and their definitions compute nothing with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from notes2code.diagnostics import Span, error, warning
from notes2code.meaning import ir
from notes2code.meaning.inference.probabilities import is_conditional
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value
from notes2code.meaning.ir import Equation, Idx, Ref
from notes2code.meaning.notation.scripts import Use


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
