"""Rotations of pairs by ``rotate_half``: every entry of a vector has an angle of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tables import Case, check, table


def _turned(u: Any, turned: Any, angle: Any) -> Any:
    return u * np.cos(angle) + turned(u) * np.sin(angle)


def _by_places(u: Any, theta: Any, turned: Any) -> Any:
    return _turned(u, turned, np.arange(len(u))[:, None] * theta)


def _by_angles(u: Any, theta: Any, turned: Any, m: Any) -> Any:
    return _turned(u, turned, m * theta)


@table(
    Case(
        r"u' = u \cdot \cos(m\theta) + \text{rotate\_half}(u) \cdot \sin(m\theta)",
        "u[d] theta[d] rotate_half() m",
        _by_angles,
    ),
    Case(
        r"u' = (u \cos\phi) + (\mathrm{RotateHalf}(u) \sin\phi)",
        "u[d] phi[d] RotateHalf()",
        lambda u, phi, turned: _turned(u, turned, phi),
    ),
    # What has halves is a vector, and its angle goes up with its place.
    Case(
        r"\hat u_p = u_p \cos(p\theta) + \text{rotate\_half}(u_p) \sin(p\theta)",
        "u[n,d] theta[d] rotate_half()",
        _by_places,
    ),
    Case(
        r"\hat u_{p,i} = u_{p,i} \cos(p\theta_i) + \text{rotate\_half}(u_p)_i \sin(p\theta_i)",
        "u[n,d] theta[d] rotate_half()",
        _by_places,
    ),
    Case(
        r"u'_i = u_i \cos(m\theta_i) + \text{rotate\_half}(u)_i \sin(m\theta_i)",
        "u[d] theta[d] rotate_half() m",
        _by_angles,
    ),
    # Near misses: what turns a plane has one angle, and so has a turn of another name or vector.
    Case(
        r"u' = u \cos\phi + \text{turn}(u) \sin\phi",
        "u[d] phi turn()",
        lambda u, phi, turned: _turned(u, turned, phi),
    ),
    Case(
        r"u' = u \cos\phi + \text{rotate\_half}(v) \sin\phi",
        "u[d] phi rotate_half() v[d]",
        lambda u, phi, turned, v: u * np.cos(phi) + turned(v) * np.sin(phi),
    ),
)
def test_half_turns(case: Case) -> None:
    check(case)
