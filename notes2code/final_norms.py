"""Norms behind the last layer of a model: prose says so, *a final layer norm before the head*, or
the formula of its logits has one, where no formula of the note gives the whole model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from notes2code.compilation import SKIP, Compilation, CompiledFormula
from notes2code.components.library import Library, plain
from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Expr, Lambda, Mul, Reduce, Ref, Softmax
from notes2code.meaning.names import is_norm
from notes2code.statements import statements
from notes2code.vault.model import Note

_NORM = r"(?:RMS|layer)[ -]?norm(?:ali[sz]ation)?|normali[sz]ation layer|LN"
"""A norm alone may be that of a gradient."""
_SAID = re.compile(
    rf"\b(?:final|last|extra|additional) (?:{_NORM})\b|\bln_f\b"
    rf"|\b(?:{_NORM})\b[^,;]{{0,30}} (?:after|behind|following) the (?:final|last) "
    r"(?:\S+ )?(?:block|layer)\b"
    r"|最后(?:的|一个|再加|加)*(?:层归一化|RMSNorm|LayerNorm|LN)"
    r"|\b(?:finale|abschließende|letzte)[rsn]? (?:Layer[ -]?Norm|Normalisierung|Schichtnorm)",
    re.IGNORECASE,
)
_WAY_OUT = re.compile(
    r"(?:(?:lm|output|language_?model(?:l?ing)?)_?)?head(?:_\w+)?"
    r"|(?:linear|lin|proj(?:ection)?|dense|fc)(?:_(?:out(?:put)?|f(?:inal)?|lm|vocab|head))?"
    r"|out(?:put)?(?:_?(?:layer|linear|proj(?:ection)?))?|unembed(?:ding)?|to_?logits|logits",
    re.IGNORECASE,
)
"""What notes call the map from features to logits."""


def final_norms(compilation: Compilation) -> Mapping[str, int]:
    """The line in which each note puts a norm behind the last layer, by the note's path; none for
    one that denies it."""
    found: dict[str, int] = {}
    library = compilation.compiler.library
    for note in compilation.vault.notes:
        said = list(_said(note))
        if said and all(there for there, _ in said):
            found[note.path] = said[0][1]
    for formula in compilation.formulas:
        if _has_normed_logits(formula, library):
            found.setdefault(formula.note.path, formula.position[0])
    return found


def _said(note: Note) -> Iterator[tuple[bool, int]]:
    """Whether a note's sentences on that say or deny it, and their lines."""
    for said in statements(note, SKIP):
        if _SAID.search(said.text) and not said.is_doubted:
            yield not said.is_denied, said.line


def _has_normed_logits(formula: CompiledFormula, library: Library) -> bool:
    """Whether a formula is ``logits = LN(x) W`` or ``head(LN(x))``, or the softmax of that, and no
    gate's."""
    equation = formula.compiled.equation
    if equation is None:
        return False
    named = {plain(equation.name), *(plain(given.name) for given in equation.inputs)}
    if not named.isdisjoint(map(plain, library.components["output_head"].unlike)):
        return False
    body = equation.value.body
    if not isinstance(body, Softmax):
        return "logit" in equation.name.lower() and _is_made_of_a_norm(body)
    return _is_made_of_a_norm(body.body)


def _is_made_of_a_norm(scores: Expr) -> bool:
    """Whether scores are a norm's features, projected by a matrix or by what has the name of a
    way out; another function of a norm may be any score."""
    match scores:
        case Call(outer, arguments=(Lambda(body=Call(function)),)):
            return _WAY_OUT.fullmatch(outer) is not None and is_norm(function)
    return _is_normed_product(scores)


def _is_normed_product(scores: Expr) -> bool:
    """Whether scores are those of a norm's features by the rows of a matrix, perhaps with a
    bias."""
    terms = ir.terms(scores)
    for term in terms:
        match term:
            case Reduce("sum", body=Mul((Call(function), Ref(at=(_, _))))):
                return is_norm(function)
    return False
