"""Syntax trees as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notes2code.latex import tree
from notes2code.latex.tree import Node


@pytest.fixture
def shown() -> Callable[[Node | None], str]:
    """A tree as nested lists with the sign first: ``(+ a (frac 1 b))``."""
    return text


def text(node: Node | None) -> str:
    match node:
        case None:
            return "_"
        case tree.Num(number):
            return number
        case tree.Name(name, _, font):
            return f"{name}:{font}" if font else name
        case tree.Prose(words) | tree.Stroke(words):
            return f'"{words}"'
        case tree.Dots():
            return "…"
        case tree.Group(opening, items, separators):
            return listed(opening, *items, *separators)
        case tree.Neg(body):
            return listed("-", body)
        case tree.Infix(op, left, right):
            return listed(op, left, right)
        case tree.Script(base, sub, sup, primes):
            return listed("script", base, sub, sup, *(["'" * primes] if primes else []))
        case tree.Root(body, degree):
            return listed("root", body, *([degree] if degree else []))
        case tree.Big(op, sub, sup, body):
            return listed(op, sub, sup, body)
        case tree.Accent(mark, base):
            return listed(mark, base)
        case tree.Matrix(kind, cells):
            return listed(kind, *(listed("row", *row) for row in cells))
        case tree.Relation(operands, signs):
            return listed(" ".join(signs), *operands)
    return listed(type(node).__name__.lower(), *tree.children(node))


def listed(head: str, *items: Node | str | None) -> str:
    words = [item if isinstance(item, str) else text(item) for item in items]
    return f"({' '.join([head, *words])})"
