"""Definitions that have a column for each token, ``Q = W_Q X``, before formulas that take rows, as
``QK^\\top`` does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from notes2code.diagnostics import Problem, warning
from notes2code.latex.tree import Group, Infix, Juxt, Name, Node, Script, alike
from notes2code.meaning import names
from notes2code.meaning.linking.entries import Entry, Parsed
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define


def turned(linker: Linker, entry: Entry) -> Iterator[Problem]:
    """A warning at each product of queries and keys that are defined as columns."""
    mine = linker.formulas.parsed[entry]
    for node in mine.seen.nodes.of(Juxt) if mine.seen is not None else ():
        for query, key in pairwise(node.factors):
            if not isinstance(query, Name) or not scripts.is_transposed(key):
                continue
            both = [binders.bare(query), binders.bare(key)]
            if all(_is_of_columns(_defining(linker, entry, name), name) for name in both):
                yield warning(
                    "N2C042",
                    f"`{both[0]}` and `{both[1]}` have a column for each token where they are "
                    "defined, and a row for each here",
                    query.span.to(key.span),
                    "each formula is computed as it is written; write the weight behind the "
                    f"tokens, `X W`, or `{both[0]}^\\top {both[1]}` here",
                )


def channels(linker: Linker, entry: Entry) -> Iterator[Problem]:
    """A warning at scores ``W^Q X (W^K X)^\\top``, which compare channels and no tokens."""
    mine = linker.formulas.parsed[entry]
    for node in mine.seen.nodes.of(Juxt) if mine.seen is not None else ():
        match node.factors:
            case (
                weight,
                Name() as tokens,
                Script(Group("(", (Juxt((other, same)) as key,))) as last,
            ):
                mapped = _is_mapped(Juxt((weight, tokens), node.span)) and _is_mapped(key)
                two = not alike(weight, other) and alike(tokens, same)
                if mapped and two and scripts.is_transposed(last):
                    yield warning(
                        "N2C042",
                        f"each weight stands before `{tokens.text}`, whose tokens are columns "
                        "then, and this compares their features",
                        node.span,
                        "each formula is computed as it is written; write the weights behind the "
                        "tokens, `X W`, or `(W^Q X)^\\top W^K X`",
                    )


def _defining(linker: Linker, entry: Entry, name: str) -> Parsed:
    """The formula that defines a name: the one that uses it, or the nearest."""
    parsed = linker.formulas.parsed
    near = linker.formulas.nearest(entry, [name], "arrays", within=1)
    return parsed[entry if name in parsed[entry].arrays or name not in near else near[name][0]]


def _is_of_columns(parsed: Parsed, name: str) -> bool:
    """Whether a weight stands before tokens in what a formula says a name is."""
    values = [s.values for s in parsed.stated if isinstance(s, Define) and _is(s.target, name)]
    return any(_is_mapped(value) for found in values for value in found)


def _is(target: Node | None, name: str) -> bool:
    return isinstance(target, Name) and binders.bare(target) == name


def _is_mapped(node: Node) -> bool:
    match node:
        case Juxt((weight, tokens)) | Infix("·", weight, tokens) | Infix("@", weight, tokens):
            if binders.bare(weight) == "W" and isinstance(tokens, Name):
                return names.element_ranks(tokens.text, 0, False, False)[0] == 2
    return False
