"""Formulas with the ranks of their inputs as the note's definitions have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from notes2code.diagnostics import Problem, Span, note
from notes2code.latex.tree import Big, Group, Infix, Num, Script
from notes2code.latex.tree import walk as walk_tree
from notes2code.meaning.inference.calls.softmax import is_softmax
from notes2code.meaning.inference.products.gates import GATES
from notes2code.meaning.ir import (
    Call,
    Concat,
    Equation,
    Fn,
    Idx,
    Lambda,
    Reduce,
    Ref,
    Softmax,
    walk,
)
from notes2code.meaning.linking import learned
from notes2code.meaning.linking.entries import Entry, Parsed, letters_on
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.linking.ranks import (
    AS_DEFINED,
    element_rank,
    gives_weights,
    letters_of,
    unlike,
    weights_of,
)
from notes2code.meaning.names import PROBABILITIES, base_letter, label
from notes2code.meaning.notation.binders import bound_letters
from notes2code.meaning.notation.scripts import is_name
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define
from notes2code.meaning.typed import Typed, type_tree


def as_defined(
    linker: Linker, entry: Entry, own: Typed, equation_of: Callable[[Entry], Equation | None]
) -> Typed:
    """A formula typed alone, but for the ranks of its inputs, which are as the note's definitions
    have them; it is rejected where it cannot be read so. ``equation_of`` gives what a definition
    computes, if that is known."""
    assert own.equation is not None
    found = _defined(linker, entry, own, equation_of)
    ranks = _likely(found, _ranks(found, equation_of))
    measured = dict.fromkeys(_measured(linker, entry, own.equation, equation_of), 0)
    others = {
        name: rank
        for name, rank in ranks.items()
        if rank != found.given[name] or (rank == 2 and name in found.gates)
    } | measured
    if not others and not found.opposites and not found.sigmoids:
        return own
    return _typed(found, others, ranks | measured)


@dataclass(frozen=True)
class _Defined:
    """A formula and the definitions of its inputs. ``given`` are the ranks that these have by
    custom, and ``defining`` the definitions that may tell another one. ``entries`` are numbers of
    arrays that the note makes whole, ``pairs`` the f and the g of ``f = 1 - g``, ``sigmoids`` what
    is defined as one, and ``gates`` what may open each element of what it stands before."""

    linker: Linker
    entry: Entry
    own: Typed
    given: Mapping[str, int]
    defining: Mapping[str, Entry]
    entries: Mapping[str, int]
    pairs: Mapping[str, str]
    sigmoids: frozenset[str]
    gates: Set[str]

    @property
    def opposites(self) -> Set[str]:
        """Both halves of gates; by the letter too, since labels and scores are made so as well."""
        gates_of_state = {name for name in self.sigmoids if base_letter(name) in GATES}
        return self.pairs.keys() | {*self.pairs.values()} | gates_of_state

    @property
    def same(self) -> Set[str]:
        """The x of ``x = Dropout(x)``."""
        assert self.own.equation is not None
        return {self.own.equation.name} - self.linker.formulas.parsed[self.entry].arrays


def _defined(
    linker: Linker, entry: Entry, own: Typed, equation_of: Callable[[Entry], Equation | None]
) -> _Defined:
    """The definitions of the inputs of a formula."""
    parsed = linker.formulas.parsed
    mine, kinds = parsed[entry], linker.kinds[entry]
    assert own.equation is not None and mine.seen is not None
    given, weights = _by_custom(linker, entry, own.equation), weights_of(own.equation)
    every = {
        name: other
        for name, other in linker.formulas.same_indices(entry, given).items()
        if not (learned.is_gain(name, mine) and learned.is_constant(parsed[other]))
    }
    defining = {
        name: other
        for name, other in every.items()
        if name not in kinds or linker.formulas.are_beside(entry, other)  # else the kind is nearer
        if name not in weights or not gives_weights(equation_of(other))
        if not (given[name] and _is_of_any_kind(equation_of(other)))
    }
    entries = dict(_elements(linker, entry, given.keys() - every.keys(), equation_of))
    pairs, sigmoids = dict(_opposites(linker, every)), frozenset(_sigmoids(every, equation_of))
    mixes = mine.seen.mixes & defining.keys()
    gates = {name for name in mixes if not gives_weights(equation_of(defining[name]))}
    found = _Defined(linker, entry, own, given, defining, entries, pairs, sigmoids, gates)
    return replace(found, gates=gates | found.opposites)


def _by_custom(linker: Linker, entry: Entry, equation: Equation) -> dict[str, int]:
    """The ranks of the inputs that definitions may tell otherwise."""
    scope, seen = linker.scope(entry), linker.formulas.parsed[entry].seen
    assert seen is not None
    counted = _counted(linker.formulas.parsed[entry], seen)
    return {
        one.name: len(one.shape) - max(counted[one.name])
        for one in equation.inputs
        if one.kind == "array"
        and one.name in counted
        and one.name not in equation.parameters
        and (one.name not in scope.shapes or one.name in linker.kinds[entry])
        and (one.name not in seen.mixes or base_letter(one.name) not in PROBABILITIES)
        and one.name not in seen.elements
        and not (one.name in seen.moves and len(one.shape) > 1)
    }


def _ranks(found: _Defined, equation_of: Callable[[Entry], Equation | None]) -> dict[str, int]:
    """The ranks as definitions tell them, together with the formula and by themselves."""
    linker, entry, given, defining = found.linker, found.entry, found.given, found.defining
    together = not found.same & defining.keys()
    ranks = _joint(linker, entry, found.own, defining) if together else {}
    apart = {name: other for name, other in defining.items() if ranks.get(name) != given[name]}
    by_themselves = _apart(linker, entry, apart, equation_of)
    # What both are by themselves is not changed by what they could be together.
    ranks |= {n: r for n, r in by_themselves.items() if n not in ranks or r == given[n]}
    made = {name: other for name, other in defining.items() if name in found.sigmoids}
    ranks |= _apart(linker, entry, made, equation_of)
    assert found.own.equation is not None
    weights = weights_of(found.own.equation)
    ranks |= _rows(linker, entry, {n: r for n, r in given.items() if n not in weights}, equation_of)
    ranks |= found.entries
    return ranks | {name: ranks[gate] for name, gate in found.pairs.items() if gate in ranks}


def _likely(found: _Defined, ranks: Mapping[str, int]) -> dict[str, int]:
    """Those of some ranks that the arrays may be of."""
    given, parsed = found.given, found.linker.formulas.parsed
    # What a step makes of the state before it is that state, and no row of it.
    states = {
        name
        for name, other in found.defining.items()
        if name in parsed[other].states and ranks.get(name, 0) > given[name]
    }
    sure = found.same | found.gates | states | found.sigmoids
    return {n: rank for n, rank in ranks.items() if n in sure or _may_be(n, given[n], rank)}


def _typed(found: _Defined, others: Mapping[str, int], ranks: Mapping[str, int]) -> Typed:
    """The formula with the ranks that it has by definition, of which ``others`` are not those that
    it has alone; as it is alone where the text says these, and it cannot be read otherwise."""
    linker, entry, own = found.linker, found.entry, found.own
    mine, scope, kinds = linker.formulas.parsed[entry], linker.scope(entry), linker.kinds[entry]
    assert mine.tree is not None and mine.seen is not None
    shapes = {name: shape for name, shape in scope.shapes.items() if name not in others}
    known = replace(scope, shapes=shapes, ranks=ranks)
    told = replace(known, opposites=frozenset(found.opposites), sigmoids=found.sigmoids)
    typed = type_tree(entry.latex, mine.tree, told)
    doubts = [
        unlike(entry, name, kinds[name], rank, AS_DEFINED if typed.equation else _AS_SAID)
        for name, rank in others.items()
        if name in kinds
    ]
    if doubts and typed.equation is None:
        typed = own
    counted = _counted(mine, mine.seen)
    whole = {name for name in found.entries if found.given[name] and counted[name] == {1}}
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


_AS_SAID = "it is computed as the text says; change one of the two"


def _taken_for_entry(entry: Entry, name: str) -> Problem:
    text = f"each element of `{name}` is taken to be a number, since the note makes `{name}` whole"
    hint = f"write the index where it is made, `{name}_j = …`, if there is one for each"
    return note("N2C039", text, Span(0, len(entry.latex)), hint)


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
    if letters_of(own.equation.value, letters) != letters_of(joint.equation.value, letters):
        return {}
    arrays = {one.name.removesuffix("_squared"): one.array for one in joint.equation.definitions}
    return {
        name: element_rank(arrays[name], indexed.letters)
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
            ranks[name] = element_rank(equation.value, indexed.letters)
    return ranks
