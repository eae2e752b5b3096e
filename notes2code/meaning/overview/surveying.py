"""Looking over the statements of a formula: first its letters, then its uses, then its kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain, pairwise

from notes2code.latex.tree import (
    Dots,
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
    Relation,
    Script,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import (
    binders,
    letters_above,
    positions,
    script_reader,
    scripts,
    written_sizes,
)
from notes2code.meaning.overview import (
    added,
    averages,
    bare_sums,
    costs,
    counting,
    decays,
    doubtful_indices,
    elements,
    exponents,
    free_letters,
    identity,
    index_letters,
    kernels,
    label_letters,
    layer_letters,
    magnitudes,
    matrices,
    means,
    norms,
    points,
    returns,
    role_letters,
    step_letters,
    target_letters,
    updates,
)
from notes2code.meaning.overview.quantities import (
    bounded,
    gaps,
    quantities,
    scaled_to_round,
    worded,
)
from notes2code.meaning.overview.queries_and_keys import projections, queries_and_keys, sequences
from notes2code.meaning.overview.raised import parameter_letters, raised_names
from notes2code.meaning.overview.sampled import sampled_functions
from notes2code.meaning.overview.survey import Survey, defined_by_both, used
from notes2code.meaning.scope import EMPTY, Scope
from notes2code.meaning.stated import Declare, Define, Range, Statement


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the statements of a formula are made of: definitions, their values, what these define,
    and all nodes of the values and of the left-hand sides."""

    statements: Sequence[Statement]
    defines: tuple[Define, ...]
    values: tuple[Node, ...]
    targets: tuple[Node, ...]
    nodes: Nodes
    on_left: Nodes

    @classmethod
    def of(cls, statements: Sequence[Statement]) -> _Parts:
        defines = tuple(s for s in statements if isinstance(s, Define))
        values = tuple(value for define in defines for value in define.values)
        targets = tuple(define.target for define in defines if define.target is not None)
        nodes = Nodes(chain.from_iterable(map(walk, values)))
        on_left = Nodes(chain.from_iterable(map(walk, targets)))
        return cls(statements, defines, values, targets, nodes, on_left)


def survey(statements: Sequence[Statement], scope: Scope = EMPTY) -> Survey:
    """Look over the statements of a formula, in a section whose ``lasts`` say how many there are:
    the n of ``c = h_n`` beside ``h_1, …, h_n``.

    Raises ProblemError where letters cannot be told: powers from indices, labels from transposes.
    """
    parts = _Parts.of(statements)
    seen = Survey(nodes=parts.nodes)
    _see_scripts(seen, parts, scope)
    _see_letters(seen, parts, scope)
    _see_uses(seen, parts)
    _see_numbers(seen, parts, scope)
    _see_arrays(seen, parts, scope)
    _see_company(seen, parts)
    return seen


def _see_scripts(seen: Survey, parts: _Parts, scope: Scope) -> None:
    """What the scripts of names say, whoever binds their letters."""
    nodes, targets = parts.nodes, parts.targets
    seen.ends = {*scope.lasts - words_in(*targets)} if targets else set()
    seen.raised = raised_names(nodes, targets)
    above = {*letters_above.with_labels_above(nodes), *letters_above.told_above(nodes)}
    seen.listed = (
        above | {*layer_letters.of_layers(nodes)} | scope.above.keys()
    ) - parameter_letters(targets)
    seen.below = {
        node.base.text
        for node in nodes.of(Script) + parts.on_left.of(Script)
        if isinstance(node.base, Name) and node.sub is not None and node.sup is None
    } - defined_by_both(targets)


