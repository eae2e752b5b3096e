"""Kinds that prose states: the letters that it calls scalars, vectors or matrices.

Only what can mean nothing else counts: a kind right in front of its letters, *the weight matrix W*,
and letters that are said to be one, *γ and β are learnable vectors*. *The norm of the vector x* and
*the vector space V* say nothing of a letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from notes2code.diagnostics import ProblemError
from notes2code.latex import parse
from notes2code.latex.joining import AND
from notes2code.latex.tree import Dots, Group, Node, Script, unscripted
from notes2code.meaning import names
from notes2code.meaning.notation.scripts import is_name
from notes2code.meaning.prose import kind_words as words
from notes2code.meaning.prose import said_shapes
from notes2code.meaning.prose.kind_words import Noun
from notes2code.meaning.prose.tokens import Token, tokens_of
from notes2code.records import dataclass

_ENTRY = re.compile(r"\n(?=[ \t]*\$[^$\n]*\$[ \t]*[:：])")
"""The end of the line before an entry of a legend, *$x$: a patch*, to which it says nothing."""

_OF_ROWS = frozenset("QKVXHYZEOCDFGINST")
"""Matrices whose rows are what prose calls *vectors*."""

_WEIGHTS = frozenset("buvw")
"""Letters of vectors among weights, which prose calls *weight matrices* with all others."""

_FARTHEST = 8
"""Words between a letter and the kind that it is said to be of."""

_LONGEST = 80
"""Characters of a formula that lists letters, and letters of a list."""


@dataclass(frozen=True, slots=True)
class Said:
    """What prose says of a letter: its axes, "" for one whose size is not said, and where in the
    text. ``of_rows`` means that it may speak of the rows of a matrix, *query vectors Q*; ``counts``
    that it is an amount of things, ``each`` that one of several things has it, *the score s_i*."""

    node: Node
    axes: tuple[str, ...]
    at: int
    of_rows: bool
    counts: bool = False
    each: bool = False

    @property
    def rank(self) -> int:
        """How many axes it is said to have."""
        return len(self.axes)


class _Letters(NamedTuple):
    """Letters listed one after the other: the tokens from ``start`` to ``end``."""

    start: int
    end: int
    nodes: tuple[Node, ...]
    by_comma: bool


@lru_cache(maxsize=1 << 16)
def said(text: str) -> tuple[Said, ...]:
    """The kinds that a text states of letters. They are kept, since a vault that is watched has
    most of its passages in each build."""
    return tuple(_said(text))


def _said(text: str) -> Iterator[Said]:
    if words.MENTIONED.search(text) is None and said_shapes.MAY_BE.search(text) is None:
        return
    tokens = _with_heads([*tokens_of(_ENTRY.sub(".", said_shapes.marked(text)))])
    for listed in _lists(tokens):
        sized = {id(one.node): one for one in _sized(tokens, listed)}
        yield from sized.values()
        found = _in_front(tokens, listed) or _behind(tokens, listed)
        letters = {names.base_letter(names.label(node)) for node, _ in found}
        for node, noun in found:
            if id(node) in sized:
                continue
            letter = names.base_letter(names.label(node))
            if noun.rank == 2 and letter in _WEIGHTS and any(map(str.isupper, letters)):
                continue  # v and W, "both weight matrices", are so only loosely
            capital = letter in _OF_ROWS and noun.number != 1
            of_rows = capital or (noun.number == 2 and len(listed.nodes) == 1)
            at = tokens[listed.start].at
            yield Said(node, ("",) * noun.rank, at, of_rows, noun.counts, noun.each)


def _sized(tokens: Sequence[Token], listed: _Letters) -> Iterator[Said]:
    """What sizes say of letters: those behind them, *x has shape (B, T, D)*, and those of the kind
    that they are said to be of, *an m × d matrix A*, *A is a matrix of size m × d*."""
    copula = listed.end < len(tokens) and tokens[listed.end].text.lower() in words.COPULAS
    place = _noun_behind(tokens, listed.end + 1, len(listed.nodes)) if copula else None
    front = _noun_before(tokens, listed.start)
    axes = said_shapes.behind(tokens, listed.end)
    for at in (one for one in (place, front) if one is not None and not axes):
        noun = tokens[at].noun
        axes = said_shapes.before(tokens, at)
        if at == place:
            axes = axes or said_shapes.behind(tokens, at + 1, kind=True)
        axes = axes if noun is not None and noun.rank == len(axes) and not noun.counts else ()
    for node in listed.nodes if axes else ():
        small = names.base_letter(names.label(node)).islower()
        wide = small and not any(axes) and place is None and front is None  # a 3 × 3 kernel k
        if not _is_size(node) and not wide and (small or len(axes) > 1):
            yield Said(node, axes, tokens[listed.start].at, False)


def _with_heads(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, with *scalar weights* as one: it is the head that tells how many
    there are; a *similarity matrix* is a matrix."""
    out: list[Token] = []
    for token in tokens:
        noun = out[-1].noun if out else None
        if noun is not None and noun.each and token.noun is not None:
            out[-1] = out[-1]._replace(noun=None)
            noun = None
        head = noun is not None and noun.style == "english" and words.HEADS[noun.rank]
        if noun is not None and head and token.text in head:
            several = token.text.endswith("s") and token.text != "bias"
            out[-1] = out[-1]._replace(noun=replace(noun, number=2) if several else noun)
        elif out and out[-1].text.lower() == "step" and token.text == "size":
            out[-1] = token._replace(noun=words.noun("stepsize"))  # no amount of things
        else:
            out.append(token)
    return out


