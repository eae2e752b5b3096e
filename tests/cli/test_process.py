"""The command line as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv.pop(1)); "]
    command[-1] += "import runpy; runpy.run_module('notes2code', run_name='__main__')"
    return subprocess.run(
        [*command, str(ROOT), *arguments], cwd=cwd, capture_output=True, text=True, timeout=60
    )


def test_help_names_the_commands() -> None:
    done = run("--help")
    assert done.returncode == 0 and "build" in done.stdout and "inspect" in done.stdout
    done = run("build", "--help")
    options = ["--out", "--package", "--check", "--diff", "--watch", "--strict", "--force"]
    options += ["--merge", "--format", "--components"]
    assert all(option in done.stdout for option in options)


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("build", "--no-such"), ("inspect",)])
def test_wrong_arguments(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2 and done.stderr.startswith("usage: notes2code")


def test_a_missing_vault(tmp_path: Path) -> None:
    done = run("build", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "notes2code: error: there is no vault at vault\n"
    assert list(tmp_path.iterdir()) == []


def test_diagnostics_go_to_stderr_and_results_to_stdout(tmp_path: Path) -> None:
    (tmp_path / "Bad.md").write_text("$$y = \\frac{a}{$$")
    done = run("inspect", "Bad.md", "--format", "sarif", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert json.loads(done.stdout)["version"] == "2.1.0"
    done = run("inspect", "Bad.md", cwd=tmp_path)
    assert "Bad.md:1:" in done.stderr and "error[" not in done.stdout
    assert "\x1b" not in done.stderr + done.stdout


def test_starting_imports_nothing_heavy() -> None:
    code = (
        "import sys; import notes2code.cli as c; "
        "heavy = {'numpy', 'torch', 'jinja2', 'markdown_it', 'yaml', 'watchfiles'}; "
        "first = heavy & set(sys.modules); "
        "import notes2code.pipeline, notes2code.report, notes2code.inspection; "
        "print(sorted(first), 'torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] False\n"
