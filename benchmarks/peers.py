"""The models that ``package.py`` compares with, of the same sizes as those of the package.

torch.nn, x-transformers, Hugging Face and d2l, which has attention alone, are what they are, with
the settings that make them quickest; a nanoGPT-style model and the textbook's are written here: one
for its fused projection and kernel, one as formulas are typed in, with a projection for each and
all weights in memory.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Sizes:
    """The sizes of a model and of what it is given."""

    batch: int
    length: int
    d_model: int
    num_heads: int
    num_layers: int
    vocab_size: int

    @property
    def d_ff(self) -> int:
        return 4 * self.d_model


def installed(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None


def d2l() -> ModuleType | None:
    """The book's module for PyTorch, where it is installed. What it imports for pictures, plots and
    data, and its attention does not call, need not be."""
    unused = ("IPython", "PIL", "matplotlib", "matplotlib_inline", "pandas", "requests", "scipy")
    missing = [name for name in ("torchvision", *unused) if find_spec(name) is None]
    missing += ["scipy.spatial"] if "scipy" in missing else []
    sys.modules.update((name, MagicMock()) for name in missing)
    try:
        return installed("d2l.torch")
    finally:
        for name in missing:
            del sys.modules[name]


# --- attention to itself, causal: (B, n, d_model) -> the same -----------------------------------


class NanoAttention(nn.Module):
    """One projection for queries, keys and values, and torch's fused kernel."""

    def __init__(self, d_model: int, num_heads: int, causal: bool = True) -> None:
        super().__init__()
        self.num_heads, self.causal = num_heads, causal
        self.projections = nn.Linear(d_model, 3 * d_model, bias=False)
        self.output = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.projections(x).chunk(3, dim=-1)
        )
        heads = F.scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        output: Tensor = self.output(heads.transpose(1, 2).flatten(2))
        return output


class TextbookAttention(nn.Module):
    """A projection for each, and the weights computed as the formula says."""

    def __init__(self, d_model: int, num_heads: int, causal: bool = True) -> None:
        super().__init__()
        self.num_heads, self.causal = num_heads, causal
        self.query, self.key, self.value, self.output = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        memory = x if memory is None else memory
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in (self.query(x), self.key(memory), self.value(memory))
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if self.causal:
            seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).tril()
            scores = scores.masked_fill(~seen, -math.inf)
        heads = torch.softmax(scores, dim=-1) @ value
        output: Tensor = self.output(heads.transpose(1, 2).flatten(2))
        return output


class TorchAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, length: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length))

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.attention(
            x, x, x, attn_mask=self.mask, is_causal=True, need_weights=False
        )[0]
        return output


class BookAttention(nn.Module):
    """Attention of d2l, where the keys that each query sees are the first so many."""

    def __init__(self, attention: nn.Module, size: int, length: int) -> None:
        super().__init__()
        self.attention = attention
        self.register_buffer("seen", torch.arange(1, length + 1)[None])
        self(*[torch.zeros(1, length, size)] * 3)  # its weights are made in the first call

    def forward(
        self, query: Tensor, key: Tensor | None = None, value: Tensor | None = None, **_: Any
    ) -> Tensor:
        query, key, value = (query if x is None else x for x in (query, key, value))
        *heads, length, _ = query.shape
        query, key, value = (x.flatten(0, -3) for x in (query, key, value))
        output: Tensor = self.attention(query, key, value, self.seen.expand(len(query), length))
        return output.unflatten(0, heads)


class First(nn.Module):
    """A module of which the first or the named part of what it gives is meant."""

    def __init__(self, module: nn.Module, part: str | int, **given: object) -> None:
        super().__init__()
        self.module, self.part, self.given = module, part, given

    def forward(self, *inputs: Tensor, **named: Tensor) -> Tensor:
        result = self.module(*inputs, **named, **self.given)
        output: Tensor = result[self.part]
        return output


