"""Bad input is told in its place, and the rest of the vault is built."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import notes2code.pipeline
from notes2code.rendering import render

if TYPE_CHECKING:
    from tests.cli.conftest import Vault

FEED_FORWARD = r"\mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2"
GELU = FEED_FORWARD.replace(r"\max(0, x W_1 + b_1)", r"\mathrm{GELU}(x W_1 + b_1)")
DRAWING = """---
excalidraw-plugin: parsed
---
# Excalidraw Data
## Text Elements
a box ^aaaaaaaa

%%
## Drawing
```compressed-json
N4IgLgngDgpiBcIYA8DGBDANgSwCYCd0B3EAGhADcZ8BnbAe
```
%%
"""

BAD_NOTES = {
    "yaml": ("---\ntitle: a: b\ntags: [open\n---\n# Note\n", "N2C005", "warning"),
    "unclosed": ("# Note\n\n$$\ny = W x\n", "N2C006", "error"),
    "comment": ("# Note\n\n%%\nhidden\n", "N2C007", "warning"),
    "drawing": (DRAWING, "N2C011", "error"),
    "bytes": (b"# R\xe9sum\xe9\n\n$$ y = a + b $$\n", "N2C004", "warning"),
    "formula": ("# Note\n\n$$ y = \\frac{a}{ $$\n", "N2C022", "error"),
}
"""Notes that cannot be read in full, with the code that each gets."""


def write(vault: Vault, name: str, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    (vault.notes / name).write_bytes(data)


@pytest.fixture
def real(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault whose package is the real one."""
    monkeypatch.setattr(notes2code.pipeline, "render", render)
    (vault.notes / "Attention.md").unlink()
    return vault


@pytest.mark.usefixtures("tested")
@pytest.mark.parametrize("name", BAD_NOTES)
def test_a_bad_note_is_told_in_its_place_and_the_rest_is_built(vault: Vault, name: str) -> None:
    text, code, severity = BAD_NOTES[name]
    write(vault, "Bad.md", text)
    assert vault.run("build") == 0
    assert re.search(rf"^Bad\.md:\d+:\d+: {severity}\[{code}\]: ", vault.errors, re.MULTILINE)
    assert "Traceback" not in vault.errors
    assert "Attention.md" in vault.disk()["transformer/attention.py"].decode()
    assert vault.run("build", "--strict") == 2
    assert vault.run("inspect", "vault", "--format", "json") == 0
    notes, formulas = vault.data()["notes"], vault.data()["formulas"]
    found = [d for item in [*notes, *formulas] for d in item["diagnostics"]]
    assert code in {d["code"] for d in found}


def test_a_fault_in_one_of_several_equations_is_shown_in_the_line_that_was_written(
    vault: Vault,
) -> None:
    line = r"\begin{align} u &= W x \\ v &= u + \end{align}"
    vault.write("Two.md", f"# Two\n\n$$ {line} $$\n")
    vault.run("inspect", "vault/Two.md")
    assert vault.errors.splitlines()[1:3] == [
        f"    3 | {line}",
        "      | " + "^".rjust(line.index("+") + 1),
    ]


def test_all_of_them_at_once_and_a_real_package(real: Vault) -> None:
    """The one good note becomes a package that passes its tests."""
    for name, (text, _, _) in BAD_NOTES.items():
        write(real, f"{name}.md", text)
    real.write("Good.md", f"# A layer\n\n$$ {FEED_FORWARD} $$\n")
    assert real.run("build") == 0
    for name, (_, code, _) in BAD_NOTES.items():
        assert re.search(rf"^{name}\.md\S*: \w+\[{code}\]", real.errors, re.MULTILINE)
    assert "class FeedForward(nn.Module):" in real.disk()["transformer/layers.py"].decode()
    assert re.search(r"^tests of the package: \d+ passed$", real.output, re.MULTILINE)
    assert "  FeedForward  Good.md:3" in re.sub("  +", "  ", real.output).splitlines()


@pytest.mark.parametrize("command", ["build", "inspect"])
class TestNothingToBuild:
    """Errors of the vault as a whole; nothing is written."""

    def test_a_folder_that_is_not_there(self, vault: Vault, command: str) -> None:
        assert vault.run(command, "nowhere") == 2
        assert vault.errors == "notes2code: error: there is no vault at nowhere\n"
        assert vault.output == "" and not vault.out.exists()

    def test_an_empty_vault(self, vault: Vault, command: str) -> None:
        (vault.notes / "Attention.md").unlink()
        assert vault.run(command, "vault") == 2
        assert "error[N2C001]: " in vault.errors and not vault.out.exists()

    def test_a_vault_of_other_files(self, vault: Vault, command: str) -> None:
        (vault.notes / "Attention.md").rename(vault.notes / "Attention.txt")
        assert vault.run(command, "vault") == 2
        assert "error[N2C001]: " in vault.errors


@pytest.mark.usefixtures("tested")
def test_a_vault_without_formulas(real: Vault) -> None:
    real.write("Poem.md", "Roses are red.\n")
    assert real.run("build") == 0
    assert real.output.splitlines()[0] == "vault: 1 note, 0 formulas"


@pytest.mark.usefixtures("tested")
def test_two_notes_that_define_a_component_differently_are_both_kept(real: Vault) -> None:
    """Under names that tell them apart, whichever note comes first."""
    for first, second in [("A.md", "B.md"), ("B.md", "A.md")]:
        real.write(first, f"# Feed forward\n\n$$ {FEED_FORWARD} $$\n")
        real.write(second, f"# In GPT\n\n$$ {GELU} $$\n")
        assert real.run("build", "--check", "--format", "json") == 1
        made = {c["formula"]: c["emitted_as"] for c in real.data()["components"]}
        assert made == {
            f"{first}:3:4": "transformer.layers.FeedForward",
            f"{second}:3:4": "transformer.layers.GeluFeedForward",
        }


@pytest.mark.usefixtures("tested")
def test_two_notes_that_say_the_same_make_one_class(real: Vault) -> None:
    real.write("A.md", f"$$ {FEED_FORWARD} $$\n")
    real.write("B.md", f"$$ {FEED_FORWARD.replace('W', 'U')} $$\n")
    assert real.run("build", "--check", "--format", "json") == 1
    names = {c["emitted_as"] for c in real.data()["components"]}
    assert names == {"transformer.layers.FeedForward"}
    places = {c["name"]: c["places"] for c in real.data()["classes"]}
    assert places["transformer.layers.FeedForward"] == ["A.md:1", "B.md:1"]
