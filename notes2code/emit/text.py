"""Nodes as Python text, with the parentheses that Python needs and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from notes2code.emit.graph import Node

COMPARISON, OR, AND, SUM, PRODUCT, UNARY, POWER, PRIMARY = range(8)
LEVELS = {
    "|": OR, "&": AND, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "@": PRODUCT,
    "//": PRODUCT, "%": PRODUCT, "**": POWER,
}  # fmt: skip
MODULES = {
    "builtins": "import builtins",
    "math": "import math",
    "Callable": "from collections.abc import Callable",
    "torch": "import torch",
    "F": "import torch.nn.functional as F",
    "Tensor": "from torch import Tensor",
}
"""What an emitted module may import, in the order of its import lines."""


@dataclass(frozen=True, slots=True)
class Text:
    """Python text and how tightly it binds."""

    code: str
    level: int = PRIMARY

    def at(self, level: int) -> str:
        """The text where at least this level is needed."""
        return self.code if self.level >= level else f"({self.code})"


@dataclass(slots=True)
class Library:
    """The modules that emitted code uses, under names that no input of it has."""

    taken: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)

    def __call__(self, dotted: str) -> str:
        """``torch.exp`` as the code must write it; the module is counted as used."""
        module, dot, member = dotted.partition(".")
        self.used.add(module)
        return f"{self._alias(module)}{dot}{member}"

    def builtin(self, name: str) -> str:
        """A function of the language, also where an input has its name."""
        return self(f"builtins.{name}") if name in self.taken else name

    def _alias(self, module: str) -> str:
        return f"{module}_" if module in self.taken else module

    def aliases(self) -> set[str]:
        """The names that locals must leave to modules."""
        return {self._alias(module) for module in MODULES}

    def imports(self) -> str:
        """The import lines, grouped as is usual."""
        lines = [
            line if self._alias(name) == name else f"{line.removesuffix(' as F')} as {name}_"
            for name, line in MODULES.items()
            if name in self.used
        ]
        standard = [line for line in lines if "torch" not in line]
        others = [line for line in lines if "torch" in line]
        return "\n\n".join("\n".join(group) for group in (standard, others) if group)


def write(node: Node, library: Library, inner: Callable[[Node], Text]) -> Text:
    """The text of a node, given that of its arguments."""
    args = node.args
    match node.op:
        case "name" | "literal":
            return Text(node.data)
        case "path":
            return Text(library(node.data))
        case "keyword":
            return Text(f"{node.data}={inner(args[0]).code}")
        case "attribute":
            return Text(f"{inner(args[0]).at(PRIMARY)}.{node.data}")
        case "extent":
            return Text(f"{inner(args[0]).code}.shape[{inner(args[1]).code}]")
        case "leading":
            axes = f"[:-{node.data}]" if node.data else ""
            return Text(f"{inner(args[0]).at(PRIMARY)}.shape{axes}")
        case "star":
            return Text(f"*{inner(args[0]).at(PRIMARY)}")
        case "list":
            return Text(f"[{_listed(inner, args)}]")
        case "infix":
            return _infix(node.data, inner(args[0]), inner(args[1]))
        case "prefix":
            return Text(node.data + inner(args[0]).at(UNARY), UNARY)
        case "map" | "call":
            return _called(node.data, args, library, inner)
        case "apply":
            return Text(f"{node.data}({_listed(inner, args)})")
        case "method":
            return _called(f".{node.data}", args, library, inner)
        case "tensor":
            return _called("torch.tensor", args, library, inner)
        case "reduce":
            return _reduced(node, library, inner)
        case "einsum":
            return _einsum(node, library, inner)
        case "view":
            return _viewed(node, inner)
        case "item":
            return _item(node, inner)
    raise AssertionError(node.op)


def _listed(inner: Callable[[Node], Text], args: Iterable[Node]) -> str:
    return ", ".join(inner(arg).code for arg in args)


def _infix(sign: str, left: Text, right: Text) -> Text:
    level = LEVELS.get(sign, COMPARISON)
    if sign == "**":
        one, other = left.at(PRIMARY), right.at(UNARY)
        space = "" if _is_simple(one) and _is_simple(other) else " "
        return Text(f"{one}{space}**{space}{other}", level)
    return Text(f"{left.at(level)} {sign} {right.at(level + 1)}", level)


def _is_simple(code: str) -> bool:
    """Whether the usual style sets ``**`` without spaces next to an operand."""
    code = code.removeprefix("-")
    return all(part.isidentifier() for part in code.split(".")) or _is_number(code)


def _is_number(code: str) -> bool:
    return code[:1].isdigit() and all(c.isalnum() or c in ".-" for c in code)


def _called(
    function: str, args: tuple[Node, ...], library: Library, inner: Callable[[Node], Text]
) -> Text:
    if function.startswith("."):
        return Text(f"{inner(args[0]).at(PRIMARY)}{function}({_listed(inner, args[1:])})")
    name = library(function) if "." in function else library.builtin(function)
    return Text(f"{name}({_listed(inner, args)})")


def _reduced(node: Node, library: Library, inner: Callable[[Node], Text]) -> Text:
    kind, dims, keep = node.data
    where = str(dims[0]) if len(dims) == 1 else str(dims)
    options = f"dim={where}, keepdim=True" if keep else f"dim={where}"
    body = inner(node.args[0])
    if kind in ("norm", "logsumexp"):
        function = library("torch.linalg.vector_norm" if kind == "norm" else "torch.logsumexp")
        return Text(f"{function}({body.code}, {options})")
    return Text(f"{body.at(PRIMARY)}.{kind}({options})")


def _einsum(node: Node, library: Library, inner: Callable[[Node], Text]) -> Text:
    """An einsum; operands with batch dimensions have an ellipsis for them."""
    inputs, output = node.data
    parts = [
        f"...{part}" if arg.deps else part for part, arg in zip(inputs, node.args, strict=True)
    ]
    result = f"...{output}" if node.deps else output
    spec = f'"{",".join(parts)}->{result}"'
    return Text(f"{library('torch.einsum')}({spec}, {_listed(inner, node.args)})")


def _viewed(node: Node, inner: Callable[[Node], Text]) -> Text:
    """Axes of length one: ``unsqueeze`` for one, an index with ``None`` for several."""
    pattern = node.data
    owner = inner(node.args[0]).at(PRIMARY)
    if pattern.count(False) == 1:
        return Text(f"{owner}.unsqueeze({pattern.index(False) - len(pattern)})")
    first = pattern.index(False)
    slots = ", ".join(":" if axis else "None" for axis in pattern[first:])
    return Text(f"{owner}[..., {slots}]")


def _item(node: Node, inner: Callable[[Node], Text]) -> Text:
    owner, *places = node.args
    rest = iter(places)
    slots = [inner(next(rest)).code if slot is None else slot for slot in node.data]
    return Text(f"{inner(owner).at(PRIMARY)}[..., {', '.join(slots)}]")
