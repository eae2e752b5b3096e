"""From what number an index counts, where its range does not say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from notes2code.latex.tree import (
    Big,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Relation,
    Script,
    juxtaposed,
    walk,
)
from notes2code.meaning.notation import binders, left_hand_sides, positions, scripts
from notes2code.meaning.overview.survey import Survey

_TURNED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "=", "≠": "≠"}


def from_one(seen: Survey, nodes: Nodes, on_left: Nodes, begins: Mapping[str, int]) -> None:
    """Where a letter of the section's ranges counts from what they say, it ``begins`` with that.
    Where the sums count from 1, so does a letter of the left-hand side that nothing tells of: the i
    of ``o_i = Σ_{j=1}^n λ^{|i−j|} v_j``; so do all where something is divided by one, as in
    ``y_t = Σ_{j≤t} x_j / t``, and where 1 is taken from one, as in ``θ_i = b^{−2(i−1)/d}``. What is
    compared with such a letter counts as it does. Columns 2i count from 0, whatever is said of
    other planes."""
    sums = (node for node in nodes.of(Big) if node.op != "concat")
    subs = (node.sub for node in sums if node.sub is not None)
    firsts = {first for sub in subs if (first := binders.first_number(sub)) is not None}
    letters = seen.targets | seen.bound | {*seen.free}
    strided, columns = _strided(nodes), _strided(on_left)
    own = letters - seen.ranges.keys() - columns
    keys = {x: f"2{x}" if x in strided else x for x in own}
    said = {x: begins[key] for x, key in keys.items() if key in begins}
    begun = _begin_with_one(nodes) | _counting_down(nodes) | (seen.bound & _divisors(nodes))
    if not (begun or said or seen.targets or firsts == {1}):
        return
    told = strided | seen.ranges.keys() | {"pos"}
    begun |= (seen.targets - told) & (_divisors(nodes) | _less_one(nodes))
    for letter in begun - told:
        seen.starts.setdefault(letter, 1)
    for letter, first in said.items():
        seen.starts.setdefault(letter, first)
    if firsts == {1} or begun & seen.targets - told or {*said.values()} == {1}:
        for letter in letters - told:
            seen.starts.setdefault(letter, 1)


def _strided(nodes: Nodes) -> set[str]:
    """The i of 2i and of 2i + 1."""
    strides = map(positions.stride, nodes.of(Juxt, Infix))
    return {stride[0] for stride in strides if stride is not None}


def ranged(seen: Survey) -> Iterator[tuple[str, int]]:
    """The letters that ranges of a formula count, and from what number. Where a range ends at half
    of a size, ``i = 1, …, d/2``, also the letter with its 2: no other range tells of the i of
    ``b^{−2i/d}``, which may be one of heads, or of layers."""
    for letter, known in seen.ranges.items():
        first = known.first
        if isinstance(first, Num) and first.text.isdigit() and first != known.last:
            yield letter, int(first.text)
            if known.last is not None and any(map(_is_half, walk(known.last))):
                yield f"2{letter}", int(first.text)


def _is_half(node: Node) -> bool:
    match node:
        case Frac(_, Num("2")):
            return True
    return False


def _less_one(nodes: Nodes) -> set[str]:
    """The letters from which 1 is taken, but for those below names, where x_{i−1} is the one
    before, and those above sums, which end with the one before."""
    subs = [node.sub for node in nodes.of(Script, Big) if node.sub is not None]
    subs += [node.sup for node in nodes.of(Big) if node.sup is not None]
    below = {id(inner) for sub in subs for inner in walk(sub)}
    found = set()
    for node in nodes.of(Infix):
        match node:
            case Infix("-", Name(letter), Num("1")) if id(node) not in below:
                found.add(letter)
    return found


def _divisors(nodes: Nodes) -> set[str]:
    """The letters that something is divided by."""
    below = [node.bottom for node in nodes.of(Frac)]
    return {letter for node in below for letter in _zero_of(node)}


def _zero_of(node: Node) -> set[str]:
    """The letter t of ``t`` and of ``1 − β^t``, which are 0 where t is."""
    match node:
        case Name(letter) | Infix("-", Num("1"), Script(_, _, Name(letter), 0)):
            return {letter}
        case Group(_, (item,)):
            return _zero_of(item)
    return set()


def _counting_down(nodes: Nodes) -> set[str]:
    """The i of ``x_{n-i+1}``: the first of them is the last element of all."""
    subs = [node.sub for node in nodes.of(Script) if node.sub is not None]
    found = (positions.reversal(sub) for sub in subs)
    return {back[1] for back in found if back is not None and back[2] == 1}


def _begin_with_one(nodes: Nodes) -> set[str]:
    """The letters of ``i = 1`` beside ``i > 1`` or ``i ≥ 2``: 1 is the first that they can be."""
    said: dict[str, set[tuple[str, int]]] = {}
    for node in nodes.of(Relation):
        for letter, sign, number in _comparisons(node):
            said.setdefault(letter, set()).add((sign, number))
    return {x for x, f in said.items() if ("=", 1) in f and f & {(">", 1), ("≥", 2)}}


LABELLED = frozenset(["W", "U", "b", "B"])
"""What has a number as a label even beside an index: the weights of the i-th expert's layers."""


