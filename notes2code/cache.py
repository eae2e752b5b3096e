"""What was found out before, kept on disk between runs; to lose it costs time only."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def folder() -> Path:
    """Where the project keeps what it remembers; the folder need not be there. Raises
    RuntimeError where the user has no home."""
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(root) if root else Path.home() / ".cache") / "notes2code"


class Remembered:
    """Numbers by key, in a file of a line for each, the newest last.

    ``limit`` is the most that are kept. Where nothing can be read or written, nothing is
    remembered; other processes may write to the same file.
    """

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._limit = limit
        self._read: Path | None = None
        self._known: dict[str, int] = {}

    def recall(self, key: str) -> int | None:
        """The number of a key, if it was remembered."""
        with suppress(RuntimeError):
            place = folder() / self._name
            if place != self._read:
                self._read, self._known = place, _entries(place, self._limit)
        return self._known.get(key)

    def remember(self, key: str, number: int) -> None:
        """Keep the number of a key; the oldest are dropped where there are too many."""
        if self.recall(key) == number or self._read is None:
            return
        self._known.pop(key, None)
        self._known[key] = number
        with suppress(OSError):
            self._read.parent.mkdir(parents=True, exist_ok=True)
            if len(self._known) > self._limit:
                self._known = dict(list(self._known.items())[-(self._limit // 2 or 1) :])
                text = "".join(_line(*entry) for entry in self._known.items())
                _replace(self._read, text.encode())
            else:
                with self._read.open("a", encoding="utf-8", newline="\n") as file:
                    file.write(_line(key, number))


def _line(key: str, number: int) -> str:
    return f"{key} {number}\n"


def _entries(place: Path, limit: int) -> dict[str, int]:
    """The newest entries of a file; a damaged line is none."""
    try:
        lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    fields = (line.split(" ") for line in lines[-limit:])
    return {f[0]: int(f[1]) for f in fields if len(f) == 2 and f[1].isdecimal()}


def kept(name: str, key: bytes, make: Callable[[], T]) -> T:
    """What ``make`` gives, from a file if it was made before of the same ``key``."""
    seal = hashlib.sha256(key).digest()
    with suppress(OSError, RuntimeError):
        data = (folder() / name).read_bytes()
        body = data[2 * len(seal) :]
        if data.startswith(seal + hashlib.sha256(body).digest()):
            found: T = pickle.loads(body)
            return found
    made = make()
    with suppress(OSError, RuntimeError, RecursionError):
        folder().mkdir(parents=True, exist_ok=True)
        body = pickle.dumps(made)
        _replace(folder() / name, seal + hashlib.sha256(body).digest() + body)
    return made


def _replace(place: Path, data: bytes) -> None:
    """Write a file anew, at once: whoever reads it meanwhile finds the old one."""
    with tempfile.NamedTemporaryFile(
        "wb", dir=place.parent, prefix=f"{place.name}-", delete=False
    ) as file:
        file.write(data)
    Path(file.name).replace(place)
