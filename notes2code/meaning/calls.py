"""Calls: functions of numbers, of arrays, and those that the notes or the field define."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise, takewhile

from notes2code.diagnostics import ProblemError, Span, error
from notes2code.latex.tree import (
    Apply,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Prose,
    Relation,
    Script,
    ungrouped,
    walk,
)
from notes2code.meaning import (
    applying,
    binders,
    conditions,
    divergences,
    ir,
    masks,
    names,
    of_arrays,
    powers,
    probabilities,
    projected,
    quantities,
    scripts,
    softmax,
    symbols,
)
from notes2code.meaning.run import Defined, Run
from notes2code.meaning.values import (
    Value,
    mapped,
    scalar,
)

OF_NUMBERS = {
    "exp": "exp", "log": "log", "ln": "log", "sin": "sin", "cos": "cos", "tan": "tan",
    "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "asin": "arcsin",
    "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "erf": "erf", "sigmoid": "sigmoid",
    "relu": "relu", "gelu": "gelu", "elu": "elu", "silu": "silu", "swish": "silu",
    "softplus": "softplus", "sign": "sign", "sgn": "sign", "abs": "abs", "floor": "floor",
    "ceil": "ceil", "round": "round", "sqrt": "sqrt", "logistic": "sigmoid",
}  # fmt: skip
"""Functions of numbers by their names in lower case; on arrays they act element by element."""

GREEK_FUNCTIONS = {"sigma": "sigmoid", "Phi": "normal_cdf"}
"""What these letters are when they are called and the notes do not say."""

_INVERSES = {"sin": "arcsin", "cos": "arccos", "tan": "arctan"}

_DIVERGENCES = frozenset(["D", "KL", "JS", "JSD"])
_MAYBE_FUNCTIONS = frozenset([*"fgFGKkaspPEDHLRTulhr", "ell"])

_MATRICES = frozenset("ABCMOUWXY")
"""Capitals that may be multiplied by a letter in parentheses, as in ``W(x)``."""


def call_at(run: Run, factors: Sequence[Node], at: int) -> tuple[Value, int] | None:
    """The value of a call that begins at a factor, and where the next factor is."""
    name = factors[at]
    if _is_one(name):
        return _indicator(run, factors, at)
    if not scripts.is_name(name) or at + 1 >= len(factors):
        return None
    behind = factors[at + 1]
    group = behind.base if isinstance(behind, Script) else behind
    if not isinstance(group, Group) or group.open not in ("(", "[", "{", ""):
        return None
    if isinstance(behind, Script) and not isinstance(behind.base, Group):
        return None
    _refuse_inverse(run, name, group)
    if group is behind and (squared := _raised_call(run, name, group)) is not None:
        return squared, at + 2
    repeated = _repeats_definition(run, name, group)
    if repeated is not None:
        scripted = repeated if group is behind else _scripts_of_call(run, repeated, behind)
        return scripted, at + 2
    if group is behind and (element := _element(run, name, group)) is not None:
        return element, at + 2
    if _is_among_places(run, name, group):
        raise _looked_up(run, name, group)
    if not is_function(run, name, group):
        if not _is_raised(behind):
            _refuse_unclear_call(run, name, group)
            _refuse_kernel(run, factors, at)
        return None
    _refuse_spelt_name(run, factors[: at + 1], group)
    if isinstance(behind, Script) and _tells_axis(run, name, behind):
        name = Script(name, behind.sub, None, 0, name.span)
        behind = replace(behind, sub=None)
    value = call(run, name, group)
    if isinstance(behind, Script):
        value = _scripts_of_call(run, value, behind)
    return value, at + 2


def _tells_axis(run: Run, name: Node, behind: Script) -> bool:
    """Whether the j of ``softmax(q_i^⊤ k_j)_j`` tells what the softmax runs over: it counts the
    scores inside."""
    if not isinstance(name, Name) or not isinstance(behind.sub, Name):
        return False
    letter = behind.sub.text
    if not softmax.is_softmax(name.text) or letter not in run.indices:
        return False
    used = (run.seen.understood(node) for node in walk(behind.base))
    inside = any(names.label(at.node) == letter for use in used if use for at in use.indices)
    assert isinstance(behind.base, Group)
    items = behind.base.items
    return inside and len(items) == 1 and run.lower(items[0]).rank == 0


def _raised_call(run: Run, name: Node, group: Group) -> Value | None:
    """``\\mathrm{ReLU}^2(x)``, which is the square of what the function gives, and
    ``\\sigma^2(x)`` where the formula or the notes define it."""
    if not isinstance(name, Script) or name.sub is not None or not isinstance(name.sup, Num):
        return None
    base = name.base
    if not isinstance(base, Name):
        return None
    squared = f"{scripts.bare_name(base)}_squared"
    if scripts.is_two(name.sup) and applying.known(run, squared) is not None:
        return call(run, Name(squared, name.span), group)
    if _builtin(base.text) is not None or applying.known(run, scripts.bare_name(base)) is not None:
        return powers.raised(run, call(run, base, group), name.sup, name)
    if len(group.items) == 1 and scripts.is_name(group.items[0]) and group.open == "(":
        raise _unclear_call(run, name, group)  # nobody puts a lone factor into parentheses
    return None


def _refuse_spelt_name(run: Run, factors: Sequence[Node], group: Group) -> None:
    """``LCS(X, Y)``, whose letters nothing joins, is hardly L times C times S(X, Y)."""
    spelt = list(takewhile(_is_capital, reversed(factors)))
    if not spelt:
        return
    last = run.seen.use(spelt[0])
    unknown = is_unknown(run, last) or _lacks_index(run, last)
    together = len(spelt) == 2 and _is_spelt(run, spelt[1], spelt[0])
    if unknown and ((len(spelt) > 2 and len(group.items) > 1) or together):
        span = spelt[-1].span.to(spelt[0].span)
        raise error(
            "N2C033",
            f"`{run.quote(span)}` may be one name, or a product of its letters",
            span,
            f"write `\\mathrm{{{run.quote(span)}}}` for the name",
        )


def _is_spelt(run: Run, first: Node, last: Node) -> bool:
    """Whether two capitals stand right beside each other, of which the first is no weight and
    occurs nowhere else: the SE of ``SE(x)``."""
    name = run.seen.use(first).name
    once = sum(run.seen.use(n).name == name for n in run.seen.nodes.of(Name)) == 1
    known = name in run.shapes | run.defined or name in run.scope.arrays
    return first.span.end == last.span.start and name not in ("W", "U") and once and not known


def _lacks_index(run: Run, use: scripts.Use) -> bool:
    """Whether a function that is defined with an index, ``E_i(x)``, is called without it."""
    found = applying.known(run, use.name)
    return found is not None and found.numbered > len(use.indices)


def _is_capital(node: Node) -> bool:
    return isinstance(node, Name) and len(node.text) == 1 and node.text.isupper()


def _element(run: Run, name: Node, group: Group) -> Value | None:
    """``score(i, j)`` where the notes define an array of that name by its places: score_{ij}."""
    use = run.seen.use(name)
    letters = [item.text for item in group.items if isinstance(item, Name)]
    if use.name not in run.scope.arrays | run.defined.keys() or use.indices:
        return None
    if len(letters) < max(2, len(group.items)) or not set(letters) <= run.indices.keys():
        return None
    if applying.known(run, use.name) is not None:  # typed as a function, beside its definition
        return None
    places = tuple(scripts.At(item) for item in group.items)
    return symbols.value_at(run, replace(use, indices=places))


def _refuse_inverse(run: Run, name: Node, group: Group) -> None:
    """``f^{-1}(p)`` is the inverse function of f at p, and no quotient: that of a number stands
    before a sum in parentheses."""
    use = run.seen.use(name)
    if use.power is None or not _is_minus_one(use.power) or group.open != "(":
        return
    base = names.base_letter(use.name)
    known = applying.known(run, use.name) is not None or _builtin(use.name) is not None
    alone = len(group.items) == 1 and scripts.is_name(group.items[0])
    if (known or alone or base in _FUNCTION_LETTERS) and use.name not in run.shapes:
        raise error(
            "N2C037",
            f"the inverse function of `{base}` cannot be computed",
            name.span.to(group.span),
            "define it, or write a `\\frac` where a quotient is meant",
        )


_FUNCTION_LETTERS = frozenset([*"fgFG", "phi", "psi", "Phi", "Psi"])


def _is_minus_one(node: Node) -> bool:
    return isinstance(node, Neg) and isinstance(node.body, Num) and node.body.text == "1"


def _is_raised(behind: Node) -> bool:
    """Whether parentheses only hold a name with something above it, as in ``Q^{(h)}
    (K^{(h)})^⊤``."""
    match behind:
        case Script(Group("(", (Script() as inner,)), None, sup):
            return sup is not None and inner.sup is not None
    return False


def _refuse_unclear_call(run: Run, name: Node, group: Group) -> None:
    """``g_i(x)`` may be a function of each i at x, or a product; ``X(input)`` is hardly one."""
    use = run.seen.use(name)
    if group.open == "[" and ":" in group.separators and _counts(group.items):
        raise error(
            "N2C032",
            f"the slice `{run.quote(name.span.to(group.span))}` is not understood",
            group.span,
            "write the elements by their index, such as `x_i` and `x_{i+d/2}`",
        )
    if group.open == "[" and len(group.items) == 1 and _is_place(run, group.items[0]):
        raise _looked_up(run, name, group)
    alone = len(group.items) == 1 and scripts.is_name(group.items[0]) and group.open == "("
    product = len(group.items) == 1 and isinstance(group.items[0], Juxt) and group.open == "("
    if names.base_letter(use.name) == "N" and (alone or product):
        raise _unclear_call(run, name, group)  # the N of N_q(W x) may be a normalisation
    if alone and _is_remark(run, group.items[0]):
        raise error(
            "N2C033",
            f"`{run.quote(name.span.to(group.span))}` may be a call, a product or a remark",
            name.span.to(group.span),
            "leave the parentheses out for a product, and write a remark in `\\text{…}`",
        )
    if alone and use.indices and use.name in run.seen.called and use.power is None:
        raise _unclear_call(run, name, group)


def _looked_up(run: Run, name: Node, group: Group) -> ProblemError:
    return error(
        "N2C032",
        f"`{run.quote(name.span.to(group.span))}` looks a row up, and is not computed",
        group.span,
        "write the lookup as a product with one-hot rows, such as `x_i = u_i E`",
    )


def _unclear_call(run: Run, name: Node, group: Group) -> ProblemError:
    where = name.span.to(group.span)
    text = f"`{run.quote(where)}` may be a call or a product"
    return error("N2C033", text, where, "leave the parentheses out for a product")


def _counts(items: Sequence[Node]) -> bool:
    """Whether numbers stand there, or sums and quotients: the ends of a slice."""
    return any(isinstance(item, Num | Frac | Infix) for item in items)


def _refuse_kernel(run: Run, factors: Sequence[Node], at: int) -> None:
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


def _is_place(run: Run, node: Node) -> bool:
    """Whether a name in brackets is the place of a row, as in ``E[x_i]`` and ``P[i]``."""
    if isinstance(node, Infix) and node.op in ("+", "-"):  # the x[n-i] of a filter
        return _counted(run, node)
    use = run.seen.understood(node)
    return use is not None and (bool(use.indices) or use.name[:1].islower())


def _is_among_places(run: Run, name: Node, group: Group) -> bool:
    """Whether brackets hold nothing but places, and no function stands before them: ``x[i-1]``."""
    parts = walk(group)[1:]
    letters = {n.text for n in parts if isinstance(n, Name)}
    if group.open != "[" or ";" in group.separators or letters.isdisjoint(run.indices):
        return False
    if not all(isinstance(n, Name | Num | Infix) for n in parts):
        return False
    if not all(_counted(run, item) for item in group.items):
        return False
    return is_unknown(run, run.seen.use(name)) and not of_arrays.is_expectation(run, name, group)


def _counted(run: Run, node: Node) -> bool:
    """Whether all letters of a place count."""
    letters = [n.text for n in walk(node) if isinstance(n, Name)]
    return bool(letters) and {*run.indices, *run.parameters}.issuperset(letters)


def _is_remark(run: Run, node: Node) -> bool:
    """Whether a word in small letters is a remark: the ``input`` of ``X(input)``."""
    return probabilities.is_word(run, node) and names.base_letter(run.seen.use(node).name).islower()


def _repeats_definition(run: Run, name: Node, group: Group) -> Value | None:
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
    tell."""
    places: dict[str, scripts.At] = {}
    for theirs, mine in zip(defined.arguments, group.items, strict=False):
        before, now = run.seen.understood(theirs), run.seen.understood(mine)
        if before is None or now is None or before.name != now.name:
            return None
        for old, new in zip(before.indices, now.indices, strict=False):
            places[names.label(old.node)] = new
    if set(places) != set(defined.letters) or len(group.items) != len(defined.arguments):
        return None
    return tuple(places[letter] for letter in defined.letters)