def attention_layers(sizes: Sizes) -> dict[str, Callable[[], nn.Module]]:
    d_model, heads = sizes.d_model, sizes.num_heads
    layers: dict[str, Callable[[], nn.Module]] = {
        "torch.nn": lambda: TorchAttention(d_model, heads, sizes.length),
        "nanoGPT-style": lambda: NanoAttention(d_model, heads),
        "textbook": lambda: TextbookAttention(d_model, heads),
    }
    if (x := installed("x_transformers.x_transformers")) is not None:
        layers["x-transformers"] = lambda: First(
            x.Attention(d_model, dim_head=d_model // heads, heads=heads, causal=True, flash=True),
            0,
        )
    if (gpt2 := installed("transformers.models.gpt2.modeling_gpt2")) is not None:
        layers["HF"] = lambda: First(gpt2.GPT2Attention(_gpt2(sizes), layer_idx=0), 0)
    if (book := d2l()) is not None:
        layers["d2l"] = lambda: BookAttention(
            book.MultiHeadAttention(d_model, heads, dropout=0.0), d_model, sizes.length
        )
    return layers


def additive_attentions(size: int, length: int) -> dict[str, Callable[[], nn.Module]]:
    """Additive attention of queries and keys of some size, as large inside."""
    if (book := d2l()) is None:
        return {}
    return {"d2l": lambda: BookAttention(book.AdditiveAttention(size, 0.0), size, length)}


# --- a GPT: tokens (B, n) -> logits (B, n, vocab_size) ------------------------------------------


class Block(nn.Module):
    """A block of a GPT, its norms before its sublayers."""

    def __init__(self, attention: nn.Module, sizes: Sizes) -> None:
        super().__init__()
        self.attention_norm, self.norm = nn.LayerNorm(sizes.d_model), nn.LayerNorm(sizes.d_model)
        self.attention = attention
        self.feed_forward = nn.Sequential(
            nn.Linear(sizes.d_model, sizes.d_ff), nn.GELU(), nn.Linear(sizes.d_ff, sizes.d_model)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        output: Tensor = x + self.feed_forward(self.norm(x))
        return output


class LanguageModel(nn.Module):
    """A GPT around the given layers, its output head tied to its embedding."""

    def __init__(self, layers: nn.Module, sizes: Sizes) -> None:
        super().__init__()
        self.tokens = nn.Embedding(sizes.vocab_size, sizes.d_model)
        self.positions = nn.Embedding(sizes.length, sizes.d_model)
        self.layers = layers
        self.norm = nn.LayerNorm(sizes.d_model)
        self.head = nn.Linear(sizes.d_model, sizes.vocab_size, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens: Tensor) -> Tensor:
        positions = torch.arange(tokens.size(1), device=tokens.device)
        x = self.layers(self.tokens(tokens) + self.positions(positions))
        logits: Tensor = self.head(self.norm(x))
        return logits

    @torch.no_grad()
    def generate(self, tokens: Tensor, count: int) -> Tensor:
        """The likeliest token each time, without a cache, as nanoGPT has none."""
        for _ in range(count):
            x = self.tokens(tokens) + self.positions.weight[: tokens.size(1)]
            last = self.head(self.norm(self.layers(x)[:, -1:]))
            tokens = torch.cat((tokens, last.argmax(-1)), dim=1)
        return tokens


class TorchLayers(nn.Module):
    """torch.nn's encoder with a causal mask, which is how a GPT is made of it."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            sizes.d_model,
            sizes.num_heads,
            sizes.d_ff,
            dropout=0.0,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.encoder = nn.TransformerEncoder(layer, sizes.num_layers, enable_nested_tensor=False)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(sizes.length))

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.encoder(x, mask=self.mask, is_causal=True)
        return output


def gpts(sizes: Sizes) -> dict[str, Callable[[], nn.Module]]:
    def stacked(attention: Callable[[int, int], nn.Module]) -> nn.Module:
        blocks = (
            Block(attention(sizes.d_model, sizes.num_heads), sizes) for _ in range(sizes.num_layers)
        )
        return LanguageModel(nn.Sequential(*blocks), sizes)

    models: dict[str, Callable[[], nn.Module]] = {
        "torch.nn": lambda: LanguageModel(TorchLayers(sizes), sizes),
        "nanoGPT-style": lambda: stacked(NanoAttention),
        "textbook": lambda: stacked(TextbookAttention),
    }
    if (x := installed("x_transformers")) is not None:
        models["x-transformers"] = lambda: x.TransformerWrapper(
            num_tokens=sizes.vocab_size,
            max_seq_len=sizes.length,
            tie_embedding=True,
            attn_layers=x.Decoder(
                dim=sizes.d_model,
                depth=sizes.num_layers,
                heads=sizes.num_heads,
                attn_dim_head=sizes.d_model // sizes.num_heads,
                attn_flash=True,
            ),
        )
    if (hugging := installed("transformers")) is not None:
        models["HF"] = lambda: First(
            hugging.GPT2LMHeadModel(_gpt2(sizes)), "logits", use_cache=False
        )
    return models


def _gpt2(sizes: Sizes) -> object:
    return import_module("transformers").GPT2Config(
        vocab_size=sizes.vocab_size,
        n_positions=sizes.length,
        n_embd=sizes.d_model,
        n_layer=sizes.num_layers,
        n_head=sizes.num_heads,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        attn_implementation="sdpa",
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )


def generator(name: str, model: Any) -> Callable[[Tensor, int], object] | None:
    """What continues tokens by a count, each time with the likeliest; None where it cannot."""
    if name == "HF":
        return lambda tokens, count: model.module.generate(
            tokens,
            attention_mask=torch.ones_like(tokens),
            max_new_tokens=count,
            do_sample=False,
            use_cache=True,
        )
    if name == "x-transformers":
        wrapper = import_module("x_transformers").AutoregressiveWrapper(model)
        return lambda tokens, count: wrapper.generate(tokens, count, temperature=0.0, cache_kv=True)
    return model.generate if name == "nanoGPT-style" else None


# --- an encoder and decoder: source (B, n), target (B, n) -> logits (B, n, vocab_size) ----------


class EncoderDecoder(nn.Module):
    """Embeddings and head around an encoder and a decoder."""

    def __init__(self, transformer: nn.Module, sizes: Sizes) -> None:
        super().__init__()
        self.source = nn.Embedding(sizes.vocab_size, sizes.d_model)
        self.target = nn.Embedding(sizes.vocab_size, sizes.d_model)
        self.positions = nn.Parameter(torch.zeros(sizes.length, sizes.d_model))
        self.transformer = transformer
        self.head = nn.Linear(sizes.d_model, sizes.vocab_size)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        x, y = self.source(source) + self.positions, self.target(target) + self.positions
        logits: Tensor = self.head(self.transformer.decode(y, self.transformer.encode(x)))
        return logits

    @torch.no_grad()
    def generate(self, source: Tensor, tokens: Tensor, count: int) -> Tensor:
        """The likeliest token each time, without a cache, as torch.nn has none."""
        memory = self.transformer.encode(self.source(source) + self.positions[: source.size(1)])
        for _ in range(count):
            y = self.target(tokens) + self.positions[: tokens.size(1)]
            last = self.head(self.transformer.decode(y, memory)[:, -1:])
            tokens = torch.cat((tokens, last.argmax(-1)), dim=1)
        return tokens


class TorchTransformer(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.transformer = nn.Transformer(
            sizes.d_model,
            sizes.num_heads,
            sizes.num_layers,
            sizes.num_layers,
            sizes.d_ff,
            dropout=0.0,
            batch_first=True,
        )
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(sizes.length))

    def encode(self, x: Tensor) -> Tensor:
        memory: Tensor = self.transformer.encoder(x)
        return memory

    def decode(self, y: Tensor, memory: Tensor) -> Tensor:
        mask = self.mask[: y.size(1), : y.size(1)]
        output: Tensor = self.transformer.decoder(y, memory, tgt_mask=mask, tgt_is_causal=True)
        return output


class TextbookLayer(nn.Module):
    """An encoder's layer, or a decoder's if it is given the encoder's output: norms come after."""

    def __init__(self, sizes: Sizes, decoder: bool) -> None:
        super().__init__()
        d_model, heads = sizes.d_model, sizes.num_heads
        self.attention = TextbookAttention(d_model, heads, causal=decoder)
        self.memory = TextbookAttention(d_model, heads, causal=False) if decoder else None
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3 if decoder else 2))
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, sizes.d_ff), nn.ReLU(), nn.Linear(sizes.d_ff, d_model)
        )

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        x = self.norms[0](x + self.attention(x))
        if self.memory is not None:
            x = self.norms[1](x + self.memory(x, memory))
        x = self.norms[-1](x + self.feed_forward(x))
        return x


