"""Recognising components: which component an equation is, and with which settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from notes2code.components import settings
from notes2code.components.inside_scale import taken_apart
from notes2code.components.instance import instantiated
from notes2code.components.library import Component, Form, Library, plain
from notes2code.components.match import matches
from notes2code.components.normal import normal_form
from notes2code.components.pattern import Match, Subject, TooManyWays
from notes2code.components.proofs import agree
from notes2code.components.renewed import TooLong
from notes2code.meaning.ir import (
    Add,
    Equation,
    Fn,
    Idx,
    Input,
    Lambda,
    Mul,
    Num,
    Reduce,
    Ref,
    Size,
    free_indices,
    walk,
)
from notes2code.meaning.names import ROLES, base_letter

HEADS = "Heads"
"""The role of what each of several heads is."""

MAX_WAYS = 24
"""Ways to match one formula that are tried before it is given up."""


@dataclass(frozen=True)
class Recognised:
    """An equation that was recognised and proved.

    ``settings`` are the component's settings by name, as arrays over the note's inputs; a
    setting that the note leaves out is missing. ``functions`` gives the note's function in each
    function role. ``equation`` is the note's, completed by custom where the note leaves something
    out. ``calls_causal`` is whether a function that it calls, or the attention of the heads that
    it joins, is causal. ``textbook`` says which of
    the component's textbook formulas it is, where no note gives one.
    """

    component: Component
    form: Form
    found: Match
    settings: Mapping[str, Lambda]
    functions: Mapping[str, str]
    equation: Equation
    calls_causal: bool = False
    textbook: str = ""


def recognise(
    equation: Equation,
    library: Library,
    named: Mapping[str, str] | None = None,
    among: Set[str] | None = None,
) -> Recognised | None:
    """The component that an equation is, proved on numbers; None if it is none of them, or if it
    is too long to be compared with them.

    ``named`` are the kinds of the notes' own functions, by the names they have there; ``among``
    are the components to choose from, all by default.
    """
    try:
        return _best(equation, Subject(normal_form(equation)), library, named or {}, among)
    except (TooLong, TooManyWays, RecursionError):
        return None


def _best(
    equation: Equation,
    subject: Subject,
    library: Library,
    named: Mapping[str, str],
    among: Set[str] | None,
) -> Recognised | None:
    """The first component that the equation is, in its plainest reading."""
    best: tuple[int, Recognised] | None = None
    name, known = plain(equation.name), {**library.kinds, **named}
    names = {name, *(plain(given.name) for given in equation.inputs)}
    names |= {plain(definition.name) for definition in equation.definitions}
    for component, form in library.possible(subject.kinds):
        if best is not None and component is not best[1].component:
            break
        if among is not None and component.name not in among:
            continue
        if not _called_so(component, form, name, names) or _is_of_pairs(component, equation):
            continue
        if form.part == "scores" and _is_query(equation):
            continue
        if component.of_layers and _goes_over_examples(equation):
            continue
        is_named = name in map(plain, component.calls) and not form.partial
        for found in _ways(component, form, subject, known, is_named):
            if not _are_given(form, found, equation) or _is_kept(component, form, found):
                continue
            candidate = _candidate(component, form, found, equation)
            candidate = replace(candidate, calls_causal=_calls_causal(candidate, named))
            strange = _strangeness(candidate)
            if (best is None or strange < best[0]) and _proved(candidate, equation):
                best = strange, candidate
    return None if best is None else best[1]


def _called_so(component: Component, form: Form, name: str, names: Set[str]) -> bool:
    """Whether the name of an equation, and all names in it, allow it to be the component."""
    if not names.isdisjoint(map(plain, component.unlike)):
        return False
    numbered = name.rstrip("0123456789")  # FFN_1 and FFN_2
    return not form.called or not {name, numbered}.isdisjoint(map(plain, form.called))


def _is_query(equation: Equation) -> bool:
    """Whether an equation makes a query of a weight that is called so, ``q_i = h_i Q``, and has no
    key that it could be scored by."""
    letters = {base_letter(given.name).lower() for given in equation.inputs}
    return base_letter(plain(equation.name)) in ROLES and "k" not in letters


def _is_of_pairs(component: Component, equation: Equation) -> bool:
    """Whether an array of what may be a loss has one size on both axes, as the counts ``X_{ij}`` of
    pairs of words have: the classes of a loss are no examples."""
    return component.family == "losses" and any(
        len(given.shape) == 2 and given.shape[0] == given.shape[1] for given in equation.inputs
    )


_BATCHES = frozenset(["B", "b", "batch", "batch_size", "bs"])
"""What the number of examples in a batch is called."""


def _goes_over_examples(equation: Equation) -> bool:
    """Whether something is added up over the examples of a batch, as batch norm does: the norm of a
    layer goes over the features of one."""
    arrays = (equation.value, *(definition.array for definition in equation.definitions))
    return any(
        isinstance(part, Reduce)
        and isinstance(size := part.index.size, Size)
        and size.name in _BATCHES
        for array in arrays
        for part in walk(array.body)
    )


def _ways(
    component: Component,
    form: Form,
    subject: Subject,
    named: Mapping[str, str],
    is_named: bool,
) -> Iterator[Match]:
    """The matches whose roles and functions are what the component asks for; the letters do not
    matter in a formula that has the component's own name, unless only they tell what its arrays
    are: the ℓ_t that a perplexity is made of are losses, and p_t are none."""
    free = is_named and not form.whole
    for count, found in enumerate(matches(form.pattern, subject)):
        if count == MAX_WAYS:
            return
        found = taken_apart(component, form, found)
        if (
            (_letters_fit(form, found) or (free and not _are_exchanged(component, form, found)))
            and _are_single(form, found)
            and _are_of_all(form, found)
            and _are_of_one_head(component, found)
            and _functions_fit(component, found, named)
            and _has_required(component, form, found)
            and _are_alone(component, found)
            and _biases_are_learned(component, found)
            and _places_are_in_order(form, found, subject)
        ):
            yield found


def _places_are_in_order(form: Form, found: Match, subject: Subject) -> bool:
    """Whether two places of which only the difference counts come in the formula's order: the i of
    ``B_{ij} = m (j - i)`` is that of the query, and the i of ``B_{ij} = m (i - j)`` that of no key.
    How far apart they are, ``|i - j|``, is the same in both."""
    mine, theirs = form.pattern.value.indices, subject.value.indices
    parts = [*walk(form.pattern.value.body)]
    far = [part.arguments[0] for part in parts if isinstance(part, Fn) and part.name == "abs"]
    for part in parts:
        match part:
            case Add((Idx(one), Mul((Num(-1), Idx(other))))) if part not in far:
                pair = sorted((one, other), key=mine.index)
                places = [theirs.index(found.indices[index]) for index in pair]
                if places != sorted(places):
                    return False
    return True


def _are_alone(component: Component, found: Match) -> bool:
    """Whether the functions that may hold no other arrays hold none."""
    values = (found.settings.get(s.symbol) for s in component.settings.values() if s.alone)
    return not any(
        isinstance(part, Ref) and part.at
        for value in values
        if value is not None
        for part in walk(value.body)
    )


def _biases_are_learned(component: Component, found: Match) -> bool:
    """Whether no bias is one of the arrays in the roles: ``h + W f(U h)`` is a residual."""
    roles = {role.array for role in found.roles.values()}
    values = (found.settings.get(s.symbol) for s in component.settings.values() if s.kind == "bias")
    return not any(
        isinstance(part, Ref) and part.array in roles
        for value in values
        if value is not None
        for part in walk(value.body)
    )


def _has_required(component: Component, form: Form, found: Match) -> bool:
    """Whether the causal mask or the setting that the formula cannot do without is there."""
    if form.requires == "causal":
        return _is_causal(found.settings.values())
    return not form.requires or component.settings[form.requires].symbol in found.settings


def _is_causal(values: Iterable[Lambda]) -> bool:
    return any(map(settings.is_causal, values))


def kind(recognised: Recognised) -> str:
    """What a function is to those that call it: its component, and whether it is causal."""
    attends = recognised.component.family == "attention"
    causal = _is_causal(recognised.settings.values()) or recognised.form.part.startswith("causal")
    causal = causal or (attends and recognised.calls_causal)
    return recognised.component.name + (":causal" if causal else "")


def _calls_causal(recognised: Recognised, named: Mapping[str, str]) -> bool:
    kinds = (_known(function, named) for function in recognised.functions.values())
    return any(kind.endswith(":causal") for kind in kinds)


def _known(function: str, named: Mapping[str, str]) -> str:
    """The kind of a function, "" if the notes do not say."""
    return named.get(function) or named.get(plain(function)) or ""


def _letters_fit(form: Form, found: Match) -> bool:
    """Whether the letters in the roles are among those that the formula allows."""
    return all(
        role not in found.roles or is_one_of(found.roles[role].array, letters)
        for role, letters in form.names.items()
    )


def _are_exchanged(component: Component, form: Form, found: Match) -> bool:
    """Whether the letter of a role stands in a setting, and another in the role: the σ² and the ε
    of ``(x − μ) / (σ² + ε)`` are no ε and no σ. Nor is the σ of ``√(σ + ε)`` a variance: it is the
    letter of another role."""
    parts = (part for value in found.settings.values() for part in walk(value.body))
    arrays = {part.array for part in parts if isinstance(part, Ref)}
    strange = {
        found.roles[role].array
        for role, letters in form.names.items()
        if role in found.roles and not is_one_of(found.roles[role].array, letters)
    }
    known = [letters for other in component.forms for letters in other.names.values()]
    return bool(strange) and any(
        is_one_of(array, letters) for letters in known for array in arrays | strange
    )


def _are_single(form: Form, found: Match) -> bool:
    """Whether the roles that there is one of have no axes besides their own."""
    return not any(found.roles[role].outer for role in form.alone if role in found.roles)


def _are_of_one_head(component: Component, found: Match) -> bool:
    """Whether what projects queries, keys and values is one for all, or one for each of some heads:
    queries of each head on keys of all are no head by themselves."""
    projections = [found.roles[role].outer for role in ("A", "B", "C") if role in found.roles]
    return component.family != "attention" or all(own == projections[0] for own in projections)


def _are_of_all(form: Form, found: Match) -> bool:
    """Whether what a formula only names, and the component computes, is told apart as all of it is,
    or not at all: the μ_c beside x_{bcij} is the mean of a channel, and none of a row."""
    every = {place for role in found.roles.values() for place in role.outer}
    own = (found.roles[role].outer for role in form.names if role in found.roles)
    return form.completes is None or all(not of or every == {*of} for of in own)


def _is_kept(component: Component, form: Form, found: Match) -> bool:
    """Whether what a formula only names, and the component computes, has a word as a label that
    does not name the component: the μ_{running} is known from elsewhere, and no mean of x. An
    estimate, μ with a hat, is that of x."""
    own = (found.roles[role].array for role in form.names if role in found.roles)
    labels = (label for array in own for label in array.split("_")[1:])
    words = (plain(label) for label in labels if label != "hat")
    names = [*map(plain, component.mentions), *map(plain, component.calls)]
    return form.completes is not None and any(
        len(word) >= _WORD and not any(word in name for name in names) for word in words
    )


_WORD = 3
"""The letters from which on a label is a word."""


def is_one_of(array: str, letters: Iterable[str]) -> bool:
    """Whether a name is among those allowed, labels behind them apart."""
    return any(f"{array}_".startswith(f"{letter}_") for letter in letters)


def _functions_fit(component: Component, found: Match, named: Mapping[str, str]) -> bool:
    """Whether the functions in the roles are of the kinds that are asked for."""
    for role, call in found.functions.items():
        kinds = component.roles.get(role.split("#")[0], ())
        known = _known(call.function, named)
        if kinds and known not in kinds and known.split(":")[0] not in kinds:
            return False
    return True


def _are_given(form: Form, found: Match, equation: Equation) -> bool:
    """Whether each function that the component takes is one, which no note defines."""
    for wanted in form.given:
        calls = [call for role, call in found.functions.items() if role.split("#")[0] == wanted]
        given = {call.function for call in calls}
        if any(len(call.arguments) > 1 for call in calls):  # the features differ by position
            return False
        if len(given) != 1 or not given.isdisjoint(equation.functions):
            return False
    return True


def _candidate(component: Component, form: Form, found: Match, equation: Equation) -> Recognised:
    by_symbol = {setting.symbol: setting.name for setting in component.settings.values()}
    values = {by_symbol[symbol]: value for symbol, value in found.settings.items()}
    functions = {role.split("#")[0]: call.function for role, call in found.functions.items()}
    if form.completes is not None:
        whole = component.forms[form.completes]
        equation = _completed(component, form, whole, found, equation)
    return Recognised(component, form, found, values, functions, equation)


def _completed(
    component: Component, form: Form, whole: Form, found: Match, equation: Equation
) -> Equation:
    """The equation with what it leaves out taken from the component's whole formula."""
    axes = zip(form.pattern.value.indices, whole.pattern.value.indices, strict=True)
    indices = {**found.indices, **{theirs: found.indices[mine] for mine, theirs in axes}}
    full = instantiated(whole, replace(found, indices=indices), dict(component.settings), equation)
    used = {role.array for name, role in found.roles.items() if name in _inputs(whole)}
    known = {role.array for role in found.roles.values()}
    inputs = tuple(i for i in equation.inputs if i.name in used or i.name not in known)
    return Equation(equation.name, inputs, (), full.value, equation.parameters, equation.functions)


