"""Numbers in scientific notation as some write it: the ``1e^{-5}`` of ``ε = 1e^{-5}`` is 10^-5, and
so is the ``3e^{-4}`` of a step ``w ← w - 3e^{-4} g``. Elsewhere e is Euler's number, which is told.
What programs write, ``1e-5``, is a number for the tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from notes2code.diagnostics import Problem, note, warning
from notes2code.latex.tree import Juxt, Name, Neg, Node, Num, Script, rebuilt, walk
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define, Restated, Statement, rewritten


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with such numbers as they are meant, and what is to be told of them: what a
    name stands for, ``η = 3e^{-4}``, the rate of a step, and any with a factor 1, which nobody
    writes, are powers of ten."""
    told: list[Problem] = []

    def change(define: Define) -> Callable[[Node], Node]:
        named = define.target is not None and scripts.is_name(define.target)
        whole = define.values[0] if named and len(define.values) == 1 else None
        state = binders.bare(define.target) if define.target is not None and named else ""
        steps = any(binders.bare(node) == state for value in define.values for node in walk(value))

        def read(node: Node) -> Node:
            number, behind = _number(node)
            if number is None:
                return rebuilt(node, read)
            if not (_has_factor_one(number) or (node is whole and not behind) or (state and steps)):
                text = f"the e of this number is Euler's, and it is not {number.text}"
                told.append(note("N2C039", text, number.span, "write `10^{…}` for a power of ten"))
                return rebuilt(node, read)
            text = f"this is read as {number.text}, and not with Euler's number"
            help_text = "write `10^{…}`, or `\\exp(…)` where Euler's number is meant"
            told.append(warning("N2C050", text, number.span, help_text))
            return Juxt((number, *map(read, behind)), node.span) if behind else number

        return read

    return rewritten(stated, change), tuple(told)


def _number(node: Node) -> tuple[Num | None, Sequence[Node]]:
    """The number that a ``1e^{-5}`` is, whose e stands right behind a number and has a whole number
    above, and the factors behind it."""
    match node:
        case Juxt((Num(text) as front, Script(Name("e") as base, None, above, 0) as e, *behind)):
            power = above.body if isinstance(above, Neg) else above
            if (
                isinstance(power, Num)
                and power.text.isdigit()
                and front.span.end == base.span.start
            ):
                sign = "-" if isinstance(above, Neg) else ""
                return Num(f"{text}e{sign}{power.text}", front.span.to(e.span)), behind
    return None, ()


def _has_factor_one(number: Num) -> bool:
    return float(number.text.partition("e")[0]) == 1
