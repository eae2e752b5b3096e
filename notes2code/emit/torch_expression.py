"""A part of an equation as one Python expression, for code that has its tensors already."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from notes2code.emit.arithmetic import Arithmetic
from notes2code.emit.finish import finish
from notes2code.emit.graph import EmitError, Graph, Kind, Node
from notes2code.emit.layout import Axes, Value, align
from notes2code.emit.lower import Lowering
from notes2code.emit.simplify import simplified
from notes2code.emit.text import LEVELS, PRIMARY, Library, Text, write
from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Idx, Ref

KINDS = {"tensor": Kind.REAL, "float": Kind.FLOAT, "int": Kind.WHOLE}


@dataclass(frozen=True, slots=True)
class Local:
    """What stands for a part of an equation: its Python text and the index of each of its axes.

    ``kind`` is ``tensor``, ``float`` or ``int``. A tensor is taken to carry batch dimensions on
    the left of its axes, unless it is not ``batched``, as a weight of a module is not.
    """

    text: str
    axes: Axes = ()
    kind: str = "tensor"
    batched: bool = True


def torch_expression(
    expr: Expr,
    given: Mapping[Expr | str, Local],
    axes: Axes = (),
    like: str | None = None,
    within: str = "",
) -> str:
    """The Python text of an expression whose tensor has these axes, of length one where the
    expression does not depend on them.

    ``given`` says what is there already: under a name, an array (its axes stand for the places
    of the ``Ref``) or a number; under an expression, such as the ``Reduce`` that is a score, its
    value (its axes are the indices in it); under a ``Size``, an int. ``like`` is the text of a
    tensor that gives new tensors their dtype and device. ``within`` is the operator that the text
    is to be an operand of, on either side; it has parentheses if it needs them there.

    The text uses ``math``, ``torch`` and ``F`` under these names. Raises ``EmitError`` where
    something is not given.
    """
    graph = Graph()
    whose = None if like is None else graph.name(_primary(like), Kind.REAL)
    low = Lowering(graph, Arithmetic(graph, whose))
    places: dict[Expr, Expr] = {}
    for at, (key, local) in enumerate(given.items()):
        name = key if isinstance(key, str) else f"given {at}"
        if isinstance(key, ir.Size):
            low.sizes[key] = _node(graph, local, name)
        elif not isinstance(key, str):
            places[key] = Ref(name, tuple(Idx(axis) for axis in local.axes))
        low.arrays[name] = (local.axes, Value(_node(graph, local, name), local.axes))
    value = low.lower(simplified(ir.replaced(expr, places)), axes)
    root = finish(graph, low.math, align(graph, value, axes))
    return _text(root).at(LEVELS[within] + 1 if within else 0)


def _text(node: Node) -> Text:
    return write(node, Library(), _text)


def _node(graph: Graph, local: Local, name: str) -> Node:
    if local.kind not in KINDS:
        raise EmitError(f"a local is a tensor, a float or an int, not a {local.kind}")
    batched = local.batched and local.kind == "tensor"
    deps = frozenset((name,)) if batched else frozenset[str]()
    return graph.name(_primary(local.text), KINDS[local.kind], len(local.axes), deps)


def _primary(text: str) -> str:
    """The text, in parentheses unless it is a name, a call or the like."""
    body = ast.parse(text, mode="eval").body
    tight = isinstance(body, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
    return Text(text, PRIMARY if tight else 0).at(PRIMARY)
