"""Functions that the notes give to a letter: *σ is the ReLU*, *with the sigmoid function σ*, and
``σ = \\tanh`` in a formula of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from notes2code.latex.tree import Group, Juxt, Name, Node, Script, Tree, walk
from notes2code.meaning import names
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.entries import Entry, Parsed
from notes2code.meaning.notation import binders, functions
from notes2code.meaning.prose.kinds import Passage
from notes2code.meaning.scope import Scope
from notes2code.meaning.typed import type_formula

NAMES = {
    "relu": r"\mathrm{ReLU}", "rectified linear unit": r"\mathrm{ReLU}",
    "gelu": r"\mathrm{GELU}",
    "silu": r"\mathrm{SiLU}", "swish": r"\mathrm{SiLU}",
    "elu": r"\mathrm{ELU}",
    "softplus": r"\mathrm{softplus}",
    "sigmoid": r"\mathrm{sigmoid}", "sigmoide": r"\mathrm{sigmoid}",
    "sigmoïde": r"\mathrm{sigmoid}", "сигмоида": r"\mathrm{sigmoid}",
    "シグモイド": r"\mathrm{sigmoid}", "시그모이드": r"\mathrm{sigmoid}",
    "logistic": r"\mathrm{sigmoid}",
    "tanh": r"\tanh", "hyperbolic tangent": r"\tanh",
    "softmax": r"\mathrm{softmax}", "ソフトマックス": r"\mathrm{softmax}",
    "소프트맥스": r"\mathrm{softmax}", "софтмакс": r"\mathrm{softmax}",
}  # fmt: skip
"""What prose calls functions, in lower case, and how formulas write them."""

_GREEK = {"σ": "sigma", "φ": "phi", "ϕ": "phi", "ψ": "psi", "ρ": "rho", "varphi": "phi"}
_FUNCTIONS = frozenset({*_GREEK.values(), "f", "g"})
"""The letters that are functions by custom; any other Greek one is where it is only called."""

_NUMBERS = frozenset("alpha beta gamma epsilon eta theta lambda mu nu pi tau omega".split())
"""The letters of rates, of weights and of gates, which are numbers whatever gives them."""

_OTHERS = f"(?-i:{'|'.join(sorted(names.GREEK - _FUNCTIONS - _NUMBERS - {'varphi'}))})"
_LETTER = (
    rf"(?:\$\s*(?P<letter>\\(?:sigma|(?:var)?phi|psi|rho)|\\{_OTHERS}(?=\s*\$)|[σφϕψρfg])"
    r"(?:\([^()$]{1,8}\)|\s*(?::|\\colon\b)[^$=]{1,80})?\s*\$"
    r"|(?<![\w$])(?P<bare>[σφϕψρ])(?!\w))"
)
_NAME = rf"(?P<name>{'|'.join(sorted(NAMES, key=len, reverse=True))})(?![A-Za-z])"
_IS = (
    r"(?:(?:is|are|was|were|denotes|represents|means|being|stands for|refers to"
    r"|est|désigne|ist|bezeichnet|es|é|representa|denota|обозначает|это|adalah|merupakan)\b|表示|代表|(?:通常|一般|往往)?[是为為]|即|は|은|는|[—–:：=]|(?<=\s)-(?=\s))"
)
_BETWEEN = (
    r"(?:[\s,，(（]|\b(?:an?|the|usually|typically|often|commonly|some|element-?wise|non-?linear"
    r"|pointwise|activation|non-?linearity|function|like|such|as|eine?|die|der|la|le|une?|o|uma"
    r"|fonction|función|função|funzione|функция|fungsi|fonksiyonu|aktivasyon|aktivasi|активации"
    r"|Aktivierungsfunktion|ativação|activación|attivazione|genellikle|meist|üblicherweise|z\.B\."
    r"|généralement|normalmente|geralmente|generalmente|solitamente|обычно|biasanya|di|de)\b|e\.g\.|d'activation|激活|函数|一个|一般|通常|为|如|例如"
    r"|活性化関数|활성화|함수)*"
)
_KIND = (
    r"(?:[\s-]*(?:activation|function|non-?linearity|激活函数|函数|活性化関数|関数|활성화|함수"
    r"|Funktion))*\s*"
)
_ACTIVATES = re.compile(
    rf"{_LETTER}\s*{_IS}[^.。;；\n]{{0,40}}?(?:activation function|non-?linear activation"
    r"|non-?linearity|激活函[数數]|非[线線]性(?:激活|函[数數])|非線形関数|비선형 ?함수|нелинейност"
    r"|活性化関数|활성화 ?함수|функци\w+ активации|fonction d'activation|Aktivierungsfunktion"
    r"|función de activación|função de ativação|funzione di attivazione)[^.。;；\n]*",
    re.IGNORECASE,
)
"""*σ is an activation function*, and the rest of the sentence, which may name it."""

_DENIED = re.compile(
    r"(?:関数|함수)?\s*(?:では?な|じゃな|の代わり|の前|の後|とは異な|と違"
    r"|[가이]? ?아니|[와과] ?다르|대신|의? ?이전)"
)
"""What says in Japanese and Korean, behind it, that something is not meant."""

_BEHIND = re.compile(rf"{_LETTER}\s*{_IS}{_BETWEEN}{_NAME}", re.IGNORECASE)
_WITH = re.compile(
    rf"\b(?:with|wobei|mit|avec|con|com)\s+{_LETTER}\s+(?:(?:the|an?|die|der|das|la|le|el|o)\s+)?"
    rf"(?:Aktivierungsfunktion\s+)?{_NAME}",
    re.IGNORECASE,
)
"""*wobei σ die Softmax-Funktion ist*, with the verb at the end, or without one."""

_ANY = re.compile(
    r"(?:\$\s*(?:\\(?:text|mathrm|operatorname)\{)?(?P<letter>(?-i:[A-Z]))\}?\s*\$"
    r"|\bwhere (?P<bare>(?-i:[A-Z])))"
    rf"\s*{_IS}{_BETWEEN}{_NAME}{_KIND}(?=[.,;)。，；]|$)",
    re.IGNORECASE | re.MULTILINE,
)
"""*where S is the softmax.*, of any capital where nothing is said of what the softmax is of."""

_ANY_CAPITAL = re.compile(r"[A-EH-Z]$")
"""A capital that only that pattern finds."""

_ALONE = re.compile(r"(?:\\\w+\{)?[A-Z]\}?|\\[A-Za-z]+")
"""The formula of *where $S$ is the softmax* itself."""

_AND = r"(?:and|und|et|e|y|и|和|与|と|및|[과와]|,)"
_IN_TURN = re.compile(
    rf"{_LETTER}\s*{_AND}\s*{_LETTER.replace('P<', 'P<second_')}"
    rf"\s*(?:分别|分別|はそれぞれ|[는은] 각각)?\s*(?:{_IS}|(?:denote|represent|mean)\b)?"
    rf"{_BETWEEN}{_NAME}{_KIND}"
    rf"{_AND}{_BETWEEN}{_NAME.replace('P<', 'P<second_')}",
    re.IGNORECASE,
)
"""*δ and σ are the ReLU and the sigmoid*, the first letter the first function."""

_LETTER_BEFORE = re.compile(rf"\$\s*{_AND}\s*$", re.IGNORECASE)
_NAME_BEHIND = re.compile(rf"\s*,?\s*(?:{_AND}|or\b){_BETWEEN}{_NAME}", re.IGNORECASE)
"""What makes two letters, or two functions, more."""

_NUMBER_BEFORE = re.compile(r"(?:gates?|weights?|errors?|coefficients?|factors?|rates?)\s*$", re.I)
"""The *error δ* is a number, though a sigmoid gives it."""

_SAID_OUT = re.compile(
    rf"{_KIND}(?:ist|です|である|이다|입니다|이며|이고)?\s*"
    r"(?=[.,;:)。，；、]|$|(?:and|und|et|e|y|и)\b|和|与)",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands behind a function's name where no more is said of a letter."""

