"""What templates see of an attention: its mask and its score as code, and its formula in NumPy."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from notes2code.components.around import HOLE
from notes2code.components.compiling import in_own_sizes
from notes2code.components.distances import PAIR, Relative, relative
from notes2code.components.recognise import Recognised
from notes2code.components.rows import rows_of
from notes2code.components.settings import (
    chosen,
    fills_far_below,
    is_causal,
    keeps_own,
    with_infinity,
)
from notes2code.emit.batched import Formula
from notes2code.emit.fractions import fraction
from notes2code.emit.graph import EmitError
from notes2code.emit.torch_expression import Local, torch_expression
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Cases,
    Compare,
    Expr,
    Idx,
    Index,
    Lambda,
    Mul,
    Pow,
    Ref,
    Size,
    Softmax,
)

TURN, MATRICES = "Turn", "R"
"""The roles of the function that turns rows by their positions, and of matrices that do."""

QUERY_SIZES = {
    "d_k": "query.size(-1)",
    "n": "query.size(-2)",
    "m": "key.size(-2)",
    "like": "query",
}
"""The texts of the sizes in a class's ``forward``, and of a tensor like its scores."""


class Attention:
    """A recognised attention, whatever its score.

    Its scores have the axes ``rows``, which are the note's heads and its queries, and ``column``,
    the keys; an axis that the note does not have, such as that of the queries where it writes
    one query, is missing. The mask is taken apart into what the class has an argument for
    (``causal``, ``bias``) and the rest, which depends on positions.
    """

    def __init__(self, recognised: Recognised) -> None:
        self.recognised = recognised
        self.found = recognised.found
        self.inputs = {given.name: given for given in recognised.equation.inputs}
        self.rows, self.column = self._axes()

    def _axes(self) -> tuple[tuple[Index, ...], Index | None]:
        """The note's indices of heads and queries, and that of the keys."""
        pattern = self.recognised.form.pattern.value
        soft = next((e for e in ir.walk(pattern.body) if isinstance(e, Softmax)), None)
        query, key = self._outer("q"), self._outer("k")
        if soft is None:
            own = [index for index in key if index not in query]
            queries = [self.found.indices[i] for i in pattern.indices if i in _places(pattern, "q")]
            return (*query, *queries), own[-1] if own else self._summed(pattern.body)
        rows = [
            self.found.indices[i] for i in rows_of(soft.body, soft.index) if i in pattern.indices
        ]
        return (*self._joined, *query, *rows), self.found.indices[soft.index]

    @property
    def _joined(self) -> tuple[Index, ...]:
        """The index of heads that are joined, where what is added differs from head to head."""
        mask = self.recognised.settings.get("mask")
        own = mask.indices if mask is not None else ()
        known = {*self.found.indices.values()}
        return tuple(index for index in own if index not in known)

    def _summed(self, body: Expr) -> Index | None:
        """The note's index for that of the component's keys, if its formula has one."""
        places = (e.at[0] for e in ir.walk(body) if isinstance(e, Ref) and e.array == "k" and e.at)
        first = next((place for place in places if isinstance(place, Idx)), None)
        if first is None:
            return None
        own = first.index in self.recognised.form.pattern.value.indices
        whole = own or self.recognised.form.part != "scores"
        return self.found.indices[first.index] if whole else None

    def _outer(self, role: str) -> tuple[Index, ...]:
        """The indices that the note's array in a role has and the component's does not."""
        bound = self.found.roles.get(role)
        return tuple(p.index for p in bound.outer if isinstance(p, Idx)) if bound else ()

    @property
    def axes(self) -> tuple[Index, ...]:
        """The axes of the scores."""
        return (*self.rows, self.column) if self.column else self.rows

    @property
    def heads(self) -> tuple[Index, ...]:
        """The axes of the scores that the keys have too: heads, or a batch."""
        return tuple(index for index in self._outer("q") if index in self._outer("k"))

    @cached_property
    def learned(self) -> frozenset[str]:
        """The numbers of a kernel that are weights, by their letter, and the share of an attention
        that is taken from another."""
        if "lambda" in self.recognised.settings:
            return frozenset() if self.vectors else self.shares
        if "kernel" not in self.recognised.settings:
            return frozenset()
        body = self.recognised.settings["kernel"].body
        used = {part.array for part in ir.walk(body) if isinstance(part, Ref)}
        return frozenset(name for name in used if name.split("_")[0] in ("w", "W"))

    @property
    def shares(self) -> frozenset[str]:
        """The numbers that the share of an attention which is taken from another is made of."""
        given = self.recognised.settings.get("lambda")
        return frozenset() if given is None else frozenset(_scalars(given.body))

    @cached_property
    def vectors(self) -> tuple[str, ...]:
        """The learned vectors that such a share is computed from; numbers beside them are given."""
        if "lambda" not in self.recognised.settings:
            return ()
        body = self.recognised.settings["lambda"].body
        names = dict.fromkeys(part.array for part in ir.walk(body) if isinstance(part, Ref))
        return tuple(name for name in names if len(self.inputs[name].shape) == 1)

    @cached_property
    def foreign_sizes(self) -> frozenset[Size]:
        """The sizes that the settings name and that no input in the component's roles has."""
        given = {i.name for i in self.inputs.values() if i.kind == "size"}
        values = self.recognised.settings.values()
        tables = [*map(relative, values), self.table]
        bounds = {table.bound for table in tables if table is not None}
        used = {size for value in values for size in _sizes(value.body)} - bounds
        return frozenset(size for size in used if size.name in given)

    # --- the mask ------------------------------------------------------------------------

    @cached_property
    def _terms(self) -> tuple[Expr, ...]:
        """What is added to the scores; a condition under which they are taken adds −∞ elsewhere."""
        terms: list[Expr] = []
        mask, reach = (self.recognised.settings.get(name) for name in ("mask", "reach"))
        if mask is not None:
            terms += mask.body.terms if isinstance(mask.body, ir.Add) else (mask.body,)
        if reach is not None:
            last = self.column or reach.indices[-1]
            condition = ir.substitute(reach.body, {reach.indices[-1]: Idx(last)})
            terms.append(Cases(((condition, ir.ZERO),), ir.MINUS_INFINITY))
        return tuple(map(_filled, terms))

    @property
    def causal(self) -> bool:
        """Whether a query sees only the keys up to its own position."""
        own = self.recognised.form.part.startswith("causal")
        return own or any(map(self._is_causal, self._terms))

    def _is_causal(self, term: Expr) -> bool:
        """Whether a term is a causal mask, and does not leave only what comes later."""
        if not (is_causal(Lambda((), term)) and isinstance(term, Cases) and self.column):
            return False
        condition, value = term.branches[0]
        assert isinstance(condition, Compare)
        smaller = condition.left if condition.op in ("<", "≤") else condition.right
        return (smaller == Idx(self.column)) == (value == ir.ZERO)

    @property
    def aligned(self) -> bool:
        """Whether the last query stands where the last key does, since scores go by position."""
        return bool(self.causal or self.table or self._by_distance)

    @property
    def _by_distance(self) -> bool:
        """Whether keys and values differ, or are turned, by how far they are from a query."""
        recognised = self.recognised
        turned = {*recognised.functions, *self.found.roles} & {TURN, MATRICES}
        return bool({"keys", "values"} & recognised.settings.keys() or turned)

    @property
    def ordered(self) -> bool:
        """Whether it matters where queries and keys stand."""
        return self.causal or self._by_distance or bool(self._by_position(has_table=False))

    @property
    def checks(self) -> str:
        """The class of what holds of every such attention, in its tests."""
        return "AttentionChecks" if self.ordered else "UnorderedChecks"

    @property
    def keys_first(self) -> bool:
        """Whether a score is computed of a key and a query, joined in this order."""
        body = self.recognised.form.pattern.value.body
        joined = (e for e in ir.walk(body) if isinstance(e, ir.Concat))
        firsts = (ir.walk(one.parts[0].body) for one in joined)
        return any(isinstance(e, Ref) and e.array == "k" for first in firsts for e in first)

    @property
    def masked(self) -> bool:
        """Whether the formula adds anything to the scores."""
        return bool(self._terms)

    @property
    def biases(self) -> tuple[str, ...]:
        """The inputs that are added to the scores: the class's argument ``bias``."""
        return tuple(bias[0].array for bias in map(self._bias, self._terms) if bias)

    @cached_property
    def keeps(self) -> Mapping[str, tuple[tuple[Index, ...], int]]:
        """The inputs of zeros and ones that say which keys a query sees, the class's argument
        ``keep_mask``: their axes, and the number that keeps a key."""
        return {
            name: (axes, kept) for name, axes, kept in filter(None, map(self._keep, self._terms))
        }

    def _keep(self, term: Expr) -> tuple[str, tuple[Index, ...], int] | None:
        conditions = (
            [condition for condition, _ in term.branches] if isinstance(term, Cases) else []
        )
        arrays = {c.left for c in conditions if isinstance(c, Compare)}
        if len(arrays) != 1 or not isinstance(array := arrays.pop(), Ref) or not array.at:
            return None
        if list(array.at) != [Idx(axis) for axis in self.axes][-len(array.at) :]:
            return None
        added = [chosen(term, array, number) for number in (0, 1)]
        if sorted(added, key=lambda value: value == ir.ZERO) != [ir.MINUS_INFINITY, ir.ZERO]:
            return None
        return array.array, self.axes[-len(array.at) :], added.index(ir.ZERO)

    @cached_property
    def table(self) -> Relative | None:
        """The learned numbers, one for each distance, that are added to the scores."""
        return next((found for found in map(self._table, self._terms) if found), None)

    def _table(self, term: Expr) -> Relative | None:
        if self.column is None or not self.rows:
            return None
        found = relative(Lambda((self.rows[-1], self.column), term))
        return None if found is None or found.kind == PAIR or found.heads else found

    def _bias(self, term: Expr) -> tuple[Ref, Expr] | None:
        """An input that is added to the scores, and the one number that it is multiplied with."""
        places = [Idx(axis) for axis in self.axes]
        factors = term.factors if isinstance(term, Mul) else (term,)
        arrays = [f for f in factors if isinstance(f, Ref) and f.at]
        rest = ir.mul(*(f for f in factors if f not in arrays))
        if len(arrays) != 1 or ir.free_indices(rest):
            return None
        (array,) = arrays
        return (array, rest) if list(array.at) == places[-len(array.at) :] else None

    def bias_scale(self, numbers: Mapping[str, str] | None = None, **known: str) -> str:
        """What the formula multiplies its biases with, as PyTorch; "" if with nothing. ``numbers``
        gives the texts of numbers, which are the class's own by default."""
        scales = {bias[1] for bias in map(self._bias, self._terms) if bias}
        if len(scales) > 1:
            raise EmitError(
                f"what is added to the scores, {' and '.join(self.biases)}, is multiplied with "
                "several numbers, and the class has one argument for it"
            )
        (scale,) = scales or {ir.ONE}
        if scale == ir.ONE:
            return ""
        return self.rendered("mask", scale, {}, known, within="*", numbers=numbers)

    def positions(self, has_table: bool = False, **known: str) -> str:
        """What else is added to the scores, as PyTorch; "" if nothing is. A class that has the
        ``table`` adds that by itself."""
        terms = self._by_position(has_table)
        return self.rendered("mask", ir.add(*terms), {}, known) if terms else ""

    def _by_position(self, has_table: bool) -> tuple[Expr, ...]:
        given = (self._bias, self._keep)
        own = (term for term in self._terms if all(found(term) is None for found in given))
        rest = tuple(term for term in own if not self._is_causal(term))
        of_keys = all(self.column in ir.free_indices(term) for term in rest)
        if self.recognised.component.normalised and not of_keys:
            raise EmitError(
                "what is added to the scores is the same for all keys: a softmax does not see it"
            )
        return tuple(term for term in rest if not (has_table and self._table(term)))

    def counted(self, has_table: bool = False) -> Mapping[str, str]:
        """The names of the positions that ``positions`` uses: ``n`` of queries, ``m`` of keys."""
        used = {i for term in self._by_position(has_table) for i in ir.free_indices(term)}
        return {
            self._position(axis): "nm"[axis is self.column] for axis in self.axes if axis in used
        }

    def _position(self, axis: Index) -> str:
        """The variable that holds the positions along an axis."""
        if axis not in (*self.rows[-1:], self.column) or axis in self.heads:
            raise EmitError(
                "what is added to the scores is computed for each head: the class takes a bias of "
                "each head, as in `+ B_i`"
            )
        return "j" if axis is self.column else "i"

    # --- code ----------------------------------------------------------------------------

    def code(self, setting: str, x: str = "x", within: str = "", **known: str) -> str:
        """A setting as PyTorch: ``x`` is the text of the argument of a function setting, ``known``
        gives that of the component's sizes, ``within`` the operator that the text is put beside."""
        value = self.recognised.settings[setting]
        return self.rendered(setting, value.body, {HOLE: x}, known, within)

    @property
    def _scale(self) -> Expr:
        """The number that the formula multiplies its products with."""
        if "scale" not in self.recognised.settings:
            return ir.ONE
        body = self.recognised.settings["scale"].body
        if any(isinstance(e, Ref) and e.at for e in ir.walk(body)) or ir.free_indices(body):
            raise EmitError("the scale is not one number for all queries and keys")
        return body

    def scale(self, **known: str) -> str:
        """The formula's scale as PyTorch; 1.0 if it has none."""
        if self._scale == ir.ONE:
            return "1.0"
        above, below = fraction(self._scale)
        match below:
            case Pow(base, exponent) if above == ir.ONE:
                return self.rendered("scale", Pow(base, ir.negative(exponent)), {}, known)
            case _ if above == ir.ONE:
                return f"1 / {self.rendered('scale', below, {}, known, within='/')}"
        return self.rendered("scale", self._scale, {}, known)

    def scaled(self, product: str, **known: str) -> str:
        """A product times the formula's scale, if it has one."""
        if self._scale == ir.ONE:
            return product
        above, below = fraction(self._scale)
        sign, number = ("/", below) if above == ir.ONE else ("*", self._scale)
        return f"{product} {sign} {self.rendered('scale', number, {}, known, within=sign)}"

    def rendered(
        self,
        setting: str,
        body: Expr,
        holes: Mapping[str, str],
        known: Mapping[str, str] | None = None,
        within: str = "",
        numbers: Mapping[str, str] | None = None,
    ) -> str:
        """An expression of a setting as PyTorch; ``holes`` gives the texts of arrays that have
        the axes of the scores, ``numbers`` those of numbers that the class is made with."""
        texts = {**QUERY_SIZES, **(known or {})}
        numbers = numbers or {}
        given: dict[Expr | str, Local] = {h: Local(text, self.axes) for h, text in holes.items()}
        named = in_own_sizes(self.recognised, Lambda((), body)).body
        for index in ir.free_indices(named):
            name = self._position(index)
            axes = (index, self.column) if name == "i" and self.column else (index,)
            given[Idx(index)] = Local(name, axes, batched=False)
        for axis, name in ((self.rows[-1] if self.rows else None, "n"), (self.column, "m")):
            if axis is not None:
                given[axis.size] = Local(texts[name], kind="int")
        for size in _sizes(named):
            if size.name in texts:
                given.setdefault(size, Local(texts[size.name], kind="int"))
            elif size in self.foreign_sizes:
                given[size] = Local(numbers.get(size.name, f"self.{size.name}"), kind="int")
            elif size not in given:
                raise EmitError(f"the {setting} depends on the size {size.name}, unknown there")
        for array in sorted({e.array for e in ir.walk(named) if isinstance(e, Ref)} - {*holes}):
            if array in self.vectors:
                axis = Index(array, Size(array))
                given[array] = Local(f"self.{array}", (axis,), batched=False)
                continue
            if self.inputs[array].shape:
                raise EmitError(
                    f"the {setting} is computed from {array}, for which the class has no argument"
                )
            kind = "tensor" if array in self.learned else "float"
            given[array] = Local(numbers.get(array, f"self.{array}"), kind=kind, batched=False)
        whole = _held(named, holes, self.axes)
        return torch_expression(whole, given, self.axes, like=texts["like"], within=within)

    # --- the formula ---------------------------------------------------------------------

    def formula(
        self, roles: Mapping[str, tuple[str, str]], numbers: Sequence[str], output: str = "nv"
    ) -> Formula:
        """How a test evaluates the formula for all queries of all sequences of a batch.

        ``roles`` gives the variable for each role and a letter for each of its axes in the class
        (``q: ("query", "nd")``), ``numbers`` the numbers that the class is made with,
        ``output`` the letters of what it gives.
        """
        return Formula(self, roles, numbers, output)


