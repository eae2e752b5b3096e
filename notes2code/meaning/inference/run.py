"""One attempt at typing a formula: its symbols, its sizes, and the choices it has made.

Where notation leaves a choice (is x a vector or a matrix? is u vᵀ a number or a matrix?), the
attempt takes the option that its plan names, else the field's custom, and counts what speaks
against it. The search (:mod:`notes2code.meaning.inference.search`) then tries other plans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from notes2code.diagnostics import Problem, ProblemError, Span, error, note
from notes2code.latex.quoting import quoted
from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Index, Num, Size
from notes2code.meaning.names import axis_names
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.scope import Scope, Shape
from notes2code.records import dataclass

if TYPE_CHECKING:
    from notes2code.latex.tree import Node
    from notes2code.meaning.inference.values import Value


T = TypeVar("T")

_OF_SCORES = {"d_q", "d_k"}
"""The sizes of queries and keys, which notes declare apart and multiply."""

NO_FIT = "shapes do not meet: "
"""How the message of an error of shapes begins."""


@dataclass(slots=True)
class Symbol:
    """An input that the formula uses: its axes in order, those it is indexed by first.

    ``owner`` is the call of a function whose weight it is, "" for what the formula itself names.
    """

    name: str
    axes: tuple[Size, ...]
    written: str
    span: Span
    kind: str = "array"
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Defined:
    """What another statement of the formula defines: a name for it, and its array.

    ``indexed`` counts the axes that the note writes as indices of the name; ``called`` says that
    its left-hand side has parameters, which its uses repeat, also with other letters: ``arguments``
    are those of ``score(q_i, k_j)``, and ``letters`` its i and j.
    """

    name: str
    array: ir.Lambda
    indexed: int
    called: bool = False
    arguments: tuple[Node, ...] = ()
    letters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reach:
    """The elements of an axis that may be reached, and where the note says so: ``K_{≤i}``."""

    condition: Expr
    span: Span


@dataclass(slots=True)
class Decision:
    """A choice that was met: its key, what could be chosen (with costs), and the cost of the
    attempt before it."""

    key: str
    options: Sequence[tuple[object, float]]
    before: float


class Dearer(Exception):
    """An attempt that cannot be better than one before it."""


@dataclass(slots=True)
class Run:
    """The state of one attempt. ``latex`` is the formula, for messages that quote it; ``limit``
    is the cost of the best attempt so far. ``defines`` are the names of all that the formula
    defines. ``whole`` is the value in work, ``on_left`` are the letters of its left-hand side.
    ``gives_number`` tells that the left-hand side is by custom a number, ``gives_rows`` one of
    several vectors, such as h_t, ``gives_matrix`` one of several matrices, and ``gives_state`` that
    it is a state, as c_t is.
    ``over_elements`` tells that a sum without an index adds up elements of what is in work.
    ``events`` are what probabilities are of, by their names.
    ``made`` are the names in code of what the statements typed so far define.
    ``windows`` are the sizes of what moves along an axis, which are no sizes of that.
    ``limits`` are the places where the note says of a name where it is defined.
    ``left_out`` are the arguments of each function that its definition does not compute with.
    ``given`` are the ranks of what each function that nobody defines is given first, ``picked``
    those of which elements are taken, ``G(x)_i``,
    ``members`` how many functions a family such as h_i has, by its name and the place of the
    index. ``rows`` are the products u vᵀ that are taken for dot products of rows.
    ``numbers`` are letters of matrices that are taken for numbers, as they are written,
    ``vectors`` those that are taken for vectors, and
    ``bent`` the small letters of vectors that are matrices in this attempt.
    ``unranged`` is what the author must be told of an index without a range, or of a pair of unlike
    things, where this reading is the one: a stranger reading is no way out."""

    latex: str
    scope: Scope
    seen: Survey
    rules: Mapping[type, Callable[[Run, Any], Value]]
    plan: Mapping[str, int] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    decided: dict[str, Any] = field(default_factory=dict)
    cost: float = 0.0
    limit: float = inf
    symbols: dict[str, Symbol] = field(default_factory=dict)
    pending: dict[str, Size] = field(default_factory=dict)
    indices: dict[str, Index] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    functions: dict[str, ir.Equation] = field(default_factory=dict)
    conflicts: list[tuple[float, str, Span]] = field(default_factory=list)
    sites: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    defined: dict[str, Defined] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    defines: frozenset[str] = frozenset()
    parameters: tuple[str, ...] = ()
    whole_parameters: tuple[str, ...] = ()
    elementwise: bool = False
    over_elements: bool = False
    gives_number: bool = False
    gives_rows: bool = False
    gives_matrix: bool = False
    gives_state: bool = False
    families: int = 0
    separate: dict[str, str] = field(default_factory=dict)
    begun: set[Index] = field(default_factory=set)
    """Indices with whose first number some array begins."""
    statement: int = 0
    step: Index | None = None
    summed: list[str] = field(default_factory=list)
    target_letters: list[str] = field(default_factory=list)
    on_left: frozenset[str] = frozenset()
    whole: Node | None = None
    scales: dict[str, Index] = field(default_factory=dict)
    members: dict[tuple[str, int], Size] = field(default_factory=dict)
    given: dict[str, tuple[int, ...]] = field(default_factory=dict)
    within: dict[Index, Expr] = field(default_factory=dict)
    compared: list[tuple[Index, Index]] = field(default_factory=list)
    nested: list[tuple[Index, Index]] = field(default_factory=list)
    windows: set[str] = field(default_factory=set)
    reach: dict[Index, Reach] = field(default_factory=dict)
    limits: dict[str, Span] = field(default_factory=dict)
    events: dict[str, tuple[str, ...]] = field(default_factory=dict)
    picked: set[str] = field(default_factory=set)
    left_out: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rows: list[Span] = field(default_factory=list)
    numbers: dict[str, Span] = field(default_factory=dict)
    vectors: dict[str, Span] = field(default_factory=dict)
    bent: set[str] = field(default_factory=set)
    unranged: ProblemError | None = None

    def lower(self, node: Node) -> Value:
        """The value of a node, by the rule for its type. Raises ``ProblemError`` at the exact
        place that makes no sense."""
        return self.rules[type(node)](self, node)

    # --- choices -------------------------------------------------------------------------

    def choose(self, key: str, options: Sequence[tuple[T, float]]) -> T:
        """The option for ``key`` that the plan names, else the first; its cost is counted.

        Costs only grow, and so do those of the plans that differ from here on: raises ``Dearer``
        where the best attempt so far cannot be beaten any more.
        """
        if key in self.decided:
            decided: T = self.decided[key]
            return decided
        taken = self.plan.get(key, 0) if len(options) > 1 else 0
        value, cost = options[taken]
        if len(options) > 1:
            self.decisions.append(Decision(key, options, self.cost))
        self.pay(cost)
        self.decided[key] = value
        return value

    def pay(self, cost: float) -> None:
        """Count the cost of what goes against custom. Raises ``Dearer`` as ``choose`` does."""
        self.cost += cost
        if self.cost >= self.limit:
            raise Dearer

    def quote(self, span: Span) -> str:
        """The formula's text at a span, as it may be shown."""
        return quoted(self.latex, span)

    # --- sizes ---------------------------------------------------------------------------

    def size(self, name: str) -> Size:
        """The size that the note calls by a name; all uses of the name are one size."""
        if name not in self.pending:
            self.pending[name] = Size(name, 2)
        return find(self.pending[name])

    def custom_axes(self, name: str, rank: int, either: bool) -> tuple[Size, ...]:
        """The sizes that the field's custom gives an array of this name and rank; where it may be
        of ``either`` convention, its rows are the columns of all matrices or of none."""
        named = axis_names(name, rank, self.seen.attends)
        if either and rank == 2 and self.seen.has_matrices and named[0] != named[1]:
            column = self.choose("column", ((False, 0.0), (True, 0.5)))
            named = named[::-1] if column else named
        return tuple(Size(n, 1 if n else 0, kind) for n, kind in named)

    def unify(self, left: Size, right: Size, where: Span) -> None:
        """Make two sizes one. Sizes that the note itself tells apart are an error; those that
        only custom tells apart count against this attempt."""
        left, right = _plain(left), _plain(right)
        if left is right:
            return
        if left.value is not None and right.value is not None:
            self._unify_values(left, right, where)
            return
        if {left.name, right.name} == _OF_SCORES:
            text = "d_q and d_k are one size: queries and keys are multiplied"
            self.problems.append(note("N2C039", text, where))
        elif left.rank == right.rank == 2 and left.value is None and right.value is None:
            # What stands on the right was met last.
            symbols = list(self.symbols.values())
            found = (_whence(left, symbols), _whence(right, symbols[::-1]))
            whence = "; ".join(filter(None, found))
            message = f"{left.name} and {right.name} are different sizes"
            self.conflict(9, f"{message} ({whence})" if whence else message, where)
        elif (
            left.kind and right.kind and left.kind != right.kind and not (left.rank and right.rank)
        ):
            self.pay(1)  # only a guess about an axis without a name speaks against it
        elif left.kind and right.kind and left.kind != right.kind:
            self.conflict(3, f"{_named(left)} meets {_named(right)}", where)
        elif (
            left.rank == right.rank == 1
            and left.name != right.name
            and "d" not in (left.name, right.name)
        ):
            self.conflict(1, f"{left.name} and {right.name} are taken to be equal", where)
        if left.value is not None or right.value is not None:
            self._check_occurrence(left, right, where)
            named, number = (right, left) if left.value is not None else (left, right)
            if number.value == ir.ONE and named.rank == 2:
                self.conflict(9, f"{named.name} is a size of the note's, and would be 1", where)
            if max(left.rank, right.rank) == 2 and any(
                isinstance(s.value, ir.Add) for s in (left, right)
            ):
                self.pay(0.5)  # the d of E ∈ ℝ^{(N+1)×d} is hardly N + 1
        keep, drop = (left, right) if _firmer(left, right) else (right, left)
        drop.link = keep
        keep.kind = keep.kind or drop.kind

    def _check_occurrence(self, left: Size, right: Size, where: Span) -> None:
        """A size that is a part of another cannot be equal to it."""
        whole, part = (left, right) if left.value is not None else (right, left)
        assert whole.value is not None
        pending, met = [whole.value], set[Size]()
        while pending:
            roots = {find(expr) for expr in ir.walk(pending.pop()) if isinstance(expr, Size)}
            if part in roots:
                text = "an array would have to be as long as itself and another"
                self.conflict(9, text, where)
            pending += [root.value for root in roots - met if root.value is not None]
            met |= roots  # two sizes may be made of the same one, or of each other

    def _unify_values(self, left: Size, right: Size, where: Span) -> None:
        assert left.value is not None and right.value is not None
        if same_size(left.value, right.value):
            right.link = left
        elif {type(left.value), type(right.value)} == {Num, ir.Add}:
            text = "the parts of a joined array would have to be as long as a number says"
            self.conflict(9, text, where)
        elif isinstance(left.value, Num) and isinstance(right.value, Num):
            message = f"{left.value.value} and {right.value.value} are different sizes"
            self.conflict(9, message, where)
        else:
            right.link = left
            self._unify_terms(left.value, right.value, where)

    def _unify_terms(self, left: Expr, right: Expr, where: Span) -> None:
        """The positions of ``[P_k; K]`` and those of ``[P_v; V]``: part by part they are as many,
        wherever that makes them as many together. Of joined heads and ``n_h d_h`` features, each
        head has what is left of these."""
        if isinstance(left, ir.Mul) and isinstance(right, ir.Mul):
            match _without(left, right), _without(right, left):
                case [one], [other] if min(one.rank, other.rank) < 2:
                    self.unify(one, other, where)
        if not isinstance(left, ir.Add) or not isinstance(right, ir.Add):
            return
        pairs = list(zip(left.terms, right.terms, strict=False))
        if len(left.terms) == len(right.terms):
            for mine, theirs in pairs:
                if isinstance(mine, Size) and isinstance(theirs, Size):
                    self.unify(mine, theirs, where)

    def conflict(self, cost: float, message: str, where: Span) -> None:
        """Count what speaks against this attempt; a sure contradiction ends it."""
        if cost >= 9:
            raise error("N2C040", NO_FIT + message, where)
        self.conflicts.append((cost, message, where))
        self.pay(cost)


