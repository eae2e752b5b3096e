"""Scripts on what is no name: a group, a number, a norm."""

from __future__ import annotations

from notes2code.diagnostics import error, note
from notes2code.latex.tree import (
    Accent,
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
    Stroke,
    ungrouped,
    walk,
)
from notes2code.latex.words import RATES
from notes2code.meaning import ir, names
from notes2code.meaning.inference.indices.indexing import at_label, position
from notes2code.meaning.inference.products import by_element, turns
from notes2code.meaning.inference.products.norms import is_order, norm
from notes2code.meaning.inference.products.powers import power
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.sums import families
from notes2code.meaning.inference.values import Value, link, mapped, settled, transpose
from notes2code.meaning.ir import Expr
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.notation.scripts import At, Use
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.scope import Shape


def scripted(run: Run, node: Node) -> Value:
    """Scripts on a group, a number or a norm: a power, a transpose, an index."""
    if isinstance(node, Accent):
        raise error(
            "N2C037",
            f"a `\\{node.mark}` over an expression says nothing that can be computed",
            node.span,
        )
    assert isinstance(node, Script)
    if isinstance(node.base, Group) and (node.base.open == "‖" or is_order(node)):
        return norm(run, node, node.base)
    if isinstance(node.base, Group) and isinstance(node.sub, Relation):
        return families.indexed(run, node.base, node.sub, node.sup)
    _refuse_convolved(run, node)
    value = run.lower(node.base)
    if isinstance(node.sub, Stroke) and node.sub.text == "+":
        value = mapped(value, lambda e: ir.Fn("relu", (e,)), node.span)
    elif node.sub is not None:
        value = index(run, value, node.sub)
    if node.primes:
        value = transpose(value, node.span)
    if node.sup is not None:
        value = raised(run, value, node.sup, node)
    return value


def _refuse_convolved(run: Run, node: Script) -> None:
    """``(K * x)_k`` may be an element of a convolution as well as one of a product."""
    match node.base:
        case Group("(", (Infix("*", left, right),)) if (
            node.sub is not None and scripts.is_name(left) and scripts.is_name(right)
        ):
            raise error(
                "N2C033",
                f"`{run.quote(node.base.span)}` may be a convolution or a product",
                node.base.span,
                "write the sum out, `\\sum_j`, or `\\cdot` or `\\odot` for a product",
            )


def raised(run: Run, value: Value, sup: Node, node: Script) -> Value:
    """A superscript on a value: a transpose or a power."""
    if (above := by_element.exponent(sup)) is not None:
        return by_element.raised(run, value, above, node.span)
    if isinstance(sup, Name) and sup.text in names.TRANSPOSES and _is_one(node):
        raise error(
            "N2C033",
            f"`{run.quote(node.span)}` may be a row of ones or a number",
            node.span,
            "write `\\mathbf{1}^\\top` for the row, and leave the number out",
        )
    if isinstance(sup, Name) and sup.text in "tT" and not value.rank and _is_rate(node):
        run.shapes.setdefault(sup.text, Shape(()))
        return power(run, value, sup, node.span)
    if isinstance(sup, Name) and (sup.text in names.TRANSPOSES) and sup.text not in run.indices:
        if value.rank == 0 and isinstance(value.body, ir.Call | ir.Ref):
            run.conflict(4, f"`{run.quote(node.span)}` is a number that is transposed", node.span)
        elif value.rank == 0:
            run.pay(4)  # nobody transposes a number, and puts it in parentheses for that
        return transpose(value, node.span)
    if turns.is_adjoint(sup) or (_is_letter(sup, "H") and isinstance(ungrouped(node.base), Juxt)):
        return turns.adjoint(run, node, value)
    if isinstance(sup, Stroke) and sup.text == "+" and _is_bounded(run, node):
        text = f"`{run.quote(node.span)}` is taken to be the positive part, `\\max(0, …)`"
        hint = "write `\\mathrm{ReLU}` for that; the pseudo-inverse of a matrix is not computed"
        run.problems.append(note("N2C039", text, node.span, hint))
        return mapped(value, lambda e: ir.Fn("relu", (e,)), node.span)
    if scripts.is_mark(sup) or isinstance(sup, Stroke):
        raise error("N2C037", "this superscript on an expression is not understood", sup.span)
    return power(run, value, sup, node.span)


