"""Letters that are numbers: the sizes and counts of ``O = (W − K + 2P)/S + 1``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from notes2code.latex.tree import (
    Accent,
    Apply,
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Num,
    Root,
    Script,
    alike,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define

_COUNTS = frozenset("BCDLNT")
"""Capitals that count something where nothing but they are multiplied, as in ``6ND``."""

_EXTENTS = _COUNTS | frozenset("HPSW")
"""Capitals of which ``×`` makes a total, as in ``N = H × W``."""

_LENGTHS = _COUNTS | frozenset("FHK")
"""Capitals that count where ``×`` multiplies them by themselves."""

SCALES = frozenset("as")
"""Small letters that scale a difference in parentheses, and are no functions of it."""

_SHARED = frozenset("BLNT")
"""Capitals that count what is shared out, as in ``N / n_i``."""

_LENGTHS_ALONE = frozenset("BHLNST")
"""Capitals of which two make a volume of a product with signs, ``B · T · V``."""

_TOTALS = frozenset("NLn")

_DATA = frozenset("XYZ")

_ANGLES = frozenset(["Theta", "Phi", "Psi", "Omega"])
"""Letters that a cosine is taken of, as of the small ones: they are no matrices by themselves."""


def quantities(nodes: Nodes, defines: Sequence[Define]) -> set[str]:
    """The names of all letters that are numbers, as what is computed with them shows, and what for:
    ``N = H × W`` is a total."""
    found: set[str] = set()
    counts = [one for one in defines if one.target and binders.bare(one.target) in _TOTALS]
    totals = {id(ungrouped(value)) for one in counts for value in one.values}
    sums = [node for node in nodes.of(Infix) if node.op in "+-"]
    within = {id(node.left) for node in sums}
    if any(name.text == "round" for name in nodes.of(Name)):
        points = (term for node in sums for term in terms(node))
        found.update(name for name in map(binders.bare, points) if name == "Z")  # the zero point
    for node in sums:
        if id(node) not in within:
            added = terms(node)
            found.update(_of_sum(added))
            found.update(_of_sizes(added))
            found.update(_of_steps(node))
            found.update(_of_settings(added))
            found.update(_of_weighing(added))
    for script in nodes.of(Script):
        if _is_raised_number(script.base, script.sup):
            found.update(_named(script.base))
    found.update(_of_guidance(nodes))
    found.update(_lengths(nodes))
    found.update(_of_heads(nodes, defines))
    found.update(_before_sums(nodes))
    found.update(_of_costs(defines))
    for product in nodes.of(Juxt):
        grouped = Group in map(type, product.factors)
        if grouped:
            found.update(_of_pairs(product.factors))
        found.update(_scales(product.factors))
        if _counts(product) or (grouped and _has_amount(product) and _is_count(product)):
            found.update(_named(product))
            if len(product.factors) > 3:  # the b of b N L (d_k + d_v) counts bytes
                found.update(filter(None, map(_plain, product.factors)))
        else:
            found.update(_of_counts(product.factors, "", id(product) in totals))
    for applied in nodes.of(Apply):
        if binders.bare(applied.function) in ("log", "ln"):
            found.update(_named(applied.argument) if _counts_alone(applied.argument) else ())
            found.update(_SHARED.intersection([binders.bare(applied.argument)]))  # log L_t
        if binders.bare(applied.function) in ("cos", "sin"):
            angles = _factors(ungrouped(applied.argument))
            found.update(_ANGLES.intersection(map(binders.bare, angles)))
            found.update(_of_addition(ungrouped(applied.argument)))
    for rounded in nodes.of(Group):
        arithmetic = rounded.open == "⌊" and all(map(_is_arithmetic, rounded.items))
        if rounded.open == "⌈" or arithmetic:
            found.update(_named(rounded))  # matrices are rounded, but never all of them up
    products = [node for node in nodes.of(Infix) if node.op in "×·"]
    inner = {id(node.left) for node in products}
    chains = [node for node in products if id(node) not in inner]
    for node in (*chains, *chains):  # the k of d × r + r × k counts, as the r does
        found.update(_scales(binders.chain(node)))
        found.update(_of_pairs(binders.chain(node)))
        single = (_of_letters(f) or _factors(f) for f in binders.chain(node))
        factors = [one for factors in single for one in factors]
        found.update(_of_counts(factors, node.op, id(node) in totals, found))
        found.update(_of_patches(binders.chain(node)))
    for root in nodes.of(Root):
        found.update(_named(root.body) if _counts_alone(root.body) else ())
    for quotient in nodes.of(Frac, Infix):
        if (parts := _quotient(quotient)) is not None and _is_number(quotient):
            found.update(name for part in parts for name in _named(part))
        elif parts is not None and (name := binders.bare(parts[1])) and _divides_numbers(*parts):
            found.add(name)
        elif parts is not None:
            found.update(_scaled(*parts))
            found.update(_shared_out(*parts))
            found.update(_counted(parts[1]))
            found.update(_shifting(*parts))
        if parts is not None and isinstance(parts[0], Juxt) and _counts(parts[0]):
            found.update(filter(None, map(_plain, binders.chain(parts[1]))))
    return found


def worded(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The names of numbers that words tell of."""
    sums = [node for node in nodes.of(Infix) if node.op in "+-"]
    within = {id(node.left) for node in sums}
    for node in sums:
        yield from _compared(terms(node)) if id(node) not in within else ()
    for product in nodes.of(Juxt):
        yield from _chosen(product)
    for define in defines:
        if define.target is not None and scripts.is_name(define.target):
            word = names.label(define.target).lower().partition("_")[0]
            yield from _of_cost(define) if names.is_number(word) and word in _AMOUNTS else ()


