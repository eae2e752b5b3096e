"""Letters that are indices because the left-hand side has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from notes2code.latex.tree import (
    Big,
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
    children,
    once,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import (
    binders,
    counted_heads,
    left_hand_sides,
    positions,
    scripts,
    slices,
)
from notes2code.meaning.overview import gate_letters, label_letters, role_letters
from notes2code.meaning.overview.letter_places import (
    at_counted_places,
    counted_elsewhere,
    in_list,
    is_loss,
    letters_below,
    spelling,
    spelt_below,
)
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.scope import EMPTY, Scope
from notes2code.meaning.stated import Define


def find(seen: Survey, define: Define, nodes: Nodes, scope: Scope = EMPTY) -> None:
    """Index letters on a left-hand side. Its section tells the places of a graph's nodes, and what
    tells things apart and counts nothing."""
    target = define.target
    assert target is not None
    runs = [_side_by_side(node) for node in walk(target) if isinstance(node, Script)]
    rows = {letter for run in runs if len(run) > 3 for letter in run}  # those of y_{bchw} count
    rows |= _of_parts(target, nodes)
    seen.bound |= rows
    worded = set[str]()  # the c of L_{cls} is no class
    worded.update(*(run for run in runs if is_loss(target) and len(run) > 2))
    if is_loss(target):  # nor is the p of L_p a place, where nothing has one
        worded |= letters_below([target]) - _letters(define.values)
    below = letters_below([target]).union(*runs) - worded
    while below and (more := below & _beside_bound(seen, nodes) - seen.bound):
        seen.bound |= more
    places = neighbours(nodes) | scope.places | _pairs(runs, nodes) | _normalised(runs, nodes)
    seen.bound |= places & set(binders.script_letters(target, places))
    labels = _labels(seen, define, nodes, scope) | worded
    for node in walk(target):
        if (stride := positions.stride(node)) is not None and stride[1] == -1:
            seen.starts.setdefault(stride[0], 1)  # the first of y_{2i−1} and y_{2i} is y_1
    _bind_counting(seen, define, _counted(seen, target, nodes) | places | rows, labels)
    told = _places(target, nodes)
    seen.bound |= told
    seen.targets |= told
    if counted_heads.is_of_heads(target, nodes):
        seen.heads = True
        seen.bound.add(scripts.HEAD)
        seen.targets.add(scripts.HEAD)
    if isinstance(target, Juxt) and isinstance(target.factors[1], Group):
        counting = _of_arguments(target, target.factors[1], nodes)
        seen.bound |= counting
        seen.targets |= counting


def _bind_counting(seen: Survey, define: Define, counted: Set[str], labels: Set[str]) -> None:
    """Bind the letters in the scripts of a left-hand side that count there, and are no labels."""
    target = define.target
    assert target is not None
    roles = label_letters.roles(target)
    function = target.factors[0] if isinstance(target, Juxt) else None
    given = {item.text for item in left_hand_sides.arguments(target) if isinstance(item, Name)}
    for node in left_hand_sides.target_scripts(target):
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


def _labels(seen: Survey, define: Define, nodes: Nodes, scope: Scope) -> set[str]:
    """The letters that tell things apart, and count nothing."""
    target = define.target
    assert target is not None
    scripted = nodes.of(Script)
    labels = {x for script in scripted for x in binders.letters_of_labels(script, seen.bound)}
    labels |= binders.named_after(nodes) - seen.bound | seen.labels
    labels |= {letter for _, letter in label_letters.of_constants((define,))}
    labels |= label_letters.that_are_vectors(nodes) - seen.bound
    labels |= gate_letters.of_gates(target, nodes, scope) | label_letters.of_mixtures(nodes)
    labels |= role_letters.of_keys(target, nodes) | _lasts(target, nodes)
    labels |= role_letters.of_encoded(target, nodes) | spelling((*nodes, *walk(target)), seen.bound)
    if above := label_letters.above(target):
        labels |= above - _letters(define.values) - seen.bound
    return labels


def _counted(seen: Survey, target: Node, nodes: Nodes) -> Set[str]:
    """The letters that count something where they stand on a left-hand side."""
    counted = names.INDEX_LETTERS.union(
        _members(nodes),
        *counted_elsewhere(nodes).values(),
        *at_counted_places(nodes).values(),
    )
    counted |= (
        _listed(target, nodes)
        | _above_two(target, nodes)
        | (seen.bound & {end.lower() for end in seen.ends})
    )
    return counted


def _lasts(target: Node, nodes: Nodes) -> set[str]:
    """The T of ``p(x_{0:T}) = p(x_T) ∏_{t=1}^T …``, where a range on the left from a first number
    on ends as that of the product does: how many there are. The t of ``A_{1:t} = ∏_{s=1}^t a_s``
    and the i of ``A_{i:T}`` are places."""
    lasts = {node.text for big in nodes.of(Big) if isinstance(node := big.sup, Name)}
    found: set[str] = set()
    for node in walk(target):
        match slices.ends(node):
            case Num(), Name(last) if last in lasts & names.COUNTS:
                found.add(last)
    return found


def _of_arguments(target: Juxt, group: Group, nodes: Nodes) -> set[str]:
    """The letters that count in the parentheses of a left-hand side: those of ``PE(pos, 2i)``, the
    i and j of ``s(i, j) = q_i \\cdot k_j``, and the w of ``P(w | h_t)`` where a sum counts in its
    place, ``e^{z_{t,w}} / Σ_u e^{z_{t,u}}``; what stands alone below one name, as the q and the p
    of ``h_q \\cdot h_p`` do, counts all or not at all."""
    sums = [item for item in group.items if isinstance(item, Juxt | Infix | Frac)]
    found = {x for item in sums if not scripts.is_name(item) for x in words_in(item)}
    below = _only_below(nodes) - role_letters.of_weights(target, nodes) | _beside_counted(nodes)
    elsewhere = names.INDEX_LETTERS.union(
        *counted_elsewhere(nodes).values(), *at_counted_places(nodes).values()
    )
    told = {item.text for item in left_hand_sides.told_indices(target)}
    below |= _below_and_apart(nodes, told)
    counting = told & elsewhere & below
    for own in _alone_below(nodes).values():
        if not own & told <= counting:
            counting -= own
    if left_hand_sides.is_positional(target):
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
    mine = in_list(target)
    if not mine:
        return mine
    others = [found for node in nodes.of(Script) if (found := in_list(node))]
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


def _normalised(runs: Sequence[set[str]], nodes: Nodes) -> set[str]:
    """The u and the v of ``a_{uv} = softmax_v(s_{uv})``: what a softmax runs over counts, and so
    does what stands beside it on both sides; what is a name elsewhere, or a capital, tells."""
    if "softmax" not in {word.lower() for word in nodes.words}:
        return set()
    over = {
        node.sub.text
        for node in nodes.of(Script)
        if binders.bare(node).lower() == "softmax" and isinstance(node.sub, Name)
    }
    if not over:
        return over
    counting = {letter for letter in _only_below(nodes) if letter.islower()}
    rows = [row for row in map(_side_by_side, nodes.of(Script)) if row <= counting]
    return {x for row in runs if len(row) == 2 and row & over and row in rows for x in row}


def _members(nodes: Nodes) -> Iterator[str]:
    """The letters that are members of sets: the e of ``f_e = Σ_t 𝟙[e \\in K_t]``."""
    for node in nodes.of(Relation):
        match node:
            case Relation((Name(letter), _), ("∈" | "∉",)):
                yield letter


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
    return listed if len(listed := in_list(node)) > 1 else set()


def _of_parts(target: Node, nodes: Nodes) -> set[str]:
    """The letters of ``y_{btc} = x_{btc} - μ_{bt}``: no label of three letters is cut short."""
    spelt = spelt_below(target)
    others = {letters for node in nodes.of(Script) if (letters := spelt_below(node))}
    cut = any(spelt.startswith(part) and 1 < len(part) < len(spelt) for part in others)
    return set(spelt) if len(spelt) > 2 and spelt in others and cut else set()


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
