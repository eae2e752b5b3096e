"""Docstrings: any text as lines of Python that cannot say anything but that text."""

from __future__ import annotations


def docstring_lines(text: str, indent: str) -> list[str]:
    """The lines of a docstring, the first without its indentation; none for no text.

    A text with backslashes, such as LaTeX, becomes a raw string where that can hold it.
    """
    lines = [line.rstrip() for line in text.strip().expandtabs(4).splitlines()]
    if not lines:
        return []
    raw = any("\\" in line for line in lines)
    whole = "\n".join(lines)
    if raw and ('"""' in whole or whole.endswith(("\\", '"'))):
        raw = False
        whole = whole.replace("\\", "\\\\")
    elif not raw:
        whole = whole.replace('"""', '\\"\\"\\"')
    if not raw:
        whole = whole.replace('"""', '\\"\\"\\"')
        whole = whole[:-1] + '\\"' if whole.endswith('"') else whole
    start = 'r"""' if raw else '"""'
    body = whole.split("\n")
    if len(body) == 1:
        return [f'{start}{body[0]}"""']
    rest = [f"{indent}{line}" if line else "" for line in body[1:]]
    return [f"{start}{body[0]}", *rest, f'{indent}"""']
