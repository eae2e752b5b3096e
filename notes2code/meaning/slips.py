"""Slips of the pen that shapes cannot tell: names that do not go together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from notes2code.diagnostics import Problem, Span, error, warning
from notes2code.latex.tree import Accent, Group, Infix, Juxt, Name, Node, Script, walk
from notes2code.meaning import binders, ellipsis, equations, names
from notes2code.meaning.ir import Equation
from notes2code.meaning.scripts import Use
from notes2code.meaning.statements import Define, Statement
from notes2code.meaning.survey import Survey


def slips(stated: Sequence[Statement], seen: Survey, equation: Equation) -> Iterator[Problem]:
    """Warnings for names that were probably confused. Raises ``ProblemError`` where one sign has
    two meanings."""
    defines = [s for s in stated if isinstance(s, Define)]
    nodes = [node for define in defines for value in define.values for node in walk(value)]
    bases = {id(node.base) for node in nodes if isinstance(node, Script | Accent)}
    named = [node for node in nodes if id(node) not in bases]
    _refuse_two_meanings(named)
    for node in nodes:
        if isinstance(node, Group):
            ellipsis.refuse_idle(node.items)
    uses = [use for node in named if (use := seen.understood(node))]
    yield from _layers(nodes, seen)
    yield from _two_cases(uses, equation)
    for define in defines:
        yield from _parameters(define, seen)


# --- T as a label ------------------------------------------------------------------------------


def _refuse_two_meanings(nodes: Sequence[Node]) -> None:
    """``H^T`` beside ``H^L``, where H alone stands nowhere: T may be a label like L."""
    marks: dict[str, set[str]] = defaultdict(set)
    places: dict[str, Span] = {}
    for node in nodes:
        if isinstance(node, Name):
            marks[node.text].add("")
        if isinstance(node, Script) and isinstance(node.base, Name):
            mark = node.sup.text if isinstance(node.sup, Name) and node.sub is None else ""
            marks[node.base.text].add(mark)
            if mark == "T":
                places.setdefault(node.base.text, node.span)
    for base, place in places.items():
        labels = marks[base] - {"T"}
        if labels and all(len(mark) == 1 and mark.isupper() for mark in labels):
            raise error(
                "N2C033",
                f"`{base}^T` may be the transpose of `{base}`, or a name like "
                f"`{base}^{min(labels)}`",
                place,
                "write `^\\top` for a transpose, or another label",
            )


# --- the numbers of layers ---------------------------------------------------------------------

_WEIGHT = re.compile(r"[WUw]_(.+)")
_BIAS = re.compile(r"b_(.+)")
_PROJECTIONS = frozenset("qkvo")


def _layers(nodes: Sequence[Node], seen: Survey) -> Iterator[Problem]:
    """``x W_1 + b_2``: a weight and the bias that is added to it belong to different layers."""
    within = {id(node.left) for node in nodes if isinstance(node, Infix) and node.op in "+-"}
    for node in nodes:
        if not isinstance(node, Infix) or node.op != "+" or id(node) in within:
            continue
        terms = binders.chain(node)
        biases = [(found, term) for term in terms if (found := _label(term, _BIAS, seen))]
        weights = [found for term in terms for found in _weights(term, seen)]
        if len(biases) != 1 or len(weights) != 1:
            continue
        (bias, place), weight = biases[0], weights[0]
        if bias != weight and _are_of_one_row(bias, weight):
            yield warning(
                "N2C080",
                f"the bias with the label {bias} is added to the weight with the label {weight}",
                place.span,
                "the code computes what is written; change one of the two if that is not meant",
            )


def _weights(term: Node, seen: Survey) -> Iterator[str]:
    """The labels of the weights among the factors of a term."""
    if isinstance(term, Infix) and term.op in "·×*@":
        factors: Sequence[Node] = binders.chain(term)
    else:
        factors = term.factors if isinstance(term, Juxt) else (term,)
    for factor in factors:
        if label := _label(factor, _WEIGHT, seen):
            yield label


def _label(node: Node, pattern: re.Pattern[str], seen: Survey) -> str:
    """The label of a name that a pattern describes; "" for anything else."""
    use = seen.understood(node)
    found = pattern.fullmatch(use.name) if use is not None else None
    return found.group(1).lower() if found else ""


def _are_of_one_row(left: str, right: str) -> bool:
    """Whether two labels count, or tell queries, keys and values apart."""
    return (left.isdigit() and right.isdigit()) or {left, right} <= _PROJECTIONS


# --- large and small letters -------------------------------------------------------------------


def _two_cases(uses: Sequence[Use], equation: Equation) -> Iterator[Problem]:
    """``X_m`` beside ``x_n``: two arrays of one kind whose names differ in the case alone."""
    ranks = {given.name: len(given.shape) for given in equation.inputs if given.shape}
    counted = {use.name: len(use.indices) for use in uses if use.name in ranks}
    for use in uses:
        other = _other_case(use.name)
        if use.name not in counted or other not in counted or use.name > other:
            continue
        alike = ranks[use.name] == ranks[other] and counted[use.name] == counted[other]
        if alike and counted[other]:
            yield warning(
                "N2C080",
                f"`{use.name}` and `{other}` are two arrays here, each with an index",
                use.span,
                "write one letter if one array is meant",
            )


def _parameters(define: Define, seen: Survey) -> Iterator[Problem]:
    """``FFN(x) = … X W …``: a vector that the value knows under the letter of a matrix only. (The
    q_i of a Q are its rows.)"""
    if define.target is None:
        return
    named = {name for value in define.values for name in seen.letters(value).names}
    for name in equations.read_target(seen, define).whole:
        if name.islower() and name not in named and _other_case(name) in named:
            yield warning(
                "N2C080",
                f"the parameter `{name}` does not occur; `{_other_case(name)}` is another name",
                define.target.span,
                "write one letter if one array is meant",
            )


def _other_case(name: str) -> str:
    """A name of one letter, and perhaps labels, with the letter in the other case."""
    base = names.base_letter(name)
    return base.swapcase() + name[len(base) :] if len(base) == 1 else ""
