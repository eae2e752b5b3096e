"""One product for several names: ``[Q, K, V] = X W_{qkv}`` is ``Q = X W_q``, ``K = X W_k`` and
``V = X W_v``, whose weights stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Group, Infix, Juxt, Name, Node, Script, juxtaposed
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define, Restated, Statement


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with a definition for each name of a list that is one product."""
    found: list[Statement] = []
    told: list[Problem] = []
    for one in stated:
        match one:
            case Define(None, (Group("(" | "[", targets), value)) if values := shared(
                targets, value
            ):
                pairs = zip(targets, values, strict=True)
                found += [replace(one, target=name, values=(part,)) for name, part in pairs]
                text = "this is taken to be shared out: each name has a part of the weight"
                told.append(note("N2C039", text, one.span))
            case _:
                found.append(one)
    return tuple(found), told


def shared(targets: Sequence[Node], value: Node) -> list[Node]:
    """The value of each name, with the part of the weight that makes it; nothing where a value is
    no product with one weight, or the names are not three queries, keys and values."""
    letters = [binders.bare(target) for target in targets if scripts.is_name(target)]
    if [letter.upper() for letter in letters] != ["Q", "K", "V"] or len(targets) != 3:
        return []
    match value:
        case Juxt((Name("split" | "chunk" | "Split" | "Chunk"), Group("(", (given, *_)))):
            value = given
    parts = [_part(value, letter) for letter in letters]
    return [part for part in parts if part is not None]


def _part(value: Node, letter: str) -> Node | None:
    """A product with the part of its weight that makes one of the names, or such a sum with a
    bias."""
    match value:
        case Infix("+", Juxt() as product, bias) if scripts.is_name(bias):
            made = _part(product, letter)
            return made and replace(value, left=made, right=_labelled(bias, letter))
        case Juxt((given, weight)) if _is_weight(weight) and not _is_weight(given):
            return replace(value, factors=(given, _labelled(weight, letter)))
        case Juxt((weight, given)) if _is_weight(weight) and not _is_weight(given):
            return replace(value, factors=(_labelled(weight, letter), given))
    return None


def _is_weight(node: Node) -> bool:
    return scripts.is_name(node) and binders.bare(node) in ("W", "U")


def _labelled(node: Node, letter: str) -> Node:
    """A weight with the label of its part: the ``W_q`` of ``W_{qkv}``, the ``W^Q`` of ``W^{QKV}``,
    the ``W_Q`` of ``W``."""
    match node:
        case Script(_, _, sup) if sup is not None and _label(sup).upper() == "QKV":
            letter = letter.lower() if _label(sup).islower() else letter.upper()
            return replace(node, sup=Name(letter, sup.span))
        case Script(_, sub) if sub is not None and _label(sub).upper() == "QKV":
            letter = letter.lower() if _label(sub).islower() else letter.upper()
            return replace(node, sub=Name(letter, sub.span))
        case Script(_, None, _):
            return replace(node, sub=Name(letter, node.span))
    return Script(node, Name(letter, node.span), None, 0, node.span)


def _label(node: Node) -> str:
    """The letters of a script, side by side."""
    parts = juxtaposed(node)
    return "".join(part.text for part in parts if isinstance(part, Name))