def _see_letters(seen: Survey, parts: _Parts, scope: Scope) -> None:
    """Which letters are indices, and which ones tell things apart."""
    nodes, statements = parts.nodes, parts.statements
    index_letters.find_binders(seen, nodes)
    index_letters.find_cells(seen, nodes)
    if nodes.of(Dots) or parts.on_left.of(Dots):
        index_letters.find_ends(seen, [*nodes, *parts.on_left])
    step_letters.find_steps(seen, statements)
    seen.labels = label_letters.of_own_sizes(statements) | label_letters.of_changed(statements)
    seen.labels.update(label_letters.of_lengths(nodes, parts.targets))
    seen.labels -= seen.bound
    seen.labels |= (label_letters.real(statements) | scope.real) - seen.bound
    seen.labels.update({*label_letters.of_namesakes(statements)} - seen.bound)
    seen.labels.update({*label_letters.of_distributions(statements)} - seen.bound)
    seen.labels.update({*role_letters.of_what_is_made(statements)} - seen.bound)
    for statement in statements:
        if isinstance(statement, Range):
            seen.labels.discard(statement.index)
            seen.bound.add(statement.index)
            seen.ranges[statement.index] = statement
            seen.sizes.update(written_sizes.size_names(statement.last))
        elif isinstance(statement, Declare):
            for axis in statement.axes:
                seen.sizes.update(written_sizes.size_names(axis))
        elif isinstance(statement, Define) and statement.target is not None:
            index_letters.find_first(seen, statement.conditions)
            square = statement.target
            if isinstance(square, Script) and _defines_square(square, seen.listed):
                seen.squares.add(script_reader.unindexed(square.base))
            seen.sizes.update(written_sizes.parts_of_size(statement))
            if not label_letters.of_arguments(statements):
                target_letters.find(seen, statement, nodes, scope)
            seen.times.update(step_letters.above(statement))
        elif isinstance(statement, Define):
            seen.bound.update(index_letters.of_an_element(statement))
    index_letters.find_twins(seen, nodes)
    scripted = nodes.of(Script) + parts.on_left.of(Script)
    doubtful_indices.refuse_powers(seen, scripted, statements)
    doubtful_indices.refuse_roots(nodes)
    doubtful_indices.refuse_transposed_labels(nodes)
    doubtful_indices.refuse_sizes_as_elements(nodes)
    doubtful_indices.refuse_arrows(nodes)
    seen.identities = identity.identities(nodes, parts.on_left)
    free_letters.find(seen, nodes, statements, scope.labels)
    counting.from_one(seen, nodes, parts.on_left, scope.begins)
    seen.numbered = counting.numbered(seen, nodes, parts.targets)


def _defines_square(target: Script, listed: Set[str]) -> bool:
    return scripts.is_two(target.sup) and binders.bare(target) not in listed


def _see_uses(seen: Survey, parts: _Parts) -> None:
    """How names are used, once it is known which letters are indices."""
    nodes, values = parts.nodes, parts.values
    uses = [[*used(seen, value)] for value in values]
    seen.kernels = kernels.found(nodes, seen, chain.from_iterable(uses), parts.defines)
    for of_value in uses:
        _count_uses(seen, of_value)
    doubtful_indices.refuse_two_steps(seen, parts.statements)
    doubtful_indices.refuse_lost_indices(parts.statements)
    seen.sets = set(_sets(seen, nodes))
    seen.sampled = sampled_functions(seen, nodes)


def _see_numbers(seen: Survey, parts: _Parts, scope: Scope) -> None:
    """What must be numbers."""
    nodes, statements, defines = parts.nodes, parts.statements, parts.defines
    seen.elements.update(elements.numbers(seen, nodes, statements))
    seen.elements.update(points.entries(seen, nodes))
    seen.elements.update(elements.told(seen, scope.elements) if scope.elements else ())
    seen.powered.update(exponents.of_bases(seen, nodes))
    seen.exponents = {*exponents.raised(seen, nodes), *exponents.normalised(seen, nodes, defines)}
    uses = (seen.understood(node) for pair in exponents.of_trials(nodes) for node in pair)
    seen.exponents.update(use.name for use in uses if use is not None)
    seen.placed.update(elements.beside_others(seen))
    seen.of_polynomials = set(exponents.of_polynomials(nodes)) - seen.bound
    seen.sizes.update(means.counted(seen, nodes))
    for matrix in nodes.of(Matrix):
        seen.entries.update(_entries(seen, matrix))
    seen.mixes = {*_mixes(seen, nodes), *_opposites(seen, statements)}
    seen.discounted = set(returns.discounted(seen, nodes, statements))
    seen.rates = decays.rates(seen, nodes)
    said = {*seen.rates, *worded(nodes, defines)}
    said |= {seen.use(weight).name for weight in bare_sums.numbered(nodes)}
    seen.placed |= {seen.use(weight).name for weight in bare_sums.scheduled(nodes)}
    seen.placed.update(scaled_to_round(nodes))
    said.update(points.errors(seen, nodes), label_letters.of_mixtures(nodes))
    said.update(updates.paces(seen, nodes, statements))
    seen.gaps = {*gaps(seen, nodes)}
    said |= seen.gaps | {*bounded(nodes)}
    said.update(*(added.numbers(seen, part) for part in (nodes, parts.on_left)))
    if any(costs.is_cost(target, nodes) for target in parts.targets):
        said.update(name for name, counts in seen.counted.items() if counts == {0})
    guessed = quantities(nodes, defines)
    guessed.update(decays.starts(seen, nodes, statements, seen.rates))
    seen.quantities, seen.guessed = guessed | said, guessed - said


