"""A precedence parser from tokens to the syntax tree.

From loose to tight: clauses (``,``, wide spaces, rows, prose), relations, ``+ −``,
``· × * @ / ⊙ ⊘ ∘ ⊗``, the leading minus, juxtaposition, scripts. Juxtaposition binds tighter
than any sign, so ``2i/d`` is (2i)/d and ``xV ⊗ yW`` is (xV) ⊗ (yW).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import replace

from notes2code.diagnostics import Span, error, note
from notes2code.latex import differentials, macros, numbered, side_by_side, words
from notes2code.latex.characters import Token
from notes2code.latex.macros import Macro
from notes2code.latex.operands import Operands
from notes2code.latex.reader import OPERANDS
from notes2code.latex.tokens import Tokens
from notes2code.latex.tree import (
    Big,
    Clause,
    Dots,
    Formula,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Relation,
    Script,
    Stroke,
    Tree,
    ungrouped,
    unscripted,
)

ADDITIVE = frozenset({*"+-±⊕∪∨\\", "mod"})
"""Signs between terms; ``i - 1 \\bmod n`` is the rest of all before it."""

MULTIPLICATIVE = frozenset("·×*@/⊙⊘∘⊗∩∧")


def parse(
    latex: str,
    known: Set[str] = frozenset(),
    macro_table: Mapping[str, Macro] | None = None,
    apart: Set[str] = frozenset(),
) -> Tree:
    """The syntax tree of a formula.

    ``known`` are the note's own words, which may be written without ``\\text``; ``macro_table``
    its own commands, ``apart`` the letters that are others where they are calligraphic. Spans count
    characters of ``latex``. Raises ``ProblemError`` (N2C020 to N2C029) with the exact place where
    the text is no formula.
    """
    own, body = macros.definitions(latex)
    mine = words.defined(body)
    tokens = Tokens(body, known | mine if mine else known, {**(macro_table or {}), **own})
    try:
        return Parser(tokens, apart).tree()
    except RecursionError:
        raise error("N2C020", "this formula is nested too deeply", Span(0, 1)) from None


class Parser(Operands):
    """The part of the parser that joins operands: operators, relations, clauses."""

    def tree(self) -> Tree:
        """The whole formula."""
        clauses: list[Clause] = []
        before, prose = "", ""
        while (token := self.peek()).kind != "end":
            if token.kind in ("sep", "row", "quad", "stop", "amp"):
                self.at += 1
                # A wide space behind a colon only sets off what the colon leads to.
                if (
                    token.kind != "amp"
                    and before != "prose"
                    and (before, token.kind) != (":", "quad")
                ):
                    before = token.text if token.kind == "sep" else token.kind
            elif token.kind in ("text", "quantifier"):
                self.at += 1
                before, prose = "prose", f"{prose} {token.text}".strip()
            elif before == "quad" and self.equation_number():
                continue
            elif self.transparent(token):
                self.at += 1
            else:
                for equation in side_by_side.apart(self.relation(), self.latex, self.problems):
                    clauses.append(Clause(equation, before if clauses else "", prose))
                    before, prose = "quad", ""
                before = ""
                self.expect_end_of_clause()
        counted = numbered.counted(differentials.joined(Formula(clauses)))
        return Tree(counted, tuple(self.problems), prose)

    def equation_number(self) -> bool:
        """Skip ``(7)`` at the end: a number put by hand behind a wide space."""
        kinds = [token.kind for token in self.tokens[self.at : self.at + 4]]
        if kinds[:3] == ["open", "num", "close"] and kinds[3] in ("end", "row", "env", "stop"):
            self.at += 3
            return True
        return False

    def expect_end_of_clause(self) -> None:
        """Refuse what does not end a clause."""
        token = self.peek()
        if token.kind in ("end", "sep", "row", "quad", "text", "stop", "amp", "quantifier"):
            return
        if self.transparent(token) or self.equation_number():
            return
        if token.kind == "close":
            raise error(
                "N2C022",
                f"this `{token.text}` closes nothing",
                token.span,
                "remove it, or add what opens it",
            )
        if token.kind == "null":
            raise error("N2C023", f"`\\{token.text}.` has no partner", token.span, "remove it")
        raise self.unexpected(token)

    def relation(self) -> Node:
        """``a = b = c``; a formula may begin with the sign, in continuation of another, and with
        ``· b``, where prose says what is done to something."""
        first = self.peek()
        goes_on = first.kind == "rel" or self.begins_with_product()
        operands: list[Node | None] = [None if goes_on else self.sum()]
        signs: list[str] = []
        spans: list[Span] = []
        if operands[0] is not None and self.at_update():
            sign, equals = self.take(), self.take()
            signs.append("←")
            spans.append(sign.span.to(equals.span))
            operands.append(self.updated(operands[0], sign))
        while (token := self.peek()).kind == "rel" or self.negated() or self.begins_with_product():
            self.at += 1
            if token.kind == "cmd":
                token = self.take()._replace(text="≠", start=token.start)
            signs.append(token.text)
            spans.append(token.span)
            operands.append(_side(self.sum()) if self.starts_operand() else None)
        if not signs:
            assert operands[0] is not None
            return operands[0]
        return Relation(tuple(operands), tuple(signs), tuple(spans), self.span_from(first))

    def at_update(self) -> bool:
        """Whether the sign of an update follows, ``x += f(x)``, as in programs."""
        sign, equals = self.tokens[self.at], self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        signs = (sign.kind, equals.kind, equals.text) == ("op", "rel", "=")
        return signs and sign.text in "+-" and sign.end == equals.start

    def updated(self, old: Node, sign: Token) -> Node:
        """The ``x + (a - b)`` of ``x += a - b``."""
        if not self.starts_operand():
            raise self.missing(sign)
        change = self.sum()
        if isinstance(change, Infix) and change.op in ADDITIVE:
            change = Group("(", (change,), (), change.span)
        return Infix(sign.text, old, change, sign.span, old.span.to(change.span))

    def begins_with_product(self) -> bool:
        """Whether the formula begins with a sign between factors."""
        sign = self.tokens[0]
        if self.at or sign.kind != "op":
            return False
        between = sign.text in MULTIPLICATIVE or sign.text == "mod"
        return between and self.tokens[1].kind in OPERANDS

    def negated(self) -> bool:
        """Whether a ``\\not`` and its relation come next."""
        return self.peek().text == "not" and self.tokens[self.at + 1].kind == "rel"

    def sum(self) -> Node:
        """Terms joined by ``+`` and ``−``, and vectors joined by ``‖``."""
        first = self.peek()
        left = self.term()
        while True:
            token = self.peek()
            joins = token.kind == "dbar" and token.text not in self.bars
            adds = token.kind == "op" and token.text in ADDITIVE and not self.at_update()
            if not joins and not adds:
                break
            self.at += 1
            if not self.starts_operand():
                raise self.missing(token)
            if (again := self.peek()).kind == "op" and again.text == token.text:
                raise error(
                    "N2C024", f"nothing stands before this `{again.text}`", again.span, "remove it"
                )
            right = self.term()
            left = _joined(left, token, right, self.span_from(first))
        if token.text == "over" and token.kind == "op":
            self.at += 1
            left = Frac(left, self.sum(), self.span_from(first))
        return left

    def term(self) -> Node:
        """Factors joined by explicit signs, from left to right."""
        first = self.peek()
        if first.kind == "op":
            return self.signed_term(first)
        left = self.product()
        while (token := self.peek()).kind == "op" and token.text in MULTIPLICATIVE:
            self.at += 1
            if not self.starts_operand():
                if token.text == "*" and isinstance(left, Name | Script):
                    left = starred(left, token)
                    continue
                if token.text == "×" and isinstance(left, Num) and self.is_alone(2):
                    return Stroke(token.text, self.span_from(first))  # $4\\times$ as much
                raise self.missing(token)
            right = self.factor()
            if token.text == "/":
                left = self.quotient(left, token, right)
            else:
                left = Infix(token.text, left, right, token.span, self.span_from(first))
        return left

    def quotient(self, top: Node, slash: Token, behind: Node) -> Node:
        """``a/b``; of ``a/bc`` the slash reaches over all that stands side by side, but not over a
        sum, as in ``1/n \\sum_i x_i``, nor below a number over a norm or a transposed factor, as
        in ``1/2n \\|x\\|^2``."""
        if not isinstance(behind, Juxt):
            return _fraction(top, slash, behind)
        first, second = behind.factors[:2]
        literal = isinstance(top, Num)
        halves = literal and isinstance(first, Num)
        apart = halves and first.span.end < second.span.start and not _is_below_number(second)
        ends = (
            at
            for at, factor in enumerate(behind.factors[1:], 1)
            if isinstance(factor, Big) or (literal and (_is_norm(factor) or _is_transposed(factor)))
        )
        at = 1 if apart else next(ends, len(behind.factors))
        below, rest = behind.factors[:at], behind.factors[at:]
        divisor = ungrouped(first) if at == 1 else Juxt(below, first.span.to(below[-1].span))
        divided = Frac(top, divisor, top.span.to(divisor.span), slash.span)
        told = ""
        if apart and not isinstance(second, Big):
            told = "the number alone is taken to stand under the slash"
        elif halves and not rest:
            told = "all that stands behind the slash is taken to stand under it"
        elif rest and not literal:
            told = "the slash is taken to end before what is summed"
        if told:
            hint = "write a `\\frac` to make it plain"
            self.problems.append(note("N2C039", told, slash.span, hint))
        return Juxt((divided, *rest), top.span.to(behind.span)) if rest else divided

    def signed_term(self, sign: Token) -> Node:
        """A term with a sign in front, or a bare operator such as the ``·`` of ``K(·)``."""
        self.at += 1
        if self.is_alone():
            return Stroke(sign.text, sign.span)
        if sign.text in "+-±" and self.starts_operand():
            body = self.term()
            if sign.text == "+":
                return body
            return _negative(body, self.span_from(sign))
        if sign.text in ("·", "*", "⊙", "¬", "/"):
            if self.starts_operand() and self.peek().kind != "bar":  # the p(· | x) of any y
                raise self.unexpected(sign)
            return Stroke(sign.text, sign.span)
        raise self.missing(sign)

    def factor(self) -> Node:
        """What stands behind an explicit sign: a product, possibly with a minus."""
        token = self.peek()
        if token.kind == "op" and token.text in "+-":
            self.at += 1
            body = self.product()
            return Neg(body, self.span_from(token)) if token.text == "-" else body
        return self.product()

    def product(self) -> Node:
        """Factors side by side."""
        first = self.peek()
        factors = [self.postfix()]
        while self.starts_factor(factors[-1]):
            token = self.peek()
            ahead = self.tokens[self.at + 1].kind
            if token.kind == "num" and token.text == "1" and _is_transposed(factors[-1]):
                factors.append(self.ones() if ahead != "_" else self.postfix())
                continue
            stray = token.kind == "num" and not self.in_script and not _takes_number(factors[-1])
            # The 2^j of a 2^j is a factor, and so is the 1_n of A 1_n.
            if stray and ahead not in ("^", "_"):
                raise error(
                    "N2C025",
                    f"the number {token.text} stands behind a factor with no sign between",
                    token.span,
                    "remove it, or write the sign that is meant",
                )
            if token.kind == "open" and not _is_word(factors[-1]):
                self.refuse_added_in_parentheses()
            factors.append(self.postfix())
            if token.kind == "{":
                self.refuse_unseen_braces(factors[-2], factors[-1], token)
        for at, factor in enumerate(factors):
            if at == 0 or isinstance(factors[at - 1], Num | Frac):
                factors[at] = _plain(factor)
        return factors[0] if len(factors) == 1 else Juxt(tuple(factors), self.span_from(first))

    def ones(self) -> Node:
        """The 1 of ``K^\\top 1``: no number stands behind a matrix that is transposed."""
        token = self.take()
        text = "this 1 is taken for the vector of ones"
        self.problems.append(note("N2C039", text, token.span, "write `\\mathbf{1}`"))
        return Name("ones", token.span, "bold")

    def refuse_added_in_parentheses(self) -> None:
        """The ``f(x) (+ c)`` that adds c, or may add it: it multiplies nothing."""
        inside, *behind = self.tokens[self.at + 1 : self.at + 3]
        endless = any(token.text == "infty" for token in behind)
        if (inside.kind, inside.text) == ("op", "+") and not endless:
            raise error(
                "N2C024",
                "what these parentheses hold is added, and would be multiplied",
                self.peek().span.to(inside.span),
                "remove the parentheses",
            )

    def refuse_unseen_braces(self, before: Node, body: Node, opened: Token) -> None:
        """The ``h{t-1}`` that was ``h_{t-1}``: braces are not seen, and so group no sum behind a
        letter; nor do they the ``(l)`` of ``W{(l)}`` that stands above other letters, and the word
        of ``L{\\text{aux}}``, which is no function that is called."""
        inside, behind = self.tokens[self.at - 2], self.peek()
        word = inside.kind == "word" and behind.kind != "open" and opened.text == "{"
        joined = word and not self.latex[opened.start - 1].isspace()
        one = isinstance(before, Name) and len(before.text) == 1
        match body:
            case Name() | Num() if one and (joined or inside.kind == "num"):
                lost = self.tokens[self.at - 3] is opened
            case Infix("+" | "-"):
                lost = True
            case Group("(", (Name(letter),)) if len(letter) == 1:
                lost = re.search(rf"\^\s*\{{\s*\(\s*{letter}(?![A-Za-z])", self.latex) is not None
            case _:
                lost = False
        if lost and isinstance(before, Name | Script):
            raise error(
                "N2C033",
                "nobody sees these braces: what they hold may be below the name, or a factor",
                self.span_from(opened),
                "write `_{…}` or `^{…}` for an index, or parentheses around a sum",
            )

    def ends_with_number(self) -> bool:
        """Whether what follows is the formula's number, ``… W_2 + b_2 (2)``, set apart."""
        token, before = self.peek(), self.tokens[self.at - 1]
        kinds = [token.kind for token in self.tokens[self.at : self.at + 4]]
        return (
            token.text == "("
            and kinds == ["open", "num", "close", "end"]
            and self.tokens[self.at + 1].text.isdigit()
            and token.start > before.end
            and before.kind != "word"
        )

    def starts_factor(self, behind: Node | None = None) -> bool:
        """Whether a factor side by side with the last one comes next."""
        token = self.peek()
        if token.kind == "open" and self.ends_with_number():
            return False
        if token.kind == "cmd" and token.text == "not":
            return False
        if token.kind in ("bar", "dbar"):
            return not self.bars and self.bar_opens(behind)
        return token.kind in OPERANDS and not self.ends_or_aligns(token)

    def bar_opens(self, behind: Node | None) -> bool:
        """Whether a bar behind an operand opens an absolute value or norm: only if one closes it,
        and no operand stands behind that, as in the concatenation ``a ‖ b ‖ c``; but behind a norm
        stands another, as in ``‖a‖ ‖b‖ c``."""
        sign, depth = self.peek().text, 0
        if sign == "‖" and _is_norm(behind) and self.closes_norm_before():
            return True
        for at, token in enumerate(self.tokens[self.at + 1 :], self.at + 1):
            if token.kind in ("open", "{"):
                depth += 1
            elif token.kind in ("close", "}"):
                depth -= 1
                if depth < 0:
                    return False
            elif depth == 0 and token.kind in ("bar", "dbar") and token.text == sign:
                following = self.tokens[at + 1]
                return (
                    sign == "|"
                    or following.kind not in (*OPERANDS, "dbar")
                    or (following.kind == "dbar" and self.closes_norm_before())
                )
            elif depth == 0 and token.kind in ("end", "row", "rel", "sep"):
                return False
        return False

    def closes_norm_before(self) -> bool:
        """Whether norms stand side by side, as in ``‖q‖ ‖k‖``: an even number of bars follows."""
        bars = 0
        for token in self.tokens[self.at :]:
            if token.kind == "dbar":
                bars += 1
            elif token.kind in ("end", "row", "rel", "close", "}"):
                break
        return bars % 2 == 0


