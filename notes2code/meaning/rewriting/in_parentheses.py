"""Elements with one of their indices in parentheses: the ``a_t(s)`` of ``Σ_s a_t(s) h_s``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import pairwise

from notes2code.diagnostics import Span
from notes2code.latex.tree import (
    Accent,
    Big,
    Change,
    Formula,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Relation,
    Script,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import positions


def as_indices(formula: Formula) -> Change | None:
    """``a_{t,s}`` for ``a_t(s)``, where s is an index elsewhere in the formula, or on the left-hand
    side, ``a_t(s) = …``, and no other thing stands in the parentheses of a."""
    calls = [pair for node in formula.of(Juxt) for pair in pairwise(node.factors)]
    arguments: dict[str, set[str]] = {}
    for name, behind in calls:
        if (group := _group(behind)) and (base := _base(name)):
            arguments.setdefault(base, set()).add(_letter(name, group))
    if not arguments:
        return None
    counting = {*_counting(formula, arguments), *_defined(formula)}
    elements = {base for base, letters in arguments.items() if letters <= counting}

    def indexed(node: Juxt) -> Node:
        factors: list[Node] = []
        for factor in node.factors:
            match factors[-1] if factors else None, factor:
                case Script() as name, Group("(", (letter,)) if _base(name) in elements:
                    factors[-1] = _indexed(name, letter, factor.span)
                case Script() as name, Script(Group("(", (letter,)) as group, None, above, 0) if (
                    _base(name) in elements
                ):
                    element = _indexed(name, letter, group.span)
                    base = Group("(", (element,), (), element.span)
                    factors[-1] = Script(base, None, above, 0, element.span.to(factor.span))
                case _:
                    factors.append(factor)
        return factors[0] if len(factors) == 1 else replace(node, factors=tuple(factors))

    return indexed if elements else None


def _indexed(name: Script, letter: Node, end: Span) -> Script:
    """A name with one more index below it."""
    assert name.sub is not None
    span = name.span.to(end)
    return replace(name, sub=Group("", (name.sub, letter), (",",), span), span=span)


def of_encodings(node: Juxt) -> Node | None:
    """``PE_{pos,2i}`` for the ``PE_{2i}(pos)`` and the ``PE(pos)_{2i}`` of a position."""
    match node.factors:
        case (Script(Name("PE") as name, below, None, 0), Group("(", (Name() as place,))):
            pass
        case (Name("PE") as name, Script(Group("(", (Name() as place,)), below, None, 0)):
            pass
        case _:
            return None
    if below is None or positions.stride(ungrouped(below)) is None:
        return None
    return Script(name, Group("", (place, below), (",",), node.span), None, 0, node.span)


def _base(node: Node) -> str:
    """The a of ``a_t``, ``a_{t-1}`` and ``\\tilde a_t``, whatever label is above; "" of others."""
    match node:
        case Script(Name(base) | Accent(_, Name(base)), Name() | Infix() as below, above):
            letter, _ = positions.shift(below) or ("", 0)
            if letter not in names.INDEX_LETTERS or (above is not None and not _is_label(above)):
                return ""
            return base if len(base) == 1 or base in names.GREEK else ""
    return ""


def _is_label(above: Node) -> bool:
    """Whether what stands above a name is a word, or a letter that neither counts nor transposes:
    the c of ``w_t^c``, the weights by content."""
    word = above.text if isinstance(above, Name) else ""
    return len(word) > 1 or (bool(word) and word not in names.INDEX_LETTERS | names.TRANSPOSES)


def _defined(formula: Formula) -> Iterator[str]:
    """The letters in parentheses behind the small names of left-hand sides that stand in such
    parentheses alone: what is defined so is of each place. The t of ``x_i(t) = t^2`` is a number
    that x is of, and the ``M_t(i)`` of a matrix may be one of its rows."""
    within = [
        letter
        for node in formula.of(Juxt)
        for name, behind in pairwise(node.factors)
        if _base(name) and (group := _group(behind)) and (letter := _letter(name, group))
    ]
    for node in formula.of(Relation):
        match node.operands[0]:
            case Juxt((name, Group("(") as group)) if node.signs[0] == "=":
                letter = _letter(name, group) if _base(name).islower() else ""
                uses = sum(named.text == letter for named in formula.of(Name))
                if uses == within.count(letter) > 1:
                    yield letter


def _group(node: Node) -> Group | None:
    """Parentheses, also raised to a power."""
    inner = node.base if isinstance(node, Script) and node.sub is None else node
    return inner if isinstance(inner, Group) and inner.open == "(" else None


def _letter(name: Node, group: Group) -> str:
    """The index letter that stands alone in parentheses, primed or not; "" for anything else, and
    for the t of ``R_t(t)``, which is the R of t."""
    match name, group.items:
        case Script(sub=Name(own)), (Name(letter) | Script(Name(letter), None, None),) if (
            letter in names.INDEX_LETTERS - {own}
        ):
            return letter
    return ""


def _counting(nodes: Nodes, elements: Collection[str]) -> Iterator[str]:
    """The letters that stand below big signs, and below names other than those of ``elements``."""
    for node in nodes.of(Script, Big):
        own = isinstance(node, Script) and _base(node) in elements
        if node.sub is not None and not own:
            yield from (inner.text for inner in walk(node.sub) if isinstance(inner, Name))
