"""What looks like a call: elements and slices in brackets, inverse functions, words spelt out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from notes2code.diagnostics import ProblemError, error, note
from notes2code.latex.tree import (
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Script,
    alike,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.inference import probabilities, symbols
from notes2code.meaning.inference.calls import known_functions, of_arrays, well_known
from notes2code.meaning.inference.run import Defined, Run
from notes2code.meaning.inference.values import Value
from notes2code.meaning.notation import binders, functions, positions, scripts


def refuse_spelt_name(run: Run, factors: Sequence[Node], group: Group) -> None:
    """``LCS(X, Y)``, whose letters nothing joins, is hardly L times C times S(X, Y)."""
    spelt = list(takewhile(names.is_capital, reversed(factors)))
    if not spelt:
        return
    last = run.seen.use(spelt[0])
    unknown = well_known.is_unknown(run, last) or _lacks_index(run, last)
    together = len(spelt) == 2 and _is_spelt(run, spelt[1], spelt[0])
    if unknown and ((len(spelt) > 2 and len(group.items) > 1) or together):
        span = spelt[-1].span.to(spelt[0].span)
        raise error(
            "N2C033",
            f"`{run.quote(span)}` may be one name, or a product of its letters",
            span,
            f"write `\\mathrm{{{run.quote(span)}}}` for the name",
        )


def refuse_spelt_word(run: Run, factors: Sequence[Node], group: Group) -> None:
    """``lin_q(X + P)`` is hardly l times i times n_q: three small letters or more, right beside
    each other and right before parentheses, of which the first two stand nowhere else. Sizes are
    multiplied so, ``bnd(n + d)``, and before an f: a name has a vowel or a letter twice, or one
    letter behind it. Before brackets two letters are one name, too: ``sg[z]``."""
    word = _small_letters(factors)
    least = {"(": 3, "[": 2}.get(group.open, len(factors) + 1)
    if len(word) < least or word[-1].span.end != group.span.start:
        return
    alone = len(group.items) == 1 and scripts.is_name(group.items[0])
    letters = [*map(binders.bare, word)]
    if letters[-1] in functions.LETTERS and group.open == "(":
        return
    if not alone and {*"aeiou"}.isdisjoint(letters) and len({*letters}) == len(letters):
        return
    if stand_only_together(run, *letters[:2]):
        span = word[0].span.to(word[-1].span)
        raise error(
            "N2C033",
            f"`{run.quote(span)}` may be one name, or a product of its letters",
            span,
            f"write `\\mathrm{{{''.join(letters)}}}` for the name",
        )


def tell_spelt_word(run: Run, factors: Sequence[Node], group: Group) -> None:
    """``lp(Y)``, of which the l stands nowhere else, may be one name as well: l times p(Y) is
    taken, and told. Before an f it is no guess."""
    word = _small_letters(factors)
    letters = [*map(binders.bare, word)]
    if len(word) != 2 or word[-1].span.end != group.span.start or letters[1] in functions.LETTERS:
        return
    first = [name for name in run.seen.nodes.of(Name) if name.text == letters[0]]
    known = run.shapes.keys() | run.defined.keys() | run.scope.arrays
    if len(first) == 1 and letters[0] not in known and all(map(scripts.is_name, group.items)):
        span = word[0].span.to(word[-1].span)
        text = f"`{run.quote(span)}` is taken for `{letters[0]}` times a function `{letters[1]}`"
        hint = f"write `\\mathrm{{{''.join(letters)}}}` if it is one name"
        run.problems.append(note("N2C039", text, span, hint))


def stand_only_together(run: Run, first: str, second: str) -> bool:
    """Whether two letters that nothing tells of stand beside each other wherever they stand."""
    pairs = [pair for one in run.seen.nodes.of(Juxt) for pair in pairwise(one.factors)]
    beside = sum((binders.bare(a), binders.bare(b)) == (first, second) for a, b in pairs)
    alike = sum(name.text in (first, second) for name in run.seen.nodes.of(Name))
    known = run.shapes.keys() | run.defined.keys() | run.scope.arrays
    return alike == 2 * beside and known.isdisjoint((first, second))


def _small_letters(factors: Sequence[Node]) -> Sequence[Node]:
    """The small letters right beside each other at the end of a product; the last may have
    scripts."""
    found: list[Node] = []
    for factor in reversed(factors):
        letter = binders.bare(factor)
        plain = isinstance(factor, Name) or (not found and scripts.is_name(factor))
        touches = not found or factor.span.end == found[0].span.start
        if not (plain and touches and len(letter) == 1 and letter.islower()):
            break
        found.insert(0, factor)
    return found


def _is_spelt(run: Run, first: Node, last: Node) -> bool:
    """Whether two capitals stand right beside each other, of which the first is no weight and
    occurs nowhere else: the SE of ``SE(x)``."""
    name = run.seen.use(first).name
    once = sum(run.seen.use(n).name == name for n in run.seen.nodes.of(Name)) == 1
    known = name in run.shapes | run.defined or name in run.scope.arrays
    return first.span.end == last.span.start and name not in ("W", "U") and once and not known


def _lacks_index(run: Run, use: scripts.Use) -> bool:
    """Whether a function that is defined with an index, ``E_i(x)``, is called without it."""
    found = known_functions.known(run, use.name)
    return found is not None and found.numbered > len(use.indices)


def element(run: Run, name: Node, group: Group) -> Value | None:
    """``score(i, j)`` where the notes define an array of that name by its places: score_{ij}; and
    the ``r_i(θ)`` that parameters make, which stand nowhere but in parentheses."""
    use = run.seen.use(name)
    if _is_made_by_parameters(run, use, group):
        where = name.span.to(group.span)
        parameters = run.quote(group.items[0].span)
        text = f"`{run.quote(where)}` is taken for an element that `{parameters}` makes"
        run.problems.append(note("N2C039", text, where, "define it if it is to be computed"))
        return symbols.value_at(run, use)
    letters = [item.text for item in group.items if isinstance(item, Name)]
    if use.name not in run.scope.arrays | run.defined.keys() or use.indices:
        return None
    if len(letters) < max(2, len(group.items)) or not set(letters) <= run.indices.keys():
        return None
    if (
        known_functions.known(run, use.name) is not None
    ):  # typed as a function, beside its definition
        return None
    places = tuple(scripts.At(item) for item in group.items)
    return symbols.value_at(run, replace(use, indices=places))


def _is_made_by_parameters(run: Run, use: scripts.Use, group: Group) -> bool:
    """Whether an element that no note defines stands before a Greek letter in parentheses, as all
    that letters of this name do: it is no factor."""
    match group:
        case Group("(", (Name(letter),)) if letter in scripts.PARAMETERS:
            pass
        case _:
            return False
    if not use.indices or use.power or known_functions.known(run, use.name) is not None:
        return False
    every = sum(one.text == letter for one in run.seen.nodes.of(Name))
    inside = sum(
        behind.items[0].text == letter and len(behind.items) == 1
        for product in run.seen.nodes.of(Juxt)
        for behind in product.factors[1:]
        if isinstance(behind, Group) and behind.open == "(" and isinstance(behind.items[0], Name)
    )
    return every == inside and letter not in run.shapes


def refuse_gradient(run: Run, before: Sequence[Node], group: Group) -> None:
    """The ``Δ_θ`` of ``Δ_θ J(θ)``, by the letter of what it is given, is the gradient ∇_θ."""
    match before:
        case [*_, Script(Name("Delta"), Name(letter), None, 0) as sign] if any(
            isinstance(node, Name) and node.text == letter for node in walk(group)
        ):
            raise error(
                "N2C037",
                f"`{run.quote(sign.span)}` looks like a gradient, which cannot be computed",
                sign.span,
                "write `\\nabla` for a gradient; give a factor another name",
            )


def refuse_inverse(run: Run, name: Node, group: Group) -> None:
    """``f^{-1}(p)`` is the inverse function of f at p, and no quotient: that of a number stands
    before a sum in parentheses."""
    use = run.seen.use(name)
    if use.power is None or not is_minus_one(use.power) or group.open != "(":
        return
    base = names.base_letter(use.name)
    known = (
        known_functions.known(run, use.name) is not None or well_known.builtin(use.name) is not None
    )
    alone = len(group.items) == 1 and scripts.is_name(group.items[0])
    if (known or alone or base in functions.LETTERS) and use.name not in run.shapes:
        raise error(
            "N2C037",
            f"the inverse function of `{base}` cannot be computed",
            name.span.to(group.span),
            "define it, or write a `\\frac` where a quotient is meant",
        )


def is_minus_one(node: Node) -> bool:
    """Whether a node is ``-1``."""
    return isinstance(node, Neg) and isinstance(node.body, Num) and node.body.text == "1"


def is_raised(behind: Node) -> bool:
    """Whether parentheses only hold a name with something above it, as in ``Q^{(h)}
    (K^{(h)})^⊤``."""
    match behind:
        case Script(Group("(", (Script() as inner,)), None, sup):
            return sup is not None and inner.sup is not None
    return False


def are_scores(name: Node, behind: Node) -> bool:
    """Whether a query stands before a key in parentheses that is transposed, ``Q_h (K_h)^⊤``: they
    are multiplied."""
    match behind:
        case Script(Group("(", (key,)), None, _) if scripts.is_transposed(behind):
            return binders.bare(name) in ("Q", "q") and binders.bare(key) in ("K", "k")
    return False


def refuse_unclear(run: Run, name: Node, group: Group) -> None:
    """``g_i(x)`` may be a function of each i at x, or a product; ``X(input)`` is hardly one."""
    use = run.seen.use(name)
    part = ":" in group.separators and _counts(group.items)
    if group.open == "[" and (part or any(map(positions.is_colon, group.items))):
        raise error(
            "N2C032",
            f"the slice `{run.quote(name.span.to(group.span))}` is not understood",
            group.span,
            "write the elements by their index, such as `x_i` and `x_{i+d/2}`",
        )
    if group.open == "[" and len(group.items) == 1 and _is_place(run, group.items[0]):
        raise looked_up(run, name, group)
    if group.open == "[" and names.base_letter(use.name) not in names.WEIGHTS and _is_pair(group):
        raise looked_up(run, name, group)  # W [h, x] joins vectors
    alone = len(group.items) == 1 and scripts.is_name(group.items[0]) and group.open == "("
    product = len(group.items) == 1 and isinstance(group.items[0], Juxt) and group.open == "("
    if names.base_letter(use.name) == "N" and (alone or product):
        raise unclear(run, name, group)  # the N of N_q(W x) may be a normalisation
    if alone and _is_remark(run, group.items[0]):
        raise error(
            "N2C033",
            f"`{run.quote(name.span.to(group.span))}` may be a call, a product or a remark",
            name.span.to(group.span),
            "leave the parentheses out for a product, and write a remark in `\\text{…}`",
        )
    if alone and use.power is None:
        counted = isinstance(group.items[0], Name) and group.items[0].text in run.indices
        if counted or (use.indices and use.name in run.seen.called):
            raise unclear(run, name, group)


def refuse_raised_share(run: Run, name: Node, behind: Node) -> None:
    """The ``G (C/6)^a`` of a power law is hardly a function to a power that a letter tells."""
    match behind:
        case Script(Group("(", (Frac(),)) as group, None, Name()) if (
            names.is_capital(name)
            and not scripts.is_transposed(behind)
            and well_known.is_unknown(run, run.seen.use(name))
        ):
            raise error(
                "N2C033",
                f"`{run.quote(name.span.to(group.span))}` may be a call or a product",
                name.span.to(group.span),
                "write `\\cdot` for a product",
            )


def refuse_operator(run: Run, name: Node, group: Group, behind: Node | None) -> None:
    """``S[π](s)`` is what S makes of π at s, and no product."""
    unknown = scripts.is_name(name) and well_known.is_unknown(run, run.seen.use(name))
    if unknown and group.open == "[" and isinstance(behind, Group) and behind.open == "(":
        where = name.span.to(behind.span)
        text = f"what `{run.quote(where)}` is at its second argument is not computed"
        raise error("N2C037", text, where, "give both in one list, `f(x, y)`, or define it")


def _is_pair(group: Group) -> bool:
    """Whether brackets hold numbers and plain small letters, as those of ``x[t, 0]`` do."""
    places = (isinstance(x, Num) or (isinstance(x, Name) and x.text.islower()) for x in group.items)
    return len(group.items) > 1 and {*group.separators} == {","} and all(places)


def looked_up(run: Run, name: Node, group: Group) -> ProblemError:
    """The refusal of a row that is looked up by brackets."""
    return error(
        "N2C032",
        f"`{run.quote(name.span.to(group.span))}` looks a row up, and is not computed",
        group.span,
        "write the lookup as a product with one-hot rows, such as `x_i = u_i E`",
    )


def unclear(run: Run, name: Node, group: Group) -> ProblemError:
    """The refusal of what may be a call or a product."""
    where = name.span.to(group.span)
    text = f"`{run.quote(where)}` may be a call or a product"
    return error("N2C033", text, where, "leave the parentheses out for a product")


def _counts(items: Sequence[Node]) -> bool:
    """Whether numbers stand there, or sums and quotients: the ends of a slice."""
    return any(isinstance(item, Num | Frac | Infix) for item in items)


def refuse_kernel(run: Run, factors: Sequence[Node], at: int) -> None:
    """``w(t-s) x_s`` is hardly a product of w and the difference, as it is beside nothing else that
    has an index: ``-m(i-j)``."""
    counted = run.indices.keys()
    between = factors[at].span.to(factors[at + 1].span)
    others = (n for o in (*factors[:at], *factors[at + 2 :]) for n in walk(o))
    match factors[at + 1]:
        case Group("(", (Infix("+" | "-", Name(left), Name(right)),)) if (
            {left, right} <= counted | {*run.parameters}
            and not {left, right}.isdisjoint(counted)
            and any(isinstance(n, Name) and n.text in counted for n in others)
        ):
            raise error(
                "N2C033",
                f"`{run.quote(between)}` may be an element, a call or a product",
                between,
                f"write `_{{{left}-{right}}}` for an element, and `\\cdot` for a product",
            )


def refuse_made_matrix(run: Run, factors: Sequence[Node], at: int) -> None:
    """The matrix ``A(x_t)`` that a selective model makes of a token, and that stands before its
    state, or the gate of ``A(x_t) ⊙ h``: nobody writes the first of two vectors in parentheses, nor
    a vector behind a matrix where the product is gated."""
    match factors[at + 1 : at + 3]:
        case (Group("(", (Script() as inner,)) as group, other) if not isinstance(other, Group):
            given, acted_on = run.seen.understood(inner), run.seen.understood(other)
            if given is None or acted_on is None or given.transposed or acted_on.transposed:
                return
            if (given.indices or given.steps) and given.name.islower() and acted_on.name.islower():
                raise unclear(run, factors[at], group)
        case (Group("(", (Name() | Script() as inner,)) as group,):
            if at == 0 and binders.bare(inner).islower() and _is_gate(run, factors[0]):
                raise unclear(run, factors[0], group)


def _is_gate(run: Run, first: Node) -> bool:
    """Whether a product that begins with no weight stands before or behind a ``⊙``."""
    name = run.seen.use(first).name
    if names.base_letter(name) in names.WEIGHTS or name in run.shapes:
        return False
    gated = (node for node in run.seen.nodes.of(Infix) if node.op in "⊙∘")
    sides = (side for node in gated for side in (node.left, node.right))
    return any(isinstance(side, Juxt) and side.factors[0] is first for side in sides)


def _is_place(run: Run, node: Node) -> bool:
    """Whether a name in brackets is the place of a row, as in ``E[x_i]`` and ``P[i]``, or is made
    of places, as in ``B[p(i, j)]``."""
    if isinstance(node, Infix) and node.op in ("+", "-"):  # the x[n-i] of a filter
        return _counted(run, node)
    match node:
        case Juxt((_, Group("(", (_, *_) as items))):
            return all(_counted(run, item) for item in items)
    use = run.seen.understood(node)
    return use is not None and (bool(use.indices) or use.name[:1].islower())


def is_place(run: Run, group: Group) -> bool:
    """Whether brackets hold one place and nothing else."""
    if group.open != "[" or len(group.items) != 1:
        return False
    (item,) = group.items
    if _is_number(group):
        raise error(
            "N2C032",
            f"the place `{run.quote(item.span)}` may be counted from 0 or from 1",
            group.span,
            "write it as an index, which counts from 1, such as `x_1`",
        )
    label = binders.bare(item) in ("y", "c") and scripts.is_name(item)
    letter = isinstance(item, Name) and item.text in names.INDEX_LETTERS
    return label or letter or _counted(run, item)


_ROWS = frozenset(["tokens", "token", "ids", "idx", "positions", "position", "pos"])
"""What tells the rows of a table, as in ``wte[tokens]``."""


def is_among_places(run: Run, name: Node, group: Group) -> bool:
    """Whether brackets hold nothing but places, and no function stands before them: ``x[i-1]``,
    ``x[0]``."""
    if group.open != "[" or ";" in group.separators:
        return False
    told = len(group.items) == 1 and binders.bare(group.items[0]) in _ROWS
    if _is_number(group) or told:
        return well_known.is_unknown(run, run.seen.use(name))
    parts = walk(group)[1:]
    if any(isinstance(n, Infix) and n.op == "‖" for n in parts):
        return False  # the W [h_i ‖ h_j] of e(h_i, h_j)
    letters = {n.text for n in parts if isinstance(n, Name)}
    if letters.isdisjoint(run.indices):
        return False
    if any(isinstance(item, Script) for item in group.items):
        return False
    if not all(isinstance(n, Name | Num | Infix | Juxt | Script) for n in parts):
        return False
    if not all(_counted(run, item) or _is_moved(item) for item in group.items):
        return False
    unknown = well_known.is_unknown(run, run.seen.use(name))
    return unknown and not of_arrays.is_expectation(run, name, group)


def _is_number(group: Group) -> bool:
    """Whether a group holds a number, below zero or not."""
    match group.items:
        case [Num()] | [Neg(Num())]:
            return True
    return False


def _is_moved(node: Node) -> bool:
    """Whether a place is so many from another, as in ``x[t - k d]``."""
    return isinstance(node, Infix) and node.op in ("+", "-") and isinstance(node.left, Name)


def _counted(run: Run, node: Node) -> bool:
    """Whether all letters of a place count."""
    letters = [n.text for n in walk(node) if isinstance(n, Name)]
    return bool(letters) and {*run.indices, *run.parameters}.issuperset(letters)


def _is_remark(run: Run, node: Node) -> bool:
    """Whether a word in small letters is a remark: the ``input`` of ``X(input)``."""
    return probabilities.is_word(run, node) and names.base_letter(run.seen.use(node).name).islower()


def repeated(run: Run, name: Node, group: Group) -> Value | None:
    """``f(x)`` behind ``f(x) = …`` in the same formula: what was defined; ``score(q_i, k_l)``
    behind ``score(q_i, k_j) = …``: its element at i and l."""
    use = run.seen.use(name)
    defined = run.defined.get(use.name)
    if defined is None or not defined.called or group.open != "(":
        return None
    places = _places(run, defined, group)
    if not places:
        return symbols.name_value(run, name)[0]
    return symbols.element_of(run, replace(use, indices=places), defined)


def _places(run: Run, defined: Defined, group: Group) -> tuple[scripts.At, ...] | None:
    """Where the element is that a call names by the indices of its arguments; None if they do not
    tell. Raises ``ProblemError`` where they are other elements than were defined: one further, the
    first, those of an array that was given as a whole."""
    places: dict[str, scripts.At] = {}
    for theirs, mine in zip(defined.arguments, group.items, strict=False):
        before, now = run.seen.understood(theirs), run.seen.understood(mine)
        if before is None or now is None:
            return None
        if before.name != now.name:
            if before.indices:
                raise _other_argument(run, theirs, mine)
            return None
        if len(before.indices) < len(now.indices):
            raise _other_argument(run, theirs, mine)
        for old, new in zip(before.indices, now.indices, strict=False):
            if isinstance(old.node, Name):
                known = places.setdefault(old.node.text, new)
                if not isinstance(new.node, Name) or not alike(known.node, new.node):
                    raise _other_argument(run, theirs, mine)
            elif not alike(old.node, new.node):
                raise _other_argument(run, theirs, mine)
            elif names.label(old.node) in defined.letters:
                places[names.label(old.node)] = new
    if set(places) != set(defined.letters) or len(group.items) != len(defined.arguments):
        return None
    return tuple(places[letter] for letter in defined.letters)


def _other_argument(run: Run, theirs: Node, mine: Node) -> ProblemError:
    return error(
        "N2C033",
        f"`{run.quote(mine.span)}` stands where the definition has `{run.quote(theirs.span)}`",
        mine.span,
        "write the definition in a formula of its own, as that of a function: `f(x, y) = …`",
    )
