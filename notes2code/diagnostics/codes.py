"""The table of diagnostic codes; each has a page in ``docs/diagnostics``."""

TITLES: dict[str, str] = {
    # 001-019: vaults and their files
    # 020-029: LaTeX
    # 030-039: names, indices and definitions
    # 040-049: shapes
    # 050-059: components and their settings
    # 060-069: drawings
    # 070-079: the generated package
}
