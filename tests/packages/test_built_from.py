"""What is only named is built from what the notes define, or it is told that it is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from building import Package
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import Rendered, render
from notes2code.vault import read_vault

FFN = r"$$\mathrm{FFN}(x) = \mathrm{GELU}(x W_1 + b_1) W_2 + b_2$$"
GATED = r"$$\mathrm{FFN}(x) = (\mathrm{SiLU}(x W_1) \odot x W_3) W_2$$"
ATTENTION = r"$$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d_k}}) V$$"
HEADS = (
    r"$$\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O,"
    r" \quad \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)$$"
)
LAYER = r"""## Layer

$$Z = \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X))$$

$$Y = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z))$$
"""
MODEL = r"""
$$h_0 = U W_e + W_p$$

$$h_l = \mathrm{transformer\_block}(h_{l-1}) \quad \forall l \in [1, n]$$

$$P = \mathrm{softmax}(h_n W_e^\top)$$
"""
BLOCK = r"""## Layer

$$a = x + \mathrm{MHA}(\mathrm{LN}(x))$$

$$y = a + \mathrm{FFN}(\mathrm{LN}(a))$$
"""
Made = Callable[..., Rendered]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """The package of a note of several pieces."""

    def rendered(*pieces: str) -> Rendered:
        (tmp_path / "Note.md").write_text("\n\n".join(pieces) + "\n", encoding="utf-8")
        return render(compile_vault(read_vault(tmp_path), library()), "transformer")

    return rendered


def _classes(rendered: Rendered) -> set[str]:
    return {name.rpartition(".")[2] for name in rendered.classes}


@pytest.mark.parametrize("pieces", [(HEADS, LAYER, "## Encoder"), (HEADS, "## Encoder")])
def test_a_model_that_is_only_named_has_the_notes_layers(
    made: Made, run_tests: Callable[[Package, str, str], bool], pieces: tuple[str, ...]
) -> None:
    rendered = made(FFN, *pieces)
    assert "GeluFeedForward" not in _classes(rendered)
    assert "F.gelu" in rendered.files["transformer/layers.py"]
    assert "F.relu" not in rendered.files["transformer/layers.py"]
    assert run_tests(rendered.files, "-k", "encoder_is_the_formula")


def test_so_has_a_layer(made: Made, run_tests: Callable[[Package, str, str], bool]) -> None:
    rendered = made(GATED, "## Decoder layer")
    assert {"SwiGLU", "DecoderLayer"} <= _classes(rendered)
    assert "FeedForward" not in _classes(rendered)
    assert not rendered.diagnostics
    assert run_tests(rendered.files, "-k", "decoder_layer_is_the_formula")


def test_a_model_calls_the_block_of_its_note(
    made: Made, run_tests: Callable[[Package, str, str], bool]
) -> None:
    mask = r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & \text{else} \end{cases}"
    heads = (
        r"$$\mathrm{MHA}(x) = [\mathrm{head}_1, \dots, \mathrm{head}_h] W^O,"
        r" \quad \mathrm{head}_i = \mathrm{softmax}(\frac{x W_i^Q (x W_i^K)^\top}{\sqrt{d_k}} + M)"
        r" x W_i^V$$"
    )
    rendered = made(MODEL, BLOCK, heads, f"$${mask}$$", FFN)
    assert {"GPT", "TransformerBlock", "CausalSelfAttention"} <= _classes(rendered)
    assert not rendered.diagnostics
    assert run_tests(rendered.files, "-k", "gpt_is_the_formula")


def test_what_is_built_from_the_textbook_instead_is_told(made: Made) -> None:
    (remark,) = made(MODEL, BLOCK, FFN).diagnostics
    assert remark.code == "N2C057"
    assert "GPT" in remark.message and "not from EncoderLayer (Note.md:" in remark.message


@pytest.mark.parametrize(("number", "codes"), [(8, ["N2C057"]), (1, [])])
def test_one_head_where_the_properties_say_more_is_told(
    made: Made, number: int, codes: list[str]
) -> None:
    layer = LAYER.replace("MultiHead", "Attention")
    rendered = made(f"---\nnum_heads: {number}\n---", ATTENTION, layer)
    assert [remark.code for remark in rendered.diagnostics] == codes
    assert made("---\nnum_heads: 8\n---", ATTENTION, HEADS, LAYER).diagnostics == ()


def test_a_model_of_one_head_has_it_whatever_the_properties_say(
    made: Made, run_tests: Callable[[Package], bool]
) -> None:
    attention = ATTENTION.replace(") V$$", " + M) V$$").replace("Attention", "Attn")
    mask = r"$$M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}$$"
    own = r"$$\mathrm{MaskedAttention}(X) = \mathrm{Attn}(X W^Q, X W^K, X W^V)$$"
    files = made("---\nnum_heads: 8\n---", attention, mask, own, MODEL).files
    assert "    num_heads: int = 1\n" in files["transformer/models.py"]
    assert run_tests(files)


def test_a_block_calls_the_one_kind_of_network_that_its_note_defines(made: Made) -> None:
    """The FFN is the FFN_{SwiGLU}; with two kinds, or an FFN, it is none of them."""
    gated = GATED.replace(r"\mathrm{FFN}", r"\mathrm{FFN}_{SwiGLU}")
    other = gated.replace("SwiGLU", "GEGLU").replace("SiLU", "GELU")
    made_of = "self.feed_forward = SwiGLU(d_model, d_ff, dropout)"
    for pieces, taken in [((gated,), True), ((gated, other), False), ((gated, FFN), False)]:
        layers = made(ATTENTION, HEADS, *pieces, LAYER).files["transformer/layers.py"]
        assert (made_of in layers) == taken


def test_a_piece_that_leaves_an_input_out_is_told_what_its_class_is(tmp_path: Path) -> None:
    latex = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top / \sqrt{d_k})"
    (tmp_path / "Note.md").write_text(f"$${latex}$$\n", encoding="utf-8")
    compilation = compile_vault(read_vault(tmp_path), library())
    (problem,) = compilation.formulas[0].diagnostics
    assert problem.code == "N2C080" and "the class computes the whole" in problem.help


@pytest.mark.parametrize(
    "norm",
    [
        r"$$\mathrm{LayerNorm}(x) = \gamma \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta$$",
        r"$$\mathrm{LayerNorm}(x) = \gamma \odot \frac{x - \mu}{\sigma} + \beta$$",
    ],
)
def test_a_stack_knows_what_a_note_leaves_open_in_a_norm(
    norm: str, made: Made, run_tests: Callable[[Package, str, str], bool]
) -> None:
    """The mean and the variance are what they always are, in a layer, a stack and a model."""
    stack = (
        r"$$H_l = \mathrm{EncoderLayer}(H_{l-1}), \quad \mathrm{Encoder}(X) = H_L, \quad H_0 = X$$"
    )
    layer = (
        r"$$Z = \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X)), \quad "
        r"\mathrm{EncoderLayer}(X) = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z))$$"
    )
    rendered = made(norm, ATTENTION, HEADS, FFN, layer, stack)
    assert _classes(rendered) >= {"LayerNorm", "EncoderLayer", "Encoder"}
    assert not rendered.diagnostics
    assert run_tests(rendered.files, "-k", "encoder_is_the_formula")


def test_norms_that_share_a_number_are_those_of_a_stack(
    made: Made, run_tests: Callable[[Package, str, str], bool]
) -> None:
    """The textbook's Encoder calls layers whose norms have an ε each, and the note's have one."""
    norm = r"$$\mathrm{LayerNorm}(x) = \gamma \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta$$"
    rendered = made(norm, FFN, LAYER, "## Encoder")
    assert not rendered.diagnostics
    assert run_tests(rendered.files, "-k", "encoder_is_the_formula")


MASKED = r"""$$\mathrm{Attention}(Q, K, V) =
\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right) V, \quad
M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}$$
"""
SHARING = r"""$$\mathrm{GQA}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O,
\quad \mathrm{head}_i = \mathrm{Attention}(X W_i^Q, X W_{\lceil i g / h \rceil}^K,
X W_{\lceil i g / h \rceil}^V)$$
"""


@pytest.mark.parametrize(
    ("pieces", "needed"),
    [
        (("## Causal attention", MASKED), False),
        (("## Masked attention", MASKED, SHARING), False),
        (("## Causal self-attention", MASKED, SHARING), False),
        (("## Masked multi-head attention", MASKED, SHARING), False),
        (("## Causal self-attention", MASKED), True),  # of which nothing has projections
        (("## Masked multi-head attention", MASKED), True),
        (("## Causal attention", MASKED.replace(" + M", "")), True),  # of which nothing is causal
        (("## Masked attention",), True),
    ],
)
def test_a_name_that_a_formula_has_makes_no_other_class(
    made: Made, pieces: tuple[str, ...], needed: bool
) -> None:
    assert ("CausalSelfAttention" in _classes(made(*pieces))) == needed


OF_THREE = SHARING.replace("(X)", "(Q, K, V)").replace("(X W", "(Q W")
OF_THREE = OF_THREE.replace(", X W", ", K W").replace("\nX W", "\nV W")
STACKS = (
    r"$$\mathrm{EncoderLayer}(X) = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z)), \quad "
    r"Z = \mathrm{LayerNorm}(X + \mathrm{GQA}(X, X, X))$$",
    r"$$\mathrm{DecoderLayer}(Y, H) = \mathrm{LayerNorm}(B + \mathrm{FFN}(B)), \quad "
    r"B = \mathrm{LayerNorm}(A + \mathrm{GQA}(A, H, H)), \quad "
    r"A = \mathrm{LayerNorm}(Y + \mathrm{MaskedMultiHead}(Y))$$",
    "# The Transformer, with an encoder and a decoder",
    "## Encoder and decoder",
)


def test_towers_of_heads_that_share_keys_and_values(
    made: Made, run_tests: Callable[..., bool]
) -> None:
    """Those of an encoder have one sequence for all three, those of a decoder two."""
    rendered = made(MASKED.replace(" + M", ""), OF_THREE, *STACKS)
    assert not rendered.diagnostics
    layers = rendered.files["transformer/layers.py"]
    assert layers.count("GroupedQueryAttention(\n") == 2
    assert {"Encoder", "Decoder", "EncoderDecoder"} <= _classes(rendered)
    assert run_tests(rendered.files, "tests/test_layers.py", "tests/test_models.py")


NORM = (
    r"$$\mathrm{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta, \quad "
    r"\mu = \frac{1}{d} \sum_{i=1}^{d} x_i, \quad "
    r"\sigma^2 = \frac{1}{d} \sum_{i=1}^{d} (x_i - \mu)^2$$"
)
SELF = HEADS.replace("MultiHead}(Q, K, V)", "MSA}(X)").replace("(Q W", "(X W")
SELF = SELF.replace(", K W", ", X W").replace(", V W", ", X W")
RECURSION = r"""$$z_l' = \mathrm{MSA}(\mathrm{LN}(z_{l-1})) + z_{l-1}, \quad l = 1, \dots, L$$

