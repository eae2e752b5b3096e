"""slips: a typed equation → what its author should be told of it."""
