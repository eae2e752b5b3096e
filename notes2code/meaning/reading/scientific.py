"""Numbers in scientific notation as some write it: the ``1e^{-5}`` of ``ε = 1e^{-5}`` is 10^-5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Problem, warning
from notes2code.latex.tree import Juxt, Name, Neg, Node, Num, Script
from notes2code.meaning.notation import scripts
from notes2code.meaning.stated import Define, Statement


def written_out(
    stated: Sequence[Statement],
) -> tuple[tuple[Statement, ...], tuple[Problem, ...]]:
    """The statements with such numbers as they are meant, and warnings that they are read so."""
    found: list[Statement] = []
    told: list[Problem] = []
    for one in stated:
        match one:
            case Define(target, (value,)) if target is not None and scripts.is_name(target):
                if (number := _number(value)) is not None:
                    one = replace(one, values=(number,))
                    text = f"this is read as {number.text}, and not with Euler's number"
                    help_text = "write `10^{…}`, or `\\exp(…)` where Euler's number is meant"
                    told.append(warning("N2C050", text, value.span, help_text))
        found.append(one)
    return tuple(found), tuple(told)


def _number(node: Node) -> Num | None:
    """The number that a ``1e^{-5}`` is, whose e stands right behind a number and has a whole number
    with a minus above."""
    match node:
        case Juxt((Num(text) as front, Script(Name("e") as base, None, Neg(Num(power)), 0))):
            if power.isdigit() and front.span.end == base.span.start:
                return Num(f"{text}e-{power}", node.span)
    return None
