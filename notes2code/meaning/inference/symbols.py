"""Names in a formula: what each stands for, and the element it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Frac, Infix, Juxt, Name, Node, Num, Relation, Script, alike
from notes2code.latex.words import RATES
from notes2code.meaning import ir, names
from notes2code.meaning.inference import letters, sizes
from notes2code.meaning.inference.calls import halves
from notes2code.meaning.inference.indices import members
from notes2code.meaning.inference.indices.indexing import at_label, position
from notes2code.meaning.inference.products import gains, turns
from notes2code.meaning.inference.ranks.declared import declared_shape
from notes2code.meaning.inference.ranks.element_ranks import element_rank, is_of_product
from notes2code.meaning.inference.run import Defined, Run, Symbol, find_index, same_size
from notes2code.meaning.inference.values import Value, fresh, scalar, settled, shape_text, transpose
from notes2code.meaning.ir import Expr, Idx, Index, Ref, Size
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import Use, is_name, looked_up


def name_value(run: Run, node: Node) -> tuple[Value, Use]:
    """The value of a name with its scripts, its power not yet applied."""
    use = gains.of_the_feature(run, run.seen.use(node))
    _refuse_bare_function(run, node, use)
    if isinstance(node, Script):
        _refuse_expectation(node, use)
        _refuse_condition(node, use)
        _refuse_adjoint(run, node, use)
    _refuse_bold_counter(run, node)
    value = value_at(run, use)
    if use.transposed:
        if isinstance(value.body, Idx) or (use.name in run.indices and not use.indices):
            raise error(
                "N2C033",
                f"`{use.name}` is transposed here, and is an index too",
                use.span,
                "call one of the two by another letter",
            )
        if value.rank == 0 and (number := _declared_number(run, node)) is not None:
            return value, replace(use, transposed=False, power=number)
        if value.rank == 0:
            run.pay(4.7)  # only arrays are transposed
        value = transpose(value, use.span)
    return value, use


def _refuse_bare_function(run: Run, node: Node, use: Use) -> None:
    """``cos`` alone, or with scripts such as those of ``cos_x^2``, is no array."""
    if binders.bare(node) in names.FUNCTIONS and use.name not in run.shapes | run.defined:
        text = f"`{run.quote(use.span)}` lacks its argument"
        raise error("N2C024", text, use.span, "write it behind, in parentheses")


def _refuse_bold_counter(run: Run, node: Node) -> None:
    """The noise ``\\mathbf{n}`` of ``y_n = x_n + \\mathbf{n}`` is a vector by its font, and by its
    letter the number of the place."""
    if isinstance(node, Name) and node.font == "bold" and node.text in run.indices:
        text = f"`{run.quote(node.span)}` is bold, as a vector is, and counts places here"
        raise error("N2C033", text, node.span, "give one of the two another letter")


def _refuse_adjoint(run: Run, node: Script, use: Use) -> None:
    """The ``U^\\dagger`` of ``U U^\\dagger`` is made of U, in one of two ways, and is no other
    matrix; nor is the ``U^H`` beside it."""
    match node:
        case Script(base, sub, Name("dagger" | "H" as mark)) if use.name not in run.shapes:
            plain = replace(node, sup=None) if sub is not None else base
            if use.name not in run.defines and (mark == "dagger" or _stands_by(run, plain, node)):
                raise turns.unknown_adjoint(run, node.span)


def _stands_by(run: Run, plain: Node, node: Node) -> bool:
    """Whether two nodes are factors of one product, such as ``U Λ U^H``."""
    products = (factors for one in run.seen.nodes.of(Juxt) if node in (factors := one.factors))
    return any(alike(factor, plain) for factors in products for factor in factors)


def _refuse_condition(node: Script, use: Use) -> None:
    """The ``a = b`` below an array, ``L_{a=b}``, says which one is meant, and is no index."""
    below = node.sub
    if not isinstance(below, Relation) or names.label(below) or use.indices:
        return
    raise error("N2C032", "this index is not understood", below.span)


def _refuse_expectation(node: Script, use: Use) -> None:
    """The ``𝔼_x`` of ``𝔼_x \\log p(x)``, and the ``E_{x=1}``."""
    match node:
        case Script(Name("E", _, font), below) if below is not None:
            if font == "blackboard" or (isinstance(below, Relation) and not use.indices):
                raise error("N2C037", "an expectation cannot be computed", use.span)


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
            if use.name == "pi" and letters.is_logged(run, use.name):
                text = "this `\\pi` is taken to be the number 3.14…, and no policy"
                hint = "write what a policy is of, `\\pi(a | s)`"
                if all(problem.message != text for problem in run.problems):
                    run.problems.append(note("N2C039", text, use.span, hint))
            return scalar(ir.Num(letters.CONSTANTS[use.name]), use.span)
        told = use.name in run.shapes or use.name in run.defined
        if use.name in run.seen.identities and not told:
            return _identity_matrix(run, use)
        if (many := _of_ones(run, use.name)) is not None:
            return Value(ir.ONE, (fresh(many),), use.span)
    if run.defined and (value := _of_defined(run, use)) is not None:
        return value
    if not use.indices and not use.steps and letters.is_size(run, use.name):
        return scalar(run.size(use.name), use.span)
    return _input(run, use)


def _of_defined(run: Run, use: Use) -> Value | None:
    """The value of what another statement defines, or whose square it does."""
    defined = run.defined.get(use.name)
    if defined is not None and defined.indexed and not use.indices and use.name in run.seen.sizes:
        return None  # the n beside n_k is a number
    if defined is not None:
        _refuse_share(run, use, defined)
        return element_of(run, use, defined)
    if (one := members.member(run, use)) is not None:
        return one
    square = run.defined.get(f"{use.name}_squared")
    if square is None:
        return None
    value = element_of(run, use, square)
    return replace(value, body=ir.Pow(value.body, ir.HALF))


def _of_ones(run: Run, name: str) -> Size | None:
    """How many ones the vector ``\\mathbf{1}`` or ``\\mathbf{1}_n`` has; None of any other name."""
    base, _, label = name.partition("_")
    if base != "ones" or (label and label not in names.SIZE_BASES):
        return None
    label = label or _count_of_ones(run)
    return run.size(label) if label else Size("")


def _count_of_ones(run: Run) -> str:
    """The n of ``\\frac{1}{n} \\mathbf{1} \\mathbf{1}^\\top``, and of the same before ``X / n``,
    which take the mean: so many ones there are; "" where nothing is divided so."""
    for product in run.seen.nodes.of(Juxt):
        for before, one, other in zip(
            product.factors, product.factors[1:], product.factors[2:], strict=False
        ):
            match before:
                case Frac(Num("1"), Name(count)) if _are_ones(run, one, other):
                    return _count(run, count)
    for quotient in run.seen.nodes.of(Frac, Infix):
        match quotient:
            case Frac(Juxt((one, other, *_)), Name(count)) | Infix(
                "/", Juxt((one, other, *_)), Name(count)
            ) if _are_ones(run, one, other):
                return _count(run, count)
    return ""


def _are_ones(run: Run, *nodes: Node) -> bool:
    uses = map(run.seen.understood, nodes)
    return all(use is not None and use.name == "ones" for use in uses)


def _count(run: Run, letter: str) -> str:
    """A letter if it may be that of a size which the note does not declare as something else."""
    return letter if letter in names.SIZE_BASES and letter not in run.shapes else ""


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
    sizes = tuple(i.size for i in defined.array.indices)
    if len(use.indices) == 1 and _has_columns(defined.array):
        return _column(run, use, defined.name, sizes)
    return element(run, use, defined.name, sizes)


def _column(run: Run, use: Use, array: str, axes: tuple[Size, ...]) -> Value:
    """The column of a matrix that an index tells."""
    value = element(run, use, array, axes[::-1])
    assert isinstance(value.body, Ref)
    return replace(value, body=Ref(array, value.body.at[::-1]))


def _counts_columns(run: Run, use: Use, axes: tuple[Size, ...]) -> bool:
    """Whether the only index of a matrix runs as far as it has columns, and no rows: the x_i of an
    ``x ∈ ℝ^{d×m}`` for ``i = 1, …, m``."""
    if len(use.indices) != 1 or len(axes) != 2:
        return False
    index = run.indices.get(names.label(use.indices[0].node))
    size = None if index is None else find_index(index).size
    return size is not None and same_size(size, axes[1]) and not same_size(size, axes[0])


def _has_columns(array: ir.Lambda) -> bool:
    """Whether an array has a column for each token, as ``Q = W_Q X`` has: Q_i is one of them."""
    if len(array.indices) != 2:
        return False
    row, column = map(Idx, array.indices)
    match settled(array.body):
        case ir.Reduce("sum", _, ir.Mul((Ref(weight, (first, _)), Ref(tokens, (_, last))))):
            own = [names.base_letter(weight) == "W", names.base_letter(tokens) == "W"]
            return (first, last) == (row, column) and own == [True, False]
    return False


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
    row = len(opened) == 1 < len(at) + use.steps and use.indices[-1].relation == "∀"
    return Value(body, opened, use.span, row)


# --- inputs ----------------------------------------------------------------------------------


def _input(run: Run, use: Use) -> Value:
    """An input: its axes are declared, or follow from custom and use."""
    if use.name in ("argmax", "argmin"):
        raise error("N2C037", f"an {use.name} cannot be computed", use.span)
    if halves.is_half(run, use):
        return halves.half(run, use, _input(run, halves.whole_of(use)))
    name, lead, indices, steps = _identity(run, use)
    if name in run.made:  # the y_{t-1} of a step, where y_t is made of what the step gives
        name = f"{name}_before"
    symbol = run.symbols.get(name)
    if symbol is None:
        rank = lead + element_rank(run, use, name, indices, steps)
        axes = _axes(run, use, name, rank)
        symbol = Symbol(name, axes, run.quote(use.span), use.span)
        run.symbols[name] = symbol
    if symbol.kind == "function":
        text = f"`{name}` is called elsewhere in the formula, and no array there"
        raise error("N2C033", text, use.span, "give it its argument here, too")
    if _counts_columns(run, use, symbol.axes):
        return _column(run, use, name, symbol.axes)
    return element(run, use, name, symbol.axes)


def _identity(run: Run, use: Use) -> tuple[str, int, int, int]:
    """The input that a use belongs to, how many of its axes are those of indices, and how many
    indices and steps tell the axes of its elements.

    A name that occurs both with and without indices is one array, or, where that cannot be, a
    number and an array, which is then called by its index too: ``x`` and ``x_i``.
    """
    if capital := _whole_of(run, use):
        text = f"`{run.quote(use.span)}` is taken to be a row of `{capital}`"
        run.problems.append(note("N2C039", text, use.span))
        return capital, 1, 1, 0
    counts = run.seen.counted.get(use.name, {len(use.indices)})
    most = max(len(use.indices), *counts)
    kernel = use.name in run.seen.kernels
    if kernel or (
        len(counts) > 1 and not run.choose(f"one {use.name}", ((True, 0.0), (False, 0.4)))
    ):
        if use.indices:
            if not kernel and use.name not in run.separate:
                text = f"`{run.quote(use.span)}` is taken to be no part of the one without an index"
                run.problems.append(note("N2C039", text, use.span))
            letters = [names.label(at.node) for at in use.indices]
            own = names.code_name(use.name, *letters)
            return run.separate.setdefault(use.name, own), len(use.indices), most, 0
        return use.name, 0, 0, 0
    if 0 < len(use.indices) < most:
        text = (
            f"`{run.quote(use.span)}` is taken to be a row of the array whose elements stand here"
        )
        if all(problem.message != text for problem in run.problems):
            run.problems.append(note("N2C039", text, use.span))
    # H^{(l)} is a matrix, and S_{ij} a number where i counts the steps; the Z_i that the keys of
    # linear attention are added up to is a vector.
    base = names.base_letter(use.name)
    whole = not use.indices or "l" in run.seen.steps.get("", ())
    normaliser = base == "Z" and run.seen.attends
    matrix = base.isupper() and whole and not normaliser and not _is_cell(run, use)
    matrix = matrix and use.name not in run.seen.discounted
    steps = 0 if matrix else use.steps
    return use.name, most, most, steps


def _whole_of(run: Run, use: Use) -> str:
    """The K beside a k_j, which is its row; "" if the formula has none, or their shapes tell
    that they are two."""
    capital = use.name.upper()
    alone = run.seen.counted.get(capital) == run.seen.written.get(capital) == {0}
    known = run.defines | run.shapes.keys() | {*run.parameters}
    if not alone or use.name not in names.ROLES or len(use.indices) != 1 or use.name in known:
        return ""
    whole, own = run.shapes.get(capital), declared_shape(run, use)
    if whole is not None and own is not None and own.axes != whole.axes[1:]:
        return ""
    return "" if capital in run.defines | run.seen.sizes else capital


def _is_cell(run: Run, use: Use) -> bool:
    """Whether a name is the cell C_t of a recurrent network whose other parts have small letters
    and are vectors: f_t, i_t."""
    others = run.seen.written.items()
    return use.name.startswith("C") and any(
        name[0].islower() and max(written) > max(run.seen.counted[name]) for name, written in others
    )


def _axes(run: Run, use: Use, name: str, rank: int) -> tuple[Size, ...]:
    declared = declared_shape(run, use)
    if declared and declared.is_sized and declared.rank(len(use.indices)) == rank:
        lead = run.custom_axes("", rank - len(declared.axes), False)
        return lead + tuple(sizes.parse(run, axis) for axis in declared.axes)
    indexed = len(use.indices)
    custom = "W" if use.name in run.seen.projections else use.name
    if use.steps and names.base_letter(custom) == "M":
        custom = ""  # a memory, and no mask
    if rank > 2:
        lead = tuple(Size("") for _ in range(rank - 2))
        return lead + run.custom_axes(custom, 2, True)
    weighs = names.base_letter(use.name) == "w" and (
        run.seen.attends  # what queries do with keys
        or _weighs_vectors(run, use)
        or is_of_product(run, use)
    )
    if rank == indexed == 2 and (weighs or _is_square(run, use)):
        return Size(""), Size("")  # no rows of features
    if rank == 2 and indexed == 1:
        return run.custom_axes(use.name, 2, False)
    if rank == indexed == 1 and name in names.ROLES:  # numbers k_i, one at each position
        return run.custom_axes(use.name, 2, False)[:1]
    return run.custom_axes(custom, rank, True)


def _weighs_vectors(run: Run, use: Use) -> bool:
    """Whether the j of ``w_{ij}`` counts vectors, as those x_j are of which a note says so."""
    letter = names.label(use.indices[-1].node) if use.indices else ""
    counted = (name for name, _, other in run.seen.shifts if other == letter)
    each = (run.shapes[name] for name in counted if name in run.shapes)
    return any(shape.rank(1) > 1 for shape in each)


def _is_square(run: Run, use: Use) -> bool:
    """Whether both indices of a name run over one range, as in ``Σ_{i, j = 1}^n X_{ij}``."""
    counting = [run.indices.get(names.label(at.node)) for at in use.indices]
    rows, columns = (None if index is None else find_index(index).size for index in counting)
    return rows is not None and columns is not None and same_size(rows, columns)
