"""Formulas that are no component, as functions with tests: what ``#n2c/emit`` asks for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from notes2code.components.parts import Source
from notes2code.emit.blocks import public_names
from notes2code.emit.docs import WIDTH, place, rows, wrapped
from notes2code.emit.graph import EmitError
from notes2code.emit.text import MODULES
from notes2code.emit.torch_function import torch_source
from notes2code.meaning import shapes
from notes2code.meaning.ir import Equation, Input
from notes2code.names import of_function
from notes2code.oracle import OracleError, helpers_source, numpy_source, sample, squares_of, tried
from notes2code.oracle.layout import Bracket, lines

_HEAD = '"""Formulas: what the notes compute besides."""\n\nfrom __future__ import annotations\n'
_TEST_HEAD = '''"""Tests of the formulas of the notes, held against them term by term."""

from __future__ import annotations
'''
_DRAWS = 4
_IN_TESTS = frozenset(["torch", "np", "math", "formulas", "array", "assert_equals"])


@dataclass(frozen=True, eq=False)
class Plain:
    """A formula to emit as a function, where it stands, and the heading above it."""

    equation: Equation
    source: Source
    heading: str


@dataclass(frozen=True)
class Functions:
    """The module of functions and its tests, "" if there are none; the name of each function,
    and why other formulas have none; the name of the function that each test is of."""

    module: str
    tests: str
    names: Mapping[Plain, str]
    left_out: Mapping[Plain, str]
    tested: Mapping[str, str]


def functions(
    formulas: Sequence[Plain],
    package: str,
    vault: str,
    taken: Collection[str],
    refused: Mapping[str, str],
) -> Functions:
    """The functions of formulas, in their order. ``taken`` are names that they must not have;
    ``refused`` says by name which of them are left out, and why."""
    module = _Module({*taken, *MODULES, *_IN_TESTS})
    names: dict[Plain, str] = {}
    tests: list[str] = []
    tested: dict[str, str] = {}
    left_out: dict[Plain, str] = {}
    for formula in formulas:
        name = _name(formula, module.taken)
        try:
            if name in refused:
                module.taken.add(name)  # the others keep theirs
                raise EmitError(refused[name])
            source = torch_source(formula.equation, name, _docstring(formula, vault))
            test = _test(formula.equation, name)
        except (EmitError, OracleError) as problem:
            left_out[formula] = str(problem)
            continue
        module.add(source)
        tests.append(test)
        names[formula] = name
        tested |= dict.fromkeys(public_names(test), name)
    if not names:
        return Functions("", "", names, left_out, tested)
    return Functions(module.text(), _tests(names, tests, package), names, left_out, tested)


# --- the module ---------------------------------------------------------------------------------


@dataclass
class _Module:
    """A module to which functions are added, each with those that it calls."""

    taken: set[str]
    imports: set[str] = field(default_factory=set)
    defined: dict[str, str] = field(default_factory=dict)

    def add(self, source: str) -> None:
        """Add the last function of a source, and before it those it calls, under private names."""
        imports, *parts = source.strip("\n").split("\n\n\n")
        self.imports |= {line for line in imports.splitlines() if line}
        main = _defined(parts[-1])
        self.taken.add(main)
        for at in range(len(parts) - 1):
            own = _defined(parts[at])
            for private in (f"_{own}", f"_{main}_{own}"):
                text = _renamed(parts[at], own, private)
                if self.defined.get(private, text) == text:
                    break
            parts[at:] = [_renamed(part, own, private) for part in parts[at:]]
            self.defined[private] = text
        self.defined[main] = parts[-1]

    def text(self) -> str:
        """The whole module."""
        order = [line for line in MODULES.values() if line in self.imports]
        order += sorted(self.imports - {*order})
        standard = [line for line in order if "torch" not in line]
        others = [line for line in order if "torch" in line]
        groups = ["\n".join(group) for group in (standard, others) if group]
        return "\n\n\n".join([_HEAD + "\n" + "\n\n".join(groups), *self.defined.values()]) + "\n"


def _defined(function: str) -> str:
    found = re.match(r"def (\w+)\(", function)
    assert found is not None
    return found[1]


def _renamed(code: str, old: str, new: str) -> str:
    """Code with a function under another name, where it is defined and where it is called; its
    docstrings are left as they are."""
    pieces = re.split(r'(r?"""[\s\S]*?""")', code)
    pieces[::2] = [re.sub(rf"(?<![\w.]){old}(?=\()", new, piece) for piece in pieces[::2]]
    return "".join(pieces)


def _name(formula: Plain, taken: Collection[str]) -> str:
    """A name that no other function has: what the formula defines, else what it stands under."""
    title = _words(formula.source.title)
    own = [formula.equation.name, _words(formula.heading), title, "formula"]
    name = next(n for text in own if (n := of_function(text)).isidentifier() and n.isascii())
    for candidate in (name, f"{name.rstrip('_')}_of_{title}" if title else name):
        if candidate not in taken:
            return candidate
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _words(text: str) -> str:
    """The words of a text as a name."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))


def _docstring(formula: Plain, vault: str) -> str:
    """What stands above it, the formula, its shapes, and its place."""
    equation, source = formula.equation, formula.source
    above = " ".join((formula.heading or source.title).split())
    above += "" if above.endswith((".", "?", "!")) else "."
    shown = [f"{given.name}: {_shape(given)}" for given in equation.inputs]
    result = ", ".join(shapes.text(index.size) for index in equation.value.indices)
    shown.append(f"returns: (..., {result})" if result else "returns: a number")
    latex = "\n".join(f"    {line}" for line in rows(source.latex, WIDTH - 8).splitlines())
    blocks = [wrapped(above, WIDTH - 8), latex, "\n".join(shown)]
    blocks.append(
        wrapped(f"From {place(vault, source)}.", WIDTH - 4).replace("\N{NO-BREAK SPACE}", " ")
    )
    return "\n\n".join(blocks)