def _scripts_of_call(run: Run, value: Value, behind: Node) -> Value:
    assert isinstance(behind, Script)
    if behind.primes:
        where = value.span.to(behind.span)
        raise error(
            "N2C033",
            f"the prime of `{run.quote(where)}` may be a derivative or a transpose",
            where,
            "write `^\\top` for the transpose; a derivative cannot be computed",
        )
    if behind.sub is not None:
        _refuse_unknown_elements(run, value, behind.sub)
        value = powers.index(run, value, behind.sub)
    if behind.sup is not None:
        value = powers.raised(run, value, behind.sup, behind)
    return value


def _refuse_unknown_elements(run: Run, value: Value, sub: Node) -> None:
    """The i of ``G(x)_i`` counts what an unknown function gives, which need not be as many as x."""
    called = value.body.function if isinstance(value.body, ir.Call) else ""
    symbol = run.symbols.get(called)
    if symbol is None or symbol.kind != "function" or called in names.FEATURE_MAPS:
        return
    raise error(
        "N2C030",
        f"how many elements `{run.quote(value.span)}` has is not known",
        sub.span,
        f"define `{called}`, or write the number of the function below its name",
    )


def is_function(run: Run, name: Node, group: Group) -> bool:
    """Whether a name before parentheses is called rather than multiplied."""
    use = run.seen.use(name)
    if use.transposed or use.power is not None:
        return False
    if of_arrays.is_expectation(run, name, group):
        return True
    if masks.kind(run, use.name):
        return True
    if applying.known(run, use.name) is not None or _builtin(use.name) is not None:
        return group.open in ("(", "[") or _builtin(use.name) is not None
    word = len(names.base_letter(use.name)) > 2 and use.name[0].isupper()
    if group.open not in ("(", "[") and not (word and group.open == "{"):
        return False
    if probabilities.is_probability(run, use, group):
        return True
    symbol = run.symbols.get(use.name)
    if symbol is not None:
        return symbol.kind == "function"
    if group.open == "[" and len(group.items) == 1 and _is_array(run, group.items[0]):
        return use.name in run.seen.called
    if use.name in run.defined:
        return False
    if use.name in run.shapes or use.name in run.scope.arrays:
        # The deviation σ of a norm is never called: σ(…) is a sigmoid all the same.
        called = use.name in run.seen.called
        return called and (use.name == "sigma" or _is_given_as_one(run, use, group))
    return _may_be_called(run, name, group)


