"""Tells when a vault changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from watchfiles import Change, watch

from notes2code.components.library import library
from notes2code.vault import NOTE_SUFFIXES, VaultError

_PAUSE = 200
"""Milliseconds after which a quiet watch looks up; so long it takes to be sure that it runs."""


def changes(
    vault: str, out: str, components: Sequence[str] = (), stop: Event | None = None
) -> Iterator[Callable[[], bool]]:
    """Yield once the watch runs, then after each burst of changes to notes or components; what is
    yielded tells whether there was a further change meanwhile.

    Hidden files, such as an editor's own, other files than notes, and what lies in ``out`` are
    ignored. Ends when ``stop`` is set. Raises VaultError when there is nothing to watch.
    """
    roots = [Path(path).resolve() for path in (vault, *components)]
    for root in roots:
        if not root.exists():
            raise VaultError(f"there is nothing to watch at {root}")
    stop, news = stop or Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(_follow, roots, Path(out).resolve(), news, stop)
        try:
            while not following.done():
                if news.wait(_PAUSE / 1000):
                    news.clear()
                    yield news.is_set
            following.result()
        finally:
            stop.set()


def _follow(roots: Sequence[Path], out: Path, news: Event, stop: Event) -> None:
    """Set ``news`` once the watch runs and at each burst, until ``stop`` is set."""
    components = roots[1:]

    def counts(_: Change, name: str) -> bool:
        path = Path(name)
        below = [path.relative_to(r).parts for r in roots if path.is_relative_to(r)]
        seen = any(not any(part.startswith(".") for part in parts) for parts in below)
        other = path.suffix.lower() not in NOTE_SUFFIXES and path.is_file()
        if other and not any(path.is_relative_to(root) for root in components):
            return False
        return seen and not path.is_relative_to(out)

    # An editor replaces a file that it saves, so the folder of a single note is watched.
    folders = [root if root.is_dir() else root.parent for root in roots]
    started = False
    for burst in watch(
        *folders,
        watch_filter=counts,
        stop_event=stop,
        rust_timeout=_PAUSE,
        yield_on_timeout=True,
    ):
        if any(Path(name).is_relative_to(root) for _, name in burst for root in components):
            library.cache_clear()
        if burst or not started:
            started = True
            news.set()
