"""Norms: ``‖x‖_p`` of any order, and their powers."""

from __future__ import annotations

from math import inf

from notes2code.diagnostics import error
from notes2code.latex.tree import Group, Name, Num, Script, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.products.powers import power
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, free_roots, mapped, reduce_all
from notes2code.meaning.ir import Expr
from notes2code.meaning.notation import scripts
from notes2code.meaning.overview import magnitudes

NO_VECTOR = 2.2
"""What it counts against a reading if a norm is of a number."""


def is_order(node: Script) -> bool:
    """Whether single bars are a norm's: ``|x|_2``."""
    order = isinstance(node.sub, Num) or (isinstance(node.sub, Name) and node.sub.text == "infty")
    return order and isinstance(node.base, Group) and node.base.open == "|"


def _refuse_spectral(run: Run, value: Value) -> None:
    """``‖W‖_2`` of a matrix is no sum over its elements; only its square is written for one, in
    penalties on weights."""
    body = value.body
    name = body.array if isinstance(body, ir.Ref) and len(body.at) == value.rank else ""
    if value.rank == 2 or (name[:1].isupper() and name not in run.shapes | run.defined):
        raise error(
            "N2C033",
            f"the 2-norm of the matrix `{run.quote(value.span)}` is its largest singular value, "
            "which is not computed",
            value.span,
            "write `\\|…\\|_F` for the root of the sum of all squares, or declare a vector",
        )


def _is_of_any_order(run: Run, order: Expr) -> bool:
    """Whether a norm has a number for its order: a p by custom, or what is declared as one."""
    match order:
        case ir.Num(number):
            return number > 1
        case ir.Ref(name, ()):
            declared = run.shapes.get(name)
            is_order = name in _ORDERS or (declared is not None and declared.axes == ())
            return is_order and not _is_measured(run, name)
    return False


def _is_measured(run: Run, name: str) -> bool:
    """Whether a letter stands for more than the order of norms, and powers: the q of ``‖q - k‖_q``
    is a query."""
    ends = (end for script in run.seen.nodes.of(Script) for end in (script.sub, script.sup))
    aside = {id(part) for end in ends if end is not None for part in walk(end)}
    return any(node.text == name and id(node) not in aside for node in run.seen.nodes.of(Name))


_ORDERS = ("p", "q")
"""What the order of a norm is called."""


def _refuse_of_singular_values(run: Run, value: Value, node: Script) -> None:
    """``‖W‖_p`` of a matrix is of its singular values, or of what it does to vectors."""
    if value.rank == 2:
        text = f"`{run.quote(node.span)}` may be the norm of a matrix by its singular values"
        help_text = "that is not computed; write the sum over all elements out"
        run.unranged = error("N2C037", text, node.span, help_text)


def has_unit_columns(value: Value) -> bool:
    """Whether a matrix is divided by the norms of its columns."""
    factors = value.body.factors if isinstance(value.body, ir.Mul) and value.rank == 2 else ()
    columns = find_index(value.axes[-1]) if value.axes else None
    inverses = (factor for factor in factors if isinstance(factor, ir.Pow))
    return any({*free_roots(inverse)} == {columns} for inverse in inverses)


def norm(run: Run, node: Script, base: Group) -> Value:
    """``‖x‖_p`` and its powers."""
    value = run.lower(base.items[0])
    if value.rank == 0:
        run.pay(NO_VECTOR)
    if magnitudes.is_of_columns(node.sub) and value.rank == 2:
        rows, columns = value.axes
        column = ir.Reduce("sum", rows, ir.Pow(value.body, ir.Num(2)))
        norms = Value(ir.Pow(column, ir.HALF), (columns,), node.span)
        return norms if node.sup is None else power(run, norms, node.sup, node.span)
    if scripts.is_two(node.sub) and not scripts.is_two(node.sup):
        _refuse_spectral(run, value)
    order: Expr = ir.Num(2)
    kind = "sum"
    if node.sub is not None and names.label(node.sub).lower() == "rms":
        kind = "mean"
    elif node.sub is not None:
        frobenius = isinstance(node.sub, Name) and node.sub.text in ("F", "Fro", "fro")
        run.pay(1.2 if frobenius and value.rank == 1 else 0.0)  # the norm of matrices
        order = ir.Num(2) if frobenius else run.lower(node.sub).body
    if order == ir.Num(inf):
        total = reduce_all("max", mapped(value, lambda e: ir.Fn("abs", (e,))))
    elif order == ir.ONE:
        total = reduce_all("sum", mapped(value, lambda e: ir.Fn("abs", (e,))))
    elif order == ir.Num(2):
        squares = mapped(value, lambda e: ir.Pow(e, ir.Num(2)))
        total = ir.Pow(reduce_all(kind, squares), ir.HALF)
    elif _is_of_any_order(run, order):
        _refuse_of_singular_values(run, value, node)
        powers = mapped(value, lambda e: ir.Pow(ir.Fn("abs", (e,)), order))
        total = ir.Pow(reduce_all("sum", powers), ir.Pow(order, ir.MINUS_ONE))
    else:
        text = f"which norm `{run.quote(node.span)}` is, is not understood"
        help_text = "its order may be a number from 1, `\\infty`, or a letter such as `p`"
        raise error("N2C037", text, node.span, help_text)
    result = Value(total, (), node.span)
    return result if node.sup is None else power(run, result, node.sup, node.span)
