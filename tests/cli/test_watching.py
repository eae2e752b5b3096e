"""Watching a vault."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from notes2code.vault import VaultError
from notes2code.verify import Superseded, Verdict, never
from notes2code.watching import changes

if TYPE_CHECKING:
    from tests.cli.conftest import Vault

QUIET = 0.7
"""Seconds in which a change that counts would long have been told."""

Bursts = queue.Queue[None]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Callable[..., Bursts]]:
    """Start to watch; the queue gets an item for each burst of changes."""
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def start(vault: Path, out: Path, *components: str) -> Bursts:
        bursts: Bursts = queue.Queue()

        def follow() -> None:
            for _ in changes(str(vault), str(out), components, stop):
                bursts.put(None)

        threads.append(threading.Thread(target=follow, daemon=True))
        threads[-1].start()
        bursts.get(timeout=10)
        return bursts

    yield start
    stop.set()
    for thread in threads:
        thread.join(10)


def quiet(bursts: Bursts) -> bool:
    try:
        bursts.get(timeout=QUIET)
    except queue.Empty:
        return True
    return False


def test_changes_of_notes_are_told(tmp_path: Path, watched: Callable[..., Bursts]) -> None:
    (tmp_path / "sub").mkdir()
    bursts = watched(tmp_path, tmp_path / "generated")
    (tmp_path / "sub" / "A.md").write_text("one")
    bursts.get(timeout=10)
    (tmp_path / "sub" / "A.md").rename(tmp_path / "B.md")
    bursts.get(timeout=10)
    assert quiet(bursts)


def test_own_output_and_hidden_files_are_not(
    tmp_path: Path, watched: Callable[..., Bursts]
) -> None:
    (tmp_path / "generated" / "tests").mkdir(parents=True)
    (tmp_path / ".obsidian").mkdir()
    bursts = watched(tmp_path, tmp_path / "generated")
    (tmp_path / "generated" / "README.md").write_text("own")
    (tmp_path / "generated" / "tests" / "test_a.py").write_text("own")
    (tmp_path / ".obsidian" / "workspace.json").write_text("{}")
    (tmp_path / ".A.md.swp").write_text("")
    assert quiet(bursts)


def test_a_single_note_is_watched_through_its_replacement(
    tmp_path: Path, watched: Callable[..., Bursts]
) -> None:
    note = tmp_path / "A.md"
    note.write_text("one")
    bursts = watched(note, tmp_path / "generated")
    (tmp_path / "new").write_text("two")
    (tmp_path / "new").replace(note)
    bursts.get(timeout=10)
    (tmp_path / "B.md").write_text("another note")
    assert quiet(bursts)


def test_changed_components_are_read_again(
    tmp_path: Path, watched: Callable[..., Bursts], monkeypatch: pytest.MonkeyPatch
) -> None:
    cleared: list[int] = []
    monkeypatch.setattr(
        "notes2code.watching.library.cache_clear", lambda: cleared.append(1), raising=False
    )
    for name in ("vault", "own"):
        (tmp_path / name).mkdir()
    bursts = watched(tmp_path / "vault", tmp_path / "generated", str(tmp_path / "own"))
    (tmp_path / "vault" / "A.md").write_text("one")
    bursts.get(timeout=10)
    assert cleared == []
    (tmp_path / "own" / "component.toml").write_text("")
    bursts.get(timeout=10)
    assert cleared


def test_other_files_than_notes_are_not_told(
    tmp_path: Path, watched: Callable[..., Bursts]
) -> None:
    bursts = watched(tmp_path, tmp_path / "generated")
    (tmp_path / "plot.png").write_bytes(b"picture")
    (tmp_path / "A.md~").write_text("an editor's copy")
    assert quiet(bursts)


def test_a_change_while_the_caller_works_is_told_at_once(tmp_path: Path) -> None:
    stop = threading.Event()
    watch = changes(str(tmp_path), str(tmp_path / "generated"), (), stop)
    superseded = next(watch)
    assert not superseded()
    (tmp_path / "A.md").write_text("one")
    deadline = time.monotonic() + 10
    while not superseded() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert superseded()
    assert not next(watch)()
    stop.set()
    assert list(watch) == []


@pytest.mark.usefixtures("tested")
def test_a_build_that_is_superseded_gives_way_to_the_next(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the first nothing is written."""

    def bursts(*arguments: object) -> Iterator[Callable[[], bool]]:
        yield lambda: True
        assert vault.output == "" and not vault.out.exists()
        yield never

    def verdict(files: object, superseded: Callable[[], bool]) -> Verdict:
        if superseded():
            raise Superseded
        return Verdict(passed=3)

    monkeypatch.setattr("notes2code.pipeline.verify", verdict)
    monkeypatch.setattr("notes2code.watching.changes", bursts)
    assert vault.run("build", "--watch") == 0
    assert vault.output.count("vault: 1 note") == 1 and vault.out.exists()


def test_there_must_be_something_to_watch(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="nothing to watch"):
        next(changes(str(tmp_path / "missing"), str(tmp_path / "out")))


@pytest.mark.usefixtures("tested")
def test_watching_goes_on_after_errors(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each burst is a build; the one that fails is printed, and the next is made."""
    good = (vault.notes / "Attention.md").read_text()

    def bursts(*arguments: object) -> Iterator[Callable[[], bool]]:
        yield never
        vault.write("Attention.md", good + good)
        vault.notes.rename(vault.folder / "away")
        yield never
        (vault.folder / "away").rename(vault.notes)
        yield never
        raise KeyboardInterrupt

    monkeypatch.setattr("notes2code.watching.changes", bursts)
    assert vault.run("build", "--watch") == 0
    assert vault.errors == "notes2code: error: there is no vault at vault\n"
    assert vault.output.count("vault: 1 note") == 2
    assert vault.output.count("1 updated") == 1


def test_watching_what_is_not_there(vault: Vault) -> None:
    assert vault.run("build", "nowhere", "--watch") == 2
    assert "nothing to watch" in vault.errors
