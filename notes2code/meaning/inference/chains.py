"""Chains of equalities, ``s = q^⊤ k = |q| |k| \\cos θ``: which of the sides is computed, and
those that it is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from notes2code.diagnostics import note
from notes2code.latex.tree import (
    Big,
    Dots,
    Group,
    Juxt,
    Matrix,
    Name,
    Node,
    Num,
    Script,
    unscripted,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.inference.calls import well_known
from notes2code.meaning.inference.letters import CONSTANTS
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define


def side(run: Run, define: Define) -> Node:
    """Of a chain of equalities, the most explicit one that can be computed."""
    if len(define.values) == 1:
        return define.values[0]
    said: Sequence[Node] = define.values if define.target is not None else define.values[1:]
    if all(map(_only_names_numbers, said)):
        said = define.values  # softmax(QK^⊤) = [[w_11, …], …] says how the numbers are called
    # Of H(u, p) = -Σ u log p = -1/K Σ log p the last says only what comes out for one u.
    given = {*run.parameters}
    for says_more in (
        lambda node: not scripts.is_name(node),
        lambda node: not _is_probability(node),
        lambda node: not _only_names_numbers(node),
        lambda node: not _lists_itself(define, node),
        lambda node: not _is_unknown_call(run, node),
        lambda node: not _holds_unknown(run, node),
        lambda node: not _holds_unknown(run, node, elsewhere=True),
        lambda node: not _calls_otherwise(run, node),
        lambda node: given <= run.seen.names_in(node),
        lambda node: not given or _names_only(run, node, given),
    ):
        if len(said) > 1:
            said = list(filter(says_more, said)) or said
    if len(said) > 1:
        said = sorted(said, key=lambda node: (-_explicitness(node), -node.span.start))
    options = tuple((node, 1.5 * at) for at, node in enumerate(said))
    taken = run.choose(f"chain {define.span.start}", options)
    if taken is not said[0]:
        text = f"this side is not understood, and `{run.quote(taken.span)}` is computed"
        run.problems.append(note("N2C039", text, said[0].span))
    return taken


def others(run: Run, define: Define, taken: Node) -> Iterator[Node]:
    """The other sides of a chain, as far as they tell of which shape the one is that is taken."""
    for one in define.values if len(define.values) > 1 else ():
        if one is taken or define.conditions or scripts.is_name(one):
            continue
        if _is_list(one) or _is_list(taken):
            continue  # the parts of ``[q; p] = X A`` are listed, in whatever shape
        if not _calls_otherwise(run, one):
            yield _sought(one)


def _names_only(run: Run, node: Node, given: set[str]) -> bool:
    """Whether a side names nothing but what is given, as ``q^⊤ k`` does of s(q, k): nothing else
    says what the θ of ``|q| |k| \\\\cos θ`` is."""
    named = run.seen.names_in(node) - given - run.seen.bound - names.FUNCTIONS - CONSTANTS.keys()
    return all(map(names.is_size_name, named))


def _is_probability(node: Node) -> bool:
    """Whether a side only says which probability the others are: ``p(z = i \\mid X, q)``."""
    match node:
        case Juxt((name, Group("("))):
            return names.base_letter(binders.bare(name)) in names.PROBABILITIES
    return False


def _is_unknown_call(run: Run, node: Node) -> bool:
    """Whether a side is the call of a function that nobody defines: it says nothing."""
    if not isinstance(node, Juxt) or len(node.factors) != 2:
        return False
    use = run.seen.understood(node.factors[0])
    group = unscripted(node.factors[1])
    return (
        use is not None
        and isinstance(group, Group)
        and well_known.is_unknown(run, use)
        and all(map(scripts.is_name, group.items))
    )


def _holds_unknown(run: Run, node: Node, elsewhere: bool = False) -> bool:
    """Whether a function of several things that nobody defines, or only a formula ``elsewhere``,
    stands in a side, as in ``Σ_i α(q, k_i) v_i``: another side may say what it is here. A
    probability is given."""
    for name, group in _calls(node):
        if {*group.separators} == {","}:
            use = run.seen.understood(name)
            if use is None or names.base_letter(binders.bare(name)) in names.PROBABILITIES:
                continue
            defined = elsewhere and use.name in run.scope.functions
            if defined or well_known.is_unknown(run, use):
                return True
    return False


def _calls_otherwise(run: Run, node: Node) -> bool:
    """Whether a function of the note is given another number of things than it is defined for, as
    the entropy H(p) beside a cross-entropy H(p, q): it is another one by that name."""
    for name, group in _calls(node):
        known = run.scope.functions.get(binders.bare(name))
        if known is not None:
            least = len(known.parameters)
            most = max(least + len(known.unused) + len(known.counted), known.elements)
            if not least <= len(group.items) <= most:
                return True
    return False


def _calls(node: Node) -> Iterator[tuple[Node, Group]]:
    """What stands before parentheses, and these."""
    products = (inner for inner in walk(node) if isinstance(inner, Juxt))
    for name, group in (pair for product in products for pair in pairwise(product.factors)):
        if isinstance(group, Group) and group.open == "(":
            yield name, group


def _sought(node: Node) -> Node:
    """The V(D, G) of ``\\min_G \\max_D V(D, G)``, which has the axes of its best value."""
    while isinstance(node, Big) and node.op in ("min", "max") and node.sup is None:
        node = node.body
    return node


def _is_list(node: Node) -> bool:
    """Whether a side is in brackets; those of an inner product, ``⟨q, k⟩``, list nothing."""
    return isinstance(node, Group) and node.open != "⟨"


def _lists_itself(define: Define, node: Node) -> bool:
    """Whether a side writes out what is defined, and says nothing of it: the ``[x_1; …; x_n]`` of
    ``X = [x_1; …; x_n] = W V``."""
    if define.target is None or not isinstance(node, Group | Matrix):
        return False
    items = [item for item in walk(node) if isinstance(item, Script) and item.sub is not None]
    letters = {binders.bare(item).lower() for item in items}
    dots = any(isinstance(inner, Dots) for inner in walk(node))
    return dots and letters == {binders.bare(define.target).lower()}


def _only_names_numbers(node: Node) -> bool:
    """Whether a side is a matrix of numbers which are only called something, ``w_{11}, …``."""
    if not isinstance(node, Matrix):
        return False
    cells = [c for row in node.rows for c in row if c is not None and not isinstance(c, Dots)]
    called = {binders.bare(cell) for cell in cells if isinstance(cell, Script) and cell.sub}
    return len(called) == 1 and all(isinstance(cell, Script) and cell.sub for cell in cells)


def _explicitness(node: Node) -> int:
    """How much a side of a chain says: the letters, words and numbers that it is made of."""
    return sum(isinstance(inner, Name | Num) for inner in walk(node))
