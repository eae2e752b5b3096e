"""Layers: what stands around attention, and what is stacked."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import BiasedCausalSelfAttention, CausalSelfAttention, MultiHeadAttention
from .cache import KeyValueCache
from .linear import Linear
from .sizes import check_sizes


class LayerNorm(nn.Module):
    r"""Each position brought to mean 0 and variance 1 over its features, then scaled and shifted.

        \begin{aligned}
        \mu &= \frac{1}{d} \sum_{i=1}^{d} x_i \\
        \sigma^2 &= \frac{1}{d} \sum_{i=1}^{d} (x_i - \mu)^2 \\
        \mathrm{LayerNorm}(x) &= \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta
        \end{aligned}

    x: (..., d_model)
    returns: (..., d_model)

    From vault/Layers.md:34.
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        check_sizes(d_model=d_model)
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def extra_repr(self) -> str:
        return f"{self.gamma.numel()}, eps={self.eps}"

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, eps=self.eps)


class FeedForward(nn.Module):
    r"""Two linear maps, the same at every position, with a ReLU between them.

        \mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2

    x: (..., d_model)
    returns: (..., d_model)

    From vault/Layers.md:19.
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        check_sizes(d_model=d_model, d_ff=d_ff)
        self.W_1 = Linear(d_model, d_ff)
        self.W_2 = Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.W_1(x)
        hidden = self.dropout(F.relu(hidden))
        output: Tensor = self.W_2(hidden)
        return output


class GeluFeedForward(nn.Module):
    r"""Two linear maps, the same at every position, with a GELU between them.

        \mathrm{MLP}(x) = \mathrm{GELU}(xW_1 + b_1)W_2 + b_2

    x: (..., d_model)
    returns: (..., d_model)

    From vault/GPT.md:32.
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        check_sizes(d_model=d_model, d_ff=d_ff)
        self.W_1 = Linear(d_model, d_ff)
        self.W_2 = Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.W_1(x)
        hidden = self.dropout(F.gelu(hidden))
        output: Tensor = self.W_2(hidden)
        return output


class TokenEmbedding(nn.Module):
    r"""A learned vector for each token of the vocabulary.

        X = \sqrt{d_{\text{model}}}\; U E

    tokens: (...), whole numbers below vocab_size
    returns: (..., d_model)

    From vault/Tokens and positions.md:18.
    """

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        check_sizes(vocab_size=vocab_size, d_model=d_model)
        self.E = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.E.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        vectors: Tensor = self.E(tokens)
        return math.sqrt(self.E.embedding_dim) * vectors


class OutputHead(nn.Module):
    r"""The logits of all tokens of the vocabulary at each position.

        p_t = \mathrm{softmax}(h_t W + b)

    x: (..., d_model)
    returns: (..., vocab_size), the logits, of which the loss takes the softmax

    From vault/Tokens and positions.md:78.
    """

    def __init__(self, d_model: int, vocab_size: int) -> None:
        super().__init__()
        check_sizes(d_model=d_model, vocab_size=vocab_size)
        self.W = Linear(d_model, vocab_size)

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.W(x)
        return logits


