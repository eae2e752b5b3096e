"""Division: by a number, or element by element."""

from __future__ import annotations

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Apply, Frac, Group, Infix, Juxt, Node, Num
from notes2code.meaning import ir, names
from notes2code.meaning.inference import sizes
from notes2code.meaning.inference.products import products
from notes2code.meaning.inference.products.gates import HADAMARD
from notes2code.meaning.inference.ranks import moving
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, elementwise, is_logistic, mapped, shape_text
from notes2code.meaning.notation import binders


def quotient(run: Run, node: Frac) -> Value:
    """A fraction; in ``1/√d QKᵀ`` the slash reaches only over the number."""
    if node.slash is None:
        return divide(run, run.lower(node.top), run.lower(node.bottom), node.span)
    _refuse_logarithm(run, node)
    left = run.lower(node.top)
    if isinstance(node.bottom, Juxt) and not _ends_behind(node.top, node.bottom.factors[0]):
        first = node.bottom.factors[0]
        whole = run.lower(node.bottom)
        if whole.rank < 2:
            return divide(run, left, whole, node.span)
        rest = node.bottom.factors[1:]
        remaining = rest[0] if len(rest) == 1 else Juxt(rest, node.bottom.span)
        divisor = run.lower(first)
        if divisor.rank == 0:
            quotient = divide(run, left, divisor, node.slash)
            run.problems.append(
                note(
                    "N2C039",
                    f"only `{run.quote(first.span)}` is taken to stand under the slash",
                    node.slash,
                    "write a `\\frac` to make it plain",
                )
            )
            return products.product(run, quotient, run.lower(remaining), node.span)
    return divide(run, left, run.lower(node.bottom), node.span)


def _ends_behind(top: Node, first: Node) -> bool:
    """Whether a slash reaches over all behind it for certain, as it does over parentheses, or as
    the author is told, as of ``1/2mv``."""
    return isinstance(first, Group) or (isinstance(top, Num) and isinstance(first, Num))


def _refuse_logarithm(run: Run, node: Frac) -> None:
    """``log p_i / q_i`` and ``log 1/32`` may be the logarithm of the quotient."""
    last = node.top.factors[-1] if isinstance(node.top, Juxt) else node.top
    if not isinstance(last, Apply) or binders.bare(last.function) not in ("log", "ln"):
        return
    argument, below = (
        n.factors[0] if isinstance(n, Juxt) else n for n in (last.argument, node.bottom)
    )
    mine, theirs = (names.base_letter(binders.bare(n)) for n in (argument, below))
    if isinstance(argument, Num) or {mine, theirs} <= names.PROBABILITIES:
        where = last.span.to(node.bottom.span)
        text = f"`{run.quote(where)}` may be the logarithm of a quotient, or divided itself"
        help_text = "write a `\\frac`, or put what the logarithm is of in parentheses"
        raise error("N2C033", text, where, help_text)


def divide(run: Run, left: Value, right: Value, span: Span) -> Value:
    """A quotient: by a number, or element by element where the shapes allow it."""
    if right.rank == 0:
        if isinstance(right.body, ir.Mul):  # ‖a‖‖b‖ is below the dot product of two vectors
            run.pay(1.1 * sum(map(_is_matrix_norm, right.body.factors)))
            run.pay(2.2 * sum(map(_is_amount, right.body.factors)))
        if left.rank and {_probability(left), _probability(right)} == {"p", "q"}:
            run.pay(1.2)  # the p of q / p is as q is
        sizes.note_scale(run, right.body, left.body)
        along = left.along
        divided = None if along is None else (lambda k: ir.mul(along(k), ir.inverse(right.body)))
        return Value(ir.mul(left.body, ir.inverse(right.body)), left.axes, span, left.row, divided)
    if left.rank == 0 and is_logistic(right):
        return mapped(right, lambda b: ir.mul(left.body, ir.inverse(b)), span)
    if moving.divides(run, right.body) or _are_norms(left, right):
        return elementwise(run, left, right, lambda a, b: ir.mul(a, ir.inverse(b)), span)
    if right.rank > left.rank or (right.rank == 2 and left.rank == 2):
        raise error(
            "N2C041",
            f"{shape_text(left)} cannot be divided by {shape_text(right)}",
            right.span,
            "divide by a number, or element by element",
        )
    text = f"the division by the vector `{run.quote(right.span)}` is element by element"
    above = _bases(left.body)
    weights = ir.is_exponential(left.body) and _is_sum_of_exponentials(right.body)
    if weights and above.isdisjoint("qk"):  # the q k_i of a query and its keys is a dot product
        run.conflict(3, f"{text}, and weights are numbers", span)
    else:
        run.conflict(1.2, text, span)
    if _is_plain(right) and above.isdisjoint(_bases(right.body)):
        run.pay(1.0)  # the s of x / s is a number
    if left.rank == right.rank and _doubts_elements(run, left.body, right.body):
        run.problems.append(note("N2C039", text, right.span, "write `\\oslash` to make it plain"))
    if left.rank > right.rank:
        run.pay(1.0)  # what all rows of a matrix are divided by is a number
    return elementwise(run, left, right, lambda a, b: ir.mul(a, ir.inverse(b)), span)


def _probability(value: Value) -> str:
    """The p of a p that stands alone, "" of anything else."""
    whole = isinstance(value.body, ir.Ref) and len(value.body.at) == value.rank
    return value.body.array if whole and isinstance(value.body, ir.Ref) else ""


def _are_norms(left: Value, right: Value) -> bool:
    """Whether a matrix is divided by the norms of columns."""
    match right.body:
        case ir.Pow(ir.Reduce("sum", _, ir.Pow()), exponent) if exponent == ir.HALF:
            return (left.rank, right.rank) == (2, 1)
    return False


def _is_plain(value: Value) -> bool:
    """Whether an array has no index."""
    return isinstance(value.body, ir.Ref) and value.rank == len(value.body.at)


def _bases(expr: ir.Expr) -> set[str]:
    """The letters of the arrays in an expression, without their labels."""
    arrays = (part.array for part in ir.walk(expr) if isinstance(part, ir.Ref))
    return {names.base_letter(array) for array in arrays}


def _is_sum_of_exponentials(expr: ir.Expr) -> bool:
    """Whether an expression is ``Σ_j exp(z_j)``, which makes weights of exponentials."""
    return isinstance(expr, ir.Reduce) and ir.is_exponential(expr.body)


def _doubts_elements(run: Run, above: ir.Expr, below: ir.Expr) -> bool:
    """Whether a division of vectors may be meant otherwise: not by the root of a variance, nor in
    a function of one x, nor beside other products element by element."""
    parts = [*ir.walk(below)]
    mine, theirs = (
        {e.array for e in ir.walk(side) if isinstance(e, ir.Ref)} for side in (above, below)
    )
    of_one = mine == theirs and not any(isinstance(part, ir.Reduce) for part in parts)
    plain = any(node.op in HADAMARD | {"⊘"} for node in run.seen.nodes.of(Infix))
    return not (plain or of_one or any(isinstance(part, ir.Pow) for part in parts))


def _is_amount(expr: ir.Expr) -> bool:
    """Whether an expression is |a| of a number: beside |b|, below a·b, it is the length of a."""
    return isinstance(expr, ir.Fn) and expr.name == "abs" and isinstance(expr.arguments[0], ir.Ref)


def _is_matrix_norm(expr: ir.Expr) -> bool:
    match expr:
        case ir.Pow(ir.Reduce("sum", _, ir.Reduce("sum", _, _)), _):
            return True
    return False