def _lengths(nodes: Nodes) -> Iterator[str]:
    """The C of ``C g / ‖g‖``, ``\\frac{C}{‖g‖} g`` and ``C \\frac{g}{‖g‖}``: how long g is made. An
    A or a W may be a matrix that maps it."""
    scales = []
    for quotient in nodes.of(Frac, Infix):
        top, direction = _over_norm(quotient)
        scales += [
            binders.chain(top)[0] if isinstance(top, Infix) else _factors(top)[0]
        ] * direction
    pairs = [pair for product in nodes.of(Juxt) for pair in pairwise(product.factors)]
    pairs += [(node.left, node.right) for node in nodes.of(Infix) if node.op in "·×*"]
    scales += [scale for scale, other in pairs if _over_norm(other)[1]]
    names_of = (_plain(scale) for scale in scales)
    yield from (name for name in names_of if name[:1] in _LENGTHS)


_LENGTHS = frozenset("CDEGLNST")
"""Capitals of numbers as much as of matrices."""


def _over_norm(node: Node) -> tuple[Node, bool]:
    """What is divided by the norm of a small letter, and whether something is."""
    parts = _quotient(node)
    norm = parts[1].base if parts and isinstance(parts[1], Script) else parts and parts[1]
    match norm:
        case Group("‖", (vector,)) if parts and binders.bare(vector).islower():
            return parts[0], True
    return node, False


def _of_addition(angle: Node) -> Iterator[str]:
    """The A and the B of ``\\sin(A + B)``."""
    match angle:
        case Infix("+" | "-", Name() as left, Name() as right):
            yield from (*_named(left), *_named(right))


def divisors(nodes: Nodes) -> set[str]:
    """The capitals alone that something is divided by, as in ``z / T``: nobody divides by more."""
    found = (parts[1] for node in nodes.of(Frac, Infix) if (parts := _quotient(node)) is not None)
    return {name for below in found if isinstance(below, Name) for name in _named(below)}


