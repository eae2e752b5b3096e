"""A plan in, the files of the package out: pure text, the same for the same plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from notes2code.components.plan import Part, Plan
from notes2code.emit import docs
from notes2code.emit.fitting import fitted
from notes2code.emit.formulas import Functions, Plain, functions
from notes2code.emit.graph import EmitError
from notes2code.emit.imports import joined, ordered
from notes2code.emit.readme import Row, around
from notes2code.emit.templating import TEMPLATES, fill
from notes2code.emit.training import MODULES, training
from notes2code.emit.view import Sizes, View, snake
from notes2code.oracle import OracleError, helpers_source

FAMILIES = {
    "linear": "Linear maps: as fast as torch can compute them.",
    "masks": "Masks: which keys a query may see, and softmax over those keys.",
    "cache": "Caches: keys and values that are kept while a text grows.",
    "attention": "Attention: weighted sums of values, by scores of queries and keys.",
    "positions": "Positions: telling a model where in a sequence each token stands.",
    "layers": "Layers: what stands around attention, and what is stacked.",
    "generation": "Generation: which token comes next, from what a model makes of a text.",
    "checkpoints": "Checkpoints: models in files, and the weights of other people's models.",
    "models": "Models: whole Transformers.",
    "losses": "Losses: what training makes small.",
    "training": "Training: how fast a model learns.",
    "metrics": "Metrics: how good an output is.",
}
"""The modules of the package, in the order in which they import each other."""

SHARED = {
    "checkpoints": "checkpoints.py.j2",
    "generation": "generation.py.j2",
    "attention": "attention_bases.py.j2",
    "cache": "cache.py.j2",
    "masks": "masks.py.j2",
    "linear": "linear.py.j2",
}
"""The templates of what the classes of a module share, of which it has what they use; each comes
before those of modules that it imports."""

OFFERED = {
    "checkpoints": set[str](),
    "generation": set[str](),
    "attention": {"Attention"},
    "cache": {"KeyValueCache"},
    "masks": {"causal_mask", "keep_from_padding"},
    "linear": set[str](),
}
"""What of that is there for a caller."""

_MODULE, _TEST, _EXAMPLE = "module.py.j2", "test.py.j2", "example.py.j2"
_CHECKS = ("projected_checks", "attention_checks", "checks")
_BY_FORMULA = re.compile(r"def \w+_by_formula\(")


@dataclass(frozen=True)
class Package:
    """The files by path, relative to the output folder; ``classes`` gives the dotted name of
    each part and formula that is in them, ``left_out`` why each of the others is not. ``tests``
    gives the name of the part that each test is of, by the test's file and name as in pytest's
    ``tests/test_layers.py::test_norm``."""

    files: Mapping[str, str]
    classes: Mapping[Part | Plain, str]
    left_out: Mapping[Part | Plain, str]
    tests: Mapping[str, str]


def render(
    plan: Plan,
    package: str,
    vault: str,
    sizes: Mapping[str, Sizes] | None = None,
    formulas: Sequence[Plain] = (),
    refused: Mapping[str, str] | None = None,
) -> Package:
    """Render the package of a plan. ``vault`` is how notes are named in docstrings; ``sizes`` are
    those of models that notes give in their properties, by the note's path; ``formulas`` become
    functions; ``refused`` says by name which parts are left out, and why."""
    return _Renderer(plan, package, vault, sizes or {}, refused or {}).package(formulas)


class _Renderer:
    def __init__(
        self,
        plan: Plan,
        package: str,
        vault: str,
        sizes: Mapping[str, Sizes],
        refused: Mapping[str, str],
    ) -> None:
        self.plan = plan
        self.refused = refused
        self.name = package
        self.vault = vault
        self.views = {part: View(part, vault, sizes) for part in plan.parts}
        self._share_textbook_attention()
        self._hand_on_caches()
        self.references: dict[Part, str] = {}
        self.texts: dict[Part, dict[str, str]] = {}
        self.left_out = self._render_parts()
        self.families = {
            family: [part for part in self.texts if part.component.family == family]
            for family in FAMILIES
        }

    def _share_textbook_attention(self) -> None:
        """Attentions that write softmax(QKᵀ/√d_k) out use the class that the package has for it."""
        known = (part for part in self.plan.parts if self.views[part].is_textbook_attention)
        kept = (part.name for part in known if not (part.refused or part.name in self.refused))
        name = next(kept, "")
        for view in self.views.values():
            view.textbook_attention = name

    def _hand_on_caches(self) -> None:
        """Attentions take a cache where a layer that can go on from one is made of them."""
        for part, view in self.views.items():
            for role in part.uses.keys() & {"Mix", "Cross"} if view.goes_on else ():
                self.views[part.uses[role]].takes_cache = True

    def _render_parts(self) -> dict[Part | Plain, str]:
        """Render each part; one that cannot be written is left out, with all that is built on
        it. Gives why."""
        causes: dict[Part, tuple[Part, str]] = {}
        for part in self.plan.parts:
            below = next((causes[used] for used in part.uses.values() if used in causes), None)
            if below is not None:
                causes[part] = below
                continue
            try:
                if why := part.refused or self.refused.get(part.name):
                    raise EmitError(why)
                self.references[part] = self.views[part].reference_source()
                self.texts[part] = {
                    name: fitted(self._fill(part, name)) for name in (_MODULE, _TEST)
                }
            except (EmitError, OracleError) as problem:
                causes[part] = part, str(problem)
        return {
            part: why if cause is part else f"it is built on {cause.name}: {why}"
            for part, (cause, why) in causes.items()
        }

    def package(self, plain: Sequence[Plain]) -> Package:
        files: dict[str, str] = {}
        taken = {name for part in self.texts for name in (part.name, snake(part.name))}
        made = functions(plain, self.name, self.vault, taken | {*FAMILIES, *MODULES})
        bodies = {f: self._module(parts) for f, parts in self.families.items() if parts}
        for family in SHARED:
            if shared := self._shared(family, bodies):
                bodies[family] = "\n\n\n".join(filter(None, [*shared, bodies.get(family)]))
        for family in FAMILIES:
            if family in bodies:
                files[f"{self.name}/{family}.py"] = self._file(family, bodies)
        exports = {family: _public(body) for family, body in bodies.items()}
        for family, offered in OFFERED.items():
            if family in exports:
                hidden = {*_public(_template(SHARED[family]))} - offered
                exports[family] = [name for name in exports[family] if name not in hidden]
        if made.names:
            files[f"{self.name}/formulas.py"] = made.module
            files["tests/test_formulas.py"] = made.tests
            exports["formulas"] = list(made.names.values())
        files[f"{self.name}/__init__.py"] = _init(exports)
        formulas = files["tests/formulas.py"] = self._formulas()
        for family, parts in self.families.items():
            if parts:
                files[f"tests/test_{family}.py"] = self._tests(family, parts, formulas)
        for module in SHARED.keys() & bodies.keys():
            if (TEMPLATES / f"test_{module}.py.j2").is_file():
                files[f"tests/test_{module}.py"] = self._shared_tests(module, bodies[module])
        for module in _CHECKS:
            if any(f"from {module} import" in text for text in list(files.values())):
                files[f"tests/{module}.py"] = _template(f"{module}.py.j2")
        files["tests/conftest.py"] = _template("conftest.py.j2")
        views = [self.views[part] for part in self.texts]
        files |= training(self.name, self.vault, views)
        files |= around(self.name, self.vault, self._rows(made), self._example(), views)
        classes: dict[Part | Plain, str] = {
            p: f"{self.name}.{p.component.family}.{p.name}" for p in self.texts
        }
        classes |= {plain: f"{self.name}.formulas.{name}" for plain, name in made.names.items()}
        self.left_out.update((plain, why) for plain, why in made.left_out.items())
        tests = {
            f"tests/test_{part.component.family}.py::{name}": part.name
            for part, texts in self.texts.items()
            for name in _public(texts[_TEST])
        }
        return Package(dict(sorted(files.items())), classes, self.left_out, tests)

    def _rows(self, made: Functions) -> list[Row]:
        """What the README's table says of each class and function."""
        plain = [
            Row((p.source.latex,), name, "formulas", docs.place(self.vault, p.source))
            for p, name in made.names.items()
        ]
        return [
            Row(
                docs.formulas(part),
                part.name,
                family,
                docs.origin(part, self.vault).removeprefix("from "),
            )
            for family, parts in self.families.items()
            for part in parts
        ] + plain

    def _example(self) -> str:
        """The first example: that of the part which most others are built into."""
        order = ("metrics", "training", "losses", "positions", "attention", "layers", "models")
        parts = [p for p in self.texts if (p.component.folder / _EXAMPLE).is_file()]
        parts.sort(key=lambda part: order.index(part.component.family))
        if not parts:
            return ""
        return fill(
            parts[-1].component.folder, _EXAMPLE, part=self.views[parts[-1]], package=self.name
        )

    # --- modules -------------------------------------------------------------------------

    def _module(self, parts: Sequence[Part]) -> str:
        """The classes of a family, one after another."""
        return "\n\n\n".join(self.texts[part][_MODULE] for part in parts)

    def _fill(self, part: Part, template: str) -> str:
        return fill(part.component.folder, template, part=self.views[part], plan=self.views)

    def _shared(self, family: str, bodies: Mapping[str, str]) -> list[str]:
        """The shared functions and classes of a module that the rendered classes use, and, if
        there are any, those that are offered to a caller of its functions."""
        source = _template(SHARED[family]).strip()
        blocks = {_defined(block): block for block in _blocks(source)}
        used: set[str] = set()
        waiting = list(bodies.values())
        while waiting:
            names = set(re.findall(r"\w+", _without_docstrings(waiting.pop())))
            new = (names & blocks.keys()) - used
            used |= new
            waiting += [blocks[name] for name in new]
        return [
            b for name, b in blocks.items() if name in used | (OFFERED[family] if used else set())
        ]

    def _file(self, family: str, bodies: Mapping[str, str]) -> str:
        """A module: what it is, its imports, its classes."""
        body = bodies[family]
        imports = _imports(body) + _siblings(family, body, bodies)
        head = f'"""{FAMILIES[family]}"""\n\nfrom __future__ import annotations\n'
        return f"{head}\n{imports}\n\n{body}\n" if imports else f"{head}\n\n{body}\n"

    # --- tests ---------------------------------------------------------------------------

    def _formulas(self) -> str:
        """The formulas term by term, and functions ``…_by_formula`` that take them at the weights
        of a module: what tests of one part need of another."""
        held = [part for part, texts in self.texts.items() if self._is_held(part, texts[_TEST])]
        helpers = helpers_source(self.views[part].equation for part in held).strip()
        pieces = [helpers] if helpers else []
        defined: dict[str, str] = {}
        for part in held:
            pieces += new_functions(self.references[part], defined)
            pieces += [b for b in _blocks(self.texts[part][_TEST]) if _BY_FORMULA.match(b)]
        body = "\n\n\n".join(pieces)
        return self._test_file("The formulas of the notes in NumPy, term by term.", body, "")

    def _is_held(self, part: Part, test: str) -> bool:
        return self.views[part].reference in test

    def _tests(self, family: str, parts: Sequence[Part], formulas: str) -> str:
        """The tests of a family."""
        blocks = [b for part in parts for b in _blocks(self.texts[part][_TEST])]
        body = "\n\n\n".join(b for b in blocks if not _BY_FORMULA.match(b))
        about = f"Tests of the {family} of the notes, held against the formulas as written."
        return self._test_file(about, body, formulas)

    def _shared_tests(self, module: str, body: str) -> str:
        """The tests of what a module of shared functions and classes has."""
        names = [_defined(block) for block in _blocks(body)]
        tests = fill(TEMPLATES, f"test_{module}.py.j2", there=names)
        about = FAMILIES[module].partition(":")[0].lower()
        return self._test_file(f"Tests of the {about}.", tests, "")

    def _test_file(self, about: str, body: str, formulas: str) -> str:
        imports = (_imports(body) + self._package_imports(body, formulas)).lstrip()
        head = f'"""{about}"""\n\nfrom __future__ import annotations\n'
        return f"{head}\n{imports}\n\n{body}\n"

    def _package_imports(self, body: str, formulas: str) -> str:
        """The imports of what tests use of the package, the formulas and the shared checks."""
        found: list[str] = []
        sources = {module: _template(f"{module}.py.j2") for module in _CHECKS}
        sources["formulas"] = formulas
        sources[f"{self.name}.masks"] = ""
        for family, parts in self.families.items():
            defined = "\n".join(self.texts[part][_MODULE] for part in parts)
            sources[f"{self.name}.{family}"] = defined
        for family, template in SHARED.items():
            sources.setdefault(f"{self.name}.{family}", "")
            sources[f"{self.name}.{family}"] += "\n" + _template(template)
        used = set(_NAME.findall(_without_docstrings(body)))
        for module, source in sources.items():
            names = [name for name in _public(source) if name in used]
            if names:
                found.append(f"from {module} import {joined(names)}")
        return "\n" + "\n".join(sorted(found)) + "\n" if found else ""


