"""Sizes: what the names of declared axes stand for, and which axis a number such as d_k counts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from notes2code.diagnostics import Problem, Span, note
from notes2code.latex.tree import Frac, Infix, Juxt, Node, Script, children
from notes2code.latex.tree import Num as Number
from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.ir import Expr, Idx, Index, Num, Reduce, Ref, Size
from notes2code.meaning.notation import scripts, written_sizes
from notes2code.meaning.stated import Declare, Define, Fact, Statement


def told(stated: tuple[Statement, ...]) -> tuple[tuple[Statement, ...], dict[str, Problem]]:
    """The statements, with those that only say how large a size is as remarks: the ``d_k = 64`` and
    ``d_k = d / h`` beside a formula are an example of its shapes, or follow from them. With a note
    for each of these sizes, by name."""
    sizes = [s for s in stated if isinstance(s, Define) and _tells_size(s)]
    others = (s for s in stated if isinstance(s, Define) and s.target is not None)
    if not sizes or all(define in sizes for define in others):
        return stated, {}
    text = "this size is taken from the shapes of the inputs"
    rest = tuple(Fact("=", s.span) if s in sizes else s for s in stated)
    return rest, {names.label(d.target): note("N2C039", text, d.span) for d in sizes if d.target}


def defined(stated: Iterable[Statement]) -> Iterator[str]:
    """The sizes of queries and keys on either side of an equality."""
    for define in (one for one in stated if isinstance(one, Define)):
        sides = (define.target, *define.values) if define.target else define.values
        yield from OF_KEYS.intersection(map(names.label, sides))


def _tells_size(define: Define) -> bool:
    """Whether a size such as d_k is said to be a number, or made of other sizes."""
    target = define.target
    if not isinstance(target, Script) or not scripts.is_name(target):
        return False
    if written_sizes.parts_of_size(define):
        return True
    return names.is_size_name(names.label(target)) and all(map(_is_size, define.values))


def examples(stated: Iterable[Statement]) -> Iterator[Problem]:
    """A note on each declared axis such as the 4d of ``W_1 ∈ ℝ^{d × 4d}``: it may have any size."""
    told: set[tuple[str, str]] = set()
    for axis in (axis for s in stated if isinstance(s, Declare) for axis in s.axes):
        multiple = _multiple(axis)
        if multiple is not None and multiple not in told:
            told.add(multiple)
            text = "this is taken as an example: the code takes any size for it"
            yield note("N2C039", text, axis.span)


def _multiple(axis: Node) -> tuple[str, str] | None:
    """The number and the name of an axis that is a number times a size."""
    match children(axis) if isinstance(axis, Juxt | Infix) and _is_size(axis) else ():
        case (Number(text=number), size) if scripts.is_name(size):
            return number, names.label(size)
    return None


def _is_size(node: Node) -> bool:
    if scripts.is_name(node):
        name = names.label(node)
        return names.is_size_name(name) or name in names.SIZE_BASES
    if isinstance(node, Infix) and node.op not in ("·", "×", "*"):
        return False
    return isinstance(node, Number) or (
        isinstance(node, Frac | Infix | Juxt) and all(map(_is_size, children(node)))
    )


def parse(run: Run, text: str | int) -> Size:
    """The size of a declared axis: a name, a whole number, or arithmetic such as ``d/h``."""
    if isinstance(text, int):
        return Size(str(text), 2, value=Num(text))
    if text.isidentifier():
        return run.size(text)
    value = _arithmetic(run, ast.parse(text, mode="eval").body)
    return value if isinstance(value, Size) else Size("", 2, value=value)


def _arithmetic(run: Run, node: ast.expr) -> Expr:
    match node:
        case ast.Name(id=name):
            return run.size(name)
        case ast.Constant(value=int() as number):
            return Num(number)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _arithmetic(run, left), _arithmetic(run, right)
            match op:
                case ast.Add():
                    return ir.add(a, b)
                case ast.Sub():
                    return ir.add(a, ir.negative(b))
                case ast.Mult() if isinstance(a, Num) and isinstance(b, Size):
                    # The 4d of ℝ^{d × 4d} is an example of another size.
                    return run.size(f"{b.name}{a.value}")
                case ast.Mult():
                    return ir.mul(a, b)
                case _:
                    return _part(run, a, b)
        case _:
            return run.size(names.code_name(ast.unparse(node)))


def _part(run: Run, whole: Expr, count: Expr) -> Expr:
    """``d / h``: a size of its own, of which d is so many."""
    if not isinstance(whole, Size) or not isinstance(count, Size) or whole is count:
        return ir.mul(whole, ir.inverse(count))
    key = f"{whole.name}/{count.name}"
    if key not in run.pending and whole.value is None:
        part = run.pending[key] = Size("", 2)
        whole.value = ir.mul(count, part)
    return run.pending.get(key) or ir.mul(whole, ir.inverse(count))


def declared_part(run: Run, quotient: Node) -> Size | None:
    """The size of the axis of keys that is declared as ``d/h``, where a formula names that
    quotient."""
    keys = [shape for name, shape in run.shapes.items() if _is_of_keys(name)]
    texts = {str(axis) for shape in keys for axis in shape.axes}
    texts = {text for text in texts if "/" in text}
    text = written_sizes.size_expression(quotient) if texts else ""
    return parse(run, text) if text in {one.strip("()") for one in texts} else None


def note_scale(run: Run, scale: Expr, scaled: Expr, features: Index | None = None) -> None:
    """Remember the sum that a factor such as 1/√d_k scales, when it meets it; that of ``S / √d`` is
    in the ``S = QK^⊤`` before it. A factor √d in front of vectors counts their features, as in
    √d_model · UE."""
    if isinstance(scaled, Ref) and scaled.array in run.defined:
        made = run.defined[scaled.array].array.body
        scaled = made if all(map(_compares, _sums(made))) else scaled
    size = _scale_size(run, scale)
    if size is None or size.name in run.scales:
        return
    if features is not None and scale == ir.Pow(size, ir.HALF) and size.name in _WIDTHS:
        run.scales[size.name] = features
        return
    weighed = () if size.name in _WIDTHS else _between_weights(scaled)
    for inner in (*weighed, *_sums(scaled)):
        if size.name.startswith("d_") and _weighs(inner):
            continue  # the √d_k before Σ_j exp(q^⊤ k_j) counts no keys
        if _is_over_set(inner):
            return  # the m of (1/m) Σ_{k ∈ S} x_k counts the members of S
        run.scales[size.name] = _features(inner) or inner.index
        return


def _is_over_set(total: Reduce) -> bool:
    """Whether a sum runs over the members of a set, which an input tells."""
    match total.where:
        case ir.Compare("≠", Ref(), number):
            return number == ir.ZERO
    return False


def _features(scaled: Reduce) -> Index | None:
    """The features of the keys of ``S K``, or the queries of ``S^⊤ Q``, where S is no weight: that
    sum runs over their rows, and what scales it counts features all the same."""
    summed = find_index(scaled.index)
    refs = [expr for expr in ir.walk(scaled.body) if isinstance(expr, Ref)]
    used = [ref for ref in refs if _runs(summed, ref.at)]
    rows = [ref for ref in used if names.base_letter(ref.array) in ("Q", "K") and len(ref.at) == 2]
    others = [ref for ref in used if ref not in rows]
    if len(rows) != 1 or any(names.base_letter(one.array) in names.WEIGHTS for one in others):
        return None
    row, column = rows[0].at
    return column.index if _runs(summed, (row,)) and isinstance(column, Idx) else None


def _compares(scores: Reduce) -> bool:
    """Whether a sum runs over the features, the last axis, of all that is in it."""
    summed = find_index(scores.index)
    refs = [expr.at for expr in ir.walk(scores.body) if isinstance(expr, Ref)]
    own = [at for at in refs if _runs(summed, at)]
    return all(_runs(summed, at[-1:]) for at in own)


def _weighs(total: Reduce) -> bool:
    """Whether a sum that is written goes over rows: of weights and what they weigh, or of
    exponentials."""
    summed = find_index(total.index)
    parts = list(ir.walk(total.body))
    own = [part.at for part in parts if isinstance(part, Ref) and _runs(summed, part.at)]
    rows = any(len(at) > 1 and not _runs(summed, at[-1:]) for at in own)
    raised = any(isinstance(part, ir.Fn) and part.name == "exp" for part in parts)
    return rows and bool(summed.name) and (raised or any(len(at) == 1 for at in own))


def _runs(index: Index, places: Sequence[Expr]) -> bool:
    return any(isinstance(at, Idx) and find_index(at.index) is index for at in places)


_WIDTHS = frozenset(["d", "D", "dim", "d_model", "d_emb", "d_e"])
"""Names of the width of a model's vectors."""


