"""Vectors by where they stand, whatever their letter: what is added to one below a norm, what is
joined to one, what has a mean of its own at each place, and what stands behind ``x^⊤ M``, whose M
is a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeGuard

from notes2code.latex.tree import (
    Accent,
    Apply,
    Frac,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Neg,
    Node,
    Nodes,
    Num,
    Script,
    alike,
    ungrouped,
    unscripted,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Fact, Statement


def drawn(statements: Sequence[Statement]) -> Iterator[str]:
    """The ε of ``ε_t ∼ N(0, I)``: a Greek letter, which is a number by custom, and no number
    there."""
    for one in statements:
        for node in one.drawn if isinstance(one, Fact) else ():
            if (letter := binders.bare(node)) in names.GREEK:
                yield letter


def letters_added(nodes: Nodes) -> set[str]:
    """The r of ``\\|h_r + r - t_r\\|``: as a term it is a vector, and below a name its label."""
    return {term.text for node in _sums_in_norms(nodes) for term in node if isinstance(term, Name)}


def vectors(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The h, r and t of ``\\|h + r - t\\|``, the y and R of ``\\|y - R_j\\|``, the c of ``[h; c]``,
    the x of ``γ (x_i - μ_i) / σ_i`` and of ``(y_i - p_i) x_i``, the u and v of ``\\log σ(u · v)``,
    and the t of ``h^⊤ M t``; the x and the μ of ``(x - μ)^⊤ M (x - μ)``."""
    found = [term for node in _sums_in_norms(nodes) for term in node]
    found += [item for items in _lists(nodes) for item in _joined(seen, items)]
    found += [last for _, last in _forms(nodes)]
    found += _normalised(seen, nodes)
    found += [*_weighed(nodes), *_behind_transposed(nodes), *_deviations(nodes)]
    found += [*_alike_in_label(nodes), *_behind_row(seen, nodes), *_likely_pairs(nodes)]
    found += [example for _, example in _examples(nodes) if None in (example.sub, example.sup)]
    small = (use for node in found if (use := _small(seen, node)) is not None)
    one_of = (seen.understood(node) for node in _as_far_as_small(nodes))
    on_diagonals = map(seen.understood, _on_diagonals(nodes))
    return (use.name for use in (*small, *one_of, *on_diagonals) if use is not None)


def _likely_pairs(nodes: Nodes) -> Iterator[Node]:
    """The u, v and w of ``\\log σ(u · w) + \\log σ(-v · w)``, how likely each of two is beside one,
    and the u and w of ``(σ(u · w) - 1) w``, the gradient of that."""
    logs = (node.argument for node in nodes.of(Apply) if binders.bare(node.function) in _LOGS)
    pairs = [pair for argument in logs for pair in _in_sigmoids(argument)]
    for left, right in pairs:
        if any(alike(right, other) and not alike(left, one) for one, other in pairs):
            yield from (left, right)
    for product in nodes.of(Juxt):
        for first, last in pairwise(product.factors):
            match ungrouped(first):
                case Infix("-", sigmoid, Num("1")):
                    beside = [pair for pair in _in_sigmoids(sigmoid) if alike(pair[1], last)]
                    yield from (side for pair in beside for side in pair)


_LOGS = frozenset(["log", "ln"])


def _in_sigmoids(node: Node) -> Iterator[tuple[Node, Node]]:
    """The two small letters that sigmoids are given with a dot between them."""
    for inner in walk(node):
        match inner:
            case Juxt((Name("sigma"), Group("(", (given,)), *_)):
                product = given.body if isinstance(given, Neg) else given
                if isinstance(product, Infix) and product.op == "·":
                    left = product.left.body if isinstance(product.left, Neg) else product.left
                    letters = binders.bare(left), binders.bare(product.right)
                    if all(x.islower() and x not in names.GREEK for x in letters):
                        yield left, product.right


