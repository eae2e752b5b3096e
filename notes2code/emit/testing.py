"""The tests of a package: the formulas term by term, and a file of tests for each module."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from symtable import SymbolTable, symtable
from typing import NamedTuple

from notes2code.components.parts import Part
from notes2code.emit.blocks import blocks_of, name_of, public_names
from notes2code.emit.fitting import fitted
from notes2code.emit.imports import imports_of, joined, ordered
from notes2code.emit.modules import FAMILIES, SHARED, template
from notes2code.emit.templating import TEMPLATES, fill
from notes2code.emit.view import View
from notes2code.oracle import helpers_source

_CHECKS = ("kernel_checks", "projected_checks", "attention_checks", "checks")
"""The modules of checks that the tests of several classes share, those that import others first."""

_BY_FORMULA = re.compile(r"def \w+_by_formula\(")


class Texts(NamedTuple):
    """What a part becomes: its class, the tests of that, and its formula in NumPy."""

    module: str
    test: str
    reference: str


def tests(
    package: str,
    texts: Mapping[Part, Texts],
    families: Mapping[str, Sequence[Part]],
    views: Mapping[Part, View],
    bodies: Mapping[str, str],
) -> dict[str, str]:
    """The files of the tests, by path; ``families`` are the parts in each module of the package,
    in order, and ``bodies`` their classes with what they share."""
    return _Tests(package, texts, families, views, bodies).files()


def public_tests(texts: Mapping[Part, Texts]) -> dict[str, set[str]]:
    """The names of the parts that each test is of, by the test's file and name as in pytest's
    ``tests/test_layers.py::test_norm``."""
    return {
        f"tests/test_{part.component.family}.py::{name}": {part.name}
        for part, text in texts.items()
        for name in public_names(text.test)
    }


class _Tests:
    def __init__(
        self,
        package: str,
        texts: Mapping[Part, Texts],
        families: Mapping[str, Sequence[Part]],
        views: Mapping[Part, View],
        bodies: Mapping[str, str],
    ) -> None:
        self.package, self.texts, self.families = package, texts, families
        self.views, self.bodies = views, bodies

    def files(self) -> dict[str, str]:
        formulas = self._formulas()
        files = {"tests/formulas.py": formulas} if formulas else {}
        for family, parts in self.families.items():
            files[f"tests/test_{family}.py"] = self._of_family(family, parts, formulas)
        for module in SHARED.keys() & self.bodies.keys():
            if (TEMPLATES / f"test_{module}.py.j2").is_file() and (text := self._of_shared(module)):
                files[f"tests/test_{module}.py"] = text
        return files

    def _formulas(self) -> str:
        """The formulas term by term, and functions ``…_by_formula`` that take them at the weights
        of a module: what tests of one part need of another."""
        held = [part for part, text in self.texts.items() if self._is_held(part, text.test)]
        helpers = helpers_source(self.views[part].equation for part in held).strip()
        pieces = [helpers] if helpers else []
        defined: dict[str, str] = {}
        for part in held:
            pieces += new_functions(self.texts[part].reference, defined)
            pieces += [b for b in blocks_of(self.texts[part].test) if _BY_FORMULA.match(b)]
        about = "The formulas of the notes in NumPy, term by term."
        return self._file(about, "\n\n\n".join(pieces), "") if pieces else ""

    def _is_held(self, part: Part, test: str) -> bool:
        return self.views[part].reference in test

    def _of_family(self, family: str, parts: Sequence[Part], formulas: str) -> str:
        """The tests of a family."""
        blocks = [b for part in parts for b in blocks_of(self.texts[part].test)]
        body = "\n\n\n".join(b for b in blocks if not _BY_FORMULA.match(b))
        about = f"Tests of the {family} of the notes, held against the formulas as written."
        return self._file(about, body, formulas)

    def _of_shared(self, module: str) -> str:
        """The tests of what a module of shared functions and classes has, if there are any."""
        tests = fill(
            TEMPLATES,
            f"test_{module}.py.j2",
            there=[name_of(block) for block in blocks_of(self.bodies[module])],
            sized=self._made_with(r"\bcheck_(sizes|multiples)\("),
            dropping=self._made_with(r"\bcheck_dropout\("),
        )
        about = FAMILIES[module].partition(":")[0].lower()
        body = "\n\n\n".join(blocks_of(tests))
        return self._file(f"Tests of the {about}.", body, "") if body else ""

    def _made_with(self, checked: str) -> list[str]:
        """The classes that check all that they are made with; a configuration has tests of its
        own."""
        blocks = (block for body in self.bodies.values() for block in blocks_of(body))
        made = rf"def __init__\([\s\S]*{checked}"
        return ordered(name_of(block) for block in blocks if re.search(made, block))

    def _file(self, about: str, body: str, formulas: str) -> str:
        imports = (imports_of(body) + self._imports(body, formulas)).lstrip()
        head = f'"""{about}"""\n\nfrom __future__ import annotations\n'
        return f"{head}\n{imports}\n\n{body}\n"

    def _imports(self, body: str, formulas: str) -> str:
        """The imports of what tests use of the package, the formulas and the shared checks."""
        sources = {module: template(f"{module}.py.j2") for module in _CHECKS}
        sources["formulas"] = formulas
        for family in FAMILIES:
            shared = [template(SHARED[family])] if family in SHARED.keys() & self.bodies else []
            defined = [self.texts[part].module for part in self.families.get(family, ())] + shared
            sources[f"{self.package}.{family}"] = "\n".join(defined)
        used = set(_asked_for(symtable(body, "tests", "exec")))
        found = [
            f"from {module} import {joined(names, room=min(70, 88 - len(module)))}"
            for module, source in sources.items()
            if (names := [name for name in public_names(source) if name in used])
        ]
        return "\n" + "\n".join(sorted(found)) + "\n" if found else ""


def _asked_for(scope: SymbolTable) -> Iterator[str]:
    """The names that code asks its module for: the parameters of its functions are none."""
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (symbol.is_global() or scope.get_type() == "module"):
            yield symbol.get_name()
    for inner in scope.get_children():
        yield from _asked_for(inner)


def checks(files: Mapping[str, str]) -> dict[str, str]:
    """The modules of checks that some files import, or these import themselves, by path."""
    found: dict[str, str] = {}
    for module in _CHECKS:
        if any(f"from {module} import" in text for text in (*files.values(), *found.values())):
            found[f"tests/{module}.py"] = template(f"{module}.py.j2")
    return found


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


def _rest(function: str) -> str:
    """A function without its name."""
    return function.partition("(")[2]
