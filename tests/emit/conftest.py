"""What the tests of emitted code share: typing a formula, running its source, and the oracle."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from notes2code import oracle
from notes2code.emit.torch_function import torch_source
from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Equation, Expr
from notes2code.meaning.scope import EMPTY, Scope
from notes2code.meaning.typed import type_formula


class Checks:
    """Runs emitted functions and holds their values against the oracle's."""

    def typed(self, latex: str, scope: Scope = EMPTY) -> Equation:
        typed = type_formula(latex, scope)
        assert typed.equation is not None, [p.message for p in typed.problems]
        return typed.equation

    def function(self, equation: Equation) -> Callable[..., Tensor]:
        space: dict[str, Any] = {}
        exec(compile(torch_source(equation, "compute"), "<emitted>", "exec"), space)
        return space["compute"]  # type: ignore[no-any-return]

    def inputs(self, equation: Equation, seed: int = 0) -> dict[str, Any]:
        """Random inputs; functions act alike on arrays and on tensors with batch dimensions."""
        found = oracle.sample(equation, seed)
        for number, given in enumerate(equation.inputs):
            if given.kind == "function":
                found[given.name] = _function(number + 1, _ranks(equation, given.name))
        return found

    def agrees(self, equation: Equation, seed: int = 0) -> None:
        """One set of inputs without batch dimensions, in three dtypes."""
        function, inputs = self.function(equation), self.inputs(equation, seed)
        expected = oracle.evaluate(equation, inputs)
        self.same(function(**_tensors(inputs, torch.float64)), expected, 1e-10, 1e-12)
        if not any(given.shape for given in equation.inputs):
            return
        single = function(**_tensors(inputs, torch.float32))
        assert single.dtype is torch.float32
        scale = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0)))
        self.same(single, expected, 1e-3, 1e-4 * scale)
        assert function(**_tensors(inputs, torch.bfloat16)).dtype is torch.bfloat16

    def stays_on_its_device(self, equation: Equation) -> None:
        """Nothing is made on another device than the arrays', here one without any values."""
        inputs = _tensors(self.inputs(equation), torch.bfloat16)
        moved = {n: x.to("meta") if isinstance(x, Tensor) else x for n, x in inputs.items()}
        value = self.function(equation)(**moved)
        arrays = any(given.shape for given in equation.inputs)
        assert value.device.type == ("meta" if arrays else "cpu")

    def agrees_in_batches(self, equation: Equation, seed: int = 0) -> None:
        """All arrays in a batch, only some of them, and batches that broadcast."""
        function, inputs = self.function(equation), self.inputs(equation, seed)
        rng = np.random.default_rng(seed)
        for batches in _batches([i.name for i in equation.inputs if i.shape], rng):
            many = {
                name: rng.standard_normal(batch + inputs[name].shape)
                for name, batch in batches.items()
            }
            value = function(**_tensors({**inputs, **many}, torch.float64))
            whole = np.broadcast_shapes(*batches.values())
            for place in itertools.product(*map(range, whole)):
                one = {name: _item(array, batches[name], place) for name, array in many.items()}
                expected = oracle.evaluate(equation, {**inputs, **one})
                mine = value.expand(whole + expected.shape)[place]
                self.same(mine, expected, 1e-10, 1e-12)

    def tensors(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Inputs with arrays as float64 tensors."""
        return _tensors(inputs, torch.float64)

    def same(self, value: Tensor, expected: Any, rtol: float, atol: float) -> None:
        assert isinstance(value, Tensor)
        assert tuple(value.shape) == expected.shape
        np.testing.assert_allclose(value.double().numpy(), expected, rtol=rtol, atol=atol)


def _batches(arrays: list[str], rng: np.random.Generator) -> Iterator[dict[str, tuple[int, ...]]]:
    if not arrays:
        return
    yield dict.fromkeys(arrays, (2,))
    yield dict.fromkeys(arrays, (2, 3))
    shapes: list[tuple[int, ...]] = [(), (3,), (2, 1), (2, 3)]
    yield {name: shapes[rng.integers(4)] for name in arrays}
    for alone in arrays[:4]:
        yield {name: (3,) if name == alone else () for name in arrays}


def _item(array: Any, batch: tuple[int, ...], place: tuple[int, ...]) -> Any:
    own = place[len(place) - len(batch) :]
    return array[tuple(at if size > 1 else 0 for at, size in zip(own, batch, strict=True))]


def _tensors(inputs: dict[str, Any], dtype: torch.dtype) -> dict[str, Any]:
    return {
        name: torch.tensor(value, dtype=dtype) if isinstance(value, np.ndarray) else value
        for name, value in inputs.items()
    }


def _ranks(equation: Equation, name: str) -> tuple[list[int], int]:
    """How many axes the arguments and the value of a function have."""
    arrays = [*(d.array for d in equation.definitions), equation.value]
    parts: Iterator[Expr] = (part for array in arrays for part in ir.walk(array.body))
    call = next(p for p in parts if isinstance(p, Call) and p.function == name)
    return [len(a.indices) for a in call.arguments], len(call.at)


def _function(scale: int, ranks: tuple[list[int], int]) -> Callable[..., Any]:
    """tanh of the first argument, averaged over axes that the value lacks, and shifted by the
    mean sine of each further argument."""
    (own, *others), rank = ranks

    def function(first: Any, *rest: Any) -> Any:
        like = next((x for x in (first, *rest) if isinstance(x, Tensor)), None)
        library: Any = np if like is None else torch

        def number(x: Any) -> Any:
            return np.asarray(x, float) if like is None else torch.as_tensor(x, dtype=like.dtype)

        value = library.tanh(number(first)) * scale
        if own > rank:
            value = value.mean(tuple(range(-own, -rank if rank else 0)))
        for argument, axes in zip(rest, others, strict=True):
            shift = library.sin(number(argument))
            shift = shift.mean(tuple(range(-axes, 0))) if axes else shift
            value = value + shift[(..., *[None] * rank)]
        return value

    return function


@pytest.fixture
def checks() -> Checks:
    return Checks()
