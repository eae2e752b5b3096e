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
            self._shorten(node)
            if node is not root and self._deserves_name(node):
                self._assign(node)
        self.lines.append(f"return {self.text(root).code}")

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
        name = self.names.new(self.hints.get(node) or self._suggestion(node))
        self.lines.append(f"{name} = {self.text(node).code}")
        self.locals[node] = name

    def _shorten(self, node: Node) -> None:
        """Give lines of their own to the longest parts of a node until its text is short."""
        while len(self.text(node).code) > WIDTH:
            parts = [p for p in self._parts(node) if len(self.text(p).code) > SHORT // 2]
            if not parts:
                break
            longest = max(parts, key=lambda part: len(self.text(part).code))
            enough = 0.7 * len(self.text(longest).code)
            for part in dict.fromkeys(parts):
                twin = (part.op, part.data) == (longest.op, longest.data)
                if part is longest or (twin and len(self.text(part).code) > enough):
                    self._assign(part)

    def _parts(self, node: Node) -> Iterable[Node]:
        """What a node is made of, as far as it has no name and would be worth one: the operands
        of a chain, or the arguments."""
        for arg in node.args:
            chain = node.op == arg.op == "infix" and _binds_alike(node.data, arg.data)
            if chain or arg.op in ("prefix", "list", "keyword", "star", "view"):
                yield from self._parts(arg)
            elif arg not in self.locals and not self._is_trivial(arg):
                yield arg

    # --- names -------------------------------------------------------------------------------

    def _base(self, node: Node) -> str | None:
        """The name of a node, or of what it is another look at."""
        if node in self.locals:
            return self.locals[node]
        if node.op == "name":
            return str(node.data)
        look = node.op == "view" or (node.op == "method" and node.data in LOOKS)
        return self._base(node.args[0]) if look else None

    def _suggestion(self, node: Node) -> str:
        """A name that says what a node is."""
        match node.op:
            case "infix":
                return self._name_of_infix(node)
            case "einsum":
                return self._joined(node.args) or "product"
            case "reduce":
                return _name_of_reduction(node)
            case "apply":
                argument = self._base(node.args[0]) if node.args else None
                return f"{node.data}_{argument}" if argument else f"{node.data}_output"
            case "map" | "call" | "method":
                return self._name_of_call(node)
        return self._base(node) or "values"

    def _joined(self, parts: tuple[Node, ...]) -> str | None:
        """``X_W`` for a product of X and W."""
        names = [self._base(part) for part in parts]
        whole = "_".join(name for name in names if name)
        return whole if all(names) and len(whole) <= 12 else None

    def _name_of_infix(self, node: Node) -> str:
        if any(user.op == "map" and user.data in TURNS for user in self.users.get(node, [])):
            return "angle"
        if node.kind is Kind.BOOL:
            return "keep"
        if node.kind <= Kind.FLOAT:
            return "scale"
        if node.data == "-" and is_centred(node):
            return "centred"
        if node.data in "@*":
            return self._joined(node.args) or "product"
        return INFIX.get(node.data, "values")

    def _name_of_call(self, node: Node) -> str:
        function = node.data.rpartition(".")[2]
        argument = self._base(node.args[0]) if node.args else None
        if function in OF_ARGUMENT and argument:
            return f"{function}_{argument}"
        if function == "stack":
            return "row" if any(u.op == "list" for u in self.users.get(node, [])) else "matrix"
        return NAMES.get(function) or argument or "values"


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

LOOKS = frozenset(["transpose", "expand", "to", "movedim"])
TURNS = frozenset(["torch.sin", "torch.cos"])
OF_ARGUMENT = frozenset("exp log sin cos sinh cosh sign abs sqrt".split())
INFIX = {"+": "total", "-": "difference", "/": "quotient", "**": "powers"}
NAMES = {
    "softmax": "weights", "log_softmax": "log_weights", "exp": "powers", "cat": "joined",
    "relu": "hidden", "gelu": "hidden", "tanh": "hidden", "silu": "hidden", "elu": "hidden",
    "sigmoid": "gate", "square": "squares", "log": "logs", "sin": "sines", "cos": "cosines",
    "arange": "index", "flatten": "joined", "sqrt": "root", "masked_fill": "masked",
}  # fmt: skip
REDUCTIONS = {"sum": "total", "amax": "largest", "amin": "smallest", "prod": "product",
              "norm": "length", "logsumexp": "log_total"}  # fmt: skip


def _name_of_reduction(node: Node) -> str:
    kind, body = node.data[0], node.args[0]
    if kind != "mean":
        return REDUCTIONS[kind]
    if body.op == "map" and body.data == ".square":
        return "variance" if is_centred(body.args[0]) else "mean_square"
    return "mean"


def is_centred(node: Node) -> bool:
    """Whether a node is something less its mean."""
    mean = node.args[1] if node.op == "infix" and node.data == "-" else None
    return mean is not None and mean.op == "reduce" and bool(mean.data[0] == "mean")
