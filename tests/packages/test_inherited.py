"""Classes that differ in their formulas alone, or in an attribute, say the rest once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import ModuleType

import pytest

from building import Package, package_of, without_training
from notes2code.emit.inherited import inherited

SCALED = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V"
HIDDEN = r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
CAUSAL = rf"\mathrm{{softmax}}\left(\frac{{QK^\top}}{{\sqrt{{d_k}}}} + M\right) V, \quad {HIDDEN}"
BIASED = r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + B\right) V"
UNSCALED = r"\mathrm{softmax}(QK^\top) V"

OF_SCALED = "class CausalScaledDotProductAttention(ScaledDotProductAttention):"
OF_BASE = "class UnscaledDotProductAttention(DotProductAttention):"
CASES: Sequence[tuple[Sequence[str], str]] = [
    ([SCALED, CAUSAL], OF_SCALED),
    ([CAUSAL, SCALED, UNSCALED], OF_BASE),
    ([SCALED, BIASED], "class BiasedScaledDotProductAttention(ScaledDotProductAttention):"),
    ([CAUSAL, UNSCALED], OF_BASE),
]


@pytest.mark.parametrize(("formulas", "head"), CASES)
def test_what_has_all_of_another_class_is_derived_from_it(
    formulas: Sequence[str],
    head: str,
    run_tests: Callable[[Package], bool],
) -> None:
    files = package_of(formulas)
    assert head in files["transformer/attention.py"]
    assert run_tests(without_training(files))


def test_only_what_is_its_own_is_said_again() -> None:
    code = package_of([SCALED, CAUSAL])["transformer/attention.py"]
    assert code.count("def scores(self, query: Tensor, key: Tensor)") == 2  # with the base's
    (body,) = re.findall(rf'{re.escape(OF_SCALED)}\n    r"""[\s\S]*?"""\n([\s\S]*)', code)
    assert body == "\n    causal = True\n"


def test_no_class_gets_what_it_has_not(imported: Callable[[Package], ModuleType]) -> None:
    """What hides later keys is no base of what does not."""
    package = imported(package_of([CAUSAL, BIASED, SCALED]))
    assert package.CausalScaledDotProductAttention.causal
    for name in ("ScaledDotProductAttention", "BiasedScaledDotProductAttention"):
        assert not getattr(package, name).causal


LINEAR = (
    r"o_i = \frac{\sum_j \phi(q_i)^\top \phi(k_j) v_j}{\sum_j \phi(q_i)^\top \phi(k_j)}, "
    r"\quad \phi(x) = %s"
)


def test_what_has_a_small_part_in_another_way_says_that_alone(
    run_tests: Callable[[Package], bool],
) -> None:
    files = package_of([LINEAR % r"\mathrm{elu}(x) + 1", LINEAR % r"\mathrm{relu}(x)"])
    own = bodies(files["transformer/attention.py"])["ReluLinearAttention"]
    assert "class ReluLinearAttention(LinearAttention):" in files["transformer/attention.py"]
    assert own.count("def ") == 1 and "return F.relu(x)" in own
    assert run_tests(without_training(files))


@pytest.mark.parametrize("map_", [r"\mathrm{elu}(x) + 1", r"\mathrm{relu}(x)"])
def test_linear_attentions_of_which_one_is_not_normalised_share_their_methods(
    map_: str, run_tests: Callable[[Package], bool]
) -> None:
    """An attribute tells them apart; features of its own make one method more."""
    summed = rf"O = \phi(Q) (\phi(K)^\top V), \quad \phi(x) = {map_}"
    files = package_of([LINEAR % r"\mathrm{elu}(x) + 1", summed])
    code = files["transformer/attention.py"]
    own = bodies(code)["UnnormalisedLinearAttention"]
    assert "class UnnormalisedLinearAttention(LinearAttention):" in code
    assert "normalised = False" in own and own.count("def ") == ("relu" in map_)
    assert run_tests(without_training(files))


def test_what_asks_its_own_base_is_not_derived_from_another() -> None:
    long = "    def run(self) -> int:\n" + 30 * "        self.step()\n"
    method = "    def first(self) -> int:\n        return {}"
    texts = [
        f'class {name}(Base):\n    """{name}."""\n\n{long}\n{method.format(value)}\n'
        for name, value in (("A", "1"), ("B", "2"), ("C", "super().first()"))
    ]
    heads = [text.partition(":")[0] for text in inherited(texts)]
    assert heads == ["class A(Base)", "class B(A)", "class C(Base)"]


def test_heads_of_groups_are_derived_from_those_of_one_group(
    run_tests: Callable[[Package], bool],
) -> None:
    """They ask for the number of groups, which those have a default for."""
    join = r"\mathrm{%s}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
    head = r"\mathrm{head}_i = \mathrm{Attention}(X W_i^Q, X W%s^K, X W%s^V)"
    files = package_of(
        [
            join % "MQA" + head % ("", ""),
            join % "GQA" + head % (2 * (r"_{\lceil i/r \rceil}",)),
        ]
    )
    code = files["transformer/attention.py"]
    own = bodies(code)["GroupedQueryAttention"]
    assert "class GroupedQueryAttention(MultiQueryAttention):" in code
    assert own.count("def ") == 1 and "num_groups: int," in own
    assert run_tests(without_training(files))


HEADS = r"\mathrm{%s}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) %s"
PLAIN = (
    HEADS % ("MultiHead", "W^O")
    + r", \quad \mathrm{head}_i = \mathrm{Attention}(X W_i^Q, X W_i^K, X W_i^V)"
)
WITH_BIASES = (
    HEADS % ("BiasedHeads", "W^O + b^O") + r", \quad \mathrm{head}_i = \mathrm{Attention}"
    r"(X W_i^Q + b_i^Q, X W_i^K + b_i^K, X W_i^V + b_i^V)"
)


def bodies(code: str) -> dict[str, str]:
    """What each class of a module says behind its docstring."""
    found = re.findall(
        r'class (\w+)\(.*\):\n    r?"""[\s\S]*?"""\n([\s\S]*?)(?=\n\n\nclass |\Z)', code
    )
    return dict(found)


OUTPUT = (
    HEADS % ("OutBiased", "W^O + b^O")
    + r", \quad \mathrm{head}_i = \mathrm{Attention}(X W_i^Q, X W_i^K, X W_i^V)"
)
INPUT = WITH_BIASES.replace("BiasedHeads", "InBiased").replace(" + b^O", "")


def test_biases_of_some_linear_maps_alone_are_another_class(
    imported: Callable[[Package], ModuleType],
) -> None:
    package = imported(package_of([SCALED, WITH_BIASES, OUTPUT, PLAIN, INPUT]))
    names = ("MultiHead", "BiasedMultiHead", "OutputBiasedMultiHead", "InputBiasedMultiHead")
    made = [getattr(package, f"{name}Attention")(6, 2).state_dict() for name in names]
    assert [sum("bias" in name for name in weights) for weights in made] == [0, 4, 1, 3]


@pytest.mark.parametrize("first", [PLAIN, WITH_BIASES])
def test_of_two_classes_that_differ_in_biases_an_attribute_says_which_has_them(
    first: str, run_tests: Callable[[Package], bool], imported: Callable[[Package], ModuleType]
) -> None:
    second = WITH_BIASES if first is PLAIN else PLAIN
    files = package_of([SCALED, first, second])
    said = bodies(files["transformer/attention.py"])
    (base,) = [name for name, body in said.items() if "bias=self.biased" in body]
    (derived,) = [n for n, body in said.items() if re.fullmatch(r"\n    biased = \w+\n?", body)]
    assert said[base].count("bias=self.biased") == 4 and "bias=False" not in said[base]
    assert run_tests(files)
    package = imported(files)
    assert issubclass(getattr(package, derived), getattr(package, base))
    sizes = {name: len(getattr(package, name)(6, 2).state_dict()) for name in (base, derived)}
    assert sizes == ({base: 4, derived: 8} if first is PLAIN else {base: 8, derived: 4})


def with_biases(name: str, *biased: str) -> str:
    """A class of two linear maps, some with biases."""
    made = (f"        self.{x} = Linear(d, d{'' if x in biased else ', bias=False'})" for x in "AB")
    head = (
        f'class {name}(nn.Module):\n    """Two maps."""\n\n    def __init__(self, d: int) -> None:'
    )
    return "\n".join([head, "        super().__init__()", *made])


def test_what_differs_in_other_biases_makes_these_anew() -> None:
    given = {"None": "", "Both": "AB", "First": "A", "Second": "B", "BothAgain": "AB"}
    classes = [with_biases(f"{name}Biased", *biased) for name, biased in given.items()]
    base, both, first, second, again = inherited(classes)
    assert base.count("bias=self.biased") == 2 and "    biased = False" in base
    assert "class BothBiased(NoneBiased):" in both and "    biased = True" in both
    assert "class BothAgainBiased(NoneBiased):" in again and "    biased = True" in again
    assert "__init__" not in both + again
    for text, name in ((first, "A"), (second, "B")):
        assert "(NoneBiased):" in text and f"self.{name} = Linear(d, d)" in text
        assert text.count("Linear") == 1 and "super().__init__(d)" in text


def test_biases_the_other_way_round_are_no_attribute() -> None:
    first, second = inherited([with_biases("First", "A"), with_biases("Second", "B")])
    assert "biased" not in first and "class Second(First):" not in second
