"""The components: one folder each, with the formulas it answers to, its settings and templates."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from notes2code.cache import kept
from notes2code.components.normal import normal_form
from notes2code.components.pattern import Pattern, divisors, kinds
from notes2code.meaning import type_formula
from notes2code.meaning.ir import Call, Equation, Lambda, Ref, walk
from notes2code.meaning.scope import Scope, Shape

LIBRARY = Path(__file__).parent / "library"


class ComponentError(Exception):
    """A component's folder is not as it must be; the message names the folder and why."""


@dataclass(frozen=True)
class Setting:
    """What may differ from note to note.

    ``symbol`` is its name in the component's formulas; ``kind`` is ``factor`` (a number that
    multiplies), ``number`` (any number), ``term`` (something added), ``bias`` (a learned vector
    that is added), ``relative`` (an element of an array for a pair of positions), ``distance``
    (one for their distance), ``function`` (around an argument) or ``condition`` (where a softmax is
    taken). ``usual`` are values that deserve no warning, ``unusual`` what the warning says about
    others. ``says`` are the words for some of its values behind the summary of a class, those
    under "" for others. ``classes`` are the names of the component with certain values, such as
    ``GEGLU``. A function that is ``alone`` has no other arrays in it.
    """

    name: str
    symbol: str
    kind: str
    usual: tuple[str, ...] = ()
    unusual: str = ""
    says: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    alone: bool = False


