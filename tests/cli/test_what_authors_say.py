"""Tags and comments, by which the author of a note says more than its formulas do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import notes2code.rendering
from notes2code.rendering import render

if TYPE_CHECKING:
    from tests.cli.conftest import Vault

GATE = r"\mathrm{gate}(x) = \sigma(x W + b)"
FEED_FORWARD = r"\mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2"
CAUSAL = (
    r"Y = \mathrm{softmax}\left(\frac{X W^Q (X W^K)^\top}{\sqrt{d_k}} + M\right) X W^V, \quad "
    r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
)


@pytest.fixture
def inspected(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """An empty vault whose package is the real one."""
    monkeypatch.setattr(notes2code.rendering, "render", render)
    (vault.notes / "Attention.md").unlink()
    return vault


def became(vault: Vault, note: str) -> list[tuple[str, str | None]]:
    """The component or status of each formula of a note, and its name in code."""
    vault.write("A.md", note)
    assert vault.run("inspect", "vault", "--format", "json") == 0
    formulas = vault.data()["formulas"]
    return [(f["component"] or f["status"], f["emitted_as"]) for f in formulas]


@pytest.mark.parametrize(
    "note",
    [
        f"---\ntags: [n2c/skip]\n---\n$$ {FEED_FORWARD} $$\n",
        f"# Old #n2c/skip\n\n$$ {FEED_FORWARD} $$\n",
        f"# Old\n#n2c/skip\n\n## Below\n\n$$ {FEED_FORWARD} $$\n",
        f"$$ {FEED_FORWARD} $$ %% n2c: skip %%\n",
    ],
)
def test_what_is_skipped_is_left_out(inspected: Vault, note: str) -> None:
    assert became(inspected, note) == []


def test_a_tag_reaches_its_section_and_no_further(inspected: Vault) -> None:
    note = f"# Old #n2c/skip\n\n$$ {GATE} $$\n\n# New\n\n$$ {FEED_FORWARD} $$\n"
    assert became(inspected, note) == [("feed_forward", "transformer.layers.FeedForward")]


@pytest.mark.parametrize(
    "note",
    [
        f"---\ntags: [n2c/emit]\n---\n$$ {GATE} $$\n",
        f"# Gate #n2c/emit\n\n$$ {GATE} $$\n",
        f"$$ {GATE} $$ %% n2c: emit %%\n",
    ],
)
def test_a_plain_formula_is_emitted_where_that_is_asked_for(inspected: Vault, note: str) -> None:
    assert became(inspected, note) == [("formula", "transformer.formulas.gate")]
    assert became(inspected, f"$$ {GATE} $$\n") == [("formula", None)]


@pytest.mark.parametrize(
    ("note", "component"),
    [
        (f"$$ {CAUSAL} $$\n", "causal_self_attention"),
        (f"# Notes #attention/self\n\n$$ {CAUSAL} $$\n", "self_attention"),
        (f"$$ {CAUSAL} $$ %% n2c: self-attention %%\n", "self_attention"),
        (f"# Notes #attention/additive\n\n$$ {CAUSAL} $$\n", "causal_self_attention"),
    ],
)
def test_a_tag_picks_a_component_that_the_formula_can_be(
    inspected: Vault, note: str, component: str
) -> None:
    assert became(inspected, note)[0][0] == component
