"""The author's own commands: ``\\newcommand``, ``\\def`` and ``\\DeclareMathOperator``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from notes2code.diagnostics import error

if TYPE_CHECKING:
    from notes2code.latex.characters import Token

MAX_TOKENS = 20_000
MAX_DEPTH = 20

_BRACED = r"\{(?P<body>(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}"
_DEFINITION = re.compile(
    r"\\(?:(?P<new>(?:re)?newcommand|providecommand)\*?\s*\{?\s*\\(?P<name>[A-Za-z]+)\s*\}?"
    r"\s*(?:\[(?P<count>\d)\])?"
    r"|def\s*\\(?P<plain>[A-Za-z]+)(?P<parameters>(?:\#\d)*)"
    r"|(?P<operator>DeclareMathOperator)\*?\s*\{?\s*\\(?P<function>[A-Za-z]+)\s*\}?)"
    r"\s*" + _BRACED
)


@dataclass(frozen=True, slots=True)
class Macro:
    """A command of the author's: how many arguments it takes, and what it stands for."""

    arguments: int
    body: str


def definitions(text: str) -> tuple[dict[str, Macro], str]:
    """The macros that a text defines, and the text with the definitions blanked out.

    Blanks keep every other character at its offset.
    """
    if (
        "\\newcommand" not in text
        and "\\def" not in text
        and "command" not in text
        and "\\DeclareMath" not in text
    ):
        return {}, text
    macros: dict[str, Macro] = {}

    def collect(found: re.Match[str]) -> str:
        name = found["name"] or found["plain"] or found["function"]
        body = found["body"]
        if found["operator"]:
            body = f"\\operatorname{{{body}}}"
        count = int(found["count"] or 0) or (found["parameters"] or "").count("#")
        macros[name] = Macro(count, body)
        return " " * len(found.group())

    return macros, _DEFINITION.sub(collect, text)


def written_out(text: str, macros: Mapping[str, Macro], depth: int = 0) -> str:
    """The text as who does not know its author's macros has to read it: with what they stand for,
    and without their definitions."""
    if depth == 0:
        text = definitions(text)[1].strip()
    if depth > MAX_DEPTH or len(text) > MAX_TOKENS:
        return text
    out, end = "", 0
    for call in _CALL.finditer(text):
        macro = macros.get(call[1])
        if macro is None or call.start() < end:
            continue
        out, end = _joined(out, text[end : call.start()]), call.end()
        arguments: list[str] = []
        while len(arguments) < macro.arguments and (found := _ARGUMENT.match(text, end)):
            arguments.append(found["body"] or found[0].strip())
            end = found.end()
        out = _joined(out, written_out(_with(arguments, macro.body), macros, depth + 1))
    return _joined(out, text[end:])


def _with(arguments: Sequence[str], body: str) -> str:
    """A macro's body as text, with its arguments."""
    pieces = re.split(r"#(\d)", body)
    out = pieces[0]
    for number, behind in zip(map(int, pieces[1::2]), pieces[2::2], strict=True):
        out = _joined(out, "".join(arguments[number - 1 : number]))
        out = _joined(out, behind)
    return out


_CALL = re.compile(r"\\([A-Za-z]+)")
_ARGUMENT = re.compile(rf"\s*(?:{_BRACED}|\\[A-Za-z]+|[^\s{{}}])")


def _joined(left: str, right: str) -> str:
    """Two texts side by side, where a command ends before a letter."""
    apart = re.search(r"\\[A-Za-z]+$", left) and re.match("[A-Za-z]", right)
    return f"{left} {right}" if apart else left + right


def expand(
    tokens: Sequence[Token],
    macros: Mapping[str, Macro],
    tokenize: Callable[[str], list[Token]],
    depth: int = 0,
) -> list[Token]:
    """Replace each macro by what it stands for; what comes out stands where the macro stood."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.kind != "macro":
            out.append(token)
            continue
        if depth > MAX_DEPTH or len(out) > MAX_TOKENS:
            raise error("N2C021", f"`\\{token.text}` never stops expanding", token.span)
        macro = macros[token.text]
        arguments: list[list[Token]] = []
        for _ in range(macro.arguments):
            argument, at = _argument(tokens, at)
            arguments.append(argument)
        body = tokenize(macro.body)
        filled = _fill(body, arguments, token)
        out.extend(expand(filled, macros, tokenize, depth + 1))
    return out


def _argument(tokens: Sequence[Token], at: int) -> tuple[list[Token], int]:
    """The argument that starts at ``at``: a group in braces, or one token."""
    if at >= len(tokens) or tokens[at].kind != "{":
        return list(tokens[at : at + 1]), at + 1
    depth, end = 0, at
    while end < len(tokens):
        depth += {"{": 1, "}": -1}.get(tokens[end].kind, 0)
        end += 1
        if depth == 0:
            break
    return list(tokens[at + 1 : end - 1]), end


def _fill(body: list[Token], arguments: list[list[Token]], call: Token) -> list[Token]:
    """The body with ``#1`` … replaced; its own tokens take the place of the call."""
    out: list[Token] = []
    at = 0
    while at < len(body):
        token = body[at]
        following = body[at + 1] if at + 1 < len(body) else None
        if token.text == "#" and following is not None and following.kind == "num":
            number = int(following.text[0])
            if number <= len(arguments):
                out.extend(arguments[number - 1])
            at += 2
        else:
            out.append(token._replace(start=call.start, end=call.end))
            at += 1
    return out
