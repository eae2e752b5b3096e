"""Models: whole Transformers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .cache import KeyValueCache
from .checkpoints import gpt2_weights, read_checkpoint, write_checkpoint
from .generation import (
    beam_search,
    check_beams,
    check_prompts,
    check_sampling,
    check_token,
    draw_token,
    evaluating,
    greedy_search,
)
from .layers import (
    DecoderLayer,
    EncoderLayer,
    LayerNorm,
    TokenEmbedding,
    TransformerBlock,
)
from .linear import Linear, linear_map
from .masks import first_kept
from .positions import SinusoidalPositionalEncoding
from .sizes import check_dropout, check_sizes


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The sizes of a model, by default those of the notes."""

    vocab_size: int = 1000
    max_len: int = 128
    d_model: int = 64
    num_heads: int = 4
    d_ff: int = 128
    num_layers: int = 2
    dropout: float = 0.1

    def __post_init__(self) -> None:
        sizes = {f.name: getattr(self, f.name) for f in fields(self) if f.type == "int"}
        check_sizes(**sizes)
        check_dropout(self.dropout)


class Model(nn.Module):
    """A model that is made with a configuration and can be saved in a file."""

    config_class: type[ModelConfig]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the configuration and the weights to a file, for ``load``."""
        config: Any = self.config
        write_checkpoint(path, type(self).__name__, config, self.state_dict())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The model that was saved in a file, on the CPU and in evaluation mode: to train it on,
        call ``train()``. A ValueError where the file holds something else."""
        held = read_checkpoint(path, cls.__name__)
        try:
            model = cls(cls.config_class(**held["config"]))
            model.load_state_dict(held["weights"])
        except (TypeError, RuntimeError) as problem:  # as of a class with this name in other notes
            raise ValueError(f"{path} holds another {cls.__name__}: {problem}") from problem
        return model.eval()

    def _initialise(self) -> None:
        """Small random weights, and biases of zero: at first a model takes all tokens for about
        equally likely."""
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)


class Encoder(nn.Module):
    r"""A stack of encoder layers.

        \mathrm{Encoder}(X) = H_N, \qquad H_l = \mathrm{EncoderLayer}(H_{l-1}),
        \quad l = 1, \dots, N, \qquad H_0 = X

    x: (B, n, d_model)
    keep_mask: True to keep, False for padding; (B, n)
    returns: (B, n, d_model)

    From vault/Encoder and decoder.md:32.
    """

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, num_layers: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_sizes(num_layers=num_layers)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        )

    def forward(self, x: Tensor, *, keep_mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, keep_mask=keep_mask)
        return x


class Decoder(nn.Module):
    r"""A stack of decoder layers.

        \mathrm{Decoder}(Y, H) = S_N, \qquad S_l = \mathrm{DecoderLayer}(S_{l-1}, H),
        \quad l = 1, \dots, N, \qquad S_0 = Y

    x: (B, n, d_model)
    memory: (B, m, d_model), the encoder's output
    keep_mask, memory_keep_mask: True to keep, False for padding; (B, n) and (B, m)
    caches, memory_caches: of each layer; x goes on where what they have seen ends
    returns: (B, n, d_model)

    From vault/Encoder and decoder.md:56.
    """

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, num_layers: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_sizes(num_layers=num_layers)
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        )

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        *,
        keep_mask: Tensor | None = None,
        memory_keep_mask: Tensor | None = None,
        caches: Sequence[KeyValueCache] | None = None,
        memory_caches: Sequence[KeyValueCache] | None = None,
    ) -> Tensor:
        for index, layer in enumerate(self.layers):
            x = layer(
                x,
                memory,
                keep_mask=keep_mask,
                memory_keep_mask=memory_keep_mask,
                cache=None if caches is None else caches[index],
                memory_cache=None if memory_caches is None else memory_caches[index],
            )
        return x


@dataclass(frozen=True, kw_only=True)
class EncoderDecoderConfig(ModelConfig):
    """The sizes of an encoder and decoder, by default those of the notes."""


