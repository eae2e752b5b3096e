"""meaning: syntax trees and what the notes declare in, typed equations out.

``reading`` finds what a formula states, ``overview`` what its letters are, ``inference`` types it;
``prose`` reads what the text says of letters, ``linking`` brings the formulas of a vault together.
"""

from notes2code.meaning.typed import Typed, type_formula, type_tree

__all__ = ["Typed", "type_formula", "type_tree"]
