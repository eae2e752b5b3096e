"""The last pass over a graph: index tensors get their dtype, and what is computed twice merges.

An index tensor is of whole numbers if it is only compared, added, or looked up with, and real
from the start if anything real is computed from it; then no conversion is left in the code.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from notes2code.emit.arithmetic import Arithmetic
from notes2code.emit.graph import Graph, Kind, Node, below
from notes2code.emit.layout import unsqueeze


def finish(graph: Graph, math: Arithmetic, root: Node) -> Node:
    """The same graph in plain PyTorch operations."""
    everything = below(root)
    real: set[Node] = set()
    for node in everything:
        if node.op == "cast":
            real |= {inner for inner in below(node) if inner.op == "arange"}
    kept = {n.data[:2] + n.args for n in everything if n.op == "reduce" and n.data[2]}
    return _Finish(graph, math, real, kept).node(root)


@dataclass(slots=True)
class _Finish:
    """``real`` are the index tensors that are real, ``kept`` the reductions that keep axes."""

    graph: Graph
    math: Arithmetic
    real: set[Node]
    kept: set[tuple[object, ...]]
    done: dict[Node, Node] = field(default_factory=dict)

    def node(self, node: Node) -> Node:
        """The finished node."""
        if node not in self.done:
            self.done[node] = self.graph.rename(self._node(node), node)
        return self.done[node]

    def _node(self, node: Node) -> Node:
        match node.op:
            case "arange":
                return self._arange(node)
            case "cast":
                return self.node(node.args[0])
            case "meet":
                inner, dtype = self.node(node.args[0]), self.math.dtype()
                whole = self.math.like is None or self._is_whole(node.args[0])
                return inner if whole else self.graph.method("to", inner, dtype)
            case "long":
                inner = self.node(node.args[0])
                return inner if self._is_whole(node.args[0]) else self.graph.method("long", inner)
        args = tuple(self.node(arg) for arg in node.args)
        if node.op == "reduce" and node.data[:2] + node.args in self.kept and not node.data[2]:
            return self._squeezed(node, args)
        return self.graph.make(node.op, node.data, args, node.kind, node.rank, node.deps)

    def _is_whole(self, node: Node) -> bool:
        inside = below(node)
        return node.kind is Kind.INDEX and not any(inner in self.real for inner in inside)

    def _arange(self, node: Node) -> Node:
        """``torch.arange(n)`` with axes of length one behind it."""
        keywords = list(self.math.place())
        if node not in self.real:
            del keywords[0]
        elif self.math.like is not None:
            keywords[0] = self.graph.keyword("dtype", self._table_dtype())
        args = (self.node(node.args[0]), *keywords)
        made = self.graph.call("torch.arange", *args, kind=node.kind, rank=1)
        return unsqueeze(self.graph, made, (True, *[False] * node.data[1]))

    def _table_dtype(self) -> Node:
        args = (self.math.dtype(), self.graph.path("torch.float32"))
        made = self.graph.call("torch.promote_types", *args, kind=Kind.OTHER, rank=0)
        self.graph.suggest(made, "dtype", local=True)
        return made

    def _squeezed(self, node: Node, args: tuple[Node, ...]) -> Node:
        """A reduction that is needed with and without its axes, made from the one with them."""
        kind, dims, _ = node.data
        data = (kind, dims, True)
        kept = self.graph.make("reduce", data, args, node.kind, args[0].rank, node.deps)
        where = ", ".join(map(str, dims))
        place = self.graph.literal(where if len(dims) == 1 else f"({where})")
        return self.graph.method("squeeze", kept, place, rank=node.rank)
