"""The configurations of models: the sizes that all of them say alike stand once, in their base."""

from __future__ import annotations

import re

_BASE = re.compile(r'(class ModelConfig:\n    """[^"]*)(\.""")\n\n((?:    \w+: .*\n)+)')
_CONFIGURATION = re.compile(
    r'(class \w+\(ModelConfig\):\n    """[^"]*""")\n\n((?:    \w+: .*(?:\n|$))+)'
)


def with_sizes_once(models: str) -> str:
    """A module of models in which the base of their configurations has the defaults that all of
    these say, and they say the rest. Those of one model alone stay where it is configured."""
    base = _BASE.search(models)
    said = [found[2].splitlines() for found in _CONFIGURATION.finditer(models)]
    if base is None or len(said) < 2:
        return models
    alike = [field for field in said[0] if all(field in fields for fields in said)]
    alike = [field for field in alike if f"{_declared(field)}\n" in base[3]]
    own = _CONFIGURATION.sub(lambda found: _without(alike, found), models)
    return own.replace(base[0], _with(alike, base))


def _declared(field: str) -> str:
    """A field without its default."""
    return field.partition(" = ")[0]


def _without(alike: list[str], found: re.Match[str]) -> str:
    """A configuration that has some of its fields from its base."""
    fields = [field for field in found[2].splitlines() if field not in alike]
    return "\n".join([found[1], *([""] if fields else []), *fields, ""])


def _with(alike: list[str], base: re.Match[str]) -> str:
    """The base, with the defaults of the fields that all configurations say."""
    defaults = {_declared(field): field for field in alike}
    fields = [defaults.get(field, field) for field in base[3].splitlines()]
    about = ", by default those of the notes" if "=" in "".join(alike) else ""
    return "\n".join([f"{base[1]}{about}{base[2]}", "", *fields, ""])
