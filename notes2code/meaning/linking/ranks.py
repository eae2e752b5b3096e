"""The ranks of arrays, and what is said of them where notes and formulas do not agree.

By custom the f_t of ``C_t = f_t * C_{t-1} + i_t * \\tilde C_t`` may be numbers; where the note says
``f_t = \\sigma(W_f [h_{t-1}, x_t] + b_f)``, they are vectors. Ranks are those of one element, f_t.
"""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.diagnostics import Problem, Span, note, warning
from notes2code.meaning import ir
from notes2code.meaning.ir import Equation, Idx, Lambda, Mul, Reduce, Ref, Softmax, walk
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.prose.kinds import CALLED, told
from notes2code.meaning.scope import Shape


def gives_weights(equation: Equation | None) -> bool:
    """Whether a formula gives weights; one that is refused may."""
    return equation is None or isinstance(equation.value.body, Softmax)


def weights_of(equation: Equation) -> set[str]:
    """The α of ``Σ_t α_t h_t``, which are numbers, since h_t, by its small letter, is a vector."""
    found: set[str] = set()
    for part in walk(equation.value.body):
        if not isinstance(part, Reduce) or part.kind != "sum" or not isinstance(part.body, Mul):
            continue
        factors = [factor for factor in part.body.factors if isinstance(factor, Ref)]
        here = [factor for factor in factors if Idx(part.index) in factor.at]
        vectors = {one.array for one in here if len(one.at) == 2 and one.array[0].islower()}
        found |= {one.array for one in here if one.at == (Idx(part.index),) and vectors}
    return found


AS_DEFINED = "it is computed as it is defined; change one of the two"


def unlike(entry: Entry, name: str, kind: Shape, rank: int, help_text: str) -> Problem:
    """The warning that the text says something else of a name than what its definition gives."""
    defined = CALLED[min(rank, len(CALLED) - 1)]
    text = f"the text says that {told({name: kind})}, and it is defined as a {defined}"
    return warning("N2C035", text, Span(0, len(entry.latex)), help_text)


def unlike_said(linker: Linker, entry: Entry, equation: Equation) -> Iterator[Problem]:
    """A warning where a formula defines something else than what prose says its name is."""
    kind = linker.kinds[entry].get(equation.name)
    indexed = linker.formulas.parsed[entry].indexed.get(equation.name)
    if kind is None or indexed is None or kind.indexed not in (None, indexed.written):
        return
    rank = element_rank(equation.value, indexed.letters)
    if rank != len(kind.axes) and rank < len(CALLED):
        yield unlike(entry, equation.name, kind, rank, AS_DEFINED)


def row_or_entry(linker: Linker, entry: Entry, equation: Equation) -> Iterator[Problem]:
    """A note on ``p_i = softmax(z_i / T)`` where nothing in the note tells whether z_i is a vector,
    one of several, or the entry of one."""
    seen = linker.formulas.parsed[entry].seen
    indexed = linker.formulas.parsed[entry].indexed.get(equation.name)
    body = equation.value.body
    if seen is None or indexed is None or not isinstance(body, Softmax):
        return
    factors = ir.factors(body.body)
    arrays = [part for part in factors if isinstance(part, Ref) and len(part.at) == 2]
    if len(arrays) != 1 or len(indexed.letters) != 1:
        return  # e_{ij} is of the row i
    row = arrays[0].at[0]
    letter = row.index.letter if isinstance(row, Idx) else ""
    if letter not in indexed.letters & {*"ijk"}:
        return
    name = arrays[0].array
    near = linker.formulas.nearest(entry, [name], "arrays", within=1)
    told = near or name in linker.scope(entry).shapes
    if name.islower() and not told and not seen.is_bold(name):
        text = f"`{name}_{letter}` is taken for a vector, one for each `{letter}`"
        hint = "write `\\mathrm{softmax}(z)_i` for an entry of a softmax"
        yield note("N2C039", text, Span(0, len(entry.latex)), hint)


def letters_of(array: Lambda, letters: frozenset[str]) -> frozenset[str]:
    """Those of some letters that count in an array."""
    return letters.intersection(index.letter for index in array.indices)


def element_rank(array: Lambda, letters: frozenset[str]) -> int:
    """The axes of an array but for those that its indices run over."""
    return len(array.indices) - len(letters_of(array, letters))