def _see_arrays(seen: Survey, parts: _Parts, scope: Scope) -> None:
    """What must be vectors and matrices."""
    nodes = parts.nodes
    letters = {*scope.drawn, *points.drawn(parts.statements)}
    seen.drawn = {name for name in seen.counted if letters and names.base_letter(name) in letters}
    seen.points = {*points.vectors(seen, nodes), *points.mapped(parts.defines), *seen.drawn}
    known = {name for name, rank in scope.ranks.items() if not rank}
    known |= {use.name for use in map(seen.understood, parts.targets) if use is not None}
    seen.points |= {*exponents.compared(seen, nodes, known)}
    seen.forms = set(points.matrices(seen, nodes))
    seen.averaged = set(averages.averaged(seen, nodes))
    seen.weights = set(averages.weights(seen, nodes))
    seen.lengths = {name for node in nodes.of(Juxt, Infix) for name in _lengths(seen, node)}
    targets = [define.target for define in parts.defines if define.target is not None]
    seen.told_above = set(matrices.with_indices(seen, nodes, targets))
    seen.projections = projections(seen, nodes)
    seen.degrees = matrices.degrees(seen, nodes) - seen.sizes
    seen.magnitudes = {*magnitudes.magnitudes(seen, nodes)}
    seen.matrices = matrices.amid(seen, nodes) - seen.sizes | seen.degrees
    seen.matrices.update(_transposed_in_code(seen, nodes), _with_elements(seen, nodes))
    for infix in nodes.of(Infix):
        for name in queries_and_keys(seen, infix):
            seen.transposed.setdefault(name, set()).update(seen.counted[name])
    seen.moves = updates.moves(seen, nodes, parts.statements)
    seen.sequences = sequences(seen, nodes)


