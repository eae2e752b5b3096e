"""The sizes of a model that notes give in their properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from notes2code.diagnostics import Diagnostic, Span, warning
from notes2code.vault import Note

LARGEST = 10**9


def _is_whole(value: Any) -> bool:
    return type(value) is int and 1 <= value <= LARGEST


def _is_part(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1


_WHOLE = ("d_model", "num_heads", "num_groups", "d_ff", "num_layers", "vocab_size", "max_len")
_WANTED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(_WHOLE, (_is_whole, f"a whole number from 1 to {LARGEST:,}")),
    "dropout": (_is_part, "a number from 0 to below 1"),
}
_ALSO: Mapping[str, tuple[str, ...]] = {
    "d_model": ("n_embd", "hidden_size", "dim"),
    "num_heads": ("n_head", "n_heads", "nhead", "num_attention_heads"),
    "num_groups": ("n_kv_heads", "num_kv_heads", "num_key_value_heads"),
    "d_ff": ("n_inner", "dim_feedforward", "intermediate_size"),
    "num_layers": ("n_layer", "n_layers", "num_hidden_layers"),
    "max_len": ("block_size", "n_positions", "n_ctx", "max_seq_len", "max_position_embeddings"),
}
"""What the configurations of GPT-2, nanoGPT, Llama, PyTorch and Hugging Face call the same."""


def sizes_of(note: Note) -> tuple[dict[str, int | float], tuple[Diagnostic, ...]]:
    """The sizes among a note's properties, and what is wrong with those that cannot be used."""
    sizes: dict[str, int | float] = {}
    problems: list[Diagnostic] = []
    for size, (fits, wanted) in _WANTED.items():
        for name in (size, *_ALSO.get(size, ())):
            value = note.properties.get(name)
            if value is None:
                continue
            if fits(value) and sizes.setdefault(size, value) == value:
                continue
            why = f"it must be {wanted}"
            if fits(value):
                why = f"another gives {size} as {sizes[size]}"
            message = f"the property `{name}` is not used: {why}"
            problem = warning("N2C052", message, _place(note, name), f"write `{size}: …`")
            problems.append(note.source.diagnostic(problem))
    if "dropout" in sizes:
        sizes["dropout"] = float(sizes["dropout"])
    return sizes, tuple(problems)


def _place(note: Note, name: str) -> Span:
    """The line of a property."""
    found = re.search(rf"^[\"']?{name}[\"']?\s*:.*$", note.source.text, re.MULTILINE)
    return Span(*found.span()) if found else Span(0, 3)
