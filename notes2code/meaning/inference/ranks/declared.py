"""Which of the shapes that are declared belongs to a use of a name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.diagnostics import note
from notes2code.latex.tree import Big, Group, Infix, Name, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.ranks import single_rows
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.notation import positions
from notes2code.meaning.notation.scripts import HEAD, Use, is_name
from notes2code.meaning.scope import Shape


def declared_shape(run: Run, use: Use) -> Shape | None:
    """What is declared nearest of a name; one that is in ℝ^1 is a number, wherever no matrix has
    one row or one column for it, and the lengths of k columns in ℝ^{1×k} are k."""
    shape = _said(run, use) if run.shapes else None
    if shape is None:
        return None
    if use.name in run.seen.magnitudes and len(shape.axes) == 2:
        return replace(shape, axes=shape.axes[1:])
    if _is_bias_of_all(run, use, shape):
        return replace(shape, axes=shape.axes[1:])
    shape = _of_one_row(run, use, _of_one_example(run, use, shape))
    used = (run.shapes[name] for name in run.seen.counted if name in run.shapes)
    if shape.axes != (1,) or any(1 in s.axes[:2] for s in used if s.axes[1:]):
        return single_rows.as_vector(run, use, shape)
    return replace(shape, axes=())


def _of_one_example(run: Run, use: Use, shape: Shape) -> Shape:
    """The shape of an array in one of a batch, where its indices are those of the other axes: the
    ``V^{(h)}_j`` of a ``V ∈ ℝ^{B×H×N×D}``. The x_i of an ``x ∈ ℝ^{B×d}`` are the examples."""
    rest = shape.axes
    while rest and rest[0] in names.BATCHES:
        rest = rest[1:]
    letters = {names.label(at.node) for at in use.indices}
    if rest == shape.axes or shape.indexed != 0 or not letters or letters & names.BATCHES:
        return shape
    if len(rest) < max(len(letters), 2) or _sums_over(run, shape.axes[: -len(rest)]):
        return shape
    return replace(shape, axes=rest)


def _of_one_row(run: Run, use: Use, shape: Shape) -> Shape:
    """The shape of a row where a function is written for one: the ``Σ_{i=1}^d x_i^2`` of an ``x ∈
    ℝ^{n×d}`` goes over as many as there are columns."""
    if len(shape.axes) != 2 or shape.axes[0] == shape.axes[1] or use.name not in run.parameters:
        return shape
    of_numbers = max(run.seen.counted.get(use.name, ()), default=0) == 1
    of_row = of_numbers and _sums_over(run, shape.axes[1:]) and not _sums_over(run, shape.axes[:1])
    return replace(shape, axes=shape.axes[1:]) if of_row else shape


def _sums_over(run: Run, sizes: Sequence[str | int]) -> bool:
    """Whether one of some sizes ends the range of a sum."""
    ends = (big.sup for big in run.seen.nodes.of(Big) if big.sup is not None)
    return any(isinstance(part, Name) and part.text in sizes for end in ends for part in walk(end))


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
    counting = names.INDEX_LETTERS | {HEAD} if listed else frozenset[str]()
    ones = {f"{use.name}_{letter}" for letter in counting}
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
    if elsewhere and _is_point_here(run, use):
        return None
    places = (positions.shift(at.node) or (names.label(at.node), 0) for at in use.indices)
    letters = [letter for letter, _ in places]
    element = names.code_name(use.name, *letters)  # x_{i+1} is an x_i
    ones.update(together(use.name, letters))
    if element not in run.shapes and use.name not in run.shapes and _is_any_of(run, use):
        ones.update(_elements(run, use.name, len(letters)))  # x_i ∈ ℝ^d speaks of x_j
    labels = sorted(element.split("_"))  # without its range, the i of W_i^Q is a label too
    steps = run.seen.steps.get(names.base_letter(use.name), set()) | run.seen.steps.get("", set())
    ones |= {f"{use.name}_{letter}" for letter in steps if use.steps and not listed}
    state = use.name.removesuffix("_0")
    if state != use.name and state in run.defines:
        ones |= {f"{state}_{letter}" for letter in run.on_left}  # S_0 is what each S_t is
    if len(use.indices) == use.above == 1 and not listed:
        ones.add(f"{use.name}_0")  # X^{(0)} ∈ ℝ^{D×N} is what each X^{(m)} is
    ones.update(_families(run, use))
    of_all: Shape | None = None
    for name, shape in run.shapes.items():
        each = name != use.name and (name == element or sorted(name.split("_")) == labels)
        # H_i ∈ ℝ^{m×d} speaks of each of H_1, …, H_n, S_t ∈ ℝ^{d×d} of any step; W_i ∈ ℝ^{d×p} does
        # so though W ∈ ℝ^{d×d} of one head stands nearer in its section.
        if (each or name in ones) and not (of_all and shape.afar):
            return replace(shape, indexed=None)
        if name == use.name and _is_one_of(run, use, shape):
            of_all = of_all or replace(_of_each(run, use, shape), indexed=None)
        elif name == use.name:
            counted = shape.indexed
            if counted:  # what is said of h_i is said of each h_i^t
                counted = max(counted - use.steps, min(counted, len(use.indices)))
            of_all = of_all or replace(shape, indexed=counted)
    return of_all or _of_entry(run, use) or _of_component(run, use) or _of_its_kind(run, use)


def _families(run: Run, use: Use) -> Iterator[str]:
    """The h_i of ``h_i ∈ ℝ^{n×d}``, which speaks of the h_1 and h_2 of ``h_1 + h_2``, too, where
    its sizes are those of all. The x_1 in a column of numbers is none of the tokens, one that is
    weighed may be a feature of some x_i ∈ ℝ^d, and a W_1 may be of another layer."""
    stem, _, number = use.name.rpartition("_")
    if use.indices or not number.isdigit() or use.name in run.shapes.keys() | run.seen.entries:
        return
    if stem not in names.VECTORS - names.WEIGHTS:
        return
    for letter in names.INDEX_LETTERS:
        said = run.shapes.get(f"{stem}_{letter}")
        if said is None or said.afar or len(said.axes) == 1 or "1" in map(str, said.axes):
            continue
        if all(letter not in str(axis).split("_") for axis in said.axes):
            yield f"{stem}_{letter}"


def _is_point_here(run: Run, use: Use) -> bool:
    """Whether the y of ``d(x, y) = \\sqrt{(x - y)^⊤ A (x - y)}`` is what that function is given, a
    vector, though the note calls a number y elsewhere."""
    shape = run.shapes.get(use.name)
    is_point = use.name in run.seen.points and use.name in run.whole_parameters
    if not is_point or shape is None or shape.axes or use.indices:
        return False
    text = f"`{use.name}` is what this function is given, and no number that the note calls so"
    if all(problem.message != text for problem in run.problems):
        run.problems.append(note("N2C039", text, use.span, "give one of the two another letter"))
    return True


_OF_ANY = "ijlmnrstu"
"""Letters below a name that is declared with them which count any of several; the k of a weight or
a number may be the label of keys, if it stands alone."""


def _elements(run: Run, name: str, indices: int) -> list[str]:
    """What the note declares with any letters for so many indices: ``x_i``, ``h_{ij}``, and
    ``x̂_i``, whose mark stands behind them."""
    labelled = indices == 1 and (name[0].isupper() or name in names.WEIGHTS | {"d"})
    letters = "_" + f"_?[{_OF_ANY}{'' if labelled else 'k'}]" * indices
    base, mark, label = map(re.escape, name.rstrip("_").partition("_"))
    pattern = re.compile(f"{base}(?:{letters}{mark}{label}|{mark}{label}{letters})")
    return [one for one in run.shapes if pattern.fullmatch(one)]


def _is_any_of(run: Run, use: Use) -> bool:
    """Whether a name has nothing but indices that count something here."""
    nodes = [at.node for at in use.indices]
    counts = (isinstance(node, Name) and node.text in run.seen.bound for node in nodes)
    return bool(nodes) and all(counts) and not use.steps


def is_of_said_kind(run: Run, array: str) -> bool:
    """Whether the note declares an array, or its elements: ``h_i ∈ ℝ``."""
    if not run.shapes:
        return False
    return array in run.shapes or any(_elements(run, array, count) for count in (1, 2, 3))


def _of_component(run: Run, use: Use) -> Shape | None:
    """The x_1 and x_2 of ``f(x)`` with an ``x ∈ ℝ^2`` are its two numbers, where both stand in what
    no vectors need, such as a matrix before them, ``⊤`` or a norm; those of an ``x ∈ ℝ^d`` may be
    halves of it, or others of its kind, as the two of ``k(x_1, x_2)`` are."""
    stem, _, number = use.name.rpartition("_")
    whole = run.shapes.get(stem)
    if whole is None or not number.isdigit() or use.indices or use.bold or whole.indexed:
        return None
    if run.whole_parameters != (stem,):
        return None
    of_vectors = run.seen.transposed or any(
        group.open in "|‖" for group in run.seen.nodes.of(Group)
    )
    of_vectors = of_vectors or any(infix.op == "⊙" for infix in run.seen.nodes.of(Infix))
    if of_vectors or any(name[0].isupper() for name in run.seen.counted):
        return None
    match whole.axes:
        case (int(length),) if length > 1:
            every = {f"{stem}_{place}" for place in range(1, length + 1)}
            return Shape(()) if every <= run.seen.counted.keys() else None
    return None


def _of_its_kind(run: Run, use: Use) -> Shape | None:
    """The λ_{Q_2} of a formula is a vector where the λ_{Q_1} in it is declared as one: only their
    numbers differ."""
    stem, _, number = use.name.rpartition("_")
    if not number.isdigit() or not stem:
        return None
    for name in run.seen.counted.keys() & run.shapes.keys():
        own, _, other = name.rpartition("_")
        if own == stem and other.isdigit() and run.shapes[name].is_vector:
            return Shape(("",))
    return None


def together(name: str, letters: Sequence[str]) -> Iterator[str]:
    """What declarations call the element ``v_{ij}`` that formulas have as ``v_{i,j}``."""
    if len(letters) > 1 and all(len(letter) == 1 for letter in letters):
        yield names.code_name(name, "".join(letters))


def _of_entry(run: Run, use: Use) -> Shape | None:
    """What a ``v_i ∈ ℝ^d`` says of the ``v_{i,c}`` which is its entry c."""
    letters = [names.label(at.node) for at in use.indices]
    for at in range(len(letters) - 1, 0, -1):
        named = (names.code_name(use.name, *letters[:at]), *together(use.name, letters[:at]))
        whole = next((run.shapes[name] for name in named if name in run.shapes), None)
        if whole is not None and whole.indexed:  # the m_i^{(j)} of a step j, of which each is said
            return replace(whole, indexed=None) if whole.indexed == len(letters) - at else None
        if whole is not None and whole.is_sized and len(whole.axes) >= len(letters) - at:
            return replace(whole, indexed=at)
    return None


def _of_each(run: Run, use: Use, shape: Shape) -> Shape:
    """The shape of one of several: that of a head is a matrix, without the axis of the batch."""
    return _of_one_example(run, use, shape) if use.name in ("Q", "K", "V") else shape


def _counts_along(run: Run, use: Use, axes: Sequence[str | int]) -> bool:
    """Whether an index goes up to a length ± a number: the i of ``Σ_{i=1}^{n-1} x_i`` counts
    elements of an ``x ∈ ℝ^n``, and no vectors that are so long."""
    shift = positions.shift(use.indices[0].node)
    index = run.indices.get(shift[0]) if shift else None
    value = None if index is None else find_index(index).size.value
    parts = value.terms if isinstance(value, ir.Add) else ()
    return any(isinstance(part, ir.Size) and part.name in axes for part in parts)


def _is_one_of(run: Run, use: Use, shape: Shape) -> bool:
    """Whether a declared array, ``k ∈ ℝ^d``, stands for each of those that have an index."""
    if len(use.indices) != 1 or shape.indexed != 0:
        return False
    rest = _of_one_example(run, use, shape)
    if rest is not shape and len(rest.axes) > 2:
        return False  # of Q ∈ ℝ^{B×H×n×d} each Q^{(h)} is a matrix
    letter = names.label(use.indices[0].node)
    listed = letter.startswith("family")  # the 1 of x_p^1, …, x_p^N is no index by itself
    if run.seen.counted.get(use.name) not in ({1}, {0} if listed else {1}):
        return False
    if _counts_along(run, use, shape.axes):
        return False
    of_a_place = letter not in run.summed and len(shape.axes) == 1
    if use.bold and of_a_place:
        return True
    if use.name in run.whole_parameters and use.power is not None:
        return False  # the x_i^2 of RMS(x) are the numbers of that x
    of_a_head = run.seen.attends and use.name in ("Q", "K", "V")  # all three, or none
    which = "Q, K and V" if of_a_head else use.name
    # The q_m of a place m is a query; that of Σ_m q_m k_m is a number of one.
    placed = names.base_letter(use.name) in "qkv" and of_a_place
    costs = (0.5, 0.0) if placed else (0.0, 1.0 if letter in run.summed else 0.5)
    if of_a_head and "head" in run.defines and len(rest.axes) == 2:
        costs = (1.5, 0.0)  # the Q_i of head_i is no row
    options = sorted(zip((False, True), costs, strict=True), key=lambda option: option[1])
    return run.choose(f"each {which}", options)
