"""Emitted code is formatted, clean, typed, and the same every time."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from notes2code.emit.torch_function import torch_source

ROOT = Path(__file__).parents[2]
FORMULAS = [
    r"\mathrm{Attention}(Q,K,V)=\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
    r"y_i=\sum_{j\le i}\frac{\exp(q_i^\top k_j)}{\sum_{l\le i}\exp(q_i^\top k_l)}v_j",
    r"e_{ij}=v^\top\tanh(W[s_i;h_j])",
    r"\mathrm{FFN}(x)=\max(0,xW_1+b_1)W_2+b_2",
    r"y=\frac{x-\mathrm{E}[x]}{\sqrt{\mathrm{Var}[x]+\epsilon}}\odot\gamma+\beta",
    r"PE_{pos,2i}=\sin(pos/10000^{2i/d}),\quad PE_{pos,2i+1}=\cos(pos/10000^{2i/d})",
    r"a_{ij}=\mathrm{softmax}_j(q_i^\top k_j+b_{i-j}),\quad e_{ij}=a_{ij}-\lambda|i-j|",
    r"\mathrm{BP}=\begin{cases}1&c>r\\e^{1-r/c}&c\le r\end{cases}",
    r"s_{ij}=\frac{q_i^\top k_j}{\|q_i\|\cdot\|k_j\|}",
    r"\frac{\phi(Q)(\phi(K)^\top V)}{\phi(Q)\phi(K)^\top\mathbf{1}}",
    r"y=\mathrm{LayerNorm}(x+\mathrm{Sublayer}(x))",
    r"\begin{pmatrix}\cos m\theta&-\sin m\theta\\\sin m\theta&\cos m\theta\end{pmatrix}",
    r"q_m^\top k_n = x_m^\top W_q^\top W_k x_n + x_m^\top W_q^\top W_k p_{m-n} + u^\top W_k x_n",
    r"f_t=\sigma(W_f[h_{t-1},x_t]+b_f)\odot\tanh(W_g[h_{t-1},x_t]+b_g)+\tanh(U_f x_t+c_f)",
    r"y_i=x_i\cos\theta_i-x_{i+d/2}\sin\theta_i,\quad i=1,\dots,d/2",
]


@pytest.fixture
def written(checks: Any, tmp_path: Path) -> list[Path]:
    paths: list[Path] = []
    for number, latex in enumerate(FORMULAS):
        source = torch_source(checks.typed(latex), "compute", f"Number {number}: ${latex}$.")
        paths.append(tmp_path / f"formula_{number}.py")
        paths[-1].write_text(source)
    return paths


def _run(*command: str | Path) -> None:
    line = [sys.executable, "-m", *command]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def _needs(module: str) -> pytest.MarkDecorator:
    missing = importlib.util.find_spec(module) is None
    return pytest.mark.skipif(missing, reason=f"{module} is not installed")


@_needs("ruff")
def test_ruff(written: list[Path]) -> None:
    config = ("--config", ROOT / "pyproject.toml", "--no-cache")
    _run("ruff", "format", "--diff", *config, *written)
    _run("ruff", "check", *config, "--ignore", "E501", *written)


@_needs("mypy")
def test_mypy(written: list[Path]) -> None:
    _run("mypy", "--strict", *written)


def test_same_bytes(checks: Any) -> None:
    for latex in FORMULAS:
        sources = {torch_source(checks.typed(latex), "compute") for _ in range(3)}
        assert len(sources) == 1


def test_lines_are_short(checks: Any) -> None:
    for latex in FORMULAS:
        assert max(map(len, torch_source(checks.typed(latex), "compute").splitlines())) <= 100


def test_locals_are_used_and_set_once(checks: Any) -> None:
    for latex in FORMULAS:
        source = torch_source(checks.typed(latex), "compute")
        names = [
            name
            for line in re.findall(r"^    (\w[\w, ]*?)(?:: Tensor)? = ", source, re.MULTILINE)
            for name in line.split(", ")
        ]
        assert len(names) == len(set(names))
        assert all(len(re.findall(rf"\b{name}\b", source)) > 1 for name in names)


def test_nothing_of_the_project_is_imported(checks: Any) -> None:
    for latex in FORMULAS:
        head = torch_source(checks.typed(latex), "compute").partition("def ")[0]
        modules = set(re.findall(r"^(?:import|from) ([\w.]+)", head, re.MULTILINE))
        assert modules <= {"math", "collections.abc", "torch", "torch.nn.functional"}


def test_emitting_imports_no_torch() -> None:
    code = "import sys, notes2code.emit.torch_function as _; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
