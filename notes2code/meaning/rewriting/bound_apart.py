"""What a sum counts with beside an array of that letter: the k of ``Σ_k e^{a_{ik}}`` beside the
keys ``k_j = W_k x_j``, whose W has a label and no index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from notes2code.latex.tree import Big, Name, Node, Script, changed, put, walk, words_in
from notes2code.meaning.notation import binders
from notes2code.meaning.stated import Define, Restated, Statement, nodes_in, rewritten

_FRESH = "lsrptu"


def renamed(stated: Sequence[Statement]) -> Restated:
    """The statements with a letter that stands nowhere for each that one counts with and another
    defines as an array."""
    targets = [one.target for one in stated if isinstance(one, Define) and one.target is not None]
    nodes = nodes_in(stated)
    counting = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    made = counting.intersection(map(binders.bare, targets)) if len(targets) > 1 else ()
    free = (letter for letter in _FRESH if letter not in nodes.words | words_in(*targets))
    fresh = dict(zip(sorted(made), free, strict=False))

    def written(define: Define) -> Callable[[Node], Node]:
        mine = set[str]() if define.target is None else words_in(define.target)
        own = {letter: new for letter, new in fresh.items() if letter not in mine}
        return lambda value: _renamed(value, own)

    return rewritten(stated, written) if fresh else tuple(stated), ()


def _renamed(value: Node, fresh: Mapping[str, str]) -> Node:
    """A value with other letters for those that stand nowhere in it but where a sum counts."""
    for letter, new in fresh.items():
        arrays = {binders.bare(node) for node in walk(value) if isinstance(node, Script)}

        def apart(big: Big, letter: str = letter, new: str = new) -> Node | None:
            counts = big.sub is not None and letter in binders.bound_letters(big.sub)
            return put(big, letter, Name(new, big.span)) if counts else None

        other = changed(value, Big, apart) if letter not in arrays else value
        value = value if letter in words_in(other) else other
    return value