def new_functions(source: str, defined: dict[str, str]) -> list[str]:
    """The functions of a source that are not defined yet. One that is defined under another name
    is called by that, unless lines would become shorter than a formatter leaves them; one that
    differs from what already has its name gets a name of its own."""
    functions = re.split(r"\n\n\n+", source.strip())
    own = _public(functions[-1])[0]
    out: list[str] = []
    for at in range(len(functions)):
        name = _public(functions[at])[0]
        if defined.get(name) == functions[at]:
            continue
        alike = (other for other, text in defined.items() if _rest(text) == _rest(functions[at]))
        twin = next((other for other in alike if len(other) >= len(name) and name != own), "")
        if twin or name in defined:
            new = twin or f"{own.removesuffix('_reference')}_{name}"
            called = rf"\b{name}\b(?=\()"
            functions = [fitted(re.sub(called, new, function)) for function in functions]
            name = new
        if name not in defined:
            defined[name] = functions[at]
            out.append(functions[at])
    return out


def _rest(function: str) -> str:
    """A function without its name."""
    return function.partition("(")[2]


def _template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


# --- imports ------------------------------------------------------------------------------------

_KNOWN = (
    (r"\bmath\.", "import math"),
    (r"\bre\.", "import re"),
    (r"\bCallable\b", "from collections.abc import Callable"),
    (r"\bIterator\b", "from collections.abc import Iterator"),
    (r"\bMapping\[", "from collections.abc import Mapping"),
    (r"\bSequence\[", "from collections.abc import Sequence"),
    (r"@contextmanager\b", "from contextlib import contextmanager"),
    (r"\bpartial\(", "from functools import partial"),
    (r"\bCounter\b", "from collections import Counter"),
    (r"\basdict\(", "from dataclasses import asdict"),
    (r"@dataclass\b", "from dataclasses import dataclass"),
    (r"\bsignature\(", "from inspect import signature"),
    (r"\bproduct\(", "from itertools import product"),
    (r"\bPathLike\b", "from os import PathLike"),
    (r"\bPath\b", "from pathlib import Path"),
    (r"\bSimpleNamespace\b", "from types import SimpleNamespace"),
    (r"[:,] Any\b", "from typing import Any"),
    (r"\bnp\.", "import numpy as np"),
    (r"\bpytest\.", "import pytest"),
    (r"\btorch\.(?!nn)", "import torch"),
    (r"\bF\.\w", "import torch.nn.functional as F"),
    (r"(?<![\w.])Tensor\b", "from torch import Tensor"),
    (r"(?<![\w.])nn\.", "from torch import nn"),
)
_OTHERS = ("numpy", "pytest", "torch")
"""The packages that are none of Python's own."""


