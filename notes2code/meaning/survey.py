"""What can be seen in a formula before any of it is typed: who binds which index, what is
called, what is indexed how often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from notes2code.diagnostics import ProblemError, Span
from notes2code.latex.tree import (
    Accent,
    Big,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Neg,
    Node,
    Num,
    Relation,
    Root,
    Script,
    children,
    walk,
)
from notes2code.meaning import names, scripts
from notes2code.meaning.statements import Declare, Define, Range, Statement


@dataclass(slots=True)
class Survey:
    """``bound`` are the letters that are indices; ``free`` those that nothing but their use
    under or over a name makes one, in order. ``called`` are names that stand before
    parentheses wherever they occur. ``counted`` tells with how many indices each name occurs;
    ``sizes`` are names that bound a range or a shape, ``squares`` those whose square is defined."""

    bound: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    free: list[str] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    counted: dict[str, set[int]] = field(default_factory=dict)
    shifts: dict[tuple[str, int, str], set[int]] = field(default_factory=dict)
    bold: set[str] = field(default_factory=set)
    entries: set[str] = field(default_factory=set)
    transposed: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)
    sizes: set[str] = field(default_factory=set)
    steps: dict[str, set[str]] = field(default_factory=dict)
    squares: set[str] = field(default_factory=set)
    ranges: dict[str, Range] = field(default_factory=dict)
    normalises: bool = False
    logs: bool = False
    starts: dict[str, int] = field(default_factory=dict)
    attends: bool = False
    has_matrices: bool = False
    uses: dict[int, scripts.Use] = field(default_factory=dict)

    def use(self, node: Node) -> scripts.Use:
        """The resolved scripts of a name."""
        found = self.uses.get(id(node))
        if found is None:
            found = scripts.read(node, self.bound, steps=self.steps)
            if found.name in self.squares and _is_two(found.power):
                found = replace(found, name=f"{found.name}_squared", power=None)
            self.uses[id(node)] = found
        return found


def survey(statements: Sequence[Statement]) -> Survey:
    """Look over the statements of a formula."""
    seen = Survey()
    values = [value for s in statements if isinstance(s, Define) for value in s.values]
    nodes = [node for value in values for node in walk(value)]
    _find_binders(seen, nodes)
    _find_ends(seen, nodes)
    _find_steps(seen, statements)
    for statement in statements:
        if isinstance(statement, Range):
            seen.bound.add(statement.index)
            seen.ranges[statement.index] = statement
            seen.sizes.update(_size_names(statement.last))
        elif isinstance(statement, Declare):
            for axis in statement.axes:
                seen.sizes.update(_size_names(axis))
        elif isinstance(statement, Define) and statement.target is not None:
            if isinstance(square := statement.target, Script) and _is_two(square.sup):
                seen.squares.add(scripts.read(square.base, frozenset()).name)
            _find_target_letters(seen, statement.target, nodes)
    _find_free_letters(seen, nodes, statements)
    for value in values:
        _count_uses(seen, value)
    for node in nodes:
        if isinstance(node, Matrix):
            seen.entries.update(_entries(seen, node))
    seen.normalises = any(map(_is_normalisation, nodes))
    bases = {names.base_letter(name) for name in seen.counted}
    seen.logs = not bases.isdisjoint(["log", "ln"])
    seen.attends = sum(bool(bases & {x, x.lower()}) for x in "QKV") > 1
    seen.has_matrices = seen.attends or "X" in bases
    return seen


def _is_two(node: Node | None) -> bool:
    return isinstance(node, Num) and node.text == "2"


# --- indices ---------------------------------------------------------------------------------


def _find_binders(seen: Survey, nodes: Sequence[Node]) -> None:
    """Letters that sums, products, maxima and families bind."""
    for node in nodes:
        if isinstance(node, Big) and node.sub is not None:
            for letter in bound_letters(node.sub):
                seen.bound.add(letter)
            if isinstance(node.sup, Name) and (first := _first(node.sub)) is not None:
                seen.starts[node.sup.text] = first  # the i of Σ_{j=1}^{i} counts as j does
            seen.sizes.update(_size_names(node.sup))
            for last in _ends(node.sub):
                seen.sizes.update(_size_names(last))
        elif isinstance(node, Script) and (own := _family_range(node)) is not None:
            seen.bound.update(bound_letters(own))
            seen.sizes.update(_size_names(node.sup))


def _family_range(node: Script) -> Relation | None:
    """The ``i=1`` of ``{x_i}_{i=1}^n``."""
    if isinstance(node.base, Group) and isinstance(node.sub, Relation) and node.sup is not None:
        return node.sub
    return None


def _first(sub: Node) -> int | None:
    """The number from which ``j = 1`` counts."""
    if isinstance(sub, Relation) and sub.signs == ("=",) and isinstance(sub.operands[1], Num):
        return int(sub.operands[1].text) if sub.operands[1].text.isdigit() else None
    return None


def bound_letters(sub: Node) -> list[str]:
    """The letters that stand below a big operator as its indices."""
    if isinstance(sub, Relation):
        first = sub.operands[0]
        if sub.signs[0] in ("≤", "<") and len(sub.operands) == 3:
            first = sub.operands[1]
        return bound_letters(first) if first is not None else []
    if isinstance(sub, Group):
        dotted = any(isinstance(item, Dots) for item in sub.items)
        return [x for item in sub.items[: 1 if dotted else 3] for x in bound_letters(item)]
    if isinstance(sub, Juxt) and all(isinstance(f, Name) for f in sub.factors):
        return [f.text for f in sub.factors if isinstance(f, Name) and len(f.text) == 1]
    if isinstance(sub, Name):
        return [sub.text]
    if isinstance(sub, Script | Accent) and scripts.is_name(sub):
        return [names.label(sub)]
    return []


def _ends(sub: Node) -> Iterator[Node]:
    if isinstance(sub, Relation):
        yield from (o for o in sub.operands[1:] if o is not None)
    elif isinstance(sub, Group):
        for item in sub.items:
            yield from _ends(item)
        if any(isinstance(i, Dots) for i in sub.items):
            yield sub.items[-1]


def _size_names(node: Node | None) -> set[str]:
    """The names in an upper bound or an axis, such as ``d`` and ``h`` in ``d/h``."""
    if node is None:
        return set()
    found: set[str] = set()
    for inner in walk(node) if not scripts.is_name(node) else (node,):
        if scripts.is_name(inner):
            found.add(scripts.read(inner, frozenset()).name)
    return found


def _find_target_letters(seen: Survey, target: Node, nodes: Sequence[Node]) -> None:
    """Index letters on a left-hand side."""
    labels = {letter for node in nodes for letter in _letters_of_labels(node)}
    for node in _target_scripts(target):
        for letter in _script_letters(node):
            if letter not in names.INDEX_LETTERS or letter in labels:
                continue
            if letter in seen.steps.get(_base(node), ()) or letter in seen.steps.get("", ()):
                continue
            base = _base(node)
            if base in ("d", "D", "dim") and letter in names.LABELS:
                continue
            seen.bound.add(letter)
            seen.targets.add(letter)
    if isinstance(target, Juxt) and isinstance(target.factors[1], Group):
        for item in target.factors[1].items:
            if isinstance(item, Juxt | Infix) and not scripts.is_name(item):
                for inner in walk(item):
                    if isinstance(inner, Name):
                        seen.bound.add(inner.text)
                        seen.targets.add(inner.text)
        if is_positional(target):
            letters = [i.text for i in target.factors[1].items if isinstance(i, Name)]
            seen.bound.update(letters)
            seen.targets.update(letters)


def is_positional(target: Node) -> bool:
    """Whether the parentheses of a left-hand side hold indices, as in ``PE(pos, 2i)``."""
    if not (isinstance(target, Juxt) and isinstance(target.factors[1], Group)):
        return False
    return any(isinstance(item, Juxt | Infix) for item in target.factors[1].items)


def _target_scripts(target: Node) -> Iterator[Node]:
    if isinstance(target, Juxt):
        name, arguments = target.factors[0], target.factors[1]
        yield name
        if isinstance(arguments, Script):
            yield arguments
            arguments = arguments.base
        if isinstance(arguments, Group):
            yield from arguments.items
    else:
        yield target


def _script_letters(node: Node) -> Iterator[str]:
    """The single letters, and ``pos``, in the scripts of a name."""
    while isinstance(node, Script | Accent):
        if isinstance(node, Script):
            for script in (node.sub, node.sup):
                if script is None or (isinstance(script, Name) and script.text in ("T", "top")):
                    continue
                if _is_label(script):
                    continue
                for inner in walk(script):
                    if isinstance(inner, Name) and (len(inner.text) == 1 or inner.text == "pos"):
                        yield inner.text
        node = node.base


def _letters_of_labels(node: Node) -> Iterator[str]:
    """The letters of abbreviations such as the ``hr`` of W_hr."""
    sub = node.sub if isinstance(node, Script) and scripts.is_name(node) else None
    if isinstance(sub, Juxt) and _is_label(sub):
        yield from (f.text for f in sub.factors if isinstance(f, Name))


def _is_label(script: Node) -> bool:
    """Whether letters side by side are an abbreviation, such as ``att``, and not indices."""
    return isinstance(script, Juxt) and any(
        isinstance(f, Name) and f.text not in names.INDEX_LETTERS for f in script.factors
    )


def _base(node: Node) -> str:
    while isinstance(node, Script | Accent):
        node = node.base
    return node.text if isinstance(node, Name) else ""


def _find_free_letters(
    seen: Survey, nodes: Sequence[Node], statements: Sequence[Statement]
) -> None:
    """Letters that stand below names on the right and that nothing binds: they run over rows."""
    labelled = _labelled_bases(nodes)
    for node in nodes:
        if not isinstance(node, Script) or not scripts.is_name(node) or node.sub is None:
            continue
        base = _base(node)
        if base in labelled:
            continue
        steps = seen.steps.get(base, set()) | seen.steps.get("", set())
        for letter in _free_letters(node.sub, base):
            if letter in steps or (base in seen.steps and isinstance(node.sub, Name)):
                continue
            if letter not in seen.bound and letter not in seen.free and letter not in seen.ends:
                seen.free.append(letter)
    seen.bound.update(seen.free)


def _labelled_bases(nodes: Sequence[Node]) -> set[str]:
    """Names that carry letters which cannot be indices, as ``q_h`` and ``q_w`` beside ``q_t``."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, Script) and scripts.is_name(node) and isinstance(node.sub, Name):
            found.setdefault(_base(node), set()).add(node.sub.text)
    return {base for base, letters in found.items() if letters & names.LABELS and len(letters) > 1}


