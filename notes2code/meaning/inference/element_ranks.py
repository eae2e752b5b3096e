"""How many axes an element has behind its indices: declared, or by the field's customs.

A custom says which ranks an element may have, the usual one first; the search takes the first that
fits, and what is rarer costs more. The first custom that speaks of an element decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Infix, Juxt, Neg, ungrouped
from notes2code.meaning import names
from notes2code.meaning.inference import gains, moving
from notes2code.meaning.inference.declared import declared_shape
from notes2code.meaning.inference.letters import is_memory
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation.positions import counts_layers
from notes2code.meaning.notation.scripts import HEAD, Use
from notes2code.meaning.overview import arithmetic, elements
from notes2code.records import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an input: where it is used, and under which ``name`` the input is kept.

    ``lead`` counts its indices; ``indices`` those that stand for places, steps among them, and
    neither heads nor layers. ``base`` is its letter, ``bold`` how that is set.
    """

    run: Run
    use: Use
    name: str
    lead: int
    indices: int
    base: str
    bold: bool

    @property
    def is_small(self) -> bool:
        """Whether it is a small letter in a plain font."""
        return not self.bold and self.base.islower()

    @property
    def is_told_apart(self) -> bool:
        """Whether it has two indices or more, which are those of the left-hand side."""
        letters = {names.label(at.node) for at in self.use.indices}
        on_left = letters <= self.run.on_left and letters.isdisjoint(self.run.summed)
        return self.indices > 1 and on_left

    def tell(self, what: str) -> None:
        """Tell what each such element is taken for."""
        text = f"each `{self.run.quote(self.use.span)}` {what}"
        hint = "declare its shape to make it plain"
        self.run.problems.append(note("N2C039", text, self.use.span, hint))

    def among(self, *costs: tuple[int, float]) -> int:
        """One of several ranks; the search decides by their costs."""
        return self.run.choose(f"rank {self.name}", costs)

    def usually(self, *ranks: int) -> int:
        """One of several ranks, the usual one first, at what another one costs by custom."""
        return self.among(*zip(ranks, _costs(self, ranks), strict=True))


Custom = Callable[[Element], int | None]
"""The rank of an element that a custom speaks of; None for any other."""


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


def _of_query_or_key(element: Element) -> int | None:
    """The λ_{q1} beside a λ_{k1}: what one of several queries has, and its key, is a vector."""
    base, _, label = element.use.name.partition("_")
    if base not in names.GREEK or not _NUMBERED_ROLE.fullmatch(label):
        return None
    partner = f"{base}_{label.translate(_PARTNERS)}"
    beside = partner in element.run.seen.counted and not element.indices
    return element.usually(1, 0, 2) if beside else None


_NUMBERED_ROLE = re.compile(r"[qkQK]_?\d")
_PARTNERS = str.maketrans("qkQK", "kqKQ")


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


def _role(element: Element) -> int | None:
    """The queries, keys and values of attention."""
    run, base, use = element.run, element.base, element.use
    of_one = element.name in run.seen.elements and {0, 1} <= run.seen.counted.get(
        element.name, set()
    )
    of_one = of_one or (element.is_small and use.name in run.seen.quantities)  # the k of TopK
    of_one = of_one or _is_of_parameter(element)
    if run.seen.attends and base in names.ROLES and element.indices < 2 and not of_one:
        of_one = _are_all_of_one(run)
        heads = of_one or "head" in run.defines
        of_heads = heads and run.seen.counted.get(use.name) == {1}
        indices = max(element.indices, min(use.steps, 1))
        if base.isupper() and indices and _adds_to_state(element):
            return run.choose("rank of Q_i, K_i and V_i", ((1, 0.0), (2, 2.0)))
        rank = _role_rank(run, base, indices, of_heads)
        if rank == 0 and _are_apart(run) and _tells_places(element):
            element.tell("is taken to be a number")
        if rank == 2 and of_one and base == "q" and "head" not in run.defines:
            element.tell("is taken to be a matrix")
        return rank
    if run.seen.attends and base in "QKV" and (element.bold or element.is_told_apart):
        return run.choose("rank of Q_ij, K_ij and V_ij", ((2, 0.0), (1, 0.5), (0, 1.0)))
    return None


