"""What cannot be written as code is left out with all that is built on it, and that is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from building import Package
from notes2code.compilation import Compilation, compile_vault
from notes2code.components.library import library
from notes2code.diagnostics import Severity
from notes2code.emit.graph import EmitError
from notes2code.emit.view import View
from notes2code.inspection import facts
from notes2code.passing import passing
from notes2code.rendering import render
from notes2code.vault import read_vault
from notes2code.verify import Failure, Verdict, verify

FFN = r"\mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2"
NORM = r"\mathrm{AddNorm}(x) = \mathrm{LayerNorm}(x + \mathrm{FFN}(x))"
Vault = Callable[..., Compilation]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Compile one note."""

    def compiled(text: str) -> Compilation:
        (tmp_path / "Note.md").write_text(text, encoding="utf-8")
        return compile_vault(read_vault(tmp_path), library())

    return compiled


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no activation be written as code."""

    def refuse(*_: object, **__: object) -> str:
        raise EmitError("this activation has no code")

    monkeypatch.setattr(View, "code", refuse)


def test_of_several_definitions_the_usual_one_is_meant(tmp_path: Path) -> None:
    """A slip in one note does not become the attention of another note's heads."""
    notes = {
        "Slip": r"\mathrm{Attention}(Q, K, V) = QK^\top V",
        "Usual": r"\mathrm{Attention}(Q, K, V) = "
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V",
        "Heads": r"\mathrm{MultiHead}(Q, K, V) = "
        r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
        r"\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)",
    }
    for name, latex in notes.items():
        (tmp_path / f"{name}.md").write_text(f"$$\n{latex}\n$$\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert "class MultiHeadAttention" in rendered.files["transformer/attention.py"]
    assert not rendered.diagnostics


def test_what_a_softmax_does_not_see_is_not_added(vault: Vault) -> None:
    rendered = render(vault(r"$$e_{ij} = \frac{q_i^\top k_j}{\sqrt{d_k}} + c$$"), "transformer")
    (told,) = rendered.diagnostics
    assert told.code == "N2C053"
    assert "a softmax does not see it" in told.message


HEADS_OF_A_NOTE = r"""
$$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top / 3) V$$

$$\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)$$

$$Z = \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X))$$

$$Y = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z))$$
"""


def test_a_layer_is_built_on_heads_that_are_all_a_note_gives(
    vault: Vault, run_tests: Callable[[Package], bool]
) -> None:
    rendered = render(vault(HEADS_OF_A_NOTE), "transformer")
    assert "class EncoderLayer" in rendered.files["transformer/layers.py"]
    assert run_tests(rendered.files)


def test_a_layer_has_no_scores_for_a_fixed_number_of_positions(vault: Vault) -> None:
    compilation = vault(
        r"""
$$\mathrm{Synthesizer}(X) = \mathrm{softmax}(\mathrm{ReLU}(X A + a) B + b)(X V)$$

$$\mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2$$

## Layer

$$Z = \mathrm{LayerNorm}(X + \mathrm{Synthesizer}(X)), \quad
Y = \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z))$$
"""
    )
    rendered = render(compilation, "transformer")
    assert "class SynthesizerAttention" in rendered.files["transformer/attention.py"]
    assert "class EncoderLayer" not in rendered.files.get("transformer/layers.py", "")
    assert any("a fixed number of positions" in told.message for told in rendered.diagnostics)


def test_a_part_that_cannot_be_written_is_left_out(vault: Vault, unwritable: None) -> None:
    compilation = vault(f"$$\n{FFN}\n$$\n\n## Layer norm\n")
    rendered = render(compilation, "transformer")
    assert not any("class FeedForward" in text for text in rendered.files.values())
    (formula,) = compilation.formulas
    assert formula.id not in rendered.emitted
    (remark,) = rendered.remarks[formula.id]
    assert (remark.code, remark.severity) == ("N2C053", Severity.WARNING)
    assert (remark.path, remark.line) == ("Note.md", 2)
    assert "FeedForward" in remark.message and "no code" in remark.message


def test_so_is_what_is_built_on_it(vault: Vault, unwritable: None) -> None:
    compilation = vault(f"$${FFN}$$\n\n$${NORM}$$\n")
    rendered = render(compilation, "transformer")
    _, norm = compilation.formulas
    assert norm.compiled.status == "component"
    (remark,) = rendered.remarks[norm.id]
    assert "it is built on " in remark.message
    assert not any("class AddNorm" in text for text in rendered.files.values())
    found = facts(compilation, rendered.emitted, rendered.remarks)
    codes = [[d["code"] for d in formula["diagnostics"]] for formula in found["formulas"]]
    assert codes == [["N2C053"], ["N2C053"]]


def test_so_is_what_only_that_needs(vault: Vault) -> None:
    """A GPT is made of blocks; without it, there is no use for the textbook's."""
    block = (
        r"Z = X + \tanh(\mathrm{LayerNorm}(X) W), \quad "
        r"\mathrm{Block}(X) = Z + \mathrm{FFN}(\mathrm{LayerNorm}(Z))"
    )
    model = (
        r"h_0 = U W_e + W_p, \quad h_l = \mathrm{Block}(h_{l-1}), \quad "
        r"P = \mathrm{softmax}(\mathrm{LayerNorm}(h_N) W_e^\top)"
    )
    compilation = vault(f"$${FFN}$$\n\n$${block}$$\n\n$${model}$$\n")
    rendered = render(compilation, "transformer")
    assert any("GPT is left out" in remark.message for remark in rendered.diagnostics)
    assert {name.split(".")[-1] for name in rendered.classes} == {"FeedForward"}


def test_what_is_only_named_is_told_at_its_name(vault: Vault, unwritable: None) -> None:
    compilation = vault("# Layers\n\n## Feed forward\n\nTwo linear maps.\n")
    rendered = render(compilation, "transformer")
    (remark,) = rendered.remarks["Note.md"]
    assert remark.code == "N2C053" and remark.line == 3


ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top / \sqrt{d_k}) V"
HEADS = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O,"
    r"\quad \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)"
)
AROUND = r"y = \mathrm{LayerNorm}(x + \mathrm{MultiHead}(x))"


