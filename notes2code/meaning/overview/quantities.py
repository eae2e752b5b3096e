"""Letters that are numbers: the sizes and counts of ``O = (W − K + 2P)/S + 1``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from notes2code.latex.tree import (
    Accent,
    Apply,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Num,
    Relation,
    Root,
    Script,
    Stroke,
    alike,
    juxtaposed,
    ungrouped,
    unscripted,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, script_reader, scripts
from notes2code.meaning.overview import (
    arithmetic,
    costs,
    counts,
    quantised,
    ratios,
    scales,
    volumes,
)
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define

_ANGLES = frozenset(["Theta", "Phi", "Psi", "Omega"])
"""Letters that a cosine is taken of, as of the small ones: they are no matrices by themselves."""

_TURNS = ("cos", "sin")


def quantities(nodes: Nodes, defines: Sequence[Define]) -> set[str]:
    """The names of all letters that are numbers, as what is computed with them shows, and what for:
    ``N = H × W`` is a total."""
    found = {*ratios.numbers(nodes), *scales.numbers(nodes), *counts.numbers(nodes, defines)}
    found |= {*costs.numbers(nodes, defines), *_of_functions(nodes), *_rounded(nodes)}
    found |= _of_density(nodes)
    for define in defines:
        found.update(*map(set, (_of_ratio(define), scales.of_likes(define), _of_extent(define))))
        found.update(*map(set, (scales.of_shares(define), _of_turns(define))))
    return volumes.numbers(nodes, defines, found).union(quantised.numbers(nodes, defines))


def _of_ratio(define: Define) -> Iterator[str]:
    """The H and the G of ``r = H / G``, where r has no index: how many heads share a key."""
    match define.target, arithmetic.quotient(define.values[0]):
        case Name(letter), (Name() as above, Name() as below) if letter.islower():
            both = [*arithmetic.capitals(above), *arithmetic.capitals(below)]
            yield from both if len(both) == 2 else ()


def _of_extent(define: Define) -> Iterator[str]:
    """The H_in of ``H_{out} = H_{in} \\times \\text{factor}``, and the words: how far an image is,
    which is made of how far another does, and of words and numbers alone."""
    match define.target:
        case Script(Name(letter), Name("out"), None, 0) if letter in names.EXTENTS | {"W"}:
            leaves = [leaf for leaf in _leaves(define.values[0]) if not isinstance(leaf, Num)]
            found = {script_reader.unindexed(leaf) for leaf in leaves if scripts.is_name(leaf)}
            worded = all(len(name.partition("_")[0]) > 2 for name in found - {f"{letter}_in"})
            if f"{letter}_in" in found and 1 < len(found) == len(leaves) and worded:
                yield from found


def worded(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The names of numbers that words tell of."""
    for node in arithmetic.sums(nodes):
        yield from _compared(arithmetic.terms(node))
    for product in nodes.of(Juxt):
        yield from _chosen(product)
    for relation in nodes.of(Relation):
        yield from _of_size(relation)
    yield from costs.worded(defines)
    yield from (name for define in defines for name in _of_activation(define))


