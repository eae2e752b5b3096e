"""Attention: weighted sums of values, by scores of queries and keys."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .masks import batched_mask, combined_mask, fused_attention, masked_softmax


class UnscaledDotProductAttention(nn.Module):
    r"""Attention whose scores are dot products of queries and keys.

        o = \sum_{j=1}^{m} \mathrm{softmax}_j(q^\top k_j)\, v_j

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention scores.md:19, vault/Attention scores.md:64.
    """

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=1.0,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        scores: Tensor = query @ key.transpose(-2, -1)
        return scores


class BilinearAttention(nn.Module):
    r"""Attention whose scores are products of query and key through a learned matrix.

        o = \sum_{j=1}^{m} \mathrm{softmax}_j\big(a(q, k_j)\big)\, v_j

        a(q, k) = q^\top W k

    query: (..., n, query_size)
    key: (..., m, key_size)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention scores.md:34, vault/Attention scores.md:30, vault/Attention scores.md:65.
    """

    def __init__(self, query_size: int, key_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.W = nn.Linear(query_size, key_size, bias=False)
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            return fused_attention(
                self.W(query),
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=1.0,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        scores: Tensor = self.W(query) @ key.transpose(-2, -1)
        return scores


class AdditiveAttention(nn.Module):
    r"""Attention whose scores a small network gives to the sum of projected queries and keys.

        o = \sum_{j=1}^{m} \mathrm{softmax}_j\big(a(q, k_j)\big)\, v_j

        a(q, k) = w_v^\top \tanh(W_q q + W_k k)

    query: (..., n, query_size)
    key: (..., m, key_size)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention scores.md:49, vault/Attention scores.md:45, vault/Attention scores.md:66,
    vault/Sequence to sequence.md:28 and 1 more.
    """

    def __init__(
        self, query_size: int, key_size: int, hidden_size: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.W_q = nn.Linear(query_size, hidden_size, bias=False)
        self.W_k = nn.Linear(key_size, hidden_size, bias=False)
        self.w_v = nn.Linear(hidden_size, 1, bias=False)
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return (output, weights) if need_weights else output

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        queries = self.W_q(query)
        keys = self.W_k(key)
        hidden = queries.unsqueeze(-2) + keys.unsqueeze(-3)
        hidden = torch.tanh(hidden)
        scores: Tensor = self.w_v(hidden).squeeze(-1)
        return scores


class KernelAttention(nn.Module):
    r"""Attention pooling whose weights a kernel gives to the distance of query and key.

        f(x) = \sum_{i=1}^{n} \frac{K(x - x_i)}{\sum_{j=1}^{n} K(x - x_j)}\, y_i

    query: (..., n, d)
    key: (..., m, d)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention.md:34.
    """

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            # c‖q − k‖² is −2c (q·k − ½‖k‖²) and c‖q‖², the same for all keys, which softmax does
            # not see. Near zero, where the keys are moved, little is lost in rounding.
            keep = combined_mask(query, key, keep_mask, causal=False)
            centre = key.mean(dim=-2, keepdim=True)
            if keep is not None:  # keys that no query sees may be far off
                seen = keep.expand(*query.shape[:-1], key.size(-2)).any(dim=-2).unsqueeze(-1)
                key = key.masked_fill(~seen, 0.0)
                count = seen.sum(dim=-2, keepdim=True).clamp(min=1)
                centre = key.sum(dim=-2, keepdim=True) / count
            query, key = query - centre, key - centre
            half = 0.5 * key.square().sum(dim=-1, keepdim=True)
            query = torch.cat((query, -torch.ones_like(query[..., :1])), dim=-1)
            key = torch.cat((key, half), dim=-1)
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=1,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The kernel's exponent, (..., n, m)."""
        difference = query.unsqueeze(-2) - key.unsqueeze(-3)
        squared = difference.square().sum(dim=-1)
        scores: Tensor = -0.5 * squared
        return scores


