"""Layer norms written ``\\mathrm{ln}_f(x)``: a natural logarithm has no base below it."""

from __future__ import annotations

from notes2code.latex.tree import Apply, Group, Juxt, Name, Node, Script


def as_norms(node: Apply) -> Node | None:
    """The call of a norm ``LN_f`` or ``LN_1`` for that of such an ``ln``."""
    match node:
        case Apply(Script(Name("ln") as name, sub, None, 0) as function, Group("(") as group) if (
            sub is not None
        ):
            called = Script(Name("LN", name.span), sub, None, 0, function.span)
            return Juxt((called, group), node.span)
    return None
