"""Numbers in exponents: the s_j of ``Σ_j exp(s_j)``, by which a softmax is written out.

Vectors weigh each other element by element in some linear attention: there keys are raised so, and
what they weigh stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from notes2code.latex.tree import (
    Apply,
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Num,
    Script,
    ungrouped,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define

_ROLES = frozenset("qkvw")

_SCORES = frozenset("suz")
"""Letters of scores that are vectors elsewhere."""


def raised(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The s of ``Σ_j exp(s_j / τ)``, and that of ``Σ_j exp(s_j - m) v_j`` and of ``Σ_j (exp(s_j -
    m) / c) v_j``, off which the greatest is taken; a score weighs what stands beside it all the
    same."""
    for big in nodes.of(Big):
        if big.op != "sum" or big.sub is None:
            continue
        body = ungrouped(big.body)
        factors = binders.chain(body)
        first = ungrouped(factors[0].factors[0] if isinstance(factors[0], Juxt) else factors[0])
        first = first.top if isinstance(first, Frac) else first
        raised_to = exponent(first)
        found = None if raised_to is None else _less(raised_to)
        if found is None and raised_to is not None:
            found = _scaled(raised_to)
            found = found if first is body or binders.bare(found) in _SCORES else None
        use = None if found is None else seen.understood(found)
        if use is None or use.bold or names.base_letter(use.name) in _ROLES:
            continue
        if [names.label(at.node) for at in use.indices] == binders.bound_letters(big.sub):
            yield use.name


