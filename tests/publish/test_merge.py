"""Edits are merged with new code, or refused with their places."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from notes2code.publish import Changes, PublishError, plan

Publish = Callable[..., Changes]

BASE = "".join(f"line {n}\n" for n in range(1, 21))


def changed(number: int, text: str) -> str:
    return BASE.replace(f"line {number}\n", text)


@pytest.fixture
def edit(publish: Publish, out: Path) -> Callable[[str], Path]:
    """Publish the base text, and edit the file."""
    publish({"a.py": BASE})

    def write(text: str) -> Path:
        (out / "a.py").write_text(text)
        return out / "a.py"

    return write


def test_edits_and_news_that_do_not_meet_are_merged(
    publish: Publish, edit: Callable[[str], Path]
) -> None:
    file = edit(changed(3, "line 3 # mine\n"))
    changes = publish({"a.py": changed(17, "LINE 17\n")}, merge=True)
    assert changes.result() == {"a.py": file.read_text()}
    assert file.read_text() == BASE.replace("line 3\n", "line 3 # mine\n").replace(
        "line 17\n", "LINE 17\n"
    )


def test_a_merged_file_is_still_an_edited_one(
    publish: Publish, edit: Callable[[str], Path]
) -> None:
    """The base of the next merge is what was generated, so the edit is carried on and on."""
    file = edit(changed(3, "mine\n"))
    publish({"a.py": changed(17, "two\n")}, merge=True)
    assert plan(file.parent, {"a.py": changed(17, "two\n")}).conflicts
    assert not plan(file.parent, {"a.py": changed(17, "two\n")}, merge=True).is_stale
    publish({"a.py": changed(17, "three\n")}, merge=True)
    assert "mine\n" in file.read_text() and "three\n" in file.read_text()


def test_without_news_the_edited_file_is_kept(
    publish: Publish, edit: Callable[[str], Path]
) -> None:
    file = edit(changed(3, "mine\n"))
    assert publish({"a.py": BASE}, merge=True).of("unchanged") == ("a.py",)
    assert "mine\n" in file.read_text()


def test_where_they_meet_nothing_is_written(edit: Callable[[str], Path]) -> None:
    edited = "added above\n" + changed(3, "mine\n").replace("line 12\n", "mine too\n")
    file = edit(edited)
    new = changed(3, "theirs\n").replace("line 12\n", "their line\n")
    changes = plan(file.parent, {"a.py": new}, merge=True)
    found = [(c.diagnostic.code, c.diagnostic.line) for c in changes.conflicts]
    assert found == [("N2C072", 4), ("N2C072", 13)]
    assert file.read_text() == edited
    assert "<<<<" not in changes.result()["a.py"]


def test_lines_that_look_like_conflict_marks_are_text(
    publish: Publish, edit: Callable[[str], Path]
) -> None:
    file = edit(changed(3, "<<<<<<< mine\n=======\n>>>>>>> x\n"))
    publish({"a.py": changed(17, "two\n")}, merge=True)
    assert "<<<<<<< mine\n" in file.read_text() and "two\n" in file.read_text()


def test_windows_line_ends_do_not_meet_everything(
    publish: Publish, edit: Callable[[str], Path]
) -> None:
    file = edit("")
    file.write_bytes(changed(3, "mine\n").replace("\n", "\r\n").encode())
    publish({"a.py": changed(17, "two\n")}, merge=True)
    assert file.read_bytes() == changed(3, "mine\n").replace("line 17\n", "two\n").encode()


def test_without_the_base_text_nothing_is_merged(edit: Callable[[str], Path]) -> None:
    file = edit(changed(3, "mine\n"))
    (file.parent / ".notes2code.base.json").unlink()
    changes = plan(file.parent, {"a.py": changed(17, "two\n")}, merge=True)
    assert [c.diagnostic.code for c in changes.conflicts] == ["N2C072"]


def test_a_base_text_that_was_changed_is_not_used(edit: Callable[[str], Path]) -> None:
    file = edit(changed(3, "mine\n"))
    bases = file.parent / ".notes2code.base.json"
    bases.write_text(bases.read_text().replace("line 9", "line nine"))
    changes = plan(file.parent, {"a.py": changed(17, "two\n")}, merge=True)
    assert [c.diagnostic.code for c in changes.conflicts] == ["N2C072"]


def test_without_git_it_is_said(
    edit: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = edit(changed(3, "mine\n"))

    def missing(*args: object, **options: object) -> None:
        raise FileNotFoundError(2, "No such file or directory: 'git'")

    monkeypatch.setattr(subprocess, "run", missing)
    with pytest.raises(PublishError) as refused:
        plan(file.parent, {"a.py": changed(17, "two\n")}, merge=True)
    assert "install git" in refused.value.diagnostic.help


def test_an_edited_file_that_is_no_text_is_refused(edit: Callable[[str], Path]) -> None:
    file = edit("")
    file.write_bytes(b"\xff\xfe")
    changes = plan(file.parent, {"a.py": changed(17, "two\n")}, merge=True)
    assert [c.diagnostic.code for c in changes.conflicts] == ["N2C070"]
