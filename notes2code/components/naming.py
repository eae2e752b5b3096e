"""What classes and functions are called: by the field's names, and variants by what is theirs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from notes2code.components import settings
from notes2code.components.distances import PAIR, relative
from notes2code.components.library import Setting
from notes2code.components.masks_told import MASKS, words_of_masks
from notes2code.components.own_sizes import in_own_sizes, shown_settings
from notes2code.components.recognise import Recognised
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Expr,
    Fn,
    Idx,
    Index,
    Lambda,
    Mul,
    Num,
    Pow,
    Ref,
    Size,
    walk,
)
from notes2code.names import snake


def class_name(recognised: Recognised) -> str:
    """What the field calls it: by a setting or a form that has names of its own, else by its
    component. Nothing is called scaled that is not."""
    component, shown = recognised.component, shown_settings(recognised)
    named = (
        s.classes[shown[s.name] or ""] for s in component.settings.values() if _names(s, shown)
    )
    usual = component.classes.get(recognised.form.part, component.class_name)
    name = next(named, usual)
    unscaled = name.startswith("Scaled") and shown.get("scale") is None
    return f"Unscaled{name.removeprefix('Scaled')}" if unscaled else name


def _names(setting: Setting, shown: Mapping[str, str | None]) -> bool:
    """Whether a class has its name from what a setting is."""
    return shown[setting.name] in setting.classes


def telling(recognised: Recognised) -> dict[str, str | None]:
    """The settings as text that tell variants apart; what a learned bias or table is called does
    not."""
    kinds = {name: setting.kind for name, setting in recognised.component.settings.items()}
    told = shown_settings(recognised)
    for name, value in recognised.settings.items():
        told[name] = settings.text(in_own_sizes(recognised, _with_usual_indices(value)))
        if kinds[name] == "bias":
            told[name] = name
        elif kinds[name] in ("relative", "distance") and (table := relative(value)) is not None:
            told[name] = table.told
    return told


def _with_usual_indices(setting: Lambda) -> Lambda:
    """A setting with the same names for its indices in all formulas: the last one counts keys."""
    own = setting.indices
    names = ("h" * len(own) + "ij")[-len(own) :] if own else ""
    new = [Index(name, i.size, i.start) for i, name in zip(own, names, strict=True)]
    values = dict(zip(own, map(Idx, new), strict=True))
    return Lambda(tuple(new), ir.substitute(setting.body, values))


def agrees(piece: Recognised, whole: Recognised) -> bool:
    """Whether a formula of a piece of a component speaks of the same variant as another formula:
    what it says, and it may say less of distances."""
    theirs = telling(whole)
    return all(
        theirs[name] == value or (value == PAIR and theirs[name])
        for name, value in telling(piece).items()
        if value is not None
    )


def biases(recognised: Recognised) -> set[str]:
    """The biases of projections that a formula has, which are another variant without them."""
    return recognised.found.roles.keys() & set(recognised.component.biases)


def variant_name(
    recognised: Recognised,
    usual: Recognised,
    called: Sequence[str],
    titles: Sequence[str],
    taken: Set[str],
) -> str:
    """A name that tells how a variant differs from the usual: by its form, by a setting, by what
    it calls, or, where nothing else does, by the titles of its notes; none that is ``taken``."""
    base = class_name(recognised)
    mine, theirs = telling(recognised), telling(usual)
    words: list[str] = []
    of_form = recognised.form.part != usual.form.part and recognised.form.kind
    if of_form:
        words.append(_camel(recognised.form.kind))
    told, own = shown_settings(recognised), recognised.component.settings.values()
    named = {setting.name for setting in own if _names(setting, told)}
    if "scale" in mine:  # the c of a soft cap c tanh(x / c) is no temperature
        values = settings.uncapped(recognised.settings)
        mine |= {"scale": telling(replace(recognised, settings=values))["scale"]}
    differing = [name for name in mine if mine[name] != theirs[name] and name not in named]
    # What the score goes through tells more than what it is scaled with.
    for setting in sorted(differing, key=lambda name: name != "score"):
        if setting not in MASKS and not _goes_without_saying(setting, mine[setting], usual):
            words.append(_word(setting, mine[setting], recognised))
    if biases(recognised) and "bias" not in recognised.settings:
        words.append("InputBiased")
    if not MASKS.isdisjoint(differing):
        words.append(_word_of_masks(recognised, usual))
    words += called
    words = [word for word in words if not base.startswith(word)]
    candidates = [_joined(word, base) for word in words]
    if len(words) > 1:
        # Two settings a name can hold; of more words, the first says most.
        both = len(words) == 2 and not of_form
        candidates.insert(0 if both else len(words), _joined("".join(words), base))
    if not words:
        candidates.append(base)
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
    "factor": ("Unscaled", "Scaled"),
    "score": ("Plain", "Reshaped"),
    "kernel": ("Plain", "Parametric"),
    "bias": ("Unbiased", "Biased"),
    "inner_bias": ("Unbiased", "Biased"),
    "outer_bias": ("Unbiased", "Biased"),
    "base": ("Baseless", "Rebased"),
    "values": ("KeyOnly", "KeyAndValue"),
}
"""What a class is called for a setting that is missing, and for one that is another."""


def _goes_without_saying(setting: str, value: str | None, usual: Recognised) -> bool:
    """Whether a setting is as in the textbook, whose formula has no place for it: the scale of
    heads that are written out is that of the attention which the textbook's heads call."""
    own = usual.component.settings[setting]
    return value in own.usual and not usual.form.has(own)


