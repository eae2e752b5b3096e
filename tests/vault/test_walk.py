"""Which files of a folder are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import notes2code.vault.walk
from notes2code.vault import VaultError, read_vault


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("$x$")


def test_notes_come_sorted_and_others_are_skipped(tmp_path: Path) -> None:
    write(
        tmp_path, "b/z.md", "b/a.MD", "a.md", "c.txt", ".obsidian/x.md", ".hidden.md", "b/.git/x.md"
    )
    (tmp_path / "page.html").write_text("<p>text</p>")
    vault = read_vault(tmp_path)
    assert [note.path for note in vault.notes] == ["a.md", "page.html", "b/a.MD", "b/z.md"]
    assert vault.diagnostics == ()


def test_a_single_note(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    vault = read_vault(tmp_path / "a.md")
    assert [note.path for note in vault.notes] == ["a.md"]
    assert vault.root == str(tmp_path)


def test_what_is_no_vault(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    with pytest.raises(VaultError, match="there is no vault at"):
        read_vault(tmp_path / "missing")
    with pytest.raises(VaultError, match="is no note"):
        read_vault(tmp_path / "a.txt")


def test_an_empty_vault(tmp_path: Path) -> None:
    vault = read_vault(tmp_path)
    assert vault.notes == ()
    assert [d.code for d in vault.diagnostics] == ["N2C001"]


def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, "secret.md")
    inside = tmp_path / "vault"
    write(inside, "a.md")
    (inside / "link.md").symlink_to(outside / "secret.md")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    (inside / "picture.png").symlink_to(outside / "secret.md")
    vault = read_vault(inside)
    assert [note.path for note in vault.notes] == ["a.md"]
    found = [(d.code, d.path) for d in vault.diagnostics]
    assert found == [("N2C016", "folder"), ("N2C016", "link.md"), ("N2C016", "loop")]
    assert [n.path for n in read_vault(inside / "loop").notes] == ["a.md"]


def test_large_and_odd_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes2code.vault.walk, "_LARGEST", 10)
    write(tmp_path, "a.md")
    (tmp_path / "big.md").write_text("x" * 11)
    (tmp_path / "dir.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    vault = read_vault(tmp_path)
    assert [note.path for note in vault.notes] == ["a.md"]
    assert [(d.code, d.path) for d in vault.diagnostics] == [
        ("N2C003", "big.md"),
        ("N2C002", "pipe.md"),
    ]


def test_folders_are_read_to_a_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes2code.vault.walk, "_DEEPEST", 2)
    write(tmp_path, "a/b/c/d.md", "a/b/c/d/e.md")
    vault = read_vault(tmp_path)
    assert [note.path for note in vault.notes] == ["a/b/c/d.md"]
    assert [(d.code, d.path) for d in vault.diagnostics] == [("N2C003", "a/b/c/d")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_unreadable_files_are_told(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "a.md").chmod(0)
    assert [d.code for d in read_vault(tmp_path).diagnostics] == ["N2C002"]
