"""Formulas as those behind and beside them use, weigh with and name what they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from notes2code.diagnostics import Span, error, note
from notes2code.meaning import names
from notes2code.meaning.ir import Call, Equation, Idx, Lambda, Mul, Reduce, Ref, Softmax
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.linking.ranks import element_rank, gives_weights, weights_of
from notes2code.meaning.scope import Shape
from notes2code.meaning.typed import Typed, type_tree


def as_used(
    linker: Linker, entry: Entry, own: Typed, users: Iterable[tuple[Entry, Typed]]
) -> Typed:
    """A formula as the next one that uses what it defines needs it: the z of ``z = \\frac{1}{n} Σ_i
    e_i`` before ``y = W z`` is a vector, and so are the e_i, by custom numbers. ``users`` are the
    formulas behind it, as they are alone."""
    assert own.equation is not None
    name, tree, scope = own.equation.name, linker.formulas.parsed[entry].tree, linker.scope(entry)
    indexed = linker.formulas.parsed[entry].indexed.get(name)
    if indexed is None or tree is None or name in scope.shapes:
        return own
    users = list(users)
    rank = element_rank(own.equation.value, indexed.letters)
    used = (alone.equation for _, alone in users if gives_weights(own.equation))
    if rank == 1 and any(equation and name in weights_of(equation) for equation in used):
        shapes = {**scope.shapes, name: Shape((), 1)}
        number = type_tree(entry.latex, tree, replace(scope, shapes=shapes))
        return number if number.equation else _rejected(own, entry, name)
    if rank:
        return own
    for user, alone in users:
        joint = linker.together(user, alone, (entry,))
        made = [] if joint is None or joint.equation is None else joint.equation.definitions
        found = next((one.array for one in made if one.name == name), None)
        if found is None:
            continue
        if element_rank(found, indexed.letters) != 1:
            return own
        shapes = {**scope.shapes, name: Shape(("",), indexed.written)}
        typed = type_tree(entry.latex, tree, replace(scope, shapes=shapes))
        equation = typed.equation
        if equation is None or element_rank(equation.value, indexed.letters) != 1:
            return own
        return typed
    return own


def as_scores(linker: Linker, entry: Entry, own: Typed) -> Typed:
    """A formula of one number as that of a matrix of them, if it can be read so: the
    ``w = q k^\\top`` of which another formula takes the softmax."""
    tree, scope = linker.formulas.parsed[entry].tree, linker.scope(entry)
    if tree is None or own.equation is None or own.equation.name in scope.shapes:
        return own
    shapes = {**scope.shapes, own.equation.name: Shape(("", ""), 0)}
    typed = type_tree(entry.latex, tree, replace(scope, shapes=shapes))
    indices = () if typed.equation is None else typed.equation.value.indices
    return typed if len(indices) == 2 else own


def takes_softmax(equation: Equation | None, name: str) -> bool:
    """Whether an equation is the softmax of an array."""
    match equation:
        case Equation(value=Lambda(body=Softmax(body=Ref(array)))):
            return array == name
    return False


def as_named(
    linker: Linker, entry: Entry, own: Typed, others: Iterable[tuple[Entry, Typed]]
) -> Typed:
    """A formula that gives a name the result of a function that nobody defines, ``γ_t = f(x_t)``,
    as the formulas around it have that name: the γ_t of ``S_t = γ_t S_{t-1} + k_t v_t^⊤`` is a
    number. What the function is given stays what it is. ``others`` are those that use the name, as
    they are alone."""
    equation, tree, scope = own.equation, linker.formulas.parsed[entry].tree, linker.scope(entry)
    if equation is None or tree is None or not isinstance(equation.value.body, Call):
        return own
    name, function = equation.name, equation.value.body.function
    indexed = linker.formulas.parsed[entry].indexed.get(name)
    unknown = any(one.name == function and one.kind == "function" for one in equation.inputs)
    if indexed is None or not unknown or name in scope.shapes:
        return own
    used = {rank for other, typed in others for rank in _used_rank(linker, other, typed, name)}
    rank = element_rank(equation.value, indexed.letters)
    if len(used) != 1 or rank in used or used == {2}:
        return own
    shape = Shape(("",) * used.pop(), indexed.written)
    typed = type_tree(entry.latex, tree, replace(scope, shapes={**scope.shapes, name: shape}))
    if typed.equation is None or _ranks(typed.equation) != _ranks(equation):
        return own
    return typed


def as_averaged(
    linker: Linker, entry: Entry, own: Typed, is_softmax: Callable[[Entry, str], bool]
) -> Typed:
    """A formula with vectors for what weights average, the g_i of ``z = Σ_i α_i g_i`` beside a
    formula of the note that makes the α_i by a softmax: so attention does, whatever g is by its
    letter, and the author is told. What probabilities p_i average may as well be numbers.
    ``is_softmax`` tells whether a definition is one, and of other numbers than some values."""
    tree, scope = linker.formulas.parsed[entry].tree, linker.scope(entry)
    weights, values = _sum_of_two(own.equation) or ("", "")
    if tree is None or own.equation is None or not values or values in scope.shapes:
        return own
    defined = linker.formulas.same_indices(entry, (weights, values))
    if values in defined or weights not in defined or _is_number(own.equation.name):
        return own
    if not is_softmax(defined[weights], values):
        return own
    shapes = {**scope.shapes, values: Shape(("",), 1)}
    typed = type_tree(entry.latex, tree, replace(scope, shapes=shapes))
    if typed.equation is None or _ranks(typed.equation) == _ranks(own.equation):
        return own
    text = f"each element of `{values}` is taken for a vector, which the weights average"
    told = note("N2C039", text, Span(0, len(entry.latex)), "declare its shape to make it plain")
    return replace(typed, problems=(*typed.problems, told))


def _sum_of_two(equation: Equation | None) -> tuple[str, str] | None:
    """The α and the g of ``Σ_i α_i g_i``, small letters that are no probabilities."""
    match equation:
        case Equation(
            value=Lambda(
                (), Reduce("sum", over, Mul((Ref(weights, at), Ref(values, (Idx(),) as own))), None)
            )
        ) if at == own == (Idx(over),):
            letters = {names.base_letter(weights), names.base_letter(values)}
            small = all(letter.islower() for letter in letters)
            return (weights, values) if small and not letters & names.PROBABILITIES else None
    return None


def _is_number(name: str) -> bool:
    """Whether what is added up is a number by its name, such as a loss."""
    return names.base_letter(name) in ("L", "J") or names.is_number(name)


def _ranks(equation: Equation) -> dict[str, int]:
    """The number of axes of each input."""
    return {one.name: len(one.shape) for one in equation.inputs}


def _used_rank(linker: Linker, entry: Entry, typed: Typed, name: str) -> Iterator[int]:
    """The axes that each element of an input has in a formula."""
    seen = linker.formulas.parsed[entry].seen
    if typed.equation is not None and seen is not None and name in seen.counted:
        ranks = _ranks(typed.equation)
        if name in ranks:
            yield ranks[name] - max(seen.counted[name])


def _rejected(own: Typed, entry: Entry, name: str) -> Typed:
    text = f"each `{name}` would be a vector, and weighs vectors in another formula of the section"
    hint = r"a score is a number, such as `w^\top \tanh(W h_t)`"
    problem = error("N2C042", text, Span(0, len(entry.latex)), hint).problem
    return replace(own, kind="rejected", equation=None, problems=(*own.problems, problem))
