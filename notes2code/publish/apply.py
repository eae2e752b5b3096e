"""Writes planned changes: all of them, or none."""

from __future__ import annotations

import glob
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from notes2code.publish.changes import Changes, PublishError
from notes2code.publish.manifest import OWN, manifest_files
from notes2code.publish.plan import inside, read


@dataclass(frozen=True, slots=True)
class _Step:
    """One file to replace or delete: its place, and copies of its new and old text."""

    target: Path
    new: Path | None
    old: Path | None


def apply(changes: Changes) -> None:
    """Bring the output folder to the planned state; files that stay the same are not touched.

    On any failure everything is put back. Raises PublishError on a failure, when there are
    conflicts, or when a file changed since it was planned.
    """
    if changes.conflicts:
        first = changes.conflicts[0].diagnostic
        raise PublishError(first.code, first.path, first.message, first.help)
    _unchanged_since(changes)
    texts = _texts(changes)
    if not texts:
        return
    made: list[Path] = []
    try:
        _make(changes.out, made)
        with _staging(changes.out) as staging:
            steps = [
                _staged(staging, number, changes.out / path, text)
                for number, (path, text) in enumerate(texts.items())
            ]
            _run(steps, made)
    except BaseException as problem:
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        if isinstance(problem, OSError):
            raise _failed(changes.out, problem) from problem
        raise
    _tidy(changes)


def _texts(changes: Changes) -> dict[str, bytes | None]:
    """What to write by path, and None for what to delete; our own list of files comes last."""
    texts = {
        c.path: None if c.after is None else c.after.encode()
        for c in changes.files
        if c.kind != "unchanged"
    }
    for name, text in manifest_files(changes.generated).items():
        place = changes.out / name
        if not place.is_file() or place.read_bytes() != text.encode():
            texts[name] = text.encode()
    return texts


def _unchanged_since(changes: Changes) -> None:
    """Raise PublishError when the disk is no longer as it was planned for."""
    for change in changes.files:
        if read(changes.out, change.path) != change.before:
            raise PublishError(
                "N2C070",
                changes.out / change.path,
                "this file changed while the package was built",
                "build again",
            )
    for name in OWN:
        if (changes.out / name).is_symlink():
            raise PublishError("N2C074", changes.out / name, "this is a symbolic link", "remove it")


@contextmanager
def _staging(out: Path) -> Iterator[Path]:
    """A folder for copies, on the disk of the output folder so that renaming is enough."""
    with tempfile.TemporaryDirectory(
        prefix=".notes2code-", dir=out, ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def _staged(staging: Path, number: int, target: Path, text: bytes | None) -> _Step:
    new = old = None
    if text is not None:
        new = staging / f"{number}.new"
        new.write_bytes(text)
    if target.exists():
        old = staging / f"{number}.old"
        shutil.copy2(target, old)
    return _Step(target, new, old)


def _run(steps: list[_Step], made: list[Path]) -> None:
    """Do all steps; when one fails, undo those before it."""
    done: list[_Step] = []
    try:
        for step in steps:
            done.append(step)
            if step.new is None:
                step.target.unlink()
            else:
                _make(step.target.parent, made)
                step.new.replace(step.target)
    except BaseException:
        for step in reversed(done):
            with suppress(OSError):
                _undo(step)
        raise


def _undo(step: _Step) -> None:
    if step.old is None:
        step.target.unlink(missing_ok=True)
    else:
        step.old.replace(step.target)


def _make(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it, and note which are new."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        made.append(each)


def _tidy(changes: Changes) -> None:
    """Remove the bytecode of deleted modules, and folders that hold nothing any more."""
    for path in changes.of("delete"):
        place = inside(changes.out, path)
        for bytecode in (place.parent / "__pycache__").glob(f"{glob.escape(place.stem)}.*.pyc"):
            with suppress(OSError):
                bytecode.unlink()
        folder = place.parent / "__pycache__"
        with suppress(OSError):
            while folder != changes.out:
                if folder.exists():
                    folder.rmdir()
                folder = folder.parent


def _failed(out: Path, problem: OSError) -> PublishError:
    """The failure, at the file that could not be replaced if it was one."""
    return PublishError(
        "N2C074",
        out if problem.filename2 is None else Path(problem.filename2),
        f"the output cannot be written: {problem.strerror or problem}",
        "free space or change permissions; what was there is as it was",
    )
