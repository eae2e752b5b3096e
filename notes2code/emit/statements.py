"""A graph as the lines of a function's body: which nodes get a name, and which."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable
from dataclasses import dataclass, field

from notes2code.emit.graph import Kind, Node
from notes2code.emit.text import Library, Text, write

WIDTH = 92
"""The length that a line should keep within; the formatter's limit is 100."""

SHORT = 28
"""An expression no longer than this stays in place, even if it would have a good name."""

LEAVES = frozenset(["name", "literal", "path", "keyword", "attribute", "list", "star", "leading",
                    "extent"])  # fmt: skip


@dataclass(slots=True)
class Names:
    """The names of a function's locals; each is given once."""

    taken: set[str] = field(default_factory=set)

    def new(self, wanted: str) -> str:
        """The name, with a number behind it where it is taken."""
        name, number = wanted, 1
        while name in self.taken or keyword.iskeyword(name) or hasattr(builtins, name):
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name


class Body:
    """The lines that compute a node, the last of which returns it."""

    def __init__(
        self, root: Node, library: Library, names: Names, hints: dict[Node, str], named: set[Node]
    ) -> None:
        self.library = library
        self.names = names
        self.hints = hints
        self.locals: dict[Node, str] = {}
        self.lines: list[str] = []
        self.order = _postorder(root)
        self.users = _users(self.order)
        self.wanted = {node for node in named if not self._is_trivial(node)}
        for node in self.order:
            if node is not root and self._deserves_name(node):
                self._assign(node)
        self._write(root, "return ")

    # --- which nodes -----------------------------------------------------------------------

    def _is_trivial(self, node: Node) -> bool:
        """Whether a node is nothing to compute: a name, or another look at it."""
        if node.op in LEAVES:
            return True
        look = node.op == "view" or (node.op == "method" and node.data == "transpose")
        if look or node.op == "prefix":
            return node.args[0].op == "name"
        return node.kind <= Kind.FLOAT and all(self._is_trivial(a) for a in node.args)

    def _deserves_name(self, node: Node) -> bool:
        users = self.users.get(node, [])
        if any(user.op == "leading" for user in users):
            return node.op not in LEAVES
        if self._is_trivial(node):
            return False
        if len(users) > 1:
            return True
        if node not in self.wanted:
            return False
        return self.hints.get(node) != "scores" or len(self.text(node).code) > SHORT

    # --- writing ---------------------------------------------------------------------------

    def text(self, node: Node) -> Text:
        """The text of a node; one that has a local is that local's name."""
        if node in self.locals:
            return Text(self.locals[node])
        return write(node, self.library, self.text)

    def _assign(self, node: Node) -> None:
        """Give a node a line and a name."""
        code = self._fitted(node, 20)
        name = self.names.new(self.hints.get(node) or suggestion(node))
        self.lines.append(f"{name} = {code}")
        self.locals[node] = name

    def _write(self, node: Node, start: str) -> None:
        code = self._fitted(node, len(start))
        self.lines.append(f"{start}{code}")

    def _fitted(self, node: Node, room: int) -> str:
        """The text of a node, with its longest parts in lines of their own until it is short."""
        code = self.text(node).code
        while len(code) + room > WIDTH:
            part = self._longest_part(node)
            if part is None:
                break
            self._assign(part)
            code = self.text(node).code
        return code

    def _longest_part(self, node: Node) -> Node | None:
        """The part of a node that frees the most room."""
        parts = [p for p in self._parts(node) if not self._is_trivial(p) and p not in self.locals]
        parts = [part for part in parts if len(self.text(part).code) > 12]
        return max(parts, key=lambda part: len(self.text(part).code), default=None)

    def _parts(self, node: Node) -> Iterable[Node]:
        """The operands of a chain, or the arguments."""
        for arg in node.args:
            if arg in self.locals:
                continue
            chain = node.op == arg.op == "infix" and _binds_alike(node.data, arg.data)
            if chain or arg.op in ("prefix", "list", "keyword", "star"):
                yield from self._parts(arg)
            else:
                yield arg


def _binds_alike(sign: str, other: str) -> bool:
    return {sign, other} <= {"+", "-"} or {sign, other} <= {"*", "/"}


def _postorder(root: Node) -> list[Node]:
    """All nodes, each after those that it needs."""
    order: dict[Node, None] = {}

    def visit(node: Node) -> None:
        if node not in order:
            for arg in node.args:
                visit(arg)
            order[node] = None

    visit(root)
    return list(order)


def _users(order: list[Node]) -> dict[Node, list[Node]]:
    users: dict[Node, list[Node]] = {}
    for node in order:
        for arg in node.args:
            users.setdefault(arg, []).append(node)
    return users


# --- names ------------------------------------------------------------------------------------


def suggestion(node: Node) -> str:
    """A name that says what a node is."""
    match node.op:
        case "reduce":
            return _name_of_reduction(node)
        case "infix":
            return _name_of_infix(node)
        case "einsum":
            return "product"
        case "map" | "call" | "method" | "apply":
            return NAMES.get(node.data.rpartition(".")[2], "values")
        case "compare":
            return "keep"
        case _:
            return "values"


NAMES = {
    "softmax": "weights", "log_softmax": "log_weights", "exp": "powers", "cat": "joined",
    "stack": "stacked", "relu": "hidden", "gelu": "hidden", "tanh": "hidden", "silu": "hidden",
    "sigmoid": "gate", "square": "squares", "log": "logs", "sin": "sines", "cos": "cosines",
    "arange": "index", "flatten": "joined", "to": "values", "sqrt": "root", "tensor": "constant",
    "masked_fill": "masked", "transpose": "turned", "where": "values",
}  # fmt: skip
REDUCTIONS = {"sum": "total", "amax": "largest", "amin": "smallest", "prod": "product",
              "norm": "length", "logsumexp": "log_total"}  # fmt: skip


def _name_of_reduction(node: Node) -> str:
    kind = node.data[0]
    body = node.args[0]
    if kind != "mean":
        return str(REDUCTIONS[kind])
    if body.op == "map" and body.data == ".square":
        return "variance" if _is_centred(body.args[0]) else "mean_square"
    return "mean"


def _is_centred(node: Node) -> bool:
    mean = node.args[1] if node.op == "infix" and node.data == "-" else None
    return mean is not None and mean.op == "reduce" and mean.data[0] == "mean"


def _name_of_infix(node: Node) -> str:
    if node.kind is Kind.BOOL:
        return "keep"
    if node.kind <= Kind.FLOAT:
        return "scale"
    if node.data == "-":
        return "centred" if _is_centred(node) else "difference"
    return {"+": "total", "@": "product", "*": "product", "/": "quotient", "**": "powers"}.get(
        node.data, "values"
    )
