"""A plan in, the files of the package out: pure text, the same for the same plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from notes2code import faults
from notes2code.components.parts import Part, Plan
from notes2code.emit import docs
from notes2code.emit.fitting import fitted
from notes2code.emit.formulas import Functions, Plain, functions
from notes2code.emit.graph import EmitError
from notes2code.emit.inherited import inherited
from notes2code.emit.modules import FAMILIES, exports, init, module, template, with_shared
from notes2code.emit.order import made_of, ordered_parts
from notes2code.emit.places_doubted import places_doubted
from notes2code.emit.readme import Row, around
from notes2code.emit.templating import fill
from notes2code.emit.testing import Texts, checks, public_tests, tests
from notes2code.emit.training import MODULES, tests_of_training, training
from notes2code.emit.view import Sizes, View
from notes2code.names import snake
from notes2code.oracle import OracleError

_MODULE, _TEST, _EXAMPLE = "module.py.j2", "test.py.j2", "example.py.j2"


@dataclass(frozen=True)
class Package:
    """The files by path, relative to the output folder; ``classes`` gives the dotted name of
    each part and formula that is in them, ``left_out`` why each of the others is not. ``tests``
    gives the names of the parts that each test is of, by the test's file and name as in pytest's
    ``tests/test_layers.py::test_norm``; ``doubts`` what the notes may mean otherwise."""

    files: Mapping[str, str]
    classes: Mapping[Part | Plain, str]
    left_out: Mapping[Part | Plain, str]
    tests: Mapping[str, set[str]]
    doubts: Mapping[Part | Plain, str]


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
        self._hand_on_caches()
        self.texts: dict[Part, Texts] = {}
        self.there = self.views
        self.left_out = self._render_parts()
        self._keep_what_is_needed()
        self.families = self._in_modules()

    def _keep_what_is_needed(self) -> None:
        """Leave out what the notes do not speak of and nothing is made of, since what was is left
        out itself."""
        uses = made_of({part: text.module for part, text in self.texts.items()})
        needed = {part for part in self.texts if part.sources}
        needed |= {used for part in needed for used in uses[part]}
        if unneeded := self.texts.keys() - needed:
            self._render_all_but({*self.left_out, *unneeded})

    def _in_modules(self) -> dict[str, list[Part]]:
        """The parts in each module, in order."""
        uses = made_of({part: text.module for part, text in self.texts.items()})
        families = {f: [p for p in self.texts if p.component.family == f] for f in FAMILIES}
        return {f: ordered_parts(parts, uses) for f, parts in families.items() if parts}

    def _share_textbook_attention(self) -> None:
        """Attentions that write softmax(QKᵀ/√d_k) out use the class that the package has for it."""
        known = (part.name for part, view in self.there.items() if view.is_textbook_attention)
        name = next(known, "")
        for view in self.there.values():
            view.textbook_attention = name

    def _hand_on_caches(self) -> None:
        """Attentions take a cache where a layer that can go on from one is made of them."""
        for part, view in self.views.items():
            with suppress(EmitError):  # told where it is rendered
                for role in part.uses.keys() & {"Mix", "Cross"} if view.goes_on else ():
                    self.views[part.uses[role]].takes_cache = True

    def _render_parts(self) -> dict[Part | Plain, str]:
        """Render each part; one that cannot be written is left out, with all that is built on
        it. Gives why."""
        left_out: dict[Part, tuple[Part, str]] = {}
        while new := self._render_all_but(left_out):  # what is left now names none of these
            left_out |= new
        return {
            part: why if cause is part else f"it is built on {cause.name}: {why}"
            for part, (cause, why) in left_out.items()
        }

    def _render_all_but(self, left_out: Collection[Part | Plain]) -> dict[Part, tuple[Part, str]]:
        """Render the parts that are not left out. Gives those that have to be, too, and for each
        the part that cannot be written, and why."""
        self.texts = {}
        self.there = {part: view for part, view in self.views.items() if part not in left_out}
        self._share_textbook_attention()
        causes: dict[Part, tuple[Part, str]] = {}
        for part in self.there:
            below = next((causes[used] for used in part.uses.values() if used in causes), None)
            if below is not None:
                causes[part] = below
                continue
            try:
                if why := part.refused or self.refused.get(part.name):
                    raise EmitError(why)
                reference = self.views[part].reference_source()
                module, test = (fitted(self._fill(part, name)) for name in (_MODULE, _TEST))
                self.texts[part] = Texts(module, test, reference)
            except (EmitError, OracleError) as problem:
                causes[part] = part, str(problem)
            except Exception as fault:
                causes[part] = part, f"notes2code fails at it: {faults.described(fault)}"
        return causes

    def _fill(self, part: Part, template: str) -> str:
        return fill(part.component.folder, template, part=self.views[part], plan=self.there)

    def package(self, plain: Sequence[Plain]) -> Package:
        taken = {name for part in self.texts for name in (part.name, snake(part.name))}
        made = functions(plain, self.name, self.vault, taken | {*FAMILIES, *MODULES}, self.refused)
        files = self._files(made)
        classes: dict[Part | Plain, str] = {
            p: f"{self.name}.{p.component.family}.{p.name}" for p in self.texts
        }
        classes |= {plain: f"{self.name}.formulas.{name}" for plain, name in made.names.items()}
        self.left_out.update((plain, why) for plain, why in made.left_out.items())
        of_parts = public_tests(self.texts)
        of_parts |= {f"tests/test_formulas.py::{test}": {n} for test, n in made.tested.items()}
        of_parts |= tests_of_training(files, self._views())
        doubts: dict[Part | Plain, str] = {
            part: doubt
            for part in self.texts
            if (doubt := self.views[part].doubt or places_doubted(part, self.views, self.texts))
        }
        return Package(dict(sorted(files.items())), classes, self.left_out, of_parts, doubts)

    def _files(self, made: Functions) -> dict[str, str]:
        """All files, by path."""
        bodies = with_shared(
            {
                family: "\n\n\n".join(inherited([self.texts[part].module for part in parts]))
                for family, parts in self.families.items()
            }
        )
        offered = exports(bodies)
        files = {f"{self.name}/{family}.py": module(family, bodies) for family in bodies}
        if made.names:
            files[f"{self.name}/formulas.py"] = made.module
            files["tests/test_formulas.py"] = made.tests
            offered["formulas"] = list(made.names.values())
        files[f"{self.name}/__init__.py"] = init(offered)
        files |= tests(self.name, self.texts, self.families, self.views, bodies)
        files |= checks(files)
        files["tests/conftest.py"] = template("conftest.py.j2")
        files |= training(self.name, self.vault, self._views())
        return files | around(
            self.name, self.vault, self._rows(made), self._example(), self._views()
        )

    def _views(self) -> list[View]:
        return [self.views[part] for part in self.texts]

    # --- the README ----------------------------------------------------------------------

    def _rows(self, made: Functions) -> list[Row]:
        """What the README's table says of each class and function."""
        plain = [
            Row(
                (p.source.latex,),
                name,
                "formulas",
                docs.place(self.vault, p.source),
                "test_formulas.py",
            )
            for p, name in made.names.items()
        ]
        return [
            Row(
                docs.formulas(part),
                part.name,
                family,
                docs.origin(part, self.vault).removeprefix("from "),
                self._place_of_tests(part),
            )
            for family, parts in self.families.items()
            for part in parts
        ] + plain

    def _place_of_tests(self, part: Part) -> str:
        """Where the tests of a part are: in a class of a module, or all over the module."""
        classes = re.findall(r"^class (Test\w+)", self.texts[part].test, re.MULTILINE)
        module = f"test_{part.component.family}.py"
        return f"{module}::{classes[0]}" if len(classes) == 1 else module

    def _example(self) -> str:
        """The first example: that of the part which most others are built into."""
        order = ("metrics", "schedules", "losses", "positions", "attention", "layers", "models")
        parts = [p for p in self.texts if (p.component.folder / _EXAMPLE).is_file()]
        parts.sort(key=lambda part: order.index(part.component.family))
        if not parts:
            return ""
        return fill(
            parts[-1].component.folder, _EXAMPLE, part=self.views[parts[-1]], package=self.name
        )