def _find_ends(seen: Survey, nodes: Sequence[Node]) -> None:
    """The letters that end a list with dots, such as the h of ``head_1, …, head_h``: sizes."""
    for node in nodes:
        items = children(node) if isinstance(node, Group | Juxt | Matrix) else ()
        dots = [at for at, item in enumerate(items) if _begins_with_dots(item)]
        if not dots:
            continue
        first = {name for item in items[: dots[0]] for name in _letters_in_scripts(item)}
        for item in items[dots[-1] :]:
            for letter in _letters_in_scripts(item):
                if letter not in first:
                    seen.ends.add(letter)
                    seen.sizes.add(letter)


def _find_steps(seen: Survey, statements: Sequence[Statement]) -> None:
    """Letters that count the steps of a recursion: the l of ``h_l = block(h_{l-1})``.

    Where the first state is defined too, the steps are repeated, and only the state drops the
    letter; else the formula is a single step, and every name does.
    """
    defines = [s for s in statements if isinstance(s, Define) and s.target is not None]
    targets = [s.target for s in defines]
    for define in defines:
        letter = step_letter(define)
        if letter is None or define.target is None:
            continue
        base = _base(define.target)
        repeated = any(is_first_state(target, base) for target in targets)
        seen.steps.setdefault(base, set()).add(letter)
        if repeated:
            seen.bound.add(letter)
        else:
            seen.steps.setdefault("", set()).add(letter)