def _is_raised_number(base: Node, sup: Node | None) -> bool:
    """Whether a product with a number is raised to a number, as in ``(2N)^{1/4}``."""
    match base:
        case Group("(", (Juxt((Num(), *_)) as product,)) if _is_arithmetic(product):
            return sup is not None and all(
                isinstance(n, Num | Neg | Frac | Infix) for n in walk(sup)
            )
    return False


def _divides_numbers(above: Node, below: Node) -> bool:
    """Whether a capital below is a number: a temperature T, and the K of ``\\alpha / K``."""
    if not isinstance(below, Name) or not list(_named(below)):
        return False
    return below.text == "T" or (_is_arithmetic(above) and not list(_named(above)))


def _shared_out(above: Node, below: Node) -> Iterator[str]:
    """The N of ``N / n_i``, which many share, with 1 added or not; the K of ``(K - 1) / 2``, and
    the M of ``M / N``."""
    added = terms(ungrouped(above))
    letters = {name for term in added for name in _named(term)}
    if not all(isinstance(term, Num | Name) for term in added):
        return
    if isinstance(below, Num):
        less = isinstance(ungrouped(above), Infix) and any(isinstance(t, Num) for t in added)
        yield from letters if less and letters <= {"F", "K", "N"} else ()
    elif letters <= _SHARED or (letters == {"M"} and binders.bare(below) in _SHARED):
        yield from letters


def _of_patches(factors: Sequence[Node]) -> Iterator[str]:
    """The H and W of ``\\frac{H}{p} × \\frac{W}{p}``, which counts the patches of an image."""
    shares = [parts for f in factors if (parts := _quotient(ungrouped(f))) is not None]
    if len(shares) == len(factors) and all(len([*_named(above)]) == 1 for above, _ in shares):
        yield from (name for parts in shares for part in parts for name in _named(part))


def _counted(below: Node) -> Iterator[str]:
    """The N of ``m_j / N_j``."""
    match below:
        case Script(Name(letter, _, ""), Name(), None, 0) if letter in _SHARED:
            yield letter


def _shifting(above: Node, below: Node) -> Iterator[str]:
    """The s of ``(t/T + s) / (1 + s)``, which is added to a number below and stands above too."""
    added, known = terms(ungrouped(above)), terms(ungrouped(below))
    if len(known) > 1 and any(isinstance(term, Num) for term in known):
        mine = {term.text for term in known if isinstance(term, Name) and not term.font}
        yield from mine.intersection(t.text for t in added[1:] if isinstance(t, Name))


def _scaled(above: Node, below: Node) -> Iterator[str]:
    """The L of ``m L / L'`` and ``L' / L``, and the N of ``N_j / N``: what is divided by another of
    its kind is a number; and that of ``L / \\lambda_i``, a length."""
    match below:
        case Script(Name() as base, primes=1) if base.text in map(binders.bare, walk(above)):
            yield from _named(base)
        case Script(Name(text), Name(), None, 0) if text in names.GREEK and _counts_alone(above):
            yield from _named(above)
    match above:
        case Script(Name() as base, None, None, 1) if binders.bare(below) == base.text:
            yield from (name + end for name in _named(base) for end in ("", "_prime"))
        case Script(Name() as base, Name(), None, 0) if alike(below, base):
            yield from _named(base)


def _counts_alone(node: Node) -> bool:
    return isinstance(node, Name) and node.text in _COUNTS


def _of_sum(terms: Sequence[Node]) -> Iterator[str]:
    """The capitals of a sum of which one term is a number for sure, ``1 − S/T``: no other is added
    to that, but for a scale or a bias of arrays."""
    sure = any(isinstance(term, Num) for term in terms) and any(map(_divides, terms))
    if all(map(_is_arithmetic, terms)) and (sure or any(map(_is_number, terms))):
        yield from (name for term in terms for name in _named(term))


