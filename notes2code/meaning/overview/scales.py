"""Numbers that scale and weigh: the s of ``s (q - z)``, and the C of ``C g / ‖g‖``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from notes2code.latex.tree import (
    Apply,
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
    juxtaposed,
    ungrouped,
    unscripted,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, functions, script_reader, scripts
from notes2code.meaning.overview import arithmetic, exponents
from notes2code.meaning.stated import Define

SCALES = frozenset("as")
"""Small letters that scale a difference in parentheses, and are no functions of it."""

_LENGTHS = names.COUNTS | frozenset("CEGS")
"""Capitals of numbers as much as of matrices."""


def numbers(nodes: Nodes) -> Iterator[str]:
    """The letters that scale and weigh what stands beside them."""
    yield from (*_of_guidance(nodes), *_lengths(nodes))
    for added in map(arithmetic.terms, arithmetic.sums(nodes)):
        yield from (*_of_settings(added), *_of_weighing(added), *_of_penalty(added))
        yield from _of_functions(added)
    for factors in arithmetic.products(nodes):
        yield from (*_scales(factors), *_of_scores(factors), *_of_power_law(factors))
        yield from (*_of_base(factors), *_of_logarithm(factors))
    for above, below in arithmetic.quotients(nodes):
        yield from _shifting(above, below)
    yield from (letter for node in nodes.of(Script) for letter in _raised_to_share(node))


def of_likes(define: Define) -> Iterator[str]:
    """The s of ``z_{scaled} = s · z`` and ``z' = z s``: what is of one kind with z is z times a
    number."""
    match define.target, [binders.multiplied(value) for value in define.values]:
        case Script(Name(letter), None | Name() as label, None), [(one, other)]:
            if label is not None and (len(label.text) == 1 or label.text in names.GREEK):
                return
            for scale, whole in ((one, other), (other, one)):
                match scale, whole:
                    case Name(text, _, ""), Name(same) | Script(Name(same)) if same == letter:
                        yield from [text] if len(text) == 1 and text.islower() else []


def of_shares(define: Define) -> Iterator[str]:
    """The S of ``p_t = S · σ(v^⊤ \\tanh(W h_t))``: the place p that a share of all S is."""
    made = "" if define.target is None else binders.bare(define.target)
    if not made.islower() or made in names.VECTORS:
        return
    for factors in map(binders.multiplied, define.values):
        match [part for factor in factors for part in juxtaposed(factor)]:
            case (Name(length, _, ""), Name("sigma" | "sigmoid"), Group("(", (score,))):
                first = juxtaposed(score)[0]
                if length in names.TOTALS | {"S"} and scripts.is_transposed(first):
                    yield length


def _lengths(nodes: Nodes) -> Iterator[str]:
    """The C of ``C g / ‖g‖``, ``\\frac{C}{‖g‖} g`` and ``C \\frac{g}{‖g‖}``: how long g is made. An
    A or a W may be a matrix that maps it."""
    scales = []
    if not any(_is_norm(below) for _, below in arithmetic.quotients(nodes)):
        return
    for above, below in arithmetic.quotients(nodes):
        if _is_norm(below):
            scales.append(
                binders.chain(above)[0] if isinstance(above, Infix) else juxtaposed(above)[0]
            )
    pairs = [pair for product in nodes.of(Juxt) for pair in pairwise(product.factors)]
    pairs += [(node.left, node.right) for node in nodes.of(Infix) if node.op in "·×*"]
    divided = ((scale, arithmetic.quotient(ungrouped(other))) for scale, other in pairs)
    scales += [scale for scale, parts in divided if parts is not None and _is_norm(parts[1])]
    names_of = (arithmetic.plain(scale) for scale in scales)
    yield from (name for name in names_of if name[:1] in _LENGTHS)


def _is_norm(node: Node) -> bool:
    """Whether a node is the norm of a small letter."""
    match unscripted(node):
        case Group("‖", (vector,)):
            return binders.bare(vector).islower()
    return False


def _of_settings(terms: Sequence[Node]) -> Iterator[str]:
    """The k_1 of ``k_1 + 1``, and the b of ``1 - b + b L``, which weighs what it is taken from."""
    if not any(isinstance(term, Num) for term in terms):
        return
    plain = [name for term in terms if (name := binders.bare(term)) and name.islower()]
    weighed = {binders.bare(first) for term in terms for first in binders.multiplied(term)[:-1]}
    yield from (name for name in plain if name in weighed and len(name) == 1)
    for term in terms:
        match term:
            case Script(Name("k", _, ""), Num(), None, 0):
                yield script_reader.unindexed(term)


def _of_weighing(terms: Sequence[Node]) -> Iterator[str]:
    """The w_a and w_b of ``w_a · S_{first} + w_b · S_{second}``, which weigh things of one kind."""
    found: list[tuple[Node, str, str]] = []
    for term in terms:
        match binders.multiplied(term):
            case Script(Name("w"), _, None, 0) as weight, Script(Name(kind), Name(which), None, 0):
                found.append((weight, kind, which))
    words = all(kind.isupper() and len(which) > 1 for _, kind, which in found)
    if words and len(found) == len(terms) > 1 == len({kind for _, kind, _ in found}):
        yield from (names.code_name(names.label(weight)) for weight, _, _ in found)


def _of_penalty(terms: Sequence[Node]) -> Iterator[str]:
    """The C of ``\\frac{1}{2} ‖w‖^2 + C Σ_i …``: what is added to a norm is a number."""
    products = [binders.multiplied(term) for term in terms]
    if any(_is_norm(factors[-1]) for factors in products):
        for first, *_, last in (factors for factors in products if len(factors) > 1):
            if isinstance(last, Big):
                yield from arithmetic.capitals(first)


def _of_guidance(nodes: Nodes) -> Iterator[str]:
    """The w of ``(1 + w) a - w b`` and of ``b + w (a - b)``, which weighs how far a lies from b."""
    beside = {binders.bare(node.right) for node in nodes.of(Infix) if _is_one_more(node)}
    yield from beside & {binders.bare(product.factors[0]) for product in nodes.of(Juxt)} - {""}
    for node in nodes.of(Infix):
        match node:
            case Infix("+", start, Juxt() | Infix("·" | "×" | "*") as further):
                match binders.multiplied(further):
                    case (Name(letter, _, ""), Group("(", (Infix("-", _, end),))):
                        if letter.islower() and _letters(start) == _letters(end):
                            yield letter


def _letters(node: Node) -> list[str]:
    return [inner.text for inner in walk(node) if isinstance(inner, Name)]


def _is_one_more(node: Infix) -> bool:
    return node.op == "+" and isinstance(node.left, Num) and node.left.text == "1"


def _shifting(above: Node, below: Node) -> Iterator[str]:
    """The s of ``(t/T + s) / (1 + s)``, which is added to a number below and stands above too."""
    added, known = arithmetic.terms(ungrouped(above)), arithmetic.terms(ungrouped(below))
    if len(known) > 1 and any(isinstance(term, Num) for term in known):
        mine = {term.text for term in known if isinstance(term, Name) and not term.font}
        yield from mine.intersection(t.text for t in added[1:] if isinstance(t, Name))


def _scales(factors: Sequence[Node]) -> Iterator[str]:
    """The s of ``s (q - z)``, ``s · (q - z)``, ``s (Q(x) - z)`` and ``s H^{(l)}``, and the a of ``a
    (e^z - 1)``."""
    for scale, group in pairwise(factors):
        match scale, _first(group):
            case Name(letter, _, ""), Script(base, None, Group("(", (Name("l"),))):
                yield from [letter] if letter in SCALES and binders.bare(base).isupper() else []
            case Name(letter, _, ""), Group("(", (Infix("-", first, last),)) if letter in SCALES:
                plain = scripts.is_name(first) or _is_call(first)
                if isinstance(last, Num) and exponents.exponent(first) is not None:
                    yield letter
                yield from [letter] if plain and scripts.is_name(last) else []


def _of_scores(factors: Sequence[Node]) -> Iterator[str]:
    """The s of ``s Q K^⊤`` and ``s \\hat Q \\hat K^⊤``: a vector before Q would be transposed."""
    match factors:
        case (Name(letter, _, ""), query, *rest) if letter in SCALES and "Q" in words_in(query):
            keys = (node for node in rest if scripts.is_transposed(node))
            yield from [letter] if any("K" in words_in(node) for node in keys) else []


def _of_functions(terms: Sequence[Node]) -> Iterator[str]:
    """The b of ``a f(x) + b g(x)``: what weighs what functions give is no bias. That of ``W x + b
    g(t)`` may be."""
    weights = []
    for term in terms:
        match [part for factor in binders.multiplied(term) for part in juxtaposed(factor)]:
            case [Name(letter, _, ""), function, Group("(")] if letter.islower():
                if binders.bare(function) in functions.LETTERS:
                    weights.append(letter)
    yield from ["b"] if "b" in weights and len(weights) == len(terms) > 1 else []


def _of_power_law(factors: Sequence[Node]) -> Iterator[str]:
    """The G and the C of ``G · (C / 6)^a``."""
    for scale, power in pairwise(factors):
        match power:
            case Script(Group("(", (share,)), None, Name()) if not scripts.is_transposed(power):
                parts = arithmetic.quotient(share)
                if parts is not None and all(map(arithmetic.is_count, parts)):
                    yield from (x for part in (scale, *parts) for x in arithmetic.capitals(part))


def _of_base(factors: Sequence[Node]) -> Iterator[str]:
    """The b of ``b · s^{d / (d-2)}``: what is made larger for as many angles is the base
    that they are powers of. An h or a W may be an array."""
    match factors:
        case [Name("b", _, ""), Script(Name(), None, sup), *_] if sup is not None:
            parts = arithmetic.quotient(ungrouped(sup))
            shares = [words_in(part) for part in parts or ()]
            if shares and shares[0] == shares[1] and any(map(names.is_size_name, shares[0])):
                yield "b"


def _raised_to_share(node: Script) -> Iterator[str]:
    """The b of ``b^{-2d/|D|}``: what is raised to a share of the features is the base of a
    frequency, and no vector, where its letter is none of theirs."""
    match node:
        case Script(Name(letter, _, ""), None, sup, 0) if sup is not None:
            quotients = arithmetic.quotients(Nodes(walk(sup)))
            of_features = any(map(names.is_size_name, words_in(*(below for _, below in quotients))))
            small = len(letter) == 1 and letter.islower() and letter not in names.VECTORS
            yield from [letter] if small and of_features else []


def _of_logarithm(factors: Sequence[Node]) -> Iterator[str]:
    """The k, the T and the Z of ``k T \\ln Z``: a partition function is a number, and so is what
    its logarithm is multiplied by."""
    match [factor for factor in factors if not isinstance(factor, Num)]:
        case [*before, Apply(function, given)] if binders.bare(function) in ("log", "ln"):
            scaling = [*map(arithmetic.plain, before)]
            if binders.bare(ungrouped(given)) == "Z" and scaling and all(scaling):
                yield from (*scaling, "Z")


def _first(node: Node) -> Node:
    """What a quotient or a product begins with."""
    match node:
        case Frac(first, _) | Juxt((first, *_)):
            return _first(first)
    return node


def _is_call(node: Node) -> bool:
    match node:
        case Juxt((name, Group("(", (_,)))):
            return scripts.is_name(name) and binders.bare(name) not in names.WEIGHTS
    return False