def _on_diagonals(nodes: Nodes) -> Iterator[Node]:
    """The m of ``diag(e^{m - n})``, the ℓ of ``diag(ℓ)``, and both beside a ``rowmax(S)``: small
    letters, of which there is one for each row."""
    if not nodes.words.isdisjoint(_REDUCES_ROWS):
        yield from (node for node in nodes.of(Name, Script) if binders.bare(node) in _OF_ROWS)
    for product in nodes.of(Juxt):
        for name, behind in pairwise(product.factors):
            group = unscripted(behind)
            if binders.bare(name).lower() == "diag" and isinstance(group, Group):
                inside = (n for item in group.items for n in walk(item) if scripts.is_name(n))
                yield from (n for n in inside if binders.bare(n) in _OF_ROWS)


def _behind_diagonals(nodes: Nodes) -> Iterator[Node]:
    """The O of ``diag(ℓ)^{-1} O``, whose rows are scaled by what a softmax in blocks keeps of each,
    and the P of ``P V`` beside it."""
    of_rows = {id(node) for node in _on_diagonals(nodes)}
    for product in nodes.of(Juxt) if of_rows else ():
        for first, last in pairwise(product.factors):
            if scripts.is_name(last) and any(id(inner) in of_rows for inner in walk(first)):
                yield last
            if (binders.bare(first), binders.bare(last)) == ("P", "V"):
                yield first


_REDUCES_ROWS = frozenset(["rowmax", "rowsum", "row max", "row sum", "row_max", "row_sum"])
_OF_ROWS = frozenset(["ell", "l", "m"])
"""The letters of what a softmax in blocks keeps of each row, the largest score and the sum."""


def _as_far_as_small(nodes: Nodes) -> Iterator[Node]:
    """The y and the R_j of ``\\|y - R_j\\|``: what is with an index as far from a small letter."""
    for group in nodes.of(Group):
        match group:
            case Group(
                "‖", (Infix("-", Name(left) as one, Script(Name(), Name()) as other),)
            ) | Group("‖", (Infix("-", Script(Name(), Name()) as other, Name(left) as one),)):
                if left.islower() and binders.bare(other).isupper():
                    yield from (one, other)


def mapped(statements: Sequence[Statement]) -> Iterator[str]:
    """The w of ``x_i = E w_i``: each x_i is a vector by its letter, and E, a capital, a matrix."""
    for statement in statements:
        match statement:
            case Define(
                Script(Name(made), Name(index), None),
                (Juxt((Name(matrix), Script(Name(given), Name(same), None))),),
            ) if index == same and matrix.isupper() and given.islower():
                if names.element_ranks(made, 1, bold=False, transposed=False)[0] == 1:
                    yield given


