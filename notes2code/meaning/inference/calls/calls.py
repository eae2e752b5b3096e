"""Calls: functions of numbers, of arrays, and those that the notes or the field define."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import (
    Apply,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Prose,
    Relation,
    Script,
    alike,
    unscripted,
    walk,
)
from notes2code.meaning import ir, names
from notes2code.meaning.inference import probabilities, symbols
from notes2code.meaning.inference.calls import (
    applying,
    called,
    divergences,
    known_functions,
    linear,
    look_alikes,
    masks,
    of_arrays,
    projected,
    softmax,
    well_known,
)
from notes2code.meaning.inference.products import exponentials, powers, scripted_values
from notes2code.meaning.inference.run import Run, Symbol
from notes2code.meaning.inference.sums import indicators
from notes2code.meaning.inference.values import Value, mapped
from notes2code.meaning.notation import binders, functions, script_reader, scripts
from notes2code.meaning.notation.scripts import Use

_INVERSES = {"sin": "arcsin", "cos": "arccos", "tan": "arctan"}


def call_at(run: Run, factors: Sequence[Node], at: int) -> tuple[Value, int] | None:
    """The value of a call that begins at a factor, and where the next factor is."""
    if at + 1 >= len(factors):
        return None
    name, behind = factors[at], factors[at + 1]
    group = unscripted(behind)
    if not isinstance(group, Group):
        return None
    if indicators.may_be(name, group):
        found = indicators.before_brackets(run, factors, at)
        if found is not None or binders.bare(name) != "I":  # the I(L) of a leaf is its impurity
            return found
    if not scripts.is_name(name) or group.open not in ("(", "[", "{", ""):
        return None
    if look_alikes.are_scores(name, behind):
        return None
    look_alikes.refuse_inverse(run, name, group)
    look_alikes.refuse_gradient(run, factors[:at], group)
    if group is behind and (squared := _raised_call(run, name, group)) is not None:
        return squared, at + 2
    repeated = look_alikes.repeated(run, name, group)
    if repeated is not None:
        scripted = repeated if group is behind else _scripts_of_call(run, repeated, behind)
        return scripted, at + 2
    if group is behind and (element := look_alikes.element(run, name, group)) is not None:
        return element, at + 2
    if look_alikes.is_among_places(run, name, group):
        raise look_alikes.looked_up(run, name, group)
    look_alikes.refuse_spelt_word(run, factors[: at + 1], group)
    if not called.is_called(run, name, group):
        if not look_alikes.is_raised(behind):
            look_alikes.refuse_unclear(run, name, group)
            look_alikes.refuse_kernel(run, factors, at)
            look_alikes.refuse_made_matrix(run, factors, at)
        return None
    look_alikes.refuse_spelt_name(run, factors[: at + 1], group)
    look_alikes.tell_spelt_word(run, factors[: at + 1], group)
    look_alikes.refuse_raised_share(run, name, behind)
    if isinstance(behind, Script):
        name, behind = _with_script_behind(run, name, behind)
    value = call(run, name, group)
    _tell_sigmoid(run, name, group, behind, value)
    if isinstance(behind, Script):
        value = _scripts_of_call(run, value, behind)
    place = factors[at + 2] if at + 2 < len(factors) else None
    look_alikes.refuse_operator(run, name, group, place)
    if isinstance(place, Group) and look_alikes.is_place(run, place):  # softmax(x)[i]
        return scripted_values.index(run, value, place.items[0]), at + 3
    return value, at + 2


def _with_script_behind(run: Run, name: Node, behind: Script) -> tuple[Node, Script]:
    """The name of a function with the axis, or the element, that is written behind its
    parentheses, and what is left of the script there."""
    if not _tells_axis(run, name, behind):
        if not _picks_element(run, name, behind):
            return name, behind
        run.picked.add(run.seen.use(name).name)
    return Script(name, behind.sub, None, 0, name.span), replace(behind, sub=None)


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


def _picks_element(run: Run, name: Node, behind: Script) -> bool:
    """Whether the i of ``G(x)_i`` counts the numbers that a letter, or a gate, gives which nobody
    defines: it is another number for each i, as ``G_i(x)`` is."""
    if not isinstance(name, Name) or not isinstance(behind.sub, Name):
        return False
    use = run.seen.use(name)
    letter = len(use.name) == 1 or _GATES.search(use.name) is not None
    known = use.name in names.FEATURE_MAPS or not well_known.is_unknown(run, use)
    return letter and not known and behind.sub.text in run.indices


_GATES = re.compile("gat(e|ing)|rout|top_?k", re.IGNORECASE)


def _raised_call(run: Run, name: Node, group: Group) -> Value | None:
    """``\\mathrm{ReLU}^2(x)``, which is the square of what the function gives, and
    ``\\sigma^2(x)`` where the formula or the notes define it."""
    if not isinstance(name, Script) or name.sub is not None or not isinstance(name.sup, Num):
        return None
    base = name.base
    if not isinstance(base, Name):
        return None
    squared = f"{script_reader.bare_name(base)}_squared"
    if scripts.is_two(name.sup) and known_functions.known(run, squared) is not None:
        return call(run, Name(squared, name.span), group)
    known = known_functions.known(run, script_reader.bare_name(base)) is not None
    if known or well_known.builtin(base.text) is not None:
        return scripted_values.raised(run, call(run, base, group), name.sup, name)
    if len(group.items) == 1 and scripts.is_name(group.items[0]) and group.open == "(":
        raise look_alikes.unclear(run, name, group)  # nobody puts a lone factor into parentheses
    return None


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
        value = scripted_values.index(run, value, behind.sub)
    if behind.sup is not None:
        value = scripted_values.raised(run, value, behind.sup, behind)
    return value


def _refuse_unknown_elements(run: Run, value: Value, sub: Node) -> None:
    """The i of ``G(x)_i`` counts what an unknown function gives, which need not be as many as x."""
    called = value.body.function if isinstance(value.body, ir.Call) else ""
    symbol = run.symbols.get(called)
    if symbol is None or symbol.kind != "function" or called in names.FEATURE_MAPS:
        return
    if functions.TURNS_HALF.fullmatch(called):
        run.pay(2.2 * (value.rank != 1))  # as many as a vector has
        return
    raise error(
        "N2C030",
        f"how many elements `{run.quote(value.span)}` has is not known",
        sub.span,
        f"define `{called}`, or write the number of the function below its name",
    )


def call(run: Run, name: Node, group: Group) -> Value:
    """The value of ``name(…)``."""
    use = run.seen.use(name)
    span = name.span.to(group.span)
    if not group.items:
        raise error("N2C041", f"`{use.name}` is given nothing", group.span)
    named, plain = use.name, known_functions.without_number(run, use.name)
    use = use if plain == named else replace(use, name=plain)
    equation = known_functions.known(run, use.name)
    if equation is not None and len(equation.parameters) == 2 > len(group.items):
        group = replace(group, items=tuple(divergences.compared(group)) or group.items)
    if equation is not None and len(group.items) != len(equation.parameters):
        # Beside P(x) = …, P(x_i | x_{<i}) is still a probability.
        equation = None if probabilities.is_probability(run, use, group) else equation
    if equation is not None and equation is run.scope.field.get(use.name.lower()):
        equation = None if called.is_of_another_model(run, use.name, group) else equation
    if equation is not None:
        items = _in_order(run, use, group, equation.parameters)
        arguments = projected.arguments(run, use.name, equation, items)
        return applying.apply(run, use, equation, arguments, span, named)
    found = _of_several(run, name, use, group) or _of_field(run, name, use, group)
    return found or _undefined(run, use, group, span)


def _of_several(run: Run, name: Node, use: Use, group: Group) -> Value | None:
    """What is no function of numbers, nor of one array: a divergence, a mask, an expectation."""
    span = name.span.to(group.span)
    if divergences.is_divergence(use.name, group):
        return divergences.divergence(run, use.name, group, span)
    if use.name in run.defined:
        raise error("N2C033", f"`{use.name}` is called and is an array", name.span)
    if use.name in ("N", "N_cal") and len(group.items) == 3 and group.separators[0] in ";|":
        text = "the density of a normal distribution is not computed"
        raise error("N2C037", text, span, "write it out, as a power of e")
    hidden = masks.called(run, name, group, span)
    if hidden is not None:
        return hidden
    if of_arrays.is_expectation(run, name, group):
        return of_arrays.expectation(run, name, group, span)
    if isinstance(name, Script) and of_arrays.is_spread(run, name):
        return of_arrays.spread(run, name, group, span)
    if _over_set(name) and not softmax.is_softmax(use.name):
        text = f"what `{run.quote(name.span)}` makes of all members of a set is not said"
        raise error("N2C037", text, name.span, "write a sum, a mean or a maximum as `\\sum_{…}`")
    return None


def _of_field(run: Run, name: Node, use: Use, group: Group) -> Value | None:
    """A call of what the field knows by its name, or takes for a probability."""
    span = name.span.to(group.span)
    plain = names.as_word(use.name)
    if plain in _OF_SETS and len(group.items) == 1 and _is_list(group.items[0]):
        group = _listed(group)
    elif plain in _OF_SETS - of_arrays.REDUCTIONS.keys() and any(
        isinstance(item, Dots) for item in group.items
    ):
        group = replace(group, items=(replace(group, open="["),))
    if use.name.lower().startswith("swish_"):
        return _swish(run, use.name, group, span)
    if plain in functions.LEAKY:
        return _leaky(run, name, group, span)
    if plain in functions.OF_NUMBERS:
        return _of_numbers(run, functions.OF_NUMBERS[plain], group, span)
    if plain in of_arrays.BY_NAME:
        return of_arrays.BY_NAME[plain](run, name, group, span)
    if softmax.is_softmax(use.name):
        return softmax.called(run, name, group, span)
    if plain.startswith("linear"):
        return linear.layer(run, name, group, span)
    if plain in of_arrays.REDUCTIONS:
        return of_arrays.reduction(run, of_arrays.REDUCTIONS[plain], group, span)
    if probabilities.is_probability(run, use, group):
        return probabilities.probability(run, use, group, span)
    if use.name in _greek_functions(run) and len(group.items) == 1:
        _tell_normal(run, use, group)
        return _of_numbers(run, functions.GREEK_FUNCTIONS[use.name], group, span)
    return None


def _undefined(run: Run, use: Use, group: Group, span: Span) -> Value:
    """A call of what nobody defines: a projection by its name, or a function that is given."""
    if any(isinstance(item, Dots) for item in group.items):
        raise error("N2C037", f"what `{use.name}` makes of a list is not said", span)
    if linear.is_projection(run, use.name) and len(group.items) == 1 and not use.indices:
        return linear.projection(run, use.name, group, span)
    items = [item for item in _in_order(run, use, group) if not isinstance(item, Prose)]
    arguments = projected.arguments(run, use.name, None, items)
    for pair in pairwise(zip(items, arguments, strict=True)):
        (mine, left), (theirs, right) = pair
        symbols.forbid_own_element(run, (mine, theirs), left, right)
    return applying.undefined(run, use, arguments, span)


def _over_set(name: Node) -> bool:
    """Whether a function is one of all members of a set: ``\\mathrm{AGG}_{u ∈ N(v)}``."""
    below = name.sub if isinstance(name, Script) else None
    return isinstance(below, Relation) and below.signs == ("∈",)


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
    if named.keys() == {*"QKV"} != {*expected} and not given:
        expected = ("Q", "K", "V")  # in the order in which any attention is given them
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
    return functions.GREEK_FUNCTIONS.keys() - others


def _tell_normal(run: Run, use: scripts.Use, group: Group) -> None:
    """The Φ of a GELU, ``x Φ(x)``, is the normal distribution's; any other may be a feature map."""
    products = [one.factors for one in run.seen.nodes.of(Juxt)]
    products += [
        binders.chain(one) for one in run.seen.nodes.of(Infix) if one.op in ("·", "×", "*")
    ]
    factors = (factor for product in products for factor in product)
    gates = any(alike(factor, group.items[0]) for factor in factors)
    if use.name == "Phi" and not gates and not any("gelu" in x.lower() for x in run.defines):
        text = f"`{run.quote(use.span)}` is taken for the normal distribution's function"
        run.problems.append(note("N2C039", text, use.span, "define it if it is another one"))


