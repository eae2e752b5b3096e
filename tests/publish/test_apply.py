"""Writing is all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notes2code.publish import Changes, PublishError, apply, plan

Publish = Callable[..., Changes]
Disk = Callable[[], dict[str, bytes]]

OLD = {"pkg/a.py": "A = 1\n", "pkg/b.py": "B = 1\n", "pkg/gone/c.py": "C = 1\n"}
NEW = {"pkg/a.py": "A = 2\n", "pkg/b.py": "B = 2\n", "pkg/deep/d.py": "D = 2\n"}


def fail_at(monkeypatch: pytest.MonkeyPatch, step: int, problem: BaseException) -> list[int]:
    """Let the replacement number ``step`` (from 0) of new files fail; undoing still works."""
    replace = Path.replace
    seen: list[int] = []

    def replacing(self: Path, target: Path) -> Path:
        if self.suffix == ".new":
            seen.append(len(seen))
            if len(seen) - 1 == step:
                raise problem
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replacing)
    return seen


@pytest.mark.parametrize("step", range(5))
def test_a_failing_replacement_leaves_everything_as_it_was(
    publish: Publish, out: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    publish(OLD)
    before = disk()
    folders = sorted(path for path in out.rglob("*") if path.is_dir())
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    seen = fail_at(monkeypatch, step, OSError(28, "No space left on device"))
    with pytest.raises(PublishError, match="No space left") as failed:
        apply(plan(out, NEW))
    assert len(seen) == step + 1
    assert failed.value.diagnostic.code == "N2C074"
    assert disk() == before
    assert sorted(path for path in out.rglob("*") if path.is_dir()) == folders
    assert {path: path.stat().st_mtime_ns for path in times} == times
    monkeypatch.undo()
    publish(NEW)
    assert {name for name in disk() if name.startswith("pkg")} == set(NEW)


def test_a_failure_is_told_at_its_file(
    publish: Publish, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(OLD)
    place = str(out / "pkg" / "a.py")
    fail_at(monkeypatch, 0, PermissionError(13, "Permission denied", "0.new", None, place))
    with pytest.raises(PublishError) as failed:
        apply(plan(out, NEW))
    assert failed.value.diagnostic.path == place


def test_a_failing_first_build_leaves_no_folder(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at(monkeypatch, 2, OSError("broken"))
    with pytest.raises(PublishError):
        apply(plan(out / "deep" / "er", OLD))
    assert not out.exists()


def test_an_interrupt_rolls_back_and_goes_on(
    publish: Publish, out: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(OLD)
    before = disk()
    fail_at(monkeypatch, 1, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        apply(plan(out, NEW))
    assert disk() == before


def test_a_file_that_changes_between_plan_and_apply_is_not_lost(
    publish: Publish, out: Path
) -> None:
    publish(OLD)
    changes = plan(out, NEW)
    (out / "pkg/b.py").write_text("B = 1  # saved while the tests ran\n")
    with pytest.raises(PublishError) as refused:
        apply(changes)
    assert refused.value.diagnostic.code == "N2C070"
    assert (out / "pkg/a.py").read_text() == OLD["pkg/a.py"]


def test_nothing_but_the_files_is_left(publish: Publish, disk: Disk) -> None:
    publish(NEW)
    assert set(disk()) == {*NEW, ".notes2code.json", ".notes2code.base.json"}


NAMES = st.sampled_from(["a.py", "b.py", "p/a.py", "p/b.py", "p/q/a.py", "r/a.py"])
TEXTS = st.text(st.sampled_from("ab\n é\u2028\x0c"), max_size=12)
PACKAGES = st.dictionaries(NAMES, TEXTS, max_size=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(PACKAGES, min_size=1, max_size=4))
def test_any_packages_one_after_another(
    tmp_path_factory: pytest.TempPathFactory, packages: list[dict[str, str]]
) -> None:
    """The folder holds exactly the last package, byte for byte, whatever was there before."""
    out = tmp_path_factory.mktemp("out")
    for files in packages:
        apply(plan(out, files))
    written = {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    assert written == {path: text.encode() for path, text in packages[-1].items()}
    assert not plan(out, packages[-1]).is_stale


@settings(max_examples=60, deadline=None)
@given(PACKAGES, PACKAGES, NAMES, TEXTS)
def test_an_edit_is_never_lost(
    tmp_path_factory: pytest.TempPathFactory,
    old: dict[str, str],
    new: dict[str, str],
    name: str,
    edit: str,
) -> None:
    """Without --force, what somebody wrote by hand is still there after any build."""
    out = tmp_path_factory.mktemp("out")
    apply(plan(out, old))
    place = out / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(edit.encode())
    changes = plan(out, new)
    if not changes.conflicts:
        apply(changes)
        assert edit in (old.get(name), new.get(name)) or place.read_bytes() == edit.encode()
    else:
        assert place.read_bytes() == edit.encode()
