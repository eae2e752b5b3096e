"""Whether a name is an element of something else in the formula, or of what a function is given."""

from __future__ import annotations

from itertools import pairwise

from notes2code.latex.tree import Juxt, Matrix
from notes2code.meaning import names
from notes2code.meaning.inference.products import gains
from notes2code.meaning.inference.ranks.elements_used import Element
from notes2code.meaning.notation import binders
from notes2code.meaning.overview import elements


def of_parameter(element: Element) -> int | None:
    """What a function is given: one of several things, or what it does with each element."""
    run, name = element.run, element.use.name
    if name not in run.whole_parameters:
        return None
    if element.indices == 1 and not (element.bold or element.base in ("Q", "K", "V")):
        return element.usually(0, 1)
    return element.usually(0, 1, 2) if run.elementwise else None


def of_entry(element: Element) -> int | None:
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
    if rank == 0 and element.name in seen.entries and _is_joined(element):
        element.run.numbers[element.run.quote(element.use.span)] = element.use.span
    return rank


def _is_joined(element: Element) -> bool:
    """Whether a vector by its letter is a cell of a row, or of a column, beside weights: they may
    as well map vectors that are joined, ``W [h_1; h_2]``."""
    if element.base not in names.VECTORS:
        return False
    products = element.run.seen.nodes.of(Juxt)
    for left, right in (pair for product in products for pair in pairwise(product.factors)):
        for cells, weight in ((left, right), (right, left)):
            if isinstance(cells, Matrix) and binders.bare(weight) == "W":
                line = 1 in (len(cells.rows), *map(len, cells.rows))
                parts = (cell for row in cells.rows for cell in row if cell is not None)
                if line and any(cell.span == element.use.span for cell in parts):
                    return True
    return False


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


def of_row(element: Element) -> int | None:
    """The row E_{x,i} of a table of embeddings, which a token x_i tells."""
    label = element.use.name.partition("_")[2]
    told = len(label) == 1 and label.islower() and label not in names.INDEX_LETTERS
    if element.base in ("E", "e") and told and element.indices == 1:
        return element.among((1, 0.0), (2, 2.2))
    return None
