"""Arrays of which there is one for each head: a declared shape is that of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from notes2code.latex.tree import Group, Name, Script, words_in
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.scope import Shape
from notes2code.meaning.stated import Define, Statement


def apart(
    shapes: Mapping[str, Shape], stated: Sequence[Statement], seen: Survey
) -> dict[str, Shape]:
    """The shapes, those of matrices such as the Q of ``Q_i = X W_i^Q`` as shapes of each Q_i."""
    matrices = {name for name, shape in shapes.items() if len(shape.axes) == 2}
    found = dict(shapes)
    if not matrices:
        return found
    targets = [s.target for s in stated if isinstance(s, Define) and s.target is not None]
    named = [node for node in (*seen.nodes.of(Script), *targets) if isinstance(node, Script)]
    letters = {letter for node in named for letter in _head_letters(node, seen)}
    for node in named:
        use = seen.understood(node)
        if use is None or use.name not in matrices or found[use.name].indexed != 0:
            continue
        if use.indices and all(letters & words_in(at.node) for at in use.indices):
            found[use.name] = _of_one(found[use.name])
    return found


def _of_one(shape: Shape) -> Shape:
    """The shape of one head: of ``Q ∈ ℝ^{n × H d_h}`` each Q_h has d_h columns."""
    *rows, last = shape.axes
    factors = str(last).split("*")
    features = [factor for factor in factors if names.is_size_name(factor)]
    columns = features[0] if len(factors) == 2 and len(features) == 1 else last
    return replace(shape, axes=(*rows, columns), indexed=None)


def _head_letters(node: Script, seen: Survey) -> Iterator[str]:
    """The index of ``head_i``, of a weight ``W_i^Q``, and one in parentheses above a name."""
    use = seen.understood(node)
    if use is None or len(use.indices) != 1:
        return
    letter = names.label(use.indices[0].node)
    if binders.bare(node).lower() == "head" or use.name.startswith("W_") or _is_above(node, letter):
        yield letter


def _is_above(node: Script, letter: str) -> bool:
    match node.sup:
        case Group("(", (Name(text),)):
            return text == letter
    return False
