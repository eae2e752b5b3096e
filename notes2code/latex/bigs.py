"""Reading sums, products and maxima: what stands below and above their signs, and their bodies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from notes2code.diagnostics import error
from notes2code.latex.arguments import INDICES, Arguments
from notes2code.latex.characters import Token
from notes2code.latex.reader import OPERANDS
from notes2code.latex.tree import Big, Group, Juxt, Name, Node, Relation, Script, walk

_NAMES = frozenset("sum mean avg prod".split())
"""Those by which people call what they have computed, too."""


_BODY = 64
"""How many tokens behind a sign are looked at for what it may have lost."""

_BETWEEN = frozenset("rel sep stop amp row quad text end".split())
"""The kinds of tokens between what is said and what is said next."""


class Bigs(Arguments):
    """The part of the parser that reads signs with bodies."""

    @abstractmethod
    def bar_group(self, start: Token) -> Node:
        """What stands between two bars."""

    def is_sum_sign(self) -> bool:
        """Whether ``\\Sigma`` is written for ``\\sum``: an index below and a body behind."""
        index, end = self.below()
        if self.is_inverse():
            return False
        counted = any(token.text in ("=", "∈") for token in index)
        letter = len(index) == 1 and index[0].text in INDICES
        if not letter and len(index) == 1 and index[0].kind == "name":
            scripts = zip(self.tokens[end:], self.tokens[end + 1 :], strict=False)
            uses = (right.text for left, right in scripts if left.kind in ("_", "^"))
            return index[0].text in uses and self.tokens[end].kind in OPERANDS
        return counted or (letter and self.tokens[end].kind in (OPERANDS | {"^"}))

    def is_inverse(self) -> bool:
        """Whether ``-1`` stands above the next sign, as in ``\\Sigma_k^{-1}``."""
        at = self.at + 1
        if self.tokens[at].kind == "_":
            at = self.script_end(at)
        end = self.script_end(at) if self.tokens[at].kind == "^" else at
        return [token.text for token in self.tokens[at + 1 : end]] == ["{", "-", "1", "}"]

    def is_joining_sign(self) -> bool:
        """Whether a sign or word joins what it counts: ``\\Vert_{h=1}^{H} \\mathrm{head}_h``."""
        return any(token.text == "=" for token in self.below()[0])

    def below(self) -> tuple[list[Token], int]:
        """What stands below the next sign, without braces, and where its scripts end; another
        script may stand before it, as in ``\\Sigma^n_{i=1}``."""
        end = self.at + 1
        if self.tokens[end].kind == "^":
            end = self.script_end(end)
        if self.tokens[end].kind != "_":
            return [], self.at + 1
        start, end = end + 1, self.script_end(end)
        return [token for token in self.tokens[start:end] if token.kind not in "{}"], end

    def script_end(self, at: int) -> int:
        """Where the script ends whose sign stands at a place."""
        depth, end = 0, at + 1
        while end < len(self.tokens) - 1:  # the last one is the end of the formula
            depth += {"{": 1, "}": -1}.get(self.tokens[end].kind, 0)
            end += 1
            if depth == 0:
                break
        return end

    def big(self, first: Token) -> Node:
        """A sum, product or maximum; its body goes up to the next ``+`` or ``−``."""
        self.at += 1
        operator = self.scripts(Name(first.text, first.span), first)
        sub = operator.sub if isinstance(operator, Script) else None
        sup = operator.sup if isinstance(operator, Script) else None
        bare = sub is None and sup is None
        if isinstance(sub, Relation) and sup is None and self.peek().kind == "{":
            self._refuse_lost_bound()
        if bare and (first.text in ("max", "min") or first.kind == "word"):
            return self.of_magnitudes(operator)
        if bare and self.peek().kind == "{":
            self._refuse_lost_index()
        if not self.starts_operand() or (self.peek().kind in ("bar", "dbar") and self.bars):
            named = first.kind == "word" and first.text in _NAMES and sup is None
            mentioned = first is self.tokens[0] and self.peek().kind == "end"
            if mentioned or first.text in ("max", "min") or (named and _are_letters(sub)):
                return operator
            raise error(
                "N2C024",
                "nothing stands behind this sign",
                self.span_from(first),
                "write what it runs over, and what is summed",
            )
        if bare:
            return Big(first.text, None, None, self.term(), self.span_from(first))
        called = (first.kind, first.text) == ("word", "concat") and self.peek().kind == "open"
        body = self.primary() if called else self.term()
        return Big(first.text, sub, sup, body, self.span_from(first))

    def of_magnitudes(self, operator: Node) -> Node:
        """``\\max(|x|)`` for ``\\max|x|``, and ``\\max(x)`` for ``\\max{x}``; else the operator
        alone."""
        opened = self.peek()
        if opened.kind == "{":
            given = self.scripts(self.primary(), opened)
        elif opened.kind == "bar" and not self.bars:
            given = self.scripts(self.bar_group(self.take()), opened)
        else:
            return operator
        if isinstance(given, Group) and given.open in ("(", ""):
            group = replace(given, open="(")
        else:
            group = Group("(", (given,), (), given.span)
        return Juxt((operator, group), operator.span.to(group.span))

    def _refuse_lost_index(self) -> None:
        """Refuse the i of ``\\sum{i} q_i`` and the x_i of ``\\sum{x_i} q(x_i)``, which have lost
        their ``_``: Markdown takes two of these for emphasis."""
        end = self.script_end(self.at - 1)
        inside = [token.text for token in self.tokens[self.at + 1 : end - 1]]
        behind = [*self._factors(end)]
        letter = len(inside) == 1 and inside[0] in INDICES
        letter = letter and any(token.text == inside[0] for token in behind)
        given = "_" in inside and _is_given(behind, inside)
        if letter or "=" in inside or (given and not self._is_mean(behind, inside)):
            raise error(
                "N2C024",
                "what stands behind the sign seems to have stood below it",
                self.tokens[self.at].span.to(self.tokens[end - 1].span),
                "write `_{…}` for what the sum runs over, or parentheses around what is added up",
            )

    def _is_mean(self, behind: Sequence[Token], inside: Sequence[str]) -> bool:
        """Whether what stood in braces is weighed for a mean, ``E[X] = \\sum{x_i} p(x_i)``."""
        factors = [token.text for token in behind if token.text not in ("·", "×")]
        left = [*takewhile(lambda token: token.kind != "rel", self.tokens[: self.at])]
        weighed = factors in ([weight, "(", *inside, ")"] for weight in "pP")
        return weighed and any(token.text in ("E", "mu") for token in left)

    def _factors(self, at: int) -> Iterator[Token]:
        """The tokens of the product behind a place, up to a sign or to the end of what it is in."""
        depth = 0
        for token in self.tokens[at : at + _BODY]:
            depth += {"{": 1, "open": 1, "}": -1, "close": -1}.get(token.kind, 0)
            ends = token.kind in _BETWEEN or token.text in ("+", "-")
            if depth < 0 or (depth == 0 and ends):
                return
            yield token

    def _refuse_lost_bound(self) -> None:
        """Refuse the N of ``\\sum_{i=1}{N} x_i``, which has lost its ``^``."""
        _, inner, last = self.tokens[self.at : self.at + 3]
        if inner.kind == "name" and last.kind == "}" and not inner.text.islower():
            raise error(
                "N2C024",
                f"`{inner.text}` stands behind the sign, and not above it",
                inner.span,
                f"write `^{{{inner.text}}}`",
            )


def _is_given(behind: Sequence[Token], inside: Sequence[str]) -> bool:
    """Whether a letter is given what stood in braces, as in ``q(x_i)`` and ``q_a(x_i)``;
    functions of numbers, as in ``\\sum{p_i} \\log(p_i)``, are given what is added up, too."""
    given = ["(", *inside, ")"]
    for at in range(1, len(behind)):
        if [token.text for token in behind[at : at + len(given)]] == given:
            before = [token.kind for token in behind[max(at - 3, 0) : at]]
            named = before[-1] == "name" and behind[at - 1].text != "sigma"
            if named and before[:2] != ["fn", "_"]:
                return True
    return False


def _are_letters(node: Node | None) -> bool:
    """Whether a script is letters alone, the ``ij`` of an array called ``\\text{sum}_{ij}``."""
    return node is not None and all(isinstance(n, Name | Juxt | Group) for n in walk(node))