def step_letter(define: Define) -> str | None:
    """The letter that counts the steps if a definition is a recursion."""
    target = define.target
    if not isinstance(target, Script) or not scripts.is_name(target):
        return None
    base = _base(target)
    mine = [s for s in (target.sub, _ungrouped(target.sup)) if s is not None]
    for own in mine:
        letter = _stepped(own)
        if letter is None:
            continue
        for value in define.values:
            for node in walk(value):
                if not isinstance(node, Script) or _base(node) != base:
                    continue
                for other in (node.sub, _ungrouped(node.sup)):
                    if (
                        other is not None
                        and _stepped(other) == letter
                        and type(other) is not type(own)
                    ):
                        return letter
    return None


def _ungrouped(node: Node | None) -> Node | None:
    return node.items[0] if isinstance(node, Group) and len(node.items) == 1 else node


def _stepped(node: Node) -> str | None:
    """The letter of ``l``, ``l − 1`` or ``l + 1``."""
    if isinstance(node, Infix) and node.op in "+-" and isinstance(node.right, Num):
        node = node.left if node.right.text == "1" else node
    if isinstance(node, Name) and node.text in names.INDEX_LETTERS | {"L", "N"}:
        return node.text
    return None


def is_first_state(target: Node | None, base: str) -> bool:
    """Whether a left-hand side is ``h_0`` or ``h^{(0)}``."""
    if not isinstance(target, Script) or _base(target) != base:
        return False
    return any(isinstance(s, Num) and s.text == "0" for s in (target.sub, _ungrouped(target.sup)))


