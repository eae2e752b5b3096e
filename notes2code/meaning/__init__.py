"""meaning: syntax trees and what the notes declare in, typed equations out."""

from notes2code.meaning.typed import Typed, type_formula, type_tree

__all__ = ["Typed", "type_formula", "type_tree"]
