"""Whether a name before parentheses is called or multiplied."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from notes2code.diagnostics import error, note
from notes2code.latex.tree import (
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Script,
    alike,
    children,
    juxtaposed,
    unscripted,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.inference import probabilities
from notes2code.meaning.inference.calls import (
    known_functions,
    look_alikes,
    masks,
    of_arrays,
    softmax,
    well_known,
)
from notes2code.meaning.inference.calls.divergences import is_divergence
from notes2code.meaning.inference.products.gates import HADAMARD
from notes2code.meaning.inference.ranks.declared import is_of_said_kind
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation import binders, functions, scripts
from notes2code.meaning.overview import arithmetic, scales, volumes

_GREEK_FACTORS = frozenset("alpha beta gamma epsilon eta lambda mu nu omega tau Delta".split())
"""Greek letters of numbers that scale what stands in parentheses."""

_NO_BENDS = frozenset("epsilon lambda alpha eta".split())
"""Those of them that are numbers wherever they stand."""

_OF_FEATURES = frozenset("phi psi rho".split())
"""Greek letters of functions."""

_STEP_SIZES = frozenset(["eta", "alpha", "lr"])
"""What the size of a step is called."""

_TIMES = names.INDEX_LETTERS | frozenset("step steps epoch epochs iteration time T".split())
"""What the time is called that a schedule goes by."""

_MAYBE_FUNCTIONS = frozenset([*"fgFGKkaspPEDHLRTulhr", "ell"])


def is_called(run: Run, name: Node, group: Group) -> bool:
    """Whether a name before parentheses is called rather than multiplied."""
    use = run.seen.use(name)
    signs = ("nabla", "partial", "infty")
    if use.transposed or use.power is not None or binders.bare(name) in signs:
        return False
    if of_arrays.is_expectation(run, name, group) or is_divergence(use.name, group):
        return True
    if use.indices and _stands_alone(run, name):
        return False  # the f_i of f_i (k + 1) / (f_i + k), whatever f(x) is elsewhere
    if masks.kind(run, use.name):
        return True
    if _is_step_size(run, use.name, group):
        text = f"`{run.quote(name.span)}` is taken to be a number here, and not to be called"
        run.problems.append(
            note("N2C039", text, name.span, "write of which time it is, `\\eta(t)`")
        )
        return False
    if known_functions.known(run, use.name) is not None or well_known.builtin(use.name) is not None:
        return group.open in ("(", "[") or well_known.builtin(use.name) is not None
    if _are_sizes(run, use.name, group):
        return False
    word = len(names.base_letter(use.name)) > 2 and use.name[0].isupper()
    if group.open not in ("(", "[") and not (word and group.open == "{"):
        return False
    if probabilities.is_probability(run, use, group):
        return True
    if use.name in run.seen.kernels:
        return not use.indices
    symbol = run.symbols.get(use.name)
    if symbol is not None:
        return symbol.kind == "function"
    if group.open == "[" and len(group.items) == 1 and _is_array(run, group.items[0]):
        return use.name in run.seen.called
    if use.name in run.defined:
        return False
    if is_of_said_kind(run, use.name) or use.name in run.scope.arrays:
        # The deviation σ of a norm is never called: σ(…) is a sigmoid all the same.
        called = use.name in run.seen.called
        _refuse_places(run, use, name, group)
        return called and (use.name == "sigma" or _is_given_as_one(run, use, group))
    return _may_be_called(run, name, group)


def _is_step_size(run: Run, name: str, group: Group) -> bool:
    """Whether a rate that the note defines for each time, ``η(t)``, scales what parentheses hold,
    as in ``θ - η (g + λ θ)``: nothing that may be a time stands there."""
    if not is_schedule(run, name) or len(group.items) != 1:
        return False
    times = _TIMES.union(run.scope.functions[name].parameters)
    inside = map(names.label, scripts.whole_names(group.items[0]))
    return isinstance(group.items[0], Infix | Frac) and times.isdisjoint(inside)


def is_schedule(run: Run, name: str) -> bool:
    """Whether a name is the size of a step, which the note gives for each time, ``η(t)``."""
    schedule = run.scope.functions.get(name)
    known = schedule is not None and names.base_letter(name) in _STEP_SIZES
    return known and _TIMES.issuperset(run.scope.functions[name].parameters)


def _refuse_places(run: Run, use: scripts.Use, name: Node, group: Group) -> None:
    """The ``PE(pos, 2i)`` of an array is no product with a list, and what it is there is said by
    nothing that counts the places; nor is the ``I(i+m, j+n)`` of an image I, which has two axes."""
    base, written = names.base_letter(use.name), name.span.to(group.span)
    word = len(base) > 1 and base not in names.GREEK
    axes = run.shapes[use.name].axes if use.name in run.shapes else ()
    counted = run.seen.bound | names.INDEX_LETTERS
    placed = len(axes) == len(group.items) and counted.issuperset(words_in(*group.items))
    if (word or placed) and group.open == "(" and {*group.separators} == {","}:
        raise error(
            "N2C033",
            f"`{run.quote(written)}` may be an element of `{use.name}`, or a product",
            written,
            f"write the places below the name, `{use.name}_{{i,j}}`, and on the left-hand side",
        )


def _are_sizes(run: Run, name: str, group: Group) -> bool:
    """Whether a name, and all that stands in the parentheses behind it, are sizes by the shapes
    that the note declares: ``r (d + k)``. What is of a lone name, ``d(k)``, may be a distance."""
    axes = {axis for shape in run.shapes.values() for axis in shape.axes}
    lone = len(group.items) != 1 or scripts.is_name(group.items[0])
    if lone or name not in axes:
        return False
    inside = [*_labels(group.items[0])]
    return bool(inside) and axes.issuperset(inside)


def _labels(node: Node) -> Iterator[str]:
    """The names in a node, each with its scripts: the d_{in} of ``2 d_{in} + 1``."""
    if scripts.is_name(node):
        yield names.label(node)
    else:
        for inner in children(node):
            yield from _labels(inner)


def _is_given_as_one(run: Run, use: scripts.Use, group: Group) -> bool:
    """Whether what is an array elsewhere in the note is a function here: nobody multiplies a small
    letter by a list, ``f(s_{t-1}, y_t)``, or writes a factor in parentheses, ``p(x)``; a kernel has
    the letter of the keys, whose shape is declared, ``K(q, k_i)``."""
    listed = "," in group.separators and not any(isinstance(item, Dots) for item in group.items)
    alone = len(group.items) == 1 and scripts.is_name(group.items[0])
    base = names.base_letter(use.name)
    of_vector = alone and names.base_letter(run.seen.use(group.items[0]).name).islower()
    small = base.islower() or (of_vector and base not in names.MULTIPLIED)  # Q(K^⊤) is a product
    free = small and use.name not in run.shapes and (listed or alone)
    return group.open == "(" and (free or (listed and base in names.KERNELS))


def _is_weights(group: Group) -> bool:
    """Whether brackets hold a softmax and nothing else."""
    match group.items:
        case (Juxt((Name(word), Group())),):
            return softmax.is_softmax(word)
    return False


def _may_be_called(run: Run, name: Node, group: Group) -> bool:
    """Whether a name of which nothing is known is called, as its letter and its use show."""
    use = run.seen.use(name)
    base = names.base_letter(use.name)
    if len(base) > 1 and base not in names.GREEK:
        return use.name in run.seen.called or base[0].isupper()
    weighted = ";" in group.separators and base in functions.LETTERS  # f_t(x; θ), but W (q; k)
    if group.open == "(" and (weighted or "," in group.separators):
        return use.name in run.seen.called
    if use.name in run.scope.callees:
        return True
    counts = use.name in run.seen.quantities and isinstance(group.items[0], Infix)
    if base.isupper() and (volumes.is_amount(group) or counts):
        return False  # the L of so many layers, of 4 d^2 weights each
    if base in functions.GREEK_FUNCTIONS or base in _OF_FEATURES:
        return use.name in run.seen.called or not use.indices
    if use.name in run.seen.rates and isinstance(group.items[0], Infix | Frac):
        return False  # the k of e^{-k (t - t_0)}
    if _opens_its_argument(run, name, group) or _divides_alone(run, name, group):
        return True
    if use.name not in run.seen.called or _is_scale(run, base, group):
        return False
    if _is_of_step(run, name, group):
        return False
    if base in _GREEK_FACTORS and _is_all_there_is(run, name, group):
        return True
    if names.is_capital(name) and group.open == "[" and _is_weights(group):
        raise look_alikes.unclear(run, name, group)  # the L of L [softmax(S)] V may be a mask
    # Nobody writes a factor x in parentheses: \gamma(c), q(x), and E_i(x), one of several experts.
    alone = len(group.items) == 1 and scripts.is_name(group.items[0])
    if alone and base.isupper() and run.seen.use(group.items[0]).transposed:
        return False  # but a K^⊤, behind a Q
    if base in names.GREEK:
        bends = base not in _GREEK_FACTORS and (_is_affine(group) or _is_layer(group))
        return (alone or bends) and not use.indices
    if use.indices:
        expert = alone and (base in functions.LETTERS or base == "E")
        passed = _is_passed_on(run, name, group) or _is_call(group)
        return expert or (base in _MAYBE_FUNCTIONS and passed)
    is_passed = base.islower() and (_is_passed_on(run, name, group) or _is_call(group))
    network = base != "W" and use.name.rpartition("_")[2] in scripts.PARAMETERS
    factor = base in names.MULTIPLIED | {*"QKV"} or names.is_size_name(base)
    return (
        base in _MAYBE_FUNCTIONS
        or is_passed
        or (use.name.isupper() and not factor and _is_bent(group))
        or (alone and (network or base not in names.MULTIPLIED))
    )


def _is_scale(run: Run, base: str, group: Group) -> bool:
    """Whether a letter scales what stands in parentheses, as in ``s (q - z)``; what is given a
    distance of positions, ``a(i - j)``, is a function, and so is an activation, ``a(W x + b)``."""
    match group.items:
        case [Infix("-") as body] if base in scales.SCALES & run.seen.quantities:
            return run.seen.bound.isdisjoint(words_in(body))
    return False


def _is_of_step(run: Run, name: Node, group: Group) -> bool:
    """Whether a letter of one step stands before what takes something from a state, as the gate of
    ``S_t = g_t (I - β_t k_t k_t^⊤) S_{t-1}`` does."""
    match name, group.items:
        case Script(sub=Name(step)), (Infix("-", Name("I")),):
            return any(step in steps for steps in run.seen.steps.values())
    return False


def _opens_its_argument(run: Run, name: Node, group: Group) -> bool:
    """Whether what is made of F is multiplied by F again, element by element: the ``M(F) ⊙ F`` of
    channel attention is a call, since a product M F would have another shape."""
    if len(group.items) != 1 or not scripts.is_name(group.items[0]):
        return False
    for node in run.seen.nodes.of(Infix):
        for made, other in ((node.left, node.right), (node.right, node.left)):
            mine = isinstance(made, Juxt) and made.factors == (name, group)
            if node.op in HADAMARD and mine and alike(other, group.items[0]):
                return True
    return False


def _stands_alone(run: Run, name: Node) -> bool:
    """Whether a name with the same scripts stands in the formula without parentheses, too."""
    pairs = (pair for node in run.seen.nodes.of(Juxt) for pair in pairwise(node.factors))
    called = sum(alike(one, name) and isinstance(behind, Group) for one, behind in pairs)
    return sum(alike(one, name) for one in run.seen.nodes.of(Script)) > called


def _divides_alone(run: Run, name: Node, group: Group) -> bool:
    """Whether what is made of x is all that something is divided by, as in ``\\frac{1}{Z(x)}``: a
    factor would need no parentheses."""
    if len(group.items) != 1 or not scripts.is_name(group.items[0]):
        return False
    below = (divisor for _, divisor in arithmetic.quotients(run.seen.nodes))
    return any(isinstance(one, Juxt) and one.factors == (name, group) for one in below)


def _is_call(group: Group) -> bool:
    """Whether parentheses hold a call and nothing else, as those of ``b(\\phi(x, y))`` do: a factor
    would need none."""
    match group:
        case Group("(", (Juxt((name, Group("("))),)):
            return scripts.is_name(name)
    return False


def _is_layer(group: Group) -> bool:
    """Whether parentheses hold a call of a linear layer and nothing else, ``(Linear(x))``."""
    called = binders.bare(juxtaposed(group.items[0])[0]) if _is_call(group) else ""
    return called.lower().startswith("linear")


def bends_layer(run: Run, use: scripts.Use) -> bool:
    """Whether a Greek letter of no known function stands before a linear layer in parentheses: what
    bends one keeps its shape."""
    base = names.base_letter(use.name)
    if base not in names.GREEK or base in functions.GREEK_FUNCTIONS or base in _OF_FEATURES:
        return False
    pairs = (pair for node in run.seen.nodes.of(Juxt) for pair in pairwise(node.factors))
    return any(
        isinstance(behind, Group)
        and _is_layer(behind)
        and scripts.is_name(one)
        and run.seen.use(one).name == use.name
        for one, behind in pairs
    )


def _is_all_there_is(run: Run, name: Node, group: Group) -> bool:
    """Whether a letter of factors and a linear layer in the parentheses behind it are all that an
    array is made of, as in ``h = τ(Linear(x))``: the letter bends it. Where they are not, or the
    parentheses hold a ``W x + b``, the letter is a factor, which the author is told."""
    base = names.base_letter(run.seen.use(name).name)
    whole = isinstance(run.whole, Juxt) and run.whole.factors == (name, group)
    layer = _is_layer(group)
    if layer and whole and not run.gives_number and base not in _NO_BENDS | names.GAINS:
        return True
    if layer or (whole and _is_affine(group)):
        text = f"`{run.quote(name.span)}` is taken to be a number here, and not to be called"
        run.problems.append(note("N2C039", text, name.span, "say of it that it is a function"))
    return False


def _is_affine(group: Group) -> bool:
    """Whether parentheses hold a product with a matrix, ``W x``, or one with a bias, ``W x + b``:
    the δ of ``δ(W x)`` is an activation. No factor needs such parentheses, but for ``A B - C``."""
    if group.open != "(" or len(group.items) != 1:
        return False
    added = arithmetic.terms(group.items[0])
    products = (term.factors for term in added if isinstance(term, Juxt))
    kinds = [{binders.bare(factor).isupper() for factor in factors} for factors in products]
    return any(True in kind and (len(kind) > 1 or len(added) == 1) for kind in kinds)


def _is_bent(group: Group) -> bool:
    """Whether parentheses hold one product or call, and not of matrices alone, as those of ``S(W
    x)`` do: what stands before them bends that. A ``Q (K^⊤ V)`` says what is multiplied first."""
    match group:
        case Group("(", (Juxt(factors),)):
            return not all(binders.bare(factor).isupper() for factor in factors)
    return False


def _is_passed_on(run: Run, name: Node, group: Group) -> bool:
    """Whether a letter in parentheses is the parameter of what is defined, or stands behind another
    name too: the x of ``f(x) = Σ_i g_i(x) E_i(x)`` is passed on to each, and multiplies none."""
    if group.open != "(" or len(group.items) != 1 or not isinstance(group.items[0], Name):
        return False
    letter, own = group.items[0].text, binders.bare(name)
    pairs = (pair for node in run.seen.nodes.of(Juxt) for pair in pairwise(node.factors))
    others = {
        binders.bare(caller)
        for caller, group in pairs
        for behind in (unscripted(group),)
        if isinstance(behind, Group) and behind.open == "(" and len(behind.items) == 1
        if isinstance(behind.items[0], Name) and behind.items[0].text == letter
    }
    return letter in run.whole_parameters or bool(others - {own, ""})


def _is_array(run: Run, node: Node) -> bool:
    """Whether a name in brackets is a whole matrix, as in ``K[X]``: no index, and no product."""
    use = run.seen.understood(node)
    return use is not None and not use.indices and use.name.isupper() and use.name != "T"


def is_of_another_model(run: Run, name: str, group: Group) -> bool:
    """Whether an encoder or a decoder is given a vector, the z of ``Decoder(z)`` or the y_{t-1} of
    ``Decoder(y_{t-1}, c_t)``: those of Transformers take whole sequences."""
    given = (binders.bare(item) for item in group.items)
    vectors = [letter for letter in given if len(letter) == 1 and letter.islower()]
    sequences = {name for name, shape in run.shapes.items() if len(shape.axes) > 1}
    return name in ("Encoder", "Decoder") and not sequences.issuperset(vectors)
