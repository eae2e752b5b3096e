"""latex: the text of a formula in, its syntax tree with exact spans out."""

from notes2code.latex.fonts import in_two_fonts
from notes2code.latex.parser import parse

__all__ = ["in_two_fonts", "parse"]
