"""lists: lists, matrices and what dots leave out of them → arrays."""
