"""Reading the scripts of a name: which of them are indices, labels, a power or a transpose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import TypeGuard

from notes2code.diagnostics import error
from notes2code.latex.tree import (
    Accent,
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
    ungrouped,
    walk,
    words_in,
)
from notes2code.latex.words import RATES
from notes2code.meaning import names
from notes2code.meaning.notation import groups, positions, slices
from notes2code.meaning.notation.scripts import (
    ARRAYS,
    ARROWS,
    At,
    Use,
    beside_number,
    is_name,
    looked_up,
    parts,
)

NO_STEPS: Mapping[str, Set[str]] = {}


def read(
    node: Node,
    bound: Set[str],
    as_target: bool = False,
    steps: Mapping[str, Set[str]] = NO_STEPS,
    numbered: Set[str] = frozenset(),
    raised: Set[str] = frozenset(),
    listed: Set[str] = frozenset(),
    times: Set[str] = frozenset(),
) -> Use:
    """Resolve the scripts of a name. ``bound`` are the letters that are indices here, ``steps``
    those that only count the steps of a recursion, by the letter of the name they stand on
    ("" for all names); ``numbered`` are the names of which a number beside an index tells an
    element, too; ``raised`` those that an index above them raises, ``listed`` those of which all
    have something above that tells them apart; ``times`` are letters that count above names."""
    if isinstance(node, Name):
        return Use(bare_name(node), node.span, bold=node.font == "bold")
    marks: list[str] = []
    subs: list[Node] = []
    sups: list[Node] = []
    primes = 0
    span = node.span
    while not isinstance(node, Name):
        if isinstance(node, Accent):
            marks.insert(0, node.mark)
            node = node.base
        elif isinstance(node, Script):
            primes += node.primes
            if node.sub is not None:
                subs.insert(0, node.sub)
            if node.sup is not None:
                sups.insert(0, node.sup)
            node = node.base
        else:
            raise TypeError(node)
    counting = steps.get(node.text, frozenset()) | steps.get("", frozenset())
    reader = _Reader(node, bound, as_target, counting, node.text in numbered)
    reader.raised = node.text in raised
    reader.listed = node.text in listed
    reader.times = times
    for sub in subs:
        reader.below(sub)
    below = len(reader.indices)
    for sup in sups:
        reader.above(sup)
    above = reader.indices[below:]
    if any(positions.stride(at.node) for at in above):  # the columns of p_t^{(2i)} come last
        above = []
    indices = (*above, *(at for at in reader.indices if at not in above))
    labels = [*reader.labels, *marks, *(["prime"] * primes)]
    worded = any(len(label) > 1 for label in reader.labels)  # which tells \mathcal{L}_{aux} apart
    return Use(
        names.code_name(_plain(node.text), "" if worded else _font(node), *labels),
        span,
        indices,
        reader.power,
        reader.transposed,
        node.font == "bold" or not ARROWS.isdisjoint(marks),
        reader.dropped,
        len(above),
    )


def unindexed(node: Node) -> str:
    """A name with all its scripts, of which none is an index."""
    return read(node, frozenset()).name


def bare_name(node: Name) -> str:
    """The name of a letter or a word without scripts."""
    return names.code_name(_plain(node.text), _font(node))


def _font(node: Name) -> str:
    """What the font of a letter adds to its name."""
    return "cal" if node.font == "script" else ""


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    # The W of ``W-MSA`` is a part of the word and no letter with a label; that of ``W1`` has one.
    word = _NUMBERED.sub(r"\1_\2", _LIBRARY.sub("", text))
    word = _LETTER_OF_WORD.sub(r"\1", word)
    return "_".join(word.replace("-", " ").split())


_LIBRARY = re.compile(r"^(?:(?:torch|numpy|np|tf|jnp|nn|functional|F)\.)+(?=[A-Za-z])")
"""Where code has a function from, ``torch.sigmoid``."""


_NUMBERED = re.compile(r"^([A-Za-z])(\d)$")


_LETTER_OF_WORD = re.compile(r"^([A-Za-z])-(?=[A-Za-z]{2})")


class _Reader:
    """Collects what the scripts of one name say."""

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
            elif isinstance(part, Root) or self.counts_by_product(part):
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

    def above(self, node: Node) -> None:
        """A superscript: a transpose, an index or a label, else a power."""
        readings = (
            self._step_above,
            self._time_above,
            self._letter_or_number_above,
            self._marked_letter_above,
            self._in_parentheses_above,
            self._group_above,
            self._row_above,
            self._list_above,
            self._scripted_above,
            self._own_exponent_above,
            self._label_above,
            self._layer_above,
        )
        if not any(understood(node) for understood in readings):
            self.power = node

    def _step_above(self, node: Node) -> bool:
        """``l``, or ``l − 1``, which only counts steps; the t of β^t is a power at step t."""
        if not self.is_step(ungrouped(node)):
            return False
        if isinstance(node, Name) and self.base in RATES and node.text != positions.LAYER:
            self.power = node
        else:
            self.dropped += 1
        return True

    def _time_above(self, node: Node) -> bool:
        """``t − 1``, where t counts above names: the time before. A rate is raised to it."""
        inner = ungrouped(node)
        if not isinstance(inner, Infix) or self._is_power():
            return False
        shift = positions.shift(inner)
        if shift is None or shift[0] not in self.times & self.bound:
            return False
        self.indices.append(At(inner))
        return True

    def _letter_or_number_above(self, node: Node) -> bool:
        """``T``, ``i`` or ``2``; and of a rate the (n−m) of plain text, or the n_y of a count."""
        inner = ungrouped(node)
        if isinstance(node, Name):
            self._above_name(node)
        elif isinstance(node, Num):
            is_zeroth = node.text == "0" and self.base not in RATES
            if is_zeroth or self.listed or (self.as_target and node.text != "2"):
                self.labels.append(node.text)
            else:
                self.power = node
        elif self.base in RATES and isinstance(inner, Infix | Frac | Script):
            self.power = inner
        else:
            return False
        return True

    def _marked_letter_above(self, node: Node) -> bool:
        """The ``\\hat S`` of ``H^{\\hat S}`` is a label where the S of ``H^S`` is one."""
        match node:
            case Accent(_, Name(letter)) if letter not in self.bound:
                capital = len(letter) == 1 and letter.isupper() and self.base not in RATES | _COUNTS
                if capital or self.base in ARRAYS or self.listed or self.as_target:
                    self.labels.append(names.label(node))
                    return True
        return False

    def _in_parentheses_above(self, node: Node) -> bool:
        """``(i)``, ``(i, j)`` and ``(i + d/2)``: indices, or labels; ``(a/b)`` is none of both."""
        if not (isinstance(node, Group) and node.open == "(" and node.items):
            return False
        if any(isinstance(inner, Frac) for inner in walk(node)) and not self._is_moved(node):
            return False
        for item in node.items:
            at = self.index(item)
            if at is not None:
                self.indices.append(at)
            elif self.looks_up(item):
                self.indices.append(self.place_looked_up(item))
            elif text := names.label(item):
                self.labels.append(text)
            else:
                raise error("N2C032", "this superscript is not understood", item.span)
        return True

    def _is_moved(self, node: Group) -> bool:
        """Whether what stands above is an index moved by a part of its axis, ``(i + d/2)``."""
        match node.items:
            case (Infix("+" | "-", Name(letter), Frac(size, Num())),) if is_name(size):
                moved = names.is_size_name(names.base_letter(names.label(size)))
                return moved and letter in self.bound and self.base not in RATES
        return False

    def _group_above(self, node: Node) -> bool:
        """``g(i)``, the group of a head: no array is raised to a function of an index."""
        grouped = self.base in ARRAYS and groups.named(node) and self.counts(node)
        if grouped:
            self.indices.append(At(node))
        return bool(grouped)

    def _row_above(self, node: Node) -> bool:
        """Letters side by side: ``QT`` of a transposed W^Q, the power ``ij``, a word."""
        if not isinstance(node, Juxt):
            return False
        if _has_mark(node.factors):
            for factor in node.factors:
                self.above(factor)
        elif all(isinstance(factor, Name) for factor in node.factors):
            if self.counts(node) or (self.base == "e" and not (self.indices or self.labels)):
                self.power = node
            else:
                self.labels.append(names.label(node))
        else:
            return False
        return True

    def _list_above(self, node: Node) -> bool:
        """``Q, i``; in a list nothing is a power: the n − m of ``R^{Θ,n−m}`` is a place."""
        if not (isinstance(node, Group) and not node.open and node.items):
            return False
        if isinstance(node.items[0], Stroke) and not node.separators and len(node.items) == 2:
            self.power = node.items[1]  # the 2 of A^{\\circ 2}, to which each element is raised
            return True
        for item in node.items:
            if isinstance(item, Num):
                self.labels.append(item.text)
            elif isinstance(item, Infix | Frac):
                self.below(item)
            else:
                self.above(item)
        return True

    def _scripted_above(self, node: Node) -> bool:
        """The ``Q^T`` of a ``W^{Q^T}``, which is a W^Q transposed; the ``Q_i`` of ``W^{Q_i}``."""
        if not isinstance(node, Script):
            return False
        if _is_mark(node.sup) and not node.sub and not node.primes:
            self.above(node.base)
            self.above(node.sup)
        elif inside := self.label_and_index(node):
            for piece in inside:
                self.above(piece)
        else:
            return False
        return True

    def _own_exponent_above(self, node: Node) -> bool:
        """The ``w_n`` of ``p_n^{w_n}``, and the w_1 of ``p_1^{w_1}``: each has an exponent of its
        own. Above arrays it is no power, nor is a capital or a word."""
        match node:
            case Script(Name(exponent), Name(place) | Num(place), None, 0):
                small = exponent[0].islower() and (len(exponent) == 1 or exponent in names.GREEK)
                places = [at.node.text for at in self.indices if isinstance(at.node, Name)]
                own = place in (*places, *self.labels) or self.raised
                if small and own and not self.as_target and self.base not in ARRAYS:
                    self.power = node
                    return True
        return False

    def _label_above(self, node: Node) -> bool:
        """Words and signs that are no letters."""
        scripted = isinstance(node, Script) and is_name(node) and not node.sup
        if isinstance(node, Stroke):
            if node.text == "+" and self.base.isupper() and not self.as_target:
                text = "the pseudo-inverse of a matrix is not computed"
                raise error("N2C041", text, node.span, "if it is a label, write it as a word")
            if not names.label(node):
                raise error("N2C032", "this superscript is not understood", node.span)
        elif not (_is_named_call(node) or (scripted and not self.counts(node))) and not (
            isinstance(node, Relation) and names.label(node)
        ):
            return False
        self.labels.append(names.label(node))
        return True

    def _layer_above(self, node: Node) -> bool:
        """``l − 1``: the layer before, or a label that tells it from this one."""
        layer, counted = positions.layer_label(node), positions.LAYER in self.bound
        if counted and positions.counts_layers(node) and self.base not in RATES:
            self.indices.append(At(node))
            return True
        if layer and (self.indices or self.labels or self.listed):
            self.labels.append(layer)  # of h_n^{l-1}
            return True
        return False

    def _is_power(self) -> bool:
        """Whether an index above is a power: of a rate, or as the formula shows. What has two
        indices below is no rate."""
        return self.raised or (self.base in RATES and len(self.indices) < 2)

    def _above_name(self, node: Name) -> None:
        text = node.text
        if text == "T" and self.raised:
            self.power = node  # the γ^T beside γ^t
        elif text in ("T", "top") and not (text == "T" and "T" in self.bound):
            self.transposed = True
        elif text == "t" and self.base == "K" and "t" not in self.bound | self.steps:
            self.transposed = True  # the QK^t of those who write all transposes so
        elif text in ("prime", "star", "dagger"):
            self.labels.append(text)
        elif text in self.bound and text != positions.LAYER and self._is_power():
            self.power = node
        elif text in self.bound:
            self.indices.append(At(node))
        elif self.raised or (
            text.lower() in _STEPS and (self.base in RATES or names.is_number(self.base))
        ):
            self.power = node
        elif text.isupper() or len(text) > 1 or text in names.LABELS:
            exponent = text in _EXPONENTS and self.base in _COUNTS | self.bound
            exponent = exponent or (text in _EXPONENTS | {"tau"} and self.base in _SHARES)
            if exponent or (self.base in _RAISED and len(text) > 1 and text in names.GREEK):
                self.power = node
            else:
                self.labels.append(text)
        elif self.base in ARRAYS or text == positions.LAYER or self.as_target:
            self.labels.append(text)  # the q_i^r beside q_i^c: the part that is rotated
        elif self.listed or _is_word(self.base):
            self.labels.append(text)  # the n of FFN_i^n(x): layers are not raised to a power
        elif self.vector and (self.labels or self.indices) and text not in _COUNTING:
            self.labels.append(text)  # the bold x_1^p of a list, which are vectors of patches
        else:
            self.power = node


def _is_word(base: str) -> bool:
    """Whether a name is a word with a capital, ``FFN`` or ``Expert``."""
    return len(base) > 1 and base[0].isupper() and base not in names.GREEK


_STEPS = frozenset("step steps epoch epochs iteration".split())
"""Words that count what a rate is raised to: ``decay^{epoch}``."""


_COUNTING = frozenset("ijklmnt")
"""Letters that count wherever they can, and name nothing."""


_WEIGHTS = frozenset(["W", "w", "U", "b"])


_RAISED = frozenset(["e", "d", "t", "x", "z", "gamma"])
"""What any Greek letter raises."""


_EXPONENTS = frozenset(["alpha", "beta", "gamma"])
"""What counts are raised to, as in ``N^\\alpha``."""


_COUNTS = frozenset(names.SIZE_BASES) | frozenset("ijt")
"""What counts, wherever it stands: sizes, and letters that are indices or steps."""


_SHARES = frozenset("fp")
"""Frequencies and probabilities, which are raised to a letter to flatten them."""


def _is_power_or_rest(node: Node) -> bool:
    """Whether a node in a script is a power, ``i^2`` or ``2^i``, or a rest, ``i % 2``."""
    match node:
        case Script(_, None, Num()) | Script(Num(), None, Name()) | Name("percent"):
            return True
    return False


def _is_mark(node: Node | None) -> TypeGuard[Name]:
    return isinstance(node, Name) and node.text in ("prime", "T", "top", "star")


def _is_named_call(node: Node) -> bool:
    """Whether a superscript is a word with its arguments, such as ``GAE(γ, λ)``: a label."""
    match node:
        case Juxt((Name(word), Group("("))):
            return len(word) > 1 and word not in names.FUNCTIONS | names.GREEK
    return False


def _has_mark(factors: Sequence[Node]) -> bool:
    """Whether a transpose stands among letters: not in a word such as ``TAV``, before its end."""
    return any(map(_is_mark, factors[-1:] if names.is_abbreviation(factors) else factors))
