"""Which classes and functions a vault becomes: parts, what each is built from, and their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from notes2code.components.compiling import Compiled, Compiler
from notes2code.components.heads_defined import heads_of
from notes2code.components.library import Component, Form, Library, plain
from notes2code.components.masks_told import hides, words_of_masks
from notes2code.components.mentions import Mention
from notes2code.components.naming import (
    FIRST_WORD,
    agrees,
    biases,
    class_name,
    telling,
    variant_name,
)
from notes2code.components.own_sizes import textbook
from notes2code.components.recognise import HEADS, Recognised, kind
from notes2code.components.reread import reread
from notes2code.components.settings import of_each_head
from notes2code.components.unnamed import unnamed

ADDED = "Added"
"""The role of what an attention adds to the scores of its heads."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a part comes from: the note, the line, and the formula, "" where it is only named; the
    numbers that the formulas of its section say, such as ``c = 50``; and the lines in which its
    note ties the way out of a model to its embeddings, puts a norm before it, gives it a matrix of
    its own, and says that positions are learned and embeddings multiplied by a root, 0 for none."""

    note: str
    line: int
    latex: str
    title: str = ""
    numbers: tuple[tuple[str, float], ...] = ()
    tied: int = 0
    normed: int = 0
    untied: int = 0
    learned: int = 0
    scaled: int = 0


@dataclass(frozen=True, eq=False)
class Part:
    """A class or function of the package.

    ``recognised`` is the formula it computes: the note's, or the textbook's where the notes only
    mention the component. ``pieces`` are formulas of the notes that state a piece of it.
    ``uses`` gives the parts it is built from, by role or by component, and ``spelt`` the formulas
    of the notes that it calls there, which may be others than the parts are made from: the same
    in other letters. ``sources`` are the places in the notes, the main one first; there are none
    for what only other parts need. ``stated`` are the formulas of the notes that the main one is
    read with, and it too where it goes on from them, ``refused`` says why no class can be written
    for it, ``doubt`` what it is built from that the notes may not mean.
    """

    component: Component
    name: str
    recognised: Recognised
    sources: tuple[Source, ...] = ()
    pieces: tuple[Recognised, ...] = ()
    uses: Mapping[str, Part] = field(default_factory=dict)
    spelt: Mapping[str, Recognised] = field(default_factory=dict)
    stated: tuple[str, ...] = ()
    refused: str = ""
    doubt: str = ""

    @property
    def from_notes(self) -> bool:
        """Whether a note gives its formula, and does not only mention it."""
        return any(source.latex for source in self.sources)


@dataclass(frozen=True)
class Plan:
    """The parts of a package, each after those it uses; ``owners`` are the formulas' parts."""

    parts: tuple[Part, ...]
    owners: Mapping[Compiled, Part]


@dataclass(eq=False)
class _Draft:
    component: Component
    recognised: Recognised
    compiled: Compiled | None
    sources: list[Source]
    pieces: list[Recognised] = field(default_factory=list)
    members: list[Compiled] = field(default_factory=list)
    is_reread: bool = False


def plan(
    formulas: Sequence[tuple[Compiled, Source]],
    mentioned: Sequence[tuple[Mention, Source]],
    compiler: Compiler,
) -> Plan:
    """The package that formulas and mentions make."""
    return _Planner(compiler).plan(formulas, mentioned)


