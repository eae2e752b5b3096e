"""Operands: names with their scripts, groups, roots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from notes2code.diagnostics import Span, error, note, warning
from notes2code.latex import bare_sigma, environments
from notes2code.latex.arguments import FUNCTION_WORDS
from notes2code.latex.bigs import Bigs
from notes2code.latex.characters import Token, row
from notes2code.latex.reader import OPERANDS
from notes2code.latex.tree import (
    Dots,
    Group,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Prose,
    Root,
    Script,
    Stroke,
)
from notes2code.latex.whole_axes import place_of_all

MAX_DEPTH = 60
"""Nested groups, fractions and scripts; deeper formulas are refused."""

CLOSING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌈": "⌉", "⌊": "⌋", "⟦": "⟧"}
BIG_WORDS = frozenset("max min sum argmax argmin lim mean avg prod".split())
_BRACED_SIGNS = [["{", kind, "}"] for kind in ("op", "rel", "dbar")]


def _in_parentheses(sup: Node) -> Node:
    """``W^{[l]}`` says what ``W^{(l)}`` does: which one of several; so does ``W^{[l]\\top}``."""
    match sup:
        case Group("[", (_,)):
            return replace(sup, open="(")
        case Juxt((Group("[", (_,)) as which, Name("T" | "top" | "intercal") as last), span):
            return Juxt((_in_parentheses(which), last), span)
        case Script(Group("[", (_,)) as which, None, Name("T" | "top") as last, 0, span):
            return Juxt((_in_parentheses(which), last), span)
    return sup


def _with_braced_lists(
    items: Sequence[Node], separators: Sequence[str]
) -> tuple[list[Node], list[str]]:
    """A list with the items of those that a brace below, or only TeX's braces, hold together:
    ``[\\underbrace{a, b}_{…}; c]`` is ``[a, b; c]``."""
    found: list[Node] = []
    signs: list[str] = []
    for at, item in enumerate(items):
        if isinstance(item, Group) and item.open == "" and item.separators:
            found += item.items
            signs += item.separators
        else:
            found.append(item)
        signs += separators[at : at + 1]
    return found, signs


def _one_to_another(script: Node) -> Node:
    """``t2i``, from text to image, is one label."""
    match script:
        case Juxt((Name(first), Num("2"), Name(last)), span):
            return Name(f"{first}2{last}", span)
    return script


def _of_plain_text(script: Node) -> Node:
    """The -1 of ``D^(-1)``, which parentheses only hold together: no label is negative."""
    match script:
        case Group("(", (Neg() as power,)):
            return power
    return script


class Operands(Bigs):
    """The part of the parser that reads one operand."""

    def postfix(self) -> Node:
        """An operand with its scripts; ``\\sin``, ``\\sum`` and their like with their body."""
        first = self.peek()
        kind, text = first.kind, first.text
        if kind == "big" or (kind == "word" and text in BIG_WORDS):
            return self.big(first)
        if kind == "fn" or (kind == "word" and text in FUNCTION_WORDS):
            return self.function(first)
        if kind == "dbar" and self.is_joining_sign():
            return self.big(first._replace(kind="big", text="concat"))
        if kind == "word" and text.lower() == "concat" and self.is_joining_sign():
            return self.big(first._replace(text="concat"))
        if text == "Sigma" and self.is_sum_sign():
            return self.big(first._replace(kind="big", text="sum"))
        if text == "Sigma" and bare_sigma.is_sum(self.tokens[self.at + 1 :]):
            said = "`\\Sigma` is taken for the sign of a sum"
            self.problems.append(note("N2C039", said, first.span))
            return self.big(first._replace(kind="big", text="sum"))
        if text == "Pi" and any(token.text == "=" for token in self.below()[0]):
            return self.big(first._replace(kind="big", text="prod"))
        if kind == "cmd" and text == "sqrt":
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
            if token.kind == "^" and (own := self.braced_primes()):
                primes += own
                if self.tokens[self.at + 1].kind == "}":
                    self.at += 2
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
                sub = self.with_index(base, self.script_argument(token))
            else:
                sup = _in_parentheses(self.script_argument(token))
                match sup:
                    case Script(Group("(") as layer, None, None, own):  # the h' of h^{(l)'}
                        sup, primes = layer, primes + own
        sup = sup or self.transpose_beside(base)
        if sub is None and sup is None and not primes:
            return base
        return Script(base, sub, sup, primes, self.span_from(first))

    def with_index(self, base: Node, label: Node) -> Node:
        """The label of a projection with the index behind it, as in ``W_Qi`` and ``W_Q_i``: TeX
        draws the one beside the name, and refuses the other."""
        projects = isinstance(base, Name) and base.text == "W"
        if not projects or not isinstance(label, Name) or label.text not in tuple("QKVO"):
            return label
        last = self.tokens[self.at - 1]
        at = self.at + 1 if self.peek().kind == "_" else self.at
        index = self.tokens[at]
        near = at > self.at or index.span.start == last.span.end
        if last.kind == "}" or index.text not in tuple("hij") or not near:
            return label
        self.at = at + 1
        where = Span(label.span.start, index.span.end)
        if "\\" in row(self.latex, where.start):  # of typed text there is no TeX
            text = f"TeX does not put the `{index.text}` below `W`, beside the `{label.text}`"
            help = f"write `W_{{{label.text},{index.text}}}`; it is read so"
            self.problems.append(warning("N2C026", text, where, help))
        return Juxt((label, Name(index.text, index.span)), where)

    def braced_primes(self) -> int:
        """How many primes the braces of ``{'}``, ``{''}`` and ``{'T}`` begin with, as some write
        them; they are taken out of these."""
        found = 0
        while self.peek().kind == "{" and self.tokens[self.at + 1].kind == "prime":
            found += len(self.tokens.pop(self.at + 1).text)
        return found

    def script_argument(self, sign: Token) -> Node:
        """What a ``_`` or ``^`` takes: a group, or the next sign alone, as TeX does."""
        token = self.peek()
        kinds = [t.kind for t in self.tokens[self.at : self.at + 3]]
        if kinds in _BRACED_SIGNS and self.tokens[self.at + 1].text in "+-⊥‖":
            self.at += 3
            return Stroke(self.tokens[self.at - 2].text, self.tokens[self.at - 2].span)
        if token.kind == "{":
            if (place := place_of_all(self.tokens[self.at : self.at + 4])) is not None:
                self.at += 4
                return place
            outer, self.in_script = self.in_script, True
            content = self.braces()
            self.in_script = outer
            return _one_to_another(content)
        if token.kind in ("op", "rel", "dbar"):
            self.at += 1
            following = self.peek()
            near = following.kind in ("num", "name") and following.span.start == token.span.end
            if token.text == "-" and near:
                return Neg(self.primary(), self.span_from(token))
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
        typed = token.kind == "num" and "\\" not in row(self.latex, token.start)
        tenth = token.text == "10" and self.tokens[self.at - 2].text == "log"
        whole = tenth or (typed and token.text[1:].isdigit())
        if not whole:
            self.split_number()
        if whole or (token.kind == "open" and token.text in "(["):
            self.problems.append(
                warning(
                    "N2C026",
                    f"TeX raises or lowers only the `{token.text[0]}` here",
                    token.span,
                    f"write `{sign.text}{{…}}`; it is read so",
                )
            )
        return _of_plain_text(self.primary()) if sign.text == "^" else self.primary()

    def primary(self) -> Node:
        """One operand without its scripts."""
        token = self.take()
        match token.kind:
            case "name" | "word":
                return Name(token.text, token.span, self.font(token.text, token.font))
            case "blackboard":
                return Name(token.text, token.span, "blackboard")
            case "num":
                if self.peek()[:2] == ("junk", "%"):
                    self.at += 1
                    share = f"{Decimal(token.text).scaleb(-2).normalize():f}"
                    return Num(share, self.span_from(token))
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
                if isinstance(inner, Name):
                    return replace(inner, font=self.font(inner.text, token.text))
                return inner
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
            only = items[0]
            return Name(only.text, only.span) if isinstance(only, Prose) else only
        return Group("", tuple(items), tuple(separators), span)

    def group(self, start: Token) -> Node:
        """What stands between two delimiters."""
        bars, self.bars = self.bars, []
        items, separators = self.items(("close", "null"), start)
        if start.text in "([":
            items, separators = _with_braced_lists(items, separators)
        self.bars = bars
        end = self.tokens[self.at - 1]
        wanted = CLOSING[start.text]
        interval = start.text in "([" and end.text in ")]" and len(items) == 2
        if (start.text, end.text) == ("⌊", "⌉"):  # to the nearest whole number
            nearest = Group("(", tuple(items), tuple(separators), self.span_from(start))
            return Juxt((Name("round", start.span), nearest), nearest.span)
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
        if interval and end.text != wanted:
            opening += end.text
        group = Group(opening, tuple(items), tuple(separators), self.span_from(start))
        return environments.in_brackets(group)

    def bar_group(self, start: Token) -> Node:
        """``|x|`` and ``‖x‖``."""
        if self.is_alone():
            return Stroke(start.text, start.span)
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
                if token.text == ":" and len(separators) >= len(items):  # the x_{:k} of a slice
                    items.append(Stroke(":", token.span))
                elif items and token.kind not in ("quad", "amp", "stop"):
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
