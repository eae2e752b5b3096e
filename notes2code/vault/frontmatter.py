"""The properties at the head of a note: YAML between two lines of ``---``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from notes2code.diagnostics import Problem, Span, warning

# The stubs do not know the loader that PyYAML has when it was built with libyaml.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_LARGEST = 64 * 1024
_DEEPEST = 50
_TAG_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The properties of a note, and the offset at which the note itself begins."""

    end: int
    properties: Mapping[str, Any] = field(default_factory=dict)
    problem: Problem | None = None

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags among the properties, without ``#`` and in lower case."""
        tags: list[str] = []
        for key in ("tags", "tag"):
            value = self.properties.get(key)
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str):
                    tags.extend(_TAG_SEPARATORS.split(item))
        cleaned = (tag.lstrip("#").strip("/").lower() for tag in tags)
        return tuple(dict.fromkeys(tag for tag in cleaned if tag and not tag.isdigit()))


def read_front_matter(text: str) -> FrontMatter:
    """Read the properties of a note; broken ones give a problem and no properties."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return FrontMatter(0)
    written, start = match[1], match.start(1)
    try:
        refusal = _refusal(written)
        value = None if refusal else yaml.load(written, _LOADER)
    except yaml.MarkedYAMLError as error:
        at = start + _offset(written, _mark(error))
        reason = error.problem or "the YAML is broken"
        return _broken(match, Span(at, at + 1), reason)
    except (yaml.YAMLError, ValueError) as error:
        return _broken(match, Span(0, 3), str(error).split("\n")[0])
    if refusal:
        return _broken(match, Span(0, 3), refusal)
    if value is None:
        return FrontMatter(match.end())
    if not isinstance(value, dict):
        return _broken(match, Span(start, start + 1), "they are no list of names and values")
    return FrontMatter(match.end(), {str(key): item for key, item in value.items()})


def _refusal(written: str) -> str:
    """Why properties that a stranger may have written are not loaded, if they are not."""
    if len(written) > _LARGEST:
        return f"they are longer than {_LARGEST // 1024} KiB"
    depth = 0
    for event in yaml.parse(written, _LOADER):
        if isinstance(event, yaml.AliasEvent):
            return "they hold an alias (*name), which is not read"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            return f"they are nested deeper than {_DEEPEST} levels"
    return ""


def _mark(error: yaml.MarkedYAMLError) -> Any:
    """Where the YAML is broken. What is missed lines behind a bracket or quote that is not closed
    is where that opens; the parser stumbles over what follows."""
    found, opened = error.problem_mark, error.context_mark
    unclosed = (error.context or "").startswith(("while parsing a flow", "while scanning a quoted"))
    if unclosed and opened is not None and (found is None or found.line > opened.line):
        return opened
    return found


def _offset(written: str, mark: Any) -> int:
    """The offset of a YAML mark, kept inside the text it stands in."""
    if mark is None:
        return 0
    lines = written.split("\n")[: mark.line]
    at: int = sum(len(line) + 1 for line in lines) + mark.column
    return min(at, max(len(written) - 1, 0))


def _broken(match: re.Match[str], span: Span, reason: str) -> FrontMatter:
    problem = warning(
        "N2C005",
        f"the properties cannot be read: {reason}",
        span,
        "put text that holds `:`, `#`, `[`, `{` or `@` in quotes, or correct the YAML otherwise; "
        "until then the note has no properties",
    )
    return FrontMatter(match.end(), {}, problem)