def _begins_with_dots(node: Node) -> bool:
    if isinstance(node, Juxt):
        return isinstance(node.factors[0], Dots)
    return isinstance(node, Dots)


def _letters_in_scripts(node: Node) -> set[str]:
    return {
        letter
        for inner in walk(node)
        if isinstance(inner, Script) and scripts.is_name(inner)
        for letter in _script_letters(inner)
    }


def _free_letters(script: Node, base: str) -> Iterator[str]:
    weight = base in ("W", "w", "b", "U", "P", "B", "d", "D", "dim", "n", "N", "T", "e")
    for part in scripts.parts(script, names.INDEX_LETTERS):
        inner = part
        if weight or _is_label(inner):
            continue
        found = list(walk(inner)) if isinstance(inner, Infix) else [inner]
        letters = [n.text for n in found if isinstance(n, Name)]
        if all(letter in names.INDEX_LETTERS for letter in letters):
            yield from letters


# --- uses ------------------------------------------------------------------------------------


def _count_uses(seen: Survey, value: Node) -> None:
    """How each name is used: with how many indices, transposed, bold, always called."""
    free_standing: set[str] = set()
    called: set[str] = set()

    def visit(node: Node, before_parenthesis: bool) -> None:
        if scripts.is_name(node):
            try:
                use = seen.use(node)
            except ProblemError:
                return  # it is an error where it is computed, which an item of a list may not be
            seen.counted.setdefault(use.name, set()).add(len(use.indices))
            for place, index in enumerate(use.indices):
                if (shift := scripts.shift(index.node)) is not None:
                    seen.shifts.setdefault((use.name, place, shift[0]), set()).add(shift[1])
            if use.bold:
                seen.bold.add(use.name)
            if use.transposed:
                seen.transposed.add(use.name)
            (called if before_parenthesis else free_standing).add(use.name)
            if use.power is not None:
                visit(use.power, False)
            return
        inner = children(node)
        for at, child in enumerate(inner):
            following = inner[at + 1] if isinstance(node, Juxt) and at + 1 < len(inner) else None
            if isinstance(following, Script):
                following = following.base
            opens = isinstance(following, Group) and following.open in ("(", "[")
            visit(child, opens)

    visit(value, False)
    seen.called = (seen.called | called) - free_standing


