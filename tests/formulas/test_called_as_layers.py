"""What whole pages write of layers: functions called without their weights, numbered norms, the
embedding that a layer gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from notes2code.compilation import compile_vault
from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.vault import Vault, read_note_text
from tables import Case, check, relu, softmax, table


def _normed(x: Any, e: float, g: Any, b: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return g * centred / np.sqrt(x.var(-1, keepdims=True) + e) + b


def _gated(h: Any, a: Any, b: Any, c: Any) -> Any:
    hidden = h @ a
    return h + (hidden / (1 + np.exp(-hidden)) * (h @ b)) @ c


def _attended(h: Any) -> Any:
    return softmax(h @ h.T / np.sqrt(h.shape[-1])) @ h


@table(
    # What programs call a projection is one, with one weight wherever it is called.
    Case(
        r"y = down\_proj(silu(gate\_proj(x)) * up\_proj(x))",
        "x[d] W_gate[d,p] W_up[d,p] W_down[p,r]",
        lambda x, a, b, c: x @ a / (1 + np.exp(-x @ a)) * (x @ b) @ c,
    ),
    Case(
        r"y = \text{down}(\text{ReLU}(\text{gate}(x)) \odot \text{up}(x))",
        "x[d] W_gate[d,p] W_up[d,p] W_down[p,r]",
        lambda x, a, b, c: relu(x @ a) * (x @ b) @ c,
    ),
    Case(
        r"s = \text{q\_proj}(x) \text{q\_proj}(z)^\top",
        "x[d] W_q[d,p] z[d]",
        lambda x, w, z: x @ w @ (z @ w),
    ),
    Case(r"Q = \mathrm{QProj}(X)", "X[n,d] W_Q[d,p]", np.matmul),
    # What is left out of a call are the weights.
    Case(
        r"y = h + \mathrm{FFN}(h)",
        "h[d] W_1[d,p] W_2[p,d]",
        lambda h, a, b: h + relu(h @ a) @ b,
        context=[r"\mathrm{FFN}(x, W_1, W_2) = \mathrm{ReLU}(x W_1) W_2"],
    ),
    Case(
        r"y = h + \mathrm{FFN}(h)",
        "h[d] W[d,p] V[d,p] W_2[p,d]",
        _gated,
        context=[
            r"\mathrm{FFN}_{\mathrm{SwiGLU}}(x, W, V, W_2) = (\mathrm{Swish}_1(x W) \odot x V) W_2"
        ],
    ),
    Case(
        r"y = \mathrm{Mix}(h) + h",
        "h[d] W[d,d] b[d]",
        lambda h, w, b: np.tanh(h @ w + b) + h,
        context=[r"\mathrm{Mix}(x, W, b) = \tanh(x W + b)"],
    ),
    # A logarithm with something below it is a norm; norms are numbered and labelled.
    Case(
        r"y = x + \mathrm{ln}_f(x)",
        "x[d] epsilon+ gamma[d] beta[d]",
        lambda x, *w: x + _normed(x, *w),
    ),
    Case(
        r"y = x + \mathrm{ln1}(x)",
        "x[d] epsilon+ gamma[d] beta[d]",
        lambda x, *w: x + _normed(x, *w),
    ),
    Case(
        r"y = \mathrm{LN}_{\text{final}}(x) U",
        "x[d] epsilon+ gamma[d] beta[d] U[d,v]",
        lambda x, e, g, b, u: _normed(x, e, g, b) @ u,
    ),
    # What is embedded is of one kind with the places that are added to it.
    Case(r"h_0 = x W_e + W_p", "x[v] W_e[v,d] W_p[d]", lambda x, e, p: x @ e + p),
    Case(
        r"y = \mathrm{Attention}(h_0, h_0, h_0), \quad h_0 = x W_e + W_p",
        "x[n,v] W_e[v,d] W_p[n,d]",
        lambda x, e, p: _attended(x @ e + p),
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_what_is_left_out_is_told() -> None:
    formula = compile_formula(r"y = h + f(h, a)", context=[r"f(x, a, W, b) = \tanh(a x W + b)"])
    told = [one.message for one in formula.diagnostics]
    assert "`f` is given no `W, b` here: they are taken to be its weights" in told


@pytest.mark.parametrize(
    "definition",
    [
        r"\mathrm{Mix}(x, y) = x + 2 y",
        r"\mathrm{Mix}(x, b) = x + b",
        r"\mathrm{Mix}(x, Q, W) = x + Q W",
    ],
)
def test_what_may_be_no_weight_is_not_left_out(definition: str) -> None:
    with pytest.raises(FormulaError, match="arguments, not 1"):
        compile_formula(r"y = h + \mathrm{Mix}(h)", context=[definition])


def test_a_logarithm_has_no_base_below_it() -> None:
    with pytest.raises(FormulaError, match="a subscript on `ln`"):
        compile_formula(r"y = \ln_2 x")


@pytest.mark.parametrize("row", [r"\text{wte}[tokens]", r"P[pos]", r"P[positions]"])
def test_a_table_that_rows_are_looked_up_in_is_no_function(row: str) -> None:
    with pytest.raises(FormulaError, match="looks a row up"):
        compile_formula(f"y = {row} + b")


def test_a_norm_that_its_label_may_tell_is_no_layer_norm() -> None:
    formula = compile_formula(r"y = x + \mathrm{Norm}_{\text{batch}}(x)")
    assert "Norm_batch" in {given.name for given in formula.inputs}


LAYER = [
    r"A^l = \mathrm{LayerNorm}(H^{l-1} + \mathrm{MultiHead}(H^{l-1}, H^{l-1}, H^{l-1}))",
    r"X' = \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X))",
]


@pytest.mark.parametrize(
    ("latex", "context"),
    [
        (r"H^l = \mathrm{LayerNorm}(A^l + \mathrm{FFN}(A^l))", LAYER[:1]),
        (r"X'' = \mathrm{LayerNorm}(X' + \mathrm{FFN}(X'))", ["X = E + P", *LAYER[1:]]),
        (r"X'' = \mathrm{LayerNorm}(X' + \mathrm{FFN}(X'))", [*LAYER[1:], "X = E + P"]),
    ],
)
def test_it_is_a_layer_whatever_its_input_is_made_of(latex: str, context: list[str]) -> None:
    formula = compile_formula(latex, context=context)
    assert formula.component == library().components["encoder_layer"].name
    assert next(given.name for given in formula.inputs) in ("H", "X")


def test_the_power_of_a_matrix_is_refused_where_no_layer_is_counted() -> None:
    with pytest.raises(FormulaError, match="may be a power here"):
        compile_formula(r"K_k = C A^k B, \quad k = 0, \dots, n")


# --- the index of a head behind the label of a projection ---------------------------------------


@pytest.mark.parametrize("weight", ["W_Qi", "W_Q_i", "W_{Qi}"])
def test_an_index_behind_a_label_is_that_of_the_head(weight: str) -> None:
    projected = [f"{one} {weight.replace('Q', one)}" for one in "QKV"]
    case = Case(
        f"head_i = Attention({', '.join(projected)})",
        "Q[n,a] W_Q[h,a,p] K[m,b] W_K[h,b,p] V[m,c] W_V[h,c,r]",
        lambda q, a, k, b, v, c: np.stack(
            [_attention(q @ a[i], k @ b[i], v @ c[i]) for i in range(len(a))]
        ),
    )
    check(case)


def _attention(q: Any, k: Any, v: Any) -> Any:
    return softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


def test_it_is_told_where_tex_would_draw_something_else() -> None:
    latex = r"\mathrm{head}_i = \mathrm{Attention}(Q W_Qi, K W_Ki, V W_Vi)"
    assert {one.code for one in compile_formula(latex).diagnostics} == {"N2C026"}
    with pytest.raises(FormulaError, match="a second subscript"):
        compile_formula("y = W_a_i x")


# --- pages ---------------------------------------------------------------------------------------


def _of_vit(z: Any, q: Any, k: Any, v: Any, u: Any) -> Any:
    heads = [_attention(z @ q[i], z @ k[i], z @ v[i]) for i in range(len(q))]
    return np.concatenate(heads, axis=-1) @ u


def test_a_function_is_of_what_it_is_given_whatever_the_page_calls_so() -> None:
    """The z of ``SA(z)`` is none of the z_l, and so no vector where A is a matrix of weights."""
    page = [
        r"z'_\ell = \mathrm{MSA}(\mathrm{LN}(z_{\ell-1})) + z_{\ell-1}",
        r"z_\ell = \mathrm{MLP}(\mathrm{LN}(z'_\ell)) + z'_\ell",
        r"[q, k, v] = z U_{qkv}",
        r"A = \mathrm{softmax}(q k^\top / \sqrt{D_h})",
        r"\mathrm{SA}(z) = A v",
    ]
    msa = r"\mathrm{MSA}(z) = [\mathrm{SA}_1(z); \dots; \mathrm{SA}_m(z)] U_o"
    inputs = "z[n,d] U_q[h,d,D_h] U_k[h,d,D_h] U_v[h,d,p] U_o[h*p,r]"
    check(Case(msa, inputs, _of_vit, context=page))
    layer = compile_formula(page[1], context=[page[0], *page[2:], msa])
    assert layer.component == "encoder_layer"
    (told,) = (one.message for one in layer.diagnostics if one.code == "N2C030")
    assert told.startswith("`MLP` is not defined in the notes: the textbook's is taken")


def test_attention_that_a_layer_gives_one_sequence_has_heads() -> None:
    def value(x: Any, e: float, g: Any, b: Any, *weights: Any) -> Any:
        return x + _of_vit(_normed(x, e, g, b), *weights)

    inputs = "x[n,d] epsilon+ gamma[d] beta[d] W_Q[h,d,p] W_K[h,d,p] W_V[h,d,r] W_O[h*r,d]"
    check(Case(r"y = x + \mathrm{Attn}(\mathrm{LN}(x))", inputs, value))
    told = compile_formula(r"y = x + \mathrm{Attn}(\mathrm{LN}(x))").diagnostics
    said = "`Attn` is not defined in the notes: the textbook's `MultiHead` is taken"
    assert [one.message.startswith(said) for one in told] == [True]
    alone = compile_formula(r"y = \mathrm{Attn}(x)")
    assert [given.name for given in alone.inputs] == ["x"]


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (r"\mathrm{SelfAttn}(\mathrm{LN}(x))", "one sequence"),
        (r"\mathrm{SelfAttention}(\mathrm{LN}(x))", "one sequence"),
        (r"\mathrm{CrossAttn}(\mathrm{LN}(x), z)", "two sequences"),
    ],
)
def test_so_has_self_attention_and_that_of_two(call: str, given: str) -> None:
    layer = compile_formula(f"y = x + {call}")
    assert {"W_Q", "W_K", "W_V", "W_O"} < {one.name for one in layer.inputs}
    name = call[8 : call.index("}")]
    (told,) = (one.message for one in layer.diagnostics if one.code == "N2C030")
    said = f"`{name}` is not defined in the notes: the textbook's `MultiHead` is taken"
    assert told.startswith(f"{said}, since a layer gives it {given}, and its weights")
    alone = compile_formula(f"y = {call}".replace(r"\mathrm{LN}(x)", "x"))
    assert "W_O" not in {one.name for one in alone.inputs}


def test_heads_of_another_note_are_given_one_sequence() -> None:
    heads = r"""# Heads