_NAME = re.compile(r"(?<![\w.\"])[A-Za-z_]\w*")
"""A name in code; what stands behind a dot, or first in a string, is none."""


def _imports(body: str) -> str:
    """The imports that a body needs, grouped and sorted as ruff does."""
    code = _without_docstrings(body)
    whole: dict[str, list[str]] = {}
    for pattern, line in _KNOWN:
        if re.search(pattern, code):
            module, _, name = line.partition(" import ")
            whole.setdefault(module, []).extend([name] if name else [])
    needed = [f"{m} import {joined(names)}" if names else m for m, names in whole.items()]
    standard = [n for n in needed if re.split(r"[ .]", n)[1] not in _OTHERS]
    other = [n for n in needed if n not in standard]
    order = lambda line: (line.startswith("from"), line.lower())  # noqa: E731
    groups = ["\n".join(sorted(group, key=order)) for group in (standard, other) if group]
    return "\n\n".join(groups) + ("\n" if groups else "")


def _init(exports: Mapping[str, Sequence[str]]) -> str:
    """The package's own module, which gives all names of the others."""
    lines = [f"from .{family} import {joined(names)}" for family, names in exports.items() if names]
    names = ordered(name for names in exports.values() for name in names)
    listed = "".join(f'    "{name}",\n' for name in names)
    head = '"""A Transformer package, compiled from notes by notes2code."""\n'
    return f"{head}\n" + "\n".join(sorted(lines)) + f"\n\n__all__ = [\n{listed}]\n"


