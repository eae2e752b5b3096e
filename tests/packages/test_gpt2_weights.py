"""A GPT from notes that describe GPT-2 computes what Hugging Face's does with the same weights."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch

from building import Package, package_of, without_training

CAUSAL = r"""\mathrm{CausalAttention}(Q, K, V) =
\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right) V,
\quad M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"""
HEADS = r"""\mathrm{MaskedMultiHead}(X) =
\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O,
\quad \mathrm{head}_i = \mathrm{CausalAttention}(X W_i^Q, X W_i^K, X W_i^V)"""
BIASED = (
    HEADS.replace("W^O", "W^O + b^O")
    .replace("X W_i^Q", "X W_i^Q + b_i^Q")
    .replace("X W_i^K", "X W_i^K + b_i^K")
    .replace("X W_i^V", "X W_i^V + b_i^V")
)
REST = [
    r"\mathrm{MLP}(x) = \mathrm{GELU}(x W_1 + b_1) W_2 + b_2",
    r"""\mathrm{Block}(X) = Z + \mathrm{MLP}(\mathrm{LayerNorm}(Z)),
    \quad Z = X + \mathrm{MaskedMultiHead}(\mathrm{LayerNorm}(X))""",
    r"""P = \mathrm{softmax}(\mathrm{LayerNorm}(h_N) W_e^\top),
    \quad h_l = \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, N, \quad h_0 = U W_e + W_p""",
]


def random_gpt2() -> Any:
    """Hugging Face's GPT-2, small, with random weights and biases."""
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(
        vocab_size=31, n_positions=12, n_embd=12, n_layer=3, n_head=3, n_inner=20,
        activation_function="gelu", bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    theirs = transformers.GPT2LMHeadModel(config).eval()
    torch.manual_seed(0)
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return theirs


def test_it_has_the_logits_of_hugging_face(imported: Callable[[Package], ModuleType]) -> None:
    theirs = random_gpt2()
    model = imported(package_of([CAUSAL, BIASED, *REST])).GPT.from_gpt2(theirs.state_dict(), 3)
    tokens = torch.randint(31, (2, 12))
    expected = theirs(tokens).logits
    torch.testing.assert_close(model.eval()(tokens), expected, rtol=1e-4, atol=1e-4)
    written = theirs.generate(tokens[:, :4], max_new_tokens=8, do_sample=False, eos_token_id=None)
    assert torch.equal(model.generate(tokens[:, :4], 8, temperature=0.0), written)


def test_the_gelu_of_a_tanh_is_that_of_the_weights(run_tests: Callable[[Package], bool]) -> None:
    gelu = r"\mathrm{GELU}(x) = 0.5 x (1 + \tanh(\sqrt{2/\pi} (x + 0.044715 x^3)))"
    files = package_of([CAUSAL, BIASED, *REST, gelu])
    assert 'F.gelu(hidden, approximate="tanh")' in files["transformer/layers.py"]
    assert "a little" not in files["transformer/models.py"]
    assert "a little" in package_of([CAUSAL, BIASED, *REST])["transformer/models.py"]
    assert run_tests(without_training(files))


def test_biases_without_a_place_are_refused(imported: Callable[[Package], ModuleType]) -> None:
    theirs = random_gpt2()
    gpt = imported(package_of([CAUSAL, HEADS, *REST])).GPT
    with pytest.raises(ValueError, match=r"no place for h\.0\.attn\.query\.bias"):
        gpt.from_gpt2(theirs.state_dict(), 3)
    for name, parameter in theirs.named_parameters():
        if "attn" in name and name.endswith("bias"):
            torch.nn.init.zeros_(parameter)
    tokens = torch.randint(31, (2, 12))
    model = gpt.from_gpt2(theirs.state_dict(), 3).eval()
    torch.testing.assert_close(model(tokens), theirs(tokens).logits, rtol=1e-4, atol=1e-4)


def test_biases_show_in_code_and_tests(run_tests: Callable[[Package], bool]) -> None:
    files = package_of([CAUSAL, BIASED, *REST])
    assert "self.W_Q = Linear(d_model, d_model)\n" in files["transformer/attention.py"]
    assert run_tests(without_training(files))
    for broken in ("self.W_Q", "self.W_V"):
        wrong = files["transformer/attention.py"].replace(
            f"{broken} = Linear(d_model, d_model)",
            f"{broken} = Linear(d_model, d_model, bias=False)",
        )
        assert not run_tests({**files, "transformer/attention.py": wrong})


@pytest.mark.parametrize(
    "other",
    [
        (r"\mathrm{GELU}", r"\mathrm{ReLU}"),
        (r"\mathrm{LayerNorm}(h_N)", "h_N"),
        (r"\sqrt{d_k}", "d_k"),
    ],
)
def test_a_model_that_is_not_gpt2_takes_none_of_its_weights(other: tuple[str, str]) -> None:
    files = package_of([formula.replace(*other) for formula in [CAUSAL, HEADS, *REST]])
    assert "class GPT(" in files["transformer/models.py"]
    assert "from_gpt2" not in files["transformer/models.py"]
