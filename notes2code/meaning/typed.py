"""The entry of this stage: a formula's tree and what surrounds it in, a typed equation out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import is_
from typing import TypeAlias

from notes2code.diagnostics import Problem, ProblemError, Span, error
from notes2code.latex import parse
from notes2code.latex.tree import Tree
from notes2code.meaning import names, of_several
from notes2code.meaning.inference import properties, sizes, targets
from notes2code.meaning.inference.calls import softmax
from notes2code.meaning.inference.equations import Attempt, definitions
from notes2code.meaning.inference.indices import partial
from notes2code.meaning.inference.lower import RULES
from notes2code.meaning.inference.ranks import heads
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.search import MAX_ATTEMPTS, SECOND_LOOK, search
from notes2code.meaning.inference.settle import settle
from notes2code.meaning.inference.shapes_declared import shapes_declared
from notes2code.meaning.inference.slips import taken_arrays, taken_numbers
from notes2code.meaning.inference.slips.slips import slips
from notes2code.meaning.inference.targets import read_target
from notes2code.meaning.ir import Equation, Expr, Num, Size
from notes2code.meaning.notation import binders, recursions
from notes2code.meaning.overview import unwritten
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.overview.surveying import survey
from notes2code.meaning.reading import convolutions, former_steps
from notes2code.meaning.reading.statements import statements
from notes2code.meaning.rewriting.restatements import restated
from notes2code.meaning.scope import EMPTY, Scope, Shape
from notes2code.meaning.stated import EXAMPLE, Declare, Define, Fact, Range, Statement

TOO_DEEP = error("N2C020", "this formula is nested too deeply", Span(0, 1)).problem


Side: TypeAlias = tuple[Span, Equation]


@dataclass(frozen=True)
class Typed:
    """What a formula means. ``equation`` is None where it computes nothing.

    ``kind`` is ``equation``, ``definition`` (it only declares), ``text`` (it says nothing to
    compute) or ``rejected`` (one of the problems is an error). ``type_sides`` types the other
    sides of a chain of equalities.
    """

    kind: str
    equation: Equation | None = None
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    type_sides: Callable[[], Iterator[Side]] = field(default=lambda: iter(()), compare=False)

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """What a chain of equalities says the value is too, as far as it can be computed, and
        where. They are typed when somebody asks for them: of the readings of one formula that are
        tried beside the note's others, nobody does."""
        return tuple(self.type_sides())


def type_formula(latex: str, scope: Scope = EMPTY) -> Typed:
    """Parse and type a formula; problems are collected, never raised."""
    try:
        tree = parse(latex, scope.words, scope.macros, scope.apart)
    except ProblemError as problem:
        return Typed("rejected", problems=(problem.problem,))
    return type_tree(latex, tree, scope)


@dataclass(frozen=True)
class Read:
    """The statements of a formula as they are written, and what is seen in them."""

    stated: tuple[Statement, ...]
    seen: Survey

    def survey(self, stated: tuple[Statement, ...], scope: Scope) -> Survey:
        """What is seen in statements, found already if they are these, and their section tells
        nothing of their letters."""
        same = len(stated) == len(self.stated) and all(map(is_, stated, self.stated))
        told = any((scope.lasts, scope.labels, scope.above, scope.places, scope.real))
        begun = {letter.removeprefix("2") for letter in scope.begins}  # that of planes, too
        told = told or not begun.isdisjoint(self.seen.bound - self.seen.ranges.keys())
        told = told or any(names.base_letter(name) in scope.drawn for name in self.seen.counted)
        told = told or not scope.elements.isdisjoint(self.seen.counted.keys() - self.seen.elements)
        return self.seen.anew() if same and not told else survey(stated, scope)


def type_tree(latex: str, tree: Tree, scope: Scope = EMPTY, read: Read | None = None) -> Typed:
    """Type a formula that is parsed already, and read if there is a ``read``."""
    try:
        if read is None:
            stated, tree = former_steps.apart(statements(tree), tree)
        else:
            stated = read.stated
        convolutions.refuse(tree, scope.convolves)
        stated, noted = restated(stated)
        tree = replace(tree, problems=(*tree.problems, *noted, *sizes.examples(stated)))
        described, told = sizes.told(stated)
    except ProblemError as problem:
        return Typed("rejected", problems=(*tree.problems, problem.problem))
    except RecursionError:
        return Typed("rejected", problems=(*tree.problems, TOO_DEEP))
    if told:
        known = replace(scope, sized=scope.sized.union(told))
        typed = _type_stated(latex, tree, described, known, read)
        found = typed.equation
        if found is not None and told.keys().isdisjoint(given.name for given in found.inputs):
            return replace(typed, problems=(*typed.problems, *told.values()))
    return _type_stated(latex, tree, stated, scope, read)


