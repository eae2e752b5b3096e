"""Slips of residual connections: one that is lost, said twice, or taken from another place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.tree import Group, Infix, Juxt, Node, Nodes, alike, walk
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import is_name
from notes2code.meaning.stated import Define

_AS_WRITTEN = "the code computes what is written; change it if that is not meant"


def residuals(nodes: Nodes, defines: Sequence[Define]) -> Iterator[Problem]:
    """Warnings for residual connections that are probably not what was meant."""
    for node in nodes.of(Infix):
        if node.op == "+":
            yield from _twice(node)
            yield from _inside(node)
            yield from _from_elsewhere(node, defines)
    yield from _lost(defines)


def _twice(node: Infix) -> Iterator[Problem]:
    """``f(x) + f(x)``: the call of a layer is added to itself."""
    left = node.left
    before = left.right if isinstance(left, Infix) and left.op == "+" else left
    if _is_call(before) and alike(before, node.right):
        yield _warning("the same is added twice", node.right.span)


def _inside(node: Infix) -> Iterator[Problem]:
    """``x + f(x + g(x))``: what the second layer gets, x + g(x), is not what it is added to."""
    for outer, layer in _parts(node):
        for inner in walk(layer):
            if not isinstance(inner, Infix) or inner.op != "+":
                continue
            terms = binders.chain(inner)
            rest = [term for term in terms if not alike(term, outer)]
            if len(terms) == 2 and len(rest) == 1 and _is_call(rest[0]) and _holds(rest[0], outer):
                text = "what this layer gets is a sum with a residual, of which only a part is kept"
                yield _warning(text, outer.span)
                return


def _from_elsewhere(node: Infix, defines: Sequence[Define]) -> Iterator[Problem]:
    """``x + f(z)`` where z is x + g(x), and ``z + f(x)`` where z is Norm(x + g(x))."""
    for outer, layer in _parts(node):
        given = _given(layer)
        if given is None or alike(given, outer):
            continue
        text = binders.bare(given)
        for value in _values_of(given, defines):
            if _adds(value, outer):
                yield _warning(f"this layer gets `{text}`, and another is added to it", outer.span)
        for value in _values_of(outer, defines):
            if _is_call(value) and _adds(value, given):
                yield _warning(f"this layer gets `{text}`, and another is added to it", outer.span)


def _lost(defines: Sequence[Define]) -> Iterator[Problem]:
    """``h = x + g(x), y = FFN(h)``: the other layer has a residual connection."""
    for define in defines:
        value = define.values[-1]
        given = _given(value) if _is_call(value) else None
        if given is None or not any(_is_sum(d) for d in defines if _defines(d, given)):
            continue
        if any(name.lower() in names.FEED_FORWARD for name in _called(value)):
            text = "this layer has no residual connection, and the other one has"
            yield _warning(text, value.span)


def _is_sum(define: Define) -> bool:
    """Whether a definition adds the call of a layer to something."""
    inside = (node for value in define.values for node in walk(value))
    return any(isinstance(n, Infix) and n.op == "+" and any(_parts(n)) for n in inside)


# --- parts ---------------------------------------------------------------------------------------


def _parts(node: Infix) -> Iterator[tuple[Node, Node]]:
    """The x and the f(x) of a sum of a name and a call."""
    for outer, layer in ((node.left, node.right), (node.right, node.left)):
        if is_name(outer) and _is_call(layer):
            yield outer, layer


def _given(layer: Node) -> Node | None:
    """The x of ``f(g(x))``, and of ``f(x, x, x)``; None of other arguments."""
    while _is_call(layer):
        assert isinstance(layer, Juxt)
        group = layer.factors[1]
        assert isinstance(group, Group)
        if not group.items or not all(alike(item, group.items[0]) for item in group.items):
            return None
        layer = group.items[0]
    return layer if is_name(layer) else None


def _called(layer: Node) -> Iterator[str]:
    """The names of the functions in ``f(g(x))``."""
    while isinstance(layer, Juxt) and _is_call(layer):
        yield names.base_letter(binders.bare(layer.factors[0]))
        group = layer.factors[1]
        assert isinstance(group, Group)
        layer = group.items[0]


def _values_of(name: Node, defines: Sequence[Define]) -> list[Node]:
    """What the formula defines a name as."""
    return [define.values[-1] for define in defines if _defines(define, name)]


def _defines(define: Define, name: Node) -> bool:
    return define.target is not None and alike(define.target, name)


def _adds(value: Node, name: Node) -> bool:
    """Whether a name is added to the call of a layer somewhere in a value."""
    sums = (node for node in walk(value) if isinstance(node, Infix) and node.op == "+")
    return any(alike(outer, name) for node in sums for outer, _ in _parts(node))


def _is_call(node: Node) -> bool:
    """Whether it is a function of several letters, as layers are, before parentheses."""
    if not isinstance(node, Juxt) or len(node.factors) != 2:
        return False
    called, group = node.factors
    is_word = is_name(called) and len(names.base_letter(binders.bare(called))) > 1
    return is_word and isinstance(group, Group) and group.open == "("


def _holds(node: Node, other: Node) -> bool:
    return any(alike(inner, other) for inner in walk(node))


def _warning(text: str, span: Span) -> Problem:
    return warning("N2C080", text, span, _AS_WRITTEN)
