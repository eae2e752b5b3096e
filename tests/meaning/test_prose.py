"""What prose says of letters: which words state a kind, and which do not."""

from __future__ import annotations

import pytest

from notes2code.meaning.names import label
from notes2code.meaning.prose.said_kinds import said

STATED = [
    (r"$\beta$ is a vector", "beta 1"),
    ("a learnable scalar α scales the branch", "alpha 0"),
    ("where γ and β are learnable vectors", "gamma 1 beta 1"),
    (r"with scale and shift: $\gamma$, $\beta$ are learned vectors of size $d$", "gamma 1 beta 1"),
    ("the weight matrix $A$ and a bias vector $b$", "A 2 b 1"),
    ("$S_t$ is the state matrix.", "S_t 2"),
    ("$c$: a vector\n$x$: a patch\n$A$: a matrix", "c 1 A 2"),
    ("$x$ 为 input vector", "x 1"),
    ("with the matrix\n$A$ in front", "A 2"),
    ("let $q, k, v$ be vectors", "q 1 k 1 v 1"),
    ("for any vector $x$", "x 1"),
    ("$x$ is again a vector", "x 1"),
    ("the vectors $x$ and $y$", "x 1 y 1"),
    ("$W$ and $b$ are the weight matrix and the bias vector, respectively", "W 2 b 1"),
    ("$q$ and $k$ are vectors, and $W$ is a matrix", "q 1 k 1 W 2"),
    ("Given $x$, $W$ is a matrix", "W 2"),
    ("- $h_t$: hidden state vector at time $t$", "h_t 1"),
    (r"$\gamma$ (scalar), $\beta$ (a vector)", "gamma 0 beta 1"),
    ("$w$ is a vector, $b$ a scalar and $M$ the mask matrix", "w 1 b 0 M 2"),
    ("$x$ is a $d$-dimensional vector", "x 1"),
    ("let $A$ be an $m \\times n$ matrix and $B$ a $k \\times k$ diagonal matrix", "A 2 B 2"),
    ("x is the 512-dimensional input vector", "x 1"),
    (r"$\alpha$ is a learnable scalar parameter", "alpha 0"),
    (r"the scalar weight $\lambda$", "lambda 0"),
    ("where $x_i$ are the elements of the vector $x$", "x 1"),
    (r"$\gamma$ and $\beta$ are learnable scalar parameters, $d$ counts", "gamma 0 beta 0"),
    ("the cosine of two vectors $A$ and $B$", "A 1 B 1"),
    ("the eigenvector $u$", "u 1"),
    ("a sequence of length $T$", "T 0"),
    # German, French, Spanish, Portuguese
    ("Sei $x$ ein Vektor", "x 1"),
    ("wobei $W$ die Gewichtsmatrix und $b$ der Biasvektor ist", "W 2 b 1"),
    ("Soit $x$ un vecteur", "x 1"),
    ("le vecteur de poids $w$", "w 1"),
    (r"$\sigma$ es un escalar, $u$ es un vector columna", "sigma 0 u 1"),
    (r"$\gamma$ e $\beta$ são vetores aprendidos", "gamma 1 beta 1"),
    ("a matriz de pesos $W$", "W 2"),
    (r"$x$ es una matriz y $\beta$ es un vector", "x 2 beta 1"),
    (r"dove $\gamma$ è un vettore e $\beta$ uno scalare", "gamma 1 beta 0"),
    # Russian, Indonesian, Vietnamese
    ("где $W$ — матрица весов, а $b$ — вектор смещений", "W 2 b 1"),
    ("вектор весов $w$", "w 1"),
    ("$w$ adalah vektor bobot", "w 1"),
    ("$b$ là vectơ độ lệch, $W$ là ma trận trọng số", "b 1 W 2"),
    # Chinese, Japanese, Korean
    ("β 是向量", "beta 1"),
    ("其中，$w$ 是$D$维的权重向量，$b$ 是偏置项", "w 1"),
    ("其中 $W$ 和 $b$ 分别是权重矩阵和偏置向量。", "W 2 b 1"),
    (r"$\lambda$ 是一个可学习的标量，$x$、$F$ 均为矩阵", "lambda 0 x 2 F 2"),
    (r"$\gamma$ và $\beta$ là các vector", "gamma 1 beta 1"),
    (r"a set of vectors $\{x_i\}_{i=1}^n$", "x_i 1"),
    ("输入向量 $x$ 和权重矩阵 $W$", "x 1 W 2"),
    ("ここで $W$ は重み行列、$b$ はバイアスベクトルである。", "W 2 b 1"),
    ("where $S$ is the length of the source sentence", "S 0"),
    ("- $L$: number of layers", "L 0"),
    ("sequence length $T$, batch size $B$", "T 0 B 0"),
    ("其中$S$表示源句子的长度", "S 0"),
    ("where both $u$ and $M$ are weight matrices to be learned", "M 2"),
    ("$W$는 가중치 행렬이고 $b$는 편향 벡터이다.", "W 2 b 1"),
    ("the score $s_i$ of sentence i, $c_i$ is the cost", "s_i 0 c_i 0"),
    ("$S$ is the similarity matrix", "S 2"),
    ("设每个词的得分为 $s_i$：", "s_i 0"),
    ("報酬 $r_t$", "r_t 0"),
]

