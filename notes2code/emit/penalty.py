"""What templates see of BLEU's penalty: a number, made of the lengths of two texts."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from notes2code.components.library import plain
from notes2code.components.recognise import Recognised
from notes2code.emit.graph import EmitError
from notes2code.emit.simplify import simplified
from notes2code.emit.torch_expression import Local, torch_expression
from notes2code.meaning import ir
from notes2code.meaning.ir import Cases, Compare, Equation, Expr, Ref

NAMES = ("bp", "brevitypenalty")
"""Names that say which penalty is meant, where the notes do not define it."""

_LENGTHS = {
    "c": frozenset(["c", "cand", "candidate", "pred", "prediction", "hyp", "hypothesis", "output"]),
    "r": frozenset(["r", "ref", "reference", "label", "target", "gold"]),
}
"""What notes call the candidate's length and the reference's."""


class Penalty:
    """The penalty of a recognised BLEU: what its note says, else the usual one."""

    def __init__(self, recognised: Recognised) -> None:
        self.recognised = recognised
        setting = recognised.settings.get("penalty")
        self.written = recognised.equation.value.body if setting is None else setting.body

    @cached_property
    def is_open(self) -> bool:
        """Whether the notes name the penalty only, and leave to custom what it is."""
        return isinstance(self.written, Ref) and plain(self.written.array) in NAMES

    @cached_property
    def equation(self) -> Equation:
        """The note's formula, with the usual penalty where it leaves that open."""
        equation = self.recognised.equation
        if not self.is_open:
            return equation
        usual = self._usual
        kept = tuple(i for i in equation.inputs if Ref(i.name) != self.written)
        body = ir.replaced(equation.value.body, {self.written: usual.value.body})
        value = replace(equation.value, body=body)
        return replace(equation, inputs=(*usual.inputs, *kept), value=value)

    @property
    def _usual(self) -> Equation:
        """The component's own formula of the penalty."""
        forms = self.recognised.component.forms
        return next(form.equation for form in forms if form.part == "penalty")

    def length(self, letter: str) -> str:
        """The name in the formula of one of the lengths."""
        return self._lengths[letter]

    @cached_property
    def _lengths(self) -> dict[str, str]:
        """The lengths that the penalty is made of, by letter. Raises EmitError where it is made of
        anything else."""
        used = {part.array for part in ir.walk(self._body) if isinstance(part, Ref)}
        lengths = {
            letter: name
            for name in sorted(used)
            for letter, words in _LENGTHS.items()
            if not words.isdisjoint(name.lower().split("_"))
        }
        if len(lengths) != 2 or len(used) != 2:
            raise EmitError(
                f"the penalty of BLEU is made of {', '.join(sorted(used)) or 'no length'}: write "
                "it with c, the candidate's length, and r, the reference's"
            )
        return lengths

    @property
    def _body(self) -> Expr:
        return self._usual.value.body if self.is_open else self.written

    @property
    def code(self) -> str:
        """It as Python, with the lengths ``c`` and ``r``."""
        given: dict[Expr | str, Local] = {
            name: Local(letter, kind="int") for letter, name in self._lengths.items()
        }
        return _conditional(simplified(self._body), given)


def _conditional(expr: Expr, given: dict[Expr | str, Local]) -> str:
    """A number as Python, its cases as ``value if … else …``."""
    if not isinstance(expr, Cases):
        return _number(expr, given)
    if expr.otherwise is None:
        raise EmitError("the cases of BLEU's penalty leave out lengths of texts")
    code = _number(expr.otherwise, given)
    for condition, value in reversed(expr.branches):
        if not isinstance(condition, Compare):
            raise EmitError("the cases of BLEU's penalty are no comparisons of two numbers")
        left, right = (_number(side, given) for side in (condition.left, condition.right))
        code = (
            f"{_number(value, given)} if {left} {ir.PYTHON_SIGNS[condition.op]} {right} else {code}"
        )
    return code


def _number(expr: Expr, given: dict[Expr | str, Local]) -> str:
    text = torch_expression(expr, given)
    if "torch." in text or "F." in text:
        raise EmitError(f"the penalty of BLEU is no number of Python's: {text}")
    return text
