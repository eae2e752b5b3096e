"""A formula of a note, and what it defines, names and calls by itself."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise

from notes2code import faults
from notes2code.diagnostics import Problem, ProblemError, Span
from notes2code.latex import parse
from notes2code.latex import words as latex_words
from notes2code.latex.macros import Macro, definitions
from notes2code.latex.tree import (
    PARENTHESES,
    Dots,
    Group,
    Juxt,
    Matrix,
    Name,
    Node,
    Num,
    Script,
    Stroke,
    Tree,
    children,
    walk,
)
from notes2code.latex.words import MATRICES
from notes2code.meaning import names
from notes2code.meaning.inference import targets
from notes2code.meaning.inference.shapes_declared import shapes_declared
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import binders, groups, positions, recursions, scripts
from notes2code.meaning.overview import unwritten
from notes2code.meaning.overview.survey import Survey, used
from notes2code.meaning.overview.surveying import survey
from notes2code.meaning.reading import former_steps
from notes2code.meaning.reading.statements import statements
from notes2code.meaning.rewriting import aliases, shared_out
from notes2code.meaning.scope import Scope, Shape
from notes2code.meaning.stated import Define, Statement
from notes2code.meaning.typed import TOO_DEEP, Read

_DEFINED = re.compile(
    r"(?:^|\\\\|&)[^\S\n]*(?:\\(?:boldsymbol|mathbf|bm)\{)?([A-Za-z]{3,})\}?"
    r"(?:_(?:\w|\{[^{}]*\}))?\s*(?:&?=|\\in\b)",
    re.MULTILINE,
)
_PARAMETERS = re.compile(
    r"\s*(?:\\[a-z]+\*?\s*\{[^{}]*\}|\\?[A-Za-z]+)\s*\(([A-Za-z]+(?:\s*,\s*[A-Za-z]+)+)\)\s*&?="
)
_NAMED = re.compile(r"\\(?:text|mathrm|operatorname\*?|textrm|mathit)\s*\{\s*([A-Za-z]{2,})\s*\}")
_PRODUCT = re.compile(r"[A-Z]{2,}[a-z]")
"""The BAx of ``BAx = 0``: matrices and a vector."""
_LETTER = r"\b[A-Z](?:_(?:\w|\{\w*\}))?\s*"
_DECLARED = re.compile(rf"({_LETTER}(?:,\s*{_LETTER})*)\\in\s*\\(?:mathbb|R\b)")
_ANYTHING = "x"
"""A right-hand side for one that cannot be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A formula and where it stands: its note, the headings above it, its place among the formulas
    of the note; the tags that hold there; and its line, if it is known."""

    latex: str
    note: str = ""
    section: tuple[str, ...] = ()
    order: int = 0
    tags: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Supplied:
    """A definition that no formula of a note writes: the name that it defines there, and what is to
    be told of it."""

    name: str
    told: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """How many indices a left-hand side is written with, their letters, and the letters of those
    that are no steps."""

    written: int
    every: frozenset[str]
    letters: frozenset[str]


@dataclass
class Parsed:
    """What a formula says by itself; ``tree`` is None where it cannot be read, ``stated`` are its
    statements, ``read`` these and what is seen in them as they are written.

    ``listed`` are the families whose members it lists, ``head_1, …, head_h``, ``arity`` is how many
    arguments the functions defined here take, ``given`` how many those called here get, ``applied``
    those that get one small letter, or that stand alone, ``said`` what those defined here are,
    however it is written, ``places`` where they are; ``indexed`` tells of the indices of the arrays
    defined here, ``unindexed`` the same where those that are not written do not count; ``updates``
    are those that are only made into others of their kind, as in ``x = x + f(x)``, ``kept`` those
    of which most stay as they are, as in ``S_{ij} ← −∞`` where j is large, ``cases`` those of which
    it says what they are in some cases, ``constants`` those that are numbers, ``aliases`` other
    names of functions that everybody knows: ``σ = \\tanh``.
    """

    tree: Tree | None
    stated: tuple[Statement, ...] = ()
    read: Read | None = None
    seen: Survey | None = None
    arrays: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    halves: set[tuple[str, int]] = field(default_factory=set)
    states: set[str] = field(default_factory=set)
    updates: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    cases: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    arity: dict[str, int] = field(default_factory=dict)
    said: dict[str, Hashable] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    given: dict[str, set[int]] = field(default_factory=dict)
    applied: set[str] = field(default_factory=set)
    indexed: dict[str, Indexed] = field(default_factory=dict)
    unindexed: dict[str, Indexed] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read_entry(
    latex: str,
    words: Set[str],
    macros: Mapping[str, Macro],
    apart: Set[str] = frozenset(),
    places: frozenset[str] = frozenset(),
) -> Parsed:
    """What a formula says by itself, in a vault of such words and macros, a note that has some
    letters ``apart`` in two fonts, and a section where some are ``places`` of nodes; a fault of
    ours at it does not stop the others."""
    try:
        return _read(latex, words, macros, apart, places)
    except Exception as fault:
        return Parsed(None, problems=(faults.met(latex, fault),))


def _read(
    latex: str,
    words: Set[str],
    macros: Mapping[str, Macro],
    apart: Set[str],
    places: frozenset[str],
) -> Parsed:
    try:
        tree = parse(latex, words, macros, apart)
        stated, tree = former_steps.apart(statements(tree), tree)
        seen = survey(stated, Scope(places=places))
        read = Read(stated, seen.anew())
        shapes = shapes_declared(stated, seen)
    except ProblemError as problem:
        return replace(_unread(latex, words, macros), problems=(problem.problem,))
    except RecursionError:
        return Parsed(None, problems=(TOO_DEEP,))
    listed = _listed(tree, seen)
    found = Parsed(
        tree,
        stated,
        read,
        seen,
        mentioned=_mentioned(tree, seen) | listed,
        listed=listed,
        called=seen.called,
        shapes=shapes,
        given=_given(tree, seen),
        applied={*(_applied(seen) if seen.called else ()), *_told_call(tree)},
    )
    _note_statements(found, stated, seen)
    return found


def with_indices(parsed: Parsed, known: unwritten.Unwritten) -> Parsed:
    """What a formula says with the indices that it leaves unwritten."""
    assert parsed.seen is not None
    stated = unwritten.indexed(parsed.stated, parsed.seen, known)
    seen = survey(stated)
    found = Parsed(
        parsed.tree,
        parsed.stated,
        parsed.read,
        seen,
        mentioned={*parsed.mentioned},
        listed=parsed.listed,
        called=parsed.called,
        shapes=parsed.shapes,
        given=parsed.given,
        applied=parsed.applied,
        unindexed=parsed.indexed,
    )
    _note_statements(found, stated, seen)
    return found


def _note_statements(parsed: Parsed, stated: Sequence[Statement], seen: Survey) -> None:
    """Note what the statements of a formula define."""
    for statement in shared_out.written_out(stated)[0]:
        letter, function = aliases.alias(statement)
        if letter:
            parsed.aliases[letter] = function
        elif isinstance(statement, Define):
            # A statement that cannot be read is reported when it is typed.
            with suppress(ProblemError):
                _note_names(parsed, statement, seen)


def _unread(latex: str, words: Set[str], macros: Mapping[str, Macro]) -> Parsed:
    """What a formula that cannot be read means to define, by its left-hand side."""
    found = Parsed(None)
    left, equals, _ = latex.partition("=")
    with suppress(ProblemError, RecursionError):
        stated = statements(parse(f"{left} = {_ANYTHING}", words, macros))
        if equals and stated and isinstance(stated[0], Define):
            _note_names(found, stated[0], survey(stated))
    return found


def _mentioned(tree: Tree, seen: Survey) -> set[str]:
    """The names that a formula refers to; ``e^{e_{ij}}`` is a power, ``K_{g(i)}`` refers to g,
    ``w_{clip(j-i, c)}`` to clip."""
    found = {*seen.counted} - seen.targets
    if not _has_array_e(tree):
        found.discard("e")
    for node in (node for clause in tree.clauses for node in walk(clause.node)):
        if isinstance(node, Script) and node.sup is not None:
            found.update(groups.named(node.sup))  # W_K^{g(i)}
        if isinstance(node, Script) and node.sub is not None:
            found.update(groups.named(node.sub))
            inside = (inner.text for inner in walk(node.sub) if isinstance(inner, Name))
            found.update(names.CLIPS.intersection(inside))
        match node:
            case Script(Name("e"), None, Name() | Script() as exponent):
                use = seen.understood(exponent)
                found.update(() if use is None else [use.name])
    return found


def _listed(tree: Tree, seen: Survey) -> set[str]:
    """The names of families: ``head_1, …, head_h`` are elements of ``head``."""
    if not any(isinstance(node, Dots) for clause in tree.clauses for node in walk(clause.node)):
        return set()
    parts = (name.rpartition("_") for name in seen.counted)
    return {whole for whole, _, last in parts if whole and (last.isdigit() or last in seen.ends)}


def _has_array_e(tree: Tree) -> bool:
    """Whether some e is not Euler's number for sure."""
    nodes = [node for clause in tree.clauses for node in walk(clause.node)]
    letters = sum(isinstance(node, Name) and node.text == "e" for node in nodes)
    return letters > sum(map(scripts.is_of_euler, nodes))


