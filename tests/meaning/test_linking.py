"""A name means what the nearest formula says: its section, then its note, then the vault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.diagnostics import Severity
from notes2code.meaning.linking import memory
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.scope import Scope, Shape
from notes2code.meaning.typed import Typed, type_formula
from notes2code.oracle import evaluate
from tables import row

HERE = Entry(r"y = lift(a)", "Here.md", ("Top", "Mine"), 50)


def compiled(entries: Sequence[Entry], target: Entry) -> Compiled:
    return Compiler(Linker(entries, library().scope), library()).compiled(target)


def value(entries: Sequence[Entry], **inputs: Any) -> float:
    """The value of ``HERE`` among other formulas."""
    found = compiled([*entries, HERE], HERE)
    assert found.equation is not None, found.problems
    return float(evaluate(found.equation, inputs))


def adding(number: int, note: str, section: tuple[str, ...] = (), order: int = 0) -> Entry:
    """A definition of f somewhere; its number tells which one was taken."""
    return Entry(f"lift(t) = t + {number}", note, section, order)


def test_what_several_formulas_ask_of_others_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counting(latex: str, scope: Scope) -> Typed:
        asked.append(latex)
        return type_formula(latex, scope)

    monkeypatch.setattr(memory, "type_formula", counting)
    made = Entry(r"r_i = \tanh(u_i)", "A.md", (), 1)
    used = Entry(r"g = \sum_i r_i", "A.md", (), 2)
    linker = Linker([made, used], library().scope)
    found = [linker.typed(used), linker.typed(used)]
    assert len(found[0].together) == 1
    assert found[0] == found[1]
    assert len(asked) == len(set(asked)) == 1
    linker.kinds[used] = {"r": Shape(("d",), 1)}  # what is said of it is another scope
    assert linker.typed(used).own.equation != found[0].own.equation


def test_of_other_notes_most_decide() -> None:
    same = [r"lift(t) = t + 5", r"\mathrm{lift}\left(t\right) = t + 5"]
    notes = [adding(7, "A.md"), Entry(same[0], "B.md"), Entry(same[1], "C.md")]
    assert value(notes, a=1.0) == 6.0


def test_of_as_many_other_notes_the_shortest_decides() -> None:
    """A variant in one note adds to what all of them are variants of."""
    notes = [Entry(r"lift(t) = t + 7t^2", "A.md"), adding(5, "B.md")]
    assert value(notes, a=1.0) == 6.0


def test_another_note_defines_what_takes_as_many_arguments() -> None:
    notes = [Entry(r"lift(t, s) = t + 7s", "A.md"), adding(5, "B.md")]
    assert value(notes, a=1.0) == 6.0


@pytest.mark.parametrize(("section", "temperature"), [("Mine", True), ("Sampling", False)])
def test_a_softmax_with_a_temperature_is_that_of_its_section(
    section: str, temperature: bool
) -> None:
    tempered = Entry(
        r"\mathrm{softmax}(z)_i = \frac{\exp(z_i / T)}{\sum_j \exp(z_j / T)}", "A.md", (section,), 0
    )
    here = Entry(r"A = \mathrm{softmax}(Q K^\top)", "A.md", ("Mine",), 1)
    equation = compiled([tempered, here], here).equation
    assert equation is not None
    assert ("T" in {given.name for given in equation.inputs}) == temperature


def test_what_everybody_knows_is_no_other_in_other_notes() -> None:
    strange = Entry(r"\mathrm{softmax}(z) = \mathrm{softmax}(2z)", "A.md")
    near = Entry(r"\mathrm{sigmoid}(z) \approx z", "B.md", (), 1)
    here = Entry(r"y = \mathrm{sigmoid}(a)", "B.md", (), 2)
    found = compiled([strange, near, here], here).equation
    assert found is not None
    assert float(evaluate(found, {"a": 0.0})) == 0.5
    masked = Entry(r"o_i = \mathrm{softmax}(q_i K_{\le i}^\top) V_{\le i}", "B.md", (), 3)
    recognised = compiled([strange, masked], masked).recognised
    assert recognised is not None
    assert recognised.component.name == "scaled_dot_product_attention"


def test_an_activation_is_another_in_each_note() -> None:
    silu = Entry(r"\sigma(z) = z / (1 + e^{-z})", "A.md")
    here = Entry(r"y = \sigma(a)", "B.md")
    found = compiled([silu, here], here).equation
    assert found is not None
    assert float(evaluate(found, {"a": 0.0})) == 0.5


SECTION = adding(1, "Here.md", ("Top", "Mine"), 10)
BESIDE = adding(2, "Here.md", ("Top", "Other"), 20)
ABOVE = adding(3, "Here.md", ("Top",), 5)
BEHIND = adding(4, "Here.md", ("Top", "Mine"), 90)
ELSEWHERE = adding(5, "Other.md", (), 0)


@pytest.mark.parametrize(
    "entries, taken",
    [
        ([SECTION], 1),
        ([ELSEWHERE], 5),
        ([SECTION, BESIDE], 1),
        ([SECTION, ELSEWHERE], 1),
        ([BESIDE, ELSEWHERE], 2),
        ([SECTION, ABOVE], 1),
        ([ABOVE, BESIDE], 3),
        ([SECTION, BEHIND], 1),
        ([BEHIND], 4),
        ([BEHIND, ELSEWHERE], 4),
        ([adding(6, "Here.md", ("Top", "Mine"), 5), SECTION], 1),
        ([adding(7, "Here.md", ("Top", "Mine"), 20), SECTION], 7),
    ],
)
def test_the_nearest_definition_is_taken(entries: list[Entry], taken: int) -> None:
    assert value(entries, a=10) == 10 + taken
    assert value(entries[::-1], a=10) == 10 + taken


@pytest.mark.parametrize(
    ("formulas", "taken"),
    [
        # Each of two that define the same stands before the definition it uses.
        ([r"y = lift(a)", r"lift(t) = t + 1", "HERE", r"lift(t) = t + 2"], 2),
        ([r"y = lift(a)", r"lift(t) = t + 1", "HERE", r"z = lift(b)", r"lift(t) = t + 2"], 2),
        # Each stands behind it, or the one before is no other way to do the same.
        ([r"lift(t) = t + 1", r"y = lift(a)", r"lift(t) = t + 2", "HERE"], 2),
        ([r"lift(t) = t + 1", r"y = lift(a)", "HERE", r"lift(t) = t + 2"], 1),
        ([r"z = lift(b)", r"lift(t) = t + 1", "HERE", r"lift(t) = t + 2"], 1),
        ([r"y = a + b", r"lift(t) = t + 1", "HERE", r"lift(t) = t + 2"], 1),
    ],
)
def test_of_two_ways_each_has_the_definition_behind_it(formulas: list[str], taken: int) -> None:
    at = formulas.index("HERE")
    others = [
        Entry(latex, HERE.note, HERE.section, HERE.order + order - at)
        for order, latex in enumerate(formulas)
        if order != at
    ]
    assert value(others, a=1.0) == 1.0 + taken


def test_definitions_are_followed() -> None:
    """A function may be defined by functions of other notes."""
    middle = Entry(r"lift(t) = turn(t)^2", "Middle.md")
    far = Entry(r"turn(t) = t + 1", "Far.md")
    assert value([middle, far], a=2) == 9


def test_a_letter_means_what_its_own_note_says() -> None:
    """The f of one note is not that of another, unlike a word."""
    target = Entry(r"y = f(a)", "Here.md")
    here, far = Entry(r"f(t) = t + 1", "Here.md", (), 1), Entry(r"f(t) = \max(0, t)", "Far.md")
    linked, alone = compiled([here, far, target], target), compiled([far, target], target)
    assert linked.equation is not None and alone.equation is not None
    assert [given.name for given in linked.equation.inputs] == ["a"]
    assert [given.name for given in alone.equation.inputs] == ["a", "f"]


def test_a_weight_of_a_function_is_not_what_the_caller_defines() -> None:
    """The B of the layer is no B_i of the heads of the attention that it calls."""
    layer = Entry(
        r"\mathrm{DecoderLayer}(X, H) = \mathrm{LayerNorm}(B + \mathrm{FFN}(B)), \quad "
        r"B = \mathrm{LayerNorm}(A + \mathrm{CrossAttention}(A, H)), \quad "
        r"A = \mathrm{LayerNorm}(X + \mathrm{MaskedMultiHead}(X))",
        "Here.md",
    )
    attention = Entry(
        r"\mathrm{CrossAttention}(X, Z) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)"
        r" O, \quad \mathrm{head}_i = \mathrm{Attention}(X A_i, Z B_i, Z C_i)",
        "Here.md",
        (),
        1,
    )
    found = compiled([layer, attention], layer).recognised
    assert found is not None and found.component.name == "decoder_layer"
    cool = Entry(r"\mathrm{cool}(t) = t / \tau", "Here.md")
    here = Entry(r"y = 2 \tau, \quad \tau = \mathrm{cool}(a)", "Here.md", (), 1)
    problems = compiled([cool, here], here).problems
    assert [p.code for p in problems if p.severity is Severity.ERROR] == ["N2C035"]


def test_a_product_set_upright_is_no_word_of_the_vault() -> None:
    """OCR writes ``\\mathrm{QK}``; the QK of other notes stays a product."""
    scanned = Entry(r"S = \mathrm{QK}^{\mathrm{T}}, \quad C = \mathrm{AB}", "Scan.md")
    target = Entry(r"S = QK^\top + AB", "Here.md")
    found = compiled([scanned, target], target)
    assert found.equation is not None
    assert {given.name for given in found.equation.inputs} == {"Q", "K", "A", "B"}


def test_a_circle_of_definitions_ends() -> None:
    entries = [Entry(r"lift(t) = turn(t)", "A.md"), Entry(r"turn(t) = lift(t)", "B.md")]
    found = compiled([*entries, HERE], HERE)
    assert found.status in ("formula", "rejected")


ATTENTION = r"O = A V"
WEIGHTS = r"A = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)"


@pytest.mark.parametrize(
    "place, component",
    [
        (("Here.md", ("Top",)), "scaled_dot_product_attention"),
        (("Here.md", ("Other",)), "scaled_dot_product_attention"),
        (("Other.md", ("Top",)), None),
    ],
)
def test_arrays_are_linked_within_a_note(
    place: tuple[str, tuple[str, ...]], component: str | None
) -> None:
    target = Entry(ATTENTION, "Here.md", ("Top",), 5)
    found = compiled([Entry(WEIGHTS, *place, order=1), target], target)
    assert (found.recognised and found.recognised.component.name) == component


@pytest.mark.parametrize(
    ("declared", "component"),
    [("Top", "scaled_dot_product_attention"), ("Mine", "self_attention")],
)
def test_what_a_section_is_given_is_not_made_behind_it(declared: str, component: str) -> None:
    given = Entry(r"Q \in \mathbb{R}^{n \times d_k}", "Here.md", (declared,), 0)
    weights, target = (
        Entry(WEIGHTS, "Here.md", ("Top",), 1),
        Entry(ATTENTION, "Here.md", ("Top",), 2),
    )
    made = [Entry(rf"{x} = X", "Here.md", ("Mine",), 3 + at) for at, x in enumerate("QKV")]
    found = compiled([given, weights, target, *made], target)
    assert found.recognised is not None
    assert found.recognised.component.name == component


def test_definitions_in_several_steps() -> None:
    """Scores, weights and context stand in three formulas of one section."""
    steps = [
        r"e_{ij} = \frac{q_i^\top k_j}{\sqrt{d_k}}",
        r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_l \exp(e_{il})}",
        r"c_i = \sum_j \alpha_{ij} v_j",
    ]
    entries = [Entry(latex, "Note.md", (), order) for order, latex in enumerate(steps)]
    found = compiled(entries, entries[-1])
    assert found.recognised is not None
    assert found.recognised.component.name == "scaled_dot_product_attention"
    assert not found.recognised.form.partial
    assert found.uses == tuple(entries[:2])


def test_halves_of_an_array_belong_together() -> None:
    even = Entry(r"PE_{(p,2i)} = \sin(p/10000^{2i/d})", "Note.md", (), 0)
    odd = Entry(r"PE_{(p,2i+1)} = \cos(p/10000^{2i/d})", "Note.md", (), 1)
    found = compiled([even, odd], even)
    assert found.recognised is not None
    assert found.recognised.form.part == "output"


# --- definitions that contradict each other -----------------------------------------------------


def codes(entries: Sequence[Entry]) -> list[str]:
    return [p.code for p in compiled([*entries, HERE], HERE).problems if p.code == "N2C035"]


def test_two_notes_contradict_each_other() -> None:
    assert codes([adding(1, "A.md"), adding(2, "B.md")]) == ["N2C035"]


@pytest.mark.parametrize(
    "entries",
    [
        row([adding(1, "A.md"), adding(1, "B.md")], "twice the same"),
        row(
            [adding(1, "A.md"), Entry("lift(c) = 1 + c", "B.md")],
            "the same in other words",
        ),
        row([adding(1, "A.md"), adding(2, "B.md"), adding(3, "Here.md")], "this note decides"),
        row([adding(1, "A.md")], "one alone"),
    ],
)
def test_no_contradiction(entries: list[Entry]) -> None:
    assert codes(entries) == []


FAR = ("Here.md", ("Top", "Far"))


@pytest.mark.parametrize(
    "entries",
    [
        row([adding(1, "Here.md", ("A",), 1), adding(2, "Here.md", ("B",), 2)], "two sections"),
        row([adding(1, "Here.md", ("A",), 1), adding(2, "Here.md", ("A",), 2)], "twice in one"),
        row([adding(1, *FAR, 1), adding(2, "Here.md", (*FAR[1], "Part"), 2)], "a part of another"),
        row([SECTION, adding(2, "Here.md", ("Top", "Mine"), 20)], "its own section"),
        row([BEHIND, adding(2, "Here.md", ("Top", "Mine"), 99)], "both behind it"),
    ],
)
def test_a_note_contradicts_itself(entries: list[Entry]) -> None:
    assert codes(entries) == ["N2C035"]


@pytest.mark.parametrize(
    "entries",
    [
        row([adding(1, "Here.md", ("A",), 1), Entry("lift(c) = 1 + c", *FAR, 2)], "twice the same"),
        row([SECTION, adding(2, "Here.md", ("Top", "Other"), 20)], "its own section decides"),
        row([ABOVE, BESIDE], "the section above decides"),
        row([SECTION, BEHIND], "it is defined anew behind the formula"),
    ],
)
def test_a_note_does_not_contradict_itself(entries: list[Entry]) -> None:
    assert codes(entries) == []


def test_the_warning_says_which_definition_is_taken() -> None:
    entries = [
        Entry(latex, "Here.md", ("Top", "Mine"), order, line=10 * order)
        for order, latex in enumerate(["lift(t) = t + 1", "lift(t) = t + 2"], 1)
    ]
    (problem,) = (p for p in compiled([*entries, HERE], HERE).problems if p.code == "N2C035")
    assert "Here.md:20 and Here.md:10; the first is taken" in problem.message
    assert "nearest before" in problem.message
    assert value(entries, a=0) == 2


def test_arrays_contradict_each_other_where_they_are_linked() -> None:
    scores = [r"S = \frac{QK^\top}{\sqrt{d_k}}", r"S = Q W K^\top"]
    entries = [Entry(latex, "Here.md", (), order) for order, latex in enumerate(scores)]
    target = Entry(r"O = \mathrm{softmax}(S) V", "Here.md", (), 2)
    found = compiled([*entries, target], target)
    assert found.uses == (entries[1],)
    assert [p.code for p in found.problems] == ["N2C035"]
    assert not compiled([entries[0], target], target).problems


def test_an_example_with_numbers_contradicts_nothing() -> None:
    scores = [r"S = \frac{QK^\top}{\sqrt{d_k}}", r"S = e^{-1/9} = 0.895"]
    entries = [Entry(latex, "Here.md", (), order) for order, latex in enumerate(scores)]
    target = Entry(r"O = \mathrm{softmax}(S) V", "Here.md", (), 2)
    assert "N2C035" not in [p.code for p in compiled([*entries, target], target).problems]


# --- definitions that were rejected -------------------------------------------------------------

SHAPES = Entry(r"k \in \mathbb{R}^{p}, \quad W \in \mathbb{R}^{q \times r}", *FAR, 0)
MISFIT = Entry(r"lift(k) = k^\top W k", *FAR, 40)
UNREADABLE = Entry(r"lift(t) = \left( t + 1", *FAR, 40)


@pytest.mark.parametrize("broken", [row(MISFIT, "shapes"), row(UNREADABLE, "signs")])
@pytest.mark.parametrize(
    "other", [row(ELSEWHERE, "another note"), row(adding(1, "Here.md", ("A", "B", "C")), "farther")]
)
def test_no_other_takes_the_place_of_a_rejected_definition(broken: Entry, other: Entry) -> None:
    found = compiled([SHAPES, broken, other, HERE], HERE)
    assert found.equation is not None
    assert {given.name: given.kind for given in found.equation.inputs}["lift"] == "function"
    assert any("rejected" in p.message for p in found.problems if p.code == "N2C035")


@pytest.mark.parametrize(
    "nearer",
    [row(SECTION, "in this section"), row(adding(3, "Elsewhere.md"), "of notes equally far")],
)
def test_a_rejected_definition_that_is_no_nearer_does_not_matter(nearer: Entry) -> None:
    broken = Entry(UNREADABLE.latex, "Broken.md")
    found = compiled([broken, nearer, HERE], HERE)
    assert found.equation is not None
    assert [given.name for given in found.equation.inputs] == ["a"]
    assert not [p for p in found.problems if p.code == "N2C035"]


# --- what else notes say ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "declared, place, shape",
    [
        (r"x \in \mathbb{R}^{n \times d}", ("Here.md", ("Top",), 0), 2),
        (r"x \in \mathbb{R}^{d}", ("Here.md", ("Top",), 0), 1),
        (r"x \in \mathbb{R}^{n \times d}", ("Here.md", ("Other",), 0), 2),
        (r"x \in \mathbb{R}^{n \times d}", ("Other.md", (), 0), 1),
    ],
)
def test_shapes_hold_in_their_note(
    declared: str, place: tuple[str, tuple[str, ...], int], shape: int
) -> None:
    target = Entry(r"y = x + 1", "Here.md", ("Top",), 5)
    found = compiled([Entry(declared, *place), target], target)
    assert found.equation is not None
    assert len(found.equation.inputs[0].shape) == shape


def test_the_nearest_shape_is_taken() -> None:
    near = Entry(r"x \in \mathbb{R}^{n \times d}", "Here.md", ("Top", "Mine"), 0)
    far = Entry(r"x \in \mathbb{R}^{d}", "Here.md", ("Top", "Other"), 1)
    target = Entry(r"y = x + 1", "Here.md", ("Top", "Mine"), 5)
    found = compiled([near, far, target], target)
    assert found.equation is not None
    assert len(found.equation.inputs[0].shape) == 2


def _declared_twice(first: str, second: str, *between: str) -> list[str]:
    """What is told of a formula behind two declarations of a letter."""
    texts = [first, *between, second, r"y = 2 u"]
    entries = [Entry(text, "Here.md", ("Top",), at, line=at + 1) for at, text in enumerate(texts)]
    found = compiled(entries, entries[-1])
    assert found.equation is not None
    return [problem.message for problem in found.problems if problem.code == "N2C035"]


def test_two_shapes_of_one_letter_are_told() -> None:
    first, second = r"u \in \mathbb{R}^{n \times h}", r"u \in \mathbb{R}^{h \times n}"
    (told,) = _declared_twice(first, second)
    assert told == (
        "`u` is declared h × n in Here.md:2, and n × h in Here.md:1; the first is taken, "
        "the nearest before this formula"
    )
    assert _declared_twice(r"u \in \mathbb{R}^{n \times d}", r"u \in \mathbb{R}^{n}")
    # What is made of itself between them is another since; sizes in numbers are an example.
    assert not _declared_twice(first, second, r"u = g(u)")
    assert not _declared_twice(first, first)
    assert not _declared_twice(first, r"u \in \mathbb{R}^{2 \times 3}")


def test_words_of_the_vault() -> None:
    """What one note sets upright another may write in italics."""
    target = Entry(r"y = a \cdot zeta", "Here.md")
    upright = Entry(r"\mathrm{zeta} = c + 1", "Other.md")
    alone, among = compiled([target], target), compiled([upright, target], target)
    assert alone.equation is not None and among.equation is not None
    assert "zeta" in {i.name for i in among.equation.inputs}


def test_macros_of_the_note() -> None:
    macro = Entry(r"\newcommand{\half}{\frac{1}{2}}", "Here.md", (), 0)
    target = Entry(r"y = \half a", "Here.md", (), 1)
    found = compiled([macro, target], target)
    assert found.equation is not None
    assert evaluate(found.equation, {"a": 3.0}) == 1.5


def test_another_result_does_not_take_the_place_of_a_formula() -> None:
    """A formula that defines a letter on the way to a result of its own does not give that."""
    other = Entry(r"B_{ij} = w (j - i), \quad w = 3", "Note.md", (), 0)
    entry = Entry(r"y = w x", "Note.md", (), 1)
    equation = compiled([other, entry], entry).equation
    assert equation is not None and equation.name == "y"


def test_an_index_is_no_name_to_look_for() -> None:
    other = Entry(r"m = 2 c", "Note.md", (), 0)
    entry = Entry(r"y_{m,i} = m x_i", "Note.md", (), 1)
    equation = compiled([other, entry], entry).equation
    assert equation is not None and [i.name for i in equation.inputs if i.shape] == ["x"]


def test_a_temperature_in_another_note_stays_there() -> None:
    """A softmax to which a note adds a number is its own: elsewhere the word means what it does
    everywhere."""
    softmax = r"\mathrm{softmax}(x)_i = \frac{e^{%s}}{\sum_j e^{%s}}"
    weights = r"p = \mathrm{softmax}(s)"

    def inputs(exponent: str, note: str) -> set[str]:
        definition = Entry(softmax % (f"{exponent}_i", f"{exponent}_j"), note)
        here = Entry(weights, "Here.md", (), 1)
        found = compiled([definition, here], here)
        assert found.equation is not None
        return {given.name for given in found.equation.inputs}

    assert inputs(r"\tau x", "Other.md") == {"s"}
    assert inputs(r"\tau x", "Here.md") == {"s", "tau"}


@pytest.mark.parametrize(
    "groups, taken",
    [(r"g(i) = \lceil i / r \rceil", True), (r"g(i) = i \bmod G", False), ("g(i) = G - i", False)],
)
def test_heads_are_grouped_as_the_note_says_or_not_at_all(groups: str, taken: bool) -> None:
    head = Entry(r"O_i = \mathrm{softmax}(Q_i K_{g(i)}^\top) V_{g(i)}", "Here.md", (), 2)
    found = compiled([Entry(groups, "Here.md", (), 1), head], head)
    assert (found.equation is not None) == taken


def test_a_factor_here_is_no_function_of_another_section() -> None:
    schedule = Entry(r"\eta(t) = 7 t", "Here.md", ("Top", "Schedule"), 60)
    beside = Entry(r"y = x - \eta g", "Here.md", ("Top", "Mine"), 49)
    here = Entry(r"y = x - \eta (g + 2 x)", "Here.md", ("Top", "Mine"), 50)
    found = compiled([beside, here, schedule], here)
    assert found.equation is not None, found.problems
    given = {"x": 1.0, "g": 3.0, "eta": 0.5}
    ones = {
        one.name: np.full((1,) * len(one.shape), given[one.name]) for one in found.equation.inputs
    }
    assert evaluate(found.equation, ones) == pytest.approx(-1.5)


def test_what_is_no_layer_norm_holds_in_its_own_note_only() -> None:
    strange = Entry(r"\mathrm{LayerNorm}(X) = x^\top \frac{X - \mu}{\sigma} W + b", "Other.md")
    here = Entry(r"z = \mathrm{LayerNorm}(x + \mathrm{FFN}(x))", "Here.md")
    assert compiled([strange, here], here).recognised is not None
    assert compiled([replace(strange, note="Here.md"), here], here).recognised is None


def test_a_formula_read_with_its_definitions_is_itself() -> None:
    """Nothing uses the s_i that the α of the refused c_i are made of; that is not the value."""
    texts = [
        r"\alpha \in \mathbb{R}^N",
        r"s_i = \tanh(W s_{i-1} + c_i)",
        r"\alpha_{ij} = s_{i-1}^\top h_j",
        r"c_i = \sum_{j=1}^T \alpha_{ij} h_j",
    ]
    entries = [Entry(latex, "Here.md", (), order) for order, latex in enumerate(texts)]
    found = compiled(entries, entries[-1])
    assert found.equation is None or found.equation.name == "c"


BESIDE = ("Top", "Beside")


def test_what_a_section_beside_declares_yields_with_a_warning() -> None:
    far = Entry(r"\alpha \in \mathbb{R}^N", "Here.md", BESIDE, 1)
    here = Entry(r"c_i = \sum_{j=1}^T \alpha_{ij} h_j", "Here.md", ("Top", "Mine"), 50)
    found = compiled([far, here], here)
    assert found.status == "formula"
    assert [p.code for p in found.problems if p.severity is Severity.WARNING] == ["N2C035"]


@pytest.mark.parametrize("section", [("Top",), ("Top", "Mine")])
def test_what_a_section_around_declares_holds(section: tuple[str, ...]) -> None:
    near = Entry(r"\alpha \in \mathbb{R}^N", "Here.md", section, 1)
    here = Entry(r"c_i = \sum_{j=1}^T \alpha_{ij} h_j", "Here.md", ("Top", "Mine"), 50)
    assert compiled([near, here], here).status == "rejected"


def test_numbered_weights_go_together() -> None:
    """The W_2 that is declared beside another W_1 is not the one of this section."""
    far = Entry(
        r"W_1 \in \mathbb{R}^{d \times f}, W_2 \in \mathbb{R}^{f \times d}", "Here.md", BESIDE, 1
    )
    own = Entry(r"W_1 \in \mathbb{R}^{a \times p}", "Here.md", ("Top", "Mine"), 49)
    here = Entry(r"e_i = v^\top \tanh(W_1 h_i + W_2 s)", "Here.md", ("Top", "Mine"), 50)
    found = compiled([far, own, here], here)
    assert found.recognised is not None
    assert found.recognised.component.name == "additive_attention"


def test_what_a_section_behind_numbers_is_another() -> None:
    used = Entry(r"Y = \mathrm{softmax}(Q K^\top + b) V", "Here.md", ("Top", "Mine"), 49)
    here = Entry(r"b_{i,j} = m (j - i)", "Here.md", ("Top", "Mine"), 50)
    slopes = Entry(r"m_j = 2^{-j} c, \quad j \in [0, H)", "Here.md", ("Top", "Behind"), 90)
    found = compiled([used, here, slopes], used)
    assert found.equation is not None
    assert len(found.equation.value.indices) == 2


def test_what_is_made_of_what_holds_in_places_holds_there() -> None:
    """The slopes below the diagonal are a matrix in the scores too, and no number."""
    slopes = Entry(r"b_{ij} = m (j - i), \quad j \le i", "Here.md", (), 1)
    scores = Entry(r"S = \frac{Q K^\top}{\sqrt{d_k}} + b", "Here.md", (), 2)
    found = compiled([slopes, scores], scores)
    assert found.equation is not None
    assert {one.name: len(one.shape) for one in found.equation.inputs}.keys() >= {"Q", "K", "m"}
    assert "b" not in {one.name for one in found.equation.inputs}


CALL = r"y = z + \mathrm{MultiHead}(z, z, z)"
JOINED = r"\mathrm{MultiHead}(Q, K, V) = [H_1; \dots; H_r] U"
HEAD = r"H_i = \mathrm{softmax}(Q A_i (K B_i)^\top) V C_i"


def test_what_yields_in_a_definition_yields_where_that_is_used() -> None:
    """The Q of one head is none of the attention beside it, and so is that of all heads."""
    said = Entry(r"Q, K, V \in \mathbb{R}^{n \times e}", "A.md", ("One",), 0)
    weights = Entry(r"A_i, B_i, C_i \in \mathbb{R}^{w \times e}", "A.md", ("Heads",), 1)
    made = [Entry(text, "A.md", ("Heads",), at) for at, text in enumerate((JOINED, HEAD), 2)]
    call = Entry(CALL, "A.md", ("Layer",), 4)
    found = compiled([said, weights, *made, call], made[0])
    assert found.equation is not None
    assert {"Q", "K", "V", "A", "B", "C", "U"} == {one.name for one in found.equation.inputs}
    used = compiled([said, weights, *made, call], call)
    assert used.equation is not None
    assert {"z", "A", "B", "C", "U"} == {one.name for one in used.equation.inputs}
    assert not used.problems
    again = compiled([said, weights, *made, call], made[1])
    assert [problem.code for problem in again.problems] == ["N2C035"]


def test_a_call_whose_arguments_are_lost_is_told() -> None:
    lost = Entry(HEAD.replace("softmax}(", "softmax}(("), "A.md", ("Heads",), 2)
    made = Entry(JOINED, "A.md", ("Heads",), 1)
    call = Entry(CALL, "A.md", ("Layer",), 3)
    found = compiled([made, lost, call], call)
    assert any("makes nothing of `z, z, z`" in problem.message for problem in found.problems)


@pytest.mark.parametrize(("said", "first"), [(r"i = 1, \dots, d/2", 1), (r"i = 1, \dots, h", 0)])
def test_another_section_tells_from_where_planes_count(said: str, first: int) -> None:
    """The planes of a rotation; heads, or layers, are others."""
    ranged = Entry(said, "Here.md", ("Planes",), 1)
    angles = Entry(r"\theta_i = b^{-2i/d}", "Here.md", ("Angles",), 2)
    found = compiled([ranged, angles], angles)
    assert found.equation is not None, found.problems
    value = evaluate(found.equation, {"b": 3.0, "n": 4, "d": 8})
    np.testing.assert_allclose(value, 3.0 ** (-2 * np.arange(first, first + 4) / 8))


def test_a_list_is_joined_nowhere_that_is_a_matrix_by_its_own_definition() -> None:
    lists = [
        Entry(rf"{name.upper()} = [{name}_1, \dots, {name}_d]", "A.md", (), at)
        for at, name in enumerate("qk")
    ]
    dot = Entry(r"s = Q \cdot K", "A.md", (), 2)
    assert compiled([*lists, dot], dot).status == "rejected"
