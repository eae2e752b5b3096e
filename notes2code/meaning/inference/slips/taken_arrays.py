"""Letters that may be less than the arrays that they are taken for: the author is told.

``S = G + N`` is a sum of matrices by its letters, and may be one of counts: nothing tells where
nothing but letters is added, multiplied and divided. The m of ``m_t / (1 - β^t)`` holds all steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Frac, Group, Infix, Juxt, Name, Neg, Node, Num, Script
from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import scripts
from notes2code.meaning.overview import arithmetic

_MAY_COUNT = names.EXTENTS | frozenset("EGRhkw")
"""Letters of what is counted, and of tables, graphs, keys and weights besides."""


def told(run: Run, equation: Equation) -> Iterator[Problem]:
    """The remarks, if there is something to tell."""
    yield from _of_all_steps(run, equation)
    yield from _counted(run, equation)


def _of_all_steps(run: Run, equation: Equation) -> Iterator[Problem]:
    """What is given for each step t, where a rate is raised to it: whoever has that of one step
    only would give it for all."""
    parts = ir.walk(equation.value.body)
    powers = [part for part in parts if isinstance(part, ir.Pow)]
    for step in equation.value.indices:
        raised = (part for part in powers if _counts(part, step))
        if not any(isinstance(part.base, ir.Ref) and not part.base.at for part in raised):
            continue
        given = [one for one in parts if isinstance(one, ir.Ref) and ir.Idx(step) in one.at[:1]]
        for ref in given[:1]:
            if (symbol := run.symbols.get(ref.array)) is not None:
                text = f"`{symbol.written}` is taken to hold all steps `{step.letter}`, one by one"
                hint = f"for one step, write `{step.letter}` nowhere below"
                yield note("N2C039", text, symbol.span, hint)


def _counts(power: ir.Pow, step: ir.Index) -> bool:
    """Whether a power is ``β^t``, where the first step is number 1."""
    return power.exponent == ir.add(ir.Idx(step), ir.ONE)


def _counted(run: Run, equation: Equation) -> Iterator[Problem]:
    """The letters of what may be counted."""
    arrays = [
        run.symbols[one.name] for one in equation.inputs if one.shape and one.name in run.symbols
    ]
    if not any(symbol.name[0].isupper() for symbol in arrays) or run.indices:
        return
    known = {*run.shapes, *run.scope.arrays, *run.scope.ranks}
    made = set(map(names.base_letter, run.defines))  # the P_E of P_D = N P_E is of one kind with it
    others = [symbol for symbol in arrays if names.base_letter(symbol.name) not in made]
    if not all(_may_count(symbol.name) and symbol.name not in known for symbol in others or arrays):
        return
    if not all(map(_is_arithmetic, run.seen.nodes)):
        return
    *first, last = (f"`{symbol.written}`" for symbol in arrays)
    are = f"{', '.join(first)} and {last} are taken to be arrays"
    text = are if first else f"{last} is taken to be an array"
    hint = "say of a number that it is one, as with `N \\in \\mathbb{R}`"
    yield note("N2C039", text, arrays[0].span, hint)


def _may_count(name: str) -> bool:
    """Whether a name may be that of a count: by its letter, and no label says otherwise."""
    base = names.base_letter(name)
    return base in _MAY_COUNT and (name == base or base in names.COUNTS)


def _is_arithmetic(node: Node) -> bool:
    """Whether a node is a letter, a number, or a sum, a product or a quotient of others, or the
    least of them."""
    match node:
        case Name(text, font=font):
            return not font and (len(text) == 1 or text == "min" or names.is_number(text))
        case Script(Name(), sub, None | Num()):
            return not scripts.is_transposed(node) and arithmetic.is_plain(sub, None)
        case Infix(op):
            return op in "+-·×*/"
        case Group(opened, items):
            return opened in "([⌈⌊" and (len(items) == 1 or opened == "(")
    return isinstance(node, Num | Juxt | Frac | Neg)
