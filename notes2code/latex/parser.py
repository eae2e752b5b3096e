"""A precedence parser from tokens to the syntax tree.

From loose to tight: clauses (``,``, wide spaces, rows, prose), relations, ``+ −``,
``· × * @ / ⊙ ∘ ⊗``, the leading minus, juxtaposition, scripts. Juxtaposition binds tighter
than any sign, so ``2i/d`` is (2i)/d and ``xV ⊗ yW`` is (xV) ⊗ (yW).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from notes2code.diagnostics import Problem, Span, error, warning
from notes2code.latex import environments, macros, stream, words
from notes2code.latex.macros import Macro
from notes2code.latex.tokens import Token, Tokens
from notes2code.latex.tree import (
    Apply,
    Big,
    Clause,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Prose,
    Relation,
    Root,
    Script,
    Stroke,
    Tree,
)

MAX_DEPTH = 60
"""Nested groups, fractions and scripts; deeper formulas are refused."""

CLOSING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌈": "⌉", "⌊": "⌋", "⟦": "⟧"}
ADDITIVE = frozenset("+-±⊕∪∨\\")
MULTIPLICATIVE = frozenset({*"·×*@/⊙∘⊗∩∧", "mod"})
OPERANDS = frozenset(
    {"name", "word", "num", "open", "{", "big", "fn", "cmd", "env", "blackboard", "font", "dots"}
)
FUNCTION_WORDS = frozenset("sin cos tan sinh cosh tanh exp log ln erf".split())
BIG_WORDS = frozenset("max min sum argmax argmin lim mean avg prod".split())


def parse(
    latex: str, known: Set[str] = frozenset(), macro_table: Mapping[str, Macro] | None = None
) -> Tree:
    """The syntax tree of a formula.

    ``known`` are the note's own words, which may be written without ``\\text``; ``macro_table``
    its own commands. Spans count characters of ``latex``. Raises ``ProblemError`` (N2C020 to
    N2C029) with the exact place where the text is no formula.
    """
    own, body = macros.definitions(latex)
    mine = words.defined(body)
    return Parser(
        Tokens(body, known | mine if mine else known, {**(macro_table or {}), **own})
    ).tree()


class Parser:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, source: Tokens) -> None:
        self.problems: list[Problem] = source.problems
        self.tokens = stream.prepare(source.tokens, self.problems)
        self.at = 0
        self.depth = 0
        self.in_script = False
        self.bars: list[str] = []
        if source.lefts:
            place = Span(source.lefts[-1], source.lefts[-1] + 5)
            self.problems.append(
                warning(
                    "N2C023", "`\\left` has no `\\right`", place, "remove it, or add the `\\right`"
                )
            )

    # --- clauses -------------------------------------------------------------------------

    def tree(self) -> Tree:
        """The whole formula."""
        clauses: list[Clause] = []
        before, prose = "", ""
        while (token := self.peek()).kind != "end":
            if token.kind in ("sep", "row", "quad", "stop", "amp"):
                self.at += 1
                if token.kind != "amp" and before != "prose":
                    before = token.text if token.kind == "sep" else token.kind
            elif token.kind in ("text", "quantifier"):
                self.at += 1
                before, prose = "prose", f"{prose} {token.text}".strip()
            elif before == "quad" and self.equation_number():
                continue
            elif self.transparent(token):
                self.at += 1
            else:
                clauses.append(Clause(self.relation(), before if clauses else "", prose))
                before, prose = "", ""
                self.expect_end_of_clause()
        return Tree(tuple(clauses), tuple(self.problems))

    def equation_number(self) -> bool:
        """Skip ``(7)`` at the end: a number put by hand behind a wide space."""
        kinds = [token.kind for token in self.tokens[self.at : self.at + 4]]
        if kinds[:3] == ["open", "num", "close"] and kinds[3] in ("end", "row", "env", "stop"):
            self.at += 3
            return True
        return False

    def expect_end_of_clause(self) -> None:
        token = self.peek()
        if token.kind in ("end", "sep", "row", "quad", "text", "stop", "amp", "quantifier"):
            return
        if self.transparent(token):
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
        """``a = b = c``; a formula may begin with the sign, in continuation of another."""
        first = self.peek()
        operands: list[Node | None] = [None if first.kind == "rel" else self.sum()]
        signs: list[str] = []
        spans: list[Span] = []
        while (token := self.peek()).kind == "rel" or self.negated():
            self.at += 1
            if token.kind == "cmd":
                token = self.take()._replace(text="≠", start=token.start)
            signs.append(token.text)
            spans.append(token.span)
            operands.append(self.sum() if self.starts_operand() else None)
        if not signs:
            assert operands[0] is not None
            return operands[0]
        return Relation(tuple(operands), tuple(signs), tuple(spans), self.span_from(first))

    def negated(self) -> bool:
        return self.peek().text == "not" and self.tokens[self.at + 1].kind == "rel"

    # --- operators -----------------------------------------------------------------------

    def sum(self) -> Node:
        """Terms joined by ``+`` and ``−``, and vectors joined by ``‖``."""
        first = self.peek()
        left = self.term()
        while True:
            token = self.peek()
            joins = token.kind == "dbar" and token.text not in self.bars
            if not joins and not (token.kind == "op" and token.text in ADDITIVE):
                break
            self.at += 1
            if not self.starts_operand():
                raise self.missing(token)
            right = self.term()
            left = Infix(token.text, left, right, token.span, self.span_from(first))
        if self.peek().text == "over" and self.peek().kind == "op":
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
                raise self.missing(token)
            right = self.factor()
            left = Infix(token.text, left, right, token.span, self.span_from(first))
        return left

    def signed_term(self, sign: Token) -> Node:
        """A term with a sign in front, or a bare operator such as the ``·`` of ``K(·)``."""
        self.at += 1
        if sign.text in "+-±" and self.starts_operand():
            body = self.term()
            return body if sign.text == "+" else Neg(body, self.span_from(sign))
        if sign.text in ("·", "*", "⊙", "¬", "/"):
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
        while self.starts_factor():
            token = self.peek()
            if token.kind == "num" and not self.in_script and not isinstance(factors[-1], Dots):
                raise error(
                    "N2C025",
                    f"the number {token.text} stands behind a factor with no sign between",
                    token.span,
                    "remove it, or write the sign that is meant",
                )
            factors.append(self.postfix())
        return factors[0] if len(factors) == 1 else Juxt(tuple(factors), self.span_from(first))

    def starts_factor(self) -> bool:
        token = self.peek()
        if token.kind == "cmd" and token.text == "not":
            return False
        if token.kind in ("bar", "dbar"):
            return not self.bars and self.bar_opens()
        return token.kind in OPERANDS and not self.ends_or_aligns(token)

    def bar_opens(self) -> bool:
        """Whether a bar behind an operand opens an absolute value: only if one closes it."""
        sign, depth = self.peek().text, 0
        for token in self.tokens[self.at + 1 :]:
            if token.kind in ("open", "{"):
                depth += 1
            elif token.kind in ("close", "}"):
                depth -= 1
                if depth < 0:
                    return False
            elif depth == 0 and token.kind in ("bar", "dbar") and token.text == sign:
                return self.depth == 0
            elif depth == 0 and token.kind in ("end", "row", "rel", "sep"):
                return False
        return False

    def starts_operand(self) -> bool:
        token = self.peek()
        if token.kind == "op":
            return token.text in "+-¬·*"
        if token.kind in ("bar", "dbar"):
            return token.text not in self.bars
        return token.kind in OPERANDS and not self.ends_or_aligns(token)

    # --- operands ------------------------------------------------------------------------

    def postfix(self) -> Node:
        """An operand with its scripts; ``\\sin``, ``\\sum`` and their like with their body."""
        first = self.peek()
        if first.kind == "big" or (first.kind == "word" and first.text in BIG_WORDS):
            return self.big(first)
        if first.kind == "fn" or (first.kind == "word" and first.text in FUNCTION_WORDS):
            return self.function(first)
        if first.text == "Sigma" and self.is_sum_sign():
            return self.big(first._replace(kind="big", text="sum"))
        if first.kind == "cmd" and first.text == "sqrt":
            return self.root(first)
        return self.scripts(self.primary(), first)

    def scripts(self, base: Node, first: Token) -> Node:
        """The scripts and primes behind a base."""
        sub: Node | None = None
        sup: Node | None = None
        primes = 0
        while (token := self.peek()).kind in ("_", "^", "prime"):
            self.at += 1
            if token.kind == "prime":
                primes += len(token.text)
                continue
            if (sub if token.kind == "_" else sup) is not None:
                where = "subscript" if token.kind == "_" else "superscript"
                raise error(
                    "N2C024",
                    f"a second {where} on the same base",
                    token.span,
                    "put both into one pair of braces, such as `x_{a,b}`",
                )
            if token.kind == "_":
                sub = self.script_argument(token)
            else:
                sup = self.script_argument(token)
        if sub is None and sup is None and not primes:
            return base
        return Script(base, sub, sup, primes, self.span_from(first))

    def script_argument(self, sign: Token) -> Node:
        """What a ``_`` or ``^`` takes: a group, or the next sign alone, as TeX does."""
        token = self.peek()
        if token.kind == "{":
            outer, self.in_script = self.in_script, True
            content = self.braces()
            self.in_script = outer
            return content
        if token.kind in ("op", "rel"):
            self.at += 1
            if token.text in "-+" and self.peek().kind in ("num", "name"):
                body = self.primary()
                return Neg(body, self.span_from(token)) if token.text == "-" else body
            return Stroke(token.text, token.span)
        if token.kind == "text":
            self.at += 1
            return Name(token.text.strip(), token.span)
        if token.kind not in OPERANDS or self.ends_or_aligns(token):
            raise error(
                "N2C024",
                f"nothing stands behind this `{sign.text}`",
                sign.span,
                f"write `{sign.text}{{…}}`",
            )
        if token.kind == "big" or token.kind == "fn":
            self.at += 1
            return Name(token.text, token.span)
        if token.kind == "open" and token.text in "([":
            self.problems.append(
                warning(
                    "N2C026",
                    f"TeX raises or lowers only the `{token.text}` here",
                    token.span,
                    f"write `{sign.text}{{…}}`; it is read so",
                )
            )
        return self.primary()

    def primary(self) -> Node:
        """One operand without its scripts."""
        token = self.take()
        match token.kind:
            case "name" | "word":
                return Name(token.text, token.span, token.font)
            case "blackboard":
                return Name(token.text, token.span, "blackboard")
            case "num":
                return Num(token.text, token.span)
            case "dots":
                return Dots(token.span)
            case "open":
                return self.group(token)
            case "bar" | "dbar":
                return self.bar_group(token)
            case "{":
                self.at -= 1
                return self.braces()
            case "font":
                inner = self.primary() if self.starts_operand() else None
                if inner is None:
                    raise self.missing(token)
                return replace(inner, font=token.text) if isinstance(inner, Name) else inner
            case "env":
                return environments.matrix(self, token)
            case "cmd":
                return environments.structure(self, token)
            case "big" | "fn":
                self.at -= 1
                return self.postfix()
        raise self.unexpected(token)

    def braces(self) -> Node:
        """The content of ``{…}``, which only groups."""
        start = self.take()
        items, separators = self.items(("}",), start)
        span = self.span_from(start)
        if len(items) == 1 and not separators:
            return items[0]
        return Group("", tuple(items), tuple(separators), span)

    def group(self, start: Token) -> Node:
        """What stands between two delimiters."""
        bars, self.bars = self.bars, []
        items, separators = self.items(("close", "null"), start)
        self.bars = bars
        end = self.tokens[self.at - 1]
        wanted = CLOSING[start.text]
        interval = start.text in "([" and end.text in ")]" and len(items) == 2
        if end.kind == "null" and start.text not in "{[|":
            raise error(
                "N2C022",
                f"this `{start.text}` is never closed",
                start.span,
                f"add the missing `{wanted}`",
            )
        if end.kind == "close" and end.text != wanted and not interval:
            raise error(
                "N2C022",
                f"`{start.text}` is closed by `{end.text}`",
                end.span,
                f"write `{wanted}` here, or mend what opens it",
            )
        opening = "cases" if end.kind == "null" else start.text
        return Group(opening, tuple(items), tuple(separators), self.span_from(start))

    def bar_group(self, start: Token) -> Node:
        """``|x|`` and ``‖x‖``."""
        self.bars.append(start.text)
        body = self.sum()
        self.bars.pop()
        end = self.take()
        if end.text != start.text:
            raise error(
                "N2C022",
                f"this `{start.text}` is never closed",
                start.span,
                f"add the missing `{start.text}`",
            )
        return Group(start.text, (body,), (), self.span_from(start))

    def items(self, closers: tuple[str, ...], start: Token) -> tuple[list[Node], list[str]]:
        """What a group holds, up to and with what closes it: nodes, and the signs between."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise error("N2C020", f"more than {MAX_DEPTH} groups inside each other", start.span)
        items: list[Node] = []
        separators: list[str] = []
        complete = False
        while (token := self.peek()).kind not in closers:
            if token.kind in ("bar", "dbar") and not complete:
                items.append(self.relation())
                complete = True
            elif token.kind in ("sep", "bar", "dbar", "quad", "row", "amp", "stop"):
                self.at += 1
                complete = False
                if items and token.kind not in ("quad", "amp", "stop"):
                    separators.append(token.text or ",")
            elif token.kind in ("text", "quantifier"):
                self.at += 1
                items.append(Prose(token.text, token.span))
            elif token.kind == "end" or token.kind in ("close", "}", "null"):
                wanted = CLOSING.get(start.text, "}")
                raise error(
                    "N2C022",
                    f"this `{start.text}` is never closed",
                    start.span,
                    f"add the missing `{wanted}`",
                )
            elif token.kind == "rel" or self.starts_operand():
                items.append(self.relation())
                complete = True
            elif token.kind == "op":
                self.at += 1
                items.append(Stroke(token.text, token.span))
            else:
                raise self.unexpected(token)
        self.at += 1
        self.depth -= 1
        return items, separators

    # --- functions and big operators -------------------------------------------------------

    def function(self, first: Token) -> Node:
        """``\\exp(x)``, ``\\sin mθ``: a function of the field and its argument."""
        self.at += 1
        name = self.scripts(Name(first.text, first.span), first)
        if self.peek().kind in ("open", "{"):
            opener = self.peek()
            argument = self.scripts(self.primary(), opener)
            return Apply(name, argument, self.span_from(first))
        if not self.starts_factor():
            return name
        start = self.peek()
        factors = [self.postfix()]
        while self.starts_factor() and not self.ends_argument(factors[-1]):
            factors.append(self.postfix())
        argument = factors[0] if len(factors) == 1 else Juxt(tuple(factors), self.span_from(start))
        return Apply(name, argument, self.span_from(first))

    def ends_argument(self, last: Node) -> bool:
        """Whether an argument without parentheses ends before the next factor."""
        token = self.peek()
        if token.kind in ("fn", "big") or token.text in FUNCTION_WORDS or token.kind == "env":
            return True
        if token.kind == "open":
            return not isinstance(last, Name | Script)
        return isinstance(last, Apply | Group | Frac)

    def is_sum_sign(self) -> bool:
        """Whether ``\\Sigma`` is written for ``\\sum``: an index below and a body behind."""
        if self.tokens[self.at + 1].kind != "_":
            return False
        depth, kinds, end = 0, [], self.at + 2
        while end < len(self.tokens):
            token = self.tokens[end]
            depth += {"{": 1, "}": -1}.get(token.kind, 0)
            kinds.append(token)
            end += 1
            if depth == 0:
                break
        index = [token for token in kinds if token.kind not in "{}"]
        counted = any(token.text in ("=", "∈") for token in index)
        letter = len(index) == 1 and index[0].text in tuple("ijklmnstr")
        return counted or (letter and self.tokens[end].kind in (OPERANDS | {"^"}))

    def big(self, first: Token) -> Node:
        """A sum, product or maximum; its body goes up to the next ``+`` or ``−``."""
        self.at += 1
        operator = self.scripts(Name(first.text, first.span), first)
        sub = operator.sub if isinstance(operator, Script) else None
        sup = operator.sup if isinstance(operator, Script) else None
        bare = sub is None and sup is None
        if bare and (first.text in ("max", "min") or first.kind == "word"):
            return operator
        if not self.starts_operand() or (self.peek().kind in ("bar", "dbar") and self.bars):
            if first.text in ("max", "min"):
                return operator
            raise error(
                "N2C024",
                "nothing stands behind this sign",
                self.span_from(first),
                "write what it runs over, and what is summed",
            )
        if bare:
            return Big(first.text, None, None, self.term(), self.span_from(first))
        return Big(first.text, sub, sup, self.term(), self.span_from(first))

    def root(self, first: Token) -> Node:
        """A square root; what TeX would set differently from what is meant is pointed at."""
        self.at += 1
        degree: Node | None = None
        unicode_sign = first.end - first.start == 1
        if self.peek().text == "[" and not unicode_sign:
            start = self.take()
            items, _ = self.items(("close",), start)
            degree = items[0] if items else None
        argument = self.peek()
        if not self.starts_operand():
            raise self.missing(first)
        body = self.scripts(self.primary(), argument) if unicode_sign else self.primary()
        if not unicode_sign and argument.kind == "open":
            self.problems.append(
                warning(
                    "N2C026",
                    f"TeX draws the root over the `{argument.text}` alone",
                    Span(first.start, argument.end),
                    "write `\\sqrt{…}`; it is read so",
                )
            )
        if isinstance(body, Name) and argument.kind != "{" and self.peek().kind == "_":
            body = self.scripts(body, argument)
            self.problems.append(
                warning(
                    "N2C026",
                    f"TeX draws the root over `{argument.text}` alone",
                    self.span_from(first),
                    "write `\\sqrt{…}` with braces; it is read so",
                )
            )
        return self.scripts(Root(body, degree, self.span_from(first)), first)

    # --- tokens --------------------------------------------------------------------------

    def peek(self) -> Token:
        """The next token, which stays."""
        return self.tokens[self.at]

    def take(self) -> Token:
        """The next token, consumed."""
        token = self.tokens[self.at]
        if token.kind != "end":
            self.at += 1
        return token

    def span_from(self, first: Token) -> Span:
        """From the start of a token to the end of the last one consumed."""
        return Span(first.start, max(self.tokens[self.at - 1].end, first.end))

    def transparent(self, token: Token) -> bool:
        """Whether a token begins or ends an environment that only aligns equations."""
        return (
            token.kind == "env" and self.depth == 0 and token.text.split()[1] in stream.ALIGNMENTS
        )

    def ends_or_aligns(self, token: Token) -> bool:
        """Whether an environment's token is no operand."""
        return token.kind == "env" and (token.text.startswith("end") or self.transparent(token))

    def unexpected(self, token: Token) -> Exception:
        """The error for a token that cannot stand where it stands."""
        if token.kind == "end":
            return error("N2C024", "the formula ends too early", token.span, "complete it")
        return error(
            "N2C029", f"`{token.text or token.kind}` cannot stand here", token.span, "remove it"
        )

    def missing(self, token: Token) -> Exception:
        """The error for an operator that lacks an operand."""
        return error(
            "N2C024",
            f"nothing that `{token.text}` could act on stands behind it",
            token.span,
            "complete the formula, or remove the sign",
        )


def starred(base: Node, star: Token) -> Node:
    """``q^*`` and ``q*``: the star as a superscript."""
    mark = Name("star", star.span)
    if isinstance(base, Script) and base.sup is None:
        return replace(base, sup=mark, span=base.span.to(star.span))
    return Script(base, None, mark, 0, base.span.to(star.span))
