"""Numbers that an index runs through, one by one: those of ``i = 0, 2, 4, …, d`` are refused."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, takewhile

from notes2code.diagnostics import error
from notes2code.latex.tree import Dots, Node, Num


def refuse_gaps(listed: Iterable[Node]) -> None:
    """Raise ProblemError where the numbers before the dots do not follow one another."""
    before = takewhile(lambda node: not isinstance(node, Dots), listed)
    for pair in pairwise(before):
        match pair:
            case Num(one), Num(other) if one.isdigit() and other != str(int(one) + 1):
                text = f"an index counts by one, and not from {one} to {other}"
                help_text = "let it count 0, 1, 2, … and write `2i` where the index stands"
                raise error("N2C036", text, pair[0].span.to(pair[1].span), help_text)
