"""Whether the h of ``head_h``, ``Q_h`` and ``a_{ij}^h`` counts heads."""

from __future__ import annotations

from notes2code.latex.tree import Group, Name, Node, Nodes, Script, juxtaposed, ungrouped
from notes2code.meaning import names
from notes2code.meaning.notation import groups, scripts
from notes2code.meaning.notation.binders import bare, script_letters


def has_above(node: Node, letter: str) -> bool:
    """Whether a letter stands above a name, alone, in parentheses or beside a transpose."""
    above = node.sup if isinstance(node, Script) and scripts.is_name(node) else None
    parts = () if above is None else juxtaposed(above)
    return any(isinstance(p, Name) and p.text == letter for p in map(ungrouped, parts))


def _is_in_parentheses(node: Node) -> bool:
    """Whether parentheses stand above a name: what is in them is no power."""
    return isinstance(node, Script) and isinstance(node.sup, Group) and node.sup.open == "("


def is_of_heads(target: Node, nodes: Nodes) -> bool:
    """Whether the h of a left-hand side counts heads: in ``a_{ij}^h = … k_j^h``, in ``head_h = …
    W_h``, in ``Q^{(h)} = X W^{(h)}``, in ``Q_h = X W_h^Q``, and where what stands on the right has
    a group of heads, as in ``O_h = … K_{g(h)}``."""
    letters = set(script_letters(target))
    if has_above(target, scripts.HEAD) and letters & names.INDEX_LETTERS:
        return any(has_above(node, scripts.HEAD) for node in nodes.of(Script))
    if scripts.HEAD not in letters:
        return False
    others = [node for node in nodes.of(Script) if scripts.is_name(node) and node is not target]
    role = bare(target)
    if role in ("Q", "K", "V") and any(_is_for(node, role) for node in others):
        return True
    if role.lower() == "head" or _is_in_parentheses(target):
        return any(
            has_above(node, scripts.HEAD) or scripts.HEAD in script_letters(node) for node in others
        )
    subs = (node.sub for node in nodes.of(Script) if node.sub is not None)
    return any(groups.counts_groups(sub, scripts.HEAD) for sub in subs)


def _is_for(node: Node, role: str) -> bool:
    """Whether a weight is that of a role and of a head, as the ``W_h^Q`` and ``W_{Q,h}`` of Q."""
    return bare(node) == "W" and {role, scripts.HEAD} <= {*script_letters(node)}
