"""How many axes queries, keys and values have behind their indices."""

from __future__ import annotations

import re

from notes2code.meaning import names
from notes2code.meaning.inference.ranks.elements_used import Element
from notes2code.meaning.inference.run import Run


def of_query_or_key(element: Element) -> int | None:
    """The λ_{q1} beside a λ_{k1}: what one of several queries has, and its key, is a vector."""
    base, _, label = element.use.name.partition("_")
    if base not in names.GREEK or not _NUMBERED_ROLE.fullmatch(label):
        return None
    partner = f"{base}_{label.translate(_PARTNERS)}"
    beside = partner in element.run.seen.counted and not element.indices
    return element.usually(1, 0, 2) if beside else None


_NUMBERED_ROLE = re.compile(r"[qkQK]_?\d")
_PARTNERS = str.maketrans("qkQK", "kqKQ")


def of_role(element: Element) -> int | None:
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
        rows = _is_one_of_rows(element) or (indices and _adds_to_state(element))
        if base.isupper() and rows:
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


def _is_one_of_rows(element: Element) -> bool:
    """Whether a query has a number where keys have an index, ``Q_4 · K_j``, that what is made of
    them has, too: it is one of them."""
    base, _, label = element.use.name.partition("_")
    others = [
        counts
        for name, counts in element.run.seen.counted.items()
        if name != base and names.base_letter(name) in names.ROLES and name.isupper()
    ]
    letters = _letters_below(element.run, "Q") | _letters_below(element.run, "K")
    kept = not letters.isdisjoint(element.run.target_letters)
    return label.isdigit() and not element.indices and {1} in others and kept


def _adds_to_state(element: Element) -> bool:
    """Whether a key and its value make what each step adds to a state, ``S_n + K_n^⊤ V_n``, or what
    a sum adds up: they are rows, but for those of a block, ``K_{[i]}``."""
    run, use = element.run, element.use
    summed = all(names.label(at.node) in run.summed for at in use.indices)
    return summed and element.base != "Q" and "[" not in run.quote(use.span)


def of_named_place(element: Element) -> int | None:
    """The V_{BOS} beside V_j: the one of a place that has a name."""
    base, _, label = element.use.name.partition("_")
    counts = element.run.seen.counted.get(base, set())
    if len(label) < 3 or counts != {element.indices + 1} or element.use.name in element.run.shapes:
        return None
    if names.base_letter(base) not in "vVkKhHaA" and base != "alpha":
        return None
    return element.usually(*names.element_ranks(base, element.indices + 1, element.bold, False))


def of_two_roles(element: Element) -> int | None:
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
