"""Which formulas a formula refers to: those that define the arrays in it, and those in these."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from notes2code.latex.tree import Group, Juxt, Script, words_in
from notes2code.meaning import names
from notes2code.meaning.ir import Equation, Idx, Ref, walk
from notes2code.meaning.linking import learned
from notes2code.meaning.linking.declarations import Declarations
from notes2code.meaning.linking.entries import Entry, Parsed, family, letters_on
from notes2code.meaning.linking.formulas import Formulas
from notes2code.meaning.notation import binders, functions, groups


def linked(formulas: Formulas, declarations: Declarations, entry: Entry) -> list[tuple[Entry, ...]]:
    """The formulas that a formula refers to: those of the whole note, those of its section; and
    without those that make states step by step, which may be given as a whole."""
    found = {_definitions(formulas, declarations, entry, within): None for within in (1, 0)}
    for uses in list(found):
        found[tuple(use for use in uses if not formulas.parsed[use].states)] = None
    return [uses for uses in found if uses]


def updates_before(formulas: Formulas, entry: Entry) -> tuple[Entry, ...]:
    """The formulas of its section that a formula goes on from, as each ``x ← x + f(x)`` does where
    they stand one after another, and ``x_l = x_l + f(x_l)`` behind ``x_l = x_{l-1} + …``."""
    mine = formulas.parsed[entry]
    steps = [
        other
        for other in formulas.beside(entry)
        if other.order < entry.order and formulas.parsed[other].arrays & mine.updates
    ]
    parsed = [formulas.parsed[one] for one in (*steps, entry)]
    written = (one.indexed.get(name) for one in parsed for name in mine.updates)
    plain = all(one is not None and not one.written for one in written)
    if plain and all(one.updates == mine.updates for one in parsed):
        return tuple(steps)
    begun = bool(steps) and parsed[0].states == mine.updates
    return tuple(steps) if begun and all(o.updates == mine.updates for o in parsed[1:]) else ()


def _definitions(
    formulas: Formulas, declarations: Declarations, entry: Entry, within: int
) -> tuple[Entry, ...]:
    """The formulas of the note, or of the section, that define arrays which this one refers
    to, in order."""
    needed: dict[Entry, None] = {}
    pending = [entry]
    while pending:
        current = pending.pop()
        mine = formulas.parsed[current]
        # What the formula itself defines is that, and nothing that another calls so.
        free = mine.mentioned - mine.arrays - mine.parameters - formulas.parsed[entry].arrays
        free -= mine.called & functions.GREEK_FUNCTIONS.keys()  # σ(x) is no deviation times x
        # The m of Q ∈ ℝ^{n×m} is its size, though m = d / h.
        free -= _axes(formulas, declarations, current)
        # The h_N of one formula is the last state of the recursion h_l of another.
        states = formulas.states.get(entry.note, set()) - mine.arrays
        free |= {name for name in map(family, mine.mentioned) if name in states}
        # What is hidden of scores, S_{ij} ← −∞, are those before it.
        free |= mine.kept
        for name, others in formulas.nearest(current, free, "arrays", within).items():
            other = others[0]
            if name in mine.kept and other.order > current.order:
                continue
            theirs = formulas.parsed[other]
            if theirs.arrays & formulas.parsed[entry].arrays:
                continue  # with that, the formula would say two things of one name
            if _is_of_tokens(name, mine, theirs):
                continue
            if _is_given(name, formulas.parsed[entry], mine, theirs):
                continue
            if _is_another_of_many(formulas, name, current, other):
                continue
            if _is_another_step(name, current, mine, other, theirs):
                continue
            if _is_declared(formulas, name, current, other):
                continue
            if learned.is_gain(name, mine) and learned.is_constant(theirs):
                continue
            if other is not entry and other not in needed:
                more = [one for one in other_cases(formulas, other, name) if one is not entry]
                needed |= dict.fromkeys((other, *more))
                pending += [other, *more]
    for other in _other_halves(formulas, entry):
        needed[other] = None
    return tuple(sorted(needed, key=lambda e: (e.order, e.latex)))


def _axes(formulas: Formulas, declarations: Declarations, entry: Entry) -> set[str]:
    """The names of the axes that are declared of what a formula names."""
    named = formulas.parsed[entry].mentioned
    shapes = declarations.shapes(entry).items()
    mine = (shape for name, shape in shapes if named & {name, family(name)})
    return {str(axis) for shape in mine for axis in shape.axes}


def _is_given(name: str, mine: Parsed, used: Parsed, theirs: Parsed) -> bool:
    """Whether the X of ``Q = X W`` is the one that ``Attention(X) = …`` is given, whatever X
    is elsewhere, the state of the next layer, ``X_{l+1} = …``, too; the ``Q_i = Q W_i`` of each
    head, where an index is ``used``, is made of the Q that is given."""
    indexed = theirs.indexed.get(name)
    whole = indexed is None or not indexed.written or name in theirs.states
    plain = used.seen is not None and used.seen.written.get(name) == {0}
    return name in mine.parameters and (whole or plain)


def _is_of_tokens(name: str, mine: Parsed, theirs: Parsed) -> bool:
    """Whether the ``K_t = W c_t`` of each token is no ``K_i`` of a head. The ``K_j = X W_j`` of
    each group is the K of ``K_{g(i)}``."""
    of_heads, of_these = mine.indexed.get("head"), theirs.indexed.get(name)
    if of_heads is None or of_these is None or name not in ("Q", "K", "V"):
        return False
    others = bool(of_these.letters) and of_these.letters != of_heads.letters
    return others and not _is_of_groups(name, mine, of_heads.letters)


def _is_of_groups(name: str, mine: Parsed, letters: Iterable[str]) -> bool:
    """Whether a name stands at the group that one of the letters belongs to."""
    written = [] if mine.seen is None else mine.seen.nodes.of(Script)
    places = [at for n in written if binders.bare(n) == name for at in (n.sub, n.sup) if at]
    return any(groups.counts_groups(at, letter) for at in places for letter in letters)


def _is_another_of_many(formulas: Formulas, name: str, entry: Entry, other: Entry) -> bool:
    """Whether the slope m of ``b_{ij} = m (j - i)`` is none of the m_j that a section behind
    it defines."""
    mine, indexed = formulas.parsed[entry].seen, formulas.parsed[other].indexed.get(name)
    if mine is None or indexed is None or not indexed.written:
        return False
    behind = other.section != entry.section and other.order > entry.order
    return behind and mine.written.get(name) == {0}


def _is_declared(formulas: Formulas, name: str, entry: Entry, other: Entry) -> bool:
    """Whether the section of ``softmax(Q K^⊤) V`` declares the Q that it is given, which is not
    what a section behind it, on self-attention, makes of X."""
    if other.section == entry.section or other.order < entry.order:
        return False
    return bool(formulas.nearest(entry, [name], "shapes", within=0))


def _is_another_step(name: str, entry: Entry, mine: Parsed, other: Entry, theirs: Parsed) -> bool:
    """Whether the w of ``y = w^⊤ x`` is none that ``w^{(t+1)} = w^{(t)} - η g`` makes: a step
    says what becomes of w, and not what it is. One that names no step, ``x = x + f(x)``, makes the
    x of what stands behind it in its own section."""
    indexed = theirs.indexed.get(name)
    if mine.seen is None or mine.seen.written.get(name) != {0} or indexed is None:
        return False
    if indexed.written:
        return name in theirs.states and f"{name}_0" not in theirs.arrays
    return name in theirs.updates and (entry.section != other.section or other.order > entry.order)


def is_given_others(mine: Parsed, name: str, equation: Equation) -> bool:
    """Whether a formula gives a letter other things than its definition has, and not as many: the
    r(x, y) of a reward is no ratio r(θ)."""
    if mine.seen is None or equation.elements:
        return False
    pairs = [pair for product in mine.seen.nodes.of(Juxt) for pair in pairwise(product.factors)]
    given = [
        behind
        for before, behind in pairs
        if isinstance(behind, Group) and behind.open == "("
        if mine.seen.name_of(before) == name
    ]
    least = len(equation.parameters)
    most = least + len(equation.unused) + len(equation.counted)
    own = {names.base_letter(parameter) for parameter in equation.parameters}
    return bool(given) and all(
        not least <= len(group.items) <= most and own.isdisjoint(words_in(group)) for group in given
    )


def is_one_of_many(mine: Parsed, name: str, equation: Equation) -> bool:
    """Whether a letter is defined as many functions, ``\\sigma_g(x)``, and a formula calls one that
    everybody knows, ``\\sigma(x)``: no deviation of a group g. The i of ``\\sigma_i(z)`` may be
    that of z_i."""
    if name not in functions.GREEK_FUNCTIONS or mine.tree is None or mine.seen is None:
        return False
    if letters_on(name, mine.tree, mine.seen):
        return False
    indices = tuple(map(Idx, equation.value.indices))
    refs = (part for part in walk(equation.value.body) if isinstance(part, Ref))
    by_element = any(r.at == indices for r in refs if r.array in equation.parameters)
    return any(at.index.letter for at in indices) and not by_element


def other_cases(formulas: Formulas, entry: Entry, *names: str) -> list[Entry]:
    """The formulas of a section that say what something is where one does not: the ``y = 1`` for x
    > 0 and the ``y = x`` for x ≤ 0."""
    mine = formulas.parsed[entry].cases
    found = formulas.nearest(entry, mine.intersection(names), "cases", within=0)
    return sorted(
        {one for others in found.values() for one in others}, key=lambda e: (e.order, e.latex)
    )


def _other_halves(formulas: Formulas, entry: Entry) -> list[Entry]:
    """The formulas that define the odd columns where this one defines the even ones."""
    mine = formulas.parsed[entry].halves
    missing = {(name, 1 - half) for name, half in mine} - mine
    found = formulas.nearest(entry, sorted(name for name, _ in missing), "halves", within=1)
    others = (
        next(
            (
                other
                for other in found.get(name, ())
                if (name, half) in formulas.parsed[other].halves
            ),
            None,
        )
        for name, half in sorted(missing)
    )
    return [other for other in others if other is not None]
