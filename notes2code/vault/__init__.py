"""vault: a folder of notes in, a ``Vault`` of notes with their formulas and exact places out."""
