"""Numbers in scientific notation as some write it: the ``1e^{-5}`` of ``ε = 1e^{-5}`` is 10^-5."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from notes2code.diagnostics import Problem, warning
from notes2code.latex.tree import Juxt, Name, Neg, Node, Num, Script, rebuilt
from notes2code.meaning.notation import scripts
from notes2code.meaning.stated import Define, Statement, rewritten


def written_out(
    stated: Sequence[Statement],
) -> tuple[tuple[Statement, ...], tuple[Problem, ...]]:
    """The statements with such numbers as they are meant, and warnings that they are read so: what
    a name stands for, ``η = 3e^{-4}``, and any with a factor 1, which nobody writes."""
    told: list[Problem] = []

    def change(define: Define) -> Callable[[Node], Node]:
        named = define.target is not None and scripts.is_name(define.target)
        whole = define.values[0] if named and len(define.values) == 1 else None

        def read(node: Node) -> Node:
            number, behind = _number(node)
            if number is None or not (_has_factor_one(number) or (node is whole and not behind)):
                return rebuilt(node, read)
            text = f"this is read as {number.text}, and not with Euler's number"
            help_text = "write `10^{…}`, or `\\exp(…)` where Euler's number is meant"
            told.append(warning("N2C050", text, number.span, help_text))
            return Juxt((number, *map(read, behind)), node.span) if behind else number

        return read

    return rewritten(stated, change), tuple(told)


def _number(node: Node) -> tuple[Num | None, Sequence[Node]]:
    """The number that a ``1e^{-5}`` is, whose e stands right behind a number and has a whole number
    with a minus above, and the factors behind it."""
    match node:
        case Juxt(
            (Num(text) as front, Script(Name("e") as base, None, Neg(Num(power)), 0) as e, *behind)
        ):
            if power.isdigit() and front.span.end == base.span.start:
                return Num(f"{text}e-{power}", front.span.to(e.span)), behind
    return None, ()


def _has_factor_one(number: Num) -> bool:
    return float(number.text.partition("e")[0]) == 1
