"""Tests of the caches."""

from __future__ import annotations

import pytest
import torch

from transformer.cache import KeyValueCache


@pytest.mark.parametrize("lead", [(2,), (2, 3)])
def test_cache_gives_all_keys_and_values_so_far(lead: tuple[int, ...]) -> None:
    cache = KeyValueCache(max_len=6)
    key, value = torch.randn(*lead, 6, 4), torch.randn(*lead, 6, 5)
    start = 0
    for end in (2, 3, 6):
        keys, values = cache.extend(key[..., start:end, :], value[..., start:end, :])
        assert cache.length == end
        assert torch.equal(keys, key[..., :end, :]) and torch.equal(values, value[..., :end, :])
        assert all(map(torch.equal, cache.held(), (keys, values)))
        start = end


def test_cache_takes_its_room_once() -> None:
    cache = KeyValueCache(max_len=3)
    places = {cache.extend(*torch.randn(2, 1, 1, 4))[0].data_ptr() for _ in range(3)}
    assert len(places) == 1


def test_cache_has_no_room_for_more_than_it_was_made_for() -> None:
    cache = KeyValueCache(max_len=3)
    cache.extend(*torch.randn(2, 1, 2, 4))
    with pytest.raises(ValueError, match="3 positions has no room for 4"):
        cache.extend(*torch.randn(2, 1, 2, 4))
    assert cache.length == 2


def test_cache_has_nothing_to_give_while_it_is_empty() -> None:
    cache = KeyValueCache(max_len=3)
    with pytest.raises(ValueError, match="empty"):
        cache.held()
    with pytest.raises(ValueError, match="empty"):
        cache.select(torch.tensor([0]))


@pytest.mark.parametrize(("batch", "other"), [((3,), (1,)), ((2, 3), (1, 3)), ((2, 3), (3,))])
def test_cache_is_of_one_batch(batch: tuple[int, ...], other: tuple[int, ...]) -> None:
    cache = KeyValueCache(max_len=3)
    cache.extend(*torch.randn(2, *batch, 1, 4))
    with pytest.raises(ValueError) as raised:
        cache.extend(*torch.randn(2, *other, 1, 4))
    assert str(raised.value) == f"a cache of a batch {batch} cannot go on with a batch {other}"


@pytest.mark.parametrize("values", [1, 3])
def test_cache_has_a_value_for_each_key(values: int) -> None:
    cache = KeyValueCache(max_len=3)
    with pytest.raises(ValueError, match=f"there are 2 keys, but {values} values"):
        cache.extend(torch.randn(4, 2, 5), torch.randn(4, values, 5))


def test_cache_leaves_alone_what_it_is_given() -> None:
    cache = KeyValueCache(max_len=3)
    key, value = torch.randn(2, 1, 2, 4)
    before = key.clone(), value.clone()
    cache.extend(key, value)
    cache.extend(*torch.randn(2, 1, 1, 4))
    assert torch.equal(key, before[0]) and torch.equal(value, before[1])


def test_cache_goes_on_with_the_rows_that_are_selected() -> None:
    cache = KeyValueCache(max_len=4)
    key, value = torch.randn(2, 3, 2, 4, 5)
    held = cache.extend(key[..., :2, :], value[..., :2, :])
    rows = torch.tensor([2, 0, 2])
    cache.select(rows)
    keys, values = cache.extend(key[rows, :, 2:], value[rows, :, 2:])
    assert torch.equal(keys, key[rows]) and torch.equal(values, value[rows])
    assert keys.data_ptr() == held[0].data_ptr() and values.data_ptr() == held[1].data_ptr()


@pytest.mark.parametrize("rows", [[0], [2, 0, 2, 1]])
def test_as_many_rows_are_selected_as_there_are(rows: list[int]) -> None:
    cache = KeyValueCache(max_len=4)
    cache.extend(*torch.randn(2, 3, 2, 4))
    with pytest.raises(ValueError, match=f"{len(rows)} rows in the place of 3"):
        cache.select(torch.tensor(rows))
