"""Ways in which people write norms, gates, positions, losses and schedules, and what is near."""

from __future__ import annotations

import pytest

from notes2code import FormulaError, compile_formula
from notes2code.compilation import compile_vault
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.components.own_sizes import shown_settings
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.vault import Vault, read_note_text

ROOT = r"\sqrt{\frac1d\sum_i x_i^2 + \epsilon}"


def said(*formulas: str) -> tuple[str, str, dict[str, str]] | None:
    """The component, form and settings of the last of the formulas of a note."""
    entries = [Entry(latex, "Note.md", (), at) for at, latex in enumerate(formulas)]
    compiler = Compiler(Linker(entries, library().scope), library())
    found = compiler.compiled(entries[-1]).recognised
    if found is None:
        return None
    shown = {name: value for name, value in shown_settings(found).items() if value is not None}
    return found.component.name, found.form.part, shown


HEADS = [
    r"\text{head}_i = \text{Attention}(XW_{Q_i}, XW_{K_i}, XW_{V_i})",
    r"\text{head}_i = \text{Attention}(XW^{Q_i}, XW^{K_i}, XW^{V_i})",
    r"\text{head}_i = \text{Attention}(XW_i^Q, XW_i^K, XW_i^V)",
]


@pytest.mark.parametrize("heads", HEADS)
def test_an_index_on_the_label_of_a_weight_is_that_of_the_weight(heads: str) -> None:
    joined = r"\text{MultiHead}(X) = \text{Concat}(\text{head}_1, \dots, \text{head}_h) W^O"
    found = said(heads, joined)
    assert found is not None and found[0] == "multi_head_attention"


def test_projections_of_small_letters_are_of_each_token() -> None:
    found = said(r"h_i = \mathrm{Attention}(W_i^{(q)} q, W_i^{(k)} k, W_i^{(v)} v)")
    assert found is not None and found[:2] == ("multi_head_attention", "heads")


def test_what_attention_puts_out_goes_through_a_feed_forward_layer() -> None:
    found = said(r"m_i = \mathrm{MLP}(o_i) = W_2 * \mathrm{ReLU}(W_1 o_i + b_1) + b_2")
    assert found is not None and found[0] == "feed_forward"


JOINS = [
    r"\sum_i \mathrm{head}_i W_i^O",
    r"\Vert_{i=1}^h \mathrm{head}_i W^O",
    r"\mathop{\big\Vert}\limits_{i=1}^{h} \mathrm{head}_i W^O",
    r"\bigoplus_{i=1}^h \mathrm{head}_i \, W^O",
]


@pytest.mark.parametrize("join", JOINS)
def test_heads_are_joined(join: str) -> None:
    for made in (HEADS[2], r"\text{head}_i = \mathrm{softmax}(Q W_i^Q (K W_i^K)^\top) V W_i^V"):
        found = said(made, rf"Y = {join}")
        assert found is not None and found[0] == "multi_head_attention"
    for other in (join.replace("W^O", "W^Q").replace("W_i^O", "W^O"), join + " x"):
        assert said(HEADS[2], rf"Y = {other}") is None


HEADS_OF_TOKENS = (
    r"z_{t,i} = \sum_{j=1}^n \mathrm{softmax}_j(q_{t,i}^\top k_{j,i} / \sqrt{d_h}) v_{j,i}"
)


@pytest.mark.parametrize(
    "heads, joined, component",
    [
        (HEADS_OF_TOKENS, r"y_t = W^O [z_{t,1}; z_{t,2}; \dots; z_{t,h}]", "multi_head_attention"),
        (
            HEADS_OF_TOKENS.replace("^n", "^t"),
            r"y_t = W^O [z_{t,1}; z_{t,2}; \dots; z_{t,h}]",
            "multi_head_attention",
        ),
        # What is added to the scores of heads has no place in a class of what joins them.
        (
            HEADS_OF_TOKENS.replace("^n", "^t").replace("sqrt{d_h}", "sqrt{d_h} + B_{t,j}"),
            r"y_t = W^O [z_{t,1}; z_{t,2}; \dots; z_{t,h}]",
            None,
        ),
        # Along the tokens nothing is joined that heads are, nor what each head makes otherwise.
        (HEADS_OF_TOKENS, r"y_i = W^O [z_{1,i}; z_{2,i}; \dots; z_{n,i}]", None),
        (
            r"z_{t,i} = \sum_j \mathrm{softmax}_j(q_t^\top k_j) v_{j,i}",
            r"y_t = W^O [z_{t,1}; \dots; z_{t,h}]",
            None,
        ),
        (r"z_{t,i} = \tanh(W_i x_t)", r"y_t = W^O [z_{t,1}; \dots; z_{t,h}]", None),
    ],
)
def test_heads_of_each_token(heads: str, joined: str, component: str | None) -> None:
    found = said(heads, joined)
    assert (found[0] if found is not None else None) == component


