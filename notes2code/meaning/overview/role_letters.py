"""Letters that say what weights are for, and count none: the k of the ``W_k`` that makes keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from notes2code.latex.tree import (
    Big,
    Group,
    Juxt,
    Name,
    Node,
    Nodes,
    Script,
    inside_scripts,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement


def of_what_is_made(statements: Sequence[Statement]) -> Iterator[str]:
    """The k of ``K = Ω_k X`` and of ``K[X] = β_k + Ω_k X``: the weights that make keys have their
    letter below them, and there is one of each. The k of ``s_k = q^\\top K_k`` and of ``K = x_k``
    counts."""
    defines = [one for one in statements if isinstance(one, Define)]
    below = {word for one in defines if one.target for word in _below(one.target)}
    for define in defines:
        match define.target:
            case Name(made) | Juxt((Name(made), Group("[" | "("))) if made in ("Q", "K", "V"):
                letter = made.lower()
                bases = [base for value in define.values for base in _bases(value, letter)]
                if all(map(_is_of_weights, bases)) and letter not in below:
                    yield letter


def _bases(node: Node, letter: str) -> Iterator[Node]:
    """What a letter stands below."""
    for part in walk(node):
        if isinstance(part, Script) and part.sub and letter in words_in(part.sub):
            yield part.base


def _below(node: Node) -> Set[str]:
    """What stands below names."""
    subs = (part.sub for part in walk(node) if isinstance(part, Script) and part.sub)
    return {word for sub in subs for word in words_in(sub)}


def _is_of_weights(node: Node) -> bool:
    """Whether a letter is a capital, as Ω, and no X, or a small one of weights, as β."""
    letter = node.text if isinstance(node, Name) else ""
    return letter in names.WEIGHTS or (letter[:1].isupper() and letter not in ("X", "H", "Z", "E"))


def of_encoded(target: Node, nodes: Nodes) -> set[str]:
    """The k of ``f_k(x_n, n) = W_k x_n e^{i n θ}``, which makes the key of a token at its place: it
    stands below the function and below weights, and counts neither."""
    match target:
        case Juxt((Script(Name(), Name("q" | "k" | "v" as role), None, 0), Group("(", items))):
            given = {item.text for item in items if isinstance(item, Name)}
            below = {n.sub.text for n in items if isinstance(n, Script) and isinstance(n.sub, Name)}
            weights = (n for n in nodes.of(Script) if binders.bare(n) == "W")
            made = sum(names.label(weight.sub) == role for weight in weights if weight.sub)
            told = sum(name.text == role for name in nodes.of(Name)) == made
            return {role} if told and given & below - {role} else set()
    return set()


def of_weights(target: Juxt, nodes: Nodes) -> set[str]:
    """The t of ``P(t | q) = softmax(W_t h_q + b_t)``, which tells what the weights are for; what a
    sum counts elsewhere is an index, as in ``e^{w_i^⊤ x} / Σ_j e^{w_j^⊤ x}``."""
    match target.factors:
        case (_, Group("(", (Name(outcome), *_), ("|", *_))) if outcome not in "ijkmn":
            below = [node for node in nodes.of(Script) if binders.bare(node.sub or node) == outcome]
            bases = {binders.bare(node) for node in below}
            summed = any(True for _ in nodes.of(Big))
            return {outcome} if "W" in bases and bases <= {*"WUb"} and not summed else set()
    return set()


def on_weights_alone(seen: Survey) -> set[str]:
    """The i of ``z_i = σ(W_i x)``, which may tell weights apart, whatever stands on the left."""
    bases: dict[str, set[str]] = {}
    for node in seen.nodes.of(Script) if seen.targets else ():
        for name in inside_scripts(node):
            if isinstance(name, Name):
                bases.setdefault(name.text, set()).add(binders.bare(node))
    return {x for x in seen.targets if x in bases and bases[x] <= {*"WUVRb"}}


def of_keys(target: Node, nodes: Nodes) -> Set[str]:
    """The k of ``θ_k ← m θ_k + (1 - m) θ_q``: the weights that make keys, beside those that make
    queries; what has another one's index counts."""
    match target:
        case Script(Name(), Name(letter), None, 0):
            found: dict[str, set[str]] = {}
            for node in nodes.of(Script):
                if node.sub is not None:
                    found.setdefault(binders.bare(node), set()).update(words_in(node.sub))
            own = found.pop(binders.bare(target), set())
            others = set[str]().union(*found.values())
            if {letter} < own | {letter} <= {*"qkv"} and letter not in others:
                return {letter}
    return set()
