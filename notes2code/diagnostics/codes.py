"""The table of diagnostic codes; each has a page in ``docs/diagnostics``."""

TITLES: dict[str, str] = {
    # 001-019: vaults and their files
    "N2C001": "the vault holds no notes",
    "N2C002": "a file cannot be read",
    "N2C003": "a note is too large or lies too deep",
    "N2C004": "a note is not UTF-8 text",
    "N2C005": "the properties of a note cannot be read",
    "N2C006": "a formula is not closed",
    "N2C007": "a comment is not closed",
    "N2C008": "an n2c comment does not clearly belong to a formula",
    "N2C009": "embedded images are not read",
    "N2C010": "formulas are only drawn, without their LaTeX",
    "N2C011": "a drawing cannot be decoded",
    "N2C012": "a drawing is older than its texts",
    "N2C013": "an equation is not on its drawing",
    "N2C014": "a canvas cannot be read",
    "N2C015": "a drawing or canvas is empty",
    "N2C016": "a symbolic link is not followed",
    # 020-029: LaTeX
    # 030-039: names, indices and definitions
    # 040-049: shapes
    # 050-059: components and their settings
    # 060-069: drawings
    # 070-079: the generated package
}
