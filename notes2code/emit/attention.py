"""What templates see of an attention: its mask and its score as code, and its formula in NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeGuard

from notes2code.components.compiling import in_own_sizes
from notes2code.components.match import HOLE, Role, rows_of
from notes2code.components.recognise import Recognised
from notes2code.components.settings import is_causal
from notes2code.emit.graph import EmitError
from notes2code.emit.reference import arranged
from notes2code.emit.torch_expression import Local, torch_expression
from notes2code.meaning import ir
from notes2code.meaning.ir import Cases, Expr, Idx, Index, Lambda, Num, Ref, Size, Softmax
from notes2code.oracle.layout import INDENT, WIDTH, Bracket, Row, flat, lines

BLOCKED = Num(float("-inf"))
QUERY_SIZES = {
    "d_k": "query.size(-1)",
    "n": "query.size(-2)",
    "m": "key.size(-2)",
    "like": "query",
}
"""The texts of the sizes in a class's ``forward``, and of a tensor like its scores."""

SIZES = {"n": 4, "m": 5, "d": 6, "e": 3, "v": 7}
"""The numbers in tests for the letters of axes."""

HEADS = 3
"""The number of heads in tests."""


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
            return query, own[-1] if own else None
        rows = [
            self.found.indices[i] for i in rows_of(soft.body, soft.index) if i in pattern.indices
        ]
        return (*query, *rows), self.found.indices[soft.index]

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
            terms.append(Cases(((condition, ir.ZERO),), BLOCKED))
        return tuple(terms)

    @property
    def causal(self) -> bool:
        """Whether a query sees only the keys up to its own position."""
        return any(is_causal(Lambda((), term)) for term in self._terms)

    @property
    def masked(self) -> bool:
        """Whether the formula adds anything to the scores."""
        return bool(self._terms)

    @property
    def biases(self) -> tuple[str, ...]:
        """The inputs that are added to the scores: the class's argument ``bias``."""
        return tuple(term.array for term in self._terms if self._is_bias(term))

    def _is_bias(self, term: Expr) -> TypeGuard[Ref]:
        places = [Idx(axis) for axis in self.axes]
        return isinstance(term, Ref) and bool(term.at) and list(term.at) == places[-len(term.at) :]

    def positions(self, **known: str) -> str:
        """What else is added to the scores, as PyTorch; "" if nothing is."""
        return (
            self._rendered("mask", ir.add(*self._by_position), {}, known)
            if self._by_position
            else ""
        )

    @cached_property
    def _by_position(self) -> tuple[Expr, ...]:
        own = (t for t in self._terms if not self._is_bias(t))
        return tuple(term for term in own if not is_causal(Lambda((), term)))

    @property
    def counted(self) -> Mapping[str, str]:
        """The names of the positions that ``positions`` uses: ``n`` of queries, ``m`` of keys."""
        used = {i for term in self._by_position for i in ir.free_indices(term)}
        return {
            self._position(axis): "nm"[axis is self.column] for axis in self.axes if axis in used
        }

    def _position(self, axis: Index) -> str:
        """The variable that holds the positions along an axis."""
        if axis not in (*self.rows[-1:], self.column) or axis in self.heads:
            raise EmitError("what is added to the scores differs from head to head")
        return "j" if axis is self.column else "i"

    # --- code ----------------------------------------------------------------------------

    def code(self, setting: str, x: str = "x", within: str = "", **known: str) -> str:
        """A setting as PyTorch: ``x`` is the text of the argument of a function setting, ``known``
        gives that of the component's sizes, ``within`` the operator that the text is put beside."""
        value = self.recognised.settings[setting]
        return self._rendered(setting, value.body, {HOLE: x}, known, within)

    def number(self, setting: str, within: str = "", **known: str) -> str:
        """A setting that is a number, as PyTorch; an ``EmitError`` where it differs by place."""
        body = self.recognised.settings[setting].body
        if any(isinstance(e, Ref) and e.at for e in ir.walk(body)) or ir.free_indices(body):
            raise EmitError(f"the {setting} is not one number for all queries and keys")
        return self._rendered(setting, body, {}, known, within)

    def _rendered(
        self,
        setting: str,
        body: Expr,
        holes: Mapping[str, str],
        known: Mapping[str, str],
        within: str = "",
    ) -> str:
        texts = {**QUERY_SIZES, **known}
        given: dict[Expr | str, Local] = {h: Local(text, self.axes) for h, text in holes.items()}
        named = in_own_sizes(self.recognised, Lambda((), body)).body
        for axis, name in ((self.rows[-1] if self.rows else None, "n"), (self.column, "m")):
            if axis is not None:
                given[axis.size] = Local(texts[name], kind="int")
        for size in _sizes(named):
            if size.name in texts:
                given.setdefault(size, Local(texts[size.name], kind="int"))
            elif size not in given:
                raise EmitError(f"the {setting} depends on the size {size.name}, unknown there")
        for array in sorted({e.array for e in ir.walk(named) if isinstance(e, Ref)} - {*holes}):
            if self.inputs[array].shape:
                raise EmitError(
                    f"the {setting} is computed from {array}, for which the class has no argument"
                )
            given[array] = Local(f"self.{array}", kind="float")
        for index in ir.free_indices(named):
            given[Idx(index)] = Local(self._position(index), (index,), batched=False)
        whole = _held(named, self.axes)
        return torch_expression(whole, given, self.axes, like=texts["like"], within=within)

    # --- the formula ---------------------------------------------------------------------

    def formula(self, roles: Mapping[str, tuple[str, str]], numbers: Sequence[str]) -> Formula:
        """How a test evaluates the formula for all queries of all sequences of a batch.

        ``roles`` gives the variable for each role and a letter for each of its axes in the class
        (``q: ("query", "nd")``), ``numbers`` the numbers that the class is made with.
        """
        return Formula(self, roles, numbers)


