"""What a left-hand side is by custom and as it is declared, against what comes out.

Each finding counts against the reading, and the last reading left may be refused for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.diagnostics import error, note, warning
from notes2code.latex.tree import Big, Matrix, Name, alike, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.ranks.declared import together
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.sums import families
from notes2code.meaning.inference.targets import Target
from notes2code.meaning.inference.values import Value, free_roots, settled
from notes2code.meaning.ir import Size
from notes2code.meaning.notation import positions, scripts
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.prose.kinds import CALLED
from notes2code.meaning.scope import Shape
from notes2code.meaning.stated import Define

_SCORES = frozenset([*"eADMS", "alpha", "score"])
_OF_TWO = frozenset(["score", "energy", "align", "alignment", "sim", "similarity"])
_STATES = frozenset("hux")
"""Letters of vectors, at two positions too: the ``h_{it}`` of word t in sentence i."""

_MATRICES = frozenset("AHKQSVWXYZ")
_OUTER = frozenset([*"ABCDFGHKMOPQRSUVWXYZ", "Sigma", "Lambda", "Omega"])
_NUMBERS = frozenset(["mu", "sigma", "L", "J", "lambda", "epsilon"])


def check(run: Run, value: Value, target: Target) -> None:
    """Count against a reading what a left-hand side is not expected to be: a score e_ij that is
    no number, a small letter that is a matrix, a name of another declared shape."""
    if is_number(run.seen, target) and value.rank > len(target.indices):
        run.pay(4.4 if target.name[0] in "LJ" else 2.4)
    small = bool(target.parameters) and all(one[0].islower() for one in target.parameters)
    if small and value.rank and target.name.lower() in _OF_TWO:
        run.pay(2.4)  # a score of two vectors is a number, whatever stands in it: V^⊤ tanh(…)
    if target.whole and len(target.indices) == 1 and value.rank > 1:
        run.pay(1.0)  # an element f(x)_i of what is given a vector is a number
    if value.rank == 1 and _joins_heads(target):
        text = f"`{run.quote(target.span)}` would be one row, made of all positions"
        run.conflict(3, text, target.span)
    if target.parameters or not target.name:
        return
    if run.rows and value.rank == 0 and names.base_letter(target.name) in _OUTER:
        run.pay(1.0)  # the u vᵀ that a capital stands for is an outer product
    _refuse_recurrence(run, value, target)
    _beside_itself(run, value, target)
    declared = _declared(run, target)
    _by_custom(run, value, target, declared)
    if declared is not None:
        _as_declared(run, value, target, declared)


def weigh_row(run: Run, value: Value, target: Target) -> None:
    """Count against a reading that a capital is a vector that lies: nobody transposes what a number
    scales, and the ``A = r x^⊤`` is an outer product."""
    if not value.row or value.rank != 1 or names.base_letter(target.name) not in _OUTER:
        return
    scaled = isinstance(value.body, ir.Mul)
    made = any(isinstance(part, ir.Reduce) for part in ir.walk(value.body))  # the α x^⊤ W
    if scaled and not made and not (target.indices or target.transposed or target.parameters):
        run.pay(2.2)


def without_single_axis(run: Run, value: Value, target: Target) -> Value:
    """The number of ``y = C h`` with ``C ∈ ℝ^{1×n}`` and ``y ∈ ℝ``, which comes out as an array of
    one, and the vector of a row; any other value as it is."""
    declared = _declared(run, target)
    said = value.rank if declared is None else declared.rank(len(target.indices))
    ones = [one for one in map(find_index, value.axes) if find(one.size).value == ir.ONE]
    for axis in ones if value.rank - len(ones) == said else ():
        body = families.at_place(settled(value.body), axis, 0)
        rest = tuple(other for other in value.axes if find_index(other) is not axis)
        value = replace(value, body=body, axes=rest, along=None)
    return value


def _is_of_head(run: Run, target: Target) -> bool:
    """Whether a query, a key or a value has an index that counts heads: ``q_i = X W_i^Q``."""
    return any(names.label(at.node) in run.seen.of_heads for at in target.indices)


def _joins_heads(target: Target) -> bool:
    """Whether the heads of all positions are joined: those of ``MultiHead(X)``."""
    plain = names.as_word(target.name)
    named = plain.startswith("multihead") or plain in ("mha", "mhsa", "msa")
    return named and bool(target.parameters) and all(p[0].isupper() for p in target.parameters)


def _refuse_recurrence(run: Run, value: Value, target: Target) -> None:
    """``D_{i,j} = \\min(D_{i-1,j}, D_{i,j-1}) + 1`` goes from element to element: that is no array
    made of another one by its name."""
    inside = ir.walk(value.body) if len(target.indices) > 1 else ()
    own = [p for p in inside if isinstance(p, ir.Ref) and p.array == target.name]
    for at in (at for ref in own for at in ref.at):
        if isinstance(at, ir.Add) and {type(term) for term in at.terms} == {ir.Idx, ir.Num}:
            text = f"`{run.quote(target.span)}` is made of its own elements before, one by one"
            raise error("N2C034", text, target.span, "such a recurrence is not computed")


def _beside_itself(run: Run, value: Value, target: Target) -> None:
    """The state before it, the first one, the x' and the x̂ that are made of x, and the
    ``O_i^{new}`` of O_i, are of its kind."""
    own = run.symbols.get(target.name)
    stepped = bool(run.seen.steps.get(names.base_letter(target.name)))
    if own and not target.indices and len(own.axes) != value.rank:
        if not own.axes or stepped:
            kinds = ("a number", "a vector", "a matrix")
            mine, theirs = (kinds[min(rank, 2)] for rank in (value.rank, len(own.axes)))
            text = f"`{run.quote(target.span)}` would be {mine}, and {theirs} the step before"
            raise error("N2C042", text, target.span, "declare its shape")
        run.pay(1.2)  # the h_{t-1} of h_t
    elif own and not target.indices and _keeps_size(run):
        for size, axis in zip(own.axes, value.axes, strict=True):
            if find(find_index(axis).size).value is None:  # the cache [K; k] grows
                run.unify(size, find_index(axis).size, target.span)
    first = run.symbols.get(f"{target.name}_0")
    if first and target.indices and len(first.axes) != value.rank - len(target.indices):
        text = f"`{run.quote(target.span)}` would have other axes than `{first.written}`"
        run.conflict(3, text, target.span)
    stem = target.name.removesuffix("_prime")
    if target.name.endswith("_hat") and not target.indices:
        stem = target.name.removesuffix("_hat")
        stem = stem if run.seen.counted.get(stem) == {0} else ""
    before = run.symbols.get(stem) if stem != target.name else None
    if before:
        ends = (f"{before.name}_{end}" for end in run.seen.ends)
        listed = any(name in run.seen.counted for name in ends)
        if not listed and len(before.axes) != value.rank:
            run.pay(2.4)
    stem, _, label = target.name.rpartition("_")
    if label not in ("new", "next"):
        return
    for name in (stem, f"{stem}_old", f"{stem}_prev"):
        before = run.symbols.get(name)
        if before is not None and len(before.axes) != value.rank:
            text = f"`{run.quote(target.span)}` would have other axes than it had before"
            run.conflict(3, text, target.span)


def _keeps_size(run: Run) -> bool:
    """Whether a formula steps, and from time to time: layers may be of different widths."""
    letters = set[str]().union(*run.seen.steps.values())
    return bool(letters) and letters.isdisjoint(positions.LAYERS)


def _is_greatest(value: Value) -> bool:
    """Whether a value is a maximum, though of no states h_t, which are pooled so."""
    parts = [*ir.walk(settled(value.body))]
    greatest = any(isinstance(part, ir.Reduce) and part.kind == "max" for part in parts)
    return greatest and not any(isinstance(p, ir.Ref) and p.array[0] == "h" for p in parts)


def _pay_by_letter(run: Run, value: Value, target: Target, indexed: int) -> None:
    """What a reading costs that goes against the letter and the font of a left-hand side."""
    base = target.name.split("_")[0]
    element = value.rank - len(target.indices)
    small = base.islower() and (len(base) == 1 or base in names.GREEK)
    if small and indexed == 0 and element > 1:
        run.pay(0.7)
    lone = indexed == 0 and not (run.seen.steps.get(base) or run.seen.steps.get(""))
    if small and base in names.GREEK and not lone and element > 1:
        run.pay(2.2)  # the gate β_t = σ(W x_t) of a step is a number, or one for each feature
    if len(base) == 1 and base in _MATRICES and lone and element == 1:
        run.pay(0.5)
    if base == "H" and indexed == 0 and "l" in run.seen.steps.get(base, ()) and element == 1:
        run.pay(1.2)  # the H^{(l)} of a layer has all positions
    if base == "m" and element == 1 and _is_greatest(value):
        run.pay(1.2)  # the m of a softmax's exponents is a number
    if small and target.bold and element == 0 and _adds_up_dots(value):
        run.pay(1.2)  # the \\mathbf{y} of weights in bold that stand before vectors
    if target.bold:
        expected = 2 if base.isupper() and lone else 1
        run.pay(1.2 * max(0, expected - _added_up_in_bold(run, value, target, expected)))


def _added_up_in_bold(run: Run, value: Value, target: Target, expected: int) -> int:
    """The rank of the elements of a ``Σ_i w_{ti} \\mathbf{M}_{ti}``, where all bold capitals have
    weights, or of a weighted sum over all of their indices; of any other value what is expected."""
    refs = [part for part in ir.walk(settled(value.body)) if isinstance(part, ir.Ref)]
    bold = [ref for ref in refs if run.seen.is_bold(ref.array)]
    weights = [ref for ref in refs if ref not in bold]
    alike = {frozenset(ref.at[:2]) for ref in refs}
    plain = all(ref.array[0].isupper() and _are_letters(ref.at[:2]) for ref in bold)
    if not (bold and weights and plain) or (target.indices and len(alike) > 1):
        return expected
    own = {ir.Idx(axis) for axis in value.axes}
    return min(len(own.intersection(ref.at[2:])) for ref in bold)


def _are_letters(places: Sequence[ir.Expr]) -> bool:
    """Whether two places are counted by letters of the formula, and are no axes of an array."""
    named = [place for place in places if isinstance(place, ir.Idx) and place.index.name]
    return len(named) == 2


def _by_custom(run: Run, value: Value, target: Target, declared: Shape | None) -> None:
    """What custom expects: scores and weights are numbers, heads and capitals are not, and a small
    letter with an index is a vector at most."""
    base = target.name.split("_")[0]
    indexed = sum(names.label(at.node) != scripts.HEAD for at in target.indices)
    if indexed > 1:
        indexed -= sum(positions.counts_layers(at.node) for at in target.indices)
    element = value.rank - len(target.indices)
    small = base.islower() and (len(base) == 1 or base in names.GREEK)
    _pay_by_letter(run, value, target, indexed)
    timed = len(base) > 1 and any(names.label(at.node) == "t" for at in target.indices)
    unexpected = (small or timed) and indexed == 1 and element > 1
    unexpected = unexpected or (indexed >= 2 and element > 0)
    vector = element == 1 and (bool(run.seen.averaged) or (small and target.bold))
    unexpected = unexpected and not vector
    said = declared is not None and declared.rank(len(target.indices)) == value.rank
    of_head = base in names.ROLES and element == 2 and _is_of_head(run, target)
    unexpected = unexpected and not ((said or of_head) and indexed == 1)
    pair = {names.label(at.node) for at in target.indices} == {"i", "j"}
    scored = base in _SCORES or (base == "s" and pair)  # the s_{t,i} may be states
    weighs = indexed >= 2 and isinstance(settled(value.body), ir.Softmax)
    if unexpected and weighs:
        text = f"each `{run.quote(target.span)}` would be an array, and weights are numbers"
        run.conflict(3, text, target.span)
    elif unexpected and indexed > 1 and scored and declared is None:
        text = f"each `{run.quote(target.span)}` would be an array, and scores are numbers"
        run.conflict(3, text, target.span)
    elif unexpected and indexed == 1 and base in ("q", "k") and _is_of_token(run, value):
        text = f"each `{run.quote(target.span)}` would be a matrix, and those of tokens are vectors"
        run.conflict(3, text, target.span)
    elif unexpected:
        # What stands at two positions may be a vector; what is made of products is a score.
        made = any(isinstance(part, ir.Reduce) for part in ir.walk(settled(value.body)))
        score = small and indexed > 1 and target.name == base and made
        made_of = [*_made_of(run, value)] if indexed > 1 and base not in _STATES else []
        # Numbers at all places make numbers there, unless w and b are declared as vectors.
        lone = bool(made_of) and not made and not any(axes for _, _, axes in made_of)
        own = find(find_index(value.axes[-1]).size).rank == 2
        run.pay(0.2 if base in _STATES else 2.2 if score else 3.0 if lone and not own else 1.5)
        loose = {name for name, at, axes in made_of if at > 1 and axes}
        if not said and (lone or not all(_is_told(run, name) for name in loose)):
            text = f"each `{run.quote(target.span)}` is taken to be a {CALLED[min(element, 2)]}"
            hint = "declare its shape, or that of what it is made of, to make it plain"
            run.problems.append(note("N2C039", text, target.span, hint))
    elif base == "head" and element == 0:
        text = f"each `{run.quote(target.span)}` would be a number"
        run.conflict(3, text, target.span)


def _is_of_token(run: Run, value: Value) -> bool:
    """Whether what has the index of a left-hand side is no weight, as that of a head is: the x_t of
    ``q_t = W x_t``."""
    made_of = [names.base_letter(name) for name, _, _ in _made_of(run, value)]
    return bool(made_of) and "W" not in made_of


def _made_of(run: Run, value: Value) -> Iterator[tuple[str, int, int]]:
    """The arrays that a value is made of at indices of the left-hand side, at how many of these,
    and the axes behind them, of which the x_{ij} of ``y_{ij} = w x_{ij} + b`` has none."""
    letters = {find_index(run.indices[x]) for x in run.target_letters}
    for part in ir.walk(settled(value.body)):
        if isinstance(part, ir.Ref) and (placed := free_roots(part)) & letters:
            yield part.array, len(placed & letters), len(placed - letters)


def _is_told(run: Run, name: str) -> bool:
    """Whether a note says what an array, or each of its elements, is."""
    return any(said == name or said.startswith(f"{name}_") for said in run.shapes)


def _adds_up_dots(value: Value) -> bool:
    """Whether a value is ``Σ_i w_i · z_i`` of vectors, and so a number."""
    match settled(value.body):
        case ir.Reduce("sum", _, ir.Reduce("sum", _, ir.Mul((ir.Ref(), ir.Ref())))):
            return True
    return False


def _declared(run: Run, target: Target) -> Shape | None:
    """What is declared of a left side, as the array or as each one with its indices."""
    whole = run.shapes.get(target.name)
    if whole is not None or not target.indices:
        return whole
    letters = [names.label(at.node) for at in target.indices]
    each = (names.code_name(target.name, *letters), *together(target.name, letters))
    found = next((run.shapes[name] for name in each if name in run.shapes), None)
    return found and replace(found, indexed=len(target.indices))


def _as_declared(run: Run, value: Value, target: Target, declared: Shape) -> None:
    """What is declared with other axes than come out, with these turned, or in another size."""
    quoted = run.quote(target.span)
    indexed = len(target.indices)
    _as_long(run, value, target, declared)
    element, said = value.rank - indexed, declared.rank(indexed) - indexed
    if not indexed and said != element == said + _unwritten(run, value):
        return  # g ∈ ℝ^d is each g of g = σ(W x_t), which is told to have one for each t
    if element == 0 and set(map(str, declared.axes)) == {"1"}:
        return  # s ∈ ℝ^{1×1} is a number
    if 0 < element < said and _are_of_batch(declared.axes[: said - element], declared, indexed):
        text = f"the first axes of `{quoted}` are taken to be those of a batch"
        run.problems.append(note("N2C039", text, target.span))
        return
    if (place := _single_axis(declared)) is not None and 0 < element < 3:
        # Of y ∈ ℝ^{1×d} either the row is one of a matrix, or the axis of the row is left out.
        axis = find(find_index(value.axes[place - 2 if element == 2 else -1]).size)
        single = axis.value == ir.ONE or axis.name == "1"
        run.pay(0.0 if single == (element == 2) else 2.4)
    elif said != element and declared.indexed == 0 and len(declared.axes) == element:
        run.pay(0.5)  # Z ∈ ℝ^{n×d} may be what each Z_i is
    elif said != element and not (declared.is_sized and declared.indexed == indexed):
        run.pay(2.4)  # what prose says, or is declared of other indices
    elif said != element:
        text = f"`{quoted}` is not of the declared shape"
        if 0 <= said < len(CALLED) and 0 <= element < len(CALLED):
            text = f"`{quoted}` is declared as a {CALLED[said]}, and comes out as a "
            text += CALLED[element]
        run.conflict(3, text, target.span)
    elif _is_turned(value, declared) or _is_joined_otherwise(value, declared):
        sizes = " × ".join(map(str, declared.axes))
        text = f"`{quoted}` is declared {sizes}, and comes out turned"
        run.conflict(3, text, target.span)
    elif len(declared.axes) == element == 1:
        _check_weight(run, value, str(declared.axes[0]), target)
    elif len(declared.axes) == element > 1 and not declared.afar:
        _check_sizes(run, value, declared, target)


def _unwritten(run: Run, value: Value) -> int:
    """How many axes are those of letters that the left-hand side leaves out."""
    letters = {find_index(run.indices[letter]) for letter in run.target_letters}
    return sum(find_index(axis) in letters for axis in value.axes)


def _are_of_batch(axes: Sequence[str | int], declared: Shape, indexed: int) -> bool:
    """Whether some axes are those of a batch; behind these may be the ones that indices count, as
    in ``h_t ∈ ℝ^{B×T×d}``."""
    counted = indexed if declared.indexed == indexed else 0
    lead = axes if names.BATCHES.issuperset(axes) else axes[: max(len(axes) - counted, 0)]
    return bool(lead) and names.BATCHES.issuperset(lead)


def _single_axis(declared: Shape) -> int | None:
    """Which axis of a matrix of one row or of one column has one element."""
    ones = [at for at, axis in enumerate(declared.axes) if str(axis) == "1"]
    return ones[0] if len(declared.axes) == 2 and len(ones) == 1 else None


def _is_turned(value: Value, declared: Shape) -> bool:
    """Whether a matrix has the rows that are declared as its columns, or the other way."""
    sizes = [find(find_index(axis).size) for axis in value.axes]
    said = list(map(str, declared.axes))
    if not len(sizes) == len(said) == 2 or said[0] == said[1]:
        return False
    return any(
        size.rank == 2 and size.name == name for size, name in zip(sizes, said[::-1], strict=True)
    )


def _is_joined_otherwise(value: Value, declared: Shape) -> bool:
    """Whether the parts of a matrix that is said to be m×2d stand below each other, or the other
    way."""
    made = [find(find_index(axis).size).value is not None for axis in value.axes]
    said = [isinstance(axis, str) and not axis.isidentifier() for axis in declared.axes]
    return len(made) == len(said) == 2 and sum(made) == sum(said) == 1 and made != said


def _as_long(run: Run, value: Value, target: Target, declared: Shape) -> None:
    """What is joined, and is longer than it is said to be: as many numbers as are listed, or a d
    where d are joined to others."""
    if len(value.axes) != len(declared.axes):
        return
    for axis, said in zip(value.axes, map(str, declared.axes), strict=True):
        joined = find(find_index(axis).size).value
        if not isinstance(joined, ir.Add | ir.Mul) or not (said.isdigit() or said.isidentifier()):
            continue
        parts = joined.terms if isinstance(joined, ir.Add) else joined.factors
        sizes = [find(part).name for part in parts if isinstance(part, Size)]
        listed = isinstance(joined, ir.Add) and said == str(len(parts))
        if said in sizes or listed:
            text = f"`{run.quote(target.span)}` is declared {said} long, and comes out longer"
            run.problems.append(warning("N2C042", text, target.span, "change one of the two"))
            run.pay(1.8 * len(parts) + 1 if listed else 2.4)  # as many as are listed are numbers


def _check_weight(run: Run, value: Value, said: str, target: Target) -> None:
    """A vector whose size is declared, and comes out as the other size of a weight."""
    size = find(find_index(value.axes[-1]).size)
    for symbol in run.symbols.values():
        sizes = [find(axis) for axis in symbol.axes]
        declared = [axis.name for axis in sizes if axis.rank == 2]
        if size in sizes and said in declared and said != size.name:
            text = f"`{run.quote(target.span)}` is declared {said}, and comes out {size.name}, as "
            run.conflict(3, f"{text}`{symbol.written}` has it", target.span)
            return


def _check_sizes(run: Run, value: Value, declared: Shape, target: Target) -> None:
    """A matrix that is declared n×p, and comes out n×d by what is declared of what it is made of:
    either the two are equal, or a weight stands on the other side."""
    sizes = [find(find_index(axis).size) for axis in value.axes[-len(declared.axes) :]]
    pairs = list(zip(sizes, map(str, declared.axes), strict=True))
    if any(size.rank == 2 and said.isidentifier() and size.name != said for size, said in pairs):
        said = " × ".join(map(str, declared.axes))
        found = " × ".join(size.name or "…" for size in sizes)
        text = f"`{run.quote(target.span)}` is declared {said}, and comes out {found}"
        run.problems.append(warning("N2C042", text, target.span, "change one of the two"))
        run.pay(1.2)


def is_number(seen: Survey, target: Target) -> bool:
    """Whether a left-hand side names what is by custom a number, such as a loss, of all, of one
    layer or, made of logarithms, of one example; an L that is made of matrices is the Laplacian of
    a graph, and one that goes on from itself, L_t beside L_{t-1}, is a state."""
    return any(_names_number(seen, target, name) for name in (target.name, *target.also))


def is_matrix(target: Target) -> bool:
    """Whether a left-hand side is by custom one of several matrices: the ``A_i`` of ``u_i v^⊤``."""
    return names.base_letter(target.name) in _OUTER and len(target.indices) == 1


def _names_number(seen: Survey, target: Target, name: str) -> bool:
    base, _, label = name.partition("_")
    if base == "L" and (seen.matrices or base in seen.steps):
        return False
    noise = base == "epsilon" and label  # ε is a small number, and ε_pred the noise of an array
    of_layer = base in "LJ" and all(positions.counts_layers(at.node) for at in target.indices)
    of_layer = of_layer and (seen.logs or bool(seen.nodes.of(Big)))
    logs = _has_logs_of_numbers(seen)
    # l_{aux}, as many write a loss, and ℓ where it is made of logarithms
    loss = base in ("l", "ell") and (len(label) > 2 or (base == "ell" and logs))
    known = base in _NUMBERS or names.is_number(base) or loss
    of_example = logs and len(target.indices) == 1 and (base == "ell" or _alone(seen, base))
    return known and not noise and (not target.indices or of_layer or of_example)


def _has_logs_of_numbers(seen: Survey) -> bool:
    """Whether there are logarithms, and no array by its font or by its elements, as there is in
    ``\\log \\mathbf{p}`` and in ``z - \\log \\sum_j e^{z_j}``."""
    return seen.logs and not seen.bold and not any({0, 1} <= at for at in seen.counted.values())


def _alone(seen: Survey, base: str) -> bool:
    """Whether a capital L or J is the only capital, so that it is made of no matrix."""
    letters = {name.text for name in seen.nodes.of(Name) if len(name.text) == 1} - {base}
    return base in ("L", "J") and not any(map(str.isupper, letters))


def is_new_column(define: Define) -> bool:
    """Whether names of their own stand on the left in a column, ``[a'; b']``: what comes out has
    no other name, and none of them stands on the right."""
    match define.values:
        case (Matrix(rows=rows), *right) if define.target is None and right:
            cells = [cell for row in rows for cell in row]
        case _:
            return False
    if any(len(row) != 1 for row in rows) or any(
        c is None or not scripts.is_name(c) for c in cells
    ):
        return False
    inside = [inner for value in right for inner in walk(value)]
    return not any(alike(inner, cell) for cell in cells for inner in inside)


def is_row(target: Target) -> bool:
    """Whether a left-hand side such as h_t is by custom a vector."""
    if len(target.indices) != 1:
        return False
    return names.element_ranks(target.name, 1, bold=False, transposed=False)[0] == 1


def is_state(seen: Survey, target: Target) -> bool:
    """Whether a left-hand side such as c_t is the state of a recurrent network, a vector."""
    base = target.name.split("_")[0]
    stepped = len(target.indices) == 1 or bool(seen.steps.get(base) or seen.steps.get(""))
    return base in ("h", "c", "C") and stepped