class EncoderDecoder(Model):
    r"""The Transformer that reads one sequence and writes another.

        \mathrm{Transformer}(X, Y) =
            \mathrm{softmax}\left(\mathrm{Decoder}(Y, \mathrm{Encoder}(X))\, W + b\right)

    source: (B, n), token ids
    target: (B, m), the tokens before each that is to be predicted
    source_keep_mask, target_keep_mask: True for tokens, False for padding behind them; (B, n) and
        (B, m)
    returns: (B, m, vocab_size), the logits, of which the loss takes the softmax

    From vault/Encoder and decoder.md:65.
    """

    config_class = EncoderDecoderConfig

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = TokenEmbedding(config.vocab_size, config.d_model)
        self.target_embedding = TokenEmbedding(config.vocab_size, config.d_model)
        self.positions = SinusoidalPositionalEncoding(config.d_model, config.max_len)
        self.dropout = nn.Dropout(config.dropout)
        sizes = config.d_model, config.num_heads, config.d_ff, config.num_layers
        self.encoder = Encoder(*sizes, config.dropout)
        self.decoder = Decoder(*sizes, config.dropout)
        self.W = Linear(config.d_model, config.vocab_size)
        self._initialise()

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        *,
        source_keep_mask: Tensor | None = None,
        target_keep_mask: Tensor | None = None,
    ) -> Tensor:
        memory = self.encode(source, keep_mask=source_keep_mask)
        return self.decode(
            target, memory, keep_mask=target_keep_mask, memory_keep_mask=source_keep_mask
        )

    def encode(self, source: Tensor, *, keep_mask: Tensor | None = None) -> Tensor:
        """The encoder's output for the source, (B, n, d_model)."""
        x = self.dropout(self.positions(self.source_embedding(source)))
        memory: Tensor = self.encoder(x, keep_mask=keep_mask)
        return memory

    def decode(
        self,
        target: Tensor,
        memory: Tensor,
        *,
        keep_mask: Tensor | None = None,
        memory_keep_mask: Tensor | None = None,
        caches: Sequence[KeyValueCache] | None = None,
        memory_caches: Sequence[KeyValueCache] | None = None,
    ) -> Tensor:
        """The logits for what comes after each token of the target, (B, m, vocab_size). With caches
        the target goes on where what they have seen ends."""
        start = 0 if caches is None else caches[0].length
        x = self.dropout(self.positions(self.target_embedding(target), start))
        x = self.decoder(
            x,
            memory,
            keep_mask=keep_mask,
            memory_keep_mask=memory_keep_mask,
            caches=caches,
            memory_caches=memory_caches,
        )
        logits: Tensor = self.W(x)
        return logits

    @torch.no_grad()
    def greedy(
        self,
        source: Tensor,
        *,
        start: int,
        end: int,
        max_len: int | None = None,
        source_keep_mask: Tensor | None = None,
    ) -> Tensor:
        """Write, after the token ``start``, the likeliest token each time, until ``end``.

        source: (B, n), with source_keep_mask as in ``forward``
        max_len: how many tokens are written at most, by default as many as the model can
        returns: (B, m) with m at most max_len; what has ended is filled up with ``end``
        """
        check_prompts(source)
        count = self._count(start, end, max_len)
        with evaluating(self):
            memory = self.encode(source, keep_mask=source_keep_mask)
            first = torch.full_like(source[:, :1], start)
            step, _ = self._step(memory, source_keep_mask)
            return greedy_search(step, first, count, end)[:, 1:]

    @torch.no_grad()
    def beam_search(
        self,
        source: Tensor,
        *,
        start: int,
        end: int,
        beams: int = 4,
        length_penalty: float = 0.6,
        max_len: int | None = None,
        source_keep_mask: Tensor | None = None,
    ) -> Tensor:
        """Write, after the token ``start``, what is likeliest of all that a beam keeps in sight.

        source: (B, n), with source_keep_mask as in ``forward``
        beams: how many texts are kept in sight; with one it is ``greedy``
        length_penalty: 0 to compare texts by their probability, more for longer ones
        max_len: how many tokens are written at most, by default as many as the model can
        returns: (B, m) with m at most max_len; what has ended is filled up with ``end``
        """
        check_beams(beams, length_penalty)
        check_prompts(source)
        count = self._count(start, end, max_len)
        with evaluating(self):
            memory = self.encode(source, keep_mask=source_keep_mask)
            memory = memory.repeat_interleave(beams, dim=0)
            if source_keep_mask is not None:
                source_keep_mask = source_keep_mask.repeat_interleave(beams, dim=0)
            first = torch.full_like(source[:, :1], start)
            step, caches = self._step(memory, source_keep_mask)
            texts = beam_search(step, first, count, end, beams, length_penalty, caches)
        return texts[:, 1:]

    def _count(self, start: int, end: int, max_len: int | None) -> int:
        """How many tokens to write at most."""
        check_token(start, self.config.vocab_size, "start")
        check_token(end, self.config.vocab_size, "end")
        most = self.config.max_len
        if max_len is not None and not 1 <= max_len <= most:
            raise ValueError(f"max_len={max_len} is not between 1 and the model's {most}")
        return most if max_len is None else max_len

    def _step(
        self, memory: Tensor, memory_keep_mask: Tensor | None
    ) -> tuple[Callable[[Tensor], Tensor], list[KeyValueCache]]:
        """What gives the logits for the next token of texts that grow, and the caches of them."""
        caches = [KeyValueCache(self.config.max_len) for _ in self.decoder.layers]
        memory_caches = [KeyValueCache(memory.size(1)) for _ in self.decoder.layers]

        def step(tokens: Tensor) -> Tensor:
            logits = self.decode(
                tokens[:, caches[0].length :],
                memory,
                memory_keep_mask=memory_keep_mask,
                caches=caches,
                memory_caches=memory_caches,
            )
            return logits[:, -1]

        return step, caches


