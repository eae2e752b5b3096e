"""Random formulas, each written together with what it means.

A ``Writer`` draws an expression of some shape: its LaTeX, and beside it, from the same draw, a
function that computes one element of it in NumPy. What it means is therefore known without reading
the text. Every array has a letter of its own and is declared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random
from typing import Any

import numpy as np

from tables import relu, sigmoid, softmax

LENGTHS = {"n": 4, "m": 3, "p": 5, "d": 6}
"""The lengths of the axes by their names; ``n`` is how many there are of what has an index."""

SMALL, CAPITALS = [*"abcfghkpqrsuvwxyz"], [*"ABCFGHKLMPQRSUVWXYZ"]
GREEK = {rf"\{name}": name for name in "alpha beta gamma theta mu rho omega eta kappa xi".split()}
GREEK[r"\lambda"] = "lambda_"

MARKS = ["hat", "tilde", "bar"]

SUM, PRODUCT, CALL, ATOM = range(4)
"""How strongly the parts of a piece of LaTeX hold together."""

Shape = tuple[str, ...]
At = Mapping[str, int]
"""The values of the indices."""


@dataclass(frozen=True)
class Written:
    """A piece of LaTeX, its value at some values of the indices, and the indices it depends on."""

    latex: str
    value: Callable[[At], Any]
    indices: frozenset[str]
    holds: int


@dataclass
class Writer:
    """Writes formulas. ``letters`` are the indices that are not used yet, ``names`` what the
    letters of the arrays are called in code."""

    random: Random
    names: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    declared: dict[tuple[int, Shape], list[str]] = field(default_factory=dict)
    declarations: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        pools = [SMALL, CAPITALS, [*GREEK]]
        self.small, self.capitals, self.greek = (self.random.sample(p, len(p)) for p in pools)
        self.transpose = self.random.choice([r"^\top", "^T", r"^{\top}", r"^{\mathsf{T}}"])
        self.letters = ["i", "j", "k", "l"]

    def formula(self, depth: int) -> tuple[str, Written, Sequence[str], Shape]:
        """A whole formula: its LaTeX, its right-hand side, the indices of its left-hand side and
        the shape of what stands at them."""
        shape = self._size() * self.random.choice([0, 0, 1, 1, 2])
        free = self.letters[: self.random.choice([0, 0, 1, 2] if not shape else [0, 1])]
        self.letters = self.letters[len(free) :]
        right = self.write(shape, free, depth)
        left = self._letter(len(shape))
        below = ("," if self.random.random() < 0.3 else "").join(free)
        return f"{left}_{{{below}}} = {right.latex}".replace("_{}", ""), right, free, shape

    def context(self) -> str:
        """The sentence that declares all arrays."""
        return f"Let {', '.join(f'${one}$' for one in self.declarations)}. Then"

    def write(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        """An expression of a shape that depends on all these indices."""
        if depth == 0:
            return self._array(shape, indices)
        rules = [self._array, self._sum_of_terms, self._scaled, self._over_index]
        rules += [
            [self._called, self._dot, self._quadratic, self._norm, self._fraction, self._trace],
            [self._mapped, self._mapped, self._hadamard, self._activation, self._softmax],
            [self._mapped, self._outer, self._hadamard, self._activation, self._turned],
        ][len(shape)]
        rule = self.random.choice(rules)
        return rule(shape, indices) if rule == self._array else rule(shape, indices, depth - 1)

    # --- arrays --------------------------------------------------------------------------------

    def _array(self, shape: Shape, indices: Sequence[str]) -> Written:
        """An array, or one of several, that is declared already or new."""
        at = self.random.sample([*indices], len(indices))
        known = self.declared.setdefault((len(at), shape), [])
        if not known or self.random.random() < 0.6:
            known.append(self._letter(len(shape)))
            self._declare(known[-1], len(at), shape)
        letter = self.random.choice(known)
        below = ("," if self.random.random() < 0.3 else "").join(at)
        latex = f"{letter}_{{{below}}}".replace("_{}", "")
        return Written(
            latex, lambda i: self.arrays[letter][*(i[x] for x in at)], frozenset(at), ATOM
        )

    def _declare(self, letter: str, indices: int, shape: Shape) -> None:
        below = "".join(self.random.sample(["i", "j", "k", "l"][: max(indices, 2)], indices))
        named = f"{letter}_{{{below}}}".replace("_{}", "")
        above = r" \times ".join(shape)
        self.declarations.append(rf"{named} \in \mathbb{{R}}^{{{above}}}".replace("^{}", ""))
        lengths = [LENGTHS["n"]] * indices + [LENGTHS[size] for size in shape]
        seeded = np.random.default_rng(self.random.randrange(1 << 30))
        self.arrays[letter] = seeded.standard_normal(lengths) * 0.7

    def _letter(self, rank: int) -> str:
        """A letter, mostly by custom: Greek ones are numbers, small ones vectors, and capitals
        matrices. It may have a mark above."""
        pools = self.greek, self.small, self.capitals
        letter = (self.random.choice(pools) if self.random.random() < 0.15 else pools[rank]).pop()
        named = GREEK.get(letter, letter)
        if self.random.random() < 0.15:
            mark = self.random.choice(MARKS)
            letter, named = rf"\{mark}{{{letter}}}", f"{named.rstrip('_')}_{mark}"
        self.names[letter] = named
        return letter

    def _size(self) -> Shape:
        return (self.random.choice(["m", "p", "d"]),)

    def _shared(self, indices: Sequence[str]) -> tuple[list[str], list[str]]:
        """Indices for two factors, which both may have."""
        first = [x for x in indices if self.random.random() < 0.6]
        return first, [x for x in indices if x not in first or self.random.random() < 0.3]

    # --- what stands around --------------------------------------------------------------------

    def _held(self, part: Written, holds: int) -> Written:
        """A part that holds together so strongly, in parentheses if need be."""
        if part.holds >= holds:
            return part
        left, right = self.random.choice([("(", ")"), (r"\left(", r"\right)")])
        return replace(part, latex=f"{left}{part.latex}{right}", holds=ATOM)

    def _joined(
        self, latex: str, join: Callable[..., Any], parts: Sequence[Written], holds: int
    ) -> Written:
        """Parts put together."""
        indices = frozenset[str]().union(*(part.indices for part in parts))
        return Written(latex, lambda at: join(*(p.value(at) for p in parts)), indices, holds)

    # --- rules for every shape -----------------------------------------------------------------

    def _sum_of_terms(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        first = self.write(shape, indices, depth)
        second = self.write(shape, indices, depth)
        if self.random.random() < 0.5:
            return self._joined(f"{first.latex} + {second.latex}", np.add, [first, second], SUM)
        second = self._held(second, PRODUCT)
        return self._joined(f"{first.latex} - {second.latex}", np.subtract, [first, second], SUM)

    def _scaled(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        mine, others = self._shared(indices)
        number = self._array((), mine)
        scaled = self._held(self.write(shape, others, depth), PRODUCT)
        return self._joined(
            f"{number.latex} {scaled.latex}", np.multiply, [number, scaled], PRODUCT
        )

    def _over_index(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        """A sum or a mean over an index."""
        if not self.letters:
            return self._array(shape, indices)
        letter = self.letters.pop(0)
        body = self._held(self.write(shape, [*indices, letter], depth), PRODUCT)
        ends = rf"\sum_{{{letter}=1}}^{{n}} {body.latex}"
        latex, over = self.random.choice(
            [
                (ends, sum),
                (rf"\sum_{letter} {body.latex}", sum),
                (rf"\frac{{1}}{{n}} {ends}", _mean),
            ]
        )
        places = range(LENGTHS["n"])
        return Written(
            latex,
            lambda at: over([body.value({**at, letter: place}) for place in places]),
            body.indices - {letter},
            PRODUCT,
        )

    # --- numbers -------------------------------------------------------------------------------

    def _called(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        name, function = self.random.choice([("exp", np.exp), ("tanh", np.tanh), ("cos", np.cos)])
        inside = self.write(shape, indices, depth)
        return self._joined(rf"\{name}\left({inside.latex}\right)", function, [inside], CALL)

    def _fraction(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        mine, others = self._shared(indices)
        above, below = self.write((), mine, depth), self._array((), others)
        latex = rf"\frac{{{above.latex}}}{{1 + {below.latex}^2}}"
        return self._joined(latex, lambda x, y: x / (1 + y * y), [above, below], PRODUCT)

    def _dot(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        mine, others = self._shared(indices)
        size = self._size()
        left = self._held(self.write(size, mine, depth), ATOM)
        right = self._held(self.write(size, others, depth), ATOM)
        latex = f"{left.latex}{self.transpose} {right.latex}"
        return self._joined(latex, np.dot, [left, right], PRODUCT)

    def _quadratic(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        mine, others = self._shared(indices)
        one, two = self._size(), self._size()
        left, right = self._array(one, mine), self._array(two, others)
        matrix = self._held(self.write(one + two, [], depth), PRODUCT)
        latex = f"{left.latex}{self.transpose} {matrix.latex} {right.latex}"
        return self._joined(latex, lambda x, a, y: x @ a @ y, [left, matrix, right], PRODUCT)

    def _norm(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        inside = self.write(self._size(), indices, depth)
        latex = rf"\lVert {inside.latex} \rVert^2"
        return self._joined(latex, lambda x: np.sum(x * x), [inside], ATOM)

    def _trace(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        inside = self.write(self._size() * 2, indices, depth)
        return self._joined(rf"\mathrm{{tr}}({inside.latex})", np.trace, [inside], CALL)

    # --- vectors and matrices ------------------------------------------------------------------

    def _mapped(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        """A matrix, which may be transposed, times what has so many rows."""
        size = self._size()
        if self.random.random() < 0.3:
            turned = self._held(self.write(size + shape[:1], [], depth), ATOM)
            matrix = self._joined(f"{turned.latex}{self.transpose}", np.transpose, [turned], ATOM)
        else:
            matrix = self._held(self.write(shape[:1] + size, [], depth), PRODUCT)
        other = self._held(self.write(size + shape[1:], indices, depth), PRODUCT)
        return self._joined(f"{matrix.latex} {other.latex}", np.matmul, [matrix, other], PRODUCT)

    def _hadamard(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        mine, others = self._shared(indices)
        left = self._held(self.write(shape, mine, depth), CALL)
        right = self._held(self.write(shape, others, depth), CALL)
        return self._joined(rf"{left.latex} \odot {right.latex}", np.multiply, [left, right], SUM)

    def _activation(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        known = [(r"\mathrm{ReLU}", relu), (r"\sigma", sigmoid), (r"\tanh", np.tanh)]
        name, function = self.random.choice(known)
        inside = self.write(shape, indices, depth)
        return self._joined(f"{name}({inside.latex})", function, [inside], CALL)

    def _softmax(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        inside = self.write(shape, indices, depth)
        return self._joined(rf"\mathrm{{softmax}}({inside.latex})", softmax, [inside], CALL)

    def _outer(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        mine, others = self._shared(indices)
        left, right = self._array(shape[:1], mine), self._array(shape[1:], others)
        latex = f"{left.latex} {right.latex}{self.transpose}"
        return self._joined(latex, np.outer, [left, right], PRODUCT)

    def _turned(self, shape: Shape, indices: Sequence[str], depth: int) -> Written:
        inside = self._held(self.write(shape[::-1], indices, depth), ATOM)
        latex = f"{inside.latex}{self.transpose}"
        return self._joined(latex, np.transpose, [inside], CALL)


def _mean(values: Sequence[Any]) -> Any:
    return sum(values) / len(values)


def value(right: Written, free: Sequence[str], shape: Shape) -> np.ndarray:
    """The value of a right-hand side at all values of the indices of the left-hand side."""
    places = product(*(range(LENGTHS["n"]) for _ in free))
    found = [right.value(dict(zip(free, at, strict=True))) for at in places]
    lengths = [LENGTHS["n"]] * len(free) + [LENGTHS[size] for size in shape]
    return np.reshape(np.array(found), lengths)
