"""Letters that are indices though neither a sum nor the left-hand side has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from notes2code.latex.tree import (
    Big,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Script,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, letters_above, positions, scripts
from notes2code.meaning.overview import identity, label_letters, points
from notes2code.meaning.overview.letter_places import (
    at_counted_places,
    counted_elsewhere,
    in_list,
    is_loss,
    spelling,
)
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement


def _in_lists_of_three(nodes: Nodes, bound: Set[str]) -> list[str]:
    """The b of ``Σ_d x_{b,l,d}``, which has an index for each of three axes."""
    lists = [in_list(node) for node in nodes.of(Script)]
    rows = [own for own in lists if len(own) > 2 and own & bound]
    return sorted({x for own in rows for x in own} - bound)


def find(
    seen: Survey, nodes: Nodes, statements: Sequence[Statement], labels: Mapping[str, Set[str]]
) -> None:
    """Letters that stand below names on the right and that nothing binds: they run over rows.
    The p of ``p_t = v_p^⊤ tanh(W_p h_t)`` says what the weights are for, and some are ``labels`` in
    the whole section."""
    defined = {binders.bare(s.target) for s in statements if isinstance(s, Define) and s.target}
    labelled, told = _labelled(seen, nodes, statements, labels)
    never = defined | label_letters.of_arguments(statements) | told
    if not seen.targets:
        seen.free += _in_lists_of_three(nodes, seen.bound)
    named = any(isinstance(s, Define) and s.target is not None for s in statements)
    places = {} if named else at_counted_places(nodes)
    for node in _indexed(seen, nodes, labelled):
        for letter in _that_may_count(seen, nodes, node, places):
            known = letter in seen.bound or letter in seen.free or letter in seen.ends
            if not known and letter not in never:
                seen.free.append(letter)
    if not seen.free and any(big.sub is None for big in nodes.of(Big)):
        seen.free.extend(dict.fromkeys(_of_words(nodes)))
    seen.bound.update(seen.free)


def _labelled(
    seen: Survey, nodes: Nodes, statements: Sequence[Statement], labels: Mapping[str, Set[str]]
) -> tuple[Set[str], Set[str]]:
    """The names whose scripts are labels, and the letters that tell things apart wherever they
    stand."""
    labelled = binders.labelled_bases(nodes, seen.bound)
    labelled.update(letters_above.listed_above(nodes, seen.ends))
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
    told = _of_one_number(nodes, statements) | label_letters.of_positions(seen, statements)
    told |= points.letters_added(nodes) | label_letters.doubled(nodes) | _of_numbers(nodes)
    told = told.union(seen.labels, *apart_by.values(), _of_settings(nodes, statements))
    told |= _of_slopes(nodes) | _of_identities(nodes) | spelling(nodes, seen.bound)
    return labelled, told


def _indexed(seen: Survey, nodes: Nodes, labelled: Set[str]) -> Iterator[Script]:
    """The names with something below them that may count; of some it tells a size."""
    apart = {id(node) for node in binders.worded_sets(nodes)} | _limits(nodes)
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
        elif (back := positions.reversal(node.sub)) and back[0] not in seen.bound:
            seen.sizes.add(back[0])  # the n of x_{n-i+1} counts them all
        else:
            yield node


def _that_may_count(
    seen: Survey, nodes: Nodes, node: Script, places: Mapping[str, Set[str]]
) -> Iterator[str]:
    """The letters below a name that may be its indices."""
    assert node.sub is not None
    base, arrays = binders.bare(node), binders.named_after(nodes)
    steps = seen.steps.get(base, set()) | seen.steps.get("", set())
    alike = counted_elsewhere(nodes).get(base, set()) & names.INDEX_LETTERS
    alike = alike & {binders.bare(node.sub)} | places.get(base, set()) & in_list(node)
    # Below h_j^{(l-1)} stands no step, which stands above; below the last state h_T there is one,
    # and the s of h_s^{(l)} may be a source.
    labelled = isinstance(node.sub, Name)
    if node.sup is not None and words_in(node.sup) & steps:
        labelled = labelled and words_in(node.sub).isdisjoint("ijk")
    for letter in (*binders.free_letters(node.sub, base), *alike):
        counts_steps = letter in steps or (base in seen.steps and labelled)
        if not counts_steps and (letter not in arrays or base == letter):
            yield letter


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
    if not summed or not all(target is not None and is_loss(target) for target in targets):
        return frozenset()
    below = (n for node in nodes.of(Script) if node.sub is not None for n in walk(node.sub))
    within = {
        n.text for at in below if isinstance(at, Script) for n in walk(at) if isinstance(n, Name)
    }
    return names.INDEX_LETTERS - frozenset("ijklmn") - within


def _of_words(nodes: Nodes) -> Iterator[str]:
    """The i of ``Σ log P(w_i)``: below a w that has a probability, which is a word."""
    for call in nodes.of(Juxt):
        match call.factors:
            case (Name(name), Group("(", _) as words) if name in names.PROBABILITIES:
                for node in walk(words):
                    match node:
                        case Script(Name("w"), Name(letter)) if letter in names.INDEX_LETTERS:
                            yield letter