@dataclass(frozen=True, kw_only=True)
class TextEncoderConfig(ModelConfig):
    """The sizes of a text encoder, by default those of the notes."""


class TextEncoder(Model):
    r"""A Transformer that reads texts: an encoder of tokens with their positions.

        \mathrm{TextEncoder}(U) = \mathrm{Encoder}\left(\sqrt{d_{\text{model}}}\; U E + PE\right)

    tokens: (B, n), token ids
    keep_mask: True for tokens, False for padding behind them; (B, n)
    returns: (B, n, d_model), a vector for each token in its text

    From vault/Encoder and decoder.md:79.
    """

    config_class = TextEncoderConfig

    def __init__(self, config: TextEncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.E = nn.Embedding(config.vocab_size, config.d_model)
        self.PE = SinusoidalPositionalEncoding(config.d_model, config.max_len)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(
            config.d_model, config.num_heads, config.d_ff, config.num_layers, config.dropout
        )
        self._initialise()

    def forward(self, tokens: Tensor, *, keep_mask: Tensor | None = None) -> Tensor:
        x = self.PE(math.sqrt(self.config.d_model) * self.E(tokens))
        states: Tensor = self.encoder(self.dropout(x), keep_mask=keep_mask)
        return states


@dataclass(frozen=True, kw_only=True)
class GPTConfig(ModelConfig):
    """The sizes of a GPT, by default those of the notes."""


class GPT(Model):
    r"""A decoder-only language model: blocks of causal self-attention between embedding and head.

        \begin{aligned}
        h_0 &= UW_e + W_p \\
        h_l &= \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, N \\
        P &= \mathrm{softmax}\left(\mathrm{LayerNorm}(h_N)\, W_e^\top\right)
        \end{aligned}

    tokens: (B, n), token ids
    keep_mask: True for tokens, False for padding; (B, n), with caches for all positions so far;
        the positions of a text begin with its first token
    caches: of each layer, as from ``empty_caches``; the tokens go on where what they have seen
        ends
    last_only: whether only what follows each text is asked for
    returns: (B, n, vocab_size), the logits, of which the loss takes the softmax;
        (B, 1, vocab_size) with last_only

    From vault/GPT.md:69.
    """

    config_class = GPTConfig

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.W_e = nn.Embedding(config.vocab_size, config.d_model)
        self.W_p = nn.Embedding(config.max_len, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(
            TransformerBlock(config.d_model, config.num_heads, config.d_ff, config.dropout)
            for _ in range(config.num_layers)
        )
        self.norm = LayerNorm(config.d_model)
        self._initialise()

    def forward(
        self,
        tokens: Tensor,
        *,
        keep_mask: Tensor | None = None,
        caches: Sequence[KeyValueCache] | None = None,
        last_only: bool = False,
    ) -> Tensor:
        start = 0 if caches is None else caches[0].length
        end = start + tokens.size(-1)
        if end > self.config.max_len:
            raise ValueError(f"a sequence of {end} is longer than max_len={self.config.max_len}")
        positions = torch.arange(start, end, device=tokens.device)
        if keep_mask is not None:  # padding before a text has no positions
            positions = (positions - first_kept(keep_mask)).clamp(min=0)
        h = self.dropout(self.W_e(tokens) + self.W_p(positions))
        for index, layer in enumerate(self.layers):
            cache = None if caches is None else caches[index]
            h = layer(h, keep_mask=keep_mask, cache=cache)
        h = self.norm(h)
        if last_only:
            h = h[:, -1:]
        return linear_map(h, self.W_e.weight)

    def empty_caches(self) -> list[KeyValueCache]:
        """A cache for each layer, for texts that are read piece by piece."""
        return [KeyValueCache(self.config.max_len) for _ in self.layers]

    @torch.no_grad()
    def generate(
        self,
        tokens: Tensor,
        count: int,
        *,
        keep_mask: Tensor | None = None,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        end: int | None = None,
    ) -> Tensor:
        """Continue texts by ``count`` tokens, (B, n) to (B, n + count).

        Texts of different lengths are filled up before their first tokens, where ``keep_mask``,
        (B, n), is False: each goes on as it would alone.

        A temperature of 0 takes the likeliest token each time. With ``top_k`` only the k likeliest
        are drawn, with ``top_p`` only the likeliest that together have this probability. A text
        that has come to the token ``end`` is filled up with it. Of a long text the last
        ``max_len`` tokens are seen.
        """
        if count < 0:
            raise ValueError(f"count={count} is negative")
        check_sampling(temperature, top_k, top_p)
        check_token(end, self.config.vocab_size, "end")
        check_prompts(tokens, keep_mask)
        if keep_mask is not None:
            keep_mask = F.pad(keep_mask, (0, count), value=True)  # what is written is no padding
        max_len = self.config.max_len
        caches = self.empty_caches()
        ended = torch.zeros(tokens.size(0), 1, dtype=torch.bool, device=tokens.device)
        with evaluating(self):
            for left in range(count, 0, -1):
                if tokens.size(1) > max_len:  # what is seen moves on, and so do its positions
                    caches = self.empty_caches()
                new = tokens[:, -max_len:][:, caches[0].length :]
                seen = None if keep_mask is None else keep_mask[:, : tokens.size(1)][:, -max_len:]
                logits = self(new, keep_mask=seen, caches=caches, last_only=True)[:, -1]
                chosen = draw_token(logits, temperature, top_k, top_p)
                if end is not None:
                    chosen = chosen.masked_fill(ended, end)
                    ended = ended | (chosen == end)
                    if ended.all():
                        return F.pad(tokens, (0, left), value=end)
                tokens = torch.cat([tokens, chosen], dim=-1)
        return tokens

    @classmethod
    def from_gpt2(cls, weights: Mapping[str, Tensor], num_heads: int, dropout: float = 0.0) -> GPT:
        """GPT-2 with the weights that Hugging Face's ``GPT2LMHeadModel`` has in its ``state_dict``,
        in evaluation mode.

        GPT-2 was trained with a GELU that a tanh approximates; here it is exact, which changes the
        logits of OpenAI's weights a little.
        """
        theirs = gpt2_weights(weights)
        names = {
            "wte.weight": "W_e.weight",
            "wpe.weight": "W_p.weight",
            "ln_f.weight": "norm.gamma",
            "ln_f.bias": "norm.beta",
        }
        layers = (int(name.split(".")[1]) for name in theirs if name.startswith("h."))
        num_layers = 1 + max(layers, default=0)
        for layer in range(num_layers):
            for name, own in {
                "attn.query.weight": "attention.W_Q.weight",
                "attn.key.weight": "attention.W_K.weight",
                "attn.value.weight": "attention.W_V.weight",
                "attn.c_proj.weight": "attention.W_O.weight",
                "mlp.c_fc.weight": "feed_forward.W_1.weight",
                "mlp.c_proj.weight": "feed_forward.W_2.weight",
                "ln_1.weight": "attention_norm.gamma",
                "ln_2.weight": "feed_forward_norm.gamma",
                "attn.query.bias": "attention.W_Q.bias",
                "attn.key.bias": "attention.W_K.bias",
                "attn.value.bias": "attention.W_V.bias",
                "attn.c_proj.bias": "attention.W_O.bias",
                "mlp.c_fc.bias": "feed_forward.W_1.bias",
                "mlp.c_proj.bias": "feed_forward.W_2.bias",
                "ln_1.bias": "attention_norm.beta",
                "ln_2.bias": "feed_forward_norm.beta",
            }.items():
                names[f"h.{layer}.{name}"] = f"layers.{layer}.{own}"
        missing = [name for name in names if name not in theirs]
        if missing:
            raise ValueError(f"these are not the weights of GPT2LMHeadModel: they lack {missing}")
        unused = [name for name in theirs if name not in names and theirs[name].any()]
        if unused:
            raise ValueError(f"the model has no place for {', '.join(unused)}")
        vocab_size, d_model = theirs["wte.weight"].shape
        config = GPTConfig(
            vocab_size=vocab_size,
            max_len=theirs["wpe.weight"].size(0),
            d_model=d_model,
            num_heads=num_heads,
            d_ff=theirs["h.0.mlp.c_fc.weight"].size(0),
            num_layers=num_layers,
            dropout=dropout,
        )
        model = cls(config)
        model.load_state_dict({own: theirs[name] for name, own in names.items()})
        return model.eval()