def _letters(node: Node) -> Iterator[str]:
    """The letters in a node, one by one."""
    return (inner.text for inner in walk(node) if isinstance(inner, Name))


def letters_on(name: str, tree: Tree, seen: Survey) -> frozenset[str]:
    """The letters of the indices that a formula writes on a name."""
    nodes = (node for clause in tree.clauses for node in walk(clause.node))
    uses = (node for node in nodes if isinstance(node, Script) and scripts.is_name(node))
    mine = (node for node in uses if (use := seen.understood(node)) and use.name == name)
    return frozenset(x for node in mine for x in _letters(node)) - frozenset(name.split("_"))


def _applied(seen: Survey) -> Iterator[str]:
    """The names before one small letter in parentheses, which nobody writes around a factor."""
    for product in seen.nodes.of(Juxt):
        for name, group in pairwise(product.factors):
            match group:
                case Group("(", (Name(letter),)) if scripts.is_name(name) and letter.islower():
                    use = seen.understood(name)
                    if use is None or names.base_letter(use.name) in names.MULTIPLIED:
                        continue
                    if use.name in seen.called and not use.indices:
                        yield use.name


def _told_call(tree: Tree) -> Iterator[str]:
    """The M of an ``M(B)`` that prose speaks of, as it does of no product of two letters, but for
    weights and data."""
    match [clause.node for clause in tree.clauses]:
        case [Juxt((name, Group("(", (Stroke("·"),))))] if scripts.is_name(name):
            yield names.code_name(binders.bare(name))
        case [Juxt((Name(function), Group("(", (given,))))] if function not in "UWXY":
            if scripts.is_name(given) and not scripts.is_transposed(given):
                yield names.code_name(function)