def _is_given_as_one(run: Run, use: scripts.Use, group: Group) -> bool:
    """Whether what is an array elsewhere in the note is a function here: nobody multiplies a small
    letter by a list, ``f(s_{t-1}, y_t)``, or writes a factor in parentheses, ``p(x)``."""
    listed = "," in group.separators and not any(isinstance(item, Dots) for item in group.items)
    alone = len(group.items) == 1 and scripts.is_name(group.items[0])
    base = names.base_letter(use.name)
    of_vector = alone and names.base_letter(run.seen.use(group.items[0]).name).islower()
    small = base.islower() or (of_vector and base not in _MATRICES)  # Q(K^⊤) is a product
    return small and use.name not in run.shapes and group.open == "(" and (listed or alone)


def _may_be_called(run: Run, name: Node, group: Group) -> bool:
    """Whether a name of which nothing is known is called, as its letter and its use show."""
    use = run.seen.use(name)
    base = names.base_letter(use.name)
    if len(base) > 1 and base not in names.GREEK:
        return use.name in run.seen.called or base[0].isupper()
    if "," in group.separators and group.open == "(":
        return use.name in run.seen.called
    if use.name in run.scope.callees and base not in _MATRICES:
        return True
    if base.isupper() and quantities.is_amount(group):
        return False  # the L of so many layers, of 4 d^2 weights each
    if base in GREEK_FUNCTIONS or base in ("phi", "psi", "rho"):
        return use.name in run.seen.called or not use.indices
    if use.name not in run.seen.called:
        return False
    # Nobody writes a factor x in parentheses: \gamma(c), q(x), and E_i(x), one of several experts.
    alone = len(group.items) == 1 and scripts.is_name(group.items[0])
    if alone and base.isupper() and run.seen.use(group.items[0]).transposed:
        return False  # but a K^⊤, behind a Q
    if base in names.GREEK:
        return alone and not use.indices
    if use.indices:
        expert = alone and (base in _FUNCTION_LETTERS or base == "E")
        return expert or (base in _MAYBE_FUNCTIONS and _is_passed_on(run, name, group))
    is_passed = base.islower() and (_is_passed_on(run, name, group) or _is_call(group))
    return base in _MAYBE_FUNCTIONS or is_passed or (alone and base not in _MATRICES)


