"""Calls: functions of numbers, of arrays, and those that the notes or the field define."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Apply, Group, Juxt, Name, Node, Prose, Relation, Script, walk
from notes2code.meaning import (
    applying,
    conditions,
    families,
    ir,
    masks,
    names,
    powers,
    probabilities,
    scripts,
    softmax,
    symbols,
    turns,
)
from notes2code.meaning.indexing import clipped
from notes2code.meaning.run import Run, find_index
from notes2code.meaning.values import (
    Value,
    elementwise,
    fresh,
    link,
    mapped,
    matrix_product,
    reduce_all,
    scalar,
    settled,
)

OF_NUMBERS = {
    "exp": "exp", "log": "log", "ln": "log", "sin": "sin", "cos": "cos", "tan": "tan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "erf": "erf", "sigmoid": "sigmoid",
    "relu": "relu", "gelu": "gelu", "elu": "elu", "silu": "silu", "swish": "silu",
    "softplus": "softplus", "sign": "sign", "sgn": "sign", "abs": "abs", "floor": "floor",
    "ceil": "ceil", "sqrt": "sqrt", "logistic": "sigmoid",
}  # fmt: skip
"""Functions of numbers by their names in lower case; on arrays they act element by element."""

GREEK_FUNCTIONS = {"sigma": "sigmoid", "Phi": "normal_cdf"}
"""What these letters are when they are called and the notes do not say."""

_REDUCTIONS = {"sum": "sum", "mean": "mean", "avg": "mean", "max": "max", "min": "min"}
_MAYBE_FUNCTIONS = frozenset([*"fgFGKkaspPEDHLRTulmhr", "ell"])


def call_at(run: Run, factors: Sequence[Node], at: int) -> tuple[Value, int] | None:
    """The value of a call that begins at a factor, and where the next factor is."""
    name = factors[at]
    if isinstance(name, Name) and name.font == "blackboard" and name.text in ("1", "I"):
        return _indicator(run, factors, at)
    if not scripts.is_name(name) or at + 1 >= len(factors):
        return None
    behind = factors[at + 1]
    group = behind.base if isinstance(behind, Script) else behind
    if not isinstance(group, Group) or group.open not in ("(", "[", "{", ""):
        return None
    if isinstance(behind, Script) and not isinstance(behind.base, Group):
        return None
    repeated = _repeats_definition(run, name, group)
    if repeated is not None:
        scripted = repeated if group is behind else _scripts_of_call(run, repeated, behind)
        return scripted, at + 2
    if not is_function(run, name, group):
        _refuse_unclear_call(run, name, group)
        return None
    value = call(run, name, group)
    if isinstance(behind, Script):
        value = _scripts_of_call(run, value, behind)
    return value, at + 2


def _refuse_unclear_call(run: Run, name: Node, group: Group) -> None:
    """``g_i(x)`` may be a function of each i at x, or a product; ``X(input)`` is hardly one."""
    use = run.seen.use(name)
    alone = len(group.items) == 1 and scripts.is_name(group.items[0]) and group.open == "("
    if alone and _is_unknown_word(run, group.items[0]):
        raise error(
            "N2C033",
            f"`{run.quote(name.span.to(group.span))}` may be a call, a product or a remark",
            name.span.to(group.span),
            "leave the parentheses out for a product, and write a remark in `\\text{…}`",
        )
    if alone and use.indices and use.name in run.seen.called and use.power is None:
        raise error(
            "N2C033",
            f"`{run.quote(name.span.to(group.span))}` may be a call or a product",
            name.span.to(group.span),
            "leave the parentheses out for a product",
        )


def _is_unknown_word(run: Run, node: Node) -> bool:
    """Whether a node is a word that nothing in the formula or the notes says more of."""
    name = run.seen.use(node).name
    base = names.base_letter(name)
    known = name in run.defined or name in run.shapes or name in run.parameters
    return len(base) > 2 and base.islower() and base not in names.GREEK and not known


def _repeats_definition(run: Run, name: Node, group: Group) -> Value | None:
    """``f(x)`` behind ``f(x) = …`` in the same formula: what was defined."""
    use = run.seen.use(name)
    defined = run.defined.get(use.name)
    if defined is None or not defined.called or group.open != "(":
        return None
    return symbols.name_value(run, name)[0]


def _scripts_of_call(run: Run, value: Value, behind: Node) -> Value:
    assert isinstance(behind, Script)
    if behind.sub is not None:
        value = powers.index(run, value, behind.sub)
    if behind.sup is not None:
        value = powers.raised(run, value, behind.sup, behind)
    return value


def is_function(run: Run, name: Node, group: Group) -> bool:
    """Whether a name before parentheses is called rather than multiplied."""
    use = run.seen.use(name)
    if use.transposed or use.power is not None:
        return False
    if _is_expectation(run, name, group):
        return True
    if masks.kind(run, use.name):
        return True
    if applying.known(run, use.name) is not None or _builtin(use.name) is not None:
        return group.open in ("(", "[") or _builtin(use.name) is not None
    if group.open not in ("(", "["):
        return False
    if probabilities.is_probability(run, use, group):
        return True
    symbol = run.symbols.get(use.name)
    if symbol is not None:
        return symbol.kind == "function"
    if group.open == "[" and len(group.items) == 1 and _is_array(run, group.items[0]):
        return use.name in run.seen.called
    if use.name in run.defined or use.name in run.shapes or use.name in run.scope.arrays:
        return False
    base = names.base_letter(use.name)
    if len(base) > 1 and base not in names.GREEK:
        return use.name in run.seen.called or base[0].isupper()
    if "," in group.separators and group.open == "(":
        return use.name in run.seen.called
    if base in GREEK_FUNCTIONS or base in ("phi", "psi"):
        return use.name in run.seen.called or not use.indices
    if base in names.GREEK:
        return False
    return base in _MAYBE_FUNCTIONS and use.name in run.seen.called and not use.indices


def _is_array(run: Run, node: Node) -> bool:
    """Whether a name in brackets is a whole matrix, as in ``K[X]``: no index, and no product."""
    use = run.seen.understood(node)
    return use is not None and not use.indices and use.name.isupper() and use.name != "T"


def is_unknown(run: Run, use: scripts.Use) -> bool:
    """Whether neither the notes nor the field say what a function is."""
    named = use.name in run.defined or use.name in GREEK_FUNCTIONS
    return not (named or applying.known(run, use.name) is not None or _builtin(use.name))


def _builtin(name: str) -> str | None:
    plain = name.replace("_", "").lower()
    if plain in OF_NUMBERS:
        return OF_NUMBERS[plain]
    if plain in _BUILTINS or plain in _REDUCTIONS:
        return plain
    if plain.startswith(("swish", "linear")) or softmax.is_softmax(name):
        return plain
    return None


def call(run: Run, name: Node, group: Group) -> Value:
    """The value of ``name(…)``."""
    use = run.seen.use(name)
    span = name.span.to(group.span)
    if not group.items:
        raise error("N2C041", f"`{use.name}` is given nothing", group.span)
    equation = applying.known(run, use.name)
    if equation is not None:
        arguments = [run.lower(item) for item in group.items]
        return applying.apply(run, use, equation, arguments, span)
    if use.name in run.defined:
        raise error("N2C033", f"`{use.name}` is called and is an array", name.span)
    hidden = masks.called(run, name, group, span)
    if hidden is not None:
        return hidden
    if _is_expectation(run, name, group):
        return _expectation(run, group, span)
    plain = use.name.replace("_", "").lower()
    if plain.startswith("swish_") or use.name.lower().startswith("swish_"):
        return _swish(run, use.name, group, span)
    if plain in OF_NUMBERS:
        return _of_numbers(run, OF_NUMBERS[plain], group, span)
    if plain in _BUILTINS:
        return _BUILTINS[plain](run, name, group, span)
    if softmax.is_softmax(use.name):
        return softmax.called(run, name, group, span)
    if plain.startswith("linear"):
        return applying.linear(run, name, group, span)
    if plain in _REDUCTIONS:
        return _reduction(run, _REDUCTIONS[plain], group, span)
    if probabilities.is_probability(run, use, group):
        return probabilities.probability(run, use, group, span)
    if use.name in GREEK_FUNCTIONS and len(group.items) == 1:
        return _of_numbers(run, GREEK_FUNCTIONS[use.name], group, span)
    arguments = [run.lower(item) for item in group.items if not isinstance(item, Prose)]
    return applying.unknown(run, use, arguments, span)


def applied(run: Run, node: Apply) -> Value:
    """``\\sin x``, ``\\log p``: functions of the field, with or without parentheses."""
    function, argument = node.function, node.argument
    base = function.base if isinstance(function, Script) else function
    assert isinstance(base, Name)
    outer: Node | None = None
    if isinstance(argument, Script) and isinstance(argument.base, Group) and argument.base.open:
        outer, argument = argument.sup, argument.base
    if isinstance(argument, Group) and argument.open in ("(", "[", "{"):
        group = argument
    else:
        group = Group("(", (argument,), (), argument.span)
    if base.text.lower() not in OF_NUMBERS:
        raise error("N2C037", f"`{base.text}` cannot be computed", base.span)
    value = _of_numbers(run, OF_NUMBERS[base.text.lower()], group, node.span)
    if isinstance(function, Script):
        if function.sub is not None:
            value = _logarithm_base(run, value, base, function.sub)
        if function.sup is not None:
            value = powers.power(run, value, function.sup, node.span)
    return value if outer is None else powers.raised(run, value, outer, Script(
        node, None, outer, 0, node.span))  # fmt: skip


def _logarithm_base(run: Run, value: Value, function: Name, base: Node) -> Value:
    if function.text != "log":
        raise error("N2C037", f"a subscript on `{function.text}` is not understood", base.span)
    number = run.lower(base)
    return mapped(value, lambda e: ir.mul(e, ir.inverse(ir.Fn("log", (number.body,)))))


def _of_numbers(run: Run, function: str, group: Group, span: Span) -> Value:
    items = [item for item in group.items if not isinstance(item, Prose)]
    if len(items) != 1:
        raise error(
            "N2C041",
            f"`{function}` takes one argument, not {len(items)}",
            span,
            "write `\\max(0, x)` for the larger of two" if function == "relu" else "",
        )
    value = run.lower(items[0])
    if function == "sqrt":
        return mapped(value, lambda e: ir.Pow(e, ir.HALF), span)
    return mapped(value, lambda e: ir.Fn(function, (e,)), span)


def _swish(run: Run, name: str, group: Group, span: Span) -> Value:
    """``Swish_β(x) = x σ(βx)``."""
    label = name.split("_", 1)[1]
    beta = ir.Num(int(label)) if label.isdigit() else applying.number_input(run, label, span)
    value = run.lower(group.items[0])
    return mapped(value, lambda e: ir.mul(e, ir.Fn("sigmoid", (ir.mul(beta, e),))), span)


# --- functions of arrays -------------------------------------------------------------------------


def _reduction(run: Run, kind: str, group: Group, span: Span) -> Value:
    """``max(a, b)`` of several, ``max(x)`` of one array's elements."""
    if len(group.items) == 1:
        value = run.lower(group.items[0])
        if value.rank == 0:
            return value
        if value.rank > 1:
            if kind != "sum":
                raise error(
                    "N2C041",
                    f"over which axis the `{kind}` of a matrix goes is not said",
                    span,
                    "write the index below it",
                )
            run.problems.append(note("N2C039", "the sum is taken to go over the last axis", span))
            return Value(ir.Reduce(kind, value.axes[-1], value.body), value.axes[:-1], span)
        return scalar(reduce_all(kind, value), span)
    if kind not in ("max", "min"):
        raise error("N2C037", f"`{kind}` of several arguments is not understood", span)
    values = [run.lower(item) for item in group.items]
    result = values[0]
    for value in values[1:]:
        result = elementwise(run, result, value, lambda a, b: _extreme(kind, a, b), span)
    return Value(result.body, result.axes, span, result.row)


