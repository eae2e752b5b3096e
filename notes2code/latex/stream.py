"""Tokens made ready for the parser: continued rows joined, empty delimiters mended."""

from __future__ import annotations

from collections.abc import Set
from operator import attrgetter

from notes2code.diagnostics import Problem, Span, error, note, warning
from notes2code.latex import angles, conjunctions, differences, full_stops, scripted
from notes2code.latex.characters import Token

ALIGNMENTS = frozenset(
    "aligned align split gather gathered eqnarray equation multline alignat alignedat flalign "
    "displaymath math".split()
)
"""Environments that only set equations below each other."""

_CONTINUES = frozenset("+·×*@/⊙⊘∘⊗⊕-")

_BEFORE_OPERANDS = frozenset("rel op open { sep amp row quad".split())

_ABOVE = frozenset(["overset", "stackrel"])
"""Commands that set something above a sign."""


def prepare(tokens: list[Token], known: Set[str], problems: list[Problem]) -> list[Token]:
    """Drop braces around signs, row breaks inside an equation, alignment marks, and ``\\left(
    \\right.`` slips; mark full stops that multiply; write words for the signs between
    conditions. ``known`` are the words of the notes, and the differences that they define."""
    tokens = _without_delimiters(tokens)
    kinds, texts = ({*map(attrgetter(name), tokens)} for name in ("kind", "text"))
    if not texts.isdisjoint(("<", "⟨")):
        tokens = angles.bracketed(tokens)
    if "{" in kinds:
        tokens = scripted.joined(_signs_out_of_braces(tokens))
        tokens = tokens if texts.isdisjoint(_ABOVE) else _without_remarks_above(tokens)
        tokens = scripted.without_struck(tokens) if "cancel" in texts else tokens
    if "dots" in kinds:
        tokens = _without_leaders(tokens)
    if "env" in kinds:
        _refuse_lone_ends(tokens)
    if "null" in kinds:
        tokens = _mend_null_delimiters(tokens, problems)
    if not kinds.isdisjoint(("row", "amp")):
        tokens = _join_rows(tokens)
    if not texts.isdisjoint(conjunctions.SIGNS):
        tokens = conjunctions.as_words(tokens)
    if "‖" in texts and "op" in kinds:
        tokens = _joined(tokens)
    if "text" in kinds:
        tokens = _names_in_other_scripts(tokens)
    if {"open", "word"} <= kinds:
        tokens = _with_optional_letters(tokens, problems)
    if "stop" in kinds:
        tokens = full_stops.as_products(tokens, problems)
    if "quad" in kinds:
        tokens = [token for at, token in enumerate(tokens) if not _sets_off(tokens, at)]
    return differences.joined(tokens, known) if "Delta" in texts else tokens


def _without_delimiters(tokens: list[Token]) -> list[Token]:
    """``\\( y = x \\)`` between dollars, of which one pair would do."""
    first, last = tokens[0], tokens[-2] if len(tokens) > 2 else tokens[0]
    escaped = first.end - first.start == last.end - last.start == len("\\(")
    if not escaped or (first.kind, first.text, last.kind) != ("open", "(", "close"):
        return tokens
    depth, ends, relates = 0, -1, False
    for at, token in enumerate(tokens):
        depth += (token.kind == "open") - (token.kind == "close")
        relates = relates or (depth == 1 and token.kind == "rel")
        if not depth:
            ends = at
            break
    return [*tokens[1:-2], tokens[-1]] if relates and ends == len(tokens) - 2 else tokens


def _sets_off(tokens: list[Token], at: int) -> bool:
    """Whether a wide space only sets off what the value before it is in: ``y = W x \\quad \\in
    ℝ^d``."""
    if tokens[at].kind != "quad":
        return False
    behind = next(token for token in tokens[at:] if token.kind != "quad")
    return behind.kind == "rel" and behind.text == "∈"


def _joined(tokens: list[Token]) -> list[Token]:
    """The ``\\concat`` of ``\\concat(a, b)`` as the name that it is, and that between two operands
    as a sign."""
    lists: set[int] = set()
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind == "open":
            opened.append(at)
        elif token.kind == "close" and opened:
            opened.pop()
        elif token.kind == "sep" and opened:
            lists.add(opened[-1])
    out = list(tokens)
    for at, token in enumerate(tokens):
        if (token.kind, token.text) == ("op", "‖"):
            begins = not at or tokens[at - 1].kind in _BEFORE_OPERANDS
            called = at + 1 in lists or (begins and tokens[at + 1].kind == "open")
            out[at] = (
                token._replace(kind="word", text="Concat")
                if called
                else token._replace(kind="dbar")
            )
    return out


