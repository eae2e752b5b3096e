"""Letters that tell things apart and count none: the labels among the scripts of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from notes2code.latex.tree import (
    Accent,
    Big,
    Clause,
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
    Script,
    children,
    inside_scripts,
    once,
    ungrouped,
    walk,
    words_in,
)
from notes2code.latex.words import RATES
from notes2code.meaning import names
from notes2code.meaning.notation import binders, left_hand_sides, positions, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Declare, Define, Statement


def of_arguments(statements: Sequence[Statement]) -> set[str]:
    """The i of ``Attention(Q_i, K_i, V_i) = …``, which only says that they belong together."""
    found: set[str] = set()
    for define in statements:
        match define:
            case Define(Juxt((Name(), Group("(", items)))) if len(items) > 1:
                found.update(map(_label_of_matrix, items))
            case Define():
                return set()
    return found - {""} if len(found) == 1 else set()


def _label_of_matrix(node: Node) -> str:
    """The letter below a capital letter."""
    match node:
        case Script(Name(base), Name(letter), None, 0) if base.isupper():
            return letter
    return ""


def real(statements: Iterable[Statement]) -> frozenset[str]:
    """The letters that are said to be real numbers, as the t of ``t ∈ [0, 1]``: the t below other
    names says when, and counts nothing."""
    said = (one for one in statements if isinstance(one, Declare) and not one.axes)
    letters = (name.text for one in said for name in one.names if isinstance(name, Name))
    return names.INDEX_LETTERS.intersection(letters)


def of_namesakes(statements: Sequence[Statement]) -> Iterator[str]:
    """The s and the t of ``p_s = f(x_s), p_t = g(x_t)``: below one name on two left-hand sides they
    tell two things apart, and count none; a letter that stands in both counts."""
    made: dict[str, dict[str, Set[str]]] = {}
    for define in statements:
        match define:
            case Define(Script(Name(base), Name(letter), None, 0), values) if len(letter) == 1:
                made.setdefault(base, {}).setdefault(letter, words_in(*values))
    for own in made.values():
        for letter in own if len(own) > 1 else ():
            if all(letter not in words for other, words in own.items() if other != letter):
                yield letter


def of_own_sizes(statements: Sequence[Statement]) -> set[str]:
    """The t of ``W_t ∈ ℝ^{d_t × d}``, whose shape is its own: what counts has one shape for all.
    The k of ``q_k ∈ ℝ^{d_k}`` is that of keys, whatever it counts."""
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, Declare):
            sizes = {letter for axis in statement.axes for letter in _below_a_size(axis)}
            named = {
                binders.bare(n.sub) for n in statement.names if isinstance(n, Script) and n.sub
            }
            found |= named & sizes
    return found & (names.INDEX_LETTERS - {*"ijk"})


def _below_a_size(axis: Node) -> Iterator[str]:
    """The t of ``d_t``."""
    match axis:
        case Script(Name(), Name(letter), None, 0):
            yield letter


def of_lengths(nodes: Nodes, targets: Sequence[Node]) -> Iterator[str]:
    """The n of ``\\frac{1}{L_n} Σ_{i=1}^{L_n} e_i``, which stands below the end of a sum and below
    nothing else: how many there are, and not one of them."""
    for big in nodes.of(Big):
        match big.sup:
            case Script(Name(base), Name(letter), None, 0):
                with_it = (n for n in nodes.of(Script) if n.sub and letter in words_in(n.sub))
                alone = all(binders.bare(n) == base for n in with_it)
                if alone and letter not in words_in(*targets):
                    yield letter


def of_changed(statements: Sequence[Statement]) -> set[str]:
    """The l and s of ``y_{ls} = (1 - ε_{ls}) y + ε_{ls} / K``: what is made of the whole y is
    called so, and the letters stand nowhere but side by side."""
    found: set[str] = set()
    for statement in statements:
        match statement:
            case Define(Script(Name(base), Juxt(run), None), values) if len(run) > 1:
                letters = {letter.text for letter in run if isinstance(letter, Name)}
                whole = [name for value in values for name in scripts.whole_names(value)]
                made_of_it = any(isinstance(n, Name) and n.text == base for n in whole)
                nodes = [node for value in values for node in walk(value)]
                runs = [n for n in nodes if isinstance(n, Juxt) and letters == words_in(n)]
                lone = sum(isinstance(n, Name) and n.text in letters for n in nodes)
                counts = not letters.isdisjoint("ijkmn")
                if made_of_it and runs and not counts and len(letters) == len(run):
                    found |= letters if lone == len(runs) * len(run) else set()
    return found


def of_constants(statements: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """The σ and the r of ``σ_r = 1.5``, a number with a label; the 1 of ``y_i = 1`` may be what the
    i-th is."""
    for statement in statements:
        match statement:
            case Define(Script(Name(base), Name(letter), None, 0), (Num(number),)):
                if letter in names.INDEX_LETTERS - {*"ijklmnt"} or "." in number:
                    yield base, letter


def that_are_vectors(nodes: Nodes) -> set[str]:
    """The p of ``\\mathbf{a}_p = \\mathbf{a} + \\mathbf{p}`` and of ``w_p = x p^⊤``, which is a
    vector by itself and counts nothing."""
    set_bold = [name for name in nodes.of(Name) if name.font == "bold"]
    scripted = nodes.of(Script) if set_bold else []
    within = {id(name) for node in scripted for name in inside_scripts(node)}
    bold = {name.text for name in set_bold if id(name) not in within}
    turned = (n.base for n in nodes.of(Script) if n.sub is None and scripts.is_transposed(n))
    return bold | {base.text for base in turned if isinstance(base, Name) and base.text.islower()}


def roles(target: Node) -> set[str]:
    """The X of ``f(X_q, X_k, X_v)`` and of ``f(X_i, X_t)``, whose letters tell things apart and
    count none."""
    found: dict[str, set[str]] = {}
    for node in left_hand_sides.target_scripts(target):
        if isinstance(node, Script) and isinstance(node.sub, Name):
            found.setdefault(binders.bare(node), set()).add(node.sub.text)
    matrices = {base for base in told_apart(found, set()) if base.isupper()}
    return matrices.union(b for b, own in found.items() if len(own) > 1 and own <= set("qkv"))


def of_distributions(statements: Sequence[Statement]) -> Iterator[str]:
    """The s and the t of ``D(p_s ‖ p_t) = …`` and ``KL(p_s, p_t) = …``: two distributions are
    compared, and the letters tell them apart; those of all pairs are i and j."""
    for define in statements:
        match define:
            case Define(Juxt((function, Group("(", (left, right), (sign,))))):
                labels = {letter for one in (left, right) for letter in _below_a_size(one)}
                compares = sign == "‖" or names.label(function) in _COMPARE
                if compares and len(labels) == 2 and all(len(letter) == 1 for letter in labels):
                    yield from labels - {*"ijkmn"}


_COMPARE = frozenset(["KL", "D_KL", "JS", "JSD", "D_JS"])
"""What compares two distributions, whatever stands between them: a D may be of points, and an H a
score of two states."""


def above(target: Node) -> set[str]:
    """The l of ``x_i^l``, ``x_i^{(l+1)}`` and ``x^{(l)}``."""
    above = target.sup if isinstance(target, Script) else None
    shift = None if above is None else positions.shift(ungrouped(above))
    return {shift[0]} if shift is not None else set()


def has_positions(define: Define) -> bool:
    """Whether ``X_{pos} = X + P`` says that there are positions in X, and not what it is at one."""
    assert define.target is not None
    named = words_in(*define.values)
    whole = {inner.text for value in define.values for inner in _names_alone(value)}
    return "pos" not in named or binders.bare(define.target) in whole


def _names_alone(node: Node) -> Iterator[Name]:
    """The names that have no scripts."""
    if isinstance(node, Name):
        yield node
    for inner in children(node) if not isinstance(node, Script) else ():
        yield from _names_alone(inner)


def of_positions(seen: Survey, statements: Sequence[Statement]) -> set[str]:
    """The pos of ``X_{pos} = X + P_{pos}``, where it is a label on the left."""
    targets = (s.target for s in statements if isinstance(s, Define))
    below = (target.sub for target in targets if isinstance(target, Script))
    return (
        {"pos"} - seen.bound if any(binders.bare(sub) == "pos" for sub in below if sub) else set()
    )


def labelled_targets(seen: Survey, statements: Sequence[Statement]) -> Iterator[str]:
    """The u of ``u_h = \\tanh(W_h x + u_r)``, which has a label on the left and so on the right; so
    has the one of ``u_h^{(i)}``."""
    for statement in statements:
        match statement:
            case Define(Script(Name(base), Name(letter), _, 0)) if letter in names.LABELS:
                if letter not in seen.bound:
                    yield base


def parts_of_whole(seen: Survey, statements: Sequence[Statement]) -> Iterator[str]:
    """The E of ``E = E_t + E_p`` and the C of ``C = ⌈n / C_r⌉``, which have no index on the left;
    and the F of ``g = σ(W [F_s; F_p])``: letters that count nowhere tell parts of one thing
    apart."""
    for statement in statements:
        if not isinstance(statement, Define) or statement.target is None:
            continue
        mine = words_in(statement.target)
        plain = isinstance(statement.target, Name | Accent)
        below: dict[str, set[str]] = {}
        for node in (inner for value in statement.values for inner in walk(value)):
            match node:
                case Script(Name(base), Name(label)):
                    turned = scripts.is_transposed(node)
                    below.setdefault(base, set()).update({label, "i"} if turned else {label})
        for base, labels_of in below.items():
            letters = labels_of & names.INDEX_LETTERS
            whole = plain and base == binders.bare(statement.target)
            several = len(labels_of) > 1 or (
                letters.isdisjoint("ijklmnt") and whole and _reckons(statement)
            )
            counts = not several or not letters.isdisjoint(seen.bound | mine)
            apart = len(letters) > 1 and letters.isdisjoint("ijklmn")
            if letters and not counts and (whole or apart):
                yield base


def below(nodes: Iterable[Node]) -> dict[str, set[str]]:
    """What stands alone below each letter: letters and words."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        match node:
            case Script(Name(base), sub) if sub is not None and len(base) == 1:
                found.setdefault(base, set()).add(names.label(sub))
    return found