_IN_FRONT = re.compile(rf"(?<![\w-]){_NAME}{_KIND}{_LETTER}", re.IGNORECASE)


_OR = re.compile(
    rf"\s*(?:/|\b(?:or|oder|ou|o|или)\b|或者?|または|[や、]|또는|이?나)\s*{_NAME}", re.IGNORECASE
)
_COMMA = re.compile(rf"\s*[,，]\s*{_NAME}", re.IGNORECASE)
_EXAMPLE = re.compile(r"such as|like|e\.g\.|z\.B\.|例如|如", re.IGNORECASE)
"""What another function stands behind that is as good, *σ is ReLU or tanh*, *σ (ReLU, tanh, …)*;
of examples, *such as ReLU or tanh*, the first one is taken."""


class SaidFunctions:
    """The functions that some notes name. They hold in the section that names them and in those
    below it."""

    def __init__(
        self, passages: Iterable[Passage], parsed: Mapping[Entry, Parsed], field: Scope
    ) -> None:
        self.field = field
        self.said: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {}
        self.equations: dict[tuple[str, str], Equation | None] = {}
        self._activating: dict[tuple[str, tuple[str, ...]], set[str]] = {}
        trees: dict[str, list[Tree]] = {}
        for entry, formula in parsed.items():
            if formula.tree and not _ALONE.fullmatch(entry.latex.strip()):
                trees.setdefault(entry.note, []).append(formula.tree)
        for passage in passages:
            place = passage.note, passage.section
            self._activating.setdefault(place, set()).update(unnamed(passage.text))
            for letter, name in said(passage.text):
                if _may_be_called(trees.get(passage.note, ()), letter):
                    self._note(passage.note, passage.section, letter, name)
        for entry, formula in parsed.items():
            for letter, name in formula.aliases.items():
                self._note(entry.note, entry.section, letter, name)
                if letter not in functions.GREEK_FUNCTIONS:  # elsewhere σ is what it always is
                    self._note(entry.note, (), letter, name)

    def _note(self, note: str, section: tuple[str, ...], letter: str, name: str) -> None:
        """Note what a function is called; what comes first in a section counts."""
        self.said.setdefault((note, section), {}).setdefault(letter, name)

    def near(self, note: str, section: tuple[str, ...]) -> dict[str, Equation]:
        """The functions by the letters that formulas of a section call them."""
        found = self.names(note, section).items()
        made = ((letter, self._equation(letter, name)) for letter, name in found)
        return {letter: equation for letter, equation in made if equation is not None}

    def activating(self, note: str, section: tuple[str, ...]) -> set[str]:
        """The letters of which the text of a section only says that they are activations."""
        return self._activating.get((note, section), set()) - self.names(note, section).keys()

    def names(self, note: str, section: tuple[str, ...]) -> dict[str, str]:
        """What prose calls the functions of a section, by their letters."""
        found: dict[str, str] = {}
        for depth in range(len(section) + 1) if self.said else ():
            found |= self.said.get((note, section[:depth]), {})
        return found

    def _equation(self, letter: str, name: str) -> Equation | None:
        """The definition that prose puts into words; None where the function takes more than one
        thing."""
        if (letter, name) not in self.equations:
            base, _, below = letter.partition("_")
            written = f"\\{base}" if base in names.GREEK else f"\\mathrm{{{base}}}"
            written += f"_{{{below}}}" if below else ""
            function = NAMES.get(name, f"\\mathrm{{{name}}}")
            typed = type_formula(f"{written}(x) = {function}(x)", self.field)
            self.equations[letter, name] = typed.equation
        return self.equations[letter, name]


