"""The letters in the nodes of a formula: which ones can be indices, and what binds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

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
    Node,
    Nodes,
    Num,
    Relation,
    Script,
    children,
    juxtaposed,
    once,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import groups, positions, script_reader, scripts
from notes2code.meaning.stated import Define


def family_range(node: Script) -> Relation | None:
    """The ``i=1`` of ``{x_i}_{i=1}^n``, and the ``i ∈ [n]`` of ``(x_i)_{i ∈ [n]}``."""
    below = node.sub if isinstance(node.base, Group) else None
    if not isinstance(below, Relation) or (node.sup is None and below.signs != ("∈",)):
        return None
    return below


def first_number(sub: Node) -> int | None:
    """The number from which ``j = 1`` counts, with a condition behind it or without, and that of
    ``1 ≤ j ≤ n``."""
    match sub.items[0] if conditions_below(sub) and isinstance(sub, Group) else sub:
        case Relation((_, Num(first)), ("=",)) | Relation((Num(first), _, _), ("≤", _)):
            return int(first) if first.isdigit() else None
    return None


def first_letters(sub: Node) -> list[str]:
    """The letters in what ``j = i + 1`` counts from."""
    if not isinstance(sub, Relation) or sub.signs != ("=",) or sub.operands[1] is None:
        return []
    return [node.text for node in walk(sub.operands[1]) if isinstance(node, Name)]


def bound_letters(sub: Node) -> list[str]:
    """The letters that stand below a big operator as its indices."""
    if isinstance(sub, Relation):
        first = sub.operands[0]
        if sub.signs[0] in ("≤", "<") and len(sub.operands) == 3:
            first = sub.operands[1]
        return bound_letters(first) if first is not None else []
    if isinstance(sub, Group):
        if conditions_below(sub):
            return bound_letters(sub.items[0])
        dotted = any(isinstance(item, Dots) for item in sub.items)
        return [x for item in sub.items[: 1 if dotted else None] for x in bound_letters(item)]
    if isinstance(sub, Juxt) and all(isinstance(f, Name) for f in sub.factors):
        return [f.text for f in sub.factors if isinstance(f, Name) and len(f.text) == 1]
    if isinstance(sub, Name):
        return [sub.text]
    if isinstance(sub, Script | Accent) and scripts.is_name(sub):
        return [names.label(sub)]
    return []


def compared_letter(sub: Node) -> list[str]:
    """The letter on the right in ``i < j``: a bound of the left one, or summed over too where
    nothing else binds it."""
    if isinstance(sub, Relation) and sub.signs[-1] in "<>≤≥≠":
        last = sub.operands[-1]
        return [last.text] if isinstance(last, Name) else []
    return []


def conditions_below(sub: Node) -> tuple[Relation, ...]:
    """What ``j: |i-j| ≤ w`` and ``j=1, j ≠ i`` below a sign say of j, which alone they bind; of
    ``i, j ≤ n`` it is nothing, since both of them are bound."""
    if not isinstance(sub, Group) or not sub.items:
        return ()
    first, rest = sub.items[0], sub.items[1:]
    names_in = bound_letters(first) if isinstance(first, Name | Relation) else []
    if len(names_in) != 1:
        return ()
    letter = names_in[0]
    said = [item for item in rest if isinstance(item, Relation) and item.signs != ("=",)]
    if not said or len(said) < len(rest):
        return ()
    others = (item.operands[0] for item in said)
    apart = all(isinstance(sign, str) and sign in ":|" for sign in sub.separators[:1])
    if apart or not any(isinstance(o, Name) and o.text != letter for o in others):
        return tuple(said)
    return ()


def ends(sub: Node) -> Iterator[Node]:
    """The nodes that end the ranges below a big operator."""
    if isinstance(sub, Relation):
        yield from (o for o in sub.operands[1:] if o is not None)
    elif isinstance(sub, Group):
        for item in sub.items:
            yield from ends(item)
        if any(isinstance(i, Dots) for i in sub.items):
            yield sub.items[-1]


def size_names(node: Node | None) -> set[str]:
    """The names in an upper bound or an axis, such as ``d`` and ``h`` in ``d/h``."""
    if node is None:
        return set()
    found: set[str] = set()
    for inner in walk(node) if not scripts.is_name(node) else (node,):
        if scripts.is_name(inner):
            found.add(_size_name(inner))
    return found


def _size_name(node: Node) -> str:
    """The name of a size; the ``d_{l-1}`` and the ``d_{l+1}`` beside ``d_l`` are others."""
    match node:
        case Script(Name(base), Infix("+", left, right)):
            return names.code_name(base, names.label(left), "plus", names.label(right))
        case Script(Name(), Infix()):
            return names.code_name(names.label(node))
    return script_reader.unindexed(node)


def parts_of_size(define: Define) -> set[str]:
    """The E and h of ``d_h = E / h``, and the h of ``d_{model} = h d_k``, which count as what they
    give does."""
    match define.target, define.values:
        case Script(Name("d"), Name(label)), (share,) if _is_share(share):
            if len(label) == 1 and label not in names.LABELS:
                return set()
            return size_names(share)
    return set()


def _is_share(node: Node) -> bool:
    """Whether a value is a product or a quotient of two names."""
    match node:
        case Frac(left, right) | Infix("·" | "×" | "*", left, right) | Juxt((left, right)):
            return scripts.is_name(left) and scripts.is_name(right)
    return False


def is_positional(target: Node) -> bool:
    """Whether the parentheses of a left-hand side hold indices, as in ``PE(pos, 2i)``."""
    if not (isinstance(target, Juxt) and isinstance(target.factors[1], Group)):
        return False
    return any(isinstance(item, Juxt | Infix | Frac) for item in target.factors[1].items)


def told_indices(target: Juxt) -> Iterator[Name]:
    """What may be an index in the parentheses of a left-hand side: the s of ``a_t(s)``, the k of
    ``P(y = k | x)``."""
    group = target.factors[1]
    for item in group.items if isinstance(group, Group) else ():
        last = item.operands[-1] if isinstance(item, Relation) and item.signs == ("=",) else item
        if isinstance(last, Name):
            yield last


def target_scripts(target: Node) -> Iterator[Node]:
    """The names of a left-hand side: what is defined, then its parameters. A parameter such as
    ``\\{k_i\\}_{i=1}^m`` is all of them."""
    if isinstance(target, Juxt):
        name, arguments = target.factors[0], target.factors[1]
        yield name
        if isinstance(arguments, Script):
            yield arguments
            arguments = arguments.base
        for item in arguments.items if isinstance(arguments, Group) else ():
            if not (isinstance(item, Script) and isinstance(item.base, Group)):
                yield item
    elif isinstance(target, Matrix):
        yield from (cell for row in target.rows for cell in row if cell is not None)
    else:
        yield target


def arguments(target: Node | None) -> tuple[Node, ...]:
    """What stands in the parentheses of a left-hand side."""
    match target:
        case Juxt((_, Group(_, items))):
            return items
    return ()


def script_letters(node: Node, bound: Set[str] = frozenset()) -> Iterator[str]:
    """The single letters, and ``pos``, in the scripts of a name, where some are bound."""
    while isinstance(node, scripts.SCRIPTED):
        if isinstance(node, Script):
            for script in (node.sub, node.sup):
                if script is None or (isinstance(script, Name) and script.text in ("T", "top")):
                    continue
                if is_label(script, bound):
                    continue
                for inner in walk(script):
                    if isinstance(inner, Name) and (len(inner.text) == 1 or inner.text == "pos"):
                        yield inner.text
        node = node.base


def has_above(node: Node, letter: str) -> bool:
    """Whether a letter stands above a name, alone, in parentheses or beside a transpose."""
    above = node.sup if isinstance(node, Script) and scripts.is_name(node) else None
    parts = () if above is None else juxtaposed(above)
    return any(isinstance(p, Name) and p.text == letter for p in map(ungrouped, parts))


def _is_in_parentheses(node: Node) -> bool:
    """Whether parentheses stand above a name: what is in them is no power."""
    return isinstance(node, Script) and isinstance(node.sup, Group) and node.sup.open == "("


def is_of_heads(target: Node, nodes: Nodes) -> bool:
    """Whether the h of a left-hand side counts heads: in ``a_{ij}^h = … k_j^h``, in ``head_h = …
    W_h``, in ``Q^{(h)} = X W^{(h)}``, in ``Q_h = X W_h^Q``, and where what stands on the right has
    a group of heads, as in ``O_h = … K_{g(h)}``."""
    letters = set(script_letters(target))
    if has_above(target, scripts.HEAD) and letters & names.INDEX_LETTERS:
        return any(has_above(node, scripts.HEAD) for node in nodes.of(Script))
    if scripts.HEAD not in letters:
        return False
    others = [node for node in nodes.of(Script) if scripts.is_name(node) and node is not target]
    role = bare(target)
    if role in ("Q", "K", "V") and any(_is_for(node, role) for node in others):
        return True
    if role.lower() == "head" or _is_in_parentheses(target):
        return any(
            has_above(node, scripts.HEAD) or scripts.HEAD in script_letters(node) for node in others
        )
    subs = (node.sub for node in nodes.of(Script) if node.sub is not None)
    return any(groups.counts_groups(sub, scripts.HEAD) for sub in subs)


def _is_for(node: Node, role: str) -> bool:
    """Whether a weight is that of a role and of a head, as the ``W_h^Q`` and ``W_{Q,h}`` of Q."""
    return bare(node) == "W" and {role, scripts.HEAD} <= {*script_letters(node)}


def letters_of_labels(node: Script, bound: Set[str]) -> Iterator[str]:
    """The letters of abbreviations such as the ``hr`` of W_hr; bound ones make none."""
    sub = node.sub
    if isinstance(sub, Juxt) and scripts.is_name(node) and is_label(sub, bound):
        yield from (f.text for f in sub.factors if isinstance(f, Name))


def is_label(script: Node, bound: Set[str] = frozenset()) -> bool:
    """Whether letters side by side are an abbreviation, such as ``att``, and not indices; nor is
    ``i % 2`` one."""
    letters = (
        {f.text for f in script.factors if isinstance(f, Name)}
        if isinstance(script, Juxt)
        else set()
    )
    return "percent" not in letters and not letters <= names.INDEX_LETTERS | bound


def bare(node: Node) -> str:
    """The letter or word of a name, without its scripts and accents."""
    while type(node) is not Name:
        if type(node) is not Script and type(node) is not Accent:
            return ""
        node = node.base
    return node.text


def labelled_bases(nodes: Nodes, bound: Set[str]) -> set[str]:
    """Names that carry letters which cannot be indices, as ``q_h`` and ``q_w`` beside ``q_t``, or
    ``λ_{q1}`` beside ``λ_{k1}``; the k of ``Σ_k z_k`` is one."""
    found: dict[str, set[str]] = {}
    for node in nodes.of(Script):
        match node.sub:
            case Name(letter) | Juxt((Name(letter), Num())) if scripts.is_name(node):
                found.setdefault(bare(node), set()).add(letter)
    labels = names.LABELS - bound
    return {base for base, letters in found.items() if letters & labels and len(letters) > 1}


@once
def named_after(nodes: Nodes) -> Set[str]:
    """The r of ``μ_r`` beside ``r_i``: the moment of the r_i is named after them."""
    below = [(bare(node), node.sub) for node in nodes.of(Script) if node.sub is not None]
    named = {sub.text for b, sub in below if b in ("mu", "sigma") and isinstance(sub, Name)}
    return named.intersection(base for base, _ in below)


def worded_sets(nodes: Nodes) -> Iterator[Node]:
    """The ``\\text{top}_k`` of ``Σ_{i ∈ \\text{top}_k}``, whose k says how many there are."""
    for node in nodes.of(Relation):
        match node:
            case Relation((_, Script(Name(word)) as named), ("∈" | "∉",)) if len(word) > 1:
                yield named


def with_labels_above(nodes: Nodes) -> Iterator[str]:
    """The x of ``[x_1^p, x_2^p, …, x_N^p]`` and of ``[x_i^s; x_i^c]``: letters above all of a list,
    and nowhere else, tell of what kind these are, and raise none."""
    if all(node.sub is None or type(node.sup) is not Name for node in nodes.of(Script)):
        return
    for group in nodes.of(Group, Matrix):
        items = children(group)
        found: dict[str, list[Node | None]] = {}
        for node in (inner for item in items for inner in walk(item)) if len(items) > 1 else ():
            match node:
                case Script(Name(), sub, None) if sub and len(names.label(sub)) > 1:
                    pass  # the x_{class} before them
                case Script(Name(base), sub, sup) if sub is not None:
                    found.setdefault(base, []).append(sup)
        for base, above in found.items():
            letters = {sup.text for sup in above if isinstance(sup, Name)}
            uses = sum(node.text in letters for node in nodes.of(Name))
            if len(above) > 1 and uses == len(above):
                yield base


def told_above(nodes: Nodes) -> Iterator[str]:
    """The p of ``p_i^t log p_i^s``, a teacher's and a student's: letters above one name that stand
    nowhere else, and of which one at least counts nothing, tell two things apart and raise none.
    A lone n raises, but beside the ``x^a`` and ``x^p`` of an example and a like one, and beside the
    ``z^f`` of a gate: nobody raises to f. Nor is the b of ``W^r x + b^r`` raised."""
    above: dict[str, list[str]] = {}
    loose: dict[str, set[str]] = {}
    if sum(type(node.sup) is Name for node in nodes.of(Script)) < 2:
        return
    for node in nodes.of(Script):
        match node:
            case Script(Name(base), sub, Name(letter), 0) if letter not in ("T", "top"):
                above.setdefault(base, []).append(letter)
                if sub is None and letter in "ijklmn":
                    loose.setdefault(base, set()).add(letter)
    for base, letters in above.items():
        uses = sum(node.text in letters for node in nodes.of(Name))
        raising = loose.get(base, set())
        counts = (
            bool(raising) and len({*letters} - raising) < 2 and NEVER_POWERS.isdisjoint(letters)
        )
        counts = counts or {*letters} <= {*"ijklmn"}  # x^n + x^m are powers
        if len(set(letters)) > 1 and uses == len(letters) and not counts:
            yield base
    weights = {letter for base in "WU" for letter in above.get(base, ())}
    if "b" in above and weights.issuperset(above["b"]):
        yield "b"


NEVER_POWERS = frozenset("fgo")
"""Letters that tell gates apart above a name, and that nothing is raised to."""


def listed_above(nodes: Nodes, ends: Set[str]) -> set[str]:
    """Names that are counted above, as in ``x_p^1, …, x_p^N`` and ``x_p^1, …, x_p^{196}``: what
    stands below names them."""
    above = ((node, ungrouped(node.sup)) for node in nodes.of(Script))
    found = {bare(node) for node, sup in above if sup is not None and bare(sup) in ends}
    return found.union(*map(_numbered_above, nodes.of(Group)))


def _numbered_above(group: Group) -> set[str]:
    """The names of a list with dots that have one letter below and different numbers above."""
    written: dict[str, list[tuple[str, str]]] = {}
    for node in walk(group) if any(isinstance(item, Dots) for item in group.items) else ():
        match node:
            case Script(Name(base), Name(below), Num(above)):
                written.setdefault(base, []).append((below, above))
    return {
        base
        for base, pairs in written.items()
        if len({below for below, _ in pairs}) == 1 < len({above for _, above in pairs})
    }


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


def chain(node: Node) -> tuple[Node, ...]:
    """The operands of ``a + b + … + z``, or of the same with another sign, in order."""
    operands: list[Node] = []
    rest = node
    while isinstance(rest, Infix) and isinstance(node, Infix) and rest.op == node.op:
        operands.insert(0, rest.right)
        rest = rest.left
    return (rest, *operands)


def multiplied(term: Node) -> Sequence[Node]:
    """What is multiplied in a node, with signs or without."""
    return chain(term) if isinstance(term, Infix) else juxtaposed(term)


def holds(node: Node, name: str) -> bool:
    """Whether a name stands in a node, whatever its scripts."""
    return any(bare(inner) == name for inner in walk(node))


def begins_with_dots(node: Node) -> bool:
    """Whether an item of a list is dots, or begins with them."""
    if isinstance(node, Juxt):
        return isinstance(node.factors[0], Dots)
    return isinstance(node, Dots)


def letters_in_scripts(node: Node) -> set[str]:
    """The letters in the scripts of all names in a node."""
    return {
        letter
        for inner in walk(node)
        if isinstance(inner, Script) and scripts.is_name(inner)
        for letter in script_letters(inner)
    }


def free_letters(script: Node, base: str) -> Iterator[str]:
    """The letters of a subscript that can be indices of a name with this base."""
    weight = base in ("W", "w", "b", "U", "P", "B", "d", "D", "dim", "n", "N", "T", "e")
    for part in scripts.parts(script, names.INDEX_LETTERS):
        inner = part
        if weight or is_label(inner):
            continue
        found = list(walk(inner)) if isinstance(inner, Infix | Frac) else [inner]
        letters = [n.text for n in found if isinstance(n, Name)]
        # The pos of E_pos is an index only where a left-hand side says so.
        if all(letter in names.INDEX_LETTERS - {"pos"} for letter in letters):
            yield from letters


def counting_letters(node: Node) -> Iterator[str]:
    """The letters that sums and their like bind inside a node, and those on the right in ``i < j``
    below a sum, of which it binds the left one only."""
    for inner in walk(node):
        if isinstance(inner, Big) and inner.sub is not None:
            yield from bound_letters(inner.sub)
            yield from compared_letter(inner.sub)


def size_expression(node: Node) -> str:
    """The size that an axis of a declared shape names, such as ``d_model`` or ``d/h``."""
    match node:
        case Num(text):
            return text
        case Infix(op, left, right) if op in "+-·×*":
            sign = {"·": "*", "×": "*"}.get(op, op)
            return f"{size_expression(left)}{sign}{size_expression(right)}"
        case Juxt(factors):
            return "*".join(size_expression(factor) for factor in factors)
        case Frac(top, bottom):
            return f"{size_expression(top)}/{size_expression(bottom)}"
        case Group(_, (item,)):
            return f"({size_expression(item)})"
        case Script(Name() as base, None, Num("2")):
            side = size_expression(base)
            return f"{side}*{side}"
        case _ if scripts.is_name(node):
            return _size_name(node)
        case _:
            return names.code_name(names.label(node))
