"""An equation as NumPy source that a reader can check against the formula, term by term."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence

from notes2code.meaning import ir, shapes
from notes2code.meaning.ir import Cases, Equation, Expr, Fn, Index, Num, Ref, Size
from notes2code.names import snake
from notes2code.oracle import helpers
from notes2code.oracle.expressions import Expressions
from notes2code.oracle.extents import OracleError, axes, expressions, leaves
from notes2code.oracle.layout import INDENT, Bracket, Doc, flat, lines
from notes2code.oracle.naming import HELPERS, names_for
from notes2code.oracle.plan import Built, Filled, Repeated, Softmaxed, Step, plan, table_index

_SHORT = 88
"""The length up to which a comprehension is as easy to read as a loop."""
_NEEDS = {"gelu": ("normal_cdf",), "normal_cdf": ("erf",)}
_GIVES_INTS = frozenset(["mod", "floordiv", "abs", "min", "max", "clip", "sign"])


def numpy_source(equation: Equation, name: str) -> str:
    """Python source of a function that computes an equation, and before it one of each function
    that the equation calls, named ``{function}_formula``.

    The function takes the equation's inputs in their order and gives what ``evaluate`` gives.
    Its source needs ``import math``, ``import numpy as np`` and :func:`helpers_source`. Inputs
    keep their names unless Python has another use for one, which gets an underscore behind it.
    Raises ``ValueError`` for a name that is no identifier or that of a helper, and ``OracleError``
    for an equation that names what it does not say, or is nested too deeply.
    """
    if not name.isidentifier() or name in HELPERS:
        raise ValueError(f"{name!r} cannot be the name of a function of its own")
    parts: list[str] = []
    try:
        _emit(equation, name, {}, parts)
    except RecursionError:
        raise OracleError("an equation that is nested too deeply has no source") from None
    return "\n\n".join(parts)


def helpers_source(equations: Iterable[Equation]) -> str:
    """The source of the helper functions, such as ``softmax``, that the sources of equations use,
    each once; "" if they use none."""
    used: set[str] = set()
    pending = [name for equation in equations for name in _helpers(equation)]
    while pending:
        name = pending.pop()
        used.add(name)
        pending += _NEEDS.get(name, ())
    sources = (inspect.getsource(getattr(helpers, name)) for name in HELPERS if name in used)
    return "\n\n".join(re.sub(r"(: | -> )Any\b", "", source) for source in sources)


def _helpers(equation: Equation) -> Iterator[str]:
    for called in equation.functions.values():
        yield from _helpers(called)
    for expr in expressions(equation):
        if isinstance(expr, ir.Softmax):
            yield "softmax"
        elif isinstance(expr, Fn) and expr.name in HELPERS:
            yield expr.name


def _emit(equation: Equation, name: str, done: dict[int, str], parts: list[str]) -> None:
    """Append the functions that an equation calls, then its own."""
    _check(equation)
    done[id(equation)] = name
    for called, callee in equation.functions.items():
        if id(callee) not in done:
            _emit(callee, _unused(f"{snake(called)}_formula", done), done, parts)
    calls = {called: done[id(callee)] for called, callee in equation.functions.items()}
    parts.append(_Function(equation, name, calls).source())


def _check(equation: Equation) -> None:
    """Raise ``OracleError`` for what neither an input nor the equation itself gives."""
    known = {i.name for i in equation.inputs} | {d.name for d in equation.definitions}
    known |= {expr.state for expr in expressions(equation) if isinstance(expr, ir.Iterate)}
    for expr in expressions(equation):
        if isinstance(expr, Ref) and expr.array not in known:
            raise OracleError(f"{expr.array} is neither an input nor a definition of the equation")
        if isinstance(expr, ir.Call) and expr.function not in known.union(
            equation.functions, ir.OF_MATRICES
        ):
            raise OracleError(f"{expr.function} is neither a function nor an input")
    solved = shapes.solve(equation.inputs)
    for leaf in (leaf for axis in axes(equation) for leaf in leaves(axis)):
        if isinstance(leaf, Size) and leaf not in solved and leaf.name not in known:
            raise OracleError(f"the size {leaf.name} does not follow from the inputs")


def _unused(name: str, done: dict[int, str]) -> str:
    number, wanted = 1, name
    while name in done.values():
        number += 1
        name = f"{wanted}_{number}"
    return name


class _Function:
    """The source of one function."""

    def __init__(self, equation: Equation, name: str, calls: dict[str, str]) -> None:
        self.equation, self.name = equation, name
        self.names = names_for(equation, [name, *calls.values()])
        inputs = {i.name: self.names.arrays[i.name] for i in equation.inputs}
        whole = {
            called: frozenset(k for k, i in enumerate(callee.inputs) if i.kind == "size")
            for called, callee in equation.functions.items()
        }
        sizes = frozenset(inputs[i.name] for i in equation.inputs if i.kind == "size")
        of_numbers = _is_of_numbers(equation)
        numpy = {name: f"np.{name}" for name in ir.OF_MATRICES}
        functions = {**numpy, **inputs, **calls}
        self.code = Expressions(self.names, functions, whole, sizes, of_numbers)
        self.complex = any(map(_is_complex, expressions(equation)))

    def source(self) -> str:
        """The whole function."""
        *first, last = plan(self.equation, self.names)
        body = [line for step in first for line in self._step(step)]
        body += self._last(last)
        sizes = self._sizes()
        parameters = tuple(self.names.arrays[i.name] for i in self.equation.inputs)
        head = lines(Bracket(f"def {self.name}(", parameters, ")"), behind=":")
        return "\n".join([*head, *sizes, *body]) + "\n"

    # --- steps -------------------------------------------------------------------------------

    def _step(self, step: Step) -> list[str]:
        if isinstance(step, Repeated):
            return self._repeated(step)
        value = self._at_once(step)
        if value is not None:
            return lines(value, INDENT, f"{step.name} = ")
        assert isinstance(step, Filled)
        return self._loops(step)

    def _repeated(self, step: Repeated) -> list[str]:
        """A loop that replaces an array by its next state."""
        *before, last = step.steps
        body = [line for inner in before for line in self._step(inner)]
        value = self._at_once(last)
        if value is not None:
            body += lines(value, INDENT, f"{step.name} = ")
        else:
            body += [*self._step(last), " " * INDENT + f"{step.name} = {step.following}"]
        head = " " * INDENT + f"{self.code.clause(step.index)}:"
        return [head, *(" " * INDENT + line for line in body)]

    def _last(self, step: Step) -> list[str]:
        if isinstance(step, Repeated):
            return [*self._repeated(step), " " * INDENT + f"return {step.name}"]
        value = self._at_once(step)
        if value is not None:
            return lines(value, INDENT, "return ")
        return [*self._step(step), " " * INDENT + f"return {step.name}"]

    def _at_once(self, step: Filled | Softmaxed | Built) -> Doc | None:
        """What a step assigns, where that is one expression."""
        match step:
            case Softmaxed(_, scores):
                return f"softmax({scores})"
            case Built(_, indices, value):
                return self._array(indices, self.code.array_of(value).doc)
            case Filled(_, (), body):
                return self.code.doc(body)
            case Filled(_, indices, body) if _has_table(indices, body):
                return Bracket("np.array(", (self.code.literal(indices, body),), ")")
            case Filled(_, (index,), body) if not isinstance(body, Cases) and _is_float(body):
                value_doc = self._array((index,), self.code.doc(body))
                return value_doc if len(flat(value_doc)) + len(step.name) <= _SHORT else None
        return None

    def _array(self, indices: Sequence[Index], element: Doc) -> Doc:
        """``np.array([element for i in range(n)])``."""
        if not indices:
            return element
        for index in reversed(indices):
            element = Bracket("[", (element, self.code.clause(index)), "]", "")
        return Bracket("np.array(", (element,), ")")

    def _loops(self, step: Filled) -> list[str]:
        """The array filled by nested loops."""
        extents = [flat(self.code.whole(index.size).doc) for index in step.indices]
        shape = extents[0] if len(extents) == 1 else f"({', '.join(extents)})"
        kind = ", dtype=complex" if self.complex else ""
        out = [" " * INDENT + f"{step.name} = np.zeros({shape}{kind})"]
        indent = INDENT
        for index in step.indices:
            out.append(" " * indent + f"{self.code.clause(index)}:")
            indent += INDENT
        at = ", ".join(self.names.index(index) for index in step.indices)
        return out + self._assignment(f"{step.name}[{at}] = ", step.body, indent)

    def _assignment(self, target: str, body: Expr, indent: int) -> list[str]:
        """``target = body``; cases are branches."""
        if not isinstance(body, Cases):
            return lines(self.code.doc(body), indent, target)
        out: list[str] = []
        for number, (when, what) in enumerate(body.branches):
            word = "elif " if number else "if "
            out += lines(self.code.condition(when).doc, indent, word, ":")
            out += self._assignment(target, what, indent + INDENT)
        otherwise = Num(float("nan")) if body.otherwise is None else body.otherwise
        out.append(" " * indent + "else:")
        return out + self._assignment(target, otherwise, indent + INDENT)

    # --- sizes -------------------------------------------------------------------------------

    def _sizes(self) -> list[str]:
        """The lines that name the sizes which the rest uses."""
        solved = shapes.solve(self.equation.inputs)
        computed: list[list[str]] = []
        for size in reversed(solved):
            if size in self.code.used and _axis_of(solved[size]) is None:
                value = self.code.whole(solved[size]).doc
                computed.append(lines(value, INDENT, f"{self._name(size)} = "))
        out: list[str] = []
        for wanted in self.equation.inputs:
            sizes = dict.fromkeys(s for s in wanted.shape if isinstance(s, Size))
            own = [s for s in sizes if s in self.code.used]
            mine = [
                s for s in own if _axis_of(solved.get(s)) == (wanted.name, wanted.shape.index(s))
            ]
            out += self._sizes_of(wanted, mine)
        return [*out, *(line for block in reversed(computed) for line in block)]

    def _sizes_of(self, wanted: ir.Input, mine: Sequence[Size]) -> Iterator[str]:
        array = self.names.arrays[wanted.name]
        if len(mine) == len(wanted.shape) > 1:
            yield " " * INDENT + f"{', '.join(map(self._name, mine))} = {array}.shape"
            return
        for size in mine:
            axis = wanted.shape.index(size)
            extent = f"len({array})" if len(wanted.shape) == 1 else f"{array}.shape[{axis}]"
            yield " " * INDENT + f"{self._name(size)} = {extent}"

    def _name(self, size: Size) -> str:
        return self.names.sizes[size]


def _axis_of(extent: Expr | None) -> tuple[str, int] | None:
    """The input and the axis whose extent a size is."""
    match extent:
        case Fn("extent", (Ref(array), Num(int() as axis))):
            return array, axis
    return None


def _is_complex(expr: Expr) -> bool:
    return isinstance(expr, Num) and isinstance(expr.value, complex)


def _is_of_numbers(equation: Equation) -> bool:
    """Whether all is computed from single numbers, for which arrays may stand."""
    arrays = [*(d.array for d in equation.definitions), equation.value]
    return not any(i.shape or i.kind != "array" for i in equation.inputs) and not any(
        array.indices for array in arrays
    )


def _has_table(indices: Sequence[Index], body: Expr) -> bool:
    return table_index(body) in indices if isinstance(body, Cases) else False


def _is_float(body: Expr) -> bool:
    """Whether the elements are surely floats, so that ``np.array`` of them is no array of ints."""
    for expr in ir.walk(body):
        match expr:
            case Ref() | ir.Softmax() | ir.Call() | ir.Concat() | Num(float()):
                return True
            case Fn(name) if name not in _GIVES_INTS:
                return True
            case ir.Pow(_, Num(power)) if power.real < 0 or power != int(power.real):
                return True
    return False