class _Planner:
    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.library: Library = compiler.library
        self.drafts: list[_Draft] = []

    def plan(
        self,
        formulas: Sequence[tuple[Compiled, Source]],
        mentioned: Sequence[tuple[Mention, Source]],
    ) -> Plan:
        whole = [(c, s) for c, s in formulas if c.recognised and not c.recognised.form.partial]
        pieces = [(c, s) for c, s in formulas if c.recognised and c.recognised.form.partial]
        for compiled, source in whole:
            self._add_whole(compiled, source)
        for compiled, source in pieces:
            self._add_piece(compiled, source)
        for mention, source in mentioned:
            self._add_mention(mention, source)
        self._add_stacks()
        self._complete()
        names = _names(self.drafts, self._is_textbook, self._others_called, self._usual)
        parts: dict[int, Part] = {}
        for draft in self.drafts:
            self._build(draft, names, parts)
        owners = {member: parts[id(draft)] for draft in self.drafts for member in draft.members}
        return Plan(tuple(parts.values()), owners)

    # --- gathering -----------------------------------------------------------------------

    def _add_whole(self, compiled: Compiled, source: Source) -> None:
        """A formula of a whole component joins the draft with the same settings, if there is
        one, and takes its place if it says more."""
        recognised = compiled.recognised
        assert recognised is not None
        for draft in self._of(recognised.component):
            if self._same(draft, compiled):
                if _says(recognised) > _says(draft.recognised):
                    draft.recognised, draft.compiled = recognised, compiled
                    draft.sources.insert(0, source)
                else:
                    draft.sources.append(source)
                draft.members.append(compiled)
                return
        self.drafts.append(
            _Draft(recognised.component, recognised, compiled, [source], members=[compiled])
        )

    def _same(self, draft: _Draft, compiled: Compiled) -> bool:
        assert compiled.recognised is not None
        mine, theirs = draft.recognised, compiled.recognised
        if mine.form.part != theirs.form.part or draft.compiled is None:
            return False
        if telling(mine) != telling(theirs) or biases(mine) != biases(theirs):
            return False
        # A model with positions or a way out of its own is another one than one without.
        if (
            mine.component.family == "models"
            and mine.found.roles.keys() != theirs.found.roles.keys()
        ):
            return False
        return self._built_from(draft.compiled, mine) == self._built_from(compiled, theirs)

    def _built_from(self, compiled: Compiled, recognised: Recognised) -> set[Compiled | str]:
        """The parts that a class is built from; what its caller gives it is none of them."""
        roles = recognised.component.roles
        given = (name for role, name in recognised.functions.items() if roles.get(role))
        return {self._callee(compiled, name) for name in given}

    def _add_piece(self, compiled: Compiled, source: Source) -> None:
        """A formula of a piece belongs to a draft of its component that agrees with it: to one of
        its note, to the usual one, or to the first."""
        recognised = compiled.recognised
        assert recognised is not None
        if _is_of_each_head(recognised):
            for draft in self.drafts:
                if draft.compiled is not None and compiled.entry in draft.compiled.uses:
                    draft.members.append(compiled)  # all heads together say it, too
                    return
        drafts = [d for d in self._of(recognised.component) if agrees(recognised, d.recognised)]
        heads = self._own_heads(compiled)
        if drafts := [d for d in drafts if self._own_heads(d.compiled) is heads]:
            draft = self._meant(drafts, source)
            draft.sources.append(source)
            draft.pieces.append(recognised)
            draft.members.append(compiled)
            return
        self.drafts.append(
            _Draft(recognised.component, recognised, compiled, [source], members=[compiled])
        )

    def _add_mention(self, mention: Mention, source: Source) -> None:
        """A mention speaks of the variant that its note defines, else of the usual one. A name that
        formulas of other kinds have, too, is theirs where there is no other, and so is one that the
        note gives such a formula."""
        component = mention.component
        if drafts := self._of(component):
            self._meant(drafts, source).sources.append(source)
        elif not any(
            kind(draft.recognised) in mention.others or _is_called_so(draft, component, source)
            for draft in self.drafts
        ):
            said = {"final_norm": source.normed, "own_head": source.untied}
            part = " ".join(kind for kind, line in said.items() if line)
            written = textbook(component, self.library, part if part in component.textbooks else "")
            self.drafts.append(_Draft(component, written, None, [source]))

    def _add_stacks(self) -> None:
        """A layer that is written from one state to the next, ``z_l = … z_{l-1} …``, stands for a
        stack of it, where no note says what that is."""
        for draft in list(self.drafts):
            stack = self.library.components.get(draft.component.stack)
            if stack is None or draft.compiled is None or self._of(stack):
                continue
            read = (draft.compiled.entry, *draft.compiled.uses)
            if any(self.compiler.linker.formulas.parsed[entry].states for entry in read):
                named = [replace(source, latex="") for source in draft.sources]
                self.drafts.append(_Draft(stack, textbook(stack, self.library), None, named))

    def _meant(self, drafts: Sequence[_Draft], source: Source) -> _Draft:
        """The draft that a place in a note speaks of: its note's, the usual one, or the first."""
        here = [d for d in drafts if any(s.note == source.note for s in d.sources)]
        usual = [d for d in here or drafts if self._is_textbook(d)]
        return (usual or here or drafts)[0]

    def _of(self, component: Component) -> list[_Draft]:
        return [draft for draft in self.drafts if draft.component is component]

    def _usual(self, component: Component) -> _Draft:
        """A draft of a component's textbook formula."""
        return _Draft(component, textbook(component, self.library), None, [])

    def _is_textbook(self, draft: _Draft) -> bool:
        if self._own_heads(draft.compiled) is not None:
            return False
        form, settings = draft.recognised.form, draft.component.settings.values()
        usual = self._usual(draft.component)
        expected, shown = telling(usual.recognised), telling(draft.recognised)
        # What a softmax is taken over has no place of its own in a formula.
        told = [s.name for s in settings if form.has(s) or s.kind == "condition"]
        if any(shown[name] != expected[name] for name in told):
            return False
        if not form.partial and form.part != usual.recognised.form.part:
            return False
        theirs = self._called(usual)
        return all(theirs.get(role, name) == name for role, name in self._called(draft).items())

    # --- building ------------------------------------------------------------------------

    def _complete(self) -> None:
        """Add what the drafts are built from and no note gives, before anything gets a name."""
        for draft in self.drafts:  # it grows
            for function in draft.recognised.functions.values():
                self._used(draft, function)
            for name in draft.component.builds_on:
                component = self.library.components[name]
                if not self._of(component):
                    self._new(component)

    def _build(self, draft: _Draft, names: Mapping[int, str], parts: dict[int, Part]) -> Part:
        """The part of a draft, after those that it uses."""
        if id(draft) in parts:
            return parts[id(draft)]
        uses: dict[str, Part] = {}
        for role, function in draft.recognised.functions.items():
            used = self._used(draft, function)
            if used is not None:
                uses[role] = self._build(used, names, parts)
        for role in draft.component.roles:
            used = self._defining(draft, role)
            if used is not None:
                uses[role] = self._build(used, names, parts)
        if (added := self._added(draft)) is not None:
            uses[ADDED] = self._build(added, names, parts)
        if (heads := self._own_heads(draft.compiled)) is not None:
            uses[HEADS] = self._build(heads, names, parts)
        for name in draft.component.builds_on:
            if not any(part.component.name == name for part in uses.values()):
                other = self._of(self.library.components[name])[0]
                uses[name] = self._build(other, names, parts)
        self._reread(draft, uses)
        part = Part(
            draft.component,
            names[id(draft)],
            draft.recognised,
            tuple(dict.fromkeys(draft.sources)),
            tuple(draft.pieces),
            uses,
            self._spelt(draft),
            self._stated(draft),
            self._refused(draft),
            self._doubt(draft, uses, names),
        )
        parts[id(draft)] = part
        return part

    def _reread(self, draft: _Draft, uses: Mapping[str, Part]) -> None:
        """Let a draft's formula call what its class is built from, where that is not what the
        formula calls: a variant in the place of the textbook's, or what was read again itself."""
        functions = draft.recognised.functions
        others: dict[str, Recognised] = {}
        for role in sorted(uses.keys() & functions.keys()):
            used = self._used(draft, functions[role])
            if used is None:
                continue
            own = draft.compiled is not None and not isinstance(
                self._callee(draft.compiled, functions[role]), str
            )
            if used.is_reread or (not own and self._varies(used)):
                others[role] = used.recognised
        found = others and reread(draft.recognised, draft.compiled, others, self.compiler)
        if found:
            draft.recognised, draft.is_reread = found, True

    def _varies(self, draft: _Draft) -> bool:
        """Whether a draft, or what it is built from, is not what the textbook's formula says."""
        functions = draft.recognised.functions.values()
        used = filter(None, (self._used(draft, function) for function in functions))
        usual = textbook(draft.component, self.library)
        others = telling(draft.recognised) != telling(usual) or not self._is_textbook(draft)
        return others or _is_spelt_otherwise(draft, usual) or any(map(self._varies, used))

    def _stated(self, draft: _Draft) -> tuple[str, ...]:
        """The formulas that say what a draft's formula refers to and leaves open: the arrays that
        it was linked with, and the functions that are pieces of the same component."""
        if draft.compiled is None:
            return ()
        entry, linker = draft.compiled.entry, self.compiler.linker
        found = dict.fromkeys(draft.compiled.uses)
        if (heads := self._own_heads(draft.compiled)) is not None and heads.compiled is not None:
            found[heads.compiled.entry] = None
        for name in sorted(linker.formulas.called(entry)):
            for other in linker.formulas.defining(entry, name, "functions", within=1)[:1]:
                if self.compiler.compiled(other) in draft.members:
                    found[other] = None
        if linker.updates_before(entry):  # the formula has its place behind them
            found[entry] = None
        return tuple(linker.formulas.written_out(other.latex) for other in found)

    def _refused(self, draft: _Draft) -> str:
        """Why a draft would not compute what its formula says: it calls a function that the notes
        define in a way which no component has."""
        if draft.compiled is None:
            return ""
        roles = draft.component.roles
        called = (name for role, name in draft.recognised.functions.items() if roles.get(role))
        for name in called:
            entry = draft.compiled.entry
            defining = self.compiler.linker.formulas.defining(entry, name, "functions", within=2)
            if defining and self.compiler.compiled(defining[0]).recognised is None:
                return f"it calls `{name}`, and no class computes what the notes define as that"
        return ""

    def _doubt(self, draft: _Draft, uses: Mapping[str, Part], names: Mapping[int, str]) -> str:
        """What a draft is built from that no note speaks of, where notes define something else
        that could stand there: another layer, or other heads."""
        others = {
            part: self._defined_for(draft, role)
            for role, part in uses.items()
            if not part.sources and part.component.family == "layers"
        }
        if draft.compiled is None:  # a formula tells what it calls itself
            heads = [d for d in self.drafts if d.compiled is not None and "O" in d.component.names]
            mine = [part for part in below(uses) if "O" in part.component.names]
            others |= {part: heads for part in mine if not any(one.sources for one in mine)}
        for part, found in others.items():
            listed = (f"{names[id(d)]} ({d.sources[0].note}:{d.sources[0].line})" for d in found)
            if apart := " or ".join(listed):
                return f"it is built from the textbook's {part.name}, not from {apart}"
        return ""

    def _defined_for(self, draft: _Draft, role: str) -> list[_Draft]:
        """The layers of all kinds that could stand in a role, as far as notes define them."""
        kinds = {one.partition(":")[0] for one in draft.component.roles.get(role, ())}
        return [
            other
            for other in self.drafts
            if other.component.name in kinds
            and other.component.family == "layers"
            and other.compiled is not None
            and other is not draft
        ]

    def _spelt(self, draft: _Draft) -> dict[str, Recognised]:
        """The formulas that a draft's formula calls, by role."""
        if draft.compiled is None:
            return {}
        callees = {
            role: self._callee(draft.compiled, name)
            for role, name in draft.recognised.functions.items()
        }
        return {
            role: callee.recognised
            for role, callee in callees.items()
            if isinstance(callee, Compiled) and callee.recognised is not None
        }

    def _defined(self, compiled: Compiled, function: str) -> Compiled | None:
        """The nearest formula that defines a function which a formula calls, or one that it is
        read with, if one does."""
        linker, mine = self.compiler.linker, (compiled.entry, *compiled.uses)
        calling = next((one for one in mine if function in linker.formulas.called(one)), mine[0])
        found = linker.nearest_functions(calling, [function]).get(function, [])
        if not found and (other := unnamed(self.compiler, calling, function)) is not None:
            found = [other[0]]
        near = map(self.compiler.compiled, found)
        return next((one for one in near if one.status in ("component", "formula")), None)

    def _new(self, component: Component) -> _Draft:
        """A part that the notes do not mention, but that something they mention is built from."""
        draft = _Draft(component, textbook(component, self.library), None, [])
        self.drafts.append(draft)
        return draft

    def _others_called(self, draft: _Draft, usual: _Draft) -> list[str]:
        """The first words of the classes that a variant calls and the usual one does not."""
        mine, theirs = self._called(draft), self._called(usual)
        others = [name for role, name in mine.items() if theirs.get(role) != name]
        heads = self._own_heads(draft.compiled)
        if heads is not None:
            masks = "".join(words_of_masks(heads.recognised.settings))
            others.append(masks or heads.component.class_name)
        return [first[0] for name in others if (first := FIRST_WORD.match(name))]

    def _called(self, draft: _Draft) -> dict[str, str]:
        """The usual names of the classes that a draft's formula calls, by role."""
        called: dict[str, str] = {}
        for role, function in draft.recognised.functions.items():
            callee = self._callee(draft.compiled, function) if draft.compiled else ""
            if isinstance(callee, Compiled) and callee.recognised is not None:
                called[role] = callee.recognised.component.class_name
            elif (known := self.library.kinds.get(plain(function))) is not None:
                called[role] = self.library.components[known].class_name
        return called

    def _used(self, draft: _Draft, function: str) -> _Draft | None:
        """The draft of a function that a draft's formula calls."""
        if draft.compiled is not None:
            callee = self._callee(draft.compiled, function)
            if isinstance(callee, Compiled):
                return next((d for d in self.drafts if callee in d.members), None)
        known = self.library.kinds.get(plain(function))
        if known is None:
            return self._of_array(draft, function)
        component = self.library.components[known]
        drafts = [d for d in self._of(component) if not self._hides_unnamed(d)]
        if draft.compiled is None:
            drafts = [d for d in drafts if self._fits(draft, d)]
        usual = [d for d in drafts if self._is_textbook(d)]
        unnamed = [d for d in drafts if d.compiled is None or not _defines_function(d.compiled)]
        if draft.compiled is None and (only := self._only(draft, function, drafts)) is not None:
            return only
        return next(iter([*usual, *unnamed]), None) or self._new(component)

    def _hides_unnamed(self, draft: _Draft) -> bool:
        """Whether heads with a mask of their own are given no name, ``o_{t,i} = …``, or are joined
        so: what others call by a name, without a mask, is the textbook's."""
        if draft.compiled is None or _defines_function(draft.compiled):
            return False
        heads = self._own_heads(draft.compiled) or draft
        return not draft.component.causal and hides(heads.recognised.settings)

    def _only(self, draft: _Draft, function: str, drafts: Sequence[_Draft]) -> _Draft | None:
        """What a part that is only named is built from where the notes define one such: of the
        textbook's component, else of the kinds of layers that could stand there."""
        found = [d for d in drafts if d.compiled is not None]
        if not found:
            functions = draft.recognised.functions
            role = next(role for role, name in functions.items() if name == function)
            found = [d for d in self._defined_for(draft, role) if self._fits(draft, d)]
        return found[0] if len(found) == 1 else None

    def _fits(self, whole: _Draft, layer: _Draft) -> bool:
        """Whether a layer can be that of a model: it hides from a position what comes later where
        the model has to, and its attention has weights, without which it cannot have heads."""
        if whole.component.family != "models" or "Mix" not in layer.component.roles:
            return True
        hides = layer.component.causal or layer.recognised.calls_causal
        used = (self._used(layer, function) for function in layer.recognised.functions.values())
        parts = [draft.component for draft in used if draft is not None]
        learns = all(part.names for part in parts if part.family == "attention")
        return learns and bool(hides or not whole.component.causal)

    def _defining(self, draft: _Draft, role: str) -> _Draft | None:
        """The draft of the formula that defines the array in a role, such as positions."""
        if draft.compiled is None or role not in draft.recognised.found.roles:
            return None
        found = self._of_array(draft, draft.recognised.found.roles[role].array)
        kinds = draft.component.roles[role]
        return found if found is not None and found.component.name in kinds else None

    def _added(self, draft: _Draft) -> _Draft | None:
        """The draft of what an attention adds to the scores of each head by where queries and keys
        stand: ALiBi's B, or that of relative positions."""
        mask = draft.recognised.settings.get("mask")
        if draft.component.family != "attention" or mask is None:
            return None
        array = of_each_head(mask.body)
        found = self._of_array(draft, array) if array else None
        return found if found is not None and found.component.family == "positions" else None

    def _own_heads(self, compiled: Compiled | None) -> _Draft | None:
        """The draft of the heads that a formula joins, where they are not the textbook's: such as
        heads with a mask."""
        if compiled is None or compiled.recognised is None:
            return None
        joined = compiled.recognised
        entry = heads_of(self.compiler, joined, compiled.entry)
        heads = entry and self.compiler.compiled(entry)
        found = next((d for d in self.drafts if heads in d.members), None)
        if found is None or found.component.name not in joined.component.uses:
            return found
        return None if self._is_textbook(found) else found

    def _of_array(self, draft: _Draft, array: str) -> _Draft | None:
        """The draft of the formula that defines an array which a draft's formula has."""
        if draft.compiled is None:
            return None
        formulas = self.compiler.linker.formulas
        found = formulas.nearest(draft.compiled.entry, [array], "arrays", within=2)
        members = {self.compiler.compiled(entry) for entry in found.get(array, ())}
        return next((d for d in self.drafts if not members.isdisjoint(d.members)), None)

    def _callee(self, compiled: Compiled, function: str) -> Compiled | str:
        """The formula that defines a function which a formula calls; its name if none does."""
        other = self._defined(compiled, function)
        return plain(function) if other is None or other.recognised is None else other


