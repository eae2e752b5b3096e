"""softmax, and the axis along which it is taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from notes2code.diagnostics import Span, error, note, warning
from notes2code.latex.tree import (
    Dots,
    Group,
    Name,
    Neg,
    Node,
    Num,
    Prose,
    Relation,
    Script,
    unscripted,
    walk,
    words_in,
)
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls import masks, projected
from notes2code.meaning.inference.indices.reach import limit
from notes2code.meaning.inference.lists import lists
from notes2code.meaning.inference.ranks.keys_first import are_keys_first
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.sums import conditions
from notes2code.meaning.inference.values import (
    FIRST_AXIS,
    Value,
    free_roots,
    settled,
    shape_text,
    uses,
)
from notes2code.meaning.ir import Equation, Expr, Idx, Index, Softmax
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.notation.scripts import is_name


def called(run: Run, name: Node, group: Group, span: Span) -> Value:
    """``softmax(…)``, ``softmax_j(…)``, ``softmax(a_1, …, a_n)``."""
    axis = _named_axis(run, name)
    where, along = _said_below(run, name, axis)
    items = [item for item in group.items if not isinstance(item, Prose)]
    if len(items) == 2 and isinstance(items[1], Relation):
        along = _numbered_axis(items[1])
        where = None if along is not None else conditions.condition(run, items[1])
        items = items[:1]
    value = _argument(run, group, items)
    if (label := _label(run, name)) and masks.of_words(run, label):
        value = masks.masked(run, value, label, "mask", span)
    elif along is None and (axis is None or not uses(value.body, axis)):
        _refuse_unclear(run, name, label)
    if axis is not None and uses(value.body, axis):
        return _of_family(run, value, axis, where, span)
    sub = name.sub if isinstance(name, Script) else None
    if value.rank and _is_summed_over(run, value):
        run.pay(2.2)  # inside Σ_i the scores of k_i are numbers wherever they can be
    if value.rank and not _is_indexed(run, group):
        return _of_array(run, value, where, span, along)
    if isinstance(sub, Name) and len(sub.text) == 1:
        raise error(
            "N2C031",
            f"nothing in the softmax depends on the index `{sub.text}`",
            sub.span,
            "name the index over which it runs",
        )
    if value.rank:
        return _of_array(run, value, where, span, along)
    return _of_numbers(run, value, where, span)


def _said_below(run: Run, name: Node, axis: Index | None) -> tuple[Expr | None, int | None]:
    """The condition that stands below a softmax, and the number of the axis along which it goes."""
    along = _COLUMNS if _names_columns(name) else None
    if not (isinstance(name, Script) and isinstance(name.sub, Relation)):
        return None, along
    conditioned = axis is not None and name.sub.signs != ("=",)
    along = _numbered_axis(name.sub)
    return conditions.condition(run, name.sub) if conditioned else None, along


def _argument(run: Run, group: Group, items: Sequence[Node]) -> Value:
    """The value that a softmax is given: one array, or the list of numbers in its parentheses."""
    numbers = len(items) > 1 and all(map(_is_number, items))
    if numbers or any(isinstance(item, Dots) for item in items):
        return lists.listed(run, Group("[", tuple(items), group.separators, group.span))
    if len(items) != 1:
        raise error(
            "N2C041",
            f"softmax takes one argument, not {len(items)}",
            group.span,
            "put a list into brackets",
        )
    masks.warn_of_zeros(run, items[0])
    value = run.lower(items[0])
    if value.rank and _is_list(items[0]) and _are_vectors(value):
        run.pay(3.4)  # the x_i of softmax((x_i)_{i=1}^n) are numbers
    _doubt_outer(run, value)
    _doubt_number(run, value)
    _doubt_distance(run, value)
    return value


def _of_numbers(run: Run, value: Value, where: Expr | None, span: Span) -> Value:
    """The softmax of numbers over the index that they imply."""
    if any(_tells_heads(value, find_index(run.indices[x])) for x in run.summed):
        run.pay(2.2)  # the scores of a head are those of all tokens
    if _is_row(run):
        run.pay(2.2)  # the e_i of α_{ij} = softmax(e_i) are rows
    over = _implied_index(run, value, span)
    if _has_temperatures(value, over):
        run.pay(2.2)  # the z_t of softmax(z_t / τ_t) is a vector: one softmax has one temperature
    # What it weighs is added up over an index that the left-hand side has not.
    counted = {
        find_index(run.indices[x]): x in run.summed or x not in run.on_left for x in run.indices
    }
    return replace(_of_family(run, value, over, where, span), implied=not counted.get(over, False))


def _has_temperatures(value: Value, index: Index) -> bool:
    """Whether a number is divided by a τ that depends on an index."""
    factors = value.body.factors if isinstance(value.body, ir.Mul) else ()
    below = (part.base for part in factors if isinstance(part, ir.Pow))
    arrays = (one.array for one in below if isinstance(one, ir.Ref) and uses(one, index))
    return any(names.base_letter(array) in ("tau", "T") for array in arrays)


def _is_list(node: Node) -> bool:
    """Whether a node lists elements: ``(x_1, …, x_n)``, ``(x_i)_{i=1}^n``."""
    group = unscripted(node)
    ranged = isinstance(node, Script) and binders.family_range(node) is not None
    dotted = isinstance(group, Group) and any(isinstance(item, Dots) for item in group.items)
    return ranged or dotted


def _are_vectors(value: Value) -> bool:
    """Whether what is listed are elements of one input, and vectors."""
    refs = [part for part in ir.walk(settled(value.body)) if isinstance(part, ir.Ref)]
    return len(refs) == 1 and len(refs[0].at) > 1


def _doubt_outer(run: Run, value: Value) -> None:
    """The scores of a query and keys are no outer product of two vectors."""
    if value.rank != 2:
        return
    axes, body = set(map(find_index, value.axes)), settled(value.body)
    free = free_roots(body)
    for expr in ir.walk(body):
        factors = expr.factors if isinstance(expr, ir.Mul) else ()
        refs = [(f, free_roots(f)) for f in factors if isinstance(f, ir.Ref)]
        vectors = [f for f, own in refs if len(own & axes) == 1 and own <= free]
        if {"q", "k"} <= {vector.array[0].lower() for vector in vectors}:
            text = "the softmax would be of the outer product of a query and a key"
            run.conflict(3, text, value.span)


def _doubt_distance(run: Run, value: Value) -> None:
    """What ``(q - k_i)^2`` compares with each of several gives a number for each, and the softmax
    goes over these: not over the features that q would have as a vector."""
    axes = set(map(find_index, value.axes))
    letters = set(map(find_index, run.indices.values())) - axes
    for square in ir.walk(settled(value.body)):
        if not isinstance(square, ir.Pow) or square.exponent != ir.Num(2):
            continue
        sums = (part for part in ir.walk(square.base) if isinstance(part, ir.Add))
        placed = [[free_roots(term) & letters for term in one.terms] for one in sums]
        if not any(any(terms) and not all(terms) for terms in placed):
            continue
        refs = {part.array for part in ir.walk(square.base) if isinstance(part, ir.Ref)}
        if free_roots(square) & axes or any(map(run.seen.is_bold, refs)):
            text = f"`{run.quote(value.span)}` compares vectors element by element, and the softmax"
            run.conflict(5, f"{text} needs one number for each", value.span)
        elif any(names.base_letter(name).lower() in _COMPARED for name in refs):
            text = f"`{run.quote(value.span)}` is taken to compare numbers"
            hint = "write `\\|q - k_i\\|^2` for the distance of vectors"
            run.problems.append(note("N2C039", text, value.span, hint))
        return


_COMPARED = frozenset(["q", "k", "query", "key"])
"""Names of vectors, and in a kernel of numbers."""


def _doubt_number(run: Run, value: Value) -> None:
    """A number that is added to all scores changes nothing, so the g of ``softmax(\\log p + g)`` is
    a vector, and so is the p; the c of ``softmax(x + c)`` only shows that."""
    for part in ir.factors(value.body):
        for term in part.terms if value.rank == 1 and isinstance(part, ir.Add) else ():
            logs = [one.arguments[0] for one in ir.walk(term) if _is_log(one)]
            for one in (term, *logs):
                if isinstance(one, ir.Ref) and not one.at and one.array not in _NUMBERS:
                    run.pay(0.0 if one.array in run.shapes | run.defined else 2.2)
        for term in part.terms if value.rank and isinstance(part, ir.Add) else ():
            if isinstance(term, ir.Reduce | ir.Mul) and _is_same_for_all(term, value):
                text = "what is added to all scores as one number changes nothing in their softmax"
                hint = "declare the shapes, or write the indices of what should be an array"
                run.problems.append(warning("N2C050", text, value.span, hint))
                run.pay(2.4)  # q_j k_jᵀ + B_j of matrices
            elif isinstance(term, ir.Mul) and (place := _place_of_nobody(term)):
                text = f"`{place}` is one number for all scores here, and changes nothing in their"
                hint = f"write the scores for one key, as in `q^\\top k_{place}`, if it counts keys"
                run.problems.append(warning("N2C050", f"{text} softmax", value.span, hint))


def _place_of_nobody(term: ir.Mul) -> str:
    """The j of ``softmax(q K^⊤ - m j)``, a letter of places that nothing binds, beside a slope; ""
    where there is none."""
    named = [part for part in term.factors if not isinstance(part, ir.Num)]
    numbers = [part.array for part in named if isinstance(part, ir.Ref) and not part.at]
    sizes = sum(isinstance(part, ir.Size) for part in named)
    if len(numbers) + sizes != len(named) or len(named) < 2:
        return ""
    return next((name for name in numbers if name in names.INDEX_LETTERS), "")


def _is_same_for_all(term: Expr, value: Value) -> bool:
    """Whether a term is made by a product, and has none of the axes of a value."""
    made = sum(isinstance(part, ir.Ref) and bool(part.at) for part in ir.walk(term)) > 1
    return made and free_roots(term).isdisjoint(map(find_index, value.axes))


_NUMBERS = frozenset(["c", "alpha", "beta", "gamma", "lambda_", "tau"])
"""Letters of numbers, which may be added to show that it changes nothing."""


def _is_log(expr: Expr) -> TypeGuard[ir.Fn]:
    return isinstance(expr, ir.Fn) and expr.name == "log"


def _is_row(run: Run) -> bool:
    """Whether the left-hand side has an index of its own beside those of the scores."""
    assert run.whole is not None
    inside = words_in(run.whole)
    return len(run.on_left) > 1 and len(run.on_left - inside) == 1


_SOFTMAX = re.compile(r"softmax.*|((causal|masked|mask)_?)+softmax")
_SAID = frozenset("row rows key keys last dim minus_1".split())
"""Words below softmax that only say that it goes along the last axis."""


def is_softmax(name: str) -> bool:
    """Whether a name is softmax, or one of masked scores: ``masked_softmax``."""
    return _SOFTMAX.fullmatch(name.lower()) is not None


def is_defined(equation: Equation) -> bool:
    """Whether it only says what softmax is, ``softmax(x)_i = e^{x_i} / Σ_j e^{x_j}``: uses of the
    name may then have all the scripts and masks that the field knows."""
    indices, body = equation.value.indices, equation.value.body
    if not is_softmax(equation.name) or len(equation.inputs) != 1 or len(indices) != 1:
        return False
    match body:
        case ir.Mul((above, ir.Pow(ir.Reduce("sum", index, below, None), ir.MINUS_ONE))):
            given = equation.inputs[0].name
            kinds = (_exponent(above, given, indices[0]), _exponent(below, given, index))
            return not equation.definitions and kinds[0] == kinds[1] != ""
    return False


def _exponent(expr: Expr, array: str, index: Index) -> str:
    """Whether an expression is ``e^{x_i}``, plain or less the largest ("shifted"); else ""."""
    own = ir.Ref(array, (Idx(index),))
    match expr:
        case ir.Fn("exp", (exponent,)) if exponent == own:
            return "plain"
        case ir.Fn("exp", (ir.Add((first, ir.Mul((ir.MINUS_ONE, largest)))),)) if first == own:
            match largest:
                case ir.Reduce("max", over, body, None) if body == ir.Ref(array, (Idx(over),)):
                    return "shifted"
    return ""


def _label(run: Run, name: Node) -> str:
    """What the name says beside softmax: the ``causal`` of ``softmax_{causal}``."""
    return run.seen.use(name).name.lower().replace("softmax", "", 1).strip("_")


def _refuse_unclear(run: Run, name: Node, label: str) -> None:
    """What stands at softmax and changes nothing is told; what may be a temperature, another
    function or fewer keys is refused."""
    scripts = (name.sub, name.sup) if isinstance(name, Script) else ()
    unclear = any(
        isinstance(s, Relation) or (isinstance(s, Name) and s.text in names.GREEK | {"T"})
        for s in scripts
    )
    limits = not _LIMITS.isdisjoint(re.split(r"[_\W]+", label))
    if unclear or limits or label.isdigit() or run.seen.use(name).power is not None:
        raise error(
            "N2C037",
            f"what `{run.quote(name.span)}` means is not said",
            name.span,
            "a temperature divides the scores, `softmax(z / \\tau)`, and a condition stands behind "
            "them, `softmax(z_j \\mid j \\le i)`",
        )
    if label and label not in _SAID | _COLUMN_WORDS:
        text = f"`{run.quote(name.span)}` is taken to be the usual softmax"
        help_text = "the code computes that; leave the label out, or write what it stands for"
        run.problems.append(warning("N2C050", text, name.span, help_text))


_LIMITS = frozenset(
    "local window windowed sparse topk top block blocks blockwise chunk chunked strided stride "
    "neighbors neighbours neighborhood sliding band banded".split()
)
"""Words below softmax that leave keys out, and do not say which."""


def _named_axis(run: Run, name: Node) -> Index | None:
    """The index in ``softmax_j``, ``softmax_{j=1}``, ``softmax_{j \\le i}``, and in
    ``softmax_{j \\in N_i}``."""
    sub = name.sub if isinstance(name, Script) else None
    if isinstance(sub, Relation) and len(sub.signs) == 1 and sub.signs[0] in "=≤<≥>∈":
        sub = sub.operands[0]
    return run.indices.get(sub.text) if isinstance(sub, Name) else None


def _is_number(node: Node) -> bool:
    return isinstance(node.body if isinstance(node, Neg) else node, Num)


_COLUMNS = -2
_COLUMN_WORDS = frozenset(["col", "cols", "column", "columns"])


def _is_indexed(run: Run, group: Group) -> bool:
    """Whether an array is written by its elements, ``S_{ij}``."""
    uses = (run.seen.use(node) for node in walk(group) if is_name(node))
    return any(len(use.indices) > 1 for use in uses)


def _names_columns(name: Node) -> bool:
    """Whether it is ``softmax_{col}``."""
    sub = name.sub if isinstance(name, Script) else None
    return sub is not None and names.label(sub) in _COLUMN_WORDS


def _numbered_axis(relation: Relation) -> int | None:
    """The axis in ``dim=-1``."""
    left, right = relation.operands[0], relation.operands[-1]
    if not isinstance(left, Name) or left.text not in ("dim", "axis") or relation.signs != ("=",):
        return None
    sign, number = (-1, right.body) if isinstance(right, Neg) else (1, right)
    return sign * int(number.text) if isinstance(number, Num) and number.text.isdigit() else None


def _of_family(run: Run, value: Value, index: Index, where: Expr | None, span: Span) -> Value:
    """The softmax of a number that depends on an index, over all values that it takes here: inside
    a sum over ``j ≤ i`` those alone."""
    if value.rank:
        run.pay(2.2)  # scores are numbers wherever they can be
    where = run.within.get(index) if where is None else where
    over = Index(index.name, index.size, index.start)
    body = ir.substitute(settled(value.body), {index: Idx(over)})
    reach = None if where is None else ir.substitute(settled(where), {index: Idx(over)})
    return Value(Softmax(over, body, Idx(index), reach), value.axes, span)


def _of_array(run: Run, value: Value, where: Expr | None, span: Span, asked: int | None) -> Value:
    """The softmax of an array along the axis that is asked for, else along its last one, unless a
    later product says otherwise."""

    def along(axis: int) -> Expr:
        index = value.axes[axis]
        over = Index("", index.size)
        body = ir.substitute(settled(value.body), {find_index(index): Idx(over)})
        within = limit(run, index, over) if where is None else where
        return Softmax(over, body, Idx(index), within)

    if asked is not None:
        if not -value.rank <= asked < value.rank:
            raise error("N2C041", f"{shape_text(value)} has no such axis", span)
        return Value(along(asked % value.rank), value.axes, span, value.row)
    last = value.rank - 1
    axis = _keys_axis(run, value, span) if value.rank == 2 else last
    size = find(find_index(value.axes[axis]).size)
    if size.kind == "feature" and size.rank and not _is_biased(value):
        run.conflict(2, f"softmax is taken over features ({size.name}), not positions", span)
    return Value(along(axis), value.axes, span, value.row, along)


def _is_biased(value: Value) -> bool:
    """Whether a bias is added along the last axis: the softmax of a layer goes over its outputs."""
    terms = value.body.terms if isinstance(value.body, ir.Add) else ()
    biases = [term for term in terms if isinstance(term, ir.Ref) and term.array[0] == "b"]
    last = {find_index(value.axes[-1])}
    return any(free_roots(bias) == last for bias in biases)


def _keys_axis(run: Run, value: Value, span: Span) -> int:
    """The axis of the keys where custom names it: the first in ``softmax(KᵀQ)``, and in a column
    of scores."""
    first, last = (find(find_index(axis).size).name for axis in value.axes)
    if (first == "m" and last == "n") or are_keys_first(run, value):
        run.problems.append(note("N2C039", f"{FIRST_AXIS}, that of the keys", span))
        return 0
    if projected.is_of_columns(value) and _has_bias(value, 0):
        text = f"{FIRST_AXIS}, what the weight makes"
        run.problems.append(note("N2C039", text, span))
        return 0
    if last == "1" != first:
        text = f"{FIRST_AXIS}: the last one has a single element"
        run.problems.append(note("N2C039", text, span))
        run.pay(2.2 * _has_bias(value, -1))  # which is as long as the column
        return 0
    return 1


def _has_bias(value: Value, axis: int) -> bool:
    """Whether a vector is added to a matrix along an axis: 0 to each column, -1 to each row."""
    body = settled(value.body)
    along = Idx(find_index(value.axes[axis]))
    terms = body.terms if isinstance(body, ir.Add) else ()
    return any(isinstance(term, ir.Ref) and term.at == (along,) for term in terms)


def _is_summed_over(run: Run, value: Value) -> bool:
    """Whether a value depends on an index of a sum around it, but for one of heads."""
    letters = run.indices.keys() & {*run.summed} - {scripts.HEAD}
    counted = {find_index(run.indices[letter]) for letter in letters}
    return any(
        index in free_roots(value.body) and not _tells_heads(value, index) for index in counted
    )


def _tells_heads(value: Value, index: Index) -> bool:
    """Whether an index tells apart nothing but projections, the W^Q_i and W^K_i of
    ``X W^Q_i (X W^K_i)^\\top``: there is one of each for a head, and none for a key."""
    refs = [part for part in ir.walk(settled(value.body)) if isinstance(part, ir.Ref)]
    told = {ref.array for ref in refs if uses(ref, index)}
    return bool(told) and all(map(names.label_of_projection, told))


def _implied_index(run: Run, value: Value, span: Span) -> Index:
    """The index that a softmax of a number runs over: the innermost sum's, else the last one
    on the left-hand side that the number depends on, and one of heads last."""
    free = free_roots(value.body)
    letters = [*reversed(run.summed), *reversed(run.target_letters), *reversed(run.seen.free)]
    for letter in sorted(letters, key=run.seen.of_heads.__contains__):
        index = run.indices.get(letter)
        if index is not None and find_index(index) in free:
            return find_index(index)
    if len(free) == 1:
        return next(iter(free))
    raise error(
        "N2C041",
        "softmax of a single number: over what it runs is not said",
        span,
        "write the index below it (`softmax_j`), or give it a vector",
    )
