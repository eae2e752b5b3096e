"""Each component answers to its textbook formula and to its own forms, and to nothing near them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest

from notes2code.components.compiling import Compiler
from notes2code.components.library import Component, Form, library, spelt
from notes2code.components.own_sizes import shown_settings
from notes2code.components.pattern import kinds
from notes2code.components.recognise import Recognised, recognise
from notes2code.meaning import type_formula
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.scope import Scope, Shape
from tables import row

COMPONENTS = library().components

SETTINGS: dict[str, dict[str, str]] = {
    "additive_attention": {"activation": "tanh"},
    "bleu": {"penalty": "exp(min(0, -r/c + 1))"},
    "causal_self_attention": {"scale": "d_k**-0.5", "mask": "causal"},
    "cosine_attention": {"scale": "tau**-1"},
    "cross_attention": {"scale": "d_k**-0.5"},
    "differential_attention": {"scale": "d_k**-0.5", "lambda": "lambda_"},
    "encoder_decoder": {"bias": "b"},
    "feed_forward": {"activation": "relu", "inner_bias": "b_1", "outer_bias": "b_2"},
    "gated_feed_forward": {"activation": "silu"},
    "kernel_attention": {"kernel": "(-0.5)*x**2"},
    "layer_norm": {"epsilon": "epsilon"},
    "linear_attention": {"feature_map": "elu(x) + 1"},
    "relative_position_attention": {"scale": "d_k**-0.5", "keys": "r"},
    "relative_position_bias": {"scores": "b"},
    "relative_self_attention": {"scale": "d_k**-0.5", "keys": "a_K", "values": "a_V"},
    "output_head": {"bias": "b"},
    "rms_norm": {"epsilon": "epsilon"},
    "rotary_attention": {"scale": "d_k**-0.5"},
    "rotary_embedding": {"base": "10000"},
    "scaled_dot_product_attention": {"scale": "d_k**-0.5"},
    "self_attention": {"scale": "d_k**-0.5"},
    "seq2seq_attention": {"activation": "tanh"},
    "sigmoid_attention": {"scale": "d_k**-0.5"},
    "sinusoidal_positional_encoding": {"base": "10000", "even": "sin", "odd": "cos"},
    "synthesizer_attention": {"activation": "relu", "inner_bias": "b_1", "outer_bias": "b_2"},
}
"""The settings of each component's textbook formula; what is not here is left out in it."""

FORMS = [
    pytest.param(component, form, id=f"{component.name}/{form.part}: {form.latex}")
    for component in COMPONENTS.values()
    for form in component.forms
]


def recognised(latex: str) -> Recognised | None:
    """What a formula by itself is recognised as."""
    entry = Entry(latex)
    return Compiler(Linker([entry], library().scope), library()).compiled(entry).recognised


def said(found: Recognised | None) -> object:
    """The component, its form and its settings."""
    return found and (found.component.name, found.form.part, shown_settings(found))


@pytest.mark.parametrize("name", [row(name, name) for name in COMPONENTS])
def test_textbook(name: str) -> None:
    found = recognised(COMPONENTS[name].textbook.latex)
    assert found is not None
    assert found.component.name == name
    assert {n: v for n, v in shown_settings(found).items() if v is not None} == SETTINGS.get(
        name, {}
    )


FUNCTIONS = {
    "additive_attention": {"f": r"\\tanh"},
    "feed_forward": {"f": r"\\mathrm{GELU}"},
    "kernel_attention": {"g": r"\\cos"},
    "sinusoidal_positional_encoding": {"f": r"\\cos", "g": r"\\sin"},
    "synthesizer_attention": {"f": r"\\tanh"},
}
"""Functions to put in the place of a component's settings; ``\tanh`` for others."""

CAUSAL = r", \quad M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"


