"""Finds the notes of a vault and reads them; the only part that opens its files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from notes2code.diagnostics import Diagnostic, Severity
from notes2code.vault.decode import decode
from notes2code.vault.model import Note, Vault
from notes2code.vault.note import NOTE_SUFFIXES, read_note_text

_LARGEST = 20 * 2**20
_DEEPEST = 64


class VaultError(Exception):
    """There is no vault at the path, or it cannot be listed."""


def read_vault(path: str | os.PathLike[str]) -> Vault:
    """Read all notes below a folder, or one note.

    Folders and files whose names start with a dot are skipped, and so is what is no
    note. Symbolic links are not followed. A file that cannot be read becomes a
    diagnostic of the vault, and a note that is damaged carries its own.

    Raises VaultError when ``path`` is no folder and no file.
    """
    root = Path(path)
    if root.is_file():
        if root.suffix.lower() not in NOTE_SUFFIXES:
            known = ", ".join(sorted(NOTE_SUFFIXES))
            raise VaultError(f"{root} is no note; notes end in {known}")
        root, found = root.parent, iter([root.name])
        left_out: list[Diagnostic] = []
    elif root.is_dir():
        left_out = []
        found = _notes_below(root, left_out)
    else:
        raise VaultError(f"there is no vault at {root}")
    notes = [note for name in found if (note := _read_file(root, name, left_out))]
    if not notes and not left_out:
        message = "the vault holds no notes"
        left_out.append(_about(".", "N2C001", Severity.ERROR, message, "name another folder"))
    return Vault(str(root), tuple(notes), tuple(left_out))


def _notes_below(root: Path, left_out: list[Diagnostic]) -> Iterator[str]:
    """The paths of the notes below ``root``, relative to it, sorted folder by folder."""
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(root / folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            if not folder:
                raise VaultError(f"the vault {root} cannot be listed: {error.strerror}") from None
            left_out.append(_unreadable(folder, error))
            continue
        below: list[str] = []
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                if entry.is_dir() or _is_note(entry.name):
                    left_out.append(_linked(name))
            elif entry.is_dir(follow_symlinks=False):
                below.append(name)
            elif _is_note(entry.name):
                yield name
        if folder.count("/") >= _DEEPEST and below:
            left_out.extend(_too_deep(name) for name in below)
        else:
            folders.extend(reversed(below))


def _is_note(name: str) -> bool:
    return Path(name).suffix.lower() in NOTE_SUFFIXES


def _read_file(root: Path, name: str, left_out: list[Diagnostic]) -> Note | None:
    try:
        # Not blocking: a pipe that is called a note must not hang the tool.
        descriptor = os.open(root / name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                left_out.append(_irregular(name))
                return None
            data = file.read(min(status.st_size, _LARGEST) + 1)
    except OSError as error:
        left_out.append(_unreadable(name, error))
        return None
    if len(data) > _LARGEST:
        left_out.append(_too_large(name))
        return None
    text, problems = decode(data)
    return read_note_text(name, text, problems)


def _about(path: str, code: str, severity: Severity, message: str, help: str) -> Diagnostic:
    """A diagnostic of a whole file or folder."""
    return Diagnostic(code, severity, message, path, 1, 1, 1, 1, help)


def _unreadable(name: str, error: OSError) -> Diagnostic:
    message = f"this cannot be read: {error.strerror}"
    return _about(name, "N2C002", Severity.ERROR, message, "change its permissions")


def _irregular(name: str) -> Diagnostic:
    message = "this is no regular file and was left out"
    return _about(name, "N2C002", Severity.WARNING, message, "move it out of the vault")


def _too_large(name: str) -> Diagnostic:
    message = f"this note is larger than {_LARGEST >> 20} MiB and was left out"
    return _about(name, "N2C003", Severity.WARNING, message, "split the note")


def _too_deep(name: str) -> Diagnostic:
    message = f"this folder lies more than {_DEEPEST} folders deep and was left out"
    return _about(name, "N2C003", Severity.WARNING, message, "move the folder further up")


def _linked(name: str) -> Diagnostic:
    message = "this is a symbolic link, which is not followed"
    return _about(name, "N2C016", Severity.NOTE, message, "put the notes themselves in the vault")
