"""Linking formulas: each typed with what the formulas around it define, declare and name.

Arrays are linked within a note; functions and shapes across the vault.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from notes2code.diagnostics import Problem, Span, note, warning
from notes2code.latex.quoting import quoted
from notes2code.meaning import names
from notes2code.meaning.inference.calls import softmax
from notes2code.meaning.ir import Equation, Ref
from notes2code.meaning.linking import uses
from notes2code.meaning.linking.declarations import Declarations
from notes2code.meaning.linking.entries import Entry, Supplied, is_turned
from notes2code.meaning.linking.formulas import Formulas
from notes2code.meaning.linking.heads_left_out import heads_left_out
from notes2code.meaning.linking.memory import Memory
from notes2code.meaning.linking.pieces_made import pieces_made
from notes2code.meaning.linking.projections_left_out import projections_left_out
from notes2code.meaning.linking.said_functions import SaidFunctions
from notes2code.meaning.linking.said_masks import said_masks
from notes2code.meaning.linking.second_readings import SecondReadings
from notes2code.meaning.linking.whole_definitions import whole_first
from notes2code.meaning.prose.called_functions import CalledFunctions
from notes2code.meaning.prose.circled import Circled
from notes2code.meaning.prose.convolutions import Convolutions
from notes2code.meaning.prose.halves import Halves
from notes2code.meaning.prose.kinds import Kinds, Passage
from notes2code.meaning.prose.norms import Norms
from notes2code.meaning.prose.own_words import own_words
from notes2code.meaning.scope import Scope, Shape
from notes2code.meaning.typed import Typed

MAX_CHAIN = 50
"""The functions that may call each other in a row; what lies behind is not looked up."""

MAX_UNSETTLED = 16
"""How often a formula is looked at anew because it lacked another that was being looked at."""

_LESS_ONE = re.compile(r"-\s*1\b")
"""What a deviation is divided by that is no mean."""

JOIN = " \\\\\n"


@dataclass(frozen=True)
class Linked:
    """A formula typed alone, and together with the definitions that it refers to.

    ``together`` are the formula's meanings with its definitions and the entries of these: with
    those of the whole note, with those of its section only, and without those of states. Left out
    are those that do not fit.
    """

    own: Typed
    together: tuple[tuple[Typed, tuple[Entry, ...]], ...]


class Linker:
    """Types the formulas of a vault in each other's light."""

    def __init__(
        self,
        entries: Sequence[Entry],
        field_scope: Scope,
        declared: Mapping[str, Shape] | None = None,
        passages: Iterable[Passage] = (),
        memory: Memory | None = None,
    ) -> None:
        """``field_scope`` is what everybody knows; ``declared`` are shapes that hold everywhere;
        ``passages`` are the notes' prose; ``memory`` has what was found out before."""
        self.memory = memory or Memory()
        self.base = replace(field_scope, shapes={**field_scope.shapes, **(declared or {})})
        self.formulas = Formulas(entries, field_scope, self.memory)
        prose = list(passages)
        self._supplied = said_masks(prose, self.formulas.parsed)
        self._supplied |= heads_left_out(self.formulas.parsed, self.base.field)
        self._supplied |= projections_left_out(self.formulas.parsed)
        self._supplied |= pieces_made(self.formulas.parsed)
        if self._supplied:
            self.formulas = Formulas([*self._supplied, *entries], field_scope, self.memory)
        self.declarations = Declarations(self.formulas, self.base, Kinds(prose))
        self.kinds = {entry: self.declarations.kinds(entry) for entry in self.formulas.entries}
        """What the text says of the names in each formula, as far as the formula bears it out."""
        own = [
            Passage(text, entry.note, entry.section, entry.order)
            for entry in self.formulas.entries
            if (text := own_words(entry.latex))
        ]
        self._said = SaidFunctions([*prose, *own], self.formulas.parsed, self.base)
        self._convolutions = Convolutions(prose)
        self._norms = Norms(prose)
        self._halves = Halves([*prose, *own])
        self._circled = Circled([*prose, *own])
        self._circled_sums = Circled([*prose, *own], "⊕")
        self._called_functions = CalledFunctions([*prose, *own])
        self.completed: Callable[[Entry, Equation], Equation] = lambda _, function: function
        """Makes a function whole that leaves open what is always the same: the μ of a norm."""
        self.unnamed: Callable[[Entry, str], tuple[Entry, Equation] | None] = lambda _, name: None
        """What a note computes and gives no name, for a function that a formula calls."""
        self._functions: dict[Entry, Typed] = {}
        self._busy: list[Entry] = []
        self._awaited: set[Entry] = set()
        self._unsettled: Counter[Entry] = Counter()
        self._second_readings = SecondReadings(
            self.formulas, self.declarations, self.kinds, self.scope, self._read
        )

    def settles(self, entry: Entry) -> bool:
        """Whether what was found for a formula is kept: no function was asked for that is being
        typed, or so often that they ask for each other in a circle, and none can be had first."""
        if self._awaited.isdisjoint(self._busy):
            return True
        self._unsettled[entry] += 1
        return self._unsettled[entry] > MAX_UNSETTLED

    def typed(self, entry: Entry) -> Linked:
        """A formula alone and linked. One that says too little by itself, such as what the size of
        its blocks is, is what it is with its definitions, and one case is with the others."""
        own = self._alone(entry)
        parsed = self.formulas.parsed[entry]
        if parsed.tree is None:
            return Linked(own, ())
        if others := uses.other_cases(self.formulas, entry, *parsed.cases):
            own = self.together(entry, own, tuple(others)) or own
        linked = ((self.together(entry, own, found), found) for found in self.linked(entry))
        together = ((typed, uses) for typed, uses in linked if typed is not None)
        if own.kind == "rejected":
            own, found = next(together, (own, ()))
            return Linked(own, ((own, found),) if found else ())
        return Linked(own, tuple(together))

    def linked(self, entry: Entry) -> list[tuple[Entry, ...]]:
        """The formulas that a formula may be typed together with: several choices."""
        return uses.linked(self.formulas, self.declarations, entry)

    def updates_before(self, entry: Entry) -> tuple[Entry, ...]:
        """The formulas of its section that a formula goes on from, ``x ← x + f(x)``."""
        return uses.updates_before(self.formulas, entry)

    def equations(self, entry: Entry) -> Iterator[Equation]:
        """What each of the statements of a formula computes by itself: three for ``Q = X W^Q, K =
        X W^K, V = X W^V``."""
        for statement in self.formulas.parsed[entry].stated:
            latex = quoted(entry.latex, statement.span)
            if (equation := self.memory.meaning(latex, self.scope(entry)).equation) is not None:
                yield equation

    def _alone(self, entry: Entry) -> Typed:
        parsed = self.formulas.parsed[entry]
        if parsed.tree is None:
            return Typed("rejected", problems=parsed.problems)
        typed = self._read(entry)
        if typed.kind == "rejected":
            return self._second_readings.reading(entry, typed) or typed
        told = self._second_readings.told.get(entry, ())
        return replace(typed, problems=(*typed.problems, *self._named_in_text(entry), *told))

    def _read(self, entry: Entry) -> Typed:
        """What a formula means as its note has it."""
        return self.memory.meaning(entry.latex, self.scope(entry), self.formulas.parsed[entry])

    def _supplied_near(self, entry: Entry) -> Iterator[Supplied]:
        """What is taken to be defined in the note of a formula, that of its section before that of
        others."""
        made = [(one, what) for one, what in self._supplied.items() if one.note == entry.note]
        here = {what.name for one, what in made if one.section == entry.section}
        for one, what in made:
            if one.section == entry.section or what.name not in here:
                yield what

    def _named_in_text(self, entry: Entry) -> Iterator[Problem]:
        """Remarks on the functions that the text names, where the formula calls them."""
        mine = self.formulas.parsed[entry]
        called = mine.called - mine.aliases.keys()
        for letter, name in self._said.names(entry.note, entry.section).items():
            if letter in called and letter not in self._functions_near(entry):
                text = f"`{letter}` is taken for {name}, which the text names"
                yield note("N2C039", text, Span(0, len(entry.latex)))
        for supplied in self._supplied_near(entry):
            if supplied.name in mine.mentioned - mine.parameters - {entry.latex.strip()}:
                yield note("N2C039", supplied.told, Span(0, len(entry.latex)))
        for name in sorted(called):
            if kind := self.formulas.kind_of_network(entry, name):
                text = f"`{name}` is taken to be `{kind}`, the only one that the note defines"
                yield note("N2C039", text, Span(0, len(entry.latex)))
            lent = self.formulas.lent(entry, name)
            if lent and name in self._functions_near(entry):  # and so can be read
                text = f"`{name}` is taken to be that of {lent.note}, the only one in the vault"
                yield note("N2C039", text, Span(0, len(entry.latex)))
            if unnamed := self.unnamed(entry, name):
                place = f"in line {unnamed[0].line}" if unnamed[0].line else "elsewhere"
                text = f"`{name}` is taken to be what the note computes {place}"
                yield note("N2C039", text, Span(0, len(entry.latex)))
        if "sigma" in called & self._said.activating(entry.note, entry.section):
            text = "`sigma` is taken for the sigmoid, and the text only says that it activates"
            hint = "say which function it is: `\\sigma = \\mathrm{ReLU}`"
            yield warning("N2C050", text, Span(0, len(entry.latex)), hint)

    def together(
        self,
        entry: Entry,
        own: Typed,
        uses: tuple[Entry, ...],
        operators: frozenset[str] = frozenset(),
    ) -> Typed | None:
        """The formula typed with the definitions before it, as if it were one with them."""
        before = "".join(other.latex + JOIN for other in uses)
        scope = replace(self.scope(entry, uses), operators=operators)
        typed = self.memory.meaning(before + entry.latex, scope)
        mine = self.formulas.parsed[entry]
        named = mine.arrays | mine.functions if own.equation is None else {own.equation.name}
        if typed.equation is not None and typed.equation.name not in (named or {""}):
            typed = self._of_several(entry, own, before, scope)
        if typed.equation is None or self._is_otherwise(typed.equation, uses):
            return None
        offset = len(before)
        told = [p for p in typed.problems if p.span.start >= offset]
        moved = (replace(p, span=Span(p.span.start - offset, p.span.end - offset)) for p in told)
        return replace(typed, problems=tuple(moved))

    def _is_otherwise(self, equation: Equation, uses: Sequence[Entry]) -> bool:
        """Whether a list such as ``Q = [q_1, …, q_n]`` is joined to one vector in a formula, and a
        matrix by its own definition."""
        vectors = {one.name for one in equation.definitions if len(one.array.indices) == 1}
        own = (self._alone(one).equation for one in uses if vectors)
        return any(one and one.name in vectors and len(one.value.indices) == 2 for one in own)

    def _of_several(self, entry: Entry, own: Typed, before: str, scope: Scope) -> Typed:
        """The formula typed with definitions of which one has a result of its own, such as ``Q = X
        W, V = X U`` before ``A = softmax(Q)``; nothing where it loses an index to a step there."""
        name = "" if own.equation is None else own.equation.name
        nothing, indexed = Typed("text"), self.formulas.parsed[entry].indexed.get(name)
        if own.equation is None or indexed is None:
            return nothing
        typed = self.memory.meaning(before + entry.latex, replace(scope, result=name))
        if typed.equation is None or typed.equation.name != name:
            return nothing
        arrays = own.equation.value, typed.equation.value
        mine, found = (indexed.letters & {i.letter for i in array.indices} for array in arrays)
        return typed if mine == found else nothing

    def scope(self, entry: Entry, uses: Iterable[Entry] = ()) -> Scope:
        """What surrounds a formula, with the definitions that it is typed with."""
        functions = self._said.near(entry.note, entry.section)
        kinds: dict[str, Shape] = {}
        letters: dict[str, tuple[str, ...]] = {}
        mine = self.formulas.parsed[entry].seen
        for one in (*uses, entry):
            letters |= self.formulas.unwritten.get(one, {})
            functions.update(self._functions_near(one))
            # What is not said of the formula itself is not said of it with its definitions.
            kinds |= {
                name: kind
                for name, kind in self.kinds[one].items()
                if one is entry or mine is None or name not in mine.counted
            }
        near = self.declarations.shapes(entry)
        for name in self._foreign_to(uses) & near.keys() - self.formulas.parsed[entry].mentioned:
            del near[name]
        return replace(
            self.base,
            words=self.formulas.words(entry.note),
            macros=self.formulas.macros,
            apart=self.formulas.apart[entry.note],
            lasts=self.formulas.letters.lasts(entry),
            begins=self.formulas.letters.begins(entry),
            mapped=self.formulas.letters.mapped(entry),
            labels=self.formulas.letters.labels(entry),
            above=self.formulas.letters.above(entry),
            drawn=self.formulas.letters.drawn(entry),
            real=self.formulas.letters.real(entry),
            elements=self.formulas.letters.elements(entry),
            places=self.formulas.places.get((entry.note, entry.section), frozenset()),
            shapes={
                **near,
                **self.base.shapes,
                **self.declarations.numbers(entry),
                **near,
                **kinds,
            },
            functions={**self.base.functions, **functions},
            arrays=self._called_arrays(entry),
            unwritten=letters,
            callees=self._callees(entry),
            sized=self.formulas.letters.sized(entry),
            convolves=self._convolutions.near(entry.note, entry.section, entry.order),
            norms=self._norms.near(entry.note, entry.section, entry.order),
            circled=self._circled.near(entry.note, entry.section, entry.order),
            halves=self._halves.near(entry.note, entry.section),
            joins=self._circled_sums.near(entry.note, entry.section, entry.order) == "joined",
        )

    def _callees(self, entry: Entry) -> frozenset[str]:
        """What a formula calls by what another one, or the text, says of it."""
        said = self._called_functions.near(entry.note, entry.section)
        called = (name for name in self.formulas.parsed[entry].called if said)
        told = {name for name in called if names.base_letter(name) in said}
        return self.formulas.callees(entry) | told

    def _foreign_to(self, uses: Iterable[Entry]) -> set[str]:
        """The names that are not what the note declares by them in some formulas, and so in one
        that is typed with these and names them only as what it is given."""
        for one in uses:
            self._alone(one)
        return {name for one in uses for name in self.declarations.foreign.get(one, ())}

    def _called_arrays(self, entry: Entry) -> frozenset[str]:
        """What stands before parentheses but is an array, by what the note defines: it is
        multiplied and not called. So is π no number where the note defines it, and δ no Kronecker
        delta, and the deviation that a σ of a list is taken for may be another."""
        parsed = self.formulas.parsed[entry]
        here = parsed.called | ({"pi", "delta"} & parsed.mentioned)
        called = sorted(here - parsed.parameters)
        arrays = self.formulas.nearest(entry, called, "arrays", within=1)
        found = {name for name, others in arrays.items() if self._is_called(entry, name, others[0])}
        if "std" in called:
            spreads = self.formulas.defining(entry, "sigma", "arrays", within=1)
            lists = (one for one in spreads if "sigma" not in self.formulas.parsed[one].indexed)
            found.update("sigma" for one in lists if _LESS_ONE.search(one.latex))
        return frozenset(found - self.nearest_functions(entry, called).keys())

    def _is_called(self, entry: Entry, name: str, other: Entry) -> bool:
        """Whether a formula has an array as another defines it: the f of ``f(x)`` is no f_t."""
        seen = self.formulas.parsed[entry].seen
        indexed = self.formulas.parsed[other].indexed.get(name)
        written = seen.written.get(name, {0}) if seen is not None else {0}
        return indexed is None or not indexed.written or written != {0}

    def nearest_functions(self, entry: Entry, names: Iterable[str]) -> dict[str, list[Entry]]:
        """For each name, the entries that define it as a function and may be taken, nearest
        first."""
        found = self.formulas.nearest(entry, names, "functions", within=2)
        taken = {
            name: self._readable(entry, whole_first(entry, name, others, self.function))
            for name, others in found.items()
        }
        return {name: others for name, others in taken.items() if others}

    def functions(self, entry: Entry, name: str, within: int) -> list[Entry]:
        """The entries that define a function, rejected ones among them, nearest first."""
        others = self.formulas.defining(entry, name, "functions", within)
        return whole_first(entry, name, others, self.function)

    def nearest(
        self, entry: Entry, names: Iterable[str], kind: str, within: int
    ) -> dict[str, list[Entry]]:
        """For each name, the entries that define it, nearest first. ``kind`` is what they define:
        ``arrays``, ``constants``, ``functions``, ``shapes`` or ``halves``."""
        found = {name: self.formulas.defining(entry, name, kind, within) for name in names}
        if kind == "functions":
            found = {name: self._readable(entry, others) for name, others in found.items()}
        return {name: others for name, others in found.items() if others}

    def rejected(self, entry: Entry, others: Sequence[Entry]) -> Entry | None:
        """The rejected definition that stands nearer than all that can be read, if one does; those
        of other notes take nothing away from what the field knows."""
        for at, other in enumerate(others):
            if self.function(other) is not None or other in self._busy:
                return None
            typed = self._functions.get(other)
            if typed is not None and typed.kind == "rejected":
                near = self.formulas.distance(entry, other)
                if near[0] < 2 and all(
                    self.formulas.distance(entry, far) > near for far in others[at + 1 :]
                ):
                    return other
        return None

    def _readable(self, entry: Entry, others: list[Entry]) -> list[Entry]:
        """The definitions that may be taken: no farther one takes the place of a rejected one."""
        rejected = self.rejected(entry, others)
        return others if rejected is None else others[: others.index(rejected)]

    def _functions_near(self, entry: Entry) -> dict[str, Equation]:
        """The functions that a formula mentions, as the nearest notes define them."""
        mine = self.formulas.parsed[entry]
        wanted = (mine.mentioned | self._without_numbers(mine.mentioned)) - mine.functions
        if not wanted:
            return {}
        found = self.nearest_functions(entry, sorted(wanted))
        out: dict[str, Equation] = {}
        for name, others in found.items():
            for other in others:
                equation = self.function(other, name)
                if equation is None or self._is_variant(entry, name, other, equation):
                    continue
                if names.is_any_function(name) and self._multiplies(entry, name, other):
                    continue
                if names.is_any_function(name) and uses.is_given_others(mine, name, equation):
                    continue
                if uses.is_one_of_many(mine, name, equation):
                    continue
                theirs = self.formulas.parsed[other]
                if softmax.is_defined(equation) or is_turned(mine, theirs, equation):
                    break
                if equation.parameters or self._only_here(name, other, equation):
                    out[name] = equation
                    break
        for name in sorted(mine.called - found.keys()):
            if (unnamed := self.unnamed(entry, name)) is not None:
                out[name] = unnamed[1]
        return out

    def _without_numbers(self, mentioned: Iterable[str]) -> set[str]:
        """What functions of the field are called whose uses are numbered: ``RMSNorm_2``."""
        bases = map(names.plainly, mentioned)
        return {base for base in bases if base and names.as_word(base) in self.base.field}

    def _multiplies(self, entry: Entry, name: str, other: Entry) -> bool:
        """Whether a letter that another section defines as a function is a factor in this one: the
        η of ``\\eta (g + \\lambda \\theta)`` beside ``\\eta g``, whatever a schedule η(t) is."""
        if self.formulas.are_beside(entry, other):
            return False
        here = map(self.formulas.parsed.__getitem__, (entry, *self.formulas.beside(entry)))
        return any(name in one.mentioned - one.called for one in here)

    def _is_variant(self, entry: Entry, name: str, other: Entry, equation: Equation) -> bool:
        """Whether another section defines a softmax with more to it, such as a temperature, which
        is not meant wherever the note says softmax."""
        elsewhere = softmax.is_softmax(name) and self.formulas.distance(entry, other)[0] > 0
        return elsewhere and any(one.name not in equation.parameters for one in equation.inputs)

    def _only_here(self, name: str, other: Entry, equation: Equation) -> bool:
        """Whether a function whose right-hand side does not name its parameters is the note's own:
        of ``MultiHead(X) = Concat(head_1, …) W`` the field knows more, unless the note says what
        the heads are, or leaves out the W."""
        usual = self.base.field.get(names.as_word(name))
        if usual is None or usual.unused or isinstance(equation.value.body, Ref):
            return True
        made_of = [one.name for one in equation.inputs]
        return bool(
            equation.definitions or self.formulas.nearest(other, made_of, "arrays", within=1)
        )

    def function(self, entry: Entry, name: str = "") -> Equation | None:
        """The equation of a formula that defines a function; None while it is being typed. With a
        ``name`` that of one which is defined beside the formula's own: the φ of
        ``f(x) = W \\phi(x), \\quad \\phi(u) = …``."""
        if entry in self._busy:
            self._awaited.add(entry)
            return None
        typed = self._functions.get(entry)
        if typed is None:
            if len(self._busy) == MAX_CHAIN:
                return None
            self._busy.append(entry)
            linked = self.typed(entry)
            typed = linked.together[0][0] if linked.together else linked.own
            if typed.equation is not None and typed.equation.parameters:
                typed = replace(typed, equation=self.completed(entry, typed.equation))
            self._busy.pop()
            self._awaited.discard(entry)
            if self.settles(entry):
                self._functions[entry] = typed
        equation = typed.equation
        beside = self.formulas.parsed[entry].places.get(name)
        if equation is None or beside is None or equation.name == name:
            return equation
        return self.memory.meaning(
            entry.latex[beside.start : beside.end], self.scope(entry)
        ).equation
