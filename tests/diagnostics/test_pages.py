"""Each code has a page, and the example on the page is really told with the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.diagnostics.codes import TITLES
from notes2code.rendering import render
from notes2code.vault import read_vault

DOCS = Path(__file__).resolve().parents[2] / "docs" / "diagnostics"
SECTIONS = ["What it means", "Example", "How to fix it"]
SUFFIXES = {"latex": ".md", "markdown": ".md", "yaml": ".md", "html": ".html", "json": ".canvas"}

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

NOT_IN_A_NOTE = {
    *("N2C001", "N2C002", "N2C003", "N2C004", "N2C011", "N2C012", "N2C013", "N2C016"),
    *(code for code in TITLES if code.startswith(("N2C07", "N2C09"))),
}
"""Codes of files, scenes and the disk, which no short text can show."""


def sections(code: str) -> dict[str, str]:
    """The texts of a page by heading, without its title."""
    page = (DOCS / f"{code}.md").read_text(encoding="utf-8")
    parts = re.split(f"^## ({'|'.join(SECTIONS)})$", page, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def told(vault: Path, text: str) -> set[str]:
    """The codes that a vault of the marked blocks in ``text`` gets, each block a note."""
    for number, (kind, block) in enumerate(BLOCK.findall(text)):
        note = f"$$\n{block}$$\n" if kind == "latex" else block
        (vault / f"{number}{SUFFIXES[kind]}").write_text(note, encoding="utf-8")
    compilation = compile_vault(read_vault(vault), library())
    found = [*compilation.diagnostics(), *render(compilation, "transformer").diagnostics]
    return {diagnostic.code for diagnostic in found}


def test_each_code_has_a_page_and_each_page_a_code() -> None:
    assert {page.stem for page in DOCS.glob("*.md")} == set(TITLES)


@pytest.mark.parametrize("code", TITLES)
def test_a_page_says_what_it_means_shows_an_example_and_a_fix(code: str) -> None:
    page = (DOCS / f"{code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {code}: {TITLES[code]}\n")
    assert list(sections(code)) == SECTIONS
    printed = [line for line in sections(code)["Example"].splitlines() if "N2C" in line]
    assert all(re.match(rf"\S+: (error|warning|note)\[{code}\]: ", line) for line in printed)


@pytest.mark.parametrize("code", sorted(set(TITLES) - NOT_IN_A_NOTE))
def test_the_example_is_told_with_the_code(code: str, tmp_path: Path) -> None:
    assert code in told(tmp_path, sections(code)["Example"])


@pytest.mark.parametrize("code", sorted(set(TITLES) - NOT_IN_A_NOTE))
def test_the_fix_is_not(code: str, tmp_path: Path) -> None:
    fix = sections(code)["How to fix it"]
    if BLOCK.search(fix):
        assert told(tmp_path, fix).isdisjoint({code, "N2C037"})
