"""The Kullback–Leibler divergence of two vectors that the notes make distributions."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Span, error
from notes2code.latex.tree import Group, Infix, Juxt, Node, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls import softmax
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, elementwise, reduce_all, scalar
from notes2code.meaning.ir import Expr

_NAMES = frozenset(["D", "KL", "JS", "JSD"])


def is_divergence(name: str, group: Group) -> bool:
    """Whether a name compares two distributions, ``KL(p ‖ q)``: whatever else the note calls so,
    it is called here, and multiplies nothing."""
    if _NAMES.isdisjoint((names.base_letter(name), name.rpartition("_")[2])):
        return False
    return "‖" in group.separators or any(
        isinstance(node, Infix) and node.op == "‖" for node in walk(group)
    )


def compared(group: Group) -> Sequence[Node]:
    """The p and the q of ``(p ‖ q)``; nothing where parentheses hold anything else."""
    match group:
        case Group(_, (left, right), ("‖",)) | Group(_, (Infix("‖", left, right),)):
            return left, right
    return ()


def divergence(run: Run, name: str, group: Group, span: Span) -> Value:
    """``KL(p ‖ q)`` as Σ_i p_i log(p_i / q_i), where the notes say what p and q are; of densities
    it may be an integral. Raises ``ProblemError`` for any other."""
    match compared(group):
        case (left, right) if name in ("KL", "D_KL") and all(
            _is_given(run, n) for n in (left, right)
        ):
            p, q = run.lower(left), run.lower(right)
            if p.rank == q.rank == 1:
                terms = elementwise(run, p, q, _term, span)
                return scalar(reduce_all("sum", terms), span)
    raise error("N2C037", "a divergence cannot be computed", span, "write it out as a sum")


def _is_given(run: Run, node: Node) -> bool:
    """Whether a node is a softmax, or an array that the notes define or declare."""
    if isinstance(node, Juxt):
        return len(node.factors) == 2 and softmax.is_softmax(run.seen.name_of(node.factors[0]))
    return run.seen.name_of(node) in run.scope.arrays | run.defined.keys() | run.shapes.keys()


def _term(p: Expr, q: Expr) -> Expr:
    return ir.mul(p, ir.Fn("log", (ir.mul(p, ir.inverse(q)),)))
