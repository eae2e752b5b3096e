"""Tests of the checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import nn

from transformer.checkpoints import plain_names, read_checkpoint, write_checkpoint


@dataclass(frozen=True)
class Sizes:
    """A configuration."""

    width: int = 3
    dropout: float = 0.5


def test_checkpoint_gives_what_was_written(tmp_path: Path) -> None:
    weights = nn.Linear(3, 2).state_dict()
    write_checkpoint(tmp_path / "model.pt", Sizes(width=4), weights)
    config, read = read_checkpoint(tmp_path / "model.pt")
    assert Sizes(**config) == Sizes(width=4)
    assert list(read) == list(weights)
    assert all(torch.equal(read[name], weights[name]) for name in weights)


def test_checkpoint_has_the_names_of_the_model_itself() -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.ModuleDict({"module": nn.Linear(2, 2)}))
    names = list(model.state_dict())
    for before in ("", "module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module."):
        weights = {before + name: weight for name, weight in model.state_dict().items()}
        assert list(plain_names(weights)) == names
    inside = {name.replace(".", "._orig_mod.", 1): w for name, w in model.state_dict().items()}
    assert list(inside) != names and list(plain_names(inside)) == names


def test_checkpoint_runs_no_code_that_is_in_it(tmp_path: Path) -> None:
    torch.save({"config": {}, "weights": {}, "more": Path("x")}, tmp_path / "model.pt")
    with pytest.raises(Exception, match="[Ww]eights"):
        read_checkpoint(tmp_path / "model.pt")