def _may_be_called(trees: Sequence[Tree], letter: str) -> bool:
    """Whether the formulas of a note let its text say that a letter is a function: of a capital or
    an uncommon Greek letter, the ``δ`` of ``σ(W δ(V z))``, they have to call all that they hold."""
    if letter in _FUNCTIONS:
        return True
    if _ANY_CAPITAL.match(letter):
        return all(_is_of_arrays(tree, letter) for tree in trees)
    held = [name for tree in trees for name in tree.formula.of(Name) if name.text == letter]
    called = [one for tree in trees for one in _arguments(tree, letter)]
    return len(called) == len(held) and not all(binders.bare(one) for one in called)


def _arguments(tree: Tree, letter: str) -> Iterator[Node]:
    """What a letter is given where it is called with one thing."""
    for pair in (pair for node in tree.formula.of(Juxt) for pair in pairwise(node.factors)):
        match pair:
            case Name(text), Group("(", (argument,)) if text == letter:
                yield argument


def _is_of_arrays(tree: Tree, letter: str) -> bool:
    """Whether a capital is only called, and with one whole array: that of ``S(z_c)`` is no softmax
    of rows, and that of ``P = …`` and ``S(Q, K)`` none at all."""
    arguments = _arguments(tree, letter)
    called = sum(not any(map(_is_element, walk(argument))) for argument in arguments)
    return called == sum(node.text == letter for node in tree.formula.of(Name))


