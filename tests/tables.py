"""Tables of formulas: each with its inputs as words and its value in NumPy, written by hand.

Inputs are written as in ``Q[n,d] K[m,d] tau n# f()``: arrays with their axes, a number, a size
and a function. A ``+`` behind the name keeps the numbers positive (``p+[n]``), ``y<m[n]`` are
places along an axis m. Axes of one name are equally long, and axes of different names differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any
from zlib import crc32

import numpy as np
import pytest
import torch

from notes2code import compile_formula
from notes2code.formula import CompiledFormula

_INPUT = re.compile(
    r"(?P<name>\w+)(?P<positive>\+)?(?:<(?P<along>\w+))?"
    r"(?:\[(?P<axes>[^]]*)\]|(?P<kind>#|\(\)))?"
)
_SIZE = re.compile(r"[A-Za-z]\w*")
_LENGTHS = (4, 3, 6, 5, 7, 8, 2, 9, 11)


@dataclass(frozen=True)
class Wanted:
    """An input of a formula as the table says it."""

    name: str
    axes: tuple[str, ...]
    kind: str
    positive: bool
    along: str


@dataclass(frozen=True)
class Case:
    """A row of a table; ``fault`` says what the compiler does not get right yet."""

    latex: str
    inputs: str
    value: Callable[..., Any]
    shapes: Mapping[str, Sequence[str | int]] | None = None
    context: str | Sequence[str] = ()
    fault: str = ""

    @property
    def wanted(self) -> list[Wanted]:
        return [_read(word) for word in self.inputs.split()]


def table(*cases: Case) -> pytest.MarkDecorator:
    """The rows as the parameters of a test."""
    return pytest.mark.parametrize("case", [row(case, case.latex, case.fault) for case in cases])


def row(value: Any, name: str, fault: str = "") -> Any:
    """A row under the name of its formula."""
    marks = [pytest.mark.xfail(strict=True, reason=fault)] if fault else []
    return pytest.param(value, marks=marks, id=" ".join(name.split()))


def check(case: Case, declared: bool = False) -> None:
    """The formula has these inputs, and on random numbers its reference and its emitted function
    have the value that NumPy gives; written in another way it has the same.

    ``declared`` tells the compiler the shapes of all inputs, as a note would.
    """
    wanted = case.wanted
    shapes = {w.name: w.axes for w in wanted if w.kind == "array"} if declared else case.shapes
    formula = compile_formula(case.latex, shapes=shapes, context=case.context)
    same_inputs(formula, wanted)
    given = numbers(wanted)
    expected = np.asarray(case.value(*given.values()))
    found = formula.reference(**given)
    assert np.isfinite(expected).any(), "the table's own value is no number"
    assert found.shape == expected.shape, f"shape {found.shape}, not {expected.shape}"
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    emitted = formula.function()(**{name: _in_torch(number) for name, number in given.items()})
    np.testing.assert_allclose(emitted, expected, rtol=1e-6, atol=1e-6)
    written = spelt(case.latex)
    other = compile_formula(written, shapes=shapes, context=case.context)
    assert other.inputs == formula.inputs, written
    np.testing.assert_allclose(other.reference(**given), found, err_msg=written)


_FRACTION = re.compile(r"(?<![\w})\]'])(\s*)\\frac\{([^{},]*)\}\{([^{},]*)\}(?!\()")


def spelt(latex: str) -> str:
    """A formula in one of the ways to set it that say the same, which is chosen by its text."""
    plain = "&" not in latex and "\\" in latex and latex.count("=") == 1
    ways = [f"{latex} \\tag{{7}}", f"\\displaystyle {latex}", f"{latex} \\quad (7)"]
    if not latex.rstrip().endswith((".", ",")):
        ways += [f"{latex}.", f"\\boxed{{{latex}}}"]
    if plain and "\\begin" not in latex:
        ways.append(f"\\begin{{aligned}}{latex.replace('=', '&=')}\\end{{aligned}}")
    if plain and "i=" not in latex.replace(" ", ""):
        ways.append(latex.replace("=", ":="))
    if plain and not re.search(r"[,≈]|\\(?:quad|in|text|approx|implies|eqno|stackrel)\b", latex):
        ways.append(latex.replace("=", r"= \left(") + r"\right)")
    if _FRACTION.search(latex) and r"\text" not in latex:
        ways.append(_FRACTION.sub(r"\1((\2)/(\3)) ", latex))
    return ways[crc32(latex.encode()) % len(ways)]


def _in_torch(given: Any) -> Any:
    if isinstance(given, np.ndarray):
        return torch.tensor(given)
    return torch.sin if callable(given) else given


def _read(word: str) -> Wanted:
    """An input from its word in the table."""
    found = _INPUT.fullmatch(word)
    assert found is not None, f"{word} is no input"
    axes = tuple(found["axes"].split(",")) if found["axes"] is not None else ()
    kind = {"#": "size", "()": "function"}.get(found["kind"], "array")
    return Wanted(found["name"], axes, kind, found["positive"] is not None, found["along"] or "")


def same_inputs(formula: CompiledFormula, wanted: Sequence[Wanted]) -> None:
    """Names, kinds and numbers of axes agree, and so does which axes are one size."""
    theirs = {i.name: (i.kind, len(i.shape)) for i in formula.inputs}
    mine = {w.name: (w.kind, len(w.axes)) for w in wanted}
    assert theirs == mine, f"inputs {formula.inputs}"
    shapes = {i.name: i.shape for i in formula.inputs}
    pairs = {
        pair
        for w in wanted
        for pair in zip(w.axes, shapes[w.name], strict=True)
        if w.axes and all(part.isidentifier() for part in pair)
    }
    assert len(pairs) == len(dict(pairs)) == len({theirs for _, theirs in pairs}), (
        f"other axes are equal: {shapes}"
    )


def numbers(wanted: Sequence[Wanted], seed: int = 0) -> dict[str, Any]:
    """Random inputs by name; sizes differ from each other."""
    rng = np.random.default_rng(seed)
    names = [name for w in wanted for axis in w.axes for name in _SIZE.findall(axis)]
    names += [w.name for w in wanted if w.kind == "size"]
    lengths = dict(zip(dict.fromkeys(names), _LENGTHS, strict=False))
    out: dict[str, Any] = {}
    for w in wanted:
        if w.kind == "function":
            out[w.name] = np.sin
        elif w.kind == "size":
            out[w.name] = lengths[w.name]
        elif w.along:
            out[w.name] = rng.integers(lengths[w.along], size=[lengths[axis] for axis in w.axes])
        elif not w.axes:
            out[w.name] = float(rng.uniform(0.5, 2) if w.positive else rng.normal() * 2)
        else:
            array = rng.standard_normal([_length(axis, lengths) for axis in w.axes])
            out[w.name] = np.abs(array) + 0.1 if w.positive else array
    return out


def _length(axis: str, lengths: Mapping[str, int]) -> int:
    """The length of an axis: a number, a name, or a sum such as ``2*d+m-1``."""
    total = 0
    for term in axis.replace("-", "+-1*").split("+"):
        total += prod(lengths[f] if f in lengths else int(f) for f in term.split("*"))
    return total


def softmax(x: Any, axis: int = -1) -> Any:
    """The softmax along one axis."""
    e = np.exp(x - np.max(x, axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def rotated(x: Any) -> Any:
    """Pairs of neighbours of each row turned by its number, by rotary angles."""
    angles = np.outer(np.arange(len(x)), 10000.0 ** (-np.arange(0, x.shape[1], 2) / x.shape[1]))
    z = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def relu(x: Any) -> Any:
    return np.maximum(0, x)
