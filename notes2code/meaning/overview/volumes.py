"""Sizes that are multiplied: all letters of ``N = H × W`` and ``2 B L d_k`` are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from notes2code.latex.tree import (
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    juxtaposed,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, script_reader, scripts
from notes2code.meaning.overview import arithmetic, label_letters
from notes2code.meaning.stated import Define

_LENGTHS = names.COUNTS | frozenset("HS")
"""Capitals of which two make a volume of a product with signs, ``B · T · V``."""

_OF_IMAGES = names.EXTENTS | {"W"}
"""Extents, the width of an image among them, which is no matrix beside these."""


def numbers(nodes: Nodes, defines: Sequence[Define], known: Set[str]) -> set[str]:
    """The letters of sizes that are multiplied, and what is ``known`` to be a number already."""
    found = {*known}
    targets = [
        one for one in defines if one.target and binders.bare(one.target) in {*names.TOTALS, "n"}
    ]
    totals = {id(ungrouped(value)) for one in targets for value in one.values}
    found.update(name for define in defines for name in _of_total(define))
    states = _states(nodes, defines)
    for node in arithmetic.sums(nodes):
        if not _has_place(node, states):
            found.update(_of_sizes(arithmetic.terms(node)))
    for product in nodes.of(Juxt):
        if _has_place(product, states):
            continue
        found.update(_of_patches(product.factors))
        found.update(_of_estimate(product.factors))
        if _counts(product) or (_has_amount(product) and arithmetic.is_count(product)):
            found.update(arithmetic.capitals(product))
            if len(product.factors) > 3:  # the b of b N L (d_k + d_v) counts bytes
                found.update(filter(None, map(arithmetic.plain, product.factors)))
        else:
            found.update(_of_counts(product.factors, "", id(product) in totals))
    chains = arithmetic.chains(nodes)
    for node in (*chains, *chains):  # the k of d × r + r × k counts, as the r does
        single = (_of_letters(f) or juxtaposed(f) for f in binders.chain(node))
        factors = [one for factors in single for one in factors]
        found.update(_of_counts(factors, node.op, id(node) in totals, found))
        found.update(_of_patches(binders.chain(node)))
    for above, below in arithmetic.quotients(nodes):
        if isinstance(above, Juxt) and _counts(above):
            found.update(filter(None, map(arithmetic.plain, binders.chain(below))))
        found.update(_of_area(above, below))
    return found


def _states(nodes: Nodes, defines: Sequence[Define]) -> set[int]:
    """The d_i of the places that the left side counts, by their ids: states, such as those of a
    decoder, and no widths, which are squared, and multiplied by numbers and counts."""
    left = {letter for define in defines for letter in label_letters.on_left(define)}
    placed = [
        node
        for node in nodes.of(Script)
        if isinstance(node.sub, Name) and node.sub.text in left
        if names.is_size_name(binders.bare(node))
    ]
    if not placed:
        return set()
    counted = {binders.bare(node) for node in placed if scripts.is_two(node.sup)}
    products: list[Node] = [*nodes.of(Juxt), *arithmetic.chains(nodes)]
    for product in products:
        factors = binders.multiplied(product)
        if any(isinstance(f, Num) or arithmetic.plain(f) in names.COUNTS for f in factors):
            counted.update(map(binders.bare, factors))
    return {id(node) for node in placed if binders.bare(node) not in counted}


def _has_place(node: Node, states: Set[int]) -> bool:
    return bool(states) and any(id(part) in states for part in walk(node))


def _of_total(define: Define) -> Iterator[str]:
    """The letters of ``B = b · g · n``, a total by its capital: arrays are not multiplied so."""
    chain = binders.chain(define.values[0])
    signed = isinstance(define.values[0], Infix) and define.values[0].op in "·×"
    total = define.target is not None and binders.bare(define.target) in names.COUNTS
    if signed and total and len(chain) > 2:
        letters = [factor.text for factor in chain if isinstance(factor, Name)]
        if len(letters) == len(chain) and all(len(x) == 1 and x.islower() for x in letters):
            yield from letters


def is_amount(node: Node) -> bool:
    """Whether parentheses hold a sum of numbers and sizes, such as ``(4d^2 + 2d)``."""
    match node:
        case Group("(", (Infix("+" | "-") as body,)):
            names_in = [
                arithmetic.plain(leaf)
                for term in arithmetic.terms(body)
                for leaf in juxtaposed(term)
            ]
            sizes = [name for name in names_in if name]
            return bool(sizes) and all(map(names.is_size_name, sizes)) and arithmetic.is_count(body)
    return False


def _has_amount(term: Node) -> bool:
    return isinstance(term, Juxt) and any(map(is_amount, term.factors))


def _has_width(term: Node) -> bool:
    """Whether a term multiplies a width, as in ``N \\cdot d_{model}``: nobody scales an array by
    one."""
    factors = binders.multiplied(ungrouped(term))
    return len(factors) > 1 and any(_is_width(arithmetic.plain(factor)) for factor in factors)


def _is_width(name: str) -> bool:
    """Whether a name says of what it is the width, as ``d_k`` does; a d alone may be that of
    ``dx``."""
    return "_" in name and names.is_size_name(name)


def _of_estimate(factors: Sequence[Node]) -> Iterator[str]:
    """The letters of ``s b h (34 + 5 a s / h)``: three sizes and a number with their ratios."""
    *sizes, amount = [factor for factor in factors if not isinstance(factor, Num)]
    match amount:
        case Group("(", (Infix("+") as total,)):
            leaves = [leaf for term in arithmetic.terms(total) for leaf in _leaves(term)]
            letters = [*map(arithmetic.plain, [*sizes, *leaves])]
            ratios = any(arithmetic.quotients(Nodes(walk(total))))
            if len(sizes) > 2 and ratios and all(letters) and _has_number(total):
                yield from letters


def _has_number(total: Node) -> bool:
    return any(isinstance(term, Num) for term in arithmetic.terms(total))


def _leaves(term: Node) -> Iterator[Node]:
    """What is multiplied and divided in a term, but for numbers."""
    match term:
        case Juxt(factors):
            yield from (leaf for factor in factors for leaf in _leaves(factor))
        case Infix("·" | "×", left, right) | Frac(left, right):
            yield from (*_leaves(left), *_leaves(right))
        case Num():
            pass
        case _:
            yield term


def _of_area(above: Node, below: Node) -> Iterator[str]:
    """The H and W of ``HW / p^2``: an area is divided by a square."""
    sides = [arithmetic.plain(factor) for factor in binders.multiplied(ungrouped(above))]
    match below:
        case Script(Name(), None, sup, 0) if scripts.is_two(sup) and {*sides} == {"H", "W"}:
            yield from sides


def _of_patches(factors: Sequence[Node]) -> Iterator[str]:
    """The H and W of ``\\frac{H}{p} × \\frac{W}{p}``, which counts the patches of an image."""
    shares = [parts for f in factors if (parts := arithmetic.quotient(ungrouped(f))) is not None]
    if len(shares) == len(factors) and all(
        len([*arithmetic.capitals(above)]) == 1 for above, _ in shares
    ):
        yield from (
            name for parts in shares for part in parts for name in arithmetic.capitals(part)
        )


def _of_letters(node: Node) -> tuple[Node, Node] | None:
    """The H and P of ``\\frac{H}{P}``; none of ``\\frac{H}{2}``."""
    parts = arithmetic.quotient(node)
    return parts if parts is not None and all(map(arithmetic.plain, parts)) else None


def _counts(node: Juxt) -> bool:
    first, *others = node.factors
    if not isinstance(first, Num):
        return False
    letters = {name for factor in others for name in arithmetic.capitals(factor)}
    return len(letters) == len(others) > 1 and letters <= names.COUNTS


def _of_counts(
    factors: Sequence[Node], sign: str, is_total: bool, known: Set[str] = frozenset()
) -> set[str]:
    """The names in a product of sizes and numbers, ``2 × B × S × d_model``; a count among them may
    be bold."""
    factors = [ungrouped(factor) for factor in factors]
    found = [arithmetic.plain(factor) for factor in factors]
    others = [factor for name, factor in zip(found, factors, strict=True) if not name]
    if not all(isinstance(f, Num) or (sign == "×" and _is_bold(f)) for f in others):
        return set()
    sizes = sum(names.is_size_name(name) or _counts_by_name(name) for name in found if name)
    number = any(isinstance(factor, Num) for factor in factors)
    if sign == "×":
        sure = number or sizes > 0 or not known.isdisjoint(found) or _are_extents(found, is_total)
    else:
        sure = _is_volume(factors, found, sign, is_total) or _has_sizes(found, sizes, number)
    bold = number and sizes > 0
    plain = bold or not any(map(_is_bold, others))
    return {*filter(None, found)} if sure and plain else set()


def _are_extents(found: Sequence[str], is_total: bool) -> bool:
    """Whether ``×`` multiplies numbers, as it does matrices with each other only: words, ``position
    × frequency``, extents of a total, ``N = H × W``, and what stands twice, ``F × F × C``."""
    worded = all(name.isidentifier() and len(name.split("_")[0]) > 2 for name in found)
    twice = len(set(found)) < len(found) and (len(found) > 2 or found[0] in names.EXTENTS)
    return worded or twice or (is_total and _OF_IMAGES.issuperset(found))


def _is_volume(factors: Sequence[Node], found: Sequence[str], sign: str, is_total: bool) -> bool:
    """Whether a product is the total ``N = H W`` or a volume, ``B H L S`` and ``B · T · V``, or has
    the square of a size, ``b h n^2``."""
    signed = sign == "·" and sum(name in _LENGTHS for name in found) > 1
    many = len(factors) > (2 if signed else 3) and _OF_IMAGES.issuperset({*found} - {"V"})
    area = is_total and {"H", "W"} <= {*found} and _OF_IMAGES.issuperset(found)
    return many or area or (len(factors) > 2 and any(map(_is_squared_size, factors)))


def _has_sizes(found: Sequence[str], sizes: int, number: bool) -> bool:
    """Whether a number or a width, ``2 L d_h``, stands with nothing that it may scale; beside two
    sizes, and among many, it scales nothing."""
    scales = not _ARRAYS.isdisjoint(found)
    wide = not scales and any(map(_is_width, found))
    return (number or wide) and sizes > 0 and (sizes > 1 or len(found) > 4 or not scales)


def _is_bold(node: Node) -> bool:
    return isinstance(node, Name) and node.font == "bold"


def _is_squared_size(node: Node) -> bool:
    """Whether a node is the n^2 or d^2 of a cost, ``b h n^2``."""
    match node:
        case Script(Name(text), None, sup, 0) if scripts.is_two(sup):
            return text in ("n", "m") or names.is_size_name(text)
    return False


def _is_squared_width(node: Node) -> bool:
    return isinstance(node, Script) and _is_squared_size(node) and binders.bare(node) not in "nm"


def _counts_by_name(name: str) -> bool:
    """Whether a name says how many or how long, as ``n_layers``, ``N_gpu``, ``seq_len`` and the
    channels ``C_in`` do."""
    base, _, last = name.partition("_")
    many = base in ("n", "num") or (base == "N" and len(last) > 2) or name in ("C_in", "C_out")
    return bool(last) and (many or name.rpartition("_")[2] in ("len", "size"))


_ARRAYS = frozenset("AKQVWacehqvwxyz")
"""Letters that a size and a number may scale."""


def _of_sizes(terms: Sequence[Node]) -> Iterator[str]:
    """The capitals of ``C r_q + H d_v C + d_c`` and ``12 L d^2 + V d``: what is added to a size, or
    to so many times its square, counts."""
    if not all(map(arithmetic.is_count, terms)):
        return
    bare = (script_reader.unindexed(t) for t in terms if scripts.is_name(t))
    areas = [t for t in terms if isinstance(t, Juxt) and isinstance(t.factors[0], Num)]
    small = {name.text for term in terms for name in walk(term) if isinstance(name, Name)}
    area = all(x.isupper() or names.is_size_name(x) for x in small) and any(
        _is_squared_width(factor) for term in areas for factor in term.factors
    )
    sizes = any(map(names.is_size_name, bare)) or any(
        _has_amount(t) or _has_width(t) for t in terms
    )
    if area or sizes:
        yield from (name for term in terms for name in arithmetic.capitals(term))
