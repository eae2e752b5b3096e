"""Which letters of a formula are indices: what sums, lists and ranges bind, and how far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from notes2code.latex.tree import (
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
    put,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions, scripts, written_sizes
from notes2code.meaning.overview.letter_places import letters_below
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define


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
        seen.sizes.update(written_sizes.size_names(node.sup))
        for last in binders.ends(node.sub):
            seen.sizes.update(written_sizes.size_names(last))
    for script in nodes.of(Script):
        if (own := binders.family_range(script)) is not None:
            seen.bound.update(binders.bound_letters(own))
            seen.sizes.update(written_sizes.size_names(script.sup))


CELLS = (("i", "j"), ("m", "n"))
"""The letters of a cell's row and column; m and n only where one is taken from the other."""


def find_cells(seen: Survey, nodes: Nodes) -> None:
    """The i and the j of ``Q K^\\top + b_{i-j}``: the row and the column of the scores that an
    element is added to."""
    for node in nodes.of(Infix):
        scored = node.op in ("+", "-") and are_scores(node.left)
        elements = (part for part in walk(node.right) if isinstance(part, Script) and scored)
        below = [inner for part in elements if part.sub is not None for inner in walk(part.sub)]
        for cell in CELLS:
            apart = any(is_distance(inner, {*cell}) for inner in below)
            if apart and words_in(node.left).isdisjoint(cell):
                seen.bound.update(cell)


def are_scores(node: Node) -> bool:
    """Whether something is multiplied by the transpose of a matrix, as in ``Q K^\\top``, and so has
    a row and a column for two rows: no k of one key, and no ``X^\\top X`` of features."""
    products = (inner.factors for inner in walk(node) if isinstance(inner, Juxt))
    last = (factors[-1] for factors in products)
    turned = filter(scripts.is_transposed, last)
    return any(names.is_capital(inner) for script in turned for inner in walk(script.base))


def is_distance(node: Node, cell: Set[str]) -> bool:
    """Whether a node is ``m - n`` or ``n - m``."""
    match node:
        case Infix("-", Name(one), Name(other)):
            return {one, other} == cell
    return False


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


def find_twins(seen: Survey, nodes: Nodes) -> None:
    """The w of ``exp(z_w) / Σ_{w'} exp(z_{w'})`` is an index, as the w' is that the sum binds, and
    the c' of ``y_{c'} = Σ_c w_{c'c} x_c`` as the c; so is the k of ``exp(z_k) / Σ_m exp(z_m)``,
    which is a share of all."""
    seen.bound.update(_primed_below(nodes, seen.bound))
    twins = {letter.removesuffix("_prime") for letter in seen.bound if letter.endswith("_prime")}
    if twins:
        seen.bound |= twins & letters_below(nodes)
        seen.bound.update(_beside_twins(nodes, twins))
    for node in nodes.of(Frac):
        if isinstance(node.bottom, Big) and node.bottom.op == "sum":
            seen.bound.update(_twin(node.top, node.bottom, seen.bound))


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


_PLACES = frozenset("ijmn")
"""Letters that stand for any place, also behind another."""


def _twin(part: Node, total: Big, bound: Set[str]) -> Iterator[str]:
    """The letter that stands in a part wherever the index of a sum stands in what is added up."""
    match binders.bound_letters(total.sub) if total.sub is not None else []:
        case [summed]:
            below = [n.sub for n in walk(part) if isinstance(n, Script) and scripts.is_name(n)]
            several = [words_in(sub) for sub in below if sub is not None]
            # The j of e_ij, too, if nothing counts i: the p of an s_ap is the right one of all.
            letters = {x for words in several if words.isdisjoint(bound) for x in words}
            letters = letters & _PLACES | letters_below(walk(part)) & names.INDEX_LETTERS
            for letter in letters:
                if alike(put(part, letter, Name(summed, part.span)), total.body):
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
        behind = (items[at + 1] for at in dots[:-1])  # each of several families ends there
        for item in (*behind, *items[dots[-1] :]):
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
    uses = map(seen.understood, ends)
    return {use.name for use in uses if use is not None and not use.indices}
