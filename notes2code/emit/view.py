"""What a component's templates see of the part that they render, and of what it is built from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from notes2code.components.parts import ADDED, Part
from notes2code.components.settings import of_each_head
from notes2code.emit.attention import MATRICES, TURN
from notes2code.emit.called import passed_on, weights_of_called, weights_of_layers
from notes2code.emit.docs import docstring
from notes2code.emit.graph import EmitError
from notes2code.emit.handed_on import HandedOn
from notes2code.emit.projected import Projected
from notes2code.emit.reference_view import ReferenceView
from notes2code.emit.rotary import Rotary
from notes2code.emit.sublayers import calls, formula_of, functions_of, weights_of_sublayers

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


class View(ReferenceView):
    """A part, as its templates see it. Every name and text that it gives is safe in code."""

    def __init__(self, part: Part, vault: str, sizes: Mapping[str, Sizes] | None = None) -> None:
        super().__init__(part, vault)
        self._sizes = sizes or {}
        self.uses: dict[str, View] = {role: View(p, vault, sizes) for role, p in part.uses.items()}

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

    @property
    def has_places(self) -> bool:
        """Whether a model adds positions to its embeddings."""
        return "P" in self.uses or "P" in self.recognised.found.roles

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

    @cached_property
    def handed_on(self) -> HandedOn:
        """The numbers that it is made with for what it is built from."""
        return HandedOn(self)

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

    def doc(self, shapes: Mapping[str, str] | None = None, indent: int = 4) -> str:
        """The docstring: what it is, the formula, its shapes, and where it comes from."""
        return docstring(self._part, self._vault, dict(shapes or {}), indent)

    def weights_for_callers(self, module: str) -> Mapping[str, str]:
        """They, and those of what a formula that calls this one may have written out."""
        behind = self.projected.weights_of_added(module) if self.added else {}
        return {**behind, **self.weights(module)}

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
        called = (call for call in calls(equation) if call.function == name)
        given = next(called).arguments if known is None else known.parameters
        return f"lambda x, *_: {function}(x)" if len(given) > 1 else function

    def formula_of(self, role: str, module: str) -> str:
        """The formula of what a layer calls in a role, at the weights of ``module``, as text."""
        return formula_of(self, role, module)

    def of_sublayers(self, role: str, *modules: str) -> Mapping[str, str]:
        """The inputs of the whole formula that are weights of the parts called in a role;
        ``modules`` are the texts of their modules in the order of the calls."""
        return weights_of_sublayers(self, role, modules)
