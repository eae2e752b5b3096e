"""Letters that mean a number by themselves: the constants e and π, and those that are sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from notes2code.latex.tree import (
    Apply,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Root,
    Script,
    once,
    ungrouped,
    unscripted,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.inference.products.gates import HADAMARD
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation import binders, scripts

CONSTANTS = {"pi": math.pi, "infty": math.inf, "e": math.e}


def is_constant(run: Run, name: str) -> bool:
    """Whether a letter is Euler's number, π or ∞, of which no formula or note says else."""
    return name in CONSTANTS and not _is_told(run, name)


def _is_told(run: Run, name: str) -> bool:
    """Whether a formula or a note says what a letter is, which else is a constant."""
    axes = (name in shape.axes for shape in run.shapes.values())
    known = name in run.shapes or name in run.defined or name in run.defines
    known = known or name in run.parameters
    if known or any(axes) or is_memory(run, name):
        return True
    is_policy = name in run.seen.transposed or _is_alone_in_log(run, name) or _is_policy(run)
    if name == "pi" and (is_policy or _is_beside_labelled(run, name)):
        return True
    elsewhere = name in run.scope.arrays and not _is_of_circle(run, name)
    return elsewhere or (name == "e" and not _has_euler(run))


def is_logged(run: Run, name: str) -> bool:
    """Whether a formula takes the logarithm of a letter alone, ``log π``: of the circle's number it
    is that of ``2π``, mostly."""
    return any(
        binders.bare(node.function) in ("log", "ln")
        and isinstance(inner := ungrouped(node.argument), Name)
        and inner.text == name
        for node in run.seen.nodes.of(Apply)
    )


def _is_alone_in_log(run: Run, name: str) -> bool:
    """Whether a formula takes the logarithm of a letter and names nothing else, ``-π log π``, or
    has that in a softmax, where adding a number would change nothing: ``softmax(log π + g)``."""
    if run.seen.logs and run.seen.counted.keys() - names.FUNCTIONS == {name}:
        return True
    weighed = any(
        binders.bare(inner.function) in ("log", "ln")
        and binders.bare(ungrouped(inner.argument)) == name
        for node in run.seen.nodes.of(Juxt)
        if any(binders.bare(factor).lower() == "softmax" for factor in node.factors)
        for inner in walk(node)
        if isinstance(inner, Apply)
    )
    return weighed


def _is_policy(run: Run) -> bool:
    """Whether π is what a function is given, as the policy of ``J(π)`` is; ``U(-π, π)`` is given
    angles."""
    return any(
        isinstance(item, Name) and item.text == "pi"
        for function, group in _calls(run.seen.nodes)
        if function not in _OF_ANGLES and not _is_of_circle(run, "pi")
        for item in group.items
    )


def _is_beside_labelled(run: Run, name: str) -> bool:
    """Whether a letter is told apart from one with a label, as the policy of ``π / π_{ref}`` and of
    ``log π_θ + β π``; the π of ``2π`` is not."""
    ratios = run.seen.nodes.of(Frac)
    if any(binders.bare(ratio.top) == binders.bare(ratio.bottom) == name for ratio in ratios):
        return True
    labelled = any(other.startswith(f"{name}_") for other in run.seen.counted)
    return labelled and not _is_of_circle(run, name)


_OF_ANGLES = names.FUNCTIONS | names.CLIPS | {"U"}
"""What takes an angle rather than a policy."""


def _is_of_circle(run: Run, name: str) -> bool:
    """Whether a letter stands as the number π does: beside a number, ``2 π`` and ``π / 2``, or a
    power, ``π r^2``, below a line or a root, and where something is turned."""
    if any(binders.bare(node.function) in _TURNS for node in run.seen.nodes.of(Apply)):
        return True
    for node in run.seen.nodes:
        match node:
            case Juxt(factors):
                beside = factors
            case Infix("·" | "×" | "*"):
                beside = binders.chain(node)
            case Frac(top, bottom):
                beside = (top, bottom)
                if binders.holds(bottom, name):
                    return True
            case Root(body) if binders.holds(body, name):
                return True
            case _:
                continue
        if name in map(binders.bare, beside) and any(map(_is_number_or_power, beside)):
            return True
    return False


def _is_number_or_power(node: Node) -> bool:
    match node:
        case Num() | Frac(Num(), Num()) | Script(_, _, Num()):
            return True
    return False


_TURNS = frozenset(["sin", "cos", "tan"])


def _has_euler(run: Run) -> bool:
    """Whether e is Euler's number: where it is raised to something, stands beside π, as in
    ``\\log(2 π e σ^2)``, with numbers only, or alone in a logarithm, ``\\log_2 e``; else it is a
    letter like any other."""
    powers = (
        node
        for node in run.seen.nodes.of(Script)
        if isinstance(node.base, Name) and node.base.text == "e"
    )
    raised = any(n.sup and not n.sub and not scripts.is_transposed(n) for n in powers)
    logs = (one for one in run.seen.nodes.of(Apply) if binders.bare(one.function) in ("log", "ln"))
    in_log = any(binders.bare(ungrouped(one.argument)) == "e" for one in logs)
    return raised or in_log or "pi" in run.seen.counted or run.seen.counted.keys() == {"e"}


