"""What a component's formula asks of an equation, and what a match of the two has found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import field

from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Call,
    Concat,
    Expr,
    Fn,
    Index,
    Iterate,
    Lambda,
    Num,
    Pow,
    Reduce,
    Ref,
    Size,
    Softmax,
)
from notes2code.records import dataclass

MAX_STEPS = 50_000
"""The comparisons of parts that may be made for one equation: orders of sums and products are
many."""


@dataclass(frozen=True, slots=True)
class Role:
    """An input of the note in a role: which of the role's axes each of its axes is.

    ``axes`` holds, for each axis of the input, the number of the role's axis, or −1 for an axis
    that the component does not have (heads, a batch), whose places are ``outer``.
    """

    array: str
    axes: tuple[int, ...]
    outer: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """What a match has found so far.

    ``indices`` maps the component's indices to the note's. ``settings`` holds expressions over
    the note's inputs, each an array over the note's indices for those that the setting has in
    the component's formula; in a function setting the argument is ``HOLE``, and ``plain`` are
    those function settings that leave it as it is, everywhere. ``functions`` are the note's calls
    by role and number of the call (``Norm#1``), ``sizes`` the sizes that formulas use as numbers,
    ``states`` the states of recursions.
    """

    indices: Mapping[Index, Index] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    settings: Mapping[str, Lambda] = field(default_factory=dict)
    plain: frozenset[str] = frozenset()
    functions: Mapping[str, Call] = field(default_factory=dict)
    sizes: Mapping[Size, Size] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A component's formula: its normal form, and which of its inputs are settings."""

    value: Lambda
    settings: frozenset[str]
    biases: frozenset[str] = frozenset()
    """The settings that take a lone input: a learned bias."""
    pairs: Mapping[str, str] = field(default_factory=dict)
    """The settings that take an element of an input for a pair of positions, by their kind."""
    reach: str = ""
    """The setting that takes the condition under which a softmax is taken, if there is one."""
    arity: Mapping[str, int] = field(default_factory=dict)
    """The number of parameters of the functions that the formula calls; what a call has besides,
    such as weights, is its own."""
    needs: frozenset[str] = frozenset()
    """What an equation must hold to match, see :func:`kinds`."""
    divisors: frozenset[Size] = frozenset()
    """The sizes that it computes with, see :func:`divisors`."""


def kinds(array: Lambda, settings: Set[str] = frozenset()) -> frozenset[str]:
    """The operations in an expression that none of the settings can stand for: softmaxes,
    recursions, lists, calls, sums and products over so many indices, powers by their numbers, and
    the functions of numbers by name."""
    names = {Softmax: "softmax", Iterate: "iterate", Concat: "concat"}
    found: set[str] = set()
    over: Counter[str] = Counter()
    for part in ir.walk(array.body):
        if type(part) in names:
            found.add(names[type(part)])
        elif isinstance(part, Fn):
            found.add(part.name)
        elif isinstance(part, Reduce):
            over[part.kind] += 1
            found.add(f"{part.kind} over {over[part.kind]}")
        elif isinstance(part, Pow) and isinstance(part.exponent, Num):
            found.add(f"^{part.exponent.value}")
        elif isinstance(part, Call) and part.function not in settings:
            found.add("call")
    return frozenset(found)


def divisors(expr: Expr) -> frozenset[Size]:
    """The sizes that an expression computes with, but for those that only find an element."""
    if isinstance(expr, Size):
        return frozenset([expr])
    if isinstance(expr, Ref | Fn):
        return frozenset()
    return frozenset().union(*map(divisors, ir.children(expr)))


class TooManyWays(Exception):
    """An equation cannot be compared with the components."""


class Subject:
    """An equation that is compared with components: its normal form, what that holds, the indices
    that it has anywhere, and how many comparisons are left to make."""

    def __init__(self, value: Lambda) -> None:
        self.value = value
        self.kinds = kinds(value)
        self.used = ir.free_indices(value.body)
        self.left = MAX_STEPS

    def take(self) -> None:
        """One comparison more. Raises ``TooManyWays``."""
        self.left -= 1
        if self.left < 0:
            raise TooManyWays
