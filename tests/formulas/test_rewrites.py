"""Rewriting a formula: what keeps its meaning changes nothing, what changes it never passes by."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from notes2code import FormulaError, compile_formula
from notes2code.formula import CompiledFormula
from notes2code.oracle import OracleError, sample
from tables import row

FORMULAS = {
    "attention": r"\mathrm{softmax}\left(\frac{Q \cdot K^\top}{\sqrt{d_k}}\right) \cdot V",
    "masked attention": r"\mathrm{softmax}\left(\frac{Q \cdot K^\top}{\sqrt{d_k}} + M\right) "
    r"\cdot V",
    "self-attention": r"Y = \mathrm{softmax}\left(\frac{X W_Q \left(X W_K\right)^\top}"
    r"{\sqrt{d_k}}\right) X W_V",
    "attention by element": r"o_i = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top k_j}"
    r"{\sqrt{d}}\right) v_j",
    "normalised by hand": r"a_{ij} = \frac{\exp\left(q_i^\top k_j\right)}"
    r"{\sum_l \exp\left(q_i^\top k_l\right)}",
    "additive score": r"e_{ij} = w^\top \tanh\left(W q_i + U k_j + b\right)",
    "bilinear score": r"s = q^\top W k",
    "feed-forward": r"\mathrm{FFN}\left(x\right) = \max\left(0, x W_1 + b_1\right) W_2 + b_2",
    "layer norm": r"y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}} "
    r"\odot \gamma + \beta",
    "cross-entropy": r"L = -\sum_{i=1}^{V} y_i \log\left(p_i\right)",
    "positions": r"PE_{(t,2i)} = \sin\left(\frac{t}{10000^{2i/d}}\right), \quad "
    r"PE_{(t,2i+1)} = \cos\left(\frac{t}{10000^{2i/d}}\right)",
    "synthesizer": r"\mathrm{softmax}\left(\mathrm{ReLU}\left(X A + b_1\right) B + b_2\right) X V",
    "running sum": r"s_i = \sum_{j \le i} \alpha_{ij} v_j",
    "gate": r"y = \sigma\left(x W + b\right) \odot \tanh\left(x U\right)",
    "variance": r"v = \frac{1}{n} \sum_{i=1}^{n} \left(a_i - m\right)^2",
}


COMPILED = {name: compile_formula(latex) for name, latex in FORMULAS.items()}


def same(
    left: CompiledFormula, right: CompiledFormula, names: dict[str, str] | None = None
) -> bool:
    """Whether two formulas are one component with one value, on numbers of both signs and on
    positive ones. ``names`` are the inputs of the right one by those of the left one."""
    if (left.component, dict(left.settings)) != (right.component, dict(right.settings)):
        return False
    for seed, positive in ((0, False), (1, True)):
        given = sample(left.equation, seed)
        if positive:
            given = {n: np.abs(v) if isinstance(v, np.ndarray) else v for n, v in given.items()}
        expected = left.reference(**given)
        try:
            found = right.reference(**{(names or {}).get(n, n): v for n, v in given.items()})
        except (OracleError, TypeError):
            return False
        if found.shape != expected.shape or not np.allclose(
            found, expected, rtol=1e-9, atol=1e-12, equal_nan=True
        ):
            return False
    return True


# --- rewrites that keep the meaning -----------------------------------------------------------

TRANSPOSES = [r"^\top", "^T", "^{T}", r"^{\top}", r"^{\mathsf T}", r"^\intercal", "ᵀ"]
SPACES = [" ", "  ", r"\,", r"\;", r"\ ", "~", "\n", r"\!"]
FONTS = [
    r"\mathrm{%s}",
    r"\text{%s}",
    r"\operatorname{%s}",
    r"\textbf{%s}",
    r"\mathbf{%s}",
    r"{\rm %s}",
    r"\mathrm{ %s }",
    "%s",
]
BRACKETS = [("(", ")"), (r"\left(", r"\right)"), (r"\bigl(", r"\bigr)"), (r"\Big(", r"\Big)")]
FRACTIONS = [
    r"\frac{%s}{%s}",
    r"\dfrac{%s}{%s}",
    r"\tfrac { %s } { %s }",
    r"{%s \over %s}",
    r"\left[ (%s) / (%s) \right]",
    r"(%s)(%s)^{-1}",
]


def split(latex: str) -> tuple[str, list[str], str] | None:
    """What stands before the first fraction, its two parts, and what stands behind it."""
    start = latex.find(r"\frac{")
    if start < 0:
        return None
    halves: list[str] = []
    at = start + len(r"\frac")
    for _ in range(2):
        end, depth = at + 1, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(latex[end], 0)
            end += 1
        halves.append(latex[at + 1 : end - 1])
        at = end
    return latex[:start], halves, latex[at:]


def fractions(latex: str, draw: Any) -> str:
    """Each fraction in a form of its own."""
    found = split(latex)
    if found is None:
        return latex
    before, (top, bottom), behind = found
    form: str = draw(st.sampled_from(FRACTIONS))
    whole = form % (fractions(top, draw), fractions(bottom, draw))
    return before + whole + fractions(behind, draw)


def respelt(latex: str, draw: Any) -> str:
    """The formula in other fonts, brackets, fractions, transposes and spaces."""

    def one_of(choices: list[str]) -> str:
        return str(draw(st.sampled_from(choices)))

    latex = re.sub(r"\\mathrm\{(\w{2,})\}", lambda m: one_of(FONTS) % m[1], latex)
    latex = fractions(latex, draw)
    latex = re.sub(r"\^\\top(?![a-z])", lambda m: one_of(TRANSPOSES), latex)
    opening, closing = draw(st.sampled_from(BRACKETS))
    latex = latex.replace(r"\left(", opening).replace(r"\right)", closing)
    latex = re.sub(r" \\cdot ", lambda m: one_of([r" \cdot ", " ", r" \times ", " @ "]), latex)
    return str(re.sub(r"(?<![\\a-zA-Z]) | (?![a-zA-Z])", lambda _: one_of(SPACES), latex))


@pytest.mark.parametrize(
    "name", [row(n, n, "E[x] by itself is refused" if n == "layer norm" else "") for n in FORMULAS]
)
@settings(max_examples=12, derandomize=True, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_spelling(name: str, data: st.DataObject) -> None:
    latex = respelt(FORMULAS[name], data.draw)
    assert same(COMPILED[name], compile_formula(latex)), latex


# --- other names ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "attention by element",
        "normalised by hand",
        "running sum",
        "variance",
    ],
)
@settings(max_examples=8, derandomize=True, deadline=None)
@given(letters=st.permutations("rstu"))
def test_bound_indices(name: str, letters: list[str]) -> None:
    """The letter of an index means nothing."""
    new = str.maketrans("ijl", "".join(letters[:3]))
    latex = re.sub(
        r"(?<![\\a-zA-Z])[ijl]+(?![a-zA-Z])", lambda m: m[0].translate(new), FORMULAS[name]
    )
    assert same(COMPILED[name], compile_formula(latex)), latex


RENAMED: list[tuple[str, dict[str, str]]] = [
    ("attention", {"Q": "A", "K": "B", "V": "C"}),
    ("masked attention", {"Q": "A", "K": "B", "V": "C"}),
    ("attention by element", {"q": "s", "k": "h", "v": "u"}),
    ("additive score", {"w": "v", "W": "A", "U": "B"}),
    ("bilinear score", {"W": "A"}),
    ("cross-entropy", {"y": "t", "p": "q"}),
    ("running sum", {"v": "h"}),
    ("variance", {"a": "p", "m": "r"}),
]


@pytest.mark.parametrize("name, names", RENAMED, ids=[name for name, _ in RENAMED])
def test_symbols(name: str, names: dict[str, str]) -> None:
    """Other letters for the inputs are the same formula."""
    latex = re.sub(
        r"(?<![\\a-zA-Z])[a-zA-Z](?![a-zA-Z])", lambda m: names.get(m[0], m[0]), FORMULAS[name]
    )
    assert any(new in latex for new in names.values())
    assert same(COMPILED[name], compile_formula(latex), names), latex


# --- split into definitions, matrix form and form by element ------------------------------------

EQUAL = [
    ("attention", r"A V, \quad A = \mathrm{softmax}(S), \quad S = \frac{QK^\top}{\sqrt{d_k}}"),
    ("attention", r"A V \quad \text{where } A = \mathrm{softmax}\left(Q K^\top d_k^{-1/2}\right)"),
    ("attention", r"\mathrm{softmax}\left(\left(K Q^\top\right)^\top / \sqrt{d_k}\right) V"),
    ("attention", r"\mathrm{softmax}\left(\frac{1}{\sqrt{d_k}} Q K^\top\right) V"),
    ("attention", r"\mathrm{softmax}\left(\frac{Q}{\sqrt{d_k}} K^\top\right) V"),
    ("attention", r"\mathrm{softmax}\left(d_k^{-0.5} Q K^\top\right) V"),
    ("masked attention", r"\mathrm{softmax}\left(M + \frac{QK^\top}{\sqrt{d_k}}\right) V"),
    ("masked attention", r"\mathrm{softmax}(S + M) V, \quad S = QK^\top / \sqrt{d_k}"),
    (
        "attention by element",
        r"o_i = \sum_j a_{ij} v_j, \quad a_{ij} = \frac{\exp(e_{ij})}{\sum_l \exp(e_{il})}, "
        r"\quad e_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}}",
    ),
    (
        "attention by element",
        r"o_i = \frac{\sum_j \exp(q_i^\top k_j / \sqrt{d}) v_j}{\sum_j \exp(q_i^\top k_j / "
        r"\sqrt{d})}",
    ),
    ("normalised by hand", r"a_{ij} = \mathrm{softmax}_j(k_j^\top q_i)"),
    ("additive score", r"e_{ij} = w^\top \tanh(z_{ij}), \quad z_{ij} = b + U k_j + W q_i"),
    ("bilinear score", r"s = \sum_i \sum_j q_i W_{ij} k_j"),
    ("bilinear score", r"s = (W^\top q)^\top k"),
    ("feed-forward", r"\mathrm{FFN}(x) = h W_2 + b_2, \quad h = \mathrm{ReLU}(x W_1 + b_1)"),
    ("feed-forward", r"\mathrm{FFN}(x) = b_2 + \max(x W_1 + b_1, 0) W_2"),
    (
        "layer norm",
        r"y = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta, \quad \mu = "
        r"\frac{1}{d}\sum_{i=1}^{d} x_i, \quad \sigma^2 = \frac{1}{d}\sum_{i=1}^{d}(x_i - \mu)^2",
    ),
    (
        "layer norm",
        r"y_i = \gamma_i \frac{x_i - \mu}{\sqrt{s + \epsilon}} + \beta_i, \quad \mu = "
        r"\frac{1}{d}\sum_{j=1}^{d} x_j, \quad s = \frac{1}{d}\sum_{j=1}^{d}(x_j - \mu)^2",
    ),
    ("cross-entropy", r"L = \sum_{i=1}^{V} -y_i \log p_i"),
    ("cross-entropy", r"L = -\sum_{c=1}^{V} (\log p_c) y_c"),
    (
        "positions",
        r"PE_{(t,2i)} = \sin(t \cdot 10000^{-2i/d}), \quad PE_{(t,2i+1)} = \cos(t \cdot "
        r"10000^{-2i/d})",
    ),
    ("running sum", r"s_i = \sum_{j=1}^{i} \alpha_{ij} v_j"),
    ("variance", r"v = \frac{\sum_{i=1}^{n} (m - a_i)^2}{n}"),
    ("variance", r"v = \frac{1}{n} \sum_{i=1}^{n} a_i^2 - \frac{2m}{n} \sum_{i=1}^{n} a_i + m^2"),
]


@pytest.mark.parametrize("name, latex", EQUAL, ids=[latex for _, latex in EQUAL])
def test_equal(name: str, latex: str) -> None:
    assert same(COMPILED[name], compile_formula(latex))


# --- rewrites that change the meaning ---------------------------------------------------------

CHANGES = {
    "a lost root": (r"\\sqrt\{([^{}]*)\}", r"{\1}"),
    "a lost transpose": (r"\^\\top", ""),
    "a stray transpose": (r"V$", r"V^\\top"),
    "swapped factors": (r"Q \\cdot K", r"K \\cdot Q"),
    "swapped weights": (r"W_1(.*)W_2", r"W_2\1W_1"),
    "swapped operands": (r"x W \+ b(.*)x U", r"x U + b\1x W"),
    "another sign": (r" \+ ", " - "),
    "another sign of the difference": (r" - ", " + "),
    "a lost minus": (r"= -", "= "),
    "a dropped term": (r" \+ (M|b|b_2|\\beta|\\epsilon)(?![_\w])", ""),
    "another axis": (r"\\mathrm\{softmax\}_j", r"\\mathrm{softmax}_i"),
    "another range": (r"(1\}\{n\} \\sum_\{i)=1", r"\1=2"),
    "another bound": (r"\\le ", "< "),
    "another constant": (r"10000", "1000"),
    "another exponent": (r"\^2", "^3"),
    "another function": (r"\\(sin|tanh|exp|log)(?![a-z])", r"\\cos"),
    "another activation": (r"\\max\\left\(0", r"\\max\\left(1"),
    "another frequency": (r"2i/d", "i/d"),
    "another pair": (r"v_j$", "v_i"),
    "the sum elsewhere": (r"\\sum_l", r"\\sum_j"),
    "a product for a sum": (r"\\sum", r"\\prod"),
    "another scale": (r"d_k", "2d_k"),
    "a lost factor": (r" X V$", " V"),
    "a factor too many": (r"V$", "V V"),
    "another argument": (r"k_l", "k_j"),
    "a lost mean": (r"\\frac\{1\}\{n\}", ""),
    "another placement": (r"\\odot", "+"),
    "another input": (r"x U", "b U"),
}
CHANGED = [
    (name, change)
    for name, latex in FORMULAS.items()
    for change, (pattern, _) in CHANGES.items()
    if re.search(pattern, latex)
]


def changed(name: str, change: str) -> str:
    pattern, put = CHANGES[change]
    return re.sub(pattern, put, FORMULAS[name], count=1)


def differs(name: str, latex: str) -> bool:
    """Whether a formula is refused, or is not the one of that name."""
    try:
        return not same(COMPILED[name], compile_formula(latex))
    except FormulaError:
        return True


@pytest.mark.parametrize("name, change", CHANGED)
@settings(max_examples=3, derandomize=True, deadline=None)
@given(data=st.data())
def test_change(name: str, change: str, data: st.DataObject) -> None:
    """A change of meaning shows, however the rest is written."""
    latex = changed(name, change)
    assert differs(name, latex), latex
    spelt = respelt(latex, data.draw)
    assert differs(name, spelt), spelt


def test_all_changes_apply() -> None:
    assert {change for _, change in CHANGED} == set(CHANGES)


class Pair(NamedTuple):
    """Two formulas that look alike and differ."""

    left: str
    right: str
    fault: str = ""


LOOKALIKES = [
    Pair(r"y = \frac{a}{b} c", r"y = \frac{a}{b c}"),
    Pair(r"y = a/b c", r"y = a / b \cdot c"),
    Pair(r"y = -x^2", r"y = (-x)^2"),
    Pair(r"y = \exp(x)^2", r"y = \exp(x^2)"),
    Pair(r"s = \|x\|_2^2", r"s = \|x\|_2"),
    Pair(r"s = \|x\|_1", r"s = \|x\|_2"),
    Pair(r"s = \sum_i a_i c + 1", r"s = \sum_i (a_i c + 1)"),
    Pair(r"s = \left(\sum_i a_i\right)^2", r"s = \sum_i a_i^2"),
    Pair(r"m = \max_i a_i + c", r"m = \min_i a_i + c"),
    Pair(r"A = \mathrm{softmax}(QK^\top)", r"A = \mathrm{softmax}(QK^\top)^\top"),
    Pair(r"S = X^\top X", r"S = X X^\top"),
    Pair(r"y = \log a + c", r"y = \log (a + c)"),
    Pair(r"y = \sqrt{a} + c", r"y = \sqrt{a + c}"),
    Pair(r"y = a - (b - c)", r"y = a - b - c"),
    Pair(r"s = \frac{1}{n}\sum_{i=1}^n a_i", r"s = \frac{1}{n-1}\sum_{i=1}^n a_i"),
    Pair(r"y = x_1^2", r"y = x_{12}"),
    Pair(r"W = A^\top B", r"W = A B^\top"),
    Pair(
        r"\mathrm{softmax}(QK^\top/\sqrt{d_k})V",
        r"\mathrm{softmax}(QK^\top/\sqrt{d_v})V",
    ),
]


@pytest.mark.parametrize(
    "pair", [row(pair, f"{pair.left} | {pair.right}", pair.fault) for pair in LOOKALIKES]
)
def test_lookalikes(pair: Pair) -> None:
    assert not same(compile_formula(pair.left), compile_formula(pair.right))
