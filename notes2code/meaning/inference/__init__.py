"""inference: from statements to one typed equation, by trying readings until the shapes agree."""