def _entries(seen: Survey, node: Matrix) -> Iterator[str]:
    """The plain names that are cells of a matrix, such as the x_1 and x_2 of a column: numbers."""
    for row in node.rows:
        for cell in row:
            inner = cell.body if isinstance(cell, Neg) else cell
            if inner is not None and scripts.is_name(inner) and isinstance(inner, Script):
                with suppress(ProblemError):
                    yield seen.use(inner).name


def _is_normalisation(node: Node) -> bool:
    """Whether a node divides by a standard deviation: γ and β beside it are vectors."""
    if isinstance(node, Frac) or (isinstance(node, Infix) and node.op == "/"):
        bottom = node.bottom if isinstance(node, Frac) else node.right
        inside = list(walk(bottom))
        has_root = any(isinstance(n, Root) for n in inside)
        deviates = any(
            isinstance(n, Name) and n.text in ("sigma", "Var", "var", "RMS", "rms", "Std", "std")
            for n in inside
        )
        top = node.top if isinstance(node, Frac) else node.left
        centred = isinstance(top, Infix | Group)
        return deviates and (has_root or centred)
    return False


def loose_letters(seen: Survey, node: Node) -> Iterator[str]:
    """The letters in index positions that no operator inside the node binds, in order."""
    return (letter for letter, _ in loose_places(seen, node))


def loose_places(
    seen: Survey, node: Node, bound: frozenset[str] = frozenset()
) -> Iterator[tuple[str, Span]]:
    """The loose letters with their places."""
    if isinstance(node, Big) and node.sub is not None:
        inner = bound | frozenset(bound_letters(node.sub))
        for part in (node.sub, node.sup):
            if part is not None:
                yield from loose_places(seen, part, inner)
        yield from loose_places(seen, node.body, inner)
        return
    if isinstance(node, Script) and (own := _family_range(node)) is not None:
        inner = bound | frozenset(bound_letters(own))
        yield from loose_places(seen, node.base, inner)
        return
    if scripts.is_name(node):
        use = seen.use(node)
        for at in use.indices:
            for found in walk(at.node):
                if isinstance(found, Name) and found.text in seen.bound - bound:
                    yield found.text, found.span
        power = use.power
        if isinstance(node, Script) and node.sub is None and use.name.split("_")[0] == "e":
            power = node.sup
        if power is not None:
            yield from loose_places(seen, power, bound)
        if isinstance(node, Name) and node.text in seen.targets - bound:
            yield node.text, node.span
        return
    for child in children(node):
        yield from loose_places(seen, child, bound)


def summed_letters(node: Node) -> Iterator[str]:
    """The letters that sums and their like bind inside a node."""
    for inner in walk(node):
        if isinstance(inner, Big) and inner.sub is not None:
            yield from bound_letters(inner.sub)


def compared_letters(node: Node) -> Iterator[str]:
    """The letters on the right in ``i < j`` below a sum: it binds the left one only."""
    for inner in walk(node):
        if isinstance(inner, Big) and isinstance(inner.sub, Relation):
            last = inner.sub.operands[-1]
            if isinstance(last, Name) and inner.sub.signs[-1] in "<>≤≥≠":
                yield last.text


def size_expression(node: Node) -> str:
    """The size that an axis of a declared shape names, such as ``d_model`` or ``d/h``."""
    match node:
        case Num(text):
            return text
        case Infix(op, left, right) if op in "+-/·×*":
            sign = {"·": "*", "×": "*"}.get(op, op)
            return f"{size_expression(left)}{sign}{size_expression(right)}"
        case Juxt(factors):
            return "*".join(size_expression(factor) for factor in factors)
        case Frac(top, bottom):
            return f"{size_expression(top)}/{size_expression(bottom)}"
        case Group(_, (item,)):
            return f"({size_expression(item)})"
        case _ if scripts.is_name(node):
            return scripts.read(node, frozenset()).name
        case _:
            return names.code_name(names.label(node))
