"""Powers of matrices: which are computed, and which are refused."""

from __future__ import annotations

import re
from dataclasses import replace

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Frac, Group, Infix, Name, Neg, Node, Num, Script
from notes2code.meaning import diagonals, ir, names
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, elementwise, is_logistic, settled
from notes2code.meaning.ir import Expr
from notes2code.meaning.notation import binders


def check(run: Run, base: Value, exponent: Node, where: Span) -> None:
    """Refuse powers and inverses of matrices, and of what may be one; tell of those that are taken
    element by element."""
    if base.rank == 2 and (isinstance(base.body, ir.Ref) or _has_identity(base)):
        raise error(
            "N2C033",
            f"the power of the matrix `{run.quote(base.span)}` may mean a product or "
            "element by element",
            where,
            "write the product out, or use `\\odot`",
        )
    name = array_of(base)
    matrix = _NAMED_MATRIX.fullmatch(name) or _is_beside_identity(run, name)
    if matrix and name not in run.shapes:
        raise error(
            "N2C033",
            f"a power of `{run.quote(base.span)}`, by custom a matrix, is not computed",
            where,
            "declare it as a number, or write the product out",
        )
    if base.rank == 1 and base.is_capital and not run.seen.elements:
        _doubt_capital(run, exponent, where)
    if is_negative(exponent) and _is_matrix_letter(name) and name not in run.shapes:
        raise error("N2C041", "the inverse of an array is not computed", where)
    inverse = isinstance(exponent, Neg) and exponent.body == Num("1", exponent.body.span)
    raised = base.rank and _negative_number(exponent) and not is_logistic(base)
    if raised or (inverse and _maps(run, base.body)):
        raise error("N2C041", "the inverse of an array is not computed", where)
    if base.rank == 2 and isinstance(base.body, ir.Reduce) and isinstance(exponent, Frac):
        text = f"the root of the matrix `{run.quote(base.span)}` is not computed"
        run.unranged = error("N2C033", text, where, "write `\\odot` where each element is meant")
    if base.rank == 2 and isinstance(exponent, Num) and not _is_of_elements(base.body):
        text = f"the power of the matrix `{run.quote(where)}` is taken element by element"
        help_text = "write the product out where that is meant"
        run.problems.append(note("N2C039", text, where, help_text))


def _doubt_capital(run: Run, exponent: Node, where: Span) -> None:
    """A capital with a number above it may be one of several, and what is raised to all powers of
    a series, the B of ``B + B^2 + … + B^n``, a matrix."""
    if _is_many(exponent):
        text = f"`{run.quote(where)}` may be a power, or one of several by its number"
        hint = "write a number that tells arrays apart in parentheses, `H^{(4)}`"
        run.unranged = error("N2C033", text, where, hint)
    if isinstance(exponent, Name) and exponent.text in run.indices:
        text = f"the power of `{run.quote(where)}` may be that of a matrix, or of each element"
        hint = "write the product out, or use `\\odot`"
        run.unranged = error("N2C033", text, where, hint)


def refuse_of_gram(run: Run, node: Node, value: Value) -> None:
    """The ² of ``(X X^⊤)^2 X`` is hardly one of each element: a product is meant."""
    match node:
        case Script(Group("("), None, Num(), 0) if value.rank == 2 and _is_of_gram(value.body):
            text = f"the power of the matrix `{run.quote(node.base.span)}` is not computed"
            way = "write the product out, or use `\\odot`"
            run.unranged = error("N2C033", text, node.span, way)


def _is_of_gram(body: Expr) -> bool:
    """Whether a power is one of a matrix ``X X^⊤``."""
    power = settled(body)
    return isinstance(power, ir.Pow) and _is_gram(power.base)


def _is_of_elements(body: Expr) -> bool:
    """Whether a matrix is squared by element: what an activation gives, and a difference, the
    error of each element."""
    terms = body.terms if isinstance(body, ir.Add) else ()
    taken_off = (isinstance(term, ir.Mul) and ir.Num(-1) in term.factors for term in terms)
    return isinstance(body, ir.Fn) or any(taken_off)