@dataclass(frozen=True)
class Form:
    """One formula that a component answers to.

    ``part`` says which form of the component it is; a ``partial`` one is only a piece of it, such
    as its weights. ``requires`` is ``causal`` where only a causal mask makes it this component,
    or the setting without which it would be another.
    ``names`` restricts the letters that may stand in a role where the formula says too little.
    ``completes`` is the number of the form that also defines what this one leaves to custom.
    ``called`` are names of which one must stand on its left-hand side to make a formula this
    component; any will do where there are none. In ``component.toml``, true stands for the
    component's own: its ``calls``, its ``letters``. ``alone`` are the roles of which there is one
    for all positions, ``defined`` those of arrays that the notes must define as one of the
    components that the role is for, ``of_heads`` those that must be attention with queries, keys
    and values of each head where the notes define them. A ``whole`` one must be the component with
    what the notes define of it, too: ``exp(L)`` of the loss of one text is no perplexity; its
    letters count under any name. ``given``
    are the functions that no note may define, since the component takes them as arguments.
    ``unlike`` are words of headings and of labels that say it is something else.
    """

    latex: str
    equation: Equation
    pattern: Pattern
    part: str
    partial: bool
    requires: str
    names: Mapping[str, tuple[str, ...]]
    completes: int | None
    called: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    defined: tuple[str, ...] = ()
    of_heads: tuple[str, ...] = ()
    whole: bool = False
    given: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Its part where that says what the component is, such as ``single_head``; "" where it
        says how a note writes it."""
        return "" if self.part in _WAYS_OF_WRITING else self.part

    def has(self, setting: Setting) -> bool:
        """Whether the formula has a place for a setting."""
        return any(
            (isinstance(e, Ref) and e.array == setting.symbol)
            or (isinstance(e, Call) and e.function == setting.symbol)
            for e in walk(self.pattern.value.body)
        )


@dataclass(frozen=True, eq=False)
class Textbook:
    """A formula of a component, and where it is from."""

    latex: str
    source: str
    equation: Equation = field(repr=False)


@dataclass(frozen=True, eq=False)
class Component:
    """A component of a Transformer.

    ``name`` is its folder's, ``class_name`` the class or function that it becomes, ``family`` the
    module of the generated package. ``calls`` are the names under which notes call it,
    ``layers_call`` those under which only layers do, of which the field knows other things, too;
    ``unlike`` names in a formula (what it defines, an input) that say it is something else,
    ``of_layers`` whether text that speaks of the norms of batches does, ``learned`` the roles of
    parameters which a note that defines them makes into something else, ``scales`` those of
    what a norm is scaled and shifted by, which may be made of something, ``biases`` those of what
    only some variants add behind a projection, ``uses`` the components whose functions its
    formulas call, ``builds_on`` those that its class needs besides. ``stack`` is the component of
    layers one after another, which a formula of one means where it goes on from
    the layer before. ``causal`` is the role of the sequence in which a position usually sees none
    that come later. ``groups`` is what its class calls the number of groups of heads that share
    keys and values. ``head_sizes`` is how many sizes its class takes, all that of a head, where
    heads can call it. An attention is
    ``normalised`` where a number that is added to all scores of a query changes nothing, as in a
    softmax; one that ``takes_bias`` has scores that something can be added to. ``names`` are the
    usual names of its roles in code, ``numbers`` the roles that its class is made with as numbers,
    and what they are by default. ``textbooks`` are its usual formula, under "", and others by
    the part of their forms, which ``parts`` gives for some of its names in ``mentions``.
    ``summaries`` are what its docstring says in the place of its ``summary`` for formulas of some
    part, ``classes`` what it is called then. ``also`` gives, by its names in ``mentions``, the
    kinds of formulas that have the name, too.
    """

    name: str
    folder: Path
    class_name: str
    family: str
    summary: str
    textbooks: Mapping[str, Textbook]
    calls: tuple[str, ...]
    layers_call: tuple[str, ...]
    unlike: tuple[str, ...]
    of_layers: bool
    learned: tuple[str, ...]
    scales: tuple[str, ...]
    biases: tuple[str, ...]
    uses: tuple[str, ...]
    builds_on: tuple[str, ...]
    stack: str
    causal: str
    groups: str
    head_sizes: int | None
    normalised: bool
    takes_bias: bool
    names: Mapping[str, str]
    numbers: Mapping[str, float]
    mentions: tuple[str, ...]
    parts: Mapping[str, str]
    also: Mapping[str, tuple[str, ...]]
    settings: Mapping[str, Setting]
    roles: Mapping[str, tuple[str, ...]]
    forms: tuple[Form, ...]
    summaries: Mapping[str, str]
    classes: Mapping[str, str]

    @property
    def textbook(self) -> Textbook:
        """Its usual formula."""
        return self.textbooks[""]

    def textbook_of(self, part: str) -> Textbook:
        """The textbook's formula of a part of its forms: the usual one where that has none of its
        own."""
        return self.textbooks.get(part, self.textbook)


class Library:
    """The components in their order, and the functions that the field knows by them."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.components: dict[str, Component] = {}
        self.functions: dict[str, Equation] = {}
        self.kinds: dict[str, str] = {}
        self._possible: dict[frozenset[str], tuple[tuple[Component, Form], ...]] = {}
        waiting = {folder.name: (folder, _read(folder)) for folder in folders}
        while waiting:
            ready = [
                n for n, (_, d) in waiting.items() if not set(d.get("uses", ())) & set(waiting)
            ]
            if not ready:
                raise ComponentError(f"these components use each other: {', '.join(waiting)}")
            for name in ready:
                self.add(_component(*waiting.pop(name), self.functions))
        for component in self.components.values():
            for other in {*component.uses, *component.builds_on} - self.components.keys():
                raise ComponentError(f"{component.folder}: there is no component `{other}`")

    def add(self, component: Component) -> None:
        """Add a component, and the names under which notes call it."""
        self.components[component.name] = component
        for call in component.calls:
            self.functions[plain(call)] = component.textbook.equation
            self.kinds[plain(call)] = component.name
        self.kinds |= {plain(call): component.name for call in component.layers_call}

    def pinned(self, tags: Iterable[str]) -> frozenset[str]:
        """The components that tags name, such as ``attention/additive``; where the last part names
        none, it may be cut short: ``embeddings/token``."""
        return frozenset(name for tag in tags for name in self._tagged(tag))

    def _tagged(self, tag: str) -> list[str]:
        *above, last = tag.split("/")
        found = [c.name for c in self.components.values() if plain(last) in _names(c)]
        whole = plain(last + above[-1].removesuffix("s")) if above else ""
        return found or [name for name in self.components if plain(name) == whole]

    def knows(self, word: str) -> bool:
        """Whether a component is called so, with or without the word attention behind it."""
        names = {plain(word), plain(word) + "attention"}
        return any(not names.isdisjoint(_names(one)) for one in self.components.values())

    @cached_property
    def scope(self) -> Scope:
        """What a formula may assume when no note says otherwise."""
        return Scope(field=self.functions)

    @cached_property
    def defined(self) -> frozenset[str]:
        """The components that notes must define for others that are built from them."""
        pairs = [(c, role) for c in self.components.values() for f in c.forms for role in f.defined]
        return frozenset(kind for c, role in pairs for kind in c.roles[role])

    @cached_property
    def left_open(self) -> frozenset[str]:
        """The letters of what formulas only name and their components compute: μ and σ."""
        open_ = (f for c in self.components.values() for f in c.forms if f.completes is not None)
        return frozenset(letter for f in open_ for among in f.names.values() for letter in among)

    @cached_property
    def forms(self) -> tuple[tuple[Component, Form], ...]:
        """All formulas, those that say most first."""
        pairs = [(c, f) for c in self.components.values() for f in c.forms]
        return tuple(sorted(pairs, key=lambda pair: -_weight(pair[1])))

    @cached_property
    def _needed(self) -> frozenset[str]:
        return frozenset().union(*(form.pattern.needs for _, form in self.forms))

    def possible(self, held: frozenset[str]) -> tuple[tuple[Component, Form], ...]:
        """The formulas that an equation can be which holds such operations, in their order."""
        known = held & self._needed  # few, whatever the notes hold
        if known not in self._possible:
            found = tuple(pair for pair in self.forms if pair[1].pattern.needs <= known)
            self._possible[known] = found
        return self._possible[known]


