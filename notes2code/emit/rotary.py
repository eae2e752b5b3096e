"""What templates see of an attention that turns its queries and keys by their positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from notes2code.emit.attention import MATRICES, TURN
from notes2code.emit.graph import EmitError
from notes2code.emit.reference import arranged
from notes2code.meaning.ir import Call

if TYPE_CHECKING:
    from notes2code.emit.view import View


class Rotary:
    """The rotation in an attention: ``view`` is the attention, ``made`` the class that turns."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.made = view.uses[TURN if TURN in view.uses else MATRICES]
        if self.made.numbers:
            raise EmitError("the base of its rotation is a letter: write a number")

    @property
    def by_matrices(self) -> bool:
        """Whether the formula turns columns by a matrix for each position."""
        return MATRICES in self.view.recognised.found.roles

    def weights(self, length: str, width: str) -> Mapping[str, str]:
        """The formula's inputs that turn rows, by name, as text; ``length`` and ``width`` are the
        texts of how many positions there are and of how long their vectors are."""
        turned = f"{self.made.snake}_by_formula"
        if self.by_matrices:
            text = f"{self.view.snake}_matrices_by_formula({length}, {width})"
            matrices = self.view.recognised.found.roles[MATRICES]
            return {matrices.array: arranged(text, matrices.axes)}
        names = self.view.called(TURN)
        return dict(
            zip(names, (_function(call, turned, length) for call in self._calls()), strict=True)
        )

    def _calls(self) -> Iterator[Call]:
        """What the formula calls, in order."""
        functions = self.view.recognised.found.functions
        return (call for role, call in functions.items() if role.startswith(f"{TURN}#"))


def _function(call: Call, turned: str, length: str) -> str:
    """The function that a call is of: of all rows, of one that gives it at all positions, or of
    one and its position."""
    rows = len(call.arguments[0].indices)
    if rows == 2:
        return f"lambda rows: {turned}(rows.copy())"
    if len(call.at) == 2:
        return f"lambda row: {turned}(row[None].repeat({length}, axis=0))"
    return f"lambda row, at: {turned}(row[None].repeat(at + 1, axis=0))[at]"
