"""Numbers that are given for each value of an index: the probabilities of a model, ``p_θ(x_t |
x_{<t})``, and what a sum takes at its index alone, ``Σ_x p(x) log q(x)``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from notes2code.diagnostics import Span, error, warning
from notes2code.latex.tree import (
    Big,
    Dots,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    alike,
    children,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.inference.run import Run, Symbol
from notes2code.meaning.inference.values import Value, scalar
from notes2code.meaning.ir import Expr, Idx, Index, Ref, Size
from notes2code.meaning.notation import binders, scripts, slices
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.stated import Define


def is_probability(run: Run, use: Use, group: Group) -> bool:
    """Whether a call is a probability, ``P(… | …)``, or a number for each value of an index."""
    said = "|" in group.separators or any(_is_outcome(run, item) for item in group.items)
    worded = len(group.items) == 1 and is_word(run, group.items[0])
    listed = worded or any(isinstance(item, Dots) for item in group.items)
    said = said or (listed and _is_density(run, use))
    if names.base_letter(use.name) in names.PROBABILITIES and said:
        return True
    symbol = run.symbols.get(use.name)
    if symbol is not None and symbol.kind == "array" and is_conditional(symbol.written):
        return True
    known = use.name in run.defined or use.name in run.shapes or use.name in run.scope.arrays
    return use.name in run.seen.sampled and not known


def _is_density(run: Run, use: Use) -> bool:
    """Whether a letter is that of a density: the q of ``c = q(h_1, …, h_n)`` and of
    ``q(\\text{slots})``, beside no p and no logarithm, is any function."""
    letters = set(map(names.base_letter, run.seen.counted))
    return use.name != "q" or run.seen.logs or not letters.isdisjoint(names.PROBABILITIES - {"q"})


def _warn_of_two_meanings(run: Run, group: Group) -> None:
    """``y_i`` and ``P(y = i)``: the labels and the outcome are two things under one name."""
    for item in group.items:
        if isinstance(item, Relation) and _is_outcome(run, item):
            name = run.quote(item.span).partition("=")[0].strip()
            if any(count > 0 for count in run.seen.counted.get(name, ())):
                text = f"`{name}` is an array here and an outcome in `{run.quote(item.span)}`"
                help_text = "give one of the two another name; the array is no part of the outcome"
                run.problems.append(warning("N2C050", text, item.span, help_text))


def is_word(run: Run, node: Node) -> bool:
    """Whether a node is a word that nothing in the formula or the notes says more of, as what has a
    probability in ``P(\\text{spam})``."""
    name = run.seen.use(node).name if scripts.is_name(node) else ""
    base = names.base_letter(name)
    known = name in run.defined or name in run.shapes or name in run.parameters
    return len(base) > 2 and base not in names.GREEK and not known


def _is_outcome(run: Run, node: Node) -> bool:
    """The ``y = i`` of ``P(y = i)``, at an index that is bound."""
    match node:
        case Relation((_, Name(letter)), ("=",)):
            return letter in run.indices
    return False


def is_normalised(run: Run) -> bool:
    """Whether a probability is defined by what it is proportional to, ``p(x) = \\exp(-E(x)) / Z``:
    that is made of numbers."""
    defines = any(names.base_letter(name) in names.PROBABILITIES for name in run.defines)
    divided = any(names.base_letter(name) == "Z" for name in run.seen.counted)
    return defines and divided and bool(run.whole_parameters)


def is_chain(define: Define) -> bool:
    """Whether the density of all parts of something is defined as a product: ``p(x_{0:T}) = p(x_T)
    ∏_{t=1}^T …`` is a number, and so are its factors."""
    match define.target:
        case Juxt((density, Group() as given)):
            named = names.base_letter(binders.bare(density)) in names.PROBABILITIES
            whole = any(slices.ends(part) is not None for part in walk(given))
            made = (part for value in define.values for part in walk(value))
            return named and whole and any(isinstance(n, Big) and n.op == "prod" for n in made)
    return False


def is_conditional(call: str) -> bool:
    """Whether a bar stands in a call as it is written, as in ``P(y | x)``."""
    return any(sign in call for sign in ("|", "\\mid", "\\vert", "∣"))


def probability(run: Run, use: Use, group: Group, span: Span) -> Value:
    """An input that holds the number for each value of the indices it depends on."""
    letters: list[str] = []
    _warn_of_two_meanings(run, group)
    bars = [at for at, sign in enumerate(group.separators) if sign == "|"]
    outcome = 1 + bars[0] if bars else len(group.items)
    for item in group.items[:outcome]:
        _collect(run, item, letters)
    conditions: list[str] = []
    for item in group.items[outcome:]:
        _collect(run, item, conditions)
    # There is a row for each condition: p(k | x_i) has the places i, k. What is neither on the left
    # nor added up, the k of x_{i-k}, …, x_{i-1}, tells which ones there are.
    counted = run.on_left.union(run.summed) - {*letters}
    letters = [letter for letter in conditions if letter in counted] + letters
    indices: list[Index] = [run.indices[letter] for letter in letters]
    name = _with_outcome(run, use.name, group)
    symbol = run.symbols.get(name)
    if symbol is None:
        axes = tuple(Size("") for _ in indices)
        symbol = run.symbols[name] = Symbol(name, axes, run.quote(span), span)
    event = tuple(_event(run, group, []))
    same = run.events.setdefault(name, event) == event
    if len(indices) != len(symbol.axes) or bool(bars) != is_conditional(symbol.written) or not same:
        raise error(
            "N2C041",
            f"`{run.quote(span)}` is of another event than `{symbol.written}`",
            span,
            f"`{name}` is one input, a number for each value of its indices: give one of the "
            "two another name",
        )
    for index, size in zip(indices, symbol.axes, strict=True):
        run.unify(index.size, size, span)
    at: tuple[Expr, ...] = tuple(Idx(index) for index in indices)
    return scalar(Ref(name, at), span)


def _with_outcome(run: Run, name: str, group: Group) -> str:
    """The name of a probability, with that of its outcome where a model is asked for several under
    one condition: ``π(y_w | x)`` and ``π(y_l | x)``."""
    groups = [
        behind
        for node in run.seen.nodes.of(Juxt)
        for called, behind in pairwise(node.factors)
        if isinstance(behind, Group) and scripts.is_name(called)
        if run.seen.use(called).name == name
    ]
    outcomes = {_outcome(run, one) for one in groups}
    alike_but_for_these = all(alike(one.items[1:], group.items[1:]) for one in groups)
    if len(outcomes) > 1 and "" not in outcomes and alike_but_for_these:
        return names.code_name(name, _outcome(run, group))
    return name


def _outcome(run: Run, group: Group) -> str:
    """The name before the bar, if it is one that no index counts."""
    use = run.seen.understood(group.items[0]) if group.separators[:1] == ("|",) else None
    counted = use is None or use.indices or use.name in run.seen.bound
    return "" if use is None or counted else use.name


def _event(run: Run, node: Node, letters: list[str]) -> Iterator[str]:
    """What a probability is of, as it is written, with a number in the place of each index."""
    match node:
        case Name(letter) if letter in run.indices:
            if letter not in letters:
                letters.append(letter)
            yield str(letters.index(letter))
        case Name(text) | Num(text):
            yield text
        case Group(_, items) if any(isinstance(item, Dots) for item in items):
            # Between the first and the last of ``P(w_1, w_2, …, w_n)`` are all, named or not.
            first, last = names.base_letter(names.label(items[0])), items[-1]
            for item in items:
                listed = names.base_letter(names.label(item)) == first and item is not last
                if item is items[0] or not (listed or isinstance(item, Dots)):
                    yield from _event(run, item, letters)
            return
        case Group():
            yield from node.separators
        case Relation():
            yield from node.signs
        case Infix():
            yield node.op
    for child in children(node):
        yield from _event(run, child, letters)


def _collect(run: Run, node: Node, letters: list[str]) -> None:
    """The bound letters that the event of a probability depends on."""
    if scripts.is_name(node):
        use = run.seen.understood(node)  # None of the x_{\setminus M} that is all but some
        for at in use.indices if use is not None else ():
            _collect(run, at.node, letters)
        text = getattr(node, "text", "")
        if text in run.indices and text not in letters:
            letters.append(text)
        return
    for child in children(node):
        _collect(run, child, letters)