def _firmer(left: Size, right: Size) -> bool:
    """Whether the left size is the one to keep."""
    if (left.value is None) != (right.value is None):
        return left.value is not None and right.rank < 2
    return left.rank >= right.rank


def _whence(size: Size, symbols: Iterable[Symbol]) -> str:
    """Which array a size is an axis of, and who says so."""
    for symbol in symbols:
        for at, axis in enumerate(symbol.axes):
            if find(axis) is size:
                axes = ("rows", "columns") if len(symbol.axes) == 2 else ("entries",)
                what = axes[at] if len(symbol.axes) < 3 else f"axis {at + 1}"
                said = "as declared" if axis.rank == 2 else "by custom"
                return f"{size.name}: the {what} of `{symbol.name}`, {said}"
    return ""


def _named(size: Size) -> str:
    axis = {"sequence": "an axis of positions", "feature": "an axis of features"}[size.kind]
    return f"{axis} ({size.name})" if size.name else axis


def find(size: Size) -> Size:
    """The size that stands for all that were unified with this one."""
    while size.link is not None:
        if size.link.link is not None:
            size.link = size.link.link
        size = size.link
    return size


def _plain(size: Size) -> Size:
    """The size itself, where another is computed to be as long as it (2·d/2)."""
    size = find(size)
    return _plain(size.value) if isinstance(size.value, Size) else size


