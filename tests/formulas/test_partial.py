"""Arrays that are defined at some places only, ``e_{ij} = …, j ≤ i``, and what is made of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from notes2code import FormulaError, compile_formula
from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from tables import Case, check, softmax, table

HIDES = r"S_{ij} \leftarrow -\infty \text{ if } j > i"
SCORES = r"s_{ij} = q_i^\top k_j, \quad j \le i, \quad "


def below(s: np.ndarray) -> np.ndarray:
    """Scores up to the diagonal; 0 elsewhere."""
    return s * np.tri(*s.shape)


def causal(s: np.ndarray) -> np.ndarray:
    """The softmax of the scores up to the diagonal."""
    return softmax(np.where(np.tri(*s.shape) > 0, s, -np.inf))


@table(
    # What goes over an axis goes over the places where all in it is defined.
    Case(
        r"S_{ij} = q_i^\top k_j, \quad j \le i, \quad A = \mathrm{softmax}(S)",
        "q[n,d] k[m,d]",
        lambda q, k: causal(q @ k.T),
    ),
    Case(
        r"S_{ij} = q_i^\top k_j, \quad j \le i, \quad O = S V",
        "q[n,d] k[m,d] V[m,e]",
        lambda q, k, v: below(q @ k.T) @ v,
    ),
    Case(
        r"A_{ij} = \mathrm{softmax}_j(S_{ij}) B_{ij} \quad \text{for } j \le i, \quad O = A V",
        "S[n,m] B[n,m] V[m,d]",
        lambda s, b, v: (causal(s) * b) @ v,
    ),
    Case(
        SCORES + r"L = \|s\|_F^2",
        "q[n,d] k[m,d]",
        lambda q, k: np.sum(below(q @ k.T) ** 2),
    ),
    Case(
        r"s_{ij} = u_{ij}^2, \quad j \le i, \quad m_i = \max_j s_{ij}",
        "u[n,m]",
        lambda u: below(u**2).max(1),
    ),
    Case(SCORES + r"t = \mathrm{tr}(s)", "q[n,d] k[n,d]", lambda q, k: np.trace(q @ k.T)),
    # What is computed element by element is defined as far.
    Case(
        SCORES + r"p_{ij} = e^{s_{ij}}, \quad o_i = \sum_j p_{ij} v_j",
        "q[n,d] k[m,d] v[m,e]",
        lambda q, k, v: below(np.exp(q @ k.T)) @ v,
    ),
    Case(
        SCORES + r"\alpha_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}, \quad"
        r" o_i = \sum_j \alpha_{ij} v_j",
        "q[n,d] k[m,d] v[m,e]",
        lambda q, k, v: causal(q @ k.T) @ v,
    ),
    Case(SCORES + r"c_i = s_{ii}", "q[n,d] k[n,d]", lambda q, k: np.diag(q @ k.T)),
    Case(
        SCORES + r"\alpha_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
        "q[n,d] k[m,d]",
        lambda q, k: np.where(np.tri(len(q), len(k)) > 0, causal(q @ k.T), np.nan),
    ),
    # A case that is taken where it is defined leaves nothing out, and two conditions both hold.
    Case(
        SCORES + r"b_{ij} = \begin{cases} s_{ij} & j \le i \\ 0 & j > i \end{cases}, \quad"
        r" c_i = \sum_j b_{ij}",
        "q[n,d] k[m,d]",
        lambda q, k: below(q @ k.T).sum(1),
    ),
    Case(
        SCORES + r"b_{ij} = s_{ij} + r_{ij}, \quad |i - j| \le 1, \quad"
        r" \alpha_{ij} = \mathrm{softmax}_j(b_{ij})",
        "q[n,d] k[m,d] r[n,m]",
        lambda q, k, r: softmax(
            np.where(np.tri(*r.shape) - np.tri(*r.shape, -2) > 0, q @ k.T + r, -np.inf)
        ),
    ),
    Case(
        r"y_i = e^{u_i} \quad \text{for } i > 0, \quad s = \sum_i y_i^2",
        "u[n,d]",
        lambda u: np.sum(np.exp(u[1:]) ** 2, axis=0),
    ),
    # An element of a softmax over all.
    Case(
        r"y_j = \mathrm{softmax}(z)_j \quad \text{if } j \le k",
        "k+ z[n]",
        lambda k, z: np.where(np.arange(len(z)) <= k, softmax(z), np.nan),
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        SCORES + r"Y = \mathrm{LayerNorm}(s)",
        SCORES + r"Y = f(s)",
        SCORES + r"Y = [s; X]",
    ],
)
def test_what_takes_the_whole_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="takes the whole of it"):
        compile_formula(latex)


def test_one_number_for_some_places_is_no_range() -> None:
    with pytest.raises(FormulaError, match="told for some places only"):
        compile_formula(r"M_{ij} = -c \text{ for } j > i, \quad A = \mathrm{softmax}(S + M)")


@pytest.mark.parametrize(
    "latex",
    [
        SCORES + r"\alpha_{ij} = \mathrm{softmax}_j(s_{ij})",
        SCORES + r"A = \mathrm{softmax}(s)",
        SCORES + r"\alpha_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}, \quad"
        r" o_i = \sum_j \alpha_{ij} v_j",
        SCORES + r"b_{ij} = s_{ij}, \quad |i - j| \le 1, \quad"
        r" \alpha_{ij} = \mathrm{softmax}_j(b_{ij})",
    ],
)
def test_the_range_is_the_mask_and_no_score(latex: str) -> None:
    formula = compile_formula(latex)
    assert formula.component == "scaled_dot_product_attention"
    assert formula.settings["score"] is None
    assert formula.settings["reach"] is not None
    assert formula.diagnostics == ()


@pytest.mark.parametrize("last", [r"j > i", r"\text{otherwise}"])
def test_a_mask_written_as_cases_of_the_scores_is_one(last: str) -> None:
    cases = rf"\begin{{cases}} q_i^\top k_j & j \le i \\ -\infty & {last} \end{{cases}}"
    formula = compile_formula(rf"s_{{ij}} = {cases}, \quad A = \mathrm{{softmax}}(s)")
    assert formula.settings["mask"] == "causal"
    assert formula.settings["score"] is None


def test_gradients_are_numbers() -> None:
    """What nobody asks for is no number that spoils the others' gradients."""
    formula = compile_formula(
        SCORES + r"p_{ij} = \frac{s_{ij}^2}{\sum_k s_{ik}^2}, \quad y_i = \sum_j p_{ij} v_j"
    )
    given = [torch.randn(4, 3, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    formula.function()(*given).sum().backward()
    assert all(one.grad is not None and bool(one.grad.isfinite().all()) for one in given)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"s_{ij} = q_i^\top k_j, \quad j \le i", ["nothing says what `s` is"]),
        (
            r"A_{ij} = \mathrm{softmax}(QK^\top)_{ij}, \quad j \le i",
            ["the softmax goes over all", "nothing says what `A` is"],
        ),
        (
            r"A_{ij} = \mathrm{softmax}_j(s_{ij}) \text{ for } j \le i, "
            r"\quad A_{ij} = 0 \text{ for } j > i",
            ["the softmax goes over all"],
        ),
        (SCORES + r"c_i = \sum_j s_{ij}", []),
        (r"a_{ij} = \mathrm{softmax}_j(s_{ij}) \quad \forall j \le i", []),
    ],
)
def test_what_is_not_a_number_is_told(latex: str, told: list[str]) -> None:
    messages = [problem.message for problem in compile_formula(latex).diagnostics]
    assert len(messages) == len(told)
    assert all(map(str.startswith, messages, told))


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"o_i = \sum_j S_{ij} v_j", True),
        (r"c = \|S\|_F", True),
        (r"O = S V", True),
        (r"o_i = \sum_{j \le i} S_{ij} v_j", False),
        (r"z_{ij} = 2 S_{ij}", False),
        (r"a_{ij} = \mathrm{softmax}_j(S_{ij})", False),
    ],
)
def test_what_another_formula_defines_for_some_places_only_is_not_taken_in_silence(
    latex: str, told: bool
) -> None:
    formulas = compile_note([r"S_{ij} = q_i^\top k_j, \quad j \le i", latex])
    messages = [problem.message for problem in formulas[1].problems]
    assert any("takes all of it" in message for message in messages) is told


