"""Powers, exponentials, and scripts on what is no name."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from math import inf, prod

from notes2code.diagnostics import Span, error, note, warning
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
    children,
    ungrouped,
    walk,
)
from notes2code.latex.words import RATES
from notes2code.meaning import diagonals, ir, names
from notes2code.meaning.inference import by_element, diagonal, families, inverses, turns
from notes2code.meaning.inference.indexing import at_label, position
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import (
    Value,
    elementwise,
    free_roots,
    is_logistic,
    link,
    mapped,
    reduce_all,
    settled,
    transpose,
)
from notes2code.meaning.ir import Expr
from notes2code.meaning.notation import binders, roots, scripts
from notes2code.meaning.notation.scripts import At, Use
from notes2code.meaning.overview import magnitudes
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.scope import Shape


def is_exponential(run: Run, node: Script) -> bool:
    """Whether a script is Euler's number to a power, and not an array called e."""
    return (
        isinstance(node.base, Name)
        and node.base.text == "e"
        and node.sub is None
        and node.sup is not None
        and not (isinstance(node.sup, Name) and node.sup.text in run.seen.targets)
        and not (_is_mark(node.sup) or _are_places(node.sup))
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
    exponent = _exponent(run, node.sup)
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


def refuse_of_gram(run: Run, node: Node, value: Value) -> None:
    """The ² of ``(X X^⊤)^2 X`` is hardly one of each element: a product is meant."""
    match node, settled(value.body):
        case Script(Group("("), None, Num(), 0), ir.Pow(base) if value.rank == 2 and _is_gram(base):
            text = f"the power of the matrix `{run.quote(node.base.span)}` is not computed"
            way = "write the product out, or use `\\odot`"
            run.unranged = error("N2C033", text, node.span, way)


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
    """Warn of an i in an exponent that may be meant as the root of −1; it counts or is a number."""
    factors = ir.factors(exponent.body)
    index = roots.beside_angle(node) if "i" in run.indices else None
    if ir.Ref("i") in factors:
        text, place = "`i` is taken to be a number here, and not the root of −1", span
    elif index is not None:
        text, place = "`i` is the index here, and not the root of −1", index.span
    else:
        return
    help_text = "complex numbers are not understood: write the turn with cos and sin, pair by pair"
    run.problems.append(warning("N2C050", text, place, help_text))


def _exponent(run: Run, node: Node) -> Value:
    """What stands above: in a tower ``a^{b^c}`` the c is no label."""
    match node:
        case Script(Name() as base, None, Name(text) as sup, 0) if (
            len(text) == 1 and text.islower() and text not in run.indices
        ):
            return power(run, run.lower(base), sup, node.span)
    return run.lower(node)


def _is_mark(node: Node) -> bool:
    return isinstance(node, Name) and node.text in ("T", "top", "prime", "star")


def scripted(run: Run, node: Node) -> Value:
    """Scripts on a group, a number or a norm: a power, a transpose, an index."""
    if isinstance(node, Accent):
        raise error(
            "N2C037",
            f"a `\\{node.mark}` over an expression says nothing that can be computed",
            node.span,
        )
    assert isinstance(node, Script)
    if isinstance(node.base, Group) and (node.base.open == "‖" or _is_order(node)):
        return _norm(run, node, node.base)
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
    if _is_mark(sup) or isinstance(sup, Stroke):
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


def power(run: Run, base: Value, exponent: Node, where: Span) -> Value:
    """A power of a number, or of every element of a vector."""
    raised_to = _exponent(run, exponent)
    if base.rank == 1 and isinstance(base.body, ir.Ref) and base.body.array in run.seen.degrees:
        return diagonal.of_vector(elementwise(run, base, raised_to, ir.Pow, where), where)
    if (on_diagonal := _on_diagonal(run, base, where)) is not None:
        return _diagonal_power(run, base, on_diagonal, raised_to, where)
    if inverses.is_inverse(exponent) and inverses.is_inverted(run, base):
        return inverses.inverse(run, base, where)
    if base.rank < 2 and isinstance(base.body, ir.Ref) and _is_letter_of_its_own(run, exponent):
        _refuse_raised_vector(run, base, base.body, where)
    if base.rank == 2 and (isinstance(base.body, ir.Ref) or _has_identity(base)):
        raise error(
            "N2C033",
            f"the power of the matrix `{run.quote(base.span)}` may mean a product or "
            "element by element",
            where,
            "write the product out, or use `\\odot`",
        )
    whole = isinstance(base.body, ir.Ref) and len(base.body.at) == base.rank
    name = base.body.array if whole and isinstance(base.body, ir.Ref) else ""
    matrix = _NAMED_MATRIX.fullmatch(name) or _is_beside_identity(run, name)
    if matrix and name not in run.shapes:
        raise error(
            "N2C033",
            f"a power of `{run.quote(base.span)}`, by custom a matrix, is not computed",
            where,
            "declare it as a number, or write the product out",
        )
    if base.rank == 1 and _is_many(exponent) and base.is_capital and not run.seen.elements:
        text = f"`{run.quote(where)}` may be a power, or one of several by its number"
        hint = "write a number that tells arrays apart in parentheses, `H^{(4)}`"
        run.unranged = error("N2C033", text, where, hint)
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
    if (constant := _constant(raised_to.body)) is not None:
        raised_to = replace(raised_to, body=ir.Num(constant))
    elif base.rank == 2 and not isinstance(base.body, ir.Ref):
        run.pay(2.2)  # the (5 + T)^a of a matrix T would be a power of each of its elements
    if not _is_held(ir.Pow(base.body, raised_to.body)):
        raise error(
            "N2C020",
            f"no floating-point number is as large or as small as `{run.quote(where)}`",
            where,
            "write a number between `10^{-300}` and `10^{300}`",
        )
    if base.rank == 0 and raised_to.rank:
        run.pay(2.2)  # an exponent is a number wherever it can be one
    if base.rank and raised_to.rank == 2:
        text = f"`{run.quote(exponent.span)}` is a matrix here, and no array is raised to one"
        run.conflict(3, text, where)
    above = (n.text for n in walk(exponent) if isinstance(n, Name) and n.text in run.seen.times)
    if name and (letter := next(above, "")):
        text = f"`{run.quote(where)}` is taken for a power, though `{letter}` counts above other"
        hint = "write the index below the name, as `\\gamma_r`"
        run.problems.append(warning("N2C050", f"{text} names", where, hint))
    return elementwise(run, base, raised_to, ir.Pow, where)


def _refuse_raised_vector(run: Run, base: Value, raised: ir.Ref, where: Span) -> None:
    """The r of ``x^r W`` says which x it is, as nobody raises a vector to a letter; the x of
    ``f(x) = x^n`` is a number."""
    if base.rank:
        text = f"the vector `{run.quote(base.span)}` is raised to a letter"
        run.conflict(3, text, where)
        return
    vector = names.element_ranks(raised.array, len(raised.at), False, False)[0] == 1
    mapped = any(names.base_letter(other).isupper() for other in run.seen.counted)
    if vector and mapped and raised.array not in run.seen.elements:
        run.pay(3.0)


def _is_letter_of_its_own(run: Run, exponent: Node) -> bool:
    """Whether an exponent is a letter, perhaps with a number, of which nothing says that it is a
    number."""
    match exponent:
        case Name(letter) | Script(Name(letter), Num(), None, 0) if len(letter) == 1:
            return names.label(exponent) not in run.indices | run.shapes | run.defined
    return False


def _on_diagonal(run: Run, base: Value, where: Span) -> Expr | None:
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


def _diagonal_power(run: Run, base: Value, element: Expr, exponent: Value, where: Span) -> Value:
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


def _is_held(expr: Expr) -> bool:
    """Whether a float holds what an expression of numbers alone is, and does not round it to 0."""
    try:
        value = _rounded(expr)
    except OverflowError:
        return False
    return value is None or value > 0


def _rounded(expr: Expr) -> float | None:
    """How large a power of numbers is, as a float; None for those of 0 and other expressions."""
    match expr:
        case ir.Num(value):
            return float(value)
        case ir.Pow(base, exponent):
            raised, power = _rounded(base), _rounded(exponent)
            return None if power is None or not raised else abs(raised) ** power
    return None


def _constant(expr: Expr) -> int | Fraction | None:
    """The number that an exponent such as −1/2 is."""
    match expr:
        case ir.Num(int() | Fraction() as value):
            return value
        case ir.Pow(ir.Num(int() as value), ir.Num(-1)) if value:
            return Fraction(1, value)
        case ir.Mul(factors):
            values = [_constant(factor) for factor in factors]
            product = prod(value for value in values if value is not None)
            whole = product == int(product)
            return None if None in values else int(product) if whole else Fraction(product)
    return None


_MATRICES = frozenset("AKQUWX")
_NAMED_MATRIX = re.compile("[AKQUWX](_bar|_hat|_tilde)?")
_INVERTED = _MATRICES | frozenset("BGMPRS")


def is_negative(node: Node) -> bool:
    """Whether an exponent is below zero: ``-1``, ``-1/2``, ``-\\frac{1}{2}``."""
    if isinstance(node, Frac):
        return is_negative(node.top) and isinstance(node.bottom, Num)
    return isinstance(node, Neg) and isinstance(node.body, Num | Frac | Infix)


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


def _is_many(exponent: Node) -> bool:
    """Whether an exponent is 3 or more, which arrays are seldom raised to."""
    return isinstance(exponent, Num) and exponent.text.isdigit() and int(exponent.text) > 2


def _negative_number(node: Node) -> bool:
    return isinstance(node, Neg) and isinstance(node.body, Num)


NO_VECTOR = 2.2
"""What it counts against a reading if a norm is of a number."""


def _is_order(node: Script) -> bool:
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


def _norm(run: Run, node: Script, base: Group) -> Value:
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
