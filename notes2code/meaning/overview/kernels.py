"""Functions by whose letter arrays are called too: the k of ``Σ_j k(q_i, k_j)``, and the q that
makes ``q_i = q(x_i)``.

Nobody multiplies a list in parentheses by a letter, or makes an array of itself, so what stands
before one is a function, and what has an index beside it is something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from notes2code.latex.tree import Dots, Group, Juxt, Name, Node, Nodes, Script, alike
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define


def found(
    nodes: Nodes, seen: Survey, uses: Iterable[tuple[Use, bool]], defines: Iterable[Define]
) -> frozenset[str]:
    """The names that stand without an index before parentheses alone, before lists among them or
    as what makes the array of that name, and with one elsewhere. Each of the ``uses`` comes with
    whether it stands before parentheses."""
    pairs = (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors) if is_list(pair[1]))
    before = [name for name, _ in (*pairs, *_namesakes(defines))]
    listed = {use.name for name in before if (use := seen.understood(name)) and not use.indices}
    if not listed:
        return frozenset()
    elements, whole = set[str](), set[str]()
    for use, before_parenthesis in uses:
        if use.indices or not before_parenthesis:
            (elements if use.indices else whole).add(use.name)
    return frozenset(listed & elements - whole)


def _namesakes(defines: Iterable[Define]) -> Iterator[tuple[Node, ...]]:
    """The function and what it is given in ``q_i = q(x_i)``."""
    for define in defines:
        match define.target, define.values[0]:
            case Script(array), Juxt((Name() as function, Group("(", (_,)))) as called:
                if alike(array, function):
                    yield called.factors


def is_list(node: Node) -> bool:
    """Whether a node is ``(a, b)``, and no ``(x_1, …, x_n)``."""
    match node:
        case Group("(", items):
            return "," in node.separators and not any(isinstance(item, Dots) for item in items)
    return False