def compile_note(formulas: list[str]) -> list[Compiled]:
    """The formulas of one note."""
    entries = [Entry(latex, note="n.md", order=at) for at, latex in enumerate(formulas)]
    compiler = Compiler(Linker(entries, library().scope), library())
    return [compiler.compiled(entry) for entry in entries]


@table(
    # What is put in under a condition leaves the rest as it is.
    Case(HIDES, "S[n,m]", lambda s: np.where(np.tri(*s.shape) > 0, s, -np.inf)),
    Case(
        r"S_{ij} = -\infty, \quad j > i",
        "S[n,m]",
        lambda s: np.where(np.tri(*s.shape) > 0, s, -np.inf),
    ),
    Case(
        r"S = Q K^\top, \quad S_{ij} = -\infty \text{ for } j > i, \quad A = \mathrm{softmax}(S)",
        "Q[n,d] K[m,d]",
        lambda q, k: causal(q @ k.T),
    ),
    Case(
        r"A = \mathrm{softmax}(S) V",
        "Q[n,d] K[m,d] V[m,e]",
        lambda q, k, v: causal(q @ k.T) @ v,
        context=[r"S = Q K^\top", HIDES],
    ),
    Case(
        r"A_{ij} = \mathrm{softmax}_j(S_{ij})",
        "q[n,d] k[m,d]",
        lambda q, k: causal(q @ k.T),
        context=[r"S_{ij} = q_i^\top k_j", r"S_{ij} := -\infty \text{ for } j > i"],
    ),
    Case(
        r"u_i \leftarrow -u_i \text{ if } u_i < 0, \quad u_i \leftarrow 1 \text{ if } u_i > 1",
        "u[n]",
        lambda u: np.minimum(np.abs(u), 1),
    ),
    # Near misses: all cases are told, and a mask is made so.
    Case(
        r"S_{ij} \leftarrow \begin{cases} u_i & j \le i \\ 0 & \text{otherwise} \end{cases}",
        "u[n]",
        lambda u: u[:, None] * np.tri(len(u)),
    ),
    Case(
        r"M_{ij} \leftarrow -\infty \text{ if } j > i",
        "n# m#",
        lambda n, m: np.where(np.tri(n, m) > 0, 0, -np.inf),
    ),
)
def test_what_is_hidden_of_scores(case: Case) -> None:
    check(case)