def is_size(run: Run, name: str) -> bool:
    """Whether a letter without an index is the size of an axis."""
    if name in run.symbols or name in run.shapes or name in run.seen.gaps:
        return False
    if name in run.seen.magnitudes or name in run.seen.points or name in run.seen.moves:
        return False
    if name in run.scope.ranks:
        return False  # the m of ``m = [h; c]``
    if name in run.seen.sizes:
        return True
    if run.shapes and (_counts_an_axis(run, name) or _is_among_sizes(run, name)):
        return True
    if name in run.seen.of_polynomials:
        return False
    if names.is_size_name(name) and name in run.seen.counted:
        if name in run.seen.matrices:
            return False
        if run.seen.counted[name] != {0} or is_memory(run, name) or _is_only_given(run, name):
            return False
        if name in run.seen.bold and not divides(run, name):
            return False
        # Beside matrices, D may be one of distances.
        matrix = name == "D" and (run.seen.has_matrices or run.seen.weighs)
        return not matrix or run.choose("D counts", ((True, 0.0), (False, 0.3)))
    return name in ("n", "m") and name not in run.seen.bold and not is_memory(run, name)


def _is_only_given(run: Run, name: str) -> bool:
    """Whether a letter stands nowhere but in parentheses behind names, as the document d of ``s(q,
    d) = f(q, d) g(q)`` does, one of several parameters."""
    groups = [group for group in run.seen.nodes.of(Group) if group.open == "("]
    given = sum(binders.bare(item) == name for group in groups for item in group.items)
    every = sum(node.text == name for node in run.seen.nodes.of(Name))
    return name in run.parameters and len(run.parameters) > 1 and given == every


def divides(run: Run, name: str) -> bool:
    """Whether a root is taken of a name, or something is divided by it: it is no vector, bold as
    it is in ``\\sqrt{\\mathbf{d}}``."""
    nodes = run.seen.nodes
    below = [root.body for root in nodes.of(Root)] + [frac.bottom for frac in nodes.of(Frac)]
    return any(run.seen.name_of(ungrouped(node)) == name for node in below)


def is_memory(run: Run, name: str) -> bool:
    """Whether a letter is an argument twice, as keys and values are, ``MultiHead(z, m, m)``, or
    where another letter is, as the n of ``f(a) - f(n)``, or where a function takes an array, or is
    multiplied element by element, as a mask is, ``m \\odot x``, or by the sign ``@``."""
    twice = any(
        group.open == "(" and sum(binders.bare(item) == name for item in group.items) > 1
        for group in run.seen.nodes.of(Group)
    )
    sides = (
        side
        for node in run.seen.nodes.of(Infix)
        if node.op in HADAMARD | {"@"}
        for side in (node.left, node.right)
        if scripts.is_name(side)
    )
    multiplied = any(name in (binders.bare(side), run.seen.use(side).name) for side in sides)
    given = _is_given_as_others(run, name) or _is_given_as_array(run, name)
    return twice or multiplied or given


def _is_given_as_others(run: Run, name: str) -> bool:
    """Whether a function takes a letter alone where it takes another that counts nothing."""
    given: dict[tuple[str, int], set[str]] = {}
    for function, group in _calls(run.seen.nodes):
        for at, item in enumerate(group.items):
            given.setdefault((function, at), set()).add(binders.bare(item))
    beside = (found - {name, ""} for found in given.values() if name in found)
    return any(not all(map(names.is_size_name, found)) for found in beside)


def _is_given_as_array(run: Run, name: str) -> bool:
    """Whether a function that the notes define takes a letter alone where it computes with an
    array."""
    for function, group in _calls(run.seen.nodes):
        own = run.functions.get(function) or run.scope.functions.get(function)
        if own is None or len(own.parameters) != len(group.items):
            continue
        arrays = {one.name for one in own.inputs if one.shape}
        pairs = zip(own.parameters, group.items, strict=True)
        if any(binders.bare(item) == name and taken in arrays for taken, item in pairs):
            return True
    return False


@once
def _calls(nodes: Nodes) -> Sequence[tuple[str, Group]]:
    """The letters and words before parentheses, with what stands in these: the E of E_q(q) and
    E_d(d), one for each kind, too."""
    pairs = (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors))
    groups = ((name, unscripted(given)) for name, given in pairs)
    return [
        (binders.bare(name), group)
        for name, group in groups
        if scripts.is_name(name) and isinstance(group, Group)
    ]


def _is_among_sizes(run: Run, name: str) -> bool:
    """Whether a formula names sizes, as the note declares shapes: ``r (d + k)``, ``4 H W C^2``; and
    at most one letter besides."""
    axes = {axis for shape in run.shapes.values() for axis in shape.axes}
    named = [other for other in run.seen.counted if other not in names.FUNCTIONS]
    if name not in axes or any(run.seen.counted[other] != {0} for other in named):
        return False
    others = [other for other in named if other not in axes and not names.is_size_name(other)]
    return len(others) <= (len(named) > 3) and not run.seen.transposed


def _counts_an_axis(run: Run, name: str) -> bool:
    """Whether a letter that is a number by custom counts an axis of what stands beside it: the r of
    ``(α / r) B A``, where B is declared as d×r."""
    if names.element_ranks(name, 0, False, False)[0] or run.seen.counted.get(name) != {0}:
        return False
    used = (run.shapes[other].axes for other in run.seen.counted if other in run.shapes)
    return any(name in axes for axes in used)
