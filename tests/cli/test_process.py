"""The command line as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def command(first: str = "") -> list[str]:
    code = f"{first}import sys; sys.path.insert(0, sys.argv.pop(1)); "
    code += "import runpy; runpy.run_module('notes2code', run_name='__main__')"
    return [sys.executable, "-c", code, str(ROOT)]


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command(), *arguments], cwd=cwd, capture_output=True, text=True, timeout=60
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


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_build_that_is_ended_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Norm.md").write_text(
        r"$$ \mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac{1}{d} \sum_i x_i^2 + \epsilon}} \odot g $$"
    )
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    heard = f"import signal; signal.signal(signal.{name}, signal.SIG_DFL); "  # also under nohup
    places = {"TMPDIR": str(temporary), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    building = subprocess.Popen(
        [*command(heard), "build"],
        cwd=tmp_path,
        env={**os.environ, **places},
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while not list(temporary.glob("notes2code-*/*/log")) and time.monotonic() < deadline:
        time.sleep(0.05)  # until the tests of the package run
    building.send_signal(getattr(signal, name))
    assert building.communicate(timeout=30)[1] == b""
    assert building.returncode == 130
    assert list(temporary.iterdir()) == [] and not (tmp_path / "generated").exists()


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
