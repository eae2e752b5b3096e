"""Decompression of LZ-string text."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notes2code.vault.lzstring import DamagedError, decompress_from_base64

Compress = Callable[[str], str]
LIMIT = 1 << 20


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.text(max_size=200), st.text(alphabet="ab", max_size=400)))
def test_it_undoes_compression(compress: Compress, text: str) -> None:
    assert decompress_from_base64(compress(text), LIMIT) == text


@pytest.mark.parametrize("text", ["a" * 5000, "😀 é ⊤ \0", '{"a": [1, 2]}' * 50])
def test_it_skips_white_space(compress: Compress, text: str) -> None:
    packed = compress(text)
    chunks = "\n\n".join(packed[i : i + 256] for i in range(0, len(packed), 256))
    assert decompress_from_base64(f"{chunks}\r\n", LIMIT) == text


def test_half_a_surrogate_pair_is_replaced(compress: Compress) -> None:
    assert decompress_from_base64(compress("a\ud83d"), LIMIT) == "a\ufffd"


@given(st.binary(max_size=300))
def test_it_never_fails_otherwise(data: bytes) -> None:
    with contextlib.suppress(DamagedError):
        decompress_from_base64(base64.b64encode(data).decode(), LIMIT)


def test_damage_is_told(compress: Compress) -> None:
    packed = compress('{"elements": [1, 2, 3], "type": "excalidraw"}')
    for damaged in (packed[: len(packed) // 2], packed.replace(packed[4], "!"), ""):
        with pytest.raises(DamagedError):
            decompress_from_base64(damaged, LIMIT)


def test_what_unpacks_to_too_much_is_refused(compress: Compress) -> None:
    packed = compress("a" * 300_000)
    assert len(packed) < 2000
    with pytest.raises(DamagedError, match="more than 1000 characters"):
        decompress_from_base64(packed, 1000)


def test_large_drawings(compress: Compress) -> None:
    text = "".join(f'{{"id": "{i * 7919 % 99991}", "x": {i * 31 % 977}.5}},' for i in range(8000))
    packed = compress(text)
    assert decompress_from_base64(packed, LIMIT) == text
