"""Models that may tell otherwise where their tokens stand than the notes mean: not at all, or by
the textbook's positions, where the notes have others that no class uses, or say so in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from notes2code.components.parts import Part, below
from notes2code.emit.view import View

_LEARNED = "learned_positional_embedding"


def places_doubted(part: Part, views: Mapping[Part, View], there: Mapping[Part, object]) -> str:
    """What is doubtful about the positions of a model in a package of the parts that are
    ``there``, "" if nothing."""
    if said := _said_otherwise(part, views):
        return said
    told = views[part].tells_places
    if told and (part.from_notes or part.component.family != "models"):
        return ""
    own = [one for one in below(part.uses) if one.component.family == "positions"]
    learned = not own and views[part].has_places
    if told and (any(one.from_notes for one in own) or not (own or learned)):
        return ""
    unused = (one for one in _unused(there) if not (learned and one.component.name == _LEARNED))
    listed = " or ".join(
        f"{one.name} ({one.sources[0].note}:{one.sources[0].line})" for one in unused
    )
    why = "its positions are the textbook's" if told else "nothing in it tells where a token stands"
    return f"{why}, and {listed} has no use" if listed else ""


def _said_otherwise(part: Part, views: Mapping[Part, View]) -> str:
    """What the notes say of the embeddings of a model that they only name, and it has not."""
    if part.from_notes or part.component.family != "models":
        return ""
    parts = [part, *below(part.uses)]
    sines = any(one.component.name == "sinusoidal_positional_encoding" for one in parts)
    scaled = any(views[one].has("scale") for one in parts if one.component.family != "attention")
    for source in part.sources:
        if source.learned and sines:
            return f"its positions are sines, and {source.note}:{source.learned} has learned ones"
        if source.scaled and not scaled:
            return (
                f"{source.note}:{source.scaled} multiplies the embeddings, and nothing in it does"
            )
    return ""


def _unused(there: Mapping[Part, object]) -> Iterator[Part]:
    """The positions that notes define and no class is built from."""
    used = {one for other in there for one in other.uses.values()}
    for one in there:
        if one.component.family == "positions" and one.from_notes and one not in used:
            yield one
