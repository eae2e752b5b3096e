"""reading: what a formula states, clause by clause: definitions, shapes, ranges, facts."""
