"""What the tests of the readers share."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from notes2code.vault import Formula, Note, read_note_text

SHARED = Path(__file__).resolve().parents[3] / "shared"
_ENTITY = re.compile(r"&#?\w+;?")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4})+|\\.")
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def written_at(note: Note, offset: int) -> str:
    """The character that the file has at ``offset``, decoded as the format asks for."""
    text = note.source.text
    if note.kind == "html" and (entity := _ENTITY.match(text, offset)):
        return html.unescape(entity[0])
    escaped = note.path.endswith((".canvas", ".excalidraw"))
    if escaped and (escape := _ESCAPE.match(text, offset)):
        return str(json.loads(f'"{escape[0]}"'))[0]
    return text[offset]


def assert_exact(note: Note) -> None:
    """Every character of every formula stands where its places say."""
    for formula in note.formulas:
        for index, character in enumerate(formula.latex):
            found = written_at(note, formula.places.offset(index))
            assert found == character, (formula.latex, index)
    for paragraph in note.paragraphs:
        assert 0 <= paragraph.start < paragraph.end <= len(note.source.text)


@pytest.fixture(scope="session")
def read() -> Callable[..., Note]:
    """Read a note from a text, and check that its formulas are placed exactly."""

    def read_exactly(text: str, path: str = "note.md") -> Note:
        note = read_note_text(path, text)
        assert_exact(note)
        return note

    return read_exactly


@pytest.fixture(scope="session")
def math(read: Callable[..., Note]) -> Callable[..., list[str]]:
    """The formulas of a Markdown text that stand in math, not in code."""

    def formulas(text: str) -> list[str]:
        found: tuple[Formula, ...] = read(text).formulas
        return [formula.latex for formula in found if not formula.code]

    return formulas


@pytest.fixture(scope="session")
def exact() -> Callable[[Note], None]:
    return assert_exact


@pytest.fixture(scope="session")
def shared() -> Path:
    """The real notes beside the checkout, where there are any."""
    if not SHARED.is_dir():
        pytest.skip("there are no real notes beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def compress() -> Callable[[str], str]:
    """LZ-string's compressToBase64, step by step as its paper-and-pencil description has it."""
    return lz_compress


def lz_compress(text: str) -> str:
    data = text.encode("utf-16-le", "surrogatepass")
    units = [chr(int.from_bytes(data[i : i + 2], "little")) for i in range(0, len(data), 2)]
    codes: dict[str, int] = {}
    fresh: set[str] = set()
    bits: list[int] = []
    size, width, room = 3, 2, 2

    def write(value: int, count: int) -> None:
        bits.extend((value >> i) & 1 for i in range(count))

    def grow() -> None:
        nonlocal width, room
        room -= 1
        if room == 0:
            room, width = 2**width, width + 1

    def emit(word: str) -> None:
        if word in fresh:
            wide = ord(word) > 255
            write(int(wide), width)
            write(ord(word), 16 if wide else 8)
            fresh.discard(word)
            grow()
        else:
            write(codes[word], width)
        grow()

    word = ""
    for unit in units:
        if unit not in codes:
            codes[unit] = size
            fresh.add(unit)
            size += 1
        if word + unit in codes:
            word += unit
            continue
        emit(word)
        codes[word + unit] = size
        size += 1
        word = unit
    if word:
        emit(word)
    write(2, width)
    bits.extend([0] * (-len(bits) % 6))
    sixes = [bits[i : i + 6] for i in range(0, len(bits), 6)]
    digits = "".join(_ALPHABET[int("".join(map(str, six)), 2)] for six in sixes)
    return digits + "=" * (-len(digits) % 4)