def _type_stated(
    latex: str, tree: Tree, stated: tuple[Statement, ...], scope: Scope, read: Read | None
) -> Typed:
    """Type the statements of a formula."""
    try:
        seen = (read.survey if read else survey)(stated, scope)
        if (indexed := unwritten.indexed(stated, seen, scope.unwritten, scope.shapes)) != stated:
            stated, seen = indexed, survey(indexed, scope)
        shapes = shapes_declared(stated, seen)
    except ProblemError as problem:
        return Typed("rejected", problems=(*tree.problems, problem.problem))
    except RecursionError:
        return Typed("rejected", problems=(*tree.problems, TOO_DEEP))
    defines = [s for s in stated if isinstance(s, Define)]
    said = {name for name, shape in {**scope.shapes, **shapes}.items() if shape.axes}
    if (unvalued := _without_value(tree, stated, defines, shapes, said)) is not None:
        return unvalued
    try:
        remark = properties.remark(defines, seen, {**scope.shapes, **shapes})
        if remark is not None:
            return Typed("text", None, shapes, (*tree.problems, remark))
        mine, told = _of_what_is_given(stated, seen)
        others, scope = _with_local_functions(latex, mine, seen, scope, shapes)
        if len(others) < len(stated):
            seen = survey(others, scope)
        run, equation = _typed(latex, others, seen, scope, shapes)
        numbers = taken_numbers.told(
            run,
            equation,
            lambda seen: _read_so(latex, others, seen, scope, shapes, SECOND_LOOK)[1],
        )
        known = scope.shapes.keys() | shapes.keys()
        arrays = taken_arrays.told(run, equation)
        doubts = (*numbers, *arrays, *slips(others, seen, equation, known))
    except ProblemError as problem:
        return Typed("rejected", None, shapes, (*tree.problems, problem.problem))
    except RecursionError:
        return Typed("rejected", None, shapes, (*tree.problems, TOO_DEEP))
    unstated = properties.unstated(stated)
    problems = tuple(dict.fromkeys([*tree.problems, *told, *unstated, *run.problems, *doubts]))
    kind = "equation"
    if _is_quantity(equation, defines):
        kind = "text"
    elif _is_declaration(equation, defines):
        kind = "definition"
    return Typed(
        kind, equation, shapes, problems, lambda: _other_sides(latex, others, run, equation)
    )


def _without_value(
    tree: Tree,
    stated: tuple[Statement, ...],
    defines: Sequence[Define],
    shapes: Mapping[str, Shape],
    said: Set[str],
) -> Typed | None:
    """What a formula means that shows, declares or says what nobody computes."""
    if not any(define.target is not None for define in defines) and _only_shows(stated):
        empty = properties.empty_sum(tree)
        if empty is not None:
            return Typed("rejected", None, shapes, (*tree.problems, empty))
        return Typed("text", None, shapes, tree.problems)
    if not defines:
        only_declares = any(isinstance(s, Declare | Range) for s in stated)
        problems = (*tree.problems, *properties.unstated(stated))
        return Typed("definition" if only_declares else "text", None, shapes, problems)
    if _says_nothing(defines, said):
        return Typed("text", None, shapes, tree.problems)
    return None


def _typed(
    latex: str,
    stated: tuple[Statement, ...],
    seen: Survey,
    scope: Scope,
    shapes: Mapping[str, Shape],
) -> tuple[Run, Equation]:
    """What a formula is; raises ``ProblemError`` where that is doubtful."""
    run, equation = _read_so(latex, stated, seen, scope, shapes, MAX_ATTEMPTS)
    if run.unranged is not None:
        raise run.unranged
    return run, equation


def _read_so(
    latex: str,
    stated: tuple[Statement, ...],
    seen: Survey,
    scope: Scope,
    shapes: Mapping[str, Shape],
    attempts: int,
) -> tuple[Run, Equation]:
    """What a formula would be, doubtful or not."""
    defines, targets = definitions(stated, seen)
    # What a range ends at is a size here, whatever the note calls so elsewhere.
    far = {n: shape for n, shape in scope.shapes.items() if n not in seen.sizes}
    told = heads.apart({**shapes, **far, **shapes}, stated, seen)

    def start(plan: dict[str, int]) -> Run:
        return Run(latex, scope, seen, RULES, plan, shapes=told)

    def attempt(run: Run) -> Equation:
        draft = Attempt(run, defines, targets).draft()
        sizes.attach(run, Span(0, len(latex)))
        return settle(run, draft)

    run, equation = search(start, attempt, len(seen.nodes), attempts)
    return run, partial.ranged(run, equation)


def _other_sides(
    latex: str, stated: tuple[Statement, ...], run: Run, equation: Equation
) -> Iterator[Side]:
    """The sides of a formula's only definition that its value was not taken from."""
    defines = [statement for statement in stated if isinstance(statement, Define)]
    if len(defines) > 1:
        return
    define = defines[0]
    shapes = {**_shapes_of(equation), **run.shapes}
    for name, own in run.separate.items():  # what is known of x_i beside x is said of each
        if own in shapes:
            shapes[own] = Shape(shapes[own].axes[max(run.seen.counted[name]) :])
    for value in define.values:
        if value is run.decided.get(f"chain {define.span.start}", define.values[0]):
            continue
        alone = replace(define, values=(value,))
        others = tuple(alone if statement is define else statement for statement in stated)
        with suppress(ProblemError):  # the value does not come from here
            yield (
                value.span,
                _typed(latex, others, survey(others, run.scope), run.scope, shapes)[1],
            )


