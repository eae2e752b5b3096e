"""Models: whole Transformers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .layers import (
    DecoderLayer,
    EncoderLayer,
    LayerNorm,
    TokenEmbedding,
    TransformerBlock,
)
from .linear import Linear, linear_map
from .positions import SinusoidalPositionalEncoding


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
    returns: (B, n, d_model)

    From vault/Encoder and decoder.md:56.
    """

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, num_layers: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
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
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, keep_mask=keep_mask, memory_keep_mask=memory_keep_mask)
        return x


@dataclass(frozen=True, kw_only=True)
class EncoderDecoderConfig:
    """The sizes of an encoder and decoder, by default those of the notes."""

    vocab_size: int = 1000
    max_len: int = 128
    d_model: int = 64
    num_heads: int = 4
    d_ff: int = 128
    num_layers: int = 2
    dropout: float = 0.1


class EncoderDecoder(nn.Module):
    r"""The Transformer that reads one sequence and writes another.

        \mathrm{Transformer}(X, Y) = \mathrm{softmax}\left(\mathrm{Decoder}(Y,
        \mathrm{Encoder}(X))\, W + b\right)

    source: (B, n), numbers of tokens
    target: (B, m), the tokens before each that is to be predicted
    source_keep_mask, target_keep_mask: True for tokens, False for padding; (B, n) and (B, m)
    returns: (B, m, vocab_size), the logits, of which the loss takes the softmax

    From vault/Encoder and decoder.md:65.
    """

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
    ) -> Tensor:
        """The logits for what comes after each token of the target, (B, m, vocab_size)."""
        x = self.dropout(self.positions(self.target_embedding(target)))
        x = self.decoder(x, memory, keep_mask=keep_mask, memory_keep_mask=memory_keep_mask)
        logits: Tensor = self.W(x)
        return logits

    def _initialise(self) -> None:
        """Small random weights, so that the first guess is as good as any other."""
        for module in self.modules():
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)


@dataclass(frozen=True, kw_only=True)
class GPTConfig:
    """The sizes of a GPT, by default those of the notes."""

    vocab_size: int = 1000
    max_len: int = 128
    d_model: int = 64
    num_heads: int = 4
    d_ff: int = 128
    num_layers: int = 2
    dropout: float = 0.1


class GPT(nn.Module):
    r"""A decoder-only language model: blocks of causal self-attention between embedding and head.

        \begin{aligned}
        h_0 &= UW_e + W_p \\
        h_l &= \mathrm{Block}(h_{l-1}), \quad l = 1, \dots, N \\
        P &= \mathrm{softmax}\left(\mathrm{LayerNorm}(h_N)\, W_e^\top\right)
        \end{aligned}

    tokens: (B, n), numbers of tokens
    keep_mask: True for tokens, False for padding; (B, n)
    returns: (B, n, vocab_size), the logits, of which the loss takes the softmax

    From vault/GPT.md:55.
    """

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

    def forward(self, tokens: Tensor, *, keep_mask: Tensor | None = None) -> Tensor:
        length = tokens.size(-1)
        if length > self.config.max_len:
            raise ValueError(f"a sequence of {length} is longer than max_len={self.config.max_len}")
        positions = torch.arange(length, device=tokens.device)
        h = self.dropout(self.W_e(tokens) + self.W_p(positions))
        for layer in self.layers:
            h = layer(h, keep_mask=keep_mask)
        h = self.norm(h)
        return linear_map(h, self.W_e.weight)

    @torch.no_grad()
    def generate(
        self, tokens: Tensor, count: int, *, temperature: float = 1.0, top_k: int | None = None
    ) -> Tensor:
        """Continue texts by ``count`` tokens, (B, n) to (B, n + count).

        A temperature of 0 takes the likeliest token each time; with ``top_k`` only the k
        likeliest are drawn. Of a long text the last ``max_len`` tokens are seen.
        """
        training = self.training
        self.eval()
        for _ in range(count):
            logits = self(tokens[:, -self.config.max_len :])[:, -1]
            if top_k is not None:
                least = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]
                logits = logits.masked_fill(logits < least, -math.inf)
            if temperature == 0:
                chosen = logits.argmax(dim=-1, keepdim=True)
            else:
                chosen = torch.multinomial(torch.softmax(logits / temperature, dim=-1), 1)
            tokens = torch.cat([tokens, chosen], dim=-1)
        self.train(training)
        return tokens

    def _initialise(self) -> None:
        """Small random weights, so that the first guess is as good as any other."""
        for module in self.modules():
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
