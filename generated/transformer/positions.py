"""Positions: telling a model where in a sequence each token stands."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .sizes import check_sizes


def check_positions(x: Tensor, start: int, max_len: int, width: int) -> None:
    """Raise a ``ValueError`` unless a table, (max_len, width), has rows for those of x from
    ``start`` on; no row and no feature is to stand for all."""
    end = start + x.size(-2)
    if start < 0:
        raise ValueError(f"start={start} is negative")
    if end > max_len:
        raise ValueError(f"a sequence of {end} is longer than max_len={max_len}")
    if x.size(-1) != width:
        raise ValueError(f"x has {x.size(-1)} features, not {width}")


class SinusoidalPositionalEncoding(nn.Module):
    r"""Fixed encodings of positions by sines and cosines of falling frequency.

        \begin{aligned}
        PE_{(pos, 2i)} &= \sin\left(\frac{pos}{10000^{2i/d_{\text{model}}}}\right) \\
        PE_{(pos, 2i+1)} &= \cos\left(\frac{pos}{10000^{2i/d_{\text{model}}}}\right)
        \end{aligned}

    x: (..., n, d_model)
    start: the position of the first row of x
    returns: (..., n, d_model), x with the encodings of its positions added

    From vault/Tokens and positions.md:32.
    """

    encodings: Tensor

    def __init__(self, d_model: int, max_len: int = 5000) -> None:
        super().__init__()
        check_sizes(d_model=d_model, max_len=max_len)
        # In float64, since sines of large float32 numbers are off in the third decimal.
        position = torch.arange(max_len)[:, None]
        columns = torch.arange(0, d_model, 2, dtype=torch.float64)
        angles = position / 10000 ** (columns / d_model)
        encodings = torch.empty(max_len, d_model)
        encodings[:, 0::2] = torch.sin(angles)
        encodings[:, 1::2] = torch.cos(angles[:, : d_model // 2])
        self.register_buffer("encodings", encodings, persistent=False)

    def extra_repr(self) -> str:
        max_len, d_model = self.encodings.shape
        return f"d_model={d_model}, max_len={max_len}"

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        end = start + x.size(-2)
        check_positions(x, start, *self.encodings.shape)
        return x + self.encodings[start:end].to(x.dtype)


def distances(queries: int, keys: int, device: torch.device) -> Tensor:
    """How far behind each query each key stands, (queries, keys); less than zero before it.

    With fewer queries than keys, as with a cache, the queries are the last ones.
    """
    column = torch.arange(keys, device=device)
    row = torch.arange(keys - queries, keys, device=device)[:, None]
    return column - row


class RelativePositionBias(nn.Module):
    r"""A learned bias on attention's scores for each distance of query and key, in each head.

        B_{h,i,j} = b_{h,\mathrm{clip}(j-i, c)}, \qquad h = 1, \dots, H

    max_distance: how far a key can stand from a query and still have a number of its own
    queries: how many queries there are
    keys: how many keys, by default as many; the queries are the last ones, as with a cache
    returns: (num_heads, queries, keys), the argument ``bias`` of an attention with heads

    From vault/Relative positions.md:54.
    """

    def __init__(self, num_heads: int, max_distance: int) -> None:
        super().__init__()
        check_sizes(num_heads=num_heads)
        check_sizes(least=0, max_distance=max_distance)
        self.max_distance = max_distance
        self.b = nn.Parameter(torch.empty(num_heads, 2 * max_distance + 1))
        nn.init.normal_(self.b, std=0.02)

    def extra_repr(self) -> str:
        return f"num_heads={len(self.b)}, max_distance={self.max_distance}"

    def forward(self, queries: int, keys: int | None = None) -> Tensor:
        keys = queries if keys is None else keys
        distance = distances(queries, keys, self.b.device)
        distance = distance.clamp(-self.max_distance, self.max_distance)
        return self.b[:, distance + self.max_distance]


class RotaryEmbedding(nn.Module):
    r"""Turns pairs of features by angles that grow with the position.

        \begin{pmatrix} x'_{m,2i} \\ x'_{m,2i+1} \end{pmatrix} =
        \begin{pmatrix} \cos m\theta_i & -\sin m\theta_i \\ \sin m\theta_i & \cos m\theta_i
            \end{pmatrix}
        \begin{pmatrix} x_{m,2i} \\ x_{m,2i+1} \end{pmatrix}, \qquad \theta_i = 10000^{-2i/d}

    x: (..., n, d_k), such as the queries or the keys of all heads
    start: the position of the first row
    returns: (..., n, d_k), each row turned by the angles of its position

    From vault/Tokens and positions.md:54.
    """

    cosines: Tensor
    sines: Tensor

    def __init__(self, d_k: int, max_len: int = 5000) -> None:
        super().__init__()
        check_sizes(d_k=d_k, max_len=max_len)
        if d_k % 2:
            raise ValueError(f"d_k={d_k} is odd: features are turned in pairs")
        # In float64, since sines of large float32 numbers are off in the third decimal.
        position = torch.arange(max_len)[:, None]
        frequencies = 10000 ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)
        angles = position * frequencies
        dtype = torch.get_default_dtype()
        self.register_buffer("cosines", angles.cos().to(dtype), persistent=False)
        self.register_buffer("sines", angles.sin().to(dtype), persistent=False)

    def extra_repr(self) -> str:
        max_len, pairs = self.cosines.shape
        return f"d_k={2 * pairs}, max_len={max_len}"

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        end, (max_len, pairs) = start + x.size(-2), self.cosines.shape
        check_positions(x, start, max_len, 2 * pairs)
        cosines, sines = self.cosines[start:end], self.sines[start:end]
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = [even * cosines - odd * sines, odd * cosines + even * sines]
        return torch.stack(turned, dim=-1).flatten(-2).type_as(x)


class ALiBi(nn.Module):
    r"""A bias on attention's scores that falls with the distance, in each head by its own slope.

        B_{h,i,j} = m_h\, (j - i), \qquad m_h = 2^{-8h/H}, \quad h = 1, \dots, H

    queries: how many queries there are
    keys: how many keys, by default as many; the queries are the last ones, as with a cache
    returns: (num_heads, queries, keys), the argument ``bias`` of an attention with heads

    From vault/Tokens and positions.md:67.
    """

    slopes: Tensor

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        check_sizes(num_heads=num_heads)
        heads = torch.arange(1, num_heads + 1)
        self.register_buffer("slopes", 2.0 ** (-8 * heads / num_heads), persistent=False)

    def extra_repr(self) -> str:
        return f"num_heads={len(self.slopes)}"

    def forward(self, queries: int, keys: int | None = None) -> Tensor:
        keys = queries if keys is None else keys
        distance = distances(queries, keys, self.slopes.device)
        return self.slopes[:, None, None] * distance
