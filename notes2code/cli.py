"""The command line: parses arguments, prints results, sets exit codes."""

from __future__ import annotations

import argparse
import gc
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn, TextIO

from notes2code.names import is_package_name

if TYPE_CHECKING:
    from notes2code.compilation import Memory
    from notes2code.diagnostics import Diagnostic
    from notes2code.pipeline import Progress

DONE, STALE, FAILED, REFUSED = range(4)
INTERRUPTED = 130

_GARBAGE = 100_000
"""New objects before garbage is looked for: what is compiled is kept, and a fifth of the time went
into looking through it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` name; returns the exit code.

    0: done; 1: ``--check`` found the output stale; 2: errors, nothing was written;
    3: refused, because a file of the output was edited by hand.
    """
    gc.set_threshold(_GARBAGE)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        with _stoppable():
            return _guarded(options.run, options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output is gone; Python must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception:
        # Python's own exit code for this, 1, would say that the output is stale.
        _say(f"{traceback.format_exc()}notes2code: error: this is a fault of notes2code itself\n")
        return FAILED


# --- the commands -------------------------------------------------------------------------------


def _build(options: argparse.Namespace) -> int:
    if not options.watch:
        return _build_once(options)
    from notes2code.compilation import Memory
    from notes2code.verify import Superseded
    from notes2code.watching import changes

    code, memory = DONE, Memory()
    with suppress(KeyboardInterrupt):
        for superseded in changes(options.vault, options.out, options.components):
            with suppress(Superseded):
                once = partial(_build_once, superseded=superseded, memory=memory)
                code = _guarded(once, options)
                _progress()[0](f"watching {options.vault}, Ctrl-C ends")
    _progress()[1]()
    return code


def _build_once(
    options: argparse.Namespace,
    superseded: Callable[[], bool] = lambda: False,
    memory: Memory | None = None,
) -> int:
    from notes2code import report
    from notes2code.pipeline import Outcome, build
    from notes2code.publish import diff

    with_progress, finish = _progress()
    told = _Told(finish)
    try:
        result = build(
            options.vault,
            options.out,
            options.package,
            check=options.check,
            diff=options.diff,
            strict=options.strict,
            force=options.force,
            merge=options.merge,
            components=options.components,
            progress=with_progress,
            told=told,
            superseded=superseded,
            memory=memory,
        )
    finally:
        finish()
    told(result.diagnostics)
    if options.format == "json":
        _print_json(report.facts(result, options.diff))
    elif options.diff and result.changes:
        sys.stdout.write(diff(result.changes))
    else:
        sys.stdout.write(report.text(result))
    codes = {Outcome.STALE: STALE, Outcome.FAILED: FAILED, Outcome.REFUSED: REFUSED}
    return codes.get(result.outcome, DONE)


def _inspect(options: argparse.Namespace) -> int:
    from notes2code import inspection
    from notes2code.compilation import compile_vault
    from notes2code.diagnostics.render import render as rendered
    from notes2code.inspection import drawings
    from notes2code.inspection.facts import is_note
    from notes2code.pipeline import library_of
    from notes2code.rendering import render

    vault = inspection.read_paths(options.paths)
    compilation = compile_vault(vault, library_of(options.components, *options.paths))
    rendering = render(compilation, options.package)
    found = [*compilation.diagnostics(), *rendering.diagnostics]
    if options.format == "sarif":
        found += [drawings.remark(note, s) for note in vault.notes for s in note.scenes]
        _print_json(inspection.sarif(found, vault.root))
    else:
        facts = inspection.facts(compilation, rendering.emitted, rendering.remarks)
        if options.format == "json":
            found = [d for d in vault.diagnostics if not is_note(d.path)]
            _print_json(facts)
        else:
            sys.stdout.write(inspection.text(facts))
        _say(rendered(found, _coloured(sys.stderr)))
    return DONE if vault.notes else FAILED


def _guarded(command: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command; what keeps it from starting or ending is told, without a traceback."""
    from notes2code.components.library import ComponentError
    from notes2code.diagnostics.render import render
    from notes2code.publish import PublishError
    from notes2code.vault import VaultError

    try:
        return command(options)
    except PublishError as problem:
        _say(render([problem.diagnostic], _coloured(sys.stderr)))
        return FAILED
    except (VaultError, ComponentError) as problem:
        return _failure(problem)


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let what else ends a program, such as a terminal that is closed, end it as Ctrl-C does:
    the tests that run are stopped, and nothing is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    # What is ignored, as under nohup, stays so.
    taken = [n for n in numbers if n is not None and signal.getsignal(n) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _interrupted)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _interrupted(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


# --- output -------------------------------------------------------------------------------------


class _Told:
    """Prints warnings and errors, each once: they are told before the tests and behind them."""

    def __init__(self, clear: Callable[[], None]) -> None:
        self.clear = clear
        self.already: set[Diagnostic] = set()

    def __call__(self, found: Sequence[Diagnostic]) -> None:
        from notes2code.diagnostics import Severity
        from notes2code.diagnostics.render import render

        new = [d for d in found if d.severity != Severity.NOTE and d not in self.already]
        if not new:
            return
        self.clear()
        _say("\n" * bool(self.already) + render(new, _coloured(sys.stderr)))
        self.already.update(new)


def _failure(problem: Exception) -> int:
    _say(f"notes2code: error: {problem}\n")
    return FAILED


def _say(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()


def _print_json(data: object) -> None:
    sys.stdout.write(json.dumps(data, indent=2) + "\n")


def _coloured(stream: TextIO) -> bool:
    dumb = os.environ.get("TERM") == "dumb"
    return stream.isatty() and not os.environ.get("NO_COLOR") and not dumb


def _progress() -> tuple[Progress, Callable[[], None]]:
    """A callback that shows the stage on a terminal, and one that clears it."""
    if not _coloured(sys.stderr):
        return lambda stage: None, lambda: None
    return lambda stage: _say(f"\r\x1b[K{stage} …"), lambda: _say("\r\x1b[K")


# --- arguments ----------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="notes2code",
        description="Compiles a vault of notes into a tested PyTorch package.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--package",
        metavar="NAME",
        type=_package,
        default="transformer",
        help="name of the package (default: transformer)",
    )
    shared.add_argument(
        "--components",
        metavar="DIR",
        action="append",
        default=[],
        help="a folder of further components; may be given several times",
    )
    _add_build(commands, shared)
    _add_inspect(commands, shared)
    return parser


def _add_build(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    build = commands.add_parser(
        "build",
        parents=[shared],
        help="compile a vault and write the package",
        description="Compiles a vault, tests the package, and writes it only if its tests pass.",
        epilog="Exit codes: 0 done, 1 stale (--check), 2 errors, 3 output edited by hand.",
        allow_abbrev=False,
    )
    build.add_argument("vault", metavar="VAULT", nargs="?", default="vault", help="default: vault")
    build.add_argument("--out", metavar="DIR", default="generated", help="default: generated")
    dry = build.add_mutually_exclusive_group()
    dry.add_argument("--check", action="store_true", help="only tell whether the output is stale")
    dry.add_argument("--diff", action="store_true", help="only show what would change")
    dry.add_argument("--watch", action="store_true", help="build again whenever a note changes")
    build.add_argument("--strict", action="store_true", help="fail on any warning or error")
    edits = build.add_mutually_exclusive_group()
    edits.add_argument("--force", action="store_true", help="overwrite files edited by hand")
    edits.add_argument("--merge", action="store_true", help="merge edits with the new code")
    build.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    build.set_defaults(run=_build)


def _add_inspect(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    inspect = commands.add_parser(
        "inspect",
        parents=[shared],
        help="show what becomes of notes, formulas and drawings",
        description="Shows what becomes of each note, formula and drawing; writes nothing.",
        allow_abbrev=False,
    )
    inspect.add_argument("paths", metavar="PATH", nargs="+", help="a vault, a folder or a note")
    inspect.add_argument("--format", choices=("text", "json", "sarif"), default="text")
    inspect.set_defaults(run=_inspect)


def _package(name: str) -> str:
    if not is_package_name(name):
        raise argparse.ArgumentTypeError(f"`{name}` cannot be the name of a package")
    return name