@lru_cache(maxsize=4096)
def _names(latex: str) -> tuple[Node, ...]:
    """The letters that a formula lists; none where it holds anything else."""
    if len(latex) > _LONGEST:
        return ()
    try:
        clauses = parse(latex).clauses
    except (ProblemError, RecursionError):
        return ()
    nodes = tuple(
        node for clause in clauses for node in _members(clause.node) if not isinstance(node, Dots)
    )
    return nodes if all(map(is_name, nodes)) else ()


def _members(node: Node) -> tuple[Node, ...]:
    """The elements of a set such as ``{x_i}_{i=1}^n``; else the node."""
    inner = unscripted(node)
    return inner.items if isinstance(inner, Group) and inner.open == "{" else (node,)


def _lists(tokens: Sequence[Token]) -> Iterator[_Letters]:
    at = 0
    while at < len(tokens):
        nodes = _nodes(tokens[at])
        if not nodes:
            at += 1
            continue
        start, by_comma = at, False
        at += 1
        while len(nodes) < _LONGEST and (joined := _joined(tokens, at)) is not None:
            by_comma = by_comma or tokens[at].text in (",", "，")
            nodes += _nodes(tokens[joined])
            at = joined + 1
        yield _Letters(start, at, nodes, by_comma)


def _nodes(token: Token) -> tuple[Node, ...]:
    return _names(token.text) if token.kind in ("math", "letter") else ()


def _joined(tokens: Sequence[Token], at: int) -> int | None:
    """Where the next letter of a list stands: behind a comma, an *and*, or both."""
    behind = at
    while behind < min(at + 2, len(tokens)) and _joins(tokens[behind]):
        behind += 1
    return behind if behind > at and behind < len(tokens) and _nodes(tokens[behind]) else None


def _joins(token: Token) -> bool:
    if token.kind == "math":
        return False
    return token.text in (",", "，", "、") or token.text.lower() in AND


# --- the matrix W ----------------------------------------------------------------------------


def _in_front(tokens: Sequence[Token], listed: _Letters) -> list[tuple[Node, Noun]]:
    """What the kind in front of letters says of them, or of the first of them."""
    at = _noun_before(tokens, listed.start)
    noun = None if at is None else tokens[at].noun
    if at is None or noun is None:
        return []
    one = noun.number == 1 or (len(listed.nodes) == 1 and not isinstance(listed.nodes[0], Script))
    before = _before_phrase(tokens, at)
    # Of *the length of the vector x*; in *a sequence of length T* that is what the T is.
    of_another = before.lower() in words.OF | words.MEASURES and not noun.counts
    if before in ("/", "-") or before in words.FIXED or (one and of_another):
        return []
    nodes = listed.nodes[:1] if one else listed.nodes
    return [(node, noun) for node in nodes if not _is_size(node)]


def _is_size(node: Node) -> bool:
    """Whether a letter counts something, as in *the dimension of the key vectors d_k*."""
    name = names.label(node)
    return name in ("n", "m", "N") or (names.is_size_name(name) and name.islower())


def _noun_before(tokens: Sequence[Token], start: int) -> int | None:
    """Where the kind stands whose letters begin at ``start``: *matrix*, *matriz de pesos*,
    *вектор весов*."""
    back = [tokens[at] for at in range(start - 1, max(start - 4, -1), -1)]
    if back and back[0].noun is not None:
        return start - 1
    if len(back) > 1 and back[0].text in words.IS_IN_SIGNS and back[1].noun is not None:
        return start - 2 if back[1].noun.each else None
    if len(back) < 2 or back[0].kind != "word" or back[0].text.lower() in words.STOPS:
        return None
    noun = back[1].noun
    if noun is not None:
        return start - 2 if noun.style in ("before", "after") else None
    of = back[1].text.lower() in ("de", "di", "des", "do", "da")
    return start - 3 if of and len(back) == 3 and back[2].noun is not None else None


