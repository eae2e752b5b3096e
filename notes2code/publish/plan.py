"""Plans what to write: compares the package with the disk and with what was written last time."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from notes2code.publish.changes import Change, Changes, Conflict, PublishError, conflict, lines
from notes2code.publish.manifest import OWN, Manifest, read_manifest
from notes2code.publish.merge import merge_texts

_OVERWRITE = "--force overwrites it"


def plan(
    out: Path, files: Mapping[str, str], *, force: bool = False, merge: bool = False
) -> Changes:
    """What publishing ``files`` (texts by path relative to ``out``) would change.

    Files edited by hand, and files that are not ours, are conflicts. With ``force`` they are
    overwritten; with ``merge`` edits are merged with what is new, where the two do not meet.

    Raises PublishError when a path leads out of the folder, or the folder cannot be read.
    """
    if out.exists() and not out.is_dir():
        raise PublishError("N2C074", out, "this is no folder", "choose another with --out")
    manifest = read_manifest(out)
    planner = _Planner(out, manifest, force, merge)
    for path, text in sorted(files.items()):
        planner.write(path, text)
    for path in sorted(manifest.hashes.keys() - files.keys()):
        planner.remove(path)
    return Changes(out, tuple(planner.changes), tuple(planner.conflicts), dict(files))


class _Planner:
    def __init__(self, out: Path, manifest: Manifest, force: bool, merge: bool) -> None:
        self.out, self.manifest = out, manifest
        self.force, self.merge = force, merge
        self.changes: list[Change] = []
        self.conflicts: list[Conflict] = []

    def write(self, path: str, text: str) -> None:
        """Plan a file that is generated."""
        change = Change(path, read(self.out, path), text)
        known = path in self.manifest.hashes
        if change.kind == "update" and not self.force:
            assert change.before is not None
            if not known:
                self.conflicts.append(self._foreign(path))
            elif self.manifest.edited(path, change.before):
                change = self._edited(change, text)
        self.changes.append(change)

    def remove(self, path: str) -> None:
        """Plan the end of a file that is generated no longer."""
        before = read(self.out, path)
        if before is None:
            return
        if self.manifest.edited(path, before) and not self.force:
            self.conflicts.append(self._orphan(path))
        self.changes.append(Change(path, before, None))

    def _edited(self, change: Change, text: str) -> Change:
        """The change with its edits merged, or a conflict."""
        if not self.merge:
            self.conflicts.append(self._refused(change.path))
            return change
        base = self.manifest.bases.get(change.path)
        if base is None:
            self.conflicts.append(self._baseless(change.path))
            return change
        try:
            edited = lines(change.before or b"").decode()
        except UnicodeDecodeError:
            self.conflicts.append(self._refused(change.path))
            return change
        merged = merge_texts(edited, base, text)
        self.conflicts += [self._unmerged(change.path, line) for line in merged.conflicts]
        return change if merged.conflicts else Change(change.path, change.before, merged.text)

    def _refused(self, path: str) -> Conflict:
        return conflict(
            "N2C070",
            self.out,
            path,
            "this file was edited by hand since it was generated",
            f"build with --merge to keep the edits, or undo them; {_OVERWRITE}",
        )

    def _orphan(self, path: str) -> Conflict:
        return conflict(
            "N2C070",
            self.out,
            path,
            "this file is generated no longer, but was edited by hand",
            "move what you need elsewhere and delete it; --force deletes it",
        )

    def _foreign(self, path: str) -> Conflict:
        return conflict(
            "N2C071",
            self.out,
            path,
            "this file is in the way and was not written by notes2code",
            f"move it, or choose another folder with --out; {_OVERWRITE}",
        )

    def _baseless(self, path: str) -> Conflict:
        return conflict(
            "N2C072",
            self.out,
            path,
            "edits cannot be merged: the text that was generated before is lost",
            f"restore .notes2code.base.json from your version control; {_OVERWRITE}",
        )

    def _unmerged(self, path: str, line: int) -> Conflict:
        return conflict(
            "N2C072",
            self.out,
            path,
            "an edit meets a change of the generated code",
            f"undo the edit, or move it elsewhere; {_OVERWRITE}",
            line,
        )


def read(out: Path, path: str) -> bytes | None:
    """The bytes of a file of the package, None where there is none. Raises PublishError."""
    place = inside(out, path)
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise PublishError(
            "N2C074",
            place,
            f"there must be a file here: {problem.strerror}",
            "move what is there, or choose another folder with --out",
        ) from None


def beside(changes: Changes, package: str) -> dict[str, str]:
    """The author's own modules among those of the package, by path: edits may import them."""
    known = {change.path for change in changes.files}
    found: dict[str, str] = {}
    for place in sorted((changes.out / package).glob("*.py")):
        path = f"{package}/{place.name}"
        if path not in known and place.is_file() and not place.is_symlink():
            with suppress(OSError):
                found[path] = place.read_text(encoding="utf-8", errors="replace")
    return found


def inside(out: Path, path: str) -> Path:
    """The place of a file of the package. Raises PublishError when it is not inside ``out``."""
    pure = PurePosixPath(path)
    plain = str(pure) == path and not pure.is_absolute() and not set(path) & set("\\:\0")
    place = out / pure
    if not plain or ".." in pure.parts or path in (".", *OWN):
        raise _outside(place)
    try:
        real = place.resolve()
    except (OSError, RuntimeError):
        raise _outside(place) from None
    if not real.is_relative_to(out.resolve()):
        raise _outside(place)
    return place


def _outside(place: Path) -> PublishError:
    return PublishError(
        "N2C074",
        place,
        "this is not inside the output folder, so it is neither read nor written",
        "remove symbolic links that lead out of the folder, and delete .notes2code.json if it "
        "lists this file",
    )
