"""calls: a name before parentheses → what the function gives, whoever defines it."""
