"""What prose says of the embeddings of a model: *positional embeddings are learned*, *embeddings
are multiplied by √d_model*. A model that is only named may have others, which is then told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from notes2code.statements import statements
from notes2code.vault.model import Note

_PLACES = r"position(?:al)? (?:embeddings?|encodings?|vectors?)"
LEARNED = re.compile(
    rf"\b(?:{_PLACES}|positions) (?:are|is) (?:\w+ )?(?:learn(?:ed|t|able)|trainable|trained)\b"
    rf"|\b(?:learn(?:ed|t|able)|trainable) (?:absolute )?(?:{_PLACES})"
    r"|可(?:学习|訓練|训练)的?(?:绝对)?位置(?:编码|嵌入)|位置(?:编码|嵌入)是(?:可)?学习"
    r"|\bgelernte[nr]? Position|\bposiciones aprendid|\bencodages? de position appris",
    re.IGNORECASE,
)
SCALED = re.compile(
    r"\bembeddings?\b[^,;.]{0,40}\b(?:scaled|multiplied|multiply)\b[^,;.]{0,25}(?:√|\\sqrt|\broot\b)"
    r"|\b(?:scales?|multipl(?:y|ies)) the (?:\w+ )?embeddings?\b[^,;.]{0,25}(?:√|\\sqrt|\broot\b)"
    r"|嵌入[^，。；]{0,12}(?:乘以|缩放)[^，。；]{0,12}(?:√|\\sqrt|根)",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\bor\b|或|也", re.IGNORECASE)
"""What says it of one kind of embeddings beside another."""


def embeddings_said(
    notes: Iterable[Note], pattern: re.Pattern[str], without: str
) -> Mapping[str, int]:
    """The line in which each note says something of its embeddings, by the note's path; none where
    it denies it, or says it of others or perhaps. Sections with the tag ``without`` say nothing."""
    found: dict[str, int] = {}
    for note in notes:
        for said in statements(note, without):
            if not pattern.search(said.text) or _BESIDE.search(said.text):
                continue
            if not (said.is_denied or said.is_doubted or said.is_of_another):
                found.setdefault(note.path, said.line)
    return found
