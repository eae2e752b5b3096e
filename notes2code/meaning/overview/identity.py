"""The identity matrix: the I of ``λI`` and ``I − P``, and the I_n of ``A + I_n``."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import (
    Accent,
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
from notes2code.meaning.overview import arithmetic
from notes2code.meaning.overview.arithmetic import terms

_SIZES = names.SIZE_BASES | frozenset("KMkpr")
"""What tells how many rows it has; the t and the i of I_t and I_i tell images apart."""


def identities(nodes: Nodes, on_left: Nodes) -> set[str]:
    """The names of identity matrices; several under one letter, or with a hat, are images, and so
    is the I that an ``I_{mix}`` is made of."""
    if "Id" in nodes.words:
        return {"Id"}
    if "I" not in nodes.words:
        return set()
    named = {names.label(node) for node in nodes.of(Script, Accent) if binders.bare(node) == "I"}
    if len(named) > 1:
        return set()
    sized = {script_reader.unindexed(node) for node in nodes.of(Script) if is_sized(node)}
    added = {script_reader.unindexed(term) for term in _terms(nodes) if is_sized(term)}
    made = any(map(_is_another, on_left.of(Script, Accent)))
    return (sized & added) | ({"I"} if not made and _is_plain_one(nodes) else set())


def is_sized(node: Node) -> bool:
    """Whether it is an I_n or an I_{d_k}; I_1 and I_2 are two images."""
    match node:
        case Script(Name("I"), below, None, 0) if below:
            return binders.bare(below) in _SIZES
    return False


def _terms(nodes: Nodes) -> Iterator[Node]:
    """What is added and taken off, without the numbers that scale it."""
    for node in nodes.of(Infix):
        for term in terms(node) if node.op in "+-" else ():
            yield _unscaled(term) if _is_scaled(term) else term


def _is_plain_one(nodes: Nodes) -> bool:
    """Whether I is the identity matrix: wherever it stands, a number scales it, as in ``λI``,
    something is taken from it, as in ``I − P``, it stands beside a product with a transpose, as in
    ``W^⊤W − I``, beside what says which nodes of a graph are joined, ``A + I``, beside a matrix
    in a factor, ``(I + B) x``, or bold beside one anywhere."""
    alone = [name for name in nodes.of(Name) if name.text == "I"]
    if not alone:
        return False
    sums = [node for node in nodes.of(Infix) if node.op in "+-"]
    doubted = {id(term) for node in arithmetic.sums(nodes) for term in _in_doubt(node)}
    products = [node for node in nodes.of(Juxt, Infix) if id(node) not in doubted]
    scaled = [_unscaled(node) for node in products if _is_scaled(node)]
    less = [node.left for node in sums if node.op == "-"]
    beside = [node.right for node in sums if any(map(scripts.is_transposed, walk(node.left)))]
    loops = [node.right for node in sums if _is_adjacency(node.left)]
    loops += [node.left for node in sums if _is_adjacency(node.right)]
    factors = [term for node in nodes.of(Juxt) for term in _beside_matrices(node)]
    bold = [term for node in arithmetic.sums(nodes) for term in _bold_beside_matrices(node)]
    others = {id(node): node for node in (*scaled, *less, *beside, *loops, *factors, *bold)}
    clear = [n for n in others.values() if isinstance(n, Name) and n.text == "I"]
    return len(clear) == len(alone)


def _is_another(node: Script | Accent) -> bool:
    """Whether it is an image, as ``I_{mix}`` and ``\\hat I`` are."""
    labelled = isinstance(node, Accent) or node.sub is not None
    return labelled and binders.bare(node) == "I" and not is_sized(node)


def _beside_matrices(node: Juxt) -> Iterator[Node]:
    """The I of a factor ``(I + B)`` or ``(I + \\frac{1}{2} B)``, or of its power."""
    for factor in node.factors:
        match factor:
            case Group("(", (Infix("+") as inner,)) | Script(
                Group("(", (Infix("+") as inner,)), None
            ):
                letters = {binders.bare(_unscaled(term)): term for term in terms(inner)}
                if all(len(letter) == 1 and letter.isupper() for letter in letters):
                    yield from (term for letter, term in letters.items() if letter == "I")


def _bold_beside_matrices(node: Infix) -> Iterator[Node]:
    """The I of ``\\frac{2}{\\lambda} \\mathbf{L} - \\mathbf{I}``, where all are matrices: beside a
    vector, and beside a product, which may be one, it may be a current."""
    added = [_unscaled(term) for term in terms(node)]
    ones = [term for term in added if isinstance(term, Name) and term.text == "I"]
    matrices = [letter for term in added if (letter := _matrix(term))]
    if len(matrices) == len(added) and all(letter.font == "bold" for letter in matrices):
        yield from ones


def _matrix(node: Node) -> Name | None:
    """The capital of a matrix, perhaps with an accent or a power, or divided by a number; None of
    anything else."""
    match node:
        case Name(letter):
            capital = letter[0].isupper() and (len(letter) == 1 or letter in names.GREEK)
            return node if capital else None
        case Accent(base=base) | Script(base, None):
            return _matrix(base)
        case Frac(top):
            return _matrix(_unscaled(ungrouped(top)))
    return None


def _in_doubt(node: Infix) -> Iterator[Node]:
    """The ``(1 - α) \\cdot I`` beside what is no matrix, where it may be an image or a vector; one
    that numbers alone scale, without a sign, is not."""
    plain = {id(term) for term in terms(node) if isinstance(term, Juxt) and not _has_sum(term)}
    others = [term for term in terms(node) if not _is_scaled(term)]
    if not all(
        _matrix(_unscaled(term)) or any(map(scripts.is_transposed, walk(term))) for term in others
    ):
        yield from (term for term in terms(node) if id(term) not in plain)


def _has_sum(product: Juxt) -> bool:
    return any(isinstance(factor, Group) for factor in product.factors)


def _is_adjacency(node: Node) -> bool:
    """Whether it is A, or one of several, ``A^{(j)}``."""
    return isinstance(node, Name | Accent | Script) and binders.bare(node) == "A"


def _is_scaled(node: Node) -> bool:
    """Whether a product is I times Greek letters, counts and numbers, such as ½ and 1 − α."""
    last = _unscaled(node)
    return last is not node and (is_sized(last) or (isinstance(last, Name) and last.text == "I"))


def _unscaled(node: Node) -> Node:
    """What stands behind Greek letters, numbers and counts in a product, such as ``n λ I`` and
    ``(1 - α) \\cdot I``."""
    product = not isinstance(node, Infix) or node.op in "·×*"
    *scales, last = binders.chain(node) if product else (node,)
    factors = [inner for s in scales for inner in juxtaposed(s)]
    if isinstance(last, Juxt):
        *more, last = last.factors
        factors += more
    parts = (part for s in factors for part in _added(s))
    known = {*names.GREEK, "n", "N", "m"}
    scaled = all(isinstance(part, Num) or binders.bare(part) in known for part in parts)
    return last if factors and scaled else node


def _added(factor: Node) -> tuple[Node, ...]:
    """What a factor is made of: both of ``\\frac{a}{b}``, and of ``(1 - α)``."""
    match factor:
        case Frac(top, bottom):
            return top, bottom
        case Group("(", (Infix("+" | "-") as total,)):
            return terms(total)
    return (factor,)
