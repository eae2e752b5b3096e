"""Sets: one that is given as a call, ``j ∈ N(i)`` or ``e ∈ \\mathrm{TopK}(s_t)``, is written with
what it is of below its name; a sum over a list, ``Σ_{c ∈ \\{q, k\\}} W_c``, as its terms; one over
nodes, ``Σ_{v_k ∈ N_i} e_{ik}``, over their numbers, and one over tokens, ``Σ_{x_i ∈ x} f(x_i)``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from notes2code.latex.tree import (
    Apply,
    Big,
    Dots,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Relation,
    Script,
    alike,
    put,
    rebuilt,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define, Restated, Statement, rewritten


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with sets named by what they are of, and sums over lists as their terms."""
    defines = [statement for statement in stated if isinstance(statement, Define)]
    sets = {name for define in defines for value in define.values for name in _called(value)}

    def written(node: Node) -> Node:
        match node:
            case Big(sub=Relation((Script(_, Name(), None, 0) as member, of), ("∈",)) as told):
                if alike(member.base, of) and node.sup is None:
                    return rebuilt(_over_elements(node, member), written)
                if isinstance(member.base, Name) and _only_counts(member, node.body):
                    told = replace(told, operands=(member.sub, of))
                    return rebuilt(replace(node, sub=told), written)
            case Relation((Name() as member, Juxt() as called), ("∈" | "∉",)):
                return replace(node, operands=(member, _named(called)))
            case Relation((Name() as member, Infix("∪", Juxt() as called) as joined), ("∈",)):
                joined = replace(joined, left=_named(called))
                return replace(node, operands=(member, joined))
            case Group("|", (Juxt((name, *_)) as called,)) if binders.bare(name) in sets:
                return replace(node, items=(_named(called),))
            case Big("sum", Relation((Name(letter), Group("{", items)), ("∈",)), None, body):
                if len(items) > 1 and not any(isinstance(item, Num | Dots) for item in items):
                    return _terms(written(body), letter, items)
        return rebuilt(node, written)

    return rewritten(stated, lambda _: written), ()


def may_be_meant(nodes: Nodes) -> bool:
    """Whether something is a member of something."""
    return any(not {"∈", "∉"}.isdisjoint(node.signs) for node in nodes.of(Relation))


def _only_counts(member: Script, body: Node) -> bool:
    """Whether the v_k of ``Σ_{v_k ∈ N_i} e_{ik}``, a node of a graph, stands for its number k."""
    inside = walk(body)
    itself = any(isinstance(n, Script) and names.label(n) == names.label(member) for n in inside)
    return not itself and any(
        isinstance(n, Name) and n.text == names.label(member.sub or member) for n in inside
    )


def _over_elements(node: Big, member: Script) -> Big:
    """``Σ_{i=1}^{|x|}`` for ``Σ_{x_i ∈ x}``, which goes over the elements of x; the largest of them
    is that of all i."""
    letter, where = member.sub, member.span
    if node.op != "sum" or not isinstance(member.base, Name):
        return replace(node, sub=letter)
    sub = Relation((letter, Num("1", where)), ("=",), (where,), where)
    return replace(node, sub=sub, sup=Group("|", (member.base,), (), where))


def _terms(body: Node, letter: str, members: Sequence[Node]) -> Node:
    """What is added up for each member of a list."""

    def added(left: Node, right: Node) -> Node:
        return Infix("+", left, right, body.span, body.span)

    terms = (put(body, letter, member) for member in members)
    return Group("", (reduce(added, terms),), (), body.span)


def _called(value: Node) -> Iterator[str]:
    """The names of the sets ``N(i)`` that something is a member of."""
    for node in walk(value):
        match node:
            case Relation((_, Juxt((name, Group("(")))), ("∈" | "∉",)):
                yield binders.bare(name)


def _named(called: Juxt) -> Node:
    """``N(i)`` as ``N_i``, and ``\\mathrm{TopK}(s_t, 2)`` with all that it is of below its name."""
    match called.factors:
        case (name, Group("(") as given) if scripts.is_name(name):
            parts = walk(given)[1:]
            of = {n.text: n for n in parts if isinstance(n, Name | Num)}
            if all(isinstance(n, Name | Num | Script | Juxt | Group | Apply) for n in parts):
                below = Group("", tuple(of.values()), (",",) * (len(of) - 1), given.span)
                return Script(name, ungrouped(below), None, 0, called.span)
    return called
