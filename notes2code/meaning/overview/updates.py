"""Updates: what a step adds to its state is of the state's kind, as the m and the v of ``W_t =
W_{t-1} - α m_t / (\\sqrt{v_t} + ε)`` are matrices where W is one; how far it goes is a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from notes2code.latex.tree import (
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Root,
    Script,
    children,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, functions, scripts
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement

_RATES = frozenset("alpha beta gamma eta kappa lambda mu rho sigma tau".split())
"""Letters of rates, of decays and of the scale of noise, which are numbers at each step, too."""

_RECURRENT = frozenset("cCh")
"""States of recurrent networks, whose inputs are vectors by custom."""


def moves(seen: Survey, nodes: Nodes, statements: Sequence[Statement]) -> dict[str, str]:
    """What is added to the state of a step, and stands below a root in that: by their names, the
    state that they move. Numbers that are multiplied by something else move nothing; nor does the
    state itself, which decays in ``θ - η (m_t / \\sqrt{v_t} + λ θ)``."""
    found: dict[str, str] = {}
    for define in statements:
        state = binders.bare(define.target) if isinstance(define, Define) and define.target else ""
        before = _before(seen, define) if state not in _RECURRENT else ""
        if not before:
            continue
        for infix in nodes.of(Infix):
            for own, term in ((infix.left, infix.right), (infix.right, infix.left)):
                for part in _summands(term) if infix.op in "+-" and _goes_on(own, state) else ():
                    if not binders.holds(part, state):
                        found |= dict.fromkeys(_moving(seen, part), before)
    return found


def _summands(term: Node) -> Sequence[Node]:
    """The a and the b of ``η (a + b)``; any other term as it is."""
    above, below = _parts(term)
    sums = [node for node in above if isinstance(node, Infix) and node.op in "+-"]
    rest = [node for node in above if node not in sums]
    if len(sums) == 1 and not below and all(map(_is_number, rest)):
        return terms(sums[0])
    return [term]


def paces(seen: Survey, nodes: Nodes, statements: Sequence[Statement]) -> Iterator[str]:
    """The h of ``y_{n+1} = y_n + h f(t_n, y_n)`` and ``y_{n+1} = y_n + \\frac{h}{2} (k_1 + k_2)``:
    how far a step goes. A gate would be multiplied by a sign, and matrices have capitals."""
    for define in statements:
        state = binders.bare(define.target) if isinstance(define, Define) and define.target else ""
        for infix in nodes.of(Infix) if state and _before(seen, define) == state else ():
            above, below = _parts(infix.right)
            if infix.op == "-" and _goes_on(infix.left, state):
                yield from _scaled(seen, above, state)
            goes_on = infix.op in "+-" and binders.bare(infix.left) == state and len(above) > 1
            led = (
                goes_on
                and _is_function(seen, above[1])
                and any(binders.holds(n, state) for n in above[2:])
            )
            if led or (goes_on and below and all(isinstance(node, Num) for node in below)):
                pace = seen.understood(above[0])
                if pace is not None and pace.name.islower() and not pace.bold:
                    yield pace.name


def _scaled(seen: Survey, above: Sequence[Node], state: str) -> Iterator[str]:
    """The r_l of ``θ_t - η r_l (u_t + λ θ_t)``, how far each layer goes beside the rate of all."""
    match above:
        case [rate, scale, Infix("+" | "-") as step] if _is_rate(rate) and binders.holds(
            step, state
        ):
            use = seen.understood(scale)
            if use is not None and use.name.islower() and not use.bold:
                yield use.name


def _is_function(seen: Survey, node: Node) -> bool:
    """Whether a node is a letter that is called, such as the f of ``f(t_n, y_n)``."""
    return seen.name_of(node) in seen.called and binders.bare(node) in functions.LETTERS


def _before(seen: Survey, define: Statement) -> str:
    """The name of the state that a step is added to: the W of ``W_t``, the ``W_{old}`` of
    ``W_{new}``, the w of ``w = w - η g`` and ``w' = w - η g``; "" for what is no step."""
    if not isinstance(define, Define) or define.target is None:
        return ""
    state = binders.bare(define.target)
    label = names.label(define.target)
    whole = label in (state, f"{state}_prime")
    if (whole and any(binders.holds(v, state) for v in define.values)) or seen.steps.get(state):
        return state
    return f"{state}_old" if label == f"{state}_new" else ""


def _goes_on(node: Node, state: str) -> bool:
    """Whether a sum has the state itself as a term, scaled or not, and no ``S k`` made of it."""
    for term in terms(node):
        above, _ = _parts(term)
        arrays = [factor for factor in above if scripts.is_name(factor) and not _is_rate(factor)]
        if [binders.bare(array) for array in arrays] == [state]:
            return all(factor in arrays or _is_number(factor) for factor in above)
    return False


def _moving(seen: Survey, term: Node) -> Iterator[str]:
    """The m_t and v_t of ``α m_t / (\\sqrt{v_t} + ε)``, and those of the sign of a sum."""
    above, below = _parts(term)
    for name, argument in pairwise(above):
        if binders.bare(name) in ("sign", "sgn"):
            for part in terms(argument):
                yield from _moving(seen, part)
            return
    arrays = [node for node in above if scripts.is_name(node) and not _is_rate(node)]
    if len(arrays) == 1 and all(node in arrays or _is_number(node) for node in above):
        roots = (root.body for node in below for root in walk(node) if isinstance(root, Root))
        noise = names.label(arrays[0]) in ("epsilon", "varepsilon")
        scaled = isinstance(arrays[0], Name) and any(_is_rate(node) for node in above)
        if noise or scaled:
            yield seen.use(arrays[0]).name  # has no step of its own
        yield from _at_step(seen, (*arrays, *(n for root in roots for n in walk(root))))


def _at_step(seen: Survey, nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        use = seen.understood(node) if isinstance(node, Script) and not _is_rate(node) else None
        if use is not None and (use.steps or use.name.endswith("_t")) and not use.indices:
            yield use.name


def _parts(term: Node) -> tuple[list[Node], list[Node]]:
    """The factors above and below the line of a term."""
    match term:
        case Frac(top, bottom):
            above, below = _parts(top)
            return above, [*below, bottom]
        case Juxt(factors):
            pairs = [_parts(factor) for factor in factors]
        case Infix("·" | "×" | "*" | "⊙" | "∘", left, right):
            pairs = [_parts(left), _parts(right)]
        case Group("(", (inner,)):
            return _parts(inner)
        case _:
            return [term], []
    return [n for above, _ in pairs for n in above], [n for _, below in pairs for n in below]


def _is_rate(node: Node) -> bool:
    return binders.bare(node) in _RATES


def _is_number(node: Node) -> bool:
    """Whether a factor is made of numbers and rates only."""
    return _is_rate(node) if scripts.is_name(node) else all(map(_is_number, children(node)))
