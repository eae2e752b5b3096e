"""A class that is made with a size, or a dropout, that cannot be says so by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import isclass, signature
from types import ModuleType
from typing import Any

import pytest

from building import Package, package_of
from notes2code.components.library import library

OWN_SIZE = (
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{%s}}\right) V, "
    r"\quad Q \in \mathbb{R}^{n \times d_k}"
)
HEADS = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, "
    r"\quad \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)"
)
LAYER = (
    r"\mathrm{EncoderLayer}(X) = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z)), "
    r"\quad Z = \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X))"
)
NOTES = [
    [component.textbook.latex for component in library().components.values()],
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
    [OWN_SIZE % "d_{model}", HEADS],
    [OWN_SIZE % "d_h", HEADS],
]
"""All components; heads that are written out; an encoder of one head; learned positions; scores
divided by a size that is not that of the keys."""


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


def test_a_size_of_the_formula_alone_has_no_default(
    imported: Callable[[Package], ModuleType],
) -> None:
    """Any would be a wrong scale in silence. The heads of a model know its size, and no other."""
    package = imported(package_of([OWN_SIZE % "d_{model}", HEADS, LAYER]))
    with pytest.raises(TypeError, match="d_model"):
        package.ScaledDotProductAttention()
    assert package.EncoderLayer(6, 2, 8).attention.attention.d_model == 6
    package = imported(package_of([OWN_SIZE % "d_h", HEADS, LAYER]))
    with pytest.raises(TypeError, match="d_h"):
        package.MultiHeadAttention(6, 2)
    assert package.MultiHeadAttention(6, 2, d_h=5).attention.d_h == 5
    assert not hasattr(package, "EncoderLayer")


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
