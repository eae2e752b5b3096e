"""From linked formulas to what becomes of each: a component, a formula, a definition, nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from notes2code import faults
from notes2code.components.directions import wrong_way
from notes2code.components.doubts import AS_WRITTEN, doubts, not_recognised, unequal_sides
from notes2code.components.heads_defined import are_defined, heads_of
from notes2code.components.inline import inlined
from notes2code.components.library import Library
from notes2code.components.packed import by_heads
from notes2code.components.proofs import same_value
from notes2code.components.recognise import Recognised, is_one_of, kind, recognise
from notes2code.components.unnamed import unnamed
from notes2code.components.unusual import acausal, unusual
from notes2code.components.weighing import strange_weights
from notes2code.components.worked import wrong_results
from notes2code.components.written_out import written_out
from notes2code.diagnostics import Problem, Span, note, warning
from notes2code.meaning import Typed
from notes2code.meaning.ir import Cases, Equation, Lambda
from notes2code.meaning.linking.contradictions import contradictions, made_twice
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import MAX_CHAIN, Linked, Linker
from notes2code.meaning.linking.ranks import (
    as_defined,
    as_named,
    as_scores,
    as_used,
    row_or_entry,
    takes_softmax,
    unlike_said,
)
from notes2code.meaning.linking.taken_whole import one_of_several, taken_whole
from notes2code.meaning.names import GAINS, MOMENTS, base_letter, is_norm
from notes2code.meaning.prose.kinds import unlike


@dataclass(frozen=True, eq=False)
class Compiled:
    """What became of a formula.

    ``status`` is ``component``, ``formula``, ``definition``, ``text`` or ``rejected``.
    ``equation`` is what it computes; for a component, completed and linked as far as the
    component needs it. ``uses`` are the formulas that were linked to it.
    """

    entry: Entry
    status: str
    equation: Equation | None = None
    recognised: Recognised | None = None
    problems: tuple[Problem, ...] = ()
    uses: tuple[Entry, ...] = ()


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
            if self.linker.awaits:
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
        compiled = self.by_itself(entry)
        if compiled.status == "component":
            compiled = self._of_all_scores(self._of_defined_numbers(compiled))
        if compiled.status == "formula":
            compiled = self._as_used(compiled)
        if compiled.status == "formula":
            compiled = self._as_named(compiled)
        if compiled.status == "formula":
            compiled = self._as_defined(compiled)
        tree = self.linker.formulas.parsed[entry].tree
        if tree is not None and compiled.status != "rejected":
            slips = wrong_results(entry.latex, tree, self.library.scope)
            compiled = replace(compiled, problems=(*compiled.problems, *slips))
        if compiled.equation is not None:
            found = taken_whole(self.linker, entry, compiled.equation, self._equation)
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

    def _as_used(self, compiled: Compiled) -> Compiled:
        entry = compiled.entry
        own = self.alone[entry]
        behind = self._using(entry, self.linker.formulas.behind(entry))
        typed = as_used(self.linker, entry, own, behind)
        if typed is own:
            return compiled
        self.alone[entry] = typed
        return self._retyped(compiled, typed)

    def _as_named(self, compiled: Compiled) -> Compiled:
        entry = compiled.entry
        own = self.alone[entry]
        beside = self._using(entry, self.linker.formulas.beside(entry))
        typed = as_named(self.linker, entry, own, beside)
        if typed is own:
            return compiled
        self.alone[entry] = typed
        return self._retyped(compiled, typed)

    def _of_defined_numbers(self, compiled: Compiled) -> Compiled:
        """A component, unless what would be an array in it is a number, as the note defines it: the
        ``s q`` of ``s = \\max |x| / 127`` is no product of keys and a query."""
        own = self.alone[compiled.entry]
        typed = as_defined(self.linker, compiled.entry, own, self._equation)
        if typed.equation is None or own.equation is None:
            return compiled
        numbers = {given.name for given in typed.equation.inputs if not given.shape}
        defined = self.linker.formulas.nearest(compiled.entry, sorted(numbers), "arrays", within=1)
        numbers.intersection_update(defined)  # the γ of γ x̂_i + β is as it is beside all of x̂
        if all(given.name not in numbers for given in own.equation.inputs if given.shape):
            return compiled
        return self._retyped(replace(compiled, status="formula", recognised=None), typed)

    def _of_all_scores(self, compiled: Compiled) -> Compiled:
        """The score of one row q and one row k, ``w = q k^\\top / \\sqrt{d}``, as those of all of
        them, where a formula behind it takes their softmax."""
        entry, equation = compiled.entry, compiled.equation
        if compiled.recognised is None or equation is None or equation.value.indices:
            return compiled
        behind = map(self.by_itself, self.linker.formulas.behind(entry))
        if not any(takes_softmax(other.equation, equation.name) for other in behind):
            return compiled
        typed = as_scores(self.linker, entry, self.alone[entry])
        if typed.equation is None:
            return compiled
        found = self._recognised(entry, typed.equation, {}, frozenset())
        if found is None or found.component is not compiled.recognised.component:
            return compiled
        self.alone[entry] = typed
        text = (
            f"`{equation.name}` is taken for the scores of all rows, since their softmax is taken"
        )
        told = note("N2C039", text, Span(0, len(entry.latex)), "write `Q` and `K` for all rows")
        problems = _unique([*compiled.problems, told])
        return replace(compiled, equation=found.equation, recognised=found, problems=problems)

    def _retyped(self, compiled: Compiled, typed: Typed) -> Compiled:
        """A plain formula read another way, and what is to be said of that; joined heads that are
        vectors only so are a component."""
        entry = compiled.entry
        if typed.equation is None:
            return Compiled(entry, "rejected", None, None, typed.problems)
        problems = self._problems(entry, typed, ())
        found = self._recognised(entry, typed.equation, {}, frozenset())
        if found is not None and found.form.of_heads:
            problems.extend(unusual(found, entry, self.library))
            return Compiled(entry, "component", found.equation, found, _unique(problems))
        problems += self._doubts(entry, typed, typed.equation)
        return replace(compiled, equation=typed.equation, problems=_unique(problems))

    def _using(self, entry: Entry, others: Iterable[Entry]) -> Iterator[tuple[Entry, Typed]]:
        """Those of other formulas that name what a formula defines."""
        parsed = self.linker.formulas.parsed
        for other in others:
            mentioned = parsed[other].mentioned - parsed[other].arrays
            if mentioned & parsed[entry].arrays:
                self.by_itself(other)
                if other in self.alone and self.alone[other].equation is not None:
                    yield other, self.alone[other]

    def _as_defined(self, compiled: Compiled) -> Compiled:
        entry = compiled.entry
        own = self.alone[entry]
        typed = as_defined(self.linker, entry, own, self._equation)
        return compiled if typed is own else self._retyped(compiled, typed)

    def _equation(self, entry: Entry) -> Equation | None:
        """What another formula computes; as it is by itself while that is being found out."""
        unknown = entry in self.busy or len(self.busy) > MAX_CHAIN
        return (self.by_itself(entry) if unknown else self.compiled(entry)).equation

    def _completed(self, entry: Entry, function: Equation) -> Equation:
        """A function of the note with what its component's form leaves to custom: a norm takes the
        μ and the σ of what it is called with, and these are no numbers of the caller."""
        own = {given.name for given in function.inputs} - {*function.parameters}
        if not any(is_one_of(name, self.library.left_open) for name in own):
            return function
        found = self._recognised(entry, function, {}, self.library.pinned(entry.tags))
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
        other = None if recognised is None else self._other(entry, found, recognised)
        if other is not None:
            recognised, used = None, ()
        if recognised is not None and self._defines_learned(recognised, entry):
            recognised, used = None, ()
        problems = self._problems(entry, own, used)
        if recognised is None:
            problems += self._doubts(entry, own, other or own.equation)
            problems += self._weighed(entry, found)
            return Compiled(entry, "formula", own.equation, None, _unique(problems))
        read = next((typed for typed, others in found.together if others == used), own)
        problems = [
            _of_whole(problem, recognised)
            for problem in problems
            if not (_is_met(problem, recognised) or _is_no_index(problem, read))
        ]
        problems.extend(unusual(recognised, entry, self.library))
        tagged = (self.library.components[name] for name in pinned)
        for one in (recognised.component, *tagged):
            problems.extend(acausal(recognised, one.causal, entry))
        return Compiled(
            entry, "component", recognised.equation, recognised, _unique(problems), used
        )

    def _problems(self, entry: Entry, own: Typed, used: tuple[Entry, ...]) -> list[Problem]:
        """What is to be said of a formula, whatever it is."""
        assert own.equation is not None
        told = (wrong_way(own.equation), strange_weights(own.equation))
        return [
            *own.problems,
            *contradictions(self.linker, entry, used, same_value),
            *made_twice(entry, own.equation),
            *unlike_said(self.linker, entry, own.equation),
            *row_or_entry(self.linker, entry, own.equation),
            *unequal_sides(own),
            *(
                warning("N2C050", doubt, Span(0, len(entry.latex)), AS_WRITTEN)
                for doubt in told
                if doubt
            ),
        ]

    def _weighed(self, entry: Entry, found: Linked) -> Iterator[Problem]:
        """What is strange about weights that another formula of the note makes, where the formula
        that weighs with them is this one, and none that it uses."""
        for typed, used in found.together[:1]:
            doubt = "" if typed.equation is None else strange_weights(typed.equation)
            if doubt and not any(map(self._weighs_strangely, used)):
                yield warning("N2C050", doubt, Span(0, len(entry.latex)), AS_WRITTEN)

    def _weighs_strangely(self, entry: Entry) -> bool:
        found = self.linker.typed(entry)
        ways = (found.own, *(typed for typed, _ in found.together[:1]))
        return any(typed.equation and strange_weights(typed.equation) for typed in ways)

    def _doubts(self, entry: Entry, own: Typed, meant: Equation | None) -> list[Problem]:
        """What is to be said of a formula that is no component, though it is like one."""
        assert own.equation is not None
        if not own.equation.name and own.sides:  # not (QKᵀ)V = Q(KᵀV), which holds for any
            return []
        if by_heads(own.equation) is not None:  # it is given what another formula projects
            return []
        tree, whole = self.linker.formulas.parsed[entry].tree, Span(0, len(entry.latex))
        assert tree is not None and meant is not None
        found = self._first(meant, {}, frozenset())
        if found is not None and found.form.of_heads:
            why = "for the note defines its heads otherwise"
            return [not_recognised(found.component, whole, why)]
        about = meant, tree, self.library
        return self.linker.memory.once(
            ("doubts", whole), about, lambda: [*doubts(meant, tree, whole, self.library)]
        )

    def _defines_learned(self, recognised: Recognised, entry: Entry) -> bool:
        """Whether the note defines, under a large or a small letter, what would be a parameter:
        positions ``P`` whose elements ``p_{ij}`` are sines are not learned."""
        roles = recognised.found.roles
        arrays = [roles[role].array for role in recognised.component.learned if role in roles]
        names = {name for array in arrays for name in (array, array.lower(), array.upper())}
        near = self.linker.formulas.nearest(entry, sorted(names), "arrays", within=1)
        return bool(near) or self._is_conditioned(recognised, entry)

    def _is_conditioned(self, recognised: Recognised, entry: Entry) -> bool:
        """Whether what scales and shifts in a norm is made of something, ``s = W c``, or is given:
        the c of ``LN(x, c) = … + c``. A γ that is given is what the class holds."""
        roles = recognised.found.roles
        own = {roles[role].array for role in recognised.component.scales if role in roles}
        given = own & {*recognised.equation.parameters}
        if any(base_letter(name) not in GAINS | {"b"} for name in given):
            return True
        used = {other for uses in self.linker.linked(entry) for other in uses}
        return any(
            own & self.linker.formulas.parsed[other].arrays
            and (made := self.linker.typed(other).own.equation) is not None
            and any(one.name not in own for one in made.inputs)
            for other in used
        )

    def _best(
        self, entry: Entry, found: Linked, pinned: Set[str]
    ) -> tuple[Recognised | None, tuple[Entry, ...]]:
        """The recognition of the linked formula, unless the formula alone says more."""
        assert found.own.equation is not None
        named = self.named(entry)
        alone = self._recognised(entry, found.own.equation, named, pinned)
        best: tuple[Recognised | None, tuple[Entry, ...]] = (alone, ())
        for typed, uses in written_out(self, entry, found, alone):
            assert typed.equation is not None
            whole = self._recognised(entry, typed.equation, named, pinned)
            if whole is not None and _only_batched(whole, alone):
                continue
            if whole is not None and not whole.form.partial:
                return whole, uses
            if whole is not None and (alone is None or alone.form.partial) and not best[1]:
                best = (whole, uses)
        limited = any(_is_limited(typed.equation) for typed, _ in found.together)
        if alone is not None and (limited or (alone.form.whole and found.together)) and not best[1]:
            return None, ()
        return best

    def _other(self, entry: Entry, found: Linked, alone: Recognised) -> Equation | None:
        """What a formula is with the note's own definitions of what its form leaves to custom, such
        as the μ of LayerNorm, where these make something else of the same inputs."""
        if alone.form.completes is None:
            return None
        completed = alone.component.forms[alone.form.completes].equation
        left = {given.name for given in alone.form.equation.inputs}
        left -= {given.name for given in completed.inputs}
        roles = (alone.found.roles[role] for role in left if role in alone.found.roles)
        wanted = [{role.array, f"{role.array}_squared"} for role in roles]
        given = {one.name for one in alone.equation.inputs}
        for uses in self.linker.linked(entry):
            said = {use: self.linker.formulas.parsed[use].arrays for use in uses}
            mine = tuple(use for use in uses if any(names & said[use] for names in wanted))
            if not all(any(names & said[use] for use in mine) for names in wanted):
                continue
            typed = self.linker.together(entry, found.own, mine)
            if typed is not None and typed.equation is not None:
                others = {one.name for one in typed.equation.inputs} - given
                whole = recognise(typed.equation, self.library)
                if not others and (whole is None or whole.component is not alone.component):
                    return typed.equation
        return None

    def _recognised(
        self, entry: Entry, equation: Equation, named: Mapping[str, str], pinned: Set[str]
    ) -> Recognised | None:
        """The component of an equation as it is written, else with its calls written out; one
        that the author's tags name, if it can be."""
        found = self._first(equation, named, pinned)
        if found is None:
            ways = self.linker.memory.once("ways", (equation,), lambda: [*_other_ways(equation)])
            found = next(filter(None, (self._first(other, named, pinned) for other in ways)), None)
        if found is None or not are_defined(self, found, entry):
            return None
        if _is_told_apart(found, entry):
            return None
        other = found.component.of_layers and self.linker.scope(entry).norms == "others"
        if other and found.component.name not in pinned:
            return None
        if self._has_other_moments(found, entry) and found.component.name not in pinned:
            return None
        heads = heads_of(self, found, entry)
        joined = None if heads is None else self.known(heads)
        causal = joined is not None and kind(joined).endswith(":causal")
        return replace(found, calls_causal=found.calls_causal or causal)

    def _has_other_moments(self, found: Recognised, entry: Entry) -> bool:
        """Whether the moments that a formula takes off and divides by are words, which may be those
        of any data, and neither its name nor the text beside it speaks of layer normalisation."""
        arrays = {role.array for role in found.found.roles.values()}
        called = is_norm(found.equation.name)
        words = found.component.of_layers and not arrays.isdisjoint(MOMENTS)
        return words and not called and self.linker.scope(entry).norms != "layers"

    def _first(
        self, equation: Equation, named: Mapping[str, str], pinned: Set[str]
    ) -> Recognised | None:
        def find() -> Recognised | None:
            found = recognise(equation, self.library, named, pinned) if pinned else None
            return found or recognise(equation, self.library, named)

        about = equation, self.library
        return self.linker.memory.once(("component", *named.items(), *pinned), about, find)

    def named(self, entry: Entry) -> dict[str, str]:
        """The kinds of the functions that the notes define, by name, for those that a formula and
        its definitions mention."""
        named: dict[str, str] = {}
        used = {other for uses in self.linker.linked(entry) for other in uses}
        used |= {*self.linker.updates_before(entry)}
        for other in used:
            if (kind_of := self.piece_of(other)) in self.library.defined:
                named |= dict.fromkeys(self.arrays([other]), kind_of)
        near: dict[str, list[Entry]] = {}
        for one in (*sorted(used, key=lambda other: other.order), entry):
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


