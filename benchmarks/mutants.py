"""Small mistakes in Python code, one at a time: the operators of mutation testing.

A mutant is one edit of the text of a module, in a function, its signature or the body of a class:
another operator, another number, a condition turned round, a statement or an argument left out.
What Python does not look at is left alone: docstrings and annotations, and the wording of errors
and of what ``--help`` says; and ``device=…`` and ``.to(device)``, which nothing can tell from their
absence where there is only one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """A module with one mistake.

    module: the file's name, such as ``masks.py``
    where: what it is in, such as ``BlockAttention.forward``
    was, now: the lines that the mistake changes
    source: the whole module with the mistake
    decorator: whether it changes how a function is decorated
    """

    module: str
    where: str
    was: str
    now: str
    source: str
    decorator: bool = False


COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("/",)),
    ast.Div: ("/", ("*",)),
    ast.FloorDiv: ("//", ("*",)),
    ast.Mod: ("%", ("*",)),
    ast.Pow: ("**", ("*",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
}
NAMES = {
    "max": "min",
    "min": "max",
    "amax": "amin",
    "any": "all",
    "all": "any",
    "sin": "cos",
    "cos": "sin",
    "argmax": "argmin",
    "ones": "zeros",
    "zeros": "ones",
    "ones_like": "zeros_like",
    "tril": "triu",
    "relu": "gelu",
    "gelu": "relu",
    "tanh": "sigmoid",
    "sigmoid": "tanh",
    "repeat_interleave": "repeat",
    "zeros_": "ones_",
}


def mutants(module: str, text: str) -> Iterator[Mutant]:
    """All that the operators make of a module."""
    yield from _Operators(module, text).all()


def _plain(lines: str) -> str:
    return "\n".join(line.strip() for line in lines.strip().splitlines())


def _scope(tree: ast.Module, line: int) -> str:
    """The name of the innermost function or class of the module that has a line."""
    names, body = [], tree.body
    while True:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and _begin(node) <= line <= (
                node.end_lineno or 0
            ):
                names.append(node.name)
                body = node.body
                break
        else:
            return ".".join(names)


def _begin(node: ast.ClassDef | ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """An expression and all in it, but for what is only there for people to read."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.keyword) and child.arg == "help"):
            yield from _walk(child)


