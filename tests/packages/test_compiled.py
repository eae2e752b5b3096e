"""``torch.compile`` and ``torch.export`` take every class of the sample vault's package whole."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[2]))

import generated.transformer as package
from building import package_of
from emitted_tests import written
from notes2code.components.library import library

SCALED = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V"

D, H = 8, 2
CONFIG: dict[str, Any] = {
    "vocab_size": 11,
    "max_len": 8,
    "d_model": D,
    "num_heads": H,
    "d_ff": 16,
    "num_layers": 2,
    "dropout": 0.0,
}


def x(*shape: int) -> Tensor:
    return torch.randn(*(shape or (2, 5, D)))


def tokens() -> Tensor:
    return torch.randint(11, (2, 5))


KEEP = torch.tensor([[True] * 5, [True, True, True, False, False]])
LAYER = {"keep_mask": KEEP}
SINGLE = (D, 4, 6)
HEADS = {"keep_mask": KEEP[:, None]}


QKV: Callable[[], tuple[Any, ...]] = lambda: (x(), x(), x())  # noqa: E731
MADE: dict[str, tuple[tuple[Any, ...], Callable[[], tuple[Any, ...]], dict[str, Any]]] = {
    "AdditiveAttention": ((D, D, 6), QKV, HEADS),
    "BilinearAttention": ((D, D), QKV, HEADS),
    "MultiHeadAttention": ((D, H), QKV, LAYER),
    "BiasedCausalSelfAttention": ((D, H), lambda: (x(),), LAYER),
    "CausalSelfAttention": ((D, H), lambda: (x(),), LAYER),
    "SelfAttention": (SINGLE, lambda: (x(),), LAYER),
    "SingleHeadCausalSelfAttention": (SINGLE, lambda: (x(),), LAYER),
    "CrossAttention": ((D, D, 4, 6), lambda: (x(), x()), LAYER),
    "SynthesizerAttention": ((D, 6, D, 8), lambda: (x(),), LAYER),
    "RelativeSelfAttention": ((*SINGLE, 3), lambda: (x(),), LAYER),
    "RelativePositionAttention": ((D, 3), QKV, HEADS),
    "Seq2SeqAttention": ((D, D, 6), lambda: (x(), x()), LAYER),
    "GroupedQueryAttention": ((D, H), QKV, LAYER),
    "LayerNorm": ((D,), lambda: (x(),), {}),
    "FeedForward": ((D, 16), lambda: (x(),), {}),
    "GeluFeedForward": ((D, 16), lambda: (x(),), {}),
    "AddNorm": ((D,), lambda: (x(), torch.tanh), {}),
    "PreNorm": ((D,), lambda: (x(), torch.tanh), {}),
    "TokenEmbedding": ((11, D), lambda: (tokens(),), {}),
    "OutputHead": ((D, 11), lambda: (x(),), {}),
    "EncoderLayer": ((D, H, 16), lambda: (x(),), LAYER),
    "TransformerBlock": ((D, H, 16), lambda: (x(),), LAYER),
    "DecoderLayer": ((D, H, 16), lambda: (x(), x()), {**LAYER, "memory_keep_mask": KEEP}),
    "Encoder": ((D, H, 16, 2), lambda: (x(),), LAYER),
    "Decoder": ((D, H, 16, 2), lambda: (x(), x()), {**LAYER, "memory_keep_mask": KEEP}),
    "GPT": ((package.GPTConfig(**CONFIG),), lambda: (tokens(),), LAYER),
    "EncoderDecoder": (
        (package.EncoderDecoderConfig(**CONFIG),),
        lambda: (tokens(), tokens()),
        {"source_keep_mask": KEEP, "target_keep_mask": KEEP},
    ),
    "TextEncoder": ((package.TextEncoderConfig(**CONFIG),), lambda: (tokens(),), LAYER),
    "SinusoidalPositionalEncoding": ((D, 9), lambda: (x(),), {}),
    "RotaryEmbedding": ((D, 9), lambda: (x(),), {}),
    "ALiBi": ((H,), lambda: (5,), {}),
    "RelativePositionBias": ((H, 3), lambda: (5,), {}),
}
"""How each class is made and called; one that is not here is an attention made with nothing."""


def is_module(name: str) -> bool:
    """Whether a name of the package is that of a module which can be made."""
    made = getattr(package, name)
    return isinstance(made, type) and issubclass(made, nn.Module) and name != "Attention"


CLASSES = list(filter(is_module, package.__all__))


def called(name: str) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
    """A module and what to call it with."""
    sizes, arguments, options = MADE.get(name, ((), QKV, HEADS))
    torch.manual_seed(0)
    return getattr(package, name)(*sizes).eval(), arguments(), options


@pytest.fixture(autouse=True)
def compiled_anew() -> None:
    """Nothing that was compiled before counts."""
    torch.compiler.reset()


@pytest.mark.parametrize("name", CLASSES)
def test_it_compiles_without_a_break(name: str) -> None:
    module, arguments, options = called(name)
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    for given in ({}, options):
        expected = module(*arguments, **given)
        torch.testing.assert_close(compiled(*arguments, **given), expected)


@pytest.mark.parametrize("name", CLASSES)
def test_it_can_be_exported(name: str) -> None:
    module, arguments, options = called(name)
    if any(callable(given) for given in arguments):
        pytest.skip("it is called with a function, which is no input of a graph")
    exported = torch.export.export(module, arguments, options).module()
    torch.testing.assert_close(exported(*arguments, **options), module(*arguments, **options))


@pytest.mark.parametrize("name", ["GPT", "EncoderDecoder", "TextEncoder"])
def test_it_can_be_exported_for_any_length(name: str) -> None:
    """The batch and the lengths of sequences stay open, up to what the model has places for."""
    module, arguments, _ = called(name)
    batch = torch.export.Dim("batch", min=2, max=64)
    shapes = [{0: batch, 1: torch.export.Dim(f"n{at}", max=8)} for at in range(len(arguments))]
    exported = torch.export.export(module, arguments, dynamic_shapes=tuple(shapes)).module()
    given = [torch.randint(11, (3, 4 + at)) for at in range(len(arguments))]
    torch.testing.assert_close(exported(*given), module(*given))


ATTENTIONS = [name for name in CLASSES if issubclass(getattr(package, name), package.Attention)]


def compiled_attentions(**options: Any) -> Iterator[str]:
    """The attentions with one ``forward``, each compiled by itself and called."""
    for name in ATTENTIONS:
        module, arguments, _ = called(name)
        compiled = torch.compile(module, fullgraph=True, backend="eager", **options)
        torch.testing.assert_close(compiled(*arguments), module(*arguments))
        yield name


def test_the_readme_says_how_many_attentions_compile_in_one_program() -> None:
    done: list[str] = []
    with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit):
        for name in compiled_attentions():
            done.append(name)
    readme = (Path(package.__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"`torch.compile` keeps {len(done)} versions" in readme
    torch.compiler.reset()
    assert list(compiled_attentions(isolate_recompiles=True)) == ATTENTIONS
    torch.compiler.reset()
    with torch._dynamo.config.patch(recompile_limit=len(ATTENTIONS)):
        assert list(compiled_attentions()) == ATTENTIONS


def test_attentions_that_the_sample_vault_lacks_compile_and_can_be_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {"rotary_attention": (D,), "grouped_query_attention": (D, H)}
    components = [library().components[name] for name in others]
    # In one package with a name of its own: to the compiler, two of one name are the same.
    files = package_of([SCALED, *(component.textbook.latex for component in components)])
    written({path.replace("transformer/", "lacking/"): files[path] for path in files}, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module("lacking")
    for component, sizes in zip(components, others.values(), strict=True):
        name = component.classes.get("output", component.class_name)
        attention = getattr(made, name)(*sizes).eval()
        rows = x(), x(), x()
        expected = attention(*rows)
        compiled = torch.compile(attention, fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(*rows), expected)
        exported = torch.export.export(attention, rows).module()
        torch.testing.assert_close(exported(*rows), expected)


def test_linear_attention_can_be_exported_for_any_length() -> None:
    attention, n = package.LinearAttention().eval(), torch.export.Dim("n", max=4096)
    attention.causal = True
    shapes = ({0: torch.export.Dim("batch", max=64), 1: n},) * 3
    exported = torch.export.export(attention, QKV(), dynamic_shapes=shapes).module()
    for length in (1, 63, 64, 65, 200):
        rows = [x(3, length, D) for _ in range(3)]
        torch.testing.assert_close(exported(*rows), attention(*rows))


def test_training_compiles_without_a_break() -> None:
    """The backward graph too is one piece."""
    module, arguments, options = called("GPT")
    compiled = torch.compile(module.train(), fullgraph=True, backend="aot_eager")
    compiled(*arguments, **options).square().mean().backward()
    got = {name: weight.grad for name, weight in module.named_parameters()}
    module.zero_grad()
    module(*arguments, **options).square().mean().backward()
    for name, weight in module.named_parameters():
        torch.testing.assert_close(got[name], weight.grad)


@pytest.mark.parametrize("name", ["GPT", "EncoderDecoder", "TextEncoder", "CausalSelfAttention"])
def test_it_compiles_for_any_length(name: str) -> None:
    """A compiler that has seen two lengths leaves them open."""
    module, arguments, _ = called(name)
    compiled = torch.compile(module, fullgraph=True, backend="eager", dynamic=True)
    for length in (5, 3):
        given = [tokens[:, :length] for tokens in arguments]
        torch.testing.assert_close(compiled(*given), module(*given))
