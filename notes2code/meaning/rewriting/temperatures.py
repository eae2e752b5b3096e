"""Probabilities at a temperature, the ``p_i^T`` and ``q_i^T`` of ``Σ_i p_i^T \\log q_i^T``: this T
says at which one they are, and transposes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import (
    Apply,
    Big,
    Change,
    Formula,
    Frac,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Relation,
    Script,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.stated import Statement, nodes_in


def below(formula: Formula) -> Change | None:
    """The T below the names, ``{p_T}_i``, where it stands above what a logarithm is taken of and
    above what this weighs, or above what is defined by a division by T."""
    if not any(map(_letter, formula.of(Script))):
        return None
    products = [node for node in formula.of(Juxt, Infix) if _is_product(node)]
    heated = {letter for product in products for letter in _weighed(product)}
    if not any(isinstance(big.sup, Name) and big.sup.text == "T" for big in formula.of(Big)):
        heated |= {_letter(node.operands[0]) for node in formula.of(Relation) if _is_defined(node)}

    def labelled(node: Script) -> Node | None:
        if _letter(node) not in heated or node.sup is None:
            return None
        return Script(Script(node.base, node.sup, None, 0, node.span), node.sub, None, 0, node.span)

    return labelled if heated else None


def are_read(nodes: Nodes) -> bool:
    """Whether a T was written below a name."""
    return "T" in nodes.words and any(map(_is_read, nodes.of(Script)))


def told(stated: Sequence[Statement]) -> tuple[tuple[Statement, ...], tuple[Problem, ...]]:
    """The statements as they are, and a note for each name that has a T below it now."""
    read = {binders.bare(n): n for n in reversed(nodes_in(stated).of(Script)) if _is_read(n)}
    text = "`%s` is taken to be at the temperature `T`: nothing is transposed"
    hint = "write `^\\top` for a transpose"
    return (*stated,), tuple(
        note("N2C039", text % f"{letter}^T", node.span, hint)
        for letter, node in reversed(read.items())
    )


def _is_read(node: Script) -> bool:
    """Whether it is ours: within a ``{p_T}_i`` that a note writes, ``p_T`` ends before the i."""
    match node:
        case Script(Script(Name(), Name("T"), None, 0) as inner, Name(), None, 0):
            return inner.span == node.span
    return False


def _letter(node: Node | None) -> str:
    """The p of ``p_i^T``; "" of anything else."""
    match node:
        case Script(Name(letter, _, ""), Name(), Name("T"), 0) if letter.islower():
            return letter
    return ""


def _is_product(node: Juxt | Infix) -> bool:
    return isinstance(node, Juxt) or node.op in "·×*"


def _weighed(product: Juxt | Infix) -> Iterator[str]:
    """The p and q of a product of ``p_i^T``, logarithms of ``q_i^T`` and numbers, all of one
    index: rows and columns have matrices between them."""
    chain = binders.multiplied(product)
    logs: list[Script] = []
    weights: list[Script] = []
    for factor in chain:
        inside = [one for node in walk(factor) if isinstance(node, Apply) for one in _taken(node)]
        logs += inside
        if isinstance(factor, Script) and _letter(factor):
            weights.append(factor)
        elif not inside and not _is_number(factor):
            return
    heated = (*logs, *weights)
    if logs and weights and len({binders.bare(one.sub) for one in heated if one.sub}) == 1:
        yield from map(_letter, heated)


def _is_number(factor: Node) -> bool:
    """Whether a factor scales: a number, a Greek letter, or a power of T."""
    return isinstance(factor, Num) or binders.bare(factor) in names.GREEK | {"T"}


def _taken(log: Apply) -> Iterator[Script]:
    """The ``q_i^T`` that a logarithm is taken of, and those of a ratio."""
    match log:
        case Apply(Name("log" | "ln"), argument):
            body = ungrouped(argument)
            parts = (body.top, body.bottom) if isinstance(body, Frac) else (body,)
            for part in map(ungrouped, parts):
                if isinstance(part, Script) and _letter(part):
                    yield part


def _is_defined(node: Relation) -> bool:
    """Whether ``p_i^T = e^{z_i/T} / …`` says itself what T is."""
    left, *values = node.operands
    inner = (part for value in values if value is not None for part in walk(value))
    return bool(_letter(left)) and any(
        isinstance(part, Frac) and binders.bare(ungrouped(part.bottom)) == "T"
        for power in inner
        for given in _given(power)
        for part in walk(given)
    )


def _given(node: Node) -> Iterator[Node]:
    """The exponent of a power of e, and what a softmax is of."""
    match node:
        case Apply(Name("exp"), exponent):
            yield exponent
        case Script(Name("e"), None, exponent) if exponent is not None:
            yield exponent
        case Juxt(factors):
            for function, argument in pairwise(factors):
                if names.as_word(binders.bare(function)) == "softmax":
                    yield argument
