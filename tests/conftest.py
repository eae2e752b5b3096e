"""What holds for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from notes2code import faults

# What the tests compute is small, and threads would wait for each other. It is read when torch is
# imported, here and in the processes that tests start.
os.environ["OMP_NUM_THREADS"] = "1"


@pytest.fixture(scope="session", autouse=True)
def _faults_are_failures() -> Iterator[None]:
    """A vault goes on after a fault of notes2code; a test must not."""

    def raised(*_: object) -> None:
        raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults, "met", raised)
        patch.setattr(faults, "described", raised)
        yield