def _is_gram(expr: Expr) -> bool:
    """Whether a matrix is ``X X^⊤``, or ``X^⊤ X``."""
    match expr:
        case ir.Reduce("sum", _, ir.Mul((ir.Ref(one, (_, _)), ir.Ref(other, (_, _))))):
            return one == other
    return False


def diagonal_of(run: Run, base: Value, where: Span) -> Expr | None:
    """What stands at i, j on the diagonal of a matrix that is ``diag(v)``, is defined as one, or
    holds the degrees of a graph or the eigenvalues Λ: its powers are those of v."""
    if base.rank != 2:
        return None
    if isinstance(base.body, ir.Cases):
        return diagonals.value(base.body, base.axes)
    name = base.body.array if isinstance(base.body, ir.Ref) else ""
    known = name in run.seen.degrees or names.base_letter(name) == "Lambda"
    if known and name in run.symbols:
        text = f"`{name}` is taken to have zeros beside its diagonal"
        if all(problem.message != text for problem in run.problems):
            run.problems.append(note("N2C039", text, where))
        return base.body
    arrays = [one.array for one in run.defined.values() if one.name == name]
    defined = len(arrays) == 1 and diagonals.value(arrays[0].body, arrays[0].indices) is not None
    return base.body if defined else None


def _has_identity(base: Value) -> bool:
    """Whether something is added to the identity matrix, or taken off it: ``I - L``."""
    terms = base.body.terms if isinstance(base.body, ir.Add) else ()
    cases = (inner for term in terms for inner in ir.walk(term) if isinstance(inner, ir.Cases))
    return any(diagonals.value(one, base.axes) is not None for one in cases)


def of_diagonal(run: Run, base: Value, element: Expr, exponent: Value, where: Span) -> Value:
    """A power of a diagonal matrix, of which ``element`` stands on the diagonal."""
    rows, columns = base.axes
    run.unify(find_index(rows).size, find_index(columns).size, where)
    on = ir.Compare("=", ir.Idx(rows), ir.Idx(columns))
    raised = elementwise(run, replace(base, body=element), exponent, ir.Pow, where)
    return Value(ir.Cases(((on, raised.body),), ir.ZERO), base.axes, where)


def _maps(run: Run, body: Expr) -> bool:
    """Whether a product is a number only because a matrix in it was taken for less."""
    return not isinstance(body, ir.Add) and any(
        isinstance(inner, ir.Ref)
        and names.base_letter(inner.array) in _INVERTED
        and inner.array not in run.shapes
        and len(inner.at) < 2
        for inner in ir.walk(body)
    )


_MATRICES = "AKQUWX"
_NAMED_MATRIX = re.compile(f"[{_MATRICES}](_bar|_hat|_tilde)?")
_INVERTED = frozenset(_MATRICES + "BGMPRS")


def _is_beside_identity(run: Run, name: str) -> bool:
    """Whether a capital letter is added to an I, as in ``I + B + B^2``."""
    if len(name) != 1 or not name.isupper():
        return False
    sums = ({*map(binders.bare, binders.chain(node))} for node in run.seen.nodes.of(Infix))
    return any({"I", name} <= terms for terms in sums)


def _is_matrix_letter(name: str) -> bool:
    """Whether a letter is by custom a matrix that people invert: a covariance, a degree matrix."""
    base, *labels = name.split("_")
    return base in ("Sigma", "Lambda") or (base == "D" and labels[:1] in (["tilde"], ["hat"]))


def array_of(value: Value) -> str:
    """The array that a value is, whole; "" for others."""
    match value.body:
        case ir.Ref(name, at) if len(at) == value.rank:
            return name
    return ""


def is_negative(node: Node) -> bool:
    """Whether an exponent is below zero: ``-1``, ``-1/2``, ``-\\frac{1}{2}``."""
    if isinstance(node, Frac):
        return is_negative(node.top) and isinstance(node.bottom, Num)
    return isinstance(node, Neg) and isinstance(node.body, Num | Frac | Infix)


def _is_many(exponent: Node) -> bool:
    """Whether an exponent is 3 or more, which arrays are seldom raised to."""
    return isinstance(exponent, Num) and exponent.text.isdigit() and int(exponent.text) > 2


def _negative_number(node: Node) -> bool:
    return isinstance(node, Neg) and isinstance(node.body, Num)