def numbered(seen: Survey, nodes: Nodes, targets: Sequence[Node]) -> dict[str, int]:
    """The letters of arrays with elements such as ``x_{i1}`` or ``a_{1j}``, and the number of the
    first one; ``x_{2i}`` alone is every other element."""
    labelled = {
        binders.bare(name) for target in targets for name in left_hand_sides.target_scripts(target)
    }
    found: dict[str, set[int]] = {}
    for node in nodes.of(Script):
        if node.sub is not None and scripts.is_name(node):
            parts = scripts.beside_number(node.sub, seen.bound)
            numbers = {int(part.text) for part in parts if isinstance(part, Num)}
            if isinstance(node.sub, Juxt) and positions.stride(node.sub) is not None:
                continue
            if numbers and binders.bare(node) not in labelled | LABELLED:
                found.setdefault(binders.bare(node), set()).update(numbers)
    biases = {*_biases(nodes)} if any(0 in numbers for numbers in found.values()) else set()
    return {
        letter: 0 if 0 in numbers else 1
        for letter, numbers in found.items()
        if 0 not in numbers or letter not in biases
    }


def _biases(nodes: Nodes) -> Iterator[str]:
    """The w of ``w_{k0} + Σ_{j=1}^n w_{kj} x_j``, and the a of ``a_{i0} v_0 + Σ_j a_{ij} v_j``: the
    first is none of the elements that are added up; nor is the w_{k0} of ``w_{k0} + w_{k1} x_1 + …
    + w_{kn} x_n``."""
    for node in nodes.of(Infix):
        terms = binders.chain(node) if node.op == "+" else ()
        sums = [term for term in terms if isinstance(term, Big) and term.op == "sum"]
        if any(isinstance(term, Dots) for term in terms):
            products = [factor for term in terms for factor in juxtaposed(term) if factor != term]
            yield from {*map(binders.bare, products)}.intersection(map(binders.bare, terms[:1]))
        elif sums and not any(_begins_with_0(one) for one in sums):
            weights = {binders.bare(inner) for one in sums for inner in walk(one.body)}
            first = [factor for term in terms if term not in sums for factor in juxtaposed(term)]
            yield from weights.intersection(map(binders.bare, first))


def _begins_with_0(total: Big) -> bool:
    match total.sub:
        case Relation((_, Num("0")), ("=",)):
            return True
    return False


def said(nodes: Nodes, conditions: Sequence[Node], seen: Survey) -> set[str]:
    """The letters of which something says from what number they count."""
    compared = [*nodes.of(Relation), *conditions]
    return seen.starts.keys() | seen.ranges.keys() | {"pos"} | _begun(nodes, compared)


def _begun(nodes: Nodes, compared: Sequence[Node]) -> set[str]:
    """The letters whose first number is said below a sum or a list, ``(x_i)_{i=1}^n``, or which
    are compared with 0."""
    found = {letter for node in compared for letter, _, number in _comparisons(node) if number == 0}
    lists = (script.sub for script in nodes.of(Script) if isinstance(script.base, Group))
    subs = [sub for sub in (*(big.sub for big in nodes.of(Big)), *lists) if sub is not None]
    for sub in (part for one in subs for part in (one.items if isinstance(one, Group) else (one,))):
        if isinstance(sub, Relation) and (sub.signs[0] == "=" or len(sub.operands) == 3):
            found.update(binders.bound_letters(sub))
    return found


def _comparisons(node: Node) -> Iterator[tuple[str, str, int]]:
    """The letter, the sign and the number of ``i ≤ 3``, or of ``3 ≥ i``."""
    match node:
        case Relation((Name(letter), Num(text)), (sign,)) if text.isdigit() and sign in _TURNED:
            yield letter, sign, int(text)
        case Relation((Num(text), Name(letter)), (sign,)) if text.isdigit() and sign in _TURNED:
            yield letter, _TURNED[sign], int(text)