def _is_call(group: Group) -> bool:
    """Whether parentheses hold a call and nothing else, as those of ``b(\\phi(x, y))`` do: a factor
    would need none."""
    match group:
        case Group("(", (Juxt((name, Group("("))),)):
            return scripts.is_name(name)
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
        for behind in (group.base if isinstance(group, Script) else group,)
        if isinstance(behind, Group) and behind.open == "(" and len(behind.items) == 1
        if isinstance(behind.items[0], Name) and behind.items[0].text == letter
    }
    return letter in run.whole_parameters or bool(others - {own, ""})


def _is_array(run: Run, node: Node) -> bool:
    """Whether a name in brackets is a whole matrix, as in ``K[X]``: no index, and no product."""
    use = run.seen.understood(node)
    return use is not None and not use.indices and use.name.isupper() and use.name != "T"


def is_unknown(run: Run, use: scripts.Use) -> bool:
    """Whether neither the notes nor the field say what a function is."""
    named = use.name in run.defined or use.name in GREEK_FUNCTIONS
    return not (named or applying.known(run, use.name) is not None or _builtin(use.name))


def is_known(name: str) -> bool:
    """Whether everybody knows a function by its name: the softmax, or one of numbers."""
    return name.lower() in names.FUNCTIONS or name.replace("_", "").lower() in OF_NUMBERS


