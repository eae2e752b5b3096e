"""rewriting: what people write in several ways, written in one before the formula is read."""
