"""Checkpoints: models in files, and the weights of other people's models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from typing import Any

import torch
from torch import Tensor


def write_checkpoint(path: str | PathLike[str], config: Any, weights: Mapping[str, Tensor]) -> None:
    """Write a model's configuration and weights to a file."""
    torch.save({"config": asdict(config), "weights": weights}, path)


def read_checkpoint(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the weights in a file, on the CPU. No code in the file is run."""
    held = torch.load(path, map_location="cpu", weights_only=True)
    return held["config"], plain_names(held["weights"])


def plain_names(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights by their names in the model, without what ``torch.compile`` and
    ``DistributedDataParallel`` put before them: ``_orig_mod.`` and ``module.``."""
    return {re.sub(r"^(module\.|_orig_mod\.)+|\b_orig_mod\.", "", k): w for k, w in weights.items()}


def gpt2_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of Hugging Face's GPT-2 as those of ``nn.Linear``: each matrix (out, in), and
    ``attn.c_attn`` apart, as ``attn.query``, ``attn.key`` and ``attn.value``.

    Left out are buffers, and the head's matrix, which must be the table of tokens.
    """
    theirs = {name.removeprefix("transformer."): w for name, w in plain_names(weights).items()}
    head = theirs.pop("lm_head.weight", theirs["wte.weight"])
    if not torch.equal(head, theirs["wte.weight"]):
        raise ValueError("lm_head.weight is not the table of tokens, wte.weight")
    found: dict[str, Tensor] = {}
    for name, weight in theirs.items():
        if name.endswith((".attn.bias", ".attn.masked_bias")):  # the causal mask
            continue
        if name.startswith("h.") and weight.dim() == 2:
            weight = weight.mT
        if ".c_attn." in name:
            for what, piece in zip(("query", "key", "value"), weight.tensor_split(3), strict=True):
                found[name.replace("c_attn", what)] = piece
        else:
            found[name] = weight
    return found