def _builtin(name: str) -> str | None:
    plain = name.replace("_", "").lower()
    if plain in OF_NUMBERS:
        return OF_NUMBERS[plain]
    if plain in of_arrays.BY_NAME or plain in of_arrays.REDUCTIONS:
        return plain
    if plain.startswith(("swish", "linear")) or softmax.is_softmax(name):
        return plain
    return None


def call(run: Run, name: Node, group: Group) -> Value:
    """The value of ``name(…)``."""
    use = run.seen.use(name)
    span = name.span.to(group.span)
    if not group.items:
        raise error("N2C041", f"`{use.name}` is given nothing", group.span)
    named, use = use.name, replace(use, name=applying.without_number(run, use.name))
    equation = applying.known(run, use.name)
    if equation is not None and len(group.items) != len(equation.parameters):
        # Beside P(x) = …, P(x_i | x_{<i}) is still a probability.
        equation = None if probabilities.is_probability(run, use, group) else equation
    if equation is not None:
        items = _in_order(run, use, group, equation.parameters)
        arguments = projected.arguments(run, use.name, equation, items)
        return applying.apply(run, use, equation, arguments, span, named)
    if use.name in run.defined:
        raise error("N2C033", f"`{use.name}` is called and is an array", name.span)
    if use.name == "N" and ";" in group.separators and len(group.items) == 3:
        raise error("N2C037", "the density of a normal distribution is not computed", span)
    hidden = masks.called(run, name, group, span)
    if hidden is not None:
        return hidden
    if of_arrays.is_expectation(run, name, group):
        return of_arrays.expectation(run, group, span)
    plain = use.name.replace("_", "").lower()
    if plain in _OF_SETS and len(group.items) == 1 and _is_list(group.items[0]):
        group = _listed(group)
    if use.name.lower().startswith("swish_"):
        return _swish(run, use.name, group, span)
    if plain in OF_NUMBERS:
        return _of_numbers(run, OF_NUMBERS[plain], group, span)
    if plain in of_arrays.BY_NAME:
        return of_arrays.BY_NAME[plain](run, name, group, span)
    if softmax.is_softmax(use.name):
        return softmax.called(run, name, group, span)
    if plain.startswith("linear"):
        return applying.linear(run, name, group, span)
    if plain in of_arrays.REDUCTIONS:
        return of_arrays.reduction(run, of_arrays.REDUCTIONS[plain], group, span)
    if probabilities.is_probability(run, use, group):
        return probabilities.probability(run, use, group, span)
    if use.name in _greek_functions(run) and len(group.items) == 1:
        return _of_numbers(run, GREEK_FUNCTIONS[use.name], group, span)
    if names.base_letter(use.name) in _DIVERGENCES and _compares_two(group):
        return divergences.divergence(run, use.name, group, span)
    if any(isinstance(item, Dots) for item in group.items):
        raise error("N2C037", f"what `{use.name}` makes of a list is not said", span)
    items = [item for item in _in_order(run, use, group) if not isinstance(item, Prose)]
    arguments = projected.arguments(run, use.name, None, items)
    for pair in pairwise(zip(items, arguments, strict=True)):
        (mine, left), (theirs, right) = pair
        symbols.forbid_own_element(run, (mine, theirs), left, right)
    return applying.unknown(run, use, arguments, span)


