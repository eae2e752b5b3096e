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
    walk,
)
from notes2code.meaning import (
    bigs,
    binders,
    calls,
    cells,
    families,
    indicators,
    ir,
    matrices,
    membership,
    names,
    powers,
    products,
    properties,
    scripts,
    symbols,
)
from notes2code.meaning.run import Run, find_index
from notes2code.meaning.values import (
    Value,
    elementwise,
    free_roots,
    mapped,
    reduce_all,
    scalar,
    uses,
)


def _number(run: Run, node: Num) -> Value:
    text = node.text
    value = int(text) if text.isdigit() else Fraction(text if text[0] != "." else f"0{text}")
    return scalar(ir.Num(value), node.span)


def _name(run: Run, node: Name | Script | Accent) -> Value:
    if (indicator := indicators.below(run, node)) is not None:
        return indicator
    if not scripts.is_name(node):
        return powers.scripted(run, node)
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
    if isinstance(node, Script) and powers.is_exponential(run, node):
        return powers.exponential(run, node)
    value, use = symbols.name_value(run, node)
    if use.power is not None:
        return powers.power(run, value, use.power, node.span)
    return value


def _is_slice(run: Run, sub: Node) -> bool:
    """Whether a part of an axis stands below: ``:k``, ``k:`` or ``0:d/2``."""
    letters = [i.text for i in scripts.of_whole_axes(sub) if isinstance(i, Name)]
    if not isinstance(sub, Group) or (letters and run.seen.bound.issuperset(letters)):
        return False
    ends = [item for item in sub.items if isinstance(item, Frac) or _is_quotient(item)]
    pieces = ":" in sub.separators and (bool(ends) or len(sub.items) == 1)
    return pieces or any(isinstance(item, Stroke) and item.text == ":" for item in sub.items)


def _is_quotient(node: Node) -> bool:
    return isinstance(node, Infix) and node.op == "/"


_NOT_COMPUTED = {
    "partial": "a partial derivative",
    "nabla": "a gradient",
    "emptyset": "the empty set",
}


def _infix(run: Run, node: Infix) -> Value:
    if (repeated := families.repeated(run, node)) is not None:
        return repeated
    if node.op in ("+", "-"):
        _refuse_lost_identity(run, node)
        _refuse_complex(run, node)
        left = run.lower(node.left)
        right = cells.beside(run, node, left) or run.lower(node.right)
        symbols.forbid_own_element(run, (node.left, node.right), left, right)
        if left.rank and properties.looks_like_shape(node.right):
            raise error(
                "N2C043",
                f"`{run.quote(node.right.span)}` looks like a shape, not like a number",
                node.right.span,
                "if the sign before it is a dash, put the shape outside the formula",
            )
        sign: Callable[[ir.Expr], ir.Expr] = ir.negative if node.op == "-" else (lambda e: e)
        value = elementwise(run, left, right, lambda a, b: ir.add(a, sign(b)), node.span)
        small, large = (left, right) if left.rank <= right.rank else (right, left)
        ranks = (small.rank, large.rank)
        shifted = value.rank == 2 and small.rank == 0
        one = value.rank == 1 and isinstance(node.left, Num) and node.left.text == "1"
        if value.rank and small.rank == 0 and any(map(_is_sum, _factors(small))):
            array = large.body
            if value.rank == 1 and isinstance(array, ir.Ref) and array.array in run.shapes:
                text = f"`{run.quote(node.span)}` would add a vector to a dot product"
                run.conflict(3 if len(array.at) == 1 else 0, text, node.span)
            run.pay(2.2)  # what is added to a dot product is a number wherever it can be one
        elif shifted and any(isinstance(f.body, ir.Size) for f in _factors(small)):
            run.pay(0.8)  # what counts features is not added to a matrix
        elif left.rank == 0 and products.is_gain(run, right) and free_roots(left.body):
            run.pay(1.2)  # the β of γ \\hat x_i + β is a number, as the element is
        elif ranks == (0, 1) and _is_of_pair(small):
            run.pay(2.6)  # what a pair of positions adds to a vector, k_j + r_ij, is a vector
        elif ranks == (1, 2) and _is_row_on_outer(run, left, right):
            text = f"`{run.quote(node.span)}` would add a vector to each row of an outer product"
            run.conflict(3, text, node.span)
        elif ranks == (1, 2) and _is_row_on_state(run, left, right):
            text = f"`{run.quote(node.span)}` would add a vector to each row of a state"
            run.conflict(3, text, node.span)
        elif ranks == (1, 2) and not _is_bias(small):
            # Only a bias is added to every row, and no row to the next layer's matrix.
            run.pay(1.2 if _are_of_one_family(left, right) else 0.6)
            if any(map(_is_sum, _factors(small))):
                text = f"`{run.quote(node.span)}` adds a vector to each row of a matrix"
                run.problems.append(note("N2C039", text, node.span))
        elif ranks == (1, 2) and _is_across(left, right):
            run.pay(1.2)  # the b of W A + b is as long as the columns of W
        elif ranks == (0, 1) and right.rank == 0 and _is_noise(run, right) and _is_mixed(left):
            run.pay(1.2)  # the ε of (1 - t) x + t ε is of the kind of x
        elif left.rank != right.rank and _are_mixed(left, right):
            run.pay(1.2)  # the m and g of b m + (1 - b) g are of one kind
        elif ranks == (1, 2) and _is_scaled(large):
            run.pay(1.2)  # the h_ij of W h_ij + b is a vector
        elif left.rank != right.rank and (
            _are_of_one_family(left, right)
            or (left.rank == 1 and _is_bias(right))
            or (not run.seen.attends and _is_sum(left) and _is_plain_letter(right))
        ):
            run.pay(1.2)  # the x_i and p_i of a sum, a vector and its bias, are of one kind
        elif not run.seen.normalises and 0 == small.rank < large.rank and _is_element(run, large):
            run.pay(1.1)  # the y_i of y_i + ε/K is a number as what is added is
        shifted = shifted or (one and right.rank == 1 and node.op == "+")
        return replace(value, shifted=True) if shifted else value
    return products.explicit(run, node)


