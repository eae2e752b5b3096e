"""Training by several processes, as ``torchrun`` starts them: what each has of a model."""

from __future__ import annotations

import os
import warnings
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_state_dict,
    set_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh


def join(device: str) -> torch.device:
    """Join the processes that ``torchrun`` started, if it did; gives this one's device."""
    if "RANK" in os.environ and not dist.is_initialized():
        dist.init_process_group("nccl" if device == "cuda" else "gloo")
    if device == "cpu":
        return torch.device(device)
    own = torch.device(device, int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(own)
    return own


def process() -> tuple[int, int]:
    """The number of this process, from 0 on, and how many there are."""
    return (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)


def distributed(model: nn.Module, method: str) -> nn.Module:
    """The model as one of several processes has it: whole with "ddp", a share of each weight with
    "fsdp"."""
    if not dist.is_initialized():
        return model
    if method == "ddp":
        return nn.parallel.DistributedDataParallel(model)
    from torch.distributed.fsdp import fully_shard  # new in torch 2.6

    # What it warns of, a change in place of what a model gives, is nowhere in this package.
    warnings.filterwarnings("ignore", message="FSDP2-wrapped module")
    device = next(model.parameters()).device.type
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    for stack in model.modules():
        if isinstance(stack, nn.ModuleList):
            for layer in stack:
                fully_shard(layer, mesh=mesh)  # so that one at a time is whole
    fully_shard(model, mesh=mesh)
    return model


def state_of(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """The weights and the state of the optimizer, for one process or any number of them. All take
    part; the first gets them."""
    whole = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights, moments = get_state_dict(model, optimizer, options=whole)
    return {"weights": weights, "optimizer": moments}


def restore(model: nn.Module, optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Put back what ``state_of`` gave, however many processes there were."""
    set_state_dict(
        model,
        optimizer,
        model_state_dict=state["weights"],
        optim_state_dict=state["optimizer"],
        options=StateDictOptions(full_state_dict=True),
    )
