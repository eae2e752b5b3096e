"""Elements x_i that are numbers, and no rows of a matrix, as the formula itself says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Accent,
    Apply,
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
    Script,
    children,
    juxtaposed,
    ungrouped,
    unscripted,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement


def numbers(seen: Survey, nodes: Nodes, statements: Sequence[Statement]) -> Iterator[str]:
    """The vectors whose elements x_i are numbers, as the formula itself says: it takes x_{max} or
    max_j x_j off them, or them off a place, multiplies all of them, adds up their squares or the
    x_i y_i of a dot product, says what stands at i, j of an outer product, takes the mean of the
    set of them, says what the norm of x is, or takes x_i beside the mean, the norm or the greatest
    of x, or is its standard score."""
    found = [*_in_sums(seen, nodes), *_in_bigs(seen, nodes)]
    found += [*_in_statements(seen, statements), *_inside_bigs(nodes)]
    listed = {names.code_name(binders.bare(item)) for node in nodes.of(Juxt) for item in _set(node)}
    known = {name for node in found if (name := seen.name_of(node))}
    known |= {name for name in _measured(seen, nodes) if seen.counted[name] == {0, 1}}
    ends = (name.rpartition("_") for name in seen.counted)
    known |= {base for base, _, end in ends if end in ("max", "min")} & seen.counted.keys()
    known.update(_of_dot_products(seen, nodes))
    known |= {w.text for w, x in _dotted_products(nodes) if x.font == "bold" != w.font}
    known |= (listed | {*_beside_a_label(seen, nodes)}) & seen.counted.keys()
    counted = {name for name in known if 1 in seen.counted.get(name, ())}
    numbered = (x for x in known if not {f"{x}_0", f"{x}_1"}.isdisjoint(seen.counted))
    counted.update(numbered)  # of x_1^2 + … + x_n^2
    counted.update(of_neurons(seen, nodes))
    return (name for name in counted if not seen.is_bold(name))


def _in_sums(seen: Survey, nodes: Nodes) -> list[Node]:
    """What an index, or a maximum, is taken off, and what squares ``x_1^2 + … + x_n^2`` are of."""
    found: list[Node] = []
    for infix in nodes.of(Infix):
        found += _beside_an_index(seen, infix)
        big = infix.right if infix.op == "-" else None
        if isinstance(big, Big) and big.op in ("max", "min"):
            found += [big.body] * (binders.bare(infix.left) == binders.bare(big.body))
        match infix:
            case Infix("+", Infix("+", Script(_, Num(), sup) as first, Dots())) | Infix(
                "+", Infix("+", Infix("+", _, Script(_, Num(), sup) as first), Dots())
            ) if scripts.is_two(sup):
                found.append(replace(first, sub=None, sup=None))
    return found


def _in_bigs(seen: Survey, nodes: Nodes) -> list[Node]:
    """What is multiplied, squared, or added up in a dot product, over an index."""
    found: list[Node] = []
    for big in nodes.of(Big):
        factors = binders.chain(big.body) if isinstance(big.body, Infix) else children(big.body)
        if isinstance(big.body, Juxt | Infix) and _are_of_dot_product(seen, factors):
            found += factors
        elif big.op == "prod":
            found.append(big.body)
        elif isinstance(big.body, Script) and scripts.is_two(big.body.sup):
            found.append(replace(big.body, sup=None))
        found += _of_features(seen, big)
    return found


def _in_statements(seen: Survey, statements: Sequence[Statement]) -> list[Node]:
    """What statements standardise, measure, change by element or say of an outer product."""
    found: list[Node] = []
    for statement in statements:
        sides = statement.values if isinstance(statement, Define) else ()
        found += (value for side in sides for value in _standardised(seen, side))
        for side in sides[: len(sides) - 1]:
            group = unscripted(side)
            if isinstance(group, Group) and group.open == "‖":
                found += group.items
        found += _of_outer_product(sides)
        found += _of_changed_weight(statement)
    return found


def _inside_bigs(nodes: Nodes) -> list[Node]:
    """What stands in a sum as a difference squared, a factor beside one, or a deviation."""
    found: list[Node] = []
    for node in (n for big in nodes.of(Big) for n in walk(big.body)):
        match node:
            case Script(Group("(", (Infix("-", left, right),)), None, sup) if scripts.is_two(sup):
                found += [n for n in (left, right) if binders.bare(n) not in ("X", "H", "Z")]
            case Juxt((Group("(", (Infix("+" | "-", Script() as one, Num()),)), Big("prod"))):
                found.append(one)
            case Juxt() | Infix("·"):
                deviations = [*map(_deviating, children(node))]
                found += filter(None, deviations) if all(deviations) else ()
    return found


def _deviating(node: Node) -> Node | None:
    """The x_i of ``(x_i - \\bar x)``, which is how far a number is from the mean of all."""
    match node:
        case Group("(", (Infix("-", Script() as one, Accent("bar", mean)),)):
            return one if binders.bare(one) == binders.bare(mean) else None
    return None


def _of_changed_weight(statement: Statement) -> list[Node]:
    """The δ_j and o_i of ``Δw_{ji} = -η · δ_j · o_i``: the weight between two units is changed by a
    number of each."""
    match statement:
        case Define(Script(Name("Delta w" | "Delta W"), Juxt((Name(), Name()) as units)), (value,)):
            letters = {binders.bare(unit) for unit in units}
            scripted = [node for node in walk(value) if isinstance(node, Script)]
            return [n for n in scripted if n.sub is not None and binders.bare(n.sub) in letters]
    return []


def _of_outer_product(sides: Sequence[Node]) -> list[Node]:
    """The x_i and y_j of ``(x y^⊤)_{ij} = x_i y_j`` and of ``(x ⊗ y)_{ij} = x_i y_j``."""
    match sides:
        case (Script(Group(_, (Juxt() | Infix() as product,)), Juxt((_, _)), None), Juxt((x, y))):
            named = [binders.bare(factor) for factor in children(product)]
            return [x, y] if named == [binders.bare(x), binders.bare(y)] else []
    return []


def numbered(seen: Survey) -> frozenset[str]:
    """The names with one index whose elements are numbers in a formula."""
    return frozenset(n for n in seen.elements | seen.exponents if 1 in seen.counted.get(n, ()))


def beside_others(seen: Survey) -> Iterator[str]:
    """The z_2 beside elements z_i that are numbers, ``e^{z_2} / Σ_i e^{z_i}``: it is one, too."""
    numbers = seen.elements | seen.exponents
    for name, counts in seen.counted.items():
        stem, _, number = name.rpartition("_")
        if number.isdigit() and counts == {0} and stem in numbers and seen.counted.get(stem) == {1}:
            yield name


def told(seen: Survey, elements: Set[str]) -> Set[str]:
    """The names that the section tells the elements of to be numbers, in a formula of nothing but
    such and of letters without an index: the x of ``m = \\max_j x_j``. Beside others they may be
    the rows of a matrix."""
    indexed = {name for name, counts in seen.counted.items() if counts != {0}}
    plain = (name for name in seen.counted.keys() - indexed - seen.sizes - names.FUNCTIONS)
    vectors = any(names.base_letter(name).isupper() for name in plain)
    return indexed if indexed <= elements and not vectors else frozenset()


def _of_features(seen: Survey, big: Big) -> Iterator[Node]:
    """The x_i and the w_i of ``Σ_{i=1}^d w_i x_i``: a vector has so many numbers. The u_i of ``Σ_i
    λ_i u_i u_i^⊤`` and the e_i of ``Σ_i x_i e_i`` are vectors."""
    end = "" if big.sup is None or big.sub is None else names.label(big.sup)
    if not (names.is_size_name(end) and end.islower()):
        return
    assert big.sub is not None
    letters = binders.bound_letters(big.sub)
    used = ((node, use) for node in walk(big.body) if (use := seen.understood(node)) is not None)
    mine = [
        (node, use) for node, use in used if [names.label(at.node) for at in use.indices] == letters
    ]
    if not any(use.transposed or names.base_letter(use.name) == "e" for _, use in mine):
        yield from (node for node, _ in mine)


def of_neurons(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The w and the x of ``Σ_i w_i x_i + b`` and of ``Σ_i Σ_j W_{ij} x_{ij} + b``: a neuron has one
    bias, and gives a number. So does the k-th of several, ``w_{k0} + Σ_j w_{kj} x_j``, whose bias
    may be the weight of an x_0."""
    for infix in nodes.of(Infix):
        for total, bias in ((infix.left, infix.right), (infix.right, infix.left)):
            first = juxtaposed(bias)
            if infix.op != "+" or binders.bare(first[0]) not in ("b", "w"):
                continue
            if isinstance(first[0], Name) != (binders.bare(bias) == "b"):
                continue  # the w_{k0} beside w_{kj}
            while isinstance(total, Big) and total.op == "sum" and total.sub is not None:
                total = total.body
            factors = binders.chain(total) if isinstance(total, Infix) else children(total)
            uses = [use for use in map(seen.understood, factors) if use is not None]
            if len(uses) != len(factors) or len(uses) != 2 or not all(u.indices for u in uses):
                continue
            if uses[0].name == "w" or (uses[0].name == "W" and len(uses[0].indices) == 2):
                yield from (use.name for use in uses)
                yield from (use.name for use in map(seen.understood, first) if use is not None)


