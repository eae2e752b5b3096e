"""Names in a formula: what each stands for, and the element it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.diagnostics import error, note
from notes2code.latex.tree import (
    Big,
    Frac,
    Infix,
    Name,
    Node,
    Relation,
    Script,
    walk,
)
from notes2code.latex.words import RATES
from notes2code.meaning import binders, ir, letters, names, scripts, sizes, updates
from notes2code.meaning.indexing import at_label, position
from notes2code.meaning.ir import Expr, Idx, Index, Ref, Size
from notes2code.meaning.run import Defined, Run, Symbol, find_index, same_size
from notes2code.meaning.scope import Shape
from notes2code.meaning.scripts import HEAD, At, Use, counts_layers, is_name, is_two, looked_up
from notes2code.meaning.values import Value, fresh, scalar, shape_text, transpose


def name_value(run: Run, node: Node) -> tuple[Value, Use]:
    """The value of a name with its scripts, its power not yet applied."""
    use = _of_the_feature(run, run.seen.use(node))
    _refuse_bare_function(run, node, use)
    _refuse_expectation(node, use)
    _refuse_condition(node, use)
    value = value_at(run, use)
    if use.transposed:
        if value.rank == 0 and (number := _declared_number(run, node)) is not None:
            return value, replace(use, transposed=False, power=number)
        if value.rank == 0:
            run.pay(2.5)  # only arrays are transposed
        value = transpose(value, use.span)
    return value, use


def _refuse_bare_function(run: Run, node: Node, use: Use) -> None:
    """``cos`` alone, or with scripts such as those of ``cos_x^2``, is no array."""
    if binders.bare(node) in names.FUNCTIONS and use.name not in run.shapes | run.defined:
        text = f"`{run.quote(use.span)}` lacks its argument"
        raise error("N2C024", text, use.span, "write it behind, in parentheses")


def _refuse_condition(node: Node, use: Use) -> None:
    """The ``a = b`` below an array, ``L_{a=b}``, says which one is meant, and is no index."""
    below = node.sub if isinstance(node, Script) else None
    if not isinstance(below, Relation) or names.label(below) or use.indices:
        return
    raise error("N2C032", "this index is not understood", below.span)


def _refuse_expectation(node: Node, use: Use) -> None:
    """The ``𝔼_x`` of ``𝔼_x \\log p(x)``, and the ``E_{x=1}``."""
    match node:
        case Script(Name("E", _, font), below) if below is not None:
            if font == "blackboard" or (isinstance(below, Relation) and not use.indices):
                raise error("N2C037", "an expectation cannot be computed", use.span)


def _of_the_feature(run: Run, use: Use) -> Use:
    """``γ`` in ``f(x) = γ (x_i - μ) / σ``, which is written for one feature of x, as ``y_i = γ x_i
    / \\sqrt{Σ_j x_j^2}`` is: γ_i."""
    if not run.seen.normalises or use.indices or len(run.target_letters) != 1:
        return use
    if names.base_letter(use.name) not in names.GAINS or use.name in run.defined:
        return use
    tops = [node.top if isinstance(node, Frac) else node.left for node in _quotients(run)]
    found = (run.seen.understood(node) for top in tops for node in walk(top))
    features = {*run.whole_parameters, *_added_squares(run)}
    features |= {name for name, counts in run.seen.counted.items() if counts == {0, 1}}
    if not any(x is not None and x.indices and x.name in features for x in found):
        return use
    return replace(use, indices=(At(Name(run.target_letters[0], use.span)),))


def _added_squares(run: Run) -> Iterator[str]:
    """The x of ``Σ_j x_j^2``, whose elements are numbers."""
    for big in run.seen.nodes.of(Big):
        use = run.seen.understood(big.body) if big.op in ("sum", "mean") else None
        if use is not None and use.indices and is_two(use.power):
            yield use.name


def _quotients(run: Run) -> Iterator[Frac | Infix]:
    yield from run.seen.nodes.of(Frac)
    yield from (node for node in run.seen.nodes.of(Infix) if node.op == "/")


def _declared_number(run: Run, node: Node) -> Node | None:
    """The ``T`` above a name, where it is said to be a number."""
    sup = node.sup if isinstance(node, Script) else None
    shape = run.shapes.get("T")
    if shape is None or shape.axes or not isinstance(sup, Name) or sup.text != "T":
        return None
    if binders.bare(node) not in RATES and isinstance(node, Script) and node.sub is not None:
        text = f"`{run.quote(node.span)}` may be a power, or what it is at `T`"
        raise error("N2C033", text, node.span, "write `p^{(T)}` for a name, or `(p)^T`")
    return sup


def value_at(run: Run, use: Use) -> Value:
    """The value of a name at its indices."""
    if not use.indices:
        if use.name in run.indices:
            _refuse_outcome(run, use)
            return scalar(counted(run.indices[use.name]), use.span)
        if not use.steps and letters.is_constant(run, use.name):
            if use.name == "e" and use.power is None:
                text = "`e` is taken to be Euler's number"
                run.problems.append(note("N2C039", text, use.span, "declare it if it is not"))
            return scalar(ir.Num(letters.CONSTANTS[use.name]), use.span)
        told = use.name in run.shapes or use.name in run.defined
        if use.name in run.seen.identities and not told:
            return _identity_matrix(run, use)
        if (many := _of_ones(run, use.name)) is not None:
            return Value(ir.ONE, (fresh(many),), use.span)
    defined = run.defined.get(use.name)
    if defined is not None:
        _refuse_share(run, use, defined)
        return element_of(run, use, defined)
    square = run.defined.get(f"{use.name}_squared")
    if square is not None:
        value = element_of(run, use, square)
        return replace(value, body=ir.Pow(value.body, ir.HALF))
    if not use.indices and not use.steps and letters.is_size(run, use.name):
        return scalar(run.size(use.name), use.span)
    return _input(run, use)


def _of_ones(run: Run, name: str) -> Size | None:
    """How many ones the vector ``\\mathbf{1}`` or ``\\mathbf{1}_n`` has; None of any other name."""
    base, _, label = name.partition("_")
    if base != "ones" or (label and label not in names.SIZE_BASES):
        return None
    return run.size(label) if label else Size("")


def forbid_own_element(run: Run, nodes: Sequence[Node], left: Value, right: Value) -> None:
    """``x − x_i`` and ``sim(x, x_i)`` cannot mean an array and its own element: x is then a thing
    apart."""
    if not all(map(is_name, nodes)):
        return
    mine, theirs = map(run.seen.use, nodes)
    if mine.name != theirs.name or len(mine.indices) == len(theirs.indices):
        return
    texts = [f"`{run.quote(node.span)}`" for node in nodes]
    where = nodes[0].span.to(nodes[1].span)
    if run.decided.get(f"one {mine.name}", False):
        text = f"{texts[0]} and {texts[1]} cannot be an array and its element here"
        raise error("N2C033", text, where)
    if left.rank != right.rank:
        text = f"{texts[0]} is {shape_text(left)} and {texts[1]} {shape_text(right)}"
        raise error("N2C041", text, where)
    for own, other in zip(left.axes, right.axes, strict=True):
        run.unify(find_index(own).size, find_index(other).size, where)


def _refuse_share(run: Run, use: Use, defined: Defined) -> None:
    """The ``Q_i`` of ``head_i`` is no row of ``Q = X W``."""
    share = use.name in ("Q", "K", "V") and len(use.indices) > defined.indexed == 0
    if share and "head" in run.defines:
        raise error(
            "N2C032",
            f"how `{use.name}` is shared out to the heads is not said",
            use.span,
            f"define `{run.quote(use.span)}` with its index, as `X W_i`",
        )


def _refuse_outcome(run: Run, use: Use) -> None:
    """The x of ``Σ_x p(x)`` is an outcome and no number that counts, and so is a ``k_-``."""
    label = use.name.partition("_")[2]
    if use.name in run.summed and (use.name in "vwxyz" or label in ("plus", "minus")):
        raise error(
            "N2C032",
            f"`{run.quote(use.span)}` is what this runs over, and its values are not known",
            use.span,
            f"write the sum over an index, `{use.name.partition('_')[0]}_i`",
        )


def _identity_matrix(run: Run, use: Use) -> Value:
    label = use.name.partition("_")[2]
    size = run.size(label) if label else Size("")
    rows, columns = fresh(size), fresh(size)
    text = f"`{run.quote(use.span)}` is taken to be the identity matrix"
    run.problems.append(note("N2C039", text, use.span, "declare its shape if it is an input"))
    one = ir.Cases(((ir.Compare("=", Idx(rows), Idx(columns)), ir.ONE),), ir.ZERO)
    return Value(one, (rows, columns), use.span)


def counted(index: Index) -> Expr:
    """The number that the note counts for an index, which may begin with 1."""
    return ir.add(Idx(index), ir.Num(index.start))


def element_of(run: Run, use: Use, defined: Defined) -> Value:
    """An element, or the rest of the axes, of what another statement defines."""
    return element(run, use, defined.name, tuple(i.size for i in defined.array.indices))


def element(run: Run, use: Use, array: str, axes: tuple[Size, ...]) -> Value:
    """The array at the indices of a use; the axes behind them stay open."""
    if len(use.indices) > len(axes):
        raise error(
            "N2C032",
            f"`{run.quote(use.span)}` has {len(use.indices)} indices, but `{array}` "
            f"has {len(axes)} axes",
            use.span,
        )
    if not use.indices:
        whole_axes = tuple(map(fresh, axes))
        return Value(Ref(array, tuple(map(Idx, whole_axes))), whole_axes, use.span)
    at = [position(run, index, size, use) for index, size in zip(use.indices, axes, strict=False)]
    whole = [*at, *map(fresh, axes[len(at) :])]
    places = tuple([Idx(place) if isinstance(place, Index) else place for place in whole])
    opened = tuple([place for place in whole if isinstance(place, Index)])
    labels = [index for index in use.indices if index.relation == "="]
    if labels and opened:
        raise looked_up(labels[0].node)
    body: Expr = Ref(array, places)
    for label in labels:
        place = places[use.indices.index(label)]
        assert isinstance(place, Idx)
        body = at_label(run, body, place.index, label.node)
    row = len(opened) == 1 < len(at) and use.indices[-1].relation == "∀"
    return Value(body, opened, use.span, row)


# --- inputs ----------------------------------------------------------------------------------


def _input(run: Run, use: Use) -> Value:
    """An input: its axes are declared, or follow from custom and use."""
    if use.name in ("argmax", "argmin"):
        raise error("N2C037", f"an {use.name} cannot be computed", use.span)
    name, lead, indices, steps = _identity(run, use)
    if name in run.made:  # the y_{t-1} of a step, where y_t is made of what the step gives
        name = f"{name}_before"
    symbol = run.symbols.get(name)
    if symbol is None:
        rank = lead + _element_rank(run, use, name, indices, steps)
        axes = _axes(run, use, name, rank)
        symbol = Symbol(name, axes, run.quote(use.span), use.span)
        run.symbols[name] = symbol
    return element(run, use, name, symbol.axes)


def _identity(run: Run, use: Use) -> tuple[str, int, int, int]:
    """The input that a use belongs to, how many of its axes are those of indices, and how many
    indices and steps tell the axes of its elements.

    A name that occurs both with and without indices is one array, or, where that cannot be, a
    number and an array, which is then called by its index too: ``x`` and ``x_i``.
    """
    counts = run.seen.counted.get(use.name, {len(use.indices)})
    most = max(counts | {len(use.indices)})
    kernel = use.name in run.seen.kernels
    if kernel or (
        len(counts) > 1 and not run.choose(f"one {use.name}", ((True, 0.0), (False, 0.4)))
    ):
        if use.indices:
            letters = [names.label(at.node) for at in use.indices]
            own = names.code_name(use.name, *letters)
            return run.separate.setdefault(use.name, own), len(use.indices), most, 0
        return use.name, 0, 0, 0
    # H^{(l)} is a matrix, and S_{ij} a number where i counts the steps; the Z_i that the keys of
    # linear attention are added up to is a vector.
    base = names.base_letter(use.name)
    whole = not use.indices or "l" in run.seen.steps.get("", ())
    normaliser = base == "Z" and run.seen.attends
    matrix = base.isupper() and whole and not normaliser and not _is_cell(run, use)
    matrix = matrix and use.name not in run.seen.discounted
    steps = 0 if matrix else use.steps
    return use.name, most, most, steps


def _is_cell(run: Run, use: Use) -> bool:
    """Whether a name is the cell C_t of a recurrent network whose other parts have small letters
    and are vectors: f_t, i_t."""
    others = run.seen.written.items()
    return use.name.startswith("C") and any(
        name[0].islower() and max(written) > max(run.seen.counted[name]) for name, written in others
    )


def _declared(run: Run, use: Use) -> Shape | None:
    """What is declared nearest of a name; one that is in ℝ^1 is a number, wherever no matrix has
    one row or one column for it, and the lengths of k columns in ℝ^{1×k} are k."""
    shape = _said(run, use) if run.shapes else None
    if shape is None:
        return None
    if use.name in run.seen.magnitudes and len(shape.axes) == 2:
        return replace(shape, axes=shape.axes[1:])
    if _is_bias_of_all(run, use, shape):
        return replace(shape, axes=shape.axes[1:])
    used = (run.shapes[name] for name in run.seen.counted if name in run.shapes)
    if shape.axes != (1,) or any(1 in s.axes[:2] for s in used if s.axes[1:]):
        return shape
    return replace(shape, axes=())


def _is_bias_of_all(run: Run, use: Use, shape: Shape) -> bool:
    """Whether a row ``b ∈ ℝ^{1×h}`` is added to each row of what has more: nothing else has one."""
    if len(shape.axes) != 2 or shape.axes[0] != 1 or use.name in run.seen.transposed:
        return False
    sums = (node for node in run.seen.nodes.of(Infix) if node.op == "+")
    terms = [term for node in sums for term in (node.left, node.right)]
    added = {run.seen.use(term).name for term in terms if is_name(term)}
    rows = {name for name, one in run.shapes.items() if one.axes[0:1] == (1,)}
    more = not added <= rows or not all(map(is_name, terms))
    return use.name in added and more and not (rows & run.seen.counted.keys()) - added


def _said(run: Run, use: Use) -> Shape | None:
    """What is said nearest of a name: ``k_j ∈ ℝ^d`` speaks of each element of k."""
    whole = run.shapes.get(use.name)
    of_each = whole is not None and whole.indexed == len(use.indices)
    listed = any(names.label(at.node).startswith("family") for at in use.indices)
    letters = names.INDEX_LETTERS | {HEAD} if listed else frozenset[str]()
    ones = {f"{use.name}_{letter}" for letter in letters}
    of_each = of_each or not ones.isdisjoint(run.shapes)
    if use.indices and use.name in run.defines and not of_each:
        return None  # the O_i of O = Concat(O_1, …, O_h) are no parts of it
    of_a_head = use.name in ("Q", "K", "V") and len(use.indices) == 1 and "head" in run.defines
    told = run.shapes.get(use.name) if of_a_head else None
    if told is not None and len(told.axes) == 1:
        return None  # K_t ∈ ℝ^d says nothing of the K_i of a head
    elsewhere = run.shapes.get(use.name) is run.scope.shapes.get(use.name)
    if run.elementwise and elsewhere and use.name in run.whole_parameters:
        return None  # the x of GELU(x) is any number, whatever the note calls x elsewhere
    places = (scripts.shift(at.node) or (names.label(at.node), 0) for at in use.indices)
    element = names.code_name(use.name, *(letter for letter, _ in places))  # x_{i+1} is an x_i
    labels = sorted(element.split("_"))  # without its range, the i of W_i^Q is a label too
    steps = run.seen.steps.get(names.base_letter(use.name), set()) | run.seen.steps.get("", set())
    ones |= {f"{use.name}_{letter}" for letter in steps if use.steps and not listed}
    for name, shape in run.shapes.items():
        if name != use.name and (name == element or sorted(name.split("_")) == labels):
            return replace(shape, indexed=None)
        if name in ones:  # H_i ∈ ℝ^{m×d} speaks of each of H_1, …, H_n, S_t ∈ ℝ^{d×d} of any step
            return replace(shape, indexed=None)
        if name == use.name and _is_one_of(run, use, shape):
            return replace(shape, indexed=None)
        if name == use.name:
            counted = shape.indexed and max(shape.indexed - use.steps, 0)
            return replace(shape, indexed=counted)
    return None


def _is_one_of(run: Run, use: Use, shape: Shape) -> bool:
    """Whether a declared array, ``k ∈ ℝ^d``, stands for each of those that have an index."""
    if len(use.indices) != 1 or shape.indexed != 0:
        return False
    if run.seen.counted.get(use.name) != {len(use.indices)}:
        return False
    letter = names.label(use.indices[0].node)
    of_a_place = letter not in run.summed and len(shape.axes) == 1
    if use.bold and of_a_place:
        return True
    of_a_head = run.seen.attends and use.name in ("Q", "K", "V")  # all three, or none
    which = "Q, K and V" if of_a_head else use.name
    # The q_m of a place m is a query; that of Σ_m q_m k_m is a number of one.
    placed = names.base_letter(use.name) in "qkv" and of_a_place
    costs = (0.5, 0.0) if placed else (0.0, 0.5)
    options = sorted(zip((False, True), costs, strict=True), key=lambda option: option[1])
    return run.choose(f"each {which}", options)


def _element_rank(run: Run, use: Use, name: str, indices: int, steps: int) -> int:
    """The axes of an element behind its indices; by custom it is one of an array that has those
    axes, too, along which only steps are counted."""
    declared = _declared(run, use)
    if declared is not None:
        rank = declared.rank(indices) - indices
        if rank < 0:
            raise error(
                "N2C032",
                f"`{run.quote(use.span)}` has {indices} indices, but its declared shape "
                f"has {declared.rank(indices)} axes",
                use.span,
            )
        return rank
    if name in run.scope.ranks:
        return run.scope.ranks[name]
    lead, indices = indices, indices + steps
    base = names.base_letter(use.name)
    if run.seen.heads:
        indices -= sum(names.label(at.node) == HEAD for at in use.indices)
    if indices > 1:  # q_n^l is the q_n of a layer
        indices -= sum(counts_layers(at.node) for at in use.indices)
    bold = run.seen.is_bold(use.name)
    small = not bold and base.islower()
    if use.name in run.seen.projections:
        return 2
    if use.name in run.seen.magnitudes:
        return 1
    if use.name in run.seen.matrices and indices in (0, 2):
        return 2 - indices
    if use.name in run.seen.placed:
        return 0
    told_apart = indices > 1 and _is_told_apart(run, use)
    if base == "W" and names.label_of_projection(use.name) and told_apart:
        return run.choose(f"rank {name}", [(2, 0.0), (0, 1.0)])  # W_{g,i}^Q makes the Q_{g,i}
    if (moved := updates.rank(run, use.name)) is not None:
        return moved
    of_one = name in run.seen.elements and {0, 1} <= run.seen.counted[name]
    of_one = of_one or (small and use.name in run.seen.quantities)  # the k of TopK
    if run.seen.attends and base in _ROLES and indices < 2 and not of_one:
        of_heads = "head" in run.defines and run.seen.counted[use.name] == {1}
        return _role_rank(run, base, max(indices, min(use.steps, 1)), of_heads)
    if run.seen.attends and base in "QKV" and (bold or told_apart):
        return run.choose("rank of Q_ij, K_ij and V_ij", ((2, 0.0), (1, 0.5), (0, 1.0)))
    if use.name in run.seen.averaged:
        return run.choose(f"rank {name}", [(1, 0.0), (0, 1.0), (2, 2.0)])
    if run.seen.attends and base in "qkv" and indices == 2:
        vectors = any(
            names.base_letter(name) in _ROLES
            and (run.seen.is_bold(name) or name in run.seen.transposed)
            for name in run.seen.counted
        )
        first, then = (1, 0) if vectors else (0, 1)
        return run.choose("rank of q_ij, k_ij and v_ij", ((first, 0.0), (then, 1.0), (2, 2.0)))
    if use.name in run.seen.points:
        return run.choose(f"rank {name}", [(1, 0.0), (2, 1.0), (0, 2.0)])
    if use.name in run.seen.forms:
        return 2
    if use.name in run.seen.powered and not bold:
        return run.choose(f"rank {name}", [(0, 0.0), (1, 2.4)])
    of_attention = base in ("Q", "K", "V")
    if use.name in run.whole_parameters and indices == 1 and not (bold or of_attention):
        ranks: tuple[int, ...] = (0, 1)
    elif run.elementwise and use.name in run.whole_parameters:
        ranks = (0, 1, 2)
    elif (
        name in run.seen.elements | run.seen.exponents | run.seen.discounted
        or _is_extreme(run, use)
        or (small and name in run.seen.entries)
    ):
        ranks = (0, 1)
    elif (
        base in ("gamma", "beta", "g", "w", "b")
        and indices == 0
        and (run.seen.normalises or _calls_norm(run))
    ):
        ranks = (1, 0)
    elif use.name in run.seen.sequences:
        ranks = (2, 1)
    elif run.seen.logs and base == "y" and indices == 1 and not bold:
        ranks = (0, 1, 2)  # the y_i beside log p_i are labels
    elif run.seen.of_probabilities and indices == 1 and not bold:
        ranks = (0, 1, 2)  # the q_i of p_i log (p_i / q_i) are numbers
    elif (base == "y" and indices == 0 and _is_label(run, use)) or (
        use.name in run.seen.quantities and not use.bold
    ):
        ranks = (0, 1, 2)
    elif (
        use.name in run.seen.mixes
        and not bold
        and (base in names.PROBABILITIES or run.gives_number)
    ):
        return run.choose(f"rank {name}", [(0, 0.0), (1, 1.5)])  # p A + (1 - p) B
    elif base == "L" and run.gives_number:
        ranks = (0, 1, 2)  # a loss is made of losses
    elif base in ("e", "p") and indices == 1 and _embeds(run):
        ranks = (1, 0, 2)
    elif base.isupper() and indices == 1 and _is_of_head(run, use):
        ranks = (2, 1, 0)  # the E_i beside W_i^Q
    elif base == "S" and indices == 1 and 1 in run.seen.counted.get("q", ()):
        ranks = (2, 1, 0)  # the S_t of q_t^⊤ S_t is a state
    elif base == "b" and indices == 1 and _has_weights(run):
        ranks = (1, 0, 2)  # the bias beside W^{(l)} a^{(l-1)}
    else:
        # A hidden state is a vector, at a place and in a layer too; summed over both, a number.
        placed = any(names.label(at.node) not in run.summed for at in use.indices)
        state = base == "h" and (placed or bool(use.steps)) and not _is_multiplied(run, use)
        # The x_i beside x^⊤ are the numbers of a vector.
        transposed = lead in run.seen.transposed.get(use.name, ()) or (state and indices == 2)
        ranks = names.element_ranks(use.name, indices, bold, transposed)
        if small and len(base) == 1 and use.name != base and base in run.seen.parts - {*"nmd"}:
            ranks = (1, 0, 2)  # the c_s of [c_s; c_t]
        stepped = run.seen.steps.get(base, set()) | run.seen.steps.get("", set())
        timed = "t" in stepped or any(names.label(at.node) == "t" for at in use.indices)
        word = len(base) > 1 and base not in names.GREEK and base.lower() != "cache"
        if timed and word and ranks[0] == 2:
            ranks = (1, 2, 0)  # the State_t of a time is a vector, the Attn_i of a head a matrix
    # A bias, a position is a vector or a number nearly as often: what it is added to decides.
    step = 0.6 if base in ("b", "p") else 0.5 if base == "bias" else 1.0
    if base == "W" and names.label_of_projection(use.name):
        step = 2.2
    elif base == "W" or (base in ("a", "alpha") and indices >= 2):
        step = 1.3  # weights are matrices, and those of attention are numbers
    counts = "_" in use.name and use.name in run.seen.quantities
    if (base == "eta" or counts) and indices == 0:
        step = 2.5  # a rate is a number, whatever it is divided by, and so is n_kv
    costs = [step * at for at in range(len(ranks))]
    if base == "X" and ranks[-1] == 0:
        costs[-1] = 3.5  # the tokens are no number, strange as their product may be
    return run.choose(f"rank {name}", list(zip(ranks, costs, strict=True)))


def _is_multiplied(run: Run, use: Use) -> bool:
    """Whether an element stands beside another with the same last index, which a sum counts: the
    h_{ij} of ``Σ_j s_{tj} h_{ij}``, a dot product. The weights of ``Σ_j a_{tj} h_{ij}`` say nothing
    of the kind."""
    last = names.label(use.indices[-1].node) if len(use.indices) > 1 else ""
    others = {
        name
        for name, place, letter in run.seen.shifts
        if place and letter == last and name != use.name
    }
    weights = names.WEIGHTS | {"a", "A", "alpha", "beta"}
    return last in run.summed and any(names.base_letter(x) not in weights for x in others)


def _is_told_apart(run: Run, use: Use) -> bool:
    """Whether the indices of a name are those of the left-hand side."""
    letters = {names.label(at.node) for at in use.indices}
    return letters <= run.on_left and letters.isdisjoint(run.summed)


def _calls_norm(run: Run) -> bool:
    """Whether a formula calls a normalisation by its name."""
    return any(map(names.is_norm, run.seen.called))


def _embeds(run: Run) -> bool:
    """Whether e_i and p_i are embeddings of a token and of its place, and no scores and no
    probabilities: by the word for what is defined, or as in ``[e_1 + p_1, …, e_n + p_n]``."""
    named = set(map(names.base_letter, run.seen.counted.keys() - run.seen.sizes))
    added = named == {"e", "p"} and not run.summed
    return added or any("embed" in name.lower() for name in run.defines)


def _is_of_head(run: Run, use: Use) -> bool:
    """Whether a name has the index that counts heads, as that of their projections does."""
    heads = {
        letter
        for name, _, letter in run.seen.shifts
        if names.base_letter(name) == "W" and names.label_of_projection(name)
    }
    return any(names.label(at.node) in heads for at in use.indices)


def _has_weights(run: Run) -> bool:
    """Whether there are several weights W, told apart by an index."""
    return any(
        names.base_letter(name) == "W" and max(counts) == 1
        for name, counts in run.seen.counted.items()
    )


def _is_extreme(run: Run, use: Use) -> bool:
    """Whether a name is an x_{max}: a number, as a w_{min} of weights is."""
    base, _, last = use.name.rpartition("_")
    extreme = last in ("max", "min") and not use.indices and not use.bold
    return extreme and (base in run.seen.elements or (len(base) == 1 and base.islower()))


def _is_label(run: Run, use: Use) -> bool:
    """Whether y is a number: beside log p, or in a loss of labels alone; not where it is set as a
    vector, or transposed as one."""
    vector = run.seen.is_bold(use.name) or use.name in run.seen.transposed
    return not vector and (run.seen.logs or (run.gives_number and run.seen.of_labels))


_ROLES = frozenset("QKVqkv")


def _role_rank(run: Run, base: str, indices: int, of_heads: bool) -> int:
    """Queries, keys and values are of one kind: matrices, their rows, or their elements."""
    if base.isupper() and indices == 0:
        return 2
    if base.isupper():
        letters = run.seen.bound.union(*run.seen.steps.values())
        said = {f"{role}_{letter}" for role in "QKV" for letter in letters} & run.shapes.keys()
        ranks = {len(run.shapes[name].axes) for name in said} & {1, 2}
        if ranks:
            return min(ranks)  # the V_n beside a declared K_n
        first, then = (2, 1) if of_heads else (1, 2)
        return run.choose("rank of Q_i, K_i and V_i", ((first, 0.0), (then, 0.5)))
    if indices == 0:
        return run.choose("rank of q, k and v", ((1, 0.0), (2, 0.5), (0, 1.4)))
    # The q_i of q_i k_j is no number: those of one query and its key are counted by one letter.
    queries, keys = _letters_below(run, "q"), _letters_below(run, "k")
    apart = bool(queries) and bool(keys) and queries.isdisjoint(keys)
    return run.choose("rank of q_i, k_i and v_i", ((1, 0.0), (0, 4.0 if apart else 1.1)))


def _letters_below(run: Run, role: str) -> set[str]:
    """The letters that count the arrays of a role."""
    return {letter for name, _, letter in run.seen.shifts if names.base_letter(name) == role}


def _axes(run: Run, use: Use, name: str, rank: int) -> tuple[Size, ...]:
    declared = _declared(run, use)
    if declared and declared.is_sized and declared.rank(len(use.indices)) == rank:
        lead = run.custom_axes("", rank - len(declared.axes), False)
        return lead + tuple(sizes.parse(run, axis) for axis in declared.axes)
    indexed = len(use.indices)
    custom = "W" if use.name in run.seen.projections else use.name
    if rank > 2:
        lead = tuple(Size("") for _ in range(rank - 2))
        return lead + run.custom_axes(custom, 2, True)
    weighs = run.seen.attends and names.base_letter(use.name) == "w"  # what queries do with keys
    if rank == indexed == 2 and (weighs or _is_square(run, use)):
        return Size(""), Size("")  # no rows of features
    if rank == 2 and indexed == 1:
        return run.custom_axes(use.name, 2, False)
    if rank == indexed == 1 and name in _ROLES:  # numbers k_i, one at each position
        return run.custom_axes(use.name, 2, False)[:1]
    return run.custom_axes(custom, rank, True)


def _is_square(run: Run, use: Use) -> bool:
    """Whether both indices of a name run over one range, as in ``Σ_{i, j = 1}^n X_{ij}``."""
    counting = [run.indices.get(names.label(at.node)) for at in use.indices]
    rows, columns = (None if index is None else find_index(index).size for index in counting)
    return rows is not None and columns is not None and same_size(rows, columns)
