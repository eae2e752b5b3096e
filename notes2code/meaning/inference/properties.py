"""Formulas that state a property instead of defining something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

from notes2code.diagnostics import Problem, error, note
from notes2code.latex.tree import (
    Apply,
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
    Script,
    Stroke,
    Tree,
    children,
    unscripted,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.inference import targets
from notes2code.meaning.notation import binders, functions, groups, positions, roots, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.overview.surveying import survey
from notes2code.meaning.reading.growth import is_growth
from notes2code.meaning.scope import Shape
from notes2code.meaning.stated import OPERATOR, Define, Fact, Statement


def remark(
    defines: Sequence[Define], seen: Survey, declared: Mapping[str, Shape]
) -> Problem | None:
    """Why the only statement of a formula, or all of them, compute nothing; else None. ``declared``
    are the shapes that are said."""
    define = defines[0]
    if all(is_growth(one.values[-1]) for one in defines):
        return note("N2C038", "an order of growth is not computed", define.span)
    if all(map(_is_moment, defines)):
        return note("N2C038", "this says what a mean or a variance is", define.span)
    if all(map(_is_given_nothing, defines)):
        text = "this says which function is taken, and not of what; it defines nothing"
        return note("N2C038", text, define.span)
    if all(filled := [_filled(one, seen, declared) for one in defines]):
        text = f"this says that each element of `{', '.join(filled)}` has one value; "
        return note("N2C038", f"{text}it defines nothing", define.span.to(defines[-1].span))
    if len(defines) != 1:
        return None
    if (function := _at_one_place(define.target)) is not None:
        text = f"this says what `{names.label(function)}` is at one place; it defines nothing"
        return note("N2C038", text, define.span)
    first = define.values[0]
    if _is_tuple(define, seen, declared.keys()):
        text = "this says what belongs together; it defines nothing"
        way = "write `[A, B]` for matrices that are joined"
        return note("N2C038", text, define.span, way)
    if define.target is None and len(define.values) > 1 and _joins_pairs(first):
        text = "this says what a sign between pairs means; it defines nothing"
        return note("N2C038", text, define.span)
    if define.target is None and len(define.values) > 1 and roots.angle_of(first) is not None:
        return note("N2C038", "this says what a turn is; it defines nothing", define.span)
    if define.target is None and len(define.values) > 1 and all(map(_is_bracket, define.values)):
        text = "this says that two inner products are one; it defines nothing"
        return note("N2C038", text, define.span)
    if _keeps_norm(define, seen):
        text = "this says what a norm must be; it defines nothing"
        return note("N2C038", text, define.span)
    if _is_constraint(define, seen):
        text = "this says what a sum or a product must be; it defines nothing"
        return note("N2C038", text, define.span)
    sides = (define.target, *define.values) if define.target is not None else define.values
    mine = _called(sides[0], seen)
    others = (name for side in sides[1:] for name in _called(side, seen)) if mine else ()
    shared = mine.intersection(others) or _of_differences(define, seen)
    if shared:
        return note(
            "N2C038",
            f"this states a property of `{min(shared)}` and does not define it",
            define.span,
        )
    return None


def _keeps_norm(define: Define, seen: Survey) -> bool:
    """Whether the norm on the left is of more than all that stands on the right, ``\\|R x\\| =
    \\|x\\|``: nothing is made of the R."""
    first = define.values[0]
    norm = unscripted(first)
    if define.target is not None or not isinstance(norm, Group) or norm.open not in "‖|":
        return False
    others = define.values[1:]
    if not all(_is_norm_like(side, norm) for side in others):
        return False
    letters = set[str]().union(*(_letters(seen, side) for side in others))
    return bool(letters) and letters < _letters(seen, norm)


def _is_norm_like(side: Node, norm: Group) -> bool:
    """Whether a side of an equation is one norm, too: bars around more than a name are those of a
    determinant, |I + u v^⊤| = |1 + v^⊤ u|."""
    match unscripted(side):
        case Group(around, (item,)):
            return around == norm.open and (around == "‖" or scripts.is_name(item))
    return False


def _is_constraint(define: Define, seen: Survey) -> bool:
    """Whether a sum is said to be something made of nothing in it, ``\\sum_i m_i = \\alpha N``,
    what begins with ``A^\\top A`` something else than what it acts on, ``A^\\top A x = A^\\top b``,
    or a product the identity."""
    first, *others = define.values
    if define.target is not None:
        behind = define.target.span.start > first.span.start
        return behind and isinstance(first, Juxt) and binders.bare(define.target) == "I"
    if not others:
        return False
    mine, theirs = _letters(seen, first), set[str]().union(*(_letters(seen, n) for n in others))
    match first:
        case Big("sum" | "prod"):
            return mine.isdisjoint(theirs)
        case Juxt((turned, plain, *_)) if scripts.is_transposed(turned):
            squared = binders.bare(turned) == binders.bare(plain) != ""
            return squared and (mine.isdisjoint(theirs) or bool(mine - theirs and theirs - mine))
    return False


def _letters(seen: Survey, side: Node) -> set[str]:
    """The names in a side of an equation, in small letters: ``A v`` may stand for a_{ij} v_j."""
    return {name.lower() for node in walk(side) if (name := seen.name_of(node))}


def _is_given_nothing(define: Define) -> bool:
    """Whether a dot holds the place of what a function is given, as in ``g = \\sigma(\\cdot)``."""
    groups = (node for node in walk(define.values[-1]) if isinstance(node, Group))
    return any(isinstance(group.items[0], Stroke) for group in groups if len(group.items) == 1)


def _is_tuple(define: Define, seen: Survey, declared: Set[str]) -> bool:
    """Whether ``G = (V, E)`` names things under letters of their own that belong together, matrices
    among them. The ``X = (X_1, X_2)`` of one letter are parts of an array, as are those whose
    shapes are said."""
    match define:
        case Define(target, (Group("(", items, separators),)) if target and len(items) > 1:
            uses = [seen.understood(node) for node in (target, *items)]
            named = [use for use in uses if use is not None and not use.indices and not use.power]
            letters = {names.base_letter(use.name) for use in named}
            ranks = [names.element_ranks(use.name, 0, use.bold, use.transposed) for use in named]
            apart = {*separators} == {","} and len(letters) == len(named) == len(items) + 1
            matrices = any(custom[0] == 2 for custom in ranks[1:])
            return apart and matrices and declared.isdisjoint(use.name for use in named)
    return False


def _filled(define: Define, seen: Survey, declared: Mapping[str, Shape]) -> str:
    """The g of ``g = 0`` that is declared as an array: a gate is spoken of that is shut, or what a
    weight is at first. "" for anything else."""
    match define:
        case Define(target, (Num(),)) if target is not None:
            use = seen.understood(target)
            shape = None if use is None or use.indices else declared.get(use.name)
            return use.name if use is not None and shape is not None and shape.axes else ""
    return ""


def _is_bracket(node: Node) -> bool:
    return isinstance(node, Group) and node.open == "⟨"


def _at_one_place(target: Node | None) -> Node | None:
    """The f of ``f(x, 0) = x``, whose value is given for one argument alone."""
    match target:
        case Juxt((name, Group("(", (first, *others, Num()), separators))):
            named = all(map(scripts.is_name, (first, *others)))
            return name if named and {*separators} == {","} else None
    return None


def _of_differences(define: Define, seen: Survey) -> set[str]:
    """The R of ``R_m^⊤ R_n = R_{n-m}``, which is made of itself at both places."""
    use = None if define.target is None else seen.understood(define.target)
    if use is None or len(use.indices) != 1:
        return set()
    match use.indices[0].node:
        case Infix("+" | "-", Name(left), Name(right)):
            nodes = (node for value in define.values for node in walk(value))
            inner = (other for node in nodes if (other := seen.understood(node)) is not None)
            mine = [other for other in inner if other.name == use.name]
            places = {names.label(at.node) for other in mine for at in other.indices}
            return {use.name} if places == {left, right} else set()
    return set()


def unstated(stated: Sequence[Statement]) -> Iterator[Problem]:
    """Remarks on relations that could be taken for a definition, and are none."""
    for statement in stated:
        if isinstance(statement, Fact) and statement.sign in _NO_DEFINITIONS:
            text = f"this says what {_NO_DEFINITIONS[statement.sign]}; it defines nothing"
            yield note("N2C038", text, statement.span)


_NO_DEFINITIONS = {
    OPERATOR: "a derivative or limit is",
    "≈": "something comes close to",
    "∝": "something is proportional to",
    "⇒": "something follows from",
    "⇔": "something is equivalent to",
    **dict.fromkeys("·×*@⊙⊗∘", "something is multiplied by"),
    "/": "something is divided by",
}


def empty_sum(tree: Tree) -> Problem | None:
    """The error for a sum whose index nothing below it has, as where a root became a sum."""
    for node in (inner for clause in tree.clauses for inner in walk(clause.node)):
        if not isinstance(node, Big) or not isinstance(node.sub, Name):
            continue
        letters = words_in(node.body)
        if node.sub.text not in letters:
            text = f"nothing in the body depends on the index `{node.sub.text}`"
            return error("N2C031", text, node.sub.span, "name the index that is meant").problem
    return None


def is_mention(node: Node, arrays: Set[str] = frozenset()) -> bool:
    """Whether a node only names something: a symbol, a sign, a shape ``n × d``, a distance
    ``|i - j|``, how much there is of something, ``|V|``, a list of names or of places, ``(2i,
    2i+1)``, one thing or another, ``K/V``, or a call ``α(x, x_i)`` of a function of the note.
    ``arrays`` are the names of what the note declares as an array."""
    if scripts.is_name(node) or isinstance(node, Num | Dots | Stroke) or _is_distance(node):
        return True
    match node:
        case Apply(Name("arg"), place):
            return scripts.is_name(place)  # the arg max that prose speaks of
        case Juxt((first, Dots(), last)):
            return is_mention(first) and is_mention(last)  # the places 1, …, n
        case Group("[", (Juxt((_, Dots(), _)) as places,)):
            return is_mention(places)
    if isinstance(node, Frac):
        either = node.slash is not None and all(map(names.is_capital, children(node)))
        return either or _is_shape(node)  # $K/V$
    if isinstance(node, Infix):
        return _is_shape(node, arrays)
    if isinstance(node, Group):
        if len(node.items) == 1:
            (item,) = node.items
            counts = node.open == "|" and scripts.is_name(item)
            return isinstance(item, Stroke) or counts or (node.open in "([" and _is_shape(item))
        counts = any(names.label(item) in names.COUNTS for item in node.items)
        return bool(node.items) and all(
            is_mention(item) or _is_place(item) or (counts and _is_length(item))
            for item in node.items
        )
    if isinstance(node, Juxt) and len(node.factors) == 2:
        name, group = node.factors
        return (
            scripts.is_name(name)
            and isinstance(group, Group)
            and group.open == "("
            and bool(group.items)
            and all(map(_is_named, group.items))
            and names.label(name).lower() not in functions.OF_NUMBERS
            and not names.label(name).lower().startswith("softmax")
        )
    return False


def _is_length(node: Node) -> bool:
    """Whether an item is how long an axis of ``(B \\cdot h, T, d)`` is: a product of counts."""
    match node:
        case Infix("·" | "×" | "*"):
            return all(scripts.is_name(n) or isinstance(n, Num) for n in binders.chain(node))
        case Juxt((first, *others)):
            return names.is_capital(first) and all(isinstance(one, Name) for one in others)
    return False


def _is_shape(node: Node, arrays: Set[str] = frozenset()) -> bool:
    """Whether a node is a shape: ``n × d``, ``H/4 × W/4 × 48``, the ``M × M`` of windows of
    patches, and the ``N × M`` of capitals of which one counts things."""
    match node:
        case Frac(Infix("×") as shape, Num()):
            return _is_shape(shape)  # H/4 × W/4
        case Infix("×"):
            pass
        case _:
            return False
    square = binders.bare(node.left) == binders.bare(node.right) != ""
    sides, letters = binders.chain(node), words_in(node)
    counted = not names.TOTALS.isdisjoint(letters) and all(map(names.is_capital, sides))
    counted = counted and arrays.isdisjoint(letters)
    image = {"H", "W"} <= letters
    return square or counted or all(_is_extent(side, image) for side in sides)


def _is_named(item: Node) -> bool:
    """Whether an argument only says where, or of what: a name, a place, a number."""
    return scripts.is_name(item) or isinstance(item, Stroke | Num) or _is_place(item)


def _is_place(node: Node) -> bool:
    """Whether a node is a place such as ``i + 1`` or ``2i``."""
    return positions.shift(node) is not None or positions.stride(node) is not None


def _is_distance(node: Node) -> bool:
    """Whether a node is how far one place is from another, ``i - j`` or ``|m - n|``."""
    match node:
        case Group("|" | "(", (item,)):
            return _is_distance(item)
        case Infix("-", Name(left), Name(right)):
            return {left, right} <= names.INDEX_LETTERS
    return False


def _is_extent(node: Node, image: bool = False) -> bool:
    """Whether a node can be the extent of an axis: small letters, numbers, sums, products and
    quotients; the W of an ``image`` can, too."""
    match node:
        case Num():
            return True
        case Infix("×" | "+" | "-" | "·", left, right) | Frac(left, right):
            return _is_extent(left, image) and _is_extent(right, image)
        case Group("(", (item,)):
            return _is_extent(item, image)
        case Juxt(factors):
            return all(_is_extent(factor, image) for factor in factors)
        case _ if scripts.is_name(node):
            text = names.label(node)
            labelled = names.base_letter(text) in names.SIZE_BASES and "_" in text
            known = text in names.SIZE_BASES or (image and text == "W")
            return text[:1].islower() or known or labelled
    return False


def looks_like_shape(node: Node, rank: int) -> bool:
    """Whether a term is the shape of a matrix, or of more, that stands in front of a dash, as in
    ``… V - n \\times l``: sizes, as many as there are axes."""
    if rank < 2 or not (isinstance(node, Infix) and node.op == "×"):
        return False
    sizes = binders.chain(node)
    bases = (names.base_letter(binders.bare(size)) for size in sizes)
    return len(sizes) == rank and _is_extent(node) and names.SIZE_BASES.issuperset(bases)


def _is_moment(define: Define) -> bool:
    """``\\mathrm{Var}(q \\cdot k) = …``: the mean or variance of more than a name, or under a
    condition, or one that is made of others, ``\\mathrm{Var}(x) = 𝔼[x^2]``, or of what it is not
    said to be made of, ``𝔼[h'] = h``."""
    sides = (define.target, *define.values) if define.target is not None else define.values
    first = min(sides, key=lambda side: side.span.start)
    match first:
        case Juxt((Name(name, _, font), Group(_, items, separators))) if (
            len(sides) > 1 and name in _MOMENTS and (name != "E" or font == "blackboard")
        ):
            others = Nodes(n for side in sides if side is not first for n in walk(side))
            made = any(_is_moment_of(node) for node in others.of(Juxt))
            means = made or any(n.text + n.font == "Eblackboard" for n in others.of(Name))
            of_names = all(map(scripts.is_name, items)) and "|" not in separators
            letters = {_letter(node) for node in others.of(Name, Script)}
            summed = any(big.op != "prod" for big in others.of(Big))
            unlike = not summed and letters.isdisjoint(map(_letter, items))
            return not of_names or means or unlike
    return False


def _letter(node: Node) -> str:
    """The letter of a name, with the prime of an ``h'``."""
    return binders.bare(node) + "'" * (node.primes if isinstance(node, Script) else 0)


_MOMENTS = frozenset("E Var Cov var cov".split())


def _is_moment_of(node: Juxt) -> bool:
    """Whether a product has a variance among its factors."""
    pairs = pairwise(node.factors)
    return any(
        binders.bare(name) in _MOMENTS - {"E"} and isinstance(group, Group) for name, group in pairs
    )


def _joins_pairs(node: Node) -> bool:
    """Whether a sign stands between lists, as in ``(A_1, b_1) \\oplus (A_2, b_2)``."""
    match node:
        case Infix(_, Group("(", left), Group("(", right)):
            return len(left) == len(right) > 1
    return False


def applied_elsewhere(
    statement: Statement, stated: Sequence[Statement], seen: Survey
) -> str | None:
    """The function that a statement defines, if another statement applies it to something else
    than its own parameters."""
    others = [other for other in stated if isinstance(other, Define) and other is not statement]
    if not isinstance(statement, Define) or not isinstance(statement.target, Juxt) or not others:
        return None
    # By itself, too: the t that α_t counts elsewhere is a parameter of f(t).
    read = [targets.read_target(known, statement) for known in (seen, survey((statement,)))]
    taken = [one for one in read if one.whole and len(one.whole) == len(one.parameters)]
    for node in (node for other in others for value in other.values for node in walk(value)):
        for target in taken:
            if any(given != target.parameters for given in _arguments(node, target.name, seen)):
                return target.name
    return None


def _arguments(node: Node, function: str, seen: Survey) -> Iterator[tuple[str, ...]]:
    """The names that a node applies a function to ("" for an expression or an element), each time
    that it does."""
    for factor, behind in pairwise(node.factors if isinstance(node, Juxt) else ()):
        group = unscripted(behind)
        named = scripts.is_name(factor) and seen.use(factor).name == function
        if named and isinstance(group, Group) and group.open == "(":
            uses = [seen.use(item) if scripts.is_name(item) else None for item in group.items]
            yield tuple("" if use is None or use.indices else use.name for use in uses)


def _called(node: Node, seen: Survey) -> set[str]:
    """The names that are called in a node, without the probabilities of what has an index, and
    without the g of ``K_{g(i)}``, which only says whose keys they are."""
    found: set[str] = set()
    places = (at for n in walk(node) if isinstance(n, Script) for at in (n.sub, n.sup) if at)
    grouped = {id(at) for at in places if groups.named(at)}
    for inner in walk(node):
        if isinstance(inner, Juxt) and id(inner) not in grouped:
            for at, factor in enumerate(inner.factors[:-1]):
                behind = inner.factors[at + 1]
                group = unscripted(behind)
                use = seen.understood(factor)
                if use is None or not isinstance(group, Group) or group.open != "(":
                    continue
                letters = words_in(group)
                if names.base_letter(use.name) not in names.PROBABILITIES or not (
                    letters & seen.bound
                ):
                    found.add(use.name)
    return found
