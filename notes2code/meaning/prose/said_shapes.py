"""Shapes that prose states by sizes: *x has shape (B, T, D)*, *W: d × m*, *an m × d matrix A*.

What is no list of sizes for certain, *f: (see below)*, or stands behind other words than those by
which shapes are told, says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from notes2code.meaning.prose import kind_words as words
from notes2code.meaning.prose.tokens import Token

_WORD = (
    r"(?:batch|seq|sequence|src|tgt|len|length|heads?|n_?heads?|num|dim|d|hidden|embed|embedding|"
    r"emb|features?|in|out|input|output|model|vocab|vocabulary|channels?|height|width|tokens?|"
    r"time|steps|frames|patch(?:es)?|size|ff|ffn|kv|query|key|value|max|n|classes|samples|nodes)"
)
_NAME = rf"(?:[A-Z](?:_\w+|')?|[bdhklmnpqrtsw](?:_\w+)?|{_WORD}(?:[_ -]{_WORD})*)"
_FACTOR = rf"(?:(?:[1-9]\d*)?{_NAME}|[1-9]\d*)"
_SIZE = re.compile(rf"{_FACTOR}(?:\s*[*/+-]\s*{_FACTOR})*")
_CERTAIN = re.compile(
    rf"[BTCDNHWLS]|[A-Z]_\w+|[dn]_\w+|(?!(?:d|n|in|out)$){_WORD}(?:[_ -]{_WORD})*"
)
"""Sizes that hardly mean anything else, as the d and n of a pair ``(d, n)`` may."""

_LISTED = re.compile(r"(?:\\left\s*)?[(\[](?P<inside>[^()\[\]]*?),?\s*(?:\\right\s*)?[)\]]")
_TIMES = re.compile(r"\\times(?![A-Za-z])|×|(?<=[\s\d])x(?=[\s\d])|(?<=\w) \* (?=\w)")
_EXAMPLE = re.compile(r"[)\]]\s*=\s*[(\[][\d\s,]+[)\]]\s*$")
_FONT = re.compile(r"\\(?:text(?:tt|rm|it)?|math(?:rm|it|tt|sf)|operatorname)\s*\{([^{}]*)\}")
_BRACED = re.compile(r"_\{(\w+)\}")

_BARE_NAME = r"(?:\d+|[A-Za-z]\w*)"
_UNMARKED = re.compile(
    rf"[(\[]\s*{_BARE_NAME}(?:\s*,\s*{_BARE_NAME})*\s*,?\s*[)\]]"
    rf"|(?<![\w^]){_BARE_NAME}(?:\s*×\s*{_BARE_NAME})+(?![\w^])"
)
_CODE = re.compile(r"`([^`$]*)`")
_IN_ONE = re.compile(r"\s*([^$:：(\[]+?)\s*[:：]\s*([(\[].*[)\]])\s*")
"""The ``x: (B, T, D)`` of one formula, or of code."""

MAY_BE = re.compile(
    r"[(\[]\s*\$?\\?\w[^()\[\]]{0,80}[)\]]|×|\\times|dimension|维|維|次元|차원|мерн"
)
"""What any text holds that states a shape."""

_SAYS_SHAPE = frozenset(
    "shape shapes size sizes dimension dimensions dimensionality dim dims form größe dimension "
    "dimensionen gestalt forme taille dimensions forma tamaño dimensión dimensiones tamanho "
    "dimensão dimensões dimensione dimensioni размер размера размером размеры размерность "
    "размерности размерностью форма формы форму kích thước chiều ukuran berukuran dimensi bentuk "
    "形".split()
) | {*words.SHAPES_IN_SIGNS}
_DIMENSION = frozenset(
    word for word in _SAYS_SHAPE if word.startswith(("dim", "размерн", "维", "維"))
)
_LINKS = words.COPULAS | frozenset(
    "has have having with of in its shape: = ∈ hat haben mit von den einer a ont pour de du "
    "tiene tienen con tem têm com ha hanno di имеет имеют с 的 均 都 の を 持 つ 의 를 을 có "
    "memiliki".split()
)
_DIMENSIONAL = re.compile(
    r"-?dim(?:ensional\w*)?|-?d|维|維|次|元|次元|차원|의|の|的|-?мерн\w+|dimensionnel\w*|-",
    re.IGNORECASE,
)
_FARTHEST = 7
"""Words between a letter, or the kind that it is said to be of, and its sizes."""


_LONGEST, _LONGEST_SIZE = 80, 20
"""Characters of a list of sizes, and of one of these: more are none, and take long to read."""


def marked(text: str) -> str:
    """A text whose code, and whose sizes without dollars, are formulas as well."""
    parts = re.split(r"(\$[^$]*\$)", _CODE.sub(_of_code, text))
    parts[::2] = (_UNMARKED.sub(_of_sizes, part) for part in parts[::2])
    parts[1::2] = (_apart(part) for part in parts[1::2])
    return "".join(parts)


def _of_code(match: re.Match[str]) -> str:
    code = match[1].strip()
    if len(code) > _LONGEST:
        return match[0]
    plain = re.fullmatch(r"[A-Za-z](?:_\w+)?", code) or _IN_ONE.fullmatch(code) or sizes(code)
    return f"${code}$" if plain else match[0]


def _of_sizes(match: re.Match[str]) -> str:
    several = "," in match[0] or "×" in match[0]
    return f"${match[0]}$" if several and sizes(match[0]) else match[0]


def _apart(formula: str) -> str:
    """``$x$: $(B, T)$`` for ``$x: (B, T)$``."""
    found = _IN_ONE.fullmatch(formula[1:-1]) if len(formula) < _LONGEST else None
    return f"${found[1]}$: ${found[2]}$" if found and sizes(found[2]) else formula


@lru_cache(maxsize=4096)
def sizes(latex: str) -> tuple[str, ...]:
    """The sizes that a formula lists, "" for one that is only a number, but for the 1 of a row or
    a column; none of anything else, nor of three numbers or more, which are an example."""
    if len(latex) > _LONGEST:
        return ()
    parts = [part.strip() for part in _entries(latex)]
    example = len(parts) > 2 and all(map(str.isdigit, parts))
    if example or max(map(len, parts)) > _LONGEST_SIZE or not all(map(_SIZE.fullmatch, parts)):
        return ()
    return tuple(map(_size, parts))


def _size(part: str) -> str:
    """A size as shapes have it: ``4*H`` for ``4H``."""
    if part.isdigit():
        return part if part == "1" else ""
    words_joined = re.sub(r"(?<=[A-Za-z]{2})[ -](?=[A-Za-z]{2})", "_", part).replace(" ", "")
    return re.sub(r"(?<!\w)(\d+)(?=[A-Za-z])", r"\1*", words_joined)


def _entries(latex: str) -> Sequence[str]:
    """What a list is made of; the numbers that an example gives behind it, ``(B, T) = (4, 256)``,
    are no part of it."""
    latex = _EXAMPLE.sub(")", latex)
    plain = _BRACED.sub(r"_\1", _FONT.sub(r"\1", latex.replace(r"\_", "_"))).strip()
    if (listed := _LISTED.fullmatch(plain)) is not None:
        inside = listed["inside"]
        return inside.split(",") if "," in inside else _TIMES.split(inside)
    return _TIMES.split(plain)


def _is_certain(latex: str) -> bool:
    """Whether a list can be nothing else than sizes."""
    parts = [part.strip() for part in _entries(latex)]
    times = _TIMES.search(latex) is not None
    return len(parts) > 1 and (times or any(map(_CERTAIN.fullmatch, parts)))


def are_sizes(text: str) -> bool:
    """Whether a text lists sizes, and does nothing else."""
    return len(sizes(text.strip().strip("$`"))) > 0


def behind(tokens: Sequence[Token], at: int, kind: bool = False) -> tuple[str, ...]:
    """The sizes that are told behind letters, or behind the ``kind`` that these are said to be of:
    what is no vector by that has one size only where its dimension is spoken of."""
    told, last = set[str](), min(at + _FARTHEST, len(tokens))
    strange = False  # a word that says what it is, as in *is a query of shape*
    described = at < last and tokens[at].text.lower() in words.COPULAS
    for here, token in enumerate(tokens[at:last], at):
        word = token.text.lower()
        if token.kind == "math" and (found := sizes(token.text)):
            one = len(found) == 1 and not token.text.lstrip().startswith(("(", "["))
            says = told & (_DIMENSION if one and not kind else _SAYS_SHAPE)
            certain = not strange and _is_certain(token.text)
            return found if says or certain else ()
        follows = tokens[here + 1].text.lower() if here + 1 < last else ""
        if word in _SAYS_SHAPE:
            told.add(word)
        elif word not in _LINKS and not (word == "," and follows in _SAYS_SHAPE):
            strange = True
            if not described or token.kind != "word" or word in words.STOPS:
                return ()
    return ()


def before(tokens: Sequence[Token], noun: int) -> tuple[str, ...]:
    """The sizes right before a kind: the m × d of an *m × d matrix*, the d of a *d-dimensional
    vector*."""
    at, dimensional = noun - 1, False
    while at >= 0 and tokens[at].kind != "math" and _DIMENSIONAL.fullmatch(tokens[at].text):
        at, dimensional = at - 1, True
    found = sizes(tokens[at].text) if at >= 0 and tokens[at].kind == "math" else ()
    return found if len(found) > 1 or dimensional else ()
