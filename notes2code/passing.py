"""The part of a package that passes its tests: a class that fails them is left out.

What was found out is kept beside the package, for the code it was found out of: the same notes need
not fail again to be told the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from notes2code.compilation import Compilation
from notes2code.emit.blocks import blocks_of, name_of
from notes2code.emit.training import TESTS
from notes2code.names import snake
from notes2code.rendering import Rendered, render
from notes2code.verify import Failure, Superseding, Verdict, function_of, never, verify

RECORD = ".notes2code.refused.json"
"""The file that says which classes failed their tests, and of which code."""


def known(compilation: Compilation, package: str, whole: Rendered, out: Path) -> Rendered:
    """The package without the classes of which it is known that they fail their tests."""
    try:
        record = json.loads((out / RECORD).read_bytes())
        same = record["of"] == _digest(whole.files)
        refused = {str(name): str(why) for name, why in record["refused"].items()} if same else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        refused = {}
    return _without(compilation, package, whole, refused) if refused else whole


def passing(
    compilation: Compilation,
    package: str,
    whole: Rendered,
    verdict: Verdict,
    superseded: Superseding = never,
) -> tuple[Rendered, Verdict]:
    """The package without the classes whose tests fail, and what its tests say then; the whole
    package where only tests that are nobody's fail, or where nothing would be left."""
    refused: dict[str, str] = {}
    fewer, again = whole, verdict
    while not again.ok:
        owned = [(_owners(failure, fewer), failure.test) for failure in again.failures]
        # A test of the whole, such as that of the README, may fail for what another one finds.
        blamed = [(names, test) for names, test in owned if names]
        if not blamed:
            return whole, verdict
        for names, test in _of_their_own(blamed) or blamed:
            for name in names:
                refused.setdefault(name, _why(test))
        fewer = _without(compilation, package, whole, refused)
        if not fewer.classes:
            return whole, verdict
        again = verify(fewer.files, superseded=superseded)
    return fewer, again


def _of_their_own(blamed: Sequence[tuple[set[str], str]]) -> list[tuple[set[str], str]]:
    """The tests that say which classes are wrong: what else is wrong may be why a model does not
    train, and why heads of an attention that fails tests of its own fail one with it."""
    own = [(names, test) for names, test in blamed if not test.startswith(TESTS)]
    failing = {name for names, _ in own for name in names}
    return [
        (names, test)
        for names, test in own
        if not any(snake(other) in test.partition("[")[2] for other in failing - names)
    ]


def _owners(failure: Failure, rendered: Rendered) -> set[str]:
    """The names of the classes and functions that a test is of; of a file that cannot be imported,
    those in whose code, or in whose tests, that fails."""
    tests, test = rendered.tests, failure.test
    owners = tests.get(test) or tests.get(function_of(test), set())
    if owners or "::" in test:
        return owners
    names = {name.rpartition(".")[2] for name in rendered.classes}
    for file, line in reversed(failure.places):
        above = "\n".join(rendered.files.get(file, "").split("\n")[:line])
        defined = name_of(blocks_of(rendered.files.get(file, ""))[len(blocks_of(above)) - 1])
        if owners := tests.get(f"{file}::{defined}") or {defined} & names:
            return owners
    return set()


def _why(test: str) -> str:
    if "::" in test:
        return f"its tests fail, such as `{function_of(test).partition('::')[2]}`"
    return "its code, or that of its tests, cannot be imported"


def _without(
    compilation: Compilation, package: str, whole: Rendered, refused: Mapping[str, str]
) -> Rendered:
    """The package without some classes, and with a record of them."""
    fewer = render(compilation, package, refused)
    record = {"of": _digest(whole.files), "refused": dict(sorted(refused.items()))}
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return replace(fewer, files={RECORD: text, **fewer.files})


def _digest(files: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()
