"""overview: what can be seen in a formula before any of it is typed: which letters count, which are
numbers, which are labels."""
