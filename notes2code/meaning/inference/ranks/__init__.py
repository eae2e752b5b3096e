"""ranks: a name → how many axes each of its elements has, declared or by custom."""
