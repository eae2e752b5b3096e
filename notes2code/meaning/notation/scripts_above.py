"""What stands above a name: a transpose, an index, a label, or else a power."""

from __future__ import annotations

from collections.abc import Sequence

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
    Script,
    Stroke,
    ungrouped,
    walk,
)
from notes2code.latex.words import RATES
from notes2code.meaning import names
from notes2code.meaning.notation import groups, positions
from notes2code.meaning.notation.scripts import ARRAYS, At, is_mark, is_name
from notes2code.meaning.notation.scripts_below import Below, is_word


class Above(Below):
    """Collects what all scripts of one name say: those above it, too."""

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
        """``l``, or ``l − 1``, which only counts steps; the t of β^t is a power at step t, and so
        is the t + 1 of ``1 − β^{t+1}``."""
        if not self.is_step(ungrouped(node)):
            return False
        by_letter = isinstance(node, Name) and self.base in RATES and node.text != positions.LAYER
        if by_letter or (isinstance(node, Infix) and self.raised):
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
        if is_mark(node.sup) and not node.sub and not node.primes:
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
        elif not (
            _is_named_call(node)
            or (scripted and not self.counts(node))
            or (isinstance(node, Relation) and names.label(node))
            or self.is_of_filter(node)
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
        elif self.listed or is_word(self.base):
            self.labels.append(text)  # the n of FFN_i^n(x): layers are not raised to a power
        elif self.vector and (self.labels or self.indices) and text not in _COUNTING:
            self.labels.append(text)  # the bold x_1^p of a list, which are vectors of patches
        else:
            self.power = node


_STEPS = frozenset("step steps epoch epochs iteration".split())
"""Words that count what a rate is raised to: ``decay^{epoch}``."""


_COUNTING = frozenset("ijklmnt")
"""Letters that count wherever they can, and name nothing."""


_RAISED = frozenset(["e", "d", "t", "x", "z", "gamma"])
"""What any Greek letter raises."""


_EXPONENTS = frozenset(["alpha", "beta", "gamma"])
"""What counts are raised to, as in ``N^\\alpha``."""


_COUNTS = frozenset(names.SIZE_BASES) | frozenset("ijt")
"""What counts, wherever it stands: sizes, and letters that are indices or steps."""


_SHARES = frozenset("fp")
"""Frequencies and probabilities, which are raised to a letter to flatten them."""


def _is_named_call(node: Node) -> bool:
    """Whether a superscript is a word with its arguments, such as ``GAE(γ, λ)``: a label."""
    match node:
        case Juxt((Name(word), Group("("))):
            return len(word) > 1 and word not in names.FUNCTIONS | names.GREEK
    return False


def _has_mark(factors: Sequence[Node]) -> bool:
    """Whether a transpose stands among letters: not in a word such as ``TAV``, before its end."""
    return any(map(is_mark, factors[-1:] if names.is_abbreviation(factors) else factors))