def test_scores_called_e_are_no_base_of_their_powers() -> None:
    scores = r"e_{ij} = \frac{q_i^\top k_j}{\sqrt{d_k}} - \lambda b_{ij}"
    weights = r"\alpha_{ij} = \frac{e^{e_{ij}}}{\sum_l e^{e_{il}}}"
    shown = {"scale": "d_k**-0.5", "mask": "-lambda_*b"}
    assert said(scores, weights) == ("scaled_dot_product_attention", "weights", shown)


def test_a_query_that_a_weight_makes_is_no_score() -> None:
    """Though the weight is called Q, and the state beside it may be a key."""
    assert said(r"q_i = h_i Q") is None
    assert said(r"q_i^{(r)} = h_i^{(r)} Q^{(r)}") is None


def test_settings_show_the_letters_of_the_note() -> None:
    far = r"A_{ij} = \frac{q_i^\top k_j}{\sqrt{d_k}} - m |i - j|"
    found = said(far)
    assert found is not None and found[2]["mask"] == "-m*abs(i - j)"


def test_a_layer_in_two_statements_gives_the_next_state() -> None:
    found = said(
        r"h_l = x_l + \mathrm{Attn}(\mathrm{LN}(x_l)), "
        r"x_{l+1} = h_l + \mathrm{FFN}(\mathrm{LN}(h_l))"
    )
    assert found is not None and found[0] == "encoder_layer"


def test_the_biases_of_heads_are_vectors() -> None:
    heads = r"\text{head}_i = \text{Attention}(QW_i^Q + b_i^Q, KW_i^K + b_i^K, VW_i^V + b_i^V)"
    found = said(
        heads, r"\text{MultiHead}(Q, K, V) = \text{Concat}(\text{head}_1, \dots, \text{head}_h) W^O"
    )
    assert found is not None and found[0] == "multi_head_attention"


def test_the_shapes_of_heads_hold_though_the_note_says_not_what_i_is() -> None:
    heads = r"\text{head}_i = \text{Attention}(QW_i^Q, KW_i^K, VW_i^V)"
    shapes = r"W_i^Q \in \mathbb{R}^{d \times d_k}, W_i^K \in \mathbb{R}^{d \times d_k}"
    assert said(shapes, heads) is not None
    assert said(shapes.removesuffix("d_k}") + "d_v}", heads) is None


SOFTMAX = [
    r"\mathrm{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}",
    r"\mathrm{softmax}(z_i) = \frac{\exp(z_i)}{\sum_{k=1}^n \exp(z_k)}",
    r"\mathrm{softmax}(x)_i = \frac{e^{x_i - \max_k x_k}}{\sum_j e^{x_j - \max_k x_k}}",
]


@pytest.mark.parametrize("definition", SOFTMAX)
def test_a_note_that_says_what_softmax_is_keeps_its_masks(definition: str) -> None:
    for formula in (
        r"o_i = \sum_{j \le i} \mathrm{softmax}_j(q_i^\top k_j) v_j",
        r"o_i = \mathrm{softmax}(q_i K_{\le i}^\top) V_{\le i}",
    ):
        found = said(definition, formula)
        assert found == said(formula)
        assert found is not None and found[2] == {"reach": "causal"}


@pytest.mark.parametrize("opening", ["(", r"\big(", r"\Bigl(", r"\left("])
def test_a_layer_in_capitals_is_called(opening: str) -> None:
    closing = opening.replace("(", ")").replace("gl", "gr").replace("left", "right")
    found = said(rf"z_l = MSA{opening}LN(z_{{l-1}}){closing} + z_{{l-1}}")
    assert found is not None and found[0] == "add_norm"


def test_the_index_of_all_arguments_is_a_label() -> None:
    attention = r"A(Q_i, K_i, V_i) = \mathrm{softmax}(Q_i K_i^\top / \sqrt{d_k}) V_i"
    heads = r"\text{head}_i = A(XW_i^Q, XW_i^K, XW_i^V)"
    joined = r"\text{MultiHead}(X) = \text{Concat}(\text{head}_1, \dots, \text{head}_h) W^O"
    found = said(attention, heads, joined)
    assert found is not None and found[0] == "multi_head_attention"


