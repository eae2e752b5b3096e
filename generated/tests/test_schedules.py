"""Tests of the schedules of the notes, held against the formulas as written."""

from __future__ import annotations

from inspect import signature

import pytest
import torch

from formulas import warmup_schedule_by_formula
from transformer.schedules import warmup_schedule


@pytest.mark.parametrize("step", [1, 2, 99, 100, 101, 5000])
@pytest.mark.parametrize("d_model", [1, 512])
@pytest.mark.parametrize("warmup_steps", [1, 100])
def test_warmup_schedule_is_the_formula(step: int, d_model: int, warmup_steps: int) -> None:
    rate = warmup_schedule(step, d_model, warmup_steps)
    expected = warmup_schedule_by_formula(step, d_model, warmup_steps)
    assert rate == pytest.approx(expected, rel=1e-12)


def test_warmup_schedule_has_its_defaults() -> None:
    parameters = signature(warmup_schedule).parameters
    assert parameters["warmup_steps"].default == 4000


def test_warmup_schedule_rises_evenly_to_its_peak_and_falls() -> None:
    rates = [warmup_schedule(step, 64, 50) for step in range(201)]
    assert rates[0] == 0
    assert rates[20] == pytest.approx(2 * rates[10])
    assert rates.index(max(rates)) == 50
    assert rates[200] == pytest.approx(rates[50] / 2)


@pytest.mark.parametrize("wrong", [{"step": -1}, {"d_model": 0}, {"warmup_steps": 0}])
def test_warmup_schedule_refuses_what_has_no_rate(wrong: dict[str, int]) -> None:
    (name, value), *_ = wrong.items()
    with pytest.raises(ValueError, match=f"{name}={value} is less than"):
        warmup_schedule(**{"step": 1, "d_model": 64, "warmup_steps": 50, **wrong})


def test_warmup_schedule_drives_an_optimizer() -> None:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda done: warmup_schedule(done + 1, 64, 4)
    )
    for step in range(1, 10):
        assert schedule.get_last_lr() == [warmup_schedule(step, 64, 4)]
        optimizer.step()
        schedule.step()