def _tell_sigmoid(run: Run, name: Node, group: Group, behind: Node, value: Value) -> None:
    """The σ of ``σ(z)_i`` and of ``σ(z / T)``, with a temperature, may be a softmax."""
    given = group.items[0]
    tempered = isinstance(given, Frac) and binders.bare(given.bottom) in ("T", "tau")
    picked = isinstance(behind, Script) and behind.sub is not None
    sigmoid = isinstance(value.body, ir.Fn) and value.body.name == "sigmoid"
    if sigmoid and (tempered or picked) and binders.bare(name) == "sigma":
        text = f"`{run.quote(name.span)}` is taken for the sigmoid, and no softmax"
        run.problems.append(note("N2C039", text, name.span, "write `\\mathrm{softmax}` for that"))


def applied(run: Run, node: Apply) -> Value:
    """``\\sin x``, ``\\log p``: functions of the field, with or without parentheses."""
    function, argument = node.function, node.argument
    base = unscripted(function)
    assert isinstance(base, Name)
    behind: Script | None = None
    if isinstance(argument, Script) and isinstance(argument.base, Group) and argument.base.open:
        behind, argument = replace(argument, base=node), argument.base
    if isinstance(argument, Group) and argument.open in ("(", "[", "{"):
        group = argument
    else:
        group = Group("(", (argument,), (), argument.span)
    if base.text == "det":
        return of_arrays.BY_NAME["det"](run, function, group, node.span)
    if base.text.lower() not in functions.OF_NUMBERS:
        raise error("N2C037", f"`{base.text}` cannot be computed", base.span)
    known = functions.OF_NUMBERS[base.text.lower()]
    if isinstance(function, Script) and function.sup and look_alikes.is_minus_one(function.sup):
        if known not in _INVERSES:
            text = f"the inverse function of `{base.text}` is not known here"
            raise error("N2C037", text, function.span, "write a `\\frac` where a quotient is meant")
        known, function = _INVERSES[known], replace(function, sup=None)
    value = _of_numbers(run, known, group, node.span)
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
    if number.rank:
        text = f"the base `{run.quote(base.span)}` of a logarithm would be an array"
        raise error("N2C042", text, base.span, "it is a number; declare what it is")
    return mapped(value, lambda e: ir.mul(e, ir.inverse(ir.Fn("log", (number.body,)))))