def _of_steps(node: Infix) -> Iterator[str]:
    """The N of ``1 + N`` and the K of ``K - 1``, which count, and the T of ``T - t``, up to which
    the t counts; that of ``1 - C`` may be an array."""
    match node:
        case Infix("-", Name(letter), Name(counter)) if letter.lower() == counter != letter:
            yield from _named(node) if counter in names.INDEX_LETTERS else ()
        case Infix("+", Name(letter), Num()) | Infix("+", Num(), Name(letter)):
            yield from _named(node) if letter in "LNT" else ()
        case Infix("-", Name(letter), Num()):
            yield from _named(node) if letter in "FKLNT" else ()


def _of_settings(terms: Sequence[Node]) -> Iterator[str]:
    """The k_1 of ``k_1 + 1``, and the b of ``1 - b + b L``, which weighs what it is taken from."""
    if not any(isinstance(term, Num) for term in terms):
        return
    plain = [name for term in terms if (name := binders.bare(term)) and name.islower()]
    weighed = {binders.bare(first) for term in terms for first in _multiplied(term)[:-1]}
    yield from (name for name in plain if name in weighed and len(name) == 1)
    for term in terms:
        match term:
            case Script(Name("k", _, ""), Num(), None, 0):
                yield scripts.read(term, frozenset()).name


def _of_weighing(terms: Sequence[Node]) -> Iterator[str]:
    """The w_a and w_b of ``w_a · S_{first} + w_b · S_{second}``, which weigh things of one kind."""
    found: list[tuple[Node, str, str]] = []
    for term in terms:
        match _multiplied(term):
            case Script(Name("w"), _, None, 0) as weight, Script(Name(kind), Name(which), None, 0):
                found.append((weight, kind, which))
    words = all(kind.isupper() and len(which) > 1 for _, kind, which in found)
    if words and len(found) == len(terms) > 1 == len({kind for _, kind, _ in found}):
        yield from (names.code_name(names.label(weight)) for weight, _, _ in found)


def _compared(terms: Sequence[Node]) -> Sequence[str]:
    """The words of ``target − output`` and of ``memory + N × size``, which are numbers where one of
    them is told to be, and nothing but words, counts and rates is added."""
    words: list[str] = []
    for factor in (factor for term in terms for factor in _multiplied(term)):
        base = binders.bare(factor)
        if len(base) > 2 and base not in names.GREEK:
            words.append(_plain(factor))
        elif not (isinstance(factor, Num) or base in names.GREEK or _counts_alone(factor)):
            return ()
    return words if all(words) and any(map(names.tells_number, words)) else ()


def _of_sizes(terms: Sequence[Node]) -> Iterator[str]:
    """The capitals of ``C r_q + H d_v C + d_c``: what is added to a size counts."""
    if not all(map(_is_count, terms)):
        return
    bare = (scripts.read(t, frozenset()).name for t in terms if scripts.is_name(t))
    if any(map(names.is_size_name, bare)) or any(_has_amount(t) or _has_width(t) for t in terms):
        yield from (name for term in terms for name in _named(term))


def is_amount(node: Node) -> bool:
    """Whether parentheses hold a sum of numbers and sizes, such as ``(4d^2 + 2d)``."""
    match node:
        case Group("(", (Infix("+" | "-") as body,)):
            names_in = [_plain(leaf) for term in terms(body) for leaf in _factors(term)]
            sizes = [name for name in names_in if name]
            return bool(sizes) and all(map(names.is_size_name, sizes)) and _is_count(body)
    return False


def _factors(term: Node) -> tuple[Node, ...]:
    return term.factors if isinstance(term, Juxt) else (term,)


def _of_guidance(nodes: Nodes) -> Iterator[str]:
    """The w of ``(1 + w) a - w b`` and of ``b + w (a - b)``, which weighs how far a lies from b."""
    beside = {binders.bare(node.right) for node in nodes.of(Infix) if _is_one_more(node)}
    yield from beside & {binders.bare(product.factors[0]) for product in nodes.of(Juxt)} - {""}
    for node in nodes.of(Infix):
        match node:
            case Infix("+", start, Juxt() | Infix("·" | "×" | "*") as further):
                match _multiplied(further):
                    case (Name(letter, _, ""), Group("(", (Infix("-", _, end),))):
                        if letter.islower() and _letters(start) == _letters(end):
                            yield letter


