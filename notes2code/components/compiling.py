"""From linked formulas to what becomes of each: a component, a formula, a definition, nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from notes2code import faults
from notes2code.components.compiled import Compiled
from notes2code.components.heads_defined import are_made, heads_of
from notes2code.components.in_context import in_context
from notes2code.components.inline import inlined
from notes2code.components.library import Library
from notes2code.components.packed import by_heads
from notes2code.components.recognise import Recognised, is_one_of, kind, recognise
from notes2code.components.remarks import (
    doubts_of,
    of_component,
    problems_of,
    textbook_beside,
    unique,
    weighed,
)
from notes2code.components.told_apart import defined_otherwise, defines_learned, is_told_apart
from notes2code.components.unnamed import unnamed
from notes2code.components.unusual import acausal, unusual
from notes2code.components.worked import wrong_results
from notes2code.components.written_out import written_out
from notes2code.meaning import Typed
from notes2code.meaning.ir import Cases, Equation, Lambda
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import MAX_CHAIN, Linked, Linker
from notes2code.meaning.linking.taken_whole import one_of_several, taken_whole
from notes2code.meaning.names import base_letter
from notes2code.meaning.prose.kinds import unlike


@dataclass
class Compiler:
    """Compiles the formulas of a vault."""

    linker: Linker
    library: Library
    alone: dict[Entry, Typed] = field(default_factory=dict)
    read: dict[Entry, Compiled] = field(default_factory=dict)
    reading: set[Entry] = field(default_factory=set)
    done: dict[Entry, Compiled] = field(default_factory=dict)
    busy: set[Entry] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.linker.completed = self._completed
        self.linker.unnamed = partial(unnamed, self)
        for name, entry in self.linker.formulas.functions_defined():
            if self.library.knows(name) and self.by_itself(entry).recognised is None:
                self.linker.formulas.strange.add(entry)

    def compiled(self, entry: Entry) -> Compiled:
        """One formula. One that is no component reads its inputs as the note defines them."""
        if entry not in self.done:
            self.busy.add(entry)
            self.done[entry] = self._guarded(entry, self._in_context)
            self.busy.discard(entry)
        return self.done[entry]

    def by_itself(self, entry: Entry) -> Compiled:
        """One formula without what the note says of its inputs."""
        if entry not in self.read:
            self.reading.add(entry)
            found = self._guarded(entry, self._of_rows)
            self.reading.discard(entry)
            if not self.linker.settles(entry):
                return found
            self.read[entry] = found
        return self.read[entry]

    def is_being_read(self, entry: Entry) -> bool:
        """Whether what a formula is cannot be asked: it is being found out, or the chain of those
        that ask for each other is too long."""
        return entry in self.reading or len(self.reading) > MAX_CHAIN

    def known(self, entry: Entry) -> Recognised | None:
        """The component that a formula is by itself; None for one that is being read, too."""
        return None if self.is_being_read(entry) else self.by_itself(entry).recognised

    def piece_of(self, entry: Entry) -> str:
        """The component that a formula is a piece of, by name; "" if it is of none, or that is
        not known yet."""
        found = self.known(entry)
        return found.component.name if found is not None and found.form.partial else ""

    def arrays(self, entries: Sequence[Entry]) -> frozenset[str]:
        """The arrays that some formulas define."""
        parsed = self.linker.formulas.parsed
        return frozenset(name for entry in entries for name in parsed[entry].arrays)

    def _guarded(self, entry: Entry, compile: Callable[[Entry], Compiled]) -> Compiled:
        """What becomes of a formula; a fault of ours at it does not stop the others."""
        try:
            return compile(entry)
        except Exception as fault:
            return Compiled(entry, "rejected", None, None, (faults.met(entry.latex, fault),))

    def _in_context(self, entry: Entry) -> Compiled:
        compiled = in_context(self, self.by_itself(entry))
        tree = self.linker.formulas.parsed[entry].tree
        if tree is not None and compiled.status != "rejected":
            slips = wrong_results(entry.latex, tree, self.library.scope)
            compiled = replace(compiled, problems=(*compiled.problems, *slips))
        if compiled.equation is not None:
            found = taken_whole(self.linker, entry, compiled.equation, self.equation)
            several = one_of_several(self.linker, entry, compiled.equation)
            compiled = replace(compiled, problems=(*compiled.problems, *found, *several))
        return compiled

    def _of_rows(self, entry: Entry) -> Compiled:
        """A formula by itself; capitals that the text calls vectors, *U is the context vector of
        the tokens*, are matrices of rows where that makes it a component."""
        compiled = self._compile(entry)
        kinds, own = self.linker.kinds[entry], self.alone.get(entry)
        rows = {name: k for name, k in kinds.items() if k.is_vector and name[0].isupper()}
        if compiled.status != "formula" or own is None or not rows:
            return compiled
        self.linker.kinds[entry] = {name: k for name, k in kinds.items() if name not in rows}
        other = self._compile(entry)
        if other.recognised is None:
            self.linker.kinds[entry], self.alone[entry] = kinds, own
            return compiled
        return replace(other, problems=(*other.problems, unlike(rows, entry.latex)))

    def equation(self, entry: Entry) -> Equation | None:
        """What another formula computes; as it is by itself while that is being found out."""
        unknown = entry in self.busy or len(self.busy) > MAX_CHAIN
        return (self.by_itself(entry) if unknown else self.compiled(entry)).equation

    def _completed(self, entry: Entry, function: Equation) -> Equation:
        """A function of the note with what its component's form leaves to custom: a norm takes the
        μ and the σ of what it is called with, and these are no numbers of the caller."""
        own = {given.name for given in function.inputs} - {*function.parameters}
        if not any(is_one_of(name, self.library.left_open) for name in own):
            return function
        found = self.recognised(entry, function, {}, self.library.pinned(entry.tags))
        left_open = found is not None and found.form.completes is not None
        return found.equation if found is not None and left_open else function

    def _compile(self, entry: Entry) -> Compiled:
        found = self.linker.typed(entry)
        own = self.alone[entry] = found.own
        if own.kind in ("rejected", "text", "definition") or own.equation is None:
            return Compiled(entry, own.kind, None, None, own.problems)
        pinned = self.library.pinned(entry.tags)
        recognised, used = self._best(entry, found, pinned)
        limited = next((typed for typed, _ in found.together if _is_limited(typed.equation)), None)
        if recognised is None:
            own = self.alone[entry] = limited or _with_parameters(found)
        assert own.equation is not None
        other = None if recognised is None else defined_otherwise(self, entry, found, recognised)
        if other is not None:
            recognised, used = None, ()
        if recognised is not None and defines_learned(self, recognised, entry):
            recognised, used = None, ()
        problems = problems_of(self, entry, own, used)
        if recognised is None:
            problems += doubts_of(self, entry, own, other or own.equation)
            problems += weighed(self, entry, found)
            return Compiled(entry, "formula", own.equation, None, unique(problems))
        read = next((typed for typed, others in found.together if others == used), own)
        problems = of_component(problems, recognised, read)
        problems.extend(unusual(recognised, entry, self.library))
        problems.extend(textbook_beside(recognised, entry))
        tagged = (self.library.components[name] for name in pinned)
        for one in (recognised.component, *tagged):
            problems.extend(acausal(recognised, one.causal, entry))
        return Compiled(entry, "component", recognised.equation, recognised, unique(problems), used)

    def _best(
        self, entry: Entry, found: Linked, pinned: Set[str]
    ) -> tuple[Recognised | None, tuple[Entry, ...]]:
        """The recognition of the linked formula, unless the formula alone says more."""
        assert found.own.equation is not None
        named = self.named(entry)
        alone = self.recognised(entry, found.own.equation, named, pinned)
        best: tuple[Recognised | None, tuple[Entry, ...]] = (alone, ())
        for typed, uses in written_out(self, entry, found, alone):
            assert typed.equation is not None
            whole = self.recognised(entry, typed.equation, named, pinned)
            if whole is not None and _only_batched(whole, alone):
                continue
            if whole is not None and not whole.form.partial:
                return whole, uses
            if whole is not None and (alone is None or alone.form.partial) and not best[1]:
                best = (whole, uses)
        if alone is not None and not best[1] and self._is_otherwise(alone, entry, found):
            return None, ()
        return best

    def _is_otherwise(self, alone: Recognised, entry: Entry, found: Linked) -> bool:
        """Whether a formula that is a component by itself is none as the note defines what it
        names."""
        limited = any(_is_limited(typed.equation) for typed, _ in found.together)
        if limited or (alone.form.whole and found.together):
            return True
        uses = [use for uses in self.linker.linked(entry) for use in uses]
        if are_made(self, alone, entry, uses):
            return True
        # The q and k of Attention(q, k, v), which has the norm of either, are what it is given.
        parsed, named = self.linker.formulas.parsed, {one.name for one in alone.equation.inputs}
        left = parsed[entry].parameters - named
        letters = {base_letter(name) for name in left}
        return alone.component.family == "attention" and any(
            left & parsed[use].mentioned
            and not letters.isdisjoint(map(base_letter, named & parsed[use].arrays))
            for use in uses
        )

    def recognised(
        self, entry: Entry, equation: Equation, named: Mapping[str, str], pinned: Set[str]
    ) -> Recognised | None:
        """The component of an equation as it is written, else with its calls written out; one
        that the author's tags name, if it can be."""
        found = self.first(equation, named, pinned)
        if found is None:
            ways = self.linker.memory.once("ways", (equation,), lambda: [*_other_ways(equation)])
            found = next(filter(None, (self.first(other, named, pinned) for other in ways)), None)
        if found is None or is_told_apart(self, found, entry, pinned):
            return None
        heads = heads_of(self, found, entry)
        joined = None if heads is None else self.known(heads)
        causal = joined is not None and kind(joined).endswith(":causal")
        return replace(found, calls_causal=found.calls_causal or causal)

    def first(
        self, equation: Equation, named: Mapping[str, str], pinned: Set[str]
    ) -> Recognised | None:
        """The component of an equation as it is written, if it is one by itself."""

        def find() -> Recognised | None:
            found = recognise(equation, self.library, named, pinned) if pinned else None
            return found or recognise(equation, self.library, named)

        about = equation, self.library
        return self.linker.memory.once(("component", *named.items(), *pinned), about, find)

    def named(self, entry: Entry) -> dict[str, str]:
        """The kinds of the functions that the notes define, by name, for those that a formula and
        its definitions mention."""
        named: dict[str, str] = {}
        linked = {other for uses in self.linker.linked(entry) for other in uses}
        linked |= {*self.linker.updates_before(entry)}
        used = sorted(linked, key=lambda other: other.order)
        for other in used:
            if (kind_of := self.piece_of(other)) in self.library.defined:
                named |= dict.fromkeys(self.arrays([other]), kind_of)
        near: dict[str, list[Entry]] = {}
        for one in (*used, entry):
            mentioned = sorted(self.linker.formulas.parsed[one].mentioned)
            near |= self.linker.nearest_functions(one, mentioned)
            calls = sorted(self.linker.formulas.parsed[one].called)
            meant = {name: found[0] for name in calls if (found := unnamed(self, one, name))}
            near |= {name: [other] for name, other in meant.items()}
        for name, others in near.items():
            for other in others:
                if (recognised := self.known(other)) is not None:
                    named[name] = kind(recognised)
                    break
        return named


