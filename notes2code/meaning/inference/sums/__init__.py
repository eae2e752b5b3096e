"""sums: sums and signs with an index, and the conditions and terms in them → their value."""
