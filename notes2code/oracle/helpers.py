"""Functions that NumPy lacks, as plain as a test file wants them: their source is emitted.

Each takes an array or a number and gives one of the same shape.
"""

import math
from typing import Any

import numpy as np


def softmax(x: Any) -> Any:
    """The softmax along the last axis; a row of nothing but -inf gives zeros."""
    x = np.asarray(x, dtype=float)
    largest = np.max(x, axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(x - np.where(np.isneginf(largest), 0, largest))
    total = np.sum(powers, axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def sigmoid(x: Any) -> Any:
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def relu(x: Any) -> Any:
    """The larger of x and 0."""
    return np.maximum(x, 0)


def elu(x: Any) -> Any:
    """x where it is positive, else exp(x) - 1."""
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def silu(x: Any) -> Any:
    """x times its sigmoid."""
    return x / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return np.logaddexp(0, x)


def erf(x: Any) -> Any:
    """The error function."""
    return np.vectorize(math.erf, otypes=[float])(x)


def normal_cdf(x: Any) -> Any:
    """The distribution function of the standard normal distribution."""
    return (1 + erf(x / np.sqrt(2))) / 2


def gelu(x: Any) -> Any:
    """x times the normal distribution function at x, not its tanh approximation."""
    return x * normal_cdf(x)


def gelu_tanh(x: Any) -> Any:
    """The approximation of a GELU by a tanh."""
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