_WAYS_OF_WRITING = ("output", "weights", "scores", "heads", "joined", "inline", "step")
"""The parts that do not."""


def _names(component: Component) -> set[str]:
    """What a tag may call a component: ``additive``, ``additive-attention``, ``bahdanau``."""
    given = (component.name, component.name.removesuffix("_attention"), component.class_name)
    return {plain(name) for name in (*given, *component.calls, *component.mentions)}


def _weight(form: Form) -> int:
    """How much a formula says: the number of its parts that are no settings."""
    settings = form.pattern.settings
    parts = list(walk(form.pattern.value.body))
    taken = [e for e in parts if isinstance(e, Ref) and e.array in settings]
    return bool(form.requires) + len(parts) - sum(1 + len(e.at) for e in taken)


@lru_cache(4096)
def plain(name: str) -> str:
    """A name as it is looked up: letters and digits in lower case."""
    return "".join(c for c in name if c.isalnum()).lower()


FAMILIES = ("attention", "positions", "layers", "models", "losses", "schedules", "metrics")
"""The modules of the generated package that components can belong to."""

KINDS = ("factor", "number", "term", "bias", "relative", "distance", "function", "condition")
"""The kinds of settings."""


def _check(folder: Path, data: Mapping[str, Any]) -> None:
    """Refuse a component that says something impossible. Raises ComponentError."""
    given = {"class": str, "family": str, "summary": str, "textbook": str, "formulas": list}
    for key, kind in given.items():
        if not isinstance(data.get(key), kind):
            raise ComponentError(f"{folder}: component.toml lacks `{key}`")
    if not data["class"].isidentifier():
        raise ComponentError(f'{folder}: `class = "{data["class"]}"` is no name for a class')
    if data["family"] not in FAMILIES:
        raise ComponentError(f"{folder}: `family` is one of {', '.join(FAMILIES)}")
    for name, table in data.get("settings", {}).items():
        if table.get("kind") not in KINDS or "symbol" not in table:
            raise ComponentError(
                f"{folder}: the setting `{name}` needs a `symbol` and a `kind`, one of "
                f"{', '.join(KINDS)}"
            )


@lru_cache
def library(*more: Path) -> Library:
    """The project's components, and those in further folders of components."""
    folders = [f for root in (LIBRARY, *more) for f in sorted(root.iterdir()) if f.is_dir()]
    used: dict[str, Path] = {}
    for folder in folders:
        if (folder / "component.toml").is_file():
            if folder.name in used:
                raise ComponentError(f"{folder}: there is a component `{folder.name}` already")
            used[folder.name] = folder
    if more:
        return Library(used.values())
    return kept("library", _content(used.values()), lambda: Library(used.values()))


def _content(folders: Iterable[Path]) -> bytes:
    """All that the components depend on: their texts, and the code that reads formulas."""
    package = Path(__file__).parents[1]
    stages = ("latex", "meaning", "components")
    code = sorted(place for stage in stages for place in package.glob(f"{stage}/**/*.py"))
    places = [*(folder / "component.toml" for folder in folders), *code]
    parts = [sys.version.encode()]
    for place in places:
        parts += [str(place).encode(), place.read_bytes()]
    return b"\0".join(parts)


