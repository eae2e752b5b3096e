"""What stands below a name: indices, labels, and places that another array holds."""

from __future__ import annotations

from collections.abc import Set
from itertools import chain

from notes2code.diagnostics import error
from notes2code.latex.tree import (
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Root,
    Script,
    Stroke,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import functions, positions, slices
from notes2code.meaning.notation.scripts import At, beside_number, is_name, looked_up, parts


class Below:
    """Collects what the scripts of one name say: those below it."""

    def __init__(
        self, base: Name, bound: Set[str], as_target: bool, steps: Set[str], numbered: bool = False
    ) -> None:
        self.base = base.text
        self.vector = base.font == "bold" and base.text.islower()
        self.bound = bound
        self.as_target = as_target
        self.steps = steps
        self.numbered = numbered
        self.raised = False
        self.listed = False
        self.times: Set[str] = frozenset()
        self.dropped = 0
        self.indices: list[At] = []
        self.labels: list[str] = []
        self.power: Node | None = None
        self.transposed = False

    def below(self, node: Node) -> None:
        """A subscript: indices, where its letters are bound, else a label."""
        if items := positions.of_whole_axes(node):
            own = [item for item in items if not self.is_step(item)]
            self.dropped += len(items) - len(own)
            self.indices += [At(item, "∀" if isinstance(item, Stroke) else "") for item in own]
            return
        written = parts(node, self.bound | self.steps)
        if self.numbered and beside_number(node, self.bound):
            written = beside_number(node, self.bound)
        for part in chain.from_iterable(positions.run_of_indices(n, self.bound) for n in written):
            if self.is_step(part):
                self.dropped += 1
                continue
            plain = isinstance(part, Name | Num)
            if not plain and (
                inner := self.label_and_index(part)
                or self.beside_label(part)
                or self.of_two_places(part)
            ):
                for piece in inner:
                    self.below(piece)
                continue
            numbered = self.numbered and isinstance(part, Num) and len(written) > 1
            at = At(part) if numbered else self.index(part)
            if at is not None:
                self.indices.append(at)
            elif positions.is_arithmetic(part) or slices.counts_places(part):
                raise error(
                    "N2C032",
                    "this index counts with a letter that nothing binds",
                    part.span,
                    "say over what it runs, or write the index on the left-hand side too",
                )
            elif not plain and self.looks_up(part):
                self.indices.append(self.place_looked_up(part))
            elif isinstance(part, Root) or self.counts_by_product(part) or self.is_of_array(part):
                raise error("N2C032", "this index is not understood", part.span)
            elif text := names.label(part):
                self.labels.append(text)
            elif not isinstance(part, Relation):  # which says what a softmax or an E runs over
                raise error("N2C032", "this index is not understood", part.span)

    def counts_by_product(self, node: Node) -> bool:
        """Whether a script is ``t - dk``, where k counts: so many places back, and no label."""
        match node:
            case Infix("+" | "-", Name(place), Juxt(factors)) if len(place) == 1:
                letters = [factor.text for factor in factors if isinstance(factor, Name)]
                return len(letters) == len(factors) and not self.bound.isdisjoint(letters)
        return False

    def is_of_array(self, node: Node) -> bool:
        """Whether a script is the ``3 × 4`` of a matrix."""
        return isinstance(node, Infix) and node.op == "×" and not self.is_of_filter(node)

    def is_of_filter(self, node: Node) -> bool:
        """Whether a script is the ``7 × 7`` of a function, as of a convolution ``f^{7×7}``, which
        nobody raises to such a power."""
        match node:
            case Infix("×", Num(), Num()):
                return self.base in functions.LETTERS or is_word(self.base)
        return False

    def label_and_index(self, node: Node) -> tuple[Node, ...]:
        """The parts of the ``Q_i`` of a weight ``W_{Q_i}``, and of the ``mθ`` of ``R_{mθ}``."""
        match node:
            case Script(Name(label) as name, Name(letter) as index, None, 0):
                if self.base in _WEIGHTS and label.isupper() and letter in self.bound:
                    return name, index
            case Juxt((Name(letter) as index, Name(label) as name)):
                if label in names.GREEK and letter in self.bound and label not in self.bound:
                    return name, index
        return ()

    def beside_label(self, node: Node) -> tuple[Node, ...]:
        """The letters of the ``kc`` of ``a_{kc}``, of which one is an index; those of weights and
        of sizes, ``d_{in}``, may be an abbreviation."""
        match node:
            case Juxt((Name(one), Name(other))) if len(one) == len(other) == 1:
                abbreviated = self.base in _WEIGHTS | {"d", "n", "N"} or one + other == "in"
                if len({one, other} & self.bound) == 1 and not abbreviated:
                    return node.factors
        return ()

    def of_two_places(self, node: Node) -> tuple[Node, ...]:
        """The name and the letters of the ``rel(i,j)`` of a bias ``b_{rel(i,j)}``, and of the
        ``φ(v_i, v_j)`` of ``b_{φ(v_i, v_j)}``: whatever it is of two places, there is one for every
        two. Of their difference, ``bucket(i-j)``, there is one for every difference."""
        match node:
            case Juxt((name, Group("(", (one, other)))) if is_name(name):
                places = (positions.place(one), positions.place(other))
                letters = {place.text for place in places if place is not None}
                if len(letters) == 2 and letters <= self.bound:
                    return name, *filter(None, places)
            case Juxt((name, Group("(", (Infix("-", Name(one), Name(other)) as apart,)))):
                if is_name(name) and one != other and {one, other} <= self.bound:
                    return name, apart
        return ()

    def looks_up(self, node: Node) -> bool:
        """Whether a script is a function of an index, ``g(i)``, or has an index inside, as in the
        row ``E_{x_i}`` of a table, and so is no label."""
        if isinstance(node, Infix) and node.op == "mod":
            return True
        nodes = walk(node)
        if any(map(_is_power_or_rest, nodes)):
            return any(isinstance(inner, Name) and inner.text in self.bound for inner in nodes)
        if isinstance(node, Infix | Frac | Group) and any(map(self._is_indexed, nodes)):
            return True
        called = isinstance(node, Juxt) and any(isinstance(f, Group) for f in node.factors)
        indexed = isinstance(node, Script) and node.sub is not None and is_name(node)
        if not called and (not indexed or self.as_target):
            return False
        if isinstance(node, Script) and node.sub is not None and not called:
            nodes = walk(node.sub)  # the w_O of v_{w_O} is one word, also where a sum counts by w
        return any(isinstance(inner, Name) and inner.text in self.bound for inner in nodes)

    def place_looked_up(self, node: Node) -> At:
        """The place that is the label of a row; raises ``ProblemError`` for any other."""
        if not is_name(node):
            raise error("N2C032", "this index is not understood", node.span)
        if not self.is_label_of_row(node):
            raise looked_up(node)
        return At(node, "=")

    def is_label_of_row(self, node: Node) -> bool:
        """Whether a place is the label of a row that stands before it: ``p_{i,y_i}``."""
        rows = {at.node.text for at in self.indices if isinstance(at.node, Name)}
        return words_in(node) & self.bound <= rows

    def _is_indexed(self, node: Node) -> bool:
        sub = node.sub if isinstance(node, Script) else None
        return isinstance(sub, Name) and sub.text in self.bound

    def is_step(self, node: Node) -> bool:
        """Whether a script only counts steps: ``l`` or ``l − 1``."""
        if not self.steps:
            return False
        letters, other = positions.letters_of(node)
        return bool(letters) and not other and all(letter in self.steps for letter in letters)

    def index(self, node: Node) -> At | None:
        """The node as an index position, if it is one."""
        if isinstance(node, Relation) and node.operands[0] is None:
            last = node.operands[1]
            if last is not None and node.signs[0] in "<≤≥>" and self.counts(last):
                return slices.up_to(last) if node.signs == ("≤",) else At(last, node.signs[0])
            return None
        if (part := slices.ends(node)) is not None:
            counted = any(end is not None and self.counts(end) for end in part)
            return slices.place(node, *part) if counted else None
        if isinstance(node, Group) and node.open in ("(", "[") and len(node.items) == 1:
            return self.index(node.items[0])
        if self.base in ("d", "D", "dim") and isinstance(node, Name) and node.text in names.LABELS:
            return None
        return At(node) if self.counts(node) else None

    def counts(self, node: Node) -> bool:
        """Whether an expression is arithmetic on bound letters."""
        letters, other = positions.letters_of(node)
        return not other and any(letter in self.bound for letter in letters)


def _is_power_or_rest(node: Node) -> bool:
    """Whether a node in a script is a power, ``i^2`` or ``2^i``, or a rest, ``i % 2``."""
    match node:
        case Script(_, None, Num()) | Script(Num(), None, Name()) | Name("percent"):
            return True
    return False


_WEIGHTS = frozenset(["W", "w", "U", "b"])


def is_word(base: str) -> bool:
    """Whether a name is a word with a capital, ``FFN`` or ``Expert``."""
    return len(base) > 1 and base[0].isupper() and base not in names.GREEK