class TextbookTransformer(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.encoder, self.decoder = (
            nn.ModuleList(TextbookLayer(sizes, decoder) for _ in range(sizes.num_layers))
            for decoder in (False, True)
        )

    def encode(self, x: Tensor) -> Tensor:
        for layer in self.encoder:
            x = layer(x)
        return x

    def decode(self, y: Tensor, memory: Tensor) -> Tensor:
        for layer in self.decoder:
            y = layer(y, memory)
        return y


class XTransformer(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        common = {
            "num_tokens": sizes.vocab_size,
            "max_seq_len": sizes.length,
            "depth": sizes.num_layers,
            "heads": sizes.num_heads,
            "attn_dim_head": sizes.d_model // sizes.num_heads,
            "attn_flash": True,
        }
        settings = {f"{side}_{k}": v for side in ("enc", "dec") for k, v in common.items()}
        self.model = import_module("x_transformers").XTransformer(dim=sizes.d_model, **settings)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory = self.model.encoder(source, return_embeddings=True)
        logits: Tensor = self.model.decoder.net(target, context=memory)
        return logits


class Bart(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        hugging = import_module("transformers")
        sides = {
            f"{side}_{name}": value
            for side in ("encoder", "decoder")
            for name, value in {
                "layers": sizes.num_layers,
                "attention_heads": sizes.num_heads,
                "ffn_dim": sizes.d_ff,
            }.items()
        }
        config = hugging.BartConfig(
            vocab_size=sizes.vocab_size,
            max_position_embeddings=sizes.length,
            d_model=sizes.d_model,
            dropout=0.0,
            attn_implementation="sdpa",
            activation_function="relu",
            eos_token_id=None,
            forced_eos_token_id=None,
            **sides,
        )
        self.model = hugging.BartForConditionalGeneration(config)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        logits: Tensor = self.model(
            input_ids=source, decoder_input_ids=target, use_cache=False
        ).logits
        return logits


def encoder_decoders(sizes: Sizes) -> dict[str, Callable[[], nn.Module]]:
    models: dict[str, Callable[[], nn.Module]] = {
        "torch.nn": lambda: EncoderDecoder(TorchTransformer(sizes), sizes),
        "textbook": lambda: EncoderDecoder(TextbookTransformer(sizes), sizes),
    }
    if installed("x_transformers") is not None:
        models["x-transformers"] = lambda: XTransformer(sizes)
    if installed("transformers") is not None:
        models["HF"] = lambda: Bart(sizes)
    return models


def writer(name: str, model: Any, beams: int) -> Callable[[Tensor, Tensor, int], Tensor] | None:
    """What goes on from first tokens by a count, for each source: each time with the likeliest
    token, or with several beams by the likeliest texts; None where it cannot."""
    if name == "HF":
        return lambda source, tokens, count: model.model.generate(
            source,
            attention_mask=torch.ones_like(source),
            decoder_input_ids=tokens,
            max_new_tokens=count,
            do_sample=False,
            num_beams=beams,
            use_cache=True,
        )
    if beams > 1:  # x-transformers' search does not hand on what the decoder looks at
        return None
    if name == "x-transformers":

        def write(source: Tensor, tokens: Tensor, count: int) -> Tensor:
            with torch.no_grad():
                memory = model.model.encoder(source, return_embeddings=True)
            written: Tensor = model.model.decoder.generate(
                tokens, count, context=memory, temperature=0.0, cache_kv=True
            )
            return written

        return write
    return model.generate if name == "torch.nn" else None
