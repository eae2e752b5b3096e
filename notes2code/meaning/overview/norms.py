"""What a normalisation is, ``g (x - μ) / σ + b``, and what scales and shifts in it."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import permutations

from notes2code.latex.tree import (
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Num,
    Root,
    Script,
    ungrouped,
    unscripted,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, script_reader, scripts
from notes2code.meaning.overview import arithmetic


def gains(nodes: Nodes) -> Iterator[str]:
    """The α and the b of ``α (x - μ) / σ + b``, whatever their letters are: what alone scales what
    is brought to mean 0, and what alone is added to it."""
    for added in map(arithmetic.terms, arithmetic.sums(nodes)):
        if len(added) == 2:
            for term, bias in (added, added[::-1]):
                if _is_plain(bias) and (gain := _gain(term)) is not None:
                    yield from map(script_reader.unindexed, (gain, bias))


def shifted(nodes: Nodes) -> Iterator[tuple[Node, Node]]:
    """Each name that alone is added to something or taken off it, behind what stands beside it in
    the sum: the ``γ ⊙ x`` and the β of ``γ ⊙ x + β``."""
    for added in map(arithmetic.terms, arithmetic.sums(nodes)):
        bare = [ungrouped(term.body if isinstance(term, Neg) else term) for term in added]
        for term, shift in permutations(bare, 2):
            if scripts.is_name(shift):
                yield term, shift


def learned(nodes: Nodes, made: Set[str]) -> Iterator[tuple[Node, Node]]:
    """The γ and the β of each ``γ (x - μ) / σ + β``, ``γ \\hat x + β`` and ``γ z + β``, where z
    is ``made`` by the formula that normalises."""
    for term, shift in shifted(nodes):
        scaled = term.top if isinstance(term, Frac) else term
        factors = binders.multiplied(scaled)
        if any(_is_normalised(one, made) for one in (term, *map(ungrouped, factors))):
            yield from ((factor, shift) for factor in factors if scripts.is_name(factor))


def scaling(value: Node) -> Iterator[Node]:
    """The g of a whole value ``g ⊙ x / RMS(x)``: what alone scales a vector that is divided by the
    root of its mean square, and is shifted by nothing."""
    for gain, normed in _pairs(value):
        parts = arithmetic.quotient(ungrouped(normed))
        if parts is None or arithmetic.is_difference(parts[0]) or not scripts.is_name(gain):
            continue
        if _is_normalised(ungrouped(normed), frozenset()):
            yield gain


def _is_normalised(node: Node, made: Set[str]) -> bool:
    """Whether a node is what a normalisation makes, by itself or by its name."""
    if isinstance(node, Frac | Infix):
        return is_normalisation(node)
    return _is_called_normalised(node) or binders.bare(node) in {*made, "rsqrt"}


def _is_called_normalised(node: Node) -> bool:
    """Whether a name says that it is what a normalisation makes: ``\\hat x``, ``z_{norm}``."""
    base, *marks = names.label(node).split("_")
    said = base.islower() and any(one.lower().startswith(("norm", "standard")) for one in marks)
    return said or "hat" in marks


def _gain(term: Node) -> Node | None:
    """What scales a centred value that is divided by its deviation."""
    match term:
        case Frac(Juxt() | Infix() as top, bottom):
            ways = [(gain, value, bottom) for gain, value in _pairs(top)]
        case _:
            pairs = ((gain, arithmetic.quotient(value)) for gain, value in _pairs(term))
            ways = [(gain, *parts) for gain, parts in pairs if parts is not None]
    return next((g for g, *parts in ways if _is_plain(g) and _is_standardised(*parts)), None)


def _pairs(product: Node) -> Iterator[tuple[Node, Node]]:
    """Two factors, either way round."""
    factors = binders.multiplied(product)
    if len(factors) == 2:
        yield from permutations(factors)


def _is_plain(node: Node) -> bool:
    """Whether a node is a small letter, alone or with a number below it: ``a_2``."""
    match node:
        case Name(text) | Script(Name(text), Num(), None, 0):
            plain = text.islower() and (len(text) == 1 or text in names.GREEK)
            return plain and text not in _FEATURES
    return False


_FEATURES = frozenset("hxyz")
"""Letters of what passes through layers: added to a norm it is a residual, and no bias."""


def _is_standardised(top: Node, bottom: Node) -> bool:
    """Whether a quotient has a difference above and a deviation below."""
    return arithmetic.is_difference(top) and _deviates(Nodes(walk(bottom)))


def _deviates(inside: Nodes) -> bool:
    """Whether there is a σ or a word for it."""
    texts = (name.text for name in inside.of(Name))
    named = {text.lower() if text[1:] and text not in names.GREEK else text for text in texts}
    return not named.isdisjoint(["sigma", "var", "std"])


def _scales_normalised(node: Infix) -> bool:
    """Whether a node is ``γ \\hat x + β``, whose x̂ is what a normalisation made."""
    match node:
        case Infix("+", first, second):
            scaled, beta = (second, first) if binders.bare(first) == "beta" else (first, second)
            match scaled:
                case Juxt((Name() as gain, made)) | Infix("·" | "*", gain, made):
                    named = binders.bare(gain), binders.bare(beta)
                    each = isinstance(gain, Script) and gain.sub is not None  # γ_i, a feature's
                    return named == ("gamma", "beta") and not each and _is_called_normalised(made)
    return False


def is_normalisation(node: Frac | Infix) -> bool:
    """Whether a node divides by a standard deviation or a root of squares, or scales what is made
    so: γ and β beside it are vectors."""
    if isinstance(node, Infix):
        return _scales_normalised(node)
    top, bottom = node.top, node.bottom
    inside = Nodes(walk(bottom))
    named = {name.text.lower() for name in inside.of(Name) if name.text[1:]}
    deviates = _deviates(inside)
    centred = isinstance(top, Infix | Group) or any(
        arithmetic.is_difference(one) for _, one in _pairs(top)
    )
    squares = any(big.op == "sum" and _is_square(big.body) for big in inside.of(Big))
    if inside.of(Root) or "sqrt" in named:
        means = not named.isdisjoint(["mean", "avg"]) or "E" in inside.words
        squared = filter(_is_square, inside.of(Script))
        squares = squares or any(means or _is_norm(square) for square in squared)
    return (
        (deviates and (centred or bool(inside.of(Root))))
        or "rms" in named
        or (squares and scripts.is_name(top))
    )


def _is_norm(square: Node) -> bool:
    """Whether what is squared is the norm of ``\\sqrt{‖x‖^2 / d}``."""
    base = unscripted(square)
    base = unscripted(base)
    return isinstance(base, Group) and base.open == "‖"


def _is_square(node: Node) -> bool:
    return isinstance(node, Script) and scripts.is_two(node.sup)