def written(component: Component, form: Form) -> str:
    """A form as a note could have it: with functions, allowed letters, distances and a mask."""
    functions = FUNCTIONS.get(component.name, {"f": r"\\tanh", "g": r"\\tanh"})
    latex = form.latex
    for letter, function in functions.items():
        latex = re.sub(rf"(?<![\\\w]){letter}(?=\\left|\()", function, latex)
    for setting in component.settings.values():
        if setting.kind == "distance":
            latex = latex.replace(f" {setting.symbol}_{{ij}}", f" {setting.symbol}_{{j-i}}")
    for role, letters in form.names.items():
        if role not in letters:
            latex = re.sub(rf"(?<![\\\w]){role}(?!\w)", letters[0], latex)
    return latex + CAUSAL if form.requires == "causal" else latex


def shapes(component: Component, form: Form) -> dict[str, Shape]:
    """The shapes that a form is read with, under the letters that it is written with."""
    data = tomllib.loads((component.folder / "component.toml").read_text(encoding="utf-8"))
    spellings = data.get("spellings", {})
    own = next(f for f in data["formulas"] if form.latex in spelt(f["latex"], spellings))
    if form.requires == "causal":
        data["shapes"].pop("M")
    letter = {role: role if role in allowed else allowed[0] for role, allowed in form.names.items()}
    axes = {**data.get("shapes", {}), **own.get("shapes", {})}
    return {letter.get(name, name): Shape(tuple(shape), None) for name, shape in axes.items()}


@pytest.mark.parametrize("component, form", FORMS)
def test_form(component: Component, form: Form) -> None:
    """A form is recognised as itself where its functions are what the component asks for."""
    scope = Scope(shapes=shapes(component, form), field=library().functions)
    equation = type_formula(written(component, form), scope).equation
    assert equation is not None
    kinds = {role: kinds[0] for role, kinds in component.roles.items()}
    name = form.called[0] if form.called else equation.name
    found = recognise(replace(equation, name=name), library(), kinds)
    assert found is not None
    assert (found.component.name, found.form.part) == (component.name, form.part)


@pytest.mark.parametrize("component", COMPONENTS.values(), ids=list(COMPONENTS))
def test_names_are_known(component: Component) -> None:
    """A note that only calls a component by one of its names gets that component's formula."""
    for call in component.calls:
        name = "".join(c for c in call if c.isalnum()).lower()
        assert library().functions[name] is component.textbook.equation


SIGNS = {" + ": " - ", " - ": " + ", "(-": "(", "= -": "= "}


def near(latex: str) -> list[str]:
    """The formula with one sign changed or one term dropped."""
    out = []
    for sign, put in SIGNS.items():
        for found in re.finditer(re.escape(sign), latex):
            out.append(latex[: found.start()] + put + latex[found.end() :])
    for term in re.finditer(r" [+-] (?:\\\w+|\w+(?:_\w|\^\w)?)(?![\w({_^\\])", latex):
        out.append(latex[: term.start()] + latex[term.end() :])
    return out


NEAR = [(name, latex) for name, c in COMPONENTS.items() for latex in near(c.textbook.latex)]


@pytest.mark.parametrize("name, latex", NEAR, ids=[f"{name}: {latex}" for name, latex in NEAR])
def test_near(name: str, latex: str) -> None:
    """A sign or a term makes it something else, or a form or a setting of its own, or leaves a
    role empty."""
    textbook, changed = recognised(COMPONENTS[name].textbook.latex), recognised(latex)
    assert textbook is not None
    same = said(changed) == said(textbook)
    assert not same or (
        changed is not None and changed.found.roles.keys() < textbook.found.roles.keys()
    )


def test_near_formulas_cover_the_library() -> None:
    assert len({name for name, _ in NEAR}) > 10


def test_formulas_are_compared_with_what_holds_their_operations() -> None:
    for component, form in library().forms:
        assert (component, form) in library().possible(kinds(form.pattern.value))
    plain = library().possible(frozenset())
    assert len(plain) < len(library().forms)
    assert not any(kinds(form.pattern.value, form.pattern.settings) for _, form in plain)
    one, two = (library().possible(frozenset(held)) for held in (["sum over 1"], ["prod over 1"]))
    assert {c.name for c, _ in plain} < {c.name for c, _ in one} != {c.name for c, _ in two}
