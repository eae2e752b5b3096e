"""Probabilities of a model, ``p_θ(x_t | x_{<t})``: numbers that the model gives, one a position."""

from __future__ import annotations

from notes2code.diagnostics import Span
from notes2code.latex.tree import Group, Node, children
from notes2code.meaning import ir, scripts
from notes2code.meaning.ir import Expr, Idx, Index, Ref, Size
from notes2code.meaning.run import Run, Symbol
from notes2code.meaning.scripts import Use
from notes2code.meaning.values import Value, scalar

LETTERS = frozenset(["p", "P", "q", "Pr", "pi"])
"""What probabilities are called."""


def is_probability(run: Run, use: Use, group: Group) -> bool:
    """Whether a call is a probability: ``P(… | …)``."""
    base = use.name.split("_")[0]
    return base in LETTERS and "|" in group.separators


def probability(run: Run, use: Use, group: Group, span: Span) -> Value:
    """An input that holds the probability for each value of the indices it depends on."""
    letters: list[str] = []
    for item in group.items[: 1 + group.separators.index("|")]:
        _collect(run, item, letters)
    indices: list[Index] = [run.indices[letter] for letter in letters]
    symbol = run.symbols.get(use.name)
    if symbol is None:
        axes = tuple(Size("") for _ in indices)
        symbol = run.symbols[use.name] = Symbol(use.name, axes, run.quote(span), span)
    for index, size in zip(indices, symbol.axes, strict=False):
        run.unify(index.size, size, span)
    at: tuple[Expr, ...] = tuple(Idx(index) for index in indices)
    return scalar(Ref(use.name, at), span)


def _collect(run: Run, node: Node, letters: list[str]) -> None:
    """The bound letters that the event of a probability depends on."""
    if scripts.is_name(node):
        for at in run.seen.use(node).indices:
            _collect(run, at.node, letters)
        text = getattr(node, "text", "")
        if text in run.indices and text not in letters:
            letters.append(text)
        return
    for child in children(node):
        _collect(run, child, letters)


__all__ = ["ir", "is_probability", "probability"]
