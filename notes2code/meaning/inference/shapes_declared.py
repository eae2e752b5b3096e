"""The shapes that a formula itself declares: ``Q, K \\in \\mathbb{R}^{n \\times d}``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import error
from notes2code.latex.tree import Node, Num
from notes2code.meaning import names
from notes2code.meaning.notation import script_reader, scripts, written_sizes
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.scope import Shape
from notes2code.meaning.stated import Declare, Statement


def shapes_declared(statements: Sequence[Statement], seen: Survey) -> dict[str, Shape]:
    """The shapes that the formula itself declares."""
    found: dict[str, Shape] = {}
    for statement in statements:
        if isinstance(statement, Declare):
            axes = tuple(axis_name(axis) for axis in statement.axes)
            for node in statement.names:
                use = script_reader.read(node, seen.bound)
                # K_{≤t} ∈ ℝ^{t×d} is a part of K, which has as many axes and is longer.
                part = bool(use.indices) and use.indices[0].relation in ("≤", "<")
                shape = Shape(("", *axes[1:]), 0) if part else Shape(axes, len(use.indices))
                # Nobody declares a power: the i of x^i ∈ ℝ^d tells the x of several apart; but for
                # the squares of deviations, σ^2 ∈ ℝ^d, which are as many as these.
                squared = scripts.is_two(use.power) and names.base_letter(use.name) == "sigma"
                label = "" if use.power is None or squared else names.label(use.power)
                name = names.code_name(use.name, label) if label else use.name
                if found.setdefault(name, shape) != shape:
                    raise error(
                        "N2C035",
                        f"`{name}` is declared with two shapes",
                        node.span,
                        "give one of the two another name",
                    )
    return found


def axis_name(node: Node) -> str | int:
    """The name of a declared axis; products and quotients are kept as text (``d/h``)."""
    if isinstance(node, Num):
        return int(float(node.text))
    return written_sizes.size_expression(node)
