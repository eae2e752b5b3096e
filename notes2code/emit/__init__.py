"""emit: the parts of a package in, the text of its files out."""
