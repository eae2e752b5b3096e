"""Which mistakes a rendered package's own tests do not notice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from building import Package
from emitted_tests import passes, written
from mutants import Mutant
from trial import Trial


class _Recorded(Trial):
    """A trial in another process, which leaves the sources that survived in a file."""

    def pytest_sessionfinish(self) -> None:
        _record(self).write_text("\0".join(m.source for m in self.survivors), encoding="utf-8")


def _record(trial: Trial) -> Path:
    return trial.package.with_name("survivors")


def survivors(files: Package, tried: Sequence[Mutant], folder: Path) -> list[Mutant]:
    """Those of the mutants with which the package still passes all its tests."""
    root = written(files, folder / "right")
    trial = _Recorded(root / "transformer", tried)
    assert passes(root, [trial]), "the tests must pass before anything is broken"
    left = _record(trial).read_text(encoding="utf-8").split("\0")
    unnoticed = [mutant for mutant in tried if mutant.source in left]
    return [
        mutant
        for number, mutant in enumerate(unnoticed)
        if passes(
            written(
                {**files, f"transformer/{mutant.module}": mutant.source}, folder / f"wrong{number}"
            )
        )
    ]
