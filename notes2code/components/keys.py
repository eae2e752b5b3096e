"""A text for an expression that is the same for expressions that are the same.

Sums and products are put in order, and bound indices are named by their depth. Expressions with
one key are equal; equal ones may differ where several summed indices can change places.
"""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.meaning.ir import (
    Add,
    Call,
    Cases,
    Compare,
    Concat,
    Expr,
    Fn,
    Idx,
    Index,
    Iterate,
    Lambda,
    Logic,
    Mul,
    Num,
    Pow,
    Reduce,
    Ref,
    Size,
    Softmax,
)

_COMMUTATIVE = frozenset(["max", "min"])


def key(expr: Expr, bound: dict[Index, str] | None = None) -> str:
    """The key of an expression; free indices go by their identity."""
    names = bound or {}
    match expr:
        case Num(value):
            return str(value)
        case Size(name=name):
            return f"#{name}"
        case Idx(index):
            return names.get(index) or f"{index.name}@{id(index)}"
        case Ref(array, at):
            return f"{array}[{','.join(key(e, names) for e in at)}]"
        case Add(terms):
            return f"({'+'.join(sorted(key(t, names) for t in terms))})"
        case Mul(factors):
            return f"({'*'.join(sorted(key(f, names) for f in factors))})"
        case Pow(base, exponent):
            return f"{key(base, names)}^{key(exponent, names)}"
        case Fn(name, arguments):
            parts = [key(a, names) for a in arguments]
            return f"{name}({','.join(sorted(parts) if name in _COMMUTATIVE else parts)})"
        case Logic(op, arguments):
            return f"{op}({','.join(sorted(key(a, names) for a in arguments))})"
        case Compare(op, left, right):
            return f"{key(left, names)}{op}{key(right, names)}"
        case Reduce(kind, index, body, where):
            inner = {**names, index: f"b{len(names)}"}
            condition = "" if where is None else key(where, inner)
            return f"{kind}<{condition}>{{{key(body, inner)}}}"
        case Softmax(index, body, at_, where):
            inner = {**names, index: f"b{len(names)}"}
            condition = "" if where is None else key(where, inner)
            return f"softmax<{condition}>{{{key(body, inner)}}}@{key(at_, names)}"
        case Cases(branches, otherwise):
            parts = [f"{key(c, names)}:{key(v, names)}" for c, v in branches]
            last = "" if otherwise is None else key(otherwise, names)
            return f"cases{{{';'.join(parts)};{last}}}"
        case Call(function, arguments, places, _):
            arrays = ",".join(_array(a, names) for a in arguments)
            return f"{function}({arrays})[{','.join(key(e, names) for e in places)}]"
        case Iterate(index, state, initial, step, places_):
            inner = {**names, index: f"b{len(names)}"}
            state_ = f"{_array(initial, names)};{_array(step, inner)}"
            return f"iterate {state}({state_})[{','.join(key(e, names) for e in places_)}]"
        case Concat(arrays_, at_):
            joined = ";".join(_array(a, names) for a in arrays_)
            return f"concat({joined})[{key(at_, names)}]"
    raise TypeError(expr)


def _array(array: Lambda, names: dict[Index, str]) -> str:
    inner = dict(names)
    for index in array.indices:
        inner[index] = f"b{len(inner)}"
    return f"λ{key(array.body, inner)}"


def left_of(parts: Sequence[Expr], wanted: Sequence[Expr]) -> list[Expr] | None:
    """What is left of factors or terms without some; None if those are not all there."""
    left = list(parts)
    for part in wanted:
        found = next((p for p in left if key(p) == key(part)), None)
        if found is None:
            return None
        left.remove(found)
    return left