def is_scale(run: Run, factor: Expr) -> bool:
    """Whether a number is a power of a size, such as 1/√d_k."""
    return _scale_size(run, factor) is not None


def attach(run: Run, where: Span) -> None:
    """Tie each size that the formula only names, such as the d_k of √d_k, to the axis it counts.

    It is the axis that the scaled sum runs over; else the one that custom gives that name. An
    index that is only compared with another, as in ``j ≤ i``, has the range of that one, and so
    has one that runs to an index that a sum counts.
    """
    for left, right in run.compared:
        mine, theirs = find(find_index(left).size), find(find_index(right).size)
        if _unnamed(mine) and _is_axis(run, mine) != _is_axis(run, theirs):
            run.unify(mine, theirs, where)
    for inner, outer in run.nested:
        mine, theirs = find(find_index(inner).size), find(find_index(outer).size)
        if _unnamed(mine) and not _unnamed(theirs):
            run.unify(mine, theirs, where)
    for name, size in run.pending.items():
        if _is_axis(run, size) or name in run.windows:
            continue
        index = run.scales.get(name)
        named = {
            find(axis)
            for symbol in run.symbols.values()
            for axis in symbol.axes
            if find(axis).name == size.name and find(axis) is not find(size)
        }
        scaled = None if index is None else find(find_index(index).size)
        own = scaled is not None and (scaled.name in ("", size.name) or scaled.name.isdigit())
        if scaled is not None and _unnamed(scaled) and (own or not named):
            run.unify(scaled, size, where)
        elif len(named) == 1 and names.is_size_name(name):
            run.unify(named.pop(), size, where)
        elif scaled is not None and scaled.value is None and _is_width_of_keys(run, name, scaled):
            text = f"`{name}` is taken to be `{scaled.name}`, which the keys are declared with"
            run.problems.append(note("N2C039", text, where))
            find(size).link = scaled