class ParametricKernelAttention(nn.Module):
    r"""Attention pooling whose weights a kernel gives to the distance of query and key.

        \hat{f}(x) = \sum_{i=1}^{n} \mathrm{softmax}_i\left(-\frac{1}{2}\big((x - x_i)\,
        w\big)^2\right) y_i

    query: (..., n, d)
    key: (..., m, d)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention.md:40.
    """

    def __init__(self, dropout: float = 0.0, w: float = 1.0) -> None:
        super().__init__()
        self.dropout = dropout
        self.w = nn.Parameter(torch.tensor(w))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            # c‖q − k‖² is −2c (q·k − ½‖k‖²) and c‖q‖², the same for all keys, which softmax does
            # not see. Near zero, where the keys are moved, little is lost in rounding.
            keep = combined_mask(query, key, keep_mask, causal=False)
            centre = key.mean(dim=-2, keepdim=True)
            if keep is not None:  # keys that no query sees may be far off
                seen = keep.expand(*query.shape[:-1], key.size(-2)).any(dim=-2).unsqueeze(-1)
                key = key.masked_fill(~seen, 0.0)
                count = seen.sum(dim=-2, keepdim=True).clamp(min=1)
                centre = key.sum(dim=-2, keepdim=True) / count
            query, key = query - centre, key - centre
            half = 0.5 * key.square().sum(dim=-1, keepdim=True)
            query = self.w.square() * torch.cat((query, -torch.ones_like(query[..., :1])), dim=-1)
            key = torch.cat((key, half), dim=-1)
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=1.0,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The kernel's exponent, (..., n, m)."""
        difference = query.unsqueeze(-2) - key.unsqueeze(-3)
        squared = difference.square().sum(dim=-1)
        scores: Tensor = -0.5 * squared * self.w.square()
        return scores


class ScaledDotProductAttention(nn.Module):
    r"""Attention whose scores are dot products of queries and keys.

        \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention.md:59, vault/Attention.md:83, vault/Attention.md:94, vault/What goes
    wrong.md:119 and 2 more.
    """

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=query.size(-1) ** -0.5,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        scores: Tensor = query @ key.transpose(-2, -1) * query.size(-1) ** -0.5
        return scores


class DifferentialAttention(nn.Module):
    r"""The difference of two attentions on the same values, in which their noise cancels out.

        \mathrm{DiffAttn}(Q, K, V) = \left( \mathrm{softmax}\left(\frac{Q_1
        K_1^\top}{\sqrt{d}}\right) - \lambda\, \mathrm{softmax}\left(\frac{Q_2
        K_2^\top}{\sqrt{d}}\right) \right) V

    query: (..., n, 2 d), the queries of both attentions side by side
    key: (..., m, 2 d), their keys
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m), which may be negative

    From vault/Beyond softmax.md:18.
    """

    def __init__(self, dropout: float = 0.0, lambda_: float = 0.8) -> None:
        super().__init__()
        self.dropout = dropout
        self.lambda_ = nn.Parameter(torch.tensor(lambda_))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        halves = zip(query.chunk(2, dim=-1), key.chunk(2, dim=-1), strict=True)
        if not need_weights and not (self.training and self.dropout > 0):
            first, second = (
                fused_attention(
                    query, key, value, keep_mask, bias, causal, scale=query.size(-1) ** -0.5
                )
                for query, key in halves
            )
            return first - self.lambda_ * second
        keep = combined_mask(query, key, keep_mask, causal)
        first, second = (
            masked_softmax(self.scores(query, key), keep, bias) for query, key in halves
        )
        weights = first - self.lambda_ * second
        output = F.dropout(weights, self.dropout, self.training) @ value
        return (output, weights) if need_weights else output

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query of one attention goes with each key of it, (..., n, m)."""
        scores: Tensor = query @ key.mT * query.size(-1) ** -0.5
        return scores


class SigmoidAttention(nn.Module):
    r"""Attention whose weights are sigmoids of the scores, each for itself and not normalised.

        \mathrm{SigmoidAttn}(Q, K, V) = \sigma\left(\frac{QK^\top}{\sqrt{d_k}} + b\right) V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m), which add up to
    anything

    From vault/Beyond softmax.md:32.
    """

    def __init__(self, b: float = 0.0, dropout: float = 0.0) -> None:
        super().__init__()
        self.b = b
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        scores = self.scores(query, key)
        if bias is not None:
            scores = scores + bias
        weights = torch.sigmoid(scores)
        keep = combined_mask(query, key, keep_mask, causal)
        if keep is not None:
            weights = weights.masked_fill(~keep, 0.0)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return (output, weights) if need_weights else output

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        scores: Tensor = query @ key.mT * query.size(-1) ** -0.5 + self.b
        return scores


class MultiHeadAttention(nn.Module):
    r"""Several attentions side by side, each on projections of its own, joined and projected.

        \begin{aligned}
        \mathrm{MultiHead}(Q, K, V) &= \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\,
        W^O \\
        \mathrm{head}_i &= \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)
        \end{aligned}

    query: (B, n, d_model)
    key: (B, m, d_model), by default the query
    value: (B, m, d_model), by default the key
    keep_mask: True to keep; (B, m), (B, n, m) or (B, num_heads, n, m)
    returns: (B, n, d_model), and with need_weights the weights, (B, num_heads, n, m)

    From vault/Multi-head attention.md:17.
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model} is not a multiple of num_heads={num_heads}")
        self.num_heads, self.head_size = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.attention = ScaledDotProductAttention(dropout)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        key = query if key is None else key
        value = key if value is None else value
        query = self.split(self.W_Q(query))
        key = self.split(self.W_K(key))
        value = self.split(self.W_V(value))
        keep_mask = batched_mask(keep_mask, query)
        output = self.attention(
            query,
            key,
            value,
            keep_mask=keep_mask,
            bias=bias,
            causal=causal,
            need_weights=need_weights,
        )
        if need_weights:
            heads, weights = output
            return self.joined(heads), weights
        return self.joined(output)

    def split(self, x: Tensor) -> Tensor:
        """Each head's share of the features: (B, n, d_model) to (B, num_heads, n, head_size)."""
        return x.reshape(*x.shape[:-1], self.num_heads, self.head_size).transpose(1, 2)

    def joined(self, heads: Tensor) -> Tensor:
        """The heads side by side, projected: (B, num_heads, n, head_size) to (B, n, d_model)."""
        output: Tensor = self.W_O(heads.transpose(1, 2).flatten(2))
        return output


