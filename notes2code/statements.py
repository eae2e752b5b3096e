"""What the prose of notes states, a sentence at a time, and the words that take it back: those of
denial, and those of doubt, which say it of some models only, or of another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from notes2code.vault.model import Note, Paragraph

_SENTENCE = re.compile(r"(?:[^.!?。！？;；\n]|\.(?=\w))+[.!?。！？]?")
_DENIED = re.compile(
    r"\b(?:not|never|no|nor|neither|without|un(?:tied|tie|tying)|separate(?:ly)?|own|unlike|instead"
    r"|rather|independent(?:ly)?|different|nicht|kein\w*|ohne|getrennt\w*|ne|pas|sans|sin|не|нет|без)\b"
    r"|n['’]t\b|不|没有|未|非|无|無|ない|なし|ず|ません|않|안 |없|아니",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:often|sometimes|usually|typically|commonly|generally|may|might|can|could|would|should"
    r"|if|whether|optional(?:ly)?|some|oft|manchmal|meist|kann|können|falls"
    r"|souvent|parfois|peu(?:t|vent)|puede[n]?|veces|часто|иногда|может|если)\b"
    r"|通常|常常|往往|有时|可以|可能|如果|若|一些|有些|是否"
    r"|ことが(?:ある|多い)|しばしば|できる|もし|종종|보통|때때로|만약|수 있|[?？]",
    re.IGNORECASE,
)
"""What is said of some models, or perhaps. *When*, *most* and *paper* also stand in sentences on
the model itself: where they are doubts is for who asks."""
_OF_ANOTHER = re.compile(r"\b(?:BERT|T5|Vaswani|original|paper)\b|论文", re.IGNORECASE)
"""What tells of a model that others made."""


@dataclass(frozen=True)
class Statement:
    """A sentence of a paragraph."""

    note: Note
    paragraph: Paragraph
    text: str

    @property
    def is_denied(self) -> bool:
        """Whether it has a word of denial, of whatever it says."""
        return _DENIED.search(self.text) is not None

    @property
    def is_of_another(self) -> bool:
        """Whether it names a model that others made, or where they describe it."""
        return _OF_ANOTHER.search(self.text) is not None

    @property
    def is_doubted(self) -> bool:
        """Whether it has a word of doubt, of whatever it says."""
        return _DOUBTED.search(self.text) is not None

    @property
    def line(self) -> int:
        """The line of its first word that stands in the paragraph as it is."""
        text, start, end = self.note.source.text, self.paragraph.start, self.paragraph.end
        words = re.findall(r"\w{3,}", self.text)
        places = (text.find(word, start, end) for word in words)
        at = next((place for place in places if place >= 0), start)
        return self.note.source.position(at)[0]


def statements(note: Note, without: str) -> Iterator[Statement]:
    """The sentences of a note; none of its headings, and none of what has the tag ``without``."""
    for paragraph in note.paragraphs:
        if paragraph.heading or without in (*note.tags, *paragraph.tags):
            continue
        for sentence in _SENTENCE.findall(paragraph.text):
            yield Statement(note, paragraph, sentence)