class _Operators:
    """The operators, at each node of a module."""

    def __init__(self, module: str, text: str) -> None:
        self.module = module
        self.raw, self.tree = text.encode(), ast.parse(text)
        self.starts = [0]
        for line in self.raw.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def all(self) -> Iterator[Mutant]:
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield from self.definition(node)

    def definition(self, node: ast.ClassDef | ast.FunctionDef) -> Iterator[Mutant]:
        for decorator in node.decorator_list:
            start, end = self.span(decorator)
            yield replace(self.edit(start - 1, end, ""), decorator=True)
        if isinstance(node, ast.FunctionDef):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    yield from self.expression(default)
        yield from self.block(node.body)

    def block(self, body: list[ast.stmt]) -> Iterator[Mutant]:
        for statement in body:
            if isinstance(statement, ast.ClassDef | ast.FunctionDef):
                yield from self.definition(statement)
            elif not (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            ):
                yield from self.statement(statement)

    def statement(self, node: ast.stmt) -> Iterator[Mutant]:
        """A statement left out, and what can be wrong in it."""
        if isinstance(node, ast.Assert):  # for the type checker
            return
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return
        start, end = self.span(node)
        returns = isinstance(node, ast.Return) and node.value is not None
        yield self.edit(start, end, "return None" if returns else "pass")
        if isinstance(node, ast.Raise):
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(node, ast.AnnAssign) and child is node.annotation:
                continue
            if isinstance(child, ast.expr):
                yield from self.expression(child)
            elif isinstance(child, ast.withitem):
                yield from self.expression(child.context_expr)
        if isinstance(node, ast.If | ast.While):
            yield self.put(node.test, f"not ({self.of(node.test)})")
        if isinstance(node, ast.AugAssign):
            yield from self.operator(node.target, node.op, node.value, suffix="=")
        for name in ("body", "orelse", "finalbody"):
            yield from self.block(getattr(node, name, []))

    def expression(self, node: ast.expr) -> Iterator[Mutant]:
        for found in _walk(node):
            if isinstance(found, ast.JoinedStr):
                continue
            operator = getattr(self, type(found).__name__, None)
            if operator is not None:
                yield from operator(found)

    def Compare(self, node: ast.Compare) -> Iterator[Mutant]:
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            was, others = COMPARISONS[type(op)]
            for other in others:
                yield self.between(left, right, was, other)
            left = right

    def BinOp(self, node: ast.BinOp) -> Iterator[Mutant]:
        yield from self.operator(node.left, node.op, node.right)

    def operator(
        self, left: ast.expr, op: ast.operator, right: ast.expr, suffix: str = ""
    ) -> Iterator[Mutant]:
        was, others = ARITHMETIC.get(type(op), ("", ()))
        for other in others:
            yield self.between(left, right, was + suffix, other + suffix)

    def UnaryOp(self, node: ast.UnaryOp) -> Iterator[Mutant]:
        if not isinstance(node.operand, ast.Constant):  # -1 becomes another number
            yield self.put(node, f"({self.of(node.operand)})")

    def BoolOp(self, node: ast.BoolOp) -> Iterator[Mutant]:
        was, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield self.between(left, right, was, other)
        for value in node.values:
            yield self.put(value, str(was == "and"))

    def IfExp(self, node: ast.IfExp) -> Iterator[Mutant]:
        yield self.put(node, f"({self.of(node.body)})")
        yield self.put(node, f"({self.of(node.orelse)})")

    def Constant(self, node: ast.Constant) -> Iterator[Mutant]:
        if self.raw[self.span(node)[0] : self.span(node)[1]][:1] in (b"{", b""):
            return
        match node.value:
            case bool():
                yield self.put(node, str(not node.value))
            case int() | float():
                yield self.put(node, repr(node.value + 1))
                if node.value:
                    yield self.put(node, repr(node.value - 1))
            case str():
                yield self.put(node, '"other"')

    def Name(self, node: ast.Name) -> Iterator[Mutant]:
        if node.id in NAMES:
            yield self.put(node, NAMES[node.id])

    def Attribute(self, node: ast.Attribute) -> Iterator[Mutant]:
        if node.attr in NAMES:
            end = self.span(node)[1]
            yield self.edit(end - len(node.attr), end, NAMES[node.attr])

    def Call(self, node: ast.Call) -> Iterator[Mutant]:
        """An argument left out, two of them changed, or what is called left out."""
        arguments: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        if self.of(node).endswith(".to(device)"):
            return
        for left_out, argument in enumerate(arguments):
            if isinstance(argument, ast.keyword) and argument.arg in ("device", "help"):
                continue
            rest = [self.of(a) for at, a in enumerate(arguments) if at != left_out]
            yield self.put(node, f"{self.of(node.func)}({', '.join(rest)})")
        if len(node.args) > 1 and not re.search(rf"\b({_SYMMETRIC})$", self.of(node.func)):
            changed = [node.args[1], node.args[0], *arguments[2:]]
            put = f"{self.of(node.func)}({', '.join(map(self.of, changed))})"
            yield self.put(node, put)
        if isinstance(node.func, ast.Attribute) and self.of(node.func.value) not in _LIBRARIES:
            yield self.put(node, self.of(node.func)[: -len(node.func.attr)].rstrip(". \n"))
        elif node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
            yield self.put(node, f"({self.of(node.args[0])})")

    def Slice(self, node: ast.Slice) -> Iterator[Mutant]:
        parts = [node.lower, node.upper]
        step = f":{self.of(node.step)}" if node.step else ""
        for left_out in (0, 1):
            if parts[left_out] is not None:
                rest = ["" if p is None or p is parts[left_out] else self.of(p) for p in parts]
                yield self.put(node, ":".join(rest) + step)
        if node.step:
            yield self.put(node, self.of(node)[: -len(step)])

    def comprehension(self, node: ast.comprehension) -> Iterator[Mutant]:
        for test in node.ifs:
            yield self.put(test, f"not ({self.of(test)})")
            yield self.put(test, "True")

    def of(self, node: ast.expr | ast.keyword) -> str:
        start, end = self.span(node)
        return self.raw[start:end].decode()

    def span(self, node: Any) -> tuple[int, int]:
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0),
        )

    def between(self, left: ast.expr, right: ast.expr, was: str, now: str) -> Mutant:
        """Another operator between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.search(rf"(?<!\w){re.escape(was)}(?!\w)", self.raw[start:end].decode())
        assert found is not None
        return self.edit(start + found.start(), start + found.end(), now)

    def put(self, node: ast.expr, text: str) -> Mutant:
        return self.edit(*self.span(node), text)

    def edit(self, start: int, end: int, put: str) -> Mutant:
        """The module with other text from byte ``start`` to byte ``end``."""
        raw = self.raw
        source = (raw[:start] + put.encode() + raw[end:]).decode()
        first, last = raw.rfind(b"\n", 0, start) + 1, raw.find(b"\n", end)
        was = raw[first:last].decode()
        now = raw[first:start].decode() + put + raw[end:last].decode()
        where = _scope(self.tree, raw.count(b"\n", 0, start) + 1)
        return Mutant(self.module, where, _plain(was), _plain(now), source)


_SYMMETRIC = "max|min|transpose|equal|promote_types"
_LIBRARIES = ("torch", "math", "F", "nn", "nn.init", "re", "super()", "torch.compiler", "self")