def _of_costs(defines: Sequence[Define]) -> Iterator[str]:
    """The capitals of ``T_{total} = T_a + N T_b`` and of ``\\text{memory} = H L``: what amounts to
    so much, as its name may say; and those of one measure made of others, ``PQ = SQ \\cdot RQ``."""
    for define in defines:
        target = define.target
        if target is None or not scripts.is_name(target):
            continue
        base, *labels = names.label(target).lower().split("_")
        if _is_abbreviation(target) and all(map(_is_of_abbreviations, define.values)):
            yield from _made_of(define)
        elif not _AMOUNTS.isdisjoint(labels if base in _PAID else [base]):
            yield from _of_cost(define)


def _of_cost(define: Define) -> Iterator[str]:
    """The M and the N of ``\\text{FLOPs} = 2 N M``: what amounts to so much is made of numbers,
    where it is made of plain names."""
    yield from _made_of(define) if all(map(_is_cost, define.values)) else ()


def _made_of(define: Define) -> Iterator[str]:
    """The names that a side is made of."""
    yield from filter(None, (_plain(node) for value in define.values for node in walk(value)))


_AMOUNTS = frozenset(
    "total cost costs flop flops macs params parameters param memory mem vram cache bytes bs "
    "tokens throughput latency time capacity mfu compute gpu gpus active sparse".split()
)
"""Words of names of what is counted, paid or waited for."""

_PAID = frozenset("bcflmnpt")
"""Letters of that, beside such a word."""


def _is_abbreviation(node: Node) -> bool:
    return isinstance(node, Name) and len(node.text) == 2 and node.text.isupper()


def _is_of_abbreviations(node: Node) -> bool:
    """Whether a side is a product of measures by their short names, ``SQ \\cdot RQ``."""
    factors = _multiplied(node)
    return len(factors) > 1 and all(map(_is_abbreviation, factors))


def _is_cost(node: Node) -> bool:
    """Whether a side is arithmetic of plain names, with quotients and roots."""
    match node:
        case Frac(top, bottom) | Infix("/", top, bottom):
            return _is_cost(top) and _is_cost(bottom)
        case Root(body):
            return _is_cost(body)
        case Group(_, (body,)):
            return _is_cost(body)
        case Infix("+" | "-" | "·" | "×" | "*", left, right):
            return _is_cost(left) and _is_cost(right)
        case Juxt(factors):
            return all(map(_is_cost, factors))
        case Script(base, None, Num(), 0):
            return _is_cost(base)
    return _is_count(node)


def _before_sums(nodes: Nodes) -> Iterator[str]:
    """The N of ``N \\sum_i f_i P_i``, which undoes a mean, and counts."""
    for product in nodes.of(Juxt, Infix):
        for scale, total in pairwise(_multiplied(product)):
            if isinstance(total, Big) and total.op == "sum" and isinstance(scale, Name):
                yield from {"N"} & {_plain(scale)}


