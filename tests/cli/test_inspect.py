"""``notes2code inspect`` on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Vault


def test_text_for_people(vault: Vault) -> None:
    vault.write("Bad.md", "$$y = \\frac{a}{$$")
    assert vault.run("inspect", "vault") == 0
    assert "Attention.md (markdown): 1 component" in vault.output
    assert "→ transformer.attention.SCALES" in vault.output
    assert "Bad.md:1:" in vault.errors and "^" in vault.errors


def test_remarks_are_shown_by_inspect_only(vault: Vault) -> None:
    vault.write("Empty.canvas", "")
    vault.run("inspect", "vault")
    assert "note[N2C015]" in vault.errors
    vault.run("build", "--check")
    assert "N2C015" not in vault.errors


def test_json(vault: Vault) -> None:
    vault.write("Bad.md", "$$y = \\frac{a}{$$")
    assert vault.run("inspect", "vault", "--format", "json", "--package", "other") == 0
    assert vault.errors == ""
    formulas = vault.data()["formulas"]
    assert [f["status"] for f in formulas] == ["component", "rejected"]
    assert formulas[0]["emitted_as"] == "other.attention.SCALES"


def test_sarif(vault: Vault) -> None:
    vault.write("Bad.md", "$$y = \\frac{a}{$$\n\n```mermaid\ngraph TD\nA --> B\n```\n")
    assert vault.run("inspect", "vault", "--format", "sarif") == 0
    results = vault.data()["runs"][0]["results"]
    assert "N2C079" in {result["ruleId"] for result in results}
    assert "error" in {result["level"] for result in results}


def test_several_paths(vault: Vault) -> None:
    vault.write("sub/B.md", "$x$")
    assert vault.run("inspect", "vault/sub", "vault/Attention.md", "--format", "json") == 0
    assert [note["path"] for note in vault.data()["notes"]] == ["Attention.md", "sub/B.md"]


def test_paths_without_notes(vault: Vault) -> None:
    assert vault.run("inspect", "nowhere") == 2
    assert "there is no vault at nowhere" in vault.errors
    (vault.folder / "empty").mkdir()
    assert vault.run("inspect", "empty", "--format", "json") == 2
    assert vault.data()["notes"] == [] and "N2C001" in vault.errors


def test_nothing_is_written_but_the_cache(vault: Vault) -> None:
    vault.run("inspect", "vault")
    assert {path.name for path in vault.folder.iterdir()} - {"cache"} == {"vault"}


def test_what_a_build_wrote_into_the_vault_is_left_out(
    vault: Vault, tested: Callable[..., None]
) -> None:
    assert vault.run("build", "--out", "vault/made") == 0
    vault.write("made/README.md", "$x$")
    vault.write("sub/B.md", "$x$")
    assert vault.run("inspect", "vault", "--format", "json") == 0
    assert [note["path"] for note in vault.data()["notes"]] == ["Attention.md", "sub/B.md"]
    assert vault.run("inspect", "vault/made", "--format", "json") == 0
    assert [note["path"] for note in vault.data()["notes"]] == ["README.md"]
