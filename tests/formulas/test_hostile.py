"""No formula takes long, whatever is repeated in it."""

from __future__ import annotations

from itertools import count, pairwise
from pathlib import Path

import pytest
from effort import ends_soon

from notes2code import FormulaError, compile_formula
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.latex.tokens import MAX_LENGTH
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linked, Linker
from notes2code.vault import read_vault

# A pattern that goes back at each of them takes quadratic time, or worse.
REPEATED = [
    " ", "\n", "& ", "~", "\\quad ", "\\, ", "\\\\ ", "%\n", "\\hline ",
    "x ", "x_i ", "\\hat{x} ", "1 ", "12", "' ", "^ ", "_ ", "\\_ ", "{", "}", "( ", "[ ", "| ",
    "\\| ", "\\left( ", ", ", ". ", "a: ", "x, y; ", "= ", "- ", "/ ", "\\cdot ", "\\times ",
    "\\mid ", "\\ldots ", "\\sum_i ", "\\in \\mathbb{R} ", "\\mathbf ", "^\\top ", "frac{x}{2} ",
    "h{t-1} ", "softmax", "W-MSA ", "\\mathrm{a b} ", "\\operatorname{a} ", "\\text{a} ",
    "\\text{if } ", "\\text{where } ", "\\quad\\text{Post:} ", "\\tag{1} ", "\\label{a} ",
    "\\newcommand{\\a}{b} ", "\\begin{aligned} ",
]  # fmt: skip


@pytest.mark.parametrize("sign", REPEATED)
@pytest.mark.parametrize(
    "around",
    [
        "y = x * + 1",
        r"\begin{cases} 1 & x > 0 *\\ 0 & * x \le 0 \end{cases}",
        r"\text{A:} y = * x \qquad \text{B:} y = * z",
        r"\begin{aligned} y &= * x & \text{dot} \\ y &= z * & \text{general} \end{aligned}",
    ],
)
def test_no_formula_takes_long(sign: str, around: str, tmp_path: Path) -> None:
    times = (MAX_LENGTH - len(around)) // len(sign) // around.count("*")
    check(around.replace("*", sign * times), tmp_path)


@pytest.mark.parametrize("sign", ["\n", " ", "x ", "& "])
def test_what_is_too_long_is_not_looked_at(sign: str, tmp_path: Path) -> None:
    apart = sign * (10 * MAX_LENGTH // len(sign))
    check(rf"\text{{A:}} y = {apart}x \text{{B:}} y = z", tmp_path)


def test_definitions_that_hold_one_another_twice_are_not_written_out(tmp_path: Path) -> None:
    """Within a step each of them would double the one before."""
    letters = "pqrsuvwyzefgmk"
    inside = [rf"{b}_t = {a}_t \cdot \tanh({a}_t)" for a, b in pairwise(letters)]
    steps = [r"p_t = \tanh(U h_{t-1})", *inside, "h_t = h_{t-1} + k_t"]
    formula = r", \quad ".join(["h_0 = 0", *steps])
    check(formula, tmp_path)
    with pytest.raises(FormulaError, match="too long written out"):
        compile_formula(formula)


def test_sizes_that_are_made_of_each_other_come_to_an_end(tmp_path: Path) -> None:
    """Where the rows of heads are said to be d / h long, and are those of all heads elsewhere."""
    note = r"""
## Tokens
The token $\mathbf{t}_i$ of $\mathbf{t}_{1:n}$ is embedded as $\mathbf{x}_i = E\mathbf{t}_i$, where
$E\in\mathbb{R}^{d\times|V|}$.

## Feed forward
$$g_i = \text{MLP}(\text{out}_i) = W_2 * \text{ReLU}(W_1\,\text{out}_i + b_1) + b_2$$

## All at once
With $X=[x_1;\dots;x_n]\in\mathbb{R}^{n\times d}$ it is
$\text{softmax}(XQ(XK)^\top)XV \in \mathbb{R}^{n\times d}$.

## Heads
Let $Q_\ell, K_\ell, V_\ell\in\mathbb{R}^{d\times \frac{d}{h}}$ for each of the $h$ heads.

$$\text{out}_\ell = \text{softmax}(X Q_\ell K_\ell^\top X^\top)XV_\ell,\quad
\text{out}_\ell\in\mathbb{R}^{d/h}$$
"""
    check_note(note, tmp_path)


def check(formula: str, folder: Path) -> None:
    """A vault whose one note is the formula is compiled soon."""
    check_note(f"$$\n{formula}\n$$\n", folder)


def check_note(text: str, folder: Path) -> None:
    """A vault of one note is compiled soon."""
    (folder / "Note.md").write_text(text, encoding="utf-8")
    components = library()  # loaded once
    assert ends_soon(lambda: compile_vault(read_vault(folder), components))


def test_definitions_that_stand_twice_are_not_asked_in_a_circle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layer that each of two tables makes of functions of both."""
    formulas = [
        r"\mathrm{Mix}(x) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O",
        r"\mathrm{head}_i = \mathrm{softmax}\left(\frac{Q_i K_{g(i)}^\top}{\sqrt{d_k}}\right) "
        r"V_{g(i)}, \quad g(i) = \lfloor i / (h/g) \rfloor",
        *(rf"{array}_i = x W_i^{array}" for array in "QKV"),
        r"\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac1d \sum_{i=1}^d x_i^2 + \epsilon}} \odot g",
        r"\mathrm{Gated}(x) = (\mathrm{SiLU}(x W_1) \odot x W_2) W_3",
        r"h_l = x_l + \mathrm{Mix}(\mathrm{RMSNorm}(x_l))",
        r"x_{l+1} = h_l + \mathrm{Gated}(\mathrm{RMSNorm}(h_l))",
    ]
    table = "| Formula |\n|---|\n" + "".join(f"| ${formula}$ |\n" for formula in formulas)
    (tmp_path / "Note.md").write_text(f"{table}\nAnd again:\n\n{table}", encoding="utf-8")
    asked, typed = count(1), Linker.typed

    def counted(linker: Linker, entry: Entry) -> Linked:
        assert next(asked) < 1000
        return typed(linker, entry)

    monkeypatch.setattr(Linker, "typed", counted)
    compile_vault(read_vault(tmp_path), library())
    assert next(asked) > len(formulas)
