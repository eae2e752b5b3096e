"""Templates in, text out: a component's own templates, and those that all components share."""

from __future__ import annotations

from pathlib import Path

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
)

from notes2code.components.library import ComponentError
from notes2code.emit.graph import EmitError

TEMPLATES = Path(__file__).parent / "templates"


def fill(folder: Path, template: str, **values: object) -> str:
    """The text of a template in a component's folder; a value that it lacks is an error. Raises
    ``EmitError`` where the component has no such template, ``ComponentError`` where it has a
    broken one."""
    environment = Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    try:
        return environment.get_template(template).render(**values).strip("\n")
    except TemplateNotFound as missing:
        raise EmitError(f"the component has no template {missing.name}") from None
    except TemplateError as problem:
        raise ComponentError(f"{folder / template}: {problem}") from problem
