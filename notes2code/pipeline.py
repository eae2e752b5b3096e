"""The whole flow: notes are read, compiled, rendered, tested, and only then written."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath

from notes2code.compilation import Compilation, Memory, compile_vault
from notes2code.components.library import ComponentError, Library, library
from notes2code.components.recognise import recognise
from notes2code.diagnostics import Diagnostic, Severity
from notes2code.names import is_package_name
from notes2code.passing import known, passing
from notes2code.publish import Changes, PublishError, apply, beside, plan
from notes2code.rendering import Rendered, render
from notes2code.vault import Vault, read_vault
from notes2code.verify import Superseding, Verdict, never, verify

StrPath = str | os.PathLike[str]
Progress = Callable[[str], None]
Told = Callable[[Sequence[Diagnostic]], None]


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

    @property
    def warns(self) -> bool:
        """Whether there is a warning or an error."""
        return any(found.severity != Severity.NOTE for found in self.diagnostics)

    @property
    def refused(self) -> tuple[Diagnostic, ...]:
        """What stands in the way of publishing."""
        return () if self.changes is None else tuple(c.diagnostic for c in self.changes.conflicts)

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
    told: Told = lambda found: None,
    superseded: Superseding = never,
    memory: Memory | None = None,
) -> Result:
    """Compile the notes of ``vault`` to the package ``package`` in the folder ``out``.

    With ``check`` or ``diff`` nothing is tested or written; ``check`` tells whether the output
    is stale. ``strict`` fails on any warning or error in the notes. ``force`` overwrites files
    that were edited by hand, ``merge`` keeps the edits. ``components`` are folders of further
    components. ``progress`` is told the name of each stage as it begins, and ``told`` what was
    found in the notes, before the tests run; these are stopped when ``superseded`` says so.
    ``memory`` is what one build leaves for the next, which is the quicker for it.

    Raises VaultError, ComponentError or PublishError when a folder cannot be used, ValueError when
    ``package`` is no name for one, and Superseded.
    """
    if not is_package_name(package):
        raise ValueError(f"`{package}` cannot be the name of a package")
    folder = Path(out)
    progress("reading the notes")
    notes = without_output(read_vault(vault), folder)
    progress("compiling the formulas")
    compilation = compile_vault(notes, library_of(components, vault), memory)
    result = Result(Outcome.DONE, folder, package, compilation, tuple(compilation.diagnostics()))
    if not notes.notes:
        return result.ended(Outcome.FAILED)
    progress("writing the code")
    rendered = known(compilation, package, render(compilation, package), folder)
    result = _planned(result, rendered, force, merge)
    if ended := _ended_untested(result, check, diff, strict):
        return ended
    told(result.diagnostics)
    progress("running the tests of the package")
    result = _tested(result, force, merge, strict, superseded)
    if result.outcome != Outcome.DONE:
        return result
    assert result.changes is not None
    progress("publishing the package")
    apply(result.changes)
    return result


def _planned(result: Result, rendered: Rendered, force: bool, merge: bool) -> Result:
    """What publishing a package would do."""
    found = tuple(result.compilation.diagnostics())
    changes = plan(result.out, rendered.files, force=force, merge=merge)
    diagnostics = (*found, *rendered.diagnostics)
    return replace(result, rendered=rendered, changes=changes, diagnostics=diagnostics)


def _ended_untested(result: Result, check: bool, diff: bool, strict: bool) -> Result | None:
    """The result of a build that ends before the tests run; None of one that goes on."""
    if strict and result.warns:
        return result.ended(Outcome.FAILED)
    if check:
        stale = result.changes is not None and result.changes.is_stale
        return result.ended(Outcome.STALE if stale else Outcome.DONE, *result.refused)
    if result.refused:
        return result.ended(Outcome.REFUSED, *result.refused)
    return result if diff else None


def _tested(
    result: Result, force: bool, merge: bool, strict: bool, superseded: Superseding
) -> Result:
    """The package tested, without the classes that fail; what was edited by hand is not touched
    for that."""
    assert result.rendered is not None and result.changes is not None
    files = result.changes.result()
    edited = files != result.rendered.files
    own = beside(result.changes, result.package) if edited else {}
    verdict = verify({**own, **files}, superseded=superseded)
    if not verdict.ok and not edited:
        fewer, verdict = passing(
            result.compilation, result.package, result.rendered, verdict, superseded
        )
        result = _planned(result, fewer, force, merge)
    result = replace(result, verdict=verdict)
    if not verdict.ok:
        return result.ended(Outcome.FAILED, failed(verdict, result.out))
    if result.refused:
        return result.ended(Outcome.REFUSED, *result.refused)
    return result.ended(Outcome.FAILED) if strict and result.warns else result


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
    all_known = library(*paths)
    for component in all_known.components.values():
        if any(component.folder.is_relative_to(path) for path in paths):
            found = recognise(component.textbook.equation, all_known, among={component.name})
            if found is None:
                raise ComponentError(
                    f"{component.folder}: the formula `textbook` is none of its `formulas`"
                )
    return all_known


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