def _refuse_complex(run: Run, node: Infix) -> None:
    """The i of ``x_1 + i x_2``, where nothing counts with i or declares it, is the root of −1, and
    no number that is given; nor does it count in ``z_i = x_{2i} + i x_{2i+1}``."""
    if any("i" in known for known in (run.shapes, run.defined, run.parameters)):
        return
    for term, other in ((node.left, node.right), (node.right, node.left)):
        factors = term.factors if isinstance(term, Juxt) else ()
        units = [f for f in factors if isinstance(f, Name) and f.text == "i"]
        rest = [f for f in factors if f not in units and not isinstance(f, Num)]
        if units and rest and ("i" not in run.indices or _are_two_parts(other, rest[0])):
            text = "is an index here" if "i" in run.indices else "counts nothing here"
            raise error(
                "N2C037",
                f"`i` {text}; if it is the root of −1, only turns are computed",
                units[0].span,
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


def _are_of_one_family(left: Value, right: Value) -> bool:
    """Whether two terms are elements of arrays at the same index, or go by one letter."""
    if not isinstance(left.body, ir.Ref) or not isinstance(right.body, ir.Ref):
        return False
    if names.base_letter(left.body.array) == names.base_letter(right.body.array):
        return True
    return bool(left.body.at) and bool(right.body.at) and left.body.at[0] == right.body.at[0]


def _is_row_on_state(run: Run, left: Value, right: Value) -> bool:
    """Whether a product that is a vector is added to the matrix that the formula makes the next
    one of, scaled or not, to the ``γ S_{t-1}`` of S_t; or is a sum over that one's rows."""
    row, matrix = sorted((left, right), key=_rank)
    made_of = [f for factor in _factors(row) if _is_sum(factor) for f in ir.walk(factor.body)]
    if any(isinstance(part, ir.Ref) and part.array in run.defines for part in made_of):
        return True  # the sum of the rows of a state is no next state
    state = (f.body.array in run.defines for f in _factors(matrix) if isinstance(f.body, ir.Ref))
    return any(state) and not isinstance(row.body, ir.Ref)


def _is_bias(value: Value) -> bool:
    return isinstance(value.body, ir.Ref) and bool(value.body.at) and value.body.array[0] == "b"


def _is_of_pair(value: Value) -> bool:
    """Whether a value is an element of an array at two indices, ``r_{ij}`` or ``r_{j-i}``."""
    return isinstance(value.body, ir.Ref) and len(ir.free_indices(value.body)) == 2


def _rank(value: Value) -> int:
    return value.rank


def _is_row_on_outer(run: Run, left: Value, right: Value) -> bool:
    """Whether a sum such as the α S of ``α S + k v^⊤`` is a vector, and what it is added to an
    outer product: both are matrices, but for what is read wrong."""
    row, matrix = sorted((left, right), key=_rank)
    if not any(isinstance(factor.body, ir.Reduce) for factor in _factors(row)):
        return False
    axes = [find_index(axis) for axis in matrix.axes]
    used = [[axis for axis in axes if uses(factor.body, axis)] for factor in _factors(matrix)]
    return [axes[0]] in used and [axes[1]] in used and axes not in used


def _is_across(left: Value, right: Value) -> bool:
    """Whether a bias is added along the rows of a product ``W A``."""
    bias, matrix = (left, right) if left.rank == 1 else (right, left)
    if not _is_bias(bias) or find_index(bias.axes[0]) is not find_index(matrix.axes[1]):
        return False
    rows, columns = (
        {
            names.base_letter(part.array)
            for part in ir.walk(matrix.body)
            if isinstance(part, ir.Ref)
            and any(
                isinstance(at, ir.Idx) and find_index(at.index) is find_index(axis)
                for at in part.at
            )
        }
        for axis in matrix.axes
    )
    return rows == {"W"} and not columns & {"W"}


def _is_noise(run: Run, value: Value) -> bool:
    """Whether a value is a number times an ε that stands nowhere else."""
    factors = value.body.factors if isinstance(value.body, ir.Mul) else ()
    noise = [f.array for f in factors if isinstance(f, ir.Ref) and f.array.startswith("epsilon")]
    said = [node for node in run.seen.nodes.of(Name) if node.text in ("epsilon", "varepsilon")]
    divided = any(isinstance(factor, ir.Pow) for factor in factors)
    return len(noise) == len(said) == 1 and not divided


def _are_mixed(left: Value, right: Value) -> bool:
    """Whether two terms have the factors b and 1 - b."""
    factors = [v.body.factors if isinstance(v.body, ir.Mul) else () for v in (left, right)]
    weights = [{f for f in own if isinstance(f, ir.Ref | ir.Num)} for own in factors]
    rests = [{f for f in own if isinstance(f, ir.Add)} for own in factors]
    return any(
        ir.add(ir.ONE, ir.negative(weight)) in rests[1 - at]
        for at in (0, 1)
        for weight in weights[at]
    )


def _is_mixed(value: Value) -> bool:
    """Whether a vector has a factor such as 1 - t."""
    factors = value.body.factors if isinstance(value.body, ir.Mul) else ()
    return any(isinstance(factor, ir.Add) and ir.ONE in factor.terms for factor in factors)


def _is_scaled(value: Value) -> bool:
    """Whether a matrix is a number times a matrix."""
    return isinstance(value.body, ir.Mul) and any(
        isinstance(factor, ir.Ref) and len(factor.at) > 1 for factor in value.body.factors
    )


def _is_plain_letter(value: Value) -> bool:
    """Whether a value is a number and a lower-case Latin letter: added to a linear map, as in
    x V + c, it is a bias, and should be a vector."""
    if value.rank or not isinstance(value.body, ir.Ref):
        return False
    base = names.base_letter(value.body.array)
    return len(base) == 1 and base.islower()


def _is_element(run: Run, value: Value) -> bool:
    """Whether a vector is one for each index of the left-hand side."""
    letters = (run.indices[x] for x in run.target_letters if x in run.indices)
    return not free_roots(value.body).isdisjoint(map(find_index, letters))


def _is_sum(value: Value) -> bool:
    """Whether a value is a sum over an index, such as a dot product or a linear map."""
    return isinstance(value.body, ir.Reduce) and value.body.kind == "sum"


def _factors(value: Value) -> list[Value]:
    """The factors of a product, which may be scaled as ``qᵀk / √d`` is."""
    parts = value.body.factors if isinstance(value.body, ir.Mul) else (value.body,)
    return [replace(value, body=part) for part in parts]


def _negative(run: Run, node: Neg) -> Value:
    return mapped(run.lower(node.body), ir.negative, node.span)


def _root(run: Run, node: Root) -> Value:
    body = run.lower(node.body)
    if body.rank > 1:
        raise error("N2C041", "the root of a matrix is not defined", node.span)
    degree = ir.HALF
    if node.degree is not None:
        exponent = run.lower(node.degree)
        return mapped(body, lambda e: ir.Pow(e, ir.inverse(exponent.body)), node.span)
    return mapped(body, lambda e: ir.Pow(e, degree), node.span)


def _fraction(run: Run, node: Frac) -> Value:
    if powers.is_derivative(node):
        raise error("N2C037", "a derivative cannot be computed", node.span)
    return products.divide(run, run.lower(node.top), run.lower(node.bottom), node.span)


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
        return replace(run.lower(only), span=node.span)
    if not node.items:
        raise error("N2C024", "nothing stands in these parentheses", node.span)
    return families.listed(run, node)


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
    ):
        return scalar(run.size(names.code_name(inner.text)), node.span)
    if node.open == "|":
        _refuse_counted(run, inner)
    value = run.lower(inner)
    if value.rank == 0:
        length = node.open == "‖" or _is_length(run, inner)
        run.pay(powers.NO_VECTOR if length else 0)
        return mapped(value, lambda e: ir.Fn("abs", (e,)), node.span)
    if node.open == "|" and value.rank > 1:
        raise error(
            "N2C033",
            "the bars may mean a determinant or a norm",
            node.span,
            "write `\\|…\\|` for a norm",
        )
    if node.open == "|":
        text = f"`{run.quote(node.span)}` is taken as the Euclidean norm of a vector"
        help_text = (
            "write `\\|…\\|` to make it plain, or a letter for a number of elements or tokens"
        )
        run.problems.append(note("N2C039", text, node.span, help_text))
    squares = mapped(value, lambda e: ir.Pow(e, ir.Num(2)))
    return scalar(ir.Pow(reduce_all("sum", squares), ir.HALF), node.span)


