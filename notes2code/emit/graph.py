"""The tensor graph between an equation and its Python text: shared nodes, no index names.

A tensor's axes are positions counted from the right; whatever stands left of them are batch
dimensions that no node knows of. Equal nodes are one object, so what is computed twice in a
formula is one node with two users.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class EmitError(ValueError):
    """An equation that cannot be written as a PyTorch function; the message says why."""


class Kind(IntEnum):
    """What a node is at run time, from the most to the least known."""

    WHOLE = 0
    """A Python int."""
    FLOAT = 1
    """A Python float."""
    NUMBER = 2
    """A float or a tensor without axes, as the caller gave it."""
    INDEX = 3
    """Whole numbers made by ``torch.arange``."""
    TABLE = 4
    """Real numbers that depend on indices alone."""
    REAL = 5
    """What depends on arrays, in their dtype."""
    BOOL = 6
    """Conditions."""
    OTHER = 7
    """Devices, dtypes, shapes and lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An operation on nodes. ``op`` is one of the words that :mod:`.text` writes out, ``data``
    what it needs besides nodes. ``rank`` counts its axes, ``deps`` are the inputs whose batch
    dimensions it carries."""

    op: str
    data: Any
    args: tuple[Node, ...]
    kind: Kind
    rank: int
    deps: frozenset[str]


@dataclass(slots=True)
class Graph:
    """Makes nodes, each only once. ``hints`` are names that suit a node as a local variable,
    ``named`` the nodes that read best as one, ``views`` the nodes with new axes made so far."""

    nodes: dict[Hashable, Node] = field(default_factory=dict)
    views: dict[tuple[Node, tuple[bool, ...]], Node] = field(default_factory=dict)
    hints: dict[Node, str] = field(default_factory=dict)
    named: set[Node] = field(default_factory=set)

    def make(
        self,
        op: str,
        data: Any,
        args: tuple[Node, ...] = (),
        kind: Kind | None = None,
        rank: int | None = None,
        deps: frozenset[str] | None = None,
    ) -> Node:
        """The node of an operation; kind, rank and dependencies are by default the largest and
        the union of those of its arguments."""
        key = (op, data, args)
        found = self.nodes.get(key)
        if found is None:
            tensors = [a for a in args if a.kind is not Kind.OTHER]
            if kind is None:
                kind = max((a.kind for a in tensors), default=Kind.OTHER)
            if rank is None:
                rank = max((a.rank for a in tensors), default=0)
            if deps is None:
                deps = frozenset().union(*(a.deps for a in tensors))
            found = self.nodes[key] = Node(op, data, args, kind, rank, deps)
        return found

    def suggest(self, node: Node, name: str, local: bool = False) -> None:
        """Suggest a name for a node, and with ``local`` that it gets a line of its own."""
        self.hints.setdefault(node, name)
        if local:
            self.named.add(node)

    def rename(self, new: Node, old: Node) -> Node:
        """The new node, with what was suggested for the old one that it stands for."""
        if old in self.hints:
            self.suggest(new, self.hints[old], old in self.named)
        return new

    # --- leaves --------------------------------------------------------------------------

    def name(
        self, text: str, kind: Kind, rank: int = 0, deps: frozenset[str] = frozenset()
    ) -> Node:
        """A variable that is there already."""
        return self.make("name", text, (), kind, rank, deps)

    def literal(self, text: str, kind: Kind = Kind.OTHER) -> Node:
        """Python text that is written as it is."""
        return self.make("literal", text, (), kind)

    def path(self, dotted: str) -> Node:
        """A member of a module, such as ``torch.float64``."""
        kind = Kind.FLOAT if dotted.startswith("math.") else Kind.OTHER
        return self.make("path", dotted, (), kind)

    def keyword(self, name: str, value: Node) -> Node:
        """A keyword argument."""
        return self.make("keyword", name, (value,), Kind.OTHER)

    def attribute(self, owner: Node, name: str) -> Node:
        """``x.dtype`` or ``x.device``."""
        return self.make("attribute", name, (owner,), Kind.OTHER, 0, frozenset())

    def listed(self, items: tuple[Node, ...]) -> Node:
        """``[a, b]``."""
        return self.make("list", "[]", items, Kind.OTHER, 0, frozenset())

    # --- operations ----------------------------------------------------------------------

    def infix(self, sign: str, left: Node, right: Node, kind: Kind | None = None) -> Node:
        """``left sign right``."""
        return self.make("infix", sign, (left, right), kind)

    def prefix(self, sign: str, body: Node) -> Node:
        """``-x`` or ``~x``; twice is not at all."""
        if body.op == "prefix" and body.data == sign:
            return body.args[0]
        return self.make("prefix", sign, (body,))

    def mapped(self, function: str, *args: Node, kind: Kind | None = None) -> Node:
        """A function that acts element by element: ``torch.exp`` of all, or ``.square`` of the
        first argument."""
        return self.make("map", function, args, kind)

    def call(self, function: str, *args: Node, kind: Kind, rank: int) -> Node:
        """A call of a module's function that does not act element by element."""
        return self.make("call", function, args, kind, rank, self.union(args))

    def method(self, name: str, owner: Node, *args: Node, rank: int | None = None) -> Node:
        """A call of a tensor's method that does not act element by element."""
        whose = owner.rank if rank is None else rank
        return self.make("method", name, (owner, *args), owner.kind, whose, owner.deps)

    def reduce(self, kind: str, dims: tuple[int, ...], body: Node) -> Node:
        """``x.sum(dim=-1)`` and its like; of the same reduction, one over both sets of axes."""
        if body.op == "reduce" and body.data[0] == kind != "prod" and not body.data[2]:
            inner = body.data[1]
            kept = [d for d in range(-body.args[0].rank, 0) if d not in inner]
            both = tuple(sorted((*inner, *(kept[d] for d in dims))))
            return self.reduce(kind, both, body.args[0])
        data = (kind, dims, False)
        return self.make("reduce", data, (body,), body.kind, body.rank - len(dims), body.deps)

    def counted(self, condition: Node, dim: int) -> Node:
        """How often a condition holds along an axis."""
        data = ("sum", (dim,), False)
        deps = condition.deps
        return self.make("reduce", data, (condition,), Kind.REAL, condition.rank - 1, deps)

    def matmul(self, left: Node, right: Node) -> Node:
        """``left @ right``."""
        kind = max(left.kind, right.kind)
        return self.make("infix", "@", (left, right), kind, left.rank)

    def einsum(self, inputs: tuple[str, ...], output: str, operands: tuple[Node, ...]) -> Node:
        """A sum of products in the letters given; two that differ in letters alone are one."""
        letters: dict[str, str] = {}
        for letter in "".join(inputs):
            letters.setdefault(letter, chr(ord("A") + len(letters)))
        plain = tuple("".join(letters[x] for x in part) for part in (*inputs, output))
        key = ("einsum", plain, operands)
        if key not in self.nodes:
            made = self.make("einsum", (inputs, output), operands, rank=len(output))
            self.nodes[key] = made
        return self.nodes[key]

    def union(self, args: tuple[Node, ...]) -> frozenset[str]:
        """The dependencies of arguments, lists included."""
        found: frozenset[str] = frozenset()
        for arg in args:
            if arg.op in ("list", "keyword"):
                found |= self.union(arg.args)
            elif arg.kind is not Kind.OTHER:
                found |= arg.deps
        return found


def is_python(node: Node) -> bool:
    """Whether a node is a Python number, not a tensor."""
    return node.kind <= Kind.FLOAT


def is_tensor(node: Node) -> bool:
    """Whether a node is a tensor for certain."""
    return Kind.INDEX <= node.kind <= Kind.BOOL


def below(root: Node) -> dict[Node, None]:
    """All nodes that a node is made of, itself included."""
    found: dict[Node, None] = {}
    pending = [root]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            pending.extend(reversed(node.args))
    return found