def test_the_elements_of_a_bold_vector_are_numbers() -> None:
    root = r"\sqrt{\frac{1}{n} \sum_{i=1}^n u_i^2 + \epsilon}"
    found = said(
        rf"\mathrm{{RMSNorm}}(\mathbf{{u}}) = \frac{{\mathbf{{u}}}}{{{root}}} \odot \mathbf{{g}}"
    )
    assert found is not None and found[:2] == ("rms_norm", "output")


def test_a_score_of_one_query_and_one_key_scores_all_of_them() -> None:
    score = r"\mathrm{score}(q_i, k_j) = \frac{q_i \cdot k_j}{\sqrt{d_k}}"
    weights = (
        r"w_{ij} = \frac{\exp(\mathrm{score}(q_i, k_j))}{\sum_l \exp(\mathrm{score}(q_i, k_l))}"
    )
    found = said(score, weights)
    assert found == ("scaled_dot_product_attention", "weights", {"scale": "d_k**-0.5"})


def test_raised_letters_of_plain_text() -> None:
    found = said("headᵢ = Attention(X·Wᵢᵠ, X·Wᵢᴷ, X·Wᵢⱽ)", "M(X) = Concat(head₁, …, headₕ) · Wᴼ")
    assert found is not None and found[0] == "multi_head_attention"


def test_letters_do_not_matter_where_the_name_says_what_it_is() -> None:
    found = said(r"\mathrm{FFN}(q) = W_2 \mathrm{GELU}(W_1 q + b_1) + b_2")
    assert found is not None and found[0] == "feed_forward"


LAYER_NORM = [
    # What alone scales what is brought to mean 0 is a gain, whatever its letter is.
    (r"\mathrm{LN}(x) = \alpha \frac{x - \mu}{\sigma + \epsilon} + \beta", "outside"),
    (r"\mathrm{LN}(x) = \alpha (x - \mu) / (\sigma + \epsilon) + \beta", "outside"),
    (r"\mathrm{LN}(x) = a_2 * (x - mean) / (std + eps) + b_2", "outside"),
    (r"\mathrm{LN}(x) = b + \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \cdot k", "output"),
    # Words for the moments, and estimates of them.
    (r"\mathrm{LN}(x) = g * (x - mean) / sqrt(var + eps) + b", "output"),
    (r"\mathrm{LayerNorm}(x) = \gamma \odot \frac{x - \hat\mu}{\hat\sigma} + \beta", "outside"),
]


@pytest.mark.parametrize("latex, form", LAYER_NORM)
def test_layer_norm(latex: str, form: str) -> None:
    found = said(latex)
    assert found is not None and found[:2] == ("layer_norm", form)


def test_a_gain_of_no_layer_is_a_number() -> None:
    for name in (r"\mathrm{BN}(x)", "y"):
        assert said(rf"{name} = \alpha \frac{{x - \mu}}{{\sigma + \epsilon}} + \beta") is None
    assert said(r"\mathrm{LN}(x) = \gamma \frac{x - \mu}{\sqrt{\sigma + \epsilon}} + \beta") is None
    moving = r"\mathrm{LN}(x) = \gamma \frac{x - \mu_{running}}{\sigma_{running}} + \beta"
    assert said(moving) is None


CONDITIONED = [
    (r"\mathrm{LN}(x) = s \frac{x - \mu}{\sigma} + t", [r"s = W c", r"t = U c"]),
    (r"\mathrm{AdaLN}(x, c) = s \frac{x - \mu}{\sigma} + b", [r"s = W c"]),
    (r"\mathrm{LN}(x, c) = \gamma \frac{x - \mu}{\sigma} + \beta", [r"\gamma = W c"]),
    (r"\mathrm{LN}(x, c) = s \frac{x - \mu}{\sigma} + c", []),
    # A residual is no bias.
    (r"\mathrm{LN}(x) = \alpha \frac{x - \mu}{\sigma} + h", []),
    # What stands under no name may be the mean of any data.
    (r"y = \gamma \frac{x - mean}{std} + \beta", []),
]


@pytest.mark.parametrize("latex, context", CONDITIONED)
def test_what_scales_and_shifts_is_learned(latex: str, context: list[str]) -> None:
    assert compile_formula(latex, context=context).component is None


def test_a_gain_that_is_set_to_a_number_at_first_is_learned() -> None:
    latex = r"\mathrm{LN}(x) = \gamma \frac{x - \mu}{\sigma} + \beta"
    assert compile_formula(latex, context=[r"\gamma = 1", r"\beta = 0"]).component == "layer_norm"


