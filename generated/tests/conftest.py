"""What all tests need: the package on the path, and the same random numbers every time."""

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def seed() -> None:
    """Seed torch before each test."""
    torch.manual_seed(0)
