"""Slips of what is left out or said twice: the 1/n of a mean, an index of a weight."""

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
    alike,
    children,
    walk,
)
from notes2code.meaning.inference import targets
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import Use, is_name, is_two
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define


def omissions(
    nodes: Nodes,
    named: Sequence[tuple[Node, Use]],
    defines: Sequence[Define],
    seen: Survey,
    equation: Equation,
) -> Iterator[Problem]:
    """Warnings for what was probably left out or confused. Raises ``ProblemError`` where an index
    of a weight or of an element is nothing that counts."""
    _refuse_unsaid(nodes, named, defines, seen, equation)
    _refuse_same_step(defines)
    for define in defines:
        yield from _same_layer(define)
        yield from _means(define)
        yield from _taken_twice(define, seen)
        yield from _over_steps(define, nodes.of(Script))


# --- indices -----------------------------------------------------------------------------------

_COUNTERS = frozenset("ijklmnst")
_WEIGHT = re.compile(r"W_([a-z])_[QKVqkv]")
_OF_HEADS = re.compile(r"W_[QKVqkv]")


def _refuse_unsaid(
    nodes: Nodes,
    named: Sequence[tuple[Node, Use]],
    defines: Sequence[Define],
    seen: Survey,
    equation: Equation,
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
        if counted and (letter := _of_group(node)) and letter not in seen.bound:
            raise _unsaid(letter, node.span)
    given = {one.name for one in equation.inputs}
    letters = {d.target.sub for d in defines if isinstance(d.target, Script)}
    labels = {x.text for x in letters if isinstance(x, Name)} & _COUNTERS
    for script in nodes.of(Script) if labels and not equation.value.indices else ():
        if isinstance(script.sub, Name) and not is_name(script):
            letter = script.sub.text
            if letter in (_COUNTERS - labels) & given:
                raise _unsaid(letter, script.sub.span)


def _of_group(node: Node) -> str:
    """The i of ``W_{g(i)}``; "" of other names."""
    match node:
        case Script(_, Juxt((Name(), Group("(", (Name(letter),))))) if letter in _COUNTERS:
            return letter
    return ""


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
    if define.target is None or not seen.nodes.of(Big):
        return
    mine = {x.text for at in targets.read_target(seen, define).indices for x in _names(at.node)}
    for node in (inner for value in define.values for inner in _above(value)):
        if isinstance(node, Big) and node.op in ("sum", "prod") and node.sub is not None:
            for letter in mine.intersection(binders.bound_letters(node.sub)):
                text = f"the index `{letter}` of the left-hand side is summed over here"
                yield warning("N2C080", text, node.sub.span, "give one of the two another letter")


def _over_steps(define: Define, nodes: Sequence[Node]) -> Iterator[Problem]:
    """``α_{ij} = exp(e_{ij}) / Σ_k exp(e_{kj})`` beside ``s_{i-1}``: i counts steps, and weights
    are normalised over what they weigh."""
    for value in define.values:
        below = value.bottom if isinstance(value, Frac) else None
        if not isinstance(value, Frac) or not isinstance(below, Big) or below.sub is None:
            continue
        above = {letters for n in walk(value.top) if (letters := _letters_below(n))}
        for letters in (found for n in walk(below.body) if (found := _letters_below(n))):
            for at, letter in enumerate(letters):
                replaced = {x[at] for x in above if _but(x, at) == _but(letters, at)}
                steps = {x for x in replaced - {letter} if any(_steps_back(n, x) for n in nodes)}
                if letter in binders.bound_letters(below.sub) and steps:
                    text = f"the weights are normalised over `{steps.pop()}`, which counts steps"
                    yield warning("N2C080", text, below.sub.span, "sum over the other index")


def _letters_below(node: Node) -> tuple[str, ...]:
    """The i and the j of ``e_{ij}``."""
    sub = node.sub if isinstance(node, Script) else None
    letters = tuple(x.text for x in _names(sub)) if isinstance(sub, Juxt | Group) else ()
    return letters if len(letters) == 2 else ()


def _but(letters: tuple[str, ...], at: int) -> tuple[str, ...]:
    return letters[:at] + letters[at + 1 :]


def _steps_back(node: Node, letter: str) -> bool:
    """Whether it is a name at the step before, ``s_{i-1}``."""
    match node:
        case Script(_, Infix("-", Name(text), Num("1"))):
            return text == letter
    return False


def _names(node: Node) -> list[Name]:
    return [inner for inner in walk(node) if isinstance(inner, Name)]


def _above(node: Node) -> Iterator[Node]:
    """The nodes inside one, but for what stands below a fraction."""
    yield node
    below = node.bottom if isinstance(node, Frac) else None
    for child in children(node):
        if child is not below:
            yield from _above(child)


def _refuse_same_step(defines: Sequence[Define]) -> None:
    """Refuse ``h_0 = x, h_l = f(h_l)``: the step goes on from itself."""
    firsts = [d.target for d in defines if isinstance(getattr(d.target, "sub", None), Num)]
    for define in defines:
        target = define.target
        if not isinstance(target, Script) or not isinstance(target.sub, Name):
            continue
        begun = any(isinstance(f, Script) and alike(f.base, target.base) for f in firsts)
        for node in (inner for value in define.values if begun for inner in walk(value)):
            if isinstance(node, Script) and alike(node, target):
                raise error(
                    "N2C034",
                    f"`{binders.bare(target)}` at `{target.sub.text}` is made of itself",
                    node.span,
                    f"write `{target.sub.text}-1` for the step before",
                )


def _same_layer(define: Define) -> Iterator[Problem]:
    """``H^{(l)} = LN(H^{(l)} + …)``: a layer that is made of itself."""
    target = define.target
    if isinstance(target, Script) and any(name.text in ("l", "ell") for name in _scripts(target)):
        for node in (inner for value in define.values for inner in walk(value)):
            if alike(node, target):
                text = "the layer is made of itself: usually of the one before"
                yield warning("N2C080", text, node.span, "write `l-1` for the layer before")
                return


def _scripts(node: Script) -> list[Name]:
    return [name for part in (node.sub, node.sup) if part is not None for name in _names(part)]


# --- means -------------------------------------------------------------------------------------


def _means(define: Define) -> Iterator[Problem]:
    """``μ = Σ x_i`` and ``σ² = Σ (x_i − μ)²`` without 1/n; ``Σ_i (x_i − μ_i)²``, whose mean is
    another for each term."""
    target = define.target
    if target is None or not is_name(target):
        return
    letter = binders.bare(target)
    squared = isinstance(target, Script) and is_two(target.sup)
    for value in define.values:
        inside = walk(value) if letter == "sigma" and squared else ()
        for node in (n for n in inside if isinstance(n, Big) and n.op == "sum"):
            yield from _moving_mean(node)
            yield from _added_mean(node)
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
    return isinstance(node, Script) and isinstance(node.base, Group) and is_two(node.sup)


def _added_mean(node: Big) -> Iterator[Problem]:
    """``σ² = Σ (x_i + μ)²``."""
    for inner in walk(node.body):
        if isinstance(inner, Infix) and inner.op == "+" and binders.bare(inner.right) == "mu":
            text = "a variance is made of differences from the mean"
            yield warning("N2C080", text, inner.span, "write `-` if that is meant")


def _moving_mean(node: Big) -> Iterator[Problem]:
    letters = binders.bound_letters(node.sub) if node.sub is not None else []
    for inner in walk(node.body):
        if not (isinstance(inner, Script) and binders.bare(inner) == "mu"):
            continue
        if isinstance(inner.sub, Name) and inner.sub.text in letters:
            text = f"this mean is another one for every `{inner.sub.text}` that is summed over"
            yield warning("N2C080", text, inner.span, "leave the index out if one mean is meant")