def _is_word(node: Node) -> bool:
    """Whether a node is a name of several letters, which what stands behind it is given to."""
    return isinstance(node, Name) and len(node.text) > 1


def _joined(left: Node, sign: Token, right: Node, span: Span) -> Node:
    """A sum of two terms. The braces of ``A - {B - C}``, and the one below ``\\underbrace{B - C}``,
    are no parentheses: the minus is that of B alone."""
    match right:
        case Infix("+" | "-", first, last) if sign.text == "-":
            part = _joined(left, sign, first, left.span.to(first.span))
            return replace(right, left=part, right=last, span=span)
    return Infix(sign.text, left, right, sign.span, span)


def _negative(body: Node, span: Span) -> Node:
    """Minus a term; ``-{B - C}`` is -B - C."""
    match body:
        case Infix("+" | "-", first, _):
            return replace(body, left=_negative(first, span), span=span)
    return Neg(body, span)


def _fraction(top: Node, slash: Token, bottom: Node) -> Frac:
    """``a/b``; parentheses say what the slash reaches over, as a bar does."""
    above, below = ungrouped(top), ungrouped(bottom)
    plain = above is top and below is bottom
    return Frac(above, below, top.span.to(bottom.span), slash.span if plain else None)


def _side(node: Node) -> Node:
    """A side of a relation without parentheses around all of it, which shapes are written with."""
    match node:
        case Group("(", (Relation() | Stroke() | Dots() | Infix("×"),)):
            return node
        case Group("(", (inner,)):
            return inner
    return node


