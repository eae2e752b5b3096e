"""How many axes an element has behind its indices: declared, or by the field's customs.

A custom says which ranks an element may have, the usual one first; the search takes the first that
fits, and what is rarer costs more. The first custom that speaks of an element decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.diagnostics import error
from notes2code.meaning import names
from notes2code.meaning.inference.letters import is_memory
from notes2code.meaning.inference.products import gains
from notes2code.meaning.inference.ranks import moving
from notes2code.meaning.inference.ranks.declared import declared_shape
from notes2code.meaning.inference.ranks.elements_used import Custom, Element
from notes2code.meaning.inference.ranks.ranks_of_labels import of_label, of_share
from notes2code.meaning.inference.ranks.ranks_of_parts import of_entry, of_parameter, of_row
from notes2code.meaning.inference.ranks.ranks_of_roles import (
    of_named_place,
    of_query_or_key,
    of_role,
    of_two_roles,
)
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation.positions import counts_layers
from notes2code.meaning.notation.scripts import HEAD, Use


def element_rank(run: Run, use: Use, name: str, indices: int, steps: int) -> int:
    """The axes of an element behind its indices; by custom it is one of an array that has those
    axes, too, along which only steps are counted.

    Raises ProblemError where it has more indices than its declared shape has axes.
    """
    declared = declared_shape(run, use)
    if declared is not None and name != use.name and declared.rank(indices) < indices:
        declared = None  # x ∈ ℝ says nothing of the x_i beside it, which is no part of it
    if declared is not None:
        axes = declared.rank(indices)
        if axes < indices:
            text = f"`{run.quote(use.span)}` has {indices} indices, but its declared shape "
            raise error("N2C032", f"{text}has {axes} axes", use.span)
        return axes - indices
    if name in run.scope.ranks:
        return run.scope.ranks[name]
    element = _element(run, use, name, indices, steps)
    return next(rank for custom in _CUSTOMS if (rank := custom(element)) is not None)


def _element(run: Run, use: Use, name: str, indices: int, steps: int) -> Element:
    places = indices + steps
    if run.seen.heads:
        places -= sum(names.label(at.node) == HEAD for at in use.indices)
    if places > 1:  # q_n^l is the q_n of a layer; the l of P_{i,l} is a place
        places -= sum(counts_layers(at.node) for at in use.indices[: use.above])
    base, bold = names.base_letter(use.name), run.seen.is_bold(use.name)
    if bold and places > 1:
        places -= use.steps  # and the bold x_i^{(l)} of a step is that x_i
    return Element(run, use, name, indices, places, base, bold)


def _as_used(element: Element) -> int | None:
    """What a formula does with something tells what it is."""
    seen, name = element.run.seen, element.use.name
    if name in seen.projections:
        return 2
    if name in seen.magnitudes:
        return 1
    if name in seen.matrices and element.indices in (0, 2):
        return 2 - element.indices
    return 0 if name in seen.placed else None


def _arrow(element: Element) -> int | None:
    """What has an arrow above is a vector, whatever its letter: the ``\\vec{Q}_1`` of one token. It
    may say in which direction the states go that others have from the other end."""
    name = element.use.name
    back = f"{name.removesuffix('_vec')}_back" in element.run.seen.counted
    alone = element.indices < 2 or element.base.islower()
    arrow = name.endswith("_vec") and alone and not back
    return element.among((1, 0.0), (2, 2.2), (0, 2.4)) if arrow else None


def _projection(element: Element) -> int | None:
    """The W_{g,i}^Q that makes the Q_{g,i}."""
    named = element.base == "W" and names.label_of_projection(element.use.name)
    if named and element.is_told_apart:
        return element.among((2, 0.0), (0, 1.0))
    return None


def _weight_of_one(element: Element) -> int | None:
    """The W of one head of one kind, ``W_l^k h_i``: an element of a matrix shares an index with
    what it multiplies, or is summed."""
    run, use = element.run, element.use
    if element.base != "W" or element.indices != 2:
        return None
    own = {names.label(at.node) for at in use.indices}
    others = {letter for name, _, letter in run.seen.shifts if name != use.name}
    apart = bool(others) and own.isdisjoint(others.union(run.summed))
    return element.among((2, 0.0), (0, 1.3)) if apart else None


def _updated(element: Element) -> int | None:
    """What an update moves is of the kind of what it is moved by."""
    return moving.rank(element.run, element.use.name)


def _of_batch(element: Element) -> int | None:
    """The μ_B and the σ_B of a batch of vectors: one for each feature."""
    base, _, label = element.use.name.partition("_")
    of_batch = base in ("mu", "sigma") and label in names.BATCHES and element.indices == 0
    return element.among((1, 0.0), (0, 2.4)) if of_batch and gains.of_vectors(element.run) else None


def _averaged(element: Element) -> int | None:
    """What a mean is taken of."""
    if element.use.name not in element.run.seen.averaged:
        return None
    rank = element.among((1, 0.0), (0, 1.0), (2, 2.0))
    if rank == 1 and not element.bold:
        element.tell("is taken for a vector, which the weights average")
    return rank


def _point(element: Element) -> int | None:
    """A point in space, or several."""
    if element.use.name in element.run.seen.points:
        return element.among((1, 0.0), (2, 1.0), (0, 2.0))
    return None


def _form(element: Element) -> int | None:
    """The A of ``x^⊤ A x``."""
    return 2 if element.use.name in element.run.seen.forms else None


def _power(element: Element) -> int | None:
    """What is raised to a power."""
    if element.use.name in element.run.seen.powered and not element.bold:
        return element.among((0, 0.0), (1, 2.4))
    return None


def _gain(element: Element) -> int | None:
    """The gain and the bias of a normalisation; its moments, where they are words, are numbers."""
    run = element.run
    called = any(map(names.is_norm, run.seen.called))
    of_layer = element.use.name in run.seen.gains and gains.is_of_layer(run)
    usual = element.base in names.GAINS | {"b"} and (run.seen.normalises or called)
    if element.indices == 0 and gains.shifts(run, element.use.name) and not gains.are_numbers(run):
        return element.among((1, 0.0), (0, 2.4))
    if element.indices == 0 and (usual or of_layer):
        number = gains.are_numbers(run) or gains.scales_scores(run, element.use.name)
        return element.usually(*((0, 1) if number else (1, 0)))
    if element.indices == 0 and gains.is_moment(run, element.use.name):
        return element.usually(0, 1)
    return None


def _sequence(element: Element) -> int | None:
    """What holds all tokens."""
    return element.usually(2, 1) if element.use.name in element.run.seen.sequences else None


def _in_company(element: Element) -> int | None:
    """Letters that what stands beside them tells."""
    run, base, indices = element.run, element.base, element.indices
    label = element.use.name.partition("_")[2]  # the F_s of a student is none
    metric = base == "F" and (len(label) > 1 or label.isdigit())
    if run.gives_number and (base == "L" or metric):
        return element.usually(0, 1, 2)  # a loss is made of losses, a metric of an F_{mean}
    if run.gives_number and run.seen.logs and base == "w" != element.use.name and not indices:
        return element.usually(0, 1, 2)  # the w_1 of w_1 log p_1 + w_2 log p_2
    if indices != 1:
        return None
    if element.use.name in run.seen.weights:
        return element.usually(0, 1, 2)
    if base in ("e", "p") and _embeds(run):
        return element.usually(1, 0, 2)
    if base.isupper() and _is_of_head(element):
        return element.usually(2, 1, 0)  # the E_i beside W_i^Q
    queries = {1} in (run.seen.counted.get("q"), run.seen.counted.get("Q"))
    if base == "S" and queries:
        return element.usually(2, 1, 0)  # the S_t of q_t^⊤ S_t is a state
    if base == "b" and _has_weights(run):
        return element.usually(1, 0, 2)  # the bias beside W^{(l)} a^{(l-1)}
    return None


def _embeds(run: Run) -> bool:
    """Whether e_i and p_i are embeddings of a token and of its place, and no scores and no
    probabilities: by the word for what is defined, or as in ``[e_1 + p_1, …, e_n + p_n]``."""
    named = set(map(names.base_letter, run.seen.counted.keys() - run.seen.sizes))
    added = named == {"e", "p"} and not run.summed
    return added or any("embed" in name.lower() for name in run.defines)


def _is_of_head(element: Element) -> bool:
    """Whether a name has the index that counts heads, as that of their projections does."""
    heads = element.run.seen.of_heads
    return any(names.label(at.node) in heads for at in element.use.indices)


def _has_weights(run: Run) -> bool:
    """Whether there are several weights W, told apart by an index."""
    return any(
        names.base_letter(name) == "W" and max(counts) == 1
        for name, counts in run.seen.counted.items()
    )


def _by_letter(element: Element) -> int:
    """What the letter is in the field."""
    run, use, base = element.run, element.use, element.base
    # A hidden state is a vector, at a place and in a layer too; summed over both, a number.
    placed = any(names.label(at.node) not in run.summed for at in use.indices)
    state = base == "h" and (placed or bool(use.steps))
    state = state and not (_is_multiplied(element) or is_of_product(run, use))
    # The x_i beside x^⊤ are the numbers of a vector.
    transposed = element.lead in run.seen.transposed.get(use.name, ())
    transposed = transposed or (state and element.indices == 2)
    # The Z^{(k)} beside a Θ^{(k)} is one of several matrices.
    indices = 0 if use.name in run.seen.told_above else element.indices
    ranks = names.element_ranks(use.name, indices, element.bold, transposed)
    if _is_basis(element):
        ranks = (2, 1, 0)
    share = base == "P" and _is_weighed(element)
    ranks = (0, 1, 2) if share else ranks
    parts = run.seen.parts - {*"nmd"}
    if element.is_small and len(base) == 1 and use.name != base and base in parts:
        ranks = (1, 0, 2)  # the c_s of [c_s; c_t]
    if element.is_small and use.name in run.seen.mixes and ranks == (1, 2, 0):
        ranks = (1, 0, 2)  # the s of 1 - s
    if element.indices == 0 and use.name == "d" and is_memory(run, use.name):
        ranks = (1, 0, 2)  # the d of E_q(q) and E_d(d), a document
    stepped = run.seen.steps.get(base, set()) | run.seen.steps.get("", set())
    if element.indices == 0 and base in ("query", "key") and "query" in run.seen.transposed:
        ranks = (1, 2, 0)  # query^⊤ key
    if element.indices == 0 and base.lower() == "query" and _has_one_key(run):
        ranks = (1, 2, 0)  # the query beside a key_i
    timed = "t" in stepped or any(names.label(at.node) == "t" for at in use.indices)
    word = len(base) > 1 and base not in names.GREEK and base.lower() != "cache"
    if timed and word and ranks[0] == 2:
        ranks = (1, 2, 0)  # the State_t of a time is a vector, the Attn_i of a head a matrix
    rank = element.usually(*ranks)
    if rank == 0 and (ranks[0] == 2 or share) and len(base) == 1:
        run.numbers[run.quote(use.span)] = use.span
    whole = len(base) == 1 and base in names.OF_TOKENS and not (element.lead or element.bold)
    if rank == 1 and whole and any(map(names.is_norm, run.seen.called)):
        run.vectors[run.quote(use.span)] = use.span  # whose axis is normed tells the value
    if rank == 2 and ranks[0] == 1 and element.is_small and not element.indices:
        run.bent.add(element.name)
    return rank


def _is_basis(element: Element) -> bool:
    """Whether it is the V_b of the weights ``W_r = Σ_b a_{rb} V_b``, a matrix as these are. Only an
    index b tells bases; the ``W_i = Σ_j α_{ij} V_j`` of tokens j adds up vectors."""
    capital = len(element.base) == 1 and element.base.isupper()
    made = {names.base_letter(name) for name in element.run.defines}
    of_bases = {names.label(at.node) for at in element.use.indices} == {"b"}
    return capital and of_bases and made == {"W"} and _are_added_with_numbers(element)


_BALANCES = ("aux", "loss", "balance", "balancing")
"""How the names of losses end, those that spread tokens over experts among them."""


def _is_weighed(element: Element) -> bool:
    """Whether it is the P_i of ``aux = Σ_i f_i P_i``, a loss that is named by a word: a
    probability. What else is made so, ``W^Q`` or a prompt, is made of arrays, and so is a loss of
    the P_i x."""
    run = element.run
    words = [name.lower() for name in run.defines if len(names.base_letter(name)) > 1]
    loss = any(names.is_number(word) or word.endswith(_BALANCES) for word in words)
    return loss and _are_added_with_numbers(element) and not any(_arrays(run))


def _arrays(run: Run) -> Iterator[str]:
    """The letters without an index that are arrays by custom, whatever numbers they may be."""
    for name, counts in run.seen.counted.items():
        vector = names.element_ranks(name, 0, False, False)[0] == 1
        if 0 in counts and (vector or name in names.OF_TOKENS) and name not in run.defines:
            yield name


def _are_added_with_numbers(element: Element) -> bool:
    """Whether all else that a sum counts with the index of an element are numbers by custom."""
    run, letters = element.run, {names.label(at.node) for at in element.use.indices}
    counts: dict[str, int] = {}
    for name, place, letter in run.seen.shifts:
        if letter in letters and name != element.use.name:
            counts[name] = max(counts.get(name, 0), place + 1)
    numbers = [not names.element_ranks(name, n, False, False)[0] for name, n in counts.items()]
    alone = len(letters) == 1 and letters.issubset(run.summed) and not element.bold
    return alone and bool(numbers) and all(numbers)


def _has_one_key(run: Run) -> bool:
    """Whether keys or values are called so, and each has an index."""
    counted = run.seen.counted.items()
    return any(name.lower() in ("key", "value") and counts == {1} for name, counts in counted)


def _is_multiplied(element: Element) -> bool:
    """Whether an element stands beside another with the same last index, which a sum counts: the
    h_{ij} of ``Σ_j s_{tj} h_{ij}``, a dot product. The weights of ``Σ_j a_{tj} h_{ij}`` say nothing
    of the kind."""
    run, use = element.run, element.use
    last = names.label(use.indices[-1].node) if len(use.indices) > 1 else ""
    others = {
        name
        for name, place, letter in run.seen.shifts
        if place and letter == last and name != use.name
    }
    weights = names.WEIGHTS | {"a", "A", "alpha", "beta"}
    return last in run.summed and any(names.base_letter(x) not in weights for x in others)


def is_of_product(run: Run, use: Use) -> bool:
    """Whether an element has two of the three indices of a product of matrices that is written by
    elements: the w_{ik} and x_{ij} of ``Σ_i w_{ik} x_{ij}``, and the h_{kj} beside it, are numbers,
    and their indices count alike."""
    own, left = {names.label(at.node) for at in use.indices}, run.on_left
    if len(own) != 2 or len(left) != 2:
        return False
    letters: dict[str, set[str]] = {}
    for name, _, letter in run.seen.shifts:
        letters.setdefault(name, set()).add(letter)
    pairs = [found for found in letters.values() if len(found) == 2 and len(found & left) == 1]
    summed = [{*map(min, (found - left for found in pairs if letter in found))} for letter in left]
    return any(own <= left | {letter} for letter in set.intersection(*summed))


_CUSTOMS: Sequence[Custom] = (
    _as_used,
    _arrow,
    of_query_or_key,
    _projection,
    _weight_of_one,
    _updated,
    _of_batch,
    of_named_place,
    of_role,
    _averaged,
    of_two_roles,
    _point,
    _form,
    _power,
    of_parameter,
    of_entry,
    _gain,
    _sequence,
    of_row,
    of_label,
    of_share,
    _in_company,
    _by_letter,
)
