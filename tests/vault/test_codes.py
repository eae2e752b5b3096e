"""Every code that the readers report has a title and a page."""

from __future__ import annotations

import re
from pathlib import Path

from notes2code.diagnostics.codes import TITLES

ROOT = Path(__file__).resolve().parents[2]


def test_codes_are_documented() -> None:
    sources = (ROOT / "notes2code" / "vault").glob("*.py")
    codes = {code for path in sources for code in re.findall(r"N2C\d{3}", path.read_text())}
    assert codes == {code for code in TITLES if code < "N2C020"}
    for code in codes:
        page = (ROOT / "docs" / "diagnostics" / f"{code}.md").read_text()
        assert page.startswith(f"# {code}: {TITLES[code]}\n")