def _shape(given: Input) -> str:
    if given.kind == "size":
        return "a whole number"
    axes = ", ".join(shapes.text(size) for size in given.shape)
    return f"(..., {axes})" if axes else "a number"


# --- tests --------------------------------------------------------------------------------------


def _tests(names: Mapping[Plain, str], tests: Sequence[str], package: str) -> str:
    """The test module."""
    helpers = helpers_source(formula.equation for formula in names).strip()
    body = "\n\n\n".join([*([helpers] if helpers else []), *tests])
    standard = "import math\n\n" if re.search(r"\bmath\.", body) else ""
    torch = "import torch\n\n" if re.search(r"\btorch\.", body) else "\n"
    array = "array, " if re.search(r"(?<![\w.])array\(", body) else ""
    checks = f"from checks import {array}assert_equals\n"
    imports = f"{standard}import numpy as np\n{torch}{checks}from {package} import formulas"
    return f"{_TEST_HEAD}\n{imports}\n\n\n{body}\n"


def _test(equation: Equation, name: str) -> str:
    """The formula in NumPy, and the tests that hold the function against it."""
    inputs, draw = _inputs(equation)
    local = {i.name: i.name + "_" * (i.name in _IN_TESTS) for i in equation.inputs}
    arrays = [i.name for i in equation.inputs if i.shape]
    squares = {*squares_of(equation)}
    made = [f"    {local[n]} = {_drawn(inputs[n], draw, n in squares)}" for n in local]
    expected = _call(
        f"{name}_reference", [f"array({v})" if n in arrays else v for n, v in local.items()]
    )
    if not equation.value.indices:
        expected = f"np.asarray({expected})"
    actual = _call(f"formulas.{name}", list(local.values()))
    test = [f"def test_{name}_is_the_formula() -> None:", *made]
    test += lines(Bracket("assert_equals(", (actual, expected), ")"), 4)
    pieces = [numpy_source(equation, f"{name}_reference").strip("\n"), "\n".join(test)]
    if arrays:
        pieces.append(_batch_test(equation, name, inputs, draw, local))
    return "\n\n\n".join(pieces)


def _batch_test(
    equation: Equation, name: str, inputs: Mapping[str, Any], draw: str, local: Mapping[str, str]
) -> str:
    """A batch is each of its elements by itself."""
    arrays, squares = [i.name for i in equation.inputs if i.shape], {*squares_of(equation)}
    made = [
        f"    {v} = {_drawn(inputs[n], draw, n in squares, (2,) if n in arrays else ())}"
        for n, v in local.items()
    ]
    whole = _call(f"formulas.{name}", list(local.values()))
    one = _call(f"formulas.{name}", [f"{v}[1]" if n in arrays else v for n, v in local.items()])
    check = lines(Bracket("torch.testing.assert_close(", (f"{whole}[1]", one), ")"), 4)
    return "\n".join([f"def test_{name}_takes_a_batch() -> None:", *made, *check])


def _call(function: str, arguments: Sequence[str]) -> str:
    return f"{function}({', '.join(arguments)})"


def _drawn(value: Any, draw: str, square: bool, batch: tuple[int, ...] = ()) -> str:
    """Random numbers of a shape, whole ones for labels, near to the identity for a matrix that is
    inverted; a number as it is."""
    if not isinstance(value, np.ndarray):
        return str(value if isinstance(value, int) else round(float(value), 2))
    if value.dtype.kind == "i":
        return f"torch.randint({value.min()}, {value.max() + 1}, {(*batch, *value.shape)})"
    sizes = ", ".join(str(n) for n in (*batch, *value.shape))
    drawn = draw.format(f"{sizes}, dtype=torch.float64")
    side = value.shape[-1]
    return f"torch.eye({side}, dtype=torch.float64) + {drawn} / {2 * side}" if square else drawn


def _inputs(equation: Equation) -> tuple[Mapping[str, Any], str]:
    """Inputs of sizes that go together, and how to draw arrays for which there is a value."""
    for given in equation.inputs:
        if given.kind == "function":
            raise EmitError(f"{given.name} is a function that the notes do not define")
    drawn = [sample(equation, seed) for seed in range(_DRAWS)]
    # The d = 2 of a d/(d - 2) divides by zero, and other sizes do not.
    drawn.sort(key=lambda inputs: not _is_finite(equation, inputs))
    if all(map(partial(_has_value, equation), drawn)):
        return drawn[0], "torch.randn({})"
    if all(_has_value(equation, _positive(inputs)) for inputs in drawn):
        return drawn[0], "torch.rand({}) + 0.1"
    raise EmitError("there are no inputs to test it with: on random ones it has no value")


def _positive(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {n: abs(v) + 0.1 if _is_real(v) else v for n, v in inputs.items()}


def _is_real(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def _is_finite(equation: Equation, inputs: Mapping[str, Any]) -> bool:
    """Whether there is a value, and nothing is divided by zero for it: Python would not do that."""
    try:
        return bool(np.isfinite(tried(equation, inputs, strictly=True)).all())
    except (OracleError, FloatingPointError):  # as of an element outside an array
        return False


def _has_value(equation: Equation, inputs: Mapping[str, Any]) -> bool:
    with np.errstate(all="ignore"):
        return not np.isnan(tried(equation, inputs)).any()
