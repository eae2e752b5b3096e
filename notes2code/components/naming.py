"""What classes and functions are called: by the field's names, and variants by what is theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from notes2code.components.compiling import shown_settings
from notes2code.components.recognise import Recognised


def class_name(recognised: Recognised) -> str:
    """What the field calls it: by a setting that has names of its own, else by its component."""
    shown = shown_settings(recognised)
    named = (
        setting.classes[value]
        for setting in recognised.component.settings.values()
        if (value := shown[setting.name]) is not None and value in setting.classes
    )
    return next(named, recognised.component.class_name)


def variant_name(
    recognised: Recognised,
    usual: Recognised,
    called: Sequence[str],
    titles: Sequence[str],
    taken: Set[str],
) -> str:
    """A name that tells how a variant differs from the usual: by its form, by a setting, by what
    it calls, or by the titles of its notes; none that is ``taken``."""
    base = class_name(recognised)
    mine, theirs = shown_settings(recognised), shown_settings(usual)
    words: list[str] = []
    if recognised.form.part != usual.form.part:
        words.append(_camel(recognised.form.part))
    for setting in recognised.component.settings:
        if mine[setting] != theirs[setting]:
            words.append(_word(setting, mine[setting]))
    words += called
    candidates = [_joined(word, base) for word in words]
    if len(words) > 1:
        candidates.append(_joined("".join(words), base))
    candidates += [_of(base, title) for title in titles]
    for candidate in candidates:
        if candidate not in taken:
            return candidate
    number = 2
    while f"{base}{number}" in taken:
        number += 1
    return f"{base}{number}"


_WORDS = {
    "scale": ("Unscaled", "Rescaled"),
    "mask": ("Unmasked", "Masked"),
    "reach": ("Unmasked", "Masked"),
    "score": ("Plain", "Reshaped"),
    "kernel": ("Plain", "Parametric"),
    "bias": ("Unbiased", "Biased"),
    "inner_bias": ("Unbiased", "Biased"),
    "outer_bias": ("Unbiased", "Biased"),
    "base": ("Baseless", "Rebased"),
}
"""What a class is called for a setting that is missing, and for one that is another."""


def _word(setting: str, value: str | None) -> str:
    """The word for a setting's value, such as ``Unscaled`` or ``Gelu``."""
    if value is not None and re.fullmatch(r"[a-z]{2,12}", value):
        return _camel(value)
    missing, other = _WORDS.get(setting, (f"No{_camel(setting)}", f"Other{_camel(setting)}"))
    return missing if value is None else other


FIRST_WORD = re.compile(r"[A-Z][a-z]+")
"""The first word of a class's name."""


def _joined(word: str, base: str) -> str:
    """``Unscaled`` before ``ScaledDotProductAttention`` takes the place of its first word."""
    if base.islower():
        return f"{_snake(word)}_{base}"
    first = FIRST_WORD.match(base)
    if first is not None and word.lower().endswith(first[0].lower()):
        base = base[first.end() :]
    return word + base


def _of(base: str, title: str) -> str:
    """A name with the title of its note behind."""
    return f"{base}_of_{_snake(_camel(title))}" if base.islower() else f"{base}Of{_camel(title)}"


def _snake(text: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower()


def _camel(text: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z]+", text))
