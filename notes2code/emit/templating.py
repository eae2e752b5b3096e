"""Templates in, text out: a component's own templates, and those that all components share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from pickle import UnpicklingError

from jinja2 import (
    Environment,
    FileSystemBytecodeCache,
    FunctionLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
)
from jinja2.bccache import Bucket

from notes2code.cache import folder as cache_folder
from notes2code.components.library import ComponentError
from notes2code.emit.docs import wrapped
from notes2code.emit.graph import EmitError

TEMPLATES = Path(__file__).parent / "templates"


def fill(folder: Path, template: str, **values: object) -> str:
    """The text of a template in a component's folder; a value that it lacks is an error. Raises
    ``EmitError`` where the component has no such template, ``ComponentError`` where it has a
    broken one."""
    place = folder / template
    try:
        return _environment().get_template(str(place)).render(**values).strip("\n")
    except TemplateNotFound as missing:
        name = Path(str(missing.name)).name
        raise EmitError(f"the component has no template {name}") from None
    except TemplateError as problem:
        raise ComponentError(f"{place}: {problem}") from problem


class _Environment(Environment):
    """Templates by their places, each compiled once for all components."""

    def join_path(self, template: str, parent: str) -> str:
        """What a template imports lies beside it, or among those that all share."""
        own = Path(parent).parent / template
        return str(own if own.is_file() else TEMPLATES / template)


class _Kept(FileSystemBytecodeCache):
    """Compiled templates on disk; where one cannot be read or written, there is none."""

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except (OSError, EOFError, UnpicklingError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _load(place: str) -> tuple[str, str, Callable[[], bool]] | None:
    """A template's text, and whether it is still that of the file."""
    path = Path(place)
    if not path.is_file():
        return None
    changed = path.stat().st_mtime_ns
    text = path.read_text(encoding="utf-8")
    return text, place, lambda: path.is_file() and path.stat().st_mtime_ns == changed


@cache
def _environment() -> Environment:
    """The environment of all templates. What Jinja makes of them is kept between runs, where
    that is possible: to compile them takes longer than to fill them."""
    kept = None
    with suppress(OSError, RuntimeError):
        place = cache_folder() / "templates"
        place.mkdir(parents=True, exist_ok=True)
        kept = _Kept(str(place))
    environment = _Environment(
        loader=FunctionLoader(_load),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        bytecode_cache=kept,
    )
    environment.filters["paragraph"] = _paragraph
    return environment


def _paragraph(text: str) -> str:
    """Text for Markdown, broken into lines anew, and the empty line behind it."""
    return wrapped(text, 100) + "\n\n"
