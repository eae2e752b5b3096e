"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from notes2code import faults


@pytest.fixture(scope="session", autouse=True)
def _faults_are_failures() -> Iterator[None]:
    """A vault goes on after a fault of notes2code; a test must not."""

    def raised(*_: object) -> None:
        raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults, "met", raised)
        patch.setattr(faults, "described", raised)
        yield