def _of_heads(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The h and h_{kv} of ``G = h / h_{kv}`` and of ``h_{kv} = h``: as many heads there are, and as
    many keys and values for them."""
    quotients = (_quotient(node) for node in nodes.of(Frac, Infix))
    sides = [parts for parts in quotients if parts is not None]
    sides += [(one.target, value) for one in defines if one.target for value in one.values]
    for side in (*((node,) for node in nodes.of(Script)), *sides):
        if any(map(_counts_heads, side)) and all(map(scripts.is_name, side)):
            yield from (scripts.read(node, frozenset()).name for node in side)


def _counts_heads(node: Node) -> bool:
    match node:
        case Script(Name("h" | "H" | "n"), sub, None, 0) if sub is not None:
            return names.label(sub).lower() == "kv"
    return False


def _letters(node: Node) -> list[str]:
    return [inner.text for inner in walk(node) if isinstance(inner, Name)]


def _is_one_more(node: Infix) -> bool:
    return node.op == "+" and isinstance(node.left, Num) and node.left.text == "1"


def _multiplied(term: Node) -> Sequence[Node]:
    return binders.chain(term) if isinstance(term, Infix) else _factors(term)


def _has_amount(term: Node) -> bool:
    return isinstance(term, Juxt) and any(map(is_amount, term.factors))


def _has_width(term: Node) -> bool:
    """Whether a term multiplies a width, as in ``N \\cdot d_{model}``: nobody scales an array by
    one."""
    factors = _multiplied(ungrouped(term))
    return len(factors) > 1 and any(_is_width(_plain(factor)) for factor in factors)


def _is_width(name: str) -> bool:
    """Whether a name says of what it is the width, as ``d_k`` does; a d alone may be that of
    ``dx``."""
    return "_" in name and names.is_size_name(name)


def _is_count(node: Node) -> bool:
    match node:
        case Num():
            return True
        case Group("(", (body,)) | Neg(body):
            return _is_count(body)
        case Infix("+" | "-" | "·" | "×", left, right):
            return _is_count(left) and _is_count(right)
        case Juxt(factors):
            return all(map(_is_count, factors))
        case Name(text, _, font):
            return font != "bold" and text not in _DATA
        case Script(Name() as base, sub, None | Num(), 0):
            return _is_count(base) and (base.text in ("d", "r") or _is_plain(sub, None))
    return False


def terms(node: Node) -> tuple[Node, ...]:
    """What is added and subtracted in a node."""
    match node:
        case Infix("+" | "-", left, right):
            return (*terms(left), right)
    return (node,)


def _divides(node: Node) -> bool:
    """Whether a node is a quotient with a capital below, rounded or not."""
    if isinstance(node, Group) and len(node.items) == 1:
        return _divides(node.items[0])
    parts = _quotient(node)
    return parts is not None and bool(list(_named(parts[1])))


def _is_number(node: Node) -> bool:
    """Whether a quotient of capitals is a number for sure: above and below stands one letter, as in
    ``T_c / T_m``, or below one to a power, as in ``A / N^α``."""
    parts = _quotient(node)
    if parts is None or not all(map(_is_arithmetic, parts)):
        return parts is not None and _is_progress(*parts)
    if any(map(scripts.is_transposed, walk(node))):
        return False
    above, below = ({names.base_letter(name) for name in _named(part)} for part in parts)
    powered = isinstance(parts[1], Script) and parts[1].sup is not None and bool(below)
    plain = isinstance(parts[0], Name) and isinstance(parts[1], Name)
    return powered or (plain and above <= {*"NLT"}) or bool(above & below)


def _is_progress(above: Node, below: Node) -> bool:
    """Whether a quotient is ``(t - T_a) / T_b``, where t counts up to what T does."""
    match above:
        case Infix("-", Name(letter), first) | Group(_, (Infix("-", Name(letter), first),)):
            bases = {binders.bare(part) for part in (first, below)}
            return letter.islower() and bases == {letter.upper()}
    return False


def _quotient(node: Node) -> tuple[Node, Node] | None:
    match node:
        case Frac(top, bottom) | Infix("/", top, bottom):
            return top, bottom
    return None


def _of_letters(node: Node) -> tuple[Node, Node] | None:
    """The H and P of ``\\frac{H}{P}``; none of ``\\frac{H}{2}``."""
    parts = _quotient(node)
    return parts if parts is not None and all(map(_plain, parts)) else None


def _counts(node: Juxt) -> bool:
    first, *others = node.factors
    if not isinstance(first, Num):
        return False
    letters = {name for factor in others for name in _named(factor)}
    return len(letters) == len(others) > 1 and letters <= _COUNTS


def _of_pairs(factors: Sequence[Node]) -> Iterator[str]:
    """The N of ``N (N - 1)``, which counts pairs."""
    for left, right in pairwise(factors):
        match right:
            case Group("(", (Infix("+" | "-", inner, Num("1")),)):
                if binders.bare(left) and binders.bare(left) == binders.bare(inner):
                    yield from _named(left)


def _scales(factors: Sequence[Node]) -> Iterator[str]:
    """The s of ``s (q - z)``, ``s · (q - z)``, ``s (Q(x) - z)`` and ``s H^{(l)}``."""
    for scale, group in pairwise(factors):
        match scale, _first(group):
            case Name(letter, _, ""), Script(base, None, Group("(", (Name("l"),))):
                yield from [letter] if letter in SCALES and binders.bare(base).isupper() else []
            case Name(letter, _, ""), Group("(", (Infix("-", first, last),)) if letter in SCALES:
                plain = scripts.is_name(first) or _is_call(first)
                yield from [letter] if plain and scripts.is_name(last) else []


def _first(node: Node) -> Node:
    """What a quotient or a product begins with."""
    match node:
        case Frac(first, _) | Juxt((first, *_)):
            return _first(first)
    return node


def _is_call(node: Node) -> bool:
    match node:
        case Juxt((name, Group("(", (_,)))):
            return scripts.is_name(name) and binders.bare(name) not in names.WEIGHTS
    return False


def _chosen(product: Juxt) -> Iterator[str]:
    """The k of ``\\mathrm{TopK}(x, k)``."""
    for function, group in pairwise(product.factors):
        if not isinstance(group, Group) or len(group.items) < 2 or not scripts.is_name(function):
            continue
        if _TOP.fullmatch(scripts.read(function, frozenset()).name):
            yield _plain(group.items[-1])


_TOP = re.compile("(keep|arg)?_?top_?k?", re.IGNORECASE)


def _of_counts(
    factors: Sequence[Node], sign: str, is_total: bool, known: Set[str] = frozenset()
) -> set[str]:
    """The names in ``2 × B × S × d_model``: beside a number, a size, or what is ``known`` to be
    one, ``×`` multiplies numbers,
    for matrices are multiplied by each other only, as between words, ``position × frequency``, and
    in the total of extents, ``N = H × W``; and so do the others beside both, as in ``2 B L d_h``,
    whatever they are beside two sizes, or where there are more than three, and both beside the
    square of a size; so are the H and W of the total ``N = H W``, and the extents of a volume,
    ``B H L S``; ``F × F × C`` counts."""
    factors = [ungrouped(factor) for factor in factors]
    found = [_plain(factor) for factor in factors]
    number = any(isinstance(f, Num) for f in factors)
    area = is_total and {"H", "W"} <= {*found}
    squared = len(factors) > 2 and any(map(_is_squared_size, factors))
    widths = any(map(_is_width, found)) and _ARRAYS.isdisjoint(found)
    signed = sign in ("·", "×") and sum(name in _LENGTHS_ALONE for name in found) > 1
    volume = len(factors) > (2 if signed else 3) and _EXTENTS.issuperset({*found} - {"V"})
    if not (number or area or squared or widths or volume) and sign != "×":
        return set()
    size = sum(names.is_size_name(name) or _counts_by_name(name) for name in found if name)
    worded = all(name.isidentifier() and len(name.split("_")[0]) > 2 for name in found)
    repeated = len(set(found)) < len(found) and (len(found) > 2 or found[0] in _LENGTHS)
    extents = is_total and _EXTENTS.issuperset(found)
    sure = (
        number or size > 0 or worded or extents or repeated or not known.isdisjoint(found)
        if sign == "×"
        else squared
        or volume
        or (area and extents)
        or (size and (size > 1 or len(factors) > 4 or not _ARRAYS.intersection(found)))
    )
    stands_out = number and size > 0 and sign == "×"  # a count in bold, in a list of counts
    others = (factor for name, factor in zip(found, factors, strict=True) if not name)
    if not sure or not all(isinstance(f, Num) or (stands_out and _is_bold(f)) for f in others):
        return set()
    return {name for name in found if name}


def _is_bold(node: Node) -> bool:
    return isinstance(node, Name) and node.font == "bold"


def _is_squared_size(node: Node) -> bool:
    """Whether a node is the n^2 or d^2 of a cost, ``b h n^2``."""
    match node:
        case Script(Name(text), None, sup, 0) if scripts.is_two(sup):
            return text in ("n", "m") or names.is_size_name(text)
    return False


def _counts_by_name(name: str) -> bool:
    """Whether a name says how many or how long, as ``n_layers``, ``N_gpu`` and ``seq_len`` do."""
    base, _, last = name.partition("_")
    many = base in ("n", "num") or (base == "N" and len(last) > 2)
    return bool(last) and (many or name.rpartition("_")[2] in ("len", "size"))


_ARRAYS = frozenset("AKQVWacehqvwxyz")
"""Letters that a size and a number may scale."""


def _plain(node: Node) -> str:
    """The name of a letter or a word, alone or with a label below it, or its power; "" for anything
    else."""
    match node:
        case Name(text, _, font) if font != "bold" and text not in _DATA:
            return scripts.bare_name(node)
        case Script(base, None, Num(), 0):
            return _plain(base)
        case Script(Name(font=font) as base, sub, None, 0) if font != "bold" and _plain(base):
            counts = base.text in ("d", "n", *_COUNTS) and not isinstance(sub, Infix)
            counts = counts or _is_plain(sub, None)
            return scripts.read(node, frozenset()).name if counts else ""
        case Accent(_, base) | Script(Accent(_, base), None | Juxt(), None, 0):
            counts = _plain(base).isupper()
            return scripts.read(node, frozenset()).name if counts else ""
    return ""


def _is_arithmetic(node: Node) -> bool:
    """Whether a node holds nothing but plain capitals, Greek letters and numbers."""
    match node:
        case Num():
            return True
        case Neg(body) | Group("(" | "[" | "⌊" | "⌈", (body,)):
            return _is_arithmetic(body)
        case Infix("+" | "-" | "/" | "·" | "×", left, right) | Frac(left, right):
            return _is_arithmetic(left) and _is_arithmetic(right)
        case Juxt((Num(), body)):
            return _is_arithmetic(body)
        case Accent("bar", Name("n" | "m")):  # the mean of a count
            return True
    return binders.bare(node) in names.GREEK or bool(list(_named(node)))


def _named(node: Node) -> Iterator[str]:
    """The names of the plain capitals in a node; those of data, ``X``, are none."""
    match node:
        case Neg(body) | Group(_, (body,)):
            yield from _named(body)
        case Infix(_, left, right) | Frac(left, right):
            yield from (*_named(left), *_named(right))
        case Juxt(factors):
            yield from (name for factor in factors for name in _named(factor))
        case Name(text, _, font) if len(text) == 1 and text.isupper() and text not in _DATA:
            if not font:
                yield text
        case Script(Name() as base, sub, sup, 0) if _is_plain(sub, sup):
            if list(_named(base)):
                yield scripts.read(Script(base, sub, None, 0, node.span), frozenset()).name


def _is_plain(sub: Node | None, sup: Node | None) -> bool:
    """Whether scripts are a label below and a power above, and no transpose and no index."""
    match sub:
        case None | Num():
            label = True
        case Name(text):
            label = text not in names.INDEX_LETTERS
        case _:
            label = binders.is_label(sub)
    power = sup is None or isinstance(sup, Num) or binders.bare(sup) in names.GREEK
    return label and power