def _refuse_counted(run: Run, inner: Node) -> None:
    """``5 + |y|``, where y stands nowhere else, and ``1/|y| Σ_t …`` may count the tokens of y."""
    use = run.seen.understood(inner)
    if use is None or use.name in run.shapes | run.defined:
        return
    bars = [g for g in run.seen.nodes.of(Group) if g.open == "|" and g.items]
    inside = [g for g in bars if _names(run, g.items[0]) == use.name]
    everywhere = [n for n in run.seen.nodes.of(Name, Script) if _names(run, n) == use.name]
    added = any(
        infix.op == "+" and isinstance(infix.left, Num) and infix.right in inside
        for infix in run.seen.nodes.of(Infix)
    )
    products = (pair for node in run.seen.nodes.of(Juxt) for pair in pairwise(node.factors))
    mean = any(
        isinstance(part, Frac) and part.bottom in inside and isinstance(total, Big)
        for part, total in products
    )
    if mean or (added and len(everywhere) == len(inside)):
        text = (
            f"`|{run.quote(inner.span)}|` may be a number of tokens, a norm or the size of a number"
        )
        raise error("N2C033", text, inner.span, "write a letter for the length, such as `n`")


def _names(run: Run, node: Node) -> str:
    use = run.seen.understood(node)
    return "" if use is None else use.name


def _is_length(run: Run, node: Node) -> bool:
    use = run.seen.understood(node)
    return use is not None and use.name in run.seen.lengths


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
    Juxt: products.juxtaposed,
    Apply: calls.applied,
    Big: bigs.big,
    Matrix: matrices.matrix,
    Relation: _refuse("a relation inside a formula"),
    Dots: _refuse("an ellipsis with nothing to continue"),
    Prose: _refuse("text"),
    Stroke: _refuse("a sign without operands"),
}
