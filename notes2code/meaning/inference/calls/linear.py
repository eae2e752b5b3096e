"""Linear layers written as words, ``Linear(x)`` and ``gate_proj(x)``, and the cosine of vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Span, error, note, warning
from notes2code.latex.tree import Dots, Group, Infix, Juxt, Node, Num, children
from notes2code.meaning import ir, names
from notes2code.meaning.inference import letters
from notes2code.meaning.inference.lists import concatenations
from notes2code.meaning.inference.run import Run, Symbol, find_index
from notes2code.meaning.inference.values import Value, contract, fresh, link, transpose
from notes2code.meaning.ir import Expr, Idx, Index, Ref, Size
from notes2code.meaning.notation import scripts


def layer(run: Run, name: Node, group: Group, span: Span) -> Value:
    """``Linear(x)``: x W + b with a weight and a bias of its own; ``Linear(x, d)`` gives d
    features."""
    given: Sequence[Node] = group.items
    _refuse_weights(run, group)
    wide: Expr | None = None
    if len(given) == 2 and _is_width(run, given[1]):
        wide = run.lower(given[1]).body
        given = given[:1]
    if len(given) > 1 or any(isinstance(item, Dots) for item in given):
        value = concatenations.concatenated(run, given, span)
    else:
        value = run.lower(given[0])
    if value.rank == 0:
        raise error("N2C041", "`Linear` needs a vector or a matrix", span)
    number = run.sites["linear"] = run.sites.get("linear", 0) + 1
    own = run.seen.use(name).name.split("_", 1)
    label = own[1] if len(own) > 1 else str(number)
    while f"W_{label}" in run.symbols or f"W_{label}" in run.seen.counted:
        label = f"linear_{label}"
    arrays = {e.array for e in ir.walk(value.body) if isinstance(e, ir.Ref) and e.array[:1] in "WU"}
    if any(run.symbols[name].written != _WEIGHT for name in arrays & run.symbols.keys()):
        run.problems.append(
            warning(
                "N2C051",
                "`Linear` has a weight of its own, and its argument is multiplied by one already",
                span,
                "write either `Linear(x)` or `xW + b`",
            )
        )
    features, hidden = Size("", 0, "feature"), Size("", 0, "feature")
    if wide is not None:
        hidden = wide if isinstance(wide, Size) else Size("", 2, "feature", wide)
    run.symbols[f"W_{label}"] = Symbol(f"W_{label}", (features, hidden), _WEIGHT, span)
    run.symbols[f"b_{label}"] = Symbol(f"b_{label}", (hidden,), "the bias", span)
    rows, columns, other = fresh(features), fresh(hidden), fresh(hidden)
    weight = Value(Ref(f"W_{label}", (Idx(rows), Idx(columns))), (rows, columns), span)
    bias = Value(Ref(f"b_{label}", (Idx(other),)), (other,), span)
    product = contract(run, value, weight, 0, span)
    link(run, product.axes[-1], other, span)
    return Value(ir.add(product.body, bias.body), product.axes, span)


def is_projection(run: Run, name: str) -> bool:
    """Whether a word names a projection of a program: ``gate_proj``, ``QProj``, and the ``gate``,
    ``up`` and ``down`` of a gated layer, which has the first two at once. A ``BallProj`` is none,
    nor is what the notes define."""
    word = names.as_word(name)
    made = run.scope.functions.keys() | run.scope.arrays | run.defined.keys()
    if name in made:
        return False
    if word in _OF_GATED:
        return {*map(names.as_word, run.seen.called - made)} >= _SIDE_BY_SIDE
    return word.endswith(_PROJECTION) and word.removesuffix(_PROJECTION).rstrip("_") in _PROJECTED


_PROJECTION = "proj"
_OF_GATED = frozenset(["gate", "up", "down"])
_SIDE_BY_SIDE = _OF_GATED - {"down"}
_PROJECTED = _OF_GATED | {"q", "k", "v", "o", "c", "qkv", "in", "out"}
"""What the weights of programs are called, before their ``_proj``."""


def projection(run: Run, name: str, group: Group, span: Span) -> Value:
    """``gate_proj(x)``: x W, with one weight wherever it is called."""
    value = run.lower(group.items[0])
    if value.rank == 0:
        raise error("N2C041", f"`{name}` needs a vector or a matrix", span)
    label = re.sub(f"_?{_PROJECTION}$", "", name, flags=re.IGNORECASE)
    weight = f"W_{label}"
    if weight in run.seen.counted:
        raise error("N2C033", f"`{weight}` stands beside `{name}`, whose weight it may be", span)
    if weight not in run.symbols:
        sizes = Size("", 0, "feature"), Size("", 0, "feature")
        run.symbols[weight] = Symbol(weight, sizes, _WEIGHT, span)
        text = f"`{name}` is taken to be a projection without a bias, `x {weight}`"
        run.problems.append(note("N2C039", text, span, "define it in a note to have another"))
    rows, columns = map(fresh, run.symbols[weight].axes)
    matrix = Value(Ref(weight, (Idx(rows), Idx(columns))), (rows, columns), span)
    return contract(run, value, matrix, 0, span)


def _refuse_weights(run: Run, group: Group) -> None:
    """The W of ``Linear(x; W)`` is the layer's own, and nothing says how x is multiplied by it."""
    behind = group.items[group.separators.index(";") + 1 :] if ";" in group.separators else ()
    if any(names.base_letter(run.seen.name_of(item)) in names.WEIGHTS for item in behind):
        where = behind[0].span.to(behind[-1].span)
        text = f"how `{run.quote(where)}` weighs the argument is not said"
        raise error("N2C033", text, where, "write `x W + b`, or leave the weights out")


def _is_width(run: Run, node: Node) -> bool:
    """Whether a node is a number, the name of a size, or a product of these, ``4d``."""
    if isinstance(node, Num):
        return True
    if isinstance(node, Juxt) or (isinstance(node, Infix) and node.op in "·×"):
        return all(_is_width(run, part) for part in children(node))
    return scripts.is_name(node) and letters.is_size(run, run.seen.use(node).name)


_WEIGHT = "the weight"
"""How the weight of such a layer, which no note writes, is told."""


def cosine(run: Run, left: Value, right: Value, span: Span) -> Value:
    """The dot product of two vectors over their lengths; that of each row where one is a matrix."""
    if not (1 <= left.rank <= 2 and 1 <= right.rank <= 2):
        raise error("N2C041", "a cosine stands between vectors, or the rows of matrices", span)
    turned = transpose(right, span) if right.rank == 2 else right
    product = contract(run, left, turned, 0, span)
    lengths = [ir.inverse(length(value)) for value in (left, right)]
    return replace(product, body=ir.mul(product.body, *lengths), span=span)


def length(value: Value) -> Expr:
    """The length of a vector, or of each row of a matrix."""
    copy = Index("", find_index(value.axes[-1]).size)
    body = ir.substitute(value.body, {find_index(value.axes[-1]): Idx(copy)})
    return ir.Pow(ir.Reduce("sum", copy, ir.Pow(body, ir.Num(2))), ir.HALF)