def _siblings(family: str, body: str, bodies: Mapping[str, str]) -> str:
    """Imports of other modules' classes."""
    lines: list[str] = []
    code = _without_docstrings(body)
    used = set(_NAME.findall(code))
    for other, text in bodies.items():
        names = [n for n in _public(text) if n in used and re.search(_used(n), code)]
        if other != family and names:
            lines.append(f"from .{other} import {joined(names)}")
    return "\n" + "\n".join(sorted(lines)) + "\n" if lines else ""


def _used(name: str) -> str:
    """A pattern for the use of a class, or for a call of a function."""
    return rf"(?<![\w.]){name}" + (r"\(" if name[0].islower() else r"\b")


def _without_docstrings(body: str) -> str:
    return re.sub(r'r?"""[\s\S]*?"""', "", body)


def _blocks(text: str) -> list[str]:
    """The functions and classes of a text, which two empty lines part."""
    return re.split(r"\n\n\n+", text)


def _defined(block: str) -> str:
    """The name of the function or class that a block defines."""
    return re.split(r"[(:]", re.sub(r"^(@.*\n)*(def|class) ", "", block))[0]


def _public(body: str) -> list[str]:
    """The classes and functions that a module defines at its top."""
    return re.findall(r"^(?:class|def) ([A-Za-z]\w*)", body, re.MULTILINE)
