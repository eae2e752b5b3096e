"""What is said again of the next place: ``S_{n-1} = Σ_{i=1}^{n-1} a_i`` beside ``S_n``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.latex.tree import Name, Script, alike, put
from notes2code.meaning.notation.positions import shift
from notes2code.meaning.stated import Define, Restated, Statement


def told_once(stated: Sequence[Statement]) -> Restated:
    """The statements without those that are another, of any place, with their own place put in."""
    kept = tuple(one for one in stated if not any(_says_again(one, other) for other in stated))
    return kept, []


def _says_again(statement: Statement, of_any: Statement) -> bool:
    match statement, of_any:
        case (
            Define(Script(name, place) as target),
            Define(Script(same, Name(letter)) as any_place),
        ) if place is not None and alike(name, same):
            moved = shift(place)
            if moved is None or moved[0] != letter or moved[1] == 0:
                return False
            said = tuple(put(one, letter, place) for one in (any_place, *of_any.values))
            return alike(said, (target, *statement.values))
    return False
