"""What was written last time: a hash and the text of each file, kept in the output folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from notes2code.publish.changes import PublishError, lines

MANIFEST = ".notes2code.json"
BASES = ".notes2code.base.json"
OWN = (MANIFEST, BASES)
_SCHEMA = 1


@dataclass(frozen=True)
class Manifest:
    """The files of the last build by path: the hash of each, and its text where it is known."""

    hashes: Mapping[str, str]
    bases: Mapping[str, str]

    def edited(self, path: str, data: bytes) -> bool:
        """Whether a file is not as it was written."""
        return self.hashes.get(path) != digest(lines(data))


def digest(data: bytes) -> str:
    """The hash that the manifest holds of a file."""
    return hashlib.sha256(data).hexdigest()


def read_manifest(out: Path) -> Manifest:
    """The manifest of an output folder, an empty one where there is none.

    A base text that does not fit its hash is left out. Raises PublishError when the manifest
    is damaged: without it nothing tells an edited file from a generated one.
    """
    hashes = _table(out / MANIFEST, "files")
    try:
        texts = _table(out / BASES, "texts")
    except PublishError:
        texts = {}
    bases = {path: text for path, text in texts.items() if _fits(text, hashes.get(path))}
    return Manifest(hashes, bases)


def manifest_files(generated: Mapping[str, str]) -> dict[str, str]:
    """The two files that keep what was generated, by name."""
    hashes = {path: digest(text.encode()) for path, text in generated.items()}
    return {MANIFEST: _written("files", hashes), BASES: _written("texts", generated)}


def _fits(text: str, digested: str | None) -> bool:
    return digest(text.encode("utf-8", "surrogatepass")) == digested


def _written(name: str, table: Mapping[str, str]) -> str:
    data = {"schema": _SCHEMA, name: dict(sorted(table.items()))}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _table(path: Path, name: str) -> dict[str, str]:
    """A table of texts from a file of ours, empty where there is no file."""
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as problem:
        raise _damaged(path, str(problem)) from None
    table = data.get(name) if isinstance(data, dict) and data.get("schema") == _SCHEMA else None
    if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
        raise _damaged(path, f"it holds no table of {name}")
    return table


def _damaged(path: Path, reason: str) -> PublishError:
    return PublishError(
        "N2C073",
        path,
        f"the list of generated files cannot be read: {reason}",
        "restore it from your version control, or delete it and build with --force",
    )