def _extreme(kind: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    if kind == "max" and ir.ZERO in (left, right):
        return ir.Fn("relu", (right if left == ir.ZERO else left,))
    return ir.Fn(kind, (left, right))


def _dropout(run: Run, name: Node, group: Group, span: Span) -> Value:
    """Dropout, which does nothing when a model is evaluated."""
    value = run.lower(group.items[0])
    run.problems.append(
        note("N2C039", "dropout is left out of the value: it acts only in training", span)
    )
    return Value(value.body, value.axes, span, value.row, value.along)


def _clip(run: Run, name: Node, group: Group, span: Span) -> Value:
    if len(group.items) not in (2, 3):
        raise error("N2C041", "`clip` takes a number and one bound or two", span)
    value, *bounds = (run.lower(item) for item in group.items)
    return mapped(value, lambda e: clipped(e, *(bound.body for bound in bounds)), span)


def _concatenation(run: Run, name: Node, group: Group, span: Span) -> Value:
    return families.concatenated(run, group.items, span)


def _variance(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The variance over the features (population)."""
    value = _vector(run, name, group, span)
    axis = value.axes[-1]
    mean = ir.Reduce("mean", axis, value.body)
    copy = ir.Index(axis.name, axis.size)
    centred = ir.add(ir.substitute(value.body, {axis: ir.Idx(copy)}), ir.negative(mean))
    body = ir.Reduce("mean", copy, ir.Pow(centred, ir.Num(2)))
    return Value(body, value.axes[:-1], span)


def _root_mean_square(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The root of the mean of the squares over the features."""
    value = _vector(run, name, group, span)
    mean = ir.Reduce("mean", value.axes[-1], ir.Pow(value.body, ir.Num(2)))
    return Value(ir.Pow(mean, ir.HALF), value.axes[:-1], span)


def _diagonal_matrix(run: Run, name: Node, group: Group, span: Span) -> Value:
    """``diag(v)``: the matrix with a vector on its diagonal."""
    value = run.lower(group.items[0])
    if value.rank != 1:
        raise error("N2C041", "`diag` is computed of a vector only", span)
    rows, columns = value.axes[0], fresh(find_index(value.axes[0]).size)
    on = ir.Compare("=", ir.Idx(rows), ir.Idx(columns))
    return Value(ir.Cases(((on, value.body),), ir.ZERO), (rows, columns), span)


def _trace(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The sum of a square matrix's diagonal."""
    value = run.lower(group.items[0])
    if value.rank != 2:
        raise error("N2C041", "the trace is computed of a matrix only", span)
    link(run, value.axes[0], value.axes[1], span)
    return scalar(ir.Reduce("sum", find_index(value.axes[0]), settled(value.body)), span)


def _product(run: Run, name: Node, group: Group, span: Span) -> Value:
    if len(group.items) != 2:
        raise error("N2C041", "`matmul` takes two arrays", span)
    return matrix_product(run, run.lower(group.items[0]), run.lower(group.items[1]), span)


def _log_softmax(run: Run, name: Node, group: Group, span: Span) -> Value:
    value = softmax.called(run, name, group, span)
    return mapped(value, lambda e: ir.Fn("log", (e,)), span)


def _is_expectation(run: Run, name: Node, group: Group) -> bool:
    """``E[x]``, ``𝔼[x]``, and E(x) where a normalisation is written with E and Var."""
    if isinstance(name, Script):
        name = name.base
    if not isinstance(name, Name) or name.text != "E":
        return False
    return name.font == "blackboard" or group.open == "[" or run.seen.normalises


def _expectation(run: Run, group: Group, span: Span) -> Value:
    """The mean over the features, where a normalisation is written with E and Var."""
    indexed = [n for n in walk(group) if scripts.is_name(n) and run.seen.use(n).indices]
    if not run.seen.normalises or indexed:
        raise error("N2C037", "an expectation cannot be computed", span)
    value = _vector(run, group, group, span)
    return Value(ir.Reduce("mean", value.axes[-1], value.body), value.axes[:-1], span)


def _vector(run: Run, name: Node, group: Group, span: Span) -> Value:
    value = run.lower(group.items[0])
    if value.rank == 0:
        raise error("N2C041", f"`{run.quote(name.span)}` of a single number", span)
    return value


def _cosine(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The cosine of the angle between two vectors."""
    if len(group.items) != 2:
        raise error("N2C041", "the cosine similarity takes two vectors", span)
    left, right = (run.lower(item) for item in group.items)
    return applying.cosine(run, left, right, span)


def _indicator(run: Run, factors: Sequence[Node], at: int) -> tuple[Value, int] | None:
    """``𝟙[j ≤ i]``."""
    if at + 1 >= len(factors):
        return None
    group = factors[at + 1]
    if not isinstance(group, Group) or not isinstance(group.items[0], Relation):
        return None
    condition = conditions.condition(run, group.items[0])
    return scalar(ir.Cases(((condition, ir.ONE),), ir.ZERO), group.span), at + 2


def indicated(run: Run, node: Node) -> Value | None:
    """``𝟙_{[k ≠ i]}``."""
    match node:
        case Script(Name(text, _, font), sub, None, 0) if text == "ones" or (
            font == "blackboard" and text in ("1", "I")
        ):
            said = sub.items[0] if isinstance(sub, Group) and len(sub.items) == 1 else sub
            if isinstance(said, Relation) and None not in said.operands:
                condition = conditions.condition(run, said)
                return scalar(ir.Cases(((condition, ir.ONE),), ir.ZERO), node.span)
    return None


_BUILTINS: dict[str, Callable[[Run, Node, Group, Span], Value]] = {
    "drop": _dropout,
    "dropout": _dropout,
    "clip": _clip,
    "clamp": _clip,
    "concat": _concatenation,
    "concatenate": _concatenation,
    "cat": _concatenation,
    "var": _variance,
    "rms": _root_mean_square,
    "diag": _diagonal_matrix,
    "tr": _trace,
    "trace": _trace,
    "logsoftmax": _log_softmax,
    "matmul": _product,
    "cosine": _cosine,
    "cosinesimilarity": _cosine,
    "re": lambda run, _, group, span: turns.real_part(run, group, span),
}

__all__ = ["Juxt", "applied", "call", "call_at", "is_function"]
