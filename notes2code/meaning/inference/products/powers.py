"""Powers of numbers, and of each element of an array."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import prod

from notes2code.diagnostics import Span, error, warning
from notes2code.latex.tree import Infix, Name, Node, Num, Script, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.lists import diagonal
from notes2code.meaning.inference.products import inverses, matrix_powers
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, elementwise
from notes2code.meaning.ir import Expr


def lowered(run: Run, node: Node) -> Value:
    """What stands above: in a tower ``a^{b^c}`` the c is no label."""
    match node:
        case Script(Name() as base, None, Name(text) as sup, 0) if (
            len(text) == 1 and text.islower() and text not in run.indices
        ):
            return power(run, run.lower(base), sup, node.span)
    return run.lower(node)


def power(run: Run, base: Value, exponent: Node, where: Span) -> Value:
    """A power of a number, or of every element of a vector."""
    raised_to = lowered(run, exponent)
    if base.rank == 1 and isinstance(base.body, ir.Ref) and base.body.array in run.seen.degrees:
        return diagonal.of_vector(elementwise(run, base, raised_to, ir.Pow, where), where)
    if (on_diagonal := matrix_powers.diagonal_of(run, base, where)) is not None:
        return matrix_powers.of_diagonal(run, base, on_diagonal, raised_to, where)
    if inverses.is_inverse(exponent) and inverses.is_inverted(run, base):
        return inverses.inverse(run, base, where)
    if base.rank < 2 and isinstance(base.body, ir.Ref) and _is_letter_of_its_own(run, exponent):
        _refuse_raised_vector(run, base, base.body, where)
    if isinstance(base.body, ir.Ref):
        _refuse_step(run, base.body, exponent, where)
    matrix_powers.check(run, base, exponent, where)
    if (constant := _constant(raised_to.body)) is not None:
        raised_to = replace(raised_to, body=ir.Num(constant))
    elif base.rank == 2 and not isinstance(base.body, ir.Ref):
        run.pay(2.2)  # the (5 + T)^a of a matrix T would be a power of each of its elements
    if not _is_held(ir.Pow(base.body, raised_to.body)):
        raise error(
            "N2C020",
            f"no floating-point number is as large or as small as `{run.quote(where)}`",
            where,
            "write a number between `10^{-300}` and `10^{300}`",
        )
    if base.rank == 0 and raised_to.rank:
        run.pay(2.2)  # an exponent is a number wherever it can be one
    if base.rank and raised_to.rank == 2:
        text = f"`{run.quote(exponent.span)}` is a matrix here, and no array is raised to one"
        run.conflict(3, text, where)
    _warn_of_time(run, base, exponent, where)
    return elementwise(run, base, raised_to, ir.Pow, where)


def _warn_of_time(run: Run, base: Value, exponent: Node, where: Span) -> None:
    """Warn of an exponent that counts the steps above other names."""
    above = (n.text for n in walk(exponent) if isinstance(n, Name) and n.text in run.seen.times)
    if matrix_powers.array_of(base) and (letter := next(above, "")):
        text = f"`{run.quote(where)}` is taken for a power, though `{letter}` counts above other"
        hint = "write the index below the name, as `\\gamma_r`"
        run.problems.append(warning("N2C050", f"{text} names", where, hint))


def _refuse_step(run: Run, raised: ir.Ref, exponent: Node, where: Span) -> None:
    """The ``x^{k+1}`` beside an ``x^k`` that is the x of a step is that of the next step."""
    match exponent:
        case Infix(_, Name(step)) if f"{raised.array}_{step}" in run.seen.counted:
            raise error(
                "N2C034",
                f"`{run.quote(where)}` may be a power, or `{raised.array}` at another step",
                where,
                f"write the step below, or in parentheses: `{raised.array}^{{({step})}}`",
            )


def _refuse_raised_vector(run: Run, base: Value, raised: ir.Ref, where: Span) -> None:
    """The r of ``x^r W`` says which x it is, as nobody raises a vector to a letter; the x of
    ``f(x) = x^n`` is a number."""
    if base.rank:
        text = f"the vector `{run.quote(base.span)}` is raised to a letter"
        run.conflict(3, text, where)
        return
    vector = names.element_ranks(raised.array, len(raised.at), False, False)[0] == 1
    mapped = any(names.base_letter(other).isupper() for other in run.seen.counted)
    if vector and mapped and raised.array not in run.seen.elements:
        run.pay(3.0)


def _is_letter_of_its_own(run: Run, exponent: Node) -> bool:
    """Whether an exponent is a letter, perhaps with a number, of which nothing says that it is a
    number."""
    match exponent:
        case Name(letter) | Script(Name(letter), Num(), None, 0) if len(letter) == 1:
            return names.label(exponent) not in run.indices | run.shapes | run.defined
    return False


def _is_held(expr: Expr) -> bool:
    """Whether a float holds what an expression of numbers alone is, and does not round it to 0."""
    try:
        value = _rounded(expr)
    except OverflowError:
        return False
    return value is None or value > 0


def _rounded(expr: Expr) -> float | None:
    """How large a power of numbers is, as a float; None for those of 0 and other expressions."""
    match expr:
        case ir.Num(value):
            return float(value)
        case ir.Pow(base, exponent):
            raised, power = _rounded(base), _rounded(exponent)
            return None if power is None or not raised else abs(raised) ** power
    return None


def _constant(expr: Expr) -> int | Fraction | None:
    """The number that an exponent such as −1/2 is."""
    match expr:
        case ir.Num(int() | Fraction() as value):
            return value
        case ir.Pow(ir.Num(int() as value), ir.Num(-1)) if value:
            return Fraction(1, value)
        case ir.Mul(factors):
            values = [_constant(factor) for factor in factors]
            product = prod(value for value in values if value is not None)
            whole = product == int(product)
            return None if None in values else int(product) if whole else Fraction(product)
    return None
