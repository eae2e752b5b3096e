"""Differences that are one thing: the ΔW of ``ΔW = B A`` and of ``W_0 + ΔW``, also where a note
goes on with it beside no W, as in ``α ΔW x``.

The ΔA of ``\\bar A = \\exp(ΔA)``, where Δ is a step, is a product: nothing there says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from notes2code.latex import words
from notes2code.latex.characters import Token
from notes2code.latex.signs import ACCENTS, FONTS, FONTS_OF_WORDS, GREEK

_DELTA = re.compile(r"(?:\\Delta(?![A-Za-z])|[Δ∆])")
_COMMANDS = "|".join(map(re.escape, (*FONTS, *FONTS_OF_WORDS, *ACCENTS)))
_FONTS = rf"(?:\\(?:{_COMMANDS})(?![A-Za-z])|\\,|[\s{{])*"
_SCRIPTS = r"[\s}]*(?:[_^]\s*(?:\w|\\[A-Za-z]+|\{(?:[^{}]|\{[^{}]*\})*\})\s*)*"
_LETTER = rf"(?:[A-Za-z]|\\(?:var)?(?:{'|'.join(GREEK)}))"
_DEFINED = re.compile(
    rf"(?:^|\\\\|[&,;.]|\\q?quad)[^\S\n]*{_DELTA.pattern}{_FONTS}({_LETTER}){_SCRIPTS}&?\s*:?=",
    re.MULTILINE,
)
_ADDED = re.compile(
    rf"(?<![A-Za-z\\])({_LETTER}){_SCRIPTS}&?[+-]\s*{_DELTA.pattern}{_FONTS}\1(?![A-Za-z])"
)


def differences_of(formulas: Iterable[str]) -> frozenset[str]:
    """The ``ΔW`` that some formulas define or add to a ``W``, as ``joined`` writes them."""
    return frozenset(name for latex in formulas for name in _named(latex))


def _named(latex: str) -> Iterator[str]:
    if _DELTA.search(latex):
        for letter in (*_DEFINED.findall(latex), *_ADDED.findall(latex)):
            yield "Delta " + letter.removeprefix("\\").removeprefix("var")


def joined(tokens: list[Token], known: Set[str]) -> list[Token]:
    """``ΔW`` beside a ``W``, or where the note defines it, is one name, and so are ``Δt``, the two
    of ``Δy / Δx``, and that of a word, ``Δpos``; else Δ is a factor."""
    tokens = _of_words(tokens)
    deltas = [at for at, token in enumerate(tokens[:-1]) if token.text == "Delta"]
    letters = {at: letter for at in deltas if (letter := _letter_behind(tokens, at))}
    known_ones = [at for at in letters if f"Delta {tokens[letters[at]].text}" in known]
    if not known_ones and len(letters) == len(deltas) and _are_names(tokens, letters):
        known_ones = deltas
    out = list(tokens)
    for at in reversed(known_ones):
        name = out[letters[at]]
        out[letters[at]] = name._replace(text=f"Delta {name.text}")
        out[at : at + 2] = [out[at + 1]._replace(start=tokens[at].start)]
    return out


def _letter_behind(tokens: list[Token], at: int) -> int:
    """Where the letter stands that a Δ is of, in a font, below a mark, or plain; 0 for none."""
    behind = at + 1
    while tokens[behind].kind in ("font", "{") or tokens[behind].text in ACCENTS:
        behind += 1
    return behind if tokens[behind].kind == "name" else 0


def _are_names(tokens: list[Token], letters: dict[int, int]) -> bool:
    """Whether a formula shows by itself that its Δ are no factors; ``letters`` are the places of
    what each is of."""
    of = {tokens[at].text for at in letters.values()}
    if of == {"t"} or (len(of) > 1 and all(text.islower() for text in of)):
        return True
    alone = any(
        token.kind == "name" and token.text in of and tokens[at - 1].kind not in ("{", "cmd")
        for at, token in enumerate(tokens)
        if at not in letters.values()
    )
    defined = 0 in letters and any(token.kind == "rel" for token in tokens[2:7])
    return len(of) == 1 and (alone or defined)


def _of_words(tokens: list[Token]) -> list[Token]:
    """``Δpos`` as one name."""
    out = list(tokens)
    for at in range(len(out) - 2, -1, -1):
        word = out[at + 1]
        if out[at].text == "Delta" and word.kind == "word" and word.text not in words.CALLED:
            out[at : at + 2] = [word._replace(text=f"Delta {word.text}", start=out[at].start)]
    return out
