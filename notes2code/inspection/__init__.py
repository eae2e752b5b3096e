"""inspection: a compiled vault in, what became of each note, formula and drawing out."""

from notes2code.inspection.facts import facts
from notes2code.inspection.paths import read_paths
from notes2code.inspection.sarif import sarif
from notes2code.inspection.text import text

__all__ = ["facts", "read_paths", "sarif", "text"]
