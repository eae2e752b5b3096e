"""From the statements of a formula to one typed equation: who defines what, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from notes2code.diagnostics import ProblemError, error, note, warning
from notes2code.latex.tree import Name, Node, Num, Script, alike, walk, words_in
from notes2code.meaning import ir, names, of_several
from notes2code.meaning.inference import chains, left_sides, ordering, probabilities, recursion
from notes2code.meaning.inference.indices import loose_letters, partial, parts_first, strides
from notes2code.meaning.inference.indices.index_arithmetic import count
from notes2code.meaning.inference.lists import diagonal
from notes2code.meaning.inference.ranks import siblings
from notes2code.meaning.inference.run import Defined, Run, find_index
from notes2code.meaning.inference.slips import idle
from notes2code.meaning.inference.sums import families
from notes2code.meaning.inference.sums.conditions import both, condition
from notes2code.meaning.inference.targets import Target, acts_on_numbers, read_target
from notes2code.meaning.inference.values import Value, free_roots, settled, transpose
from notes2code.meaning.ir import Index, Lambda, Size
from notes2code.meaning.notation import left_hand_sides, recursions
from notes2code.meaning.overview.survey import Survey, used
from notes2code.meaning.stated import Define, Statement


@dataclass(slots=True)
class Draft:
    """What an attempt made: the final array, the definitions before it, and its parameters."""

    name: str
    written: str
    value: Lambda
    definitions: list[tuple[str, str, Lambda]]
    parameters: tuple[str, ...]
    counted: tuple[int, ...] = ()
    numbered: int = 0
    elements: int = 0


def definitions(statements: Sequence[Statement], seen: Survey) -> tuple[list[Define], list[Target]]:
    """The definitions among statements and their left-hand sides, parts of one array together."""
    defines = [s for s in statements if isinstance(s, Define)]
    targets = [read_target(seen, s) for s in defines]
    parts_first.move(defines, targets, seen)
    return strides.joined(defines, targets)


class Attempt:
    """One attempt at all statements of a formula."""

    def __init__(self, run: Run, defines: Sequence[Define], targets: Sequence[Target]) -> None:
        self.run = run
        self.defines, self.targets = defines, targets
        self.names = [target.name for target in targets]
        run.defines = frozenset(self.names)
        self.done: dict[int, Defined] = {}
        self.lasts: dict[int, str] = {}
        self.busy: list[int] = []
        self.order: list[int] = []
        self.used: set[int] = set()

    def draft(self) -> Draft:
        """Type everything; the value is that of the statement which no other uses."""
        run = self.run
        self._refuse_twice()
        for at in range(len(self.defines)):
            recursion.last_states(self, at, self._names_in(at))
        for at in range(len(self.defines)):
            self.define(at)
        final = self._first_result()
        if len(self.defines) > 1 and self._sequential():
            final = max(
                at for at in range(len(self.defines)) if at == final or not self._is_example(at)
            )
        needed = self._needed(final)
        results = [at for at in range(len(self.defines)) if at == final or at not in needed]
        same = all(self.defines[at].values == self.defines[final].values for at in results)
        if not same and not (self._sequential() or run.scope.result):
            span = self.targets[final].span
            which = self.targets[final].name or run.quote(span).partition("=")[0].strip(" &")
            run.problems.append(of_several.told(which, span))
            run.problems += idle.warnings(self, results)
        run.problems += idle.undivided(self, final)
        siblings.weigh(run)
        result = self.done[final]
        target = self.targets[final]
        self._refuse_defined_parameter(target, needed)
        definitions = [
            (self.done[at].name, run.quote(self.targets[at].span), self.done[at].array)
            for at in self.order
            if at in needed and at != final
        ]
        return Draft(
            target.name,
            run.quote(target.span),
            result.array,
            definitions,
            self.targets[final].parameters,
            target.counted,
            target.numbered,
            target.elements,
        )

    def _first_result(self) -> int:
        """The first statement that no other uses, and which defines something if one does:
        ``[Q_1; Q_2] = X W`` says what parts of something are, and so does ``X = [x_1, …, x_n]``
        where the x_i stand elsewhere."""
        results = [at for at in range(len(self.defines)) if at not in self.used]
        results += sorted(self.used & {at for other in results for at in self._restated(other)})
        named = [at for at in results if self.targets[at].name]
        wanted = [at for at in named if self.targets[at].name == self.run.scope.result]
        made = [at for at in named if not self._only_lists(at)]
        return next(iter([*wanted, *made, *named, *results]), -1)

    def _restated(self, at: int) -> Iterator[int]:
        """The statements that define what stands on the left of one which defines nothing, the y of
        ``\\log y = a + b`` beside ``y = e^{a + b}``: it says the same again, and uses no y."""
        values = self.defines[at].values
        if self.defines[at].target is None and len(values) > 1:
            left, needed = self.run.seen.names_in(values[0]), self._needed(at)
            for other, target in enumerate(self.targets):
                if target.name in left and other not in needed:
                    yield other

    def _only_lists(self, at: int) -> bool:
        """Whether a statement only says of what something is the list, and others are made of the
        parts."""
        parts = parts_first.listed_parts(self.defines[at])
        return any(parts & self._names_in(o) for o in range(len(self.defines)) if o != at)

    def _is_example(self, at: int) -> bool:
        """Whether a statement writes numbers for what another defines: the matrix behind ``A_{ij} =
        i + j``."""
        again = self.names.count(self.targets[at].name) > 1
        nodes = (node for value in self.defines[at].values for node in walk(value))
        return again and not any(isinstance(node, Name) for node in nodes)

    def _refuse_twice(self) -> None:
        """Of two definitions of the same thing neither is taken by luck; only a step that goes on
        from the one before, as in ``x = x + …``, may use its name again."""
        for at, target in enumerate(self.targets):
            before = [o for o in range(at) if self._defines_same(o, at)]
            if not before:
                continue
            later = range(before[-1] + 1, at + 1)
            if not any(self._goes_on(other, target.name, before[-1]) for other in later):
                beside = len(target.indices) == 1 and strides.overlap(
                    self.targets[before[-1]], target
                )
                help_text = (
                    "write `2i` in one and `2i+1` in the other"
                    if beside or strides.of_every_other(target)
                    else "give one of the two another name, or join them with `=` if they are equal"
                )
                text = f"`{self.run.quote(target.span)}` is defined a second time"
                raise error("N2C035", text, target.span, help_text)

    def _goes_on(self, at: int, name: str, before: int) -> bool:
        """Whether a statement uses what another defines, and not the state before that."""
        return name in self._names_in(at) and not self._comes_from_before(at, before)

    def _refuse_defined_parameter(self, target: Target, needed: set[int]) -> None:
        """Of ``X = E + P, Q = X W, S(X) = Q X^⊤`` nothing says whether S is given X or makes it."""
        made = (self.targets[at] for at in sorted(needed))
        given = [one for one in made if one.name in target.parameters and not one.indices]
        if given:
            raise error(
                "N2C035",
                f"`{given[0].name}` is given to `{target.name}`, and is defined here too",
                given[0].span,
                "give one of the two another name",
            )

    def _defines_same(self, one: int, other: int) -> bool:
        left, right = self.targets[one], self.targets[other]
        quoted = (self.run.quote(target.span).replace(" ", "") for target in (left, right))
        if not left.name or len(set(quoted)) == 1:
            return bool(left.name)
        return strides.overlap(left, right)

    def _sequential(self) -> bool:
        """Whether one name is defined again and again, as in ``x = x + …``."""
        names = [target.name for target in self.targets if target.name]
        return len(names) == len(self.targets) and len(set(names)) == 1

    def _needed(self, final: int) -> set[int]:
        """The statements that a statement refers to, directly or not."""
        by_name = {defined.name: at for at, defined in self.done.items()}
        needed: set[int] = set()
        if len(by_name) == 1:
            return needed
        pending = [final]
        while pending:
            at = pending.pop()
            for expr in ir.walk(self.done[at].array.body):
                if isinstance(expr, ir.Ref) and expr.array in by_name:
                    other = by_name[expr.array]
                    if other not in needed and other != at:
                        needed.add(other)
                        pending.append(other)
        return needed

    # --- one statement -------------------------------------------------------------------

    def define(self, at: int) -> None:
        """Type one statement, after those that it refers to."""
        if at in self.done:
            return
        if at in self.busy:
            raise error(
                "N2C034",
                f"`{self.targets[at].name}` is defined by itself",
                self.targets[at].span,
                "give the result a name of its own",
            )
        self.busy.append(at)
        visible = self._visible(at)
        run = self.run
        if self.defines[at].near:
            text = f"`{run.quote(self.targets[at].span)}` is taken to be what it comes close to"
            run.problems.append(note("N2C039", text, self.targets[at].span))
        if self.defines[at].keeps:
            text = f"`{self.targets[at].name}` is taken to stay what it is where this does not hold"
            run.problems.append(note("N2C039", text, self.targets[at].span))
        run.defined = {name: self.done[index] for name, index in visible.items()}
        run.parameters = self.targets[at].parameters
        run.whole_parameters = self.targets[at].whole
        run.elementwise = acts_on_numbers(run.seen, self.targets[at], self.defines[at].values)
        run.gives_number = left_sides.is_number(run.seen, self.targets[at])
        run.gives_number |= probabilities.is_chain(self.defines[at])
        run.gives_rows = left_sides.is_row(self.targets[at])
        run.gives_matrix = left_sides.is_matrix(self.targets[at])
        run.gives_state = left_sides.is_state(run.seen, self.targets[at])
        run.indices = {}
        run.statement = at
        run.rows = []
        first = recursion.first_state(self, at)
        value = strides.typed(self, at) if first is None else recursion.repeated(self, at, first)
        self.busy.pop()
        self.done[at] = Defined(
            self._unique_name(at),
            Lambda(tuple(find_index(i) for i in value.axes), value.body),
            len(self.targets[at].indices),
            bool(self.targets[at].parameters),
            left_hand_sides.arguments(self.defines[at].target),
            tuple(names.label(index.node) for index in self.targets[at].indices),
        )
        run.made.add(self.done[at].name)
        self.order.append(at)

    def _visible(self, at: int) -> dict[str, int]:
        """The statements whose names this one may mean; they are typed first.

        Where a name is defined several times, or by itself, statements act one after another.
        """
        visible: dict[str, int] = {}
        if len(self.targets) == 1:
            return visible
        mine = self._names_in(at)
        for other, target in enumerate(self.targets):
            named = {target.name, target.name.removesuffix("_squared")}
            if not target.name or not named & mine or other == at:
                continue
            again = self.names.count(target.name) > 1 or self._names_itself(other)
            if (again or target.name == self.targets[at].name) and other > at:
                continue
            given = target.name in self.targets[at].parameters
            if given and not self.is_referred_to(self.targets[at]):
                continue  # the Q of A(Q, K) = … is another, but for A(Q, K) W, which is given this
            if self._comes_from_before(at, other) or self._means_parts(at, other):
                continue
            visible[target.name] = other
        visible.update(recursion.last_states(self, at, mine))
        for index in visible.values():
            self.define(index)
            self.used.add(index)
        return visible

    def _names_itself(self, at: int) -> bool:
        """Whether a statement is made of what it defines; the n of ``n_k = Σ_{i=1}^n z_{ik}`` is a
        number, and none of the n_k."""
        target, sizes = self.targets[at], self.run.seen.sizes
        named = target.name in self._names_in(at)
        if not named or not target.indices or target.name not in sizes:
            return named
        uses = (use for value in self.defines[at].values for use, _ in used(self.run.seen, value))
        return any(use.indices for use in uses if use.name == target.name)

    def _comes_from_before(self, at: int, other: int) -> bool:
        """Whether a statement means the state before the step: the ``z_{l-1}`` beside the
        statement that defines ``z_l``, and the ``z_l`` beside one of ``z_{l+1}``. Raises
        ``ProblemError`` where it means both states."""
        name, target = self.targets[other].name, self.defines[other].target
        letters = self.run.seen.steps.get("", set())
        nodes = (node for value in self.defines[at].values for node in walk(value))
        uses = [
            node
            for node in nodes
            if isinstance(node, Script) and self.run.seen.name_of(node) == name
        ]
        before = [node for node in uses if recursions.is_before(node, letters, target)]
        if before and len(before) < len(uses):
            raise error(
                "N2C034",
                f"`{name}` is used before and after the step that is defined here",
                before[0].span,
                "give the state before it a name of its own",
            )
        return bool(before)

    def _means_parts(self, at: int, other: int) -> bool:
        """Whether a statement uses parts of what another one lists by its own name: the ``Q_i``
        beside ``Q = [Q_1, …, Q_n]``, and not the whole."""
        name = self.targets[other].name
        if name not in parts_first.listed_parts(self.defines[other]):
            return False
        uses = (use for value in self.defines[at].values for use, _ in used(self.run.seen, value))
        return all(use.indices for use in uses if use.name == name)

    def _names_in(self, at: int) -> set[str]:
        inside = map(self.run.seen.names_in, self.defines[at].values)
        return {name for found in inside for name in found}

    def _unique_name(self, at: int) -> str:
        name = self.targets[at].name or "value"
        taken = {defined.name for defined in self.done.values()} | set(self.run.symbols)
        version, candidate = 1, name
        while candidate in taken:
            version += 1
            candidate = f"{name}_{version}"
        return candidate

    def value(self, define: Define, target: Target) -> Value:
        """The value of a statement, its axes in the order of the left-hand side's indices."""
        run = self.run
        letters = loose_letters.of_statement(run, define, target)
        if run.step is not None and run.step.name in letters:
            letters.remove(run.step.name)  # the step's own counter, no axis of the state
        run.target_letters = letters
        for letter in letters:
            run.indices[letter] = _new_index(run, letter)
        node = chains.side(run, define)
        run.whole = node
        run.on_left = frozenset(x for at in target.indices for x in words_in(at.node))
        holds = both(*(condition(run, one) for one in define.conditions))
        if holds is not None:  # a softmax over the j of ``j \\le i`` is over these alone
            run.limits.setdefault(target.name, define.conditions[0].span)
            run.within.update(dict.fromkeys(free_roots(holds), holds))
        value = run.lower(node)
        self._compare_sides(define, node, value)
        left_sides.weigh_row(run, value, target)
        if target.row is not None:
            value = self._picked(value, target.row)
        if holds is not None:
            body = partial.only_where(settled(holds), settled(value.body))
            mask = partial.completed(body) if names.is_mask(target.name) else None
            if mask is not None:
                text = f"`{target.name}` is taken to be 0 where this does not hold"
                hint = "write both cases, `0` and `-\\infty`, to make it plain"
                run.problems.append(note("N2C039", text, target.span, hint))
                body = mask
            value = replace(value, body=body, along=None)
        if target.transposed and value.rank == 2 and not target.indices:
            value = transpose(value, value.span)
        value = loose_letters.summed_up(run, define, value, target)
        value = ordering.ordered(self, value, letters, target)
        value = diagonal.on_diagonal(run, define.target, target, value)
        value = left_sides.without_single_axis(run, value, target)
        left_sides.check(run, value, target)
        if partial.is_taken_afterwards(value.body):
            text = "the softmax goes over all, and what it gives is taken where this holds"
            help_text = "write `\\mathrm{softmax}_j` of what stands at j to go over these alone"
            where = define.conditions[0].span if define.conditions else node.span
            run.problems.append(warning("N2C050", text, where, help_text))
        state = run.symbols.get(target.name)
        if state is not None and probabilities.is_conditional(state.written):
            state = None  # the p(x_{t-1} | x_t) of p(x_{0:T})
        again = any(alike(inner, define.target) for inner in walk(node)) if state else False
        if state is not None and (again or recursions.step_letter(define) or not target.indices):
            used = max(run.seen.counted.get(target.name, {len(target.indices)}))
            if len(state.axes) - used != value.rank - len(target.indices):
                run.pay(2.4)  # the next state is of the kind of the last one
        return value

    def _compare_sides(self, define: Define, taken: Node, value: Value) -> None:
        """Count it against a reading when the other sides of a chain of equalities, ``o_i = Σ_j a_j
        v_j = W Σ_j a_j c_j``, would have other axes. What cannot be computed says nothing."""
        run = self.run
        for side in chains.others(run, define, taken):
            problems, conflicts = len(run.problems), len(run.conflicts)
            try:
                same = self._axes_in_all(run.lower(side)) == self._axes_in_all(value)
            except ProblemError as problem:
                same = problem.problem.code not in ("N2C040", "N2C041")
            del run.problems[problems:], run.conflicts[conflicts:]
            if not same:
                run.pay(2.4)

    def _axes_in_all(self, value: Value) -> int:
        """The axes of a value, those along its index letters among them."""
        free = free_roots(value.body)
        letters = {find_index(self.run.indices[x]) for x in self.run.target_letters}
        return len({find_index(axis) for axis in value.axes} | (letters & free))

    def _picked(self, value: Value, row: int) -> Value:
        """One of the two numbers that the right-hand side of a column of two is."""
        if value.rank != 1:
            raise error("N2C041", "a column of two numbers must stand here", value.span)
        axis = find_index(value.axes[0])
        self.run.unify(axis.size, Size("", value=ir.Num(2)), value.span)
        return Value(families.at_place(settled(value.body), axis, row), (), value.span)

    def is_referred_to(self, target: Target) -> bool:
        """Whether another statement uses what one defines."""
        others = (at for at, other in enumerate(self.targets) if other is not target)
        return any(target.name in self._names_in(at) for at in others)


def _new_index(run: Run, letter: str) -> Index:
    """An index for a letter, with the range that the formula gives it."""
    known = run.seen.ranges.get(letter)
    if known is None or not isinstance(known.first, Num) or known.last is None:
        return Index(letter, Size(""), run.seen.starts.get(letter, 0))
    start = int(float(known.first.text))
    return Index(letter, count(run, known.last, start), start)