def test_words_are_the_moments_of_what_the_note_speaks_of() -> None:
    formula = "$$ y = \\gamma \\frac{x - mean}{std} + \\beta $$\n"
    batch = "The mean and std are those of the batch.\n"
    for text, layer in (
        (f"# Layer normalization\n{formula}", True),
        (f"# Layer normalization\n{formula}{batch}", False),
        (f"# Normalising data\n{formula}", False),
    ):
        vault = Vault("vault", (read_note_text("norm.md", text),))
        (found,) = compile_vault(vault, library()).formulas
        assert (found.compiled.recognised is not None) == layer


def test_a_gain_without_a_layer_is_not_taken_for_a_vector() -> None:
    with pytest.raises(FormulaError, match="two vectors side by side"):
        compile_formula(r"z_t = s \frac{x_t - \mu}{\sigma} + m")


RMS_NORM = [
    (rf"y = \frac{{x}}{{{ROOT}}} \odot \gamma", "output", {"epsilon": "epsilon"}),
    (r"y_i = \frac{x_i}{\mathrm{RMS}(x)}\, g_i", "output", {}),
    (r"\mathrm{RMSNorm}(x) = \sqrt{d}\, \frac{x}{\|x\|} \odot g", "output", {}),
    (
        r"y = \frac{x}{\sqrt{\mathrm{mean}(x^2) + 10^{-6}}} \odot \gamma",
        "output",
        {"epsilon": "1e-06"},
    ),
    (rf"\mathrm{{RMSNorm}}(x) = \frac{{x}}{{{ROOT}}}", "bare", {"epsilon": "epsilon"}),
    (rf"\hat x = \frac{{x}}{{{ROOT}}}", "normalised", {"epsilon": "epsilon"}),
    (r"\mathrm{RMS}(a) = \sqrt{\frac{1}{n} \sum_{i=1}^{n} a_i^2}", "root", {}),
    (
        r"y = \frac{x}{\sqrt{\frac1d x^\top x} + \epsilon} \odot \gamma",
        "outside",
        {"epsilon": "epsilon"},
    ),
]


@pytest.mark.parametrize("latex, form, settings", RMS_NORM)
def test_rms_norm(latex: str, form: str, settings: dict[str, str]) -> None:
    assert said(latex) == ("rms_norm", form, settings)


JOINED = r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"
UNLIKE_HEADS = [
    r"\mathrm{head}_i = \tanh(X W_i^Q)",
    r"\mathrm{head}_i = \mathrm{softmax}(X W_i^Q (X W^K)^\top) X W_i^V",
    r"\mathrm{head}_i = \mathrm{softmax}(Q_i K^\top) V",
    r"\mathrm{head}_i = \mathrm{Attention}(X W^Q, X W^K, X W^V)",
]


@pytest.mark.parametrize("heads", UNLIKE_HEADS)
def test_what_joins_other_heads_is_not_multi_head_attention(heads: str) -> None:
    assert said(heads, JOINED) is None


@pytest.mark.parametrize(
    "heads", [r"\mathrm{softmax}(Q_i K_i^\top) V_i", r"\mathrm{Attention}(Q_i, K_i, V_i)"]
)
def test_heads_that_are_given_are_those_of_multi_head_attention(heads: str) -> None:
    found = said(rf"\mathrm{{head}}_i = {heads}", JOINED)
    assert found is not None and found[0] == "multi_head_attention"


MADE = [
    (r"Q_i = X W_i^Q", r"K = X W^K", r"V = X W^V"),
    (r"Q_i = X W_i^Q, \quad K = X W^K, \quad V = X W^V",),
]


@pytest.mark.parametrize("made", MADE)
def test_written_out_heads_that_share_keys(made: tuple[str, ...]) -> None:
    heads = r"\mathrm{head}_i = \mathrm{softmax}(Q_i K^\top / \sqrt{d_k}) V"
    found = said(*made, heads, JOINED.replace("MultiHead", "MQA"))
    assert found == ("grouped_query_attention", "inline", {"scale": "d_k**-0.5"})


def test_an_index_with_a_prime_is_an_index() -> None:
    energies = r"e_{t,t'} = v^\top \tanh(W s_t + U h_{t'})"
    weights = r"a_{t,t'} = \frac{\exp(e_{t,t'})}{\sum_{t'=1}^T \exp(e_{t,t'})}"
    assert said(energies, weights) == ("additive_attention", "weights", {"activation": "tanh"})
    context = said(energies, weights, r"c_t = \sum_{t'=1}^T a_{t,t'} h_{t'}")
    assert context is not None and context[:2] == ("seq2seq_attention", "additive")


