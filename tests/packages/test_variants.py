"""Variants of components: packages that must pass their own tests, under telling names."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from building import Package, package_of

ROOT = r"\sqrt{\frac1d\sum_i x_i^2 + \epsilon}"
SWIGLU = r"\mathrm{FFN}(x) = (\mathrm{SiLU}(xW_1) \odot xW_3)W_2"

CASES: dict[str, tuple[list[str], list[str]]] = {
    "norms": (
        [
            r"\mathrm{RMSNorm}(x) = \frac{x}{\mathrm{RMS}(x)} \odot g",
            r"\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac1d x^\top x} + \epsilon} \odot \gamma",
            rf"\mathrm{{RMSNorm}}(x) = \frac{{x}}{{{ROOT}}}",
            r"y_{ij} = \gamma_j \frac{x_{ij}}{\sqrt{\frac1d\sum_{k=1}^d x_{ik}^2 + 10^{-6}}}",
        ],
        ["class OutsideRMSNorm", "class BareRMSNorm"],
    ),
    "root of the mean square": ([rf"\mathrm{{RMS}}(x) = {ROOT}"], ["class RMSNorm"]),
    "gates": (
        [
            SWIGLU,
            r"y = W_2(\mathrm{GELU}(W x + b) \otimes (V x + c)) + b_2",
            r"\mathrm{GLU}(x) = \sigma(xW + c) \otimes (xV + b)",
            r"h = \mathrm{Swish}_\beta(xW) \otimes xV",
        ],
        ["class SwiGLU", "class GEGLU", "class GLU", "class HiddenSwiGLU"],
    ),
    "block with a gate": (
        [
            rf"\mathrm{{RMSNorm}}(x) = \frac{{x}}{{{ROOT}}} \odot \gamma",
            SWIGLU,
            r"\mathrm{Block}(X) = Z + \mathrm{FFN}(\mathrm{RMSNorm}(Z)),"
            r" \quad Z = X + \mathrm{CausalSelfAttention}(\mathrm{RMSNorm}(X))",
        ],
        ["self.feed_forward = SwiGLU(", "self.feed_forward_norm = RMSNorm("],
    ),
    "a gate with a number of its own": (
        [r"y = (\mathrm{Swish}_\beta(x W) \otimes x V) W_2"],
        ["class SwiGLU", "self.beta = nn.Parameter("],
    ),
    "positions by element": ([r"x_i = e_i + p_i"], ["class LearnedPositionalEmbedding"]),
    "positions by column": ([r"x_t = E u_t + p_t"], ["class LearnedPositionalEmbedding"]),
    "perplexity of a loss": (
        [r"L = -\sum_{i=1}^{V} y_i \log(p_i)", r"\mathrm{perplexity} = \exp(L)"],
        ["def cross_entropy(", "def perplexity("],
    ),
    "cross entropy over a batch": (
        [
            r"\mathcal{L} = -\frac{1}{N} \sum_{i=1}^{N} \sum_{c=1}^{C} y_{ic} \log \hat{y}_{ic}",
        ],
        ["def cross_entropy(", "return total /"],
    ),
    "cross entropy of a batch, added up": (
        [r"L = -\sum_{i=1}^{N} \sum_{c=1}^{C} y_{i,c} \log(p_{i,c})"],
        ["def cross_entropy(", "returns: the sum over all positions"],
    ),
    "cross entropy of labels": (
        [r"L = -\frac{1}{N} \sum_{i=1}^{N} \log p_{i,y_i}"],
        ["def cross_entropy(", "return total /"],
    ),
    "logits without a softmax": ([r"\text{logits} = h W_e^\top"], ["class OutputHead"]),
    "cross entropy of the scores of one position": (
        [r"L = -\log \frac{e^{z_y}}{\sum_j e^{z_j}}"],
        ["def cross_entropy("],
    ),
    "a gate in the words of programs": (
        [r"y = down\_proj(silu(gate\_proj(x)) * up\_proj(x))"],
        ["class SwiGLU", "self.W_gate = Linear("],
    ),
    "cross entropy of scores and labels, beside a perplexity": (
        [
            r"L = -\sum_t \log \frac{e^{s_{t,c_t}}}{\sum_j e^{s_{tj}}}",
            r"\mathrm{PPL} = \exp\left(-\frac{1}{N} \sum_{t=1}^{N} \log p_t\right)",
        ],
        ["returns: the sum over all positions", "def perplexity("],
    ),
    "perplexity of a loss of labels": (
        [r"L = -\frac{1}{N} \sum_{i=1}^{N} \log p_{i,y_i}", r"\mathrm{PPL} = \exp(L)"],
        ["def cross_entropy(", "def perplexity("],
    ),
    "perplexity of scores and labels": (
        [r"\mathrm{PPL} = \exp\left(-\frac{1}{n} \sum_t \log \mathrm{softmax}(z_t)_{y_t}\right)"],
        ["def perplexity("],
    ),
    "perplexity of any loss": ([r"\mathrm{PPL} = \exp(L)"], ["def perplexity("]),
    "perplexity of the losses of tokens": (
        [r"\mathrm{PPL} = \exp\left(\frac{1}{m} \sum_i \ell_i\right)"],
        ["def perplexity("],
    ),
    "smoothing of a vector": (
        [r"\tilde{y} = (1 - \epsilon) y + \frac{\epsilon}{K}"],
        ["def label_smoothing("],
    ),
    "schedules": (
        [
            r"lr = \lambda d^{-0.5} \min(step^{-0.5}, step \cdot warmup^{-1.5})",
            r"\eta_t = \frac{1}{\sqrt d} \min\left(\frac{1}{\sqrt t}, \frac{t}{w^{3/2}}\right)",
        ],
        ["def warmup_schedule(", "def scaled_warmup_schedule("],
    ),
}


@pytest.mark.parametrize("notes, texts", CASES.values(), ids=list(CASES))
def test_variants(notes: list[str], texts: list[str], run_tests: Callable[[Package], bool]) -> None:
    files = package_of(notes)
    modules = "\n".join(text for path, text in files.items() if path.startswith("transformer/"))
    assert [text for text in texts if text not in modules] == []
    assert run_tests(files)


SOFTMAX = r"\mathrm{softmax}\left(%s\right)V"
DOT = r"\mathrm{softmax}_j\left(\frac{q_i^\top k_j}{\sqrt{d_k}} %s\right) v_j"
HEADS = (
    r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad \mathrm{head}_i = "
    r"\mathrm{softmax}\left(\frac{X W_i^Q (X W_i^K)^\top}{\sqrt{d_k}} %s\right) X W_i^V"
)
KERNEL = r"f(x) = \sum_i \mathrm{softmax}_i\left(-%s\right) y_i"
MASKS = {
    "+ M_{ij}": "Masked",
    r"+ \lambda B_{ij}": "Biased",
    r"- \lambda |i - j|": "DistanceBiased",
    "+ b_{j-i}": "DistanceBiased",
    r"+ \begin{cases} 0 & M_{ij} > 0 \\ -\infty & \text{otherwise} \end{cases}": "Masked",
    r"+ \begin{cases} 0 & j < i \\ -\infty & \text{otherwise} \end{cases}": "Strict",
    r"+ \begin{cases} -\infty & |i - j| > w \\ 0 & \text{otherwise} \end{cases}": "Windowed",
    r"+ \begin{cases} 0 & i - w < j \le i \\ -\infty & \text{otherwise} \end{cases}": (
        "CausalWindowed"
    ),
    r"- \lambda |i - j| + \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}": (
        "CausalDistanceBiased"
    ),
}
FEED_FORWARD = r"\mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2"


@pytest.mark.parametrize(
    ("notes", "names"),
    [
        ([SOFTMAX % r"QK^\top"], ["UnscaledDotProductAttention"]),
        (
            [SOFTMAX % r"\frac{QK^\top}{\sqrt{d_k}}", SOFTMAX % r"\frac{QK^\top}{\tau}"],
            ["ScaledDotProductAttention", "TemperedScaledDotProductAttention"],
        ),
        (
            [
                r"A_{ij} = \frac{q_i^\top k_j}{\sqrt{d_k}} - m|i - j|",
                r"o_i = \sum_r \mathrm{softmax}_r"
                r"\left(\frac{q_i^\top k_r}{\sqrt{d_k}} - m|i - r|\right) v_r",
            ],
            ["ScaledDotProductAttention"],
        ),
        *(
            (
                [rf"\sum_j {DOT % ''}", rf"o_i = \sum_j {DOT % added}"],
                ["ScaledDotProductAttention", f"{word}ScaledDotProductAttention"],
            )
            for added, word in MASKS.items()
        ),
        (
            [HEADS % "", HEADS % "+ B_i"],
            ["MultiHeadAttention", "ScoreBiasedMultiHeadAttention"],
        ),
        (
            [KERNEL % r"\frac12 (x - x_i)^2", KERNEL % "|x - x_i|", KERNEL % "(w(x - x_i))^2"],
            ["KernelAttention", "LaplacianKernelAttention", "ParametricKernelAttention"],
        ),
        (
            [rf"a(q, k) = w^\top {f}(W q + U k)" for f in (r"\tanh", r"\mathrm{ReLU}")],
            ["AdditiveAttention", "ReluAdditiveAttention"],
        ),
        (
            [FEED_FORWARD, r"g(x) = \max(0.01 (xW_1 + b_1), xW_1 + b_1)W_2 + b_2"],
            ["FeedForward", "LeakyReluFeedForward"],
        ),
        ([FEED_FORWARD, r"f(x) = \max(0, xA + b)B + c"], ["FeedForward"]),
        (
            [
                FEED_FORWARD,
                r"g(x) = \mathrm{ReLU}(xW_1 + b_1)^2 W_2 + b_2",
                r"\mathrm{FFN}_3(x) = \mathrm{Swish}_\beta(xW_1 + b_1) W_2 + b_2",
                r"\mathrm{FFN}_4(x) = \max(0, xW_1 + b_1)^3 W_2 + b_2",
            ],
            [
                "FeedForward",
                "SquaredReluFeedForward",
                "SwishFeedForward",
                "CubedReluFeedForward",
            ],
        ),
        (
            [
                r"g(x) = (\sigma(xW) \odot xV) U",
                r"\mathrm{ReGLU}(x) = \mathrm{ReLU}(xW + b) \odot (xV + c)",
                r"f(x) = (\mathrm{ReLU}(xW) \odot xV) U",
            ],
            ["GLU", "HiddenReGLU", "ReGLU"],
        ),
        (
            [
                r"o_i = \sum_{|i-j| \le w} \frac{\exp(q_i^\top k_j)}"
                r"{\sum_{|i-l| \le w} \exp(q_i^\top k_l)} v_j",
                SOFTMAX % r"\frac{QK^\top}{\sqrt{d_k}}",
                SOFTMAX % "QK^\\top",
            ],
            [
                "ScaledDotProductAttention",
                "UnscaledDotProductAttention",
                "WindowedUnscaledDotProductAttention",
            ],
        ),
        (
            [
                SOFTMAX % r"\frac{QK^\top}{\sqrt{d_k}}",
                SOFTMAX % r"\frac{QK^\top}{\tau \sqrt{d_k}} + B",
                SOFTMAX % r"c \tanh\frac{QK^\top}{c \sqrt{d_k}}",
            ],
            [
                "ScaledDotProductAttention",
                "TemperedBiasedScaledDotProductAttention",
                "SoftCappedScaledDotProductAttention",
            ],
        ),
    ],
)
def test_names_tell_what_differs(notes: list[str], names: list[str]) -> None:
    files = package_of(notes)
    listed = re.findall(r'^    "([A-Z]\w*)",$', files["transformer/__init__.py"], re.MULTILINE)
    assert sorted({*listed} - {"Attention"}) == sorted(names)


GPTS = r"h_0 = %s, \quad h_l = \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, N, \quad y = %s"


def test_models_that_differ_are_models_of_their_own() -> None:
    """By their positions, their way out, their norm; the first has the usual name."""
    files = package_of(
        [
            GPTS % (r"U W_e + P", r"\mathrm{LayerNorm}(h_N) W_e^\top"),
            GPTS % (r"U W_e + P", r"\mathrm{softmax}(\mathrm{LayerNorm}(h_N) W_e^\top)"),
            GPTS % (r"U W_e", r"\mathrm{LayerNorm}(h_N) W_e^\top"),
            GPTS % (r"U W_e + P", r"\mathrm{LayerNorm}(h_N) W_u"),
            GPTS % (r"U W_e + P", r"\mathrm{RMSNorm}(h_N) W_e^\top"),
        ]
    )
    code = files["transformer/models.py"]
    assert "class GPT(Model)" in code and code.count("(Model):") == 4


MHA = (
    r"\mathrm{MHA}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
    r"\mathrm{head}_i = \mathrm{Attention}(X W_i^Q, X W_i^K, X W_i^V)"
)
FFN = r"\mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2"
PRE_NORM = r"x' = x + \mathrm{MHA}(\mathrm{%s}(x))"
POST_NORM = r"y = \mathrm{%s}(x + \mathrm{MHA}(x))"
LAYER = r"y = z + \mathrm{FFN}(\mathrm{%s}(z)), \quad z = x + \mathrm{MHA}(\mathrm{%s}(x))"


@pytest.mark.parametrize(
    ("written", "names"),
    [
        (PRE_NORM, ["PreNorm", "RMSPreNorm"]),
        (POST_NORM, ["AddNorm", "RMSAddNorm"]),
        (LAYER, ["PreNormEncoderLayer", "RMSEncoderLayer"]),
    ],
)
def test_a_norm_tells_variants_apart(written: str, names: list[str]) -> None:
    """What a residual connection is given does not: it may be anything."""
    formulas = [written.replace("%s", norm) for norm in ("LayerNorm", "RMSNorm")]
    layers = package_of([MHA, FFN, *formulas])["transformer/layers.py"]
    found = re.findall(
        r"^class (\w+(?:PreNorm|AddNorm|EncoderLayer)|PreNorm|AddNorm)\b", layers, re.M
    )
    assert found == names
