"""The facts of ``inspect`` as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from notes2code.diagnostics.render import clean

Fact = Mapping[str, Any]

_SHOWN = ("component", "formula", "rejected")


def text(facts: Fact) -> str:
    """Note by note: what it holds, and each formula that computes something or is rejected."""
    blocks = [
        "\n".join(
            _note(
                note,
                [f for f in facts["formulas"] if f["note"] == note["path"]],
                [d for d in facts["drawings"] if d["note"] == note["path"]],
            )
        )
        for note in facts["notes"]
    ]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def counted(number: int, noun: str) -> str:
    """A number of things: ``1 note``, ``3 notes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _note(note: Fact, formulas: Sequence[Fact], drawings: Sequence[Fact]) -> Iterator[str]:
    found = Counter(formula["status"] for formula in formulas)
    counts = [
        *(counted(found[s], s) for s in ("component", "formula", "definition") if found[s]),
        *([f"{found['rejected']} rejected"] if found["rejected"] else []),
    ]
    yield f"{clean(note['path'])} ({note['kind']}): {', '.join(counts) or 'nothing to compute'}"
    for formula in formulas:
        if formula["status"] in _SHOWN:
            yield from _formula(formula)
    if found["text"]:
        holds = "holds" if found["text"] == 1 else "hold"
        yield f"  {counted(found['text'], 'formula')} {holds} nothing to compute"
    for drawing in drawings:
        yield (
            f"  drawing {clean(drawing['id'])} ({drawing['kind']}): "
            f"{drawing['boxes']} boxes, {drawing['arrows']} arrows; no model is made from it"
        )


def _formula(formula: Fact) -> Iterator[str]:
    place = f"{formula['line']}:{formula['column']}"
    what = formula["component"] or formula["status"]
    settings = [f"{n}={v}" for n, v in formula["settings"].items() if v is not None]
    detail = f" ({', '.join(settings)})" if settings else ""
    became = f" → {formula['emitted_as']}" if formula["emitted_as"] else ""
    yield f"  {place:<9} {what}{detail}{became}"
    if formula["status"] == "rejected":
        errors = [d for d in formula["diagnostics"] if d["severity"] == "error"]
        yield from (f"{'':>12}{d['code']}: {clean(d['message'])}" for d in errors)
    else:
        yield f"{'':>12}{_signature(formula)}"


def _signature(formula: Fact) -> str:
    inputs = ", ".join(given["name"] + _shape(given["shape"]) for given in formula["inputs"])
    value = _shape(formula["output"]).strip() or "a number"
    return f"{clean(formula['name'] or 'value')}: {inputs or 'no inputs'} → {value}"


def _shape(shape: Sequence[str]) -> str:
    return f" ({', '.join(shape)})" if shape else ""