SIZED = [
    ("$x$ has shape (B, N, D)", "x (B,N,D)"),
    ("`x`: [batch, seq_len, d_model]", "x (batch,seq_len,d_model)"),
    ("`x: (batch, seq_len)` goes in", "x (batch,seq_len)"),
    ("$A$ of shape (m, d), the rest of which", "A (m,d)"),
    ("x is C×H×W", "x (C,H,W)"),
    ("$q$ has shape $(B, T, d_h) = (4, 256, 64)$.", "q (B,T,d_h)"),
    ("$A$ has shape $(n-1, 4H)$", "A (n-1,4*H)"),
    ("$w$ has shape $(n, 1)$", "w (n,1)"),
    ("$Q$ and $K$ have dimensions $n \\times d_k$", "Q (n,d_k) K (n,d_k)"),
    ("let $q$ be a query of shape $(h, d)$", "q (h,d)"),
    ("$A$: queries, shape (n, d_k)", "A (n,d_k)"),
    ("an $m \\times d$ matrix $A$", "A (m,d)"),
    ("$A$ is a matrix of size $m \\times d$", "A (m,d)"),
    ("the $d$-dimensional vectors $u$ and $w$", "u (d) w (d)"),
    ("a vector $c$ of dimension $r$", "c (r)"),
    (r"$\gamma$ is a vector of size $d$", "gamma (d)"),
    ("$A$ eine $n \\times d$-Matrix", "A (n,d)"),
    ("$x$ hat die Form (B, T, C)", "x (B,T,C)"),
    ("la matrice $A$ de taille $n \\times d$", "A (n,d)"),
    ("$A$ es una matriz de tamaño $n \\times d$", "A (n,d)"),
    ("матрица $A$ размера $m \\times d$", "A (m,d)"),
    ("$x$ имеет размерность (n, d)", "x (n,d)"),
    ("$x$ 的形状为 $(B, N, D)$", "x (B,N,D)"),
    ("$x$ は (B, T, D) の形状", "x (B,T,D)"),
    ("$A$는 $m \\times d$ 행렬", "A (m,d)"),
    ("$c$는 $d$차원 벡터", "c (d)"),
]
"""What is stated with sizes."""

NOT_SIZED = [
    "$f$ maps (n, d) to (n, k)",
    "$x$ is projected to (B, T, D)",
    "the point $p$ (x, y) of a plane",
    "$t$ in (0, T) and $k$ in [1, n]",
    "$g$ (see Eq. 2)",
    "$U$ is a subspace of dimension $d$",
    "$p$ = (n, d)",
    "the dimension of $x$ (d, k)",
    "$X$ has shape $(2, 5, 768)$",
    "a kernel $k$ of size $3 \\times 3$",
]

NOT_STATED = [
    "$d$ 为 key vector 的维度",
    "$d_q$ 表示查询向量与键向量的维度",
    "$x$ has length $n$",
    "the size of $x$",
    "the number of rows of $R$",
    "the vector of $x$",
    "$W$, $U$, $b$ and $c$ are the weight matrices and bias vectors",
    "$W$ and $b$ are the weight matrices and bias vectors",
    "the matrix times $x$",
    "the norm of the vector $x$",
    "the dimension of the key vectors $d_k$",
    "$V$ is a vector space",
    "$f$ is a scalar function",
    "a vector of length $n$",
    "we store $n$ vectors",
    "- $W$: maps the input vector to a query",
    "- $W_i$: projects vectors",
    "$W$ — отображает вектор",
    "$W$ : projette le vecteur",
    "the number of rows of each matrix $R$",
    "the rows in the matrix $n$",
    "$u$ is the dot product of a vector",
    "$x$ is added to the vector",
    "$x$ is not a vector",
    "$x$ is a vector or a matrix",
    "$I$ is the identity matrix",
    "the identity matrix $I$",
    "the matrix-vector product $Ax$",
    "the vector $x + y$",
    "The vector a user gets",
    "x-axis vector",
    "Given $x$, the vector is scaled",
    "вектор размерности $d$",
    "$n$ — норма вектора",
    "un vector de tamaño $n$",
    "$x$ 是输入向量的长度",
    "$V$ 是向量空间",
    "$n$ 是向量个数",
    "$s$는 두 벡터의 내적",
    "$n$ はベクトルの次元",
    "单位矩阵 $I$",
]


@pytest.mark.parametrize(("text", "kinds"), STATED)
def test_what_is_stated(text: str, kinds: str) -> None:
    assert " ".join(f"{label(one.node)} {one.rank}" for one in said(text)) == kinds


@pytest.mark.parametrize(("text", "shapes"), SIZED)
def test_sizes(text: str, shapes: str) -> None:
    assert " ".join(f"{label(one.node)} ({','.join(one.axes)})" for one in said(text)) == shapes


@pytest.mark.parametrize("inside", ["n-" * 500 + "!", "(" * 5000, "n, " * 5000, " " * 50000])
def test_what_is_long_takes_no_time(inside: str) -> None:
    assert not list(said(f"$x$ has shape $({inside})$ and `x: ({inside})`"))


@pytest.mark.parametrize("text", NOT_STATED + NOT_SIZED)
def test_what_is_not(text: str) -> None:
    assert not list(said(text))


@pytest.mark.parametrize(
    ("text", "of_rows"),
    [
        ("query vectors $Q$", True),
        ("$Q$ and $K$ are the query and key vectors", True),
        ("查询向量 $Q$", True),
        ("hidden vectors $h$", True),
        ("the vectors $A$ and $B$", False),
        ("the context vector $C$", False),
    ],
)
def test_vectors_may_be_the_rows_of_a_matrix(text: str, of_rows: bool) -> None:
    assert {one.of_rows for one in said(text)} == {of_rows}
