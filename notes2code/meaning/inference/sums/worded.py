"""Conditions of cases in words: ``if j ≤ i and token j is real``, ``if allowed``, ``valid``.

Which positions are allowed, real or padding is nothing that a formula can compute: the author's
word becomes an input, a mask of zeros and ones over the positions that are spoken of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from notes2code.diagnostics import Span, error, note
from notes2code.latex.joining import IF
from notes2code.latex.tree import Group, Infix, Juxt, Name, Node, Prose, Relation
from notes2code.latex.words import HIDDEN, SEEN
from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run, Symbol, find_index
from notes2code.meaning.inference.sums import conditions
from notes2code.meaning.ir import Compare, Expr, Idx, Ref

_NOT = frozenset("not no non cannot can't cant isn't doesn't".split())
_AROUND = IF | frozenset(
    "where else and a an the is are be can may must to of at from by with do does it this that "
    "pair both position positions token tokens key keys query queries element elements entry "
    "entries attention out".split()
)
"""Words that say nothing beside a comparison or a word such as ``allowed``."""

_Piece: TypeAlias = str | Node


class Conditions:
    """The conditions of one table of cases. Its rows speak of the same masks: ``valid`` in one
    and ``masked`` in the next, ``is padding`` and ``is not padding``."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.masks: dict[tuple[str, tuple[str, ...]], Ref] = {}
        self.above: Collection[tuple[str, tuple[str, ...]]] = ()

    def read(self, parts: Sequence[Node]) -> Expr:
        """The condition of a row. Raises ``ProblemError`` where it is not understood."""
        span = parts[0].span.to(parts[-1].span)
        self.above = tuple(self.masks)
        pieces = list(_pieces(self.run, parts))
        if (whole := self._simple(pieces, span)) is not None:
            return whole
        for word in ("and", "or"):
            found = [self._simple(clause, span) for clause in _split(pieces, word)]
            if len(found) > 1 and None not in found:
                return ir.Logic(word, tuple(filter(None, found)))
        said = (p.text if isinstance(p, Prose) else self.run.quote(p.span) for p in parts)
        raise error(
            "N2C037",
            f"the condition `{' '.join(said)}` is not understood",
            span,
            "write a comparison of indices or numbers, such as `j \\le i`, or say with one word "
            "what may be seen, such as `\\text{if allowed}` or `\\text{if } j \\text{ is padding}`",
        )

    def _simple(self, pieces: Sequence[_Piece], span: Span) -> Expr | None:
        """One comparison, or one word for what is seen; None where it is neither."""
        nodes = [piece for piece in pieces if not isinstance(piece, str)]
        words = [piece for piece in pieces if isinstance(piece, str) and piece not in _AROUND]
        if len(nodes) == 1 and isinstance(nodes[0], Relation | Infix):
            return None if words else conditions.condition(self.run, nodes[0])
        if len(nodes) == 1 and isinstance(nodes[0], Group):
            return None if words else self.read(nodes[0].items)
        letters = {node.text for node in nodes if isinstance(node, Name)}
        telling = [word for word in words if word not in _NOT]
        negated = len(words) - len(telling)
        if len(telling) != 1 or negated > 1 or telling[0] not in SEEN | HIDDEN:
            return None
        if not all(isinstance(node, Name) for node in nodes):
            return None
        if not letters <= self.run.indices.keys() or not (letters or self.run.target_letters):
            return None
        seen = (telling[0] in SEEN) != bool(negated)
        ordered = dict.fromkeys((*self.run.target_letters, *sorted(letters)))
        spoken_of = tuple(x for x in ordered if x in letters or not letters)
        key = self._known(telling[0], spoken_of if letters else ()) or (telling[0], spoken_of)
        array = self.masks[key] = self._input(*key, span)
        return Compare("≠" if (key[0] in SEEN) == seen else "=", array, ir.ZERO)

    def _known(self, word: str, letters: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
        """The word and the letters of a row above that a word, or its opposite, speaks of."""
        for other, places in self.above:
            same = other == word or (other in SEEN) != (word in SEEN)
            if same and letters in ((), places):
                return other, places
        return None

    def _input(self, word: str, letters: Sequence[str], span: Span) -> Ref:
        """The element of the input that a word stands for."""
        run, name = self.run, names.code_name(word)
        indices = [find_index(run.indices[letter]) for letter in letters]
        if name not in run.symbols:
            run.symbols[name] = Symbol(name, tuple(index.size for index in indices), word, span)
            places = " and ".join(f"`{letter}`" for letter in letters)
            text = (
                f"`{word}` is taken to be an input of ones and zeros: whether it holds at {places}"
            )
            run.problems.append(note("N2C039", text, span))
        axes = run.symbols[name].axes
        if len(axes) != len(indices) or name in run.defined or name in run.shapes:
            raise error(
                "N2C037",
                f"`{word}` is a condition here and something else elsewhere",
                span,
                "write the condition with the other's name, such as `m_{ij} = 1`",
            )
        for axis, index in zip(axes, indices, strict=True):
            run.unify(axis, index.size, span)
        return Ref(name, tuple(map(Idx, indices)))


def _pieces(run: Run, parts: Sequence[Node]) -> Iterator[_Piece]:
    """Words in lower case, and between them what is set as math: relations and index letters."""
    for part in parts:
        if isinstance(part, Group) and part.open == "(" and len(parts) > 1 and _are_joined(part):
            yield part
        elif isinstance(part, Group) and part.open in ("", "("):
            yield from _pieces(run, part.items)
        elif isinstance(part, Juxt):
            yield from _pieces(run, part.factors)
        elif isinstance(part, Prose) or (isinstance(part, Name) and len(part.text) > 1):
            for word in part.text.lower().replace("-", " ").split():
                word = word.strip(",.:;()[]<>")
                if len(word) == 1 and word in run.indices:
                    yield Name(word, part.span)
                elif word:
                    yield word
        else:
            yield part


def _are_joined(group: Group) -> bool:
    """Whether parentheses hold several comparisons."""
    return sum(isinstance(item, Relation) for item in group.items) > 1


def _split(pieces: Sequence[_Piece], word: str) -> list[list[_Piece]]:
    """What stands between the uses of a word; ``and`` is left out between two comparisons."""
    out: list[list[_Piece]] = [[]]
    for before, piece in zip([None, *pieces], pieces, strict=False):
        if piece == word:
            out.append([])
            continue
        if word == "and" and isinstance(piece, Relation) and isinstance(before, Relation):
            out.append([])
        out[-1].append(piece)
    return out