def _is_told_apart(found: Recognised, entry: Entry) -> bool:
    """Whether the headings above a formula, or the labels of its inputs, say that it is something
    else: the logits of a router are of experts, and those of ``h_{CLS}`` of classes."""
    texts = (entry.note, *entry.section, *(given.name for given in found.equation.inputs))
    words = {word.lower().removesuffix("s") for text in texts for word in _WORD.findall(text)}
    return not words.isdisjoint(word.removesuffix("s") for word in found.form.unlike)


_WORD = re.compile("[^\\W_]+")


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


def _is_met(problem: Problem, recognised: Recognised) -> bool:
    """Whether a parameter that does not occur does in what the formula is made of: the Q of
    ``Attention(Q, K, V) = αV`` in the α of another formula."""
    inputs = (f"the parameter `{one.name}` does not occur" for one in recognised.equation.inputs)
    return problem.code == "N2C080" and problem.message in inputs


def _is_no_index(problem: Problem, read: Typed) -> bool:
    """Whether a letter that a formula alone has for an index is none where it is ``read`` with
    others: the n of ``P = \\mathrm{softmax}(h_n W)`` is the last of the layers ``h_l = …``."""
    told = {one.message for one in read.problems}
    return " one for each " in problem.message and problem.message not in told


def _of_whole(problem: Problem, recognised: Recognised) -> Problem:
    """The doubt about an input that a piece of a component leaves out: its class has it."""
    if problem.code != "N2C080" or not recognised.form.partial:
        return problem
    name = recognised.component.class_name
    text = f"the formula is a piece of `{name}`, and the class computes the whole; write all of it"
    return replace(problem, help=text)


def _unique(problems: list[Problem]) -> tuple[Problem, ...]:
    return tuple(dict.fromkeys(problems))