class Formula:
    """A formula in the letters of the class's axes: ``n`` queries, ``m`` keys, others for
    features, and letters before ``i`` for the note's heads, ``heads``.

    ``biases`` gives the letters of each bias of the note, ``sizes`` numbers for tests: different
    ones, unless the note says that they are the same.
    """

    def __init__(
        self, attention: Attention, roles: Mapping[str, tuple[str, str]], numbers: Sequence[str]
    ) -> None:
        result = "nv" if attention.recognised.form.part == "output" else "nm"
        found, equation = attention.found, attention.recognised.equation
        self.variables = dict(roles.values())
        self.numbers = [f"{name}={0.7 + 0.8 * at:.1f}" for at, name in enumerate(numbers)]
        self.roles = {role: roles[role] for role in roles if role in found.roles}
        self.letters = {index: chr(ord("h") - at) for at, index in enumerate(attention.heads)}
        self.heads = "".join(sorted(self.letters.values()))
        queries = [row for row in attention.rows if row not in attention.heads]
        if len(queries) > 1:
            raise EmitError("the queries have several axes")
        self.letters.update((row, "n") for row in queries)
        if attention.column is not None:
            self.letters[attention.column] = "m"
        self.notes = {
            found.roles[role].array: self._role(found.roles[role], letters)
            for role, (_, letters) in self.roles.items()
        }
        self.biases = {
            name: [
                self.letters[axis] for axis in attention.axes[-len(attention.inputs[name].shape) :]
            ]
            for name in attention.biases
        }
        self.sizes = self._sizes(attention)
        own = {theirs: mine for mine, theirs in found.indices.items()}
        pattern = attention.recognised.form.pattern.value.indices
        at = {index: result[at - len(pattern)] for at, index in enumerate(pattern)}
        value = equation.value.indices
        out = [at[own[i]] if own.get(i) in at else self._letter(Idx(i)) for i in value]
        arrays = [*self.notes.values(), *self.biases.values()]
        present = {*out, *(letter for letters in arrays for letter in letters)}
        self.loops = [letter for letter in "nm" if letter in result and letter not in present]
        if self.loops == ["m"] or (self.loops and self.heads):
            raise EmitError("the axes of the formula are not those of a batch")
        self.out, self.final = out, self._core(out, result)

    @property
    def head_sizes(self) -> tuple[int, ...]:
        """The extents of the note's heads in tests."""
        return tuple(HEADS for _ in self.heads)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a variable or a bias in tests, without heads for a variable."""
        letters = self.variables.get(name) or self.biases[name]
        return tuple(self.sizes.get(letter, HEADS) for letter in letters)

    def typed(self, names: Sequence[str]) -> list[str]:
        """The variables as parameters."""
        return [f"{name}: Tensor" for name in names]

    def made(self, name: str, sizes: Sequence[str], indent: int = 8) -> str:
        """The lines that return an instance of the class for tests, its parameters random."""
        one = Bracket(f"{name}(", (*sizes, "dropout=dropout", *self.numbers), ")")
        return "\n".join(lines(Bracket("randomised(", (one,), ")"), indent, "return "))

    def call(self, reference: str, constants: str = "", indent: int = 4) -> str:
        """The lines that evaluate the formula: a function of one sequence, and its value for
        all. ``constants`` are further arguments of the formula's function."""
        variables, keywords, cores, arguments = [], [], [], []
        for (name, letters), note in zip(self.roles.values(), self.notes.items(), strict=True):
            core = self._core(note[1], letters)
            variables.append(name)
            cores.append(core)
            keywords.append(f"{note[0]}={arranged(name, [core.index(x) for x in note[1]])}")
            arguments.append(f"array({name}){_looped(letters, self.loops, len(core))}")
        for name, core in self.biases.items():
            variables.append(name)
            cores.append(core)
            keywords.append(f"{name}={name}")
            arguments.append(f"array({name}){_looped(''.join(core), self.loops, len(core))}")
        turn = arranged("", [self.out.index(letter) for letter in self.final])
        head = f"lambda {', '.join(variables)}: "
        body = Row((Bracket(f"{reference}(", (*keywords, *filter(None, [constants])), ")"), turn))
        fits = not turn or indent + INDENT + len(head + flat(body)) < WIDTH
        one = Row((head, body if fits else Bracket("(", (body,), ")")))
        taken = ",".join(f"({','.join(core)})" for core in cores)
        signature = f'signature="{taken}->({",".join(self.final)})"'
        first = Bracket("np.vectorize(", (one, signature), ")")
        last = Bracket("formula(", tuple(arguments), ")")
        return "\n".join([*lines(first, indent, "formula = "), *lines(last, indent, "return ")])

    def _sizes(self, attention: Attention) -> dict[str, int]:
        shapes = {name: given.shape for name, given in attention.inputs.items()}
        arrays = {**self.notes, **self.biases}
        first: dict[Expr, str] = {}
        sizes = {**SIZES, "m": SIZES["n"]} if attention.causal else SIZES
        numbers = {
            letter: sizes[letter] for letters in self.variables.values() for letter in letters
        }
        for name, letters in arrays.items():
            for letter, size in zip(letters, shapes[name], strict=True):
                if letter in numbers:
                    numbers[letter] = numbers[first.setdefault(size, letter)]
        return numbers

    def _role(self, role: Role, letters: str) -> list[str]:
        """The letters of the axes of a note's array."""
        count = sum(axis >= 0 for axis in role.axes)
        own = letters[-count:] if count else ""
        places = iter(role.outer)
        return [own[axis] if axis >= 0 else self._letter(next(places)) for axis in role.axes]

    def _letter(self, place: Expr) -> str:
        if isinstance(place, Idx) and place.index in self.letters:
            return self.letters[place.index]
        raise EmitError("the formula has an axis that the class does not have")

    def _core(self, note: Sequence[str], letters: str) -> list[str]:
        """The axes of a note's array in the class's order: heads first."""
        order = [*self.heads, *letters]
        if len({*note}) < len(note) or not {*note} <= {*order}:
            raise EmitError("the axes of an input of the formula are not those of the class")
        return [letter for letter in order if letter in note]


def _looped(letters: str, loops: Sequence[str], core: int) -> str:
    """The places that bring an array to the axes that are looped over."""
    places = [":" if letter in letters else "None" for letter in loops] + [":"] * core
    return "" if "None" not in places else f"[..., {', '.join(places)}]"


def _held(expr: Expr, axes: tuple[Index, ...]) -> Expr:
    """The expression with its hole as an element at the axes of the scores."""
    if expr == Ref(HOLE):
        return Ref(HOLE, tuple(Idx(axis) for axis in axes))
    return ir.rebuild(expr, lambda child: _held(child, axes))


def _sizes(expr: Expr) -> Iterator[Size]:
    """The sizes that an expression uses as numbers."""
    for part in ir.walk(expr):
        if isinstance(part, Size):
            if part.value is None:
                yield part
            else:
                yield from _sizes(part.value)
