"""The syntax tree of a formula: what was written, before anything is decided about its meaning.

Juxtaposition, subscripts and superscripts stay undecided here: ``Juxt`` may be a product or
a call, ``Script`` an index, a power, a transpose or a part of a name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from functools import cached_property, wraps
from itertools import chain
from operator import attrgetter, is_
from typing import Any, TypeAlias, TypeVar, get_args, overload

from notes2code.diagnostics import Problem, Span
from notes2code.records import dataclass


class _Walked:
    """What all nodes have: all that is inside, kept by ``walk``, since nobody changes a node."""

    __slots__ = ("_inside",)
    _inside: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Num(_Walked):
    """A number as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Name(_Walked):
    """A letter (``Q``, ``alpha``) or a word (``softmax``); fonts are dropped except ``bold``
    and ``blackboard``, which can tell an array from a scalar and ℝ from R, and ``script`` where the
    note has the plain letter, too."""

    text: str
    span: Span
    font: str = ""


@dataclass(frozen=True, slots=True)
class Script(_Walked):
    """A base with what stands below and above it; ``primes`` counts apostrophes."""

    base: Node
    sub: Node | None
    sup: Node | None
    primes: int
    span: Span


@dataclass(frozen=True, slots=True)
class Accent(_Walked):
    """A hat, tilde, bar, … over a base; ``mark`` is the name (``hat``)."""

    mark: str
    base: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Group(_Walked):
    """What stands between two delimiters: ``items`` separated by ``separators``.

    ``open`` is one of ``( [ { | ‖ ⟨ ⌈ ⌊``, or ``[)`` and ``(]`` of an interval that has one of its
    ends alone; separators are ``, ; | ‖ :``.
    """

    open: str
    items: tuple[Node, ...]
    separators: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Frac(_Walked):
    """A fraction written with a bar, or in line: ``slash`` is where its sign stands, unless
    parentheses say what stands above and below it."""

    top: Node
    bottom: Node
    span: Span
    slash: Span | None = None


@dataclass(frozen=True, slots=True)
class Root(_Walked):
    """A root; ``degree`` is None for the square root."""

    body: Node
    degree: Node | None
    span: Span