def gaps(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The d of ``\\max(0, m - d)`` and of ``[d_p - d_q + m]_+``, which is held against a margin: a
    distance, and no count of features. Where one counts places or examples too, as in ``\\max(0,
    i - d)``, nothing is said. So is the D that a law of scaling raises to a measured power."""
    shares = (node for node in nodes.of(Script) if isinstance(node.base, Group))
    for power in (*shares, *(below for _, below in arithmetic.quotients(nodes))):
        yield from filter(names.is_size_name, _of_power_law(power))
    for node in nodes.of(Juxt, Script):
        difference = _hinged(node)
        if difference is None or words_in(difference) & seen.bound:
            continue
        uses = map(seen.understood, arithmetic.terms(difference))
        whole = {use.name for use in uses if use is not None and not use.indices}
        yield from filter(names.is_size_name, whole if whole.isdisjoint(["n", "N"]) else ())


def _of_power_law(node: Node) -> Iterator[str]:
    """Both of ``(D_c / D)^α``, and the D of the divisor ``D^β``: how much data there is, which a
    loss falls off with by a power that is measured."""
    match node:
        case Script(Group(_, (Frac(one, other),)), None, sup) if _is_greek(sup):
            yield from (*arithmetic.capitals(one), *arithmetic.capitals(other))
        case Script(Name() as base, None, sup) if _is_greek(sup):
            yield from arithmetic.capitals(base)


def _is_greek(sup: Node | None) -> bool:
    return sup is not None and binders.bare(ungrouped(sup)) in names.GREEK


def _hinged(node: Node) -> Infix | None:
    """The difference of which a hinge keeps what is above 0."""
    match node:
        case Script(Group(_, (Infix("+" | "-") as difference,)), Stroke("+")):
            return difference
        case Juxt((*_, Name("max"), Group() | Script(Group()) as given)):
            group = unscripted(given)
            match group:
                case Group(_, (Num("0"), Infix("+" | "-") as difference)) | Group(
                    _, (Infix("+" | "-") as difference, Num("0"))
                ):
                    return difference
    return None


def bounded(nodes: Nodes) -> Iterator[str]:
    """The x̄_a of ``x̄_a + c \\sqrt{\\ln t / n_a}`` and of ``x̄ + c s / \\sqrt{n}``: a mean of
    so many numbers, beside how far off it may be, which is made of its own count."""
    for node in arithmetic.sums(nodes):
        mean, *others = arithmetic.terms(node)
        match mean:
            case Script(Accent("bar", Name()), sub, None, 0) | Accent(
                "bar", Script(Name(), sub, None)
            ):
                pass
            case Accent("bar", Name()):
                sub = None
            case _:
                continue
        roots = (root for other in others for root in walk(other) if isinstance(root, Root))
        if any(_divides_by_count(root, sub) for root in roots):
            yield script_reader.unindexed(mean)


def _divides_by_count(root: Root, sub: Node | None) -> bool:
    """Whether a root is that of a count, n or the n_a of the same label, or of a quotient by it."""
    counts = [root.body, *(node.bottom for node in walk(root.body) if isinstance(node, Frac))]
    return any(
        binders.bare(count) in ("n", "N")
        and alike(count.sub if isinstance(count, Script) else None, sub)
        for count in counts
    )


def _of_activation(define: Define) -> Iterator[str]:
    """The z of ``\\text{JumpReLU}(z) = z · H(z - θ)``: an activation is one of each number."""
    match define.target:
        case Juxt((name, Group("(", (Name(given),)))):
            if binders.bare(name).endswith(("eLU", "ELU", "iLU")):
                yield given


def _of_size(relation: Relation) -> Iterator[str]:
    """The e of ``|e| \\le \\delta``: the size of a number is compared, and no length."""
    for side in relation.operands:
        match side:
            case Group("|", (Name(letter) as name,)) if letter.islower():
                yield arithmetic.plain(name)


def _of_functions(nodes: Nodes) -> Iterator[str]:
    """The N of ``\\log N``, ``\\sqrt{N}`` and ``(2N)^{1/4}``, the k of ``\\log k``, and angles that
    are added."""
    for applied in nodes.of(Apply):
        if binders.bare(applied.function) in ("log", "ln"):
            yield from _of_count(applied.argument)
            yield from names.COUNTS.intersection([binders.bare(applied.argument)])  # log L_t
            yield from {"k"}.intersection([names.label(applied.argument)])
        if binders.bare(applied.function) in _TURNS:
            angles = juxtaposed(ungrouped(applied.argument))
            yield from _ANGLES.intersection(map(binders.bare, angles))
            yield from _of_addition(ungrouped(applied.argument))
    for root in nodes.of(Root):
        yield from _of_count(root.body)
    for script in nodes.of(Script):
        if _is_raised_number(script.base, script.sup):
            yield from arithmetic.capitals(script.base)


def _of_turns(define: Define) -> Iterator[str]:
    """The k of ``x_i \\cos(k θ_i)`` and ``\\cos(θ_i k)``, which stands beside angles alone: the
    place that each of these is multiplied by."""
    nodes = [node for value in define.values for node in walk(value)]
    turns = [n for n in nodes if isinstance(n, Apply) and binders.bare(n.function) in _TURNS]
    if not turns:
        return
    within = [inner for turn in turns for inner in walk(turn.argument)]
    inside, everywhere = (
        [node.text for node in some if isinstance(node, Name)] for some in (within, nodes)
    )
    for turn in turns:
        match binders.multiplied(ungrouped(turn.argument)):
            case (Name(k, _, ""), Script(Name(angle), Name(), None, 0)) | (
                Script(Name(angle), Name(), None, 0),
                Name(k, _, ""),
            ) if angle in names.GREEK:
                yield from [k] if inside.count(k) == everywhere.count(k) and k.islower() else []


def _of_density(nodes: Nodes) -> set[str]:
    """The Z of ``a Φ(Z) + b φ(Z)``: the distribution's function and its density are of a number."""
    given: dict[str, set[str]] = {"Phi": set(), "phi": set()}
    for name, group in (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors)):
        match binders.bare(name).removeprefix("var"), group:
            case ("Phi" | "phi") as function, Group("(", (Name(letter, font=""),)):
                given[function].add(letter)
    return given["Phi"] & given["phi"]


def _of_count(node: Node) -> Iterator[str]:
    """The name of a capital that counts."""
    yield from arithmetic.capitals(node) if arithmetic.is_alone(node) else ()


def _rounded(nodes: Nodes) -> Iterator[str]:
    """What is rounded: matrices are, but never all of them up. The zero point Z is added to it."""
    yield from (name for name in quantised.points(nodes) if name == "Z")
    for group in nodes.of(Group):
        down = group.open == "⌊" and all(map(arithmetic.is_arithmetic, group.items))
        if group.open == "⌈" or down:
            yield from arithmetic.capitals(group)
        if group.open == "⌈":
            added = [node for node in walk(group) if isinstance(node, Infix) and node.op in "+-"]
            terms = (term for node in added for term in (node.left, node.right))
            yield from filter(None, map(_labelled_capital, terms))
        if group.open in "⌈⌊":
            yield from filter(None, map(_shared_out, group.items))
            yield from (name for item in group.items for name in _counted(item))


