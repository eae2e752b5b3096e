"""Sums without an index: the weights of ``Σ a · h_s`` have the index of what they weigh, those of
``w_1 h_1 + w_2 h_2`` are numbers, as is all in ``w_1 x_1 + w_2 x_2 + b``, and ``Σ p(x) \\log p(x)``
runs over the x."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.diagnostics import Problem, note
from notes2code.latex import words
from notes2code.latex.tree import (
    Apply,
    Big,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    rebuilt,
    ungrouped,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.stated import Define, Restated, Statement

_WEIGHTS = frozenset(["a", "w", "p", "alpha", "omega", "pi"])
"""Letters of weights, of which there is one for each of what is added up."""

_SHARES = names.PROBABILITIES | {"y", "t"}
"""Letters of labels and probabilities, of which a cross-entropy has one for each class."""


def indexed(statements: Sequence[Statement]) -> Restated:
    """The statements with ``a_s`` for the a of ``Σ a · h_s``, and ``Σ_x`` for the sum of ``Σ p(x)
    \\log p(x)``, and what is to be said of that."""
    found: list[Problem] = []
    targets = [s.target for s in statements if isinstance(s, Define) and s.target is not None]
    given = words_in(*targets)

    def written(node: Node) -> Node:
        if isinstance(node, Big) and node.op == "sum" and node.sub is None:
            for weight, letter in _weights(node.body):
                text = f"this weight is taken to have the index `{letter.text}` of what it weighs"
                hint = "write it, and what the sum runs over"
                found.append(note("N2C039", text, weight.span, hint))
                return replace(node, body=_with(node.body, weight, letter))
            if (outcome := _outcome(node.body)) is not None and outcome.text not in given:
                text = f"this sum is taken to run over all `{outcome.text}`"
                hint = f"write `\\sum_{{{outcome.text}}}`"
                found.append(note("N2C039", text, node.span, hint))
                return replace(node, sub=outcome)
        return rebuilt(node, written)

    def with_indices(statement: Statement) -> Statement:
        if not isinstance(statement, Define) or not any(map(_is_bare, statement.values)):
            return statement
        return replace(statement, values=tuple(map(written, statement.values)))

    return tuple(map(with_indices, statements)), found


def _outcome(body: Node) -> Name | None:
    """The x of ``Σ P(x) \\log Q(x)``, of which all probabilities are."""
    outcomes: list[Name] = []
    for product in (node for node in walk(body) if isinstance(node, Juxt)):
        for name, group in pairwise(product.factors):
            match group:
                case Group("(", (Name() as outcome,)) if binders.bare(name) in _SHARES:
                    outcomes.append(outcome)
    return outcomes[0] if len({outcome.text for outcome in outcomes}) == 1 else None


def numbered(nodes: Nodes) -> Iterator[Node]:
    """The w_1 and the w_2 of ``w_1 h_1 + w_2 h_2``, and the G of ``G_1 E_1(x) + G_2 E_2(x)``; and
    what a linear model of a few features adds up."""
    for node in nodes.of(Infix):
        pairs = [_numbered(term) for term in terms(node)] if node.op == "+" else []
        found = [pair for pair in pairs if pair is not None]
        letters = {(binders.bare(weight), binders.bare(weighed)) for weight, weighed in found}
        if len(found) > 1 and len(letters) == 1:
            yield from (weight for weight, _ in found)
        yield from _of_linear_model(terms(node))


def _numbered(term: Node) -> tuple[Node, Node] | None:
    """The w_1 and the h_1 of a term."""
    factors = term.factors if isinstance(term, Juxt) else ()
    gated = len(factors) == 3 and isinstance(factors[2], Group)
    match factors[:2]:
        case (
            Script(Name(letter), Num(own), None) as weight,
            Script(Name(), Num(other)) as weighed,
        ):
            known = letter in ("g", "G") if gated else letter in _WEIGHTS and len(factors) == 2
            if own == other and known:
                return weight, weighed
    return None


def _of_linear_model(added: Sequence[Node]) -> Sequence[Node]:
    """The weights, the features and the bias of ``w_1 · area + w_2 · rooms + b``, and of ``w_1 x_1
    + w_2 x_2 + b``: without a bias the x may be vectors, as words of the field are."""
    pairs = [factors for one in added if len(factors := binders.multiplied(one)) == 2]
    others = [one for one in added if len(binders.multiplied(one)) != 2]
    letters = {binders.bare(weight) for weight, _ in pairs}
    if len(pairs) < 2 or len(letters) != 1 or not letters < _LINEAR:
        return ()
    numbers, features = [_number(weight) for weight, _ in pairs], [x for _, x in pairs]
    biased = [binders.bare(one) for one in others if binders.bare(one) in letters | {"b"}]
    as_words = all(isinstance(one, Name) and _is_own_word(one.text) for one in features)
    counted = len(biased) == 1 and numbers == [*map(_number, features)]
    told = all(numbers) and len(biased) == len(others) and (as_words or counted)
    return [*(node for pair in pairs for node in pair), *others] if told else ()


_LINEAR = frozenset(["w", "beta", "theta"])
"""Letters of the weights of a linear model."""


def scheduled(nodes: Nodes) -> Iterator[Node]:
    """The α_t and the σ_t of ``α_t x + σ_t ε``, which a schedule gives each step."""
    for node in nodes.of(Infix):
        yield from _of_schedule(terms(node))


def _of_schedule(added: Sequence[Node]) -> Iterator[Node]:
    pairs = [term.factors for term in added if isinstance(term, Juxt) and len(term.factors) == 2]
    weights = [first for first, last in pairs if scripts.is_name(last)]
    letters = {binders.bare(weight) for weight in weights}
    below = {w.sub.text for w in weights if isinstance(w, Script) and isinstance(w.sub, Name)}
    plain = all(isinstance(w, Script) and w.sup is None for w in weights)
    if len(weights) == len(added) == len(letters) > 1 and letters <= _SCHEDULED and plain:
        yield from weights if below == {"t"} else ()


_SCHEDULED = frozenset(["alpha", "sigma", "beta", "gamma", "a", "b"])


def _number(node: Node) -> str:
    """The k of a w_k; "" where it has none, or something above."""
    match node:
        case Script(_, Num(number), None):
            return number
    return ""


def _is_own_word(word: str) -> bool:
    return len(word) > 2 and word not in words.FIELD | names.GREEK


def _is_bare(value: Node) -> bool:
    return any(isinstance(node, Big) and node.sub is None for node in walk(value))


def _weights(body: Node) -> Iterator[tuple[Name, Name]]:
    """The a and the s of ``a · h_s``, and of nothing else, and the y and the i of ``y log p_i``."""
    match body:
        case Juxt((one, other)) | Infix("·" | "*", one, other):
            logs = isinstance(one, Apply) or isinstance(other, Apply)
            letters = _SHARES if logs else _WEIGHTS
            sides = [_of_log(side) for side in (one, other)]
            for weight, weighed in (sides, sides[::-1]):
                match weight, weighed:
                    case Name(text), Script(Name(), Name(letter) as index, None, 0):
                        if text in letters and letter in names.INDEX_LETTERS:
                            yield weight, index


def _of_log(node: Node) -> Node:
    """What a logarithm is taken of, or the node itself."""
    match node:
        case Apply(Name("log" | "ln"), argument):
            return ungrouped(argument)
    return node


def _with(node: Node, weight: Name, letter: Name) -> Node:
    """A product with an index below its weight."""
    if node is weight:
        return Script(weight, letter, None, 0, weight.span)
    return rebuilt(node, lambda inner: _with(inner, weight, letter))
