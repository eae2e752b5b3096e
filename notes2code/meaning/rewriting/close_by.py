"""What comes close to something, and is said how to compute: who says what the D of ``A(Q) ≈ D^{-1}
B, \\quad D = …`` is says how to compute what comes close to A."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Change, Formula, Node, Relation, walk
from notes2code.meaning import names
from notes2code.meaning.notation.scripts import is_name

SIGN = "≈ by"


def signed(formula: Formula) -> Change | None:
    """A sign of its own for such an ``≈``."""
    if all(one.signs != ("≈",) for one in formula.of(Relation)):
        return None
    stated = [clause.node for clause in formula.clauses if isinstance(clause.node, Relation)]
    made = {_label(one.operands[0]) for one in stated if one.signs[:1] == ("=",)} - {""}

    def by_helpers(node: Relation) -> Node | None:
        match node:
            case Relation((_, right), ("≈",)) if right is not None:
                if not made.isdisjoint(map(_label, walk(right))):
                    return replace(node, signs=(SIGN,))
        return None

    return by_helpers


def _label(node: Node | None) -> str:
    """The text of a name; "" of anything else."""
    return names.label(node) if node is not None and is_name(node) else ""
