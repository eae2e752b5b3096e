"""Attention: weighted sums of values, by scores of queries and keys."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial, reduce

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .blocks import Inputs, blocked, concatenated, in_blocks, parts, unblocked
from .cache import KeyValueCache
from .fused import fused_attention
from .linear import Linear
from .masks import as_bias, batched_mask, combined_mask, masked_softmax
from .positions import distances
from .sizes import check_dropout, check_multiples, check_sizes


class Attention(nn.Module):
    """Weighted sums of values: the weights of a query are the softmax of its scores with the keys,
    which each class defines in ``scores``.

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    keep_mask: True to keep; (..., n, m), or (B, m) for all queries of a sequence
    bias: added to the scores, (..., n, m)
    causal: whether a query sees no key after its own position, by default as the formula says; the
        last query stands at the last key
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)
    """

    causal = False  # whether the formula itself is causal

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        check_dropout(dropout)
        self.dropout = dropout

    def extra_repr(self) -> str:
        return f"dropout={self.dropout}"

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        raise NotImplementedError

    def weights(
        self, query: Tensor, key: Tensor, keep: Tensor | None, bias: Tensor | None
    ) -> Tensor:
        """The weight of each value for each query, (..., n, m)."""
        return masked_softmax(self.scores(query, key), keep, bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        inputs = Inputs(query, key, value, keep_mask, bias)
        compute = self.with_weights if need_weights else self.attend
        return compute(inputs, self.causal if causal is None else causal)

    def with_weights(self, inputs: Inputs, causal: bool) -> tuple[Tensor, Tensor]:
        """The weighted sums of values and their weights, as the formula says."""
        query, key, value, keep_mask, bias = inputs
        keep = combined_mask(query, key, keep_mask, causal)
        weights = self.weights(query, key, keep, bias)
        return F.dropout(weights, self.dropout, self.training) @ value, weights

    def attend(self, inputs: Inputs, causal: bool) -> Tensor:
        """The weighted sums of values alone, for which there may be a faster way."""
        output, _ = self.with_weights(inputs, causal)
        return output


class BlockAttention(Attention):
    """Attention that is computed for a block of queries at a time, unless the weights are asked
    for: a block stays in the processor's cache, and keys that come later are skipped. The weights
    of a query must not depend on how many queries and keys there are."""

    numbers = 3  # how many are in memory for each weight

    def attend(self, inputs: Inputs, causal: bool) -> Tensor:
        attend = partial(super().attend, causal=causal)
        return in_blocks(attend, inputs, causal, self.numbers * inputs.key.size(-2))


class DotProductAttention(Attention):
    """Attention whose scores are dot products: torch's fused kernel computes it, unless the weights
    are asked for."""

    def dot_product(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, float]:
        """Queries, keys and a scale for the kernel: the scores are ``scale * query @ key.mT``."""
        raise NotImplementedError

    def attend(self, inputs: Inputs, causal: bool) -> Tensor:
        query, key, scale = self.dot_product(inputs.query, inputs.key)
        return fused_attention(
            query,
            key,
            inputs.value,
            inputs.keep_mask,
            inputs.bias,
            causal,
            scale=scale,
            dropout=self.dropout if self.training else 0.0,
        )


class DistanceAttention(DotProductAttention):
    """Attention whose scores fall with half the squared distance of query and key, ½‖q − k‖² =
    ½‖q‖² − (q·k − ½‖k‖²). Softmax does not see ‖q‖², which is the same for all keys, and the rest
    is the dot product of [q, 1] and [k, −½‖k‖²]."""

    def sharpness(self) -> float | Tensor:
        """The factor of half the squared distance."""
        raise NotImplementedError

    def attend(self, inputs: Inputs, causal: bool) -> Tensor:
        check_widths(inputs.query, inputs.key)
        attend = partial(self.attend_near_zero, causal=causal)
        # For each head queries, keys and values are made anew: twice, since they get longer.
        numbers, queries = 6 * inputs.query.size(-1), inputs.query.size(-2)
        return in_blocks(attend, inputs, False, numbers, least=queries)

    def attend_near_zero(self, inputs: Inputs, causal: bool) -> Tensor:
        """The same for queries and keys that are all shifted, which changes no distance: near zero
        less is lost in rounding."""
        query, key, value, keep_mask, bias = inputs
        keep = combined_mask(query, key, keep_mask, causal=False)
        centre = key.mean(dim=-2, keepdim=True).nan_to_num()  # there may be no keys
        if keep is not None:  # keys that no query sees may be far off
            seen = keep.expand(*query.shape[:-1], key.size(-2)).any(dim=-2).unsqueeze(-1)
            key = key.masked_fill(~seen, 0.0)
            count = seen.sum(dim=-2, keepdim=True).clamp(min=1)
            centre = (key / count).sum(dim=-2, keepdim=True)  # float16 has no room for their sum
        shifted = Inputs(query - centre, key - centre, value, keep_mask, bias)
        return super().attend(shifted, causal)

    def dot_product(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, float]:
        falling = -0.5 * key.square().sum(dim=-1, keepdim=True)
        query = self.sharpness() * F.pad(query, (0, 1), value=1.0)
        return query, torch.cat((key, falling), dim=-1), 1.0


def check_widths(query: Tensor, key: Tensor) -> None:
    """Raise a ``ValueError`` unless queries and keys have as many features: one would stand for
    all, where distances are made of them."""
    if query.size(-1) != key.size(-1):
        raise ValueError(f"queries have {query.size(-1)} features, but keys {key.size(-1)}")


class ScaledDotProductAttention(DotProductAttention):
    r"""Attention whose scores are dot products of queries and keys, divided by √d_k.

        \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention.md:59, 70, 83, 94; vault/What goes wrong.md:119;
    vault/Encoder-decoder.excalidraw.md:96.
    """

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        return query @ key.mT / math.sqrt(query.size(-1))

    def dot_product(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, float]:
        return query, key, query.size(-1) ** -0.5


class CausalScaledDotProductAttention(ScaledDotProductAttention):
    r"""Attention whose scores are dot products of queries and keys, divided by √d_k, with later
    keys hidden.

        \mathrm{CausalAttention}(Q, K, V) = \mathrm{MaskedAttention}(Q, K, V, C)

        C_{ij} = \begin{cases} 0 & \text{if } j \le i \\ -\infty & \text{if } j > i \end{cases}

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    causal: True by default, as the formula says
    keep_mask, bias: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Masks.md:47.
    """

    causal = True


class UnscaledDotProductAttention(DotProductAttention):
    r"""Attention whose scores are dot products of queries and keys.

        o = \sum_{j=1}^{m} \mathrm{softmax}_j(q^\top k_j)\, v_j

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention scores.md:19, 64.
    """

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        return query @ key.mT

    def dot_product(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, float]:
        return query, key, 1.0


class SoftCappedScaledDotProductAttention(BlockAttention):
    r"""Attention whose scores are dot products of queries and keys, divided by c √d_k, put through
    c tanh(x).

        \mathrm{CappedAttn}(Q, K, V) =
            \mathrm{softmax}\left(c \tanh\left(\frac{QK^\top}{c \sqrt{d_k}}\right)\right) V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Beyond softmax.md:45.
    """

    def __init__(self, dropout: float = 0.0, c: float = 50.0) -> None:
        super().__init__(dropout)
        self.c = c

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        scores = query @ key.mT / (self.c * math.sqrt(query.size(-1)))
        return self.c * torch.tanh(scores)


class MaskedScaledDotProductAttention(ScaledDotProductAttention):
    r"""Attention whose scores are dot products of queries and keys, divided by √d_k, with M added.

        \mathrm{MaskedAttention}(Q, K, V, M) =
            \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right)V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    bias: the formula's M, (..., n, m)
    keep_mask, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Masks.md:16.
    """


class RescaledDotProductAttention(DotProductAttention):
    r"""Attention whose scores are dot products of queries and keys, divided by d_k.

        \mathrm{softmax}\left(\frac{QK^\top}{d_k}\right)V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/What goes wrong.md:108.
    """

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        return query @ key.mT / query.size(-1)

    def dot_product(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, float]:
        return query, key, 1 / query.size(-1)


class BilinearAttention(DotProductAttention):
    r"""Attention whose scores are products of query and key through a learned matrix.

        o = \sum_{j=1}^{m} \mathrm{softmax}_j\big(a(q, k_j)\big)\, v_j

        a(q, k) = q^\top W k

    query: (..., n, query_size)
    key: (..., m, key_size)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention scores.md:30, 34, 65.
    """

    def __init__(self, query_size: int, key_size: int, dropout: float = 0.0) -> None:
        super().__init__(dropout)
        check_sizes(query_size=query_size, key_size=key_size)
        self.W = Linear(query_size, key_size, bias=False)

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        scores: Tensor = self.W(query) @ key.mT
        return scores

    def dot_product(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, float]:
        return self.W(query), key, 1.0


class AdditiveAttention(BlockAttention):
    r"""Attention whose scores come from a small network on the sum of projected query and key.

        o = \sum_{j=1}^{m} \mathrm{softmax}_j\big(a(q, k_j)\big)\, v_j

        a(q, k) = w_v^\top \tanh(W_q q + W_k k)

    query: (..., n, query_size)
    key: (..., m, key_size)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention scores.md:45, 49, 66; vault/Sequence to sequence.md:28, 34.
    """

    def __init__(
        self, query_size: int, key_size: int, hidden_size: int, dropout: float = 0.0
    ) -> None:
        super().__init__(dropout)
        check_sizes(query_size=query_size, key_size=key_size, hidden_size=hidden_size)
        self.W_q = Linear(query_size, hidden_size, bias=False)
        self.W_k = Linear(key_size, hidden_size, bias=False)
        self.w_v = Linear(hidden_size, 1, bias=False)
        self.numbers = 2 * hidden_size

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        queries = self.W_q(query)
        keys = self.W_k(key)
        hidden = queries.unsqueeze(-2) + keys.unsqueeze(-3)
        hidden = torch.tanh(hidden)
        scores: Tensor = self.w_v(hidden).squeeze(-1)
        return scores


class KernelAttention(DistanceAttention):
    r"""Attention pooling whose weights come from a kernel of the distance of query and key.

        f(x) = \sum_{i=1}^{n} \frac{K(x - x_i)}{\sum_{j=1}^{n} K(x - x_j)}\, y_i

    query: (..., n, d)
    key: (..., m, d)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention.md:34.
    """

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The kernel's exponent, (..., n, m)."""
        check_widths(query, key)
        difference = query.unsqueeze(-2) - key.unsqueeze(-3)
        squared = difference.square().sum(dim=-1)
        return -0.5 * squared

    def sharpness(self) -> float | Tensor:
        return 1