def _shapes_of(equation: Equation) -> dict[str, Shape]:
    """The shapes of an equation's inputs as declarations would give them. A size without a name
    of its own gets a made-up one."""
    made: dict[Expr, str] = {}
    shapes: dict[str, Shape] = {}
    for given in equation.inputs:
        axes: list[str | int] = []
        for size in given.shape:
            if isinstance(size, Num) and isinstance(size.value, int):
                axes.append(size.value)
            elif isinstance(size, Size) and size.name.isidentifier():
                axes.append(size.name)
            else:
                axes.append(made.setdefault(size, f"axis_{len(made)}"))
        if given.kind == "array":
            shapes[given.name] = Shape(tuple(axes))
    return shapes


def _of_what_is_given(
    stated: tuple[Statement, ...], seen: Survey
) -> tuple[tuple[Statement, ...], tuple[Problem, ...]]:
    """Of ``Q = X W_Q, K = X W_K, A(Q, K) = …`` the function, which is given what the others make,
    and a note that it is the value; of any others all statements."""
    defines = [s for s in stated if isinstance(s, Define) and s.target is not None]
    for define in defines if len(defines) > 1 else ():
        target = targets.read_target(seen, define)
        rest = [one for one in defines if one is not define]
        if target.parameters and all(_is_given(one, target, seen) for one in rest):
            kept = tuple(s for s in stated if s not in rest)
            return kept, (of_several.told(target.name, target.span),)
    return stated, ()


def _is_given(define: Define, function: targets.Target, seen: Survey) -> bool:
    """Whether what a statement makes, as a whole, is a parameter of a function."""
    made = targets.read_target(seen, define)
    return not (made.indices or made.parameters) and made.name in function.parameters


def _with_local_functions(
    latex: str,
    stated: tuple[Statement, ...],
    seen: Survey,
    scope: Scope,
    shapes: Mapping[str, Shape],
) -> tuple[tuple[Statement, ...], Scope]:
    """The statements without those that define functions which others apply to something else,
    such as ``K(u) = …`` beside ``K(x − x_i)``; those functions join the scope."""
    others: list[Statement] = []
    for statement in stated:
        name = properties.applied_elsewhere(statement, stated, seen)
        if name is None:
            others.append(statement)
            continue
        alone = tuple(_with_what_makes_it(statement, stated, seen))
        _, equation = _typed(latex, alone, survey(alone, scope), scope, shapes)
        if not softmax.is_defined(equation):
            scope = replace(scope, functions={**scope.functions, name: equation})
    return tuple(others), scope


def _with_what_makes_it(
    function: Statement, stated: tuple[Statement, ...], seen: Survey
) -> Iterator[Statement]:
    """The definition of a function, and those of what it computes with besides its parameters: the
    ``α = 3/4`` of ``f(x) = x^α``."""
    yield function
    if isinstance(function, Define):
        given = {"", *read_target(seen, function).parameters}  # "" is what has parameters itself
        others = (one for one in stated if isinstance(one, Define))
        free = [one for one in others if one.target and binders.bare(one.target) not in given]
        yield from recursions.needed(function, free)


def _only_shows(stated: tuple[Statement, ...]) -> bool:
    """Whether a formula draws arrows from one thing to another, or shows an example on numbers."""
    return any(isinstance(s, Fact) and s.sign in ("→", EXAMPLE) for s in stated)


def _says_nothing(defines: Sequence[Define], arrays: Set[str]) -> bool:
    """Whether all there is are symbols, shapes and calls that are only mentioned."""
    return all(
        define.target is None
        and len(define.values) == 1
        and properties.is_mention(define.values[0], arrays)
        for define in defines
    )


def _is_quantity(equation: Equation, defines: list[Define]) -> bool:
    """Whether a formula is only a number made of sizes that the text speaks of: ``√d_k``."""
    bare = all(define.target is None for define in defines)
    return bare and not equation.value.indices and all(i.kind == "size" for i in equation.inputs)


def _is_declaration(equation: Equation, defines: list[Define]) -> bool:
    """Whether a formula only names a size or a constant: ``d_k = d_model / h``, ``w_n = 0.25``."""
    if equation.value.indices or equation.parameters or any(d.target is None for d in defines):
        return False
    if any(i.shape or i.kind == "function" for i in equation.inputs):
        return False
    if any(recursions.step_letter(define) is not None for define in defines):
        return False  # the d_i = d_{i-1} e^{…} of a softmax in one pass
    sizes_only = all(i.kind == "size" for i in equation.inputs)
    return sizes_only or names.is_size_name(equation.name)
