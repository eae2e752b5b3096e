"""latex: the text of a formula in, its syntax tree with exact spans out."""

from notes2code.latex.differences import differences_of
from notes2code.latex.differentials import differentials_of
from notes2code.latex.fonts import in_two_fonts
from notes2code.latex.parser import parse

__all__ = ["differences_of", "differentials_of", "in_two_fonts", "parse"]
