"""The whole flow: notes are read, compiled, rendered, tested, and only then written."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath

from notes2code.compilation import Compilation, compile_vault
from notes2code.components.library import ComponentError, Library, library
from notes2code.components.recognise import recognise
from notes2code.diagnostics import Diagnostic, Severity
from notes2code.names import is_package_name
from notes2code.publish import Changes, PublishError, apply, plan
from notes2code.rendering import Rendered, render
from notes2code.vault import Vault, read_vault
from notes2code.verify import Verdict, verify

StrPath = str | os.PathLike[str]
Progress = Callable[[str], None]


class Outcome(StrEnum):
    """How a build ended."""

    DONE = "done"
    STALE = "stale"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True)
class Result:
    """What a build did.

    ``changes`` and ``rendered`` are None when it ended before there was code, ``verdict`` when
    no tests were run. ``diagnostics`` are all there are, of the notes and of the output.
    """

    outcome: Outcome
    out: Path
    package: str
    compilation: Compilation
    diagnostics: tuple[Diagnostic, ...]
    rendered: Rendered | None = None
    changes: Changes | None = None
    verdict: Verdict | None = None

    def ended(self, outcome: Outcome, *more: Diagnostic) -> Result:
        """The same result with its outcome and further diagnostics."""
        return replace(self, outcome=outcome, diagnostics=(*self.diagnostics, *more))


def build(
    vault: StrPath = "vault",
    out: StrPath = "generated",
    package: str = "transformer",
    *,
    check: bool = False,
    diff: bool = False,
    strict: bool = False,
    force: bool = False,
    merge: bool = False,
    components: Sequence[StrPath] = (),
    progress: Progress = lambda stage: None,
) -> Result:
    """Compile the notes of ``vault`` to the package ``package`` in the folder ``out``.

    With ``check`` or ``diff`` nothing is tested or written; ``check`` tells whether the output
    is stale. ``strict`` fails on any warning or error in the notes. ``force`` overwrites files
    that were edited by hand, ``merge`` keeps the edits. ``components`` are folders of further
    components. ``progress`` is told the name of each stage as it begins.

    Raises VaultError, ComponentError or PublishError when a folder cannot be used, and
    ValueError when ``package`` is no name for one.
    """
    if not is_package_name(package):
        raise ValueError(f"`{package}` cannot be the name of a package")
    folder = Path(out)
    progress("reading the notes")
    notes = without_output(read_vault(vault), folder)
    progress("compiling the formulas")
    compilation = compile_vault(notes, library_of(components, vault))
    found = tuple(compilation.diagnostics())
    result = Result(Outcome.DONE, folder, package, compilation, found)
    if not notes.notes:
        return result.ended(Outcome.FAILED)
    progress("writing the code")
    rendered = render(compilation, package)
    result = replace(result, diagnostics=(*found, *rendered.diagnostics))
    if strict and any(d.severity != Severity.NOTE for d in result.diagnostics):
        return result.ended(Outcome.FAILED)
    changes = plan(folder, rendered.files, force=force, merge=merge)
    result = replace(result, rendered=rendered, changes=changes)
    refused = tuple(conflict.diagnostic for conflict in changes.conflicts)
    if check:
        return result.ended(Outcome.STALE if changes.is_stale else Outcome.DONE, *refused)
    if refused:
        return result.ended(Outcome.REFUSED, *refused)
    if diff:
        return result
    progress("running the tests of the package")
    verdict = verify(changes.result())
    result = replace(result, verdict=verdict)
    if not verdict.ok:
        return result.ended(Outcome.FAILED, failed(verdict, folder))
    progress("publishing the package")
    apply(changes)
    return result


def without_output(vault: Vault, out: Path) -> Vault:
    """The vault without what the tool itself wrote, where the output lies in the vault.

    Raises PublishError where the output folder is the vault: there they cannot be told apart.
    """
    root, inner = Path(vault.root).resolve(), out.resolve()
    if inner == root:
        help = "choose another folder with --out"
        raise PublishError("N2C074", out, "this is the vault itself", help)
    if not inner.is_relative_to(root):
        return vault
    own = PurePosixPath(inner.relative_to(root).as_posix())
    notes = tuple(n for n in vault.notes if not PurePosixPath(n.path).is_relative_to(own))
    return replace(vault, notes=notes)


def library_of(folders: Sequence[StrPath], *vaults: StrPath) -> Library:
    """The project's components and the user's own. Raises ComponentError.

    A folder in a vault is refused: templates are code, and notes may come from a stranger.
    """
    paths = [Path(folder).resolve() for folder in folders]
    for path in paths:
        if not path.is_dir():
            raise ComponentError(f"{path}: there is no such folder")
        if any(path.is_relative_to(Path(vault).resolve()) for vault in vaults):
            raise ComponentError(f"{path}: components are not taken from inside a vault")
    known = library(*paths)
    for component in known.components.values():
        if any(component.folder.is_relative_to(path) for path in paths):
            found = recognise(component.equation, known, among={component.name})
            if found is None:
                raise ComponentError(
                    f"{component.folder}: the formula `textbook` is none of its `formulas`"
                )
    return known


def failed(verdict: Verdict, out: Path) -> Diagnostic:
    """The diagnostic of a package that is not published."""
    if verdict.problem:
        code, message = "N2C076", f"the package cannot be tested: {verdict.problem}"
        help = "nothing was written; see `N2C076` in the documentation"
    else:
        total = verdict.passed + len(verdict.failures)
        code = "N2C075"
        message = f"{len(verdict.failures)} of {total} tests of the package fail"
        help = "nothing was written; --diff shows the code"
    path = out.as_posix()
    return Diagnostic(code, Severity.ERROR, message, path, 1, 1, 1, 1, help)
