"""What is known before a formula is typed: what its section, its note and the vault declare."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from notes2code.latex.macros import Macro
from notes2code.meaning.ir import Equation


@dataclass(frozen=True, slots=True)
class Shape:
    """A declared shape: size names or whole numbers, or "" where only the kind is known, a vector.
    ``indexed`` counts the indices that the declared name carries: ``W_i^Q ∈ ℝ^{d×d_k}`` speaks of
    one W_Q for each i. None stands for any number of indices: the shape is that of one element.
    ``afar`` says that another section declares it."""

    axes: tuple[str | int, ...]
    indexed: int | None = 0
    afar: bool = False

    @property
    def is_sized(self) -> bool:
        """Whether the sizes of the axes are known."""
        return "" not in self.axes

    @property
    def is_vector(self) -> bool:
        """Whether it is the shape of a vector, not of each of several."""
        return len(self.axes) == 1 and not self.indexed

    def rank(self, indices: int) -> int:
        """The number of axes, of which ``indices`` are written as indices."""
        return len(self.axes) + (indices if self.indexed is None else self.indexed)


@dataclass(frozen=True)
class Scope:
    """What surrounds a formula; all names are code names (``W_Q``, ``d_model``).

    ``shapes`` has what is declared nearest first.
    ``functions`` are those that the notes define; ``field`` those that everybody knows, by their
    names in lower case without signs.
    ``words`` are names of more than one letter that the notes use, ``arrays`` those of this formula
    that the notes define as no functions, ``operators`` matrices of which there is one for each
    position: without an index they act on each row of what they stand before. ``callees`` are the
    letters that another formula of the section applies to one thing, ``N(x)``, or that the text
    calls functions. ``ranks`` are the
    numbers of axes that the note's definitions give to arrays, behind their indices; ``unwritten``
    are the letters of indices that these have and do not write, ``apart`` letters that the note has
    in two fonts, ``opposites`` gates g beside the f that another formula defines as ``1 - g``, and
    ``sigmoids`` what another formula defines as a sigmoid of a vector.
    ``lasts`` are the letters that another formula of the section ends a range or a list with.
    ``begins`` are the numbers that letters count from by the ranges of the section.
    ``mapped`` are the letters of the note that weights stand behind, ``X W``, and ``labels`` those
    below each name that tell things apart in the section and count nothing there, ``above`` what
    does so above each, letters or numbers; ``places`` are
    those of nodes, whose neighbours a sum of the section runs over. ``drawn`` are the letters of
    noise that the section draws from a distribution of vectors, ``elements`` the names whose
    elements are numbers in another formula of it.
    ``real`` are the letters that it says to be real numbers, as ``t ∈ [0, 1]``, and count nothing.
    ``sized`` are sizes that formulas of the note say something of, as ``d_k = d/h`` does.
    ``convolves`` says that the text beside the formula speaks of convolutions, ``norms``
    of which ones it speaks: "layers", "others", such as those of batches, or "". ``circled`` is
    what it says of ``⊗``: "outer", "kronecker", "elements", or "", and ``joins`` that by ``⊕`` it
    joins arrays, ``halves`` that it speaks of halves of features.
    ``result`` is the name of what is wanted of several results, if one is.
    """

    shapes: Mapping[str, Shape] = dataclass_field(default_factory=dict)
    functions: Mapping[str, Equation] = dataclass_field(default_factory=dict)
    field: Mapping[str, Equation] = dataclass_field(default_factory=dict)
    words: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    operators: frozenset[str] = frozenset()
    callees: frozenset[str] = frozenset()
    ranks: Mapping[str, int] = dataclass_field(default_factory=dict)
    unwritten: Mapping[str, tuple[str, ...]] = dataclass_field(default_factory=dict)
    macros: Mapping[str, Macro] = dataclass_field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    opposites: frozenset[str] = frozenset()
    sigmoids: frozenset[str] = frozenset()
    lasts: frozenset[str] = frozenset()
    begins: Mapping[str, int] = dataclass_field(default_factory=dict)
    mapped: frozenset[str] = frozenset()
    labels: Mapping[str, Set[str]] = dataclass_field(default_factory=dict)
    above: Mapping[str, Set[str]] = dataclass_field(default_factory=dict)
    places: frozenset[str] = frozenset()
    drawn: frozenset[str] = frozenset()
    real: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()
    sized: frozenset[str] = frozenset()
    convolves: bool = False
    norms: str = ""
    circled: str = ""
    joins: bool = False
    halves: bool = False
    result: str = ""


EMPTY = Scope()
