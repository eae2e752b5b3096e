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
    "N2C020": "a formula is too large or too deep",
    "N2C021": "a command is not known",
    "N2C022": "brackets or environments do not match",
    "N2C023": "\\left and \\right do not match",
    "N2C024": "something is missing",
    "N2C025": "a number stands where none belongs",
    "N2C026": "TeX sets something else than is meant",
    "N2C027": "letters of a word are set apart",
    "N2C028": "a backslash is doubled",
    "N2C029": "a character cannot stand here",
    # 030-039: names, indices and definitions
    "N2C030": "a function is not defined",
    "N2C031": "an index is not used",
    "N2C032": "an index is not understood",
    "N2C033": "a product or sign may mean two things",
    "N2C034": "something is defined by itself",
    "N2C035": "definitions contradict each other",
    "N2C036": "a range is not known",
    "N2C037": "something cannot be computed",
    "N2C038": "a property, not a definition",
    "N2C039": "how something was read",
    # 040-049: shapes
    "N2C040": "shapes do not meet",
    "N2C041": "an operation does not fit its operands",
    "N2C042": "shapes go against custom",
    "N2C043": "a shape stands where a number belongs",
    # 050-059: components and their settings
    "N2C050": "a setting is unusual",
    "N2C051": "a layer is applied to a product",
    # 060-069: drawings
    # 070-079: the generated package
}