GATES = [
    (
        r"\mathrm{SwiGLU}(x) = (\mathrm{Swish}(x W_1) \cdot (x V)) W_2",
        "output",
        {"activation": "silu"},
    ),
    (r"\sigma(xW) \times (xV)", "hidden", {"activation": "sigmoid"}),
    (r"\mathrm{FFN}(x) = W_3(\mathrm{SiLU}(W_1 x) \odot W_2 x)", "output", {"activation": "silu"}),
    (r"y_t = W_3(\mathrm{GELU}(W_1 x_t) \otimes W_2 x_t)", "output", {"activation": "gelu"}),
    (r"\frac{xW}{1 + e^{-xW}} \odot xV", "hidden", {"activation": "silu"}),
    (
        r"(xW + b) \odot \sigma(xV + c)",
        "hidden",
        {"activation": "sigmoid", "gate_bias": "c", "inner_bias": "b"},
    ),
]


@pytest.mark.parametrize("latex, form, settings", GATES)
def test_gate(latex: str, form: str, settings: dict[str, str]) -> None:
    assert said(latex) == ("gated_feed_forward", form, settings)


def test_gate_in_steps() -> None:
    steps = r"g = \mathrm{SiLU}(xW_1)", r"u = xW_3", r"y = (g \odot u)W_2"
    assert said(*steps) == ("gated_feed_forward", "output", {"activation": "silu"})


POSITIONS = [
    r"x_i = e_i + p_i",
    r"h_0 = U W_e + W_p",
    r"x_t = E u_t + p_t",
    r"X = E_{\text{token}} + E_{\text{position}}",
]


@pytest.mark.parametrize("latex", POSITIONS)
def test_learned_positions(latex: str) -> None:
    assert said(latex) == ("learned_positional_embedding", "output", {})


def test_positions_that_the_note_defines_are_not_learned() -> None:
    sines = r"p_{i, 2j} = \sin\left(\frac{i}{10000^{2j/d}}\right)"
    found = said(sines, r"X = U E + P")
    assert found is None or found[0] != "learned_positional_embedding"


TRAINING = [
    (r"q'(k) = (1 - \epsilon) \delta_{k,y} + \frac{\epsilon}{K}", "label_smoothing", {}),
    (r"\mathrm{PPL} = e^{\mathcal{L}}", "perplexity", {}),
    (r"\mathrm{perplexity} = \exp\left(\frac1m \sum_{i=1}^{m} \ell_i\right)", "perplexity", {}),
    (r"\exp\left(-\frac1N \sum_t \log p_\theta(x_t \mid x_{<t})\right)", "perplexity", {}),
    (r"\mathrm{PP}(W) = \sqrt[N]{\prod_{i=1}^{N} \frac{1}{P(w_i \mid w_{<i})}}", "perplexity", {}),
    (r"\tilde y_k = y_k (1 - \alpha) + \alpha / K", "label_smoothing", {}),
    (r"\hat y = (1 - \gamma) y_{hot} + \frac{\gamma}{C}", "label_smoothing", {}),
    (r"y_{LS} = (1 - \epsilon)\, y_{\text{onehot}} + \frac{\epsilon}{V}", "label_smoothing", {}),
    (r"\eta_t = \frac{1}{\sqrt d} \min\left(\frac{1}{\sqrt t}, \frac{t}{w^{3/2}}\right)",
     "warmup_schedule", {}),
    (r"lr = 2\, d^{-0.5} \min(step^{-0.5}, step \cdot warmup^{-1.5})",
     "warmup_schedule", {"factor": "2"}),
]  # fmt: skip


@pytest.mark.parametrize("latex, name, settings", TRAINING)
def test_training(latex: str, name: str, settings: dict[str, str]) -> None:
    assert said(latex) == (name, "output", settings)


@pytest.mark.parametrize("place, j", [("z_y", "z_j"), ("z[label]", "z[j]")])
def test_the_loss_of_one_position(place: str, j: str) -> None:
    total = rf"\sum_j \exp({j})"
    for loss in (
        rf"-\log \frac{{\exp({place})}}{{{total}}}",
        rf"\log {total} - {place}",
        rf"-{place} + \log({total})",
    ):
        assert said(f"L = {loss}") == ("cross_entropy", "place", {})


@pytest.mark.parametrize("latex", [r"\text{logits} = h W_e^\top", r"\text{logits}_t = W h_t + b"])
def test_logits(latex: str) -> None:
    found = said(latex)
    assert found is not None and found[:2] == ("output_head", "logits")
    assert said(latex.replace("logits", "made")) is None


@pytest.mark.parametrize(
    "first, then", [("max(-k, ", "min(k, j - i)"), ("min(k, ", "max(j - i, -k)")]
)
def test_places_between_two_bounds(first: str, then: str) -> None:
    found = said(rf"B_{{ij}} = b_{{\{first}\{then})}}")
    assert found is not None and found[0] == "relative_position_bias"
    assert found == said(r"B_{ij} = b_{\mathrm{clip}(j - i, -k, k)}")
    crossed = first.replace("k", "c") if "-" in first else first.replace("k", "-k")
    assert said(rf"B_{{ij}} = b_{{\{crossed}\{then})}}") is None