def _are_all_of_one(run: Run) -> bool:
    """Whether queries, keys and values have one index, that of what is made of them: those of
    ``h_i = softmax(q_i k_i^⊤) v_i`` are of one head, for rows would weigh one key."""
    letters = [_letters_below(run, role) for role in "qkv"]
    return (
        len(letters[0]) == 1
        and letters[1:] == letters[:2]
        and letters[0].issubset(run.target_letters)
    )


def _is_of_parameter(element: Element) -> bool:
    """Whether it is the q_c of a ``score(q, k)`` that has a k_c, too: one of their features."""
    run, queries = element.run, _letters_below(element.run, "q")
    given = {"q", "k"} <= {*run.whole_parameters} and element.use.name in run.whole_parameters
    return given and element.is_small and queries == _letters_below(run, "k") != set()


def _adds_to_state(element: Element) -> bool:
    """Whether a key and its value make what each step adds to a state, ``S_n + K_n^⊤ V_n``, or what
    a sum adds up: they are rows, but for those of a block, ``K_{[i]}``."""
    run, use = element.run, element.use
    summed = all(names.label(at.node) in run.summed for at in use.indices)
    return summed and element.base != "Q" and "[" not in run.quote(use.span)


def _named_place(element: Element) -> int | None:
    """The V_{BOS} beside V_j: the one of a place that has a name."""
    base, _, label = element.use.name.partition("_")
    counts = element.run.seen.counted.get(base, set())
    if len(label) < 3 or counts != {element.indices + 1} or element.use.name in element.run.shapes:
        return None
    if names.base_letter(base) not in "vVkKhHaA" and base != "alpha":
        return None
    return element.usually(*names.element_ranks(base, element.indices + 1, element.bold, False))


def _averaged(element: Element) -> int | None:
    """What a mean is taken of."""
    if element.use.name not in element.run.seen.averaged:
        return None
    rank = element.among((1, 0.0), (0, 1.0), (2, 2.0))
    if rank == 1 and not element.bold:
        element.tell("is taken for a vector, which the weights average")
    return rank


def _role_of_two(element: Element) -> int | None:
    """The q_{ij}, k_{ij} and v_{ij}: vectors where others of these are."""
    run = element.run
    if not (run.seen.attends and element.base in "qkv" and element.indices == 2):
        return None
    vectors = any(
        names.base_letter(name) in names.ROLES
        and (run.seen.is_bold(name) or name in run.seen.transposed)
        for name in run.seen.counted
    )
    first, then = (1, 0) if vectors else (0, 1)
    return run.choose("rank of q_ij, k_ij and v_ij", ((first, 0.0), (then, 1.0), (2, 2.0)))


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


def _role_rank(run: Run, base: str, indices: int, of_heads: bool) -> int:
    """Queries, keys and values are of one kind: matrices, their rows, or their elements."""
    if base.isupper() and indices == 0:
        return 2
    if base.isupper():
        letters = run.seen.bound.union(*run.seen.steps.values())
        said = {f"{role}_{letter}" for role in "QKV" for letter in letters} & run.shapes.keys()
        ranks = {len(run.shapes[name].axes) for name in said} & {1, 2}
        if ranks:
            return min(ranks)  # the V_n beside a declared K_n
        first, then = (2, 1) if of_heads else (1, 2)
        return run.choose("rank of Q_i, K_i and V_i", ((first, 0.0), (then, 0.5)))
    if indices == 0:
        if any(names.base_letter(name) in "qkv" for name in run.seen.matrices):
            return 2
        # Beside keys that are a matrix, a query is no number.
        number = 4.0 if any(names.base_letter(name) in "QK" for name in run.seen.counted) else 1.4
        return run.choose("rank of q, k and v", ((1, 0.0), (2, 0.5), (0, number)))
    costs = [(1, 0.0), (0, 4.0 if _are_apart(run) else 1.1)]
    if of_heads:
        costs.append((2, 1.5))  # those of a head, where all have its index
    return run.choose("rank of q_i, k_i and v_i", tuple(costs))


def _are_apart(run: Run) -> bool:
    """Whether queries and keys have different letters: the q_i of q_i k_j is no number, for the
    features of one query and its key are counted by one letter."""
    queries, keys = _letters_below(run, "q"), _letters_below(run, "k")
    return bool(queries) and bool(keys) and queries.isdisjoint(keys)


def _tells_places(element: Element) -> bool:
    """Whether an index of an element is not summed over."""
    letters = {names.label(at.node) for at in element.use.indices}
    return not letters.issubset(element.run.summed)


