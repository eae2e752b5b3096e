"""Exponentials: ``e^x``, and what may stand for the exponential of a matrix."""

from __future__ import annotations

from notes2code.diagnostics import Span, error, warning
from notes2code.latex.tree import Group, Infix, Juxt, Name, Neg, Node, Script, children, ungrouped
from notes2code.meaning import ir, names
from notes2code.meaning.inference.products.powers import lowered
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, mapped
from notes2code.meaning.notation import binders, roots, scripts


def is_exponential(run: Run, node: Script) -> bool:
    """Whether a script is Euler's number to a power, and not an array called e."""
    return (
        isinstance(node.base, Name)
        and node.base.text == "e"
        and node.sub is None
        and node.sup is not None
        and not (isinstance(node.sup, Name) and node.sup.text in run.seen.targets)
        and not (scripts.is_mark(node.sup) or _are_places(node.sup))
        and ("e" not in {*run.shapes, *run.parameters} or scripts.is_of_euler(node))
    )


def _are_places(above: Node) -> bool:
    """Whether ``(t, s)`` and ``(i)`` stand above an e, which say which one it is."""
    match above:
        case Group("(", (Name(letter),)):
            return letter in names.INDEX_LETTERS
        case Group("(", items):
            return len(items) > 1
    return False


def exponential(run: Run, node: Script) -> Value:
    """``e^x``."""
    assert node.sup is not None
    exponent = lowered(run, node.sup)
    check_exponent(run, exponent, node.sup, node.span)
    return mapped(exponent, lambda e: ir.Fn("exp", (e,)), node.span)


def check_exponent(run: Run, exponent: Value, node: Node, span: Span) -> None:
    """Refuse the exponential of a matrix, and warn where the root of −1 may be meant."""
    inner = ungrouped(node.body if isinstance(node, Neg) else node)
    product = isinstance(inner, Juxt) or (isinstance(inner, Infix) and inner.op in "·×*")
    factors = {binders.bare(factor) for factor in children(inner)} if product else set()
    if isinstance(inner, Name):
        factors = {*inner.text.split()}  # the difference ΔA, which is no other than Δ A here
    step = any(name.startswith("Delta") or name == "t" for name in factors)
    if step and any(len(name) == 1 and name.isupper() for name in factors):
        raise error(
            "N2C037",
            f"`{run.quote(node.span)}` may stand for the exponential of a matrix",
            node.span,
            "that is not computed; write `\\Delta \\odot A` where each element is meant",
        )
    _warn_of_root(run, exponent, node, span)


def refuse_of_matrix(run: Run, left: Value, right: Value, where: Span) -> None:
    """Refuse ``e^A x``, where nothing says that A is no matrix; the A_h of ``e^{A_h} x``, one of
    several, is a number. What weighs values may be e to the power of scores."""
    match left.body, right.body:
        case (
            ir.Fn("exp", (ir.Ref(name, at) | ir.Mul((_, ir.Ref(name, at))),)),
            ir.Ref(vector),
        ) if vector[0].islower() and name[0].isupper():
            told = name in run.shapes or name in run.scope.ranks or name in run.defined
            text = f"`{run.quote(left.span)}` may stand for the exponential of a matrix"
            if name[0] in "SX" or (told and left.rank < 2):
                return
            if left.rank == 2:
                help_text = "that is not computed; write `\\odot` where each element is meant"
                raise error("N2C037", text, where, help_text)
            if len(at) == left.rank:
                run.conflict(3, text, where)
            elif left.rank:
                run.pay(1.2)


def _warn_of_root(run: Run, exponent: Value, node: Node, span: Span) -> None:
    """Warn of an i in an exponent that may be meant as the root of −1; it counts or is a number.
    So may a j that is given."""
    given = [part.array for part in ir.factors(exponent.body) if isinstance(part, ir.Ref)]
    unit = next((name for name in given if name in ("i", "j") and name not in run.shapes), "")
    index = roots.beside_angle(node) if "i" in run.indices else None
    if unit:
        text, place = f"`{unit}` is taken to be a number here, and not the root of −1", span
    elif index is not None:
        text, place = "`i` is the index here, and not the root of −1", index.span
    else:
        return
    help_text = "complex numbers are not understood: write the turn with cos and sin, pair by pair"
    run.problems.append(warning("N2C050", text, place, help_text))
