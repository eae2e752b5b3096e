"""What the tests of publishing share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from notes2code.publish import Changes, apply, plan

Publish = Callable[..., Changes]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An output folder that does not exist yet."""
    return tmp_path / "generated"


@pytest.fixture
def publish(out: Path) -> Publish:
    """Plan and apply at once; the changes that were made."""

    def both(files: Mapping[str, str], *, force: bool = False, merge: bool = False) -> Changes:
        changes = plan(out, files, force=force, merge=merge)
        apply(changes)
        return changes

    return both


def on_disk(folder: Path) -> dict[str, bytes]:
    """All files below a folder, those of ours that list the others included."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def disk(out: Path) -> Callable[[], dict[str, bytes]]:
    """What is in the output folder now."""
    return lambda: on_disk(out)
