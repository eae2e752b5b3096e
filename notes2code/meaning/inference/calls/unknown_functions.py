"""Functions that nobody defines: each is an input, and what it gives is told by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Apply, Group, Juxt, Name, Node, Script, walk
from notes2code.meaning import names
from notes2code.meaning.inference import probabilities
from notes2code.meaning.inference.calls import called
from notes2code.meaning.inference.indices.indexing import place
from notes2code.meaning.inference.indices.reach import pass_on, refuse_limited
from notes2code.meaning.inference.run import Run, Symbol, find_index
from notes2code.meaning.inference.values import Value, free_roots, fresh
from notes2code.meaning.ir import Call, Idx, Lambda, Ref, Size
from notes2code.meaning.notation import functions
from notes2code.meaning.notation.scripts import Use


def applied(run: Run, use: Use, arguments: Sequence[Value], span: Span) -> Value:
    """A function that the notes do not define is an input, and keeps its first argument's shape."""
    if not arguments:
        raise error("N2C030", f"`{use.name}` is not defined", span)
    first, *others = _kinds_first(use, arguments)
    plain = _plain(use)
    if plain in _OTHER_SHAPES:
        raise error("N2C037", f"the shape that `{use.name}` gives is not said", span)
    if use.name not in run.symbols:
        run.symbols[use.name] = Symbol(use.name, (), run.quote(use.span), use.span, "function")
    site = run.sites[use.name] = run.sites.get(use.name, -1) + 1
    ranks = tuple(value.rank for value in arguments)
    if run.given.setdefault(use.name, ranks) != ranks:
        run.pay(2.6)  # the a, p and n of f(a) - f(p) and f(a) - f(n) are of one kind
    if not first.rank and (_EMBEDS.search(use.name) or functions.TURNS_HALF.fullmatch(use.name)):
        # An embedding is a vector, and so is the one-hot word that it is of, and what has halves.
        run.pay(2.2)
    lambdas = tuple(Lambda(value.axes, value.body) for value in arguments)
    for count, at in enumerate(use.indices):  # the h_i and h_j are functions of one family
        size = run.members.setdefault((use.name, count), Size(""))
        lambdas += (Lambda((), place(run, at, size, use)),)
    gives = run.choose(f"result {use.name}", _options(run, use, (first, *others)))
    if site == 0:
        what = "keep the shape of its argument" if gives == "same" else "give a number"
        text = f"`{use.name}` is not defined in the notes: it is an input, taken to {what}"
        run.problems.append(note("N2C030", text, use.span))
    result = tuple(fresh(axis.size) for axis in first.axes) if gives == "same" else ()
    for axis, own in zip(first.axes, result, strict=False):
        pass_on(run, axis, own)
    if plain not in names.FEATURE_MAPS:
        refuse_limited(run, (axis for value in arguments for axis in value.axes))
    body = Call(use.name, lambdas, tuple(Idx(i) for i in result), site)
    return Value(body, result, span)


def _kinds_first(use: Use, arguments: Sequence[Value]) -> list[Value]:
    """The arguments, first that of whose kind the value is: the y of ``f(t, y)``, not the time."""
    of_its_kind = names.base_letter(use.name) in functions.LETTERS or _is_predicted(use)
    return sorted(arguments, key=lambda value: of_its_kind and not value.rank)


