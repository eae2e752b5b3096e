"""Drafts of the parts of a package, and which of them each is built from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.heads_defined import heads_of
from notes2code.components.library import Component, Library, plain
from notes2code.components.masks_told import hides, words_of_masks
from notes2code.components.naming import FIRST_WORD, telling
from notes2code.components.own_sizes import textbook
from notes2code.components.parts import Source
from notes2code.components.recognise import Recognised
from notes2code.components.settings import of_each_head
from notes2code.components.unnamed import unnamed
from notes2code.meaning.names import is_norm


@dataclass(eq=False)
class Draft:
    """A part that is to be: its component, and the formula it computes, of which ``compiled`` is
    the note's, None for the textbook's. ``members`` are all formulas of the notes that it stands
    for, ``pieces`` those that state a piece of it. ``is_reread`` says whether its formula calls
    others than it did in its note."""

    component: Component
    recognised: Recognised
    compiled: Compiled | None
    sources: list[Source]
    pieces: list[Recognised] = field(default_factory=list)
    members: list[Compiled] = field(default_factory=list)
    is_reread: bool = False


class Drafts:
    """The drafts of a package, and what they are to each other."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.library: Library = compiler.library
        self.drafts: list[Draft] = []

    def __iter__(self) -> Iterator[Draft]:
        return iter(self.drafts)

    def add(self, draft: Draft) -> None:
        """Add a draft, behind all others."""
        self.drafts.append(draft)

    def of(self, component: Component) -> list[Draft]:
        """The drafts of a component: variants of it."""
        return [draft for draft in self.drafts if draft.component is component]

    def usual(self, component: Component) -> Draft:
        """A draft of a component's textbook formula."""
        return Draft(component, textbook(component, self.library), None, [])

    def is_textbook(self, draft: Draft) -> bool:
        """Whether a draft computes what the textbook's formula does, of the textbook's parts."""
        if self.own_heads(draft.compiled) is not None:
            return False
        form, settings = draft.recognised.form, draft.component.settings.values()
        usual = self.usual(draft.component)
        expected, shown = telling(usual.recognised), telling(draft.recognised)
        # What a softmax is taken over has no place of its own in a formula.
        told = [s.name for s in settings if form.has(s) or s.kind == "condition"]
        if any(shown[name] != expected[name] for name in told):
            return False
        if not form.partial and form.part != usual.recognised.form.part:
            return False
        theirs = self._called(usual)
        return all(theirs.get(role, name) == name for role, name in self._called(draft).items())

    def own_heads(self, compiled: Compiled | None) -> Draft | None:
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
        return None if self.is_textbook(found) else found

    def others_called(self, draft: Draft, usual: Draft) -> list[str]:
        """The first words of the classes that a variant calls and the usual one does not; what its
        norms are tells less than what else it calls."""
        mine, theirs = self._called(draft), self._called(usual)
        others = [name for role, name in mine.items() if theirs.get(role) != name]
        heads = self.own_heads(draft.compiled)
        if heads is not None:
            masks = "".join(words_of_masks(heads.recognised.settings))
            others.append(masks or heads.component.class_name)
        told = [name for name in others if not is_norm(name)] or others
        return [first[0] for name in told if (first := FIRST_WORD.match(name))]

    def _called(self, draft: Draft) -> dict[str, str]:
        """The usual names of the classes that a draft's formula calls, by role; what its caller
        gives it is none of them."""
        called: dict[str, str] = {}
        for role, function in draft.recognised.functions.items():
            if not draft.component.roles.get(role):
                continue
            callee = self.callee(draft.compiled, function) if draft.compiled else ""
            if isinstance(callee, Compiled) and callee.recognised is not None:
                called[role] = callee.recognised.component.class_name
            elif (known := self.library.kinds.get(plain(function))) is not None:
                called[role] = self.library.components[known].class_name
        return called

    def used(self, draft: Draft, function: str) -> Draft | None:
        """The draft of a function that a draft's formula calls."""
        if draft.compiled is not None:
            callee = self.callee(draft.compiled, function)
            if isinstance(callee, Compiled):
                others = (d for d in self.drafts if d is not draft)  # none is built from itself
                return next((d for d in others if callee in d.members), None)
        known = self.library.kinds.get(plain(function))
        if known is None:
            return self._of_array(draft, function)
        component = self.library.components[known]
        drafts = [d for d in self.of(component) if not self._hides_unnamed(d)]
        if draft.compiled is None:
            drafts = [d for d in drafts if self._fits(draft, d)]
        usual = [d for d in drafts if self.is_textbook(d)]
        unnamed = [d for d in drafts if d.compiled is None or not _defines_function(d.compiled)]
        if draft.compiled is None and (only := self._only(draft, function, drafts)) is not None:
            return only
        return next(iter([*usual, *unnamed]), None) or self.new(component)

    def _hides_unnamed(self, draft: Draft) -> bool:
        """Whether heads with a mask of their own are given no name, ``o_{t,i} = …``, or are joined
        so: what others call by a name, without a mask, is the textbook's."""
        if draft.compiled is None or _defines_function(draft.compiled):
            return False
        heads = self.own_heads(draft.compiled) or draft
        return not draft.component.causal and hides(heads.recognised.settings)

    def _only(self, draft: Draft, function: str, drafts: Sequence[Draft]) -> Draft | None:
        """What a part that is only named is built from where the notes define one such: of the
        textbook's component, else of the kinds of layers that could stand there."""
        found = [d for d in drafts if d.compiled is not None]
        if not found:
            functions = draft.recognised.functions
            role = next(role for role, name in functions.items() if name == function)
            found = [d for d in self.defined_for(draft, role) if self._fits(draft, d)]
        return found[0] if len(found) == 1 else None

    def _fits(self, whole: Draft, layer: Draft) -> bool:
        """Whether a layer can be that of a model: it hides from a position what comes later where
        the model has to, and its attention has weights, without which it cannot have heads."""
        if whole.component.family != "models" or "Mix" not in layer.component.roles:
            return True
        hides = layer.component.causal or layer.recognised.calls_causal
        used = (self.used(layer, function) for function in layer.recognised.functions.values())
        parts = [draft.component for draft in used if draft is not None]
        learns = all(part.names for part in parts if part.family == "attention")
        return learns and bool(hides or not whole.component.causal)

    def defining(self, draft: Draft, role: str) -> Draft | None:
        """The draft of the formula that defines the array in a role, such as positions."""
        if draft.compiled is None or role not in draft.recognised.found.roles:
            return None
        found = self._of_array(draft, draft.recognised.found.roles[role].array)
        kinds = draft.component.roles[role]
        return found if found is not None and found.component.name in kinds else None

    def added(self, draft: Draft) -> Draft | None:
        """The draft of what an attention adds to the scores of each head by where queries and keys
        stand: ALiBi's B, or that of relative positions."""
        mask = draft.recognised.settings.get("mask")
        if draft.component.family != "attention" or mask is None:
            return None
        array = of_each_head(mask.body)
        found = self._of_array(draft, array) if array else None
        return found if found is not None and found.component.family == "positions" else None

    def _of_array(self, draft: Draft, array: str) -> Draft | None:
        """The draft of the formula that defines an array which a draft's formula has."""
        if draft.compiled is None:
            return None
        formulas = self.compiler.linker.formulas
        found = formulas.nearest(draft.compiled.entry, [array], "arrays", within=2)
        members = {self.compiler.compiled(entry) for entry in found.get(array, ())}
        return next((d for d in self.drafts if not members.isdisjoint(d.members)), None)

    def callee(self, compiled: Compiled, function: str) -> Compiled | str:
        """The formula that defines a function which a formula calls; its name if none does."""
        other = self._defined(compiled, function)
        return plain(function) if other is None or other.recognised is None else other

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

    def defined_for(self, draft: Draft, role: str) -> list[Draft]:
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

    def new(self, component: Component) -> Draft:
        """A part that the notes do not mention, but that something they mention is built from."""
        draft = Draft(component, textbook(component, self.library), None, [])
        self.drafts.append(draft)
        return draft

    def meant(self, drafts: Sequence[Draft], source: Source) -> Draft:
        """The draft that a place in a note speaks of: its note's, the usual one, or the first."""
        here = [d for d in drafts if any(s.note == source.note for s in d.sources)]
        usual = [d for d in here or drafts if self.is_textbook(d)]
        return (usual or here or drafts)[0]


def _defines_function(compiled: Compiled) -> bool:
    """Whether a formula gives what it computes the name of a function, which only calls of that
    name mean."""
    return compiled.equation is not None and bool(compiled.equation.parameters)