@dataclass(frozen=True, slots=True)
class Neg(_Walked):
    """A leading minus."""

    body: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Juxt(_Walked):
    """Two or more factors side by side: a product, a call, or both."""

    factors: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Infix(_Walked):
    """Two operands and a sign between them, such as ``+``, ``/``, ``·``, ``⊙``, ``‖``."""

    op: str
    left: Node
    right: Node
    op_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Apply(_Walked):
    """A function of the field written before its argument without parentheses (``\\sin mθ``)."""

    function: Node
    argument: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Big(_Walked):
    """A sum, product, maximum, … over what its scripts say, and its body.

    ``op`` is ``sum``, ``prod``, ``max``, ``min``, ``argmax``, ``lim``, ``int`` or ``concat``.
    """

    op: str
    sub: Node | None
    sup: Node | None
    body: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Matrix(_Walked):
    """A matrix, a column of cases, or an array: rows of cells (None for an empty one)."""

    kind: str
    rows: tuple[tuple[Node | None, ...], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Relation(_Walked):
    """``a = b = c``: operands and the signs between them. A missing operand is None."""

    operands: tuple[Node | None, ...]
    signs: tuple[str, ...]
    sign_spans: tuple[Span, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Dots(_Walked):
    """``…`` in any of its forms."""

    span: Span


@dataclass(frozen=True, slots=True)
class Prose(_Walked):
    """Words between formulas, such as ``where`` or ``if``."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Stroke(_Walked):
    """A bare operator used as an operand, such as the ``·`` of ``K(·)``."""

    text: str
    span: Span


Node: TypeAlias = (
    Num
    | Name
    | Script
    | Accent
    | Group
    | Frac
    | Root
    | Neg
    | Juxt
    | Infix
    | Apply
    | Big
    | Matrix
    | Relation
    | Dots
    | Prose
    | Stroke
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of a formula: what stands between commas, wide spaces and line breaks.

    ``before`` is the separator in front of it: ``""`` for the first, ``,``, ``quad``,
    ``row`` or ``prose``; ``words`` are the prose words in front of it (``where``).
    """

    node: Node
    before: str
    words: str = ""


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside one, in reading order."""
    inside = _INSIDE.get(type(node))
    return () if inside is None else inside(node)


def _present(*nodes: Node | None) -> tuple[Node, ...]:
    return tuple(filter(None, nodes))


# By type, since every pass over a formula asks this of every node. The others hold nothing.
_INSIDE: dict[type[Node], Callable[[Any], tuple[Node, ...]]] = {
    Juxt: attrgetter("factors"),
    Group: attrgetter("items"),
    Infix: attrgetter("left", "right"),
    Frac: attrgetter("top", "bottom"),
    Apply: attrgetter("function", "argument"),
    Neg: lambda node: (node.body,),
    Accent: lambda node: (node.base,),
    Root: lambda node: _present(node.body, node.degree),
    Script: lambda node: _present(node.base, node.sub, node.sup),
    Big: lambda node: _present(node.sub, node.sup, node.body),
    Matrix: lambda node: _present(*(cell for row in node.rows for cell in row)),
    Relation: lambda node: _present(*node.operands),
}


PARENTHESES = frozenset(["", "(", "[", "{"])
"""What opens a group that says nothing but what belongs together."""

Maybe = TypeVar("Maybe", Node, Node | None)


def ungrouped(node: Maybe) -> Maybe:
    """What stands between parentheses, if a node is one thing in parentheses: not in bars, nor
    rounded."""
    if isinstance(node, Group) and len(node.items) == 1 and node.open in PARENTHESES:
        return node.items[0]
    return node


def unscripted(node: Maybe) -> Maybe:
    """What scripts stand on: the x of ``x_i^2``, and anything else as it is."""
    return node.base if isinstance(node, Script) else node


def walk(node: Node) -> tuple[Node, ...]:
    """A node and all inside it, in reading order."""
    try:
        return (node, *node._inside)
    except AttributeError:  # asked for the first time
        found = [node]
    for behind, current in enumerate(found, 1):  # and over all that is put in on the way
        if inside := _INSIDE.get(type(current)):
            found[behind:behind] = inside(current)
    node._inside = tuple(found[1:])
    return tuple(found)


def words_in(*nodes: Node) -> set[str]:
    """All letters and words in some nodes."""
    return {inner.text for node in nodes for inner in walk(node) if type(inner) is Name}


Kind = TypeVar("Kind")
Other = TypeVar("Other")


def juxtaposed(node: Node) -> tuple[Node, ...]:
    """What stands side by side in a node; of anything else the one that it is."""
    return node.factors if isinstance(node, Juxt) else (node,)


def subscripts(node: Node) -> Iterator[Node]:
    """What stands below names in a node."""
    return (
        inner.sub for inner in walk(node) if isinstance(inner, Script) and inner.sub is not None
    )


def inside_scripts(node: Script) -> Iterator[Node]:
    """Everything that stands below and above a name."""
    return (inner for at in (node.sub, node.sup) if at is not None for inner in walk(at))


class Nodes(list[Node]):
    """Nodes in reading order, and those of one kind: most passes look for a single kind."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        super().__init__(nodes)
        self.kept: dict[Callable[[Nodes], Any], Any] = {}
        self._kinds = kinds = defaultdict[type, list[Any]](list)
        for node in self:
            kinds[type(node)].append(node)

    @overload
    def of(self, kind: type[Kind], /) -> list[Kind]: ...
    @overload
    def of(self, kind: type[Kind], other: type[Other], /) -> list[Kind | Other]: ...

    def of(self, kind: type, other: type | None = None, /) -> list[Any]:
        """Those of one kind, or of two, one after the other; each in reading order."""
        found = self._kinds[kind]
        return found if other is None else found + self._kinds[other]

    @cached_property
    def words(self) -> frozenset[str]:
        """All letters and words: what looks for one that is not there need not look further."""
        return frozenset([name.text for name in self.of(Name)])


Found = TypeVar("Found")


def once(search: Callable[[Nodes], Found]) -> Callable[[Nodes], Found]:
    """A search through nodes that several rules ask for: what it found is kept with these."""

    @wraps(search)
    def kept(nodes: Nodes) -> Found:
        if search not in nodes.kept:
            nodes.kept[search] = search(nodes)
        found: Found = nodes.kept[search]
        return found

    return kept


class Formula(Nodes):
    """Clauses, and all nodes in them."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        self.clauses = tuple(clauses)
        super().__init__(chain.from_iterable(walk(clause.node) for clause in self.clauses))


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole formula: its clauses in order, problems that do not stop it, and the prose behind."""

    formula: Formula
    problems: tuple[Problem, ...] = ()
    behind: str = ""

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of the formula."""
        return self.formula.clauses


_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(own.name for own in fields(kind)) for kind in get_args(Node)
}

PARTS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in names if name not in ("span", "op_span", "sign_spans", "slash"))
    for kind, names in _FIELDS.items()
}
"""The fields of each kind of node, but for its places."""


def alike(left: object, right: object) -> bool:
    """Whether two nodes are the same but for their places."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if type(left) not in PARTS:
        return left == right
    return all(alike(getattr(left, s), getattr(right, s)) for s in PARTS[type(left)])


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """A node with a change made to each node directly inside it; itself where none is changed."""

    def changed(part: Any) -> Any:
        if type(part) is tuple:
            new = tuple(map(changed, part))
            return part if all(map(is_, part, new)) else new
        return change(part) if type(part) in _FIELDS else part

    kind: Callable[..., Node] = type(node)
    old = [getattr(node, name) for name in _FIELDS[type(node)]]
    new = [changed(part) for part in old]
    return node if all(map(is_, old, new)) else kind(*new)


Change: TypeAlias = Callable[[Any], Node | None]
"""What stands for a node of some kind, whose parts are changed already; None where it stays."""


def changed(node: Node, kind: type[Node], change: Change) -> Node:
    """A node with a change made to each node of a kind in it, from the inside out."""
    if type(node) in _INSIDE:
        node = rebuilt(node, lambda inner: changed(inner, kind, change))
    return (type(node) is kind and change(node)) or node


def rewritten(clauses: Iterable[Clause], kind: type[Node], change: Change) -> tuple[Clause, ...]:
    """The clauses with a change made to each node of a kind in them, from the inside out."""
    return tuple(replace(clause, node=changed(clause.node, kind, change)) for clause in clauses)


def put(node: Node, letter: str, place: Node) -> Node:
    """A node with something else for a letter."""
    return changed(
        node, Name, lambda name: replace(place, span=name.span) if name.text == letter else None
    )
