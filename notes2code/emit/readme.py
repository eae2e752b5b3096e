"""What stands around a package: its README with an example that runs, and how pip installs it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from notes2code.emit.imports import joined
from notes2code.emit.templating import TEMPLATES, fill
from notes2code.emit.training import trained
from notes2code.emit.view import View


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the README's table: formulas, the class or function in a module of the package
    that computes them, where they come from, and the tests, as pytest names them in ``tests/``."""

    formulas: tuple[str, ...]
    name: str
    module: str
    origin: str
    tests: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells as Markdown."""
        code = f"[`{self.name}`]({{package}}/{self.module}.py)"
        formulas = "<br>".join(map(math, self.formulas))
        return formulas, code, cell(self.origin), f"`tests/{self.tests}`"


def around(
    package: str, vault: str, rows: Sequence[Row], example: str, parts: Sequence[View]
) -> dict[str, str]:
    """The files around a package, by path. ``example`` is Python, "" for none; ``parts`` are what
    is in the package."""
    table = [" | ".join(row.cells).replace("{package}", package) for row in rows]
    name = _line(vault).replace("`", "'")
    first = {part.component: part for part in reversed(parts)}
    heads, other = _heads(parts)
    readme = fill(
        TEMPLATES,
        "README.md.j2",
        package=package,
        vault=name,
        table=table,
        example=example,
        models={task: model.name for task, model in trained(parts).items()},
        text=first.get("gpt"),
        translation=first.get("encoder_decoder"),
        loss=first.get("cross_entropy"),
        heads=heads,
        other=other,
        joined=joined,
        attention=any(row.module == "attention" for row in rows),
        bleu=any(part.component == "bleu" for part in parts),
    )
    project = fill(TEMPLATES, "pyproject.toml.j2", package=package, project=_project(package))
    files = {"README.md": readme, "pyproject.toml": project}
    if example:
        files["tests/test_readme.py"] = fill(TEMPLATES, "test_readme.py.j2")
    return {path: f"{text}\n" for path, text in files.items()} | {f"{package}/py.typed": ""}


def _heads(parts: Sequence[View]) -> tuple[View, View] | tuple[None, None]:
    """Attention of several heads, and an attention unlike its own that the heads may have, which is
    made without sizes; none where there are not both."""
    for heads in parts:
        if heads.component == "multi_head_attention" and heads.rotary is None:
            takes = heads.projected.inner or (heads.projected.textbook and heads.textbook_attention)
            for other in parts if takes else ():
                usual = other.component == "scaled_dot_product_attention"
                if not usual and other.head_size == 2 and not other.head_sizes:
                    return heads, other
    return None, None


def _project(package: str) -> str:
    """The name of a package for pip, which begins and ends with a letter or digit."""
    return package.strip("_") or "transformer"


def cell(text: str) -> str:
    """Any text as what it is in a cell of a table: one line that is no Markdown."""
    return re.sub(r"([\\`*_\[\]<>|$])", r"\\\1", _line(text))


def math(latex: str) -> str:
    """A formula in a cell of a table: as math, or as code where it would end the math."""
    line = _line(latex)
    if "$" in line or "`" in line or line.endswith("\\"):
        code = line.replace("`", "'").replace("|", r"\|")
        return f"`{code} `"
    signs = {r"\|": r"\Vert ", "|": r"\vert ", "<": r"\lt ", ">": r"\gt "}
    safe = re.sub(r"(\\?\||<|>) ?", lambda sign: signs[sign[1]], line)
    return f"${safe}$"


def _line(text: str) -> str:
    """A text on one line, without signs that cannot be seen."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