class ParametricKernelAttention(DistanceAttention):
    r"""Attention pooling whose weights come from a kernel of the distance of query and key.

        \hat{f}(x) =
            \sum_{i=1}^{n} \mathrm{softmax}_i\left(-\frac{1}{2}\big((x - x_i)\, w\big)^2\right) y_i

    query: (..., n, d)
    key: (..., m, d)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Attention.md:40.
    """

    def __init__(self, dropout: float = 0.0, w: float = 1.0) -> None:
        super().__init__(dropout)
        self.w = nn.Parameter(torch.tensor(float(w)))

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The kernel's exponent, (..., n, m)."""
        check_widths(query, key)
        difference = query.unsqueeze(-2) - key.unsqueeze(-3)
        squared = difference.square().sum(dim=-1)
        scores: Tensor = -0.5 * squared * self.w.square()
        return scores

    def sharpness(self) -> float | Tensor:
        return self.w.square()


class DifferentialAttention(Attention):
    r"""The difference of two attentions on the same values, in which their noise cancels out.

        \mathrm{DiffAttn}(Q, K, V) = \left(
            \mathrm{softmax}\left(\frac{Q_1 K_1^\top}{\sqrt{d}}\right) - \lambda\,
            \mathrm{softmax}\left(\frac{Q_2 K_2^\top}{\sqrt{d}}\right) \right) V

    query: (..., n, 2 d), the queries of both attentions side by side
    key: (..., m, 2 d), their keys
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m), which may be negative

    From vault/Beyond softmax.md:20.
    """

    def __init__(self, dropout: float = 0.0, lambda_: float = 0.8) -> None:
        super().__init__(dropout)
        self.lambda_ = nn.Parameter(torch.tensor(float(lambda_)))

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query of one of the two with each of its keys, (..., n, m)."""
        return query @ key.mT / math.sqrt(query.size(-1))

    def weights(
        self, query: Tensor, key: Tensor, keep: Tensor | None, bias: Tensor | None
    ) -> Tensor:
        first, second = (
            masked_softmax(self.scores(q, k), keep, bias) for q, k in self.halves(query, key)
        )
        return first - self.lambda_ * second

    def halves(self, query: Tensor, key: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """The queries and keys of each of the two attentions."""
        if query.size(-1) % 2:
            raise ValueError(f"queries of {query.size(-1)} features cannot be parted in two halves")
        return zip(query.chunk(2, dim=-1), key.chunk(2, dim=-1), strict=True)

    def attend(self, inputs: Inputs, causal: bool) -> Tensor:
        if self.training and self.dropout > 0:
            return super().attend(inputs, causal)
        query, key, value, keep_mask, bias = inputs
        first, second = (
            fused_attention(q, k, value, keep_mask, bias, causal, scale=q.size(-1) ** -0.5)
            for q, k in self.halves(query, key)
        )
        return first - self.lambda_ * second


class SigmoidAttention(BlockAttention):
    r"""Attention whose weights are sigmoids of the scores, and are not normalised.

        \mathrm{SigmoidAttn}(Q, K, V) = \sigma\left(\frac{QK^\top}{\sqrt{d_k}} + b\right) V

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m), which add up to
        anything

    From vault/Beyond softmax.md:34.
    """

    def __init__(self, dropout: float = 0.0, b: float = 0.0) -> None:
        super().__init__(dropout)
        self.b = b

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        scores: Tensor = query @ key.mT / math.sqrt(query.size(-1)) + self.b
        return scores

    def weights(
        self, query: Tensor, key: Tensor, keep: Tensor | None, bias: Tensor | None
    ) -> Tensor:
        scores = self.scores(query, key)
        if bias is not None:
            scores = scores + as_bias(bias, scores)
        weights = torch.sigmoid(scores)
        return weights if keep is None else weights.masked_fill(~keep, 0.0)


class LinearAttention(Attention):
    r"""Attention whose weights are products of features of query and key, linear in the length.

        \mathrm{LinearAttn}_i = \frac{\sum_{j \le i} \phi(q_i)^\top \phi(k_j)\, v_j}{\sum_{j \le i}
            \phi(q_i)^\top \phi(k_j)},
        \qquad \phi(x) = \mathrm{elu}(x) + 1

    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    keep_mask: as in Attention
    causal: True by default, as the formula says
    bias: none, since there are no scores to add one to
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Beyond softmax.md:56.
    """

    causal = True

    def feature_map(self, x: Tensor) -> Tensor:
        """The features of queries or keys."""
        return F.elu(x) + 1

    def weights(
        self, query: Tensor, key: Tensor, keep: Tensor | None, bias: Tensor | None
    ) -> Tensor:
        """How much each key counts for each query, (..., n, m): n m numbers, which the output
        alone does not need."""
        if bias is not None:
            raise ValueError("a bias is added to scores, which linear attention does not have")
        weights = self.feature_map(query) @ self.feature_map(key).mT
        if keep is not None:
            weights = weights.masked_fill(~keep, 0.0)
        mean = weights.mean(dim=-1, keepdim=True)  # float16 has no room for the sum of many
        return weights / mean.masked_fill(mean == 0, 1.0) / weights.size(-1)

    def attend(self, inputs: Inputs, causal: bool) -> Tensor:
        query, key, value, keep_mask, bias = inputs
        keep = combined_mask(query, key, keep_mask, causal=False)
        by_query = keep is not None and keep.dim() > 1 and keep.size(-2) != 1
        if by_query or bias is not None or (self.training and self.dropout > 0):
            return super().attend(inputs, causal)
        if value.size(-2) != key.size(-2):  # where blocks are filled up, zeros would stand in
            raise ValueError(f"there are {key.size(-2)} keys, but {value.size(-2)} values")
        # Of ones, the sums are those of the weights; float16 has room for no more than means.
        value = F.pad(value, (0, 1), value=1.0) / value.size(-2)
        if keep is not None:
            hidden = ~keep.reshape(*keep.shape[:-2], keep.size(-1), 1)
            key, value = key.masked_fill(hidden, 0.0), value.masked_fill(hidden, 0.0)
        if causal:
            return self.attend_before(query, key, value)
        sums = self.feature_map(key).mT @ value
        return self.averages(self.feature_map(query) @ sums)

    def attend_before(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """The output where a query sees no key after its own position, in blocks of queries: what
        lies before a block is summed up in a matrix."""
        ahead = key.size(-2) - query.size(-2)
        if isinstance(ahead, torch.SymInt):  # a program is made for lengths that are not known yet
            return self.all_aligned(query, key, value, ahead)
        if ahead < 0:  # the first queries see no key
            seeing = self.attend_before(query[..., -ahead:, :], key, value)
            return F.pad(seeing, (0, 0, -ahead, 0))
        if torch.compiler.is_compiling() or torch.is_grad_enabled():
            return self.all_blocks(query, key, value, ahead)
        blocks = self.each_block(query, key, value, ahead)
        return concatenated(blocks, query.size(-2), dim=-2)

    def all_blocks(self, query: Tensor, key: Tensor, value: Tensor, ahead: int) -> Tensor:
        """All blocks at once, for a compiler, and for gradients, which keep them all anyway."""
        query, key, rows = self.feature_map(query), self.feature_map(key), query.size(-2)
        first = key[..., :ahead, :].mT @ value[..., :ahead, :]
        q, k, v = (blocked(x, 64) for x in (query, key[..., ahead:, :], value[..., ahead:, :]))
        sums = torch.cat((first.unsqueeze(-3), k.mT @ v), dim=-3)
        before = sums.cumsum(dim=-3)[..., :-1, :, :]
        near = (q @ k.mT).tril()
        return self.averages(unblocked(q @ before + near @ v, rows))

    def all_aligned(self, query: Tensor, key: Tensor, value: Tensor, ahead: int) -> Tensor:
        """The same without asking whether there are more queries or keys: as many are put before
        the first ones as are missing, and a block more, since a count that may be 0 would be always
        0. Such keys count for nothing."""
        before, missing = (
            64 + torch.sym_max(count, 0)  # type: ignore[no-untyped-call]
            for count in (ahead, -ahead)
        )
        query = F.pad(query, (0, 0, before, 0))
        key, value = (F.pad(x, (0, 0, missing, 0)) for x in (key, value))
        return self.all_blocks(query, key, value, 0)[..., before:, :]

    def each_block(self, query: Tensor, key: Tensor, value: Tensor, ahead: int) -> Iterator[Tensor]:
        """One block after another, so that no more than one is in memory."""
        seen = (parts(x[..., :ahead, :], 1024, dim=-2) for x in (key, value))
        sums = (self.feature_map(k).mT @ v for k, v in zip(*seen, strict=True))
        before = reduce(torch.add, sums)
        own = (query, key[..., ahead:, :], value[..., ahead:, :])
        for q, k, v in zip(*(parts(x, 64, dim=-2) for x in own), strict=True):
            q, k = self.feature_map(q), self.feature_map(k)
            near = (q @ k.mT).tril()
            yield self.averages(q @ before + near @ v)
            before = before + k.mT @ v

    @staticmethod
    def averages(sums: Tensor) -> Tensor:
        """Weighted sums over the sum of their weights, which stands behind them."""
        sums, total = sums[..., :-1], sums[..., -1:]
        return sums / total.masked_fill(total == 0, 1.0)


class RelativeSelfAttention(nn.Module):
    r"""Self-attention that knows how far each key stands from the query.

        z_i = \sum_{j=1}^n \mathrm{softmax}_j(e_{ij}) \left(x_j W^V + a_{ij}^V\right)

        e_{ij} = \frac{x_i W^Q \left(x_j W^K + a_{ij}^K\right)^\top}{\sqrt{d_k}}

        a_{ij}^K = w^K_{\mathrm{clip}(j-i, c)}, \qquad a_{ij}^V = w^V_{\mathrm{clip}(j-i, c)}

    max_distance: how far a key can stand from a query and still have a row of its own
    x: (B, n, d_model)
    keep_mask: True to keep; (B, n) or (B, n, n)
    bias: added to the scores, (B, n, n) or what broadcasts to it
    returns: (B, n, d_v), and with need_weights the weights, (B, n, n)

    From vault/Relative positions.md:17, 23.
    """

    def __init__(
        self, d_model: int, d_k: int, d_v: int, max_distance: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_sizes(d_model=d_model, d_k=d_k, d_v=d_v)
        check_sizes(least=0, max_distance=max_distance)
        self.W_Q = Linear(d_model, d_k, bias=False)
        self.W_K = Linear(d_model, d_k, bias=False)
        self.W_V = Linear(d_model, d_v, bias=False)
        self.max_distance = max_distance
        self.w_K = nn.Parameter(torch.empty(2 * max_distance + 1, d_k))
        nn.init.normal_(self.w_K, std=0.02)
        self.w_V = nn.Parameter(torch.empty(2 * max_distance + 1, d_v))
        nn.init.normal_(self.w_V, std=0.02)
        check_dropout(dropout)
        self.dropout = dropout

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        keep_mask = batched_mask(keep_mask, query)
        weights = masked_softmax(self.scores(query, key), keep_mask, bias)
        counted = F.dropout(weights, self.dropout, self.training)
        rows = self.rows(query.size(-2), key.size(-2)).expand_as(counted)
        by_row = counted.new_zeros(*counted.shape[:-1], len(self.w_V))
        by_row = by_row.scatter_add(-1, rows, counted)
        output = counted @ value + by_row @ self.w_V
        return (output, weights) if need_weights else output

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (B, n, n)."""
        scores = query @ key.mT + self.by_distance(query, key.size(-2))
        scores = scores / math.sqrt(query.size(-1))
        return scores

    def by_distance(self, query: Tensor, keys: int) -> Tensor:
        """The queries times the rows for their distances to the keys, (B, n, n)."""
        products = query @ self.w_K.T
        rows = self.rows(query.size(-2), keys)
        return products.gather(-1, rows.expand(*query.shape[:-1], keys))

    def rows(self, queries: int, keys: int) -> Tensor:
        """For each query and key, which row has their distance, (queries, keys)."""
        distance = distances(queries, keys, self.w_K.device)
        return distance.clamp(-self.max_distance, self.max_distance) + self.max_distance


