"""An element of an input where it is used, and what other ranks than the usual one cost it."""

from __future__ import annotations

from collections.abc import Callable

from notes2code.diagnostics import note
from notes2code.meaning import names
from notes2code.meaning.inference.calls import features
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation.scripts import Use
from notes2code.records import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an input: where it is used, and under which ``name`` the input is kept.

    ``lead`` counts its indices; ``indices`` those that stand for places, steps among them, and
    neither heads nor layers. ``base`` is its letter, ``bold`` how that is set.
    """

    run: Run
    use: Use
    name: str
    lead: int
    indices: int
    base: str
    bold: bool

    @property
    def is_small(self) -> bool:
        """Whether it is a small letter in a plain font."""
        return not self.bold and self.base.islower()

    @property
    def is_told_apart(self) -> bool:
        """Whether it has two indices or more, which are those of the left-hand side."""
        letters = {names.label(at.node) for at in self.use.indices}
        on_left = letters <= self.run.on_left and letters.isdisjoint(self.run.summed)
        return self.indices > 1 and on_left

    def tell(self, what: str) -> None:
        """Tell what each such element is taken for."""
        text = f"each `{self.run.quote(self.use.span)}` {what}"
        hint = "declare its shape to make it plain"
        self.run.problems.append(note("N2C039", text, self.use.span, hint))

    def among(self, *costs: tuple[int, float]) -> int:
        """One of several ranks; the search decides by their costs."""
        return self.run.choose(f"rank {self.name}", costs)

    def usually(self, *ranks: int) -> int:
        """One of several ranks, the usual one first, at what another one costs by custom."""
        return self.among(*zip(ranks, _costs(self, ranks), strict=True))


Custom = Callable[[Element], int | None]
"""The rank of an element that a custom speaks of; None for any other."""


def _costs(element: Element, ranks: tuple[int, ...]) -> list[float]:
    """What each of some ranks costs, the usual one nothing."""
    run, base, indices = element.run, element.base, element.indices
    # A bias, a position is a vector or a number nearly as often: what it is added to decides.
    step = 0.6 if base in ("b", "p") else 0.5 if base == "bias" else 1.0
    if base == "W" and names.label_of_projection(element.use.name):
        step = 2.2
    elif base in ("W", "U") or (base in ("a", "alpha") and indices >= 2):
        step = 1.3  # weights are matrices, and those of attention are numbers
    if names.is_number(base) and base.isupper() and indices == 0:
        step = 2.5  # the BP of BLEU is a number, whatever it is multiplied by
    named = "_" in element.use.name or base == "epsilon"
    counts = named and element.use.name in run.seen.quantities
    if (base == "eta" or counts) and indices == 0:
        step = 2.5  # a rate is a number, whatever it is divided by, and so are n_kv and an ε below
    costs = [step * at for at in range(len(ranks))]
    if base == "X" and ranks[-1] == 0:
        costs[-1] = 3.5  # the tokens are no number, strange as their product may be
    turned = indices in run.seen.transposed.get(element.use.name, ())
    weighs = base == "w" and indices == 0 and features.are_weighed(run)
    if turned and ((element.is_small and indices == 1) or weighs):
        # The p_j of k_j p_j^⊤ is no matrix, nor is the w of f(x) = w^⊤ φ(x) + b.
        costs = [cost + 2.0 * (rank == 2) for cost, rank in zip(costs, ranks, strict=True)]
    return costs