class CausalScaledDotProductAttention(nn.Module):
    r"""Attention whose scores are dot products of queries and keys.

        \mathrm{CausalAttention}(Q, K, V) = \mathrm{MaskedAttention}(Q, K, V, C)

        C_{ij} = \begin{cases} 0 & \text{if } j \le i \\ -\infty & \text{if } j > i \end{cases}

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Masks.md:47.
    """

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = True,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=query.size(-1) ** -0.5,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        scores: Tensor = query @ key.transpose(-2, -1) * query.size(-1) ** -0.5
        return scores


class CausalSelfAttention(nn.Module):
    r"""Self-attention in which a position sees itself and those before it.

        \mathrm{MaskedMultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\,
        W^O,
        \quad \text{where } \mathrm{head}_i = \mathrm{CausalAttention}(XW_i^Q, XW_i^K, XW_i^V)

    x: (B, n, d_model)
    keep_mask: True to keep; (B, n), (B, n, n) or (B, num_heads, n, n)
    returns: (B, n, d_model), and with need_weights the weights, (B, num_heads, n, n)

    From vault/Multi-head attention.md:40.
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model} is not a multiple of num_heads={num_heads}")
        self.num_heads, self.head_size = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.attention = CausalScaledDotProductAttention(dropout)

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        query = self.split(self.W_Q(x))
        key = self.split(self.W_K(x))
        value = self.split(self.W_V(x))
        keep_mask = batched_mask(keep_mask, query)
        output = self.attention(
            query,
            key,
            value,
            keep_mask=keep_mask,
            bias=bias,
            causal=True,
            need_weights=need_weights,
        )
        if need_weights:
            heads, weights = output
            return self.joined(heads), weights
        return self.joined(output)

    def split(self, x: Tensor) -> Tensor:
        """Each head's share of the features: (B, n, d_model) to (B, num_heads, n, head_size)."""
        return x.reshape(*x.shape[:-1], self.num_heads, self.head_size).transpose(1, 2)

    def joined(self, heads: Tensor) -> Tensor:
        """The heads side by side, projected: (B, num_heads, n, head_size) to (B, n, d_model)."""
        output: Tensor = self.W_O(heads.transpose(1, 2).flatten(2))
        return output


