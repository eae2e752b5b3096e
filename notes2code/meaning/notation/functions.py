"""The functions that everybody knows by their names."""

from __future__ import annotations

import re

from notes2code.meaning import names

OF_NUMBERS = {
    "exp": "exp", "log": "log", "ln": "log", "sin": "sin", "cos": "cos", "tan": "tan",
    "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "asin": "arcsin",
    "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "erf": "erf", "sigmoid": "sigmoid",
    "relu": "relu", "relu6": "relu6", "gelu": "gelu", "elu": "elu", "silu": "silu", "swish": "silu",
    "softplus": "softplus", "sign": "sign", "sgn": "sign", "abs": "abs", "floor": "floor",
    "ceil": "ceil", "round": "round", "sqrt": "sqrt", "rsqrt": "rsqrt",
    "logistic": "sigmoid",
}  # fmt: skip
"""Functions of numbers by their names in lower case; on arrays they act element by element."""

GREEK_FUNCTIONS = {"sigma": "sigmoid", "Phi": "normal_cdf"}
"""What these letters are when they are called and the notes do not say."""

LETTERS = frozenset([*"fgFG", "phi", "psi", "Phi", "Psi"])
"""Letters that are functions wherever they stand before parentheses."""


LEAKY = frozenset(["leakyrelu", "lrelu"])
"""Activations that let a share of negative numbers through."""


TURNS_HALF = re.compile("rot(ate)?_?(half|every_?two)", re.IGNORECASE)
"""What turns each pair of entries of a vector: the ``rotate_half`` of a rotary position."""


def is_known(name: str) -> bool:
    """Whether everybody knows a function by its name: the softmax, or one of numbers. LN is a
    norm, and no logarithm."""
    known = name.lower() in names.FUNCTIONS or names.as_word(name) in OF_NUMBERS
    return known and name != "LN"
