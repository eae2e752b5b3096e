"""Pages that write a whole layer out, where one formula means what another computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from building import Package, without_training
from notes2code.compilation import Compilation, compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault
from tables import softmax

HEADS = r"""
We have $Z \in \mathbb{R}^{N \times D}$ and heads $c = 1, \dots, C$:
$$ Q_c = Z U_c^Q, \quad K_c = Z U_c^K, \quad V_c = Z U_c^V $$
$$ P_c = \mathrm{softmax}\left(\frac{Q_c K_c^\top}{\sqrt{D / C}}%s\right) $$
$$ Y = [P_1 V_1, \dots, P_C V_C] \, U^O $$
"""
LAYER = r"""
$$ Z \leftarrow Z + \mathrm{MHSA}(\mathrm{LayerNorm}(Z)) $$
$$ Z \leftarrow Z + \mathrm{FFN}(\mathrm{LayerNorm}(Z)) $$
$$ \mathrm{FFN}(z) = \mathrm{ReLU}(z A_1 + a_1) A_2 + a_2 $$
"""
MASKED = "where $M$ is the look-ahead mask.\n"
Vault = Callable[[str], Compilation]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Compile one note."""

    def compiled(text: str) -> Compilation:
        (tmp_path / "Note.md").write_text(text, encoding="utf-8")
        return compile_vault(read_vault(tmp_path), library())

    return compiled


