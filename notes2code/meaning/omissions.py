"""Slips of what is left out or said twice: the 1/n of a mean, a residual, an index of a weight."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from notes2code.diagnostics import Problem, ProblemError, Span, error, warning
from notes2code.latex.tree import (
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    children,
    walk,
)
from notes2code.meaning import binders, names, targets
from notes2code.meaning.ellipsis import alike
from notes2code.meaning.ir import Equation
from notes2code.meaning.scripts import Use, is_name
from notes2code.meaning.statements import Define
from notes2code.meaning.survey import Survey

_AS_WRITTEN = "the code computes what is written; change it if that is not meant"


def omissions(
    nodes: Nodes,
    named: Sequence[tuple[Node, Use]],
    defines: Sequence[Define],
    seen: Survey,
    equation: Equation,
) -> Iterator[Problem]:
    """Warnings for what was probably left out. Raises ``ProblemError`` where an index of a weight
    or of an element is nothing that counts."""
    _refuse_unsaid(nodes, named, defines, equation)
    for define in defines:
        yield from _means(define)
        yield from _taken_twice(define, seen)
    for node in nodes.of(Infix):
        if node.op == "+":
            yield from _twice(node)
            yield from _lost_residual(node)


# --- indices -----------------------------------------------------------------------------------

_COUNTERS = frozenset("ijklmnst")
_WEIGHT = re.compile(r"W_([a-z])_[QKVqkv]")
_OF_HEADS = re.compile(r"W_[QKVqkv]")


def _refuse_unsaid(
    nodes: Nodes, named: Sequence[tuple[Node, Use]], defines: Sequence[Define], equation: Equation
) -> None:
    """Refuse ``head_i = f(Q W_i^Q, K W_j^K)``, ``head_1 = f(Q W_i^Q)``, ``Concat(f(Q W_i^Q))`` and
    ``a_i = softmax(e)_j``: the letter is like an index, and nothing counts it."""
    numbered = any(isinstance(getattr(d.target, "sub", None), Num) for d in defines)
    joined = any(name.text.lower() == "concat" for name in nodes.of(Name))
    counted = any(use.indices and _OF_HEADS.fullmatch(use.name) for _, use in named)
    for node, use in named if numbered or joined or counted else ():
        found = _WEIGHT.fullmatch(use.name)
        if found and isinstance(node, Script):
            raise _unsaid(found.group(1), node.span)
    given = {one.name for one in equation.inputs}
    letters = {d.target.sub for d in defines if isinstance(d.target, Script)}
    labels = {x.text for x in letters if isinstance(x, Name)} & _COUNTERS
    for script in nodes.of(Script) if labels and not equation.value.indices else ():
        if isinstance(script.sub, Name) and not is_name(script):
            letter = script.sub.text
            if letter in (_COUNTERS - labels) & given:
                raise _unsaid(letter, script.sub.span)


def _unsaid(letter: str, span: Span) -> ProblemError:
    return error(
        "N2C032",
        f"nothing says over what the index `{letter}` runs here",
        span,
        "put it on the left-hand side, or into the sum that it belongs to",
    )


def _taken_twice(define: Define, seen: Survey) -> Iterator[Problem]:
    """``y_i = x_i + Σ_i a_i x_i``: the i of the left-hand side is another one below the sum. What
    all are divided by, as in ``e^{x_i} / Σ_i e^{x_i}``, has always been written so."""
    if define.target is None:
        return
    mine = {x.text for at in targets.read_target(seen, define).indices for x in _names(at.node)}
    for node in (inner for value in define.values for inner in _above(value)):
        if isinstance(node, Big) and node.op in ("sum", "prod") and node.sub is not None:
            for letter in mine.intersection(binders.bound_letters(node.sub)):
                text = f"the index `{letter}` of the left-hand side is summed over here"
                yield warning("N2C080", text, node.sub.span, "give one of the two another letter")


def _names(node: Node) -> list[Name]:
    return [inner for inner in walk(node) if isinstance(inner, Name)]


def _above(node: Node) -> Iterator[Node]:
    """The nodes inside one, but for what stands below a fraction."""
    yield node
    below = node.bottom if isinstance(node, Frac) else None
    if isinstance(node, Infix) and node.op == "/":
        below = node.right
    for child in children(node):
        if child is not below:
            yield from _above(child)


# --- means -------------------------------------------------------------------------------------


def _means(define: Define) -> Iterator[Problem]:
    """``μ = Σ x_i`` and ``σ² = Σ (x_i − μ)²`` without 1/n; ``Σ_i (x_i − μ_i)²``, whose mean is
    another for each term."""
    target = define.target
    if target is None or not is_name(target):
        return
    letter = binders.bare(target)
    squared = isinstance(target, Script) and isinstance(target.sup, Num)
    for value in define.values:
        centred = [n for n in walk(value) if isinstance(n, Big) and n.op == "sum"]
        for node in centred if letter == "sigma" and squared else ():
            yield from _moving_mean(node)
        if not isinstance(value, Big) or value.op != "sum" or value.sub is None:
            continue
        body = value.body
        if letter == "mu" and isinstance(body, Script) and isinstance(body.base, Name):
            what = "a mean is the sum divided by the number of its terms"
        elif letter == "sigma" and squared and _is_square(body):
            what = "a variance is the sum divided by the number of its terms"
        else:
            continue
        yield warning("N2C080", what, value.span, "write `\\frac{1}{n}` before it if that is meant")


def _is_square(node: Node) -> bool:
    return (
        isinstance(node, Script)
        and isinstance(node.base, Group)
        and isinstance(node.sup, Num)
        and node.sup.text == "2"
    )


def _moving_mean(node: Big) -> Iterator[Problem]:
    letters = binders.bound_letters(node.sub) if node.sub is not None else []
    for inner in walk(node.body):
        if not (isinstance(inner, Script) and binders.bare(inner) == "mu"):
            continue
        if isinstance(inner.sub, Name) and inner.sub.text in letters:
            text = f"this mean is another one for every `{inner.sub.text}` that is summed over"
            yield warning("N2C080", text, inner.span, "leave the index out if one mean is meant")


# --- residuals ---------------------------------------------------------------------------------


def _twice(node: Infix) -> Iterator[Problem]:
    """``f(x) + f(x)``: the call of a layer is added to itself."""
    left = node.left
    before = left.right if isinstance(left, Infix) and left.op == "+" else left
    if _is_call(before) and alike(before, node.right):
        yield warning("N2C080", "the same is added twice", node.right.span, _AS_WRITTEN)


def _lost_residual(node: Infix) -> Iterator[Problem]:
    """``x + f(x + g(x))``: what the second layer gets, x + g(x), is not what it is added to."""
    for outer, layer in ((node.left, node.right), (node.right, node.left)):
        if not is_name(outer) or not _is_call(layer):
            continue
        for inner in walk(layer):
            if not isinstance(inner, Infix) or inner.op != "+":
                continue
            terms = binders.chain(inner)
            rest = [term for term in terms if not alike(term, outer)]
            if len(terms) == 2 and len(rest) == 1 and _is_call(rest[0]) and _holds(rest[0], outer):
                text = "what this layer gets is a sum with a residual, of which only a part is kept"
                yield warning("N2C080", text, outer.span, _AS_WRITTEN)
                return


def _is_call(node: Node) -> bool:
    """Whether it is a function of several letters, as layers are, before parentheses."""
    if not isinstance(node, Juxt) or len(node.factors) != 2:
        return False
    called, group = node.factors
    is_word = is_name(called) and len(names.base_letter(binders.bare(called))) > 1
    return is_word and isinstance(group, Group) and group.open == "("


def _holds(node: Node, other: Node) -> bool:
    return any(alike(inner, other) for inner in walk(node))
