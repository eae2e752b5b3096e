"""Vectors by where they stand, whatever their letter: what is added to one below a norm, what is
joined to one, and what stands behind ``x^⊤ M``, whose M is a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from notes2code.latex.tree import Group, Infix, Juxt, Name, Neg, Node, Nodes, ungrouped
from notes2code.meaning import binders, names, scripts
from notes2code.meaning.quantities import terms

if TYPE_CHECKING:
    from notes2code.meaning.survey import Survey


def letters_added(nodes: Nodes) -> set[str]:
    """The r of ``\\|h_r + r - t_r\\|``: as a term it is a vector, and below a name its label."""
    return {term.text for node in _sums_in_norms(nodes) for term in node if isinstance(term, Name)}


def vectors(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The h, r and t of ``\\|h + r - t\\|``, the c of ``[h; c]`` and the t of ``h^⊤ M t``."""
    found = [term for node in _sums_in_norms(nodes) for term in node]
    found += [item for group in nodes.of(Group) for item in _joined(seen, group)]
    found += [last for _, last in _forms(nodes)]
    return (use.name for node in found if (use := _small(seen, node)) is not None)


def matrices(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The M of ``h^⊤ M t``."""
    for middle, _ in _forms(nodes):
        use = seen.understood(middle) if binders.bare(middle).isupper() else None
        if use is not None:
            yield use.name


def _sums_in_norms(nodes: Nodes) -> Iterator[Sequence[Node]]:
    """The terms of the sums in norms, but for those of matrices."""
    for group in nodes.of(Group):
        match group:
            case Group("‖", (Infix("+" | "-") as inner,)):
                found = [ungrouped(term) for term in terms(inner)]
                if not any(binders.bare(term).isupper() for term in found):
                    yield found


def _joined(seen: Survey, group: Group) -> Sequence[Node]:
    """The items of ``[h; c]``, of which one is a vector by custom; a time t stays a number."""
    if group.open != "[" or {*group.separators} != {";"}:
        return ()
    uses = [use for item in group.items if (use := seen.understood(item)) is not None]
    vector = any(use.bold or names.base_letter(use.name) in names.VECTORS for use in uses)
    every = len(uses) == len(group.items) and vector
    return [item for item in group.items if binders.bare(item) != "t"] if every else ()


def _forms(nodes: Nodes) -> Iterator[tuple[Node, Node]]:
    """The matrix and what stands behind it, in ``x^⊤ M y`` and ``x^⊤ \\mathrm{diag}(r) y``."""
    for node in nodes.of(Juxt):
        match node.factors:
            case (row, middle, last) | (row, Name("diag") as middle, Group(), last):
                if scripts.is_transposed(row) and binders.bare(row).islower():
                    yield middle, last


def _small(seen: Survey, node: Node) -> scripts.Use | None:
    """The use of a small letter that is not transposed."""
    inner = node.body if isinstance(node, Neg) else node
    use = seen.understood(inner) if scripts.is_name(inner) else None
    small = use is not None and names.base_letter(use.name).islower()
    return use if small and use is not None and not use.transposed and use.power is None else None