def _given(tree: Tree, seen: Survey) -> dict[str, set[int]]:
    """How many arguments each name with parentheses behind it is given."""
    found: dict[str, set[int]] = {}
    for node in (node for clause in tree.clauses for node in walk(clause.node)):
        for name, group in pairwise(node.factors) if isinstance(node, Juxt) else ():
            called = seen.understood(name)
            if called is not None and isinstance(group, Group) and group.open in ("(", "["):
                found.setdefault(called.name, set()).add(len(group.items))
    return found


def _said(node: Node) -> Hashable:
    """What a node says, without fonts, spaces, kinds of parentheses and of transposes."""
    match node:
        case Name(text):
            return "T" if text in names.TRANSPOSES else text.lower()
        case Num(text):
            return text
        case Group(opened, (item,)) if opened in PARENTHESES:
            return _said(item)
        case _:
            sign = getattr(node, "op", "") or getattr(node, "open", "")
            return (type(node), sign, *map(_said, children(node)))


def length(said: Hashable) -> int:
    """How much something says."""
    return sum(map(length, said)) if isinstance(said, tuple) else 1


def family(name: str) -> str:
    """``head`` for ``head_1``; "" for a name without labels."""
    return name.rpartition("_")[0]


def is_turned(mine: Parsed, other: Parsed, equation: Equation) -> bool:
    """Whether two formulas say the same of a probability under a condition, the other way round:
    the ``π^*(y | x) = … r(x, y)`` beside ``r(x, y) = … π^*(y | x)``. It is given in either."""
    given = any(
        isinstance(statement, Define)
        and isinstance(statement.target, Juxt)
        and any(isinstance(f, Group) and "|" in f.separators for f in statement.target.factors)
        for statement in (*mine.stated, *other.stated)
    )
    return given and any(one.name in mine.functions for one in equation.inputs)


