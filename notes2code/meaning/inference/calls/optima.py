"""The best of all values, ``\\min_w ‖y - X w‖^2``, which is sought and not computed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from notes2code.diagnostics import error
from notes2code.latex.tree import Big, Group, Juxt, Name, Node, Nodes, Relation, Script, walk
from notes2code.meaning import names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation import scripts


def refuse_optimum(run: Run, node: Big) -> None:
    """The w of ``\\min_w ‖y - X w‖^2`` and the δ of ``\\max_{‖δ‖ ≤ ε} L(x + δ)``, which count
    nothing: the best of all values is sought."""
    if node.op not in ("min", "max") or node.sub is None or node.sup is not None:
        return
    inside = Nodes(walk(node.body))
    subs = [script.sub for script in inside.of(Script) if script.sub is not None]
    below = {id(inner) for sub in subs for inner in walk(sub)}
    given = {id(item) for product in inside.of(Juxt) for item in _arguments(product)}
    alone = [n for n in inside.of(Name) if id(n) not in below]
    counts = {n.text for n in inside.of(Name) if id(n) in below}
    reckoned = {n.text for n in alone if id(n) not in given} - counts - {*"ijklmnt"}
    named = {n.text for n in alone} | {*_labels_of_calls(inside)}
    for letter in _sought(node.sub):
        unknown = letter.text in named and _is_unknown(letter)
        if unknown or letter.text in reckoned:
            text = f"the best of all values of `{run.quote(letter.span)}` cannot be computed"
            hint = "write what it is the best of as a formula of its own, if that is meant"
            raise error("N2C037", text, letter.span, hint)


def _arguments(product: Juxt) -> Iterator[Node]:
    """What functions are given alone."""
    for name, group in pairwise(product.factors):
        if scripts.is_name(name) and isinstance(group, Group):
            yield from group.items


def _labels_of_calls(inside: Nodes) -> Iterator[str]:
    """The φ of ``p_φ(x_i)``: what stands below the name of a function says whose it is."""
    for product in inside.of(Juxt):
        for name, group in pairwise(product.factors):
            match name, group:
                case Script(Name(), Name(letter)), Group("("):
                    yield letter


def _sought(sub: Node) -> Iterator[Name]:
    """The letters that stand alone below a sign, or that a condition there is about."""
    items = sub.items if isinstance(sub, Group) else (sub,)
    for item in items:
        first = item.operands[0] if isinstance(item, Relation) else item
        first = first.items[0] if isinstance(first, Group) and len(first.items) == 1 else first
        if isinstance(first, Name):
            yield first


def _is_unknown(letter: Name) -> bool:
    """Whether a letter is one of parameters, weights, models and policies, and counts nothing."""
    plain = letter.text in names.GREEK - names.INDEX_LETTERS or letter.text in ("w", "x")
    return plain or letter.text.isupper() or letter.font == "bold"
