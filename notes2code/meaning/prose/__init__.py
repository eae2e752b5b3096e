"""prose: what the text of a note says of letters: *γ is a learnable vector*, *σ is the ReLU*."""
