"""Models as notes of today describe them: RMSNorm, rotary heads, gated feed-forward layers."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from building import Package, package_of, warnings_of, without_training
from emitted_tests import written
from notes2code import compile_formula
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault

RUN = Callable[[Package], bool]
IMPORTED = Callable[[Package], ModuleType]

NORM = (
    r"\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac{1}{d} \sum_{i=1}^{d} x_i^2 + \epsilon}}"
    r" \odot \gamma"
)
TURN = [
    r"\mathrm{RoPE}(x)_{m,2i} = x_{m,2i} \cos(m\theta_i) - x_{m,2i+1} \sin(m\theta_i)",
    r"\mathrm{RoPE}(x)_{m,2i+1} = x_{m,2i} \sin(m\theta_i) + x_{m,2i+1} \cos(m\theta_i)",
    r"\theta_i = 10000^{-2i/d}",
]
TURN_AT = [row.replace("x_{m,", "x_{").replace("(x)_{m,", "(x, m)_{") for row in TURN]
ATTENTION = [
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right) V",
    r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
]
JOINED = r"(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
HEADS = (
    rf"\mathrm{{MultiHead}}{JOINED} \mathrm{{head}}_i = "
    r"\mathrm{Attention}(\mathrm{RoPE}(X W_i^Q), \mathrm{RoPE}(X W_i^K), X W_i^V)"
)
GROUPS = (
    rf"\mathrm{{GQA}}{JOINED} \mathrm{{head}}_i = \mathrm{{Attention}}(\mathrm{{RoPE}}(X W_i^Q), "
    r"\mathrm{RoPE}(X W_{\lceil i g / h \rceil}^K), X W_{\lceil i g / h \rceil}^V)"
)
CALLS = re.compile(r"\\mathrm\{Attention\}.*")
INLINE = (
    r"\mathrm{softmax}\left(\frac{\mathrm{RoPE}(X W_i^Q) \mathrm{RoPE}(X W_i^K)^\top}{\sqrt{d_k}}"
    r" + M\right) (X W_i^V)"
)


def biased(heads: str) -> str:
    """The heads with a bias behind each projection, as in Qwen."""
    return re.sub(r"X W_(i|\{.*?\})\^([QKV])", r"X W_\1^\2 + b_\1^\2", heads)


GATED = r"\mathrm{FFN}(x) = (\mathrm{SiLU}(x W_1) \odot x W_3) W_2"
MODEL = [
    r"h_0 = U W_e",
    r"h_l = \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, N",
    r"P = \mathrm{softmax}(\mathrm{RMSNorm}(h_N) W_e^\top)",
]


def block(mix: str) -> str:
    return (
        r"\mathrm{Block}(X) = Z + \mathrm{FFN}(\mathrm{RMSNorm}(Z)), \quad "
        rf"Z = X + \mathrm{{{mix}}}(\mathrm{{RMSNorm}}(X))"
    )


def notes(heads: str, mix: str, turn: Sequence[str] = TURN) -> Sequence[str]:
    return [NORM, *turn, *ATTENTION, heads, GATED, block(mix), *MODEL]


FAR = [
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top / \sqrt{d_k} + M + D) V",
    ATTENTION[1],
    r"D_{ij} = -\frac{i - j}{2}",
]
PLAIN_HEADS = (
    rf"\mathrm{{MultiHead}}{JOINED} \mathrm{{head}}_i = "
    r"\mathrm{Attention}(X W_i^Q, X W_i^K, X W_i^V)"
)


def small(package: ModuleType, **more: int) -> Any:
    """A model of few numbers with random weights; what it computes when it is made is exact."""
    torch.set_default_dtype(torch.float64)
    try:
        sizes = {"vocab_size": 11, "max_len": 8, "d_model": 16, "num_heads": 4, "d_ff": 10}
        model = package.GPT(package.GPTConfig(num_layers=2, **sizes, **more))
    finally:
        torch.set_default_dtype(torch.float32)
    torch.manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.5)
    return model.eval()


def logits(weights: dict[str, np.ndarray], tokens: np.ndarray, groups: int) -> np.ndarray:
    """What such a model computes, in NumPy."""

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        normed: np.ndarray = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
        normed *= weights[f"{name}.gamma"]
        return normed

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        mapped: np.ndarray = x @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", 0)
        return mapped

    def split(x: np.ndarray, count: int) -> np.ndarray:
        heads: np.ndarray = x.reshape(len(x), count, -1).transpose(1, 0, 2)
        return heads.repeat(4 // count, axis=0)

    def turned(x: np.ndarray) -> np.ndarray:
        angle = np.outer(np.arange(len(tokens)), 10000.0 ** (-np.arange(0, 4, 2) / 4))
        z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)
        pairs: np.ndarray = np.stack([z.real, z.imag], axis=-1)
        return pairs.reshape(x.shape)

    x = weights["W_e.weight"][tokens]
    for at in ("layers.0.", "layers.1."):
        own = norm(x, f"{at}attention_norm")
        query, key, value = (
            split(linear(own, f"{at}attention.W_{letter}"), count)
            for letter, count in (("Q", 4), ("K", groups), ("V", groups))
        )
        scores = turned(query) @ turned(key).transpose(0, 2, 1) / 2
        scores[:, np.triu_indices(len(tokens), 1)[0], np.triu_indices(len(tokens), 1)[1]] = -np.inf
        chosen = np.exp(scores - scores.max(-1, keepdims=True))
        heads = chosen / chosen.sum(-1, keepdims=True) @ value
        joined = heads.transpose(1, 0, 2).reshape(len(tokens), -1)
        x = x + linear(joined, f"{at}attention.W_O")
        own = norm(x, f"{at}feed_forward_norm")
        gate = linear(own, f"{at}feed_forward.W_1")
        hidden = gate / (1 + np.exp(-gate)) * linear(own, f"{at}feed_forward.W_3")
        x = x + linear(hidden, f"{at}feed_forward.W_2")
    out: np.ndarray = norm(x, "norm") @ weights["W_e.weight"].T
    return out


KINDS = [
    (notes(HEADS, "MultiHead"), 4, {}),
    (notes(GROUPS, "GQA"), 2, {"num_groups": 2}),
    (notes(GROUPS, "GQA", TURN_AT), 2, {"num_groups": 2}),
    (notes(biased(HEADS), "MultiHead"), 4, {}),
    (notes(biased(GROUPS), "GQA"), 2, {"num_groups": 2}),
    (notes(biased(CALLS.sub(lambda _: INLINE, HEADS)), "MultiHead"), 4, {}),
]


@pytest.mark.parametrize(("formulas", "groups", "more"), KINDS)
def test_a_model_with_turned_heads_comes_out_whole(
    formulas: Sequence[str], groups: int, more: dict[str, int], run_tests: RUN, imported: IMPORTED
) -> None:
    files = package_of(formulas)
    assert run_tests(without_training(files))
    model = small(imported(files), **more)
    assert all(layer.attention.rotary.cosines.size(0) == 8 for layer in model.layers)
    weights = {name: weight.numpy() for name, weight in model.state_dict().items()}
    tokens = torch.randint(11, (8,))
    expected = logits(weights, tokens.numpy(), groups)
    actual = model(tokens[None])[0].detach()
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-11)
    caches = model.empty_caches()
    pieces = [tokens[None, start:end] for start, end in ((0, 3), (3, 4), (4, 5), (5, 8))]
    read = [model(piece, caches=caches) for piece in pieces]
    np.testing.assert_allclose(torch.cat(read, dim=1)[0].detach(), expected, rtol=1e-9, atol=1e-11)
    written = model.generate(tokens[None, :3], 5, temperature=0.0)[0]
    for at in range(3, 8):
        assert written[at] == logits(weights, written[:at].numpy(), groups)[-1].argmax()
    keep_mask = torch.arange(5)[None] >= 2
    padded = model.generate(tokens[None, 3:], 3, keep_mask=keep_mask, temperature=0.0)[0, 2:]
    for at in range(3, 6):
        assert padded[at] == logits(weights, padded[:at].numpy(), groups)[-1].argmax()


@pytest.mark.parametrize("turn", [TURN, TURN_AT])
@pytest.mark.parametrize(("mask", "told"), [(" + M", 0), ("", 1)])
def test_turned_heads_that_see_later_tokens_are_told(
    turn: Sequence[str], mask: str, told: int
) -> None:
    formulas = [one.replace(" + M", mask) for one in notes(GROUPS, "GQA", turn)]
    assert warnings_of(formulas).count("N2C050") == told


def test_groups_are_asked_for(imported: IMPORTED) -> None:
    """Any number of them that the notes do not say would be a guess."""
    package = imported(package_of(notes(GROUPS, "GQA")))
    with pytest.raises(TypeError, match="num_groups"):
        package.GroupedQueryAttention(16, 4)
    with pytest.raises(TypeError, match="num_groups"):
        package.TransformerBlock(16, 4, 10)
    sizes = {"vocab_size": 11, "max_len": 8, "d_model": 16, "num_heads": 4, "d_ff": 10}
    with pytest.raises(TypeError, match="num_groups"):
        package.GPTConfig(num_layers=1, **sizes)


def test_one_group_is_what_a_formula_of_one_says(imported: IMPORTED) -> None:
    shared = GROUPS.replace(r"_{\lceil i g / h \rceil}", "")
    package = imported(package_of(notes(shared, "GQA")))
    assert package.MultiQueryAttention(16, 4).W_K.out_features == 4


HEADS_GIVEN = (
    r"\mathrm{head}_i = \mathrm{Attention}(Q_i, K_{\lfloor i g / h \rfloor}, "
    r"V_{\lfloor i g / h \rfloor})"
)


@pytest.mark.parametrize(
    ("note", "name"),
    [
        ("# Notes\n\n## Grouped-query attention\n\nFewer keys.\n", "GroupedQueryAttention"),
        (f"# Notes\n\n$$ {HEADS_GIVEN} $$\n", "GroupedQueryAttention"),
        (f"# Grouped query attention\n\n$$ {HEADS_GIVEN} $$\n", "GroupedQueryAttention"),
        ("# Notes\n\n## Multi-query attention\n\nFewer keys.\n", "MultiQueryAttention"),
    ],
)
def test_the_name_alone_says_whether_there_are_groups(
    tmp_path: Path, run_tests: RUN, note: str, name: str
) -> None:
    (tmp_path / "Note.md").write_text(note, encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    classes = {one.rpartition(".")[2] for one in rendered.classes}
    assert classes == {name, "ScaledDotProductAttention"}
    code = rendered.files["transformer/attention.py"]
    assert ("num_groups: int = 1" in code) is (name == "MultiQueryAttention")
    assert run_tests(rendered.files)


@pytest.mark.parametrize(
    "formulas",
    [
        [r"\mathrm{head}_i = \mathrm{softmax}(Q_i K_{g(i)}^\top) V_{g(i)}"],
        [r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(Q K^\top) V", HEADS_GIVEN],
    ],
)
def test_heads_of_groups_that_are_scaled_otherwise_say_too_little(
    tmp_path: Path, formulas: Sequence[str]
) -> None:
    """The textbook's whole has no place for it."""
    text = "\n\n".join(f"$$ {one} $$" for one in formulas)
    (tmp_path / "Note.md").write_text(f"# Notes\n\n{text}\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert not any("GroupedQuery" in one for one in rendered.classes)
    assert [one.code for one in rendered.diagnostics] == ["N2C053"]


@pytest.mark.parametrize(("term", "is_told"), [("", True), (" + B", False)])
def test_only_heads_that_make_a_class_are_told_to(term: str, is_told: bool) -> None:
    scores = r"\frac{Q_i K_{g(i)}^\top}{\sqrt{d_k}}" + term
    heads = rf"\mathrm{{head}}_i = \mathrm{{softmax}}\left({scores}\right) V_{{g(i)}}"
    told = " ".join(problem.message for problem in compile_formula(heads).diagnostics)
    assert ("has the rest from the textbook" in told) is is_told


def test_scaled_heads_of_groups_that_are_written_out_are_the_usual_ones(tmp_path: Path) -> None:
    heads = r"\mathrm{head}_i = \mathrm{softmax}(Q_i K_{g(i)}^\top / \sqrt{d_k}) V_{g(i)}"
    (tmp_path / "Note.md").write_text(f"# Notes\n\n$$ {heads} $$\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert "transformer.attention.GroupedQueryAttention" in rendered.classes


def test_a_norm_that_is_no_function_is_that_of_the_layers(run_tests: RUN) -> None:
    """LLaMA's, as its paper writes it, has no small number; the heads are the notes' own."""
    norm = r"\bar{a}_i = \frac{a_i}{\mathrm{RMS}(a)} g_i, \quad \mathrm{RMS}(a) = "
    norm += r"\sqrt{\frac{1}{n} \sum_{i=1}^n a_i^2}"
    heads = HEADS.replace("MultiHead", "MHA")
    files = package_of([norm, *TURN, *ATTENTION, heads, GATED, block("MHA"), *MODEL])
    assert "self.norm = RMSNorm(config.d_model)" in files["transformer/models.py"]
    assert run_tests(without_training(files))


@pytest.mark.skipif(importlib.util.find_spec("ruff") is None, reason="ruff is not installed")
@pytest.mark.parametrize("command", [("format", "--diff"), ("check", "--ignore", "RUF043")])
def test_ruff(command: Sequence[str], tmp_path: Path) -> None:
    written(package_of(notes(GROUPS, "GQA")), tmp_path)
    config = Path(__file__).parents[2] / "pyproject.toml"
    code = (tmp_path / "transformer", tmp_path / "tests")
    line = [sys.executable, "-m", "ruff", *command, "--no-cache", "--config", config, *code]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_model_whose_scores_go_by_distance_remembers_what_it_has_read(
    run_tests: RUN, imported: IMPORTED
) -> None:
    package = package_of([NORM, *FAR, PLAIN_HEADS, GATED, block("MultiHead"), *MODEL])
    assert run_tests(without_training(package))
    model = small(imported(package))
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6]])
    caches = model.empty_caches()
    pieces = [model(piece, caches=caches) for piece in tokens.split([3, 1, 2], dim=1)]
    torch.testing.assert_close(torch.cat(pieces, dim=1), model(tokens))