def above_each(nodes: Iterable[Node]) -> dict[str, set[str]]:
    """The letters that stand alone above each letter."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        match node:
            case Script(Name(base), None, Name(letter)) if base not in RATES | {"e"}:
                found.setdefault(base, set()).add(letter)
    return found


def numbered(clauses: Iterable[Clause]) -> Iterator[str]:
    """The q and the a of ``q^1 = W^q a^1`` and of a list that begins with ``a^1``, of which each
    has a number: nobody raises to 1."""
    for clause in clauses:
        first = clause.node.operands[0] if isinstance(clause.node, Relation) else clause.node
        if first is not None and _is_first(first):
            yield from (binders.bare(node) for node in walk(clause.node) if _is_first(node))


def _is_first(node: Node) -> bool:
    match node:
        case Script(_, None, Num("1") | Group("(", (Num("1"),)), 0):
            return scripts.is_name(node)
    return False


def told_apart(below: Mapping[str, Set[str]], counted: Set[str]) -> dict[str, set[str]]:
    """The letters below which others tell things apart, where these count nothing: the p of
    ``x_p`` beside ``x_{class}``, the t and the s of ``E_{ts}`` beside ``E_{text}``, and the i and
    the t of ``H_i`` and ``H_t``, an image and a text. An i and a j alone are two places, and so
    are the i and the t of vectors."""
    found: dict[str, set[str]] = {}
    for base, labels in below.items():
        single = {x for x in labels if len(x) == 1 and x.islower()}
        words = {x for x in labels if x.isalpha() and len(x) > 1} - names.INDEX_LETTERS
        runs = {x for x in words if len(x) == 2 and {*x} <= names.INDEX_LETTERS}
        words -= runs
        single = single.union(*runs) if words else single
        places = set("ijklmn") if base.isupper() else set("ijklmnt")
        worded = bool(words - names.GREEK) and single.isdisjoint(places)
        several = len(single) > 1 and not single <= places and base not in _SIZES
        if (worded or several) and single & names.INDEX_LETTERS and single.isdisjoint(counted):
            found[base] = single
    return found


_SIZES = frozenset("dDnNT")
"""What has labels wherever it stands."""


def counting(seen: Survey) -> set[str]:
    """The letters that count in a formula: those that something binds, steps, and the t of
    ``h_{t-1}``."""
    subs = (node.sub for node in seen.nodes.of(Script) if node.sub is not None)
    moved = {shift[0] for sub in subs if (shift := positions.shift(sub)) is not None and shift[1]}
    return (moved | seen.bound).union(*seen.steps.values()) - {*seen.free}


def on_left(statement: Statement) -> set[str]:
    """The letters on a left-hand side that are no labels of its parameters."""
    target = statement.target if isinstance(statement, Define) else None
    if target is None:
        return set()
    own = roles(target)
    named = (n for n in left_hand_sides.target_scripts(target) if binders.bare(n) not in own)
    return {binders.bare(given) for given in left_hand_sides.arguments(target)}.union(
        letter for node in named for letter in binders.script_letters(node)
    )


def _reckons(define: Define) -> bool:
    """Whether a definition calls nothing and joins nothing, as ``⌈n / r⌉`` does not: what it is of
    is no whole array, as the h_p of ``h = \\max(h_p)`` are."""
    kinds = Name | Num | Script | Infix | Frac | Neg
    within = (inner for value in define.values for inner in walk(value))
    return all(isinstance(n, kinds) or (isinstance(n, Group) and n.open in "⌈⌊(") for n in within)


def doubled(nodes: Nodes) -> set[str]:
    """The m of ``F_{mm}``, which counts nowhere else, as the i of ``S_{ii}`` would."""
    found, others = set[str](), list[Node]()
    for node in nodes.of(Script):
        match node.sub:
            case Juxt((Name(first), Name(second))) if first == second and first not in "ijk":
                found.add(first)
            case Juxt(factors) if len(factors) > 2:
                pass  # the m of F_{tem} counts nothing either
            case below if below is not None:
                others.append(below)
    return found - words_in(*others) if found else found


@once
def of_mixtures(nodes: Nodes) -> Set[str]:
    """The t of ``x_t = (1 - t) x_0 + t x_1``: the share of x_1, a number between 0 and 1, and below
    nothing but the left-hand side."""
    rest = {right for node in nodes.of(Infix) if (right := _taken_from_one(node)).islower()}
    if not rest:
        return rest
    shares = {factors[0].text for factors in _products(nodes) if isinstance(factors[0], Name)}
    below = (node.sub for node in nodes.of(Script) if node.sub is not None)
    return rest & shares - words_in(*below)


def _taken_from_one(node: Infix) -> str:
    """The t of ``1 - t`` and of ``1 - (1 - s) t``."""
    match node:
        case Infix("-", Num("1"), Name(letter) | Juxt((*_, Name(letter)))):
            return letter
    return ""


def _products(nodes: Nodes) -> Iterator[tuple[Node, ...]]:
    yield from (node.factors for node in nodes.of(Juxt))
    yield from ((node.left, node.right) for node in nodes.of(Infix) if node.op in "·⊙*")
