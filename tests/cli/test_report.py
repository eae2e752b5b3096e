"""What ``build`` tells of a vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import notes2code.pipeline
from notes2code.rendering import render

if TYPE_CHECKING:
    from tests.cli.conftest import Vault

FEED_FORWARD = r"\mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2"


@pytest.fixture
def report(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """An empty vault whose package is the real one."""
    monkeypatch.setattr(notes2code.pipeline, "render", render)
    (vault.notes / "Attention.md").unlink()
    return vault


def lines(vault: Vault) -> list[str]:
    """The report of a build that writes nothing, up to the files, with single spaces."""
    vault.run("build", "--check")
    told = [" ".join(line.split()) for line in vault.output.splitlines()]
    return told[: next(n for n, line in enumerate(told) if line.startswith("generated: "))]


def test_each_class_with_its_places(report: Vault) -> None:
    """From formulas, from names in headings, and what only others are built from."""
    report.write("A.md", f"# Layers\n\n$$ {FEED_FORWARD} $$\n\nagain\n\n$$ {FEED_FORWARD} $$\n")
    report.write("B.md", f"$$ {FEED_FORWARD} $$\n")
    report.write("C.md", "# Notes\n\n## Add & norm\n\nAfter each layer.\n")
    assert lines(report) == [
        "vault: 3 notes, 3 formulas",
        "components 3",
        "classes and functions:",
        "AddNorm named in C.md:3",
        "FeedForward A.md:3, 7; B.md:1",
        "LayerNorm what others are built from",
    ]


def test_stray_symbols_are_one_line(report: Vault) -> None:
    report.write("OCR.md", "\n\n".join(f"text $C_{{{n}}}$ text" for n in range(100)))
    assert lines(report) == [
        "vault: 1 note, 100 formulas",
        "text 100 nothing to compute",
        "no component is recognised in the notes, and none is named: the package is empty",
    ]
    assert report.errors == ""


def test_places_beyond_the_first_few_are_counted(report: Vault) -> None:
    report.write("Bad.md", "\n\n".join("$$ y = \\frac{a}{ $$" for _ in range(9)))
    assert "rejected 9 Bad.md:1, 3, 5, 7, 9 … 4 more" in lines(report)


def test_images_that_are_not_read_are_named(report: Vault) -> None:
    report.write("A.md", "# Note\n\n![[Pasted image 1.png]]\n")
    report.write("B.md", "![](a.png)\n\n![](b.jpg)\n")
    assert "embedded images are not read: A.md:3; B.md:1" in lines(report)


def test_drawings_of_which_no_model_is_made_are_named(report: Vault) -> None:
    """Those with boxes and arrows: one without shows nothing that a model could be."""
    flow = "```mermaid\nflowchart TD\n  A[LayerNorm] --> B[FFN]\n```\n"
    alone = "```mermaid\nflowchart TD\n  A[LayerNorm]\n```\n"
    report.write("A.md", f"# Block\n\n{flow}\n{alone}\n{flow}")
    told = "drawings are read for their equations and labels, no model is made of: A.md:4, 14"
    assert told in lines(report)
