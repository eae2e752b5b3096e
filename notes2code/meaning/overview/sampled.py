"""Functions that are called with indices of sums alone: they give a number for each value."""

from __future__ import annotations

from itertools import pairwise

from notes2code.latex.tree import Big, Group, Juxt, Name, Node, Nodes
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.overview.survey import Survey


def sampled_functions(seen: Survey, nodes: Nodes) -> set[str]:
    """The functions that are only ever called with indices of sums: a number for each value."""
    subs = [big.sub for big in nodes.of(Big)]
    summed = {letter for sub in subs if sub is not None for letter in binders.bound_letters(sub)}
    if None in subs:
        summed |= {letter for letter in seen.free if letter not in seen.targets}
    found: dict[str, bool] = {}
    for node in nodes.of(Juxt) if summed else ():
        for name, group in pairwise(node.factors):
            use = seen.understood(name)
            if use is None or not isinstance(group, Group) or group.open not in ("(", "["):
                continue
            plain = not use.indices and use.power is None and not use.transposed
            sampled = plain and all(_is_index(seen, use.name, i, summed) for i in group.items)
            found[use.name] = found.get(use.name, True) and bool(group.items) and sampled
    return {name for name, only in found.items() if only} & seen.called


def _is_index(seen: Survey, function: str, argument: Node, summed: set[str]) -> bool:
    """Whether an argument is an index of a sum, or the outcome x_i of a probability at one."""
    if isinstance(argument, Name):
        return argument.text in summed
    if names.base_letter(function) not in names.PROBABILITIES | {"Q"}:
        return False
    use = seen.understood(argument)
    indices = use.indices if use is not None else ()
    return any(isinstance(at.node, Name) and at.node.text in summed for at in indices)
