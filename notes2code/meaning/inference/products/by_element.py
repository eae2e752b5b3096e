"""Powers of each element, as a sign for that tells: ``A^{\\circ 2}``, ``A^{\\odot 2}`` and
``e^{\\circ A}``."""

from __future__ import annotations

from dataclasses import replace

from notes2code.diagnostics import Span
from notes2code.latex.tree import Group, Name, Node, Script, Stroke
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, elementwise, mapped


def exponent(above: Node | None) -> Node | None:
    """What each element is raised to; None where no sign says so."""
    match above:
        case Group("", (Stroke("∘" | "⊙"), raised_to)):
            return raised_to
    return None


def power(run: Run, node: Script, above: Node) -> Value:
    """A name with each of its elements raised, or e."""
    match node.base:
        case Name("e") if node.sub is None and "e" not in run.shapes | run.defined:
            return mapped(run.lower(above), lambda e: ir.Fn("exp", (e,)), node.span)
    base = node.base if node.sub is None else replace(node, sup=None)
    return raised(run, run.lower(base), above, node.span)


def raised(run: Run, base: Value, above: Node, where: Span) -> Value:
    """A value with each of its elements raised."""
    return elementwise(run, base, run.lower(above), ir.Pow, where)