def test_a_formula_for_each_head_does_not_speak_for_the_class(vault: Vault) -> None:
    """The class is made of the formula without heads, wherever it stands."""
    head = r"\mathrm{head}_i = \mathrm{Attention}(X W_i^Q, X W_i^K, X W_i^V)"
    whole = r"O = \mathrm{softmax}(X W^Q (X W^K)^\top / \sqrt{d_k}) X W^V"
    rendered = render(vault(f"$${ATTENTION}$$\n\n$${head}$$\n\n$${whole}$$\n"), "transformer")
    assert any("class SelfAttention" in text for text in rendered.files.values())
    assert not rendered.remarks


@pytest.mark.parametrize("defined", ["", f"$${ATTENTION}$$\n\n$${HEADS}$$\n\n"])
def test_a_sublayer_of_three_arrays_given_one(
    vault: Vault, run_tests: Callable[[Package], bool], defined: str
) -> None:
    compilation = vault(f"{defined}$${AROUND}$$\n")
    assert compilation.formulas[-1].compiled.recognised is not None
    assert run_tests(render(compilation, "transformer").files)


ATTENTION = (
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"
)
HEADS = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O,"
    r" \quad \mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)"
)


def test_no_test_of_the_others_names_it(vault: Vault, run_tests: Callable[[Package], bool]) -> None:
    """Heads are tried with all attentions of the package, which this one is not in."""
    additive = library().components["additive_attention"].textbook.latex
    compilation = vault("\n\n".join(f"$${latex}$$" for latex in (ATTENTION, HEADS, additive)))
    rendered = render(compilation, "transformer", {"AdditiveAttention": "its tests fail"})
    assert [remark.code for remark in rendered.diagnostics] == ["N2C053"]
    assert run_tests(rendered.files)


