"""Components that notes name without a formula: in headings, tags, short lines and box labels.

A name counts where it is what the line is about, not where it occurs in a sentence: the names in
a line must be more than half of its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from notes2code.components.library import Component, Library
from notes2code.vault.model import Formula, Note, Paragraph

MAX_WORDS = 8
"""Words in a line that can be the name of a thing; longer ones are prose."""

CLOSE = 0.9
"""How alike letters must be for a misspelt name (``Casual selfattention``) to count."""

FILLERS = frozenset(
    "a an and the layer layers sublayer sub block blocks stack module model network networks "
    "mechanism whole full complete entire architecture architectures overview structure "
    "implementation from scratch transformer transformers "
    "tiny mini small base medium large minimal simple basic vanilla standard original my our "
    "notes "
    "der die das des zum zur eine ein kompletter ganze modell architektur aufbau überblick notizen "
    "le la les un une modèle réseau structure aperçu el los modelo red arquitectura "
    "的 模型 架构 架構 结构 結構 网络 網路 详解 詳解 笔记 筆記 原理 介绍 介紹 "
    "概述 总结 總結 整体 整體 "
    "モデル 構造 まとめ 모델 구조 정리".split()
)
"""Words that say nothing of what a line is about."""

FIELD = frozenset(["attention", "transformer", "transformers"])
"""Words by which a note is about this field. There are encoders and decoders elsewhere."""

FIELD_ABROAD = re.compile(
    r"注意力|注意機構|アテンション|어텐션|\baufmerksamkeit|\batenci[oó]n\b|\batenção\b|\bвнимани"
    r"|トランスフォーマ|트랜스포머",
    re.IGNORECASE,
)
"""The same in other languages, where a word may have others before and behind it."""

ELSEWHERE = frozenset(
    "encoder decoder transformer embedding ffn rope alibi sinusoidal synthesizer".split()
)
"""Words of names that other fields have too; so are the names of what is called so in other
languages."""


@dataclass(frozen=True, slots=True)
class Name:
    """A component by one of its names; ``others`` are the kinds of what else has that name, where
    the notes define such a thing, ``part`` is the part of its forms that is called so."""

    component: Component
    others: tuple[str, ...]
    part: str


_ATTENDS = re.compile(r"Att(?:n|ention)(?![a-z])|MultiHead|(?<![A-Za-z])M(?:HS?|S)A(?![A-Za-z])")
"""What formulas call attention."""


class Phrases(dict[tuple[str, ...], Name]):
    """The names of components, by their words."""

    @cached_property
    def longest(self) -> Mapping[str, int]:
        """How many words the longest name has that begins with a word."""
        found: dict[str, int] = {}
        for phrase in self:
            found[phrase[0]] = max(len(phrase), found.get(phrase[0], 0))
        return found

    @cached_property
    def spelt(self) -> Mapping[int, Sequence[tuple[str, tuple[str, ...]]]]:
        """The letters of the names of several words, by how many they are."""
        found: dict[int, list[tuple[str, tuple[str, ...]]]] = {}
        for phrase in self:
            if len(phrase) > 1:
                found.setdefault(len("".join(phrase)), []).append(("".join(phrase), phrase))
        return found


@dataclass(frozen=True, slots=True)
class Mention:
    """A component named in a note, at an offset of its file; ``text`` is the line, ``others`` are
    the kinds of what else may be meant, ``part`` is the part of its forms that is named."""

    component: Component
    note: str
    start: int
    text: str
    others: tuple[str, ...] = ()
    part: str = ""


def mentions(
    notes: Sequence[Note], library: Library, without: str, skipped: Callable[[Formula], bool]
) -> tuple[Mention, ...]:
    """The mentions of components in notes, in order, but for the notes and sections that have the
    tag ``without`` and the lines of formulas that are skipped."""
    found: dict[Mention, None] = {}
    phrases = Phrases(
        (tuple(_words(phrase)), _name(component, phrase))
        for component in library.components.values()
        for phrase in component.mentions
    )
    elsewhere = _elsewhere(phrases)
    for note in notes:
        if without in note.tags:
            continue
        known = _of_the_field(note, phrases, elsewhere)
        for text, start in _names(note, without, skipped):
            for name in _named(text, known):
                mention = Mention(name.component, note.path, start, text, name.others, name.part)
                found[mention] = None
    return tuple(found)


def _name(component: Component, phrase: str) -> Name:
    return Name(component, component.also.get(phrase, ()), component.parts.get(phrase, ""))


def _elsewhere(phrases: Phrases) -> frozenset[str]:
    """The words of names that other fields have too, in every language of the library."""
    named = {p: name.component.name for p, name in phrases.items() if len(p) == 1}
    return ELSEWHERE.union(word for (word,), component in named.items() if component in ELSEWHERE)


def _of_the_field(note: Note, phrases: Phrases, elsewhere: frozenset[str]) -> Phrases:
    """The names that count in a note. Those made of words that other fields have too count where
    the note says something else of this one."""
    texts = (note.title, *(paragraph.text for paragraph in note.paragraphs))
    said = {*FIELD.intersection(word for text in texts for word in _words(text))}
    attends = any(_ATTENDS.search(formula.latex) for formula in note.formulas)
    if attends or any(FIELD_ABROAD.search(text) for text in texts):
        said.add("attention")
    return Phrases(
        (phrase, name)
        for phrase, name in phrases.items()
        if not elsewhere.issuperset(phrase) or any(w.removesuffix("s") not in phrase for w in said)
    )


def _names(
    note: Note, without: str, skipped: Callable[[Formula], bool]
) -> Iterator[tuple[str, int]]:
    """The short lines of a note, its headings and its tags, with their offsets."""
    left_out = [f.places.offset(0) for f in note.formulas if skipped(f)]
    for paragraph in note.paragraphs:
        beside = any(paragraph.start <= at < paragraph.end for at in left_out)
        if without not in paragraph.tags and not beside:
            yield from _lines(paragraph)
    for tag in note.tags:
        yield f"#{tag}", 0


def _lines(paragraph: Paragraph) -> Iterator[tuple[str, int]]:
    for line in paragraph.text.splitlines():
        if paragraph.heading or len(line.split()) <= MAX_WORDS:
            yield line, paragraph.start


_MATHEMATICS = re.compile(r"\$+[^$]*\$+|\\[A-Za-z]+")
_FAMILY = re.compile(r"#(?:[\w-]+/)+")
"""The tags above a tag: the last part is what it names."""
_PIECES = re.compile(r":\s|;|\s[-–—+|]\s|—|[-–]>|→")


def _named(text: str, phrases: Phrases) -> list[Name]:
    """The names of the components that a line is about."""
    plain = _FAMILY.sub("#", _MATHEMATICS.sub(" ", text))
    found: dict[Name, None] = {}
    for piece in _PIECES.split(plain):
        # Parentheses explain the name before them, or are part of it, or are an aside.
        before, _, behind = piece.replace("（", "(").replace("）", ")").partition("(")
        named = _subjects(_words(before, ",/"), phrases) if _words(before) else []
        examples = named and _LISTED.search(behind)  # *Learned positions (BERT, GPT-2)*
        if _words(before) and not examples:
            named += _subjects(_words(piece, ",/"), phrases)
        found.update(dict.fromkeys(named or _translated(before, behind, phrases)))
    return list(found)


_LISTED = re.compile("[,，、/]")
_TRANSLATED = re.compile(r"\s*([^()]+)\)\s*")


def _translated(before: str, behind: str, phrases: Phrases) -> list[Name]:
    """The name of several words that the parentheses behind one in other letters hold, and nothing
    else: *多头注意力（Multi-Head Attention）*."""
    whole = _TRANSLATED.fullmatch(behind)
    words = tuple(_words(whole[1])) if whole and whole[1].isascii() else ()
    foreign = any(letter.isalpha() and not letter.isascii() for letter in before)
    return [phrases[words]] if len(words) > 1 and foreign and words in phrases else []


def _subjects(words: Sequence[str], phrases: Phrases) -> list[Name]:
    """The names that make up most of some words. Of names right behind each other the last is
    meant, as in *Transformer decoder*."""
    hits = _hits(words, phrases)
    for at in (at for at, word in enumerate(words) if word in _WITHIN):
        # The encoder of the Transformer is no Transformer.
        if any(start + len(phrase) <= at for start, phrase in hits.items()):
            words = words[:at]
            hits = {start: phrase for start, phrase in hits.items() if start < at}
            break
    for start, phrase in [*hits.items()]:
        behind = words[start + len(phrase)] if start + len(phrase) < len(words) else ""
        if behind == "layer" and phrases[phrase].component.family == "models":
            del hits[start]  # nor is a layer of the Transformer; its layers are
    inside = {at for start, phrase in hits.items() for at in range(start, start + len(phrase))}
    others = [w for at, w in enumerate(words) if at not in inside and _says_something(w)]
    if others and (meant := _misspelt("".join(filter(_says_something, words)), phrases)):
        return [meant]
    if len(inside) <= sum(map(_length, others)):
        return []
    return [phrases[phrase] for start, phrase in hits.items() if start + len(phrase) not in hits]


_WITHIN = frozenset(["of", "in", "within", "inside"])


def _hits(words: Sequence[str], phrases: Phrases) -> dict[int, tuple[str, ...]]:
    """The names in some words, by where they start; the longest of those inside each other."""
    hits: dict[int, tuple[str, ...]] = {}
    at = 0
    while at < len(words):
        longest = max(phrases.longest.get(w, 0) for w in (words[at], words[at].removesuffix("s")))
        for length in range(longest, 0, -1):
            phrase = tuple(words[at : at + length])
            one = (*phrase[:-1], phrase[-1].removesuffix("s"))
            known = next((p for p in (phrase, one) if len(p) == length and p in phrases), None)
            if known is not None:
                hits[at] = known
                at += length - 1
                break
        at += 1
    return hits


def _length(word: str) -> int:
    """How many words a word is: where no blanks part them, two letters are about one."""
    return (len(word) + 1) // 2 if re.match(_EASTERN, word) else 1


def _says_something(word: str) -> bool:
    """Whether a word counts: fillers, numbers (``3``, ``a5``) and signs do not."""
    return word.isalpha() and word not in FILLERS


def _words(text: str, signs: str = "") -> list[str]:
    """The words of a text in lower case, and some signs; hyphens part words, and so does another
    script: *Transformer模型*."""
    text = re.sub(r"['’]s\b", "", text.lower().replace("&", " and "))
    found = re.findall(rf"{_EASTERN}+|[^\W_]+?(?={_EASTERN}|\b|_)|[{signs or ' '}]", text)
    return [said for word in found if (said := _UNSPACED.sub("", word).strip())]


_EASTERN = "[\u3040-\u30ff\u3400-\u9fff]"
"""Letters of languages without blanks."""
_FILLED = "|".join(filter(re.compile(_EASTERN).match, FILLERS))
_UNSPACED = re.compile(f"^(?:{_FILLED})+|(?:{_FILLED})+$")
"""The words that say nothing where no blank sets them apart, as in *编码器结构*."""


def _misspelt(letters: str, phrases: Phrases) -> Name | None:
    """The name, of several words, that is spelt almost like a line."""
    alike = {
        phrase: _likeness(mine, letters)
        for length in range(len(letters) - 2, len(letters) + 3)
        for mine, phrase in phrases.spelt.get(length, ())
    }
    best = max(alike, key=lambda phrase: alike[phrase], default=())
    return phrases[best] if alike.get(best, 0) >= CLOSE else None


def _likeness(mine: str, theirs: str) -> float:
    """How alike a name is to a line of about its length; 0 if not at all."""
    if len(mine) < 8:
        return 0.0
    # A slip or two leave most of a name as it is: one of its quarters stands there still.
    quarter = len(mine) // 4
    if not any(mine[at : at + quarter] in theirs for at in range(0, 4 * quarter, quarter)):
        return 0.0
    matcher = SequenceMatcher(None, theirs, mine)
    return matcher.ratio() if matcher.quick_ratio() >= CLOSE else 0.0
