"""Inverses and determinants of square matrices: ``(X^⊤ X)^{-1} X^⊤ y``, ``|Σ|``, ``\\det A``."""

from __future__ import annotations

from notes2code.diagnostics import Span, error
from notes2code.latex.tree import Neg, Node, Num, Script
from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, fresh, is_logistic, scalar
from notes2code.meaning.ir import Call, Idx, Lambda
from notes2code.meaning.notation import binders

_INVERTED = frozenset("AHKMPRS") | {"Sigma"}
"""Letters of matrices that people invert: systems, curvatures, kernels, covariances."""


def is_inverse(exponent: Node) -> bool:
    """Whether an exponent is ``-1``."""
    match exponent:
        case Neg(Num("1")):
            return True
    return False


def is_inverted(run: Run, base: Value) -> bool:
    """Whether a power of −1 is the inverse of a matrix: of one that the notes declare, of one with
    such a letter, or of what is made of matrices. ``(1 + e^{-x})^{-1}`` goes by element."""
    if base.rank != 2:
        return False
    if not isinstance(base.body, ir.Ref):
        return not is_logistic(base) and not _has_vector(run, base)
    declared = run.shapes.get(base.body.array)
    shaped = declared is not None and len(declared.axes) == 2
    return shaped or names.base_letter(base.body.array) in _INVERTED


def _has_vector(run: Run, base: Value) -> bool:
    """Whether there is a vector in what should be a matrix, or a small letter that was taken for
    one: ``(W x)^{-1}``."""
    return any(
        isinstance(part, ir.Ref)
        and bool(part.at)
        and part.array not in run.shapes
        and names.base_letter(part.array).islower()
        for part in ir.walk(base.body)
    )


def inverse(run: Run, base: Value, where: Span) -> Value:
    """The inverse of a matrix, which must be square."""
    matrix = _square(run, base, where)
    rows, columns = (fresh(find_index(axis).size) for axis in base.axes)
    return Value(Call(ir.INVERSE, (matrix,), (Idx(rows), Idx(columns))), (rows, columns), where)


def determinant(run: Run, base: Value, where: Span) -> Value:
    """The determinant of a matrix, which must be square."""
    if base.rank != 2:
        raise error("N2C041", "the determinant is computed of a matrix only", where)
    return scalar(Call(ir.DETERMINANT, (_square(run, base, where),), ()), where)


def are_around_matrix(run: Run, inner: Node) -> bool:
    """Whether the bars of ``|Σ|`` say the determinant: of a covariance, or of what is inverted in
    the same formula, too."""
    inverted = {
        binders.bare(node.base)
        for node in run.seen.nodes.of(Script)
        if node.sup is not None and is_inverse(node.sup)
    }
    base = binders.bare(inner)
    return base == "Sigma" or (bool(base) and base in inverted)


def _square(run: Run, base: Value, where: Span) -> Lambda:
    rows, columns = base.axes
    run.unify(find_index(rows).size, find_index(columns).size, where)
    return Lambda(base.axes, base.body)
