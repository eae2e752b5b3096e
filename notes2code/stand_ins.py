"""Formulas that are not what their section or their name says they are.

A note that names layer normalisation gets the textbook's class, or another note's, even where it
has a formula of its own. If that formula is not recognised, the class computes something else than
its author may believe; so it must be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from notes2code.components.compiled import Compiled
from notes2code.components.doubts import not_recognised
from notes2code.components.library import Component, Library, plain
from notes2code.components.mentions import Mention
from notes2code.components.packed import by_heads
from notes2code.diagnostics import Problem, Span
from notes2code.meaning.ir import Call, Fn, Ref, Softmax, walk
from notes2code.meaning.names import FEATURE_MAPS
from notes2code.meaning.notation import functions
from notes2code.vault.model import Formula, Note

Entry = tuple[Formula, Compiled]


def unrecognised(
    notes: Sequence[Note],
    formulas: Mapping[str, Sequence[Entry]],
    mentions: Sequence[Mention],
    library: Library,
) -> dict[Formula, Problem]:
    """Warnings, by the formulas that they are about; ``formulas`` are those of each note, by its
    path."""
    found: dict[Formula, Problem] = {}
    for note in notes:
        entries = formulas.get(note.path, ())
        for formula, compiled in entries:
            component = _called(compiled, library)
            if component is not None and not _is_told(compiled):
                found[formula] = _problem(formula, component, "which its name says")
        here = [mention for mention in mentions if mention.note == note.path]
        here.sort(key=lambda mention: mention.component.family == "models")  # it has many formulas
        used = {used.latex for _, compiled in entries for used in compiled.uses}
        for component, own in _announced(note, entries, here, library):
            if any(_is_named(compiled, component, library) for _, compiled in own):
                continue  # that formula is the one
            if any(_is_given(compiled, component, library) for _, compiled in own):
                continue  # the section says what the component is given
            unlike = _unlike(note, own, used, component)
            told = {formula for formula, compiled in entries if _is_told(compiled)}
            if unlike is not None and unlike not in found.keys() | told:
                problem = _problem(unlike, component, "which the section names")
                refused = any(f == unlike and c.status == "rejected" for f, c in entries)
                found[unlike] = replace(problem, help=_until(component)) if refused else problem
    return found


def _called(compiled: Compiled, library: Library) -> Component | None:
    """The component that the name of a formula belongs to, where the formula is nothing, or only
    what that component is built on: ``SelfAttention(X) = Attention(Q, K, V)`` alone."""
    equation = compiled.equation
    if equation is None or not equation.parameters or by_heads(equation) is not None:
        return None  # parts of heads are of what another formula projects, which is the component
    kind = library.kinds.get(plain(equation.name))
    if kind is None:
        return None
    named = library.components[kind]
    built_on = {*named.uses, *named.builds_on}
    found = compiled.recognised
    return named if found is None or found.component.name in built_on else None


def _is_named(compiled: Compiled, component: Component, library: Library) -> bool:
    """Whether the left-hand side of a formula is the name of a component that it is not, and is
    told to be, or is another component: ``CrossAttention(Q, K, V) = softmax(…) V``."""
    name = compiled.equation.name if compiled.equation is not None else ""
    settled = _is_told(compiled) or compiled.recognised is not None
    return settled and library.kinds.get(plain(name)) == component.name


def _is_given(compiled: Compiled, component: Component, library: Library) -> bool:
    """Whether a formula calls a component by its name, ``h_l = \\mathrm{Block}(h_{l-1})``."""
    body = None if compiled.equation is None else compiled.equation.value.body
    called = [] if body is None else [plain(e.function) for e in walk(body) if isinstance(e, Call)]
    return any(library.kinds.get(name) == component.name for name in called)


def _announced(
    note: Note, entries: Sequence[Entry], mentions: Sequence[Mention], library: Library
) -> Iterator[tuple[Component, list[Entry]]]:
    """The components that a section names or its tags ask for and has no formula of, with its own
    formulas. What the whole note is about may be told anywhere in it."""
    for mention in mentions:
        section = next((p.section for p in note.paragraphs if p.start == mention.start), ())
        inside = [
            (formula, compiled) for formula, compiled in entries if formula.section == section
        ]
        after = [e for e in inside if e[0].places.offset(0) >= mention.start]
        if section and not _has(entries if len(section) == 1 else inside, mention.component):
            yield mention.component, after
    for section in dict.fromkeys(formula.section for formula, _ in entries):
        inside = [
            (formula, compiled) for formula, compiled in entries if formula.section == section
        ]
        tags = {tag for formula, _ in inside for tag in formula.tags} - set(note.tags)
        for name in sorted(library.pinned(tags)):
            if not _has(inside, library.components[name]):
                yield library.components[name], inside


def _has(entries: Sequence[Entry], component: Component) -> bool:
    return any(c.recognised is not None and c.recognised.component is component for _, c in entries)


def _unlike(
    note: Note, entries: Sequence[Entry], used: Set[str], component: Component
) -> Formula | None:
    """The first formula set apart that is no component, or is refused; those that recognised ones
    are built on, what only makes queries, keys and values, functions such as GELU, the sizes of
    a component that gives an array, and what a model is given do not count."""
    of_arrays = bool(component.textbook.equation.value.indices)
    own = (
        formula
        for formula, compiled in entries
        if (compiled.status == "rejected" and formula.display)
        or (compiled.status == "formula" and not _is_part(compiled))
        if not (of_arrays and _is_of_numbers(compiled))
        if not (component.family == "models" and _only_adds(compiled))
    )
    return next((f for f in own if _is_apart(note, f) and f.latex not in used), None)


def _only_adds(compiled: Compiled) -> bool:
    """Whether nothing is computed but sums and products: no model is ``X = E + P``, which it is
    given."""
    body = None if compiled.equation is None else compiled.equation.value.body
    return body is not None and not any(isinstance(e, Call | Fn | Softmax) for e in walk(body))


def _is_of_numbers(compiled: Compiled) -> bool:
    """Whether a formula has nothing to do with arrays: what an attention costs, ``4 n d^2``."""
    equation = compiled.equation
    if equation is None or equation.value.indices:
        return False
    return not any(given.shape for given in equation.inputs)


def _is_part(compiled: Compiled) -> bool:
    """Whether a formula makes queries, keys or values, ``Q = X W^Q``, or says what a function of
    numbers is, or a kernel, ``φ(q)^⊤ φ(k)``: parts of what a section is about. So is what only
    gives something another name, ``G = H``."""
    equation = compiled.equation
    name = "" if equation is None else equation.name
    if equation is not None and isinstance(equation.value.body, Ref):
        return True
    if equation is not None and equation.parameters and not equation.value.indices:
        called = {e.function for e in walk(equation.value.body) if isinstance(e, Call)}
        if called & FEATURE_MAPS:
            return True
    return name.lower() in ("q", "k", "v") or functions.is_known(name)


def _is_apart(note: Note, formula: Formula) -> bool:
    """Whether a formula is displayed, or alone in its paragraph."""
    at = formula.places.offset(0)
    around = (p.text.strip() for p in note.paragraphs if p.start <= at < p.end)
    return formula.display or f"${formula.latex.strip()}$" in around


def _problem(formula: Formula, component: Component, why: str) -> Problem:
    return not_recognised(component, Span(0, len(formula.latex)), why)


def _until(component: Component) -> str:
    return (
        "if it is meant to be, mend it: until then what the package may have as "
        f"`{component.class_name}` computes another formula"
    )


def _is_told(compiled: Compiled) -> bool:
    """Whether the formula by itself says that it is not what its name says."""
    return any(problem.code == "N2C056" for problem in compiled.problems)