def _options(run: Run, use: Use, arguments: Sequence[Value]) -> Sequence[tuple[str, float]]:
    """What a function may give, the shape of its first argument or a number, with the prices."""
    first, plain = arguments[0], _plain(use)
    shape = ("same", 0.0), ("number", 0.5)
    options = shape[1:] if plain in _NUMBERS else shape if len(arguments) == 1 else shape[::-1]
    of_two = plain in _OF_TWO or _aligns(run, use, arguments)
    if len(arguments) == 2 and of_two:
        run.pay(1.2 * sum(value.rank != 1 for value in arguments))  # the sim(k, k_i) of two vectors
    if len(arguments) == 2 and all(value.rank < 2 for value in arguments):
        if of_two:
            options = shape[1:]
        elif names.base_letter(use.name) in _LETTERS_OF_TWO:
            options = ("number", 0.0), ("same", 0.5)
    if names.base_letter(use.name) in _RETURNS and _is_state(first):
        options = shape[1:]
    if first.rank and "att" in plain and not all(value.rank for value in arguments):
        run.pay(2.2)  # the c of CrossAttn(x, c) is attended to
    turns = functions.TURNS_HALF.fullmatch(use.name) is not None
    if turns or plain.endswith(("norm", "rms", "rope", "dropout")) or _EMBEDS.search(use.name):
        options = shape[:1]
    density = names.base_letter(use.name) in names.PROBABILITIES and not run.seen.attends
    labelled = "_" in use.name  # p_θ(x), where the p(x) of r(x) may be those of all x
    density = density and (run.gives_number or labelled or not run.parameters)
    if density or probabilities.is_normalised(run):
        options = ("number", 0.0), ("same", 0.5)  # the density p(x) of a vector is a number
    if use.indices and len(arguments) == 1 and _LETTER.fullmatch(use.name):
        options = ("number", 0.0), ("same", 0.5)  # the g_i(x) that weighs what an E_i(x) gives
    if _is_predicted(use) and (len(arguments) < 2 or not arguments[1].rank):
        # The ε_θ(x_t, t) is of the kind of x_t.
        options = shape[:1] if use.name.startswith("epsilon") else shape
    if plain in names.FEATURE_MAPS:
        options = shape[:1]
        if not first.rank and isinstance(first.body, Ref) and first.body.array[0] in "qk":
            text = f"`{run.quote(first.span)}` is a number, and queries and keys are vectors"
            run.conflict(3, text, first.span)
    if use.name == "Z" and run.seen.logs:
        options = ("number", 0.0), ("same", 0.5)  # what all probabilities are divided by
    if _is_of_elements(run, first) and not turns:
        options = ("number", 0.0), ("same", 0.5)  # the m(x) of x_j - m(x)
    if called.bends_layer(run, use):
        options = shape[:1]
    if use.name in run.picked:
        options = shape[1:]
    return options


def _is_of_elements(run: Run, first: Value) -> bool:
    """Whether a function is given all of an x whose elements x_j stand beside it."""
    name = first.body.array if isinstance(first.body, Ref) else ""
    return first.rank == 1 and {0, 1} <= run.seen.counted.get(name, set())


def _plain(use: Use) -> str:
    """A name as words are compared."""
    return names.as_word(use.name)


def _is_predicted(use: Use) -> bool:
    """Whether a model gives what stands beside its first argument: a noise ε_θ, a mean μ_θ."""
    base, _, label = use.name.partition("_")
    return base in _PREDICTED and label in ("theta", "phi")


_PREDICTED = frozenset([*"suvxz", "epsilon", "mu"])


def _is_state(value: Value) -> bool:
    """Whether a value is the s, or s_t, of ``V(s)`` and ``Q(s, a)``."""
    return isinstance(value.body, Ref) and names.base_letter(value.body.array) == "s"


_OTHER_SHAPES = frozenset(
    "arange argsort chunk flatten gather linspace onehot repeat reshape split stack transpose "
    "unsqueeze vec view".split()
)


_NUMBERS = frozenset(
    "argmax argmin bce ce count det df dim idf js jsd kl lcs len loss mse rank size tf".split()
)
"""Functions that do not keep the shape of their argument."""


_EMBEDS = re.compile(r"(?:^|_|[a-z])[Ee]mb(?:ed|edding)?s?(?:_|$)")
"""What embeds is called: ``Emb``, ``PosEmbed``, ``token_embedding``."""


_LETTER = re.compile("[a-z](?:_(?:hat|tilde|bar))?")


_OF_TWO = frozenset("dist distance kernel score sim similarity".split())
"""Functions that give a number for two vectors."""


_ALIGNS = re.compile(r"(?:\w_)?(?:align(?:ment)?|attn?|score)")


def _aligns(run: Run, use: Use, arguments: Sequence[Value]) -> bool:
    """Whether a function scores pairs of places: the ``f_{att}`` of ``e_{ti} = f_{att}(a_i, h_t)``
    gives a number for two vectors, of which each has one of the two places."""
    if len(run.target_letters) != 2 or _ALIGNS.fullmatch(use.name) is None or run.whole is None:
        return False
    places = {find_index(run.indices[letter]) for letter in run.target_letters}
    apart = all(len(free_roots(value.body) & places) < 2 for value in arguments)
    return apart and any(
        isinstance(one, Juxt) and len(one.factors) == 2 and one.factors[0].span == use.span
        for one in _that_are_scores(run.whole)
    )


def _that_are_scores(whole: Node) -> Iterator[Node]:
    """A right-hand side, and what it has the exponential and the softmax of."""
    yield whole
    for node in walk(whole):
        match node:
            case Apply(Name("exp"), Group(items=(one,))):
                yield one
            case Script(Name("e"), None, one) if one is not None:
                yield one
            case Juxt((function, Group(items=(one,)))) if names.label(function)[:7] == "softmax":
                yield one


_RETURNS = frozenset("QVARr")
"""Letters of rewards and of what they add up to from a state s on."""


_LETTERS_OF_TWO = frozenset("adkrs")
"""Letters of scores, distances, kernels, rewards and similarities: they do so, too."""
