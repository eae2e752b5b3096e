"""What is written becomes which tree: precedence, scripts, sums, groups, environments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from notes2code.diagnostics import ProblemError, Span
from notes2code.latex import parse
from notes2code.latex.tree import Node, Nodes, Num, once

Shown = Callable[[Node | None], str]

TREES = [
    # signs, from loose to tight
    (r"a + b - c", "(- (+ a b) c)"),
    (r"a b + c d", "(+ (juxt a b) (juxt c d))"),
    (r"a/bc", "(frac a (juxt b c))"),
    (r"a/b \cdot c", "(· (frac a b) c)"),
    (r"1/n \sum_i x", "(juxt (frac 1 n) (sum i _ x))"),
    (r"1/mn \max_i x", "(juxt (frac 1 (juxt m n)) (max i _ x))"),
    (r"a/\sum_i x", "(frac a (sum i _ x))"),
    (r"1/2n \|x\|^2", "(juxt (frac 1 (juxt 2 n)) (script (‖ x) _ 2))"),
    (r"a/n \|x\|", "(frac a (juxt n (‖ x)))"),
    (r"1/n A^\top B", "(juxt (frac 1 n) (script A _ top) B)"),
    (r"1/2 m v", "(juxt (frac 1 2) m v)"),
    (r"1/2mv", "(frac 1 (juxt 2 m v))"),
    (r"1/2 \pi \sigma", "(frac 1 (juxt 2 pi sigma))"),
    (r"2i/d_{model}", "(frac (juxt 2 i) (script d model _))"),
    (r"x V \otimes y W", "(⊗ (juxt x V) (juxt y W))"),
    (r"-x^2", "(- (script x _ 2))"),
    (r"e^{-x}/2", "(frac (script e _ (- x)) 2)"),
    (r"-1e9 + 2e-5", "(+ (- 1e9) 2e-5)"),
    (r"2e^x", "(juxt 2 (script e _ x))"),
    (r"a \bmod 3", "(mod a 3)"),
    # scripts
    (r"x_i^2", "(script x i 2)"),
    (r"x^2_i", "(script x i 2)"),
    (r"x_{ij}", "(script x (juxt i j) _)"),
    (r"x''", "(script x _ _ '')"),
    (r"x^{'}", "(script x _ _ ')"),
    (r"x^{''}", "(script x _ _ '')"),
    (r"x_i^{'T}", "(script x i T ')"),
    (r"\binom{n}{2}", "(frac (· n (( (- n 1))) 2)"),
    (r"QK^T", "(juxt Q (script K _ T))"),
    (r"10000^\frac{2i}{d}", "(script 10000 _ (frac (juxt 2 i) d))"),
    (r"\tilde{x}_i", "(script (tilde x) i _)"),
    (r"\tilde{x_i}", "(script (tilde x) i _)"),
    (r"\overline{x_{ij}'}", "(script (bar x) (juxt i j) _ ')"),
    (r"\hat{y^{(i)}}", "(script (hat y) _ (( i))"),
    (r"\overline{x^2}", "(bar (script x _ 2))"),
    # fractions and roots
    (r"\frac12", "(frac 1 2)"),
    (r"\frac1{2x}", "(frac 1 (juxt 2 x))"),
    (r"a + b \over c", "(frac (+ a b) c)"),
    (r"\sqrt[3]{x} y", "(juxt (root x 3) y)"),
    # functions of the field take what stands behind them, others stay undecided
    (r"\sin 2x + 1", "(+ (apply sin (juxt 2 x)) 1)"),
    (r"\sin(x) y", "(juxt (apply sin (( x)) y)"),
    (r"\sin^2 x", "(apply (script sin _ 2) x)"),
    (r"f(x)^2", "(juxt f (script (( x) _ 2))"),
    (r"\max(0, x)W", "(juxt max (( 0 x ,) W)"),
    # an angle behind a distance is turned by, and anything else is a factor
    (r"\cos (m-n)\theta_i z", "(juxt (apply cos (juxt (( (- m n)) (script theta i _))) z)"),
    (r"\sin(a + b) x", "(juxt (apply sin (( (+ a b))) x)"),
    (r"\sin(t + \phi) \omega", "(juxt (apply sin (( (+ t phi))) omega)"),
    (r"\exp(a - b)\theta", "(juxt (apply exp (( (- a b))) theta)"),
    # sums reach up to the next sign of their level
    (r"\sum_{i=1}^n a_i b_i + c", "(+ (sum (= i 1) n (juxt (script a i _) (script b i _))) c)"),
    (r"\sum_i \sum_j a_{ij}", "(sum i _ (sum j _ (script a (juxt i j) _)))"),
    (r"\max_j x_j - 1", "(- (max j _ (script x j _)) 1)"),
    (r"\sum_i (a_i + c)", "(sum i _ (( (+ (script a i _) c)))"),
    # groups
    (r"a|b|c", "(juxt a (| b) c)"),
    (r"\|x - y\|_2^2", "(script (‖ (- x y)) 2 2)"),
    (r"[a; b]", "([ a b ;)"),
    (r"\langle q, k \rangle", "(⟨ q k ,)"),
    (r"<a, b>/c", "(frac (⟨ a b ,) c)"),
    (r"s(u, v) = \exp(<u, v>)", "(= (juxt s (( u v ,)) (apply exp (( (⟨ u v ,))))"),
    (r"x_{<t}", "(script x (< _ t) _)"),
    (r"\tfrac b3 - 1", "(- (frac b 3) 1)"),
    # what is struck out is not there, and what is drawn flat is
    (r"U_a^{\bcancel{(r)}} x", "(juxt (script U a _) x)"),
    (r"U_a^{\color{#aaa}{\smash{\cancel{r}}}}", "(script U a _)"),
    (r"\smash{x} + 1", "(+ x 1)"),
    # scripts one behind the other
    (r"r_a^{(u)}{}^{\top} w", "(juxt (script r a (juxt (( u) top)) w)"),
    (r"r^{(u)}{}^\top", "(script r _ (juxt (( u) top))"),
    (r"x{}_i", "(script x i _)"),
    (r"R^T{}^{-1}", "(juxt (script R _ T) (script () _ (- 1)))"),
    (r"\lfloor x \rfloor", "(⌊ x)"),
    (r"K(\cdot)", '(juxt K (( "·"))'),
    # environments
    (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "(pmatrix (row a b) (row c d))"),
    (
        r"\begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}",
        '(cases (row 1 (> x 0)) (row 0 "otherwise"))',
    ),
    # names, words and fonts
    (r"softmax(x)", "(juxt softmax (( x))"),
    (r"\mathrm{s o f t m a x}(x)", "(juxt softmax (( x))"),
    (r"ab", "(juxt a b)"),
    (r"\mathbf{x}", "x:bold"),
    (r"\mathbb{R}^{n \times d}", "(script R:blackboard _ (× n d))"),
    # relations
    (r"a = b = c", "(= = a b c)"),
    (r"a \neq b", "(≠ a b)"),
    (r"x_1 + \dots + x_n", "(+ (+ (script x 1 _) …) (script x n _))"),
]


@pytest.mark.parametrize("latex, expected", TREES, ids=[latex for latex, _ in TREES])
def test_tree(latex: str, expected: str, shown: Shown) -> None:
    found = parse(latex)
    assert [shown(clause.node) for clause in found.clauses] == [expected]


CLAUSES = [
    (r"y = x, \quad x = 2", [("", ""), ("quad", "")]),
    (r"y = x \\ x = 2", [("", ""), ("row", "")]),
    (r"y = x \text{ where } x = 2", [("", ""), ("prose", "where")]),
    (r"\begin{aligned} y &= x \\ x &= 2 \end{aligned}", [("", ""), ("row", "")]),
    (r"x_1, \dots, x_n", [("", ""), (",", ""), (",", "")]),
]


@pytest.mark.parametrize("latex, expected", CLAUSES, ids=[latex for latex, _ in CLAUSES])
def test_clauses(latex: str, expected: list[tuple[str, str]]) -> None:
    assert [(clause.before, clause.words) for clause in parse(latex).clauses] == expected


SAME = [
    (r"\left( a \right)", "(a)"),
    (r"\Bigl( a \Bigr)", "(a)"),
    (r"a\,b\;c\!d", "a b c d"),
    (r"\dfrac{a}{b}", r"\frac{a}{b}"),
    (r"{a \over b}", r"\frac{a}{b}"),
    (r"a × b", r"a \times b"),
    (r"x²", "x^2"),
    (r"x₁", "x_1"),
    (r"√x", r"\sqrt{x}"),
    (r"\lVert x \rVert", r"\|x\|"),
    (r"a \le b", r"a \leq b"),
    (r"y{=}a{\cdot}b{-}c^{-}", r"y = a \cdot b - c^-"),
    (r"\boxed{a} \tag{1}", "a"),
    (r"\operatorname{softmax}(x)", "softmax(x)"),
    ("a % a comment\n+ b", "a + b"),
    (r"\color{red}{a} + b", "a + b"),
]


@pytest.mark.parametrize("latex, plain", SAME, ids=[latex for latex, _ in SAME])
def test_spelling(latex: str, plain: str, shown: Shown) -> None:
    left, right = parse(latex), parse(plain)
    assert [shown(c.node) for c in left.clauses] == [shown(c.node) for c in right.clauses]


def test_words_of_the_note(shown: Shown) -> None:
    """A run of letters is one word where the note knows it."""
    assert shown(parse("abc").clauses[0].node) == "(juxt a b c)"
    assert shown(parse("abc", frozenset({"abc"})).clauses[0].node) == "abc"


def test_a_syllable_and_initials_are_a_word(shown: Shown) -> None:
    assert shown(parse("InfoNCE").clauses[0].node) == "InfoNCE"
    assert shown(parse("AttnQKV").clauses[0].node) == "(juxt Attn Q K V)"


@pytest.mark.parametrize("opening", ["{", "(", r"\sqrt{", r"\left(", "^{"])
def test_depth_is_bounded(opening: str) -> None:
    with pytest.raises(ProblemError) as raised:
        parse("x" + opening * 10_000)
    assert raised.value.problem.code in ("N2C020", "N2C022")


def test_many_letters_set_apart(shown: Shown) -> None:
    """Words are looked for in letters set apart without trying all the ways to join them."""
    tree = parse("a b " * 900 + "p o s")
    assert shown(tree.clauses[0].node).endswith("a b pos)")


@pytest.mark.parametrize("piece", [r"\frac{a}", r"\hat", "-", r"\sum_i ", r"\sin ", "|"])
def test_nesting_is_bounded(piece: str) -> None:
    with pytest.raises(ProblemError):
        parse(piece * 1_900)


def test_tokens_are_bounded() -> None:
    with pytest.raises(ProblemError) as raised:
        parse("x+" * 5_000 + "x")
    assert raised.value.problem.code == "N2C020"


@pytest.mark.parametrize("number", ["1" * 301, "0." + "1" * 300])
def test_numbers_are_bounded(number: str) -> None:
    with pytest.raises(ProblemError) as raised:
        parse(f"y = {number} x")
    assert raised.value.problem.code == "N2C020"
    assert raised.value.problem.span == Span(4, 4 + len(number))


def test_what_is_searched_once_is_kept_with_its_nodes() -> None:
    calls: list[int] = []

    @once
    def numbers(nodes: Nodes) -> Sequence[str]:
        calls.append(len(nodes))
        return [node.text for node in nodes.of(Num)]

    one, other = parse("x + 1").formula, parse("x + 2 y").formula
    assert [numbers(one), numbers(other), numbers(one)] == [["1"], ["2"], ["1"]]
    assert calls == [len(one), len(other)]
