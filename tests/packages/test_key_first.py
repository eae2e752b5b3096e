"""A small network's score of a key and a query, joined in either order: the key is the one that
the last index counts."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of


@pytest.mark.parametrize(
    "note, key_first",
    [
        (r"e_i = v^\top \tanh(W [h_i; s])", True),
        (r"e_{ti} = v^\top \tanh(W [h_i; s_{t-1}])", True),
        (r"\alpha_{ti} = \mathrm{softmax}_i(v^\top \tanh(W [h_i; s_t]))", True),
        (r"e_{ti} = v^\top \tanh(W [s_{t-1}; h_i])", False),
    ],
)
def test_columns_are_those_of_the_note(
    note: str,
    key_first: bool,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    files = package_of([note])
    assert run_tests(files)
    attention = imported(files).AdditiveAttention(3, 2, 5).double()
    w, v = attention.W.weight.detach().numpy(), attention.v.weight.detach().numpy()[0]
    query, key = np.random.default_rng(0).standard_normal((4, 3)), np.eye(2)
    scores = np.empty((4, 2))
    for t, one in enumerate(query):
        for i, other in enumerate(key):
            joined = np.concatenate([other, one] if key_first else [one, other])
            scores[t, i] = v @ np.tanh(w @ joined)
    found = attention.scores(torch.tensor(query), torch.tensor(key)).detach()
    np.testing.assert_allclose(found, scores, rtol=1e-10, atol=1e-12)