@pytest.mark.parametrize("causal", [False, True])
def test_the_page_s_own_heads_are_those_of_its_layer(
    causal: bool,
    vault: Vault,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    page = HEADS % (" + M" if causal else "") + (MASKED if causal else "") + LAYER
    rendered = render(vault(page), "transformer")
    assert {problem.code for problem in rendered.diagnostics} == set()
    package = imported(rendered.files)
    layer = (package.TransformerBlock if causal else package.EncoderLayer)(6, 2, 8).double()
    z = torch.randn(1, 4, 6, dtype=torch.float64)
    weights = ["U_Q", "U_K", "U_V", "U_O"]
    torch.testing.assert_close(layer(z), _by_hand(layer, weights, z, causal))
    assert run_tests(rendered.files)


def _by_hand(layer: Any, weights: list[str], z: torch.Tensor, causal: bool) -> torch.Tensor:
    """A pre-norm layer of two heads, whose attention has these weights."""
    q, k, v, o = (getattr(layer.attention, name).weight.detach().numpy().T for name in weights)
    rows = layer.attention_norm(z)[0].detach().numpy()
    hidden = np.where(np.tri(4, dtype=bool) | (not causal), 0, -np.inf)
    heads = [
        softmax(rows @ q[:, own] @ (rows @ k[:, own]).T / np.sqrt(3) + hidden) @ rows @ v[:, own]
        for own in (slice(0, 3), slice(3, 6))
    ]
    between = z + torch.as_tensor(np.concatenate(heads, axis=-1) @ o)
    made: torch.Tensor = between + layer.feed_forward(layer.feed_forward_norm(between))
    return made


DECODER = r"""
$$ \mathrm{Attn}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) V $$
where $M$ is the causal mask, and
$$ \mathrm{CausalAttention}(x) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W_o $$
$$ \begin{aligned}
y &= x + \mathrm{CausalAttention}(\mathrm{LN}_1(x)) \
z &= y + \mathrm{MLP}(\mathrm{LN}_2(y))
\end{aligned} $$
with $\mathrm{MLP}(x) = \mathrm{GELU}(x A_1 + a_1) A_2 + a_2$. The whole model:
$$ h_0 = U E + P $$
$$ h_l = \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, L $$
$$ p(u) = \mathrm{softmax}(h_L E^\top) $$
"""
SIZES = {"vocab_size": 11, "max_len": 8, "d_model": 6, "num_heads": 2, "num_layers": 2, "d_ff": 8}


def test_a_model_is_made_of_the_page_s_own_block(
    vault: Vault,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    compiled = vault(DECODER)
    assert "N2C030" not in {problem.code for problem in compiled.diagnostics()}
    rendered = render(compiled, "transformer")
    assert not rendered.diagnostics
    package = imported(rendered.files)
    model = package.GPT(package.GPTConfig(**SIZES))
    block = model.layers[1].double().eval()
    x = torch.randn(1, 4, 6, dtype=torch.float64)
    by_hand = _by_hand(block, ["W_Q", "W_K", "W_V", "W_o"], x, causal=True)
    torch.testing.assert_close(block(x), by_hand)
    assert run_tests(without_training(rendered.files))


def test_the_page_s_own_heads_are_told_to_be_meant(vault: Vault) -> None:
    said = [p.message for p in vault(HEADS % "" + LAYER).diagnostics() if p.code == "N2C039"]
    assert "`MHSA` is taken to be what the note computes in line 5" in said


def test_which_of_two_is_meant_is_not_guessed(vault: Vault) -> None:
    two = HEADS % "" + "\n# Other heads\n" + (HEADS % "").replace("Y =", "Y' =") + LAYER
    assert any(
        p.code == "N2C030" and p.message.startswith("`MHSA` is not defined")
        for p in vault(two).diagnostics()
    )


def test_what_hides_nothing_is_no_causal_attention(vault: Vault) -> None:
    page = HEADS % "" + LAYER.replace("MHSA", "CausalSelfAttention")
    codes = [p.code for p in vault(page).diagnostics() if "CausalSelfAttention" in p.message]
    assert codes == ["N2C030"]


def test_heads_with_a_table_that_no_class_has_are_told(vault: Vault) -> None:
    page = r"""
$$ w_{ij} = \mathrm{softmax}_j(q_i^\top k_j + r_{j-i}) $$

A decoder layer:
$$ y \leftarrow y + \mathrm{SelfAttn}(\mathrm{LayerNorm}(y)) $$
$$ y \leftarrow y + \mathrm{CrossAttn}(\mathrm{LayerNorm}(y), x) $$
$$ y \leftarrow y + \mathrm{FFN}(\mathrm{LayerNorm}(y)) $$
"""
    rendered = render(vault(page), "transformer")
    told = [p.message for p in rendered.diagnostics if p.code == "N2C053"]
    assert any("table of distances" in message for message in told)
    assert "transformer/attention.py" in rendered.files


def test_a_norm_of_another_note_is_that_of_the_layer(tmp_path: Path) -> None:
    """LN is no logarithm, which would be the same in all notes."""
    norm = r"""
$$ \mathrm{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta $$
"""
    layer = r"""
$$ s = \mathrm{LN}(u + \mathrm{MHA}(u, u, u)) $$
$$ t = \mathrm{LN}(s + \mathrm{FFN}(s)) $$
"""
    (tmp_path / "Norm.md").write_text(norm, encoding="utf-8")
    (tmp_path / "Layer.md").write_text(layer, encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert rendered.classes["transformer.layers.LayerNorm"][0].note == "Norm.md"
    assert not [one for one in rendered.diagnostics if one.code == "N2C057"]


def test_a_typed_page_is_read_line_by_line(vault: Vault) -> None:
    page = """```
LayerNorm(x) = γ * (x - mean(x)) / sqrt(var(x) + eps) + β
MultiHead(Q, K, V) = Concat(head_1, ..., head_h) · W_O

where head_i = Attention(Q·W_Qi, K·W_Ki, V·W_Vi)

W_O ∈ ℝ^(h·d_v × d_model)  [the output projection]
var x = 3
```
"""
    found = [f.compiled.recognised for f in vault(page).formulas]
    names = [one.component.name for one in found if one is not None]
    assert names == ["layer_norm", "multi_head_attention", "multi_head_attention"]


def _of_notes(folder: Path, **notes: str) -> Compilation:
    """Compile some notes."""
    for title, text in notes.items():
        (folder / f"{title}.md").write_text(text, encoding="utf-8")
    return compile_vault(read_vault(folder), library())


LENT = r"$$ A(Q, K, V) = \mathrm{softmax}(Q K^\top) V $$"
LENT_HEADS = r"""
$$ \mathrm{MHA}(Q, K, V) = [h_1; \dots; h_H] W^O, \quad h_i = A(Q W_i^Q, K W_i^K, V W_i^V) $$
"""


def test_a_letter_of_three_arguments_is_that_of_another_note(tmp_path: Path) -> None:
    compiled = _of_notes(tmp_path, One=LENT, Other=LENT_HEADS)
    (heads,) = (f for f in compiled.formulas if f.note.path == "Other.md")
    assert heads.compiled.recognised and heads.compiled.recognised.component.name == (
        "multi_head_attention"
    )
    assert "scale" not in heads.compiled.recognised.settings
    said = [problem.message for problem in heads.diagnostics]
    assert said == ["`A` is taken to be that of One.md, the only one in the vault"]


def test_a_letter_that_cannot_be_read_there_is_taken_from_nowhere(tmp_path: Path) -> None:
    compiled = _of_notes(tmp_path, One="$$ A(x, y, z) = x y z + 1 $$", Other=LENT_HEADS)
    (heads,) = (f for f in compiled.formulas if f.note.path == "Other.md")
    said = [one.message for one in heads.diagnostics if "`A`" in one.message]
    assert len(said) == 1 and said[0].startswith("`A` is not defined in the notes: it is an input")


@pytest.mark.parametrize("other", ["$$ A = X W $$", LENT.replace("Q, K, V", "Q, K")])
def test_a_letter_that_may_be_another_is_not(other: str, tmp_path: Path) -> None:
    """It is an array here, or gets something else there."""
    notes = {"Other": other + LENT_HEADS} if "X" in other else {"Two": other, "Other": LENT_HEADS}
    compiled = _of_notes(tmp_path, One=LENT, **notes)
    assert not any("that of One.md" in problem.message for problem in compiled.diagnostics())


OF_HEADS = r"""
$$ %s = [h_1; \dots; h_H] W_O $$
$$ h_i = \mathrm{softmax}\left(\frac{Q_i K_%s^\top}{\sqrt{d_k}}\right) V_%s $$
"""
PROJECTED = "the `Q`, `K` and `V` of each head are taken to be projections of what `MHA` is given"


@pytest.mark.parametrize(
    ("head", "key", "layer"),
    [
        (r"\mathrm{MHA}(x)", "i", r"$$ x = x + \mathrm{MHA}(\mathrm{LN}(x)) $$"),
        (r"\mathrm{MHA}(Q, K, V)", "i", r"$$ x = x + \mathrm{MHA}(x, x, x) $$"),
        (r"\mathrm{MHA}(x)", "{g(i)}", r"$$ x = x + \mathrm{MHA}(\mathrm{LN}(x)) $$"),
    ],
)
def test_heads_whose_queries_no_note_makes_are_projected(
    head: str, key: str, layer: str, vault: Vault
) -> None:
    compiled = vault(OF_HEADS % (head, key, key) + layer)
    joined, _, whole = (f.compiled for f in compiled.formulas)
    assert joined.recognised and "attention" in joined.recognised.component.name
    assert {one.name for one in joined.recognised.equation.inputs} >= {"W_Q", "W_K", "W_V", "W_O"}
    assert whole.equation and "W_Q" in {one.name for one in whole.equation.inputs}
    assert [p.message for p in compiled.diagnostics()].count(PROJECTED) == 1


@pytest.mark.parametrize("made", [r"$$ Q = x W $$", r"$$ K_i = x A_i $$"])
def test_those_that_a_note_makes_are_not(made: str, vault: Vault) -> None:
    page = OF_HEADS % (r"\mathrm{MHA}(x)", "i", "i") + made
    assert PROJECTED not in {problem.message for problem in vault(page).diagnostics()}


@pytest.mark.parametrize(
    ("functions", "score"),
    [
        ((r"\mathrm{MHA}(Y)", r"\mathrm{Cross}(A, B, C)"), r"Q_i K_i^\top"),
        ((r"\mathrm{MHA}(X, M, h)",), r"Q_i K_i^\top + M"),
        ((r"\mathrm{MHA}(X, Y, h)",), r"Q_i K_i^\top"),
    ],
)
def test_those_of_several_functions_or_of_a_mask_are_not(
    functions: tuple[str, ...], score: str, vault: Vault
) -> None:
    joined = [rf"$$ {one} = [head_1, \dots, head_h] W $$" for one in functions]
    page = "\n".join([*joined, rf"$$ head_i = \mathrm{{softmax}}({score}) V_i $$"])
    said = [problem.message for problem in vault(page).diagnostics()]
    assert not any("to be projections of what" in one for one in said)


def test_updates_one_after_another_contradict_nothing(vault: Vault) -> None:
    page = r"""
1. $x \gets \mathrm{LN}(x + \mathrm{MHA}(x, x, x))$
2. $x \gets \mathrm{LN}(x + \mathrm{FFN}(x))$

Then
1. $y \gets \mathrm{LN}(y + \mathrm{MHA}(y, x, x))$
2. $y \gets \mathrm{LN}(y + \mathrm{FFN}(y))$
"""
    assert "N2C035" not in {problem.code for problem in vault(page).diagnostics()}


def test_a_layer_that_no_heads_are_defined_for_is_that_of_its_stack(vault: Vault) -> None:
    """What the heads may be is looked for in formulas that wait for the layer themselves."""
    compiled = vault(r"""
$$ \mathrm{Enc}(X) = H_N, \quad H_l = \mathrm{EncLayer}(H_{l-1}), \quad H_0 = X $$
$$ \mathrm{EncLayer}(x) = \mathrm{LN}(z + \mathrm{FFN}(z)), \quad
z = \mathrm{LN}(x + \mathrm{MHA}(x, x, x)) $$
$$ p = \mathrm{softmax}(\mathrm{Enc}(X) W) $$
""")
    stack, layer, whole = (f.compiled.equation for f in compiled.formulas)
    assert stack and layer and whole
    weights = {one.name for one in layer.inputs if one.name not in layer.parameters}
    assert weights < {one.name for one in stack.inputs}
    assert weights < {one.name for one in whole.inputs}


BIASED = r"$$ Q_i = x W_i^Q + b_i $$"


@pytest.mark.parametrize(
    ("made", "scores", "usual"), [("", "", True), (BIASED, "", False), (BIASED, " + M", False)]
)
def test_heads_with_a_mask_or_a_bias_that_no_formula_projects_are_no_textbook_s(
    made: str, scores: str, usual: bool, vault: Vault
) -> None:
    """A class of what joins them would hide nothing, or lack the bias, without a word."""
    page = OF_HEADS % (r"\mathrm{MHA}(x)", "i", "i") + made
    compiled = vault(
        page.replace("h_", r"\mathrm{head}_").replace("}}\\right", f"}}}}{scores}\\right")
    )
    joined = compiled.formulas[0].compiled.recognised
    assert (joined is not None and "O" in joined.component.names) == usual


CUT = r"""
$$ \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V $$

$$ \mathrm{head}_i = \mathrm{Attention}(Q_i, K_i, V_i) $$

$$ \mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) $$

$$ \mathrm{SelfAttention}(z) = W_O \, \mathrm{MultiHead}(W_Q z, W_K z, W_V z) $$
"""


def test_heads_have_their_parts_of_what_the_note_projects(
    vault: Vault,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    """There are no projections of projections."""
    rendered = render(vault(CUT), "transformer")
    assert rendered.diagnostics == ()
    assert run_tests(rendered.files)
    attention = imported(rendered.files).MultiHeadAttention(6, 2).double()
    assert sum(weight.numel() for weight in attention.parameters()) == 4 * 6 * 6
    z = torch.randn(1, 4, 6, dtype=torch.float64)
    of = {name: weight.detach().numpy() for name, weight in attention.named_parameters()}
    q, k, v = (z[0].numpy() @ of[f"W_{name}.weight"].T for name in "QKV")
    heads = [
        softmax(q[:, own] @ k[:, own].T / np.sqrt(3)) @ v[:, own]
        for own in (slice(0, 3), slice(3, 6))
    ]
    wanted = np.concatenate(heads, -1) @ of["W_O.weight"].T
    np.testing.assert_allclose(attention(z)[0].detach().numpy(), wanted, atol=1e-9)
