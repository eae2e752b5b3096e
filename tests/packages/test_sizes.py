"""A class that is made with a size, or a dropout, that cannot be says so by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import isclass, signature
from types import ModuleType
from typing import Any

import pytest

from building import Package, package_of
from notes2code.components.library import library

NOTES = [
    [component.textbook for component in library().components.values()],
    [
        r"\mathrm{Heads}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, "
        r"\quad \mathrm{head}_i = \mathrm{softmax}(5 \tanh(QW_i^Q (KW_i^K)^\top / 5)) VW_i^V",
    ],
    [
        r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top) V",
        r"\mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2",
        r"Z = \mathrm{LayerNorm}(X + \mathrm{Attention}(X, X, X)), \quad "
        r"\mathrm{EncoderLayer}(X) = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z))",
        r"\mathrm{Encoder}(X) = H_N, \quad H_l = \mathrm{EncoderLayer}(H_{l-1}), \quad H_0 = X",
    ],
    [r"h_i = x_i + p_i"],
]
"""All components; heads that are written out; an encoder of one head; learned positions."""


@pytest.mark.parametrize("formulas", NOTES)
def test_each_class_says_what_is_wrong(
    formulas: list[str], imported: Callable[[Package], ModuleType]
) -> None:
    package = imported(package_of(formulas))
    classes = [c for name in package.__all__ if isclass(c := getattr(package, name))]
    for made in classes:
        settings = _settings(made)
        for name, wrong in _wrong(settings):
            with pytest.raises(ValueError, match=f"{name}.*{wrong}"):
                made(**{**settings, name: wrong})


def _settings(made: type) -> dict[str, Any]:
    """Sizes that a class can be made with, and a dropout; a cache may have room for nothing."""
    given = {} if made.__name__ == "KeyValueCache" else signature(made).parameters
    sizes = {name: 4 for name, p in given.items() if p.annotation == "int"}
    shares = {name: 1 for name in sizes if name.startswith("num_")}
    return sizes | shares | ({"dropout": 0.5} if "dropout" in given else {})


def _wrong(settings: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Settings that cannot be; a model says what its heads cannot share when it is made."""
    for name in settings:
        least = 0 if name == "max_distance" else 1
        yield from ((name, -0.5), (name, 1.5)) if name == "dropout" else ((name, least - 1),)
    if "vocab_size" not in settings and {"d_model", "num_heads"} <= settings.keys():
        yield "num_heads", 3