def _inputs(form: Form) -> set[str]:
    return {given.name for given in form.equation.inputs}


def _strangeness(candidate: Recognised) -> int:
    """How far a reading is from the plain formula: settings around expressions count most, and
    something added counts more where it could be a learned bias. The last axis, which keys or
    features are along, stays the last."""
    kinds = {s.name: s.kind for s in candidate.component.settings.values()}
    mine, theirs = candidate.form.pattern.value.indices, candidate.equation.value.indices
    turned = bool(mine and theirs) and candidate.found.indices.get(mine[-1]) is not theirs[-1]
    return turned + sum(
        {"function": 4, "term": 1}.get(kinds[name], 0) + len(list(walk(value.body)))
        for name, value in candidate.settings.items()
    )


def _proved(candidate: Recognised, note: Equation) -> bool:
    """Whether component and note give the same numbers, on inputs of several shapes."""
    if candidate.form.completes is not None:
        return _is_sized(candidate.equation)
    other = instantiated(candidate.form, candidate.found, dict(candidate.component.settings), note)
    if not free_indices(other.value.body) <= {*other.value.indices}:
        return False  # what goes along an axis that the note's value does not have
    every = set(note.functions)
    keeping = {name for name, called in note.functions.items() if _keeps_shape(called)}
    ways = [functions for functions in (every, keeping) if functions]
    if any(agree(_opaque(other, among), _opaque(note, among)) for among in ways):
        return True
    return agree(other, note)


def _is_sized(equation: Equation) -> bool:
    """Whether the inputs have all axes of the value: the i of moments μ_i that are left out tells
    of no other array."""
    given = {part for one in equation.inputs for size in one.shape for part in walk(size)}
    return given.issuperset(index.size for index in equation.value.indices)


def _opaque(equation: Equation, among: Set[str]) -> Equation:
    """The equation of whatever functions it calls by these names: what holds for any holds for
    the notes'."""
    functions = tuple(Input(name, (), name, "function") for name in sorted(among))
    known = {name: called for name, called in equation.functions.items() if name not in among}
    return replace(equation, inputs=(*equation.inputs, *functions), functions=known)


def _keeps_shape(called: Equation) -> bool:
    """Whether a function gives an array of the shape of its only argument, as an input does."""
    shapes = {given.name: given.shape for given in called.inputs}
    sizes = tuple(index.size for index in called.value.indices)
    return len(called.parameters) == 1 and shapes[called.parameters[0]] == sizes
