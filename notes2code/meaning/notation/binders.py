"""The letters in the nodes of a formula: in the scripts of names, and bound below signs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from notes2code.latex.tree import (
    Accent,
    Big,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Relation,
    Script,
    juxtaposed,
    once,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import scripts


def family_range(node: Script) -> Relation | None:
    """The ``i=1`` of ``{x_i}_{i=1}^n``, and the ``i ∈ [n]`` of ``(x_i)_{i ∈ [n]}``."""
    below = node.sub if isinstance(node.base, Group) else None
    if not isinstance(below, Relation) or (node.sup is None and below.signs != ("∈",)):
        return None
    return below


def first_number(sub: Node) -> int | None:
    """The number from which ``j = 1`` counts, with a condition behind it or without, and that of
    ``1 ≤ j ≤ n``."""
    match sub.items[0] if conditions_below(sub) and isinstance(sub, Group) else sub:
        case Relation((_, Num(first)), ("=",)) | Relation((Num(first), _, _), ("≤", _)):
            return int(first) if first.isdigit() else None
    return None


def first_letters(sub: Node) -> list[str]:
    """The letters in what ``j = i + 1`` counts from."""
    if not isinstance(sub, Relation) or sub.signs != ("=",) or sub.operands[1] is None:
        return []
    return [node.text for node in walk(sub.operands[1]) if isinstance(node, Name)]


def bound_letters(sub: Node) -> list[str]:
    """The letters that stand below a big operator as its indices."""
    if isinstance(sub, Relation):
        first = sub.operands[0]
        if sub.signs[0] in ("≤", "<") and len(sub.operands) == 3:
            first = sub.operands[1]
        return bound_letters(first) if first is not None else []
    if isinstance(sub, Group):
        if conditions_below(sub):
            return bound_letters(sub.items[0])
        dotted = any(isinstance(item, Dots) for item in sub.items)
        return [x for item in sub.items[: 1 if dotted else None] for x in bound_letters(item)]
    if isinstance(sub, Juxt) and all(isinstance(f, Name) for f in sub.factors):
        return [f.text for f in sub.factors if isinstance(f, Name) and len(f.text) == 1]
    if isinstance(sub, Name):
        return [sub.text]
    if isinstance(sub, Script | Accent) and scripts.is_name(sub):
        return [names.label(sub)]
    return []


def compared_letter(sub: Node) -> list[str]:
    """The letter on the right in ``i < j``: a bound of the left one, or summed over too where
    nothing else binds it."""
    if isinstance(sub, Relation) and sub.signs[-1] in "<>≤≥≠":
        last = sub.operands[-1]
        return [last.text] if isinstance(last, Name) else []
    return []


def conditions_below(sub: Node) -> tuple[Relation, ...]:
    """What ``j: |i-j| ≤ w`` and ``j=1, j ≠ i`` below a sign say of j, which alone they bind; of
    ``i, j ≤ n`` it is nothing, since both of them are bound."""
    if not isinstance(sub, Group) or not sub.items:
        return ()
    first, rest = sub.items[0], sub.items[1:]
    names_in = bound_letters(first) if isinstance(first, Name | Relation) else []
    if len(names_in) != 1:
        return ()
    letter = names_in[0]
    said = [item for item in rest if isinstance(item, Relation) and item.signs != ("=",)]
    if not said or len(said) < len(rest):
        return ()
    others = (item.operands[0] for item in said)
    apart = all(isinstance(sign, str) and sign in ":|" for sign in sub.separators[:1])
    if apart or not any(isinstance(o, Name) and o.text != letter for o in others):
        return tuple(said)
    return ()


def ends(sub: Node) -> Iterator[Node]:
    """The nodes that end the ranges below a big operator."""
    if isinstance(sub, Relation):
        yield from (o for o in sub.operands[1:] if o is not None)
    elif isinstance(sub, Group):
        for item in sub.items:
            yield from ends(item)
        if any(isinstance(i, Dots) for i in sub.items):
            yield sub.items[-1]


def script_letters(node: Node, bound: Set[str] = frozenset()) -> Iterator[str]:
    """The single letters, and ``pos``, in the scripts of a name, where some are bound."""
    while isinstance(node, scripts.SCRIPTED):
        if isinstance(node, Script):
            for script in (node.sub, node.sup):
                if script is None or (isinstance(script, Name) and script.text in ("T", "top")):
                    continue
                if is_label(script, bound):
                    continue
                for inner in walk(script):
                    if isinstance(inner, Name) and (len(inner.text) == 1 or inner.text == "pos"):
                        yield inner.text
        node = node.base


def letters_of_labels(node: Script, bound: Set[str]) -> Iterator[str]:
    """The letters of abbreviations such as the ``hr`` of W_hr; bound ones make none."""
    sub = node.sub
    if isinstance(sub, Juxt) and scripts.is_name(node) and is_label(sub, bound):
        yield from (f.text for f in sub.factors if isinstance(f, Name))


def is_label(script: Node, bound: Set[str] = frozenset()) -> bool:
    """Whether letters side by side are an abbreviation, such as ``att``, and not indices; nor is
    ``i % 2`` one."""
    letters = (
        {f.text for f in script.factors if isinstance(f, Name)}
        if isinstance(script, Juxt)
        else set()
    )
    return "percent" not in letters and not letters <= names.INDEX_LETTERS | bound


def bare(node: Node) -> str:
    """The letter or word of a name, without its scripts and accents."""
    while type(node) is not Name:
        if type(node) is not Script and type(node) is not Accent:
            return ""
        node = node.base
    return node.text


def labelled_bases(nodes: Nodes, bound: Set[str]) -> set[str]:
    """Names that carry letters which cannot be indices, as ``q_h`` and ``q_w`` beside ``q_t``, or
    ``λ_{q1}`` beside ``λ_{k1}``; the k of ``Σ_k z_k`` is one."""
    found: dict[str, set[str]] = {}
    for node in nodes.of(Script):
        match node.sub:
            case Name(letter) | Juxt((Name(letter), Num())) if scripts.is_name(node):
                found.setdefault(bare(node), set()).add(letter)
    labels = names.LABELS - bound
    return {base for base, letters in found.items() if letters & labels and len(letters) > 1}


@once
def named_after(nodes: Nodes) -> Set[str]:
    """The r of ``μ_r`` beside ``r_i``: the moment of the r_i is named after them."""
    below = [(bare(node), node.sub) for node in nodes.of(Script) if node.sub is not None]
    named = {sub.text for b, sub in below if b in ("mu", "sigma") and isinstance(sub, Name)}
    return named.intersection(base for base, _ in below)


def worded_sets(nodes: Nodes) -> Iterator[Node]:
    """The ``\\text{top}_k`` of ``Σ_{i ∈ \\text{top}_k}``, whose k says how many there are."""
    for node in nodes.of(Relation):
        match node:
            case Relation((_, Script(Name(word)) as named), ("∈" | "∉",)) if len(word) > 1:
                yield named


def chain(node: Node) -> tuple[Node, ...]:
    """The operands of ``a + b + … + z``, or of the same with another sign, in order."""
    operands: list[Node] = []
    rest = node
    while isinstance(rest, Infix) and isinstance(node, Infix) and rest.op == node.op:
        operands.insert(0, rest.right)
        rest = rest.left
    return (rest, *operands)


def multiplied(term: Node) -> Sequence[Node]:
    """What is multiplied in a node, with signs or without."""
    return chain(term) if isinstance(term, Infix) else juxtaposed(term)


def holds(node: Node, name: str) -> bool:
    """Whether a name stands in a node, whatever its scripts."""
    return any(bare(inner) == name for inner in walk(node))


def begins_with_dots(node: Node) -> bool:
    """Whether an item of a list is dots, or begins with them."""
    if isinstance(node, Juxt):
        return isinstance(node.factors[0], Dots)
    return isinstance(node, Dots)


def letters_in_scripts(node: Node) -> set[str]:
    """The letters in the scripts of all names in a node."""
    return {
        letter
        for inner in walk(node)
        if isinstance(inner, Script) and scripts.is_name(inner)
        for letter in script_letters(inner)
    }


def free_letters(script: Node, base: str) -> Iterator[str]:
    """The letters of a subscript that can be indices of a name with this base."""
    weight = base in ("W", "w", "b", "U", "P", "B", "d", "D", "dim", "n", "N", "T", "e")
    for part in scripts.parts(script, names.INDEX_LETTERS):
        inner = part
        if weight or is_label(inner):
            continue
        found = list(walk(inner)) if isinstance(inner, Infix | Frac) else [inner]
        letters = [n.text for n in found if isinstance(n, Name)]
        # The pos of E_pos is an index only where a left-hand side says so.
        if all(letter in names.INDEX_LETTERS - {"pos"} for letter in letters):
            yield from letters


def counting_letters(node: Node) -> Iterator[str]:
    """The letters that sums and their like bind inside a node, and those on the right in ``i < j``
    below a sum, of which it binds the left one only."""
    for inner in walk(node):
        if isinstance(inner, Big) and inner.sub is not None:
            yield from bound_letters(inner.sub)
            yield from compared_letter(inner.sub)