def _plain(factor: Node) -> Node:
    """A factor that is no argument: ``(1/N) Σ_i x_i`` is ``\\frac{1}{N} Σ_i x_i``."""
    inside = ungrouped(factor)
    return inside if isinstance(inside, Frac) else factor


def _takes_number(node: Node) -> bool:
    """Whether a number may stand behind a factor with no sign between: behind dots, and behind a
    fraction of numbers, as in ``\\frac{2}{3} 4d``."""
    match node:
        case Dots() | Frac(Num(), Num()):
            return True
    return False


def _is_transposed(node: Node) -> bool:
    match node:
        case Script(_, _, Name("top" | "T")):
            return True
    return False


def _is_norm(node: Node | None) -> bool:
    """Whether a node is ``‖x‖``, or one with scripts."""
    base = unscripted(node)
    return isinstance(base, Group) and base.open == "‖"


def _is_below_number(node: Node) -> bool:
    """Whether a factor is the ``π`` or the ``σ²`` of ``1/2 \\pi`` and ``1/2 \\sigma^2``, which
    stand below the slash wherever blanks are."""
    base = unscripted(node)
    return isinstance(base, Name) and base.text in ("pi", "sigma")


def starred(base: Node, star: Token) -> Node:
    """``q^*`` and ``q*``: the star as a superscript."""
    mark = Name("star", star.span)
    if isinstance(base, Script) and base.sup is None:
        return replace(base, sup=mark, span=base.span.to(star.span))
    return Script(base, None, mark, 0, base.span.to(star.span))
