"""A formula in the light of the definitions around it: the ranks of the arrays it refers to.

By custom the f_t of ``C_t = f_t * C_{t-1} + i_t * \\tilde C_t`` may be numbers; where the note says
``f_t = \\sigma(W_f [h_{t-1}, x_t] + b_f)``, they are vectors. Ranks are those of one element, f_t.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace

from notes2code.diagnostics import Problem, Span, error, note, warning
from notes2code.latex.tree import Big, Group, Infix, Num, Script
from notes2code.latex.tree import walk as walk_tree
from notes2code.meaning import ir
from notes2code.meaning.inference.gates import GATES
from notes2code.meaning.inference.softmax import is_softmax
from notes2code.meaning.ir import (
    Call,
    Concat,
    Equation,
    Fn,
    Idx,
    Lambda,
    Mul,
    Reduce,
    Ref,
    Softmax,
    walk,
)
from notes2code.meaning.linking import learned
from notes2code.meaning.linking.entries import Entry, Parsed, letters_on
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.names import PROBABILITIES, base_letter, label
from notes2code.meaning.notation.binders import bound_letters
from notes2code.meaning.notation.scripts import is_name
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.prose.kinds import CALLED, told
from notes2code.meaning.scope import Shape
from notes2code.meaning.stated import Define
from notes2code.meaning.typed import Typed, type_tree


def as_defined(
    linker: Linker, entry: Entry, own: Typed, equation_of: Callable[[Entry], Equation | None]
) -> Typed:
    """A formula typed alone, but for the ranks of its inputs, which are as the note's definitions
    have them; it is rejected where it cannot be read so. ``equation_of`` gives what a definition
    computes, if that is known."""
    tree = linker.formulas.parsed[entry].tree
    assert own.equation is not None and tree is not None
    seen = linker.formulas.parsed[entry].seen
    assert seen is not None
    scope = linker.scope(entry)
    kinds = linker.kinds[entry]
    weights = _weights(own.equation)
    counted = _counted(linker.formulas.parsed[entry], seen)
    given = {
        one.name: len(one.shape) - max(counted[one.name])
        for one in own.equation.inputs
        if one.kind == "array"
        and one.name in counted
        and one.name not in own.equation.parameters
        and (one.name not in scope.shapes or one.name in kinds)
        and (one.name not in seen.mixes or base_letter(one.name) not in PROBABILITIES)
        and one.name not in seen.elements
        and not (one.name in seen.moves and len(one.shape) > 1)
    }
    mine, parsed = linker.formulas.parsed[entry], linker.formulas.parsed
    every = {
        name: other
        for name, other in linker.formulas.same_indices(entry, given).items()
        if not (learned.is_gain(name, mine) and learned.is_constant(parsed[other]))
    }
    pairs = dict(_opposites(linker, every))
    sigmoids = frozenset(_sigmoids(every, equation_of))
    # By the letter too, since labels and scores are made so as well.
    gates_of_state = {name for name in sigmoids if base_letter(name) in GATES}
    opposites = pairs.keys() | pairs.values() | gates_of_state
    defining = {
        name: other
        for name, other in every.items()
        if name not in kinds or linker.formulas.are_beside(entry, other)  # else the kind is nearer
        if name not in weights or not _is_softmax(equation_of(other))
        if not (given[name] and _is_of_any_kind(equation_of(other)))
    }
    same = {own.equation.name} - linker.formulas.parsed[entry].arrays  # the x of x = Dropout(x)
    ranks = {} if same & defining.keys() else _joint(linker, entry, own, defining)
    apart = {name: other for name, other in defining.items() if ranks.get(name) != given[name]}
    by_themselves = _apart(linker, entry, apart, equation_of)
    # What both are by themselves is not changed by what they could be together.
    ranks |= {n: r for n, r in by_themselves.items() if n not in ranks or r == given[n]}
    made = {name: other for name, other in defining.items() if name in sigmoids}
    ranks |= _apart(linker, entry, made, equation_of)
    gates = {n for n in seen.mixes & ranks.keys() if not _is_softmax(equation_of(defining[n]))}
    gates |= opposites
    ranks |= _rows(linker, entry, {n: r for n, r in given.items() if n not in weights}, equation_of)
    entries = dict(_elements(linker, entry, given.keys() - every.keys(), equation_of))
    ranks |= entries
    ranks |= {name: ranks[gate] for name, gate in pairs.items() if gate in ranks}
    measured = dict.fromkeys(_measured(linker, entry, own.equation, equation_of), 0)
    # What a step makes of the state before it is that state, and no row of it.
    states = {
        name
        for name, other in defining.items()
        if name in linker.formulas.parsed[other].states and ranks.get(name, 0) > given[name]
    }
    ranks = {
        name: rank
        for name, rank in ranks.items()
        if name in same | gates | states | sigmoids or _may_be(name, given[name], rank)
    }
    others = {
        name: rank
        for name, rank in ranks.items()
        if rank != given[name] or (rank == 2 and name in gates)
    } | measured
    if not others and not opposites and not sigmoids:
        return own
    shapes = {name: shape for name, shape in scope.shapes.items() if name not in others}
    known = replace(scope, shapes=shapes, ranks=ranks | measured)
    told = replace(known, opposites=frozenset(opposites), sigmoids=sigmoids)
    typed = type_tree(entry.latex, tree, told)
    doubts = [
        _unlike(entry, name, kinds[name], rank, _AS_DEFINED if typed.equation else _AS_SAID)
        for name, rank in others.items()
        if name in kinds
    ]
    if doubts and typed.equation is None:
        typed = own
    whole = {name for name in entries if given[name] and counted[name] == {1}}
    doubts += [_taken_for_entry(entry, name) for name in sorted(whole & others.keys())]
    return replace(typed, problems=(*typed.problems, *doubts)) if doubts else typed


def _counted(parsed: Parsed, seen: Survey) -> Mapping[str, Set[int]]:
    """With how many indices a formula has each name; the members of a family have one."""
    return {**{name: {1} for name in parsed.listed}, **seen.counted}


def _measured(
    linker: Linker,
    entry: Entry,
    own: Equation,
    equation_of: Callable[[Entry], Equation | None],
) -> Iterator[str]:
    """The d of ``e^{-d^2}`` that the note defines as the number ``d = ‖x - y‖``, and so is no count
    of features here. What names an axis, too, stays a size."""
    scope, seen = linker.scope(entry), linker.formulas.parsed[entry].seen
    sizes = {given.name for given in own.inputs if given.kind == "size"}
    sizes -= {axis for one in own.inputs for axis in one.shape if isinstance(axis, str)}
    sizes -= {axis for shape in scope.shapes.values() for axis in shape.axes}
    found = sorted(name for name in sizes if seen and name not in seen.sizes)
    for name, others in linker.formulas.nearest(entry, found, "arrays", within=1).items():
        equation = equation_of(others[0])
        if equation is not None and equation.name == name and not equation.value.indices:
            yield name


def _rows(
    linker: Linker,
    entry: Entry,
    given: Mapping[str, int],
    equation_of: Callable[[Entry], Equation | None],
) -> Iterator[tuple[str, int]]:
    """The ``H_i^{(k)}`` of an array that the note defines by its elements ``H_{ij}^{(k)}``, and
    is taken for a number by custom: a row of it. ``given`` has no weights: the α_i of ``Σ_i α_i
    h_i`` is a number, though the note has an ``α_{ij}``, too."""
    mine = linker.formulas.parsed[entry]
    assert mine.seen is not None and mine.tree is not None
    numbers = sorted(name for name, rank in given.items() if rank == 0)
    for name, others in linker.formulas.nearest(entry, numbers, "arrays", within=1).items():
        equation = equation_of(others[0])
        if equation is None or equation.name != name or others[0] is entry:
            continue
        letters = [index.letter for index in equation.value.indices]
        used = letters_on(name, mine.tree, mine.seen)
        whole = linker.formulas.parsed[others[0]].indexed.get(name)
        elements = whole is not None and whole.letters == {*letters}
        if elements and 0 < len(used) == len(letters) - 1 and used == {*letters[:-1]}:
            yield name, 1


def _elements(
    linker: Linker,
    entry: Entry,
    given: Set[str],
    equation_of: Callable[[Entry], Equation | None],
) -> Iterator[tuple[str, int]]:
    """The ``z_{k,d}`` of what the note defines as vectors z_k, and by no more indices: a number of
    it, where a sum runs over the d."""
    mine = linker.formulas.parsed[entry]
    assert mine.seen is not None
    for name, others in linker.formulas.nearest(entry, sorted(given), "arrays", within=1).items():
        equation, written = equation_of(others[0]), _counted(mine, mine.seen)[name]
        if equation is None or equation.name != name or others[0] is entry:
            continue
        wholes = [linker.formulas.parsed[other].indexed.get(name) for other in others]
        fewer = all(whole is not None and whole.written < max(written) for whole in wholes)
        if not fewer or written != {len(equation.value.indices)}:
            continue
        made = linker.formulas.parsed[others[0]].seen
        if made is None or not written.isdisjoint(made.counted.get(name, ())):
            continue  # the h of h = Σ_i α_i h_i is none of the h_i
        if _is_added_up(name, mine.seen) and not _is_of_tokens(
            linker, others[0], name, equation_of
        ):
            yield name, 0


def _is_of_tokens(
    linker: Linker, made: Entry, name: str, equation_of: Callable[[Entry], Equation | None]
) -> bool:
    """Whether the v of ``v = W x`` is that of one token of several, as is a k that the note makes
    of the same x and has elsewhere as a vector for each j, ``q_i \\cdot k_j``."""
    parsed = linker.formulas.parsed
    near = [made, *linker.formulas.in_note(made)]
    alike = {
        other
        for one in near
        if parsed[one].mentioned & parsed[made].mentioned
        for other, indexed in parsed[one].indexed.items()
        if indexed.written == 0 and other != name
    }
    for one in near:
        seen = parsed[one].seen
        several = set() if seen is None else {n for n in alike if seen.counted.get(n) == {1}}
        equation = equation_of(one) if several else None
        inputs = () if equation is None else equation.inputs
        if any(given.name in several and len(given.shape) == 2 for given in inputs):
            return True
    return False


def _is_added_up(name: str, seen: Survey) -> bool:
    """Whether a sum runs over the last index below a name, which stands in no norm: ``‖z_a - z_p‖``
    is one of vectors."""
    over = {
        letter
        for big in seen.nodes.of(Big)
        if big.op == "sum" and big.sub is not None
        for letter in bound_letters(big.sub)
    }
    found = False
    norms = (group for group in seen.nodes.of(Group) if group.open == "‖")
    within = {id(node) for group in norms for node in walk_tree(group)}
    for node in seen.nodes.of(Script):
        use = seen.understood(node)
        if use is None or use.name != name or use.above >= len(use.indices):
            continue
        if id(node) in within:
            return False
        found = found or label(use.indices[-1].node) in over
    return found


def _sigmoids(
    defining: Mapping[str, Entry], equation_of: Callable[[Entry], Equation | None]
) -> Iterator[str]:
    """The g that the notes define as a sigmoid of an array, ``g = σ(W x)``, which may open each
    element of what it stands before."""
    for name, other in defining.items():
        match equation_of(other):
            case Equation(value=Lambda((_, *_), Fn("sigmoid"))):
                yield name


def _opposites(linker: Linker, defining: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    """The f and the g of ``f = 1 - g``, where a formula has both: the two halves of a gate. The
    weights of a softmax are none."""
    parsed = linker.formulas.parsed
    for name, other in defining.items():
        seen, stated = parsed[other].seen, parsed[other].stated
        for statement in stated if seen is not None else ():
            match statement:
                case Define(target, (Infix("-", Num("1"), gate), *_)) if is_name(gate):
                    assert seen is not None
                    of = seen.use(gate).name
                    mine = is_name(target) and target is not None and seen.use(target).name == name
                    made = parsed[defining[of]].called if of in defining else {"softmax"}
                    if mine and not any(map(is_softmax, made)):
                        yield name, of


def as_used(
    linker: Linker, entry: Entry, own: Typed, users: Iterable[tuple[Entry, Typed]]
) -> Typed:
    """A formula as the next one that uses what it defines needs it: the z of ``z = \\frac{1}{n} Σ_i
    e_i`` before ``y = W z`` is a vector, and so are the e_i, by custom numbers. ``users`` are the
    formulas behind it, as they are alone."""
    assert own.equation is not None
    name, tree, scope = own.equation.name, linker.formulas.parsed[entry].tree, linker.scope(entry)
    indexed = linker.formulas.parsed[entry].indexed.get(name)
    if indexed is None or tree is None or name in scope.shapes:
        return own
    users = list(users)
    rank = _element_rank(own.equation.value, indexed.letters)
    used = (alone.equation for _, alone in users if _is_softmax(own.equation))
    if rank == 1 and any(equation and name in _weights(equation) for equation in used):
        shapes = {**scope.shapes, name: Shape((), 1)}
        number = type_tree(entry.latex, tree, replace(scope, shapes=shapes))
        return number if number.equation else _rejected(own, entry, name)
    if rank:
        return own
    for user, alone in users:
        joint = linker.together(user, alone, (entry,))
        made = [] if joint is None or joint.equation is None else joint.equation.definitions
        found = next((one.array for one in made if one.name == name), None)
        if found is None:
            continue
        if _element_rank(found, indexed.letters) != 1:
            return own
        shapes = {**scope.shapes, name: Shape(("",), indexed.written)}
        typed = type_tree(entry.latex, tree, replace(scope, shapes=shapes))
        equation = typed.equation
        if equation is None or _element_rank(equation.value, indexed.letters) != 1:
            return own
        return typed
    return own


def as_scores(linker: Linker, entry: Entry, own: Typed) -> Typed:
    """A formula of one number as that of a matrix of them, if it can be read so: the
    ``w = q k^\\top`` of which another formula takes the softmax."""
    tree, scope = linker.formulas.parsed[entry].tree, linker.scope(entry)
    if tree is None or own.equation is None or own.equation.name in scope.shapes:
        return own
    shapes = {**scope.shapes, own.equation.name: Shape(("", ""), 0)}
    typed = type_tree(entry.latex, tree, replace(scope, shapes=shapes))
    indices = () if typed.equation is None else typed.equation.value.indices
    return typed if len(indices) == 2 else own


def takes_softmax(equation: Equation | None, name: str) -> bool:
    """Whether an equation is the softmax of an array."""
    match equation:
        case Equation(value=Lambda(body=Softmax(body=Ref(array)))):
            return array == name
    return False


def as_named(
    linker: Linker, entry: Entry, own: Typed, others: Iterable[tuple[Entry, Typed]]
) -> Typed:
    """A formula that gives a name the result of a function that nobody defines, ``γ_t = f(x_t)``,
    as the formulas around it have that name: the γ_t of ``S_t = γ_t S_{t-1} + k_t v_t^⊤`` is a
    number. What the function is given stays what it is. ``others`` are those that use the name, as
    they are alone."""
    equation, tree, scope = own.equation, linker.formulas.parsed[entry].tree, linker.scope(entry)
    if equation is None or tree is None or not isinstance(equation.value.body, Call):
        return own
    name, function = equation.name, equation.value.body.function
    indexed = linker.formulas.parsed[entry].indexed.get(name)
    unknown = any(one.name == function and one.kind == "function" for one in equation.inputs)
    if indexed is None or not unknown or name in scope.shapes:
        return own
    used = {rank for other, typed in others for rank in _used_rank(linker, other, typed, name)}
    rank = _element_rank(equation.value, indexed.letters)
    if len(used) != 1 or rank in used or used == {2}:
        return own
    shape = Shape(("",) * used.pop(), indexed.written)
    typed = type_tree(entry.latex, tree, replace(scope, shapes={**scope.shapes, name: shape}))
    if typed.equation is None or _ranks(typed.equation) != _ranks(equation):
        return own
    return typed


def _ranks(equation: Equation) -> dict[str, int]:
    """The number of axes of each input."""
    return {one.name: len(one.shape) for one in equation.inputs}


def _used_rank(linker: Linker, entry: Entry, typed: Typed, name: str) -> Iterator[int]:
    """The axes that each element of an input has in a formula."""
    seen = linker.formulas.parsed[entry].seen
    if typed.equation is not None and seen is not None and name in seen.counted:
        ranks = _ranks(typed.equation)
        if name in ranks:
            yield ranks[name] - max(seen.counted[name])


def _rejected(own: Typed, entry: Entry, name: str) -> Typed:
    text = f"each `{name}` would be a vector, and weighs vectors in another formula of the section"
    hint = r"a score is a number, such as `w^\top \tanh(W h_t)`"
    problem = error("N2C042", text, Span(0, len(entry.latex)), hint).problem
    return replace(own, kind="rejected", equation=None, problems=(*own.problems, problem))


def _is_softmax(equation: Equation | None) -> bool:
    """Whether a formula gives weights; one that is refused may."""
    return equation is None or isinstance(equation.value.body, Softmax)


def _is_of_any_kind(equation: Equation | None) -> bool:
    """Whether a formula acts on each element of what its letters alone say to be arrays, as ``H_t =
    O_t \\odot \\tanh(C_t)`` does: it tells nothing of their kind."""
    if equation is None:
        return False
    value = equation.value
    whole = tuple(map(Idx, value.indices))
    parts = [*walk(value.body)]
    refs = [part for part in parts if isinstance(part, Ref) and part.at]
    plain = not any(isinstance(part, Reduce | Softmax | Call | Concat) for part in parts)
    return plain and bool(refs) and all(ref.at == whole for ref in refs)


def _weights(equation: Equation) -> set[str]:
    """The α of ``Σ_t α_t h_t``, which are numbers, since h_t, by its small letter, is a vector."""
    found: set[str] = set()
    for part in walk(equation.value.body):
        if not isinstance(part, Reduce) or part.kind != "sum" or not isinstance(part.body, Mul):
            continue
        factors = [factor for factor in part.body.factors if isinstance(factor, Ref)]
        here = [factor for factor in factors if Idx(part.index) in factor.at]
        vectors = {one.array for one in here if len(one.at) == 2 and one.array[0].islower()}
        found |= {one.array for one in here if one.at == (Idx(part.index),) and vectors}
    return found


_AS_DEFINED = "it is computed as it is defined; change one of the two"
_AS_SAID = "it is computed as the text says; change one of the two"


def _unlike(entry: Entry, name: str, kind: Shape, rank: int, help_text: str) -> Problem:
    defined = CALLED[min(rank, len(CALLED) - 1)]
    text = f"the text says that {told({name: kind})}, and it is defined as a {defined}"
    return warning("N2C035", text, Span(0, len(entry.latex)), help_text)


def _taken_for_entry(entry: Entry, name: str) -> Problem:
    text = f"each element of `{name}` is taken to be a number, since the note makes `{name}` whole"
    hint = f"write the index where it is made, `{name}_j = …`, if there is one for each"
    return note("N2C039", text, Span(0, len(entry.latex)), hint)


def unlike_said(linker: Linker, entry: Entry, equation: Equation) -> Iterator[Problem]:
    """A warning where a formula defines something else than what prose says its name is."""
    kind = linker.kinds[entry].get(equation.name)
    indexed = linker.formulas.parsed[entry].indexed.get(equation.name)
    if kind is None or indexed is None or kind.indexed not in (None, indexed.written):
        return
    rank = _element_rank(equation.value, indexed.letters)
    if rank != len(kind.axes) and rank < len(CALLED):
        yield _unlike(entry, equation.name, kind, rank, _AS_DEFINED)


def row_or_entry(linker: Linker, entry: Entry, equation: Equation) -> Iterator[Problem]:
    """A note on ``p_i = softmax(z_i / T)`` where nothing in the note tells whether z_i is a vector,
    one of several, or the entry of one."""
    seen = linker.formulas.parsed[entry].seen
    indexed = linker.formulas.parsed[entry].indexed.get(equation.name)
    body = equation.value.body
    if seen is None or indexed is None or not isinstance(body, Softmax):
        return
    factors = ir.factors(body.body)
    arrays = [part for part in factors if isinstance(part, Ref) and len(part.at) == 2]
    if len(arrays) != 1 or len(indexed.letters) != 1:
        return  # e_{ij} is of the row i
    row = arrays[0].at[0]
    letter = row.index.letter if isinstance(row, Idx) else ""
    if letter not in indexed.letters & {*"ijk"}:
        return
    name = arrays[0].array
    near = linker.formulas.nearest(entry, [name], "arrays", within=1)
    told = near or name in linker.scope(entry).shapes
    if name.islower() and not told and not seen.is_bold(name):
        text = f"`{name}_{letter}` is taken for a vector, one for each `{letter}`"
        hint = "write `\\mathrm{softmax}(z)_i` for an entry of a softmax"
        yield note("N2C039", text, Span(0, len(entry.latex)), hint)


def _may_be(name: str, by_custom: int, rank: int) -> bool:
    """Whether an array is of the rank that its definition gives it. A number or a matrix by custom
    is what it is defined as, and what is defined as a number is one; a small letter that is a
    vector is one row of what its definition may give whole, and queries, keys and values are of
    one kind. So is a word with a label, such as cost_a, what it is defined as."""
    if name in ("Q", "K", "V"):
        return rank == by_custom
    if base_letter(name) in ("H", "X", "Z") and 0 < rank < by_custom:
        return False  # the layer that makes H^{(l)} may act on each of its rows alone
    labelled = "_" in name and len(base_letter(name)) > 1
    loose = by_custom == 0 or labelled or name[0].isupper()
    return rank in (0, by_custom) or (rank <= 2 and loose)


def _joint(
    linker: Linker, entry: Entry, own: Typed, defining: Mapping[str, Entry]
) -> dict[str, int]:
    """The ranks where the formula and the definitions of its inputs are typed as one; none where
    that cannot be, or makes a recursion of what is none."""
    assert own.equation is not None
    uses = tuple(sorted(set(defining.values()), key=lambda other: other.order))
    joint = linker.together(entry, own, uses) if uses else None
    if joint is None or joint.equation is None:
        return {}
    mine = linker.formulas.parsed[entry].indexed.get(own.equation.name)
    letters = frozenset[str]() if mine is None else mine.letters
    if _letters(own.equation.value, letters) != _letters(joint.equation.value, letters):
        return {}
    arrays = {one.name.removesuffix("_squared"): one.array for one in joint.equation.definitions}
    return {
        name: _element_rank(arrays[name], indexed.letters)
        for name, other in defining.items()
        if name in arrays and (indexed := linker.formulas.indexed(entry, other, name))
    }


def _apart(
    linker: Linker,
    entry: Entry,
    defining: Mapping[str, Entry],
    equation_of: Callable[[Entry], Equation | None],
) -> dict[str, int]:
    """The ranks as each definition has them by itself."""
    ranks: dict[str, int] = {}
    for name, other in defining.items():
        equation, indexed = equation_of(other), linker.formulas.indexed(entry, other, name)
        names = {name, f"{name}_squared"}  # σ has the axes of σ²
        if equation is not None and equation.name in names and indexed is not None:
            ranks[name] = _element_rank(equation.value, indexed.letters)
    return ranks


def _letters(array: Lambda, letters: frozenset[str]) -> frozenset[str]:
    return letters.intersection(index.letter for index in array.indices)


def _element_rank(array: Lambda, letters: frozenset[str]) -> int:
    """The axes of an array but for those that its indices run over."""
    return len(array.indices) - len(_letters(array, letters))
