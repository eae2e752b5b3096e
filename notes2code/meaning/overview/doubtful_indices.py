"""Indices that may be meant otherwise than they stand, or are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, permutations

from notes2code.diagnostics import error
from notes2code.latex.tree import (
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Relation,
    Root,
    Script,
    ungrouped,
    walk,
    words_in,
)
from notes2code.latex.words import RATES
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement


def refuse_powers(
    seen: Survey, scripted: Sequence[Script], statements: Sequence[Statement]
) -> None:
    """Refuse ``C A^k B`` where k counts and stands above nothing else: it may be the power k of A,
    or the matrix with the number k. So may the n of ``Σ_n a_n x^n``, where it stands below others,
    but not the t of ``s^t = [q_t k_1, …, q_t k_n]``, for no list is defined by a power.
    The k of ``(A B)^k`` is a power of a matrix, and that of ``(A + B)^k`` may be."""
    lists = {id(one.target) for one in statements if isinstance(one, Define) and _is_list(one)}
    powers = [n for n in scripted if isinstance(n.base, Name) and n.base.text == "e"]
    whole = {binders.bare(n.sup) for n in powers if n.sub is None and n.sup is not None} - {""}
    for node in powers:  # the e^z_i beside e^z
        if node.sub is not None and node.sup is not None and binders.bare(node.sup) in whole:
            text = "the index stands below `e`, and not below what it is raised to"
            raise error("N2C033", text, node.span, "write `e^{z_i}`, or `(e^{z})_i`")
    for node in scripted:
        if not isinstance(node.sup, Name) or id(node) in lists:
            continue
        if node.sub is None and node.sup.text in seen.bound and _is_of_matrices(node.base):
            text = "this may be the power of a matrix, or of each of its elements"
            raise error("N2C033", text, node.span, "a power of a matrix is not computed")
        base, letter = binders.bare(node), node.sup.text
        alike = {
            binders.bare(n) for n in scripted if isinstance(n.sup, Name) and n.sup.text == letter
        }
        if letter not in seen.bound - {scripts.HEAD} or alike != {base}:
            continue
        below = any(isinstance(n.sub, Name) and n.sub.text == letter for n in scripted)
        before = any(_shift(ungrouped(n.sup), letter) for n in scripted)  # the A^l beside H^{l-1}
        if base in ("A", "P") and not before:
            raise error(
                "N2C033",
                f"the `{letter}` may be a power here, or the number of the matrix",
                node.sup.span,
                f"write `({letter})` for the number; a power of a matrix is not computed",
            )
        if below and node.sub is None and _may_be_raised(base) and base not in seen.raised:
            raise error(
                "N2C033",
                f"the `{letter}` may be a power of `{base}` here, or say which one it is",
                node.sup.span,
                f"write `{base}^{{({letter})}}` or `{base}_{letter}` for one of several, and "
                f"`f({base}) = …` for a power of what is given",
            )


def _is_list(define: Define) -> bool:
    """Whether something is defined by what stands in brackets, one behind the other."""
    first = define.values[0]
    return isinstance(first, Group) and first.open == "[" and len(first.items) > 1


def _may_be_raised(base: str) -> bool:
    """Whether a letter may be that of a number; a rate is one."""
    return base.islower() and (len(base) == 1 or base in names.GREEK) and base not in RATES


def _is_of_matrices(base: Node) -> bool:
    """Whether capital letters alone, which stand in parentheses, are multiplied or added."""
    match base:
        case Group("(", (Juxt() | Infix("+" | "-") as inner,)):
            parts = inner.factors if isinstance(inner, Juxt) else (inner.left, inner.right)
            letters = [binders.bare(part) for part in parts]
            return all(len(letter) == 1 and letter.isupper() for letter in letters)
    return False


def refuse_roots(nodes: Nodes) -> None:
    """Refuse the roots of matrices, ``(X^⊤ X)^{-1/2}`` and, in a trace, ``(A B)^{1/2}``: they are
    none of the elements, and X is no vector because they cannot be computed."""
    traced = {id(inner) for group in _traces(nodes) for inner in walk(group)}
    for node in nodes.of(Root, Script):
        factors = _rooted(node)
        matrices = len(factors) > 1 and all(map(_may_be_matrix, factors))
        if matrices and (id(node) in traced or any(map(scripts.is_transposed, factors))):
            text = "the root of a product of matrices is not computed"
            raise error("N2C033", text, node.span, "write `\\odot` where each element is meant")


def _traces(nodes: Nodes) -> Iterator[Node]:
    for node in nodes.of(Juxt):
        for name, group in pairwise(node.factors):
            if isinstance(name, Name) and name.text.lower() in ("tr", "trace"):
                yield group


def _rooted(node: Node) -> tuple[Node, ...]:
    """The factors of what a root is taken of, or what is raised to a fraction."""
    match node:
        case Root(Juxt(factors), None):
            return factors
        case Script(Group("(", (Juxt(factors),)), None, Frac() | Neg(Frac())):
            return factors
    return ()


def _may_be_matrix(node: Node) -> bool:
    letter = binders.bare(node)
    return letter == "Sigma" or (len(letter) == 1 and letter.isupper())


def refuse_transposed_labels(nodes: Nodes) -> None:
    """Refuse the ``W_Q^T`` of ``X_T W_Q^T``, which may be the weight of the T, as the ``W_Q^I`` of
    ``X_I W_Q^I`` is that of the I."""
    for node in nodes.of(Juxt):
        for one, weight in pairwise(node.factors):
            match one, weight:
                case Script(Name(base), Name("T"), None, 0), Script(_, _, Name("T") as mark, 0):
                    if base.isupper() and binders.bare(weight) in names.WEIGHTS:
                        raise error(
                            "N2C033",
                            "the `T` may be a transpose here, or the label that stands below "
                            f"`{base}`, too",
                            mark.span,
                            "write `^\\top` for the transpose, and the label below its name",
                        )


def refuse_sizes_as_elements(nodes: Nodes) -> None:
    """Refuse the d_k of ``Σ_k d_k b^k``, which are digits or distances there, and d_k the size of
    keys elsewhere: it is where there are queries and keys, or a root of it is taken."""
    if "d" not in nodes.words or "Q" in nodes.words:
        return
    if any(binders.bare(node) in ("q", "k") for node in nodes.of(Script)):
        return
    rooted = {id(inner) for root in nodes.of(Root) for inner in walk(root)}
    for big in nodes.of(Big):
        letters = set() if big.sub is None else {*binders.bound_letters(big.sub)} & names.LABELS
        for node in walk(big.body) if letters else ():
            match node:
                case Script(Name("d"), Name(k)) if k in letters and id(node) not in rooted:
                    text = f"`d_{k}` may be an element here, or a size"
                    hint = f"call the elements otherwise, or the `{k}` that the sum runs over"
                    raise error("N2C033", text, node.span, hint)


def refuse_arrows(nodes: Nodes) -> None:
    """Refuse the j of ``Σ_j α_{i ← j} v_j``, which counts there and is no part of the name."""
    for big in nodes.of(Big):
        letters = {*binders.bound_letters(big.sub)} if big.sub is not None else set()
        for node in walk(big.body) if letters else ():
            match node:
                case Script(base, Relation(ends, ("→" | "←",)) as arrow):
                    if letters & words_in(*(end for end in ends if end is not None)):
                        raise error(
                            "N2C032",
                            "an arrow between two indices is not read",
                            arrow.span,
                            f"write them side by side, such as `{binders.bare(base)}_{{ij}}`",
                        )


def refuse_lost_indices(statements: Sequence[Statement]) -> None:
    """Refuse the μ of ``μ_i = …, y_{ij} = x_{ij} - μ``: it is that of row i, or all of them."""
    defined: dict[str, set[str]] = {}
    for define in statements:
        if not isinstance(define, Define):
            continue
        for node in (inner for value in define.values if defined for inner in walk(value)):
            match node:
                case Infix("+" | "-", left, right) | Frac(left, right):
                    for bare, other in ((left, right), (right, left)):
                        _refuse_lost_index(bare, other, defined)
        match define.target:
            case Script(Name(letter) as base, Name(index), None, 0) if letter.islower():
                defined.setdefault(binders.bare(base), set()).add(index)
            case Name() as whole:  # the h of h = Σ_i h_i has none
                defined.pop(binders.bare(whole), None)


def _refuse_lost_index(bare: Node, other: Node, defined: Mapping[str, set[str]]) -> None:
    letters = defined.get(bare.text) if isinstance(bare, Name) else None
    if not letters:
        return
    below = (node.sub for node in walk(other) if isinstance(node, Script) and node.sub is not None)
    beside = words_in(*below)
    if found := sorted(letters & beside & names.INDEX_LETTERS):
        assert isinstance(bare, Name)
        raise error(
            "N2C032",
            f"this is defined with the index `{found[0]}`, and stands here without it",
            bare.span,
            f"write the index, `_{found[0]}`",
        )


def refuse_two_steps(seen: Survey, statements: Sequence[Statement]) -> None:
    """Refuse what stands at two steps, as x does in ``h_t = h_{t-1} + x_t - x_{t-1}``: a step drops
    its letter, and both would be one. What a statement defines may be at another in the next."""
    defines = [one for one in statements if isinstance(one, Define) and seen.steps]
    made = {seen.name_of(left) for one in defines if (left := _left(one)) is not None}
    shifts: dict[str, int] = {}
    joined = any(_feeds(one, other) for one, other in permutations(defines, 2))
    for define in defines:
        left = _left(define)
        mine = "" if left is None else binders.bare(left)
        others = seen.steps.keys() - {"", mine}  # states, which another statement steps
        shifts = {name: at for name, at in shifts.items() if name not in made and joined}
        for node in (inner for value in define.values for inner in walk(value)):
            if node is left or not isinstance(node, Script) or not scripts.is_name(node):
                continue
            if binders.bare(node) not in others:
                _refuse_second_step(seen, node, shifts)


def _feeds(define: Define, other: Define) -> bool:
    """Whether what one statement defines stands in another: where no result is made of another, as
    forwards and backwards, each has steps of its own."""
    left = _left(define)
    name = "" if left is None else binders.bare(left)
    return name in words_in(*(node for node in (other.target, *other.values) if node is not None))


def _left(define: Define) -> Node | None:
    """The left-hand side, which is a value where it may be a power, as ``X^{l+1}``."""
    return define.values[0] if define.target is None and define.values[1:] else define.target


def _refuse_second_step(seen: Survey, node: Script, shifts: dict[str, int]) -> None:
    dropped = seen.steps.get(binders.bare(node), set()) | seen.steps.get("", set())
    for part in (node.sub, ungrouped(node.sup)):
        for letter in dropped if part is not None else ():
            if (shift := _shift(part, letter)) is not None:
                use = seen.understood(node)
                if use is not None and shifts.setdefault(use.name, shift) != shift:
                    raise error(
                        "N2C034",
                        f"`{use.name}` is at two steps here, and a step knows only one of each",
                        node.span,
                        "give one of the two a name of its own",
                    )


def _shift(script: Node | None, letter: str) -> int | None:
    """How far a script is from the step that a letter counts; None if it has no such letter."""
    items = script.items if isinstance(script, Group) else (script,)
    found = (positions.shift(item) for item in items if item is not None)
    return next((at[1] for at in found if at is not None and at[0] == letter), None)
