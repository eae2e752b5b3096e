"""The documentation inside the package: docstrings and the table of its README."""

from __future__ import annotations

import textwrap

from notes2code.components.plan import Part, Source

WIDTH = 99


def docstring(part: Part, vault: str, shapes: dict[str, str], indent: int) -> str:
    """The body of a docstring, quotes included, to stand at an indentation.

    It is a raw string, since formulas are full of backslashes; what could end it is taken out.
    """
    pad = " " * indent
    blocks = [part.component.summary, *_formula(part), *_shapes(shapes), _origin(part, vault)]
    lines = "\n\n".join(block for block in blocks if block).split("\n")
    body = "\n".join(f"{pad}{line}".rstrip() for line in lines)
    return f'{pad}r"""{body.lstrip()}\n{pad}"""'


def _formula(part: Part) -> list[str]:
    """The formula, indented, on lines that fit."""
    latex = next((s.latex for s in part.sources if s.latex), part.component.textbook)
    return [textwrap.indent(wrapped(clean(latex), WIDTH - 8), "    ")]


def clean(latex: str) -> str:
    """A formula on one line, with nothing in it that could end a raw docstring."""
    return " ".join(latex.split()).replace('"""', "''' ").replace('"', "'").rstrip("\\")


def wrapped(text: str, width: int) -> str:
    """The text broken at spaces."""
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def _shapes(shapes: dict[str, str]) -> list[str]:
    return ["\n".join(f"{name}: {shape}" for name, shape in shapes.items())] if shapes else []


def _origin(part: Part, vault: str) -> str:
    """Where the formula comes from."""
    places = [f"{vault}/{s.note}:{s.line}" for s in part.sources if s.latex] or []
    if places:
        return wrapped(f"From {', '.join(places[:4])}.", WIDTH - 8)
    named = [f"{vault}/{s.note}:{s.line}" for s in part.sources]
    source = part.component.source
    if named:
        return wrapped(f"Named in {', '.join(named[:4])}; the formula is from {source}.", WIDTH - 8)
    return wrapped(f"After {source}.", WIDTH - 8) if source else ""


def place(vault: str, source: Source) -> str:
    """A place in a note, as ``vault/Attention.md:12``."""
    return f"{vault}/{source.note}:{source.line}"
