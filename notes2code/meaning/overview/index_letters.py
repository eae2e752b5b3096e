"""Which letters of a formula are indices: what binds them, and which ones nothing binds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from notes2code.latex.tree import (
    Accent,
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Node,
    Nodes,
    Num,
    Relation,
    Script,
    alike,
    children,
    once,
    put,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions, scripts
from notes2code.meaning.overview import identity, label_letters, points
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.scope import EMPTY, Scope
from notes2code.meaning.stated import Define, Statement


def find_binders(seen: Survey, nodes: Nodes) -> None:
    """Letters that sums, products, maxima and families bind."""
    for node in nodes.of(Big):
        if node.sub is None:
            continue
        seen.bound.update(binders.bound_letters(node.sub))
        if isinstance(node.sup, Name) and (first := binders.first_number(node.sub)) is not None:
            seen.starts[node.sup.text] = first  # the i of Σ_{j=1}^{i} counts as j does
        elif node.sup is not None:
            _find_blocks(seen, node.sub)
            end = [node.sup.text] if isinstance(node.sup, Name) else []
            for letter in (*binders.first_letters(node.sub), *end):
                seen.starts.setdefault(letter, 1)  # the i of Σ_{j=i}^{n} counts up to the n
        seen.sizes.update(binders.size_names(node.sup))
        for last in binders.ends(node.sub):
            seen.sizes.update(binders.size_names(last))
    for script in nodes.of(Script):
        if (own := binders.family_range(script)) is not None:
            seen.bound.update(binders.bound_letters(own))
            seen.sizes.update(binders.size_names(script.sup))


def _find_blocks(seen: Survey, sub: Node) -> None:
    """The i and the j of ``Σ_{j=c i}^{c(i+1)−1}`` count from 0, those of ``Σ_{j=c(i−1)+1}^{c i}``
    from 1: so no place before the first block is left out."""
    match sub:
        case Relation((Name(letter), first), ("=",)) if first is not None:
            if (found := positions.blocks(first)) is not None:
                for other, start in found[0].items():
                    seen.starts.setdefault(other, start)
                seen.starts.setdefault(letter, found[1])


def find_first(seen: Survey, conditions: Sequence[Node]) -> None:
    """The 1 of ``1 \\le j \\le i`` behind a formula: what j counts from, and so does i."""
    for condition in conditions:
        match condition:
            case Relation((Num("1"), *others), ("≤", *_)):
                for letter in (side.text for side in others if isinstance(side, Name)):
                    seen.starts.setdefault(letter, 1)


def of_an_element(define: Define) -> list[str]:
    """The i and j, in this order, of ``(A B)_{ij} = \\sum_k A_{ik} B_{kj}``, which says what an
    element of a product is and defines no name."""
    match define.values:
        case (Script(Group(), sub, None), *said) if sub is not None:
            used = (node.sub for value in said for node in walk(value) if isinstance(node, Script))
            below = set[str]().union(*(words_in(place) for place in used if place is not None))
            letters = dict.fromkeys(node.text for node in walk(sub) if isinstance(node, Name))
            return [letter for letter in letters if letter in names.INDEX_LETTERS & below]
    return []


def find_target_letters(seen: Survey, define: Define, nodes: Nodes, scope: Scope = EMPTY) -> None:
    """Index letters on a left-hand side. Its section tells the places of a graph's nodes, and what
    tells things apart and counts nothing."""
    target = define.target
    assert target is not None
    runs = [_side_by_side(node) for node in walk(target) if isinstance(node, Script)]
    rows = {letter for run in runs if len(run) > 3 for letter in run}  # those of y_{bchw} count
    rows |= _of_parts(target, nodes)
    seen.bound |= rows
    worded = set[str]()  # the c of L_{cls} is no class
    worded.update(*(run for run in runs if _is_loss(target) and len(run) > 2))
    if _is_loss(target):  # nor is the p of L_p a place, where nothing has one
        worded |= _below([target]) - _letters(define.values)
    below = _below([target]).union(*runs) - worded
    while below and (more := below & _beside_bound(seen, nodes) - seen.bound):
        seen.bound |= more
    places = neighbours(nodes) | scope.places | _pairs(runs, nodes)
    seen.bound |= places & set(binders.script_letters(target, places))
    scripted = nodes.of(Script)
    labels = {x for script in scripted for x in binders.letters_of_labels(script, seen.bound)}
    labels |= binders.named_after(nodes) - seen.bound | seen.labels
    labels |= {letter for _, letter in label_letters.of_constants((define,))}
    labels |= label_letters.that_are_vectors(nodes) - seen.bound
    labels |= (
        label_letters.of_gates(target, nodes, scope) | label_letters.of_mixtures(nodes) | worded
    )
    labels |= label_letters.of_encoded(target, nodes) | _spelling(
        (*nodes, *walk(target)), seen.bound
    )
    if above := label_letters.above(target):
        labels |= above - _letters(define.values) - seen.bound
    for node in walk(target):
        if (stride := positions.stride(node)) is not None and stride[1] == -1:
            seen.starts.setdefault(stride[0], 1)  # the first of y_{2i−1} and y_{2i} is y_1
    roles = label_letters.roles(target)
    counted = names.INDEX_LETTERS.union(
        _members(nodes),
        places,
        rows,
        *_counted_elsewhere(nodes).values(),
        *_at_counted_places(nodes).values(),
    )
    counted |= (
        _listed(target, nodes)
        | _above_two(target, nodes)
        | (seen.bound & {end.lower() for end in seen.ends})
    )
    function = target.factors[0] if isinstance(target, Juxt) else None
    given = {item.text for item in binders.arguments(target) if isinstance(item, Name)}
    for node in binders.target_scripts(target):
        if binders.bare(node) in roles:
            continue
        for letter in binders.script_letters(node, seen.bound):
            if node is function and (letter in given or letter not in _letters(define.values)):
                continue  # the k of `\rho_k(Y) = …` beside `\rho_q`, and of `f_k(k, n)`
            if letter not in counted or letter in labels or letter in seen.ends:
                continue
            if letter == "pos" and node is target and label_letters.has_positions(define):
                continue
            if letter in seen.steps.get(binders.bare(node), ()) or letter in seen.steps.get("", ()):
                continue
            base = binders.bare(node)
            if base in ("d", "D", "dim") and letter in names.LABELS:
                continue
            seen.bound.add(letter)
            seen.targets.add(letter)
    told = _places(target, nodes)
    seen.bound |= told
    seen.targets |= told
    if binders.is_of_heads(target, nodes):
        seen.heads = True
        seen.bound.add(scripts.HEAD)
        seen.targets.add(scripts.HEAD)
    if isinstance(target, Juxt) and isinstance(target.factors[1], Group):
        counting = _of_arguments(target, target.factors[1], nodes)
        seen.bound |= counting
        seen.targets |= counting


def _of_arguments(target: Juxt, group: Group, nodes: Nodes) -> set[str]:
    """The letters that count in the parentheses of a left-hand side: those of ``PE(pos, 2i)``, and
    the i and j of ``s(i, j) = q_i \\cdot k_j``; what stands alone below one name, as the q and the
    p of ``h_q \\cdot h_p`` do, counts all or not at all."""
    sums = [item for item in group.items if isinstance(item, Juxt | Infix | Frac)]
    found = {x for item in sums if not scripts.is_name(item) for x in words_in(item)}
    below = _only_below(nodes) - label_letters.of_weights(target, nodes) | _beside_counted(nodes)
    elsewhere = names.INDEX_LETTERS.union(*_counted_elsewhere(nodes).values())
    told = {item.text for item in binders.told_indices(target)}
    below |= _below_and_apart(nodes, told)
    counting = told & elsewhere & below
    for own in _alone_below(nodes).values():
        if not own & told <= counting:
            counting -= own
    if binders.is_positional(target):
        found.update(item.text for item in group.items if isinstance(item, Name))
    return found | counting


def _places(target: Node, nodes: Nodes) -> set[str]:
    """The x and the y of ``PE_{(x, y, 2i)} = \\sin(x / 10000^{2i/d})``: beside a column that is
    counted, what stands on the right as itself is a place, and so is what stands beside it."""
    if not isinstance(target, Script) or not isinstance(target.sub, Group):
        return set()
    items = target.sub.items
    found = {i.text for i in items if isinstance(i, Name) and len(i.text) == 1 and not i.font}
    bases = {binders.bare(node) for node in nodes.of(Script)}
    alone = {node.text for node in nodes.of(Name)} - bases
    counts = any(isinstance(item, Juxt | Infix) and positions.stride(item) for item in items)
    return found if counts and found & alone else set()


def _listed(target: Node, nodes: Nodes) -> set[str]:
    """The h of ``L_{t,h} = G_{t,h} - d h``, in the list below what is defined and in those on the
    right, beside what counts; where there are more than two, all of them count. So do the i and the
    b of ``s_{i,b} = q_i \\cdot k_b``, of which each stands alone below another name, and the h of
    ``B_{h,i,j} = m_h (j - i)`` beside two that count."""
    mine = _in_list(target)
    if not mine:
        return mine
    others = [found for node in nodes.of(Script) if (found := _in_list(node))]
    counts = mine & names.INDEX_LETTERS or len(mine) > 2
    alone = {x: base for base, found in _alone_below(nodes).items() for x in found & mine}
    if len(mine) == len(alone) == len({*alone.values()}) > 1:
        others.append(mine)
    if len(mine & names.INDEX_LETTERS) > 1:
        others.append({*alone})
    return mine.intersection(set().union(*others)) if counts else set()


def _above_two(target: Node, nodes: Nodes) -> set[str]:
    """The h of ``B^{(h)}_{ij} = m_h (j - i)``, above two that count, which stands alone below
    another name."""
    if not isinstance(target, Script) or target.sub is None or target.sup is None:
        return set()
    if len(_side_by_side(target) & names.INDEX_LETTERS) < 2:
        return set()
    return words_in(target.sup) & set[str]().union(*_alone_below(nodes).values())


def _alone_below(nodes: Nodes) -> dict[str, set[str]]:
    """The letters that stand alone below each name that is no weight."""
    below: dict[str, set[str]] = {}
    for node in nodes.of(Script):
        base = binders.bare(node)
        if isinstance(node.sub, Name) and base not in names.WEIGHTS | {"d", "D", "dim"}:
            below.setdefault(base, set()).add(node.sub.text)
    return below


def _in_list(node: Node) -> set[str]:
    """The letters of the list below a name."""
    while isinstance(node, Accent):
        node = node.base
    sub = node.sub if isinstance(node, Script) else None
    items = sub.items if isinstance(sub, Group) and {*sub.separators} == {","} else ()
    letters = {item.text for item in items if isinstance(item, Name) and len(item.text) == 1}
    return letters if len(letters) == len(items) else set()


def _in_lists_of_three(nodes: Nodes, bound: Set[str]) -> list[str]:
    """The b of ``Σ_d x_{b,l,d}``, which has an index for each of three axes."""
    lists = [_in_list(node) for node in nodes.of(Script)]
    rows = [own for own in lists if len(own) > 2 and own & bound]
    return sorted({x for own in rows for x in own} - bound)


@once
def neighbours(nodes: Nodes) -> Set[str]:
    """The v of ``Σ_{u ∈ N(v)}``, which is a place as the u is."""
    found: set[str] = set()
    for big in nodes.of(Big):
        match big.sub:
            case Relation((Name(), Infix("∪", of) | of), ("∈",)):
                found.update(_given_to_set(of))
    return found


def _given_to_set(node: Node | None) -> Iterator[str]:
    """The v of ``N_v`` and of ``N(v)``."""
    match node:
        case Script(Name(), Name(letter), None, 0) | Juxt((_, Group("(", (Name(letter),)))):
            yield letter


def _pairs(runs: Sequence[set[str]], nodes: Nodes) -> set[str]:
    """The u and the v of ``e_{uv} = f(h_u, h_v)``, which stand alone below one name."""
    counting = names.INDEX_LETTERS - {"k"} | {"w"}  # a q and a k are roles
    rows = [row for row in runs if len(row) == 2 and row & counting]
    below: dict[str, set[str]] = {}
    for node in nodes.of(Script) if rows else ():
        match node:
            case Script(Name(base), Name(letter), sup, 0) if base not in names.WEIGHTS:
                if sup is None or scripts.is_transposed(node):
                    below.setdefault(base, set()).add(letter)
    return {x for row in rows for letters in below.values() if row <= letters for x in row}


def _members(nodes: Nodes) -> Iterator[str]:
    """The letters that are members of sets: the e of ``f_e = Σ_t 𝟙[e \\in K_t]``."""
    for node in nodes.of(Relation):
        match node:
            case Relation((Name(letter), _), ("∈" | "∉",)):
                yield letter


@once
def _counted_elsewhere(nodes: Nodes) -> Mapping[str, Set[str]]:
    """The letters below each name that a sum counts elsewhere: the c of ``z_c`` beside ``Σ_j
    e^{z_j}``; and those above it, beside an index below: the c of ``z_i^c`` beside ``z_i^t``."""
    summed = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    below: dict[str, set[str]] = {}
    for node in nodes.of(Script) if summed else ():
        match node:
            case Script(Name(base), Name(letter), None, 0):
                below.setdefault(base, set()).add(letter)
            case Script(Name(base), Name(letter), Name(above), 0) if above not in names.TRANSPOSES:
                below.setdefault(f"{base}_{letter}", set()).add(above)
    return {base: letters for base, letters in below.items() if letters & summed}


@once
def _at_counted_places(nodes: Nodes) -> Mapping[str, Set[str]]:
    """The letters in lists below each name, where a sum counts in the same place elsewhere: the c
    of ``l_{r,c}`` beside ``Σ_j e^{l_{r,j}}``."""
    summed = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    lists: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for node in nodes.of(Script) if summed else ():
        match node:
            case Script(Name(base), Group(_, items)) if _in_list(node):
                lists.setdefault((base, len(items)), []).append(tuple(map(binders.bare, items)))
    found: dict[str, set[str]] = {}
    for (base, _), rows in lists.items():
        columns = (set(column) for column in zip(*rows, strict=True))
        found[base] = {x for column in columns if column & summed for x in column}
    return found


def _letters(values: Sequence[Node]) -> set[str]:
    """The letters of some values, but for those that tell sizes apart, such as the k of d_k."""
    found: set[str] = set()
    for node in values:
        if isinstance(node, Name):
            found.add(node.text)
        elif isinstance(node, Script) and binders.bare(node) in ("d", "D", "dim"):
            found |= _letters(children(node)) - names.LABELS
        else:
            found |= _letters(children(node))
    return found


def _beside_bound(seen: Survey, nodes: Nodes) -> set[str]:
    """The letters that stand beside a bound one below a name: the c of ``Σ_j a_{ij} v_{jc}``."""
    rows = map(_side_by_side, nodes.of(Script))
    return {x for letters in rows if letters & seen.bound for x in letters}


def _side_by_side(node: Script) -> set[str]:
    """The letters side by side below a name, with commas or without."""
    factors = node.sub.factors if isinstance(node.sub, Juxt) else ()
    letters = {f.text for f in factors if isinstance(f, Name) and len(f.text) == 1}
    if factors and all(isinstance(f, Name) and f.text in letters for f in factors):
        return letters
    return listed if len(listed := _in_list(node)) > 1 else set()


def _of_parts(target: Node, nodes: Nodes) -> set[str]:
    """The letters of ``y_{btc} = x_{btc} - μ_{bt}``: no label of three letters is cut short."""
    spelt = _spelt(target)
    others = {letters for node in nodes.of(Script) if (letters := _spelt(node))}
    cut = any(spelt.startswith(part) and 1 < len(part) < len(spelt) for part in others)
    return set(spelt) if len(spelt) > 2 and spelt in others and cut else set()


def _spelling(nodes: Iterable[Node], bound: Set[str]) -> set[str]:
    """The r, u and n of ``μ_{run} = (1 - a) μ_{run} + a x``: three letters that spell a word,
    with a vowel between two others, and of which none is bound or in a script but there. A j
    counts, and so do letters from i to n alone."""
    scripted = [node for node in nodes if isinstance(node, Script)]
    words = {spelt for node in scripted if _is_spelt(spelt := _spelt(node))}
    if len(words) != 1:
        return set()
    rest = (node for node in scripted if _spelt(node) not in words)
    places = (at for node in rest for at in (node.sub, node.sup) if at is not None)
    (word,) = words
    return set[str]() if {*word} & (words_in(*places) | bound) else {*word}


def _is_spelt(letters: str) -> bool:
    vowels = [letter in "aeiou" for letter in letters]
    counts = "j" in letters or {*letters} <= {*"ijklmn"} or len({*letters}) < 3
    return vowels == [False, True, False] and not counts


def _spelt(node: Node) -> str:
    """The letters right beside each other below a name."""
    match node:
        case Script(Name(), Juxt(factors)) if all(isinstance(f, Name) for f in factors):
            letters = [binders.bare(factor) for factor in factors]
            return "".join(letters) if {*map(len, letters)} == {1} else ""
    return ""


def _only_below(nodes: Nodes) -> set[str]:
    """The letters that stand below names and big signs, and nowhere else."""
    subs = [node.sub for node in nodes.of(Script, Big) if node.sub is not None]
    below = {id(n): n for sub in subs for n in walk(sub)}
    found = {n.text for n in below.values() if isinstance(n, Name)}
    return found - {n.text for n in nodes.of(Name) if id(n) not in below}


def _below_and_apart(nodes: Nodes, told: Set[str]) -> set[str]:
    """The i and the j of ``q_i \\cdot k_j - m (i - j)``: they stand below names, and beside that
    only where it matters how far they are from each other."""
    places = [at for node in nodes.of(Script) for at in (node.sub, node.sup) if at is not None]
    inside = {id(n): n for at in places for n in walk(at)}
    below = {n.text for n in inside.values() if isinstance(n, Name)} & told
    found = set[str]()
    for node in nodes.of(Infix):
        apart = node.op == "-" and all(isinstance(n, Name) for n in (node.left, node.right))
        if apart and words_in(node) <= below:
            found |= words_in(node)
            inside.update((id(n), n) for n in walk(node))
    return found - {n.text for n in nodes.of(Name) if id(n) not in inside}


def _beside_counted(nodes: Nodes) -> set[str]:
    """The i and the j of ``s(i, j) / Σ_k s(i, k)``: in this call of the same, or in another one,
    a letter that a sum counts stands there, too."""
    counted = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    given: dict[str, list[list[str]]] = {}
    for node in nodes.of(Juxt):
        match node.factors:
            case (name, Group("(", items)) if len(items) > 1 and scripts.is_name(name):
                letters = [item.text for item in items if isinstance(item, Name)]
                if len(letters) == len(items):
                    given.setdefault(names.label(name), []).append(letters)
    calls = (of_one for of_one in given.values() if counted & {x for one in of_one for x in one})
    return {x for of_one in calls for one in of_one for x in one} - counted


def find_twins(seen: Survey, nodes: Nodes) -> None:
    """The w of ``exp(z_w) / Σ_{w'} exp(z_{w'})`` is an index, as the w' is that the sum binds, and
    the c' of ``y_{c'} = Σ_c w_{c'c} x_c`` as the c; so is the k of ``exp(z_k) / Σ_m exp(z_m)``,
    which is a share of all."""
    seen.bound.update(_primed_below(nodes, seen.bound))
    twins = {letter.removesuffix("_prime") for letter in seen.bound if letter.endswith("_prime")}
    if twins:
        seen.bound |= twins & _below(nodes)
        seen.bound.update(_beside_twins(nodes, twins))
    for node in nodes.of(Frac):
        if isinstance(node.bottom, Big) and node.bottom.op == "sum":
            seen.bound.update(_twin(node.top, node.bottom))


def _primed_below(nodes: Nodes, bound: Set[str]) -> Iterator[str]:
    """The primed letters below names that count without their prime."""
    below = (inner for node in nodes.of(Script) if node.sub is not None for inner in walk(node.sub))
    for inner in below:
        match inner:
            case Script(Name(letter), None, None, 1) if letter in bound:
                yield names.label(inner)


def _beside_twins(nodes: Nodes, twins: Set[str]) -> Iterator[str]:
    """The x and the y of ``s_{xy} / Σ_{y'} s_{xy'}``."""
    for node in nodes.of(Script):
        match node.sub:
            case Juxt(factors) | Group("", factors) if scripts.is_name(node):
                plain = {one.text for one in factors if isinstance(one, Name)}
                primed = {
                    one.base.text
                    for one in factors
                    if isinstance(one, Script) and isinstance(one.base, Name) and one.primes == 1
                }
                if len(plain) + len(primed) == len(factors) and primed & twins:
                    yield from plain | primed


def _twin(part: Node, total: Big) -> Iterator[str]:
    """The letter that stands in a part wherever the index of a sum stands in what is added up."""
    match binders.bound_letters(total.sub) if total.sub is not None else []:
        case [summed]:
            for letter in _below(walk(part)) & names.INDEX_LETTERS:
                if alike(put(part, letter, Name(summed, part.span)), total.body):
                    yield letter


def _below(nodes: Iterable[Node]) -> set[str]:
    """The letters that stand alone below a name."""
    subs = (node.sub for node in nodes if isinstance(node, Script) and scripts.is_name(node))
    return {sub.text for sub in subs if isinstance(sub, Name) and len(sub.text) == 1}


def find_free_letters(
    seen: Survey, nodes: Nodes, statements: Sequence[Statement], labels: Mapping[str, Set[str]]
) -> None:
    """Letters that stand below names on the right and that nothing binds: they run over rows.
    The p of ``p_t = v_p^⊤ tanh(W_p h_t)`` says what the weights are for, and some are ``labels`` in
    the whole section."""
    defined = {binders.bare(s.target) for s in statements if isinstance(s, Define) and s.target}
    defined |= label_letters.of_arguments(statements)
    labelled = binders.labelled_bases(nodes, seen.bound) | binders.listed_above(nodes, seen.ends)
    labelled.update(label_letters.labelled_targets(seen, statements))
    seen.parts.update(label_letters.parts_of_whole(seen, statements))
    seen.parts.update(
        binders.bare(n) for n in nodes.of(Script) if binders.bare(n.sub or n) in seen.labels
    )
    given = label_letters.counting(seen).union(*map(label_letters.on_left, statements))
    apart_by = label_letters.told_apart(label_letters.below(nodes), given)
    apart_by |= {base: {*own} for base, own in labels.items() if own.isdisjoint(given)}
    constants = label_letters.of_constants(statements)
    apart_by |= {base: {letter} for base, letter in constants if letter not in seen.bound}
    labelled |= seen.parts | apart_by.keys()
    apart = {id(node) for node in binders.worded_sets(nodes)} | _limits(nodes)
    arrays = binders.named_after(nodes)
    told = _of_one_number(nodes, statements) | label_letters.of_positions(seen, statements)
    told |= points.letters_added(nodes) | label_letters.doubled(nodes) | _of_numbers(nodes)
    told = told.union(seen.labels, *apart_by.values(), _of_settings(nodes, statements))
    told |= _of_slopes(nodes) | _of_identities(nodes) | _spelling(nodes, seen.bound)
    if not seen.targets:
        seen.free += _in_lists_of_three(nodes, seen.bound)
    named = any(isinstance(s, Define) and s.target is not None for s in statements)
    counted, places = _counted_elsewhere(nodes), {} if named else _at_counted_places(nodes)
    for node in nodes.of(Script):
        if node.sub is None or not scripts.is_name(node) or id(node) in apart:
            continue
        base = binders.bare(node)
        if base in labelled or base.lower() == "top":  # the k of \mathrm{Top}_k is no index
            continue
        if seen.identities and identity.is_sized(node) and seen.identities - {"I"}:
            continue
        if base == "ones" and names.label(node.sub) in names.SIZE_BASES:
            seen.sizes.add(names.label(node.sub))
            continue
        steps = seen.steps.get(base, set()) | seen.steps.get("", set())
        if (back := positions.reversal(node.sub)) and back[0] not in seen.bound:
            seen.sizes.add(back[0])  # the n of x_{n-i+1} counts them all
            continue
        alike = counted.get(base, set()) & names.INDEX_LETTERS & {binders.bare(node.sub)}
        alike |= places.get(base, set()) & _in_list(node)
        for letter in (*binders.free_letters(node.sub, base), *alike):
            if letter in steps or (base in seen.steps and isinstance(node.sub, Name)):
                continue
            if (letter in arrays and base != letter) or letter in told:
                continue
            known = letter in seen.bound or letter in seen.free or letter in seen.ends
            if not known and letter not in defined:
                seen.free.append(letter)
    if not seen.free and any(big.sub is None for big in nodes.of(Big)):
        seen.free.extend(dict.fromkeys(_of_words(nodes)))
    seen.bound.update(seen.free)


def _limits(nodes: Nodes) -> set[int]:
    """What stands below and above sums: the s of a K_s that a sum runs up to tells what it counts,
    where nothing else has that index."""
    scripts_of = (node for big in nodes.of(Big) for node in (big.sub, big.sup) if node is not None)
    return {id(part) for node in scripts_of for part in walk(node)}


def _of_numbers(nodes: Nodes) -> set[str]:
    """The r of the ``N_r`` that ends a range and of the ``K_r`` beside it, which tells these
    numbers from others and stands below nothing else."""
    ends = {n.sub.text for n in _ends(nodes) if isinstance(n, Script) and isinstance(n.sub, Name)}
    ends -= frozenset("ijklmnt")
    below = [node for node in nodes.of(Script) if ends and node.sub is not None]
    others = {
        n.text
        for node in below
        for n in walk(node)[1:]
        if isinstance(n, Name) and binders.bare(node) not in ("N", "K", "M")
    }
    return ends - others


def _ends(nodes: Nodes) -> Iterator[Node]:
    """What ends the ranges of big operators."""
    for big in nodes.of(Big):
        yield from () if big.sub is None else binders.ends(big.sub)
        yield from () if big.sup is None else (big.sup,)


def _of_settings(nodes: Nodes, statements: Sequence[Statement]) -> set[str]:
    """The k of the one ``τ_k`` in ``a = Σ_j softmax_j(s_j / τ_k) v_j``: below a small Greek letter,
    a number by custom, and nowhere else, it tells which number that is, where nothing that is
    defined has an index."""
    targets = [s.target for s in statements if isinstance(s, Define) and s.target is not None]
    if not targets or any(isinstance(node, Script) for one in targets for node in walk(one)):
        return set()
    written = [node.text for node in nodes.of(Name)]
    below = (node for node in nodes.of(Script) if binders.bare(node) in _SETTINGS)
    letters = {node.sub.text for node in below if isinstance(node.sub, Name)}
    return {x for x in letters - {*"ijnt"} if written.count(x) == 1}  # α_t is one for each time


def _of_slopes(nodes: Nodes) -> set[str]:
    """The l of the ``m_l (j - i)`` of ALiBi: what a distance is multiplied by is a number, and its
    letter stands nowhere else."""
    written = [node.text for node in nodes.of(Name)]
    return {x for node in nodes.of(Juxt, Infix) for x in _slope(node) if written.count(x) == 1}


def _slope(node: Juxt | Infix) -> Iterator[str]:
    match node:
        case Juxt((slope, Group(_, (gap,)))) | Infix("·" | "×" | "*", slope, Group(_, (gap,))):
            pass
        case _:
            return
    match slope, gap:
        case Script(Name(), Name(letter), None), Infix("-", Name(), Name()):
            yield letter


def _of_identities(nodes: Nodes) -> set[str]:
    """The n of ``K + σ_n^2 I``: what an identity matrix is scaled by is one number for all rows,
    and its letter stands below nothing else but the I."""
    scaled = {
        node.factors[0].sub.text
        for node in nodes.of(Juxt)
        if len(node.factors) == 2
        and binders.bare(node.factors[1]) == "I"
        and binders.bare(node.factors[0]) in _SETTINGS
        and isinstance(node.factors[0], Script)
        and isinstance(node.factors[0].sub, Name)
    }
    if not scaled:
        return scaled
    others = (node for node in nodes.of(Script) if binders.bare(node) not in _SETTINGS | {"I"})
    return scaled - words_in(*(node.sub for node in others if node.sub is not None))


_SETTINGS = frozenset("alpha beta gamma epsilon eta lambda mu sigma tau".split())
"""Small Greek letters that are numbers by custom."""


def _of_one_number(nodes: Nodes, statements: Sequence[Statement]) -> frozenset[str]:
    """The letters that are no indices where a loss is one number: the t and the s of ``L = -Σ_i
    p_t^{(i)} log p_s^{(i)}``, a teacher and a student."""
    targets = [s.target for s in statements if isinstance(s, Define)]
    summed = all(big.sub is not None for big in nodes.of(Big))
    if not summed or not all(target is not None and _is_loss(target) for target in targets):
        return frozenset()
    below = (n for node in nodes.of(Script) if node.sub is not None for n in walk(node.sub))
    within = {
        n.text for at in below if isinstance(at, Script) for n in walk(at) if isinstance(n, Name)
    }
    return names.INDEX_LETTERS - frozenset("ijklmn") - within


def _is_loss(target: Node) -> bool:
    base = binders.bare(target)
    return scripts.is_name(target) and (base in ("L", "J") or names.is_number(base))


def _of_words(nodes: Nodes) -> Iterator[str]:
    """The i of ``Σ log P(w_i)``: below a w that has a probability, which is a word."""
    for call in nodes.of(Juxt):
        match call.factors:
            case (Name(name), Group("(", _) as words) if name in names.PROBABILITIES:
                for node in walk(words):
                    match node:
                        case Script(Name("w"), Name(letter)) if letter in names.INDEX_LETTERS:
                            yield letter


def find_ends(seen: Survey, nodes: Sequence[Node]) -> None:
    """The letters that end a list with dots, such as the h of ``head_1, …, head_h``, or a sum of
    terms: sizes."""
    for node in nodes:
        if isinstance(node, Infix):
            items = binders.chain(node)
        else:
            items = children(node) if isinstance(node, Group | Juxt | Matrix) else ()
        dots = [at for at, item in enumerate(items) if binders.begins_with_dots(item)]
        if not dots:
            continue
        first = {name for item in items[: dots[0]] for name in binders.letters_in_scripts(item)}
        for item in items[dots[-1] :]:
            for letter in binders.letters_in_scripts(item):
                if letter not in first:
                    seen.ends.add(letter)
                    seen.sizes.add(letter)
    seen.bound.update(_numbering(seen.ends, nodes))


def _numbering(ends: Set[str], nodes: Sequence[Node]) -> Iterator[str]:
    """The h of ``Z_h`` beside ``Z_1, …, Z_H``, which counts them."""
    capitals = {end.lower() for end in ends if end.isupper()}
    below = {
        (binders.bare(n), binders.bare(n.sub)) for n in nodes if isinstance(n, Script) and n.sub
    }
    yield from (x for base, x in below if x in capitals and (base, x.upper()) in below)


def last_letters(seen: Survey) -> set[str]:
    """The letters that a list, or the range of a sum, ends with."""
    ends = (big.sup for big in seen.nodes.of(Big))
    return {end.text for end in ends if isinstance(end, Name)} | (seen.ends - seen.bound)


def lengths(seen: Survey) -> set[str]:
    """The names with a label that the range of a sum ends with, ``T_x``."""
    ends = (big.sup for big in seen.nodes.of(Big) if isinstance(big.sup, Script))
    uses = (seen.understood(end) for end in ends if scripts.is_name(end))
    return {use.name for use in uses if use is not None and not use.indices}
