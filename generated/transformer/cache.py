"""Caches: keys and values that are kept while a text grows."""

from __future__ import annotations

from torch import Tensor


class KeyValueCache:
    """The keys and values that one attention layer has made of the positions so far, so that a
    text which grows is not read from its beginning again.

    max_len: how many positions there is room for; the room is taken once, by the first of them

    The batch may be anything, (B, num_heads, n, d) as well as (B, n, d), but stays the same. It is
    for inference, under ``torch.no_grad()``: gradients do not survive that it is written in place.
    """

    _keys: Tensor
    _values: Tensor

    def __init__(self, max_len: int) -> None:
        self.max_len = max_len
        self.length = 0

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add the keys and values of the next positions; gives those of all positions so far."""
        if value.size(-2) != key.size(-2):  # one would do for all, once it is in its place
            raise ValueError(f"there are {key.size(-2)} keys, but {value.size(-2)} values")
        end = self.length + key.size(-2)
        if end > self.max_len:
            raise ValueError(f"a cache for {self.max_len} positions has no room for {end}")
        if self.length == 0:
            self._keys = key.new_empty(*key.shape[:-2], self.max_len, key.size(-1))
            self._values = value.new_empty(*value.shape[:-2], self.max_len, value.size(-1))
        elif key.shape[:-2] != self._keys.shape[:-2]:
            batch, other = tuple(self._keys.shape[:-2]), tuple(key.shape[:-2])
            raise ValueError(f"a cache of a batch {batch} cannot go on with a batch {other}")
        self._keys[..., self.length : end, :] = key
        self._values[..., self.length : end, :] = value
        self.length = end
        return self.held()

    def held(self) -> tuple[Tensor, Tensor]:
        """The keys and values of all positions so far; a ValueError where there are none."""
        if self.length == 0:
            raise ValueError("a cache that is empty holds no keys and values")
        return self._keys[..., : self.length, :], self._values[..., : self.length, :]

    def select(self, rows: Tensor) -> None:
        """Go on with these rows of the batch, (B,), each in the place of the one that was there:
        the beams that are kept."""
        for held in self.held():
            if rows.shape != held.shape[:1]:
                raise ValueError(f"{rows.numel()} rows in the place of {held.size(0)}")
            held.copy_(held.index_select(0, rows))