def _letters_below(run: Run, role: str) -> set[str]:
    """The letters that count the arrays of a role."""
    return {letter for name, _, letter in run.seen.shifts if names.base_letter(name) == role}


def _parameter(element: Element) -> int | None:
    """What a function is given: one of several things, or what it does with each element."""
    run, name = element.run, element.use.name
    if name not in run.whole_parameters:
        return None
    if element.indices == 1 and not (element.bold or element.base in ("Q", "K", "V")):
        return element.usually(0, 1)
    return element.usually(0, 1, 2) if run.elementwise else None


def _entry(element: Element) -> int | None:
    """What is an element of something else in the formula."""
    seen = element.run.seen
    own = element.name in seen.elements | seen.exponents | seen.discounted
    own = own or _is_of_elements(element) or _is_one_of_elements(element)
    own = own or (element.is_small and element.name in seen.entries)
    own = own or (element.indices == 1 and gains.is_of_example(element.run, element.use.name))
    rank = element.usually(0, 1) if own else None
    neuron = rank == 0 and element.base not in names.WEIGHTS and "b" in seen.counted
    if neuron and element.name in elements.of_neurons(seen, seen.nodes):
        element.tell("is taken to be a number, as what a neuron with one bias is given")
    return rank


def _is_of_elements(element: Element) -> bool:
    """Whether a name is an x_{max}: a number, as a w_{min} of weights is, or the mean x̄ of numbers
    x_i."""
    use = element.use
    base, _, last = use.name.rpartition("_")
    if last == "bar" and base in element.run.seen.elements:
        return 1 in element.run.seen.counted.get(base, ()) and not use.indices and not use.bold
    extreme = last in ("max", "min") and not use.indices and not use.bold
    return extreme and (base in element.run.seen.elements or (len(base) == 1 and base.islower()))


def _is_one_of_elements(element: Element) -> bool:
    """Whether a name is the z_y beside ``e^{z_j}``, a number as each of these is."""
    seen, use = element.run.seen, element.use
    base, _, label = use.name.rpartition("_")
    raised = base in seen.elements | seen.exponents and 1 in seen.counted.get(base, ())
    return raised and len(label) == 1 and label.islower() and not use.indices and not use.bold


def _gain(element: Element) -> int | None:
    """The gain and the bias of a normalisation; its moments, where they are words, are numbers."""
    run = element.run
    called = any(map(names.is_norm, run.seen.called))
    of_layer = element.use.name in run.seen.gains and (
        run.scope.norms == "layers" or any(map(names.is_norm, run.defines))
    )
    usual = element.base in names.GAINS | {"b"} and (run.seen.normalises or called)
    if element.indices == 0 and (usual or of_layer):
        return element.usually(*((0, 1) if gains.are_numbers(run) else (1, 0)))
    if element.indices == 0 and run.seen.normalises and element.use.name in names.MOMENTS:
        return element.usually(0, 1)
    return None


def _sequence(element: Element) -> int | None:
    """What holds all tokens."""
    return element.usually(2, 1) if element.use.name in element.run.seen.sequences else None


def _row(element: Element) -> int | None:
    """The row E_{x,i} of a table of embeddings, which a token x_i tells."""
    label = element.use.name.partition("_")[2]
    told = len(label) == 1 and label.islower() and label not in names.INDEX_LETTERS
    if element.base in ("E", "e") and told and element.indices == 1:
        return element.among((1, 0.0), (2, 2.2))
    return None


def _label(element: Element) -> int | None:
    """Labels, probabilities, and what else is a number where a loss is made of it."""
    run, base = element.run, element.base
    if element.indices == 1 and not element.bold:
        if run.seen.logs and base == "y" and not _is_of_pair(element):
            return element.usually(0, 1, 2)  # the y_i beside log p_i are labels
        if run.seen.of_probabilities:
            return element.usually(0, 1, 2)  # the q_i of p_i log (p_i / q_i) are numbers
    if base == "y" and element.indices == 0 and _is_label(element):
        return element.usually(0, 1, 2)
    if element.use.name in run.seen.quantities and not element.use.bold:
        matrix = base.isupper() and element.indices == 0
        return element.usually(0, 2, 1) if matrix else element.usually(0, 1, 2)
    return None