def _word_of_masks(recognised: Recognised, usual: Recognised) -> str:
    """The words for what a variant hides and adds that the usual one does not."""
    theirs = words_of_masks(usual.settings)
    words = [word for word in words_of_masks(recognised.settings) if word not in theirs]
    if "bias" in recognised.component.settings:  # which linear maps may have
        words = ["ScoreBiased" if word == "Biased" else word for word in words]
    if not recognised.settings.keys() & MASKS:
        return "Unmasked"
    return "".join(words) or "OtherMasked"


def _word(setting: str, value: str | None, recognised: Recognised) -> str:
    """The word for a setting's value, such as ``Unscaled`` or ``Gelu``."""
    if value not in (None, setting) and re.fullmatch(r"[a-z]{2,12}", value):
        return _camel(value)
    if setting == "bias" and value and recognised.component.biases:
        return "Biased" if biases(recognised) else "OutputBiased"
    if value is not None and setting == "score" and "tanh(" in value:
        return "SoftCapped"
    if value is not None and setting == "scale":
        return _word_of_scale(recognised.settings[setting].body)
    if value is not None and setting == "kernel":
        return _word_of_kernel(value)
    if value is not None and setting == "activation":
        return _word_of_activation(recognised.settings[setting].body)
    missing, other = _WORDS.get(setting, (f"No{_camel(setting)}", f"Other{_camel(setting)}"))
    return missing if value is None else other


def _word_of_scale(body: Expr) -> str:
    """The word for a scale: by whether it holds a number that is given, such as a temperature."""
    parts = walk(body)
    if any(isinstance(part, Ref) for part in parts):
        return "Tempered"
    by_model = any(isinstance(part, Size) and part.name == "d_model" for part in parts)
    return "ModelScaled" if by_model else "Rescaled"


def _word_of_kernel(value: str) -> str:
    """The word for a kernel: by the names or functions in it, and the power it takes."""
    functions = set(re.findall(r"[a-z]+(?=\()", value))
    if set(re.findall(r"[A-Za-z]\w*", value)) - functions - {"x"}:
        return "Parametric"
    powers = {"Laplacian": ("x**0.5", "abs(x)"), "Gaussian": ("x**2", "*x")}
    if functions <= {"abs", "exp"}:
        return next((w for w, p in powers.items() if any(t in value for t in p)), "Rational")
    return _camel(min(functions))


_POWERS = {2: "Squared", 3: "Cubed"}


def _word_of_activation(body: Expr) -> str:
    """The word for an activation: by the functions in it, and the power that is taken of one."""
    match body:
        case Pow(Fn(name, (Ref(),)), Num(power)) if power in _POWERS:
            return _POWERS[int(power)] + _camel(name)
        case Mul((Fn("sigmoid"), Ref()) | (Ref(), Fn("sigmoid"))):
            return "Swish"
    functions = {part.name for part in walk(body) if isinstance(part, Fn)}
    powers = any(isinstance(part, Pow) for part in walk(body))
    if functions and functions <= {"max", "min", "relu"} and not powers:
        return "LeakyRelu"
    return _camel(" ".join(sorted(functions))) if functions else "OtherActivation"


FIRST_WORD = re.compile(r"[A-Z][a-z]+|[A-Z]{2,}(?=[A-Z][a-z])")
"""The first word of a class's name."""


def _joined(word: str, base: str) -> str:
    """``Unscaled`` before ``ScaledDotProductAttention`` takes the place of its first word."""
    if base.islower():
        return f"{snake(word)}_{base}"
    first = FIRST_WORD.match(base)
    if first is not None and word.lower().endswith(first[0].lower()):
        base = base[first.end() :]
    return word + base


def _of(base: str, title: str) -> str:
    """A name with the title of its note behind."""
    return f"{base}_of_{snake(_camel(title))}" if base.islower() else f"{base}Of{_camel(title)}"


def _camel(text: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z]+", text))
