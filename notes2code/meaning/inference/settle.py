"""From an attempt to a finished equation: links resolved, indices and sizes named for good."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from notes2code.diagnostics import Span, error, note
from notes2code.meaning import ir, names, shapes
from notes2code.meaning.inference.equations import Draft
from notes2code.meaning.inference.indices.reach import refuse_lost
from notes2code.meaning.inference.run import Run, Symbol, find, find_index
from notes2code.meaning.inference.sums.infinity import without_nan
from notes2code.meaning.ir import Definition, Equation, Expr, Idx, Index, Input, Lambda, Ref, Size
from notes2code.meaning.reading import former_steps


def settle(run: Run, draft: Draft) -> Equation:
    """The equation of an attempt."""
    arrays = [array for _, _, array in draft.definitions] + [draft.value]
    refuse_lost(run, arrays)
    _refuse_unlike_former(run)
    finished = _Settling(run, draft, arrays)
    definitions = tuple(
        Definition(finished.renamed.get(name, name), finished.whole(array), written)
        for name, written, array in draft.definitions
    )
    value = finished.whole(draft.value)
    inputs = finished.inputs(draft.parameters, [d.array for d in definitions] + [value])
    functions = {name: eq for name, eq in run.functions.items() if name in finished.called}
    names = {i.name for i in inputs}
    parameters = tuple(p for p in draft.parameters if p in names)
    unused = tuple(at for at, p in enumerate(draft.parameters) if p not in names)
    _refuse_loose_indices(run, names - set(parameters), finished.nodes)
    _refuse_two_inputs(run, [i.name for i in inputs])
    _refuse_two_ranks(run, {i.name: len(i.shape) for i in inputs}, finished.nodes)
    return Equation(
        draft.name,
        inputs,
        definitions,
        value,
        parameters,
        functions,
        unused,
        draft.counted,
        draft.numbered,
        draft.elements,
    )


def _refuse_unlike_former(run: Run) -> None:
    """The m of a step and that of the step before, ``m_prev``, are of one kind."""
    for name, former in run.symbols.items():
        own = run.symbols.get(former_steps.present(name))
        if own is not None and len(own.axes) != len(former.axes):
            text = f"`{name}` would have other axes than `{own.name}`, the same a step later"
            raise error("N2C041", text, former.span, "declare the shapes of both")


def _refuse_loose_indices(run: Run, names: set[str], nodes: Iterable[Expr]) -> None:
    """i and j side by side, or one of them beside an index, are indices; as numbers of their own
    they would be a wrong guess."""
    loose = [x for x in "ij" if x in names and 0 in run.seen.counted.get(x, ())]
    if len(loose) == 1 and not any(_stands_beside_index(node, loose[0]) for node in nodes):
        return
    if loose:
        which = " and ".join(f"`{letter}`" for letter in loose)
        raise error(
            "N2C032",
            f"{which} are no indices of anything here"
            if loose[1:]
            else f"{which} is no index of anything here",
            next((s.span for s in run.symbols.values() if s.name == loose[0]), Span(0, 1)),
            "write the formula for one element, `e_{ij} = …`, or give the array a name",
        )


def _stands_beside_index(node: Expr, letter: str) -> bool:
    """Whether a letter is added to an index, or taken off one: the j of ``|i - j|``."""
    terms = node.terms if isinstance(node, ir.Add) else ()
    parts = [part for t in terms for part in ir.factors(t)]
    named = {part.array for part in parts if isinstance(part, Ref)}
    return letter in named and any(isinstance(part, Idx) for part in parts)


def _refuse_two_inputs(run: Run, names: list[str]) -> None:
    """A letter that is an array in one place and a number that counts in another."""
    for name in names:
        if names.count(name) > 1:
            raise error(
                "N2C032",
                f"`{name}` is an array in one place and an index or a size in another",
                run.symbols[name].span if name in run.symbols else Span(0, 1),
                "give one of the two another name",
            )


def _refuse_two_ranks(run: Run, ranks: dict[str, int], nodes: Iterable[Expr]) -> None:
    """A letter that is a number in one place and an array in another, as that of a function."""
    for node in nodes:
        if isinstance(node, Ref) and ranks.get(node.array, len(node.at)) != len(node.at):
            raise error(
                "N2C032",
                f"`{node.array}` is a number in one place and an array in another",
                run.symbols[node.array].span if node.array in run.symbols else Span(0, 1),
                "give one of the two another name",
            )


@dataclass
class _Settling:
    """The renaming of one equation."""

    run: Run
    draft: Draft
    arrays: list[Lambda]
    sizes: dict[Size, Expr] = field(default_factory=dict)
    indices: dict[Index, Index] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    letters: set[str] = field(default_factory=set)
    numbers: dict[Size, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.inside = [ir.walk(array.body) for array in self.arrays]
        self.nodes = [expr for inside in self.inside for expr in inside]
        self.called = {expr.function for expr in self.nodes if isinstance(expr, ir.Call)}
        self.renamed = _rows_of_parameters(self.run, self.draft)
        self.symbols = self._used_symbols()
        self._name_sizes()

    # --- sizes ---------------------------------------------------------------------------

    def _used_symbols(self) -> list[Symbol]:
        used = {expr.array for expr in self.nodes if isinstance(expr, Ref)}
        used |= self.called - self.run.functions.keys()
        return [symbol for symbol in self.run.symbols.values() if symbol.name in used]

    def _name_sizes(self) -> None:
        """Give each size that is left a name of its own."""
        # A number for a size, as in ℝ^{n×512}, is an example: the code works for others too.
        given = {find(axis) for symbol in self.symbols for axis in symbol.axes}
        given = {root for root in given if root.name.isdigit()}
        roots: dict[Size, str] = {}
        axes: set[Size] = set()
        for root, hint, is_axis in self._sizes_met():
            if is_axis:
                axes.add(root)
            if root in given:
                self.sizes.setdefault(root, Size(root.name, 2))
            elif root.value is None:
                roots.setdefault(root, hint)
        taken = {symbol.name for symbol in self.symbols}
        numbers = [r for r in roots if r not in axes and not names.is_size_name(r.name)]
        self.numbers = {root: root.name for root in numbers}
        taken |= set(self.numbers.values())
        defined = {name for name, _, _ in self.draft.definitions}
        for name in sorted(defined & set(self.numbers.values())):
            # The m_t of a step is not the number m that its m_{t-1} is.
            self.renamed[name] = _free_name(Size(name), f"{name}_2", taken | defined)
            taken.add(self.renamed[name])
        for root, hint in sorted(roots.items(), key=lambda pair: -pair[0].rank):
            if root in self.numbers:
                continue
            # A size that the note does not name leaves the names of its definitions alone.
            name = _free_name(root, hint, taken if root.rank == 2 else taken | defined)
            taken.add(name)
            self.sizes[root] = Size(name, root.rank, root.kind)
        self.taken = taken

    def _sizes_met(self) -> Iterator[tuple[Size, str, bool]]:
        """The sizes in the order of the formula, with a name for each that has none, and whether
        it is met as the extent of an axis or as a number."""
        for symbol in self.symbols:
            for at, axis in enumerate(symbol.axes):
                yield from _met(axis, _size_hint(symbol, at), True)
        for size, is_axis in _sizes_in(self.arrays, self.inside):
            yield from _met(size, "n" if is_axis else "", is_axis)

    def size(self, size: Size) -> Expr:
        """The finished size: a named one, or an expression of named ones."""
        root = find(size)
        if root in self.numbers:
            return Ref(self.numbers[root])
        if root in self.sizes:
            return self.sizes[root]
        assert root.value is not None
        return self.expr(root.value)

    def index(self, index: Index) -> Index:
        """The finished index."""
        root = find_index(index)
        done = self.indices.get(root)
        if done is None:
            size = self.size(root.size)
            own = ir.as_size(size)
            done = Index(self._index_name(root), own, root.start, letter=root.name)
            self.indices[root] = done
        return done

    def _index_name(self, index: Index) -> str:
        wanted = index.name if index.name.isidentifier() and "family" not in index.name else ""
        pool = [wanted] if wanted else []
        feature = find(index.size).kind == "feature" or find(index.size).name.startswith("d")
        pool += list("abcefgpqrsuvwxyz" if feature else "ijkmnrstuvwxyz")
        taken = self.taken | self.letters
        name = next((n for n in pool if n not in taken), "")
        number = 1
        while not name or name in taken:
            number += 1
            name = f"{pool[0]}{number}"
        self.letters.add(name)
        return name

    # --- expressions ---------------------------------------------------------------------

    def whole(self, array: Lambda) -> Lambda:
        """A finished definition or value, whose indices may have the names of another's."""
        self.letters = set()
        return self.array(array)

    def array(self, array: Lambda) -> Lambda:
        """A finished array."""
        return Lambda(tuple(self.index(i) for i in array.indices), self.expr(array.body))

    def expr(self, expr: Expr) -> Expr:
        """A finished expression."""
        if isinstance(expr, Size):
            return self.size(expr)
        if isinstance(expr, Ref) and expr.array in self.renamed:
            return Ref(self.renamed[expr.array], tuple(map(self.expr, expr.at)))
        made = ir.rebuild(expr, self.expr, self.index)
        plain = without_nan(made)
        if isinstance(plain, ir.Cases) and plain is not made and plain.otherwise != ir.ZERO:
            text = "∞ times 0 is taken to be 0, as a mask means it"
            hint = "write `\\begin{cases}` where it is not"
            self.run.problems.append(note("N2C039", text, Span(0, len(self.run.latex)), hint))
        return plain

    # --- inputs --------------------------------------------------------------------------

    def inputs(self, parameters: tuple[str, ...], arrays: list[Lambda]) -> tuple[Input, ...]:
        """The inputs: parameters first, then by appearance, then the sizes left over."""
        found = {self.renamed.get(s.name, s.name): s for s in self.symbols}
        order = [p for p in parameters if p in found] + [n for n in found if n not in parameters]
        inputs = [
            Input(
                n, tuple(self.size(axis) for axis in found[n].axes), found[n].written, found[n].kind
            )
            for n in order
        ]
        inputs += [Input(name, (), name) for name in dict.fromkeys(self.numbers.values())]
        solved = shapes.solve(tuple(inputs))
        inside = [ir.walk(array.body) for array in arrays]
        met = dict.fromkeys(part for size, _ in _sizes_in(arrays, inside) for part in _parts(size))
        left = (size.name for size in met if size not in solved)
        return (*inputs, *(Input(name, (), name, "size") for name in left))


