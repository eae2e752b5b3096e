"""Sums and differences: what may be added to what, and what speaks against it.

By the field's custom the terms of a sum are of one kind. A number meets every element of an array
and a bias every row of a matrix all the same, so nothing of this is an error of shapes: a reading
in which the terms are of one kind is preferred to one in which they are not.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from operator import attrgetter

from notes2code.diagnostics import ProblemError, error, note
from notes2code.latex.tree import Apply, Infix, Juxt, Name, Node, Num, Script, alike, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference import properties, symbols
from notes2code.meaning.inference.calls import rows_of_calls
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.sums.unlike_terms import is_sum, is_whole, letter, weigh
from notes2code.meaning.inference.values import Value, elementwise, free_roots
from notes2code.meaning.notation import binders, roots, scripts


def refuse(run: Run, node: Infix) -> None:
    """The refusal of a sum whose terms as written may not be what is meant."""
    _refuse_lost_identity(run, node)
    _refuse_complex(run, node)


def added(run: Run, node: Infix, left: Value, right: Value) -> Value:
    """The value of ``a + b`` and ``a - b``."""
    symbols.forbid_own_element(run, (node.left, node.right), left, right)
    if node.op == "-" and properties.looks_like_shape(node.right, left.rank):
        raise error(
            "N2C043",
            f"`{run.quote(node.right.span)}` looks like a shape, not like a number",
            node.right.span,
            "if the sign before it is a dash, put the shape outside the formula",
        )
    minus = node.op == "-"
    if minus and left.rank == right.rank < 2:
        _refuse_label(run, node)
    if minus and _is_less_its_largest(run, left, right):
        run.decided.setdefault(f"align {node.span.start}-{node.span.end}", 0)
        text = f"`{run.quote(node.right.span)}` is taken to be a number for each row"
        run.problems.append(note("N2C039", text, node.right.span))
    left, right = rows_of_calls.at_one_place(run, left, right)
    value = elementwise(
        run, left, right, lambda a, b: ir.add(a, ir.negative(b) if minus else b), node.span
    )
    if (lacking := max(_lacking(run, left, right), _lacking(run, right, left))) > 0:
        run.pay(2.4 * lacking)  # the ε of (1 - t) x + t ε is of the kind of x
    elif _is_row_on_matrix(left, right):
        run.pay(2.4)  # the δ of W - η δ x^⊤ is a column, and W a matrix
    elif _is_of_examples(left) and is_whole(right):
        run.pay(0.7 * right.rank)  # the b of X w + b is one number for all examples
    elif left.rank != right.rank:
        weigh(run, node, left, right)
    shifted = value.rank == 2 and 0 in (left.rank, right.rank)
    one = value.rank == right.rank == 1 and isinstance(node.left, Num) and node.left.text == "1"
    return replace(value, shifted=True) if shifted or (one and not minus) else value


def _is_less_its_largest(run: Run, left: Value, right: Value) -> bool:
    """Whether scores lose the largest of each row, the ``S - m`` of a softmax in blocks, where no
    shape says which axis it is."""
    if (left.rank, right.rank) != (2, 1) or not isinstance(right.body, ir.Ref):
        return False
    largest = names.base_letter(right.body.array) == "m" and right.body.array not in run.shapes
    scores = not isinstance(left.body, ir.Ref) or names.base_letter(left.body.array) in "SAP"
    return largest and scores


def _refuse_label(run: Run, node: Infix) -> None:
    """The T of ``‖h^T - h‖`` is a label, such as that of a teacher: nobody takes a vector off
    itself."""
    for turned, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(turned, Script) and scripts.is_transposed(turned):
            plain = turned.base if turned.sub is None else replace(turned, sup=None)
            if alike(plain, other):
                text = f"`{run.quote(node.span)}` would be a vector less itself"
                way = "write the label as a word, such as `h^{\\text{T}}`"
                run.unranged = error("N2C033", text, node.span, way)


def _is_row_on_matrix(left: Value, right: Value) -> bool:
    """Whether a vector with its ``⊤`` that something scales is added to what is a matrix, or has
    the capital of one; a vector alone, and what a product with a matrix gives, may be added."""
    small, large = sorted((left, right), key=attrgetter("rank"))
    if not small.row or small.rank != 1:
        small, large = large, small
    factors = ir.factors(small.body)
    if sum(isinstance(factor, ir.Ref) for factor in factors) < 2 or any(map(is_sum, factors)):
        return False
    capital = isinstance(large.body, ir.Ref) and large.body.array[0].isupper()
    return small.row and small.rank == 1 and (large.rank == 2 or (capital and not large.row))


def _refuse_complex(run: Run, node: Infix) -> None:
    """The i of ``x_1 + i x_2``, where nothing counts with i or declares it, is the root of −1, and
    no number that is given; nor does it count in ``z_i = x_{2i} + i x_{2i+1}``."""
    _refuse_euler(run, node)
    if any("i" in known for known in (run.shapes, run.defined, run.parameters)):
        return
    for term, other in ((node.left, node.right), (node.right, node.left)):
        factors = term.factors if isinstance(term, Juxt) else ()
        units = [f for f in factors if isinstance(f, Name) and f.text == "i"]
        rest = [f for f in factors if f not in units and not isinstance(f, Num)]
        if units and rest and ("i" not in run.indices or _are_two_parts(other, rest[0])):
            raise _complex(run, units[0])


def _refuse_euler(run: Run, node: Infix) -> None:
    """The i of ``\\cos φ + i \\sin φ`` is the root of −1, also where an i counts or is given."""
    for real, imaginary in ((node.left, node.right), (node.right, node.left)):
        unit = roots.of_euler(real, imaginary)
        if unit is not None and unit.text not in run.shapes:
            raise _complex(run, unit)


def _complex(run: Run, unit: Name) -> ProblemError:
    text = "is an index here" if unit.text in run.indices else "counts nothing here"
    return error(
        "N2C037",
        f"`{unit.text}` {text}; if it is the root of −1, only turns are computed",
        unit.span,
        "write `e^{i \\varphi}`, or the real and the imaginary part by themselves",
    )


def _are_two_parts(real: Node, imaginary: Node) -> bool:
    """Whether two terms are elements of one array, or a cosine and a sine."""
    match real, imaginary:
        case Apply(Name("cos")), Apply(Name("sin")):
            return True
        case Script(), Script():
            return binders.bare(real) == binders.bare(imaginary) != ""
    return False


def _refuse_lost_identity(run: Run, node: Infix) -> None:
    """The 1 of ``1 - β k k^⊤`` is the identity matrix, as the k k^⊤ of one column is a matrix; or k
    is a row, and that is a number."""
    if not isinstance(node.left, Num):
        return
    products = (n.factors for n in walk(node.right) if isinstance(n, Juxt))
    for one, other in (pair for factors in products for pair in pairwise(factors)):
        mine, theirs = run.seen.understood(one), run.seen.understood(other)
        if mine is None or theirs is None or mine.transposed or not theirs.transposed:
            continue
        if run.quote(theirs.span).startswith(f"{run.quote(mine.span)}^"):
            raise error(
                "N2C033",
                f"`{run.quote(one.span.to(other.span))}` may be a number or a matrix",
                one.span.to(other.span),
                "write `I` before it, or `^\\top` on its first factor",
            )


def _is_of_examples(value: Value) -> bool:
    """Whether a value is the ``X w`` of a linear model, a number for each row of X."""
    match value.body:
        case ir.Reduce("sum", _, ir.Mul((ir.Ref("X", (_, _)), ir.Ref(weights, (_,))))):
            return weights in ("w", "beta", "theta")
    return False


def _lacking(run: Run, array: Value, value: Value) -> int:
    """How many axes an ε lacks that a value is made of, and that is the noise of an array: one that
    stands nowhere else, and is mixed with the array or has a deviation, a root or a σ, before it;
    or one that has a label, the ε_0 of a first step."""
    factors = ir.factors(value.body)
    noise = [f for f in factors if isinstance(f, ir.Ref) and letter(f) == "epsilon"]
    powers = [f for f in factors if isinstance(f, ir.Pow)]
    if len(noise) != 1 or any(power.exponent != ir.HALF for power in powers):
        return 0
    said = [node for node in run.seen.nodes.of(Name) if node.text in ("epsilon", "varepsilon")]
    spread = powers or any(letter(factor) == "sigma" for factor in factors)
    axes = {*map(find_index, value.axes)}
    # Where what stands beside it has axes, and is no deviation, the ε may well be a number.
    others = [f for f in factors if f is not noise[0] and letter(f) != "sigma"]
    if any(free_roots(other) & axes for other in others):
        return 0
    own = free_roots(noise[0]) & axes
    if (
        "_" in noise[0].array
        or noise[0].array in run.seen.drawn
        or (len(said) == 1 and (spread or _is_mixed(array)))
    ):
        return array.rank - len(own)
    return 0


def _is_mixed(value: Value) -> bool:
    """Whether a vector has a factor such as 1 - t."""
    factors = value.body.factors if isinstance(value.body, ir.Mul) else ()
    return any(isinstance(factor, ir.Add) and ir.ONE in factor.terms for factor in factors)