_OF_SETS = of_arrays.REDUCTIONS.keys() | {"var", "std"}


def _is_list(node: Node) -> bool:
    """Whether a node is ``\\{r_1, …, r_n\\}``."""
    return isinstance(node, Group) and node.open == "{" and len(node.items) > 1


def _listed(group: Group) -> Group:
    """The argument of ``mean(\\{r_1, …, r_n\\})`` as the vector of these numbers."""
    (members,) = group.items
    assert isinstance(members, Group)
    return replace(group, items=(replace(members, open="["),))


def _in_order(
    run: Run, use: scripts.Use, group: Group, parameters: Sequence[str] = ()
) -> Sequence[Node]:
    """The arguments of a call, also where they are named: ``Attention(Q = X, K = Z, V = Z)``; the
    named ones stand last, as in ``\\mathrm{TopK}(x, k = 2)``."""
    given: list[Node] = []
    named: dict[str, Node] = {}
    for item in group.items:
        match item:
            case Relation((left, right), ("=",)) if left and right and scripts.is_name(left):
                named[run.seen.use(left).name] = right
            case _ if not named:
                given.append(item)
    if not named or len(given) + len(named) < len(group.items):
        return group.items
    expected = parameters[len(given) :] or tuple(named)
    if named.keys() != set(expected):
        raise error(
            "N2C041",
            f"`{use.name}` takes ({', '.join(parameters)}), not ({', '.join(named)})",
            group.span,
            "give the arguments the names that they have in its definition, or none",
        )
    return [*given, *(named[name] for name in expected)]


def _greek_functions(run: Run) -> Set[str]:
    """The letters that are known functions: the Φ(Q) of attention is a feature map, and beside a
    mean ``μ(x)`` or a signal ``α(t)`` a σ is its deviation."""
    others = {"Phi"} if run.seen.attends else set()
    if not run.seen.called.isdisjoint(("mu", "alpha")):
        others.add("sigma")
    return GREEK_FUNCTIONS.keys() - others


def _compares_two(group: Group) -> bool:
    """Whether something stands beside something else, as in ``KL(p ‖ q)``."""
    return "‖" in group.separators or any(
        isinstance(node, Infix) and node.op == "‖" for node in walk(group)
    )