def _without_leaders(tokens: list[Token]) -> list[Token]:
    """``… W x + b \\cdots (1)`` without its number, which the dots lead to; those of ``n (n - 1)
    \\cdots (1)`` lead to a factor."""
    end = [token.kind for token in tokens].index("end")
    start = end - 3
    if start < 1 or [token.kind for token in tokens[start:end]] != ["open", "num", "close"]:
        return tokens
    while tokens[start - 1].kind == "dots":
        start -= 1
    led = start < end - 3 and tokens[start - 1].kind not in ("sep", "op", "rel", "open", "{", "num")
    led = led and [token.kind for token in tokens[start - 3 : start]] != ["op", "num", "close"]
    return [*tokens[:start], *tokens[end:]] if led else tokens


def _without_remarks_above(tokens: list[Token]) -> list[Token]:
    """``\\stackrel{\\mathrm{def}}{=}`` without what stands above the sign, which only says why."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token, following = tokens[at], tokens[min(at + 1, len(tokens) - 1)]
        if token.kind == "cmd" and token.text in _ABOVE and following.kind == "{":
            end = angles.closing(tokens, at + 2)
            if tokens[min(end + 1, len(tokens) - 1)].kind == "rel":
                at = end + 1
        out.append(tokens[at])
        at += 1
    return out


def _signs_out_of_braces(tokens: list[Token]) -> list[Token]:
    """The ``{=}`` and ``{\\cdot}`` of tight setting as the signs that they are; above and below a
    name, ``x^{+}``, braces stay."""
    dropped = {
        brace
        for at, token in enumerate(tokens[1:-1], 1)
        if token.kind in ("op", "rel")
        and (tokens[at - 1].kind, tokens[at + 1].kind) == ("{", "}")
        and (at == 1 or tokens[at - 2].kind not in ("^", "_", "cmd"))
        for brace in (at - 1, at + 1)
    }
    return [token for at, token in enumerate(tokens) if at not in dropped] if dropped else tokens


def _refuse_lone_ends(tokens: list[Token]) -> None:
    """An ``\\end{aligned}`` that ends nothing."""
    inside: list[str] = []
    for token in tokens:
        if token.kind != "env":
            continue
        which, name = token.text.split(" ", 1)
        if which == "begin":
            inside.append(name)
        elif name in inside:
            while inside.pop() != name:
                pass
        elif name in ALIGNMENTS:
            raise error(
                "N2C022", f"`\\end{{{name}}}` ends nothing", token.span, "remove it, or begin it"
            )


def _with_optional_letters(tokens: list[Token], problems: list[Problem]) -> list[Token]:
    """The ``(\\text{S})\\text{W-MSA}(X)`` of two layers at once, W-MSA and SW-MSA, as the second:
    the letter that one of them has is upright, and no factor."""
    out: list[Token] = []
    for token in tokens:
        start, letter, end = out[-3:] if len(out) > 2 else [token] * 3
        upright = letter.start - start.end > len("\\text") and not letter.font
        named = (start.text, letter.kind, end.text, token.kind) == ("(", "name", ")", "word")
        called = len(out) > 3 and out[-4].kind not in ("op", "rel", "open", "amp", "{")
        if named and upright and letter.text.isupper() and end.end == token.start and not called:
            text = f"`({letter.text}){token.text}` is taken to be `{letter.text}{token.text}`"
            where = Span(start.start, token.end)
            problems.append(note("N2C039", text, where, "write one formula for each of the two"))
            out[-3:] = [Token("word", letter.text + token.text, start.start, token.end)]
        else:
            out.append(token)
    return out


def _join_rows(tokens: list[Token]) -> list[Token]:
    """A row that begins or ends with a sign goes on with the equation; depth counts only
    alignment environments, since rows of a matrix are its own."""
    out: list[Token] = []
    inside: list[str] = []
    for at, token in enumerate(tokens):
        if token.kind == "env":
            which, name = token.text.split(" ", 1)
            if which == "begin":
                inside.append(name)
            elif inside:
                inside.pop()
        top = not inside or inside[-1] in ALIGNMENTS
        if top and token.kind == "rel" and token.text in "↓↑":
            token = token._replace(kind="row")
        if token.kind == "amp" and [one.kind for one in tokens[at - 2 : at]] == ["amp", "rel"]:
            continue  # the sign of ``q & = & W x`` has a column of its own
        if top and token.kind == "amp":
            if _aligns(tokens, at):
                continue
            if not inside:
                raise error(
                    "N2C029",
                    "`&` parts cells, and there is no table around it",
                    token.span,
                    "remove it, or write `\\&` for the sign itself",
                )
            token = token._replace(kind="quad")
        if token.kind == "row" and top and _goes_on(tokens, at, out):
            continue
        if token.kind == "op" and _repeats(tokens, at, out):
            continue
        out.append(token)
    return out


def _repeats(tokens: list[Token], at: int, before: list[Token]) -> bool:
    """Whether a row begins with the sign that the row before it ends with: it is meant once."""
    start = at
    while start and tokens[start - 1].kind in ("amp", "quad"):
        start -= 1
    row = start > 0 and tokens[start - 1].kind == "row"
    return row and bool(before) and before[-1].kind == "op" and before[-1].text == tokens[at].text


def _aligns(tokens: list[Token], at: int) -> bool:
    """Whether an ``&`` only marks where rows are aligned, and does not part two equations, as the
    second one of ``y &= x W && x \\in ℝ^d`` does."""
    behind = tokens[at + 1]
    before = next((token for token in reversed(tokens[:at]) if token.kind != "amp"), None)
    return (
        before is None
        or before.kind in ("row", "rel", "env", "op")
        or behind.kind in ("rel", "op", "row", "amp")
    )


def _goes_on(tokens: list[Token], at: int, before: list[Token]) -> bool:
    following = at + 1
    while tokens[following].kind in ("amp", "row", "quad"):
        following += 1
    token = tokens[following]
    if token.kind == "rel" and token.text in ("=", "≈", "≤", "≥", "<", ">", "→", "∝", "∈"):
        return True
    if token.kind == "op" and token.text in _CONTINUES:
        return not (token.text == "-" and _ends_case(before))
    last = next((t for t in reversed(before) if t.kind not in ("amp", "quad")), None)
    return last is not None and (
        last.kind == "rel" or (last.kind == "op" and last.text in _CONTINUES)
    )


def _ends_case(before: list[Token]) -> bool:
    """Whether the row that ends here is a value and its condition, ``0, & j \\le i``, behind a
    brace: what follows with a minus is the next value, ``-\\infty``."""
    row: list[Token] = []
    for token in reversed(before):
        if token.kind == "row":
            break
        row.append(token)
        if token.kind == "env":
            break
    parts = [token for token in reversed(row) if token.kind in ("sep", "text", "quad", "rel")]
    if not parts or parts[0].text == "=":
        return False
    begins = (at for at in range(len(before) - 1, 0, -1) if before[at].text.startswith("begin "))
    begun = next(begins, 0)
    return begun > 0 and (before[begun - 1].kind, before[begun - 1].text) == ("open", "{")


def _mend_null_delimiters(tokens: list[Token], problems: list[Problem]) -> list[Token]:
    """OCR writes ``\\left(\\right. x \\left. y \\right)`` for ``(x y)``."""
    out = list(tokens)
    for at in range(len(out) - 1, 0, -1):
        if out[at].kind == "null" and out[at].text == "right" and out[at - 1].kind == "open":
            partner = next(
                (i for i in range(at, len(out)) if out[i].kind == "null" and out[i].text == "left"),
                None,
            )
            if partner is None:
                continue
            problems.append(
                warning(
                    "N2C023",
                    "`\\left` and `\\right.` enclose nothing here",
                    out[at - 1].span.to(out[at].span),
                    "write the parenthesis alone; it is read so",
                )
            )
            del out[partner]
            del out[at]
    return out


def _names_in_other_scripts(tokens: list[Token]) -> list[Token]:
    """Words such as Chinese ones are a name where they are called or defined, else prose."""
    return [
        token._replace(kind="word")
        if token.kind == "text"
        and not token.text.isascii()
        and tokens[at + 1].kind in ("open", "_")
        and (at == 0 or tokens[at - 1].kind in ("row", "rel", "sep", "quad"))
        else token
        for at, token in enumerate(tokens)
    ]
