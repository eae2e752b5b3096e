"""Formulas that look like a component and are none: recurrent networks, classifiers, statistics."""

from __future__ import annotations

import pytest

from notes2code import compile_formula


@pytest.mark.parametrize(
    "latex",
    [
        r"o_t = C \tanh(A h_{t-1} + B x_t)",
        r"h_t = \tanh(A x_t + B h_{t-1}), \quad o_t = C h_t",
        r"h_t = A h_{t-1} + B x_t, \quad o_t = C h_t",
        r"o_t = C \tanh(A h_{t-1} + B x_t + b) + c",
        r"o_t = \mathrm{softmax}(C \tanh(A x_t + B h_{t-1}))",
        r"o = W_2 \tanh(W_1 [h; x] + b)",
        r"g = W_2 \sigma(W_1 x + U z)",
        r"p = \mathrm{softmax}(W_2 \mathrm{ReLU}(W_1 x + b_1) + b_2)",
        r"A(h) = h + U \mathrm{ReLU}(D h)",
        r"y = W_2 \mathrm{ReLU}(W_1 x + b_1) + b_2 + x",
        r"y = W_2 (W_1 x + b_1) + b_2",
        r"s = x^\top W y",
        r"y = s \cdot x",
        r"P = \left(\prod_{i=1}^{n} P_i\right)^{1/n}",
    ],
)
def test_is_no_component(latex: str) -> None:
    formula = compile_formula(latex)
    assert formula.component is None
    assert not any(found.severity == "warning" for found in formula.diagnostics)


@pytest.mark.parametrize(
    ("latex", "context"),
    [
        (r"z = \frac{u - \bar\mu}{\sqrt{\bar\sigma^2 + \epsilon}}", []),
        (r"z = \gamma \frac{u - \mu_{run}}{\sqrt{\sigma_{run}^2 + \epsilon}} + \beta", []),
        (
            r"z_i = \frac{u_i - \mu_B}{\sqrt{\sigma_B^2 + \epsilon}}",
            [
                r"\mu_B = \frac{1}{m} \sum_{i=1}^m u_i",
                r"\sigma_B^2 = \frac{1}{m} \sum_i (u_i - \mu_B)^2",
            ],
        ),
    ],
)
def test_the_moments_of_a_batch_are_no_norm_of_a_layer(latex: str, context: list[str]) -> None:
    """Whether they are given, as running means are, or defined beside it."""
    assert compile_formula(latex, context=context).component is None


def test_counts_of_pairs_are_no_loss_over_classes() -> None:
    pairs = r"J = -\sum_{i=1}^{V} \sum_{j=1}^{V} C_{ij} \log Q_{ij}"
    assert compile_formula(pairs).component is None
    classes = r"J = -\sum_{i=1}^{N} \sum_{j=1}^{V} y_{ij} \log p_{ij}"
    assert compile_formula(classes).component == "cross_entropy"


@pytest.mark.parametrize("name", ["FFN", "FFN_1"])
def test_two_linear_maps_with_the_name_of_the_layer_lack_its_activation(name: str) -> None:
    formula = compile_formula(rf"\mathrm{{{name}}}(x) = W_2 (W_1 x + b_1) + b_2")
    assert formula.component == "feed_forward"
    assert any("activation is left out" in found.message for found in formula.diagnostics)


@pytest.mark.parametrize(("count", "component"), [("d", "rms_norm"), ("n", None)])
def test_a_mean_over_another_count_is_no_norm(count: str, component: str | None) -> None:
    mean = rf"\frac{{1}}{{{count}}} \sum_{{a=1}}^d X_{{ia}}^2"
    formula = compile_formula(
        rf"Y_{{ij}} = \frac{{X_{{ij}}}}{{\sqrt{{{mean} + \epsilon}}}} g_j",
        context=[r"X \in \mathbb{R}^{n \times d}"],
    )
    assert formula.component == component


@pytest.mark.parametrize(
    "latex",
    [
        r"e_{ij} = v^\top \tanh(W s_{i-1} + U h_j)",
        r"e_{ti} = v^\top \tanh(W_h h_i + W_s s_t + b)",
        r"a(q, k) = w^\top \tanh(W_q q + W_k k)",
        r"a(q, k) = w^\top \tanh(W [q; k])",
    ],
)
def test_is_additive_attention(latex: str) -> None:
    assert compile_formula(latex).component == "additive_attention"
