"""How many mistakes in the generated package its own tests notice: a mutation score.

    PYTHONPATH=. python benchmarks/mutations.py [--package DIR] [--module NAME]…
        [--every N [--skip M]]

The mistakes are three kinds of edits of the package's modules, one at a time: those that every
Transformer's tests must catch (``must_kill.toml``), those that the components list as typical of
them (``mistakes.toml``, where they fit), and what the operators of ``mutants.py``
make of each function. A mistake is caught when one of the package's own tests fails. One that
changes nothing that can be told is listed in ``equivalent_mutants.toml``, with the reason. The
exit code is 1 if any other survives, or if one that is listed is caught.

What survives a ``Trial`` is tried again as a user would: with all tests, in a copy of the package.
"""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mutants import Mutant, mutants
from trial import Trial, replaced

HERE = Path(__file__).parent


def named(modules: Mapping[str, str]) -> Iterator[Mutant]:
    """The mistakes that are listed by what they are: replacements in a whole module."""
    for mistake in _mistakes(HERE / "must_kill.toml"):
        yield replaced(modules, mistake["module"], mistake)
    for path in sorted(HERE.parent.glob("notes2code/components/library/*/mistakes.toml")):
        family = tomllib.loads((path.parent / "component.toml").read_text("utf-8"))["family"]
        for mistake in _mistakes(path):
            module = mistake.get("module", family)
            if mistake["find"] in modules.get(f"{module}.py", ""):
                yield replaced(modules, module, mistake)


def _mistakes(path: Path) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = tomllib.loads(path.read_text(encoding="utf-8"))["mistakes"]
    return listed


def in_a_copy(folder: Path, package: str, mutant: Mutant) -> bool:
    """Whether a mutant survives all tests, in a copy of the package."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "copy"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / package / mutant.module).write_text(mutant.source, encoding="utf-8")
        own = Path("tests", f"test_{mutant.module}")  # first, since it is likely to fail
        tests = [str(own), "tests"] if (copy / own).exists() else ["tests"]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        return subprocess.run(command, cwd=copy, capture_output=True, check=False).returncode == 0


class Equivalents:
    """The mutants that change nothing that can be told, each with the reason."""

    def __init__(self) -> None:
        text = (HERE / "equivalent_mutants.toml").read_text(encoding="utf-8")
        self.listed = {
            (*entry["where"].split(" "), was, now)
            for entry in tomllib.loads(text)["mutants"]
            for was, nows in entry["edits"].items()
            for now in nows
        }

    def __contains__(self, mutant: Mutant) -> bool:
        return _key(mutant) in self.listed


def _key(mutant: Mutant) -> tuple[str, str, str, str]:
    return mutant.module, mutant.where, mutant.was, mutant.now


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--package", type=Path, default=HERE.parent / "generated")
    parser.add_argument("--module", action="append", help="only this module, such as masks")
    parser.add_argument("--every", type=int, default=1, help="only every Nth of the operators'")
    parser.add_argument("--skip", type=int, default=0, help="of these N, how many come before it")
    options = parser.parse_args()
    folder: Path = options.package.resolve()
    package = folder / "transformer"
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(package.glob("*.py"))}
    generic = [
        mutant
        for name, text in texts.items()
        for mutant in mutants(name, text)
        if mutant.source != text
    ]
    some = generic[options.skip :: options.every]
    chosen = {mutant.source: mutant for mutant in (*some, *named(texts))}
    tried = [
        mutant
        for mutant in chosen.values()
        if not options.module or mutant.module.removesuffix(".py") in options.module
    ]
    start = time.perf_counter()
    trial = Trial(package, tried)
    # In the folder of the tests, so that no settings but theirs count.
    os.chdir(folder)
    arguments = ["-s", "-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", "tests"]
    code = pytest.main(arguments, plugins=[trial])
    if code != pytest.ExitCode.OK:
        return int(code)
    return report(trial, folder, time.perf_counter() - start, texts)


def report(trial: Trial, folder: Path, seconds: float, texts: Mapping[str, str]) -> int:
    """Print what became of the mutants; gives the exit code."""
    equivalents = Equivalents()
    equal = [mutant for mutant in trial.survivors if mutant in equivalents]
    unknown = [
        mutant
        for mutant in trial.survivors
        if mutant not in equivalents and in_a_copy(folder, "transformer", mutant)
    ]
    counts = Counter(mutant.module for mutant in trial.tried)
    for module, count in counts.items():
        left = sum(mutant.module == module for mutant in unknown)
        same = sum(mutant.module == module for mutant in equal)
        print(f"{module:20} {count - left - same:5} killed {same:4} equivalent {left:4} survived")
    for mutant in unknown:
        diff = difflib.unified_diff(
            texts[mutant.module].splitlines(),
            mutant.source.splitlines(),
            mutant.where,
            mutant.module,
            n=1,
            lineterm="",
        )
        print("", *diff, sep="\n")
    killed = [mutant for mutant in trial.tried if mutant not in trial.survivors]
    wrong = [mutant for mutant in killed if mutant in equivalents]
    for mutant in wrong:
        print(f"\nlisted as equivalent, but killed: {_key(mutant)}")
    total = len(trial.tried) - len(equal)
    by_name = sum(not mutant.where for mutant in trial.tried)
    print(
        f"\n{len(trial.tried)} mutants, {by_name} of them by name; {len(equal)} equivalent;"
        f" score {total - len(unknown)}/{total} in {seconds:.0f} s"
    )
    return 1 if unknown or wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