def _is_of_pair(element: Element) -> bool:
    """Whether it is the y_j of ``x_i · y_j`` or ``x_i y_j``: a label has the index of what it tells
    of."""
    seen = element.run.seen
    pairs = [pair for node in seen.nodes.of(Juxt) for pair in pairwise(node.factors)]
    for node in seen.nodes.of(Infix):
        left, right = ungrouped(node.left), node.right
        left = left.body if isinstance(left, Neg) else left
        if node.op == "·":
            pairs.append((arithmetic.factors(left)[-1], arithmetic.factors(right)[0]))
    for pair in pairs:
        uses = [use for use in map(seen.understood, pair) if use is not None and use.indices]
        letters = [{names.label(at.node) for at in use.indices} for use in uses]
        mine = element.use.name in (use.name for use in uses)
        if mine and len(uses) == 2 and letters[0].isdisjoint(letters[1]):
            return True
    return False


def _is_label(element: Element) -> bool:
    """Whether y is a number: beside log p, or in a loss of labels alone; not where it is set as a
    vector, or transposed as one."""
    run = element.run
    vector = element.bold or element.use.name in run.seen.transposed
    return not vector and (run.seen.logs or (run.gives_number and run.seen.of_labels))


def _share(element: Element) -> int | None:
    """The p of ``p A + (1 - p) B``."""
    run = element.run
    mixed = element.use.name in run.seen.mixes and not element.bold
    if mixed and (element.base in names.PROBABILITIES or run.gives_number):
        return element.among((0, 0.0), (1, 1.5))
    return None


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
    # A capital with an index above it alone is one of several matrices, Θ^{(k)} and Z^{(k)}.
    several = bool(use.above) and use.above == element.lead and base not in names.GREEK
    indices = 0 if several and base.isupper() and len(base) == 1 else element.indices
    ranks = names.element_ranks(use.name, indices, element.bold, transposed)
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
    if rank == 2 and ranks[0] == 1 and element.is_small and not element.indices:
        run.bent.add(element.name)
    return rank


def _is_weighed(element: Element) -> bool:
    """Whether it is the P_i of ``aux = Σ_i f_i P_i``, where all else that a sum counts so are
    numbers, and what is made of them is no capital: a probability, and no projection."""
    run, letters = element.run, {names.label(at.node) for at in element.use.indices}
    beside = {name for name, _, letter in run.seen.shifts if letter in letters}
    others = [names.element_ranks(name, 1, False, False)[0] for name in beside - {element.use.name}]
    capital = any(name.isupper() and len(name) == 1 for name in run.defines)
    alone = len(letters) == 1 and letters.issubset(run.summed) and not element.bold
    return alone and bool(others) and not any(others) and not capital


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


def _costs(element: Element, ranks: tuple[int, ...]) -> list[float]:
    """What each of some ranks costs, the usual one nothing."""
    run, base, indices = element.run, element.base, element.indices
    # A bias, a position is a vector or a number nearly as often: what it is added to decides.
    step = 0.6 if base in ("b", "p") else 0.5 if base == "bias" else 1.0
    if base == "W" and names.label_of_projection(element.use.name):
        step = 2.2
    elif base in ("W", "U") or (base in ("a", "alpha") and indices >= 2):
        step = 1.3  # weights are matrices, and those of attention are numbers
    if names.is_number(base) and base.isupper() and indices == 0:
        step = 2.5  # the BP of BLEU is a number, whatever it is multiplied by
    named = "_" in element.use.name or base == "epsilon"
    counts = named and element.use.name in run.seen.quantities
    if (base == "eta" or counts) and indices == 0:
        step = 2.5  # a rate is a number, whatever it is divided by, and so are n_kv and an ε below
    costs = [step * at for at in range(len(ranks))]
    if base == "X" and ranks[-1] == 0:
        costs[-1] = 3.5  # the tokens are no number, strange as their product may be
    turned = 1 in run.seen.transposed.get(element.use.name, ())
    if element.is_small and turned and indices == 1:
        # The p_j of k_j p_j^⊤ is no matrix.
        costs = [cost + 2.0 * (rank == 2) for cost, rank in zip(costs, ranks, strict=True)]
    return costs


_CUSTOMS: Sequence[Custom] = (
    _as_used,
    _arrow,
    _of_query_or_key,
    _projection,
    _weight_of_one,
    _updated,
    _of_batch,
    _named_place,
    _role,
    _averaged,
    _role_of_two,
    _point,
    _form,
    _power,
    _parameter,
    _entry,
    _gain,
    _sequence,
    _row,
    _label,
    _share,
    _in_company,
    _by_letter,
)