def _is_bounded(run: Run, node: Script) -> bool:
    """Whether what stands below a plus is a sum or a difference of which the positive part is
    taken, and no pseudo-inverse: that of ``A^\\top A``, of what has an identity, or of a matrix in
    a product, ``(A - B)^+ b``. The d of ``(m - d)^+`` may be a size."""
    inner = ungrouped(node.base)
    if not isinstance(inner, Infix) or inner.op not in "+-":
        return False
    if all(isinstance(term, Name) and term.text in names.SIZE_BASES for term in terms(inner)):
        return False
    if any(node in product.factors for product in run.seen.nodes.of(Juxt)):
        letters = [binders.bare(term) for term in terms(inner)]
        if any(map(_is_capital, letters)) or not any(letters):
            return False
    return not any(scripts.is_transposed(part) or _is_identity(part) for part in walk(inner))


def _is_capital(letter: str) -> bool:
    return letter[:1].isupper()


def _is_identity(node: Node) -> bool:
    """Whether a name is I, Id or a 1 in blackboard letters."""
    return isinstance(node, Name) and (
        node.text in ("I", "Id") or (node.text == "1" and node.font == "blackboard")
    )


def _is_letter(node: Node, letter: str) -> bool:
    return isinstance(node, Name) and node.text == letter


def _is_one(node: Node) -> bool:
    return isinstance(node, Script) and node.base == Num("1", node.base.span)


def _is_rate(node: Node) -> bool:
    """Whether what stands below scripts is a number such as 0.95 or 1 − β, which is raised to a
    step t or T; 0 is more likely a row."""
    return (
        isinstance(node, Script)
        and node.base != Num("0", node.base.span)
        and all(
            isinstance(part, Num | Infix | Neg | Frac)
            or (isinstance(part, Group) and len(part.items) == 1)
            or (isinstance(part, Name) and part.text in RATES)
            for part in walk(node.base)
        )
    )


def index(run: Run, value: Value, sub: Node) -> Value:
    """``softmax(z)_i``: an element of a value."""
    body, axes = value.body, list(value.axes)
    parts = scripts.parts(sub, run.seen.bound)
    if len(parts) > len(axes):
        raise error("N2C032", f"{len(parts)} indices on what has {len(axes)} axes", sub.span)
    use = Use("this", sub.span)
    of_keys = len(parts) == 1 and names.label(parts[0]) in run.summed
    if of_keys and len(axes) == 2 and _is_softmax(body):
        raise error(
            "N2C032",
            f"`{names.label(parts[0])}` counts the keys here, and the queries have no index",
            sub.span,
            "write both, as in `\\mathrm{softmax}(QK^\\top)_{ij}`",
        )
    for part in parts:
        axis = axes.pop(0)
        if isinstance(part, Script) and scripts.is_name(part):
            body = at_label(run, body, axis, part)
            continue
        if isinstance(part, Infix):
            raise error(
                "N2C032",
                f"the element `{run.quote(part.span)}` of what is computed is not understood",
                part.span,
                "give what is computed a name, and write the index below it",
            )
        place = position(run, At(part), axis.size, use)
        if isinstance(place, ir.Idx):
            link(run, find_index(place.index), axis, sub.span)
        elif isinstance(place, ir.Index):
            link(run, place, axis, sub.span)
            axes.append(place)
        elif isinstance(place, ir.Size) and value.rank == 1 and _is_of_class(part, body):
            body = at_label(run, body, axis, part)
        else:
            run.pay(3.0 if _is_of_class(part, body) else 0.0)  # the classes are of one position
            body = ir.substitute(body, {find_index(axis): place})
    return Value(body, tuple(axes), value.span)


def _is_softmax(body: Expr) -> bool:
    return isinstance(settled(body), ir.Softmax)


def _is_of_class(part: Node, body: Expr) -> bool:
    """Whether a letter tells a class of a softmax: the n of other values is a row."""
    return names.label(part) in names.CLASSES and _is_softmax(body)
