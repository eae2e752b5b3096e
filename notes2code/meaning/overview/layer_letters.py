"""Letters of layers above names, and what they stand on: the l of ``H^{l-1} W``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from notes2code.latex.tree import Group, Juxt, Name, Node, Nodes, Script, inside_scripts
from notes2code.meaning.notation import binders, positions


def of_layers(nodes: Nodes) -> Iterator[str]:
    """The H of ``H^{l-1} W`` and the x of ``x^{l+1} - x^l``, which are those of a layer: its letter
    stands nowhere but in scripts, as a number would elsewhere, and above what has a row for each
    token."""
    above: dict[str, list[Script]] = {}
    for node in nodes.of(Script):
        if node.sup is not None and (layer := positions.layer_label(node.sup)):
            above.setdefault(layer.partition("_")[0], []).append(node)
    for letter, raised in above.items():
        if all(isinstance(node.sup, Name) for node in raised):
            continue
        within = {id(name) for node in nodes.of(Script) for name in inside_scripts(node)}
        counts = any(n.text == letter and id(n) not in within for n in nodes.of(Name))
        if not counts and any(_is_state(node, raised, nodes) for node in raised):
            yield from map(binders.bare, raised)


def _is_state(node: Script, raised: Sequence[Script], nodes: Nodes) -> bool:
    """Whether a name has a row for each token: it is called as activations are, is bold, is beside
    a weight or alone in a call, or there for two layers."""
    base = binders.bare(node)
    if not isinstance(node.base, Name) or base in _POWERS:
        return False
    if node.base.font == "bold" or base in ("H", "X", "Z", "h"):
        return True
    layers = {
        positions.layer_label(other.sup)
        for other in raised
        if other.sup is not None and binders.bare(other) == base
    }
    return (base in ("x", "z") and len(layers) > 1) or any(
        _takes(product, node) for product in nodes.of(Juxt)
    )


def _takes(product: Juxt, node: Node) -> bool:
    """Whether something is multiplied by a weight, ``x^{l-1} W``, or what a model takes."""
    for left, right in pairwise(product.factors):
        if isinstance(right, Group) and node in right.items and isinstance(left, Name):
            return len(left.text) > 1 and left.text[0].isupper()
        if node is right and binders.bare(left) in ("W", "U"):
            return True
        if node is left and binders.bare(right) in ("W", "U"):
            base = binders.bare(node)  # the α of α^{L-1} W x is a number
            return base.isupper() or base in ("x", "z")
    return False


_POWERS = frozenset("APTCDN")
"""Capitals that are raised to a power: the k-th neighbours of a graph, the steps of a chain, and
what counts."""