class RelativePositionAttention(DotProductAttention):
    r"""Dot-product attention that knows how far each key stands from the query.

        \mathrm{Relative}(q_i, k, v) = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top \left(k_j +
            r_{\mathrm{clip}(j-i, c)}\right)}{\sqrt{d_k}}\right) v_j

    max_distance: how far a key can stand from a query and still have a row of its own
    query: (..., n, d_k)
    key: (..., m, d_k)
    value: (..., m, d_v)
    keep_mask, bias, causal: as in Attention
    returns: (..., n, d_v), and with need_weights the weights, (..., n, m)

    From vault/Relative positions.md:45.
    """

    def __init__(self, d_k: int, max_distance: int, dropout: float = 0.0) -> None:
        super().__init__(dropout)
        check_sizes(d_k=d_k)
        check_sizes(least=0, max_distance=max_distance)
        self.max_distance = max_distance
        self.r = nn.Parameter(torch.empty(2 * max_distance + 1, d_k))
        nn.init.normal_(self.r, std=0.02)

    def attend(self, inputs: Inputs, causal: bool) -> Tensor:
        query, key, _, _, bias = inputs
        relative = self.by_distance(query, key.size(-2)) / math.sqrt(query.size(-1))
        bias = relative if bias is None else as_bias(bias, relative) + relative
        return super().attend(inputs._replace(bias=bias), causal)

    def dot_product(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, float]:
        return query, key, query.size(-1) ** -0.5

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The score of each query with each key, (..., n, m)."""
        scores = query @ key.mT + self.by_distance(query, key.size(-2))
        scores = scores / math.sqrt(query.size(-1))
        return scores

    def by_distance(self, query: Tensor, keys: int) -> Tensor:
        """The queries times the rows for their distances to the keys, (..., n, m)."""
        products = query @ self.r.T
        rows = self.rows(query.size(-2), keys)
        return products.gather(-1, rows.expand(*query.shape[:-1], keys))

    def rows(self, queries: int, keys: int) -> Tensor:
        """For each query and key, which row has their distance, (queries, keys)."""
        distance = distances(queries, keys, self.r.device)
        return distance.clamp(-self.max_distance, self.max_distance) + self.max_distance


class SynthesizerAttention(nn.Module):
    r"""Attention whose scores are made from each position alone, without comparing it to others.

        \mathrm{Synthesizer}(X) = \mathrm{softmax}\left(\mathrm{ReLU}(XA + b_1)B + b_2\right)(XV)

    x: (..., n, d_model), with n at most max_len
    keep_mask: True to keep; (B, n) or (B, n, n)
    bias: added to the scores, (..., n, n)
    causal: a position sees none after its own
    returns: (..., n, value_size), and with need_weights the weights, (..., n, n)

    From vault/Self-attention.md:57.
    """

    def __init__(
        self, d_model: int, hidden_size: int, value_size: int, max_len: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_sizes(
            d_model=d_model, hidden_size=hidden_size, value_size=value_size, max_len=max_len
        )
        self.A = Linear(d_model, hidden_size)
        self.B = Linear(hidden_size, max_len)
        self.V = Linear(d_model, value_size, bias=False)
        check_dropout(dropout)
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
        keep_mask = batched_mask(keep_mask, x)
        column = self.B.weight[:length]
        # What is added to the columns is that of one feature more, which is always one.
        column = torch.cat((column, self.B.bias[:length, None]), dim=-1)
        if need_weights:
            keep = combined_mask(x, x, keep_mask, causal)
            weights = masked_softmax(self.features(x) @ column.mT, keep, bias)
            output = F.dropout(weights, self.dropout, self.training) @ self.V(x)
            return output, weights
        inputs = Inputs(x, column, x, keep_mask, bias)
        # For each sequence there are features and values, twice where they are made longer.
        numbers = 6 * column.size(-1)
        return in_blocks(partial(self.attend, causal=causal), inputs, False, numbers, least=length)

    def features(self, x: Tensor) -> Tensor:
        """What the scores of each position are linear in, (..., n, hidden_size + 1)."""
        hidden: Tensor = self.A(x)
        return F.pad(F.relu(hidden), (0, 1), value=1.0)

    def attend(self, inputs: Inputs, causal: bool) -> Tensor:
        """The output alone, by the fused kernel."""
        return fused_attention(
            self.features(inputs.query),
            inputs.key,
            self.V(inputs.value),
            inputs.keep_mask,
            inputs.bias,
            causal,
            scale=1.0,
            dropout=self.dropout if self.training else 0.0,
        )


class Seq2SeqAttention(nn.Module):
    r"""Attention of a decoder's state on the states of an encoder, which are keys and values at
    once.

        c_t = \sum_{j=1}^{m} \alpha_{tj} h_j

        e_{tj} = v_a^\top \tanh(W_a s_{t-1} + U_a h_j)

        \alpha_{tj} = \frac{\exp(e_{tj})}{\sum_{k=1}^{m} \exp(e_{tk})}

    state: (..., state_size), or several, (..., T, state_size)
    memory: (..., m, memory_size)
    keep_mask: True to keep; (B, m) or (B, T, m)
    bias: added to the scores; (..., m) or (..., T, m)
    returns: (..., memory_size) or (..., T, memory_size), and with need_weights the weights,
        (..., m) or (..., T, m)

    From vault/Sequence to sequence.md:40.
    """

    def __init__(
        self, state_size: int, memory_size: int, hidden_size: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_sizes(state_size=state_size, memory_size=memory_size, hidden_size=hidden_size)
        self.W_a = Linear(state_size, hidden_size, bias=False)
        self.U_a = Linear(memory_size, hidden_size, bias=False)
        self.v_a = Linear(hidden_size, 1, bias=False)
        check_dropout(dropout)
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
        bias = bias.unsqueeze(-2) if alone and bias is not None else bias
        weights = masked_softmax(self.scores(query, memory), keep_mask, bias)
        context = F.dropout(weights, self.dropout, self.training) @ memory
        if alone:
            context, weights = context.squeeze(-2), weights.squeeze(-2)
        return (context, weights) if need_weights else context

    def scores(self, query: Tensor, memory: Tensor) -> Tensor:
        """The score of each state of the decoder with each of the encoder, (..., T, m)."""
        queries = self.W_a(query)
        keys = self.U_a(memory)
        hidden = queries.unsqueeze(-2) + keys.unsqueeze(-3)
        hidden = torch.tanh(hidden)
        scores: Tensor = self.v_a(hidden).squeeze(-1)
        return scores


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Each head's share of the features: (B, n, d) to (B, num_heads, n, d / num_heads)."""
    return x.reshape(*x.shape[:-1], num_heads, x.size(-1) // num_heads).transpose(-3, -2)


def join_heads(heads: Tensor) -> Tensor:
    """The heads side by side: (B, num_heads, n, head_size) to (B, n, num_heads * head_size)."""
    return heads.transpose(-3, -2).flatten(-2)


def check_given(attention: Attention, dropout: float) -> None:
    """Raise an error unless an attention that is given can be that of heads, with the dropout that
    it has itself."""
    if dropout:
        raise ValueError("the attention that is given has a dropout of its own: set it there")
    if not isinstance(attention, Attention):
        name = type(attention).__name__
        raise TypeError(f"attention must be one of query, key and value, not a {name}")


class MultiHeadAttention(nn.Module):
    r"""Attention in several heads side by side, each with its own projections of the input.

        \begin{aligned}
        \mathrm{MultiHead}(Q, K, V) &=
            \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\, W^O \\
        \mathrm{head}_i &= \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)
        \end{aligned}

    attention: what each head computes, for heads of d_model / num_heads features;
        ScaledDotProductAttention by default
    query: (B, n, d_model)
    key: (B, m, d_model), by default the query
    value: (B, m, d_model), by default the key
    keep_mask: True to keep; (B, m), (B, n, m) or (B, num_heads, n, m)
    bias: added to the scores, (B, num_heads, n, m) or what broadcasts to it
    causal: whether a query sees no key after its own position, by default as the attention of the
        heads says
    cache: keeps keys and values between calls: without key, those of the query are added to it;
        else those of key and value are made in the first call
    returns: (B, n, d_model), and with need_weights the weights, (B, num_heads, n, m)

    From vault/Multi-head attention.md:17.
    """

    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, attention: Attention | None = None
    ) -> None:
        super().__init__()
        check_multiples(d_model=d_model, num_heads=num_heads)
        self.num_heads = num_heads
        self.W_Q = Linear(d_model, d_model, bias=False)
        self.W_K = Linear(d_model, d_model, bias=False)
        self.W_V = Linear(d_model, d_model, bias=False)
        self.W_O = Linear(d_model, d_model, bias=False)
        if attention is None:
            attention = ScaledDotProductAttention(dropout)
        else:
            check_given(attention, dropout)
        self.attention = attention

    def extra_repr(self) -> str:
        return f"num_heads={self.num_heads}"

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        causal: bool | None = None,
        cache: KeyValueCache | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        self_attention = key is None
        key = query if key is None else key
        value = key if value is None else value
        query = split_heads(self.W_Q(query), self.num_heads)
        if cache is not None and cache.length and not self_attention:
            key, value = cache.held()
        else:
            key = split_heads(self.W_K(key), self.num_heads)
            value = split_heads(self.W_V(value), self.num_heads)
            if cache is not None:
                key, value = cache.extend(key, value)
        output = self.attention(
            query,
            key,
            value,
            keep_mask=batched_mask(keep_mask, query, heads=True),
            bias=bias,
            causal=causal,
            need_weights=need_weights,
        )
        if need_weights:
            heads, weights = output
            return self.W_O(join_heads(heads)), weights
        joined: Tensor = self.W_O(join_heads(output))
        return joined


