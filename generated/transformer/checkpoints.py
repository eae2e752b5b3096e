"""Checkpoints: models in files, and the weights of other people's models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor


def write_checkpoint(
    path: str | PathLike[str], model: str, config: Any, weights: Mapping[str, Tensor]
) -> None:
    """Write the name of a model's class, its configuration and its weights to a file."""
    if Path(path).suffix == ".safetensors":  # and as such it would be read again
        raise ValueError(f"{path} would be in torch's own format: name it model.pt or so")
    torch.save({"model": model, "config": asdict(config), "weights": weights}, path)


def read_checkpoint(path: str | PathLike[str], model: str) -> dict[str, Any]:
    """What is in the file of a model of this class, on the CPU: its ``config``, its ``weights``,
    and what else was saved with them. No code in the file is run."""
    try:
        held = torch.load(path, map_location="cpu", weights_only=True)
    except OSError:
        raise
    except Exception as problem:  # which of them, is up to the bytes of the file
        raise ValueError(f"{path} is not a file of weights and numbers alone") from problem
    if not isinstance(held, dict) or not {"model", "config", "weights"} <= held.keys():
        raise ValueError(f"{path} holds no model as {model}.save writes it")
    if held["model"] != model:
        raise ValueError(f"{path} holds a model of class {held['model']}, not {model}")
    return {**held, "weights": plain_names(held["weights"])}


def plain_names(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights by their names in the model, without what ``torch.compile`` and
    ``DistributedDataParallel`` put before them: ``_orig_mod.`` and ``module.``."""
    return {re.sub(r"^(module\.|_orig_mod\.)+|\b_orig_mod\.", "", k): w for k, w in weights.items()}


def gpt2_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of Hugging Face's GPT-2 as those of ``nn.Linear``: each matrix (out, in), and
    ``attn.c_attn`` apart, as ``attn.query``, ``attn.key`` and ``attn.value``.

    Left out are buffers, and the head's matrix, which must be the table of tokens. A ValueError
    where it is not, or where there is no such table.
    """
    theirs = {name.removeprefix("transformer."): w for name, w in plain_names(weights).items()}
    if "wte.weight" not in theirs:
        raise ValueError("these are not the weights of GPT2LMHeadModel: they lack wte.weight")
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
