"""Rows of a table by what tells them: the ``E_{x_i}`` of a formula that has x and E for nothing
else is one row for each i, whatever table it is from. Rows that have names, the ``E_{x_O}`` and the
``E_o`` beside it, are inputs of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import (
    Accent,
    Big,
    Group,
    Infix,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    rebuilt,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define, Restated, Statement, nodes_in, rewritten


def may_be_meant(nodes: Nodes) -> bool:
    """Whether a name has below it a name that has an index below it."""
    return any(map(_place, nodes.of(Script)))


def as_rows(stated: Sequence[Statement]) -> Restated:
    """The statements with ``E_{x,i}``, x being a label, for ``E_{x_i}``, and notes of that."""
    found = [node for node in nodes_in(stated).of(Script) if _place(node)]
    sides = [side for one in stated if isinstance(one, Define) for side in _sides(one)]
    arrays = Counter(_tables(node for side in sides for node in scripts.outside_scripts(side)))
    everywhere = Counter(_words(node for side in sides for node in walk(side)))
    named = [*_named(nodes_in(stated), found)]
    tables = Counter(map(_table, found)) + Counter(_table(row) for row, _ in named)
    keys = Counter(map(_key, found)) + Counter(key for _, key in named)
    rows = [
        node
        for node in found
        if arrays[table := _table(node)] == tables[table]
        if everywhere[key := _key(node)] == keys[key]
    ]
    if not rows:
        return tuple(stated), ()
    return rewritten(stated, lambda _: _written(rows)), tuple(_notes(rows))


def _named(nodes: Nodes, found: Sequence[Script]) -> Iterator[tuple[Script, str]]:
    """The rows ``E_{x_O}`` and ``E_o`` that letters name of which none counts, with their keys, in
    a sum of ``\\log σ`` over all that is looked up: elsewhere they may be anything."""
    bound = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    places = set[str]().union(*(words_in(_place(node)[1]) for node in found))
    if not places <= bound or not nodes.words >= {"log", "sigma"}:
        return
    for node in nodes.of(Script):
        match node.sub:
            case Script(Name(key), Name(letter), None, 0):
                pass
            case Name(letter):
                key = ""
            case _:
                continue
        if letter not in names.INDEX_LETTERS | bound:
            yield node, key


def _sides(define: Define) -> Iterator[Node]:
    """What stands in a definition, on either side."""
    yield from (*define.values, *define.conditions)
    if define.target is not None:
        yield define.target


def _words(nodes: Iterable[Node]) -> Iterator[str]:
    return (node.text for node in nodes if isinstance(node, Name))


def _tables(nodes: Iterable[Node]) -> Iterator[str]:
    """The names of arrays, with what stands above them."""
    named = [node for node in nodes if scripts.is_name(node)]
    within = {id(node.base) for node in named if isinstance(node, Script | Accent)}
    return (_table(node) for node in named if id(node) not in within)


def _table(node: Node) -> str:
    """The ``E^{tok}`` of ``E^{tok}_{x_i}``; what is raised or transposed is the table itself."""
    above = names.label(node.sup) if isinstance(node, Script) and node.sup is not None else ""
    word = above.isalpha() and len(above) > 2 and above not in names.TRANSPOSES | names.GREEK
    return f"{binders.bare(node)}^{above}" if word else binders.bare(node)


def _written(rows: Sequence[Script]) -> Callable[[Node], Node]:
    def written(node: Node) -> Node:
        if isinstance(node, Script) and any(node is row for row in rows):
            key, index = _place(node)
            span = key.span.to(index.span)
            below = Group("", (key, index), (",",), span)
            return Script(node.base, below, node.sup, node.primes, node.span)
        return rebuilt(node, written)

    return written


def _notes(rows: Sequence[Script]) -> list[Problem]:
    """What the first row of each table is taken to be."""
    first = {(_table(row), _key(row)): row for row in reversed(rows)}
    return [
        note(
            "N2C039",
            f"`{table}_{{{key}_…}}` is taken to be one row for each index: the rows are the input, "
            f"and not the table that `{key}` looks them up in",
            row.span,
        )
        for (table, key), row in reversed(first.items())
    ]


def _place(node: Script) -> tuple[Node, ...]:
    """The x and the i of ``E_{x_i}``; nothing of any other name. The ``p_{y_i}`` of a label is one
    of the probabilities of a row, which has to be said."""
    match node.sub:
        case Script(
            Name(key) as name, (Name() | Infix("+" | "-", Name(), Num())) as index, None, 0
        ):
            letter = index.text if isinstance(index, Name) else names.label(index.left)
            plain = key.islower() and key not in names.INDEX_LETTERS
            table = node.base.base if isinstance(node.base, Accent) else node.base
            known = isinstance(table, Name) and table.text not in names.PROBABILITIES
            if plain and letter in names.INDEX_LETTERS and known:
                return name, index
    return ()


def _key(node: Script) -> str:
    """The x of ``E_{x_i}``."""
    return names.label(_place(node)[0])
