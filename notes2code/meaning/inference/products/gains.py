"""The gain and the bias of a norm: an entry for each feature, or a number.

What is written for one feature of x, ``y_i = γ x_i / \\sqrt{Σ_j x_j^2}``, has the γ_i of it. So has
``y_i = γ (x_i - μ) / σ + β`` where the note speaks of layer normalisation, whose μ is the mean of
the x_i; of others the i counts what a batch has, and γ is the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from notes2code.latex.tree import (
    Big,
    Frac,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Script,
    juxtaposed,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.inference.ranks.declared import declared_shape
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import At, Use, is_transposed, is_two
from notes2code.meaning.overview import norms


def of_the_feature(run: Run, use: Use) -> Use:
    """A gain at the feature that a formula is written for; any other name as it is."""
    if not run.seen.normalises or use.indices or len(run.target_letters) != 1:
        return use
    if names.base_letter(use.name) not in names.GAINS or use.name in run.defined:
        return use
    found = (run.seen.understood(node) for top in _tops(run) for node in walk(top))
    features = {*run.whole_parameters, *_added_squares(run), *_of_layers(run)}
    features |= {name for name, counts in run.seen.counted.items() if counts == {0, 1}}
    uses = [x for x in found if x is not None and x.indices and x.name in features]
    if not any(map(partial(_is_number, run), uses)):
        return use
    return replace(use, indices=(At(Name(run.target_letters[0], use.span)),))


def _is_number(run: Run, use: Use) -> bool:
    """Whether an element is declared as no vector: each x_i ∈ ℝ^d has features of its own."""
    shape = declared_shape(run, use)
    return shape is None or shape.rank(len(use.indices)) <= len(use.indices)


def of_vectors(run: Run) -> bool:
    """Whether a mean is taken off what is declared as a vector, or as several."""
    for top in _tops(run):
        match ungrouped(top):
            case Infix("-", value, mean) if binders.bare(mean) == "mu":
                use = run.seen.understood(value)
                if use is not None and not _is_number(run, use):
                    return True
    return False


def are_numbers(run: Run) -> bool:
    """Whether a formula takes one mean, which it defines or which is that of a batch, off the
    numbers x_i that its left-hand side tells apart: their gain is no vector, which would make a
    matrix of them. Nor is that of the \\hat x_i which are made so, unless these are vectors."""
    hats = (name for name in run.seen.counted if name.endswith("_hat"))
    if any(is_of_example(run, name) and not run.scope.ranks.get(name) for name in hats):
        return True
    means = [mean for _, mean in _centred(run)] if len(run.target_letters) == 1 else []
    return any(mean in run.defines or run.scope.norms == "others" for mean in means)


def shifts(run: Run, name: str) -> bool:
    """Whether it is the β of ``γ ⊙ f(x) + β`` or ``(1 + γ) ⊙ x - β``: what alone is added to a
    product with the gain of the same label is one for each feature, as the gain is. The β of
    ``γ ⊙ x + β f(x)`` is a factor, and a number."""
    base, _, label = name.partition("_")
    gain = f"gamma_{label}".rstrip("_")
    return base == "beta" and any(
        run.seen.name_of(shift) == name
        and isinstance(product, Infix)
        and product.op == "⊙"
        and any(run.seen.name_of(_above_one(factor)) == gain for factor in binders.chain(product))
        for product, shift in norms.shifted(run.seen.nodes)
    )


def _above_one(factor: Node) -> Node:
    """The γ of ``1 + γ``; any other factor as it is."""
    match ungrouped(factor):
        case Infix("+", Num("1"), gain) | Infix("+", gain, Num("1")):
            return gain
    return factor


def is_of_layer(run: Run) -> bool:
    """Whether a formula is of layer normalisation, by what it defines or by the text beside it."""
    return run.scope.norms == "layers" or any(map(names.is_norm, run.defines))


def scales_scores(run: Run, name: str) -> bool:
    """Whether a gain stands before the product of two things normalised, as in ``γ · norm(Q)
    norm(K)^\\top``: one number scales all scores, and no vector is multiplied with their rows."""
    for node in run.seen.nodes.of(Juxt, Infix):
        if isinstance(node, Infix) and node.op not in ("·", "*", "×"):
            continue
        first, *others = binders.multiplied(node)
        factors = [factor for other in others for factor in juxtaposed(other)]
        normed = sum(names.is_norm(binders.bare(factor)) for factor in factors)
        if binders.bare(first) == name and normed > 1 and any(map(is_transposed, factors)):
            return True
    return False


def is_moment(run: Run, name: str) -> bool:
    """Whether a word is what layer normalisation takes off a vector, or divides it by."""
    return run.seen.normalises and name in names.MOMENTS and is_of_layer(run)


def is_of_example(run: Run, name: str) -> bool:
    """Whether a name is the x of the ``x_i - μ`` of a batch, or the \\hat x of the ``γ \\hat x_i``
    that is made of it: what one unit makes of each example."""
    if run.scope.norms != "others":
        return False
    made = name.endswith("_hat") and not names.GAINS.isdisjoint(run.seen.counted)
    return made or any(name == one for one, _ in _centred(run))


def _of_layers(run: Run) -> Iterator[str]:
    """The x whose elements layer normalisation takes a mean off; a mean that the formula defines
    may be that of a batch, unless the note says so."""
    for name, mean in _centred(run):
        told = run.scope.norms == "layers"
        if told or (not run.scope.norms and mean not in run.defines):
            yield name


def _centred(run: Run) -> Iterator[tuple[str, str]]:
    """The x and the μ of the ``x_i - μ`` in a quotient, with the i of the left-hand side."""
    for top in _tops(run):
        match ungrouped(top):
            case Infix("-", Script(_, Name(letter)) as value, mean) if binders.bare(mean) == "mu":
                use, taken_off = run.seen.understood(value), run.seen.understood(mean)
                if use is None or taken_off is None or taken_off.indices or use.bold:
                    continue
                if use.indices and letter in run.target_letters:
                    yield use.name, taken_off.name


def _added_squares(run: Run) -> Iterator[str]:
    """The x of ``Σ_j x_j^2``, whose elements are numbers."""
    for big in run.seen.nodes.of(Big):
        use = run.seen.understood(big.body) if big.op in ("sum", "mean") else None
        if use is not None and use.indices and is_two(use.power):
            yield use.name


def _tops(run: Run) -> Iterator[Node]:
    """What stands above or before what divides it."""
    yield from (node.top for node in run.seen.nodes.of(Frac))