def _of_numbers(run: Run, function: str, group: Group, span: Span) -> Value:
    items = [item for item in group.items if not isinstance(item, Prose)]
    if function == "cos" and (vectors := _angle(items)):
        return linear.cosine(run, run.lower(vectors[0]), run.lower(vectors[1]), span)
    if len(items) != 1:
        raise error(
            "N2C041",
            f"`{function}` takes one argument, not {len(items)}",
            span,
            "write `\\max(0, x)` for the larger of two" if function == "relu" else "",
        )
    value = run.lower(items[0])
    if function == "exp":
        exponentials.check_exponent(run, value, items[0], span)
    if function == "log" and value.rank == 2 and names.is_capital(items[0]):
        _tell_matrix(run, value)
    if function == "sqrt":
        return mapped(value, lambda e: ir.Pow(e, ir.HALF), span)
    if function == "rsqrt":
        return mapped(value, lambda e: ir.inverse(ir.Pow(e, ir.HALF)), span)
    if function == "relu6":
        return mapped(value, lambda e: ir.Fn("clip", (e, ir.ZERO, ir.Num(6))), span)
    return mapped(value, lambda e: ir.Fn(function, (e,)), span)


def _tell_matrix(run: Run, value: Value) -> None:
    """The Z of ``F = -\\ln Z`` may be a number as well as a matrix, as its letter is."""
    if isinstance(value.body, ir.Ref) and value.body.array not in run.shapes.keys() | run.made:
        text = f"`{run.quote(value.span)}` is taken to be a matrix: each element has a logarithm"
        hint = f"declare it, `{run.quote(value.span)} \\in \\mathbb{{R}}`, if it is a number"
        run.problems.append(note("N2C039", text, value.span, hint))


