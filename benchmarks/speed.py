"""How fast formulas are read, beside SymPy and latex2sympy2_extended, and a whole vault.

    python benchmarks/speed.py FORMULAS.jsonl [--vault DIR] [--repeats N]

Each line of the file is an object with ``latex``. The readers take turns, so that a busy machine
slows all of them; what is printed are medians over the repeats. The others are compared where
they are installed, in an environment of your own:

    python -m venv peers
    peers/bin/pip install jinja2 markdown-it-py numpy pyyaml
    peers/bin/pip install sympy lark latex2sympy2_extended "antlr4-python3-runtime==4.11"
    PYTHONPATH=. peers/bin/python benchmarks/speed.py FORMULAS.jsonl

A formula counts as read where a reader gives a result and raises nothing. That says nothing of
whether the result is right: the others give SymPy's expressions, whose symbols commute, while
here a typed equation comes out, its shapes inferred.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from notes2code.compilation import compile_vault
from notes2code.components.library import Library, library
from notes2code.meaning import type_formula
from notes2code.vault import read_vault

Reader = Callable[[str], bool]
"""Reads a formula, and says whether it could."""


def _ours(components: Library) -> Reader:
    return lambda latex: type_formula(latex, components.scope).kind != "rejected"


def _sympy(backend: str) -> Reader:
    parse = import_module("sympy.parsing.latex").parse_latex
    return _reads(lambda latex: parse(latex, backend=backend))


def _latex2sympy() -> Reader:
    return _reads(import_module("latex2sympy2_extended").latex2sympy)


def _reads(parse: Callable[[str], object]) -> Reader:
    def reader(latex: str) -> bool:
        try:
            return parse(latex) is not None
        except Exception:  # what a reader raises for what it cannot read is its own affair
            return False

    return reader


PEERS: dict[str, Callable[[], Reader]] = {
    "SymPy, antlr": lambda: _sympy("antlr"),
    "SymPy, lark": lambda: _sympy("lark"),
    "latex2sympy2_extended": _latex2sympy,
}


def installed_peers() -> dict[str, Reader]:
    """The other readers that are installed; says which are not."""
    found: dict[str, Reader] = {}
    for name, load in PEERS.items():
        try:
            reader = load()
            if not reader("x + 1"):
                raise ImportError("what it parses with is not installed")
            found[name] = reader
        except ImportError as missing:
            print(f"{name}: not compared ({missing})")
    return found


def timed(reader: Reader, formulas: Sequence[str]) -> tuple[float, int]:
    """Seconds for all formulas, and how many of them were read."""
    start = time.perf_counter()
    count = sum(map(reader, formulas))
    return time.perf_counter() - start, count


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("formulas", type=Path)
    parser.add_argument("--vault", type=Path, default=Path("vault"))
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    lines = options.formulas.read_text(encoding="utf-8").splitlines()
    formulas = [json.loads(line)["latex"] for line in lines if line.strip()]
    components = library()
    readers = {"notes2code": _ours(components), **installed_peers()}
    warnings.simplefilter("ignore")  # the others speak of what they will drop
    seconds: dict[str, list[float]] = {name: [] for name in (*readers, "vault")}
    read: dict[str, int] = {}
    for _ in range(options.repeats):
        for name, reader in readers.items():
            spent, read[name] = timed(reader, formulas)
            seconds[name].append(spent)
        start = time.perf_counter()
        compile_vault(read_vault(options.vault), components)
        seconds["vault"].append(time.perf_counter() - start)
    medians = {name: statistics.median(spent) for name, spent in seconds.items()}
    print(f"{len(formulas)} formulas, medians of {options.repeats}")
    print(f"{'':24} formulas/s  times as long   read")
    for name in readers:
        speed = len(formulas) / medians[name]
        ratio = medians[name] / medians["notes2code"]
        print(f"{name:24} {speed:10.0f} {ratio:14.1f} {read[name] / len(formulas):6.0%}")
    print(f"{options.vault} compiled in {medians['vault']:.2f} s")


if __name__ == "__main__":
    main()
