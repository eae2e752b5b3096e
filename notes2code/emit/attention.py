"""What templates see of an attention: its axes, its score as code, and its formula in NumPy."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from notes2code.components.around import HOLE
from notes2code.components.distances import relative
from notes2code.components.own_sizes import in_own_sizes
from notes2code.components.recognise import Recognised
from notes2code.components.rows import rows_of
from notes2code.emit.batched import Formula
from notes2code.emit.fractions import fraction
from notes2code.emit.graph import EmitError
from notes2code.emit.mask import Mask
from notes2code.emit.torch_expression import Local, torch_expression
from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Idx, Index, Lambda, Pow, Ref, Size, Softmax

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
    one query, is missing.
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
        key = self._outer("k")
        query = sorted(self._outer("q"), key=lambda index: index not in key)  # heads come first
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
        tables = [*map(relative, values), self.mask.table]
        bounds = {table.bound for table in tables if table is not None}
        used = {size for value in values for size in _sizes(value.body)} - bounds
        return frozenset(size for size in used if size.name in given)

    @cached_property
    def mask(self) -> Mask:
        """What is added to its scores."""
        return Mask(self)

    @property
    def aligned(self) -> bool:
        """Whether the last query stands where the last key does, since scores go by position."""
        return bool(self.mask.causal or self.mask.table or self._by_distance or self.placed)

    @property
    def placed(self) -> bool:
        """Whether a formula of where queries stand is added to the scores, and no table for it."""
        rest = not (self.mask.table or self._by_distance)
        return rest and "n" in self.mask.counted().values()

    @property
    def _by_distance(self) -> bool:
        """Whether keys and values differ, or are turned, by how far they are from a query."""
        recognised = self.recognised
        turned = {*recognised.functions, *self.found.roles} & {TURN, MATRICES}
        return bool({"keys", "values"} & recognised.settings.keys() or turned)

    @property
    def ordered(self) -> bool:
        """Whether it matters where queries and keys stand."""
        return self.mask.causal or self._by_distance or bool(self.mask.by_position())

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

    def position(self, axis: Index) -> str:
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
            name = self.position(index)
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
