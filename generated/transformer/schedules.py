"""Schedules: how fast a model learns, step by step."""

from __future__ import annotations

from .sizes import check_sizes


def warmup_schedule(step: int, d_model: int, warmup_steps: int = 4000) -> float:
    r"""A learning rate that rises linearly at first, then falls with the root of the step.

        lr = d_{\text{model}}^{-0.5} \cdot \min\left(step^{-0.5},\; step \cdot warmup^{-1.5}\right)

    step: the number of the step, from 1 on; at step 0 the rate is 0
    warmup_steps: the step at which the rate is highest
    returns: the learning rate

    From vault/Training and evaluation.md:46.
    """
    check_sizes(d_model=d_model, warmup_steps=warmup_steps)
    check_sizes(least=0, step=step)
    rate: float = d_model**-0.5 * min(max(step, 1) ** -0.5, step * warmup_steps**-1.5)
    return rate
