"""Whether an attention sees what is added to all scores of a query, as its component says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from building import Package, package_of
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault

OWN = r"""
class = "TanhAttention"
family = "attention"
summary = "Attention whose weights are hyperbolic tangents of the scores."
textbook = 'o = \sum_j \tanh(q^\top k_j + b) v_j'
normalised = false

[[formulas]]
latex = '\sum_j \tanh(q^\top k_j + M_j) v_j'

[shapes]
q = ["d_k"]
k = ["d_k"]
v = ["d_v"]
M = []

[settings.mask]
symbol = "M"
kind = "term"
"""
MODULE = """
{% import "attention.j2" as attention with context %}
class {{ part.name }}(Attention):
{{ part.doc() }}

{{ attention.init(part) -}}
{{ attention.forward(part) -}}
{{ "    " }}def scores(self, query: Tensor, key: Tensor) -> Tensor:
        return query @ key.mT

    def weights(
        self, query: Tensor, key: Tensor, keep: Tensor | None, bias: Tensor | None
    ) -> Tensor:
        return torch.tanh(self.scores(query, key) + bias)
"""


def test_one_of_ones_own_sees_it(tmp_path: Path, imported: Callable[[Package], ModuleType]) -> None:
    folder = tmp_path / "own" / "tanh_attention"
    folder.mkdir(parents=True)
    (folder / "component.toml").write_text(OWN, encoding="utf-8")
    (folder / "module.py.j2").write_text(MODULE, encoding="utf-8")
    (folder / "test.py.j2").write_text("")
    (tmp_path / "vault").mkdir()
    note = r"$$o_i = \sum_j \tanh(q_i^\top k_j + c) v_j$$"
    (tmp_path / "vault" / "Note.md").write_text(note, encoding="utf-8")
    known = library(tmp_path / "own")
    rendered = render(compile_vault(read_vault(tmp_path / "vault"), known), "transformer")
    attention = imported(rendered.files).TanhAttention(c=0.7)
    query, key, value = torch.randn(4, 9), torch.randn(6, 9), torch.randn(6, 3)
    expected = torch.tanh(query @ key.T + 0.7) @ value
    torch.testing.assert_close(attention(query, key, value), expected)


@pytest.mark.parametrize("name", ["scaled_dot_product", "kernel", "differential", "sigmoid"])
def test_components_say_it(name: str, imported: Callable[[Package], ModuleType]) -> None:
    component = library().components[f"{name}_attention"]
    made = getattr(imported(package_of([component.textbook.latex])), component.class_name)()
    query, key, value = torch.randn(4, 8), torch.randn(6, 8), torch.randn(6, 3)
    shifted = made(query, key, value, bias=torch.full((4, 6), 0.7))
    same = torch.allclose(shifted, made(query, key, value), atol=1e-5)
    assert same == component.normalised