class AddNorm(nn.Module):
    r"""A residual connection around a sublayer, with a norm of their sum.

        \mathrm{AddNorm}(x) = \mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))

    x: (..., d_model)
    sublayer: keeps the shape of its argument
    returns: (..., d_model)

    From vault/Layers.md:55; vault/Encoder-decoder.excalidraw.md:98.
    """

    def __init__(self, d_model: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        output: Tensor = self.norm(x + self.dropout(sublayer(x)))
        return output


class PreNorm(nn.Module):
    r"""A residual connection around a norm and the sublayer behind it.

        \mathrm{PreNorm}(x) = x + \mathrm{Sublayer}(\mathrm{LayerNorm}(x))

    x: (..., d_model)
    sublayer: keeps the shape of its argument
    returns: (..., d_model)

    From vault/Layers.md:63; vault/GPT block.excalidraw.md:66.
    """

    def __init__(self, d_model: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        output: Tensor = x + self.dropout(sublayer(self.norm(x)))
        return output


class EncoderLayer(nn.Module):
    r"""Self-attention and a feed-forward layer, a residual connection and a norm behind each.

        \begin{aligned}
        Z &= \mathrm{LayerNorm}(X + \mathrm{MultiHead}(X, X, X)) \\
        \mathrm{EncoderLayer}(X) &= \mathrm{LayerNorm}(Z + \mathrm{FFN}(Z))
        \end{aligned}

    x: (B, n, d_model)
    keep_mask: True to keep; (B, n)
    returns: (B, n, d_model)

    From vault/Encoder and decoder.md:18.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.attention_norm = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.feed_forward_norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, *, keep_mask: Tensor | None = None) -> Tensor:
        attended = self.attention(x, keep_mask=keep_mask)
        x = self.attention_norm(x + self.dropout(attended))
        transformed = self.feed_forward(x)
        x = self.feed_forward_norm(x + self.dropout(transformed))
        return x


class DecoderLayer(nn.Module):
    r"""Masked self-attention, attention to the encoder's output and a feed-forward layer.

        \begin{aligned}
        A &= \mathrm{LayerNorm}(Y + \mathrm{MaskedMultiHead}(Y)) \\
        B &= \mathrm{LayerNorm}(A + \mathrm{MultiHead}(A, H, H)) \\
        \mathrm{DecoderLayer}(Y, H) &= \mathrm{LayerNorm}(B + \mathrm{FFN}(B))
        \end{aligned}

    x: (B, n, d_model)
    memory: (B, m, d_model), the encoder's output
    keep_mask: True to keep; (B, n), with a cache for all positions so far
    memory_keep_mask: True to keep; (B, m)
    cache: keeps the keys and values of x, which goes on where those before it end
    memory_cache: keeps the keys and values of the memory, which are made once
    returns: (B, n, d_model)

    From vault/Encoder and decoder.md:41.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = CausalSelfAttention(d_model, num_heads, dropout)
        self.attention_norm = LayerNorm(d_model)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention_norm = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.feed_forward_norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        *,
        keep_mask: Tensor | None = None,
        memory_keep_mask: Tensor | None = None,
        cache: KeyValueCache | None = None,
        memory_cache: KeyValueCache | None = None,
    ) -> Tensor:
        attended = self.attention(x, keep_mask=keep_mask, cache=cache)
        x = self.attention_norm(x + self.dropout(attended))
        attended = self.cross_attention(x, memory, keep_mask=memory_keep_mask, cache=memory_cache)
        x = self.cross_attention_norm(x + self.dropout(attended))
        transformed = self.feed_forward(x)
        x = self.feed_forward_norm(x + self.dropout(transformed))
        return x


class TransformerBlock(nn.Module):
    r"""Causal self-attention and a feed-forward layer, each in a residual connection, behind a
    norm.

        \begin{aligned}
        Z &= X + \mathrm{BiasedHeads}(\mathrm{LayerNorm}(X)) \\
        \mathrm{Block}(X) &= Z + \mathrm{MLP}(\mathrm{LayerNorm}(Z))
        \end{aligned}

    x: (B, n, d_model)
    keep_mask: True to keep; (B, n), with a cache for all positions so far
    cache: keeps the keys and values of x, which goes on where those before it end
    returns: (B, n, d_model)

    From vault/GPT.md:57; vault/GPT block.excalidraw.md:68.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = BiasedCausalSelfAttention(d_model, num_heads, dropout)
        self.attention_norm = LayerNorm(d_model)
        self.feed_forward = GeluFeedForward(d_model, d_ff, dropout)
        self.feed_forward_norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, *, keep_mask: Tensor | None = None, cache: KeyValueCache | None = None
    ) -> Tensor:
        attended = self.attention(self.attention_norm(x), keep_mask=keep_mask, cache=cache)
        x = x + self.dropout(attended)
        transformed = self.feed_forward(self.feed_forward_norm(x))
        x = x + self.dropout(transformed)
        return x