def _other_ways(equation: Equation) -> Iterator[Equation]:
    """An equation with its calls written out, and with weights of each head for those of all."""
    whole = inlined(equation)
    if whole is not None:
        yield whole
    yield from filter(None, (by_heads(one) for one in (equation, whole) if one is not None))


def _is_limited(equation: Equation | None) -> bool:
    """Whether an equation holds at some places only, as what it is made of does."""
    match equation:
        case Equation(value=Lambda(body=Cases(otherwise=None))):
            return True
    return False


def _with_parameters(found: Linked) -> Typed:
    """A plain formula, with its definitions where only these hold a parameter of the function that
    it defines: of ``f(x) = g + c`` the g that is ``\\tanh(W x)``."""
    assert found.own.equation is not None
    given = {one.name for one in found.own.equation.inputs}
    for typed, _ in found.together:
        assert typed.equation is not None
        if not given.issuperset(typed.equation.parameters):
            return typed
    return found.own


def _only_batched(whole: Recognised, alone: Recognised | None) -> bool:
    """Whether a formula is linked to an input with the axis of a batch, which no class with
    projections has, and is a component without it: attention to the Q, K and V of a batch."""
    if alone is None or alone.form.partial or whole.component is alone.component:
        return False
    axes, mine = whole.equation.value.indices, alone.equation.value.indices
    return len(axes) > len(mine) == len(whole.form.pattern.value.indices)