def _is_element(node: Node) -> bool:
    """Whether something has an index below, and is no size ``d_k``."""
    return isinstance(node, Script) and node.sub is not None and binders.bare(node.base) != "d"


def said(text: str) -> Iterator[tuple[str, str]]:
    """The letters that a text names functions of, and what it calls these."""
    in_turn = [
        match
        for match in _IN_TURN.finditer(text)
        if not _LETTER_BEFORE.search(text[max(0, match.start() - 20) : match.start()])
        and not _NAME_BEHIND.match(text, match.end())
    ]
    for match in in_turn:
        for second in ("", "second_"):
            letter = (match[f"{second}letter"] or match[f"{second}bare"]).removeprefix("\\")
            yield _GREEK.get(letter, letter), match[f"{second}name"].lower()
    for pattern in (_BEHIND, _WITH, _IN_FRONT, _ANY):
        for match in pattern.finditer(text):
            if any(one.start() <= match.start() < one.end() for one in in_turn):
                continue
            if _DENIED.match(text, match.end()) or _is_one_of_several(text, match):
                continue
            letter = (match["letter"] or match["bare"]).removeprefix("\\")
            letter = _GREEK.get(letter, letter)
            before = text[max(0, match.start() - 20) : match.start()]
            if letter in names.GREEK - _FUNCTIONS and (
                _NUMBER_BEFORE.search(before) or not _SAID_OUT.match(text, match.end())
            ):
                continue  # the δ of *δ is the sigmoid gate* is a number
            yield letter, match["name"].lower()


def _is_one_of_several(text: str, match: re.Match[str]) -> bool:
    """Whether a text names another function behind the one that it names first, as one that the
    letter may be too."""
    if _EXAMPLE.search(match[0]):
        return False
    listed = any(bracket in match[0] for bracket in "(（")
    return any(one.match(text, match.end()) for one in ((_OR, _COMMA) if listed else (_OR,)))


def unnamed(text: str) -> Iterator[str]:
    """The letters that a text calls activations, and no more than that: a σ that is *such as a ReLU
    or a tanh* is not said to be the sigmoid."""
    for match in _ACTIVATES.finditer(text):
        if "sigmoid" not in match[0].lower() and "logistic" not in match[0].lower():
            letter = (match["letter"] or match["bare"]).removeprefix("\\")
            yield _GREEK.get(letter, letter)
