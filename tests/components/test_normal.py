"""Two ways to write one thing have one normal form, and no two things have."""

from __future__ import annotations

from notes2code import compile_formula
from notes2code.components.proofs import same_value

EXP = r"\exp(q_i^\top k_j)"


def test_weights_below_a_condition_are_a_softmax_where_it_stands_above_too() -> None:
    limited = rf"\sum_{{j \le i}} {EXP}"
    causal = compile_formula(r"o_i = \sum_{j \le i} \mathrm{softmax}_{j \le i}(q_i^\top k_j) v_j")
    written = compile_formula(rf"o_i = \frac{{{limited} v_j}}{{{limited}}}")
    below = compile_formula(rf"o_i = \frac{{\sum_j {EXP} v_j}}{{{limited}}}")
    assert same_value(causal.equation, written.equation)
    assert not same_value(causal.equation, below.equation)


def test_weights_of_another_formula_are_added_up_over_another_index() -> None:
    weights = r"b_{ij} = \mathrm{softmax}_j(q_i^\top k_j)"
    usual = compile_formula(r"o_i = \sum_j b_{ij} h_j", context=[weights])
    strange = compile_formula(r"o_j = \sum_i b_{ij} h_i", context=[weights])
    assert not [d for d in usual.diagnostics if d.code == "N2C050"]
    assert any("added up over" in d.message for d in strange.diagnostics)


def test_what_uses_strange_weights_does_not_repeat_the_doubt() -> None:
    weights = r"a_{ij} = \frac{\exp(s_{ij})}{\sum_k \exp(s_{ik})}"
    weighed = r"c_j = \sum_i a_{ij} h_i"
    strange = compile_formula(weighed, context=[weights])
    assert any("added up over" in d.message for d in strange.diagnostics)
    used = compile_formula(r"y_j = \tanh(W c_j)", context=[weights, weighed])
    assert not any("added up over" in d.message for d in used.diagnostics)


def test_a_gelu_written_out_is_one_before_a_sum_too() -> None:
    gelu = r"\mathrm{GELU}(x) = x \cdot \frac{1}{2} [1 + \mathrm{erf}(x / \sqrt{2})]"
    layer = compile_formula(r"\mathrm{MLP}(x) = \mathrm{GELU}(x A + a) B + b", context=[gelu])
    assert (layer.component, layer.settings["activation"]) == ("feed_forward", "gelu")
    halved = compile_formula(
        r"\mathrm{MLP}(x) = \mathrm{GELU}(x A + a) B + b", context=[gelu.replace("{2} [", "{4} [")]
    )
    assert not same_value(layer.equation, halved.equation)


def test_a_gelu_that_a_tanh_approximates_is_one_by_its_numbers() -> None:
    gelu = r"\mathrm{GELU}(x) = 0.5 x (1 + \tanh(\sqrt{2/\pi} (x + 0.044715 x^3)))"
    layers = [
        r"\mathrm{FFN}(x) = \mathrm{GELU}(x A + a) B + b",
        r"\mathrm{GEGLU}(x) = (\mathrm{GELU}(x A) \odot x B) C",
    ]
    other = [gelu.replace("0.0447", "0.047"), gelu.replace(r"\sqrt{2/\pi}", "0.8")]
    for layer in layers:
        for one in (gelu, gelu.replace(r"\sqrt{2/\pi}", "0.7978845608")):
            found = compile_formula(layer, context=[one])
            assert found.settings["activation"] == "gelu_tanh"
        for one in other:
            assert compile_formula(layer, context=[one]).settings.get("activation") != "gelu_tanh"


def test_a_number_on_both_sides_of_a_comparison_says_nothing() -> None:
    softmax = r"\alpha_{ij} = \mathrm{softmax}_j(q_i^\top k_j + M_{ij})"
    mask = r"M_{ij} = \begin{cases} 0 & j + KEY \le i + 1 \\ -\infty & j + KEY > i + 1 \end{cases}"
    plain, moved = (
        compile_formula(softmax, context=[mask.replace("KEY", shift)]) for shift in ("1", "2")
    )
    assert plain.settings["mask"] == "causal"
    assert moved.settings["mask"] != "causal"
