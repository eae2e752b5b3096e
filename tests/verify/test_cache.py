"""What is remembered of packages that passed."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.verify import cache


def test_what_is_remembered_is_recalled() -> None:
    assert cache.recall("a") is None
    cache.remember("a", 3)
    cache.remember("b", 4)
    cache.remember("a", 5)
    assert (cache.recall("a"), cache.recall("b"), cache.recall("c")) == (5, 4, None)


def test_the_cache_stays_small(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_KEPT", 3)
    for number in range(10):
        cache.remember(str(number), number)
    assert [cache.recall(str(n)) for n in range(10)] == [None] * 7 + [7, 8, 9]
    assert [path.name for path in (cache_folder / "notes2code").iterdir()] == ["verified"]


@pytest.mark.parametrize("data", [b"", b"a\n", b"a b\n", b"\xff\xfe", b"a 1 2\n"])
def test_a_damaged_cache_is_an_empty_one(cache_folder: Path, data: bytes) -> None:
    cache.remember("a", 1)
    (cache_folder / "notes2code" / "verified").write_bytes(data)
    assert cache.recall("a") is None
    cache.remember("b", 2)
    assert cache.recall("b") == 2


def test_a_cache_that_cannot_be_written_is_no_error(cache_folder: Path) -> None:
    cache_folder.write_text("a file where a folder must be")
    cache.remember("a", 1)
    assert cache.recall("a") is None


def test_a_key_depends_on_code_and_versions_only() -> None:
    code = 'def f():\n    """Doc."""\n    return 1\n'
    same = [
        'def f():\n    "Other."\n    return 1\n',
        code + "# comment\n",
        code.replace(" 1", "  1"),
    ]
    key = cache.key({"a.py": code}, ["pytest"])
    assert all(cache.key({"a.py": text, "R.md": "x"}, ["pytest"]) == key for text in same)
    others = [
        code.replace("1", "2"),
        code.replace("f", "g"),
        "def f(:\n",
        'def f():\n    """D."""\n',
    ]
    keys = {cache.key({"a.py": text}, ["pytest"]) for text in [code, *others]}
    assert len(keys) == 5
    assert cache.key({"b.py": code}, ["pytest"]) != key
    assert cache.key({"a.py": code}, ["pytest", "numpy"]) != key


def test_a_string_that_is_no_docstring_counts() -> None:
    keys = {cache.key({"a.py": f'x = 1\n"""{text}"""\n'}, []) for text in ("a", "b")}
    assert len(keys) == 2
