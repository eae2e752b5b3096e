"""Positions: telling a model where in a sequence each token stands."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SinusoidalPositionalEncoding(nn.Module):
    r"""Fixed encodings of positions by sines and cosines of falling frequency.

        \begin{aligned}
        PE_{(pos, 2i)} &= \sin\left(\frac{pos}{10000^{2i/d_{\text{model}}}}\right) \\
        PE_{(pos, 2i+1)} &= \cos\left(\frac{pos}{10000^{2i/d_{\text{model}}}}\right)
        \end{aligned}

    x: (..., n, d_model)
    returns: (..., n, d_model), x with the encodings of its positions added

    From vault/Tokens and positions.md:32.
    """

    encodings: Tensor

    def __init__(self, d_model: int, max_len: int = 5000) -> None:
        super().__init__()
        # In float64, since sines of large float32 numbers are off in the third decimal.
        position = torch.arange(max_len, dtype=torch.float64)[:, None]
        columns = torch.arange(0, d_model, 2, dtype=torch.float64)
        angles = position / 10000 ** (columns / d_model)
        encodings = torch.empty(max_len, d_model, dtype=torch.float64)
        encodings[:, 0::2] = torch.sin(angles)
        encodings[:, 1::2] = torch.cos(angles[:, : d_model // 2])
        encodings = encodings.to(torch.get_default_dtype())
        self.register_buffer("encodings", encodings, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        length, max_len = x.size(-2), self.encodings.size(0)
        if length > max_len:
            raise ValueError(f"a sequence of {length} is longer than max_len={max_len}")
        return x + self.encodings[:length].to(x.dtype)
