"""Names in a formula that do not fit the component that it is."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.components import settings
from notes2code.components.library import Library, plain
from notes2code.components.recognise import Recognised, kind
from notes2code.meaning import names
from notes2code.meaning.ir import Size, Softmax, walk

_HIDES = ("causal", "masked")


def misnamed(recognised: Recognised, library: Library) -> Iterator[str]:
    """What the names in a recognised formula say that it is not, in words."""
    yield from _of_another(recognised, library)
    yield from _of_another_class(recognised)
    yield from _without_mask(recognised)
    yield from _swapped(recognised)
    yield from _turned(recognised)


def _of_another(recognised: Recognised, library: Library) -> Iterator[str]:
    """The name of a component of another family: ``PPL = -1/N Σ log p``."""
    component, name = recognised.component, plain(recognised.equation.name)
    for other in library.components.values():
        if other.family != component.family and name in map(plain, other.calls):
            mine = component.name.replace("_", " ")
            yield f"this is {mine}, and not what is called `{recognised.equation.name}`"
            return


def _of_another_class(recognised: Recognised) -> Iterator[str]:
    """The name of the component with another setting: ``GEGLU(x) = ReLU(xW) ⊙ xV``."""
    for setting in recognised.component.settings.values():
        value = recognised.settings.get(setting.name)
        mine = None if value is None else setting.classes.get(settings.text(value))
        wanted = {plain(name): name for name in setting.classes.values()}
        found = wanted.get(plain(recognised.equation.name))
        if found is not None and found != mine:
            what = "another one" if mine is None else mine
            yield f"the {setting.name} makes this {what}, and not {found}"


def _without_mask(recognised: Recognised) -> Iterator[str]:
    """``CausalAttention`` that hides nothing."""
    name, equation = plain(recognised.equation.name), recognised.equation
    if recognised.component.family != "attention" or not any(word in name for word in _HIDES):
        return
    softmaxes = [part for part in walk(equation.value.body) if isinstance(part, Softmax)]
    masked = not {"mask", "reach"}.isdisjoint(recognised.settings) or ":" in kind(recognised)
    if softmaxes and not masked:
        yield f"this is called `{equation.name}`, and hides no keys from any query"


def _swapped(recognised: Recognised) -> Iterator[str]:
    """``softmax(K Qᵀ) V``: what is called queries stands where keys do, and the other way."""
    roles = recognised.found.roles
    letters = [names.base_letter(roles[r].array).lower() if r in roles else "" for r in "qk"]
    if recognised.component.family == "attention" and letters == ["k", "q"]:
        yield (
            f"`{roles['k'].array}` stands where keys do, and `{roles['q'].array}` where queries "
            "do: each row of the scores belongs to a query"
        )


_INNER = frozenset(["ff", "ffn", "hidden", "inner", "mlp"])
"""What the size between two layers is labelled."""


def _turned(recognised: Recognised) -> Iterator[str]:
    """``W_2 \\sigma(W_1 x)`` where ``W_1 ∈ ℝ^{d×d_{ff}}``, which is declared for ``x W_1``."""
    given = recognised.found.roles.get("x")
    for one in recognised.equation.inputs:
        size = one.shape[-1] if given and one.name == given.array and one.shape else None
        if isinstance(size, Size) and size.name.rpartition("_")[2] in _INNER:
            yield (
                f"`{one.written}` has the inner size `{size.name}` here: the weights are declared "
                "for `x W` and stand before it, or the other way round"
            )
