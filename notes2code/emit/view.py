"""What a component's templates see of the part that they render."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NoReturn, TypeAlias

from notes2code.components.own_sizes import in_own_sizes, shown_settings
from notes2code.components.plan import ADDED, Part
from notes2code.components.recognise import Recognised
from notes2code.components.settings import is_causal, of_each_head
from notes2code.emit.any_size import of_any_size
from notes2code.emit.attention import MATRICES, TURN, Attention
from notes2code.emit.called import entries, passed_on, weights_of_called, weights_of_layers
from notes2code.emit.docs import docstring
from notes2code.emit.graph import EmitError
from notes2code.emit.handed_on import HandedOn
from notes2code.emit.kernel import Kernel
from notes2code.emit.penalty import Penalty
from notes2code.emit.projected import Projected
from notes2code.emit.reference import arranged, axes_of, over_rows
from notes2code.emit.relative import Tables
from notes2code.emit.rotary import Rotary
from notes2code.emit.settings import render_setting
from notes2code.emit.sublayers import formula_of, functions_of, opened, weights_of_sublayers
from notes2code.emit.templating import fill
from notes2code.meaning import ir
from notes2code.meaning.ir import Equation, Lambda, Ref, Size
from notes2code.names import snake
from notes2code.oracle import numpy_source
from notes2code.oracle.layout import Bracket, Chain, lines

Sizes: TypeAlias = Mapping[str, int | float]
"""Sizes of a model by name, such as ``d_model``, and ``dropout``."""


STACKED = ("Layer", "Writer")
"""The roles of layers in a stack or model, and of the stack that writes in one that also reads."""

WHOLE = (*STACKED, "Reader")
"""They, and the role of the stack that reads."""


USUAL = {
    "vocab_size": 1000,
    "max_len": 128,
    "d_model": 64,
    "num_heads": 4,
    "d_ff": 128,
    "num_layers": 2,
}
"""The sizes of a model in examples where the notes say nothing."""

_MANY_WEIGHTS = 500_000_000
"""Weights from which on a model takes gigabytes: those of GPT-2 medium are fewer."""


class View:
    """A part, as its templates see it. Every name and text that it gives is safe in code."""

    def __init__(self, part: Part, vault: str, sizes: Mapping[str, Sizes] | None = None) -> None:
        self._part = part
        self._vault = vault
        self._sizes = sizes or {}
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
        self.uses: dict[str, View] = {role: View(p, vault, sizes) for role, p in part.uses.items()}

    @property
    def recognised(self) -> Recognised:
        """The recognised formula."""
        return self._part.recognised

    @cached_property
    def sizes(self) -> Mapping[str, int | float]:
        """The sizes of a model in the properties of the notes: of the notes that the part comes
        from before others."""
        found: dict[str, int | float] = {}
        for note in (*(source.note for source in self._part.sources), *self._sizes):
            found = {**self._sizes.get(note, {}), **found}
        width, heads = found.get("d_model"), found.get("num_heads")
        if width and heads and width % heads:
            raise EmitError(
                f"in the notes' properties, d_model ({width}) is no multiple of num_heads ({heads})"
            )
        groups = found.get("num_groups")
        if heads and groups and heads % groups:
            raise EmitError(
                f"in the notes' properties, num_heads ({heads}) is no multiple of num_groups "
                f"({groups})"
            )
        if self.family == "models" and self.has_one_head:
            found["num_heads"] = 1
        return found

    @property
    def open_sizes(self) -> Mapping[str, int]:
        """The sizes of a model that the notes leave open, and what they are in examples."""
        usual = {**USUAL, **dict.fromkeys(sorted(self.handed_on.counts), 1)}
        return {size: value for size, value in usual.items() if size not in self.sizes}

    @property
    def example_sizes(self) -> Mapping[str, int]:
        """What examples, which tests run, say of a model's sizes: those that the notes leave open,
        and all of them where the notes' would fill a computer's memory."""
        sizes = {**USUAL, **self.sizes}
        width, inner = sizes["d_model"], sizes["d_ff"]
        weights = sizes["num_layers"] * width * (4 * width + 3 * inner)
        if weights + 2 * sizes["vocab_size"] * width <= _MANY_WEIGHTS:
            return self.open_sizes
        groups = {"num_groups": 1} if "num_groups" in self.sizes else {}
        return {**self.open_sizes, **USUAL, **groups}

    @cached_property
    def equation(self) -> Equation:
        """The formula that the tests evaluate; that of a layer takes what it calls as inputs, that
        of BLEU has its penalty in it."""
        equation = self.recognised.equation
        if self.has("penalty"):
            return self.penalty.equation
        if self.family == "layers":
            return opened(equation)
        turn = self.recognised.functions.get(TURN)
        return equation if turn is None else opened(equation, {turn})

    takes_cache = False
    """Whether a layer hands it a cache of keys and values."""

    @cached_property
    def goes_on(self) -> bool:
        """Whether a layer, or what is made of layers, can go on from the keys and values of earlier
        positions: what it gives there does not depend on how far the sequence goes."""
        if self.family == "models":
            return any(view.goes_on for role, view in self.uses.items() if role in STACKED)
        if "Mix" not in self.uses:
            return False
        own, across = self.uses["Mix"].projected, self.uses.get("Cross")
        if across is not None and (
            across.projected.causal or across.projected.turns or across.projected.placed
        ):
            return False
        return own.causal and own.goes_on and (across is None or across.projected.goes_on)

    @property
    def has_one_head(self) -> bool:
        """Whether a layer, or what is made of layers, has an attention that is not cut into
        heads."""
        if self.family == "models":
            return any(self.uses[role].has_one_head for role in self.uses.keys() & WHOLE)
        attentions = [self.uses[role] for role in ("Mix", "Cross") if role in self.uses]
        return self.family == "layers" and any(
            a.component == "scaled_dot_product_attention" or not a.projected.several
            for a in attentions
        )

    @property
    def heads_in_tests(self) -> int:
        """How many heads what is made of layers has in tests."""
        return 1 if self.has_one_head else 2

    @property
    def doubt(self) -> str:
        """What the notes may mean otherwise: what it is built from, that it has one head, or how
        wide its window is."""
        if unsaid := sorted(self.widths - self.said_numbers.keys()):
            return f"the notes do not say how large {unsaid[0]} is, so that it is 1 by default"
        notes = (self._sizes.get(source.note, {}) for source in self._part.sources)
        heads = max((sizes.get("num_heads", 1) for sizes in notes), default=1)
        if self.has_one_head and heads > 1:
            return f"it has an attention of one head, and the properties of the notes say {heads}"
        return self._part.doubt

    @property
    def is_total(self) -> bool:
        """Whether it is a loss that adds up those of all positions, and not their mean."""
        return self.form in ("likelihood", "total", "labels", "scored_labels")

    @property
    def turns(self) -> bool:
        """Whether it is a layer, or made of layers, whose attention turns queries and keys."""
        return any(attention.turns for attention in self._attentions(STACKED))

    @property
    def tells_places(self) -> bool:
        """Whether a model of tokens tells them apart by where they stand, and not only by what a
        mask hides."""
        of_tokens = self.family == "models" and "U" in self.recognised.found.roles
        if not of_tokens or self.has_places:
            return True
        return any(attention.tells_places for attention in self._attentions(WHOLE))

    def _attentions(self, roles: Sequence[str]) -> Iterator[Projected]:
        """The attentions of a layer, or of the layers that it is made of in some roles."""
        yield from (self.uses[role].projected for role in ("Mix", "Cross") if role in self.uses)
        for role in self.uses.keys() & {*roles}:
            yield from self.uses[role]._attentions(roles)

    @cached_property
    def is_gpt2(self) -> bool:
        """Whether a GPT is what GPT-2 is: its blocks, its last norm, its tables, and the sizes of
        its weights, up to the biases of attentions."""
        block = self.uses.get("Layer")
        if self.form != "final_norm" or "P" in self.uses or not self.has_places or block is None:
            return False
        if self.has_own_head or any(map(self.has, ("scale", "bias", "logits"))):
            return False
        if block.component != "transformer_block" or block.form != "pre_norm":
            return False
        mix, ffn = block.uses["Mix"].projected, block.uses["FFN"]
        norms = (self.uses["LayerNorm"], block.uses["LayerNorm"])
        return (
            mix.several
            and mix.textbook
            and ffn.component == "feed_forward"
            and ffn.form == "output"
            and ffn.has("inner_bias")
            and ffn.has("outer_bias")
            and ffn.shown("activation") in ("gelu", "gelu_tanh")
            and all(norm.component == "layer_norm" and norm.form == "output" for norm in norms)
            and all(norm.has("epsilon") for norm in norms)
        )

    @property
    def has_attention_biases(self) -> bool:
        """Whether the projections of a GPT's attentions have biases."""
        return bool(self.uses["Layer"].uses["Mix"].projected.biased)

    textbook_attention = ""
    """The class of the package that computes softmax(QKᵀ/√d_k)V, "" if there is none."""

    @property
    def is_textbook_attention(self) -> bool:
        """Whether it is softmax(QKᵀ/√d_k)V itself, without a mask."""
        usual = self.component == "scaled_dot_product_attention" and self.has("scale")
        return usual and len(self.recognised.settings) == 1 and self.shown("scale") == "d_k**-0.5"

    @property
    def head_size(self) -> int:
        """The size of heads, in tests, that attend by its formula alone; 0 if none can: it takes
        something else, or more, such as a size."""
        if self.head_sizes is None or self.biases or self.has("lambda") or self.asked_for:
            return 0
        if self.attention.heads or self.attention.mask.table or self.rotary is not None:
            return 0
        return 1 if self.component == "kernel_attention" and self.kernel.of_numbers else 2

    @property
    def for_heads(self) -> str:
        """The text that makes it for such heads."""
        sizes = [str(self.head_size)] * (self.head_sizes or 0)
        return f"{self.name}({', '.join(sizes)})"

    # --- names ---------------------------------------------------------------------------

    def var(self, role: str) -> str:
        """The name in code of what stands in a role: the note's, else the usual one."""
        found = self.recognised.found
        if role in found.roles:
            return found.roles[role].array
        if role in found.settings and isinstance(body := found.settings[role].body, Ref):
            return body.array
        return self._part.component.names.get(role, role)

    @property
    def has_places(self) -> bool:
        """Whether a model adds positions to its embeddings."""
        return "P" in self.uses or "P" in self.recognised.found.roles

    @property
    def has_own_head(self) -> bool:
        """Whether the formula of a model has a matrix of its own for the way out."""
        return "W" in self.recognised.found.roles

    @property
    def gives_probabilities(self) -> bool:
        """Whether the formula of a model gives what its class returns put through a softmax."""
        return isinstance(self.recognised.form.pattern.value.body, ir.Softmax)

    @property
    def is_tied(self) -> bool:
        """Whether the way out of a model is the table of its tokens: the notes say so, or have one
        letter for both, and the same axes."""
        if self.tied_by or not self.has_own_head:
            return True
        table = self.uses.get("token_embedding")
        if table is None:
            return False
        same = self.var("W") == table.var("E") and self.turned("W") != table.turned("E")
        return same and bool(table._part.sources)

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

    # --- settings ------------------------------------------------------------------------

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

    @cached_property
    def handed_on(self) -> HandedOn:
        """The numbers that it is made with for what it is built from."""
        return HandedOn(self)

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

    @property
    def added(self) -> str:
        """What is added to the scores of each head by a class of its own, "" if nothing is."""
        return of_each_head(self.recognised.settings["mask"].body) if ADDED in self.uses else ""

    @property
    def adds_by_place(self) -> bool:
        """Whether that is so of it, or of an attention that it is made of."""
        if self.family == "attention":
            return bool(self.added)
        return any(view.adds_by_place for view in self.uses.values())

    @property
    def biases(self) -> tuple[str, ...]:
        """The formula's inputs that are added to scores, here or in a function that it calls."""
        own = self.attention.mask.biases if self.has("mask") else ()
        own = tuple(name for name in own if name != self.added)
        called = [
            outer
            for role in (self.uses.keys() & self.recognised.functions.keys()) - {TURN}
            for outer, inner in passed_on(self, role).items()
            if inner in self.uses[role].biases
        ]
        return (*own, *called)

    @cached_property
    def rotary(self) -> Rotary | None:
        """The rotation of queries and keys, if the formula has one."""
        return Rotary(self) if self.uses.keys() & {TURN, MATRICES} else None

    @cached_property
    def projected(self) -> Projected:
        """The formula as an attention on projections of its inputs."""
        return Projected(self)

    # --- texts ---------------------------------------------------------------------------

    def doc(self, shapes: Mapping[str, str] | None = None, indent: int = 4) -> str:
        """The docstring: what it is, the formula, its shapes, and where it comes from."""
        return docstring(self._part, self._vault, dict(shapes or {}), indent)

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

    # --- the reference -------------------------------------------------------------------

    @property
    def reference(self) -> str:
        """The name of the NumPy function that the tests hold the part against."""
        return f"{self.snake}_reference"

    def given(self, role: str, text: str) -> str:
        """An array with the axes of a role, in the layout that the reference takes: turned where
        the note has it the other way round, with axes of length one for further indices."""
        return arranged(text, axes_of(self.recognised.found, role))

    def linear(self, role: str, module: str) -> str:
        """The weight of an ``nn.Linear``, which is (out, in), for a role that is (in, out)."""
        axes = axes_of(self.recognised.found, role)
        return arranged(f"array({module}.weight)", [1 - a if a >= 0 else a for a in axes])

    def size(self, name: str) -> str:
        """The reference's parameter for one of the component's sizes, where it is one."""
        found = self.recognised.found
        sizes = {mine.name: theirs for mine, theirs in found.sizes.items()}
        sizes |= {mine.size.name: theirs.size for mine, theirs in found.indices.items()}
        theirs = sizes[name]
        if not isinstance(theirs, Size):
            raise EmitError(f"the size {name} is not one that the formula names")
        return theirs.name

    def result(self, text: str) -> str:
        """What the reference gives, with its axes in the component's order."""
        found, note = self.recognised.found, self.recognised.equation.value.indices
        mine = self.recognised.form.pattern.value.indices
        return arranged(text, [note.index(found.indices[index]) for index in mine])

    def over_rows(self, role: str, rows: str, rest: str) -> str:
        """The reference at all rows of the matrix ``rows``, which stand in a role of vectors;
        ``rest`` are its further arguments."""
        return over_rows(self.recognised, self.reference, role, rows, rest)

    def weights(self, module: str) -> Mapping[str, str]:
        """The reference's inputs that are parameters of a module, by name, as text: the lines
        ``name = text`` of the component's ``weights.j2``."""
        lines = fill(self._part.component.folder, "weights.j2", part=self, module=module)
        pairs = (line.split(" = ", 1) for line in lines.splitlines() if line.strip())
        return {name.strip(): text for name, text in pairs}

    def weights_for_callers(self, module: str) -> Mapping[str, str]:
        """They, and those of what a formula that calls this one may have written out."""
        behind = self.projected.weights_of_added(module) if self.added else {}
        return {**behind, **self.weights(module)}

    @staticmethod
    def entries(weights: Mapping[str, str], indent: int = 8) -> str:
        """Weights by name as the entries of a dictionary."""
        return entries(weights, indent)

    def weights_of(self, role: str, module: str) -> Mapping[str, str]:
        """The reference's inputs that are weights of the part in a role, by name, as text;
        ``module`` is the text of that part's module."""
        return weights_of_called(self, role, module)

    def weights_of_layers(self, role: str, layers: str) -> Mapping[str, str]:
        """The same for the layers of a stack; ``layers`` is the text of the list of modules."""
        return weights_of_layers(self, role, layers)

    def called(self, role: str) -> list[str]:
        """The inputs of a layer's formula that stand for what it calls in a role, in the order
        of the calls."""
        return functions_of(self, role)

    def norms(self, steps: Sequence[Mapping[str, str]]) -> list[str]:
        """The attributes of a layer that are its norms, in the order of the calls; ``steps`` are
        its sublayers."""
        if self.form == "parallel":
            return ["norm"]
        kinds = ("norm", "output_norm") if self.form == "sandwich" else ("norm",)
        return [f"{step['name']}_{kind}" for step in steps for kind in kinds]

    def of_one(self, role: str, function: str) -> str:
        """A function of one array as the formula calls it in a role: some write the same array
        for queries, keys and values, or give a memory besides."""
        equation, name = self.recognised.equation, self.recognised.functions[role]
        known = equation.functions.get(name)
        inside = ir.walk(equation.value.body)
        calls = (e for e in inside if isinstance(e, ir.Call) and e.function == name)
        given = next(calls).arguments if known is None else known.parameters
        return f"lambda x, *_: {function}(x)" if len(given) > 1 else function

    def formula_of(self, role: str, module: str) -> str:
        """The formula of what a layer calls in a role, at the weights of ``module``, as text."""
        return formula_of(self, role, module)

    def of_sublayers(self, role: str, *modules: str) -> Mapping[str, str]:
        """The inputs of the whole formula that are weights of the parts called in a role;
        ``modules`` are the texts of their modules in the order of the calls."""
        return weights_of_sublayers(self, role, modules)

    def reference_source(self) -> str:
        """The formula, term by term, as a NumPy function."""
        return numpy_source(of_any_size(self.equation), self.reference)

    def inputs(self) -> tuple[str, ...]:
        """The names of the reference's parameters, in order."""
        return tuple(i.name for i in self.equation.inputs)

    def rank(self, name: str) -> int:
        """The number of axes of an input of the reference."""
        return next(len(i.shape) for i in self.equation.inputs if i.name == name)
