"""Weights that are not made of one thing: ``exp(r_{tj}) / Σ_k exp(e_{tk})``."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.components.factors import factors_of
from notes2code.components.keys import key
from notes2code.components.normal import normal_form
from notes2code.components.renewed import TooLong
from notes2code.diagnostics import Span
from notes2code.latex.tree import Big, Frac, Tree, walk
from notes2code.meaning import ir, names
from notes2code.meaning.ir import Call, Equation, Expr, Fn, Idx, Index, Mul, Num, Pow, Reduce, Ref


def strange_ratio(equation: Equation) -> str:
    """What is wrong with a quotient of exponentials and their sum that is no softmax; "" if
    there is none, or if its two sides speak of the same thing, such as the one right key k_+
    among all k_i."""
    try:
        body = normal_form(equation).body
    except (TooLong, RecursionError):
        return ""
    for part in ir.walk(body):
        if isinstance(part, Mul) and (array := _bare_below(part)):
            return f"`{array}` stands below as it is, and above as a function of it"
        factors = factors_of(part)[1] if isinstance(part, Mul | Reduce) else ()
        for index, below in _totals(factors):
            for above in _exponents(factors):
                if isinstance(below, Fn) and below.name == "exp":
                    if not _may_belong(above, below.arguments[0], index):
                        return "what stands above is no term of the sum below"
                elif _is_term(above, below, index):
                    return "the exponentials are divided by a sum without `exp`"
    return ""


def _bare_below(product: Mul) -> str:
    """The k of ``Σ_j φ(k_j) v_j / Σ_j k_j``: a divisor that is no sum of the weights above."""
    above = [p for factor in product.factors for p in _summed(factor)]
    for factor in product.factors:
        if ir.is_inverse(factor):
            plain = {p.array for p in _summed(factor.base) if isinstance(p, Ref) and p.at}
            for array in sorted(plain - {p.array for p in above if isinstance(p, Ref)}):
                if any(isinstance(p, Call | Fn) and array in _names(p) for p in above):
                    return array
    return ""


def _summed(expr: Expr) -> tuple[Expr, ...]:
    """The factors of what is added up; none of what is no sum."""
    return factors_of(expr)[1] if isinstance(expr, Reduce) and expr.kind == "sum" else ()


def place_of_ratio(tree: Tree) -> Span | None:
    """The first fraction with a sum below."""
    for node in (inner for clause in tree.clauses for inner in walk(clause.node)):
        inside = walk(node.bottom) if isinstance(node, Frac) else ()
        if any(isinstance(n, Big) and n.op == "sum" for n in inside):
            return node.span
    return None


def _totals(factors: tuple[Expr, ...]) -> Iterator[tuple[Index, Expr]]:
    """The sums that a product is divided by: their indices and terms."""
    for factor in factors:
        match factor:
            case Pow(Reduce("sum", index, body, _), ir.MINUS_ONE):
                yield index, body


def _exponents(factors: tuple[Expr, ...]) -> Iterator[Expr]:
    """The exponents of the exponentials in a product, also in the terms of sums."""
    for factor in factors:
        for part in factors_of(factor)[1]:
            if isinstance(part, Fn) and part.name == "exp":
                yield part.arguments[0]


def _may_belong(above: Expr, below: Expr, index: Index) -> bool:
    """Whether an exponent may be one of those that are added up."""
    if _names(above) == _names(below):
        return _is_term(above, below, index)
    return key(_outline(above)) == key(_outline(below))


def _is_term(above: Expr, below: Expr, index: Index) -> bool:
    """Whether a term of a sum is another expression at some index."""
    terms = (ir.substitute(below, {index: Idx(at)}) for at in ir.free_indices(above))
    return key(above) in map(key, terms)


def _names(expr: Expr) -> set[str]:
    found = {part.array for part in ir.walk(expr) if isinstance(part, Ref)}
    return found | {part.function for part in ir.walk(expr) if isinstance(part, Call)}


def _outline(expr: Expr) -> Expr:
    """An expression without its indices, and with the letters of names only."""
    if isinstance(expr, Ref):
        return Ref(names.base_letter(expr.array))
    return Num(0) if isinstance(expr, Idx) else ir.rebuild(expr, _outline)
