"""indices: what stands below a name → the places in an array that are meant."""