class MaskedScaledDotProductAttention(nn.Module):
    r"""Attention whose scores are dot products of queries and keys.

        \mathrm{MaskedAttention}(Q, K, V, M) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} +
        M\right)V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Masks.md:16.
    """

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=query.size(-1) ** -0.5,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        scores: Tensor = query @ key.transpose(-2, -1) * query.size(-1) ** -0.5
        return scores


class RelativeSelfAttention(nn.Module):
    r"""Self-attention that knows how far each key stands from the query.

        z_i = \sum_{j=1}^n \mathrm{softmax}_j(e_{ij}) \left(x_j W^V + a_{ij}^V\right)

        e_{ij} = \frac{x_i W^Q \left(x_j W^K + a_{ij}^K\right)^\top}{\sqrt{d_k}}

        a_{ij}^K = w^K_{\mathrm{clip}(j-i, c)}, \qquad a_{ij}^V = w^V_{\mathrm{clip}(j-i, c)}

    max_distance: how far a key can stand from a query and still have a row of its own
    x: (B, n, d_model)
    keep_mask: True to keep; (B, n) or (B, n, n)
    returns: (B, n, d_v), and with need_weights the weights, (B, n, n)

    From vault/Relative positions.md:23, vault/Relative positions.md:17.
    """

    def __init__(
        self, d_model: int, d_k: int, d_v: int, max_distance: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)
        self.max_distance = max_distance
        self.w_K = nn.Parameter(torch.empty(2 * max_distance + 1, d_k))
        nn.init.normal_(self.w_K, std=0.02)
        self.w_V = nn.Parameter(torch.empty(2 * max_distance + 1, d_v))
        nn.init.normal_(self.w_V, std=0.02)
        self.dropout = dropout

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        query = self.W_Q(x)
        key, value = self.W_K(x), self.W_V(x)
        keep_mask = batched_mask(keep_mask, query)
        weights = masked_softmax(self.scores(query, key), keep_mask, bias)
        counted = F.dropout(weights, self.dropout, self.training)
        rows = self.rows(query.size(-2), key.size(-2)).expand_as(counted)
        by_row = counted.new_zeros(*counted.shape[:-1], len(self.w_V))
        by_row = by_row.scatter_add(-1, rows, counted)
        output = counted @ value + by_row @ self.w_V
        return (output, weights) if need_weights else output

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (B, n, n)."""
        scores: Tensor = query @ key.mT + self.by_distance(query, key.size(-2))
        scores = scores * query.size(-1) ** -0.5
        return scores

    def by_distance(self, query: Tensor, keys: int) -> Tensor:
        """The queries times the rows for their distances to the keys, (B, n, n)."""
        products: Tensor = query @ self.w_K.T
        rows = self.rows(query.size(-2), keys)
        return products.gather(-1, rows.expand(*query.shape[:-1], keys))

    def rows(self, queries: int, keys: int) -> Tensor:
        """For each query and key, which row has their distance, (queries, keys). With fewer
        queries than keys, as with a cache, the queries are the last ones."""
        key = torch.arange(keys, device=self.w_K.device)
        query = torch.arange(keys - queries, keys, device=key.device)[:, None]
        distance = (key - query).clamp(-self.max_distance, self.max_distance)
        return distance + self.max_distance


class RelativePositionAttention(nn.Module):
    r"""Dot-product attention that knows how far each key stands from the query.

        \mathrm{Relative}(q_i, k, v) = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top \left(k_j +
        r_{\mathrm{clip}(j-i, c)}\right)}{\sqrt{d_k}}\right) v_j

    max_distance: how far a key can stand from a query and still have a row of its own
    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Relative positions.md:45.
    """

    def __init__(self, d_k: int, max_distance: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.max_distance = max_distance
        self.r = nn.Parameter(torch.empty(2 * max_distance + 1, d_k))
        nn.init.normal_(self.r, std=0.02)
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            relative = self.by_distance(query, key.size(-2)) * query.size(-1) ** -0.5
            bias = relative if bias is None else bias + relative
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=query.size(-1) ** -0.5,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        scores: Tensor = query @ key.mT + self.by_distance(query, key.size(-2))
        scores = scores * query.size(-1) ** -0.5
        return scores

    def by_distance(self, query: Tensor, keys: int) -> Tensor:
        """The queries times the rows for their distances to the keys, (..., n, m)."""
        products: Tensor = query @ self.r.T
        rows = self.rows(query.size(-2), keys)
        return products.gather(-1, rows.expand(*query.shape[:-1], keys))

    def rows(self, queries: int, keys: int) -> Tensor:
        """For each query and key, which row has their distance, (queries, keys). With fewer
        queries than keys, as with a cache, the queries are the last ones."""
        key = torch.arange(keys, device=self.r.device)
        query = torch.arange(keys - queries, keys, device=key.device)[:, None]
        distance = (key - query).clamp(-self.max_distance, self.max_distance)
        return distance + self.max_distance


class SelfAttention(nn.Module):
    r"""Attention of a sequence to itself, through learned projections.

        \mathrm{SelfAttention}(X) = \mathrm{Attention}(Q, K, V)

        Q = XW^Q, \quad K = XW^K, \quad V = XW^V

    x: (B, n, d_model)
    keep_mask: True to keep; (B, n) or (B, n, n)
    returns: (B, n, d_v), and with need_weights the weights, (B, n, n)

    From vault/Self-attention.md:23.
    """

    def __init__(self, d_model: int, d_k: int, d_v: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)
        self.dropout = dropout

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        query = self.W_Q(x)
        key, value = self.W_K(x), self.W_V(x)
        keep_mask = batched_mask(keep_mask, query)
        if not need_weights:
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal=False,
                scale=query.size(-1) ** -0.5,
                dropout=self.dropout if self.training else 0.0,
            )
        weights = masked_softmax(self.scores(query, key), keep_mask, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (B, n, n)."""
        scores: Tensor = query @ key.transpose(-2, -1) * query.size(-1) ** -0.5
        return scores