def _is_called_so(draft: _Draft, component: Component, source: Source) -> bool:
    """Whether a formula of a note has the name of a component, whatever it is: the heads that are
    joined in ``SelfAttention(x) = …``."""
    here = any(one.note == source.note and one.latex for one in draft.sources)
    return here and plain(draft.recognised.equation.name) in map(plain, component.calls)


def below(uses: Mapping[str, Part]) -> Iterator[Part]:
    """All parts that something is built from."""
    for part in uses.values():
        yield part
        yield from below(part.uses)


def _is_of_each_head(recognised: Recognised) -> bool:
    """Whether a formula has an axis for heads that its component has not: ``A_h = softmax(Q_h
    K_h^⊤)``. A query that is one of several has a place for each, and is in no matrix."""
    form, roles = recognised.form.equation, recognised.found.roles
    if len(recognised.equation.value.indices) != len(form.value.indices) + 1:
        return False
    ranks = {given.name: len(given.shape) for given in form.inputs if len(given.shape) > 1}
    return any(len(role.axes) > ranks[name] for name, role in roles.items() if name in ranks)


def _is_spelt_otherwise(draft: _Draft, usual: Recognised) -> bool:
    """Whether a formula has other letters than the textbook's for its weights, or has them turned,
    or calls functions with others: norms that share their ε."""
    mine, theirs = draft.recognised.found.roles, usual.found.roles
    shared = draft.component.names.keys() & mine.keys() & theirs.keys()
    return _handed_on(draft.recognised) != _handed_on(usual) or any(
        (mine[role].array, mine[role].axes) != (theirs[role].array, theirs[role].axes)
        for role in shared
    )


