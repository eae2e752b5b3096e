"""Second readings: a formula that cannot be computed with what its note says of its letters, read
without some of that, where it may be said of others or loosely."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace

from notes2code.diagnostics import Problem, Span, note, warning
from notes2code.meaning import ir
from notes2code.meaning.linking.declarations import Declarations
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.formulas import Formulas
from notes2code.meaning.prose.kinds import may_be_loose, unlike
from notes2code.meaning.rewriting import primed
from notes2code.meaning.scope import Scope, Shape
from notes2code.meaning.typed import Typed, type_tree

_CLASHES = frozenset(["N2C032", "N2C040", "N2C041", "N2C042"])
"""The codes of formulas that do not fit the shapes of what they name."""


class SecondReadings:
    """The second readings of a vault's formulas. What is not said of a formula then, in
    ``declarations`` and ``kinds``, is not said of it from here on."""

    def __init__(
        self,
        formulas: Formulas,
        declarations: Declarations,
        kinds: dict[Entry, dict[str, Shape]],
        scope: Callable[[Entry], Scope],
        read: Callable[[Entry], Typed],
    ) -> None:
        """``scope`` is what surrounds a formula, ``read`` reads it with that."""
        self._formulas, self._declarations, self._kinds = formulas, declarations, kinds
        self._scope, self._read = scope, read
        self.told: dict[Entry, tuple[Problem, ...]] = {}
        """What is to be said of formulas that are read without what is declared."""

    def reading(self, entry: Entry, typed: Typed) -> Typed | None:
        """Another reading of a formula that is rejected as it is typed, if there is one."""
        other, codes = None, [problem.code for problem in typed.problems]
        if codes[-1] in ("N2C040", "N2C041"):
            least = 3 if codes[-1] == "N2C040" else 0
            other = self._with_parameters_of_its_own(entry, least)
        if other is None and "N2C033" not in codes and self._kinds[entry]:
            other = self._unlike_said(entry, self._kinds[entry])
        if other is None and codes[-1] in _CLASHES:
            other = self._with_transposes(entry) or self._unlike_beside(entry)
            other = other or self._with_arguments_of_its_own(entry)
        return other

    def _with_parameters_of_its_own(self, entry: Entry, least: int) -> Typed | None:
        """A function whose parameters are not the arrays, of so many axes at least, that are
        declared by these names, where these do not fit: the x of ``\\mathrm{MLP}(x) = …`` is not
        the image x."""
        shapes = self._declarations.shapes(entry)
        foreign = (
            self._formulas.parsed[entry].parameters - self._formulas.parsed[entry].shapes.keys()
        )
        foreign = {name for name in foreign if name in shapes and len(shapes[name].axes) >= least}
        text = f"`{', '.join(sorted(foreign))}` is taken to be another than what is declared so"
        told = note("N2C039", text, Span(0, len(entry.latex)))
        return self._without(entry, foreign, told)

    def _with_arguments_of_its_own(self, entry: Entry) -> Typed | None:
        """A formula whose Q is not what a function of its section is declared to be given by that
        name, where it gives that function something else: the ``Q W_i^Q`` of a head."""
        formulas, parsed = self._formulas, self._formulas.parsed
        called = (
            formulas.defining(entry, f, "functions", within=0) for f in formulas.called(entry)
        )
        given = {
            name for found in called for other in found[:1] for name in parsed[other].parameters
        }
        foreign = given & self._declarations.shapes(entry).keys() - parsed[entry].shapes.keys()
        text = f"`{', '.join(sorted(foreign))}` is taken to be another than what is declared so"
        other = self._without(entry, foreign, note("N2C039", text, Span(0, len(entry.latex))))
        if other is not None and _are_handed_on(other, foreign):
            del self._declarations.foreign[entry], self.told[entry]
            return None
        return other

    def _with_transposes(self, entry: Entry) -> Typed | None:
        """A formula that does not fit with a ``K'`` of its own, where that can be ``K^\\top``."""
        parsed = self._formulas.parsed[entry]
        known = self._formulas.nearest(entry, sorted(parsed.mentioned), "arrays", within=1)
        scope = self._scope(entry)
        tree = parsed.tree and primed.as_transposes(parsed.tree, {*known, *scope.shapes})
        typed = type_tree(entry.latex, tree, scope) if tree else None
        return None if typed is None or typed.kind == "rejected" else typed

    def _unlike_beside(self, entry: Entry) -> Typed | None:
        """A formula that does not fit what a section beside its own declares, and can be read
        without: each may have a W of its own. What its own section says, or one that it is a part
        of, holds."""
        near = self._formulas.declaring(entry)
        beside = {n for n, o in near.items() if entry.section[: len(o[0].section)] != o[0].section}
        seen = self._formulas.parsed[entry].seen
        used = [] if seen is None else [{*name.split("_")} for name in seen.counted]
        foreign = {name for name in beside if any({*name.split("_")} >= own for own in used)}
        told = warning(
            "N2C035",
            f"`{', '.join(sorted(foreign))}` is declared otherwise in a section beside this one",
            Span(0, len(entry.latex)),
            "the formula does not fit that, and is computed as if it named another; rename one",
        )
        return self._without(entry, foreign, told)

    def _without(self, entry: Entry, foreign: Set[str], told: Problem) -> Typed | None:
        """A formula read without what the note declares of some names, if it can be."""
        if not foreign:
            return None
        self._declarations.foreign[entry] = frozenset(foreign)
        typed = self._read(entry)
        if typed.kind == "rejected":
            del self._declarations.foreign[entry]
            return None
        self.told[entry] = (told,)
        return replace(typed, problems=(*typed.problems, told))

    def _unlike_said(self, entry: Entry, kinds: Mapping[str, Shape]) -> Typed | None:
        """A formula that cannot be computed where something is a vector, as the text says, and can
        where the text speaks loosely: from here on that is not said of the formula. None where the
        text is not to blame."""
        # Of heads, or of the rows of small letters, it may be written for one.
        for most in (2, 1):
            self._kinds[entry] = {
                name: replace(kind, axes=kind.axes[-(most if name.islower() else 2) :])
                for name, kind in kinds.items()
            }
            other = self._read(entry)
            if self._kinds[entry] != kinds and other.kind != "rejected":
                return other
        one_less = ({n: k for n, k in kinds.items() if n != name} for name in kinds)
        for rest in (*one_less, {}):
            self._kinds[entry] = rest
            other = self._read(entry)
            given = () if other.equation is None else other.equation.inputs
            ranks = {one.name: len(one.shape) for one in given}
            left = {name: kind for name, kind in kinds.items() if name not in rest}
            if all(may_be_loose(name, kind, ranks.get(name, -1)) for name, kind in left.items()):
                break
        else:
            self._kinds[entry] = dict(kinds)
            return None
        return replace(other, problems=(*other.problems, unlike(left, entry.latex)))


def _are_handed_on(typed: Typed, given: Set[str]) -> bool:
    """Whether a formula gives a function some of these arrays as they are: the x of ``f(x)``."""
    if typed.equation is None:
        return False
    arrays = (typed.equation.value, *(made.array for made in typed.equation.definitions))
    calls = (e for array in arrays for e in ir.walk(array.body) if isinstance(e, ir.Call))
    handed = (argument for call in calls for argument in call.arguments)
    return any(isinstance(a.body, ir.Ref) and a.body.array in given for a in handed)
