"""What is compared: queries and their keys, the weights that make them, and the sequences that
they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from notes2code.latex.tree import Big, Group, Infix, Juxt, Name, Node, Nodes, Script, walk
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview.survey import Survey


def projections(seen: Survey, nodes: Nodes) -> set[str]:
    """The Q, K and V that stand for the weights which make queries, keys and values of X: those
    of ``XQ_i``."""
    pairs = (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors))
    made = {binders.bare(b) for a, b in pairs if isinstance(a, Name) and a.text in "XHx"}
    if not made.isdisjoint("QK"):  # (XQ)(XK)^⊤ is XQK^⊤X^⊤
        made |= {"Q", "K"}
    made &= set("QKV")
    return made & {*map(seen.name_of, nodes.of(Name, Script) if made else ())}


def sequences(seen: Survey, nodes: Nodes) -> set[str]:
    """The y and x of ``\\mathrm{softmax}((y W_Q)(x W_K)^\\top)``, which are compared by rows, and
    the x of ``\\mathrm{softmax}(x^\\top W_Q^\\top W_K x)``, whose columns are compared."""
    if not any("softmax" in name.lower() for name in seen.called):
        return set()
    found = {name for node in nodes.of(Juxt) if (name := _compared_with_itself(seen, node))}
    for pair in (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors)):
        keys = pair[1].base if isinstance(pair[1], Script) else None
        made = [side for side in (pair[0], keys) if isinstance(side, Group)]
        uses = [use for group in made for use in _projected(seen, group)]
        if len(uses) == 2:
            found.update(use.name for use in uses if not use.indices)
    return found


def _compared_with_itself(seen: Survey, node: Juxt) -> str:
    """The x of ``x^\\top W_Q^\\top W_K x``, "" where there is none."""
    first, *weights, last = node.factors
    if not isinstance(last, Name) or not scripts.is_transposed(first) or not weights:
        return ""
    of_weights = all(binders.bare(w) == "W" for w in weights)
    return last.text if seen.name_of(first) == last.text and of_weights else ""


def _projected(seen: Survey, group: Group) -> Iterator[scripts.Use]:
    """The x of ``(x W_K)``."""
    match group.items:
        case (Juxt((Name() as name, weight)),):
            use = seen.understood(weight)
            plain = use is not None and use.name.startswith("W") and not use.indices
            if use is not None and plain and names.label_of_projection(use.name):
                yield seen.use(name)


def queries_and_keys(seen: Survey, node: Infix) -> set[str]:
    """The names of ``q_{t,j} · k_s`` and of ``λ_{q_1} · λ_{k_1}``, a query and its key under one
    letter: their dot is the inner product of two vectors, also where that letter is a number by
    itself, or has an index of heads besides; not that of ``Σ_d q_{id} · k_{jd}``."""
    if node.op != "·":
        return set()
    left, right = seen.understood(node.left), seen.understood(node.right)
    if left is None or right is None or left.name == right.name:
        return set()
    query, key = (use.name.split("_", 1) for use in (left, right))
    paired = len(query) == len(key) == 2 and query[0] == key[0]
    same = paired and query[1][0] + key[1][0] == "qk" and query[1][1:] == key[1][1:]
    same = same or query[0] + key[0] in ("qk", "kq")
    return {left.name, right.name} if same and not _sums_up(seen, node) else set()


def _sums_up(seen: Survey, node: Infix) -> bool:
    """Whether a product is what a sum adds up over an index of both its factors."""
    sums = (big.sub for big in seen.nodes.of(Big) if big.body is node and big.op == "sum")
    letters = {letter for sub in sums if sub is not None for letter in binders.bound_letters(sub)}
    sides = (node.left, node.right)
    return any(all(_has_letter(side, letter) for side in sides) for letter in letters)


def _has_letter(node: Node, letter: str) -> bool:
    return any(isinstance(inner, Name) and inner.text == letter for inner in walk(node))
