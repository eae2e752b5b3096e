"""How docstrings tell variants of a component apart, and how their scores are divided."""

from __future__ import annotations

import re

import pytest

from building import package_of

ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(%s) V"
FEED_FORWARD = r"\mathrm{FFN}(x) = %s W_2"


@pytest.mark.parametrize(
    ("scores", "said", "code"),
    [
        (r"QK^\top / d_k", "divided by d_k", "/ query.size(-1)"),
        (r"QK^\top / \sqrt{d_k}", "divided by √d_k", "/ math.sqrt(query.size(-1))"),
        (r"QK^\top / 8", "divided by 8", "/ 8"),
        (r"\tau QK^\top", "times τ", "* self.tau"),
        (r"\frac{QK^\top}{\sigma_q \varphi}", "divided by σ_q φ", "/ (self.sigma_q * self.phi)"),
        (r"-QK^\top", "times -1", "* -1"),
        (r"\frac{3 QK^\top}{2 \sqrt{d_k}}", "times 1.5 / √d_k", None),
        (r"QK^\top / \sqrt{2 d_k}", "divided by √(2 d_k)", "/ math.sqrt(2 * query.size(-1))"),
        (r"QK^\top / \sqrt{d_k + 1}", "divided by √(d_k + 1)", "/ math.sqrt(query.size(-1) + 1)"),
        (r"QK^\top d_k^{-1/3}", "divided by d_k^(1/3)", "/ query.size(-1) ** (1 / 3)"),
        (
            r"\frac{\log_2(n)}{\sqrt{d_k}} QK^\top",
            "times log(n) / (log(2) √d_k)",
            None,
        ),
        (
            r"c \tanh\left(\frac{QK^\top}{c \sqrt{d_k}}\right)",
            "divided by c √d_k, put through c tanh(x)",
            "/ (self.c * math.sqrt(query.size(-1)))",
        ),
        (r"\frac{QK^\top}{\sqrt{d_k}} - \lambda |i - j|", "with -λ |i - j| added", None),
        (r"\frac{QK^\top}{\sqrt{d_k}} + 2 B", "with 2 B added", None),
    ],
)
def test_scores(scores: str, said: str, code: str | None) -> None:
    module = package_of([ATTENTION % scores])["transformer/attention.py"]
    assert _summary(module, "DotProductAttention").endswith(f" {said}.")
    assert code is None or re.search(rf"query @ key.mT {re.escape(code)}$", module, re.MULTILINE)


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (r"0 & 0 \le i - j \le w \\ -\infty & \text{otherwise}", "unless 0 ≤ i - j ≤ w"),
        (r"-\infty & |i - j| > w \\ 0 & \text{otherwise}", "where |i - j| > w"),
    ],
)
def test_windows(cases: str, said: str) -> None:
    mask = rf"M_{{ij}} = \begin{{cases}} {cases} \end{{cases}}"
    module = package_of([ATTENTION % r"QK^\top + M", mask])["transformer/attention.py"]
    assert _summary(module, "DotProductAttention").endswith(f", with keys hidden {said}.")
    assert max(map(len, module.splitlines())) <= 100


@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        (r"\max(0, x W_1)", "a ReLU"),
        (r"\max(0, x W_1)^2", "relu(x)²"),
        (r"\tanh(x W_1)", "tanh"),
    ],
)
def test_activations(hidden: str, said: str) -> None:
    module = package_of([FEED_FORWARD % hidden])["transformer/layers.py"]
    assert _summary(module, "FeedForward").endswith(f" with {said} between them.")


def test_norms_before_and_behind() -> None:
    norm = (
        r"\mathrm{LayerNorm}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta, "
        + (r"\quad \mu = \frac{1}{d} \sum_i x_i, \quad \sigma^2 = \frac{1}{d} \sum_i (x_i - \mu)^2")
    )
    behind = r"\mathrm{AddNorm}(x) = \mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))"
    before = r"\mathrm{PreNorm}(x) = x + \mathrm{Sublayer}(\mathrm{LayerNorm}(x))"
    module = package_of([norm, behind, before])["transformer/layers.py"]
    assert _summary(module, "AddNorm") == (
        "A residual connection around a norm and the sublayer behind it."
    )
    assert "of their sum." in module


def test_lines_of_a_note_are_in_order() -> None:
    """The first formula shown is the one that the class is of, wherever it stands."""
    score, sum_ = "a(q, k) = q^\\top W k", r"o = \sum_{j=1}^m \mathrm{softmax}_j(a(q, k_j)) v_j"
    module = package_of([sum_, score, sum_])["transformer/attention.py"]
    (lines,) = re.findall(r"From vault/Note.md:(.*)\.$", module, re.MULTILINE)
    assert lines == "1, 2, 3"


def _summary(module: str, name: str) -> str:
    """The first sentence of the last class of such a name."""
    *_, last = re.findall(rf'class \w*{name}\(.*\):\n    r?"""(.*?)\n\n', module, re.DOTALL)
    return " ".join(last.split())
