"""``python -m notes2code``."""

import sys

from notes2code.cli import main

sys.exit(main())
