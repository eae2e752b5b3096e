"""``notes2code build``: what it writes, what it says, and its exit codes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from notes2code.publish import apply
from notes2code.verify import Failure, Verdict

if TYPE_CHECKING:
    from tests.cli.conftest import Vault

BAD = r"$$y = \frac{a}{$$"
FILES = {"transformer/__init__.py", "transformer/attention.py", "tests/test_attention.py"}
OWN = {".notes2code.json", ".notes2code.base.json"}


def test_a_build_from_notes_to_a_tested_package(vault: Vault) -> None:
    vault.write("Bad.md", f"text\n\n{BAD}\n")
    assert vault.run("build") == 0
    assert set(vault.disk()) == FILES | OWN
    lines = vault.output.splitlines()
    assert lines[0] == "vault: 2 notes, 2 formulas"
    assert lines[1:5] == [
        "  components     1",
        "  rejected       1  Bad.md:3",
        "classes and functions:",
        "  SCALES  Attention.md:3",
    ]
    assert "1 error" in lines
    assert "tests of the package: 1 passed" in lines
    assert "generated: 3 created" in lines
    assert lines[-1] == "from generated.transformer import SCALES"
    assert vault.errors.startswith("Bad.md:3:")
    assert "^" in vault.errors and "\x1b" not in vault.errors + vault.output


def test_a_second_build_changes_and_runs_nothing(vault: Vault) -> None:
    vault.run("build")
    times = {path: path.stat().st_mtime_ns for path in vault.out.rglob("*")}
    assert vault.run("build") == 0
    assert "generated: 3 unchanged" in vault.output
    assert "1 passed, before with the same code" in vault.output
    assert {p: p.stat().st_mtime_ns for p in vault.out.rglob("*")} == times


@pytest.mark.usefixtures("tested")
class TestExitCodes:
    """0 done, 1 stale, 2 errors, 3 refused."""

    def test_stale(self, vault: Vault) -> None:
        assert vault.run("build", "--check") == 1
        assert not vault.out.exists()
        vault.run("build")
        assert vault.run("build", "--check") == 0
        vault.write("More.md", (vault.notes / "Attention.md").read_text())
        before = vault.disk()
        assert vault.run("build", "--check") == 1
        assert "to update transformer/attention.py" in vault.output
        assert vault.disk() == before

    def test_check_finds_an_edited_output_stale(self, vault: Vault) -> None:
        vault.run("build")
        (vault.out / "transformer/attention.py").write_text("SCALES = []\n")
        assert vault.run("build", "--check") == 1
        assert "N2C070" in vault.errors

    def test_a_rejected_formula_does_not_stop_the_build(self, vault: Vault) -> None:
        vault.write("Bad.md", BAD)
        assert vault.run("build") == 0

    def test_strict_stops_and_leaves_the_last_output(self, vault: Vault) -> None:
        vault.run("build")
        before = vault.disk()
        vault.write("Bad.md", BAD)
        assert vault.run("build", "--strict") == 2
        assert vault.output.splitlines()[-1] == "nothing was written"
        assert vault.disk() == before
        (vault.notes / "Bad.md").unlink()
        assert vault.run("build", "--strict") == 0

    def test_strict_lets_remarks_pass(self, vault: Vault) -> None:
        vault.write("Empty.canvas", "")
        assert vault.run("build", "--strict") == 0

    def test_failing_tests(self, vault: Vault, tested: Callable[[Verdict], None]) -> None:
        vault.run("build")
        before = vault.disk()
        failures = [Failure(f"tests/test_a.py::test_{n}", f"assert {n} == 0") for n in range(12)]
        tested(Verdict(5, tuple(failures)))
        vault.write("More.md", (vault.notes / "Attention.md").read_text())
        assert vault.run("build") == 2
        assert vault.disk() == before
        assert "error[N2C075]: 12 of 17 tests of the package fail" in vault.errors
        assert "  tests/test_a.py::test_0\n    assert 0 == 0\n" in vault.output
        assert "  … and 2 more\n" in vault.output
        assert vault.output.splitlines()[-1] == "nothing was written"

    def test_tests_that_cannot_be_run(
        self, vault: Vault, tested: Callable[[Verdict], None]
    ) -> None:
        tested(Verdict(problem="torch not installed for python"))
        assert vault.run("build") == 2
        assert "error[N2C076]: the package cannot be tested: torch" in vault.errors
        assert not vault.out.exists()

    def test_a_missing_vault(self, vault: Vault) -> None:
        assert vault.run("build", "nowhere") == 2
        assert vault.errors == "notes2code: error: there is no vault at nowhere\n"
        assert vault.output == ""

    def test_an_empty_vault(self, vault: Vault) -> None:
        (vault.notes / "Attention.md").unlink()
        assert vault.run("build") == 2
        assert "N2C001" in vault.errors and not vault.out.exists()

    def test_broken_components(self, vault: Vault) -> None:
        own = vault.folder / "own" / "broken"
        own.mkdir(parents=True)
        for text in ["", "class = [", 'class = "A"\ntextbook = 3\n', 'settings = "x"\n']:
            (own / "component.toml").write_text(text)
            assert vault.run("build", "--components", "own") == 2
            assert vault.errors.startswith("notes2code: error: ")
            assert vault.errors.count("\n") == 1
        assert vault.run("build", "--components", "missing") == 2
        assert not vault.out.exists()

    def test_components_from_inside_the_vault_are_refused(self, vault: Vault) -> None:
        (vault.notes / "own").mkdir()
        assert vault.run("build", "--components", "vault/own") == 2
        assert "inside a vault" in vault.errors

    def test_an_edited_output(self, vault: Vault) -> None:
        vault.run("build")
        (vault.out / "transformer/attention.py").write_text("SCALES = ['mine']\n")
        before = vault.disk()
        vault.write("More.md", (vault.notes / "Attention.md").read_text())
        assert vault.run("build") == 3
        assert vault.disk() == before
        assert "generated/transformer/attention.py: error[N2C070]" in vault.errors
        assert "--merge" in vault.errors and "--force" in vault.errors
        assert vault.run("build", "--force") == 0
        assert b"mine" not in vault.disk()["transformer/attention.py"]

    def test_a_foreign_file(self, vault: Vault) -> None:
        (vault.out / "transformer").mkdir(parents=True)
        (vault.out / "transformer/__init__.py").write_text("# mine\n")
        assert vault.run("build") == 3
        assert vault.disk() == {"transformer/__init__.py": b"# mine\n"}

    def test_an_output_folder_that_cannot_be_used(self, vault: Vault) -> None:
        vault.out.write_text("a file")
        assert vault.run("build") == 2
        assert "N2C074" in vault.errors
        assert vault.run("build", "--out", "vault") == 2
        assert "this is the vault itself" in vault.errors

    @pytest.mark.parametrize(
        "name", ["a-b", "../a", "a.b", "class", "tests", "torch", "json", "", "ä"]
    )
    def test_names_that_no_package_can_have(self, vault: Vault, name: str) -> None:
        with pytest.raises(SystemExit) as ended:
            vault.run("build", "--package", name)
        assert ended.value.code == 2

    @pytest.mark.parametrize(
        "options", [("--check", "--diff"), ("--force", "--merge"), ("--watch", "--check")]
    )
    def test_options_that_exclude_each_other(self, vault: Vault, options: tuple[str, str]) -> None:
        with pytest.raises(SystemExit) as ended:
            vault.run("build", *options)
        assert ended.value.code == 2


@pytest.mark.usefixtures("tested")
def test_what_is_wrong_in_the_notes_is_told_once_and_before_the_tests_run(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    before: list[str] = []

    def verdict(files: object, superseded: object) -> Verdict:
        before.append(vault.capsys.readouterr().err)
        return Verdict(failures=(Failure("tests/test_a.py::test_it", ""),))

    monkeypatch.setattr("notes2code.pipeline.verify", verdict)
    vault.write("Bad.md", BAD)
    assert vault.run("build") == 2
    assert before[0].startswith("Bad.md:1:") and before[0].count("error[") == 1
    assert vault.errors.startswith("\ngenerated: error[N2C075]: ")


def test_diff_shows_and_writes_nothing(vault: Vault) -> None:
    assert vault.run("build", "--diff") == 0
    assert not vault.out.exists()
    assert vault.output.startswith("--- /dev/null\n+++ b/tests/test_attention.py\n")
    vault.run("build")
    assert vault.run("build", "--diff") == 0
    assert vault.output == ""


@pytest.mark.usefixtures("tested")
def test_diff_of_what_a_build_would_refuse(vault: Vault) -> None:
    vault.run("build")
    (vault.out / "transformer/attention.py").write_text("mine\n")
    assert vault.run("build", "--diff") == 3
    assert "-mine\n" in vault.output and "N2C070" in vault.errors


def test_what_is_merged_is_what_is_tested(vault: Vault) -> None:
    """An edit that breaks the package is not published with what is new."""
    vault.run("build")
    file = vault.out / "transformer/__init__.py"
    file.write_text(file.read_text() + "\n\nraise OSError('edited')\n")
    vault.write("More.md", (vault.notes / "Attention.md").read_text())
    before = vault.disk()
    assert vault.run("build", "--merge") == 2
    assert vault.disk() == before
    assert "edited" in vault.output
    file.write_text(file.read_text().replace("raise OSError('edited')", "MINE = 1"))
    assert vault.run("build", "--merge") == 0
    assert "MINE = 1" in file.read_text()
    assert b"More.md" in vault.disk()["transformer/attention.py"]


def test_an_edit_may_import_a_module_of_the_authors_own(vault: Vault) -> None:
    assert vault.run("build") == 0
    (vault.out / "transformer" / "own.py").write_text("NAMES = ['mine']\n")
    with (vault.out / "transformer" / "__init__.py").open("a") as file:
        file.write("from .own import NAMES\n")
    assert vault.run("build", "--merge") == 0
    assert vault.run("build") == 3
    (vault.out / "transformer" / "own.py").unlink()
    assert vault.run("build", "--merge") == 2 and "own" in vault.output


def test_a_package_that_fails_its_own_tests_is_not_written(vault: Vault) -> None:
    vault.write("Other.md", "this note is broken")
    assert vault.run("build") == 2
    assert not vault.out.exists()
    assert "tests/test_attention.py::test_scales" in vault.output


@pytest.mark.usefixtures("tested")
def test_the_report_as_json(vault: Vault) -> None:
    vault.write("Bad.md", BAD)
    assert vault.run("build", "--format", "json") == 0
    data = vault.data()
    assert data["schema"] == 1 and data["outcome"] == "done"
    assert data["formulas"] == {
        "component": 1,
        "formula": 0,
        "definition": 0,
        "text": 0,
        "rejected": 1,
    }
    assert data["components"] == [
        {
            "formula": "Attention.md:3:3",
            "component": "scaled_dot_product_attention",
            "emitted_as": "transformer.attention.SCALES",
        }
    ]
    assert [d["path"] for d in data["diagnostics"]] == ["Bad.md"]
    assert set(data["files"]["created"]) == FILES
    assert data["tests"] == {"passed": 3, "failed": [], "problem": None, "passed_before": 0}
    vault.run("build", "--check", "--format", "json")
    assert vault.data()["tests"] is None and vault.data()["files"]["created"] == []
    vault.run("build", "--diff", "--force", "--format", "json", "--package", "other")
    assert "+++ b/other/__init__.py" in vault.data()["diff"]


@pytest.mark.usefixtures("tested")
def test_another_package_name_takes_the_place_of_the_first(vault: Vault) -> None:
    vault.run("build")
    assert vault.run("build", "--package", "other") == 0
    assert not (vault.out / "transformer").exists()
    assert vault.output.splitlines()[-1] == "from generated.other import SCALES"


@pytest.mark.usefixtures("tested")
def test_the_import_line_fits_the_output_folder(vault: Vault) -> None:
    vault.run("build", "--out", "a/b")
    assert vault.output.splitlines()[-1] == "from a.b.transformer import SCALES"
    vault.run("build", "--out", "my-code")
    assert vault.output.splitlines()[-1] == "from transformer import SCALES"
    vault.run("build", "--out", ".")
    assert vault.output.splitlines()[-1] == "from transformer import SCALES"


@pytest.mark.usefixtures("tested")
def test_output_inside_the_vault_is_no_note(vault: Vault) -> None:
    vault.write("code/README.md", (vault.notes / "Attention.md").read_text())
    vault.run("build", "--out", "vault/code", "--format", "json")
    assert vault.data()["notes"] == 1
    vault.run("build", "--format", "json")
    assert vault.data()["notes"] == 2


@pytest.mark.usefixtures("tested")
def test_the_same_notes_give_the_same_bytes_anywhere(vault: Vault, tmp_path: Path) -> None:
    vault.run("build")
    first = vault.disk()
    vault.run("build", str(tmp_path / "vault"), "--out", str(tmp_path / "elsewhere" / "generated"))
    vault.out = tmp_path / "elsewhere" / "generated"
    assert vault.disk() == first


@pytest.mark.usefixtures("tested")
def test_a_failing_write_is_told_and_undone(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "attention.py" and self.suffix == ".new":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    vault.run("build")
    before = vault.disk()
    vault.write("More.md", (vault.notes / "Attention.md").read_text())
    monkeypatch.setattr(Path, "replace", full)
    assert vault.run("build") == 2
    assert "N2C074" in vault.errors and "No space left" in vault.errors
    assert vault.disk() == before


@pytest.mark.usefixtures("tested")
def test_an_interrupt_ends_quietly(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(changes: object) -> None:
        raise KeyboardInterrupt

    assert callable(apply)
    monkeypatch.setattr("notes2code.pipeline.apply", interrupted)
    assert vault.run("build") == 130


@pytest.mark.usefixtures("tested")
def test_a_fault_of_our_own_is_not_taken_for_stale_output(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*arguments: object) -> None:
        raise AssertionError("never")

    monkeypatch.setattr("notes2code.pipeline.render", fault)
    assert vault.run("build", "--check") == 2
    assert "AssertionError: never" in vault.errors
    assert vault.errors.endswith("notes2code: error: this is a fault of notes2code itself\n")


@pytest.mark.skipif(os.name == "nt", reason="names of other bytes are a matter of POSIX")
@pytest.mark.usefixtures("tested")
def test_a_note_whose_name_is_no_text(vault: Vault) -> None:
    (vault.notes / os.fsdecode(b"od\xffd.md")).write_text(BAD)
    assert vault.run("build") == 0
    assert "N2C0" in vault.errors
