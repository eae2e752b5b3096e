"""Components of one's own: a folder given with ``--components``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import notes2code.passing
import notes2code.pipeline
from notes2code.rendering import render

if TYPE_CHECKING:
    from tests.cli.conftest import Vault

COMPONENT = r"""
class = "ScaleNorm"
family = "layers"
summary = "Each position brought to one learned length."
source = "Nguyen and Salazar, Transformers without Tears (2019)"
textbook = '\mathrm{ScaleNorm}(x) = g \frac{x}{\|x\|}'
calls = ["ScaleNorm"]

[[formulas]]
latex = 'g \frac{x}{\|x\|}'

[shapes]
x = ["d"]
g = []
"""
MODULE = """
class {{ part.name }}(nn.Module):
{{ part.doc({"x": "(..., d_model)", "returns": "(..., d_model)"}) }}

    def __init__(self) -> None:
        super().__init__()
        self.{{ part.var("g") }} = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        return self.{{ part.var("g") }} * x / x.norm(dim=-1, keepdim=True)
"""
TEST = """
def test_{{ part.snake }}_is_the_formula() -> None:
    layer = randomised({{ part.name }}())
    x = torch.randn(4, 5, dtype=torch.float64)
    rows, weights = array(x), {"{{ part.var("g") }}": array(layer.{{ part.var("g") }})}
    expected = {{ part.over_rows("x", "rows", "**weights") }}
    assert_equals(layer(x), expected)
"""


@pytest.fixture
def own(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault with a formula that only a component of one's own answers to, and that component."""
    monkeypatch.setattr(notes2code.pipeline, "render", render)  # and not a small package
    monkeypatch.setattr(notes2code.passing, "render", render)
    vault.write("Attention.md", r"$$ y = g \frac{x}{\|x\|} $$")
    folder = vault.folder / "own" / "scale_norm"
    folder.mkdir(parents=True)
    for name, text in [("component.toml", COMPONENT), ("module.py.j2", MODULE)]:
        (folder / name).write_text(text)
    (folder / "test.py.j2").write_text(TEST)
    return vault


def test_it_becomes_a_tested_class(own: Vault) -> None:
    assert own.run("build", "--components", "own") == 0
    code = own.disk()["transformer/layers.py"].decode()
    assert "class ScaleNorm(nn.Module):" in code and "self.g = " in code
    assert "tests of the package: 1 passed" in own.output
    assert "from generated.transformer import ScaleNorm" in own.output


def test_a_class_that_fails_its_tests_is_left_out(own: Vault) -> None:
    """The rest is written, and the same notes need not fail again to be told the same."""
    module = own.folder / "own" / "scale_norm" / "module.py.j2"
    module.write_text(MODULE.replace("* x / x.norm", "* x * x.norm"))
    own.write("Perplexity.md", r"$$ \mathrm{PPL} = \exp(L) $$")
    command = ("build", "--components", "own")
    for unchanged in ("", "unchanged"):
        assert own.run(*command) == 0
        assert "Attention.md:1:4: warning[N2C053]: ScaleNorm is left out of the package: its " in (
            own.errors
        )
        assert "its tests fail, such as `test_scale_norm_is_the_formula`" in own.errors
        assert unchanged in own.output
        assert {"transformer/metrics.py", ".notes2code.refused.json"} <= own.disk().keys()
        assert "transformer/layers.py" not in own.disk()
    assert own.run(*command, "--check") == 0
    assert own.run(*command, "--strict") == 2
    module.write_text(MODULE)
    assert own.run(*command, "--check") == 1
    assert own.run(*command) == 0
    assert "transformer/layers.py" in own.disk()
    assert ".notes2code.refused.json" not in own.disk()


def test_its_tests_decide(own: Vault) -> None:
    """Where no class passes, nothing is written."""
    module = own.folder / "own" / "scale_norm" / "module.py.j2"
    module.write_text(MODULE.replace("* x / x.norm", "* x * x.norm"))
    assert own.run("build", "--components", "own") == 2
    assert "error[N2C075]: 1 of 1 tests of the package fail" in own.errors
    assert not own.out.exists()


@pytest.mark.parametrize("text", ["{% if %}", "{{ part.nothing }}", "{{ nothing }}"])
def test_a_broken_template_is_named(own: Vault, text: str) -> None:
    module = own.folder / "own" / "scale_norm" / "module.py.j2"
    module.write_text(MODULE + text)
    assert own.run("build", "--components", "own") == 2
    assert own.errors.startswith(f"notes2code: error: {module}: ")
    assert own.errors.count("\n") == 1


@pytest.mark.usefixtures("tested")
def test_without_them_the_formula_is_no_component(own: Vault) -> None:
    own.run("build", "--check", "--format", "json")
    assert own.data()["formulas"]["component"] == 0
