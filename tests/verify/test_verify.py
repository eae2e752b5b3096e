"""The tests of a package decide whether it is published."""

from __future__ import annotations

import importlib.util
import tempfile
import time
from pathlib import Path

import pytest

from notes2code.verify import Superseded, Verdict, run, verify

PATHS = """
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
"""


def package(code: str, tests: str) -> dict[str, str]:
    return {
        "pkg/__init__.py": code,
        "tests/conftest.py": PATHS,
        "tests/test_pkg.py": f"import pytest\nfrom pkg import double\n\n{tests}",
    }


GOOD = package(
    "def double(x):\n    return 2 * x\n",
    "@pytest.mark.parametrize('x', [1, 2])\ndef test_double(x):\n    assert double(x) == x + x\n\n"
    "def test_skipped():\n    pytest.skip('no device')\n",
)


def test_a_good_package_passes_and_is_not_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verify(GOOD) == Verdict(passed=2)
    assert verify(GOOD) == Verdict(passed=2, before=2)

    def never(*args: object) -> Verdict:
        raise AssertionError("the tests were run again")

    monkeypatch.setattr(run, "_run", never)
    commented = {**GOOD, "pkg/__init__.py": '"""Doc."""\n\n# why\n' + GOOD["pkg/__init__.py"]}
    assert verify({**commented, "README.md": "text"}).before == 2
    with pytest.raises(AssertionError, match="run again"):
        verify({**GOOD, "pkg/__init__.py": "def double(x):\n    return 3 * x\n"})


def test_only_tests_of_changed_code_are_run_again() -> None:
    """Those that fail are, and one at least: what no test comes by may break the package."""
    half = "\n\ndef half(x):\n    return x / 2\n"
    tests = (
        "from pkg import half\n\ndef test_double():\n    assert double(1) == 2\n\n"
        "@pytest.mark.parametrize('x', [2, 4])\ndef test_half(x):\n    assert half(x) * 2 == x\n"
    )
    code = "def double(x):\n    return 2 * x\n"
    assert verify(package(code + half, tests)) == Verdict(3)
    faster = package("def double(x):\n    return x + x\n" + half, tests)
    assert verify(faster) == Verdict(3, before=2)
    wrong = package(code + half.replace("/ 2", "/ 3"), tests)
    for _ in range(2):
        verdict = verify(wrong)
        assert (verdict.passed, verdict.before, len(verdict.failures)) == (1, 1, 2)
    unused = package(f"{code}{half}\n\ndef unused():\n    pass\n", tests)
    assert verify(unused) == Verdict(3, before=2)
    broken = verify(package(f"{code}{half}\n\n1 / 0\n", tests))
    assert broken.failures and not broken.ok


def test_many_tests_are_shared_out_to_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_EACH", 1)
    monkeypatch.setattr(run.os, "cpu_count", lambda: 2)
    tests = "".join(
        f"def test_{i}():\n    assert double({i}) < 4 and {i} != os.getpid()\n\n" for i in range(4)
    )
    begin = package("def double(x):\n    return 2 * x\n", f"import os\n\n{tests}")
    verdict = verify(begin)
    assert verdict.passed == 2
    assert {f.test[-1] for f in verdict.failures} == {"2", "3"}


def test_a_test_that_pytest_does_not_know_keeps_no_other_from_being_run() -> None:
    tests = "test_name = 'x'\n\ndef test_it():\n    assert double(1) == 2\n"
    own = "class TestOwn:\n    def __init__(self):\n        pass\n"
    good = package("def double(x):\n    return 2 * x\n", tests + own)
    assert verify(good) == Verdict(1)
    assert verify(package("def double(x):\n    return x\n", tests + own)).failures


def test_failures_are_named_with_the_lines_that_say_why() -> None:
    verdict = verify(
        package(
            "def double(x):\n    return 3 * x\n",
            "def test_double():\n    value = double(2)\n    assert value == 4\n\n"
            "def test_zero():\n    assert double(0) == 0\n\n"
            "def test_error():\n    double(None)\n\n"
            "class TestIt:\n    def test_it(self):\n        assert double(1) == 2\n",
        )
    )
    assert not verdict.ok and verdict.passed == 1 and not verdict.problem
    assert [f.test for f in verdict.failures] == [
        "tests/test_pkg.py::test_double",
        "tests/test_pkg.py::test_error",
        "tests/test_pkg.py::TestIt::test_it",
    ]
    assert "assert 6 == 4" in verdict.failures[0].excerpt
    assert "tests/test_pkg.py:6" in verdict.failures[0].excerpt
    assert "TypeError" in verdict.failures[1].excerpt


def test_a_failing_package_is_run_again() -> None:
    bad = package("def double(x):\n    return x\n", "def test_it():\n    assert double(1) == 2\n")
    assert not verify(bad).ok
    assert not verify(bad).ok and not verify(bad).before


@pytest.mark.parametrize(
    "code", ["def double(:\n", "import pkg.missing\n", "raise OSError('no')\n"]
)
def test_code_that_cannot_be_imported_fails(code: str) -> None:
    verdict = verify(package(code, "def test_it():\n    pass\n"))
    assert not verdict.ok and verdict.passed == 0
    assert verdict.failures and verdict.failures[0].excerpt


def test_python_that_ends_early_is_a_problem() -> None:
    verdict = verify(package("def double(x):\n    return x\n", "import os\nos._exit(3)\n"))
    assert not verdict.ok and "could not be run" in verdict.problem


def test_test_files_without_tests_are_a_problem() -> None:
    assert "no tests" in verify({"tests/test_nothing.py": "X = 1\n"}).problem


def test_a_package_without_test_files_has_nothing_to_run() -> None:
    assert verify({"pkg/__init__.py": ""}) == Verdict()


def test_tests_that_take_too_long_are_stopped() -> None:
    slow = package("import time\ndouble = time.sleep\n", "def test_it():\n    double(60)\n")
    assert "longer than 2 seconds" in verify(slow, timeout=2).problem


def test_tests_of_which_nobody_waits_for_the_outcome_are_stopped_with_what_they_started(
    tmp_path: Path,
) -> None:
    mark = tmp_path / "mark"
    child = f"import time; time.sleep(6); open({str(mark)!r}, 'w')"
    slow = package(
        "import subprocess, sys\n\n\ndef double(code):\n"
        "    subprocess.run([sys.executable, '-c', code])\n",
        f"def test_it():\n    double({child!r})\n",
    )
    begin = time.monotonic()
    with pytest.raises(Superseded):
        verify(slow, superseded=lambda: time.monotonic() > begin + 3)
    assert time.monotonic() < begin + 5
    time.sleep(5)
    assert not mark.exists()
    with pytest.raises(Superseded):
        verify(slow, superseded=lambda: True)


def test_a_missing_torch_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "torch" else found(name)
    )
    verdict = verify(GOOD)
    assert verdict.problem.startswith("torch not installed for ") and not verdict.ok


def test_the_surroundings_do_not_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the caller's variables nor settings of pytest around the staging folder."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "pkg.py").write_text("raise SystemExit\n")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("PYTHONPATH", str(other))
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    assert verify(GOOD).passed == 2


def test_nothing_is_left_in_the_staging_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    staging = tmp_path / "staging"
    staging.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(staging))
    verify(GOOD)
    assert not list(staging.iterdir())
