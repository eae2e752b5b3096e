"""A number that a section gives for a letter of its formula is what its class has by default."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from building import Package, without_training
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault

NOTE = r"""# Temperature

$$\mathrm{softmax}\left(\frac{QK^\top}{\tau}\right) V$$

BESIDE

# Elsewhere

Here $\tau = 7$.
"""


@pytest.mark.parametrize(
    ("beside", "default"),
    [
        (r"with $\tau = 2$", "2.0"),
        (r"with $\tau = 0.5$ at night; by day $\tau = 0.5$ too", "0.5"),
        (r"first $\tau = 2$, later $\tau = 3$", "1.0"),
        (r"which goes to $\tau = \infty$", "1.0"),
        ("> [!example] Colder\n> Take two scores.\n> With $\\tau = 0.5$ one wins.", "1.0"),
        ("with a temperature", "1.0"),
    ],
)
def test_it_is_the_default_where_there_is_one(tmp_path: Path, beside: str, default: str) -> None:
    (tmp_path / "Note.md").write_text(NOTE.replace("BESIDE", beside), encoding="utf-8")
    files = render(compile_vault(read_vault(tmp_path), library()), "transformer").files
    assert f"tau: float = {default})" in files["transformer/attention.py"]


BUILT_ON = r"""# Blocks

$$\mathrm{SigmoidAttn}(Q, K, V) = \sigma\left(\frac{QK^\top}{\sqrt{d_k}} + b\right) V$$

with $b = -5$.

$$\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad
\mathrm{head}_i = \mathrm{SigmoidAttn}(QW_i^Q, KW_i^K, VW_i^V)$$

$$\mathrm{FFN}(x) = \mathrm{ReLU}(x W_1 + b_1) W_2 + b_2$$

$$\mathrm{EncoderLayer}(X) = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z)), \quad
Z = \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X))$$
"""


def test_what_is_built_on_the_class_has_it_too(tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text(BUILT_ON, encoding="utf-8")
    files = render(compile_vault(read_vault(tmp_path), library()), "transformer").files
    code = files["transformer/attention.py"] + files["transformer/layers.py"]
    assert re.findall(r"\b(b: float.*?)[,)\n]", code) == ["b: float = -5.0"] * 3


CAPPED = r"""# GPT

$$h_0 = U W_e, \quad h_l = \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, N, \quad
y = \mathrm{softmax}(c \tanh((h_N W + b) / c))$$

Here c says how large a logit can be.
"""


def test_a_model_is_made_with_what_caps_its_logits(
    tmp_path: Path, run_tests: Callable[[Package], bool]
) -> None:
    (tmp_path / "Note.md").write_text(CAPPED.replace("c says", "$c = 20$ says"), encoding="utf-8")
    files = render(compile_vault(read_vault(tmp_path), library()), "transformer").files
    assert "    c: float = 20.0\n" in files["transformer/models.py"]
    assert "self.config.c * torch.tanh(logits / self.config.c)" in files["transformer/models.py"]
    assert run_tests(without_training(files))


def test_what_caps_them_is_no_guess(tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text(CAPPED, encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert ["`c = 30` beside" in d.message for d in rendered.diagnostics] == [True]


WINDOW = r"""# Windows

$$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top / \tau + M) V, \quad M_{ij} =
\begin{cases} 0 & \text{if } 0 \le i - j < w \\ -\infty & \text{otherwise} \end{cases}$$

where $w = 16$ and $\tau = 4$.

$$\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad
\mathrm{head}_i = \mathrm{Attention}(XW_i^Q, XW_i^K, XW_i^V)$$
"""


def test_the_width_of_a_window_is_a_whole_number(
    tmp_path: Path, run_tests: Callable[[Package], bool]
) -> None:
    (tmp_path / "Note.md").write_text(WINDOW, encoding="utf-8")
    files = render(compile_vault(read_vault(tmp_path), library()), "transformer").files
    code = files["transformer/attention.py"]
    assert sorted(re.findall(r"\b(?:w|tau): .*?(?=[,)\n])", code)) == [
        *["tau: float = 4.0"] * 2,
        *["w: int = 16"] * 2,
    ]
    assert run_tests(files)
    for right, wrong in (("i - j < self.w", "i - j <= self.w"), ("w=w)", "w=w + 1)"), ("16", "17")):
        assert right in code
        broken = {**files, "transformer/attention.py": code.replace(right, wrong)}
        assert not run_tests(broken), right


def test_a_window_that_the_notes_do_not_say_is_told(tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text(WINDOW.replace("w = 16", "w"), encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert [d.code for d in rendered.diagnostics if "how large w is" in d.message] == ["N2C057"]
