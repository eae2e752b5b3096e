"""The example of the README runs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    script = tmp_path / "example.py"
    script.write_text(example, encoding="utf-8")
    runpy.run_path(str(script))
