"""What a function gives, transposed at the function's name: ``Φ^⊤(x) Φ(y)`` is ``Φ(x)^⊤ Φ(y)``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.diagnostics import error
from notes2code.latex.tree import Change, Formula, Group, Juxt, Name, Node, Script
from notes2code.meaning import names
from notes2code.meaning.notation.scripts import is_name, is_transposed


def apart(formula: Formula) -> Change | None:
    """The mark behind what a feature map is given which the formula calls without it, too. A matrix
    is multiplied both times; another letter is refused."""
    if not any(map(is_transposed, formula.of(Script))):
        return None
    pairs = [pair for product in formula.of(Juxt) for pair in pairwise(product.factors)]
    turned = {name for name, group in _called(pairs) if isinstance(name, Script)}
    plain = {name.text for name, group in _called(pairs) if isinstance(name, Name)}
    functions = {name for name in turned if isinstance(name.base, Name) and name.base.text in plain}
    if not functions:
        return None
    for name in functions:
        if names.label(name.base) not in names.FEATURE_MAPS:
            text = "this may be the transpose of what a function gives, or a matrix"
            hint = "write the mark behind the parentheses, `f(x)^\\top`"
            raise error("N2C033", text, name.span, hint)

    def turned_behind(product: Juxt) -> Node:
        factors = list(product.factors)
        for at, (name, group) in enumerate(pairwise(product.factors)):
            if name in functions and isinstance(name, Script) and _is_given(group):
                factors[at] = name.base
                factors[at + 1] = Script(group, None, name.sup, 0, group.span)
        return replace(product, factors=tuple(factors))

    return turned_behind


def _called(pairs: Sequence[tuple[Node, Node]]) -> Iterator[tuple[Name | Script, Node]]:
    """The letters before parentheses, plain or transposed, which by custom are no matrices."""
    for name, group in pairs:
        given = _is_given(group)
        match name:
            case Name(letter) | Script(Name(letter), None) if given and letter not in _MATRICES:
                if isinstance(name, Name) or is_transposed(name):
                    yield name, group


_MATRICES = names.MULTIPLIED | frozenset("KPQRV")
"""Capitals that are multiplied by what stands in parentheses."""


def _is_given(node: Node) -> bool:
    """Whether a node is what a function is given: names in parentheses."""
    group = node.base if isinstance(node, Script) and node.sub is None else node
    return isinstance(group, Group) and group.open == "(" and all(map(is_name, group.items))