def matrices(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The M of ``h^⊤ M t``, and the O of ``diag(ℓ)^{-1} O``."""
    for middle in (*(middle for middle, _ in _forms(nodes)), *_behind_diagonals(nodes)):
        use = seen.understood(middle) if binders.bare(middle).isupper() else None
        if use is not None:
            yield use.name


def entries(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The x of ``(y^{(i)} - p^{(i)}) x_j^{(i)}``, whose entry j is a number."""
    found = (example for _, example in _examples(nodes) if None not in (example.sub, example.sup))
    uses = map(seen.understood, found)
    return (use.name for use in uses if use is not None)


def errors(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The y and p of ``(y_i - p_i) x_i``, and the y and \\hat y of ``|y_i - \\hat y_i|``, which are
    numbers."""
    ends = [end for error, _ in _examples(nodes) for end in terms(error)]
    uses = map(seen.understood, (*ends, *_missed(nodes)))
    return (use.name for use in uses if use is not None and not use.bold)


def _missed(nodes: Nodes) -> Iterator[Node]:
    """The y_i and the \\hat y_i of ``|y_i - \\hat y_i|``, also where it is a share of y_i."""
    for group in nodes.of(Group):
        match group:
            case Group("|", (Infix("-", true, guessed) | Frac(Infix("-", true, guessed), _),)):
                ends = (true, guessed)
                accents = [any(isinstance(n, Accent) for n in walk(end)) for end in ends]
                same = len({*map(binders.bare, ends)}) == 1 and all(map(scripts.is_name, ends))
                if same and sum(accents) == 1:
                    yield from ends


def _sums_in_norms(nodes: Nodes) -> Iterator[Sequence[Node]]:
    """The terms of the sums in norms, but for those of matrices."""
    for group in nodes.of(Group):
        match group:
            case Group("‖", (Infix("+" | "-") as inner,)):
                found = [ungrouped(term) for term in terms(inner)]
                if not any(binders.bare(term).isupper() for term in found):
                    yield found


def _lists(nodes: Nodes) -> Iterator[Sequence[Node]]:
    """The items of each ``[h; c]``, and those of each column of unlike things that a name stands
    before, as in ``W [h_i; s_j]``: x_1 and x_2 are two numbers of one vector, and so are what a
    matrix of numbers turns."""
    for group in nodes.of(Group):
        if group.open == "[" and {*group.separators} == {";"}:
            yield group.items
    for before, column in _products(nodes) if nodes.of(Matrix) else ():
        if isinstance(column, Matrix) and not isinstance(before, Matrix):
            cells = [row[0] for row in column.rows if len(row) == 1 and _is_counted(row[0])]
            if len({*map(binders.bare, cells)}) == len(column.rows) > 1:
                yield cells


def _is_counted(cell: Node | None) -> TypeGuard[Script]:
    """Whether a cell has a script that is no number."""
    return isinstance(cell, Script) and not isinstance(cell.sub, Num)


def _products(nodes: Nodes) -> Iterator[tuple[Node, Node]]:
    """What stands beside each other in products."""
    for juxt in nodes.of(Juxt):
        yield from pairwise(juxt.factors)
    for infix in nodes.of(Infix):
        if infix.op in "·×*@":
            yield infix.left, infix.right


def _joined(seen: Survey, items: Sequence[Node]) -> Sequence[Node]:
    """The items of a list of which one is a vector by custom; a time t stays a number."""
    uses = [use for item in items if (use := seen.understood(item)) is not None]
    vector = any(use.bold or names.base_letter(use.name) in names.VECTORS for use in uses)
    every = len(uses) == len(items) and vector
    return [item for item in items if binders.bare(item) != "t"] if every else ()


def _normalised(seen: Survey, nodes: Nodes) -> Iterator[Node]:
    """The x_i of ``γ (x_i - μ_i) / σ_i``, whose mean is that of the place i while the gain is one
    for all places: it has an entry for each feature."""
    if not any(seen.counted[gain] == {0} for gain in names.GAINS & seen.counted.keys()):
        return
    for node in nodes.of(Frac, Infix):
        top = node.top if isinstance(node, Frac) else node.left
        match ungrouped(top):
            case Infix("-", Script(_, Name(place)) as value, Script(mean, Name(other))):
                if place == other and binders.bare(mean) == "mu":
                    yield value


def _examples(nodes: Nodes) -> Iterator[tuple[Node, Script]]:
    """``y_i - p_i`` and x_i in ``(y_i - p_i) x_i``: the error of an example, which moves weights by
    the example."""
    for node in nodes.of(Juxt) if "x" in nodes.words else ():
        for error, example in pairwise(node.factors):
            match error, example:
                case Group("(", (Infix("-") as difference,)), Script(Name("x"), below, above, 0):
                    ends = (end for end in terms(difference) if isinstance(end, Script))
                    known = (end for end in ends if binders.bare(end) in ("y", "t"))
                    if any(_is_of(end, below, above) for end in known):
                        yield difference, example


def _weighed(nodes: Nodes) -> Iterator[Node]:
    """The r of ``W x + U r``, which a matrix stands before, as another does in the next term."""
    for node in nodes.of(Infix):
        match node:
            case Infix("+", Juxt((one, left, *more)), Juxt((other, right, *others))):
                if {binders.bare(one), binders.bare(other)} == {"W", "U"}:
                    alone = [end for end, rest in ((left, more), (right, others)) if not rest]
                    yield from (end for end in alone if binders.bare(end) in _UNSURE)


def _behind_transposed(nodes: Nodes) -> Iterator[Node]:
    """The w_t of ``X^⊤ X w_t`` and the y of ``Φ^⊤ y``: nobody transposes a matrix for a number."""
    for node in nodes.of(Juxt):
        for at, (one, other) in enumerate(pairwise(node.factors)):
            before = node.factors[at - 1] if at and binders.bare(one).istitle() else one
            match before:
                case Script(Name(letter), None) if scripts.is_transposed(before):
                    size = names.is_size_name(names.label(other))
                    if letter[:1].isupper() and not (size or isinstance(other, Group)):
                        yield other


def _behind_row(seen: Survey, nodes: Nodes) -> Iterator[Node]:
    """The p of ``u^⊤ p`` and the b_t of ``z_t^⊤ b_t``, which has elements nowhere: nobody
    transposes a vector for a number. A letter with ``t`` above is raised to a step, as γ is."""
    for row, other in (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors[:2])):
        mine = seen.understood(row) if scripts.is_transposed(row) else None
        theirs = _small(seen, other)
        if mine is None or theirs is None or mine.indices or theirs.indices or theirs.bold:
            continue
        name = theirs.name.removesuffix("_t")
        plain = seen.counted.get(theirs.name) == {0} and not names.is_size_name(name)
        plain = plain and name not in seen.elements  # of w_1 x_1 + … + w_n x_n
        step = isinstance(row, Script) and row.sup is not None and names.label(row.sup) == "t"
        row_letter = mine.name.removesuffix("_t")
        if plain and not step and len(row_letter) == len(name) == 1 and row_letter.islower():
            yield other


def _alike_in_label(nodes: Nodes) -> Iterator[Node]:
    """The u and the i of ``u_{out} · i_{out}`` and ``u_{out}^⊤ i_{out}``, of which one has the
    letter of a vector."""
    dots = [(node.left, node.right) for node in nodes.of(Infix) if node.op == "·"]
    beside = [pair for node in nodes.of(Juxt) for pair in pairwise(node.factors)]
    dots += [(one, other) for one, other in beside if scripts.is_transposed(one)]
    for pair in dots:
        match pair:
            case Script(Name(one), mine), Script(Name(other), its, None) if mine and its:
                label = names.label(mine)
                word = len(label) > 1 and not set(label) <= names.INDEX_LETTERS
                vector = {one, other} & names.VECTORS and not {one, other} & names.GREEK
                if word and vector and label == names.label(its):
                    yield from pair


def _deviations(nodes: Nodes) -> Iterator[Node]:
    """The x and the μ of ``(x - μ)^⊤ Σ^{-1} (x - μ)``."""
    for node in nodes.of(Juxt):
        for row, behind in zip(node.factors, node.factors[2:], strict=False):
            match row, behind:
                case Script(Group(_, (Infix("-", left, right),))), Group(_, (Infix("-"),)):
                    if scripts.is_transposed(row):
                        yield from (left, right)


_UNSURE = frozenset("acegpr")
"""Letters that stand for numbers as often as for vectors."""


def _is_of(error: Script, below: Node | None, above: Node | None) -> bool:
    """Whether the error is that of the example x_i, or of the x^{(i)} of which it is an entry."""
    entry = error.sub is None and error.sup is not None and alike(error.sup, above)
    return entry or alike((error.sub, error.sup), (below, above))


def _forms(nodes: Nodes) -> Iterator[tuple[Node, Node]]:
    """The matrix and what stands behind it, in ``x^⊤ M y`` and ``x^⊤ \\mathrm{diag}(r) y``."""
    for node in nodes.of(Juxt):
        match node.factors:
            case (row, middle, last) | (row, Name("diag") as middle, Group(), last):
                if scripts.is_transposed(row) and binders.bare(row).islower():
                    yield middle, last


def _small(seen: Survey, node: Node) -> scripts.Use | None:
    """The use of a small letter that is not transposed."""
    inner = node.body if isinstance(node, Neg) else node
    use = seen.understood(inner)
    small = use is not None and names.base_letter(use.name).islower()
    return use if small and use is not None and not use.transposed and use.power is None else None
