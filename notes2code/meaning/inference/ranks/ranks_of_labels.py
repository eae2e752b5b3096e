"""How many axes labels, probabilities and shares have behind their indices."""

from __future__ import annotations

from itertools import pairwise

from notes2code.latex.tree import Infix, Juxt, Neg, juxtaposed, ungrouped
from notes2code.meaning import names
from notes2code.meaning.inference.ranks.elements_used import Element


def of_label(element: Element) -> int | None:
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
            pairs.append((juxtaposed(left)[-1], juxtaposed(right)[0]))
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


def of_share(element: Element) -> int | None:
    """The p of ``p A + (1 - p) B``."""
    run = element.run
    mixed = element.use.name in run.seen.mixes and not element.bold
    if mixed and (element.base in names.PROBABILITIES or run.gives_number):
        return element.among((0, 0.0), (1, 1.5))
    return None
