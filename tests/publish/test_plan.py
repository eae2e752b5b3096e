"""What a build would change, and what it must not touch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from notes2code.publish import Changes, PublishError, apply, diff, plan
from notes2code.publish.manifest import OWN

Publish = Callable[..., Changes]
Disk = Callable[[], dict[str, bytes]]

FILES = {"pkg/__init__.py": "from .a import A\n", "pkg/a.py": "A = 1\n", "tests/test_a.py": "\n"}


def codes(changes: Changes) -> list[tuple[str, str]]:
    return [(conflict.diagnostic.code, conflict.path) for conflict in changes.conflicts]


def test_a_first_build_creates_and_a_second_changes_nothing(publish: Publish, out: Path) -> None:
    first = publish(FILES)
    assert first.of("create") == tuple(sorted(FILES)) and first.is_stale
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    second = publish(FILES)
    assert second.of("unchanged") == tuple(sorted(FILES)) and not second.is_stale
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == times


def test_only_what_differs_is_rewritten(publish: Publish, out: Path) -> None:
    publish(FILES)
    before = (out / "tests/test_a.py").stat().st_mtime_ns
    changes = publish({**FILES, "pkg/a.py": "A = 2\n"})
    assert changes.of("update") == ("pkg/a.py",)
    assert (out / "pkg/a.py").read_text() == "A = 2\n"
    assert (out / "tests/test_a.py").stat().st_mtime_ns == before


def test_the_manifest_says_nothing_of_time_or_place(publish: Publish, out: Path) -> None:
    publish(FILES)
    manifest = json.loads((out / ".notes2code.json").read_text())
    assert list(manifest) == ["schema", "files"]
    assert list(manifest["files"]) == sorted(FILES)
    assert str(out) not in (out / ".notes2code.json").read_text()


def test_orphans_go_when_nobody_edited_them(publish: Publish, out: Path) -> None:
    publish({**FILES, "pkg/old/b.py": "B = 1\n"})
    cached = out / "pkg/old/__pycache__/b.cpython-311.pyc"
    cached.parent.mkdir()
    cached.write_bytes(b"")
    changes = publish(FILES)
    assert changes.of("delete") == ("pkg/old/b.py",)
    assert not (out / "pkg/old").exists()


def test_an_orphan_folder_keeps_what_is_not_ours(publish: Publish, out: Path) -> None:
    publish({**FILES, "pkg/old/b.py": "B = 1\n"})
    (out / "pkg/old/mine.txt").write_text("mine")
    publish(FILES)
    assert [path.name for path in (out / "pkg/old").iterdir()] == ["mine.txt"]


def test_an_edited_file_refuses_everything(publish: Publish, out: Path, disk: Disk) -> None:
    publish(FILES)
    (out / "pkg/a.py").write_text("A = 1  # mine\n")
    before = disk()
    changes = plan(out, {**FILES, "pkg/a.py": "A = 3\n", "pkg/new.py": "N = 1\n"})
    assert codes(changes) == [("N2C070", "pkg/a.py")]
    assert changes.is_stale
    with pytest.raises(PublishError):
        apply(changes)
    assert disk() == before


def test_an_edited_file_refuses_even_where_nothing_is_new(publish: Publish, out: Path) -> None:
    publish(FILES)
    (out / "pkg/a.py").write_text("A = 9\n")
    assert codes(plan(out, FILES)) == [("N2C070", "pkg/a.py")]


def test_an_edited_orphan_is_not_deleted(publish: Publish, out: Path) -> None:
    publish({**FILES, "pkg/b.py": "B = 1\n"})
    (out / "pkg/b.py").write_text("B = 2\n")
    assert codes(plan(out, FILES)) == [("N2C070", "pkg/b.py")]
    assert codes(plan(out, FILES, merge=True)) == [("N2C070", "pkg/b.py")]
    publish(FILES, force=True)
    assert not (out / "pkg/b.py").exists()


def test_a_foreign_file_is_in_the_way(publish: Publish, out: Path, disk: Disk) -> None:
    out.mkdir()
    (out / "pkg").mkdir()
    (out / "pkg/a.py").write_text("mine\n")
    assert codes(plan(out, FILES)) == [("N2C071", "pkg/a.py")]
    assert codes(plan(out, FILES, merge=True)) == [("N2C071", "pkg/a.py")]
    assert disk() == {"pkg/a.py": b"mine\n"}
    publish(FILES, force=True)
    assert (out / "pkg/a.py").read_text() == FILES["pkg/a.py"]


def test_a_foreign_file_that_is_the_same_is_taken_over(publish: Publish, out: Path) -> None:
    (out / "pkg").mkdir(parents=True)
    (out / "pkg/a.py").write_text(FILES["pkg/a.py"])
    publish(FILES)
    assert publish({**FILES, "pkg/a.py": "A = 2\n"}).of("update") == ("pkg/a.py",)


def test_foreign_files_beside_the_package_are_left_alone(publish: Publish, out: Path) -> None:
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    publish(FILES)
    publish({})
    assert (out / "mine.txt").read_text() == "mine"
    assert not (out / "pkg").exists()


def test_a_deleted_file_comes_back(publish: Publish, out: Path) -> None:
    publish(FILES)
    (out / "pkg/a.py").unlink()
    assert publish(FILES).of("create") == ("pkg/a.py",)


def test_line_ends_of_a_windows_checkout_are_no_edit(publish: Publish, out: Path) -> None:
    publish(FILES)
    (out / "pkg/a.py").write_bytes(b"A = 1\r\n")
    assert not plan(out, FILES).is_stale
    changes = publish({**FILES, "pkg/a.py": "A = 2\n"})
    assert changes.of("update") == ("pkg/a.py",)
    assert (out / "pkg/a.py").read_bytes() == b"A = 2\n"


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/x", "a/../../x", "", ".", "a\\..\\x", "C:x", "./a", "a//b", "a\0b", *OWN],
)
def test_paths_stay_inside(out: Path, path: str) -> None:
    with pytest.raises(PublishError) as refused:
        plan(out, {path: "text\n"})
    assert refused.value.diagnostic.code == "N2C074"


def test_symbolic_links_do_not_lead_outside(out: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("theirs")
    out.mkdir()
    (out / "pkg").symlink_to(outside)
    with pytest.raises(PublishError):
        plan(out, {"pkg/a.py": "A = 1\n"}, force=True)
    (out / "b.py").symlink_to(outside / "a.py")
    with pytest.raises(PublishError):
        plan(out, {"b.py": "B = 1\n"}, force=True)
    assert (outside / "a.py").read_text() == "theirs"


def test_a_manifest_cannot_delete_outside(out: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    out.mkdir()
    listed = {"schema": 1, "files": {"../victim.txt": "0" * 64}}
    (out / ".notes2code.json").write_text(json.dumps(listed))
    with pytest.raises(PublishError):
        plan(out, FILES, force=True)
    assert victim.exists()


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"schema": 2, "files": {}}', '{"schema": 1}', "[" * 9999]
)
def test_a_damaged_manifest_stops(out: Path, text: str) -> None:
    out.mkdir()
    (out / ".notes2code.json").write_text(text)
    with pytest.raises(PublishError) as refused:
        plan(out, FILES)
    assert refused.value.diagnostic.code == "N2C073"


def test_a_lost_manifest_costs_nothing_where_files_are_the_same(
    publish: Publish, out: Path
) -> None:
    publish(FILES)
    (out / ".notes2code.json").unlink()
    assert not plan(out, FILES).is_stale
    publish(FILES)
    assert (out / ".notes2code.json").exists()


def test_folders_where_files_must_be_and_the_reverse(out: Path) -> None:
    (out / "pkg/a.py").mkdir(parents=True)
    with pytest.raises(PublishError):
        plan(out, FILES, force=True)
    file = out / "file"
    file.write_text("")
    with pytest.raises(PublishError):
        plan(file, FILES)
    with pytest.raises(PublishError):
        plan(out, {"file/a.py": "\n"}, force=True)


def test_a_diff_of_what_would_change(publish: Publish, out: Path) -> None:
    publish({"a.py": "one\ntwo\n", "b.py": "b\n"})
    text = diff(plan(out, {"a.py": "one\n2\n", "c.py": "c"}))
    assert text == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        "--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+c\n\\ No newline at end of file\n"
        "--- a/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n"
    )
