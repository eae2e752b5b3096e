"""What templates see of an attention on projections of its inputs, with one head or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from notes2code.components.own_sizes import in_own_sizes
from notes2code.components.parts import ADDED
from notes2code.components.recognise import HEADS
from notes2code.components.settings import CAUSAL, is_mask
from notes2code.emit.called import weights_of_called
from notes2code.emit.graph import EmitError
from notes2code.emit.mask import WINDOW
from notes2code.emit.reference import arranged
from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Size
from notes2code.oracle.layout import Bracket, Row, lines

if TYPE_CHECKING:
    from notes2code.emit.view import View

_BIASES = {"A": "u", "B": "v", "C": "w"}
"""The roles of the biases behind projections."""

_INPUTS = {"X": "nd", "Q": "nd", "Z": "me", "K": "md", "V": "md", "head": "hnv"}
"""Letters for the axes of inputs."""

_SIZES = {"n": 4, "m": 5, "d": 6, "e": 8, "k": 3, "v": 5}
"""The numbers in tests for the letters of axes."""


class Projected:
    """An attention on projections: ``A``, ``B`` and ``C`` make queries, keys and values, and with
    several heads ``O`` projects the joined heads."""

    def __init__(self, view: View) -> None:
        self.view = view
        roles = {given.name: given for given in view.recognised.form.equation.inputs}
        self.several = "O" in roles or ("A" in roles and len(roles["A"].shape) == 3)
        self.bare = not self.several and "A" not in roles
        self.inner = view.uses.get(HEADS)
        if self.inner is not None and self.inner.head_sizes is None:
            raise EmitError(f"the heads of {view.name} cannot be a {self.inner.name}")
        if self.inner is not None and self.inner.attention.mask.table:
            raise EmitError("its heads have a table of distances: name it, as in B_{ij} = b_{j-i}")

    @property
    def causal(self) -> bool:
        """Whether a position sees itself and those before it only."""
        return self.view.attention.mask.causal or (
            self.inner is not None and self.inner.attention.mask.causal
        )

    def fitting(self, views: Iterable[View]) -> list[View]:
        """The attentions of the package that the heads can be, by their formulas alone: a class
        that asks for a causal mask makes another of one that has none."""
        smallest = 2 if self.view.rotary is not None else 1
        fits = (view for view in views if view.head_size >= smallest)
        return [view for view in fits if view.attention.mask.causal or not self.causal]

    @property
    def takes_bias(self) -> bool:
        """Whether something can be added to the scores."""
        return (self.inner or self.view).takes_bias

    @property
    def normalised(self) -> bool:
        """Whether the weights of a query add up to one."""
        return (self.inner or self.view).normalised

    @property
    def placed(self) -> bool:
        """Whether the scores depend on where queries and keys stand, not counting a causal mask."""
        return bool(self.view.added or self._positions)

    @property
    def _positions(self) -> str:
        """What goes by position in the formula itself, as PyTorch."""
        return (self.inner or self.view).attention.mask.positions()

    @property
    def tells_places(self) -> bool:
        """Whether scores depend on where queries and keys stand, not counting what is hidden."""
        mask = (self.inner or self.view).attention.mask
        by_distance = self.turns or mask.table or self.view.added
        return bool(by_distance) or not all(map(is_mask, mask.by_position()))

    @property
    def hides(self) -> bool:
        """Whether a position does not see all that was before it."""
        return (self.inner or self.view).attention.mask.hides

    @property
    def ordered(self) -> bool:
        """Whether it matters where queries and keys stand; in a synthesizer, each place has weights
        of its own."""
        if self.view.component == "synthesizer_attention":
            return True
        placed = bool(self.view.added) or (self.inner or self.view).attention.ordered
        return self.causal or self.turns or placed

    def checks(self, given: bool) -> list[str]:
        """The classes of what holds of every such attention, in its tests; ``given`` says whether
        its heads may be given."""
        if self.several and given and self.causal:
            return ["CausalGivenHeadsChecks"]
        heads = ["GivenHeadsChecks" if given else "HeadsChecks"] if self.several else []
        if self.causal:
            return [*heads, "CausalChecks"]
        if self.ordered:
            return heads or ["ProjectedChecks"]
        return [*heads, "UnorderedProjectedChecks"]

    @property
    def goes_on(self) -> bool:
        """Whether queries can come after keys that were made before, which they stand behind."""
        return self.several and not self._counts

    @property
    def same_anywhere(self) -> bool:
        """Whether weights depend neither on where a text stands nor on how many keys there are."""
        return not (self._positions or self._counts)

    @property
    def _counts(self) -> bool:
        """Whether weights depend on how many queries or keys there are."""
        what = self.inner or self.view
        bodies = (in_own_sizes(what.recognised, v).body for v in what.recognised.settings.values())
        inside = (part for body in bodies for part in ir.walk(body))
        return any(isinstance(part, Size) and part.name in ("n", "m") for part in inside)

    @property
    def joins(self) -> bool:
        """Whether the joined heads are projected."""
        return self.view.form != "concatenated"

    def joined(self, heads: str, module: str) -> str:
        """The projection of the joined heads, as text, where there is one."""
        return f"{module}.{self.view.var('O')}({heads})" if self.joins else heads

    @property
    def turns(self) -> bool:
        """Whether queries and keys are turned by their positions."""
        return any(view.rotary is not None for view in (self.view, self.inner) if view is not None)

    @cached_property
    def biased(self) -> frozenset[str]:
        """The projections behind which the formula adds a bias."""
        found = self.view.recognised.found.roles
        made = {role for role, bias in _BIASES.items() if bias in found}
        return frozenset(made | ({"O"} if self.view.has("bias") else set()))

    @property
    def textbook(self) -> bool:
        """Whether the weights are softmax(QKᵀ/√d_k), if need be with the causal mask."""
        what = self.inner or self.view
        if self.turns or not self.joins or len(self.biased) not in (0, 4):
            return False
        if self.inner is not None and what.component != "scaled_dot_product_attention":
            return False
        others = set(what.recognised.settings) - {"scale"}
        usual = self.view.form == "joined" or what.shown("scale") == "d_k**-0.5"
        return usual and all(what.shown(name) == CAUSAL for name in others)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers that the class is made with besides its sizes."""
        own = self.view.numbers if self.inner is None else self.inner.numbers
        return tuple(name for name in own if name != "d_model")

    @property
    def test_values(self) -> Mapping[str, str]:
        """What they are in tests, as text."""
        texts, own = ("1.5", "0.7", "1.3"), self.inner or self.view
        values = {name: texts[at % 3] for at, name in enumerate(self.numbers)}
        values |= {name: str(at + 3) for at, name in enumerate(values) if name in own.asked_for}
        return values | dict.fromkeys(own.widths & values.keys(), WINDOW)

    @property
    def known(self) -> Mapping[str, str]:
        """The component's sizes as the class has them, where it attends: ``d``, ``e`` and with
        heads of three inputs ``e_q``, ``e_k`` and ``e_v`` are what the projections take."""
        taken = {"d": "A", "e": "B", "e_q": "A", "e_k": "B", "e_v": "C"}
        texts = {size: f"self.{self.view.var(role)}.in_features" for size, role in taken.items()}
        return {**texts, "d_k": "query.size(-1)", "h": "self.num_heads"}

    @property
    def made_added(self) -> str:
        """The call that makes what is added to the scores of each head."""
        made = self.view.uses[ADDED]
        return f"{made.name}(num_heads{', max_distance' if made.has_tables else ''})"

    @property
    def distances_in_tests(self) -> list[str]:
        """The argument that says how many distances it learns numbers for."""
        made = self.view.uses.get(ADDED)
        if made is None or not made.has_tables:
            return []
        return [f"max_distance={made.tables.in_tests}"]

    @property
    def made_inner(self) -> str:
        """The call that makes the attention of the heads."""
        assert self.inner is not None
        sizes = ["head_size"] * (self.inner.head_sizes or 0)
        numbers = [f"{name}={name}" for name in self.inner.numbers]
        return f"{self.inner.name}({', '.join([*sizes, 'dropout', *numbers])})"

    # --- the reference -------------------------------------------------------------------

    def weights(self, module: str) -> Mapping[str, str]:
        """The formula's inputs that are weights of the class, by name, as text."""
        found = self.view.recognised.found.roles
        texts = {
            found[r].array: self._weight(r, module) for r in ("A", "B", "C", "O") if r in found
        }
        if self.view.has("bias"):
            joined = f"array({module}.{self.view.var('O')}.bias)"
            texts[self.view.var("b")] = joined
        for role, bias in _BIASES.items():
            if bias in found:
                whole = f"array({module}.{self.view.var(role)}.bias)"
                shares = f"{whole}.reshape({module}.{self._shares(role)}, -1)"
                own = arranged(shares, found[bias].axes) if self.several else whole
                texts[found[bias].array] = own
        texts.update((name, f"{module}.{name}") for name in self.view.numbers)
        if (length := self._group_length) is not None:
            texts[length] = f"{module}.num_heads // {module}.{self.view.groups}"
        if HEADS in self.view.recognised.functions:
            texts.update(weights_of_called(self.view, HEADS, f"{module}.attention"))
        if self.view.added:
            texts[self.view.added] = f"array({module}.position_bias(n))"
        if self.view.rotary is not None:
            several = "x" if "X" in found else "query"
            texts.update(self.view.rotary.weights(f"{several}.size(1)", f"{module}.head_size"))
        return texts

    def weights_of_added(self, module: str) -> Mapping[str, str]:
        """The inputs of what is added to the scores of each head, by name, as text: a formula that
        calls this one may have it written out."""
        added = self.view.uses.get(ADDED)
        if added is None or not added.has_tables:
            return {}
        tables, made = added.tables, f"{module}.position_bias"
        ends = f"{made}.max_distance + 1 - n : {made}.max_distance + n"
        table = f"array({made}.{tables.scores})" + (f"[:, {ends}]" if tables.is_endless else "")
        return {tables.scores: table, tables.bound: f"{made}.max_distance"}

    def _weight(self, role: str, module: str) -> str:
        """The weight of a linear map in the layout of the formula: of each head for itself, unless
        the heads share it; for that behind the heads, a block of rows is that of a head."""
        linear = f"{module}.{self.view.var(role)}"
        axes = self.view.recognised.found.roles[role].axes
        if role == "O" and len(axes) == 3:
            blocks = (
                f"array({linear}.weight).T.reshape({module}.num_heads, -1, {linear}.out_features)"
            )
            return arranged(blocks, axes)
        if not self.several or role == "O" or len(axes) == 2:
            return self.view.linear(role, linear)
        return arranged(f"per_head({linear}, {module}.{self._shares(role)})", axes)

    def _shares(self, role: str) -> str:
        """The attribute that says among how many a projection is shared out."""
        return self.view.groups if self.grouped and role != "A" else "num_heads"

    @property
    def grouped(self) -> bool:
        """Whether groups of heads have keys and values of their own."""
        known = "B" in self.view.recognised.found.roles
        return bool(self.view.groups) and known and self._axes_of("B") == 3

    @property
    def test_heads(self) -> Mapping[str, int]:
        """How many heads and groups of them tests have."""
        return {"num_heads": 6, self.view.groups: 3} if self.grouped else {"num_heads": 3}

    @property
    def _group_length(self) -> str | None:
        """The input that says how many heads a group has."""
        given = self.view.recognised.equation.inputs
        return next((i.name for i in given if i.kind == "size" and self.grouped), None)

    def _axes_of(self, role: str) -> int:
        return len(self.view.recognised.found.roles[role].axes)

    def call(self, inputs: Mapping[str, str], result: str, rest: str) -> str:
        """The lines that evaluate the formula for each sequence of a batch. ``inputs`` gives the
        variable for each role, ``result`` a letter for each axis of what the formula gives, and
        ``rest`` further arguments of the formula's function."""
        found = self.view.recognised.found
        axes = {role: found.roles[role].axes for role in inputs}
        if any(-1 in own for own in axes.values()):
            raise EmitError("the formula has an axis that the class does not have")
        keywords = [f"{found.roles[r].array}={arranged(inputs[r], axes[r])}" for r in inputs]
        keywords += [f"{name}=array({name})" for name in self.view.biases]
        known = {found.roles[role].array for role in inputs} | {*self.view.weights("attention")}
        for given in self.view.equation.inputs:
            if given.name not in known | {*self.view.biases}:
                raise EmitError(f"the class has nothing for {given.name}")
        head = f"lambda {', '.join(inputs.values())}: {self.view.reference}("
        arguments = (*keywords, *filter(None, [rest]))
        one = Row((Bracket(head, arguments, ")"), arranged("", self._turn())))
        taken = ",".join(f"({','.join(_INPUTS[role])})" for role in inputs)
        signature = f'signature="{taken}->({",".join(result)})"'
        first = Bracket("np.vectorize(", (one, signature), ")")
        last = Bracket("formula(", tuple(f"array({name})" for name in inputs.values()), ")")
        return "\n".join([*lines(first, 4, "formula = "), *lines(last, 4, "return ")])

    def _turn(self) -> list[int]:
        """Where the formula's value has the axes that the class gives, in their order."""
        recognised = self.view.recognised
        own = {theirs: mine for mine, theirs in recognised.found.indices.items()}
        value = [own.get(index) for index in recognised.equation.value.indices]
        pattern = recognised.form.pattern.value.indices
        if {*value} != {*pattern}:
            raise EmitError("the formula has an axis that the class does not have")
        return [value.index(index) for index in pattern]

    @property
    def bias_shapes(self) -> list[tuple[int, ...]]:
        """The shapes, in tests, of what the formula adds to the scores."""
        whole = (self.test_heads["num_heads"], self.sizes["n"], self.sizes["m"])
        return [whole[-self.view.rank(name) :] for name in self.view.biases]

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Numbers for tests by letters: ``n`` queries and ``m`` keys; ``d`` and ``e``, what queries
        and keys are made from; ``k`` and ``v``, queries and values. They differ unless the note
        says that they are the same."""
        found = self.view.recognised.found.roles
        shapes = {given.name: given.shape for given in self.view.recognised.equation.inputs}
        source = "e" if "Z" in found else "d"
        letters = {**_INPUTS, "A": "dk", "B": f"{source}k", "C": f"{source}v"}
        numbers, first = dict(_SIZES), dict[Expr, str]()
        if self.turns:  # heads of an even size
            numbers["d"] = 2 * self.test_heads["num_heads"]
        for role in [role for role in letters if role in found]:
            own = letters[role].rjust(max(found[role].axes) + 1, "h")
            for axis, size in zip(found[role].axes, shapes[found[role].array], strict=True):
                if axis >= 0 and (letter := own[axis]) in numbers:
                    numbers[letter] = numbers[first.setdefault(size, letter)]
        if self.several and numbers["d"] in (numbers["k"], numbers["v"]):
            raise EmitError("each head is as wide as the whole model, not one part of it")
        in_step = self.causal or self.turns or self.placed
        if in_step or not {"K", "V", "Z"} & found.keys():
            numbers["m"] = numbers["n"]
        return numbers
