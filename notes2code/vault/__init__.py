"""vault: a folder of notes in, a ``Vault`` of notes with their formulas and exact places out."""

from notes2code.vault.model import (
    CodeBlock,
    Formula,
    Link,
    Note,
    NoteKind,
    Paragraph,
    Scene,
    SourceMap,
    SourceText,
    Vault,
)
from notes2code.vault.note import NOTE_SUFFIXES, read_note_text
from notes2code.vault.walk import VaultError, read_vault

__all__ = [
    "NOTE_SUFFIXES",
    "CodeBlock",
    "Formula",
    "Link",
    "Note",
    "NoteKind",
    "Paragraph",
    "Scene",
    "SourceMap",
    "SourceText",
    "Vault",
    "VaultError",
    "read_note_text",
    "read_vault",
]
