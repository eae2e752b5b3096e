"""What all tests need: one thread each, since as many tests run as the machine has cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
