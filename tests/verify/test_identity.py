"""What the outcome of a package's tests depends on."""

from __future__ import annotations

from notes2code.verify.identity import identity


def test_a_key_depends_on_code_and_versions_only() -> None:
    code = 'def f():\n    """Doc."""\n    return 1\n'
    same = [
        'def f():\n    "Other."\n    return 1\n',
        code + "# comment\n",
        code.replace(" 1", "  1"),
    ]
    key = identity({"a.py": code}, ["pytest"])
    assert all(identity({"a.py": text, "R.md": "x"}, ["pytest"]) == key for text in same)
    others = [
        code.replace("1", "2"),
        code.replace("f", "g"),
        "def f(:\n",
        'def f():\n    """D."""\n',
    ]
    keys = {identity({"a.py": text}, ["pytest"]) for text in [code, *others]}
    assert len(keys) == 5
    assert identity({"b.py": code}, ["pytest"]) != key
    assert identity({"a.py": code}, ["pytest", "numpy"]) != key


def test_a_string_that_is_no_docstring_counts() -> None:
    keys = {identity({"a.py": f'x = 1\n"""{text}"""\n'}, []) for text in ("a", "b")}
    assert len(keys) == 2
