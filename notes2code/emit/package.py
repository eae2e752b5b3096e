"""A plan in, the files of the package out: pure text, the same for the same plan."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from notes2code import faults
from notes2code.components.plan import Part, Plan
from notes2code.emit import docs
from notes2code.emit.blocks import NAME, blocks_of, name_of, public_names, without_docstrings
from notes2code.emit.fitting import fitted
from notes2code.emit.formulas import Functions, Plain, functions
from notes2code.emit.graph import EmitError
from notes2code.emit.imports import imports_of, imports_of_siblings, joined, ordered
from notes2code.emit.readme import Row, around
from notes2code.emit.templating import TEMPLATES, fill
from notes2code.emit.training import MODULES, tests_of_training, training
from notes2code.emit.view import Sizes, View
from notes2code.names import snake
from notes2code.oracle import OracleError, helpers_source

FAMILIES = {
    "sizes": "Sizes: what classes can be made with.",
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
    "models": "model_bases.py.j2",
    "checkpoints": "checkpoints.py.j2",
    "generation": "generation.py.j2",
    "attention": "attention_bases.py.j2",
    "cache": "cache.py.j2",
    "masks": "masks.py.j2",
    "linear": "linear.py.j2",
    "sizes": "sizes.py.j2",
}
"""The templates of what the classes of a module share, of which it has what they use; each comes
before those of modules that it imports."""

OFFERED = {
    "attention": {"Attention"},
    "cache": {"KeyValueCache"},
    "masks": {"causal_mask", "keep_from_padding"},
}
"""What of that is there for a caller; of the other modules nothing is."""

HELPERS = {"causal_mask", "keep_from_padding"}
"""What a caller may need beside the classes of a package, whether or not these call it."""

_MODULE, _TEST, _EXAMPLE = "module.py.j2", "test.py.j2", "example.py.j2"
_CHECKS = ("projected_checks", "attention_checks", "checks")
_BY_FORMULA = re.compile(r"def \w+_by_formula\(")


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
        self.references: dict[Part, str] = {}
        self.texts: dict[Part, dict[str, str]] = {}
        self.there = self.views
        self.left_out = self._render_parts()
        made_of = self._made_of()
        needed = {part for part in self.texts if part.sources}
        needed |= {used for part in needed for used in made_of[part]}
        self.texts = {part: texts for part, texts in self.texts.items() if part in needed}
        self.families = {
            family: self._in_order([p for p in self.texts if p.component.family == family], made_of)
            for family in FAMILIES
        }

    @staticmethod
    def _in_order(parts: list[Part], made_of: Mapping[Part, set[Part]]) -> list[Part]:
        """The parts of a module: what is made of fewer parts comes first, then what more of the
        package is made of, with its variants, and else as in the notes; but whole models stay with
        what they are made of."""
        users = Counter(part for used in made_of.values() for part in used)
        of_variants = Counter(p.component.name for used in made_of.values() for p in used)
        order = [part.component.name for part in parts]

        def place(part: Part) -> tuple[int, ...]:
            name = part.component.name
            return len(made_of[part]), -of_variants[name], order.index(name), -users[part]

        ordered = sorted(parts, key=place)
        if "models" not in {part.component.family for part in parts}:
            return ordered
        whole = [part for part in parts if not any(part in made_of[other] for other in parts)]
        with_pieces = ([p for p in ordered if p in made_of[part] or p is part] for part in whole)
        return list(dict.fromkeys(part for pieces in with_pieces for part in pieces))

    def _made_of(self) -> dict[Part, set[Part]]:
        """The parts that each one names in its code, with those that these name, and so on."""
        codes = {part: without_docstrings(texts[_MODULE]) for part, texts in self.texts.items()}
        names = {part: {*NAME.findall(code)} - {part.name} for part, code in codes.items()}
        made_of = {part: {p for p in names if p.name in names[part]} for part in names}
        for part, used in made_of.items():
            for others in made_of.values():
                if part in others:
                    others |= used
        return made_of

    def _share_textbook_attention(self) -> None:
        """Attentions that write softmax(QKᵀ/√d_k) out use the class that the package has for it."""
        known = (part.name for part, view in self.there.items() if view.is_textbook_attention)
        name = next(known, "")
        for view in self.there.values():
            view.textbook_attention = name

    def _hand_on_caches(self) -> None:
        """Attentions take a cache where a layer that can go on from one is made of them."""
        for part, view in self.views.items():
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

    def _render_all_but(
        self, left_out: Mapping[Part, tuple[Part, str]]
    ) -> dict[Part, tuple[Part, str]]:
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
                self.references[part] = self.views[part].reference_source()
                self.texts[part] = {
                    name: fitted(self._fill(part, name)) for name in (_MODULE, _TEST)
                }
            except (EmitError, OracleError) as problem:
                causes[part] = part, str(problem)
            except Exception as fault:
                causes[part] = part, f"notes2code fails at it: {faults.described(fault)}"
        return causes

    def package(self, plain: Sequence[Plain]) -> Package:
        files: dict[str, str] = {}
        taken = {name for part in self.texts for name in (part.name, snake(part.name))}
        taken |= {*FAMILIES, *MODULES}
        made = functions(plain, self.name, self.vault, taken, self.refused)
        bodies = {f: self._module(parts) for f, parts in self.families.items() if parts}
        for family in SHARED:
            if shared := self._shared(family, bodies):
                bodies[family] = "\n\n\n".join(filter(None, [*shared, bodies.get(family)]))
        for family in FAMILIES:
            if family in bodies:
                files[f"{self.name}/{family}.py"] = self._file(family, bodies)
        exports = {family: public_names(body) for family, body in bodies.items()}
        for family, template in SHARED.items():
            if family in exports:
                hidden = {*public_names(_template(template))} - OFFERED.get(family, set())
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
                files[f"tests/test_{module}.py"] = self._shared_tests(module, bodies)
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
            f"tests/test_{part.component.family}.py::{name}": {part.name}
            for part, texts in self.texts.items()
            for name in public_names(texts[_TEST])
        }
        tests |= {f"tests/test_formulas.py::{test}": {name} for test, name in made.tested.items()}
        tests |= tests_of_training(files, views)
        doubts: dict[Part | Plain, str] = {
            part: doubt for part in self.texts if (doubt := self.views[part].doubt)
        }
        return Package(dict(sorted(files.items())), classes, self.left_out, tests, doubts)

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
        classes = re.findall(r"^class (Test\w+)", self.texts[part][_TEST], re.MULTILINE)
        module = f"test_{part.component.family}.py"
        return f"{module}::{classes[0]}" if len(classes) == 1 else module

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
        return fill(part.component.folder, template, part=self.views[part], plan=self.there)

    def _shared(self, family: str, bodies: Mapping[str, str]) -> list[str]:
        """The shared functions and classes of a module that the rendered classes use; and, if
        there are any, the helpers of their callers."""
        source = _template(SHARED[family]).strip()
        blocks = {name_of(block): block for block in blocks_of(source)}
        used: set[str] = set()
        waiting = list(bodies.values())
        while waiting:
            names = set(re.findall(r"\w+", without_docstrings(waiting.pop())))
            new = (names & blocks.keys()) - used
            used |= new
            waiting += [blocks[name] for name in new]
        there = used | HELPERS if used else used
        return [block for name, block in blocks.items() if name in there]

    def _file(self, family: str, bodies: Mapping[str, str]) -> str:
        """A module: what it is, its imports, its classes."""
        body = bodies[family]
        imports = imports_of(body) + imports_of_siblings(family, body, bodies)
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
            pieces += [b for b in blocks_of(self.texts[part][_TEST]) if _BY_FORMULA.match(b)]
        body = "\n\n\n".join(pieces)
        return self._test_file("The formulas of the notes in NumPy, term by term.", body, "")

    def _is_held(self, part: Part, test: str) -> bool:
        return self.views[part].reference in test

    def _tests(self, family: str, parts: Sequence[Part], formulas: str) -> str:
        """The tests of a family."""
        blocks = [b for part in parts for b in blocks_of(self.texts[part][_TEST])]
        body = "\n\n\n".join(b for b in blocks if not _BY_FORMULA.match(b))
        about = f"Tests of the {family} of the notes, held against the formulas as written."
        return self._test_file(about, body, formulas)

    def _shared_tests(self, module: str, bodies: Mapping[str, str]) -> str:
        """The tests of what a module of shared functions and classes has."""
        names = [name_of(block) for block in blocks_of(bodies[module])]
        tests = fill(
            TEMPLATES,
            f"test_{module}.py.j2",
            there=names,
            sized=_makers(bodies, r"\bcheck_(sizes|multiples)\("),
            dropping=_makers(bodies, r"\bcheck_dropout\("),
        )
        about = FAMILIES[module].partition(":")[0].lower()
        return self._test_file(f"Tests of the {about}.", tests, "")

    def _test_file(self, about: str, body: str, formulas: str) -> str:
        imports = (imports_of(body) + self._package_imports(body, formulas)).lstrip()
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
        used = set(NAME.findall(without_docstrings(body)))
        for module, source in sources.items():
            names = [name for name in public_names(source) if name in used]
            if names:
                found.append(f"from {module} import {joined(names)}")
        return "\n" + "\n".join(sorted(found)) + "\n" if found else ""


def new_functions(source: str, defined: dict[str, str]) -> list[str]:
    """The functions of a source that are not defined yet. One that is defined under another name
    is called by that, unless lines would become shorter than a formatter leaves them; one that
    differs from what already has its name gets a name of its own."""
    functions = re.split(r"\n\n\n+", source.strip())
    own = public_names(functions[-1])[0]
    out: list[str] = []
    for at in range(len(functions)):
        name = public_names(functions[at])[0]
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


def _makers(bodies: Mapping[str, str], checked: str) -> list[str]:
    """The classes that check what they are made with, in order; a configuration has its own
    tests."""
    blocks = (block for body in bodies.values() for block in blocks_of(body))
    made = rf"def __init__\([\s\S]*{checked}"
    return ordered(name_of(block) for block in blocks if re.search(made, block))


def _rest(function: str) -> str:
    """A function without its name."""
    return function.partition("(")[2]


def _template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _init(exports: Mapping[str, Sequence[str]]) -> str:
    """The package's own module, which gives all names of the others."""
    lines = [f"from .{family} import {joined(names)}" for family, names in exports.items() if names]
    names = ordered(name for names in exports.values() for name in names)
    listed = "".join(f'    "{name}",\n' for name in names)
    head = '"""A Transformer package, compiled from notes by notes2code."""\n'
    return f"{head}\n" + "\n".join(sorted(lines)) + f"\n\n__all__ = [\n{listed}]\n"