def normalised(seen: Survey, nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The E of ``p_i = e^{-E_i} / Z``: a probability is a number, and so is what it is made of. A
    P_i may be a row of them."""
    targets = [d.target for d in defines if isinstance(d.target, Script)]
    letters = {
        binders.bare(n.sub)
        for n in targets
        if n.sub is not None and binders.bare(n) in names.PROBABILITIES - {"P"}
    }
    divided = any(isinstance(n.bottom, Name) and n.bottom.text == "Z" for n in nodes.of(Frac))
    for node in nodes.of(Apply, Script) if letters and divided else ():
        raised_to = exponent(node)
        use = None if raised_to is None else seen.understood(_scaled(raised_to))
        at = {names.label(at.node) for at in use.indices} if use is not None else set()
        if use is not None and at and at <= letters and not use.bold:
            yield use.name


def compared(seen: Survey, nodes: Nodes, numbers: Set[str]) -> Iterator[str]:
    """The a and the b of ``exp(a_i · b_j) / Σ_k exp(a_i · b_k)``: what a softmax compares with a
    sign between are vectors, each of a place of its own, unless one is known to be a number."""
    for quotient in nodes.of(Frac):
        sides = [_dotted(part) for part in (quotient.top, quotient.bottom)]
        used = [tuple(seen.understood(n) for n in side) for side in sides if side is not None]
        if not isinstance(ungrouped(quotient.bottom), Big) or len(used) < 2:
            continue
        named = [{use.name for use in pair if use is not None} for pair in used]
        if named[0] == named[1] and len(named[0]) == 2 and named[0].isdisjoint(numbers):
            pair = [use for use in used[0] if use is not None and len(use.indices) == 1]
            letters = {names.label(use.indices[0].node) for use in pair}
            if len(letters) == 2:
                yield from named[0]


def _dotted(node: Node) -> tuple[Node, Node] | None:
    """The a_i and the b_j of ``exp(a_i · b_j)``, and of ``Σ_j exp(a_i · b_j / τ)``."""
    inner = ungrouped(node)
    raised_to = exponent(ungrouped(inner.body) if isinstance(inner, Big) else inner)
    if isinstance(raised_to, Frac):
        raised_to = ungrouped(raised_to.top)
    match raised_to:
        case Infix("·", left, right):
            return left, right
    return None


def of_bases(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The b and the s of ``(b · s^a)^{-2i/d}``, whose product is raised to a power with an index;
    those of ``(b · s)^{2i}`` may be vectors."""
    for node in nodes.of(Script):
        match node:
            case Script(Group("(", (inner,)), None, sup) if isinstance(sup, _COMPUTED):
                counts = bool(words_in(sup) & seen.bound)
                parts = binders.multiplied(inner) if counts else ()
                factors = [*map(_base, parts)]
                dotted = isinstance(inner, Infix) and not any(isinstance(p, Script) for p in parts)
                if not dotted and all(
                    factor is not None and factor.text.islower() for factor in factors
                ):
                    yield from (seen.use(factor).name for factor in factors if factor is not None)


def _base(factor: Node) -> Name | None:
    """A plain letter, or the one that is raised."""
    match factor:
        case Name(_, _, "") as letter:
            return letter
        case Script(Name(_, _, "") as letter, None, _, 0) if not scripts.is_transposed(factor):
            return letter
    return None


_COMPUTED = (Neg, Infix, Frac, Juxt)
"""Exponents that are no index by themselves."""


def of_trials(nodes: Nodes) -> Iterator[tuple[Node, Node]]:
    """The p and the y of ``p^y (1 - p)^{1 - y}``: the outcome of a trial is no label."""
    left = {letter for node in nodes.of(Script) if (letter := _left_of_one(node.sup))}
    for node in nodes.of(Script):
        match node:
            case Script(base, None, Name(letter) as outcome) if letter in left:
                yield base, outcome


def _left_of_one(node: Node | None) -> str:
    """The y of ``1 - y``."""
    match node:
        case Infix("-", Num("1"), Name(letter)) | Group(_, (Infix("-", Num("1"), Name(letter)),)):
            return letter
    return ""


def of_polynomials(nodes: Nodes) -> Iterator[str]:
    """The d of ``(1 + x^\\top y)^d``, a degree: it counts no features, as a d does elsewhere."""
    for node in nodes.of(Script):
        match node:
            case Script(Group("(", (Infix("+") as total,)), None, Name(degree)):
                if any(map(_is_product, binders.chain(total))):
                    yield degree


def _is_product(node: Node) -> bool:
    match node:
        case Juxt(factors):
            return sum(not isinstance(factor, Num) for factor in factors) > 1
        case Infix("·") | Group("⟨", (_, _)):
            return True
    return False


def exponent(node: Node) -> Node | None:
    """What e is raised to."""
    match node:
        case Apply(Name("exp"), argument) | Script(Name("e"), None, argument, 0):
            return None if argument is None else ungrouped(argument)
    return None


def _less(node: Node) -> Node | None:
    """The s_j of ``s_j - m``."""
    match node:
        case Infix("-", left, _):
            return _scaled(left)
    return None


def _scaled(node: Node) -> Node:
    """The z of ``z / τ``, of ``- z / τ`` and of ``- β z``, whose β is a number by custom; what
    another letter multiplies may be a vector, and so may both of ``θ · x``."""
    match node:
        case Neg(inner):
            return _scaled(inner)
        case Frac(inner, _):
            return inner
        case Juxt((Name(letter) | Num(letter), inner)):
            if letter.isdigit() or (letter in names.GREEK and letter.islower()):
                return inner
    return node


def numbered(nodes: Nodes) -> Iterator[str]:
    """The names that have each an exponent of its own, as in ``\\mathrm{CTR}^{w_1}
    \\mathrm{CVR}^{w_2}``: labels would tell apart what has one name."""
    above: dict[str, list[tuple[str, str]]] = {}
    for node in nodes.of(Script):
        match node:
            case Script(base, None, Script(Name(letter), Num(number), None, 0)):
                above.setdefault(letter, []).append((number, binders.bare(base)))
    for letter, raised_to in above.items():
        numbers, bases = ({*column} for column in zip(*raised_to, strict=True))
        small = letter.islower() and letter not in names.INDEX_LETTERS
        if small and len(numbers) == len(bases) == len({*raised_to}) > 1:
            yield from bases
