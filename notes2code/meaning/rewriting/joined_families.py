"""Families that are joined by name: ``\\mathrm{Concat}_i(head_i)`` and ``\\mathrm{Concat}(\\{head_i
\\}_{i=1}^h)`` join the heads as ``\\mathrm{Concat}_{i=1}^h(head_i)`` does."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Big, Group, Juxt, Name, Node, Relation, Script, words_in
from notes2code.meaning import names

_JOINS = frozenset(["concat", "concatenate", "cat"])


def joined(node: Juxt) -> Node | None:
    """The product with each family joined in it, over the index that is written."""
    factors = list(node.factors[:1])
    for factor in node.factors[1:]:
        match factors[-1], factor:
            case Name(word) as name, Group("(", (Script(Group("{", (one,)), sub, sup, 0),)) if (
                word.lower() in _JOINS and isinstance(sub, Relation)
            ):
                body = Group("(", (one,), (), factor.span)
                factors[-1] = Big("concat", sub, sup, body, name.span.to(factor.span))
            case Script(Name(word) as name, Name(letter) as sub, None, 0), Group("(", (one,)) if (
                word.lower() in _JOINS and letter in names.INDEX_LETTERS & words_in(one)
            ):
                factors[-1] = Big("concat", sub, None, factor, name.span.to(factor.span))
            case _:
                factors.append(factor)
    if factors == [*node.factors]:
        return None
    return factors[0] if len(factors) == 1 else replace(node, factors=tuple(factors))
