"""How tests evaluate the formula of an attention: for all queries of all sequences of a batch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from notes2code.components.pattern import Role
from notes2code.emit.graph import EmitError
from notes2code.emit.mask import WINDOW
from notes2code.emit.reference import arranged
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Ref, children
from notes2code.oracle.layout import INDENT, WIDTH, Bracket, Row, flat, lines

if TYPE_CHECKING:
    from notes2code.emit.attention import Attention

SIZES = {"n": 4, "m": 5, "d": 6, "e": 3, "v": 7, "1": 1}
"""The numbers in tests for the letters of axes."""

HEADS = 3
"""The number of heads in tests."""


def _numbers(equation: Equation) -> set[str]:
    """The arrays of a formula, but for those that it only hands on to what it calls."""

    def named(expr: Expr) -> set[str]:
        if isinstance(expr, Call):
            return set()
        own = {expr.array} if isinstance(expr, Ref) else set[str]()
        return own.union(*map(named, children(expr)))

    inputs = {given.name for given in equation.inputs}
    arrays = (equation.value, *(definition.array for definition in equation.definitions))
    return {name for array in arrays for name in named(array.body)} & inputs


class Formula:
    """A formula in the letters of the class's axes: ``n`` queries, ``m`` keys, others for
    features, and letters before ``i`` for the note's heads, ``heads``.

    ``values`` gives what the numbers are that the class is made with, ``numbers`` as arguments.
    ``biases`` gives the letters of each bias of the note, ``keeps`` those of each mask of zeros and
    ones, in which ``kept`` is the number that keeps a key, ``sizes`` numbers for tests: different
    ones, unless the note says that they are the same.
    """

    def __init__(
        self,
        attention: Attention,
        roles: Mapping[str, tuple[str, str]],
        numbers: Sequence[str],
        output: str,
    ) -> None:
        result = "nm" if attention.recognised.form.partial else output
        found, equation = attention.found, attention.recognised.equation
        self.variables = dict(roles.values())
        sizes = {size.name for size in attention.foreign_sizes}
        self.values = {
            name: str(at + 3) if name in sizes else f"{0.7 + 0.8 * at:.1f}"
            for at, name in enumerate(numbers)
        }
        self.values |= dict.fromkeys(attention.mask.widths & self.values.keys(), WINDOW)
        self.numbers = [f"{name}={value}" for name, value in self.values.items()]
        self.roles = {role: roles[role] for role in roles if role in found.roles}
        self.given = [variable for variable, _ in self.roles.values()]
        self._name_axes(attention)
        self.notes = {
            found.roles[role].array: self._role(found.roles[role], letters)
            for role, (_, letters) in self.roles.items()
        }
        self._take_masks(attention)
        self.needed = _numbers(equation) - {*self.notes, *self.biases, *self.keeps}
        self.sizes = self._sizes(attention)
        own = {theirs: mine for mine, theirs in found.indices.items()}
        pattern = attention.recognised.form.pattern.value.indices
        at = {index: result[at - len(pattern)] for at, index in enumerate(pattern)}
        value = equation.value.indices
        out = [at[own[i]] if own.get(i) in at else self._letter(Idx(i)) for i in value]
        arrays = [*self.notes.values(), *self.biases.values(), *self.keeps.values()]
        present = {*out, *(letter for letters in arrays for letter in letters)}
        self.loops = [letter for letter in "nm" if letter in result and letter not in present]
        if self.loops == ["m"] or (self.loops and self.heads):
            raise EmitError("the axes of the formula are not those of a batch")
        self.out, self.final = out, self._core(out, result)

    def _name_axes(self, attention: Attention) -> None:
        """Name the note's heads, its queries and its keys."""
        self.letters = {index: chr(ord("h") - at) for at, index in enumerate(attention.heads)}
        self.heads = "".join(sorted(self.letters.values()))
        queries = [row for row in attention.rows if row not in attention.heads]
        if len(queries) > 1:
            raise EmitError("the queries have several axes")
        self.letters.update((row, "n") for row in queries)
        if attention.column is not None:
            self.letters[attention.column] = "m"

    def _take_masks(self, attention: Attention) -> None:
        """The biases of the note, and its masks of zeros and ones."""
        self.biases = {
            name: [
                self.letters[axis] for axis in attention.axes[-len(attention.inputs[name].shape) :]
            ]
            for name in attention.mask.biases
        }
        self.kept = {name: number for name, (_, number) in attention.mask.keeps.items()}
        self.keeps = {
            name: [self.letters[axis] for axis in axes]
            for name, (axes, _) in attention.mask.keeps.items()
        }

    @property
    def head_sizes(self) -> tuple[int, ...]:
        """The extents of the note's heads in tests."""
        return tuple(HEADS for _ in self.heads)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a variable or a bias in tests, without heads for a variable."""
        letters = self.variables.get(name) or {**self.biases, **self.keeps}[name]
        return tuple(self.sizes.get(letter, HEADS) for letter in letters)

    def typed(self, names: Sequence[str]) -> list[str]:
        """The variables as parameters."""
        return [f"{name}: Tensor" for name in names]

    @property
    def typed_keeps(self) -> list[str]:
        """The masks of the note as parameters, which a caller may leave out."""
        return [f"{name}: Tensor | None = None" for name in self.keeps]

    def everything_kept(self, name: str) -> str:
        """A mask of the note under which every key is seen, as text."""
        extents = [{"n": "query", "m": "key"}[letter] + ".size(-2)" for letter in self.keeps[name]]
        make = "torch.ones" if self.kept[name] else "torch.zeros"
        return f"{make}({', '.join(extents)})"

    def made(self, name: str, sizes: Sequence[str], indent: int = 8) -> str:
        """The lines that return an instance of the class for tests, its parameters random."""
        one = Bracket(f"{name}(", (*sizes, "dropout=dropout", *self.numbers), ")")
        return "\n".join(lines(Bracket("randomised(", (one,), ")"), indent, "return "))

    def refuse_unknown(self, weights: Collection[str]) -> None:
        """Raises ``EmitError`` where the formula has an input besides what its tests take and the
        weights of the class: a number that all scores are moved by changes nothing."""
        for name in self.needed - {*weights}:
            raise EmitError(f"the class has nothing for {name}, which changes none of its weights")

    def call(self, reference: str, constants: str = "", indent: int = 4) -> str:
        """The lines that evaluate the formula: a function of one sequence, and its value for
        all. ``constants`` are further arguments of the formula's function."""
        variables, keywords, cores, arguments = [], [], [], []
        for (name, letters), note in zip(self.roles.values(), self.notes.items(), strict=True):
            core = self._core(note[1], letters)
            variables.append(name)
            cores.append(core)
            keywords.append(f"{note[0]}={arranged(name, [core.index(x) for x in note[1]])}")
            numbers = "[..., 0]" if letters.endswith("1") else ""
            arguments.append(f"array({name}){numbers}{_looped(letters, self.loops, len(core))}")
        for name, core in {**self.biases, **self.keeps}.items():
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
        arrays = {**self.notes, **self.biases, **self.keeps}
        first: dict[Expr, str] = {}
        sizes = {**SIZES, "m": SIZES["n"]} if attention.aligned else SIZES
        numbers = {
            letter: sizes[letter] for letters in self.variables.values() for letter in letters
        }
        for name, letters in arrays.items():
            for letter, size in zip(letters, shapes[name], strict=True):
                if letter in sizes:
                    same = first.setdefault(size, letter)
                    numbers[letter] = numbers.get(same, sizes[letter])
        return numbers

    def _role(self, role: Role, letters: str) -> list[str]:
        """The letters of the axes of a note's array."""
        count = sum(axis >= 0 for axis in role.axes)
        own = letters.rstrip("1")[-count:] if count else ""
        places = iter(role.outer)
        return [own[axis] if axis >= 0 else self._letter(next(places)) for axis in role.axes]

    def _letter(self, place: Expr) -> str:
        if isinstance(place, Idx) and place.index in self.letters:
            return self.letters[place.index]
        raise EmitError("the formula has an axis that the class does not have")

    def _core(self, note: Sequence[str], letters: str) -> list[str]:
        """The axes of a note's array in the class's order: heads first."""
        order = [*self.heads, *letters.rstrip("1")]
        if len({*note}) < len(note) or not {*note} <= {*order}:
            raise EmitError("the axes of an input of the formula are not those of the class")
        return [letter for letter in order if letter in note]


def _looped(letters: str, loops: Sequence[str], core: int) -> str:
    """The places that bring an array to the axes that are looped over."""
    places = [":" if letter in letters else "None" for letter in loops] + [":"] * core
    return "" if "None" not in places else f"[..., {', '.join(places)}]"