def test_nothing_is_for_another_note_with_columns(
    tmp_path: Path, run_tests: Callable[[Package], bool]
) -> None:
    """The heads of one note call its attention, which the other writes with turned matrices."""
    columns = (
        r"\mathrm{Attention}(Q, K, V) = V\,\mathrm{softmax}\left(\frac{K^\top Q}{\sqrt{d_k}}\right)"
    )
    (tmp_path / "A.md").write_text(f"$${columns}$$\n", encoding="utf-8")
    (tmp_path / "B.md").write_text(f"$${ATTENTION}$$\n\n$${HEADS}$$\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert not rendered.diagnostics
    assert run_tests(rendered.files)


def test_a_head_calls_what_takes_as_many_arguments(tmp_path: Path) -> None:
    """Also where the heads are joined in a formula of their own."""
    joined, head = HEADS.split(r", \quad ")
    biased = r"\mathrm{Attention}(Q, K, V, P) = \mathrm{softmax}(P \odot QK^\top)V"
    (tmp_path / "A.md").write_text(f"$${biased}$$\n", encoding="utf-8")
    (tmp_path / "B.md").write_text(f"$${head}$$\n\n$${joined}$$\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert [remark.path for remark in rendered.diagnostics] == ["A.md"]


LOSS = r"L = -\sum_{i=1}^{V} y_i \log \hat y_i"
TRAINING = "tests/test_train.py::test_training_learns"


@pytest.mark.parametrize(
    ("failing", "left_out"),
    [
        ([f"{TRAINING}[text]"], {"GPT"}),
        ([f"{TRAINING}[translation]"], {"EncoderDecoder"}),
        (["tests/test_train.py::test_a_process_joins_the_others"], {"EncoderDecoder", "GPT"}),
        (
            [f"{TRAINING}[text]", "tests/test_losses.py::test_cross_entropy_is_the_formula[1]"],
            {"cross_entropy"},
        ),
    ],
)
def test_a_model_that_does_not_train_is_left_out(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, failing: list[str], left_out: set[str]
) -> None:
    """Unless something else is wrong, which may be why. The notes speak of what it is made of."""
    names = ("encoder_decoder", "gpt", "cross_entropy")
    spoken = [f"## {c.mentions[0]}" for c in library().components.values() if c.mentions]
    formulas = [f"$${library().components[name].textbook.latex}$$" for name in names]
    compilation = vault("\n\n".join([*spoken, *formulas]))
    whole = render(compilation, "transformer")
    monkeypatch.setattr("notes2code.passing.verify", lambda files, superseded: Verdict(passed=1))
    verdict = Verdict(failures=tuple(Failure(test, "") for test in failing))
    fewer, again = passing(compilation, "transformer", whole, verdict)
    assert again.ok
    assert {name.split(".")[-1] for name in whole.classes.keys() - fewer.classes} == left_out
    assert left_out == {remark.message.split()[0] for remark in fewer.diagnostics}


def test_a_test_of_nothing_leaves_nothing_out(vault: Vault) -> None:
    compilation = vault(f"$${FFN}$$")
    whole = render(compilation, "transformer")
    verdict = Verdict(failures=(Failure("tests/test_linear.py::test_linear", ""),))
    assert passing(compilation, "transformer", whole, verdict) == (whole, verdict)


def test_heads_that_fail_with_a_broken_attention_are_not_left_out(vault: Vault) -> None:
    names = ("multi_head_attention", "bilinear_attention")
    compilation = vault("\n\n".join(f"$${library().components[n].textbook.latex}$$" for n in names))
    whole = render(compilation, "transformer")
    path = "transformer/attention.py"
    broken = whole.files[path].replace(
        "scores: Tensor = self.W(query)", "scores: Tensor = -self.W(query)"
    )
    assert broken != whole.files[path]
    files = {**whole.files, path: broken}
    verdict = verify(files)
    assert any("heads_of_any_attention" in failure.test for failure in verdict.failures)
    fewer, again = passing(compilation, "transformer", replace(whole, files=files), verdict)
    left = {name.split(".")[-1] for name in fewer.classes}
    assert again.ok and "MultiHeadAttention" in left and "BilinearAttention" not in left


ADAM = r"m_t = a m_{t-1} + g_t^2, \quad u_t = b m_t"


def test_a_formula_whose_test_fails_is_left_out(vault: Vault) -> None:
    compilation = vault(f"$${LOSS}$$\n\n## Adam\n#n2c/emit\n\n$${ADAM}$$\n\n$$v = a w^2$$\n")
    whole = render(compilation, "transformer")
    path = "transformer/formulas.py"
    broken = replace(whole, files={**whole.files, path: _mistaken(whole.files[path])})
    fewer, again = passing(compilation, "transformer", broken, verify(broken.files))
    assert again.ok
    assert {name.split(".")[-1] for name in fewer.classes} == {"cross_entropy", "v"}
    (remark,) = fewer.diagnostics
    assert remark.code == "N2C053" and "test_u_is_the_formula" in remark.message


def _mistaken(source: str) -> str:
    wrong = re.sub(r"return b \* (.*)", r"return b + \1", source)
    assert wrong != source
    return wrong


@pytest.mark.parametrize(
    ("path", "right", "wrong"),
    [
        ("transformer/layers.py", "class LayerNorm(nn.Module)", "class LayerNorm(unknown.Module)"),
        ("transformer/layers.py", "class LayerNorm(nn.Module):", "class LayerNorm(nn.Module)"),
        ("tests/test_layers.py", "def test_layer_norm_", "@unknown\ndef test_layer_norm_"),
    ],
)
def test_what_cannot_be_imported_is_left_out(
    vault: Vault, path: str, right: str, wrong: str
) -> None:
    compilation = vault(f"$${LOSS}$$\n\n## Layer norm\n")
    whole = render(compilation, "transformer")
    assert right in whole.files[path]
    broken = {**whole.files, path: whole.files[path].replace(right, wrong, 1)}
    verdict = verify(broken)
    assert not verdict.ok
    fewer, again = passing(compilation, "transformer", replace(whole, files=broken), verdict)
    assert again.ok
    assert {name.split(".")[-1] for name in fewer.classes} == {"cross_entropy"}
    assert "cannot be imported" in fewer.diagnostics[0].message


SHARED = (
    r"\mathrm{head}_i = \mathrm{softmax}(Q_i K_{g(i)}^\top) V_{g(i)}, "
    r"\quad g(i) = \lceil i G / H \rceil"
)
COUNTED = (
    r"\mathrm{SigmoidAttn}(Q, K, V) = \sigma(\frac{Q K^\top}{\sqrt{d_k}} + b) V, \quad b = -\log n"
)


@pytest.mark.parametrize(
    ("formula", "said"),
    [(SHARED, "a call of an attention with projections"), (COUNTED, "leave it a letter")],
)
def test_what_is_left_out_says_what_to_write(formula: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text(f"$${formula}$$\n", encoding="utf-8")
    (remark,) = render(compile_vault(read_vault(tmp_path), library()), "transformer").diagnostics
    assert remark.code == "N2C053" and said in remark.message


def test_what_is_given_too_much_is_counted_in_words(tmp_path: Path) -> None:
    heads = r"\mathrm{head}_i = \mathrm{Attention}(x W_i^Q, x W_i^K, x W_i^V)"
    joined = r"\mathrm{MHA}(x) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"
    (tmp_path / "Note.md").write_text(f"$${joined}$$\n\n$${heads}$$\n\n# Decoder layer\n")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    (remark,) = rendered.diagnostics
    assert remark.message.endswith(
        "MultiHeadAttention has a formula of one sequence, and is given 3"
    )
