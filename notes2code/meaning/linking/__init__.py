"""linking: the formulas of a vault in each other's light: who defines what another names."""