def _handed_on(recognised: Recognised) -> set[str]:
    """The inputs of a formula that only functions it calls are given."""
    own = {bound.array for bound in recognised.found.roles.values()}
    return {given.name for given in recognised.equation.inputs} - own


def _defines_function(compiled: Compiled) -> bool:
    """Whether a formula gives what it computes the name of a function, which only calls of that
    name mean."""
    return compiled.equation is not None and bool(compiled.equation.parameters)


def _says(recognised: Recognised) -> tuple[int, int]:
    """How much a formula says of its component: one with the same weights for all says more than
    one for each head i, and one with more inputs, such as queries and keys apart, than one with
    fewer."""
    roles = recognised.found.roles
    weights = (roles[role] for role in recognised.component.names if role in roles)
    return -sum(len(weight.outer) for weight in weights), len(roles)


# --- names ------------------------------------------------------------------------------------


def _names(
    drafts: Iterable[_Draft],
    is_textbook: Callable[[_Draft], bool],
    others_called: Callable[[_Draft, _Draft], list[str]],
    textbook: Callable[[Component], _Draft],
) -> dict[int, str]:
    """Names for the drafts: the component's for the usual or the only one, telling ones for
    variants."""
    names: dict[int, str] = {}
    groups: dict[str, list[_Draft]] = {}
    for draft in drafts:
        name = class_name(draft.recognised, draft.compiled is not None)
        groups.setdefault(name, []).append(draft)
    taken: set[str] = set()
    for own, group in groups.items():
        group.sort(key=lambda d: (not is_textbook(d), _is_less(d.recognised.form)))
        first = group[0]
        # A model of the notes is not called by what another model would have.
        is_usual = is_textbook(first) or first.component.family == "models"
        usual = first if is_usual else textbook(first.component)
        for draft in group:
            name = own
            if len(group) > 1 and draft is not usual:
                called = others_called(draft, usual)
                titles = [source.title for source in draft.sources if source.title]
                name = variant_name(draft.recognised, usual.recognised, called, titles, taken)
            names[id(draft)] = name
            taken.add(name)
    return names


def _is_less(form: Form) -> tuple[bool, bool]:
    """Whether a form is a piece of its component, and whether it is not the whole formula."""
    return form.partial, form.part != "output"