class CausalSelfAttention(nn.Module):
    r"""Self-attention in several heads, in which a position sees itself and those before it.

        \mathrm{MaskedMultiHead}(X) =
            \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\, W^O,
        \quad \text{where } \mathrm{head}_i = \mathrm{CausalAttention}(XW_i^Q, XW_i^K, XW_i^V)

    attention: what each head computes, for heads of d_model / num_heads features;
        CausalScaledDotProductAttention by default
    x: (B, n, d_model)
    keep_mask: True to keep; (B, n), (B, n, n) or (B, num_heads, n, n); with a cache, for all
        positions so far
    bias: added to the scores, (B, num_heads, n, n) or what broadcasts to it
    cache: keeps the keys and values of x, which goes on where those before it end
    returns: (B, n, d_model), and with need_weights the weights, (B, num_heads, n, n)

    From vault/Multi-head attention.md:40.
    """

    biased = False  # whether its linear maps have biases

    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, attention: Attention | None = None
    ) -> None:
        super().__init__()
        check_multiples(d_model=d_model, num_heads=num_heads)
        self.num_heads = num_heads
        self.W_Q = Linear(d_model, d_model, bias=self.biased)
        self.W_K = Linear(d_model, d_model, bias=self.biased)
        self.W_V = Linear(d_model, d_model, bias=self.biased)
        self.W_O = Linear(d_model, d_model, bias=self.biased)
        if attention is None:
            attention = CausalScaledDotProductAttention(dropout)
        else:
            check_given(attention, dropout)
        self.attention = attention

    def extra_repr(self) -> str:
        return f"num_heads={self.num_heads}"

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        cache: KeyValueCache | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        query = split_heads(self.W_Q(x), self.num_heads)
        key = split_heads(self.W_K(x), self.num_heads)
        value = split_heads(self.W_V(x), self.num_heads)
        if cache is not None:
            key, value = cache.extend(key, value)
        output = self.attention(
            query,
            key,
            value,
            keep_mask=batched_mask(keep_mask, query, heads=True),
            bias=bias,
            causal=True,
            need_weights=need_weights,
        )
        if need_weights:
            heads, weights = output
            return self.W_O(join_heads(heads)), weights
        joined: Tensor = self.W_O(join_heads(output))
        return joined