def _note_names(parsed: Parsed, statement: Define, seen: Survey) -> None:
    """Note what a statement defines."""
    if statement.near:  # GELU is not what it comes close to
        return
    target = targets.read_target(seen, statement)
    parsed.parameters.update(target.parameters)
    # A constant, such as `h = 8` or `x = [1, 2]`, is an example, `S_{ij} = -\infty` what holds
    # where `j > i` (a mask is 0 elsewhere), and a size, such as `d_k = d_model / h`, follows from
    # the shapes: what they name stays a symbol elsewhere.
    nodes = [node for value in statement.values for node in walk(value)]
    constant = all(binders.bare(node) == "infty" for node in nodes if scripts.is_name(node))
    listed = any(isinstance(n, Matrix) or (isinstance(n, Group) and n.items[1:]) for n in nodes)
    start = any(isinstance(v, Num) and v.text == "0" for v in statement.values)  # of any shape
    alone = not (target.parameters or target.indices or statement.conditions)
    if constant and not listed and not start and alone:
        parsed.constants.add(target.name)
    constant = constant and not (statement.conditions and names.is_mask(target.name))
    if statement.conditions and not target.parameters:
        parsed.cases.add(target.name)
    of_something = bool(target.parameters or target.counted)  # as the D of D(x) = σ(w x + b)
    size = names.is_size_name(target.name) and not (of_something or target.indices)
    size = size and not any(map(_is_measured, statement.values))
    if not target.name or constant or size:
        return
    if of_something:
        parsed.functions.add(target.name)
        parsed.arity[target.name] = len(target.parameters) or len(target.counted)
        parsed.said[target.name] = tuple(map(_said, statement.values))
        parsed.places[target.name] = statement.span
    else:
        parsed.arrays.update((target.name, target.name.removesuffix("_squared")))
        if statement.target is not None and scripts.is_name(statement.target):
            use = seen.use(statement.target)
            letters = frozenset(letter for at in use.indices for letter in _letters(at.node))
            every = frozenset(_letters(statement.target)) - frozenset(target.name.split("_"))
            indexed = Indexed(len(use.indices) + use.steps, every, letters)
            parsed.indexed[target.name] = indexed
            parsed.indexed.setdefault(target.name.removesuffix("_squared"), indexed)
    if recursions.step_letter(statement) is not None:
        parsed.mentioned.add(f"{target.name}_0")
        parsed.states.add(target.name)
    elif any(use.name == target.name for v in statement.values for use, _ in used(seen, v)):
        parsed.updates.add(target.name)
        parsed.kept.update([target.name] if statement.keeps else ())
        if any(_is_dropout(value, target.name) for value in statement.values):
            parsed.arrays.discard(target.name)  # it stays what it is
    for index in target.indices:
        if (half := positions.stride(index.node)) is not None:
            parsed.halves.add((target.name, half[1] % 2))


def _is_measured(value: Node) -> bool:
    """Whether a value has a norm, as that of ``d = ‖x - y‖``: how far things are apart, not how
    many there are."""
    return any(isinstance(node, Group) and node.open == "‖" for node in walk(value))


def _is_dropout(value: Node, name: str) -> bool:
    """Whether a value is ``Dropout(x)`` of one name."""
    match value:
        case Juxt((Name(function), Group("(", (given, *_)))):
            return function.lower() in ("dropout", "drop") and names.label(given) == name
    return False


def words_of(entries: Sequence[Entry]) -> frozenset[str]:
    """The words that the notes set upright, which they may write in italics elsewhere; two letters
    may be a product there, unless a formula defines them as a function, ``lp(Y) = …``, or a
    function of them: ``f(Gate, Up) = …``; three that a formula defines are none, ``num_t = …``."""
    found = (word for entry in entries for word in _NAMED.findall(entry.latex))
    upright = (word for word in found if len(word) > 2 and not MATRICES.fullmatch(word))
    defined = (word for entry in entries for word in latex_words.functions(entry.latex))
    made = (word for entry in entries for word in _DEFINED.findall(entry.latex))
    made = (word for word in made if not _PRODUCT.fullmatch(word))
    listed = (match for entry in entries if (match := _PARAMETERS.match(entry.latex)))
    given = (word for match in listed for word in re.findall(r"[A-Za-z][a-z]+", match.group(1)))
    apart = [word for word in (*defined, *made) if not MATRICES.fullmatch(word)]
    small = (word.lower() for word in apart if word.isupper())  # the wkv_t beside WKV_t = …
    return frozenset((*upright, *apart, *small, *given))


def declared_letters(formulas: Sequence[str]) -> frozenset[str]:
    """The capitals that a note says to be arrays: in ``C L S^\\top`` they spell no word."""
    lists = (found for latex in formulas for found in _DECLARED.findall(latex))
    return frozenset(letter for found in lists for letter in re.findall(r"\b[A-Z]", found))


def macros_of(entries: Sequence[Entry]) -> dict[str, Macro]:
    """The commands that formulas define; of two definitions the later one counts."""
    macros: dict[str, Macro] = {}
    for entry in entries:
        macros.update(definitions(entry.latex)[0])
    return macros