def test_what_is_like_smoothing_or_logits_and_is_not() -> None:
    # A step size, a policy, and the scores of a classifier and of a router.
    assert said(r"\delta_t = (1 - \alpha) \delta_{t-1} + \frac{\alpha}{N}") is None
    assert said(r"\pi(a) = (1 - \epsilon) \delta_{a,a^*} + \frac{\epsilon}{K}") is None
    assert said(r"\mathrm{logits} = h_{CLS} W + b") is None


ENCODINGS = [
    # A column is told by twice a letter with a prime, of any letter, too.
    (
        r"PE(i, \delta) = \begin{cases}"
        r" \sin(i / 10000^{2\delta'/d}) & \text{if } \delta = 2\delta' \\"
        r" \cos(i / 10000^{2\delta'/d}) & \text{if } \delta = 2\delta' + 1 \end{cases}",
        {"base": "10000"},
    ),
    # The base counts no columns.
    (
        r"P(k, 2i) = \sin\left(\frac{k}{n^{2i/d}}\right),"
        r" \quad P(k, 2i+1) = \cos\left(\frac{k}{n^{2i/d}}\right)",
        {"base": "n"},
    ),
]


@pytest.mark.parametrize("latex, settings", ENCODINGS)
def test_encodings(latex: str, settings: dict[str, str]) -> None:
    found = said(latex)
    assert found is not None and found[0] == "sinusoidal_positional_encoding"
    assert found[2] | settings == found[2]


ELU = r"\phi(x) = \mathrm{elu}(x) + 1"
LINEAR_ATTENTION = [
    (r"\frac{\phi(Q)(\phi(K)^\top V)}{\phi(Q)\phi(K)^\top \mathbf{1}}", "output"),
    (r"o_i = \frac{\phi(q_i)^\top \sum_j \phi(k_j) v_j^\top}{\phi(q_i)^\top \sum_j \phi(k_j)}",
     "output"),
    (r"y_i = \frac{\phi(q_i)^\top S}{\phi(q_i)^\top z}, \quad S = \sum_j \phi(k_j) v_j^\top,"
     r"\quad z = \sum_j \phi(k_j)", "output"),
    (r"V_i' = \frac{\phi(Q_i)^\top \sum_{j=1}^i \phi(K_j) V_j^\top}"
     r"{\phi(Q_i)^\top \sum_{j=1}^i \phi(K_j)}", "causal"),
    (r"\phi(Q)(\phi(K)^\top V)", "unnormalised"),
    (r"o_i = \sum_{j \le i} \phi(q_i)^\top \phi(k_j) v_j", "causal_unnormalised"),
]  # fmt: skip


@pytest.mark.parametrize("latex, form", LINEAR_ATTENTION)
def test_linear_attention(latex: str, form: str) -> None:
    assert said(ELU, latex) == ("linear_attention", form, {"feature_map": "elu(x) + 1"})


NO_LINEAR_ATTENTION = [
    r"\frac{\phi(Q)(\phi(K)^\top V)}{\phi(K)\phi(K)^\top \mathbf{1}}",
    r"\frac{\phi(Q)(\phi(K)^\top V)}{\phi(Q)K^\top \mathbf{1}}",
    r"\frac{\phi(Q)(\phi(K)^\top V)}{\phi(Q)\phi(K)^\top}",
    r"o_i = \frac{\sum_{j \le i} \phi(q_i)^\top \phi(k_j) v_j}{\sum_j \phi(q_i)^\top \phi(k_j)}",
    r"o_i = \sum_{j \ge i} \phi(q_i)^\top \phi(k_j) v_j",
    r"\phi(Q)(K^\top V)",
    r"\phi(QK^\top)V",
    r"\phi(A)(\phi(B)^\top C)",
]


@pytest.mark.parametrize("latex", NO_LINEAR_ATTENTION)
def test_no_linear_attention(latex: str) -> None:
    assert said(ELU, latex) is None


SHARED = r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O,"
SHARED += r"\quad \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K %s, V %s)"


@pytest.mark.parametrize("key, value", [("W^K", "W^V"), ("W_K", "W_V")])
def test_shared_keys_and_values(key: str, value: str) -> None:
    assert said(SHARED % (key, value)) == ("grouped_query_attention", "output", {})


GROUPS = [
    r"g(i)",
    r"\text{map}(i)",
    r"\lfloor i g / h \rfloor",
    r"\lceil i / r \rceil",
    r"\lceil \frac{i g}{h} \rceil",
    r"\lceil i / (h/g) \rceil",
]