class BiasedCausalSelfAttention(CausalSelfAttention):
    r"""Self-attention in several heads, in which a position sees itself and those before it, with
    biases.

        \begin{aligned}
        \mathrm{BiasedHeads}(X) &=
            \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\, W^O + b^O \\
        \mathrm{head}_i &= \mathrm{CausalAttention}(XW_i^Q + b_i^Q, XW_i^K + b_i^K, XW_i^V + b_i^V)
        \end{aligned}

    attention: what each head computes, for heads of d_model / num_heads features;
        CausalScaledDotProductAttention by default
    x: (B, n, d_model)
    keep_mask: True to keep; (B, n), (B, n, n) or (B, num_heads, n, n); with a cache, for all
        positions so far
    bias: added to the scores, (B, num_heads, n, n) or what broadcasts to it
    cache: keeps the keys and values of x, which goes on where those before it end
    returns: (B, n, d_model), and with need_weights the weights, (B, num_heads, n, n)

    From vault/GPT.md:43.
    """

    biased = True


class SelfAttention(nn.Module):
    r"""Attention of a sequence to itself, through learned projections.

        \mathrm{SelfAttention}(X) = \mathrm{Attention}(Q, K, V)

        Q = XW^Q, \quad K = XW^K, \quad V = XW^V

    x: (B, n, d_model)
    keep_mask: True to keep; (B, n) or (B, n, n)
    bias: added to the scores, (B, n, n) or what broadcasts to it
    returns: (B, n, d_v), and with need_weights the weights, (B, n, n)

    From vault/Self-attention.md:23.
    """

    def __init__(self, d_model: int, d_k: int, d_v: int, dropout: float = 0.0) -> None:
        super().__init__()
        check_sizes(d_model=d_model, d_k=d_k, d_v=d_v)
        self.W_Q = Linear(d_model, d_k, bias=False)
        self.W_K = Linear(d_model, d_k, bias=False)
        self.W_V = Linear(d_model, d_v, bias=False)
        self.attention = ScaledDotProductAttention(dropout)

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        output: Tensor | tuple[Tensor, Tensor] = self.attention(
            self.W_Q(x),
            self.W_K(x),
            self.W_V(x),
            keep_mask=batched_mask(keep_mask, x),
            bias=bias,
            need_weights=need_weights,
        )
        return output


