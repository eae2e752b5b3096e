"""Convolutions: what is written with their sign is no product, and is not computed."""

from __future__ import annotations

from itertools import pairwise

from notes2code.diagnostics import error
from notes2code.latex.tree import Group, Infix, Juxt, Name, Node, Num, Tree
from notes2code.meaning.notation.scripts import is_name, outside_scripts

_HELP = "write the sum that is meant, such as `\\sum_k w_k x_{i+k}`; `\\cdot` is a product"


def refuse(tree: Tree, said: bool) -> None:
    """Refuse ``(f * g)(t)``, the ``x \\star w`` of a correlation, and, where the text has ``said``
    that it is a convolution, ``x * w``."""
    signs = tree.formula.of(Infix)
    if "star" not in tree.formula.words and all(node.op != "*" for node in signs):
        return
    nodes = [node for clause in tree.clauses for node in outside_scripts(clause.node)]
    # A text may say of attention that it is none.
    said = said and not any(isinstance(node, Name) and node.text == "softmax" for node in nodes)
    for node in nodes:
        match node:
            case Infix("*", left, right) if said and not {type(left), type(right)} & {Num}:
                text = "`*` is a convolution here, as the text says, and none is computed"
                raise error("N2C037", text, node.op_span, _HELP)
            case Juxt(factors):
                _refuse_among(factors)


def _refuse_among(factors: tuple[Node, ...]) -> None:
    for sign in factors:
        if isinstance(sign, Name) and sign.text == "star":
            text = "`\\star` may be a correlation or a product"
            raise error("N2C033", text, sign.span, _HELP)
    for convolved, place in pairwise(factors):
        match convolved, place:
            case Group("(", (Infix("*", one, other),)), Group() if is_name(one) and is_name(other):
                text = "this is a convolution, and none is computed"
                raise error("N2C037", text, convolved.span.to(place.span), _HELP)