@pytest.mark.parametrize("group", GROUPS)
def test_groups_of_heads(group: str) -> None:
    whole = SHARED % (f"W_{{{group}}}^K", f"W_{{{group}}}^V")
    assert said(whole) == ("grouped_query_attention", "groups", {})
    heads = rf"\mathrm{{head}}_i = \mathrm{{softmax}}(Q_i K_{{{group}}}^\top) V_{{{group}}}"
    assert said(heads) == ("grouped_query_attention", "attention of groups", {})


@pytest.mark.parametrize(
    "group, other", [("g(i)", "i"), (r"\lceil i / r \rceil", r"\lceil i / s \rceil")]
)
def test_keys_and_values_of_different_groups(group: str, other: str) -> None:
    assert said(SHARED % (f"W_{{{group}}}^K", f"W_{{{other}}}^V")) is None


@pytest.mark.parametrize(
    "key, value",
    [
        ("W_g^K", "W_g^V"),
        ("W_{K,g}", "W_{V,g}"),
        ("W_i^K", "W^V"),
        ("W^K", "W^K"),
    ],
)
def test_an_index_of_a_group_is_not_passed_over(key: str, value: str) -> None:
    assert said(SHARED % (key, value)) is None


ANGLES = r"\theta_j = 10000^{-2j/d}"
TURNS = [
    ((r"\tilde q_m = q_m e^{i m \theta}",), {}),
    ((r"\mathrm{RoPE}(x, m) = x \cdot e^{\mathrm{i} m \theta}",), {}),
    ((r"\tilde z_j = z_j e^{i m \theta_j}",), {}),
    ((r"y_{2j} + i y_{2j+1} = (x_{2j} + i x_{2j+1}) e^{i m \theta_j}",), {}),
    ((rf"y = x e^{{i m \theta}}, \quad {ANGLES}",), {"base": "10000"}),
    ((ANGLES, r"\tilde q_m = q_m e^{i m \theta}"), {"base": "10000"}),
]


PLANE = r"\begin{pmatrix} \cos %s & -\sin %s \\ \sin %s & \cos %s \end{pmatrix}".replace(
    "%s", r"m\theta_i"
)
PLANES = [
    (
        rf"R_{{\theta_i, m}} = {PLANE}",
        r"R_{\Theta, m}^d = "
        r"\mathrm{diag}(R_{\theta_1, m}, R_{\theta_2, m}, \dots, R_{\theta_{d/2}, m})",
    ),
    (rf"R_{{\theta_i, m}} = {PLANE}", r"R_{\Theta, m} = \bigoplus_{i=1}^{d/2} R_{\theta_i, m}"),
    (rf"T_m = \bigoplus_{{i=1}}^{{d/2}} {PLANE}",),
    (
        rf"R(m\theta_i) = {PLANE}",
        r"T_m = \operatorname{blockdiag}(R(m\theta_1), R(m\theta_2), \dots, R(m\theta_{d/2}))",
    ),
    (rf"B_{{i,m}} = {PLANE}", r"T_m = \mathrm{diag}(B_{1,m}, B_{2,m}, \dots, B_{d/2,m})"),
]


@pytest.mark.parametrize("latex", PLANES)
def test_a_rotation_is_made_of_those_of_its_planes(latex: tuple[str, ...]) -> None:
    found = said(*latex)
    assert found is not None and found[0] == "rotary_embedding"
    assert said(*latex[:-1], latex[-1].replace("1", "3")) is None


def test_frequencies_that_a_set_lists() -> None:
    frequencies = r"\Theta = \{ \theta_i = 500^{-2(i-1)/d}, i \in [1, 2, \dots, d/2] \}"
    found = said(frequencies, r"\tilde q_m = q_m e^{i m \theta}")
    assert found == ("rotary_embedding", "output", {"base": "500"})


@pytest.mark.parametrize("latex, settings", TURNS)
def test_turns_of_complex_numbers(latex: tuple[str, ...], settings: dict[str, str]) -> None:
    assert said(*latex) == ("rotary_embedding", "output", settings)


@pytest.mark.parametrize(
    "latex", [r"y = a e^{i m \theta}", r"y = x e^{-i m \theta}", r"f(q) = R(q) e^{i \Theta(q)}"]
)
def test_other_complex_numbers(latex: str) -> None:
    assert said(latex) is None