OF_KEYS = frozenset(["d_k", "d_q"])
"""Names of the width of queries and keys, whatever else it is called."""


def _is_of_keys(name: str) -> bool:
    """Whether a name is that of queries or keys."""
    return names.base_letter(name) in ("Q", "K", "q", "k")


def _is_width_of_keys(run: Run, name: str, declared: Size) -> bool:
    """Whether a size can be another name of one that keys are declared with: where nothing else
    says what it is, as ``d_k = d/h`` does, and the other is not by name the width of a model."""
    if name not in OF_KEYS or name in run.scope.sized or declared.name in _WIDTHS - {"d"}:
        return False
    keys = [one for one in run.symbols.values() if _is_of_keys(one.name)]
    if not any(find(axis) is declared for one in keys for axis in one.axes):
        return False
    return not any(name in str(axis) for shape in run.shapes.values() for axis in shape.axes)


def _unnamed(size: Size) -> bool:
    """Whether the note itself has not said what a size is, or only by a number."""
    return (size.rank < 2 and size.value is None) or size.name.isdigit()


def _is_axis(run: Run, size: Size) -> bool:
    """Whether some axis of an input already has this size."""
    size = find(size)
    return any(find(axis) is size for symbol in run.symbols.values() for axis in symbol.axes)


def _sums(expr: Expr) -> Iterator[Reduce]:
    """The sums in a factor, outermost first; what stands inside a function is not scaled."""
    level = [expr]
    while level:
        following: list[Expr] = []
        for current in level:
            if isinstance(current, Reduce) and current.kind == "sum":
                yield current
            elif isinstance(current, ir.Add | ir.Mul):
                following.extend(ir.children(current))
        level = following


def _between_weights(expr: Expr) -> Iterator[Reduce]:
    """The sums over what two weights share, as in ``X W_Q W_K^⊤ X^⊤``: d_k is its length."""
    for part in ir.walk(expr):
        if isinstance(part, Reduce) and part.kind == "sum":
            shared = find_index(part.index)
            used = [
                expr.array
                for expr in ir.walk(part.body)
                if isinstance(expr, Ref)
                and any(isinstance(at, Idx) and find_index(at.index) is shared for at in expr.at)
            ]
            if len(used) == 2 and all(names.base_letter(name) == "W" for name in used):
                yield part


def _scale_size(run: Run, factor: Expr) -> Size | None:
    """The size that a scale is a power of: any power for d and its like, also beside a number as
    in τ√d_k, a root or a quotient for other letters. A number that another statement defines,
    β = 1/√d, is what it says."""
    if isinstance(factor, Ref) and not factor.at and factor.array in run.defined:
        factor = run.defined[factor.array].array.body
    powered, alone = False, True
    while True:
        match factor:
            case ir.Pow(base, Num(exponent)):
                powered = powered or exponent in (-1, ir.HALF.value)
                factor = base
            case ir.Mul(factors) if len(rest := [f for f in factors if f != ir.ONE]) < len(factors):
                factor = ir.mul(*rest)
            case ir.Mul(factors) if len(rest := [f for f in factors if not ir.is_scalar(f)]) == 1:
                alone, factor = False, rest[0]
            case Size():
                known = names.is_size_name(factor.name)
                return factor if known or (powered and alone) else None
            case _:
                return None