def _transposed_in_code(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The k of ``q @ k.T``: programs transpose no vectors."""
    for node in nodes.of(Script):
        match node:
            case Script(Name(), _, Name("top", font="code")):
                yield seen.use(node).name


def _with_elements(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The B and the D of ``(B + D)_{ij}``: what they add up to has rows and columns."""
    for node in nodes.of(Script):
        match node:
            case Script(Group("(", (Infix("+" | "-", left, right),)), sub) if sub is not None:
                places = [inner for inner in walk(sub) if isinstance(inner, Name)]
                for term in (left, right) if len(places) == 2 else ():
                    if scripts.is_name(term) and binders.bare(term).isupper():
                        yield seen.use(term).name


def _see_company(seen: Survey, parts: _Parts) -> None:
    """What a formula is about, by all that stands together in it."""
    nodes = parts.nodes
    seen.normalises = (
        any(map(norms.is_normalisation, nodes.of(Frac, Infix))) or "rsqrt" in nodes.words
    )
    seen.gains = {*norms.gains(nodes)}
    bases = {names.base_letter(name) for name in seen.counted}
    seen.logs = not bases.isdisjoint(["log", "ln"])
    lengths = any(group.open == "‖" for group in nodes.of(Group))
    seen.of_labels = not lengths and bases <= {"y"} | names.GREEK | names.FUNCTIONS
    arrays = {names.base_letter(name) for name in seen.counted.keys() - seen.sizes - seen.bound}
    seen.of_probabilities = seen.logs and arrays <= _OF_DIVERGENCES
    seen.attends = sum(bool(arrays & {x, x.lower()}) for x in "QKV") > 1
    blocks = {
        binders.bare(cell) for m in nodes.of(Matrix) for row in m.rows for cell in row if cell
    }
    seen.weighs = any(map(_weighs, nodes.of(Infix, Juxt)))
    seen.has_matrices = seen.attends or "X" in bases or "D" in blocks or bool(seen.sequences)


_OF_DIVERGENCES = names.FUNCTIONS | {"p", "q", "P", "Q", "D", "KL", "N"}
"""What stands in ``D_{KL}(p ‖ q) = Σ_i p_i log (p_i / q_i)``, indices apart."""


def _count_uses(seen: Survey, uses: Sequence[tuple[scripts.Use, bool]]) -> None:
    """How each name of a value is used: with how many indices, transposed, bold, always called."""
    free_standing: set[str] = set()
    called: set[str] = set()
    for use, before_parenthesis in uses:
        if use.name in seen.kernels and not use.indices:
            called.add(use.name)
            continue  # the k of k(q_i, k_j), which is another than that of k_j
        seen.counted.setdefault(use.name, set()).add(len(use.indices))
        seen.written.setdefault(use.name, set()).add(len(use.indices) + use.steps)
        for place, index in enumerate(use.indices):
            if index.relation in ("=", "∀"):
                seen.placed.add(use.name)
            if index.relation == "=":
                seen.placed.add(seen.use(index.node).name)
            if (shift := positions.shift(index.node)) is not None:
                seen.shifts.setdefault((use.name, place, shift[0]), set()).add(shift[1])
            if (beyond := positions.beyond_half(index.node)) is not None:
                seen.halves[use.name, place, beyond[0]] = beyond[1]
            if len(use.indices) == 1 and (beyond or positions.stride(index.node)):
                seen.elements.add(use.name)
        if use.power is not None and any(
            isinstance(node, Name) and node.text in seen.bound for node in walk(use.power)
        ):
            seen.elements.add(use.name)  # the b of b^{-2i/d}
            seen.powered.add(use.name)
        if use.bold:
            seen.bold.setdefault(use.name, set()).add(len(use.indices))
        if use.transposed:
            seen.transposed.setdefault(use.name, set()).add(len(use.indices))
        (called if before_parenthesis else free_standing).add(use.name)
    seen.called = (seen.called | called) - free_standing
    numbered = {
        name.rpartition("_")[0] for name in seen.called if name.rpartition("_")[2].isdigit()
    }
    seen.called |= numbered - seen.counted.keys()  # the f of f_1(x) + … + f_n(x)


def _sets(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The names of the sets that something is a member of."""
    for node in nodes.of(Relation):
        members = node.operands[-1] if node.signs in (("∈",), ("∉",)) else None
        members = members.left if isinstance(members, Infix) and members.op == "∪" else members
        use = seen.understood(members) if members is not None else None
        if use is not None:
            yield use.name


def _mixes(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The names p of which ``1 - p`` is taken."""
    for infix in nodes.of(Infix):
        if infix.op == "-" and isinstance(infix.left, Num) and infix.left.text == "1":
            use = seen.understood(infix.right)
            if use is not None and use.power is None:
                yield use.name


def _opposites(seen: Survey, statements: Sequence[Statement]) -> Iterator[str]:
    """The f of ``f = 1 - g``, which is a gate where g is one."""
    for statement in statements:
        match statement:
            case Define(target, (Infix("-", Num("1"), gate), *_)) if scripts.is_name(gate):
                if target is not None and scripts.is_name(target):
                    yield seen.use(target).name


def _entries(seen: Survey, node: Matrix) -> Iterator[str]:
    """The plain names that are cells of a matrix, such as the x_1 and x_2 of a column, or the x and
    y of a row: numbers."""
    kinds = (Name, Script) if any(len(row) > 1 for row in node.rows) else Script
    for row in node.rows:
        for cell in row:
            inner = cell.body if isinstance(cell, Neg) else cell
            if isinstance(inner, kinds) and (use := seen.understood(inner)):
                yield use.name


def _lengths(seen: Survey, node: Juxt | Infix) -> set[str]:
    """The names of ``|a||b|``, which are vectors: numbers would share their bars."""
    if isinstance(node, Infix) and node.op not in "·×":
        return set()
    factors = binders.multiplied(node)
    barred = [f.items[0] for f in factors if isinstance(f, Group) and f.open == "|"]
    if len(barred) < 2:
        return set()
    found = {use.name for item in barred if (use := seen.understood(item)) is not None}
    latin = not any(names.base_letter(name) in names.GREEK for name in found)
    return found if latin and len(found) > 1 else set()


def _weighs(node: Infix | Juxt) -> bool:
    """Whether a D stands right behind a weight, ``W D``, or before an element, ``D u_t``, and so
    is no size."""
    factors = node.factors if isinstance(node, Juxt) else (node.left, node.right)
    if isinstance(node, Infix) and node.op != "·":
        return False
    return any(
        (binders.bare(a) == "W" and isinstance(b, Name) and b.text == "D")
        or (isinstance(a, Name) and a.text == "D" and _is_element(b))
        for a, b in pairwise(factors)
    )


def _is_element(node: Node) -> bool:
    """Whether a node is a small letter at an index, ``u_t``, and no size such as ``d_k``."""
    match node:
        case Script(Name(base), Name(index), None, 0):
            return base.islower() and index in names.INDEX_LETTERS and base not in names.SIZE_BASES
    return False
