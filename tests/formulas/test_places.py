"""What stands below a name and says which of its elements is meant."""

from __future__ import annotations

from typing import Any

import numpy as np

from tables import Case, check, table


def differences(n: int, m: int) -> Any:
    """j − i for each row i and column j."""
    return np.arange(m) - np.arange(n)[:, None]


@table(
    Case(
        r"a_{ij} = w_{\mathrm{clip}(j-i, 2)}, \quad \mathrm{clip}(x, k) = \max(0, \min(k, x))",
        "w[3] n# m#",
        lambda w, n, m: w[np.clip(differences(n, m), 0, 2)],
    ),
    Case(
        r"a_{ij} = w_{\mathrm{clip}(j-i, 2)}",
        "w[3] n# m#",
        lambda w, n, m: w[np.clip(differences(n, m), 0, 2)],
        context=r"\mathrm{clip}(x, k) = \min(k, \max(0, x))",
    ),
    Case(
        r"a_{ij} = w_{\mathrm{clip}(j-i, 2)}, \quad \mathrm{clip}(x, k) = \max(-k, \min(x, k))",
        "w[5] n# m#",
        lambda w, n, m: w[np.clip(differences(n, m), -2, 2) + 2],
    ),
    Case(
        r"y = \mathrm{clip}(x, k)",
        "x[d] k+",
        lambda x, k: np.minimum(k, np.maximum(x, 0)),
        context=r"\mathrm{clip}(x, k) = \max(0, \min(k, x))",
    ),
)
def test_value(case: Case) -> None:
    check(case)