def _labelled_capital(node: Node) -> str:
    """The N_m of ``⌈(n_m - N_m) / c⌉``."""
    match node:
        case Script(Name(letter, font=""), _, None, 0) if letter.isupper():
            return script_reader.unindexed(node)
    return ""


def scaled_to_round(nodes: Nodes) -> Iterator[str]:
    """The words of ``round(X · scale + zero_point)``, which are one number each for all of X."""
    words = {name for name in quantised.points(nodes) if name != "Z"}
    for added in map(arithmetic.terms, arithmetic.sums(nodes)):
        if not words.isdisjoint(map(binders.bare, added)):
            factors = (factor for term in added for factor in binders.multiplied(term))
            yield from (name for name in map(binders.bare, factors) if names.is_number(name))
            yield from words


def _counted(item: Node) -> Sequence[str]:
    """The k and the c beside the T and E of ``⌈k T / E · c⌉``, the h of ``⌊h G / H⌋``, and all of
    ``⌊(H + 2 p - k) / s⌋``: what is computed with counts, and rounded, is made of numbers."""
    found = [arithmetic.plain(node) for node in _leaves(item) if not isinstance(node, Num)]
    counts = [name for name in found if name[:1].isupper()]
    known = len(found) > 2 and counts and all(name[0] in _SHARED for name in counts)
    added = any(isinstance(node, Infix) and node.op in "+-" for node in walk(item))
    twice = any(isinstance(node, Juxt) and isinstance(node.factors[0], Num) for node in walk(item))
    # The W - z of weights is shared out by no count.
    return found if known and all(found) and (twice or not added) else ()


def _leaves(node: Node) -> Iterator[Node]:
    """What is added, multiplied and divided in a node."""
    match node:
        case Frac(one, other) | Infix("+" | "-" | "·" | "×" | "*", one, other):
            yield from (*_leaves(one), *_leaves(other))
        case Juxt(factors):
            yield from (inner for factor in factors for inner in _leaves(factor))
        case Group("(", (inner,)):
            yield from _leaves(inner)
        case _:
            yield node


_SHARED = names.COUNTS | frozenset("EGHTW")
"""Capitals of what is shared out: tokens, heads, experts and their groups, and the extents of
images."""


def _shared_out(item: Node) -> str:
    """The T_k of ``⌈T_k / c⌉``: so many are put into blocks of c."""
    match arithmetic.quotient(item):
        case Script(Name(total, font=""), _, None, 0) as whole, Name(block, font="") if (
            total in names.TOTALS and block.islower()
        ):
            return script_reader.unindexed(whole)
    return ""


def _of_addition(angle: Node) -> Iterator[str]:
    """The A and the B of ``\\sin(A + B)``."""
    match angle:
        case Infix("+" | "-", Name() as left, Name() as right):
            yield from (*arithmetic.capitals(left), *arithmetic.capitals(right))


def _is_raised_number(base: Node, sup: Node | None) -> bool:
    """Whether a product with a number is raised to a number, as in ``(2N)^{1/4}``."""
    match base:
        case Group("(", (Juxt((Num(), *_)) as product,)) if arithmetic.is_arithmetic(product):
            return sup is not None and all(
                isinstance(n, Num | Neg | Frac | Infix) for n in walk(sup)
            )
    return False


def _compared(terms: Sequence[Node]) -> Sequence[str]:
    """The words of ``target − output`` and of ``memory + N × size``, which are numbers where one of
    them is told to be, and nothing but words, counts and rates is added."""
    words: list[str] = []
    parts = (part for term in terms for part in arithmetic.terms(ungrouped(term)))
    for factor in (factor for part in parts for factor in binders.multiplied(part)):
        base = binders.bare(factor)
        if len(base) > 2 and base not in names.GREEK:
            words.append(arithmetic.plain(factor))
        elif not (isinstance(factor, Num) or base in names.GREEK or arithmetic.is_alone(factor)):
            return ()
    many = any(word.endswith("s") and names.weighs(word) for word in words)  # logits, scores
    return words if all(words) and any(map(_is_amount, words)) and not many else ()


def _is_amount(name: str) -> bool:
    """Whether a word tells of one number, and is none that arrays are scaled and shifted with."""
    last = name.rpartition("_")[2]
    return names.tells_number(name) or (names.is_number(last) and last.lower() not in names.GAINS)


def _chosen(product: Juxt) -> Iterator[str]:
    """The k of ``\\mathrm{TopK}(x, k)``."""
    for function, group in pairwise(product.factors):
        if not isinstance(group, Group) or len(group.items) < 2 or not scripts.is_name(function):
            continue
        if _TOP.fullmatch(script_reader.unindexed(function)):
            yield arithmetic.plain(group.items[-1])


_TOP = re.compile("(keep|arg)?_?top_?k?", re.IGNORECASE)