def _read(folder: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((folder / "component.toml").read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as problem:
        raise ComponentError(f"{folder}: {problem}") from problem


def _component(folder: Path, data: dict[str, Any], functions: Mapping[str, Equation]) -> Component:
    _check(folder, data)
    settings = {name: _setting(name, table) for name, table in data.get("settings", {}).items()}
    shapes = {name: Shape(tuple(axes), None) for name, axes in data.get("shapes", {}).items()}
    scope = Scope(shapes=shapes, field=functions)
    forms = tuple(
        _form(folder, {**table, "latex": latex}, scope, settings, data)
        for table in data.get("formulas", [])
        for latex in spelt(table["latex"], data.get("spellings", {}))
    )
    usual = {"latex": data["textbook"], "source": data.get("source", "")}
    textbooks = {
        part: Textbook(**one, equation=_typed(folder, one["latex"], Scope(field=functions)))
        for part, one in {"": usual, **data.get("textbooks", {})}.items()
    }
    return Component(
        name=folder.name,
        folder=folder,
        class_name=data["class"],
        family=data["family"],
        summary=data["summary"],
        textbooks=textbooks,
        calls=tuple(data.get("calls", ())),
        layers_call=tuple(data.get("layers_call", ())),
        unlike=tuple(data.get("unlike", ())),
        of_layers=data.get("of_layers", False),
        learned=tuple(data.get("learned", ())),
        scales=tuple(data.get("scales", ())),
        biases=tuple(data.get("biases", ())),
        uses=tuple(data.get("uses", ())),
        builds_on=tuple(data.get("builds_on", ())),
        stack=data.get("stack", ""),
        causal=data.get("causal", ""),
        groups=data.get("groups", ""),
        head_sizes=data.get("head_sizes"),
        normalised=data.get("normalised", True),
        takes_bias=data.get("takes_bias", True),
        names=data.get("names", {}),
        numbers=data.get("numbers", {}),
        mentions=tuple(data.get("mentions", ())),
        parts=data.get("parts", {}),
        also={name: tuple(kinds) for name, kinds in data.get("also", {}).items()},
        settings=settings,
        roles={name: tuple(kinds) for name, kinds in data.get("functions", {}).items()},
        forms=forms,
        summaries=data.get("summaries", {}),
        classes=data.get("classes", {}),
    )


def spelt(latex: str, spellings: Mapping[str, list[str]]) -> list[str]:
    """A formula in all spellings of what stands in it for one of several, ``GROUP``."""
    formulas = [latex]
    for name, among in spellings.items():
        used = among if name in latex else [name]
        formulas = [one.replace(name, text) for one in formulas for text in used]
    return formulas


def _setting(name: str, table: dict[str, Any]) -> Setting:
    return Setting(
        name,
        table["symbol"],
        table["kind"],
        tuple(table.get("usual", ())),
        table.get("unusual", ""),
        table.get("says", {}),
        table.get("classes", {}),
        table.get("alone", False),
    )


def _form(
    folder: Path,
    table: dict[str, Any],
    scope: Scope,
    settings: Mapping[str, Setting],
    data: Mapping[str, Any],
) -> Form:
    latex = table["latex"]
    called = table.get("called", ())
    own = {name: Shape(tuple(axes), None) for name, axes in table.get("shapes", {}).items()}
    equation = _typed(folder, latex, replace(scope, shapes={**scope.shapes, **own}))
    symbols = frozenset(s.symbol for s in settings.values() if s.kind != "condition")
    reach = next((s.symbol for s in settings.values() if s.kind == "condition"), "")
    biases = frozenset(s.symbol for s in settings.values() if s.kind == "bias")
    pairs = {s.symbol: s.kind for s in settings.values() if s.kind in ("relative", "distance")}
    value: Lambda = normal_form(equation)
    arity = {name: len(called.parameters) for name, called in equation.functions.items()}
    needs, sizes = kinds(value, symbols), divisors(value.body)
    pattern = Pattern(value, symbols, biases, pairs, reach, arity, needs, sizes)
    letters = table.get("names", {})
    if letters is True:
        letters = data["letters"]
    names = {role: tuple(among) for role, among in letters.items()}
    return Form(
        latex,
        equation,
        pattern,
        table.get("part", "output"),
        table.get("partial", False),
        table.get("requires", ""),
        names,
        table.get("completes"),
        tuple(data.get("calls", ()) if called is True else called),
        tuple(table.get("alone", ())),
        tuple(table.get("defined", ())),
        tuple(table.get("of_heads", ())),
        table.get("whole", False),
        tuple(table.get("given", ())),
        tuple(table.get("unlike", ())),
    )


def _typed(folder: Path, latex: str, scope: Scope) -> Equation:
    typed = type_formula(latex, scope)
    if typed.equation is None:
        reasons = "; ".join(problem.message for problem in typed.problems)
        raise ComponentError(f"{folder}: `{latex}` cannot be read: {reasons or typed.kind}")
    return typed.equation
