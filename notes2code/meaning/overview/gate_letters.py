"""Letters that tell gates apart, and count none: the f of ``W_f`` and of ``z^f``."""

from __future__ import annotations

from collections.abc import Mapping, Set

from notes2code.latex.tree import Infix, Name, Node, Nodes, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions, scripts
from notes2code.meaning.scope import Scope


def gates(labels: Mapping[str, Set[str]], counted: Set[str]) -> dict[str, set[str]]:
    """The f, the i and the o of ``z^f``, ``z^i`` and ``z^o``, or of ``W_f``, ``W_i`` and ``W_o``:
    gates are told apart by what their f shows to be no index and no power."""
    found = {base: {*of_one} for base, of_one in labels.items() if "f" in of_one}
    return {b: own for b, own in found.items() if len(own) > 1 and own.isdisjoint(counted)}


def of_gates(target: Node, nodes: Nodes, scope: Scope) -> set[str]:
    """The r of ``u_r = \\sigma(W_r x_t + U_r h_{t-1} + b_r)``, which tells the weights of a gate
    apart: it stands on weights alone, and on all of them. So does the i of ``z^i = σ(W^i [x^t;
    h^{t-1}])`` where the section tells the W apart."""
    match target:
        case Script(_, Name(letter), None, 0) if letter in _GATES:
            above = False
        case Script(_, None, Name(letter), 0) if letter in _GATES:
            above = True
        case _:
            return set()
    stand: dict[str, set[str]] = {}
    for node in nodes.of(Script):
        place = node.sup if above else node.sub
        if node is not target and place is not None and scripts.is_name(node):
            stand.setdefault(binders.bare(node), set()).add(names.label(place))
    own = {base for base, labels in stand.items() if letter in labels}
    if not own or not own <= {*"WUVRb"}:
        return set()
    if not any(binders.bare(node) in _SQUASHING for node in nodes):
        return set()
    told = scope.above if above else scope.labels
    if all(letter in told.get(base, ()) for base in own):
        return {letter}
    alone = all(len(stand[base]) == 1 for base in own)
    steps = any(positions.shift(node) == ("t", -1) for node in nodes.of(Infix))
    return {letter} if alone and steps and len(own) > 1 and "W" in own else set()


_SQUASHING = frozenset(["sigma", "sigmoid", "tanh", "Sigmoid", "Tanh"])

_GATES = frozenset("rzofigcn")
"""What tells gates apart: reset, update, output, forget, input, candidate."""
