"""Warnings at a recognised component that is not what the field does: the code computes it all the
same."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.components import settings
from notes2code.components.doubts import AS_WRITTEN
from notes2code.components.library import Library
from notes2code.components.misnamed import misnamed
from notes2code.components.own_sizes import in_own_sizes, shown_settings, textbook
from notes2code.components.proofs import sees_later
from notes2code.components.recognise import Recognised
from notes2code.diagnostics import Problem, Span, warning
from notes2code.meaning.linking.entries import Entry


def unusual(recognised: Recognised, entry: Entry, library: Library) -> Iterator[Problem]:
    """What is to be said of a component and its settings."""
    for what, help in _strange(recognised, library):
        yield warning("N2C050", what, Span(0, len(entry.latex)), help)


def _strange(recognised: Recognised, library: Library) -> Iterator[tuple[str, str]]:
    """What is strange, each with its help."""
    values = recognised.found.roles.get("v")
    if recognised.component.family == "attention" and values and values.array.startswith("W"):
        what = f"the values are the weight `{values.array}` itself"
        yield what, "values are usually made with it, as `XW^V`; the code computes what is written"
    for doubt in filter(None, (*misnamed(recognised, library), _is_paired(recognised))):
        yield doubt, AS_WRITTEN
    for what in _unusual_settings(recognised, library):
        yield what, "the code computes what is written; change the formula if that is not meant"
    for value in recognised.settings.values():
        if what := settings.misfilled(value):
            yield f"the mask {what}", AS_WRITTEN
    for value in recognised.settings.values():
        if what := settings.order_told(value):
            yield (
                f"the mask {what}: a causal mask hides what comes after each position, and no more",
                "the code computes what is written, and gives zeros where nothing is seen; "
                "`j \\le i` keeps the keys j up to the query i",
            )


def _unusual_settings(recognised: Recognised, library: Library) -> Iterator[str]:
    """The settings with other values than the textbook's, where the component says that this is
    unusual."""
    expected = shown_settings(textbook(recognised.component, library))
    stated = settings.uncapped(recognised.settings)
    for name, setting in recognised.component.settings.items():
        value = stated.get(name)
        if not setting.unusual:
            continue
        if name == "scale" and value is not None and settings.is_of_joined_sizes(value.body):
            continue
        shown = settings.text(in_own_sizes(recognised, value)) if value is not None else "1"
        usual = expected.get(name)
        if (value is None and usual is None) or shown in (usual, *setting.usual):
            continue
        if value is None and (recognised.form.partial or not recognised.form.has(setting)):
            continue
        readable = "unusual" if " for " in shown else f"`{shown}`"  # sums are no note's own text
        what = "is left out" if value is None else f"is {readable}"
        yield f"the {name} {what}: {setting.unusual}"


def _is_paired(recognised: Recognised) -> str:
    """That the scores of matrices Q and K are taken place by place: the keys of other places
    count for nothing."""
    equation = recognised.equation
    sizes = [index.size for index in equation.value.indices]
    shapes = {given.name: given.shape for given in equation.inputs if len(given.shape) == 2}
    if len(sizes) != 1 or not {"Q", "K"} <= shapes.keys() or "v" in recognised.found.roles:
        return ""
    paired = all(size in shapes[name] for size in sizes for name in "QK")
    return "each query is compared only with the key in its own place" if paired else ""


def acausal(recognised: Recognised, role: str, entry: Entry) -> Iterator[Problem]:
    """That a position of the sequence in a role changes what comes out at earlier ones."""
    equation, found = recognised.equation, recognised.found
    if role not in found.roles or 0 not in found.roles[role].axes:
        return
    array, axis = found.roles[role].array, found.roles[role].axes.index(0)
    rows = found.indices[recognised.form.pattern.value.indices[0]]
    if sees_later(equation, rows, array, axis):
        yield warning(
            "N2C050",
            "each position sees those that come later: a decoder usually has a causal mask",
            Span(0, len(entry.latex)),
            "the code computes what is written; change the formula, or the attention that it "
            "calls, if that is not meant",
        )
