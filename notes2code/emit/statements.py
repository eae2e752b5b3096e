"""A graph as the lines of a function's body: which nodes get a name, and which."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from notes2code.emit.graph import Graph, Kind, Node, below
from notes2code.emit.text import Library, Text, write

WIDTH = 93
"""The length of a line's text and its name together; the formatter's limit is 100."""

LIMIT = 96
"""What fits on a line of the body."""

SHORT = 28
"""An expression no longer than this stays in place, even if it would have a good name."""

LEAVES = frozenset("name literal path keyword attribute list star extent".split())
UNTYPED = frozenset(["norm"])
"""Reductions whose type the library does not tell: they get a local with an annotation."""
AMBIGUOUS = frozenset("lOI")
"""Letters that look like digits."""


@dataclass(slots=True)
class Names:
    """The names of a function's locals; each is given once."""

    taken: set[str] = field(default_factory=set)

    def new(self, wanted: str) -> str:
        """The name, with a number behind it where it is taken."""
        wanted = f"{wanted}_" if wanted in AMBIGUOUS else wanted
        name, number = wanted, 1
        while name in self.taken or keyword.iskeyword(name) or hasattr(builtins, name):
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name


class Body:
    """The lines that compute a node; the last one begins with ``start``.

    ``known`` are the nodes that have a local already.
    """

    def __init__(
        self,
        root: Node,
        graph: Graph,
        library: Library,
        names: Names,
        start: str = "return ",
        known: Mapping[Node, str] = MappingProxyType({}),
    ) -> None:
        self.graph = graph
        self.library = library
        self.names = names
        self.locals: dict[Node, str] = dict(known)
        self.lines: list[str] = []
        order = _postorder(root, self.locals)
        self.users = _users(order)
        self.wanted = {node for node in graph.named if not self._is_trivial(node)}
        for node in order:
            if node.op != "loop":
                self._shorten(node)
            if self._needs_name(node) or (node is not root and self._deserves_name(node)):
                self._assign(node)
        self._add(start, root)

    # --- which nodes -----------------------------------------------------------------------

    def _is_trivial(self, node: Node) -> bool:
        """Whether a node is nothing to compute: a name, or another look at it."""
        if node.op in LEAVES:
            return True
        if is_look(node) or node.op == "prefix":
            return node.args[0].op in ("name", "literal", "path")
        return node.kind <= Kind.FLOAT and all(self._is_trivial(a) for a in node.args)

    def _uses(self, node: Node) -> int:
        """How often a node is needed; looks at it count as what they are needed for."""
        users = self.users.get(node, [])
        looks = {user for user in users if is_look(user) and user not in self.wanted}
        return sum(self._uses(user) if user in looks else 1 for user in users)

    def _needs_name(self, node: Node) -> bool:
        """Whether a node must be a local: one whose shape is asked for, or that has no type."""
        if node.op == "loop" or (node.op == "reduce" and node.data[0] in UNTYPED):
            return True
        expanded = any(u.op == "method" and u.data == "expand" for u in self.users.get(node, []))
        return expanded and node.op not in LEAVES

    def _deserves_name(self, node: Node) -> bool:
        if self._is_trivial(node):
            return False
        if self._uses(node) > 1 and not is_look(node):
            return True
        if node.op == "reduce" and node.data[2] and is_square(node.args[0]):
            return True
        if self.graph.hints.get(node) == "scores" and len(self.text(node).code) <= SHORT:
            return any(user.data == ".masked_fill" for user in self.users[node])
        return node in self.wanted

    # --- writing ---------------------------------------------------------------------------

    def text(self, node: Node) -> Text:
        """The text of a node; one that has a local is that local's name."""
        if node in self.locals:
            return Text(self.locals[node])
        return write(node, self.library, self.text)

    def _assign(self, node: Node) -> None:
        """Give a node a line and a name."""
        name = self.names.new(self.graph.hints.get(node) or self._suggestion(node))
        if node.op == "loop":
            self._repeat(name, node)
            return
        untyped = node.op == "reduce" and node.data[0] in UNTYPED
        annotation = f": {self.library('Tensor')}" if untyped else ""
        self._add(f"{name}{annotation} = ", node)
        self.locals[node] = name

    def _repeat(self, name: str, node: Node) -> None:
        """The lines of a loop that computes a state again and again."""
        initial, size, state, counter, step = node.args
        self._add(f"{name} = ", initial)
        used = counter in below(step)
        number = self.names.new(counter.data) if used else "_"
        known = {**self.locals, state: name, counter: number}
        inner = Body(step, self.graph, self.library, self.names, f"{name} = ", known)
        steps = f"{self.library.builtin('range')}({self.text(size).code})"
        self.lines.append(f"for {number} in {steps}:")
        self.lines += [f"    {line}" for line in inner.lines]
        self.locals[node] = name

    def _add(self, start: str, node: Node) -> None:
        """A line; a call that is too long for one is broken as the formatter breaks it."""
        code = self.text(node).code
        called = node.op in ("map", "call", "apply") and not node.data.startswith(".")
        if len(start) + len(code) <= LIMIT or not called:
            self.lines.append(start + code)
            return
        args = [self.text(arg).code for arg in node.args]
        inner = [", ".join(args)] if len(", ".join(args)) + 4 <= LIMIT else [f"{a}," for a in args]
        self.lines += [f"{start}{code.partition('(')[0]}(", *(f"    {line}" for line in inner), ")"]

    def _shorten(self, node: Node) -> None:
        """Give lines of their own to the longest parts of a node until its text is short."""
        width = WIDTH - max(10, len(self.graph.hints.get(node, "")))
        while len(self.text(node).code) > width:
            parts = [p for p in self._parts(node) if len(self.text(p).code) > SHORT // 2]
            parts = parts or [
                arg
                for arg in needed(node)
                if (is_look(arg) or arg.op == "infix") and arg not in self.locals
            ]
            if not parts:
                break
            longest = max(parts, key=lambda part: len(self.text(part).code))
            enough = 0.7 * len(self.text(longest).code)
            for part in dict.fromkeys(parts):
                if part.op == longest.op and len(self.text(part).code) >= enough:
                    self._assign(part)

    def _parts(self, node: Node) -> Iterable[Node]:
        """What a node is made of, as far as it has no name and would be worth one: the operands
        of a chain, or the arguments."""
        for arg in needed(node):
            chain = node.op == arg.op == "infix" and _binds_alike(node.data, arg.data)
            if chain or is_look(arg) or arg.op in ("prefix", "list", "keyword", "star"):
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
        look = is_look(node) or (node.op == "method" and node.data in ("expand", "to"))
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
            items = node.args[0].args
            return "matrix" if any(item.data == "torch.stack" for item in items) else "row"
        return NAMES.get(function) or argument or "values"


def _binds_alike(sign: str, other: str) -> bool:
    return {sign, other} <= {"+", "-"} or {sign, other} <= {"*", "/"}


def _postorder(root: Node, known: Mapping[Node, str]) -> list[Node]:
    """All nodes that are not known, each after those that it needs; what a loop repeats is left
    to the loop."""
    order: dict[Node, None] = {}

    def visit(node: Node) -> None:
        if node not in order and node not in known:
            for arg in needed(node):
                visit(arg)
            order[node] = None

    visit(root)
    return list(order)


def needed(node: Node) -> tuple[Node, ...]:
    """What must be there before a node can be computed."""
    return node.args[:2] if node.op == "loop" else node.args


def _users(order: list[Node]) -> dict[Node, list[Node]]:
    users: dict[Node, list[Node]] = {}
    for node in order:
        for arg in needed(node):
            users.setdefault(arg, []).append(node)
    return users


# --- names ------------------------------------------------------------------------------------

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
    if is_square(body):
        return "variance" if is_centred(body.args[0]) else "mean_square"
    return "mean"


def is_look(node: Node) -> bool:
    """Whether a node is another view of its first argument."""
    return node.op == "view" or (node.op == "method" and node.data in ("transpose", "movedim"))


def is_square(node: Node) -> bool:
    """Whether a node is the square of something."""
    return node.op == "map" and bool(node.data == ".square")


def is_centred(node: Node) -> bool:
    """Whether a node is something less its mean."""
    mean = node.args[1] if node.op == "infix" and node.data == "-" else None
    return mean is not None and mean.op == "reduce" and bool(mean.data[0] == "mean")
