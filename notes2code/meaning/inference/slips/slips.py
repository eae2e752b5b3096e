"""Slips of the pen that shapes cannot tell: names that do not go together."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from notes2code.diagnostics import Problem, Span, error, note, warning
from notes2code.latex.tree import (
    Accent,
    Big,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    alike,
    inside_scripts,
    juxtaposed,
    unscripted,
    walk,
)
from notes2code.latex.words import OF_MATRICES
from notes2code.meaning import names
from notes2code.meaning.inference import targets
from notes2code.meaning.inference.indices import first_numbers
from notes2code.meaning.inference.lists import ellipsis
from notes2code.meaning.inference.products import doubtful_powers
from notes2code.meaning.inference.slips.omissions import omissions
from notes2code.meaning.inference.slips.residuals import residuals
from notes2code.meaning.inference.slips.rotations import rotations
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.overview import arithmetic, means
from notes2code.meaning.overview.letter_places import (
    at_counted_places,
    in_list,
    spelt_below,
)
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement


def slips(
    stated: Sequence[Statement], seen: Survey, equation: Equation, declared: Set[str]
) -> Iterator[Problem]:
    """Warnings for names that were probably confused; ``declared`` are those with a shape. Raises
    ``ProblemError`` where one sign has two meanings."""
    defines, nodes = [s for s in stated if isinstance(s, Define)], seen.nodes
    bases = {id(node.base) for node in nodes.of(Script, Accent)}
    _refuse_two_meanings(nodes, bases)
    _refuse_spectral(nodes)
    for group in nodes.of(Group):
        ellipsis.refuse_idle(group.items)
    scripted = [node for node in nodes if type(node) in _NAMED]
    named = [(node, use) for node in scripted if (use := seen.understood(node))]
    uses = [use for node, use in named if id(node) not in bases]
    yield from _layers(nodes, seen)
    yield from _projections(nodes, defines, seen)
    yield from _two_cases(uses, equation)
    for define in defines:
        if define.target is not None and not scripts.is_name(define.target):
            labels = {id(n) for node, use in named for n in _labels(node, use)}
            said = {use.name for node, use in named if id(node) not in bases | labels}
            yield from _parameters(define.target, define, seen, said, equation)
    yield from _variances(nodes, defines)
    yield from _averages(nodes, seen, equation)
    yield from _divisors(nodes)
    yield from omissions(nodes, named, defines, seen, equation)
    yield from residuals(nodes, defines)
    yield from rotations(nodes)
    yield from means.uncounted(nodes, equation)
    yield from _elements_apart(nodes, seen, defines, equation)
    yield from _turned_numbers(named, equation)
    yield from doubtful_powers.told(named, equation, declared)
    yield from _spelt_products(nodes, equation, declared)
    yield from first_numbers.told(defines, seen, equation)


_NAMED = frozenset([Name, Script, Accent])


def _elements_apart(
    nodes: Nodes, seen: Survey, defines: Sequence[Define], equation: Equation
) -> Iterator[Problem]:
    """A note for the z_y of ``e^{z_y} / Σ_j e^{z_j}``, where nothing says that y is a place of z,
    for that of ``e^{z_{i,y}} / Σ_j e^{z_{i,j}}``, and for an h_T beside ``Σ_j h_j``: each is an
    input of its own. A warning for the p_y beside
    ``p = \\mathrm{softmax}(z)``, which is then of no use."""
    summed = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    counted: dict[str, set[str]] = defaultdict(set)
    places: dict[tuple[str, str], Span] = {}
    lists = at_counted_places(nodes)
    for node in nodes.of(Script):
        match node:
            case Script(Name(base), Name(letter), None, 0) if base.islower():
                counted[base].add(letter)
                places.setdefault((base, letter), node.span)
            case Script(Name(base)) if base in lists:
                for letter in {*spelt_below(node), *in_list(node)} & lists[base]:
                    counted[base].add(letter)
                    places.setdefault((base, letter), node.span)
    names_given = {given.name for given in equation.inputs if given.kind != "size"}
    for (base, letter), span in places.items():
        own, array = names.code_name(base, letter), names.code_name(base)
        if own not in names_given or letter in seen.bound:
            continue
        text = f"`{own}` is taken to be an input of its own, and no element of `{array}`"
        hint = "write an element as a sum with what is one-hot"
        if counted[base] & summed and array in names_given:
            yield note("N2C039", text, span, hint)
        elif any(own not in made for made in _makings(base, defines)):
            yield warning("N2C080", text, span, hint)


def _turned_numbers(
    named: Sequence[tuple[Node, scripts.Use]], equation: Equation
) -> Iterator[Problem]:
    """A warning for the v of ``v^\\top E`` that is taken for a number, as no vector fits there:
    nobody transposes numbers."""
    numbers = {one.name for one in equation.inputs if not one.shape and one.kind == "array"}
    hint = "write the indices of what it is multiplied by, or declare the shapes"
    for node, use in named:
        if use.transposed and use.name in numbers:
            text = f"`{use.name}` is transposed, and taken for a number"
            yield warning("N2C050", text, node.span, hint)
            return


def _makings(name: str, defines: Sequence[Define]) -> Iterator[set[str]]:
    """The names in what something is defined as, where it is defined last."""
    made = (one for one in defines[::-1] if one.target and names.label(one.target) == name)
    for define in itertools.islice(made, 1):
        yield {names.label(node) for value in define.values for node in walk(value)}


def _spelt_products(nodes: Nodes, equation: Equation, declared: Set[str]) -> Iterator[Problem]:
    """A warning for three capitals or more side by side, ``L + TAG``, that may be one name: none
    of the letters is declared or stands elsewhere in the formula, and at most one is that of a
    matrix in most notes."""
    spelt = [run for node in nodes.of(Juxt) for run in _spelt(node)]
    if not spelt:
        return
    ours = {id(letter) for run in spelt for letter in run}
    others = {name.text for name in nodes.of(Name) if id(name) not in ours} | declared
    arrays = {names.base_letter(given.name) for given in equation.inputs if given.shape}
    for run in spelt:
        text = "".join(map(names.label, run))
        usual = sum(letter in OF_MATRICES for letter in text) > 1
        if others.isdisjoint(text) and not arrays.isdisjoint(text) and not usual:
            yield warning(
                "N2C050",
                f"`{text}` is taken for the product of its letters",
                run[0].span.to(run[-1].span),
                f"write `\\text{{{text}}}` if it is one name",
            )


def _spelt(product: Juxt) -> Iterator[Sequence[Node]]:
    """The capitals that stand right beside each other in a product, three at least; what has a
    script ends a run."""
    if len(product.factors) < 3:
        return
    letters = [unscripted(one) for one in product.factors]
    for _, group in itertools.groupby(letters, names.is_capital):
        yield from filter(names.is_abbreviation, names.runs([*group]))


# --- T as a label ------------------------------------------------------------------------------


def _refuse_two_meanings(nodes: Nodes, bases: Set[int]) -> None:
    """``H^T`` beside ``H^L``, where H alone stands nowhere: T may be a label like L. ``bases`` are
    the nodes that have scripts or accents."""
    if "T" not in nodes.words:
        return
    marks: dict[str, set[str]] = defaultdict(set)
    places: dict[str, Span] = {}
    for node in nodes.of(Script):
        if isinstance(node.base, Name) and id(node) not in bases:
            mark = node.sup.text if isinstance(node.sup, Name) else ""
            base = names.label(replace(node, sup=None))
            marks[base].add(mark)
            if mark == "T":
                places.setdefault(base, node.span)
    # The F of ‖F^T‖_F stands nowhere alone.
    within = {id(label) for node in nodes.of(Script) for label in inside_scripts(node)}
    for name in nodes.of(Name) if places else ():
        if id(name) not in bases | within:
            marks[name.text].add("")
    for base, place in places.items():
        labels = marks[base] - {"T"}
        if labels and all(len(mark) == 1 and mark.isupper() for mark in labels):
            raise error(
                "N2C033",
                f"`{base}^T` may be the transpose of `{base}`, or a name like "
                f"`{base}^{min(labels)}`",
                place,
                "write `^\\top` for a transpose, or another label",
            )


def _refuse_spectral(nodes: Nodes) -> None:
    """The σ of ``W / σ(W)``, by which spectral normalisation divides a matrix, is no sigmoid."""
    for above, below in arithmetic.quotients(nodes):
        match below:
            case Juxt((Name("sigma"), Group("(", (inner,)))) if alike(inner, above):
                if names.is_capital(above):
                    text = "this may be the largest singular value, or a sigmoid"
                    way = (
                        "a singular value is not computed; write `\\mathrm{sigmoid}` for the other"
                    )
                    raise error("N2C033", text, below.span, way)


# --- the numbers of layers ---------------------------------------------------------------------

_WEIGHT = re.compile(r"[WUw]_(.+)")
_BIAS = re.compile(r"b_(.+)")
_PROJECTIONS = frozenset("qkvo")


def _layers(nodes: Nodes, seen: Survey) -> Iterator[Problem]:
    """``x W_1 + b_2``: a weight and the bias that is added to it belong to different layers."""
    within = {id(node.left) for node in nodes.of(Infix) if node.op in "+-"}
    for node in nodes.of(Infix):
        if node.op != "+" or id(node) in within:
            continue
        terms = binders.chain(node)
        biases = [(found, term) for term in terms if (found := _label(term, _BIAS, seen))]
        weights = [found for term in terms for found in _weights(term, seen)]
        if len(biases) != 1 or len(weights) != 1:
            continue
        (bias, place), weight = biases[0], weights[0]
        if bias != weight and _are_of_one_row(bias, weight):
            yield warning(
                "N2C080",
                f"the bias with the label {bias} is added to the weight with the label {weight}",
                place.span,
                "the code computes what is written; change one of the two if that is not meant",
            )


def _weights(term: Node, seen: Survey) -> Iterator[str]:
    """The labels of the weights among the factors of a term."""
    if isinstance(term, Infix) and term.op in "·×*@":
        factors: Sequence[Node] = binders.chain(term)
    else:
        factors = juxtaposed(term)
    for factor in factors:
        if label := _label(factor, _WEIGHT, seen):
            yield label


def _label(node: Node, pattern: re.Pattern[str], seen: Survey) -> str:
    """The label of a name that a pattern describes; "" for anything else."""
    found = pattern.fullmatch(seen.name_of(node))
    return found.group(1).lower() if found else ""


def _are_of_one_row(left: str, right: str) -> bool:
    """Whether two labels count, or tell queries, keys and values apart."""
    return (left.isdigit() and right.isdigit()) or {left, right} <= _PROJECTIONS


def _projections(nodes: Nodes, defines: Sequence[Define], seen: Survey) -> Iterator[Problem]:
    """``K W^Q``, and ``K = X W^Q``: the weight of another of the queries, keys and values."""
    for node in nodes.of(Juxt):
        for left, right in itertools.pairwise(node.factors):
            for array, weight in ((left, right), (right, left)):
                if binders.bare(array).isupper():  # a small v beside W_Q may be any vector
                    yield from _mismatch(array, weight, seen)
    for define in defines:
        value = define.values[-1]
        weights = [n for n in getattr(value, "factors", ()) if _label(n, _WEIGHT, seen)]
        if define.target is not None and len(weights) == 1:
            yield from _mismatch(define.target, weights[0], seen)


def _mismatch(array: Node, weight: Node, seen: Survey) -> Iterator[Problem]:
    label = _label(weight, _WEIGHT, seen)
    if not label:
        return
    mine, theirs = seen.understood(array), seen.understood(weight)
    if mine is None or theirs is None or mine.transposed or theirs.transposed:
        return
    letter = mine.name.lower()
    if label != letter and {label, letter} <= _PROJECTIONS - {"o"}:
        yield warning(
            "N2C080",
            f"the weight with the label {label} stands with `{mine.name}`",
            weight.span,
            "the code computes what is written; change one of the two if that is not meant",
        )


# --- variances ---------------------------------------------------------------------------------


def _variances(nodes: Nodes, defines: Sequence[Define]) -> Iterator[Problem]:
    """A lost root, ``(x − μ) / (σ² + ε)``, and a lost square, ``σ² = 1/n Σ (x − μ)``."""
    for quotient in nodes.of(Frac):
        if arithmetic.is_difference(quotient.top) and _is_variance(quotient.bottom):
            place = quotient.bottom.span
            text = "what is centred is divided by a variance, not by its root"
            yield warning("N2C080", text, place, "write `\\sqrt{…}` if that is meant")
    for define in defines:
        target = define.target
        if not isinstance(target, Script) or binders.bare(target) not in ("sigma", "s"):
            continue
        squared = scripts.is_two(target.sup)
        for node in (inner for value in define.values for inner in walk(value)):
            if (
                squared
                and isinstance(node, Big)
                and node.op == "sum"
                and arithmetic.is_difference(node.body)
            ):
                text = "differences from the mean are added up without being squared"
                yield warning("N2C080", text, node.body.span, "write `^2` if that is meant")


def _is_variance(node: Node) -> bool:
    """Whether a divisor is ``σ² + ε``."""
    if not isinstance(node, Infix) or binders.bare(node.right) not in ("epsilon", "varepsilon"):
        return False
    left = node.left
    return isinstance(left, Script) and binders.bare(left) == "sigma" and scripts.is_two(left.sup)


def _row_of(factor: Node) -> Node:
    """The ``x_i`` of ``(x_i W)``, and what is no such product itself."""
    if isinstance(factor, Group) and len(factor.items) == 1:
        inner = factor.items[0]
        return inner.factors[0] if isinstance(inner, Juxt) else inner
    return factor


def _averages(nodes: Nodes, seen: Survey, equation: Equation) -> Iterator[Problem]:
    """``Σ_j α_{ij} h_i``: the vectors are not those that are summed over."""
    axes = {given.name: len(given.shape) for given in equation.inputs}
    for node in nodes.of(Big):
        if node.op != "sum" or node.sub is None:
            continue
        body = node.body
        factors = binders.multiplied(body)
        uses = [seen.understood(_row_of(factor)) for factor in factors]
        letters = binders.bound_letters(node.sub)
        if len(factors) != 2 or uses[0] is None or uses[1] is None or len(letters) != 1:
            continue
        if uses[0].name in seen.called and not axes.get(uses[0].name):
            continue  # another function for each index
        weight, vector = (
            {n.text for at in u.indices for n in walk(at.node) if isinstance(n, Name)}
            for u in uses
            if u
        )
        is_vector = axes.get(uses[1].name, 0) > len(uses[1].indices) > 0
        if is_vector and letters[0] in weight and letters[0] not in vector:
            text = f"this is the same for every `{letters[0]}` that is summed over"
            yield warning("N2C080", text, factors[1].span, "write the index that is meant")


# --- large and small letters -------------------------------------------------------------------


def _divisors(nodes: Nodes) -> Iterator[Problem]:
    """A warning for ``1/N-1 \\sum_i x_i``, where nobody would write the 1 that the sum is taken
    times: the slash is meant to reach over all of ``N - 1``."""
    for node in nodes.of(Infix):
        match node:
            case Infix("-", Frac(_, Name()), Juxt((Num("1"), Big()))):
                text = "the slash ends before this sign, and 1 times a sum is subtracted"
                hint = "write `\\frac{1}{N-1}` for what is divided by one less"
                yield warning("N2C080", text, node.op_span, hint)


def _two_cases(uses: Sequence[Use], equation: Equation) -> Iterator[Problem]:
    """``X_m`` beside ``x_n``: two arrays of one kind whose names differ in the case alone."""
    ranks = {given.name: len(given.shape) for given in equation.inputs if given.shape}
    counted = {use.name: len(use.indices) for use in uses if use.name in ranks}
    for use in uses if len(counted) > 1 else ():
        other = _other_case(use.name)
        if use.name not in counted or other not in counted or use.name > other:
            continue
        alike = ranks[use.name] == ranks[other] and counted[use.name] == counted[other]
        if alike and counted[other]:
            yield warning(
                "N2C080",
                f"`{use.name}` and `{other}` are two arrays here, each with an index",
                use.span,
                "write one letter if one array is meant",
            )


def _labels(name: Node, use: Use) -> Iterator[Node]:
    """The names below and above a name that are indices or labels of it."""
    if isinstance(name, Script) and name.sub is not None:
        yield from walk(name.sub)
    exponential = isinstance(name, Script) and name.sub is None and binders.bare(name) == "e"
    if isinstance(name, Script) and name.sup and use.power is None and not exponential:
        yield from walk(name.sup)


def _parameters(
    target: Node, define: Define, seen: Survey, said: Set[str], equation: Equation
) -> Iterator[Problem]:
    """``FFN(x) = … X W …``: a vector that the value knows under the letter of a matrix only (the
    q_i of a Q are its rows); and ``f(Q, K, V) = softmax(QKᵀ)``: one that is left out where the
    value needs nothing but the others. The mean of what ``f(z) = z - \\bar z`` is given is not
    computed."""
    whole = targets.read_target(seen, define).whole
    inputs = {given.name for given in equation.inputs} - {*equation.parameters}
    for name in whole:
        if f"{name}_bar" in inputs:
            text = f"`{name}` with a bar may be the mean of `{name}`, and is an input of its own"
            hint = f"write `\\mathrm{{mean}}({name})` if that is meant, or else another letter"
            yield warning("N2C080", text, target.span, hint)
    known = {*said, *seen.bound, *(given.name for given in equation.inputs)}
    outcomes = _outcomes(target)
    missing = [name for name in whole if name not in known and name not in outcomes]
    arrays = {given.name for given in equation.inputs if given.shape and given.kind == "array"}
    closed = all(name in whole or names.base_letter(name) in names.WEIGHTS for name in arrays)
    for name in missing:
        other = _other_case(name)
        parts = [one for one in arrays if one.rpartition("_")[0] == name]
        if parts and name in names.WEIGHTS | names.GREEK:
            continue  # the W of f(x, W, b) are all weights
        elif parts:
            own = " and ".join(f"`{part}`" for part in sorted(parts))
            what = "are inputs of their own" if parts[1:] else "is an input of its own"
            text = f"the parameter `{name}` does not occur; {own} {what}"
        elif other in said and name.islower():
            text = f"the parameter `{name}` does not occur; `{other}` is another name"
        elif other not in said and name not in names.GREEK and closed and arrays & {*whole}:
            text = f"the parameter `{name}` does not occur"
        else:
            continue
        yield warning(
            "N2C080",
            text,
            target.span,
            "the code computes what is written; change one of the two sides if that is not meant",
        )


def _outcomes(target: Node) -> Set[str]:
    """The w of ``p(w | c)``: a probability is computed for all that can come out."""
    match target:
        case Juxt((called, Group("(", (Name(outcome), *_), ("|", *_)))):
            known = names.base_letter(names.label(called)) in names.PROBABILITIES
            return {outcome} if known else set()
    return set()


def _other_case(name: str) -> str:
    """A name of one letter, and perhaps labels, with the letter in the other case."""
    base = names.base_letter(name)
    return base.swapcase() + name[len(base) :] if len(base) == 1 else ""