def _met(size: Size, hint: str, is_axis: bool) -> Iterator[tuple[Size, str, bool]]:
    """A size, and those that it is made of."""
    root = find(size)
    yield root, hint, is_axis
    if root.value is not None:
        for inner in ir.walk(root.value):
            if isinstance(inner, Size) and inner is not root:
                yield from _met(inner, "", is_axis)


def _sizes_in(
    arrays: Iterable[Lambda], inside: Iterable[Iterable[Expr]]
) -> Iterator[tuple[Size, bool]]:
    """The sizes in arrays, of which each has something ``inside``, in order, and whether each is
    the extent of an axis or a number."""
    for array, exprs in zip(arrays, inside, strict=True):
        for index in array.indices:
            yield find_index(index).size, True
        for expr in exprs:
            if isinstance(expr, Size):
                yield expr, False
            elif type(expr) in ir.BINDERS:
                for index in ir.bound_indices(expr):
                    yield find_index(index).size, True


def _parts(size: Size) -> list[Size]:
    """The sizes that a finished one is made of, or itself."""
    if size.value is None:
        return [size]
    return [inner for inner in ir.walk(size.value) if isinstance(inner, Size)]


def _rows_of_parameters(run: Run, draft: Draft) -> dict[str, str]:
    """``k_i`` in what defines f(q, K, V) is a row of K."""
    renamed: dict[str, str] = {}
    for parameter in draft.parameters:
        row = parameter[0].lower() + parameter[1:]
        if parameter not in run.symbols and row in run.symbols and row not in draft.parameters:
            renamed[row] = parameter
    return renamed


def _size_hint(symbol: Symbol, at: int) -> str:
    """A name for an axis that nothing names."""
    rank = len(symbol.axes)
    if rank - at > 2:
        return "h"
    if rank == 1 or at == rank - 1:
        return "d"
    return "n" if symbol.axes[at].kind != "feature" else "d_in"


def _free_name(size: Size, hint: str, taken: set[str]) -> str:
    if size.name and size.name not in taken:
        return size.name
    pool = {
        "sequence": ["n", "m", "l", "t"],
        "feature": ["d", "p", "r", "d_in", "d_out"],
    }.get(size.kind, [])
    for name in [hint, *pool, "n", "m", "l", "p", "r"]:
        if name and name not in taken:
            return name
    number = 2
    while f"{size.name or hint or 'n'}_{number}" in taken:
        number += 1
    return f"{size.name or hint or 'n'}_{number}"