def _angle(items: Sequence[Node]) -> tuple[Node, Node] | None:
    """The two vectors of ``cos(q, k)`` and ``cos⟨q, k⟩``, between which an angle is."""
    match items:
        case [left, right] | [Group("⟨", (left, right))]:
            return left, right
    return None


def _swish(run: Run, name: str, group: Group, span: Span) -> Value:
    """``Swish_β(x) = x σ(βx)``."""
    label = name.split("_", 1)[1]
    beta = ir.Num(int(label)) if label.isdigit() else _number_input(run, label, span)
    value = run.lower(group.items[0])
    return mapped(value, lambda e: ir.mul(e, ir.Fn("sigmoid", (ir.mul(beta, e),))), span)


def _leaky(run: Run, name: Node, group: Group, span: Span) -> Value:
    """``LeakyReLU(x)``: x, or a share of it where it is negative; the share is an input where it is
    not given behind x."""
    if len(group.items) > 2:
        raise error("N2C041", f"`{run.quote(name.span)}` takes a number and its slope", span)
    value = run.lower(group.items[0])
    if len(group.items) == 1 and "negative_slope" not in run.symbols:
        text = f"`{run.quote(name.span)}` has the slope `negative_slope` below 0, which is an input"
        run.problems.append(note("N2C039", text, span))
    given = [run.lower(item).body for item in group.items[1:]]
    slope = given[0] if given else _number_input(run, "negative_slope", span)

    def passed(e: ir.Expr) -> ir.Expr:
        return ir.Cases(((ir.Compare(">", e, ir.ZERO), e),), ir.mul(slope, e))

    return mapped(value, passed, span)


def _number_input(run: Run, name: str, span: Span) -> ir.Expr:
    """An input that is a number."""
    if name not in run.symbols:
        run.symbols[name] = Symbol(name, (), name, span)
    return ir.Ref(name)
