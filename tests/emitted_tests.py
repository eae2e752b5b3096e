"""Runs the tests of a rendered package, each package in a process of its own.

What ``torch.compile`` has seen of a module stays with the process, so two packages with the same
name cannot share one. The processes are copies of a server that has imported what all need.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # the processes need no compiler
    from building import Package

_COPIES = "forkserver" in multiprocessing.get_all_start_methods()
_PROCESSES = multiprocessing.get_context("forkserver" if _COPIES else "spawn")
if _COPIES:
    _PROCESSES.set_forkserver_preload(["numpy", "pytest", "torch", "torch._dynamo"])


def written(files: Package, root: Path) -> Path:
    """Write the files of a package into a folder, and give the folder."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return root


def passes(root: Path, plugins: Sequence[object] = (), options: Sequence[str] = ()) -> bool:
    """Whether the tests of the package in a folder pass, those that pytest's ``options`` choose;
    what they say is printed if not."""
    log = root / "log"
    process = _PROCESSES.Process(target=_run, args=(root, log, plugins, options))
    process.start()
    process.join()
    if process.exitcode != pytest.ExitCode.OK:
        print(log.read_text(encoding="utf-8", errors="replace")[-2000:])
    return process.exitcode == pytest.ExitCode.OK


def _run(root: Path, log: Path, plugins: Sequence[object], options: Sequence[str]) -> None:
    with log.open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    os.chdir(root)
    gc.freeze()  # pytest collects garbage several times, and what is imported already is none
    # The tests need no plugins, of which hypothesis alone takes a second; and without a folder to
    # stop at, pytest looks through those above.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    usual = ["-q", "-x", "-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={root}"]
    usual += [f"--confcutdir={root}", "--import-mode=importlib", "--tb=native"]
    code = pytest.main([*usual, *options], plugins=plugins)
    sys.exit(int(code))
