"""Data to train on: sentences with their translations, made by rule, and texts."""

from __future__ import annotations

import random
import zlib
from pathlib import Path
from typing import TypeAlias

import torch
from torch import Tensor

Batch: TypeAlias = tuple[dict[str, Tensor], Tensor]
"""What a model is called with, by name, and the token that is to come at each position."""

IGNORED = -100
"""Stands where no token is to come, as in ``torch.nn.functional.cross_entropy``."""

PAD, START, END = range(3)
"""The tokens that are no words: padding, and what stands before and behind a translation."""

DETERMINERS = {"the": ("le", "la"), "a": ("un", "une"), "this": ("ce", "cette")}
BEFORE = {
    "small": ("petit", "petite"),
    "big": ("grand", "grande"),
    "pretty": ("joli", "jolie"),
    "bad": ("mauvais", "mauvaise"),
}
BEHIND = {
    "black": ("noir", "noire"),
    "white": ("blanc", "blanche"),
    "green": ("vert", "verte"),
    "red": ("rouge", "rouge"),
}
NOUNS = (
    {"dog": "chien", "cat": "chat", "horse": "cheval", "wolf": "loup", "king": "roi"},
    {"cow": "vache", "mouse": "souris", "house": "maison", "girl": "fille", "queen": "reine"},
)
VERBS = {"sees": "voit", "follows": "suit", "finds": "trouve", "hears": "entend", "loves": "aime"}
JOINTS = {"and": "et", "but": "mais"}


class Translation:
    """English sentences and their French translations, both made by rule.

    In French, determiners and adjectives agree with their noun, masculine or feminine, and
    adjectives of colour stand behind it. One sentence in ten, by its checksum, is held out.
    """

    longest = 20
    """The most tokens that are read at once: two clauses of nine words, a joint and the start."""

    def __init__(self) -> None:
        pairs = [*DETERMINERS.items(), *BEFORE.items(), *BEHIND.items()]
        words = {word for english, french in pairs for word in (english, *french)}
        for table in (*NOUNS, VERBS, JOINTS):
            words |= {*table, *table.values()}
        self.words = ["<pad>", "<start>", "<end>", *sorted(words)]
        self.vocab_size = len(self.words)
        self._numbers = {word: number for number, word in enumerate(self.words)}

    def sentence(self, rng: random.Random) -> tuple[list[str], list[str]]:
        """The words of a sentence of one or two clauses, and of its translation."""
        english, french = _clause(rng)
        if rng.random() < 0.3:
            joint = rng.choice(list(JOINTS))
            more, traduction = _clause(rng)
            english, french = [*english, joint, *more], [*french, JOINTS[joint], *traduction]
        return english, french

    def batch(self, count: int, rng: random.Random, held_out: bool = False) -> Batch:
        """Some sentences, and what is to be written for each: its translation and the end.

        The model reads the translation from the start token on, so at each position the word
        before the one that is to come.
        """
        pairs: list[tuple[list[int], list[int]]] = []
        while len(pairs) < count:
            english, french = self.sentence(rng)
            if (zlib.crc32(" ".join(english).encode()) % 10 == 0) == held_out:
                pairs.append((self._tokens(english), [START, *self._tokens(french), END]))
        source, target = (_padded(rows) for rows in zip(*pairs, strict=True))
        expected = target[:, 1:].masked_fill(target[:, 1:] == PAD, IGNORED)
        # Padding of the target comes last: what is to be written never looks that far.
        inputs = {
            "source": source,
            "target": target[:, :-1],
            "source_keep_mask": source != PAD,
        }
        return inputs, expected

    def words_of(self, tokens: Tensor) -> list[str]:
        """The words of a row of tokens, up to the end token."""
        numbers: list[int] = tokens.tolist()
        if END in numbers:
            numbers = numbers[: numbers.index(END)]
        return [self.words[number] for number in numbers if number not in (PAD, START, IGNORED)]

    def _tokens(self, words: list[str]) -> list[int]:
        return [self._numbers[word] for word in words]


def _clause(rng: random.Random) -> tuple[list[str], list[str]]:
    """Someone does something to someone, in English and in French."""
    verb = rng.choice(list(VERBS))
    (subject, sujet), (thing, objet) = _noun_phrase(rng), _noun_phrase(rng)
    return [*subject, verb, *thing], [*sujet, VERBS[verb], *objet]


def _noun_phrase(rng: random.Random) -> tuple[list[str], list[str]]:
    """A noun with its determiner and up to two adjectives, in English and in French."""
    gender = rng.randrange(2)
    noun = rng.choice(list(NOUNS[gender]))
    determiner = rng.choice(list(DETERMINERS))
    size = [rng.choice(list(BEFORE))] if rng.random() < 0.4 else []
    colour = [rng.choice(list(BEHIND))] if rng.random() < 0.4 else []
    french = [
        DETERMINERS[determiner][gender],
        *(BEFORE[word][gender] for word in size),
        NOUNS[gender][noun],
        *(BEHIND[word][gender] for word in colour),
    ]
    return [determiner, *size, *colour, noun], french


def _padded(rows: tuple[list[int], ...]) -> Tensor:
    """Rows of tokens as one tensor, with padding behind the short ones."""
    length = max(map(len, rows))
    return torch.tensor([row + [PAD] * (length - len(row)) for row in rows])


class Text:
    """Stretches of a text, byte by byte; its last tenth is held out.

    text: what to learn, as bytes
    length: how many bytes the model sees at once
    """

    vocab_size = 256

    def __init__(self, text: bytes, length: int) -> None:
        if len(text) < 10 * (length + 1):
            short = f"a text of {len(text)} bytes is too short for stretches of {length}"
            raise ValueError(f"{short}: take a longer one, or a smaller max_len")
        self.length = length
        tokens = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()
        self._held_out, self._seen = tokens[-len(text) // 10 :], tokens[: -len(text) // 10]

    def batch(self, count: int, rng: random.Random, held_out: bool = False) -> Batch:
        """Some stretches, and the byte that comes after each of their bytes."""
        part = self._held_out if held_out else self._seen
        starts = [rng.randrange(len(part) - self.length) for _ in range(count)]
        rows = torch.stack([part[start : start + self.length + 1] for start in starts])
        return {"tokens": rows[:, :-1]}, rows[:, 1:]


NOTES = "vault"
"""The folder of the notes that this package was compiled from."""


def notes() -> bytes:
    """The text of these notes, which are looked for in the working directory and above it."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        found = sorted((folder / NOTES).rglob("*.md"))
        written = [path for path in found if not path.name.endswith(".excalidraw.md")]
        if written:
            return b"\n".join(path.read_bytes() for path in written)
    raise FileNotFoundError(f"no notes in a folder {NOTES} in {here} or above: name a --file")
