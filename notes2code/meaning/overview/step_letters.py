"""Which letters of a formula count the steps of a recursion, and index nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.diagnostics import error
from notes2code.latex.tree import (
    Accent,
    Big,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Script,
    alike,
    ungrouped,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, own_steps, positions, recursions, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Range, Statement


def find_steps(seen: Survey, statements: Sequence[Statement]) -> None:
    """Letters that count the steps of a recursion: the l of ``h_l = block(h_{l-1})``.

    Where the first state is defined too, the steps are repeated, and only the state drops the
    letter; else the formula is a single step, and every name does.
    """
    defines = [s for s in statements if isinstance(s, Define)]
    targets = [s.target for s in defines if s.target is not None]
    for define in defines:
        if define.target is None or _is_made_of_itself(define):
            continue
        base = binders.bare(define.target)
        repeated = any(recursions.is_first_state(target, base) for target in targets)
        letter = recursions.step_letter(define)
        if letter is None and not repeated:
            letter = recursions.step_of_several(define, defines)
            letter = letter or recursions.made_in_step(define.target, define.values)
            letter = letter or own_steps.own_step(define.target, define.values)
        if letter is None:
            continue
        if (own := recursions.at_own_step(define, letter)) is not None:
            raise error(
                "N2C034",
                f"this steps in two letters, `{letter}` and another: the state here is not at the "
                "step before",
                own.span,
                "give the states of the other count a name of their own",
            )
        seen.steps.setdefault(base, set()).add(letter)
        if repeated:
            seen.bound.add(letter)
        else:
            seen.steps.setdefault("", set()).add(letter)
    if not seen.steps and any(isinstance(s, Range) and s.index == _LAYER for s in statements):
        seen.steps[""] = {_LAYER}
    started = any(recursions.is_first_state(target, binders.bare(target)) for target in targets)
    # What goes on from an h_0 is repeated, and no single layer.
    layers = set() if started else {*filter(None, map(_of_residual_layer, defines))}
    if layers and not seen.steps:
        seen.steps[""] = layers
    if _TIME not in seen.bound and any(_is_renewed(target) for target in targets):
        seen.steps.setdefault("", set()).add(_TIME)
    times = {letter for define in defines for letter in above(define)}
    if of_states := {*_of_states(seen.nodes)} - seen.bound - times:
        seen.steps.setdefault("", set()).update(of_states)
    on_left = {letter for target in targets for letter in _counting_below(target)}
    for letter in {letter for define in defines if (letter := _of_what_is_added(define))}:
        if letter not in seen.bound | on_left:
            seen.steps.setdefault("", set()).add(letter)


def above(define: Define) -> Iterator[str]:
    """The letter above what is defined, as that of ``f^t`` and of ``\\tilde{h}^{t+1}``."""
    node = define.target
    while isinstance(node, scripts.SCRIPTED):
        sup = ungrouped(node.sup) if isinstance(node, Script) else None
        if sup is not None and (shift := positions.shift(sup)) is not None:
            yield shift[0]
        node = node.base


def _of_states(nodes: Nodes) -> Iterator[str]:
    """The t of ``h^{t-1}``, where h is a vector that nobody raises to a letter."""
    for node in nodes.of(Script):
        sup = ungrouped(node.sup)
        if not isinstance(sup, Infix) or binders.bare(node) not in scripts.ARRAYS:
            continue
        match positions.shift(sup):
            case ("t" as letter, int()):
                yield letter


def _of_residual_layer(define: Define) -> str:
    """The l of ``Z_l = X_{l-1} + \\mathrm{Att}(X_{l-1})`` and of ``X^{(l)} = Z^{(l)} +
    \\mathrm{FFN}(Z^{(l)})``: what a layer adds to what it is given is that of one layer, whatever
    the sum is called. No l is that over which a sum runs; one that stands below and is never
    another, as in ``h_l = x_l + \\mathrm{FFN}(x_l)``, may count tokens."""
    letter = "" if define.target is None else _layer_of(define.target)
    if not letter:
        return ""
    nodes = [node for value in define.values for node in walk(value)]
    if any(letter in binders.bound_letters(n.sub) for n in nodes if isinstance(n, Big) and n.sub):
        return ""
    for total in (node for node in nodes if isinstance(node, Infix) and node.op == "+"):
        for kept, added in ((total.left, total.right), (total.right, total.left)):
            match added:
                case Juxt((Name(layer), Group("(", _) as given)) if _layer_of(kept) == letter:
                    told = _tells_layers(define.target) or _tells_layers(kept)
                    if told and len(layer) > 1 and any(alike(n, kept) for n in walk(given)):
                        return letter
    return ""


def _layer_of(node: Node) -> str:
    """The l of ``X_l``, ``X^{(l)}`` and ``X_{l-1}``."""
    match node:
        case Script(Name() | Accent(), None, at) | Script(Name() | Accent(), at, None):
            return "" if at is None else positions.layer_label(at).partition("_")[0]
    return ""


def _tells_layers(node: Node | None) -> bool:
    """Whether a layer stands above, or is another one than the l below elsewhere: l − 1."""
    return isinstance(node, Script) and (node.sup is not None or isinstance(node.sub, Infix))


def _is_made_of_itself(define: Define) -> bool:
    """Whether the x_t of ``x'_t = μ x_t + (1 - μ) x_{t-1}`` stands on the right, and no x': that is
    no state, but an array of its own."""
    target = define.target
    if not isinstance(target, Script) or target.sub is None or target.sup is not None:
        return False
    nodes = (node for value in define.values for node in walk(value) if isinstance(node, Script))
    twins = [node for node in nodes if binders.bare(node) == binders.bare(target)]
    mine = type(target.base), target.primes
    unlike = all((type(node.base), node.primes) != mine for node in twins)
    return unlike and any(node.sub is not None and alike(node.sub, target.sub) for node in twins)


def _of_what_is_added(define: Define) -> str:
    """The i of ``S ← λ S + k_i v_i^⊤``, which counts the steps: S has no index."""
    if define.target is None or not scripts.is_name(define.target):
        return ""
    if _counting_below(define.target):
        return ""
    state = names.label(define.target)
    named = [name for value in define.values for name in scripts.whole_names(value)]
    if state not in map(names.label, named):
        return ""
    letters = {letter for node in named for letter in _counting_below(node)}
    return letters.pop() if len(letters) == 1 else ""


def _counting_below(node: Node) -> set[str]:
    """The letters below a name that count, wherever they can; the k of d_k tells a size."""
    match node:
        case Script(base, sub) if sub is not None and scripts.is_name(node):
            if names.is_size_name(names.label(base)):
                return set()
            return words_in(sub) & _COUNTING
    return set()


_COUNTING = frozenset("ijkmnt")
"""Letters that count wherever they stand below a name."""


def _is_renewed(target: Node) -> bool:
    """Whether a left-hand side is ``θ_{new}``, which a step makes of the θ before."""
    if not isinstance(target, Script):
        return False
    own = (at for at in (target.sub, target.sup) if at is not None)
    return any(names.label(at) in ("new", "next") for at in own)


_TIME = "t"
"""The letter that counts the steps of an optimiser, as in ``θ_{new} = θ_{old} - η g_t``."""


_LAYER = "ell"
"""The letter that counts layers and nothing else: each has weights of its own, and a formula that
says what one does is a step, though its range is told."""
