"""Positions in an array as they are written beside its name: ``i − 1``, ``2i + 1``, ``:, j``."""

from __future__ import annotations

from collections.abc import Iterator, Set

from notes2code.diagnostics import Span
from notes2code.latex.tree import (
    PARENTHESES,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Script,
    Stroke,
    children,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import groups

LAYER = "l"

LAYERS = frozenset([LAYER, "ell", "L"])
"""Letters of layers, by which they are told apart."""


def shift(node: Node) -> tuple[str, int] | None:
    """The letter and the offset of an index such as ``i`` or ``i − 1``."""
    match node:
        case Name(letter):
            return letter, 0
        case Infix("+" | "-" as sign, Name(letter), Num(text)) if text.isdigit():
            return letter, int(text) if sign == "+" else -int(text)
        case Group(opened, (inner,)) if opened in PARENTHESES:
            return shift(inner)
    return None


def of_whole_axes(node: Node | None) -> tuple[Node, ...]:
    """The letters and the signs for all that name a row or a column, ``i,:`` or ``\\cdot,j``."""
    if not isinstance(node, Group) or {*node.separators} != {","}:
        return ()
    whole = [item for item in node.items if isinstance(item, Stroke) and item.text in ":·*"]
    rest = [item for item in node.items if item not in whole]
    return node.items if whole and all(isinstance(item, Name) for item in rest) else ()


def is_colon(node: Node) -> bool:
    """Whether a node is the colon for a whole axis."""
    return isinstance(node, Stroke) and node.text == ":"


def counts_layers(node: Node) -> bool:
    """Whether an index is that of layers: ``l``, ``l − 1`` or ``l + 1``."""
    found = shift(node)
    return found is not None and found[0] == LAYER


def layer_label(node: Node) -> str:
    """What tells a layer apart, l − 1 from l + 1; "" for what counts no layers."""
    match shift(node):
        case (letter, 0) if letter in LAYERS:
            return letter
        case (letter, offset) if letter in LAYERS:
            return f"{letter}_{abs(offset)}" if offset < 0 else f"{letter}_plus_{offset}"
    return ""


def stride(node: Node) -> tuple[str, int] | None:
    """The letter and the offset of ``2i`` or ``2i+1``."""
    match node:
        case Juxt((Num("2"), Name(letter))) | Infix("·" | "×", Num("2"), Name(letter)):
            return letter, 0
        case Infix("+" | "-" as sign, inner, Num(offset)) if offset.isdigit():
            found = stride(inner)
            if found is not None and found[1] == 0:
                return found[0], int(offset) if sign == "+" else -int(offset)
    return None


def blocks(first: Node) -> tuple[dict[str, int], int] | None:
    """Where a sum over a block begins, ``c i`` or ``(i − 1) c + 1``: what its letters count from,
    so that the first block begins with the first place of all, and what the places count from."""
    match first:
        case Infix("+", inner, Num("1")):
            found = blocks(inner)
            return (found[0], 1) if found is not None and found[1] == 0 else None
        case Juxt(factors) if len(factors) > 1:
            parts = factors
        case Infix("·" | "×", left, right):
            parts = (left, right)
        case _:
            return None
    starts: dict[str, int] = {}
    for part in parts:
        match part:
            case Name(letter):
                starts.setdefault(letter, 0)
            case Group("(", (Infix("-", Name(letter), Num("1")),)):
                starts[letter] = 1
            case Num():
                pass
            case _:
                return None
    return starts, 0


def reversal(node: Node) -> tuple[str, str, int] | None:
    """The last number, the letter that counts down from it, and the offset of ``n − i + 1``."""
    match node:
        case Infix("+" | "-" as sign, Infix("-", Name(last), Name(letter)), Num("1")) | Infix(
            "-", Infix("+" | "-" as sign, Name(last), Num("1")), Name(letter)
        ):
            return last, letter, 1 if sign == "+" else -1
    return None


def beyond_half(node: Node) -> tuple[str, Node] | None:
    """The letter and the half of an index such as ``i + d/2``."""
    match node:
        case Infix("+", Name(letter), Frac(_, Num("2")) as half):
            return letter, half
        case Group(opened, (inner,)) if opened in PARENTHESES:
            return beyond_half(inner)
    return None


def halves(low: Node, high: Node) -> bool:
    """Whether two indices are ``i`` and ``i + d/2``."""
    first, second = shift(low), beyond_half(high)
    return first is not None and second is not None and first == (second[0], 0)


def run_of_indices(node: Node, bound: Set[str]) -> tuple[Node, ...]:
    """The letters of what looks like a word, the ``tr`` of ``α_{tr}``, and is a run of indices."""
    if not isinstance(node, Name) or not 2 <= len(node.text) <= 3:
        return (node,)
    if not bound >= {*node.text} or len({*node.text}) < len(node.text):
        return (node,)
    start = node.span.start
    return tuple(Name(c, Span(start + at, start + at + 1)) for at, c in enumerate(node.text))


def is_arithmetic(node: Node) -> bool:
    """Whether a subscript counts, as ``i−1`` or ``2i`` do, and is no name such as ``word-pair``, or
    the 2D of images and of their positions."""
    if isinstance(node, Infix):
        return node.op in "+-" and all(
            isinstance(side, Num) or (isinstance(side, Name) and len(side.text) == 1)
            for side in (node.left, node.right)
        )
    match node:
        case Juxt((Num("1" | "2" | "3"), Name("D"))):
            return False
    return isinstance(node, Juxt) and isinstance(node.factors[0], Num)


def place(node: Node) -> Name | None:
    """The letter of a place, or the i of what stands there, as the v_i of a graph does."""
    match node:
        case (Name() as letter) | Script(Name(), Name() as letter, None, 0):
            return letter
    return None


def counted(node: Node) -> Iterator[Node]:
    """What is in an index expression; the bounds of a clip, or the second part of a minimum, are
    numbers, whatever their letters."""
    match node:
        case Juxt((Name("clip" | "clamp" | "min"), Group(_, (value, *_)))):
            yield from counted(value)
        case _:
            yield node
            for child in children(node):
                yield from counted(child)


def letters_of(node: Node) -> tuple[list[str], bool]:
    """The letters of an index expression, and whether there is anything but arithmetic."""
    match node:
        case Name(text):
            return [text], False
        case Num():
            return [], False
        case Neg(body):
            return letters_of(body)
        case Frac(left, right) | Infix("+" | "-" | "·" | "*", left, right):
            mine, other = letters_of(left)
            theirs, more = letters_of(right)
            return mine + theirs, other or more
        case Juxt(factors) if isinstance(factors[0], Num):
            found = [letters_of(f) for f in factors]
            return [x for letters, _ in found for x in letters], any(o for _, o in found)
        case Juxt((Name("clip" | "clamp" | "min"), Group(_, items))):
            found = [letters_of(f) for f in items]
            return [x for letters, _ in found for x in letters], any(o for _, o in found)
        case Group("⌈" | "⌊", (item,)) if groups.group_of(node) is not None:
            return [inner.text for inner in walk(item) if isinstance(inner, Name)], False
        case Group(_, (item,)):
            return letters_of(item)
        case Juxt((Name(text), Group("(", (Name(letter),)))) if text in groups.NAMES:
            return [letter], False
        case Script(Name(), Name() | Num(), None, 0) | Script(Name(), None, None, _):
            return [names.label(node)], False
        case Script(Name(), None, Name("prime"), 0):
            return [names.label(node)], False
        case _:
            return [], True