def _beside_a_label(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The s_p of ``s_{i,p}`` beside ``s_{i,j}``: one has a label where the other has an index."""
    pairs: dict[str, list[scripts.Use]] = {}
    for node in nodes.of(Script):
        match node.sub:
            case Group(_, (_, _)) | Juxt((_, _)) if (use := seen.understood(node)) is not None:
                pairs.setdefault(binders.bare(node), []).append(use)
    for uses in pairs.values():
        if any(len(use.indices) == 2 for use in uses):
            yield from (use.name for use in uses if len(use.indices) == 1)


def _beside_an_index(seen: Survey, infix: Infix) -> Iterator[Node]:
    """The p_t of ``s - p_t`` where s counts positions."""
    if infix.op in "+-":
        for place, other in ((infix.left, infix.right), (infix.right, infix.left)):
            if isinstance(place, Name) and place.text in seen.bound and isinstance(other, Script):
                yield other


def _standardised(seen: Survey, node: Node) -> Iterator[Node]:
    """The r_i of ``(r_i - μ) / σ``, of which all have one mean and one deviation."""
    match node:
        case Frac(top, bottom):
            match ungrouped(top):
                case Infix("-", Script(_, sub) as value, mean) if binders.bare(mean) == "mu":
                    state = binders.bare(value) in ("h", "v", "e") and isinstance(mean, Name)
                    if state or sub is None:
                        return  # states are vectors, and so are the examples x^{(i)}
                    parts = (seen.understood(n) for n in (mean, *walk(bottom)))
                    if not any(use is not None and use.indices for use in parts):
                        yield value


_MEASURES = frozenset(
    "mean avg average std Std var Var max min norm rms RMS sum mu sigma E".split()
)
"""What is said of a whole vector, as a number."""


def _measured(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The x of ``\\mathrm{mean}(x)`` and ``‖x‖``."""
    groups = [group for group in nodes.of(Group) if group.open == "‖"]
    for call in nodes.of(Juxt):
        for function, given in pairwise(call.factors):
            group = unscripted(given)  # that of RMS(x)^2
            if isinstance(group, Group) and binders.bare(function) in _MEASURES:
                groups.append(group)
    for applied in nodes.of(Apply):
        if binders.bare(applied.function) in _MEASURES and isinstance(applied.argument, Group):
            groups.append(applied.argument)
    if not groups:
        return
    multiplied = {name for node in nodes.of(Juxt, Infix) for name in _multiplied(seen, node)}
    for group in groups:
        use = seen.understood(group.items[0]) if len(group.items) == 1 else None
        if use is None or use.indices or use.name in seen.transposed.keys() | multiplied:
            continue
        if use.name in seen.counted:
            yield use.name


def _of_dot_products(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The w and the x of ``Σ_k w_k x_k = w^\\top x`` and of ``w_1 x_1 + … + w_n x_n = w^\\top x``,
    where both ways to write it stand."""
    summed = {frozenset((w.text, x.text)) for w, x in _dotted_products(nodes)}
    for big in nodes.of(Big):
        for pair in pairwise(children(big.body)):
            uses = [use for use in map(seen.understood, pair) if use is not None]
            if big.op == "sum" and len(uses) == 2:
                summed.add(frozenset(use.name for use in uses if use.indices))
    whole = set()
    for node in nodes.of(Juxt, Infix) if summed else ():
        factors = node.factors if isinstance(node, Juxt) else (node.left, node.right)
        for pair in pairwise(factors):
            uses = [use for use in map(seen.understood, pair) if use is not None]
            at = {tuple(index.node for index in use.indices) for use in uses}
            if len(uses) == 2 and at == {()}:
                whole.add(frozenset(use.name for use in uses))
    both = (name for pair in whole & summed for name in pair)
    return (name for name in both if names.base_letter(name).islower())  # the A_i of A x are rows


def _dotted_products(nodes: Nodes) -> Iterator[tuple[Name, Name]]:
    """The w and the x of ``w_1 x_1 + … + w_n x_n``, each as it is set in its last element."""
    for node in nodes.of(Infix):
        match node:
            case Infix("+", Infix("+", _, Dots()), Juxt(last)) if len(last) == 2:
                ends = last
            case Infix("+", Infix("+", _, Dots()), Infix("·", one, other)):
                ends = one, other
            case _:
                continue
        match ends:
            case Script(Name() as w, Name(end), None), Script(Name() as x, Name(same), None):
                if end == same:
                    yield w, x


def _multiplied(seen: Survey, node: Juxt | Infix) -> Iterator[str]:
    """The names with an index that stand beside a matrix, ``W x_i``, or before a dot."""
    if isinstance(node, Infix):
        factors: Sequence[Node] = (node.left, node.right) if node.op in "·@×" else ()
    else:
        factors = node.factors if any(map(_is_matrix, node.factors)) else ()
    for factor in factors:
        use = seen.understood(factor)
        if use is not None and use.indices:
            yield use.name


def _is_matrix(node: Node) -> bool:
    return len(letter := binders.bare(node)) == 1 and letter.isupper()


def _set(call: Juxt) -> Iterator[Node]:
    """What ``mean(\\{r_1, …, r_n\\})`` and ``std(r_1, …, r_n)`` run over."""
    for name, group in pairwise(call.factors):
        match name, group:
            case Name("mean" | "avg" | "std" | "Std" | "var" | "Var"), Group(
                _, (Group("{", items),)
            ):
                yield from items
            case Name("std" | "Std" | "var" | "Var"), Group("(", items):
                yield from items if any(isinstance(item, Dots) for item in items) else ()


def _are_of_dot_product(seen: Survey, factors: Sequence[Node]) -> bool:
    """Whether factors are the x_i and y_i of two vectors: numbers, as they stand side by side."""
    uses = [use for use in map(seen.understood, factors) if use is not None and not use.transposed]
    if len(uses) != 2 or any(len(use.indices) != 1 for use in uses):
        return False
    mine, theirs = (names.label(use.indices[0].node) for use in uses)
    return mine == theirs and "".join(use.name for use in uses) in ("xy", "uv", "qk", "xz", "yz")
