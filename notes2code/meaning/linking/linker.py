"""Linking formulas: what the formulas around one define, declare and name.

A name means what the nearest formula says: in the same section, then in the same note, then in
the vault. Arrays are linked within a note; functions and shapes across the vault.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from notes2code.diagnostics import Problem, Span, note, warning
from notes2code.latex import in_two_fonts
from notes2code.meaning import names
from notes2code.meaning.inference import softmax
from notes2code.meaning.ir import Equation, Ref
from notes2code.meaning.linking.entries import (
    Entry,
    Indexed,
    Parsed,
    differences_of,
    family,
    is_turned,
    length,
    letters_on,
    macros_of,
    read_entry,
    words_of,
    write_indices,
)
from notes2code.meaning.linking.near_letters import Letters, places_of
from notes2code.meaning.linking.said_functions import SaidFunctions
from notes2code.meaning.notation import functions
from notes2code.meaning.overview import unwritten
from notes2code.meaning.prose.kinds import Kinds, Passage, may_be_loose, unlike
from notes2code.meaning.scope import Scope, Shape
from notes2code.meaning.typed import Typed, type_formula, type_tree

MAX_CHAIN = 50
"""The functions that may call each other in a row; what lies behind is not looked up."""

JOIN = " \\\\\n"

_CLASHES = frozenset(["N2C032", "N2C040", "N2C041", "N2C042"])
"""The codes of formulas that do not fit the shapes of what they name."""


@dataclass(frozen=True)
class Linked:
    """A formula typed alone, and together with the definitions that it refers to.

    ``together`` are the formula's meanings with its definitions and the entries of these: with
    those of the whole note, with those of its section only, and without those of states. Left out
    are those that do not fit.
    """

    own: Typed
    together: tuple[tuple[Typed, tuple[Entry, ...]], ...]


def numbered_base(name: str) -> str:
    """The W of ``W_1``; "" for a name without a number."""
    base, _, number = name.rpartition("_")
    return base if number.isdigit() else ""


class Linker:
    """Types the formulas of a vault in each other's light."""

    def __init__(
        self,
        entries: Sequence[Entry],
        field_scope: Scope,
        declared: Mapping[str, Shape] | None = None,
        passages: Iterable[Passage] = (),
    ) -> None:
        """``field_scope`` is what everybody knows; ``declared`` are shapes that hold everywhere;
        ``passages`` are the notes' prose."""
        self.entries = sorted(entries, key=lambda e: (e.note, e.order))
        self.base = replace(field_scope, shapes={**field_scope.shapes, **(declared or {})})
        self.words = field_scope.words | words_of(self.entries)
        self.differences = differences_of(self.entries)
        self.macros = {**field_scope.macros, **macros_of(self.entries)}
        self.apart = self._apart()
        self.parsed = {entry: self._read(entry) for entry in self.entries}
        self.places = places_of(self.parsed)
        for entry in self.entries:
            if places := self.places.get((entry.note, entry.section)):
                self.parsed[entry] = self._read(entry, places)
        self.table = self._table()
        self.declared: dict[str, dict[str, None]] = {}
        for entry, parsed in self.parsed.items():
            self.declared.setdefault(entry.note, {}).update(dict.fromkeys(parsed.shapes))
        self.unwritten = self._unwritten()
        for entry, known in self.unwritten.items():
            if known:
                write_indices(self.parsed[entry], known)
        self.states: dict[str, set[str]] = {}
        for entry, parsed in self.parsed.items():
            self.states.setdefault(entry.note, set()).update(parsed.states)
        self.applied = {
            (entry.note, entry.section, name)
            for entry, parsed in self.parsed.items()
            for name in parsed.applied
        }
        self.letters = Letters(self.parsed)
        self.meanings: dict[str, list[tuple[Parsed | None, Scope, Typed]]] = {}
        self.functions: dict[Entry, Typed] = {}
        self.busy: list[Entry] = []
        self.bound: dict[Entry, frozenset[str]] = {}
        """The parameters of functions that are not what the note declares by these names."""
        prose = list(passages)
        self.prose = Kinds(prose)
        self.said = SaidFunctions(prose, self.base)
        self.kinds = {entry: self._kinds(entry) for entry in self.entries}
        self.strange: set[Entry] = set()
        """Those that define something else than what the field calls so: other notes mean that."""

    def _words(self, note: str) -> frozenset[str]:
        """The words of the notes, and the differences that one of them defines."""
        return self.words | self.differences[note]

    def _apart(self) -> dict[str, frozenset[str]]:
        """The letters that each note has in two fonts."""
        formulas: dict[str, list[str]] = {}
        for entry in self.entries:
            formulas.setdefault(entry.note, []).append(entry.latex)
        return {note: in_two_fonts(own, self.words, self.macros) for note, own in formulas.items()}

    def _read(self, entry: Entry, places: frozenset[str] = frozenset()) -> Parsed:
        """What a formula says by itself."""
        words, apart = self._words(entry.note), self.apart[entry.note]
        return read_entry(entry, words, self.macros, apart, places)

    def _table(self) -> dict[tuple[str, str], list[Entry]]:
        """The entries that define each name, by what they define."""
        table: dict[tuple[str, str], list[Entry]] = {}
        for entry, parsed in self.parsed.items():
            kinds = {
                "arrays": parsed.arrays,
                "constants": parsed.constants,
                "functions": parsed.functions,
                "shapes": parsed.shapes,
                "halves": {name for name, _ in parsed.halves},
            }
            for kind, defined in kinds.items():
                for name in defined:
                    if kind != "functions" or not self._is_solved(entry, name):
                        table.setdefault((kind, name), []).append(entry)
        return table

    def _is_solved(self, entry: Entry, function: str) -> bool:
        """Whether a definition is another of its note, solved for the function, as ``F(x) = y - x``
        is beside ``y = F(x) + x``. A state, h_t, is made of the one before it."""
        mine = self.parsed[entry]
        written = {} if mine.seen is None else mine.seen.written
        named = {name for name in mine.mentioned - mine.parameters if written.get(name) == {0}}
        return any(
            function in other.called and named & other.arrays and mine.parameters <= other.mentioned
            for at, other in self.parsed.items()
            if at.note == entry.note and at is not entry
        )

    def _unwritten(self) -> dict[Entry, dict[str, tuple[str, ...]]]:
        """The letters of the indices that the names in each formula have without writing them, as
        the nearest formula of its note defines them; of what it defines itself, where another uses
        it so."""
        read = [(entry, p.stated, p.seen) for entry, p in self.parsed.items() if p.seen is not None]
        near = {entry: self._plainly_defined(entry) for entry, _, _ in read}
        known: dict[Entry, dict[str, tuple[str, ...]]] = {}
        made: dict[Entry, dict[str, tuple[str, ...]]] = {}
        for _ in range(2):  # what is defined behind a formula is known the second time
            for entry, stated, seen in read:
                known[entry] = {
                    name: made[other][own]
                    for name, other in near[entry].items()
                    if (own := unwritten.key(name, made.get(other, {})))
                }
                made[entry] = unwritten.found(stated, seen, known[entry])
        for _ in range(2):
            for entry, stated, seen in reversed(read):
                mine = made[entry].keys() & known[entry].keys()
                for name in unwritten.used(stated, seen, {**made[entry], **known[entry]}, mine):
                    if (other := near[entry].get(name)) is not None:
                        own = unwritten.key(name, made[other])
                        known[other][own] = made[other][own]
        return known

    def _plainly_defined(self, entry: Entry) -> dict[str, Entry]:
        """The formulas of the note that define what one names, squares among it, and what is
        declared nowhere: that has what is said."""
        mine = self.parsed[entry]
        named = {name.removesuffix("_squared") for name in mine.mentioned}
        named |= {f"{name}_squared" for name in named}
        named -= mine.arrays | self.declared[entry.note].keys()
        near = self.nearest(entry, sorted(named), "arrays", within=1)
        return {name: others[0] for name, others in near.items()}

    # --- typing --------------------------------------------------------------------------

    def typed(self, entry: Entry) -> Linked:
        """A formula alone and linked. One that says too little by itself, such as what the size of
        its blocks is, is what it is with its definitions."""
        own = self._alone(entry)
        if self.parsed[entry].tree is None:
            return Linked(own, ())
        linked = ((self.together(entry, own, uses), uses) for uses in self.linked(entry))
        together = ((typed, uses) for typed, uses in linked if typed is not None)
        if own.kind == "rejected":
            own, uses = next(together, (own, ()))
            return Linked(own, ((own, uses),) if uses else ())
        return Linked(own, tuple(together))

    def linked(self, entry: Entry) -> list[tuple[Entry, ...]]:
        """The formulas that a formula refers to: those of the whole note, those of its section; and
        without those that make states step by step, which may be given as a whole."""
        found = {self._definitions(entry, within): None for within in (1, 0)}
        for uses in list(found):
            found[tuple(use for use in uses if not self.parsed[use].states)] = None
        return [uses for uses in found if uses]

    def _alone(self, entry: Entry) -> Typed:
        parsed = self.parsed[entry]
        if parsed.tree is None:
            return Typed("rejected", problems=parsed.problems)
        typed = self._meaning(entry.latex, self.scope(entry), parsed)
        if typed.kind != "rejected":
            return replace(typed, problems=(*typed.problems, *self._named_in_text(entry)))
        other, codes = None, [problem.code for problem in typed.problems]
        if codes[-1] in ("N2C040", "N2C041"):
            least = 3 if codes[-1] == "N2C040" else 0
            other = self._with_parameters_of_its_own(entry, least)
        if other is None and "N2C033" not in codes and self.kinds[entry]:
            other = self._unlike_said(entry, self.kinds[entry])
        if other is None and codes[-1] in _CLASHES:
            other = self._unlike_beside(entry)
        return other or typed

    def _meaning(self, latex: str, scope: Scope, parsed: Parsed | None = None) -> Typed:
        """What a formula means in a scope, parsed or not: nothing else decides that, so what is
        asked again, by other formulas that use it or that stand with it, is found once."""
        known = self.meanings.setdefault(latex, [])
        for from_what, its_scope, typed in known:
            if from_what is parsed and its_scope == scope:
                return typed
        if parsed is None or parsed.tree is None:
            typed = type_formula(latex, scope)
        else:
            typed = type_tree(latex, parsed.tree, scope, parsed.read)
        known.append((parsed, scope, typed))
        return typed

    def _named_in_text(self, entry: Entry) -> Iterator[Problem]:
        """Remarks on the functions that the text names, where the formula calls them."""
        for letter, name in self.said.names(entry.note, entry.section).items():
            if letter in self.parsed[entry].called and letter not in self._functions(entry):
                text = f"`{letter}` is taken for {name}, which the text names"
                yield note("N2C039", text, Span(0, len(entry.latex)))

    def _with_parameters_of_its_own(self, entry: Entry, least: int) -> Typed | None:
        """A function whose parameters are not the arrays, of so many axes at least, that are
        declared by these names, where these do not fit: the x of ``\\mathrm{MLP}(x) = …`` is not
        the image x."""
        shapes = self._shapes(entry)
        foreign = self.parsed[entry].parameters - self.parsed[entry].shapes.keys()
        foreign = {name for name in foreign if name in shapes and len(shapes[name].axes) >= least}
        text = f"`{', '.join(sorted(foreign))}` is taken to be another than what is declared so"
        told = note("N2C039", text, Span(0, len(entry.latex)))
        return self._without(entry, foreign, told)

    def _unlike_beside(self, entry: Entry) -> Typed | None:
        """A formula that does not fit what a section beside its own declares, and can be read
        without: each may have a W of its own. What its own section says, or one that it is a part
        of, holds."""
        near = self.nearest(entry, self.declared.get(entry.note, ()), "shapes", within=1)
        beside = {n for n, o in near.items() if entry.section[: len(o[0].section)] != o[0].section}
        seen = self.parsed[entry].seen
        used = [] if seen is None else [{*name.split("_")} for name in seen.counted]
        foreign = {name for name in beside if any({*name.split("_")} >= own for own in used)}
        told = warning(
            "N2C035",
            f"`{', '.join(sorted(foreign))}` is declared otherwise in a section beside this one",
            Span(0, len(entry.latex)),
            "the formula does not fit that, and is computed as if it named another; rename one",
        )
        return self._without(entry, foreign, told)

    def _without(self, entry: Entry, foreign: Set[str], told: Problem) -> Typed | None:
        """A formula read without what the note declares of some names, if it can be."""
        if not foreign:
            return None
        self.bound[entry] = frozenset(foreign)
        typed = self._meaning(entry.latex, self.scope(entry), self.parsed[entry])
        if typed.kind == "rejected":
            del self.bound[entry]
            return None
        return replace(typed, problems=(*typed.problems, told))

    def _unlike_said(self, entry: Entry, kinds: Mapping[str, Shape]) -> Typed | None:
        """A formula that cannot be computed where something is a vector, as the text says, and can
        where the text speaks loosely: from here on that is not said of the formula. None where the
        text is not to blame."""
        one_less = ({n: k for n, k in kinds.items() if n != name} for name in kinds)
        for rest in (*one_less, {}):
            self.kinds[entry] = rest
            other = self._meaning(entry.latex, self.scope(entry), self.parsed[entry])
            given = () if other.equation is None else other.equation.inputs
            ranks = {one.name: len(one.shape) for one in given}
            left = {name: kind for name, kind in kinds.items() if name not in rest}
            if all(may_be_loose(name, kind, ranks.get(name, -1)) for name, kind in left.items()):
                break
        else:
            self.kinds[entry] = dict(kinds)
            return None
        return replace(other, problems=(*other.problems, unlike(left, entry.latex)))

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
        typed = self._meaning(before + entry.latex, scope)
        mine = self.parsed[entry]
        named = mine.arrays | mine.functions if own.equation is None else {own.equation.name}
        if typed.equation is not None and typed.equation.name not in (named or {""}):
            typed = self._of_several(entry, own, before, scope)
        if typed.equation is None:
            return None
        offset = len(before)
        told = [p for p in typed.problems if p.span.start >= offset]
        moved = (replace(p, span=Span(p.span.start - offset, p.span.end - offset)) for p in told)
        return replace(typed, problems=tuple(moved))

    def _of_several(self, entry: Entry, own: Typed, before: str, scope: Scope) -> Typed:
        """The formula typed with definitions of which one has a result of its own, such as ``Q = X
        W, V = X U`` before ``A = softmax(Q)``; nothing where it loses an index to a step there."""
        name = "" if own.equation is None else own.equation.name
        nothing, indexed = Typed("text"), self.parsed[entry].indexed.get(name)
        if own.equation is None or indexed is None:
            return nothing
        typed = self._meaning(before + entry.latex, replace(scope, result=name))
        if typed.equation is None or typed.equation.name != name:
            return nothing
        arrays = own.equation.value, typed.equation.value
        mine, found = (indexed.letters & {i.letter for i in array.indices} for array in arrays)
        return typed if mine == found else nothing

    def scope(self, entry: Entry, uses: Iterable[Entry] = ()) -> Scope:
        """What surrounds a formula, with the definitions that it is typed with."""
        functions = self.said.near(entry.note, entry.section)
        kinds: dict[str, Shape] = {}
        letters: dict[str, tuple[str, ...]] = {}
        mine = self.parsed[entry].seen
        for one in (*uses, entry):
            letters |= self.unwritten.get(one, {})
            functions.update(self._functions(one))
            # What is not said of the formula itself is not said of it with its definitions.
            kinds |= {
                name: kind
                for name, kind in self.kinds[one].items()
                if one is entry or mine is None or name not in mine.counted
            }
        return replace(
            self.base,
            words=self._words(entry.note),
            macros=self.macros,
            apart=self.apart[entry.note],
            lasts=self.letters.lasts(entry),
            mapped=self.letters.mapped(entry),
            labels=self.letters.labels(entry),
            places=self.places.get((entry.note, entry.section), frozenset()),
            shapes={
                **(near := self._shapes(entry)),
                **self.base.shapes,
                **self._numbers(entry),
                **near,
                **kinds,
            },
            functions={**self.base.functions, **functions},
            arrays=self._called_arrays(entry),
            unwritten=letters,
            callees=frozenset(
                name
                for name in self.parsed[entry].called
                if (entry.note, entry.section, name) in self.applied
            ),
        )

    def _called_arrays(self, entry: Entry) -> frozenset[str]:
        """What stands before parentheses but is an array, by what the note defines: it is
        multiplied and not called. So is π no number where the note defines it."""
        here = self.parsed[entry].called | ({"pi"} & self.parsed[entry].mentioned)
        called = sorted(here - self.parsed[entry].parameters)
        arrays = self.nearest(entry, called, "arrays", within=1)
        found = {name for name, others in arrays.items() if self._is_called(entry, name, others[0])}
        return frozenset(found - self.nearest(entry, called, "functions", within=2).keys())

    def _is_called(self, entry: Entry, name: str, other: Entry) -> bool:
        """Whether a formula has an array as another defines it: the f of ``f(x)`` is no f_t."""
        seen, indexed = self.parsed[entry].seen, self.parsed[other].indexed.get(name)
        written = seen.written.get(name, {0}) if seen is not None else {0}
        return indexed is None or not indexed.written or written != {0}

    # --- nearness ------------------------------------------------------------------------

    def distance(self, entry: Entry, other: Entry) -> tuple[int, int, int]:
        """How far another formula is: by vault, note and section, then by place; what stands
        before counts as nearer than what stands behind."""
        if other.note != entry.note:
            return (2, 0, 0)
        shared = 0
        for mine, theirs in zip(entry.section, other.section, strict=False):
            if mine != theirs:
                break
            shared += 1
        apart = len(entry.section) + len(other.section) - 2 * shared
        behind = int(other.order > entry.order)
        return (0 if apart == 0 else 1, behind * 1000 + apart, abs(other.order - entry.order))

    def behind(self, entry: Entry) -> Iterator[Entry]:
        """The formulas behind another in its section, in order."""
        at = bisect_right(self.entries, (entry.note, entry.order), key=lambda e: (e.note, e.order))
        for other in self.entries[at:]:
            if (other.note, other.section) != (entry.note, entry.section):
                return
            yield other

    def beside(self, entry: Entry) -> Iterator[Entry]:
        """The other formulas of its section, in order."""
        at = bisect_left(self.entries, entry.note, key=lambda e: e.note)
        for other in self.entries[at:]:
            if other.note != entry.note:
                return
            if other.section == entry.section and other is not entry:
                yield other

    def nearest(
        self, entry: Entry, names: Iterable[str], kind: str, within: int
    ) -> dict[str, list[Entry]]:
        """For each name, the entries that define it, nearest first. ``kind`` is what they define:
        ``arrays``, ``constants``, ``functions``, ``shapes`` or ``halves``."""
        found = {name: self.defining(entry, name, kind, within) for name in names}
        if kind == "functions":
            found = {name: self._readable(entry, others) for name, others in found.items()}
        return {name: others for name, others in found.items() if others}

    def defining(self, entry: Entry, name: str, kind: str, within: int) -> list[Entry]:
        """The entries that define a name, rejected ones among them, nearest first."""
        if kind == "functions" and names.is_any_function(name):
            within = min(within, 1)  # f and p are others in each note
        near = [
            (distance, other)
            for other in self.table.get((kind, name), ())
            if other is not entry
            and (distance := self.distance(entry, other))[0] <= within
            and (distance[0] < 2 or self._holds_afar(entry, name, other))
        ]
        near.sort(key=lambda pair: pair[0])
        found = [other for _, other in near]
        if near and near[0][0][0] == 2:  # of other notes, what most of them say, and shortest
            said = {other: self.parsed[other].said.get(name) for other in found}
            often = Counter(said.values())
            found.sort(
                key=lambda other: (-often[said[other]], length(said[other])),
            )
        return found

    def functions_defined(self) -> list[tuple[str, Entry]]:
        """The functions with the formulas that define them; first those that call the fewest
        others."""
        found = [
            (name, entry)
            for (kind, name), entries in self.table.items()
            for entry in entries
            if kind == "functions"
        ]
        return sorted(found, key=lambda pair: len(self.called(pair[1])))

    def _holds_afar(self, entry: Entry, name: str, other: Entry) -> bool:
        """Whether another note's function can be the one that a formula calls: a softmax or a
        GELU means elsewhere what it always does, whatever a note adds to it, and a LayerNorm that
        is none holds in its own note only."""
        if other in self.strange:
            return False
        takes, given = self.parsed[other].arity.get(name), self.parsed[entry].given.get(name)
        if takes is not None and given is not None and takes not in given:
            return False
        return not functions.is_known(name)

    def rejected(self, entry: Entry, others: Sequence[Entry]) -> Entry | None:
        """The rejected definition that stands nearer than all that can be read, if one does; those
        of other notes take nothing away from what the field knows."""
        for at, other in enumerate(others):
            if self.function(other) is not None or other in self.busy:
                return None
            typed = self.functions.get(other)
            if typed is not None and typed.kind == "rejected":
                near = self.distance(entry, other)
                if near[0] < 2 and all(
                    self.distance(entry, far) > near for far in others[at + 1 :]
                ):
                    return other
        return None

    def _readable(self, entry: Entry, others: list[Entry]) -> list[Entry]:
        """The definitions that may be taken: no farther one takes the place of a rejected one."""
        rejected = self.rejected(entry, others)
        return others if rejected is None else others[: others.index(rejected)]

    def called(self, entry: Entry) -> set[str]:
        """The functions that a formula calls and does not define."""
        return self.parsed[entry].called - self.parsed[entry].functions

    def _kinds(self, entry: Entry) -> dict[str, Shape]:
        """The kinds that prose states of what the formula names. A shape is more than a kind,
        unless it stands in another section and is of another kind."""
        mine = self.parsed[entry]
        if mine.seen is None:
            return {}
        found = self.prose.near(entry.note, entry.section, entry.order, mine.seen, mine.arrays)
        shapes = self._shapes(entry) if found else {}
        near = {*self.nearest(entry, found, "shapes", within=0), *self.base.shapes}
        near |= mine.shapes.keys()
        return {
            name: kind
            for name, kind in found.items()
            if name not in near
            and (name not in shapes or len(shapes[name].axes) != len(kind.axes))
            # The x_i of LN(x_i) are each what is said of x.
            and not (name in mine.parameters and mine.seen.counted[name] == {1} and kind.is_vector)
        }

    def _shapes(self, entry: Entry) -> dict[str, Shape]:
        """Shapes declared in the note, nearest first; those of other notes would tie sizes that
        only share a letter."""
        found = self.nearest(entry, self.declared.get(entry.note, ()), "shapes", within=1)
        bound = self.bound.get(entry, frozenset())
        nearest = {name: others[0] for name, others in found.items() if name not in bound}
        # Where β = 1 is said nearer than β ∈ ℝ^d, it is a number.
        for name, others in self.nearest(entry, nearest, "constants", within=1).items():
            if self.distance(entry, others[0]) < self.distance(entry, nearest[name]):
                del nearest[name]
        for name in self._of_others(entry, nearest):
            del nearest[name]
        ordered = sorted(nearest.items(), key=lambda item: self.distance(entry, item[1]))
        return {
            name: replace(self.parsed[at].shapes[name], afar=self.distance(entry, at)[0] > 0)
            for name, at in ordered
        }

    def _numbers(self, entry: Entry) -> dict[str, Shape]:
        """The names that the section gives a number, ``h = 32``, or divides by, as in ``z / T``,
        where they stand alone."""
        mine = self.parsed[entry]
        if mine.seen is None:
            return {}
        alone = {name for name, counts in mine.seen.counted.items() if counts == {0}}
        alone -= mine.parameters | mine.seen.bound
        alone = {name for name in alone if not names.is_size_name(name)}
        alone -= {"Q", "K", "V"} if mine.seen.attends else set()
        found = {*self.nearest(entry, sorted(alone), "constants", within=0)}
        found |= alone & self.letters.divisors(entry)
        found -= mine.arrays | mine.seen.transposed.keys()
        return dict.fromkeys(sorted(found), Shape(()))

    def _of_others(self, entry: Entry, nearest: Mapping[str, Entry]) -> list[str]:
        """What goes with others than these: where a section declares a W_1 of its own, the W_2 that
        a section beside it declares goes with the W_1 there."""
        mine = self.parsed[entry].shapes.keys()
        near = {name for name, other in nearest.items() if self.distance(entry, other)[0] == 0}
        own = {base for name in near | mine if (base := numbered_base(name))}
        return [
            name
            for name, other in nearest.items()
            if numbered_base(name) in own and entry.section[: len(other.section)] != other.section
        ]

    def _functions(self, entry: Entry) -> dict[str, Equation]:
        """The functions that a formula mentions, as the nearest notes define them."""
        mine = self.parsed[entry]
        wanted = mine.mentioned - mine.functions
        if not wanted:
            return {}
        found = self.nearest(entry, sorted(wanted), "functions", within=2)
        out: dict[str, Equation] = {}
        for name, others in found.items():
            for other in others:
                equation = self.function(other, name)
                if equation is None or self._is_variant(entry, name, other, equation):
                    continue
                if names.is_any_function(name) and self._multiplies(entry, name, other):
                    continue
                if softmax.is_defined(equation) or is_turned(mine, self.parsed[other], equation):
                    break
                if equation.parameters or self._only_here(name, other, equation):
                    out[name] = equation
                    break
        return out

    def _multiplies(self, entry: Entry, name: str, other: Entry) -> bool:
        """Whether a letter that another section defines as a function is a factor in this one: the
        η of ``\\eta (g + \\lambda \\theta)`` beside ``\\eta g``, whatever a schedule η(t) is."""
        if self.distance(entry, other)[0] == 0:
            return False
        here = (one for place, one in self.parsed.items() if self.distance(entry, place)[0] == 0)
        return any(name in one.mentioned - one.called for one in here)

    def _is_variant(self, entry: Entry, name: str, other: Entry, equation: Equation) -> bool:
        """Whether another section defines a softmax with more to it, such as a temperature, which
        is not meant wherever the note says softmax."""
        elsewhere = softmax.is_softmax(name) and self.distance(entry, other)[0] > 0
        return elsewhere and any(one.name not in equation.parameters for one in equation.inputs)

    def _only_here(self, name: str, other: Entry, equation: Equation) -> bool:
        """Whether a function whose right-hand side does not name its parameters is the note's own:
        of ``MultiHead(X) = Concat(head_1, …) W`` the field knows more, unless the note says what
        the heads are, or leaves out the W."""
        usual = self.base.field.get(name.replace("_", "").lower())
        if usual is None or usual.unused or isinstance(equation.value.body, Ref):
            return True
        made_of = [one.name for one in equation.inputs]
        return bool(equation.definitions or self.nearest(other, made_of, "arrays", within=1))

    def function(self, entry: Entry, name: str = "") -> Equation | None:
        """The equation of a formula that defines a function; None while it is being typed. With a
        ``name`` that of one which is defined beside the formula's own: the φ of
        ``f(x) = W \\phi(x), \\quad \\phi(u) = …``."""
        if entry in self.busy:
            return None
        if entry not in self.functions:
            if len(self.busy) == MAX_CHAIN:
                return None
            self.busy.append(entry)
            linked = self.typed(entry)
            self.busy.pop()
            self.functions[entry] = linked.together[0][0] if linked.together else linked.own
        equation = self.functions[entry].equation
        beside = self.parsed[entry].places.get(name)
        if equation is None or beside is None or equation.name == name:
            return equation
        return self._meaning(entry.latex[beside.start : beside.end], self.scope(entry)).equation

    def indexed(self, entry: Entry, other: Entry, name: str) -> Indexed | None:
        """The indices that a definition gives a name, as a formula uses it: those that are not
        written do not count where the formula has them not at hand."""
        mine, theirs = self.parsed[entry].seen, self.parsed[other]
        whole = mine is not None and mine.written.get(name) == {0}
        return (theirs.unindexed if whole else {}).get(name) or theirs.indexed.get(name)

    def same_indices(self, entry: Entry, arrays: Iterable[str]) -> dict[str, Entry]:
        """For each of some arrays the formula of the note that defines it, where it has as many
        indices there as in this formula; in another section they must be the same letters."""
        mine = self.parsed[entry]
        assert mine.seen is not None and mine.tree is not None
        found: dict[str, Entry] = {}
        for name, others in self.nearest(entry, sorted(arrays), "arrays", within=1).items():
            indexed = self.indexed(entry, others[0], name)
            if name in self.parsed[others[0]].updates:
                continue
            if indexed is None or mine.seen.written.get(name) != {indexed.written}:
                continue
            near = self.distance(entry, others[0])[0] == 0
            if near or letters_on(name, mine.tree, mine.seen) == indexed.every:
                found[name] = others[0]
        return found

    def _definitions(self, entry: Entry, within: int) -> tuple[Entry, ...]:
        """The formulas of the note, or of the section, that define arrays which this one refers
        to, in order."""
        needed: dict[Entry, None] = {}
        pending = [entry]
        while pending:
            current = pending.pop()
            mine = self.parsed[current]
            # What the formula itself defines is that, and nothing that another calls so.
            free = mine.mentioned - mine.arrays - mine.parameters - self.parsed[entry].arrays
            free -= mine.called & functions.GREEK_FUNCTIONS.keys()  # σ(x) is no deviation times x
            free -= self._axes(current)  # the m of Q ∈ ℝ^{n×m} is its size, though m = d / h
            # The h_N of one formula is the last state of the recursion h_l of another.
            states = self.states.get(entry.note, set()) - mine.arrays
            free |= {name for name in map(family, mine.mentioned) if name in states}
            for name, others in self.nearest(current, free, "arrays", within).items():
                other = others[0]
                if self._is_of_tokens(name, other, mine) or self._is_given(name, entry, other):
                    continue
                if self._is_another_of_many(name, current, other):
                    continue
                if other is not entry and other not in needed:
                    needed[other] = None
                    pending.append(other)
        for other in self._other_halves(entry):
            needed[other] = None
        return tuple(sorted(needed, key=lambda e: e.order))

    def _axes(self, entry: Entry) -> set[str]:
        """The names of the axes that are declared of what a formula names."""
        named = self.parsed[entry].mentioned
        shapes = self._shapes(entry).items()
        mine = (shape for name, shape in shapes if named & {name, family(name)})
        return {str(axis) for shape in mine for axis in shape.axes}

    def _is_given(self, name: str, entry: Entry, other: Entry) -> bool:
        """Whether the X of ``Q = X W`` is the one that ``Attention(X) = …`` is given, whatever X
        is elsewhere; the ``Q_i = Q W_i`` of each head is made of the Q that is given."""
        indexed = self.parsed[other].indexed.get(name)
        return name in self.parsed[entry].parameters and (indexed is None or not indexed.written)

    def _is_of_tokens(self, name: str, other: Entry, mine: Parsed) -> bool:
        """Whether the ``K_t = W c_t`` of each token is no ``K_i`` of a head."""
        of_heads, of_these = mine.indexed.get("head"), self.parsed[other].indexed.get(name)
        if of_heads is None or of_these is None or name not in ("Q", "K", "V"):
            return False
        return bool(of_these.letters) and of_these.letters != of_heads.letters

    def _is_another_of_many(self, name: str, entry: Entry, other: Entry) -> bool:
        """Whether the slope m of ``b_{ij} = m (j - i)`` is none of the m_j that a section behind
        it defines."""
        mine, indexed = self.parsed[entry].seen, self.parsed[other].indexed.get(name)
        if mine is None or indexed is None or not indexed.written:
            return False
        behind = other.section != entry.section and other.order > entry.order
        return behind and mine.written.get(name) == {0}

    def _other_halves(self, entry: Entry) -> list[Entry]:
        """The formulas that define the odd columns where this one defines the even ones."""
        mine = self.parsed[entry].halves
        missing = {(name, 1 - half) for name, half in mine} - mine
        found = self.nearest(entry, sorted(name for name, _ in missing), "halves", within=1)
        others = (
            next(
                (
                    other
                    for other in found.get(name, ())
                    if (name, half) in self.parsed[other].halves
                ),
                None,
            )
            for name, half in sorted(missing)
        )
        return [other for other in others if other is not None]
