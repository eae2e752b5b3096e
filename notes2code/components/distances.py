"""Arrays that tell a pair of positions apart by how far one stands behind the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from notes2code.meaning import ir
from notes2code.meaning.ir import Add, Expr, Fn, Idx, Index, Lambda, Num, Ref, Size

PAIR, DISTANCE, CLIPPED = "pair", "distance", "clipped"


@dataclass(frozen=True)
class Relative:
    """What an array has for each query i and key j, numbers or a vector.

    ``kind`` is ``pair`` for a_ij, ``distance`` for one row each for the distances j − i, from the
    most negative one to the largest, and ``clipped`` where those beyond ``bound`` count as it does.
    ``backwards`` says that the rows are those of i − j, ``heads`` that each head has its own.
    """

    array: str
    kind: str
    backwards: bool = False
    bound: Num | Size | None = None
    heads: bool = False

    @property
    def told(self) -> str:
        """Which rows there are, in words; what the array and the bound are called is left out."""
        figures = self.bound.value if isinstance(self.bound, Num) else ""
        return f"{self.kind} {figures} {'backwards' if self.backwards else ''}".strip()


def relative(value: Lambda) -> Relative | None:
    """The array that an expression over queries, keys and features is an element of, if it is one
    for pairs or distances."""
    body, pair, features = value.body, value.indices[:2], value.indices[2:]
    if not isinstance(body, Ref) or len(pair) < 2:
        return None
    heads = [p for p in body.at if isinstance(p, Idx) and p.index not in value.indices]
    at = body.at[len(heads) :]
    count = len(at) - len(features)
    in_order = (*heads, *at[: max(count, 0)], *map(Idx, features))
    if count < 1 or body.at != in_order:
        return None
    if at[:count] == tuple(map(Idx, pair)):
        return Relative(body.array, PAIR, heads=bool(heads))
    found = _by_distance(body.array, at[0], *pair) if count == 1 else None
    return found and replace(found, heads=bool(heads))


def _by_distance(array: str, place: Expr, query: Index, key: Index) -> Relative | None:
    terms = ir.terms(place)
    clips = [term for term in terms if isinstance(term, Fn) and term.name == "clip"]
    if not clips:
        sign = _sign(terms, query, key)
        return None if sign is None else Relative(array, DISTANCE, sign < 0)
    value, low, high = clips[0].arguments
    if not isinstance(high, Num | Size) or low != ir.negative(high) or len(terms) != 2:
        return None
    sign = _sign(value.terms if isinstance(value, Add) else (), query, key)
    others = [term for term in terms if term is not clips[0]]
    if sign is None or others != [high] or (isinstance(value, Add) and len(value.terms) != 2):
        return None
    return Relative(array, CLIPPED, sign < 0, high)


def _sign(terms: tuple[Expr, ...], query: Index, key: Index) -> int | None:
    """1 for the terms of j − i, −1 for those of i − j, whatever is added to set where it begins."""
    counted = [term for term in terms if ir.free_indices(term)]
    if len(counted) != 2:
        return None
    for sign, (plus, minus) in ((1, (key, query)), (-1, (query, key))):
        if Idx(plus) in counted and ir.negative(Idx(minus)) in counted:
            return sign
    return None