def _filled(term: Expr) -> Expr:
    """A mask with −∞ for numbers far below all scores, where each query keeps a key beside them."""
    if not isinstance(term, Cases) or not fills_far_below(term):
        return term
    if not keeps_own(term):
        raise EmitError(
            "its mask has a large negative number where a query may see no key at all: write −∞"
        )
    return with_infinity(term)


def _places(array: Lambda, role: str) -> set[Index]:
    """The indices at which an array in a role stands in a formula."""
    refs = (e for e in ir.walk(array.body) if isinstance(e, Ref) and e.array == role)
    return {place.index for ref in refs for place in ref.at if isinstance(place, Idx)}


def _held(expr: Expr, holes: Collection[str], axes: tuple[Index, ...]) -> Expr:
    """The expression with what stands in its holes as elements at the axes of the scores."""
    if isinstance(expr, Ref) and expr.array in holes:
        return Ref(expr.array, tuple(Idx(axis) for axis in axes))
    return ir.rebuild(expr, lambda child: _held(child, holes, axes))


def _scalars(expr: Expr) -> Iterator[str]:
    """The numbers without indices in an expression."""
    return (part.array for part in ir.walk(expr) if isinstance(part, Ref) and not part.at)


def _sizes(expr: Expr) -> Iterator[Size]:
    """The sizes that an expression uses as numbers."""
    for part in ir.walk(expr):
        if isinstance(part, Size):
            if part.value is None:
                yield part
            else:
                yield from _sizes(part.value)