$$z_l = \mathrm{FFN}(\mathrm{LN}(z_l')) + z_l'$$
"""


def test_layers_one_after_another_are_a_stack(made: Made) -> None:
    """Also where their input is said to be made of an image x, which is none of the norm's x."""
    image = r"An image is $x \in \mathbb{R}^{H \times W \times C}$."
    rendered = made(image, NORM, FFN, ATTENTION, SELF, "## The tower", RECURSION)
    assert not rendered.diagnostics
    assert {"EncoderLayer", "Encoder", "LayerNorm"} <= _classes(rendered)
    assert "Encoder" not in _classes(
        made(FFN, ATTENTION, SELF, LAYER.replace("MultiHead}(X, X, X", "MSA}(X"))
    )


@pytest.mark.parametrize("formula", [FFN, GATED])
def test_a_gated_layer_is_the_feed_forward_layer_of_its_heading(made: Made, formula: str) -> None:
    classes = _classes(made(ATTENTION, "## Feed-forward", formula))
    assert ("FeedForward" in classes) == (formula is FFN)


BERT = "# Encoder layer\n\n" + LAYER.removeprefix("## Layer\n\n")
LLAMA = r"""$$\begin{aligned}
h &= x + \mathrm{Attention}(\mathrm{RMSNorm}(x)) \\
\mathrm{out} &= h + \mathrm{FFN}(\mathrm{RMSNorm}(h))
\end{aligned}$$"""


@pytest.mark.parametrize(("layer", "model"), [(BERT, "GPT"), (LLAMA, "GPT"), (LLAMA, "Encoder")])
def test_a_model_that_is_only_named_has_no_layer_that_cannot_be_its_own(
    layer: str, model: str, made: Made
) -> None:
    """One that sees what comes later is none of a GPT, and one without weights to attend has no
    heads."""
    rendered = made(ATTENTION, HEADS, FFN, layer, f"# {model}")
    models = rendered.files["transformer/models.py"]
    assert _classes(rendered) >= {model, "FeedForward"}
    expected = "TransformerBlock" if model == "GPT" else "EncoderLayer"
    assert f"{expected}(" in models and ("LayerNorm" in models) <= (model != "GPT")
    assert [remark.code for remark in rendered.diagnostics] == ["N2C057"]


def test_a_model_calls_a_norm_as_the_notes_have_it(
    made: Made, run_tests: Callable[[Package, str, str], bool]
) -> None:
    """Which need not be called by its name there, and may add nothing to the root."""
    norm = r"$$\bar a_i = \frac{a_i}{\mathrm{RMS}(a)} g_i, \quad \mathrm{RMS}(a) = "
    norm += r"\sqrt{\frac{1}{n} \sum_{i=1}^{n} a_i^2}$$"
    layer = LLAMA.replace("Attention}(", "CausalSelfAttention}(")
    rendered = made(ATTENTION, FFN, norm, layer, "# GPT")
    assert {"GPT", "RMSNorm"} <= _classes(rendered)
    assert not rendered.diagnostics
    assert run_tests(rendered.files, "-k", "gpt_is_the_formula")


RMS = (
    r"$$\mathrm{RMSNorm}(x) = "
    r"\frac{x}{\sqrt{\frac{1}{d} \sum_{i=1}^{d} x_i^2 + \epsilon}} \odot \gamma$$"
)
SWIGLU = r"$$\mathrm{SwiGLU}(x) = (\mathrm{Swish}(x W) \odot x V) W_2$$"


@pytest.mark.parametrize(
    ("pieces", "named"),
    [((RMS,), "GPT"), ((RMS, SWIGLU), "GPT"), ((RMS,), "Decoder"), ((SWIGLU,), "Encoder")],
)
def test_a_model_calls_another_kind_of_layer_that_is_written_as_the_textbook_has_it(
    pieces: tuple[str, ...],
    named: str,
    made: Made,
    run_tests: Callable[[Package, str, str], bool],
) -> None:
    """Its formula calls a LayerNorm and an FFN, with other weights."""
    rendered = made(*pieces, f"# Attention\n\n## {named}")
    assert ("RMSNorm" in _classes(rendered), "SwiGLU" in _classes(rendered)) == (
        RMS in pieces,
        SWIGLU in pieces,
    )
    assert named in _classes(rendered)
    assert not rendered.diagnostics
    assert run_tests(rendered.files, "-k", f"{named.lower()}_is_the_formula")


CROSS = r"""$$a = \mathrm{LayerNorm}(x + \mathrm{MaskedMHA}(x))$$

$$c = \mathrm{LayerNorm}(a + \mathrm{CrossAttn}(a, m, m))$$

$$y = \mathrm{LayerNorm}(c + \mathrm{FFN}(c))$$
"""


def test_a_layer_gives_the_keys_again_as_values(
    made: Made, run_tests: Callable[[Package, str, str], bool]
) -> None:
    rendered = made(ATTENTION, CROSS)
    assert {"DecoderLayer", "CrossAttention"} <= _classes(rendered)
    assert not rendered.diagnostics
    assert run_tests(rendered.files, "-k", "decoder_layer_is_the_formula")


@pytest.mark.parametrize(("norm", "told"), [("LayerNorm", False), ("Norm", True), ("LN", True)])
def test_a_formula_says_which_norm_it_calls(made: Made, norm: str, told: bool) -> None:
    rendered = made(RMS, BLOCK.replace("LN", norm))
    assert any("textbook's LayerNorm" in d.message for d in rendered.diagnostics) == told


TURN = r"""## Positions

$$\mathrm{RoPE}(x)_{m,2i} = x_{m,2i} \cos(m\theta_i) - x_{m,2i+1} \sin(m\theta_i), \quad
\mathrm{RoPE}(x)_{m,2i+1} = x_{m,2i} \sin(m\theta_i) + x_{m,2i+1} \cos(m\theta_i), \quad
\theta_i = 10000^{-2i/d}$$
"""
MASK = r"M_{ij} = \begin{cases} 0 & 0 \le i - j < 8 \\ -\infty & \text{otherwise} \end{cases}"
FAR = r"$$D_{ij} = -\frac{i - j}{2}$$"
SCORES = r"\frac{X W_i^Q (X W_i^K)^\top}{\sqrt{d_k}} + M"
TURNED = r"\frac{\mathrm{RoPE}(X W_i^Q) \mathrm{RoPE}(X W_i^K)^\top}{\sqrt{d_k}} + M"
MHA = r"""$$\mathrm{MHA}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad
\mathrm{head}_i = \mathrm{softmax}\left(SCORES\right) X W_i^V, \quad MASK$$
"""
NO_PLACES = MODEL.replace(" + W_p", "").replace(r"transformer\_block", "Block")
HEADED = BLOCK.replace("y =", r"\mathrm{Block}(x) =")


@pytest.mark.parametrize(
    ("turn", "scores", "model", "told"),
    [
        (TURN, SCORES, NO_PLACES, 1),
        (TURN, TURNED, NO_PLACES, 0),
        (TURN, SCORES + " + D", NO_PLACES, 0),
        (TURN, SCORES, NO_PLACES.replace("U W_e", "U W_e + W_p"), 0),
        ("", SCORES, NO_PLACES, 0),
    ],
)
def test_positions_that_a_model_does_not_have_are_told(
    made: Made, turn: str, scores: str, model: str, told: int
) -> None:
    heads = MHA.replace("SCORES", scores).replace("MASK", MASK)
    rendered = made(turn, heads, FAR if "D" in scores else "", HEADED, model)
    assert "GPT" in _classes(rendered)
    doubts = [d.message for d in rendered.diagnostics if d.code == "N2C057"]
    assert sum("RotaryEmbedding" in doubt and "has no use" in doubt for doubt in doubts) == told


@pytest.mark.parametrize(
    ("named", "positions", "told"),
    [
        ("## GPT", TURN, True),
        ("## The Transformer, an encoder and a decoder", TURN, True),
        ("## GPT", "", False),
        ("## GPT", r"$$x = E[t] + P[0:n]$$", False),
        (MODEL, TURN, False),
    ],
)
def test_positions_that_a_named_model_does_not_have_are_told(
    made: Made, named: str, positions: str, told: bool
) -> None:
    doubts = [d.message for d in made("# Attention", named, positions).diagnostics]
    assert any("positions are the textbook's, and RotaryEmbedding" in d for d in doubts) == told


@pytest.mark.parametrize(("name", "other"), [("SelfAttention", False), ("MultiHead", True)])
def test_a_name_that_a_note_gives_its_heads_makes_no_other_class(
    made: Made, name: str, other: bool
) -> None:
    heads = HEADS.replace("MultiHead}(Q, K, V)", f"{name}}}(X)")
    for letter in "QKV":
        heads = heads.replace(f"{letter} W_i", "X W_i")
    classes = _classes(made(ATTENTION, "## Self-attention", heads))
    assert "MultiHeadAttention" in classes and ("SelfAttention" in classes) == other


def test_a_connection_around_what_is_called_as_one_is_not_built_from_itself(
    tmp_path: Path, run_tests: Callable[[Package], bool]
) -> None:
    """The sublayer of one note is the residual connection of another."""
    inner = r"\text{Sublayer}(x) = \text{LayerNorm}(x + \text{Dropout}(\text{SelfAttention}(x)))"
    outer = r"\text{Out} = \text{LayerNorm}(x + \text{Sublayer}(x))"
    for name, formula in (("Layer", outer), ("Sublayer", inner)):
        (tmp_path / f"{name}.md").write_text(f"$${formula}$$\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert list(rendered.classes) == ["transformer.layers.LayerNorm", "transformer.layers.AddNorm"]
    assert run_tests(rendered.files)


def test_an_example_of_attention_is_not_what_heads_call(made: Made) -> None:
    shown = r"$$\mathrm{Attention}(q_2, K, V) = \alpha_1 v_1 + \alpha_2 v_2$$"
    rendered = made("## Attention", ATTENTION, "## Heads", HEADS, "## Example", shown)
    assert "MultiHeadAttention" in _classes(rendered)
    assert not {"N2C035", "N2C053", "N2C056"} & {one.code for one in rendered.diagnostics}


STEPS = r"""## Block

$$a = \mathrm{RMSNorm}(x)$$

$$r = x + F(a)$$

$$u = \mathrm{RMSNorm}(r)$$

$$f = (\mathrm{SiLU}(u W_1) \odot (u W_3)) W_2$$

$$y = r + f$$
"""


def test_a_residual_is_no_bias(made: Made) -> None:
    rendered = made(STEPS)
    assert {"PreNorm", "RMSNorm", "SwiGLU"} <= _classes(rendered)
    assert not {name for name in _classes(rendered) if "Biased" in name}


@pytest.mark.parametrize("computed", [r"b_2 := b_2 - \eta g_2", r"b_1 = -W_1 \mu"])
def test_a_bias_that_is_trained_or_folded_is_one(tmp_path: Path, computed: str) -> None:
    note = f"# Feed forward\n\n{FFN}\n\n$${computed}$$\n"
    (tmp_path / "Note.md").write_text(note, encoding="utf-8")
    first, _ = compile_vault(read_vault(tmp_path), library()).formulas
    assert first.compiled.recognised is not None


def test_the_class_of_a_sequence_is_no_token(made: Made) -> None:
    tuned = r"$$P(y \mid x^1, \ldots, x^m) = \mathrm{softmax}(h_l^m W_y)$$"
    rendered = made("# GPT", MODEL, "## Fine-tuning", tuned)
    assert [name for name in _classes(rendered) if "GPT" in name] == ["GPT"]


def test_the_next_token_of_a_sequence_is_one(made: Made) -> None:
    ahead = MODEL.replace("$$P = ", r"$$P(x_t \mid x_1, \ldots, x_{t-1}) = ").replace(
        r"W_e^\top)", "W)"
    )
    assert "GPT" in _classes(made("# Language model", ahead))


@pytest.mark.parametrize("word", ["w", "y_t", r"\text{next}"])
def test_the_next_token_may_have_another_letter_than_those_before_it(made: Made, word: str) -> None:
    ahead = MODEL.replace("$$P = ", rf"$$P({word} \mid x_1, \ldots, x_t) = ").replace(
        r"W_e^\top)", "W)"
    )
    assert "GPT" in _classes(made("# Model", ahead))
