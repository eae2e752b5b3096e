"""The names of drafts: the component's for the usual one, telling ones for its variants."""

from __future__ import annotations

from notes2code.components.drafts import Draft, Drafts
from notes2code.components.library import Form
from notes2code.components.naming import class_name, variant_name


def names_of(drafts: Drafts) -> dict[int, str]:
    """Names for the drafts: the component's for the usual or the only one, telling ones for
    variants."""
    names: dict[int, str] = {}
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        name = class_name(draft.recognised)
        groups.setdefault(name, []).append(draft)
    taken: set[str] = set()
    for own, group in groups.items():
        group.sort(key=lambda d: (not drafts.is_textbook(d), _is_less(d.recognised.form)))
        first = group[0]
        # A model of the notes is not called by what another model would have.
        is_usual = drafts.is_textbook(first) or first.component.family == "models"
        usual = first if is_usual else drafts.usual(first.component)
        for draft in group:
            name = own
            if len(group) > 1 and draft is not usual:
                called = drafts.others_called(draft, usual)
                titles = [source.title for source in draft.sources if source.title]
                name = variant_name(draft.recognised, usual.recognised, called, titles, taken)
            names[id(draft)] = name
            taken.add(name)
    return names


def _is_less(form: Form) -> tuple[bool, bool]:
    """Whether a form is a piece of its component, and whether it is not the whole formula."""
    return form.partial, form.part != "output"
