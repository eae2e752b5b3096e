"""Recursions: which letter of ``x_{l+1} = f(x_l)`` counts the steps, and how far a name is from the
present one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from notes2code.latex.tree import Accent, Infix, Name, Node, Nodes, Num, Script, ungrouped, walk
from notes2code.meaning import names
from notes2code.meaning.notation import positions, scripts
from notes2code.meaning.notation.binders import bare
from notes2code.meaning.stated import Define


def step_letter(define: Define) -> str | None:
    """The letter that counts the steps if a definition is a recursion."""
    target = define.target
    if not isinstance(target, Script) or not scripts.is_name(target):
        return None
    base = bare(target)
    mine = [s for s in (target.sub, ungrouped(target.sup)) if s is not None]
    for own in mine:
        letter = _stepped(own)
        if letter is None:
            continue
        for value in define.values:
            for node in walk(value):
                if not isinstance(node, Script) or bare(node) != base:
                    continue
                for other in (node.sub, ungrouped(node.sup)):
                    if (
                        other is not None
                        and _stepped(other) == letter
                        and type(other) is not type(own)
                    ):
                        return letter
    return None


def steps_ahead(define: Define) -> int:
    """How far a recursion defines ahead of the letter that counts its steps: 1 for ``x_{l+1}``."""
    letter = step_letter(define)
    return _step(define.target, {letter} if letter else set()) or 0


def at_own_step(define: Define, letter: str) -> Node | None:
    """Where the right-hand side of a step in two letters has a state not at the step before: the
    ``h_t^{(l-1)}`` of a network that steps in time and over layers, and the ``h_i^{(l-1)}``."""
    target = define.target
    assert isinstance(target, Script)
    mine = [target.sub, ungrouped(target.sup)]
    if None in mine or not all(_stepped(own) for own in mine if own is not None):
        return None
    for node in (inner for value in define.values for inner in walk(value)):
        if not isinstance(node, Script) or bare(node) != bare(target):
            continue
        theirs = [node.sub, ungrouped(node.sup)]
        for own, other in zip(mine, theirs, strict=True):
            if own is None or other is None or type(own) is not type(other):
                continue
            if _stepped(own) == letter and isinstance(other, Name):
                return node
    return None


def _stepped(node: Node) -> str | None:
    """The letter of ``l``, ``l − 1`` or ``l + 1``."""
    if isinstance(node, Infix) and node.op in "+-" and isinstance(node.right, Num):
        node = node.left if node.right.text == "1" else node
    if isinstance(node, Name) and node.text in names.INDEX_LETTERS | {"L", "N"}:
        return node.text
    return None


def is_before(node: Script, letters: Set[str], target: Node | None) -> bool:
    """Whether a script counts one step less than what is defined: ``l − 1`` beside ``l``, and
    ``l`` beside ``l + 1``."""
    mine, theirs = _step(node, letters), _step(target, letters)
    return mine is not None and mine == (theirs or 0) - 1


def _step(node: Node | None, letters: Set[str]) -> int | None:
    """How far a name's step is from the present one."""
    if not isinstance(node, Script):
        return None
    shifts = [positions.shift(s) for s in (node.sub, ungrouped(node.sup)) if s is not None]
    found = (shift[1] for shift in shifts if shift is not None and shift[0] in letters)
    return next(found, None)


def made_in_step(target: Node | None, values: Sequence[Node]) -> str | None:
    """The t of ``m_v^{t+1} = Σ_u h_u^t`` and the l of ``h_i^{(l)} = W z_i^{(l-1)}``, which a step
    makes of its states: it counts above names that tell by an index which one they are, and stands
    in nothing but scripts. What stands in parentheses above a name raises none, as that of
    ``W^{(l)}``; nor does the n − 1 of ``\\tilde x_i^{n-1} = f(x_i^{n-1})``, for a power defines
    nothing; it does where ``x_i`` stands there without it, too."""
    match target:
        case Script(Name() | Accent(), sub, sup, 0) if sub is not None and sup is not None:
            letter, ahead = positions.shift(ungrouped(sup)) or ("", 0)
        case _:
            return None
    inside = Nodes(node for value in values for node in walk(value))
    raised = [n for n in inside.of(Script) if (at := ungrouped(n.sup)) and _stepped(at) == letter]
    before = any(is_before(node, {letter}, target) for node in raised)
    if ahead not in (1, -1) and not (ahead == 0 and letter in positions.LAYERS and before):
        return None
    open_ones = (node for node in raised if node.sub is None and node.sup is ungrouped(node.sup))
    if not raised or any(open_ones) or not all(map(scripts.is_name, raised)):
        return None
    if ahead == -1 or isinstance(target.base, Accent):
        at_step = {id(node.base) for node in raised}
        above = {bare(node) for node in raised}
        if any(id(n) not in at_step and n.text in above for n in inside.of(Name)):
            return None
    within = {
        id(n) for node in inside.of(Script) for at in (node.sub, node.sup) if at for n in walk(at)
    }
    return letter if all(id(n) in within for n in inside.of(Name) if n.text == letter) else None


def step_of_several(define: Define, others: Sequence[Define]) -> str | None:
    """The l of ``x_{l+1} = g(h_l)`` beside ``h_l = f(x_l)``, and the t of ``h_t = g(o_t)`` beside
    ``o_t = f(h_{t-1})``: a step in several statements. One that goes in two letters is none."""
    target = define.target
    own = (target.sub, ungrouped(target.sup)) if isinstance(target, Script) else ()
    letters = {shift[0] for at in own if at is not None and (shift := positions.shift(at))}
    steps: dict[str, list[Define]] = {}
    for other in others if letters else ():
        for node in (inner for value in other.values for inner in walk(value)):
            if isinstance(node, Script) and bare(node) == bare(target or node):
                for letter in letters:
                    if is_before(node, {letter}, target):
                        steps.setdefault(letter, []).append(other)
    if len(steps) != 1 or not steps.keys() <= names.INDEX_LETTERS:
        return None
    ((letter, stepping),) = steps.items()
    return letter if any(one in stepping for one in needed(define, others)) else None


def needed(define: Define, others: Sequence[Define]) -> Iterator[Define]:
    """The definitions of what a definition is made of, and of what these are made of."""
    left, pending = [o for o in others if o is not define], [define]
    while pending:
        used = {bare(node) for value in pending.pop().values for node in walk(value)}
        found = [o for o in left if o.target is not None and bare(o.target) in used]
        left = [o for o in left if o not in found]
        pending += found
        yield from found


def is_first_state(target: Node | None, base: str) -> bool:
    """Whether a left-hand side is ``h_0`` or ``h^{(0)}``."""
    if not isinstance(target, Script) or bare(target) != base:
        return False
    return any(isinstance(s, Num) and s.text == "0" for s in (target.sub, ungrouped(target.sup)))
