"""Causal masks of which only the text says what they are: *where M is the causal mask*. What the
formulas of the note add to scores under that name is defined as if a formula did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

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
_DOUBTFUL = re.compile(
    r"\b(?:not?|non|without|or|optional\w*|padding|e\.g|example|such as|nicht|kein\w*|oder|sans"
    r"|ou|sin|sem|o|senza|не|или)\b|不|没|或|例如|可选|填充|または|パディング|패딩|또는",
    re.IGNORECASE,
)
"""What denies it, or says that it may be another."""

_LETTER = re.compile(
    r"\$\s*(?:\\(?:mathbf|mathrm|boldsymbol|bm|mathcal)\s*\{?\s*)?([A-Z])\}?"
    r"(?:_(?:\{(?:\\(?:text|mathrm)\s*\{)?(\w+)\}?\}|(\w)))?\s*\$"
)
_SENTENCE = re.compile(r"(?:\$[^$]*\$|[^.。;；\n$])+")
_DEFINITION = r"%s_{%sij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
_TOLD = "`%s` is taken to hide later keys, since the text calls it a causal mask"


def said_masks(
    passages: Iterable[Passage], parsed: Mapping[Entry, Parsed]
) -> dict[Entry, Supplied]:
    """Definitions of the causal masks that texts name, where every formula of the note adds them to
    something, and none says what they are."""
    found: dict[tuple[str, str], Entry] = {}
    for passage in passages:
        for at, letter, label in _said(passage.text):
            order = passage.order + passage.text.count("$", 0, at) // 2
            latex = _DEFINITION % (letter, f"{label}," if label else "")
            name = names.code_name(letter, label)
            entry = Entry(latex, passage.note, passage.section, order)
            found.setdefault((passage.note, name), entry)
    mine: dict[str, list[Parsed]] = {}
    for entry, one in parsed.items():
        mine.setdefault(entry.note, []).append(one)
    return {
        entry: Supplied(name, _TOLD % name)
        for (note, name), entry in found.items()
        if _is_left_open(name, mine.get(note, []))
    }


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
