"""Causal masks of which only the text says what they are: *where M is the causal mask*. What the
formulas of the note add to scores under that name is defined as if a formula did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from notes2code.latex.tree import Infix, Name, Script
from notes2code.meaning import names
from notes2code.meaning.linking.entries import Entry, Parsed, Supplied
from notes2code.meaning.notation import scripts
from notes2code.meaning.prose.kinds import Passage

_MASK = re.compile(
    r"mask|maske|masque|máscara|maschera|маск|掩码|掩碼|遮罩|マスク|마스크", re.IGNORECASE
)
_CAUSAL = re.compile(
    r"causal|look[\s-]?ahead|auto-?regressive|kausal|каузальн|因果|下三角|前瞻|인과", re.IGNORECASE
)
_LATER = re.compile(
    r"above the (?:main )?diagonal|upper[\s-]triang|future|subsequent|j\s*>\s*i|i\s*<\s*j"
    r"|未来|未來|上三角",
    re.IGNORECASE,
)
_INFINITE = re.compile(r"\\infty|∞|-inf\b")
_DENIED = r"\b(?:not?|non|without|nicht|kein\w*|sans|sin|sem|senza|не)\b|不|没"
_DOUBTED = (
    r"\b(?:or|optional\w*|padding|e\.g|example|such as|oder|ou|o|или)\b"
    r"|或|例如|可选|填充|または|パディング|패딩|또는"
)
_DOUBTFUL = re.compile(f"{_DENIED}|{_DOUBTED}", re.IGNORECASE)
"""What denies it, or says that it may be another."""
_UNMASKED = re.compile(rf"(?:{_DENIED})[^,]{{0,20}}(?:{_MASK.pattern})|{_DOUBTED}", re.IGNORECASE)
"""The same where a text says that nothing later is seen."""

_PADDING = re.compile(r"\bpad|填充|パディング|패딩", re.IGNORECASE)
_LETTER = re.compile(
    r"\$\s*(?:\\(?:mathbf|mathrm|boldsymbol|bm|mathcal)\s*\{?\s*)?([A-Z])\}?"
    r"(?:_(?:\{(?:\\(?:text|mathrm)\s*\{)?(\w+)\}?\}|(\w)))?\s*\$"
)
_SENTENCE = re.compile(r"(?:\$[^$]*\$|[^.。;；\n$])+")
_DEFINITION = r"%s_{%sij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
_TOLD = "`%s` is taken to hide later keys, since the text calls it a causal mask"
_SAID = "`%s` is taken to hide later keys, since the text calls the attention causal"


def said_masks(
    passages: Iterable[Passage], parsed: Mapping[Entry, Parsed]
) -> dict[Entry, Supplied]:
    """Definitions of the causal masks that texts name, where every formula of the note adds them to
    something, and none says what they are."""
    passages = list(passages)
    mine: dict[str, list[Parsed]] = {}
    for entry, one in parsed.items():
        mine.setdefault(entry.note, []).append(one)
    found: dict[tuple[str, str], tuple[Entry, Supplied]] = {}
    for entry, told in chain(_lettered(passages), _worded(passages, mine)):
        found.setdefault((entry.note, told.name), (entry, told))
    return {
        entry: told
        for (note, name), (entry, told) in found.items()
        if _is_left_open(name, mine.get(note, []))
    }


def _lettered(passages: Iterable[Passage]) -> Iterator[tuple[Entry, Supplied]]:
    """The masks whose letters texts call causal."""
    for passage in passages:
        for at, letter, label in _said(passage.text):
            order = passage.order + passage.text.count("$", 0, at) // 2
            latex = _DEFINITION % (letter, f"{label}," if label else "")
            name = names.code_name(letter, label)
            entry = Entry(latex, passage.note, passage.section, order)
            yield entry, Supplied(name, _TOLD % name)


def _worded(
    passages: Sequence[Passage], formulas: Mapping[str, Sequence[Parsed]]
) -> Iterator[tuple[Entry, Supplied]]:
    """The masks of attention that texts call causal, of notes that speak of no padding: the word
    ``mask`` in their formulas."""
    padded = {passage.note for passage in passages if _PADDING.search(passage.text)}
    for passage in passages:
        if passage.note not in padded and _is_said_causal(passage.text):
            for word in _words(formulas.get(passage.note, [])):
                latex = _DEFINITION % (rf"\mathrm{{{word}}}", "")
                entry = Entry(latex, passage.note, passage.section, passage.order)
                yield entry, Supplied(word, _SAID % word)


def _words(formulas: Iterable[Parsed]) -> Iterator[str]:
    """The words for masks in formulas: the ``\\text{mask}`` that is added to scores."""
    for one in formulas:
        counted = () if one.seen is None else sorted(one.seen.counted)
        yield from (name for name in counted if name.isalpha() and name.lower() in _WORDS)


_WORDS = frozenset(["mask", "masking"])


def _is_said_causal(text: str) -> bool:
    """Whether a text says, of no mask with a letter, that attention sees nothing later."""
    for said in (sentence[0] for sentence in _SENTENCE.finditer(text)):
        causal = _CAUSAL.search(said) and not _DOUBTFUL.search(said)
        hides = _MASK.search(said) and _LATER.search(said) and not _UNMASKED.search(said)
        if (causal or hides) and not any(names.is_mask(m[1]) for m in _LETTER.finditer(said)):
            return True
    return False


def _said(text: str) -> Iterator[tuple[int, str, str]]:
    """Where a text calls a letter a causal mask, the letter, and its label."""
    for sentence in _SENTENCE.finditer(text) if _MASK.search(text) else ():
        said = sentence[0]
        if not _MASK.search(said) or _DOUBTFUL.search(said):
            continue
        if _CAUSAL.search(said) or (_INFINITE.search(said) and _LATER.search(said)):
            found = {(m[1], m[2] or m[3] or ""): m.start() for m in _LETTER.finditer(said)}
            masks = [name for name in found if names.is_mask(name[0])] or [*found]
            if len(masks) == 1:
                yield sentence.start() + found[masks[0]], *masks[0]


def _is_left_open(name: str, formulas: Iterable[Parsed]) -> bool:
    """Whether formulas add a mask to something, wherever they have it, and none defines it."""
    times = added = 0
    for one in formulas:
        if name in one.arrays:
            return False
        if one.seen is None or name not in one.seen.counted or len(one.seen.counted) == 1:
            continue  # the last is the mention of it in the text
        nodes = one.seen.nodes
        scripted = {id(node.base) for node in nodes.of(Script)}
        uses = [n for n in nodes.of(Name, Script) if id(n) not in scripted and scripts.is_name(n)]
        times += sum(one.seen.use(n).name == name for n in uses)
        sides = [side for n in nodes.of(Infix) if n.op == "+" for side in (n.left, n.right)]
        added += sum(scripts.is_name(n) and one.seen.use(n).name == name for n in sides)
    return 0 < times == added
