"""Merges three ways, with git: an edited file, what it was edited from, and its new text."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from notes2code.publish.changes import PublishError

# Longer than any line of signs that a file is likely to hold itself.
_MARK = 31
_TIMEOUT = 60


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged text, or the lines of the edited file where the two changes meet."""

    text: str
    conflicts: tuple[int, ...] = ()


def merge_texts(edited: str, base: str, new: str) -> Merged:
    """Carry the edits from ``base`` to ``edited`` over to ``new``.

    Raises PublishError when git is not there or fails.
    """
    with tempfile.TemporaryDirectory(prefix="notes2code-") as name:
        folder = Path(name)
        for part, text in (("edited", edited), ("base", base), ("new", new)):
            (folder / part).write_bytes(text.encode())
        command = ["git", "merge-file", "-p", "--diff3", f"--marker-size={_MARK}"]
        try:
            done = subprocess.run(
                [*command, "edited", "base", "new"],
                cwd=folder,
                capture_output=True,
                timeout=_TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise _failed(str(problem)) from None
    # The exit status is the number of conflicts, or 255.
    if not 0 <= done.returncode < 128:
        raise _failed(done.stderr.decode("utf-8", "replace").strip())
    text = done.stdout.decode()
    return Merged(text, _places(text, edited) if done.returncode else ())


def _places(merged: str, edited: str) -> tuple[int, ...]:
    """The lines of the edited text at which the conflicts of a merged text start."""
    own = edited.split("\n")
    places: list[int] = []
    block: list[str] | None = None
    seen = 0
    for line in merged.split("\n"):
        if line.startswith("<" * _MARK):
            block = []
        elif line.startswith("|" * _MARK) and block is not None:
            start = _find(own, block, seen)
            places.append(start + 1)
            seen, block = start + len(block), None
        elif block is not None:
            block.append(line)
    return tuple(places)


def _find(text: list[str], block: list[str], start: int) -> int:
    """Where a block of lines stands in a text, at ``start`` or later."""
    for at in range(start, len(text) - len(block) + 1):
        if text[at : at + len(block)] == block:
            return at
    return start


def _failed(reason: str) -> PublishError:
    return PublishError(
        "N2C072",
        "git",
        f"edited files cannot be merged: {reason}",
        "install git, which does the merging, or move your edits elsewhere and use --force",
    )
