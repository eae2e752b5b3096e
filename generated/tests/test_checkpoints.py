"""Tests of the checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    write_checkpoint(tmp_path / "model.pt", "Small", Sizes(width=4), weights)
    held = read_checkpoint(tmp_path / "model.pt", "Small")
    assert Sizes(**held["config"]) == Sizes(width=4)
    assert list(held["weights"]) == list(weights)
    assert all(torch.equal(held["weights"][name], weights[name]) for name in weights)


def test_checkpoint_is_not_named_as_another_format(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with pytest.raises(ValueError, match="torch's own format"):
        write_checkpoint(path, "Small", Sizes(), {})
    assert not path.exists()


def test_checkpoint_has_the_names_of_the_model_itself() -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.ModuleDict({"module": nn.Linear(2, 2)}))
    names = list(model.state_dict())
    for before in ("", "module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module."):
        weights = {before + name: weight for name, weight in model.state_dict().items()}
        assert list(plain_names(weights)) == names
    inside = {name.replace(".", "._orig_mod.", 1): w for name, w in model.state_dict().items()}
    assert list(inside) != names and list(plain_names(inside)) == names


def test_checkpoint_runs_no_code_that_is_in_it(tmp_path: Path) -> None:
    held = {"model": "Small", "config": {}, "weights": {}, "more": Path("x")}
    torch.save(held, tmp_path / "model.pt")
    with pytest.raises(ValueError, match="weights and numbers alone"):
        read_checkpoint(tmp_path / "model.pt", "Small")


@pytest.mark.parametrize("text", [b"", b"some text", b"notes", b"PK\x03\x04 half of it"])
def test_checkpoint_is_no_other_file(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(text)
    with pytest.raises(ValueError, match=r"model\.pt is not a file of weights"):
        read_checkpoint(tmp_path / "model.pt", "Small")


@pytest.mark.parametrize(
    ("held", "why"),
    [
        ({"model": "Other", "config": {}, "weights": {}}, "class Other, not Small"),
        ({"weight": torch.ones(2)}, "no model as Small.save writes it"),
        ({"model": {"weight": torch.ones(2)}, "config": {}}, "no model as Small.save writes it"),
        ({"model": "Small", "config": {}}, "no model as Small.save writes it"),
        (torch.ones(2), "no model as Small.save writes it"),
    ],
)
def test_checkpoint_is_of_the_model_that_is_asked_for(held: Any, why: str, tmp_path: Path) -> None:
    torch.save(held, tmp_path / "model.pt")
    with pytest.raises(ValueError, match=why):
        read_checkpoint(tmp_path / "model.pt", "Small")
