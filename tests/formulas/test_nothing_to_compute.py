"""What is written in formulas and holds nothing to compute: names, relations, sizes, shapes."""

from __future__ import annotations

import pytest

from notes2code import FormulaError, compile_formula

TEXT = [
    r"x",
    r"\theta",
    r"d_k",
    r"\alpha_{ij}",
    r"\mathrm{head}_i",
    r"q, k, v",
    r"W^Q, W^K, W^V",
    r"x_1, x_2, \dots, x_n",
    r"[u_{t,1}; u_{t,2}; \dots; u_{t,m}] = u_t",
    r"\checkmark",
    r"\{x_1, \dots, x_n\}",
    r"n \times d",
    r"PE(pos, 2i)",
    r"PE(pos, 2i+1)",
    r"PE(3, 0)",
    r"\Phi^T(x)",
    r"M \times M",
    r"N \times M",
    r"P \times T",
    r"K/V",
    r"4\times",
    r"\mathcal{G} = (\mathcal{V}, \mathcal{E})",
    r"G = (V, E, A)",
    r"\theta = (W, b)",
    r"f: \mathbb{R}^n \rarr \mathbb{R}^m",
    r"\arg\max",
    r"\sum_{k=1}^m",
    r"\prod_t",
    r"1..t",
    r"[1 \dots n]",
    r"x_1 \dots x_n",
    r"N_X \times D_Q",
    r"(k_i, v_i)_{i=1}^m",
    r"X = \{x_i\}_{i=1}^n",
    r"D = \{(x_i, y_i)\}_{i=1}^N",
    r"\{W_j^Q, W_j^K\}_{j=1}^h",
    r"\frac{H}{8} \times \frac{W}{8} \times 32",
    r"H/8 \times W/8",
    r"(m \times d_v)",
    r"(N \times N)",
    r"(B \cdot h, T, d)",
    r"(B, Hq, L, E)",
    r"(N*num\_heads, L, S)",
    r"\frac{n}{g} \times \frac{n}{g}",
    "j-th",
    r"j\text{-}th",
    r"n\text{th}",
    r"\Delta pos",
    "m-gram",
    "one-hot",
    "cross-entropy",
    "top-p",
    r"\sum_e c_e = \alpha N",
    r"\sum_{i=1}^N p_i = \frac{a}{b}",
    r"W^\top W = \alpha I",
    r"R_\theta^\top R_\theta = I",
    r"A^\top A x = A^\top b",
    r"e^{i\varphi} = \cos\varphi + i\sin\varphi",
    r"\mathrm{Var}(q_i k_i) = \mathbb{E}[(q_i k_i)^2] - (\mathbb{E}[q_i k_i])^2 = 1",
    r"\mathrm{Var}(x) = \mathbb{E}[x^2] - \mathbb{E}[x]^2",
    r"\mathrm{Var}[z_k | z_{k-1}] = \beta_k + (1 - \beta_k) \mathrm{Var}[z_{k-1}]",
    r"\mathrm{Var}(s) = n \mathrm{Var}(w) \mathrm{Var}(u)",
    r"\mathbb{E}[z_k | z_0] = \sqrt{\gamma_k} z_0",
    r"\mathbb{E}[u'] = u",
    r"\mathrm{Var}[u] = \tau^2",
    r"\mathrm{Var}[z_k] = I - \prod_{s=1}^{k} (1 - \beta_s) I",
    r"\bmod m",
    r"g(u, f(v)) = g(u, v) + f(u)",
    r"L(t, g(u)) = \sum_i (t_i - g(u_i))^2",
    r"A \succ 0",
    # What words say of a letter is no factor of it.
    r"\text{其中 } d_v \text{ 是值的维度}",
    r"h \text{ 表示头数}",
    r"\text{여기서 } h \text{는 개수}",
    r"\text{ここで } W \text{ は重み}",
    r"\text{hier ist } d_v \text{ die Breite}",
    r"d_v \text{ est la taille des valeurs}",
    r"\langle R_m q, R_n k \rangle = \langle q, R_{n-m} k \rangle",
    r"H \times W \times C",
    r"i - j",
    r"|m - n|",
    r"|V|",
    r"(2i, 2i + 1)",
    r"(t - s)",
    r"\ldots",
    r"\odot",
    r"\sigma(\cdot)",
    r"g_t = \sigma(\cdot)",
    r"(U: \text{행렬, 차원: } n \times d)",
    r"(\text{where } U \text{ is a matrix})",
    r"\eqref{eq:gate}",
    r"\ref{a}",
    r"y = g \odot \tanh(\cdot), \quad g = \sigma(\cdot)",
    r"\mathbf{u} = \{u_1, u_2, \dots, u_n\}",
    r"\oplus",
    r"+",
    r"\|",
    r"\Vert",
    r"\text{top-}k",
    r"|\cdot|",
    r"\div \sqrt{d_h}",
    r"\times W_P",
    r"/ 2 = 5",
    r"u \sim \pi(\cdot | s)",
    r"\mathrm{Mix}(Q, K) \approx Q W",
    r"\mathrm{Attend}(Q, K, V) \approx \frac{1}{n} (1 + Q K^\top) V",
    r"\max(u, v) \approx \log(e^u + e^v)",
    r"\mathrm{rank}(x) \approx 3",
    r"\mathrm{cost}(m, n) \approx 2 m n",
    r"42",
    r"(1)",
    r"10^{-9}",
    r"\text{the queries and keys}",
    r"X \to Y \to Z",
    r"\text{encoder} \rightarrow \text{decoder}",
    r"f: \mathbb{R}^n \to \mathbb{R}^m",
    r"QK^\top \neq KQ^\top",
    r"\mathrm{softmax}(QK^\top)V \neq Q(K^\top V)",
    r"\mathrm{softmax}(QK^\top)V \approx \phi(Q)\phi(K)^\top V",
    r"P(c \mid d) = \frac{P(d \mid c) P(c)}{P(d)}",
    r"\text{Key} = \text{内容标签}",
    r"O = \text{attention output}",
    r"W_a, W_c = 64 \times 8",
    r"O(n^2 d) \text{ vs. } O(n d^2)",
    r"\mathrm{Var}(q^\top k) = \sum_i \mathrm{Var}(q_i k_i) = d_k",
    r"\mathbb{E}[q \cdot k] = 0, \quad \mathrm{Var}[q \cdot k] = d_k",
    r"n \gg d",
    r"0 \le p_i \le 1",
    r"\sum_i p_i = 1",
    r"\|R x\| = \|x\|",
    r"\|U_m z\|_2^2 = \|z\|_2^2",
    r"\|\mathrm{RoPE}(x, m)\| = \|x\|",
    r"y \propto x",
    r"p(x_t | x_{t-1}) = \mathcal{N}(x_t; a_t x_{t-1}, b_t I)",
    r"P_\theta(z) = \mathcal{N}(0, I)",
    r"\frac{\partial s_t}{\partial s_{t-1}} = g_t",
    r"\nabla_w J = g",
    r"B = \mathbf{0}",
    r"32 \times 32 = \mathbf{1,024 \text{ numbers}}",
    r"12 \times 64 = 768 \text{ numbers}",
    r"x \sim \mathcal{N}(0, 1)",
    r"O(n^2 \cdot d)",
    r"\mathcal{O}(n \log n)",
    r"2 n d^2 + \mathcal{O}(n d)",
    r"T(n) = 3 O(n^2 \cdot d) + O(\log n)",
    r"\frac{O(n^2)}{h} + \Theta(1)",
    r"[n, d] \cdot [d, m] \rightarrow [n, m]",
    r"[1, d] \times [d, 4d] = [1, 4d]",
    r"A \Leftrightarrow B",
    r"QK^\top = \begin{bmatrix} 0.1 & 0.9 \\ 0.3 & -0.7 \end{bmatrix}",
    r"\mathrm{softmax}(x X^\top) X \\ \mathrm{softmax}(x X^\top) X = [0.3, 0.7] = [0.2, 0.1]",
]