OTHERS = [
    r"y = \frac{x}{\|x\|} \odot g",
    r"\frac{x}{\frac1d\sum_i x_i^2 + \epsilon} \odot \gamma",
    r"\sigma_x = \sqrt{\frac1N \sum_i x_i^2}",
    r"xW \odot xV",
    r"c_t = \sigma(W x_t + b) \odot c_{t-1}",
    r"o = \sigma(xW) \odot \tanh(xV)",
    r"s_{ij} = e_{ij} + p_{ij}",
    r"y_i = x_i + b_i",
    r"X' = X + P",
    r"X = \mathrm{TokEmbed} + \mathrm{PosEnc}",
    r"y = \exp(L)",
    r"\mathrm{PPL} = \exp\left(-\sum_t \log p_t\right)",
    r"\mathrm{PPL} = \exp\left(\frac1N \sum_{t=1}^{N} \log p_t\right)",
    r"\mathrm{PPL} = \exp\left(\frac1N \sum_{t=1}^{N} p_t\right)",
    r"\mathrm{PPL} = \exp\left(\frac1N \sum_t s_t\right)",
    r"y = \exp\left(\frac1N \sum_{t=1}^{N} \ell_t\right)",
    r"\exp\left(\frac1N \sum_n \log p_n\right)",
    r"\pi_i = (1 - \epsilon)\, p_i + \frac{\epsilon}{N}",
    r"m_t = (1 - \beta) g_t + \beta m_{t-1}",
    r"lr = d^{-0.5} \max(step^{-0.5}, step \cdot warmup^{-1.5})",
    r"\eta_t = \eta_{max} \min\left(1, \frac{t}{T}\right)",
]


@pytest.mark.parametrize("latex", OTHERS)
def test_another_thing(latex: str) -> None:
    assert said(latex) is None


@pytest.mark.parametrize("memory", ["m", "e", "c"])
def test_what_is_keys_and_values_is_no_count_and_no_constant(memory: str) -> None:
    found = said(
        r"z_1 = \mathrm{LayerNorm}(y + \mathrm{MaskedMultiHead}(y, y, y))",
        rf"z_2 = \mathrm{{LayerNorm}}(z_1 + \mathrm{{MultiHead}}(z_1, {memory}, {memory}))",
        r"z_3 = \mathrm{LayerNorm}(z_2 + \mathrm{FFN}(z_2))",
    )
    assert found is not None and found[0] == "decoder_layer"


def test_the_factors_of_a_gate_may_have_words_for_names() -> None:
    found = said(
        r"Gate = X W_g, \quad Up = X W_u",
        r"\text{SwiGLU}(Gate, Up) = \text{SiLU}(Gate) \odot Up",
        r"Y = \text{SwiGLU}(Gate, Up) W_d",
    )
    assert found is not None and found[0] == "gated_feed_forward"


def test_states_that_a_network_makes_are_given_to_attention_as_a_whole() -> None:
    formulas = [
        r"h_t = \mathrm{RNN}(x_t, h_{t-1})",
        r"e_{ij} = v_a^\top \tanh(W_a s_{i-1} + U_a h_j)",
        r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_k \exp(e_{ik})}",
        r"c_i = \sum_j \alpha_{ij} h_j",
    ]
    found = said(*formulas)
    assert found is not None and found[0] == "seq2seq_attention"


def test_an_update_of_x_says_nothing_of_another_x() -> None:
    update = r"x = \mathrm{LN}(x + \mathrm{MHA}(x))"
    entries = [Entry(latex, "Note.md", (), at) for at, latex in enumerate([update, r"x \Phi(x)"])]
    assert Compiler(Linker(entries, library().scope), library()).compiled(entries[1]).equation


@pytest.mark.parametrize(
    ("latex", "form"),
    [
        (r"\mathrm{BLEU} = BP \cdot \prod_{n=1}^N p_n^{w_n}", "output"),
        (r"\mathrm{BLEU} = BP \cdot \prod_{n=1}^4 p_n^{1/4}", "four"),
    ],
)
def test_the_geometric_mean_of_precisions_may_be_a_product(latex: str, form: str) -> None:
    found = said(latex)
    assert found is not None and found[:2] == ("bleu", form)
    # The note's other definition of the same name is not its own, though it defines the penalty.
    penalty = r"BP = \begin{cases} 1 & c > r \\ e^{1 - r/c} & c \le r \end{cases}"
    other = rf"BLEU = BP \exp(\sum_{{n=1}}^N w_n \log P_n), \quad {penalty}"
    found = said(other, latex)
    assert found is not None and found[1] == form


def test_what_is_made_long_as_itself_is_no_embedding() -> None:
    """The scale of token embeddings holds none of what is looked up: this is a power iteration."""
    assert said(r"v \leftarrow \frac{W^\top u}{\|W^\top u\|_2}") is None