class SingleHeadCausalSelfAttention(nn.Module):
    r"""Self-attention in one head, in which a position sees itself and those before it.

        \mathrm{CausalSelfAttention}(X) = \mathrm{CausalAttention}(XW^Q, XW^K, XW^V)

    x: (B, n, d_model)
    keep_mask: True to keep; (B, n) or (B, n, n)
    bias: added to the scores, (B, n, n) or what broadcasts to it
    returns: (B, n, d_v), and with need_weights the weights, (B, n, n)

    From vault/Self-attention.md:37.
    """

    def __init__(self, d_model: int, d_k: int, d_v: int, dropout: float = 0.0) -> None:
        super().__init__()
        check_sizes(d_model=d_model, d_k=d_k, d_v=d_v)
        self.W_Q = Linear(d_model, d_k, bias=False)
        self.W_K = Linear(d_model, d_k, bias=False)
        self.W_V = Linear(d_model, d_v, bias=False)
        self.attention = ScaledDotProductAttention(dropout)

    def forward(
        self,
        x: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        output: Tensor | tuple[Tensor, Tensor] = self.attention(
            self.W_Q(x),
            self.W_K(x),
            self.W_V(x),
            keep_mask=batched_mask(keep_mask, x),
            bias=bias,
            causal=True,
            need_weights=need_weights,
        )
        return output


class CrossAttention(nn.Module):
    r"""Attention whose queries come from one sequence and whose keys and values from another.

        \mathrm{CrossAttention}(X, Z) =
            \mathrm{softmax}\left(\frac{XW^Q (ZW^K)^\top}{\sqrt{d_k}}\right) ZW^V

    x: (B, n, d_model), which asks
    memory: (B, m, d_memory), which answers
    keep_mask: True to keep; (B, m) or (B, n, m)
    bias: added to the scores, (B, n, m) or what broadcasts to it
    returns: (B, n, d_v), and with need_weights the weights, (B, n, m)

    From vault/Self-attention.md:46.
    """

    def __init__(
        self, d_model: int, d_memory: int, d_k: int, d_v: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_sizes(d_model=d_model, d_memory=d_memory, d_k=d_k, d_v=d_v)
        self.W_Q = Linear(d_model, d_k, bias=False)
        self.W_K = Linear(d_memory, d_k, bias=False)
        self.W_V = Linear(d_memory, d_v, bias=False)
        self.attention = ScaledDotProductAttention(dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        *,
        keep_mask: Tensor | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        output: Tensor | tuple[Tensor, Tensor] = self.attention(
            self.W_Q(x),
            self.W_K(memory),
            self.W_V(memory),
            keep_mask=batched_mask(keep_mask, x),
            bias=bias,
            need_weights=need_weights,
        )
        return output
