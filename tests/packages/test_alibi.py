"""ALiBi as notes write it: slopes and distances are those of the note."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from building import Package, package_of

RANGE = r"\quad h = 1, \dots, H"


@pytest.mark.parametrize(
    "notes, symmetric",
    [
        ([rf"B_{{h,i,j}} = m_h (j - i), \quad m_h = 2^{{-8h/H}}, {RANGE}"], False),
        ([r"B_{h,i,j} = -m_h (i - j)", rf"m_h = \frac{{1}}{{2^{{8h/H}}}}, {RANGE}"], False),
        ([r"B_{h,i,j} = -m_h |i-j|, \quad m_h = 2^{-8h/H}, h \in \{1, \dots, H\}"], True),
        ([r"m_k = 2^{-\frac{8}{n} k}, k = 1, 2, \dots, n"], False),
        ([rf"m_h = \left(2^{{-8/H}}\right)^h, {RANGE}"], False),
    ],
)
def test_bias(
    notes: list[str],
    symmetric: bool,
    run_tests: Callable[[Package], bool],
    imported: Callable[[Package], ModuleType],
) -> None:
    package = package_of(notes)
    assert run_tests(package)
    distance = np.subtract.outer(np.arange(5), np.arange(5)).T
    slopes = np.array([2 ** (-8 / 3), 2 ** (-16 / 3), 2**-8])
    expected = slopes[:, None, None] * (-abs(distance) if symmetric else distance)
    np.testing.assert_allclose(imported(package).ALiBi(3)(5).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "other",
    [
        r"m_h = 2^{-8h/H}",  # counts from 0, since it does not say from where
        rf"m_h = 2^{{-4h/H}}, {RANGE}",
        rf"m_h = 3^{{-8h/H}}, {RANGE}",
        rf"m_h = 2^{{8h/H}}, {RANGE}",
        rf"B_{{h,i,j}} = -2^{{-8h/H}} (j - i), {RANGE}",
    ],
)
def test_other_slopes_are_not_these(other: str) -> None:
    assert "ALiBi" not in package_of([other]).get("transformer/positions.py", "")
