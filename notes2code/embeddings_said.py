"""What prose says of the embeddings of a model: *positional embeddings are learned*, *embeddings
are multiplied by √d_model*. A model that is only named may have others, which is then told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from notes2code.ties_said import DENIED, SENTENCE, line_of
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
_DOUBTED = re.compile(
    r"\b(?:often|sometimes|usually|may|might|can|could|should|if|whether|some|optional(?:ly)?|or"
    r"|instead|unlike|original|paper|BERT|T5|Vaswani)\b|[?？]|可以|或|也|论文|通常",
    re.IGNORECASE,
)


def embeddings_said(
    notes: Iterable[Note], pattern: re.Pattern[str], without: str
) -> Mapping[str, int]:
    """The line in which each note says something of its embeddings, by the note's path; none where
    it denies it, or says it of others or perhaps. Sections with the tag ``without`` say nothing."""
    found: dict[str, int] = {}
    for note in notes:
        for paragraph in note.paragraphs:
            if paragraph.heading or without in (*note.tags, *paragraph.tags):
                continue
            for sentence in SENTENCE.findall(paragraph.text):
                sure = not (DENIED.search(sentence) or _DOUBTED.search(sentence))
                if sure and pattern.search(sentence):
                    found.setdefault(note.path, line_of(note, paragraph, sentence))
    return found