DEFINITIONS = [
    r"d_k = 64",
    r"h = 8",
    r"\epsilon = 10^{-5}",
    r"N = 6, \quad d_{ff} = 2048",
    r"d_k = d_v = d_{model}/h = 64",
    r"d_h = E / h",
    r"d_{model} = h \cdot d_k",
    r"d_{head} = \frac{H}{h}",
    r"i = 1, \dots, n",
    r"Q \in \mathbb{R}^{n \times d_k}",
    r"x \in \RR^d",
    r"d_{ff} = \frac{2}{3} 4d",
    r"W_i^Q \in \mathbb{R}^{d_{model} \times d_k}",
    r"x \in \mathbb{R}^d, \quad y \in \mathbb{R}^d",
    r"\text{where } W \in \mathbb{R}^{d \times d}",
    r"\{x_i \in \mathbb{R}^d\}_{i=1}^n",
]


@pytest.mark.parametrize("latex", TEXT)
def test_text(latex: str) -> None:
    with pytest.raises(FormulaError, match="nothing to compute") as raised:
        compile_formula(latex)
    assert raised.value.status == "text"


@pytest.mark.parametrize("latex", DEFINITIONS)
def test_definition(latex: str) -> None:
    with pytest.raises(FormulaError, match="only declares something") as raised:
        compile_formula(latex)
    assert raised.value.status == "definition"


def test_a_zero_that_fills_an_array() -> None:
    """A gate that is shut is spoken of, and nothing is said of what it is."""
    formula = compile_formula(r"y = r \odot x", context=[r"r \in (0, 1)^d", "r = 0"])
    assert formula.inputs[0].shape == ("d",)
    with pytest.raises(FormulaError):
        compile_formula("r = 0", context=r"r \in (0, 1)^d")


def test_a_size_beside_a_formula() -> None:
    """What a definition says of a name holds in the formula beside it."""
    formula = compile_formula(r"y = x / \sqrt{d_k}, \quad d_k = 64")
    assert [i.name for i in formula.inputs] == ["x"]
    assert formula.reference(x=[8.0, 16.0]).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "latex",
    [
        r"where~u_k~is~the~share~of~the~word~z_k.",
        r"where c_t is the context of the decoder and h_i is the state",
    ],
)
def test_a_sentence_in_letters_is_no_product(latex: str) -> None:
    with pytest.raises(FormulaError) as refused:
        compile_formula(latex)
    assert [one.message for one in refused.value.diagnostics] == [
        "this is a sentence; it defines nothing"
    ]


@pytest.mark.parametrize(
    ("latex", "given"),
    [
        (r"r_{输入} U_{权重} + c_{偏置}", {"r_输入", "U_权重", "c_偏置"}),
        (
            r"\newcommand{\own}{r_{输入} U_{权重} + c_{偏置}} p = \own",
            {"r_输入", "U_权重", "c_偏置"},
        ),
        (r"\frac{1}{n} \sum_i p_i is the mean of the rows", {"p"}),
        (r"\max(0, z U) c where U is the first of the weights", {"z", "U", "c"}),
        (r"z U_{which is the first}", {"z", "U_which_is_the_first"}),
    ],
)
def test_words_below_or_behind_what_is_computed_are_no_sentence(
    latex: str, given: set[str]
) -> None:
    assert {one.name for one in compile_formula(latex).inputs} == given
