"""Turns of pairs written with complex numbers, ``q e^{i m θ}``: two neighbours of a vector, the
first and the second, the third and the fourth, are the real and the imaginary part of a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from notes2code.diagnostics import ProblemError, Span, error, note
from notes2code.latex.tree import Accent, Group, Infix, Juxt, Name, Neg, Node, Script, Stroke, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run, Symbol, find, find_index
from notes2code.meaning.inference.values import Value, dot, free_roots, settled, transpose
from notes2code.meaning.ir import Expr, Fn, Idx, Index, Size
from notes2code.meaning.notation import binders, roots

_TWO = ir.Num(2)


def angle(run: Run, node: Node) -> Node | None:
    """The φ of a factor ``e^{iφ}``, where i is the root of −1: it counts nothing here."""
    return None if "i" in run.indices or "e" in run.shapes else roots.angle_of(node)


def turned(run: Run, value: Value, node: Node, span: Span) -> Value | None:
    """A vector with each pair turned by an angle, or by an angle of its own; None for a number,
    of which nothing says what its imaginary part is."""
    _refuse_unconjugated(run, span)
    if value.rank == 0:
        return None
    columns = find_index(value.axes[-1])
    half = Size("", value=ir.mul(find(columns.size), ir.inverse(_TWO)))
    _give_angles(run, node, half)
    by = run.lower(node)
    if by.rank > 1 or any(isinstance(part, ir.Call) for part in ir.walk(value.body)):
        return None
    shared = free_roots(value.body) & free_roots(by.body) - set(map(find_index, by.axes))
    if any(isinstance(e, ir.Ref) and _stands_at(e, shared) for e in ir.walk(by.body)):
        return None  # the j of x_j e^{imθ_j} counts numbers, not vectors
    width = _width(run, by.body)
    if width is not None:
        run.unify(columns.size, width, by.span)
    whole = Index("", columns.size)
    pair = Fn("floordiv", (Idx(whole), _TWO))
    phi = settled(by.body)
    if by.rank:
        run.unify(find_index(by.axes[0]).size, half, by.span)
        phi = ir.substitute(phi, {find_index(by.axes[0]): pair})
    body = settled(value.body)
    first = ir.mul(_TWO, pair)
    real, imaginary = (
        ir.substitute(body, {columns: place}) for place in (first, ir.add(first, ir.ONE))
    )
    cos, sin = Fn("cos", (phi,)), Fn("sin", (phi,))
    even = ir.Compare("=", Fn("mod", (Idx(whole), _TWO)), ir.ZERO)
    out: Expr = ir.Cases(
        ((even, ir.add(ir.mul(real, cos), ir.negative(ir.mul(imaginary, sin)))),),
        ir.add(ir.mul(real, sin), ir.mul(imaginary, cos)),
    )
    text = f"`{run.quote(span)}` turns pairs of neighbours, the real and the imaginary part"
    run.problems.append(note("N2C039", text, span))
    return Value(out, (*value.axes[:-1], whole), span)


def _refuse_unconjugated(run: Run, span: Span) -> None:
    """The product of ``q e^{inθ}`` and ``k e^{-imθ}`` turns by (n − m) θ as one of complex numbers,
    and that of their pairs by (n + m) θ: one of the two is turned back, and not conjugated."""
    scripts = run.seen.nodes.of(Script)
    phis = [phi for phi in map(roots.angle_of, scripts) if phi is not None]
    both = {*map(_turns_back, phis)} == {True, False}
    if both and not any(conjugated(one) or is_adjoint(one.sup) for one in scripts):
        raise error(
            "N2C037",
            f"`{run.quote(span)}` and what turns the other way are multiplied as complex numbers",
            span,
            "this is not computed; write what the real part is, as in "
            "`\\mathrm{Re}[q k^* e^{i(n-m)\\theta}]`, or turn both the same way",
        )


def _turns_back(angle: Node) -> bool:
    """Whether an angle such as ``-m θ`` or ``(-m) θ`` is one below zero."""
    match angle:
        case Neg(inner):
            return not _turns_back(inner)
        case Group(_, (inner,)):
            return _turns_back(inner)
        case Juxt(factors):
            return sum(map(_turns_back, factors)) % 2 == 1
    return False


def is_adjoint(sup: Node | None) -> bool:
    """Whether a superscript is a dagger."""
    return isinstance(sup, Name) and sup.text == "dagger"


def adjoint(run: Run, node: Script, value: Value) -> Value:
    """``(k e^{imθ})^†``: pairs as those of what it is multiplied by, of which the real part of the
    product is meant. What is not turned has no adjoint that is known."""
    if not any(roots.angle_of(inner) for inner in walk(node.base)):
        raise unknown_adjoint(run, node.span)
    text = f"of the product with `{run.quote(node.span)}` the real part is computed"
    run.problems.append(note("N2C039", text, node.span))
    return transpose(value, node.span)


def unknown_adjoint(run: Run, span: Span) -> ProblemError:
    """The error of a dagger of which nothing says what it means: the conjugate transpose, as among
    physicists, or the pseudo-inverse, as in least squares."""
    return error(
        "N2C037",
        f"`{run.quote(span)}` may be the transpose or the pseudo-inverse",
        span,
        "write `^\\top` for the transpose, or define what it is",
    )


def _width(run: Run, angle: Expr) -> Size | None:
    """The number of features that the angles themselves divide by, as in ``10000^{-2j/d}``."""
    named = {e.array for e in ir.walk(angle) if isinstance(e, ir.Ref)}
    bodies = [d.array.body for d in run.defined.values() if d.name in named]
    parts = [part for body in (angle, *bodies) for part in ir.walk(body)]
    below = [p.base for p in parts if ir.is_inverse(p)]
    sizes = {find(s) for base in below for s in ir.walk(base) if isinstance(s, Size)}
    return sizes.pop() if len(sizes) == 1 else None


def _stands_at(ref: ir.Ref, indices: Set[Index]) -> bool:
    return any(isinstance(at, Idx) and find_index(at.index) in indices for at in ref.at)


def real_part(run: Run, group: Group, span: Span) -> Value:
    """``Re[a b^* e^{iφ}]``: the dot product of b and of a with its pairs turned by φ. What is
    turned may stand in parentheses, and be conjugated with its turn."""
    factors = list(_factors(group.items[0])) if len(group.items) == 1 else []
    phis = [phi for phi in (angle(run, node) for node in factors) if phi is not None]
    others = [node for node in factors if angle(run, node) is None]
    plain = [node for node in others if conjugated(node) is None]
    conjugates = [inner for inner in map(conjugated, others) if inner is not None]
    turns = phis or [n for n in walk(group) if isinstance(n, Script) and roots.angle_of(n)]
    if len(plain) != 1 or len(conjugates) != 1 or not turns:
        raise error(
            "N2C037",
            "this real part is not understood",
            span,
            "write a vector, the conjugate of another one, and a turn: "
            "`\\mathrm{Re}[q k^* e^{i(m-n)\\theta}]`",
        )
    left, right = run.lower(plain[0]), run.lower(conjugates[0])
    turn: Value | None = left
    for phi in phis:
        turn = None if turn is None else turned(run, turn, phi, span)
    if turn is None or turn.rank != 1 or right.rank != 1:
        raise error("N2C041", "the real part of a product of two vectors is meant here", span)
    return dot(run, turn, right, span)


def _factors(node: Node) -> Iterator[Node]:
    match node:
        case Juxt(factors):
            for inner in factors:
                yield from _factors(inner)
        case Infix("·" | "×", left, right):
            yield from (*_factors(left), *_factors(right))
        case _:
            yield node


def conjugated(node: Node) -> Node | None:
    """The b of ``b^*``, with a bar as well."""
    match node:
        case Accent("bar" | "overline", inner):
            return inner
        case Script(Accent("bar" | "overline", inner), sup=None):
            return replace(node, base=inner)
        case Script(sup=Stroke("*") | Name("star")):
            return replace(node, sup=None) if node.sub is not None or node.primes else node.base
    return None


def _give_angles(run: Run, node: Node, half: Size) -> None:
    """A θ that nothing declares holds an angle for each pair."""
    for inner in walk(node):
        if not isinstance(inner, Name) or inner.text not in ("theta", "Theta"):
            continue
        name = names.code_name(inner.text)
        known = name in run.symbols or name in run.shapes or name in run.defined
        if not known and run.seen.counted.get(name, {0}) == {0}:
            run.symbols[name] = Symbol(name, (half,), inner.text, inner.span)


def factor(run: Run, factors: Sequence[Node]) -> int | None:
    """Which of some factors is the only turn among them, if one is."""
    found = [at for at, node in enumerate(factors) if binders.bare(node) == "e"]
    found = [at for at in found if angle(run, factors[at]) is not None]
    return found[0] if len(found) == 1 and len(factors) > 1 else None
