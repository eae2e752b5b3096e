"""From syntax to values: every node of the tree has one rule here or in a module beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from notes2code.diagnostics import error, note
from notes2code.latex.tree import (
    Accent,
    Apply,
    Big,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Neg,
    Node,
    Num,
    Prose,
    Relation,
    Root,
    Script,
    Stroke,
    alike,
    ungrouped,
    walk,
)
from notes2code.meaning import ir, names
from notes2code.meaning.inference import sizes, symbols
from notes2code.meaning.inference.calls import calls
from notes2code.meaning.inference.lists import lists, matrices
from notes2code.meaning.inference.products import (
    by_element,
    exponentials,
    factors,
    inverses,
    norms,
    powers,
    products,
    quotients,
    scripted_values,
    signed_products,
)
from notes2code.meaning.inference.ranks import moving
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.sums import bigs, cells, families, indicators, membership, sums
from notes2code.meaning.inference.values import Value, mapped, reduce_all, scalar
from notes2code.meaning.notation import binders, derivatives, positions, scripts, slices
from notes2code.meaning.overview import arithmetic
from notes2code.meaning.overview.survey import used


def _number(run: Run, node: Num) -> Value:
    text = node.text
    value = int(text) if text.isdigit() else Fraction(text if text[0] != "." else f"0{text}")
    return scalar(ir.Num(value), node.span)


def _name(run: Run, node: Name | Script | Accent) -> Value:
    if isinstance(node, Script) and (indicator := indicators.below(run, node)) is not None:
        return indicator
    if not scripts.is_name(node):
        return scripted_values.scripted(run, node)
    if isinstance(node, Script) and (above := by_element.exponent(node.sup)) is not None:
        return by_element.power(run, node, above)
    unsupported = _NOT_COMPUTED.get(names.base_letter(binders.bare(node)))
    if unsupported is not None:
        raise error("N2C037", f"{unsupported} cannot be computed", node.span)
    if isinstance(node, Script) and node.sub is not None and _is_slice(run, node.sub):
        raise error(
            "N2C032",
            f"the slice `{run.quote(node.span)}` is not understood",
            node.sub.span,
            "write the elements by their index, such as `x_i` and `x_{i+d/2}`",
        )
    if isinstance(node, Script) and exponentials.is_exponential(run, node):
        return exponentials.exponential(run, node)
    value, use = symbols.name_value(run, node)
    if use.power is not None:
        return powers.power(run, value, use.power, node.span)
    return value


def _is_slice(run: Run, sub: Node) -> bool:
    """Whether a part of an axis stands below whose ends count no places: ``:k``, ``k:`` or
    ``0:d/2``."""
    letters = [i.text for i in positions.of_whole_axes(sub) if isinstance(i, Name)]
    counting = run.seen.bound.union(*run.seen.steps.values())
    for end in slices.ends(sub) or ():
        counted, other = positions.letters_of(end) if end is not None else ([], False)
        if not other and not counting.isdisjoint(counted):
            return False
    if not isinstance(sub, Group) or (letters and counting.issuperset(letters)):
        return False
    ends = [item for item in sub.items if isinstance(item, Frac)]
    pieces = ":" in sub.separators and (bool(ends) or len(sub.items) == 1)
    return pieces or any(isinstance(item, Stroke) and item.text == ":" for item in sub.items)


_NOT_COMPUTED = {
    "partial": "a partial derivative",
    "nabla": "a gradient",
    "emptyset": "the empty set",
}


def _infix(run: Run, node: Infix) -> Value:
    if (repeated := families.repeated(run, node)) is not None:
        return repeated
    if node.op in ("+", "-"):
        sums.refuse(run, node)
        if moving.moves_unread(run, node.left):
            left, right = _behind(run, node.left, node.right)
        else:
            left = run.lower(node.left)
            right = cells.beside(run, node, left) or run.lower(node.right)
        return sums.added(run, node, left, right)
    if (truth := indicators.of_truth(run, node)) is not None:
        return truth
    return signed_products.explicit(run, node)


def _behind(run: Run, moving: Node, state: Node) -> tuple[Value, Value]:
    """A term and the state that it moves, of whose kind it is: that is read first. The inputs stay
    in the order in which they are written."""
    known = {*run.symbols, *(use.name for use, _ in used(run.seen, moving))}
    of_state = run.lower(state)
    late = [name for name in run.symbols if name not in known]
    moved = run.lower(moving)
    for name in late:
        run.symbols[name] = run.symbols.pop(name)
    return moved, of_state


def _negative(run: Run, node: Neg) -> Value:
    return mapped(run.lower(node.body), ir.negative, node.span)


def _root(run: Run, node: Root) -> Value:
    body = run.lower(node.body)
    if body.rank > 1 and not moving.is_moment(run, body.body):
        raise error("N2C041", "the root of a matrix is not defined", node.span)
    degree = ir.HALF
    if node.degree is not None:
        exponent = run.lower(node.degree)
        return mapped(body, lambda e: ir.Pow(e, ir.inverse(exponent.body)), node.span)
    return mapped(body, lambda e: ir.Pow(e, degree), node.span)


def _fraction(run: Run, node: Frac) -> Value:
    if derivatives.is_derivative(node):
        raise error("N2C037", "a derivative cannot be computed", node.span)
    if (part := sizes.declared_part(run, node)) is not None:
        return scalar(part, node.span)
    return quotients.quotient(run, node)


def _group(run: Run, node: Group) -> Value:
    if node.open in ("|", "‖"):
        return _bars(run, node)
    if node.open in ("⌊", "⌈"):
        which = "floor" if node.open == "⌊" else "ceil"
        return mapped(run.lower(node.items[0]), lambda e: ir.Fn(which, (e,)), node.span)
    if node.open == "⟨" and len(node.items) == 2:
        return products.inner(run, run.lower(node.items[0]), run.lower(node.items[1]), node.span)
    if node.open == "⟨":
        text = f"`{run.quote(node.span)}` may be a mean"
        way = "write `\\mathbb{E}[…]` for that, or other parentheses"
        raise error("N2C037", text, node.span, way)
    if len(node.items) == 1:
        only = node.items[0]
        if node.open == "[" and isinstance(only, Relation) and None not in only.operands:
            return indicators.in_brackets(run, only)
        # The (x > 0) of f(x) = 1/x (x > 0) is a remark.
        if node is run.whole and (truth := indicators.of_truth(run, node)) is not None:
            return truth
        return replace(run.lower(only), span=node.span)
    if node.open == "[" and not node.separators and indicators.are_conditions(node.items):
        return indicators.where_all_hold(run, node)
    if not node.items:
        raise error("N2C024", "nothing stands in these parentheses", node.span)
    return lists.listed(run, node)


def _bars(run: Run, node: Group) -> Value:
    """``|x|`` of a number, ``‖x‖`` of a vector, ``|V|`` as a count."""
    inner = node.items[0]
    if node.open == "|" and (count := membership.number(run, inner)) is not None:
        return count
    if (
        node.open == "|"
        and isinstance(inner, Name)
        and (inner.text.isupper() or names.code_name(inner.text) in run.seen.sizes)
        and inner.text not in run.shapes
        and not run.decided.get(f"rank {names.code_name(inner.text)}")
        and not (_is_length(run, inner) and "cos" in run.seen.nodes.words)  # |Q||K| cos θ
    ):
        return scalar(run.size(names.code_name(inner.text)), node.span)
    if node.open == "|" and (tokens := _tokens(run, node)):
        text = f"`{run.quote(node.span)}` is taken to be a number of tokens, the input `{tokens}`"
        help_text = "write a letter for the length, such as `n`"
        run.problems.append(note("N2C039", text, node.span, help_text))
        return scalar(run.size(tokens), node.span)
    if node.open == "|":
        _refuse_counted(run, inner)
    value = run.lower(inner)
    if value.rank == 0:
        length = node.open == "‖" or _is_length(run, inner)
        run.pay(norms.NO_VECTOR if length else 0)
        return mapped(value, lambda e: ir.Fn("abs", (e,)), node.span)
    if node.open == "|" and value.rank > 1:
        if inverses.are_around_matrix(run, inner):
            return inverses.determinant(run, value, node.span)
        raise error(
            "N2C033",
            "the bars may mean a determinant or a norm",
            node.span,
            "write `\\|…\\|` for a norm, or `\\det`",
        )
    if node.open == "|":
        text = f"`{run.quote(node.span)}` is taken as the Euclidean norm of a vector"
        help_text = (
            "write `\\|…\\|` to make it plain, or a letter for a number of elements or tokens"
        )
        run.problems.append(note("N2C039", text, node.span, help_text))
    if value.rank == 2 and _divides_its_own(run, node):
        text = f"`{run.quote(node.span)}` is taken as the norm of the whole matrix"
        help_text = "write `x_i / \\|x_i\\|` where each row is divided by its own"
        run.problems.append(note("N2C039", text, node.span, help_text))
    squares = mapped(value, lambda e: ir.Pow(e, ir.Num(2)))
    return scalar(ir.Pow(reduce_all("sum", squares), ir.HALF), node.span)


def _divides_its_own(run: Run, norm: Group) -> bool:
    """Whether what a norm is of is divided by it, ``X / ‖X‖``: its rows may be meant."""
    quotients = arithmetic.quotients(run.seen.nodes)
    return any(
        below is norm and alike(ungrouped(above), norm.items[0]) for above, below in quotients
    )


def _tokens(run: Run, bars: Group) -> str:
    """The y of an ``|y|`` that divides, beside the p(y|x) of a response: its tokens are counted.
    Those of one of several, ``|y_i|``, are no one number."""
    use = run.seen.understood(bars.items[0])
    if use is None or use.indices or not _is_response(run, use.name):
        return ""
    divides = any(bars in walk(below) for _, below in arithmetic.quotients(run.seen.nodes))
    return use.name if divides and use.name not in run.shapes | run.defined else ""


def _is_response(run: Run, name: str) -> bool:
    """Whether a probability is of what has a name, ``p(y|x)``."""
    given = (group for group in run.seen.nodes.of(Group) if group.separators[:1] == ("|",))
    return any(run.seen.name_of(group.items[0]) == name for group in given)


def _refuse_counted(run: Run, inner: Node) -> None:
    """``5 + |y|``, where y stands nowhere else, and ``1/|y| Σ_t …`` may count the tokens of y, and
    ``|B_m| / n`` the members of B_m."""
    use = run.seen.understood(inner)
    if use is None or use.name in run.shapes | run.defined:
        return
    bars = [g for g in run.seen.nodes.of(Group) if g.open == "|" and g.items]
    inside = [g for g in bars if run.seen.name_of(g.items[0]) == use.name]
    everywhere = [n for n in run.seen.nodes.of(Name, Script) if run.seen.name_of(n) == use.name]
    added = any(
        infix.op == "+" and isinstance(infix.left, Num) and infix.right in inside
        for infix in run.seen.nodes.of(Infix)
    )
    products = (pair for node in run.seen.nodes.of(Juxt) for pair in pairwise(node.factors))
    mean = any(
        isinstance(part, Frac) and part.bottom in inside and isinstance(total, Big)
        for part, total in products
    )
    share = names.base_letter(use.name).isupper() and any(
        above in inside and _is_total(below)
        for above, below in arithmetic.quotients(run.seen.nodes)
    )
    shared = any(below in inside for _, below in arithmetic.quotients(run.seen.nodes))
    # The β / |y_i| beside p(y_i|x) is one for each token.
    response = shared and _is_response(run, use.name)
    if mean or share or response or (added and len(everywhere) == len(inside)):
        text = (
            f"`|{run.quote(inner.span)}|` may be a number of tokens, a norm or the size of a number"
        )
        raise error("N2C033", text, inner.span, "write a letter for the length, such as `n`")


def _is_total(node: Node) -> bool:
    """Whether a node is a number of things, n or N, or the number of all members, ``|S|``."""
    match node:
        case Name(letter) | Group("|", (Name(letter),)):
            return letter in names.COUNTS | {"n", "m"} or isinstance(node, Group)
    return False


def _is_length(run: Run, node: Node) -> bool:
    return run.seen.name_of(node) in run.seen.lengths


def _refuse(what: str) -> Callable[[Run, Any], Value]:
    def rule(run: Run, node: Node) -> Value:
        raise error("N2C037", f"{what} cannot be computed", node.span)

    return rule


RULES: dict[type, Callable[[Run, Any], Value]] = {
    Num: _number,
    Name: _name,
    Script: _name,
    Accent: _name,
    Infix: _infix,
    Neg: _negative,
    Root: _root,
    Frac: _fraction,
    Group: _group,
    Juxt: factors.juxtaposed,
    Apply: calls.applied,
    Big: bigs.big,
    Matrix: matrices.matrix,
    Relation: _refuse("a relation inside a formula"),
    Dots: _refuse("an ellipsis with nothing to continue"),
    Prose: _refuse("text"),
    Stroke: _refuse("a sign without operands"),
}
