"""Decompresses LZ-string text, in which the Excalidraw plugin stores its drawings."""

from __future__ import annotations

import base64
import binascii

_BITS_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_CHUNK = 6
_LONGEST = 44  # the most bits of one code and the character behind it
_WIDE, _END = 1, 2


class DamagedError(ValueError):
    """The compressed text is cut, altered, or unpacks to more than is allowed."""


def decompress_from_base64(text: str, limit: int) -> str:
    """Undo LZ-string's ``compressToBase64``; white space in ``text`` is skipped.

    Raises DamagedError when the text is no such data or holds more than ``limit``
    characters.
    """
    digits = "".join(text.split()).rstrip("=")
    # LZ-string ends at six bits, base64 at eight: zeros keep the last bits from being cut.
    digits += "A" * (-len(digits) % 4)
    try:
        packed = base64.b64decode(digits, validate=True)
    except (binascii.Error, ValueError) as error:
        raise DamagedError(f"it is not base64: {error}") from None
    units = "".join(_decompress(packed.translate(_BITS_REVERSED), limit))
    # The units are UTF-16, so a character outside the basic plane is two of them.
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _decompress(data: bytes, limit: int) -> list[str]:
    """LZ78 whose codes get longer as words are added; each stands with its lowest bit first."""
    words = ["", "", ""]  # the codes 0 and 1 announce a new character, 2 the end
    output: list[str] = []
    buffer = available = position = length = 0
    previous = ""
    while True:
        if available < _LONGEST:
            chunk = data[position : position + _CHUNK]
            buffer |= int.from_bytes(chunk, "little") << available
            available += 8 * len(chunk)
            position += _CHUNK
        width = len(words).bit_length()
        code = buffer & ((1 << width) - 1)
        buffer >>= width
        available -= width
        if code == _END and available >= 0:
            return output
        if code < _END:
            width = 16 if code == _WIDE else 8
            code = len(words)
            words.append(chr(buffer & ((1 << width) - 1)))
            buffer >>= width
            available -= width
        if available < 0:
            raise DamagedError("it ends too early")
        if code < len(words):
            word = words[code]
        elif code == len(words) and previous:
            word = previous + previous[0]
        else:
            raise DamagedError("it holds a code that stands for nothing")
        output.append(word)
        length += len(word)
        if length > limit:
            raise DamagedError(f"it unpacks to more than {limit} characters")
        if previous:
            words.append(previous + word[0])
        previous = word