$$ \mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O $$
$$ \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V) $$
"""
    layer = r"$$ y = x + \mathrm{MultiHead}(\mathrm{LN}(x)) $$"
    notes = read_note_text("heads.md", heads), read_note_text("layer.md", layer)
    found = compile_vault(Vault("vault", notes), library()).formulas[-1]
    said = [one.message for one in found.diagnostics]
    assert said == [r"`MultiHead` is taken to get `\mathrm{LN}(x)` in all its places"]


@pytest.mark.parametrize("last", ["n", "L"])
def test_the_last_of_the_layers_is_no_index(last: str) -> None:
    layers = r"h_0 = U W_e + W_p", rf"h_l = \mathrm{{block}}(h_{{l-1}}) \quad l \in [1, {last}]"
    model = compile_formula(rf"P(u) = \mathrm{{softmax}}(h_{last} W_e^\top)", context=[*layers])
    assert model.component == "gpt"
    assert not [one for one in model.diagnostics if "one for each" in one.message]


def test_an_outcome_is_no_weight_in_small() -> None:
    tokens = compile_formula(r"p(w | c) = \mathrm{softmax}(W h + b)")
    assert tokens.component == "output_head" and not tokens.diagnostics
    function = compile_formula(r"f(w | c) = \mathrm{softmax}(W c)")
    said = ["the parameter `w` does not occur; `W` is another name"]
    assert [one.message for one in function.diagnostics] == said


@pytest.mark.parametrize("index", ["_l", "^{(l)}"])
def test_a_layer_goes_on_from_its_first_half(index: str) -> None:
    before = index.replace("l", "l-1") if "{" in index else "_{l-1}"
    first = rf"h{index} = h{before} + \mathrm{{MHA}}(\mathrm{{LN}}(h{before}))"
    second = rf"h{index} = h{index} + \mathrm{{FFN}}(\mathrm{{LN}}(h{index}))"
    assert compile_formula(second, context=[first]).component == "encoder_layer"


def test_scores_of_rows_are_a_matrix_where_their_softmax_is_taken() -> None:
    scores = r"w = \frac{q k^\top}{\sqrt{d}}"

    def value(q: Any, k: Any) -> Any:
        return q @ k.T / np.sqrt(q.shape[-1])

    for weights in (r"a = \mathrm{softmax}(w)", r"w = \mathrm{softmax}(w)"):
        shown = compiled_note(scores, weights)
        assert shown.equation is not None
        assert len(shown.equation.value.indices) == 2
        assert any("the scores of all rows" in one.message for one in shown.problems)
    check(Case(f"{scores}, \\quad w \\in \\mathbb{{R}}^{{n \\times m}}", "q[n,d] k[m,d]", value))
    alone = compiled_note(scores, r"b = \tanh(w)")
    assert alone.equation is not None
    assert not alone.equation.value.indices


def compiled_note(*latex: str) -> Compiled:
    """What becomes of the first formula of a note."""
    entries = [Entry(one, "N.md", (), order) for order, one in enumerate(latex)]
    compiler = Compiler(Linker(entries, library().scope), library())
    return compiler.compiled(entries[0])


def test_a_network_that_is_in_no_layer_is_an_input() -> None:
    formula = compile_formula(r"y = W \, \mathrm{MLP}(x)")
    assert "MLP" in {given.name for given in formula.inputs}


@pytest.mark.parametrize("called", [r"\mathrm{CrossAttn}(Z, X)", r"\text{CrossAttention}(Z, X)"])
def test_attention_from_one_sequence_to_another_has_projections(called: str) -> None:
    def value(z: Any, x: Any, q: Any, k: Any, v: Any) -> Any:
        return z + _attention(z @ q, x @ k, x @ v)

    inputs = "Z[n,a] X[m,b] W_Q[a,p] W_K[b,p] W_V[b,a]"
    check(Case(f"Y = Z + {called}", inputs, value))


def test_a_query_of_words_is_no_probability() -> None:
    shown = compile_formula(r"M = k(\text{inputs}) \, q(\text{slots})^\top")
    kinds = {given.name: given.kind for given in shown.inputs}
    assert kinds == {"inputs": "array", "slots": "array", "k": "function", "q": "function"}
    assert len(shown.shape) == 2
    (given,) = compile_formula(r"L = -\log q(\text{spam})").inputs
    assert (given.name, given.shape) == ("q", ())


def test_a_projection_is_told_and_has_no_weight_of_the_formula() -> None:
    formula = compile_formula(r"y = \text{o\_proj}(x)")
    assert [problem.code for problem in formula.diagnostics] == ["N2C039"]
    for latex in (r"y = W_q \text{q\_proj}(x)", r"y = \text{q\_proj}(x) W_q"):
        with pytest.raises(FormulaError, match="whose weight it may be"):
            compile_formula(latex)
    for other in (
        r"y = \mathrm{down}(x)",
        r"y = \mathrm{Proj}_C(x)",
        r"y = \mathrm{BallProj}(x)",
        r"y = \text{embed\_proj}(x)",
    ):
        assert [given.kind for given in compile_formula(other).inputs] == ["array", "function"]


def test_a_gate_that_a_note_defines_is_no_projection() -> None:
    latex = r"h = \mathrm{gate}(x) \odot \mathrm{up}(x)"
    formula = compile_formula(latex, context=[r"\mathrm{gate} = \sigma"])
    assert {given.name for given in formula.inputs}.isdisjoint({"W_gate", "W_up"})


def test_a_layer_whose_first_half_stands_in_it_twice() -> None:
    """The note defines it once, the component's formula writes it out at both places."""
    first_half = r"x' = x + \text{MHA}(\text{N}(x))"
    norm = r"\text{N}(x) = \gamma \odot \frac{x}{\sqrt{\frac{1}{d} \sum_{i=1}^d x_i^2 + \epsilon}}"
    network = r"\text{F}(x) = W_2 \text{SiLU}(W_1 x)"
    context = [norm, r"\gamma = 1", first_half, network]
    layer = compile_formula(r"y = x' + \text{F}(\text{N}(x'))", context=context)
    assert layer.component == "encoder_layer"


def test_an_input_of_a_function_is_not_what_the_note_makes_by_its_number() -> None:
    # The projections of the heads are Q_2, K_2 and V_2 here, and the weights take a Q and a K.
    text = r"""
$$ \mathrm{MultiHeadAttention}(Q, K, V) = \mathrm{Concat}(head_1, \dots, head_h) W^o $$

$$ head_i = \mathrm{Attention}(Q_i, K_i, V_i) $$

$$ output_i = \sum_j weights(i, j) \cdot V_j $$

$$ weights(i, j) = \mathrm{softmax}\left(\frac{Q_i \cdot K_j^T}{\sqrt{d_k}}\right) $$
"""
    note = read_note_text("note.md", text)
    found = compile_vault(Vault("vault", (note,)), library()).formulas
    assert {one.compiled.status for one in found} == {"component"}
