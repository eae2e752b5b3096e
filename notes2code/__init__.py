"""notes2code: compiles a vault of notes into a tested PyTorch package."""