def applied(run: Run, node: Apply) -> Value:
    """``\\sin x``, ``\\log p``: functions of the field, with or without parentheses."""
    function, argument = node.function, node.argument
    base = function.base if isinstance(function, Script) else function
    assert isinstance(base, Name)
    behind: Script | None = None
    if isinstance(argument, Script) and isinstance(argument.base, Group) and argument.base.open:
        behind, argument = replace(argument, base=node), argument.base
    if isinstance(argument, Group) and argument.open in ("(", "[", "{"):
        group = argument
    else:
        group = Group("(", (argument,), (), argument.span)
    if base.text.lower() not in OF_NUMBERS:
        raise error("N2C037", f"`{base.text}` cannot be computed", base.span)
    called = OF_NUMBERS[base.text.lower()]
    if isinstance(function, Script) and function.sup and _is_minus_one(function.sup):
        if called not in _INVERSES:
            text = f"the inverse function of `{base.text}` is not known here"
            raise error("N2C037", text, function.span, "write a `\\frac` where a quotient is meant")
        called, function = _INVERSES[called], replace(function, sup=None)
    value = _of_numbers(run, called, group, node.span)
    if isinstance(function, Script):
        if function.sub is not None:
            value = _logarithm_base(run, value, base, function.sub)
        if function.sup is not None:
            value = powers.power(run, value, function.sup, node.span)
    return value if behind is None else _scripts_of_call(run, value, behind)


def _logarithm_base(run: Run, value: Value, function: Name, base: Node) -> Value:
    if function.text != "log":
        raise error("N2C037", f"a subscript on `{function.text}` is not understood", base.span)
    number = run.lower(base)
    return mapped(value, lambda e: ir.mul(e, ir.inverse(ir.Fn("log", (number.body,)))))


def _of_numbers(run: Run, function: str, group: Group, span: Span) -> Value:
    items = [item for item in group.items if not isinstance(item, Prose)]
    if function == "cos" and (vectors := _angle(items)):
        return applying.cosine(run, run.lower(vectors[0]), run.lower(vectors[1]), span)
    if len(items) != 1:
        raise error(
            "N2C041",
            f"`{function}` takes one argument, not {len(items)}",
            span,
            "write `\\max(0, x)` for the larger of two" if function == "relu" else "",
        )
    value = run.lower(items[0])
    if function == "exp":
        powers.warn_of_root(run, value, items[0], span)
    if function == "sqrt":
        return mapped(value, lambda e: ir.Pow(e, ir.HALF), span)
    return mapped(value, lambda e: ir.Fn(function, (e,)), span)


def _angle(items: Sequence[Node]) -> tuple[Node, Node] | None:
    """The two vectors of ``cos(q, k)`` and ``cos⟨q, k⟩``, between which an angle is."""
    match items:
        case [left, right] | [Group("⟨", (left, right))]:
            return left, right
    return None


def _swish(run: Run, name: str, group: Group, span: Span) -> Value:
    """``Swish_β(x) = x σ(βx)``."""
    label = name.split("_", 1)[1]
    beta = ir.Num(int(label)) if label.isdigit() else applying.number_input(run, label, span)
    value = run.lower(group.items[0])
    return mapped(value, lambda e: ir.mul(e, ir.Fn("sigmoid", (ir.mul(beta, e),))), span)


def _indicator(run: Run, factors: Sequence[Node], at: int) -> tuple[Value, int] | None:
    """``𝟙[j ≤ i]`` and ``1[j ≤ i]``."""
    group = factors[at + 1] if at + 1 < len(factors) else None
    if not isinstance(group, Group) or len(group.items) != 1:
        return None
    if not isinstance(group.items[0], Relation):
        return None
    return in_brackets(run, group.items[0]), at + 2


def in_brackets(run: Run, said: Relation) -> Value:
    """``[j ≤ i]``: 1 where it holds, else 0."""
    return scalar(ir.Cases(((conditions.condition(run, said), ir.ONE),), ir.ZERO), said.span)


def _is_one(node: Node) -> bool:
    """Whether a node may be the 1 or the I of an indicator."""
    match node:
        case Num("1") | Name("ones" | "I") | Name("1", _, "blackboard"):
            return True
    return False


def indicated(run: Run, node: Node) -> Value | None:
    """``𝟙_{[k ≠ i]}``, and the ``δ_{ij}`` that is 1 where both are one."""
    match node:
        case Script(Name("delta"), Juxt((left, right)) | Group("", (left, right)), None, 0):
            letters = {side.text for side in (left, right) if isinstance(side, Name)}
            known = "delta" in run.shapes | run.defined
            if len(letters) == 2 and letters & run.indices.keys() and not known:
                return in_brackets(run, Relation((left, right), ("=",), (node.span,), node.span))
        case Script(one, sub, None, 0) if _is_one(one):
            said = ungrouped(sub)
            if isinstance(said, Relation) and None not in said.operands:
                return in_brackets(run, said)
    return None
