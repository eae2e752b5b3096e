"""What moves the state of a step: of which kind it is, and where an update divides by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notes2code.latex.tree import Infix, Node
from notes2code.meaning import ir, names
from notes2code.meaning.overview.survey import used

if TYPE_CHECKING:
    from notes2code.meaning.inference.run import Run


def rank(run: Run, name: str) -> int | None:
    """The axes of what moves a matrix, weights w, a point x, what is bold or of a known shape, or
    is noise, which is drawn for all elements of a vector, or stands beside ⊙, or beside what the
    note makes a vector; None of anything else: the g that moves a moment v may stand for each."""
    state = run.symbols.get(run.seen.moves.get(name, ""))
    if state is None:
        return None
    whole = names.base_letter(name) == "epsilon" or run.seen.is_bold(state.name)
    whole = whole or names.base_letter(state.name) in ("w", "x", "y", "z")
    whole = whole or _is_said(run, state.name) or state.name in run.scope.ranks
    whole = whole or any(node.op in "⊙∘" for node in run.seen.nodes.of(Infix))
    count = len(state.axes)
    beside = (other for other, moved in run.seen.moves.items() if moved == state.name)
    whole = whole or any(run.scope.ranks.get(other) == count for other in beside)
    return count if count > 1 or (count and whole) else None


def _is_said(run: Run, state: str) -> bool:
    """Whether the note declares a state, by its name or as that of a step, ``θ_t ∈ ℝ^p``."""
    steps = run.seen.steps.get(names.base_letter(state), set()) | run.seen.steps.get("", set())
    return not run.shapes.keys().isdisjoint([state, *(f"{state}_{letter}" for letter in steps)])


def moves_unread(run: Run, node: Node) -> bool:
    """Whether a term moves a state that is not read yet: of ``η g + w`` the w is read first."""
    moves = run.seen.moves
    if not moves:
        return False
    moved = {moves[use.name] for use, _ in used(run.seen, node) if use.name in moves}
    return not moved <= run.symbols.keys()


def holds_mover(run: Run, value: ir.Expr) -> bool:
    """Whether a value is made of what moves a state."""
    parts = (part for part in ir.walk(value) if isinstance(part, ir.Ref))
    return any(part.array in run.seen.moves for part in parts)


def is_moment(run: Run, value: ir.Expr) -> bool:
    """Whether the root of a value is taken element by element: it is the v_t of an update, or the
    ``v_t + ε``."""
    terms = ir.terms(value)
    return any(isinstance(term, ir.Ref) and rank(run, term.array) for term in terms)


def divides(run: Run, divisor: ir.Expr) -> bool:
    """Whether an update is divided by a value element by element, as by ``\\sqrt{v_t} + ε``."""
    roots = (p for p in ir.walk(divisor) if isinstance(p, ir.Pow) and p.exponent == ir.HALF)
    return any(is_moment(run, root.base) for root in roots)


def is_step(run: Run, value: ir.Expr) -> bool:
    """Whether a value is the ``η / (√v_t + ε)`` of each element that an update moves."""
    factors = ir.factors(value)
    quotients = (f for f in factors if isinstance(f, ir.Pow) and f.exponent == ir.Num(-1))
    return any(divides(run, quotient.base) for quotient in quotients)
