"""What may import what: a stage takes its neighbour's data types, and torch is never imported."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "notes2code"

STAGES: Mapping[str, set[str]] = {
    "diagnostics": {"records"},
    "vault": {"diagnostics"},
    "latex": {"diagnostics", "records"},
    # Formulas are parsed when it is known which macros and functions the notes define.
    "meaning": {
        *("diagnostics", "faults", "records", "latex", "latex.joining", "latex.macros"),
        *("latex.quoting", "latex.tree", "latex.words"),
    },
    "oracle": {"meaning", "meaning.ir", "names"},
    # A match is proved on numbers, once; names of components are looked for in notes, and worked
    # examples in trees.
    "components": {
        *(
            "diagnostics",
            "meaning",
            "meaning.diagonals",
            "meaning.ir",
            "meaning.linking.contradictions",
            "meaning.linking.defined_ranks",
            "meaning.linking.entries",
            "meaning.linking.linker",
            "meaning.linking.ranks",
            "meaning.linking.taken_whole",
            "meaning.linking.used_ranks",
            "meaning.names",
            "meaning.prose.kinds",
            "meaning.scope",
        ),
        *("cache", "faults", "latex.tree", "latex.words", "names", "oracle", "records"),
        "vault.model",
    },
    # The tests of a package hold the oracle's source.
    "emit": {
        *("components.around", "components.compiled", "components.inline", "components.library"),
        *("components.own_sizes", "components.pattern", "components.parts", "components.rows"),
        *("cache", "faults", "components.distances", "components.recognise", "components.settings"),
        *("meaning", "meaning.diagonals", "meaning.ir", "names", "oracle", "oracle.layout"),
    },
    "verify": {"cache"},
    "publish": {"diagnostics"},
}
"""The stages, and what each may import of the others: modules by their dotted names, of which
``meaning`` alone is the folder's own ``__init__``."""

MEANING = (
    *("", "notation", "overview", "rewriting", "reading", "prose"),
    *("inference", "typed", "linking"),
)
"""The folders of ``meaning``, each made with those before it; "" is its modules of plain data,
``typed`` the one that makes one stage of them."""

AROUND: Mapping[str, set[str]] = {
    "records": set(),
    "cache": set(),
    "faults": {"diagnostics"},
    "names": set(),
    "passages": {"meaning", "vault"},
    "sentences": {"latex", "vault"},
    "compilation": {
        *("components", "diagnostics", "faults", "latex", "meaning", "passages", "sentences"),
        *("stand_ins", "vault", "ways"),
    },
    "ways": {"components", "latex", "vault"},
    "stand_ins": {"components", "diagnostics", "meaning", "vault"},
    "model_sizes": {"diagnostics", "vault"},
    "numbers_said": {"compilation", "meaning"},
    "statements": {"vault"},
    "ties_said": {"statements", "vault"},
    "embeddings_said": {"statements", "vault"},
    "final_norms": {"compilation", "components", "meaning", "statements", "vault"},
    "rendering": {
        *("compilation", "components", "diagnostics", "emit", "final_norms", "model_sizes"),
        *("numbers_said", "ties_said", "embeddings_said"),
    },
    "passing": {"compilation", "emit", "names", "rendering", "verify"},
    "pipeline": {
        *("compilation", "components", "diagnostics", "names", "passing", "publish"),
        *("rendering", "vault", "verify"),
    },
    "formula": {
        *("components", "diagnostics", "emit", "latex", "meaning", "names", "oracle"),
        *("passages", "sentences", "vault", "ways"),
    },
    "inspection": {"compilation", "components", "diagnostics", "meaning", "publish", "vault"},
    "report": {"components", "diagnostics", "inspection", "pipeline", "publish", "verify"},
    "watching": {"components", "vault"},
    "cli": {
        *("compilation", "components", "diagnostics", "inspection", "names", "pipeline"),
        *("publish", "rendering", "report", "vault", "verify", "watching"),
    },
    "__init__": {"formula", "pipeline", "vault"},
    "__main__": {"cli"},
}
"""What ties the stages together, and whose folders and modules each may import."""

OTHERS: Mapping[str, set[str]] = {
    "numpy": {"oracle", "components", "emit", "formula"},
    "markdown_it": {"vault"},
    "yaml": {"vault"},
    "jinja2": {"emit"},
    "watchfiles": {"watching"},
}
"""The packages of others, and what may import them."""


def unit(path: Path) -> str:
    """The folder or module of notes2code that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path}: a relative import"
            inside = node.module == "notes2code"
            yield from (f"notes2code.{a.name}" for a in node.names) if inside else [node.module]


@cache
def measured() -> Mapping[str, set[str]]:
    """What each folder or module imports of notes2code outside of itself."""
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        own = found.setdefault(unit(path), set())
        for name in imported(path):
            top, _, rest = name.partition(".")
            if top == "notes2code" and rest.split(".")[0] != unit(path):
                own.add(rest)
    return found


def tops(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def test_the_tables_name_everything_there_is() -> None:
    assert set(measured()) == {*STAGES, *AROUND}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_what_it_may(stage: str) -> None:
    assert measured()[stage] <= STAGES[stage]


@pytest.mark.parametrize("name", AROUND)
def test_what_is_around_the_stages_imports_what_it_may(name: str) -> None:
    assert tops(measured()[name]) <= AROUND[name]


def test_meaning_is_built_in_layers() -> None:
    for path in sorted((SOURCE / "meaning").rglob("*.py")):
        for name in imported(path):
            if name.startswith("notes2code.meaning.") and path.name != "__init__.py":
                assert layer(name.split(".")[2:]) <= layer(inside(path)), f"{path} imports {name}"


def inside(path: Path) -> list[str]:
    """The dotted name of a module in ``meaning``."""
    return [*path.relative_to(SOURCE / "meaning").with_suffix("").parts]


def layer(name: Sequence[str]) -> int:
    return MEANING.index(name[0] if name[0] in MEANING else "")


def test_nothing_imports_in_a_circle() -> None:
    """Raises CycleError, which names the circle, if there is one."""
    graph = {name: tops(others) for name, others in measured().items()}
    order = list(TopologicalSorter(graph).static_order())
    assert order.index("diagnostics") < order.index("vault") < order.index("pipeline")


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_says_what_goes_in_and_what_comes_out(stage: str) -> None:
    doc = ast.get_docstring(ast.parse((SOURCE / stage / "__init__.py").read_text("utf-8")))
    assert doc and (stage == "diagnostics" or doc.startswith(f"{stage}: ")) and len(doc) <= 100


def test_packages_of_others_are_imported_where_they_may_be() -> None:
    for path in SOURCE.rglob("*.py"):
        for top in tops(set(imported(path))) - {"notes2code", *sys.stdlib_module_names}:
            assert unit(path) in OTHERS.get(top, ()), f"{path} imports {top}"


def test_torch_is_never_imported(tmp_path: Path) -> None:
    """Not by any module, and not by ``inspect``, whatever it finds."""
    (tmp_path / "Attention.md").write_text(r"$$ \mathrm{softmax}(Q K^\top) V $$")
    code = (
        "import sys, pkgutil, importlib, notes2code\n"
        "for found in pkgutil.walk_packages(notes2code.__path__, 'notes2code.'):\n"
        "    if not found.name.endswith('__main__'): importlib.import_module(found.name)\n"
        "from notes2code.cli import main\n"
        f"code = main(['inspect', {str(tmp_path)!r}])\n"
        "sys.exit(code or 'torch' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "scaled_dot_product_attention" in done.stdout