def _before_phrase(tokens: Sequence[Token], at: int) -> str:
    """The word in front of a noun and its article and adjectives, "" where they begin a clause."""
    for place in range(at - 1, max(at - _FARTHEST, 0) - 1, -1):
        word = tokens[place].text.lower()
        if tokens[place].kind == "sign" or (word in words.STOPS and word not in words.EACH):
            part = place > 0 and tokens[place - 1].text in words.PARTS
            return "" if part else tokens[place].text
    return ""


# --- W is a matrix ---------------------------------------------------------------------------


def _behind(tokens: Sequence[Token], listed: _Letters) -> list[tuple[Node, Noun]]:
    """What is said of letters behind them: of all, of each its own, or of the last."""
    at = listed.end
    if at == len(tokens) or tokens[at].text.lower() not in words.COPULAS:
        return []
    copula = tokens[at].text.lower()
    nouns = _nouns(tokens, at + 1, len(listed.nodes), copula)
    if not nouns:
        return []
    noun = nouns[0]
    if len(nouns) == len(listed.nodes) and (noun.number < 2 or len(nouns) == 1):
        return list(zip(listed.nodes, nouns, strict=True))
    if len(nouns) > 1:
        return []  # W, U and b are the weight matrices and biases
    if copula == words.UNCOUNTED:
        noun = replace(noun, number=0)
    if noun.number == 2 or (noun.number == 0 and (not listed.by_comma or _opens(tokens, listed))):
        return [(node, noun) for node in listed.nodes]
    return [(listed.nodes[-1], noun)] if copula in words.OF_ONE or noun.number == 0 else []


def _opens(tokens: Sequence[Token], listed: _Letters) -> bool:
    """Whether a clause begins with a list."""
    return listed.start == 0 or tokens[listed.start - 1].kind == "sign"


def _nouns(tokens: Sequence[Token], at: int, letters: int, copula: str) -> list[Noun]:
    """The kinds that something is said to be, one after the other; none where what is read as one
    belongs to another phrase, such as 查询向量和键向量的维度, a dimension of two vectors."""
    found: list[Noun] = []
    while True:
        place = _noun_behind(tokens, at, letters)
        noun = None if place is None else tokens[place].noun
        if place is None or noun is None:
            return found
        at = place + 1
        if at < len(tokens) and _nodes(tokens[at]):
            return found
        joined = at
        while joined < len(tokens) and _joins(tokens[joined]):
            joined += 1
        listed = joined > at and (letters > 1 or tokens[at].text.isalpha())
        more = listed and _noun_behind(tokens, joined, letters) is not None
        follows = tokens[at].text if at < len(tokens) else ""
        if not more and not words.may_follow(noun, follows, copula):
            return [] if follows in words.OF_BEHIND else found
        found.append(noun)
        if not more:
            return found
        at = joined


def _noun_behind(tokens: Sequence[Token], at: int, letters: int) -> int | None:
    """The place of the first kind behind ``at`` with nothing in front of it but an article and
    adjectives."""
    for place in range(at, min(at + _FARTHEST, len(tokens))):
        token = tokens[place]
        between = [one.text.lower() for one in tokens[at:place]]
        led = all(word in words.LEADING for word in between)
        if token.noun is not None:
            bare = token.noun.number == 2 or token.noun.style == "before"  # without an article
            acts = bare and letters == 1 and any(map(words.is_verb, between))
            return None if acts or (token.noun.style == "after" and not led) else place
        if token.text.lower() in words.ARTICLES and not led:
            return None  # W: maps the input vector
        listed = letters > 1 and _joins(token)
        if not (listed or _describes(tokens, place)):
            return None
    return None


def _describes(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word may stand between *is* and a kind; ``d``-dimensional, ``d`` 维 and ``n × d``
    may."""
    token = tokens[at]
    if token.kind == "math" and not _nodes(token):
        return True
    if token.kind == "word":
        return token.text.lower() not in words.STOPS
    if token.kind == "sign":
        return token.text.isalpha() and token.text not in words.STOPS
    behind = tokens[at + 1].text if at + 1 < len(tokens) else ""
    return behind[:1] in ("-", "维", "維", "次", "차")