def test_that_the_rest_stays_is_told() -> None:
    (told,) = compile_formula(HIDES).diagnostics
    assert told.message == "`S` is taken to stay what it is where this does not hold"


ALL_PLACES = "`%s` is taken to run over all places, and not only over those that the sum below "


@pytest.mark.parametrize(
    ("latex", "where"),
    [
        (r"w_{ij} = \frac{\exp(s_{ij})}{\sum_{k \le i} \exp(s_{ik})}", r"j \le i"),
        (r"w_{t,r} = \frac{e^{q_t^\top k_r}}{\sum_{s=1}^{t} e^{q_t^\top k_s}}", r"r \le t"),
        (r"w_{mn} = \frac{\exp(s_{mn})}{\sum_{k > m} \exp(s_{mk})}", "n > m"),
        # Near misses: the values say which places count, or the place is the sum's last.
        (r"w_{ij} = \frac{\exp(s_{ij})}{\sum_{k \ne i} \exp(s_{ik})}", ""),
        (r"w_{ij} = \frac{\exp(s_{ij})}{\sum_{k \le i} \exp(s_{ik})}, \quad j \le i", ""),
        (r"w_{tr} = \frac{\exp(s_{tr}) \mathbb{1}[r \le t]}{\sum_{k=1}^{t} \exp(s_{tk})}", ""),
        (r"w_i = \frac{\exp(s_i)}{\sum_{k \le i} \exp(s_k)}", ""),
    ],
)
def test_that_weights_go_beyond_their_sum_is_told(latex: str, where: str) -> None:
    said = [one for one in compile_formula(latex).diagnostics if "sum below" in one.message]
    assert [one.message for one in said] == ([ALL_PLACES % where[0] + "adds up"] if where else [])
    assert [one.help for one in said] == ([f"say where it holds, `{where}`"] if where else [])
