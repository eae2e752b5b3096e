"""What publishing a package would do to the output folder."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from notes2code.diagnostics import Diagnostic, Severity

Kind = Literal["create", "update", "delete", "unchanged"]


class PublishError(Exception):
    """The output folder cannot be read or written; ``diagnostic`` says what is wrong."""

    def __init__(self, code: str, path: Path | str, message: str, help: str) -> None:
        super().__init__(f"{path}: {message}")
        self.diagnostic = _about(code, str(path), message, help)


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file. ``path`` is relative to the output folder.

    ``before`` are the bytes on disk, None where there is no file; ``after`` is the text to be
    there, None where the file goes.
    """

    path: str
    before: bytes | None
    after: str | None

    @property
    def kind(self) -> Kind:
        """What happens; a file that differs only in its line ends is left alone."""
        if self.after is None:
            return "delete"
        if self.before is None:
            return "create"
        return "unchanged" if lines(self.before) == self.after.encode() else "update"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that must not be touched without the author's word."""

    diagnostic: Diagnostic
    path: str


@dataclass(frozen=True)
class Changes:
    """All changes to an output folder; with conflicts nothing may be written.

    ``generated`` are the files as generated, which ``files`` may hold merged with edits.
    """

    out: Path
    files: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]
    generated: Mapping[str, str]

    def of(self, kind: Kind) -> tuple[str, ...]:
        """The paths of the files to which this happens."""
        return tuple(change.path for change in self.files if change.kind == kind)

    @property
    def is_stale(self) -> bool:
        """Whether the disk differs from what the notes give."""
        return any(change.kind != "unchanged" for change in self.files)

    def result(self) -> dict[str, str]:
        """The package as it will be on disk."""
        return {c.path: c.after for c in self.files if c.after is not None}


def diff(changes: Changes) -> str:
    """The changes as a unified diff, with paths relative to the output folder."""
    return "".join(_file_diff(change) for change in changes.files if change.kind != "unchanged")


def _file_diff(change: Change) -> str:
    before = lines(change.before or b"").decode("utf-8", "replace")
    old = "/dev/null" if change.before is None else f"a/{change.path}"
    new = "/dev/null" if change.after is None else f"b/{change.path}"
    found = difflib.unified_diff(
        _split(before),
        _split(change.after or ""),
        old,
        new,
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found
    )


def _split(text: str) -> list[str]:
    """The lines of a text with their ends; only line feeds end one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def lines(data: bytes) -> bytes:
    """The bytes with plain line ends: a checkout on Windows is no edit by hand."""
    return data.replace(b"\r\n", b"\n")


def conflict(code: str, out: Path, path: str, message: str, help: str, line: int = 1) -> Conflict:
    """A conflict over the file at ``path``, at a line of it where one is known."""
    return Conflict(_about(code, (out / path).as_posix(), message, help, line), path)


def _about(code: str, path: str, message: str, help: str, line: int = 1) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, path, line, 1, line, 1, help)
