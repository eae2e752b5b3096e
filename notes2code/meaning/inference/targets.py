"""Left-hand sides: what a statement defines, at which indices and with which parameters."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise

from notes2code.diagnostics import Span, error
from notes2code.latex.tree import (
    Dots,
    Group,
    Juxt,
    Matrix,
    Name,
    Node,
    Script,
    alike,
    unscripted,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, left_hand_sides, positions, script_reader, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define


@dataclass(slots=True)
class Target:
    """A left-hand side: the name, its index positions, and the parameters in parentheses.

    ``whole`` are the parameters that carry no index; ``parts`` are further statements that define
    other elements of the same array. ``row`` is the number of the row that the element has in the
    column on the right-hand side, where both sides are columns. ``counted`` are the places in the
    parentheses of its indices, where it has no others. ``numbered`` of a function are the indices
    of its name, which are the first: the i of ``E_i(x)``; ``elements`` counts those of its only
    parameter, as in ``score(x_i, x_j)``. ``transposed`` says that what stands on
    the right is the transpose of what is defined, ``bold`` how a name alone is set, ``also`` are
    other names that it is given: the μ of ``mean = μ = …``.
    """

    name: str
    indices: tuple[scripts.At, ...] = ()
    parameters: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    span: Span = field(default_factory=lambda: Span(0, 0))
    parts: list[tuple[Define, Target]] = field(default_factory=list)
    row: int | None = None
    counted: tuple[int, ...] = ()
    numbered: int = 0
    elements: int = 0
    transposed: bool = False
    bold: bool = False
    also: tuple[str, ...] = ()


def _rows(use: scripts.Use) -> tuple[scripts.At, ...]:
    """The indices of what is defined: those of ``Y_{i,:}`` are the rows of Y."""
    whole = [at for at in use.indices if at.relation == "∀"]
    rows = use.indices[: len(use.indices) - len(whole)]
    if any(at in rows for at in whole):
        raise error(
            "N2C032",
            f"`{use.name}` is defined by its columns, and not by its rows",
            use.span,
            "define its elements, such as `Y_{ij}`, or each column under a name, such as `y_j`",
        )
    return rows


def read_target(seen: Survey, define: Define) -> Target:
    """The left-hand side of a statement."""
    node = define.target
    if node is None:
        return Target("", span=define.span)
    if isinstance(node, Matrix):
        rows = [read_target(seen, replace(define, target=cell)) for (cell,) in node.rows]
        for at, row in enumerate(rows):
            row.row = at
        rows[0].parts = [(define, row) for row in rows[1:]]
        return replace(rows[0], span=node.span)
    if scripts.is_name(node):
        return _array(seen, define, node)
    assert isinstance(node, Juxt)
    return _function(seen, node)


def _array(seen: Survey, define: Define, node: Node) -> Target:
    """The name of an array, with the indices of its elements."""
    use = script_reader.read(
        node,
        seen.bound,
        True,
        seen.steps,
        raised=seen.raised,
        listed=seen.listed,
        times=seen.times,
    )
    others = (seen.understood(value) for value in define.values[:-1])
    return Target(
        _defined_name(use),
        _rows(use),
        span=node.span,
        transposed=use.transposed,
        bold=use.bold,
        also=tuple(use.name for use in others if use is not None and not use.indices),
    )


def _function(seen: Survey, node: Juxt) -> Target:
    """The name of a function, and what it is given."""
    use = script_reader.read(node.factors[0], seen.bound, True, seen.steps)
    behind = node.factors[1]
    group = unscripted(behind)
    assert isinstance(group, Group)
    indices = list(use.indices)
    if left_hand_sides.is_positional(node):
        indices.extend(scripts.At(item) for item in group.items)
        return Target(use.name, tuple(indices), span=node.span)
    if group.open == "[" and any(binders.bare(i) in (*"ijklmnt",) for i in group.items):
        raise error(
            "N2C032",
            f"the row that stands in `{binders.bare(node.factors[0])}[…]` is not computed",
            node.span,
            "write the index below the name, such as `y_i`",
        )
    told = [item for item in left_hand_sides.told_indices(node) if item.text in seen.targets]
    indices.extend(scripts.At(item) for item in told)
    parameters, whole = _parameters(seen, group, told, indices)
    if isinstance(behind, Script) and behind.sub is not None:
        indices.extend(scripts.At(part) for part in scripts.parts(behind.sub, seen.bound))
    plain = {at.node.text for at in indices if isinstance(at.node, Name)}
    indices = [at for at in indices if not _is_neighbour(at.node, plain)]
    unique = tuple(dict.fromkeys(parameters))
    weighed = _weighed(seen, use, group)
    indices = [at for at in indices if names.label(at.node) not in weighed]
    target = Target(_defined_name(use), tuple(indices), unique, tuple(whole), node.span)
    target.numbered = len(use.indices)
    if len(unique) == 1 and not whole and len(parameters) == len(group.items) > 1:
        target.elements = len(parameters)
    if len(indices) == len(told):
        target.counted = tuple(at for at, item in enumerate(group.items) if item in told)
    return target


def _parameters(
    seen: Survey, group: Group, told: Sequence[Node], indices: list[scripts.At]
) -> tuple[list[str], list[str]]:
    """What a function is given, but for the ``told`` places, and what of that is no element; the
    ``indices`` of the others are added to those of the function."""
    parameters: list[str] = []
    whole: list[str] = []
    listed = any(isinstance(item, Dots) for item in group.items)
    for item in group.items:
        if not scripts.is_name(item) or item in told:
            continue
        inner = seen.use(item)
        name = inner.name
        if listed and "_" in name:  # w_1, …, w_n are the array w
            parameters.append(name.rpartition("_")[0])
            continue
        if inner.indices and name in whole:
            name = names.code_name(name, *(names.label(at.node) for at in inner.indices))
        parameters.append(name)
        if not inner.indices:
            whole.append(name)
        indices.extend(at for at in inner.indices if not _is_among(at, indices))
    return parameters, whole


def _weighed(seen: Survey, function: scripts.Use, group: Group) -> Set[str]:
    """The letters that count keys and values: the t of ``Attention(q, k_t, v_t)``, which gives what
    all of them come to, and not one thing for each. Those of queries and heads are none, and a K_j
    is a block of keys."""
    uses = [use for use in map(seen.understood, group.items) if use is not None]
    letters: dict[str, set[str]] = {}
    for use in (function, *uses):
        role = names.base_letter(use.name)
        letters.setdefault(role if role in ("k", "v") else "", set()).update(
            names.label(at.node) for at in use.indices
        )
    both = letters.get("k", set()) & letters.get("v", set())
    return both - letters.get("", set()) - seen.of_heads


def _is_among(at: scripts.At, others: Sequence[scripts.At]) -> bool:
    """Whether an index is written before, as the i of both in ``ℓ(x_i, y_i)``."""
    return any(alike(at.node, other.node) and at.relation == other.relation for other in others)


def _is_neighbour(node: Node, letters: Set[str]) -> bool:
    """Whether an index is the ``t - 1`` beside a ``t``: it counts no axis of its own."""
    shifted = positions.shift(node)
    return shifted is not None and not isinstance(node, Name) and shifted[0] in letters


def _defined_name(use: scripts.Use) -> str:
    """The σ² that is defined has a name of its own; what else stands above is a label: nobody
    defines another power."""
    if use.power is None:
        return use.name
    if scripts.is_two(use.power):
        return f"{use.name}_squared"
    labels = (inner.text for inner in walk(use.power) if isinstance(inner, Name))
    return "_".join((use.name, *filter(str.isidentifier, labels)))


_ACTIVATIONS = frozenset(
    "gelu silu swish relu elu selu sigmoid tanh softplus mish sigma phi psi Phi leakyrelu "
    "logistic hardswish".split()
)


def acts_on_numbers(seen: Survey, target: Target, values: Sequence[Node]) -> bool:
    """Whether a left-hand side names an activation: its argument is a number. A clip has bounds
    besides. The x of ``\\phi(x) = \\exp(W x)`` is none."""
    base = target.name.split("_")[0]
    if base in names.CLIPS:
        return True
    known = base in _ACTIVATIONS or base.lower() in _ACTIVATIONS or base in names.KERNELS
    return len(target.whole) == 1 and known and not _maps(seen, target.whole[0], values)


def _maps(seen: Survey, name: str, values: Sequence[Node]) -> bool:
    """Whether an argument stands beside a matrix, or beside what is transposed: ``W x``,
    ``w^\\top x``."""
    for product in (node for value in values for node in walk(value) if isinstance(node, Juxt)):
        for pair in pairwise(product.factors):
            uses = [use for use in map(seen.understood, pair) if use is not None]
            if any(use.name == name for use in uses) and any(
                use.transposed or names.base_letter(use.name) in _MATRICES for use in uses
            ):
                return True
    return False


_MATRICES = frozenset("ABMQRUW")
"""What maps a vector; a capital such as P may be a function of what stands behind it."""
