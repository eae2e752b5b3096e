"""Expectations that losses are: of ``L = -𝔼_{(x, y) ∼ D}[log p(y | x)]`` the value of one sample is
computed, and said to be that; one over an index, ``𝔼_t[r_t A_t]``, is the mean over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import (
    PARENTHESES,
    Accent,
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Relation,
    Script,
    rebuilt,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define, Restated, Statement


def of_losses(stated: Sequence[Statement]) -> Restated:
    """The statements with the expectations in losses written out, and notes on how."""
    told: list[Problem] = []
    found: list[Statement] = []
    for one in stated:
        written, notes = _of_loss(_at_last(one)) if isinstance(one, Define) else (one, [])
        found.append(written)
        told += notes
    return tuple(found), tuple(told)


def _at_last(define: Define) -> Define:
    """``H = -Σ_x p(x) \\log p(x)`` for ``H = 𝔼[-\\log p(X)] = -Σ_x p(x) \\log p(x)``, where the sum
    says what the expectation is and the X of that is drawn."""
    *before, last = define.values
    expected = [any(map(_is_expectation, walk(_with_plain_letter(one)))) for one in define.values]
    computed = define.target is not None and any(isinstance(node, Big) for node in walk(last))
    if expected[-1] or not any(expected) or not computed:
        return define
    rest = [one for one, drawn in zip(before, expected, strict=False) if not drawn]
    return replace(define, values=(*rest, last))


def _of_loss(define: Define) -> tuple[Define, list[Problem]]:
    """A loss without its expectations, where each of them may be the mean of all: they are added
    and scaled, and nothing else is done with them."""
    notes: list[Problem] = []
    if define.target is None or not _is_loss(define.target) or _differ(define.values):
        return define, notes
    drawn = map(_with_plain_letter, define.values)
    values = tuple(_written(value, notes) for value in drawn)
    if any(_is_expectation(node) for value in values for node in walk(value)):
        return define, []
    return replace(define, values=values), notes


def _with_plain_letter(node: Node) -> Node:
    """A value with 𝔼 for the plain E of ``E_{x ∼ D}``, which says what it is by what is drawn."""
    match node:
        case Script(Name("E") as letter, Relation(_, ("∼",))):
            return replace(node, base=replace(letter, font="blackboard"))
    return rebuilt(node, _with_plain_letter)


def _differ(values: Sequence[Node]) -> bool:
    """Whether two expectations are of one letter and not over the same, as those of ``𝔼_{x ∼ p}
    [D(x)] - 𝔼_{x ∼ q}[D(x)]`` are: one sample cannot stand for both."""
    over: dict[str, set[str]] = {}
    for node in (inner for value in values for inner in walk(value)):
        if isinstance(node, Script) and _is_expectation(node.base) and node.sub is not None:
            said = " ".join(n.text for n in walk(node.sub) if isinstance(n, Name | Num))
            drawn = node.sub.operands[0] if isinstance(node.sub, Relation) else node.sub
            for name in walk(drawn) if drawn is not None else ():
                if isinstance(name, Name):
                    over.setdefault(name.text, set()).add(said)
    return any(len(found) > 1 for found in over.values())


def _is_loss(target: Node) -> bool:
    """Whether a left-hand side is that of a loss or an objective: L, J, or a word for it."""
    head = target.factors[0] if isinstance(target, Juxt) else target
    word = names.label(head).lower()
    return binders.bare(head) in ("L", "J", "ell") or "loss" in word or "objective" in word


def _is_expectation(node: Node) -> bool:
    """Whether a node is an 𝔼, with a hat or without."""
    return isinstance(node, Name) and node.text == "E" and node.font == "blackboard"


def _written(node: Node, notes: list[Problem]) -> Node:
    """A value with what its expectations are of, wherever it is linear in them."""

    def within(inner: Node) -> Node:
        return _written(inner, notes)

    match node:
        case Infix("+" | "-", left, right):
            return replace(node, left=within(left), right=within(right))
        case Infix("·" | "×" | "*", _, right):
            return replace(node, right=within(right))
        case Neg(body) | Big("sum", _, _, body):
            return replace(node, body=within(body))
        case Frac(top, _):
            return replace(node, top=within(top))
        case Group(opened, (inner,)) if opened in PARENTHESES:
            return replace(node, items=(within(inner),))
        case Juxt(factors):
            return _of_factors(node, factors, notes)
    return node


def _of_factors(node: Juxt, factors: Sequence[Node], notes: list[Problem]) -> Node:
    """A product with what its expectation is of; unchanged where it is one of several, or more is
    done with it."""
    at = next((at for at, factor in enumerate(factors) if _is_mean(factor)), None)
    if at is None:
        called = isinstance(factors[-1], Group) and not all(map(_scales, factors[:-1]))
        return (
            node if called else replace(node, factors=(*factors[:-1], _written(factors[-1], notes)))
        )
    inside, behind = _inside(factors[at + 1 :])
    others = (inner for other in (*factors[:at], *behind) for inner in walk(other))
    if inside is None or any(map(_is_expectation, others)):
        return node
    inside = _written(inside, notes)
    mean = _over_index(factors[at], inside, notes)
    if mean is None:
        text = "an expectation is computed for one sample: the mean over samples is the caller's"
        notes.append(note("N2C039", text, factors[at].span))
    whole = mean or Group("(", (inside,), (), inside.span)
    product = (*factors[:at], whole, *behind)
    return replace(node, factors=product) if len(product) > 1 else whole


def _scales(factor: Node) -> bool:
    """Whether a factor before parentheses is a number for certain, and no function."""
    return isinstance(factor, Num | Frac) or binders.bare(factor) in _NUMBERS


_NUMBERS = frozenset(["lambda", "alpha", "beta", "gamma", "eta"])
"""Letters of what weighs the parts of a loss."""


def _inside(behind: Sequence[Node]) -> tuple[Node | None, Sequence[Node]]:
    """What an expectation is of, in the brackets behind it or all that stands there, and what is
    behind these; None for ``𝔼[x]^2``, and where nothing is."""
    match behind:
        case [Group(opened, (inner,)), *others] if opened in PARENTHESES:
            return inner, others
        case [Script(Group(opened)), *_] if opened in PARENTHESES:
            return None, ()
        case [only]:
            return only, ()
        case [first, *_, last]:
            return Juxt(tuple(behind), first.span.to(last.span)), ()
    return None, ()


def _is_mean(node: Node) -> bool:
    """Whether a factor is an 𝔼 with what it is over; none of ``𝔼^2[x]``."""
    while isinstance(node, Script | Accent):
        if isinstance(node, Script) and isinstance(node.sup, Num):
            return False
        node = node.base
    return _is_expectation(node)


def _over_index(expectation: Node, inside: Node, notes: list[Problem]) -> Node | None:
    """``𝔼_t[r_t A_t]`` as the mean over t, which stands inside below names and nowhere else; so are
    both of ``𝔼_{i,j}``."""
    below = expectation.sub if isinstance(expectation, Script) else None
    items = below.items if isinstance(below, Group) and not below.open else (below,)
    letters = [item for item in items if isinstance(item, Name)]
    alone = {inner.text for inner in scripts.outside_scripts(inside) if isinstance(inner, Name)}
    placed = {x for n in walk(inside) if _is_scripted(n) for x in binders.script_letters(n)}
    counting = {letter.text for letter in letters} & names.INDEX_LETTERS & placed - alone
    if len(counting) < len(items):
        return None
    for letter in reversed(letters):
        text = f"the expectation over `{letter.text}` is taken for the mean over all of them"
        notes.append(note("N2C039", text, expectation.span))
        inside = Big("mean", letter, None, inside, expectation.span.to(inside.span))
    return inside


def _is_scripted(node: Node) -> bool:
    return isinstance(node, Script) and node.sub is not None
