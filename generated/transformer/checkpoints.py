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