class SingleHeadCausalSelfAttention(nn.Module):
    r"""Self-attention in which a position sees itself and those before it.

        \mathrm{CausalSelfAttention}(X) = \mathrm{CausalAttention}(XW^Q, XW^K, XW^V)

    x: (B, n, d_model)
    keep_mask: True to keep; (B, n) or (B, n, n)
    returns: (B, n, d_v), and with need_weights the weights, (B, n, n)

    From vault/Self-attention.md:37.
    """

    def __init__(self, d_model: int, d_k: int, d_v: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)
        self.dropout = dropout

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        query = self.W_Q(x)
        key, value = self.W_K(x), self.W_V(x)
        keep_mask = batched_mask(keep_mask, query)
        if not need_weights:
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal=True,
                scale=query.size(-1) ** -0.5,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal=True)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (B, n, n)."""
        scores: Tensor = query @ key.transpose(-2, -1) * query.size(-1) ** -0.5
        return scores


class CrossAttention(nn.Module):
    r"""Attention whose queries come from one sequence and whose keys and values from another.

        \mathrm{CrossAttention}(X, Z) = \mathrm{softmax}\left(\frac{XW^Q
        (ZW^K)^\top}{\sqrt{d_k}}\right) ZW^V

    x: (B, n, d_model), which asks
    memory: (B, m, d_memory), which answers
    keep_mask: True to keep; (B, m) or (B, n, m)
    returns: (B, n, d_v), and with need_weights the weights, (B, n, m)

    From vault/Self-attention.md:46.
    """

    def __init__(
        self, d_model: int, d_memory: int, d_k: int, d_v: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_memory, d_k, bias=False)
        self.W_V = nn.Linear(d_memory, d_v, bias=False)
        self.dropout = dropout

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        query = self.W_Q(x)
        key, value = self.W_K(memory), self.W_V(memory)
        keep_mask = batched_mask(keep_mask, query)
        if not need_weights:
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal=False,
                scale=query.size(-1) ** -0.5,
                dropout=self.dropout if self.training else 0.0,
            )
        weights = masked_softmax(self.scores(query, key), keep_mask, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (B, n, m)."""
        scores: Tensor = query @ key.transpose(-2, -1) * query.size(-1) ** -0.5
        return scores


