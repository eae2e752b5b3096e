"""Rotary embeddings as notes write them: pairs, base and positions are those of the note."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from building import Package, package_of, warnings_of

RUN = Callable[[Package], bool]
IMPORTED = Callable[[Package], ModuleType]

COSINE, SINE = r"\cos(m\theta_i)", r"\sin(m\theta_i)"
NEIGHBOURS = (
    rf"y_{{2i}} = x_{{2i}} {COSINE} - x_{{2i+1}} {SINE}, \quad "
    rf"y_{{2i+1}} = x_{{2i}} {SINE} + x_{{2i+1}} {COSINE}"
)
ALL_POSITIONS = NEIGHBOURS.replace("{2i", "{m, 2i")
FROM_ONE = (
    rf"q'_{{2i-1}} = q_{{2i-1}} {COSINE} - q_{{2i}} {SINE}, \quad "
    rf"q'_{{2i}} = q_{{2i-1}} {SINE} + q_{{2i}} {COSINE}"
)
HALVES = (
    rf"y_i = x_i {COSINE} - x_{{i+d/2}} {SINE}, \quad "
    rf"y_{{i+d/2}} = x_{{i+d/2}} {COSINE} + x_i {SINE}"
)
HALVES_OF_ALL = (
    rf"y_{{m,i+\frac{{d}}{{2}}}} = x_{{m,i}} {SINE} + x_{{m,i+\frac{{d}}{{2}}}} {COSINE} \\ "
    rf"y_{{m,i}} = x_{{m,i}} {COSINE} - x_{{m,i+\frac{{d}}{{2}}}} {SINE}"
)
COLUMNS = (
    r"\begin{pmatrix} q'_{2j} \\ q'_{2j+1} \end{pmatrix} = \begin{pmatrix} \cos m\theta_j & "
    r"-\sin m\theta_j \\ \sin m\theta_j & \cos m\theta_j \end{pmatrix} "
    r"\begin{pmatrix} q_{2j} \\ q_{2j+1} \end{pmatrix}"
)
MATRIX = r"""\begin{pmatrix}
\cos m\theta_1 & -\sin m\theta_1 & 0 & 0 & \cdots & 0 & 0 \\
\sin m\theta_1 & \cos m\theta_1 & 0 & 0 & \cdots & 0 & 0 \\
0 & 0 & \cos m\theta_2 & -\sin m\theta_2 & \cdots & 0 & 0 \\
0 & 0 & \sin m\theta_2 & \cos m\theta_2 & \cdots & 0 & 0 \\
\vdots & \vdots & \vdots & \vdots & \ddots & \vdots & \vdots \\
0 & 0 & 0 & 0 & \cdots & \cos m\theta_{d/2} & -\sin m\theta_{d/2} \\
0 & 0 & 0 & 0 & \cdots & \sin m\theta_{d/2} & \cos m\theta_{d/2} \end{pmatrix}"""


DOTS = r"\vdots"


def _column(*cells: str) -> str:
    return r"\begin{pmatrix} " + r" \\ ".join(cells) + r" \end{pmatrix}"


def _repeated(function: str, last: str) -> str:
    first = [rf"\{function} m\theta_1"] * 2 + [rf"\{function} m\theta_2"] * 2
    return _column(*first, DOTS, *[rf"\{function} m\theta_{{{last}}}"] * 2)


LISTS = (
    rf"R_m x = {_column('x_1', 'x_2', 'x_3', 'x_4', DOTS, 'x_{d-1}', 'x_d')} \otimes "
    rf"{_repeated('cos', 'd/2')} + "
    rf"{_column('-x_2', 'x_1', '-x_4', 'x_3', DOTS, '-x_d', 'x_{d-1}')} \otimes "
    rf"{_repeated('sin', 'd/2')}"
)
FREQUENCIES = r"\theta_i = 10000^{-2i/d}"
FROM_THE_FIRST = r"\theta_i = 10000^{-2(i-1)/d}, i \in \{1, 2, \ldots, d/2\}"


def _turned(x: np.ndarray, base: float, halves: bool) -> np.ndarray:
    """Each row as complex numbers, turned by its position: what every form says."""
    width = x.shape[-1]
    parts = [x[..., : width // 2], x[..., width // 2 :]] if halves else [x[..., ::2], x[..., 1::2]]
    angle = np.outer(np.arange(x.shape[-2]), base ** (-np.arange(0, width, 2) / width))
    z = (parts[0] + 1j * parts[1]) * np.exp(1j * angle)
    if halves:
        return np.concatenate([z.real, z.imag], axis=-1)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def _made(package: ModuleType, *arguments: Any) -> Any:
    torch.set_default_dtype(torch.float64)
    try:
        return package.RotaryEmbedding(*arguments)
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(
    "notes, base, halves",
    [
        ([NEIGHBOURS], 10000, False),
        ([NEIGHBOURS, FREQUENCIES], 10000, False),
        ([f"{ALL_POSITIONS}, \\quad {FREQUENCIES}"], 10000, False),
        ([ALL_POSITIONS, FREQUENCIES.replace("10000", "500")], 500, False),
        ([NEIGHBOURS, r"\theta_i = \exp\left(-\frac{2i}{d}\ln 300\right)"], 300, False),
        ([FROM_ONE, FROM_THE_FIRST], 10000, False),
        ([HALVES], 10000, True),
        ([HALVES, r"\theta_i = \frac{1}{10000^{2i/d}}"], 10000, True),
        ([HALVES_OF_ALL, FREQUENCIES.replace("10000", "(2d)")], 12, True),
        ([COLUMNS], 10000, False),
        ([COLUMNS, r"\theta_j = 100^{-2j/d}"], 100, False),
        ([LISTS], 10000, False),
        ([LISTS, FROM_THE_FIRST.replace("10000", "50")], 50, False),
        ([rf"R_{{\Theta,m}}^d = {MATRIX}"], 10000, False),
        ([f"R_m = {MATRIX}", r"f(q, m) = R_m q", FROM_THE_FIRST], 10000, False),
        ([f"R(m) = {MATRIX}", FROM_THE_FIRST.replace("10000", "7")], 7, False),
    ],
)
def test_turns_as_the_note_says(
    notes: list[str], base: float, halves: bool, run_tests: RUN, imported: IMPORTED
) -> None:
    package = package_of(notes)
    assert run_tests(package)
    layer = _made(imported(package), 6)
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 6))
    expected = _turned(x, base, halves)
    np.testing.assert_allclose(layer(torch.tensor(x)).numpy(), expected, rtol=1e-10, atol=1e-12)
    assert ("N2C050" in warnings_of(notes)) == (base != 10000)


def test_other_angles_are_not_the_usual_ones() -> None:
    """Angles that the note defines, and that are no powers of a base, make another thing of it."""
    files = package_of([NEIGHBOURS, r"\theta_i = 2 \cdot 10000^{-2i/d}"])
    assert "RotaryEmbedding" not in files.get("transformer/positions.py", "")


def test_a_letter_as_the_base_is_an_argument(run_tests: RUN, imported: IMPORTED) -> None:
    package = package_of([NEIGHBOURS, r"\theta_i = b^{-2i/d}"])
    assert run_tests(package)
    layer = _made(imported(package), 4, 10, 33.0)
    x = np.random.default_rng(0).standard_normal((5, 4))
    expected = _turned(x, 33, False)
    np.testing.assert_allclose(layer(torch.tensor(x)).numpy(), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        NEIGHBOURS.replace(f"x_{{2i}} {SINE} +", f"x_{{2i}} {SINE} -"),
        NEIGHBOURS.replace(f"- x_{{2i+1}} {SINE}", f"- x_{{2i+1}} {COSINE}"),
        NEIGHBOURS.replace(f"- x_{{2i+1}} {SINE}", f"- x_{{2i}} {SINE}"),
        NEIGHBOURS.replace(COSINE, r"\cos(\theta_i)"),
        NEIGHBOURS.replace(f"x_{{2i}} {COSINE} -", f"{COSINE} -"),
        HALVES.replace(f"- x_{{i+d/2}} {SINE}", f"- x_i {SINE}"),
        COLUMNS.replace(r"-\sin", r"\sin"),
        LISTS.replace("-x_2", "x_2").replace("-x_4", "x_4").replace("-x_d", "x_d"),
        MATRIX.replace("-", ""),
    ],
)
def test_what_is_no_rotation_is_none(wrong: str) -> None:
    assert "RotaryEmbedding" not in package_of([wrong]).get("transformer/positions.py", "")
