"""Reads several folders and notes as one vault."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePath

from notes2code.diagnostics import Diagnostic
from notes2code.publish.manifest import MANIFEST
from notes2code.vault import Note, Vault, read_vault


def read_paths(paths: Sequence[str]) -> Vault:
    """The notes of all paths, in the light of each other; their common folder is the root.

    What a build wrote into a vault is left out, as a build does. A note that is named twice is
    read once. Raises VaultError when a path is no vault or note.
    """
    vaults = [_without_packages(read_vault(path)) for path in paths]
    if len(vaults) == 1:
        return vaults[0]
    roots = [Path(vault.root).resolve() for vault in vaults]
    common = Path(os.path.commonpath(roots))
    notes: dict[str, Note] = {}
    left_out: dict[Diagnostic, None] = {}
    for vault, root in zip(vaults, roots, strict=True):
        folder = root.relative_to(common)
        notes.update((n.path, n) for n in (_moved(note, folder) for note in vault.notes))
        left_out.update((_moved_to(d, folder), None) for d in vault.diagnostics)
    ordered = tuple(notes[path] for path in sorted(notes))
    return Vault(os.path.relpath(common), ordered, tuple(left_out))


def _without_packages(vault: Vault) -> Vault:
    """The vault without the folders in it that hold the manifest of a build."""

    @cache
    def is_output(folder: PurePath) -> bool:
        return (Path(vault.root) / folder / MANIFEST).is_file()

    def is_own(note: Note) -> bool:
        return not any(map(is_output, PurePath(note.path).parents[:-1]))

    return replace(vault, notes=tuple(filter(is_own, vault.notes)))


def _moved(note: Note, folder: Path) -> Note:
    """The note as a note of the vault that ``folder`` is in."""
    source = replace(note.source, path=(folder / note.path).as_posix())
    placed = tuple(_moved_to(diagnostic, folder) for diagnostic in note.diagnostics)
    return replace(note, source=source, diagnostics=placed)


def _moved_to(diagnostic: Diagnostic, folder: Path) -> Diagnostic:
    return replace(diagnostic, path=(folder / diagnostic.path).as_posix())
