"""The modules of a package: what their classes share, and what they import and offer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from notes2code.emit.blocks import NAME, blocks_of, name_of, public_names, without_docstrings
from notes2code.emit.configurations import with_sizes_once
from notes2code.emit.imports import imports_of, imports_of_siblings, joined, ordered
from notes2code.emit.templating import TEMPLATES

FAMILIES = {
    "sizes": "Sizes: what classes can be made with.",
    "linear": "Linear maps: as fast as torch can compute them.",
    "masks": "Masks: which keys a query may see, and softmax over those keys.",
    "blocks": "Blocks: attention for some heads and some queries at a time, to save memory.",
    "fused": "Fused attention: weighted sums of values without all of their weights in memory.",
    "cache": "Caches: keys and values that are kept while a text grows.",
    "attention": "Attention: weighted sums of values, by scores of queries and keys.",
    "positions": "Positions: telling a model where in a sequence each token stands.",
    "layers": "Layers: what stands around attention, and what is stacked.",
    "generation": "Generation: which token comes next, from what a model makes of a text.",
    "checkpoints": "Checkpoints: models in files, and the weights of other people's models.",
    "models": "Models: whole Transformers.",
    "losses": "Losses: what training makes small.",
    "schedules": "Schedules: how fast a model learns, step by step.",
    "metrics": "Metrics: how good an output is.",
}
"""The modules of the package, in the order in which they import each other."""

SHARED = {
    "models": "model_bases.py.j2",
    "checkpoints": "checkpoints.py.j2",
    "generation": "generation.py.j2",
    "attention": "attention_bases.py.j2",
    "positions": "position_bases.py.j2",
    "cache": "cache.py.j2",
    "fused": "fused.py.j2",
    "blocks": "blocks.py.j2",
    "masks": "masks.py.j2",
    "linear": "linear.py.j2",
    "sizes": "sizes.py.j2",
}
"""The templates of what the classes of a module share, of which it has what they use; each comes
before those of modules that it imports."""

OFFERED = {
    "attention": {"Attention"},
    "cache": {"KeyValueCache"},
    "masks": {"causal_mask", "keep_from_padding"},
}
"""What of that is there for a caller; of the other modules nothing is."""

HELPERS = {"causal_mask", "keep_from_padding"}
"""What a caller may need beside the classes of a package, whether or not these call it."""


def template(name: str) -> str:
    """A template that needs no values, as text."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def with_shared(bodies: Mapping[str, str]) -> dict[str, str]:
    """The classes of each module, behind what they and those of other modules share."""
    whole = dict(bodies)
    for family in SHARED:
        if shared := _shared(family, whole):
            whole[family] = "\n\n\n".join(_joined(shared, whole.get(family, "")))
    if "models" in whole:
        whole["models"] = with_sizes_once(whole["models"])
    return {family: whole[family] for family in FAMILIES if family in whole}


def _joined(shared: Sequence[str], body: str) -> list[str]:
    """The blocks of a module: what is shared, then its classes; a function that only these call
    stands before the first that does."""
    own = blocks_of(body) if body else []
    names = {block: {*NAME.findall(without_docstrings(block))} for block in (*shared, *own)}
    used = set().union(*(names[block] - {name_of(block)} for block in shared))
    helpers = [b for b in shared if b.startswith("def ") and name_of(b) not in used]
    behind: list[str] = []
    for block in own:
        behind += [b for b in helpers if name_of(b) in names[block] and b not in behind]
        behind.append(block)
    return [*(block for block in shared if block not in behind), *behind]


def _shared(family: str, bodies: Mapping[str, str]) -> list[str]:
    """The shared functions and classes of a module that the rendered classes use; and, if
    there are any, the helpers of their callers."""
    source = template(SHARED[family]).strip()
    blocks = {name_of(block): block for block in blocks_of(source)}
    used: set[str] = set()
    waiting = list(bodies.values())
    while waiting:
        names = set(re.findall(r"\w+", without_docstrings(waiting.pop())))
        new = (names & blocks.keys()) - used
        used |= new
        waiting += [blocks[name] for name in new]
    there = used | HELPERS if used else used
    return [block for name, block in blocks.items() if name in there]


def module(family: str, bodies: Mapping[str, str]) -> str:
    """A module: what it is, its imports, its classes."""
    body = bodies[family]
    imports = (imports_of(body) + imports_of_siblings(family, body, bodies)).lstrip()
    head = f'"""{FAMILIES[family]}"""\n\nfrom __future__ import annotations\n'
    return f"{head}\n{imports}\n\n{body}\n" if imports else f"{head}\n\n{body}\n"


def exports(bodies: Mapping[str, str]) -> dict[str, list[str]]:
    """The names that each module has for a caller."""
    found = {family: public_names(body) for family, body in bodies.items()}
    for family, shared in SHARED.items():
        if family in found:
            hidden = {*public_names(template(shared))} - OFFERED.get(family, set())
            found[family] = [name for name in found[family] if name not in hidden]
    return found


def init(exports: Mapping[str, Sequence[str]]) -> str:
    """The package's own module, which gives all names of the others."""
    lines = [f"from .{family} import {joined(names)}" for family, names in exports.items() if names]
    names = ordered(name for names in exports.values() for name in names)
    listed = "".join(f'\n    "{name}",' for name in names)
    parts = [
        '"""A Transformer package, compiled from notes by notes2code."""',
        "\n".join(sorted(lines)),
        f"__all__ = [{listed}\n]" if names else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"