class SynthesizerAttention(nn.Module):
    r"""Attention whose scores are made from each position alone, without comparing it to others.

        \mathrm{Synthesizer}(X) = \mathrm{softmax}\left(\mathrm{ReLU}(XA + b_1)B + b_2\right)(XV)

    x: (..., n, d_model), with n at most max_len
    returns: (..., n, value_size), and with need_weights the weights, (..., n, n)

    From vault/Self-attention.md:57.
    """

    def __init__(
        self, d_model: int, hidden_size: int, value_size: int, max_len: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.A = nn.Linear(d_model, hidden_size)
        self.B = nn.Linear(hidden_size, max_len)
        self.V = nn.Linear(d_model, value_size, bias=False)
        self.dropout = dropout

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        length, max_len = x.size(-2), self.B.out_features
        if length > max_len:
            raise ValueError(f"{length} positions, where there are scores for {max_len}")
        hidden = self.A(x)
        hidden = F.relu(hidden)
        value = self.V(x)
        keep_mask = batched_mask(keep_mask, x)
        column, shift = self.B.weight[:length], self.B.bias[:length]
        if not need_weights:
            # What is added to a column is the weight of a feature that is always one.
            hidden = torch.cat((hidden, torch.ones_like(hidden[..., :1])), dim=-1)
            column = torch.cat((column, shift.unsqueeze(-1)), dim=-1)
            column = column.expand(*x.shape[:-2], -1, -1)
            return fused_attention(
                hidden,
                column,
                value,
                keep_mask,
                bias,
                causal,
                scale=1.0,
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(x, x, keep_mask, causal)
        weights = masked_softmax(F.linear(hidden, column, shift), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights


class Seq2SeqAttention(nn.Module):
    r"""Attention of a decoder's state on the states of an encoder, which are keys and values at
    once.

        c_t = \sum_{j=1}^{m} \alpha_{tj} h_j

        e_{tj} = v_a^\top \tanh(W_a s_{t-1} + U_a h_j)

        \alpha_{tj} = \frac{\exp(e_{tj})}{\sum_{k=1}^{m} \exp(e_{tk})}

    state: (..., state_size), or several, (..., T, state_size)
    memory: (..., m, memory_size)
    returns: (..., memory_size) or (..., T, memory_size), and with need_weights the weights, (...,
    m) or (..., T, m)

    From vault/Sequence to sequence.md:40.
    """

    def __init__(
        self, state_size: int, memory_size: int, hidden_size: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.W_a = nn.Linear(state_size, hidden_size, bias=False)
        self.U_a = nn.Linear(memory_size, hidden_size, bias=False)
        self.v_a = nn.Linear(hidden_size, 1, bias=False)
        self.dropout = dropout

    def forward(
        self,
        state: Tensor,
        memory: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        alone = state.dim() < memory.dim()
        query = state.unsqueeze(-2) if alone else state
        keep_mask = batched_mask(keep_mask, query)
        keep = combined_mask(query, memory, keep_mask, causal=False)
        weights = masked_softmax(self.scores(query, memory), keep, bias)
        context = F.dropout(weights, self.dropout, self.training) @ memory
        if alone:
            context, weights = context.squeeze(-2), weights.squeeze(-2)
        return (context, weights) if need_weights else context

    def scores(self, query: Tensor, memory: Tensor) -> Tensor:
        """How well each state of the decoder goes with each of the encoder, (..., T, m)."""
        queries = self.W_a(query)
        keys = self.U_a(memory)
        hidden = queries.unsqueeze(-2) + keys.unsqueeze(-3)
        hidden = torch.tanh(hidden)
        scores: Tensor = self.v_a(hidden).squeeze(-1)
        return scores


class RescaledDotProductAttention(nn.Module):
    r"""Attention whose scores are dot products of queries and keys.

        \mathrm{softmax}\left(\frac{QK^\top}{d_k}\right)V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/What goes wrong.md:108.
    """

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if not need_weights:
            return fused_attention(
                query,
                key,
                value,
                keep_mask,
                bias,
                causal,
                scale=1 / query.size(-1),
                dropout=self.dropout if self.training else 0.0,
            )
        keep = combined_mask(query, key, keep_mask, causal)
        weights = masked_softmax(self.scores(query, key), keep, bias)
        output = F.dropout(weights, self.dropout, self.training) @ value
        return output, weights

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each query goes with each key, (..., n, m)."""
        scores: Tensor = query @ key.transpose(-2, -1) * (1 / query.size(-1))
        return scores