def find_index(index: Index) -> Index:
    """The index that stands for all that were unified with this one."""
    while index.link is not None:
        if index.link.link is not None:
            index.link = index.link.link
        index = index.link
    return index


def same_size(left: Expr, right: Expr) -> bool:
    """Whether two expressions of sizes are the same, up to the order of factors and terms."""
    return _polynomial(left) == _polynomial(right)


def _without(product: ir.Mul, other: ir.Mul) -> list[Size]:
    """The factors of one product of sizes that another has not; none if there are others."""
    roots = [find(factor) for factor in product.factors if isinstance(factor, Size)]
    theirs = [find(factor) for factor in other.factors if isinstance(factor, Size)]
    of_sizes = len(roots) == len(product.factors)
    return [root for root in roots if root not in theirs] if of_sizes else []


def _polynomial(expr: Expr) -> frozenset[tuple[frozenset[tuple[int, int]], Fraction]]:
    terms: dict[frozenset[tuple[int, int]], Fraction] = {}
    for term in ir.terms(expr):
        coefficient = Fraction(1)
        powers: dict[int, int] = {}
        for factor in ir.factors(term):
            base, exponent = factor, 1
            if isinstance(factor, ir.Pow) and isinstance(factor.exponent, Num):
                base, exponent = factor.base, int(factor.exponent.value)
            if isinstance(base, Size):
                root = find(base)
                if root.value is not None and isinstance(root.value, Num):
                    coefficient *= Fraction(root.value.value) ** exponent
                else:
                    powers[id(root)] = powers.get(id(root), 0) + exponent
            elif isinstance(base, Num):
                coefficient *= Fraction(base.value) ** exponent
            else:
                powers[id(base)] = powers.get(id(base), 0) + exponent
        key = frozenset(powers.items())
        terms[key] = terms.get(key, Fraction(0)) + coefficient
    return frozenset(item for item in terms.items() if item[1])
