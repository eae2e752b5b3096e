"""Words: functions that everybody knows, names of more than one letter, labels."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, relu, sigmoid, softmax, table


@table(
    # Letters that stand together or nowhere spell a word; those of b_j count.
    Case(
        r"v_{run} = (1 - c) v_{run} + c v_B",
        "c v_run[d] v_B[d]",
        lambda c, v, b: (1 - c) * v + c * b,
    ),
    Case(r"y_{nij} = x_{nij} + b_{j}", "x[h,n,d] b[d]", np.add),
    # A text may hold a function with what it is given.
    Case(
        r"\text{Net(u)} = \tanh(W u), \quad y = p + \text{Net}(p)",
        "W[d,d] p[d]",
        lambda w, p: p + np.tanh(w @ p),
    ),
    Case(
        r"y = \text{ReLU(u)} W + \text{Sub(u)}",
        "u[d] W[d,d] Sub()",
        lambda u, w, f: relu(u) @ w + f(u),
    ),
    # Behind a complete value it is a remark, if it has no name that every note knows.
    Case(r"h = \tanh(Wx) \text{hidden(h)}", "W[p,d] x[d]", lambda w, x: np.tanh(w @ x)),
    Case(r"Q = X W_Q \quad \text{query(Q)}", "X[n,d] W_Q[d,p]", np.matmul),
    Case(r"\text{Query(Q)}: X W_Q", "X[n,d] W_Q[d,p]", np.matmul),
    Case(r"y = W \text{softmax(u)}", "W[p,d] u[d]", lambda w, u: w @ softmax(u)),
    Case(r"y = x + \tanh(\text{Sub(x)})", "x[d] Sub()", lambda x, f: x + np.tanh(f(x))),
    Case(r"\text{softmax(u)}_i = \frac{e^{u_i}}{\sum_j e^{u_j}}", "u[n]", softmax),
    # Words of amounts are numbers, and so are those of what is compared of one example.
    Case(
        r"\text{load}_i = \frac{\text{total\_tokens} \cdot \text{capacity\_factor}}{N}",
        "total_tokens capacity_factor N",
        lambda tokens, factor, n: tokens * factor / n,
    ),
    Case(
        r"w = w + \text{Learning Rate} \cdot (\text{target} - \text{output}) \cdot x",
        "w[d] Learning_Rate target output x[d]",
        lambda w, rate, target, output, x: w + rate * (target - output) * x,
    ),
    Case(
        r"w = w + \eta \times x \times (\text{目标} - \text{预测输出})",
        "w[d] eta x[d] 目标 预测输出",
        lambda w, eta, x, target, output: w + eta * x * (target - output),
    ),
    # Words before a condition are no factors of what is compared.
    Case(
        r"y_i = \begin{cases} u_i & wenn u_i > 0 \\ 0 & sonst \end{cases}",
        "u[n]",
        lambda u: np.maximum(u, 0),
    ),
    Case(
        r"y_i = \begin{cases} u_i & u_i > 0 \text{ olduğunda} \\ 0 & \text{aksi halde} \end{cases}",
        "u[n]",
        relu,
    ),
    Case(
        r"y_i = \begin{cases} u_i & \text{als } u_i > 0 \\ 0 & \text{anders} \end{cases}",
        "u[n]",
        relu,
    ),
    Case(
        r"y = \begin{cases} u & \text{dla } u > 0 \\ 0 & \text{dla } u \le 0 \end{cases}",
        "u",
        relu,
    ),
    Case(
        r"y = \begin{cases} u & \text{jeśli } u > 0 \\ 0 & \text{w przeciwnym wypadku} \end{cases}",
        "u",
        relu,
    ),
    Case(
        r"y_i = \begin{cases} u_i & nếu u_i > 0 \\ -u_i & \text{w przeciwnym razie} \end{cases}",
        "u[n]",
        np.abs,
    ),
    # A letter with an accent is one of its word.
    Case(r"y = häufigkeit \, x + b", "haufigkeit[n,d] x[d] b[n]", lambda h, x, b: h @ x + b),
    Case(
        r"Atenção(Q, K, V) = softmax(QK^\top)V",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(r"\text{精度} = \frac{1}{N} \sum_{i=1}^{N} \text{正确率}_i", "正确率[N]", np.mean),
    Case(
        r"\text{総費用} = \text{コスト} \cdot x^\top w",
        "コスト x[d] w[d]",
        lambda c, x, w: c * (x @ w),
    ),
    Case(r"y = x + \text{residual}", "x[n,d] residual[n,d]", np.add, shapes={"x": ("n", "d")}),
    Case(
        r"\text{Memory} = \text{Cache} + N \times \text{Page Size}",
        "Cache N Page_Size",
        lambda cache, n, size: cache + n * size,
    ),
    Case(r"\text{权重} = \text{softmax}(\text{得分})", "得分[n,m]", softmax),
    # What weighs things of one kind is a number, whatever these are.
    Case(
        r"S = w_a \cdot H_{\text{first}} + w_m \cdot H_{\text{second}}"
        r" + w_c \cdot H_{\text{third}}",
        "w_a H_first[n,d] w_m H_second[n,d] w_c H_third[n,d]",
        lambda wa, a, wm, b, wc, c: wa * a + wm * b + wc * c,
    ),
    Case(
        r"y = w_h \cdot h + w_s \cdot s",
        "w_h[n] h[n] w_s[m] s[m]",
        lambda wh, h, ws, s: wh @ h + ws @ s,
    ),
    # A measure of the first k results is a number for each k, or one.
    Case(
        r"a = \frac{1}{R} \sum_{k=1}^{N} \mathrm{hit}(k) \, \text{precision@}k",
        "R hit[N] precision[N]",
        lambda r, hit, precision: hit @ precision / r,
    ),
    Case(r"a = \text{Recall@}10 + \text{Recall@5}", "Recall_10 Recall_5", np.add),
    Case(
        r"\text{F1@}k = \frac{2 \cdot P@k \cdot R@k}{P@k + R@k}",
        "P+[n] R+[n]",
        lambda p, r: 2 * p * r / (p + r),
    ),
    Case(r"NDCG@k = DCG@k / IDCG@k", "DCG[n] IDCG+[n]", np.divide),
    # What has been summed up may be called so: nothing stands behind it.
    Case(
        r"e_{ij} = v^\top \tanh(\text{sum}_{ij})",
        "W_s[p,d] s[n,d] W_h[p,e] h[m,e] v[p]",
        lambda ws, s, wh, h, v: np.tanh((s @ ws.T)[:, None] + h @ wh.T) @ v,
        context=[r"\text{sum}_{ij} = W_s s_i + W_h h_j"],
    ),
    Case(r"\text{mean}_i = W x_i + b", "W[p,d] x[n,d] b[p]", lambda w, x, b: x @ w.T + b),
    # A letter with a digit behind it is one with a label, in a text's font too.
    Case(
        r"\text{MLP}(z) = \text{ReLU}(z \text{M1} + \text{c1}) \text{M2} + \text{c2}",
        "z[d] M_1[d,n] c_1[n] M_2[n,m] c_2[m]",
        lambda z, m1, c1, m2, c2: relu(z @ m1 + c1) @ m2 + c2,
    ),
    # Code says where a function is from.
    Case(r"y = z \cdot \text{torch.sigmoid}(z)", "z[n,d]", lambda z: z * sigmoid(z)),
    Case(r"p = \mathrm{F.softmax}(z)", "z[n]", softmax),
    # The gain of a normalisation, as code calls it.
    Case(
        r"y = \frac{z}{\text{RMS}(z)} \cdot \text{weight}",
        "z[d] epsilon+ weight[d]",
        lambda z, eps, weight: z / np.sqrt((z**2).mean() + eps) * weight,
        context=[r"\text{RMS}(z) = \sqrt{\frac{1}{d} \sum_i z_i^2 + \epsilon}"],
    ),
    # A word below a sum counts, and one with an index is no product of matrices.
    Case(r"m = \frac{1}{n} \sum_{tok} x_{tok}", "x[n,d]", lambda x: x.mean(0)),
    Case(
        r"\text{KV}_f = \sum_{i=1}^N w_i \cdot \text{KV}_i",
        "w[N] KV[N,n,d]",
        lambda w, kv: np.einsum("i,ind->nd", w, kv),
    ),
    Case(r"S = \text{query}@K^\top", "query[n,d] K[m,d]", lambda q, k: q @ k.T),
    Case(r"Y = P@V", "P[n,m] V[m,d]", np.matmul),
    # In a formula of measures P and R are some, also at each place that a sum counts.
    Case(
        r"AP = \frac{1}{r} \sum_{i=1}^{n} P@i \cdot \mathrm{rel}(i)",
        "r P[n] rel[n]",
        lambda r, p, rel: p @ rel / r,
    ),
    Case(
        r"F_1@k = 2 / (\frac{1}{P@k} + \frac{1}{R@k})",
        "P+[n] R+[n]",
        lambda p, r: 2 / (1 / p + 1 / r),
    ),
    # Near misses: rotations, and a product with the vector n, which is no size.
    Case(r"k' = R@k", "R[n,d] k[d]", np.matmul),
    Case(r"y = P@n", "P[m,d] n[d]", np.matmul),
    Case(r"y_k = \mathrm{Recall}@k", "Recall[n]", lambda r: r),
    # A run of capitals below a name is one label.
    Case(r"Y = X_{MLM} + 1", "X_MLM[n,d]", lambda x: x + 1),
    Case(
        r"\lambda = \exp(\lambda_{q1} \lambda_{k1}) - \exp(\lambda_{q2} \lambda_{k2})",
        "lambda_q1 lambda_k1 lambda_q2 lambda_k2",
        lambda a, b, c, d: np.exp(a * b) - np.exp(c * d),
    ),
    Case(r"y = \mathrm{mean}(x)", "x[d]", np.mean),
    Case(r"y = \mathrm{Var}(x)", "x[d]", np.var),
    Case(r"y = \mathrm{sum}(x)", "x[d]", np.sum),
    Case(r"y = \mathrm{clip}(x, -1, 1)", "x[d]", lambda x: np.clip(x, -1, 1)),
    Case(r"y = \mathrm{clip}(x, 0.5)", "x[d]", lambda x: np.clip(x, -0.5, 0.5)),
    # Bounds may be one for each place, and are then as many as there are places.
    Case(
        r"v_i = \text{clamp}(v_i, \text{floor}_i, \text{roof}_i)",
        "v[n,d] floor[n,d] roof[n,d]",
        lambda v, low, high: np.minimum(np.maximum(v, low), high),
    ),
    Case(
        r"y_i = \mathrm{clip}(x_i, l_i, u_i)",
        "x[n,d] l[n] u[n]",
        lambda x, low, high: np.minimum(np.maximum(x, low[:, None]), high[:, None]),
    ),
    Case(r"y = \operatorname{sign}(x)", "x[d]", np.sign),
    Case(r"y = \mathrm{sigmoid}(x)", "x[d]", sigmoid),
    Case(r"y = \mathrm{ReLU}(x)^2", "x[d]", lambda x: relu(x) ** 2),
    Case(r"y = \mathrm{softmax}(x)^\top v", "x[d] v[d]", lambda x, v: softmax(x) @ v),
    Case(
        r"tempered\ softmax = \frac{e^{u_i / T}}{\sum_{j=1}^{N} e^{u_j / T}}",
        "u[n] T+",
        lambda u, t: softmax(u / t),
    ),
    Case(r"query-key", "query[n,d] key[n,d]", lambda q, k: q - k),
    Case(r"A = \mathrm{softmax}(S)^\top", "S[n,m]", lambda s: softmax(s).T),
    Case(r"A = \mathrm{softmax}(S^\top)", "S[n,m]", lambda s: softmax(s.T)),
    Case(r"y = -\mathrm{softmax}(-x/\tau)", "x[d] tau", lambda x, t: -softmax(-x / t)),
    Case(r"p_i = \mathrm{softmax}(z)_i", "z[d]", softmax),
    Case(r"g = \mathrm{softmax}(x W_g)", "x[d] W_g[d,e]", lambda x, w: softmax(x @ w)),
    Case(r"\mathrm{score} = \mathrm{query}^\top \mathrm{key}", "query[d] key[d]", np.dot),
    Case(
        r"f(x) = x \sigma(x) \approx \frac{x}{2}", "x", lambda x: x * sigmoid(x), shapes={"x": ()}
    ),
    Case(
        r"\mathrm{Gate}(u) \approx u \sigma(1.5 u)",
        "u",
        lambda u: u * sigmoid(1.5 * u),
        shapes={"u": ()},
    ),
    Case(r"\text{Pre-norm}: y = x W", "x[d] W[d,h]", lambda x, w: x @ w),
    Case(
        r"u = x W \textrm{ 그래서 } y = 2 u",
        "x[d] W[d,h]",
        lambda x, w: 2 * x @ w,
    ),
    Case(
        r"r = \min(step\_ num, max\_ step)",
        "step_num max_step",
        np.minimum,
        shapes={"step_num": (), "max_step": ()},
    ),
    Case(
        r"y = x w_1, \\ \text{where\ w}_1 = 2 a", "x[d] a", lambda x, a: 2 * a * x, shapes={"a": ()}
    ),
    Case(r"\text{Step 2: } y = x W", "x[d] W[d,h]", lambda x, w: x @ w),
    Case(r"y = z W \text{ und } z = 2 x", "x[d] W[d,h]", lambda x, w: 2 * x @ w),
    Case(r"y = z W, \text{ donde } z = 2 x", "x[d] W[d,h]", lambda x, w: 2 * x @ w),
    Case(r"a, c = u, \quad y = a W + c W", "u[d] W[d,h]", lambda u, w: 2 * u @ w),
    Case(r"\text{loss} = \text{a} + 2\text{c}", "a c", lambda a, c: a + 2 * c),
    Case(r"y = x_{\text{new}} W_{\text{out}}", "x_new[d] W_out[d,h]", lambda x, w: x @ w),
    Case(r"y = x_{\mathrm{new}} - x_{\mathrm{old}}", "x_new[d] x_old[d]", np.subtract),
    Case(r"y = L_{I \to T} - L_{T \to I}", "L_I_to_T[n,d] L_T_to_I[n,d]", np.subtract),
    Case(
        r"y = W^{\uparrow} W^\downarrow x",
        "W_up[h,r] W_down[r,d] x[d]",
        lambda up, down, x: up @ down @ x,
    ),
    Case(r"y = x - inputBias", "x[d] inputBias[d]", np.subtract, shapes={"x": ("d",)}),
    Case(r"y = W x \in S", "W[h,d] x[d]", np.dot),
    Case(r"y = W x \tag1", "W[h,d] x[d]", np.dot),
    Case(r"y = W x \tag 2", "W[h,d] x[d]", np.dot),
    Case(r"y = W x \eqno{(3.14)}", "W[h,d] x[d]", np.dot),
    Case(r"y = \max(a, c, r)", "a c r", max),
    Case(r"y = \max\{a, c\}", "a c", max),
    Case(r"y = \exp\{-c^2\}", "c", lambda c: np.exp(-(c**2))),
    Case(r"y = \exp[-c]", "c", lambda c: np.exp(-c)),
    Case(r"y = \tanh W x + b", "W[h,d] x[d] b[h]", lambda w, x, b: np.tanh(w @ x) + b),
    Case(r"y = (A + B)x", "A[n,d] B[n,d] x[d]", lambda a, b, x: (a + b) @ x),
    Case(r"y = A(x + z)", "A[n,d] x[d] z[d]", lambda a, x, z: a @ (x + z)),
    Case(r"y = (x + z)A", "x[d] z[d] A[d,n]", lambda x, z, a: (x + z) @ a),
    Case(r"y = f(z, a = 3), \quad f(x, a) = a x", "z[d]", lambda z: 3 * z),
    Case(r"y = x^\top A x", "x[d] A[d,d]", lambda x, a: x @ a @ x),
    Case(
        r"y = \sigma(Wx) \odot x + (1 - \sigma(Wx)) \odot z",
        "W[d,d] x[d] z[d]",
        lambda w, x, z: sigmoid(w @ x) * x + (1 - sigmoid(w @ x)) * z,
    ),
    # A word before the vectors of a sum weighs them; a letter in bold is a vector, else a number.
    Case(
        r"\text{out} = \sum_{j=1}^{n} \text{shares}_j \cdot x_j",
        "shares[n] x[n,d]",
        lambda shares, x: shares @ x,
        context=[r"\text{shares} = \text{softmax}(\text{points})"],
    ),
    Case(
        r"y_i = \sum_j \text{比重}_{j} W v_j",
        "比重[m] W[p,d] v[m,d]",
        lambda shares, w, v: shares @ v @ w.T,
    ),
    Case(
        r"\mathbf{y} = \sum_{i=1}^{n} \mathbf{c}_i \cdot \mathbf{z}_i",
        "c[n] z[n,d]",
        lambda c, z: c @ z,
    ),
    Case(
        r"s = \sum_{i=1}^{n} \text{query}_i \cdot x_i",
        "query[n,d] x[n,d]",
        lambda q, x: (q * x).sum(),
    ),
    # Two letters that are a word elsewhere are a matrix before a function or a vector.
    Case(r"s = W x + We(y)", "W[e,d] x[d] e() y[d]", lambda w, x, e, y: w @ x + w @ e(y)),
    Case(r"s = We_t + b", "W[p,d] e_t[d] b[p]", lambda w, e, b: w @ e + b),
    Case(r"top\_k = \frac{n c}{e}", "n c e", lambda n, c, e: n * c / e),
    Case(r"y = 2 cap\_i", "cap[n]", lambda c: 2 * c),
    # Blanks that are set are blanks.
    Case(
        r"\mathrm{capacity} = \frac{\mathrm{tokens\;per\;batch}}{\mathrm{number~of~experts}} f",
        "tokens_per_batch number_of_experts f",
        lambda t, e, f: t / e * f,
    ),
    # Linear maps are called so.
    Case(
        r"h = \tanh(lin_x(x) + lin_h(s))",
        "x[d] lin_x() s[d] lin_h()",
        lambda x, f, s, g: np.tanh(f(x) + g(s)),
    ),
    Case(
        r"F(x) = \max(0, x) + \text{negative\_slope} \min(0, x)",
        "x[d] negative_slope",
        lambda x, s: np.maximum(x, 0) + s * np.minimum(x, 0),
    ),
    Case(
        r"\hat{x}_\text{new} = (1 - \text{rate}) \hat{x} + \text{rate} \times x_t",
        "rate x_hat[d] x[d]",
        lambda m, old, new: (1 - m) * old + m * new,
    ),
    # A tie in words is a blank.
    Case(
        r"y = \begin{cases} x & \text{if~} x \ge 0, \\ 0 & \text{otherwise} \end{cases}",
        "x",
        lambda x: max(x, 0),
    ),
    # Empty braces behind a sign only make room.
    Case(
        r"\begin{aligned} y ={} & W x \\ & + b \end{aligned}",
        "W[p,d] x[d] b[p]",
        lambda w, x, b: w @ x + b,
    ),
    # A font within a font is that of its word.
    Case(r"m = \mathop{\operatorname{max}}_{j} s_j", "s[n]", np.max),
    Case(r"m = \mathop{\mathrm{mean}}_j s_j", "s[n,d]", lambda s: s.mean(0)),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "inputs"),
    [
        (r"y = W x_{in}", ["W", "x_in"]),
        (r"h_{out} = h_{in} + f(h_{in})", ["h_in", "f"]),
        (r"c_{ij} = \sum_n a_{in} b_{nj}", ["a", "b"]),
    ],
)
def test_in_is_a_word_where_neither_letter_is_an_index(latex: str, inputs: list[str]) -> None:
    assert [given.name for given in compile_formula(latex).inputs] == inputs


def test_letters_before_several_arguments_are_a_word() -> None:
    assert [one.name for one in compile_formula(r"y = agg(u, v, w)").inputs] == [
        *list("uvw"),
        "agg",
    ]
    assert [one.name for one in compile_formula(r"y = abf(x)").inputs][:2] == ["a", "b"]


@pytest.mark.parametrize("plural", ["head(s)", "mass(es)"])
def test_one_or_more_are_no_function(plural: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(rf"\text{{{plural}}} = 8")


def test_words_that_a_hyphen_joins_are_one_name() -> None:
    f = compile_formula(r"X = Wort-Bild-Matrix W + Lage-Matrix")
    assert {given.name for given in f.inputs} == {"Wort_Bild_Matrix", "W", "Lage_Matrix"}
    assert [found.code for found in f.diagnostics] == ["N2C050", "N2C050"]
    f = compile_formula(r"y = x + Layer-wise\ Back-Forth\ Mix(x)")
    assert {given.name for given in f.inputs} == {"x", "Layer_wise_Back_Forth_Mix"}


@pytest.mark.parametrize(
    "latex",
    [
        r"y = (Ziel-Wert)^2",
        r"y = Ziel-Wert",
        r"y = 2 Ziel - Wert W",
        r"y = Ziel-Wert W + Wert",
        r"y = ziel-wert W",
    ],
)
def test_what_stands_alone_is_a_difference(latex: str) -> None:
    assert {"ziel", "wert"} <= {given.name.lower() for given in compile_formula(latex).inputs}


@pytest.mark.parametrize(
    ("latex", "name"),
    [
        (r"\text{Hit @ } k = \frac{1}{k} \sum_{i=1}^{k} \mathrm{rel}(i)", "Hit"),
        (r"\text{AP@0.5} = p r", "AP_0_5"),
        (r"F_1@k = 2 P@k R@k / (P@k + R@k)", "F_1"),
        (r"MRR = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{r_i}", "MRR"),
    ],
)
def test_a_measure_has_its_name(latex: str, name: str) -> None:
    assert compile_formula(latex).name == name


def test_three_letters_that_can_be_spoken_are_no_product() -> None:
    with pytest.raises(FormulaError, match="`tok` may be a word"):
        compile_formula(r"y = tok + W x")
    assert compile_formula(r"y = abx").inputs


@pytest.mark.parametrize("latex", [r"y = \text{sum}_{i=1}", r"y = \text{argmax}_i"])
def test_a_word_that_runs_over_something_has_a_body(latex: str) -> None:
    with pytest.raises(FormulaError, match="nothing stands behind"):
        compile_formula(latex)


@pytest.mark.parametrize(
    ("latex", "name"),
    [
        (r"d^\pi(s) = \gamma P(s)", "d_pi"),
        (r"L^{A+B}(x) = x", "L_A_B"),
        (r"s^2 = x + 1", "s_squared"),
    ],
)
def test_what_stands_above_the_name_of_what_is_defined_is_a_label(latex: str, name: str) -> None:
    assert compile_formula(latex).name == name


@pytest.mark.parametrize("font", [r"\operatorname*", r"\mathrm", r"\mathop{\operatorname"])
def test_a_word_of_the_field_may_be_set_apart(font: str) -> None:
    closing = "}" * font.count("{")
    with pytest.raises(FormulaError, match="an argmax cannot be computed"):
        compile_formula(rf"y = {font}{{arg\,max}}{closing}_a Q(s, a)")


def test_what_a_greek_letter_weighs_is_called() -> None:
    """The penalty was taken for a remark behind λ, in silence."""
    formula = compile_formula(r"J = j + \lambda \text{Pen(w)}")
    assert [one.name for one in formula.inputs if one.kind == "function"] == ["Pen"]
    value = formula.reference(j=1.0, lambda_=2.0, w=np.ones(3), Pen=np.sum)
    assert value == 1 + 2 * 3
