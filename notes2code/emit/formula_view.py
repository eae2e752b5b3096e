"""What templates see of the formula of a part: its names, settings and numbers, and texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NoReturn

from notes2code.components.own_sizes import in_own_sizes, shown_settings
from notes2code.components.parts import Part
from notes2code.components.recognise import Recognised
from notes2code.components.settings import is_causal
from notes2code.emit.attention import Attention
from notes2code.emit.graph import EmitError
from notes2code.emit.kernel import Kernel
from notes2code.emit.penalty import Penalty
from notes2code.emit.relative import Tables
from notes2code.emit.settings import render_setting
from notes2code.meaning import ir
from notes2code.meaning.ir import Lambda, Ref, Size
from notes2code.names import snake
from notes2code.oracle.layout import Bracket, Chain, lines


class FormulaView:
    """The formula of a part. Every name and text that it gives is safe in code."""

    def __init__(self, part: Part, vault: str) -> None:
        self._part = part
        self._vault = vault
        self.name = part.name
        own = part.name == part.component.class_name
        self.snake = part.component.name if own else snake(part.name)
        self.component = part.component.name
        self.family = part.component.family
        self.summary = part.component.summary
        self.groups = part.component.groups
        given = part.recognised.form.given  # which heads have none of
        self.head_sizes = None if given else part.component.head_sizes
        self.takes_bias = part.component.takes_bias
        summed = part.recognised.form.part.endswith("unnormalised")
        self.normalised = part.component.normalised and not summed
        self.form = part.recognised.form.part
        self.spelt = part.spelt

    @property
    def recognised(self) -> Recognised:
        """The recognised formula."""
        return self._part.recognised

    @property
    def is_total(self) -> bool:
        """Whether it is a loss that adds up those of all positions, and not their mean."""
        return self.form in ("likelihood", "total", "labels", "scored_labels")

    @property
    def is_textbook_attention(self) -> bool:
        """Whether it is softmax(QKᵀ/√d_k)V itself, without a mask."""
        usual = self.component == "scaled_dot_product_attention" and self.has("scale")
        return usual and len(self.recognised.settings) == 1 and self.shown("scale") == "d_k**-0.5"

    def var(self, role: str) -> str:
        """The name in code of what stands in a role: the note's, else the usual one."""
        found = self.recognised.found
        if role in found.roles:
            return found.roles[role].array
        if role in found.settings and isinstance(body := found.settings[role].body, Ref):
            return body.array
        return self._part.component.names.get(role, role)

    @property
    def has_own_head(self) -> bool:
        """Whether the formula of a model has a matrix of its own for the way out."""
        return "W" in self.recognised.found.roles

    @property
    def gives_probabilities(self) -> bool:
        """Whether the formula of a model gives what its class returns put through a softmax."""
        return isinstance(self.recognised.form.pattern.value.body, ir.Softmax)

    @property
    def tied_by(self) -> str:
        """The place at which a note of the formula says so, "" for none."""
        said = (source for source in self._part.sources if source.tied)
        return next((f"{self._vault}/{source.note}:{source.tied}" for source in said), "")

    def is_matrix(self, role: str) -> bool:
        """Whether what stands in a role is a matrix to the component, and not each of its rows."""
        return sum(axis >= 0 for axis in self.recognised.found.roles[role].axes) == 2

    def turned(self, role: str) -> bool:
        """Whether the note writes a matrix in a role the other way round (W x for x W)."""
        bound = self.recognised.found.roles.get(role)
        own = [axis for axis in bound.axes if axis >= 0] if bound else []
        return own != sorted(own)

    def has(self, setting: str) -> bool:
        """Whether the note's formula has a setting."""
        return setting in self.recognised.settings

    def shown(self, setting: str) -> str | None:
        """A setting as text, in the component's own sizes."""
        return shown_settings(self.recognised)[setting]

    @property
    def causal(self) -> bool:
        """Whether the formula lets a position see itself and those before it only."""
        return any(map(is_causal, self.recognised.settings.values()))

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numbers, such as a temperature, that it is made with: those in roles, and those that
        settings need besides the component's sizes."""
        used = dict.fromkeys(self._own_numbers)
        for setting in self.recognised.settings:
            used |= dict.fromkeys(self.numbers_of(setting))
        return tuple(used)

    def numbers_of(self, setting: str) -> tuple[str, ...]:
        """The numbers that a setting needs, if there is one."""
        shapes = {i.name: (i.shape, i.kind) for i in self.recognised.equation.inputs}
        value = self.recognised.settings.get(setting)
        used: dict[str, None] = {}
        for expr in ir.walk(value.body) if value is not None else ():
            if isinstance(expr, Ref) and shapes.get(expr.array) == ((), "array"):
                used[expr.array] = None
            elif expr in self.foreign_sizes:
                used[expr.name] = None
        return tuple(used)

    @property
    def from_config(self) -> Mapping[str, str]:
        """The numbers of a model as its methods write them."""
        return {name: f"self.config.{name}" for name in self.numbers}

    @property
    def is_capped(self) -> bool:
        """Whether what a GPT puts its logits through keeps them within bounds, or scales them."""
        parts = ir.walk(self.recognised.settings["logits"].body)
        return {part.name for part in parts if isinstance(part, ir.Fn)} <= {"tanh"}

    @property
    def _own_numbers(self) -> Mapping[str, float]:
        """The numbers in roles, and what they are by default."""
        roles = self.recognised.found.roles
        usual = self._part.component.numbers
        return {roles[role].array: usual[role] for role in usual if role in roles}

    def is_learned(self, name: str) -> bool:
        """Whether one of ``numbers`` is a weight, by its letter."""
        return name in self.attention.learned

    @cached_property
    def foreign_sizes(self) -> frozenset[Size]:
        """The sizes, such as d_model in an attention, that the formula names as numbers and that
        are none of the component's."""
        if self.family != "attention":
            return frozenset()
        return self.attention.foreign_sizes

    @property
    def asked_for(self) -> frozenset[str]:
        """The names of those sizes."""
        return frozenset(size.name for size in self.foreign_sizes)

    @staticmethod
    def by_name(parameters: Sequence[str]) -> list[str]:
        """The parameters of a constructor, those without a default that stand behind others with
        one as the last, which are given by name."""
        first = next((at for at, text in enumerate(parameters) if " = " in text), len(parameters))
        asked = [text for text in parameters[first:] if " = " not in text]
        given = [text for text in parameters if text not in asked]
        return [*given, "*", *asked] if asked else given

    def number_type(self, name: str) -> str:
        """The type of one of ``numbers`` and the value that it has by default; a size has none,
        since any would be a guess."""
        if name in self.asked_for:
            return "int"
        said = self.said_numbers.get(name, 1.0)
        if name in self.widths and said.is_integer():
            return f"int = {said:.0f}"
        # With a share of 1, the two attentions would cancel out at first.
        usual = 0.8 if self.has("lambda") and name in self.attention.shares else 1.0
        usual = self._own_numbers.get(name, usual)
        return f"float = {self.said_numbers.get(name, usual)!r}"

    @cached_property
    def widths(self) -> frozenset[str]:
        """Those of ``numbers`` that count positions, as the width of a window does."""
        return self.attention.mask.widths if self.family == "attention" else frozenset()

    @property
    def said_numbers(self) -> Mapping[str, float]:
        """The numbers that the section of its formula says."""
        return dict(self._part.sources[0].numbers) if self._part.sources else {}

    def code(self, setting: str, x: str = "x", within: str = "", **known: str) -> str:
        """A setting as PyTorch.

        ``x`` is the text of a function setting's argument; further names give the text of the
        component's sizes (``d_k="query.size(-1)"``) and of numbers. ``within`` is the operator
        that the text becomes an operand of.
        """
        value = self._in_own_sizes(self.recognised.settings[setting])
        return render_setting(value, x, known, within)

    def _in_own_sizes(self, value: Lambda) -> Lambda:
        return in_own_sizes(self.recognised, value)

    @cached_property
    def attention(self) -> Attention:
        """The formula as an attention: its mask, its score, and its axes."""
        return Attention(self.recognised)

    @cached_property
    def kernel(self) -> Kernel:
        """The formula as an attention whose scores a kernel gives."""
        return Kernel(self.attention)

    @cached_property
    def penalty(self) -> Penalty:
        """What BLEU multiplies the precisions with."""
        return Penalty(self.recognised)

    @cached_property
    def tables(self) -> Tables:
        """The tables that an attention with relative positions learns."""
        added = self.attention.mask.table if self.has("mask") else None
        return Tables(self.recognised, added, self.said_numbers)

    @property
    def has_tables(self) -> bool:
        """Whether it learns numbers for each distance."""
        return self.component == "relative_position_bias"

    @staticmethod
    def refuse(why: str) -> NoReturn:
        """Give up on a variant that the component's class cannot be."""
        raise EmitError(why)

    @staticmethod
    def broken(head: str, parts: Sequence[str], tail: str = ")", indent: int = 8) -> str:
        """Code in brackets on as many lines as it takes; the first has its indentation already."""
        return "\n".join(lines(Bracket(head, tuple(parts), tail), indent)).lstrip()

    @staticmethod
    def terms(head: str, text: str, indent: int = 8) -> str:
        """A sum behind a text, with a line for each term where one is too short for them."""
        terms = re.split(r" (?=[+-] )(?![^(]*\))", text)
        return "\n".join(lines(Chain(tuple(terms)), indent, head)).lstrip()
